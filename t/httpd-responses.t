# httpd: responses to the client: redirects to the canonical URI, refusals,
# httpd's own treatment of slashes and dot-segments, and IRIEngine off and
# report, which change nothing.
use IRI::Test 'httpd';
use IRI::Octets qw(euc in_charset percent);

my ($root) = make_tree([qw(転/表.txt 転/index.html 拒/表.txt 留/表.txt 四/表.txt
    下/上/表.txt 表.txt plain.txt)], undef, charset => 'EUC-JP');
spew("$root/" . euc('四/.htaccess'), "IRIRedirect 308\n");
mkdir "$root/" . euc('包');
mkdir "$root/a";
mkdir "$root/a/" . euc('表');
spew("$root/a/" . euc('表/x.txt'), 'x');
spew("$root/" . euc('包/外.shtml'),
    '[<!--#include virtual="' . euc('/転/表.txt') . '" -->]');

my $server = httpd(
    root => $root, modules => ['include'], log_level => 'info',
    conf => <<'END');
<VirtualHost 127.0.0.1:%%PORT%%>
    IRIEngine On
    IRICharset EUC-JP Shift_JIS
    IRIFilenameCharset EUC-JP
    IRIRedirect 301
    AddType text/html .shtml
    AddOutputFilter INCLUDES .shtml
    ErrorDocument 404 /%B2%BC/%BE%E5/%C9%BD.txt
    <Directory "%%ROOT%%">
        AllowOverride FileInfo
        Options +Includes
    </Directory>
    <Location "/拒">
        Require all denied
    </Location>
    <Location "/留">
        IRIRedirect off
    </Location>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTslash%%>
    IRIEngine On
    IRICharset EUC-JP
    IRIFilenameCharset EUC-JP
    AllowEncodedSlashes On
    MergeSlashes Off
    LogFormat "%{IRI_PATH}e" path
    CustomLog "%%TMP%%/path.log" path
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTnodecode%%>
    IRIEngine On
    IRICharset EUC-JP
    IRIFilenameCharset EUC-JP
    AllowEncodedSlashes NoDecode
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTkeep%%>
    IRIEngine On
    IRICharset EUC-JP
    IRIFilenameCharset EUC-JP
    IRIRedirect 301
    IRIMatch case
    AllowEncodedSlashes On
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRICharset EUC-JP
    IRIFilenameCharset EUC-JP
    IRIRedirect 301
    LogFormat "%{IRI_FORM}e%{IRI_PATH}e" off
    CustomLog "%%TMP%%/off.log" off
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine report
    IRICharset EUC-JP
    IRIFilenameCharset EUC-JP
    IRIRedirect 301
    LogFormat "%{IRI_FORM}e%{IRI_PATH}e" off
    CustomLog "%%TMP%%/report.log" off
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTpass%%>
    IRIEngine On
    IRIInvalid pass
    IRIFilenameCharset EUC-JP
    LogFormat "%{IRI_FORM}e" pass
    CustomLog "%%TMP%%/pass.log" pass
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTbad%%>
    IRIEngine On
    IRIInvalid 400
</VirtualHost>
END

# Tests a request's status, and its Location without scheme and host.
sub answer_is {
    my ($target, $status, $location, $test_name, %option) = @_;
    my $method = delete $option{method} // 'GET';
    my $port   = delete $option{on};
    $option{port} = $server->port($port) if $port;
    my $answer = $server->request($method, $target, %option);
    my $got = $answer->header('Location');
    $got =~ s{^http://[^/]+}{} if defined $got;
    is $answer->status, $status, "$test_name: status";
    is $got, $location, "$test_name: Location";
    return $answer;
}

# ---- IRIRedirect; each form: t/cases/redirect.tsv
answer_is('/plain.txt', 200, undef, 'ASCII');
answer_is(percent(euc '/転/'), 301, percent('/転/'), 'index');
answer_is(percent('/転/'), 200, undef, 'index, canonical');
answer_is(percent(euc '/留/表.txt'), 200, undef, 'off in <Location>');
answer_is(percent(euc '/四/表.txt'), 308, percent('/四/表.txt'),
    '.htaccess');
answer_is(percent(euc '/拒/表.txt'), 403, undef, 'denied: not disclosed');
answer_is(percent('/拒/', ) . '%C9%BD.txt', 403, undef,
    'denied in an alternative reading: not disclosed');
my $page = answer_is('/%FF', 404, undef, 'ErrorDocument');
is $page->body, escaped(euc '下/上/表.txt'),
    'an internal redirect is not redirected';
is $server->get(percent '/包/外.shtml')->body,
    '[' . escaped(euc '転/表.txt') . ']', 'a subrequest is not redirected';
like $server->get('/転/表.txt', host => 'a.example:81')
    ->header('Location'), qr{^http://},
        'an absolute Location, as httpd sends it';

# ---- slashes and dot-segments are handled by httpd
my @escaped = (
    # on, target, status, body (path on disk)
    [undef, percent('/下') . '%2F' . percent('上/表.txt'), 404],
    ['slash', percent('/下') . '%2F' . percent('上/表.txt'), 200],
    ['slash', percent(euc '/下') . '%2f' . percent(euc '上/表.txt'), 200],
    ['slash', percent(euc '/下') . '//' . percent(euc '上/表.txt'), 200],
    ['slash', percent('/下') . '%252F' . percent('上/表.txt'), 404],
    ['nodecode', percent('/下') . '%2F' . percent('上/表.txt'), 404],
    ['nodecode', percent(euc '/下//上/./表.txt'), 200],
    ['nodecode', percent('/下/x/../上/表.txt'), 200],
    ['nodecode', percent('/下/x/') . '%2e%2e/' . percent('上/表.txt'), 200],
    ['slash', percent('/下/x/') . '..%2F' . percent('上/表.txt'), 200],
    ['nodecode', percent('/下/x/../../../etc/表'), 400],
    ['nodecode', percent('/下') . '%00' . percent('上/表.txt'), 404],
    ['nodecode', percent('/下/上/表.txt') . '%zz', 400],
    ['nodecode', percent('/下/上/表.txt') . '%%341', 400],
    ['nodecode', percent('/下/上/') . '%25E8%A1%A8.txt', 404],
);
for my $case (@escaped) {
    my ($on, $target, $status) = @$case;
    my $answer = $server->get($target, port => $server->port($on));
    is $answer->status, $status, "$target, " . ($on // 'default');
    is $answer->body, escaped(euc '下/上/表.txt'), 'its body'
        if $status == 200;
}

ok $server->wait_for(sub { slurp($server->tmp . '/path.log') =~ /^\S/m }),
    'IRI_PATH is logged';
unlike slurp($server->tmp . '/path.log'), qr{\.\.}, 'with httpd\'s segments';
for my $target (percent(euc '/下') . '%2F' . percent(euc '上/表.txt')) {
    my $utf8 = percent('/下') . '%2F' . percent('上/表.txt');
    answer_is("$target", 301, $utf8, 'redirect keeps %2F', on => 'keep');
    answer_is($utf8, 200, undef, 'and ends there', on => 'keep');
}
answer_is("/A%2F$_/X.txt", 301, "/a%2F$_/x.txt",
    'and with names that were found', on => 'keep') for percent('表');
answer_is("/a%2F$_/x.txt", 200, undef, 'and ends there', on => 'keep')
    for percent('表');

# ---- off and report change nothing
for my $mode (qw(off report)) {
    answer_is(percent(euc '/下/上/表.txt'), 200, undef, "$mode: as on disk",
        on => $mode);
    answer_is(percent('/転/表.txt'), 404, undef, "$mode: other octets",
        on => $mode);
    answer_is('/%FF', 404, undef, "$mode: no reading", on => $mode);
    my $log = $server->tmp . "/$mode.log";
    $server->wait_for(sub { slurp($log) =~ /\n.*\n.*\n/ });
    unlike slurp($log), qr/[^-\n]/, "$mode: no variables";
}
like $server->settled_log,
    qr{iri:\ report:\ would\ serve\ "/\S+":\ form\ legacy,
        \ charset\ "EUC-JP",\ match\ charset,\ [\ \w]+,
        \ file\ "/[!-~]+",\ reason=[-a-z]+,\ request\ "/}x,
    'report: the entry and the form';
like $server->settled_log, qr{iri: report: .*reason=unreadable.*request "/%FF"},
    'report: a refusal';

# ---- IRIInvalid
answer_is(percent(euc '/下/上/表.txt'), 400, undef, 'invalid 400', on => 'bad');
answer_is('/plain.txt', 200, undef, 'invalid 400, ASCII', on => 'bad');
answer_is('/%FE%FE', 404, undef, 'invalid pass', on => 'pass');
my $pass = $server->tmp . '/pass.log';
ok $server->wait_for(sub { slurp($pass) =~ /^invalid$/m }),
    'invalid pass: the form';

# ---- limits: one log line, no reading
my $long = '/%E8%A1%A8' x 200;
is $server->get($long)->status, 404, 'too many segments';
is scalar(() = $server->settled_log =~ /^.*reason=limit,.*$/mg), 1,
    'one log line';

is_deeply [$server->errors(ignore => qr/has no effect/)], [], 'log';

# ---- IRIRedirect where only an application can decide
my ($site) = make_tree([qw(app.txt=front front/x.txt=x fall/x.txt=x
    media/é.txt=media)]);
spew("$site/front/.htaccess", <<'END');
RewriteEngine On
RewriteCond %{REQUEST_FILENAME} !-f
RewriteRule ^ /app.txt [L]
END
mkdir "$site/$_" for qw(into into/public);
spew("$site/into/.htaccess", <<'END');
RewriteEngine On
RewriteCond %{REQUEST_URI} !^/into/public/
RewriteRule ^(.*)$ public/$1 [END]
END
spew("$site/into/public/日.txt", 'public');
my $front = httpd(
    root => $site, modules => [qw(rewrite proxy proxy_http info)],
    conf => <<"END");
IRIEngine On
IRICharset Shift_JIS
IRIRedirect 301
RewriteEngine On
RewriteRule ^/last/ "$site/app.txt"
RewriteRule ^/pt/ /app.txt [PT]
AliasMatch "^/alias/(.*)\$" "$site/media/\$1"
ProxyPass /up/ http://127.0.0.1:%%PORT%%/front/
<Directory "%%ROOT%%">
    AllowOverride FileInfo
</Directory>
<Location "/fall">
    FallbackResource /app.txt
</Location>
<Location "/lost">
    FallbackResource /nosuch.txt
</Location>
<Location "/handled">
    SetHandler server-info
</Location>
<Location "/files">
    SetHandler default-handler
</Location>
END
sub front_answers {
    my ($target, $status, $location, $test_name, %option) = @_;
    my $method = $option{method} // 'GET';
    my $answer = $front->request($method, $target);
    my $got = $answer->header('Location');
    $got =~ s{^http://[^/]+}{} if defined $got;
    is join(' ', $answer->status, $got // ()),
        join(' ', $status, $location // ()), $test_name;
    return;
}
for ('/front/', '/fall/', '/last/', '/pt/', '/up/', '/handled/') {
    front_answers("${_}e%CC%81?a=%e9", 301, "${_}%C3%A9?a=%e9", "$_: NFD");
    front_answers("$_\xC3\xA9", 301, "${_}%C3%A9", "$_: raw");
    front_answers("${_}%c3%a9", 301, "${_}%C3%A9", "$_: lower case");
    front_answers("${_}%61", 301, "${_}a", "$_: a needless escape");
    front_answers("$_%93%FA", 200, undef, "$_: a legacy path");
    front_answers("${_}%C3%A9", 200, undef, "$_: canonical");
    front_answers("${_}a", 200, undef, "$_: ASCII");
    front_answers("${_}a/./e%CC%81", 200, undef, "$_: other segments");
}
front_answers("/lost/$_", 404, undef, "nothing answers: /lost/$_")
    for 'e%CC%81', '%61', '%93%FA';
front_answers("/files/$_", 404, undef, "the handler of files alone: /files/$_")
    for 'e%CC%81', '%61', '%93%FA';
front_answers('/alias/e%CC%81.txt', 301, '/alias/%C3%A9.txt',
    'a file of an alias');
front_answers('/alias/e%CC%81', 404, undef, 'an absent file of an alias');
front_answers("/into/$_", 404, undef, "a rule leads to nothing: /into/$_")
    for 'e%CC%81', '%61', '%93%FA', "\xC3\xA9";
front_answers("/into/$_", 301, '/into/%E6%97%A5.txt', "and to a file: /into/$_")
    for '%93%FA.txt', '%e6%97%a5.txt', '日.txt';
front_answers('/into/%E6%97%A5.txt', 200, undef, 'canonical, by a rule');
front_answers("${_}%2e/x.txt", 200, undef, "$_: a dot-segment")
    for qw(/pt/ /front/ /fall/);
front_answers('/app%2Etxt?%2E', 301, '/app.txt?%2E', 'a needless escape');
front_answers('/app%2Etxt', 301, '/app.txt', 'HEAD', method => 'HEAD');
front_answers('/app.tx%74', 405, undef, 'PUT', method => 'PUT');
front_answers('/%66ront/x.txt', 301, '/front/x.txt',
    'a needless escape in a directory');
front_answers('http://localhost/%66ront/x.txt', 301, '/front/x.txt',
    'in absolute-form');
front_answers('/./front//x.txt', 200, undef,
    'other segments are not redirected');
done_testing;
