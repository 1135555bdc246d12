# The servers that are measured: one process, no access log, unlimited
# connections, few modules. Roles for Nginx and Httpd below: the cost of a
# request in instructions (counted by callgrind, read by vgdb while the server
# runs) and in system calls (by an attached strace).
package IRI::Bench::Server;
use strict;
use warnings;
use Exporter 'import';
use IRI::Bench::Profile;
use IRI::Server qw(slurp worker_user);
use POSIX ();
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(columns total);

# The columns of the groups that measure workers or starts: nginx, httpd.
my @COLUMNS = (
    [bare => 'stock', 'stock'],
    [off  => 'iri off;', 'IRIEngine Off'],
    [on   => 'iri on;', 'IRIEngine On'],
    [charsets => 'iri on; iri_charset Shift_JIS EUC-JP windows-1251; '
        . 'iri_match case;', "IRIEngine On\n"
        . "IRICharset Shift_JIS EUC-JP windows-1251\nIRIMatch case"],
);

sub columns { return @COLUMNS }

# The sum of all calls of a request.
sub total {
    my ($calls) = @_;
    my $sum = 0;
    $sum += $_ for values %$calls;
    return sprintf '%.0f', $sum;
}

# Timeout of a response below callgrind, where a directory of a million names
# is read.
my $PATIENCE = 600;
# Time limit for all responses of one figure.
my $ENOUGH = 5;

my @AGENT = (headers => ['User-Agent' => 'bench']);

# Creates a server: 'nginx', 'event', or 'prefork' or 'httpd', which is
# prefork. Options: those of IRI::Nginx or IRI::Httpd; tool, 'callgrind' or
# undef; whole, with all its processes and threads.
sub new_server {
    my ($server_kind, %option) = @_;
    my $tool  = delete $option{tool};
    my $class = $server_kind eq 'nginx' ? 'IRI::Bench::Nginx'
        : 'IRI::Bench::Httpd';
    $option{mpm} = 'event' if $server_kind eq 'event';
    my $self  = $class->new(%option);
    $self->{tool} = $tool // '';
    return $self->start if $self->{whole};
    mkdir "$self->{tmp}/counts";
    $self->{as} = [as_user($self->{tmp})];
    return $self->start;
}

# Starts the program as the user of the workers: vgdb waits forever for a
# program that has changed its user. The files belong to that user.
sub as_user {
    my ($folder) = @_;
    my ($user) = worker_user() or return;
    my ($uid, $gid) = (getpwnam $user)[2, 3];
    chown $uid, $gid, $folder, glob "$folder/*";
    return ('setpriv', "--reuid=$uid", "--regid=$gid", '--clear-groups');
}

# The command of the server, below callgrind if it is used.
sub below {
    my ($self, @command) = @_;
    return (@{ $self->{as} }, @command) if $self->{tool} ne 'callgrind';
    return (@{ $self->{as} }, 'valgrind', '-q', '--tool=callgrind',
        '--vgdb=yes', "--vgdb-prefix=$self->{tmp}/vgdb",
        "--callgrind-out-file=$self->{tmp}/counts/out", @command);
}

# A client with one connection that sends each request after the response to
# the one before.
sub asker {
    my ($self) = @_;
    return $self->{asker} //= $self->client(timeout => $PATIENCE);
}

# Sends a request that many times; returns the last response. A target may be a
# function that returns another target for each number, or a request, a hash.
sub ask {
    my ($self, $target, $times) = @_;
    my $answer;
    for (1 .. $times // 1) {
        my $now = ref $target ? $target->(++$self->{asked}) : $target;
        $answer = $self->asker->request(
            { @AGENT, ref $now ? %$now : (target => $now) });
    }
    return $answer;
}

# Repeats a request until the response has that status, for results that are
# not available at once; returns the last response.
sub ask_until {
    my ($self, $target, $status) = @_;
    my $deadline = time + $PATIENCE;
    my $answer;
    while (1) {
        $answer = $self->ask($target);
        last if $answer->status == $status || time > $deadline;
        sleep 0.5;
    }
    return $answer;
}

# Instructions of one request, by function, and the number of requests that
# were counted: fewer if each takes long, because then the cost of a dump is
# negligible.
sub instructions {
    my ($self, $target, $requests) = @_;
    # The first requests are slow: valgrind translates the code.
    my $each = $self->seconds($target, 1);
    $each = $self->seconds($target, 20) if $each < 1;
    my $most = int($ENOUGH / $each) || 1;
    $requests = $most if $most < $requests;
    if ($requests < 20) {
        $self->counted;
        $self->ask($target, $requests);
        return IRI::Bench::Profile->of($self->counted)->by($requests),
            $requests;
    }
    $requests -= $requests % 10;
    $self->counted;
    $self->ask($target, $requests / 10);
    my $few = IRI::Bench::Profile->of($self->counted);
    $self->ask($target, $requests + $requests / 10);
    my $many = IRI::Bench::Profile->of($self->counted);
    return $many->less($few)->by($requests), $requests;
}

# Average seconds of a response.
sub seconds {
    my ($self, $target, $times) = @_;
    my $start = time;
    $self->ask($target, $times);
    return (time - $start) / $times;
}

# Makes callgrind write its counts since the last dump; returns the file.
sub counted {
    my ($self) = @_;
    my $file = "$self->{tmp}/counts/out." . ++$self->{dumps};
    my $pid  = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', "$self->{tmp}/vgdb.log";
        open STDERR, '>&', \*STDOUT;
        { exec @{ $self->{as} }, 'vgdb', "--vgdb-prefix=$self->{tmp}/vgdb",
            "--pid=$self->{pid}", 'dump' }
        POSIX::_exit(127);
    }
    waitpid $pid, 0;
    die "vgdb has failed: ", slurp("$self->{tmp}/vgdb.log"), "\n"
        if $? || !-e $file;
    return $file;
}

# System calls of one request, by name.
sub calls {
    my ($self, $target) = @_;
    my $more = $self->seconds($target, 5) > 0.1 ? 5 : 50;
    my ($few, $many) = map { $self->traced($target, $_) } 5, 5 + $more;
    my %calls = map { $_ => ($many->{$_} - ($few->{$_} // 0)) / $more }
        keys %$many;
    delete @calls{ grep { abs $calls{$_} < 0.1 } keys %calls };
    return \%calls;
}

# All system calls during a number of requests.
sub traced {
    my ($self, $target, $times) = @_;
    my $out = "$self->{tmp}/strace";
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDERR, '>', '/dev/null';
        { exec 'strace', '-f', '-q', '-o', $out, '-p', $self->{pid} }
        POSIX::_exit(127);
    }
    sleep 0.02
        until slurp("/proc/$self->{pid}/status") =~ /^TracerPid:\s*[1-9]/m
        || waitpid $pid, POSIX::WNOHANG();
    $self->ask($target, $times);
    sleep 0.1;
    kill 'INT', $pid;
    waitpid $pid, 0;
    # fstat of an open file has no name, whichever system call the C library
    # uses.
    my $text = slurp($out) =~ s/\bnewfstatat\(\d+, "",/fstat(/gr;
    my %count;
    $count{$_}++ for $text =~ /^\d+ +(\w+)\(/mg;
    return \%count;
}

# The process and its children.
sub processes {
    my ($self) = @_;
    my $pid = $self->{pid};
    return ($pid, $self->workers);
}

# The children.
sub workers {
    my ($self) = @_;
    my $pid = $self->{pid};
    return grep { slurp("/proc/$_/stat") =~ /\) \S \Q$pid\E / }
        map { m{(\d+)$} } glob '/proc/[0-9]*';
}

# CPU seconds of processes, by default of the whole server.
sub on_cpu {
    my ($self, @processes) = @_;
    @processes = $self->processes if !@processes;
    my $sum = 0;
    for my $task (map { glob "/proc/$_/task/*" } @processes) {
        $sum += (split ' ', slurp("$task/schedstat"))[0] // 0;
    }
    return $sum / 1e9;
}

package IRI::Bench::Nginx;
use strict;
use warnings;
use parent -norequire, 'IRI::Bench::Server';
use parent 'IRI::Nginx';

sub new {
    my ($class, %option) = @_;
    my $places = delete $option{places} // '';
    my $whole  = delete $option{whole};
    my $text   = $option{conf} // '';
    $option{conf} = <<"END";
$text
sendfile on;
keepalive_requests 1000000;
keepalive_timeout 600s;
types { text/html html; }
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    access_log off;
    log_not_found off;
$places
}
END
    my $self = $class->SUPER::new(master => $whole ? 1 : 0, workers => 1,
        log_level => $whole ? 'notice' : 'crit', %option);
    $self->{whole} = $whole;
    return $self;
}

sub command {
    my ($self) = @_;
    return $self->IRI::Nginx::command if $self->{whole};
    return $self->below($self->IRI::Nginx::command);
}

package IRI::Bench::Httpd;
use strict;
use warnings;
use parent -norequire, 'IRI::Bench::Server';
use parent 'IRI::Httpd';

sub new {
    my ($class, %option) = @_;
    my $text  = $option{conf} // '';
    my $whole = delete $option{whole};
    my $few   = $whole ? '' : <<'END';
<IfModule mpm_event_module>
    ThreadLimit 1
    ThreadsPerChild 1
    MaxRequestWorkers 2
</IfModule>
END
    $option{conf} = <<"END";
KeepAliveTimeout 600
Timeout 600
$few
$text
END
    my $self = $class->IRI::Httpd::new(mpm => 'prefork', %option);
    $self->{whole} = $whole;
    return $self;
}

# Only the directives that are needed to serve files.
sub general {
    my ($self) = @_;
    my $text = $self->IRI::Httpd::general;
    $text =~ s/^(?:LogFormat|CustomLog) .*\n//mg;
    $text =~ s/^LoadModule (?:authz_host|authn_core|alias)_module .*\n//mg;
    return $text;
}

sub command {
    my ($self) = @_;
    return $self->IRI::Httpd::command if $self->{whole};
    my $tmp = $self->{tmp};
    return $self->below($self->binary // die("no httpd\n"),
        '-X', '-d', $tmp, '-f', "$tmp/httpd.conf");
}

# With one process there is nothing to wait for.
sub stop_signal { return $_[0]{whole} ? 'WINCH' : 'KILL' }

sub is_up { return !$_[0]{whole} || $_[0]->IRI::Httpd::is_up }

1;
