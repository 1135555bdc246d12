# nginx: the host that an application receives by FastCGI, SCGI and uwsgi: as
# the client sent it, or A-labels where configured. Proxies are in
# nginx-host-site.t.
use IRI::Test 'nginx';
use IRI::Gateway;

my @protocols = qw(fastcgi scgi uwsgi);
my %gateway   = map { $_ => IRI::Gateway->new($_) } @protocols;

# For each protocol: without a parameter, as in doc/nginx.md, and with a port.
my $locations = join '', map { <<"END" } @protocols;
    location /$_/ {
        ${_}_param SERVER_NAME \$server_name;
        ${_}_pass 127.0.0.1:@{[$gateway{$_}->port]};

        location /$_/host {
            ${_}_param HTTP_HOST \$host;
            ${_}_param SERVER_NAME \$server_name;
            ${_}_pass 127.0.0.1:@{[$gateway{$_}->port]};
        }
        location /$_/port {
            ${_}_param HTTP_HOST \$host:\$server_port;
            ${_}_pass 127.0.0.1:@{[$gateway{$_}->port]};
        }
    }
END

my $server = nginx(conf => <<"END");
iri on;
iri_host on;
server {
    listen 127.0.0.1:%%PORT%% default_server;
    listen 127.0.0.1:%%PORTh2%% default_server http2;
}
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%%;
    server_name b\xC3\xBCcher.example;
$locations
}
END

# The values of a parameter that the application received; there must be at
# most one.
sub parameters {
    my ($name, $target, %option) = @_;
    my $answer = $server->get($target, %option);
    return $answer->status if $answer->status != 200;
    return join ' ', $answer->body =~ /^$name=(.*)$/mg;
}

my $BOOKS = 'xn--bcher-kva.example';
my @hosts = ('B%C3%BCcher.example:81', 'bu%CC%88cher%e3%80%82example', $BOOKS);

# From 1.29.5 on nginx makes it from $host and the port; before, it is the
# client's.
my $HOST_IS_MADE = IRI::Nginx::version() >= 1.029_005;

for my $protocol (@protocols) {
    for my $host (@hosts) {
        is parameters('HTTP_HOST', "/$protocol/", host => $host),
            $HOST_IS_MADE ? $BOOKS . $host =~ s/^[^:]*//r : $host,
            "$protocol: of itself: $host";
        is parameters('HTTP_HOST', "/$protocol/host", host => $host), $BOOKS,
            "$protocol: \$host: $host";
        is parameters('HTTP_HOST', "/$protocol/port", host => $host),
            "$BOOKS:" . $server->port, "$protocol: \$host:\$server_port: $host";
        is parameters('SERVER_NAME', "/$protocol/host", host => $host), $BOOKS,
            "$protocol: \$server_name: $host";
        is parameters('HTTP_HOST', "/$protocol/host", host => $host,
            proto => 'h2', port => $server->port('h2')), $BOOKS,
            "$protocol: \$host, HTTP/2: $host";
    }
}

done_testing;
