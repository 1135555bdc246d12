# nginx: the canonical path is in r->uri before any rule sees it, for all ways
# in which a path can arrive; and nothing changes if there is none.
use IRI::Test 'nginx';
use IRI::Octets qw(raw visible);

# U+65E5 U+672C in UTF-8, EUC-JP and Shift_JIS, and U+00E9 composed or not.
my $utf8 = '%E6%97%A5%E6%9C%AC';
my $euc  = '%C6%FC%CB%DC';
my $sjis = '%93%FA%96%7B';

my ($root) = make_tree(<<'END');
page.html	file	<!--#include virtual="/sub/\xC6\xFC\xCB\xDC" -->
oops.html	file	oops
\xE6\x97\xA5\xE6\x9C\xAC/index.html	file	front
pass/\xFF\xFE.txt	file	odd
END

my $server = nginx(root => $root, log_level => 'info', conf => octets(<<'END'));
log_format path '$uri';
map $uri $mapped { default no; "~^/map/\xE6\x97\xA5\xE6\x9C\xAC" yes; }
server {
    listen 127.0.0.1:%%PORTup%%;
    location / { return 200 "$request_uri"; }
    location /accel/ {
        add_header X-Accel-Redirect /show/%C6%FC%CB%DC;
        return 200;
    }
    location /judge/ {
        add_header X-Accel-Redirect /server/%C6%FC%CB%DC;
        return 200;
    }
    location /fail/ { return 502; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP Shift_JIS;
    add_header X-Type $sent_http_content_type;
    types { text/plain txt; text/special "\xE6\x97\xA5"; text/html html; }
    error_page 404 @missing;

    # a rule of the server, before any location
    if ($uri = "/server/\xE6\x97\xA5\xE6\x9C\xAC") { return 402; }

    location /show/ { return 200 "$uri"; }
    location ~ "^/regex/(\xE6\x97\xA5)(\xE6\x9C\xAC)$" {
        return 200 "regex $2$1";
    }
    location = "/exact/\xE6\x97\xA5\xE6\x9C\xAC" { return 200 exact; }
    location "/prefix/\xE6\x97\xA5\xE6\x9C\xAC/" { return 200 prefix; }
    location /map/ { return 200 $mapped; }
    location /up/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /base/ { proxy_pass http://127.0.0.1:%%PORTup%%/b/; }
    location /broken/ {
        rewrite ^/broken(.*) /up$1 break;
        proxy_pass http://127.0.0.1:%%PORTup%%;
    }
    location /send/ { rewrite ^/send/(.*) /show/$1 redirect; }
    location /last/ { rewrite ^/last/ /show/$arg_f last; }
    location /break/ { rewrite ^/break/ /show/$arg_f break; }
    location /fallback/ { try_files /nothing @named; }
    location @named { return 200 "named $uri"; }
    location @missing { return 404 "missing $uri"; }
    location /accel/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /judge/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /fail/ {
        proxy_pass http://127.0.0.1:%%PORTup%%;
        proxy_intercept_errors on;
        error_page 502 /show/\xC6\xFC\xCB\xDC;
    }
    location /page.html { ssi on; }
    location /sub/ { return 200 "sub $uri"; }
    location /auth/ {
        auth_request /check/\xC6\xFC\xCB\xDC;
        try_files /oops.html =404;
    }
    location "/check/\xE6\x97\xA5\xE6\x9C\xAC" { return 403; }
    location /check/ { return 204; }
    location /after/ {
        try_files /oops.html =404;
        add_after_body /sub/\xC6\xFC\xCB\xDC;
    }
}
server {
    listen 127.0.0.1:%%PORTnull%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP;
    rewrite ^/(.*)$ /pass/$1 break;
    add_header X-Uri $uri always;
}
server {
    listen 127.0.0.1:%%PORTpass%%;
    root %%ROOT%%/pass;
    iri on;
    iri_charset EUC-JP;
    iri_invalid pass;
}
server {
    listen 127.0.0.1:%%PORToff%%;
    location / { proxy_pass http://127.0.0.1:%%PORTup%%; }
}
END

# Status and body of one answer, octets shown as \xHH.
sub answer {
    my ($target, %option) = @_;
    my $answer = $server->get($target, %option);
    my $body   = $answer->body;
    $body = '' if $body =~ /<center>/;
    return visible($answer->status . ($body ne '' ? " $body" : ''));
}

my $shown = '\xE6\x97\xA5\xE6\x9C\xAC';

# ---- one path for all forms ------------------------------------------------

my %form = (
    'escaped UTF-8' => $utf8, 'raw UTF-8' => raw($utf8),
    'mixed'         => raw('%E6%97%A5') . '%E6%9C%AC',
    'EUC-JP'        => $euc, 'raw EUC-JP' => raw($euc),
    'Shift_JIS'     => $sjis, 'raw Shift_JIS' => raw($sjis),
);
for my $form (sort keys %form) {
    my $name = $form{$form};
    is answer("/show/$name"), "200 /show/$shown", "\$uri: $form";
    is answer("/server/$name"), '402', "a rule of the server: $form";
    is answer("/regex/$name"), '200 regex \xE6\x9C\xAC\xE6\x97\xA5',
        "location by regular expression: $form";
    is answer("/exact/$name"),    '200 exact',  "exact location: $form";
    is answer("/prefix/$name/x"), '200 prefix', "prefix: $form";
    is answer("/map/$name"),      '200 yes',    "map: $form";
    is answer("/up/$name?q=$name"), visible("200 /up/$utf8?q=$name"),
        "upstream gets the escaped canonical path: $form";
    is answer("/base/$name"), "200 /b/$utf8",
        "upstream with a path: $form";
    is answer("/broken/$name"), "200 /up/$utf8",
        "upstream after rewrite break: $form";
    is $server->get("/send/$name")->header('Location'),
        'http://localhost:' . $server->port . "/show/$utf8",
        "rewrite redirect: $form";
}
is answer('/show/e%CC%81'), '200 /show/\xC3\xA9', 'another normalization';
is answer("/show/$euc/$utf8"), "200 /show/$shown/$shown",
    'a charset for each segment';
is $server->get("/show/x.$euc")->header('Content-Type') // '',
    'text/plain', 'no type for another extension';
is $server->get('/show/x.%C6%FC')->header('Content-Type'), 'text/special',
    'the extension is that of the canonical path';

# ---- paths that nginx makes -------------------------------------------------

is answer('/page.html'), "200 sub /sub/$shown", 'SSI include virtual';
is answer('/accel/x'), "200 /show/$shown", 'X-Accel-Redirect';
is answer('/judge/x'), '402', 'X-Accel-Redirect, judged by the server';
is answer('/fail/x'), "502 /show/$shown", 'error_page';
is answer('/auth/x'), '403', 'auth_request';
is answer('/after/x'), "200 oopssub /sub/$shown", 'add_after_body';
is answer('/last/?f=' . raw($euc)), "200 /show/$shown", 'rewrite last';
is answer('/last/?f=' . raw($utf8)), "200 /show/$shown",
    'rewrite last, canonical already';
is answer('/last/?f=' . raw('%FF')), '404 missing /show/\xFF',
    'rewrite last, unreadable';
is answer("/last/?f=$euc"), "200 /show/$euc",
    'percent-encoded text from a query is not unescaped';
is answer("/fallback/$euc"), "200 named /fallback/$shown", 'named location';
is answer("/$utf8/"), '200 front', 'internal redirect to an index file';
is answer('/show/%E2%80%8F'), '200 /show/\xE2\x80\x8F',
    'an escaped bidi character';
is answer('/last/?f=' . raw('%E2%80%8F')), '200 /show/\xE2\x80\x8F',
    'an escaped bidi character after a rewrite';

# ---- refused ---------------------------------------------------------------

is answer('/show/%FF%FE'), '404 missing /show/\xFF\xFE', 'unreadable';
is answer('/show/' . raw('%E2%80%8F')), '404 missing /show/\xE2\x80\x8F',
    'a raw bidi character';
is answer('/show/%E3%82%E3'), '404 missing /show/\xE3\x82\xE3',
    'half a character';
my $long = 'a' x 1021;
like answer("/show/%C3%A9$long"), qr/^200 /, 'a segment at the limit - 1';
like answer("/show/%C3%A9${long}a"), qr/^200 /, 'a segment at the limit';
like answer("/show/%C3%A9${long}aa"), qr/^404 /, 'a segment over the limit';
my $deep = '/a' x 125;
like answer("/show$deep/%C3%A9"), qr/^200 /, 'segments at the limit - 1';
like answer("/show$deep/a/%C3%A9"), qr/^200 /, 'segments at the limit';
like answer("/show$deep/a/a/%C3%A9"), qr/^404 /, 'segments over the limit';
my @over = grep { /iri: .* refused: / && /\[error\]/ } split /\n/,
    $server->settled_log;
is scalar @over, 2, 'one line of level error for each path over a limit';

is answer('/%FF%FE.txt', port => $server->port('pass')), '200 odd',
    'iri_invalid pass: the octets as they came';

# Without a location the server's rewrites run once, as in a stock nginx.
is $server->get($_->[0], port => $server->port('null'))->header('X-Uri'),
    $_->[1], 'rewrites of a server: ' . visible($_->[0])
    for ['/x', '/pass/x'], ["/$euc", '/pass/' . raw($utf8)];

# ---- requests that are not changed ------------------------------------------

for my $target ('/up/a%2Fb', '/up//x//y', '/up/%41', '/up/a+b?c=%20', '/up/./a',
    '/up/a/../b', '/up/%7Euser', '/up/%3F', "/up/$utf8", "/up/%41$utf8",
    "/up//$utf8%2F", '/up/' . lc $utf8)
{
    is answer($target), visible("200 $target"), "upstream as sent: $target";
}
for my $target ('/up/' . raw($utf8), "/up/$euc", '/up/' . raw($euc),
    '/up/%FF')
{
    is answer($target, port => $server->port('off')),
        visible("200 $target"), 'off: as sent: ' . visible($target);
}

done_testing;
