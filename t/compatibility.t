# Compatibility: over a tree of UTF-8 names the core leaves the name of every
# entry to the server: names of every block of Unicode and unusual names of all
# kinds, in the forms that stock servers serve. That the servers then answer as
# without the module, t/configs.t compares.
#
# The documented exceptions: a non-ASCII path with a control character, and a
# raw bidi formatting character, are 404; of two names that differ in
# normalization only, the one in NFC (else in NFD) is served for both. Names
# that are not UTF-8 are 404. With `iri_invalid pass` all of these names are
# served, except the second of two names that differ in normalization only.
use IRI::Test 'core';
use Encode ();
use File::Basename 'dirname';
use File::Find ();
use File::Path 'make_path';
use IRI::Cases;
use JSON::PP ();
use Unicode::Normalize qw(NFC NFD);
use Unicode::UCD 'charblocks';

my $PER_BLOCK = 3;
my $LEGACY    = 'Shift_JIS,EUC-JP,GBK,EUC-KR,Big5,windows-1252,KOI8-R';

# Settings under test, and the exceptions for each.
my @SETTINGS = (
    ['iri=on', 'utf8 control bidi twin'],
    ["charset=$LEGACY", 'utf8 control bidi twin'],
    ['invalid=pass', 'twin'],
);

my $BIDI = qr/[\x{61C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}]/;

my ($root) = make_tree('mixed');
add($_->[0], @$_[1 .. $#$_]) for
    ['blocks', blocks()], ['changed', changed()], ['long', long_names()],
    ['marks', marks()], ['hangul', hangul()], ['other', others()];
my @files   = files();
my %named;    # how many paths have a name
$named{ nfc($_) }++ for @files;

ask(@$_) for @SETTINGS;
done_testing;

# ---- names ------------------------------------------------------------------

# Makes files with these names (characters) below a folder.
sub add {
    my ($folder, @names) = @_;
    for my $name (@names) {
        my $path = "$root/$folder/" . Encode::encode('utf8', $name);
        die 'twice: ' . escaped($path) . "\n" if -e $path;
        make_path(dirname($path));
        spew($path, Encode::encode('utf8', $name) . ' ' . escaped($path));
    }
    return;
}

# The first, a middle and the last character of each block as the name of a
# file, and the first also of a directory with an index. Noncharacters as well.
sub blocks {
    my ($blocks, @names) = charblocks();
    for my $block (sort { $a->[0][0] <=> $b->[0][0] } values %$blocks) {
        my ($first, $last) = @{ $block->[0] };
        my @there = grep { chr =~ /^[\p{Assigned}\p{Co}]$/ }
            grep { $_ > 0x20 && $_ != 0x2F && ($_ < 0xD800 || $_ > 0xDFFF) }
            $last - $first > 5000
            ? ($first .. $first + 200, $last - 200 .. $last) : $first .. $last;
        next if !@there;
        my %chosen = map { $there[$_ * $#there / ($PER_BLOCK - 1)] => 1 }
            0 .. $PER_BLOCK - 1;
        push @names, map { sprintf '%06X-%c.txt', $_, $_ }
            sort { $a <=> $b } keys %chosen;
        push @names, chr($there[0]) . '/index.html' if $there[0] > 0x2F;
    }
    push @names, map { sprintf '%06X-%c.txt', $_, $_ } 0xFDD0 .. 0xFDEF,
        map { ($_ << 16 | 0xFFFE, $_ << 16 | 0xFFFF) } 0 .. 16;
    return @names;
}

# Every character that NFC changes: singletons and composition exclusions.
sub changed {
    return map { sprintf '%06X-%c.txt', $_, $_ }
        grep { NFC(chr) ne chr } 0xA0 .. 0xD7FF, 0xE000 .. 0x2FFFF;
}

# Names of 255 octets, the limit of the file system.
sub long_names {
    my @names = map {
        my $octets = length Encode::encode('UTF-8', $_);
        'a' x (255 % $octets) . $_ x (255 / $octets)
    } 'x', "\xE9", "\x{65E5}", "\x{1F600}", "e\x{301}", "\x{AC00}",
        "\x{1112}\x{1161}\x{11AB}", "\x{3099}";
    return @names, map { "\xE9/$_" } @names;
}

# Letters with few, many and very many marks, composed, decomposed or not in
# canonical order.
sub marks {
    my @names;
    for my $count (1, 2, 29 .. 33, 60, 120) {
        my @marks = ("\x{301}" x $count, "\x{323}\x{302}" x ($count / 2),
            "\x{302}\x{323}" x ($count / 2));
        push @names, map { ("a$_", 'x' . NFC("a$_"), "\x{4E00}$_") }
            grep { length } @marks;
        push @names, "\x{3B1}" . "\x{345}\x{301}" x ($count / 2) . 'w';
    }
    my %seen;
    return grep { !$seen{$_}++ && length Encode::encode('UTF-8', $_) < 256 }
        @names, "\x{301}", "\x{301}a", ".\x{301}", "-\x{338}", "=\x{338}",
        ">\x{338}\x{338}", "%\x{301}", "1\x{20E3}", "\x{93E}\x{94D}";
}

# Conjoining jamo: single ones, syllables, syllables with additional ones.
sub hangul {
    my @names = map { chr } 0x1100, 0x1112, 0x1113, 0x115F, 0x1160, 0x1161,
        0x1175, 0x1176, 0x11A7, 0x11A8, 0x11C2, 0x11C3, 0xA960, 0xD7B0,
        0xD7FB, 0x3131, 0xFFA1;
    return @names, "\x{1100}\x{1161}", "\x{1100}\x{1161}\x{11A8}z",
        "\x{AC00}\x{11A8}y", "\x{AC01}\x{11A8}", "\x{1100}\x{1161}\x{11A7}",
        "\x{1100}\x{1100}\x{1161}", "\x{AC00}\x{1161}", "\x{11A8}\x{1100}",
        NFD("\x{D55C}\x{AE00}") . 'n', "\x{D55C}\x{AE00}";
}

# Emoji sequences, characters that look like ASCII or like separators,
# ignorable ones, and bidi controls.
sub others {
    return "\x{1F468}\x{200D}\x{1F469}\x{200D}\x{1F467}.txt",
        "\x{1F3F4}\x{E0067}\x{E0062}\x{E0073}\x{E007F}", "\x{1F44D}\x{1F3FD}",
        "\x{2764}\x{FE0F}", "\x{2764}", "\x{FF0F}", "\x{2044}", "\x{2215}",
        "\x{FF0E}\x{FF0E}", "\x{2024}\x{2024}", "\x{2025}", "\x{FF05}41",
        "\x{FE68}", "\x{FF1F}", "\x{212A}", "\x{37E}", "\x{1FEF}",
        "a\x{200B}b", "a\x{200C}b", "a\x{200D}b", "a\x{2060}b", "a\x{FEFF}b",
        "a\x{AD}b", "a\x{34F}b", "a\x{180E}b", "a\x{3164}b", "a\x{E0001}b",
        "a\x{200E}b", "a\x{202E}b", "a\x{2066}b\x{2069}", "a\x{2028}b",
        "\x{FFFD}", "a\x{FFFC}", "\xA0", "\x{3000}", "a\xE9\tb", "a\xE9\x7Fb",
        "a\x{85}b", "a\tb", " \xE9", "\xE9 ", ".\xE9", "..\xE9", "\xE9.",
        "\xE9..", "\xE9%41", "\xE9%2F", "\xE9%", "\xE9%C3%A9", "\xE9?x",
        "\xE9#x", "\xE9;x", "\xE9+x", "\xE9&x", "\xE9\\x", "\xE9'\"x",
        "\xE9:x", "\xE9~", "\xE9|x", "\xE9/.\xE9/index.html", "\xE9/..\xE9";
}

# All paths below the root, in octets: files, and directories with "/" at the
# end.
sub files {
    my @found;
    File::Find::find({ no_chdir => 1, wanted => sub {
        my $path = substr $File::Find::name, length $root;
        push @found, length $path ? -d ? ($path, "$path/") : $path : '/';
    } }, $root);
    return sort @found;
}

# Octets as characters; undef if they are not UTF-8. Encode's "UTF-8" rejects
# noncharacters, its "utf8" accepts too much.
sub characters {
    my ($path) = @_;
    my $text = eval { Encode::decode('utf8', $path, Encode::FB_CROAK()
        | Encode::LEAVE_SRC()) } // return;
    return $text =~ /[\x{D800}-\x{DFFF}]|[^\0-\x{10FFFF}]/ ? undef : $text;
}

# Octets of UTF-8 in NFC; others as they are.
sub nfc {
    my ($path) = @_;
    my $text = characters($path) // return $path;
    return Encode::encode('utf8', NFC($text));
}

# ---- requests ---------------------------------------------------------------

sub percent {
    my ($path) = @_;
    return $path =~ s/([^A-Za-z0-9._~\/-])/sprintf '%%%02X', ord $1/ger;
}

# Raw except octets that a request line cannot contain or that have a meaning
# in it.
sub raw {
    my ($path) = @_;
    return $path =~ s/([\0- %?#\x7F])/sprintf '%%%02X', ord $1/ger;
}

# The exceptions that apply to a path in a form.
sub exceptions {
    my ($path, $form) = @_;
    return if $path !~ /[^\0-\x7F]/;
    my $text = characters($path) // return 'utf8';
    my @all;
    push @all, 'control' if $text =~ /[\0-\x1F\x7F-\x9F]/;
    push @all, 'bidi' if $form eq 'raw' && $text =~ $BIDI;
    push @all, 'twin' if nfc($path) ne $path && $named{ nfc($path) } > 1;
    return @all;
}

# Fails for each path that is not answered with its own entry. A directory whose
# name is not in NFC has its canonical name in a redirect to its "/".
sub ask {
    my ($settings, $exceptions) = @_;
    my @paths = map { my $path = $_;
        map { [$path, @$_] } [escaped => percent($path)],
        raw($path) ne percent($path) ? [raw => raw($path)] : () } @files;
    my ($code, $out, $err) = capture(
        join('', map { escaped($_->[2]) . "\n" } @paths),
        build_dir() . '/iri', 'explain', '--batch', '--root', $root,
        IRI::Cases::core_options($settings));
    my @verdicts = map { JSON::PP->new->utf8->decode($_) } split /\n/, $out;
    is scalar @verdicts, scalar @paths, "$settings: verdicts" or diag $err;
    my (@lost, %excepted);
    for my $index (0 .. $#paths) {
        my ($path, $form, $target) = @{ $paths[$index] };
        my ($why) = grep { index($exceptions, $_) >= 0 }
            exceptions($path, $form);
        $excepted{$why}++ if $why;
        my $verdict = $verdicts[$index];
        my $answer  = $verdict->{answer} // '-';
        # what is not looked up is opened at the canonical path
        my $field = $answer eq 'pass' ? 'path' : 'filename';
        my $file  = $verdict->{$field} // '';
        utf8::encode($file);
        $file =~ s/%([0-9A-F]{2})/chr hex $1/ge
            if grep { $_ eq $field } @{ $verdict->{escaped} // [] };
        $file =~ s{^\Q$root\E}{};
        s{^/|/$}{}g for $file, $path;
        my $there = $answer =~ /^(?:serve|moved|pass)$/ && $file eq $path;
        my $fits = !$why ? $there
            : $why eq 'twin' ? $answer =~ /^(?:serve|moved)$/
            : $why eq 'utf8' ? !$there
            : $answer eq 'refuse' && $verdict->{status} == 404;
        push @lost, "$target ($form): $answer " . escaped($file)
            if !$fits;
    }
    ok !@lost, join ' ', "$settings, but:",
        map { "$excepted{$_} $_" } sort keys %excepted
        or diag join "\n", scalar(@lost) . ' differ', splice @lost, 0, 8;
    return;
}
