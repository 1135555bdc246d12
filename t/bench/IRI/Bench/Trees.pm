# The directories that are requested, created once: all pages are hard links to
# a few files, because the number of links to a file is limited.
package IRI::Bench::Trees;
use strict;
use warnings;
use Encode 'encode';
use Exporter 'import';
use File::Path qw(make_path remove_tree);
use IRI::Server 'spew';

our @EXPORT_OK = qw(trees name_of);

my $LINKS = 60_000;
my $SIZE  = 995;

# The names of pages in a directory.
my %NAME = (
    d  => 'page-name-%06d.html',
    ja => encode('UTF-8',
        "\x{30AC}\x{30A4}\x{30C9}\x{8868}\x{793A}%06d.html"),
    fr => encode('UTF-8', "cr\xE8me-br\xFBl\xE9e-%06d.html"),
    ru => encode('UTF-8', "\x{441}\x{442}\x{440}\x{430}\x{43D}\x{438}"
        . "\x{446}\x{430}-%06d.html"),
    ko => encode('UTF-8', "\x{C548}\x{B0B4}\x{C11C}-%06d.html"),
    vi => encode('UTF-8', "gi\x{1EDB}i-thi\x{1EC7}u-%06d.html"),
    ej => encode('EUC-JP', "\x{30AC}\x{30A4}\x{30C9}\x{8868}\x{793A}"
        . '%06d.html'),
);

# The name of a page in the directories d, ja, fr and so on; ej is ja in EUC-JP.
sub name_of {
    my ($kind, $number) = @_;
    return sprintf $NAME{$kind}, $number;
}

# The root of the directories; each of them, for example "d1000", is created if
# it is missing.
sub trees {
    my ($root, @directories) = @_;
    make_path("$root/pages");
    for my $directory (@directories) {
        my ($kind, $count) = $directory =~ /^(\D+)(\d+)$/
            or die "no directory $directory\n";
        next if -d "$root/www/$directory";
        make_directory($root, $directory, $kind, $count);
    }
    spew("$root/www/small.html", 'x' x $SIZE);
    return "$root/www";
}

sub make_directory {
    my ($root, $directory, $kind, $count) = @_;
    my $made = "$root/$directory.new";
    print STDERR "making $directory\n" if $count > 10_000;
    remove_tree($made);
    make_path($made, "$root/www");
    my $page;
    for my $number (0 .. $count - 1) {
        if ($number % $LINKS == 0) {
            $page = "$root/pages/$directory-$number";
            spew($page, 'x' x $SIZE);
        }
        link $page, "$made/" . name_of($kind, $number)
            or die "$made: $!\n";
    }
    # Indexes of a directory that has been unchanged for a second are cached.
    rename $made, "$root/www/$directory" or die "$made: $!\n";
    return;
}

1;
