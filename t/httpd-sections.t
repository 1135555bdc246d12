# httpd: <Directory> with a non-ASCII name applies to that name in any charset
# and form on disk, existing or created later; and nothing changes where the
# engine is off.
use IRI::Test 'httpd';
use Encode ();
use File::Path 'make_path';
use IRI::Octets qw(euc nfd percent sjis);

sub text { return Encode::decode('UTF-8', $_[0]) }

# A file in a new directory, as root or as the tests' user.
my ($root) = make_tree("index.html\tfile\n");
sub put {
    my ($path) = @_;
    my ($dir) = "$root/$path" =~ m{^(.*)/};
    make_path($dir);
    spew("$root/$path", "$path\n");
    return;
}

# A Vietnamese letter with three forms; this one is neither NFC nor NFD.
my $whole = "\xE1\xBB\x87";
my $part  = "\xE1\xBA\xB9\xCC\x82";

put(euc('双/s.txt'));
put(euc('別/s.txt'));
put(euc('誤/error.html'));
put(euc('密.txt'));  # its octets are also UTF-8, for another name
put('双/s.txt');
put("u/$part/s.txt");
put('root-データ/index.html');
put(euc('e/順/s.txt'));
put(euc('e/逆/s.txt'));
put(sjis('二/sjis/s.txt'));
put(euc('二/euc/s.txt'));
make_path("$root/dav", "$root/later");
chmod 0777, $root, "$root/dav", glob "$root/*";

my $deny   = "Require all denied\n";
my $server = httpd(
    root => $root, modules => [qw(dav dav_fs headers rewrite vhost_alias)],
    log_level => 'info', conf => <<"END");
IRIEngine On
IRICharset EUC-JP
DavLockDB "%%TMP%%/run/lock"
<Directory "%%ROOT%%">
    IRIFilenameCharset EUC-JP
</Directory>
<Directory "%%ROOT%%/u">
    IRIFilenameCharset UTF-8
</Directory>
<Directory "%%ROOT%%/dav">
    Dav On
</Directory>
<Directory "%%ROOT%%/dav/秘">
    $deny
</Directory>
<Directory "%%ROOT%%/後">
    $deny
</Directory>
<Directory "%%ROOT%%/後/開">
    Require all granted
    Header set X-Section open
</Directory>
<Directory "%%ROOT%%/双">
    $deny
</Directory>
<Directory "%%ROOT%%/u/が">
    $deny
</Directory>
<Directory "%%ROOT%%/u/ぎ/ぐ">
    $deny
</Directory>
<Directory "%%ROOT%%/u/$whole">
    Require all granted
    Header set X-Section whole
</Directory>
<Directory "%%ROOT%%/u/x$whole">
    $deny
</Directory>
<Directory "%%ROOT%%/u/y$whole">
    Require all granted
</Directory>
<Directory "%%ROOT%%/root-データ/秘">
    $deny
</Directory>
<Directory "%%ROOT%%/e/順">
    $deny
</Directory>
<Directory "%%ROOT%%/e/*">
    Require all granted
</Directory>
<Directory "%%ROOT%%/e/逆">
    $deny
</Directory>
<Directory "%%ROOT%%/二">
    $deny
</Directory>
<Directory "%%ROOT%%/誤">
    $deny
    ErrorDocument 403 "/誤/error.html"
</Directory>
<Files "密.txt">
    $deny
</Files>
AliasMatch "^/slashes/(.*)" "%%ROOT%%//\$1"
AliasMatch "^/dot/(.*)" "%%ROOT%%/./\$1"
AliasMatch "^/dots/(.*)" "%%ROOT%%/dav/../\$1"
<VirtualHost 127.0.0.1:%%PORTroot%%>
    DocumentRoot "%%ROOT%%/root-データ"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTslashes%%>
    VirtualDocumentRoot "%%ROOT%%//"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTdot%%>
    IRICharset Shift_JIS
    VirtualDocumentRoot "/.%%ROOT%%/dav/.././"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTsjis%%>
    <Directory "%%ROOT%%">
        IRIFilenameCharset Shift_JIS
    </Directory>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTown%%>
    <Directory "%%ROOT%%">
        IRIFilenameCharset UTF-8
    </Directory>
</VirtualHost>
END
chmod 0777, "$server->{tmp}/run";

sub status {
    my ($path, $on) = @_;
    return $server->get(percent($path), port => $server->port($on))->status;
}

# ---- directories that exist at the start ------------------------------------
is status('/双/s.txt'), 403, 'the entry in the charset of the tree';
is status("/u/$whole/s.txt"), 200, 'neither NFC nor NFD';
is $server->get(percent "/u/$whole/s.txt")->header('X-Section'), 'whole',
    'its section applies';
is status('/e/順/s.txt'), 200, 'a later pattern wins';
is status('/e/逆/s.txt'), 403, 'a later section wins over the pattern';
is status("/$_/双/s.txt"), 403, "an alias with $_" for qw(slashes dot dots);
is status('/双/s.txt', $_), 403, "a document root with $_" for qw(slashes dot);
is status('/密.txt', 'dot'), 403, '<Files> below such a root';
is status(euc('/密.txt'), 'dot'), 404, 'no other name for its octets';
is $server->get(percent '/誤/s.txt')->body, euc("誤/error.html\n"),
    'its error page needs no access, as without this module';

# ---- directories created later ----------------------------------------------
# httpd itself allows creating the directory, and protects it from then on.
is $server->request('MKCOL', percent '/dav/秘/')->status, 201, 'MKCOL';
is $server->request('MKCOL', percent $_)->status, 403, 'MKCOL again'
    for '/dav/秘/', euc '/dav/秘/';
is $server->request('PUT', percent("$_/t.txt"), body => 'x')->status, 403,
    'PUT' for '/dav/秘', euc '/dav/秘';
put(euc("$_/s.txt")) for qw(dav/秘 後 後/開);
is status("/$_/s.txt"), 403, "$_, made later" for 'dav/秘', '後';
my $open = $server->get(percent '/後/開/s.txt');
is $open->status, 200, 'a section within it';
is $open->header('X-Section'), 'open', 'with all its settings';
put(nfd 'u/が/s.txt');
is status('/u/が/s.txt'), 403, 'NFD, made later';
put('u/が/s.txt');
is status('/u/が/s.txt'), 403, 'NFC beside it';
put('u/ぎ/' . nfd('ぐ') . '/s.txt');
is status('/u/ぎ/ぐ/s.txt'), 403, 'NFC and NFD';
rename "$root/u/ぎ", "$root/u/" . nfd 'ぎ' or die $!;
is status('/u/ぎ/ぐ/s.txt'), 403, 'another form, created later';
put("u/$_$part/s.txt") for qw(x y);
is status("/u/x$whole/s.txt"), 403, 'neither NFC nor NFD, made later';
is status("/u/y$whole/s.txt"), 200, 'likewise, granted';
put('root-データ/' . euc('秘/s.txt'));
put('root-データ/' . euc('開/s.txt'));
is status('/秘/s.txt', 'root'), 403, 'below a root that is not decoded';
is status('/開/s.txt', 'root'), 200, 'a directory beside it';

# ---- each server separately -------------------------------------------------
is status('/二/euc/s.txt'), 403, 'EUC-JP';
is status('/二/sjis/s.txt', 'sjis'), 403, 'Shift_JIS in another server';
is status('/別/s.txt'), 200, 'the tree of the main server';
is status('/双/s.txt', 'own'), 403, 'a <Directory> of another server';
is status('/別/s.txt', 'own'), 404, 'with another charset';
is status('/双/s.txt', 'off'), 403, 'engine off: the octets of the section';
is status(euc('/双/s.txt'), 'off'), 200, 'no other octets';

$server->stop;

# ---- each name by the settings of the directory that contains it ------------
# The settings for names of a section apply below its directory, not to its own
# name.
my ($site) = make_tree("index.html\tfile\n");
sub cp1251 { return Encode::encode('cp1251', text($_[0])) }
for my $path (
    '日本/old/' . euc('表/漢.txt'), '日本/表.txt', 'Отчёт/' . cp1251('Отчёт.txt'),
    'é/' . nfd('é/é.txt'), 'plain/' . euc('表.txt'), 'Fold/日本/Name.txt',
    'Exact/Name.txt', 'Exact/Fold/Name.txt', 'broken/日本/表.txt',
    'match/' . euc('日本') . '/表/' . sjis('表.txt'))
{
    my ($dir) = "$site/$path" =~ m{^(.*)/};
    make_path($dir);
    spew("$site/$path", "$path\n");
}
chmod 0777, $site, glob "$site/*";
$server = httpd(
    root => $site, modules => [qw(autoindex dav dav_fs headers)], conf => <<"END");
IRIEngine On
DavLockDB "%%TMP%%/run/lock"
<Directory "%%ROOT%%">
    IRIMatch normalization
</Directory>
<Directory "%%ROOT%%/日本/old">
    IRIFilenameCharset EUC-JP
    IRIListing On
    Options Indexes
</Directory>
<Directory "%%ROOT%%/Отчёт">
    IRIFilenameCharset windows-1251
</Directory>
<Directory "%%ROOT%%/é">
    IRIFilenameForm nfd
    Dav On
</Directory>
<Directory "%%ROOT%%/plain">
    IRIFilenameCharset EUC-JP
</Directory>
<Directory "%%ROOT%%/Fold/日本">
    IRIMatch case
</Directory>
<Directory "%%ROOT%%/Exact">
    IRIMatch exact
</Directory>
<Directory "%%ROOT%%/Exact/Fold">
    IRIMatch case
</Directory>
<Directory "%%ROOT%%/broken/日本">
    IRIRepair double-encoding
</Directory>
<Directory "%%ROOT%%/match">
    IRIFilenameCharset EUC-JP
</Directory>
<Directory "%%ROOT%%/match/日本">
    IRIFilenameCharset UTF-8
    <Files "表.txt">
        Header set X-Files yes
    </Files>
</Directory>
<Directory "%%ROOT%%/match/後">
    IRIFilenameCharset Shift_JIS
    $deny
</Directory>
<Directory "%%ROOT%%/match/日本/表">
    IRIFilenameCharset Shift_JIS
    Header set X-Section yes
</Directory>
END
chmod 0777, "$server->{tmp}/run";

sub body_is {
    my ($path, $want, $test_name) = @_;
    my $answer = $server->get(percent($path));
    is $answer->body, "$want\n", $test_name;
    return $answer;
}

body_is('/日本/old/表/漢.txt', '日本/old/' . euc('表/漢.txt'),
    'an archive in EUC-JP below a name in UTF-8');
body_is('/日本/表.txt', '日本/表.txt', 'a file beside it');
is $server->get(percent euc('/日本/old/表/漢.txt'))->status, 404,
    'octets invalid in all charsets';
body_is('/Отчёт/Отчёт.txt', 'Отчёт/' . cp1251('Отчёт.txt'),
    "a directory's own name is not in its charset");
body_is('/é/é/é.txt', 'é/' . nfd('é/é.txt'), 'nor in its form');
body_is(nfd('/é/é/é.txt'), 'é/' . nfd('é/é.txt'), 'requested in NFD');
body_is('/plain/表.txt', 'plain/' . euc('表.txt'), 'below an ASCII name');
is $server->get(percent('/日本/old/無/表.txt'))->status, 404, 'absent';

body_is('/Fold/日本/NAME.TXT', 'Fold/日本/Name.txt', 'names below it are folded');
is $server->get(percent('/FOLD/日本/Name.txt'))->status, 404,
    'names above it are not folded';
is $server->get('/EXACT/Name.txt')->status, 404, 'also in ASCII';
is $server->get('/Exact/NAME.TXT')->status, 404, 'exact';
is $server->get('/Exact/FOLD/NAME.TXT')->status, 404, 'the exact name';
is $server->get('/Exact/Fold/NAME.TXT')->status, 200, 'ASCII names below it';
is $server->get('/broken/%E6%97%A5%E6%9C%AC/%25E8%25A1%25A8.txt')->status, 200,
    'names below it are repaired';
is $server->get('/broken/%25E6%2597%25A5%25E6%259C%25AC/%E8%A1%A8.txt')->status,
    404, 'the name itself is not folded';

my $deep = body_is('/match/日本/表/表.txt',
    'match/' . euc('日本') . '/表/' . sjis('表.txt'), 'three charsets');
is $deep->header('X-Section'), 'yes', 'its section applies';
is $deep->header('X-Files'), 'yes', '<Files> in it';

make_path("$site/match/" . euc('後'));
spew("$site/match/" . euc('後') . '/' . sjis('表.txt'), "x\n");
is $server->get(percent '/match/後/表.txt')->status, 403,
    'a section of a directory that is made later';

like $server->get(percent '/日本/old/')->body, qr/>表</, 'a listing';
is $server->request('PUT', percent('/é/ü.txt'), body => 'x')->status, 201,
    'a new name';
ok -e "$site/é/" . nfd('ü.txt'), 'in the form of its directory';
is $server->request('MKCOL', percent('/é/ö/'))->status, 201, 'a directory';
is $server->request('PUT', percent('/é/ö/ä.txt'), body => 'x')->status, 201,
    'a directory in that form';
ok -e "$site/é/" . nfd('ö/ä.txt'), 'likewise';
like $server->request('PROPFIND', percent('/é/'),
    headers => [Depth => 1])->body,
    qr{<D:href>/%C3%A9/%C3%BC\.txt</D:href>}, 'PROPFIND';
$server->stop;

# ---- hidden suffixes (doc/httpd.md) ------------------------------------------
my ($hidden) = make_tree(join '',
    map { "$_/e\\xCC\\x81.txt\tfile\tnfd\n" } qw(file uri bare views));
$server = httpd(
    root => $hidden, modules => [qw(negotiation rewrite)], conf => <<'END');
IRIEngine On
<Directory "%%ROOT%%/file">
    RewriteEngine On
    RewriteCond %{REQUEST_FILENAME}.txt -f
    RewriteRule ^(.*)$ $1.txt
</Directory>
<Directory "%%ROOT%%/uri">
    RewriteEngine On
    RewriteCond %{REQUEST_URI}.txt -U
    RewriteRule ^([^.]*)$ $1.txt
</Directory>
<Directory "%%ROOT%%/bare">
    RewriteEngine On
    RewriteCond %{REQUEST_FILENAME} !-f
    RewriteCond %{REQUEST_FILENAME} !-d
    RewriteRule ^([^.]+)$ $1.txt
</Directory>
<Directory "%%ROOT%%/views">
    Options +MultiViews
</Directory>
END
is $server->get("/file/%C3%A9")->status, 404, 'a name of the disk and a suffix';
is $server->get("/$_/%C3%A9")->body, 'nfd', "a hidden suffix: $_"
    for qw(uri bare views);
is $server->get("/$_/%C3%B1")->status, 404, "absent: $_"
    for qw(uri bare views);

# ---- a rule makes a path that is not canonical, below such an Alias

my ($tree) = make_tree("dir/\tdir\ndir/e\\xCC\\x81.txt\tfile\n");
my $name = nfd('é');
$server = httpd(root => $tree, modules => ['alias', 'rewrite'],
    expect => qr/matches no path/, conf => <<"END");
IRIEngine On
IRIFilenameCharset EUC-JP
Alias "/$name" "%%ROOT%%"
Alias "/ascii" "%%ROOT%%"
RewriteEngine On
RewriteRule "^/below\$" "/$name/dir/$name.txt" [PT]
RewriteRule "^/plain\$" "/ascii/dir/$name.txt" [PT]
<Directory "%%ROOT%%/dir">
    IRIFilenameCharset UTF-8
</Directory>
<Files "é.txt">
    Require all denied
</Files>
END
is $server->get("/$_")->status, 403,
    "$_: the settings of its directory, and <Files>" for qw(plain below);
$server->stop;

# ---- a root that is not ASCII, in other octets than the section

my $euc = euc('表');
my ($roots) = make_tree(join '', map { escaped("$_/dir/é.txt") . "\tfile\n" }
    $name, $euc);
for (["$name", "$name", 'NFD, NFD'], [$name, 'é', 'NFD, NFC'],
    [$euc, $euc, 'EUC-JP, EUC-JP'], [$euc, '表', 'EUC-JP, UTF-8'])
{
    my ($root, $section, $test_name) = @$_;
    $server = httpd(root => $roots, modules => ['alias'], conf => <<"END");
IRIEngine On
IRICharset EUC-JP
IRIFilenameCharset EUC-JP UTF-8
DocumentRoot "%%ROOT%%/$root"
Alias "/alias" "%%ROOT%%/$root"
<Directory "%%ROOT%%/$section/dir">
    IRIFilenameCharset UTF-8
    <Files "é.txt">
        Require all denied
    </Files>
</Directory>
END
    for my $at ('', '/alias') {
        is $server->get(percent("$at/dir/é.txt"))->status, 403,
            "$test_name$at: denied";
        is $server->get(percent("$at/dir/辿.txt"))->status, 404,
            'and no name in another charset';
    }
    $server->stop;
}

# ---- a rule makes a path to octets that are another name

my ($literal) = make_tree(join '', map { escaped($_) . "\tfile\tSECRET\n" }
    "$name/$euc.txt", "$name/$euc/x.txt");
$server = httpd(root => $literal, modules => ['rewrite'], conf => <<"END");
IRIEngine On
IRICharset EUC-JP
IRIFilenameCharset EUC-JP UTF-8
RewriteEngine On
RewriteRule "^/N/(.*)\$" "%%ROOT%%/$name/\$1" [L]
<Location "/N/表.txt">
    Require all denied
</Location>
<Location "/N/表/">
    Require all denied
</Location>
END
is $server->get(percent("/N/$_"))->status, 403, "$_: denied"
    for '表.txt', '表/x.txt';
is $server->get("/N/$_")->status, 404, "$_: the same octets in UTF-8"
    for '%C9%BD.txt', '%C9%BD/x.txt';
done_testing;
