# The parts of the test library that must fail where something is wrong: the
# judges of the tables, and the search of the error log. All other parts are
# used by every test.
use IRI::Test;
use IRI::Cases;

subtest 'cases' => \&test_cases;
subtest 'own trees' => \&test_own_trees;
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
