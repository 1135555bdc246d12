# Both servers with modules whose calls fail: memory, the file system, ICU.
# Each call of each request fails once, and with all later ones, and so do the
# calls while the configuration is read. `make test` omits some errnos and
# calls of the start; all of them are in `make torture-servers`.
#
# IRI_TORTURE=all runs all, IRI_TORTURE_SERVER=nginx (or httpd) one server,
# IRI_TORTURE_CASES=pattern some requests (of Setting.pm, by name).
use IRI::Test;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/torture";
use Fail qw(MEMORY FILES ICU POOL @KINDS %KIND_NAME %ERRNO);
use Judge;
use Setting qw(make_root put_late nginx_conf nginx_modules httpd_conf cases);
use Time::HiRes 'sleep';

$ENV{IRI_BUILD} = build_dir() . '/torture';
my $all = ($ENV{IRI_TORTURE} // '') eq 'all';

my %NEW = (
    nginx => sub {
        return IRI::Nginx->new(@_, conf => nginx_conf(),
            modules => [nginx_modules()]);
    },
    httpd => sub {
        return IRI::Httpd->new(@_, conf => httpd_conf(), h2 => 1,
            modules => [qw(rewrite include dav dav_fs headers negotiation
                vhost_alias)]);
    },
);

for my $name (grep { $_ eq ($ENV{IRI_TORTURE_SERVER} // $_) } qw(nginx httpd))
{
    my $missing = missing($name);
    SKIP: {
        skip $missing, 1 if $missing;
        torture($name);
    }
}
done_testing;

sub torture {
    my ($name) = @_;
    my $root  = make_root();
    my $named = $ENV{IRI_TORTURE_CASES} // '';
    my @cases = grep { $_->{name} =~ $named } cases($name, $root, $all);
    my $judge = requests($name, $root, @cases);
    pools($name, $root, $judge, @cases) if $name eq 'httpd';
    starts($name, $root, $judge, @cases);
    reloads($root, $judge, @cases) if $name eq 'nginx';
    calls($name, $judge);
    figures($name, $judge);
    return;
}

# A server that reads its instructions from a file of its own.
sub server {
    my ($name, $root) = @_;
    my $tmp    = temp_dir();
    my $fail   = Fail->new("$tmp/fail");
    my $server = $NEW{$name}->(tmp => $tmp, root => $root);
    put_late($root, 0);
    chmod 0777, "$tmp/run" if $name eq 'httpd';    # DavLockDB
    return ($server, $fail);
}

# Reports errors, some of each kind.
sub none_wrong {
    my ($judge, $test) = @_;
    my @wrong = splice @{ $judge->{wrong} };
    is scalar @wrong, 0, $test;
    my %seen;
    for my $line (@wrong) {
        my ($case) = $line =~ /^([^:]*)/;
        diag $line if ++$seen{$case} <= ($all ? 500 : 4);
    }
    return;
}

# ---- requests ----------------------------------------------------------------

sub requests {
    my ($name, $root, @cases) = @_;
    my $judge = Judge->new(all => $all);
    my $server = $judge->of(server($name, $root))->start;
    $server->get('/plain.txt');
    put_late($root, 1);
    $judge->undisturbed($_) for @cases;
    $server->settle;    # the server has closed the last connection
    my ($files, $memory) = held($judge);
    $judge->run($_) for @cases;
    none_wrong($judge, "$name: no crash, no looser answer, then the right one");

    cmp_ok 10 * ($judge->{missed}{$_} // 0), '<=', $judge->{injected}{$_} // 0,
        "$name: failures came, $KIND_NAME{$_}" for @KINDS;

    $server->settle;
    my ($files_now, $memory_now) = held($judge);
    cmp_ok $files_now, '<=', $files, "$name: no descriptor is left";
    cmp_ok $memory_now, '<', $memory + 4096, "$name: no memory is left, KiB"
        if !$ENV{IRI_ASAN};
    # nginx's message for a directory that it cannot list
    is_deeply [$server->errors(
        ignore => qr/\b(?:open|read)dir\(\) ".*" failed/)], [],
        "$name: log";
    $server->stop;
    my $state = $judge->{fail}->state;
    # nginx's main process allocates one before it forks: each process frees it
    is $state->{blocks}, $name eq 'nginx' ? -1 : 0,
        "$name: all blocks are free at the end";
    is $state->{no_abort}, 0, "$name: no pool would give NULL"
        if $name eq 'httpd';
    return $judge;
}

# Descriptors and resident memory of the workers.
sub held {
    my ($judge) = @_;
    my ($files, $memory) = (0, 0);
    for my $pid (split ' ', $judge->workers) {
        $files += () = glob "/proc/$pid/fd/*";
        my ($kib) = slurp("/proc/$pid/status") =~ /^VmRSS:\s+(\d+)/m;
        $memory += $kib // 0;
    }
    return ($files, $memory);
}

# ---- httpd's end -------------------------------------------------------------

# An allocation that APR cannot make ends the child: the client gets no
# response rather than a wrong one, and another child answers the next request.
sub pools {
    my ($name, $root, $judge, @cases) = @_;
    my $server = $judge->of(server($name, $root))->start;
    $server->get('/plain.txt');
    put_late($root, 1);
    my $limit  = $all ? 10_000 : 2;
    $judge->run_pool($_, $limit) for grep { $_->{name} =~ /denied|index/ }
        @cases;
    $judge->run_pool($_, $limit) for $all ? @cases : ();
    none_wrong($judge, "$name: out of memory ends a child and nothing else");
    my $ended = () = $server->log_text =~ /exit signal Abort/g;
    is $ended, $judge->{injected}{ +POOL } // 0, "$name: children that ended";
    is_deeply [$server->errors(ignore => qr/exit signal Abort/)], [],
        "$name: log of that";
    $server->stop;
    return;
}

# ---- starting ----------------------------------------------------------------

# A failure while a configuration is read is an error of the configuration, or
# the server that starts is as strict as without it.
sub starts {
    my ($name, $root, $judge, @cases) = @_;
    $judge->of(server($name, $root));
    for my $kind (@KINDS, $all && $name eq 'httpd' ? POOL : ()) {
        $judge->{fail}->arm($kind);
        my $failure = start_once($name, $judge, 0);
        my ($count) = $judge->{fail}->off;
        push @{ $judge->{wrong} }, "start: $failure" if $failure;
        my @calls = $judge->{fail}->calls($count);
        start_failing($name, $judge, $kind, $_, $calls[ $_ - 1 ], \@cases)
            for chosen($name, $kind, @calls);
    }
    none_wrong($judge, "$name: a start fails well or is as good");
    return;
}

# The numbers of the calls to try: one from each caller, or with each call
# stack.
sub chosen {
    my ($name, $kind, @calls) = @_;
    my (%seen, @chosen);
    for my $at (1 .. @calls) {
        my $call = $calls[ $at - 1 ];
        push @chosen, $at if !$seen{ $all ? "@$call" : "@$call[0, 1]" }++;
    }
    my $step = $all || $name eq 'nginx' ? 1 : @chosen;
    return @chosen[ grep { $_ % $step == 0 } 0 .. $#chosen ];
}

sub start_failing {
    my ($name, $judge, $kind, $at, $call, $cases) = @_;
    $judge->{places}{"@$call[0, 1]"} = 1;
    for my $on ($all && $kind != POOL ? (0, 1) : 0) {
        my @errors = $kind != FILES ? '' : $all ? sort keys %ERRNO : 'EIO';
        for my $error (@errors) {
            $judge->{fail}->arm($kind, $at, $on,
                $error ? $ERRNO{$error} : 0);
            my $failure = start_once($name, $judge, $kind, @$cases);
            my (undef, $failed) = $judge->{fail}->off;
            $judge->{injected}{$kind}++;
            $judge->{outcome}{start}++;
            $failure ||= 'the failure did not come' if !$failed;
            $judge->blame('start', $kind, $at, $on, $error, $call, $failure)
                if $failure;
        }
    }
    return;
}

# Starts the server once, while calls of a kind may fail; returns '' or the
# error. nginx first tests its configuration, and is started if the test
# passes.
sub start_once {
    my ($name, $judge, $may_fail, @cases) = @_;
    my $server = $judge->{server};
    unlink $server->tmp . '/error.log';
    if ($name eq 'nginx') {
        my ($code, $text) = $server->check;
        return '' if $may_fail && $code == 1 && $text =~ /test failed/;
        return "code $code: " . Judge::show($text) if $code;
        return '' if !@cases;
        $judge->{fail}->arm(@{ $judge->{fail}->state }{qw(kinds at on error)});
    }
    delete $server->{died};
    if (!started($server)) {
        my $died = $server->{died} // $@;
        my $text = $server->log_text . slurp($server->tmp . '/stderr');
        return '' if $may_fail == POOL
            && $died =~ /ended with status (?:6|134)$/;    # SIGABRT
        return $may_fail && $died eq 'main process ended with status 256'
            && $text =~ /iri/i ? '' : "$died: $text";
    }
    $judge->{fail}->off if @cases;
    my @wrong = $judge->replay(@cases);
    $server->stop;
    push @wrong, $server->errors($may_fail == POOL
        ? (ignore => qr/exit signal Abort/) : ());
    return join '; ', map { Judge::show($_) } @wrong;
}

# A port of httpd may accept connections before all is read; and a child may
# end.
sub started {
    my ($server) = @_;
    return 0 if !eval { $server->start };
    for (1 .. 3) {
        return 1 if eval { $server->get('/plain.txt')->status };
    }
    $server->wait_for(sub { 0 });
    return 0;
}

# ---- reloading ---------------------------------------------------------------

# A failure while nginx reloads its configuration leaves the old one.
sub reloads {
    my ($root, $judge, @cases) = @_;
    my $server = $judge->of(server('nginx', $root))->start;
    my $fail   = $judge->{fail};
    $fail->arm(MEMORY);
    ok $server->reload, 'nginx: reload';
    my @calls = $fail->calls(($fail->off)[0]);
    my @chosen = chosen('nginx', MEMORY, @calls);
    @chosen = @chosen[ 0, $#chosen / 2, -1 ] if !$all;
    for my $at (@chosen) {
        $judge->{places}{"@{ $calls[ $at - 1 ] }[0, 1]"} = 1;
        $fail->arm(MEMORY, $at);
        kill 'HUP', $server->pid;
        $server->wait_for(sub { $fail->state->{failed} });
        $server->settle;    # the server continues if it can
        my $pids = '';
        $server->wait_for(sub {
            my $now = $judge->workers;
            my $same = $now eq $pids && $now =~ /^\d+$/;
            $pids = $now;
            sleep 0.05;
            return $same;
        });
        $fail->off;
        my @wrong = $judge->replay(@cases);
        $judge->{injected}{ +MEMORY }++;
        $judge->blame('reload', MEMORY, $at, 0, '', $calls[ $at - 1 ],
            join '; ', @wrong) if @wrong;
    }
    none_wrong($judge, 'nginx: reloads');
    is_deeply [$server->errors(ignore => qr/\[emerg\]/)], [],
        'nginx: log of reloads';
    return;
}

# ---- calls that can fail ----------------------------------------------------

# Functions that a module calls without a wrapper cannot fail, or are listed
# here.
sub calls {
    my ($name, $judge) = @_;
    my $module = $judge->{server}->module;
    my %known  = map { /^(\w+)/ ? ($1 => 1) : () }
        split /\n/, slurp("$FindBin::Bin/torture/not-failed");
    my $whole = $module =~ s/\.so$/.parts\/renamed.o/r;
    my @other = grep { !$known{ s/_\d+$//r } && !/^(?:torture|__[a-z]+san)_/ }
        map { /^\s+U (\w+)/ ? $1 : () } `nm -u '$whole'`;
    is "@other", '', "$name: each call that can fail is known";
    return;
}

# The number of runs, and the callers in the module that no failure reached:
# calls of httpd's pools separately.
sub figures {
    my ($name, $judge) = @_;
    my @places   = Judge::places_of($judge->{server}->module);
    my $is_pool  = qr/^apr_(?!stat|thread)/;
    my $injected = $judge->{injected};
    my $outcome  = $judge->{outcome};
    note "$name: injected: ",
        join(', ', map { "$KIND_NAME{$_} $injected->{$_}" }
            sort { $a <=> $b } keys %$injected),
        '; came: ', join(', ', map { "$_ $outcome->{$_}" }
            sort keys %$outcome), "; requests: $judge->{requests}";
    # A call stack of the sanitizer does not start at the same frame.
    return if $ENV{IRI_ASAN};
    my @pool = grep { /$is_pool/ } @places;
    note "$name: pool: ", scalar(grep { $judge->{places}{$_} } @pool), ' of ',
        scalar @pool, ' places hit' if @pool;
    # The compiler may have split one call into several.
    @places = grep { !/$is_pool/ } @places;
    my @names = $judge->names(map { (split)[1] } @places);
    my %hit;
    $hit{ $names[$_] } ||= $judge->{places}{ $places[$_] } for 0 .. $#places;
    my @missed = grep { !$hit{$_} } sort keys %hit;
    note "$name: ", keys(%hit) - @missed, ' of ', scalar keys %hit,
        ' places hit';
    note "$name: not hit: $_" for @missed;
    return;
}
