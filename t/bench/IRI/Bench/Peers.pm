# The cost of whole IRIs compared with uriparser, libcurl's URL API and ICU,
# for the same inputs (t/bench/peers/iris.txt): instructions for each IRI, as
# the difference of two runs with different numbers of rounds, so that
# initialization does not count. The operations are described in
# t/bench/peers/peers.c.
package IRI::Bench::Peers;
use strict;
use warnings;
use FindBin;
use IRI::Bench::Table;
use IRI::Server qw(capture slurp temp_dir);

*number = \&IRI::Bench::Table::number;

# The operation, the libraries that have it, and whether ours should cost at
# most as much as the cheapest of them.
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

# Instructions for each IRI.
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
