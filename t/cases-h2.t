# A sample of the tables of t/cases over HTTP/2 (h2c), on both servers.
use IRI::Test;
use IRI::Cases;

# All cases except those that HTTP/2 cannot express.
my %table = map { $_ => "$FindBin::Bin/cases/$_.tsv" }
    qw(forms identity refuse redirect);
my @cases = grep { $_->{target} =~ m{^/} && $_->{method} ne 'PUT'
        && $_->{id} !~ /^ms-/ }
    IRI::Cases::load(map { $table{$_} } sort keys %table);

for my $server (qw(nginx httpd)) {
    my $run = IRI::Cases->can("run_$server");
  SKIP: {
        my $missing = missing($server);
        skip $missing, 1 if $missing;
        subtest $server => sub { $run->(\@cases, proto => 'h2') };
    }
}
done_testing;
