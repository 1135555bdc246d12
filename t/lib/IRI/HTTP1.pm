# A client for HTTP/1.1 (or 1.0) that writes exactly the octets it is given.
package IRI::HTTP1;
use strict;
use warnings;
use parent 'IRI::Client';

# The protocol's name in TLS.
sub alpn { return 'http/1.1' }

# Sends all requests at once and reads their answers in order, up to the first
# that is missing or that ends the connection.
sub exchange {
    my ($self, @requests) = @_;
    $self->put(join '', map { request_text($_) } @requests);
    my @answers;
    for my $request (@requests) {
        my $answer = $self->read_answer($request->{method} // 'GET') or last;
        push @answers, $answer;
        if (!$self->{persistent}) {
            $self->disconnect;
            last;
        }
    }
    return @answers;
}

# Sends octets that need not be a valid request and reads one answer, on a
# connection of its own.
sub send_raw {
    my ($self, $octets) = @_;
    $self->disconnect;
    $self->connect;
    $self->put($octets);
    my $answer = $self->read_answer('GET')
        // IRI::Response->new(error => $self->{error});
    $self->disconnect;
    return $answer;
}

# A request as it goes over the wire. `host => undef` leaves the field out;
# Content-Length is added where there is a body and no such field. `octets` are
# the whole request.
sub request_text {
    my ($request) = @_;
    return $request->{octets} if defined $request->{octets};
    my $host   = exists $request->{host} ? $request->{host} : 'localhost';
    my @fields = @{ $request->{headers} // [] };
    my $text   = join ' ', $request->{method} // 'GET', $request->{target},
        'HTTP/' . ($request->{version} // '1.1') . "\r\n";
    my %given;
    $text .= "Host: $host\r\n" if defined $host;
    while (my ($name, $value) = splice @fields, 0, 2) {
        $given{ lc $name } = 1;
        $text .= "$name: $value\r\n";
    }
    my $body = $request->{body};
    $text .= 'Content-Length: ' . length($body) . "\r\n"
        if defined $body
        && !$given{'content-length'}
        && !$given{'transfer-encoding'};
    return "$text\r\n" . ($body // '');
}

# Reads one answer; undef if the connection ends within its head. Interim
# answers (1xx) are skipped. Sets `persistent` for the next request.
sub read_answer {
    my ($self, $method) = @_;
    $self->{persistent} = 0;
    my $answer;
    do {
        my $line = $self->line // return;
        my ($version, $status, $reason) =
            $line =~ m{^HTTP/(\d\.\d) (\d{3}) ?(.*)$}
            or return $self->garbage($line);
        my $headers = $self->fields // return;
        $answer = IRI::Response->new(
            version => $version, status => $status, reason => $reason,
            headers => $headers
        );
    } while ($answer->status < 200);
    return $self->read_body($answer, $method) ? $answer : undef;
}

# The received octets are no HTTP/1 answer: all of them, with status 0.
sub garbage {
    my ($self, $line) = @_;
    1 while $self->fill;
    return IRI::Response->new(
        error => 'no status line',
        body  => "$line\r\n$self->{buffer}"
    );
}

# Reads the body as delimited by RFC 9112 section 6.3; false if it is
# truncated.
sub read_body {
    my ($self, $answer, $method) = @_;
    my $length   = $answer->header('Content-Length');
    my $encoding = $answer->header('Transfer-Encoding') // '';
    my $close    = lc($answer->header('Connection') // '') eq 'close'
        || $answer->version eq '1.0';
    $self->{persistent} = !$close;
    return 1 if $method eq 'HEAD' || $answer->status =~ /^(?:204|304)$/;
    if ($encoding =~ /\bchunked$/i) {
        $answer->{body} = $self->chunks;
    }
    elsif (defined $length) {
        $answer->{body} = $self->take($length);
    }
    else {
        1 while $self->fill;
        $answer->{body} = $self->{buffer};
        $self->{persistent} = 0;
    }
    return defined $answer->{body};
}

# A chunked body, its trailer fields read and dropped; undef if truncated.
sub chunks {
    my ($self) = @_;
    my $body = '';
    while (1) {
        my $line = $self->line // return;
        my ($size) = $line =~ /^([0-9A-Fa-f]+)/ or return;
        last if hex $size == 0;
        $body .= $self->take(hex $size) // return;
        $self->take(2) // return;
    }
    $self->fields // return;
    return $body;
}

# Header fields up to the empty line, a list of [name, value].
sub fields {
    my ($self) = @_;
    my @fields;
    while (1) {
        my $line = $self->line // return;
        return \@fields if $line eq '';
        my ($name, $value) = $line =~ /^([^:]*):[ \t]*(.*?)[ \t]*$/s
            or return;
        push @fields, [$name, $value];
    }
}

# A line without its end; undef if the connection ends within it.
sub line {
    my ($self) = @_;
    while ($self->{buffer} !~ /\n/) {
        $self->fill or return;
    }
    $self->{buffer} =~ s/^(.*?)\r?\n//s;
    return $1;
}

1;
