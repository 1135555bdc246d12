# One report of all groups whose figures are in a folder, GROUP.tsv and
# GROUP.md: report.md, report.tsv, and plots; and summary.md, the part that
# doc/performance.md contains. A group that was not run stays as it was, so a
# part can be measured anew.
package IRI::Bench::Report;
use strict;
use warnings;
use IRI::Bench::Plot qw(bars lines);
use IRI::Bench::Table;
use IRI::Server qw(slurp spew);

*number = \&IRI::Bench::Table::number;

my @GROUPS  = qw(nginx event prefork cpu fold fold-nginx fold-httpd memory
    start growth);
my @SERVERS = qw(nginx event prefork);

# Requests that are compared with those of peers.
my $SHOWN = qr/^(?:any:\ (?:ASCII|Japanese|French)(?:\ in\ NFD|,\ absent)?
    |Shift_JIS|EUC-JP,.*|windows-1251)$/x;
# Rows that differ little from another one, or that few peers answer.
my $OMITTED = qr/French|^EUC-JP|^windows|absent/;

# What a plot shows, for who does not see it.
my %CAPTION = (
    size   => 'Instructions of a request in another case, by the size of the '
        . 'directory',
    growth => 'Instructions that a target adds in nginx, by its length',
    map { ("added-$_" => "Instructions that each row adds in $_") } @SERVERS,
);

# The figures of a directory: lists of fields, in the order of @GROUPS.
sub new {
    my ($class, $folder) = @_;
    my $self = bless { folder => $folder, lines => [], ran => [] }, $class;
    for my $group (@GROUPS) {
        my $text = slurp("$folder/$group.tsv");
        next if $text eq '';
        push @{ $self->{ran} }, $group;
        push @{ $self->{lines} },
            map { [$group, split /\t/, $_, -1] } split /\n/, $text;
    }
    return $self;
}

sub write_all {
    my ($self) = @_;
    my $folder = $self->{folder};
    spew("$folder/report.tsv",
        join '', map { join("\t", @$_) . "\n" } @{ $self->{lines} });
    my %plot = $self->plots;
    spew("$folder/bench-$_.svg", $plot{$_}) for keys %plot;
    my $text = "# What it costs\n\n" . $self->goals . $self->wrong;
    $text .= "\n![$CAPTION{$_}](bench-$_.svg)\n" for sort keys %plot;
    $text .= "\n" . slurp("$folder/$_.md")
        for @{ $self->{ran} };
    spew("$folder/report.md", $text);
    spew("$folder/summary.md", $self->summary);
    return;
}

# ---- goals -------------------------------------------------------------------

# The rows of requests against their goals, those of nginx: instructions and
# lookups that a request costs more, and the ratio of CPU time; of several
# requests the worst. "!" marks a goal that is missed.
sub goals {
    my ($self) = @_;
    my (%cell, @labels);
    for my $line (grep { $_->[1] eq 'goal' && $_->[6] } @{ $self->{lines} }) {
        my (undef, undef, $subject, $value, $most, undef, $label, $unit) =
            @$line;
        my ($server) = $subject =~ /^(\w+)/;
        push @labels, $label if !$cell{$label};
        my $cell = $cell{$label}{$server}{$unit} //= [$value, $most];
        $cell->[0] = $value if $value > $cell->[0];
    }
    return '' if !@labels;
    return markdown(['', 'goal', 'nginx', 'prefork'], map {
        my $of = $cell{$_};
        [$_, all($of->{nginx}, 1), map { all($_) } @$of{qw(nginx prefork)}]
    } @labels);
}

# All figures of a cell, or their goals.
sub all {
    my ($cell, $goals) = @_;
    return join ', ', map { my ($value, $most) = @{ $cell->{$_} };
        number($goals ? $most : $value)
            . (!$goals && $value > $most ? '!' : '') }
        grep { $cell->{$_} } qw(instructions lookups times);
}

# ---- the part for the document -----------------------------------------------

# The goals, and whole requests beside those of peers.
sub summary {
    my ($self) = @_;
    return ("### Against the goals\n\n" . $self->goals . $self->peers
        . $self->wrong) =~ s/(?<=\d) (?=\d{3}\b)/,/gr;
}

sub peers {
    my ($self) = @_;
    my @columns = ([bare => 'bare'], [on => 'with iri'], [map => '`map`'],
        [lua => 'Lua'], [speling => 'mod_speling'],
        [rewrite => 'mod_rewrite'], [encoding => 'mod_encoding']);
    my $text = '';
    for my $server ('nginx', 'prefork') {
        my ($of, @ids) = $self->requests($server);
        @ids = grep { /$SHOWN/ && !/$OMITTED/ } @ids or next;
        my @known = grep { my $name = $_->[0]; grep { $of->{$_}{$name} } @ids }
            @columns;
        $text .= "\n" . markdown([$server, map { $_->[1] } @known],
            map { my $id = $_; [$id =~ s/^any: //r,
                map { cell($of->{$id}{ $_->[0] }) } @known] } @ids);
    }
    return $text eq '' ? '' : "\n### Instructions, against peers\n$text";
}

sub cell {
    my ($cell) = @_;
    return '' if !$cell;
    return number($cell->{instructions})
        . (($cell->{status} // 200) == 200 ? '' : ", $cell->{status}");
}

sub markdown {
    my (@rows) = @_;
    my @rule = ('---', ('---:') x (@{ $rows[0] } - 1));
    return join '', map { '| ' . join(' | ', @$_) . " |\n" } $rows[0], \@rule,
        @rows[1 .. $#rows];
}

# The statuses that were not as expected.
sub wrong {
    my ($self) = @_;
    return join '', map { "\nWRONG STATUS: $_->[2]: $_->[3], not $_->[4]\n" }
        grep { $_->[1] eq 'wrong' } @{ $self->{lines} };
}

# ---- plots -------------------------------------------------------------------

sub plots {
    my ($self) = @_;
    my %plot;
    $plot{size}       = $self->by_size;
    $plot{growth}     = $self->by_length;
    $plot{"added-$_"} = $self->added($_)  for @SERVERS;
    delete @plot{ grep { !defined $plot{$_} } keys %plot };
    return %plot;
}

# Instructions of a folded match by the size of the directory.
sub by_size {
    my ($self) = @_;
    my %points;
    for my $line (grep { $_->[0] =~ /^fold/ } @{ $self->{lines} }) {
        my (undef, $server, $levels, $id, $name, $measure, $value) = @$line;
        next if ($measure // '') ne 'instructions' || $levels ne 'case'
            || $id !~ /^case d(\d+)$/ || $name =~ /bare|off/;
        $points{"$server $name"}{$1} = $value;
    }
    my %name = ('nginx on' => 'nginx, iri_match case',
        'httpd on' => 'httpd, IRIMatch case',
        'httpd case' => 'mod_speling, case only (301)',
        'httpd speling' => 'mod_speling (301)');
    my @series = map { my $of = $points{$_}; [$name{$_} // $_,
        [map { [$_, $of->{$_}] } sort { $a <=> $b } keys %$of]] }
        sort { ($a =~ /on$/ ? 0 : 1) <=> ($b =~ /on$/ ? 0 : 1) || $a cmp $b }
        keys %points;
    return if !@series || @{ $series[0][1] } < 2;
    return lines('A name in another case', 'names in the directory',
        'instructions of the request', @series);
}

sub by_length {
    my ($self) = @_;
    my (%points, @kinds);
    for my $line (grep { $_->[0] eq 'growth' } @{ $self->{lines} }) {
        my (undef, undef, $server, $kind, $length, $value) = @$line;
        next if $line->[1] ne 'growth' || $server ne 'nginx'
            || $length =~ /\D/;
        push @kinds, $kind if !$points{$kind};
        push @{ $points{$kind} }, [$length, $value];
    }
    return if !@kinds;
    return lines('What a long target costs nginx more', 'octets of the target',
        'instructions, on less off', map { [$_, $points{$_}] } @kinds);
}

# { row => { cell => { measure => value } } } of a server, and rows in order.
sub requests {
    my ($self, $server) = @_;
    my (%of, @order);
    for my $line (grep { $_->[1] eq 'request' && $_->[2] eq $server }
        @{ $self->{lines} })
    {
        my (undef, undef, undef, $id, $cell, $measure, $value) = @$line;
        push @order, $id if !$of{$id};
        $of{$id}{$cell}{$measure} = $value;
    }
    return (\%of, @order);
}

sub added {
    my ($self, $server) = @_;
    my ($of, @rows) = $self->requests($server);
    my @groups;
    for my $id (grep { !/raw|listing|redirect/ } @rows) {
        my $base = $of->{$id}{base}{instructions} // next;
        push @groups, [$id, $of->{$id}{on}{instructions} - $base];
    }
    return if !@groups;
    return bars("$server: what a request costs more",
        'instructions, on less off (the same page in UTF-8 and NFC)',
        @groups);
}

1;
