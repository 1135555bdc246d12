# Throughput by wrk: the same server without the module, with it and off, on,
# and with other software, for a second each in turn; the ratio in each round,
# and its median. Also the CPU time of the server's processes, which depends
# less on other load of the machine.
package IRI::Bench::Wall;
use strict;
use warnings;
use IRI::Bench::Figures qw(interleaved load median quartiles ratios
    wrk_figures);
use IRI::Bench::Others;
use IRI::Bench::Request;
use IRI::Bench::Server;
use IRI::Bench::Table;
use IRI::Bench::Trees 'trees';
use IRI::Server 'capture';

*number = \&IRI::Bench::Table::number;

my $SIZE = 3000;
my $PAGE = 500;
my $LINKS = 4;      # connections
my @ROWS = ('any: ASCII', 'any: ASCII, absent', 'any: Japanese',
    'any: Japanese in NFD', 'Shift_JIS');
my %PEER = (nginx => 'lua', event => 'rewrite', prefork => 'rewrite');

sub run {
    my ($class, $table, %option) = @_;
    my $self = bless { %option, table => $table }, $class;
    $self->{root} = trees($option{trees}, map { "$_$SIZE" } qw(d ja));
    $table->text('### Throughput');
    $table->text("wrk, 1 thread, $LINKS connections, a second a time, "
        . "$option{repeat} rounds in turn; beside each the microseconds of "
        . 'CPU for a request, and in parentheses the quartiles of the ratio '
        . 'to bare; load at the start: ' . load() . '. Bare and off are asked '
        . 'for the same page in UTF-8 and NFC.');
    $table->text('');
    my @rows = map { my $id = $_; grep { $_->{id} eq $id }
        IRI::Bench::Request::rows($option{rows}) } @ROWS;
    my @lines =
        map { my $server_kind = $_; map { $self->row($server_kind, $_) } @rows }
        grep { !$option{server} || $_ =~ /$option{server}/ }
        qw(nginx event prefork);
    $table->table(['', 'bare, requests/s', 'off', 'on', 'peer',
        'off : bare', 'on : bare', 'peer : bare', 'CPU, on : bare'], @lines);
    return;
}

sub row {
    my ($self, $server_kind, $row) = @_;
    my @columns = map { [$_] } qw(bare off on);
    push @columns, grep { $_->[0] eq $PEER{$server_kind} }
        IRI::Bench::Others->of($server_kind, $SIZE);
    my $base = IRI::Bench::Request::base($row);
    my (%server, %path, %cpu);
    for my $column (@columns) {
        my ($name, $conf) = @$column;
        my $settings = $name eq 'on' ? $row->{on} : $name;
        $server{$name} =
            IRI::Bench::Server::new_server($server_kind, whole => 1,
            root => $self->{root},
            enough($conf ? %$conf : IRI::Bench::Request::conf(
                { what => $server_kind }, $settings), $server_kind));
        $path{$name} = ($name =~ /^(?:bare|off)$/ ? $base : $row->{target})
            ->($PAGE);
        my $answer = $server{$name}->ask_until($path{$name}, $row->{wanted});
        $self->{table}->status("wall $server_kind $row->{id}, $name",
            $answer->status, $row->{wanted});
    }
    my @names = map { $_->[0] } @columns;
    $self->round($server{$_}, $path{$_}, $row->{wanted},
        "$server_kind $row->{id}, $_")
        for @names;    # until all workers are there
    my $rates = interleaved($self->{repeat}, sub {
        my ($name) = @_;
        my ($rate, $cpu) = $self->round($server{$name}, $path{$name},
            $row->{wanted}, "$server_kind $row->{id}, $name");
        push @{ $cpu{$name} }, $cpu;
        return $rate;
    }, @names);
    $_->stop for values %server;
    return $self->line($server_kind, $row, \@names, $rates, \%cpu);
}

# Options; in prefork a process for each connection from the start.
sub enough {
    my $server_kind   = pop;
    my %option = @_;
    $option{conf} = ($option{conf} // '') . "\nStartServers 5\n"
        . "MinSpareServers 5\nMaxSpareServers 10\n"
        if $server_kind eq 'prefork';
    return %option;
}

# Requests per second, and CPU microseconds for each.
sub round {
    my ($self, $server, $path, $wanted, $server_kind) = @_;
    my $port   = $server->port;
    my $before = $server->on_cpu;
    my ($code, $out, $err) = capture('', 'wrk', '-t1', "-c$LINKS", '-d1s',
        "http://127.0.0.1:$port$path");
    my $figures = wrk_figures($out);
    die "wrk: $err$out\n" if $code || !$figures || !$figures->{requests};
    my $cpu  = $server->on_cpu - $before;
    my $odd  = $wanted == 404 ? $figures->{requests} - $figures->{other}
        : $figures->{other};
    $self->{table}->status("wall $server_kind: $odd answers", 0, $wanted)
        if $odd;
    $self->{table}->status("wall $server_kind: $figures->{errors} errors", 0,
        $wanted) if $figures->{errors};
    return ($figures->{rate}, 1e6 * $cpu / $figures->{requests});
}

sub line {
    my ($self, $server_kind, $row, $names, $rates, $cpu) = @_;
    my $id = $row->{id};
    my (%rate, %ratio);
    for my $name (@$names) {
        my $rate = median(@{ $rates->{$name} });
        my $us   = median(@{ $cpu->{$name} });
        $self->{table}->figure('wall', $server_kind, $id, $name, 'rate',
            sprintf '%.0f', $rate);
        $self->{table}->figure('wall', $server_kind, $id, $name, 'cpu_us',
            sprintf '%.2f', $us);
        $rate{$name} = number(sprintf '%.0f', $rate)
            . sprintf(', %.1f', $us);
        next if $name eq 'bare';
        my @quartiles = quartiles(ratios($rates->{$name}, $rates->{bare}));
        $self->{table}->figure('wall', $server_kind, $id, $name, 'ratio',
            map { sprintf '%.4f', $_ } @quartiles);
        $ratio{$name} = sprintf '%.3f (%.3f to %.3f)', @quartiles[1, 0, 2];
    }
    my $on  = median(ratios($cpu->{on}, $cpu->{bare}));
    $self->{table}->figure('wall', $server_kind, $id, 'on', 'cpu_ratio',
        sprintf '%.4f', $on);
    my ($peer) = grep { !/^(?:bare|off|on)$/ } @$names;
    return ["$server_kind $id", @rate{qw(bare off on)},
        $peer ? "$peer $rate{$peer}" : '', @ratio{qw(off on)},
        $peer ? $ratio{$peer} : '', sprintf('%.3f', $on)];
}

1;
