# The log lines of requests that both servers share: one line a request, with
# the codes of doc/reasons.md.
package IRI::Reasons;
use strict;
use warnings;
use Exporter 'import';
use File::Basename 'dirname';
use IRI::Octets 'escaped';
use IRI::Server 'slurp';
use Test::More;

our @EXPORT_OK = qw(reason_cases);

# Tests the log lines of a server that has the trees and settings of
# t/nginx-reasons.t or t/httpd-reasons.t. Options:
#
#   ours      a pattern of our lines in the log
#   form      a pattern of the whole line, with the codes as $1
#   after     the word after the codes
#   host      a function that encodes a host for the server
#   paths     further cases: [codes, target, options of the request]
#   mapped    codes of a mapped host with a path and a query (report)
#   absent    codes that only the other server logs
sub reason_cases {
    my ($server, %arg) = @_;
    my %seen;

    # The lines of a request, without those of the server itself.
    my $lines = sub {
        my ($target, %option) = @_;
        my $before = length $server->settled_log;
        my $method = delete $option{method} // 'GET';
        $option{host} = $arg{host}->($option{host}) if $option{host};
        $server->request($method, $target, %option);
        return grep { $_ =~ $arg{ours} } split /\n/,
            substr $server->settled_log, $before;
    };
    my $line_is = sub {
        my ($reasons, $target, %option) = @_;
        my @lines = $lines->($target, %option);
        my $name = "$reasons: " . escaped($target);
        is @lines, 1, "one line: $name" or diag join "\n", @lines;
        my ($got) = ($lines[0] // '') =~ $arg{form};
        is $got, $reasons, $name or diag $lines[0] // '';
        $seen{$_} = 1 for split /,/, $got // '';
        return $lines[0] // '';
    };

    my @report = (port => $server->port('report'));
    is_deeply [$lines->('/plain.txt')],          [], 'no line for ASCII';
    is_deeply [$lines->('/caf%C3%A9.txt')],      [], 'nor for a canonical path';
    is_deeply [$lines->('/plain.txt', @report)], [], 'report: no line either';

    # paths

    $line_is->(folded      => '/fold/PLAIN.TXT');
    $line_is->(ambiguous   => '/fold/docs/readme.TXT');
    $line_is->(ambiguous   => '/fold/Docs/readme.txt');
    $line_is->(spelling    => '/fold/plan.txt');
    $line_is->(further     => '/euc/%C9%BD/%C9%BD.txt');
    $line_is->(unwritable  => '/euc/%E2%82%AC.txt');
    $line_is->(unreadable  => '/%FF');
    $line_is->(bidi        => "/a\xE2\x80\xAE");
    $line_is->(limit       => '/%E8%A1%A8' x 200);
    $line_is->(found       => '/caf%C3%A9.txt', @report);
    $line_is->(found       => '/%95%5c.txt', @report);
    $line_is->(absent      => '/%C3%A9', @report);
    $line_is->(variant     => '/%EF%BD%9E.txt', @report);
    $line_is->(folded      => '/fold/PLAIN.TXT', @report);
    $line_is->(spelling    => '/fold/plan.txt', @report);
    $line_is->(ambiguous   => '/fold/docs/readme.TXT', @report);
    $line_is->(unwritable  => '/euc/%E2%82%AC.txt', @report);
    $line_is->(declared    => '/nfc/caf%C3%A9.txt', @report);
    $line_is->(unreadable  => '/%FF', @report);
    $line_is->(bidi        => "/a\xE2\x80\xAE", @report);
    $line_is->(limit       => '/%E8%A1%A8' x 200, @report);

    # hosts

    my %host = ('host-octets' => "b\xFC.example", 'host-escape' => 'b%zz',
        'host-character' => 'a%C3%BC%2Fb', 'host-hyphen' => "-\xC3\xBC-",
        'host-mark' => "\xCC\x81a", 'host-bidi' => "\xD7\x90a\xD7\x90.1a",
        'host-joiner' => "a\xE2\x80\x8Db", 'host-alabel' => "xn--\xC3\xBC",
        'host-address' => '127.0.0.%31', 'host-limit' => "\xC3\xBC" x 300);
    for my $code (sort keys %host) {
        my @lines = $lines->('/plain.txt', host => $host{$code});
        is @lines, 1, "one line: $code";
        like $lines[0] // '', qr/, reason=host-[a-z0-9]+, $arg{after}/, $code;
        my ($got) = ($lines[0] // '') =~ $arg{form};
        $seen{ $got // '' } = 1;
    }
    $line_is->('host-mapped' => '/plain.txt', @report,
        host => "b\xC3\xBC.example");
    $line_is->('host-idna2008' => '/plain.txt', host => "\xE2\x98\x95.example",
        port => $server->port('strict'));
    $line_is->($arg{mapped} => '/caf%C3%A9.txt?q=%95%5c', @report,
        host => "b\xC3\xBC.example");

    # queries

    $line_is->('query-read'       => '/plain.txt?q=%95%5c', @report);
    $line_is->('query-unreadable' => '/plain.txt?q=%95%ff', @report);
    $line_is->('query-normalized' => '/plain.txt?q=e%CC%81', @report);
    $line_is->('query-limit'      => '/plain.txt?q=' . '%83%5C' x 911, @report);
    my $line = $line_is->('found,query-read' => '/caf%C3%A9.txt?q=%95%5c',
        @report);
    like $line,
        qr/report: would serve .*; would convert the query "q=%E8%A1%A8": /,
        'path and query in one';

    $line_is->(@$_) for @{ $arg{paths} };

    # hostile

    for my $target ('/%0A%0D%1B[31m%C3%A9"\\', '/%22,%20reason=found%C3%A9',
        '/' . "\xC3\xA9" x 480, '/fold/PLAIN.TXT' . '%FF' x 100,
        '/%95%5c?' . "\"\\\x7F\xFF" x 100)
    {
        my @lines = $lines->($target, @report);
        cmp_ok scalar(@lines), '<=', 1,
            'one line: ' . escaped(substr $target, 0, 40);
        like $_, $arg{form}, 'in form' for @lines;
    }
    is_deeply [$server->errors], [], 'log';

    # Each code that can occur here has occurred; the others are listed.
    my %other = map { $_ => 1 }
        # codes of requests that are served unchanged, without a line
        qw(none ascii canonical read), qw(host-ascii host-literal query-ascii),
        'query-utf8',
        # codes that need a setting or a failure, in other tests
        qw(mixed repaired below twin other-tree unnamed other-name forbidden
        budget error cache destination certificate host-empty host-wildcard),
        @{ $arg{absent} };
    my $doc = slurp(dirname(__FILE__) . '/../../../doc/reasons.md');
    my @codes = $doc =~ /^\| `([-a-z0-9]+)` \|/mg;
    cmp_ok scalar(@codes), '>', 50, 'codes in doc/reasons.md';
    is_deeply [grep { !$seen{$_} && !$other{$_} } @codes], [],
        'each code that can occur has occurred';
    return;
}

1;
