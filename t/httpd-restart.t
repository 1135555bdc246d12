# httpd: a restart begins with the client's own URL, and no change that rules
# made for another spelling survives it: so a rule on a URL judges every
# spelling that leads to the same entry, whatever other rules stand between the
# URL and the disk. And a denied name gets the same answer whether it exists or
# not.
use IRI::Test 'httpd';
use Digest::SHA 'sha1_base64';

# "/日本" as "/%E6%97%A5%E6%9C%AC"
sub percent { return $_[0] =~ s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ger }

# Status and body of a request.
sub answer {
    my ($server, $target, %option) = @_;
    my $answer = $server->request($option{method} // 'GET', $target, %option);
    my $body = $answer->status == 200 ? $answer->body : '';
    return $answer->status . ($body ne '' ? " $body" : '');
}

# All spellings have the same response as the first one, and it is this.
sub responses_are {
    my ($server, $expected, $test_name, @targets) = @_;
    for my $target (@targets) {
        is answer($server, percent($target)), $expected, "$test_name: $target";
    }
    return;
}

# The parameters that programs receive.
my $PROGRAM = <<'END';
#!/bin/sh
printf 'Content-Type: text/plain\n\n'
printf '%s [%s] [%s] [%s] [%s]' "$REQUEST_METHOD" "$QUERY_STRING" "$OK" \
    "$REDIRECT_STATUS" "$HTTP_X_APP"
cat
END

sub program {
    my ($file) = @_;
    spew($file, $PROGRAM);
    chmod 0755, $file;
    return;
}

# ---- everything into public/, by .htaccess -----------------------------------

my ($root) = make_tree([qw(public/admin/a.txt public/Docs/Page.txt
    public/〜内部/a.txt public/index.html public/Err.html public/é/a.txt)]);
program("$root/public/admin/run.cgi");
program("$root/public/Docs/run.cgi");
spew("$root/users", 'u:{SHA}' . sha1_base64('p') . "=\n");
my $INTO = <<'END';
RewriteEngine On
RewriteCond %{ENV:REDIRECT_STATUS} ^$
RewriteRule ^public/ - [F]
RewriteCond %{REQUEST_URI} !^/public/
RewriteRule ^(.*)$ public/$1 [L]
END
my $CONF = <<'END';
IRIEngine On
AddHandler cgi-script .cgi
<Directory "%%ROOT%%">
    AllowOverride All
    Options +ExecCGI
</Directory>
<Location "/admin">
    AuthType Basic
    AuthName here
    AuthBasicProvider file
    AuthUserFile "%%ROOT%%/users"
    Require valid-user
</Location>
<Location "/〜内部">
    Require all denied
</Location>
END
my @MODULES = qw(rewrite cgid auth_basic authn_file authz_user);

sub rewrite_server {
    my ($settings, %option) = @_;
    return httpd(root => $root, modules => \@MODULES, log_level => 'info',
        conf => $CONF . $settings, %option);
}

# Rules of the server that lead below public/, a name that is itself denied.
my $GUARD = <<'END';
RewriteEngine On
RewriteCond %{THE_REQUEST} "^\S+ /public/"
RewriteRule ^ - [F]
RewriteRule "^/(admin|〜内部|é)(/|$)" - [F]
RewriteCond %{REQUEST_URI} !^/public/
END
my %into = (
    '.htaccess' => [$INTO, ''],
    map({ my $flags = $_;
            ("server, [$flags]" => ['',
                    $GUARD . "RewriteRule ^/(.*)\$ /public/\$1 [$flags]\n"])
        } 'PT', 'L', 'END', 'PT,QSA', 'PT,END', 'L,E=OK:1'),
    '<Directory>' => ['',
        "<Directory \"%%ROOT%%\">\n" . $INTO . "</Directory>\n"],
    '.htaccess, [END]' => [$INTO =~ s/\[L\]$/[END]/mr, ''],
    'AliasMatch' => ['', "AliasMatch ^/public/ /nowhere\n"
            . "AliasMatch \"^/(.*)\$\" \"%%ROOT%%/public/\$1\"\n"],
);
for my $how (sort keys %into) {
    my ($htaccess, $rules) = @{ $into{$how} };
    my $denied = $rules =~ /admin/ ? 403 : 401;
    if ($htaccess ne '') {
        spew("$root/.htaccess", $htaccess);
    } else {
        unlink "$root/.htaccess";
    }
    my $server = rewrite_server("IRIMatch case\n$rules");
    responses_are($server, $denied, "$how: a denied program", '/admin/run.cgi',
        '/Admin/run.cgi', '/ADMIN/RUN.CGI', '/admin/Run.cgi', '//Admin/run.cgi',
        '/x/../Admin/run.cgi', '/%41dmin/run.cgi', '/Admin/none.cgi',
        '/admin/none.cgi', '/Admin', '/Admin/');
    responses_are($server, '200 public/Docs/Page.txt', "$how: a page",
        '/Docs/Page.txt', '/docs/page.txt');
    like $server->get('/public/admin/run.cgi')->status, qr/\A40[34]\z/,
        "$how: the inner name";
    like $server->get('/Public/Admin/run.cgi')->status, qr/\A40[134]\z/,
        "$how: the inner name, in another case";
    like answer($server, '/docs/run.cgi?a=1', method => 'POST', body => 'b'),
        qr/\A200 POST \[a=1\] .*b\z/, "$how: a program gets the request";
    my $client = $server->client;
    for my $target ('/docs/page.txt', '/Admin/run.cgi', '/docs/run.cgi',
        '/docs/none', '/docs/page.txt')
    {
        my $answer = $client->request($target);
        is $answer->status, $target =~ /Admin/ ? $denied
            : $target =~ /none/ ? 404 : 200, "$how: in one connection, $target";
    }
    ok $client->{persistent}, "$how: the connection is kept";
    my $variants = rewrite_server("IRICharset Shift_JIS\n$rules");
    responses_are($variants, 403, "$how: variants", '/〜内部/a.txt', '/～内部/a.txt',
        '/〜内部/none.txt', '/～内部/none.txt');
    my $repairs = rewrite_server("IRIRepair double-encoding %u\n$rules"
        . "<Location \"/é\">\nRequire all denied\n</Location>\n");
    responses_are($repairs, 403, "$how: repaired", '/é/a.txt', '/%u00e9/a.txt',
        '/%u00e9/none.txt');
    # In a directory mod_rewrite redirects to a path that httpd decodes again:
    # without the module "%25C3" leads there, too.
    responses_are($repairs, 403, "$how: repaired", '/%25C3%25A9/a.txt',
        '/%25C3%25A9/none.txt') if $how !~ /htaccess|Directory/;
    is_deeply [$_->errors], [], "$how: log" for $server, $variants, $repairs;
}

# ---- changes by rules do not survive ----------------------------------------

my ($down) = make_tree([qw(download/secret.txt ｱｲ/a.txt Free/A.txt
    Cached/Page.txt)]);
program("$down/Free/Run.cgi");
my $tmp = temp_dir();
mkdir "$tmp/cache";
chmod 0777, "$tmp/cache";
my $rules = httpd(
    root => $down, tmp => $tmp, log_level => 'info',
    modules => [qw(rewrite cgid headers setenvif env remoteip cache
        cache_disk)],
    conf => <<'END');
IRIEngine On
IRICharset EUC-JP Shift_JIS
IRIMatch case variants
AddHandler cgi-script .cgi
<Directory "%%ROOT%%">
    Options +ExecCGI
</Directory>
RewriteEngine On
RewriteCond %{REQUEST_URI} "^/(download|ｱｲ)/"
RewriteCond %{QUERY_STRING} !(^|&)member=1(&|$)
RewriteRule ^ - [F,L]
RewriteCond %{REQUEST_URI} "!^/(download|ｱｲ)/"
RewriteRule ^(.*)$ $1?member=1 [QSA,L,E=OK:rule]
RequestHeader append X-App front early
RemoteIPHeader X-Forwarded-For
RemoteIPTrustedProxy 127.0.0.0/8
Header set By "expr=%{REMOTE_ADDR} by %{note:remoteip-proxy-ip-list}"
CacheRoot "%%TMP%%/cache"
CacheEnable disk "/Cached"
CacheEnable disk "/cached"
END
responses_are($rules, 403, 'arguments', '/download/secret.txt',
    '/DOWNLOAD/secret.txt', '/Download/Secret.TXT');
is answer($rules, '/%B1%B2/a.txt'), 403, 'arguments, by charset';
is answer($rules, '/free/run.cgi?a=1'),
    '200 GET [member=1&a=1] [rule] [] [front]',
    'a rule is applied once, and so is RequestHeader early';
for my $target ('/Free/A.txt', '/free/a.txt') {
    is $rules->get($target,
        headers => ['X-Forwarded-For', '192.0.2.9, 198.51.100.8'])
        ->header('By'), '198.51.100.8 by 127.0.0.1', "$target: proxies";
}
my $etag = $rules->get('/Cached/Page.txt')->header('ETag');
$rules->get('/cached/page.txt') for 1, 2;
utime time, time, "$down/Cached/Page.txt";
is $rules->get('/cached/page.txt',
    headers => ['Cache-Control' => 'max-age=0'])->status, 200,
    'a GET without conditions gets no 304';

# ---- environment, access ------------------------------------------------------

my $env = httpd(root => $down, log_level => 'info',
    modules => [qw(rewrite setenvif env)], conf => <<'END');
IRIEngine On
IRIMatch case
RewriteEngine On
RewriteCond %{REQUEST_URI} !^/download/
RewriteRule ^ - [E=ok:1]
SetEnvIf Request_URI "^/download" locked
SetEnvIf Request_URI "^/DOWN" ok=1
<Directory "%%ROOT%%/download">
    <RequireAll>
        Require env ok
        Require not env locked
    </RequireAll>
</Directory>
END
responses_are($env, 403, 'environment', '/download/secret.txt',
    '/DOWNLOAD/secret.txt', '/Download/none.txt', '/download/none.txt');

# ---- writing -----------------------------------------------------------------

my ($dav) = make_tree("public/app/secret/a.txt\tfile\tsecret\n"
    . "public/app/free.txt\tfile\tfree\n");
my $writer = httpd(root => $dav, log_level => 'info',
    modules => [qw(rewrite dav dav_fs)], conf => <<'END');
IRIEngine On
IRIMatch width
DavLockDB "%%TMP%%/run/lock"
<Directory "%%ROOT%%">
    Dav On
</Directory>
RewriteEngine On
RewriteRule "^/app/secret(/|$)" - [F]
RewriteRule "^/app/(.*)$" "/public/app/$1" [PT]
END
system 'chown', '-R', 'www-data', $dav if $> == 0;
chmod 0777, $writer->tmp . '/run';
my $port = $writer->port;
for my $name ('secret', 'ｓecret', 'ｓｅｃｒｅｔ') {
    my $to = percent("/app/$name/neu");
    is answer($writer, $to, method => 'PUT', body => 'x'), 403, "PUT $name";
    is answer($writer, percent("/app/$name/a.txt"), method => 'DELETE'), 403,
        "DELETE $name";
    is answer($writer, '/app/free.txt', method => 'COPY',
        headers => [Destination => "http://localhost:$port$to"]), 403,
        "COPY to $name";
}
is answer($writer, percent('/app/ｆree.txt'), method => 'PUT', body => 'new'),
    204,
    'PUT in another width';
is slurp("$dav/public/app/free.txt"), 'new', 'replaces the entry';
ok -e "$dav/public/app/secret/a.txt", 'no entry was removed';
ok !-e "$dav/public/app/secret/neu",  'no entry was created';

# ---- existing and absent names have the same response -----------------------

my ($store) = make_tree([qw(store/private/Ärzte.txt private/Ärzte.txt
    data/日本語/Plan2.txt private/Sub/Ärzte.txt)]);
program("$store/store/private/Ärzte.cgi");
my $MEDIA = <<'END';
IRIEngine On
<Directory "%%ROOT%%">
    Options +MultiViews
    AcceptPathInfo On
</Directory>
<Directory "%%ROOT%%/store/private">
    Require all denied
</Directory>
<Directory "%%ROOT%%/private">
    Require all denied
</Directory>
<Location "/data/日本語">
    Require all denied
</Location>
AddHandler cgi-script .cgi
IRIRepair %u double-encoding
END

# Status and header fields of a response that could disclose something.
sub disclosed_fields {
    my ($server, $target) = @_;
    my $answer = $server->get(percent($target));
    return join '|', $answer->status,
        map { $_ . '=' . ($answer->header($_) // '') }
        qw(Vary Location Content-Type Content-Length Link ETag Last-Modified);
}
for my $rule (
    'AliasMatch "^/media/(.*)$" "%%ROOT%%/store/$1"',
    'ScriptAliasMatch "^/media/(.*)$" "%%ROOT%%/store/$1"',
    "RewriteEngine On\nRewriteRule \"^/media/(.*)\$\" \"%%ROOT%%/store/\$1\"",
    "RewriteEngine On\nRewriteRule \"^/media/(.*)\$\" \"/store/\$1\"",
    "RewriteEngine On\nRewriteRule \"^/media/(.*)\$\" \"/store/\$1\" [PT]",
    "RewriteEngine On\nRewriteRule \"^/media/(.*)-\$\" \"/store/\$1\"",
    'Alias "/media/" "%%ROOT%%/store/"')
{
    for my $match ('case', 'spelling', 'accents width') {
        my $server = httpd(root => $store, modules => [qw(rewrite negotiation
                cgid)], log_level => 'info', conf => <<"END");
${MEDIA}IRIMatch $match
$rule
END
        for my $pair (['/media/private/ärzte.txt', '/media/private/äpfel.txt'],
            ['/media/private/Ärzte.txt', '/media/private/Äpfel.txt'],
            ['/media/private/ärzte.txt/x', '/media/private/äpfel.txt/x'],
            ['/media/private/ärzte', '/media/private/äpfel'],
            ['/media/private/ärztr.txt', '/media/private/äpftr.txt'],
            ['/media/private/arzte.txt', '/media/private/apfel.txt'],
            ['/media/private/ärzte.txt-', '/media/private/äpfel.txt-'],
            ['/PRIVATE/%25C3%2584rzte.txt', '/PRIVATE/%25C3%2584pfel.txt'],
            ['/private/sub/%25C3%2584rzte.txt',
                '/private/sub/%25C3%2584pfel.txt'],
            ['/data/%u65E5%u672C%u8A9E/Plan2.txt',
                '/data/%u65E5%u672C%u8A9E/Pzan3.txt'],
            ['/data/%u65E5%u672C%u8A9E/Plan3.txt',
                '/data/%u65E5%u672C%u8A9E/Pjan3.txt'])
        {
            my ($there, $absent) = @$pair;
            my $disclosed = disclosed_fields($server, $absent);
            is disclosed_fields($server, $there), $disclosed,
                "$rule, $match: $there";
            unlike $disclosed, qr/\A200/, "$rule, $match: $absent";
        }
    }
}

# ---- error pages, subrequests -------------------------------------------------

my ($page) = make_tree([qw(Page/Gone.html Page/Index.html Page/Secret.html
    Page/Other.html docs/A.txt public/Docs/a.txt)]);
spew("$page/page.shtml", '[<!--#include virtual="/page/gone.html" -->]');
spew("$page/denied.shtml", '[<!--#include virtual="/page/secret.html" -->]');
my $pages = httpd(root => $page, modules => [qw(include rewrite cgid)],
    log_level => 'info', conf => <<'END');
IRIEngine On
IRIMatch case
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
DirectoryIndex index.html
<Directory "%%ROOT%%">
    Options +Includes +ExecCGI
</Directory>
AddHandler cgi-script .cgi
<Location "/Page/Secret.html">
    Require all denied
</Location>
<Location "/Page/Other.html">
    Require all denied
</Location>
ErrorDocument 404 /page/gone.html
ErrorDocument 403 /page/secret.html
END
for my $target ('/none', '/Docs/none', '/docs/B.txt') {
    my $answer = $pages->get($target);
    is $answer->status . ' ' . $answer->body, '404 Page/Gone.html',
        "an error page restarts: $target";
}
my $answer = $pages->get('/page/other.html');
is $answer->status, 403, 'a denied name has a denied error page';
unlike $answer->body, qr/Secret/, 'the denied page is not sent';
is answer($pages, '/DOCS/a.txt'), '200 docs/A.txt', 'a page without an error';
is answer($pages, '/page.shtml'), '200 [Page/Gone.html]', 'a subrequest';
unlike answer($pages, '/denied.shtml'), qr/Secret/, 'a denied subrequest';
is answer($pages, '/page/'), '200 Page/Index.html', 'an index in another case';
# Nor is anything about the found name disclosed.
my $denied = httpd(root => $page, modules => [qw(include rewrite cgid)],
    log_level => 'info', conf => <<'END');
IRIEngine On
IRIMatch case
IRIRepair double-encoding
AddHandler cgi-script .cgi
<Directory "%%ROOT%%">
    Options +ExecCGI
</Directory>
RewriteEngine On
RewriteRule "^(/[Pp]age/.*)" - [E=SEEN:$1]
<LocationMatch "(?i)^/page/(?<name>.*)">
    Require all denied
</LocationMatch>
ErrorDocument 403 /vars.cgi
LogFormat "%{IRI_PATH}e" vars
END
spew("$page/vars.cgi", "#!/bin/sh\nprintf 'Content-Type: text/plain\\n\\n'\n"
    . "env | grep -v PORT | sort\n");
chmod 0755, "$page/vars.cgi";
spew("$page/Page/\xC3\xA9.html", "Secret\n");
my ($there, $absent) = map { $denied->get("/Page/%25C3%25$_.html")->body }
    qw(A9 A8);
is $there =~ s/A9/A8/gr, $absent, 'variables of a denied name that is repaired';
like $there, qr{^REDIRECT_URL=/Page/%C3%A9\.html$}m, 'its REDIRECT_URL';
($there, $absent) = map { $denied->get("/page/$_.html")->body }
    qw(other absen);
is $there =~ s/other/absen/gr, $absent, 'variables of a denied name';
like $there, qr{^REDIRECT_URL=/page/other\.html$}m, 'REDIRECT_URL';
like $there, qr{^REDIRECT_SEEN=/page/other\.html$}m, 'a variable of a rule';

# A path that is encoded twice is the one path that httpd decodes again and
# again in the same place.
spew("$page/Page/Öde.html", 'told');
($there, $absent) = map { $denied->get("/Page/%25C3%2596$_.html")->body }
    qw(de da);
is $there =~ s/de\.html/da.html/gr, $absent, 'encoded twice';
like $there, qr{^REDIRECT_URL=/Page/%C3%96de\.html$}m,
    'encoded twice: REDIRECT_URL';

# Nor about the rule that led to it, in the server or in a directory.
mkdir "$page/$_" for 'Vars', 'Vars/Dir', 'Vars/Näme';
spew("$page/Vars/$_", 'vars') for 'Dir/Other.html', 'Näme/Öther.html';
spew("$page/.htaccess", <<'END');
RewriteEngine On
RewriteRule "^in/(.*)" "/Vars/$1?in=1" [L,E=IN:1]
END
for my $log ('', 'LogFormat "%{IRI_PATH}e %{IRI_MATCH}e" vars') {
    my $led = httpd(root => $page, modules => [qw(rewrite cgid)],
        log_level => 'info', conf => <<"END");
IRIEngine On
IRIMatch case
AddHandler cgi-script .cgi
<Directory "%%ROOT%%">
    Options +ExecCGI
    AllowOverride FileInfo
</Directory>
RewriteEngine On
RewriteRule "^/pt/(.*)" "/Vars/\$1?pt=1" [PT,E=PT:1]
<Location "/Vars">
    Require all denied
</Location>
ErrorDocument 403 /vars.cgi
$log
END
    for my $top (qw(pt in Vars)) {
        for my $name (['Dir/OTHER.html', 'Dir/ABSEN.html'],
            ['DIR/Other.html', 'DIR/Absen.html'],
            ['N%C3%A4me/%C3%96THER.html', 'N%C3%A4me/%C3%96BSEN.html'])
        {
            my ($there, $absent) = map { $led->get("/$top/$_")->body } @$name;
            my ($from, $to) = map { m{([A-Za-z]+)\.html} } @$name;
            is $there =~ s/$from/$to/gr, $absent,
                "a page for a denied name behind a rule, \"$log\": "
                . "$top/$name->[0]";
        }
    }
    is_deeply [$led->errors(ignore => qr/AH01630/)], [], 'rules: log';
}
unlink "$page/.htaccess";

# "%uXXXX" is accepted from the client, not from a rule: httpd decodes the path
# of a redirect again, and rejects it.
spew("$page/.htaccess", "RewriteEngine On\n"
    . "RewriteCond %{ENV:REDIRECT_STATUS} ^\$\nRewriteRule ^(x.*)\$ y\$1 [L]\n");
my $units = httpd(root => $page, modules => ['rewrite'], conf => <<'END');
IRIEngine On
IRIRepair %u
FallbackResource /Page/Gone.html
<Directory "%%ROOT%%">
    AllowOverride FileInfo
</Directory>
END
is $units->get('/x%25u00e9')->status, 400, 'units that a rule makes';
is_deeply [grep { !/AH10244|invalid URI/ } $units->errors], [], 'units: log';
unlink "$page/.htaccess";

# A program that causes an internal redirect has run: it does not run again,
# and the rest of its output is read.
my $runs = $pages->tmp . '/runs';
spew("$page/go.cgi", "#!/bin/sh\necho run >> $runs\n"
    . "printf 'Location: /docs/%s\\n\\n' \"\$QUERY_STRING\"\n");
chmod 0755, "$page/go.cgi";
chmod 0777, $pages->tmp;
is answer($pages, '/GO.CGI?A.txt', method => 'POST', body => 'x'),
    '200 docs/A.txt', 'a program with an internal redirect';
is slurp($runs), "run\n", 'the program runs once';
my $missed = $pages->get('/go.cgi?a.txt');
is $missed->status, 404, 'the target is not folded';
is slurp($runs), "run\nrun\n", 'the program does not run again';

# The connection is kept after a restart.
my $client = $pages->client;
for my $target ('/none', '/DOCS/a.txt', '/page/', '/DOCS/none') {
    is $client->request($target)->status, $target =~ /none/ ? 404 : 200,
        "in one connection: $target";
}
done_testing;
