# What whole IRIs cost beside uriparser, libcurl's URL API and ICU, on the same
# inputs (t/bench/peers/iris.txt): instructions an IRI, those of a run of
# ROUNDS rounds less those of a run of fewer, so that what is done once does not
# count. What each of them is asked for: t/bench/peers/peers.c.
package IRI::Bench::Peers;
use strict;
use warnings;
use FindBin;
use IRI::Bench::Table;
use IRI::Server qw(capture slurp temp_dir);

*number = \&IRI::Bench::Table::number;

# Work, who does it too, and whether ours should cost at most the least of it.
my @WORKS = (
    ['split',   1, 'uriparser', 'curl'],
    ['to-uri',  1, 'uriparser', 'curl'],
    ['to-iri',  1, 'uriparser', 'curl'],
    ['resolve', 1, 'uriparser', 'curl'],
    ['nfc',     0, 'icu'],
    ['idn',     0, 'icu'],
);
my @WHO    = qw(iri uriparser curl icu);
my @ROUNDS = (2, 22);

sub run {
    my ($class, $table, %option) = @_;
    my $self = bless { %option, table => $table }, $class;
    $self->{file} = "$FindBin::Bin/peers/iris.txt";
    my @rows = map { [$_, $self->row(@$_)] } @WORKS;
    $table->text('### Whole IRIs');
    $table->text('Instructions in user space an IRI. ICU is asked for a part '
        . 'of the work: to normalize, to map the host.');
    $table->text('');
    $table->table(['', 'libiri', 'uriparser', 'libcurl', 'ICU'],
        map { [$_->[0][0], map { defined ? number($_) : '' }
                @{ $_->[1] }{@WHO}] } @rows);
    for my $row (@rows) {
        my ($work, $judged, @peers) = @{ $row->[0] };
        my ($least) = sort { $a <=> $b } @{ $row->[1] }{@peers};
        $table->goal("$work: instructions, of those of the fastest",
            $row->[1]{iri} / $least, 1, '') if $judged;
    }
    $table->text('');
    return;
}

sub row {
    my ($self, $work, $judged, @peers) = @_;
    my %of;
    for my $who ('iri', @peers) {
        $of{$who} = $self->counted($work, $who);
        $self->{table}->figure('peers', $work, $who, $of{$who});
    }
    return \%of;
}

# Instructions an IRI.
sub counted {
    my ($self, $work, $who) = @_;
    my @counts;
    my $iris;
    for my $rounds (@ROUNDS) {
        my $counts = temp_dir() . '/counts';
        my ($code, $out, $err) = capture('', 'valgrind', '-q',
            '--tool=callgrind', "--callgrind-out-file=$counts",
            "$self->{programs}/peers", $work, $who, $rounds, $self->{file});
        die "peers $work $who: $err\n" if $code;
        ($iris) = $out =~ /^(\d+) IRIs/ or die "peers: $out\n";
        push @counts, slurp($counts) =~ /^(?:summary|totals): (\d+)/m;
    }
    return ($counts[1] - $counts[0]) / ($ROUNDS[1] - $ROUNDS[0]) / $iris;
}

1;
