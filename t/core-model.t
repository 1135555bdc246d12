# The core compared with the slow model of t/fuzz/model.h: cases of constant
# seeds. `make model` runs many more.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my $MODEL = build_dir() . '/t/model';
plan skip_all => "$MODEL is not built" if !-x $MODEL;

# With real words the same seeds give other cases than with the project's own
# words.
my $CASES = 6000;
for my $shared ("$FindBin::Bin/../../shared", "$FindBin::Bin/none") {
    local $ENV{IRI_SHARED} = $ENV{IRI_SHARED} // $shared;
    local $ENV{IRI_SHARED} = $shared if $shared =~ /none/;
    my ($code, $output, $wrong) = capture('', $MODEL, '-k', $CASES);
    is $code, 0, "$CASES cases" or diag substr $wrong, 0, 8000;
    my %count = $output =~ /(\w+) (\d+)/g;
    cmp_ok $count{searches}, '>', 3 * $CASES, 'cases with a search';
    cmp_ok $count{moved},    '>', $CASES / 20, 'cases with a restart';
    cmp_ok $count{judged} * 100, '<', $count{searches}, 'compared cases';
}
done_testing;
