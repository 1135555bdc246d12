# The tables of t/cases/fold: names that are found by width, case, accents or
# spelling, and names that must not be.
use IRI::Test;
use IRI::Cases;

my @cases = IRI::Cases::load(glob "$FindBin::Bin/cases/fold/*.tsv");

for my $runner (qw(core nginx httpd)) {
  SKIP: {
        my $missing = missing($runner);
        skip $missing, 1 if $missing;
        my $run = IRI::Cases->can("run_$runner");
        subtest $runner => sub { $run->(\@cases) };
    }
}

# A name that is found at a level is not found if that level is not ignored.
SKIP: {
    skip missing('core'), 1 if missing('core');
    subtest 'core, without the level' =>
        sub { IRI::Cases::run_core([IRI::Cases::without(@cases)]) };
}
done_testing;
