# CPU time and latency of requests. CPU time is that of all processes of the
# server, from schedstat: the ratio of a server with the module on to one with
# it off, the median of paired rounds, in which one and the other come first in
# turn. Latency is the time until a client on the same machine has the response,
# also while a thread builds the index of a large directory.
package IRI::Bench::Cpu;
use strict;
use warnings;
use parent 'IRI::Bench::Request';
use IRI::Bench::Figures qw(interleaved load median quantile);
use IRI::Bench::Trees 'trees';
use Time::HiRes 'time';

my $REQUESTS = 400;       # of a round
my $LATENCY  = 20_000;    # requests whose latency is measured
my $LARGE    = 'd1000000';

sub run {
    my ($class, $table, %option) = @_;
    $table->text('### CPU time');
    $table->text('Microseconds of a request, off and on, and their ratio; '
        . 'load ' . load() . '.');
    $table->text('');
    my (@lines, @goals);
    for my $server_kind (qw(nginx event prefork)) {
        my $self = $class->new($table, %option, group => $server_kind);
        for my $row (grep { $_->{class} } $self->rows) {
            print STDERR "$server_kind, CPU, $row->{id}\n"
                if $self->{verbose};
            my ($off, $on, $ratio) = $self->row($row);
            push @lines, ["$server_kind $row->{id}",
                map { sprintf '%.2f', $_ } $off, $on, $ratio];
            my (undef, undef, $most) =
                IRI::Bench::Request::goal($server_kind, $row->{class});
            push @goals, ["$server_kind $row->{id}, CPU", $ratio, $most,
                'times', $IRI::Bench::Request::CLASSES{ $row->{class} }[0]];
            $table->figure('cpu', $server_kind, $row->{id}, $ratio);
        }
    }
    $table->table(['', 'off', 'on', 'ratio'], @lines);
    $table->goal(@$_) for @goals;
    $table->text('');
    $class->new($table, %option, group => 'nginx')->latency
        if "@{ $option{sizes} }" =~ /\b1000000\b/;
    return;
}

# Microseconds of a request of the row, off and on, and the median of the
# ratios of the rounds.
sub row {
    my ($self, $row) = @_;
    my %target = (on => $row->{target}, off => IRI::Bench::Request::base($row));
    my %server = map { $_ => $self->server($self->settings($_, $row),
        whole => 1) } qw(on off);
    my $answer = $server{on}->ask_until(
        sub { $row->{target}->(0) }, $row->{wanted});
    $self->{table}->status("$self->{what} $row->{id}, CPU", $answer->status,
        $row->{wanted});
    for my $name (qw(on off)) {
        $target{$name} = IRI::Bench::Request::each_name($target{$name});
        $server{$name}->ask($target{$name}, 3000);
    }
    my $spent = interleaved(2 * $self->{repeat} + 1, sub {
        my ($name) = @_;
        my $before = $server{$name}->on_cpu;
        $server{$name}->ask($target{$name}, $REQUESTS);
        return 1e6 * ($server{$name}->on_cpu - $before) / $REQUESTS;
    }, qw(off on));
    $_->stop for values %server;
    my ($off, $on) = @$spent{qw(off on)};
    return (median(@$off), median(@$on),
        median(map { $on->[$_] / $off->[$_] } 0 .. $#$off));
}

# Quantiles of the latency in nginx with one worker.
sub latency {
    my ($self) = @_;
    my ($row) = grep { $_->{id} eq 'any: Japanese' } $self->rows or return;
    my $root  = trees($self->{trees}, 'ja3000', $LARGE);
    my %conf  = (off => 'iri off;', on => 'iri on;',
        'on, while an index is built' =>
            'iri on; iri_match case; iri_cache 256m threads=default;');
    my @lines;
    for my $name (sort keys %conf) {
        my $server = IRI::Bench::Server::new_server('nginx', root => $root,
            whole => 1, places => $conf{$name});
        my $target = IRI::Bench::Request::each_name($row->{target});
        $server->ask($target, 3000);
        my $other = $server->client(timeout => 600);
        if ($name =~ /index/) {
            $other->connect;
            $other->put("GET /$LARGE/NONE HTTP/1.1\r\nHost: bench\r\n\r\n");
        }
        my @times = map { my $start = time; $server->ask($target);
            1e6 * (time - $start) } 1 .. $LATENCY;
        $server->stop;
        push @lines, ["nginx, $name",
            map { sprintf '%.0f', quantile($_, @times) } 0.5, 0.99, 0.999, 1];
        $self->{table}->figure('latency', @{ $lines[-1] });
    }
    $self->{table}->text('### Latency');
    $self->{table}->text("Microseconds of $LATENCY requests in turn for a name "
        . 'in Japanese.');
    $self->{table}->text('');
    $self->{table}->table(['', 'p50', 'p99', 'p99.9', 'most'], @lines);
    return;
}

1;
