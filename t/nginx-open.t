# nginx: every directive that opens files opens the right one in a tree whose
# names are in EUC-JP, while $uri, redirects and header fields stay canonical.
use IRI::Test 'nginx';
use IRI::Gateway;
use IRI::Octets qw(raw visible);
use POSIX ();

# U+65E5 U+672C on disk, and the forms in which it is requested; U+8868, whose
# octets on disk are UTF-8 for another character.
my $disk = "\xC6\xFC\xCB\xDC";
my $utf8 = '%E6%97%A5%E6%9C%AC';
my $euc  = '%C6%FC%CB%DC';
my $sjis = '%93%FA%96%7B';
my @forms = ($utf8, $euc, $sjis, raw($utf8), raw($euc));

# ---- the tree and the server -----------------------------------------------

my ($root) = make_tree(<<'END');
\xC6\xFC\xCB\xDC.txt	file	plain
\xC6\xFC\xCB\xDC.html	file	page
\xC6\xFC\xCB\xDC.flv	file	FLVdata
\xC6\xFC\xCB\xDC.mp4	file	MP4data
\xC6\xFC\xCB\xDC.php	file	php
\xC6\xFC\xCB\xDC.css.gz	file	zipped
\xC6\xFC\xCB\xDC.css	file	css
\xC6\xFC\xCB\xDC/index.html	file	index
\xC6\xFC\xCB\xDC/\xC6\xFC.txt	file	inner
list/\xC6\xFC\xCB\xDC/\xC6\xFC.txt	file	listed
one/\xC6\xFC\xCB\xDC/\xC6\xFC.txt	file	random
link/\xC6\xFC\xCB\xDC.txt	link	../\xC6\xFC\xCB\xDC.txt
link/real/\xC6\xFC.txt	file	real
\xC9\xBD.txt	file	further
wide.html	file	wide
cache/\xC6\xFC\xCB\xDC.html	file	cached
store/\xC6\xFC\xCB\xDC/x	file	old
END
my $tmp = temp_dir();
chmod 0777, $_ or die "$_: $!\n"
    for $tmp, glob("$root/store $root/store/*");

my $conf = octets(<<'END');
default_type text/plain;
map $uri $sub { default one; }
server { listen 127.0.0.1:%%PORTup%%;
    location / { return 200 "up $request_uri"; }
    location /accel/ { add_header X-Accel-Redirect $arg_to; return 200; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP Shift_JIS;
    iri_filename_charset EUC-JP;
    add_header X-Uri $iri_uri always;
    add_header X-Plain-Uri $uri always;

    location ~ \.flv$ { flv; }
    location ~ \.mp4$ { mp4; }
    location ~ \.css$ { gzip_static on; }
    location /list/ { autoindex on; try_files $uri $uri/ =404; }
    location /one/ { random_index on; }
    location /brk/ { rewrite ^/brk(/.*) $1 break; }
    location ^~ /brkflv/ { flv; rewrite ^/brkflv(/.*) $1 break; }
    location /brkfn/ {
        rewrite ^/brkfn(/.*) $1 break;
        proxy_set_header X-File $request_filename;
        proxy_pass http://127.0.0.1:%%PORTecho%%;
    }
    location /brkarg/ { rewrite ^ /$arg_f.txt break; }
    location /lst/ { rewrite ^/lst(/.*) $1 last; }
    location /accel/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /if/ {
        alias %%ROOT%%/;
        if (-f $request_filename) { return 200 "is a file"; }
        return 200 "is none";
    }
    location /var {
        return 200 "$request_filename $document_root $realpath_root";
    }
    location /fcgi/ {
        rewrite ^/fcgi(/.*) $1 break;
        fastcgi_pass 127.0.0.1:%%FCGI%%;
        fastcgi_param SCRIPT_FILENAME $request_filename;
        fastcgi_param SCRIPT_NAME $fastcgi_script_name;
        fastcgi_param DOCUMENT_ROOT $document_root;
        fastcgi_param FILE $iri_filename;
        fastcgi_param INFO $iri_path_info;
    }
    location /link/ { disable_symlinks on from=$document_root; }
    location /nolink/ {
        alias %%ROOT%%/link/;
        disable_symlinks on from=$document_root;
    }
    location /alias/ { alias %%ROOT%%/\xC6\xFC\xCB\xDC/; }
    location "/\xE8\xA1\xA8/" { alias %%ROOT%%/\xC6\xFC\xCB\xDC/; }
    location ~ ^/cap/(.*)$ { alias %%ROOT%%/$1; }
    location ~ ^/capt/(.*)$ { alias %%ROOT%%/$1; try_files "" =404; }
    location ~ ^/cape/(.*)$ { alias %%ROOT%%/\xC6\xFC\xCB\xDC/$1; }
    location ~ ^/capl/ { alias %%ROOT%%/\xC6\xFC\xCB\xDC.txt; }
    location /rootvar/ { rewrite ^/rootvar(/.*) $1 break; root %%ROOT%%/$sub; }
    location /rel/ { set $r tree; root $r; rewrite ^/rel(/.*) $1 break; }
    location /logged/ {
        access_log %%TMP%%/$name.log;
        set $name logged;
        return 200 ok;
    }

    location /try/ { rewrite ^/try(/.*) $1; rewrite ^ /tri$uri last; }
    location /tri/ { alias %%ROOT%%/; try_files $uri $uri.html =404; }
    location /t404/ { try_files $uri =404; }
    location /tcache/ { try_files /cache$uri =404; }
    location "/\xE6\x97\xA5\xE6\x9C\xAC" {
        try_files $uri $uri.html $uri/index.html =404;
    }
    location /tname/ { try_files $uri @named; }
    location @named { return 200 "named $uri"; }
    location /tintern/ { try_files $uri /show$uri?u=$uri; }
    location /show/ { return 200 "$uri $args"; }
    location /terr/ { try_files $uri =418; error_page 418 /show$uri; }

    location /store/ {
        proxy_store on;
        proxy_temp_path %%TMP%%/temp;
        proxy_pass http://127.0.0.1:%%PORTup%%;
    }
    location /bstore/ {
        rewrite ^/bstore(/.*) /store$1 break;
        proxy_store on;
        proxy_temp_path %%TMP%%/temp;
        proxy_pass http://127.0.0.1:%%PORTup%%;
    }
}
server {
    listen 127.0.0.1:%%PORTecho%%;
    location / { return 200 "$http_x_file $request_uri"; }
}
server {
    listen 127.0.0.1:%%PORTfs%%;
    root /;
    iri on; iri_charset EUC-JP Shift_JIS; iri_filename_charset EUC-JP;
}
END
my $fcgi = IRI::Gateway->new('fastcgi');
$conf =~ s/%%FCGI%%/@{[$fcgi->port]}/;
symlink $root, "$tmp/tree" or die "$tmp/tree: $!\n";
my $server = nginx(root => $root, tmp => $tmp, log_level => 'info',
    conf => $conf);

# Status and body of one answer.
sub answer {
    my ($target, %option) = @_;
    my $answer = $server->get($target, %option);
    my $body   = $answer->body;
    $body = '' if $body =~ /<center>/;
    return visible($answer->status . ($body ne '' ? " $body" : ''));
}

# ---- reading ---------------------------------------------------------------

my $here = 'http://localhost:' . $server->port;
for my $name (@forms) {
    my $form = visible($name);
    is answer("/$name.txt"), '200 plain', "static: $form";
    is answer("/$name.html"), '200 page', "html: $form";
    is answer("/$name/"), '200 index', "index: $form";
    is answer("/$name.flv"), '200 FLVdata', "flv: $form";
    is answer("/$name.mp4"), '200 MP4data', "mp4: $form";
    is answer("/brkflv/$name.flv"), '200 FLVdata',
        "flv after rewrite break: $form";
    is answer("/$name.css", headers => ['Accept-Encoding', 'gzip']),
        '200 zipped', "gzip_static: $form";
    like answer("/list/$name/"), qr{<a href="%C6%FC\.txt">}, "autoindex: $form";
    is answer("/one/$name/"), '200 random', "random_index: $form";
    is $server->get("/list/$name?a=b")->header('Location'),
        "$here/list/$utf8/?a=b", "redirect to the directory: $form";
    is answer("/brk/$name.txt"), '200 plain', "rewrite break: $form";
    is answer("/brkfn/$name.txt"),
        visible("200 $root/$disk.txt /$utf8.txt"),
        "\$request_filename for a proxy: $form";
    is answer("/lst/$name.txt"), '200 plain', "rewrite last: $form";
    is answer("/accel/?to=/$name.txt"), '200 plain', "X-Accel-Redirect: $form";
    is answer("/if/$name.txt"), '200 is a file', "if -f: $form";
    is answer("/if/$name.no"), '200 is none', "if -f, absent: $form";
    is answer("/var$name"), visible("200 $root/var$disk $root $root"),
        "variables of nginx: $form";
    is answer("/fcgi/$name.php/more"), visible("200 "
        . "SCRIPT_FILENAME=$root/$disk.php/more\nSCRIPT_NAME=/"
        . raw($utf8) . ".php/more\nDOCUMENT_ROOT=$root\n"
        . "FILE=$root/$disk.php\nINFO=/more\nHTTP_HOST=localhost\n"),
        "FastCGI: $form";
    is answer("/link/$name.txt"), '403', "disable_symlinks: $form";
    is answer("/nolink/$name.txt"), '403', "disable_symlinks, alias: $form";
    is answer("/alias/$name.no"), '404', "alias, absent: $form";
    is answer("/cap/$name.txt"), '200 plain', "alias with captures: $form";
    is answer("/capt/$name.txt"), '200 plain',
        "alias with captures and try_files: $form";
    is answer("/capl/$name"), '200 plain', "alias of text: $form";
    is answer("/rootvar/$name/%C6%FC.txt"), '200 random',
        "root with variables: $form";
    is answer("/rel/$name.txt"), '200 plain', "relative root: $form";
    is answer("$root/$name.txt", port => $server->port('fs')), '200 plain',
        "root /: $form";

    # try_files
    is answer("/$name"), '200 page', "try_files \$uri.html: $form";
    is answer("/$name/%C6%FC.txt"), '200 inner', "try_files \$uri: $form";
    is answer("/tri/$name.txt"), '200 plain', "try_files, alias: $form";
    is answer("/tri/$name"), '200 page', "try_files, alias, suffix: $form";
    is answer("/tname/$name"), visible('200 named /tname/' . raw($utf8)),
        "try_files, named location: $form";
    is answer("/tintern/$name"), visible('200 /show/tintern/' . raw($utf8)
        . ' u=/tintern/' . raw($utf8)), "try_files, other location: $form";
    is answer("/terr/$name"), visible('418 /show/terr/' . raw($utf8) . ' '),
        "try_files, error_page: $form";
    my $none = $server->get("/t404/$name");
    is $none->status, 404, "try_files, status: $form";
    is $none->header('X-Uri'), "/t404/$utf8", "\$iri_uri behind it: $form";
    is $none->header('X-Plain-Uri'), '/t404/' . raw($utf8),
        "\$uri behind it: $form";
}
is answer('/alias/%E6%97%A5.txt'), '200 inner', 'alias';
is answer('/alias/'), '200 index', 'alias, index';
is answer('/cape/%E6%97%A5.txt'), '200 inner', 'text in front of captures';
is answer('/%E8%A1%A8/%E6%97%A5.txt'), '200 inner', 'alias of another name';
is answer('/%C9%BD/index.html'), '404',
    'an alternative reading leads to no other location';
my $made = $server->get("/brkarg/?f=$disk");
is $made->body, 'plain', 'rewrite break with octets of a query';
is $made->header('X-Plain-Uri'), raw("/$utf8.txt"), 'is canonical, too';
is answer('/link/real/%C6%FC.txt'), '200 real', 'disable_symlinks, no link';
is answer('/rel/wide.html'), '200 wide', 'relative root, ASCII';
is answer('/capt/wide.html'), '200 wide', 'captures and try_files, ASCII';
is answer('/rootvar/none'), '404', 'root with variables, ASCII';
is answer('/tri/wide'), '200 wide', 'try_files with alias, ASCII';
is answer('/t404/none'), '404', 'try_files, ASCII, status';
is answer('/tname/none'), '200 named /tname/none', 'named location, ASCII';
is answer('/brk/wide.html'), '200 wide', 'rewrite break, ASCII';
is answer('/var'), "200 $root/var $root $root", 'variables, ASCII';
is answer('/%C9%BD.txt'), '200 further', 'an alternative reading';
is answer('/%E8%A1%A8.txt'), '200 further', 'the first reading';
is answer('/%C9%BD.txt/x'), '404', 'below a file';

is answer("/logged/$utf8"), '200 ok', 'logged';
ok $server->wait_for(sub { slurp("$tmp/logged.log") =~ m{/logged/\Q$utf8} }),
    'access_log with variables';

# ---- writing: the rest in t/dav.t ---------------------------------------------

is answer("/store/$sjis/%93%FA"), "200 up /store/$utf8/%E6%97%A5",
    'proxy_store';
ok $server->wait_for(sub { -f "$root/store/$disk/\xC6\xFC" }),
    'stored in EUC-JP';
is answer("/bstore/$sjis/b%93%FA"), "200 up /store/$utf8/b%E6%97%A5",
    'proxy_store after rewrite break';
ok $server->wait_for(sub { -f "$root/store/$disk/b\xC6\xFC" }),
    'stored in EUC-JP';
is answer('/bstore/plain'), '200 up /store/plain', 'ASCII, the same';
ok $server->wait_for(sub { -f "$root/store/plain" }), 'stored';

# ---- open_file_cache ---------------------------------------------------------

# While a file is in the cache, no other name is looked for.
my ($cached_root) = make_tree([qw(aé.txt=a Aé.txt=A bé.txt=b Cé.txt=C
    1é.txt=one \xEF\xBC\x91\xC3\xA9.txt=wide One/File.txt=first
    two/Name.txt=second)]);
chmod 0777, $cached_root;
my $cached = nginx(root => $cached_root, conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_match width case;
    open_file_cache max=10;
    dav_methods PUT;
    location /off/ { alias %%ROOT%%/; open_file_cache off; }
}
END
is $cached->get("/a$_.txt")->body, 'a', "open_file_cache: a$_"
    for '%C3%A9', 'e%CC%81';
is $cached->get('/B%C3%A9.txt')->body, 'b', 'open_file_cache: case';
is $cached->get($_->[0])->body, $_->[1], "names of each directory: $_->[0]"
    for ['/one/file.txt', 'first'], ['/two/name.txt', 'second'];
unlink "$cached_root/$_\xC3\xA9.txt" for qw(a b);
is $cached->get('/ae%CC%81.txt')->body, 'a', 'removed, but in the cache';
# An index whose build took long is used for ten times as long.
sub is_found {
    my ($path, $body, $name) = @_;
    ok $cached->wait_for(sub { $cached->get($path)->body eq $body }), $name;
}
is_found('/off/ae%CC%81.txt', 'A', 'without a cache');
is $cached->get('/off/b%C3%A9.txt')->status, 404, 'without a cache: absent';

# A request that writes sees the disk.
is $cached->get('/%EF%BC%91%C3%A9.txt')->body, 'wide', 'full width';
unlink "$cached_root/\xEF\xBC\x91\xC3\xA9.txt";
is $cached->get('/%EF%BC%91%C3%A9.txt')->body, 'wide',
    'removed, but in the cache';
is_found('/off/%EF%BC%91%C3%A9.txt', 'one', 'the index is current');
is $cached->request('PUT', '/%EF%BC%91%C3%A9.txt', body => 'new')->status, 204,
    'PUT to the entry on disk';
is slurp("$cached_root/1\xC3\xA9.txt"), 'new', 'its content';

# A file that cannot be opened exists.
spew("$cached_root/c\xC3\xA9.txt", 'c');
chmod 0, "$cached_root/c\xC3\xA9.txt";
is $cached->get('/c%C3%A9.txt')->status, 403, 'not readable';

# A lookup adds nothing to the cache: a client without access must not determine
# what others get.
SKIP: {
    my ($guarded_root) = make_tree("auth/x\tfile\npost/x\tfile\ndeny/x\tfile\nlist/x\tfile\n");
    chmod 0777, glob "$guarded_root/*";
    spew("$guarded_root/auth/$_\xC3\xA9.txt", 'old') for qw(replaced deleted);
    spew("$guarded_root/users", 'u:{PLAIN}p');
    my $guarded = nginx(root => $guarded_root, conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    open_file_cache max=3000;
    open_file_cache_errors on;
    location /auth/ { auth_basic a; auth_basic_user_file %%ROOT%%/users; }
    location /post/ { auth_basic a; auth_basic_user_file %%ROOT%%/users; dav_methods PUT; }
    location /deny/ { deny all; }
    location /list/ { iri_listing on; }
}
END
    my %user = (headers => ['Authorization', 'Basic dTpw']);
    my @paths = ('/auth/created%C3%A9.txt', '/auth/replaced%C3%A9.txt', '/auth/deleted%C3%A9.txt',
        '/post/put%C3%A9.txt');
    is $guarded->get($_)->status, 401, "without a password: $_" for @paths;
    spew("$guarded_root/auth/created\xC3\xA9.txt", 'new');
    spew("$guarded_root/new", 'new');
    rename "$guarded_root/new", "$guarded_root/auth/replaced\xC3\xA9.txt";
    unlink "$guarded_root/auth/deleted\xC3\xA9.txt";
    is $guarded->request('PUT', $paths[3], %user, body => 'new')->status, 201, 'PUT';
    is $guarded->request('GET', $paths[$_], %user)->status . $guarded->request('GET', $paths[$_], %user)->body =~ s/^\s*<.*//sr,
        (qw(200new 200new 404 200new))[$_], "with it: $paths[$_]" for 0 .. 3;

    # A FIFO is opened neither by a lookup nor by a listing: its writer waits.
    for my $where ('deny', 'list') {
        my $fifo = "$guarded_root/$where/fifo\xC3\xA9";
        system 'mkfifo', $fifo;
        my $writer = fork // die;
        if ($writer == 0) {
            open my $out, '>', $fifo or POSIX::_exit(1);
            POSIX::_exit(0);
        }
        select undef, undef, undef, 0.1;
        is $guarded->get("/deny/fifo%C3%A9")->status, 403, 'a FIFO that is denied' if $where eq 'deny';
        is $guarded->get("/list/")->status, 200, 'a FIFO in a listing' if $where eq 'list';
        is waitpid($writer, POSIX::WNOHANG()), 0, "$where: its writer waits";
        kill 'KILL', $writer;
        waitpid $writer, 0;
    }

    # A page of a listing leaves no file open.
    spew("$guarded_root/list/" . sprintf("\xC3\xA9%04d", $_), '') for 1 .. 1500;
    my $open = sub { my @fds = glob '/proc/' . ($guarded->children)[0] . '/fd/*'; return scalar @fds };
    my $before = $open->();
    is $guarded->get('/list/')->status, 200, 'a listing';
    cmp_ok $open->(), '<', $before + 10, 'files that are open then';
}

is_deeply [$server->errors, $cached->errors], [], 'error log';
done_testing;
