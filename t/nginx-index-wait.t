# nginx: a request that waits for the index of a directory.
#
# The client may close the connection meanwhile, or send more; no rule runs
# twice. IRI_WAITS: rounds of each case; IRI_SEED=n repeats the random clients.
use IRI::Test 'nginx';
use IO::Socket::INET;
use Socket qw(SOL_SOCKET SO_LINGER);
use Time::HiRes qw(sleep);

my $NAMES = $ENV{IRI_WAIT_NAMES}
    // 30_000;    # read by a thread, which takes some time
my $TIMES = $ENV{IRI_WAITS} // 10;

my ($root) = make_tree([qw(www/huge/Name.txt=name www/x=x)]);
for (1 .. $NAMES) {
    open my $file, '>', "$root/www/huge/File$_.txt" or die "File$_.txt: $!\n";
}

my $server = nginx(root => $root, log_level => 'info', workers => 1,
    conf => <<'END');
default_type text/plain;
iri on;
iri_match case;
iri_cache 16m;
limit_req_zone $server_port zone=slow:64k rate=3r/s;
server {
    listen 127.0.0.1:%%PORTup%%;
    iri off;
    location / { return 404; }
    # each after the other, which takes longer than an index
    location /count {
        limit_req zone=slow burst=100;
        access_log %%TMP%%/count.log;
        alias %%ROOT%%/www/x;
    }
}
# A named location makes the page for a 404 of an upstream.
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    location / {
        iri_match exact;
        proxy_pass http://127.0.0.1:%%PORTup%%;
        proxy_intercept_errors on;
        error_page 404 = @static;
    }
    location @static { root %%ROOT%%/www; }
}
# Rules before and after the wait.
server {
    listen 127.0.0.1:%%PORTrules%%;
    root %%ROOT%%;
    add_header X-Seen "$server $location ($args)" always;
    set $server "$server+";
    location / {
        set $location "$location+";
        set $args "${args}a";
        rewrite ^/(.*)$ /www/$1 break;
    }
    location /asked/ {
        set $location "$location+";
        alias %%ROOT%%/www/;
        if (!-e $request_filename) { return 402; }
    }
    location /last/ { rewrite ^/last/(.*)$ /www/$1 last; }
    location /www/ { set $location "$location-"; }
    location /body/ {
        alias %%ROOT%%/www/;
        dav_methods PUT;
        client_max_body_size 1k;
        error_page 413 = @large;
    }
    location @large { root %%ROOT%%/www; rewrite ^/body/(.*)$ /$1 break; }
    location /slow/ {
        alias %%ROOT%%/www/;
        post_action /www/x;
    }
    location /counted/ {
        alias %%ROOT%%/www/;
        post_action /count;
    }
    location /count {
        iri_match exact;
        proxy_pass http://127.0.0.1:%%PORTup%%/count;
    }
}
END

# The directory changes, so its index must be built again.
my $changes = 0;
sub change {
    my $name = "$root/www/huge/New" . $changes++;
    spew($name, '');
    unlink $name or die "$name: $!\n";
    return;
}

sub open_connection {
    my ($name) = @_;
    return IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $server->port($name)) // die "connect: $@\n";
}

sub head {
    my ($method, $target) = @_;
    return "$method $target HTTP/1.1\r\nHost: localhost\r\n";
}

# Reads until the server closes the connection.
sub rest {
    my ($socket) = @_;
    my $read = '';
    1 while sysread $socket, $read, 65536, length $read;
    return $read;
}

my $end = "Connection: close\r\n\r\n";
my %way = (
    'one more octet' => sub {
        my ($socket, $target) = @_;
        syswrite $socket, head('GET', $target) . "\r\n";
        sleep 0.002;
        syswrite $socket, 'G';
        sleep 0.002;
        syswrite $socket, substr(head('GET', '/x'), 1) . $end;
        return rest($socket);
    },
    'pipelined' => sub {
        my ($socket, $target) = @_;
        syswrite $socket, (head('GET', $target) . "\r\n") x 3
            . head('GET', '/x') . $end;
        return rest($socket);
    },
);
for my $target ('/huge/nosuch.txt', '/huge/NAME.txt') {
    for my $way (sort keys %way) {
        my $wanted = $target =~ /NAME/ ? 200 : 404;
        my %got;
        for (1 .. $TIMES) {
            change();
            my $read = $way{$way}->(open_connection(''), $target);
            my @status = $read =~ m{HTTP/1\.1 (\d+)}g;
            # The last request is for an existing file.
            $got{ (pop @status // 'none') eq '200' ? "@status" : 'cut off' }++;
        }
        my $count = $way eq 'pipelined' ? 3 : 1;
        is_deeply \%got, { join(' ', ($wanted) x $count) => $TIMES },
            "$target, $way";
    }
    for (1 .. $TIMES) {
        change();
        my $socket = open_connection('');
        syswrite $socket, head('GET', $target) . "\r\n";
        sleep 0.001 * ($_ % 3);
        close $socket;
    }
    is $server->get('/x')->status, 200, "$target, closed: another is served";
}

# HTTP/2: one stream waits while others are served, or the client closes.
for (1 .. $TIMES) {
    change();
    my $client = $server->client(proto => 'h2', port => $server->port('h2'));
    my @answers = $client->pipeline('/huge/NAME.txt', '/x', '/huge/nosuch.txt');
    is join(' ', map { $_->status } @answers), '200 200 404', 'HTTP/2'
        if $_ == 1;
    change();
    $client->connect;
    $client->{streams} = {};
    $client->open_stream({ method => 'GET', target => '/huge/nosuch.txt' });
    sleep 0.001 * ($_ % 3);
    $client->disconnect;
}
is $server->get('/x', proto => 'h2', port => $server->port('h2'))->status,
    200, 'HTTP/2, closed: another is served';

# A client that closes a connection that post_action follows.
for (1 .. $TIMES) {
    change();
    my $socket = open_connection('rules');
    syswrite $socket, head('GET', '/slow/huge/NAME.txt') . "\r\n";
    sleep 0.001 * ($_ % 3);
    close $socket;
}
is $server->get('/slow/huge/NAME.txt', port => $server->port('rules'))->status,
    200, 'post_action';

# A build that ends does not run a post_action again that is under way.
my $attempts = 6;
my $log      = $server->tmp . '/count.log';
$server->get('/count', port => $server->port('up'));
for (1 .. $attempts) {
    change();
    my $socket = open_connection('rules');
    syswrite $socket, head('GET', "/counted/huge/NAME.txt?$_") . "\r\n";
    sleep 0.001;
    close $socket;
    $server->settle;    # one build at a time
}
$server->wait_for(sub { -e $log
    && (() = slurp($log) =~ /\n/g) >= 1 + $attempts });
$server->settle;
is scalar(() = slurp($log) =~ /\n/g), 1 + $attempts, 'post_action runs once';

# ---- no rule runs twice --------------------------------------------------------

for (['/huge/NAME.txt', '+ + (a)'], ['/huge/Name.txt', '+ + (a)'],
    ['/asked/huge/NAME.txt', '+ + ()'], ['/last/huge/NAME.txt', '+ - ()'],
    ['/www/huge/NAME.txt', '+ - ()'])
{
    my ($target, $seen) = @$_;
    my %got;
    for (1 .. $TIMES) {
        change();
        my $answer = $server->get($target, port => $server->port('rules'));
        $got{ join ' ', $answer->status, $answer->header('X-Seen') }++;
    }
    is_deeply \%got, { "200 $seen" => $TIMES }, "$target: each rule once";
}

# ---- a body that is discarded while the request waits --------------------------

for (1 .. $TIMES) {
    change();
    my $socket = open_connection('rules');
    syswrite $socket, head('PUT', '/body/huge/NAME.txt')
        . "Content-Length: 5000\r\n\r\n" . 'x' x 2000;
    sleep 0.001 * ($_ % 3);
    if ($_ % 2) {
        syswrite $socket, 'x' x 3000 . head('GET', '/www/x') . $end;
        my $read = rest($socket);
        is scalar(() = $read =~ m{HTTP/1\.1 \d+}g), 1, 'a body' if $_ == 1;
    }
    close $socket;
}

# ---- clients at random ---------------------------------------------------------

# Up to three connections at once, each with some pipelined requests, in pieces
# of any length; the client reads all, or closes at any moment.
my %status = (
    '' => {
        '/huge/NAME.txt' => 200, '/huge/nosuch.txt' => 404,
        '/huge/Name.txt' => 200, '/x' => 200,
    },
    rules => {
        '/huge/NAME.txt'       => 200, '/huge/nosuch.txt'       => 404,
        '/asked/huge/NAME.txt' => 200, '/asked/huge/nosuch.txt' => 402,
        '/last/huge/NAME.txt'  => 200, '/last/huge/nosuch.txt'  => 404,
        '/slow/huge/NAME.txt'  => 200, '/www/x'                 => 200,
    },
);
my $seed = seed($ENV{IRI_WAITS});
diag "IRI_SEED=$seed, $TIMES attempts";

sub one_of { return $_[rand @_] }

# A connection, the octets to send and the expected responses.
sub client_at_random {
    my $port    = one_of(sort keys %status);
    my @targets = map { one_of(sort keys %{ $status{$port} }) }
        0 .. rand 4;
    my $text = join '', map { head('GET', $_) . "\r\n" } @targets;
    my @pieces;
    $text =~ s/\r\n\z/$end/;
    push @pieces, substr $text, 0, 1 + rand length $text, ''
        while length $text;
    return {
        socket => open_connection($port), pieces => \@pieces,
        due    => join(' ', map { $status{$port}{$_} } @targets),
        goes   => one_of('never', 'early', 'later', 'reset', 'half'),
    };
}

# Sends the next piece, or closes; true while there is more to send.
sub send_piece {
    my ($client) = @_;
    my ($socket, $goes) = @$client{qw(socket goes)};
    return 0 if !@{ $client->{pieces} };
    if ($goes eq 'early' && rand() < 0.3) {
        $client->{pieces} = [];
        close $socket;
        return 0;
    }
    syswrite $socket, shift @{ $client->{pieces} };
    return scalar @{ $client->{pieces} };
}

# Reads the rest, or closes; what was received is the beginning of the expected
# responses, and all of them if the client did not close.
sub finish {
    my ($client) = @_;
    my ($socket, $goes, $due) = @$client{qw(socket goes due)};
    return if !defined fileno $socket;
    setsockopt $socket, SOL_SOCKET, SO_LINGER, pack 'll', 1, 0
        if $goes eq 'reset';
    shutdown $socket, 1 if $goes eq 'half';
    my $read = $goes =~ /never|half/ ? rest($socket) : '';
    close $socket;
    my $got = join ' ', $read =~ m{HTTP/1\.1 (\d+)}g;
    return if $goes eq 'never' ? $got eq $due : $due =~ /^\Q$got\E/;
    return "$goes: $got, not $due";
}

my @wrong;
local $SIG{PIPE} = 'IGNORE';
srand $seed;
for (1 .. $TIMES) {
    change() if rand() < 0.8;
    my @clients = map { client_at_random() } 0 .. rand 3;
    my @sending = @clients;
    while (@sending) {
        @sending = grep { send_piece($_) } @sending;
        sleep rand 0.003 if rand() < 0.5;
    }
    push @wrong, map { finish($_) } @clients;
}
is_deeply \@wrong, [], 'clients at random';
is $server->get('/x')->status, 200, 'another is served';

$server->settle;
done_testing;
