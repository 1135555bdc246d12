# nginx, iri_ambiguous: several candidates for a path: a page of those that the
# client may access, and of no others.
use IRI::Test 'nginx';

my ($root) = make_tree([qw(Name.txt=1 NAME.txt=2 résumé.txt=1 resumé.txt=2
    dirs/Sub/File.txt=1 dirs/SUB/FILE.txt=2 dirs/sUB/other.txt=3 ways/Ab/x=1
    ways/AB/x=2 ways/EF/x=1 ways/Ef=2 ways/Cd/x=1 ways/CD/x=2
    rules/Deny/x.txt=1 rules/deny/x.txt=2 rules/Auth.txt=1 rules/AUTH.txt=2
    rules/aUTH.txt=3 rules/Inner.txt=1 rules/INNER.txt=2 rules/Return.txt=1
    rules/RETURN.txt=2 rules/rETURN.txt=3 rules/reTURN.txt=4 rules/Map.txt=1
    rules/MAP.txt=2 rules/Uri.txt=1 rules/URI.txt=2 rules/Any.txt=1
    rules/ANY.txt=2 rules/Sub.txt=1 rules/SUB.txt=2 rules/sUB.txt=3
    rules/None.txt=1 rules/NONE.txt=2 rules/Gone.txt=1 rules/GONE.txt=2
    shut/Name.txt=1 shut/NAME.txt=2 hidden/.Name.txt=1 hidden/.NAME.txt=2
    late/Name.txt=1 late/NAME.txt=2 modes/Name.txt=1 modes/NAME.txt=2
    modes/nAME.txt=3 modes/Open/x=1 modes/OPEN/x=2 Two=1 TWO=2 404/Name.txt=1
    404/NAME.txt=2), 'page.shtml=[<!--#include virtual="/name.txt" -->]']);
spew("$root/many_" . ucfirst(substr 'abcdefghi', 0, $_)
    . uc(substr 'abcdefghi', $_), $_) for 1 .. 9;
my $tmp = temp_dir();
symlink "$root/404", "$root/linked" or die "$!\n";
chmod 0, "$root/modes/nAME.txt" or die "$!\n";
chmod 0311, "$root/modes/OPEN" or die "$!\n";
spew("$tmp/users", "user:{PLAIN}word\n");
my $server = nginx(root => $root, tmp => $tmp, log_level => 'info',
    conf => <<'END');
default_type text/plain;
map $uri $refused { default ""; ~^/rules/Map\.txt$ yes; }
map $request_uri $refused_uri { default ""; ~^/rules/Uri\.txt$ yes; }
server {
    listen 127.0.0.1:%%PORTauth%%;
    if ($http_x_uri = /rules/Sub.txt) { return 403; }
    if ($http_x_uri = /rules/SUB.txt) { return 500; }
    location / { return 204; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    root %%ROOT%%;
    iri on;
    iri_match normalization case accents;
    iri_ambiguous 300;
    log_subrequest on;
    if ($refused) { return 403; }
    if ($refused_uri) { return 403; }

    location ^~ /rules/Deny { deny all; }
    location /ways/CD/ { deny all; }
    location = /rules/Auth.txt {
        auth_basic x; auth_basic_user_file %%TMP%%/users;
    }
    location = /rules/AUTH.txt { auth_basic x; auth_basic_user_file /none; }
    location = /rules/Inner.txt { internal; }
    location = /rules/Return.txt { return 301 /elsewhere; }
    location = /rules/RETURN.txt { return 200 "text"; }
    location = /rules/rETURN.txt { return 444; }
    location = /rules/Any.txt {
        satisfy any;
        deny all;
        auth_basic x; auth_basic_user_file %%TMP%%/users;
    }
    location = /rules/ANY.txt {
        satisfy any;
        allow 127.0.0.1; deny all;
        auth_basic x; auth_basic_user_file %%TMP%%/users;
    }
    location ~ ^/rules/s.b\.txt$ { }
    location ~* ^/rules/sub\.txt$ { auth_request /ask; }
    location ~* ^/rules/none\.txt$ { deny all; }
    location = /rules/none.txt { }
    location = /rules/Gone.txt { rewrite ^ /rules/Uri2.txt last; }
    location = /ask {
        internal;
        proxy_pass http://127.0.0.1:%%PORTauth%%;
        proxy_set_header X-Uri $request_uri;
    }
    location /shut/ { deny all; }
    location = /two { try_files $uri @named; }
    location @named { return 200 "named"; }
    location /404/ { iri_ambiguous 404; }
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
    listen 127.0.0.1:%%PORTaccel%%;
    location / { add_header X-Accel-Redirect $arg_to; return 200; }
}
END

# The status, and the names that a page lists, without the prefix.
sub answer {
    my ($target, %option) = @_;
    my $answer = $server->get($target, %option);
    my @uris   = $answer->body =~ /<a href="([^"]*)">/g;
    return join ' ', $answer->status, @uris;
}

# ---- the page --------------------------------------------------------------

my $page = $server->get('/name.txt');
is $page->status, 300, 'status';
is $page->header('Content-Type'), 'text/html; charset=utf-8', 'type';
like $page->header('Content-Security-Policy'),
    qr/^default-src 'none'; style-src 'sha256-/, 'Content-Security-Policy';
is $page->header('X-Content-Type-Options'), 'nosniff', 'X-Content-Type-Options';
is $page->header('Content-Length'), length $page->body, 'length';
is $page->header('Vary'), 'Accept', 'Vary';
is $page->header('Cache-Control'), 'no-store', 'Cache-Control';
is answer('/name.txt?a=%2F&b<"'),
    '300 /NAME.txt?a=%2F&amp;b%3C%22 /Name.txt?a=%2F&amp;b%3C%22',
    'the query, percent-encoded';
is answer('/ways/ab'), '300 /ways/AB/ /ways/Ab/',
    'directories end in a slash';
is answer('/ways/ef'), '300 /ways/EF/ /ways/Ef', 'files do not';
is answer('/ways/ab/'), '300 /ways/AB/ /ways/Ab/', 'requested with the slash';
is answer('/ways/cd'), '300 /ways/Cd/', 'access is checked with the slash';
is answer('/resume.txt'), '300 /resum%C3%A9.txt /r%C3%A9sum%C3%A9.txt',
    'percent-encoded';
my $head = $server->request('HEAD', '/name.txt');
is $head->status . $head->body, '300', 'HEAD';
is $head->header('Content-Length'), length $page->body, 'HEAD: Content-Length';
my $json = $server->get('/name.txt', headers => ['Accept', 'application/json']);
is $json->header('Content-Type'), 'application/json', 'JSON';
is $server->get('/name.txt', headers => ['Accept', 'text/html', 'Accept',
    'application/json;q=0.5'])->header('Content-Type'),
    'text/html; charset=utf-8', 'several Accept fields';
is $server->request('POST', '/name.txt', body => 'x')->status, 404, 'POST';
is $server->get('/name.txt', proto => 'h2', port => $server->port('h2'))
    ->body, $page->body, 'HTTP/2';

my $client = $server->client;
is $client->request({ method => 'GET', target => '/name.txt' })->status, 300,
    'persistent connection';
is $client->request({ method => 'GET', target => '/Name.txt' })->body, 1,
    'next request on it';
$client->disconnect;

is answer('/dirs/sub/file.txt'), '300 /dirs/SUB/FILE.txt /dirs/Sub/File.txt',
    'several directories';
$page = $server->get('/many_abcdefghi');
is scalar(() = $page->body =~ /<li>/g), 8, 'at most eight candidates';
is answer('/404/name.txt'), '404', 'iri_ambiguous 404';
is answer('/nothing.txt'), '404', 'no similar name';
is $server->get('/two')->body, 'named',
    'an exact location has no similar names';

# ---- only accessible candidates ---------------------------------------------

my @user = (headers => ['Authorization', 'Basic dXNlcjp3b3Jk']);
is answer('/rules/DENY/x.txt'), '300 /rules/deny/x.txt', 'deny';
is answer('/rules/auth.txt'), '300 /rules/aUTH.txt', 'auth_basic';
is answer('/rules/auth.txt', @user), '300 /rules/Auth.txt /rules/aUTH.txt',
    'auth_basic, with the password';
is answer('/rules/inner.txt'), '300 /rules/INNER.txt', 'internal';
is answer('/rules/return.txt'), '300 /rules/reTURN.txt', 'return';
is answer('/rules/map.txt'), '300 /rules/MAP.txt', 'a map of $uri';
is answer('/rules/uri.txt'), '300 /rules/URI.txt', 'a map of $request_uri';
is answer('/rules/any.txt'), '300 /rules/ANY.txt', 'satisfy any';
is answer('/rules/any.txt', @user), '300 /rules/ANY.txt /rules/Any.txt',
    'satisfy any, with the password';
is answer('/rules/SuB.txt'), '300 /rules/sUB.txt',
    'auth_request for the requested path, too';
is answer('/rules/sub.txt'), '300 /rules/sUB.txt', 'auth_request';
is answer('/rules/none.txt'), '404', 'no accessible candidate';
is answer('/rules/gone.txt'), '300 /rules/GONE.txt', 'rewritten';
is answer('/shut/name.txt'), '403', 'the requested path is denied';
is answer('/SHUT/name.txt'), '403', 'its directory is denied';
is answer('/SHUT/nothing.txt'), '403', 'the same for an absent name in it';
is answer('/hidden/name.txt'), '404', 'hidden names';
is answer('/linked/name.txt'), '404', 'below a disabled symbolic link';
is answer('/from/name.txt'), '300 /from/NAME.txt /from/Name.txt',
    'below an allowed symbolic link';
is answer('/modes/name.txt'), '300 /modes/NAME.txt /modes/Name.txt',
    'an unreadable file';
is answer('/modes/open/'), '300 /modes/OPEN/ /modes/Open/',
    'a searchable directory';
is answer('/late/name.txt'), '404', 'no candidates for a rewritten path';
is answer('/accel/?to=/name.txt'), '404', 'no candidates for X-Accel-Redirect';
is answer('/capture/name.txt'), '404', 'alias with captures';
my $ssi = $server->get('/page.shtml');
is $ssi->status, 200, 'SSI';
unlike $ssi->body, qr/NAME/, 'SSI: no list of candidates';

unlike $server->log_text, qr/\[alert\]|\[crit\](?!.*none)/, 'log';
is_deeply [$server->errors(ignore => qr{/none})], [], 'errors';
done_testing;
