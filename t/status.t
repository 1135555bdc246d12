# The status page of both servers. Each request is counted once, by its form and
# its result, by all workers, over reloads and after a kill.
use IRI::Test;
use Digest::SHA 'sha256_base64';
use JSON::PP;
use Time::HiRes qw(sleep time);

my ($root) = make_tree([qw(index.html=index a.txt=a café.txt=coffee
    Docs/Readme.txt=read moved/表.txt=table broken/café.txt=coffee
    fold/Docs/Readme.txt=read fold301/Docs/Readme.txt=read go/a.txt=a
    many/Docs/Readme.txt=one many/Docs/README.txt=two list/é.txt=e list/b.txt=b
    表.txt=table)]);

my %STATUS = (nginx => <<'NGINX', httpd => <<'HTTPD');
    location = /status { iri_status; }
    location = /denied { iri_status; deny all; }
NGINX
<Location "/status">
    SetHandler iri-status
</Location>
<Location "/denied">
    SetHandler iri-status
    Require all denied
</Location>
HTTPD
my %CONF = (nginx => <<'NGINX', httpd => <<'HTTPD');
iri on;
iri_charset Shift_JIS EUC-JP windows-1252;
iri_query_charset Shift_JIS;
iri_host on;
server {
    listen 127.0.0.1:%%PORT%%;
    server_name localhost;
    root %%ROOT%%;
    error_page 404 /index.html;
    %%STATUS%%
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
NGINX
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
<Directory "%%ROOT%%/go">
    IRIMatch case
    IRIRedirect 301
    RewriteEngine On
    RewriteRule "^(.*)$" "/fold/Docs/$1"
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
%%STATUS%%
HTTPD

sub conf {
    my ($name, $status) = @_;
    return $CONF{$name} =~ s/%%STATUS%%/$status/r;
}

my $PLAIN =
    qr/^(?:(?:requests|answers\.pass|matches\.none|queries\.query-ascii)=1$
    |reasons\.)/x;

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

my $missing = missing('nginx');
subtest 'nginx' => sub {
    plan skip_all => $missing if $missing;
    my $server = nginx(root => $root, workers => 2,
        conf => conf('nginx', $STATUS{nginx}));
    test_counters($server, \&IRI::Nginx::sent_host);
    is counted_for($server, '/%83%65/%95%5c.txt'), 'forms.legacy=1',
        'an absent name';
    is counted_for($server, '/sub/a.txt'), 'forms.ascii=1',
        'subrequests are not counted';
    my $charsets = counters($server)->{charsets};
    is_deeply [sort keys %$charsets], [qw(Shift_JIS windows-1252)], 'charsets';
    cmp_ok $charsets->{Shift_JIS}{path}{on}, '>=', 3, 'Shift_JIS in paths';
    is $charsets->{Shift_JIS}{query}{on}, 1, 'Shift_JIS in a query';
    watch_killed_workers($server, test_reload($server), 20, 0.1);
    is counted_for($server, '/%95%5c.txt'),
        'answers.serve=1 forms.legacy=1 matches.charset=1',
        'requests are counted with all their properties';
    # nginx logs the locks that a killed worker held.
    is_deeply [$server->errors(ignore =>
            qr/exited on signal 9|zone "[^"]+" was locked/)], [], 'log';

    $server = nginx(root => $root, log_level => 'debug',
        conf => conf('nginx', ''));
    $server->get('/%95%5c.txt');
    unlike $server->settled_log, qr/iri_status/, 'no zone without iri_status';
};

for my $mpm (qw(event prefork)) {
    subtest "httpd, $mpm" => sub {
        $missing = missing('httpd');
        plan skip_all => $missing if $missing;
        my @modules = (mpm => $mpm, modules => ['autoindex', 'rewrite']);
        my $server = httpd(root => $root, @modules,
            conf => conf('httpd', $STATUS{httpd}));
        test_counters($server, sub { $_[0] });
        like counted_for($server, '/many/docs/readme.TXT'),
            qr/^answers\.choose=1 forms\.ascii=1/,
            'subrequests of candidates are not counted';
        is counted_for($server, '/go/README.TXT'),
            'answers.moved=1 forms.ascii=1 matches.case=1 redirects.301=1',
            'a plain path that a rule of a directory changes';
        watch_killed_workers($server, test_reload($server), 8, 0.3);
        is_deeply [$server->errors(ignore => qr/exit signal Killed/)], [],
            'log';

        $server = httpd(root => $root, @modules, conf => conf('httpd', ''));
        is $server->get('/%95%5c.txt')->status, 200, 'without the handler';
        is $server->get('/status')->status, 404, 'there is no page';
    };
}
done_testing;

# ---- both --------------------------------------------------------------------

sub test_counters {
    my ($server, $host) = @_;
    request_cases($server, $host);
    report_cases($server);
    test_page($server);
    test_clients($server);
    return;
}

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
sub counted_for {
    my ($server, $target, %option) = @_;
    my $mode = delete $option{mode} // 'on';
    my @more =
        increased($server, $mode, sub { $server->get($target, %option) });
    return join ' ', grep { $_ !~ $PLAIN } @more;
}

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

# The texts of a client are in the page and in JSON; each line of the Prometheus
# text is valid, and no series is there twice. Hostile texts:
# t/core/test_stats.c.
sub test_clients {
    my ($server) = @_;
    $server->get('/%95%5c.txt', headers => ['Referer',
        'http://a.example/%E8%A1%A8?secret', 'User-Agent', '<b>agent'])
        for 1 .. 3;
    $server->settle;
    my $html = fetch($server)->body;
    like $html, qr{<td class="text">http://a\.example/%E8%A1%A8</td>},
        'a Referer';
    unlike $html, qr/secret|<b>/, 'without its query, as text';
    my $json = counters($server);
    ok +(grep { $_->{text} eq 'http://a.example/%E8%A1%A8' }
            @{ $json->{referers}{top} }), 'in JSON';
    my $text = fetch($server, '?format=prometheus')->body;
    my %seen;
    is join("\n", grep { !/^# (?:HELP iri_\w+ .*\.|TYPE iri_\w+ \w+)\z/
            && !/^iri_\w+(?:\{\w+="[^"\\]*"(?:,\w+="[^"\\]*")*\})? \d+\z/
            || $seen{ s/ \d+\z//r }++ } split /\n/, $text), '',
        'Prometheus text';
    like $text, qr/^iri_requests_total\{mode="on",form="legacy"\}
        \ \Q$json->{on}{forms}{legacy}\E$/mx, 'has the same counter';
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
