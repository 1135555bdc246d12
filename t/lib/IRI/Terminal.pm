# A terminal session as a picture: the output of commands, with colours, drawn
# as SVG that needs no font of its own and follows the light or dark scheme.
#
#   my @lines = session(sub { $_[0] }, 96, 'iri lint /srv/www');
#   spew('lint.svg', svg(title => '...', columns => 96, lines => \@lines));
#
# A line is a list of pieces [style, text]; styles are plain, prompt, bold,
# yellow and any of them after each other ("bold yellow").
package IRI::Terminal;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use IRI::Server 'capture';

our @EXPORT_OK = qw(on_terminal pieces session svg width);

my ($CELL, $LINE, $FONT, $MARGIN) = (8.4, 20, 14, 16);    # pixels

# Light, dark; each with its background has a contrast of 7 or more.
our %COLOUR = (
    back   => ['#f6f8fa', '#0d1117'],
    plain  => ['#1f2328', '#e6edf3'],
    prompt => ['#0550ae', '#9ecbff'],
    yellow => ['#633c01', '#e3b341'],
);

# The octets that a shell command writes to a terminal of so many columns.
sub on_terminal {
    my ($command, $columns) = @_;
    local $ENV{TERM} = 'xterm';
    delete local $ENV{NO_COLOR};
    my (undef, $out) = capture('', 'script', '-qec',
        "stty cols $columns; $command", '/dev/null');
    return $out;
}

# The resulting screen: lines of pieces. Supports SGR 0, 1 and 33, erase to the
# end of a line and carriage return, which is all that `iri` writes.
sub pieces {
    my ($octets) = @_;
    my $text = Encode::decode('UTF-8', $octets);
    $text =~ s/\r\n/\n/g;
    my (@lines, %style);
    for my $line (split /\n/, $text) {
        $line =~ s/.*\r(?=.*\e\[K)//;    # overwritten
        $line =~ s/\e\[K//g;
        my @pieces;
        for my $part (split /(\e\[[\d;]*m)/, $line) {
            if ($part =~ /\A\e\[([\d;]*)m\z/) {
                for my $code (split /;/, length $1 ? $1 : 0) {
                    %style = () if $code == 0;
                    $style{bold}   = 1 if $code == 1;
                    $style{yellow} = 1 if $code == 33;
                }
            }
            elsif (length $part) {
                die "a terminal would act on: $part\n" if $part =~ /[\0-\x1F]/;
                push @pieces, [join(' ', sort keys %style) || 'plain', $part];
            }
        }
        push @lines, \@pieces;
    }
    return @lines;
}

# Commands after a prompt, with their output; a command may be [as shown, as
# run]. edit may change the output, for example to hide a temporary directory.
sub session {
    my ($edit, $columns, @commands) = @_;
    my @lines;
    for my $command (@commands) {
        my ($shown, $run) = ref $command ? @$command : ($command, $command);
        push @lines, [] if @lines;
        my $prompt = '$ ';
        for my $line (split /\n/, $shown) {
            push @lines, [['prompt', $prompt], ['bold', $line]];
            $prompt = '> ';
        }
        push @lines, pieces($edit->(on_terminal($run, $columns)));
    }
    return @lines;
}

# The width of a character in columns.
sub width {
    my ($character) = @_;
    return 0 if $character =~ /[\p{Mn}\p{Me}\p{Cf}]/;
    return $character
        =~ /[\p{East_Asian_Width=Wide}\p{East_Asian_Width=Fullwidth}]/ ? 2 : 1;
}

# Lines wrapped where the terminal would wrap them.
sub wrapped {
    my ($columns, @lines) = @_;
    my @out;
    for my $line (@lines) {
        my ($at, @row) = (0);
        for my $piece (@$line) {
            for my $cluster ($piece->[1] =~ /(\X)/g) {
                my $wide = width(substr $cluster, 0, 1);
                if ($at + $wide > $columns) {
                    push @out, [@row];
                    ($at, @row) = (0);
                }
                push @row, [$piece->[0], $cluster, $at, $wide];
                $at += $wide;
            }
        }
        push @out, [@row];
    }
    return @out;
}

# Adjacent cells of one style and of single width, as one text.
sub runs {
    my (@cells) = @_;
    my @runs;
    for my $cell (@cells) {
        my ($style, $text, $at, $wide) = @$cell;
        my $last = $runs[-1];
        if ($last && $wide == 1 && $last->[3] && $last->[0] eq $style
            && $text =~ /\A[\x20-\x7E]\z/)
        {
            $last->[1] .= $text;
            next;
        }
        push @runs, [$style, $text, $at, $text =~ /\A[\x20-\x7E]\z/ ? 1 : 0];
    }
    return grep { $_->[1] =~ /\S/ } @runs;
}

sub escaped_text {
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;',
        '"' => '&quot;');
    return $text =~ s/([&<>"])/$entity{$1}/gr;
}

sub css {
    my ($which) = @_;
    return join ' ', map {
        my $colour = $COLOUR{$_}[$which];
        $_ eq 'back' ? "rect { fill: $colour }"
            : $_ eq 'plain' ? "text { fill: $colour }"
            : ".$_ { fill: $colour }"
    } sort keys %COLOUR;
}

# The picture, in octets. title and about are the text alternative.
sub svg {
    my (%o) = @_;
    my @rows = wrapped($o{columns}, @{ $o{lines} });
    my ($w, $h) = ($o{columns} * $CELL + 2 * $MARGIN,
        @rows * $LINE + 2 * $MARGIN - $LINE + $FONT);
    my $out = sprintf <<'END', $w, $h, $w, $h,
<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g"
 viewBox="0 0 %g %g" role="img" aria-labelledby="title about">
<title id="title">%s</title>
<desc id="about">%s</desc>
<style>
text { font: %dpx ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace }
text { white-space: pre }
.bold { font-weight: bold }
%s
@media (prefers-color-scheme: dark) { %s }
</style>
<rect width="100%%" height="100%%" rx="8"/>
END
        map({ escaped_text($_) } @o{qw(title about)}), $FONT, css(0), css(1);
    my $y = $MARGIN + $FONT - 3;
    for my $row (@rows) {
        for my $run (runs(@$row)) {
            my ($style, $text, $at) = @$run;
            my ($before, $inner) = $text =~ /\A( *)(.*?) *\z/;
            my $x     = $MARGIN + ($at + length $before) * $CELL;
            # A character by itself has the width that its font gives it.
            my $fixed = $inner =~ /\A[ -~]+\z/
                ? sprintf(' textLength="%g" lengthAdjust="spacingAndGlyphs"',
                    length($inner) * $CELL) : '';
            $out .= sprintf qq{<text%s x="%g" y="%g"%s>%s</text>\n},
                $style eq 'plain' ? '' : qq{ class="$style"}, $x, $y, $fixed,
                escaped_text($inner);
        }
        $y += $LINE;
    }
    return Encode::encode('UTF-8', "$out</svg>\n");
}

1;
