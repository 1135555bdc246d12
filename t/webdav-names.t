# Any octets as names on disk: PROPFIND of 10,000 of them is well-formed XML on
# both servers, and each href leads back to its entry.
#
# IRI_DAV_NAMES=n: the number of names. IRI_SEED=n repeats a run.
use strict;
use warnings;
use Encode ();
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;
use Unicode::Normalize 'NFC';

my $NAMES = $ENV{IRI_DAV_NAMES} || 10_000;
my $SEED  = seed($ENV{IRI_DAV_NAMES});
plan skip_all => 'no XML::LibXML (libxml-libxml-perl)'
    if !eval { require XML::LibXML; 1 };
my @servers = grep { !missing($_) } qw(nginx httpd);
my @EXT = (grep { $_ eq 'nginx' } @servers) ? IRI::Nginx::dav_ext() : ();
@servers = grep { $_ ne 'nginx' } @servers if !@EXT;
plan skip_all => 'no module is built, or no dav-ext' if !@servers;

diag "IRI_SEED=$SEED, $NAMES names";
srand $SEED;
my $root = temp_dir();
my %octets_of = (u => {}, e => {});    # tree => body => octets
make_names($_) for qw(u e);
system 'chown', '-R', 'www-data', $root if $> == 0;
for my $kind (@servers) {
    subtest $kind => sub { run($kind) };
}
done_testing;

# ---- names ------------------------------------------------------------------

# One random name: octets, characters, legacy text, markup, controls.
sub some_name {
    my $kind = int rand 8;
    my $len  = 1 + int rand 24;
    return join '', map { chr rand 256 } 1 .. $len if $kind < 2;
    return join '', map { chr 0x80 + rand 128 } 1 .. $len if $kind == 2;
    return join '', map { (split //, q{<>&"'[]{}%#?;:\\^`|~ ]>ab})[rand 24] }
        1 .. $len if $kind == 3;
    return join '', map { chr 1 + rand 31 } 1 .. $len if $kind == 4;
    my @from = $kind == 5 ? (0xC0, 0x180) : $kind == 6 ? (0x3041, 0x3097)
        : (0x300, 0x340);
    my $text = join '', map { ('a', '', 'x')[rand 3]
        . chr $from[0] + rand $from[1] - $from[0] } 1 .. 1 + $len / 3;
    return Encode::encode(('UTF-8', 'euc-jp', 'cp932')[rand 3], $text,
        sub { '_' });
}

sub make_names {
    my ($tree) = @_;
    mkdir "$root/$tree" or die "$root: $!\n";
    my %made;
    for my $n (1 .. $NAMES / 2) {
        my $name = some_name();
        $name =~ tr{/\0}{}d;
        next if $name =~ /^\./ || !length $name || $made{$name}++
            || length $name > 200;
        spew("$root/$tree/$name", "$tree$n");
        $octets_of{$tree}{"$tree$n"} = $name;
    }
    return;
}

# ---- servers ----------------------------------------------------------------

sub start {
    my ($kind) = @_;
    return nginx(root => $root, modules => \@EXT, log_level => 'crit',
        conf => <<'END') if $kind eq 'nginx';
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_invalid pass;
    dav_ext_methods PROPFIND;
    location /e/ { iri_filename_charset EUC-JP; }
    location /u/ { }
}
END
    my $server = httpd(root => $root, modules => [qw(dav dav_fs dav_lock)],
        log_level => 'crit', conf => <<'END');
IRIEngine On
IRIInvalid pass
DavLockDB "%%TMP%%/run/lock"
<Directory "%%ROOT%%">
    Dav On
</Directory>
<Directory "%%ROOT%%/e">
    IRIFilenameCharset EUC-JP
</Directory>
END
    chmod 0777, $server->tmp . '/run';
    return $server;
}

sub run {
    my ($kind) = @_;
    my $server = start($kind);
    for my $tree (qw(u e)) {
        my $props = join '', map { "<D:$_/>" }
            qw(displayname getcontentlength resourcetype);
        my $answer = $server->request('PROPFIND', "/$tree/", timeout => 60,
            headers => [Depth => 1, 'Content-Type' => 'text/xml'], body =>
                "<D:propfind xmlns:D='DAV:'><D:prop>$props</D:prop>"
                . '</D:propfind>');
        is $answer->status, 207, "$tree: PROPFIND";
        my @hrefs = hrefs($tree, $answer->body);
        is scalar @hrefs, 1 + keys %{ $octets_of{$tree} },
            "$tree: all of them";
        check_hrefs($server, $tree, @hrefs);
    }
    is_deeply [$server->errors], [], 'log';
    $server->stop;
    return;
}

# The hrefs of a multistatus, which must be XML.
sub hrefs {
    my ($tree, $body) = @_;
    my $document = eval {
        XML::LibXML->new(recover => 0, no_network => 1, huge => 1)
            ->parse_string($body);
    };
    ok $document, "$tree: is XML" or diag substr($@, 0, 400);
    return if !$document;
    my $x = XML::LibXML::XPathContext->new($document);
    $x->registerNs(D => 'DAV:');
    my @hrefs = map { $_->textContent }
        $x->findnodes('/D:multistatus/D:response/D:href');
    my @odd = grep { !m{^(?:/(?:[\w.~!\$&'()*+,;=:@-]|%[0-9A-F]{2})*)+\z}a }
        @hrefs;
    is scalar @odd, 0, "$tree: paths of URIs, percent-encoded"
        or diag join "\n", splice @odd, 0, 5;
    return @hrefs;
}

# Octets that are no name in an EUC-JP tree, but that a request reads as UTF-8:
# then the request is for the entry with that name, if it exists, and not for
# this one.
my %octets;
sub is_out_of_reach {
    my ($tree, $href, $answer) = @_;
    $octets{$_} = 1 for keys %octets ? () : values %{ $octets_of{e} };
    my $name = $href =~ s{^/e/}{}r =~ s/%(..)/chr hex $1/ger;
    return 0 if $tree ne 'e' || !$octets{$name} || !utf8::decode($name);
    return 1 if $answer->status == 404;
    my $other = Encode::decode('euc-jp', $octets_of{e}{ $answer->body } // '');
    return NFC($other) eq NFC($name);
}

# Requests each href as it is written; of entries with one name one is served
# for both.
sub check_hrefs {
    my ($server, $tree, @hrefs) = @_;
    @hrefs = grep { $_ ne "/$tree/" } @hrefs;
    my %times;
    $times{$_}++ for @hrefs;
    my @answers = $server->client(timeout => 60)->pipeline(@hrefs);
    my (%seen, @lost);
    my $out = 0;
    for my $i (0 .. $#hrefs) {
        my $body = $answers[$i]->status == 200 ? $answers[$i]->body : '';
        next if is_out_of_reach($tree, $hrefs[$i], $answers[$i]) && ++$out;
        $seen{$body}++;
        push @lost, "$hrefs[$i]: " . $answers[$i]->status
            if !defined $octets_of{$tree}{$body};
    }
    is scalar @lost, 0, "$tree: each href leads to an entry"
        or diag join "\n", scalar @lost, splice @lost, 0, 5;
    my $twins = @hrefs - keys %times;
    my $shared = @hrefs - $out - keys %seen;
    cmp_ok $shared, '<=', $twins,
        "$tree: and each to its own, but for $twins that share a name";
    return;
}
