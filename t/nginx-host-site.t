# nginx: everything that depends on the site that a host in any form selects:
# rules, limits, logs, redirects, upstreams, variables, internal requests.
use IRI::Test 'nginx';

my ($root) = make_tree([qw(site/dir/index.html=index site/é.txt=acute
    site/secret.txt=SECRET),
    'site/page.shtml=<!--#include virtual="/inner" -->']);
chmod 0777, "$root/site" or die;

# Each way to the site of w<u umlaut>.example; hosts are escaped, because newer
# versions of nginx reject raw ones.
my $server = nginx(root => $root, log_level => 'info', conf => <<"END");
iri on;
iri_host on;
limit_req_zone \$host zone=one:64k rate=1r/m;
log_format host '\$host \$iri_host \$iri_host_ascii \$server_name';
client_max_body_size 100;
server {
    listen 127.0.0.1:%%PORT%% default_server;
    server_name localhost;
    root %%ROOT%%/site;
    error_page 400 =200 /bad;
    location = /bad { internal; return 200 "bad [\$host] [\$iri_host]"; }
    location / { return 200 "default"; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name w\xC3\xBC.example;
    root %%ROOT%%/site;
    iri_charset EUC-JP;
    error_log %%TMP%%/own.log info;
    access_log %%TMP%%/host.log host;
    client_max_body_size 10;
    keepalive_timeout 0;
    add_header X-Iri \$iri always;
    add_header X-Iri-Host "\$iri_host \$iri_host_ascii" always;
    location = /ok { return 200 ok; }
    location = /body {
        dav_methods PUT;
        client_body_temp_path %%TMP%%/body;
    }
    location = /secret.txt { deny all; }
    location = /limited { limit_req zone=one; try_files /dir/index.html =404; }
    location = /inner { internal; return 200 "inner \$host \$server_name"; }
    location = /named { error_page 418 = \@named; return 418; }
    location \@named { return 200 "named \$host \$iri_host"; }
    location = /again { rewrite ^ /inner last; }
    location ~ \\.shtml\$ { default_type text/html; ssi on; }
    location = /upstream { try_files /none \@upstream; }
    location \@upstream {
        proxy_pass http://127.0.0.1:%%PORTup%%;
        proxy_set_header Host \$host;
        proxy_set_header X-Raw \$http_host;
    }
    location /moved { return 301 /there; }
    location /asked {
        server_name_in_redirect on;
        port_in_redirect off;
        return 301 /there;
    }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name r\xC3\xBC.example;
    root %%ROOT%%/site;
    iri_redirect 301;
}
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTreport%%;
    server_name d\xC3\xBC.example xn--d-eha.example;
    root %%ROOT%%/site;
    dav_methods COPY;
}
server {
    listen 127.0.0.1:%%PORTreport%% default_server;
    iri report;
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name admin.internal;
    root %%ROOT%%/site;
    deny all;
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name \xC3\xB6ff.example;
    iri off;
    location / { return 200 "off \$host [\$iri_host]"; }
}
server {
    listen 127.0.0.1:%%PORTup%%;
    iri off;
    location / { return 200 "up \$http_host \$http_x_raw"; }
}
END

my $port  = $server->port;
my $plain = 'xn--w-eha.example';
my $host  = 'W%C3%BC.example';

sub site_of {
    my ($target, $host, %more) = @_;
    my $answer = $server->get($target, host => $host, %more);
    return $answer->status == 200 ? $answer->body : $answer->status;
}

sub header {
    my ($name, $target, $host) = @_;
    return scalar $server->get($target, host => $host)->header($name);
}

# ---- settings, rules and limits of the site ---------------------------------

is site_of('/ok', $host), 'ok', 'a location of the site';
is header('X-Iri', '/%A4%A2', $host), "http://w\xC3\xBC.example/\xE3\x81\x82",
    'iri_charset of the site reads the path';
is site_of('/secret.txt', $_), 403, "deny: $_" for $host, $plain;
is site_of('/secret.txt', $_), 403, "deny all: $_" for 'admin.internal',
    '%61dmin.internal', 'admin%2Einternal', 'admin%C2%AD.internal',
    'admin%EF%BC%8Einternal',
    '%EF%BD%81%EF%BD%84%EF%BD%8D%EF%BD%89%EF%BD%8E.internal';
is join(' ', map { site_of('/limited', $_) } $host, $plain, 'W%c3%9c.example',
    "$plain."), 'index 503 503 503',
    'limit_req counts all forms of a host as one, by $host';
is $server->request('PUT', '/body', host => $host, body => 'x' x 50)->status,
    413, 'client_max_body_size of the site';
is header('Connection', '/ok', $host), 'close', 'keepalive_timeout of the site';
is header('Connection', '/ok', 'localhost'), 'keep-alive',
    'keepalive_timeout of other sites does not apply';
is site_of('/', '%C3%96FF.example'), 'off xn--ff-eka.example []',
    'a site with iri off is selected, too';

# ---- uses of the host -------------------------------------------------------

is header('X-Iri', '/%C3%A9.txt', "$host:$port"),
    "http://w\xC3\xBC.example:$port/\xC3\xA9.txt", '$iri has U-labels';
is header('X-Iri-Host', '/ok', $_), "w\xC3\xBC.example $plain",
    "\$iri_host, \$iri_host_ascii: $_" for $host, $plain, uc $plain;
is header('Location', '/dir', $host), "http://$plain:$port/dir/",
    'redirect to a directory';
is header('Location', '/moved', $host), "http://$plain:$port/there",
    'redirect by return';
is header('Location', '/asked', $_), "http://$plain/there",
    "server_name_in_redirect: $_" for $host, $plain;
is header('Location', '/e%CC%81.txt', 'R%C3%BC.example'),
    "http://xn--r-eha.example:$port/%C3%A9.txt", 'iri_redirect';
is site_of('/upstream', "$host:81"), "up $plain $host:81",
    'an upstream gets A-labels by $host, what came by $http_host';

# ---- internal requests -------------------------------------------------------

is site_of('/named', $host), "named $plain w\xC3\xBC.example",
    'a named location';
is site_of('/again', $host), "inner $plain $plain", 'a rewrite';
is site_of('/page.shtml', $host), "inner $plain $plain", 'a subrequest';

# ---- refused -----------------------------------------------------------------

for my $bad ('b%FCcher.example', '%2a.example', '%c3%bc@x', 'x%') {
    is site_of('/', $bad), 'bad [localhost] [localhost]',
        "$bad is refused, and not kept";
}

# ---- Destination -------------------------------------------------------------

my $dav = 'D%C3%BC.example';

sub copy {
    my ($host, $destination, $at) = @_;
    return $server->request('COPY', '/secret.txt', host => $host,
        port => $server->port($at),
        headers => [Destination => $destination])->status;
}

like copy($dav, $_), qr/^20[14]$/, "Destination $_"
    for "http://$dav/%C3%A8.txt", 'http://xn--d-eha.example/a', '/b',
    "http://du%CC%88.example:$port/c";
like copy('xn--d-eha.example', "http://$dav/d"), qr/^20[14]$/,
    'Destination in another form than a plain host';
like copy('xn--d-eha.example', 'http://xn--d-eha.example/e', 'report'),
    qr/^20[14]$/, 'report: a plain Destination';
is copy('xn--d-eha.example', "http://$dav/e", 'report'), 400,
    'report: a Destination that is not mapped';
is copy($dav, $_), 400, "Destination $_" for 'http://w%C3%BC.example/x',
    'http://%2a.example/x', 'http://d%FC.example/x', 'http:///x';

# ---- logs --------------------------------------------------------------------

is site_of('/%FF', $host), 404, 'a path that has no reading';
$server->settle;
like slurp($server->tmp . '/own.log'), $_, 'error_log of the site'
    for qr/access forbidden by rule/, qr{path "/%FF" refused};
unlike $server->settled_log, qr/server: xn--w-eha.*secret\.txt/,
    'no other line is logged';
like slurp($server->tmp . '/host.log'),
    qr/^\Q$plain\E w\\xC3\\xBC\.example \Q$plain\E \Q$plain\E$/m,
    'access_log of the site';

done_testing;
