# nginx: a setting that has no effect causes a warning when the configuration
# is read; an effective one does not.
use IRI::Test 'nginx';

my $LISTEN = 'listen 127.0.0.1:%%PORT%%;';

# The warnings of `nginx -t`: their quoted words; file and line are LINE.
sub warnings {
    my ($conf, %option) = @_;
    my ($code, $output) = nginx_t(octets($conf), %option);
    is $code, 0, 'taken' or diag $output;
    my ($before) = IRI::Nginx->new(conf => 'HERE', %option)->text
        =~ /(.*)HERE/s;
    my $lines = () = $before =~ /\n/g;
    return map { quoted(s/\S+nginx\.conf:(\d+)/'LINE' . ($1 - $lines)/er) }
        grep { /\[warn\]/ } split /\n/, $output;
}

# ---- settings without effect ------------------------------------------------

my @settings = ('iri_charset EUC-JP', 'iri_charset $arg_x', 'iri_invalid 400',
    'iri_query_charset Shift_JIS', 'iri_cache 1m', 'iri_advertise on',
    'iri_filename_charset EUC-JP', 'iri_filename_form nfd', 'iri_match case',
    'iri_ambiguous 300', 'iri_redirect 301', 'iri_listing on',
    'iri_request_uri on',
    'iri_repair mojibake');

for my $text (@settings) {
    my ($name) = $text =~ /^(\w+)/;
    my $no_effect = qq{"$name" LINE2 "iri on;"};
    is_deeply [warnings("\n$text;\nserver { $LISTEN }")], [$no_effect],
        "$text: in http";
    is_deeply [warnings("server {\n$text;\n$LISTEN }")], [$no_effect],
        "$text: in a server";
    is_deeply [warnings("\n$text;\nserver { $LISTEN iri off; }"
            . "server { listen 127.0.0.1:%%PORTb%%; iri report; }")],
        [], "$text: on in another server that inherits it";
    is_deeply [warnings("server {\n$text;\n$LISTEN }"
            . "server { listen 127.0.0.1:%%PORTb%%; iri on; }")],
        [$no_effect], "$text: on in an unrelated server";
    next if $text
        =~ /charset (?!EUC)|invalid|cache|advertise|iri_charset|request_uri/;
    is_deeply [warnings("server { $LISTEN location / {\n$text;\n} }")],
        [$no_effect], "$text: in a location";
    is_deeply [warnings("iri on; server { $LISTEN location / {\n$text;\n"
            . "} }")],
        [], "$text: in a location with iri on";
}
is_deeply [warnings("\niri_convert \$x nfc \$uri; server { $LISTEN }")],
    ['"iri_convert" LINE2 "iri on;"'], 'iri_convert';
is_deeply [warnings("server { $LISTEN location / {\niri_status; } }")],
    ['"iri_status" LINE2 "iri on;"'], 'iri_status';
is_deeply [warnings("server { $LISTEN location / { iri_status; } }"
        . "server { listen 127.0.0.1:%%PORTb%%; iri report; }")],
    [], 'iri_status counts the requests of all servers';
is_deeply [warnings("$_; server { $LISTEN }")], [], "$_: nothing is wanted"
    for 'iri_redirect off', 'iri_listing off', 'iri_charset none',
    'iri_cache off', 'iri_advertise off', 'iri off';

# A file that two servers include.
my $tmp = temp_dir();
spew("$tmp/common.conf", "iri_match case;\niri_redirect 301;\n");
is_deeply [warnings("server { $LISTEN iri on; include $tmp/common.conf; }"
        . "server { listen 127.0.0.1:%%PORTb%%; include $tmp/common.conf; }")],
    [], 'a directive that applies in one including server';
is scalar(@{ [warnings("server { $LISTEN include $tmp/common.conf; }"
        . "server { listen 127.0.0.1:%%PORTb%%; "
        . "include $tmp/common.conf; }")] }),
    2, 'one that applies in none: one warning for each line';

# ---- charsets that shadow others --------------------------------------------

is_deeply [warnings("server { $LISTEN iri on;\n"
        . 'iri_filename_charset windows-1252 UTF-8; }')],
    ['"iri_filename_charset" LINE2 "windows-1252" "UTF-8" "UTF-8"'],
    'UTF-8 after windows-1252';
is_deeply [warnings("server { $LISTEN iri on; iri_filename_charset $_; }")],
    [], "not $_"
    for 'UTF-8 windows-1252', 'EUC-JP UTF-8', 'windows-1252';

for my $directive (qw(iri_charset iri_query_charset iri_filename_charset)) {
    is_deeply [warnings("server { $LISTEN iri on;\n"
            . "$directive Shift_JIS EUC-JP; }")],
        ["\"$directive\" LINE2 \"Shift_JIS\" \"EUC-JP\" \"EUC-JP\""],
        "$directive: Shift_JIS first";
    is_deeply [warnings("server { $LISTEN iri on;\n"
            . "$directive EUC-JP Shift_JIS windows-1252; }")],
        [], "$directive: EUC-JP first";
}

# ---- locations that match nothing ------------------------------------------

my $nfd = '/cafe\xCC\x81/';
for my $text ("$nfd", "= $nfd", "=$nfd", "^~ $nfd", "^~$nfd", "~ $nfd",
    "~* $nfd", "~$nfd", "~*$nfd", "\"$nfd\"")
{
    is_deeply [warnings("server { $LISTEN iri on;\nlocation $text { } }")],
        ['"location" LINE2 "/cafe%CC%81/" "iri normalize"'],
        "location $text";
}
is_deeply [warnings("server { $LISTEN iri on;\n"
        . "location /a/ {\nlocation /a/caf\\xE9/ { } } }")],
    ['"location" LINE3 "/a/caf%E9/"'], 'a location that is no UTF-8';
is_deeply [warnings("server { $LISTEN iri on;\nlocation /caf%C3%A9/ { } }")],
    ['"location" LINE2 "/caf%C3%A9/"'], 'and one that is escaped';
spew("$tmp/common.conf", "location $nfd { }\n" =~ s/\\x(..)/chr hex $1/ger);
is scalar(@{ [warnings("iri on; server { $LISTEN include $tmp/common.conf; }"
        . "server { listen 127.0.0.1:%%PORTb%%; "
        . "include $tmp/common.conf; }")] }),
    1, 'one warning for a file that two servers include';
is_deeply [warnings($_)], [], 'no warnings'
    for "server { $LISTEN iri on; iri_invalid pass; location /caf\\xE9/ { } }",
    "server { $LISTEN iri report; location $nfd { } }",
    "server { $LISTEN location $nfd { } }",
    "server { $LISTEN iri on; location /caf\\xC3\\xA9/ { if (\$uri) { } } }",
    "server { $LISTEN iri on; location \@caf\\xE9 { } }",
    "server { $LISTEN iri on; location ~ ^/[\\xC3][\\x80-\\xBF] { } }";

# ---- names of servers --------------------------------------------------------

is_deeply [warnings("\nserver { $LISTEN iri on; iri_host on; "
        . 'server_name ~^b\xC3\xBCcher ~^xn-- b\xC3\xBCcher.example '
        . 'bu\xCC\x88cher.test b\xFCcher; }')],
    ['"^b%C3%BCcher" LINE2', '"b%FCcher" LINE2'], 'server_name';
is_deeply [warnings("server { $LISTEN iri on; "
        . 'server_name ~^b\xC3\xBCcher; }')], [], 'without iri_host';

done_testing;
