# nginx: one line of log a request, with a code for each reason, as
# doc/reasons.md has them; whatever was done, or would have been.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use IRI::Octets qw(escaped);
use Test::More;

plan skip_all => missing('nginx') if missing('nginx');

my ($root) = make_tree(<<'END');
index.html	file	index
plain.txt	file	plain
caf\xC3\xA9.txt	file	coffee
e\xCC\x81.txt	file	nfd
Docs/Readme.txt	file	one
Docs/README.txt	file	two
Docs/Guide.txt	file	guide
\xE8\xA1\xA8.txt	file	table
\xE3\x80\x9C.txt	file	wave
euc/\xC9\xBD.txt	file	euc
euc/\xC9\xBD/\xC9\xBD.txt	file	below
END

mkdir "$root/closed", 0755;
chmod 0311, "$root/closed";

my $places = <<'END';
    error_page 404 /index.html;
    location /fold/ { alias %%ROOT%%/; iri_match normalization case spelling; }
    location /euc/ { iri_filename_charset EUC-JP; }
    location /ascii/ { alias %%ROOT%%/euc/; iri_filename_charset EUC-JP; }
    location /list/ { alias %%ROOT%%/closed/; iri_listing on; }
    location /nfc/ { alias %%ROOT%%/; iri_filename_form nfc; }
    location /to/ { return 302 http://-%%U%%-.example/; }
    location /convert { return 200 "$c"; }
END
$places =~ s/%%U%%/\xC3\xBC/;
my $server = nginx(root => $root, log_level => 'info', conf => <<"END");
iri_charset Shift_JIS EUC-JP;
iri_query_charset Shift_JIS nfc;
map \$arg_c \$list { default ""; ~. \$arg_c; }
iri_convert \$c nfc \$http_x;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_host on;
$places
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOT%%;
    iri report;
    iri_host on;
$places
}
server {
    listen 127.0.0.1:%%PORTstrict%%;
    root %%ROOT%%;
    iri on;
    iri_host strict;
}
server {
    listen 127.0.0.1:%%PORTpass%%;
    root %%ROOT%%;
    iri report;
    iri_invalid pass;
}
server {
    listen 127.0.0.1:%%PORTclient%%;
    root %%ROOT%%;
    iri on;
    iri_charset \$list;
}
END

my %seen;

# The lines that a request has made, without what nginx says itself.
sub lines {
    my ($target, %option) = @_;
    my $before = length $server->told;
    my $method = delete $option{method} // 'GET';
    $option{host} = IRI::Nginx::sent_host($option{host}) if $option{host};
    $server->request($method, $target, %option);
    return grep { /\[(?:info|error|crit)\].*iri: / } split /\n/,
        substr $server->told, $before;
}

my $FORM = qr/^\S+\ \S+\ \[(?:info|error)\]\ \d+\#\d+:\ \*\d+\ iri:\ [ -~]+,
    \ reason=([-a-z0-9]+(?:,[-a-z0-9]+)*),\ client:\ /x;

sub line_is {
    my ($reasons, $target, %option) = @_;
    my @lines = lines($target, %option);
    my $name = "$reasons: " . escaped($target);
    is @lines, 1, "one line: $name" or diag join "\n", @lines;
    my ($got) = ($lines[0] // '') =~ $FORM;
    is $got, $reasons, $name or diag $lines[0] // '';
    $seen{$_} = 1 for split /,/, $got // '';
    return $lines[0] // '';
}

my @report = (port => $server->port('report'));
is_deeply [lines('/plain.txt')],                [], 'nothing of plain names';
is_deeply [lines('/caf%C3%A9.txt')],            [], 'nor of others';
is_deeply [lines('/plain.txt', @report)],       [], 'report: nothing either';

# ---- paths --------------------------------------------------------------------

line_is(folded      => '/fold/PLAIN.TXT');
line_is(ambiguous   => '/fold/docs/readme.TXT');
line_is(ambiguous   => '/fold/Docs/readme.txt');
line_is(spelling    => '/fold/plan.txt');
line_is(further     => '/euc/%C9%BD/%C9%BD.txt');
line_is(unwritable  => '/euc/%E2%82%AC.txt');
line_is(unreadable  => '/%FF');
line_is(bidi        => "/a\xE2\x80\xAE");
line_is(limit       => '/%E8%A1%A8' x 200);
line_is(listing     => '/list/');
line_is(found       => '/caf%C3%A9.txt', @report);
line_is(found       => '/%95%5c.txt', @report);
line_is(absent      => '/%C3%A9', @report);
line_is(variant     => '/%EF%BD%9E.txt', @report);
line_is(folded      => '/fold/PLAIN.TXT', @report);
line_is(spelling    => '/fold/plan.txt', @report);
line_is(ambiguous   => '/fold/docs/readme.TXT', @report);
line_is(unwritable  => '/euc/%E2%82%AC.txt', @report);
line_is(declared    => '/nfc/caf%C3%A9.txt', @report);
line_is(unreadable  => '/%FF', @report);
line_is(bidi        => "/a\xE2\x80\xAE", @report);
line_is(limit       => '/%E8%A1%A8' x 200, @report);

# ---- hosts --------------------------------------------------------------------

my %host = ('host-octets' => "b\xFC.example", 'host-escape' => 'b%zz',
    'host-character' => 'a%C3%BC%2Fb', 'host-hyphen' => "-\xC3\xBC-",
    'host-mark' => "\xCC\x81a", 'host-bidi' => "\xD7\x90a\xD7\x90.1a",
    'host-joiner' => "a\xE2\x80\x8Db", 'host-alabel' => "xn--\xC3\xBC",
    'host-address' => '127.0.0.%31', 'host-limit' => "\xC3\xBC" x 300);
for my $code (sort keys %host) {
    my @lines = lines('/plain.txt', host => $host{$code});
    is @lines, 1, "one line: $code";
    like $lines[0] // '', qr/, reason=host-[a-z0-9]+, client/, $code;
    my ($got) = ($lines[0] // '') =~ $FORM;
    $seen{ $got // '' } = 1;
}
line_is('host-mapped' => '/plain.txt', @report, host => "b\xC3\xBC.example");
line_is('host-idna2008' => '/plain.txt', host => "\xE2\x98\x95.example",
    port => $server->port('strict'));
line_is('found,host-mapped,query-read' => '/caf%C3%A9.txt?q=%95%5c', @report,
    host => "b\xC3\xBC.example");

# ---- queries ------------------------------------------------------------------

line_is('query-read'       => '/plain.txt?q=%95%5c', @report);
line_is('query-unreadable' => '/plain.txt?q=%95%ff', @report);
line_is('query-normalized' => '/plain.txt?q=e%CC%81', @report);
line_is('query-limit'      => '/plain.txt?q=' . '%83%5C' x 911, @report);
my $line = line_is('found,query-read' => '/caf%C3%A9.txt?q=%95%5c', @report);
like $line, qr/report: would serve .*; would make the query "q=%E8%A1%A8": /,
    'path and query in one';

# ---- the rest -----------------------------------------------------------------

line_is(function => '/convert', headers => ['X', "\xFF"]);
line_is(charsets => '/caf%C3%A9?c=klingon', port => $server->port('client'));
line_is(location => '/to/x');

# ---- hostile ------------------------------------------------------------------

for my $target ('/%0A%0D%1B[31m%C3%A9"\\', '/%22,%20reason=found%C3%A9',
    '/' . "\xC3\xA9" x 480, '/fold/PLAIN.TXT' . '%FF' x 100,
    '/%95%5c?' . "\"\\\x7F\xFF" x 100)
{
    my @lines = lines($target, @report);
    cmp_ok scalar(@lines), '<=', 1, 'one line: ' . escaped(substr $target, 0, 40);
    like $_, $FORM, 'in form' for @lines;
}
is_deeply [$server->errors], [], 'nothing unexpected';

# All that can occur here has; the rest is told why.
my %other = map { $_ => 1 }
    # what is not told of a request that is served as it came
    qw(none ascii canonical read), qw(host-ascii host-literal query-ascii),
    'query-utf8',
    # what needs a setting, or an accident, that other tests have
    qw(mixed repaired below twin other-tree unnamed other-name forbidden
    budget error cache destination certificate host-empty host-wildcard),
    # of httpd only
    qw(indexes decoded rule restart multistatus);
my @codes = slurp("$FindBin::Bin/../doc/reasons.md") =~ /^\| `([-a-z0-9]+)` \|/mg;
cmp_ok scalar(@codes), '>', 50, 'codes in doc/reasons.md';
is_deeply [grep { !$seen{$_} && !$other{$_} } @codes], [],
    'each that can occur has occurred';

done_testing;
