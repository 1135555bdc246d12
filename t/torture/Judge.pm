# Sends one request repeatedly to a server whose module's calls fail one after
# the other, and judges the responses: the response without failures, or an
# error; never another file, another address, or a success instead of a
# refusal. After each failure the same request has the right response.
package Judge;
use strict;
use warnings;
use Fail qw(MEMORY FILES ICU POOL @KINDS %KIND_NAME %ERRNO is_absence);
use IRI::HTTP1;
use IRI::HTTP2;
use Time::HiRes ();

# Options: all => 1 for each call and each errno instead of some; of() sets the
# server.
sub new {
    my ($class, %option) = @_;
    return bless {
        %option, places => {}, wrong => [], outcome => {}, injected => {},
        missed => {}, right => {}, requests => 0,
    }, $class;
}

# Continues with another server.
sub of {
    my ($self, $server, $fail) = @_;
    delete @$self{qw(log seen)};
    @$self{qw(server fail)} = ($server, $fail);
    return $server;
}

# ---- asking ------------------------------------------------------------------

# Sends a case's request on a connection of its own that the server closes
# after all work for the request, including its log lines.
sub ask {
    my ($self, $case) = @_;
    my $proto = $case->{proto} // 'h1';
    my %request = map { $_ => $case->{$_} }
        grep { exists $case->{$_} } qw(method target body host);
    my $port = $self->{server}->port($case->{port});
    $self->{requests}++;
    if ($proto eq 'h2') {
        my $client = IRI::HTTP2->new(port => $port);
        my $answer = $client->request({
            %request, headers => [@{ $case->{headers} // [] }] });
        $client->disconnect;
        $self->{server}->settle;    # nginx's log phase makes calls, too
        return $answer;
    }
    return Judge::Client->new(port => $port)->request({ %request,
        headers => ['Connection', 'close', @{ $case->{headers} // [] }] });
}

# The parts of a response that must not change.
sub shape {
    my ($answer) = @_;
    my %shape = (
        status => $answer->status,
        body   => $answer->body,
        where  => $answer->header('Location') // '',
    );
    for my $name (qw(Uri Iri Form Match File Info Query)) {
        $shape{"X-$name"} = $answer->header("X-$name") // '';
    }
    $shape{'X-Link'} = $answer->header('Link') // '';
    $shape{where} =~ s{^http://[^/]+}{};
    $shape{body} =~ s{(localhost:|Port )\d+}{$1}g;
    $shape{body} =~ s{<hr>.*?</body>}{}gs;
    return \%shape;
}

# The processes that serve.
sub workers {
    my ($self) = @_;
    my $pid = $self->{server}->pid // return 'none';
    my $children = IRI::Server::slurp("/proc/$pid/task/$pid/children");
    return join ' ', sort { $a <=> $b } split ' ', $children;
}

# Restores the state before the request, and clears caches.
sub renew {
    my ($self, $case) = @_;
    $case->{renew}->() if $case->{renew};
    my $time = ++$self->{clock} - 1_000_000;
    utime $time, $time + time, $_ for @{ $case->{listed} // [] };
    return;
}

# ---- one case ----------------------------------------------------------------

# Lets each call of a case fail; in a sample, of those with the same call stack
# the first and the last. A case has
#
#  name, method, target, headers, body, host, port, proto
#  status, like   the response without failures
#  lax            other possible responses if an entry is reported as absent
#  also           other possible responses after any failure; both are patterns
#                 for the status, a space and the body
#  same           1: no other response is possible
#  less           1: entries may be missing
#  closes         1: nginx may close the connection without a response
#  renew, state   code that reverts the effects of the request, and reads them
#  listed         directories to be read again
sub run {
    my ($self, $case) = @_;
    my $right = $self->undisturbed($case) // return;
    my $pids = $self->workers;
    for my $kind (@KINDS) {
        my @calls = $self->count($case, $kind, $right);
        my %last = map { ("@{ $calls[$_] }" => $_ + 1) } 0 .. $#calls;
        my %seen;
        for my $at (1 .. @calls) {
            my $call = $calls[ $at - 1 ];
            next if $seen{"@$call"}++ && $last{"@$call"} != $at
                && !$self->{all};
            $self->fail_at($case, $kind, $at, $call);
            return if @{ $self->{wrong} } > 500;
        }
    }
    my $now = $self->workers;
    push @{ $self->{wrong} }, "$case->{name}: workers $pids are $now"
        if $now ne $pids;
    return;
}

# The same for failures that end a child of httpd: for some calls only, because
# a new child takes a second.
sub run_pool {
    my ($self, $case, $limit) = @_;
    my $right = $self->undisturbed($case) // return;
    my @calls = $self->count($case, POOL, $right);
    for my $at (1 .. @calls) {
        my $call = $calls[ $at - 1 ];
        next if $self->{seen}{"@$call"}++;
        return if ($self->{injected}{ +POOL } // 0) >= $limit;
        $self->inject($case, POOL, $at, 0, '', $call);
    }
    return;
}

# The right response, twice.
sub undisturbed {
    my ($self, $case) = @_;
    my @shapes;
    for (1, 2) {
        $self->renew($case);
        my $shape = shape($self->ask($case));
        $shape->{after} = $case->{state} ? $case->{state}->() : '';
        push @shapes, $shape;
    }
    my $right = $shapes[0];
    $right->{before} = '';
    $right->{nginx} = $self->{server}->isa('IRI::Nginx') ? 1 : 0;
    if ($case->{state}) {
        $self->renew($case);
        $right->{before} = $case->{state}->();
    }
    my $wrong =
          $right->{status} != $case->{status} ? "status $right->{status}"
        : $right->{body} !~ $case->{like} ? 'body ' . show($right->{body})
        :                                   differs(@shapes);
    return $self->{right}{ $case->{name} } = $right if !$wrong;
    push @{ $self->{wrong} }, "$case->{name}: undisturbed: $wrong";
    return;
}

# The difference between two responses, except names that may vary.
sub differs {
    my ($one, $two, @but) = @_;
    my %but = map { $_ => 1 } @but, qw(before nginx);
    my @differ = grep { !$but{$_} && $one->{$_} ne $two->{$_} }
        sort keys %$one;
    return join ', ', map { "$_ " . show($two->{$_}) } @differ;
}

sub show {
    my ($text) = @_;
    $text =~ s/([^ -~])/sprintf '\\x%02X', ord $1/ge;
    return length $text > 160 ? substr($text, 0, 160) . '...' : "\"$text\"";
}

# The calls that a case makes.
sub count {
    my ($self, $case, $kind, $right) = @_;
    $self->renew($case);
    $self->{fail}->arm($kind);
    my $shape = shape($self->ask($case));
    my ($count) = $self->{fail}->off;
    $shape->{after} = $case->{state} ? $case->{state}->() : '';
    my $differs = differs($right, $shape);
    push @{ $self->{wrong} }, "$case->{name}: counted: $differs" if $differs;
    return $self->{fail}->calls($count);
}

# Lets one call fail once, and with all later ones; with each errno. The call
# may not occur: indexes of directories that have just changed are cached for a
# moment.
sub fail_at {
    my ($self, $case, $kind, $at, $call) = @_;
    for my $on (0, 1) {
        next if $on && $self->{seen}{"@$call"}++ && !$self->{all};
        $self->inject($case, $kind, $at, $on, $_, $call)
            for $kind == FILES ? $self->errors_of($call) : '';
    }
    return;
}

# In a sample only errnos that the code distinguishes; ENOENT is in other
# tests.
sub errors_of {
    my ($self, $call) = @_;
    return sort keys %ERRNO if $self->{all};
    return $call->[0] eq 'opendir' ? qw(EACCES EIO) : qw(EIO ENOTDIR);
}

sub inject {
    my ($self, $case, $kind, $at, $on, $error, $call) = @_;
    my $fail  = $self->{fail};
    my $right = $self->{right}{ $case->{name} };
    $self->renew($case);
    $fail->arm($kind, $at, $on, $error ? $ERRNO{$error} : 0);
    my $answer = $self->ask($case);
    my (undef, $failed) = $fail->off;
    my $shape = shape($answer);
    $shape->{after} = $case->{state} ? $case->{state}->() : '';
    my ($outcome, $wrong) = judge($case, $right, $shape,
        is_absence($error, $call->[0]));
    if ($kind == POOL) {
        ($outcome, $wrong) = ('closed', '') if !$shape->{status};
    }
    else {
        my $dirs = $fail->state->{dirs};
        $wrong ||= $self->alarm;
        $wrong ||= "$dirs directories are open" if $dirs;
    }
    $self->{ $failed ? 'injected' : 'missed' }{$kind}++;
    $self->{outcome}{$outcome}++;
    $self->{places}{"@$call[0, 1]"} = 1 if $failed;

    if ($self->{all} || !$on) {
        $self->renew($case) if $case->{renew};
        $shape = shape($self->ask($case));
        $shape->{after} = $case->{state} ? $case->{state}->() : '';
        my $after = differs($right, $shape);
        $wrong ||= "afterwards $after" if $after;
    }
    $self->blame($case->{name}, $kind, $at, $on, $error, $call, $wrong)
        if $wrong;
    return;
}

# All cases once, on a server that was started with a failure: the errors.
sub replay {
    my ($self, @cases) = @_;
    my @wrong;
    for my $case (@cases) {
        my $right = $self->{right}{ $case->{name} } // next;
        $self->renew($case);
        my $shape = shape($self->ask($case));
        $shape->{after} = $case->{state} ? $case->{state}->() : '';
        my (undef, $wrong) = judge($case, $right, $shape, 0);
        push @wrong, "$case->{name}: $wrong" if $wrong;
    }
    return @wrong;
}

# New lines of the log that are not expected.
sub alarm {
    my ($self) = @_;
    my $server = $self->{server};
    my $log = $self->{log} //= do {
        open my $file, '<:raw', $server->tmp . '/error.log' or return '';
        $file;
    };
    seek $log, 0, 1;
    my @lines = readline $log or return '';
    my $bad = $server->error_pattern('emerg|alert|crit');
    return join ' ', map { show($_) }
        grep { !/\b(?:open|read)dir\(\) ".*" failed/ }
        grep { /$bad|Sanitizer|runtime error:|exit signal/ } @lines;
}

# Records errors with the failure: the number of the call, "on" for all later
# ones, the function and its caller.
sub blame {
    my ($self, $case, $kind, $at, $on, $error, $call, $wrong) = @_;
    my ($name, @frames) = grep { $_ } @$call;
    push @{ $self->{wrong} }, sprintf '%s: %s %d%s, %s %s in %s: %s', $case,
        $KIND_NAME{$kind}, $at, $on ? ' on' : '', $name, $error,
        join(' < ', $self->names(@frames)), $wrong;
    return;
}

# The callers in the module of functions that can fail, [function, caller];
# indirect calls, for example of env.alloc, are not among them.
sub places_of {
    my ($module) = @_;
    my @places;
    my $called;
    for (`objdump -d --no-show-raw-insn '$module'`) {
        my ($at, $rest) = /^\s*([0-9a-f]+):\s+(.*)/ or next;
        push @places, "$called " . hex $at if defined $called;
        ($called) = $rest =~ /^call\w*\s.*<torture_(\w+)>/;
        undef $called
            if defined $called && $called =~ /^(?:free|closedir)$/;
    }
    return @places;
}

# Function names for addresses in the module, if a tool is available.
sub names {
    my ($self, @frames) = @_;
    my $module = $self->{server}->module;
    my @at     = map { sprintf '0x%x', $_ - 1 } @frames;
    my @lines  = `addr2line -sfpe '$module' @at 2>/dev/null`;
    @lines = @at if @lines != @at;
    chomp @lines;
    s/ at / /, s/ \(discriminator \d+\)// for @lines;
    return @lines;
}

# ---- judging -----------------------------------------------------------------

# Classifies a response: same, unset (the same, and a variable has no value),
# other (allowed by the case), error, closed; and its errors. absent: the
# failure reported an entry as absent.
sub judge {
    my ($case, $right, $got, $absent) = @_;
    my @vars = sort grep { /^X-/ } keys %$right;
    my $lost = $case->{state} && $got->{after} ne $right->{before}
        && $got->{after} ne $right->{after};
    my $stored = $lost ? 'another tree: ' . show($got->{after}) : '';
    if (!differs($right, $got, @vars)) {
        my @other = grep { $got->{$_} ne $right->{$_} } @vars;
        return ('same', '') if !@other;
        @other = grep { false_value($case, $right, $got, $absent, $_) } @other;
        return ('unset', join ', ', map { "$_: " . show($got->{$_}) } @other);
    }
    my $differs = differs($right, $got, @vars);
    return ('other', $differs) if $case->{same};
    return ('closed', closes($case, $right) ? $stored : 'no answer')
        if $got->{status} == 0;
    return ('written', $stored) if as_written($right, $got);
    return ('less', $stored) if $case->{less} && is_less($right, $got);
    return ('other', $stored)
        if $case->{also} && "$got->{status} $got->{body}" =~ $case->{also}
        || $case->{lax} && $absent
        && "$got->{status} $got->{body}" =~ $case->{lax};
    return ('error', $got->{body} =~ /SECRET|DECOY/ ? $differs : $stored)
        if $got->{status} >= 400 && $got->{where} eq '';
    return ('other', $differs);
}

# May a failure close the connection? In nginx it does while the header of a
# response is made, and after it was sent.
sub closes {
    my ($case, $right) = @_;
    return $right->{nginx}
        && ($case->{closes} || "$right->{where}$right->{'X-Link'}" ne '');
}

# Is it a listing without some of its entries?
sub is_less {
    my ($right, $got) = @_;
    return 0 if $right->{status} != $got->{status} || $got->{where} ne '';
    my @lines = map { [map { s/,$//r } split /\n/, $_->{body}] }
        $right, $got;
    my %there = map { $_ => 1 } @{ $lines[0] };
    my $count = qr/^<p>(?:This directory is empty\.|\d+ \w+)/;
    return !grep { !$there{$_} && !/$count/ } @{ $lines[1] };
}

# Is it a redirect as the server itself writes it? Its escapes may be in lower
# case, or the address raw in a page without Location.
sub as_written {
    my ($right, $got) = @_;
    return 0 if $right->{where} eq '' || $got->{status} != $right->{status};
    my %form = (
        plain => sub { return $_[0] =~ s/(%\w\w)/lc $1/ger },
        raw   => sub { return $_[0] =~ s/%(\w\w)/chr hex $1/ger },
    );
    return 1 if !grep { $form{plain}->($right->{$_}) ne
        $form{plain}->($got->{$_}) } qw(where body);
    return $got->{where} eq ''
        && $form{raw}->($right->{body}) eq $form{raw}->($got->{body});
}

# Does a variable have a wrong value? It may be empty; that of a file may be
# the server's own; and it may describe an entry as absent that was reported as
# absent.
sub false_value {
    my ($case, $right, $got, $absent, $name) = @_;
    return 0 if $got->{$name} =~ /^(?:none)?$/;
    return 0 if $name eq 'X-Form' && $case->{same};
    return 0 if $name =~ /-(?:File|Info)$/;
    return 0 if $absent && $name =~ /-(?:Match|Form)$/;
    return $name eq 'X-Match' || $right->{status} < 400;
}

# ---- the client --------------------------------------------------------------

# Waits for the server to close.
package Judge::Client;
use strict;
use warnings;
our @ISA = ('IRI::HTTP1');

sub disconnect {
    my ($self) = @_;
    1 while $self->{socket} && $self->fill;
    return $self->SUPER::disconnect;
}

package Judge;
1;
