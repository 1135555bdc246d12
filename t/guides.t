# What the documents show is run: each configuration is loaded and asked, each
# command prints what stands below it. IRI::Guide explains the convention. What
# is run by another test, or by none, is named here.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Guide 'run_guide';
use IRI::Test;
use Test::More;

my $top = "$FindBin::Bin/..";
chdir $top or die "$top: $!\n";
plan skip_all => 'no module is built'
    if !grep { !missing($_) } qw(nginx httpd);

my @documents = @ARGV ? @ARGV : ('README.md');

for my $document (@documents) {
    my @left = run_guide($document, slurp($document));
    is "@left", '', "$document: all of it was run";
}

done_testing;
