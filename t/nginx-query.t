# nginx: iri_query_charset converts the parameters of a query to UTF-8 before
# any rule sees them; rules, variables, upstreams and subrequests see one form.
use IRI::Test 'nginx';
use IRI::Queries qw($so query_cases);

# ---- the directive ----------------------------------------------------------

for my $text ('none', 'Shift_JIS EUC-JP nfc', 'nfc', 'UTF-8', 'none nfc') {
    my ($code, $output) = nginx_t("iri on; iri_query_charset $text;"
        . ' server { listen 127.0.0.1:%%PORT%%; }');
    is $code, 0, "accepted: $text" or diag $output;
}

# ---- one server --------------------------------------------------------------

my ($root) = make_tree([qw(index.html=index dir/a.txt=text 表.txt=table),
    'ssi.html=<!--#include virtual="/say?q=%83%5C" -->|<!--#echo var="args" -->']
    );

my $server = nginx(root => $root, log_level => 'info', conf => octets(<<'END'));
proxy_cache_path %%TMP%%/cache keys_zone=cache:1m;
map $arg_q $seen { default other; "%E3%82%BD" so; }
iri on;
iri_charset Shift_JIS EUC-JP;
iri_query_charset Shift_JIS windows-1252;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    add_header X-Seen $seen;
    if ($args ~ "%E7%A7%98%E5%AF%86") { return 403; }
    location /say {
        return 200 "$args|$iri_query|$request_uri|$arg_q$is_args$query_string";
    }
    location /iri { return 200 $iri; }
    location /set { set $args "q=%83%5C"; return 200 "$args|$iri_query"; }
    location /last { rewrite ^ /say?p=1 last; }
    location /keep { rewrite ^ /say? last; }
    location /error { return 404; error_page 404 /say?q=%83%5C; }
    location /try { try_files /none /say?q=%83%5C&r=$arg_r; }
    location /ssi.html { ssi on; }
    location /up/ { proxy_pass http://127.0.0.1:%%PORTecho%%; }
    location /with/ { proxy_pass http://127.0.0.1:%%PORTecho%%/w/; }
    location /var/ {
        proxy_pass http://127.0.0.1:%%PORTecho%%/v$is_args$args;
    }
    location /cached/ {
        proxy_pass http://127.0.0.1:%%PORTecho%%;
        proxy_cache cache;
        proxy_cache_valid 200 1m;
        add_header X-Cache $upstream_cache_status;
    }
    location /moved/ { alias %%ROOT%%/; iri_redirect 301; }
    location /case/ { alias %%ROOT%%/; iri_match case; }
}
server {
    listen 127.0.0.1:%%PORTnfc%%;
    iri_query_charset none nfc;
    location / { return 200 "$args|$iri_query|$request_uri"; }
}
server {
    listen 127.0.0.1:%%PORTnone%%;
    iri_query_charset none;
    location / { return 200 "$args|$iri_query|$request_uri"; }
}
server {
    listen 127.0.0.1:%%PORToff%%;
    iri off;
    location / { return 200 "$args|$iri_query|$request_uri"; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    iri report;
    location / { return 200 "$args|$iri_query|$request_uri"; }
}
server {
    listen 127.0.0.1:%%PORTecho%%;
    iri off;
    location / { return 200 "$request_uri"; }
}
END

query_cases($server, say => '/say', reported => "q=$so",
    up => { '/up/a' => '/up/a', '/with/a' => '/w/a', '/var/a' => '/v' });

sub answer { return IRI::Queries::answer($server, @_) }
sub said   { return IRI::Queries::said($server, @_) }

is answer('/say?q=%83%5C'), "q=$so|q=$so|/say?q=%83%5C|$so?q=$so",
    '$arg_q, $is_args, $query_string';
is answer('/iri?q=%83%5C'), "http://localhost/iri?q=$so", '$iri';

# ---- queries that nginx changes ---------------------------------------------

is answer('/set?a=%83%5C'), "q=%83%5C|a=$so", 'set $args is the rules\' own';
is said('/last?q=%83%5C'), "p=1&q=$so|q=$so|/last?q=%83%5C", 'rewrite';
is said('/keep?q=%83%5C'), "|q=$so|/keep?q=%83%5C", 'without the query';
is said('/error?q=1'), "q=$so|q=1|/error?q=1", 'error_page with another query';
is said('/try?r=%83%5C'), "q=$so&r=$so|r=$so|/try?r=%83%5C", 'try_files';
like answer('/ssi.html?x=%83%5C'),
    qr{^q=$so\|q=$so\|/ssi\.html\?x=%83%5C\|.*\|x=$so$},
    'a subrequest, and the request itself';

# A request whose query changes is forwarded with nginx's own path.
is answer('/up/a%2Fb//c?q=1'), '/up/a%2Fb//c?q=1',
    'no change: the request as sent';
is answer('/up/a%2Fb?q=%83%5C'), '/up/a%2Fb?q=%83%5C',
    'escapes of the path are kept';
is answer('/up/a//b?q=%83%5C'), '/up/a//b?q=%83%5C',
    'slashes of the path are kept';
is answer('/up/%66%e8%a1%a8?q=%83%5C'), "/up/f%E8%A1%A8?q=$so",
    'needless escapes are removed';
is answer('/up/%E8%A1%A8?q=%83%5C'), "/up/%E8%A1%A8?q=$so", 'path and query';
is answer('/up/%95%5C?q=%83%5C'), "/up/%E8%A1%A8?q=$so", 'both changed';
is answer("/up/\x95\\?q=\x83\\"), "/up/%E8%A1%A8?q=$so", 'both raw';
is answer('/up/%83%41?q=%C3%A9'), '/up/%E3%82%A2?q=%C3%A9', 'the path alone';

is $server->get("/cached/a?q=$_->[0]")->header('X-Cache'), $_->[1],
    "cache: $_->[0]"
    for ['%83%5C', 'MISS'], ['%83\\', 'HIT'], [$so, 'HIT'], ['%83%41', 'MISS'];

my $case = $server->get('/case/INDEX.html?q=%83%5C');
is $case->status . ' ' . $case->header('X-Seen'), '200 so',
    'a restart keeps the query in UTF-8';
done_testing;
