# A sample of the tables of t/cases over HTTP/2 (h2c), on both servers.
use IRI::Test;
use IRI::Cases;

# All cases except those that HTTP/2 cannot express.
my %table = map { $_ => "$FindBin::Bin/cases/$_.tsv" }
    qw(forms identity refuse redirect);
my @cases = grep { $_->{target} =~ m{^/} && $_->{method} ne 'PUT'
        && $_->{id} !~ /^ms-/ }
    IRI::Cases::load(map { $table{$_} } sort keys %table);

each_server(sub { IRI::Cases->can("run_$_[0]")->(\@cases, proto => 'h2') });
done_testing;
