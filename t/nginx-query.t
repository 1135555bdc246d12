# nginx: iri_query_charset converts the parameters of a query to UTF-8 before
# any rule sees them; rules, variables, upstreams and subrequests see one form.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Both qw(visible);
use IRI::Test;
use Test::More;

plan skip_all => missing('nginx') if missing('nginx');

# ---- the directive ----------------------------------------------------------

for (['iri_query_charset;', qr/number of arg/],
    ['iri_query_charset klingon;',
        qr/"iri_query_charset" directive "klingon" is not a known charset/],
    ['iri_query_charset nfc sjis;',
        qr/"iri_query_charset" directive takes "nfc" once, after the/],
    ['iri_query_charset none sjis;', qr/cannot combine "none" with charsets/],
    ['iri_query_charset sjis; iri_query_charset none;', qr/is duplicate/],
    ['server { location / { iri_query_charset sjis; } }',
        qr/"iri_query_charset" directive is not allowed here/])
{
    my ($text, $message) = @$_;
    my ($code, $output) =
        nginx_t("iri on; $text server { listen 127.0.0.1:%%PORT%%; }");
    isnt $code, 0, "rejected: $text";
    like $output, $message, "message: $text";
}
for my $text ('none', 'Shift_JIS EUC-JP nfc', 'nfc', 'UTF-8', 'none nfc') {
    my ($code, $output) = nginx_t("iri on; iri_query_charset $text;"
        . ' server { listen 127.0.0.1:%%PORT%%; }');
    is $code, 0, "accepted: $text" or diag $output;
}

# ---- one server --------------------------------------------------------------

my ($root) = make_tree(<<'END');
index.html	file	index
dir/a.txt	file	text
ssi.html	file	<!--#include virtual="/say?q=%83%5C" -->|<!--#echo var="args" -->
\xE8\xA1\xA8.txt	file	table
END

my $server = nginx(root => $root, log_level => 'info', conf => octets(<<'END'));
proxy_cache_path %%TMP%%/cache keys_zone=cache:1m;
map $arg_q $mapped { default other; "%E3%82%BD" so; }
iri on;
iri_charset Shift_JIS EUC-JP;
iri_query_charset Shift_JIS windows-1252;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    add_header X-Map $mapped;
    if ($args ~ "%E7%A7%98%E5%AF%86") { return 403; }
    location /say {
        return 200 "$args|$arg_q|$query_string|$is_args|$iri_query|$request_uri";
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
    location / { return 200 "$args|$iri_query"; }
}
server {
    listen 127.0.0.1:%%PORTnone%%;
    iri_query_charset none;
    location / { return 200 "$args|$iri_query"; }
}
server {
    listen 127.0.0.1:%%PORToff%%;
    iri off;
    location / { return 200 "$args|$iri_query"; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    iri report;
    location / { return 200 "$args|$iri_query"; }
}
server {
    listen 127.0.0.1:%%PORTecho%%;
    iri off;
    location / { return 200 "$request_uri"; }
}
END

sub answer {
    my ($target, %option) = @_;
    return visible($server->get($target, %option)->body);
}

my $so = '%E3%82%BD';    # U+30BD, whose second octet in Shift_JIS is "\"
for my $form ('%83%5C', '%83%5c', '%83\\', "\x83\\", $so) {
    my $shown = visible($form);
    is answer("/say?q=$form&r=%26a+"),
        "q=$so&r=%26a+|$so|q=$so&r=%26a+|?|q=$so&r=%26a+|/say?q=$shown&r=%26a+",
        "one form: $shown";
    is $server->get("/index.html?q=$form")->header('X-Map'), 'so',
        "in a map: $shown";
    is answer("/up/a?q=$form"), "/up/a?q=$so", "upstream: $shown";
    is answer("/with/a?q=$form"), "/w/a?q=$so", "upstream with a path: $shown";
    is answer("/var/a?q=$form"), "/v?q=$so", "upstream by a variable: $shown";
}
is $server->get('/say?q=' . $_)->status, 403, "rules of the server: $_"
    for '%94%E9%96%A7', '%E7%A7%98%E5%AF%86', "\x94\xE9\x96\xA7", '%94%e9%96%a7';

is answer('/say?a=%C3%A9&b=%E9=%e9&%E9&&%2b'),
    "a=%C3%A9&b=%C3%A9=%C3%A9&%C3%A9&&%2b||"
    . "a=%C3%A9&b=%C3%A9=%C3%A9&%C3%A9&&%2b|?|"
    . "a=%C3%A9&b=%C3%A9=%C3%A9&%C3%A9&&%2b|/say?a=%C3%A9&b=%E9=%e9&%E9&&%2b",
    'UTF-8 is unchanged, other parameters are converted';
is answer('/say?a=%83&b=%81'), 'a=%83&b=%81||a=%83&b=%81|?|a=%83&b=%81|'
    . '/say?a=%83&b=%81', 'octets invalid in all charsets stay';
is answer('/say'), '||||' . '|/say', 'no query';
is answer('/say?'), '||||' . '|/say?', 'an empty query';
is answer('/say?a'), 'a||a|?|a|/say?a', 'an ASCII query';
is answer('/iri?q=%83%5C'), "http://localhost/iri?q=$so", '$iri';

# ---- queries that nginx changes ---------------------------------------------

is answer('/set?a=%83%5C'), "q=%83%5C|a=$so", 'set $args is the rules\' own';
is answer('/last?q=%83%5C'),
    "p=1&q=$so|$so|p=1&q=$so|?|q=$so|/last?q=%83%5C", 'rewrite';
is answer('/keep?q=%83%5C'), "||||q=$so|/keep?q=%83%5C", 'without the query';
is answer('/error?q=1'), "q=$so|$so|q=$so|?|q=1|/error?q=1",
    'error_page with another query';
is answer('/try?r=%83%5C'),
    "q=$so&r=$so|$so|q=$so&r=$so|?|r=$so|/try?r=%83%5C", 'try_files';
is answer('/ssi.html?x=%83%5C'),
    "q=$so|$so|q=$so|?|q=$so|/ssi.html?x=%83%5C|x=$so",
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

my $moved = $server->get('/moved/%95%5C.txt?q=%83%5C&r=%2B');
is $moved->status . ' ' . $moved->header('Location'),
    '301 http://localhost:' . $server->port
    . '/moved/%E8%A1%A8.txt?q=%83%5C&r=%2B',
    'iri_redirect: query unchanged';
my $case = $server->get('/case/INDEX.html?q=%83%5C');
is $case->status . ' ' . $case->header('X-Map'), '200 so',
    'a restart keeps the query in UTF-8';
is $server->get('/dir?q=%83%5C')->header('Location'),
    'http://localhost:' . $server->port . "/dir/?q=$so",
    'the server\'s own redirect';

# ---- other servers -------------------------------------------------------------

sub queries_at { my ($port, $query) = @_;
    return answer("/?$query", port => $server->port($port)) }

is queries_at(nfc => 'a=e%CC%81&b=%c3%a9&c==%CC%B8'),
    'a=%C3%A9&b=%c3%a9&c==%CC%B8|a=%C3%A9&b=%c3%a9&c==%CC%B8', 'NFC';
is queries_at(nfc => 'a=%83%5C&b=e%CC%81'),
    'a=%83%5C&b=e%CC%81|a=%83%5C&b=e%CC%81',
        'a path that is not UTF-8 is unchanged';
is queries_at(none => 'q=%83%5C'), 'q=%83%5C|q=%83%5C', 'none';
is queries_at(off => 'q=%83%5C'), 'q=%83%5C|', 'off';
is queries_at(report => 'q=%83%5C'), "q=%83%5C|q=$so", 'report: no change';
is queries_at(report => 'q=%83&r=%81'), 'q=%83&r=%81|q=%83&r=%81', 'no change';
is queries_at(report => 'q=%E3%82%BD'), 'q=%E3%82%BD|q=%E3%82%BD', 'no change';
my @lines = $server->settled_log =~ /(iri: report: .*query.*?), client/g;
is_deeply \@lines, [
    "iri: report: would make the query \"q=$so\": charset \"Shift_JIS\", was"
        . " read in another charset, reason=query-read",
    'iri: report: would leave the query "q=%83&r=%81": charset "", has'
        . ' parameters that no single charset decodes, reason=query-unreadable',
], 'report: the log line';

# ---- hostile --------------------------------------------------------------------

for my $count (909, 911) {
    my ($all) = split /\|/, answer('/say?q=' . '%83%5C' x $count);
    is $all, 'q=' . ($count < 910 ? $so : '%83%5C') x $count,
        "$count characters: " . ($count < 910 ? 'read' : 'too long');
}
for my $query ('%00%0A%0D=%83%5C%0A', '%', '%8', '&&&==%E9', '#%83',
    "\xFF" x 100, '%u3042=%E9')
{
    my $answer = $server->get("/say?$query");
    is $answer->status, 200, 'answered: ' . visible($query);
    my ($before) = split /\|/, $answer->body, 2;
    my ($sent) = $query =~ /^([^#]*)/;
    is $before =~ tr/&//, $sent =~ tr/&//,
        'the number of parameters is the same';
    unlike $before, qr/[\x00-\x20]/, 'no controls';
}

is_deeply [$server->errors], [], 'error log';
done_testing;
