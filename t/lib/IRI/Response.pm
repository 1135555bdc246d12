# One answer of a server, the same for HTTP/1 and HTTP/2. Status 0 means that
# there was none; error() has the reason.
package IRI::Response;
use strict;
use warnings;

# Fields: status, reason, version, headers (a list of [name, value] in the
# order of the wire), body (octets), error.
sub new {
    my ($class, %fields) = @_;
    return bless {
        status => 0, reason => '', version => '', headers => [], body => '',
        error => '', %fields
    }, $class;
}

sub status  { $_[0]{status} }
sub reason  { $_[0]{reason} }
sub version { $_[0]{version} }
sub headers { $_[0]{headers} }
sub body    { $_[0]{body} }
sub error   { $_[0]{error} }

# The values of a header field: all of them in list context, else the first
# (undef if there is none). Names are compared without regard to case.
sub header {
    my ($self, $name) = @_;
    my @values = map { $_->[1] } grep { lc $_->[0] eq lc $name }
        @{ $self->{headers} };
    return wantarray ? @values : $values[0];
}

1;
