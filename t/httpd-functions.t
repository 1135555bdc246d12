# httpd: functions for rules, as RewriteMap int:iri.NAME and in expressions,
# for any text.
use IRI::Test 'httpd';
use IRI::Both qw(function_values);

# ---- names ------------------------------------------------------------------

my @functions = qw(to_uri to_iri nfc fold utf8 host_ascii host_unicode);
my $load = "LoadModule rewrite_module "
    . ($ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules')
    . "/mod_rewrite.so\n";
for my $name (@functions, 'nfd') {
    my ($code, $output) = httpd_t("${load}RewriteMap m int:iri.$name\n"
        . "<If \"%{iri_$name:x} == 'x'\">\n</If>\n");
    is $code == 0 ? 'taken' : 'refused', $name eq 'nfd' ? 'refused' : 'taken',
        "int:iri.$name" or diag $output;
    like $output, qr/iri\.nfd/, 'and which' if $name eq 'nfd';
}
for my $name (@functions, 'nfd') {
    my ($code, $output) =
        httpd_t("<If \"iri_$name('x') == 'x'\">\n</If>\n");
    is $code == 0 ? 'taken' : 'refused', $name eq 'nfd' ? 'refused' : 'taken',
        "iri_$name(), without mod_rewrite" or diag $output;
}

# ---- one server --------------------------------------------------------------

my ($root) = make_tree(<<'END');
index.html	file	index
END
my $maps = join '', map { "RewriteMap $_ int:iri.$_\n" } @functions;
my $each = join '', map { <<"END" } @functions;
<Location "/$_">
    Header always set X-Value "expr=[%{iri_$_:%{HTTP:X}}]"
</Location>
RewriteCond %{HTTP:X} (.*)
RewriteRule "^/map/$_\$" "/index.html" [E=VALUE:\${$_:%1|none}]
END

my $server = httpd(root => $root, log_level => 'warn iri:info',
    modules => [qw(rewrite headers env)], conf => <<"END");
LimitRequestFieldSize 200000
LimitRequestLine 100000
IRIEngine On
IRIHost On
IRICharset Shift_JIS windows-1252
IRIMatch exact
<VirtualHost 127.0.0.1:%%PORT%%>
    $maps
    RewriteEngine On
    RewriteOptions AllowAnyURI
    RewriteRule "^/old/(.*)\$" "https://new.example/\${to_uri:\$1}" [R=301,NE,L]
    RewriteCond \${fold:\$1} ^strasse\$
    RewriteRule "^/by/(.*)\$" "/index.html" [E=VALUE:key]
    $each
    Header always set X-Map "%{VALUE}e" env=VALUE
    <Location "/if">
        <If "%{iri_fold:%{HTTP:X}} == 'strasse'">
            Header always set X-If yes
        </If>
        <If "iri_nfc(req('X')) == unbase64('w6k=')">
            Header always set X-If nfc
        </If>
    </Location>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
    $maps
    RewriteEngine On
    $each
    Header always set X-Map "%{VALUE}e" env=VALUE
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine Report
    $each
</VirtualHost>
END

# The value of a function for a text in a header field: in an expression.
sub converted {
    my ($function, $text, @option) = @_;
    return $server->get("/$function", headers => ['X', $text], @option)
        ->header('X-Value');
}

# The same by a map: "none" if there is no value.
sub mapped {
    my ($function, $text, @option) = @_;
    return $server->get("/map/$function", headers => ['X', $text], @option)
        ->header('X-Map');
}

for (function_values())
{
    my ($function, $text, $value) = @$_;
    my $name = $function . ' of ' . escaped($text);
    is escaped(converted($function, $text)), escaped("[$value]"), $name;
    is escaped(mapped($function, $text)),
        escaped($value eq '' ? 'none' : $value), "map: $name";
}
my @lines = $server->settled_log =~ /(iri: nfc .*)/g;
is scalar(grep { /"%E9".*reason=function/ } @lines), 2, 'one log line each';
is converted('nfc', ''), '[]', 'an empty text';

# ---- in rules ----------------------------------------------------------------

is $server->get("/by/$_")->header('X-Map'), 'key', "RewriteCond: $_"
    for 'STRASSE', 'stra%C3%9Fe', '%ef%bd%93TRASSE';
isnt $server->get('/by/other')->header('X-Map') // '', 'key',
    'RewriteCond, another';
is $server->get("/old/$_->[0]")->header('Location'),
    "https://new.example/$_->[1]", "a redirect: $_->[0]"
    for ['%95%5C', '%E8%A1%A8'], ['a%20b%22', 'a%20b%22'];
is $server->get('/if', headers => [X => $_->[0]])->header('X-If') // 'no',
    $_->[1], '<If>: ' . escaped($_->[0])
    for ["Stra\xC3\x9Fe", 'yes'], ["e\xCC\x81", 'nfc'], ['x', 'no'];

# ---- hostile -----------------------------------------------------------------

for my $text ("\xC3" x 7000, 'a' x 7000, "%E8%A1%A8" x 700,
    "\xCC\x81\xCC\xA7" x 1700, "\xFF\x01\x7F", '%00%0A', "\xE2\x80\x8E",
    "\xE0\xA4\x95" x 2000)
{
    for my $function (@functions) {
        my $answer = $server->get("/$function", headers => ['X', $text]);
        like $answer->status, qr/^(?:404|400|431)$/,
            "$function: " . substr escaped($text), 0, 20;
        unlike $answer->header('X-Value') // '', qr/[\x00-\x20"<>]/,
            'no blank, no control' if $function =~ /^to_/;
    }
}
my $before = length $server->settled_log;
is converted('to_uri', 'a' x 65537), '[]', 'too long';
is converted('fold', "\xC3\x9F" x 50000), '[]', '100,000 octets';
is scalar(() = substr($server->settled_log, $before)
        =~ /iri: \w+ of "\S{200,600}" \.\.\..*reason=function/g), 2,
    'a short log line for each';

is converted('nfc', "e\xCC\x81", port => $server->port('off')), '[]',
    'no value with the engine off';
is mapped('nfc', "e\xCC\x81", port => $server->port('off')), 'none',
    'no value of a map';
is escaped(converted('nfc', "e\xCC\x81", port => $server->port('report'))),
    escaped("[\xC3\xA9]"), 'report: the value';

done_testing;
