# nginx: the site that answers a host in any form, by each way that a host can
# be sent. Behaviour of the selected site is in nginx-host-site.t, TLS in
# nginx-host-tls.t.
use IRI::Test 'nginx';
use IRI::Both 'site_of';
use IRI::TLS;

my $no_raw = IRI::Nginx::refuses_raw_host();

# ---- the matrix: forms x ways ------------------------------------------------

# A form for each decision; t/core/test_host.c and the attack table have all.

# In these servers one name is in Unicode, others in A-labels.
my $SITES = <<'END';
server {
    listen %%LISTEN%% default_server;
    server_name localhost;
    location / { return 200 "default $host"; }
}
server {
    listen %%LISTEN%%;
    server_name bücher.example;
    location / { return 200 "books $host"; }
}
server {
    listen %%LISTEN%%;
    server_name xn--r8jz45g.xn--zckzah;
    location / { return 200 "test $host"; }
}
server {
    listen %%LISTEN%%;
    server_name www.w3.org;
    location / { return 200 "w3 $host"; }
}
END

my $BOOKS = 'xn--bcher-kva.example';
my $TEST  = 'xn--r8jz45g.xn--zckzah';
my $UML    = "\xC3\xBC";
my @FORMS = (    # name, octets, site, $host
    ['raw', "b${UML}cher.example", 'books', $BOOKS],
    ['raw, Japanese', "\xE4\xBE\x8B\xE3\x81\x88.\xE3\x83\x86\xE3\x82\xB9"
            . "\xE3\x83\x88", 'test', $TEST],
    ['escaped', 'b%C3%BCcher.example', 'books', $BOOKS],
    ['mixed', "%E4%BE%8B\xE3\x81\x88.%e3%83%86\xE3\x82\xB9%E3%83%88",
        'test', $TEST],
    ['dot at the end', "b${UML}cher.example.", 'books', $BOOKS],
    ['port', 'B%C3%9Ccher.example:81', 'books', $BOOKS],
    ['A-labels, upper', uc $TEST, 'test', $TEST],
    ['letters escaped', 'www.w%33.org', 'w3', 'www.w3.org'],
    ['no such site', "$UML.example", 'default', 'xn--tda.example'],
    ['IPv6 and port', '[::1]:80', 'default', '[::1]'],
    ['IPv4', '127.0.0.1', 'default', '127.0.0.1'],
    ['unusual ASCII', 'a_b!c', 'default', 'a_b!c'],
    # refused
    ['escaped *', '%2a.example.org', 400],
    ['Latin-1', "b\xFCcher.example", 400],
    ['Latin-1, escaped', 'b%FCcher.example', 400],
    ['CR LF, escaped', 'localhost%0d%0aX:1', 400],
    ['slash, escaped', 'localhost%2Fx', 400],
    ['space', "b${UML}cher example", 400],
    ['DEL', "b$UML\x7F.example", 400],
    ['userinfo', "u\@b${UML}cher.example", 400],
    ['empty label', "b${UML}cher..example", 400],
    ['too many octets', "$UML." . 'a.' x 130 . 'example', 400],
    ['over all limits', '%41' x 2000, 400],
);

sub sites {
    my ($listen) = @_;
    return $SITES =~ s/%%LISTEN%%/$listen/gr;
}

# Before 1.19.7 HTTP/2 has limits of its own.
my $CONF = "large_client_header_buffers 4 32k;\n"
    . (IRI::Nginx::version() < 1.019_007
        ? "http2_max_field_size 16k; http2_max_header_size 32k;\n" : '')
    . sites('127.0.0.1:%%PORT%%') . sites('127.0.0.1:%%PORTh2%% http2');

# Also over TLS, if available: by both protocols, with SNI of one site.
my $pem = temp_dir();
my $no_tls = `@{[IRI::Nginx->binary]} -V 2>&1` !~ /http_ssl_module/
    ? 'this nginx has no TLS'
    : IRI::TLS::missing() // IRI::TLS::certificate($pem);
note "not over TLS: $no_tls" if $no_tls;
$CONF .= "ssl_certificate $pem/cert.pem; ssl_certificate_key $pem/key.pem;\n"
    . sites('127.0.0.1:%%PORTtls%% ssl http2') if !$no_tls;

my $server = nginx(log_level => 'info', conf => "iri on; iri_host on; $CONF");

# The expected response; two of the ways accept fewer hosts themselves.
sub expected_for {
    my ($octets, $way, $wanted) = @_;
    return 400 if $no_raw && $octets =~ /[^\0-\x7F]/;
    return 400 if $way eq 'absolute' && $octets !~ /^[\w.:\[\]-]+$/a;
    return $wanted;
}

my %WAYS = (
    origin => sub {
        my ($host) = @_;
        return $server->get('/', host => $host);
    },
    absolute => sub {
        my ($host) = @_;
        return $server->get("http://$host/",
            host => $no_raw ? 'localhost' : "b${UML}cher.example");
    },
    'HTTP/2' => sub {
        my ($host) = @_;
        return $server->get('/', host => $host, proto => 'h2',
            port => $server->port('h2'));
    },
    'HTTP/2, Host' => sub {
        my ($host) = @_;
        return $server->get('/', host => undef, headers => [Host => $host],
            proto => 'h2', port => $server->port('h2'));
    },
);

for my $proto ($no_tls ? () : qw(h1 h2)) {
    $WAYS{"TLS, $proto"} = sub {
        my ($host) = @_;
        return $server->get('/', host => $host, proto => $proto,
            port => $server->port('tls'), tls => { sni => $BOOKS });
    };
}

for my $way (sort keys %WAYS) {
    for my $form (@FORMS) {
        my ($name, $octets, @site) = @$form;
        is site_of($WAYS{$way}->($octets)),
            expected_for($octets, $way, "@site"), "$way: $name";
    }
}

is site_of($server->get('/', host => undef, version => '1.0')),
    'default localhost', 'HTTP/1.0 without Host';
is site_of($server->get('/', host => undef)), 400,
    'HTTP/1.1 without Host';
is site_of($server->get('/', host => '')), 400, 'an empty Host';

# ---- several hosts on one connection ----------------------------------------

my @chosen = grep { $_->[2] ne 400
        && expected_for($_->[1], 'origin', 200) == 200 } @FORMS;
for my $proto (qw(h1 h2)) {
    my $port = $server->port($proto eq 'h2' ? 'h2' : '');
    for my $batch (1, 16) {
        my $client = $server->client(proto => $proto, port => $port,
            batch => $batch);
        my @got = $client->pipeline(map { { target => '/', host => $_ } }
            map { ($_->[1], 'localhost') } @chosen);
        is_deeply [map { site_of($_) } @got],
            [map { ("$_->[2] $_->[3]", 'default localhost') } @chosen],
            "$proto, $batch at once: each request has its own site";
    }
}

# ---- the log ----------------------------------------------------------------

my $log = $server->settled_log;
like $log, qr/iri: host "b%fccher\.example" refused: .*reason=host-octets/,
    'a refused host is logged';
my @lines = map { s/, client: .*//r } grep { /iri: host/ } split /\n/, $log;
ok @lines > 20, 'all refused hosts are logged';
is_deeply [grep { /[^ -~]/ } @lines], [], 'log lines are ASCII';
is_deeply [$server->errors(level => 'error')], [], 'log';
$server->stop;

# ---- wildcards, regular expressions and their captures ----------------------

my $names = nginx(conf => <<"END");
iri on;
iri_host on;
server {
    listen 127.0.0.1:%%PORT%% default_server;
    server_name localhost;
    location / { return 200 "default [\$1] [\$who] [\$label] \$host"; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name *.K\xC3\x84SE.example .\xC3\xB6l.example;
    location / { return 200 "head \$server_name"; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name .\xC3\xB6re.example;
    location / { return 200 "dot \$server_name"; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name W\xEF\xBD\x95\xCC\x88.*;
    location / { return 200 "tail \$server_name"; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name ~^(?<who>.*(?:\\xC3|%).*)\$;
    location / { return 200 "raw [\$1] [\$who] [\$label]"; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name ~^(?<label>xn--[^.]+)\\.pattern\\.example\$;
    location / { return 200 "pattern [\$1] [\$who] [\$label]"; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name exact.example e\xCC\x81xact.example E\xCC\x81T\xC3\x89.example;
    location / { return 200 "exact [\$1] [\$who] [\$label] \$server_name"; }
}
END

for my $case (
    ['a.k%C3%A4se.example',        'head *.xn--kse-qla.example'],
    ['a.b.K%C3%84SE.example',      'head *.xn--kse-qla.example'],
    ['a.xn--kse-qla.example',      'head *.xn--kse-qla.example'],
    ['k%C3%A4se.example',      'default [] [] [] xn--kse-qla.example'],
    ['%C3%B6l.example',            'head *.xn--kse-qla.example'],
    ["www%E3%80%82o%CC%88l.example", 'head *.xn--kse-qla.example'],
    ['a.%C3%B6re.example',         'dot xn--re-eka.example'],
    ['xn--re-eka.example',       'dot xn--re-eka.example'],
    ['w%C3%BC.example',            'tail xn--w-eha.*'],
    ['w%C3%BC%E3%80%82co.uk',      'tail xn--w-eha.*'],
    ['xn--w-eha.org',              'tail xn--w-eha.*'],
    ['gr%C3%B6%C3%9Fe.pattern.example',
        'pattern [xn--gre-6ka8i] [] [xn--gre-6ka8i]'],
    ['%C3%A9xact.example',         'exact [] [] [] exact.example'],
    ['xn--xact-9oa.example',       'exact [] [] [] exact.example'],
    ['%C3%A9t%C3%A9.example',      'exact [] [] [] exact.example'],
    ["%C3%A9xact.example\xE3\x80\x82", 'exact [] [] [] exact.example'],
    ["gr\xC3\xB6\xC3\x9Fe.pattern.example",
        'pattern [xn--gre-6ka8i] [] [xn--gre-6ka8i]'],
    ["$UML.other.example", 'default [] [] [] xn--tda.other.example'],
    ["\xC3\x89T\xC3\x89.example",  'exact [] [] [] exact.example'],
) {
    my ($host, $wanted) = @$case;
    is site_of($names->get('/', host => $host)),
        expected_for($host, 'origin', $wanted), 'names: ' . escaped($host);
}
is_deeply [$names->errors(level => 'warn')], [], 'log of names';
$names->stop;

# ---- strict ------------------------------------------------------------------

my $SITE = <<'END';
    location / { return 200 "default"; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name xn--i-n3p.example xn--tda.example;
    location / { return 200 "site"; }
}
END
my $strict = nginx(conf => "iri on;\n"
    . "server { listen 127.0.0.1:%%PORT%%; iri_host strict; $SITE"
    . "server { listen 127.0.0.1:%%PORTon%%; iri_host on; "
    . $SITE =~ s/PORT/PORTon/r);

# A letter and a symbol that IDNA2008 disallows.
my $symbol = 'i%E2%99%A5.example';
is site_of($strict->get('/', host => $symbol)), 400, 'strict: a symbol';
is site_of($strict->get('/', host => '%C3%BC.example')), 'site',
    'strict: a letter';
is site_of($strict->get('/', host => $symbol, port => $strict->port('on'))),
    'site', 'on: a symbol';
is site_of($strict->get('/', host => 'xn--i-n3p.example')), 'site',
    'strict: A-labels are not looked at';
is_deeply [$strict->errors(level => 'warn')], [], 'log of that';

done_testing;
