# The cost of a request, row by row: instructions and system calls without the
# module, with it and off, and on; and of other software, which supports a part
# of the rows. One server for each group: nginx, event (httpd with threads, one
# of them active), prefork.
package IRI::Bench::Request;
use strict;
use warnings;
use Encode qw(decode encode);
use IRI::Bench::Others;
use IRI::Bench::Server 'total';
use IRI::Bench::Table;
use IRI::Bench::Trees qw(name_of trees);
use Unicode::Normalize 'NFD';

*number = \&IRI::Bench::Table::number;

my $SIZE = 3000;    # names; requests for new ones use each once
my $PAGE = 500;     # the page for repeated requests

# Settings: in nginx's server {} and http {}; in httpd.
my $SITE   = 'server { listen 127.0.0.1:%%PORT%%; server_name first.example; }';
my $NAMES  = 'www.example.org xn--bcher-kva.example';
my $VHOSTS = <<'END';
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName first.example
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName www.example.org
    ServerAlias xn--bcher-kva.example
</VirtualHost>
END
my %NGINX = (
    off      => ['iri off;'],
    any      => ['iri on;'],
    nfc      => ['iri on; iri_filename_form nfc;'],
    sjis     => ['iri on; iri_charset Shift_JIS EUC-JP;'],
    1251     => ['iri on; iri_charset windows-1251;'],
    legacy   => ['iri on; iri_charset EUC-JP; iri_filename_charset EUC-JP;'],
    case     => ['iri on; iri_match case;'],
    redirect => ['iri on; iri_redirect 301;'],
    query    => ['iri on; iri_query_charset Shift_JIS;'],
    listing  => ['iri on; iri_listing on;'],
    host     => ["server_name $NAMES;", "iri on; iri_host on;\n$SITE"],
    sites    => ["server_name $NAMES;", "iri on;\n$SITE"],
);
my %HTTPD = (
    off      => 'IRIEngine Off',
    any      => 'IRIEngine On',
    nfc      => "IRIEngine On\nIRIFilenameForm nfc",
    sjis     => "IRIEngine On\nIRICharset Shift_JIS EUC-JP",
    1251     => "IRIEngine On\nIRICharset windows-1251",
    legacy   => "IRIEngine On\nIRICharset EUC-JP\nIRIFilenameCharset EUC-JP",
    case     => "IRIEngine On\nIRIMatch case",
    redirect => "IRIEngine On\nIRIRedirect 301",
    query    => "IRIEngine On\nIRIQueryCharset Shift_JIS",
    listing  => "IRIEngine On\nIRIListing On\n<Directory \"%%ROOT%%\">\n"
        . "Options +Indexes\n</Directory>",
    host     => "IRIEngine On\nIRIHost On\n$VHOSTS",
    sites    => "IRIEngine On\n$VHOSTS",
);

# Rows: a name; the settings; the target; the status with the module off, and
# on; the class of goals; the maximum of instructions for a repeated request,
# and for the first one; additional lookups of a repeated request; the other
# software that supports it.
my @ROWS = (
    ['ASCII', any => page('d', \&plain), 200, 200, 'ascii', 60, 60, 0],
    ['ASCII, absent', any => page('d', \&absent), 404, 404, 'ascii', 60, 60,
        0],
    ['ASCII, escaped', any => page('d', \&each_escaped), 200, 200],
    languages('', 'any', \&plain, 200, 200, 'any', 700, undef, 1),
    ['Japanese, raw', any => page('ja', \&plain, \&raw), 200, 200, 'any',
        700, undef, 1],
    languages('', 'nfc', \&plain, 200, 200, 'nfc', 400, undef, 0),
    languages(' in NFD', 'any', \&in_nfd, 404, 200, 'nfd', 350, 2500, 1,
        'nfd'),
    languages(' in NFD', 'nfc', \&in_nfd, 404, 200, 'nfd', 350, 2500, 0,
        'nfd'),
    ['Japanese in NFD, raw', any => page('ja', \&in_nfd, \&raw), 404, 200,
        'nfd', 350, 2500, 1, 'nfd'],
    ['Shift_JIS', sjis => page('ja', in('cp932')), 404, 200, 'legacy', 350,
        2000, 1, 'sjis'],
    ['Shift_JIS, raw', sjis => page('ja', in('cp932'), \&raw), 404, 200,
        'legacy', 350, 2000, 1, 'sjis'],
    ['EUC-JP, second of two', sjis => page('ja', in('euc-jp')), 404, 200,
        'legacy', 350, 3000, 1, 'euc'],
    ['windows-1251', 1251 => page('ru', in('cp1251')), 404, 200, 'legacy',
        350, 2000, 1, '1251'],
    ['UTF-8, tree in EUC-JP', legacy => page('ej', \&plain, undef, 'ja'),
        404, 200, 'tree', 350, 2500, 1, 'tree'],
    languages(', absent', 'any', \&absent, 404, 404, 'absent', 400, 1000, 2),
    ['Shift_JIS, absent', sjis => page('ja', absent_in('cp932')), 404, 404,
        'absent', 400, 2000, 2],
    ['EUC-JP, absent', sjis => page('ja', absent_in('euc-jp')), 404, 404,
        'absent', 400, 2000, 2],
    ['windows-1251, absent', 1251 => page('ru', absent_in('cp1251')), 404,
        404, 'absent', 400, 1000, 2],
    ['another case', case => page('d', sub { $_[0] =~ s/page-n/PAGE-N/r }),
        404, 200, 'fold', 1500, 1500, 1, 'case'],
    ['another case, absent', case => page('d', \&absent), 404, 404, 'fold',
        1500, 1500, 2],
    ['redirect of NFD', redirect => page('ja', \&in_nfd), 404, 301, undef,
        undef, undef, undef, 'nfd'],
    ['query in Shift_JIS', query => with_query('%83K%83C%83h'), 200, 200],
    ['query in ASCII', query => with_query('guide'), 200, 200],
    ['listing of 100 names', listing => sub { '/d100/' }, [403, 404], 200,
        undef, undef, undef, undef, 'listing'],
    ['host in ASCII', host => on_host('www.example.org'), 200, 200, 'host',
        30, undef, 0],
    ['host percent-encoded', host => on_host('B%C3%BCcher.example'),
        [200, 400, 404], 200],
);

# The names of the classes of goals in the report.
our %CLASSES = (
    off    => 'loaded, off',
    ascii  => 'ASCII hit or 404',
    nfc    => 'UTF-8 NFC hit, tree `nfc`',
    any    => 'UTF-8 NFC hit, tree `any`',
    nfd    => 'NFD request on NFC tree',
    legacy => 'legacy charset on UTF-8 tree',
    tree   => 'UTF-8 request on a legacy tree',
    absent => 'non-ASCII 404',
    fold   => 'folded match or absent',
    host   => 'ASCII host',
);
my $MOST_OFF = 40;

sub run {
    my ($class, $table, %option) = @_;
    my $self = bless { %option, table => $table }, $class;
    $self->{what} = $option{group};
    my @rows = map { { %$_ } } rows($option{rows});
    $self->{root} = trees($option{trees}, directories(@rows));
    my @columns = grep {
        !$option{columns} || ",$option{columns}," =~ /,$_->[0],/
    } ['bare'], ['off'], ['on'],
        IRI::Bench::Others->of($self->{what}, $SIZE);
    $self->column($_, @rows) for @columns;
    $self->show([map { $_->[0] } @columns], @rows);
    return;
}

# The rows whose name, after the settings, matches.
sub rows {
    my ($pattern) = @_;
    my @names = qw(id on target off wanted class again first looks peers);
    my @rows  = map { my %row; @row{@names} = @$_; \%row } @ROWS;
    for my $row (@rows) {
        $row->{id} = "$row->{on}: $row->{id}"
            if $row->{on} =~ /^(?:any|nfc)$/;
        $row->{off} = [$row->{off}] if !ref $row->{off};
    }
    return grep { $_->{id} =~ /$pattern/ } @rows;
}

# The directories that the rows request, and compare with.
sub directories {
    my %seen;
    my @targets = map { $_->{target}->(0), base($_)->(0) } @_;
    return grep { !$seen{$_}++ }
        map { m{^/(\w+)/} } map { ref $_ ? $_->{target} : $_ } @targets;
}

# ---- requests ---------------------------------------------------------------

# A function from the number of a page to a target: the directory, how the name
# is encoded, how it is escaped, and the directory in which the page has its
# name in UTF-8.
sub page {
    my ($directory, $written, $escaped, $as) = @_;
    $escaped ||= \&escaped;
    $as      //= $directory;
    return sub {
        my ($number) = @_;
        my $name = decode('UTF-8', name_of($as, $number));
        return "/$directory$SIZE/" . $escaped->($written->($name));
    };
}

sub languages {
    my ($server_kind, $on, $written, @rest) = @_;
    my %name = (ja => 'Japanese', fr => 'French', ko => 'Korean',
        vi => 'Vietnamese');
    return map { ["$name{$_}$server_kind", $on, page($_, $written), @rest] }
        qw(ja fr ko vi);
}

# The characters of a name, and its octets.
sub plain  { return encode('UTF-8', $_[0]) }
sub absent { return encode('UTF-8', "x$_[0]") }
sub in_nfd { return encode('UTF-8', NFD($_[0])) }

# All octets escaped, also those that need no escape.
sub each_escaped {
    return plain($_[0]) =~ s/(.)/sprintf '%%%02X', ord $1/gesr;
}

sub in {
    my ($charset) = @_;
    return sub { return encode($charset, my $copy = $_[0]) };
}

sub absent_in {
    my ($charset) = @_;
    return sub { return encode($charset, my $copy = "x$_[0]") };
}

sub escaped {
    return $_[0] =~ s/([\x80-\xFF])/sprintf '%%%02X', ord $1/ger;
}

sub raw { return $_[0] }

sub with_query {
    my ($query) = @_;
    my $page = page('d', \&plain);
    return sub { return $page->(@_) . "?q=$query" };
}

sub on_host {
    my ($host) = @_;
    my $page = page('d', \&plain);
    return sub { return { target => $page->(@_), host => $host } };
}

# The page of a row as a bare server finds it: in UTF-8 and NFC, escaped. A
# target that a bare server finds, or that does not exist, is compared with
# itself.
sub base {
    my ($row) = @_;
    return $row->{target} if $row->{id} =~ /absent/;
    return $row->{target} if grep { $_ == 200 } @{ $row->{off} };
    my $there = $row->{target}->($PAGE);
    my ($kind) = $there =~ m{^/([a-z]+)$SIZE/} or return $row->{target};
    return page($kind eq 'ej' ? 'ja' : $kind, \&plain);
}

# ---- measuring ---------------------------------------------------------------

# All cells of one column into $row->{cells}{NAME}: status, ir and calls, and
# those of the first request in new; with the module off also of the base.
sub column {
    my ($self, $column, @rows) = @_;
    my ($name, $conf, $for) = @$column;
    my %by;
    push @{ $by{ $self->settings($name, $_) } }, $_ for @rows;
    for my $settings (sort keys %by) {
        for my $tool ('callgrind', undef) {
            $self->{known} = {};
            my $server = IRI::Bench::Server::new_server($self->{what},
                root => $self->{root}, tool => $tool,
                $conf ? %$conf : $self->conf($settings));
            $self->cell($server, $name, $for, $_, $tool)
                for @{ $by{$settings} };
            $server->stop;
            die "$self->{what}: ", join("\n", $server->errors), "\n"
                if $server->errors && !$conf;
        }
    }
    return;
}

# The settings of a row; those with hosts have sites.
sub settings {
    my ($self, $name, $row) = @_;
    return $name if $name !~ /^(?:bare|off|on)$/;
    return $row->{on} if $name eq 'on';
    return $row->{on} eq 'host' && $name eq 'off' ? 'sites' : $name;
}

sub conf {
    my ($self, $settings) = @_;
    return (stock => 1) if $settings eq 'bare';
    return (conf => $HTTPD{$settings}) if $self->{what} ne 'nginx';
    my ($places, $conf) = @{ $NGINX{$settings} };
    return (places => $places, conf => $conf // '');
}

sub cell {
    my ($self, $server, $name, $for, $row, $tool) = @_;
    my $peer = $name !~ /^(?:bare|off|on)$/;
    my $cell = $row->{cells}{$name} //= {};
    print STDERR "$self->{what}, $name, ", $tool // 'strace',
        ", $row->{id}\n" if $self->{verbose};
    my $again = sub { return $row->{target}->($PAGE) };
    $self->status($server, $name, $for, $row, $cell, $again);
    $server->ask($again, 5);
    $self->spend($server, $again, $tool, $cell);
    if ($name eq 'on' && $row->{id} !~ /^listing|^host|^query/) {
        $self->spend($server, sub {
            return $row->{target}->(++$self->{asked} % $SIZE);
        }, $tool, $cell->{new} //= {}, 1);
    }
    return if $name ne 'off';
    my $target = base($row);
    $cell->{base} //= { status => $cell->{status} };
    if ($target == $row->{target}) {
        @{ $cell->{base} }{qw(ir calls)} = @$cell{qw(ir calls)};
        return;
    }
    $self->spend($server, sub { $target->($PAGE) }, $tool, $cell->{base});
    return;
}

# Instructions or calls of a request, into a cell; those of an identical
# request are reused.
sub spend {
    my ($self, $server, $target, $tool, $cell, $new) = @_;
    my $measure = $tool ? 'ir' : 'calls';
    my $one  = $new ? undef : $target->();
    my $key  = ref $one || !defined $one ? undef : $one;
    my $value = defined $key ? $self->{known}{$key} : undef;
    $value //= $tool
        ? ($server->instructions($target, $self->{requests}))[0]->sum
        : $server->calls($target);
    $cell->{$measure} = $value;
    $self->{known}{$key} = $value if defined $key;
    return;
}

# The status, and whether it is the expected one. Other software that does not
# support a row may answer 404.
sub status {
    my ($self, $server, $name, $for, $row, $cell, $target) = @_;
    my $answer = $name eq 'on' ? $server->ask_until($target, $row->{wanted})
        : $server->ask($target);
    $cell->{status} = $answer->status;
    my @wanted = $name eq 'on' ? $row->{wanted}
        : $name =~ /^(?:bare|off)$/ ? @{ $row->{off} }
        : $for && $row->{peers} && $row->{peers} =~ $for ? (200, 301)
        : (200, 301, 404, @{ $row->{off} });
    $self->{table}->status("$self->{what} $row->{id}, $name",
        $cell->{status}, @wanted);
    return;
}

# ---- showing -----------------------------------------------------------------

sub show {
    my ($self, $columns, @rows) = @_;
    my $table = $self->{table};
    my $server_kind  = $self->{what};
    $table->text("### $server_kind: a request");
    $table->text('Instructions, system calls, and the status where it is not '
        . '200; "first" of names that were not asked for before.');
    $table->text('');
    my @heads = map { $_ eq 'on' ? ('on, first', 'on, again') : $_ }
        @$columns;
    my @lines;
    for my $row (@rows) {
        my @cells = map { my $cell = $row->{cells}{$_};
            $_ eq 'on'
                ? (text({ %{ $cell->{new} // {} },
                    status => $cell->{status} }), text($cell))
                : text($cell) } @$columns;
        push @lines, [$row->{id}, @cells];
        $self->figures($row);
    }
    $table->table(['', @heads], @lines);
    my %shown = map { $_ => 1 } @$columns;
    $self->differences(@rows) if $shown{off} && $shown{on};
    $self->goals(\%shown, @rows);
    return;
}

sub text {
    my ($cell) = @_;
    return '' if !defined $cell->{ir};
    my $text = number($cell->{ir}) . ', ' . total($cell->{calls});
    $text .= ", $cell->{status}" if $cell->{status} != 200;
    return $text;
}

sub figures {
    my ($self, $row) = @_;
    for my $name (sort keys %{ $row->{cells} }) {
        my $cell = $row->{cells}{$name};
        my %part = ($name => $cell, "$name-first" => $cell->{new},
            "$name-base" => $cell->{base});
        for my $part (grep { $part{$_} } sort keys %part) {
            my $of = $part{$part};
            my %value = (instructions => sprintf('%.1f', $of->{ir}),
                calls => total($of->{calls}), looks => looks($of->{calls}));
            $value{status} = $of->{status} if defined $of->{status};
            $self->{table}->figure('request', $self->{what}, $row->{id},
                $part, $_, $value{$_}) for sort keys %value;
        }
    }
    return;
}

# System calls that look up a name or list a directory.
sub looks {
    my ($calls) = @_;
    my $sum = 0;
    $sum += $calls->{$_} // 0
        for qw(stat lstat newfstatat statx access faccessat openat open
        readlink readlinkat getdents64);
    return sprintf '%.0f', $sum;
}

# The difference between on for the request and off for the page, or for the
# same 404.
sub more {
    my ($row, $part) = @_;
    my $on   = $row->{cells}{on};
    my $base = $row->{cells}{off}{base};
    $on = $on->{new} if $part eq 'first';
    return if !$on;
    return ($on->{ir} - $base->{ir},
        looks($on->{calls}) - looks($base->{calls}));
}

sub differences {
    my ($self, @rows) = @_;
    my $table = $self->{table};
    $table->text("### $self->{what}: what a request costs more");
    $table->text('On less off. Off is asked for the same page in UTF-8 and '
        . 'NFC, percent-encoded, where it does not find the row itself; looks '
        . 'are calls that look at names.');
    $table->text('');
    $table->table(['', 'instructions, first', 'again', 'looks, first',
        'again'], map {
            my ($first, $few) = more($_, 'first');
            my ($again, $looks) = more($_, 'again');
            [$_->{id}, number($first), number($again), number($few),
                number($looks)]
        } @rows);
    return;
}

sub goals {
    my ($self, $shown, @rows) = @_;
    my $table = $self->{table};
    my $server_kind  = $self->{what};
    for my $row (grep { $_->{class} } @rows) {
        my $class = $CLASSES{ $row->{class} };
        if ($row->{class} eq 'ascii' && $shown->{bare} && $shown->{off}) {
            my ($bare, $off) = @{ $row->{cells} }{qw(bare off)};
            $table->goal("$server_kind $row->{id}, off",
                $off->{ir} - $bare->{ir},
                $MOST_OFF, 'instructions', $CLASSES{off});
            $table->goal("$server_kind $row->{id}, off, looks",
                looks($off->{calls}) - looks($bare->{calls}), 0, 'looks',
                $CLASSES{off});
        }
        next if !$shown->{on} || !$shown->{off};
        my ($again, $looks) = more($row, 'again');
        $table->goal("$server_kind $row->{id}, again", $again, $row->{again},
            'instructions', $class);
        $table->goal("$server_kind $row->{id}, again, looks", $looks,
            $row->{looks}, 'looks', $class);
        next if !defined $row->{first};
        my ($first) = more($row, 'first');
        $table->goal("$server_kind $row->{id}, first", $first, $row->{first},
            'instructions', $class);
    }
    $table->text('');
    return;
}

1;
