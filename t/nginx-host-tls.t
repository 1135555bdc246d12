# nginx: hosts over TLS, by HTTP/1.1 and HTTP/2: the site that answers a host
# other than the SNI name, and no mapped name bypasses a client certificate.
use IRI::Test 'nginx';
use IRI::TLS;

my $built = `@{[IRI::Nginx->binary]} -V 2>&1`;
plan skip_all => 'this nginx has no TLS' if $built !~ /http_ssl_module/;
my $no_h2 = $built !~ /http_v2_module/ ? 'this nginx has no HTTP/2'
    : IRI::TLS::missing();

# Newer versions of nginx reject octets above 7F, so hosts are escaped.
my $BOOKS  = 'xn--bcher-kva.example';
my $books  = 'B%C3%BCcher.example';
my $SECRET = 'xn--gehim-ira.example';
my $secret = 'Geh%C3%A4im.example';

my $tmp = temp_dir();
my $why = IRI::TLS::certificate($tmp);
plan skip_all => $why if $why;

# Sites with and without client certificates; the first of each address is
# its default server.
my %NAME = (default => 'localhost', books => "b\xC3\xBCcher.example",
    secret => "geh\xC3\xA4im.example", pattern => '~^(?<word>\w+)\.pattern$');

# The variables of a refused host, for a page.
my $PAGE = <<'END';
    error_page 421 =200 /421;
    location = /421 { return 200 "421 [$host] [$word]"; }
END

sub site {
    my ($site, $listen, $verify, $more) = @_;
    $more //= '';
    my $certificates = !$verify ? '' : <<"END";
    ssl_client_certificate %%TMP%%/cert.pem;
    ssl_verify_client $verify;
END
    return <<"END";
server {
    listen 127.0.0.1:$listen;
    server_name $NAME{$site};
$certificates$more
    location / { return 200 "$site \$host \$ssl_client_verify"; }
}
END
}

my $TLS  = $no_h2 ? 'ssl' : 'ssl http2';
my $CONF = "ssl_certificate %%TMP%%/cert.pem;\n"
    . "ssl_certificate_key %%TMP%%/key.pem;\n"
    . join '', map { site(@$_) }
    ['default', "%%PORT%% $TLS"], ['books', "%%PORT%% $TLS"],
    ['secret', "%%PORT%% $TLS", 'on'],
    ['default', "%%PORTopt%% $TLS"],
    ['secret', "%%PORTopt%% $TLS", 'optional'],
    ['default', "%%PORTdef%% $TLS", 'on'], ['books', "%%PORTdef%% $TLS"],
    ['default', '%%PORTpage%% ssl', undef, $PAGE],
    ['secret', '%%PORTpage%% ssl', 'on', $PAGE],
    ['pattern', '%%PORTpage%% ssl', 'on', $PAGE],
    # without TLS, certificates do not matter
    ['default', '%%PORTplain%%'], ['secret', '%%PORTplain%%', 'on'];

my %server = (
    ours => nginx(tmp => $tmp, log_level => 'info',
        conf => "iri on;\niri_host on;\n$CONF"),
    stock => do {
        my $other = temp_dir();
        spew("$other/$_", slurp("$tmp/$_")) for qw(cert.pem key.pem);
        nginx(tmp => $other, stock => 1, conf => $CONF);
    },
);

# One request: options sni, cert, port, server. "site $host verified", or the
# status.
sub ask {
    my ($host, %option) = @_;
    my $server = $server{ $option{server} // 'ours' };
    my @sni    = $option{sni} ? (-servername => $option{sni}) : '-noservername';
    my @cert   = $option{cert}
        ? (-cert => "$tmp/cert.pem", -key => "$tmp/key.pem") : ();
    my ($code, $responses, $error) = capture(
        "GET / HTTP/1.1\r\nHost: $host\r\nConnection: close\r\n\r\n",
        'openssl', 's_client', '-quiet', '-connect',
        '127.0.0.1:' . $server->port($option{port} // ''), @sni, @cert);
    my ($status, $body) = $responses =~ m{^HTTP/1\.1 (\d+).*?\r\n\r\n(.*)$}s
        or return "no answer: $error";
    return $status == 200 ? $body : $status;
}

# ---- which site --------------------------------------------------------------

for my $case (
    # host, SNI name, response of ours, of stock
    [$BOOKS,  $BOOKS,      "books $BOOKS NONE", "default $BOOKS NONE"],
    [$books,  $BOOKS,      "books $BOOKS NONE",
        'default b%c3%bccher.example NONE'],
    [$books,  'localhost', "books $BOOKS NONE",
        'default b%c3%bccher.example NONE'],
    [$books,  undef,       "books $BOOKS NONE",
        'default b%c3%bccher.example NONE'],
    ['bu%CC%88cher%E3%80%82example', $BOOKS, "books $BOOKS NONE",
        'default bu%cc%88cher%e3%80%82example NONE'],
    ['%C3%BC.example', $BOOKS, 'default xn--tda.example NONE',
        'default %c3%bc.example NONE'],
    ['%2a.example', $BOOKS, 400, 'default %2a.example NONE'],
    ['localhost', $BOOKS, 'default localhost NONE', 'default localhost NONE'],
) {
    my ($host, $sni, $ours, $stock) = @$case;
    my $name = "$host, SNI " . ($sni // 'none');
    is ask($host, sni => $sni), $ours, $name;
    is ask($host, sni => $sni, server => 'stock'), $stock, "$name, stock";
}

# ---- client certificates -----------------------------------------------------

# Answered like a plain host.
is ask($SECRET, sni => $SECRET), 400, 'plain: no certificate';
is ask($SECRET, sni => $SECRET, cert => 1), "secret $SECRET SUCCESS",
    'plain: certificate';
is ask($SECRET), 400, 'plain, no SNI: no certificate';
is ask($SECRET, sni => 'localhost'), 421, 'plain, SNI of another site';
is ask($SECRET, sni => 'localhost', cert => 1), 421,
    'plain, SNI of another site: certificate';

# A mapped host is never less restricted.
for my $cert (0, 1) {
    for my $sni ($SECRET, 'localhost', $BOOKS, 'unknown', undef) {
        is ask($secret, sni => $sni, cert => $cert), 421,
            "mapped, SNI " . ($sni // 'none') . ", certificate $cert";
        is ask($secret, sni => $sni, cert => $cert, port => 'opt'), 421,
            'mapped, optional, SNI ' . ($sni // 'none')
            . ", certificate $cert";
    }
}
like $server{ours}->settled_log,
    qr/iri: host "\Q$SECRET\E" refused: .*reason=certificate/,
    'the log has the reason';

is ask($_, port => 'page'), '421 [localhost] []',
    "nothing of it is kept: $_" for $secret, '%61bc.pattern';

# The default server, which the raw host selects, is the one that verifies.
is ask($books, sni => $BOOKS, port => 'def'), 421, 'nginx itself';
is ask($books, sni => $BOOKS, port => 'def', cert => 1), 421,
    'nginx itself, with a certificate';
is ask($books, port => 'def'), 400, 'no SNI, no certificate';
is ask($books, port => 'def', cert => 1), "books $BOOKS SUCCESS",
    'no SNI, but a certificate';
is ask('%C3%BC.example', port => 'def', cert => 1),
    'default xn--tda.example SUCCESS', 'the same server is selected';

is $server{ours}->get('/', host => $secret,
    port => $server{ours}->port('plain'))->body, "secret $SECRET ",
    'without TLS';
# ---- HTTP/2 ------------------------------------------------------------------

# Streams of one connection, one for each host; options as for ask().
sub ask_h2 {
    my ($hosts, %option) = @_;
    my $server = $server{ $option{server} // 'ours' };
    my $client = $server->client(proto => 'h2',
        port => $server->port($option{port} // ''),
        tls  => { sni => $option{sni},
            cert => $option{cert} ? $tmp : undef });
    my @responses = map { $_->status == 200 ? $_->body : $_->status }
        $client->pipeline(map { { target => '/', host => $_ } } @$hosts);
    $client->disconnect;
    return @responses;
}

subtest 'HTTP/2' => sub {
    plan skip_all => $no_h2 if $no_h2;

    my $no_raw = IRI::Nginx::refuses_raw_host();
    my @books = ($books, $BOOKS, uc $BOOKS, 'bu%cc%88cher%E3%80%82example',
        $no_raw ? () : ("b\xC3\xBCcher.example", "B\xC3\x9CCHER.example",
            "bu\xCC\x88cher\xE3\x80\x82example."));
    for my $sni ($BOOKS, 'localhost', $SECRET, 'unknown', undef) {
        is_deeply [ask_h2(\@books, sni => $sni, cert => 1)],
            [map { "books $BOOKS " . ($sni && $sni eq $SECRET ? 'SUCCESS'
                : 'NONE') } @books],
            'each form of :authority, SNI ' . ($sni // 'none');
    }
    is_deeply [ask_h2([$books, $BOOKS], sni => $BOOKS, server => 'stock')],
        ['default b%c3%bccher.example NONE', "default $BOOKS NONE"], 'stock';

    # One connection for many sites, as browsers use it; each stream is checked
    # separately.
    is_deeply [ask_h2(['localhost', $books, '%2a.example', $secret, $SECRET,
            '%C3%BC.example', $BOOKS], sni => $BOOKS, cert => 1)],
        ['default localhost NONE', "books $BOOKS NONE", 400, 421, 421,
            'default xn--tda.example NONE', "books $BOOKS NONE"],
        'one connection, many sites';

    # Certificates: a mapped host is never less restricted than A-labels.
    is_deeply [ask_h2([$SECRET, $secret], sni => $SECRET)], [400, 421],
        'no certificate';
    is_deeply [ask_h2([$SECRET, $secret], sni => $SECRET, cert => 1)],
        ["secret $SECRET SUCCESS", 421], 'certificate';
    for my $sni ($SECRET, 'localhost', $BOOKS, 'unknown', undef) {
        is_deeply [map { ask_h2([$secret, 'GEH%c3%84im.example'],
                    sni => $sni, cert => $_, port => 'opt') } 0, 1],
            [(421) x 4], 'optional, SNI ' . ($sni // 'none');
    }
    is_deeply [ask_h2([$books, '%C3%BC.example'], port => 'def', cert => 1)],
        ["books $BOOKS SUCCESS", 'default xn--tda.example SUCCESS'],
        'the default server verifies';
    is_deeply [ask_h2([$books], port => 'def')], [400],
        'no other server without a certificate';

    # With the exact octets of server_name a host selects its server in a stock
    # nginx, too, which then reports the missing certificate, or 421 if the SNI
    # name is that of another server, compared octet by octet.
    my $raw = "geh\xC3\xA4im.example";
    for my $case ($no_raw ? () : ([ours => 421], [stock => 400])) {
        my ($server, $known) = @$case;
        is_deeply [map { ask_h2([$raw], sni => $_, cert => 1,
                    server => $server) } $SECRET, 'localhost', undef],
            [$known, 421, 400], "raw, as it is written, $server";
    }
};

is_deeply [$server{ours}->errors], [], 'log';

done_testing;
