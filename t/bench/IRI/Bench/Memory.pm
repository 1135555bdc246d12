# The memory that the module adds to a worker: idle, after a few requests of
# each kind, and for each request in flight. The memory of an index is measured
# by the group index.
package IRI::Bench::Memory;
use strict;
use warnings;
use Encode 'encode';
use IO::Socket::INET;
use IRI::Bench::Server 'columns';
use IRI::Bench::Table;
use IRI::Server qw(slurp temp_dir);
use Socket qw(SOL_SOCKET SO_RCVBUF);
use Time::HiRes 'sleep';

*number = \&IRI::Bench::Table::number;

my $MOST         = 1536;       # KiB for each worker
my $MOST_REQUEST = 4096;       # octets
my $UNDER_WAY    = 40;         # in httpd each request occupies a thread
my $LARGE        = 64 << 20;   # more than the buffers of a socket hold
# One process with enough threads for all requests.
my $EVENT = "ThreadLimit 64\nServerLimit 1\nThreadsPerChild 64\n"
    . "MaxRequestWorkers 64\nAsyncRequestWorkerFactor 8\n";
my $PREFORK = "MinSpareServers 1\nMaxSpareServers 1\nMaxRequestWorkers 1\n";
my @TARGETS = (
    [ASCII => '/guide.html', '/guide.html'],
    ['Japanese' => '/%E3%82%AC.html', '/%E3%82%AC.html'],
    ['Japanese in NFD' => '/%E3%82%AB%E3%82%99.html', '/%E3%82%AC.html'],
);

sub run {
    my ($class, $table, %option) = @_;
    my $self = bless { %option, table => $table, root => temp_dir() },
        $class;
    for my $name ('guide', encode('UTF-8', "\x{30AC}")) {
        open my $file, '>', "$self->{root}/$name.html" or die "$name: $!\n";
        truncate $file, $LARGE;
    }
    $self->rest;
    $self->under_way;
    return;
}

sub start {
    my ($self, $server_kind, $column) = @_;
    my ($name, @conf) = @$column;
    my $conf = $conf[ $server_kind ne 'nginx' ];
    my %option = $conf eq 'stock' ? (stock => 1) : $server_kind eq 'nginx'
        ? (places => $conf) : (conf => $conf);
    $option{conf} = ($option{conf} // '')
        . ($server_kind eq 'event' ? "\n$EVENT" : $server_kind eq 'prefork'
            ? "\n$PREFORK" : '');
    my $server = IRI::Bench::Server::new_server($server_kind, whole => 1,
        root => $self->{root}, %option);
    return $server;
}

# Memory of a process in KiB: Rss, Pss, and private memory.
sub kib {
    my ($pid) = @_;
    my $text = slurp("/proc/$pid/smaps_rollup");
    my %kib  = $text =~ /^(\w+):\s+(\d+) kB$/mg;
    return ($kib{Rss}, $kib{Pss}, $kib{Private_Clean} + $kib{Private_Dirty});
}

# The only worker, once it runs.
sub worker {
    my ($server) = @_;
    sleep 0.5;
    my @workers = $server->workers;
    die "memory: ", scalar @workers, " workers\n" if @workers != 1;
    return $workers[0];
}

# ---- at rest -----------------------------------------------------------------

sub rest {
    my ($self) = @_;
    my $table = $self->{table};
    $table->text('### Memory of a worker');
    $table->text('KiB by smaps_rollup: resident (Rss), its share (Pss), its '
        . 'own (Private); at rest, and after 300 requests.');
    $table->text('');
    my (@lines, @goals);
    for my $server_kind (qw(nginx event prefork)) {
        my %of = map { $_->[0] => [$self->rested($server_kind, $_)] } columns();
        for my $name (map { $_->[0] } columns()) {
            push @lines,
                ["$server_kind $name", map { number($_) } @{ $of{$name} }];
            my @names = map { ("rss$_", "pss$_", "private$_") } '', '_after';
            $table->figure('memory', $server_kind, $name, $names[$_],
                $of{$name}[$_]) for 0 .. $#names;
        }
        push @goals, ["$server_kind worker at rest, Rss",
            $of{on}[0] - $of{bare}[0], $MOST, 'KiB'],
            ["$server_kind worker at rest, Private", $of{on}[2] - $of{bare}[2],
                $MOST, 'KiB'];
    }
    $table->table(['', 'Rss', 'Pss', 'Private', 'Rss after', 'Pss after',
        'Private after'], @lines);
    $table->goal(@$_) for @goals;
    $table->text('');
    return;
}

sub rested {
    my ($self, $server_kind, $column) = @_;
    my $server = $self->start($server_kind, $column);
    my $worker = worker($server);
    my @rest   = kib($worker);
    for my $target (@TARGETS) {
        my $asked = $column->[0] =~ /bare|off/ ? 2 : 1;
        for (1 .. 100) {
            my $answer = $server->asker->request({
                target => $target->[$asked], method => 'HEAD' });
            $self->{table}->status("memory $server_kind $target->[0], $column->[0]",
                $answer->status, 200) if $answer->status != 200;
        }
    }
    my @after = kib($worker);
    $server->stop;
    return (@rest, @after);
}

# ---- under way ---------------------------------------------------------------

# Requests whose clients do not read the response: so all are in flight at
# once, and their memory is measured from outside. In prefork each has a
# process.
sub under_way {
    my ($self) = @_;
    my $table = $self->{table};
    $table->text('### Memory of a request under way');
    $table->text("Octets that the worker's own memory grows for each of "
        . "$UNDER_WAY requests that are not yet sent to their end.");
    $table->text('');
    my (@lines, @goals);
    for my $server_kind (qw(nginx event)) {
        for my $target (@TARGETS) {
            my %of = map { $_->[0] => $self->grown($server_kind, $_, $target) }
                (columns())[0 .. 2];
            push @lines, ["$server_kind $target->[0]",
                map { number(sprintf '%.0f', $_) } @of{qw(bare off on)}];
            $table->figure('memory', $server_kind, $_, "request $target->[0]",
                sprintf '%.0f', $of{$_}) for sort keys %of;
            push @goals, ["$server_kind request, $target->[0]",
                sprintf('%.0f', $of{on} - $of{off}), $MOST_REQUEST,
                'octets'];
        }
    }
    $table->table(['', 'bare', 'off', 'on'], @lines);
    $table->goal(@$_) for @goals;
    $table->text('');
    return;
}

sub grown {
    my ($self, $server_kind, $column, $target) = @_;
    my $server = $self->start($server_kind, $column);
    my $worker = worker($server);
    my $path   = $target->[ $column->[0] eq 'on' ? 1 : 2 ];
    # Memory that the first requests of a kind allocate is kept.
    my @first  = $self->stuck($server, $path, $UNDER_WAY / 2);
    my $before = (kib($worker))[2];
    my @links  = $self->stuck($server, $path, $UNDER_WAY);
    my $after  = (kib($worker))[2];
    close $_ for @first, @links;
    $server->stop;
    return 1024 * ($after - $before) / $UNDER_WAY;
}

# Connections with a request of which only the head of the response was read.
sub stuck {
    my ($self, $server, $path, $count) = @_;
    my @links;
    for (1 .. $count) {
        my $link = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $server->port, Proto => 'tcp')
            or die "memory: $@\n";
        setsockopt $link, SOL_SOCKET, SO_RCVBUF, pack 'i', 4096;
        print {$link} "GET $path HTTP/1.1\r\nHost: a\r\n\r\n";
        $link->flush;
        push @links, $link;
    }
    for my $link (@links) {
        sysread $link, my $head, 12 or die "memory: no answer\n";
        my ($status) = $head =~ / (\d+)/;
        $self->{table}->status("memory $path", $status // 0, 200)
            if ($status // 0) != 200;
    }
    return @links;
}

1;
