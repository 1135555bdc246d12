#!/usr/bin/perl
# The listing of a directory with 10,000 names of random octets, without a
# server: strict parsers accept it as XML, HTML and JSON; each displayed name
# is the name of the link's target, no entry is missing, and the hash in
# Content-Security-Policy is that of the style sheet.
use strict;
use warnings;
use Digest::SHA 'sha256_base64';
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use JSON::PP ();
use Test::More;
use Unicode::Normalize 'NFC';

my $LISTING = build_dir() . '/t/bench/listing';
plan skip_all => "$LISTING is not built" if !-x $LISTING;

my $SEED = seed(0);
srand $SEED;
note "IRI_SEED=$SEED";

my $COUNT = 10_000;
my @PARTS = (
    map({ chr } 1 .. 46, 48 .. 255), qw(% < > & " ' </bdi> --> ]]> %41 \\ .),
    "\xC3\xA9", "e\xCC\x81", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x80\xA8",
    "\xEF\xBF\xBE", "\xEF\xBF\xBF", "\xEF\xB7\x90", "\xF0\x9F\x98\x80",
    "\xE8\xA1\xA8", "\x95\x5C", "\xC0\xAF", "\xED\xA0\x80", "\xC2\x85",
    "\xD7\xA9", "\xF3\xA0\x80\x81", "\xC2\xAD", 'a' .. 'z',
);
my $dir = temp_dir();
my %there;

while (keys %there < $COUNT) {
    my $name = join '', map { $PARTS[rand @PARTS] } 0 .. rand 8;
    next if $name =~ m{^\.|/} || length $name > 255 || $there{$name};
    my $is_dir = rand() < 0.1;
    if ($is_dir) {
        mkdir "$dir/$name" or die "mkdir: $!\n";
    } else {
        open my $file, '>', "$dir/$name" or die "open: $!\n";
    }
    $there{$name} = $is_dir ? 'dir' : 'file';
}

sub unescaped { return $_[0] =~ s/%([0-9A-F]{2})/chr hex $1/egr }

sub page {
    my ($query, $labels, $invalid, $size) = @_;
    my ($code, $out, $message) = capture('', $LISTING, $dir, '/a<b/%41/',
        $query, $labels, 'any', $invalid, '', $size);
    is $code, 0, "$labels, $invalid, \"$query\"" or diag $message;
    return $out;
}

# The expected entries of a page: octets => [name, href, text].
sub judge_json {
    my ($labels, $invalid, $size) = @_;
    my $octets = page('format=json', $labels, $invalid, $size);
    my $listing = eval { JSON::PP->new->utf8->decode($octets) };
    ok $listing, 'JSON' or diag($@), return {};
    my (%seen, %wrong);
    is $listing->{path}, '/a<b/%41/', 'the path of the listing';
    for my $entry (@{ $listing->{entries} }) {
        my $name = $entry->{name};
        utf8::encode($name) if defined $name;   # noncharacters, too
        my $as = defined $entry->{octets} ? unescaped($entry->{octets})
            : $name;
        $seen{$as} = $entry;
        $wrong{kind}++ if ($there{$as} // '') ne
            ($entry->{directory} ? 'dir' : 'file');
        next if !defined $entry->{href};
        my $to = $entry->{href};
        $wrong{href}++ if $to !~ m{^\./(?:[\w.~!\$&'()*+,;=:@-]|%[0-9A-F]{2})+/?\z};
        $wrong{slash}++ if ($to =~ s{/\z}{}) != !!$entry->{directory};
        $wrong{leads}++ if unescaped($to =~ s{^\./}{}r) ne ($name // $as);
    }
    is_deeply \%wrong, {}, 'each entry is as expected';
    is_deeply [grep { !$seen{$_} } keys %there], [], 'no entry is missing';
    is scalar @{ $listing->{entries} }, $COUNT, 'no entry is listed twice';
    return \%seen;
}

sub judge_html {
    my ($labels, $invalid, $size, $seen) = @_;
    my $octets = page('sort=date&order=desc', $labels, $invalid, $size);
    my $dom = eval { XML::LibXML->load_xml(string => $octets) };
    ok $dom, 'well-formed' or diag($@), return;
    my $xpath = XML::LibXML::XPathContext->new($dom);
    $xpath->registerNs(h => 'http://www.w3.org/1999/xhtml');
    my %links = map { $_->{href} => 1 } grep { defined $_->{href} }
        values %$seen;
    my (%wrong, $rows);
    for my $row ($xpath->findnodes('//h:tbody/h:tr')) {
        $rows++;
        my @cells = $xpath->findnodes('h:td', $row);
        $wrong{cells}++ if @cells != 3;
        my ($bdi) = $xpath->findnodes('.//h:bdi', $cells[0]);
        utf8::encode(my $text = $bdi->textContent);
        $wrong{seen}++ if $bdi->textContent =~ /[\x00-\x1F\x7F-\x9F\x{AD}]
            |[\x{2028}-\x{202E}\x{2066}-\x{2069}\x{FEFF}\x{FFFE}\x{FFFF}]/x;
        my ($link) = $xpath->findnodes('h:a', $cells[0]) or next;
        my $href = $link->getAttribute('href');
        $wrong{link}++ if !delete $links{$href};
        $wrong{text}++ if unescaped($text)
            ne unescaped($href =~ s{^\./|/\z}{}gr);
    }
    is_deeply \%wrong, {}, 'the text of each link is its name';
    is $rows, $COUNT, 'each entry has a row';
    is scalar keys %links, 0, 'JSON has no other links';

    my ($style) = $octets =~ m{<style>(.*?)</style>}s;
    my (undef, $policy) = capture('', $LISTING, '--policy');
    like $policy, qr/'sha256-\Q${\ sha256_base64($style)}\E='/,
        'the hash of the style';
    unlike $octets, qr/<(?:script|link|img|iframe)|\bon\w+=|url\(|\@import/i,
        'Content-Security-Policy';
}

# No name opens or closes an element, by the rules of an HTML parser.
sub judge_tags {
    my ($labels, $invalid) = @_;
    my $octets = page('', $labels, $invalid, 32768);
    my %count;
    my $parser = HTML::Parser->new(
        api_version => 3,
        start_h => [sub { $count{ $_[0] }++ }, 'tagname'],
        end_h => [sub { $count{"/$_[0]"}++ }, 'tagname'],
        comment_h => [sub { $count{comment}++ }, ''],
    );
    $parser->parse($octets);
    $parser->eof;
    is_deeply [map { $count{$_} // 0 } qw(tr /tr td /td comment script)],
        [$COUNT + 1, $COUNT + 1, 3 * $COUNT, 3 * $COUNT, 0, 0], 'HTML';
}

my @CASES = (
    ['utf-8', 'pass', 1000], ['sjis', '404', 32768],
    ['euc-jp utf-8', 'pass', 7],
);

for my $case (@CASES) {
    my ($labels, $invalid, $size) = @$case;
    subtest "$labels, iri_invalid $invalid" => sub {
        my $seen = judge_json(@$case);
      SKIP: {
            skip 'no XML::LibXML', 1
                if !eval { require XML::LibXML; XML::LibXML::XPathContext->can('new') };
            judge_html(@$case, $seen);
        }
      SKIP: {
            skip 'no HTML::Parser', 1 if !eval { require HTML::Parser };
            judge_tags($labels, $invalid);
        }
    };
}

# A name that is UTF-8 is shown in NFC, linked or not.
my ($json) = page('format=json', 'utf-8', '404', 32768);
my @named = grep { defined $_->{name} }
    @{ JSON::PP->new->utf8->decode($json)->{entries} };
is scalar(grep { $_->{name} ne NFC($_->{name})
        && $_->{name} !~ /[\x{212A}\x{37E}\x{1FEF}]/ } @named),
    0, 'names are in NFC';
done_testing;
