# How long other requests wait in nginx during the first request for the
# largest directory, whose index is built in a thread. For comparison, the same
# requests alone, and while another process builds the same index: that
# difference is due to the machine, not to nginx.
package IRI::Bench::Latency;
use strict;
use warnings;
use IRI::Bench::Table;
use IRI::Bench::Trees qw(name_of trees);
use IRI::Server qw(capture slurp);
use IRI::Nginx;
use List::Util 'max';
use POSIX ();

*number = \&IRI::Bench::Table::number;

my $MOST    = 5;      # additional ms of the worst request
my $SECONDS = 60;     # for building an index
my $CACHE   = '256m';

sub run {
    my ($class, $table, %option) = @_;
    my $size = max(@{ $option{sizes} });
    my $self = bless { %option, table => $table }, $class;
    $self->{root} = trees($option{trees}, "d$size");
    my $large = "/d$size/" . uc name_of('d', $size / 2);
    my %of;
    for my $round (1 .. $option{repeat}) {
        for my $situation (qw(first alone beside)) {
            push @{ $of{$situation} },
                $self->round($situation, $size, $large, \%of);
        }
    }
    $self->show($size, \%of);
    return;
}

# One nginx, whose cache is empty.
sub round {
    my ($self, $situation, $size, $large, $of) = @_;
    my $server = IRI::Bench::Latency::Nginx->new(master => 0,
        root => $self->{root}, stock => $situation ne 'first',
        log_level => 'crit', conf => <<"END")->start;
@{[$situation eq 'first' ? "iri on; iri_cache $CACHE; iri_match case;" : '']}
keepalive_requests 100000000;
access_log off;
log_not_found off;
sendfile on;
server { listen 127.0.0.1:%%PORT%%; root %%ROOT%%; }
END
    my $other;
    if ($situation eq 'beside') {
        $other = fork // die "fork: $!\n";
        if (!$other) {
            { exec "$self->{programs}/index", '--once', 'index', 'case',
                $self->{root}, "d$size" }
            POSIX::_exit(127);
        }
    }
    my $seconds = $situation eq 'first' ? $SECONDS
        : max(0.5, ($of->{first}[-1]{found} // 1000) / 1000);
    my ($code, $out, $err) = capture('', priority(),
        "$self->{programs}/latency", $server->port, $server->pid,
        '/small.html', $seconds, $situation eq 'first' ? $large : ());
    waitpid $other, 0 if $other;
    die "latency: $err\n" if $code;
    $server->stop;
    my %words = $out =~ /^(\w+) (\S+)$/mg;
    $self->{table}->figure('latency', $situation, $_, $words{$_})
        for sort keys %words;
    return \%words;
}

# The command that sets a priority for the first thread of a process only;
# empty if this is not permitted.
my @priority;
my $asked;
sub priority {
    my @command = qw(chrt --reset-on-fork --fifo 1);
    @priority = @command
        if !$asked++ && !system "@command true 2>/dev/null";
    return @priority;
}

sub show {
    my ($self, $size, $of) = @_;
    my $table = $self->{table};
    $table->text("### Other requests, while d$size is met for the first time");
    $table->text("ms, medians of $self->{repeat} rounds, of the worst the "
        . 'lower quartile, too: what nginx itself does comes in every round; '
        . 'the worst of all rounds in parentheses; busy: the most that the '
        . 'event loop itself was on a CPU during one of them; '
        . (priority() ? 'at' : 'without') . ' real-time priority.');
    $table->text('');
    $table->table(['', 'requests', 'median', '99.9th percentile',
        'worst, quartile', 'worst', 'busy',
        'answered', 'found'], map { line($_, @{ $of->{$_} }) }
        qw(alone beside first));
    my %worst = map { $_ => quartile(map { $_->{worst} } @{ $of->{$_} }) }
        keys %$of;
    $table->goal('nginx: worst while the index is built, more than alone, '
        . 'lower quartiles',
        $worst{first} - $worst{alone}, $MOST, 'ms');
    $table->text('');
    return;
}

sub line {
    my ($situation, @rounds) = @_;
    my %name = (
        alone => 'alone', beside => 'another process builds it',
        first => 'first request',
    );
    my $of = sub {
        my ($word) = @_;
        my @values = grep { defined } map { $_->{$word} } @rounds;
        return @values ? median(@values) : undef;
    };
    my ($median, $p999, $worst, $busy) = map { my $word = $_;
        sprintf '%.3f (%.3f)', $of->($word), max(map { $_->{$word} } @rounds)
    } qw(median p999 worst busy);
    return [$name{$situation}, number($of->('requests')), $median, $p999,
        sprintf('%.3f', quartile(map { $_->{worst} } @rounds)), $worst,
        $busy, map { number($_) } $of->('first'), $of->('found')];
}

sub quartile {
    my @sorted = sort { $a <=> $b } @_;
    return $sorted[@sorted / 4];
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return $sorted[@sorted / 2];
}

package IRI::Bench::Latency::Nginx;
use strict;
use warnings;
use parent -norequire, 'IRI::Nginx';

sub command {
    my ($self) = @_;
    return (IRI::Bench::Latency::priority(), $self->IRI::Nginx::command);
}

1;
