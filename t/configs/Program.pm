# A FastCGI program that reports its parameters, a line each, in order. It
# answers one request on each connection, as nginx does by default.
package Program;
use strict;
use warnings;
use IO::Socket::INET;
use POSIX ();

# Starts it in a process of its own; returns port and process id.
sub start {
    my ($port) = @_;
    my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
        LocalPort => $port, Listen => 512, ReuseAddr => 1)
        or die "program: $!\n";
    my $parent = $$;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    $SIG{$_} = 'DEFAULT' for qw(TERM INT HUP);
    $SIG{PIPE} = 'IGNORE';
    my $set = '';
    vec($set, fileno $listener, 1) = 1;
    while (getppid() == $parent) {
        select my $ready = $set, undef, undef, 1 or next;
        my $socket = $listener->accept or next;
        serve($socket);
        close $socket;
    }
    POSIX::_exit(0);
}

sub serve {
    my ($socket) = @_;
    my ($buffer, $params, $id) = ('', '', 1);
    while (1) {
        while (length $buffer < 8) {
            sysread $socket, $buffer, 65536, length $buffer or return;
        }
        my ($type, $number, $length, $padding) = unpack 'xCnnC', $buffer;
        my $whole = 8 + $length + $padding;
        while (length $buffer < $whole) {
            sysread $socket, $buffer, 65536, length $buffer or return;
        }
        my $content = substr $buffer, 8, $length;
        substr $buffer, 0, $whole, '';
        $id = $number;
        $params .= $content if $type == 4;
        last if $type == 5 && $length == 0;
    }
    my %param;
    while (length $params) {
        my @length;
        for (1, 2) {
            my $octet = ord substr $params, 0, 1, '';
            $octet = ($octet & 0x7F) << 24 | unpack 'N',
                "\0" . substr $params, 0, 3, '' if $octet & 0x80;
            push @length, $octet;
        }
        my $name = substr $params, 0, $length[0], '';
        $param{$name} = substr $params, 0, $length[1], '';
    }
    # data of the client that are not compared
    delete @param{qw(HTTP_X_RAW REQUEST_URI REMOTE_PORT)};
    my $out = "Content-Type: text/plain\r\n\r\nPROGRAM\n"
        . join '', map { "$_=$param{$_}\n" } sort keys %param;
    $out = substr $out, 0, 60_000;
    syswrite $socket, pack('CCnnCC', 1, 6, $id, length $out, 0, 0) . $out
        . pack('CCnnCC', 1, 6, $id, 0, 0, 0)
        . pack('CCnnCCNCx3', 1, 3, $id, 8, 0, 0, 0, 0);
    return;
}

1;
