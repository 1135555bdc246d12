# httpd: IRIHost edits header lines while they are read: for any fragmentation,
# with any lines around them, up to the limits, on persistent connections;
# httpd parses the edited line like the original one.
use IRI::Test 'httpd';
use IRI::Both 'site_of';
use MIME::Base64 'decode_base64';
use Time::HiRes 'sleep';

my $tmp = temp_dir();
for my $site (qw(first buecher echo)) {
    mkdir "$tmp/$site";
    spew("$tmp/$site/index.html", $site);
}

my $SITES = <<'END'
Header always set X-Request "expr=%{base64:%{THE_REQUEST}}"
Header always set X-Hosts "expr=%{base64:%{HTTP_HOST}|%{HTTP:X-Host}}"
LogFormat "%{Host}^ti" trailer
CustomLog "%%TMP%%/trailer.log" trailer
END
    . vhost('first.example', "$tmp/first")
    . vhost("b\xC3\xBCcher.example", "$tmp/buecher")
    . vhost("echo.example \xC3\xA9cho.example", "$tmp/echo");

sub server {
    my ($conf, %more) = @_;
    return httpd(conf => "IRIEngine On\nIRIHost On\n$conf\n$SITES",
        modules => ['headers', 'reqtimeout'], %more);
}

my $strict = server('');
my $unsafe = server('HttpProtocolOptions Unsafe');
my %server = (Strict => $strict, Unsafe => $unsafe);
my $HOST = "b\xC3\xBCcher.example";

sub raw {
    my ($server, $octets) = @_;
    return site_of($server->client->send_raw($octets));
}

# ---- pieces ------------------------------------------------------------------

for my $options (sort keys %server) {
    my $server = $server{$options};
    for my $size (1, 2, 3, 7) {
        my $request = "GET http://$HOST/ HTTP/1.1\r\nX: y\r\n"
            . "Host: $HOST:80\r\nConnection: close\r\n\r\n";
        is pieces($server, $size, $request), 'buecher',
            "$options: absolute form, $size octets a packet";
        is pieces($server, $size, $request =~ s/http:\S+/\//r), 'buecher',
            "$options: Host line, $size octets a packet";
    }
}

# Sends a few octets in each packet.
sub pieces {
    my ($server, $size, $request) = @_;
    my $client = $server->client;
    $client->connect;
    for my $piece ($request =~ /(.{1,$size})/gs) {
        $client->put($piece);
        sleep 0.0005;
    }
    return site_of($client->read_answer('GET') // return 'nothing');
}

# ---- syntax of the request --------------------------------------------------

# Request, response with Strict, response with Unsafe.
my @REQUESTS = (
    ['empty lines first', "\r\n\r\nGET / HTTP/1.1\r\nHost: $HOST\r\n\r\n",
        qw(buecher buecher)],
    ['no blank, tabs', "GET / HTTP/1.1\r\nhOsT:$HOST\t\t\r\n\r\n",
        qw(buecher buecher)],
    ['a blank before the colon', "GET / HTTP/1.1\r\nHost : $HOST\r\n\r\n",
        400, 400],
    ['LF alone', "GET / HTTP/1.1\nHost: $HOST\n\n", qw(400 buecher)],
    ['CR alone', "GET / HTTP/1.1\r\nHost: $HOST\rX: y\r\n\r\n", 400, 400],
    ['CR twice', "GET / HTTP/1.1\r\nHost: $HOST\r\r\n\r\n", 400, 400],
    ['NUL behind', "GET / HTTP/1.1\r\nHost: $HOST:80\0\r\n\r\n", 400, 400],
    ['NUL within', "GET / HTTP/1.1\r\nHost: b\xC3\xBC\0cher.example\r\n\r\n",
        400, 400],
    ['a longer name',
        "GET / HTTP/1.1\r\nHosts:$HOST\r\nHost: $HOST\r\n\r\n",
        qw(buecher buecher)],
    ['folded behind', "GET / HTTP/1.1\r\nHost: $HOST\r\n x\r\n\r\n",
        qw(400 first)],
    ['folded before', "GET / HTTP/1.1\r\nHost:\r\n $HOST\r\n\r\n", 400, 400],
    ['folded within',
        "GET / HTTP/1.1\r\nHost: b\xC3\xBC\r\n cher.example\r\n\r\n",
        qw(400 first)],
    ['in a folded line',
        "GET / HTTP/1.1\r\nX: y\r\n Host: $HOST\r\nHost: first.example\r\n\r\n",
        qw(first first)],
    ['two lines', "GET / HTTP/1.1\r\nHost: $HOST\r\nHost: $HOST\r\n\r\n",
        400, 400],
    ['two lines, plain first',
        "GET / HTTP/1.1\r\nHost: first.example\r\nHost: $HOST\r\n\r\n",
        400, 400],
    ['two lines, plain last',
        "GET / HTTP/1.1\r\nHost: $HOST\r\nHost: first.example\r\n\r\n",
        qw(400 first)],
    ['no Host line', "GET http://$HOST/ HTTP/1.1\r\n\r\n", 400, 400],
    ['HTTP/1.0, no Host line', "GET / HTTP/1.0\r\n\r\n", qw(first first)],
    ['HTTP/1.0, absolute', "GET http://$HOST/ HTTP/1.0\r\n\r\n",
        qw(buecher buecher)],
    ['HTTP/1.0, Host line', "GET / HTTP/1.0\r\nHost: $HOST\r\n\r\n",
        qw(buecher buecher)],
    ['HTTP/0.9', "GET http://$HOST/\r\n", 0, 0],
    ['absolute and another Host line',
        "GET http://$HOST/ HTTP/1.1\r\nHost: first.example\r\n\r\n",
        qw(buecher buecher)],
    ['the Host line does not count',
        "GET http://first.example/ HTTP/1.1\r\nHost: $HOST\r\n\r\n",
        qw(first first)],
    ['a scheme in capitals',
        "GET HTTP://$HOST HTTP/1.1\r\nHost: x\r\n\r\n", qw(buecher buecher)],
    ['no scheme', "GET $HOST/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, 400],
    ['one slash', "GET http:/$HOST/ HTTP/1.1\r\nHost: x\r\n\r\n", 404, 404],
    ['a query before the slashes',
        "GET x?y://$HOST/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, 400],
    ['two schemes',
        "GET http:x://$HOST/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, 400],
    ['no scheme but slashes',
        "GET 1://$HOST/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, 400],
    ['another scheme',
        "GET ftp://$HOST/ HTTP/1.1\r\nHost: first.example\r\n\r\n",
        400, 400],
    ['a path like a target',
        "GET /http://$HOST/ HTTP/1.1\r\nHost: echo.example\r\n\r\n", 404, 404],
    ['a path like an authority',
        "GET //$HOST/ HTTP/1.1\r\nHost: echo.example\r\n\r\n", 404, 404],
    ['blanks in the request line',
        "GET  http://$HOST/  HTTP/1.1\r\nHost: x\r\n\r\n", qw(400 buecher)],
    ['a blank before the request line',
        " GET http://$HOST/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, 400],
    ['a tab in the request line',
        "GET http://$HOST\t/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, 400],
    ['DEL in the target',
        "GET http://$HOST\x7F/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, 400],
    ['OPTIONS *', "OPTIONS * HTTP/1.1\r\nHost: $HOST\r\n\r\n", '', ''],
    ['CONNECT', "CONNECT $HOST:80 HTTP/1.1\r\nHost: $HOST\r\n\r\n", 400, 400],
    ['CONNECT, absolute form',
        "CONNECT http://$HOST/ HTTP/1.1\r\nHost: $HOST\r\n\r\n", 400, 400],
    ['two ports', "GET http://$HOST:80:80/ HTTP/1.1\r\nHost: x\r\n\r\n",
        400, 400],
    ['no host', "GET http:/// HTTP/1.1\r\nHost: $HOST\r\n\r\n",
        qw(first first)],
);
for my $request (@REQUESTS) {
    is raw($strict, $request->[1]), $request->[2], "Strict: $request->[0]";
    is raw($unsafe, $request->[1]), $request->[3], "Unsafe: $request->[0]";
}

# ---- other fields are not changed -------------------------------------------

my $QUERY = "?\xC3\xBC=http://%C3%BC.example/%&\xFF";
my $answer = $strict->client->request({
    target  => "http://%C3%A9cho.example:80/$QUERY",
    host    => "\xC3\xA9cho.example:8080",
    headers => ['X-Host', "h \xC3\xBC%C3%BC"],
});
is echoed($answer), "GET http://xn--cho-9la.example:80/$QUERY HTTP/1.1|"
    . "xn--cho-9la.example:80|h \xC3\xBC%C3%BC",
    'only the host is edited';

$answer = $strict->client->request(
    { target => "http:/$HOST/", host => 'first.example' });
is echoed($answer), "GET http:/$HOST/ HTTP/1.1|first.example|",
    'a request without a host is unchanged';

# The request line, Host and X-Host in httpd.
sub echoed {
    my ($answer) = @_;
    return join '|', map { decode_base64($answer->header($_) // '') }
        qw(X-Request X-Hosts);
}

# ---- limits ------------------------------------------------------------------

# The limits apply to the received and to the edited line.
my $limited = server("LimitRequestLine 100\nLimitRequestFieldSize 60");
my $escaped = 'b%C3%BCcher.example';    # 19 octets, the A-labels 21
# httpd itself accepts one octet more than the limit.
my %sites = (-2 => [qw(buecher buecher)], -1 => [qw(buecher buecher)],
    0 => [414, 400], 1 => [414, 400]);
for my $more (-2 .. 1) {
    my $line = "GET http://$escaped/? HTTP/1.1";
    my $pad  = 'x' x (100 + $more - length $line);
    my $octets = "GET http://$escaped/?$pad HTTP/1.1\r\nHost: x\r\n\r\n";
    is raw($limited, $octets), $sites{$more}[0],
        "a request line of 100 octets and $more";
    $pad = ' ' x (60 + $more - length "Host:$escaped");
    $octets = "GET / HTTP/1.1\r\nHost:$pad$escaped\r\n\r\n";
    is raw($limited, $octets), $sites{$more}[1],
        "a Host line of 60 octets and $more";
}
# The received host is longer than its A-labels.
my $long = 'b%C3%BC%63%68%65%72%2E%65%78ample';
for my $more (0 .. 2) {
    my $pad = ' ' x (60 + $more - length "Host:$long");
    is raw($limited, "GET / HTTP/1.1\r\nHost:$pad$long\r\n\r\n"),
        $more <= 1 ? 'buecher' : 400, "escapes up to 60 octets and $more";
    $pad = 'x' x (100 + $more - length "GET http://$long/? HTTP/1.1");
    is raw($limited, "GET http://$long/?$pad HTTP/1.1\r\nHost: x\r\n\r\n"),
        $more <= 1 ? 'buecher' : 414, "in a request line, 100 and $more";
}
is raw($strict, "GET / HTTP/1.1\r\nHost: " . 'b%C3%BC' x 2000 . "\r\n\r\n"),
    400, 'a line of 14,000 octets';
is raw($strict, "GET http://" . 'b%C3%BC' x 2000 . "/ HTTP/1.1\r\nHost: x\r\n"
    . "\r\n"), 414, 'a request line of 14,000 octets';
my $big = server("LimitRequestLine 20000\nLimitRequestFieldSize 20000");
is raw($big, "GET / HTTP/1.1\r\nHost:" . ' ' x 17_000 . "$HOST\r\n\r\n"),
    'buecher', 'a line of 17,000 octets where it may be so long';
is raw($big, "GET http://$HOST/?" . 'x' x 17_000 . " HTTP/1.1\r\nHost: x\r\n"
    . "\r\n"), 'buecher', 'a request line of 17,000 octets';
is raw($big, "GET / HTTP/1.1\r\nHost:"
    . ' ' x (20_000 + $_ - length "Host:$long") . "$long\r\n\r\n"),
    $_ <= 1 ? 'buecher' : 400, "20,000 octets and $_" for 1, 2;
is raw($big, "GET / HTTP/1.1\r\nHost: " . 'b%C3%BC' x 2000 . "\r\n\r\n"),
    400, 'a host of 14,000 octets';

# A line received in pieces, the second of which starts like another line:
# httpd reads 8,000 octets at once, and returns parts of a line from 8,192 on.
my $head = "GET / HTTP/1.1\r\nX-Host: ";
my $tail = "Host: $escaped";
my $piece = 'x' x (16_000 - length $head) . $tail;
$answer = $big->client->send_raw(
    "$head$piece\r\nHost: \xC3\xA9cho.example\r\n\r\n");
is echoed($answer), "GET / HTTP/1.1|xn--cho-9la.example|$piece",
    'no Host line starts within a line';
$head = 'GET /?';
$piece = 'x' x (16_000 - length $head) . "Host:$escaped";
$answer = $big->client->send_raw(
    "$head$piece HTTP/1.1\r\nHost: \xC3\xA9cho.example\r\n\r\n");
is echoed($answer), "$head$piece HTTP/1.1|xn--cho-9la.example|",
    'nor within a request line';

# Half a line, then the connection ends.
for my $half ("GET http://$HOST", "GET / HTTP/1.1\r\nHost: $HOST") {
    my $client = $strict->client;
    $client->connect;
    $client->put($half);
    shutdown $client->{socket}, 1;
    my $got = $client->read_answer('GET');
    is $got ? $got->status : $client->{error},
        $half =~ /Host/ ? 400 : 'connection closed', 'half a line';
}

# ---- persistent connections -------------------------------------------------

for my $options (sort keys %server) {
    my $client = $server{$options}->client;
    my @hosts = map { ($HOST, 'first.example', 'b%C3%BCcher.example',
        'other', "\xC3\xA9cho.example", "\xFF") } 1 .. 5;
    my @want = map { (qw(buecher first buecher first echo 400)) } 1 .. 5;
    # in origin form: t/host.t; except for 400, which ends the connection with
    # Strict; of pipelined requests httpd has read the first octet in advance
    my @some = grep { $want[$_] ne 400 } 0 .. $#want;
    my @sites = map { site_of($_) } $client->pipeline(
        map { { target => "http://$_/", host => 'x' } } @hosts[@some]);
    is_deeply \@sites, [@want[@some]], "$options: pipelined, absolute";
}

# A body that looks like header lines is a body; the next request follows it.
for my $body ("Host: $HOST\r\n\r\n", "GET http://$HOST/ HTTP/1.1\r\n") {
    my $server = $strict;
    my $client = $server->client;
    $client->connect;
    $client->put("POST / HTTP/1.1\r\nHost: \xC3\xA9cho.example\r\n"
        . 'Content-Length: ' . length($body) . "\r\n\r\n$body"
        . "POST / HTTP/1.1\r\nHost: \xC3\xA9cho.example\r\n"
        . "Transfer-Encoding: chunked\r\n\r\n"
        . sprintf("%x\r\n%s\r\n0\r\n", length $body, $body)
        . "Host: $HOST\r\nX-Host: $HOST\r\n\r\n"
        . "GET / HTTP/1.1\r\nHost: first.example\r\n\r\n"
        . "GET / HTTP/1.1\r\nHost: $HOST\r\nConnection: close\r\n\r\n");
    my @sites = map { $client->read_answer('GET') } 1 .. 4;
    is_deeply [map { $_->status } @sites], [(200) x 4],
        'bodies that look like header lines';
    is echoed($_), 'POST / HTTP/1.1|xn--cho-9la.example|',
        'bodies are unchanged' for @sites[0, 1];
    is $sites[2]->body . $sites[3]->body, 'firstbuecher',
        'the next request is edited';
}

# Nor is text after a body edited, with a Host line before it or without.
for my $host ("Host: \xC3\xA9cho.example\r\n", '') {
    my $version = $host ? '1.1' : '1.0';
    is raw($strict, "POST / HTTP/$version\r\n${host}Transfer-Encoding: chunked"
        . "\r\n\r\n1\r\nx\r\n0\r\nHost: $HOST\r\n\r\n"),
        $host ? 'echo' : 'first', "a trailer, HTTP/$version";
}
my $trailers = sub {
    return grep { $_ ne '-' } split /\n/, slurp($strict->tmp . '/trailer.log');
};
$strict->wait_for(sub { $trailers->() == 4 });
is_deeply [$trailers->()], [('b\xc3\xbccher.example') x 4],
    'log lines contain the hosts as sent';

is_deeply [$_->errors], [], 'error log'
    for $strict, $unsafe, $limited, $big;
done_testing;
