# The files that the attack lines are sent against: t/attacks/fixture.tsv as
# required by one settings row (conf), in a directory that holds the document
# root and, beside it, files that must never be served:
#
#   BASE/docroot, BASE/docroot-secret, BASE/outside, BASE/aliased, ...
#
# Changes caused by a request are found by comparing two snapshots of BASE.
package IRI::AttackTree;
use strict;
use warnings;
use File::Basename 'dirname';
use File::Find ();
use File::Path qw(make_path remove_tree);
use IRI::Octets qw(octets escaped);
use IRI::Server qw(slurp spew temp_dir worker_user);
use IRI::Tree 'encode_name';

# Names that are generated: the entries of these directories.
my %CONTENT = (
    '/many/' => \&many, '/list/' => \&nasty, '/deep/' => \&deep
);

# Makes the files of a conf; fixture is the list of rows of fixture.tsv.
sub new {
    my ($class, $conf, $fixture) = @_;
    my $base = temp_dir();
    my $self = bless {
        base => $base, root => "$base/docroot", conf => $conf, entries => []
    }, $class;
    for my $row (grep { wanted($_, $conf->{conf}) } @$fixture) {
        push @{ $self->{entries} }, $self->entry($row);
    }
    $self->fill;
    return $self;
}

sub base    { $_[0]{base} }      # the directory that holds everything
sub root    { $_[0]{root} }      # the document root within it
sub entries { @{ $_[0]{entries} } }    # { path, disk, kind, marker }

# Does a conf have this line of the fixture?
sub wanted {
    my ($row, $name) = @_;
    my $confs = $row->{confs} =~ s/\s*\(.*//r;
    return 1 if $confs =~ /^all(?: that can write it)?$/;
    return scalar grep { $_ eq $name } split /,\s*/, $confs;
}

# A line of the fixture as an entry to create; nothing where the file system
# charset of the conf cannot encode the name, or where the line is no file.
sub entry {
    my ($self, $row) = @_;
    my ($kind, $rule) = $row->{kind} =~ /^(\w+)(?:, (\w+))?/;
    return if $kind =~ /^(?:vhost|alias)$/;
    my $path  = octets($row->{path});
    my $disk  = $path;
    my $fs    = $self->{conf}{fs};
    my $plain = $kind eq 'raw' || $fs eq 'UTF-8' || $path !~ /[\x80-\xFF]/;
    $disk = eval { encode_name($path, $fs) } // return if !$plain;
    my ($marker) = $row->{marker} =~ /(MK_\w+)/;
    $disk =~ s{^\.\./}{/../};
    return {
        path => $path, disk => "$self->{root}$disk", kind => $kind,
        rule => $rule // '', marker => $marker, text => $row->{marker}
    };
}

# Creates all files again.
sub fill {
    my ($self) = @_;
    remove_tree($self->{base}, { keep_root => 1 });
    mkdir $self->{root};
    $self->put($_) for $self->entries;
    my $name = $self->{conf}{conf};
    $self->beside('aliased/a.txt', 'MK_ALIAS') if $name =~ /alias/;
    $self->beside("aliased/\xE7\xA7\x98/s.txt", 'MK_SECRET')
        if $name =~ /alias/;
    $self->beside('aliased-secret/s.txt', 'MK_OUTSIDE') if $name =~ /alias/;
    $self->beside("vhost/$_/index.html", 'MK_' . uc)
        for $name eq 'idn' ? qw(tatoe fasz admin) : ();
    File::Find::find({ no_chdir => 1, wanted => sub { $self->own($_) } },
        $self->{base});
    return;
}

# Gives a file to the user of the workers, so that they may change it, and an
# old time: httpd sends a weak ETag for a file that has just been changed.
sub own {
    my ($self, $path) = @_;
    return if -l $path;
    chmod -d $path ? 0777 : 0666, $path;
    utime 1e9, 1e9, $path;
    my ($user, $group) = worker_user() or return;
    $self->{owner} //= [(getpwnam $user)[2], scalar getgrnam $group];
    chown @{ $self->{owner} }, $path;
    return;
}

# Writes a file beside the document root.
sub beside {
    my ($self, $path, $content) = @_;
    make_path(dirname("$self->{base}/$path"));
    spew("$self->{base}/$path", $content);
    return;
}

# Writes one entry.
sub put {
    my ($self, $entry) = @_;
    my $disk = $entry->{disk};
    return if $entry->{kind} eq 'rule';
    make_path($entry->{kind} eq 'directory' ? $disk : dirname($disk));
    if ($entry->{kind} eq 'directory') {
        my $content = $CONTENT{ $entry->{path} } or return;
        $content->($disk);
        return;
    }
    if ($entry->{kind} eq 'link') {
        symlink octets($entry->{text}), $disk or die "$disk: $!\n";
        return;
    }
    my $text = $entry->{path} eq '/.htaccess'
        ? "# $entry->{marker}" : $entry->{marker};
    spew($disk, $text);
    spew(dirname($disk) . '/.htaccess', "Require all denied\n")
        if $entry->{rule} eq 'guarded';
    spew("$1/\x1A.txt", $text) if $disk =~ m{^(.*)/\?\.txt$};
    return;
}

# A thousand entries, half of them with names beyond ASCII.
sub many {
    my ($dir) = @_;
    spew("$dir/" . ($_ % 2 ? "f$_" : "\xE3\x81\x82$_"), 'MK_MANY')
        for 1 .. 1000;
    return;
}

# Nested directories whose names are not the first candidates: in NFD, and
# partly composed, which only reading the directory finds.
sub deep {
    my ($dir) = @_;
    make_path($dir . "/\xE3\x81\x8B\xE3\x82\x99" x 40);
    make_path($dir . "/vi\xE1\xBA\xB9\xCC\x82t" x 40);
    return;
}

# Names that a listing has to escape; each file contains its own name.
sub nasty {
    my ($dir) = @_;
    my @names = ('<script>alert(1)<', '"onmouseover=alert(1) x="', 'a&b',
        "'q'", 'javascript:x', 'http:x', "\xE2\x80\xAEgpj.exe",
        "\xE2\x81\xA6", "\xE2\x80\x8B", "\xFF", "\x95\x5C", "\e[31m", "a\nb",
        "a\rb", "a\tb", ' space ', 'n' x 255, '%41', '#', '?');
    spew("$dir/$_", escaped($_)) for @names;
    make_path("$dir/\xE6\x97\xA5\xE6\x9C\xAC");
    spew("$dir/\xE6\x97\xA5\xE6\x9C\xAC/a.txt", 'a.txt');
    return;
}

# The location on disk of a request's path: as in the fixture, else as a new
# name would be encoded.
sub disk {
    my ($self, $path) = @_;
    my ($known) = grep { $_->{path} eq $path } $self->entries;
    return $known->{disk} if $known;
    my $octets = $self->{conf}{fs} eq 'UTF-8' ? $path
        : encode_name($path, $self->{conf}{fs}, 'NFC');
    return "$self->{base}/aliased/$1" if $octets =~ m{^/prefix/deep/(.*)}s;
    return "$self->{root}$octets";
}

# A snapshot: a hash from each path below BASE to its kind and content.
sub view {
    my ($self) = @_;
    my %view;
    my @todo = ('');
    while (defined(my $dir = shift @todo)) {
        opendir my $handle, "$self->{base}$dir" or next;
        for my $name (readdir $handle) {
            # .DAV is mod_dav's own state
            next if $name =~ /^(?:\.\.?|\.DAV)$/;
            my $path = "$dir/$name";
            my $disk = "$self->{base}$path";
            $view{$path} = -l $disk ? 'link' . readlink $disk
                : -d _ ? 'directory' : 'file' . slurp($disk);
            push @todo, $path if $view{$path} eq 'directory';
        }
    }
    return \%view;
}

# The differences between two snapshots: a list of "+/path", "-/path",
# "*/path".
sub changes {
    my ($before, $after) = @_;
    my %all = (%$before, %$after);
    return map {
        !exists $before->{$_} ? "+$_" : !exists $after->{$_} ? "-$_" : "*$_"
    } grep { ($before->{$_} // '') ne ($after->{$_} // '') }
        sort keys %all;
}

# Restores the state before some changes.
sub restore {
    my ($self, $before, @changes) = @_;
    for my $path (map { /^[+*](.*)/s ? $1 : () } reverse @changes) {
        my $disk = "$self->{base}$path";
        -d $disk && !-l $disk ? remove_tree($disk) : unlink $disk;
    }
    for my $path (map { /^[-*](.*)/s ? $1 : () } @changes) {
        my ($kind, $text) =
            $before->{$path} =~ /^(link|directory|file)(.*)$/s;
        my $disk = "$self->{base}$path";
        $kind eq 'link' ? symlink $text, $disk
            : $kind eq 'file' ? spew($disk, $text) : mkdir $disk;
        $self->own($disk);
    }
    return;
}

# Recreates the entries of a directory in reverse order, with their content and
# times.
sub shuffle {
    my ($self, $dir) = @_;
    opendir my $handle, $dir or return;
    my @names = grep { !/^\.\.?$/ } readdir $handle;
    closedir $handle;
    my $aside = "$self->{base}/aside";
    mkdir $aside or die "$aside: $!\n";
    rename "$dir/$_", "$aside/$_" for @names;
    rename "$aside/$_", "$dir/$_" for reverse @names;
    rmdir $aside;
    return;
}

1;
