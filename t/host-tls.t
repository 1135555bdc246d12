# Hosts over TLS on both servers, by HTTP/1.1 and HTTP/2: the site that answers
# a host other than the SNI name, for many sites on one connection, and no form
# of a name bypasses a client certificate. Each form over TLS: t/host.t.
use IRI::Test;
use IRI::TLS;

# Newer versions of nginx reject octets above 7F, so hosts are escaped.
my $BOOKS  = 'xn--bcher-kva.example';
my $books  = 'B%C3%BCcher.example';
my $SECRET = 'xn--gehim-ira.example';
my $secret = 'Geh%C3%A4im.example';
my @SECRETS = ($secret, 'GEH%c3%84im.example');
my @BOOKS  = ($books, $BOOKS, uc $BOOKS, 'bu%cc%88cher%E3%80%82example');

# The server names of the sites. "default" is the default server of its address.
my %NAME = (default => 'localhost', books => "b\xC3\xBCcher.example",
    secret => "geh\xC3\xA4im.example", pattern => '~^(?<word>\w+)\.pattern$');

my $tmp = temp_dir();
my $why = IRI::TLS::missing() // IRI::TLS::certificate($tmp);
plan skip_all => $why if $why;

my %RUN = (nginx => \&on_nginx, httpd => \&on_httpd);
my $server;
for my $name (qw(nginx httpd)) {
    subtest $name => sub {
        my $lack = missing($name) // lacks($name);
        plan skip_all => $lack if $lack;
        $RUN{$name}->();
        is_deeply [$server->errors], [], 'log';
    };
}
done_testing;

# What a server lacks for TLS and HTTP/2.
sub lacks {
    my ($name) = @_;
    my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
    my $built  = $name eq 'nginx' ? `@{[IRI::Nginx->binary]} -V 2>&1` : '';
    my ($gone) = $name eq 'nginx'
        ? grep { $built !~ /http_${_}_module/ } qw(ssl v2)
        : grep { !-e "$folder/mod_$_.so" } qw(ssl http2);
    return $gone ? "$name has no $gone" : undef;
}

# Requests on one connection, one for each host: the body, which names the site,
# or the status. Options: proto (h2), sni, cert, port, server.
sub ask {
    my ($hosts, %option) = @_;
    my $of     = $option{server} // $server;
    my $client = $of->client(proto => $option{proto} // 'h2',
        port => $of->port($option{port}), tls => { sni => $option{sni},
            cert => $option{cert} ? $tmp : undef });
    my @responses = map { $_->status == 200 ? $_->body : $_->status }
        $client->pipeline(map { { target => '/', host => $_ } } @$hosts);
    $client->disconnect;
    return @responses;
}

# Tests the sites of hosts. By HTTP/1.1 each host has a connection.
sub asked_is {
    my ($hosts, $want, $test_name, %option) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is_deeply [ask($hosts, %option)], $want, "HTTP/2, $test_name";
    is_deeply [map { ask([$_], %option, proto => 'h1') } @$hosts], $want,
        "HTTP/1.1, $test_name";
    return;
}

sub sni { return 'SNI ' . ($_[0] // 'none') }

# ---- nginx -------------------------------------------------------------------

sub site {
    my ($site, $listen, $verify) = @_;
    my $certificates = !$verify ? '' : <<"END";
    ssl_client_certificate %%TMP%%/cert.pem;
    ssl_verify_client $verify;
END
    # the variables of a refused host, for a page
    my $page = $listen =~ /page/ ? <<'END' : '';
    error_page 421 =200 /421;
    location = /421 { return 200 "421 [$host] [$word]"; }
END
    return <<"END";
server {
    listen 127.0.0.1:$listen;
    server_name $NAME{$site};
$certificates$page
    location / { return 200 "$site \$host \$ssl_client_verify"; }
}
END
}

sub on_nginx {
    my $tls  = 'ssl http2';
    my $conf = "ssl_certificate %%TMP%%/cert.pem;\n"
        . "ssl_certificate_key %%TMP%%/key.pem;\n"
        . join '', map { site(@$_) }
        ['default', "%%PORT%% $tls"], ['books', "%%PORT%% $tls"],
        ['secret', "%%PORT%% $tls", 'on'],
        ['default', "%%PORTopt%% $tls"],
        ['secret', "%%PORTopt%% $tls", 'optional'],
        ['default', "%%PORTdef%% $tls", 'on'], ['books', "%%PORTdef%% $tls"],
        ['default', "%%PORTpage%% $tls"],
        ['secret', "%%PORTpage%% $tls", 'on'],
        ['pattern', "%%PORTpage%% $tls", 'on'],
        # without TLS, certificates do not matter
        ['default', '%%PORTplain%%'], ['secret', '%%PORTplain%%', 'on'];
    $server = nginx(tmp => $tmp, log_level => 'info',
        conf => "iri on;\niri_host on;\n$conf");
    my $other = temp_dir();
    spew("$other/$_", slurp("$tmp/$_")) for qw(cert.pem key.pem);
    my $stock = nginx(tmp => $other, stock => 1, conf => $conf);

    my $no_raw = IRI::Nginx::refuses_raw_host();
    my @raw = $no_raw ? () : ("b\xC3\xBCcher.example",
        "B\xC3\x9CCHER.example", "bu\xCC\x88cher\xE3\x80\x82example.");
    for my $sni ($BOOKS, 'localhost', $SECRET, 'unknown', undef) {
        asked_is([@BOOKS, @raw], [map { "books $BOOKS "
            . ($sni && $sni eq $SECRET ? 'SUCCESS' : 'NONE') } @BOOKS, @raw],
            'each form, ' . sni($sni), sni => $sni, cert => 1);
    }
    asked_is(['localhost', $books, '%2a.example', $secret, $SECRET,
        '%C3%BC.example', $BOOKS], ['default localhost NONE',
        "books $BOOKS NONE", 400, 421, 421, 'default xn--tda.example NONE',
        "books $BOOKS NONE"], 'many sites', sni => $BOOKS, cert => 1);
    asked_is([$books, $BOOKS, '%2a.example'], ['default b%c3%bccher.example'
        . ' NONE', "default $BOOKS NONE", 'default %2a.example NONE'], 'stock',
        sni => $BOOKS, server => $stock);

    # A mapped host is never less restricted than A-labels.
    asked_is([$SECRET, $secret], [400, 421], 'no certificate', sni => $SECRET);
    asked_is([$SECRET, $secret], ["secret $SECRET SUCCESS", 421],
        'certificate', sni => $SECRET, cert => 1);
    asked_is([$SECRET], [400], 'no SNI, no certificate');
    for my $cert (0, 1) {
        asked_is([$SECRET], [421], "SNI of another site, certificate $cert",
            sni => 'localhost', cert => $cert);
        for my $sni ($SECRET, 'localhost', $BOOKS, 'unknown', undef) {
            my @with = (sni => $sni, cert => $cert);
            asked_is(\@SECRETS, [421, 421],
                'mapped, ' . sni($sni) . ", certificate $cert", @with);
            asked_is(\@SECRETS, [421, 421],
                'optional, ' . sni($sni) . ", certificate $cert", @with,
                port => 'opt');
        }
    }
    like $server->settled_log,
        qr/iri: host "\Q$SECRET\E" refused: .*reason=certificate/,
        'the log has the reason';
    asked_is([$_], ['421 [localhost] []'], "nothing of it is kept: $_",
        port => 'page') for $secret, '%61bc.pattern';

    # The default server, which the raw host selects, is the one that verifies.
    my @def = (port => 'def');
    asked_is([$books], [421], "nginx itself, certificate $_", @def,
        sni => $BOOKS, cert => $_) for 0, 1;
    asked_is([$books], [400], 'the default verifies, no certificate', @def);
    asked_is([$books, '%C3%BC.example'], ["books $BOOKS SUCCESS",
        'default xn--tda.example SUCCESS'], 'the default verifies', @def,
        cert => 1);
    is $server->get('/', host => $secret, port => $server->port('plain'))->body,
        "secret $SECRET ", 'without TLS';

    # With the exact octets of server_name a host selects its server in a stock
    # nginx, too, which then reports the missing certificate, or 421 if the SNI
    # name is that of another server, compared octet by octet.
    for my $case ($no_raw ? () : ([$server, 421], [$stock, 400])) {
        is_deeply [map { ask([$NAME{secret}], sni => $_, cert => 1,
                    server => $case->[0]) } $SECRET, 'localhost', undef],
            [$case->[1], 421, 400], "raw, as it is written: $case->[1]";
    }
    return;
}

# ---- httpd -------------------------------------------------------------------

sub on_httpd {
    my $hosts = '';
    for (['default'], ['books'], ['secret', 'SSLVerifyClient require']) {
        my ($site, $more) = @$_;
        mkdir "$tmp/$site";
        spew("$tmp/$site/index.html", $site);
        $hosts .= vhost($NAME{$site}, "$tmp/$site", conf => <<"END");
    Protocols h2 http/1.1
    SSLEngine on
    SSLCertificateFile "%%TMP%%/cert.pem"
    SSLCertificateKeyFile "%%TMP%%/key.pem"
    SSLCACertificateFile "%%TMP%%/cert.pem"
    @{[$more // '']}
END
    }
    $server = httpd(tmp => $tmp, root => $tmp, h2 => 1, log_level => 'info',
        modules => [qw(socache_shmcb ssl)],
        conf => "IRIEngine on\nIRIHost on\nDirectoryIndex index.html\n$hosts");
    is_deeply [ask(\@BOOKS, sni => $_)], [('books') x @BOOKS],
        'each form of :authority, ' . sni($_) for $BOOKS, 'localhost', undef;
    is_deeply [ask(['localhost', $books, '%2a.example', $secret, $SECRET,
            '%C3%BC.example', $BOOKS], sni => $BOOKS, cert => 1)],
        ['default', 'books', 400, 421, 421, 'default', 'books'],
        'one connection, many sites';

    # A site that requires a certificate is the one of SNI, or the response is
    # 421.
    is_deeply [ask([$SECRET, $secret], sni => $SECRET, cert => 1)],
        ['secret', 'secret'], 'certificate, SNI of the site';
    for my $sni ('localhost', $BOOKS, undef) {
        is_deeply [map { ask([$SECRET, @SECRETS], sni => $sni, cert => $_) }
            0, 1], [(421) x 6], sni($sni);
    }
    return;
}
