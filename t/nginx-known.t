# nginx: a path that lay on disk as it is read is asked for again, and then
# takes a short way. Each answer is the same as the first time, also where the
# disk, or who asks, is another by then.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

plan skip_all => missing('nginx') if missing('nginx');

# U+8868, U+304C in NFC and NFD, U+00E9: in UTF-8, Shift_JIS, EUC-JP, Latin.
my ($root) = make_tree(<<'END');
any/\xE8\xA1\xA8.txt	file	table
any/\xE3\x81\x8C.txt	file	composed
any/\xE3\x81\x8C/index.txt	file	index
nfc/\xE3\x81\x8C.txt	file	composed
deny/\xE3\x81\x8C.txt	file	secret
link/\xE3\x81\x8C.txt	file	link
try/\xE3\x81\x8C.txt	file	try
alias/\xE3\x81\x8C.txt	file	alias
from/\xE3\x81\x8C.txt	file	from
to/\xE3\x81\x8C.txt	file	to
to/\xC3\xA9.txt	file	other
up/\xE3\x81\x8C.txt	file	up
if/\xEF\xBD\xA4\xEF\xBD\xAC.txt	file	half
else/if/\xE3\x81\x8C.txt	file	else
lost.txt	file	lost
END
mkdir "$root/quiet" or die;

my $server = nginx(root => $root, conf => octets(<<'END'));
map $uri $mapped { default other; ~any/\xEF half; }
log_format form "$uri $iri_form $iri_charset $iri_match";
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    index index.txt;
    iri on;
    iri_charset Shift_JIS EUC-JP;
    access_log %%TMP%%/form form;
    set $server $mapped;
    add_header X-Name $request_filename;
    add_header X-Map $mapped;
    error_page 404 /lost.txt;
    location /nfc/ { iri_filename_form nfc; }
    location /deny/ { deny all; }
    location /link/ { iri_redirect 301; }
    location /try/ { try_files $uri =404; }
    location /alias/ { alias %%ROOT%%/alias/; }
    location /from/ { rewrite ^/from/(.*)$ /to/$1 last; }
    location /other/ { rewrite ^ "/to/e\xCC\x81.txt" last; }
    location /break/ { rewrite ^/break/(.*)$ /to/$1 break; }
    location /up/ {
        if ($http_x) { proxy_pass http://127.0.0.1:%%PORTecho%%; }
    }
    location /if/ {
        if ($http_x) { root %%ROOT%%/else; }
    }
    location /said/ { return 200 $iri_form-$iri_path; }
}
server {
    listen 127.0.0.1:%%PORTplain%%;
    root %%ROOT%%;
    iri on;
    location /nfc/ { iri_filename_form nfc; }
}
server {
    listen 127.0.0.1:%%PORTecho%%;
    location / { return 200 $request_uri; }
}
END

# Status, text, and the name that the rules see.
sub answer {
    my ($target, %option) = @_;
    my $answer = $server->get($target, %option);
    my $name = $answer->header('X-Name') // '-';
    $name =~ s/^\Q$root\E//;
    my $text = $answer->status == 200 ? $answer->body : '';
    return join ' ', $answer->status, $text, octets_shown($name);
}

sub octets_shown {
    my ($text) = @_;
    $text =~ s/([^ -~])/sprintf '%%%02X', ord $1/ge;
    return $text;
}

my $ga   = '%E3%81%8C';
my $nfd  = '%E3%81%8B%E3%82%99';
my @same = (
    ["/any/$ga.txt", "200 composed /any/$ga.txt"],
    ["/any/$nfd.txt", "200 composed /any/$ga.txt"],
    ['/any/%82%AA.txt', "200 composed /any/$ga.txt"],
    ['/any/%95%5C.txt', '200 table /any/%E8%A1%A8.txt'],
    ['/any/%95%5c.txt?a=b', '200 table /any/%E8%A1%A8.txt'],
    ['/any/%A4%AC.txt', "200 composed /any/$ga.txt"],
    ["/any/$ga/", "200 index /any/$ga/index.txt"],
    ["/nfc/$ga.txt", "200 composed /nfc/$ga.txt"],
    ["/nfc/$nfd.txt", "200 composed /nfc/$ga.txt"],
    ["/nfc/%82%AA.txt", "200 composed /nfc/$ga.txt"],
    ["/nfc/${ga}x.txt", undef],
    ["/deny/$ga.txt", '403  -'],
    ["/link/$ga.txt", "200 link /link/$ga.txt"],
    ["/link/$nfd.txt", "301  /link/$ga.txt"],
    ["/try/$nfd.txt", "200 try /try/$ga.txt"],
    ["/alias/$nfd.txt", "200 alias /alias/$ga.txt"],
    ["/from/$nfd.txt", "200 to /to/$ga.txt"],
    ["/other/$nfd.txt", '200 other /to/%C3%A9.txt'],
    ["/break/$nfd.txt", "200 to /to/$ga.txt"],
    ["/any/$ga.none", undef],
);
for my $case (@same) {
    my ($target, $wanted) = @$case;
    my @got = map { answer($target) } 1 .. 4;
    is $got[0], $wanted, $target if defined $wanted;
    is $got[$_], $got[0], "$target: as the first time" for 1 .. $#got;
}
is $server->get("/any/$ga")->header('Location'),
    "http://localhost:" . $server->port . "/any/$ga/", 'a directory' for 1 .. 3;
is $server->get("/said/$nfd")->body, "escaped-/said/\xE3\x81\x8C",
    'what is told' for 1 .. 3;

# What the log knows of it.
$server->settle;
my $log = slurp($server->tmp . '/form');
my %lines;
$lines{ s/\\x/%/gr }++ for split /\n/, $log;
cmp_ok $lines{"/any/$ga.txt $_"} // 0, '>=', 4, "logged: $_"
    for 'escaped UTF-8 exact', 'escaped UTF-8 normalization',
    'legacy Shift_JIS charset', 'legacy EUC-JP charset';

# Another method, raw octets, another spelling of the escapes.
is answer("/any/\xE3\x81\x8C.txt"), "200 composed /any/$ga.txt", 'raw';
is $server->request('HEAD', "/any/$nfd.txt")->status, 200, 'HEAD';
is $server->request('POST', "/any/$nfd.txt")->status, 405, 'POST';
is $server->get('/any/%82%aa.txt')->body, 'composed', 'lower case';

# Upstream gets what came, but nothing raw.
is $server->get("/up/$ga.txt")->body, 'up', 'a file' for 1 .. 3;
is $server->get($_, headers => ['X', 1])->body, "/up/$ga.txt",
    octets_shown("$_ upstream") for "/up/$ga.txt", "/up/\xE3\x81\x8C.txt";

# In another location the second reading has the file.
my @if = (['200 else', 'X', 1], ['200 half']);
for my $case (@if, @if) {
    my ($wanted, @headers) = @$case;
    my $answer = $server->get('/if/%A4%AC.txt', headers => \@headers);
    is $answer->status . ' ' . $answer->body, $wanted, "if @headers: $_"
        for 1 .. 3;
}

# ---- the disk is another -------------------------------------------------

my $plain = $server->port('plain');
sub plain {
    my ($target) = @_;
    my $answer = $server->get($target, port => $plain);
    return $answer->status . ' ' . ($answer->status == 200 ? $answer->body : '');
}
my ($composed, $apart) = ("$root/any/\xE3\x81\x8C.txt",
    "$root/any/\xE3\x81\x8B\xE3\x82\x99.txt");
for my $target ("/any/$ga.txt", "/any/$nfd.txt") {
    is plain($target), '200 composed', "$target: $_" for 1 .. 3;
    rename $composed, $apart or die;
    is plain($target), '200 composed', "$target in NFD: $_" for 1 .. 3;
    spew($composed, 'new');
    is plain($target), '200 new', "$target, and the exact one: $_" for 1 .. 3;
    unlink $composed, $apart or die;
    is plain($target), '404 ', "$target is gone: $_" for 1 .. 3;
    spew($composed, 'composed');
    is plain($target), '200 composed', "$target is back: $_" for 1 .. 3;
}

# What is absent is remembered where the directory has been quiet.
sleep 1 while time - (stat "$root/quiet")[10] < 3;
for my $target ("/quiet/$ga.txt", "/quiet/$nfd.txt") {
    is plain($target), '404 ', "$target is absent: $_" for 1 .. 4;
}
spew("$root/quiet/\xE3\x81\x8B\xE3\x82\x99.txt", 'apart');
for my $target ("/quiet/$ga.txt", "/quiet/$nfd.txt") {
    is plain($target), '200 apart', "$target is there: $_" for 1 .. 3;
}

# Of two readings the second has the file, until the first has it, too.
is answer('/any/%A4%AC.txt'), "200 composed /any/$ga.txt", 'EUC-JP';
spew("$root/any/\xEF\xBD\xA4\xEF\xBD\xAC.txt", 'half');
is answer('/any/%A4%AC.txt'), '200 half /any/%EF%BD%A4%EF%BD%AC.txt',
    "Shift_JIS goes first: $_" for 1 .. 3;
unlink "$root/any/\xEF\xBD\xA4\xEF\xBD\xAC.txt" or die;
is $server->get('/any/%A4%AC.txt')->header('X-Map'), 'other',
    'and nothing is left of that';
is answer('/any/%A4%AC.txt'), "200 composed /any/$ga.txt",
    "then not any more: $_" for 1 .. 3;

is_deeply [grep { !/No such file/ } $server->errors], [], 'no errors';

done_testing;
