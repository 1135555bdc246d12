# Random sites for `iri advise`: a tree of real words in one or several
# charsets, and a log of requests for them in 1 to 4 encodings, with broken
# links and noise.  All of it depends on a seed only.
package Site;
use strict;
use warnings;
use Encode ();
use File::Path qw(make_path remove_tree);
use JSON::PP ();
use Unicode::Normalize qw(NFC NFD);

use IRI::Test;

# By list of words: charsets in which names and links were written.
my %charsets = (
    ja        => [qw(Shift_JIS EUC-JP)],
    'zh-hans' => [qw(gb18030)],
    'zh-hant' => [qw(Big5)],
    ko        => [qw(EUC-KR)],
    fr        => [qw(windows-1252 macintosh ISO-8859-15)],
    de        => [qw(windows-1252 macintosh)],
    ru        => [qw(windows-1251 KOI8-R IBM866 ISO-8859-5 x-mac-cyrillic)],
    uk        => [qw(windows-1251 KOI8-U)],
    pl        => [qw(windows-1250 ISO-8859-2)],
    el        => [qw(windows-1253 ISO-8859-7)],
    tr        => [qw(windows-1254)],
    he        => [qw(windows-1255)],
    ar        => [qw(windows-1256 ISO-8859-6)],
    vi        => [qw(windows-1258)],
    th        => [qw(windows-874)],
    hi        => [],
);

my %words;      # list -> words
my %encoded;    # charset -> word -> octets or ''

sub languages { return sort keys %charsets }
sub charsets_of { return @{ $charsets{ $_[0] } } }

sub words {
    my ($list) = @_;
    return $words{$list} //= do {
        open my $in, '<:encoding(UTF-8)', "$main::names/$list.txt" or die "$list: $!";
        [map { chomp; NFC($_) } grep { !m{[/.%]} } <$in>];
    };
}

# Encode words as the modules write new names; those that a charset lacks are
# left out.
sub encode {
    my ($charset, @words) = @_;
    return map { Encode::encode('UTF-8', $_) } @words if $charset eq 'UTF-8';
    return map { Encode::encode('UTF-8', NFD($_)) } @words if $charset eq 'NFD';
    return map { percent_on_disk(Encode::encode('UTF-8', $_)) } @words if $charset eq 'percent';
    my $known = $encoded{$charset} //= {};
    my @new = grep { !exists $known->{$_} } @words;
    if (@new) {
        my ($code, $out) = capture(join('', map { Encode::encode('UTF-8', "$_\n") } @new),
            $main::iri, 'encode', '--charset', $charset, '--batch');
        my @lines = split /\n/, $out;
        die "iri encode: @lines of @new" if @lines != @new;
        for my $i (0 .. $#new) {
            my $value = JSON::PP::decode_json($lines[$i])->{value} // '';
            $value =~ s/%([0-9A-F]{2})/chr hex $1/ge;
            $known->{ $new[$i] } = $value;
        }
    }
    return map { $known->{$_} } @words;
}

sub escape {
    my ($octets) = @_;
    return $octets =~ s/([^A-Za-z0-9._~\/-])/sprintf '%%%02X', ord $1/ger;
}

# A name as page caches write it.
sub percent_on_disk {
    my ($octets) = @_;
    return $octets =~ s/([%\x80-\xFF])/sprintf '%%%02x', ord $1/ger;
}

# The kinds of broken links, from the word.
my %broken = (
    double   => sub {
        escape(Encode::encode('UTF-8', $_[0]) =~ s/([\x80-\xFF])/sprintf '%%%02X', ord $1/ger);
    },
    mojibake => sub {
        # Its five unassigned octets are C1 controls, as in browsers.
        escape(Encode::encode('UTF-8', join '', map {
            my $o = $_; Encode::decode("cp1252", chr $o) =~ s{\x{FFFD}}{chr $o}er
        } map { ord } split //, Encode::encode('UTF-8', $_[0])));
    },
    invisible => sub { escape(Encode::encode('UTF-8', $_[0] =~ s/^.\K/\x{200B}/sr)) },
    trailing => sub { escape(Encode::encode('UTF-8', "$_[0]\x{3002})")) },
    plus => sub { escape(Encode::encode('UTF-8', $_[0])) =~ s/%20/+/gr },
    u => sub { join '', map { ord $_ < 0x80 ? $_ : sprintf '%%u%04X', ord $_ } split //, $_[0] },
);

sub pick { my ($rand, @list) = @_; return $list[$rand->(scalar @list)] }

sub shuffle {
    my ($rand, @list) = @_;
    for my $i (reverse 1 .. $#list) {
        my $k = $rand->($i + 1);
        @list[$i, $k] = @list[$k, $i];
    }
    return @list;
}

# A site below $dir.  Returns: its directories, requests and settings.
sub create {
    my ($dir, $seed) = @_;
    my $state = $seed * 2654435761 % 4294967296;
    my $rand = sub {
        $state = ($state * 1103515245 + 12345) % 2147483648;
        return int($state / 65536) % $_[0];
    };
    $rand->(2) for 1 .. 5;
    my $mixed = $rand->(3);    # 0: one charset; else one for each directory
    my @lists = grep { $_ ne 'hi' || $rand->(3) == 0 } languages();
    my $list = pick($rand, @lists);
    my %site = (seed => $seed, root => "$dir/root", log => "$dir/log", dirs => [],
        requests => [], mixed => $mixed != 0);
    remove_tree($dir);
    make_path($site{root});
    my $utf8 = $rand->(4) == 0;
    my $disk = pick($rand, charsets_of($list), 'UTF-8');
    my %used;
    for my $d (0 .. $rand->(6)) {
        if ($mixed) {
            $list = pick($rand, @lists) if $mixed == 2;
            $disk = pick($rand, charsets_of($list), 'UTF-8');
            $disk = 'NFD' if $disk eq 'UTF-8' && $rand->(4) == 0;
        }
        # The seed decides, not a random number, so that other sites stay.
        my $disk = $seed % 6 == 5 && $d % 2 ? 'percent' : $disk;
        my @words = (shuffle($rand, @{ words($list) }))[0 .. $rand->(40)];
        my @octets = encode($disk, @words);
        my (%here, @names);
        for my $i (0 .. $#words) {
            my $octets = $octets[$i];
            # Not a test of collisions, and each word once on the site.
            next if $octets eq '' || $octets =~ m{[/\0]} || length $octets > 200
                || $here{$octets}++ || $used{ lc $words[$i] }++;
            push @names, { word => $words[$i], octets => $octets };
        }
        next if !@names;
        push @{ $site{dirs} }, { path => "d$d", list => $list, disk => $disk, names => \@names };
        make_path("$site{root}/d$d");
        for my $name (@names) {
            open my $out, '>', "$site{root}/d$d/$name->{octets}" or die "$name->{octets}: $!";
        }
    }
    requests(\%site, $rand);
    return \%site;
}

sub requests {
    my ($site, $rand) = @_;
    my $encodings = 1 + $rand->(4);
    my $noise = pick($rand, 0, 0, 1, 5);
    my $broken = pick($rand, 'none', 'none', qw(double mojibake u));
    my @kinds = keys_of();
    $broken = $kinds[$site->{seed} % @kinds] if $broken eq 'none';
    my %of;    # list -> encodings
    for my $dir (@{ $site->{dirs} }) {
        my $of = $of{ $dir->{list} } //= [(shuffle($rand, 'UTF-8', 'NFD',
            charsets_of($dir->{list})))[0 .. $encodings - 1]];
        for my $encoding (grep { defined } @$of) {
            my @octets = encode($encoding, map { $_->{word} } @{ $dir->{names} });
            for my $i (0 .. $#octets) {
                my $name = $dir->{names}[$i];
                next if $octets[$i] eq '';
                request($site, "/$dir->{path}/" . escape($octets[$i]),
                    "$dir->{path}/$name->{octets}", $encoding,
                    $octets[$i] eq $name->{octets} ? 200 : 404);
            }
        }
        next if $broken eq 'none';
        for my $name (@{ $dir->{names} }) {
            next if $rand->(5);
            request($site, "/$dir->{path}/" . $broken{$broken}->($name->{word}),
                "$dir->{path}/$name->{octets}", $broken, $broken eq 'u' ? 400 : 404);
        }
    }
    # Noise: words that are not there, in a random encoding.
    my %there = map { map { $_->{word} => 1 } @{ $_->{names} } } @{ $site->{dirs} };
    my @real = @{ $site->{requests} };
    for (1 .. @real * $noise / 100) {
        my $dir = pick($rand, @{ $site->{dirs} });
        my $word = pick($rand, @{ words($dir->{list}) });
        my ($octets) = encode(pick($rand, 'UTF-8', charsets_of($dir->{list})), $word);
        request($site, "/$dir->{path}/" . escape($octets), '', 'noise', 404)
            if $octets ne '' && !$there{$word};
    }
    open my $out, '>', $site->{log} or die $!;
    print $out qq{192.0.2.1 - - [28/Nov/2026:00:00:00 +0000] "GET $_->{target} HTTP/1.1" }
        . qq{$_->{status} 1 "http://a.example/$_->{encoding}" "test"\n} for @{ $site->{requests} };
    close $out;
    $site->{noise} = $noise;
}

sub keys_of { return sort keys %broken }

sub request {
    my ($site, $target, $file, $encoding, $status) = @_;
    push @{ $site->{requests} }, { target => $target, file => $file, encoding => $encoding,
        status => $status };
}

1;
