# nginx: where a path has led is known when it is asked for again: to another's
# name, to a name that is written otherwise on disk, or to nothing. Each answer
# is that of a server which has to find out each time, also where the disk, or
# the configuration, is another by then.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use File::Copy 'move';
use IRI::Test;
use Test::More;
use Time::HiRes 'sleep';

plan skip_all => missing('nginx') if missing('nginx');

# U+304C in NFC and NFD; escaped, and as octets of EUC-JP.
my ($ga, $nfd) = ("\xE3\x81\x8C", "\xE3\x81\x8B\xE3\x82\x99");
my $euc = '%A4%AC';

# What happens to a directory once its paths are known: each has its own, and
# names are asked for that lead elsewhere.
my %change = (
    gone => sub { unlink "$_[0]/Name.txt", "$_[0]/$ga.txt", "$_[0]/\xA4\xAC" },
    renamed => sub { rename "$_[0]/Name.txt", "$_[0]/naMe.TXT" },
    literal => sub {
        spew("$_[0]/NAME.TXT", 'literal');
        spew("$_[0]/\xEF\xBD\xA4\xEF\xBD\xAC.txt", 'first');
        spew("$_[0]/\xE3\x81\x8C", 'composed');
    },
    comes => sub { spew("$_[0]/\xE3\x81\x8D.txt", 'new') },
    near  => sub { spew("$_[0]/None.txt", 'near') },
    twin  => sub { spew("$_[0]/nAME.txt", 'twin') },
    linked => sub {
        move($_[0], "$_[0].old") or die;
        symlink 'elsewhere', $_[0] or die;
    },
    swapped => sub {
        move($_[0], "$_[0].old") or die;
        move("$_[0].new", $_[0]) or die;
    },
    shut   => sub { chmod 0, "$_[0]/Name.txt", "$_[0]/$ga.txt" },
    closed => sub { chmod 0, $_[0] },
    listed => sub { chmod 0711, $_[0] },
    folder => sub {
        unlink "$_[0]/Name.txt" or die;
        mkdir "$_[0]/Name.txt" or die;
    },
);
my $manifest = "lost.txt	file	lost\n";
for my $in (sort(keys %change), 'elsewhere', 'swapped.new', 'deny', 'told',
    'redirect', 'up', 'value', 'method', 'limit')
{
    $manifest .= "$in/Name.txt	file	$in name\n$in/$ga.txt	file	$in ga\n"
        . "$in/$nfd	file	$in apart\n$in/Sub/File.txt	file	$in file\n";
}
$manifest =~ s/([\x80-\xFF])/sprintf '\\x%02X', ord $1/ge;
my ($root) = make_tree($manifest . <<'END');
deny/Secret.txt	file	secret
told/Twice.txt	file	twice
deny/Closed/File.txt	file	secret
other/elsewhere/Name.txt	file	other root
other/deny/Name.txt	file	other root
END
my $legacy = temp_dir();
mkdir "$legacy/$_" or die for sort(keys %change), 'elsewhere', 'swapped.new';
spew("$legacy/$_/\xA4\xAC", "$_ legacy")
    for grep { $_ ne 'comes' } keys %change, 'elsewhere', 'swapped.new';

# Where there may be listings nothing is known: "slow" finds out each time.
my $text = octets(<<'END');
log_format found "$uri $iri_form $iri_charset $iri_match $iri_path";
server {
    listen 127.0.0.1:%%PORT%%;
%%SETTINGS%%
}
server {
    listen 127.0.0.1:%%PORTslow%%;
    location /lists/ { iri_listing on; }
%%SETTINGS%%
}
server {
    listen 127.0.0.1:%%PORTlegacy%%;
    root %%LEGACY%%;
    iri on;
    iri_charset EUC-JP;
    iri_filename_charset EUC-JP UTF-8;
}
server {
    listen 127.0.0.1:%%PORTslowlegacy%%;
    root %%LEGACY%%;
    iri on;
    iri_charset EUC-JP;
    iri_filename_charset EUC-JP UTF-8;
    location /lists/ { iri_listing on; }
}
server {
    listen 127.0.0.1:%%PORTtold%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    error_log %%TMP%%/told.log info;
    access_log %%TMP%%/found found;
    location /value/ {
        access_log off;
        add_header X-Found "$iri_match $uri $iri_path $request_filename" always;
    }
    location /redirect/ { iri_redirect 301; }
    error_page 413 =200 @large;
    location @large { return 200 "large $uri"; }
    location /link/ { alias %%ROOT%%/redirect/; iri_redirect link; }
    location /up/ {
        if ($http_x) { proxy_pass http://127.0.0.1:%%PORTecho%%; }
    }
}
server {
    listen 127.0.0.1:%%PORTecho%%;
    location / { return 200 $request_uri; }
}
END
my $settings = octets(<<'END');
    root %%ROOT%%;
    iri on;
    iri_match case;
    iri_charset Shift_JIS EUC-JP;
    location = /deny/Secret.txt { deny all; }
    location /deny/Closed/ { deny all; }
    location /exact/ { iri_match exact; root %%ROOT%%/other; }
    location /limit/ {
        limit_except HEAD { deny all; }
    }
    location ~ /TWICE { keepalive_timeout 0; }
END
sub conf {
    my ($settings, $text) = @_;
    $text =~ s/%%SETTINGS%%/$settings/g;
    $text =~ s/%%LEGACY%%/$legacy/g;
    return $text;
}
my $server = nginx(root => $root, conf => conf($settings, $text));

sub shown {
    my ($answer) = @_;
    return join ' ', $answer->status,
        $answer->status == 200 ? $answer->body : '',
        $answer->header('Location') // '-';
}

sub answer {
    my ($target, $port, @more) = @_;
    return shown($server->get($target, port => $server->port($port), @more))
        =~ s/:\d+\//\//r;
}

# The same from both, and that it is what it should be.
sub same {
    my ($target, $wanted, $what) = @_;
    my $slow = answer($target, 'slow');
    is $slow, $wanted, "$target, $what, the long way" if defined $wanted;
    is answer($target, ''), $slow, "$target, $what: $_" for 1 .. 4;
    return;
}

# An answer is remembered once its directory has been quiet.
sub quiet {
    my $last = 0;
    for my $dir (glob("$root/*"), glob "$legacy/*") {
        my $time = (lstat $dir)[10];
        $last = $time if $time > $last;
    }
    sleep 0.2 while time - $last < 4;
    return;
}
quiet();

# Leads to, before anything has changed.
my @targets = (
    ['NAME.TXT', 'name'], ['Name.txt', 'name'], ["$euc.txt", 'ga'],
    ["%E3%81%8C.txt", 'ga'], ["$ga.txt", 'ga'], ["$nfd.txt", 'ga'],
    ['%E3%81%8C', 'apart'], ['sub/FILE.txt', 'file'],
);
my @absent = ('none.TXT', '%E3%81%8D.txt', "%A4%AD.txt");
for my $in (sort keys %change) {
    same("/$in/$_->[0]", "200 $in $_->[1] -", 'before') for @targets;
    same("/$in/$_", '404  -', 'before') for @absent;
    same("/$in/SUB", "301  http://localhost/$in/Sub/", 'before');
    is answer("/$in/%E3%81%8C", 'legacy'),
        answer("/$in/%E3%81%8C", 'slowlegacy'), "legacy, $in: $_" for 1 .. 4;
}

# What rules deny is denied, whoever asks for it how often.
for my $path ('Secret.txt', 'SECRET.txt', 'closed/file.TXT', 'Closed/File.txt')
{
    same("/deny/$path", '403  -', 'denied');
}
same('/exact/deny/NAME.txt', '404  -', 'nothing is folded');
is $server->request($_, '/limit/NAME.TXT')->status,
    $server->request($_, '/limit/NAME.TXT', port => $server->port('slow'))
    ->status, "a location that limits: $_"
    for qw(GET HEAD GET HEAD HEAD HEAD HEAD GET GET GET GET HEAD);
for (1 .. 4) {
    is(($server->client->request('/told/TWICE.txt')->header('Connection')),
        'close', "through another location: $_");
    is(($server->client->request('/told/Twice.txt')->header('Connection')),
        'keep-alive', "and not through it: $_");
}
is $server->request('HEAD', '/method/NAME.TXT')->status, 200, 'HEAD';
is $server->request('POST', '/method/NAME.TXT')->status, 405, 'POST';
is answer('/method/NAME.TXT?x=%83K', ''), '200 method name -', 'a query';

# All that is told of it.
my $told = $server->port('told');
is $server->get('/told/NAME.TXT', port => $told)->body, 'told name', 'told'
    for 1 .. 5;
my %line = (
    found => qr{^/told/Name\.txt ascii - case /told/Name\.txt$}m,
    'told.log' => qr{"/told/NAME\.TXT" is "/told/Name\.txt": case},
);
for my $log (sort keys %line) {
    my $times = sub {
        return scalar(() = slurp($server->tmp . "/$log") =~ /$line{$log}/g);
    };
    $server->wait_for(sub { $times->() >= 5 });
    is $times->(), 5, "in the log $log";
}
for (1 .. 4) {
    is $server->get('/value/NAME.TXT', port => $told)->header('X-Found'),
        "case /value/Name.txt /value/Name.txt $root/value/Name.txt",
        "variables: $_";
    is $server->get('/value/NAME.TXT/', port => $told)->header('X-Found'),
        "case /value/Name.txt/ /value/Name.txt/ $root/value/Name.txt/",
        "variables of a file that is asked for as a directory: $_";
    is answer('/value/NAME.TXT', 'told',
        headers => ['Content-Length', 2_000_000]), '200 large /value/NAME.TXT -',
        "too large for the location of its own path: $_";
    is answer('/redirect/NAME.TXT', 'told'),
        '301  http://localhost/redirect/Name.txt', "a redirect: $_";
    is $server->get('/link/NAME.TXT', port => $told)->header('Link'),
        '</link/Name.txt>; rel="canonical"', "a link: $_";
    is answer('/up/NAME.TXT', 'told'), '200 up name -', "a file: $_";
    is answer('/up/NAME.TXT', 'told', headers => ['X', 1]),
        '200 /up/Name.txt -', "upstream: $_";
    is answer("/up/$nfd", 'told', headers => ['X', 1]),
        '200 /up/%E3%81%8C -', "raw, upstream: $_";
    is answer("/up/$ga.txt", 'told'), '200 up ga -', "raw: $_";
    is answer("/up/$ga.txt", 'told', headers => ['X', 1]),
        '200 /up/%E3%81%8C.txt -', "raw in NFC, upstream: $_";
}

# ---- the disk is another -------------------------------------------------

for my $in (sort keys %change) {
    $change{$in}->("$root/$in");
    $change{$in}->("$legacy/$in")
        if $in =~ /^(?:gone|literal|linked|swapped|closed)$/;
}
# Of each path the first answer counts.
for my $in (sort keys %change) {
    for my $target ((map { $_->[0] } @targets), @absent, 'SUB') {
        my $first = answer("/$in/$target", '');
        is $first, answer("/$in/$target", 'slow'), "/$in/$target, changed";
    }
    my $first = answer("/$in/%E3%81%8C", 'legacy');
    is $first, answer("/$in/%E3%81%8C", 'slowlegacy'), "legacy, $in, changed";
}
is answer('/gone/NAME.TXT', ''), '404  -', 'gone';
is answer('/literal/NAME.TXT', ''), '200 literal -', 'there by itself';
is answer("/literal/$euc.txt", ''), '200 first -', 'the first reading';
is answer('/linked/NAME.TXT', ''), '200 elsewhere name -', 'a link';
is answer('/swapped/NAME.TXT', ''), '200 swapped.new name -', 'swapped';
is answer('/twin/NAME.TXT', ''), '404  -', 'two of them';
is answer('/near/none.TXT', ''), '200 near -', 'what was absent';
if (!$> ? IRI::Server::worker_user() : 1) {
    is answer('/shut/NAME.TXT', ''), '403  -', 'what may not be read';
}

# ---- the configuration is another ----------------------------------------

same('/elsewhere/NAME.TXT', '200 elsewhere name -', 'before');
ok $server->reload(conf($settings
    . "location = /elsewhere/Name.txt { deny all; }\n", $text)), 'reload';
same('/elsewhere/NAME.TXT', '403  -', 'denied by now');
ok $server->reload(conf($settings =~ s/root %%ROOT%%;/root %%ROOT%%\/other;/r,
    $text)), 'reload';
same('/elsewhere/NAME.TXT', '200 other root -', 'below another root');
ok $server->reload(conf($settings =~ s/iri_match case;//r, $text)), 'reload';
same('/elsewhere/NAME.TXT', '404  -', 'not folded any more');

my $expected = qr/No\ such\ file|Not\ a\ directory|Permission\ denied|is\ forbidden|
    access\ forb/x;
is_deeply [grep { !/$expected/ }
    $server->errors], [], 'no errors';

chmod 0755, "$root/closed", "$legacy/closed", "$root/listed";
done_testing;
