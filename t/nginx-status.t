# nginx: iri_status. Each request is counted once, by its form and its result;
# by all workers, over reloads and after a kill; and no text from clients
# breaks the page, JSON or Prometheus text.
use strict;
use warnings;
use Digest::SHA 'sha256_base64';
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Prometheus;
use IRI::Test;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => missing('nginx') if missing('nginx');

# ---- the directive ----------------------------------------------------------

sub check_conf {
    my ($conf) = @_;
    my ($code, $text) = nginx_t($conf);
    return join ' ', $code, $text =~ /(iri: .*|"iri_status".*)/g;
}

is check_conf('iri on; server { location /s { iri_status; } }'), '0', 'in a location';
like check_conf('server { location /s { iri_status on; } }'),
    qr/^1 "iri_status" directive/, 'no values';
like check_conf('server { location /s { iri_status; iri_status; } }'),
    qr/^1 .*is duplicate/, 'twice';
like check_conf('iri_status; server { }'), qr/^1 .*not allowed here/, 'in http';
like check_conf('server { location /s { iri_status; } }'),
    qr/^0 iri: "iri_status" in \S+:\d+ has no effect/,
    'where nothing is on';

# ---- what is counted --------------------------------------------------------

my ($root) = make_tree(<<'END');
index.html	file	index
a.txt	file	a
caf\xC3\xA9.txt	file	coffee
Docs/Readme.txt	file	read
\xE8\xA1\xA8.txt	file	table
END

my $conf = <<'END';
iri on;
iri_charset Shift_JIS EUC-JP windows-1252;
iri_query_charset Shift_JIS;
iri_host on;
server {
    listen 127.0.0.1:%%PORT%%;
    server_name localhost;
    root %%ROOT%%;
    error_page 404 /index.html;
    location = /status { iri_status; }
    location = /denied { iri_status; deny all; }
    location /moved/ { alias %%ROOT%%/; iri_redirect 301; }
    location /broken/ { alias %%ROOT%%/; iri_repair double-encoding mojibake; }
    location /fold/ { alias %%ROOT%%/; iri_match case; }
    location /fold301/ { alias %%ROOT%%/; iri_match case; iri_redirect 308; }
    location /many/ { alias %%ROOT%%/many/; iri_match case; iri_ambiguous 300; }
    location /sub/ {
        alias %%ROOT%%/;
        log_subrequest on;
        auth_request /ok;
    }
    location = /ok { return 204; }
    location /list/ { alias %%ROOT%%/; iri_listing on; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    iri report;
    root %%ROOT%%;
    location /fold/ { alias %%ROOT%%/; iri_match case; iri_redirect 301; }
    location /broken/ { alias %%ROOT%%/; iri_repair double-encoding mojibake; }
}
server {
    listen 127.0.0.1:%%PORToff%%;
    iri off;
    root %%ROOT%%;
}
END
my $server = nginx(root => $root, conf => $conf, workers => 2);

sub fetch { return $server->get('/status' . ($_[0] // '')) }

sub counts {
    my $answer = fetch('?format=json');
    is $answer->status, 200, 'JSON' if $answer->status != 200;
    return JSON::PP->new->utf8->decode($answer->body);
}

# The counters that increased, as "path.to.it=by": of one mode.
#
# A request is counted when it is logged, which is after its response: by any
# of the workers, and perhaps much later.
sub flat {
    my ($value, $name) = @_;
    return ref $value
        ? map { flat($value->{$_}, $name eq '' ? $_ : "$name.$_") }
            sort keys %$value
        : ($name => $value);
}

sub more {
    my ($mode, $do) = @_;
    my %before = flat(counts()->{$mode}, '');
    $do->();
    $server->settle;
    my %after = flat(counts()->{$mode}, '');
    return map { "$_=" . ($after{$_} - ($before{$_} // 0)) }
        grep { $after{$_} != ($before{$_} // 0) } sort keys %after;
}

# For one request: the counters that differ from those of a plain one, without
# reasons.
my $PLAIN = qr/^(?:(?:requests|answers\.pass|matches\.none|queries\.query-ascii)=1$
    |reasons\.)/x;
sub counted_for {
    my ($target, %option) = @_;
    my $mode = delete $option{mode} // 'on';
    my @more = more($mode, sub { $server->get($target, %option) });
    return join ' ', grep { $_ !~ $PLAIN } @more;
}

is join(' ', more('on', sub { $server->get('/a.txt') })),
    'answers.pass=1 forms.ascii=1 matches.none=1 '
    . 'queries.query-ascii=1 reasons.ascii=1 requests=1',
    'a plain request';
is join(' ', more('on', sub { $server->get('/no') })),
    'answers.pass=1 forms.ascii=1 matches.none=1 '
    . 'queries.query-ascii=1 reasons.ascii=1 requests=1',
    'an error page is not counted as a request';
is_deeply [more('on', sub { fetch() })], [], 'the status page is not counted';
is_deeply
    [more('on', sub { $server->get('/a.txt', port => $server->port('off')) })],
    [], 'a request with the module off is not counted';
is_deeply [more('on', sub { $server->get("bad\x01 request") })], [],
    'a request that nginx refuses is not counted';

my $forms = sub { my ($more) = @_; return $more =~ /forms\.(\w+)=1/ ? $1 : '' };
is $forms->(counted_for('/caf%C3%A9.txt')), 'escaped', 'escaped';
is $forms->(counted_for("/caf\xC3\xA9.txt")), 'native', 'native';
is $forms->(counted_for("/caf\xC3\xA9%C3%A9.txt")), 'mixed', 'mixed';
is $forms->(counted_for('/%95%5c.txt')), 'legacy', 'legacy';
is $forms->(counted_for('/%E8%A1%A8%FF%A0.txt')), 'legacy', 'another charset';
is counted_for("/caf\xC3\xA9.txt"), 'answers.serve=1 forms.native=1 matches.exact=1',
    'the entry was found';
is counted_for('/cafe%CC%81.txt'),
    'answers.serve=1 forms.escaped=1 matches.normalization=1',
    'ignored differences';
is counted_for("/%C3%A9\xE2\x80\xAE"), 'answers.refuse=1 forms.invalid=1', 'refused';
is +(grep { /^reasons/ } more('on', sub {
    $server->get("/%C3%A9\xE2\x80\xAE") }))[0], 'reasons.bidi=1', 'the reason';
is +(grep { /^reasons/ } more('on', sub {
    $server->get('/fold/docs/README.TXT') }))[0], 'reasons.folded=1',
    'the reason of a restart';
is +(grep { /^reasons/ } more('on', sub { $server->get('/%C3%A9') }))[0],
    'reasons.absent=1', 'a reason';
is counted_for('/%83%65/%95%5c.txt'), 'forms.legacy=1', 'an absent name';
is counted_for('/fold/docs/README.TXT'),
    'answers.moved=1 forms.ascii=1 matches.case=1', 'restarted';
is counted_for('/moved/%95%5c.txt'),
    'answers.serve=1 forms.legacy=1 matches.charset=1 redirects.301=1',
    'redirected';
is counted_for('/fold301/docs/README.TXT'),
    'answers.moved=1 forms.ascii=1 matches.case=1 redirects.308=1',
    'redirected after a restart';
is counted_for('/broken/caf%25C3%25A9.txt'),
    'answers.moved=1 forms.double-encoding=1 matches.repair=1',
        'repaired: double encoding';
is counted_for('/broken/caf%C3%83%C2%A9.txt'),
    'answers.moved=1 forms.mojibake=1 matches.repair=1', 'repaired: mojibake';
is counted_for('/a.txt?q=%95%5c'), 'forms.ascii=1 queries.query-read=1', 'a query';
is counted_for('/a.txt?q=%E8%A1%A8'), 'forms.ascii=1 queries.query-utf8=1', 'in UTF-8';
is counted_for('/a.txt?q=%FF%FF'), 'forms.ascii=1 queries.query-unreadable=1',
    'a query in no charset';
is counted_for('/a.txt?q=a'), 'forms.ascii=1', 'in ASCII';
is counted_for('/a.txt', host => IRI::Nginx::sent_host("b\xC3\xBCcher.example")),
    'forms.ascii=1', 'a host';
is counted_for('/a.txt', host => IRI::Nginx::sent_host("b\xFCcher.example")), '',
    'a refused host is not counted';
is counted_for('/sub/a.txt'), 'forms.ascii=1', 'subrequests are not counted';
is counted_for('/list/'), 'forms.ascii=1', 'subrequests of a listing are not counted';

is counted_for('/a.txt', mode => 'report', port => $server->port('report')),
    'forms.ascii=1', 'report: plain';
is counted_for('/%95%5c.txt', mode => 'report', port => $server->port('report')),
    'answers.serve=1 forms.legacy=1 matches.charset=1', 'report: legacy';
is counted_for('/fold/docs/README.TXT', mode => 'report',
    port => $server->port('report')),
    'answers.moved=1 forms.ascii=1 matches.case=1',
    'report: restart';
is counted_for("/broken/caf$_->[0].txt", mode => 'report',
    port => $server->port('report')),
    "answers.moved=1 forms.$_->[1]=1 matches.repair=1",
    'report: repaired'
    for ['%25C3%25A9', 'double-encoding'], ['%C3%83%C2%A9', 'mojibake'];
like counted_for("/\xC3\xA9\xE2\x80\xAE", mode => 'report',
    port => $server->port('report')), qr/^answers\.refuse=1 /,
    'report: refused';
is_deeply [more('on', sub { $server->get('/%95%5c.txt',
    port => $server->port('report')) })], [],
        'report mode has separate counters';

my $seen = counts()->{charsets};
is_deeply [sort keys %$seen], [qw(Shift_JIS windows-1252)], 'charsets';
cmp_ok $seen->{Shift_JIS}{path}{on}, '>=', 3, 'Shift_JIS in paths';
is $seen->{Shift_JIS}{query}{on}, 1, 'and in a query';

# ---- what is sent -----------------------------------------------------------

my $answer = fetch();
is $answer->status, 200, 'the page';
is $answer->header('Content-Type'), 'text/html; charset=utf-8', 'HTML';
is $answer->header('Cache-Control'), 'no-store', 'Cache-Control';
is $answer->header('X-Content-Type-Options'), 'nosniff',
    'X-Content-Type-Options';
like $answer->header('Content-Security-Policy'), qr/^default-src 'none'/,
    'Content-Security-Policy';
my ($style) = $answer->body =~ m{<style>(.*?)</style>}s;
like $answer->header('Content-Security-Policy'),
    qr/'sha256-\Q${\ sha256_base64($style)}\E='/,
    'Content-Security-Policy: hash of the style sheet';
my $length = $answer->header('Content-Length');
is $length, length $answer->body, 'Content-Length';
my $head = $server->request('HEAD', '/status');
is $head->status . $head->body, '200', 'HEAD';
is $server->request('POST', '/status', body => 'a')->status, 405, 'POST';
is $server->request('DELETE', '/status')->header('Allow'), 'GET, HEAD', 'Allow';
is $server->get('/denied')->status, 403, 'rules of the location';
is fetch('?format=json')->header('Content-Type'), 'application/json', 'JSON';
is fetch('?format=xml')->status, 400, 'no such format';
is fetch('?format=prometheus')->header('Content-Type'),
    'text/plain; version=0.0.4; charset=utf-8', 'Prometheus';
is $server->get('/status', headers => ['Accept', 'application/json'])
    ->header('Content-Type'), 'text/html; charset=utf-8',
    'the format depends on the query only';

# ---- strangers --------------------------------------------------------------

my @hostile = (
    'http://a.example/</style><script>alert(1)</script>',
    'javascript:alert(1)', '"\'><img src=x onerror=alert(1)>', "\xFF\xFE\x80",
    "http://u:secret\@a.example/p?token=secret#secret",
    "\xE2\x80\xAEtxt.exe", "\xE2\x81\xA6\xE2\x80\x8F", 'a\\"b\\',
    ']]>&amp;&#0;',
    "\xED\xA0\x80\xF4\x90\x80\x80\xC0\xAF", '{"a":1}', 'x' x 5000,
    ("\"" x 300), ("\xC3\xA9" x 400), ('&' x 300), '%00%0a', "\xEF\xBF\xBE",
    ('http://a.example/%E8%A1%A8') x 3,
);
for my $text (@hostile) {
    $server->get('/%95%5c.txt',
        headers => ['Referer', $text, 'User-Agent', $text]);
}
$server->settle;

my $html = fetch()->body;
cmp_ok length $html, '<', 65536, 'length of the page';
unlike $html, qr/<script|<img|javascript:[^<]*"|onerror=[^<]*>\s*</i,
    'no markup of clients';
like $html, qr{<td class="text">http://a\.example/%E8%A1%A8</td>},
    'a URL that can be copied';
unlike $html, qr/href="(?!\?|#)/, 'links lead to the page only';
is_deeply [grep { /secret/ } map { $_->{text} }
        @{ counts()->{referers}{top} }], [], 'no secrets';
unlike fetch('?format=prometheus')->body, qr/alert|example/,
    'no client text in labels';
SKIP: {
    skip 'no XML::LibXML', 1 if !eval { require XML::LibXML; 1 };
    my $xml = eval {
        XML::LibXML->new(no_network => 1, recover => 0)
            ->parse_string($html =~ s/^<!DOCTYPE html>//r);
    };
    ok $xml, 'well-formed as XML' or diag $@;
}
my $json = counts();
ok +(grep { $_->{text} eq 'http://a.example/p' }
        @{ $json->{referers}{top} }), 'a Referer without its query';

my $text    = fetch('?format=prometheus')->body;
my $metrics = eval { parse_metrics($text) };
ok $metrics, 'Prometheus text' or diag $@;
is $metrics->{'iri_requests_total{mode="on",form="legacy"}'},
    $json->{on}{forms}{legacy}, 'the same counter in JSON and Prometheus';
SKIP: {
    my $promtool = promtool($text);
    skip 'no promtool', 1 if !defined $promtool;
    is $promtool, '', 'promtool accepts it';
}

# ---- reload, and a worker that is killed ------------------------------------

my %before = flat(counts()->{on}, '');
my $since  = counts()->{since};
ok $server->reload, 'reload';
is_deeply {flat(counts()->{on}, '')}, \%before, 'counters are kept';
is counts()->{since}, $since, 'the start time is kept';

sub workers {
    my $pid = $server->pid;
    my @found;
    for my $file (glob '/proc/[0-9]*/stat') {
        open my $fh, '<', $file or next;
        push @found, $1 if (<$fh> // '') =~ /^(\d+) \(.*?\) \S $pid /;
    }
    return @found;
}

my ($kills, $last, $sent, $falls) = (0, 0, 0, 0);
my @children = map {
    my $n = $_;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        local $SIG{TERM} = 'DEFAULT';
        while (1) {
            $server->get('/%95%5c.txt', headers => ['Referer',
                "http://a.example/$n/" . int rand 200]);
        }
    }
    $pid;
} 1 .. 3;
my $end = time + 300;    # where nobody answers
while ($kills <= 20 && time < $end) {
    my ($worker) = sort { rand() <=> 0.5 } workers();
    $kills += kill 'KILL', $worker if $worker;
    sleep 0.1;
    my $answer = fetch('?format=json');
    next if $answer->status == 0;
    my $now = eval { JSON::PP->new->utf8->decode($answer->body) };
    ok $now, 'JSON' or last if !$now;
    $falls++ if $now->{on}{requests} < $last;
    $last = $now->{on}{requests};
}
kill 'TERM', @children;
waitpid $_, 0 for @children;
$server->settle;    # the last requests are counted
cmp_ok $kills, '>', 20, "$kills workers killed";
is $falls, 0, 'counters never decrease';
cmp_ok $last, '>', $before{requests}, 'counters increase';
my $page = fetch();
is $page->status, 200, 'the page is available';
is counted_for('/%95%5c.txt'), 'answers.serve=1 forms.legacy=1 matches.charset=1',
    'requests are counted';
# nginx logs the locks that a killed worker held.
is_deeply [$server->errors(
        ignore => qr/exited on signal 9|zone "[^"]+" was locked/)], [], 'log';

# ---- off --------------------------------------------------------------------

my $none = nginx(root => $root, log_level => 'debug',
    conf => $conf =~ s/location = \/(?:status|denied) \{.*?\}\n//gr);
$none->get('/%95%5c.txt');
unlike $none->settled_log, qr/iri_status/, 'without iri_status there is no zone';

done_testing;
