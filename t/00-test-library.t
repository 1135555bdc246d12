# The parts of the test library that must fail where something is wrong: the
# judges of the tables, and the search of the error log. All other parts are
# used by every test.
use IRI::Test;
use IRI::Cases;

subtest 'cases' => \&test_cases;
subtest 'own trees' => \&test_own_trees;
subtest 'many cases of a row' => \&test_written;
subtest 'rows' => \&test_rows;
subtest 'core' => \&test_core;
subtest 'errors' => \&test_errors;
done_testing;

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

# Rows that stand for several cases: by the column "forms", and by several
# settings.
sub test_written {
    my $dir = temp_dir();
    spew("$dir/a.tsv", <<'END');
id	tree	settings	method	target	status	path	note	form	match	charset	forms
b1	forms	-	-	/é/ü.txt	200	-	-	-	-	-	utf8,nfd,windows-1252
b2	forms	-;invalid=400;invalid=pass	-	/%FF	404;400;200	-;-;\xFF	x;y;z
END
    is_deeply [map { join ' ', map { $_ // '-' } @$_{qw(id tree settings target
            status path form)} } IRI::Cases::load("$dir/a.tsv")], [
        'b1-escaped forms - /%C3%A9/%C3%BC.txt 200 \xC3\xA9/\xC3\xBC.txt escaped',
        'b1-lower forms - /%c3%a9/%c3%bc.txt 200 \xC3\xA9/\xC3\xBC.txt escaped',
        'b1-native forms - /\xC3\xA9/\xC3\xBC.txt 200 \xC3\xA9/\xC3\xBC.txt native',
        'b1-mixed forms - /\xC3\xA9/%C3%BC.txt 200 \xC3\xA9/\xC3\xBC.txt mixed',
        'b1-nfd forms - /e%CC%81/u%CC%88.txt 200 \xC3\xA9/\xC3\xBC.txt escaped',
        'b1-nfd-native forms - /e\xCC\x81/u\xCC\x88.txt 200 \xC3\xA9/\xC3\xBC.txt native',
        'b1-nfd-dir forms - /e%CC%81/\xC3\xBC.txt 200 \xC3\xA9/\xC3\xBC.txt -',
        'b1-disk forms/UTF-8/NFD - /%C3%A9/%C3%BC.txt 200 e\xCC\x81/u\xCC\x88.txt -',
        'b1-disk-nfd forms/UTF-8/NFD - /e\xCC\x81/u\xCC\x88.txt 200 e\xCC\x81/u\xCC\x88.txt native',
        'b1-cp1252 forms charset=windows-1252 /%E9/%FC.txt 200 \xC3\xA9/\xC3\xBC.txt legacy',
        'b1-cp1252-raw forms charset=windows-1252 /\xE9/\xFC.txt 200 \xC3\xA9/\xC3\xBC.txt legacy',
        'b1-cp1252-disk forms/UTF-8/NFD charset=windows-1252 /%e9/%fc.txt 200 e\xCC\x81/u\xCC\x88.txt -',
        'b2 forms - /%FF 404 - -', 'b2-2 forms invalid=400 /%FF 400 - -',
        'b2-3 forms invalid=pass /%FF 200 \xFF -',
    ], 'a row in words and settings';
    return;
}

# The parts of an answer, and what is compared.
sub test_rows {
    my $answer = IRI::Response->new(status => 301, body => '<a href="/b">x',
        headers => [[Location => 'http://x:8/a?b'], [Vary => 'A'],
            [Vary => 'B']]);
    is_deeply [map { IRI::Rows::seen($answer, $_) } qw(status body location
        links vary etag)], [301, '<a href="/b">x', '/a?b', '/b', 'A, B',
        'none'], 'cells';
    my $server = bless { answer => $answer }, 'FakeServer';
    my @got;
    no warnings qw(once redefine);
    local *Test::More::is = sub { push @got, $_[0] eq $_[1] ? 1 : 0 };
    *FakeServer::request = sub { $_[0]{answer} };
    rows_are($server, <<'END');
request  status  location  vary  note
/a  301  /a?b  A, B
/a  301  /a
/a  301  ~^/a\?  -  a pattern
/a  301  ~^/b
/a  200
/a  301  -  none
END
    ok "@got" eq '1 0 1 0 0 0', "rows that fail: @got";
    return;
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

# A refused configuration, a crash and a report of a sanitizer are errors.
sub test_errors {
    plan skip_all => missing('nginx', stock => 1)
        if missing('nginx', stock => 1);
    my $server = nginx(stock => 1, conf => <<'END');
server { listen 127.0.0.1:%%PORT%%; return 200 "$http_host"; }
END
    is $server->get('/host', host => 'x:y')->body, 'x:y', 'an answer';
    ok !$server->reload('nonsense;'), 'reload of an invalid configuration';
    is scalar(my @errors = $server->errors), 1, 'is an error';
    is_deeply [$server->errors(ignore => qr/nonsense/)], [], 'ignored';
    my ($worker) = reverse $server->log_text =~ /start worker process (\d+)/g;
    kill 'SEGV', $worker;
    my $crash = qr{exited on signal 11|AddressSanitizer: SEGV};
    ok $server->wait_for(sub { grep { /$crash/ } $server->errors }), 'a crash';
    mkdir $server->tmp . '/sanitizer';
    spew($server->tmp . '/sanitizer/asan.1', "report\n");
    is scalar(grep { $_ eq 'report' } $server->errors), 1, 'a sanitizer';
    ok !eval { nginx(stock => 1, conf => 'x; # %%PORT%%'); 1 },
        'a server that does not start';
}
