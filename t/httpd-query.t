# httpd: IRIQueryCharset converts the parameters of a query to UTF-8 before any
# rule sees them; rules, CGI, logs, proxies and caches see one form.
use IRI::Test 'httpd';
use Digest::MD5 'md5_hex';
use IRI::Queries qw($so query_cases);

# ---- the directive ----------------------------------------------------------

for my $text ('none', 'Shift_JIS EUC-JP nfc', 'nfc', 'UTF-8', 'none nfc') {
    my ($code, $output) = httpd_t("IRIEngine On\nIRIQueryCharset $text\n");
    is $code, 0, "accepted: $text" or diag $output;
}

# ---- one server --------------------------------------------------------------

my ($root) = make_tree([qw(index.html=index dir/index.html=directory
    表.txt=table several/README=a several/ReadMe=b key/a.txt=key),
    'ssi.shtml=<!--#include virtual="/say.cgi?q=%83%5C" -->|<!--#echo var="QUERY_STRING" -->']
    );
spew("$root/say.cgi", <<'END');
#!/bin/sh
printf 'Content-Type: text/plain\nCache-Control: max-age=600\n\n'
printf '%s|%s|%s|%s' "$QUERY_STRING" "$IRI_QUERY" "$REQUEST_URI" "$MAPPED"
END
chmod 0755, "$root/say.cgi";
mkdir "$root/made";
spew("$root/made/.htaccess",
    "RewriteEngine On\nRewriteRule ^(.*\\.x)\$ /say.cgi?q=\$1 [L]\n");
my $tmp = temp_dir();
mkdir "$tmp/cache";
chmod 0777, "$tmp/cache";
spew("$tmp/users", 'u:here:' . md5_hex('u:here:p') . "\n");

my $server = httpd(
    root => $root, tmp => $tmp, log_level => 'warn iri:info',
    modules => [qw(rewrite cgid include headers proxy proxy_http cache
        cache_disk setenvif auth_digest authn_file authz_user)],
    conf => <<'END');
AddHandler cgi-script .cgi
AddOutputFilter INCLUDES .shtml
<Directory "%%ROOT%%">
    Options +ExecCGI +Includes
    AllowOverride All
</Directory>
IRIEngine On
IRICharset Shift_JIS
IRIQueryCharset Shift_JIS windows-1252
<VirtualHost 127.0.0.1:%%PORT%%>
    LogFormat "%r %U%q" query
    CustomLog "%%TMP%%/query.log" query
    <If "%{IRI_QUERY} == 'q=%E3%82%BD'">
        Header set X-Seen so
    </If>
    <If "%{QUERY_STRING} =~ /%E7%A7%98%E5%AF%86/">
        Require all denied
    </If>
    RewriteEngine On
    RewriteCond %{QUERY_STRING} q=%E3%82%BD
    RewriteRule ^ - [E=MAPPED:so]
    RewriteRule ^/qsa$ /say.cgi?p=1 [PT,QSA]
    RewriteRule ^/to$ /new [R=302]
    RewriteRule ^/p/(.*)$ http://127.0.0.1:%%PORTback%%/say.cgi/$1 [P]
    ProxyPass /up http://127.0.0.1:%%PORTback%%/say.cgi
    ProxyPass /raw http://127.0.0.1:%%PORTback%%/say.cgi nocanon
    <Location /moved>
        IRIRedirect 301
    </Location>
    Alias /moved "%%ROOT%%"
    <Directory "%%ROOT%%/several">
        IRIMatch case
        IRIAmbiguous 300
    </Directory>
    <Location /key>
        AuthType Digest
        AuthName here
        AuthDigestProvider file
        AuthUserFile "%%TMP%%/users"
        Require valid-user
    </Location>
    ErrorDocument 404 /say.cgi?q=%83%5C
    ProxyPass /cached http://127.0.0.1:%%PORTback%%/say.cgi
    CacheRoot "%%TMP%%/cache"
    CacheEnable disk /cached
    CacheHeader On
    CacheDefaultExpire 600
    CacheIgnoreNoLastMod On
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTnfc%%>
    IRIQueryCharset nfc
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTnone%%>
    IRIQueryCharset none
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine Report
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTback%%>
    IRIEngine Off
</VirtualHost>
END

query_cases($server, say => '/say.cgi', reported => '', up => {
    '/up/a%2Cb' => '/say.cgi/a,b', '/p/a' => '/say.cgi/a',
    '/raw/a%2Cb' => '/say.cgi/a%2Cb' });

sub answer { return IRI::Queries::answer($server, @_) }

# ---- queries that httpd changes ---------------------------------------------

is answer('/qsa?q=%83%5C'), "p=1&q=$so|p=1&q=$so|/qsa?q=%83%5C|so",
    'RewriteRule with QSA';
is $server->get('/to?q=%83%5C')->header('Location'),
    'http://localhost:' . $server->port . "/new?q=$so",
    'the redirect of RewriteRule with QSA';
is answer('/none?a=1'), "q=$so|q=$so|/none?a=1|so",
    'ErrorDocument with another query';
is answer('/made/%2583%255C.x'), 'q=%83%5C.x||/made/%2583%255C.x|',
    'the arguments that a rule of .htaccess makes';
is answer('/ssi.shtml?x=%83%5C'), "q=$so|q=$so|/ssi.shtml?x=%83%5C|so|x=$so",
    'a subrequest, and the request itself';
is answer('/raw/%95%5C?q=%83%5C'), "q=$so||/say.cgi/%E8%A1%A8?q=$so|",
    'path and query, nocanon';

my $several = $server->get('/several/readme?q=%83%5C',
    headers => [Accept => 'application/json']);
is $several->status, 300, 'several candidates';
is join(' ', $several->body =~ /"uri":"([^"]+)"/g),
    '/several/README?q=%83%5C /several/ReadMe?q=%83%5C', 'query unchanged';

$server->get("/cached/a.txt?q=$so");
$server->wait_for(sub { `find $tmp/cache -name '*.header'` });
like $server->get("/cached/a.txt?q=$_->[0]")->header('X-Cache'), $_->[1],
    "cache: $_->[0]"
    for ['%83%5C', qr/^HIT/], ['%83\\', qr/^HIT/], [$so, qr/^HIT/],
    ['%83%41', qr/^MISS/];

# The client signs the target that it sends.
my ($nonce) = $server->get('/key/a.txt?q=%83%5C')
    ->header('WWW-Authenticate') =~ /nonce="([^"]+)"/;
my $signed = '/key/a.txt?q=%83%5C';
my $digest = md5_hex(join ':', md5_hex('u:here:p'), $nonce, '00000001', 'c',
    'auth', md5_hex("GET:$signed"));
is $server->get($signed, headers => [Authorization =>
    "Digest username=\"u\", realm=\"here\", nonce=\"$nonce\", uri=\"$signed\","
    . " qop=auth, nc=00000001, cnonce=\"c\", response=\"$digest\""])->status,
    200, 'Digest';

$server->get("/index.html?log=%83%5C");
$server->settle;
like slurp("$tmp/query.log"),
    qr{^GET /index\.html\?log=%83%5C HTTP/1\.1 /index\.html\?log=\Q$so\E$}m,
    'log: %r as sent, %q in UTF-8';

done_testing;
