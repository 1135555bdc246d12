# httpd: SetHandler iri-status. Each request is counted once, by its form and
# its result, by all children of each MPM, over restarts and after a kill; and
# no text from clients breaks the page, JSON or Prometheus text.
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

plan skip_all => missing('httpd') if missing('httpd');

my ($root) = make_tree(<<'END');
index.html	file	index
a.txt	file	a
caf\xC3\xA9.txt	file	coffee
Docs/Readme.txt	file	read
moved/\xE8\xA1\xA8.txt	file	table
broken/caf\xC3\xA9.txt	file	coffee
fold/Docs/Readme.txt	file	read
fold301/Docs/Readme.txt	file	read
many/Docs/Readme.txt	file	one
many/Docs/README.txt	file	two
list/\xC3\xA9.txt	file	e
list/b.txt	file	b
\xE8\xA1\xA8.txt	file	table
END

my $STATUS = <<'END';
<Location "/status">
    SetHandler iri-status
</Location>
<Location "/denied">
    SetHandler iri-status
    Require all denied
</Location>
END
my $conf = <<'END';
IRIEngine On
IRICharset Shift_JIS EUC-JP windows-1252
IRIQueryCharset Shift_JIS
IRIHost On
ErrorDocument 404 /index.html
<Directory "%%ROOT%%/moved">
    IRIRedirect 301
</Directory>
<Directory "%%ROOT%%/fold">
    IRIMatch case
</Directory>
<Directory "%%ROOT%%/fold301">
    IRIMatch case
    IRIRedirect 308
</Directory>
<Directory "%%ROOT%%/broken">
    IRIRepair double-encoding mojibake
</Directory>
<Directory "%%ROOT%%/many">
    IRIMatch case
    IRIAmbiguous 300
</Directory>
<Directory "%%ROOT%%/list">
    Options +Indexes
    IRIListing On
</Directory>
<VirtualHost 127.0.0.1:%%PORT%%>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine Report
    <Directory "%%ROOT%%/fold">
        IRIRedirect 301
    </Directory>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
</VirtualHost>
END

my $server;

sub fetch { return $server->get('/status' . ($_[0] // '')) }

sub counts {
    my $answer = fetch('?format=json');
    is $answer->status, 200, 'JSON' if $answer->status != 200;
    return JSON::PP->new->utf8->decode($answer->body);
}

# The counters that increased, as "path.to.it=by": of one mode.
sub flat {
    my ($value, $name) = @_;
    return ref $value
        ? map { flat($value->{$_}, $name eq '' ? $_ : "$name.$_") }
            sort keys %$value
        : ($name => $value);
}

# A request is counted after its end, which the client need not wait for.
sub more {
    my ($mode, $do) = @_;
    $server->settle;
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

# ---- what is counted --------------------------------------------------------

sub counting {
    is join(' ', grep { !/^reasons/ } more('on', sub { $server->get('/a.txt') })),
        'answers.pass=1 forms.ascii=1 matches.none=1 '
        . 'queries.query-ascii=1 requests=1', 'a plain request';
    is join(' ', grep { !/^reasons/ } more('on', sub { $server->get('/no') })),
        'answers.pass=1 forms.ascii=1 matches.none=1 '
        . 'queries.query-ascii=1 requests=1',
        'an error page is not counted as a request';
    is_deeply [more('on', sub { fetch() })], [],
        'the status page is not counted';
    is_deeply [more('on', sub {
        $server->get('/a.txt', port => $server->port('off')) })], [],
        'a request with the module off is not counted';
    is_deeply [more('on', sub { $server->get("bad\x01 request") })], [],
        'a request that httpd refuses is not counted';
    for (['/caf%C3%A9.txt', 'escaped'], ["/caf\xC3\xA9.txt", 'native'],
        ["/caf\xC3\xA9%C3%A9.txt", 'mixed'], ['/%95%5c.txt', 'legacy'],
        ['/%E8%A1%A8%FF%A0.txt', 'legacy'])
    {
        my ($target, $form) = @$_;
        like counted_for($target), qr/\bforms\.$form=1/, "form: $form";
    }
    is counted_for("/caf\xC3\xA9.txt"),
        'answers.serve=1 forms.native=1 matches.exact=1', 'the entry was found';
    is counted_for('/cafe%CC%81.txt'),
        'answers.serve=1 forms.escaped=1 matches.normalization=1',
        'ignored differences';
    is counted_for("/%C3%A9\xE2\x80\xAE"), 'answers.refuse=1 forms.invalid=1',
        'refused';
    is +(grep { /^reasons/ } more('on', sub {
        $server->get("/%C3%A9\xE2\x80\xAE") }))[0], 'reasons.bidi=1',
        'the reason';
    is +(grep { /^reasons/ } more('on', sub {
        $server->get('/fold/docs/README.TXT') }))[0], 'reasons.folded=1',
        'the reason of a restart';
    is counted_for('/fold/docs/README.TXT'),
        'answers.moved=1 forms.ascii=1 matches.case=1', 'restarted';
    is counted_for('/moved/%95%5c.txt'), 'answers.serve=1 forms.legacy=1 '
        . 'matches.charset=1 redirects.301=1', 'redirected';
    is counted_for('/fold301/docs/README.TXT'),
        'answers.moved=1 forms.ascii=1 matches.case=1 redirects.308=1',
        'redirected after a restart';
    is counted_for("/broken/caf$_->[0].txt"),
        "answers.moved=1 forms.$_->[1]=1 matches.repair=1", 'repaired'
        for ['%25C3%25A9', 'double-encoding'], ['%C3%83%C2%A9', 'mojibake'];
    like counted_for('/many/docs/readme.TXT'), qr/^answers\.choose=1 forms\.ascii=1/,
        'a choice: the names that are asked for are not counted';
    is counted_for('/a.txt?q=%95%5c'), 'forms.ascii=1 queries.query-read=1', 'a query';
    is counted_for('/a.txt?q=%E8%A1%A8'), 'forms.ascii=1 queries.query-utf8=1', 'in UTF-8';
    is counted_for('/a.txt?q=%FF%FF'), 'forms.ascii=1 queries.query-unreadable=1',
        'a query in no charset';
    is counted_for('/a.txt?q=a'), 'forms.ascii=1', 'in ASCII';
    is counted_for('/a.txt', host => "b\xC3\xBCcher.example"), 'forms.ascii=1', 'a host';
    is counted_for('/a.txt', host => "b\xFCcher.example"), '',
        'a refused host is not counted';
    is counted_for('/list/'), 'forms.ascii=1',
        'subrequests of a listing are not counted';
}

sub reporting {
    my @to = (mode => 'report', port => $server->port('report'));
    is counted_for('/a.txt', @to), 'forms.ascii=1', 'report: plain';
    is counted_for('/%95%5c.txt', @to),
        'answers.serve=1 forms.legacy=1 matches.charset=1', 'report: legacy';
    is counted_for('/fold/docs/README.TXT', @to),
        'answers.moved=1 forms.ascii=1 matches.case=1',
        'report: restart';
    is counted_for("/broken/caf$_->[0].txt", @to),
        "answers.moved=1 forms.$_->[1]=1 matches.repair=1",
        'report: repaired'
        for ['%25C3%25A9', 'double-encoding'], ['%C3%83%C2%A9', 'mojibake'];
    like counted_for("/\xC3\xA9\xE2\x80\xAE", @to), qr/^answers\.refuse=1 /,
        'report: refused';
    is_deeply [more('on', sub { $server->get('/%95%5c.txt',
        port => $server->port('report')) })], [],
        'report mode has separate counters';
}

# ---- what is sent -----------------------------------------------------------

sub sending {
    my $answer = fetch();
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
    is $server->get('/denied')->status, 403, 'rules of the place';
    is fetch('?format=json')->header('Content-Type'), 'application/json',
        'JSON';
    is fetch('?format=xml')->status, 400, 'no such format';
    is fetch('?format=prometheus')->header('Content-Type'),
        'text/plain; version=0.0.4; charset=utf-8', 'Prometheus';
}

# ---- strangers --------------------------------------------------------------

sub strangers {
    my @hostile = (
        'http://a.example/</style><script>alert(1)</script>',
        'javascript:alert(1)', '"\'><img src=x onerror=alert(1)>', "\xFF\xFE\x80",
        "http://u:secret\@a.example/p?token=secret#secret",
        "\xE2\x80\xAEtxt.exe", "\xE2\x81\xA6\xE2\x80\x8F", 'a\\"b\\', ']]>&amp;&#0;',
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
    $server->settle;
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
}

# ---- restarts, and a child that is killed -----------------------------------

sub children {
    my $pid = $server->pid;
    my @found;
    for my $file (glob '/proc/[0-9]*/stat') {
        open my $fh, '<', $file or next;
        push @found, $1 if (<$fh> // '') =~ /^(\d+) \(.*?\) \S $pid /;
    }
    return @found;
}

sub restarting {
    $server->settle;
    my %before = flat(counts()->{on}, '');
    my $since  = counts()->{since};
    ok $server->reload, 'a graceful restart';
    is_deeply { flat(counts()->{on}, '') }, \%before, 'counters are kept';
    is counts()->{since}, $since, 'the start time is kept';
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
    my $end = time + 300;
    my $look = sub {
        my $answer = fetch('?format=json');
        return 1 if $answer->status == 0;    # its child was killed
        my $now = eval { JSON::PP->new->utf8->decode($answer->body) };
        ok $now, 'JSON' or return 0;
        $falls++ if $now->{on}{requests} < $last;
        $last = $now->{on}{requests};
        return 1;
    };
    while ($kills <= 8 && time < $end) {
        my ($worker) = sort { rand() <=> 0.5 } children();
        $kills += kill 'KILL', $worker if $worker;
        sleep 0.3;
        $look->() or last;
    }
    # A child that is killed right after its response has not counted the
    # request.
    $server->wait_for(sub { !$look->() || $last > $before{requests} });
    kill 'TERM', @children;
    waitpid $_, 0 for @children;
    cmp_ok $kills, '>', 8, "$kills children killed";
    is $falls, 0, 'counters never decrease';
    cmp_ok $last, '>', $before{requests}, 'counters increase';
    # Requests may have to wait for a new child.
    $server->wait_for(sub { fetch('?format=json')->status == 200 });
    like counted_for('/%95%5c.txt'), qr/forms\.legacy=1/, 'requests are counted';
}

for my $mpm (qw(event prefork)) {
    subtest $mpm => sub {
        $server = httpd(root => $root, conf => $conf . $STATUS, mpm => $mpm,
            modules => ['autoindex']);
        counting();
        reporting();
        sending();
        strangers();
        restarting();
        is_deeply [$server->errors(ignore => qr/exit signal Killed/)], [],
            'log';
        $server->stop;
    };
}

# ---- off ----------------------------------------------------------------------

$server = httpd(root => $root, conf => $conf, log_level => 'info');
is $server->get('/%95%5c.txt')->status, 200,
    'without the handler requests are served';
is $server->get('/status')->status, 404, 'there is no page';
$server->stop;

done_testing;
