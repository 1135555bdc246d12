# Near matches (which they are: t/cases/fold) on both servers: the rules of the
# found name decide, for every directive by which a server opens files; one
# redirect for the whole path; each directory has its own settings. Methods that
# write: t/dav.t, t/cases/fold/write.tsv.
use IRI::Test;
use Digest::SHA 'sha1_base64';
use IRI::Gateway;

my $LEVELS = 'width case accents spelling';
my ($root) = make_tree([qw(Docs/Guide/Intro.html
    Docs/Résumé.txt Docs/index.html Docs/a%b.txt Secret/s.txt Denied/s.txt
    Denied/Twin.txt Denied/TWIN.txt Asked/s.txt Rule/s.txt Hidden/s.txt
    Exact/Folder/s.txt Exact/S.txt Exact/Fold/S.txt plain/S.txt Literal/S.txt
    Files/Config.php Files/.Dot Views/Page.txt.en
    Views/Page.html Write/Readme.txt Cache/Page.txt Encoded/S.txt
    cgi-bin/Tool.sh Redirect/Deep/Page.txt Redirect/Twin.txt
    Redirect/TWIN.txt Redirect/Off/Page.txt Redirect/Shut.txt Redirect/Été.txt
    top.txt Exactly/S.txt Proxied/none.txt Index/Index.html Fallback/Front.html
    Inner/Thing.txt Asking/index.html Ask Missing Within handed/Name app.php
    INFO.PHP var/Site/File.txt dav/none var/roots/Name.txt pages/Gone.html
    zipped.css zipped.css.gz two/Name.txt two/NAME.txt),
    'ssi/Page.shtml=<!--#include virtual="/DOCS/Guide/INTRO.html" -->',
    'ssi/shut.shtml=<!--#include virtual="/INNER/THING.TXT" -->']);
my ($alias) = make_tree([qw(Page.txt Secret.txt Sub/Page.txt)]);
spew("$root/Page.txt", 'that of the path without dots');
symlink "$alias/Sub", "$root/Alt";
symlink "$root/Denied", "$root/linked";
chmod 0, "$root/Redirect/Shut.txt";

each_server(sub { $_[0] eq 'nginx' ? on_nginx() : on_httpd() });
done_testing;

# ---- both --------------------------------------------------------------------

sub both {
    my ($server, $name) = @_;
    my @options = (name => $name, user => [headers =>
        [Authorization => 'Basic dTpw']], h2 => [proto => 'h2',
        $name eq 'nginx' ? (port => $server->port('h2')) : ()]);
    rows_are($server, <<'END', @options);
request  status  body  X-Match  location
/DOCS/guide/INTRO.html  200  Docs/Guide/Intro.html  case  none
/Docs/Resume.txt  200  Docs/R\xC3\xA9sum\xC3\xA9.txt  accents
/docs/resume.txt  200  Docs/R\xC3\xA9sum\xC3\xA9.txt  accents
/Docs/R%C3%A9sum%C3%A9s.txt  200  Docs/R\xC3\xA9sum\xC3\xA9.txt  spelling
/Docs/R%C3%89SUM%C3%89.TXT  200  Docs/R\xC3\xA9sum\xC3\xA9.txt  case
/%EF%BC%A4ocs/Guide/Intro.html  200  Docs/Guide/Intro.html  width
/Docs/Guide/Intro.html  200  Docs/Guide/Intro.html  exact
/Docs/Guide/Nothing.html  404  -  ~none|\(null\)
/docs/A%25B.txt  200  Docs/a%b.txt
HEAD /DOCS/guide/intro.html  200
/DOCS/guide/intro.html +h2  200  Docs/Guide/Intro.html
/DENIED/s.txt +h2  403
/DOCS/guide/nothing.html  404
//DOCS/./x/../guide/intro.html  200  Docs/Guide/Intro.html
/files/.dot  200  Files/.Dot
/files/dot  404
plain:/plain/s.txt  404
/docs/  200  Docs/index.html  case
/docs?q  301  -  -  /Docs/?q
END
    rows_are($server, <<'END', @options);
request  status  body  location
/asked/S.txt  401
/asked/S.txt +user  200  Asked/s.txt
/OTHER/secret.txt  404
/other/page.txt  200  Page.txt
/other/sub/PAGE.txt  200  Sub/Page.txt
/pt/guide/intro.html  200  Docs/Guide/Intro.html
/Redirect/deep/PAGE.txt?a=%41  301  -  /Redirect/Deep/Page.txt?a=%41
/Redirect/DEEP  301  -  /Redirect/Deep/
/Redirect/deep/  301  -  /Redirect/Deep/
/Redirect/ete.txt  301  -  /Redirect/%C3%89t%C3%A9.txt
/Redirect/deep/none  404  -  none
/Redirect/Deep/Page.txt  200  -  none
/Redirect/TWin.txt  404  -  none
/Hidden/S.txt  403  -  none
HEAD /Redirect/deep/page.txt  301
POST /Redirect/deep/page.txt  -  -  none
report:/DOCS/guide/Intro.html  404
report:/DOCS/nosuch.html  404
report:/DOCS/caf%C3%A9  404
report:/two/name.txt  404
report:/Docs/Guide/Intro.html  200
END
    is $server->get($_)->status, 403, "$name: denied: $_" for qw(/denied/s.txt
        /DENIED/S.TXT /Denied/s.txt /Denyed/s.txt /Dneied/s.txt
        /denied/absent.txt /denied /DENIED/ /denied/twin.txt
        /%EF%BC%A4enied/s.txt /D%C3%A9nied/s.txt /secret/s.txt /Secret/S.TXT
        /hidden/s.txt /HIDDEN/absent.txt /rule/S.TXT /Rule/S.txt
        /encoded/s.txt /ENCODED/none.txt /literal/s.txt /LITERAL/
        /files/config.PHP /FILES/config.php /Files/%43ONFIG.php
        /Files/Config.%EF%BD%90hp /other/secret.txt /Other2/../denied/s.txt
        //denied//s.txt);
    my $found = $server->get('/DOCS/guide/INTRO.html');
    is $found->header('X-Seen'), 'real', "$name: rules see the found name only";
    my $log = $server->settled_log;
    like $log, qr{iri:\ "$_->[0]"\ found\ as\ "$_->[1]":\ $_->[2],
        \ reason=folded}x, "$name: log: $_->[2]"
        for ['/DOCS/guide/INTRO.html', '/Docs/Guide/Intro.html', 'case'],
        ['/Docs/Resume.txt', '/Docs/R%C3%A9sum%C3%A9.txt', 'accents'];
    unlike $log, qr{iri: "/Docs/Guide/Intro.html" is|
        report:\ .*"/Docs/Guide/Intro\.html":\ .*match\ exact}x,
        "$name: log: nothing about exact names";
    ok $server->wait_for(sub { $server->settled_log =~ m{iri:\ report:\ .*
        \Q"$_->[1]"\E:\ form\ \w+,\ charset\ "\S*",\ match\ $_->[2],
        .*reason=$_->[0]\b}x }), "$name: report: @$_"
        for ['folded', '/Docs/Guide/Intro.html', 'case'],
        ['absent', '/Docs/nosuch.html', 'none'],
        ['absent', '/Docs/caf%C3%A9', 'none'],
        ['ambiguous', '/two/name.txt', 'case'];
    return;
}

# ---- nginx -------------------------------------------------------------------

sub on_nginx {
    my $tmp = temp_dir();
    spew("$tmp/users", "u:{PLAIN}p\n");
    my $fcgi = IRI::Gateway->new('fastcgi');
    my $server = nginx(root => $root, tmp => $tmp, log_level => 'info',
        conf => <<'END' =~ s/%%FCGI%%/$fcgi->port/er =~ s/%%ALIAS%%/$alias/gr);
default_type text/plain;
map $uri $kind { default other; ~^/Docs real; ~^/DOCS upper; }
server { listen 127.0.0.1:%%PORTshut%%; location / { return 403; } }
server { listen 127.0.0.1:%%PORTup%%;
    location / { return 200 "up $request_uri"; }
    location /accel/ { add_header X-Accel-Redirect $arg_to; return 200; }
    location ~ ^/accel/at(/.*) { add_header X-Accel-Redirect $1; return 200; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    root %%ROOT%%;
    iri on;
    iri_match normalization width case accents spelling;
    iri_cache 256k;
    add_header X-Match $iri_match always;
    add_header X-Seen $kind always;
    add_header X-Vars "$iri_uri $uri $iri_form $iri_filename" always;
    index index.html;

    location /Denied { deny all; }
    location = /Secret/s.txt { deny all; }
    location /Asked/ { auth_basic x; auth_basic_user_file %%TMP%%/users; }
    location /Hidden/ { deny all; iri_redirect 301; }
    location /Rule/ { if ($uri = /Rule/s.txt) { return 403; } }
    location /Encoded/ { return 403; }
    location /Literal/ { deny all; }
    location ~ ^/Files/.*\.php$ { deny all; }
    location /other/ { alias %%ALIAS%%/; }
    location = /other/Secret.txt { deny all; }
    location /pt/ { rewrite ^/pt/(.*) /Docs/$1 last; }
    location /Redirect/ { iri_redirect 301; }
    location /linked/ { iri_redirect 302; disable_symlinks on; }

    location /Inner/ { internal; }
    location = /_asked { internal; if ($arg_no = "") { return 204; } }
    location = /Askd { if ($arg_no = "") { set $x y; } }
    location = /Askt { try_files $uri @named; }
    location /request/ { auth_request /_asked; alias %%ROOT%%/; }
    location /ask { proxy_pass http://127.0.0.1:%%PORTshut%%; }
    location /within { internal; if ($arg_no = "") { return 403; } }
    location /asking2/ { auth_request /within; alias %%ROOT%%/; }
    location /handed/ { root %%TMP%%; try_files $uri @up; }
    location @up { root %%ROOT%%; proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /missing { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /asking/ { auth_request /ask; alias %%ROOT%%/; }
    location /missed/ { error_page 404 = /missing; }
    location /rewritten/ { rewrite ^/rewritten(/.*) $1 last; }
    location ~ \.php$ {
        fastcgi_pass 127.0.0.1:%%FCGI%%;
        fastcgi_param SCRIPT_FILENAME $request_filename;
        fastcgi_param SCRIPT_NAME $fastcgi_script_name;
    }
    location ~ \.css$ { gzip_static on; }
    location ~ ^/capture/(.*)$ { alias %%ROOT%%/$1; }
    location /variable/ {
        set $site var; rewrite ^/variable(/.*) $1 break;
        root %%ROOT%%/$site;
    }
    location /Site/ { set $site var; root %%ROOT%%/$site; }
    location /try/ { alias %%ROOT%%/; try_files $uri $uri/ @named; }
    location @named { return 200 "named $uri"; }
    location /break/ { rewrite ^/break(/.*) $1 break; }
    location /last/ { rewrite ^/last(/.*) $1 last; }
    location /if/ {
        alias %%ROOT%%/;
        if (-f $request_filename) { return 200 "is a file"; }
        return 200 "is none";
    }
    location /accel/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /ssi/ { ssi on; ssi_types *; }
    location /error/ { error_page 404 /PAGES/gone.HTML; }
    location /fallback/ {
        error_page 404 = @fallback; root %%TMP%%; try_files $uri =404;
    }
    location /roots/ { root %%ROOT%%/dav; try_files $uri @other; }
    location @other { root %%ROOT%%/var; }
    location @fallback { root %%ROOT%%; rewrite ^/fallback(/.*) $1 break; }
}
server { listen 127.0.0.1:%%PORTplain%%; root %%ROOT%%; iri on; }
server {
    listen 127.0.0.1:%%PORTrules%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    if ($uri = /top.txt) { return 403; }
    location / {
        if (!-e $request_filename) { return 200 "asked $uri"; }
    }
    location /rules/ { return 200 "asked $uri"; }
    location /Docs/ { }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOT%%;
    iri report;
    iri_match case;
}
END
    both($server, 'nginx');
    rows_are($server, <<"END", gzip => [headers => ['Accept-Encoding', 'gzip']]);
request  status  body  X-Vars  note
/TOP.TXT  200  top.txt  /top.txt /top.txt ascii $root/top.txt
/capture/TOP.TXT  404  -  -  alias with captures: not folded
/capture/top.txt  200  top.txt  -  exact
/variable/Site/File.txt  200  var/Site/File.txt
/variable/SITE/file.TXT  200  var/Site/File.txt  -  root with variables
/try/TOP.TXT  200  top.txt
/try/Docs/GUIDE/intro.html  200  Docs/Guide/Intro.html  -  several segments
/try/NOTHING  200  named /try/NOTHING  -  a named location
/break/TOP.TXT  200  top.txt
/last/TOP.TXT  200  top.txt
/last/DENIED/s.txt  403
/if/TOP.TXT  200  is a file
/if/NOTHING  200  is none
/accel/?to=/TOP.TXT  404  -  -  not a path that the client sent
/accel/?to=/top.txt  200  top.txt
/accel/at/TOP.TXT  200  top.txt
/accel/at/INNER/Thing.TXT  200  Inner/Thing.txt
/ssi/PAGE.shtml  200  Docs/Guide/Intro.html
/ssi/shut.shtml  200  Inner/Thing.txt  -  an internal location
/error/nothing  404  pages/Gone.html
/fallback/TOP.TXT  200  top.txt  -  a named location with a root
/roots/Name.txt  200  var/roots/Name.txt  -  a path under two roots
/roots/NAME.txt  200  var/roots/Name.txt
/ZIPPED.CSS +gzip  200  zipped.css.gz
POST /TOP.TXT  405
/INNER/thing.txt  404  -  -  internal
/request/TOP.txt  200  top.txt  -  auth_request: a file is not its URI
/Askd  404  -  -  paths in the configuration are not folded
/Askt  200  named /Askt  -  the same with try_files
/asking/top.txt  403  -  -  auth_request to an upstream
/asking/TOP.TXT  403
/asking2/top.txt  403
/handed/name  200  up /handed/name  -  passed on unchanged
/missed/nothing  200  up /missing  -  error_page of a proxied location
/rewritten/missing  200  Missing  -  a rewritten path is folded
/missing  200  Missing
/APP.PHP  200  ~^SCRIPT_FILENAME=\Q$root\E/app\\.php\\nSCRIPT_NAME=/app\\.php\\n
/info.php  200  INFO.PHP  -  outside of script locations
rules:/Top.txt  403
rules:/nothing.txt  200  asked /nothing.txt  -  forwarded as sent
rules:/docs/guide/intro.HTML  200  Docs/Guide/Intro.html
rules:/rules/page.HTML  200  asked /rules/page.HTML  -  without a lookup
/Redirect/SHUT.txt  403  -  -  an unreadable file
END
    is $server->get('/break/DENIED/s.txt')->body,
        $server->get('/break/Denied/s.txt')->body,
        'rewrite break: rules of the found name';
    is $server->get('/linked/S.txt')->status,
        $server->get('/linked/none')->status,
        'no redirect below a disabled symbolic link';
    return;
}

# ---- httpd -------------------------------------------------------------------

sub httpd_files {
    my ($tmp) = @_;
    spew("$root/Hidden/.htaccess", "Require all denied\n");
    spew("$root/Rule/.htaccess", <<'END');
RewriteEngine On
RewriteRule ^s\.txt$ - [F]
RewriteRule ^to$ s2.txt
END
    spew("$root/Rule/s2.txt", 'rewritten');
    my $tool = <<'END';
#!/bin/sh
printf 'Content-Type: text/plain\n\n'
printf '%s|' "$REQUEST_METHOD" "$SCRIPT_NAME" "$PATH_INFO" "$IRI_MATCH" \
    "$IRI_PATH" "$IRI_FORM" "$QUERY_STRING" "$REQUEST_URI" "$REDIRECT_STATUS"
cat
END
    spew($_, $tool), chmod 0755, $_
        for "$root/Docs/Tool.cgi", "$root/cgi-bin/Tool.sh";
    spew("$root/page.shtml", join '|', map {"<!--#include $_ -->"}
        'virtual="/DOCS/GUIDE/intro.HTML"', 'virtual="/DENIED/S.TXT"',
        'file="TOP.txt"', 'file="top.txt"');
    spew("$tmp/users", 'u:{SHA}' . sha1_base64('p') . "=\n");
    utime time - 864000, time - 864000, "$root/Cache/Page.txt";
    mkdir "$tmp/cache";
    chmod 0777, "$tmp/cache";
    system 'chown', '-R', 'www-data', $root if $> == 0;
    return;
}

sub httpd_conf { return <<"END" }
DavLockDB "%%TMP%%/run/lock"
AddHandler cgi-script .cgi
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
DirectoryIndex index.html
Header always set X-Match "%{IRI_MATCH}e"
Header always set X-Expr "expr=%{IRI_MATCH} %{IRI_PATH}"
<VirtualHost 127.0.0.1:%%PORT%%>
    IRIEngine On
    IRIMatch $LEVELS
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
        AuthUserFile "%%TMP%%/users"
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
    CacheRoot "%%TMP%%/cache"
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

sub on_httpd {
    my $tmp = temp_dir();
    httpd_files($tmp);
    my $server = httpd(
        root => $root, tmp => $tmp, h2 => 1, log_level => 'info',
        modules => [qw(rewrite cgid include cache cache_disk auth_basic
            authn_file authz_user proxy proxy_http dav dav_fs headers setenvif
            negotiation speling)], conf => httpd_conf());
    chmod 0777, "$tmp/run";    # DavLockDB
    both($server, 'httpd');
    rows_are($server, <<'END');
request  status  body  location  X-Expr  note
/DOCS/guide/INTRO.html  200  -  none  case /Docs/Guide/Intro.html
/Docs/Guide/Intro.html  200  -  -  exact /Docs/Guide/Intro.html
OPTIONS /DOCS/guide/intro.html  200
/proxied/s.txt  404  -  -  -  ProxyPass with a directory in another case
/proxied/S.txt  200  plain/S.txt
/file/Page.txt  200  Page.txt  -  -  a path of files
/file/page.txt  200  Page.txt
/file/Sub/page.txt  200  Sub/Page.txt
/dots  200  top.txt
/up  200  that of the path without dots
/RULE/to  200  rewritten  -  -  a rule of the found directory
/Fallback/none  200  Fallback/Front.html
/FALLBACK/none  200  Fallback/Front.html
/index/  200  Index/Index.html  -  -  an index by case
/views/Page  200  -  -  -  MultiViews below
status:/DOCS  308  -  /Docs  -  DirectorySlash Off
/Exact/S.txt  200
/Exact/s.txt  404
/exact/S.txt  200
/exact/s.txt  404
/EXACT/folder/s.txt  404
/EXACT/Folder/s.txt  200
/exact/Fold/s.txt  200
/exact/fold/s.txt  404
/Exactly/s.txt  200
/Exact/Fold/s.txt  200
/docs/TOOL.cgi?Q  200  GET|/Docs/Tool.cgi||case|/Docs/Tool.cgi|ascii|Q|/docs/TOOL.cgi?Q||
/docs/tool.CGI/More/Of%20It  200  GET|/Docs/Tool.cgi|/More/Of It|case|/Docs/Tool.cgi/More/Of It|ascii||/docs/tool.CGI/More/Of%20It||
/Docs/Tool.cgi/GUIDE  200  GET|/Docs/Tool.cgi|/GUIDE|exact|/Docs/Tool.cgi/GUIDE|ascii||/Docs/Tool.cgi/GUIDE||
/CGI-bin/tool.SH  200  ~^GET\|/cgi-bin/Tool\.sh\|  -  -  executed, not sent
/page.shtml  200  ~^Docs/Guide/Intro\.html\|\[an error.*\]\|\[an error.*\]\|top\.txt$
PUT /Write/README.txt  409  -  -  -  where a rule looks ahead
/REDIRECT/deep/page.TXT  301  -  /Redirect/Deep/Page.txt
/redirect/none  404  -  none
/redirect/off/page.txt  200  -  none
/hidden/S.txt  403  -  none
speling:/Docs/Guide/intro.html  301  -  -  -  mod_speling
END
    like $server->request('POST', '/docs/tool.cgi', body => 'b' x 7000)->body,
        qr/^POST\|.*\|b{7000}\z/, 'POST';
    ok !-e "$root/Write/README.txt", 'no entry is created';

    $server->get('/cache/PAGE.txt');
    $server->wait_for(sub { `find $tmp/cache -name '*.header'` });
    like $server->get($_)->header('X-Cache') // '', qr/^HIT/, "cached: $_"
        for '/cache/page.txt', '/Cache/Page.txt', '/CACHE/PAGE.TXT';
    is scalar(split ' ', `find $tmp/cache -name '*.header'`), 1, 'one entry';

    for my $conf ("IRIMatch $LEVELS", 'IRIMatch CASE:tr',
        'IRIAmbiguous 300', 'IRICache off', 'IRICache 64k')
    {
        my ($code, $out) = httpd_t("$conf\n", root => $root);
        is $code, 0, $conf or diag $out;
    }
    own_settings();
    caches();
    return;
}

# Directories with settings of their own.
sub own_settings {
    my ($own) = make_tree([qw(İstanbul/Kılavuz.html Twins/Twin.txt
        Twins/TWIN.txt)]);
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
    IRIMatch $LEVELS
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
    rows_are($places, <<'END', name => 'own settings');
request  status  X-Match
/İSTANBUL/KILAVUZ.HTML  200  case
/İSTANBUL/Kılavuzz.html  404  none
/İstanbuul/KILAVUZ.html  200  spelling
/CP/menu.html  200  accents
/CP/MENÜ.html  200  case
/cp/menuu.html  200  spelling
/CP/deep/MENÜ.html  200  case
/CP/deep/menu.html  404  (null)
/ＣP/DEEP/MENÜ.html  200  case
/EUC/表.HTML  200  case
/TWINS/twin.txt  300  (null)
END
    return;
}

# Each size of the cache, also none and a small one, twice each.
sub caches {
    for my $cache ('off', '64k', '16m') {
        my $small = httpd(root => $root,
            conf => "IRICache $cache\nIRIEngine On\nIRIMatch case\n");
        rows_are($small, <<'END', name => "IRICache $cache, $_") for 1, 2;
request  status  body
/DOCS/guide/intro.html  200  Docs/Guide/Intro.html
/DOCS/guide/none.html  404
END
    }
    return;
}
