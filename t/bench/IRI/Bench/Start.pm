# The additional cost of a start: the configuration test in instructions and
# CPU time, a reload in CPU time, including that of the new worker.
package IRI::Bench::Start;
use strict;
use warnings;
use IRI::Bench::Figures qw(interleaved load median);
use IRI::Bench::Server 'columns';
use IRI::Bench::Table;
use IRI::Server qw(capture run_child slurp temp_dir);
use Time::HiRes 'sleep';

*number = \&IRI::Bench::Table::number;

my $MOST   = 5;    # ms
my $ROUNDS = 3;    # times --repeat, because a round is short

sub run {
    my ($class, $table, %option) = @_;
    my $self = bless { %option, table => $table }, $class;
    $table->text('### Start');
    $table->text('Instructions of a test of the configuration (nginx -t, '
        . 'apache2 -t), and its ms on a CPU; ms of a reload, with the new '
        . 'worker; medians of rounds in turn; load ' . load() . '.');
    $table->text('');
    my (@lines, @goals);
    for my $server_kind (qw(nginx event prefork)) {
        my $of = $self->server($server_kind);
        for my $name (map { $_->[0] } columns()) {
            push @lines, ["$server_kind $name", number($of->{$name}[0]),
                map { sprintf '%.1f', $_ } @{ $of->{$name} }[1, 2]];
            my @measures = qw(instructions test_ms reload_ms);
            $table->figure('start', $server_kind, $name, $measures[$_],
                sprintf '%.2f', $of->{$name}[$_]) for 0 .. 2;
            next if $name !~ /^(?:on|charsets)$/;
            push @goals,
                map { ["$server_kind $name, " . ('', 'test', 'reload')[$_],
                $of->{$name}[$_] - $of->{bare}[$_]] } 1, 2;
        }
    }
    $table->table(['', 'test, instructions', 'test, ms', 'reload, ms'],
        @lines);
    $table->goal(@$_, $MOST, 'ms') for @goals;
    $table->text('');
    return;
}

# { column => [instructions, ms, ms of a reload] }.
sub server {
    my ($self, $server_kind) = @_;
    my (%server, %of);
    for my $column (columns()) {
        my ($name, @conf) = @$column;
        my $conf = $conf[ $server_kind ne 'nginx' ];
        $server{$name} =
            IRI::Bench::Server::new_server($server_kind, whole => 1,
            $conf eq 'stock' ? (stock => 1)
            : (($server_kind eq 'nginx' ? 'places' : 'conf') => $conf));
    }
    my @names  = map { $_->[0] } columns();
    my $rounds = $ROUNDS * $self->{repeat};
    $of{$_}[0] = instructions($server{$_}) for @names;
    my $tests   = interleaved($rounds, sub { test_ms($server{$_[0]}) },
        @names);
    my $reloads = interleaved($self->{repeat},
        sub { reload_ms($server{$_[0]}) }, @names);
    $of{$_}[1] = median(@{ $tests->{$_} })   for @names;
    $of{$_}[2] = median(@{ $reloads->{$_} }) for @names;
    $_->stop for values %server;
    return \%of;
}

sub test_command {
    my ($server) = @_;
    my @command = grep { !/^(?:-D|FOREGROUND)$/ } $server->command;
    return (@command, '-t');
}

sub instructions {
    my ($server) = @_;
    my $counts = temp_dir() . '/counts';
    my ($code, $out, $err) = capture('', 'valgrind', '-q',
        '--tool=callgrind', "--callgrind-out-file=$counts",
        test_command($server));
    die "start: $err\n" if $code;
    my ($sum) = slurp($counts) =~ /^(?:summary|totals): (\d+)/m
        or die "start: nothing is counted\n";
    return $sum;
}

# /proc still has the times of a process that has ended and was not waited for.
sub test_ms {
    my ($server) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open my $null, '+<', '/dev/null';
        run_child($null, $null, $null, test_command($server));
    }
    sleep 0.001 until slurp("/proc/$pid/stat") =~ /\) Z /;
    my ($ns) = split ' ', slurp("/proc/$pid/schedstat");
    waitpid $pid, 0;
    die "start: the configuration is refused\n" if $?;
    return $ns / 1e6;
}

# CPU time of the main process and of the new workers.
sub reload_ms {
    my ($server) = @_;
    my %old    = map { $_ => 1 } $server->workers;
    my $before = $server->on_cpu($server->pid);
    $server->reload or die "start: no reload\n";
    $server->ask('/');
    delete $server->{asker};
    my @new = grep { !$old{$_} } $server->workers;
    return 1e3 * ($server->on_cpu($server->pid, @new) - $before);
}

1;
