# doc/examples/README.md: each configuration of the six sites, unchanged, with
# the tree of its table, and requests in the forms that it describes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Guide 'run_guide';
use IRI::Test;
use Test::More;

chdir "$FindBin::Bin/.." or die "$!\n";
plan skip_all => 'no module is built'
    if !grep { !missing($_) } qw(nginx httpd);

my $document = 'doc/examples/README.md';
my $text     = slurp($document);
my @left     = run_guide($document, $text);
is "@left", '', 'all examples were run';

# Each site has a configuration for both servers, and each denies something.
my @files = glob 'doc/examples/*/*.conf';
is scalar @files, 12, 'six sites, two servers';
for my $file (@files) {
    my ($name) = $file =~ m{doc/examples/(.*)};
    like $text, qr/^- .*\(\Q$name\E\)$/m, "$name is in the document";
    like slurp($file), qr/denied|deny +all|Require +ip/, "$name denies";
}

done_testing;
