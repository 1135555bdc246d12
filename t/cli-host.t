#!/usr/bin/perl
# The command `iri host`: usage, batch, messages, and the tables of
# doc/hosts.md. The core's decisions are tested in t/core/test_host*.c.
use IRI::Test 'core';
use JSON::PP ();

my $iri = build_dir() . '/iri';

# Exit code, standard output and standard error of `iri host ARGUMENTS`.
sub host { return capture('', $iri, 'host', @_) }

# The objects for lines of `iri host --batch OPTIONS`; text, not octets.
sub batch {
    my ($lines, @options) = @_;
    my ($code, $out, $err) = capture($lines, $iri, 'host', '--batch',
        @options);
    is $err, '', "standard error is empty: @options" or return;
    return map { JSON::PP->new->utf8->decode($_) } split /\n/, $out;
}

# The value for a host; undef if it is refused.
sub value {
    my ($host, @options) = @_;
    my ($code, $out) = host(@options, $host);
    chomp $out;
    return $code == 0 ? $out : undef;
}

subtest 'help' => sub {
    for my $arguments (['help', 'host'], ['host', '--help']) {
        my ($code, $out) = capture('', $iri, @$arguments);
        is $code, 0, "@$arguments";
        like $out, qr/--$_\b/, "--$_" for qw(name to strict mapping batch);
    }
    my ($code, $out) = capture('', $iri, 'help');
    like $out, qr/^  host /m, 'listed among the commands';
};

subtest 'usage' => sub {
    my @wrong = (
        [[],                             qr/^iri host: .*HOST$/m],
        [['a', "b\e"],                   qr/HOST.*"b%1B"/],
        [['--batch', 'a'],               qr/--batch/],
        [['--to', 'punycode', 'a'],      qr/--to .*"unicode"/],
        [['--to'],                       qr/--to/],
        [['--mapping', 'uts-46', 'a'],   qr/--mapping .*"compatible"/],
        [['--strikt', 'a'],              qr/--strikt\b.* --name/s],
        [['-bücher'],                    qr{ -- }m],
    );
    for (@wrong) {
        my ($arguments, $message) = @$_;
        my ($code, $out, $err) = host(@$arguments);
        is $code, 2, "exit code of iri host @$arguments";
        is $out, '', 'standard output is empty';
        like $err, $message, 'the message names the error';
    }
};

subtest 'names' => sub {
    my @rows = (
        # ASCII names are mapped here, too.
        ['www.example.org',          'www.example.org', 'www.example.org'],
        ['WWW.Example.ORG',          'www.example.org', 'www.example.org'],
        ['xn--bcher-kva.example',    'xn--bcher-kva.example',
            'bücher.example'],
        ['B%C3%BCcher.example',      'xn--bcher-kva.example',
            'bücher.example'],
        ['bücher.example.',          'xn--bcher-kva.example.',
            'bücher.example.'],
        ['www.w%33.org',             'www.w3.org', 'www.w3.org'],
        ['127.0.0.1',                '127.0.0.1', '127.0.0.1'],
        ['[::1]',                    '[::1]', '[::1]'],
    );
    for (@rows) {
        my ($host, $ascii, $unicode) = @$_;
        is value($host), $ascii, $host;
        is value($host, '--to', 'ascii'), $ascii, '--to ascii';
        is value($host, '--to', 'unicode'), $unicode, '--to unicode';
        is value($host, '--mapping', 'uts46', '--strict'), $ascii, '--strict';
        is value($host, '--mapping', 'compatible'), $ascii, 'compatible';
    }
    is value('xn--bcher-kva', '--mapping', 'compatible', '--to', 'unicode'),
        'xn--bcher-kva', 'compatible does not change an A-label';
    is value('☃.example'), 'xn--n3h.example', 'a symbol';
    is value('☃.example', '--strict'), undef, 'a symbol with --strict';
    is value('☃.example', '--strict', '--mapping', 'compatible'), undef,
        'a symbol with --strict and --mapping';
};

# Each row: a refused host, the offset, and the character if a single one is
# wrong, as displayed and as a code point.
sub refused {
    my ($rows, @options) = @_;
    my @got = batch(join('', map { "$_->[0]\n" } @$rows), @options);
    for (@$rows) {
        my ($host, $offset, $shown) = @$_;
        my $got = shift @got;
        my $code = $shown && (split ' ', $shown)[-1];
        my ($exit, $out, $err) = host(@options, '--', $host);
        is "$exit$out", '1', "rejected: $host";
        my ($message) = $err =~ /^iri host: (.*) \(offset $offset\)\n\z/;
        $shown //= '';
        like $message // $err, qr/^"\Q$host\E" .*\Q$shown\E/, 'message';
        utf8::decode($message);
        is_deeply $got, { ok => JSON::PP::false(), error => $message,
            offset => $offset, $code ? (character => $code) : () }, 'JSON';
    }
}

subtest 'refused' => sub {
    refused([
        ['a_b',           1, '"_" U+005F'],
        ['%61_b',         3, '"_" U+005F'],
        ['é.a_b',         4, '"_" U+005F'],
        ['a b',           1, 'U+0020'],
        ["a\xC2\xA0b",    1, 'U+00A0'],
        ['ab.c%2Fd',      4, '"/" U+002F'],
        ['http://a/',     4, '":" U+003A'],
        ['ü@b',           2, '"@" U+0040'],
        ['ab.a℀b',        4, '"℀" U+2100'],
        ['[:é]',          2, '"é" U+00E9'],
        ['a:80',          1, '":" U+003A'],
        ['*.example',     0, '"*" U+002A'],
        ['',              0],
        ['a..b',          2],
        ['é%2',           2],
        ['é%FFa',         2],
        ['xn--a',         0],
        ['b。xn--a',      4],
        ['a.-b',          2],
        ['%CC%88u',       0, 'U+0308'],
        ['b.אa',          4, '"a" U+0061'],
        ['ü%E2%80%8Db',   2, 'U+200D'],
        ['xn--tda.1',     8],
        ['b.' . 'a' x 64, 2],
    ]);
    refused([
        ['é☃.example',    2, '"☃" U+2603'],
        ['xn--n3h',       0],
    ], '--strict');
};

subtest '--name: names of a configuration' => sub {
    my @rows = (
        # the name, its A-labels, its U-labels
        ['bücher.example',       'xn--bcher-kva.example', 'bücher.example'],
        ['*.bücher.example',     '*.xn--bcher-kva.example',
            '*.bücher.example'],
        ['.bücher.example',      '.xn--bcher-kva.example',
            '.bücher.example'],
        ['BÜCHER.*',             'xn--bcher-kva.*', 'bücher.*'],
        ['bücher.example.',      'xn--bcher-kva.example.',
            'bücher.example.'],
        ['w?w*.bücher',          'w?w*.xn--bcher-kva', 'w?w*.bücher'],
        # ASCII is compared without mapping.
        ['www.Example.ORG',      'www.Example.ORG', 'www.Example.ORG'],
        ['*.a_b.example',        '*.a_b.example', '*.a_b.example'],
        ['~^w.*\.org$',          '~^w.*\.org$', '~^w.*\.org$'],
        ['*.xn--bcher-kva.é',    '*.xn--bcher-kva.xn--9ca', '*.bücher.é'],
        ['*.xn--bcher-kva',      '*.xn--bcher-kva', '*.bücher'],
        ['xn--a.*',              'xn--a.*', 'xn--a.*'],
        ['',                     '', ''],
    );
    my @ascii = batch(join('', map { $_->[0] =~ s/\\/\\\\/r . "\n" } @rows),
        '--name');
    for (@rows) {
        my ($name, $ascii, $unicode) = @$_;
        is value($name, '--name'), $ascii, "A-labels of $name";
        is value($name, '--name', '--to', 'unicode'), $unicode, 'U-labels';
        is_deeply shift(@ascii), { ok => JSON::PP::true(), value => $ascii },
            'JSON';
    }
};

subtest '--name: refused' => sub {
    refused([
        ['wü*.example',   3, '"*" U+002A'],
        ['a.b?ü',         4, '"ü" U+00FC'],
        ['*.b_ü',         3, '"_" U+005F'],
        ['b%C3%BC.é',     1, '"%" U+0025'],
        ['~^ü.*',         0, '"~" U+007E'],
        ['ü.example:80',  10, '":" U+003A'],
        ['*.xn--a.ü',     2],
    ], '--name');
};

subtest 'batch' => sub {
    my @got = batch("b\\xc3\\xbc\n\\xFF\n\na\\x00b\na\tb\na\\\n");
    is_deeply $got[0], { ok => JSON::PP::true(), value => 'xn--b-eha' },
        'a value';
    like $got[1]{error}, qr/^"%FF" /, 'octets';
    like $got[2]{error}, qr/^"" /, 'an empty line';
    like $got[3]{error}, qr/^"a%00b" .*U\+0000/, 'NUL';
    is $got[3]{offset}, 1, 'the offset';
    ok !$got[4]{ok}, 'two operands';
    ok !$got[5]{ok}, 'a bad escape of a line';
    my ($code) = capture("a\n_\n", $iri, 'host', '--batch');
    is $code, 1, 'exit code if a line is invalid';
    ($code) = capture("a\nb", $iri, 'host', '--batch');
    is $code, 0, 'exit code if all lines are valid';
    @got = batch("xn--bcher-kva\n" x 2000, '--to', 'unicode');
    is grep({ $_->{value} eq "b\xFCcher" } @got), 2000, 'many lines';
};

subtest 'control characters are escaped' => sub {
    my ($code, $out, $err) = host("a\e[31m\xC2\x85\xE2\x80\xAE\xFFb");
    is $code, 1, 'exit code';
    like $err, qr/^iri host: "a%1B\[31m%C2%85%E2%80%AE%FFb" /, 'escaped';
};

# The rows of a table of doc/hosts.md, by the first words of its head.
sub rows {
    my ($head) = @_;
    my $text = slurp("$FindBin::Bin/../doc/hosts.md");
    $text =~ /^\| \Q$head\E.*\n\|[ |-]+\n((?:\|.*\n)+)/m or return;
    return map { [map { s/^`(.*)`\z/$1/r } split / \| /, s/^\| | \|\z//gr] }
        split /\n/, $1;
}

subtest 'doc/hosts.md: forms' => sub {
    my @rows = rows('form |');
    ok @rows > 8, 'a table';
    for (@rows) {
        my ($form, $host, $ascii) = @$_;
        is value($host), $ascii =~ /^not examined/ ? $host : $ascii,
            "$form: $host";
    }
};

subtest 'doc/hosts.md: names in a configuration' => sub {
    my @rows = rows('written | further');
    ok @rows > 6, 'a table';
    my $before;
    for (@rows) {
        my ($cell, $known) = @$_;
        my @names = $cell =~ /`([^`]+)`/g;
        for my $name (@names ? @names : $cell) {
            my $got = value($name, '--name') // $name;
            if ($known =~ /^none/) {
                is $got, $name, "$name is unchanged";
                next;
            }
            $before = $known =~ /^([^` ]+)/ ? $1 : $before
                if $known ne 'likewise';
            # nginx: a name that starts with a dot stands for two names.
            is $got =~ s/^\.//r, $before, $name;
        }
    }
};

subtest 'doc/hosts.md: what is refused' => sub {
    my @rows = rows('name | reason');
    ok @rows > 8, 'a table';
    for (@rows) {
        my ($host, $why) = @$_;
        my ($code, $out, $err) = host('--', $host);
        is $code, 1, $host;
        like $err, qr/" \Q$why\E(?:: .*U\+[0-9A-F]+.*)? \(offset \d+\)$/, $why;
    }
    my ($code, $out, $err) = host('--strict', '☃.example');
    like $err, qr/"☃" U\+2603 /, 'strict';
};

subtest 'uts46 and compatible' => sub {
    for (['Bücher⒈com', 'refused', 'xn--bcher1-3ya.com'],
        ['xn--a.example', 'refused', 'xn--a.example'],
        ['ab--c.example', 'refused', 'ab--c.example'],
        ['0a.א', 'refused', '0a.xn--4db'],
        ['☃.example', 'xn--n3h.example', 'refused'],
        ['xn--n3h.example', 'xn--n3h.example', 'xn--n3h.example'])
    {
        my ($host, $uts46, $compatible) = @$_;
        is value($host) // 'refused', $uts46, "$host: uts46";
        is value($host, '--mapping', 'compatible') // 'refused', $compatible,
            'compatible';
    }
};

done_testing;
