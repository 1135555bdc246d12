# httpd: the directives of mod_iri: defaults, inheritance, contexts, and the
# errors of `apachectl configtest`, in one line.
use IRI::Test 'httpd';
use IRI::Octets qw(in_charset percent);

# ---- bad values: configuration, the quoted words of the message
my @bad = (
    ['IRIEngine yes', '"on" "off" "report" "yes"'],
    ['IRIEngine'],
    ['IRICharset klingon', '"klingon" "Shift_JIS" "EUC-KR" "windows-1251"'],
    ['IRICharset EUC-JP klingon', '"klingon" "Shift_JIS" "EUC-KR" "windows-1251"'],
    ['IRICharset ISO-2022-JP', '"ISO-2022-JP"'],
    ['IRICharset UTF-7', '"UTF-7" "/"'],
    ['IRICharset UTF-16', '"UTF-16"'],
    ['IRICharset none EUC-JP', '"none"'],
    ['IRICharset'],
    ['IRICharset ' . join ' ', map { "windows-125$_" } 0 .. 8],
    ['IRIInvalid 500', '"404" "400" "pass" "500"'],
    ['IRIInvalid'],
    ['IRIHost yes', '"on" "off" "strict" "yes"'],
    ['IRIFilenameCharset none', '"none" "UTF-8"'],
    ['IRIFilenameCharset HZ-GB-2312', '"HZ-GB-2312"'],
    ['IRIFilenameCharset'],
    ['IRIFilenameForm nfkc', '"any" "nfc" "nfd" "nfkc"'],
    ['IRIMatch loose', '"spelling" "loose"'],
    ['IRIMatch width cas accents', '"spelling" "cas"'],
    ['IRIMatch case:xx', '"case:xx"'],
    ['IRIMatch exact variants', '"exact"'],
    ['IRIMatch exact case', '"exact"'],
    ['IRIMatch'],
    ['IRIRepair utf8', '"off" "double-encoding" "mojibake" "%u" "invisible" "trailing" "plus" "utf8"'],
    ['IRIRepair mojibake utf8', '"utf8"'],
    ['IRIRepair off utf8', '"utf8"'],
    ['IRIRepair off mojibake', '"off"'],
    ['IRIRepair'],
    ['IRIRedirect 300', '"308" "link" "300"'],
    ['IRIRedirect on',
        '"301" "302" "303" "307" "308" "link" "off" "on"'],
    ['IRIAmbiguous 200', '"404" "300" "200"'],
    ['IRICache 1t', '"16m" "1t"'],
    ['IRICache 63k', '"16m" "63k"'],
    ['IRICache 16m threads=x'],
    ['IRIQueryCharset'],
    ['IRIQueryCharset klingon', '"klingon" "Shift_JIS" "EUC-KR" "windows-1251"'],
    ['IRIQueryCharset nfc sjis', '"nfc"'],
    ['IRIQueryCharset none sjis', '"none"'],
    ['IRIAdvertise maybe'],
    ['IRIListing maybe'],
    # contexts
    ["<VirtualHost *:1>\nIRICache 1m\n</VirtualHost>"],
    ["<Directory \"/\">\nIRIEngine on\n</Directory>"],
    ["<Directory \"/\">\nIRICharset EUC-JP\n</Directory>"],
    map({ ["<Location \"/\">\n$_\n</Location>"] } 'IRIInvalid 404',
        'IRIHost on', 'IRIQueryCharset sjis', 'IRIAdvertise On',
        'IRIAmbiguous 300'),
    map({ ["<Location \"/\">\n$_\n</Location>"],
            ["<Files \"x\">\n$_\n</Files>"] }
        'IRIFilenameCharset EUC-JP', 'IRIFilenameForm nfc',
        'IRIMatch exact', 'IRIRepair off'),
);
for my $case (@bad) {
    my ($conf, $words) = @$case;
    my ($directive) = $conf =~ /(IRI\w+)/;
    my ($code, $out) = httpd_t("$conf\n");
    my ($line) = $out =~ /^AH00526: Syntax error on line .*:\n(.*)$/m;
    isnt $code, 0, "rejected: $conf";
    like $line // $out, qr/^$directive /, 'the message names the directive';
    like quoted($line // ''), qr/\Q$words\E$/, 'the words' if $words;
    is scalar(grep { /^IRI/ } split /\n/, $out), 1, 'one log line';
}

# ---- valid values, in any letter case
my ($code, $out) = httpd_t(<<'END');
IRIEngine ON
iricharset EUC-JP shift_jis Big5 EUC-KR GBK windows-1251 KOI8-R ISO-8859-1
IRIInvalid Pass
IRIFilenameCharset UTF-8 EUC-JP
IRIFilenameForm NFD
IRIMatch Normalization VARIANTS
IRIRedirect 308
<Directory "/srv">
    IRIFilenameCharset windows-1251
    IRIFilenameForm any
    IRIMatch exact
    IRIRedirect Off
</Directory>
<Location "/x">
    IRIRedirect 302
</Location>
<If "%{IRI_FORM} == 'legacy'">
    IRIRedirect 303
</If>
<VirtualHost *:1>
    IRIEngine off
    IRICharset none
    IRIInvalid 400
    IRIFilenameCharset EUC-KR
    IRIRedirect 307
</VirtualHost>
END
is $code, 0, 'good values' or diag $out;

# ---- defaults and inheritance
my ($root) = make_tree(join '', map { escaped($_) . "\tfile\n" }
    map({ my $name = $_; map { in_charset("d/$name", $_) } qw(euc-jp cp932) }
        '日本'),
    'u/日本', in_charset('e/日本', 'euc-jp'),
    in_charset('w/Москва', 'cp1251'), 'u/Москва', "u/nfd-e\xCC\x81",
    in_charset('e/ht/日本', 'euc-jp'), "v/\xE3\x80\x9C");
spew("$root/e/ht/.htaccess", "IRIRedirect 302\n");
my $server = httpd(root => $root, conf => <<'END');
# main server: settings that virtual hosts inherit
IRIEngine On
IRICharset EUC-JP
<Directory "%%ROOT%%/e">
    IRIFilenameCharset EUC-JP
    AllowOverride FileInfo
</Directory>
<Directory "%%ROOT%%/[w]">
    IRIFilenameCharset windows-1251
</Directory>
<VirtualHost 127.0.0.1:%%PORT%%>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTother%%>
    IRICharset windows-1251
    IRIMatch exact
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTnone%%>
    IRICharset none
    <Directory "%%ROOT%%/e">
        IRIFilenameCharset UTF-8
    </Directory>
    <DirectoryMatch "/e/ht$|/e/ht/">
        IRIFilenameCharset EUC-JP
    </DirectoryMatch>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTtree%%>
    IRIFilenameCharset Shift_JIS
    <Directory "%%ROOT%%/u">
        IRIFilenameCharset UTF-8
    </Directory>
    <Location "/d">
        IRIRedirect 303
    </Location>
</VirtualHost>
END

sub status {
    my ($on, $path, $charset) = @_;
    $path = in_charset($path, $charset) if $charset;
    return $server->get(percent($path), port => $server->port($on))->status;
}
my $nfc = "u/nfd-\xC3\xA9";
my @cases = (
    # virtual host, path, charset of the request, status, description
    [undef, '/u/日本', undef, 200, 'trees are UTF-8 by default'],
    [undef, '/u/日本', 'euc-jp', 200, 'IRICharset is inherited'],
    [undef, '/u/Москва', 'cp1251', 404, 'no other charset'],
    [undef, '/e/日本', undef, 200, '<Directory> is inherited'],
    [undef, '/w/Москва', undef, 200, '<Directory> with a pattern'],
    [undef, "/$nfc", undef, 200, 'IRIMatch: normalization by default'],
    ['other', '/u/Москва', 'cp1251', 200, 'IRICharset in a virtual host'],
    ['other', '/u/日本', 'euc-jp', 404, 'replaces the inherited one'],
    ['other', "/$nfc", undef, 404, 'IRIMatch exact in a virtual host'],
    ['none', '/u/日本', 'euc-jp', 404, 'IRICharset none'],
    ['none', '/e/日本', undef, 404, '<Directory> of a virtual host wins'],
    ['none', '/e/ht/日本', undef, 200, '<DirectoryMatch> comes last'],
    ['off', '/e/日本', undef, 404, 'IRIEngine Off in a virtual host'],
    ['off', '/e/日本', 'euc-jp', 200, 'as without the module'],
    ['tree', '/d/日本', 'euc-jp', 303, '<Location> in a virtual host'],
    ['tree', '/d/日本', undef, 200, 'IRIFilenameCharset of the host'],
    ['tree', '/u/日本', undef, 200, '<Directory> overrides the host'],
    ['tree', '/e/日本', undef, 200, '<Directory> of the main server too'],
    [undef, '/e/日本', 'euc-jp', 200, 'IRIRedirect: off by default'],
    [undef, '/e/ht/日本', 'euc-jp', 302, '.htaccess'],
    [undef, '/e/ht/日本', undef, 200, '.htaccess, canonical'],
    [undef, "/v/\xEF\xBD\x9E", undef, 200, 'variants with EUC-JP'],
    ['none', "/v/\xEF\xBD\x9E", undef, 404, 'no variants without it'],
    ['other', "/v/\xEF\xBD\x9E", undef, 404, 'no variants with exact'],
);
for my $case (@cases) {
    my ($on, $path, $charset, $status, $test_name) = @$case;
    is status($on, $path, $charset), $status, ($on // 'main') . ": $test_name";
}
# .htaccess may set IRIRedirect only.
spew("$root/e/ht/.htaccess", "IRIFilenameCharset EUC-JP\n");
is status(undef, '/e/ht/日本'), 500, '.htaccess: not for names on disk';
my $not_allowed = qr/IRIFilenameCharset not allowed here/;
like $server->settled_log, $not_allowed, 'the message';
is_deeply [$server->errors(ignore => $not_allowed)], [], 'log';

# The module without directives changes nothing.
my $plain = httpd(root => $root, conf => '');
is $plain->get('/u/' . percent '日本')->status, 200, 'off by default';
is $plain->get('/u/' . percent in_charset('日本', 'euc-jp'))->status, 404,
    'off by default, EUC-JP';
is $plain->get("/$nfc")->status, 404, 'off by default, NFC';
done_testing;
