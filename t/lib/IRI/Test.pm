# All that a test file needs of the library, with Test::More, strict and
# warnings. A file that names what it needs is skipped without it: nginx, httpd
# or core. At the end the error log of each server is checked.
#
#   use IRI::Test 'nginx';
#
#   my ($root) = make_tree('mixed');
#   my $server = nginx(root => $root, conf => <<'END');
#   server { listen 127.0.0.1:%%PORT%%; root %%ROOT%%; iri on; }
#   END
#   is $server->get("/caf\xC3\xA9.html")->status, 200, 'native';
#   done_testing;
#
# A program that is no test imports the functions that it names.
package IRI::Test;
use strict;
use warnings;
use Exporter ();
use FindBin ();
use IRI::Cases ();
use IRI::Httpd;
use IRI::Nginx;
use IRI::Octets qw(octets escaped);
use IRI::Rows 'rows_are';
use IRI::Server qw(build_dir capture free_port slurp spew temp_dir);
use IRI::Tree 'make_tree';
use Test::More ();

our @ISA    = 'Exporter';
our @EXPORT = qw(build_dir capture colliding cpu_of done_testing each_server
    escaped free_port httpd httpd_t make_tree missing nginx nginx_t octets
    quoted rows_are seed slurp spew temp_dir vhost);

sub import {
    my ($class, @names) = @_;
    my @needed = grep { /^(?:nginx|httpd|core)$/ } @names;
    return $class->export_to_level(1, $class, @names) if @names > @needed;
    strict->import;
    warnings->import;
    Test::More->builder->exported_to(scalar caller);
    Test::More->export_to_level(1, 'Test::More',
        grep { $_ ne 'done_testing' } @Test::More::EXPORT);
    $class->export_to_level(1, $class);
    for my $lack (grep { defined } map { missing($_) } @needed) {
        Test::More::plan(skip_all => $lack);
    }
    return;
}

# Test::More's, after a check of all error logs that the test has not read.
sub done_testing {
    my @unexpected = IRI::Server::unread_errors();
    Test::More::is_deeply(\@unexpected, [], 'error logs');
    return Test::More::done_testing();
}

# A subtest for each server, with its name; skipped if the server is missing.
sub each_server {
    my ($code) = @_;
    for my $name (qw(nginx httpd)) {
        Test::More::subtest($name => sub {
            my $lack = missing($name);
            Test::More::plan(skip_all => $lack) if $lack;
            $code->($name);
        });
    }
    return;
}

# Starts a private nginx; options in IRI::Nginx.
sub nginx { return IRI::Nginx->new(@_)->start }

# Starts a private httpd; options in IRI::Httpd.
sub httpd { return IRI::Httpd->new(@_)->start }

# Checks a configuration with `nginx -t`: exit code and output.
sub nginx_t {
    my ($conf, %option) = @_;
    return IRI::Nginx->new(conf => $conf, %option)->check;
}

# The same for `apache2 -t`.
sub httpd_t {
    my ($conf, %option) = @_;
    return IRI::Httpd->new(conf => $conf, %option)->check;
}

# A <VirtualHost> of httpd. names: its ServerName and, behind it, aliases;
# root: its DocumentRoot; options: conf, further lines; port, "two" for
# %%PORTtwo%%, or a list of such.
sub vhost {
    my ($names, $root, %option) = @_;
    my ($name, @aliases) = split ' ', $names;
    my $port  = $option{port} // '';
    my @lines = map { "127.0.0.1:%%PORT$_%%" } ref $port ? @$port : $port;
    @lines = "<VirtualHost @lines>";
    push @lines, "    ServerName $name" if defined $name;
    push @lines, "    ServerAlias @aliases" if @aliases;
    push @lines, "    DocumentRoot \"$root\"" if defined $root;
    push @lines, $option{conf} if defined $option{conf};
    return join "\n", @lines, "</VirtualHost>\n";
}

# What a test of 'nginx', 'httpd' or 'core' lacks here, for skip_all; undef if
# nothing. With stock => 1 our module is not required.
sub missing {
    my ($component, %option) = @_;
    if ($component eq 'core') {
        return -x build_dir() . '/iri' ? undef : 'build/iri is not built';
    }
    my $class = $component eq 'nginx' ? 'IRI::Nginx' : 'IRI::Httpd';
    return "no $component" if !$class->binary;
    return if $option{stock} || -e $class->module || $class->has_inside;
    return "the module for $component is not built";
}

# Names of 28 octets with one hash by times-33, APR's default, for any start
# value: "Ez" and "FY" collide. And as many others that do not collide.
sub colliding {
    my ($count, $is_ordinary) = @_;
    return map {
        my $i = $_;
        $is_ordinary ? sprintf '%028d', $i * 7919 % 1_000_003
            : join '', map { $i >> $_ & 1 ? 'Ez' : 'FY' } 0 .. 13
    } 0 .. $count - 1;
}

# The processor time, in seconds, of the child processes that code starts and
# awaits.
sub cpu_of {
    my ($code) = @_;
    my (undef, undef, @before) = times;
    $code->();
    my (undef, undef, @after) = times;
    return $after[0] + $after[1] - $before[0] - $before[1];
}

# The quoted words of a message, and its positions (LINE5), in order: tests
# compare these and not the sentence.
sub quoted { return join ' ', $_[0] =~ /"[^"]*"|LINE\d+/g }

# The seed of a random test: IRI_SEED; by default constant for a sample, so
# that `make test` is reproducible, and different each time for a long run.
sub seed {
    my ($is_long) = @_;
    return $ENV{IRI_SEED} // ($is_long ? (time ^ $$) % 1_000_000 : 1);
}

1;
