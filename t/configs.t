# A constant sample of the random configurations of t/configs; all of it: make
# configs. IRI_SEED gives others.
use IRI::Test;
use IRI::Server 'capture';

for my $kind (qw(nginx httpd)) {
    SKIP: {
        my $missing = missing($kind);
        skip $missing, 1 if $missing;
        my ($code, $out, $err) = capture('', $^X,
            "$FindBin::Bin/configs/configs", "--server=$kind",
            '--configs=120', '--batch=60', '--shrink=3',
            '--seed=' . ($ENV{IRI_SEED} // 1));
        is($code, 0, "$kind: random configurations") or diag $out, $err;
        note $out;
    }
}
done_testing;
