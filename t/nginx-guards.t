# nginx: protection where nginx's own checks do not apply: header fields that
# contain a path, restarted requests, error pages of refused requests.
use IRI::Test 'nginx';
use Encode ();

# ---- a Destination that is shorter than its alias ---------------------------

my ($dav_root) = make_tree("data/a.txt\tfile\tA\n");
chmod 0777, "$dav_root/data" or die;
chmod 0666, "$dav_root/data/a.txt" or die;

my $dav = nginx(root => $dav_root, conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    dav_methods COPY MOVE;
    location /prefix/deep/ {
        alias %%ROOT%%/data/;
        location /prefix/deep/inner/ { }
    }
    location /proxy/ {
        alias %%ROOT%%/data/;
        proxy_pass http://127.0.0.1:%%PORTup%%;
    }
}
server {
    listen 127.0.0.1:%%PORTup%%;
    location / { return 200 $http_destination; }
}
END

# Statuses of COPY and MOVE of a file to a destination.
sub copy_move {
    my ($source, $destination) = @_;
    return join ' ', map { $dav->request($_, $source,
        headers => [Destination => $destination])->status } qw(COPY MOVE);
}

my $file = '/prefix/deep/a.txt';
is copy_move($file, $_), '400 400', "to \"$_\"" for qw(/x /%C3%A9 /e%CC%81
    /prefix/deep /prefix/dee%70 /x?prefix/deep/inner/b.txt
    /%70%72%65%66%69%78%2F%64%65%65%70 http://localhost/x);
is copy_move('/prefix/deep/inner/a.txt', '/x'), '400 400', 'alias inherited';
is copy_move('/proxy/a.txt', '/x'), '200 200', 'not in a proxied location';
is copy_move($file, '/prefix/deep/b.txt'), '204 204', 'below the alias';
is copy_move('/prefix/deep/b.txt', "/prefix/$_"), '400 400',
    "a character across the end of the alias, or another prefix: $_"
    for qw(deep%E3%81%82 dee%E3%81%82 deepx%E3%81%82);
is copy_move('/prefix/deep/b.txt', '/data/#%A4%A2'), '404 404',
    'no reading behind "#", which is a part of this path';
is copy_move('/prefix/deep/b.txt', '/prefix/deep/#e%CC%81'), '204 204',
    'the same in canonical form';
is_deeply [map { s{.*/}{}r } glob "$dav_root/data/*"], ["#\xC3\xA9"],
    'no other entries';

# ---- dot-segments of a subrequest -------------------------------------------

# nginx resolves them in a request-target, not in a path that SSI includes.
my ($included) = make_tree("\\xC3\\xA9/a.txt\tfile\tdenied\n"
    . "a.txt\tfile\tpublic\np.html\tfile\n");
spew("$included/p.html", '[<!--#include virtual="$query_string" -->]');
my $ssi = nginx(root => $included, conf => <<"END");
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    ssi on;
    location /\xC3\xA9/ { return 403; }
}
server {
    listen 127.0.0.1:%%PORTnfc%%;
    root %%ROOT%%;
    iri on;
    iri_filename_form nfc;
    ssi on;
    location /\xC3\xA9/ { return 403; }
}
END
for my $port ($ssi->port, $ssi->port('nfc')) {
    for (qw(/%C3%A9/a.txt /./%C3%A9/a.txt /%C3%A9/./a.txt /%2e/%C3%A9/a.txt
        /x/%2E%2E/%C3%A9/a.txt))
    {
        unlike $ssi->get("/p.html?$_", port => $port)->body, qr/denied/, $_;
    }
}

# ---- a Destination that is another form of an existing name -----------------

for my $charset ('UTF-8', 'EUC-JP') {
    my ($tree) = make_tree("\@charset $charset\n" . <<'END');
up/s	file	source
up/\xE3\x81\x82	file	old
up/\xEF\xBD\x9E	file	old
up/\xE3\x81\x84/a	file	old
END
    chmod 0777, "$tree/up", glob "$tree/up/*" or die;
    my $server = nginx(root => $tree, log_level => 'info', conf => <<"END");
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS EUC-JP;
    iri_filename_charset $charset;
    dav_methods COPY MOVE;
    location /alias/ { alias %%ROOT%%/up/; }
}
END
    my @before = glob "$tree/up/* $tree/up/*/*";
    for my $destination (qw(/up/%A4%A2 /up%2F%A4%A2 /up/%A1%C1 /up/%E3%80%9C
        /alias/%A4%A2 /up/%A4%A4/a), "/up/\xA4\xA2",
        'http://localhost/up/%A4%A2')
    {
        my $source = $destination =~ m{^/alias} ? '/alias/s' : '/up/s';
        is $server->request($_, $source,
            headers => [Destination => $destination])->status, 409,
            "$charset, $_ to " . escaped($destination) for qw(COPY MOVE);
    }
    is_deeply [glob "$tree/up/* $tree/up/*/*"], \@before,
        'no second entry with such a name';
    is $server->request('MOVE', '/up/s',
        headers => [Destination => '/up/%E3%81%82'])->status, 204,
        'the exact name';
    is $server->request('MOVE', '/up/%A4%A2',
        headers => [Destination => '/up/%A4%A6'])->status, 204,
        'a source that starts over, a new name';
}

# ---- a restarted request is handled like a new one --------------------------

# U+3042 and U+3044 in EUC-JP; the first reading has half-width characters.
my ($plain, $secret) = ('/%A4%A2/x.txt', '/%A4%A4/x.txt');

my ($root) = make_tree([qw(あ/x.txt=plain い/x.txt=secret front/あ/x.txt=front)],
    undef, charset => 'EUC-JP');
my ($empty) = make_tree("a.txt\tfile\tA\n");

# Servers in which U+3044 is for internal redirects only.
my %server = (
    named => 'location / { error_page 418 = @app; return 418; }
        location @app { }',
    tried => "location / { root $empty; try_files \$uri \@app; }
        location \@app { }",
    lost  => "location / { root $empty; error_page 404 = \@app; }
        location \@app { }",
    broken => 'location / { rewrite ^(.*)$ $1?x=1 break; }',
    last   => 'location / {
        if ($args = "") { rewrite ^(.*)$ $1?x=1 last; } }',
    made  => 'location / { iri_redirect 301; }
        location /to/ { rewrite ^/to(/.*)$ $1 last; }',
    index => 'location / { }
        location /page/ { error_page 404 /\xA4\xA4/x.txt; return 404; }',
);
my $over = nginx(root => $root, log_level => 'info', conf => octets(
    join '', map { <<"END" } sort keys %server));
server {
    listen 127.0.0.1:%%PORT$_%%;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS EUC-JP;
    iri_filename_charset EUC-JP;
    location "/\\xE3\\x81\\x84/" { internal; }
    $server{$_}
}
END

# Status and body, without nginx's own pages.
sub answer {
    my ($server, $name, $target, %option) = @_;
    my $answer = $server->get($target, port => $server->port($name),
        %option);
    return join ' ', $answer->status, grep { !/</ } $answer->body;
}

for my $name (qw(named tried lost broken last)) {
    is answer($over, $name, $plain), '200 plain', "$name: what is there";
    is answer($over, $name, '/%E3%81%84/x.txt'), '404', "$name: internal";
    is answer($over, $name, $secret), '404', "$name: internal, another form";
}
is answer($over, made => "/to$plain"), '200 plain', 'a rewritten path';
is answer($over, made => '/to/%E3%81%84/x.txt'), '200 secret',
    'a rewritten path may be internal, as in a stock server';
is answer($over, made => "/to$secret"), '200 secret',
    'the same in another form: rules see the canonical path';
is answer($over, index => '/page/'), '404 secret',
    'an internal redirect may use internal locations';

# Changes that rules made for the first reading are undone.
my $undo = nginx(root => $root, log_level => 'info', conf => octets(<<'END'));
server {
    listen 127.0.0.1:%%PORT%%;
    server_name ~^(\w+)$;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS EUC-JP;
    iri_filename_charset EUC-JP;
    set $own server;
    add_header X-State "$args $limit_rate $own $1 $named";
    if ($uri = "/\xEF\xBD\xA4\xEF\xBD\xA2/x.txt") {
        set $args role=wrong;
        set $limit_rate 10k;
        set $own wrong;
    }
    location ~ "^/(?<named>\xEF\xBD\xA4)" { set $own wrong; }
    location /rewritten/ { rewrite ^/rewritten/ /$arg_to/x.txt last; }
    location /at/ { rewrite ^/at(/.*) $1 last; }
    location /front/ { if (!-e $request_filename) { return 409; } }
}
END
for (['/%E3%81%82/x.txt', $plain], ['/at/%E3%81%82/x.txt', "/at$plain"])
{
    my ($wanted, $got) = map { $undo->get($_ . ($_ =~ /\?/ ? '&' : '?')
        . 'role=mine', host => 'name') } @$_;
    is $got->body, 'plain', "$_->[0], another form";
    unlike $got->header('X-State'), qr/wrong|10240/,
        'as if the found name had been sent';
    is $got->header('X-State'), $wanted->header('X-State'),
        'no other effects of rules';
}
is answer($undo, '', "/rewritten/?to=\xE3\x81\x82"), '200 plain',
    'a rewrite to the path in the query';
is answer($undo, '', "/rewritten/?to=\xA4\xA2"), '404',
    'another name that is not in the path sent';
is answer($undo, '', "/front$plain"), '200 front',
    'rules of the first location do not run';
is answer($undo, '', '/front/%A4%A6'), '409', 'rules of the found location run';

# ---- a refused path is not opened for its error page ------------------------

my ($raw_root) = make_tree([qw(\xA4\xA2.txt=raw e\xCC\x81/x.txt=nfd
    あ.txt=named)]);
my $refuse = nginx(root => $raw_root, log_level => 'info',
    conf => octets(join '', map { <<"END" } '', 'pass'));
server {
    listen 127.0.0.1:%%PORT$_%%;
    root %%ROOT%%;
    iri on;
    iri_filename_form nfc;
    iri_invalid @{[$_ || 404]};
    error_page 404 = \@page;
    location \@page {
        set \$file none;
        if (-f \$request_filename) { set \$file one; }
        add_header X-File \$file always;
        if (\$arg_if) { add_header X-If yes; }
    }
    location "/\\xC3\\xA9/" { deny all; }
}
END
for ('', '?if=1') {
    my $page = $refuse->get("/%A4%A2.txt$_");
    is $page->status, 404, "no reading$_";
    is $page->header('X-File'), 'none', 'no test for the file'
        if $_ eq '';
    is $refuse->get("/e%CC%81/x.txt%FF$_")->status, 404,
        "no partial reading$_";
    is answer($refuse, '', "/%E3%81%82.txt$_"), '200 named', "a name$_";
    is answer($refuse, pass => "/%A4%A2.txt$_"), '200 raw',
        "no reading, and none needed$_";
}
is_deeply [$refuse->settled_log =~ /open\(\) "[^"]*[\x80-\xFF].*/g], [],
    'octets without a name are not looked up';

# ---- a variable keeps its length during one evaluation ----------------------

my ($put_root) = make_tree("a.txt\tfile\tA\n");
chmod 0777, $put_root or die;
my $steady = nginx(root => $put_root, log_level => 'debug', conf => <<'END');
map $host $volatile { volatile; default once; }
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    dav_methods PUT;
    set $before "$iri_match $iri_filename $iri_path_info";
    add_header X-Before $before;
    add_header X-After "$iri_match $iri_filename $iri_path_info";
    location /text/ { return 200 "$volatile $request_filename"; }
    location /alias/ { alias %%ROOT%%/b/; return 200 $request_filename; }
}
END
for my $name ('new.txt', '%E3%81%82.txt') {
    my $put = $steady->request('PUT', "/$name", body => 'new');
    is $put->status, 201, "made while it is asked for: $name";
    is $put->header('X-After'), $put->header('X-Before'),
        'the same before and after';
}
for my $name ('a.txt', '%E3%81%82.txt') {
    my $text = octets($name =~ s/%/\\x/gr);
    my $seen = () = $steady->log_text =~ /http map started/g;
    is $steady->get("/text/$name")->body, "once $put_root/text/$text",
        "a file name in a text: $name";
    my $now = () = $steady->log_text =~ /http map started/g;
    is $now - $seen, 1, 'leaves other variables alone' if $now;
    is $steady->get("/alias/$name")->body, "$put_root/b/$text",
        'below an alias';
}

# ---- $request_filename between a rewrite and its new location ---------------

my ($tests) = make_tree("d/b.txt\tfile\tB\nlong/d/b.txt\tfile\tB\n");
my $same = nginx(root => $tests, conf => join '', map { <<"END" } qw(off on));
server {
    listen 127.0.0.1:%%PORT$_%%;
    root %%ROOT%%;
    iri $_;
    set \$empty "";
    rewrite ^/server/(.*) /d/\$1;
    if (-f \$request_filename) { set \$found server; }
    location /d/ { return 200 "\$found d \$request_filename"; }
    location /file/ {
        rewrite ^/file/(.*)\$ /d/\$1;
        if (-f \$request_filename) { return 403; }
        return 200 none;
    }
    location /variable/ {
        root %%ROOT%%\$empty;
        rewrite ^/variable/(.*)\$ /d/\$1;
        if (-f \$request_filename) { return 403; }
        return 200 none;
    }
    location /break/ {
        rewrite ^/break/(.*)\$ /d/\$1 break;
        return 200 \$request_filename;
    }
    location /long/ {
        alias %%ROOT%%/long/;
        rewrite ^/long/(.*)\$ /\$1;
        return 200 "[\$iri_filename|\$iri_path_info|\$iri_match]";
    }
}
END
is answer($same, on => "/long/$_"), '200 [||none]',
    "alias does not stand for a part of /$_" for qw(d/b.txt d/%E3%81%82);
for my $name ('b.txt', 'none.txt') {
    for my $place (qw(d server file variable break)) {
        is answer($same, on => "/$place/$name"),
            answer($same, off => "/$place/$name"), "/$place/$name";
    }
}

# ---- only try_files sees the path on disk ------------------------------------

my ($euc) = make_tree([qw(日.txt=day)], undef, charset => 'EUC-JP');
my $try = nginx(root => $euc, conf => <<'END');
log_format uri $uri;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_filename_charset EUC-JP;
    try_files $uri =404;
    location /status/ {
        try_files $uri =404;
        error_page 404 =302 http://other$uri;
    }
    location /page/ { try_files $uri =404; error_page 404 /as?uri=$uri; }
    location /as { return 200 $args; }
    location /mirror/ {
        mirror /log;
        try_files $uri =404;
        error_page 404 =302 http://other$uri;
    }
    location /log { return 204; }
}
END
my $day = "\xE6\x97\xA5";
is $try->get('/%E6%97%A5.txt')->body, 'day', 'which is there';
is $try->get("/$_/%E6%97%A5")->header('Location'),
    "http://other/$_/%E6%97%A5",
    "$_: an address for what is not" for qw(status mirror);
is answer($try, '', '/page/%E6%97%A5'), "404 uri=/page/$day",
    'arguments of a page';

# ---- the path after try_files under alias with captures ---------------------

my ($left) = make_tree("d/b.txt\tfile\td\nb.txt\tfile\troot\n");
my $down   = free_port();
my $after  = nginx(root => $left, conf => join '', map { <<"END" } qw(off on));
server {
    listen 127.0.0.1:%%PORT$_%%;
    root %%ROOT%%;
    iri $_;
    location ~ ^/re/(.*)\$ {
        alias %%ROOT%%/d;
        try_files /\$1 =404;
        proxy_pass http://127.0.0.1:$down;
        error_page 502 = \@page;
    }
    location \@page { }
}
END
is answer($after, $_ => '/re/b.txt'), '200 root', "a page for an error, iri $_"
    for qw(off on);
# ---- rules judge the Destination ---------------------------------------------

my @PLACES = ('open/a.txt', map { "$_/x" } qw(公開 秘密 internal auth if gone
    proxied limit sub rewritten re up));
my ($places) = make_tree(join '', map { escaped($_) . "\tfile\t-\n" } @PLACES);
system 'chmod', '-R', 'a+rwX', $places;
spew("$places/users", "u:{PLAIN}p\n");
chmod 0644, "$places/users" or die;

my $rules = nginx(root => $places, log_level => 'info', conf => <<'END');
limit_req_zone $binary_remote_addr zone=one:1m rate=1r/m;
map $uri $rated { ~^/limit/ 1; }
limit_req_zone $rated zone=rated:1m rate=1r/m;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS EUC-JP;
    dav_methods PUT DELETE MKCOL COPY MOVE;
    add_header X-Path "$uri $iri_path $1" always;
    error_page 403 @forbidden;
    location @forbidden { return 403 "page"; }
    location "/秘密/" { deny all; }
    location /internal/ { internal; }
    location /auth/ { auth_basic zone; auth_basic_user_file %%ROOT%%/users; }
    location /if/ { if ($uri ~ x) { return 403; } }
    location /gone/ { return 410; }
    location /proxied/ { proxy_pass http://127.0.0.1:%%PORT%%; }
    location /limit/ { limit_req zone=rated; }
    location /sub/ { set $wanted $uri; auth_request /verdict; }
    location = /verdict {
        internal;
        if ($wanted = /sub/yes) { return 204; }
        return 403;
    }
    location /rewritten/ { rewrite ^ /open/other; }
    location /except/ { limit_except GET { deny all; } }
    location ~ \.php$ { deny all; }
    location ~ ^/re/(.*)$ { }
    location /page/ { deny all; error_page 403 = @copy; }
    location @copy { root %%ROOT%%/open; }
    location /alias/ { alias %%ROOT%%/open/; }
    location /alias/秘/ { deny all; }
    location /nested/ {
        location /nested/denied/ { deny all; }
    }
}
END

sub places { return [map { s{^\Q$places\E/}{}r } grep { -f }
    map { glob "$places/$_" } '*', '*/*', '*/.*', '*/*/*'] }

my $before = places();

# In each form, and for each way in which the server receives it.
sub destination_is {
    my ($path, $status, $why) = @_;
    my $octets = octets($path);
    my $text   = Encode::decode('UTF-8', $octets);
    my %form   = map { $_ => 1 } $path,
        map { Encode::encode($_, $text) } qw(UTF-8 cp932 euc-jp);
    for my $form (sort keys %form) {
        my $uri = $form =~ s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ger;
        for my $to ($uri, "http://localhost$uri") {
            for my $method (qw(COPY MOVE)) {
                is $rules->request($method, '/open/a.txt',
                    headers => [Destination => $to])->status, $status,
                    "$method to $to, $why";
            }
        }
    }
    return;
}

destination_is('/秘密/new', 403, 'denied location');
destination_is('/秘密/x', 403, 'denied location, existing file');
destination_is('/internal/new', 404, 'internal');
destination_is('/auth/new', 401, 'without the password');
destination_is('/if/x-new', 403, 'if in a location');
destination_is('/gone/new', 410, 'its return');
destination_is('/proxied/new', 403, 'a proxied location');
destination_is('/sub/no', 403, 'auth_request');
destination_is('/rewritten/new', 403, 'a rewrite to a denied path');
destination_is('/except/new', 403, 'limit_except');
destination_is('/open/あ.php', 403, 'a regular expression location');
destination_is('/page/new', 403, 'error_page of a denied location');
destination_is('/nested/denied/new', 403, 'nested');
destination_is($_, 400,
    'not a valid path for a new entry') for '/open//秘密/new', '//秘密/new',
    '/./秘密/new', '/open/%0Anew', '/open/%7F';
is $rules->request('COPY', '/alias/a.txt', headers => [Destination => $_])
    ->status, 400, "alias stands for what it is: $_"
    for '/other/b.txt', '/ALIAS/b.txt', '/%E7%A7%98%E5%AF%86/b.txt';
is $rules->request('COPY', '/alias/a.txt', headers => [Destination => $_])
    ->status, 403, "below alias: $_"
    for '/alias/%E7%A7%98/b.txt', '/alias/%8A%84/b.txt' =~ s/%8A%84/%94%E9/r;
is_deeply places(), $before, 'no entry was created or removed';

my $login = 'Basic dTpw';
for (['/auth/b', 204, Authorization => $login], ['/sub/yes', 204],
    ["/\xE5\x85\xAC\xE9\x96\x8B/b", 204], ['/%8C%F6%8AJ/b', 204],
    ['/re/b', 204], ['/limit/b', 204], ['/limit/c', 503])
{
    my ($to, $status, @headers) = @$_;
    is $rules->request('COPY', '/open/a.txt',
        headers => [Destination => $to, @headers])->status, $status,
        'COPY to ' . escaped($to);
}
is $rules->request('COPY', '/auth/x', headers => [Destination => '/open/c'])
    ->status, 401, 'access to the source is checked';
is $rules->request('COPY', '/auth/x', headers => [Destination => '/sub/yes'])
    ->status, 401, 'access to the destination does not grant the source';
is $rules->request('COPY', '/sub/x', headers => [Destination => '/sub/yes'])
    ->status, 403, 'nor with auth_request for both';
is slurp("$places/公開/b"), 'open/a.txt', 'content of the copy';
my $answer = $rules->request('MOVE', '/%8C%F6%8AJ/b',
    headers => [Destination => '/open/d']);
is $answer->status, 204, 'MOVE from another form' or diag $rules->log_text;
is $answer->header('X-Path'), '/公開/b /公開/b',
    '$uri is the source after the check';
is slurp("$places/open/d"), 'open/a.txt', 'content after MOVE';

# ---- captures and variables of the source do not apply to the Destination ---

my ($second) = make_tree([qw(up/a up/dir/f 秘密/a〜 files/tf/a files/denied/x tf/a
    mapsec/x need/x same/x areq/x front/x pg/x app named/a)]);
system 'chmod', '-R', 'a+rwX', $second;
chmod 0777, $second or die;

my $copying = nginx(root => $second, log_level => 'info', conf => <<'END');
map $uri $secret { ~^/mapsec/ 1; default 0; }
server {
    listen 127.0.0.1:%%PORT%%;
    server_name ~^(?<name_of>local)host$;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS EUC-JP;
    dav_methods PUT DELETE MKCOL COPY MOVE;
    if ($secret) { return 403; }
    location ~ \.php$ { deny all; }
    location = /config.ini { deny all; }
    location /denied/ { deny all; }
    location "/秘密/" { deny all; }
    location /up/ { set $ok 1; }
    location /need/ { if ($ok != 1) { return 403; } }
    location /tf/ { try_files /nope /files$uri; }
    location /named/ { try_files /nope @files; }
    location @files { root %%ROOT%%/files; }
    location /files/ { alias %%ROOT%%/files/; }
    location /files/denied/ { deny all; }
    location /areq/ { auth_request /verdict; }
    location = /verdict {
        internal;
        if ($request_uri ~ ^/areq/no) { return 403; }
        return 204;
    }
    location /front/ { if (!-e $request_filename) { rewrite ^ /app last; } }
    location = /app { proxy_pass http://127.0.0.1:%%PORTback%%; }
    location /same/ { rewrite ^(.*)$ $1 break; }
    location /pg/ { deny all; error_page 403 = @app; }
    location @app { proxy_pass http://127.0.0.1:%%PORTback%%; }
    location /page/ { deny all; error_page 403 /page.txt; }
    location = /page.txt { return 200 "page of $request_uri $uri\n"; }
}
server {
    listen 127.0.0.1:%%PORTback%%;
    location / { return 200 "$request_method $request_uri"; }
}
END

sub ask {
    my ($source, $to, $status, $why, $method) = @_;
    my $answer = $copying->request($method // 'COPY', $source,
        headers => [Destination => uri_of($to)]);
    is $answer->status, $status, "$source to " . escaped($to) . ": $why";
    return $answer;
}

sub uri_of { $_[0] =~ s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ger }

ask('/up/a', $_, 409, '"/" at the end of a query does not end the path') for
    '/x.php/?a', '/config.ini/?a', '/秘密.php/?a', '/new?/', '/new/';
ask('/up/dir/', $_, 409, 'also for a collection') for '/denied?/', '/new';
ask('/up/dir/', '/denied/', 403, 'denied collection');
ask('/up/a', '/mapsec/b', 403, 'a map of $uri is evaluated again');
ask('/up/a', '/need/b', 403, 'variables set for the source are reset');
ask('/files/tf/a', '/files/denied/t', 403, 'below alias');
ask('/tf/a', '/upxxx/denied/t', 400, 'try_files leads below another alias');
ask('/tf/a', '/files/denied/t', 403, 'rules of the alias apply');
ask('/named/a', '/denied/t', 403, 'a named location');
ask('/up/a', "/秘密/$_～", 403, 'existing or absent') for qw(a b);
ask('/up/a', '/areq/no', 403, '$request_uri is the destination');
ask('/up/a', '/areq/yes', 204, 'auth_request allows it');
ask('/up/a', '/front/new', 403, 'a rewrite to another path');
ask('/up/a', '/same/new', 204, 'a rewrite to the same path');
ask('/up/a', $_, 409, 'an escaped "/" at the end') for
    '/x.php%2F', '/x2.php/%';
is $copying->request('COPY', '/up/a', headers => [Destination => $_])->status,
    400, "a bad escape: $_" for '/%94%E9%96%A7/%zn', '/%E7%A7%98/%';
is ask('/up/a', '/pg/b', 200, 'a page from upstream')->body, 'COPY /up/a',
    'the error page has the source as $request_uri';
is ask('/up/a', '/page/b', 403, 'an error page with another path')->body,
    "page of /up/a /page.txt\n", 'so has an internal error page';
is ask('/up/a', '/tf/b', 204, 'an allowed destination')->status, 204, 'again';
is_deeply [sort map { s{^\Q$second\E/}{}r } grep { -f }
    map { glob "$second/$_" } '*', '*/*', '*/*/*'],
        [sort qw(app areq/x areq/yes front/x mapsec/x
    named/a need/x pg/x same/new same/x tf/a tf/b up/a 秘密/a〜 files/denied/x files/tf/a up/dir/f)],
        'no other entry was created' or diag `find $second -type f`;

done_testing;
