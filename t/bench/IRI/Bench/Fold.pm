# The cost of finding a name in another case, width or with other accents, by
# the size of the directory: instructions and system calls of a request,
# without the module, with it and off, and on; in httpd also mod_speling, which
# answers with a redirect, so that a second request follows.
package IRI::Bench::Fold;
use strict;
use warnings;
use Encode 'encode';
use IRI::Bench::Server 'total';
use IRI::Bench::Table;
use IRI::Bench::Trees qw(name_of trees);

*number = \&IRI::Bench::Table::number;


# Columns: whether our module is loaded, directives for the server and for the
# tree; %s is a level of iri_match.
my %COLUMNS = (
    nginx => [
        bare => { stock => 1 },
        off  => { places => 'iri off;' },
        on   => { places => 'iri on; iri_cache 256m; iri_match %s;' },
    ],
    httpd => [
        bare => { stock => 1 },
        off  => { conf => 'IRIEngine Off' },
        on   => {
            conf => "IRIEngine On\nIRICache 256m\n", tree => 'IRIMatch %s',
        },
        case => {
            stock => 1, modules => ['speling'],
            tree  => "CheckSpelling On\nCheckCaseOnly On",
        },
        speling => {
            stock => 1, modules => ['speling'], tree => 'CheckSpelling On',
        },
    ],
);

# Limits of the difference between on and off.
my $MOST   = 1500;
my $LOOKS  = 1;        # the rows use one directory
my $SPREAD = 0.05;

sub run {
    my ($class, $table, %option) = @_;
    my $self = bless { %option, table => $table }, $class;
    $self->{root} = trees($option{trees},
        (map { "d$_" } @{ $option{sizes} }), 'ja1000', 'fr1000');
    for my $server ('nginx', 'httpd') {
        next if $option{server} && $option{server} ne $server;
        $self->levels($server, 'case', map { sizes($_) }
            @{ $option{sizes} });
        $self->levels($server, 'width case accents', characters());
        $self->levels($server, 'case spelling', map { spellings($_) }
            grep { $_ == 1000 || $_ == 100_000 } @{ $option{sizes} });
    }
    return;
}

# ---- requests ---------------------------------------------------------------

# Rows: a name, the target, the status with the module on, and the row that
# requests the same page by its exact name. The target "new" was not requested
# before, so that nothing about it is cached.
sub sizes {
    my ($size) = @_;
    my $page = '/' . name_of('d', $size / 2);
    my $odd  = $page =~ s{/page-name}{/PAGE-Name}r;
    my @rows = (
        ["exact d$size",  "/d$size$page",       200],
        ["case d$size",   "/d$size$odd",        200],
        ["absent d$size", "/d$size/Zzzzz.html", 404],
        ["case-new d$size", sub {
            my ($n) = @_;
            return "/d$size/" . in_case(name_of('d', $n * 7 % $size), $n);
        }, 200],
        ["absent-new d$size", sub { sprintf "/d$size/Zz%07d.html", @_ },
            404],
    );
    push @rows, ["two d$size", "/D$size$odd", 200] if $size == 1000;
    return map { [@$_, "exact d$size"] } @rows;
}

# One wrong letter, or two exchanged; digits are never corrected.
sub spellings {
    my ($size) = @_;
    my $page = '/' . name_of('d', $size / 2);
    my @rows = (
        ["exact d$size",  "/d$size$page", 200],
        ["spelling d$size", "/d$size" . $page =~ s/name/nmae/r, 200],
        ["absent d$size", "/d$size/Zzzzz.html", 404],
        ["spelling-new d$size", sub {
            my ($n) = @_;
            my $name = name_of('d', $n % $size);
            substr $name, $n % 8 + $n % 8 / 4, 1, chr(ord('a') + $n % 26);
            return "/d$size/$name";
        }, 200],
        ["absent-new d$size", sub { sprintf "/d$size/Zz%07d.html", @_ },
            404],
    );
    return map { [@$_, "exact d$size"] } @rows;
}

# The letters of a name in upper case where the number has a bit, at least one.
sub in_case {
    my ($name, $number) = @_;
    my $bit = 0;
    $name =~ s/([a-z])/($number % 4095 + 1) >> $bit++ & 1 ? uc $1 : $1/ge;
    return $name;
}

sub characters {
    my $ja   = name_of('ja', 500);
    my $fr   = name_of('fr', 500);
    my $wide = encode('UTF-8', "\x{FF76}\x{FF9E}\x{FF72}\x{FF84}\x{FF9E}"
        . "\x{8868}\x{793A}\x{FF10}\x{FF10}\x{FF10}\x{FF15}\x{FF10}\x{FF10}"
        . ".html");
    my $capital = encode('UTF-8', "Cr\xC8me-Br\xDBl\xE9e-000500.html");
    my @rows = (
        ['exact ja1000',   "/ja1000/$ja",      200, 'exact ja1000'],
        ['width ja1000',   "/ja1000/$wide",    200, 'exact ja1000'],
        ['absent ja1000',  "/ja1000/x$ja",     404, 'exact ja1000'],
        ['exact fr1000',   "/fr1000/$fr",      200, 'exact fr1000'],
        ['case fr1000',    "/fr1000/$capital", 200, 'exact fr1000'],
        ['accents fr1000', '/fr1000/creme-brulee-000500.html', 200,
            'exact fr1000'],
        ['absent fr1000',  "/fr1000/x$fr",     404, 'exact fr1000'],
    );
    for my $kind ('ja', 'fr') {
        push @rows, ["absent-new ${kind}1000", sub {
            return "/${kind}1000/x" . escape(name_of($kind, 1000 + $_[0]));
        }, 404, "exact ${kind}1000"];
    }
    push @rows, ['case-new fr1000', sub {
        my $name = in_case(name_of('fr', $_[0] * 7 % 1000), $_[0]);
        return '/fr1000/' . escape($name);
    }, 200, 'exact fr1000'];
    $_->[1] = escape($_->[1]) for grep { !ref $_->[1] } @rows;
    return @rows;
}

sub escape {
    my ($octets) = @_;
    return $octets =~ s/([\x80-\xFF])/sprintf '%%%02X', ord $1/ger;
}

# ---- measuring ---------------------------------------------------------------

# All columns of one server for these rows, with these levels of iri_match.
sub levels {
    my ($self, $server, $levels, @rows) = @_;
    my %wanted = map { @$_[0, 3] } grep { $_->[0] =~ /$self->{rows}/ } @rows;
    %wanted = (%wanted, reverse %wanted);
    @rows = grep { $wanted{ $_->[0] } } @rows or return;
    my @columns = @{ $COLUMNS{$server} };
    my (@names, %of);
    while (my ($name, $conf) = splice @columns, 0, 2) {
        next if $self->{columns}
            && ",$self->{columns}," !~ /,\Q$name\E,/;
        # It compares octets only, and CheckCaseOnly has no other level.
        next if $conf->{modules} && $levels ne 'case'
            && "$name $levels" ne 'speling case spelling';
        push @names, $name;
        $of{$name} = $self->column($server, $levels, $conf, $name, @rows);
    }
    $self->show($server, $levels, \@names, \%of, @rows);
    return;
}

# One column: for each row { status, ir, profile, calls, stats }.
sub column {
    my ($self, $server, $levels, $conf, $name, @rows) = @_;
    my %cells;
    for my $tool ('callgrind', undef) {
        my $running = IRI::Bench::Server::new_server($server,
            $self->conf($levels, $conf), tool => $tool);
        for my $row (@rows) {
            my ($id, $target, $wanted) = @$row;
            print STDERR "$server, $name, ", $tool // 'strace', ", $id\n"
                if $self->{verbose};
            my $cell = $cells{$id} //= {};
            my $answer = $name eq 'on' ? $running->ask_until($target, $wanted)
                : $running->ask($target);
            $cell->{status} = $answer->status;
            if ($tool) {
                ($cell->{profile}, $cell->{requests}) =
                    $running->instructions($target, $self->{requests});
                $cell->{ir} = $cell->{profile}->sum;
            }
            else {
                $cell->{calls} = $running->calls($target);
            }
        }
        $running->stop;
        die "$server: ", join("\n", $running->errors), "\n"
            if $running->errors;
    }
    return \%cells;
}

sub conf {
    my ($self, $levels, $conf) = @_;
    my %option = (root => $self->{root}, %$conf);
    my $tree = delete $option{tree};
    $option{conf} = ($option{conf} // '')
        . "\n<Directory \"%%ROOT%%\">\n$tree\n</Directory>\n" if $tree;
    for my $text (grep { exists $option{$_} } qw(conf places)) {
        $option{$text} =~ s/%s/$levels/g;
    }
    return %option;
}

# ---- showing -----------------------------------------------------------------

sub show {
    my ($self, $server, $levels, $names, $of, @rows) = @_;
    my $table = $self->{table};
    my %on;
    $table->text("### $server, `iri_match $levels`");
    $table->text('Instructions of a request, system calls (those that look '
        . 'at a name: stat, lstat, statx; directories read), status.');
    $table->text('');
    my @lines;
    for my $row (@rows) {
        my ($id) = @$row;
        push @lines, [$id, map { cell($of->{$_}{$id}) } @$names];
        for my $name (@$names) {
            my $cell = $of->{$name}{$id};
            $table->figure($server, $levels, $id, $name, 'status',
                $cell->{status});
            $table->figure($server, $levels, $id, $name, 'instructions',
                sprintf '%.1f', $cell->{ir});
            $table->figure($server, $levels, $id, $name, $_,
                $cell->{calls}{$_}) for sort keys %{ $cell->{calls} };
        }
    }
    $table->table(['', @$names], @lines);
    $self->differences($server, $levels, $of, @rows)
        if $of->{on} && ($of->{off} || $of->{bare});
    return;
}

sub cell {
    my ($cell) = @_;
    my ($stats, $all) = (looks($cell->{calls}), total($cell->{calls}));
    my $lists = directories($cell->{calls});
    return sprintf '%s, %g calls (%g%s), %d', number($cell->{ir}), $all,
        $stats, $lists ? sprintf('; %g', $lists) : '', $cell->{status};
}

# System calls that look up a name; fstat applies to an open file.
sub looks {
    my ($calls) = @_;
    my $sum = 0;
    $sum += $calls->{$_} // 0 for qw(stat lstat newfstatat statx);
    return sprintf '%.0f', $sum;
}

sub directories {
    my ($calls) = @_;
    return sprintf '%.0f', $calls->{getdents64} // 0;
}

# On minus off, and on minus the bare server that finds the page.
sub differences {
    my ($self, $server, $levels, $of, @rows) = @_;
    my $table = $self->{table};
    my ($on, $off) = ($of->{on}, $of->{off} // $of->{bare});
    my $bare = $of->{bare} // $of->{off};
    my (@lines, @worst, %spread);
    for my $row (@rows) {
        my ($id, $exact) = @$row[0, 3];
        my $ir = $on->{$id}{ir};
        my $hit = $bare->{$exact};
        my $as = $off->{ $id =~ /^absent/ ? $id : $exact };
        my $more = $as ? looks($on->{$id}{calls}) - looks($as->{calls}) : '';
        my $over = $hit ? $ir - $hit->{ir} : undef;
        my $less = $off->{$exact} ? $ir - $off->{$exact}{ir} : undef;
        push @lines, [$id, number($ir - $off->{$id}{ir}), number($less),
            number($over), $more];
        $spread{ (split / /, $id)[0] }{$id} = $ir;
        push @worst, [$id, $less, $more]
            if $id !~ /^(?:exact|two)/ && defined $less;
    }
    $table->table(['', 'on - off', 'on - off of exact',
        'on - bare of exact', 'looks more'], @lines);
    $table->text('Looks more than with off: where the name is absent than for '
        . 'the same, else than for the exact name.');
    $table->text('');
    for my $row (@rows) {
        my ($id, $exact) = @$row[0, 3];
        $self->profile("$server, $levels: $id on, without $exact off",
            $on->{$id}, $off->{$exact});
        $self->profile("$server, $levels: $id off, without it bare",
            $off->{$id}, $bare->{$id}) if $off != $bare;
    }
    for my $worst (@worst) {
        $table->goal("$server $worst->[0], over an exact hit", $worst->[1],
            $MOST, 'instructions');
        $table->goal("$server $worst->[0], looks", $worst->[2], $LOOKS, '');
    }
    return if $levels eq 'width case accents';
    for my $kind (sort keys %spread) {
        my @ir = sort { $a <=> $b } values %{ $spread{$kind} };
        next if @ir < 2;
        $table->goal("$server $kind, largest over smallest size",
            100 * ($ir[-1] / $ir[0] - 1), 100 * $SPREAD, '%');
    }
    $table->text('');
    return;
}

# Writes which functions the difference of two cells consists of, to a file
# beside the table.
sub profile {
    my ($self, $label, $cell, $other) = @_;
    return if !$cell || !$other;
    my $more    = $cell->{profile}->less($other->{profile});
    my $table   = $self->{table};
    my $objects = $more->objects;
    my $text    = sprintf "%s: %.0f\n", $label, $more->sum;
    $text .= sprintf "  %8.0f  %s\n", $objects->{$_}, $_
        for grep { abs $objects->{$_} >= 0.5 }
        sort { $objects->{$b} <=> $objects->{$a} } keys %$objects;
    $text .= sprintf "  %8.0f  %s (%s)\n", $_->[2], $_->[1], $_->[0]
        for grep { abs $_->[2] >= 5 } $more->functions(qr/./);
    $table->append('profile', "$text\n");
    return;
}

1;
