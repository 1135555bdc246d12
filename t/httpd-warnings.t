# httpd: a setting that has no effect causes a warning with -t and once at the
# start; an effective one does not.
use IRI::Test 'httpd';

my @MODULES = qw(rewrite proxy proxy_http headers setenvif);

# The line number of the first line of conf.
my ($before) = httpd_text() =~ /(.*)HERE/s;
my $first = () = $before =~ /\n/g;

sub httpd_text {
    my $httpd = IRI::Httpd->new(conf => 'HERE', modules => \@MODULES);
    return slurp($httpd->tmp . '/httpd.conf');
}

# The warnings in a text: their quoted words; LINE for positions.
sub warnings_in {
    my ($text, $lines) = @_;
    $lines //= $first;
    return map { quoted(s/\S+httpd\.conf:(\d+)/'LINE' . ($1 - $lines)/egr) }
        map { /:warn\] .*?iri: (.*)/ ? $1 : () } split /\n/, $text;
}

# The warnings of `httpd -t`.
sub warnings {
    my ($conf) = @_;
    my ($code, $log_length) = httpd_t(octets($conf), modules => \@MODULES);
    is $code, 0, 'taken' or diag $log_length;
    return warnings_in($log_length);
}

# ---- settings without effect ------------------------------------------------

my $ENGINE   = '"IRIEngine On"';
my @settings = ('IRICharset EUC-JP', 'IRIInvalid 400', 'IRIAdvertise On',
    'IRIQueryCharset Shift_JIS', 'IRIFilenameCharset EUC-JP',
    'IRIFilenameForm nfd', 'IRIMatch case', 'IRIAmbiguous 300',
    'IRIRedirect 301', 'IRIListing On', 'IRIRepair mojibake');

for my $text (@settings) {
    my ($name) = $text =~ /^(\w+)/;
    is_deeply [warnings("# 1\n$text\n")], ["\"$name\" LINE2 $ENGINE"],
        "$text: in the main server";
    is_deeply [warnings("<VirtualHost *:1>\n$text\n</VirtualHost>\n")],
        ["\"$name\" LINE2 $ENGINE"], "$text: in a virtual host";
    is_deeply [warnings("$text\n<VirtualHost *:1>\nIRIEngine report\n"
            . "</VirtualHost>\n")], [],
                "$text: on in another server that inherits it";
    is_deeply [warnings("<VirtualHost *:1>\n$text\n</VirtualHost>\n"
            . "<VirtualHost *:2>\nIRIEngine On\n</VirtualHost>\n")],
        ["\"$name\" LINE2 $ENGINE"], "$text: on in an unrelated server";
    is_deeply [warnings("IRIEngine On\n<VirtualHost *:1>\n$text\n"
            . "</VirtualHost>\n")], [], "$text: on everywhere";
    is_deeply [warnings("IRIEngine On\n<VirtualHost *:1>\nIRIEngine Off\n"
            . "$text\n</VirtualHost>\n")], ["\"$name\" LINE4 $ENGINE"],
        "$text: off in that virtual host";
}
is_deeply [warnings("<Directory \"/srv\">\nIRIMatch case\n</Directory>\n")],
    ["\"IRIMatch\" LINE2 $ENGINE"], 'in a <Directory>';
is_deeply [warnings("IRICache 1m\n")], ["\"IRICache\" LINE1 $ENGINE"],
    'IRICache';
is_deeply [warnings("$_\n")], [], "$_: nothing is wanted"
    for 'IRIRedirect off', 'IRIListing Off', 'IRICharset none',
    'IRICache off', 'IRIAdvertise off', 'IRIEngine Off';

my $tmp = temp_dir();
spew("$tmp/common.conf", "IRIMatch case\nIRIRedirect 301\n");
my $include = "Include $tmp/common.conf\n</VirtualHost>\n";
is_deeply [warnings("<VirtualHost *:1>\nIRIEngine On\n$include"
        . "<VirtualHost *:2>\n$include")], [],
    'a directive that applies in one including virtual host';
is scalar(@{ [warnings("<VirtualHost *:1>\n$include"
        . "<VirtualHost *:2>\n$include")] }), 2,
    'one that applies in none: one warning for each line';

# ---- charsets that shadow others --------------------------------------------

is_deeply [warnings("IRIEngine On\nIRIFilenameCharset windows-1252 UTF-8\n")],
    ['"IRIFilenameCharset" LINE2 "windows-1252" "UTF-8" "UTF-8"'],
    'UTF-8 after windows-1252';
is_deeply [warnings("IRIEngine On\nIRIFilenameCharset $_\n")], [], "not $_"
    for 'UTF-8 windows-1252', 'EUC-JP UTF-8', 'windows-1252';

for my $directive (qw(IRICharset IRIQueryCharset IRIFilenameCharset)) {
    is_deeply [warnings("IRIEngine On\n$directive Shift_JIS EUC-JP\n")],
        ["\"$directive\" LINE2 \"Shift_JIS\" \"EUC-JP\" \"EUC-JP\""],
        "$directive: Shift_JIS first";
    is_deeply [warnings("IRIEngine On\n"
            . "$directive EUC-JP Shift_JIS windows-1252\n")],
        [], "$directive: EUC-JP first";
}

# ---- rules that match nothing ----------------------------------------------

my $nfd = 'cafe\xCC\x81';

# A directive or section with a text, and the text in the warning.
sub rules {
    my ($text, $shown) = @_;
    return map { [sprintf($_->[0], $text), ($_->[0] =~ /^<?(\w+)/)[0],
            sprintf($_->[1], $shown)] }
        (map { my $name = $_; map { ["<$name $_>\n</$name>", '/%s'] }
            '"/%s"', '/%s' } 'Location', 'LocationMatch'),
        ['<Location ~ "^/%s">' . "\n</Location>", '^/%s'],
        ["<Location \"/%s/*\">\n</Location>", '/%s/*'],
        ["<Files \"%s\">\n</Files>", '%s'],
        ["<FilesMatch \"%s\">\n</FilesMatch>", '%s'],
        ['Alias "/%s" "/srv"', '/%s'], ['AliasMatch "^/%s" "/srv"', '^/%s'],
        ['ScriptAlias "/%s" "/srv"', '/%s'],
        ['ScriptAliasMatch "^/%s" "/srv"', '^/%s'],
        ['Redirect "/%s" "/x"', '/%s'], ['Redirect 301 "/%s" "/x"', '/%s'],
        ['Redirect gone "/%s"', '/%s'], ['Redirect 410 "/%s"', '/%s'],
        ['RedirectMatch "^/%s" "/x"', '^/%s'],
        ['RedirectMatch seeother "^/%s" "/x"', '^/%s'],
        ['RedirectPermanent "/%s" "/x"', '/%s'],
        ['RedirectTemp "/%s" "/x"', '/%s'],
        ['RewriteRule "^/%s" "/x"', '^/%s'],
        ['RewriteRule "!^/%s" "/x"', '^/%s'],
        ['ProxyPass "/%s" "http://127.0.0.1/"', '/%s'],
        ['ProxyPassMatch "^/%s" "http://127.0.0.1/"', '^/%s'];
}
for my $rule (rules($nfd, 'caf')) {
    my ($text, $name, $shown) = @$rule;
    my $was = $shown =~ s/caf/cafe%CC%81/r;
    is_deeply [warnings("IRIEngine On\n$text\n")],
        ["\"$name\" LINE2 \"$was\" \"iri normalize\""],
        $text =~ s/\n.*//sr;
}
is_deeply [warnings("IRIEngine On\n$_->[0]\n")], [], "right: $_->[1]"
    for rules('caf\xC3\xA9', 'caf');
is_deeply [warnings("<VirtualHost *:1>\nIRIEngine On\n"
        . "<Location \"/caf\\xE9\">\n</Location>\n</VirtualHost>\n")],
    ['"Location" LINE3 "/caf%E9"'], 'a <Location> that is no UTF-8';
is_deeply [warnings("<VirtualHost *:1>\nIRIEngine On\n</VirtualHost>\n"
        . "Alias /caf%C3%A9 /srv\n")],
    ['"Alias" LINE4 "/caf%C3%A9"'], 'an Alias that a virtual host inherits';
is_deeply [warnings("IRIEngine On\n$_\n</Directory>\n")],
    ['"Directory" LINE2 "/srv/%C3%A9*"'], $_
    for map { s/\\x(..)/chr hex $1/ger } '<Directory "/srv/\xC3\xA9*">',
    '<Directory ~ "/srv/\xC3\xA9*">';

# Expressions that may match, and directives that have no paths.
my $section = "<Location \"/$nfd\">\n</Location>";
is_deeply [warnings("$_\n")], [], 'no warnings' for $section,
    "IRIEngine report\n$section",
    "IRIEngine On\n<VirtualHost *:1>\nIRIEngine Off\n$section\n</VirtualHost>",
    "IRIEngine On\nIRIInvalid pass\n<Location \"/caf\\xE9\">\n</Location>",
    "IRIEngine On\n<Directory \"/srv/$nfd\">\n"
    . "RewriteRule \"^$nfd\" /x\n</Directory>",
    "IRIEngine On\nAlias \"/x\" \"/srv/$nfd\"\n<Location \"/y\">\n"
    . "Redirect 301 \"/$nfd\"\n</Location>",
    "IRIEngine On\nRewriteRule \"^/x\" \"/$nfd\" [R]\nRedirect \"/z\" \"/$nfd\"",
    "IRIEngine On\nProxyPass \"/caf%C3%A9\" http://a/ mapping=encoded",
    "IRIEngine On\n<Directory \"/srv/caf\\xC3\\xA9\">\n</Directory>";

# ---- once at a start --------------------------------------------------------

my $server = httpd(modules => \@MODULES, conf => octets(<<'END'));
# %%PORT%%
IRIEngine On
IRIHost On
<Location "/cafe\xCC\x81">
</Location>
<Directory "/srv/\xC3\xA9*">
</Directory>
<VirtualHost 127.0.0.1:%%PORT%%>
    IRIEngine Off
    IRIListing On
    ServerName b\xC3\xBCcher_.example
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTon%%>
    ServerName b\xC3\xBCcher_.example
</VirtualHost>
END
$server->wait_for(sub { $server->log_text =~ /resuming normal operations/ });
my @warnings = warnings_in($server->log_text);
my %count;
$count{$_}++ for @warnings;
for my $name ('IRIListing', 'Location', 'Directory', 'b%C3%BCcher_.example') {
    is scalar(grep { /^"\Q$name\E"/ } @warnings), 1, "a warning of $name";
}
is_deeply [grep { $count{$_} > 1 } sort keys %count], [], 'each once';
my $log_length = length $server->log_text;
$server->reload;
is_deeply [sort(warnings_in(substr $server->log_text, $log_length))],
    [sort @warnings], 'once more for a reload';
is_deeply [$server->errors(ignore => qr/has no effect|matches no path/)], [],
    'log';

done_testing;
