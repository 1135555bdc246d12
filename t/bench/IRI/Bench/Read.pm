# What it costs to read a path, and to find what has just that name:
# instructions of a request with the module on, without those of the same page
# asked for in UTF-8 with the module off. The system calls are the group
# fold's.
package IRI::Bench::Read;
use strict;
use warnings;
use Encode qw(decode encode);
use IRI::Bench::Server;
use IRI::Bench::Table;
use IRI::Bench::Trees qw(name_of trees);
use Unicode::Normalize 'NFD';

*number = \&IRI::Bench::Table::number;

my $SIZE = 3000;    # names; new ones are asked for one after the other
my $PAGE = 500;     # the one that is asked for again and again

# Settings of a server, and how it is told them: under which key of
# new_server().
my %KEY = (nginx => 'places', httpd => 'conf');
my %ON = (
    nginx => {
        off    => 'iri off;',
        any    => 'iri on;',
        nfc    => 'iri on; iri_filename_form nfc;',
        sjis   => 'iri on; iri_charset Shift_JIS EUC-JP;',
        1251   => 'iri on; iri_charset windows-1251;',
        legacy => 'iri on; iri_charset EUC-JP; iri_filename_charset EUC-JP;',
    },
    httpd => {
        off    => "IRIEngine Off\n",
        any    => "IRIEngine On\n",
        nfc    => "IRIEngine On\nIRIFilenameForm nfc\n",
        sjis   => "IRIEngine On\nIRICharset Shift_JIS EUC-JP\n",
        1251   => "IRIEngine On\nIRICharset windows-1251\n",
        legacy => "IRIEngine On\nIRICharset EUC-JP\n"
            . "IRIFilenameCharset EUC-JP\n",
    },
);

# Rows: settings, what is asked for, its directory, how it is written, the
# directory in which the same page has that name in UTF-8, and instructions
# at most: of the first time, and of all that follow.
my @ROWS = (
    [any    => 'ASCII',         d  => \&as_it_is,       'd',  60],
    [any    => 'ASCII, absent', d  => \&absent,         'd',  60],
    [nfc    => 'Japanese',      ja => \&as_it_is,       'ja', 400],
    [nfc    => 'French',        fr => \&as_it_is,       'fr', 400],
    [nfc    => 'French in NFD', fr => \&in_nfd,         'fr', 350, 2500],
    [any    => 'Japanese',      ja => \&as_it_is,       'ja', 700],
    [any    => 'French',        fr => \&as_it_is,       'fr', 700],
    [any    => 'Japanese in NFD', ja => \&in_nfd,       'ja', 350, 2500],
    [any    => 'French in NFD', fr => \&in_nfd,         'fr', 350, 2500],
    [any    => 'Japanese, absent', ja => \&absent,      'ja', 400, 1000],
    [any    => 'French, absent', fr => \&absent,        'fr', 400, 1000],
    [sjis   => 'Shift_JIS',     ja => in('cp932'),      'ja', 350, 2000],
    [sjis   => 'EUC-JP, second', ja => in('euc-jp'),    'ja', 350, 3000],
    [1251   => 'windows-1251',  ru => in('cp1251'),     'ru', 350, 2000],
    [legacy => 'UTF-8, names in EUC-JP', ej => \&as_it_is, 'ja', 350, 2500],
);

sub run {
    my ($class, $table, %option) = @_;
    my $self = bless { %option, table => $table }, $class;
    $self->{root} = trees($option{trees}, map { "$_$SIZE" } qw(d ja fr ru ej));
    for my $what (grep { !$option{server} || $_ eq $option{server} }
        qw(nginx httpd))
    {
        $self->server($what);
    }
    return;
}

sub server {
    my ($self, $what) = @_;
    my $table = $self->{table};
    my @rows = grep { "$_->[0] $_->[1]" =~ /$self->{rows}/ } @ROWS;
    $self->{$_} = {} for qw(servers base);
    $self->{what} = $what;
    $table->text("### $what, reading and finding");
    $table->text('Instructions of a request, without those of the same page '
        . 'in UTF-8 with the module off.');
    $table->text('');
    my (@lines, @goals);
    for my $row (@rows) {
        my ($again, $first) = map { $self->more($row, $_) } 0, 1;
        push @lines, ["$row->[0]: $row->[1]", number($first),
            number($again)];
        push @goals, ["$row->[0]: $row->[1], again", $again, $row->[5]];
        push @goals, ["$row->[0]: $row->[1], first", $first, $row->[6]]
            if $row->[6];
    }
    $_->stop for values %{ $self->{servers} };
    $table->table(['', 'first', 'again'], @lines);
    $table->goal("$what $_->[0]", @$_[1, 2], 'instructions') for @goals;
    $table->text('');
    return;
}

# ---- what is asked -----------------------------------------------------------

# The characters of a name, whatever the directory has them in.
sub as_it_is { return encode('UTF-8', $_[0]) }
sub absent   { return encode('UTF-8', "x$_[0]") }
sub in_nfd   { return encode('UTF-8', NFD($_[0])) }

sub in {
    my ($charset) = @_;
    return sub { return encode($charset, $_[0]) };
}

sub target {
    my ($directory, $written, $as, $number) = @_;
    my $name = $written->(decode('UTF-8', name_of($as, $number)));
    $name =~ s/([\x80-\xFF])/sprintf '%%%02X', ord $1/ge;
    return "/$directory$SIZE/$name";
}

# ---- measuring ---------------------------------------------------------------

# One row, on without off; new: of names that were not asked for before.
sub more {
    my ($self, $row, $new) = @_;
    my ($on, undef, $directory, $written, $as) = @$row;
    my $wanted = $written == \&absent ? 404 : 200;
    my $like   = $written == \&absent ? $written : \&as_it_is;
    my $base   = $self->{base}{"$as $wanted"} //=
        $self->cost('off', $wanted,
            sub { target($as, $like, $as, $PAGE) });
    my $number = $PAGE;
    my $cost   = $self->cost($on, $wanted, sub {
        $number = ++$self->{asked} % $SIZE if $new;
        return target($directory, $written, $as, $number);
    });
    $self->{table}->figure($self->{what}, "$row->[0]: $row->[1]",
        $new ? 'first' : 'again', sprintf '%.1f', $cost - $base);
    return $cost - $base;
}

sub cost {
    my ($self, $name, $wanted, $target) = @_;
    my $what   = $self->{what};
    my $server = $self->{servers}{$name} //= IRI::Bench::Server::new_server(
        $what, root => $self->{root}, tool => 'callgrind',
        $KEY{$what} => $ON{$what}{$name});
    my $answer = $server->ask_until($target, $wanted);
    die "read: ", $answer->status, ", not $wanted, for ", $target->(), "\n"
        if $answer->status != $wanted;
    # The directory is read, and the answer given twice.
    $server->ask($target, 5);
    my ($profile) = $server->instructions($target, $self->{requests});
    return $profile->sum;
}

1;
