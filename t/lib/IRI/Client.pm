# What the HTTP/1 and the HTTP/2 client share: one connection, reading with a
# time limit, and sending many requests over it with as few round trips as
# possible. A request is a target (octets) or a hash:
#
#   { method => 'PUT', target => "/\xE9", headers => [name => value, ...],
#     body => $octets, host => 'localhost' }
#
# Nothing is checked, escaped or normalized: the test's octets are sent.
package IRI::Client;
use strict;
use warnings;
use IO::Socket::INET;
use IRI::Response;
use Socket qw(IPPROTO_TCP TCP_NODELAY);

# Options: port (required), address (127.0.0.1), local (source address),
# timeout (seconds to wait for octets), batch (requests in flight), tls (a
# hash: the options of IRI::TLS::start).
sub new {
    my ($class, %option) = @_;
    return bless {
        address => '127.0.0.1', timeout => 60, batch => 32, %option
    }, $class;
}

# One request with its answer.
sub request {
    my ($self, $request) = @_;
    return ($self->pipeline($request))[0];
}

# Answers to many requests, in their order. When the server closes the
# connection, unanswered requests are sent again, the first of them alone,
# because it may have caused the close. A request without an answer on a
# connection of its own has status 0. Only for requests that may be repeated.
sub pipeline {
    my ($self, @requests) = @_;
    @requests = map { ref $_ ? $_ : { target => $_ } } @requests;
    my @answers;
    my $size = $self->{batch};
    while (@answers < @requests) {
        my $last = @answers + $size - 1;
        $last = $#requests if $last > $#requests;
        my @batch = @requests[@answers .. $last];
        my $fresh = $self->connect;
        my @got   = $self->exchange(@batch);
        push @answers, @got;
        $size = $self->{batch};
        next if @got == @batch;
        $self->disconnect;
        if (!@got && @batch == 1 && $fresh) {
            push @answers, IRI::Response->new(error => $self->{error});
        }
        else {
            $size = 1;
        }
    }
    return @answers;
}

# Opens the connection if there is none; true if it is a new one.
sub connect {
    my ($self) = @_;
    return 0 if $self->{socket};
    $self->{socket} = IO::Socket::INET->new(
        PeerAddr => $self->{address},
        PeerPort => $self->{port},
        Proto    => 'tcp',
        $self->{local} ? (LocalAddr => $self->{local}) : ()
    ) or die "connect to $self->{address}:$self->{port}: $@\n";
    setsockopt $self->{socket}, IPPROTO_TCP, TCP_NODELAY, 1;
    if ($self->{tls}) {
        require IRI::TLS;
        IRI::TLS::start($self->{socket}, $self->alpn, %{ $self->{tls} });
    }
    $self->{buffer} = '';
    $self->{error}  = '';
    $self->greet;
    return 1;
}

# The octets that a protocol sends first on a new connection; none in HTTP/1.
sub greet { }

# Closes the connection, so that the next request opens another.
sub disconnect {
    my ($self) = @_;
    close delete $self->{socket} if $self->{socket};
    return;
}

# Sends octets; false if the server has closed. Its last answer may still be
# unread then, so this is no error.
sub put {
    my ($self, $octets) = @_;
    local $SIG{PIPE} = 'IGNORE';
    while (length $octets) {
        my $sent = syswrite $self->{socket}, $octets or return 0;
        substr $octets, 0, $sent, '';
    }
    return 1;
}

# Reads available octets, at least one; false at the end of the connection or
# on timeout.
sub fill {
    my ($self) = @_;
    my $set = '';
    vec($set, fileno $self->{socket}, 1) = 1;
    my $waits = $self->{tls} && $self->{socket}->pending;
    if (!$waits && !select $set, undef, undef, $self->{timeout}) {
        $self->{error} = "no octets for $self->{timeout} seconds";
        return 0;
    }
    my $count = sysread $self->{socket}, $self->{buffer}, 65536,
        length $self->{buffer};
    $self->{error} = defined $count ? 'connection closed' : "read: $!"
        if !$count;
    return $count;
}

# Reads exactly $count octets; undef if there are fewer.
sub take {
    my ($self, $count) = @_;
    while (length $self->{buffer} < $count) {
        $self->fill or return;
    }
    return substr $self->{buffer}, 0, $count, '';
}

1;
