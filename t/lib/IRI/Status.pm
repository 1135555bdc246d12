# The checks of the status page that both servers share. A server has the page
# at /status, and at /denied for nobody; its other paths, and its ports
# "report" and "off", are those of t/nginx-status.t and t/httpd-status.t.
package IRI::Status;
use strict;
use warnings;
use Digest::SHA 'sha256_base64';
use Exporter 'import';
use IRI::Prometheus;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(counted_for counters fetch increased report_cases
    request_cases test_hostile_clients test_page test_reload
    watch_killed_workers);

# The status page, in the format of a query.
sub fetch {
    my ($server, $query) = @_;
    return $server->get('/status' . ($query // ''));
}

# All counters, from JSON.
sub counters {
    my ($server) = @_;
    my $answer = fetch($server, '?format=json');
    is $answer->status, 200, 'JSON' if $answer->status != 200;
    return JSON::PP->new->utf8->decode($answer->body);
}

# Nested counters as (path.to.it => value, ...).
sub flat {
    my ($value, $name) = @_;
    return ref $value
        ? map { flat($value->{$_}, $name eq '' ? $_ : "$name.$_") }
            sort keys %$value
        : ($name => $value);
}

# The counters of one mode that a function increased, as "path.to.it=by". A
# request is counted after its response, perhaps much later.
sub increased {
    my ($server, $mode, $function) = @_;
    $server->settle;
    my %before = flat(counters($server)->{$mode}, '');
    $function->();
    $server->settle;
    my %after = flat(counters($server)->{$mode}, '');
    return map { "$_=" . ($after{$_} - ($before{$_} // 0)) }
        grep { $after{$_} != ($before{$_} // 0) } sort keys %after;
}

# For one request: the counters that differ from those of a plain one, without
# reasons.
my $PLAIN =
    qr/^(?:(?:requests|answers\.pass|matches\.none|queries\.query-ascii)=1$
    |reasons\.)/x;

sub counted_for {
    my ($server, $target, %option) = @_;
    my $mode = delete $option{mode} // 'on';
    my @more =
        increased($server, $mode, sub { $server->get($target, %option) });
    return join ' ', grep { $_ !~ $PLAIN } @more;
}

# Requests: target, counters, description.
my @REQUESTS = (
    ["/caf\xC3\xA9.txt", 'answers.serve=1 forms.native=1 matches.exact=1',
        'the entry was found'],
    ['/cafe%CC%81.txt',
        'answers.serve=1 forms.escaped=1 matches.normalization=1',
        'ignored differences'],
    ["/%C3%A9\xE2\x80\xAE", 'answers.refuse=1 forms.invalid=1', 'refused'],
    ['/fold/docs/README.TXT', 'answers.moved=1 forms.ascii=1 matches.case=1',
        'restarted'],
    ['/moved/%95%5c.txt',
        'answers.serve=1 forms.legacy=1 matches.charset=1 redirects.301=1',
        'redirected'],
    ['/fold301/docs/README.TXT',
        'answers.moved=1 forms.ascii=1 matches.case=1 redirects.308=1',
        'redirected after a restart'],
    ['/broken/caf%25C3%25A9.txt',
        'answers.moved=1 forms.double-encoding=1 matches.repair=1',
        'repaired: double encoding'],
    ['/broken/caf%C3%83%C2%A9.txt',
        'answers.moved=1 forms.mojibake=1 matches.repair=1',
        'repaired: mojibake'],
    ['/a.txt?q=%95%5c', 'forms.ascii=1 queries.query-read=1', 'a query'],
    ['/a.txt?q=%E8%A1%A8', 'forms.ascii=1 queries.query-utf8=1',
        'a query in UTF-8'],
    ['/a.txt?q=%FF%FF', 'forms.ascii=1 queries.query-unreadable=1',
        'a query in no charset'],
    ['/a.txt?q=a', 'forms.ascii=1', 'a query in ASCII'],
    ['/list/', 'forms.ascii=1', 'subrequests of a listing are not counted'],
);
my @FORMS = (['/caf%C3%A9.txt', 'escaped'], ["/caf\xC3\xA9.txt", 'native'],
    ["/caf\xC3\xA9%C3%A9.txt", 'mixed'], ['/%95%5c.txt', 'legacy'],
    ['/%E8%A1%A8%FF%A0.txt', 'legacy']);
my @REASONS = (["/%C3%A9\xE2\x80\xAE", 'bidi'],
    ['/fold/docs/README.TXT', 'folded'], ['/%C3%A9', 'absent']);

# Requests in mode "on". host encodes a host for the server.
sub request_cases {
    my ($server, $host) = @_;
    my $plain = 'answers.pass=1 forms.ascii=1 matches.none=1 '
        . 'queries.query-ascii=1 reasons.ascii=1 requests=1';
    my $count = sub {
        my ($target, %option) = @_;
        return increased($server, 'on', sub { $server->get($target, %option) });
    };
    is join(' ', $count->('/a.txt')), $plain, 'a plain request';
    is join(' ', $count->('/no')), $plain,
        'an error page is not counted as a request';
    is_deeply [increased($server, 'on', sub { fetch($server) })], [],
        'the status page is not counted';
    is_deeply [$count->('/a.txt', port => $server->port('off'))], [],
        'a request with the module off is not counted';
    is_deeply [$count->("bad\x01 request")], [],
        'a request that the server refuses is not counted';
    like counted_for($server, $_->[0]), qr/\bforms\.$_->[1]=1/,
        "form: $_->[1]" for @FORMS;
    is counted_for($server, $_->[0]), $_->[1], $_->[2] for @REQUESTS;
    is +(grep { /^reasons/ } $count->($_->[0]))[0], "reasons.$_->[1]=1",
        "reason: $_->[1]" for @REASONS;
    is counted_for($server, '/a.txt', host => $host->("b\xC3\xBCcher.example")),
        'forms.ascii=1', 'a host';
    is counted_for($server, '/a.txt', host => $host->("b\xFCcher.example")),
        '', 'a refused host is not counted';
    return;
}

# Requests in mode "report".
sub report_cases {
    my ($server) = @_;
    my @to = (mode => 'report', port => $server->port('report'));
    is counted_for($server, '/a.txt', @to), 'forms.ascii=1', 'report: plain';
    is counted_for($server, '/%95%5c.txt', @to),
        'answers.serve=1 forms.legacy=1 matches.charset=1', 'report: legacy';
    is counted_for($server, '/fold/docs/README.TXT', @to),
        'answers.moved=1 forms.ascii=1 matches.case=1', 'report: restart';
    is counted_for($server, "/broken/caf$_->[0].txt", @to),
        "answers.moved=1 forms.$_->[1]=1 matches.repair=1",
        "report: $_->[1]"
        for ['%25C3%25A9', 'double-encoding'], ['%C3%83%C2%A9', 'mojibake'];
    like counted_for($server, "/\xC3\xA9\xE2\x80\xAE", @to),
        qr/^answers\.refuse=1 /, 'report: refused';
    is_deeply [increased($server, 'on', sub {
        $server->get('/%95%5c.txt', port => $server->port('report')) })], [],
        'report mode has separate counters';
    return;
}

# The responses of the page in each format and to each method.
sub test_page {
    my ($server) = @_;
    my $answer = fetch($server);
    is $answer->status, 200, 'the page';
    is $answer->header('Content-Type'), 'text/html; charset=utf-8', 'HTML';
    is $answer->header('Cache-Control'), 'no-store', 'Cache-Control';
    is $answer->header('X-Content-Type-Options'), 'nosniff',
        'X-Content-Type-Options';
    my ($style) = $answer->body =~ m{<style>(.*?)</style>}s;
    like $answer->header('Content-Security-Policy'),
        qr/^default-src 'none'.*'sha256-\Q${\ sha256_base64($style)}\E='/,
        'Content-Security-Policy: only the style sheet, by its hash';
    is $answer->header('Content-Length'), length $answer->body,
        'Content-Length';
    my $head = $server->request('HEAD', '/status');
    is $head->status . $head->body, '200', 'HEAD';
    is $server->request('POST', '/status', body => 'a')->status, 405, 'POST';
    like $server->request('DELETE', '/status')->header('Allow'),
        qr/^(?=.*\bGET\b)(?=.*\bHEAD\b)(?!.*P)/, 'Allow';
    is $server->get('/denied')->status, 403, 'access rules of the page';
    is fetch($server, '?format=json')->header('Content-Type'),
        'application/json', 'JSON';
    is fetch($server, '?format=xml')->status, 400, 'no such format';
    is fetch($server, '?format=prometheus')->header('Content-Type'),
        'text/plain; version=0.0.4; charset=utf-8', 'Prometheus';
    is $server->get('/status', headers => ['Accept', 'application/json'])
        ->header('Content-Type'), 'text/html; charset=utf-8',
        'the format depends on the query only';
    return;
}

my @HOSTILE = (
    'http://a.example/</style><script>alert(1)</script>',
    'javascript:alert(1)', '"\'><img src=x onerror=alert(1)>', "\xFF\xFE\x80",
    "http://u:secret\@a.example/p?token=secret#secret",
    "\xE2\x80\xAEtxt.exe", "\xE2\x81\xA6\xE2\x80\x8F", 'a\\"b\\',
    ']]>&amp;&#0;', "\xED\xA0\x80\xF4\x90\x80\x80\xC0\xAF", '{"a":1}',
    'x' x 5000, ("\"" x 300), ("\xC3\xA9" x 400), ('&' x 300), '%00%0a',
    "\xEF\xBF\xBE", ('http://a.example/%E8%A1%A8') x 3,
);

# No text of clients breaks the page, JSON or Prometheus text.
sub test_hostile_clients {
    my ($server) = @_;
    for my $text (@HOSTILE) {
        $server->get('/%95%5c.txt',
            headers => ['Referer', $text, 'User-Agent', $text]);
    }
    $server->settle;

    my $html = fetch($server)->body;
    cmp_ok length $html, '<', 65536, 'length of the page';
    unlike $html, qr/<script|<img|javascript:[^<]*"|onerror=[^<]*>\s*</i,
        'no markup of clients';
    like $html, qr{<td class="text">http://a\.example/%E8%A1%A8</td>},
        'a URL that can be copied';
    unlike $html, qr/href="(?!\?|#)/, 'links lead to the page only';
    is_deeply [grep { /secret/ } map { $_->{text} }
            @{ counters($server)->{referers}{top} }], [], 'no secrets';
    unlike fetch($server, '?format=prometheus')->body, qr/alert|example/,
        'no client text in labels';
    SKIP: {
        skip 'no XML::LibXML', 1 if !eval { require XML::LibXML; 1 };
        my $xml = eval {
            XML::LibXML->new(no_network => 1, recover => 0)
                ->parse_string($html =~ s/^<!DOCTYPE html>//r);
        };
        ok $xml, 'well-formed as XML' or diag $@;
    }
    $server->settle;
    my $json = counters($server);
    ok +(grep { $_->{text} eq 'http://a.example/p' }
            @{ $json->{referers}{top} }), 'a Referer without its query';

    my $text    = fetch($server, '?format=prometheus')->body;
    my $metrics = eval { parse_metrics($text) };
    ok $metrics, 'Prometheus text' or diag $@;
    is $metrics->{'iri_requests_total{mode="on",form="legacy"}'},
        $json->{on}{forms}{legacy}, 'the same counter in JSON and Prometheus';
    SKIP: {
        my $promtool = promtool($text);
        skip 'no promtool', 1 if !defined $promtool;
        is $promtool, '', 'promtool accepts it';
    }
    return;
}

# Counters survive a reload. Returns the number of requests counted so far.
sub test_reload {
    my ($server) = @_;
    $server->settle;
    my $counters = counters($server);
    my %before   = flat($counters->{on}, '');
    ok $server->reload, 'reload';
    is_deeply { flat(counters($server)->{on}, '') }, \%before,
        'counters are kept';
    is counters($server)->{since}, $counters->{since},
        'the start time is kept';
    return $before{requests};
}

# Kills workers under load, more than $wanted, one each $pause seconds, and
# watches the number of requests, which was $before.
sub watch_killed_workers {
    my ($server, $before, $wanted, $pause) = @_;
    my ($kills, $last, $falls) = (0, 0, 0);
    my @clients = map { start_client($server, $_) } 1 .. 3;
    my $look = sub {
        my $answer = fetch($server, '?format=json');
        return 1 if $answer->status == 0;    # its worker was killed
        my $now = eval { JSON::PP->new->utf8->decode($answer->body) };
        ok $now, 'JSON' or return 0;
        $falls++ if $now->{on}{requests} < $last;
        $last = $now->{on}{requests};
        return 1;
    };
    my $end = time + 300;
    while ($kills <= $wanted && time < $end) {
        my ($worker) = sort { rand() <=> 0.5 } $server->children;
        $kills += kill 'KILL', $worker if $worker;
        sleep $pause;
        $look->() or last;
    }
    # A worker that is killed right after its response has not counted the
    # request.
    $server->wait_for(sub { !$look->() || $last > $before });
    kill 'TERM', @clients;
    waitpid $_, 0 for @clients;
    cmp_ok $kills, '>', $wanted, "$kills workers killed";
    is $falls, 0, 'counters never decrease';
    cmp_ok $last, '>', $before, 'counters increase';
    # Requests may have to wait for a new worker.
    $server->wait_for(sub { fetch($server)->status == 200 });
    like counted_for($server, '/%95%5c.txt'), qr/forms\.legacy=1/,
        'requests are counted';
    return;
}

# A process that sends requests until it is killed.
sub start_client {
    my ($server, $n) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    local $SIG{TERM} = 'DEFAULT';
    while (1) {
        $server->get('/%95%5c.txt', headers => ['Referer',
            "http://a.example/$n/" . int rand 200]);
    }
}

1;
