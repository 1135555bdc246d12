# Both servers under load while their tree changes all the time: names are
# created, removed and written in other forms, files and directories replaced,
# directories swapped with links to the outside and with denied ones, ten
# thousand entries rewritten, FIFOs and devices put in the way, while
# configurations are reloaded and logs reopened. t/churn/ changes the tree and
# judges each answer; this file has the servers, their reloads, descriptors and
# memory, and the expected totals.
#
# IRI_CHURN: seconds in all; IRI_CHURN_SEED: other changes; IRI_CHURN_DIR: a
# directory on the file system to be tested; IRI_CHURN_ONLY: a pattern of the
# names of servers.
use IRI::Test;
use File::Copy 'copy';
use File::Temp ();
use List::Util qw(max min sum0);
use POSIX ();
use Time::HiRes qw(sleep time);

my $program = build_dir() . '/t/churn/churn';
my $seconds = $ENV{IRI_CHURN} // 6;
my $only    = $ENV{IRI_CHURN_ONLY} // '';
my $root    = $> == 0;
my $long    = $seconds > 60;
my $seed    = $ENV{IRI_CHURN_SEED} // seed($long);
print "# IRI_CHURN_SEED=$seed\n";

my $RELOAD_EVERY = 2;
# Limit of the growth of a worker of ours under constant load, in KiB: indexes
# of directories are cached, and malloc keeps freed memory.
my $GROWTH = 6 * 1024;
# Limit of the growth of the main process for each reload; the second half
# counts.
my $RELOAD_GROWTH = 8;
my $RELOADS       = 30;

plan skip_all => 'build/t/churn/churn is not built: make unit'
    if !-x $program;

# The servers load the modules for minutes, so they use copies: another build
# would replace the files.
my $copies = temp_dir();
for my $module (glob build_dir() . '/*.so') {
    copy($module, $copies) or die "$module: $!\n";
}
$ENV{IRI_BUILD} = $copies;

# ---- configurations --------------------------------------------------------

my %NGINX = (
    ours => 'iri on; iri_charset Shift_JIS EUC-JP windows-1252;',
    s    => 'iri_filename_charset UTF-8 Shift_JIS;',
    e    => 'iri_filename_charset UTF-8 EUC-JP;',
    w    => 'iri_filename_charset UTF-8 windows-1252;',
);
my %HTTPD = (
    ours => "IRIEngine On\nIRICharset Shift_JIS EUC-JP windows-1252\n",
    s    => 'IRIFilenameCharset UTF-8 Shift_JIS',
    e    => 'IRIFilenameCharset UTF-8 EUC-JP',
    w    => 'IRIFilenameCharset UTF-8 windows-1252',
);

sub nginx_conf {
    my $m = $root ? 'if_not_owner' : 'on';
    return <<"END";
keepalive_requests 1000000;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    $NGINX{ours}
    location /s/ {
        $NGINX{s}
        location "/s/秘がぎ-d" { deny all; }
    }
    location /e/ {
        $NGINX{e}
        location "/e/秘がぎ" { deny all; }
        location "/e/表がぎ-d" { return 403; }
    }
    location /w/ {
        $NGINX{w}
        location ~ "^/w/caféè-d" { deny all; }
    }
    location /u/ {
        try_files \$uri \$uri/ =404;
        location "/u/kế-h" { internal; }
    }
    location /n/ { disable_symlinks on from=\$document_root; }
    location /m/ { disable_symlinks $m from=\$document_root; }
}
END
}

sub httpd_conf {
    my $m = $root ? '-FollowSymLinks +SymLinksIfOwnerMatch'
        : '-FollowSymLinks';
    return <<"END";
# %%PORT%%
<IfModule mpm_prefork_module>
    ServerLimit 96
    MaxRequestWorkers 96
    MinSpareServers 30
    MaxSpareServers 90
    StartServers 30
</IfModule>
<IfModule !mpm_prefork_module>
    ServerLimit 16
    StartServers 2
    ThreadsPerChild 32
    MinSpareThreads 32
    MaxSpareThreads 512
    MaxRequestWorkers 512
</IfModule>
$HTTPD{ours}
<Directory "%%ROOT%%">
    LogLevel crit
</Directory>
<Directory "%%ROOT%%/s">
    $HTTPD{s}
</Directory>
<Directory "%%ROOT%%/s/秘がぎ-d">
    Require all denied
</Directory>
<Directory "%%ROOT%%/e">
    $HTTPD{e}
</Directory>
<LocationMatch "^/(e/秘がぎ|e/表がぎ-d|w/caféè-d2)">
    Require all denied
</LocationMatch>
<Directory "%%ROOT%%/w">
    $HTTPD{w}
    <Files "caféè-d*">
        Require all denied
    </Files>
</Directory>
<Directory "%%ROOT%%/u">
    AllowOverride AuthConfig
</Directory>
<Directory "%%ROOT%%/n">
    Options -FollowSymLinks
</Directory>
# If it follows symbolic links, httpd opens a FIFO and blocks.
<Directory "%%ROOT%%/k">
    Options -FollowSymLinks
</Directory>
<Directory "%%ROOT%%/m">
    Options $m
</Directory>
END
}

# ---- processes -------------------------------------------------------------

# The process ids of a server, its main process first.
sub processes {
    my ($server) = @_;
    my $pid = $server->pid // return;
    my @children;
    for my $file (glob '/proc/[0-9]*/stat') {
        my ($child, $parent) = slurp($file) =~ /^(\d+) \(.*\) \S (\d+)/s
            or next;
        push @children, $child if $parent == $pid;
    }
    return ($pid, sort { $a <=> $b } @children);
}

# How many descriptors of each kind a process has.
sub descriptors {
    my ($server, $pid) = @_;
    my $root = $server->root;
    my %count = (tree => 0);
    for my $fd (glob "/proc/$pid/fd/*") {
        my $to = readlink $fd // next;
        my $kind = $to =~ m{^\Q$root\E(?:/|$)} ? 'tree'
            : $to =~ /^(socket|pipe|anon_inode)/ ? $1
            : $to =~ /\.log/ ? 'log' : 'file';
        $count{$kind}++;
    }
    return \%count;
}

sub text_of {
    my ($count) = @_;
    return join ' ', map { "$_ $count->{$_}" } sort keys %$count;
}

# Private memory in KiB.
sub memory {
    my ($pid) = @_;
    return slurp("/proc/$pid/status") =~ /^RssAnon:\s+(\d+)/m ? $1 : undef;
}

# The slope of [time, value] by least squares.
sub slope {
    my @points = @_;
    return 0 if @points < 2;
    my ($mt, $mv) = map { my $i = $_; sum0(map { $_->[$i] } @points) / @points }
        0, 1;
    my $square = sum0(map { ($_->[0] - $mt)**2 } @points);
    return 0 if !$square;
    return sum0(map { ($_->[0] - $mt) * ($_->[1] - $mv) } @points) / $square;
}

# ---- one phase -------------------------------------------------------------

# Runs t/churn against a server for some seconds and calls a function
# repeatedly meanwhile. Returns its counters.
sub churn {
    my ($server, $time, $meanwhile, @options) = @_;
    my $out = File::Temp->new;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>&', $out;
        { exec $program, @options, '--seed', $seed, $server->root,
            $server->tmp, $server->port, $time }
        POSIX::_exit(127);
    }
    # Time for servers with sanitizers on a busy machine, and for the sweep at
    # the end.
    my $deadline = time + $time + 300;
    my $ended;
    until ($ended = waitpid $pid, POSIX::WNOHANG()) {
        $meanwhile->() if $meanwhile;
        sleep 0.1;
        next if time < $deadline;
        kill 'KILL', $pid;
        waitpid $pid, 0;
        last;
    }
    my $status = $?;
    my $text   = slurp($out->filename);
    diag $_ for $text =~ /^# (.*)$/mg;
    ok $ended && !$status, 'the load ran to its end'
        or diag "status $status";
    return { $text =~ /^(\w+) (\d+)$/mg };
}

# Renames the logs, as logrotate does; the text of the old error logs is
# appended to rotated.log. nginx opens new ones on USR1, httpd when it
# restarts.
sub rotate {
    my ($server) = @_;
    my $tmp = $server->tmp;
    unlink "$tmp/access.log.1";
    append("$tmp/rotated.log", slurp("$tmp/error.log.1"));
    for my $log (map {"$tmp/$_.log"} qw(access error)) {
        rename $log, "$log.1";
        # "create" of logrotate: a late reload would create it as root
        append($log, '');
        chown +(stat "$log.1")[4, 5], $log;
    }
    kill 'USR1', $server->pid if ref $server eq 'IRI::Nginx';
    return;
}

sub append {
    my ($path, $text) = @_;
    open my $file, '>>:raw', $path or die "$path: $!\n";
    print {$file} $text;
    close $file;
    return;
}

# Reloads the configuration. nginx then opens its logs as root, but only if
# they are missing: so never at the same time as rotate().
sub reload {
    my ($server) = @_;
    rotate($server) if ref $server eq 'IRI::Httpd';
    kill ref $server eq 'IRI::Httpd' ? 'USR1' : 'HUP', $server->pid;
    return;
}

# Counters that must be 0 with the module.
my @NEVER = (
    wrong         => 'bodies that the name did not have',
    status        => 'other answers than the one that is right in calm',
    '5xx'         => '5xx',
    denied        => 'denied content',
    htaccess_calm => 'content denied by .htaccess, in calm',
    outside_calm  => 'content from outside of the root, in calm',
    cut           => 'answers that were cut',
    lost          => 'connections lost without reason',
    stuck         => 'requests without an answer',
);

sub figures {
    my ($name, $count, @words) = @_;
    note "$name: ", join ', ', map { $_ . ' ' . ($count->{$_} // '?') } @words;
    return;
}

my @WORK = qw(requests strict ok parts heads pipelined connections boundary
    changes renames swaps replaced twins rewritten same_inode);
my @FAULTS =
    qw(missed unjudged socket_500 wrong status 5xx outside outside_calm denied
    htaccess htaccess_calm cut lost stuck);

sub judge {
    my ($name, $count, $nginx) = @_;
    figures($name, $count, @WORK);
    figures($name, $count, @FAULTS);
    my @never = @NEVER;
    # nginx checks the file that it has opened; httpd checks a path and opens
    # it afterwards.
    push @never, outside => 'content from outside of the root' if $nginx;
    while (my ($key, $fault) = splice @never, 0, 2) {
        is $count->{$key}, 0, "$name: 0 $fault";
    }
    cmp_ok $count->{unjudged}, '<=', $count->{requests} / 1000,
        "$name: hardly a body that could not be judged";
    # On a busy machine a short phase may have few requests.
    my @some = qw(strict ok parts heads pipelined renames swaps replaced
        twins);
    cmp_ok min(@$count{@some}), '>', 0, "$name: something of each kind"
        if $count->{requests} > 2000;
    return;
}

# ---- phases of one server --------------------------------------------------

# Descriptors of all processes when idle: of the main process, and the maximum
# of any worker.
sub idle {
    my ($server) = @_;
    my ($main, @workers) = processes($server);
    my %most = (tree => 0);
    for my $pid (@workers) {
        my $count = descriptors($server, $pid);
        $most{$_} = max($most{$_} // 0, $count->{$_}) for keys %$count;
    }
    return (descriptors($server, $main), \%most);
}

# True if no count exceeds the earlier one.
sub is_within {
    my ($after, $before, $slack) = @_;
    return !grep {
        $after->{$_} > ($before->{$_} // 0) + ($slack->{$_} // 0)
    } keys %$after;
}

# Clients close their connections, and workers notice it a little later.
sub descriptors_ok {
    my ($name, $server, $main, $worker, $slack) = @_;
    my ($now_main, $now_worker);
    my $deadline = time + 60;
    while (1) {
        ($now_main, $now_worker) = idle($server);
        last if is_within($now_main, $main, $slack)
            && is_within($now_worker, $worker, $slack);
        last if time > $deadline;
        sleep 0.1;
    }
    note "$name: descriptors of the main process ", text_of($main), ' -> ',
        text_of($now_main);
    note "$name: of a worker at most ", text_of($worker), ' -> ',
        text_of($now_worker);
    ok is_within($now_main, $main, $slack),
        "$name: no descriptor more in the main process";
    ok is_within($now_worker, $worker, $slack),
        "$name: no descriptor more in a worker";
    is $now_main->{tree} + $now_worker->{tree}, 0,
        "$name: none below the root";
    return;
}

# The same workers all the time: does their memory grow?
sub steady {
    my ($name, $server, $nginx, $time, @options) = @_;
    my ($main, $worker) = idle($server);
    my @before = processes($server);
    my (%points, %at);
    my $start = time;
    my $count = churn($server, $time, sub {
        return if ($at{sampled} // 0) > time - 0.5;
        $at{sampled} = time;
        for my $pid (processes($server)) {
            my $memory = memory($pid) // next;
            push @{ $points{$pid} }, [time - $start, $memory];
        }
    }, @options);
    judge($name, $count, $nginx);
    is_deeply [processes($server)], \@before, "$name: the same workers"
        if $nginx;
    descriptors_ok($name, $server, $main, $worker, {});

    for my $pid (sort { $a <=> $b } keys %points) {
        my @all  = @{ $points{$pid} };
        my @warm = grep { $_->[0] > $time / 3 } @all;
        next if @warm < 2 || $server->{mpm} && $server->{mpm} eq 'prefork';
        note sprintf '%s: process %d: %d KiB, %d after a third, %d at the '
            . 'end, %.1f KiB/s', $name, $pid, $all[0][1], $warm[0][1],
            $warm[-1][1], slope(@warm);
        next if $ENV{IRI_ASAN};
        cmp_ok $warm[-1][1] - $warm[0][1], '<=', $GROWTH,
            "$name: process $pid does not grow";
    }
    return $count;
}

# The configuration is reloaded every two seconds.
sub reloaded {
    my ($name, $server, $nginx, $time, @options) = @_;
    my ($main, $worker) = idle($server);
    my $every = min($RELOAD_EVERY, max(0.5, $time / 3));
    my ($turns, $reloads, $last) = (0, 0, time);
    my $count = churn($server, $time, sub {
        return if time < $last + $every / 2;
        $last = time;
        if ($turns++ % 2) {
            rotate($server) if $nginx;
            return;
        }
        reload($server);
        $reloads++;
    }, '--reloads', @options);
    note "$name: $reloads reloads";
    judge($name, $count, $nginx);

    # A pair of sockets for each worker; a new worker may also have those of
    # older ones.
    descriptors_ok($name, $server, $main, $worker,
        { socket => 4, pipe => 2, anon_inode => 1 });

    return $count;
}

# Repeated reloads without requests: the main process keeps no memory of old
# configurations.
sub restarted {
    my ($name, $server) = @_;
    my @memory;
    for my $n (1 .. $RELOADS) {
        my %old = map { $_ => 1 } processes($server);
        delete $old{ $server->pid };
        reload($server);
        my $new = $server->wait_for(sub {
            my ($main, @now) = processes($server);
            return @now && !grep { $old{$_} } @now;
        });
        return fail "$name: reload $n" if !$new;
        push @memory, [$n, memory($server->pid)] if $n > $RELOADS / 2;
    }
    note sprintf '%s: main process %d KiB after %d reloads, %d after %d, '
        . '%.1f KiB a reload', $name, $memory[0][1], $memory[0][0],
        $memory[-1][1], $memory[-1][0], slope(@memory);
    return if $ENV{IRI_ASAN};
    cmp_ok slope(@memory), '<=', $RELOAD_GROWTH,
        "$name: the main process does not grow";
    return;
}

# Lines that a server writes with any modules: nginx logs at crit that a FIFO
# is no file, and that a socket cannot be opened (ENXIO).
my $EXPLAINED = qr/"[^"]*" is not a regular file|-socket" failed \(6:/;

sub logs_ok {
    my ($name, $server) = @_;
    my $tmp = $server->tmp;
    append("$tmp/error.log", slurp("$tmp/$_"))
        for qw(rotated.log error.log.1);
    my $explained = () = $server->log_text =~ /$EXPLAINED/g;
    note "$name: $explained lines that something is not a regular file";
    my @errors = $server->errors(ignore => $EXPLAINED);
    is scalar @errors, 0, "$name: log"
        or diag join "\n", @errors[0 .. min(9, $#errors)];
    return;
}

# A directory for the tree, and one for the program. Workers of nginx open new
# logs in it.
sub place {
    my $dir = $ENV{IRI_CHURN_DIR};
    my $tmp = !$dir ? temp_dir()
        : File::Temp::tempdir('iri-XXXXXX', DIR => $dir, CLEANUP => 1);
    chmod 0777, $tmp;
    return $tmp;
}

# Starts a server and waits until it has all its processes: httpd's port
# accepts connections before it handles signals or has any children.
sub started {
    my ($server) = @_;
    my ($before, $last) = ('', time);
    my $deadline = time + 60;
    while (time < $deadline && time < $last + 0.5) {
        my @now = processes($server);
        my $now = join ' ', map { "$_ " . text_of(descriptors($server, $_)) }
            @now;
        $last   = time if $now ne $before || @now < 2;
        $before = $now;
        sleep 0.05;
    }
    return $server;
}

# The duration of each phase, and its additional action: the sample in `make
# test` is so short that half of it would be creating trees and sweeping.
sub phases {
    my ($time) = @_;
    my $all = ['--deep', 9900, '--sweeps', 4];
    return (warm => [0.08 * $time, @$all], steady => [0.4 * $time, @$all],
        reloads => [0.52 * $time, @$all]) if $long;
    return (warm => [0.1 * $time], steady => [0.4 * $time, '--sweeps', 1],
        reloads => [0.5 * $time, '--deep', 990]);
}

sub run_server {
    my ($name, $class, $time, %option) = @_;
    my $nginx  = $class eq 'nginx';
    my $start  = $nginx ? \&nginx : \&httpd;
    my $conf   = $nginx ? \&nginx_conf : \&httpd_conf;
    my @common = $nginx ? (workers => 2, log_level => 'crit')
        : (log_level => 'notice');
    my @args    = $nginx ? '--fifos' : ();
    my $prefork = ($option{mpm} // '') eq 'prefork';
    my %phase   = phases($time);

    my $server = started($start->(tmp => place(), conf => $conf->(),
        @common, %option));
    my ($warm, @warm) = @{ $phase{warm} };
    judge("$name, warming up", churn($server, $warm, undef, @warm, @args),
        $nginx);
    steady($name, $server, $nginx, @{ $phase{steady} }, @args) if !$prefork;
    reloaded("$name, reloads", $server, $nginx, @{ $phase{reloads} }, @args);
    restarted($name, $server) if $long;
    logs_ok($name, $server);
    $server->stop;
    return;
}

my @SERVERS = (
    ['nginx', 'nginx', 0.42],
    ['httpd event', 'httpd', 0.42, mpm => 'event'],
    ['httpd prefork', 'httpd', 0.16, mpm => 'prefork'],
);
for my $server (grep { $_->[0] =~ /$only/ } @SERVERS) {
    my ($name, $class, $share, @option) = @$server;
    SKIP: {
        my $missing = missing($class);
        skip $missing, 1 if $missing;
        run_server($name, $class, $seconds * $share, @option);
    }
}

done_testing;
