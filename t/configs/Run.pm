# Runs configurations with their cases, many in one server, and minimizes those
# that fail.
package Run;
use strict;
use warnings;
use utf8;
use File::Path ();
use IRI::Server qw(slurp temp_dir);
use Judge;
use Wire;

# Runs a list of [config, cases] in one server. Returns the violations, each
# with the number of its configuration in the list, and unexpected lines of the
# error log. Configurations that the server rejects are left out.
sub ask {
    my ($class, @pairs) = @_;
    my ($started, $tmp);
    my @numbers = 0 .. $#pairs;
    my %refused;
    until ($started) {
        $tmp = temp_dir();
        my $now = $class->start($tmp, map { [$_, $pairs[$_][0]] } @numbers);
        $started = eval { $now->{server}->start; $now };
        last if $started;
        my $error = $@;
        stop($now, $tmp);
        my $number = refused($class, $now, $error);
        # a message without a line number
        $number = @numbers == 1 ? $numbers[0] : return halves($class, @pairs)
            if !defined $number || $refused{$number};
        $refused{$number} = 1;
        print STDERR "# refused: ", $error =~ /(\[emerg\].*|AH\d+.*|Syntax.*)/
            ? $1 : $error, "\n" if $ENV{IRI_VERBOSE};
        @numbers = grep { $_ != $number } @numbers;
        return { violations => [], refused => \%refused, requests => 0,
            oracles => 0, log => [] } if !@numbers;
    }
    my (@own, @oracle, @at);
    for my $number (@numbers) {
        my ($config, $cases) = @{ $pairs[$number] };
        my ($own, $oracle) = Judge::requests($class, $config, $cases,
            "$number.test");
        push @at, [$number, scalar @own, scalar @$own, scalar @oracle,
            scalar @$oracle];
        push @own,    @$own;
        push @oracle, @$oracle;
    }
    my $wire    = Wire->new(port => $started->{port});
    my $site    = $pairs[0][0]{site};
    my @answers = $wire->ask(sub { $site->stir }, @own);
    my @right   = $wire->ask(undef, @oracle);
    my @found;
    for my $at (@at) {
        my ($number, $first, $count, $oracle, $oracles) = @$at;
        push @found, map { { %$_, number => $number } } Judge::judge($class,
            @{ $pairs[$number] }, [@answers[$first .. $first + $count - 1]],
            [@right[$oracle .. $oracle + $oracles - 1]]);
    }
    my @log = stop($started, $tmp);
    return { violations => \@found, refused => \%refused, log => \@log,
        requests => scalar @own, oracles => scalar @oracle };
}

# The same in two servers, with half of the configurations each.
sub halves {
    my ($class, @pairs) = @_;
    my $half = int(@pairs / 2);
    my $one  = ask($class, @pairs[0 .. $half - 1]);
    my $two  = ask($class, @pairs[$half .. $#pairs]);
    $_->{number} += $half for @{ $two->{violations} };
    my %sum = map { $_ => $one->{$_} + $two->{$_} } qw(requests oracles);
    return { %sum, log => [@{ $one->{log} }, @{ $two->{log} }],
        violations => [@{ $one->{violations} }, @{ $two->{violations} }],
        refused => { %{ $one->{refused} }, map { ($_ + $half => 1) }
            keys %{ $two->{refused} } } };
}

sub stop {
    my ($started, $tmp) = @_;
    $started->{server}->stop;
    my @log = $started->{server}->errors(
        ignore => qr/\[(?:emerg|warn)\]|main process ended/);
    # lines that the oracle causes, too, are the server's own
    my %oracle = map { $_ => 1 } map { /^(.*server: )o(\d+\.test)/
        ? message($1) . $2 : () } @log;
    @log = grep { !/server: o\d/ && !(/^(.*server: )c(\d+\.test)/
        && $oracle{ message($1) . $2 }) } @log;
    unlink @{ $started->{files} // [] };
    File::Path::remove_tree($tmp) if !$ENV{IRI_KEEP};
    return @log;
}

sub message { return $_[0] =~ s/^.*?\*\d+ //r }

# The number of the configuration that the server's message rejects.
sub refused {
    my ($class, $now, $error) = @_;
    my $line = $class->error_line($error) // return;
    my $number;
    my @lines = split /\n/, $now->{text};
    for my $text (@lines[0 .. $line - 1]) {
        $number = $1 if $text =~ /^# config (\d+)$/;
    }
    return $number;
}

# ---- shrinking ---------------------------------------------------------------

# A smaller configuration with the same kind of violation for the same case: in
# each round every node is removed in a configuration of its own, and all that
# still fail are then tried together.
sub shrink {
    my ($class, $config, $violation) = @_;
    my %case = %{ $violation->{case} };
    delete $case{asked};
    my $kind = $violation->{kind};
    my $fails = sub {
        my (@nodes) = @_;
        my $result = ask($class, map { [{ %$config, nodes => $_ },
            [{ %case }]] } @nodes);
        my %failed = map { $_->{number} => $_ }
            grep { $_->{kind} eq $kind } @{ $result->{violations} };
        return \%failed;
    };
    my $nodes = $config->{nodes};
    # the plain tree, if the case fails there too
    if ($config->{tree} ne 'nfc') {
        my $other = { %$config, tree => 'nfc',
            nodes => without_filename($nodes) };
        my ($small, $last) = shrink($class, $other, $violation);
        return ($small, $last) if $small;
    }
    my $first = $fails->($nodes)->{0} // return;
    my $last  = $first;
    for (1 .. 30) {
        my @paths = paths_of($nodes);
        last if !@paths;
        my $failed = $fails->(map { without($nodes, $_) } @paths);
        my @able = sort { $a <=> $b } keys %$failed;
        last if !@able;
        # all at once, then half of them, then one
        my $done;
        for my $count (scalar @able, int(@able / 2), 1) {
            next if $count < 1;
            my $smaller = without($nodes, @paths[@able[0 .. $count - 1]]);
            my $still = $count == 1 ? $failed->{ $able[0] }
                : $fails->($smaller)->{0} // next;
            ($nodes, $last, $done) = ($smaller, $still, 1);
            last;
        }
        last if !$done;
    }
    return ({ %$config, nodes => $nodes }, $last);
}

# A copy without the settings for names on disk.
sub without_filename {
    my ($nodes) = @_;
    return [map { ref ? without_filename($_) : /^iri_?filename/i ? () : $_ }
        @$nodes];
}

# The positions of all nodes, as lists of numbers; and blocks that can be
# replaced by their content.
sub paths_of {
    my ($nodes, @above) = @_;
    my @paths;
    for my $number (0 .. $#$nodes) {
        my $node = $nodes->[$number];
        push @paths, join ' ', @above, $number
            if $node !~ /^iri(?: on$|engine on$|_?filename)/i;
        next if !ref $node;
        my @inside = @$node;
        push @paths, grep { !/ 0\z/ || split(' ', $_) > @above + 2 }
            paths_of(\@inside, @above, $number);
    }
    return grep { my @p = split; @p } @paths;
}

# A copy of nodes without those at some positions.
sub without {
    my ($nodes, @paths) = @_;
    my %gone = map { $_ => 1 } @paths;
    my $copy;
    $copy = sub {
        my ($list, @above) = @_;
        my @kept;
        for my $number (0 .. $#$list) {
            next if $gone{ join ' ', @above, $number };
            my $node = $list->[$number];
            push @kept, ref $node ? $copy->($node, @above, $number) : $node;
        }
        return \@kept;
    };
    return $copy->($nodes);
}

1;
