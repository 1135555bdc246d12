# The cost of a request, row by row: instructions and system calls without the
# module, with it and off, and on; and of other software, which supports a part
# of the rows. One server for each group: nginx, event (httpd with threads, one
# of them active), prefork. Each request has another name.
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

my $SIZE = 3000;    # names

# Settings: in nginx's server {} and http {}; in httpd.
my $SITE   = 'server { listen 127.0.0.1:%%PORT%%; server_name first.example; }';
my $NAMES  = 'www.example.org xn--bcher-kva.example';
my $CACHE  = 'open_file_cache max=10000 inactive=600s; '
    . 'open_file_cache_valid 600s;';
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
    cached   => ["$CACHE iri on;"],
    'cached-off' => ["$CACHE iri off;"],
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
# on; the class of goals; the other software that supports it.
my @ROWS = (
    ['ASCII', any => page('d', \&plain), 200, 200, 'ascii'],
    ['ASCII, absent', any => page('d', \&absent), 404, 404, 'ascii'],
    ['ASCII, escaped', any => page('d', \&each_escaped), 200, 200],
    languages('', 'any', \&plain, 200, 200, 'any'),
    ['Japanese, raw', any => page('ja', \&plain, \&raw), 200, 200, 'any'],
    languages('', 'nfc', \&plain, 200, 200, 'nfc'),
    languages(' in NFD', 'any', \&in_nfd, 404, 200, 'nfd', 'nfd'),
    languages(' in NFD', 'nfc', \&in_nfd, 404, 200, 'nfd-nfc', 'nfd'),
    ['Japanese in NFD, raw', any => page('ja', \&in_nfd, \&raw), 404, 200,
        'nfd', 'nfd'],
    ['Shift_JIS', sjis => page('ja', in('cp932')), 404, 200, 'legacy',
        'sjis'],
    ['Shift_JIS, raw', sjis => page('ja', in('cp932'), \&raw), 404, 200,
        'legacy', 'sjis'],
    ['EUC-JP, second of two', sjis => page('ja', in('euc-jp')), 404, 200,
        'second', 'euc'],
    ['windows-1251', 1251 => page('ru', in('cp1251')), 404, 200, 'legacy',
        '1251'],
    ['UTF-8, tree in EUC-JP', legacy => page('ej', \&plain, undef, 'ja'),
        404, 200, 'tree', 'tree'],
    languages(', absent', 'any', \&absent, 404, 404, 'absent'),
    ['Shift_JIS, absent', sjis => page('ja', absent_in('cp932')), 404, 404,
        'absent'],
    ['EUC-JP, absent', sjis => page('ja', absent_in('euc-jp')), 404, 404,
        'absent'],
    ['windows-1251, absent', 1251 => page('ru', absent_in('cp1251')), 404,
        404, 'absent'],
    ['another case', case => page('d', sub { $_[0] =~ s/page-n/PAGE-N/r }),
        404, 200, 'fold', 'case'],
    ['another case, absent', case => page('d', \&absent), 404, 404, 'fold'],
    ['redirect of NFD', redirect => page('ja', \&in_nfd), 404, 301, undef,
        'nfd'],
    ['query in Shift_JIS', query => with_query('%83K%83C%83h'), 200, 200],
    ['query in ASCII', query => with_query('guide'), 200, 200],
    ['listing of 100 names', listing => sub { '/d100/' }, [403, 404], 200,
        undef, 'listing'],
    ['host in ASCII', host => on_host('www.example.org'), 200, 200, 'host'],
    ['host percent-encoded', host => on_host('B%C3%BCcher.example'),
        [200, 400, 404], 200],
    ['Japanese, open_file_cache', cached => page('ja', \&plain), 200, 200,
        'cached'],
);

# Classes of goals: the name in the report, if it is there; at most so many instructions more
# than with the module off, in nginx; so many lookups on disk; the ratio of CPU
# time.
our %CLASSES = (
    off       => ['', 40, 0, 1.00],
    ascii     => ['ASCII hit or 404', 200, 0, 1.00],
    nfc       => ['UTF-8 NFC hit, tree `nfc`', 1300, 0, 1.02],
    any       => ['UTF-8 NFC hit, tree `any`', 2500, 1, 1.10],
    'nfd-nfc' => ['NFD request on NFC tree, `nfc`', 5000, 0, 1.10],
    nfd       => ['NFD request on NFC tree, `any`', 6000, 1, 1.20],
    legacy    => ['legacy charset on UTF-8 tree', 3500, 1, 1.15],
    second    => ['EUC-JP, second of two charsets', 10_000, 3, 1.40],
    tree      => ['UTF-8 request on a legacy tree', 5000, 1, 1.20],
    absent    => ['non-ASCII 404', 4500, 2, 1.30],
    fold      => ['folded match or absent', 7500, 2, 1.40],
    host      => ['ASCII host', 120, 0, 1.01],
    cached    => ['UTF-8 NFC hit, `open_file_cache`', 2500, 0, 1.05],
);
my %HTTPD_GOAL = (off => 40, ascii => 350, host => 300);
my $HTTPD_MORE = 1500;

# The goals of a class: instructions, lookups, CPU time.
sub goal {
    my ($server_kind, $class) = @_;
    my (undef, $most, @rest) = @{ $CLASSES{$class} };
    $most = $HTTPD_GOAL{$class} // $most + $HTTPD_MORE
        if $server_kind ne 'nginx';
    return ($most, @rest);
}

sub new {
    my ($class, $table, %option) = @_;
    return bless { %option, table => $table, what => $option{group} }, $class;
}

sub run {
    my ($class, $table, %option) = @_;
    my $self = $class->new($table, %option);
    my @rows = $self->rows;
    my @columns = grep {
        !$option{columns} || ",$option{columns}," =~ /,$_->[0],/
    } ['bare'], ['off'], ['on'],
        IRI::Bench::Others->of($self->{what}, $SIZE);
    $self->column($_, @rows) for @columns;
    $self->show([map { $_->[0] } @columns], @rows);
    return;
}

# The rows whose name, after the settings, matches; creates their trees.
sub rows {
    my ($self) = @_;
    my @names = qw(id on target off wanted class peers);
    my @rows  = map { my %row; @row{@names} = @$_; \%row } @ROWS;
    for my $row (@rows) {
        $row->{id} = "$row->{on}: $row->{id}"
            if $row->{on} =~ /^(?:any|nfc)$/;
        $row->{off} = [$row->{off}] if !ref $row->{off};
    }
    @rows = grep { $_->{id} =~ /$self->{rows}/
        && ($self->{what} eq 'nginx' || $_->{on} ne 'cached') } @rows;
    $self->{root} = trees($self->{trees}, directories(@rows));
    return @rows;
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
    my ($label, $on, $written, @rest) = @_;
    my %name = (ja => 'Japanese', fr => 'French', ko => 'Korean',
        vi => 'Vietnamese');
    return map { ["$name{$_}$label", $on, page($_, $written), @rest] }
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
    my ($kind) = $row->{target}->(0) =~ m{^/([a-z]+)$SIZE/}
        or return $row->{target};
    return page($kind eq 'ej' ? 'ja' : $kind, \&plain);
}

# The targets of a row, one after another.
sub each_name {
    my ($target) = @_;
    my $number = 0;
    return sub { return $target->($number++ % $SIZE) };
}

# ---- measuring ---------------------------------------------------------------

# All cells of one column into $row->{cells}{NAME}: status, ir and calls; with
# the module off also of the base.
sub column {
    my ($self, $column, @rows) = @_;
    my ($name, $conf, $for) = @$column;
    my %by;
    push @{ $by{ $self->settings($name, $_) } }, $_ for @rows;
    for my $settings (sort keys %by) {
        for my $tool ('callgrind', undef) {
            my $server = $self->server($settings, tool => $tool,
                $conf ? %$conf : ());
            $self->cell($server, $name, $for, $_, $tool)
                for @{ $by{$settings} };
            $server->stop;
            die "$self->{what}: ", join("\n", $server->errors), "\n"
                if $server->errors && !$conf;
        }
    }
    return;
}

# A server with these settings, unless the options have others.
sub server {
    my ($self, $settings, %option) = @_;
    return IRI::Bench::Server::new_server($self->{what},
        root => $self->{root}, $self->conf($settings), %option);
}

# The settings of a row; "off" is that of the same server.
sub settings {
    my ($self, $name, $row) = @_;
    return $name if $name !~ /^(?:bare|off|on)$/;
    return $row->{on} if $name eq 'on';
    return $name if $name eq 'bare';
    return { host => 'sites', cached => 'cached-off' }->{ $row->{on} }
        // 'off';
}

sub conf {
    my ($self, $settings) = @_;
    return (stock => 1) if $settings eq 'bare';
    return (conf => $HTTPD{$settings}) if $self->{what} ne 'nginx';
    my ($places, $conf) = @{ $NGINX{$settings} // return };
    return (places => $places, conf => $conf // '');
}

sub cell {
    my ($self, $server, $name, $for, $row, $tool) = @_;
    my $cell = $row->{cells}{$name} //= {};
    print STDERR "$self->{what}, $name, ", $tool // 'strace',
        ", $row->{id}\n" if $self->{verbose};
    $self->status($server, $name, $for, $row, $cell);
    $self->spend($server, $row, $row->{target}, $tool, $cell);
    return if $name ne 'off';
    my $base = base($row);
    return $row->{cells}{base} = $cell if $base == $row->{target};
    return $self->spend($server, $row, $base, $tool,
        $row->{cells}{base} //= {});
}

# Instructions or calls of a request, into a cell.
sub spend {
    my ($self, $server, $row, $target, $tool, $cell) = @_;
    $server->ask(each_name($target), $SIZE) if $row->{on} eq 'cached';
    if ($tool) {
        my ($profile) = $server->instructions(each_name($target),
            $self->{requests});
        $cell->{ir} = $profile->sum;
    } else {
        $cell->{calls} = $server->calls(each_name($target));
    }
    return;
}

# The status, and whether it is the expected one. Other software that does not
# support a row may answer 404.
sub status {
    my ($self, $server, $name, $for, $row, $cell) = @_;
    my $target = sub { return $row->{target}->(0) };
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
    $table->text("### $self->{what}: a request");
    $table->text('Instructions, system calls, and the status where it is not '
        . '200. More: on less off, instructions and lookups; off is asked for '
        . 'the same page in UTF-8 and NFC, percent-encoded, where it does not '
        . 'find the row itself.');
    $table->text('');
    $table->table(['', @$columns, 'more'], map { my $row = $_;
        [$row->{id}, map({ text($row->{cells}{$_}) } @$columns),
            join ', ', map { number($_) } more($row, 'on', 'base')] } @rows);
    for my $row (@rows) {
        $self->figures($row);
        $self->goals($row);
    }
    $table->text('');
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
        my $of    = $row->{cells}{$name};
        my %value = (instructions => sprintf('%.1f', $of->{ir}),
            calls => total($of->{calls}), lookups => lookups($of->{calls}));
        $value{status} = $of->{status} if defined $of->{status};
        $self->{table}->figure('request', $self->{what}, $row->{id},
            $name, $_, $value{$_}) for sort keys %value;
    }
    return;
}

# System calls that look up a name or list a directory.
sub lookups {
    my ($calls) = @_;
    my $sum = 0;
    $sum += $calls->{$_} // 0
        for qw(stat lstat newfstatat statx access faccessat openat open
        readlink readlinkat getdents64);
    return sprintf '%.0f', $sum;
}

# Instructions and lookups of one column of a row less those of another.
sub more {
    my ($row, @columns) = @_;
    my ($on, $off) = @{ $row->{cells} }{@columns};
    return if !$on || !$off;
    return ($on->{ir} - $off->{ir},
        lookups($on->{calls}) - lookups($off->{calls}));
}

sub goals {
    my ($self, $row) = @_;
    my $class = $row->{class} or return;
    $self->goal_of($row, $class, 'on', 'base');
    $self->goal_of($row, 'off', 'off', 'bare') if $class eq 'ascii';
    return;
}

sub goal_of {
    my ($self, $row, $class, @columns) = @_;
    my ($ir, $lookups) = more($row, @columns) or return;
    my ($most, $most_lookups) = goal($self->{what}, $class);
    my $subject = "$self->{what} $row->{id}, $columns[0]";
    my $label   = $CLASSES{$class}[0];
    $self->{table}->goal($subject, $ir, $most, 'instructions', $label);
    $self->{table}->goal("$subject, lookups", $lookups, $most_lookups,
        'lookups', $label);
    return;
}

1;
