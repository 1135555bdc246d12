# httpd: the environment variable iri-charset: the charsets for reading a path
# depend on the client, and answers that depend on it have Vary.
use IRI::Test 'httpd';
use IRI::Both qw(client_cases is_undisclosed vary);

# ---- one server --------------------------------------------------------------

my ($root) = make_tree([qw(index.html=index été.txt=french йtй.txt=russian
    表.txt=table missing.html=missing dav/)]);
chmod 0777, "$root/dav";
spew("$root/say.cgi", "#!/bin/sh\nprintf 'Content-Type: text/plain\\n\\n'\n"
    . "printf '%s' \"\$PATH_INFO \$IRI_CHARSET\"\n");
chmod 0755, "$root/say.cgi";
my $tmp = temp_dir();
chmod 0777, $tmp;
mkdir "$tmp/cache";
chmod 0777, "$tmp/cache";

# Modules that set the variable in one server are in Vary of all servers.
sub start {
    my ($conf) = @_;
    return httpd(root => $root, log_level => 'warn iri:info', tmp => $tmp,
        modules => [qw(setenvif headers proxy proxy_http cgid dav dav_fs
            cache cache_disk rewrite auth_basic authn_file authn_core
            authz_user)],
        conf => "DavLockDB \"%%TMP%%/locks\"\nAddHandler cgi-script .cgi\n"
            . "<Directory \"%%ROOT%%\">\nOptions +ExecCGI\n</Directory>\n"
            . "IRIEngine On\n$conf");
}

my $server = start(octets(<<'END'));
BrowserMatch Russia iri-charset=windows-1251
BrowserMatchNoCase asia "iri-charset= euc-jp,sjis"
BrowserMatch None iri-charset=none
BrowserMatch Bad "iri-charset=sjis kling\xC3\xB6n"
BrowserMatch Unset iri-charset=sjis !iri-charset
IRICharset windows-1252
Header always set X-Charset "expr=%{IRI_CHARSET}"
<VirtualHost 127.0.0.1:%%PORT%%>
    ProxyPass /up/ http://127.0.0.1:%%PORTecho%%/
    ProxyPass /raw/ http://127.0.0.1:%%PORTecho%%/ nocanon
    Alias /moved "%%ROOT%%"
    <Location /moved>
        IRIRedirect 301
    </Location>
    Alias /own "%%ROOT%%"
    <Location /own>
        Header append Vary Origin
    </Location>
    Alias /page "%%ROOT%%/none"
    <Location /page>
        ErrorDocument 404 /missing.html
    </Location>
    Alias /deny "%%ROOT%%"
    <Location /deny>
        Require all denied
    </Location>
    Alias /paged "%%ROOT%%"
    <Location /paged>
        Require all denied
        ErrorDocument 403 /index.html
    </Location>
    Alias /valid "%%ROOT%%"
    <Location /valid>
        AuthType Basic
        AuthName realm
        Require valid-user
    </Location>
    Alias /rule "%%ROOT%%"
    <Location /rule>
        RewriteEngine On
        RewriteRule ^ - [F]
    </Location>
    <LocationMatch "^/secret/.*й">
        Require all denied
    </LocationMatch>
    <Location /dav>
        Dav On
    </Location>
    CacheRoot "%%TMP%%/cache"
    CacheEnable disk /cached
    CacheDefaultExpire 600
    CacheIgnoreNoLastMod On
    Alias /cached "%%ROOT%%"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine report
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTecho%%>
    IRIEngine Off
    RewriteEngine On
    RewriteCond %{THE_REQUEST} "^GET /(\S*)"
    RewriteRule ^ - [E=SENT:%1]
    Header always set X-Sent "expr=%{reqenv:SENT}"
</VirtualHost>
END

# The response: status, body if 200, Vary.
sub answer {
    my ($target, $agent, %option) = @_;
    return vary(delete $option{server} // $server, $target, $agent, %option);
}

my $either = '/%E9t%E9.txt';
is answer(@$_[0, 1]), $_->[2], $_->[3] for client_cases();
for my $round (1 .. 3) {
    is answer("/cached$either"), '200 french User-Agent',
        "cached, round $round";
    is answer("/cached$either", 'Russia'), '200 russian User-Agent',
        "cached for each client, round $round";
}
is answer('/%C9%BD.txt', 'ASIA'), '200 table User-Agent',
    'BrowserMatchNoCase';
is answer($either, 'Unset'), '200 french User-Agent', 'an unset variable';
is scalar(() = $server->settled_log
        =~ /:error\].*iri: .*"kling%C3%B6n" .*reason=charsets/g), 1,
        'logged once';
like $server->log_text, qr/iri: .*\biri-charset\b.* User-Agent$/m,
    "the fields for Vary";

like answer('/up/%C3%A9', 'Russia'), qr/^404[^,]*$/, 'UTF-8 upstream';
is answer("/secret$either", 'Russia'), '403 User-Agent',
    'rules apply to this reading';
is answer("/secret$either"), '404 User-Agent',
    'rules apply to the other reading';

for my $path ('up', 'raw') {
    my $up = $server->get("/$path/%E9", headers => ['User-Agent', 'Russia']);
    is $up->header('X-Sent'), '%D0%B9', "/$path forwards this reading";
    is $up->header('Vary'), 'User-Agent', 'Vary';
}
my $moved = $server->get("/moved$either", headers => ['User-Agent', 'Russia']);
is $moved->header('Location') =~ s{^http://[^/]*}{}r,
    '/moved/%D0%B9t%D0%B9.txt', 'redirect to this reading';
is $moved->header('Vary'), 'User-Agent', 'redirect: Vary';
is $server->get($either, headers => ['User-Agent', 'Russia'])
    ->header('X-Charset'), 'windows-1251', 'IRI_CHARSET';
is answer('/say.cgi/%E9', 'Russia'), "200 /\xD0\xB9 windows-1251 User-Agent",
    'CGI';
# Before access is granted a response does not disclose whether a name exists,
# not by Vary either.
is_undisclosed($server, @$_)
    for ['deny', 403], ['paged', 403], ['valid', 401], ['rule', 403];

is answer('/dav/%E9', 'Russia', method => 'PUT', body => 'x'),
    '201 User-Agent', 'PUT';
ok -e "$root/dav/\xD0\xB9", 'created under the canonical name';
like answer('/dav/%E9', 'Russia', method => 'MOVE', headers => ['Destination',
    'http://localhost:' . $server->port . '/dav/%E9%E9']),
    qr/^20/, 'MOVE';
ok -e "$root/dav/\xD0\xB9\xD0\xB9", 'Destination is read like the path';

is answer($either, 'Russia', port => 'report'), '404', 'report: no change';
# written after the response
ok $server->wait_for(sub { $server->settled_log
    =~ /report: would serve "\S*%D0%B9t%D0%B9.txt".*windows-1251/ }),
    'report: the log line';
is answer($either, 'Russia', port => 'off'), '404', 'off';
undef $server;

# ---- directives that set the charset ----------------------------------------

my @russian = ('Accept-Language', 'ru');
for (['Accept-Language', 'SetEnvIf Accept-Language ^ru iri-charset=koi8-r'
            . "\nSetEnvIfNoCase accept-language ^RU iri-charset=windows-1251",
        $either],
    ['Accept-Language, X-Old',
        "SetEnvIf Accept-Language ^ru is-ru\nSetEnvIf is-ru 1 ru=yes\n"
            . "SetEnvIf ru yes iri-charset=windows-1251\n"
            . 'SetEnvIf X-Old . ru=yes', $either],
    ['Accept-Language',
        q{SetEnvIfExpr "%{HTTP:Accept-Language} == 'ru'" }
            . 'iri-charset=windows-1251', $either],
    ['Accept-Language, User-Agent',
    q{SetEnvIfExpr "%{HTTP_USER_AGENT} == 'ru' || }
            . q{%{HTTP:Accept-Language} == 'ru'" iri-charset=windows-1251},
        $either],
    ['', 'SetEnvIf Request_URI t iri-charset=windows-1251', $either],
    ['', "SetEnvIf Remote_Addr ^127 iri-charset=windows-1251", $either],
    ['', "IRICharset windows-1251\nSetEnvIf Accept-Language ^ru other=sjis",
        $either])
{
    my ($vary, $conf, $target) = @$_;
    my $of = start("$conf\n");
    is answer($target, undef, server => $of, headers => [@russian]),
        join(' ', '200 russian', $vary || ()), "Vary by $conf";
}

done_testing;
