# A private server under test: started on free ports with a configuration of
# its own, stopped by its process id when the test ends. The differences
# between nginx and httpd are in IRI::Nginx and IRI::Httpd.
package IRI::Server;
use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use File::Spec::Functions qw(rel2abs);
use File::Temp ();
use IO::Socket::INET;
use IRI::HTTP1;
use IRI::HTTP2;
use POSIX ();
use Scalar::Util 'weaken';
use Time::HiRes qw(sleep time);

our @EXPORT_OK =
    qw(build_dir capture free_port program sanitizer_env slurp spew temp_dir
       run_child worker_user);

# The time limit for events that must happen: a machine can be busy, and
# sanitizers are slow.
my $PATIENCE = 60;
my @running;               # weak references, for END
my @unread;                # errors of servers that are gone
my $owner = $$;

# A test that is interrupted calls exit, so that END stops its servers; so does
# a test whose terminal or reader of output goes away.
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP PIPE);

END {
    if ($$ == $owner) {
        local $?;
        $_->stop for grep { defined } @running;
    }
}

# The directory of the modules and the command: IRI_BUILD, or build/ of this
# tree.
sub build_dir {
    return rel2abs($ENV{IRI_BUILD} // dirname(__FILE__) . '/../../../build');
}

# A new directory that unprivileged workers can read, removed at the end unless
# IRI_KEEP=1, which also prints its path.
sub temp_dir {
    my $keep = $ENV{IRI_KEEP};
    my $dir  = File::Temp::tempdir('iri-XXXXXX', TMPDIR => 1,
        CLEANUP => !$keep);
    chmod 0755, $dir or die "chmod $dir: $!\n";
    print "# kept: $dir\n" if $keep;
    return $dir;
}

# A free port of the loopback address, below the range of client ports. Tests
# run in parallel, and time passes between finding a port free and the server's
# listen. Therefore ports are divided into blocks, and a process listens on the
# first port of each block that it uses until it ends. No port is reused before
# all have been used.
my $STRETCH = 100;
my ($next_port, $holder) = (0, 0);
my @held;    # sockets

sub free_port {
    for (1 .. 2000) {
        $next_port = new_stretch()
            if $next_port % $STRETCH == 0 || $holder != $$;
        my $port = $next_port++;
        return $port if listener($port);
    }
    die "no free port\n";
}

sub new_stretch {
    ($holder, @held) = ($$) if $holder != $$;    # a child has none
    for my $again (0, 1) {
        for my $n (0 .. 219) {
            my $first = 10000 + ($$ + $n) % 220 * $STRETCH;
            my $socket = listener($first) or next;
            push @held, $socket;
            return $first + 1;
        }
        @held = ();    # perhaps all are our own
    }
    die "no free port\n";
}

sub listener {
    my ($port) = @_;
    return IO::Socket::INET->new(LocalAddr => '127.0.0.1',
        LocalPort => $port, Listen => 1, ReuseAddr => 1);
}

# The path of a server's program: the environment variable, or the first that
# exists; undef if none does.
sub program {
    my ($variable, @candidates) = @_;
    return $ENV{$variable} if $ENV{$variable};
    my @folders = (split(/:/, $ENV{PATH}), '/usr/sbin', '/usr/local/sbin');
    for my $name (@candidates) {
        my ($path) = grep { -x } map { "$_/$name" } @folders;
        return $path if $path;
    }
    return;
}

# The octets of a file; none if it does not exist.
sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or return '';
    local $/;
    return readline($file) // '';
}

# Writes octets to a file.
sub spew {
    my ($path, $octets) = @_;
    open my $file, '>:raw', $path or die "$path: $!\n";
    print {$file} $octets;
    close $file or die "$path: $!\n";
    return;
}

# Runs a program with octets on its standard input. Returns its exit code (128
# plus the number of a signal), standard output, and standard error.
sub capture {
    my ($input, @command) = @_;
    my @files = map { File::Temp->new } 0 .. 2;
    binmode $_ for @files;
    print { $files[0] } $input;
    $_->flush, seek $_, 0, 0 for @files;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        run_child($files[0], $files[1], $files[2], @command);
    }
    local $?;
    waitpid $pid, 0;
    my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    return ($code, map { slurp($_->filename) } @files[1, 2]);
}

# In a child: makes three handles 0, 1 and 2, and executes the command.
sub run_child {
    my ($in, $out, $err, @command) = @_;
    open STDIN,  '<&', $in;
    open STDOUT, '>&', $out;
    open STDERR, '>&', $err;
    { no warnings 'exec'; exec { $command[0] } @command; }
    print STDERR "$command[0]: $!\n";
    POSIX::_exit(127);
}

# The environment with which a stock server can load a module built with
# sanitizers (IRI_ASAN=1): their libraries are preloaded, reports go to files.
# Empty without IRI_ASAN.
sub sanitizer_env {
    my ($tmp) = @_;
    return if !$ENV{IRI_ASAN};
    my $cc        = $ENV{CC} || 'gcc';
    my @libraries = map { my $path = `$cc -print-file-name=$_`; chomp $path;
        $path } qw(libasan.so libubsan.so);
    mkdir "$tmp/sanitizer";
    chmod 01777, "$tmp/sanitizer";
    return (
        LD_PRELOAD   => join(' ', @libraries),
        ASAN_OPTIONS => 'detect_leaks=0:abort_on_error=0:'
            . "log_path=$tmp/sanitizer/asan",
        UBSAN_OPTIONS => "print_stacktrace=1:log_path=$tmp/sanitizer/ubsan",
    );
}

# User and group that workers run as when the test runs as root; else nothing.
sub worker_user {
    return if $> != 0;
    my ($user) = grep { getpwnam $_ } qw(www-data nobody);
    return ($user, scalar getgrgid((getpwnam $user)[3]));
}

# The common part of new(): directories and ports. Common options: tmp
# (default: a new directory), root (default: TMP/html), log_level, and expect, a
# pattern of log lines that are no errors here.
sub prepare {
    my ($class, $allowed, %option) = @_;
    my %known = map { $_ => 1 } qw(conf tmp root stock modules log_level expect),
        @$allowed;
    my @unknown = grep { !$known{$_} } sort keys %option;
    die "$class: unknown option @unknown\n" if @unknown;
    my $self = bless { %option, ports => {} }, $class;
    $self->{tmp}  //= temp_dir();
    $self->{root} //= "$self->{tmp}/html";
    -d $self->{root} or mkdir $self->{root} or die "$self->{root}: $!\n";
    return $self;
}

# Expands %%PORT%% and %%PORTname%% (a free port each, the same for the same
# name), %%ROOT%%, %%TMP%% and %%BUILD%%.
sub expand {
    my ($self, $text) = @_;
    my $build = build_dir();
    $text =~ s/%%PORT(\w*)%%/$self->{ports}{$1} \/\/= free_port()/ge;
    $text =~ s/%%ROOT%%/$self->{root}/g;
    $text =~ s/%%TMP%%/$self->{tmp}/g;
    $text =~ s/%%BUILD%%/$build/g;
    return $text;
}

# The port that stands for %%PORT%%, or with a name for %%PORTname%%.
sub port {
    my ($self, $name) = @_;
    return $self->{ports}{ $name // '' } // die "no such port\n";
}

sub tmp  { $_[0]{tmp} }     # directory of configuration and logs
sub root { $_[0]{root} }    # document root, what %%ROOT%% stands for
sub pid  { $_[0]{pid} }     # of the main process

# Starts the program and waits until its ports accept connections and it has a
# child: it listens before it handles signals, and an early reload would be
# lost or end it. It leads a session of its own, because httpd's prefork kills
# its whole process group at the end.
sub start {
    my ($self) = @_;
    my @command = $self->command;
    my %env     = sanitizer_env($self->{tmp});
    my $pid     = fork // die "fork: $!\n";
    if (!$pid) {
        POSIX::setsid();
        @ENV{ keys %env } = values %env;
        open my $null, '<', '/dev/null';
        open my $err, '>', "$self->{tmp}/stderr";
        run_child($null, $err, $err, @command);
    }
    $self->{pid} = $pid;
    push @running, $self;
    weaken($running[-1]);
    my $deadline = time + $PATIENCE;
    until ($self->listens) {
        sleep 0.02;
        next if $self->alive && time < $deadline;
        $self->stop;
        die "@command does not start:\n",
            slurp("$self->{tmp}/stderr"), $self->log_text;
    }
    $self->wait_for(sub { $self->is_up });
    $self->{read} //= 0;
    return $self;
}

# True once all ports of the configuration accept connections.
sub listens {
    my ($self) = @_;
    my @ports = values %{ $self->{ports} }
        or die "no %%PORT%% in the configuration\n";
    return !grep { !answers($_) } @ports;
}

# True once the main process has a child. On timeout start() continues, because
# a test may be about children that end.
sub is_up { return scalar $_[0]->children }

# The process ids of the children of the main process.
sub children {
    my ($self) = @_;
    return map { slurp($_) =~ /^(\d+) \(.*\) [^Z] $self->{pid} /s ? $1 : () }
        glob '/proc/[0-9]*/stat';
}

# True if a process listens on the port.
sub answers {
    my ($port) = @_;
    return IO::Socket::INET->new(
        PeerAddr => '127.0.0.1', PeerPort => $port, Proto => 'tcp');
}

# True while the main process runs; if it ended unexpectedly, errors() reports
# it.
sub alive {
    my ($self) = @_;
    return 0 if !$self->{pid};
    local $?;
    return 1 if waitpid($self->{pid}, POSIX::WNOHANG()) == 0;
    $self->{died} = "main process ended with status $?";
    delete $self->{pid};
    return 0;
}

# The signal that ends the server.
sub stop_signal { return 'TERM' }

# Stops the server: its signal and, after a timeout, KILL for its session.
sub stop {
    my ($self, $signal) = @_;
    $self->alive or return;
    my $pid = delete $self->{pid};
    local $?;
    $signal //= $self->stop_signal;
    kill $signal, $pid;
    my $deadline = time + $PATIENCE;
    my $again    = time + 1;
    while (waitpid($pid, POSIX::WNOHANG()) == 0) {
        # A single nginx process that is about to wait notices the signal
        # later.
        if (time > $again) {
            kill $signal, $pid;
            $again += 1;
        }
        if (time > $deadline) {
            $self->{died} = "did not stop within $PATIENCE seconds";
            kill 'KILL', -$pid;
            waitpid $pid, 0;
            last;
        }
        sleep 0.01;
    }
    return;
}

sub DESTROY {
    my ($self) = @_;
    return if $$ != $owner || ${^GLOBAL_PHASE} eq 'DESTRUCT';
    $self->stop;
    push @unread, $self->errors if is_unread($self);
    return;
}

# True if the server was started with our module and errors() was not called.
sub is_unread { return defined $_[0]{read} && !$_[0]{read} && !$_[0]{stock} }

# The errors of all such servers.
sub unread_errors {
    return @unread, map { $_->errors } grep { $_ && is_unread($_) } @running;
}

# Waits until a condition holds; false after a minute without.
sub wait_for {
    my ($self, $condition) = @_;
    my $deadline = time + $PATIENCE;
    until ($condition->()) {
        return 0 if time > $deadline || !$self->alive;
        sleep 0.02;
    }
    return 1;
}

# Waits until the server is idle. It may write the log line of a request, count
# it and close its connection long after the client has the answer. The server
# is idle when each of its threads sleeps and none has run between two checks.
# Without /proc it waits for a fixed time. False if the server did not become
# idle, for example while clients are active.
sub settle {
    my ($self) = @_;
    my $deadline = time + $PATIENCE / 4;
    my $last = '';
    while ($self->alive && time < $deadline) {
        my $now = at_rest($self->{pid}) // (sleep(0.5), return 1);
        return 1 if $now ne '' && $now eq $last;
        $last = $now;
        sleep 0.01;
    }
    return !$self->alive;
}

# How often each thread of a session has been scheduled; '' if one runs or is
# runnable, undef without /proc.
sub at_rest {
    my ($session) = @_;
    my $threads = '';
    for my $process (glob '/proc/[0-9]*') {
        my ($id) = slurp("$process/stat") =~ /\) \S \d+ \d+ (\d+) /;
        next if ($id // 0) != $session;
        for my $thread (glob "$process/task/*") {
            my $status = slurp("$thread/status");
            my ($state) = $status =~ /^State:\s+(\S)/m or next;    # it ended
            return '' if $state =~ /[RDt]/;
            $threads .= join ' ', $thread, $status =~ /_switches:\s+(\d+)/g;
        }
    }
    return $threads eq '' ? undef : $threads;
}

# A client that keeps its connection. Options: proto ('h1', 'h2' or 'h3'), port
# (a number), and those of IRI::Client.
sub client {
    my ($self, %option) = @_;
    my $proto = delete $option{proto} // 'h1';
    my $class = 'IRI::HTTP' . substr $proto, 1;
    return $class->new(port => $self->{ports}{''}, %option);
}

# One request on a connection of its own. Options are those of client() and
# of a request: headers, body, host, version.
sub request {
    my ($self, $method, $target, %option) = @_;
    my %request = (method => $method, target => $target);
    for my $key (qw(headers body host version)) {
        $request{$key} = delete $option{$key} if exists $option{$key};
    }
    my $client = $self->client(%option);
    my $answer = $client->request(\%request);
    $client->disconnect;
    return $answer;
}

# GET by request().
sub get {
    my ($self, $target, %option) = @_;
    return $self->request('GET', $target, %option);
}

# The whole error log.
sub log_text { slurp("$_[0]{tmp}/error.log") }

# The error log and the access log, including the lines of all answered
# requests.
sub settled_log       { $_[0]->settle; return $_[0]->log_text }
sub access_log { $_[0]->settle; return slurp("$_[0]{tmp}/access.log") }

# Unexpected lines: levels alert, emerg and crit of the error log, a worker
# ended by a signal, reports of sanitizers, the main process gone, and warnings
# about settings that have no effect. Options: level => 'error' adds lines of
# that level; ignore => a pattern of lines that the test expects.
sub errors {
    my ($self, %option) = @_;
    $self->{read} = 1;
    my $levels = join '|', qw(emerg alert crit), $option{level} // ();
    my $line   = $self->error_pattern($levels);
    my $report = qr/Sanitizer|runtime error:/;
    my $vain   = qr/iri: .*(?:has no effect, because|matches no path)/;
    my @found  = grep { /$line|$report|$vain|exit signal|exited on signal/ }
        split /\n/, $self->log_text;
    push @found, grep { /$report/ } split /\n/, slurp("$self->{tmp}/stderr");
    push @found, map { split /\n/, slurp($_) }
        glob "$self->{tmp}/sanitizer/*";
    $self->alive;
    push @found, $self->{died} if $self->{died};
    for my $expected (grep { defined } $option{ignore}, $self->{expect}) {
        @found = grep { $_ !~ $expected } @found;
    }
    return @found;
}

# Checks the configuration with the program: exit code and output.
sub check {
    my ($self) = @_;
    my %env = sanitizer_env($self->{tmp});
    local @ENV{ keys %env } = values %env;
    my ($code, $out, $err) = capture('', $self->command, '-t');
    return ($code, $out . $err);
}

1;
