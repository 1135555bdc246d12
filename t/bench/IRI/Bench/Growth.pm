# How the cost of a target grows with its length, up to the limit of a server:
# instructions that the module adds for targets that were not requested before,
# and the CPU time for the most expensive length: a segment that is too long
# for a file name is not looked up.
package IRI::Bench::Growth;
use strict;
use warnings;
use Cwd ();
use IRI::Bench::Figures 'median';
use IRI::Bench::Server;
use IRI::Bench::Table;
use IRI::Server 'temp_dir';
use List::Util 'max';

*number = \&IRI::Bench::Table::number;

my @LENGTHS = (256, 1024, 2048, 4096, 8000);
my $LEVELS  = 900;     # of directories
my $TIMED   = 100;     # requests
my $COUNTED = 10;
my $MOST    = 5;       # ms
# Growth is linear if instructions grow at most by this factor more than
# octets.
my $LINEAR  = 1.25;
my $FEW     = 'Shift_JIS EUC-JP windows-1252';
my $WORDS   = 'width case accents spelling';
my %OFF = (nginx => { places => 'iri off;' },
    prefork => { conf => 'IRIEngine Off' });
my %ON = (nginx => {
        places => "iri on; iri_charset $FEW; iri_match $WORDS;" },
    prefork => { conf => "IRIEngine On\nIRICharset $FEW\nIRIMatch $WORDS" });
# A request line is longer than its target.
my %LONG = (nginx => { conf => 'large_client_header_buffers 4 16k;' },
    prefork => { conf => 'LimitRequestLine 16000' });

# The repeated part of a target: 60 octets or more, then "/".
my @KINDS = (
    ['ASCII',             'a' x 60],
    ['UTF-8 in NFC',      '%E3%82%AC' x 7],
    ['UTF-8 in NFC, raw', "\xE3\x82\xAC" x 20],
    ['UTF-8 in NFD',      '%E3%82%AB%E3%82%99' x 4],
    ['marks in disorder', 'a' . '%CC%81%CC%A3' x 5],
    ['marks, no slash',   '%CC%81%CC%A3', ''],
    ['Shift_JIS',         '%83K' x 15],
    ['invalid octets',    '%FF' x 20],
    ['directories, NFD on disk', '%C3%A9'],
);

sub run {
    my ($class, $table, %option) = @_;
    my $self = bless { %option, table => $table, root => temp_dir() },
        $class;
    tree($self->{root});
    $table->text('### Growth with the length of the target');
    $table->text("Instructions that on adds, `iri_charset $FEW`, `iri_match "
        . "$WORDS`; each target is new; behind it ms on a CPU of the length "
        . 'that takes most, with the module on, and off.');
    $table->text('');
    for my $server_kind (grep { !$option{server} || $_ =~ /$option{server}/ }
        qw(nginx prefork))
    {
        $self->server($server_kind);
    }
    return;
}

# Nested directories, each with a name in NFD.
sub tree {
    my ($root) = @_;
    my $home = Cwd::getcwd();
    chdir $root or die "$root: $!\n";
    for (1 .. $LEVELS) {
        mkdir "e\xCC\x81";
        chdir "e\xCC\x81" or die "no directory: $!\n";
    }
    chdir $home or die "$home: $!\n";
    return;
}

sub server {
    my ($self, $server_kind) = @_;
    my $table = $self->{table};
    my (%ir, %ms);
    for my $name ('off', 'on') {
        my $server = $self->start($server_kind, $name, 'callgrind');
        for my $kind (@KINDS) {
            push @{ $ir{ $kind->[0] }{$name} },
                map { $self->counted($server, $server_kind, $name, $kind, $_) }
                @LENGTHS;
        }
        $server->stop;
    }
    for my $name ('off', 'on') {
        my $server = $self->start($server_kind, $name);
        for my $kind (@KINDS) {
            my $on     = $ir{ $kind->[0] }{on};
            my ($most) = sort { $on->[$b] <=> $on->[$a] } 0 .. $#LENGTHS;
            $ms{ $kind->[0] }{$name} =
                $self->timed($server, $kind, $LENGTHS[$most]);
        }
        $server->stop;
    }
    my (@lines, @goals);
    for my $kind (map { $_->[0] } @KINDS) {
        my ($on, $off) = @{ $ir{$kind} }{qw(on off)};
        my @more = map { $on->[$_] - $off->[$_] } 0 .. $#LENGTHS;
        $table->figure('growth', $server_kind, $kind, $LENGTHS[$_],
            sprintf '%.0f',
            $more[$_]) for 0 .. $#LENGTHS;
        $table->figure('growth', $server_kind, $kind, "ms $_", sprintf '%.4f',
            $ms{$kind}{$_}) for 'off', 'on';
        push @lines, ["$server_kind: $kind", map({ number(sprintf '%.0f', $_) }
            @more), sprintf('%.3f', $ms{$kind}{on}),
            sprintf('%.3f', $ms{$kind}{off})];
        push @goals, ["$server_kind $kind: growth, of that of octets",
            growth(@more), $LINEAR, ''];
        push @goals, ["$server_kind $kind: worst length", $ms{$kind}{on}, $MOST,
            'ms'];
    }
    $table->table(['', map({ number($_) } @LENGTHS), 'on, ms', 'off, ms'],
        @lines);
    $table->goal(@$_) for @goals;
    $table->text('');
    return;
}

# The largest factor by which instructions grow more than octets do, from one
# length to the next.
sub growth {
    my (@more) = @_;
    my @steps = map { ($more[$_] / $more[$_ - 1])
            / ($LENGTHS[$_] / $LENGTHS[$_ - 1]) }
        grep { $more[$_ - 1] > 0 } 1 .. $#more;
    return max(0, @steps);
}

sub start {
    my ($self, $server_kind, $name, $tool) = @_;
    my %conf = %{ ($name eq 'on' ? \%ON : \%OFF)->{$server_kind} };
    $conf{$_} = "$LONG{$server_kind}{$_}\n" . ($conf{$_} // '')
        for keys %{ $LONG{$server_kind} };
    return IRI::Bench::Server::new_server($server_kind, root => $self->{root},
        tool => $tool, %conf);
}

# A function from a number to a target of that kind and length.
sub target {
    my ($kind, $length) = @_;
    my (undef, $piece, $end) = @$kind;
    $end //= '/';
    return sub {
        my ($number) = @_;
        my $tail = sprintf 'x%07d', $number;
        my $times = int(($length - 1 - length $tail) / length "$piece$end");
        return '/' . "$piece$end" x $times . $tail;
    };
}

sub counted {
    my ($self, $server, $server_kind, $name, $kind, $length) = @_;
    my $target = target($kind, $length);
    print STDERR "growth $server_kind, $name, $kind->[0] $length\n"
        if $self->{verbose};
    my $status = $server->ask($target)->status;
    $self->{table}->status("growth $server_kind $kind->[0] $length, $name",
        $status,
        403, 404);
    # The cost of a dump is the same with the module off.
    $server->ask($target, 3);
    $server->counted;
    $server->ask($target, $COUNTED);
    return IRI::Bench::Profile->of($server->counted)->by($COUNTED)->sum;
}

# CPU time in ms.
sub timed {
    my ($self, $server, $kind, $length) = @_;
    my $target = target($kind, $length);
    $server->ask($target, 20);
    my @ms;
    for (1 .. 5) {
        my $before = $server->on_cpu;
        $server->ask($target, $TIMED / 5);
        push @ms, 1e3 * ($server->on_cpu - $before) / ($TIMED / 5);
    }
    return median(@ms);
}

1;
