# nginx: directives, their defaults, inheritance, and the errors of `nginx -t`.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

plan skip_all => missing('nginx') if missing('nginx');

# ---- invalid values: one line, with the directive and the valid values ------

my $words = qr/must be "on", "off" or "report"/;
my @bad = (
    ['iri yes;',                    'iri',                  $words],
    ['iri;',                        'iri',                  qr/number of arg/],
    ['iri on; iri off;',            'iri',                  qr/is duplicate/],
    ['iri_invalid 403;',            'iri_invalid',
        qr/must be "404", "400" or "pass"/],
    ['iri_charset klingon;',        'iri_charset',
        qr/"klingon" is not a known charset: use a label/],
    ['iri_charset sjis Shift_JIS;', 'iri_charset',
        qr/"Shift_JIS" is listed twice/],
    ['iri_charset;',                'iri_charset',          qr/number of arg/],
    ['iri_charset EUC-JP; iri_charset none;', 'iri_charset', qr/is duplicate/],
    ['iri_filename_charset none;',  'iri_filename_charset',
        qr/"none"/],
    ['iri_filename_charset klingon;', 'iri_filename_charset',
        qr/"klingon" is not a known charset/],
    ['iri_filename_form nfkc;',     'iri_filename_form',
        qr/must be "any", "nfc" or "nfd"/],
    ['iri_match loose;',            'iri_match',
        qr/takes "exact", or any of/],
    ['iri_repair utf8;',            'iri_repair',
        qr/takes "off", or any of .*, not "utf8"/],
    ['iri_repair mojibake utf8;',   'iri_repair',
        qr/takes "off", or any of .*, not "utf8"/],
    ['iri_repair off utf8;',        'iri_repair',
        qr/takes "off", or any of .*, not "utf8"/],
    ['iri_repair off %u;',          'iri_repair',
        qr/cannot combine "off" with other words in/],
    ['iri_match exact variants;',   'iri_match',
        qr/cannot combine "exact" with other words/],
    ['iri_redirect 300;',           'iri_redirect',
        qr/must be "off", "301", "302"/],
);

# Charsets in which octets below 80 are not ASCII.
push @bad, [ "iri_charset $_;", 'iri_charset', qr/use another charset/ ],
    [ "iri_filename_charset $_;", 'iri_filename_charset',
        qr/use another charset/ ]
    for qw(ISO-2022-JP UTF-16LE);

for my $case (@bad) {
    my ($text, $directive, $message) = @$case;
    my ($code, $output) =
        nginx_t("$text\nserver { listen 127.0.0.1:%%PORT%%; }");
    my @lines = grep { /\[emerg\]/ } split /\n/, $output;
    isnt $code, 0, "rejected: $text";
    is scalar @lines, 1, "one line: $text";
    like $lines[0] // '', $message, "message: $text";
    like $lines[0] // '',
        qr/"$directive" directive(?: .+)? in \S+:\d+$/,
        "position: $text";
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

for my $name (qw(iri iri_charset iri_invalid)) {
    my $value = { iri => 'on', iri_charset => 'sjis' }->{$name} // '400';
    my ($code, $output) = nginx_t("server { listen 127.0.0.1:%%PORT%%; "
        . "location / { $name $value; } }");
    like $output, qr/"$name" directive is not allowed here/,
        "$name is no matter of a location";
}
for my $text ('iri_filename_charset sjis', 'iri_filename_form nfd',
    'iri_match exact', 'iri_repair %u mojibake', 'iri_redirect 301')
{
    my ($code, $output) = nginx_t("$text;\nserver { listen 127.0.0.1:%%PORT%%; "
        . "$text; location / { $text; } }");
    is $code, 0, "$text in http, server and location";
}

# ---- defaults and inheritance ----------------------------------------------

my ($root) = make_tree(<<'END');
euc/\xC6\xFC.txt	file	euc
utf/\xE6\x97\xA5.txt	file	utf
nfd/e\xCC\x81.txt	file	nfd
nfc/\xC3\xA9.txt	file	nfc
END

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

is answer('', '/utf/%E6%97%A5.txt'), '200 utf', 'off: served without the module';
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

is_deeply [$server->errors], [], 'error log';

# ---- iri_invalid -----------------------------------------------------------

my ($raw) = make_tree("\\xFFa.txt\tfile\traw\n");
for my $case (['', 404], ['iri_invalid 404;', 404], ['iri_invalid 400;', 400],
    ['iri_invalid pass;', 200])
{
    my ($text, $status) = @$case;
    my $one = nginx(root => $raw, conf => "server { listen 127.0.0.1:%%PORT%%;"
        . " root %%ROOT%%; iri on; $text }", log_level => 'info');
    is $one->get('/%FFa.txt')->status, $status, "unreadable: $text";
    my @lines = grep { /iri: / } split /\n/, $one->settled_log;
    is scalar @lines, $status == 200 ? 0 : 1, "lines of log: $text";
    like $lines[0] // '',
        qr{\[info\].*iri: path "/%FFa\.txt" refused: .*reason=unreadable},
        'messages name the rejected value'
        if $status != 200;
}

done_testing;
