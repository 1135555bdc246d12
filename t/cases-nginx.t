# The tables of t/cases against nginx.
use IRI::Test 'nginx';
use IRI::Cases;

my @cases = IRI::Cases::load(glob "$FindBin::Bin/cases/*.tsv");
IRI::Cases::run_nginx([grep { $_->{id} !~ /^(?:pa|ms)-/ } @cases]);

# Rules that judge the canonical path.
IRI::Cases::run_nginx([grep { $_->{id} =~ /^pa-/ } @cases], server => <<'END');
location "/закрыто/" { deny all; }
location "/c3a9/denied/辿" { deny all; }
location ~ "(*UTF8)^/музей/" { }
END
# Slashes that are not merged: no Location names another authority.
IRI::Cases::run_nginx([grep { $_->{id} =~ /^ms-/ } @cases], server => <<'END');
merge_slashes off;
END
done_testing;
