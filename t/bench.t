#!/usr/bin/perl
# The calculations and reports of make bench are right: for given figures, and
# for one measured row; a wrong status fails the run.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/bench";
use IRI::Bench::Figures qw(interleaved median quartiles ratios wrk_figures);
use IRI::Bench::Profile;
use IRI::Bench::Report;
use IRI::Bench::Request;
use IRI::Bench::Growth;
use IRI::Bench::Svg qw(bars lines);
use IRI::Bench::Table;
use IRI::Test;
use Test::More;
use XML::LibXML;

my $BENCH = "$FindBin::Bin/bench/bench";

# ---- arithmetic --------------------------------------------------------------

is median(5, 1, 3), 3, 'median';
is median(4, 1, 3, 2), 2.5, 'median of an even number';
is_deeply [quartiles(1 .. 5)], [2, 3, 4], 'quartiles';
is_deeply [ratios([2, 9], [1, 3])], [2, 3], 'ratios, round by round';

my @order;
my $values = interleaved(3, sub { push @order, $_[0]; return scalar @order },
    qw(a b));
is "@order", 'a b b a a b', 'each round begins with another one';
is_deeply $values, { a => [1, 4, 5], b => [2, 3, 6] }, 'values by name';

is_deeply wrk_figures(<<'END'), { requests => 1234, rate => '1200.50',
  Thread Stats   Avg      Stdev     Max   +/- Stdev
  1234 requests in 1.03s, 1.10MB read
  Socket errors: connect 1, read 2, write 0, timeout 3
  Non-2xx or 3xx responses: 7
Requests/sec:   1200.50
END
    other => 7, errors => 6 }, 'output of wrk';
is wrk_figures("unable to connect\n"), undef, 'empty output of wrk';

my $tmp = temp_dir();
spew("$tmp/counts", <<'END');
ob=(1) /usr/sbin/nginx
fn=(1) main
16 400
+2 30
cfn=(2) work
calls=3 20
16 900
ob=(2) /lib/libc.so.6
fn=(3) malloc
* 70
fn=(1)
20 5
END
my $profile = IRI::Bench::Profile->of("$tmp/counts");
is $profile->sum, 505, 'costs exclude called functions';
is_deeply $profile->objects, { nginx => 430, 'libc.so.6' => 75 },
    'costs by object';
is $profile->less($profile->by(5))->sum, 404,
    'difference and quotient of profiles';

is sprintf('%.2f', IRI::Bench::Growth::growth(100, 400, 1000, 2000, 20)),
    '1.25', 'growth of the worst step';

is IRI::Bench::Table::number(1234567.8), '1 234 568', 'number';
is IRI::Bench::Table::number(-1234), '-1 234', 'negative';

# ---- rows --------------------------------------------------------------------

my %row = map { $_->{id} => $_ } IRI::Bench::Request::rows('');
is $row{'Shift_JIS'}{target}->(7), '/ja3000/%83K%83C%83h%95%5C%8E%A6000007.html'
    =~ s/%5C/\\/r, 'Shift_JIS, its ASCII octets as they are';
is IRI::Bench::Request::base($row{'Shift_JIS'})->(7),
    '/ja3000/%E3%82%AC%E3%82%A4%E3%83%89%E8%A1%A8%E7%A4%BA000007.html',
    'compared with the page in UTF-8';
is IRI::Bench::Request::base($row{'any: ASCII'}), $row{'any: ASCII'}{target},
    'the base of a name that a bare server finds';
is IRI::Bench::Request::base($row{'Shift_JIS, absent'}),
    $row{'Shift_JIS, absent'}{target}, 'the base of an absent name';
like $row{'any: French in NFD'}{target}->(7), qr/cre%CC%80me-bru%CC%82le/,
    'NFD';
is_deeply [IRI::Bench::Request::more({ cells => {
    on  => { ir => 150, calls => { openat => 2, epoll_wait => 3 },
        new => { ir => 900, calls => { lstat => 4 } } },
    off => { base => { ir => 100, calls => { openat => 1 } } } } }, 'again')],
    [50, 1], 'difference of on and off, and lookups';

# ---- output of the tables ---------------------------------------------------

{
    open my $quiet, '>', '/dev/null';
    my $before = select $quiet;
    my $table  = IRI::Bench::Table->new($tmp, 'nginx');
    for my $cell ([on => 12_500], ['on-first' => 14_000],
        ['off-base' => 12_000], [bare => 12_000], [lua => 20_000])
    {
        $table->figure('request', 'nginx', 'any: ASCII', $cell->[0],
            'instructions', $cell->[1]);
        $table->figure('request', 'nginx', 'any: ASCII', $cell->[0],
            'status', 200);
    }
    ok !$table->goal('nginx any: ASCII, again', 500, 60, 'instructions',
        'ASCII hit or 404'), 'above the limit';
    ok $table->goal('nginx any: ASCII, absent, again', 50, 60,
        'instructions', 'ASCII hit or 404'), 'good';
    ok $table->status('a', 200, 200, 304), 'a right status';
    is(IRI::Bench::Table->wrong, 0, 'no wrong statuses');
    ok !$table->status('some <row>', 404, 200), 'a wrong status';
    is(IRI::Bench::Table->wrong, 1, 'is counted');
    my $fold = IRI::Bench::Table->new($tmp, 'fold');
    for my $size (10, 1000, 100_000) {
        $fold->figure('nginx', 'case', "case d$size", 'on', 'instructions',
            15_000);
        $fold->figure('httpd', 'case', "case d$size", 'case', 'instructions',
            390 * $size);
    }
    select $before;
}
IRI::Bench::Report->new($tmp)->write_all;
my $report = slurp("$tmp/report.md");
like $report, qr/^\| ASCII hit or 404, again \| 60 instructions \| 50 to 500, 1 of 2 met \|/m,
    'goals, from the least to the most';
like $report, qr/^WRONG STATUS: some <row>: 404, not 200$/m,
    'the report says so, too';
my $summary = slurp("$tmp/summary.md");
like $summary, qr/^### Against peers\n.*^\| nginx, ASCII \| 12,000 \| 14,000 \|  \| 20,000 \|/ms,
    'requests beside those of peers';
{
    mkdir "$tmp/pictures" or die "$tmp: $!\n";
    my $old = "Text.\n![x](pictures/bench-size.svg)\n"
        . "<!-- bench -->\nold\n<!-- bench end -->\nMore.\n";
    spew("$tmp/doc.md", $old);
    my ($code) = capture('', $^X, "$FindBin::Bin/bench/report", $tmp,
        "$tmp/doc.md", "$tmp/pictures");
    is $code, 0, 'a report into a document';
    is slurp("$tmp/doc.md"), $old =~ s/old\n/$summary/r, 'the summary alone';
    is join(' ', glob "$tmp/pictures/*"), "$tmp/pictures/bench-size.svg",
        'the plots that it shows';
}
like slurp("$tmp/report.tsv"),
    qr/^nginx\trequest\tnginx\tany: ASCII\ton\tinstructions\t12500$/m,
    'all figures';

for my $plot (qw(size added-nginx peers-nginx)) {
    my $text = slurp("$tmp/bench-$plot.svg");
    ok eval { XML::LibXML->load_xml(string => $text) }, "$plot is XML"
        or diag $@;
    unlike $text, qr/nan|inf\b/i, "$plot: numbers";
    like $text, qr/prefers-color-scheme: dark.*class="ground"/s,
        "$plot: dark, too, on a ground of its own";
}
like slurp("$tmp/bench-added-nginx.svg"), qr/>2 000</,
    'first request minus base';
is scalar(() = slurp("$tmp/bench-size.svg") =~ /class="mark"/g), 8,
    'a mark for each point, and one for each name';
like slurp("$tmp/bench-size.svg"), qr/stroke-dasharray="7 3"/,
    'the second line is dashed';
unlike bars('a & b', '<x>', ['one'], ['r', 1]), qr/a & b|<x>/, 'escaped';

# ---- a whole run -------------------------------------------------------------

SKIP: {
    skip 'no nginx', 2 if missing('nginx');
    skip 'valgrind does not run a module with sanitizers', 2
        if $ENV{IRI_ASAN};
    skip 'valgrind, strace or setpriv is missing', 2
        if grep { system "command -v $_ >/dev/null" }
        qw(valgrind strace setpriv);
    my @options = ('--requests=20', '--rows=^any: ASCII$', "--out=$tmp/out");
    my ($code, $out, $err) = capture('', $^X, $BENCH, @options,
        '--columns=off,on', 'nginx');
    my ($more) = slurp("$tmp/out/nginx.tsv")
        =~ /^goal\tnginx any: ASCII, again\t([\d.-]+)/m;
    ok $code == 0 && defined $more && abs $more < 3000,
        'one measured row' or diag $code, $out, $err;

    # An existing directory is not filled again.
    mkdir $_ for "$tmp/none", "$tmp/none/www", "$tmp/none/www/d3000",
        "$tmp/none/www/d100";
    ($code, $out, $err) = capture('', $^X, $BENCH, @options,
        "--trees=$tmp/none", '--columns=bare', 'nginx');
    ok $code == 1
        && $out =~ /WRONG STATUS: nginx any: ASCII, bare: 404, not 200/,
        'a wrong status fails the run' or diag $code, $out, $err;
}

done_testing;
