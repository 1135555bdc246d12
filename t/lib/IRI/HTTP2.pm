# A client for HTTP/2: without TLS by prior knowledge (RFC 9113 section 3.3),
# or over TLS. Targets and fields go out as they are, as literals without
# Huffman code.
package IRI::HTTP2;
use strict;
use warnings;
use parent 'IRI::Client';
use IRI::HPACK;

use constant {
    DATA => 0, HEADERS => 1, RST_STREAM => 3, SETTINGS => 4, PING => 6,
    GOAWAY => 7, WINDOW_UPDATE => 8, CONTINUATION => 9,
    END_STREAM => 1, ACK => 1, END_HEADERS => 4, PADDED => 8, PRIORITY => 32,
    HEADER_TABLE_SIZE => 1, ENABLE_PUSH => 2, INITIAL_WINDOW_SIZE => 4,
    WINDOW => 65535,           # of a stream and a connection at the start
    LARGEST_WINDOW => 2**31 - 1,
    FRAME => 16384,            # the largest frame that needs no agreement
};

# The protocol's name in TLS.
sub alpn { return 'h2' }

# The preface: no push, no dynamic table of fields, and windows so large that
# only the connection's window needs an update now and then.
sub greet {
    my ($self) = @_;
    $self->{next_stream}    = 1;
    $self->{leaving}        = 0;
    $self->{window}         = WINDOW;
    $self->{initial_window} = WINDOW;
    $self->put("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    $self->put_frame(SETTINGS, 0, 0,
        pack '(nN)*', HEADER_TABLE_SIZE, 0, ENABLE_PUSH, 0,
            INITIAL_WINDOW_SIZE, LARGEST_WINDOW);
    $self->put_frame(WINDOW_UPDATE, 0, 0, pack 'N', LARGEST_WINDOW - WINDOW);
    return;
}

# Sends all requests as streams of one connection and reads until all are
# answered or the connection ends. Returns the answers up to the first that is
# missing; pipeline() sends the rest again.
sub exchange {
    my ($self, @requests) = @_;
    $self->{streams} = {};
    my @streams = map { $self->open_stream($_) } @requests;
    while (grep { !$_->{done} } @streams) {
        $self->send_bodies;
        my @frame = $self->read_frame or last;
        $self->take_frame(@frame);
    }
    my @answers;
    for my $stream (@streams) {
        last if !$stream->{done} || $stream->{refused};
        push @answers, $stream->{answer};
    }
    $self->disconnect if $self->{leaving};
    return @answers;
}

# Sends the head of a request; its body waits for send_bodies().
sub open_stream {
    my ($self, $request) = @_;
    my $id   = $self->{next_stream};
    my $host = exists $request->{host} ? $request->{host} : 'localhost';
    my @given = @{ $request->{headers} // [] };
    my @fields = (
        [':method', $request->{method} // 'GET'],
        [':scheme', $self->{tls} ? 'https' : 'http'],
        (defined $host ? [':authority', $host] : ()),
        [':path', $request->{target}],
    );
    while (my ($name, $value) = splice @given, 0, 2) {
        push @fields, [lc $name, $value];
    }
    my $body  = $request->{body};
    my $block = IRI::HPACK::encode(@fields);
    my $type  = HEADERS;
    my $flags = defined $body ? 0 : END_STREAM;
    do {
        my $part = substr $block, 0, FRAME, '';
        $flags |= END_HEADERS if $block eq '';
        $self->put_frame($type, $flags, $id, $part);
        ($type, $flags) = (CONTINUATION, 0);
    } while (length $block);
    $self->{next_stream} += 2;
    return $self->{streams}{$id} = {
        id => $id, body => $body, window => $self->{initial_window},
        done => 0, refused => 0,
        answer => IRI::Response->new(version => '2'),
    };
}

# Sends as much of each pending body as the server's windows allow.
sub send_bodies {
    my ($self) = @_;
    for my $stream (values %{ $self->{streams} }) {
        while (defined $stream->{body}) {
            my $size = length $stream->{body};
            for my $limit (FRAME, $self->{window}, $stream->{window}) {
                $size = $limit if $size > $limit;
            }
            last if $size <= 0 && length $stream->{body};
            my $part = substr $stream->{body}, 0, $size, '';
            my $last = $stream->{body} eq '';
            $self->put_frame(DATA, $last ? END_STREAM : 0, $stream->{id},
                $part);
            $self->{window}   -= $size;
            $stream->{window} -= $size;
            delete $stream->{body} if $last;
        }
    }
    return;
}

# Processes one frame from the server.
sub take_frame {
    my ($self, $type, $flags, $id, $payload) = @_;
    my $stream = $self->{streams}{$id};
    if ($type == SETTINGS && !($flags & ACK)) {
        $self->take_settings($payload);
    }
    elsif ($type == PING && !($flags & ACK)) {
        $self->put_frame(PING, ACK, 0, $payload);
    }
    elsif ($type == WINDOW_UPDATE) {
        my $owner = $id ? $stream : $self;
        $owner->{window} += unpack 'N', $payload if $owner;
    }
    elsif ($type == GOAWAY) {
        $self->take_goaway($payload);
    }
    elsif ($type == HEADERS || $type == CONTINUATION) {
        $self->take_headers($type, $flags, $id, $payload);
    }
    elsif ($type == DATA) {
        $self->put_frame(WINDOW_UPDATE, 0, 0, pack 'N', length $payload)
            if length $payload;
        return if !$stream;
        $stream->{answer}{body} .= unpadded($flags, $payload);
        $stream->{done} = 1 if $flags & END_STREAM;
    }
    elsif ($type == RST_STREAM && $stream && !$stream->{done}) {
        $stream->{answer}{error} =
            sprintf 'stream reset, code %d', unpack 'N', $payload;
        $stream->{answer}{status} = 0;
        $stream->{done} = 1;
    }
    return;
}

# A header block may be split into frames. An interim answer (1xx) is replaced
# by the next; trailer fields are dropped.
sub take_headers {
    my ($self, $type, $flags, $id, $payload) = @_;
    if ($type == HEADERS) {
        $payload = unpadded($flags, $payload);
        substr $payload, 0, 5, '' if $flags & PRIORITY;
        $self->{block}      = '';
        $self->{end_stream} = $flags & END_STREAM;
    }
    $self->{block} .= $payload;
    return if !($flags & END_HEADERS);
    my $stream = $self->{streams}{$id} or return;
    my @fields = IRI::HPACK::decode($self->{block});
    my ($status) = map { $_->[1] } grep { $_->[0] eq ':status' } @fields;
    if (defined $status && $status >= 200) {
        $stream->{answer}{status}  = $status;
        $stream->{answer}{headers} = [grep { $_->[0] !~ /^:/ } @fields];
    }
    $stream->{done} = 1 if $self->{end_stream};
    return;
}

# The server's initial window of a stream applies to streams in flight too (RFC
# 9113 section 6.9.2).
sub take_settings {
    my ($self, $payload) = @_;
    my @settings = unpack '(nN)*', $payload;
    while (my ($name, $value) = splice @settings, 0, 2) {
        next if $name != INITIAL_WINDOW_SIZE;
        $_->{window} += $value - $self->{initial_window}
            for values %{ $self->{streams} };
        $self->{initial_window} = $value;
    }
    $self->put_frame(SETTINGS, ACK, 0, '');
    return;
}

# The server will answer streams up to the last one named, and no others.
sub take_goaway {
    my ($self, $payload) = @_;
    my ($last, $code) = unpack 'NN', $payload;
    $self->{leaving} = 1;
    $self->{error}   = "GOAWAY, code $code";
    for my $stream (values %{ $self->{streams} }) {
        next if $stream->{done} || $stream->{id} <= $last;
        $stream->{done} = $stream->{refused} = 1;
    }
    return;
}

# A payload without its padding.
sub unpadded {
    my ($flags, $payload) = @_;
    return $payload if !($flags & PADDED);
    my $padding = ord substr $payload, 0, 1, '';
    return substr $payload, 0, length($payload) - $padding;
}

# Sends one frame.
sub put_frame {
    my ($self, $type, $flags, $id, $payload) = @_;
    my $length = substr pack('N', length $payload), 1;
    return $self->put($length . pack('CCN', $type, $flags, $id) . $payload);
}

# Reads one frame: type, flags, stream, payload; nothing at the end.
sub read_frame {
    my ($self) = @_;
    my $head = $self->take(9) // return;
    my ($length, $type, $flags, $id) = unpack 'NCCN', "\0$head";
    my $payload = $self->take($length) // return;
    return ($type, $flags, $id & 0x7FFFFFFF, $payload);
}

1;
