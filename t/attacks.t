# The attack table on both servers: every line, in four orders, judged by the
# rules for every row and by its own code. IRI_SEED repeats a shuffled order;
# IRI_ATTACKS=conf,... runs these settings only, IRI_ATTACKS_SERVER=nginx one
# server. See t/attacks/README.md.
use IRI::Test;
use IRI::Attacks;

my @servers = grep { !$ENV{IRI_ATTACKS_SERVER}
        || $_ eq $ENV{IRI_ATTACKS_SERVER} } qw(nginx httpd);
my $missing = join ', ', grep { defined } map { missing($_) } @servers;
plan skip_all => $missing if $missing;

my $seed   = seed(0);
my $tables = IRI::Attacks::load();
my %wanted = map { $_ => 1 } split /,/, $ENV{IRI_ATTACKS} // '';
my @confs  = grep { !%wanted || $wanted{ $_->{conf} } } @{ $tables->{confs} };
diag "IRI_SEED=$seed" if $ENV{IRI_SEED};
note "shuffled with IRI_SEED=$seed";

my %sum = map { $_ => 0 } qw(runs violations controls refused stock);
my %most = map { $_ => 0 } qw(cpu memory candidates calls unmeasured);
for my $server (@servers) {
    run_conf($server, $_) for @confs;
}
summary();
done_testing;

# All orders of one conf on one server.
sub run_conf {
    my ($kind, $conf) = @_;
    my $run = IRI::Attacks->new(tables => $tables, kind => $kind,
        conf => $conf, seed => $seed);
    my $stock = stock_results($kind, $conf);
    for my $order ($run->orders) {
        my @wrong = judge_pass($run, $stock, $run->pass($order));
        my $more  = $order eq 'shuffled' ? ", IRI_SEED=$seed" : '';
        ok !@wrong, "$kind, $conf->{conf}, $order$more"
            or diag join "\n", @wrong;
    }
    for my $measure (keys %most) {
        my $value = $run->{"most_$measure"} // 0;
        $most{$measure} = $value if $value > $most{$measure};
    }
    is_deeply [$run->unexpected_errors], [],
        "$kind, $conf->{conf}: error log";
    $run->stop;
    return;
}

# Results of a stock server for the lines that it breaks by itself, by id.
sub stock_results {
    my ($kind, $conf) = @_;
    my %ids = map { $_->{id} => 1 } grep { $tables->{stock}{"$_->{id} $kind"} }
        grep { $_->{conf} eq $conf->{conf} } @{ $tables->{rows} };
    return {} if !%ids;
    my $run = IRI::Attacks->new(tables => $tables, kind => $kind,
        conf => $conf, stock => 1, only => \%ids);
    my %results = map { $_->{row}{id} => $_ } $run->pass('table');
    $run->stop;
    return \%results;
}

# Counts the results of a pass; returns what is wrong, a text a row.
sub judge_pass {
    my ($run, $stock, @results) = @_;
    my @wrong;
    for my $result (@results) {
        my $row = $result->{row};
        my $id  = "$row->{id} $run->{kind}";
        $sum{runs}++ if $row->{conf};
        my @failures = $run->verdict($result, $stock->{ $row->{id} });
        $sum{stock}++ if $tables->{stock}{$id};
        if (IRI::Attacks::is_control($row)) {
            $sum{controls}++;
            $sum{refused}++ if @failures;
        }
        next if !@failures;
        $sum{violations}++;
        push @wrong, join "\n  ", join(' ', grep { defined } @$row{
            qw(id method target host headers invariant)}), @failures;
    }
    return @wrong;
}

# Prints the totals.
sub summary {
    my $lines = grep { my $row = $_; grep { $_->{conf} eq $row->{conf} }
            @confs } @{ $tables->{rows} };
    note "$lines lines, run $sum{runs} times, $sum{violations} violations";
    note "controls $sum{controls}, of these refused $sum{refused}";
    note "no worse than stock (stock.tsv) $sum{stock}";
    note sprintf 'most of a request: CPU %.2f ms, memory %d KiB, '
        . '%d candidates, %d calls of the file system', $most{cpu} / 1e6,
        $most{memory} / 1024, @most{qw(candidates calls)};
    note 'CPU or memory of processes cannot be told here'
        if $most{unmeasured};
    return;
}
