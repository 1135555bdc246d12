#!/usr/bin/perl
# iri lint: findings of a tree as lines and as objects, exit codes, plans that
# a shell executes. The findings themselves are tested in t/core/test_lint.c.
use IRI::Test 'core';
use JSON::PP ();

my $iri = build_dir() . '/iri';

sub lint { return capture('', $iri, 'lint', @_) }

# Objects for directories, one a line.
sub batch {
    my ($dirs, @options) = @_;
    my ($code, $out, $err) = capture(join('', map {"$_\n"} @$dirs), $iri,
        'lint', '--batch', @options);
    return ($code, $err, map { JSON::PP->new->utf8->decode($_) }
            split /\n/, $out);
}

# All paths below a directory, as octets, sorted.
sub paths {
    my ($dir, $below) = @_;
    $below //= '';
    opendir my $handle, "$dir/$below" or die "$dir/$below: $!\n";
    my @names = sort grep { !/^\.\.?\z/ } readdir $handle;
    return map {
        my $path = $below eq '' ? $_ : "$below/$_";
        ($path, -d "$dir/$path" && !-l "$dir/$path" ? paths($dir, $path) : ())
    } @names;
}

my ($good) = make_tree([qw(index.html café/menü.txt 日本/語.html)]);
my ($bad) = make_tree([qw(e\xCC\x81.html é.html sub/Cafe sub/cafe
    \xE9t\xE9/\xE0.txt), 'sub/a#b']);

subtest 'a tree as it should be' => sub {
    my ($code, $out, $err) = lint($good);
    is $code, 0, 'exit code';
    is $err, '', 'standard error is empty';
    is $out, "5 names in 3 directories, 0 findings\n", 'the summary';
};

subtest 'findings' => sub {
    my ($code, $out, $err) = lint($bad);
    is $code, 1, 'exit code';
    is $err, '', 'standard error is empty';
    unlike $out, qr/\033/, 'no colours in a pipe';
    like $out, qr{^nfc +\./e%CC%81\.html  "\xC3\xA9\.html"$}m, 'nfc';
    like $out, qr{^twin +\./%C3%A9\.html  "\xC3\xA9\.html"  and  \./e%CC%81\.html  "}m, 'twin';
    like $out, qr{^collision +\./sub/cafe  and  \./sub/Cafe  \(case\)$}m,
        'collision';
    like $out, qr{^reserved +\./sub/a#b$}m, 'reserved';
    like $out, qr{^unreadable +\./%E9t%E9$}m, 'a directory';
    like $out, qr{^unreadable +\./%E9t%E9/%E0\.txt$}m, 'a directory below it';
    like $out, qr/^8 names in 3 directories, 6 findings$/m, 'the summary';
    like $out, qr/^  twin +1  \w/m, 'the explanation of a kind';

    ($code, $out) = lint('--filename-charset', 'utf-8,windows-1252',
        '--match', 'width', $bad);
    unlike $out, qr/unreadable|collision/, 'settings are used';
    ($code, $out) = lint('--only', 'reserved', $bad);
    like $out, qr/, 1 finding$/m, 'only';
    ($code, $out) = lint((make_tree("a\tfile\n"))[0]);
    is $out, "1 name in 1 directory, 0 findings\n", 'one kind';
    ($code, $out) = lint((make_tree("\\xE8\\xA1\\xA8/e\\xCC\\x81\tfile\n"))[0]);
    like $out, qr{^nfc +\./%E8%A1%A8/e%CC%81  "\xE8\xA1\xA8/\xC3\xA9"$}m,
        'the name in quotes has its directory';
    ($code, $out) = lint('--only', 'reserved,NFKC', $good);
    is $code, 0, '--only with kinds that do not occur';
};

# Each kind: a name with the finding, its message, and a similar name without
# the finding.
my @kinds = (
    ['unreadable',  '\xE9',                   '\xC3\xA9', './%E9'],
    ['unreachable', 'a\x01b',                 'a b',      './a%01b'],
    ['charset', '\xC3\xA9', '\xE9',
    qq{./%C3%A9  "\xC3\x83\xC2\xA9"  (UTF-8)  "\xC3\xA9"},
        '--filename-charset', 'windows-1252,utf-8'],
    ['mojibake', 'caf\xC3\x83\xC2\xA9', 'caf\xC3\xA9',
        "./caf\xC3\x83\xC2\xA9  \"caf\xC3\xA9\""],
    ['mojibake', '\xC3\xA3\xC2\x81\xE2\x80\x9A', '\xE3\x81\x82',
        "./%C3%A3%C2%81%E2%80%9A  \"\xE3\x81\x82\""],
    ['twin', 'e\xCC\x81 \xC3\xA9', 'e \xC3\xA9',
        qq{./%C3%A9  "\xC3\xA9"  and  ./e%CC%81  "\xC3\xA9"}],
    ['collision', 'a.html A.html', 'a.html b.html',
        './a.html  and  ./A.html  (case)'],
    ['collision', '\xEF\xBD\xB1 \xE3\x82\xA2', '\xEF\xBD\xB1 \xE3\x82\xA4',
        "./\xEF\xBD\xB1  and  ./\xE3\x82\xA2  (width)"],
    ['collision', 'cafe caf\xC3\xA9', 'cafe caf\xC3\xAA\xC3\xA9',
        "./caf\xC3\xA9  and  ./cafe  (accents)"],
    ['collision', '\xE3\x80\x9C \xEF\xBD\x9E', '\xE3\x80\x9C x',
        "./\xEF\xBD\x9E  and  ./\xE3\x80\x9C  (variants)", '--match',
        'variants'],
    ['collision', '\xDB\x8C \xD9\x8A', '\xDB\x8C \xD9\x85',
        "./\xDB\x8C  and  ./\xD9\x8A  (variants)", '--match', 'variants:arabic'],
    ['collision', '\xC8\x99 \xC5\x9F', '\xC8\x99 s',
        "./\xC8\x99  and  ./\xC5\x9F  (variants)", '--match',
        'variants:romanian'],
    ['collision', '\xD9\x85\xD9\x86 \xD9\x85\xE2\x80\x8C\xD9\x86',
        'mn m\xE2\x80\x8Cn', "./\xD9\x85\xE2\x80\x8C\xD9\x86  and  "
            . "./\xD9\x85\xD9\x86  (variants)", '--match', 'variants:joiners'],
    ['collision', 'a-b a\xE2\x80\x93b', 'a-b a_b',
        "./a\xE2\x80\x93b  and  ./a-b  (punctuation)", '--match',
        'punctuation'],
    ['collision', 'l \xC5\x82', 'l \xC5\x81', "./\xC5\x82  and  ./l  (accents)",
        '--match', 'accents:latin'],
    ['twin', '%c3%a9 \xC3\xA9', '%c3%a8 \xC3\xA9',
        qq{./%C3%A9  "\xC3\xA9"  and  ./%25c3%25a9  "\xC3\xA9"},
        '--filename-charset', 'percent,utf-8'],
    ['reserved', 'a%41', '%c3%a9', './a%41', '--filename-charset',
        'percent,utf-8'],
    ['collision', 'kitten kiten', 'kitten kite',
        './kitten  and  ./kiten  (spelling)', '--match', 'spelling'],
    ['collision', 'kitten kiten Kite kite', 'kitten kiten',
        './kite  and  ./Kite  (case)'],
    ['form', '\xC3\x83\xC2\xA9 \xC3\xA9', '\xC3\x83\xC2\xA9 e',
        "./\xC3\x83\xC2\xA9  and  ./\xC3\xA9  (windows-1252)",
        '--charset', 'windows-1252'],
    ['nfc',  'e\xCC\x81',   '\xC3\xA9', "./e%CC%81  \"\xC3\xA9\""],
    ['nfkc', '\xEF\xAC\x81', 'fi',     "./\xEF\xAC\x81"],
    ['bidi', '\xD7\x90b.html', '\xD7\x90\xD7\x91.html',
        "./\xD7\x90b.html  (letters of both directions)"],
    ['bidi', '\xD7\x901.html', '1.html', "./\xD7\x901.html  (does not begin "
            . 'and end with a right-to-left letter)'],
    ['bidi', 'a\xE2\x80\xAEb', 'ab',
        './a%E2%80%AEb  (a bidi formatting character)'],
    ['look-alike', 'p\xD0\xB0ypal', 'paypal',
        qq{./p%D0%B0ypal  "p\xD0\xB0ypal"  (a mixture of scripts that no language uses)}],
    ['look-alike', '\xD0\xBE\xD1\x81\xD0\xB0', '\xD0\xB6\xD1\x81\xD0\xB0',
        qq{./%D0%BE%D1%81%D0%B0  "\xD0\xBE\xD1\x81\xD0\xB0"  (looks like a }
            . 'word in ASCII)  "oca"'],
    ['look-alike', 'a\xE2\x80\x8Bb', 'ab',
        './a%E2%80%8Bb  "a%E2%80%8Bb"  (an invisible character)'],
    ['look-alike', '\xE0\xAE\xAE\xE0\xAF\x8D \xE0\xAE\xAE\xE0\xAF\x8D\xE2\x80\x8D', 'a',
        qq{./%E0%AE%AE%E0%AF%8D%E2%80%8D  "\xE0\xAE\xAE\xE0\xAF\x8D\xE2\x80\x8D"  and  }
            . qq{./%E0%AE%AE%E0%AF%8D  "\xE0\xAE\xAE\xE0\xAF\x8D"}],
    ['look-alike', 'page1 pageI', 'page1 page2', './pageI  and  ./page1'],
    ['reserved',   'a?b',         'a!b',         './a?b'],
    ['long', '\xA4\xA2' x 90, '\xA4\xA2' x 85,
        './' . '%A4%A2' x 90 . '  "' . "\xE3\x81\x82" x 90 . '"',
        '--filename-charset', 'euc-jp'],
    ['legacy', '\xA4\xA2', 'a', qq{./%A4%A2  "\xE3\x81\x82"  (EUC-JP)},
        '--filename-charset', 'euc-jp'],
);

subtest 'each kind' => sub {
    my %seen;
    for (@kinds) {
        my ($kind, $has, $near, $line, @options) = @$_;
        my $tree = sub { (make_tree(join '', map {"$_\tfile\n"}
                    split / /, $_[0] =~ s/^a b\z/a\\x20b/r))[0] };
        my ($code, $out) = lint('--only', $kind, @options, $tree->($has));
        is $code, 1, "$kind: $has";
        my ($got) = $out =~ /^$kind +(.*)$/m;
        is $got, $line, 'the line';
        like $out, qr/ 1 finding\n  $kind +1  \S/, 'once';
        ($code, $out) = lint('--only', $kind, @options, $tree->($near));
        is $code, 0, "not $near" or diag $out;
        $seen{$kind} = 1;
    }
    my (undef, $help) = capture('', $iri, 'help', 'lint');
    my ($list) = $help =~ /^Findings[^\n]*\n(.*?)\n\n/ms;
    my @help = map { split /, / } $list =~ /^  ((?:[a-z-]+, )*[a-z-]+)\b/mg;
    is_deeply [sort @help], [sort keys %seen], 'all kinds in the help';
};

subtest 'batch' => sub {
    my ($code, $err, @objects) = batch([$good, $bad], '--only',
        'twin,unreadable', '--filename-charset', 'utf-8');
    is $code, 1, 'exit code';
    is $err, '', 'standard error is empty';
    is scalar @objects, 5, 'objects';
    is_deeply $objects[0],
        { ok => JSON::PP::true, directories => 3, names => 5, findings => 0,
          kinds => {} }, 'the first directory';
    my ($twin) = grep { ($_->{kind} // '') eq 'twin' } @objects;
    is $twin->{path}, "./\x{E9}.html", 'path';
    is $twin->{other}, "./e\x{301}.html", 'other';
    is $twin->{name}, "\x{E9}.html", 'name';
    is_deeply [sort map { $_->{path} }
            grep { ($_->{kind} // '') eq 'unreadable' } @objects],
        ['./%E9t%E9', './%E9t%E9/%E0.txt'], 'octets are escaped';
    my ($unread) = grep { ($_->{kind} // '') eq 'unreadable' } @objects;
    is_deeply [@$unread{qw(escaped name)}], [['path'], undef],
        'a message';
    is_deeply $objects[-1]{kinds}, { twin => 1, unreadable => 2 },
        'the summary';
    my (undef, $help) = capture('', $iri, 'help', 'lint');
    my ($fields) = $help =~ /^With --batch (.*?)\n\n/ms;
    is_deeply [grep { $fields !~ /\b$_\b/ } map { keys %$_ } $twin,
            $objects[-1]], [], 'the help has all fields';

    my ($odd) = make_tree("caf\\xC3\\x83\\xC2\\xA9\tfile\n"
        . "\\xD0\\xBE\\xD1\\x81\\xD0\\xB0\tfile\n");
    (undef, undef, @objects) = batch([$odd], '--only',
        'mojibake,look-alike');
    my %by = map { ($_->{kind} // '') => $_ } @objects;
    is_deeply [@{ $by{mojibake} }{qw(meant why)}], ["caf\x{E9}", undef],
        'the original of mojibake';
    is_deeply [@{ $by{'look-alike'} }{qw(meant why)}],
        ['oca', 'looks like a word in ASCII'], 'the look-alike, and the reason';

    ($code, $err, @objects) = batch([$good], '--plan', 'mv');
    is_deeply [map { [$_->{ok}, $_->{error}] } @objects],
        [[JSON::PP::false, '--plan and --batch cannot be combined']],
        '--plan and --batch exclude each other';
    ($code, $err, @objects) = batch(["$good/none", "$good/index.html"]);
    is $code, 1, 'no directory';
    is_deeply [map { $_->{ok} ? 1 : 0 } @objects], [0, 0], 'field ok is false';
};

subtest 'wrong usage' => sub {
    for ([['--match', 'cas'], qr/--match .*cas/], [['--only', 'x'],
            qr/--only .*"x"/], [['--plan', 'rm'], qr/--plan .*"mv"/],
        [['--filename-charset', 'utf-7'], qr/--filename-charset/])
    {
        my ($arguments, $like) = @$_;
        my ($code, $out, $err) = lint(@$arguments, $good);
        is $code, 2, "@$arguments";
        like $err, $like, 'the message';
    }
    my ($code, $out, $err) = lint("$good/index.html");
    is $code, 1, 'a file';
    is $err, qq{iri lint: "$good/index.html" is not a directory\n},
        'the message';
    ($code, $out, $err) = lint("$good/none");
    is $code, 1, 'nothing';
    is $err, qq{iri lint: "$good/none" is not a directory: No such file or }
        . "directory\n", 'the message';
};

subtest 'an unreadable directory' => sub {
    plan skip_all => 'root may read all' if $> == 0;
    my ($dir) = make_tree("closed/a.txt\tfile\n");
    chmod 0, "$dir/closed";
    my ($code, $out, $err) = lint($dir);
    chmod 0755, "$dir/closed";
    is $code, 1, 'exit code';
    like $err, qr{"\./closed/"}, 'a message';
};

subtest 'links and depth' => sub {
    my $dir = temp_dir();
    my $path = $dir;
    mkdir $path .= '/d' for 1 .. 300;
    symlink $dir, "$dir/up";
    my ($code, $out) = lint($dir);
    is $code, 0, 'no option overrides it';
    like $out, qr/^301 names in 301 directories/, 'all of it';
};

subtest 'names that would act' => sub {
    my ($dir) = make_tree([qw(a\x1B[31mred \xE2\x80\xAErtl)]);
    my ($code, $out) = lint($dir);
    unlike $out, qr/\033|\xE2\x80\xAE/, 'octets are shown escaped';
    like $out, qr/%1B/, 'octet by octet';
};

# Executes the plan with a shell; then nothing is left to rename.
sub plan_runs {
    my ($how, $tree, $charset, @want) = @_;
    my ($dir) = make_tree($tree);
    my ($code, $out, $err) = lint('--filename-charset', $charset, '--plan',
        $how, $dir);
    is $code, 0, 'exit code';
    like $err, qr/findings/, 'the plan contains no summary';
    unlike $out, qr/[^\n -~\x80-\xFF]|\xE2\x80\xAE/,
        'no octet is interpreted by the terminal';
    my ($ran, undef, $wrong) = capture($out, 'bash', '-c',
        'cd -- "$1" && . /dev/stdin', 'bash', $dir);
    is $ran, 0, 'runs' or diag $wrong, $out;
    is_deeply [paths($dir)], \@want, 'renamed';
    (undef, $out) = lint('--filename-charset', 'utf-8', '--only',
        'nfc,legacy,unreadable', $dir);
    return ($dir, $out);
}

subtest 'mv' => sub {
    my (undef, $out) = plan_runs('mv', <<'END', 'utf-8,euc-jp',
e\xCC\x81.html	file
\xC6\xFC\xCB\xDC/\xB8\xEC's \x5Cn.html	file
\xC6\xFC\xCB\xDC/-n	file
it's/\x5C e\xCC\x81 $(x)!.html	file
plain	file
END
        sort "\xC3\xA9.html", "\xE6\x97\xA5\xE6\x9C\xAC",
        "\xE6\x97\xA5\xE6\x9C\xAC/-n",
        "\xE6\x97\xA5\xE6\x9C\xAC/\xE8\xAA\x9E's \\n.html",
        "it's", "it's/\\ \xC3\xA9 \$(x)!.html", 'plain');
    like $out, qr/ 0 findings/, 'nothing is left to rename';
};

# convmv does not know this charset.
subtest 'percent-encoded names' => sub {
    for my $how (qw(mv convmv)) {
        my (undef, $out) = plan_runs($how, "%e4%bd%a0/%C3%89.txt\tfile\n", 'percent',
            "\xE4\xBD\xA0", "\xE4\xBD\xA0/\xC3\x89.txt");
        like $out, qr/ 0 findings/, "$how: nothing is left to rename";
    }
};

# "sh plan.sh" is a likely mistake: dash does not support $'...', and must
# rename nothing.
subtest 'another shell' => sub {
    my ($dir) = make_tree(<<'END');
e\xCC\x81';touch acted #	file
e\xCC\x81\x5C';touch acted #	file
e\xCC\x81\x0A';touch acted #	file
END
    my (undef, $out) = lint('--plan', 'mv', $dir);
    unlike $out, qr/\\[\\']/, 'no quote is escaped by a backslash';
    for my $shell (grep { -x } '/bin/dash', '/bin/sh') {
        my ($other) = make_tree("x\tfile\n");
        capture($out, $shell, '-c', 'cd -- "$1" && . /dev/stdin', $shell,
            $other);
        is_deeply [paths($other)], ['x'], "$shell executes no part of a name";
    }
};

subtest 'names that are not renamed' => sub {
    my @stay = sort "\xC6\xFC", "\xE6\x97\xA5", "\xFF\xFF";
    my ($dir) = plan_runs('mv', <<'END', 'utf-8,euc-jp', @stay);
\xC6\xFC	file
\xE6\x97\xA5	file
\xFF\xFF	file
END
    my (undef, $out) = lint('--filename-charset', 'utf-8,euc-jp', '--plan',
        'mv', $dir);
    is scalar(() = $out =~ /^# not renamed: /mg), 2, 'both names are reported';
    # 8F AB B1 is the name whose UTF-8 is C3 A9; these octets are another name
    # in EUC-JP.
    my ($taken) = make_tree("\\x8F\\xAB\\xB1\tfile\n\\xC3\\xA9\tfile\n");
    (undef, $out) = lint('--filename-charset', 'euc-jp', '--plan', 'mv',
        $taken);
    like $out, qr/^mv -nT -- '\.\/\xC3\xA9' /m, 'one name can be renamed';
    like $out, qr/^# not renamed: \S+: an entry with the new name/m,
        'the other would overwrite it';
    # Both are the same name, and neither is in UTF-8.
    my ($twins) = make_tree("\\x8F\\xAB\\xB1\tfile\n\\xE9\tfile\n");
    (undef, $out) = lint('--filename-charset', 'euc-jp,windows-1252',
        '--plan', 'mv', $twins);
    unlike $out, qr/^mv/m, 'twins';
};

# Between creating and executing the plan somebody creates a link with a new
# name.
subtest 'a link created after the plan' => sub {
    my ($dir) = make_tree("e\\xCC\\x81\tfile\n");
    my $away = temp_dir();
    my (undef, $out) = lint('--plan', 'mv', $dir);
    symlink $away, "$dir/\xC3\xA9" or die "$!\n";
    capture($out, 'bash', '-c', 'cd -- "$1" && . /dev/stdin', 'bash', $dir);
    is_deeply [paths($away)], [], 'nothing is moved to the target of the link';
    is scalar(() = glob "$dir/*"), 2, 'no file is overwritten';
};

# A guess is applied only with the option for it, and never overwrites another
# name.
subtest 'mojibake' => sub {
    my @names = ('caf\xC3\x83\xC2\xA9', '\xC3\xA3\xC2\x81\xE2\x80\x9A');
    my ($dir) = make_tree(join '', map {"$_\tfile\n"} @names, 'other');
    my (undef, $out) = lint('--plan', 'mv', $dir);
    unlike $out, qr/^mv/m, 'not without its option';
    for my $how ('mv', 'convmv') {
        ($dir) = make_tree(join '', map {"$_\tfile\n"} @names, 'other');
        (undef, $out) = lint('--only', 'mojibake', '--plan', $how, $dir);
        capture($out, 'bash', '-c', 'cd -- "$1" && . /dev/stdin', 'bash',
            $dir);
        is_deeply [paths($dir)],
            [sort "caf\xC3\xA9", "\xE3\x81\x82", 'other'], "$how: renamed";
    }
    ($dir) = make_tree(join '', map {"$_\tfile\n"} @names,
        'caf\xC3\xA9');
    (undef, $out) = lint('--only', 'mojibake', '--plan', 'mv', $dir);
    is scalar(() = $out =~ /^mv /mg), 1, 'one name can be renamed';
    like $out, qr/^# not renamed: \S+: an entry with the new name/m,
        'the new name of the other exists';
    my ($code, undef, $err) = lint('--only', 'twin', '--plan', 'mv', $dir);
    is $code, 2, 'nothing to rename';
    like $err, qr/--plan renames the findings nfc, legacy and mojibake/,
        'a message';
};

subtest 'convmv' => sub {
    plan skip_all => 'convmv is not here' if (capture('', 'sh', '-c',
        'command -v convmv'))[0];
    plan_runs('convmv', <<'END', 'utf-8,euc-jp',
e\xCC\x81.html	file
\xC6\xFC\xCB\xDC/\xB8\xEC.html	file
END
        sort "\xC3\xA9.html", "\xE6\x97\xA5\xE6\x9C\xAC",
        "\xE6\x97\xA5\xE6\x9C\xAC/\xE8\xAA\x9E.html");
};

subtest 'names of one hash' => sub {
    my @cpu = map {
        my $dir = temp_dir();
        spew("$dir/\xE9$_", '') for colliding(16_384, $_);
        cpu_of(sub { lint('--plan', 'mv', '--filename-charset',
            'windows-1252', $dir) });
    } 0, 1;
    cmp_ok $cpu[0], '<', 2 * $cpu[1] + 0.4,
        'take as long as others (seconds of processor time)';
};

subtest 'colours at a terminal' => sub {
    plan skip_all => 'script (bsdutils) is not here' if (capture('', 'sh',
        '-c', 'command -v script'))[0];
    my ($code, $out) = capture('', 'script', '-qec', "$iri lint $bad",
        '/dev/null');
    is $code, 1, 'exit code';
    like $out, qr/\033\[1mtwin/, 'kinds are bold';
    local $ENV{NO_COLOR} = 1;
    (undef, $out) = capture('', 'script', '-qec', "$iri lint $bad",
        '/dev/null');
    unlike $out, qr/\033\[1m/, 'no colours with NO_COLOR';
    (undef, $out) = capture('', 'script', '-qec', "$iri check 'x:\xC2\xB4'",
        '/dev/null');
    like $out, qr/^warning: /m, 'a warning of iri check, too';
};

done_testing;
