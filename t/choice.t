# Several candidates for a path, on both servers (iri_ambiguous 300): a page of
# those that the client may access, each by the rules for its own path, and of
# no others; or 404.
use IRI::Test;
use Digest::SHA 'sha1_base64';
use JSON::PP ();

my ($root) = make_tree([qw(Docs/README.txt Docs/ReadMe.txt Dir/Sub/a.txt
    Dir/SUB/a.txt Dir/Rest/a.txt Dir/REST/other.txt Dir/EF/x Dir/Ef Dir/Cd/x
    Dir/CD/x Part/Open.txt Part/OPEN.txt Part/oPen.txt Part/opeN.txt
    All/Shut.txt All/SHUT.txt Denied/Twin.txt Denied/TWIN.txt Login/Twin.txt
    Login/TWIN.txt Quiet/Twin.txt Quiet/TWIN.txt Sym/Twin.txt Mode/Twin.txt
    Mode/TWIN.txt Mode/tWIN.txt Mode/Sub/a.txt Mode/SUB/a.txt résumé.txt
    resumé.txt Rules/Go.txt Rules/GO.txt Rules/gO.txt Rules/other.txt
    Server/Go.txt Server/GO.txt Server/gO.txt Server/other Write/Twin.txt
    Write/TWIN.txt Fall/Twin Fall/TWIN Fall/front.html Error/Twin.html
    Error/TWIN.html Expr/Twin.txt Expr/TWIN.txt Expr/tWin.txt Env/Twin.txt
    Env/TWIN.txt Env/tWin.txt Env/twIn.txt Flag/Twin.txt Flag/TWIN.txt
    Flag/tWin.txt one/Inner.txt one/INNER.txt one/Return.txt one/RETURN.txt
    one/rETURN.txt one/reTURN.txt one/Map.txt one/MAP.txt one/Uri.txt
    one/URI.txt one/Any.txt one/ANY.txt one/Sub.txt one/SUB.txt one/sUB.txt
    one/Gone.txt one/GONE.txt one/.Name.txt one/.NAME.txt late/Name.txt
    late/NAME.txt Two TWO),
    'page.shtml=[<!--#include virtual="/Docs/readme.txt" -->]']);
for my $bits (1 .. 14) {
    my $name = 'abcd';
    substr($name, $_, 1) = uc substr $name, $_, 1
        for grep { $bits & (1 << $_) } 0 .. 3;
    mkdir "$root/Eight";
    spew("$root/Eight/$name", $name);
}
symlink '/etc/passwd', "$root/Sym/TWIN.txt";
symlink "$root/Quiet", "$root/linked";
chmod 0, "$root/Mode/Twin.txt";
chmod 0311, "$root/Mode/SUB";
system 'chown', '-R', '-h', 'www-data', $root if $> == 0;

my @JSON = (Accept => 'application/json');
my @USER = (Authorization => 'Basic dTpw');
each_server(sub { $_[0] eq 'nginx' ? on_nginx() : on_httpd() });
done_testing;

# ---- both --------------------------------------------------------------------

sub both {
    my ($server, $name) = @_;
    my %word = (json => [headers => \@JSON], user => [headers => \@USER],
        h2 => [proto => 'h2', $name eq 'nginx'
            ? (port => $server->port('h2')) : ()],
        several => [headers => [Accept => 'text/html',
            Accept => 'application/json;q=0.5']]);
    rows_are($server, <<'END', %word);
request  status  links  Content-Type  note
/Docs/readme.txt  300  /Docs/README.txt /Docs/ReadMe.txt  text/html; charset=utf-8
/Docs/readme.txt +json  300  -  application/json
/Docs/readme.txt +several  300  -  text/html; charset=utf-8
/Docs/readme.txt +h2  300  /Docs/README.txt /Docs/ReadMe.txt
/Docs/readme.txt?a=%2F&b<"  300  /Docs/README.txt?a=%2F&amp;b%3C%22 /Docs/ReadMe.txt?a=%2F&amp;b%3C%22
/docs/readme.TXT  300  /Docs/README.txt /Docs/ReadMe.txt
/resume.txt  300  /resum%C3%A9.txt /r%C3%A9sum%C3%A9.txt
/Docs/README.txt  200
/Docs/nothing.txt  404
POST /Docs/readme.txt  404
/Dir/sub  300  /Dir/SUB/ /Dir/Sub/  -  directories end in a slash
/Dir/sub/  300  /Dir/SUB/ /Dir/Sub/
/Dir/ef  300  /Dir/EF/ /Dir/Ef  -  files do not
/Dir/sub/a.txt  300  /Dir/SUB/a.txt /Dir/Sub/a.txt
/Dir/rest/a.txt  300  /Dir/Rest/a.txt  -  those that exist
/Dir/cd  300  /Dir/Cd/  -  access is checked with the slash
/Eight/abcd  300  ~^(\S+ ){7}\S+$
/Part/open.txt  300  /Part/Open.txt /Part/oPen.txt  -  two of four are denied
/part/open.txt  300  /Part/Open.txt /Part/oPen.txt
/All/shut.txt  404  -  -  no accessible candidate
/Denied/twin.txt  403  -  -  the directory is denied
/denied/twin.txt  403
/denied/absent.txt  403
/Login/twin.txt  401
/login/twin.txt  401
/Login/twin.txt +user  300  /Login/TWIN.txt /Login/Twin.txt
/Sym/twin.txt  300  /Sym/Twin.txt  -  a link that is not followed
/Mode/Twin.txt  403
/Mode/twin.txt  300  /Mode/TWIN.txt /Mode/tWIN.txt  -  an unreadable file
/Quiet/twin.txt  404  -  -  404 in one directory
/quiet/twin.txt  404
quiet:/Docs/readme.txt  404  -  -  the default
END
    my $page = $server->get('/Docs/readme.txt');
    my $head = $server->request('HEAD', '/Docs/readme.txt');
    is $head->status . $head->body, '300', "$name: HEAD";
    is $head->header('Content-Length'), length $page->body,
        "$name: HEAD: Content-Length";
    is $page->header($_->[0]), $_->[1], "$name: $_->[0]"
        for ['X-Content-Type-Options', 'nosniff'], [Vary => 'Accept'],
        ['Cache-Control', 'no-store'], ['X-Rule', 'seen'], [Location => undef],
        ['Content-Length', length $page->body];
    like $page->header('Content-Security-Policy'),
        qr/^default-src 'none'; style-src 'sha256-/, "$name: CSP";
    my $client = $server->client;
    is join(' ', map { $client->request($_)->status } '/Docs/readme.txt',
        '/Docs/README.txt'), '300 200', "$name: the connection is kept";
    $client->disconnect;
    like $server->settled_log,
        qr{iri: "/Docs/readme\.txt" .*reason=ambiguous}, "$name: log";
    return;
}

# ---- nginx -------------------------------------------------------------------

sub on_nginx {
    my $tmp = temp_dir();
    spew("$tmp/users", "u:{PLAIN}p\n");
    my $server = nginx(root => $root, tmp => $tmp, log_level => 'info',
        conf => <<'END');
default_type text/plain;
map $uri $refused { default ""; ~^/one/Map\.txt$ yes; }
map $request_uri $refused_uri { default ""; ~^/one/Uri\.txt$ yes; }
server {
    listen 127.0.0.1:%%PORTauth%%;
    if ($http_x_uri = /one/Sub.txt) { return 403; }
    if ($http_x_uri = /one/SUB.txt) { return 500; }
    location / { return 204; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    root %%ROOT%%;
    iri on;
    iri_match normalization width case accents;
    iri_ambiguous 300;
    log_subrequest on;
    add_header X-Rule seen always;
    if ($refused) { return 403; }
    if ($refused_uri) { return 403; }

    location = /Part/OPEN.txt { deny all; }
    location = /Part/opeN.txt { auth_basic x; auth_basic_user_file /none; }
    location ~ ^/All/S(?:hut|HUT) { deny all; }
    location /Denied { deny all; }
    location /Dir/CD/ { deny all; }
    location /Login/ { auth_basic x; auth_basic_user_file %%TMP%%/users; }
    location /Sym/ { disable_symlinks on; }
    location /Quiet/ { iri_ambiguous 404; }
    location = /one/Inner.txt { internal; }
    location = /one/Return.txt { return 301 /elsewhere; }
    location = /one/RETURN.txt { return 200 "text"; }
    location = /one/rETURN.txt { return 444; }
    location = /one/Any.txt {
        satisfy any;
        deny all;
        auth_basic x; auth_basic_user_file %%TMP%%/users;
    }
    location = /one/ANY.txt {
        satisfy any;
        allow 127.0.0.1; deny all;
        auth_basic x; auth_basic_user_file %%TMP%%/users;
    }
    location ~ ^/one/s.b\.txt$ { }
    location ~* ^/one/sub\.txt$ { auth_request /ask; }
    location = /one/Gone.txt { rewrite ^ /one/Uri2.txt last; }
    location = /ask {
        internal;
        proxy_pass http://127.0.0.1:%%PORTauth%%;
        proxy_set_header X-Uri $request_uri;
    }
    location = /two { try_files $uri @named; }
    location @named { return 200 "named"; }
    location /linked/ { disable_symlinks on; }
    location /from/ {
        alias %%ROOT%%/linked/; disable_symlinks on from=$document_root;
    }
    location /late/ { rewrite ^/late(/.*) $1 break; }
    location /accel/ {
        proxy_pass http://127.0.0.1:%%PORTaccel%%;
    }
    location = /page.shtml { ssi on; ssi_types *; }
    location ~ ^/capture/(.*)$ { alias %%ROOT%%/$1; }
}
server {
    listen 127.0.0.1:%%PORTquiet%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
}
server {
    listen 127.0.0.1:%%PORTaccel%%;
    location / { add_header X-Accel-Redirect $arg_to; return 200; }
}
END
    both($server, 'nginx');
    rows_are($server, <<'END', user => [headers => \@USER]);
request  status  links  note
/two  200  none  an exact location has no similar names
/one/inner.txt  300  /one/INNER.txt  internal
/one/return.txt  300  /one/reTURN.txt
/one/map.txt  300  /one/MAP.txt  a map of $uri
/one/uri.txt  300  /one/URI.txt  a map of $request_uri
/one/any.txt  300  /one/ANY.txt
/one/any.txt +user  300  /one/ANY.txt /one/Any.txt  satisfy any
/one/SuB.txt  300  /one/sUB.txt  auth_request for the requested path, too
/one/sub.txt  300  /one/sUB.txt  auth_request
/one/gone.txt  300  /one/GONE.txt  rewritten
/one/name.txt  404  none  hidden names
/linked/twin.txt  404  none  below a disabled symbolic link
/from/twin.txt  300  /from/TWIN.txt /from/Twin.txt  below an allowed one
/Mode/sub/  300  /Mode/SUB/ /Mode/Sub/  a searchable directory
/late/name.txt  404  none  a rewritten path
/accel/?to=/Docs/readme.txt  404  none  X-Accel-Redirect
/capture/Docs/readme.txt  404  none  alias with captures
/page.shtml  200  none  no candidates for SSI
END
    unlike $server->log_text, qr/\[alert\]|\[crit\](?!.*none)/, 'log';
    is_deeply [$server->errors(ignore => qr{/none})], [], 'errors';
    return;
}

# ---- httpd -------------------------------------------------------------------

sub httpd_files {
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
    spew("$root/Env/.htaccess", "SetEnvIf Request_URI \"/tWin\" SHUT\n");
    chmod 0300, "$root/Mode/SUB";
    return;
}

sub httpd_conf { return <<"END" }
DavLockDB "%%TMP%%/run/lock"
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
<VirtualHost 127.0.0.1:%%PORT%%>
    IRIEngine On
    IRIMatch width case accents
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
    <Location "/Dir/CD/">
        Require all denied
    </Location>
    <Location "/Login">
        AuthType Basic
        AuthName here
        AuthBasicProvider file
        AuthUserFile "%%TMP%%/users"
        Require valid-user
    </Location>
    <Directory "$root/Write">
        Dav On
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

sub on_httpd {
    httpd_files();
    my $tmp = temp_dir();
    spew("$tmp/users", 'u:{SHA}' . sha1_base64('p') . "=\n");
    my $server = httpd(
        root => $root, tmp => $tmp, log_level => 'info', h2 => 1,
        modules => [qw(rewrite include auth_basic authn_file authz_user dav
            dav_fs headers setenvif)],
        conf => httpd_conf());
    chmod 0777, "$tmp/run";    # DavLockDB
    both($server, 'httpd');
    rows_are($server, <<'END');
request  status  links  note
/Rules/go.txt  300  /Rules/Go.txt  rules of the directory
/Server/go.txt  300  /Server/Go.txt  rules of the server
/Flag/twin.txt  300  /Flag/Twin.txt  also rules with [NS]
/Expr/Twin.txt  403
/Expr/tWin.txt  403
/Expr/twin.txt  300  /Expr/TWIN.txt  rules that judge the URI
/Expr/twin.txt?shut  300  /Expr/tWin.txt?shut  the query
/Env/Twin.txt  403
/Env/tWin.txt  403
/Env/twin.txt  300  /Env/TWIN.txt  variables of the URI
/Mode/sub/  300  /Mode/Sub/  a directory that cannot be read
folder:/Docs/readme.txt  300
folder:/docs/readme.txt  300
folder:/Dir/sub/a.txt  404  -  300 in one directory
PUT /Write/twin.txt  409  -  no third entry is created
DELETE /Write/twin.txt  404
/gone  410  -  ErrorDocument
/Fall/twin  300  -  before FallbackResource
END
    like $server->get('/page.shtml')->body, qr/^\[\[an error/, 'a subrequest';
    in_euc();
    return;
}

# A tree in another charset, where an alias has rules of its own.
sub in_euc {
    my ($euc) = make_tree([qw(表/ガイド.txt 表/本/Ａb.txt 表/本/Ａｂ.txt 秘/Ａb.txt
        秘/Ａｂ.txt 山/Ａb/山.txt 山/Ａｂ/川.txt 山/Ａb/川.txt)], undef,
        charset => 'EUC-JP');
    system 'chown', '-R', 'www-data', $euc if $> == 0;
    my $server = httpd(
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
    chmod 0777, $server->tmp . '/run';    # DavLockDB
    for (['/表/本/Ab.txt', '/表/本/Ａb.txt /表/本/Ａｂ.txt'],
        ['/別/表/本/Ab.txt', '/別/表/本/Ａｂ.txt'],
        ['/山/Ab/川.txt', '/山/Ａb/川.txt /山/Ａｂ/川.txt'])
    {
        my $json = $server->get($_->[0], headers => \@JSON)->body;
        is join(' ', map { $_->{uri} =~ s/%(..)/chr hex $1/ger }
            @{ JSON::PP->new->decode($json)->{choices} }), $_->[1],
            "EUC-JP: $_->[0]";
    }
    rows_are($server, <<'END', name => 'EUC-JP');
request  status
/秘/Ab.txt  403
/表/ガイド.txt  200
PUT /表/本/Ab.txt  409
MKCOL /表/本/Ab.txt  409
DELETE /表/本/Ab.txt  409
END
    is join(' ', sort map { s{.*/}{}r } glob "$euc/\xC9\xBD/\xCB\xDC/*"),
        "\xA3\xC1b.txt \xA3\xC1\xA3\xE2.txt", 'no entry was created';
    return;
}
