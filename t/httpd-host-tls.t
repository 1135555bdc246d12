# httpd: hosts by HTTP/2 over TLS: the site that answers an :authority other
# than the SNI name, for many sites on one connection, and no form of a name
# bypasses a client certificate. Each form over TLS: t/host.t.
use IRI::Test 'httpd';
use IRI::TLS;

my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
my ($gone) = grep { !-e "$folder/mod_$_.so" } qw(ssl http2);
plan skip_all => "no mod_$gone" if $gone;
my $tmp = temp_dir();
my $why = IRI::TLS::missing() // IRI::TLS::certificate($tmp);
plan skip_all => $why if $why;

my $BOOKS  = 'xn--bcher-kva.example';
my $books  = 'B%C3%BCcher.example';
my $SECRET = 'xn--gehim-ira.example';
my $secret = 'Geh%C3%A4im.example';

# The first is the default server of the address.
my %NAME = (default => 'localhost', books => "b\xC3\xBCcher.example",
    secret => "geh\xC3\xA4im.example");

sub site {
    my ($site, $more) = @_;
    mkdir "$tmp/$site";
    spew("$tmp/$site/index.html", $site);
    return <<"END";
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName $NAME{$site}
    DocumentRoot "%%TMP%%/$site"
    Protocols h2 http/1.1
    SSLEngine on
    SSLCertificateFile "%%TMP%%/cert.pem"
    SSLCertificateKeyFile "%%TMP%%/key.pem"
    SSLCACertificateFile "%%TMP%%/cert.pem"
    $more
</VirtualHost>
END
}

my $server = httpd(tmp => $tmp, root => $tmp, h2 => 1, log_level => 'info',
    modules => [qw(socache_shmcb ssl)], conf => join '',
    "IRIEngine on\nIRIHost on\nDirectoryIndex index.html\n",
    site('default', ''), site('books', ''),
    site('secret', 'SSLVerifyClient require'));

# Streams of one connection, one for each host. Options: sni, cert.
sub ask {
    my ($hosts, %option) = @_;
    my $client = $server->client(proto => 'h2', tls => { sni => $option{sni},
        cert => $option{cert} ? $tmp : undef });
    my @responses = map { $_->status == 200 ? $_->body : $_->status }
        $client->pipeline(map { { target => '/', host => $_ } } @$hosts);
    $client->disconnect;
    return @responses;
}

my @books = ($books, $BOOKS, uc $BOOKS, 'bu%cc%88cher%E3%80%82example');
is_deeply [ask(\@books, sni => $_)], [('books') x @books],
    'each form of :authority, SNI ' . ($_ // 'none')
    for $BOOKS, 'localhost', undef;

is_deeply [ask(['localhost', $books, '%2a.example', $secret, $SECRET,
        '%C3%BC.example', $BOOKS], sni => $BOOKS, cert => 1)],
    ['default', 'books', 400, 421, 421, 'default', 'books'],
    'one connection, many sites';

# A site that requires a certificate is the one of SNI, or the response is 421.
is_deeply [ask([$SECRET, $secret], sni => $SECRET, cert => 1)],
    ['secret', 'secret'], 'certificate, SNI of the site';
for my $sni ('localhost', $BOOKS, undef) {
    is_deeply [map { ask([$SECRET, $secret, 'GEH%c3%84im.example'],
            sni => $sni, cert => $_) } 0, 1], [(421) x 6],
        'SNI ' . ($sni // 'none');
}

done_testing;
