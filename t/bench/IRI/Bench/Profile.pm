# The counts of callgrind by object and function: instructions of the function
# itself, without those of functions that it calls.
package IRI::Bench::Profile;
use strict;
use warnings;
use File::Basename 'basename';
use List::Util 'sum0';

# Reads an output file of callgrind. A name gets a number at its first
# occurrence: "fn=(12) main", later "fn=(12)".
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
            readline $in;    # of the called function
        }
        elsif ($line =~ /^[+*\d-]\S* (\d+)$/) {
            $cost{"$object\t$function"} += $1;
        }
    }
    return bless \%cost, $class;
}

sub sum { return sum0(values %{ $_[0] }) }

# The difference of two profiles.
sub less {
    my ($self, $other) = @_;
    my %cost = %$self;
    $cost{$_} -= $other->{$_} for keys %$other;
    return bless \%cost, ref $self;
}

# A profile divided by a number.
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

# The functions of the objects whose names match, most expensive first: lists
# of object, function and cost.
sub functions {
    my ($self, $pattern) = @_;
    my @found = map { [split(/\t/), $self->{$_}] }
        grep { (split /\t/)[0] =~ $pattern && abs $self->{$_} >= 0.5 }
        keys %$self;
    @found = sort { $b->[2] <=> $a->[2] || $a->[1] cmp $b->[1] } @found;
    return @found;
}

1;
