#!/usr/bin/perl
# iri log: a log with its targets in Unicode, safe for a terminal, also while it
# is written and rotated.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use JSON::PP ();
use Test::More;

plan skip_all => missing('core') if missing('core');

my $iri = build_dir() . '/iri';
my $dir = temp_dir();

sub shown {
    my ($log, @options) = @_;
    spew("$dir/log", $log);
    my ($code, $out, $err) = capture('', $iri, 'log', @options, "$dir/log");
    is "$code $err", '0 ', 'exit code';
    return $out;
}

subtest 'targets' => sub {
    # line, line shown with windows-1252
    my @rows = (
        ['"GET /caf%C3%A9 HTTP/1.1" 200', '"GET /café HTTP/1.1" 200'],
        ['"GET /caf\xC3\xA9%20b HTTP/1.1"', '"GET /café%20b HTTP/1.1"'],
        ["\"GET /caf\xC3\xA9 HTTP/1.1\"", '"GET /café HTTP/1.1"'],
        ['"GET /cafe%CC%81 HTTP/1.1"', '"GET /café HTTP/1.1"'],
        ['"GET /caf%E9 HTTP/1.1"', '"GET /café HTTP/1.1"'],
        ['"GET /caf\xe9 HTTP/1.1"', '"GET /café HTTP/1.1"'],
        ['"GET /a?q=%E9&r=%C3%A9 HTTP/1.1"', '"GET /a?q=é&r=é HTTP/1.1"'],
        ['"GET /%2F%25%C3%A9%3F HTTP/1.1"', '"GET /%2F%25é%3F HTTP/1.1"'],
        ['"GET //a%C3%A9//b HTTP/1.1"', '"GET //aé//b HTTP/1.1"'],
        ['"GET /a\"%C3%A9\x22 HTTP/1.1"', '"GET /a%22é%22 HTTP/1.1"'],
        ['"-" 400 "http://xn--bcher-kva.example:8/%C3%A9"',
            '"-" 400 "http://bücher.example:8/é"'],
        ['"http://xn--bcher-kva.example"', '"http://xn--bcher-kva.example"'],
        ['"https://a@b%C3%A9/%C3%A9"', '"https://a@b%C3%A9/é"'],
        ['{"uri":"/%C3%A9","r":"GET /\u00e9%C3%A9 HTTP/1.1"}',
            '{"uri":"/é","r":"GET /\u00e9%C3%A9 HTTP/1.1"}'],
        ["a\t/%C3%A9\t5%", "a\t/é\t5%"],
        ['"Mozilla/5.0 (%C3%A9; \x1B)"', '"Mozilla/5.0 (%C3%A9; \x1B)"'],
        ['', ''],
    );
    for (@rows) {
        my ($line, $want) = @$_;
        is shown("$line\n", '--charset', 'windows-1252'), "$want\n", $line;
    }
    is shown("/caf%E9 /%95%5C\n"), "/caf%E9 /%95%5C\n", 'without charsets';
    is shown("/%95%5C\n", '--charset', 'sjis'), "/表\n", 'Shift_JIS';
    is shown("/a%"), "/a%25", 'no end of line';
};

subtest 'a terminal' => sub {
    my $unsafe = qr/[\x00-\x08\x0B-\x1F\x7F]|\xC2[\x80-\x9F]
        |\xE2\x80[\x8E\x8F\xA8-\xAE]|\xE2\x81[\xA6-\xA9]/x;
    for my $octets ("\e[31m", "\e]0;x\a", "\x9B31m", "\xC2\x9B31m", "\0", "\r",
        "\x7F", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x80\xA8", "\xFF\xFE")
    {
        my $escape = $octets =~ s/(.)/sprintf '%%%02x', ord $1/gesr;
        my $log    = $octets =~ s/(.)/sprintf '\\x%02x', ord $1/gesr;
        my @texts = ($octets, $escape, $log, "/a$octets", "/a$escape",
            "/a$log?$escape", "http://a/$log", "http://a$escape/");
        my $out = shown(join('', map { "x \"$_\" y\n" } @texts), '--charset',
            'windows-1252');
        unlike $out, $unsafe, escaped($octets);
        is scalar(() = $out =~ /^x "[^" \n]+" y$/mg), scalar @texts,
            'blanks, quotes and lines stay';
    }
    my $random = join '', map { chr int rand 256 } 1 .. 300_000;
    unlike shown($random), $unsafe, 'any octets, and long lines';
};

subtest 'help' => sub {
    my ($code, $out) = capture('', $iri, 'help', 'log');
    like $out, qr/^JSON field: lines/m, 'its fields';
    is scalar(grep { length > 79 } split /\n/, $out), 0, 'no long line';
    is +(capture('', $iri, 'log'))[0], 2, 'without operands';
    is +(capture('', $iri, 'log', '--nonesuch', 'x'))[0], 2, 'a wrong option';
    is +(capture('', $iri, 'log', '--charset', 'klingon', 'x'))[0], 2,
        'a wrong charset';
};

subtest 'files' => sub {
    my ($code, $out, $err) = capture('', $iri, 'log', "$dir/none");
    is $code, 1, 'an absent file';
    like $err, qr/^iri log: cannot read "\Q$dir\E\/none"/, 'the error';
    is +(capture('', $iri, 'log', $dir))[0], 1, 'a directory';
    spew("$dir/log", "/%C3%A9\n" x 3);
    system 'gzip', '-kf', "$dir/log";
    is +(capture('', $iri, 'log', "$dir/log.gz"))[1], "/é\n" x 3, 'gzip';
    spew("$dir/log.gz", substr slurp("$dir/log.gz"), 0, 20);
    is +(capture('', $iri, 'log', "$dir/log.gz"))[0], 1, 'truncated gzip';
    ($code, $out) = capture("$dir/log\n", $iri, 'log', '--batch');
    my @objects = map { JSON::PP->new->utf8->decode($_) } split /\n/, $out;
    is_deeply [map { $_->{line} } @objects[0 .. 2]], [("/\xE9") x 3], 'JSON';
    is_deeply $objects[3], { ok => JSON::PP::true(), lines => 3 }, 'lines';
};

subtest '--follow' => sub {
    spew("$dir/log", "/%C3%A9 1\n");
    my $pid = open my $out, '-|', $iri, 'log', '--follow', "$dir/log"
        or die "iri: $!\n";
    my $append = sub {
        open my $log, '>>', $_[0] or die "$_[0]: $!\n";
        print {$log} $_[1];
        close $log or die "$_[0]: $!\n";
    };
    my $next = sub {
        my ($want, $name) = @_;
        local $SIG{ALRM} = sub { die "no line\n" };
        alarm 60;
        is scalar <$out>, $want, $name;
        alarm 0;
    };
    $next->("/é 1\n", 'what is in the log');
    $append->("$dir/log", '/%C3%');
    select undef, undef, undef, 0.5;    # so that it is read in two parts
    $append->("$dir/log", "A9 2\n");
    $next->("/é 2\n", 'a line that is written in two parts');
    rename "$dir/log", "$dir/log.1" or die "rename: $!\n";
    $append->("$dir/log.1", "/%C3%A9 3\n");
    $next->("/é 3\n", 'the old file, after it was renamed');
    $append->("$dir/log.1", "/%C3%A9 4\n");
    $append->("$dir/log", "/%C3%A9 5\n");
    $next->("/é 4\n", 'the end of the old file');
    $next->("/é 5\n", 'the new file');
    $append->("$dir/log", "/%C3%A9 6\n");
    $next->("/é 6\n", 'and more of it');
    truncate "$dir/log", 0 or die "truncate: $!\n";
    $append->("$dir/log", "/%C3%A9 7\n");
    $next->("/é 7\n", 'copied and truncated');
    unlink "$dir/log";
    spew("$dir/log", "/%C3%A9 8\n");
    $next->("/é 8\n", 'removed and created');
    kill 'TERM', $pid;
    close $out;
};

done_testing;
