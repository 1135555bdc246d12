# The requests for a configuration, and the checks of the responses.
#
# A case is a path of the site in a form, and an absent name in the same form.
# The oracle, which is the same configuration without the module, receives
# requests for the canonical form of every path that the request may mean.
package Judge;
use strict;
use warnings;
use utf8;
use Forms qw(canonical choose meanings write_form);
use IRI::Spelling 'percent';
use Site qw(one maybe text_of utf8 @TREES);
use Wire;

# ---- cases -------------------------------------------------------------------

# URLs that lead to a top directory of the site only by a rule.
my %PREFIX = ('/p/' => '/p/7/', '/wiki/' => '/wiki/', '/_media/' => '/_media/',
    '(v\\d' => '/v12/', '/protected/' => '/protected/');

# Some cases of a configuration.
sub cases {
    my ($class, $config, $count) = @_;
    my $set  = $class->settings_of($config);
    my $text = text_of($class, $config, 0);
    my $site = $config->{site};
    my @prefixes = (['/', ''], ['/', 'public'], ['/', 'store'],
        @{ $config->{prefixes} });
    push @prefixes, map { [$PREFIX{$_}, ''] }
        grep { index($text, $_) >= 0 } sort keys %PREFIX;
    my @paths = (@{ $site->{entries} },
        map { ("$_/", "$_") } @{ $site->{folders} });
    my %named;
    my @named = grep {
        my ($dir, $name) = m{(?:([^/]+)/)?([^/]+)/?\z};
        grep { defined && ($named{$_} //= !/^(?:public|store|web)/
            && index($text, $_) >= 0) } $name, $dir;
    } @paths;
    my @cases;
    my %canonical;
    for (1 .. $count * 3) {
        last if @cases >= $count;
        my $path = @named && rand() < 0.75 ? one(@named) : one(@paths);
        my ($prefix, $top) = @{ one(@prefixes) };
        $path =~ s{^\Q$top\E/}{} or rand() < 0.5 or next if length $top;
        my @segments = split m{/}, substr("$prefix$path", 1), -1;
        next if !@segments;
        my $form = $canonical{"@segments"}++ ? choose(\@segments, $set)
            : { same => 1, text => [('') x @segments], n => 0,
                write => [('percent') x @segments] };
        my $case = new_case($site, $set, $form, @segments) or next;
        $case->{auth} = 1 if $text =~ /auth_basic|AuthType/ && rand() < 0.3;
        push @cases, $case;
        # the same name in other forms
        if (rand() < 0.7) {
            my $again = new_case($site, $set, choose(\@segments, $set),
                @segments) or next;
            push @cases, { %$again, auth => $case->{auth} };
        }
    }
    if ($text =~ /^ *Dav On/m) {
        rand() < 0.5 and $_->{method} = 'PROPFIND' for @cases;
    }
    return \@cases;
}

sub new_case {
    my ($site, $set, $form, @segments) = @_;
    my $written = write_form($form, @segments) // return;
    my $last = $#segments;
    $last-- while $last > 0 && $segments[$last] eq '';
    my $case = { form => $form, segments => \@segments, written => $written,
        last => $last, same => is_same($written, @segments),
        method => rand() < 0.9 ? 'GET' : 'HEAD',
        query => one('', '', '', '?id=5', '?key=1&x=%C3%A9') };
    for (1 .. 20) {
        my $absent = $site->absent($segments[$last]) // last;
        my @other = @segments;
        $other[$last] = $absent;
        my $twin = write_form($form, @other) // next;
        next if signature($set, $written->[$last], $segments[$last]) ne
            signature($set, $twin->[$last], $absent);
        @$case{qw(absent twin)} = (\@other, $twin);
        last;
    }
    return $case;
}

# Is a path written in UTF-8, in any normalization form?
sub is_same {
    my ($written, @segments) = @_;
    for my $number (0 .. $#segments) {
        my $octets = Forms::unescape($written->[$number]);
        return 0 if !Forms::is_utf8($octets)
            || Forms::text_of($octets) ne $segments[$number];
    }
    return 1;
}

# How the settings interpret a segment: the number of its readings, the
# charsets that decode it, and those that give the same result; whether it is
# the name itself, and whether it contains a control, which no path may have.
sub signature {
    my ($set, $written, $name) = @_;
    my $octets = Forms::unescape($written);
    my %number;
    return join ' ', scalar @{ Forms::readings($octets, $set) },
        Forms::is_utf8($octets) ? 1 : 0, $octets eq utf8($name) ? 1 : 0,
        $octets =~ /[\x80-\xFF]/ ? 1 : 0,
        $octets =~ /%/ ? 1 : 0, $octets =~ /\xC2[\x80-\x9F]/ ? 1 : 0, map {
        my $text = IRI::Spelling::read_in($octets, $_);
        # ucschar has no private use
        undef $text if ($text // q()) =~ /\p{Co}/;
        defined $text ? $number{$text} //= keys %number : '-';
    } @{ $set->{charsets} };
}

# ---- requests ----------------------------------------------------------------

sub target {
    my ($case, $written) = @_;
    my @segments = @$written;
    my $last = $case->{last};
    my $dots = $case->{form}{dots} // '';
    return join('', map { ($_ == $last ? $dots : '') . "/$segments[$_]" }
        0 .. $#segments) . $case->{query};
}

my @AUTH = ('Authorization: Basic ' . 'dXNlcjpwYXNz');    # user:pass

# What the client sent, as a rule receives it that makes a path of it: raw
# octets are read as those of a path.
sub read_once {
    my ($written, $readings, $path) = @_;
    return [map {
        my @read = map { utf8($_) } @{ $readings->[$_] };
        my $meant = $path->[$_];
        $written->[$_] !~ /[\x80-\xFF]/ || !@read ? $written->[$_]
            : (grep { $_ eq $meant } @read) ? $meant : $read[0];
    } 0 .. $#$written];
}

# The requests of a configuration's cases: for the server, for the oracle. Each
# case gets, for both names, their possible meanings, and the numbers of
# requests.
sub requests {
    my ($class, $config, $cases, $name) = @_;
    my $set  = $class->settings_of($config);
    my $uses_raw = $class->uses_raw($config);
    my (@own, @oracle, %number);
    for my $case (@$cases) {
        my @auth = $case->{auth} ? @AUTH : ();
        push @auth, 'Depth: 0' if $case->{method} eq 'PROPFIND';
        $case->{asked} = [];
        for my $which (qw(written twin)) {
            my $written = $case->{$which} or next;
            my ($paths, $readings) = meanings($config->{site}, $set, @$written);
            next if !$paths;
            my $target = target($case, $written);
            my $asked = { which => $which, target => $target,
                written => $written, readings => $readings,
                own => scalar @own };
            push @own, Wire::text($case->{method}, $target, "c$name", @auth);
            for my $path (@$paths) {
                my @raw = $uses_raw ? 'X-Raw: ' . $class->raw_line(
                    $case->{method}, target($case,
                    read_once($written, $readings, $path))) : ();
                my $canonical = canonical(@$path);
                my $text = Wire::text($case->{method},
                    $canonical . $case->{query}, "o$name", @auth, @raw);
                $number{$text} //= push(@oracle, $text) - 1;
                push @{ $asked->{meant} }, { path => $path,
                    canonical => $canonical, oracle => $number{$text} };
            }
            push @{ $case->{asked} }, $asked;
        }
    }
    return (\@own, \@oracle);
}

# ---- answers -----------------------------------------------------------------

my %DROPPED = map { $_ => 1 } qw(date server content-length connection
    transfer-encoding keep-alive age);

# A response without parts that differ from one request to the next, as a text;
# stored in the response.
sub normal {
    my ($class, $answer, $config, $set) = @_;
    return $answer->[3] //= do {
        my ($status, $head, $body) = @$answer;
        my $other = $config->{tree} ne 'nfc';
        my @fields;
        for (split /\r\n/, $head) {
            my ($name, $value) = /^([^:]+): *(.*)/s or next;
            $name = lc $name;
            next if $DROPPED{$name};
            # the cache contains a page or not, depending on earlier requests
            next if $set->{cached} && $name eq 'etag';
            next if $other && $name =~ /^(?:etag|last-modified)$/;
            # the directory of variants changes (Site::stir), and makes it weak
            $value =~ s{^W/|;[0-9a-f]+}{}g if $name eq 'etag';
            # the module escapes octets that others leave raw
            $value =~ s/,? ?X-Raw// if $name eq 'vary';
            $value = escaped($value) if $name eq 'location';
            push @fields, "$name: $value";
        }
        my $text = join "\n", $status, sort(@fields), '',
            $status =~ /^3/ ? ''
                : $class->body_of($body, $other, $set->{cached});
        $text =~ s/\b[co](\d+\.test)/c$1/g;
        my $root = $config->{site}{folder};
        $text =~ s{\Q$root\E/[\w-]+}{ROOT}g;
        # the value of which a pattern of httpd has removed the slash
        $root =~ s{^/}{};
        $text =~ s{\Q$root\E/[\w-]+}{ROOT}g;
        $text;
    };
}

# A Location, in which servers leave different octets raw.
sub escaped {
    my ($text) = @_;
    $text =~ s/([\x80-\xFF"<>\[\\\]^`{|}])/sprintf '%%%02X', ord $1/ge;
    return $text =~ s/(%[0-9a-f]{2})/uc $1/geir;
}

# A response including the module's own variables in the page.
sub with_own {
    my ($class, $asked, $set) = @_;
    # a cached page has the variables of the request for which it was cached
    return $asked->{normal} if $set && $set->{cached};
    return join "\n", $asked->{normal},
        $class->own_of($asked->{answer}[2]);
}

# The same for a comparison with the oracle: the module may add values to these
# fields.
sub plain {
    my ($text, $set) = @_;
    $text =~ s/^vary: .*\n//mg if $set->{by_client};
    $text =~ s/^link: .*\n//mg if $set->{redirect}{link};
    return $text;
}

# Replaces a name by marks, as written and in each of its readings.
sub without_name {
    my ($text, $written, @names) = @_;
    my $number = 0;
    for my $name (@names) {
        my $octets = utf8($name);
        my $percent = percent($octets);
        for my $form ($percent, Forms::lc_escapes($percent), $octets) {
            $text =~ s/\Q$form\E/\0$number/g;
        }
        $number++;
    }
    # and decoded once more, as mod_include does with a query
    my $once = Forms::unescape($written);
    for my $form ($written, $once, Forms::unescape($once)) {
        $text =~ s/\Q$form\E/\0w/g;
    }
    return $text;
}

# Replaces the name as written and all its possible meanings by one mark.
sub without_any {
    my ($asked, $last) = @_;
    my $text = without_name($asked->{normal}, $asked->{written}[$last],
        map { my $name = $_->{path}[$last]; utf8::decode($name); $name }
        @{ $asked->{meant} });
    return $text =~ s/\0(?:\d+|w)/\0/gr;
}

sub is_login { return $_[0] =~ /login/ }

# The violations of a configuration's cases.
sub judge {
    my ($class, $config, $cases, $own, $oracle) = @_;
    my $set   = $class->settings_of($config);
    my @found;
    for my $case (@$cases) {
        my @asked = @{ $case->{asked} } or next;
        for my $asked (@asked) {
            $asked->{answer} = $own->[ $asked->{own} ];
            $asked->{normal} = normal($class, $asked->{answer}, $config,
                $set);
            $_->{answer} = $oracle->[ $_->{oracle} ],
                $_->{normal} = plain(normal($class, $_->{answer}, $config,
                    $set), $set)
                for @{ $asked->{meant} };
        }
        for my $asked (@asked) {
            my ($kind, $why) = wrong($class, $config, $set, $case, $asked);
            push @found, { kind => $kind, why => $why, case => $case,
                asked => $asked } if $kind;
        }
        if (my $why = @asked == 2
            && discloses($class, $config, $set, $case, @asked))
        {
            push @found, { kind => 'tells', why => $why, case => $case,
                asked => $asked[0], other => $asked[1] };
        }
    }
    return @found;
}

# The error in one response by itself: a kind and a sentence, or nothing.
sub wrong {
    my ($class, $config, $set, $case, $asked) = @_;
    my $status = $asked->{answer}[0];
    my $plain = plain($asked->{normal}, $set);
    my @meant = @{ $asked->{meant} };
    if ($status == 0) {
        return if grep { $_->{answer}[0] == 0 } @meant;
        return ('crash', "no answer: $asked->{answer}[2]");
    }
    my $canonical = canonical(map { utf8($_) }
        @{ $asked->{which} eq 'twin' ? $case->{absent} : $case->{segments} });
    my ($name) = grep { $_->{canonical} eq $canonical } @meant;
    # The canonical name, and a form that is no other name, must have the
    # oracle's response for this entry.
    my $is_same = $case->{same} && $name && !is_other_form($config, $set);
    my $is_entry = $is_same && $name->{normal}
        =~ m{^(?:FILE|ENV) (?:.*/)?\Q$name->{path}[ $case->{last} ]\E$}m;
    my $uses_raw = $class->uses_raw($config);
    return if grep { $_->{normal} eq $plain || $uses_raw
        && $_->{normal} eq as_path($plain, $asked, $_->{path}) }
        $is_entry ? $name : @meant;
    if ($set->{redirect}{$status} and my @to =
        redirected($config->{site}, $case,
        $asked, @meant))
    {
        # An application's response does not show which files exist.
        return if $asked->{which} ne 'twin'
            || grep({ $_->{answer}[0] != 404 } @to)
            || $to[0]{canonical} eq as_written($asked)
            && $class->has_application($config);
        return ('dead', "redirected to what the oracle has not");
    }
    return if $status == 300 && $set->{ambiguous};
    return if is_listing($set, $asked)
        && grep { $_->{answer}[0] =~ /^2/ } @meant;
    # an error of the oracle itself is no reference
    if ($status >= 500) {
        return if grep { $_->{answer}[0] == $status } @meant;
        # Octets without a reading are refused before a location is chosen: the
        # error page is the server's, and rules may send it round in circles.
        return if grep({ !@$_ } @{ $asked->{readings} })
            && $class->text($config->{nodes}, 0) =~ /^error_page (?:\d+ )*404/m;
        return ('error', "answered $status");
    }
    # an error of the oracle itself neither grants nor denies
    return if !grep { $_->{answer}[0] < 500 } @meant;
    # SetEnvIf sees an ASCII path as sent; the oracle has no escapes
    return if $is_same && $class->can('sees_escapes')
        && $class->sees_escapes($config)
        && $asked->{target} =~ /%/ && $asked->{target} =~
            m{^(?:[/!-\$&->\@-~]|%[2-7][0-9A-Fa-f])+(?:\?|\z)};
    # nor does an error (a loop of rules) for the name itself
    return if $is_same && $status >= 400 && $name->{answer}[0] >= 500;
    return ('lost', "$status, the oracle $name->{answer}[0]")
        if $is_same && ($name->{answer}[0] =~ /^2/ || @meant == 1);
    return if $status >= 400;
    return if as_absent($config, $set, $case, $asked);
    return if is_refused($class, $config, $set, $case, $asked);
    return if is_ambiguous($class, $config, $case, $asked);
    return if is_concealed($class, $config, $plain, $asked);
    return if $status =~ /^3/ && shows_sent($plain, $asked);
    # httpd decodes a path again after a rule of a directory changed it; then
    # "%u" is an error, unless it is repaired.
    return if $set->{repair} =~ /%u/ && $asked->{target} =~ /%u|%25u/
        && grep { $_->{answer}[0] == 400 } @meant;
    my @success = grep { $_->{answer}[0] =~ /^2/ } @meant;
    return ($status >= 300 ? 'redirect' : @success ? 'other' : 'success',
        "$status, the oracle " . join ' ', map { $_->{answer}[0] } @meant);
}

# A listing of the module, which is sent after access has been granted.
sub is_listing {
    my ($set, $asked) = @_;
    return $set->{listing} && $asked->{answer}[0] == 200 && $asked->{normal}
        =~ /^cache-control: private.*\n(?:.*\n)*content-security/m;
}

# A path that a rule made from $request_uri before the module read it contains
# the client's octets; the oracle received those of the path.
sub as_path {
    my ($text, $asked, $path) = @_;
    my $written = $asked->{written};
    my $read = read_once($written, $asked->{readings}, $path);
    for my $number (grep { $written->[$_] =~ /[\x80-\xFF]/ } 0 .. $#$path) {
        $text =~ s/\Q$written->[$number]\E/$read->[$number]/g;
    }
    return $text;
}

# With "iri_match exact" a name is found in one form only, that of
# iri_filename_form; the oracle's tree is in NFC.
sub is_other_form {
    my ($config, $set) = @_;
    return $config->{tree} eq 'nfd' && $set->{match} =~ /exact/
        && ($set->{filename_form} // '') ne 'nfd';
}

# The canonical form of a request in UTF-8.
sub as_written {
    my ($asked) = @_;
    return canonical(map { my $octets = Forms::unescape($_);
        Forms::is_utf8($octets) ? utf8(Forms::text_of($octets)) : '' }
        @{ $asked->{written} });
}

# Is it a redirect to the canonical URI of a possible meaning?
sub redirected {
    my ($site, $case, $asked, @meant) = @_;
    my ($to) = $asked->{answer}[1] =~ m{^location: *(?:http://[^/]*)?(\S*)}mi
        or return;
    # canonical() escapes what a path may also contain unescaped
    $to =~ s{^([^?]*)}{$1 =~ s/([!\$&'()*+,;=:\@])/sprintf '%%%02X', ord $1/ger}e;
    # also of a directory without its slash
    return grep { $to eq $_->{canonical} . $case->{query}
        || $to eq "$_->{canonical}/$case->{query}"
        && $site->is_folder($_->{path}[-1]) } @meant;
}

# Is it the oracle's response for an absent name in that location? If there is
# no absent name to compare with, a name that is not found in its form may have
# any response.
sub as_absent {
    my ($config, $set, $case, $asked) = @_;
    my ($twin) = grep { $_->{which} eq 'twin' } @{ $case->{asked} };
    return is_other_form($config, $set) if !$twin;
    return 0 if $twin == $asked;
    my $last = $case->{last};
    my $answer = without_name(plain($asked->{normal}, $set),
        $asked->{written}[$last], @{ $asked->{readings}[$last] });
    for my $meant (@{ $twin->{meant} }) {
        return 1 if $answer eq without_name($meant->{normal},
            $twin->{written}[$last], @{ $twin->{readings}[$last] });
    }
    return 0;
}

# Is it UTF-8 with a C1 control, as in mojibake? No path may contain one: such
# a segment is refused unless an entry with its repair exists.
sub has_control {
    my $octets = Forms::unescape($_[0]);
    return Forms::is_utf8($octets)
        && Forms::text_of($octets) =~ /[\x80-\x9F]/;
}

# Is it the answer to what no charset reads, whatever the name is? With an
# error page it can be a success, and so where a program answers that gets the
# name of no file: this one for an absent name, whatever the existing one gets.
# "iri_invalid pass" refuses what a tree's legacy charset reads as another name.
sub is_refused {
    my ($class, $config, $set, $case, $asked) = @_;
    return 0 if ($set->{invalid} // '') eq 'pass'
        && $config->{tree} =~ /^nf[cd]\z/
        || !(grep { !@$_ } @{ $asked->{readings} })
        && !grep { has_control($_) } @{ $asked->{written} };
    return 1 if $asked->{which} eq 'twin'
        && ($asked->{normal} =~ m{ROOT/(?:refused-){30}}
            || has_page_for_404($class, $config));
    my $last = $case->{last};
    my @text = map { without_name($_->{normal}, $_->{written}[$last],
        @{ $_->{readings}[$last] }) } @{ $case->{asked} };
    return @text < 2 || $text[0] eq $text[1];
}

sub has_page_for_404 {
    my ($class, $config) = @_;
    return $class->text($config->{nodes}, 0)
        =~ /^ *(?:error_page (?:\d+ )*404|ErrorDocument 404) /m;
}

# May two entries be meant? That is 404, which an error page can answer.
sub is_ambiguous {
    my ($class, $config, $case, $asked) = @_;
    return 0 if !has_page_for_404($class, $config);
    my %name = map { utf8($_) => 1 } @{ $config->{site}{names} };
    my %meant = map { $_->{path}[ $case->{last} ] => 1 } @{ $asked->{meant} };
    return 1 < grep { $name{$_} } keys %meant;
}

# Is a response the oracle's, with the path as sent, in any reading of each
# segment, where a field of the oracle's has the path that was found? A rule may
# have removed the first segments. write: how the field writes a path.
sub has_field_as_sent {
    my ($plain, $meant, $asked, $field, $write) = @_;
    my @sent = map {
        '/(?:' . join('|', map { quotemeta $write->(utf8($_)) } @$_) . ')' }
        @{ $asked->{readings} };
    my @found = map {"/$_"} @{ $meant->{path} };
    for my $first (0 .. $#found) {
        my ($found, $sent) = map { join '', @$_[$first .. $#found] }
            \@found, \@sent;
        my ($head, $normal, $place) = map {quotemeta} "$field: ",
            $meant->{normal}, $write->($found);
        return 1 if $normal =~ s/^(\Q$head\E.*)\Q$place\E/$1$sent/m
            && $plain =~ /\A$normal\z/;
    }
    return 0;
}

# Is it the oracle's denial, with the names as they were sent in place of those
# that were found and denied? A redirect to the login with $uri, or the page for
# an internal location, with its path.
sub is_concealed {
    my ($class, $config, $plain, $asked) = @_;
    return 0 if grep { !@$_ } @{ $asked->{readings} };
    my $in_login = $class->denies_with_name($config);
    my $sent = join '', map { '/' . utf8($_->[0]) } @{ $asked->{readings} };
    for my $meant (@{ $asked->{meant} }) {
        return 1 if $in_login && is_login($meant->{normal})
            && has_field_as_sent($plain, $meant, $asked, 'location',
                \&escaped);
        my $found = join '', map {"/$_"} @{ $meant->{path} };
        my $path = $found;
        utf8::decode($path);
        return 1 if $class->hides($config, $path)
            && $plain eq $meant->{normal} =~ s/\Q$found\E/$sent/gr;
    }
    return 0;
}

# A redirect that nginx, or a rule, sends before access is granted has $uri as
# sent in its fields (doc/nginx.md, Restarts).
sub shows_sent {
    my ($plain, $asked) = @_;
    return 0 if grep { !@$_ } @{ $asked->{readings} };
    return scalar grep { has_field_as_sent($plain, $_, $asked, 'x-place',
        sub { $_[0] }) } @{ $asked->{meant} };
}

# Do rules distinguish the names as sent, below a directory that does not
# exist? A name that no rule denied is looked up, and may be denied by another
# rule.
sub rules_tell {
    my ($last, @asked) = @_;
    my @text;
    for my $asked (@asked) {
        return 0 if grep { !@$_ } @{ $asked->{readings} };
        my $came = canonical(map { utf8($_->[0]) } @{ $asked->{readings} });
        my ($meant) = grep { $_->{canonical} eq $came } @{ $asked->{meant} };
        return 0 if !$meant;
        push @text, without_name($meant->{normal}, $asked->{written}[$last],
            $asked->{readings}[$last][0]);
    }
    return $text[0] ne $text[1];
}

# Do the responses distinguish an existing name from an absent one, though the
# oracle denies both? The oracle must deny all possible meanings in that
# directory in the same way: a rule that denies single names discloses them
# itself. A 404 is a denial only if a rule says so. A configuration that
# includes the name in its answer discloses it.
sub discloses {
    my ($class, $config, $set, $case, $there, $absent) = @_;
    my $last = $case->{last};
    my @above = map { utf8($_) } @{ $case->{segments} }[0 .. $last - 1];
    my ($denied, %denies);
    for my $asked ($there, $absent) {
        for my $meant (@{ $asked->{meant} }) {
            my @path = @{ $meant->{path} };
            next if "@path[0 .. $last - 1]" ne "@above"
                && $last > 0;
            return if $meant->{answer}[0] =~ /^2/
                && !is_login($meant->{normal});
            my $name = $path[$last];
            utf8::decode($name);
            my $text = without_name($meant->{normal}, "\0\0", $name);
            $denied //= $text;
            return if $text ne $denied;
            $denies{$asked} = 1;
        }
    }
    return if rules_tell($last, $there, $absent);
    # 405 comes after access was granted
    # a path that means nothing in that directory discloses nothing of it
    return if keys %denies < 2 || $denied =~ /^(?:5|405)/
        || $denied =~ /^3/ && (!is_login($denied) || $class->asks_disk($config))
        || $denied =~ /^404/ && $denied !~ /^hidden/m
        && !$class->hides($config, '/' . join '/', @{ $case->{segments} });
    # 403 for a directory without an index is no denial
    return if $denied =~ /^403/ && $class->lifts_denial($config)
        && $last < $#{ $case->{segments} }
        && redirected($config->{site}, $case, $there, @{ $there->{meant} });
    # a rule on the name on disk, of which a refused path has none
    return if $class->text($config->{nodes}, 0) =~ /if \(\$request_filename ~/
        && grep { has_control($_) } @{ $absent->{written} };
    my ($one, $two) = map { without_name(with_own($class, $_, $set),
        $_->{written}[$last], @{ $_->{readings}[$last] }) } $there, $absent;
    return if $one eq $two;
    ($one, $two) = map { without_any($_, $last) } $there, $absent
        if $class->shows_name($config);
    return if $one eq $two;
    # the response for another possible meaning discloses nothing about a
    # denied name
    return if grep { $_->{answer}[0] =~ /^2/
        && $_->{normal} eq plain($there->{normal}, $set) }
        @{ $there->{meant} };
    # A rule that names the entry denies it before a location grants access and
    # another one denies; then Vary is no longer needed.
    if (index($class->text($config->{nodes}, 0),
        $case->{segments}[$last]) >= 0) {
        s/^vary: .*\n//mg for $one, $two;
        return if $one eq $two;
    }
    return "$there->{answer}[0] for an existing name, "
        . "$absent->{answer}[0] for an absent one";
}

1;
