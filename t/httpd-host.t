# httpd, IRIHost: the site that a host name selects, in every form and by every
# way: in the Host line or in an absolute request line of HTTP/1.1, in HTTP/2,
# over TLS with SNI; with HttpProtocolOptions Strict and Unsafe.
use IRI::Test 'httpd';
use IRI::Both 'site_of';

# The sites, each with a page containing its name; the first is the default.
my @SITES = (
    [first   => 'first.example', ''],
    [buecher => 'bücher.example', 'www.bücher.example'],
    [strasse => 'straße.example', ''],
    [wild    => 'wild.example', '*.katze-größe.example 猫?.example.org'],
    [plain   => 'www.w3.org', 'admin.internal'],
    [ip      => '127.0.0.1', ''],
);
# The SNI name of a browser.
my %SNI = (buecher => 'xn--bcher-kva.example',
    strasse => 'xn--strae-oqa.example');

# The host sent by the client (without the port that follows some), and the
# site that answers, or 400; with Unsafe, if it is another.
# t/core/test_host.c and the attack table have all forms.
my @FORMS = (
    ['raw UTF-8', 'bücher.example', 'buecher'],
    ['raw UTF-8, of an alias', 'www.bücher.example', 'buecher'],
    ['escaped', 'b%C3%BCcher.example', 'buecher'],
    ['raw and escaped', "b\xC3%BCcher.example", 'buecher'],
    ['dot at the end', 'bücher.example.', 'buecher'],
    ['port', 'bücher.example:8080', 'buecher'],
    ['A-labels', 'xn--bcher-kva.example', 'buecher'],
    ['A-labels, a dot at the end', 'xn--bcher-kva.example.', 'buecher'],
    ['sharp s', 'straße.example', 'strasse'],
    ['wildcard', 'a.b.katze-größe.example', 'wild'],
    ['wildcard, A-labels', 'a.xn--katze-gre-n1a6w.example', 'wild'],
    ['ASCII', 'www.w3.org', 'plain'],
    ['ASCII, an escape', 'www.w%33.org', 'plain'],
    ['unknown', 'été.example', 'first'],
    ['IP literal and port', '[::1]:80', 'first'],
    ['IPv4', '127.0.0.1', 'ip'],
    ['IPv4, an escape', '127.0.0.%31', '400'],
    ['escaped wildcard', '%2a.katze-größe.example', '400'],
    ['Latin-1', "b\xFCcher.example", '400'],
    ['escaped NUL', 'b%C3%BCcher.example%00', '400'],
    ['escaped slash', 'b%C3%BCcher.example%2F', '400'],
    ['slash', "bücher.example\xEF\xBC\x8Fx", '400'],
    ['empty label', 'bücher..example', '400'],
    ['comma', 'www.w3.org,first.example', '400', 'first'],
);
# For a Host line only.
my @LINES = (
    ['blank', 'bücher .example', '400'],
    ['two ports', 'bücher.example:80:80', '400', 'first'],
    ['full width port', "www.w3.org:\xEF\xBC\x98", '400'],
    ['blanks around', "  bücher.example\t ", 'buecher'],
);

my $tmp = temp_dir();
for my $site (@SITES) {
    mkdir "$tmp/$site->[0]";
    spew("$tmp/$site->[0]/index.html", $site->[0]);
}
my $tls = tls();

for my $options (qw(Strict Unsafe)) {
    judge($options, start($options));
}
done_testing;

# ---- servers -----------------------------------------------------------------

sub start {
    my ($options) = @_;
    my $hosts = join '', map { site(@$_, '', '') } @SITES;
    $hosts .= join '', map { site(@$_, 'tls', <<'END') } @SITES if $tls;
SSLEngine on
SSLCertificateFile "%%TMP%%/tls.pem"
END
    # one that requires a client certificate
    $hosts .= site('first', 'größe.example', 'xn--gre-6ka8i.example', 'tls', <<'END')
SSLEngine on
SSLCertificateFile "%%TMP%%/tls.pem"
SSLCACertificateFile "%%TMP%%/tls.pem"
SSLVerifyClient require
END
        if $tls;
    my $own = temp_dir();
    spew("$own/tls.pem", slurp("$tmp/tls.pem")) if $tls;
    return httpd(tmp => $own, h2 => 1,
        modules => [$tls ? qw(socache_shmcb ssl) : ()],
        conf => "HttpProtocolOptions $options\nIRIEngine On\nIRIHost On\n"
            . $hosts);
}

sub site {
    my ($name, $host, $aliases, $port, $more) = @_;
    my $alias = $aliases ? "ServerAlias $aliases" : '';
    return <<"END";
<VirtualHost 127.0.0.1:%%PORT$port%%>
    ServerName $host
    $alias
    DocumentRoot "$tmp/$name"
    <Directory "$tmp">
        Require all granted
    </Directory>
    $more
</VirtualHost>
END
}

# A self-signed certificate; or nothing, with the reason.
sub tls {
    my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
    my $why = !-e "$folder/mod_ssl.so" ? 'no mod_ssl'
        : (capture('', 'openssl', 'version'))[0] ? 'no openssl' : undef;
    if (!$why) {
        my ($code) = capture('', qw(openssl req -x509 -newkey rsa:2048 -nodes
            -subj /CN=localhost -days 2 -keyout), "$tmp/key", '-out',
            "$tmp/cert");
        $why = 'openssl makes no certificate' if $code;
    }
    note "not over TLS: $why" if $why;
    return 0 if $why;
    spew("$tmp/tls.pem", slurp("$tmp/key") . slurp("$tmp/cert"));
    return 1;
}

# ---- requests ----------------------------------------------------------------

sub judge {
    my ($test_name, $server) = @_;
    my $other = 'other.example';
    my %way = (
        'Host line' => sub { $server->get('/', host => $_[0]) },
        'absolute form' => sub {
            $server->get("http://$_[0]/", host => $other) },
        'absolute form without a path' => sub {
            $server->get("http://$_[0]?%C3", host => $other) },
        'HTTP/2' => sub { $server->get('/', host => $_[0], proto => 'h2') },
    );
    # Strict allows no userinfo in a target.
    $way{'absolute form with userinfo'} = sub {
        $server->get("HTTP://\xFF%FF\@\@:\@$_[0]/", host => $other) }
        if $test_name =~ /Unsafe/;
    for my $way (sort keys %way) {
        subtest "$test_name: $way" => sub {
            for my $form (@FORMS, $way eq 'Host line' ? @LINES : ()) {
                my $answer = $way{$way}->($form->[1]);
                # nghttp2 rejects raw octets above 7F
                my $want = $way eq 'HTTP/2' && $form->[1] =~ /[\x80-\xFF]/
                    ? 0 : $form->[2];
                # Unsafe accepts nearly all ASCII, also as the result of
                # mapping
                $want = $form->[3] if $test_name eq 'Unsafe' && $form->[3];
                is site_of($answer), $want, $form->[0];
                is_safe($answer, $form->[1]);
            }
        };
    }
    judge_tls($test_name, $server) if $tls;
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

# SNI contains the A-labels of the expected site.
sub judge_tls {
    my ($test_name, $server) = @_;
    subtest "$test_name: TLS" => sub {
        for my $form (@FORMS[0, 2, 5, 6, 8, 12, 13, 18]) {
            my $sni = $SNI{ $form->[2] } // 'first.example';
            is tls_response($server, $sni, $form->[1]), $form->[2],
                $form->[0];
        }
        # A site that asks for certificates is not selected by any form of
        # its name if SNI has not asked for it.
        is tls_response($server, 'first.example', $_), 421, escaped($_)
            for 'xn--gre-6ka8i.example', 'größe.example',
            'gr%C3%B6%C3%9Fe.example';
    };
    return;
}

# The site that answers over TLS, or the status.
sub tls_response {
    my ($server, $sni, $host) = @_;
    my (undef, $text) = capture(
        "GET / HTTP/1.1\r\nHost: $host\r\nConnection: close\r\n\r\n",
        qw(openssl s_client -quiet -connect),
        '127.0.0.1:' . $server->port('tls'), '-servername', $sni);
    my ($status, $body) = $text =~ m{^HTTP/1\.1 (\d+).*?\r\n\r\n(.*)}s;
    return ($status // 0) == 200 ? $body : $status;
}
