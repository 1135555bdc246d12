# httpd: IRIAdvertise On: answers to OPTIONS have "inturi: utf8", and others do
# not (draft-masinter-url-i18n-05, 4.2.1).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Both qw(inturi);
use IRI::Test;
use Test::More;

plan skip_all => missing('httpd') if missing('httpd');

# ---- answers ----------------------------------------------------------------

my ($root) = make_tree(<<'END');
index.html	file	index
dav/a.txt	file	a
END
my $tmp = temp_dir();
chmod 0777, $tmp;
my $server = httpd(root => $root, tmp => $tmp,
    modules => [qw(dav dav_fs proxy proxy_http headers)],
    conf => <<'END');
IRIEngine On
IRIAdvertise On
DavLockDB "%%TMP%%/locks"
<VirtualHost 127.0.0.1:%%PORT%%>
    <Location /dav>
        Dav On
    </Location>
    ProxyPass /up/ http://127.0.0.1:%%PORTup%%/
    Redirect 302 /moved http://other.example/
    ErrorDocument 404 /index.html
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTup%%>
    IRIEngine Off
    IRIAdvertise Off
    Header always set Inturi iuri
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTno%%>
    IRIAdvertise Off
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine report
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
    IRIAdvertise On
</VirtualHost>
END

is inturi($server, 'OPTIONS', '*'), '200 utf8', 'OPTIONS *';
is inturi($server, 'OPTIONS', '/'), '200 utf8', 'a path';
is inturi($server, 'OPTIONS', "/\xC3\xA9"), '200 utf8', 'raw UTF-8';
is inturi($server, 'OPTIONS', '/dav/a.txt'), '200 utf8', 'DAV';
is inturi($server, 'OPTIONS', '/up/a'), '200 utf8',
    "proxied: replaces the upstream's field";
is inturi($server, 'OPTIONS', '/moved'), '302 utf8', 'a redirect';
is inturi($server, 'OPTIONS', '/%FF'), '404 utf8', 'a refused path';
is inturi($server, 'GET', '/'), '200', 'no field for GET';
is inturi($server, 'OPTIONS', '*', port => $server->port('no')), '200', 'off';
is inturi($server, 'OPTIONS', '/', port => $server->port('report')), '200',
    'report: no change';
is inturi($server, 'OPTIONS', '/', port => $server->port('off')), '200',
    'no field with IRIEngine Off';
like $server->settled_log,
    qr/warn\].*iri: "IRIAdvertise" in \S+:\d+ has no effect/,
    'a warning';
is_deeply [$server->errors(ignore => qr/has no effect/)], [], 'log';

done_testing;
