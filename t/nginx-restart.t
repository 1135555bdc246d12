# nginx: a request restarts with the URL that the client sent, in which the
# names of the entry that was found replace those sent.  Rules judge that URL;
# no change that they made before survives; and an entry that no restart can
# reach is not served.
use IRI::Test 'nginx';

my ($root) = make_tree([qw(public/admin/a.txt=secret
    public/\xE3\x80\x9C\xE5\x86\x85\xE9\x83\xA8/a.txt=secret
    public/Новый/New.txt=new public/Ok/File.txt=fine Data/Files.txt=secret
    www/priv/Secret.txt=secret s/sub/File1.txt=one s/sub/sub/File1.txt=wrong
    q/Page.html=page
    caf\xC3\xA9/img/\xEF\xBD\x9E\xE5\x86\x85\xE9\x83\xA8.txt=inside
    inside/File.txt=internal index.php=index.php APP/Name.txt=app
    try/File.txt=tried up/File.txt=up dav/Name.txt=dav dav/app/secret/old=old
    err/Gone.html=gone mirrored/File.txt=mirrored auth/ok=ok set/File.txt=set
    deep/one/File.txt=deep shut/File.txt=shut TOP.txt=top
    exists/File.txt=exists), 'README.md=read me',
    'public/readme.md=public readme', 'dav/app/Name.txt=dav app']);
chmod 0777, "$root/dav", "$root/dav/app" or die;
my $tmp = temp_dir();
chmod 0777, $tmp or die;

my $conf = <<'END';
default_type text/plain;
add_header X-Uri "$uri -$args" always;

# Two differences in one path: one restart is enough for both.
server {
    listen 127.0.0.1:%%PORTtwo%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    location /Data/ {
        if ($request_filename ~ /Data/) { return 403; }
        iri_match spelling;
    }
}

# R1: the usual "everything into public"; the public directory must not be
# requested by clients.
server {
    listen 127.0.0.1:%%PORTpublic%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    location /admin/ { return 403; }
    location /public/ { if ($request_uri ~ ^/public/) { return 403; } }
    location / { rewrite ^/(.*)$ /public/$1 last; }
}
# The same by the variants of a Japanese charset, and an inner location.
server {
    listen 127.0.0.1:%%PORTvariants%%;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS;
    location "/〜内部/" { return 403; }
    location /public/ { internal; }
    location / { rewrite ^/(.*)$ /public/$1 last; }
}
# R1 and R3, with "break".
server {
    listen 127.0.0.1:%%PORTbreak%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    location /admin/ { return 403; }
    location /public/Новый/ { rewrite ^/(.*)$ /public/$1 break; }
    location / { rewrite ^/(.*)$ /public/$1 break; }
}
# R3: a location that is denied and rewrites.
server {
    listen 127.0.0.1:%%PORTdenied%%;
    root %%ROOT%%;
    iri on;
    iri_match width;
    location ~ ^/Data/ {
        deny all; rewrite ^/Data/(.*)$ /$1 break; root %%ROOT%%/Data/;
    }
    location / {
        if (!-e $request_filename) { rewrite ^ /index.php last; }
    }
    location = /index.php { return 200 "app $request_uri"; }
}
server {
    listen 127.0.0.1:%%PORTbasic%%;
    root %%ROOT%%;
    iri on;
    iri_match width;
    location ~ ^/Data/ {
        auth_basic x; auth_basic_user_file %%TMP%%/users;
        rewrite ^/Data/(.*)$ /$1 break; root %%ROOT%%/Data/;
    }
    location / { try_files $uri $uri/ /index.php?u=$uri; }
    location = /index.php { return 200 "app $args"; }
}
server {
    listen 127.0.0.1:%%PORTfold%%;
    root %%ROOT%%;
    iri on;
    iri_match width case;
    location /private/ {
        deny all; rewrite ^/private/(.*)$ /$1 break; root %%ROOT%%/www/priv;
    }
    location /s/ { rewrite ^/s/(.*)$ /s/sub/$1 break; }
    location /p/ {
        set $mark "$mark+";
        rewrite ^/p/(\d+)/(.*)$ /q/$2?id=$1 last;
    }
    location /q/ { add_header X-Query "$mark $args $1"; }
    location /to/ { rewrite ^/to/(.*)$ /inside/$1 last; }
    location /inside/ { internal; }
    location /flags/ {
        rewrite ^/flags/redirect/(.*)$ /other/$1 redirect;
        rewrite ^/flags/permanent/(.*)$ /other/$1 permanent;
        rewrite ^/flags/(.*)$ /deep/$1;
        rewrite ^/deep/(.*)$ /deep/one/$1 break;
    }
    location /status/ {
        alias %%ROOT%%/deep/one/;
        if (-f $request_filename) { return 402; }
        return 404;
    }
    location /text/ {
        alias %%ROOT%%/deep/one/;
        if (-f $request_filename) { return 200 "exists $uri"; }
        return 200 "absent $uri";
    }
    location /text/File.txt { deny all; alias %%ROOT%%/deep/one/File.txt; }
    location /chain/ {
        if (-f $request_filename) { break; }
        rewrite ^/chain/(.*)$ /deep/one/$1 last;
    }
    location /named/ { error_page 418 = @named; return 418; }
    location @named { rewrite ^/named/(.*)$ /deep/one/$1 break; }
    location /set/ {
        set $n "$n+"; set $args "$args&s=1"; set $limit_rate 100k;
        add_header X-Set "$n $args $limit_rate";
    }
    location /shut/ { deny all; error_page 403 = @login; }
    location /v/ {
        rewrite ^/v/(.*)$ /$1 break;
        deny all;
        error_page 403 = @login;
    }
    location @login { return 302 "/login?$uri:$iri_path:$iri_uri:$args"; }
    location /fixed/ { rewrite ^ /deep/one/FILE.txt break; }
    location /fixed2/ { rewrite ^ /deep/one/FILE.txt last; }
    location /mirror/ {
        mirror /mirrored/FILE.TXT; alias %%ROOT%%/deep/one/;
    }
    location /auth/ { auth_request /check/OK; alias %%ROOT%%/deep/one/; }
    location /check/ { rewrite ^/check/(.*)$ /auth/$1 break; }
    location /err/ { error_page 404 /ERR/GONE.HTML; }
    location /tried/ {
        root %%TMP%%;
        try_files $uri /deep$uri;
    }
    location /deep/tried/ { alias %%ROOT%%/deep/one/; }
    location /dav/ {
        dav_methods PUT DELETE COPY MOVE;
        client_body_temp_path %%TMP%%/body;
        rewrite ^/dav/(.*)$ /dav/app/$1 break;
    }
    location /dav/secret/ { deny all; }
}
server {
    listen 127.0.0.1:%%PORTserver%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    rewrite_log on;
    set $seen "$seen+";
    if (!-e $request_filename) { rewrite ^ /index.php?q=$uri; }
    location / { add_header X-Seen $seen; }
    location /APP/ { deny all; }
    location = /index.php { return 200 "app $args"; }
}
# R3: a charset alone is enough.
server {
    listen 127.0.0.1:%%PORTcharset%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP Shift_JIS;
    location ^~ /café/ { rewrite ^/café/(.*)$ /café/img/$1 break; }
}
# An application behind the rules.
server {
    listen 127.0.0.1:%%PORTup%%;
    location ^~ /y/SECRET { return 403; }
    location ~ ^/y/(.*)$ { add_header X-Accel-Redirect /up/$1; return 200; }
    location / { return 404; }
}
server {
    listen 127.0.0.1:%%PORTapp%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    location / { proxy_pass http://127.0.0.1:%%PORTup%%;
        proxy_intercept_errors on; error_page 404 = @static; }
    location @static { root %%ROOT%%/up; }
    location /up/ { internal; }
    location /y/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
}
END
utf8::upgrade($conf);
spew("$tmp/users", "user:{PLAIN}word\n");
my $server = nginx(root => $root, tmp => $tmp, conf => $conf,
    log_level => 'info');

# Status and body of one response, without nginx's own pages.
sub answer {
    my ($name, $target, %option) = @_;
    my $method = delete $option{method} // 'GET';
    my $answer = $server->request($method, $target,
        port => $server->port($name), %option);
    return join ' ', $answer->status, grep { length && !/</ } $answer->body;
}

sub field {
    my ($name, $target, $field) = @_;
    return $server->get($target, port => $server->port($name))
        ->header($field);
}

# ---- R1: a rule on the public URL, and a rewrite behind it -------------------

is answer(public => '/admin/a.txt'), '403', 'public: denied';
is answer(public => '/Admin/a.txt'), '403',
    'public: denied under another name, too';
is answer(public => '/ADMIN/A.TXT'), '403', 'public: both names';
is answer(public => '/Admin/none'), '403', 'public: absent';
is answer(public => '/public/admin/a.txt'), '403', 'public: the inner name';
is answer(public => '/OK/file.TXT'), '200 fine', 'public: found';
is field(public => '/OK/file.TXT', 'X-Uri'), '/public/Ok/File.txt -',
    'public: by the real name';
my ($wave, $inner) = ('%E3%80%9C', '%E5%86%85%E9%83%A8');
is answer(variants => "/$wave$inner/a.txt"), '403', 'variants: denied';
is answer(variants => "/%EF%BD%9E$inner/a.txt"), '403',
    'variants: the other spelling';
is answer(variants => '/Ok/File.txt'), '200 fine', 'variants: internal';
is answer(break => '/admin/a.txt'), '403', 'break: denied';
is answer(break => '/Admin/a.txt'), '403',
    'break: denied under another name, too';

# ---- paths that nginx finds alone are not changed ---------------------------

is answer(break => '/readme.md'), '200 public readme',
    'the rewritten path is looked up, not the one before';
is answer(break => '/ReadMe.md'), '200 public readme',
    'a similar name of the rewritten path';
is answer(break => '/%D0%9D%D0%BE%D0%B2%D1%8B%D0%B9/New.txt'), '200 new',
    'a name in the target directory';
is answer(break => '/%D0%BD%D0%BE%D0%B2%D1%8B%D0%B9/New.txt'), '200 new',
    'no cycle if the inner name has a location';

# ---- R3: a location that is denied and rewrites with "break" -----------------

my $wide = join '', map { $_ eq '.' ? '%EF%BC%8E'
    : sprintf '%%EF%%BD%%%02X', 0x81 + ord($_) - ord 'a' } split //, 'iles.txt';
$wide = "%EF%BC%A6$wide";    # "Files.txt", full width
is answer(denied => '/Data/Files.txt'), '403', 'denied';
is answer(denied => "/Data/$wide"), '403', 'denied, full width';
is answer(denied => '/Data/none'), '403', 'denied, absent';
is answer(denied => '/Data/%EF%BC%A6'), '403', 'denied, absent, full width';
is answer(denied => '/none'), '200 app /none', 'an application';
is answer(denied => "/Data2/$wide"), "200 app /Data2/$wide",
    'the application for other paths';
is answer(basic => '/Data/Files.txt'), '401', 'a password';
is answer(basic => "/Data/$wide"), '401', 'a password, full width';
is answer(fold => '/private/Secret.txt'), '403', 'denied, in another root';
is answer(fold => '/private/SECRET.TXT'), '403', 'an existing name';
is answer(fold => '/private/NOSUCH.TXT'), '403', 'an absent name';
is answer(two => "/DATA/$_.txt"), '403', "a second difference: $_"
    for qw(Files Filex Nosuch);
is answer(fold => '/s/File1.txt'), '200 one', 'rewritten once';
is answer(fold => '/s/FILE1.TXT'), '200 one', 'also under another name';
is answer(fold => '/p/7/Page.html'), '200 page', 'rewrite last';
is answer(fold => '/p/7/PAGE.HTML'), '200 page', 'by another name';
is field(fold => '/p/7/PAGE.HTML', 'X-Query'),
    field(fold => '/p/7/Page.html', 'X-Query'),
    'arguments, variables and captures are kept';
like field(fold => '/p/7/PAGE.HTML', 'X-Query'), qr/^\+ id=7/, 'these';
is answer(fold => '/to/File.txt'), '200 internal',
    'a rewrite to an internal location';
is answer(fold => '/to/FILE.TXT'), '200 internal', 'by another name';
is answer(fold => '/inside/FILE.TXT'), '404', 'clients cannot request it';
is answer(charset => '/caf%C3%A9/%EF%BD%9E%E5%86%85%E9%83%A8.txt'),
    '200 inside', 'rewritten once, a charset';
is answer(charset => '/caf%C3%A9/%E3%80%9C%E5%86%85%E9%83%A8.txt'),
    '200 inside', 'the same with a variant';

# ---- all flags, and other directives that change the path -------------------

is answer(fold => '/flags/File.txt'), '200 deep',
    'rewrite without a flag, then break';
is answer(fold => '/flags/FILE.TXT'), '200 deep', 'by another name';
for my $flag (qw(redirect permanent)) {
    my $status = $flag eq 'redirect' ? 302 : 301;
    my $answer = $server->get("/flags/$flag/FILE.TXT",
        port => $server->port('fold'));
    is $answer->status, $status, $flag;
    like $answer->header('Location'), qr{/other/FILE\.TXT$},
        'a path without a lookup';
}
is answer(fold => '/status/FILE.TXT'), answer(fold => '/status/File.txt'),
    'a status of a rule that tests for the file';
is answer(fold => '/status/none'), '404', 'the file is absent';
is answer(fold => '/text/none'), '200 absent /text/none', 'a text, absent';
is answer(fold => '/text/FILE.TXT'), '403',
    'a text is sent after the rules of the found name';
for (['403', 0, ''], ['404', 9, ''], ['404', 9, 'begin']) {
    my ($status, $length, $body) = @$_;
    my $socket = IRI::Server::answers($server->port('fold'));
    print $socket "POST /text/FILE.TXT HTTP/1.1\r\nHost: localhost\r\n"
        . "Content-Length: $length\r\n\r\n$body";
    sysread $socket, my $response, 4096;
    like $response, qr{^HTTP/1\.1 $status },
        "POST, '$body' of a body of $length octets";
}
is answer(fold => '/chain/FILE.TXT'), '200 deep', 'rewrite if no file exists';
is answer(fold => '/named/FILE.TXT'), '200 deep', 'a named location';
is answer(fold => '/set/FILE.TXT?a=1'), '200 set', 'set';
is field(fold => '/set/FILE.TXT?a=1', 'X-Set'), '+ a=1&s=1 102400',
    'set once';
is answer(fold => "/$_/x"), '404', "$_: near to what the client did not send"
    for qw(fixed fixed2);
for my $name ('/shut/FILE.TXT', '/shut/NONE.TXT') {
    like field(fold => $name, 'Location'), qr{/login\?$name:$name:$name:$},
        "a page for what is denied tells no name: $name";
}
for my $name ('/shut/FILE.TXT', '/shut/NONE.TXT') {
    like field(fold => "/v$name", 'Location'),
        qr{/login\?$name:$name:/v$name:$},
        "a rewritten path discloses no name: $name";
}
is answer(fold => '/mirror/FILE.TXT'), '200 deep', 'mirror';
is answer(fold => '/auth/FILE.TXT'), '200 deep', 'auth_request';
is answer(fold => '/err/none'), '404 gone', 'error_page: another path';
is answer(fold => '/tried/FILE.TXT'), '200 deep', 'the last of try_files';

# ---- rules of the server -----------------------------------------------------

is answer(server => '/top.TXT'), '200 top', 'if in the server';
is field(server => '/top.TXT', 'X-Seen'), '+', 'set once';
is answer(server => '/none'), '200 app q=/none', 'absent';
is answer(server => '/App/NAME.txt'), '403', 'the location of the found name';

# ---- an application between --------------------------------------------------

is answer(app => '/FILE.TXT'), '200 up',
    'an error page for a 404 of an upstream';
is answer(app => '/FILE.TXT', method => 'POST', body => 'x'), '404',
    'no restart for an unsafe method';
is answer(app => '/y/FILE.TXT'), '200 up', 'X-Accel-Redirect';
is answer(app => '/y/SECRET'), '403', 'X-Accel-Redirect, denied';

# ---- WebDAV --------------------------------------------------------------------

my %put = (method => 'PUT', body => 'new');
is answer(fold => '/dav/%EF%BC%A1.txt', %put), '201', 'PUT';
is answer(fold => '/dav/%EF%BC%AEame.txt', %put), '204', 'PUT, full width';
is slurp("$root/dav/app/Name.txt"), 'new', 'PUT replaces the existing entry';
is answer(fold => '/dav/secret/new', %put), '403', 'PUT, denied';
is answer(fold => '/dav/%EF%BD%93ecret/new', %put), '403',
    'PUT, denied, full width';
is answer(fold => '/dav/%EF%BC%AEame.txt', method => 'COPY', headers =>
    [Destination => '/dav/%EF%BD%93ecret/new']), '403',
    'COPY between directories';

done_testing;
