# A strict parser of the Prometheus text exposition format 0.0.4: an
# irregularity that a scraper would only report is an error here.
package IRI::Prometheus;
use strict;
use warnings;
use Exporter 'import';
use IRI::Server qw(capture program);

our @EXPORT = qw(parse_metrics promtool);

my $NAME  = qr/[a-zA-Z_:][a-zA-Z0-9_:]*/;
my $LABEL = qr/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/;

# The value of each series, "name{label=\"value\",...}", by the octets of its
# name. Dies on invalid text: each metric has one HELP and one TYPE before its
# samples, which are adjacent; a counter's name ends with _total; labels are
# unique, and so are series; values are integers; the last line is terminated.
sub parse_metrics {
    my ($text) = @_;
    my (%value, %seen, $name);
    die "no end of the last line\n" if $text !~ /\n\z/;
    die "not ASCII\n" if $text =~ /[^\n\x20-\x7e]/;
    my $help = '';
    for my $line (split /\n/, $text, -1) {
        if ($line =~ /^# HELP ($NAME) (\S.*\.)\z/) {
            $help = $1;
            die "twice: $help\n" if $seen{$help}++;
        } elsif ($line =~ /^# TYPE ($NAME) (counter|gauge)\z/) {
            die "TYPE of $1 behind HELP of $help\n" if $1 ne $help;
            my $type = $2;
            $name = $1;
            die "$name is a $type\n"
                if ($name =~ /_total\z/ xor $type eq 'counter');
        } elsif ($line =~ /^($NAME)(?:\{($LABEL(?:,$LABEL)*)\})? (\d+)\z/) {
            my ($metric, $labels) = ($1, $2 // '');
            my ($number) = $line =~ /(\d+)\z/;
            die "$metric stands below $name\n" if $metric ne $name;
            my @labels = $labels =~ /$LABEL/g;
            my %label  = @labels;
            die "a label twice: $line\n" if keys(%label) * 2 != @labels;
            my $series = $labels eq '' ? $metric : "$metric\{$labels}";
            die "twice: $series\n" if exists $value{$series};
            $value{$series} = $number;
        } elsif ($line ne '') {
            die "no such line: $line\n";
        }
    }
    return \%value;
}

# The output of promtool (IRI_PROMTOOL): '' is good; undef: it is not
# installed.
sub promtool {
    my ($text) = @_;
    my $program = program('IRI_PROMTOOL', 'promtool') // return undef;
    my $dir  = IRI::Server::temp_dir();
    IRI::Server::spew("$dir/metrics", $text);
    my $output = `$program check metrics < $dir/metrics 2>&1`;
    return $? == 0 ? $output : "exit $?: $output";
}

1;
