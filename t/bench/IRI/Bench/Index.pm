# The cost of building the index of a directory, compared with one pass of
# readdir over it: CPU time, instructions, and the memory of the index.
package IRI::Bench::Index;
use strict;
use warnings;
use IRI::Bench::Profile;
use IRI::Bench::Table;
use IRI::Bench::Trees 'trees';
use IRI::Server qw(capture temp_dir);

*number = \&IRI::Bench::Table::number;

my $MOST   = 1.5;    # passes of readdir
my $MEMORY = 64;     # octets for each name, in addition to the name
my @WHAT   = qw(nothing readdir index);

sub run {
    my ($class, $table, %option) = @_;
    my @rows = map { ["d$_", 'case'] } grep { $_ >= 1000 }
        @{ $option{sizes} };
    push @rows, ['ja100000', 'case'], ['ja100000', 'width,case,accents'],
        ['d100000', 'case,spelling']
        if grep { $_->[0] eq 'd100000' } @rows;
    my $self = bless { %option, table => $table }, $class;
    $self->{root} = trees($option{trees}, map { $_->[0] } @rows);
    $table->text('### Building an index');
    $table->text('CPU time by rounds in turn, the median of '
        . "$option{repeat}; instructions in user space, less those of a "
        . 'program that does neither; the smallest cache that keeps it.');
    $table->text('');
    my @of = map { $self->directory(@$_) } @rows;
    $table->table(['', 'readdir, ms', 'index, ms', 'ratio',
        'readdir, instructions', 'index, instructions', 'index a name',
        'names, octets', 'index, octets', 'beyond, a name', 'peak, KiB'],
        map { line($_) } @of);
    # Keys for spelling are not limited: they are optional. Nor are small
    # directories, whose whole index takes a millisecond.
    my @judged = grep { $_->{directory} !~ /spelling/
            && $_->{names} >= 100_000 } @of;
    $table->goal("$_->{directory}: CPU time, of passes of readdir",
        $_->{ratio}, $MOST, '') for @judged;
    $table->goal("$_->{directory}: octets a name beyond the name",
        $_->{more_a_name}, $MEMORY, '') for @judged;
    $table->text('');
    return;
}

# All figures of one directory, by levels of iri_match.
sub directory {
    my ($self, $directory, $match) = @_;
    my %of = (
        directory => "$directory $match",
        $self->words($match, $self->{root}, $directory, $self->{repeat}),
        $self->words('--size', $match, $self->{root}, $directory),
    );
    my %profile = map { $_ => $self->counted($_, $match, $directory) } @WHAT;
    $of{$_} = $profile{$_}->less($profile{nothing})->sum for @WHAT;
    $self->profile($of{directory}, $of{names},
        $profile{index}->less($profile{nothing}));
    $self->{table}->figure('index', $directory, $match, $_, $of{$_})
        for sort keys %of;
    return \%of;
}

sub line {
    my ($of) = @_;
    return [$of->{directory}, map({ sprintf '%.1f', $_ }
            @$of{qw(readdir_ms index_ms)}), sprintf('%.2f', $of->{ratio}),
        number($of->{readdir}), number($of->{index}),
        number($of->{index} / $of->{names}), number($of->{octets_of_names}),
        number($of->{cache}), number($of->{more_a_name}),
        number($of->{peak_kib})];
}

# The output of t/bench/index as a hash.
sub words {
    my ($self, @arguments) = @_;
    my ($code, $out, $err) =
        capture('', "$self->{programs}/index", @arguments);
    die "index @arguments: $err\n" if $code;
    return $out =~ /^(\w+) (\S+)$/mg;
}

sub counted {
    my ($self, $mode, $match, $directory) = @_;
    my $tmp = temp_dir();
    my ($code, $out, $err) = capture('', 'valgrind', '-q',
        '--tool=callgrind', "--callgrind-out-file=$tmp/out",
        "$self->{programs}/index", '--once', $mode, $match,
        $self->{root}, $directory);
    die "index --once $mode: $err\n" if $code;
    return IRI::Bench::Profile->of("$tmp/out");
}

# Instructions for each name by function, written to a file beside the table.
sub profile {
    my ($self, $directory, $names, $profile) = @_;
    my $a_name = $profile->by($names);
    my $text = sprintf "index of %s: %.1f instructions a name\n", $directory,
        $a_name->sum;
    $text .= sprintf "  %8.1f  %s (%s)\n", $_->[2], $_->[1], $_->[0]
        for grep { abs $_->[2] >= 0.5 } $a_name->functions(qr/./);
    $self->{table}->append('profile', "$text\n");
    return;
}

1;
