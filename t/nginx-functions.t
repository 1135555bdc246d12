# nginx: iri_convert computes a variable from a function and a text, for maps,
# conditions, headers, redirects, for any text.
use IRI::Test 'nginx';
use IRI::Both qw(function_values);

# ---- one server --------------------------------------------------------------

my ($root) = make_tree(<<'END');
index.html	file	index
END

my $server = nginx(root => $root, log_level => 'info', conf => octets(<<'END'));
large_client_header_buffers 4 200k;
iri on;
iri_host on;
iri_charset Shift_JIS windows-1252;
iri_convert $as_uri     to_uri       $http_x;
iri_convert $as_iri     to_iri       $http_x;
iri_convert $as_nfc     nfc          $http_x;
iri_convert $as_fold    fold         $http_x;
iri_convert $as_utf8    utf8         $http_x;
iri_convert $as_ascii   host_ascii   $http_x;
iri_convert $as_unicode host_unicode $http_x;
iri_convert $key        fold         $iri_path;
iri_convert $new_uri    to_uri       "https://new.example$iri_path?\xE8\xA1\xA8";
iri_convert $fixed      to_uri       "/\xE8\xA1\xA8 1";
iri_convert $path       fold         $uri;
iri_convert $circle     nfc          $circle;
iri_convert $twice      to_iri       $as_uri;
map $key $by_key { default other; "/stra\xC3\x9Fe" never; /strasse found; }
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    location /to_uri { return 200 "$as_uri"; }
    location /to_iri { return 200 "$as_iri"; }
    location /nfc { return 200 "$as_nfc"; }
    location /fold { return 200 "$as_fold"; }
    location /utf8 { return 200 "$as_utf8"; }
    location /host_ascii { return 200 "$as_ascii"; }
    location /host_unicode { return 200 "$as_unicode"; }
    location /twice { return 200 "$twice"; }
    location /fixed { return 200 "$fixed"; }
    location /circle { return 200 "[$circle]"; }
    location /old { return 301 $new_uri; }
    location /if { if ($as_fold = strasse) { return 200 yes; } return 200 no; }
    location /CHANGES {
        set $before $path;
        rewrite ^ /LATER last;
    }
    location /LATER { return 200 "$before $path"; }
    location / { add_header X-Key "$by_key" always; }
    location = /index.html { add_header X-Fixed $fixed; }
}
server {
    listen 127.0.0.1:%%PORToff%%;
    iri off;
    location / { return 200 "[$as_nfc][$fixed]"; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    iri report;
    location / { return 200 "[$as_nfc]"; }
}
END

# The value of a function of nginx for a text, in a header field.
sub converted {
    my ($function, $text, @option) = @_;
    return $server->get("/$function", headers => ['X', $text], @option)
        ->body;
}

for (function_values(),
    ['twice', "/\xE8\xA1\xA8", "/\xE8\xA1\xA8"])
{
    my ($function, $text, $value) = @$_;
    is octets(converted($function, $text)), octets($value),
        $function . ' of ' . escaped($text);
}

is converted('fixed', 'x'), '/%E8%A1%A8%201', 'a text without variables';
is converted('nfc', ''), '', 'an empty text';
is $server->get('/nfc')->body, '', 'an absent header';

# ---- in rules ----------------------------------------------------------------

is $server->get($_)->header('X-Key'), 'found', "map: $_"
    for '/STRASSE', '/stra%C3%9Fe', '/%ef%bd%93TRASSE';
is $server->get('/other')->header('X-Key'), 'other', 'map: another';
is $server->get('/index.html')->header('X-Fixed'), '/%E8%A1%A8%201',
    'a header';
is $server->get("/old$_->[0]")->header('Location'),
    "https://new.example/old$_->[1]?%E8%A1%A8", "a redirect: $_->[0]"
    for ['/%95%5C', '/%E8%A1%A8'], ['%0D%0AX:%20y', '%0D%0AX:%20y'];
is converted('if', "Stra\xC3\x9Fe"), 'yes', 'if';
is converted('if', 'x'), 'no', 'if, another';
is $server->get('/CHANGES')->body, '/changes /later',
    'evaluated again after the path changed';

# ---- hostile -----------------------------------------------------------------

is $server->get('/circle')->body, '[]', 'a variable that depends on itself';
like $server->settled_log, qr/cycle while evaluating variable "circle"/,
    'is a configuration error';

my @lines = $server->settled_log =~ /\[info\].*(iri: nfc .*?), client/g;
is scalar @lines, 1, 'one log line';
like $lines[0], qr/"%E9".*reason=function$/, 'with the text';

for my $text ("\xC3" x 7000, 'a' x 7000, "%E8%A1%A8" x 700,
    "\xCC\x81\xCC\xA7" x 1700, "\xFF\x01\x7F", '%00%0A', "\xE2\x80\x8E",
    "\xE0\xA4\x95" x 2000)
{
    for my $function (qw(to_uri to_iri nfc fold utf8 host_ascii host_unicode))
    {
        my $answer = $server->get("/$function", headers => ['X', $text]);
        like $answer->status, qr/^(?:200|400)$/,
            "$function: " . substr escaped($text), 0, 20;
        unlike $answer->body, qr/[\x00-\x20"<>]/, 'no blank, no control'
            if $function =~ /^to_/;
    }
}

is converted('to_uri', 'a' x 65536), 'a' x 65536, 'the maximal length';
my $before = length $server->settled_log;
is converted('to_uri', 'a' x 65537), '', 'longer';
is converted('fold', "\xC3\x9F" x 50000), '', '100,000 octets';
is scalar(() = substr($server->settled_log, $before)
        =~ /iri: \w+ of "\S{200,600}" \.\.\..*reason=function/g), 2,
    'a short log line for each';

is converted('x', "e\xCC\x81", port => $server->port('off')), '[][]',
    'no value with iri off';
is octets(converted('x', "e\xCC\x81", port => $server->port('report'))),
    octets("[\xC3\xA9]"), 'report: the value';

my @errors = grep { !/cycle while evaluating/ } $server->errors;
is_deeply \@errors, [], 'error log';
done_testing;
