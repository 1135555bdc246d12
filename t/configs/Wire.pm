# Many requests over one connection, as octets: the client of the property test.
package Wire;
use strict;
use warnings;
use parent 'IRI::HTTP1';

my $BATCH = 20;     # requests between two calls of $between
my $MANY  = 100;    # whose responses fit into the buffers of a connection

# A request's octets: method, target, host, further lines.
sub text {
    my ($method, $target, $host, @lines) = @_;
    return join "\r\n", "$method $target HTTP/1.1", "Host: $host", @lines, '',
        '';
}

# The responses to requests (octets), each [status, head, body]; status 0 if
# the server closed the connection without one, twice. $between is called
# before each batch, if it is defined.
sub ask {
    my ($self, $between, @requests) = @_;
    @$self{qw(between batch)} = ($between, $between ? $BATCH : $MANY);
    return map { my $answer = $_;
        $answer->status
            ? [$answer->status, join("\r\n", map { "$_->[0]: $_->[1]" }
                @{ $answer->headers }), $answer->body]
            : [0, '', $answer->error]
    } $self->pipeline(map { { octets => $_,
        method => /^HEAD / ? 'HEAD' : 'GET' } } @requests);
}

sub exchange {
    my ($self, @requests) = @_;
    $self->{between}->() if $self->{between};
    return $self->SUPER::exchange(@requests);
}

1;
