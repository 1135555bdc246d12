# nginx: variables, iri report, protocols, reload, and an inactive module.
use IRI::Test 'nginx';
use IRI::Octets qw(raw visible);

my ($root) = make_tree([qw(plain.txt=plain dir/a\x20b.txt=spaced
    \xC6\xFC\xCB\xDC.txt=euc \xC6\xFC\xCB\xDC/x.txt=inner 日.txt=utf
    e\xCC\x81.txt=nfd é/ \xC3\xA9/\xE8.txt=latin)]);

# ---- variables -------------------------------------------------------------

my $server = nginx(root => $root, conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP windows-1252;
    iri_filename_charset UTF-8 EUC-JP windows-1252;
    add_header X-Iri $iri always;
    add_header X-Path $iri_path always;
    add_header X-Uri $iri_uri always;
    add_header X-Form $iri_form always;
    add_header X-Charset $iri_charset always;
    add_header X-Match $iri_match always;
    add_header X-File $iri_filename always;
    add_header X-Info $iri_path_info always;
}
END

# Variables and their values for a target, from the headers above.
sub variables {
    my ($target, $host) = @_;
    my $answer = $server->get($target, host => $host // 'example.org');
    my %value = map { lc substr($_->[0], 2) => visible($_->[1]) }
        grep { $_->[0] =~ /^X-/ } @{ $answer->headers };
    s/^\Q$root\E/ROOT/ for values %value;
    return \%value;
}

my $sun = '\xE6\x97\xA5\xE6\x9C\xAC';
my $sun_uri = '%E6%97%A5%E6%9C%AC';
my @expected = (
    ['/plain.txt?a=%C6', {
        iri => 'http://example.org/plain.txt?a=%C6', path => '/plain.txt',
        uri => '/plain.txt', form => 'ascii', match => 'exact',
        file => 'ROOT/plain.txt' }],
    ['/none.txt', {
        iri => 'http://example.org/none.txt', path => '/none.txt',
        uri => '/none.txt', form => 'ascii', match => 'none',
        file => 'ROOT', info => '/none.txt' }],
    ['/dir/a%20b.txt/more', {
        iri => 'http://example.org/dir/a%20b.txt/more',
        path => '/dir/a b.txt/more', uri => '/dir/a%20b.txt/more',
        form => 'ascii', match => 'none', file => 'ROOT/dir/a b.txt',
        info => '/more' }],
    ["/$sun_uri.txt", {
        iri => "http://example.org/$sun.txt", path => "/$sun.txt",
        uri => "/$sun_uri.txt", form => 'escaped', charset => 'UTF-8',
        match => 'charset', file => 'ROOT/\xC6\xFC\xCB\xDC.txt' }],
    [raw("/$sun_uri.txt") . '/in%66o', {
        iri => "http://example.org/$sun.txt/info", path => "/$sun.txt/info",
        uri => "/$sun_uri.txt/info", form => 'native', charset => 'UTF-8',
        match => 'charset', file => 'ROOT/\xC6\xFC\xCB\xDC.txt',
        info => '/info' }],
    [raw('/%E6%97%A5') . '%E6%9C%AC', {
        iri => "http://example.org/$sun", path => "/$sun",
        uri => "/$sun_uri", form => 'mixed', charset => 'UTF-8',
        match => 'charset', file => 'ROOT/\xC6\xFC\xCB\xDC' }],
    ['/%C6%FC.txt', {
        iri => 'http://example.org/\xE6\x97\xA5.txt',
        path => '/\xE6\x97\xA5.txt', uri => '/%E6%97%A5.txt',
        form => 'legacy', charset => 'EUC-JP', match => 'charset',
        file => 'ROOT/\xE6\x97\xA5.txt' }],
    ['/%E6%97%A5.txt', {
        iri => 'http://example.org/\xE6\x97\xA5.txt',
        path => '/\xE6\x97\xA5.txt', uri => '/%E6%97%A5.txt',
        form => 'escaped', charset => 'UTF-8', match => 'exact',
        file => 'ROOT/\xE6\x97\xA5.txt' }],
    ['/%C3%A9.txt', {
        iri => 'http://example.org/\xC3\xA9.txt', path => '/\xC3\xA9.txt',
        uri => '/%C3%A9.txt', form => 'escaped', charset => 'UTF-8',
        match => 'normalization', file => 'ROOT/e\xCC\x81.txt' }],
    ['/%C3%A9/%E8.txt', {
        iri => 'http://example.org/\xC3\xA9/\xC3\xA8.txt',
        path => '/\xC3\xA9/\xC3\xA8.txt', uri => '/%C3%A9/%C3%A8.txt',
        form => 'legacy', charset => 'mixed', match => 'charset',
        file => 'ROOT/\xC3\xA9/\xE8.txt' }],
    ["/no/$sun_uri", {
        iri => "http://example.org/no/$sun", path => "/no/$sun",
        uri => "/no/$sun_uri", form => 'escaped', charset => 'UTF-8',
        match => 'none', file => 'ROOT', info => "/no/$sun" }],
    ['/%81%FF%FF', {
        iri => 'http://example.org/%81%FF%FF', path => '/\x81\xFF\xFF',
        uri => '/%81%FF%FF', form => 'invalid', match => 'none' }],
);
is_deeply variables($_->[0]), $_->[1], 'variables: ' . visible($_->[0])
    for @expected;
is variables('/x', 'Example.org:8080')->{iri}, 'http://example.org:8080/x',
    'the port of the Host field';

# An invalid request has no path, but is logged.
my $none = nginx(root => $root, conf => <<'END');
log_format file "$status $request_filename $iri_filename $iri";
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    access_log %%TMP%%/file file;
}
END
is $none->client->send_raw("x\r\n\r\n")->status, 400, 'an invalid request';
my $logged = $none->tmp . '/file';
$none->wait_for(sub { -s $logged });
like slurp($logged), qr/^400 \Q$root $root\E /, 'the invalid request is logged';

# ---- protocols -------------------------------------------------------------

my $http2 = nginx(root => $root, conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%% http2;
    listen 127.0.0.1:%%PORTone%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP;
    iri_filename_charset UTF-8 EUC-JP;
    add_header X-Form $iri_form always;
}
END
my @targets = ("/$sun_uri.txt", raw("/$sun_uri.txt"), '/%C6%FC%CB%DC.txt',
    raw('/%C6%FC%CB%DC.txt'), '/plain.txt', '/%FF', '/%C6%FC%CB%DC',
    '/%C3%A9.txt');
my @answers = ('200 escaped euc', '200 native euc', '200 legacy euc',
    '200 legacy euc', '200 ascii plain', '404 invalid', '301 legacy',
    '200 escaped nfd');
for my $case (['h2', 'HTTP/2', ''], ['h1', 'HTTP/1.1, pipelined', 'one']) {
    my ($proto, $name, $port) = @$case;
    my $client = $http2->client(proto => $proto, port => $http2->port($port));
    my @got = map {
        join ' ', $_->status, $_->header('X-Form'),
            $_->status == 200 ? $_->body : ()
    } map { $client->pipeline(@targets) } 1 .. 20;
    is_deeply \@got, [(@answers) x 20], "on one connection: $name";
    $client->disconnect;
}

# ---- reload ----------------------------------------------------------------

my $conf = 'server { listen 127.0.0.1:%%PORT%%; root %%ROOT%%; VARY }';
sub conf { my ($vary) = @_; return $conf =~ s/VARY/$vary/r }

my $one = nginx(root => $root, conf => conf('iri off;'));
is $one->get('/%C6%FC%CB%DC.txt')->body, 'euc', 'off: the octets';
is $one->get("/$sun_uri.txt")->status, 404, 'off: no other name';
for my $round (1 .. 3) {
    ok $one->reload(conf('iri on; iri_charset EUC-JP;'
        . 'iri_filename_charset EUC-JP;')), "reload $round, on";
    is $one->get("/$sun_uri.txt")->body, 'euc', 'on';
    is $one->get('/%C6%FC%CB%DC.txt')->body, 'euc', 'on, legacy';
    ok $one->reload(conf('iri on; iri_charset EUC-JP; '
        . 'iri_filename_charset UTF-8;')), 'reload, another charset';
    is $one->get("/$sun_uri.txt")->status, 404, 'the other';
    ok !$one->reload(conf('iri on; iri_charset x;')), 'reload, a bad value';
    is $one->get("/$sun_uri.txt")->status, 404, 'old configuration active';
    ok $one->reload(conf('iri off;')), 'reload, off';
    is $one->get("/$sun_uri.txt")->status, 404, 'off';
    is $one->get('/%C6%FC%CB%DC.txt')->body, 'euc', 'off, the octets';
}
is_deeply [$one->errors(ignore => qr/is not a known charset/)], [],
    'no other log lines';

my $single = nginx(root => $root, master => 0, conf => conf('iri on; '
    . 'iri_charset EUC-JP; iri_filename_charset EUC-JP;'));
is $single->get("/$sun_uri.txt")->body, 'euc', 'a single process';

# ---- report: the response does not change -----------------------------------

my $report = nginx(root => $root, log_level => 'info', conf => <<'END');
map $uri $seen { default "$uri"; }
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri report;
    iri_charset EUC-JP;
    iri_filename_charset EUC-JP UTF-8;
    iri_redirect 301;
    add_header X-Seen "$uri $request_filename $document_root" always;
    location /up/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
}
server {
    listen 127.0.0.1:%%PORToff%%;
    root %%ROOT%%;
    add_header X-Seen "$uri $request_filename $document_root" always;
    location /up/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
}
server {
    listen 127.0.0.1:%%PORTup%%;
    location / { return 200 "$request_uri"; }
}
END
my @requested = (@targets, "/up/$sun_uri", raw("/up/$sun_uri"), '/up/%C6%FC',
    '/up/%FF', '/%C3%A9.txt');
for my $target (@requested) {
    my @got = map {
        my $answer = $report->get($target, port => $_);
        my %head = map { @$_ } grep { $_->[0] !~ /^Date$/ }
            @{ $answer->headers };
        s/:\d+// for grep { defined } $head{Location};
        [$answer->status, $answer->body, \%head];
    } $report->port, $report->port('off');
    is_deeply $got[0], $got[1], 'report changes nothing: ' . visible($target);
}
my @lines = map {
    s/.*?iri: report: would \w+ //r =~ s/, client: .*//r =~ s/\Q$root\E/ROOT/r
        =~ s/, [a-z ]+, file/, WHY, file/r =~ s/, reason=[-a-z]+$//r
} grep { /iri: / } split /\n/, $report->settled_log;
is scalar @lines, scalar(@requested) - 1,
    'one log line for each non-ASCII path';
is_deeply [@lines[0, 2, 4, 5]], [
    qq{"/$sun_uri.txt": form escaped, charset "UTF-8", match charset, }
        . 'WHY, file "ROOT/%C6%FC%CB%DC.txt"',
    qq{"/$sun_uri.txt": form legacy, charset "EUC-JP", match charset, }
        . 'WHY, file "ROOT/%C6%FC%CB%DC.txt"',
    '"/%FF": form invalid, charset "", match none, '
        . 'WHY, file "-"',
    qq{"/$sun_uri": form legacy, charset "EUC-JP", match charset, }
        . 'WHY, file "ROOT/%C6%FC%CB%DC"',
], 'report: log lines';

done_testing;
