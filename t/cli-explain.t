#!/usr/bin/perl
# The command iri: usage, targets, batch, the output of `iri explain`. The
# core's decisions are tested elsewhere.
use IRI::Test 'core';
use JSON::PP ();

my $iri = build_dir() . '/iri';
my ($root) = make_tree([qw(plain.txt café/menü.txt 100%.txt raw/\xE9%.txt)]);
my ($euc) = make_tree([qw(表/示.html)], undef, charset => 'EUC-JP');

# Exit code, standard output and standard error of `iri ARGUMENTS`.
sub iri { return capture('', $iri, @_) }

# The objects for lines of `iri explain --batch OPTIONS`.
sub batch {
    my ($lines, @options) = @_;
    my ($code, $out, $err) = capture($lines, $iri, 'explain', '--batch',
        @options);
    is $err, '', "standard error is empty: @options" or return;
    return map { JSON::PP->new->utf8->decode($_) } split /\n/, $out;
}

# One target, in which batch escapes are not interpreted.
sub explain_target {
    my ($target, @options) = @_;
    return (batch("$target\n", @options))[0];
}

subtest 'help' => sub {
    for my $arguments (['--help'], ['-h'], ['help'], ['help', 'help'],
        ['help', '-h'])
    {
        my ($code, $out, $err) = iri(@$arguments);
        is $code, 0, "@$arguments";
        like $out, qr/^Usage: iri COMMAND.*^  explain /ms, 'lists commands';
        is $err, '', 'standard error is empty';
    }
    for my $arguments (['help', 'explain'], ['explain', '--help'],
        ['explain', '-h'])
    {
        my ($code, $out) = iri(@$arguments);
        is $code, 0, "@$arguments";
        like $out, qr/--$_\b/, "--$_" for qw(root charset invalid
            filename-charset filename-form match ambiguous cache method
            escaped batch);
    }
    for my $command ('help', (iri('help'))[1] =~ /^  ([a-z]\S+)/mg) {
        my ($code, $out) = iri('help', $command);
        is_deeply [grep { length > 80 } split /\n/, $out =~ s/[\x80-\xBF]//gr],
            [], "no line of $command is over 80 columns";
    }
    for my $option ('--version', '-V') {
        my ($code, $out) = iri($option);
        is $code, 0, $option;
        like $out, qr/^iri [\d.]+\n\z/, 'a version';
    }
};

subtest 'usage' => sub {
    my @wrong = (
        [[],                          qr/^Usage: iri COMMAND/],
        [['explane', '/'],            qr/"explane".*explain, .*help/],
        [['-x'],                      qr/^Write the command before its/m],
        [['http://a/b'],              qr/^For .*: iri explain TARGET$/m],
        [["\e[31m"],                  qr/"%1B\[31m"/],
        [['help', 'explane'],         qr/"explane"/],
        [['explain'],                 qr/TARGET$/m],
        [['explain', '/a', 'b c'],    qr/"b c"/],
        [['explain', '--rot', '/'],   qr/--rot\b.* --root/s],
        [['explain', '--root'],       qr/--root/],
        [['explain', '--batch', '/'], qr/--batch/],
        [['explain', '--root', "$root/none", '/'],
            qr/--root ".*none".*: No such file/],
        [['explain', '--root', "$root/plain.txt", '/'], qr/--root ".*plain/],
        [['explain', '--root', '', '/'], qr/--root /],
        [['explain', '--charset', ' ,', '/'], qr/--charset /],
        [['explain', '--match', '', '/'], qr/--match /],
        [['explain', '--charset', 'klingon', '/'],
            qr/--charset "klingon".*Shift_JIS/],
        [['explain', '--charset', 'ISO-2022-JP', '/'],
            qr/--charset "ISO-2022-JP"/],
        [['explain', '--filename-charset', 'none', '/'],
            qr/--filename-charset .*"none"/],
        [['explain', '--invalid', '500', '/'], qr/--invalid .*"pass"/],
        [['explain', '--filename-form', 'x', '/'],
            qr/--filename-form .*"nfd"/],
        [['explain', '--match', 'case:de', '/'],
            qr/--match .*"case".*"case:tr".*"accents:de".*"spelling"/],
        [['explain', '--ambiguous', '200', '/'],
            qr/--ambiguous .*"404".*"300"/],
        [['explain', '--repair', 'utf8', '/'],
            qr/--repair .*"off".*"double-encoding".*"%u"/],
        [['explain', '--query-charset', 'klingon', '/'],
            qr/--query-charset "klingon"/],
        [['explain', '--cache', '1x', '/'], qr/--cache .*"16m"/],
        [['explain', '--cache', '16m 1', '/'], qr/--cache /],
        [['explain', '--method', 'get', '/'], qr/--method .*"GET"/],
        [['explain', '--method', '', '/'], qr/--method /],
        [['explain', '--match', 'exact variants', '/'],
            qr/--match .*"exact"/],
    );
    for (@wrong) {
        my ($arguments, $message) = @$_;
        my ($code, $out, $err) = iri(@$arguments);
        is $code, 2, "exit code of iri @$arguments";
        is $out, '', 'standard output is empty';
        like $err, $message, 'the message names the error and valid values';
    }
    my (undef, undef, $err) = iri('explain', '--invalid', '500', '/');
    unlike $err, qr/--root/, 'no list of options for another error';
};

# The input of the core, visible in the path of a target without a reading.
subtest 'targets' => sub {
    my @targets = (
        ['/',                        '/'],
        ['/a/b',                     '/a/b'],
        ['/a?b/../c',                '/a'],
        ['/a#b?c',                   '/a'],
        ['//a///b//',                '/a/b/'],
        ['/a/./b/.',                 '/a/b/'],
        ['/a/b/../c',                '/a/c'],
        ['/a/b/..',                  '/a/'],
        ['/a/..',                    '/'],
        ['/a/%2e%2E/b',              '/b'],
        ['/a/.%2e/b',                '/b'],
        ['/a/%252e%252e/b',          '/a/%2e%2e/b'],
        ['/.../..a/b..',             '/.../..a/b..'],
        ['http://host/a',            '/a'],
        ['HTTPS://host:1/a?b',       '/a'],
        ['http://host',              '/'],
        ['http://host?a',            '/'],
        ['/http://host/a',           '/http:/host/a'],
        ['/%7Ea%2Fb',                '/~a/b'],
        ['/a+b',                     '/a+b'],
    );
    my @got = batch(join '', map { "$_->[0]\n" } @targets);
    for (@targets) {
        my ($target, $path) = @$_;
        is shift(@got)->{path}, $path, $target;
    }
};

subtest 'targets kept escaped' => sub {
    my @targets = (
        ['/a%2Fb/../c',  '/c',         '/c'],
        ['/a/%2e%2e/b',  '/b',         '/b'],
        ['/a/%2e/b',     '/a/b',       '/a/b'],
        ['/%C3%A9%2Fb',  "/\x{E9}/b",  '/%C3%A9%2Fb'],
        ['/%C3%A9%25',   "/\x{E9}%",   '/%C3%A9%25'],
    );
    for (@targets) {
        my ($target, $path, $uri) = @$_;
        my $got = explain_target($target, '--escaped');
        is $got->{path}, $path, "path of $target";
        is $got->{uri},  $uri,  "uri of $target";
    }
};

subtest 'wrong targets' => sub {
    my @targets = (
        ['',               0],
        ['a',              0],
        ['ftp://host/a',   0],
        ['/a%',            2],
        ['/a%4',           2],
        ['/%zz',           1],
        ['/a%u65E5',       2, qr/--repair %u/],
        ['/a%U65e5',       2, qr/--repair %u/],
        ['/a%u65E',        2],
        ['/a%u65Eg',       2],
        ['http://host/%z', 12],
        ['/a%00',          2, qr/%00/],
        ['/a b',           2],
        ['/a\\x7Fb',       2],
        ['/a\\x00b',       2],
        ['/..',            0],
        ['/a/../..',       0],
    );
    for my $options ([], ['--escaped']) {
        my @got = batch(join('', map { "$_->[0]\n" } @targets), @$options);
        for (@targets) {
            my ($target, $offset, $error) = @$_;
            my $got = shift @got;
            ok !$got->{ok}, "invalid target: $target @$options";
            is $got->{offset}, $offset, 'offset';
            like $got->{error}, $error // qr/./, 'error';
            is keys %$got, 3, 'no other field';
        }
    }
    my ($code, $out, $err) = iri('explain', '/%zz');
    is $code, 1, 'exit code';
    like $err, qr/\(offset 1\)/, 'message';
};

subtest 'batch' => sub {
    my @lines = (
        ['/a\\\\b',   "/a\\b"],
        ['/\\xC3\\xa9', "/\x{E9}"],
        ["/\xC3\xA9", "/\x{E9}"],
    );
    my @got = batch(join "\n", map { $_->[0] } @lines);
    is shift(@got)->{path}, $_->[1], $_->[0] for @lines;
    is @got, 0, 'an object for each line, also for one without its end';

    for (['/a\\q', 2], ['/a\\', 2], ['/\\x4', 1], ["/a\t/b", 5]) {
        my ($line, $offset) = @$_;
        my $got = explain_target($line);
        ok !$got->{ok}, "rejected: $line";
        is $got->{offset}, $offset, 'offset';
    }
    my ($code) = capture("/a\n/%\n/b\n", $iri, 'explain', '--batch');
    is $code, 1, 'exit code if a line is invalid';
    ($code) = capture("/a\n/%E9\n", $iri, 'explain', '--batch');
    is $code, 0, 'exit code if all lines are valid, including refusals';
    my ($none, $out) = capture('', $iri, 'explain', '--batch');
    is "$none$out", '0', 'no lines';
    my @many = batch("/caf%C3%A9\n" x 3000, '--root', $root);
    is grep({ $_->{answer} eq 'serve' } @many), 3000, 'many lines';
};

subtest 'fields' => sub {
    my $got = explain_target('/caf%C3%A9/menu%CC%88.txt?q', '--root', $root);
    my %expected = (
        ok => JSON::PP::true(), form => 'escaped', charset => 'UTF-8',
        path => "/caf\x{E9}/men\x{FC}.txt", match => 'normalization',
        uri => '/caf%C3%A9/men%C3%BC.txt',
        filename => "$root/caf\x{E9}/men\x{FC}.txt", path_info => '',
        answer => 'serve', why => 'an entry has the requested name',
        status => undef, location => '/caf%C3%A9/men%C3%BC.txt?q'
    );
    is_deeply $got, \%expected, 'all of them';

    $got = explain_target('/caf%C3%A9/men%C3%BC.txt/%C3%A9', '--root', $root);
    is $got->{filename},  "$root/caf\x{E9}/men\x{FC}.txt", 'filename';
    is $got->{path_info}, "/\x{E9}", 'path_info';
    is $got->{location},  undef,     'no Location for a canonical path';

    $got = explain_target('/%E9');
    is_deeply [@$got{qw(form answer status filename)}],
        ['invalid', 'refuse', 404, undef], 'refused, without root';
};

subtest 'forms of options' => sub {
    is explain_target('/%95%5C/%8E%A6.html', @$_, '--root', $euc,
        '--filename-charset', 'euc-jp utf-8')->{answer}, 'moved', "@$_"
        for ['--charset', 'gbk,sjis'], ['--charset', 'gbk', '--charset', 'sjis'];
    my $file = "$root/caf\x{E9}/men\x{FC}.txt";
    is explain_target('/caf%C3%A9/men%C3%BC.txt', '--root',
        "$root/")->{filename}, $file, 'a root that ends with "/"';
    chdir $root or die;
    is explain_target('/caf%C3%A9/men%C3%BC.txt', '--root', '.')->{filename},
        $file, 'a relative root';
};

subtest 'octets that are not UTF-8' => sub {
    for my $target ('/%96%7B', '/%83%5C', '/%81%60.txt', '/100%25.txt',
        "/\xC3\xA9") {
        my ($code, $out) = capture('', $iri, 'explain', '--charset', 'gbk',
            '--charset', 'sjis', $target);
        like $out, qr/^Reading \Q$target\E$/m, "$target can be copied";
    }
    my $got = explain_target('/\\xE9%25', '--invalid', 'pass');
    is $got->{path}, '/%E9%25', 'percent-encoded, with "%"';
    is_deeply [grep { $_ eq 'path' } @{ $got->{escaped} }], ['path'],
        'a warning';
    $got = explain_target('/100%25.txt', '--root', $root);
    is $got->{filename}, "$root/100%.txt", '"%" in UTF-8 is not escaped';
    ok !exists $got->{escaped}, 'no message';
    $got = explain_target('/raw/%E9%25.txt', '--root', $root, '--invalid',
        'pass');
    is $got->{filename}, "$root/raw/%E9%25.txt", 'filename';
    ok grep({ $_ eq 'filename' } @{ $got->{escaped} }), 'a warning, too';
};

subtest 'several names' => sub {
    my ($tree) = make_tree([qw(Docs/Readme.TXT Docs/readme.txt)]);
    my @options = ('--root', $tree, '--match', 'case');
    my $got = explain_target('/docs/README.txt', @options);
    is_deeply [@$got{qw(answer match status choices path)}],
        ['choose', 'case', 404, ['/Docs/Readme.TXT', '/Docs/readme.txt'],
            '/Docs/README.txt'], 'below a directory with another name';
    is_deeply [@$got{qw(filename path_info location)}], [undef, undef, undef],
        'no candidate is chosen';
    is explain_target('/docs/README.txt', @options, '--ambiguous', $_)->{status},
        $_, "--ambiguous $_" for 300, 404;
    is explain_target('/DOCS/', @options, '--method', 'PUT')->{answer},
        'pass', '--method';

    my ($code, $out) = iri('explain', @options, '/Docs/README.txt');
    is $code, 0, 'exit code of a choice';
    like $out, qr/^answer +choose with 404: several names/m, 'the answer';
    like $out, qr{^choice +/Docs/Readme\.TXT\nchoice +/Docs/readme\.txt$}m,
        'choices';
    for (['16m', 1], ['off', 2]) {
        my ($cache, $reads) = @$_;
        (undef, $out) = iri('explain', @options, '--cache', $cache,
            '/DOCS/nosuch');
        is scalar(() = $out =~ m{^  read \S+/Docs}mg), $reads,
            "the restarted path, cache $cache";
    }
    like $out, qr{^Restart as /Docs/nosuch$}m, 'a restart';
    like $out, qr/^answer +pass: no entry/m, 'the end of the text output';
    unlike $out, qr/^location/m, 'no further restart';
    $got = explain_target('/DOCS/nosuch', @options);
    is_deeply [@$got{qw(why filename path_info status)}],
        ['no entry has that name', "$tree/Docs", '/nosuch', undef],
        'what is absent, and where';
};

subtest 'more choices than are listed' => sub {
    my @names = map { ucfirst(substr 'abcdefghi', 0, $_)
            . uc(substr 'abcdefghi', $_) } 1 .. 9;
    my ($tree) = make_tree(join '', map { "$_\tfile\n" } @names);
    my @options = ('--root', $tree, '--match', 'case');
    my $got = explain_target('/abcdefghi', @options);
    is_deeply $got->{choices}, [map { "/$_" } (sort @names)[0 .. 7]],
        'the first eight candidates';
    is $got->{more}, JSON::PP::true(), 'a note that there are more candidates';
    my ($code, $out) = iri('explain', @options, '/abcdefghi');
    like $out, qr/^choice .*\n +and others$/m, 'text output';
    unlink "$tree/$names[0]";
    $got = explain_target('/abcdefghi', @options);
    is scalar @{ $got->{choices} }, 8, 'eight';
    ok !exists $got->{more}, 'all candidates';
};

subtest 'for people' => sub {
    my ($code, $out, $err) = iri('explain', '--root', $euc,
        '--filename-charset', 'euc-jp', '--charset', 'sjis',
        '/%95%5C/%8E%A6.html');
    is $code, 0, 'exit code';
    is $err, '', 'standard error is empty';
    my $file = "$euc/%C9%BD/%BC%A8.html";
    like $out, $_, "prints $_" for qr/^Reading /m, qr/Shift_JIS/,
        qr/^Lookup below \Q$euc\E$/m, qr/^form +legacy$/m,
        qr/^charset +Shift_JIS$/m,
        qr/^path +\/\xE8\xA1\xA8\/\xE7\xA4\xBA\.html$/m,
        qr/^uri +\/%E8%A1%A8\/%E7%A4%BA\.html$/m, qr/^match +charset$/m,
        qr/^answer +serve: an entry/m;
    like $out, qr/^filename +\Q$file\E$/m, 'octets on disk';
    ($code, $out) = iri('explain', '/a%1B%5B31m%C2%85%E2%80%AEb');
    unlike $out, qr/[\x00-\x09\x0B-\x1F\x7F]|\xC2[\x80-\x9F]|\xE2\x80\xAE/,
        'no control characters on a terminal';
    like $out, qr/^answer +refuse with 404: /m, 'a refusal and its status';
};

subtest 'at a terminal' => sub {
    plan skip_all => 'script (bsdutils) is not here' if (capture('', 'sh',
        '-c', 'command -v script'))[0];
    my @command = ('script', '-qec', "$iri explain /%FF", '/dev/null');
    delete local $ENV{NO_COLOR};
    my (undef, $out) = capture('', @command);
    like $out, qr/^\033\[1manswer +refuse with 404: .*\033\[0m\r$/m,
        'the verdict is bold';
    local $ENV{NO_COLOR} = 1;
    (undef, $out) = capture('', @command);
    like $out, qr/^answer +refuse/m, 'no colours with NO_COLOR';
};

done_testing;
