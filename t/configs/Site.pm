# The files that all configurations of a batch share: the same names below
# several directories, so that a rewrite, an alias or another root leads from
# one URL to several files. Each name is written in UTF-8 and NFC for the
# oracle, and in other trees in NFD or in a legacy charset.
package Site;
use strict;
use warnings;
use utf8;
use Encode ();
use Exporter 'import';
use File::Path 'make_path';
use IRI::Server 'spew';
use IRI::Spelling qw(folded is_edit write_in);
use Unicode::Normalize qw(NFC NFD);

our @EXPORT_OK = qw(of_config one some text_of utf8 maybe @TREES);

# Trees by the form of their names, and the value of iri_filename_charset for
# each.
our @TREES = qw(nfc nfd percent EUC-JP Shift_JIS windows-1252 windows-1251 GBK
    EUC-KR);

my @ASCII_DIRS = qw(admin private Data img download internal);
my @DIRS = ('café', 'Новый', '〜内部', '日本語', 'データ', '한글', 'Übung',
    'straße', '非公開', 'ﾃｽﾄ', 'Ελλάδα', '中文', 'résumé', 'отчёт');
my @ASCII_FILES = qw(Files.txt secret.txt a.txt index.html run.php logo.png
    Plan2.txt old.bak .hidden.txt README ReadMe page.html style.css);
my @FILES = ('é.txt', 'Ärzte.txt', '表.txt', '日記.html', 'файл.txt',
    '한국어.txt', '〜memo.txt', 'Résumé.php', 'ソース.php', 'Größe.png',
    'ｱｲｳ.txt', 'naïve.bak', 'Ψυχή.html', '简体.php', 'Straße.txt',
    'ガイド.txt', 'новости.php', '－注.txt', 'Fußball.html', 'Łódź.txt',
    '東京。.txt', 'ø.html', 'Știri.txt', 'كتابي.html',
    "می\x{200C}خواهم.txt");

# The top directories contain the same directories; each has an application.
our @TOPS = ('', 'public/', 'store/', 'app/web/');

my $LARGE = 2050;

sub one   { return $_[rand @_] }
sub maybe { return rand() < shift ? @_ : () }

my $UTF8 = Encode::find_encoding('UTF-8');
sub utf8 { return $UTF8->encode($_[0]) }

# Up to $count of a list, in their order.
sub some {
    my ($count, @list) = @_;
    splice @list, rand @list, 1 while @list > $count;
    return @list;
}

# A value derived from the nodes of a configuration, computed once.
sub of_config {
    my ($config, $key, $make) = @_;
    my $known = $config->{known} // {};
    $known = $config->{known} = { nodes => $config->{nodes} }
        if ($known->{nodes} // 0) != $config->{nodes};
    return $known->{$key} //= $make->();
}

# Its text, or that of its oracle.
sub text_of {
    my ($class, $config, $oracle) = @_;
    return of_config($config, "text $oracle", sub {
        $class->text($config->{nodes}, $oracle) });
}

# The names of a site, determined by its number and the seed. Nothing is
# written.
sub new {
    my ($class, $folder, $seed, $number) = @_;
    my $self = bless { folder => $folder, made => {} }, $class;
    srand($seed * 1009 + $number);
    $self->{dirs}  = [some(3, @ASCII_DIRS), some(4, @DIRS), 'archive'];
    my @files = (some(6, @ASCII_FILES), some(10, @FILES));
    $self->{files} = \@files;
    my %entry;
    for my $top (@TOPS) {
        $entry{ $top . $_ } = 1
            for qw(index.php index.html 404.html login.php style.css);
        for my $dir (@{ $self->{dirs} }) {
            next if rand() < 0.15;
            $entry{"$top$dir/$_"} = 1 for some(6, @files);
            next if rand() < 0.5;
            my $below = one(@{ $self->{dirs} }, 'sub');
            $entry{"$top$dir/$below/$_"} = 1 for some(2, @files);
        }
    }
    $self->{entries} = [sort keys %entry];
    my %dir;
    for my $path (keys %entry) {
        $dir{$path} = 1 while $path =~ s{/[^/]*\z}{};
    }
    $self->{folders} = [sort keys %dir];
    $self->{folder_names} =
        { map { utf8(m{([^/]+)\z} ? $1 : "") => 1 } keys %dir };
    my %name = map { $_ => 1 } map { split m{/} } keys %entry;
    $self->{names} = [sort keys %name];
    return $self;
}

# Is there a directory of this name (octets) anywhere?
sub is_folder { return $_[0]{folder_names}{ $_[1] } }

# The directory of a tree, created when it is first used.
sub root {
    my ($self, $tree) = @_;
    my $root = "$self->{folder}/$tree";
    return $root if $self->{made}{$tree}++;
    make_path($root);
    mkdir "$root/" . path_on_disk($_, $tree) for @{ $self->{folders} };
    for my $path (@{ $self->{entries} }) {
        my $file = "$root/" . path_on_disk($path, $tree);
        # the same file in each tree
        if ($tree ne 'nfc') {
            link $self->root('nfc') . '/' . utf8($path), $file
                or die "$file: $!\n";
            next;
        }
        spew($file, utf8($path =~ /\.php$/ ? program($path)
            : "FILE $path\n"));
        chmod 0755, $file if $path =~ /\.php$/;
        utime 1_600_000_000, 1_600_000_000, $file;
    }
    # A directory with so many names that its index is built by a thread.
    my @large = $tree eq 'nfc' ? grep { -d }
        map { "$root/${_}archive" } '', 'public/' : ();
    $self->{large} = \@large if @large;
    for my $dir (@large) {
        for my $number (1 .. $LARGE) {
            open my $file, '>', "$dir/n$number.txt" or die "$dir: $!\n";
        }
    }
    # an entity tag with a recent time is weak
    utime 1_600_000_000, 1_600_000_000, $root,
        map { "$root/" . path_on_disk($_, $tree) } @{ $self->{folders} };
    return $root;
}

# A page of mod_include that also is a CGI program; both report what they get.
sub program {
    my ($path) = @_;
    return <<"END";
#!/bin/sh
: <<'INCLUDE'
ENV $path
<!--#printenv -->
INCLUDE
printf 'Content-Type: text/plain\\n\\n%s\\n' 'ENV $path'
exec env
END
}

# Changes the large directories, so that their indexes are built again.
sub stir {
    my ($self) = @_;
    for my $dir (@{ $self->{large} // [] }) {
        open my $file, '>', "$dir/changed" or die "$dir: $!\n";
        close $file;
        unlink "$dir/changed";
    }
    return;
}

sub path_on_disk {
    my ($path, $tree) = @_;
    return join '/', map { on_disk($_, $tree) } split m{/}, $path;
}

# The octets of a name in a tree. A name that the charset cannot encode, or
# whose octets are also UTF-8, is written in UTF-8.
my %on_disk;
sub on_disk {
    my ($name, $tree) = @_;
    return $on_disk{$tree}{$name} //=
        $tree eq 'nfc' || $name !~ /[^\0-\x7F]/ ? utf8($name)
        : $tree eq 'nfd' ? utf8(NFD($name))
        : $tree eq 'percent' ? write_in($name, $tree,
            length($name) % 2 ? 'upper' : '') : legacy($name, $tree);
}

sub legacy {
    my ($name, $charset) = @_;
    # a vendor pair is decoded as another name
    my $octets = $name !~ /[〜～－−]/ && write_in($name, $charset);
    return utf8($name) if !$octets;
    my $copy = $octets;
    return utf8::decode($copy) ? utf8($name) : $octets;
}

# ---- similar names ----------------------------------------------------------

# The names of the site by their keys under the levels of $match, and for
# typing errors by the number of characters of the key.
sub index_of {
    my ($self, $words) = @_;
    return $self->{index}{$words} //= do {
        my (%equal, %length);
        for my $name (@{ $self->{names} }) {
            my $key = key_of($name, $words);
            push @{ $equal{$key} }, $name;
            push @{ $length{ length $key } }, [$name, [$key =~ /(\X)/g]];
        }
        { equal => \%equal, length => \%length };
    };
}

# The levels of $match that a key depends on.
sub words_of {
    my ($match) = @_;
    return join ' ', grep { index($match, $_) >= 0 }
        qw(variants:arabic variants:romanian variants:joiners width
        punctuation case accents accents:latin spelling);
}

my %key;
sub key_of {
    my ($name, $words) = @_;
    return IRI::Spelling::key($name) if $words eq '';
    %key = () if keys %key > 100_000;
    return $key{"$words/$name"} //=
        folded(IRI::Spelling::as_vendors($name), $words);
}

# The names of the site that $match may find for a name. It does not apply all
# limits of the module (digits, suffixes), so it may return more.
sub near {
    my ($self, $name, $match) = @_;
    my $words = words_of($match);
    return @{ $self->{near}{$words}{$name} //= [
        grep { $_ ne $name } $self->near_names($name, $words)] };
}

sub near_names {
    my ($self, $name, $words) = @_;
    my $index = $self->index_of($words);
    my $key   = key_of($name, $words);
    return @{ $index->{equal}{$key} // [] } if $words !~ /spelling/;
    my @key  = $key =~ /(\X)/g;
    my %near = map { $_->[0] => 1 } grep { is_edit(\@key, $_->[1]) }
        map { @{ $index->{length}{$_} // [] } }
        length($key) - 2 .. length($key) + 2;
    return grep { $near{$_} } @{ $self->{names} };
}

# A name of the same script, length and suffix that no entry has and that is
# similar to none.
my %LIKE = (
    'a-z' => 'bdfghjkmpqvwxz', 'A-Z' => 'BDFGHJKMPQVWXZ',
    'à-öø-ÿß' => 'òìûêåðæ', 'À-ÖØ-Þ' => 'ÒÌÛÊÅÐÆ', 'ąłźżń' => 'śćęčř',
    'ĄŁŹŻŃ' => 'ŚĆĘČŘ',
    'а-яё' => 'щзжбхцю', 'А-ЯЁ' => 'ЩЗЖБХЦЮ', 'α-ωά-ώ' => 'δζθκξπφ',
    'Α-Ω' => 'ΔΖΘΚΞΠΦ', 'ぁ-ん' => 'ぬほまむをろ',
    'ァ-ヺ' => 'ヌホマムヲロ', 'ｦ-ﾝ' => 'ﾇﾎﾏﾑﾛﾖﾔ',
    '一-龥' => '山川田東西南北人口木水火土石空海花草馬牛',
    'ا-يکی' => 'بتدرسطعفقلمنو',
    '가-힣' => '가나라마바사자차카타파하',
);

my @CLASSES = map { [qr/([$_])/, split //, $LIKE{$_}] } sort keys %LIKE;

sub absent {
    my ($self, $name) = @_;
    my ($stem, $suffix) = $name =~ /^(.+?)(\.[^.]*)?\z/s;
    $suffix //= '';
    my $words = 'variants:arabic variants:romanian variants:joiners width '
        . 'punctuation case accents accents:latin'
        . (length $stem > 3 ? ' spelling' : '');
    for (1 .. 20) {
        my $other = $stem;
        for my $class (@CLASSES) {
            my ($pattern, @like) = @$class;
            # each character once: replaced characters are marked
            $other =~ s/$pattern/chr(0xF0000 + ord $like[rand @like])/ge;
        }
        $other =~ s/([\x{F0000}-\x{10FFFF}])/chr(ord($1) - 0xF0000)/ge;
        $other .= $suffix;
        return $other if $other ne $name
            && !$self->near_names($other, $words);
    }
    return;
}

1;
