#!/usr/bin/perl
# make bench measures a row and reports it; a wrong status fails the run.
use IRI::Test;
use XML::LibXML;

my $BENCH = "$FindBin::Bin/bench/bench";
my $tmp   = temp_dir();

SKIP: {
    skip 'no nginx', 5 if missing('nginx');
    skip 'valgrind does not run a module with sanitizers', 5
        if $ENV{IRI_ASAN};
    skip 'valgrind, strace, setpriv or gnuplot is missing', 5
        if grep { system "command -v $_ >/dev/null" }
        qw(valgrind strace setpriv gnuplot);
    my @options = ('--requests=20', '--rows=^any: ASCII$', "--out=$tmp/out");
    my ($code, $out, $err) = capture('', $^X, $BENCH, @options,
        '--columns=off,on', 'nginx');
    my ($more) = slurp("$tmp/out/nginx.tsv")
        =~ /^goal\tnginx any: ASCII, on\t([\d.-]+)/m;
    ok $code == 0 && defined $more && abs $more < 3000,
        'one measured row' or diag $code, $out, $err;

    mkdir "$tmp/pictures" or die "$tmp: $!\n";
    my $old = "![x](pictures/bench-added-nginx.svg)\n"
        . "<!-- bench -->\nold\n<!-- bench end -->\nMore.\n";
    spew("$tmp/doc.md", $old);
    ($code) = capture('', $^X, "$FindBin::Bin/bench/report", "$tmp/out",
        "$tmp/doc.md", "$tmp/pictures");
    is $code, 0, 'a report into a document';
    my $summary = slurp("$tmp/out/summary.md");
    is slurp("$tmp/doc.md"), $old =~ s/old\n/$summary/r, 'the summary alone';
    my $plot = slurp("$tmp/pictures/bench-added-nginx.svg");
    ok eval { XML::LibXML->load_xml(string => $plot) }, 'a plot'
        or diag $@;

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
