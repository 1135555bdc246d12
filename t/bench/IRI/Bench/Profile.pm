# What callgrind has counted, by object and function: the instructions of each
# itself, without those that it calls.
package IRI::Bench::Profile;
use strict;
use warnings;
use File::Basename 'basename';
use List::Util 'sum0';

# Reads a file of callgrind. Names are given a number where they come first:
# "fn=(12) main", later "fn=(12)".
sub of {
    my ($class, $file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    my (%name, %cost, $object, $function, $called);
    while (my $line = readline $in) {
        if ($line =~ /^(c?)(ob|fn)=\((\d+)\)(?: (.*))?/) {
            my $name = $name{$2}{$3} //= $4 // '?';
            next if $1;
            $object   = basename($name) if $2 eq 'ob';
            $function = $name           if $2 eq 'fn';
        }
        elsif ($line =~ /^calls=/) {
            readline $in;    # of the function that is called
        }
        elsif ($line =~ /^[+*\d-]\S* (\d+)$/) {
            $cost{"$object\t$function"} += $1;
        }
    }
    return bless \%cost, $class;
}

sub sum { return sum0(values %{ $_[0] }) }

# This one without another.
sub less {
    my ($self, $other) = @_;
    my %cost = %$self;
    $cost{$_} -= $other->{$_} for keys %$other;
    return bless \%cost, ref $self;
}

# One part of so many.
sub by {
    my ($self, $count) = @_;
    return bless { map { $_ => $self->{$_} / $count } keys %$self },
        ref $self;
}

# Sums for each object.
sub objects {
    my ($self) = @_;
    my %sum;
    $sum{ (split /\t/)[0] } += $self->{$_} for keys %$self;
    return \%sum;
}

# The functions of the objects whose name matches, dearest first: lists of
# object, function and cost.
sub functions {
    my ($self, $pattern) = @_;
    my @found = map { [split(/\t/), $self->{$_}] }
        grep { (split /\t/)[0] =~ $pattern && abs $self->{$_} >= 0.5 }
        keys %$self;
    @found = sort { $b->[2] <=> $a->[2] || $a->[1] cmp $b->[1] } @found;
    return @found;
}

1;
