# httpd: Subversion's mod_dav_svn, whose names are those of a repository and
# not of the file system: with the engine on its responses are the same, and
# clients work. But a request for a name that the repository has in NFD is read
# as NFC before the handler is known: for such a repository the engine must be
# off.
use IRI::Test 'httpd';

my $modules = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
my ($svnadmin, $svn) = map { my $name = $_;
    (grep { -x } map { "$_/$name" } split /:/, $ENV{PATH})[0] }
    qw(svnadmin svn);
plan skip_all => 'no Subversion (libapache2-mod-svn, subversion)'
    if !$svnadmin || !$svn || !-e "$modules/mod_dav_svn.so";

my $dir = temp_dir();
my $nfc = "caf\xC3\xA9.txt";
my $nfd = "re\xCC\x81.txt";
$ENV{LC_ALL} = 'C.UTF-8';
request_is($svnadmin, 'create', "$dir/repo");
mkdir "$dir/in";
spew("$dir/in/$_", $_) for $nfc, 'a[1].txt';
request_is($svn, 'import', '-q', '-m', 'x', "$dir/in", "file://$dir/repo/in");
mkdir "$dir/nfd";
spew("$dir/nfd/$nfd", $nfd);
request_is($svn, 'import', '-q', '-m', 'x', "$dir/nfd", "file://$dir/repo/nfd");
system 'chown', '-R', 'www-data', "$dir/repo" if $> == 0;

my $server = httpd(modules => [qw(dav dav_svn)], log_level => 'crit',
    conf => <<"END");
<Location "/repo">
    DAV svn
    SVNPath "$dir/repo"
</Location>
<VirtualHost 127.0.0.1:%%PORTon%%>
    IRIEngine On
    IRICharset EUC-JP
    IRIFilenameCharset EUC-JP
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
</VirtualHost>
END

sub request_is {
    my ($code, $out, $err) = capture('', 'timeout', '300', @_);
    is $code, 0, "$_[0] $_[1]" or diag "$out$err";
    return $out;
}

# Namespaces are in the order of a hash.
sub words { return join ' ', sort split /[\s>]+/, $_[0] }

for my $path ('/repo/', '/repo/in/', '/repo/nfd/') {
    my %list = map { $_ => $server->request('PROPFIND', $path, headers =>
            [Depth => 1], port => $server->port($_)) } qw(on off);
    is $list{on}->status, 207, "PROPFIND $path";
    is words($list{on}->body), words($list{off}->body), 'the same response';
    like $list{on}->body, qr/re%cc%81\.txt/i, 'names in NFD stay'
        if $path =~ /nfd/;
}
for my $name (qw(on off)) {
    my $url = 'http://127.0.0.1:' . $server->port($name) . '/repo/in';
    request_is($svn, 'checkout', '-q', $url, "$dir/$name");
    is slurp("$dir/$name/$nfc"), $name eq 'on' ? $nfc : 'new on',
        "$name: checkout, NFC";
    spew("$dir/$name/$nfc", "new $name");
    request_is($svn, 'commit', '-q', '-m', 'y', '--username', 'u',
        "$dir/$name/$nfc");
    request_is($svn, 'update', '-q', "$dir/$name");
}
is $server->get('/repo/in/caf%C3%A9.txt', port => $server->port('on'))->body,
    'new off', 'GET';
request_is($svn, 'checkout', '-q', 'http://127.0.0.1:' . $server->port('off')
    . '/repo/nfd', "$dir/nfd-off");
is slurp("$dir/nfd-off/$nfd"), $nfd, 'NFD where the engine is off';
done_testing;
