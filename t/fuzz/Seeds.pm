# Initial inputs, made from the tables in t/cases, the trees in t/trees and
# real words: the meaning of their fields is in fuzz.h.
package Seeds;
use strict;
use warnings;
use Encode ();
use FindBin;
use IRI::Cases ();
use IRI::Octets qw(octets escaped);
use IRI::Server 'slurp';
use IRI::Tree 'encode_name';
use Unicode::Normalize 'NFD';

my $TOP = "$FindBin::Bin/../..";

# The letter of each charset, from the table in fuzz.c.
my %LETTER = letters();

# The charset of a label, if it is not the label itself.
my %MEANS = (
    'iso-8859-1' => 'windows-1252', 'latin1' => 'windows-1252',
    'ascii' => 'windows-1252', 'sjis' => 'shift_jis',
    'windows-31j' => 'shift_jis', 'utf8' => 'utf-8',
    'iso-8859-9' => 'windows-1254', 'gb2312' => 'gbk',
);

# The functions that make the inputs of each target.
my %SEEDS = (
    read => \&of_read, find => \&of_find, uri => \&of_uri,
    name => \&of_name, seq => \&of_seq,
    explain => \&of_explain, host => \&of_host,
    reference => \&of_reference, query => \&of_query,
);

sub of {
    my ($name) = @_;
    my $make = $SEEDS{$name} or return;
    my %seen;
    return grep { length && length() <= 512 && !$seen{$_}++ } $make->();
}

sub letters {
    my ($table) = slurp("$FindBin::Bin/fuzz.c")
        =~ /\{(\s*"UTF-8",\s*"Shift_JIS".*?)\};/s
        or die "no charsets in fuzz.c\n";
    my $letter = ord 'a';
    return map { (lc $_ => chr $letter++) } $table =~ /"(.*?)"/g;
}

sub charsets {
    my (@labels) = @_;
    return join '', map { $LETTER{ $MEANS{$_} // $_ } // '' }
        map { lc } grep { lc ne 'none' } @labels;
}

# ---- cases ------------------------------------------------------------------

my @cases;

sub cases {
    @cases = IRI::Cases::load(glob "$TOP/t/cases/*.tsv") if !@cases;
    return @cases;
}

# The three fields of a case's settings.
sub settings_of {
    my ($case) = @_;
    my %value = map { @$_ } IRI::Cases::settings($case->{settings});
    my $match = join '', sort split ' ', $value{match} // '';
    my $words = join '',
        { 400 => 1, pass => 2 }->{ $value{invalid} // '' } // 0,
        { nfc => 1, nfd => 2 }->{ $value{filename_form} // '' } // 0,
        { exact => 1, variants => 2, normalizationvariants => 3 }->{$match}
        // 0;
    my %repair = ('double-encoding' => 1, mojibake => 2, '%u' => 4);
    my $repair = 0;
    $repair |= $repair{$_} // 0 for split /[ ,]/, $value{repair} // '';
    $words .= "00$repair" if $repair;
    my ($name, $charset) = split m{/}, $case->{tree};
    return join "\n", $words, charsets(split ' ', $value{charset} // ''),
        charsets(split ' ', $value{filename_charset} // $charset // '');
}

# Entries of a case's tree: those beside the requested one.
sub entries_of {
    my ($case) = @_;
    my ($name, $charset, $form) = split m{/}, $case->{tree};
    return if $name eq '-';
    my ($entries, $pragma) = IRI::Tree::parse(
        $name eq 'own' ? $case->{manifest} : IRI::Tree::text_of($name));
    $charset = $pragma->{charset} if !length($charset // '');
    $form //= $pragma->{form};
    my @paths;
    for my $entry (@$entries) {
        my $path = $entry->{path};
        if ($charset || $form) {
            $path = eval { encode_name($path, $charset, $form) } // next;
        }
        push @paths, ($entry->{kind} eq 'dir' ? 'd' : 'f') . $path
            if length $path < 100 && $path !~ /\n/;
    }
    my ($wanted) = octets($case->{path}) =~ m{^/?([^/]*)};
    my @near = grep { length $wanted && /^.\Q$wanted\E/ } @paths;
    push @near, @paths[0 .. ($#paths < 3 ? $#paths : 3)];
    my %seen;
    @near = grep { !$seen{$_}++ } @near;
    return @near[0 .. ($#near < 5 ? $#near : 5)];
}

sub target_of {
    my ($case) = @_;
    my $target = octets($case->{target});
    return $target =~ /\n/ ? () : $target;
}

# ---- real words -------------------------------------------------------------

my @LANGUAGES = (
    [ja => qw(Shift_JIS EUC-JP)], ['zh-hans' => qw(GBK gb18030)],
    ['zh-hant' => 'Big5'], [ko => 'EUC-KR'],
    [ru => qw(windows-1251 KOI8-R ISO-8859-5 IBM866 x-mac-cyrillic)],
    [uk => 'KOI8-U'], [de => qw(windows-1252 ISO-8859-15)],
    [fr => qw(windows-1252 macintosh)], [tr => 'windows-1254'],
    [pl => qw(ISO-8859-2 windows-1250)],
    [el => qw(windows-1253 ISO-8859-7)],
    [he => qw(windows-1255 ISO-8859-8 ISO-8859-8-I)],
    [ar => qw(windows-1256 ISO-8859-6)], [th => 'windows-874'],
    [vi => 'windows-1258'],
);

# [charset, word in it, word in UTF-8] of each.
sub words {
    my @words;
    my $text = slurp("$TOP/t/trees/words.txt");
    for (@LANGUAGES) {
        my ($language, @charsets) = @$_;
        my ($line) = $text =~ /^\Q$language\E (.*)$/m or next;
        for my $word ((split ' ', $line)[0 .. 3]) {
            next if !defined $word;
            for my $charset (@charsets) {
                my $octets = eval { encode_name($word, $charset) } // next;
                push @words, [$charset, $octets, $word];
            }
        }
    }
    return @words;
}

sub nfd {
    my ($utf8) = @_;
    return Encode::encode('UTF-8', NFD(Encode::decode('UTF-8', $utf8)));
}

# Names with the maximum number of marks in a row that is normalized, and one
# more.
sub marks { return map { 'e' . "\xCC\x81" x $_ } 30, 31 }

sub percent {
    my ($octets) = @_;
    $octets =~ s/([^A-Za-z0-9._~\/-])/sprintf '%%%02X', ord $1/ge;
    return $octets;
}

# ---- targets ----------------------------------------------------------------

sub of_read {
    my @seeds;
    for my $case (cases()) {
        my $settings = settings_of($case);
        for my $target (target_of($case)) {
            push @seeds, "$settings\n00\n$target\n5",
                "$settings\n10\n$target\n\x85";
        }
    }
    for (words()) {
        my ($charset, $octets, $word) = map { $_ } @$_;
        my $letter = charsets($charset);
        push @seeds, "0\n$letter\n\n00\n/" . percent($octets) . "\n7",
            "0\n$letter\n\n13\n/$octets/" . percent(nfd($word)) . "\n9",
            "0\nbi$letter\n\n02\n/$word/$octets\n/" . percent($word);
    }
    push @seeds, map { "0\n\n\n10\n/" . percent($_) . "%2Fe%CC%81\n5" }
        marks();
    return @seeds;
}

sub of_find {
    my @seeds;
    my $choice = 0;
    for my $case (cases()) {
        my $settings = settings_of($case);
        my @entries  = entries_of($case);
        for my $target (target_of($case)) {
            my $form = $choice % 2;
            push @seeds, join "\n", $settings, "${form}0", $target,
                '000' . $choice++ % 6 . '7', @entries;
        }
    }
    for (words()) {
        my ($charset, $octets, $word) = @$_;
        my $letter = charsets($charset);
        my @templates = ("f\x03", "f\x02", "d\x01\nf\x01/\x04",
            "f\x07/\x07\nf\x03/\x03", "u\x0c\nf\x0f/\x0f", "l\x05/\x05",
            "f\x12\nf\x13", "x\x01/\x01", "f\x08\nf\x0b",
            "d\x14\nf\x14/\x14", "f\x01\nf\x02\nf\x14\nf\x03");
        my $template = $templates[$choice % @templates];
        push @seeds, join("\n", 0, $letter, "a$letter", '00',
            '/' . percent($octets) . "/$word", '000' . $choice % 6 . '5',
            $template);
        push @seeds, join("\n", 0, $letter, "${letter}a", '13',
            "/$word/$octets", '010' . $choice++ % 6 . '3', $template);
    }
    push @seeds, join "\n", '0', '', '', '00', '/%C3%A9%C3%A9' x 6, '0000',
        'd' . join '/', ("\x14") x 6;
    push @seeds, map {
        "0\n\n\n10\n/" . percent($_) . "%2Fe%CC%81\n0000\nf\x07/\x07"
    } marks();
    return @seeds;
}

sub of_uri {
    my @seeds;
    my $choice = 0;
    for my $case (cases()) {
        my $settings = settings_of($case);
        for my $target (target_of($case)) {
            my ($path, $query) = split /\?/, $target, 2;
            push @seeds, join "\n", $settings, $choice % 2 . '0', $path,
                $choice++ % 8 < 4 ? '1' : '11', $path, $query // 'a=1';
        }
    }
    for (words()) {
        my ($charset, $octets, $word) = @$_;
        push @seeds, join "\n", 0, charsets($charset), '', '00',
            "//$octets", '111', '/' . percent($word), $word;
    }
    push @seeds, map { "0\n\n\n00\n/./a//b\n1\n\n$_" }
        '[::1]', 'www.example', 'a@b', '[a', 'xn--bcher-kva.example:80';
    return @seeds;
}

sub of_query {
    my @seeds;
    my $choice = 0;
    for (words()) {
        my ($charset, $octets, $word) = @$_;
        my $escaped = percent($octets);
        push @seeds, join "\n", $choice % 2 . $choice % 7 . $choice++ % 10,
            charsets($charset), "q=$escaped&$octets=1&=%26+&c", "/$word%41";
        push @seeds, join "\n", $choice % 2 . $choice % 7 . $choice++ % 10,
            charsets('Shift_JIS', $charset), "a=$escaped;b==$octets&" .
            percent($word), $octets;
    }
    push @seeds, map { "1$choice\n\n" . percent($_) . "=e%CC%81&\n$_" } marks();
    push @seeds, map { my $n = $_; map { "0$n\nb\n$_\n$_" }
        '%83\\=%83|', '%83&=%83', 'a=%83%26', '%', '%%41%zz%4',
            'e%CC%81=%CC%B8' }
        0 .. 6;
    return @seeds;
}

# Paths and words after each possible prefix.
sub of_reference {
    my @before = ('', '/', '//', 'http://www.example', '//www.example:8080/',
        'http://o.example/', "http://b\xC3\xBCcher.example:81/",
        'https://www.example/', 'mailto:', ' ', "\r\n");
    my @behind = ('', "?q=\xC3\xA9&a=%e9#\xFF", "\r\nX: 1", '%', ' "<>\\');
    my @seeds;
    my $choice = 0;
    for my $case (cases()) {
        my (undef, $charsets) = split /\n/, settings_of($case), -1;
        for my $target (target_of($case)) {
            push @seeds, join "\n", $choice % 2 . $choice / 2 % 2 . '00',
                $charsets, 'www.example', $before[$choice % @before]
                . $target . $behind[$choice % @behind];
            $choice++;
        }
    }
    for (words()) {
        my ($charset, $octets, $word) = @$_;
        push @seeds, join "\n", '0002', charsets($charset), 'www.example',
            $before[$choice % @before] . $octets . $behind[$choice++ % @behind];
    }
    return @seeds;
}

sub of_name {
    my @seeds;
    for my $case (cases()) {
        my @settings = split /\n/, settings_of($case), -1;
        for my $entry (entries_of($case)) {
            push @seeds, join "\n", @settings, $_, $_
                for grep { length } split m{/}, substr $entry, 1;
        }
    }
    for (words()) {
        my ($charset, $octets, $word) = @$_;
        my $letter = charsets($charset);
        push @seeds, "0\n\n${letter}a\n$octets\n" . nfd($word),
            "0\n\na$letter\n" . nfd($word) . "\n$word";
    }
    return @seeds, map { "0\n\na\n$_\n$_" } marks();
}

sub of_seq {
    my @seeds;
    my $choice = 0;
    for my $case (cases()) {
        my $settings = settings_of($case);
        my @entries  = entries_of($case);
        next if $choice++ % 4 || @entries > 4;
        for my $target (target_of($case)) {
            push @seeds, join "\n", $settings, '@', "r0$target",
                (map { ("p$_", "r1$target") } @entries), 't0/', '.',
                "s00ab", "d/";
        }
    }
    for (words()) {
        my ($charset, $octets, $word) = @$_;
        my $letter = charsets($charset);
        push @seeds, join "\n", '0', $letter, "a$letter", "\xff",
            "r0/$octets", "pf\x02", '.', "pf\x03", 't1/', '.', "d/$word", '.';
        push @seeds, join "\n", '0', $letter, 'a', "\xff", "r0/$word",
            's00b', "pf\x14", '.', 's00a', '.';
        push @seeds, join "\n", '0', $letter, 'a', "\xff", "r0/x/$word",
            "pd\x01", '.', "pf\x01/\x14", '.', "d/x/$word", '.';
    }
    return @seeds;
}

sub of_explain {
    my @seeds;
    my $choice = 0;
    for my $case (cases()) {
        my $target = octets($case->{target});
        my $text   = $target =~ s/\\/\\\\/gr =~ s/\n/\\n/gr =~ s/\t/\\t/gr;
        push @seeds, chr(ord('0') + $choice++ % 10) . "$text\n";
    }
    for (words()) {
        my ($charset, $octets, $word) = @$_;
        my $lines = '/' . percent($octets) . "\n/$word?q=1#x\n";
        push @seeds, chr(ord('0') + $choice++ % 10) . $lines
            if $octets !~ /\\/;
    }
    return @seeds, "0http://a/b\n\\x2f\\xE9\t/\n", "1/%00\n/%zz\n/../x\n";
}

# The names of the tables in doc/hosts.md, in each form, and names of real
# words.
sub of_host {
    my @seeds;
    my $choice  = 0;
    my @hosts = slurp("$TOP/doc/hosts.md") =~ /^\|.*?`([^`]*)` \|/mg;
    push @hosts, '*.b\xC3\xBCcher.?.\xC3\xA9' =~ s/\\x(..)/chr hex $1/ger,
        'xn--bcher-kva.xn--fa-hia', 'user@a:80', '[::1]:80', 'XN--A.ab--c';
    for my $host (@hosts) {
        push @seeds, map { "$_\xff\n$host" } 0 .. 3;
    }
    for (words()) {
        my ($charset, $octets, $word) = @$_;
        my $way = $choice++ % 4;
        push @seeds, "$way\x81\n$word.example", "$way\x03\n" . nfd($word),
            "$way\x02\n" . percent($word) . ".$word.";
    }
    push @seeds, map { ("0\x01\n$_", "2\x01\n$_") } marks();
    return @seeds;
}

1;
