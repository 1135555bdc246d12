# The tables of t/cases against the core, by `iri explain`.
use IRI::Test 'core';
use IRI::Cases;

IRI::Cases::run_core([IRI::Cases::load(glob "$FindBin::Bin/cases/*.tsv")]);
done_testing;
