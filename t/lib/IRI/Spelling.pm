# Names in the charsets and letters in which clients write them, and names that
# could be taken for each other. Forms of a whole path: t/configs/Forms.pm.
package IRI::Spelling;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use IRI::Tree 'encode_name';
use List::Util 'shuffle';
use Unicode::Normalize qw(NFC NFD NFKD getCombinClass);

our @EXPORT_OK = qw(encode_label folded is_edit is_near key percent raw read_in
    twin_characters write_in);

my $STRICT = Encode::FB_CROAK() | Encode::LEAVE_SRC();

# ---- letters ----------------------------------------------------------------

# Letters and punctuation, and the ASCII that accents:latin and punctuation take
# for them.
our %LATIN = ("\x{C6}" => 'AE', "\x{D8}" => 'O', "\x{DE}" => 'TH',
    "\x{DF}" => 'ss', "\x{E6}" => 'ae', "\x{F8}" => 'o', "\x{F0}" => 'd',
    "\x{D0}" => 'D', "\x{FE}" => 'th', "\x{110}" => 'D', "\x{111}" => 'd',
    "\x{126}" => 'H', "\x{127}" => 'h', "\x{131}" => 'i', "\x{138}" => 'q',
    "\x{141}" => 'L', "\x{142}" => 'l', "\x{14A}" => 'N', "\x{14B}" => 'n',
    "\x{152}" => 'OE', "\x{153}" => 'oe', "\x{166}" => 'T',
    "\x{167}" => 't', "\x{1E9E}" => 'SS');
our %PUNCTUATION = (
    (map { chr, ' ' } 0xA0, 0x2000 .. 0x200A, 0x202F, 0x205F),
    (map { chr, '-' } 0x2010 .. 0x2013, 0x2212, 0xFE58,
        0xFF0D),    # with variants U+2212 is U+FF0D
    (map { chr, "'" } 0xB4, 0x2BC, 0x2018, 0x2019, 0x201B, 0x2032, 0x2035),
    (map { chr, '"' } 0x201C, 0x201D, 0x201F, 0x2033, 0x2036));

# Variants of letters, and the one that has their skeleton; scripts in which
# joiners are optional.
our %ARABIC = ("\x{64A}" => "\x{649}", "\x{6CC}" => "\x{649}",
    "\x{6A9}" => "\x{643}");
our %ROMANIAN = ("\x{15E}" => "\x{218}", "\x{15F}" => "\x{219}",
    "\x{162}" => "\x{21A}", "\x{163}" => "\x{21B}");
my @JOINED = map { qr/(?=\p{Script=$_})[\p{L}\p{M}]/ } qw(Arabic Devanagari
    Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala);

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

# The text of a name in the charset percent; undef if its escapes are not those
# of octets above 7F and "%", all in one case.
sub percent_text {
    my ($octets) = @_;
    return if $octets =~ /[\x80-\xFF]/ || $octets =~ /%(?![0-9A-Fa-f]{2})/;
    my $utf8 = $octets =~ s/%(..)/chr hex $1/ger;
    my $text = eval { Encode::decode('UTF-8', $utf8, $STRICT) };
    return if !defined $text || $text =~ /[\0-\x1F\x7F-\x9F\x{FFFD}]/;
    for my $escape ('%%%02x', '%%%02X') {
        return $text if $octets eq
            $utf8 =~ s/([%\x80-\xFF])/sprintf $escape, ord $1/ger;
    }
    return;
}

# Octets decoded in a charset, in NFC; undef if they are invalid.
my %read;
sub read_in {
    my ($octets, $charset) = @_;
    my $known = "$charset $octets";
    return $read{$known} if exists $read{$known};
    %read = () if keys %read > 100_000;
    # a sign appended, because an incomplete character at the end is no error
    my $text = $charset eq 'EUC-JP' ? read_rows($octets)
        : $charset eq 'percent' ? percent_text($octets) : eval {
            Encode::decode(encode_label($charset), "$octets!", $STRICT)
                =~ s/!\z//r;
        };
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

# The characters with more than one sequence that are in NFC.
sub twin_characters {
    my $of = sequences();
    return grep { @{ $of->{$_} } > 1 && NFC($_) eq $_ } sort keys %$of;
}

sub pick { return $_[rand @_] }

# A name in Shift_JIS or EUC-JP with any of the sequences of each character.
sub twin {
    my ($text, $charset) = @_;
    return if $charset !~ /^(?:Shift_JIS|EUC-JP)$/;
    my $octets = '';
    for my $char (split //, $text) {
        my @ways = @{ sequences()->{$char} // [] };
        @ways = map { euc_of($_) } @ways if $charset eq 'EUC-JP';
        push @ways, write_in($char, $charset) // ();
        return if !@ways;
        $octets .= pick(@ways);
    }
    return $octets;
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

# Some other character of the same key for each letter or mark, or for some.
sub plain {
    my ($text, $of) = @_;
    my %other;
    push @{ $other{ $of->{$_} } }, $_ for sort keys %$of;
    $text =~ s/(.)/$of->{$1} \/\/ $1/gse if rand() < 0.6;
    $text =~ s/(ss|[aoAO][eE]|[ \-'"dDoOlLiIhHtT])/
        $other{$1} && rand() < 0.4 ? pick(@{ $other{$1} }) : $1/gex;
    return $text;
}

sub without_joiners {
    my ($text) = @_;
    $text =~ s/($_)[\x{200C}\x{200D}](?=$_)/$1/g for @JOINED;
    return $text;
}

# Other variants of letters; joiners where there are none, and none.
sub letter_forms {
    my ($text) = @_;
    for my $of (\%ARABIC, \%ROMANIAN) {
        my %group;
        push @{ $group{ $of->{$_} } }, $of->{$_}, $_ for sort keys %$of;
        my %other = map { my $all = $_; map { $_ => $all } @$all }
            values %group;
        $text =~ s/(.)/$other{$1} ? pick(@{ $other{$1} }) : $1/gse;
    }
    my $way = int rand 3;
    return without_joiners($text) if $way == 0;
    $text =~ s/(?<=[\p{L}\p{M}])(?=[\p{L}\p{M}])/
        rand() < 0.3 ? pick("\x{200C}", "\x{200D}") : ''/gex if $way == 1;
    return $text;
}

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
    $text = NFC($text);
    $text =~ s/(.)/$LATIN{$1} \/\/ $1/gse if $settings =~ /accents:latin/;
    $text =~ s/(.)/$PUNCTUATION{$1} \/\/ $1/gse if $settings =~ /punctuation/;
    $text =~ s/(.)/$ARABIC{$1} \/\/ $1/gse if $settings =~ /variants:arabic/;
    $text =~ s/(.)/$ROMANIAN{$1} \/\/ $1/gse
        if $settings =~ /variants:romanian/;
    $text = without_joiners($text) if $settings =~ /variants:joiners/;
    return $text;
}

# May a server with these settings match one name with the other?
sub is_near {
    my ($one, $two, $settings) = @_;
    return 0 if $settings !~ /variants:|width|punctuation|case|accents|spelling/;
    my ($a, $b) = map { folded(as_vendors($_), $settings) } $one, $two;
    return 1 if $a eq $b;
    return $settings =~ /spelling/
        && is_edit([$a =~ /(\X)/g], [$b =~ /(\X)/g]);
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

# ---- other characters -------------------------------------------------------

# Marks of different classes in another order, which is equivalent text.
sub reordered {
    my ($text) = @_;
    return join '', map {
        my ($base, @marks) = split //, NFD($_);
        my %class;
        push @{ $class{ getCombinClass(ord) } }, $_ for @marks;
        my @order = shuffle map { getCombinClass(ord) } @marks;
        # a starter among them (for example hangul) must not move
        $class{0} ? NFD($_)
            : join '', $base, map { shift @{ $class{$_} } } @order;
    } $text =~ /(\P{M}\p{M}*|\p{M}+)/g;
}

# Characters whose NFC is another single one: U+212B is U+00C5.
my $singletons;
sub singleton {
    my ($text) = @_;
    if (!$singletons) {
        for my $code (0x374, 0x387, 0x1F71 .. 0x1FFD, 0x2126, 0x212B,
            0xF900 .. 0xFAD9)
        {
            my $nfc = NFC(chr $code);
            push @{ $singletons->{$nfc} }, chr $code
                if length $nfc == 1 && $nfc ne chr $code && ord $nfc > 0x7F;
        }
    }
    $text =~ s/(.)/$singletons->{$1} && rand() < 0.7
        ? pick(@{ $singletons->{$1} }) : $1/gse;
    return $text;
}

1;
