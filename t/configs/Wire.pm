# Many requests over one connection, pipelined: the client of the property
# test. IRI::HTTP1 does more and is too slow for millions of requests.
package Wire;
use strict;
use warnings;
use IO::Socket::INET;
use Socket qw(IPPROTO_TCP TCP_NODELAY);

my $BATCH    = 20;     # requests between two calls of $between
my $MANY     = 100;    # whose responses fit into the buffers of a connection
my $PATIENCE = 60;

sub new {
    my ($class, $port) = @_;
    return bless { port => $port, buffer => '' }, $class;
}

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
    my @answers;
    my $all  = $between ? $BATCH : $MANY;
    my $size = $all;
    while (@answers < @requests) {
        $between->() if $between;
        my $last = @answers + $size - 1;
        $last = $#requests if $last > $#requests;
        my @batch = @requests[@answers .. $last];
        my $fresh = $self->connect;
        my @got   = $self->exchange(@batch);
        push @answers, @got;
        $size = $all;
        next if @got == @batch;
        close delete $self->{socket} if $self->{socket};
        if (!@got && @batch == 1 && $fresh) {
            push @answers, [0, '', $self->{error} // ''];
        }
        else {
            $size = 1;
        }
    }
    return @answers;
}

sub connect {
    my ($self) = @_;
    return 0 if $self->{socket};
    for my $try (1 .. 100) {
        $self->{socket} = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $self->{port}, Proto => 'tcp');
        last if $self->{socket};
        select undef, undef, undef, 0.1;
    }
    die "no connection to port $self->{port}\n" if !$self->{socket};
    setsockopt $self->{socket}, IPPROTO_TCP, TCP_NODELAY, 1;
    $self->{buffer} = '';
    return 1;
}

sub exchange {
    my ($self, @requests) = @_;
    local $SIG{PIPE} = 'IGNORE';
    my $octets = join '', @requests;
    while (length $octets) {
        my $sent = syswrite $self->{socket}, $octets or last;
        substr $octets, 0, $sent, '';
    }
    my @answers;
    for my $request (@requests) {
        my $answer = $self->read_answer($request =~ /^HEAD /) or last;
        push @answers, $answer;
        if ($answer->[1] =~ /^connection: *close/mi) {
            close delete $self->{socket};
            last;
        }
    }
    return @answers;
}

sub fill {
    my ($self) = @_;
    my $set = '';
    vec($set, fileno $self->{socket}, 1) = 1;
    $self->{error} = 'no answer in time';
    select $set, undef, undef, $PATIENCE or return 0;
    my $count = sysread $self->{socket}, $self->{buffer}, 65536,
        length $self->{buffer};
    $self->{error} = 'connection closed' if !$count;
    return $count;
}

sub read_answer {
    my ($self, $is_head) = @_;
    my ($status, $head) = (0, '');
    while ($status < 200) {
        while ($self->{buffer} !~ /\r\n\r\n/) {
            $self->fill or return;
        }
        $self->{buffer} =~ s{\A(.*?)\r\n\r\n}{}s;
        my ($first, $fields) = split /\r\n/, $1, 2;
        ($status) = $first =~ m{^HTTP/1\.\d (\d{3})} or return;
        $head = $fields // '';
    }
    return [$status, $head, ''] if $is_head || $status =~ /^(?:204|304)$/;
    my $body = '';
    if ($head =~ /^transfer-encoding: *chunked/mi) {
        while (1) {
            while ($self->{buffer} !~ /\A[0-9a-fA-F]+[^\r\n]*\r\n/) {
                $self->fill or return;
            }
            $self->{buffer} =~ s/\A([0-9a-fA-F]+)[^\r\n]*\r\n//;
            my $size = hex $1;
            while (length $self->{buffer} < $size + 2) {
                $self->fill or return;
            }
            $body .= substr $self->{buffer}, 0, $size, '';
            substr $self->{buffer}, 0, 2, '';
            last if !$size;
        }
    }
    elsif ($head =~ /^content-length: *(\d+)/mi) {
        my $size = $1;
        while (length $self->{buffer} < $size) {
            $self->fill or return;
        }
        $body = substr $self->{buffer}, 0, $size, '';
    }
    else {
        1 while $self->fill;
        $body = $self->{buffer};
        close delete $self->{socket};
    }
    return [$status, $head, $body];
}

1;
