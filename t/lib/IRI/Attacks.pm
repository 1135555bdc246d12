# The attack table: t/attacks/*.tsv, and how its lines are run against nginx
# and httpd. A run is one settings row (conf) on one server, in four orders:
# that of the table, the reverse, a shuffled one, and that of the table again
# after a reload.
#
#   attacks.tsv     the lines, each for one or several requests; columns in
#                   t/attacks/README.md
#   stock.tsv       lines that the server breaks by itself: then the same line
#                   on a stock server must break in the same way
#
# The last has the columns id, server ("both" or one), reason.
package IRI::Attacks;
use strict;
use warnings;
use IRI::AttackJudge qw(judge_every judge_own judge_log judge_query writes);
use IRI::AttackServer;
use IRI::AttackTree;
use IRI::Cases 'core_options';
use IRI::Octets qw(octets escaped);
use IRI::Tree 'wait_for_age';
use List::Util qw(shuffle sum);
use Time::HiRes 'time';

my @ORDERS    = qw(table reversed shuffled reloaded);
# Rows about the effects of another row.
my %BEFORE = ('d-put-002' => 'd-put-001');

my $SECONDS   = 1;          # to answer in
my @MEASURED  = qw(BOUND NOLEAK_FAST);
my $DIRECTORY = __FILE__ =~ s{lib/IRI/[^/]*$}{attacks}r;

# ---- tables ------------------------------------------------------------------

# All tables: rows, confs, fixture, and by id and server the lines of stock.
sub load {
    my ($directory) = @_;
    $directory //= $DIRECTORY;
    my %table = map { $_ => [table("$directory/$_.tsv")] }
        qw(attacks conf fixture invariants stock);
    $table{attacks} = [map { each_of($_) } @{ $table{attacks} }];
    my %codes = map { $_->{code} => 1 } @{ $table{invariants} };
    my %confs = map { $_->{conf} => $_ } @{ $table{conf} };
    my %rows;
    for my $row (@{ $table{attacks} }) {
        die "id $row->{id} used twice\n" if $rows{ $row->{id} };
        die "$row->{id}: no conf $row->{conf}\n" if !$confs{ $row->{conf} };
        my ($code) = $row->{invariant} =~ /^(\w+)/;
        die "$row->{id}: no code $row->{invariant}\n"
            if !grep { /^\Q$code\E(?:[:\[]|$)/ } keys %codes;
        $rows{ $row->{id} } = $row;
    }
    my %stock;
    for my $line (@{ $table{stock} }) {
        die "stock.tsv: no line $line->{id}\n" if !$rows{ $line->{id} };
        die "stock.tsv: $line->{id} without a reason\n"
            if !length($line->{reason} // '');
        $stock{"$line->{id} $_"} = $line for
            $line->{server} eq 'both' ? qw(nginx httpd) : $line->{server};
    }
    return { rows => $table{attacks}, confs => $table{conf},
        fixture => $table{fixture}, stock => \%stock };
}

# The rows of a line: one for each combination of the values in its columns
# that may have several. The first has the id of the line, the others a number
# behind it.
sub each_of {
    my ($line) = @_;
    my @rows = ($line);
    for my $column (qw(conf method host target headers)) {
        my $between = $column eq 'headers' ? qr/ \| / : qr/ /;
        @rows = map { my $row = $_;
            map { { %$row, $column => $_ } } split $between, $row->{$column}
        } @rows;
    }
    $rows[$_]{id} .= "." . ($_ + 1) for 1 .. $#rows;
    return @rows;
}

# A table with a line of column names, as hashes.
sub table {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    chomp(my @lines = readline $in);
    my @columns = split /\t/, shift @lines;
    return map {
        my @cells = split /\t/, $_, -1;
        die "$file: ", scalar(@cells), " columns: $_\n" if @cells != @columns;
        my %row;
        @row{@columns} = @cells;
        \%row;
    } @lines;
}

# ---- a run -------------------------------------------------------------------

# Options: tables (of load), kind (nginx, httpd), conf (its row), seed, stock.
sub new {
    my ($class, %option) = @_;
    my $self = bless { memory => {}, changes => [], %option }, $class;
    my $name = $self->{conf}{conf};
    $self->{rows} = [grep { $_->{conf} eq $name } @{ $self->{tables}{rows} }];
    $self->{tree} = IRI::AttackTree->new($self->{conf},
        $self->{tables}{fixture});
    $self->{web} = IRI::AttackServer->new(
        kind => $self->{kind}, conf => $self->{conf}, tree => $self->{tree},
        stock => $self->{stock});
    # No choices of a directory that changed less than two seconds ago; a
    # request would get another response later.
    wait_for_age($self->{tree}->base, 2)
        if $self->{conf}{settings} =~ /ambiguous=300/;
    return $self;
}

# The orders in which a run goes through its rows.
sub orders { return @ORDERS }

# One pass in one order: a list of { row, every, own }, what is wrong by the
# rules for every row and by the row's own code.
sub pass {
    my ($self, $order) = @_;
    my @rows = @{ $self->{rows} };
    if ($self->{only}) {
        @rows = grep { $self->{only}{ $_->{id} } } @rows;
    }
    @rows = reverse @rows if $order eq 'reversed';
    if ($order eq 'shuffled') {
        srand $self->{seed};
        @rows = shuffle @rows;
    }
    $self->begin($order);
    my @results = map { $self->one($_) } @rows;
    push @results, $self->finish(@results);
    return @results;
}

# The initial state is restored; for the last pass the server restarts and
# directories are in another order.
sub begin {
    my ($self, $order) = @_;
    my ($web, $tree) = @$self{qw(web tree)};
    $self->{client}->disconnect if $self->{client};
    if ($order eq 'reloaded') {
        $tree->shuffle($_) for $tree->root, $tree->root . '/pub';
        $web->reload or die "$self->{kind} $self->{conf}{conf}: no reload\n";
    }
    $self->{client} = $web->server->client;
    $self->{pids}   = [$web->workers];
    $self->{view}   = $tree->view;
    $self->{log}    = $web->log_size;
    $self->warm_up if $self->measured;
    ($self->{errors}) = $web->error_log(0);
    # In one order each row has a connection of its own, in the others they
    # share a few connections.
    $self->{apart} = $order eq 'table';
    $self->{from} //= 0;
    $self->come_from_elsewhere;
    return;
}

# The next requests come from another address, so that the lines that the
# servers write about them, before or after the answer, can be told apart.
sub come_from_elsewhere {
    my ($self) = @_;
    my $number = ++$self->{from};
    $self->{local} = sprintf '127.%d.%d.%d', 64 + ($number >> 16),
        $number >> 8 & 255, $number & 255;
    for my $client ($self->clients) {
        $client->disconnect;
        $client->{local} = $self->{local};
    }
    return;
}

# The addresses used so far, one a port.
sub clients {
    my ($self) = @_;
    return map { $self->{$_} } grep { /^client/ } keys %$self;
}

# The cost of a plain request, once the processes have loaded the pages of
# their libraries and of the cache of indexes that they use: these are memory
# of the process, and a kernel without a zero page counts pages that are only
# read.
sub warm_up {
    my ($self) = @_;
    my %plain = (method => 'GET', id => 'plain', target => '/pub/none.txt');
    $self->request({ %plain, target => $_ }, 'again')
        for '/pub/%E3%81%82%CC%81', '/pub/%A4%A2', '/pub/%FF',
        '/deep/vi%E1%BB%87t/none';
    $self->{plain} = $self->measure(\%plain);
    return;
}

# Is a row of this run to be measured?
sub measured {
    my ($self) = @_;
    return scalar grep { is_measured($_) } @{ $self->{rows} };
}

sub is_measured {
    my ($row) = @_;
    my ($code) = ($row->{invariant} // '') =~ /^(\w+)/;
    return scalar grep { $_ eq ($code // '') } @MEASURED;
}

# One row: sent, judged, and its changes on disk reverted.
sub one {
    my ($self, $row) = @_;
    my %result = (row => $row, every => [], own => []);
    $self->come_from_elsewhere if $self->{apart};
    my $answer = $self->send($row);
    $self->look_at_changes($row);
    push @{ $result{every} }, @{ $self->{slow} },
        judge_every($row, $answer, $self);
    push @{ $result{own} }, judge_own($row, $answer, $self);
    $result{status} = $answer->status;
    $result{from}   = $self->{local};
    $result{lines}  = $self->{requests} * $self->lines_of($row);
    return \%result;
}

# How many lines of the error log a request may cause: one. A host with
# try_files logs one for each reading, and each denied candidate is logged.
sub lines_of {
    my ($self, $row) = @_;
    return $row->{host} eq 'lost.test' ? 2
        : $self->{conf}{conf} eq 'choose' ? 4 : 1;
}

# Does a stock server log more than one error about such a request?
sub may_log_more {
    my ($self, $row) = @_;
    return writes($row->{method}) || $self->{conf}{listing} eq 'on';
}

# The changes on disk by the row; they are reverted before the next row.
sub look_at_changes {
    my ($self, $row) = @_;
    $self->{changes} = [];
    return if !writes($row->{method});
    my $now = $self->{tree}->view;
    $self->{changes} = [IRI::AttackTree::changes($self->{view}, $now)];
    return;
}

# May a client write to this path? Paths are relative to the base of the tree.
sub may_write {
    my ($self, $path) = @_;
    return 0 if $self->{conf}{dav} ne 'on';
    return 1 if $path =~ m{^/docroot/up(?:/|$)};
    return $self->{conf}{conf} eq 'davalias' && $path =~ m{^/aliased/};
}

# ---- requests ----------------------------------------------------------------

# The answer to a row, with the time and CPU that it took.
sub send {
    my ($self, $row) = @_;
    $self->put_back;
    $self->{slow}     = [];
    $self->{requests} = 0;
    if (my $before = $BEFORE{ $row->{id} }) {
        my ($first) = grep { $_->{id} eq $before } @{ $self->{rows} };
        $self->request($first, 'before');
        $self->{view} = $self->{tree}->view;
        $self->{made_before} = 1;
    }
    $self->ask($row, target => octets($1))
        if $row->{invariant} =~ /^AFTER:(.*?)\|/;
    return is_measured($row) ? $self->measure($row) : $self->timed($row);
}

# Reverts the changes of the row before.
sub put_back {
    my ($self) = @_;
    my @changes = @{ $self->{changes} };
    $self->{tree}->restore($self->{view}, @changes) if @changes;
    $self->{changes} = [];
    if ($self->{made_before}) {
        $self->{tree}->fill;
        $self->{view} = $self->{tree}->view;
    }
    $self->{made_before} = 0;
    return;
}

# Sent once; if it takes too long, twice more, because a machine may be busy.
sub timed {
    my ($self, $row) = @_;
    my $start  = time;
    my $answer = $self->request($row, $row->{id});
    return $answer if time - $start < $SECONDS || writes($row->{method});
    for (1, 2) {
        $start  = time;
        $answer = $self->request($row, 'again');
        return $answer if time - $start < $SECONDS;
    }
    $self->{slow} = ["no answer in $SECONDS s, three times"];
    return $answer;
}

# Sent three times: the least CPU, minus that of a plain request, and memory.
sub measure {
    my ($self, $row) = @_;
    my @pids = @{ $self->{pids} };
    my ($least, $answer);
    my $before = IRI::AttackServer::peak(1, @pids);
    for my $time (1 .. 3) {
        my $used = IRI::AttackServer::cpu(@pids);
        $answer = $time == 1 && $row->{id} ne 'plain'
            ? $self->timed($row) : $self->request($row, 'again');
        $used  = IRI::AttackServer::cpu(@pids) - $used;
        $least = $used if !defined $least || $used < $least;
    }
    my $after = IRI::AttackServer::peak(0, @pids);
    $self->{most_unmeasured} = 1
        if !defined $before || !IRI::AttackServer::cpu(@pids);
    return $least if $row->{id} eq 'plain';
    $self->{cpu} = $least > $self->{plain} ? $least - $self->{plain} : 0;
    $self->{memory_grown} =
        defined $before && $after > $before ? $after - $before : 0;
    $self->{most_cpu} = $self->{cpu}
        if $self->{cpu} > ($self->{most_cpu} // 0);
    $self->{most_memory} = $self->{memory_grown}
        if $self->{memory_grown} > ($self->{most_memory} // 0);
    return $answer;
}

# An additional request for a judge: the row's own, with another target or
# port.
sub ask {
    my ($self, $row, %change) = @_;
    return $self->request($row, 'ask', %change);
}

# One request. The name of its row is in the log. A request that must not be
# repeated or that could be taken for the end of a request has a connection of
# its own.
sub request {
    my ($self, $row, $name, %change) = @_;
    my $target = $change{target} // octets($row->{target});
    $self->{requests}++;
    my $client = $self->{client};
    if (my $port = $change{port}) {
        $client = $self->{"client_$port"} //= $self->{web}->server->client(
            port  => $self->{web}->server->port($port),
            local => $self->{local});
    }
    my $host = $row->{host} // 'localhost';
    my %request = (
        method => $row->{method}, target => $target,
        headers => ['X-Row', $name,
            $self->with_absolute_destination($host, fields($row))],
    );
    $request{host} = $host eq '-' ? undef : octets($host);
    $request{body} = 'hello'
        if ($row->{headers} // '') =~ /^Content-Length: 5/;
    my $alone = writes($row->{method}) || $target =~ /[\0- ]/
        || ($row->{host} // '') =~ /\\x[01]/;
    $client->disconnect if $alone;
    my $answer = $client->request(\%request);
    $client->disconnect if $alone;
    return $answer;
}

# mod_dav answers 400 to a Destination that is not an absolute URI, and 502 to
# a port other than the server's: neither would test the path. So for httpd
# "/up/x" and "http://localhost/up/x" get the scheme, host and port of the
# server. All others ("//other/x", "up/x") are sent as the row has them.
sub with_absolute_destination {
    my ($self, $host, %fields) = @_;
    return %fields if $self->{kind} ne 'httpd' || $host eq '-';
    my $port = $self->{web}->server->port;
    for ($fields{Destination} // ()) {
        s{^(?:http://\Q$host\E)?/(?!/)}{http://$host:$port/};
    }
    return %fields;
}

# The header fields of a row; their lines are divided by CR LF.
sub fields {
    my ($row) = @_;
    return if ($row->{headers} // '-') eq '-';
    return map { my ($name, $value) = split /: ?/, $_, 2; ($name, $value) }
        grep { !/^Content-Length/ } split /\r\n/, octets($row->{headers});
}

sub stop { $_[0]{web}->stop }

# Unexpected lines of the error log. nginx logs at level crit that it could not
# rename an upload, and answers 500, which is judged by the row.
sub unexpected_errors {
    my ($self) = @_;
    return $self->{web}->server->errors(
        ignore => qr/\[crit\] .* rename\(\) /);
}

# The options of `iri explain` that correspond to this run.
sub explain_options {
    my ($self) = @_;
    return (core_options($self->{conf}{settings}),
        $self->{kind} eq 'httpd' ? '--escaped' : ());
}

# ---- after a pass ------------------------------------------------------------

# Checks at the end of a pass: the logs, the processes, the tree. Adds to the
# results of rows, and returns one more result for what belongs to no row.
sub finish {
    my ($self, @results) = @_;
    my $web = $self->{web};
    $_->disconnect for $self->clients;
    my %all = (row => { id => 'the whole pass' }, every => [], own => []);
    my @pids = $web->workers;
    push @{ $all{every} }, "processes @pids, not @{ $self->{pids} }"
        if "@pids" ne "@{ $self->{pids} }";
    $self->judge_logs(\%all, @results);
    $self->judge_errors(\%all, @results);
    $self->put_back;
    push @{ $all{every} }, map { 'changed: ' . escaped($_) }
        IRI::AttackTree::changes($self->{view}, $self->{tree}->view);
    return \%all;
}

# Each row has one line in the access log, or none where the server could not
# read its header fields; then there is one line without a name.
sub judge_logs {
    my ($self, $all, @results) = @_;
    my $web = $self->{web};
    my (%lines, $nameless);
    $web->server->wait_for(sub {
        %lines = ();
        push @{ $lines{ $_->[0] } }, $_ for $web->log_lines($self->{log});
        my $named = grep { $lines{ $_->{row}{id} } } @results;
        $nameless = @{ $lines{'-'} // [] } + @{ $lines{'?'} // [] };
        return $named + $nameless >= @results;
    });
    my $missing = 0;
    for my $result (@results) {
        my @own = @{ $lines{ $result->{row}{id} } // [] };
        $missing++ if !@own;
        push @{ $result->{every} }, judge_log($result->{row}, @own);
        push @{ $result->{own} }, judge_query($result->{row}, @own)
            if $result->{row}{invariant} eq 'QSAFE';
    }
    push @{ $all->{every} },
        "$missing rows without a line in the access log, $nameless lines"
        . ' without a name' if $missing > $nameless;
    return;
}

# The error log of a pass: not more lines than its rows may cause, grouped by
# client address, and no raw octet in our lines. Writes and listings make stock
# servers log more.
sub judge_errors {
    my ($self, $all, @results) = @_;
    my (%rows, %lines);
    push @{ $rows{ $_->{from} } }, $_ for @results;
    my ($end, @lines) = $self->{web}->error_log($self->{errors});
    my $raw = grep { /[^\x20-\x7E]/ } map { s/, client: .*//r }
        grep { /\biri: / } @lines;
    push @{ $all->{every} }, "$raw lines with raw octets in the error log"
        if $raw;
    for my $line ($self->{web}->errors_in(@lines)) {
        # Complete lines: nginx truncates long ones.
        my ($from) = $line =~ /\bclient:? ([\d.]+)[,:]/ or next;
        push @{ $lines{$from} }, $line;
    }
    for my $from (grep { $rows{$_} } keys %lines) {
        my @rows  = @{ $rows{$from} };
        my @logged  = @{ $lines{$from} };
        my $may   = sum map { $_->{lines} } @rows;
        @logged = grep { /\biri: / } @logged
            if grep { $self->may_log_more($_->{row}) } @rows;
        push @{ (@rows == 1 ? $rows[0] : $all)->{every} },
            join "\n    ", @logged . " lines in the error log, not $may",
            @logged
            if @logged > $may;
    }
    return;
}

# A sentence without file names: a stock server writes the octets that were
# sent.
sub kind {
    my ($sentence) = @_;
    return $sentence =~ s{ (?:[-+*])?/.*}{}sr;
}

# ---- verdicts ----------------------------------------------------------------

# Must the server answer this row with a file?
sub is_control {
    my ($row) = @_;
    my $control = qr/(?:OK|ONLY|SAMEAS|SAMEHEAD|VHOST|STABLE)(?::|$)/;
    return ($row->{invariant} // '') =~ /^(?:AFTER:.*\|)?$control/;
}

# What is reported about a result: a list of sentences, empty if all is well.
# stock is the result of the same row on a stock server, if there is one.
sub verdict {
    my ($self, $result, $stock) = @_;
    my $id    = "$result->{row}{id} $self->{kind}";
    my @every = @{ $result->{every} };
    my @own   = @{ $result->{own} };
    if ($self->{tables}{stock}{$id}) {
        return 'is kept now: take it out of stock.tsv' if !@every && !@own;
        return 'no stock server to compare with' if !$stock;
        my %there = map { kind($_) => 1 }
            @{ $stock->{every} }, @{ $stock->{own} };
        # Old nginx writes a raw LF into Location: it did not refuse.
        my $done = $there{'no answer'} ? qr/^not refused: 2/ : qr/^\b\B/;
        return map { "worse than stock: $_" }
            grep { !$there{ kind($_) } && $_ !~ $done } @every, @own;
    }
    return (@every, @own);
}

1;
