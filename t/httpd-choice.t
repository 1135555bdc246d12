# httpd, IRIAmbiguous: several candidates for a path: 404, or 300 with a list
# of those that the client may access, each by the rules for its own path.
use IRI::Test 'httpd';
use Digest::SHA 'sha1_base64';
use JSON::PP ();

my ($root) = make_tree([qw(Docs/README.txt Docs/ReadMe.txt Dir/Sub/a.txt
    Dir/SUB/a.txt Dir/Rest/a.txt Dir/REST/other.txt Part/Open.txt Part/OPEN.txt
    Part/oPen.txt Part/opeN.txt All/Shut.txt All/SHUT.txt Denied/Twin.txt
    Denied/TWIN.txt Login/Twin.txt Login/TWIN.txt Rules/Go.txt Rules/GO.txt
    Rules/gO.txt Rules/other.txt Server/Go.txt Server/GO.txt Server/gO.txt
    Server/other Quiet/Twin.txt Quiet/TWIN.txt Write/Twin.txt Write/TWIN.txt
    Views/Page.txt Views/PAGE.txt Views/page.html.en Fall/Twin Fall/TWIN
    Fall/front.html Eight/abcd Error/Twin.html Error/TWIN.html Sym/Twin.txt
    Expr/Twin.txt Expr/TWIN.txt Expr/tWin.txt Env/Twin.txt Env/TWIN.txt
    Env/tWin.txt Env/twIn.txt Mode/Twin.txt Mode/TWIN.txt Mode/Sub/a.txt
    Mode/SUB/a.txt Flag/Twin.txt Flag/TWIN.txt Flag/tWin.txt)]);
for my $bits (1 .. 14) {
    my $name = 'abcd';
    substr($name, $_, 1) = uc substr $name, $_, 1
        for grep { $bits & (1 << $_) } 0 .. 3;
    spew("$root/Eight/$name", $name);
}
unlink "$root/Eight/abcd";
symlink '/etc/passwd', "$root/Sym/TWIN.txt";
spew("$root/Part/.htaccess", <<'END');
<Files "OPEN.txt">
    Require all denied
</Files>
<Files "opeN.txt">
    Require valid-user
    AuthType Basic
    AuthName here
    AuthBasicProvider file
    AuthUserFile "/tmp"
</Files>
END
spew("$root/All/.htaccess", "<Files ~ \"^S(hut|HUT)\">\n"
        . "Require all denied\n</Files>\n");
spew("$root/Rules/.htaccess", <<'END');
RewriteEngine On
RewriteRule ^GO\.txt$ - [F]
RewriteRule ^gO\.txt$ other.txt
END
spew("$root/Env/.htaccess", <<'END');
SetEnvIf Request_URI "/tWin" SHUT
END
chmod 0, "$root/Mode/Twin.txt";
chmod 0300, "$root/Mode/SUB";
spew("$root/users", 'u:{SHA}' . sha1_base64('p') . "=\n");
spew("$root/page.shtml", '[<!--#include virtual="/Docs/readme.txt" -->]');
system 'chown', '-R', 'www-data', $root if $> == 0;

my $server = httpd(
    root => $root, log_level => 'info', h2 => 1,
    modules => [qw(rewrite include auth_basic authn_file authz_user dav
        dav_fs headers negotiation proxy proxy_http setenvif)],
    conf => <<"END");
DavLockDB "%%TMP%%/run/lock"
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
<VirtualHost 127.0.0.1:%%PORT%%>
    IRIEngine On
    IRIMatch width case spelling
    IRIAmbiguous 300
    Header set X-Rule "seen"
    ErrorDocument 410 /Error/twin.html
    Redirect gone /gone
    <Directory "$root">
        AllowOverride All
        Options +Includes
    </Directory>
    <Directory "$root/Quiet">
        IRIAmbiguous 404
    </Directory>
    <Location "/Denied">
        Require all denied
    </Location>
    <Location "/Login">
        AuthType Basic
        AuthName here
        AuthBasicProvider file
        AuthUserFile "$root/users"
        Require valid-user
    </Location>
    <Directory "$root/Write">
        Dav On
    </Directory>
    <Directory "$root/Views">
        Options +MultiViews
    </Directory>
    <Directory "$root/Fall">
        FallbackResource /Fall/front.html
    </Directory>
    <Directory "$root/Sym">
        Options -FollowSymLinks
    </Directory>
    <Directory "$root/Expr">
        Require expr "%{REQUEST_URI} !~ m#/Twin#"
        RewriteEngine On
        RewriteCond %{THE_REQUEST} "^GET /Expr/tWin.txt HTTP/1.1\$"
        RewriteRule "^" "-" [F]
        RewriteCond %{QUERY_STRING} "^shut\$"
        RewriteRule "TWIN" "-" [F]
    </Directory>
    SetEnvIf Request_URI "/Env/Twin" SHUT
    SetEnvIf Request_URI "/Env/(TWIN|tWin)" SEEN
    SetEnvIf Request_URI "/Env/twin" ASKED
    SetEnvIf Request_Protocol "INCLUDED" SHUT
    <Directory "$root/Env">
        <RequireAll>
            Require all granted
            Require not env SHUT
            <RequireAny>
                Require env SEEN
                Require env ASKED
            </RequireAny>
        </RequireAll>
    </Directory>
    RewriteEngine On
    RewriteRule "^/Server/GO.txt" "-" [F]
    RewriteRule "^/Flag/TWIN.txt" "-" [R=404]
    RewriteRule "^/Flag/tWin.txt" "-" [F,NS]
    RewriteRule "^/Server/gO.txt" "$root/Server/other"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTquiet%%>
    IRIEngine On
    IRIMatch case
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTfolder%%>
    IRIEngine On
    IRIMatch case
    IRIRedirect 301
    <Directory "$root/Docs">
        IRIAmbiguous 300
    </Directory>
</VirtualHost>
END
chmod 0777, "$server->{tmp}/run";    # DavLockDB

my @json = (headers => [Accept => 'application/json']);

# The candidates of a response; its status if there are none.
sub choices {
    my ($target, @option) = @_;
    my $answer = $server->get($target, @json, @option);
    return $answer->status if $answer->status != 300;
    return join ' ', map { $_->{path} }
        @{ JSON::PP->new->decode($answer->body)->{choices} };
}

# ---- the list ---------------------------------------------------------------
my $answer = $server->get('/Docs/readme.txt');
is $answer->status, 300, 'several';
is $answer->header('Content-Type'), 'text/html; charset=utf-8', 'HTML';
like $answer->header('Content-Security-Policy'),
    qr/^default-src 'none'; style-src 'sha256-/, 'Content-Security-Policy';
is $answer->header('X-Content-Type-Options'), 'nosniff',
    'X-Content-Type-Options';
is $answer->header('Vary'), 'Accept', 'Vary';
is $answer->header('Cache-Control'), 'no-store', 'Cache-Control';
is $answer->header('X-Rule'), 'seen', 'other headers of the response';
is $answer->header('Content-Length'), length $answer->body, 'Content-Length';
is $answer->header('Location'), undef, 'no representation is preferred';
like $server->get('/Docs/readme.txt?a=%2F&b<"')->body,
    qr{href="/Docs/README\.txt\?a=%2F&amp;b%3C%22">},
    'the query, percent-encoded';
$answer = $server->get('/Docs/readme.txt', @json);
is $answer->header('Content-Type'), 'application/json', 'JSON';
$answer = $server->request('HEAD', '/Docs/readme.txt');
is $answer->status, 300, 'HEAD';
is $answer->body, '', 'HEAD has no body';
my $client = $server->client;
is $client->request('/Docs/readme.txt')->status, 300, 'first of two requests';
is $client->request('/Docs/README.txt')->body, 'Docs/README.txt',
    'the connection is kept';
is $server->get('/Docs/readme.txt', proto => 'h2')->status, 300, 'h2';
like $server->settled_log,
    qr{iri: "/Docs/readme\.txt" .*reason=ambiguous}, 'log';
is $server->get('/Docs/README.txt')->body, 'Docs/README.txt',
    'an exact name has no candidates';

is choices('/docs/readme.TXT'), '/Docs/README.txt /Docs/ReadMe.txt',
    'in a directory found by a similar name';

# ---- only accessible candidates ---------------------------------------------
is choices('/Part/open.txt'), '/Part/Open.txt /Part/oPen.txt',
    'two of four are denied';
is choices('/part/open.txt'), '/Part/Open.txt /Part/oPen.txt',
    'the same in another directory';
is choices('/All/shut.txt'), 404, 'no accessible candidate';
is choices('/Denied/twin.txt'), 403, 'the directory is denied';
is choices('/denied/twin.txt'), 403, 'also if found by a similar name';
is choices('/denied/absent.txt'), 403,
    'the same response as for an absent name';
is choices('/Login/twin.txt'), 401, 'a password';
is choices('/login/twin.txt'), 401, 'the password of a directory';
is choices('/Login/twin.txt', headers => [Accept => 'application/json',
        Authorization => 'Basic dTpw']), '/Login/TWIN.txt /Login/Twin.txt',
    'with the password';
is choices('/Rules/go.txt'), '/Rules/Go.txt', 'rules of the directory';
is choices('/Server/go.txt'), '/Server/Go.txt', 'rules of the server';
is choices('/Flag/twin.txt'), '/Flag/Twin.txt',
    'also rules with [NS]';
is choices('/Sym/twin.txt'), '/Sym/Twin.txt',
    'a symbolic link that is not followed';
for (['Expr', 'by their URI'], ['Env', 'by variables of their URI']) {
    my ($dir, $name) = @$_;
    is $server->get("/$dir/$_")->status, 403, "$name: $_ is denied"
        for 'Twin.txt', 'tWin.txt';
    is choices("/$dir/twin.txt"), "/$dir/TWIN.txt", $name;
}
is choices('/Expr/twin.txt?shut'), '/Expr/tWin.txt',
    'rules that depend on the query';
is $server->get('/Mode/Twin.txt')->status, 403, 'an unreadable file';
is choices('/Mode/twin.txt'), '/Mode/TWIN.txt', 'a readable file';
is choices('/Mode/sub/'), '/Mode/Sub/', 'a directory';
is choices('/Quiet/twin.txt'), 404, '404 in one directory';
is choices('/quiet/twin.txt'), 404, 'found by a similar name';
is $server->get('/Docs/readme.txt', port => $server->port('quiet'))->status,
    404, '404 by default';
is $server->get("/$_/readme.txt", port => $server->port('folder'))->status,
    300, "300 in one directory, $_" for qw(Docs docs);
is $server->get('/Dir/sub/a.txt', port => $server->port('folder'))->status,
    404, '404 in another directory';

# ---- directories ------------------------------------------------------------
is choices('/Dir/sub'),       '/Dir/SUB/ /Dir/Sub/',
    'directories end in a slash';
is choices('/Dir/sub/'),      '/Dir/SUB/ /Dir/Sub/', 'requested with the slash';
is choices('/Dir/sub/a.txt'), '/Dir/SUB/a.txt /Dir/Sub/a.txt',
    'entries of several directories';
is choices('/Dir/rest/a.txt'), '/Dir/Rest/a.txt', 'candidates that exist only';

# ---- requests without a choice ----------------------------------------------
is $server->request('POST', '/Docs/readme.txt', body => 'x')->status, 404,
    'POST';
is $server->request('PUT', '/Write/twin.txt', body => 'x')->status, 409,
    'PUT creates no third entry';
is $server->request('DELETE', '/Write/twin.txt')->status, 404, 'DELETE';
like $server->get('/page.shtml')->body, qr/^\[\[an error/, 'a subrequest';
is $server->get('/gone')->status, 410, 'ErrorDocument';
is $server->get('/Fall/twin')->status, 300, 'before FallbackResource';
like choices('/Eight/abcd'), qr/^(\S+ ){7}\S+$/, 'at most eight candidates';

# ---- a tree in another charset ----------------------------------------------
my ($euc) = make_tree([qw(表/ガイド.txt 表/ｶﾞｲﾄﾞ.txt 表/本/Ａb.txt 表/本/Ａｂ.txt 秘/Ａb.txt
    秘/Ａｂ.txt 山/Ａb/山.txt 山/Ａｂ/川.txt 山/Ａb/川.txt)], undef, charset => 'EUC-JP');
my $hyo = "\xC9\xBD";
system 'chown', '-R', 'www-data', $euc if $> == 0;
my $legacy = httpd(
    root => $euc, log_level => 'info', modules => [qw(dav dav_fs)],
    conf => <<"END");
DavLockDB "%%TMP%%/run/lock"
IRIEngine On
IRIFilenameCharset EUC-JP
IRIMatch width
IRIAmbiguous 300
<Location "/">
    Dav On
</Location>
Alias "/別" "$euc"
<Directory "$euc/秘">
    Require all denied
</Directory>
<Location "/別/表/本/Ａb.txt">
    Require all denied
</Location>
END
chmod 0777, "$legacy->{tmp}/run";    # DavLockDB

# Candidates for an escaped target, percent-encoded.
sub legacy {
    my ($path) = @_;
    $path =~ s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ge;
    my $answer = $legacy->get($path, @json);
    return $answer->status if $answer->status != 300;
    return join ' ', map { $_->{uri} =~ s/%(..)/chr hex $1/ger }
        @{ JSON::PP->new->decode($answer->body)->{choices} };
}
is legacy('/表/本/Ab.txt'), '/表/本/Ａb.txt /表/本/Ａｂ.txt', 'EUC-JP';
is legacy('/別/表/本/Ab.txt'), '/別/表/本/Ａｂ.txt',
    'EUC-JP behind an alias, one denied';
is legacy('/秘/Ab.txt'), 403, 'EUC-JP, denied';
is legacy('/山/Ab/川.txt'), '/山/Ａb/川.txt /山/Ａｂ/川.txt',
    'EUC-JP, directories of two names';
is legacy('/表/ガイド.txt'), 200, 'EUC-JP, the name of the entry';
for my $method (qw(PUT MKCOL DELETE)) {
    is $legacy->request($method, '/%E8%A1%A8/%E6%9C%AC/Ab.txt', body => '')
        ->status, 409, "$method is refused";
}
is join(' ', sort map { s{.*/}{}r } glob "$euc/$hyo/\xCB\xDC/*"),
    "\xA3\xC1b.txt \xA3\xC1\xA3\xE2.txt", 'no entry was created';
done_testing;
