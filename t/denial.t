# No spelling gives access that the canonical name does not have: random
# spellings of names that rules of all kinds deny, on both servers, in trees of
# all kinds.
#
# Every request goes to a server with the rules and, in the same spelling, to
# one without them (IRI::Denial). Where the open one serves a denied file the
# guarded one must answer as for the canonical name; where it serves a public
# file, the same file; where it serves none, none. No answer may contain a
# denied file, or reveal whether a denied file exists.
#
# A sample of each server; IRI_DENIAL=n: the number of requests. IRI_SEED=n
# repeats a run, IRI_CASE=n one case of it. The table goes to build/denial.txt.
use IRI::Test;
use Encode ();
use lib "$FindBin::Bin/configs";
use Forms ();
use IRI::Denial;
use IRI::Spelling qw(is_near key kinds percent read_in spell);
use List::Util qw(first shuffle sum0);
use MIME::Base64 'encode_base64';

my $SAMPLE   = 2500;                             # requests of a server
my $WORLDS   = 6;                                # of a sample
my $BATCH    = 40;                               # cases at a time
my $REQUESTS = $ENV{IRI_DENIAL} || $SAMPLE;
my $SEED     = seed($ENV{IRI_DENIAL});
my @MODULES  = qw(rewrite setenvif env include auth_basic authn_file
    authz_user negotiation proxy proxy_http);
my @SERVERS = grep { !missing($_) } qw(nginx httpd);

plan skip_all => 'no module is built' if !@SERVERS;

diag "IRI_SEED=$SEED, $REQUESTS requests a server";
my $worlds = [IRI::Denial::worlds()];
srand $SEED;
$worlds = [(shuffle @$worlds)[0 .. $WORLDS - 1]] if !$ENV{IRI_DENIAL};
my $dir = temp_dir();
my $trees = IRI::Denial::make_trees($dir, $worlds);
my %count;    # server, context, kind -> { requests, leaks, reached, served }
for my $kind (@SERVERS) {
    subtest $kind => sub { run($kind) };
}
show_table();
done_testing;

# ---- one server -------------------------------------------------------------

sub run {
    my ($kind) = @_;
    my $tmp = temp_dir();
    spew("$tmp/users", IRI::Denial::users());
    my $server = $kind eq 'nginx'
        ? nginx(tmp => $tmp, root => $dir, log_level => 'crit',
            conf => IRI::Denial::nginx_text($worlds, $trees))
        : httpd(tmp => $tmp, root => $dir, h2 => 1, modules => \@MODULES,
            log_level => 'crit',
            conf => IRI::Denial::httpd_text($worlds, $trees));
    my %run = (kind => $kind, server => $server, asked => 0, bad => {},
        silent => 0, contexts => [IRI::Denial::contexts($kind)], number => 0);
    if ($ENV{IRI_CASE}) {
        show_case(\%run, $ENV{IRI_CASE});
    }
    else {
        batch(\%run) while $run{asked} < $REQUESTS && $run{silent} < 50;
    }
    for my $label (qw(leak status existence other unreached)) {
        my @bad = @{ $run{bad}{$label} // [] };
        is scalar @bad, 0, "$kind: " . meaning($label)
            or diag join "\n", splice @bad, 0, 10;
    }
    balanced(\%run) if !$ENV{IRI_CASE};
    $server->stop;
    return;
}

sub meaning {
    return {
        leak      => 'no denied file and no denied name is disclosed',
        status    => 'a spelling has the response of the canonical name',
        existence => 'existing and absent names are indistinguishable',
        other     => 'a served file has the requested name',
        unreached => 'names that should be reached are reached',
    }->{ $_[0] };
}

# Fails if nothing was reached: a test of absent names only would pass on every
# server.
sub balanced {
    my ($run) = @_;
    my $all = $count{ $run->{kind} };
    for my $label (qw(reached served)) {
        my @none = grep {
            my $context = $_;
            !sum0 map { $_->{$label} // 0 } values %{ $all->{$context} }
        } map { $_->{name} } grep { $label eq 'reached' || !$_->{limited} }
            common_contexts($run);
        is "@none", '', "$run->{kind}: all contexts have names $label";
    }
    # a sample may have no world with the charsets for some kinds
    my @kinds = grep {
        IRI::Spelling::sure($_) eq 'same'
            || $REQUESTS > 10 * $SAMPLE && IRI::Spelling::sure($_);
    } kinds();
    my @none = grep {
        my $kind = $_;
        !sum0 map { $_->{$kind}{reached} // 0 } values %$all
    } @kinds;
    is "@none", '', "$run->{kind}: the same for all spellings of a name";
    return;
}

# The contexts that all worlds of this run have; in a long run, that some have.
sub common_contexts {
    my ($run) = @_;
    return grep {
        my $context = $_;
        my $have = grep { IRI::Denial::has_context($_, $context) } @$worlds;
        $have == @$worlds || $have && $REQUESTS > 10 * $SAMPLE;
    } @{ $run->{contexts} };
}

# ---- cases ------------------------------------------------------------------

# A case by its number: its choices depend on this number and the seed.
sub make_case {
    my ($run, $number) = @_;
    for my $try (0 .. 20) {
        my $seed = ($SEED * 2_654_435 + $number * 40_503 + $try * 7919)
            % 4_294_967_296;
        my $case = choose($run, $number, $seed) // next;
        return $case;
    }
    return;
}

sub choose {
    my ($run, $number, $seed) = @_;
    srand $seed;
    rand for 1 .. 3;
    my $world = $worlds->[$number / $BATCH % @$worlds];
    my $tree  = $trees->{ $world->{tree} };
    my @contexts = grep { IRI::Denial::has_context($world, $_) }
        @{ $run->{contexts} };
    # one case of ten is plain, so that each context serves files
    my $plain = $number % 10 == 0;
    my $round = int $number / $BATCH / @$worlds;
    my $context =
        $contexts[$plain ? ($number / 10 + $round) % @contexts
        : rand @contexts];
    my $shape = $context->{shapes}[rand @{ $context->{shapes} }];
    my $chance = $plain ? ($number / 10 / @contexts) % 2 : rand;
    my $public = $chance < 0.15 && !$context->{limited};
    my $names = $public ? $tree->{public}
        : $chance < 0.2 && @{ $tree->{absent} } ? $tree->{absent}
        : $tree->{present};
    my $name = $names->[rand @$names];
    return if $context->{beyond} && $name !~ /[^\0-\x7F]/;
    return if $context->{unreserved} && $name =~ /[!-,\/:-@]/;
    $shape = (qw(file leaf index))[rand 3] if $public && $shape ne 'view';
    # more alternative readings, which cause restarts
    my @kinds = grep { !$context->{limited} || $_ ne 'trail' } kinds(),
        qw(charset charset segments segments twin variant);
    my %case = (
        number => $number, seed => $seed, world => $world, tree => $tree,
        context => $context, shape => $shape, name => $name, public => $public,
        there => $chance >= 0.2 || $public,
        kind => $plain ? 'nfc' : $kinds[rand @kinds],
    );
    $case{http2} = ($number / $BATCH) % 8 == 3;
    extras(\%case);
    my $built = build(\%case);
    # A spelling in ASCII may be the name of another entry, which such a rule
    # does not deny.
    return if $built && $context->{beyond}
        && !grep { octets_of($_) =~ /[^\0-\x7F]/ } @{ $built->{target} };
    return $built;
}

# The octets of a target, unescaped.
sub octets_of {
    my ($target) = @_;
    return $target =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ger;
}

# Variations of a request other than the spelling of its path.
sub extras {
    my ($case) = @_;
    $case->{absolute} = rand() < 0.06 && !$case->{http2}
        ? (qw(http://localhost HTTP://LOCALHOST:80 http://127.0.0.1))
            [rand 3] : '';
    $case->{asked} = rand() < 0.15
        ? (qw(? ?a=b ?%E9=%2F ?/../..), "?\xC9\xBD", '?a=%00')[rand 6] : '';
    $case->{headers} = [];
    if ($case->{context}{status} == 401 && rand() < 0.2) {
        $case->{let_in} = 1;
        $case->{headers} = ['Authorization',
            'Basic ' . encode_base64('user:right', '')];
        return;
    }
    my $chance = rand;
    # headers would apply to the page that includes the path
    return if $chance > 0.2 || defined $case->{context}{query};
    $case->{method} = 'HEAD' if $chance < 0.06;
    $case->{headers} = [
        ['Range', 'bytes=0-3'], ['If-None-Match', '*'],
        ['If-Modified-Since', 'Fri, 01 Jan 2100 00:00:00 GMT'],
        ['If-Match', '"x"'], ['Accept-Encoding', 'gzip'],
        ['X-Original-URL', '/'], ['Expect', '100-continue'],
        ['Authorization', 'Basic ' . encode_base64('user:wrong', '')],
    ]->[rand 8] if $chance >= 0.06;
    return;
}

# The segments of a path of this shape; which: 0 existing, 1 absent.
sub segments {
    my ($case, $which) = @_;
    my ($name, $tree) = @$case{qw(name tree)};
    my ($leaf, $none) = IRI::Denial::leaf_of($tree, $name);
    my $other = $which ? $none : $leaf;
    return {
        file   => sub { "$name.txt" },
        view   => sub { "$name-v" },
        bare   => sub { $name },
        index  => sub { ($name, '') },
        leaf   => sub { ($name, $which ? 'v.txt' : 'f.txt') },
        hidden => sub { ($name, $which ? 'v.txt' : 'q.txt') },
        inner  => sub { ($name, "$other.txt") },
        deep   => sub { ($name, $leaf, "$other.txt") },
    }->{ $case->{shape} }->();
}

# Completes a case with its request, the request for an absent name in the same
# spelling, and the preceding request if requests are limited.
sub build {
    my ($case) = @_;
    my $after = int rand 4_294_967_296;
    for my $which (0, 1) {
        srand $after;
        $case->{path}[$which] = spell(
            kind => $case->{kind}, charsets => $case->{world}{charsets},
            segments => [grep({ length } $case->{context}{at}),
                segments($case, $which)]
        ) // return;
        # no server normalizes included paths; non-ASCII names that are not
        # canonical are refused in them
        return if defined $case->{context}{query}
            && $case->{path}[$which]
            =~ ($case->{name} =~ /[^\0-\x7F]/ ? qr{//} : qr{/(?:[.]|%2E)*/}i);
    }
    $case->{target}[$_] = target($case, $case->{path}[$_]) for 0, 1;
    if ($case->{context}{limited}) {
        my $canonical = join '/', '', map {
            percent(Encode::encode('UTF-8', $_))
        } $case->{context}{at}, segments($case, 0);
        $case->{before} = "$canonical?k=$case->{number}";
        $case->{target}[0] = "$case->{path}[0]?k=$case->{number}";
    }
    return $case;
}

sub target {
    my ($case, $path) = @_;
    my $query = $case->{context}{query};
    return $case->{absolute}
        . (defined $query ? "$query?$path" : $path . $case->{asked});
}

# Must an absent name be indistinguishable from the existing one? Only below a
# directory that the rules deny.
sub has_absent {
    my ($case) = @_;
    return 0 if $case->{public} || $case->{let_in} || !$case->{there}
        || $case->{context}{limited} || $case->{context}{name} eq 'exact';
    # nginx does not include a path with dot-segments, whatever it names
    return 0 if defined $case->{context}{query}
        && grep { m{/(?:[.]|%2E)+(?:/|$)}i } @{ $case->{path} };
    # other letters may not exist in the charset of the tree; then there is no
    # redirect
    return 0 if $case->{world}{redirect}
        && IRI::Spelling::sure($case->{kind}) ne 'same';
    return 1 if $case->{shape} eq 'hidden'
        && $case->{path}[0] =~ m{/(?:q|%71)(?:[.]|%2E)[^/]*(?:/|$)}i;
    # names that also exist in public directories may be disclosed; a name with
    # other letters may have other spellings, and may be redirected before a
    # rule has made it the denied path
    return 0 if $case->{context}{made} && $case->{world}{redirect};
    return $case->{shape} =~ /^(?:leaf|inner|deep)$/
        && IRI::Spelling::sure($case->{kind}) eq 'same';
}

# ---- asking -----------------------------------------------------------------

sub batch {
    my ($run) = @_;
    my @cases = grep { defined }
        map { make_case($run, $run->{number} + $_) } 0 .. $BATCH - 1;
    my $first = $run->{number};
    $run->{number} += $BATCH;
    srand $SEED + $first;
    ask($run, rand() < 0.3 ? 16 : 1, @cases);
    $_->disconnect for values %{ delete $run->{clients} };
    judge($run, $_) for @cases;
    return;
}

# Sends all requests for the cases of one world, several at once or one after
# another.
sub ask {
    my ($run, $at_once, @cases) = @_;
    my $number = $cases[0]{world}{number};
    my $http2 = $cases[0]{http2};
    my @client = (batch => $at_once, proto => $http2 ? 'h2' : 'h1');
    my $guarded = client($run,
        ($http2 && $run->{kind} eq 'nginx' ? 'h' : 'g') . $number, @client);
    my $open = client($run, "o$number", batch => $at_once);
    my @requests;
    for my $case (@cases) {
        push @requests, [$case, 'before', { target => $case->{before} }]
            if defined $case->{before};
        my %how = (headers => $case->{headers});
        $how{method} = $case->{method} if $case->{method};
        push @requests,
            [$case, 'answer', { target => $case->{target}[0], %how }];
        push @requests,
            [$case, 'absent', { target => $case->{target}[1], %how }]
            if has_absent($case);
    }
    my @answers = $guarded->pipeline(map { $_->[2] } @requests);
    $_->[0]{ $_->[1] } = shift @answers for @requests;
    $run->{asked} += @requests;
    @answers = $open->pipeline(map { $_->{target}[0] } @cases);
    $_->{open} = shift @answers for @cases;
    # a rule may deny only after iri_redirect: follow that redirect
    my @sent = grep {
        $_->{context}{made} && defined $_->{answer}->header('Location')
    } @cases;
    @answers = $guarded->pipeline(map {
        $_->{answer}->header('Location') =~ s{^https?://[^/]*}{}r } @sent);
    $_->{followed} = shift @answers for @sent;
    return;
}

# A connection is used for all cases of a batch.
sub client {
    my ($run, $port, %option) = @_;
    my $key = join ' ', $port, map { "$_=$option{$_}" } sort keys %option;
    return $run->{clients}{$key} //= $run->{server}->client(
        port => $run->{server}->port($port), %option);
}

# ---- judging ----------------------------------------------------------------

sub judge {
    my ($run, $case) = @_;
    my $context = $case->{context};
    my $count = $count{ $run->{kind} }{ $context->{name} }{ $case->{kind} }
        //= {};
    $count->{requests} += 1 + (defined $case->{absent}) + !!$case->{before};
    my ($word, $path) = file_of($case->{open});
    for my $answer (grep { defined } @$case{qw(answer absent before)}) {
        next if $answer == ($case->{before} // 0);
        next if !tells($case, $answer, $answer == ($case->{absent} // 0));
        $count->{leaks}++;
        bad($run, $case, 'leak');
    }
    my $denied = is_denied($case, $word, $path);
    $count->{reached}++ if $denied;
    status($run, $case, $denied, $path, $count);
    bad($run, $case, 'other', "which is $path")
        if defined $word && !is_named($case, $path);
    bad($run, $case, 'unreached', unreached($case, $path))
        if defined unreached($case, $path);
    bad($run, $case, 'existence', 'absent: ' . shown($case->{absent}))
        if $case->{absent} && ($denied || !defined $word)
        && prints($case->{answer}) ne prints($case->{absent});
    return;
}

# The file in a response: its kind, its path.
sub file_of {
    my ($answer) = @_;
    my $marker = IRI::Denial::marker();
    return $answer->body =~ /\b($marker|public) (\S+) [\w -]+\n/
        ? ($1, $2) : ();
}

# Does a response disclose something denied: a file, or in a Location a name
# that the client has not requested by itself?
sub tells {
    my ($case, $answer, $which) = @_;
    my $marker = IRI::Denial::marker();
    my $head = join "\n", map { "@$_" } @{ $answer->headers };
    my ($word, $path) = file_of($answer);
    return 1 if $head =~ /$marker/ || is_denied($case, $word, $path);
    my $location = location($answer) // return 0;
    return 0 if $case->{context}{limited} || $case->{context}{name} eq 'exact';
    my $at = $case->{context}{at} eq '' ? '' : "/$case->{context}{at}";
    my $re = IRI::Denial::regex($case->{tree});
    my $after = join '|', map {
        { file => '[.]txt', view => '-v', leaf => '/|$' }->{$_} // ()
    } @{ $case->{context}{shapes} };
    return !$case->{let_in} && $location =~ m{^$at/(?:$re)(?:$after)}
        && ($location =~ s{/$}{}r) ne first_reading($case, $which);
}

# Do the rules of a context deny a file that was served?
sub is_denied {
    my ($case, $word, $path) = @_;
    return 0 if ($word // '') ne IRI::Denial::marker() || $case->{let_in};
    # an equal name in another encoding has a limit of its own
    return 0 if $case->{context}{limited}
        && characters($path) ne wanted_path($case);
    my $shape = $path =~ m{/} ? 'leaf' : $path =~ /-v\.txt$/ ? 'view' : 'file';
    return grep { $_ eq $shape } @{ $case->{context}{shapes} };
}

# Do the rules deny the path that was sent, before a lookup finds a public
# entry? They deny each path that starts with a denied name, and those of a made
# path have judged when the module finds the entry.
sub is_denied_as_sent {
    my ($case) = @_;
    my $re = IRI::Denial::regex($case->{tree});
    return $case->{context}{made}
        && first_reading($case, 0) =~ m{^/\Q$case->{context}{at}\E/(?:$re)};
}

# The meaning of a request without lookups: UTF-8, or the first charset that is
# valid for the whole path, or for each segment; in UTF-8.
sub first_reading {
    my ($case, $which) = @_;
    my @segments = (grep({ length } $case->{context}{at}),
        asked_segments($case, $which));
    my @charsets = ('UTF-8', @{ $case->{world}{charsets} });
    my @read = map {
        my $octets = $_;
        first { defined } map { read_in($octets, $_) } @charsets;
    } @segments;
    for my $charset (@charsets) {
        my @whole = map { read_in($_, $charset) } @segments;
        next if grep { !defined } @whole;
        @read = @whole;
        last;
    }
    return Encode::encode('UTF-8', join '/', '', map { $_ // '' } @read);
}

# The path of a Location, unescaped; undef if there is none.
sub location {
    my ($answer) = @_;
    my $location = $answer->header('Location') // return;
    $location =~ s{^https?://[^/]*}{};
    $location =~ s/[?#].*//s;
    $location =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge;
    return $location;
}

sub status {
    my ($run, $case, $denied, $path, $count) = @_;
    my ($answer, $open, $context) = (@$case{qw(answer open context)});
    my $status = $answer->status;
    $status = 400 if $answer->error =~ /^stream reset, code 1$/;
    $run->{silent} += !$status;
    return bad($run, $case, 'status', 'no answer ' . $answer->error)
        if !$status || !$open->status || $status >= 500;
    bad($run, $case, 'status', 'limited before: ' . $case->{before}->status)
        if $denied && $context->{limited} && $case->{before}->status == 429;
    # HTTP/2 servers reject some requests before the module sees them
    return if $case->{http2} && $status == 400;
    return included($run, $case, $denied, $count) if $context->{included};
    # Redirected to the canonical URI: then that one must be denied.
    my $sent = $case->{world}{redirect} && $status =~ /^30[18]$/;
    if ($denied) {
        return if $sent && $case->{followed}
            && $case->{followed}->status =~ /^4/;
        bad($run, $case, 'status', "expected $context->{status}")
            if $status != $context->{status}
            && $status != ($context->{or} // 0);
    }
    elsif (defined $path) {
        my $same = $status == 200
            && ($answer->body eq $open->body || $case->{method});
        $same ||= $status =~ /^(?:206|304|412)$/ && @{ $case->{headers} };
        $same ||= $sent;
        # httpd itself compares this rule with octets on disk
        $same ||= $context->{octets} && $status == $context->{status}
            && $case->{tree}{label} !~ /^nf/;
        $same ||= $status == 429 && $context->{limited};
        $same ||= $status == $context->{status} && is_denied_as_sent($case);
        $count->{served}++ if $same;
        bad($run, $case, 'status', 'but public') if !$same;
    }
    elsif ($open->status >= 400 && $status < 400 && !$sent) {
        bad($run, $case, 'status', 'but the open server says '
                . $open->status);
    }
    return;
}

# A page that includes the path: always 200, with or without the file.
sub included {
    my ($run, $case, $denied, $count) = @_;
    my ($word) = file_of($case->{answer});
    $count->{served}++ if ($word // '') eq 'public';
    my ($public) = file_of($case->{open});
    bad($run, $case, 'status', 'nothing included')
        if ($public // '') eq 'public' && !$word && !$case->{method}
        && !@{ $case->{headers} };
    return;
}

# The reason why a spelling of the name itself was not served; undef if it was.
sub unreached {
    my ($case, $path) = @_;
    my $sure = IRI::Spelling::sure($case->{kind});
    my $open = $case->{open}->status;
    return if !$sure || !$case->{there} || $case->{shape} eq 'bare'
        || $case->{context}{made};
    return if $sure eq 'listed' && (defined $path || is_shared($case));
    return "open: $open" if !defined $path;
    return key(characters($path)) eq key(wanted_path($case)) ? undef
        : "open: $path";
}

# The path of the file that a case is about.
sub wanted_path {
    my ($case) = @_;
    my $path = join '/', grep { length } segments($case, 0);
    $path .= '/f.txt' if $case->{shape} eq 'index';
    $path .= '.txt'   if $case->{shape} eq 'view';
    return $path;
}

# Do the octets of a name also mean another existing name? Then that entry may
# be served.
sub is_shared {
    my ($case) = @_;
    # the Encoding Standard decodes octets of a JIS charset to the vendors'
    # characters, which are other names where match=exact; Perl encodes JIS'
    return 1 if $case->{world}{settings} =~ /match=exact/
        && grep({ /JIS|EUC-JP/i } @{ $case->{world}{charsets} })
        && $case->{name}
        =~ /[\x{301C}\x{2016}\x{2212}\xA2\xA3\xAC\x{2014}\xA6]/;
    my ($octets) = asked_segments($case);
    my $tree = $case->{tree};
    my $own = key($case->{name});
    $tree->{there} //= { map { key($_) => 1 }
            @{ $tree->{present} }, @{ $tree->{public} } };
    return grep { defined && key($_) ne $own && $tree->{there}{ key($_) } }
        map { s/[.]txt$//r } grep { defined }
        map { read_in($octets, $_) } 'UTF-8', @{ $case->{world}{charsets} };
}

sub characters {
    my ($path) = @_;
    $path =~ s/%([0-9A-F]{2})/chr hex $1/ge;
    return Encode::decode('UTF-8', $path);
}

# Can the segments of the request be read as the name of the served file?
sub is_named {
    my ($case, $path) = @_;
    my @segments = asked_segments($case);
    # "." in a rule's pattern does not match a line end
    pop @segments
        if @segments && $case->{context}{made} && $segments[-1] eq "\n";
    $segments[-1] =~ s/\n\z// if @segments && $case->{context}{made};
    my @names = map { key($_) } split m{/}, characters($path);
    pop @names if @names == @segments + 1 && $names[-1] eq 'f.txt';
    $segments[-1] .= '.txt' if @segments && $case->{shape} eq 'view'
        && $segments[-1] !~ /[.]txt$/;
    # in a path that a rule has made "?" starts no query
    return 1 if $case->{context}{made} && $case->{path}[0] =~ /%(?:3F|23)/;
    return 0 if @segments != @names;
    for my $octets (@segments) {
        my $name = shift @names;
        return 0 if !grep {
            is_near($_, $name, $case->{world}{settings})
                || grep { key($_) eq $name }
                $_, Forms::repaired($_, $case->{world}{repair})
        } @{ Forms::readings($octets, $case->{world}) };
    }
    return 1;
}

# The segments of a request below its context, as both servers normalize them.
sub asked_segments {
    my ($case, $which) = @_;
    my $path = $case->{path}[$which // 0] =~ s/\?.*//sr;
    $path =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge;
    my @segments;
    for my $segment (split m{/}, $path) {
        next if $segment eq '' || $segment eq '.';
        $segment eq '..' ? pop @segments : push @segments, $segment;
    }
    shift @segments if length $case->{context}{at};
    return @segments;
}

# A response without variable parts such as times.
sub prints {
    my ($answer) = @_;
    # it redirects to the requested name; the redirect was checked before
    return 'redirected ' . $answer->status
        if defined $answer->header('Location');
    return join "\n", $answer->status, $answer->error, $answer->body,
        sort map { "@$_" }
        grep { $_->[0] !~ /^(?:Date|Connection|Keep-Alive|Upgrade)$/i }
        @{ $answer->headers };
}

sub bad {
    my ($run, $case, $label, $why) = @_;
    push @{ $run->{bad}{$label} }, join ' ', "IRI_CASE=$case->{number}",
        $case->{world}{tree}, "\"$case->{world}{settings}\"",
        $case->{context}{name}, $case->{kind}, $case->{http2} ? 'h2' : (),
        $case->{method} // (), join(': ', @{ $case->{headers} }),
        escaped($case->{target}[0]), shown($case->{answer}), $why // ();
    return;
}

sub shown {
    my ($answer) = @_;
    my $location = $answer->header('Location');
    return $answer->status . (defined $location ? " $location" : '');
}

# One case, with all requests and responses.
sub show_case {
    my ($run, $number) = @_;
    my $case = make_case($run, $number) or return;
    ask($run, 1, $case);
    judge($run, $case);
    for my $label (qw(before answer absent open)) {
        my $answer = $case->{$label} or next;
        my $target = $label eq 'before' ? $case->{before}
            : $case->{target}[$label eq 'absent'];
        diag "$label: ", escaped($target // ''), ' ', shown($answer), ' ',
            escaped(substr $answer->body, 0, 200),
            map { "\n  @$_" } @{ $answer->headers };
    }
    return;
}

# ---- the table --------------------------------------------------------------

sub show_table {
    my $text = row('server', 'context', 'kind',
        { map { $_ => $_ } qw(requests leaks reached served) });
    my (%by, @lines);
    for my $server (sort keys %count) {
        for my $context (sort keys %{ $count{$server} }) {
            for my $kind (sort keys %{ $count{$server}{$context} }) {
                my $cell = $count{$server}{$context}{$kind};
                push @lines, row($server, $context, $kind, $cell);
                for my $sum (\$by{"$server\t$context\tall"},
                    \$by{"$server\tall\t$kind"}, \$by{"$server\tall\tall"})
                {
                    $$sum->{$_} += $cell->{$_} for keys %$cell;
                }
            }
        }
    }
    my @sums = map { row(split(/\t/), $by{$_}) } sort keys %by;
    diag join '', $text, @sums, "reached: denied files that the same request "
        . "to the open server brings; served: public ones\n";
    spew(build_dir() . '/denial.txt', join '', "IRI_SEED=$SEED\n", $text,
        @lines, @sums);
    return;
}

sub row {
    my ($server, $context, $kind, $count) = @_;
    return sprintf "%-6s %-16s %-10s %9s %6s %8s %7s\n", $server, $context,
        $kind, map { $count->{$_} // 0 } qw(requests leaks reached served);
}
