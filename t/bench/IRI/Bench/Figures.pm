# The arithmetic of what is timed: a busy machine is told by medians of rounds
# in which all that is compared comes in turn.
package IRI::Bench::Figures;
use strict;
use warnings;
use Exporter 'import';
use IRI::Server 'slurp';

our @EXPORT_OK = qw(interleaved load median quartiles ratios wrk_figures);

sub median { return quantile(0.5, @_) }

# The lower one, the median, the upper one.
sub quartiles {
    my @values = @_;
    return map { quantile($_, @values) } 0.25, 0.5, 0.75;
}

# Between two values by how near it is to each.
sub quantile {
    my ($part, @values) = @_;
    my @sorted = sort { $a <=> $b } @values or return;
    my $place = $part * $#sorted;
    my $below = int $place;
    return $sorted[-1] if $below >= $#sorted;
    return $sorted[$below]
        + ($place - $below) * ($sorted[$below + 1] - $sorted[$below]);
}

# Calls the function for each name in so many rounds, in a round one after the
# other, each time from another one on; { name => [values] }.
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

# Round by round, one by the other.
sub ratios {
    my ($values, $others) = @_;
    return map { $values->[$_] / $others->[$_] }
        grep { $others->[$_] } 0 .. $#$values;
}

# How many processes want a CPU.
sub load { return (split ' ', slurp('/proc/loadavg'))[0] }

# What wrk prints: requests, a second, those that were not 2xx or 3xx, errors.
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
