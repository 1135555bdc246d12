# Spellings of a path: the ways, valid and hostile, in which a client can write
# a name, or one that could be taken for it.
#
#   my $target = IRI::Spelling::spell(
#       segments => ['pub', "\x{79D8}\x{5BC6}", 'f.txt'],   # characters
#       charsets => ['Shift_JIS', 'EUC-JP'], kind => 'charset');
#
# gives '/pub/%94%E9%96%A7/f.txt' or another. The choice depends on srand
# alone. %KIND has the kinds and what they guarantee.
package IRI::Spelling;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use IRI::Tree 'encode_name';
use List::Util 'shuffle';
use Unicode::Normalize qw(NFC NFD NFKC NFKD getCombinClass);

our @EXPORT_OK = qw(encode_label folded is_edit is_near key kinds percent raw
    read_in spell twin_characters write_in);

my $STRICT = Encode::FB_CROAK() | Encode::LEAVE_SRC();

# Charsets that a client may try, whether the site lists them or not.
my @FOREIGN = qw(Shift_JIS EUC-JP GBK Big5 EUC-KR windows-1251 KOI8-R
    windows-1252 windows-1253 windows-1255 windows-1258 macintosh IBM866);

# ---- kinds ------------------------------------------------------------------

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

# sure: the guaranteed answer for an existing name. 'same': the file, because
# the path is UTF-8 and equivalent; 'listed': the file, or another whose name
# has the same octets in a charset of the site; '': no guarantee. text:
# characters of a segment -> characters; octets: characters -> octets, undef
# for "not in this charset"; bend: octets -> octets that no longer are that
# name; wide: the whole path at once. all: ASCII segments change too.
my %KIND = (
    nfc       => { sure => 'same' },
    nfd       => { sure => 'same', text => \&NFD },
    partly    => { sure => 'same', text => \&partly },
    order     => { sure => 'same', text => \&reordered },
    singleton => { sure => 'same', text => \&singleton },
    letters   => { sure => 'same', letters => 0.5 },
    dots      => { sure => 'same', dots => 1 },
    charset   => { sure => 'listed', whole => 1 },
    twin      => { sure => 'listed', whole => 1, octets => \&twin },
    segments  => { sure => '', octets => \&in_any },
    variant   => { sure => '', text => \&variant, octets => \&in_any },
    foreign   => { sure => '', octets => \&in_foreign },
    width     => { sure => '', text => \&width, all => 1 },
    case      => { sure => '', text => \&letter_case, all => 1 },
    accents   => { sure => '', text => \&accents, all => 1 },
    latin     => { sure => '', text => sub { plain($_[0], \%LATIN) }, all => 1 },
    marks     => { sure => '', text => sub { plain($_[0], \%PUNCTUATION) },
        all => 1 },
    plus      => { sure => '', text => sub { $_[0] =~ tr/ /+/r }, all => 1 },
    pasted    => { sure => '', text => \&pasted, all => 1 },
    forms     => { sure => '', text => \&letter_forms },
    compat    => { sure => '', text => \&compatible, all => 1 },
    folds     => { sure => '', text => \&folds, all => 1 },
    edit      => { sure => '', text => \&edit, all => 1 },
    near      => { sure => '', text => \&near, all => 1 },
    ignorable => { sure => '', text => \&ignorable, all => 1 },
    double    => { sure => '', bend => \&double },
    overlong  => { sure => '', bend => \&overlong, all => 1 },
    surrogate => { sure => '', bend => \&surrogates },
    mojibake  => { sure => '', bend => \&mojibake },
    broken    => { sure => '', bend => \&broken },
    unicode_u => { sure => '', written => \&unicode_u },
    params    => { sure => '', written => \&params, all => 1 },
    slashes   => { sure => '', slashes => 1 },
    trail     => { sure => '', trail => 1 },
);

# The names of all kinds in a fixed order, or the guarantee of one.
sub kinds { return sort keys %KIND }
sub sure  { return $KIND{ $_[0] }{sure} }

# ---- the path ---------------------------------------------------------------

# A path in one spelling, from its "/" on; undef if this kind has none for it.
# Options: segments (characters; "" at the end for a slash), kind, charsets.
sub spell {
    my (%option) = @_;
    my $kind   = $KIND{ $option{kind} } or die "no kind $option{kind}\n";
    my $octets = octets_of($kind, @option{qw(segments charsets)}) // return;
    my $write  = writer($kind);
    my @written = map { $write->($_) } @$octets;
    if (my $change = $kind->{written}) {
        my @which = which($kind, $option{segments});
        $written[$_] = $change->($written[$_], $option{segments}[$_])
            for @which;
    }
    my $path = '';
    my $dots = $kind->{dots} || rand() < 0.08;
    for my $number (0 .. $#written) {
        $path .= detour($write) if $dots && rand() < 0.4;
        $path .= $number && $kind->{slashes} && rand() < 0.5
            ? pick('\\', '%2F', '%2f', '%5C', '/%5C', '%252F', '%C0%AF',
                '%EF%BC%8F', '//', '%E2%88%95')
            : '/';
        $path .= $written[$number];
    }
    $path .= trail() if $kind->{trail};
    return $path;
}

# The octets of each segment; undef if a charset lacks a character.
sub octets_of {
    my ($kind, $segments, $charsets) = @_;
    my @text = @$segments;
    my @which = which($kind, $segments);
    @which = (pick(@which)) if @which && $kind->{all} && rand() < 0.5;
    if (my $change = $kind->{text}) {
        $text[$_] = $change->($text[$_]) for @which;
    }
    my @octets = map { Encode::encode('UTF-8', $_) } @text;
    if ($kind->{whole}) {
        for my $charset (shuffle @$charsets) {
            my @plain = map { write_in($text[$_], $charset) } @which;
            my @other = $kind->{octets}
                ? map { scalar $kind->{octets}->($text[$_], $charset) } @which
                : @plain;
            next if grep { !defined } @other;
            next if $kind->{octets}
                && join('/', @other) eq join '/', map { $_ // '' } @plain;
            @octets[@which] = @other;
            return \@octets;
        }
        return;
    }
    if (my $encode = $kind->{octets}) {
        $octets[$_] = $encode->($text[$_], $charsets) // return for @which;
    }
    if (my $bend = $kind->{bend}) {
        # of any encoding, because each exercises other code
        if (@$charsets && rand() < 0.3) {
            my $charset = pick(@$charsets);
            $octets[$_] = write_in($text[$_], $charset) // $octets[$_]
                for @which;
        }
        $octets[$_] = $bend->($octets[$_]) for @which;
    }
    return \@octets;
}

# The indexes of the segments that a kind changes.
sub which {
    my ($kind, $segments) = @_;
    return grep {
        length $segments->[$_]
            && ($kind->{all} || $segments->[$_] =~ /[^\0-\x7F]/)
    } 0 .. $#$segments;
}

sub pick { return $_[rand @_] }

# Differences that do not distinguish two segments.
sub detour {
    my ($write) = @_;
    return pick('/.', '/%2e', '/%2E', '/', '/x/..', '/x/%2e%2E',
        '/' . $write->("\xE7\xA7\x98") . '/..',
        '/' . $write->("\xC9\xBD") . '/.%2e');
}

# Suffixes that may follow a name and do not belong to it.
sub trail {
    return pick('/', '.', '/.', '/..', '%20', '%00', '/x', '/%E9', '/%A4%A2',
        '%2F', '%5C', '\\', '::$DATA', '~', '%0A', '/x/..', ';', '%3F', '%23',
        '/%E8%A1%A8', '/index.html', '%E2%80%8B', '.txt', '..', '%2E%2E',
        '%E9', '%FF');
}

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

# A function that writes octets, chosen once for a path.
my %must = map { $_ => 1 } split(//, '%?#/'), map { chr } 0 .. 0x20, 0x7F;
sub writer {
    my ($kind)  = @_;
    my $escaped = pick(1, 1, 0, 0.5);
    my $upper   = pick(1, 0, 0.5);
    my $letters = $kind->{letters} // pick(0, 0, 0, 0, 0.1);
    return sub {
        my ($octets) = @_;
        return join '', map {
            my $code = ord;
            my $may  = $code > 0x7F ? $escaped : $letters;
            $must{$_} || rand() < $may
                ? sprintf(rand() < $upper ? '%%%02X' : '%%%02x', $code)
                : $_;
        } split //, $octets;
    };
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

# The first of some charsets in random order that can encode it.
sub in_any {
    my ($text, $charsets) = @_;
    for my $charset (shuffle 'UTF-8', @$charsets) {
        my $octets = write_in($text, $charset,
            $charset eq 'UTF-8' ? pick('NFC', 'NFD') : undef);
        return $octets if defined $octets;
    }
    return;
}

sub in_foreign { return in_any($_[0], [@FOREIGN]) }

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

# Invisible characters inside a name, or punctuation behind it.
sub pasted {
    my ($text) = @_;
    return $text . join '', map { pick(',', '.', ')', '>', "\x{3001}",
        "\x{3002}", "\x{300D}", "\x{FF09}") } 0 .. rand 4
        if rand() < 0.5;
    substr $text, rand(1 + length $text), 0, pick("\xAD", "\x{200B}",
        "\x{2060}", "\x{FEFF}") for 0 .. rand 2;
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

# All characters with the key of a letter, by that key.
my $folding;
sub folding {
    return $folding if $folding;
    my %of;
    for my $code (0x21 .. 0x24FF, 0x2C60 .. 0x2DFF, 0xA640 .. 0xA7FF,
        0xAB30 .. 0xABBF, 0xFB00 .. 0xFB06, 0xFF01 .. 0xFFEE,
        0x10400 .. 0x1044F)
    {
        my $char = chr $code;
        next if $char !~ /[\p{L}\p{N}\p{P}\p{S}]/ || $char =~ m{[/?#%]};
        my $key = folded($char, 'width case accents');
        push @{ $of{$key} }, $char if $key ne $char || $char =~ /\w/;
    }
    return $folding = \%of;
}

# Each letter as any character that is folded to it.
sub folds {
    my ($text) = @_;
    my $of   = folding();
    my $much = pick(0.1, 0.5, 1);
    my $out  = '';
    while ($text =~ /\G(ss|.)/gs) {
        my $some = $1;
        my @same = @{ $of->{ folded($some, 'width case accents') } // [] };
        $out .= @same && rand() < $much ? pick(@same) : $some;
    }
    return $out;
}

# One character too many, too few, another, or two in the wrong order.
sub edit {
    my ($text) = @_;
    my @parts = $text =~ /(\X)/g;
    my $at    = int rand @parts;
    my $way   = int rand 4;
    $way == 0 ? splice(@parts, $at, 0, pick('x', "\xE9", $parts[$at]))
        : $way == 1 ? splice(@parts, $at, 1)
        : $way == 2 ? splice(@parts, $at, 1, pick('x', "\x{8868}"))
        : @parts > $at + 1
        ? splice(@parts, $at, 2, @parts[$at + 1, $at])
        : ();
    return join '', @parts;
}

# Both.
sub near { return folds(rand() < 0.5 ? edit($_[0]) : $_[0]) }

# ---- other characters -------------------------------------------------------

# Each letter composed, decomposed, or composed with its first mark only.
sub partly {
    my ($text) = @_;
    return join '', map {
        my ($base, @marks) = split //, NFD($_);
        my $way = int rand 3;
        $way == 0 ? NFC($_) : $way == 1 || !@marks ? NFD($_)
            : NFC($base . shift @marks) . join '', @marks;
    } $text =~ /(\P{M}\p{M}*|\p{M}+)/g;
}

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

sub variant {
    my ($text) = @_;
    my ($jis, $vendor) = ("\x{301C}\x{2016}\x{2212}\xA2\xA3\xAC\x{2014}\xA6",
        "\x{FF5E}\x{2225}\x{FF0D}\x{FFE0}\x{FFE1}\x{FFE2}\x{2015}\x{FFE4}");
    $text =~ s{([$jis$vendor])}{
        my $at = index $jis, $1;
        rand() < 0.2 ? $1 : $at < 0
            ? substr $jis, index($vendor, $1), 1 : substr $vendor, $at, 1;
    }ge;
    return $text;
}

sub width {
    my ($text) = @_;
    return NFKC($text) if $text =~ /[\x{FF01}-\x{FFEE}]/ && rand() < 0.7;
    $text =~ s/([!-~])/rand() < 0.4 ? chr(ord($1) + 0xFEE0) : $1/ge;
    return $text;
}

sub letter_case {
    my ($text) = @_;
    my $way = int rand 5;
    return $way == 0 ? uc $text : $way == 1 ? lc $text
        : $way == 2 ? ucfirst lc $text
        : $way == 3 ? $text =~ s/ss/\xDF/r =~ s/i/\x{131}/r =~ s/k/\x{212A}/r
        : join '', map { rand() < 0.5 ? uc : lc } split //, $text;
}

sub accents {
    my ($text) = @_;
    return NFC(NFD($text) =~ s/\p{Mn}//gr) if NFD($text) =~ /\p{Mn}/;
    $text =~ s/([A-Za-z])/rand() < 0.4 ? "$1\x{301}" : $1/e;
    return $text;
}

sub compatible {
    my ($text) = @_;
    my $other = rand() < 0.5 ? NFKC($text) : NFKD($text);
    return $other if $other ne $text && $other !~ m{[/\0]};
    $text =~ s/\./pick("\x{2024}", "\x{FF0E}", "\x{3002}")/e;
    $text =~ s/([a-z])/chr(ord($1) - 0x61 + 0x24D0)/e;
    return $text;
}

sub ignorable {
    my ($text) = @_;
    substr $text, rand(1 + length $text), 0, pick("\xAD", "\x{200B}",
        "\x{200C}", "\x{200D}", "\x{2060}", "\x{FE0F}", "\x{FEFF}",
        "\x{200E}", "\x{202E}", "\x{2066}", "\x{180B}", "\x{34F}",
        "\x{E0001}", "\x{115F}");
    return $text;
}

# ---- other octets -----------------------------------------------------------

sub double {
    my ($octets) = @_;
    my $more = rand() < 0.5;
    $octets =~ s/([^A-Za-z0-9._~-])/$more || rand() < 0.6
        ? sprintf '%%%02X', ord $1 : $1/ge;
    $octets =~ s/(%[0-9A-F]{2})/lc $1/ge if rand() < 0.3;
    $octets =~ s/%/%25/g if rand() < 0.2;
    return $octets;
}

# All or some characters with an overlong form.
sub overlong {
    my ($octets) = @_;
    $octets =~ s{([!-~])}{
        rand() < 0.3 ? pack 'CC', 0xC0 | ord($1) >> 6, 0x80 | ord($1) & 0x3F
            : $1;
    }ge;
    $octets =~ s{([\xC2-\xDF])([\x80-\xBF])}{
        pack 'CCC', 0xE0, 0x80 | ord($1) & 0x1F, ord $2}ge;
    $octets =~ s{([\xE1-\xEF])([\x80-\xBF])([\x80-\xBF])}{
        pack 'CCCC', 0xF0, 0x80 | ord($1) & 0x0F, ord $2, ord $3}ge;
    return $octets;
}

# UTF-8 by way of UTF-16 (CESU-8).
sub surrogates {
    my ($octets) = @_;
    my $text = eval { Encode::decode('UTF-8', $octets, $STRICT) };
    return broken($octets) if !defined $text;
    $text =~ s/^(.)/chr(ord($1) % 0xFFFF + 0x10000)/e
        if $text !~ /[^\0-\x{FFFF}]/;
    return join '', map {
        my $code = ord;
        map { $_ < 0x80 ? chr : $_ < 0x800
                ? pack 'CC', 0xC0 | $_ >> 6, 0x80 | $_ & 0x3F
                : pack 'CCC', 0xE0 | $_ >> 12, 0x80 | $_ >> 6 & 0x3F,
                    0x80 | $_ & 0x3F }
            $code < 0x10000 ? $code
            : (0xD7C0 + ($code >> 10), 0xDC00 | $code & 0x3FF);
    } split //, $text;
}

# UTF-8 decoded in another charset and encoded in UTF-8 again (mojibake).
sub mojibake {
    my ($octets) = @_;
    my $charset = pick('cp1252', 'iso-8859-1', 'cp932', 'cp1251');
    my $text = eval { Encode::decode($charset, $octets, $STRICT) };
    return Encode::encode('UTF-8',
        $text // Encode::decode('iso-8859-1', $octets));
}

# One octet missing, added or changed.
sub broken {
    my ($octets) = @_;
    my $at = int rand length $octets;
    my $way = int rand 4;
    my $high = chr(0x80 + int rand 0x80);
    return $way == 0 ? substr $octets, 0, -1
        : $way == 1 ? $octets . $high
        : $way == 2 ? substr($octets, 0, $at) . $high . substr $octets, $at
        : substr($octets, 0, $at) . $high . substr $octets, $at + 1;
}

# ---- other writings ---------------------------------------------------------

sub unicode_u {
    my ($written, $text) = @_;
    my $sign = pick('%', '%25', '\\');
    return join '', map {
        ord > 0x7F || rand() < 0.1 ? sprintf '%su%04X', $sign, ord
            : raw(Encode::encode('UTF-8', $_))
    } split //, $text;
}

sub params {
    my ($written) = @_;
    return $written . pick(';', ';a=b', ';x', '%3Ba', ';%E9', ';/', '%3B');
}

1;
