# Judges the answer to an attack line by the rules for every row and by the
# codes of t/attacks/invariants.tsv. A judgement is a list of short sentences,
# empty if the answer is right. The sentences contain no octets that change
# from run to run, so that a row can be compared with a stock server.
#
# Judges get the row, the answer and the run (IRI::Attacks). The run can send
# more requests and knows the tree, the server and the changes on disk.
package IRI::AttackJudge;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use File::Basename 'basename';
use IRI::Octets qw(octets escaped);
use IRI::Server qw(build_dir capture);
use Unicode::Normalize 'NFC';

our @EXPORT_OK = qw(judge_every judge_own judge_log judge_query writes);

my $FORBIDDEN = qr/MK_(?:SECRET|OUTSIDE|ADMIN|SRC)/;

# Bounds of BOUND. Code with sanitizers is several times slower and larger.
my %LIMIT = (
    looks => 64, calls => 200, cpu => 20e6, memory => 1 << 20,
    fast  => 100e6,
);

# The limit, larger for code with sanitizers.
sub limit {
    my ($operand) = @_;
    my $room = $ENV{IRI_ASAN} && $operand =~ /cpu|memory|fast/ ? 8 : 1;
    return $LIMIT{$operand} * $room;
}

# Percent-encoded UTF-8 of a path that is octets.
sub percent {
    my ($path) = @_;
    return $path =~ s/([^\x21\x22\x24\x26-\x3E\x40-\x7E])/
        sprintf '%%%02X', ord $1/gerx;
}

# Octets with one level of percent-encoding removed.
sub unpercent {
    my ($text) = @_;
    return $text =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ger;
}

# Does the method change files?
sub writes { return $_[0] !~ /^(?:GET|HEAD|OPTIONS|TRACE|PROPFIND|get)$/ }

# ---- every row ---------------------------------------------------------------

sub judge_every {
    my ($row, $answer, $run) = @_;
    my $status = $answer->status;
    my @wrong;
    push @wrong, 'no answer' if !$status;
    push @wrong, "status $status" if $status >= 500 && $status != 501;
    push @wrong, leak($answer);
    push @wrong, map { 'header field ' . lc $_->[0] . ' is no ASCII line' }
        grep { "$_->[0]$_->[1]" =~ /[^\x20-\x7E]/ } @{ $answer->headers };
    push @wrong, error_page($row, $answer) if $status >= 300;
    push @wrong, map { "outside of what may be written: $_" }
        grep { !$run->may_write(substr $_, 1) } @{ $run->{changes} };
    return @wrong;
}

# Markers that no client may receive.
sub leak {
    my ($answer) = @_;
    my $text = join "\n", $answer->body, map { @$_ } @{ $answer->headers };
    return $text =~ /($FORBIDDEN)/ ? "leak of $1" : ();
}

# An error page does not repeat the name, or writes it as text and declares its
# charset where that matters.
sub error_page {
    my ($row, $answer) = @_;
    my $body = $answer->body;
    my $sent = unpercent(octets("$row->{target} $row->{headers}"));
    my @wrong;
    for my $part ($sent =~ /([<>"][^<>"]{3,})/g) {
        push @wrong, 'name not escaped in the error page'
            if index($body, substr $part, 0, 8) >= 0;
    }
    push @wrong, 'error page without charset' if $body =~ /[\x80-\xFF]/
        && ($answer->header('Content-Type') // '') !~ /charset=/i;
    return @wrong;
}

# ---- codes -------------------------------------------------------------------

my %JUDGE = (
    OK     => \&ok,
    ONLY   => \&ok,
    OK_OR_REJECT   => sub { is_4xx($_[1]) ? () : ok(@_) },
    ONLY_OR_REJECT => sub { is_4xx($_[1]) ? () : ok(@_) },
    REJECT         => \&reject,
    REJECT_OR_SAFE => \&safe,
    DENY           => \&deny,
    SAMESTATUS     => \&same_status,
    HANDLER        => sub { () },       # no MK_SRC: a rule for every row
    STABLE         => \&stable,
    SAMEAS         => \&same_as,
    SAMEHEAD       => \&same_head,
    LOC_SAFE       => \&location_safe,
    VHOST          => \&vhost,
    VHOST_NOT      => sub { $_[1]->body =~ /\Q@{[marker_of($_[3])]}\E/
            ? "virtual host $_[3]" : () },
    VHOST_DEFAULT_OR_400    => \&vhost_default,
    VHOST_DEFAULT_OR_400_OR => sub {
        my @wrong = vhost(@_);
        return @wrong ? vhost_default(@_) : ();
    },
    QSAFE         => sub { () },        # of the log: judge_query
    PUTCANON      => \&put_canonical,
    PUTSAFE       => \&put_safe,
    PUTUP         => \&put_up,
    NOFILE        => \&no_file,
    NOFILE_HIDDEN => \&no_hidden_file,
    NOFILE_OR_400 => \&whole_file,
    LIST_ESC      => \&listing,
    NOHIDDEN      => \&no_hidden_name,
    ERR_ESC       => sub { () },        # a rule for every row
    LOG1          => sub { () },        # of the log: judge_log
    BOUND         => \&bound,
    NOLEAK        => sub { () },        # a rule for every row
    NOLEAK_FAST   => sub { $_[2]->{cpu} > limit('fast') ? 'too slow' : () },
    AFTER         => sub { () },        # the run sent T; X is judged
    ALIVE         => sub { () },
);

# Judges by the code of the row; AFTER:T|X by X.
sub judge_own {
    my ($row, $answer, $run) = @_;
    my ($code, $operand) = split /:/, $row->{invariant}, 2;
    if ($code eq 'AFTER') {
        my ($first, $then) = $operand =~ /^(.*)\|(.*)$/;
        ($code, $operand) = split /:/, $then, 2;
    }
    my $judge = $JUDGE{$code} or die "$row->{id}: no code $code\n";
    return $judge->($row, $answer, $run, $operand);
}

sub is_4xx { return $_[0]->status =~ /^4|^501$/ }

# 200 with a marker and nothing else.
sub ok {
    my ($row, $answer, $run, $marker) = @_;
    my @wrong;
    push @wrong, 'status ' . $answer->status . ", not 200 with $marker"
        if $answer->status != 200;
    push @wrong, "another file than $marker"
        if $answer->status == 200 && $answer->body ne $marker;
    return @wrong;
}

sub reject {
    my ($row, $answer, $run) = @_;
    my @wrong = no_change($run);
    unshift @wrong, 'not refused: ' . $answer->status if !is_4xx($answer);
    return @wrong;
}

# Fails if anything on disk has changed.
sub no_change {
    my ($run) = @_;
    return map { 'changed ' . escaped($_) } @{ $run->{changes} };
}

# Refused, or served from inside the root without forbidden content.
sub safe {
    my ($row, $answer, $run) = @_;
    my @wrong = no_change($run);
    push @wrong, 'status ' . $answer->status
        if $answer->status !~ /^[234]/ && $answer->status != 501;
    push @wrong, authority($row, $answer, $run)
        if $answer->status =~ /^3/ && $answer->status !~ /^30[04]$/;
    return @wrong;
}

# Refused; if a name is given, a request for that name is refused too.
sub deny {
    my ($row, $answer, $run, $name) = @_;
    my @wrong = reject($row, $answer, $run);
    if (defined $name) {
        my $known = $run->ask($row, target => percent($name));
        push @wrong, "$name itself is not refused" if !is_4xx($known);
        push @wrong, 'status ' . $answer->status . ', not 4xx or '
            . $known->status if !is_4xx($answer)
            && $answer->status != $known->status;
    }
    return @wrong;
}

# The two answers are indistinguishable.
sub same_status {
    my ($row, $answer, $run, $name) = @_;
    my $known = $run->ask($row, target => percent($name));
    my @wrong = no_change($run);
    push @wrong, "$name itself is not refused" if !is_4xx($known);
    push @wrong, 'status ' . $answer->status . ', not ' . $known->status
        if $answer->status != $known->status;
    push @wrong, 'WWW-Authenticate differs'
        if ($answer->header('WWW-Authenticate') // '')
        ne ($known->header('WWW-Authenticate') // '');
    return @wrong;
}

# Three identical answers, also identical to those of earlier runs.
sub stable {
    my ($row, $answer, $run) = @_;
    my @answers = map { signature($_) } $answer,
        map { $run->ask($row) } 1, 2;
    my $first = $run->{memory}{ $row->{id} } //= $answers[0];
    return () if !grep { $_ ne $first } @answers;
    return 'another answer than before';
}

# The header fields of an answer that describe its entity.
sub signature {
    my ($answer) = @_;
    my @fields = map { "$_: " . ($answer->header($_) // '-') }
        qw(ETag Last-Modified Content-Type Content-Length Location);
    return join "\n", $answer->status, $answer->body, @fields;
}

sub same_as {
    my ($row, $answer, $run, $name) = @_;
    my ($query) = $row->{target} =~ /(\?.*)/;
    my $known = $run->ask($row, target => percent($name) . ($query // ''));
    my @wrong;
    push @wrong, "$name itself is not served" if $known->status != 200;
    push @wrong, "not the same as $name"
        if signature($known) ne signature($answer);
    return @wrong;
}

sub same_head {
    my ($row, $answer, $run, $name) = @_;
    my $known = $run->ask($row, target => percent($name));
    my ($one, $two) = map {
        join "\n", $_->status, map { "$_->[0]: $_->[1]" }
            grep { $_->[0] !~ /^(?:Date|Connection|Keep-Alive)$/i }
            @{ $_->headers }
    } $answer, $known;
    return $one eq $two ? () : "not the header of $name";
}

# ---- redirects ---------------------------------------------------------------

# A Location within this authority.
sub authority {
    my ($row, $answer, $run) = @_;
    my @locations = $answer->header('Location');
    return scalar(@locations) . ' Location fields' if @locations != 1;
    my $location = $locations[0];
    return 'octets in Location' if $location =~ /[^\x21-\x7E]/;
    return () if $location =~ m{^/(?![/\\])};
    my ($host) = octets($row->{target}) =~ m{^https?://([^/?#]*)}i;
    $host //= octets($row->{host});
    my ($got) = $location =~ m{^http://([^/?#]*)/}
        or return 'Location is no address here';
    $got =~ s/:\d+$//;
    return if lc $got eq lc($host =~ s/:.*//r);
    return 'Location has another authority';
}

# As above; the Location leads in two steps to a file that needs no redirect.
sub location_safe {
    my ($row, $answer, $run) = @_;
    my @wrong = map { "field $_->[0] of the request" }
        grep { $_->[0] =~ /^(?:X-Inj|Set-Cookie|X)$/i }
        @{ $answer->headers };
    return (@wrong, safe($row, $answer, $run))
        if $answer->status !~ /^3/ || $answer->status == 304;
    push @wrong, authority($row, $answer, $run);
    return @wrong if @wrong;
    my $hops = 0;
    my $last = $answer;
    while ($last->status =~ /^3/ && $hops++ < 2) {
        $last = follow($row, $last, $run);
    }
    my $there = $run->ask($row, port => 'twin');
    my $steps = 0;
    $there = follow($row, $there, $run, port => 'twin')
        while $there->status =~ /^3/ && $steps++ < 2;
    push @wrong, 'more than two redirects' if $last->status =~ /^3/;
    push @wrong, leak($last);
    push @wrong, 'leads to ' . $last->status . ', not ' . $there->status
        if $last->status != $there->status;
    push @wrong, 'leads to another entity' if $last->status == 200
        && $there->status == 200 && $last->body ne $there->body;
    return @wrong;
}

# The answer to the path of a Location.
sub follow {
    my ($row, $answer, $run, %option) = @_;
    my $target = ($answer->header('Location') // '/')
        =~ s{^https?://[^/?#]*}{}r;
    $target =~ s/#.*//;
    return $run->ask($row, target => $target, %option);
}

# ---- virtual hosts -----------------------------------------------------------

my %VHOST = (
    'xn--r8jz45g.xn--zckzah' => 'MK_TATOE',
    'xn--fa-hia.example' => 'MK_FASZ', 'admin.internal' => 'MK_ADMIN',
);

sub marker_of { return $VHOST{ $_[0] } // die "no virtual host $_[0]\n" }

sub vhost {
    my ($row, $answer, $run, $name) = @_;
    return () if $answer->status == 400;
    return () if $answer->status == 200
        && $answer->body eq marker_of($name);
    return "not virtual host $name";
}

sub vhost_default {
    my ($row, $answer) = @_;
    return () if $answer->status == 400;
    return () if $answer->status == 200 && $answer->body eq 'MK_INDEX';
    return 'neither the first virtual host nor 400';
}

# ---- files written -----------------------------------------------------------

# Paths that a request created or changed, and paths that it removed.
sub changed {
    my ($run, $kind) = @_;
    return map { substr $_, 1 } grep { /^[$kind]/ } @{ $run->{changes} };
}

# Exactly this file was changed, or nothing.
sub put_canonical {
    my ($row, $answer, $run, $name) = @_;
    return no_file($row, $answer, $run) if $answer->status !~ /^2/;
    my $disk = $run->{tree}->disk($name);
    my $path = substr $disk, length $run->{tree}->base;
    my @wrong;
    push @wrong, 'not there: ' . escaped($path) if !-e $disk;
    push @wrong, map { 'another file: ' . escaped($_) }
        grep { $_ ne $path } changed($run, '+*');
    my $source = unpercent(octets($row->{target}));
    push @wrong, map { 'removed ' . escaped($_) }
        grep { basename($_) ne basename($source) } changed($run, '-');
    return @wrong;
}

# A new file whose name is a decoded form of the requested name.
sub put_safe {
    my ($row, $answer, $run) = @_;
    return no_file($row, $answer, $run) if $answer->status !~ /^2/;
    my @wrong = map { 'existing file: ' . escaped($_) } changed($run, '*-');
    my @made  = changed($run, '+');
    push @wrong, scalar(@made) . ' new files' if @made > 1;
    for my $made (@made) {
        push @wrong, 'named otherwise: ' . escaped($made)
            if !grep { $_ eq basename($made) } names($row, $run);
    }
    return @wrong;
}

# A new file where creation is allowed; the source of a MOVE is gone.
sub put_up {
    my ($row, $answer, $run) = @_;
    return no_file($row, $answer, $run) if $answer->status !~ /^2/;
    my @made = changed($run, '+*');
    return map { 'made ' . escaped($_) } @made > 1 ? @made
        : grep { !m{^/docroot/up/[^/]+$} } @made;
}

# The names on disk that the last segment of a target may stand for.
sub names {
    my ($row, $run) = @_;
    my ($leaf) = unpercent(octets($row->{target})) =~ m{([^/]*)$};
    my $conf   = $run->{conf};
    my %encode = (Shift_JIS => 'cp932', 'windows-1252' => 'cp1252');
    my @names;
    for my $charset ('UTF-8', grep { $_ ne '-' } split /,/, $conf->{legacy}) {
        my $text = eval { Encode::decode($encode{$charset} // $charset, $leaf,
            Encode::FB_CROAK() | Encode::LEAVE_SRC()) } // next;
        push @names, Encode::encode('UTF-8', NFC($text));
    }
    return @names;
}

sub no_file {
    my ($row, $answer, $run) = @_;
    return (is_4xx($answer) ? () : 'not refused: ' . $answer->status,
        no_change($run));
}

sub no_hidden_file {
    my ($row, $answer, $run) = @_;
    return map { 'hidden or handled: ' . escaped($_) }
        grep { m{/\.[^/]*$|\.(?:php|cgi)$} } changed($run, '+');
}

sub whole_file {
    my ($row, $answer, $run) = @_;
    return no_file($row, $answer, $run) if $answer->status !~ /^2/;
    return put_safe($row, $answer, $run);
}

# ---- listings ----------------------------------------------------------------

# Well-formed HTML in which every name is text only, and whose links lead to
# its entries.
sub listing {
    my ($row, $answer, $run) = @_;
    my $hops = 0;
    my ($place) = octets($row->{target}) =~ m{^([^?]*)};
    while ($answer->status =~ /^3/ && $hops++ < 2) {
        ($place) = ($answer->header('Location') // '/')
            =~ m{^(?:https?://[^/?#]*)?([^?#]*)};
        $answer = follow($row, $answer, $run);
    }
    return () if is_4xx($answer);
    return 'status ' . $answer->status if $answer->status != 200;
    my $html = $answer->body;
    my @wrong;
    push @wrong, 'no charset'
        if ($answer->header('Content-Type') // '') !~ /charset=utf-8/i;
    push @wrong, 'no UTF-8' if !utf8::decode(my $copy = $html);
    push @wrong, 'controls'
        if $html =~ /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]|\r(?!\n)/;
    push @wrong, 'bidi controls'
        if $html =~ /\xE2\x80[\x8E\x8F\xAA-\xAE]|\xE2\x81[\xA6-\xA9]|\xD8\x9C/;
    my $tag = qr{</?[a-zA-Z][a-zA-Z0-9]*
        (?:\s+(?!on)[a-zA-Z:-]+(?:="[^"<>]*")?)*\s*/?>|<![^<>]*>}x;
    my @links = map { s/&#39;/'/gr =~ s/&quot;/"/gr =~ s/&amp;/&/gr }
        $html =~ /<a href="([^"<>]*)"/g;
    $html =~ s/$tag//g;
    push @wrong, 'markup made by a name' if $html =~ /[<>]/;
    for my $link (grep { !m{^(?:\.\./|/|\?)} } @links) {
        push @wrong, 'link is no percent-encoded ASCII'
            if $link =~ /[^\x21-\x7E]/;
        push @wrong, 'link is no relative reference'
            if $link !~ m{^\./} && $link =~ /^[^\/]*:/;
        my $there = $run->ask($row, target => $place . $link =~ s{^\./}{}r);
        push @wrong, 'link that leads nowhere'
            if $there->status !~ /^[23]/;
    }
    my %seen;
    return grep { !$seen{$_}++ } @wrong;
}

# No hidden and no denied name in a listing.
sub no_hidden_name {
    my ($row, $answer, $run) = @_;
    my $hops = 0;
    $answer = follow($row, $answer, $run)
        while $answer->status =~ /^3/ && $answer->status != 300
            && $hops++ < 2;
    return () if $answer->status !~ /^(?:200|300)$/;
    my @wrong;
    my $body = unpercent($answer->body);
    for my $entry ($run->{tree}->entries) {
        my ($name) = $entry->{rule} eq 'named'
            ? $entry->{path} =~ m{([^/]+)$} : $entry->{path} =~ m{^/([^/]+)};
        ($name) = $entry->{path} =~ m{(\.[^/]+)$} if $entry->{path} =~ m{/\.};
        next if !defined $name || !$entry->{rule};
        push @wrong, 'listed: ' . escaped($name)
            if $body =~ m{[">/]\Q$name\E};
    }
    my %seen;
    return grep { !$seen{$_}++ } @wrong;
}

# ---- bounds ------------------------------------------------------------------

# As SAFE, and within the limits: CPU and memory as the run measured them,
# lookups as the core reports them.
sub bound {
    my ($row, $answer, $run) = @_;
    my @wrong = safe($row, $answer, $run);
    push @wrong, sprintf 'CPU %.1f ms', $run->{cpu} / 1e6
        if $run->{cpu} > limit('cpu');
    push @wrong, sprintf 'memory %d KiB', $run->{memory_grown} >> 10
        if $run->{memory_grown} > limit('memory');
    return (@wrong, looks($row, $run));
}

# Of the counts in rows, the row with the greatest first count.
sub most {
    my ($first) = sort { $b->[0] <=> $a->[0] } @_, [0, 0, 0, 0];
    return @$first;
}

# What `iri explain` counts for the same target, tree and settings.
sub looks {
    my ($row, $run) = @_;
    my $target = octets($row->{target});
    return () if $run->{stock} || $target =~ /\0/;
    my $key = join "\t", 'looks', $run->{kind}, $row->{id};
    my $got = $run->{memory}{$key} //= do {
        my ($code, $out) = capture('', build_dir() . '/iri', 'explain',
            '--root', $run->{tree}->root, $run->explain_options, $target);
        # A restarted request searches again, with a budget of its own.
        [most(map { my $search = $_; [map { scalar(() = $search =~ /$_/mg) }
            '^ *stat .*[^/]: ', '^ *stat ', '^ *read .*: \d+ entries',
            '^(?:Lookup below| *alternative reading| *a charset for each)'] }
            split /^Restart as/m, $out)];
    };
    my ($candidates, $looks, $lists, $whole) = @$got;
    # Each search looks up the whole path first, which is no candidate of a
    # segment.
    $candidates -= $whole;
    $run->{most_candidates} = $candidates
        if $candidates > ($run->{most_candidates} // 0);
    $run->{most_calls} = $looks + $lists
        if $looks + $lists > ($run->{most_calls} // 0);
    my @wrong;
    push @wrong, "$candidates candidates" if $candidates > limit('looks');
    push @wrong, "$looks looks and $lists directories read"
        if $looks + $lists > limit('calls');
    return @wrong;
}

# ---- logs --------------------------------------------------------------------

# Lines of the access log that a row has caused.
sub judge_log {
    my ($row, @lines) = @_;
    my @wrong;
    push @wrong, scalar(@lines) . ' lines in the access log' if @lines > 1;
    push @wrong, 'raw octets in the access log'
        if grep { $_->[3] =~ /[\x00-\x1F\x7F-\x9F]/ } @lines;
    return @wrong;
}

# Compares the query that a handler sees with the one that was sent.
sub judge_query {
    my ($row, @lines) = @_;
    my ($sent) = octets($row->{target}) =~ /\?(.*)$/s;
    my $seen = ($lines[0] // return 'no line in the access log')->[2];
    $seen =~ s/^\?//;
    $seen =~ s/\\x([0-9A-Fa-f]{2})/chr hex $1/ge;
    my @wrong;
    for my $sign ('&', ';', '=', '#') {
        push @wrong, "another number of \"$sign\""
            if (() = $sent =~ /\Q$sign\E/g) != (() = $seen =~ /\Q$sign\E/g);
    }
    push @wrong, 'a control was made'
        if (() = $seen =~ /[\r\n\0]/g) > (() = $sent =~ /[\r\n\0]/g);
    push @wrong, 'neither UTF-8 nor unchanged'
        if $seen ne $sent && !utf8::decode(my $copy = unpercent($seen));
    push @wrong, 'more than three times as long'
        if length $seen > 3 * length $sent;
    return @wrong;
}

1;
