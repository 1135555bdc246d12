# Plots as SVG, drawn by gnuplot.
package IRI::Bench::Plot;
use strict;
use warnings;
use Exporter 'import';
use IRI::Server 'capture';

our @EXPORT_OK = qw(bars lines);

# Lines of [name, [[x, y], ...]] over logarithmic axes; the labels of the axes.
sub lines {
    my ($title, $across, $up, @series) = @_;
    my $names = join ' ', map { "\"$_->[0]\"" } @series;
    my $data  = join "\n\n\n", map { join "\n", map { "@$_" } @{ $_->[1] } }
        @series;
    return draw(400, $title, $data, <<"END");
names = '$names'
set logscale xy
set xlabel "$across"
set ylabel "$up"
set format "%.0s %c"
set grid ytics
set key bmargin left maxcols 1
plot for [i = 1:words(names)] \$data index i - 1 \\
    with linespoints dashtype i title word(names, i)
END
}

# Horizontal bars of [label, value].
sub bars {
    my ($title, $across, @bars) = @_;
    my $data = join "\n", map { "\"$_->[0]\" " . sprintf '%.0f', $_->[1] }
        @bars;
    my $count = @bars;
    return draw(110 + 22 * $count, $title, $data, <<"END");
set style fill solid
set xlabel "$across"
set xrange [0:*]
set yrange [$count:-1]
unset key
plot \$data using (\$2 / 2):0:(\$2 / 2):(0.35):ytic(1) with boxxyerror, \\
    '' using 2:0:2 with labels left offset 1
END
}

sub draw {
    my ($height, $title, $data, $script) = @_;
    my ($code, $svg, $err) = capture(<<"END", 'gnuplot');
\$data << END_OF_DATA
$data
END_OF_DATA
set terminal svg noenhanced size 760,$height font "sans-serif,13" background "#ffffff"
set title "$title"
set border 3
set tics nomirror
$script
END
    die "gnuplot: $err\n" if $code;
    return $svg;
}

1;
