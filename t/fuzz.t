# The corpus of each fuzz target (t/fuzz/README.md), built with a plain
# compiler: former findings and inputs that reach every edge are judged again,
# then random variations of them.
use IRI::Test;

my $FUZZ    = "$FindBin::Bin/fuzz";
my @TARGETS = map { m{fuzz_(\w+)\.c$} } glob "$FUZZ/fuzz_*.c";
my $README  = slurp("$FUZZ/README.md");

cmp_ok scalar @TARGETS, '>', 6, 'there are targets';
for my $name (@TARGETS) {
    my $replay = build_dir() . "/t/replay_$name";
    my $corpus = "$FUZZ/corpus/$name.txt";
    like $README, qr/^\| `$name` \|/m, "$name has its line in README.md";
  SKIP: {
        skip "$replay is not built", 2 if !-x $replay;
        my $inputs = grep { !/^#/ } split /\n/, slurp($corpus), -1;
        $inputs-- if slurp($corpus) =~ /\n\z/;
        cmp_ok $inputs, '>', 10, "$name has a corpus";
        my ($code, $output, $wrong) = capture('', $replay, '-r', 20000,
            $corpus);
        is "$code $output", "0 $inputs inputs\n", "$name holds"
            or diag $wrong;
    }
}

# A failing input ends the program, which prints the input.
SKIP: {
    my $replay = build_dir() . '/t/replay_read';
    skip 'replay_read is not built', 1 if !-x $replay;
    my ($code) = capture('', $replay, "$FUZZ/corpus/none.txt");
    is $code, 1, 'a file that is not there';
}
done_testing;
