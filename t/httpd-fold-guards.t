# httpd: attempts to get a denied file by another case, width or spelling: each
# kind of rule judges the name of the entry found, and nothing about it is
# disclosed.
use IRI::Test 'httpd';
use Digest::MD5 'md5_hex';

my ($root) = make_tree([qw(Files/Config.php Files/Page.txt Docs/a.txt
    Docs/.htpasswd Home/joe/Public/Page.txt Home/joe/Public/Secret/S.txt
    Auth/Page.txt Limit/Page.txt Été/s.txt Twice/Page.txt)]);
my ($outside) = make_tree([qw(inside.txt TWIN.txt Twin.txt)]);
mkdir "$root/Links";
symlink $outside, "$root/Links/Out";
symlink "$outside/inside.txt", "$root/Links/File.txt";
spew("$root/Home/joe/Public/Secret/.htaccess", "Require all denied\n");
spew("$root/digest", 'u:r:' . md5_hex('u:r:p') . "\n");
system 'chown', '-R', 'www-data', $root if $> == 0;

my $server = httpd(
    root => $root, log_level => 'info',
    modules => [qw(userdir rewrite auth_digest authn_file authz_user
        autoindex)],
    conf => <<"END");
IRIEngine On
IRIMatch width case accents spelling
IRIAmbiguous 300
IRIRedirect 301
UserDir $root/Home/*/Public
AllowEncodedSlashes On
<Directory "$root">
    AllowOverride All
    Options +Indexes
</Directory>
<Directory "$root/Links">
    Options -FollowSymLinks
</Directory>
<Directory "$root/Été">
    Require all denied
</Directory>
<Files ".ht*">
    Require all denied
</Files>
<Files ~ "\\.php\$">
    Require all denied
</Files>
<Location "/Auth">
    IRIRedirect off
    AuthType Digest
    AuthName r
    AuthUserFile "$root/digest"
    Require valid-user
</Location>
<LocationMatch "^/Limit/">
    <LimitExcept POST>
        Require all denied
    </LimitExcept>
</LocationMatch>
RewriteEngine On
RewriteCond %{LA-U:REQUEST_FILENAME} "/Docs/a\\.txt\$"
RewriteCond %{QUERY_STRING} ^look\$
RewriteRule ^ - [F]
<Location "/twice">
    IRIRedirect off
</Location>
<Location "/Twice">
    IRIRedirect off
</Location>
RewriteRule "^/Twice/Page\\.txt" "/twice/page.txt" [PT]
END

sub denied {
    my ($test_name, $status, @targets) = @_;
    for my $target (@targets) {
        my $answer = $server->get($target);
        is $answer->status, $status, "$test_name: $target";
        is $answer->header('Location'), undef, 'no name is disclosed';
    }
}

denied('<Files ~>', 403, map {"/$_"}
        'files/config.PHP',     'files/config.PHP/', 'Files/CONFIG.php/x/../y',
    'files%2fconfig.PHP',       'files/confg.php',   'Files/cnofig.php',
    'Files/config%2Ephp',       '%EF%BC%A6iles/Config.php',
    'Files/Config.p%EF%BD%88p', 'files/config%EF%BC%8Ephp');
denied('<Files>', 403,
    map {"/$_"} 'Docs/.HTPASSWD', 'DOCS/.htpasswd', 'docs/.Htpasswd/');
denied('no dot, no dot file', 404, '/docs/htpasswd', '/Docs/HTPASSWD');
denied('.htaccess', 403,
    map {"/~joe/$_"} 'SECRET/s.txt', 'secret/absent.txt', 'Secrets/S.txt');
denied('no FollowSymLinks', 403, map {"/links/$_"} 'out', 'OUT/',
    'Out/inside.txt', 'out/INSIDE.txt', 'out/absent.txt', 'out/twin.txt',
    'file.TXT');
denied('LimitExcept', 403, '/limit/page.txt', '/LIMIT/Page.txt');
denied('<Directory> that is not ASCII', 403, '/%C3%A9t%C3%A9/s.txt',
    '/ete/s.txt', '/ETE/absent.txt', '/%C3%89t%C3%A9/S.txt');
denied('absolute', 403, 'http://elsewhere.example/FILES/config.PHP',
    'http://localhost/DOCS/.htpasswd');
denied('looked ahead', 403, '/Docs/a.txt?look', '/DOCS/A.txt?look');

# Names that are not denied are found in the same ways. An escaped slash stays
# one in the redirect (rule 1 of SECURITY.md).
for (['/~joe/PAGE.txt', '/~joe/Page.txt'], ['/files%2fpage.TXT',
        '/Files%2FPage.txt'], ['http://localhost/DOCS/A.txt', '/Docs/a.txt'],
    ['/' . 'Docs/../' x 500 . 'docs/a.txt', '/Docs/a.txt'])
{
    my $answer = $server->get($_->[0]);
    is $answer->status, 301, substr("found: $_->[0]", 0, 60);
    is $answer->header('Location') =~ s{^http://[^/]+}{}r, $_->[1],
        'redirected';
}
is $server->get('/~JOE/page.txt')->status, 404,
    "the directory of a user is not folded";
is $server->request('POST', '/limit/page.txt', body => 'x')->status, 200,
    'LimitExcept allows';
is $server->get('/twice/page.txt')->status, 404,
    'a rule that rewrites the found name back: one restart only';
is $server->get('/' . 'a/' x 1000)->status, 404, 'many segments';

# Digest: the client signs the target that it sends.
my $target  = '/auth/PAGE.txt';
my $answer  = $server->get($target);
my ($nonce) = ($answer->header('WWW-Authenticate') // '') =~ /nonce="([^"]+)"/;
is $answer->status, 401, 'Digest: 401';
my $response = md5_hex(join ':', md5_hex('u:r:p'), $nonce, '00000001', 'c',
    'auth', md5_hex("GET:$target"));
is $server->get($target, headers => [Authorization => 'Digest '
        . join ', ', 'username="u"', 'realm="r"', qq(nonce="$nonce"),
        qq(uri="$target"), 'qop=auth', 'nc=00000001', 'cnonce="c"',
        qq(response="$response")])->status, 200, 'with the password';

done_testing;
