# One row of a table stands for several cases: its path, in the encodings in
# which a client sends it and a tree stores it. The column "forms" has words:
#
#   utf8        requested in UTF-8: escaped, with lower-case escapes, raw, and
#               with only the directory raw
#   nfd         requested in NFD, and in both forms of a tree in NFD
#   CHARSET     requested in this iri_charset, escaped and raw; after "nfd" the
#               first charset is also requested of a tree in NFD
#   disk        a tree in iri_filename_charset: requested in UTF-8, in NFD, and
#               in that charset
#   undeclared  404: requested by the octets on disk, or without
#               iri_filename_charset
#   stored      trees in NFC and in NFD with this iri_filename_form: requested
#               in NFC and NFD; with the other one: 404
#   jis         trees in EUC-JP and Shift_JIS: requested in raw UTF-8, and in
#               the other charset
#
# The target of the row is the path in UTF-8; the id of a case ends with a word.
package IRI::Written;
use strict;
use warnings;
use Exporter 'import';
use IRI::Octets qw(escaped nfd octets);
use IRI::Spelling qw(percent raw);
use IRI::Tree 'encode_name';

our @EXPORT_OK = 'written';

my %MAKE = (utf8 => \&utf8, nfd => \&decomposed, disk => \&disk,
    undeclared => \&undeclared, stored => \&stored, jis => \&jis);

# The cases of a row.
sub written {
    my ($row) = @_;
    my ($path) = octets($row->{target}) =~ m{^/(.*)}s;
    my $is_nfd = $row->{forms} =~ /\bnfd\b/;
    return map { my ($make, $charset) = ($MAKE{$_}, $_);
        my @cases = $make ? $make->($row, $path)
            : legacy($row, $path, $charset, $is_nfd);
        $is_nfd = 0 if !$make;
        @cases } split /,/, $row->{forms};
}

# A case of the row: the end of its id, its target, and its path on disk (none:
# 404), both in octets; other cells.
sub case {
    my ($row, $suffix, $target, $path, %cells) = @_;
    return { %$row, id => "$row->{id}-$suffix", target => '/' . escaped($target),
        status => defined $path ? $row->{status} : 404,
        path => defined $path ? escaped($path) : '-', %cells };
}

# A path whose segments are written by a function, and another one for the last.
sub each_segment {
    my ($path, $write, $last) = @_;
    my @segments = split m{/}, $path;
    my $leaf = pop @segments;
    return join '/', map({ $write->($_) } @segments), ($last // $write)->($leaf);
}

sub escapes { return each_segment($_[0], \&percent) }
sub raws    { return each_segment($_[0], \&raw) }
sub low     { return escapes($_[0]) =~ s/(%..)/lc $1/ger }

sub utf8 {
    my ($row, $path) = @_;
    my %exact = (match => 'exact');
    return case($row, 'escaped', escapes($path), $path, %exact,
        form => 'escaped', charset => 'UTF-8'),
        case($row, 'lower', low($path), $path, %exact, form => 'escaped'),
        case($row, 'native', raws($path), $path, %exact, form => 'native'),
        case($row, 'mixed', each_segment($path, \&raw, \&percent), $path,
            %exact, form => 'mixed');
}

sub decomposed {
    my ($row, $path) = @_;
    my $nfd    = nfd($path);
    my %normal = (match => 'normalization');
    my %disk   = (tree => "$row->{tree}/UTF-8/NFD");
    return case($row, 'nfd', escapes($nfd), $path, %normal, form => 'escaped'),
        case($row, 'nfd-native', raws($nfd), $path, %normal, form => 'native'),
        case($row, 'nfd-dir', each_segment($path, sub { percent(nfd($_[0])) },
            \&raw), $path),
        case($row, 'disk', escapes($path), $nfd, %normal, %disk),
        case($row, 'disk-nfd', raws($nfd), $nfd, %disk, form => 'native');
}

sub legacy {
    my ($row, $path, $charset, $is_nfd) = @_;
    my $octets = encode_name($path, $charset);
    my $suffix = lc($charset) =~ s/windows-/cp/r =~ tr/_-//dr;
    my %cells = (settings => "charset=$charset", match => 'charset');
    return case($row, $suffix, escapes($octets), $path, %cells,
        form => 'legacy', charset => $charset),
        case($row, "$suffix-raw", raws($octets), $path, %cells,
            form => 'legacy'),
        $is_nfd ? case($row, "$suffix-disk", low($octets), nfd($path), %cells,
            tree => "$row->{tree}/UTF-8/NFD") : ();
}

# The charset of the tree, and a path in it.
sub on_disk {
    my ($row, $path) = @_;
    my ($charset) = $row->{settings} =~ /filename_charset=(\S+)/;
    return ($charset, encode_name($path, $charset));
}

sub disk {
    my ($row, $path) = @_;
    my ($charset, $octets) = on_disk($row, $path);
    my $nfd = nfd($path);
    my %cells = (match => 'charset');
    # octets that are also UTF-8 are read as that
    my $is_utf8 = utf8::decode(my $copy = $octets);
    return case($row, 'utf8', escapes($path), $octets, %cells),
        $nfd ne $path ? case($row, 'nfd', raws($nfd), $octets, %cells) : (),
        case($row, 'legacy', escapes($octets), $octets,
            settings => "$row->{settings} charset=$charset",
            $is_utf8 ? () : (%cells, form => 'legacy'));
}

sub undeclared {
    my ($row, $path) = @_;
    my ($charset, $octets) = on_disk($row, $path);
    return case($row, 'octets', escapes($octets), undef),
        case($row, 'undeclared', escapes($path), undef,
            settings => "charset=$charset");
}

sub stored {
    my ($row, $path) = @_;
    my %path = (nfc => $path, nfd => nfd($path));
    return map { my ($form, $other) = @$_;
        my %cells = (tree => "$row->{tree}/UTF-8/\U$form",
            settings => "filename_form=$form");
        map({ case($row, "$form-$_", escapes($path{$_}), $path{$form}, %cells) }
            'nfc', 'nfd'),
        case($row, "$form-other", escapes($path{$form}), undef, %cells,
            settings => "filename_form=$other")
    } ['nfc', 'nfd'], ['nfd', 'nfc'];
}

sub jis {
    my ($row, $path) = @_;
    return map { my ($tree, $charset, $other) = @$_;
        my $octets = encode_name($path, $charset);
        my %cells = (tree => $tree, settings => "filename_charset=$charset");
        case($row, "$tree-native", raws($path), $octets, %cells),
        case($row, "$tree-cross", escapes(encode_name($path, $other)), $octets,
            %cells, settings => "$cells{settings} charset=$other")
    } ['euc', 'EUC-JP', 'Shift_JIS'], ['sjis', 'Shift_JIS', 'EUC-JP'];
}

1;
