# A constant sample of the random configurations of t/configs; all of it: make
# configs. IRI_SEED gives others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Server 'capture';
use IRI::Test;
use Test::More;

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
