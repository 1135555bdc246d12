# The tables of t/cases against httpd.
use IRI::Test 'httpd';
use IRI::Cases;

my @cases = IRI::Cases::load(glob "$FindBin::Bin/cases/*.tsv");
IRI::Cases::run_httpd([grep { $_->{id} !~ /^(?:pa|pi|ms)-/ } @cases]);

# Rules that judge the canonical path.
IRI::Cases::run_httpd([grep { $_->{id} =~ /^pa-/ } @cases], server => <<'END');
<Location "/закрыто/">
    Require all denied
</Location>
<Location "/c3a9/denied/辿.txt">
    Require all denied
</Location>
END

# The part after a file is PATH_INFO; httpd serves the file in any case.
IRI::Cases::run_httpd([grep { $_->{id} =~ /^pi-/ } @cases], server => <<'END');
AcceptPathInfo On
END
# Slashes that are not merged: no Location names another authority.
IRI::Cases::run_httpd([grep { $_->{id} =~ /^ms-/ } @cases], server => <<'END');
MergeSlashes Off
END
done_testing;
