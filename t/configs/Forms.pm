# Forms of a path: how a client can write it, and the names that it can mean.
#
# A form is chosen once and then applied to several paths of the same
# structure, so that an existing and an absent name are written in the same
# way.
package Forms;
use strict;
use warnings;
use utf8;
use Encode ();
use Exporter 'import';
use IRI::Spelling qw(percent raw read_in write_in);
use Site qw(one utf8);
use Unicode::Normalize qw(NFC NFD NFKC);

our @EXPORT_OK = qw(canonical choose meanings readings write_form);

my $STRICT = Encode::FB_CROAK() | Encode::LEAVE_SRC();
my @FOREIGN = qw(Shift_JIS EUC-JP windows-1252 windows-1251 GBK EUC-KR);

# ---- writing -----------------------------------------------------------------

# Mappings of characters; $n makes the same choice for each name.
my %TEXT = (
    nfd     => sub { NFD($_[0]) },
    upper   => sub { uc $_[0] },
    lower   => sub { lc $_[0] },
    title   => sub { my $t = lc $_[0]; ucfirst $t },
    stem    => sub { $_[0] =~ s/^(.+?)(\.[^.]*)?\z/uc($1) . ($2 \/\/ '')/esr },
    width   => \&wide,
    narrow  => sub { $_[0] =~ tr/！-～/!-~/r =~ s{([ァ-ヺ]+)}{half($1)}er },
    accents => sub { NFC(NFD($_[0]) =~ s/\p{Mn}//gr) },
    accent  => sub { NFC($_[0] =~ s/([aeiouAEIOUаеио])/$1\x{301}/r) },
    latin   => sub { IRI::Spelling::plain($_[0], \%IRI::Spelling::LATIN) },
    marks   => sub { IRI::Spelling::plain($_[0], \%IRI::Spelling::PUNCTUATION) },
    forms   => sub { IRI::Spelling::letter_forms($_[0]) },
    variant => \&other_vendor,
    order   => \&IRI::Spelling::reordered,
    singleton => \&IRI::Spelling::singleton,
    # composed with the first mark only
    part    => sub { join '', map { /^(.\p{Mn})(\p{Mn}+)\z/s ? NFC($1) . $2
            : $_ } map { NFD($_) =~ /(\P{M}\p{M}*|\p{M}+)/g } $_[0] },
    compat  => sub { NFKC($_[0]) =~ s/([a-z])/chr(ord($1) + 0x246F)/er
            =~ s/[.]/\x{2024}/r },
    ignorable => sub { my ($t, $n) = @_; edit($t, $n, "\x{200B}") },
    trail   => sub { $_[0] . ('.', ';', '~', ' ', '\\', '::$DATA', "\x{AD}",
            "\x{FE0F}", '.txt')[$_[1] % 9] },
    invisible => sub { my ($t, $n) = @_;
        edit($t, $n, ("\x{200B}", "\x{FEFF}", "\x{AD}", "\x{2060}")[$n % 4], 1) },
    trailing => sub { $_[0] . ('.', ')', ').', "\x{3002}", "\x{FF09}\x{3001}",
            ',', '>', "\x{300D}")[$_[1] % 8] },
    plus    => sub { $_[0] =~ tr/ /+/r },
    drop    => sub { my ($t, $n) = @_; edit($t, $n, '') },
    swap    => sub { $_[0] =~ s/^(.)(.)(?=..)/$2$1/sr },
    another => sub { my ($t, $n) = @_; edit($t, $n, 'x') },
    mojibake => sub {
        my ($text) = @_;
        my $octets = utf8($text);
        return eval { Encode::decode('cp1252', $octets, $STRICT) }
            // Encode::decode('iso-8859-1', $octets);
    },
);

sub wide {
    my ($text, $n) = @_;
    return $text =~ tr/!-\-0-~/！-－０-～/r if $n % 3 == 0;
    return $text =~ s/([A-Za-z])/chr(ord($1) + 0xFEE0)/er;
}

sub half {
    my ($text) = @_;
    $text = NFD($text);
    $text =~ tr/アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワンガー/ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝガｰ/;
    $text =~ tr/\x{3099}\x{309A}/\x{FF9E}\x{FF9F}/;
    return $text;
}

sub other_vendor {
    my ($text) = @_;
    $text =~ tr/\x{301C}\x{FF5E}\x{2212}\x{FF0D}/\x{FF5E}\x{301C}\x{FF0D}\x{2212}/;
    return $text;
}

# One character of the stem removed or replaced, or text put before it.
sub edit {
    my ($text, $n, $by, $before) = @_;
    my ($stem, $suffix) = $text =~ /^(.+?)(\.[^.]*)?\z/s;
    my @part = $stem =~ /(\X)/g;
    return $text if @part < 2;
    my $at = 1 + $n % (@part - 1);
    $part[$at] = $before ? $by . $part[$at] : $by;
    return join '', @part, $suffix // '';
}

# Octets as they are written in the request line; the second argument is the
# text.
my %WRITE = (
    percent => \&percent,
    lower   => sub { lc_escapes(percent($_[0])) },
    raw     => \&raw,
    letters => sub { join '', map { sprintf '%%%02X', ord } split //, $_[0] },
    double  => sub {
        percent($_[0]) =~ s/%(?=[89A-F])/%25/gr;
    },
    broken  => sub { percent($_[0] =~ s/[\x80-\xBF](?!.*[\x80-\xBF])//sr) },
    overlong => sub { percent($_[0] =~ s{([.\w])}{
        pack 'CC', 0xC0 | ord($1) >> 6, 0x80 | ord($1) & 0x3F}ear) },
    surrogate => sub { '%ED%A0%BD%ED%B8%80' . percent($_[0]) },
    # what could be taken for a separator; nginx itself decodes %2F
    slash   => sub { ('%5C', '%C0%AF', '%EF%BC%8F', '%252F')[
            length($_[0]) % 4] . percent($_[0]) },
    '%u'    => sub { unicode_u('%', @_) },
    '%25u'  => sub { unicode_u('%25', @_) },
);

sub lc_escapes { return $_[0] =~ s/(%[0-9A-F]{2})/lc $1/ger }

sub unicode_u {
    my ($sign, $octets, $text) = @_;
    return percent($octets) if !defined $text;
    return join '', map { ord > 0x7F ? join '', map { sprintf '%su%04X',
            $sign, $_ } unpack 'n*', Encode::encode('UTF-16BE', $_)
        : percent($_) } split //, $text;
}

# A random form for a path with that many segments, with a bias to those that
# the settings concern. "same" means that the form does not name another path.
sub choose {
    my ($segments, $set) = @_;
    my $count = @$segments;
    my @charsets = @{ $set->{charsets} };
    my %form = (text => [('') x $count], n => int rand 1000, same => 1,
        write => [(one(qw(percent percent percent raw lower))) x $count]);
    my $kind = rand;
    my @folds;
    my $match = $set->{match};
    push @folds, qw(upper lower title stem) if $match =~ /case/;
    push @folds, qw(width width narrow)     if $match =~ /width/;
    push @folds, qw(accents accent)         if $match =~ /accents/;
    push @folds, qw(latin latin)            if $match =~ /accents:latin/;
    push @folds, qw(marks marks)            if $match =~ /punctuation/;
    push @folds, qw(drop swap another)      if $match =~ /spelling/;
    push @folds, 'variant' if $match =~ /variants/;
    push @folds, qw(forms forms) if $match =~ /variants:/;
    my @repairs = map { $_ eq 'double-encoding' ? 'double' : $_ }
        split ' ', $set->{repair};
    # the segments that the form changes: a directory, the name, or all
    my @which = $kind < 0.3 || $count == 1 ? 0 .. $count - 1
        : rand() < 0.5 ? $count - 1 : int rand $count;
    if (@charsets && rand() < 0.55) {
        @form{qw(charset same)} = (one(@charsets), 0);
        # sometimes each segment in its own charset
        $form{charsets} = [map { one('UTF-8', @charsets) } @$segments]
            if rand() < 0.12;
        # and with any of the sequences of a character
        $form{twin} = rand() < 0.2;
    }
    if (@folds && rand() < 0.6) {
        $form{same} = 0;
        $form{text}[$_] = one(@folds) for @which;
        $form{text}[$_] = one(@folds) for map { rand() < 0.2 ? $_ : () }
            0 .. $count - 1;
    }
    if (@repairs && rand() < 0.5) {
        $form{same} = 0;
        for my $which (rand() < 0.4 ? 0 .. $count - 1 : int rand $count) {
            my $way = one(@repairs);
            $way = one('%u', '%25u') if $way eq '%u';
            my $how = $TEXT{$way} ? 'text' : 'write';
            $form{$how}[$which] = $way;
        }
    }
    elsif (rand() < 0.1) {
        $form{same} = 0;
        $form{charset} = one(@FOREIGN);
    }
    elsif (rand() < 0.1) {
        $form{same} = 0;
        $form{text}[-1] = one(sort keys %TEXT);
    }
    elsif (rand() < 0.08) {
        $form{same} = 0;
        $form{write}[-1] = one('double', '%25u', 'letters', 'broken',
            'overlong', 'surrogate', 'slash');
    }
    if ($form{same} && rand() < 0.7) {
        my $way = rand;
        if    ($way < 0.55) { $form{text} = [(one(qw(nfd nfd part order
            singleton))) x $count] }
        elsif ($way < 0.75) { $form{write} = [('raw') x $count] }
        elsif ($way < 0.85) { $form{write}[rand $count] = 'letters' }
        else                { $form{dots} = one('/.', '/', '/x/..', '/%2e') }
    }
    return \%form;
}

# A path in a form: the segments as written in the request, undef if a charset
# lacks a character.
sub write_form {
    my ($form, @segments) = @_;
    # random letters and marks are the same for each path of the form
    my $after = int rand 4_294_967_296;
    srand $form->{n};
    my $written = write_segments($form, @segments);
    srand $after;
    return $written;
}

sub write_segments {
    my ($form, @segments) = @_;
    my @written;
    for my $number (0 .. $#segments) {
        my $text = $segments[$number];
        push(@written, ''), next if $text eq '';
        my $way = $form->{text}[$number];
        $text = $TEXT{$way}->($text, $form->{n}) if $way;
        my $octets = utf8($text);
        my $charset = $form->{charsets} ? $form->{charsets}[$number]
            : $form->{charset};
        if ($charset && $charset ne 'UTF-8' && $text =~ /[^\0-\x7F]/) {
            $octets = ($form->{twin} ? IRI::Spelling::twin($text, $charset)
                : undef) // write_in($text, $charset) // return;
            undef $text;
        }
        push @written, $WRITE{ $form->{write}[$number] }->($octets, $text);
    }
    return \@written;
}

# A path in its canonical form, of octets.
my %percent;
sub canonical {
    %percent = () if keys %percent > 100_000;
    return join '', map { '/' . ($percent{$_} //= percent($_)) } @_;
}

# ---- reading -----------------------------------------------------------------

sub unescape {
    my ($text) = @_;
    $text =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge if index($text, '%') >= 0;
    return $text;
}

# Perl's utf8 accepts more than UTF-8.
sub is_utf8 {
    my ($copy) = @_;
    return 1 if $copy !~ /[^\0-\x7F]/;
    return $copy !~ /[\xF5-\xFF]|\xF4[\x90-\xBF]|\xED[\xA0-\xBF]/
        && utf8::decode($copy);
}

sub text_of { my ($octets) = @_; utf8::decode($octets); return NFC($octets) }

# The texts that a segment's octets can mean, in UTF-8 or else in each charset;
# the first is the one without a lookup. Octets if there is none.
sub readings {
    my ($octets, $set) = @_;
    return [$octets] if $octets !~ /[\x80-\xFF]/;
    my @texts;
    # no path may contain a control: mojibake with one is repaired at once, and
    # is read in no charset
    my $text = is_utf8($octets) ? text_of($octets) : undef;
    if (defined $text && $text =~ /[\x80-\x9F]/) {
        push @texts, repaired($text, 'mojibake'), $text
            if $set->{repair} =~ /mojibake/;
    }
    else {
        push @texts, $text // (),
            map { read_in($octets, $_) // () } @{ $set->{charsets} };
    }
    my %seen;
    return [grep { !$seen{$_}++ } @texts];
}

# The possible repairs of a segment.
sub repaired {
    my ($text, $repair) = @_;
    my @texts;
    if ($repair =~ /double/ && $text =~ /%[89A-Fa-f]/) {
        my $octets = utf8($text) =~ s/%([89A-Fa-f][0-9A-Fa-f])/chr hex $1/ger;
        push @texts, text_of($octets) if is_utf8($octets);
    }
    if ($repair =~ /%u/ && $text =~ /%u/i) {
        my $wide = $text =~ s/((?:%[uU][0-9A-Fa-f]{4})+)/from_u($1)/ger
            =~ s/%([A-F][0-9A-F])/chr hex $1/gier;
        push @texts, NFC($wide);
    }
    push @texts, NFC($text =~ s/[\xAD\x{200B}\x{2060}\x{FEFF}]//gr)
        if $repair =~ /invisible/;
    push @texts, $text =~ tr/+/ /r if $repair =~ /plus/;
    push @texts, map {
        $text =~ s/[,.)>\x{3001}\x{3002}\x{300D}\x{FF09}]{$_}\z//r } 1 .. 4
        if $repair =~ /trailing/;
    if ($repair =~ /mojibake/ && $text =~ /[^\0-\x7F]/) {
        for my $charset (qw(cp1252 iso-8859-1)) {
            my $octets = eval { Encode::encode($charset, $text, $STRICT) };
            # windows-1252 has five unassigned codes
            $octets //= eval { join '', map { ord >= 0x80 && ord() < 0xA0
                ? chr ord : Encode::encode($charset, $_, $STRICT) }
                split //, $text };
            push @texts, text_of($octets)
                if defined $octets && is_utf8($octets);
        }
    }
    return @texts;
}

sub from_u {
    my ($text) = @_;
    my $octets = join '', map { pack 'n', hex } $text =~ /([0-9A-Fa-f]{4})/g;
    return Encode::decode('UTF-16BE', $octets);
}

# The names of the site that some location of the configuration may match. By
# "case", "straße" is "strasse" and so more different from "strae".
sub near {
    my ($site, $name, $set) = @_;
    return map { $site->near($name, $_) } @{ $set->{matches} };
}

# All paths that the segments of a request may mean with the settings of a
# configuration, as lists of octets, and the readings of each segment; empty if
# there are too many. Any entry that could be found is among them.
sub meanings {
    my ($site, $set, @written) = @_;
    my @octets = map { unescape($_) } @written;
    my $is_utf8 = !grep { !is_utf8($_) } @octets;
    my @paths = ([]);
    my @readings;
    for my $octets (@octets) {
        my $readings = readings($octets, $set);
        push @readings, $readings;
        my %seen;
        my @may = grep { !$seen{$_}++ }
            $is_utf8 && @$readings ? () : $octets,
            map { utf8($_) } map { ($_, near($site, $_, $set)) }
            map { ($_, repaired($_, $set->{repair})) } @$readings;
        return if @may * @paths > 64;
        @paths = map { my $path = $_; map { [@$path, $_] } @may } @paths;
    }
    return (\@paths, \@readings);
}

1;
