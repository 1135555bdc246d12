# httpd, IRIHost: the site that a host name selects, in every form and by every
# way: in the Host line or in an absolute request line of HTTP/1.1, in HTTP/2,
# over TLS with SNI; with HttpProtocolOptions Strict and Unsafe; compared with
# a stock httpd.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my $missing = missing('httpd');
plan skip_all => $missing if $missing;

# The sites, each with a page containing its name; the first is the default. A
# stock httpd does not map A-labels.
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
# site that answers: with IRIHost, and of a stock httpd with Strict and Unsafe.
# 400 is possible, too. t/core/test_host.c and the attack table have all forms.
my @FORMS = (
    ['raw UTF-8', 'bücher.example', qw(buecher 400 buecher)],
    ['raw UTF-8, of an alias', 'www.bücher.example',
        qw(buecher 400 buecher)],
    ['escaped', 'b%C3%BCcher.example', qw(buecher 400 first)],
    ['raw and escaped', "b\xC3%BCcher.example", qw(buecher 400 first)],
    ['dot at the end', 'bücher.example.', qw(buecher 400 buecher)],
    ['port', 'bücher.example:8080', qw(buecher 400 buecher)],
    ['A-labels', 'xn--bcher-kva.example', qw(buecher first first)],
    ['A-labels, a dot at the end', 'xn--bcher-kva.example.',
        qw(buecher first first)],
    ['sharp s', 'straße.example', qw(strasse 400 strasse)],
    ['wildcard', 'a.b.katze-größe.example', qw(wild 400 wild)],
    ['wildcard, A-labels', 'a.xn--katze-gre-n1a6w.example',
        qw(wild first first)],
    ['ASCII', 'www.w3.org', qw(plain plain plain)],
    ['ASCII, an escape', 'www.w%33.org', qw(plain 400 first)],
    ['unknown', 'été.example', qw(first 400 first)],
    ['IP literal and port', '[::1]:80', qw(first first first)],
    ['IPv4', '127.0.0.1', qw(ip ip ip)],
    ['IPv4, an escape', '127.0.0.%31', qw(400 400 first)],
    ['escaped wildcard', '%2a.katze-größe.example', qw(400 400 wild)],
    ['Latin-1', "b\xFCcher.example", qw(400 400 first)],
    ['escaped NUL', 'b%C3%BCcher.example%00', qw(400 400 first)],
    ['escaped slash', 'b%C3%BCcher.example%2F', qw(400 400 first)],
    ['slash', "bücher.example\xEF\xBC\x8Fx", qw(400 400 first)],
    ['empty label', 'bücher..example', qw(400 400 400)],
    ['comma', 'www.w3.org,first.example', qw(400 400 first)],
);
# For a Host line only.
my @LINES = (
    ['blank', 'bücher .example', qw(400 400 first)],
    ['two ports', 'bücher.example:80:80', qw(400 400 first)],
    ['full width port', "www.w3.org:\xEF\xBC\x98", qw(400 400 first)],
    ['blanks around', "  bücher.example\t ", qw(buecher 400 buecher)],
);

my $tmp = temp_dir();
for my $site (@SITES) {
    mkdir "$tmp/$site->[0]";
    spew("$tmp/$site->[0]/index.html", $site->[0]);
}
my $tls = tls();

for my $options (qw(Strict Unsafe)) {
    my $stock = $options eq 'Strict' ? 3 : 4;
    judge("IRIHost, $options", start($options, 0), 2);
    judge("stock, $options", start($options, 1), $stock);
}
done_testing;

# ---- servers -----------------------------------------------------------------

sub start {
    my ($options, $stock) = @_;
    my $settings = $stock ? '' : "IRIEngine On\nIRIHost On\n";
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
    my $server = httpd(tmp => $own, stock => $stock, h2 => 1,
        modules => [$tls ? qw(socache_shmcb ssl) : ()],
        conf => "HttpProtocolOptions $options\n$settings$hosts");
    return $server;
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
    my ($test_name, $server, $column) = @_;
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
                    ? 0 : $form->[$column];
                # Unsafe accepts nearly all ASCII, also as the result of
                # mapping
                $want = $form->[4] if $test_name eq 'IRIHost, Unsafe'
                    && $form->[0] =~ /^(?:comma|two ports)$/;
                is site_of($answer), $want, $form->[0];
                is_safe($answer, $form->[1]) if $test_name =~ /IRIHost/;
            }
        };
    }
    judge_tls($test_name, $server, $column) if $tls;
    is_deeply [$server->errors], [], "$test_name: log";
    return;
}

# The site of a response, or its status.
sub site_of {
    my ($answer) = @_;
    return $answer->status == 200 ? $answer->body : $answer->status;
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
    my ($test_name, $server, $column) = @_;
    subtest "$test_name: TLS" => sub {
        for my $form (@FORMS[0, 2, 5, 6, 8, 12, 13, 18]) {
            my $sni = $SNI{ $form->[2] } // 'first.example';
            is tls_response($server, $sni, $form->[1]), $form->[$column],
                $form->[0];
        }
        # A site that asks for certificates is not selected by any form of
        # its name if SNI has not asked for it.
        is tls_response($server, 'first.example', $_), 421, escaped($_)
            for 'xn--gre-6ka8i.example', $column > 2 ? ()
            : ('größe.example', 'gr%C3%B6%C3%9Fe.example');
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
