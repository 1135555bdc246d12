# A client of HTTP/3: gtlsclient of ngtcp2, once for each request. The interface
# is that of IRI::Client. The client parses a URI, which must be in ASCII: it
# rejects blanks, controls and octets above 7F, and does not send what follows
# "#". All other octets of a target are sent unchanged.
package IRI::HTTP3;
use strict;
use warnings;
use IRI::Response;
use IRI::Server qw(capture slurp temp_dir);

# What the client lacks, for skip_all; undef if nothing.
sub missing {
    return IRI::Server::program('', 'gtlsclient') ? undef
        : 'no gtlsclient (package ngtcp2-client)';
}

sub new {
    my ($class, %option) = @_;
    return bless {%option}, $class;
}

sub request {
    my ($self, $request) = @_;
    $request = { target => $request } if !ref $request;
    my $folder = temp_dir();
    my $host   = $request->{host} // 'localhost';
    my ($code, $out, $err) = capture('', 'timeout', 60, 'gtlsclient',
        '--exit-on-all-streams-close', "--download=$folder",
        '--http-method=' . ($request->{method} // 'GET'), '127.0.0.1',
        $self->{port}, "https://$host$request->{target}");
    my @fields = "$out$err" =~ /^http: stream 0x0 \[(.+?: .*)\]$/mg;
    my %status = map { /^:status: (\d+)/ ? (status => $1) : () } @fields;
    return IRI::Response->new(%status,
        headers => [map { [split /: /, $_, 2] } grep { !/^:/ } @fields],
        body => join('', map { slurp($_) } glob "$folder/*"),
        error => %status ? '' : $err);
}

sub pipeline {
    my ($self, @requests) = @_;
    return map { $self->request($_) } @requests;
}

sub disconnect { return }

1;
