# nginx: iri_advertise on: answers to OPTIONS have "inturi: utf8", and others
# do not (draft-masinter-url-i18n-05, 4.2.1).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Both qw(inturi);
use IRI::Test;
use Test::More;

plan skip_all => missing('nginx') if missing('nginx');

# ---- the directive ----------------------------------------------------------

sub check_conf {
    my ($conf) = @_;
    my ($code, $text) = nginx_t($conf);
    return join ' ', $code, $text =~ /(iri: .*|iri_advertise.*)/g;
}

is check_conf('server { iri on; iri_advertise on; }'), '0', 'on';
is check_conf('server { iri report; iri_advertise on; }'), '0', 'report';
is check_conf('server { iri_advertise off; }'), '0', 'off';
is check_conf('iri_advertise on; server { iri on; } server { iri off; }'), '0',
    'on in one of the servers';
like check_conf('iri on; server { iri off; iri_advertise on; }'),
    qr/^0 iri: "iri_advertise" in \S+:\d+ has no effect/,
        'a warning if iri is off';

# ---- answers ----------------------------------------------------------------

my ($root) = make_tree("index.html\tfile\tindex\n");
my $server = nginx(root => $root, conf => <<'END');
iri on;
iri_advertise on;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    location /dav/ { dav_methods PUT DELETE; }
    location /says { return 204; }
    location /up/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
}
server {
    listen 127.0.0.1:%%PORTup%%;
    iri off;
    add_header Inturi iuri always;
    location / { return 200 up; }
}
server {
    listen 127.0.0.1:%%PORTno%%;
    iri_advertise off;
    location / { return 204; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    iri report;
    location / { return 204; }
}
END

is inturi($server, 'OPTIONS', '/says'), '204 utf8', 'a path';
is inturi($server, 'OPTIONS', "/says/\xC3\xA9"), '204 utf8', 'raw UTF-8';
is inturi($server, 'OPTIONS', '/index.html'), '405 utf8',
    'a method that nginx refuses';
is inturi($server, 'OPTIONS', '/dav/a'), '405 utf8',
    "nginx's DAV has no OPTIONS";
is inturi($server, 'OPTIONS', '/up/a'), '200 utf8',
    "proxied: replaces the upstream's field";
is inturi($server, 'OPTIONS', '/%FF'), '404 utf8', 'a refused path';
is inturi($server, 'OPTIONS', '*'), '400 utf8', 'nginx has no "OPTIONS *"';
is inturi($server, 'GET', '/says'), '204', 'no field for GET';
is inturi($server, 'GET', '/up/a'), '200 iuri',
    "GET keeps the upstream's field";
is inturi($server, 'OPTIONS', '/', port => $server->port('no')), '204', 'off';
is inturi($server, 'OPTIONS', '/', port => $server->port('report')), '204',
    'report: no change';
is_deeply [$server->errors], [], 'log';

done_testing;
