# A private Apache httpd.
package IRI::Httpd;
use strict;
use warnings;
use parent 'IRI::Server';
use IRI::Server qw(build_dir capture program slurp spew worker_user);

my @DEFAULT_MODULES = qw(authz_core authz_host authn_core dir mime alias);

# Modules that Debian compiles in and other builds load. User and Group belong
# to mod_unixd.
my @OFTEN_STATIC = qw(unixd log_config logio version watchdog);

# Options beside those of all servers: conf, text after the general part
# (every %%PORT...%% in it gets its Listen line); mpm, event (default),
# worker or prefork; modules, names of further stock modules, e.g. 'rewrite';
# h2 => 1 for HTTP/2 without TLS beside HTTP/1.1. Our module is loaded if it
# is there and stock is not set. Nothing runs before start().
sub new {
    my ($class, %option) = @_;
    my $self = $class->prepare([qw(mpm h2)], %option);
    mkdir "$self->{tmp}/run";
    spew("$self->{tmp}/mime.types", "text/html html\ntext/plain txt\n");
    $self->write_conf;
    return $self;
}

# httpd's program (IRI_HTTPD), undef if there is none.
sub binary { return program('IRI_HTTPD', 'apache2', 'httpd') }

# The file of our module.
sub module { return build_dir() . '/mod_iri.so' }

# Our module is never compiled into httpd.
sub has_inside { return 0 }

# Writes the configuration; the ports are known only after the caller's text is
# expanded.
sub write_conf {
    my ($self) = @_;
    my $conf = $self->expand("# %%PORT%%\n" . ($self->{conf} // ''));
    my $text = $self->expand($self->general) . $conf;
    spew("$self->{tmp}/httpd.conf", $text);
    return;
}

# The part that every private httpd needs.
sub general {
    my ($self) = @_;
    my $modules = $self->load_lines;
    my $level   = $self->{log_level} // 'warn';
    my $listen  = join '', map { "Listen 127.0.0.1:$_\n" }
        sort values %{ $self->{ports} };
    my ($user, $group) = worker_user();
    my $users = $user ? "User $user\nGroup $group\n" : "";
    my $protocols =
        $self->{h2} ? "Protocols h2c http/1.1\n" : "Protocols http/1.1\n";
    return <<"END";
ServerRoot "%%TMP%%"
DefaultRuntimeDir "%%TMP%%/run"
PidFile "%%TMP%%/httpd.pid"
Mutex "file:%%TMP%%/run" default
ErrorLog "%%TMP%%/error.log"
LogLevel $level
$listen
$modules
$users
<IfModule mod_cgid.c>
    ScriptSock "%%TMP%%/run/cgisock"
</IfModule>
TypesConfig "%%TMP%%/mime.types"
LogFormat "%h %l %u %t \\"%r\\" %>s %b" common
CustomLog "%%TMP%%/access.log" common
StartServers 1
<IfModule mpm_prefork_module>
    ServerLimit 16
    MaxRequestWorkers 16
</IfModule>
<IfModule !mpm_prefork_module>
    ServerLimit 2
    ThreadsPerChild 16
    MinSpareThreads 1
    MaxRequestWorkers 32
</IfModule>
GracefulShutdownTimeout 1
KeepAliveTimeout 30
MaxKeepAliveRequests 0
$protocols
ServerName localhost
DocumentRoot "%%ROOT%%"
<Directory "/">
    Options FollowSymLinks
    AllowOverride None
    Require all granted
</Directory>
END
}

# LoadModule lines: the MPM, the stock modules that are not compiled in, and
# ours. Modules are where IRI_HTTPD_MODULES says, else where Debian has them.
sub load_lines {
    my ($self) = @_;
    my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
    my $static = compiled_in();
    my $mpm    = $self->{mpm} // 'event';
    my @names  = ((grep { -e "$folder/mod_$_.so" } @OFTEN_STATIC),
        @DEFAULT_MODULES, @{ $self->{modules} // [] });
    push @names, 'http2' if $self->{h2};
    unshift @names, "mpm_$mpm"
        if !grep { $static->{$_} } qw(event worker prefork);
    my (%seen, $lines);
    for my $name (@names) {
        next if $static->{$name} || $static->{"mod_$name"} || $seen{$name}++;
        $lines .= "LoadModule ${name}_module $folder/mod_$name.so\n";
    }
    $lines .= 'LoadModule iri_module ' . module() . "\n"
        if !$self->{stock} && -e module();
    return $lines;
}

# The names of the modules compiled into the program, queried once.
my $compiled_in;
sub compiled_in {
    return $compiled_in if $compiled_in;
    my ($code, $out) = capture('', binary() // die("no httpd\n"), '-l');
    return $compiled_in = { map { $_ => 1 } $out =~ /(\w+)\.c$/mg };
}

# -X is not used: with one worker some effects would not appear.
sub command {
    my ($self) = @_;
    my $tmp = $self->{tmp};
    return (binary() // die("no httpd\n"),
        '-d', $tmp, '-f', "$tmp/httpd.conf", '-D', 'FOREGROUND');
}

sub error_pattern {
    my ($self, $levels) = @_;
    return qr/\[[\w-]*:(?:$levels)\] \[pid/;
}

# A graceful stop: where connections are open, TERM now and then ends a child
# of httpd 2.4.71 by a segmentation fault inside its event MPM, which errors()
# would report.
sub stop_signal { return 'WINCH' }

# A single child may be the cgid daemon, which runs before httpd handles
# signals. Until it has made its socket, programs get 503.
sub is_up {
    my ($self) = @_;
    return 0 if $self->log_text !~ /resuming normal operations/;
    return 1 if slurp("$self->{tmp}/httpd.conf") !~ /\bcgid_module\b/;
    my @sockets = glob "$self->{tmp}/run/cgisock*";
    return scalar @sockets;
}

# Replaces the caller's text (if one is given) and restarts gracefully. True
# once httpd serves again; a bad configuration ends it, as httpd does. An old
# child accepts connections until it notices the restart, so it must have
# ended, unless a request keeps it for ten seconds.
sub reload {
    my ($self, $conf) = @_;
    my @old = $self->children;
    $self->restart($conf) or return 0;
    my $deadline = time + 10;
    $self->wait_for(sub {
        my %now = map { $_ => 1 } $self->children;
        return time > $deadline || !grep { $now{$_} } @old;
    });
    return $self->alive;
}

# The same, but old children may still answer.
sub restart {
    my ($self, $conf) = @_;
    $self->{conf} = $conf if defined $conf;
    $self->write_conf;
    my $resumed = sub {
        return scalar(() = $self->log_text =~ /resuming normal operations/g);
    };
    my $before = $resumed->();
    kill 'USR1', $self->{pid};
    return $self->wait_for(sub { $resumed->() > $before });
}

1;
