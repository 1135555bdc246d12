# A browser opens the status page: it loads nothing else, fits the window, is
# readable in light and dark and usable with the keyboard; the page of a
# server, and that of a site that has moved to UTF-8 within some weeks
# (test_stats --page). IRI_PICTURES is a directory for screenshots.
use IRI::Test 'nginx';
use IPC::Open2 'open2';
use IRI::Server qw(build_dir capture);
use JSON::PP ();

my $modules = build_dir() . '/browser/node_modules';
my ($browser) = grep { -x } map { ("$_/chromium", "$_/chromium-browser") }
    split /:/, $ENV{PATH};
plan skip_all => 'no chromium' if !$browser;
plan skip_all => 'no playwright-core: make browser' if !-d $modules;
my $simulated = build_dir() . '/t/test_stats';
plan skip_all => "$simulated is not built" if !-x $simulated;

my ($root) = make_tree("a.txt\tfile\ta\n");
my (undef, $page) = capture('', $simulated, '--page');
spew("$root/weeks.html", $page);
my $server = nginx(root => $root, conf => <<'END');
types { text/html html; }
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS;
    location = /status { iri_status; }
}
END
my $hostile = '"><script>alert(1)</script><img src=/x onerror=alert(2)>';
$server->get('/%95%5c', headers => ['Referer', $hostile, 'User-Agent',
    "javascript:alert(3) \xE2\x80\xAE" . 'x' x 250]) for 1 .. 3;

my $at = 'http://127.0.0.1:' . $server->port;
local $ENV{NODE_PATH} = $modules;
my $pid = open2(my $out, my $in, 'node', "$FindBin::Bin/walk.js");
print {$in} JSON::PP::encode_json({ browser => $browser, pages => [
    { url => "$at/status" },
    { url => "$at/weeks.html",
        $ENV{IRI_PICTURES} ? (shots => "$ENV{IRI_PICTURES}/status") : () },
] });
close $in;
my $answer = do { local $/; <$out> };
waitpid $pid, 0;
is $?, 0, 'the browser ran' or BAIL_OUT('walk.js failed');

for my $seen (@{ JSON::PP::decode_json($answer) }) {
    my ($page_name) = $seen->{url} =~ m{([^/]+)\z};
    is $seen->{mode}, 'CSS1Compat', "$page_name: standards mode";
    is_deeply $seen->{asked}, [$seen->{url}], 'no other resource was loaded';
    is_deeply $seen->{errors}, [], 'no script ran, nothing was blocked';
    is $seen->{heading}, 1, 'one heading';
    is $seen->{images}, 0, 'bars are aligned with their numbers';
    is_deeply [map { $_->{text} } @{ $seen->{tabs} }],
        ['As JSON', 'for Prometheus'], 'Tab reaches all controls';
    ok !(grep { !$_->{seen} } @{ $seen->{tabs} }), 'focus is visible';
    for my $look (sort keys %{ $seen->{looks} }) {
        cmp_ok $seen->{looks}{$look}{contrast}, '>=', 7,
            "$page_name: contrast, $look";
        cmp_ok $seen->{looks}{$look}{overflow}, '<=', 0,
            "$page_name: fits, $look";
    }
}
done_testing;
