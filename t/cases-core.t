# The tables of t/cases against the core, by `iri explain`.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Cases;
use IRI::Test;
use Test::More;

my $missing = missing('core');
plan skip_all => $missing if $missing;
IRI::Cases::run_core([IRI::Cases::load(glob "$FindBin::Bin/cases/*.tsv")]);
done_testing;
