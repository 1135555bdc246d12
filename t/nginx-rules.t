# nginx: its rules judge the canonical path of the file that is opened, also if
# only the file system decides between readings; and iri_redirect.
use IRI::Test 'nginx';
use IRI::Octets qw(raw visible);

# Octets that are two half-width characters in Shift_JIS, and one in EUC-JP:
# U+3042 to U+304A, of which only the latter are names on disk.
my %kana = (
    plain  => ['%A4%A2', '%E3%81%82'], deny => ['%A4%A4', '%E3%81%84'],
    inner  => ['%A4%A6', '%E3%81%86'], server => ['%A4%A8', '%E3%81%88'],
    mapped => ['%A4%AA', '%E3%81%8A'], half => ['%A4%AB', '%E3%81%8B'],
);

# U+65E5 in UTF-8, EUC-JP and Shift_JIS.
my @sun = ('%E6%97%A5', '%C6%FC', '%93%FA', map { raw($_) } '%E6%97%A5',
    '%C6%FC', '%93%FA');

my ($root) = make_tree([qw(日/x.txt=secret 日.php=source あ/x.txt=plain
    い/x.txt=secret う/x.txt=secret え/x.txt=secret お/x.txt=secret あ.txt=top
    \xE3\x80\x9C/x.txt=wave 表.txt=table keep/あ/x.txt=kept keep/again.txt=again
    a\x20b%?\xE6\x97\xA5=delimiters put/\xE3\x80\x9C.txt=old
    \xE3\x80\x9C.txt=wave first/\xEF\xBD\xA4\xEF\xBD\xA2.txt=first
    first/あ.txt=second),
    'ssi.html=<!--#include virtual="/%A4%A2/x.txt" -->|<!--#include virtual="/keep/%A4%A2/x.txt" -->'],
    undef, charset => 'EUC-JP');
chmod 0777, "$root/put" or die;

my $server = nginx(root => $root, log_level => 'info', conf => octets(<<'END'));
limit_req_zone $uri zone=limit:1m rate=1r/m;
map $uri $denied { default 0; "~^/\xE3\x81\x8A/" 1; }
map $uri $kept { default other; "~^/\xE3\x81\x82" kana; }
server {
    listen 127.0.0.1:%%PORTup%%;
    location / { add_header X-Accel-Redirect $arg_to; return 200; }
    location ~ ^/accel/at(/.*) { add_header X-Accel-Redirect $1; return 200; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name ~^(?<sub>\w+)$;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS EUC-JP;
    iri_filename_charset EUC-JP;
    default_type text/plain;
    add_header X-Form "$iri_form $iri_charset $iri_match";
    add_header X-Sub $sub;
    add_header X-Uri $uri;

    if ($uri ~ "^/\xE3\x81\x88/") { return 402; }
    if ($denied) { return 402; }

    location "/\xE6\x97\xA5/" { deny all; }
    location ~ "^/\xE6\x97\xA5\.php$" { return 200 "not the source"; }
    location "/\xE3\x81\x84/" { deny all; }
    location "/\xE3\x81\x86/" { internal; }
    location "/\xEF\xBD\x9E/" { add_header X-Wave $uri; }
    location "/\xE3\x81\x82/" { add_header X-Kept "$kept $sub"; }
    # the path of the first reading
    location "/\xEF\xBD\xA4" { add_header X-Wrong yes always; }
    location /limit/ { limit_req zone=limit; return 200; }
    location /limited/ { limit_req zone=limit; try_files /ssi.html =404; }
    location /ssi.html { ssi on; }
    location /keep/ { set $x $kept; add_header X-Set $x; }
    location /accel/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /ok/ { rewrite ^/ok(/.*) $1 last; }
    location /proxy/ { proxy_pass http://127.0.0.1:%%PORTecho%%; }
    location /again/ {
        recursive_error_pages on;
        error_page 404 @again;
    }
    location @again { try_files /keep/again.txt =404; }
    location /put/ { dav_methods PUT; client_body_temp_path %%TMP%%/body; }
    location ~ ^/cap/(.*)$ { alias %%ROOT%%/$1; }
    location /redirect/ { alias %%ROOT%%/; iri_redirect 308; }
}
server {
    listen 127.0.0.1:%%PORTecho%%;
    location / { return 200 "$request_uri"; }
}
END

# Status and body of one answer.
sub answer {
    my ($target, %option) = @_;
    my $answer = $server->get($target, %option);
    my $body   = $answer->body;
    $body = '' if $body =~ /<center>/;
    return visible($answer->status . ($body ne '' ? " $body" : ''));
}

# ---- rules of locations, for each form -------------------------------------

for my $name (@sun) {
    my $form = visible($name);
    is answer("/$name/x.txt"), '403', "denied: $form";
    is answer("/ok/$name/x.txt"), '403', "denied after rewrite: $form";
    is answer("/$name.php"), '200 not the source', "handled: $form";
}
is answer('/limit/%E6%97%A5'), '200', 'return precedes limits';
is answer("/limited/$sun[0]"), '200 ' . visible(slurp("$root/ssi.html")),
    'limited, the first';
is answer("/limited/$_"), '503', 'limited: ' . visible($_)
    for @sun[1 .. 5];

# ---- found by an alternative reading ---------------------------------------

my ($legacy_name, $found) = @{ $kana{plain} };
my $moved = $server->get("/$legacy_name/x.txt", host => 'name');
is $moved->status . ' ' . $moved->body, '200 plain', 'found';
is $moved->header('X-Wrong'), undef, 'in the location of the found name';
is $moved->header('X-Kept'), 'kana name',
    'maps use the found name; captures of server_name are kept';
is answer("/$legacy_name.txt"), '200 top', 'found, a file';
my $top = $server->get("/$legacy_name.txt", host => 'name');
is visible($top->header('X-Uri')), visible(raw("/$found.txt")),
    '$uri is the found name';
is $top->header('X-Form'), 'legacy EUC-JP charset', 'variables of the request';
is $server->get('/%C9%BD.txt')->header('X-Form'), 'legacy EUC-JP charset',
    'octets that are also UTF-8';
is $top->header('X-Sub'), 'name', 'captures of the server name';
is answer("/$kana{deny}[0]/x.txt"), '403', 'the found name is denied';
is answer("/$kana{inner}[0]/x.txt"), '404', 'the found name is internal';
is answer("/$kana{inner}[1]/x.txt"), '404',
    'an internal location as in a stock server';
is answer("/$kana{server}[0]/x.txt"), '402',
    'rules of the server apply to the found name';
is answer("/$kana{mapped}[0]/x.txt"), '402',
    'denied by a map of the found name';
is answer("/$kana{half}[0]/x.txt"), '404', 'absent in every reading';
is answer("/ok/$kana{deny}[0]/x.txt"), '403',
    'after a rewrite the location of the found name applies';
is answer("/accel/at/$kana{plain}[0]/x.txt"), '200 plain',
    'X-Accel-Redirect, found';
is answer("/accel/at/$kana{deny}[0]/x.txt"), '403',
    'X-Accel-Redirect, denied';
is answer("/accel/at/$kana{inner}[0]/x.txt"), '200 secret',
    'X-Accel-Redirect to an internal location';
is answer("/accel/?to=/$kana{plain}[$_]/x.txt"), ('404', '200 plain')[$_],
    'X-Accel-Redirect to a path that the client did not send' for 0, 1;
is answer('/ssi.html'), '200 plain|kept', 'SSI include virtual';
is $server->get("/keep/$kana{plain}[0]/x.txt")->body, 'kept',
    'set runs again after a restart';
is answer("/proxy/$kana{plain}[0]/x.txt"),
    '200 /proxy/%EF%BD%A4%EF%BD%A2/x.txt',
    'an upstream gets the first reading if none exists';
is answer('/first/%A4%A2.txt'), '200 first',
    'the first reading if both exist';
is answer('/first/%E3%81%82.txt'), '200 second',
    'the other reading by its UTF-8';

is answer('/again/%F0%9F%98%80'), '404 again',
    'an error page for a name that no entry can have';
is answer('/again/%FF'), '404', 'one for what has no reading is the server\'s';

# ---- variants --------------------------------------------------------------

is $server->get('/%E3%80%9C/x.txt')->header('X-Wave'),
    raw('/%EF%BD%9E/x.txt'), 'a variant: the location of the found name';
is $server->get('/%E3%80%9C.txt')->header('X-Form'),
    'escaped UTF-8 variants', '$iri_match of a variant';
is $server->request('PUT', '/put/%E3%80%9C.txt', body => 'new')->status, 204,
    'PUT writes the existing entry';
is slurp("$root/put/\xA1\xC1.txt"), 'new', 'PUT replaces its content';
is answer('/cap/%E3%80%9C/x.txt'), '404',
    'a variant with captures cannot restart';
is answer('/cap/%EF%BD%9E/x.txt'), '200 wave', 'the exact name is served';

my @log = grep { /\[(?:error|crit)\]/ && !/No such file|forbidden|limiting/ }
    split /\n/, $server->log_text;
is_deeply \@log, [], 'no other line of level error';

# ---- iri_redirect ----------------------------------------------------------

my $other = nginx(root => $root, log_level => 'info', conf => octets(<<'END'));
server {
    listen 127.0.0.1:%%PORTup%%;
    location / { return 200 answered; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS EUC-JP;
    iri_filename_charset EUC-JP;
    iri_redirect 301;
    location "/\xE6\x97\xA5/" { deny all; }
    location "/\xE3\x81\x84/" { deny all; }
    location /rel/ { alias %%ROOT%%/; absolute_redirect off; }
    location /from/ { rewrite ^/from(/.*) /to$1 last; }
    location /page/ { return 404; error_page 404 /%A4; }
    location /front/ { try_files $uri /controller; }
    location /named/ { try_files $uri @controller; }
    location /tried/ { try_files $uri $uri/ =404; }
    location /off-front/ { iri_redirect off; try_files $uri /controller; }
    location = /controller { iri_redirect off; proxy_pass http://127.0.0.1:%%PORTup%%; }
    location @controller { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /last/ { rewrite ^ /app/controller last; }
    location /gone/ { rewrite ^ /nosuch last; }
    location /public/ { rewrite ^/public(/.*) $1 last; }
    location ~ ^/single/ { alias %%ROOT%%/ssi.html; ssi off; }
    location /app/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /raw/ { proxy_pass http://127.0.0.1:%%PORTup%%$request_uri; }
    location /denied/ { deny all; error_page 403 = @controller; }
}
END
my $here = 'http://localhost:' . $other->port;

# Status and Location; each form: t/cases/redirect.tsv.
sub status_and_location {
    my ($method, $target) = @_;
    my $answer = $other->request($method, $target);
    return join ' ', $answer->status, $answer->header('Location') // ();
}

is status_and_location('GET', "/$kana{deny}[0]/x.txt"), 403,
    'no redirect to a denied name';
is status_and_location('GET', '/%C6%FC/x.txt'), 403,
    'no redirect of another form of a denied name';
is status_and_location('GET', '/rel/%C6%FC.php'), '301 /rel/%E6%97%A5.php',
    'absolute_redirect off';
is status_and_location('GET', '/from/%C6%FC?x'), 404,
    'no redirect of a rewritten path';
is status_and_location('GET', '/first%2F%A4%A2.txt'),
    "301 $here/first%2F%EF%BD%A4%EF%BD%A2.txt",
    'an escaped slash is not unescaped';

is status_and_location('GET', '/./keep//again.txt'), 200,
    'other segments are not redirected';
is status_and_location('GET', '//keep/ag%61in.txt'), "301 $here/keep/again.txt",
    'never //';
is status_and_location('GET', '/kee%70'), "301 $here/keep/",
    'a directory in one redirect';

# ---- where only an application can decide -----------------------------------
# Forms of a path are redirected, an alternative reading of it is not.
for ('/front/', '/named/', '/last/', '/app/', '/raw/') {
    is status_and_location('GET', "${_}e%CC%81?a=%e9"),
        "301 $here${_}%C3%A9?a=%e9",
        "$_: NFD";
    is status_and_location('GET', "$_\xC3\xA9"), "301 $here${_}%C3%A9",
        "$_: raw";
    is status_and_location('GET', "${_}%c3%a9%2f%21"),
        "301 $here${_}%C3%A9%2F%21",
        "$_: lower case";
    is status_and_location('GET', "${_}%61"), "301 $here${_}a",
        "$_: a needless escape";
    is status_and_location('GET', "$_%A4%A2"), 200, "$_: a legacy path";
    is status_and_location('GET', "${_}%C3%A9"), 200, "$_: canonical";
    is status_and_location('GET', "${_}a%2Fb"), 200, "$_: ASCII";
    is status_and_location('GET', "${_}a//e%CC%81"), 200, "$_: other segments"
        if /app|raw/;
    is status_and_location('POST', "${_}e%CC%81"), 200, "$_: POST";
}
is status_and_location('GET', '/single/e%CC%81'), "301 $here/single/%C3%A9",
    'one file for all paths: redirected';
is status_and_location('GET', '/single/%A4%A2'), 200,
    'one file for all paths does not confirm a reading';
is status_and_location('GET', '/tried/e%CC%81'), 404, 'try_files with a status';
is status_and_location('GET', '/tried/%C6%FC.php'), 404,
    'try_files with a status, legacy path';
is status_and_location('GET', '/off-front/e%CC%81'), 200,
    'iri_redirect off in the location of the name';
is status_and_location('GET', '/gone/e%CC%81'), 404,
    'a rewrite to an absent file';
is status_and_location('GET', '/public/%C6%FC.php'), 200,
    'a legacy path after a rewrite';
is status_and_location('GET', '/denied/e%CC%81'), 200, 'an error page';

# ---- the location of a path that nginx rewrote ------------------------------
my ($made_root) = make_tree("\\xC3\\xA9/x.txt\tfile\tdenied\n");
my $made = nginx(root => $made_root, conf => <<"END");
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    rewrite ^/nfd\$ "/e\xCC\x81/x.txt";
    location / { }
    location /\xC3\xA9/ { deny all; }
}
END
is $made->get('/%C3%A9/x.txt')->status, 403, 'denied';
is $made->get('/nfd')->status, 403, 'a rewrite to NFD of the denied path';

# ---- a rule of the perl module that asks for the file -----------------------
my ($perl) = grep { -e } IRI::Nginx::module_dir() . '/ngx_http_perl_module.so';
SKIP: {
    skip "nginx's perl module is not installed", 3 if !$perl;
    my ($tree) = make_tree("cafe\\xCC\\x81.txt\tfile\tpublic\n"
        . "nai\\xCC\\x88f.txt\tfile\tdenied\n"
        . "nai\\xCC\\x88f.txt.private\tfile\t\n");
    my $asked = nginx(root => $tree, modules => [$perl], conf => <<'END');
perl_set $private 'sub { return -e $_[0]->filename . ".private" ? 1 : 0 }';
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    location / {
        if ($private) { return 403; }
    }
    location /in/ {
        alias %%ROOT%%/;
        set $hidden '';
        if ($request_method = GET) { set $hidden $private; }
        if ($hidden) { return 403; }
    }
}
END
    is $asked->get('/caf%C3%A9.txt')->status, 200, 'perl: public';
    is $asked->get('/na%C3%AFf.txt')->status, 403, 'perl: denied';
    is $asked->get('/in/na%C3%AFf.txt')->status, 403, 'perl: denied in "if"';
}

done_testing;
