# httpd: names that differ in width, case, accents or spelling: the rules of
# the entry decide, one redirect for the whole path, each directory has its own
# settings, and paths cost nothing extra where nothing is folded.
use IRI::Test 'httpd';
use Digest::SHA 'sha1_base64';

my ($root) = make_tree(join '', map { escaped($_) . "\tfile\n" } qw(
    Docs/Guide/Intro.html Docs/Résumé.txt Docs/index.html Docs/a%b.txt
    Secret/s.txt Denied/s.txt Denied/Twin.txt Denied/TWIN.txt Asked/s.txt
    Rule/s.txt Hidden/s.txt Exact/Folder/s.txt Exact/S.txt Exact/Fold/S.txt
    plain/S.txt Literal/S.txt Files/Config.php Files/Page.txt Files/.Dot
    Views/Page.txt.en Views/Page.html Write/Readme.txt Cache/Page.txt
    Encoded/S.txt Width/ｶﾞｲﾄﾞ.txt cgi-bin/Tool.sh Redirect/Deep/Page.txt
    Redirect/Twin.txt Redirect/TWIN.txt Redirect/Off/Page.txt top.txt
    Exactly/S.txt Proxied/none.txt Index/Index.html Fallback/Front.html));
my ($alias) = make_tree(join '', map { escaped($_) . "\tfile\n" }
        qw(Page.txt Secret.txt Sub/Page.txt));
spew("$root/Page.txt", 'that of the path without dots');
symlink "$alias/Sub", "$root/Alt";
spew("$root/Hidden/.htaccess", "Require all denied\n");
spew("$root/Rule/.htaccess", <<'END_RULE');
RewriteEngine On
RewriteRule ^s\.txt$ - [F]
RewriteRule ^to$ s2.txt
END_RULE
spew("$root/Rule/s2.txt", 'rewritten');
spew("$root/Docs/Tool.cgi", <<'END_CGI');
#!/bin/sh
printf 'Content-Type: text/plain\n\n'
printf '%s|' "$REQUEST_METHOD" "$SCRIPT_NAME" "$PATH_INFO" "$IRI_MATCH" \
    "$IRI_PATH" "$IRI_FORM" "$QUERY_STRING" "$REQUEST_URI" "$REDIRECT_STATUS"
cat
END_CGI
spew("$root/cgi-bin/Tool.sh", slurp("$root/Docs/Tool.cgi"));
chmod 0755, "$root/Docs/Tool.cgi", "$root/cgi-bin/Tool.sh";
spew("$root/page.shtml", join '|', map {"<!--#include $_ -->"}
        'virtual="/DOCS/GUIDE/intro.HTML"', 'virtual="/DENIED/S.TXT"',
    'file="TOP.txt"', 'file="top.txt"');
spew("$root/users", 'u:{SHA}' . sha1_base64('p') . "=\n");
utime time - 864000, time - 864000, "$root/Cache/Page.txt";
my $tmp = temp_dir();
mkdir "$tmp/cache";
chmod 0777, "$tmp/cache";
system 'chown', '-R', 'www-data', $root if $> == 0;

my $server = httpd(
    root => $root, tmp => $tmp, h2 => 1, log_level => 'info',
    modules => [qw(rewrite cgid include cache cache_disk auth_basic
        authn_file authz_user proxy proxy_http dav dav_fs headers setenvif
        negotiation userdir speling)],
    conf => <<"END");
DavLockDB "%%TMP%%/run/lock"
AddHandler cgi-script .cgi
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
Header always set X-Match "%{IRI_MATCH}e"
Header always set X-Expr "expr=%{IRI_MATCH} %{IRI_PATH}"
<VirtualHost 127.0.0.1:%%PORT%%>
    IRIEngine On
    IRIMatch width case accents spelling
    <Directory "$root">
        AllowOverride All
        Options +ExecCGI +Includes +FollowSymLinks
    </Directory>
    <Location "/Denied">
        Require all denied
    </Location>
    <Location "/Secret/s.txt">
        Require all denied
    </Location>
    <Location "/Asked">
        AuthType Basic
        AuthName here
        AuthBasicProvider file
        AuthUserFile "$root/users"
        Require valid-user
    </Location>
    <FilesMatch "\\.php\$">
        Require all denied
    </FilesMatch>
    <Directory "$root/Literal">
        Require all denied
    </Directory>
    <Directory "$root/Exact">
        IRIMatch exact
    </Directory>
    <Directory "$root/Exact/Fold">
        IRIMatch case
    </Directory>
    <Directory "$root/Views">
        Options +MultiViews
    </Directory>
    <Directory "$root/Write">
        Dav On
    </Directory>
    <Directory "$root/Fallback">
        FallbackResource /Fallback/Front.html
    </Directory>
    RewriteEngine On
    RewriteRule "^/Encoded/" "-" [F]
    RewriteCond %{REQUEST_METHOD} PUT
    RewriteCond %{LA-U:REQUEST_FILENAME} "/Readme\\.txt\$"
    RewriteRule "^/Write/README\\.txt" "-" [F]
    RewriteRule "^/pt/(.*)" "/Docs/\$1" [PT]
    RewriteRule "^/file/(.*)" "$alias/\$1"
    RewriteRule "^/dots" "$root/Docs/../top.txt"
    RewriteRule "^/up" "$root/Alt/../Page.txt"
    ScriptAlias "/cgi-bin/" "$root/cgi-bin/"
    Alias "/other" "$alias"
    <Directory "$alias">
        Require all granted
    </Directory>
    <Directory "$alias/Sub">
        FallbackResource /top.txt
    </Directory>
    <Location "/other/Secret.txt">
        Require all denied
    </Location>
    ProxyPass "/Proxied/" "http://127.0.0.1:%%PORTplain%%/plain/"
    <Location "/Redirect">
        IRIRedirect 301
    </Location>
    <Location "/Redirect/Off">
        IRIRedirect off
    </Location>
    <Location "/Hidden">
        IRIRedirect 301
    </Location>
    SetEnvIf Request_URI "^/DOCS" SEEN=upper
    SetEnvIf Request_URI "^/Docs" SEEN=real
    Header always set X-Seen "%{SEEN}e"
    CacheRoot "$tmp/cache"
    CacheEnable disk "/Cache"
    CacheHeader On
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTplain%%>
    IRIEngine On
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine report
    IRIMatch case
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTspeling%%>
    IRIEngine On
    IRIMatch width
    CheckSpelling On
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTstatus%%>
    IRIEngine On
    IRIMatch case
    IRIRedirect 308
    DirectorySlash Off
</VirtualHost>
END

chmod 0777, "$tmp/run";    # DavLockDB

sub location_of {
    return ($_[0]->header('Location') // 'none') =~ s{^http://[^/]+}{}r;
}

# ---- found ------------------------------------------------------------------
my $answer = $server->get('/DOCS/guide/INTRO.html');
is $answer->body, 'Docs/Guide/Intro.html', 'three segments';
is $answer->header('X-Match'),  'case', 'the level, as a variable';
is $answer->header('X-Expr'),   'case /Docs/Guide/Intro.html', 'expressions';
is $answer->header('X-Seen'),   'real', 'SetEnvIf sees the found name only';
is $answer->header('Location'), undef,  'no redirect without IRIRedirect';
ok index($server->settled_log, 'iri: "/DOCS/guide/INTRO.html" found as '
        . '"/Docs/Guide/Intro.html": case, reason=folded, request "/DOCS/') > 0,
    'one line, with the level';
for (['/Docs/Resume.txt', 'accents'], ['/docs/resume.txt', 'accents'],
    ['/Docs/R%C3%A9sum%C3%A9s.txt', 'spelling'],
    ['/Docs/R%C3%89SUM%C3%89.TXT', 'case'],
    ['/%EF%BC%A4ocs/Guide/Intro.html', 'width'])
{
    my ($target, $match) = @$_;
    $answer = $server->get($target);
    is $answer->status, 200, "$target";
    is $answer->header('X-Match'), $match, "$target: $match";
}
$answer = $server->get('/Docs/Guide/Intro.html');
is $answer->header('X-Match'), 'exact', 'an exact name';
is $answer->header('X-Expr'), 'exact /Docs/Guide/Intro.html',
    'expressions, an exact name';
is $server->get('/Docs/Guide/Nothing.html')->header('X-Match'), '(null)',
    'an absent name has no level';
is $server->get('/docs/A%25B.txt')->body, 'Docs/a%b.txt', 'a percent sign';
is $server->request('HEAD', '/DOCS/guide/intro.html')->status, 200, 'HEAD';
is $server->request('OPTIONS', '/DOCS/guide/intro.html')->status, 200,
    'OPTIONS';
is $server->get('/DOCS/guide/intro.html', proto => 'h2')->body,
    'Docs/Guide/Intro.html', 'h2';
is $server->get('/DOCS/guide/nothing.html')->status, 404, 'absent';
is $server->get('//DOCS/./x/../guide/intro.html')->body,
    'Docs/Guide/Intro.html', 'slashes and dots';
is $server->get('/files/.dot')->body, 'Files/.Dot',
    'a dot file, by a name with a dot';
is $server->get('/files/dot')->status, 404, 'but not by a name without it';
is $server->get('/plain/s.txt', port => $server->port('plain'))->status, 404,
    'not found if width is not ignored';

# ---- rules apply to the found name ------------------------------------------
is $server->get($_)->status, 403, "denied: $_"
    for '/denied/s.txt', '/DENIED/S.TXT', '/Denied/s.txt', '/Denyed/s.txt',
    '/denied/absent.txt', '/denied', '/DENIED/', '/denied/twin.txt',
    '/%EF%BC%A4enied/s.txt', '/secret/s.txt', '/Secret/S.TXT',
    '/hidden/s.txt', '/HIDDEN/absent.txt', '/rule/S.TXT', '/Rule/S.txt',
    '/encoded/s.txt', '/ENCODED/none.txt', '/literal/s.txt',
    '/LITERAL/', '/files/config.PHP', '/FILES/config.php',
    '/Files/%43ONFIG.php', '/Files/Config.%EF%BD%90hp', '/other/secret.txt',
    '/Other2/../denied/s.txt', '//denied//s.txt';
is $server->get('/OTHER/secret.txt')->status, 404,
    'an alias prefix is not folded';
is $server->get('/asked/S.txt')->status, 401,
    'a password is requested';
is $server->get('/asked/S.txt', headers => [Authorization => 'Basic dTpw'])
    ->status, 200, 'with the password';
is $server->get('/proxied/s.txt')->status, 404,
    'ProxyPass with a directory in another case';
is $server->get('/proxied/S.txt')->body, 'plain/S.txt', 'the forwarded path';

# ---- rewriting, aliases -----------------------------------------------------
is $server->get('/pt/guide/intro.html')->body, 'Docs/Guide/Intro.html',
    'after a rewrite';
is $server->get('/other/page.txt')->body, 'Page.txt', 'below an alias';
is $server->get('/other/sub/PAGE.txt')->body, 'Sub/Page.txt', 'a deeper path';
is $server->get('/file/Page.txt')->body, 'Page.txt', 'a path of files';
is $server->get('/file/page.txt')->body, 'Page.txt', 'in another case';
is $server->get('/file/Sub/page.txt')->body, 'Sub/Page.txt', 'a deeper path';
is $server->get('/dots')->body, 'top.txt', 'with dot-segments';
is $server->get('/up')->body, 'that of the path without dots',
    'httpd removes dot-segments before links are resolved';
is $server->get('/RULE/to')->body, 'rewritten', 'a rule of the found directory';
is $server->get('/Fallback/none')->body, 'Fallback/Front.html',
    'FallbackResource';
is $server->get('/FALLBACK/none')->body, 'Fallback/Front.html',
    'FallbackResource of the found directory';

# ---- directories ------------------------------------------------------------
is $server->get('/docs/')->body, 'Docs/index.html', 'an index';
is $server->get('/docs/')->header('X-Match'), 'case', 'found by case';
is $server->get('/index/')->body, 'Index/Index.html', 'an index by case';
$answer = $server->get('/docs?q');
is $answer->status, 301, 'the slash of a directory';
is location_of($answer), '/Docs/?q', 'with the found name';
is $server->get('/views/Page')->status, 200, 'MultiViews below';
is $server->get('/DOCS', port => $server->port('status'))->status, 308,
    'DirectorySlash Off';
is location_of($server->get('/DOCS', port => $server->port('status'))),
    '/Docs', 'redirects to the found name';

# ---- the settings of each directory -----------------------------------------
for (['/Exact/S.txt', 200], ['/Exact/s.txt', 404], ['/exact/S.txt', 200],
    ['/exact/s.txt', 404], ['/EXACT/folder/s.txt', 404],
    ['/EXACT/Folder/s.txt', 200], ['/exact/Fold/s.txt', 200],
    ['/exact/fold/s.txt', 404], ['/Exactly/s.txt', 200], ['/Exact/Fold/s.txt', 200])
{
    is $server->get($_->[0])->status, $_->[1], "$_->[0] is $_->[1]";
}

# ---- programs ---------------------------------------------------------------
is $server->get('/docs/TOOL.cgi?Q')->body,
    'GET|/Docs/Tool.cgi||case|/Docs/Tool.cgi|ascii|Q|/docs/TOOL.cgi?Q||',
    'variables';
is $server->get('/docs/tool.CGI/More/Of%20It')->body,
    'GET|/Docs/Tool.cgi|/More/Of It|case|/Docs/Tool.cgi/More/Of It|ascii||'
    . '/docs/tool.CGI/More/Of%20It||', 'PATH_INFO is the rest of the path';
is $server->get('/Docs/Tool.cgi/GUIDE')->body,
    'GET|/Docs/Tool.cgi|/GUIDE|exact|/Docs/Tool.cgi/GUIDE|ascii||'
    . '/Docs/Tool.cgi/GUIDE||', 'PATH_INFO is not folded';
like $server->request('POST', '/docs/tool.cgi', body => 'b' x 7000)->body,
    qr/^POST\|.*\|b{7000}\z/, 'POST';
like $server->get('/CGI-bin/tool.SH')->body, qr{^GET\|/cgi-bin/Tool\.sh\|},
    'ScriptAlias in another case: executed, not sent';
like $server->get('/page.shtml')->body,
    qr{^Docs/Guide/Intro\.html\|\[an error.*\]\|\[an error.*\]\|top\.txt$},
    'subrequests: found, denied, file= exact';

# ---- methods that write: t/dav.t, t/cases/fold/write.tsv ---------------------
is $server->request('PUT', '/Write/README.txt', body => 'new')->status, 409,
    'PUT of another case, where a rule looks ahead';
ok !-e "$root/Write/README.txt", 'no entry is created';

# ---- one redirect -----------------------------------------------------------
for (['/redirect/deep/PAGE.txt?a=B', 301, '/Redirect/Deep/Page.txt?a=B'],
    ['/REDIRECT/deep/page.TXT', 301, '/Redirect/Deep/Page.txt'],
    ['/redirect/deep', 301, '/Redirect/Deep/'],
    ['/redirect/deep/', 301, '/Redirect/Deep/'],
    ['/redirect/deep/none', 404, 'none'], ['/redirect/none', 404, 'none'],
    ['/redirect/off/page.txt', 200, 'none'],
    ['/Redirect/Deep/Page.txt', 200, 'none'],
    ['/redirect/TWin.txt', 404, 'none'], ['/hidden/S.txt', 403, 'none'])
{
    my ($target, $status, $location) = @$_;
    $answer = $server->get($target);
    is $answer->status, $status, "$target: $status";
    is location_of($answer), $location, "$target: to $location";
}
is $server->request('POST', '/redirect/deep/page.txt', body => 'x')
    ->header('Location'), undef, 'POST is not redirected';

# ---- caches -----------------------------------------------------------------
$server->get('/cache/PAGE.txt');
$server->wait_for(sub { `find $tmp/cache -name '*.header'` });
like $server->get($_)->header('X-Cache') // '', qr/^HIT/, "cached: $_"
    for '/cache/page.txt', '/Cache/Page.txt', '/CACHE/PAGE.TXT';
is scalar(split ' ', `find $tmp/cache -name '*.header'`), 1, 'one entry';

# ---- report, mod_speling ----------------------------------------------------
is $server->get('/DOCS/Guide/Intro.html', port => $server->port('report'))
    ->status, 404, 'report: no change';
$server->get($_, port => $server->port('report'))
    for '/DOCS/nosuch.html', '/DOCS/caf%C3%A9';
for (
    ['folded', '/Docs/Guide/Intro.html', 'case'],
    ['absent', '/Docs/nosuch.html', 'none'],
    ['absent', '/Docs/caf%C3%A9', 'none'],
) {
    my ($code, $path, $match) = @$_;
    like $server->settled_log, qr{iri:\ report:\ .*\Q"$path"\E:
        \ form\ \w+,\ charset\ "\S*",\ match\ $match,.*reason=$code\b}x,
        "$code $path";
}
is $server->get('/Docs/Guide/Intro.html', port => $server->port('report'))
    ->status, 200, 'report, as it is';
is $server->get('/Docs/Guide/intro.html', port => $server->port('speling'))
    ->status, 301, 'mod_speling handles names that the module does not find';

# ---- settings ---------------------------------------------------------------
for my $conf ('IRIMatch width case accents spelling', 'IRIMatch CASE:tr',
    'IRIAmbiguous 300', 'IRICache off', 'IRICache 64k')
{
    my ($code, $out) = httpd_t("$conf\n", root => $root);
    is $code, 0, $conf or diag $out;
}

# ---- folders with settings of their own -------------------------------------
my ($own) = make_tree(join '', map { escaped($_) . "\tfile\n" }
        qw(İstanbul/Kılavuz.html Twins/Twin.txt Twins/TWIN.txt));
mkdir "$own/$_" or die $! for 'cp', 'euc', 'cp/Deep';
spew("$own/cp/Men\xFC.html", 'cp');
spew("$own/cp/Deep/Men\xFC.html", 'exact');
spew("$own/euc/\xC9\xBD.html", 'euc');
system 'chown', '-R', 'www-data', $own if $> == 0;
my $places = httpd(
    root => $own, log_level => 'info', modules => ['headers'],
    conf => <<"END");
Header always set X-Match "%{IRI_MATCH}e"
IRIEngine On
<Directory "$own">
    IRIMatch width case accents spelling
</Directory>
<Directory "$own/İstanbul">
    IRIMatch width case:tr
</Directory>
<Directory "$own/Twins">
    IRIAmbiguous 300
</Directory>
<Directory "$own/cp">
    IRIFilenameCharset windows-1252
</Directory>
<Directory "$own/cp/Deep">
    IRIMatch case
</Directory>
<Directory "$own/euc">
    IRIFilenameCharset EUC-JP
</Directory>
END
for (['/İSTANBUL/KILAVUZ.HTML', 200, 'case'],
    ['/İSTANBUL/Kılavuzz.html', 404, 'none'], ['/İstanbuul/KILAVUZ.html',
        200, 'spelling'], ['/CP/menu.html', 200, 'accents'],
    ['/CP/MENÜ.html', 200, 'case'], ['/cp/menuu.html', 200, 'spelling'],
    ['/CP/deep/MENÜ.html', 200, 'case'], ['/CP/deep/menu.html', 404, '(null)'],
    ['/ＣP/DEEP/MENÜ.html', 200, 'case'], ['/EUC/表.HTML', 200, 'case'],
    ['/TWINS/twin.txt', 300, '(null)'])
{
    my ($target, $status, $match) = @$_;
    my $answer = $places->get(
        $target =~ s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ger);
    is $answer->status, $status,
        "$target, a directory with its own settings: $status";
    is $answer->header('X-Match'), $match, "$target: $match";
}

# With each size of the cache, also none and a small one, twice each.
for my $cache ('off', '64k', '16m') {
    my $small = httpd(root => $root, conf => <<"END");
IRICache $cache
IRIEngine On
IRIMatch case
END
    for my $number (1, 2) {
        is $small->get('/DOCS/guide/intro.html')->body,
            'Docs/Guide/Intro.html', "IRICache $cache, $number";
        is $small->get('/DOCS/guide/none.html')->status, 404,
            "IRICache $cache, absent, $number";
    }
}
done_testing;
