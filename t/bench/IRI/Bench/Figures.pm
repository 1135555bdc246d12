# Statistics of timings: to be independent of other load, medians of rounds in
# which all compared programs run in turn.
package IRI::Bench::Figures;
use strict;
use warnings;
use Exporter 'import';
use IRI::Server 'slurp';

our @EXPORT_OK = qw(interleaved load median quartiles ratios wrk_figures);

sub median { return quantile(0.5, @_) }

# The lower quartile, the median, the upper quartile.
sub quartiles {
    my @values = @_;
    return map { quantile($_, @values) } 0.25, 0.5, 0.75;
}

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

# The ratios of two lists of values, round by round.
sub ratios {
    my ($values, $others) = @_;
    return map { $values->[$_] / $others->[$_] }
        grep { $others->[$_] } 0 .. $#$values;
}

# The number of processes that are runnable.
sub load { return (split ' ', slurp('/proc/loadavg'))[0] }

# The output of wrk: requests, requests per second, responses other than 2xx or
# 3xx, errors.
sub wrk_figures {
    my ($text) = @_;
    my ($requests) = $text =~ /^\s*(\d+) requests in /m or return;
    my ($rate)     = $text =~ /^Requests\/sec:\s*([\d.]+)/m;
    my ($other)    = $text =~ /^\s*Non-2xx or 3xx responses: (\d+)/m;
    my $errors     = 0;
    if ($text =~ /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/) {
        $errors = $1 + $2 + $3 + $4;
    }
    return { requests => $requests, rate => $rate, other => $other // 0,
        errors => $errors };
}

1;
