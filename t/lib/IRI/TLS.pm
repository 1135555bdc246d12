# TLS for the clients of IRI::Client, and certificates for servers. What they
# need may be missing: call missing() first.
package IRI::TLS;
use strict;
use warnings;
use IRI::Server ();

# What the clients lack, for skip_all; undef if nothing.
sub missing {
    return 'no IO::Socket::SSL' if !eval { require IO::Socket::SSL };
    return IO::Socket::SSL->can_alpn ? undef : 'IO::Socket::SSL has no ALPN';
}

# Creates key.pem and cert.pem in a directory; the error, or undef.
sub certificate {
    my ($folder) = @_;
    my $openssl = IRI::Server::program('', 'openssl') // return 'no openssl';
    my ($code, undef, $output) = IRI::Server::capture('', $openssl, 'req',
        '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost',
        '-days', 2, '-keyout', "$folder/key.pem", '-out', "$folder/cert.pem");
    return $code ? "openssl makes no certificate: $output" : undef;
}

# The context shared by many connections, which is expensive to create.
my %context;
sub context {
    my ($protocol, $folder) = @_;
    require IO::Socket::SSL;
    my @own = !defined $folder ? () : (
        SSL_use_cert  => 1,
        SSL_cert_file => "$folder/cert.pem",
        SSL_key_file  => "$folder/key.pem",
    );
    return $context{ join "\0", $protocol, $folder // '' } //=
        IO::Socket::SSL::SSL_Context->new(SSL_verify_mode => 0,
            SSL_alpn_protocols => [$protocol], @own)
        // die "TLS: $IO::Socket::SSL::SSL_ERROR\n";
}

# Starts TLS on a socket and negotiates a protocol by ALPN, or dies. Options:
# sni, a name (default: none is sent); cert, a directory with key.pem and
# cert.pem. The server's certificate is not verified.
sub start {
    my ($socket, $protocol, %option) = @_;
    IO::Socket::SSL->start_SSL($socket,
        SSL_reuse_ctx => context($protocol, $option{cert}),
        SSL_hostname  => $option{sni} // ''
    ) or die "TLS: $IO::Socket::SSL::SSL_ERROR\n";
    my $agreed = $socket->alpn_selected // 'none';
    $agreed eq $protocol or die "ALPN: $agreed, not $protocol\n";
    return;
}

1;
