#!/usr/bin/perl
# iri replay: logs in each format, and the new status of their 404s by form and
# charset.
use IRI::Test 'core';
use JSON::PP ();

my $iri = build_dir() . '/iri';
our ($root) = make_tree([qw(日本語.html café.html now.html Case.html d/表.html 暗
    \xEF\xBD\xB0\xEF\xBE\x85)]);
my $dir = temp_dir();

# A line of a log in the combined format.
sub line {
    my ($target, $status, $method) = @_;
    return sprintf qq{192.0.2.1 - - [22/Nov/2026:10:00:00 +0000] "%s %s }
        . qq{HTTP/1.1" %d 153 "-" "a \\"b\\" c"\n}, $method // 'GET',
        $target, $status // 404;
}

sub replay {
    my ($log, @options) = @_;
    spew("$dir/log", $log);
    return capture('', $iri, 'replay', '--root', $root, @options,
        "$dir/log");
}

# The object for a log.
sub object {
    my ($log, @options) = @_;
    spew("$dir/log", $log);
    my ($code, $out, $err) = capture("$dir/log\n", $iri, 'replay', '--batch',
        '--root', $root, @options);
    is $err, '', 'standard error is empty';
    return JSON::PP->new->utf8->decode($out);
}

sub forms {
    my ($object) = @_;
    return { map { ("$_->{form} $_->{charset}" =~ s/ \z//r,
                "$_->{answered}/$_->{requests}") } @{ $object->{forms} } };
}

my $sjis = '/%93%FA%96%7B%8C%EA.html';
my $euc  = '/%C6%FC%CB%DC%B8%EC.html';

subtest 'forms and outcomes' => sub {
    my $log = line($sjis) x 3 . line("$euc?q=1") . line('/cafe%CC%81.html')
        . line('/now.html') . line('/none') . line('/case.html')
        . line('/index.html', 200) . line('/d/%95%5C.html');
    my $object = object($log, '--charset', 'sjis,euc-jp', '--match', 'case');
    is $object->{requests}, 10, 'requests';
    is $object->{taken}, 9, 'requests with 404';
    is $object->{targets}, 7, 'targets';
    is_deeply $object->{outcomes}, { there => 1, found => 6, moved => 1,
        choice => 0, refused => 0, absent => 1 }, 'outcomes';
    is_deeply forms($object), { 'legacy Shift_JIS' => '4/4',
        'legacy EUC-JP' => '1/1', 'escaped UTF-8' => '1/1',
        ascii => '2/3' }, 'forms';
    is_deeply $object->{top}[0], { requests => 3, outcome => 'found',
        target => $sjis, path => "/\x{65E5}\x{672C}\x{8A9E}.html" },
        'most frequent';
    is_deeply forms(object(line($sjis) x 2 . line('/caf%E9.html'))), { invalid => '0/3' }, 'without charsets';
};

subtest 'help' => sub {
    my $object = object('');
    my (undef, $help) = capture('', $iri, 'help', 'replay');
    my ($fields) = $help =~ /^JSON fields: (.*?)\n\n/ms;
    is_deeply [grep { $fields !~ /\b$_\b/ } sort keys %$object], ['ok'], 'all fields';
};

subtest 'formats' => sub {
    my $raw = line("/\\xC6\\xFC\\xCB\\xDC\\xB8\\xEC.html");
    is_deeply forms(object($raw, '--charset', 'euc-jp')),
        { 'legacy EUC-JP' => '1/1' }, 'raw octets, escaped by the server';
    my $quoted = line('/a\"b\\\\c\\x22');
    is object($quoted)->{top}[0]{target}, '/a"b\\c"', 'quotes';
    is object(line('/a b c'))->{top}[0]{target}, '/a b c', 'blanks';
    my $common = qq{192.0.2.1 - - [x] "GET $euc HTTP/1.0" 404 1\n};
    is object($common)->{taken}, 1, 'common';
    is object(qq{h - - [x] "GET /a" 404 1\n})->{top}[0]{target}, '/a',
        'HTTP/0.9';
    for (qq({"request":"GET $euc HTTP/1.1","status":404}),
        qq({"request_uri":"$euc","request_method":"GET","status":"404"}),
        qq({"uri":"$euc","status":404}))
    {
        is object("$_\n")->{top}[0]{target}, $euc, $_;
    }
    my $object = object("rubbish\n\n\"\n{}\n{\"a\n[1]\n"
        . "h \"GET /x HTTP/1.1\" abc\n" . line('/a') . 'no end');
    is $object->{lines}, 9, 'lines';
    is $object->{requests}, 1, 'one of them is a request';
    $object = object(line('/' . 'a' x 70000) . line('/b'));
    is $object->{requests}, 1, 'an overlong line is skipped';
    is $object->{top}[0]{target}, '/b', 'the next line is read';
    is object('')->{lines}, 0, 'an empty log';
    is object(line('/a', 403), '--status', 403)->{taken}, 1, 'a status';
    is object(line("/\0"))->{lines}, 1, 'NUL';
};

# A NUL ends neither its line nor the next one; the content of an earlier line
# is not read after the end of the last one.
subtest 'hostile lines' => sub {
    my $object = object("\0\0\n" . line('/none') . line("/a\0b")
            . line('/none'));
    is $object->{requests}, 2, 'lines after a NUL';
    is $object->{not_requests}, 2, 'lines with a NUL';
    my $cut = 'x "GET /cut HTTP/1.1\\';
    $object = object('x "GET /none HTTP/1.1" 404 404 "" 404 404' . "\n"
            . '"GET /none"' . '" 4040 ' x 20 . "\n" . $cut);
    is_deeply [map { $_->{target} } @{ $object->{top} }], ['/none'],
        'a backslash at the end';
    is $object->{not_requests}, 2, 'is not a request';
};

subtest 'gzip and standard input' => sub {
    plan skip_all => 'gzip is not here' if (capture('', 'sh', '-c',
        'command -v gzip'))[0];
    my $log = line($euc) x 1000;
    spew("$dir/z", $log);
    (capture('', 'gzip', '-kf', "$dir/z"))[0] == 0 or die;
    my @want = (0, qr/^1000 requests in 1000 lines, 1000 with 404/);
    my ($code, $out) = capture('', $iri, 'replay', '--root', $root,
        "$dir/z.gz");
    is $code, $want[0], 'gzip';
    like $out, $want[1], 'is read';
    ($code, $out) = capture($log, $iri, 'replay', '--root', $root,
        '/dev/stdin');
    is $code, $want[0], 'standard input';
    like $out, $want[1], 'is read';
    my $cut = substr slurp("$dir/z.gz"), 0, -20;
    spew("$dir/cut.gz", $cut);
    ($code, $out, my $err) = capture('', $iri, 'replay', '--root', $root,
        "$dir/cut.gz");
    is $code, 1, 'a truncated log';
    like $err, qr/truncated/, 'a message';
};

subtest 'for a person' => sub {
    my ($code, $out, $err) = replay(line($sjis) . line($euc), '--top', 1);
    is $code, 0, 'exit code';
    is $err, '', 'standard error is empty';
    like $out, qr/^  refused +2$/m, 'outcomes';
    like $out, qr/^  invalid +2 +0$/m, 'forms';
    is scalar(() = $out =~ /^ +\d+  refused /mg), 1, 'the requested number';
    unlike $out, qr/\033/, 'no colours in a pipe';
    ($code, $out) = replay(line('/x\x1B[31m'));
    like $out, qr/^1 request in 1 line, 1 with 404, for 1 target$/m, 'one';
    unlike $out, qr/access log/, 'no warning about the log';
    unlike $out, qr/\033/, 'no control characters of clients';
    ($code, $out) = replay("rubbish\n");
    like $out, qr/^0 requests in 1 line,.*^No line is a request: /ms,
        'a file that is no log';
    is $code, 1, 'its exit code';
    ($code, $out, $err) = capture('', $iri, 'replay', '--root', $root, $root);
    is $code, 1, 'a directory';
    like $err, qr/^iri replay: "\Q$root\E" /m,
        'its message';
    unlike +(replay(''))[1], qr/access log/, 'an empty file is accepted';
};

subtest 'targets of one hash' => sub {
    my @cpu = map {
        spew("$dir/many", join '', map { line("/$_") } colliding(16_384, $_));
        cpu_of(sub { capture('', $iri, 'replay', '--root', $root,
            "$dir/many") });
    } 0, 1;
    cmp_ok $cpu[0], '<', 2 * $cpu[1] + 0.4,
        'take as long as others (seconds of processor time)';
};

subtest 'wrong usage' => sub {
    my ($code, $out, $err) = capture('', $iri, 'replay', "$dir/log");
    is $code, 2, 'no root';
    like $err, qr/--root/, 'the message';
    for (['--top', 'x'], ['--status', '7'], ['--charset', 'utf-7']) {
        ($code, $out, $err) = replay('', @$_);
        is $code, 2, "@$_";
        like $err, qr/\Q$_->[0]\E/, 'the message names it';
    }
    ($code, $out, $err) = capture('', $iri, 'replay', '--root', $root,
        "$dir/none");
    is $code, 1, 'no log';
    is $err, qq{iri replay: cannot read "$dir/none": No such file or }
        . "directory\n", 'the message';
};

done_testing;
