# HPACK, RFC 7541, without its dynamic table, which a client may forbid: a
# decoder with the static table and Huffman code, and an encoder that writes
# literals only.
package IRI::HPACK;
use strict;
use warnings;

# RFC 7541 appendix A: index, name, value.
my @STATIC = map { [/^(\S+) ?(.*)/] }
    ':authority', ':method GET', ':method POST', ':path /',
    ':path /index.html', ':scheme http', ':scheme https', ':status 200',
    ':status 204', ':status 206', ':status 304', ':status 400',
    ':status 404', ':status 500', 'accept-charset',
    'accept-encoding gzip, deflate', 'accept-language', 'accept-ranges',
    'accept', 'access-control-allow-origin', 'age', 'allow',
    'authorization', 'cache-control', 'content-disposition',
    'content-encoding', 'content-language', 'content-length',
    'content-location', 'content-range', 'content-type', 'cookie', 'date',
    'etag', 'expect', 'expires', 'from', 'host', 'if-match',
    'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since',
    'last-modified', 'link', 'location', 'max-forwards',
    'proxy-authenticate', 'proxy-authorization', 'range', 'referer',
    'refresh', 'retry-after', 'server', 'set-cookie',
    'strict-transport-security', 'transfer-encoding', 'user-agent', 'vary',
    'via', 'www-authenticate';

# RFC 7541 appendix B: the length in bits of each octet's code, and at the
# end EOS. The code is canonical, so the lengths are all there is to it.
my $EOS     = 256;
my @LENGTHS = qw(
    13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28
    28 28 28 28 28 28 30 28 28 28 28 28 28 28 28 28
     6 10 10 12 13  6  8 11 10 10  8 11  8  6  6  6
     5  5  5  6  6  6  6  6  6  6  7  8 15  6 12 10
    13  6  7  7  7  7  7  7  7  7  7  7  7  7  7  7
     7  7  7  7  7  7  7  7  8  7  8 13 19 13 14  6
    15  5  6  5  6  5  6  6  6  5  7  7  6  6  6  5
     6  7  6  5  5  6  7  7  7  7  7 15 11 14 13 28
    20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23
    24 24 22 23 24 23 23 23 23 21 22 23 22 23 23 24
    22 21 20 22 22 23 23 21 23 22 22 24 21 22 23 23
    21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23
    26 26 20 19 22 23 22 25 26 26 26 27 27 26 24 25
    19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27
    20 24 20 21 22 21 21 23 22 22 25 25 24 24 26 23
    26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26
    30
);

# Code to octet: keys are the codes as strings of 0 and 1.
my %OCTET;
{
    my ($code, $length) = (0, 0);
    for my $octet (sort { $LENGTHS[$a] <=> $LENGTHS[$b] || $a <=> $b }
        0 .. $EOS)
    {
        $code <<= $LENGTHS[$octet] - $length;
        $length = $LENGTHS[$octet];
        $OCTET{ sprintf "%0${length}b", $code++ } = $octet;
    }
}

# A header block to a list of [name, value]. Dies on a malformed one.
sub decode {
    my ($block) = @_;
    my @fields;
    while (length $block) {
        my $first = ord $block;
        if ($first & 0x80) {
            push @fields, entry(integer(\$block, 7));
        }
        elsif (($first & 0xE0) == 0x20) {
            my $size = integer(\$block, 5);
            die "HPACK: a dynamic table of $size octets\n" if $size != 0;
        }
        else {
            my $index = integer(\$block, $first & 0x40 ? 6 : 4);
            my $name  = $index ? entry($index)->[0] : string(\$block);
            push @fields, [$name, string(\$block)];
        }
    }
    return @fields;
}

# The entry of an index, from 1.
sub entry {
    my ($index) = @_;
    return $index && $STATIC[$index - 1] || die "HPACK: no entry $index\n";
}

# Reads an integer with a prefix of $bits from the block (section 5.1).
sub integer {
    my ($block, $bits) = @_;
    my $most  = (1 << $bits) - 1;
    my $value = ord(substr $$block, 0, 1, '') & $most;
    return $value if $value < $most;
    my $shift = 0;
    while (1) {
        die "HPACK: integer cut off\n" if $$block eq '' || $shift > 28;
        my $octet = ord substr $$block, 0, 1, '';
        $value += ($octet & 0x7F) << $shift;
        $shift += 7;
        return $value if !($octet & 0x80);
    }
}

# Reads a string from the block (section 5.2).
sub string {
    my ($block) = @_;
    die "HPACK: string missing\n" if $$block eq '';
    my $huffman = ord($$block) & 0x80;
    my $length  = integer($block, 7);
    die "HPACK: string cut off\n" if $length > length $$block;
    my $octets = substr $$block, 0, $length, '';
    return $huffman ? huffman($octets) : $octets;
}

# Decodes the Huffman code. The remainder must be the first bits, fewer than
# eight, of EOS, which are ones.
sub huffman {
    my ($octets) = @_;
    my ($text, $code) = ('', '');
    for my $bit (split //, unpack 'B*', $octets) {
        $code .= $bit;
        my $octet = $OCTET{$code} // next;
        die "HPACK: EOS in a string\n" if $octet == $EOS;
        $text .= chr $octet;
        $code = '';
    }
    die "HPACK: bad padding\n" if $code !~ /^1{0,7}$/;
    return $text;
}

# Header fields, [name, value] each, as literals without indexing.
sub encode {
    my (@fields) = @_;
    return join '', map {
        "\x00" . join '', map { encode_integer(length, 7) . $_ } @$_
    } @fields;
}

# An integer behind a prefix of $bits, the other bits zero.
sub encode_integer {
    my ($value, $bits) = @_;
    my $most = (1 << $bits) - 1;
    return chr $value if $value < $most;
    my $octets = chr $most;
    $value -= $most;
    while ($value >= 128) {
        $octets .= chr($value % 128 + 128);
        $value >>= 7;
    }
    return $octets . chr $value;
}

1;
