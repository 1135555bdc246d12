# nginx: iri_status. Each request is counted once, by its form and its result;
# by all workers, over reloads and after a kill; and no text from clients
# breaks the page, JSON or Prometheus text.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Status qw(counted_for counters report_cases request_cases
    test_hostile_clients test_page test_reload watch_killed_workers);
use IRI::Test;
use Test::More;

plan skip_all => missing('nginx') if missing('nginx');

# ---- the directive ----------------------------------------------------------

sub check_conf {
    my ($conf) = @_;
    my ($code, $text) = nginx_t($conf);
    return join ' ', $code, $text =~ /(iri: .*|"iri_status".*)/g;
}

is check_conf('iri on; server { location /s { iri_status; } }'), '0',
    'in a location';
like check_conf('server { location /s { iri_status; } }'),
    qr/^0 iri: "iri_status" in \S+:\d+ has no effect/,
    'a warning if iri is on nowhere';

# ---- counters ---------------------------------------------------------------

my ($root) = make_tree(<<'END');
index.html	file	index
a.txt	file	a
caf\xC3\xA9.txt	file	coffee
Docs/Readme.txt	file	read
\xE8\xA1\xA8.txt	file	table
END

my $conf = <<'END';
iri on;
iri_charset Shift_JIS EUC-JP windows-1252;
iri_query_charset Shift_JIS;
iri_host on;
server {
    listen 127.0.0.1:%%PORT%%;
    server_name localhost;
    root %%ROOT%%;
    error_page 404 /index.html;
    location = /status { iri_status; }
    location = /denied { iri_status; deny all; }
    location /moved/ { alias %%ROOT%%/; iri_redirect 301; }
    location /broken/ { alias %%ROOT%%/; iri_repair double-encoding mojibake; }
    location /fold/ { alias %%ROOT%%/; iri_match case; }
    location /fold301/ { alias %%ROOT%%/; iri_match case; iri_redirect 308; }
    location /many/ { alias %%ROOT%%/many/; iri_match case; iri_ambiguous 300; }
    location /sub/ {
        alias %%ROOT%%/;
        log_subrequest on;
        auth_request /ok;
    }
    location = /ok { return 204; }
    location /list/ { alias %%ROOT%%/; iri_listing on; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    iri report;
    root %%ROOT%%;
    location /fold/ { alias %%ROOT%%/; iri_match case; iri_redirect 301; }
    location /broken/ { alias %%ROOT%%/; iri_repair double-encoding mojibake; }
}
server {
    listen 127.0.0.1:%%PORToff%%;
    iri off;
    root %%ROOT%%;
}
END
my $server = nginx(root => $root, conf => $conf, workers => 2);

request_cases($server, \&IRI::Nginx::sent_host);
is counted_for($server, '/%83%65/%95%5c.txt'), 'forms.legacy=1',
    'an absent name';
is counted_for($server, '/sub/a.txt'), 'forms.ascii=1',
    'subrequests are not counted';
report_cases($server);

my $charsets = counters($server)->{charsets};
is_deeply [sort keys %$charsets], [qw(Shift_JIS windows-1252)], 'charsets';
cmp_ok $charsets->{Shift_JIS}{path}{on}, '>=', 3, 'Shift_JIS in paths';
is $charsets->{Shift_JIS}{query}{on}, 1, 'Shift_JIS in a query';

test_page($server);
is $server->request('DELETE', '/status')->header('Allow'), 'GET, HEAD', 'Allow';
test_hostile_clients($server);
my $requests = test_reload($server);
watch_killed_workers($server, $requests, 20, 0.1);
is counted_for($server, '/%95%5c.txt'),
    'answers.serve=1 forms.legacy=1 matches.charset=1',
    'requests are counted with all their properties';
# nginx logs the locks that a killed worker held.
is_deeply [$server->errors(
        ignore => qr/exited on signal 9|zone "[^"]+" was locked/)], [], 'log';

# ---- off --------------------------------------------------------------------

my $none = nginx(root => $root, log_level => 'debug',
    conf => $conf =~ s/location = \/(?:status|denied) \{.*?\}\n//gr);
$none->get('/%95%5c.txt');
unlike $none->settled_log, qr/iri_status/,
    'without iri_status there is no zone';

done_testing;
