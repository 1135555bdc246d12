# An application behind a server: it speaks FastCGI, SCGI or uwsgi, and answers
# each request with all parameters that it received, a line NAME=value each.
package IRI::Gateway;
use strict;
use warnings;
use IO::Socket::INET;
use IRI::Server qw(free_port);
use POSIX ();

my %READ    = (fastcgi => \&fastcgi, scgi => \&scgi, uwsgi => \&uwsgi);
my $SECONDS = 3600;    # without a request: a test may die

# Starts one that speaks a protocol: 'fastcgi', 'scgi' or 'uwsgi'.
sub new {
    my ($class, $protocol) = @_;
    my $port   = free_port();
    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
        LocalPort => $port, Listen => 512, ReuseAddr => 1)
        or die "listen: $!\n";
    my $pid = fork // die "fork: $!\n";
    serve($listen, $protocol) if !$pid;
    return bless { port => $port, pid => $pid, owner => $$ }, $class;
}

sub port { return $_[0]{port} }

sub DESTROY {
    my ($self) = @_;
    return if $$ != $self->{owner};
    local $?;
    kill 'TERM', $self->{pid};
    waitpid $self->{pid}, 0;
    return;
}

# In the child; never returns.
sub serve {
    my ($listen, $protocol) = @_;
    $SIG{TERM} = $SIG{ALRM} = sub { POSIX::_exit(0) };
    $SIG{PIPE} = 'IGNORE';
    alarm $SECONDS;
    while (my $client = $listen->accept) {
        alarm $SECONDS;
        my @given = $READ{$protocol}->($client);
        my $text  = ($protocol eq 'uwsgi' ? 'HTTP/1.0 200 OK' : 'Status: 200')
            . "\r\nContent-Type: text/plain\r\n\r\n";
        while (my ($name, $value) = splice @given, 0, 2) {
            $text .= "$name=$value\n";
        }
        print {$client} $protocol eq 'fastcgi' ? records($text) : $text;
        close $client;
    }
    POSIX::_exit(0);
}

# Reads exactly so many octets, or fewer at the end of the connection.
sub octets {
    my ($client, $count) = @_;
    my $octets = '';
    read $client, $octets, $count;
    return $octets;
}

# Records of FastCGI: type 4 holds names and values, 5 the body, which ends
# with an empty one.
sub fastcgi {
    my ($client) = @_;
    my $pairs = '';
    while (my $head = octets($client, 8)) {
        my (undef, $type, undef, $length, $padding) = unpack 'CCnnC', $head;
        my $content = octets($client, $length);
        octets($client, $padding);
        $pairs .= $content if $type == 4;
        last if $type == 5 && !$length;
    }
    my @given;
    while (length $pairs) {
        my @length = map {
            ord $pairs < 128 ? ord substr $pairs, 0, 1, ''
                : unpack('N', substr $pairs, 0, 4, '') & 0x7FFFFFFF;
        } 1 .. 2;
        push @given, map { substr $pairs, 0, $_, '' } @length;
    }
    return @given;
}

# An answer as records: output, its end, and the end of the request.
sub records {
    my $text = substr $_[0], 0, 60_000;
    return pack('CCnnCx', 1, 6, 1, length $text, 0) . $text
        . pack('CCnnCx', 1, 6, 1, 0, 0)
        . pack('CCnnCx', 1, 3, 1, 8, 0) . "\0" x 8;
}

# One netstring: names and values, each followed by a NUL.
sub scgi {
    my ($client) = @_;
    local $/ = ':';
    my ($length) = (readline($client) // q()) =~ /^(\d+):$/ or return;
    return unpack '(Z*)*', octets($client, $length);
}

# A header with the length of the rest: names and values, each preceded by its
# length.
sub uwsgi {
    my ($client) = @_;
    my $length = unpack 'xv', octets($client, 4);
    return unpack '(v/a)*', octets($client, $length);
}

1;
