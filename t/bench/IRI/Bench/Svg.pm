# Plots as SVG, without another program: lines over two logarithmic axes, and
# bars. Series differ by marks and dashes, or by the fill of bars, so that
# colour is not needed; text and axes follow the reader's light or dark theme.
package IRI::Bench::Svg;
use strict;
use warnings;
use Exporter 'import';
use IRI::Bench::Table;
use List::Util qw(max min);

our @EXPORT_OK = qw(bars lines);

my $WIDTH  = 760;
my $STYLE  = <<'END';
.ground { fill: #f6f8fa }
text { font: 13px sans-serif; fill: #1c1c1c }
.title { font-size: 15px; font-weight: bold }
.small { font-size: 11px }
.axis { stroke: #1c1c1c; fill: none }
.grid { stroke: #00000022; fill: none }
.s0 { --c: #0b57a4 } .s1 { --c: #b3410a } .s2 { --c: #23704a }
.s3 { --c: #6b4aa0 } .s4 { --c: #7a5c00 } .s5 { --c: #8a1c4a }
.s6 { --c: #00697a } .s7 { --c: #555555 } .s8 { --c: #3c3c9e }
.line { stroke: var(--c); fill: none; stroke-width: 2 }
.mark { fill: var(--c); stroke: none }
.bar { stroke: var(--c); stroke-width: 1.5 }
.stroke { stroke: var(--c); stroke-width: 2 }
.fill { fill: var(--c) }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 }
text { fill: #e8e8e8 } .axis { stroke: #e8e8e8 } .grid { stroke: #ffffff33 }
.s0 { --c: #7db8f5 } .s1 { --c: #f5a26b } .s2 { --c: #7fd0a4 }
.s3 { --c: #c0a6f0 } .s4 { --c: #e0c050 } .s5 { --c: #f08ab0 }
.s6 { --c: #6fd0e0 } .s7 { --c: #bbbbbb } .s8 { --c: #a4a4f5 }
}
END

sub text {
    my ($x, $y, $words, %with) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;',
        '"' => '&quot;');
    $words =~ s/([&<>"])/$entity{$1}/g;
    my $more = join '', map { qq( $_="$with{$_}") } sort keys %with;
    return sprintf qq(<text x="%.1f" y="%.1f"%s>%s</text>\n), $x, $y, $more,
        $words;
}

sub document {
    my ($height, $title, $body) = @_;
    my $words = text(16, 24, $title, class => 'title');
    my $label = $title =~ s/[&<>"]//gr;
    return <<"END";
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $WIDTH $height" width="$WIDTH" height="$height" role="img" aria-label="$label">
<title>$label</title>
<style>
$STYLE</style>
<rect class="ground" width="100%" height="100%" rx="8"/>
$words$body</svg>
END
}

# "10 000 000" as "10 M".
sub short {
    my ($value) = @_;
    return $value / 1e6 . ' M' if $value >= 1e6;
    return $value / 1e3 . ' k' if $value >= 1e4;
    return "$value";
}

# ---- lines -------------------------------------------------------------------

my @DASHES = ('', '7 3', '2 3', '9 3 2 3', '12 4', '4 4', '1 4', '6 2 2 2',
    '14 3');

# The mark of a series, of a unique shape.
sub mark {
    my ($series, $x, $y) = @_;
    my @shapes = (
        '<circle cx="%1$.1f" cy="%2$.1f" r="4.5"/>',
        '<path d="M%1$.1f %2$.1fm-5 4h10l-5-9z"/>',
        '<path d="M%1$.1f %2$.1fm-4-4h8v8h-8z"/>',
        '<path d="M%1$.1f %2$.1fm-6 0l6-6 6 6-6 6z"/>',
        '<path d="M%1$.1f %2$.1fm-5-4h10l-5 9z"/>',
        '<path d="M%1$.1f %2$.1fm-6-1.5h12v3h-12z"/>',
        '<path d="M%1$.1f %2$.1fm-1.5-6h3v12h-3z"/>',
        '<path d="M%1$.1f %2$.1fm-6-2h4v-4h4v4h4v4h-4v4h-4v-4h-4z"/>',
        '<path d="M%1$.1f %2$.1fm-5-5l3 0 2 3 2-3 3 0-4 5 4 5-3 0-2-3-2 3-3 0'
            . ' 4-5z"/>',
    );
    return sprintf(qq(<g class="s%d"><g class="mark">), $series)
        . sprintf($shapes[$series % @shapes], $x, $y) . "</g></g>\n";
}

# Lines of [name, [[x, y], ...]]; the labels of the axes.
sub lines {
    my ($title, $across, $up, @series) = @_;
    my ($left, $top, $right, $bottom) = (70, 70, 250, 350);
    my @points = map { @{ $_->[1] } } @series;
    my ($x_min, $x_max) = (min(map { $_->[0] } @points),
        max(map { $_->[0] } @points));
    my $low  = int(log(max(1, min(map { $_->[1] } @points))) / log 10);
    my $high = int(log(max(map { $_->[1] } @points)) / log(10) + 0.9999);
    $high = $low + 1 if $high <= $low;
    my $x_of = sub {
        return $left + ($WIDTH - $right - $left) * log($_[0] / $x_min)
            / (log($x_max / $x_min) || 1);
    };
    my $y_of = sub {
        return $bottom - ($bottom - $top)
            * (log(max(1, $_[0])) / log(10) - $low) / ($high - $low);
    };
    my $end  = $WIDTH - $right;
    my $body = sprintf qq(<path class="axis" d="M%d %dV%dH%d"/>\n), $left,
        $top, $bottom, $end;
    for my $power ($low .. $high) {
        my $y = $y_of->(10**$power);
        $body .= sprintf qq(<path class="grid" d="M%d %.1fH%d"/>\n), $left,
            $y, $end;
        $body .= text($left - 6, $y + 4, short(10**$power),
            'text-anchor' => 'end', class => 'small');
    }
    my %seen;
    for my $x (grep { !$seen{$_}++ } map { $_->[0] } @points) {
        $body .= text($x_of->($x), $bottom + 20, short($x),
            'text-anchor' => 'middle', class => 'small');
    }
    $body .= text(($left + $end) / 2, $bottom + 40, $across,
        'text-anchor' => 'middle');
    $body .= text(16, 48, $up, class => 'small');
    my @ends = sort { $a->[0] <=> $b->[0] }
        map { [$y_of->($series[$_][1][-1][1]), $_] } 0 .. $#series;
    for my $i (1 .. $#ends) {    # names must not overlap
        $ends[$i][0] = max($ends[$i][0], $ends[$i - 1][0] + 17);
    }
    for my $number (0 .. $#series) {
        my @at = map { [$x_of->($_->[0]), $y_of->($_->[1])] }
            @{ $series[$number][1] };
        my $path = join ' ', map { sprintf '%.1f,%.1f', @$_ } @at;
        $body .= qq(<g class="s$number"><polyline class="line" )
            . qq(stroke-dasharray="$DASHES[$number % @DASHES]" )
            . qq(points="$path"/></g>\n);
        $body .= mark($number, @$_) for @at;
    }
    for my $end_of (@ends) {
        my ($y, $number) = @$end_of;
        $body .= mark($number, $end + 16, $y)
            . text($end + 27, $y + 4, $series[$number][0]);
    }
    return document($bottom + 56 + max(0, $ends[-1][0] - $bottom), $title,
        $body);
}

# ---- bars --------------------------------------------------------------------

# The fills of bars: solid, empty, and lines in five directions.
sub fills {
    my ($series) = @_;
    my @lines = ('', '', 'M0 8L8 0', 'M0 0L8 8', 'M0 4H8', 'M4 0V8',
        'M0 4H8M4 0V8');
    my $body = '';
    for my $number (2 .. $series - 1) {
        $body .= qq(<pattern id="f$number" width="8" height="8" )
            . qq(patternUnits="userSpaceOnUse" class="s$number">)
            . qq(<path class="stroke" d="$lines[$number % @lines]"/>)
            . "</pattern>\n";
    }
    return "<defs>\n$body</defs>\n";
}

sub bar {
    my ($number, $x, $y, $width, $height) = @_;
    my $fill = $number == 0 ? 'class="bar fill"'
        : 'class="bar" fill="' . ($number == 1 ? 'none' : "url(#f$number)")
        . '"';
    return sprintf qq(<g class="s%d"><rect x="%.1f" y="%.1f" width="%.1f" )
        . qq(height="%.1f" %s/></g>\n), $number, $x, $y, max(0.5, $width),
        $height, $fill;
}

# Groups of [label, value or [value, words], ...], a value for each name;
# undef is no bar.
sub bars {
    my ($title, $across, $names, @groups) = @_;
    my ($left, $right, $thick) = (190, 90, 13);
    my $value = sub { return ref $_[0] ? $_[0][0] : $_[0] };
    my $most = max(1, map { my (undef, @values) = @$_;
        map { defined ? $value->($_) : () } @values } @groups);
    my $body = fills(scalar @$names);
    my $y    = 44;
    my $x    = 16;
    for my $number (0 .. $#$names) {
        $body .= bar($number, $x, $y - 11, 24, 12)
            . text($x + 30, $y, $names->[$number]);
        $x += 50 + 7.5 * length $names->[$number];
    }
    $y += 18;
    for my $group (@groups) {
        my ($label, @values) = @$group;
        my $there = grep { defined } @values;
        $body .= text($left - 8, $y + $there * $thick / 2 + 4, $label,
            'text-anchor' => 'end');
        for my $number (grep { defined $values[$_] } 0 .. $#values) {
            my $now  = $value->($values[$number]);
            my $wide = ($WIDTH - $left - $right) * max(0, $now) / $most;
            my $words = IRI::Bench::Table::number(sprintf '%.0f', $now);
            $words .= ", $values[$number][1]"
                if ref $values[$number] && length $values[$number][1];
            $body .= bar($number, $left, $y + 1, $wide, $thick - 3)
                . text($left + $wide + 5, $y + $thick - 3, $words,
                class => 'small');
            $y += $thick;
        }
        $y += 9;
    }
    $body .= qq(<path class="axis" d="M$left 56V$y"/>\n)
        . text($left, $y + 18, $across);
    return document($y + 30, $title, $body);
}

1;
