# An application from Debian behind the servers under test. Its data are in a
# temporary directory; its programs run as the user of the servers' workers and
# are stopped by their process ids.
#
#   my $wiki = IRI::Application->start('dokuwiki');
#   $wiki->base;           # /srv/dokuwiki of the examples is below it
#   $wiki->port;           # it speaks FastCGI; Django speaks uwsgi
#   $wiki->port('http');   # Django also speaks HTTP
#
# The files of t/applications/ are settings, and programs that make the pages.
package IRI::Application;
use strict;
use warnings;
use parent 'IRI::Server';
use File::Basename 'dirname';
use File::Path 'make_path';
use File::Spec::Functions 'rel2abs';
use IRI::Server qw(capture free_port program slurp spew temp_dir worker_user);

my $FILES = rel2abs(dirname(__FILE__) . '/../../applications');
my $SHARE = '/usr/share';

# What each needs of the system.
my %NEEDS = (
    dokuwiki  => ["$SHARE/dokuwiki", 'php', \&fpm],
    mediawiki => ["$SHARE/mediawiki", 'php', \&fpm],
    laravel   => ["$SHARE/php/Illuminate/Routing", 'php', \&fpm],
    wordpress => ["$SHARE/wordpress", 'php', \&fpm, 'mariadb-install-db'],
    django    => ['/usr/lib/python3/dist-packages/django', 'uwsgi-core'],
);

# What is missing for one; undef if nothing is.
sub lacks {
    my ($name) = @_;
    for my $need (@{ $NEEDS{$name} }) {
        next if ref $need ? $need->() : $need =~ m{^/} ? -e $need
            : program('', $need);
        return 'no ' . (ref $need ? 'php-fpm' : $need);
    }
    return;
}

# The name of php-fpm has the version of PHP.
sub fpm { return (sort map { glob "$_/php-fpm[0-9]*" } '/usr/sbin')[-1] }

# Installs the application, makes its pages and starts it.
sub start {
    my ($class, $name) = @_;
    my $base = temp_dir();
    my $self = $class->prepare([], tmp => $base, root => "$base/srv",
        stock => 1, conf => '');
    $self->{data} = "$base/data";
    $self->{srv}  = "$base/srv/$name";
    make_path($self->{data}, $self->{srv});
    chmod 0700, $self->{data};
    my ($user) = worker_user();
    system 'chown', '-R', $user, $self->{data}, $self->{srv} if $user;
    $self->{command} = [$self->can($name)->($self)];
    return $self->SUPER::start;
}

sub base    { return $_[0]{tmp} }
sub command { return as_worker(@{ $_[0]{command} }) }
sub is_up   { return 1 }

# Nothing of its log is an error of the servers.
sub error_pattern { return qr/(?!)/ }

# A command that the user of the workers executes.
sub as_worker {
    my ($user, $group) = worker_user() or return @_;
    return ('setpriv', "--reuid=$user", "--regid=$group", '--clear-groups',
        @_);
}

# Runs a command to its end, with text as its input.
sub run {
    my ($self, $input, @command) = @_;
    local $ENV{IRI_APPLICATION} = $self->{tmp};
    my ($code, $out, $err) = capture($input, as_worker(@command));
    die "@command: exit code $code\n$out$err" if $code;
    return $out;
}

sub php {
    my ($self, @arguments) = @_;
    return $self->run('', 'php', '-d', "auto_prepend_file=$FILES/private.php",
        @arguments);
}

# ---- applications in PHP -----------------------------------------------------

# A configuration for php-fpm; returns its command.
sub pool {
    my ($self) = @_;
    spew("$self->{tmp}/fpm.conf", $self->expand(<<"END"));
[global]
daemonize = no
error_log = $self->{data}/fpm.log
[www]
listen = 127.0.0.1:%%PORT%%
pm = static
pm.max_children = 2
catch_workers_output = yes
env[IRI_APPLICATION] = $self->{tmp}
php_admin_value[auto_prepend_file] = $FILES/private.php
END
    return (fpm(), '--nodaemonize', '--fpm-config', "$self->{tmp}/fpm.conf");
}

# Links to the files of a package, without those that are named.
sub link_package {
    my ($self, $name, @without) = @_;
    my %skip = map { $_ => 1 } @without;
    for my $path (glob "$SHARE/$name/*") {
        my ($file) = $path =~ m{([^/]+)$};
        symlink $path, "$self->{srv}/$file" if !$skip{$file};
    }
    return;
}

sub dokuwiki {
    my ($self) = @_;
    $self->link_package('dokuwiki', 'install.php');
    $self->php("$FILES/dokuwiki.php");
    return $self->pool;
}

sub mediawiki {
    my ($self) = @_;
    my $data = $self->{data};
    $self->link_package('mediawiki', qw(LocalSettings.php config images
        mw-config));
    $self->php("$SHARE/mediawiki/maintenance/install.php", '--dbtype=sqlite',
        "--dbpath=$data", "--confpath=$data", '--server=http://localhost',
        '--scriptpath=', '--lang=en', '--pass=secret-of-the-wiki', 'Wiki',
        'Admin');
    $self->php("$FILES/mediawiki.php");
    return $self->pool;
}

sub laravel {
    my ($self) = @_;
    symlink "$FILES/laravel.php", "$self->{srv}/index.php";
    return $self->pool;
}

sub wordpress {
    my ($self) = @_;
    my $data = $self->{data};
    $self->link_package('wordpress', qw(wp-config.php wp-content));
    $self->run('', 'mariadb-install-db', '--no-defaults', "--datadir=$data/db",
        '--auth-root-authentication-method=normal', '--skip-test-db');
    $self->{database} = IRI::Application::Database->start("$data/db");
    $self->php("$FILES/wordpress.php");
    return $self->pool;
}

sub django {
    my ($self) = @_;
    $self->{ports}{http} //= free_port();
    return ('env', "IRI_APPLICATION=$self->{tmp}", 'uwsgi-core',
        '--plugin', 'python3', '--uwsgi-socket', $self->expand(
            '127.0.0.1:%%PORT%%'),
        '--http-socket', "127.0.0.1:$self->{ports}{http}",
        '--wsgi-file', "$FILES/django_site.py", '--die-on-term', '--master',
        '--need-app', '--disable-logging');
}

sub stop {
    my ($self) = @_;
    $self->SUPER::stop;
    $self->{database}->stop if $self->{database};
    return;
}

# A database server at a socket that only its user can open.
package IRI::Application::Database;
use strict;
use warnings;
our @ISA = 'IRI::Application';

sub start {
    my ($class, $directory) = @_;
    my $self = $class->prepare([], stock => 1, conf => '');
    $self->{socket}  = "$directory/socket";
    $self->{command} = ['mariadbd', '--no-defaults', "--datadir=$directory",
        "--socket=$self->{socket}", '--skip-networking'];
    return $self->IRI::Server::start;
}

sub listens { return -S $_[0]{socket} }

1;
