# doc/migration.md: each of its steps on both servers, with real words for
# names; every number of the document is reproduced.
use IRI::Test;
use Encode ();
use IRI::Guide ();
use JSON::PP ();

my @servers = grep { !missing($_) } qw(nginx httpd);
plan skip_all => 'no module is built' if !@servers;
my $shared = $ENV{IRI_SHARED} // "$FindBin::Bin/../../shared";
my $words  = "$shared/data/names/ja.txt";
plan skip_all => "$words is not here" if !-e $words;

# ---- the document --------------------------------------------------------------

my $text = slurp("$FindBin::Bin/../doc/migration.md");
my %statuses = map { /^\| (.*?) \| (\d+) \| (\d+) \| (\d+) \|$/
    ? ($1 => [$2, $3, $4]) : () } split /\n/, $text;
is_deeply [sort keys %statuses], ['1. report', '2. on', '3. redirect',
    '4. renamed', '5. off', 'before'], 'the table of steps';

# The configuration of a step: its first block changes that of the step before.
sub lines {
    my ($step, $kind) = @_;
    my ($part) = $text =~ /^## $step\. .*?\n(.*?)(?=^## |\z)/ms;
    my $language = $kind eq 'nginx' ? 'nginx' : 'apache';
    my ($lines) = $part =~ /^```$language\n(.*?)^```$/ms;
    return $lines if $step == 1 || $step == 5;
    my @before = split /^/, lines($step - 1, $kind);
    my %new = map { /^(\w+)/ ? ($1 => $_) : () } split /^/, $lines;
    return join '', (grep { !/^(\w+)/ || !$new{$1} } @before),
        map { $new{$_} } sort keys %new;
}

# The status page shown in step 1.
sub status_page {
    my ($kind) = @_;
    my $language = $kind eq 'nginx' ? 'nginx' : 'apache';
    my ($page) = $text =~ /^```$language\n([^`]*iri-status.*?)^```$/ms;
    return $page;
}

# The table of numbers with this head of its second column.
sub numbers {
    my ($head) = @_;
    my ($rows) = $text =~ /^\| number \| \Q$head\E \|\n\| --- .*?\n(.*?)\n\n/ms;
    return map { /^\| `(.*)` \| (\d+) \|$/ } split /\n/, $rows;
}

# Commands in the document, and their output.
my @shown = $text =~ /^\$ (grep .*)\n((?:[^\$`\n].*\n)+)/mg;
is scalar @shown, 4, 'commands that read the log';
my ($advise, $advised) = $text =~ /^\$ (iri advise [^\n]*)\n(.*?)^```$/ms;

# ---- the site ------------------------------------------------------------------

my @CHARSETS = ('cp932', 'euc-jp', 'UTF-8');

sub in_charset {
    my ($charset, $name) = @_;
    my $octets = eval { Encode::encode($charset, $name,
        Encode::FB_CROAK | Encode::LEAVE_SRC) };
    return $octets;
}

sub percent {
    return $_[0] =~ s/([^A-Za-z0-9_.\/-])/sprintf '%%%02X', ord $1/ger;
}

my @names;
for my $line (split /\n/, slurp($words)) {
    my $name = Encode::decode('UTF-8', $line);
    my %seen = map { $_ => 1 } @names;
    next if $seen{$name} || $name !~ /[^\x00-\x7F]/ || $name =~ m{/};
    my @octets = map { in_charset($_, $name) } @CHARSETS;
    push @names, $name if @octets == grep { defined } @octets;
    last if @names == 200;
}
is scalar @names, 200, 'pages';

my %content = map { my $name = $_; $name => in_charset('UTF-8', "$name\n") }
    @names;

# Requests each page once in these charsets: the statuses, and that each page
# is the right one.
sub replay {
    my ($server, @charsets) = @_;
    my @statuses;
    for my $charset (@charsets) {
        my @targets = map { percent('/hon/' . in_charset($charset, "$_.html")) }
            @names;
        my @answers = $server->client(timeout => 60)->pipeline(@targets);
        my %got;
        for my $i (0 .. $#names) {
            my $answer = $answers[$i];
            my $to = ($answer->header('Location') // '') =~ s{^http://[^/]*}{}r;
            my $right = $answer->status == 200
                ? $answer->body eq $content{ $names[$i] }
                : $answer->status != 301 || $to
                    eq percent('/hon/'
                    . in_charset('UTF-8', "$names[$i].html"));
            $got{ $right ? $answer->status : 'wrong page' }++;
        }
        push @statuses, join ' ', sort keys %got;
    }
    return \@statuses;
}

# ---- the steps -----------------------------------------------------------------

sub start {
    my ($kind, $root, $lines, $counts) = @_;
    my $status = $counts ? status_page($kind) : '';
    return $kind eq 'nginx'
        ? nginx(root => $root, log_level => 'info', conf => <<"END")
server { listen 127.0.0.1:%%PORT%%; root %%ROOT%%; $lines $status }
END
        : httpd(root => $root, log_level => 'warn iri:info',
            conf => "$lines\n$status\n");
}

# The counters after all responses.
sub counted {
    my ($server) = @_;
    $server->settle;
    my $answer = $server->get('/iri-status?format=json');
    return $answer->status == 200
        ? JSON::PP->new->utf8->decode($answer->body) : undef;
}

sub value {
    my ($json, $path) = @_;
    $json = $json->{$_} // {} for split /\./, $path;
    return ref $json ? 0 : $json;
}

sub numbers_are {
    my ($server, $head, $before, $test_name) = @_;
    my $after = counted($server);
    if (!$after) {
        diag "$test_name: this server does not count yet";
        return;
    }
    my %want = numbers($head);
    ok scalar keys %want, "$test_name: numbers";
    is value($after, $_) - value($before // {}, $_), $want{$_}, "$test_name: $_"
        for sort keys %want;
    return;
}

# Tests what the document says about the servers' logs.
sub log_is {
    my ($server, $kind) = @_;
    my @left = @shown;
    $server->settle;
    while (my ($command, $expected) = splice @left, 0, 2) {
        my $file = $server->tmp . '/error.log';
        (my $run = $command) =~ s/\berror\.log\b/'$file'/;
        my $got = `$run`;
        s/^ +//mg for $got, $expected;
        is $got, $expected, "$kind: $command";
    }
    return;
}

# The output of "iri advise" for the access log.
sub advise_is {
    my ($server, $kind, $root) = @_;
    my $log = $server->tmp . '/access.log';
    $server->wait_for(sub { 600 == (() = slurp($log) =~ /\n/g) });
    (my $run = $advise) =~ s/\baccess\.log\b/'$log'/;
    $run =~ s{/srv/www\b}{$root};
    local $ENV{PATH} = build_dir() . ":$ENV{PATH}";
    my $got = `$run`;
    like $got, IRI::Guide::pattern($advised), "$kind: $advise";
    return;
}

# Renames like convmv.
sub rename_pages {
    my ($dir) = @_;
    for my $name (@names) {
        rename "$dir/" . in_charset('cp932', "$name.html"),
            "$dir/" . in_charset('UTF-8', "$name.html") or die "$dir: $!\n";
    }
    return;
}

for my $kind (@servers) {
    my $root = temp_dir();
    mkdir "$root/hon" or die "$root: $!\n";
    spew("$root/hon/" . in_charset('cp932', "$_.html"), $content{$_})
        for @names;
    chmod 0755, $root, "$root/hon";
    my $is = sub {
        my ($server, $step) = @_;
        is_deeply replay($server, @CHARSETS), $statuses{$step}, "$kind: $step";
        return;
    };

    my $server = start($kind, $root, '', 0);
    $is->($server, 'before');
    advise_is($server, $kind, $root);

    $server = start($kind, $root, lines(1, $kind), 1);
    $is->($server, '1. report');
    log_is($server, $kind);
    numbers_are($server, 'step 1', undef, "$kind, step 1");

    $server = start($kind, $root, lines(2, $kind), 1);
    $is->($server, '2. on');

    $server = start($kind, $root, lines(3, $kind), 1);
    $is->($server, '3. redirect');
    numbers_are($server, '600 requests later', undef, "$kind, step 3");

    $server = start($kind, $root, lines(4, $kind), 1);
    $is->($server, '3. redirect');
    rename_pages("$root/hon");
    $is->($server, '4. renamed');
    my $before = counted($server);
    is_deeply replay($server, 'UTF-8'), [200], "$kind: the last replay";
    numbers_are($server, 'grew by', $before, "$kind, step 5");

    $server = start($kind, $root, lines(5, $kind), 0);
    $is->($server, '5. off');
}

done_testing;
