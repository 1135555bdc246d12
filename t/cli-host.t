#!/usr/bin/perl
# The command `iri host`: usage, batch, messages, and that the tables of
# doc/hosts.md are true. What the core decides is tested in t/core/test_host*.c.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use JSON::PP ();
use Test::More;

plan skip_all => missing('core') if missing('core');

my $iri = build_dir() . '/iri';

# Exit code, standard output and standard error of `iri host ARGUMENTS`.
sub host { return capture('', $iri, 'host', @_) }

# The objects for lines of `iri host --batch OPTIONS`; text, not octets.
sub batch {
    my ($lines, @options) = @_;
    my ($code, $out, $err) = capture($lines, $iri, 'host', '--batch',
        @options);
    is $err, '', "nothing on standard error: @options" or return;
    return map { JSON::PP->new->utf8->decode($_) } split /\n/, $out;
}

# The value for a host; undef where it is refused.
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
        like $out, qr/--$_\b/, "--$_" for qw(to strict mapping batch);
    }
    my ($code, $out) = capture('', $iri, 'help');
    like $out, qr/^  host /m, 'among the commands';
};

subtest 'usage' => sub {
    my @wrong = (
        [[],                             qr/HOST/],
        [['a', 'b'],                     qr/HOST/],
        [['--batch', 'a'],               qr/--batch reads/],
        [['--to', 'punycode', 'a'],      qr/--to must.*"unicode"/],
        [['--to'],                       qr/missing argument: --to/],
        [['--mapping', 'uts-46', 'a'],   qr/--mapping must.*"compatible"/],
        [['--strikt', 'a'],              qr/--strikt\b.*Options are: --to/s],
    );
    for (@wrong) {
        my ($arguments, $message) = @$_;
        my ($code, $out, $err) = host(@$arguments);
        is $code, 2, "exit code of iri host @$arguments";
        is $out, '', 'nothing on standard output';
        like $err, $message, 'says what is wrong';
    }
};

subtest 'names' => sub {
    my @rows = (
        # ASCII is mapped here, too.
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
        'xn--bcher-kva', 'an A-label stays as it is with compatible';
    is value('☃.example'), 'xn--n3h.example', 'a symbol';
    is value('☃.example', '--strict'), undef, 'not with --strict';
    is value('☃.example', '--strict', '--mapping', 'compatible'), undef,
        'nor with both';
};

subtest 'refused' => sub {
    my @rows = (
        ['a_b',           1, 'has a character that no host name may have'],
        ['a%5Fb',         1, 'has a character that no host name may have'],
        ['%61_b',         3, 'has a character that no host name may have'],
        ['ab.c%2Fd',      4, 'has a character that no host name may have'],
        ['ab.a℀b',        3, 'has a character that no host name may have'],
        ['[::1',          0, 'has a character that no host name may have'],
        ['[é]',           0, 'has a character that no host name may have'],
        ['a:80',          1, 'has a character that no host name may have'],
        ['*.example',     0, 'has a character that no host name may have'],
        ['',              0, 'has an empty label'],
        ['a..b',          2, 'has an empty label'],
        ['é%2',           2, 'has "%" without two hexadecimal digits'],
        ['a%',            1, 'has "%" without two hexadecimal digits'],
        ['xn--a',         0, 'has a label with "xn--" that is no A-label'],
        ['-a.xn--a',      3, 'has a label with "xn--" that is no A-label'],
        ['ü.xn--a',       3, 'has a label with "xn--" that is no A-label'],
        ['a.-b',          2, qr/^has a label with "-" at an end/],
        ['b.אa',          2, 'breaks the bidi rule of RFC 5893'],
        ['１.2',          0, 'is another spelling of an IPv4 address'],
        ['a' x 64,        0, qr/^has too many octets/],
    );
    my @got = batch(join '', map { "$_->[0]\n" } @rows);
    for (@rows) {
        my ($host, $offset, $why) = @$_;
        my $got = shift @got;
        my ($code, $out, $err) = host('--', $host);
        is "$code$out", '1', "refused: $host";
        like $err, ref $why ? qr/^iri host: "\Q$host\E" / :
            qr/^iri host: "\Q$host\E" \Q$why\E \(offset $offset\)\n\z/,
            'message';
        is $got->{offset}, $offset, 'offset';
        utf8::decode(my $text = $host);
        my ($says) = $got->{error} =~ /^"\Q$text\E" (.*)/s;
        ref $why ? like $says, $why, 'error' : is $says, $why, 'error';
        is keys %$got, 3, 'no other field';
    }
};

subtest 'batch' => sub {
    my @got = batch("b\\xc3\\xbc\n\\xFF\n\na\\x00b\na\tb\na\\\n");
    is_deeply $got[0], { ok => JSON::PP::true(), value => 'xn--b-eha' },
        'a value';
    is $got[1]{error}, '"%FF" is not UTF-8', 'octets';
    like $got[2]{error}, qr/^"" has an empty label/, 'an empty line';
    is $got[3]{error}, '"a%00b" has a character that no host name may have',
        'NUL';
    is $got[3]{offset}, 1, 'and where it is';
    like $got[4]{error}, qr/more operands/, 'two operands';
    ok !$got[5]{ok}, 'a bad escape of a line';
    my ($code) = capture("a\n_\n", $iri, 'host', '--batch');
    is $code, 1, 'exit code if a line got no answer';
    ($code) = capture("a\nb", $iri, 'host', '--batch');
    is $code, 0, 'exit code if each did';
    @got = batch("xn--bcher-kva\n" x 2000, '--to', 'unicode');
    is grep({ $_->{value} eq "b\xFCcher" } @got), 2000, 'many lines';
};

subtest 'nothing that a terminal acts on' => sub {
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
    ok @rows > 12, 'a table';
    for (@rows) {
        my ($form, $host, $ascii) = @$_;
        is value($host), $ascii =~ /^not looked at/ ? $host : $ascii,
            "$form: $host";
    }
};

subtest 'doc/hosts.md: what is refused' => sub {
    my @rows = rows('name | it');
    ok @rows > 10, 'a table';
    for (@rows) {
        my ($host, $why) = @$_;
        my ($code, $out, $err) = host('--', $host);
        is $code, 1, $host;
        like $err, qr/" \Q$why\E \(offset \d+\)$/, $why;
    }
    my ($code, $out, $err) = host('--strict', '☃.example');
    like $err, qr/" is not a name of IDNA2008 /, 'strict';
};

subtest 'doc/hosts.md: uts46 and compatible' => sub {
    my @rows = rows('name | `uts46`');
    ok @rows > 4, 'a table';
    for (@rows) {
        my ($host, $uts46, $compatible) = @$_;
        is value($host) // 'refused', $uts46, "$host: uts46";
        is value($host, '--mapping', 'compatible') // 'refused', $compatible,
            'compatible';
    }
};

done_testing;
