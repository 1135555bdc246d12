# The examples of the documents: each configuration is loaded and receives its
# requests, each command prints the output shown. IRI::Guide explains the
# convention. Examples that another test runs, or none, are listed here.
#
#  prove -It/lib t/guides.t :: doc/hosts.md       one document
use IRI::Test;
use IRI::Guide 'run_guide';

my $top = "$FindBin::Bin/..";
chdir $top or die "$top: $!\n";
plan skip_all => 'no module is built'
    if !grep { !missing($_) } qw(nginx httpd);

# Documents whose blocks in these languages are run by another test, which is
# named here.
my %ELSEWHERE = (
    'README.md'            => ['t/readme.t', qw(text)],
    'doc/variables.md'     => ['t/vars-guide.t', qw(nginx apache)],
    'doc/migration.md'     => ['t/migration.t', qw(nginx apache console)],
    'doc/examples/applications.md' => ['t/applications.t',
        qw(nginx apache)],
    'doc/library.md'       => ['t/library.t', qw(sh)],
    'doc/versions.md'      => ['t/versions.t', qw(sh)],
);

# Blocks that are not run, by the document and a word of them, and the reason.
my %NOT_RUN = (
    'doc/status.md' => [[yaml => 'is for Prometheus: t/status.t asks for the '
        . 'same address']],
);

my @documents = @ARGV ? @ARGV
    : ('README.md', 'CONTRIBUTING.md', 'SECURITY.md', glob('doc/*.md'),
        glob('doc/*/*.md'));

for my $document (@documents) {
    my ($test, @languages) = @{ $ELSEWHERE{$document} // [] };
    like slurp($test), qr/\Q$document\E/, "$document: $test runs it" if $test;
    my @left = run_guide($document, slurp($document), @languages,
        map { $_->[0] } @{ $NOT_RUN{$document} // [] });
    is "@left", '', "$document: all of it was run";
}

# Example configurations that are copied unchanged give access to nobody
# unintended.
subtest 'none is open to the world' => sub {
    my %needs = (
        'writing'    => [qr/^\s*(?:dav_methods|Dav\s+On)\b/m,
            qr/^\s*(?:auth_basic_user_file|Require\s+valid-user|limit_except)/m],
        'the status' => [qr/^\s*(?:location\b.*)?(?:iri_status;|SetHandler\s+iri-status)/m,
            qr/deny\s+all;|Require\s+(?:local|ip)\b/],
    );
    my %seen;
    for my $file ('README.md', glob 'doc/*.md doc/examples/*/*.conf') {
        my $text  = slurp($file);
        my @confs = $file =~ /conf$/ ? $text
            : $text =~ /^```(?:nginx|apache)\n(.*?)^```$/msg;
        for my $conf (@confs) {
            for my $need (sort keys %needs) {
                my ($has, $wants) = @{ $needs{$need} };
                next if $conf !~ $has;
                $seen{$need}++;
                like $conf, $wants, "$file: $need";
            }
        }
    }
    is_deeply [sort keys %seen], [sort keys %needs],
        'there are such configurations';
};

# Each site has a configuration for both servers, and each denies something.
my $examples = slurp('doc/examples/README.md');
my @files    = glob 'doc/examples/*/*.conf';
is scalar @files, 12, 'examples: six sites, two servers';
for my $file (@files) {
    my ($name) = $file =~ m{doc/examples/(.*)};
    like $examples, qr/^- .*\(\Q$name\E\)$/m, "$name is in the document";
    like slurp($file), qr/denied|deny +all|Require +ip/, "$name denies";
}

done_testing;
