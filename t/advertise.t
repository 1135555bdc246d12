# iri_advertise on: answers to OPTIONS have "inturi: utf8", and others do not
# (draft-masinter-url-i18n-05, 4.2.1).
use IRI::Test;

my ($root) = make_tree("index.html\tfile\tindex\ndav/a.txt\tfile\ta\n");
my $tmp = temp_dir();
chmod 0777, $tmp;

my %start = (nginx => sub { nginx(root => $root, conf => <<'END') },
iri on;
iri_advertise on;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    location /dav/ { dav_methods PUT DELETE; }
    location /says { return 204; }
    location /up/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /moved { return 302 /; }
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
    httpd => sub { httpd(root => $root, tmp => $tmp,
        modules => [qw(dav dav_fs proxy proxy_http headers)],
        conf => <<'END') });
IRIEngine On
IRIAdvertise On
DavLockDB "%%TMP%%/locks"
<VirtualHost 127.0.0.1:%%PORT%%>
    <Location /dav>
        Dav On
    </Location>
    ProxyPass /up/ http://127.0.0.1:%%PORTup%%/
    Redirect 302 /moved http://other.example/
    Redirect 204 /says
    ErrorDocument 404 /index.html
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTup%%>
    IRIEngine Off
    IRIAdvertise Off
    Header always set Inturi iuri
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTno%%>
    IRIAdvertise Off
    Redirect 204 /
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine report
    Redirect 204 /
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
    IRIAdvertise On
</VirtualHost>
END

# Method, target, port, then status and "inturi" of nginx and of httpd; undef: as
# nginx.
my @ROWS = (
    ['OPTIONS', '/says', '', '204 utf8', undef, 'a path'],
    ['OPTIONS', "/says/\xC3\xA9", '', '204 utf8', undef, 'raw UTF-8'],
    ['OPTIONS', '/index.html', '', '405 utf8', '200 utf8', 'a file'],
    ['OPTIONS', '/dav/a.txt', '', '405 utf8', '200 utf8', 'DAV'],
    ['OPTIONS', '/up/a', '', '200 utf8', undef,
        "proxied: replaces the upstream's field"],
    ['OPTIONS', '/moved', '', '302 utf8', undef, 'a redirect'],
    ['OPTIONS', '/%FF', '', '404 utf8', undef, 'a refused path'],
    ['OPTIONS', '*', '', '400 utf8', '200 utf8', 'OPTIONS *'],
    ['GET', '/says', '', '204', undef, 'no field for GET'],
    ['GET', '/up/a', '', '200 iuri', '404 iuri',
        "GET keeps the upstream's field"],
    ['OPTIONS', '/', 'no', '204', undef, 'off'],
    ['OPTIONS', '*', 'no', '400', '200', 'off'],
    ['OPTIONS', '/', 'report', '204', undef, 'report: no change'],
);

for my $name (sort keys %start) {
  SKIP: {
        skip missing($name), 1 if missing($name);
        my $server = $start{$name}->();
        for my $row (@ROWS) {
            my ($method, $target, $port, $nginx, $httpd, $what) = @$row;
            my $answer = $server->request($method, $target,
                port => $server->port($port));
            is join(' ', $answer->status, grep { defined }
                $answer->header('inturi')),
                $name eq 'nginx' ? $nginx : $httpd // $nginx, "$name: $what";
        }
        next if $name eq 'nginx';
        is $server->request('OPTIONS', '/', port => $server->port('off'))
            ->header('inturi'), undef, 'no field with IRIEngine Off';
        like join("\n", $server->errors), qr/"IRIAdvertise".* has no effect/,
            'a warning';
    }
}

# A setting without effect: t/nginx-warnings.t, t/httpd-warnings.t.
done_testing;
