# Document roots from ASCII manifests. A line of a manifest is an entry, with
# TAB between the columns:
#
#   path       relative to the root, octets as on disk, \xHH for others than
#              ASCII; directories above it are made on the way
#   kind       file, dir, or link
#   content    of a file (default, also for "-": the path, escaped, so that
#              an answer tells which file it is); the target of a link
#   mode       octal, optional
#
# Lines that begin with "#" are comments. "@charset NAME" and "@form NFC" (or
# NFD) say that paths are UTF-8 and to be written in that charset or form.
# Names that begin with "#" or "@" are written with \x23 and \x40.
#
# Where all entries are files and directories of few words, a list says the
# same: [qw(a.txt b.txt=content \xE9.txt empty/)], as octets or \xHH.
package IRI::Tree;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use File::Basename 'dirname';
use File::Find ();
use File::Path 'make_path';
use IRI::Octets qw(octets escaped);
use IRI::Server qw(slurp spew temp_dir);
use List::Util 'max';
use Time::HiRes ();
use Unicode::Normalize qw(NFC NFD);

our @EXPORT_OK = qw(make_tree encode_name wait_for_age);

my $STRICT = Encode::FB_CROAK() | Encode::LEAVE_SRC();

# Labels of the WHATWG Encoding Standard whose Encode name differs. Encode has
# no GB18030: GBK (cp936) encodes all its characters with two octets except
# those that GB18030-2005 changed. Other characters die.
my %ENCODE_NAME = (
    'shift_jis' => 'cp932', 'sjis' => 'cp932', 'windows-31j' => 'cp932',
    'euc-kr'    => 'cp949', 'windows-949' => 'cp949',
    'big5'      => 'big5-eten',
    'gbk'       => 'cp936', 'gb2312' => 'cp936', 'gb18030' => 'cp936',
    'iso-8859-1' => 'cp1252', 'latin1' => 'cp1252',
    'iso-8859-9' => 'cp1254', 'latin5' => 'cp1254',
    'iso-8859-11' => 'cp874', 'tis-620' => 'cp874', 'windows-874' => 'cp874',
    'ibm866'    => 'cp866', 'macintosh' => 'MacRoman',
    (map { ("windows-125$_" => "cp125$_") } 0 .. 8),
);

my %JIS_OF_VENDOR = (
    "\x{FF5E}" => "\x{301C}", "\x{2225}" => "\x{2016}",
    "\x{FF0D}" => "\x{2212}", "\x{FFE0}" => "\x{A2}",
    "\x{FFE1}" => "\x{A3}",   "\x{FFE2}" => "\x{AC}",
);
my %VENDOR_OF_JIS = reverse %JIS_OF_VENDOR;

# Creates a tree in $dir (a new directory if undef) from a manifest: the name
# of a file in t/trees without ".tree", the text of one, or a list. Options
# charset and form precede the lines of the manifest. Returns the directory and
# a hash from each path (octets) of a file, or link to a file, to its content.
sub make_tree {
    my ($manifest, $dir, %option) = @_;
    my ($entries, $pragma) = parse(text_of($manifest));
    my $charset = $option{charset} // $pragma->{charset};
    my $form    = $option{form}    // $pragma->{form};
    $dir //= temp_dir();
    my %content;
    for my $entry (@$entries) {
        my ($path, $target) = @$entry{qw(path content)};
        if ($charset || $form) {
            $path = encode_name($path, $charset, $form);
            $target = encode_name($target, $charset, $form)
                if $entry->{kind} eq 'link';
        }
        die 'twice in a tree: ' . escaped($path) . "\n"
            if exists $content{$path};
        $content{$path} = undef;
        make_entry("$dir/$path", $entry->{kind}, $target // escaped($path));
        $entry->{disk} = "$dir/$path";
    }
    for my $path (keys %content) {
        delete $content{$path}, next if !-f "$dir/$path";
        $content{$path} = slurp("$dir/$path");
    }
    for my $entry (reverse grep { $_->{mode} } @$entries) {
        chmod oct $entry->{mode}, $entry->{disk}
            or die "chmod $entry->{disk}: $!\n";
    }
    return ($dir, \%content);
}

# The text of a manifest, which may be given by name.
sub text_of {
    my ($manifest) = @_;
    return join '', map { line_of($_) } @$manifest if ref $manifest;
    return $manifest if $manifest =~ /[\t\n]/;
    my $file = dirname(__FILE__) . "/../../trees/$manifest.tree";
    -e $file or die "no tree $manifest\n";
    return slurp($file);
}

# The line of an entry of a list.
sub line_of {
    my ($path, @content) = split /=/, $_[0], 2;
    my $kind = $path =~ s{/\z}{} ? 'dir' : 'file';
    return join("\t", escaped(octets($path)), $kind,
        map { escaped(octets($_)) } @content) . "\n";
}

# A manifest as a list of entries { path, kind, content, mode }, and a hash
# of what its "@" lines say. A default content is undef.
sub parse {
    my ($text) = @_;
    my (@entries, %pragma);
    for my $line (grep { /\S/ && !/^#/ } split /\n/, $text) {
        die "not ASCII in a manifest: $line\n" if $line =~ /[^\x20-\x7E\t]/;
        if ($line =~ /^\@(charset|form)\s+(\S+)$/) {
            $pragma{$1} = $2;
            next;
        }
        my ($path, $kind, $content, $mode) = split /\t/, $line;
        die "bad line in a manifest: $line\n"
            if ($kind // '') !~ /^(?:file|dir|link)$/
            || ($mode // '') !~ /^[0-7]*$/;
        undef $content if defined $content && $content =~ /^-?$/;
        die "link without a target: $line\n"
            if $kind eq 'link' && !defined $content;
        push @entries, {
            path => octets($path), kind => $kind, mode => $mode,
            content => defined $content ? octets($content) : undef
        };
    }
    return (\@entries, \%pragma);
}

# Creates one entry, readable by all.
sub make_entry {
    my ($disk, $kind, $content) = @_;
    my $above = $kind eq 'dir' ? $disk : dirname($disk);
    make_path($above, { mode => 0755, error => \my $failed });
    die escaped($above), ": cannot be made\n" if !-d $above;
    if ($kind eq 'link') {
        symlink $content, $disk or die escaped($disk), ": $!\n";
    }
    elsif ($kind eq 'file') {
        spew($disk, $content);
        chmod 0644, $disk;
    }
    return;
}

# Encodes a UTF-8 name in a charset (WHATWG label) and a form (NFC, NFD, or
# undef for unchanged). Dies if the charset lacks a character. In the charset
# percent form "upper" is another case of escapes.
sub encode_name {
    my ($utf8, $label, $form) = @_;
    if (lc($label // '') eq 'percent') {
        my $escape = ($form // '') eq 'upper' ? '%%%02X' : '%%%02x';
        return Encode::encode('UTF-8', NFC(Encode::decode('UTF-8', $utf8,
            $STRICT))) =~ s/([%\x80-\xFF])/sprintf $escape, ord $1/ger;
    }
    my $name = Encode::decode('UTF-8', $utf8, $STRICT);
    $name = $form eq 'NFD' ? NFD($name) : NFC($name) if $form;
    $label = lc($label // 'utf-8');
    my $encoding = Encode::find_encoding($ENCODE_NAME{$label} // $label)
        or die "Encode has no $label\n";
    # Six characters share one pair of octets in JIS and in the vendors'
    # tables; Encode has only the JIS one in EUC-JP, only the vendors' in
    # cp932.
    $name =~ s/(.)/$JIS_OF_VENDOR{$1} \/\/ $1/gse if $label eq 'euc-jp';
    $name =~ s/(.)/$VENDOR_OF_JIS{$1} \/\/ $1/gse
        if $encoding->name eq 'cp932';
    $name = separate_tones($name) if $label eq 'windows-1258';
    # Some of Encode's tables encode characters that they do not decode to (e
    # for e acute).
    my $octets = eval { $encoding->encode($name, $STRICT) };
    die "not in $label: ", escaped($utf8), "\n"
        if !defined $octets || $encoding->decode($octets) ne $name;
    return $octets;
}

# Vietnamese in windows-1258: base letters composed, tone marks separate.
sub separate_tones {
    my ($name) = @_;
    my $tone = qr/[\x{300}\x{301}\x{303}\x{309}\x{323}]/;
    my $text = '';
    for my $cluster (NFD($name) =~ /(\P{M}\p{M}*|\p{M}+)/g) {
        my $tones = join '', $cluster =~ /$tone/g;
        $cluster =~ s/$tone//g;
        $text .= NFC($cluster) . $tones;
    }
    return $text;
}

# Waits until the last change of a directory in a tree is some seconds old: the
# modules do not trust an index of a directory that changed less than two
# seconds ago.
sub wait_for_age {
    my ($root, $seconds) = @_;
    my $changed = 0;
    File::Find::find({ no_chdir => 1, wanted => sub {
        $changed = max($changed, (Time::HiRes::lstat($_))[10]) if -d;
    } }, $root);
    Time::HiRes::sleep(max(0, $changed + $seconds + 0.1 - Time::HiRes::time()));
    return;
}

1;
