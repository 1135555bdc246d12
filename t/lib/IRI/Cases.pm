# The tables t/cases/*.tsv, and how a table is run against nginx, httpd and
# the core. A table has a line of column names, then a case a line, with TAB
# between the columns; lines that begin with "#" are comments.
#
#   id         of this case, never used twice
#   tree       a manifest of t/trees, as NAME, NAME/CHARSET or
#              NAME/CHARSET/FORM; "-" is an empty root
#   settings   words of the reference without "iri_": charset=Shift_JIS,EUC-JP
#              match=normalization; `iri=on` is understood
#   method     "-" is GET
#   target     octets of the request-target, \xHH
#   status     200, or several that will do: 301|308
#   path       the file that is served, octets on disk, \xHH; "-" for none
#   note       why
#   location   optional: the Location of the answer, without scheme and host
#   form, charset, match    optional: the values of these variables
#   answer     optional: the answer of the core, where the status allows several
#   choices    optional: paths between which a client may choose, by "|"
#   forms      optional: words of IRI::Written; the row stands for many cases
#   nginx, httpd, core    optional, where a runner differs: "STATUS",
#              "STATUS PATH", or "skip"; for core also an answer (pass,
#              serve, moved, choose, refuse) in the place of STATUS
#
# In optional columns and in path and note "-" is the same as an empty cell.
# A cell of settings may have several values, separated by ";": the row is then
# one case for each. If another cell has as many values, each case gets its own;
# otherwise all cases share the cell. The id of the second case ends with "-2".
#
# A table with the column "entries" contains its own trees. Then tree is "own",
# "own/CHARSET" or "own/CHARSET/FORM". Each case has a directory named by its
# id, with these entries, separated by "|"; the part after the id in target and
# location, path and choices are relative to it. There names are characters,
# \u{HHHH} is a character that could be confused or is invisible, and non-ASCII
# characters of a target are sent percent-encoded, as browsers do.
package IRI::Cases;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use File::Find ();
use IRI::Httpd;
use IRI::Nginx;
use IRI::Octets qw(octets escaped);
use IRI::Server qw(build_dir capture temp_dir worker_user);
use IRI::Tree qw(make_tree encode_name);
use IRI::Written 'written';
use JSON::PP ();
use Test::More ();

our @EXPORT_OK = qw(load groups without run_nginx run_httpd run_core
    nginx_settings httpd_settings core_options);

# Settings that a case may use: the word in the table and in nginx after
# "iri_", and httpd's directive.
my %HTTPD_DIRECTIVE = (
    iri => 'IRIEngine', charset => 'IRICharset', invalid => 'IRIInvalid',
    filename_charset => 'IRIFilenameCharset',
    filename_form => 'IRIFilenameForm', match => 'IRIMatch',
    redirect => 'IRIRedirect', host => 'IRIHost',
    ambiguous => 'IRIAmbiguous', listing => 'IRIListing',
    repair => 'IRIRepair',
);
my %CORE_OPTION = map { $_ => 1 }
    qw(charset invalid filename_charset filename_form match ambiguous repair);

# Settings of the server, not of our module, that a case needs.
my %STOCK = (
    'dav=on' => {
        nginx => "dav_methods PUT DELETE MKCOL;\n",
        httpd => "<Location />\n    Dav On\n</Location>\n",
    },
    'path_info=on' => { nginx => '', httpd => "AcceptPathInfo On\n" },
);
my @REQUIRED = qw(id tree settings method target status path);
my %COLUMN   = map { $_ => 1 } @REQUIRED,
    qw(note location form charset match answer choices entries forms),
    qw(nginx httpd core);
my @WORDS = qw(form charset match);    # columns that are variables

# Reads tables and returns their cases, each a hash by column. Dies on errors
# of the table: unknown columns and settings, ids used twice.
sub load {
    my (@files) = @_;
    my (@cases, %seen);
    for my $file (@files) {
        open my $table, '<', $file or die "$file: $!\n";
        my @columns;
        while (my $line = <$table>) {
            chomp $line;
            next if $line =~ /^(?:#|\s*$)/;
            my @cells = split /\t/, $line, -1;
            if (!@columns) {
                @columns = @cells;
                check_columns($file, @columns);
                next;
            }
            my %case;
            @case{@columns} = @cells;
            die "$file:$.: ", scalar(@cells), " columns\n"
                if @cells > @columns || grep { !length($case{$_} // '') }
                @REQUIRED;
            my @these = map { ($_->{forms} // '-') eq '-' ? $_ : written($_) }
                each_of(\%case);
            for my $one (@these) {
                die "$file:$.: id $one->{id} used twice\n"
                    if $seen{ $one->{id} }++;
                settings($one->{settings});
                own_names($one) if defined $one->{entries};
            }
            push @cases, @these;
        }
    }
    return @cases;
}

# The rows for which a row with several settings stands.
sub each_of {
    my ($row) = @_;
    my @settings = split /;/, $row->{settings};
    return $row if @settings == 1;
    return map { my $number = $_;
        my %case = map { my @values = split /;/, $row->{$_} // '';
            ($_ => @values == @settings && !/note|target/ ? $values[$number]
                : $row->{$_})
        } keys %$row;
        $case{id} .= '-' . ($number + 1) if $number;
        \%case;
    } 0 .. $#settings;
}

# Moves a case with its own entries below its id: characters become octets of
# the request or, in path, of the disk. The entries become a manifest.
sub own_names {
    my ($case) = @_;
    my $id = $case->{id};
    my ($own, $charset, $form) = split m{/}, $case->{tree};
    die "$id: tree $case->{tree}\n" if $own ne 'own';
    for my $cell (grep { defined } @$case{qw(entries target path choices)}) {
        $cell =~ s/\\u\{([0-9A-F]+)\}/Encode::encode('UTF-8', chr hex $1)/ge;
    }
    $case->{manifest} = join '', map {
        escaped("$id/$_") . "\t" . (m{/\z} ? 'dir' : 'file') . "\n"
    } split /\|/, $case->{entries};
    $case->{target} =~ s/([\x80-\xFF])/sprintf '%%%02X', ord $1/ge;
    $case->{target} = "/$id$case->{target}";
    $case->{path} = escaped(encode_name("$id/$case->{path}", $charset, $form))
        if $case->{path} ne '-';
    for (qw(location choices)) {
        next if ($case->{$_} // '-') eq '-';
        $case->{$_} = join '|', map { "/$id" . s{^(?!/)}{/}r }
            split /\|/, $case->{$_};
    }
    return;
}

# Cases that are found by width, case, accents or spelling, with that level
# removed from the settings, so that nothing is found. Only for cases with one
# entry, which no other level finds.
sub without {
    my (@cases) = @_;
    my @without;
    for my $case (@cases) {
        my $level = $case->{match} // '-';
        next if $level !~ /^(?:width|punctuation|case|accents|spelling)$/
            || $case->{status} ne '200' || $case->{entries} =~ /\|/
            || $level ne 'spelling' && $case->{settings} =~ /spelling/;
        my $settings = $case->{settings} =~ s/\b$level(?::\w+)?,?//r;
        $settings =~ s/,(?=\s|\z)//;
        $settings =~ s/\bmatch=(?=\s|\z)/match=normalization/;
        push @without, {
            %$case, settings => $settings, status => 404, path => '-',
            match => '-', answer => '-', note => "without $level"
        };
    }
    return @without;
}

# Dies if a table lacks columns or has unknown ones.
sub check_columns {
    my ($file, @columns) = @_;
    my %have    = map { $_ => 1 } @columns;
    my @wrong   = grep { !$COLUMN{$_} } @columns;
    my @missing = grep { !$have{$_} } @REQUIRED;
    die "$file: wrong columns @wrong, missing columns @missing\n"
        if @wrong || @missing;
    return;
}

# Cases with the same tree and settings together, in the order of the first
# of each: { tree, settings, cases }.
sub groups {
    my (@cases) = @_;
    my (@groups, %group);
    for my $case (@cases) {
        my $key = join "\t", @$case{qw(tree settings)};
        if (!$group{$key}) {
            $group{$key} = {
                tree => $case->{tree}, settings => $case->{settings},
                cases => []
            };
            push @groups, $group{$key};
        }
        push @{ $group{$key}{cases} }, $case;
    }
    return @groups;
}

# The settings of a case as a list of [word, values], `iri=on` first.
sub settings {
    my ($text) = @_;
    my @settings = map { [split /=/, $_, 2] }
        grep { $_ ne '-' && !$STOCK{$_} } split ' ', $text;
    for my $setting (@settings) {
        die "unknown setting $setting->[0]\n"
            if !$HTTPD_DIRECTIVE{ $setting->[0] };
        die "setting $setting->[0] without value\n"
            if !length($setting->[1] // '');
        $setting->[1] =~ tr/,/ /;
    }
    unshift @settings, [iri => 'on'] if !grep { $_->[0] eq 'iri' } @settings;
    return @settings;
}

# The directives for the server's own settings among these.
sub stock_settings {
    my ($text, $server) = @_;
    return map { $STOCK{$_}{$server} } grep { $STOCK{$_} } split ' ', $text;
}

# Settings as nginx directives: "iri on;\niri_charset Shift_JIS EUC-JP;\n".
sub nginx_settings {
    my ($text) = @_;
    return join '', stock_settings($text, 'nginx'), map {
        ($_->[0] eq 'iri' ? 'iri' : "iri_$_->[0]") . " $_->[1];\n"
    } settings($text);
}

# Settings as httpd directives: "IRIEngine on\nIRICharset Shift_JIS EUC-JP\n".
sub httpd_settings {
    my ($text) = @_;
    return join '', stock_settings($text, 'httpd'),
        map { "$HTTPD_DIRECTIVE{$_->[0]} $_->[1]\n" } settings($text);
}

# Settings as options of the command: --charset Shift_JIS,EUC-JP. Settings that
# only servers have (redirect, listing, advertise, ...) are no options of it.
sub core_options {
    my ($text) = @_;
    return map {
        my ($word, $values) = @$_;
        $word =~ tr/_/-/;
        $values =~ tr/ /,/;
        ("--$word", $values);
    } grep { $CORE_OPTION{ $_->[0] } } settings($text);
}

# What a case expects of a runner: a hash with skip, or status (or answer)
# and path.
sub expected {
    my ($case, $runner) = @_;
    my %expect = (status => $case->{status}, path => $case->{path});
    my $cell   = $case->{$runner} // '-';
    if ($cell !~ /^-?$/) {
        my ($status, $path) = split ' ', $cell;
        return { skip => 1 } if $status eq 'skip';
        %expect = (status => $status, path => $path // '-');
    }
    $expect{path} =~ s{^/}{};
    undef $expect{path} if $expect{path} eq '-';
    $expect{path} = octets($expect{path}) if defined $expect{path};
    return \%expect;
}

# Runs cases against one nginx with a server block for each group. Emits a
# TAP line a case and one for the error log. Options: proto => 'h2' for
# HTTP/2, 'h3' for HTTP/3 with the certificate in a directory; server => text
# for each server block.
sub run_nginx {
    my ($cases, %option) = @_;
    my ($dir, @groups) = make_trees(@$cases);
    my $proto  = $option{proto} // 'h1';
    my $listen = $proto eq 'h2' ? ' http2' : '';
    my $conf   = '';
    $conf = "ssl_certificate $option{certificate}/cert.pem;\n"
        . "ssl_certificate_key $option{certificate}/key.pem;\n"
        if $proto eq 'h3';
    for my $group (@groups) {
        my $directives = nginx_settings($group->{settings});
        $directives .= 'add_header IRI-Words "'
            . join(' ', map { "$_=\$iri_$_" } @WORDS) . "\" always;\n"
            if has_words($group);
        $conf .= <<"END";
server {
listen 127.0.0.1:%%PORT_$group->{number}%%$listen;
@{[ $proto eq 'h3' && "listen 127.0.0.1:%%PORT_$group->{number}%% quic;" ]}
server_name localhost;
root $group->{dir};
$directives
@{[ $option{server} // '' ]}
}
END
    }
    my $server = IRI::Nginx->new(tmp => $dir, conf => $conf);
    return run_server($server, 'nginx', \@groups, $option{proto});
}

# The same for httpd with a virtual host for each group; option modules adds
# stock modules by name.
sub run_httpd {
    my ($cases, %option) = @_;
    my ($dir, @groups) = make_trees(@$cases);
    my @modules = ('headers', @{ $option{modules} // [] });
    my $conf    = '';
    if (grep { $_->{settings} =~ /\bdav=on\b/ } @groups) {
        push @modules, qw(dav dav_fs);
        $conf .= "DavLockDB \"%%TMP%%/run/lock\"\n";
    }
    for my $group (@groups) {
        my $directives = httpd_settings($group->{settings});
        $directives .= 'Header always set IRI-Words "'
            . join(' ', map { "$_=%{IRI_\U$_\E}e" } @WORDS) . "\"\n"
            if has_words($group);
        $conf .= <<"END";
<VirtualHost 127.0.0.1:%%PORT_$group->{number}%%>
ServerName localhost
DocumentRoot "$group->{dir}"
$directives
@{[ $option{server} // '' ]}
</VirtualHost>
END
    }
    my $server = IRI::Httpd->new(
        tmp     => $dir, conf => $conf,
        modules => \@modules,
        h2  => ($option{proto} // '') eq 'h2'
    );
    chmod 0777, "$dir/run";
    return run_server($server, 'httpd', \@groups, $option{proto});
}

# Do the cases of a group expect variables?
sub has_words {
    my ($group) = @_;
    return scalar grep { words_of($_) } @{ $group->{cases} };
}

# The variables that a case expects, as "form=native" and so on.
sub words_of {
    my ($case) = @_;
    return map { "$_=$case->{$_}" } grep { ($case->{$_} // '-') !~ /^-?$/ }
        @WORDS;
}

# Creates each tree of the cases once, below one new directory. Returns that
# directory and the groups, which get a number, their dir, and content (of the
# files).
sub make_trees {
    my (@cases) = @_;
    my $dir = temp_dir();
    my (@groups, %made);
    for my $group (groups(@cases)) {
        my $tree = $group->{tree};
        if (!$made{$tree}) {
            my ($name, $charset, $form) = split m{/}, $tree;
            my $root = sprintf '%s/tree%d', $dir, scalar keys %made;
            mkdir $root or die "$root: $!\n";
            my $text = $name eq '-' ? "\n" : $name;
            if ($name eq 'own') {
                $text = join '', map { $_->{manifest} }
                    grep { $_->{tree} eq $tree } @cases;
            }
            $made{$tree} = [make_tree($text, $root,
                charset => length($charset // '') ? $charset : undef,
                form => $form)];
            writable($root, grep { $_->{tree} eq $tree } @cases);
        }
        @$group{qw(number dir content)} =
            (scalar @groups, @{ $made{$tree} });
        push @groups, $group;
    }
    return ($dir, @groups);
}

# Makes the directories that cases write to writable for the server's workers.
sub writable {
    my ($root, @cases) = @_;
    my ($user, $group) = worker_user();
    return if !defined $user;
    my @ids = (scalar getpwnam($user), scalar getgrnam($group));
    File::Find::find(
        sub { chown @ids, $_ },
        map { "$root/$_->{id}" }
            grep { defined $_->{entries} && $_->{settings} =~ /\bdav=on\b/ }
            @cases
    );
    return;
}

# Sends every case to its group's port and judges the answers. Returns the
# number of cases that failed.
sub run_server {
    my ($server, $runner, $groups, $proto) = @_;
    my $failed = 0;
    $server->start;
    for my $group (@$groups) {
        my $client = $server->client(
            port => $server->port("_$group->{number}"), proto => $proto);
        my @cases   = grep { !skip($_, $runner) } @{ $group->{cases} };
        my @answers = ask($client, ($proto // 'h1') ne 'h1', @cases);
        for my $case (@cases) {
            my $answer = shift @answers;
            my @wrong  = judge($case, $runner, $answer, $group->{content});
            $failed += !report($case, $group, @wrong);
        }
        $client->disconnect;
    }
    $server->stop;
    my @errors = $server->errors;
    Test::More::ok(!@errors, "$runner: error log")
        or Test::More::diag(join "\n", @errors);
    return $failed;
}

# Answers to cases, in their order. GET and HEAD share one connection with many
# requests in flight; a request that must not be repeated, or whose target
# could be taken for the end of a request, has a connection of its own.
sub ask {
    my ($client, $framed, @cases) = @_;
    my (@together, @answers);
    for my $number (0 .. $#cases) {
        my ($method, $target) = request_of($cases[$number]);
        my $request = { method => $method, target => $target };
        $request->{body} = 'new' if $method eq 'PUT';
        if ($method =~ /^(?:GET|HEAD)$/ && ($framed || $target !~ /[\0- ]/)) {
            push @together, [$number, $request];
            next;
        }
        $client->disconnect;
        $answers[$number] = $client->request($request);
        $client->disconnect;
    }
    my @got = $client->pipeline(map { $_->[1] } @together);
    @answers[map { $_->[0] } @together] = @got;
    return @answers;
}

# Method and target of a case.
sub request_of {
    my ($case) = @_;
    my $method = $case->{method} eq '-' ? 'GET' : $case->{method};
    return ($method, octets($case->{target}));
}

# Emits a SKIP line for a case that this runner skips; true if it does.
sub skip {
    my ($case, $runner) = @_;
    return 0 if !expected($case, $runner)->{skip};
  SKIP: {
        Test::More::skip("$case->{id}: not for $runner", 1);
    }
    return 1;
}

# The failures of a server's answer: a list of sentences. For HEAD the length
# of the content is compared. HTTP/2 resets the stream of a malformed request
# (PROTOCOL_ERROR); this counts as 400.
sub judge {
    my ($case, $runner, $answer, $content) = @_;
    my $expect = expected($case, $runner);
    my $status =
        $answer->error eq 'stream reset, code 1' ? 400 : $answer->status;
    my @wrong;
    push @wrong, "status $status, expected $expect->{status} "
        . $answer->error
        if $status !~ /^(?:$expect->{status})$/;
    if (defined(my $location = $case->{location})) {
        my $got = $answer->header('Location') // '-';
        $got =~ s{^https?://[^/]*}{};
        push @wrong, "Location $got, expected $location"
            if $location !~ /^-?$/ && $got ne octets($location);
    }
    my $words = $answer->header('IRI-Words') // '';
    # httpd does not set variables without a value.
    if ($runner eq 'httpd') {
        $words =~ s/form=\(null\)/form=ascii/;
        $words =~ s/match=\(null\)/match=none/;
    }
    push @wrong, "variables $words, expected $_"
        for grep { " $words " !~ / \Q$_\E / } words_of($case);
    push @wrong, listed($case, $answer->body) if choices_of($case);
    return @wrong if !defined $expect->{path};
    my $served = $content->{ $expect->{path} }
        // return (@wrong, "not in the tree: " . escaped($expect->{path}));
    if ($case->{method} eq 'HEAD') {
        my $length = $answer->header('Content-Length') // 'none';
        push @wrong, "length $length" if $length ne length $served;
    }
    elsif ($answer->body ne $served) {
        push @wrong, 'served ' . escaped(substr $answer->body, 0, 300)
            . ', expected ' . escaped($served);
    }
    return @wrong;
}

# The paths that a 300 answer lists, in octets, in their order.
sub choices_of {
    my ($case) = @_;
    return if ($case->{choices} // '-') =~ /^-?$/;
    return sort map { octets($_) } split /\|/, $case->{choices};
}

# Checks a page of choices: each choice has a link, no other entry has.
sub listed {
    my ($case, $page) = @_;
    my %choice = map { $_ => 1 } choices_of($case);
    my @others = grep { !$choice{$_} }
        map { "/$case->{id}/$_" } split /\|/, $case->{entries} // '';
    my $link = sub {
        my ($uri) = @_;
        $uri =~ s/([^\x21-\x24\x26-\x7E])/sprintf '%%%02X', ord $1/ge;
        return $page =~ /"\Q$uri\E"/;
    };
    my @missing = grep { !$link->($_) } sort keys %choice;
    return ((map { 'not listed: ' . escaped($_) } @missing),
        (map { 'listed: ' . escaped($_) } grep { $link->($_) } @others));
}

# The TAP line of a case and, if it failed, the reason.
sub report {
    my ($case, $group, @wrong) = @_;
    my $note = $case->{note} // '';
    $note = $note =~ /^-?$/ ? '' : " - $note";
    my $name = "$case->{id} $case->{method} $case->{target}$note";
    return Test::More::ok(!@wrong, $name) || do {
        Test::More::diag(
            join "\n", @wrong,
            "tree $group->{tree}, settings $group->{settings}");
        0;
    };
}

# Runs cases against the command `iri explain`, one process for each group
# and for each method in it that writes; groups with iri=off are skipped.
sub run_core {
    my ($cases) = @_;
    my ($dir, @groups) = make_trees(@$cases);
    my $failed = 0;
    for my $group (@groups) {
        my $off   = $group->{settings} =~ /\biri=off\b/;
        my @cases = grep { !skip($off ? { %$_, core => 'skip' } : $_, 'core') }
            @{ $group->{cases} };
        my %of;
        for my $case (@cases) {
            my ($method) = request_of($case);
            push @{ $of{ $method =~ /^(?:GET|HEAD)$/ ? '' : $method } },
                $case;
        }
        for my $method (sort keys %of) {
            my @verdicts = explain($group, $method, @{ $of{$method} });
            for my $case (@{ $of{$method} }) {
                my @wrong = judge_core($case, shift @verdicts,
                    $group->{content}, $group->{dir});
                $failed += !report($case, $group, @wrong);
            }
        }
    }
    return $failed;
}

# The objects that `iri explain --batch` writes for the targets of cases.
# Operands have \\ and \xHH escapes, so a backslash is escaped too.
sub explain {
    my ($group, $method, @cases) = @_;
    my $input = join '', map { escaped((request_of($_))[1]) . "\n" } @cases;
    my ($code, $out, $err) = capture($input, build_dir() . '/iri', 'explain',
        '--batch', '--root', $group->{dir},
        core_options($group->{settings}),
        length $method ? ('--method', $method) : ());
    my @lines = split /\n/, $out;
    # Exit code 1: at least one operand is no valid target.
    Test::More::diag("iri explain: exit code $code, " . @lines
            . ' lines for ' . @cases . " operands\n$err")
        if $code > 1 || $err ne '' || @lines != @cases;
    return map { eval { JSON::PP->new->utf8->decode($_) } } @lines;
}

# Checks the core's verdict on a case. Where a case has no column for the core,
# its status is mapped: 2xx is an entry (under any path), 300 a choice, another
# 3xx a redirect to a canonical URI, 400 and 404 are refusals, 404 also a
# missing file; other statuses are decided by the server alone.
sub judge_core {
    my ($case, $verdict, $content, $dir) = @_;
    return 'no JSON' if !$verdict;
    my $expect  = expected($case, 'core');
    my $answer  = $verdict->{answer} // 'error: ' . ($verdict->{error} // '');
    my $refused = $answer eq 'refuse'
        && $verdict->{status} =~ /^(?:$expect->{status})$/;
    my $file   = core_file($case, $verdict, $dir);
    my $found  = defined $file && defined $content->{$file};
    my $status = $expect->{status};
    my $fits =
          $status =~ /^[a-z]/ ? $answer eq $status
        : $status =~ /^2/     ? $answer =~ /^(?:pass|serve|moved)$/
        : $status =~ /^300/   ? $answer eq 'choose'
        : $status =~ /^3/     ? defined $verdict->{location}
        : $status =~ /404/    ? $refused || ($answer ne 'refuse' && !$found)
        : $status =~ /^400/   ? $refused
        :                       1;
    my $got = join ', ', "answer $answer", $verdict->{status} // (),
        'filename ' . (defined $file ? escaped($file) : 'none');
    my @wrong;
    push @wrong, "$got, expected $status" if !$fits;
    push @wrong, "$got, expected $case->{answer}"
        if ($case->{answer} // '-') !~ /^-?$/ && $answer ne $case->{answer};
    push @wrong, "$got, expected " . escaped($expect->{path})
        if defined $expect->{path}
        && ($file // '') ne $expect->{path}
        && ($file // '') ne $expect->{path} =~ s{/?index\.html$}{}r;
    push @wrong, map { "$_ is $verdict->{$_}, expected $case->{$_}" }
        grep {
        ($case->{$_} // '-') !~ /^-?$/
            && ($verdict->{$_} // '') ne $case->{$_}
        } @WORDS;
    my @choices = map { utf8::encode(my $octets = $_); $octets }
        @{ $verdict->{choices} // [] };
    push @wrong, 'choices ' . join ' ', map { escaped($_) } @choices
        if choices_of($case) && "@choices" ne join ' ', choices_of($case);
    my $location = $case->{location} // '-';
    push @wrong, 'location ' . ($verdict->{location} // 'none')
        if $location !~ /^-?$/
        && ($verdict->{location} // '') ne octets($location);
    return @wrong;
}

# The file that a verdict names, octets relative to the root; undef if none, or
# if it is followed by path info that is not looked up (path_info=on). Where
# the verdict is "pass" without a file name, it is the path that a server would
# open.
sub core_file {
    my ($case, $verdict, $dir) = @_;
    return if ($verdict->{path_info} // '') !~ m{^/?$}
        && $case->{settings} !~ /\bpath_info=on\b/;
    my $file    = $verdict->{filename};
    my $escaped = grep { $_ eq 'filename' } @{ $verdict->{escaped} // [] };
    if (defined $file) {
        utf8::encode($file);
    }
    elsif (($verdict->{answer} // '') eq 'pass') {
        ($file) = (request_of($case))[1] =~ /^([^?]*)/;
        $escaped = 1;
    }
    else {
        return;
    }
    $file =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge if $escaped;
    $file =~ s{^\Q$dir\E}{};
    $file =~ s{^/|/$}{}g;
    return $file;
}

1;
