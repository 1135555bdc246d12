# Names in charsets, and which names count as one or as similar; computed with
# Perl's tables and not with those of the core.
package IRI::Spelling;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use IRI::Tree 'encode_name';
use Unicode::Normalize qw(NFC NFD NFKD);

our @EXPORT_OK = qw(folded is_edit key percent raw read_in write_in);

my $STRICT = Encode::FB_CROAK() | Encode::LEAVE_SRC();

# ---- forms of octets --------------------------------------------------------

# Percent-encoded octets, all but letters, digits and "-._~".
my %ESCAPE = map { (chr, sprintf '%%%02X', $_) } 0 .. 0xFF;
sub percent {
    my ($octets) = @_;
    $octets =~ s/([^A-Za-z0-9._~-])/$ESCAPE{$1}/g;
    return $octets;
}

# Octets that cannot be raw in a request line, or have a meaning there.
sub raw {
    my ($octets) = @_;
    $octets =~ s/([\0- %?#\/\x7F])/$ESCAPE{$1}/g;
    return $octets;
}

# ---- charsets ---------------------------------------------------------------

# Perl's name for a label, of charsets in which names are decoded only.
sub encode_label {
    my ($charset) = @_;
    return $charset eq 'Shift_JIS' ? 'cp932'
        : $charset eq 'EUC-KR'  ? 'cp949'
        : $charset =~ /^(?:GBK|gb18030)$/ ? 'cp936'
        : $charset eq 'Big5'    ? 'big5-eten'
        : $charset =~ /^windows-(125\d|874)$/ ? "cp$1"
        : $charset eq 'IBM866'    ? 'cp866'
        : $charset eq 'macintosh' ? 'MacRoman'
        :                           $charset;
}

# The octets of a name in a charset and form; undef if the charset lacks it.
my %written;
sub write_in {
    my ($text, $charset, $form) = @_;
    my $known = join ' ', $charset, $form // '', $text;
    if (!exists $written{$known}) {
        %written = () if keys %written > 100_000;
        my $utf8 = Encode::encode('UTF-8', $text);
        $written{$known} = eval { encode_name($utf8, $charset, $form) };
        # additions of ETEN, in rows that are other characters elsewhere
        undef $written{$known} if $charset eq 'Big5'
            && ($written{$known} // '') =~ m{\A(?:[\0-\x7F]|[\x81-\xFE].)*?
                (?:\xC6[\xA1-\xFE]|[\xC7\xC8].)}sx;
    }
    return $written{$known};
}

# Octets decoded in a charset, in NFC; undef if they are invalid.
my %read;
sub read_in {
    my ($octets, $charset) = @_;
    my $known = "$charset $octets";
    return $read{$known} if exists $read{$known};
    %read = () if keys %read > 100_000;
    # a sign appended, because an incomplete character at the end is no error
    my $text = $charset eq 'EUC-JP' ? read_rows($octets) : eval {
        Encode::decode(encode_label($charset), "$octets!", $STRICT);
    };
    $text =~ s/!\z// if defined $text && $charset ne 'EUC-JP';
    # controls, and Perl's result for octets that cp932 does not have
    undef $text if defined $text
        && $text =~ /[\0-\x1F\x7F-\x9F\x{F8F0}-\x{F8F3}\x{FFFD}]/;
    return $read{$known} = defined $text ? NFC($text) : undef;
}

# Names that the servers treat as equal: vendor pairs with Japanese charsets.
sub key {
    my ($name) = @_;
    $name =~ tr/\x{FF5E}\x{2225}/\x{301C}\x{2016}/;
    $name =~ tr/\x{FF0D}\x{2015}/\x{2212}\x{2014}/;
    $name =~ tr/\x{FFE0}-\x{FFE2}\x{FFE4}/\xA2\xA3\xAC\xA6/;
    return $name;
}

# ---- duplicate encodings of JIS ---------------------------------------------

# Characters that Shift_JIS encodes in more than one way, with their sequences.
my $sequences;
sub sequences {
    return $sequences if $sequences;
    my %of;
    for my $lead (0x81 .. 0x9F, 0xE0 .. 0xFC) {
        for my $trail (0x40 .. 0x7E, 0x80 .. 0xFC) {
            my $octets = pack 'CC', $lead, $trail;
            my $char   = eval { Encode::decode('cp932', $octets, $STRICT) };
            push @{ $of{$char} }, $octets
                if defined $char && $char !~ /[\x{E000}-\x{F8FF}]/;
        }
    }
    return $sequences = \%of;
}

# The cell of JIS X 0208 that two octets of Shift_JIS stand for, as EUC-JP;
# nothing for what lies behind row 94.
sub euc_of {
    my ($lead, $trail) = unpack 'CC', $_[0];
    my $row = ($lead - ($lead < 0xA0 ? 0x81 : 0xC1)) * 2 + 1;
    my $cell = $trail - ($trail > 0x7F ? 0x41 : 0x40) + 1;
    ($row, $cell) = ($row + 1, $cell - 94) if $cell > 94;
    return $row > 94 ? () : pack 'CC', $row + 0xA0, $cell + 0xA0;
}

# EUC-JP with the vendor rows, which Perl's table lacks or has differently.
my %char;
sub read_rows {
    my ($octets) = @_;
    my $of = sequences();
    if (!%char) {
        for my $char (keys %$of) {
            $char{$_} = $char for map { euc_of($_) } @{ $of->{$char} };
        }
    }
    my $text = '';
    while (length $octets) {
        if ($octets =~ s/^([\0-\x7F])//) {
            $text .= $1;
        }
        elsif ($octets =~ s/^([\xA1-\xFE][\xA1-\xFE])//) {
            $text .= $char{$1} // return;
        }
        elsif ($octets =~ s/^(\x8E[\xA1-\xDF]|\x8F..)//s) {
            my $long = $1;
            $text .= eval { Encode::decode('euc-jp', $long, $STRICT) }
                // return;
        }
        else {
            return;
        }
    }
    return $text;
}

# ---- similar names ----------------------------------------------------------

# The key of a name after folding width, case and accents, computed with Perl's
# tables.
sub folded {
    my ($text, $settings) = @_;
    $text = NFC($text =~ s/([\x{3000}\x{FF01}-\x{FFEE}])/NFKD($1)/egr)
        if $settings =~ /width/;
    $text = NFC($text =~ s/([\x{30A0}-\x{30FF}])\x{3099}/$1\x{3099}/gr);
    $text = NFD($text);
    $text =~ s/([\p{Latin}\p{Greek}\p{Cyrillic}])\p{Mn}+/$1/g
        if $settings =~ /accents/;
    $text = NFD(CORE::fc($text)) if $settings =~ /case/;
    $text =~ s/([\p{Latin}\p{Greek}\p{Cyrillic}])\p{Mn}+/$1/g
        if $settings =~ /accents/;
    return NFC($text);
}

# Is at most one character of two texts (lists of characters) another, too many
# or too few, or are two in the other order?
sub is_edit {
    my ($one, $two) = @_;
    my ($first, $a, $b) = (0, $#$one, $#$two);
    $first++ while $first <= $a && $first <= $b
        && $one->[$first] eq $two->[$first];
    $a--, $b-- while $a >= $first && $b >= $first && $one->[$a] eq $two->[$b];
    $_ -= $first - 1 for $a, $b;
    return $a <= 1 && $b <= 1 || $a == 2 && $b == 2
        && $one->[$first] eq $two->[$first + 1]
        && $one->[$first + 1] eq $two->[$first];
}

# JIS pairs of the vendors, which have a width.
sub as_vendors {
    my ($name) = @_;
    $name =~ tr/\x{301C}\x{2016}\x{2212}/\x{FF5E}\x{2225}\x{FF0D}/;
    $name =~ tr/\xA2\xA3\xAC\x{2014}\xA6/\x{FFE0}-\x{FFE2}\x{2015}\x{FFE4}/;
    return $name;
}

1;
