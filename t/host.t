# The site that answers a host in any form, by each way that a host can be sent,
# on both servers: Host line, absolute form, HTTP/2, and over TLS. What the
# selected site does: t/nginx-host-site.t, t/httpd-host-sites.t; all forms:
# t/core/test_host.c and the attack table.
use IRI::Test;
use IRI::Both 'site_of';
use IRI::TLS;

# A site: its name, hosts. The first is the default.
my @SITES = (
    [first   => 'first.example'],
    [books   => 'bücher.example', 'www.bücher.example'],
    [strasse => 'straße.example'],
    [test    => 'xn--r8jz45g.xn--zckzah'],
    [wild    => 'wild.example', '*.katze-größe.example'],
    [plain   => 'www.w3.org', 'admin.internal'],
    [ip      => '127.0.0.1'],
);
my $BOOKS = 'xn--bcher-kva.example';
my $TEST  = 'xn--r8jz45g.xn--zckzah';
my %SNI   = (books => $BOOKS, strasse => 'xn--strae-oqa.example');

# The form, the host as sent, the site that answers it, or 400, and its host in
# A-labels. Options: only, a server or a way; nginx, its site and host if they
# are others; unsafe, the site of httpd with HttpProtocolOptions Unsafe, which
# accepts nearly all ASCII, if it is another.
my @FORMS = (
    ['raw', 'bücher.example', 'books', $BOOKS],
    ['raw, an alias', 'www.bücher.example', 'books', "www.$BOOKS"],
    ['raw, Japanese', '例え.テスト', 'test', $TEST],
    ['escaped', 'b%C3%BCcher.example', 'books', $BOOKS],
    ['mixed', '%E4%BE%8Bえ.%e3%83%86スト', 'test', $TEST],
    ['mixed in a character', "b\xC3%BCcher.example", 'books', $BOOKS],
    ['dot at the end', 'bücher.example.', 'books', $BOOKS],
    ['port', 'B%C3%9Ccher.example:81', 'books', $BOOKS],
    ['A-labels', $BOOKS, 'books', $BOOKS],
    ['A-labels, a dot at the end', "$BOOKS.", 'books', $BOOKS],
    ['A-labels, upper', uc $TEST, 'test', $TEST],
    ['sharp s', 'straße.example', 'strasse', 'xn--strae-oqa.example'],
    ['wildcard', 'a.b.katze-größe.example', 'wild',
        'a.b.xn--katze-gre-n1a6w.example'],
    ['wildcard, A-labels', 'a.xn--katze-gre-n1a6w.example', 'wild',
        'a.xn--katze-gre-n1a6w.example'],
    ['ASCII', 'www.w3.org', 'plain', 'www.w3.org'],
    ['ASCII, an escape', 'www.w%33.org', 'plain', 'www.w3.org'],
    ['no such site', 'ü.example', 'first', 'xn--tda.example'],
    ['IPv6 and port', '[::1]:80', 'first', '[::1]'],
    ['IPv4', '127.0.0.1', 'ip', '127.0.0.1'],
    ['unusual ASCII', 'a_b!c', 'first', 'a_b!c', only => 'nginx'],
    # refused
    ['IPv4, an escape', '127.0.0.%31', 400],
    ['escaped *', '%2a.example.org', 400],
    ['escaped * of a name', '%2a.katze-größe.example', 400],
    ['Latin-1', "b\xFCcher.example", 400],
    ['octets and markup', "\xFF\xFE<b>", 400],
    ['escaped markup', '%3Cb%3Eü', 400],
    ['a character that is "a/c"', 'a℀.example', 400],
    ['Latin-1, escaped', 'b%FCcher.example', 400],
    ['NUL, escaped', 'b%C3%BCcher.example%00', 400],
    ['CR LF, escaped', 'localhost%0d%0aX:1', 400],
    ['slash, escaped', 'localhost%2Fx', 400],
    ['slash of full width', 'bücher.example／x', 400],
    ['space', 'bücher example', 400, undef, only => 'Host line'],
    ['DEL', "bü\x7F.example", 400],
    ['userinfo', 'u@bücher.example', 400, undef, only => 'nginx'],
    ['empty label', 'bücher..example', 400],
    ['comma', 'www.w3.org,first.example', 400, undef, only => 'httpd',
        unsafe => 'first'],
    ['too many octets', 'ü.' . 'a.' x 130 . 'example', 400],
    ['over all limits', '%41' x 2000, 400],
    ['two ports', 'bücher.example:80:80', 400, undef, only => 'Host line',
        nginx => "books $BOOKS", unsafe => 'first'],
    ['full width port', 'www.w3.org:８', 400, undef, only => 'Host line',
        nginx => 'plain www.w3.org'],
    ['blanks around', "  bücher.example\t ", 'books', $BOOKS,
        only => 'Host line', nginx => 400],
);

my $tmp = temp_dir();
my $no_tls = IRI::TLS::missing() // IRI::TLS::certificate($tmp);
my %START = (nginx => \&start_nginx, httpd => \&start_httpd);

each_server(sub {
    my ($name) = @_;
    judge($name, $START{$name}->($_), $_)
        for $name eq 'httpd' ? qw(Strict Unsafe) : '';
});
done_testing;

# ---- servers -----------------------------------------------------------------

sub start_nginx {
    $no_tls //= 'this nginx has no TLS'
        if `@{[IRI::Nginx->binary]} -V 2>&1` !~ /http_ssl_module/;
    # Before 1.19.7 HTTP/2 has limits of its own.
    my $conf = "iri on;\niri_host on;\nlarge_client_header_buffers 4 32k;\n"
        . (IRI::Nginx::version() < 1.019_007
            ? "http2_max_field_size 16k; http2_max_header_size 32k;\n" : '');
    $conf .= "ssl_certificate $tmp/cert.pem;\n"
        . "ssl_certificate_key $tmp/key.pem;\n" if !$no_tls;
    for my $listen ('%%PORT%%', '%%PORTh2%% http2',
        $no_tls ? () : '%%PORTtls%% ssl http2')
    {
        my $default = ' default_server';
        for my $site (@SITES) {
            my ($name, @hosts) = @$site;
            $conf .= "server { listen 127.0.0.1:$listen$default; server_name"
                . " @hosts; location / { return 200 \"$name \$host\"; } }\n";
            $default = '';
        }
    }
    return nginx(log_level => 'info', conf => $conf);
}

sub start_httpd {
    my ($options) = @_;
    my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
    $no_tls //= 'no mod_ssl' if !-e "$folder/mod_ssl.so";
    my $tls = "Protocols h2 http/1.1\nSSLEngine on\n"
        . "SSLCertificateFile \"$tmp/cert.pem\"\n"
        . "SSLCertificateKeyFile \"$tmp/key.pem\"\n";
    my $hosts = '';
    for my $site (@SITES) {
        my ($name, @hosts) = @$site;
        mkdir "$tmp/$name";
        spew("$tmp/$name/index.html", $name);
        my $more = "<Directory \"$tmp\">\nRequire all granted\n</Directory>\n";
        $hosts .= vhost("@hosts", "$tmp/$name", conf => $more);
        $hosts .= vhost("@hosts", "$tmp/$name", conf => "$more$tls",
            port => 'tls') if !$no_tls;
    }
    # one that requires a client certificate
    $hosts .= vhost('größe.example xn--gre-6ka8i.example', "$tmp/first",
        port => 'tls', conf => "$tls\nSSLVerifyClient require\n"
            . "SSLCACertificateFile \"$tmp/cert.pem\"") if !$no_tls;
    return httpd(h2 => 1, log_level => 'info',
        modules => [$no_tls ? () : qw(socache_shmcb ssl)],
        conf => "HttpProtocolOptions $options\nIRIEngine On\nIRIHost On\n"
            . $hosts);
}

# ---- each form, by each way --------------------------------------------------

# How a host is sent: { way => function }.
sub ways {
    my ($kind, $server, $options) = @_;
    my $no_raw = $kind eq 'nginx' && IRI::Nginx::refuses_raw_host();
    my $other  = $no_raw ? 'localhost' : 'bücher.example';
    my $h2     = $server->port($kind eq 'nginx' ? 'h2' : '');
    my %way = (
        'Host line' => sub { $server->get('/', host => $_[0]) },
        'absolute form' => sub {
            $server->get("http://$_[0]/", host => $other) },
        'HTTP/2' => sub {
            $server->get('/', host => $_[0], proto => 'h2', port => $h2) },
    );
    if ($kind eq 'nginx') {
        $way{'HTTP/2, Host'} = sub {
            $server->get('/', host => undef, headers => [Host => $_[0]],
                proto => 'h2', port => $h2) };
    }
    else {
        $way{'absolute form without a path'} = sub {
            $server->get("http://$_[0]?%C3", host => $other) };
        # Strict allows no userinfo in a target.
        $way{'absolute form with userinfo'} = sub {
            $server->get("HTTP://\xFF%FF\@\@:\@$_[0]/", host => $other) }
            if $options eq 'Unsafe';
    }
    for my $proto ($no_tls ? () : qw(h1 h2)) {
        $way{"TLS, $proto"} = sub {
            my ($host, $site) = @_;
            # httpd has another site only where SNI and host agree on TLS
            my $sni = $kind eq 'nginx' ? $BOOKS
                : $SNI{$site} // 'first.example';
            $server->get('/', host => $host, proto => $proto,
                port => $server->port('tls'), tls => { sni => $sni }) };
    }
    return %way;
}

# The expected result; some ways accept fewer hosts themselves.
sub wanted {
    my ($kind, $options, $way, $form) = @_;
    my (undef, $octets, $site, $host, %option) = @$form;
    if ($kind eq 'nginx') {
        return $option{nginx} if $option{nginx};
        return 400 if $octets =~ /[^\0-\x7F]/ && IRI::Nginx::refuses_raw_host();
        return 400 if $way eq 'absolute form' && $octets !~ /^[\w.:\[\]-]+$/a;
        return defined $host ? "$site $host" : $site;
    }
    # nghttp2 rejects raw octets above 7F
    return 0 if $way =~ /h2|HTTP\/2/ && $octets =~ /[\x80-\xFF]/;
    return $options eq 'Unsafe' && $option{unsafe} ? $option{unsafe} : $site;
}

sub judge {
    my ($kind, $server, $options) = @_;
    my %way = ways($kind, $server, $options);
    for my $way (sort keys %way) {
        for my $form (@FORMS) {
            my ($name, $octets, $site, undef, %option) = @$form;
            next if ($option{only} // $way) !~ /^(?:\Q$way\E|$kind)$/;
            my $answer = $way{$way}->($octets, $site);
            is site_of($answer), wanted($kind, $options, $way, $form),
                "$kind $options, $way: $name";
            is_safe($answer, $octets);
        }
    }
    is site_of($server->get('/', host => undef, version => '1.0')),
        $kind eq 'nginx' ? 'first first.example' : 'first',
        "$kind: HTTP/1.0 without Host";
    is site_of($server->get('/', host => $_)), 400,
        "$kind: HTTP/1.1 without Host" for undef, $kind eq 'nginx' ? '' : ();
    several($kind, $server, $options);

    # A site that asks for certificates is not selected by any form of its name
    # if SNI has not asked for it. nginx: t/host-tls.t.
    is $server->get('/', host => $_, port => $server->port('tls'),
        tls => { sni => 'first.example' })->status, 421,
        'no certificate: ' . escaped($_)
        for $kind eq 'nginx' || $no_tls ? () : ('xn--gre-6ka8i.example',
            'größe.example', 'gr%C3%B6%C3%9Fe.example');

    my $log = $server->settled_log;
    like $log, qr/iri: host "b%FCcher\.example" refused: .*reason=host-octets/i,
        "$kind: a refused host is logged";
    my @lines = map { s/, client: .*//r } grep { /iri: host/ } split /\n/, $log;
    ok @lines > 20, "$kind: all refused hosts are logged";
    is_deeply [grep { /[^ -~]/ } @lines], [], "$kind: log lines are ASCII";
    is_deeply [$server->errors(level => 'error', ignore => qr/AH02032/)], [],
        "$kind: log";
    $server->stop;
    return;
}

# Each request on a connection has its own site.
sub several {
    my ($kind, $server, $options) = @_;
    for my $proto (qw(h1 h2)) {
        my $way  = $proto eq 'h2' ? 'HTTP/2' : 'Host line';
        my $port = $server->port($kind eq 'nginx' && $proto eq 'h2'
            ? 'h2' : '');
        my @forms = grep { $_->[1] =~ /[a-z]/ }
            map { [$_->[1], wanted($kind, $options, $way, $_)] }
            grep { @$_ == 4 } @FORMS;
        my $first = wanted($kind, $options, $way,
            ['', 'first.example', 'first', 'first.example']);
        for my $batch (1, 16) {
            my $client = $server->client(proto => $proto, port => $port,
                batch => $batch);
            my @got = $client->pipeline(map { { target => '/', host => $_ } }
                map { ($_->[0], 'first.example') } @forms);
            is_deeply [map { site_of($_) } @got],
                [map { ($_->[1], $first) } @forms],
                "$kind, $proto, $batch at once: each request has its own site";
            $client->disconnect;
        }
    }
    return;
}

# No octet of the host is repeated raw, and no header is broken.
sub is_safe {
    my ($answer, $host) = @_;
    my $text = join "\n", $answer->body,
        map { "$_->[0]: $_->[1]" } @{ $answer->headers };
    return if $answer->status < 500 && $text !~ /[^\x09\x0A\x0D\x20-\x7E]/
        && ($host !~ /%/ || index($text, $host) < 0);
    return fail("an answer that is safe: $text");
}
