# nginx: hosts over TLS: which site answers beside the name in SNI, and that
# no mapped name gets around a client certificate.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

plan skip_all => missing('nginx') if missing('nginx');
plan skip_all => 'no openssl' if !IRI::Server::program('', 'openssl');
plan skip_all => 'this nginx has no TLS'
    if `@{[IRI::Nginx->binary]} -V 2>&1` !~ /http_ssl_module/;

# Newer versions of nginx take no octets above 7F, so hosts are escaped.
my $BOOKS  = 'xn--bcher-kva.example';
my $books  = 'B%C3%BCcher.example';
my $SECRET = 'xn--gehim-ira.example';
my $secret = 'Geh%C3%A4im.example';

my $tmp = temp_dir();
my ($code, undef, $said) = capture('', 'openssl', 'req', '-x509', '-newkey',
    'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', 2, '-keyout',
    "$tmp/key.pem", '-out', "$tmp/cert.pem");
plan skip_all => "openssl makes no certificate: $said" if $code;

# Sites with and without client certificates; the first of each address is
# its default server.
my %NAME = (default => 'localhost', books => "b\xC3\xBCcher.example",
    secret => "geh\xC3\xA4im.example");

sub site {
    my ($site, $listen, $verify) = @_;
    my $certificates = !$verify ? '' : <<"END";
    ssl_client_certificate %%TMP%%/cert.pem;
    ssl_verify_client $verify;
END
    return <<"END";
server {
    listen 127.0.0.1:$listen;
    server_name $NAME{$site};
$certificates
    location / { return 200 "$site \$host \$ssl_client_verify"; }
}
END
}

my $CONF = "ssl_certificate %%TMP%%/cert.pem;\n"
    . "ssl_certificate_key %%TMP%%/key.pem;\n"
    . join '', map { site(@$_) }
    ['default', '%%PORT%% ssl'], ['books', '%%PORT%% ssl'],
    ['secret', '%%PORT%% ssl', 'on'],
    ['default', '%%PORTopt%% ssl'],
    ['secret', '%%PORTopt%% ssl', 'optional'],
    ['default', '%%PORTdef%% ssl', 'on'], ['books', '%%PORTdef%% ssl'],
    # not over TLS certificates are of no account
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
    my ($code, $said, $error) = capture(
        "GET / HTTP/1.1\r\nHost: $host\r\nConnection: close\r\n\r\n",
        'openssl', 's_client', '-quiet', '-connect',
        '127.0.0.1:' . $server->port($option{port} // ''), @sni, @cert);
    my ($status, $body) = $said =~ m{^HTTP/1\.1 (\d+).*?\r\n\r\n(.*)$}s
        or return "no answer: $error";
    return $status == 200 ? $body : $status;
}

# ---- which site --------------------------------------------------------------

for my $case (
    # host, name in SNI, ours, stock
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

# As a plain host is answered.
is ask($SECRET, sni => $SECRET), 400, 'plain: no certificate';
is ask($SECRET, sni => $SECRET, cert => 1), "secret $SECRET SUCCESS",
    'plain: certificate';
is ask($SECRET), 400, 'plain, no SNI: no certificate';
is ask($SECRET, sni => 'localhost'), 421, 'plain, SNI of another site';
is ask($SECRET, sni => 'localhost', cert => 1), 421,
    'plain, SNI of another site: certificate';

# Never looser for a mapped one.
for my $cert (0, 1) {
    for my $sni ($SECRET, 'localhost', $BOOKS, 'unknown', undef) {
        is ask($secret, sni => $sni, cert => $cert), 421,
            "mapped, SNI " . ($sni // 'none') . ", certificate $cert";
        is ask($secret, sni => $sni, cert => $cert, port => 'opt'), 421,
            'mapped, optional, SNI ' . ($sni // 'none')
            . ", certificate $cert";
    }
}
like $server{ours}->log_text,
    qr/iri: host "\Q$SECRET\E" refused: its server asks for a certificate/,
    'the log says why';

# The default server is the one that verifies: what the raw host selects.
is ask($books, sni => $BOOKS, port => 'def'), 421, 'before us: nginx itself';
is ask($books, sni => $BOOKS, port => 'def', cert => 1), 421,
    'and with a certificate';
is ask($books, port => 'def'), 400, 'no SNI, no certificate';
is ask($books, port => 'def', cert => 1), "books $BOOKS SUCCESS",
    'no SNI, but a certificate';
is ask('%C3%BC.example', port => 'def', cert => 1),
    'default xn--tda.example SUCCESS', 'it stays selected';

is $server{ours}->get('/', host => $secret,
    port => $server{ours}->port('plain'))->body, "secret $SECRET ",
    'without TLS';
is_deeply [$server{ours}->errors], [], 'log';

done_testing;
