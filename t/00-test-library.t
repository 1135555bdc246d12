# The test library itself, against servers without our module.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Cases;
use IRI::HPACK;
use IRI::Test;
use IRI::Tree 'encode_name';
use POSIX ();
use Test::More;

my $LARGE = 'x' x 200_000;

subtest 'octets' => sub {
    is octets('/caf\xC3\xa9'), "/caf\303\251", 'escapes';
    is octets('a\b\\\\\x5C'), 'a\b\\\\\\', 'other backslashes are unchanged';
    my $all = join '', map { chr } 0 .. 255;
    is octets(escaped($all)), $all, 'round trip';
    is escaped("a b\xE9\\"), 'a\x20b\xE9\x5C', 'escaped';
};

# A child process keeps its ports reserved until the parent has read their
# numbers.
sub ports_of_a_child {
    my ($end) = @_;
    $| = 1;
    print map { free_port() . "\n" } 1 .. 250;
    readline $end;
    POSIX::_exit(0);
}

subtest 'HPACK' => \&test_hpack;
subtest 'trees' => \&test_trees;
subtest 'cases' => \&test_cases;
subtest 'own trees' => \&test_own_trees;
subtest 'core'  => \&test_core;
subtest 'table on core' => \&test_run_core;
subtest 'ports and programs' => sub {
    my %seen;
    pipe my $end, my $held or die "pipe: $!\n";
    my @pipes = map {
        open my $out, '-|' or close($held), ports_of_a_child($end);
        $out
    } 1 .. 3;
    chomp(my @ports = map { my $out = $_; map { scalar <$out> } 1 .. 250 }
        @pipes);
    close $held;
    is scalar(grep { $_ } @ports), 750, 'ports for parallel processes';
    ok !(grep { $seen{$_}++ } @ports), 'each port is used once';
    my ($code, $out, $err) =
        capture("in\n", 'sh', '-c', 'cat; echo err >&2; exit 3');
    is "$code $out$err", "3 in\nerr\n", 'capture';
    is +(capture('', 'sh', '-c', 'kill -9 $$'))[0], 137, 'a signal';
};

SKIP: {
    my $missing = missing('nginx', stock => 1);
    skip $missing, 2 if $missing;
    subtest 'nginx' => \&test_nginx;
    subtest 'table on nginx' => \&test_run, \&IRI::Cases::run_nginx;
}
SKIP: {
    my $missing = missing('httpd', stock => 1);
    skip $missing, 2 if $missing;
    subtest 'httpd' => \&test_httpd;
    subtest 'table on httpd' => \&test_run, \&IRI::Cases::run_httpd;
}

# A build of httpd with mod_unixd, which defines User and Group, and other
# shared modules.
subtest 'modules of httpd' => sub {
    plan skip_all => missing('httpd') if missing('httpd');
    my $folder = temp_dir();
    spew("$folder/mod_$_.so", '') for qw(unixd log_config);
    local $ENV{IRI_HTTPD_MODULES} = $folder;
    no warnings 'redefine';
    local *IRI::Httpd::compiled_in = sub { return { event => 1 } };
    local *IRI::Httpd::worker_user = sub { return qw(nobody nogroup) };
    my $text = IRI::Httpd->new(stock => 1)->general;
    like $text, qr{^LoadModule[ ]unixd_module[ ]\Q$folder\E/mod_unixd\.so\n.*
        ^User[ ]nobody\nGroup[ ]nogroup\n}msx, 'unixd, then User and Group';
    like $text, qr/^LoadModule log_config_module /m,
        'existing modules are loaded';
    unlike $text, qr/version_module/, 'no other modules are loaded';
};

done_testing;

# RFC 7541 appendix C: Huffman code, and three responses on one connection with
# a dynamic table of 256 octets, from which entries are evicted.
sub test_hpack {
    is IRI::HPACK::huffman(pack 'H*', 'f1e3c2e5f23a6ba0ab90f4ff'),
        'www.example.com', 'C.4.1';
    my $hpack = IRI::HPACK->new(256);
    my @got   = map { listed($hpack->decode(pack 'H*', $_)) }
        '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1b'
        . 'ff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
        '4883640effc1c0bf',
        '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad'
        . '94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316'
        . '065c003ed4ee5b1063d5007';
    my $rest = '|cache-control=private|date=Mon, 21 Oct 2013 20:13:21 GMT'
        . '|location=https://www.example.com';
    is $got[0], ":status=302$rest", 'C.6.1';
    is $got[1], ":status=307$rest", 'C.6.2';
    is $got[2], ':status=200|cache-control=private'
        . '|date=Mon, 21 Oct 2013 20:13:22 GMT'
        . '|location=https://www.example.com|content-encoding=gzip'
        . '|set-cookie=foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; '
        . 'version=1', 'C.6.3';
    is scalar @{ $hpack->{table} }, 3, 'entries left in the dynamic table';
    is unpack('H*', IRI::HPACK::encode_integer(1337, 5)), '1f9a0a', 'C.1.2';
    my $long = [":path", '/' . "\xE9" x 300];
    is(listed(IRI::HPACK->new->decode(IRI::HPACK::encode($long))),
        listed($long), 'encoded and decoded');
    for my $bad ('80', 'ff', '0085', '8140ff', '00', '0081fe') {
        ok !eval { IRI::HPACK->new->decode(pack 'H*', $bad); 1 },
            "refused: $bad";
    }
}

sub listed {
    return join '|', map { "$_->[0]=$_->[1]" } @_;
}

sub test_trees {
    my ($dir, $files) = make_tree(<<'END');
# a comment
caf\xC3\xA9/a\x20b.txt	file
\x23.txt	file	text\x0A	0600
empty	dir	-	0700
link	link	\x23.txt
END
    is_deeply $files, {
        "caf\303\251/a b.txt" => 'caf\xC3\xA9/a\x20b.txt',
        '#.txt' => "text\n", 'link' => "text\n"
    }, 'content by path';
    is slurp("$dir/caf\303\251/a b.txt"), 'caf\xC3\xA9/a\x20b.txt', 'on disk';
    is readlink "$dir/link", '#.txt', 'link';
    is sprintf('%o', (stat "$dir/empty")[2] & 07777), '700', 'mode of a dir';
    is sprintf('%o', (stat "$dir/#.txt")[2] & 07777), '600', 'mode of a file';
    is sprintf('%o', (stat "$dir/caf\303\251")[2] & 07777), '755', 'default';

    for ('a', "a\tsocket", "a\tlink", "a\tfile\t-\t9", "\xE9\tfile",
        "a\tfile\na\tfile")
    {
        ok !eval { make_tree("$_\n"); 1 }, 'refused: ' . escaped($_);
    }
    for my $row (
        ['Shift_JIS',    "\x{8868}\x{301C}", '\x95\x5C\x81`'],
        ['EUC-JP',       "\x{8868}\x{FF5E}", '\xC9\xBD\xA1\xC1'],
        ['EUC-JP',       "\x{4E02}",         '\x8F\xB0\xA1'],
        ['EUC-KR',       "\x{AC12}\x{B620}", '\xB0\xAA\x8Cc'],
        ['Big5',         "\x{529F}",         '\xA5\x5C'],
        ['GB18030',      "\x{52E4}",         '\xC7\xDA'],
        ['windows-1251', "\x{43C}\x{451}",   '\xEC\xB8'],
        ['windows-1258', "\x{1EBF}",         '\xEA\xEC'],
        ['ISO-8859-1',   "\x{153}",          '\x9C'],
        ['KOI8-R',       "\x{43C}",          '\xCD'],
        ['UTF-8',        "\x{E9}",           'e\xCC\x81', 'NFD'],
        ['UTF-8',        "e\x{301}",         '\xC3\xA9',  'NFC'],
        ['UTF-8',        "e\x{301}",         'e\xCC\x81'],
        )
    {
        my ($charset, $name, $octets, $form) = @$row;
        utf8::encode($name);
        is escaped(encode_name($name, $charset, $form)), $octets,
            join ' ', $charset, $form // '';
    }
    ok !eval { encode_name("\303\251", 'Shift_JIS'); 1 }, 'not in a charset';

    # Each tree of t/trees can be created and contains the octets that it is
    # for.
    my %octets = (
        mixed       => 'partly/r\xC3\xA9sume\xCC\x81.html',
        euc         => '\xC9\xBD\xBC\xA8/\xA5\xBD\xA1\xBC\xA5\xB9.html',
        sjis        => '\x95\x5C\x8E\xA6/\x83\x5C\x81[\x83X.html',
        cp1251      => '\xEA\xE8\xED\xEE/\xF4\xE8\xEB\xFC\xEC.html',
        nfd         => 're\xCC\x81sume\xCC\x81.html',
        'prior-art' => 'sjis/\x95\x5C\x8E\xA6',
    );
    for my $tree (sort keys %octets) {
        my ($root, $content) = make_tree($tree);
        is $content->{ octets($octets{$tree}) }, $octets{$tree}, $tree;
    }
    is scalar(grep { m{([^/]+)$} && length $1 == 255 }
            keys %{ (make_tree('mixed'))[1] }), 3, 'names of 255 octets';
}

sub test_cases {
    my $dir = temp_dir();
    spew("$dir/a.tsv", <<'END');
# comment
id	tree	settings	method	target	status	path	note	nginx	httpd
a1	mixed	charset=Shift_JIS,EUC-JP match=case	-	/x	200	x	why	-	404
a2	-	-	GET	/y	404	-	-	-	skip
a3	mixed	charset=Shift_JIS,EUC-JP match=case	PUT	/z	301|308	-	-	200 q\xE9	-
END
    my @cases = IRI::Cases::load("$dir/a.tsv");
    is join(' ', map { $_->{id} } @cases), 'a1 a2 a3', 'load';
    my @groups = IRI::Cases::groups(@cases);
    is join(' ', map { scalar @{ $_->{cases} } } @groups), '2 1', 'groups';
    is IRI::Cases::nginx_settings($groups[0]{settings}),
        "iri on;\niri_charset Shift_JIS EUC-JP;\niri_match case;\n",
        'nginx settings';
    is IRI::Cases::httpd_settings($groups[0]{settings} . ' iri=report'),
        "IRICharset Shift_JIS EUC-JP\nIRIMatch case\nIRIEngine report\n",
        'httpd settings';
    is join(' ', IRI::Cases::core_options('filename_charset=A,B redirect=301')),
        '--filename-charset A,B', 'options of the command';
    my $expect = sub { IRI::Cases::expected($cases[$_[0]], $_[1]) };
    is_deeply $expect->(0, 'nginx'), { status => 200, path => 'x' }, 'as is';
    is_deeply $expect->(0, 'httpd'), { status => 404, path => undef },
        'status column of one runner';
    is_deeply $expect->(2, 'nginx'), { status => 200, path => "q\xE9" },
        'status and path of one runner';
    is_deeply $expect->(1, 'httpd'), { skip => 1 }, 'skip';
    for ("id\n", "id\ttree\tsettings\tmethod\ttarget\tstatus\tpath\tnode\n") {
        spew("$dir/b.tsv", $_);
        ok !eval { IRI::Cases::load("$dir/b.tsv"); 1 }, 'wrong columns';
    }
    my $head = "id\ttree\tsettings\tmethod\ttarget\tstatus\tpath\n";
    for ("x\t-\tcharsett=A\t-\t/\t200\t-\n", "x\t-\t-\t-\t/\t200\n",
        "x\t-\t-\t-\t/\t200\t-\n" x 2)
    {
        spew("$dir/b.tsv", $head . $_);
        ok !eval { IRI::Cases::load("$dir/b.tsv"); 1 },
            'refused: ' . escaped($_);
    }

    # The failures that the judge reports for a response to a case.
    my $judge = sub {
        my ($case, %answer) = @_;
        my %case = (method => '-', status => 200, path => '-', %$case);
        return scalar IRI::Cases::judge(\%case, 'nginx',
            IRI::Response->new(status => 200, %answer), { x => 'xx' });
    };
    my %served = (path => '/x');
    ok !$judge->(\%served, body => 'xx'), 'right file';
    ok $judge->(\%served, body => 'x'), 'wrong file';
    ok $judge->({ path => '/y' }), 'file that is not in the tree';
    ok $judge->({}, status => 404), 'wrong status';
    ok !$judge->({ status => '404|400' }, status => 404), 'one of two statuses';
    my $length = [['Content-Length', 2]];
    ok !$judge->({ %served, method => 'HEAD' }, headers => $length), 'HEAD';
    ok $judge->({ %served, method => 'HEAD' }), 'HEAD without length';
    my $location = [['Location', 'http://localhost:1/%C3%A9?q']];
    ok !$judge->({ location => '/%C3%A9?q' }, headers => $location),
        'location';
    ok $judge->({ location => '/%C3%A9' }, headers => $location),
        'wrong location';
    my $words = [['IRI-Words', 'form=legacy charset= match=none']];
    ok !$judge->({ form => 'legacy', match => 'none' }, headers => $words),
        'variables';
    ok $judge->({ form => $_ }, headers => $words), "wrong variable $_"
        for qw(leg native);
}

# A table that contains its own trees.
sub test_own_trees {
    my $file = temp_dir() . '/own.tsv';
    spew($file, <<'END');
id	tree	settings	method	entries	target	status	path	match	choices
o1	own	match=case	-	Été a.txt|b/	/é\u{301}?\xE9	200	Été a.txt	case	-
o2	own/EUC-JP	match=case,width dav=on	-	表	/%C9	200	表	width	-
o3	own	-	-	A|a|b	/A	300	-	-	a|A
END
    my @cases = IRI::Cases::load($file);
    is $cases[0]{target}, '/o1/%C3%A9%CC%81?\xE9', 'target';
    is $cases[0]{path}, 'o1/\xC3\x89t\xC3\xA9\x20a.txt', 'path';
    is $cases[1]{path}, 'o2/\xC9\xBD', 'path in the charset of its tree';
    is $cases[0]{manifest},
        $cases[0]{path} . "\tfile\no1/b/\tdir\n", 'manifest';
    my @without = IRI::Cases::without(@cases);
    is join(' ', map { "$_->{id} $_->{settings} $_->{status}" } @without),
        'o2 match=case dav=on 404', 'without the level';
    like IRI::Cases::nginx_settings($cases[1]{settings}),
        qr/^dav_methods .*;\niri on;\niri_match case width;\n\z/, 'stock';
    my $links = sub { join '', map { qq(<a href="/o3/$_">) } @_ };
    is join(' ', IRI::Cases::listed($cases[2], $links->(qw(a A)))), '',
        'listed';
    is join(' ', IRI::Cases::listed($cases[2], $links->(qw(a b)))),
        'not listed: /o3/A listed: /o3/b', 'not listed';
}

# A table whose cases pass on a server without our module.
sub table_cases {
    my $file = temp_dir() . '/table.tsv';
    spew($file, <<'END');
id	tree	settings	method	target	status	path	note	httpd	core
t1	mixed	-	-	/caf%C3%A9.html	200	caf\xC3\xA9.html	# sign	-	-
t2	mixed	-	HEAD	/caf\xC3\xA9.html	200	caf\xC3\xA9.html	-	-	-
t3	mixed	-	-	/nobody	404	-	-	-	-
t4	mixed	-	-	/a b\x00	400|404	-	a connection of its own	403|400|404	skip
t5	euc	-	-	/%C9%BD.txt	200	\xC9\xBD.txt	-	-	-
t6	nfd/UTF-8/NFC	match=case	-	/cafe%CC%81.html	404	-	-	skip	-
t7	-	-	GET	/	403	-	empty root	404	-
END
    return [IRI::Cases::load($file)];
}

# Runs it on a server by HTTP/1.1 and HTTP/2, without the module's settings.
sub test_run {
    my ($run) = @_;
    no warnings 'redefine';
    local *IRI::Cases::nginx_settings = sub { '' };
    local *IRI::Cases::httpd_settings = sub { '' };
    is $run->(table_cases(), proto => $_), 0, $_ for qw(h1 h2);
}

# Runs it on a command that takes every target as a file name.
sub test_run_core {
    local $ENV{IRI_BUILD} = temp_dir();
    spew("$ENV{IRI_BUILD}/iri", <<'END');
#!/bin/sh
test "$*" = "explain --batch --root $4" -o "$5 $6" = '--match case' || exit 1
while read -r target; do echo '{"ok":true,"answer":"pass"}'; done
END
    chmod 0755, "$ENV{IRI_BUILD}/iri";
    is IRI::Cases::run_core(table_cases()), 0, 'all cases pass';
}

# How the runner of the core reads verdicts of `iri explain`.
sub test_core {
    my $judge = sub {
        my ($case, %verdict) = @_;
        my %case = (method => '-', status => 200, path => '-', %$case);
        return scalar IRI::Cases::judge_core(\%case, \%verdict,
            { "d/\xE9" => '', 'd/index.html' => '' }, '/srv');
    };
    my @file  = (filename => '/srv/d/%E9', escaped => ['filename']);
    my %found = (target => '/d/%E9', path => 'd/\xE9');
    ok !$judge->(\%found, answer => 'serve', @file), 'served';
    ok !$judge->(\%found, answer => 'moved', @file), 'moved';
    ok !$judge->(\%found, answer => 'pass'), 'verdict pass: the server decides';
    ok $judge->(\%found, answer => 'refuse', status => 404), 'refused';
    ok $judge->(\%found, answer => 'serve', filename => '/srv/d'), 'wrong';
    ok !$judge->({ target => '/d/', path => 'd/index.html' },
        answer => 'serve', filename => '/srv/d/'), 'index';
    my %none = (target => '/n', status => 404);
    ok !$judge->(\%none, answer => 'refuse', status => 404), 'none: refused';
    ok $judge->(\%none, answer => 'refuse', status => 400), 'none: not 400';
    ok !$judge->(\%none, answer => 'serve', filename => '/srv'), 'none: dir';
    ok $judge->(\%none, answer => 'serve', @file), 'none: a file';
    my %moved = (status => 301, location => '/%C3%A9');
    ok $judge->(\%moved, answer => 'serve'), 'a redirect without a target';
    ok $judge->(\%moved, answer => 'moved', location => '/e'), 'elsewhere';
    ok !$judge->(\%moved, answer => 'moved', location => '/%C3%A9'), 'moved';
    ok !$judge->({ core => 'moved d/\xE9' }, answer => 'moved',
        @file), 'an answer in place of the status';
    ok $judge->({ core => 'serve' }, answer => 'moved'), 'another answer';
}

sub test_nginx {
    my ($root) = make_tree("caf\\xC3\\xA9.txt\tfile\n");
    spew("$root/large", $LARGE);
    my $conf = <<'END';
root %%ROOT%%;
server {
    listen 127.0.0.1:%%PORT%%;
    location /chunked { ssi on; ssi_types *; alias %%ROOT%%/large; }
    location /old { return 301 /new; }
    location /host { return 200 "$http_host"; }
    location /dav/ { dav_methods PUT; alias %%ROOT%%/; }
    client_max_body_size 1m;
}
server {
    listen 127.0.0.1:%%PORTh2%% http2;
    location /dav/ { dav_methods PUT; alias %%ROOT%%/; }
    location /chunked { ssi on; ssi_types *; alias %%ROOT%%/large; }
}
END
    my $server = nginx(stock => 1, root => $root, conf => $conf);
    chmod 0777, $root;
    test_requests($server, $server->port('h2'), '/chunked');
    is $server->get('/host', host => 'x:y')->body, 'x:y', 'host';
    is $server->get('/host', host => undef)->status, 400, 'no host';
    is $server->get('/host', host => undef, version => '1.0')->status, 200,
        'HTTP/1.0';
    for my $option ([], [proto => 'h2', port => $server->port('h2')]) {
        is $server->request('PUT', "/dav/put\xE9", body => $LARGE, @$option)
            ->status, @$option ? 204 : 201, "PUT @$option";
        is slurp("$root/put\xE9"), $LARGE, 'whole';
    }
    test_pipeline($server->client, 2500);
    test_pipeline(
        $server->client(proto => 'h2', port => $server->port('h2')), 2500);
    is_deeply [$server->errors], [], 'no errors';

    my $reloaded = $conf =~ s{return 301 /new}{return 302 /newer}r;
    ok $server->reload($reloaded), 'reload';
    is $server->get('/old')->status, 302, 'new configuration';
    ok !$server->reload('nonsense;'), 'reload of an invalid configuration';
    is $server->get('/old')->status, 302, 'old configuration active';
    is scalar(my @errors = $server->errors), 1, 'which is reported as an error';
    is_deeply [$server->errors(ignore => qr/nonsense/)], [], 'ignored';

    my ($worker) = reverse $server->log_text =~ /start worker process (\d+)/g;
    kill 'SEGV', $worker;
    my $crash = qr{exited on signal 11|AddressSanitizer: SEGV};
    ok $server->wait_for(sub { grep { /$crash/ } $server->errors }),
        'a crash is an error';
    mkdir $server->tmp . '/sanitizer';
    spew($server->tmp . '/sanitizer/asan.1', "report\n");
    is scalar(grep { $_ eq 'report' } $server->errors), 1,
        'a sanitizer report is an error';
    test_end($server);

    is +(nginx_t('server { listen 127.0.0.1:%%PORT%%; }', stock => 1))[0], 0,
        'valid configuration';
    my ($code, $output) = nginx_t('nonsense;', stock => 1);
    is $code, 1, 'invalid configuration';
    like $output, qr/unknown directive "nonsense"/, 'its message';
    test_fails(sub { nginx(stock => 1, conf => 'x; # %%PORT%%') },
        qr/unknown directive "x"/);
}

sub test_httpd {
    my ($root) = make_tree("caf\\xC3\\xA9.txt\tfile\n");
    spew("$root/large", $LARGE);
    spew("$root/cgi", "#!/bin/sh\necho Content-Type: text/plain\necho\n"
        . "cat large\n");
    chmod 0755, "$root/cgi";
    my $conf = <<'END';
<Directory "%%ROOT%%">
    Options +ExecCGI
    <Files "cgi">
        SetHandler cgi-script
    </Files>
</Directory>
Redirect 301 /old http://localhost/new
END
    my %common = (stock => 1, root => $root, h2 => 1,
        modules => ['cgid'], conf => $conf);
    for my $mpm (qw(event worker prefork)) {
        my $server = httpd(%common, mpm => $mpm, h2 => $mpm ne 'prefork');
        is $server->get("/caf\303\251.txt")->body, 'caf\xC3\xA9.txt', $mpm;
        is_deeply [$server->errors], [], 'no errors';
        $server->stop;
    }
    my $server = httpd(%common);
    test_requests($server, $server->port, '/cgi');
    test_pipeline($server->client, 500);
    test_pipeline($server->client(proto => 'h2'), 500);
    is_deeply [$server->errors], [], 'no errors';
    ok $server->reload($conf . "Redirect 302 /late http://localhost/x\n"),
        'reload';
    is $server->get('/late')->status, 302, 'new configuration';
    test_end($server);

    is +(httpd_t('', stock => 1))[0], 0, 'valid configuration';
    my ($code, $output) = httpd_t('Nonsense', stock => 1);
    is $code, 1, 'invalid configuration';
    like $output, qr/Invalid command 'Nonsense'/, 'its message';
    test_fails(sub { httpd(stock => 1, conf => 'X') },
        qr/Invalid command 'X'/);
}

# Requests that both servers must receive and answer in the same way, by
# HTTP/1.1 and HTTP/2.
sub test_requests {
    my ($server, $h2, $chunked) = @_;
    for my $option ([], [proto => 'h2', port => $h2]) {
        my $get  = sub { $server->get(@_, @$option) };
        my $name = @$option ? 'h2' : 'h1';
        is $get->("/caf\303\251.txt")->body, 'caf\xC3\xA9.txt', "$name: raw";
        is $get->('/caf%C3%A9.txt')->body, 'caf\xC3\xA9.txt', "$name: escaped";
        is $get->("/caf\351.txt")->status, 404, "$name: not found";
        my $large = $get->('/large');
        ok $large->body eq $LARGE, "$name: large body";
        is $large->header('content-length'), length $LARGE, "$name: length";
        ok $get->($chunked)->body eq $LARGE, "$name: streamed body";
        my $head = $server->request('HEAD', '/large', @$option);
        is $head->status . $head->body, 200, "$name: HEAD";
        my $part = $get->('/large', headers => [Range => 'bytes=0-4']);
        is $part->status . $part->body, '206xxxxx', "$name: a field";
        $get->("/\351%E9\\'?\377=%zz");
        $get->("/x/../y/./%2e/");
    }
    is $server->get($chunked)->header('Transfer-Encoding'), 'chunked',
        'chunked';
    my $log = $server->access_log;
    for my $version ('1.1', '2.0') {
        like $log, qr{"GET /\\xE9%E9(?:\\\\|\\x5C)'\?\\xFF=%zz HTTP/$version"}i,
            "HTTP/$version: target arrives raw";
        like $log, qr{"GET /x/\.\./y/\./%2e/ HTTP/$version"}, 'untidied';
    }
    my $client = $server->client;
    is $client->send_raw("GET /large HTTP/1.0\r\nRange: bytes=0-1\r\n\r\n")
        ->body, 'xx', 'raw octets';
    is $client->send_raw("nonsense\r\n\r\n")->status, 400, 'nonsense';
}

# Many requests on one connection, including a bad one that closes it.
sub test_pipeline {
    my ($client, $count) = @_;
    my @targets = ("/caf\303\251.txt") x $count;
    $targets[$count / 2] = "/a b\0c";
    $targets[$_ * 50] = "/none-$_" for 1 .. 3;
    my @statuses = map { $_->status } $client->pipeline(@targets);
    my @expected = (200) x $count;
    $expected[$_ * 50] = 404 for 1 .. 3;
    my $bad = splice @statuses, $count / 2, 1;
    splice @expected, $count / 2, 1;
    is "@statuses", "@expected", "$count requests";
    like $bad, qr/^(?:0|400|404|403)$/, 'the bad request';
}

# After the end of a server nothing answers, and this is no error.
sub test_end {
    my ($server) = @_;
    my $port = $server->port;
    $server->stop;
    ok !IRI::Server::answers($port), 'stopped';
    ok !$server->alive, 'not alive';
}

# A server with a wrong configuration reports it at once.
sub test_fails {
    my ($start, $message) = @_;
    ok !eval { $start->(); 1 }, 'does not start';
    like $@, $message, 'the message';
}
