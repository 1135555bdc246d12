#!/usr/bin/perl
# The commands for whole IRIs: check, split, to-uri, to-iri, resolve,
# relativize, equal, normalize, decode, encode, bidi. The core's decisions are
# tested in t/core/test_iri.c, test_suites.c and test_warn.c; here: the options
# of each command, its JSON, its exit codes, and its help.
use IRI::Test 'core';
use JSON::PP ();

my $iri = build_dir() . '/iri';
my @COMMANDS = qw(check split to-uri to-iri resolve relativize equal normalize
    decode encode bidi);

sub run { return capture('', $iri, @_) }

# The objects for lines of `iri COMMAND --batch OPTIONS`, and the exit code.
sub batch {
    my ($lines, $command, @options) = @_;
    my ($code, $out, $err) = capture($lines, $iri, $command, '--batch',
        @options);
    is $err, '', "standard error is empty: $command @options";
    return $code, map { JSON::PP->new->utf8->decode($_) } split /\n/, $out;
}

for my $command (@COMMANDS) {
    subtest "help of $command" => sub {
        my ($code, $out) = run('help', $command);
        is $code, 0, 'exit code';
        like $out, qr/^Usage: iri \Q$command\E \[options\] /, 'usage';
        like $out, qr/^JSON fields?: \w/m, 'its fields';
        like $out, qr/^  iri \Q$command\E /m, 'an example';
        like $out, qr/^[A-Z][a-z]+ .*\.$/m, 'its description';
        is +(run($command, '--help'))[1], $out, 'the same by --help';
        is scalar(grep { length > 79 } split /\n/, $out), 0, 'no long line';
        is +(run($command))[0], 2, 'without operands';
        is +(run($command, '--nonesuch'))[0], 2, 'a wrong option';
    };
}

# The examples of the help print the output that they show.
subtest 'examples' => sub {
    for my $command (@COMMANDS) {
        my ($code, $out) = run('help', $command);
        for my $line ($out =~ /^  iri (.*)$/mg) {
            my ($status, $output, $err) = capture('', 'sh', '-c',
                "$iri $line");
            isnt $status, 2, "iri $line" or diag $err;
        }
    }
};

subtest 'values' => sub {
    # arguments, exit code, standard output
    my @rows = (
        [['check', 'http://a/'],         0, "well-formed as iri-reference\n"],
        [['check', '--as', 'uri', 'a:b'], 0, "well-formed as uri\n"],
        [['check', '--grammar', 'draft', 'http://a/<b>'], 1,
            "well-formed as iri-reference\nwarning: path \"<b>\": ASCII that"
            . " a URI must not contain: U+003C (offset 9)\n"],
        [['split', 'urn:a?'],            0,
            "scheme     urn\npath       a\nquery      \n"],
        [['to-uri', '/café'],            0, "/caf%C3%A9\n"],
        [['to-uri', '--nfc', "/e\xcc\x81"], 0, "/%C3%A9\n"],
        [['to-uri', '--from', 'windows-1252', "/caf\xe9"], 0,
            "/caf%C3%A9\n"],
        [['to-uri', '--idn', 'http://bücher/é'], 0,
            "http://xn--bcher-kva/%C3%A9\n"],
        [['to-iri', '/caf%C3%A9%E9'],    0, "/café%E9\n"],
        [['to-iri', '--idn', 'http://xn--bcher-kva/'], 0,
            "http://bücher/\n"],
        [['to-iri', '--grammar', 'draft', '/%21'], 0, "/!\n"],
        [['to-iri', '--repertoire', 'iso-8859-1', '/%C3%A9%E8%A1%A8'], 0,
            "/é%E8%A1%A8\n"],
        [['to-iri', '--repertoire', 'ascii', '/%C3%A9é'], 0,
            "/%C3%A9%C3%A9\n"],
        [['resolve', 'http://a/b/c/d;p?q', '../g'], 0, "http://a/b/g\n"],
        [['relativize', 'http://a/b/c', 'http://a/b/d'], 0, "d\n"],
        [['equal', 'a', 'a'],            0, "true\n"],
        [['equal', '/~a', '/%7ea'],      1, "false\n"],
        [['equal', '--level', 'escapes', '/~a', '/%7ea'], 0, "true\n"],
        [['equal', '--level', 'idn', 'http://bücher', 'http://xn--bcher-kva/'],
            0, "true\n"],
        [['normalize', "e\xcc\x81"],     0, "é\n"],
        [['normalize', '--form', 'nfkc', 'ﬁ'], 0, "fi\n"],
        [['normalize', '--form', 'NFKC', 'ﬁ'], 0, "fi\n"],
        [['normalize', '--form', 'syntax', 'HTTP://A:80/b/../%7e'], 0,
            "http://a/~\n"],
        [['normalize', '--form', 'syntax', 'HTTP://[V1.a]/%7e'], 0,
            "http://[v1.a]/~\n"],
        [['equal', '--level', 'syntax', 'http://[v1.a]/', 'HTTP://[V1.A]/'],
            0, "true\n"],
        [['resolve', 'scheme:a', 'x/../../y'], 0, "scheme:/y\n"],
        [['decode', '--charset', 'sjis', '%93%FA%'], 0, "日%\n"],
        [['encode', '--charset', 'sjis', '日表 '], 0, "%93%FA%95%5C%20\n"],
        [['bidi', 'http://ab.גד/'],      0, "http://ab.דג/\n"],
        [['bidi', 'http://ג/ד/'],        0, "http://ד/ג/\n"],
        [['bidi', '--order', 'components', 'http://ג/ד/'], 0,
            "http://ג/ד/\n"],
    );
    for (@rows) {
        my ($arguments, $want, $text) = @$_;
        my ($code, $out) = run(@$arguments);
        is "$code $out", "$want $text", "iri @$arguments";
    }
};

subtest 'no value' => sub {
    # arguments, standard error
    my @rows = (
        [['check', 'a b'],              qr/"a b".*U\+0020 \(offset 1\)/],
        [['check', '--as', 'iri', 'a'], qr/"a".*\(offset 0\)/],
        [['split', 'http://[::'],       qr/\(offset/],
        [['check', '--grammar', 'draft', 'http://[v1.a]/'], qr/IPv6/],
        [['split', "\xff"],             qr/FF \(offset 0\)/],
        [['to-uri', "/\xff"],           qr/UTF-8 \(offset 1\)/],
        [['to-uri', '/%zz'],            qr/"%".*\(offset 1\)/],
        [['to-uri', '--idn', 'http://-é/'], qr/"-".*\(offset 7\)/],
        [['resolve', 'http://a/', '%'], qr/"%"/],
        [['resolve', 'a%', 'b'],        qr/"a%"/],
        [['normalize', '--form', 'syntax', 'a%'], qr/a%/],
        [['normalize', "\xc3"],         qr/UTF-8/],
        [['decode', '--charset', 'sjis', '%93%FA%FF'], qr/\(offset 6\)/],
        [['encode', '--charset', 'iso-8859-2', "a\xc2\x85"],
            qr/\(offset 1\)/],
        [['encode', '--charset', 'gb18030', "\xef\xbf\xbd"],
            qr/\(offset 0\)/],
        [['encode', '--charset', 'sjis', '日é'], qr/\(offset 3\)/],
        [['bidi', "\xff"],              qr/UTF-8/],
    );
    for (@rows) {
        my ($arguments, $want) = @$_;
        my ($code, $out, $err) = run(@$arguments);
        is "$code $out", '1 ', "iri @$arguments";
        like $err, $want, 'the reason';
    }
};

subtest 'wrong usage' => sub {
    my @rows = (
        [['check', '--as', 'url', 'a'],        qr/--as .*"iri-ref/],
        [['check', '--grammar', 'bnf', 'a'],   qr/--grammar .*"rfc3987"/],
        [['equal', '--level', 'all', 'a', 'b'], qr/--level .*"string"/],
        [['equal'],                            qr/IRI IRI/],
        [['equal', 'a'],                       qr/IRI IRI/],
        [['normalize', '--form', 'nfx', 'a'],  qr/--form .*"NFC"/],
        [['decode', 'a'],                      qr/--charset /],
        [['encode', '--charset', 'klingon', 'a'], qr/--charset .*klingon/],
        [['to-uri', '--from', 'utf-16', 'a'],  qr/--from .*utf-16/],
        [['bidi', '--order', 'rtl', 'a'],      qr/--order .*"uax9"/],
        [['resolve', 'a', 'b', 'c'],           qr/"c"/],
    );
    for (@rows) {
        my ($arguments, $want) = @$_;
        my ($code, $out, $err) = run(@$arguments);
        is "$code $out", '2 ', "iri @$arguments";
        like $err, $want, 'the reason';
    }
};

subtest 'batch' => sub {
    my ($code, @objects) = batch("http://a\t../b\n\\x\n%\ta\na\n", 'resolve');
    is $code, 1, 'exit code with invalid lines';
    is $objects[0]{value}, 'http://a/b', 'a value';
    ok $objects[0]{ok}, 'field ok';
    is $objects[1]{offset}, 0, 'an invalid batch line';
    is $objects[2]{offset}, 0, 'not an IRI-reference';
    ok !$objects[3]{ok}, 'a missing operand';

    ($code, @objects) = batch("//a\nhttp://u\@[::1]:/?#\n", 'split');
    is $code, 0, 'exit code without invalid lines';
    is_deeply $objects[0], {
        ok => JSON::PP::true, scheme => undef, authority => 'a',
        userinfo => undef, host => 'a', port => undef, path => '',
        query => undef, fragment => undef
    }, 'null if absent';
    is_deeply $objects[1], {
        ok => JSON::PP::true, scheme => 'http', authority => 'u@[::1]:',
        userinfo => 'u', host => '[::1]', port => '', path => '/',
        query => '', fragment => ''
    }, 'empty string if present and empty';

    ($code, @objects) = batch("a\ta\na\tb\n", 'equal');
    is $code, 1, 'exit code if one result is false';
    ok $objects[0]{value}, 'true';
    ok !$objects[1]{value} && $objects[1]{ok}, 'false is a result';

    ($code, @objects) = batch("a\nr\\xC3\\xA9\\xD0\\xB0\n", 'check');
    is $code, 1, 'exit code with a warning';
    is_deeply $objects[0]{warnings}, [], 'no warnings';
    is_deeply $objects[1]{warnings}, [{
        warning   => 'a mixture of scripts that no language uses',
        component => 'path', offset => 0, part => "r\x{e9}\x{430}",
    }], 'a warning';

    ($code, @objects) = batch("\\xD7\\x921\n", 'bidi');
    is $code, 1, 'discouraged bidi structure';
    ok !$objects[0]{value}, 'false';
    is $objects[0]{visual}, "1\x{5d2}", 'the display order';
    is $objects[0]{warnings}[0]{character}, 'U+0031', 'the reason';

    ($code, @objects) = batch("\\x93\\xFA\n%93%fa\n\\xff\n", 'decode',
        '--charset', 'shift_jis');
    is $objects[0]{value}, "\x{65e5}", 'raw octets';
    is $objects[1]{value}, "\x{65e5}", 'escapes';
    is $objects[2]{offset}, 0, 'none';

    ($code, @objects) = batch("\xc3\xa9\n\xe2\x82\xac\n", 'encode',
        '--charset', 'iso-8859-2');
    is $objects[0]{value}, '%E9', 'octets';
    is $objects[1]{character}, 'U+20AC', 'the charset that was used';
};

# No octet of a value is interpreted by the terminal on which its error message
# is shown.
subtest 'hostile values' => sub {
    my $bad = "\e]0;x\a\xC2\x9B\xE2\x80\xAE\xFF\n";
    for my $words (
        ['explain', '--charset', $bad, '/'], ['explain', '--root', $bad, '/'],
        ['explain', '--match', $bad, '/'],   ['explain', "--$bad", '/'],
        ['explain', '--cache', $bad, '/'],   ['lint', '--only', $bad, '/'],
        ['explain', '/', $bad], ['split', "a\xFF$bad"], ['lint', $bad],
        [$bad], ['help', $bad])
    {
        my ($code, $out, $err) = capture('', $iri, @$words);
        isnt $code, 0, "iri $words->[0] is refused" =~ s/[^ -~]/?/gr;
        unlike "$out$err", qr/[^\n -~\x80-\xFF]|\xC2\x9B|\xE2\x80\xAE|\xFF/,
            'no octet is interpreted by the terminal';
    }
};

# Colours are used on a terminal only, and if they are requested.
subtest 'colours' => sub {
    plan skip_all => 'script (bsdutils) is not here' if (capture('', 'sh',
        '-c', 'command -v script'))[0];
    my $dir = temp_dir();
    my @runs = (
        ['split http://a/b', "\033[36mscheme    \033[0m http"],
        ["explain --root $dir /b%C3%A9", "\033[36mform      \033[0m escaped"],
        ["explain --root $dir /b%C3%A9", "\033[1mReading /b\xC3\xA9\033[0m"],
        ['equal /a /a',          "\033[32mtrue\033[0m"],
        ['equal /a /b',          "\033[33mfalse\033[0m"],
        ['check http://a/',      "\033[32mwell-formed\033[0m as"],
        ['check x:%C2%A0',       "\033[33mwarning\033[0m: "],
        ['split http://[',       "\033[31miri split:\033[0m "],
        ['equal --level x /a /b', "\033[31miri equal:\033[0m --level"],
    );
    for (@runs) {
        my ($words, $has) = @$_;
        my (undef, $plain, $err) = capture('', $iri, split / /, $words);
        unlike "$plain$err", qr/\033/, "iri $words: no colours in a pipe";
        my $terminal = sub { (capture('', 'script', '-qec',
                    "$iri $words", '/dev/null'))[1] =~ s/\r\n/\n/gr };
        like $terminal->(), qr/\Q$has\E/, 'colours on a terminal';
        local $ENV{NO_COLOR} = 1;
        is $terminal->(), "$plain$err", 'no colours with NO_COLOR';
    }
};

subtest 'an IRI that is too long to compare' => sub {
    my ($code, $out, $err) = run('equal', '--level', 'nfc', '/a',
        '/' . 'a' x 65536);
    is "$code$out", '1', 'no answer';
    like $err, qr/^iri equal: /, 'a message';
};

# The manual has the help of each command, as the command prints it.
subtest 'manual' => sub {
    my ($code, $roff, $err) = capture('', "$FindBin::Bin/../doc/make-manual",
        $iri);
    is "$code$err", '0', 'it is made';
    my ($version) = (run('--version'))[1] =~ /^(.*)$/m;
    like $roff, qr/^\.TH IRI 1 "" "\Q$version\E" /, 'its version';
    like $roff, qr/^\.SH EXIT STATUS\n0 success; .*2 wrong usage\.$/m,
        'exit codes';
    for my $command (@COMMANDS) {
        my ($text) = $roff =~ s/\\-/-/gr =~ /^\.SS \Q$command\E\n(.*?)^\.S/ms;
        $text = ($text // '') =~ s/^\.nf\n|^\.fi\n//gmr =~ s/^\.sp$//gmr
            =~ s/\\&//gr =~ s/\\e/\\/gr;
        is $text, (run('help', $command))[1], $command;
    }
};

done_testing;
