# A private nginx.
package IRI::Nginx;
use strict;
use warnings;
use parent 'IRI::Server';
use IRI::Server qw(build_dir program spew worker_user);

# Options beside those of all servers: conf, the text of http{}; main, text
# before everything else; workers; master => 0 for a single process; modules,
# file names of stock dynamic modules. Our module is loaded if it is there
# and stock is not set. Nothing runs before start().
sub new {
    my ($class, %option) = @_;
    my $self = $class->prepare([qw(main workers master)], %option);
    mkdir "$self->{tmp}/logs";    # for messages before error_log is read
    spew("$self->{tmp}/nginx.conf", $self->expand($self->text));
    return $self;
}

# nginx's program (IRI_NGINX), undef if there is none.
sub binary { return program('IRI_NGINX', 'nginx') }

# The file of our module.
sub module { return build_dir() . '/ngx_http_iri_module.so' }

# Is our module compiled into the program by --add-module?
sub has_inside {
    return scalar `@{[binary()]} -V 2>&1` =~ /--add-module=/;
}

# The whole configuration.
sub text {
    my ($self) = @_;
    my @users   = worker_user();
    my $users   = @users ? "user @users;" : "";
    my @modules = map { m{/} ? $_ : module_dir() . "/$_" }
        @{ $self->{modules} // [] };
    push @modules, module() if !$self->{stock} && -e module();
    my $load    = join '', map { "load_module $_;\n" } @modules;
    my $main    = $self->{main}      // '';
    my $level   = $self->{log_level} // 'notice';
    my $workers = $self->{workers}   // 1;
    my $master  = ($self->{master}   // 1) ? 'on' : 'off';
    my $temp    = join '', map { "    ${_}_temp_path %%TMP%%/$_;\n" }
        qw(client_body proxy fastcgi uwsgi scgi);
    return <<"END";
$load$main
daemon off;
master_process $master;
worker_processes $workers;
$users
pid %%TMP%%/nginx.pid;
error_log %%TMP%%/error.log $level;
events { worker_connections 512; }
http {
    access_log %%TMP%%/access.log;
$temp
$self->{conf}
}
END
}

# The version as a number: 1.022001 for 1.22.1. Angie, freenginx and Tengine
# report in -V the nginx that they are based on.
my $version;

sub version {
    return $version if $version;
    my $text = `@{[binary() // die("no nginx\n")]} -V 2>&1`;
    my @parts = $text =~ m{nginx/(\d+)\.(\d+)\.(\d+)} or die "$text\n";
    return $version = sprintf '%d.%03d%03d', @parts;
}

# Since 1.29.4 nginx itself answers 400 to a Host with a character that a URI
# has only percent-encoded.
sub refuses_raw_host { return version() >= 1.029_004 }

# A host in a form that this nginx accepts: as it is, or percent-encoded.
sub sent_host {
    my ($host) = @_;
    return $host if !refuses_raw_host();
    return $host
        =~ s/([^!\$%&'()*+,.:;=_~\[\]\w-])/sprintf '%%%02X', ord $1/gear;
}

# Where the dynamic modules of this nginx are.
sub module_dir {
    my $binary = binary();
    return `$binary -V 2>&1` =~ /--modules-path=(\S+)/ ? $1 : 'modules';
}

# The file of dav-ext, Debian's module for PROPFIND and locks; none if it is
# not there.
sub dav_ext { return grep { -e } module_dir() . '/ngx_http_dav_ext_module.so' }

sub command {
    my ($self) = @_;
    my $tmp = $self->{tmp};
    my @log = version() < 1.019_005 ? () : ('-e', "$tmp/error.log");
    return (binary() // die("no nginx\n"),
        '-p', "$tmp/", '-c', "$tmp/nginx.conf", @log);
}

# A single process has no child.
sub is_up {
    my ($self) = @_;
    return !($self->{master} // 1) || $self->SUPER::is_up;
}

sub error_pattern {
    my ($self, $levels) = @_;
    return qr/\[(?:$levels)\] \d+#/;
}

# Replaces the text of http{} (if one is given) and reloads the configuration.
# True once new workers run and the old ones have ended.
sub reload {
    my ($self, $conf) = @_;
    $self->{conf} = $conf if defined $conf;
    spew("$self->{tmp}/nginx.conf", $self->expand($self->text));
    my $workers = $self->{workers} // 1;
    my $wanted  = count($self->log_text, 'start worker process \d')
        + $workers;
    my $gone = count($self->log_text, 'worker process \d+ exited') + $workers;
    my $failed = count($self->log_text, '\[emerg\]');
    kill 'HUP', $self->{pid};
    return $self->wait_for(sub {
        my $log = $self->log_text;
        return 1 if count($log, '\[emerg\]') > $failed;
        return count($log, 'start worker process \d') >= $wanted
            && count($log, 'worker process \d+ exited') >= $gone;
    }) && count($self->log_text, '\[emerg\]') == $failed;
}

# How often a pattern occurs in a text.
sub count {
    my ($text, $pattern) = @_;
    return scalar(() = $text =~ /$pattern/g);
}

1;
