# Applications of Debian behind both servers, with the configurations of
# doc/examples/applications.md: each request of its tables is made with the
# module and, for the column "stock", without it. An application whose packages
# are missing is left out; IRI_APPLICATIONS=all runs more than Django.
# `make applications` installs and runs all of them.
#
#  prove -It/lib t/applications.t :: WordPress DokuWiki
use IRI::Test;
use IRI::Application;
use IRI::Guide qw(check_answer parse send_request);

my $document = "$FindBin::Bin/../doc/examples/applications.md";
my %wanted   = map { $_ => 1 } @ARGV ? @ARGV : 'Django';
my $is_long  = ($ENV{IRI_APPLICATIONS} // '') eq 'all';
my @kinds    = grep { !missing($_) } qw(nginx httpd);
# The files that are included; a self-built nginx may have none.
@kinds = grep { $_ ne 'nginx' } @kinds if !-e '/etc/nginx/fastcgi.conf';
plan skip_all => 'no module is built' if !@kinds;

# A server with a configuration of the document; stock => 1: without the
# module and its directives.
sub server {
    my ($application, $kind, $conf, %option) = @_;
    my $base = $application->base;
    my $port = $application->port;
    $conf =~ s/^\s*iri\w*\s.*\n//mgi if $option{stock};
    $conf =~ s{/srv/}{$base/srv/}g;
    $conf =~ s/127\.0\.0\.1:9000/127.0.0.1:$port/g;
    $conf =~ s{include\s+\K}{/etc/nginx/}g;
    return IRI::Guide->can("start_$kind")->("$base/srv", $conf, %option,
        # refused requests
        expect => qr/AH01630|access forbidden by rule/);
}

sub requests {
    my ($server, $name, $table, $column) = @_;
    my %cell;
    for my $row (@{ $table->{rows} }) {
        @cell{ @{ $table->{head} } } = @$row;
        for my $how (split /, */, $cell{'written in'}) {
            check_answer(send_request($server, $cell{request}, $how),
                $cell{$column}, "$name: $cell{request}, $how");
        }
    }
    return;
}

my ($name, %conf);
for my $item (parse(slurp($document))) {
    if ($item->{kind} eq 'heading') {
        ($name, %conf) = $item->{text};
    }
    elsif ($item->{kind} eq 'fence') {
        $conf{ $item->{language} eq 'nginx' ? 'nginx' : 'httpd' }
            = $item->{text};
    }
    elsif ($item->{kind} eq 'table' && ($is_long || $wanted{$name})) {
        subtest $name => sub {
            my $lacks = IRI::Application::lacks(lc $name);
            plan skip_all => "$lacks: .ci/deps --install applications"
                if $lacks;
            my $application = IRI::Application->start(lc $name);
            for my $kind (@kinds) {
                for my $stock (1, 0) {
                    my $server = server($application, $kind, $conf{$kind},
                        stock => $stock);
                    requests($server, $stock ? "stock $kind" : "$kind, iri",
                        $item, $stock ? 'stock' : 'answer');
                }
            }
        };
    }
}

done_testing;
