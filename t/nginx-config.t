# nginx: directives, their defaults, inheritance, and the errors of `nginx -t`.
use IRI::Test 'nginx';

# ---- invalid values: one line with the directive, the valid words, the wrong
# one, and the position

my @bad = (
    ['iri yes;', '"iri" "on" "off" "report" "yes"'],
    ['iri;', '"iri"'],
    ['iri on; iri off;', '"iri"'],
    ['iri_invalid 500;', '"404" "400" "pass" "500"'],
    ['iri_charset klingon;', '"klingon" "Shift_JIS" "EUC-KR" "windows-1251"'],
    ['iri_charset sjis Shift_JIS;', '"Shift_JIS"'],
    ['iri_charset;', '"iri_charset"'],
    ['iri_charset EUC-JP; iri_charset none;', '"iri_charset"'],
    ['iri_charset $http_x sjis;', '"iri_charset"'],
    ['iri_charset sjis $http_x;', '"iri_charset"'],
    ['iri_charset $http_x; iri_charset sjis;', '"iri_charset"'],
    ['iri_host yes;', '"on" "off" "strict" "yes"'],
    ['iri_filename_charset none;', '"none" "UTF-8"'],
    ['iri_filename_charset klingon;', '"klingon" "Shift_JIS" "EUC-KR" "windows-1251"'],
    ['iri_filename_charset $http_x;', '"$http_x" "Shift_JIS" "EUC-KR" "windows-1251"'],
    ['iri_filename_form nfkc;', '"any" "nfc" "nfd" "nfkc"'],
    ['iri_match loose;', '"spelling" "loose"'],
    ['iri_match width cas accents;', '"spelling" "cas"'],
    ['iri_match exact variants;', '"exact"'],
    ['iri_match exact case;', '"exact"'],
    ['iri_repair utf8;', '"off" "double-encoding" "mojibake" "%u" "invisible" "trailing" "plus" "utf8"'],
    ['iri_repair mojibake utf8;', '"utf8"'],
    ['iri_repair off utf8;', '"utf8"'],
    ['iri_repair off %u;', '"off"'],
    ['iri_redirect 300;', '"308" "link" "300"'],
    ['iri_redirect on;',
        '"301" "302" "303" "307" "308" "link" "off" "on"'],
    ['iri_ambiguous 200;', '"404" "300" "200"'],
    ['iri_ambiguous;', '"iri_ambiguous"'],
    ['iri_cache 1t;', '"16m" "1t"'],
    ['iri_cache 1k;', '"16m" "1k"'],
    ['iri_cache 5000m;', '"16m" "5000m"'],
    ['iri_cache 1m pool;', '"threads=NAME"'],
    ['iri_cache off threads=x;', '"threads=NAME"'],
    ['iri_cache 1m; iri_cache 2m;', '"iri_cache"'],
    ['iri_convert $x nfc;', '"iri_convert"'],
    ['iri_convert $x nfcc $uri;',
        '"disposition" "encode:CHARSET" "nfcc"'],
    ['iri_convert $x encode:klingon $uri;', '"klingon" "Shift_JIS"'
        . ' "EUC-KR" "windows-1251" "encode:klingon"'],
    ['iri_convert $x encode: $uri;', '"encode:CHARSET" "encode:"'],
    ['iri_convert x nfc $uri;', '"$name" "x"'],
    ['iri_convert $ nfc $uri;', '"$name" "$"'],
    ['iri_convert $x nfc a; iri_convert $X fold a;', '"iri_convert"'],
    ['iri_query_charset;', '"iri_query_charset"'],
    ['iri_query_charset klingon;', '"klingon" "Shift_JIS" "EUC-KR" "windows-1251"'],
    ['iri_query_charset nfc sjis;', '"nfc"'],
    ['iri_query_charset none sjis;', '"none"'],
    ['iri_query_charset sjis; iri_query_charset none;',
        '"iri_query_charset"'],
    ['iri_advertise maybe;', '"iri_advertise" "on" "off"'],
    ['iri_listing maybe;', '"iri_listing" "on" "off"'],
    ['server { location / { iri_status on; } }', '"iri_status"'],
    ['server { location / { iri_status; iri_status; } }', '"iri_status"'],
    # contexts
    ['server { iri_convert $x nfc a; }', '"iri_convert"'],
    ['iri_status;', '"iri_status"'],
    map { ["server { location / { $_; } }", '"' . s/ .*//r . '"'] } 'iri on',
    'iri_charset sjis', 'iri_invalid 400', 'iri_cache 1m', 'iri_host on',
    'iri_query_charset sjis', 'iri_advertise on',
);

# Charsets in which octets below 80 are not ASCII.
push @bad, map { ["iri_charset $_;", qq{"$_"}],
    ["iri_filename_charset $_;", qq{"$_"}] } qw(ISO-2022-JP UTF-16LE);

for my $case (@bad) {
    my ($text, $words) = @$case;
    my ($directive) = $text =~ /(iri\w*)/;
    my ($code, $output) =
        nginx_t("$text\nserver { listen 127.0.0.1:%%PORT%%; }");
    my @lines = grep { /\[emerg\]/ } split /\n/, $output;
    isnt $code, 0, "rejected: $text";
    is scalar @lines, 1, "one line: $text";
    like quoted($lines[0] // ''), qr/\Q$words\E$/, "words: $text";
    like $lines[0] // '',
        qr/"$directive" directive.* in \S+:\d+$/,
        "position: $text";
}

# Names that nginx itself looks up.
for my $case (['iri_convert $x nfc $nowhere;', '"nowhere"'],
    ['iri_convert $uri nfc x;', '"uri"'],
    ['iri_charset $nowhere;', '"nowhere"'],
    ['iri_cache 1m threads=unknown;', '"unknown"'])
{
    my ($text, $words) = @$case;
    my ($code, $output) =
        nginx_t("iri on; $text server { listen 127.0.0.1:%%PORT%%; }");
    isnt $code, 0, "rejected: $text";
    like quoted($output), qr/$words/, "words: $text";
}

# ---- valid values produce no message ----------------------------------------

my @good = (
    'iri off;', 'iri on;', 'iri report;', 'iri ON;',
    'iri on; iri_charset none;',
    'iri on; iri_charset EUC-JP sjis windows-1251 utf-8;',
    'iri on; iri_filename_charset UTF-8 EUC-JP;',
    'iri on; iri_match normalization variants;',
    (map { "iri on; iri_filename_form $_;" } qw(any nfc nfd)),
    (map { "iri on; iri_invalid $_;" } qw(404 400 pass)),
    (map { "iri on; iri_redirect $_;" } qw(off 301 302 303 307 308)),
);
for my $text (@good) {
    my ($code, $output) =
        nginx_t("$text\nserver { listen 127.0.0.1:%%PORT%%; }");
    is $code, 0, "accepted: $text";
    unlike $output, qr/\[(?!notice)[a-z]+\]/, "no message: $text";
}

# ---- contexts of the directives ---------------------------------------------

for my $text ('iri_filename_charset sjis', 'iri_filename_form nfd',
    'iri_match exact', 'iri_repair %u mojibake', 'iri_redirect 301')
{
    my ($code, $output) = nginx_t("$text;\nserver { listen 127.0.0.1:%%PORT%%; "
        . "$text; location / { $text; } }");
    is $code, 0, "$text in http, server and location";
}

# ---- defaults and inheritance ----------------------------------------------

my ($root) = make_tree([qw(euc/\xC6\xFC.txt=euc utf/日.txt=utf
    nfd/e\xCC\x81.txt=nfd nfc/é.txt=nfc)]);

my $server = nginx(root => $root, conf => <<'END');
root %%ROOT%%;
add_header X-Form $iri_form always;
server { listen 127.0.0.1:%%PORT%%; }
server { listen 127.0.0.1:%%PORTon%%; iri on; }
server {
    listen 127.0.0.1:%%PORTup%%;
    iri on;
    iri_charset EUC-JP;
    iri_filename_charset EUC-JP;
    location /utf/ {
        iri_filename_charset UTF-8;
        location /utf/in/ { alias %%ROOT%%/utf/; }
    }
    location /nfc/ { iri_filename_charset UTF-8; iri_match exact; }
    location /nfd/ { iri_filename_charset UTF-8; iri_redirect 303; }
    location /named/ { rewrite ^/named(.*) $1 break; }
}
END

# The response of one server to a target, with its Location.
sub answer {
    my ($port, $target) = @_;
    my $answer = $server->get($target, port => $server->port($port));
    return join ' ', $answer->status,
        $answer->status == 200 ? $answer->body
        : $answer->header('Location') // ();
}

is answer('', '/utf/%E6%97%A5.txt'), '200 utf',
    'off: served without the module';
is answer('', '/nfc/e%CC%81.txt'), 404, 'off is the default';
is answer('on', '/nfc/e%CC%81.txt'), '200 nfc',
    'on: another normalization is read';
is answer('on', '/utf/%C6%FC.txt'), 404,
    'no charset is read and unreadable is 404 by default';
is answer('on', '/nfd/%C3%A9.txt'), '200 nfd',
    'on: names on disk are UTF-8 in any form, matched by normalization';
is answer('on', '/euc/%E6%97%A5.txt'), 404,
    'on: names on disk are in no other charset by default';
is answer('up', '/euc/%E6%97%A5.txt'), '200 euc',
    'a location inherits the charset of names from its server';
is answer('up', '/utf/%C6%FC.txt'), '200 utf',
    'a location can have another charset';
is answer('up', '/utf/in/%C6%FC.txt'), '200 utf',
    'a nested location inherits it';
is answer('up', '/named/euc/%C6%FC.txt'), '200 euc',
    'a location inherits from its server';
is answer('up', '/nfd/e%CC%81.txt'),
    '303 http://localhost:' . $server->port('up') . '/nfd/%C3%A9.txt',
    'iri_redirect of a location';
is answer('up', '/euc/%C6%FC.txt'), '200 euc',
    'iri_redirect is off by default';
is $server->get('/utf/a')->header('X-Form'), undef,
    'variables are empty where iri is off';
is $server->get('/utf/a', port => $server->port('on'))->header('X-Form'),
    'ascii', 'variables with iri on';

done_testing;
