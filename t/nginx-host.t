# nginx: hosts: names with wildcards, regular expressions and their captures,
# and strict. Each form by each way: t/host.t; behaviour of the selected site:
# t/nginx-host-site.t, TLS: t/host-tls.t.
use IRI::Test 'nginx';
use IRI::Both 'site_of';

my $UML = "\xC3\xBC";

# The expected response; newer versions of nginx accept no raw hosts.
sub expected_for {
    my ($octets, $wanted) = @_;
    return IRI::Nginx::refuses_raw_host() && $octets =~ /[^\0-\x7F]/ ? 400
        : $wanted;
}

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
        expected_for($host, $wanted), 'names: ' . escaped($host);
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
