# The tables of a group: in Markdown on standard output and in GROUP.md, and
# each figure as a line of GROUP.tsv.
package IRI::Bench::Table;
use strict;
use warnings;
use IRI::Server 'spew';
use List::Util 'max';

sub new {
    my ($class, $folder, $group) = @_;
    my $self = bless { file => "$folder/$group" }, $class;
    spew("$self->{file}.$_", '') for qw(md tsv profile);
    return $self;
}

sub append {
    my ($self, $ending, $text) = @_;
    open my $file, '>>:raw', "$self->{file}.$ending"
        or die "$self->{file}: $!\n";
    print {$file} $text;
    close $file or die "$self->{file}: $!\n";
    return;
}

# A line of text.
sub text {
    my ($self, $text) = @_;
    print "$text\n";
    $self->append('md', "$text\n");
    return;
}

# A table: the heads of its columns, then rows of cells.
sub table {
    my ($self, $heads, @rows) = @_;
    my @width = map { my $i = $_; max(map { length $_->[$i] } $heads, @rows) }
        0 .. $#$heads;
    my $line = sub {
        my @cells = @_;
        return '| ' . join(' | ', map {
            my $pad = ' ' x ($width[$_] - length $cells[$_]);
            $_ ? "$pad$cells[$_]" : "$cells[$_]$pad"
        } 0 .. $#cells) . ' |';
    };
    my @rule = map { '-' x ($width[$_] - 1) . ($_ ? ':' : '-') } 0 .. $#width;
    $self->text($line->(@$_)) for $heads, \@rule, @rows;
    $self->text('');
    return;
}

# A figure: its subject, from the most general to the most specific, and its
# value.
sub figure {
    my ($self, @fields) = @_;
    $self->append('tsv', join("\t", @fields) . "\n");
    return;
}

# The status of a response, and the expected one: if they differ, the figures
# beside it measure something else, and the run fails.
my $wrong = 0;
sub status {
    my ($self, $subject, $status, @wanted) = @_;
    return 1 if grep { $_ == $status } @wanted;
    $wrong++;
    $self->text("- WRONG STATUS: $subject: $status, not @wanted");
    $self->figure('wrong', $subject, $status, "@wanted");
    return 0;
}

# The number of wrong statuses.
sub wrong { return $wrong }

# A goal: the figure, its maximum, and whether it is met; label is the row of
# the table of goals, if it is in that table.
sub goal {
    my ($self, $subject, $value, $most, $unit, $label) = @_;
    my $kept = $value <= $most;
    $self->text(sprintf '- %s: %s (%s), at most %s %s', $subject,
        number($value),
        $kept ? 'good' : 'TOO MUCH', number($most), $unit);
    $self->figure('goal', $subject, $value, $most, $kept ? 1 : 0,
        $label // '', $unit);
    return $kept;
}

# 1234567.8 as "1 234 568"; small numbers with decimal digits.
sub number {
    my ($value) = @_;
    return '-' if !defined $value;
    my $text = sprintf abs $value < 100 && $value != int $value ? '%.2f'
        : '%.0f', $value;
    1 while $text =~ s/^(-?\d+)(\d{3})/$1 $2/;
    return $text;
}

1;
