# An indexed directory that changes all the time, under load, in both servers:
# some names stay, others are created, removed, replaced and written in another
# case, a hundred times a second. Every response is judged by the entries that
# existed during the request:
#
#  - a name that stays is always found in another case;
#  - a name that never existed is never found;
#  - a body is that of a file with the name at some moment between request and
#    response;
#  - an existing name is soon found in another case, and at once by its exact
#    octets.
#
# How often the directory is read: t/core/test_cache.c.
#
# IRI_INDEX_CHURN: seconds for each server; IRI_INDEX_NAMES: number of names
# that stay; IRI_INDEX_SEED: other changes; IRI_INDEX_ONLY: nginx or httpd.
use IRI::Test;
use IO::Handle;
use IRI::Tree 'wait_for_age';
use List::Util qw(max min);
use POSIX ();
use Time::HiRes qw(sleep time);

my $SECONDS = $ENV{IRI_INDEX_CHURN} // 2;
# More entries than a request reads itself, so that a thread reads them where
# possible.
my $NAMES   = $ENV{IRI_INDEX_NAMES} // 10_500;
my $MOVING  = 40;
my $RATE    = 100;    # changes a second
my $CLIENTS = 2;
my $FORMS   = 4;      # forms of a name on disk that differ in case
my $SEED    = $ENV{IRI_INDEX_SEED} // $$;

# Seconds until a new name must be found in another case: a limit for a busy
# machine. The measured time is printed.
my $HIDDEN = 5 + $NAMES / 20_000;

print "# IRI_INDEX_SEED=$SEED\n";

# ---- the directory -----------------------------------------------------------

# A body is the unique number of a file.
sub body { return sprintf "%09d\n", $_[0] }

# Names that stay, names that change, and names that never exist, in lower
# case; the n-th form of a name on disk.
sub stays { return sprintf 'stays-here-%06d.html', $_[0] }
sub moves { return sprintf 'moves-%02d.html',      $_[0] }
sub never { return sprintf 'never-%06d.html',      $_[0] }

sub written {
    my ($name, $form) = @_;
    return $form == 0 ? $name
        : $form == 1 ? ucfirst $name
        : $form == 2 ? $name =~ s/^(\w+)/\U$1/r
        : $name =~ s/html$/HTML/r;
}

# A random case that is no form on disk.
sub any_case {
    my ($name) = @_;
    $name =~ s/([a-z])/rand() < 0.5 ? uc $1 : $1/ge;
    return $name =~ s/\.\w+$/.hTmL/r;
}

sub make_names {
    my ($root) = @_;
    mkdir "$root/d" or die "$root/d: $!\n";
    mkdir "$root/aside" or die "$root/aside: $!\n";
    spew("$root/d/" . written(stays($_), $_ % $FORMS), body($_))
        for 1 .. $NAMES;
    return;
}

# ---- changes ----------------------------------------------------------------

# Changes the directory until the end time. Each change is recorded with the
# times before and after: the name, its form, and the number of its file ("-":
# removed).
sub change {
    my ($root, $log, $until) = @_;
    open my $out, '>', $log or die "$log: $!\n";
    my (%now, $file);
    my $next = $NAMES;
    my $at   = time;
    while (time < $until) {
        my $name = moves(int rand $MOVING);
        my $is   = $now{$name};
        my $draw = rand;
        my $to   = "$root/d/" . ($is ? $is->[0] : '');
        my @did  = ($name);
        my $start = time;
        if (!$is || $draw < 0.25) {
            my $form = $is ? $is->[0] : written($name, int rand $FORMS);
            $file = "$root/aside/new";
            spew($file, body(++$next));
            $start = time;
            rename $file, "$root/d/$form" or die "$form: $!\n";
            $now{$name} = [$form, $next];
        }
        elsif ($draw < 0.5) {
            unlink $to or die "$to: $!\n";
            delete $now{$name};
        }
        elsif ($draw < 0.75) {
            my $form = written($name, int rand $FORMS);
            rename $to, "$root/d/$form" or die "$to: $!\n";
            $now{$name} = [$form, $is->[1]];
        }
        else {
            my $other = moves(int rand $MOVING);
            next if $now{$other};
            my $form = written($other, int rand $FORMS);
            rename $to, "$root/d/$form" or die "$to: $!\n";
            $now{$other} = [$form, $is->[1]];
            delete $now{$name};
            push @did, $other;
        }
        my $end = time;
        printf {$out} "%.6f %.6f %s %s %s\n", $start, $end, $_,
            $now{$_} ? @{ $now{$_} } : ('-', '-') for @did;
        $at += 1 / $RATE;
        sleep max(0, $at - time);
    }
    close $out or die "$log: $!\n";
    return;
}

# ---- requests ---------------------------------------------------------------

# One request: the time before it and after the response, status, body.
sub ask {
    my ($client, $name) = @_;
    my $start  = time;
    my $answer = $client->request("/d/$name");
    return ($start, time, $answer->status, $answer->body);
}

# Sends requests until the end time. Some responses are judged at once, others
# recorded: times, the name, the octets sent, status, the number of the file.
sub load {
    my ($client, $log, $until) = @_;
    open my $out, '>', $log or die "$log: $!\n";
    while (time < $until) {
        my $draw = rand;
        if ($draw < 0.5) {
            my $number = 1 + int rand $NAMES;
            my $name   = any_case(stays($number));
            my (undef, undef, $status, $body) = ask($client, $name);
            print {$out} "wrong stays $name $status\n"
                if $status != 200 || $body ne body($number);
        }
        elsif ($draw < 0.6) {
            my $name = any_case(never(int rand 1000));
            my (undef, undef, $status) = ask($client, $name);
            print {$out} "wrong never $name $status\n" if $status != 404;
        }
        else {
            my $name = moves(int rand $MOVING);
            my $as   = $draw < 0.9 ? any_case($name)
                : written($name, int rand $FORMS);
            my ($start, $end, $status, $body) = ask($client, $as);
            my ($number) = $status == 200 ? $body =~ /^0*(\d+)\n\z/ : '-';
            printf {$out} "asked %.6f %.6f %s %s %s %s\n", $start, $end,
                $name, $as, $status, $number // '?';
        }
    }
    close $out or die "$log: $!\n";
    return;
}

# Runs a function in a process of its own.
sub start_process {
    my ($function) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    srand $SEED + $$;
    my $done = eval { $function->(); 1 };
    print STDERR "# $@" if !$done;
    POSIX::_exit($done ? 0 : 1);
}

# ---- judging -----------------------------------------------------------------

# The states of each name, in order: { from, sure, to, octets, file }; it had
# the state surely between sure and to, and perhaps from "from" to "gone".
sub history {
    my ($log) = @_;
    my %of = map { moves($_) => [{ from => 0, sure => 0, octets => '-',
        file => '-' }] } 0 .. $MOVING - 1;
    for my $line (split /\n/, slurp($log)) {
        my ($start, $end, $name, $octets, $file) = split / /, $line;
        my $last = $of{$name}[-1];
        @$last{qw(to gone)} = ($start, $end);
        push @{ $of{$name} },
            { from => $start, sure => $end, octets => $octets,
                file => $file };
    }
    @{ $_->[-1] }{qw(to gone)} = (9e9, 9e9) for values %of;
    return \%of;
}

# The states that a name may have had in an interval.
sub moments {
    my ($history, $start, $end) = @_;
    # There are many: binary search for the first.
    my ($low, $high) = (0, $#$history);
    while ($low < $high) {
        my $middle = int(($low + $high) / 2);
        $history->[$middle]{gone} >= $start ? $high = $middle
            : ($low = $middle + 1);
    }
    my @found;
    for (; $low < @$history && $history->[$low]{from} <= $end; $low++) {
        push @found, $history->[$low];
    }
    return @found;
}

# The error in one response, and the time for which the name existed without
# being found.
sub judge {
    my ($history, $start, $end, $as, $status, $file) = @_;
    my @was = moments($history, $start, $end);
    if ($status == 200) {
        return (grep { $_->{file} eq $file } @was) ? ()
            : "file $file, which it was not";
    }
    # httpd answers 403 for a file that is removed between stat and open.
    return if $status == 403 && @was > 1;
    return "status $status" if $status != 404;
    return if grep { $_->{octets} eq '-' } @was;
    # By its exact octets a name must be found at once.
    return if @was > 1;
    return 'not there by its own octets' if $was[0]{octets} eq $as;
    return (undef, $end - $was[0]{sure});
}

sub judge_all {
    my ($name, $root, $tmp) = @_;
    my $history = history("$tmp/changes");
    my (%count, @wrong, @hidden);
    for my $line (map { split /\n/, slurp("$tmp/asked.$_") } 1 .. $CLIENTS) {
        my ($word, @fields) = split / /, $line;
        push @wrong, "@fields" if $word eq 'wrong';
        next if $word ne 'asked';
        my ($start, $end, $of, $as, $status, $file) = @fields;
        $count{"asked $status"}++;
        my ($fault, $hidden) = judge($history->{$of}, $start, $end, $as,
            $status, $file);
        push @wrong, "$as: $fault" if defined $fault;
        push @hidden, $hidden if defined $hidden;
    }
    is scalar(@wrong), 0, "$name: 0 wrong answers"
        or diag join "\n", @wrong[0 .. min($#wrong, 9)];
    my $most = max(@hidden, 0);
    cmp_ok $most, '<=', $HIDDEN, "$name: what is new is found soon";
    note "$name: what is new is found after $most s at most";
    cmp_ok $count{'asked 200'} // 0, '>', 0, "$name: something was found";
    return;
}

# ---- one server --------------------------------------------------------------

# Waits until a name that stays is found in another case; all processes of a
# server may have to build their index.
sub warm {
    my ($server) = @_;
    my $deadline = time + 120;
    my $row = 0;
    while ($row < 50) {
        my (undef, undef, $status) =
            ask($server->client, any_case(stays(1)));
        $row = $status == 200 ? $row + 1 : 0;
        return 0 if time > $deadline;
        sleep 0.05 if !$row;
    }
    wait_for_age($server->root, 2);
    return 1;
}

sub churn {
    my ($name, $server) = @_;
    my ($root, $tmp) = ($server->root, $server->tmp);
    ok warm($server), "$name: found in another case" or return;
    my $until = time + $SECONDS;
    my @pids  = (start_process(sub { change($root, "$tmp/changes", $until) }),
        map { my $n = $_; start_process(sub {
            load($server->client, "$tmp/asked.$n", $until) }) } 1 .. $CLIENTS);
    my $failed = grep { waitpid $_, 0; $? } @pids;
    ok !$failed, 'the load ran to its end';
    judge_all($name, $root, $tmp);

    # A busy machine makes fewer changes.
    my $changes = () = slurp("$tmp/changes") =~ /\n/g;
    cmp_ok $changes, '>=', $RATE * $SECONDS / 4, "$name: it has changed";
    return;
}

# ---- both --------------------------------------------------------------------

my %START = (
    nginx => sub {
        return nginx(workers => 2, log_level => 'crit', conf => <<'END');
access_log off;
log_not_found off;
keepalive_requests 1000000;
iri on;
iri_cache 64m;
iri_match case;
server { listen 127.0.0.1:%%PORT%%; root %%ROOT%%; }
END
    },
    httpd => sub {
        return httpd(mpm => 'worker', log_level => 'crit', conf => <<'END');
IRIEngine On
IRICache 64m
<Directory "%%ROOT%%">
    IRIMatch case
</Directory>
END
    },
);

for my $name (sort keys %START) {
    next if ($ENV{IRI_INDEX_ONLY} // $name) ne $name;
    subtest $name => sub {
        plan skip_all => missing($name) if missing($name);
        my $server = $START{$name}->();
        make_names($server->root);
        churn($name, $server);
        $server->stop;
    };
}

done_testing;
