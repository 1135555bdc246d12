# nginx: each candidate of try_files is a canonical path, which is looked up
# like that of a request; no variable contains the octets of a name on disk.
use IRI::Test 'nginx';

# U+00E9 in windows-1252, in NFD, and in NFC.
my ($root) = make_tree([qw(legacy/public/café.txt=legacy legacy/é.txt=top
    legacy/cache/x.html=cached), 'legacy/public/é/index.html=legacy index'],
    undef, charset => 'windows-1252');
my ($utf8) = make_tree([qw(public/cafe\xCC\x81.txt=nfd
    public/Near/Name.txt=near public/two.txt=two public/Three.txt=near
    public2/three.txt=exact second/Three.txt=near
    public2/second/three.txt=exact both/File.txt=first both2/FILE.txt=second
    page/café/Secret.txt=secret static.html=static),
    'public/e\xCC\x81/index.html=nfd index']);

my $conf = <<'END';
default_type text/plain;
server {
    listen 127.0.0.1:%%PORTlegacy%%;
    root %%ROOT%%/legacy;
    iri on;
    iri_charset windows-1252;
    iri_filename_charset windows-1252;
    location / { try_files "/public$uri" "/public$uri/" @fb; }
    location @fb { return 200 "fb $uri $args"; }
    location /s3/ { try_files $uri /fb?a=$uri&b=$uri; }
    location /args/ { try_files $uri /fb?$args&b=$uri; }
    location /fb { return 200 "fb $args"; }
    location ~ "^/(?<part>public|none)/(?<rest>.*)$" {
        try_files "/$part/$rest" =404;
    }
    location /alias/ { alias %%ROOT%%/legacy/public/; try_files $uri /fb?$uri; }
    location /cache/ { try_files $uri.html $uri /fb?$uri; }
    location /status/ { try_files $uri =402; }
    location /named/ { try_files /é.txt /fb?; }
}
server {
    listen 127.0.0.1:%%PORTutf8%%;
    root %%ROOTutf8%%;
    iri on;
    iri_match case;
    location / { try_files "/public$uri" "/public$uri/" "/public2$uri" @fb; }
    location /second/ { try_files $uri "/public2$uri" =404; }
    location @fb { return 200 "fb $uri"; }
    location /public/ { }
    location /file.txt { try_files /both$uri /both2$uri @fb; }
    location /File.txt { deny all; }
    location /near/ { try_files "/public$uri" =404; }
    location /Near/ { add_header X-Near $uri; try_files "/public$uri" =404; }
    location /café/ { try_files "/page$uri" @fb; }
    location /café/Secret { deny all; }
    location /fixed { rewrite ^ /STATIC.html break; try_files $uri @fb; }
    location /var/ { set $site public; root %%ROOTutf8%%/$site;
        rewrite ^/var(/.*) $1 break; try_files $uri /none; }
}
server {
    listen 127.0.0.1:%%PORToff%%;
    root %%ROOTutf8%%;
    location / { try_files "/public$uri" /fb?$uri; }
    location /fb { return 200 "fb $args"; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOTutf8%%;
    iri report;
    location / { try_files "/public$uri" /fb?$uri; }
    location /fb { return 200 "fb $args"; }
}
END
$conf =~ s/%%ROOTutf8%%/$utf8/g;
my $server = nginx(root => $root, conf => $conf, log_level => 'info');

sub answer {
    my ($name, $target) = @_;
    my $answer = $server->get($target, port => $server->port($name));
    return join ' ', $answer->status, grep { length && !/</ } $answer->body;
}

# ---- stored in a legacy charset, and in NFD ----------------------------------

for my $form ('%C3%A9', 'e%CC%81', "\xC3\xA9") {
    is answer(legacy => "/caf$form.txt"), '200 legacy', 'a legacy name';
    is answer(legacy => "/$form/"), '200 legacy index', 'a directory';
    is answer(legacy => "/public/caf$form.txt"), '200 legacy', 'captures';
    is answer(legacy => "/alias/caf$form.txt"), '200 legacy', 'alias';
    is answer(utf8 => "/caf$form.txt"), '200 nfd', 'a name in NFD';
    is answer(utf8 => "/$form/"), '200 nfd index', 'a directory';
}
is answer(legacy => '/caf%E9.txt'), '200 legacy',
    'a request in a legacy charset';
is answer(legacy => '/cache/x'), '200 cached', 'text after $uri';
is answer(legacy => '/named/x'), '200 top',
    'a name written in the configuration';
is answer(utf8 => '/var/caf%C3%A9.txt'), '200 nfd', 'variables in root';

# ---- no octets of the disk ---------------------------------------------------

is answer(legacy => '/none%C3%A9?x=1'), "200 fb /none\xC3\xA9 x=1", 'a name';
is answer(legacy => '/s3/%C3%A9.txt'),
    "200 fb a=/s3/\xC3\xA9.txt&b=/s3/\xC3\xA9.txt",
        'a name in arguments, twice';
is answer(legacy => '/args/%C3%A9.txt?a=/args/%E9.txt'),
    "200 fb a=/args/%E9.txt&b=/args/\xC3\xA9.txt",
    'arguments of the client stay';
is answer(legacy => '/alias/%C3%A9.none'),
    '200 fb /alias/' . "\xC3\xA9.none", 'an alias';
is answer(legacy => '/status/%C3%A9'), '402', 'a status';

# ---- similar names ----------------------------------------------------------

is answer(utf8 => '/NEAR/NAME.txt'), '200 near',
    'a candidate with a similar name';
is answer(utf8 => '/near/NAME.txt'), '200 near',
    'in the location of the found name';
is $server->get('/near/NAME.txt', port => $server->port('utf8'))
    ->header('X-Near'), '/public/Near/Name.txt', 'and by its rules';
is answer(utf8 => '/second/three.txt'), '200 exact',
    'an exact later candidate precedes a similar first one';
is answer(utf8 => '/second/THREE.txt'), '200 near',
    'the first similar candidate';
is answer(utf8 => '/three.txt'), '200 exact',
    'similar names only if no candidate is exact';
is answer(utf8 => '/THREE.txt'), '200 near',
    'the first similar candidate of all';
is answer(utf8 => '/file.txt'), '403', 'a similar candidate that is denied';
is answer(utf8 => '/caf%C3%A9/SECRET.txt'), '403',
    'a denied path below a candidate';
is answer(utf8 => '/caf%C3%A9/Secret.txt'), '403', 'the same by its exact name';
is answer(utf8 => '/fixed'), '200 fb /STATIC.html',
    'no similar name for a rewritten path: the fallback';
is answer(utf8 => '/nothing'), '200 fb /nothing', 'absent';

# ---- nginx's own -------------------------------------------------------------

is answer(off => '/two.txt'), '200 two', 'off: found';
is answer(off => '/caf%C3%A9.txt'), "200 fb /caf\xC3\xA9.txt", 'off: not found';
is answer(report => '/two.txt'), '200 two', 'report: found';
is answer(report => '/caf%C3%A9.txt'), "200 fb /caf\xC3\xA9.txt",
    'report: not found';

ok $server->reload, 'reload';
is answer(utf8 => '/cafe%CC%81.txt'), '200 nfd', 'the same after a reload';
my ($code, $output) = nginx_t('server { listen 127.0.0.1:%%PORT%%; iri on;'
    . ' try_files $uri =1000; }');
like $output, qr/invalid code "=1000"/,
    "an invalid status is rejected as by nginx";
($code, $output) = nginx_t('server { listen 127.0.0.1:%%PORT%%; iri on;'
    . ' try_files a b; try_files a b; }');
like $output, qr/"try_files" directive is duplicate/, 'twice';

# ---- an endless loop: try_files leads to itself ------------------------------

my ($loop_root) = make_tree("\\xC9\\xBD\tfile\tC\n");
my $loop = nginx(root => $loop_root, conf => <<"END");
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_filename_charset EUC-JP;
    location / {
        add_header X-Path \$uri always;
        try_files /none /\xE8\xA1\xA8;
    }
}
END
my $looped = $loop->get('/%E8%A1%A8');
is $looped->status, 500, 'an endless loop';
is $looped->header('X-Path'), "/\xE8\xA1\xA8",
    'header fields show the canonical path, not the name on disk';

# ---- a named location after "rewrite ... break" ------------------------------

# proxy_pass replaces the prefix of a location, if no rule has changed the path.
my $broken = nginx(conf => <<'END', root => $loop_root);
proxy_set_header Host upstream;
server {
    listen 127.0.0.1:%%PORT%%;
    server_name upstream;
    return 200 $request_uri;
}
server {
    listen 127.0.0.1:%%PORT%% default_server;
    root %%ROOT%%;
    iri on;
    location / { rewrite ^/(.*)$ /public/$1 last; }
    location /public/ { proxy_pass http://127.0.0.1:%%PORT%%/up/; }
    location /try/ {
        rewrite ^/try/(.*)$ /public/$1 break;
        try_files $uri @page;
    }
    location /error/ {
        rewrite ^/error/(.*)$ /public/$1 break;
        error_page 404 = @page;
    }
    location /later/ {
        rewrite ^/later/(.*)$ /public/$1 break;
        error_page 404 /other;
    }
    location = /other { try_files /none @other; }
    location @other { rewrite ^ /index.php last; }
    location @page { rewrite ^ /index.php last; }
}
END
for my $name ('a.txt', '%C3%A9.txt') {
    is $broken->get("/public/$name")->body, "/up/$name", "proxied: $name";
    is $broken->get("/$_/$name")->body, '/public/index.php',
        "the path as without the module, after $_: $name"
        for qw(try error);
    is $broken->get("/later/$name")->body, '/up/index.php',
        "an error page with a path of its own: $name";
}

# ---- the script under root and the flags of a request ------------------------

# The script is an alias with captures for nginx, which tests flags there.
my ($flags_root) = make_tree([qw(é.txt=found a.txt=ascii dir/é.txt=inner
    geheim/x=x)]);
my $flags = nginx(conf => <<'END', root => $flags_root);
default_type text/plain;
map $host $empty { default ""; }
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    add_header X-File $request_filename always;
    location /break { rewrite ^ /a.txt break; try_files /none /é.txt =404; }
    location /back {
        rewrite ^ /a.txt break;
        try_files /ü.txt =404;
        proxy_pass http://127.0.0.1:%%PORTup%%;
    }
    location ~ ^/captured/(.*)$ {
        alias %%ROOT%%/$1;
        try_files /é.txt =404;
        error_page 405 =200 @named;
    }
    location @named {
        root %%ROOT%%$empty;
        set $file $request_filename;
        return 200 $file;
    }
}
server {
    listen 127.0.0.1:%%PORTnear%%;
    root %%ROOT%%;
    iri on;
    iri_match spelling;
    add_header X-File $request_filename always;
    location /geheim/ { alias %%ROOT%%/; iri_match exact; deny all; }
}
server { listen 127.0.0.1:%%PORTup%%; return 200 up; }
END
is $flags->get('/break')->body, 'found',
    'a candidate that needs a lookup, after "rewrite ... break"';
my $back = $flags->get('/back');
is $back->status, 404, 'a path that needs no lookup, after a candidate';
is $back->header('X-File'), $flags->root . '/a.txt', '... has a file name';
is $flags->request('POST', '/captured/dir')->body,
    $flags->root . "/\xC3\xA9.txt",
    'a named location, after an alias with captures';
my $short = $flags->get('/gehim/', port => $flags->port('near'));
is $short->status, 403, 'a denied path, shorter as sent than alias replaces';
like $short->header('X-File'), qr{^/refused-}, '... has no file';

is_deeply [map { $_->errors } $server, $loop, $broken, $flags], [],
    'error log';
done_testing;
