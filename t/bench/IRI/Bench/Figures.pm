# Statistics of timings: to be independent of other load, medians of rounds in
# which all compared programs run in turn.
package IRI::Bench::Figures;
use strict;
use warnings;
use Exporter 'import';
use IRI::Server 'slurp';

our @EXPORT_OK = qw(interleaved load median quantile);

sub median { return quantile(0.5, @_) }

# Interpolates between two values.
sub quantile {
    my ($part, @values) = @_;
    my @sorted = sort { $a <=> $b } @values or return;
    my $place = $part * $#sorted;
    my $below = int $place;
    return $sorted[-1] if $below >= $#sorted;
    return $sorted[$below]
        + ($place - $below) * ($sorted[$below + 1] - $sorted[$below]);
}

# Calls the function for each name in a number of rounds, in each round once
# for each name, starting from another one; { name => [values] }.
sub interleaved {
    my ($rounds, $function, @names) = @_;
    my %values;
    for my $round (0 .. $rounds - 1) {
        for my $step (0 .. $#names) {
            my $name = $names[($round + $step) % @names];
            push @{ $values{$name} }, $function->($name);
        }
    }
    return \%values;
}

# The number of processes that are runnable.
sub load { return (split ' ', slurp('/proc/loadavg'))[0] }

1;
