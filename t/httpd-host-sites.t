# httpd: behaviour of a site that IRIHost has selected: its rules, redirects,
# caches, upstreams and variables; directories that are named after hosts.
use IRI::Test 'httpd';
use File::Path qw(make_path);
use IO::Select ();
use IRI::Both 'site_of';
use IRI::Server ();
use POSIX ();

my $tmp    = temp_dir();
my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
my ($B, $BA) = ("b\xC3\xBCcher.example", 'xn--bcher-kva.example');

# Writes files below the temporary directory.
sub files {
    my (%files) = @_;
    for my $path (keys %files) {
        make_path("$tmp/" . ($path =~ s{/[^/]*$}{}r));
        spew("$tmp/$path", $files{$path});
    }
    return;
}

# ---- rules and redirects of the site -----------------------------------------

files('first/index.html' => 'first', 'first/d/index.html' => 'first d',
    'b/index.html' => 'buecher', 'b/d/index.html' => 'buecher d',
    'b/h/x.html' => 'x', 'b/h/.htaccess' => "Require all denied\n",
    'b/no/x.html' => 'x', "b/\xC3\xA9.html" => 'e',
    'b/env.cgi' => "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\n'\n"
        . 'env | sort | grep -E "^(IRI|HTTP_HOST|SERVER_NAME)"' . "\n",
    'up/index.html' => 'upstream');
chmod 0755, "$tmp/b/env.cgi";

my $upstream = httpd(root => "$tmp/up", stock => 1, modules => ['headers'],
    conf => 'Header set X-Upstream "expr=%{HTTP_HOST}"');
my $up = $upstream->port;

my $RULES = <<"END"
IRIEngine On
IRIHost On
ServerSignature On
LogFormat "%{IRI_HOST}e %{IRI_HOST_ASCII}e %{IRI}e %v %{HOST_SHOWN}e" host
SetEnvIfExpr "%{IRI_HOST} =~ /(.+)/" HOST_SHOWN=\$1
CustomLog "%%TMP%%/host.log" host
Header always set X-IRI "expr=%{IRI}"
Header always set X-Host "expr=%{IRI_HOST} %{IRI_HOST_ASCII}"
<Directory "$tmp">
    AllowOverride All
    Require all granted
</Directory>
<Directory "$tmp/b">
    Options +ExecCGI
    AddHandler cgi-script .cgi
</Directory>
END
    . vhost('first.example', "$tmp/first")
    . vhost("$B *.$B", "$tmp/b", conf => <<"END")
    <Location "/no">
        Require all denied
    </Location>
    <If "%{HTTP_HOST} == 'www.$BA'">
        Header always set X-If yes
    </If>
    RewriteEngine On
    RewriteCond "%{HTTP_HOST}" "^(?:www\\.)?xn--bcher-kva\\.example\$"
    RewriteRule "^/rewritten\$" "http://%{HTTP_HOST}/to" [R=302,L]
    ProxyPreserveHost On
    ProxyPass "/up/" "http://127.0.0.1:$up/"
    IRIRedirect 301
END
    . vhost("other.example gr\xC3\xB6\xC3\x9Fe.example", "$tmp/b",
        conf => 'UseCanonicalName On')
    . vhost("canon-$B", "$tmp/b", conf => 'UseCanonicalName On');
my $server = httpd(conf => $RULES, log_level => 'info',
    modules => [qw(headers rewrite proxy proxy_http cgid setenvif)]);

for my $host ($B, 'b%C3%BCcher.example') {
    is $server->get('/d', host => $host)->header('Location'),
        "http://$BA/d/", 'a redirect to a directory';
    is $server->get('/rewritten', host => $host)->header('Location'),
        "http://$BA/to", 'a redirect by mod_rewrite';
    is $server->get('/%C3%A9.html', host => $host)->status, 200,
        'a canonical path';
    is $server->get("/\xC3\xA9.html", host => "$host:8")->header('Location'),
        "http://$BA:8/%C3%A9.html", 'IRIRedirect, with a port';
    is $server->get('/h/x.html', host => $host)->status, 403, '.htaccess';
    is $server->get('/no/x.html', host => $host)->status, 403, '<Location>';
    is $server->get('/up/', host => $host)->header('X-Upstream'), $BA,
        'ProxyPreserveHost';
}
is $server->get('/h/x.html', host => 'first.example')->status, 404,
    'rules of another site do not apply';
is $server->get('/', host => "www.$B")->header('X-If'), 'yes', '<If>';
is $server->get('/d', host => "gr\xC3\xB6\xC3\x9Fe.example")
    ->header('Location'), 'http://other.example/d/', 'UseCanonicalName On';
is $server->get('/d', host => "canon-$B")->header('Location'),
    'http://xn--canon-bcher-zhb.example/d/', 'the same in A-labels';

# ---- variables ---------------------------------------------------------------

my $answer = $server->get('/', host => "B\xC3\x9CCHER.example:81");
is $answer->header('X-Host'), "$B $BA", 'IRI_HOST, IRI_HOST_ASCII';
is $server->get('/d/index.html', host => "$B:81")->header('X-IRI'),
    "http://$B:81/d/index.html", 'IRI, with a port';
is $server->get('/index.html?q=%FF', host => $BA)->header('X-IRI'),
    "http://$B/index.html?q=%FF", 'IRI: U-labels of A-labels';
is $server->get('/', host => 'www.example')->header('X-Host'),
    'www.example www.example', 'an ASCII host';
is $server->get('/', host => 'xn--a')->header('X-Host'),
    'xn--a xn--a', 'an invalid A-label';
is $server->get('/', host => '[::1]:80')->header('X-Host'),
    '[::1] [::1]', 'an IP literal';
is $server->request('GET', '/', host => undef, version => '1.0')
    ->header('X-Host'), 'first.example first.example', 'no host';
like $server->get('/env.cgi', host => $B)->body,
    qr{^HTTP_HOST=\Q$BA\E\nIRI=http://\Q$B\E/env\.cgi\n
        .*^IRI_HOST=\Q$B\E\nIRI_HOST_ASCII=\Q$BA\E\n
        .*^SERVER_NAME=\Q$BA\E\n}msx, 'CGI environment';
my $shown = 'b\xc3\xbccher.example';
$server->settle;    # its line is the first
$server->get('/index.html', host => $B);
$server->settle;
my @lines = split /\n/, slurp($server->tmp . '/host.log');
is $lines[-2], "$shown $BA http://$shown/env.cgi $BA $shown", 'log format';
is $lines[-1], "$shown $BA http://$shown/index.html $BA $shown",
    'log format, an ASCII path';

# ---- restarts ----------------------------------------------------------------

# All names are logged, as often as the configuration is read.
my $known = sub { scalar(() = $server->log_text =~ / is known as /g) };
my $count = $known->();
for my $time (1 .. 3) {
    my $before = $known->();
    ok $server->reload, "graceful restart $time";
    is $known->() - $before, 4, 'each name is added once';
    is site_of($server->get('/', host => $B)), 'buecher', 'the name is logged';
    is site_of($server->get('/', host => "a.b.$B")), 'buecher',
        'another name is logged';
}
is $count, 8, 'twice at the start, because httpd reads it twice';

# Meanwhile no client gets another site or an error.
my $asker = open(my $report, '-|') // die "fork: $!\n";
if (!$asker) {
    print sites_while(3), "\n";
    close STDOUT;
    POSIX::_exit(0);
}
1 while $server->restart && !IO::Select->new($report)->can_read(0);
is scalar(readline $report), "ok\n", 'requests during restarts';
close $report;

# Sends requests for that many seconds; "ok" if each site answered correctly.
sub sites_while {
    my ($seconds) = @_;
    my %site = ($B => 'buecher', 'b%C3%BCcher.example' => 'buecher',
        "a.$B" => 'buecher', 'first.example' => 'first', "\xFF" => 400);
    my $end = time + $seconds;
    while (time < $end) {
        for my $host (keys %site) {
            my $site = site_of($server->get('/', host => $host));
            return escaped($host) . ": $site" if $site ne $site{$host};
        }
    }
    return 'ok';
}

# mod_cgid's daemon, if the next restart comes before it is ready.
is_deeply [$server->errors(ignore => qr/AH01238: cgid daemon failed to init/)],
    [], 'log';

# ---- refused hosts ----------------------------------------------------------

# Which: t/host.t.
unlike $server->get('/', host => $_)->body, qr/[\x80-\xFF]|<b>|%3C/,
    'a refused host is not in the signature'
    for "\xFF\xFE<b>", "%3Cb%3E\xC3\xBC", "a\xE2\x84\x80.example";

# If the target contains a host, Unsafe keeps the Host line. An invalid host is
# not forwarded, but replaced by that of the target, as always with Strict.
my $ignored = httpd(modules => ['cgid'], conf => <<"END"
HttpProtocolOptions Unsafe
IRIEngine On
IRIHost On
<Directory "$tmp/b">
    Options +ExecCGI
    AddHandler cgi-script .cgi
</Directory>
END
    . vhost($B, "$tmp/b"));
for my $case (["\xFF\xFE", '', $BA], ["b\xFF:81", ':8', "$BA:8"],
    ['a@b', '', $BA], ['b:<80>', '', $BA], ['b%FC.example', '', $BA], ['[::1', '', $BA],
    ['plain.example', '', 'plain.example'], ['[::1]:8', '', '[::1]:8'],
    ["\xC3\xA9t\xC3\xA9.example:8", '', 'xn--t-9fab.example:8'])
{
    my ($line, $port, $want) = @$case;
    like $ignored->get("http://$B$port/env.cgi", host => $line)->body,
        qr/^HTTP_HOST=\Q$want\E$/m, 'HTTP_HOST for ' . escaped($line);
}
like $ignored->get('http://[::1]:8/env.cgi', host => "\xFF")->body,
    qr/^HTTP_HOST=\[::1\]:8$/m, 'an IP literal';

# ---- a cache -----------------------------------------------------------------

SKIP: {
    skip 'no mod_cache_disk', 7 if !-e "$folder/mod_cache_disk.so";
    my $own = temp_dir();
    mkdir "$own/cache";
    chmod 0777, "$own/cache";
    my $cache = httpd(tmp => $own, modules => [qw(cache cache_disk)],
        conf => <<"END"
IRIEngine On
IRIHost On
CacheRoot "%%TMP%%/cache"
CacheEnable disk "/"
CacheHeader on
CacheMinExpire 600
END
    . vhost('first.example', "$tmp/first")
    . vhost($B, "$tmp/b"));
    is site_of($cache->get('/', host => $B)), 'buecher', 'kept';
    $cache->wait_for(sub { `find $own/cache -name '*.header'` });
    for my $host ('b%C3%BCcher.example', "B\xC3\x9CCHER.example", $BA) {
        like $cache->get('/', host => $host)->header('X-Cache') // '',
            qr/^HIT/, 'one key for all forms';
    }
    is site_of($cache->get('/', host => $_)), 'first', 'and no other site'
        for 'first.example', "\xC3\xA9.example", 'xn--9ca.example';
}

# ---- a forward proxy ---------------------------------------------------------

# Rules, lookups and forwarded requests use the name in A-labels.
my $forward = httpd(modules => [qw(proxy proxy_http)], conf => <<"END");
IRIEngine On
IRIHost On
ProxyRequests On
<Proxy "http://localhost:$up/denied*">
    Require all denied
</Proxy>
# %%PORT%%
END
for my $host ("\xEF\xBD\x8Cocalhost", '%6Cocalhost', 'localhost') {
    my @way = (host => 'other.example');
    is $forward->get("http://$host:$up/", @way)->header('X-Upstream'),
        "localhost:$up", 'forward proxy: ' . escaped($host);
    is $forward->get("http://$host:$up/denied", @way)->status, 403, '<Proxy>';
}
is $forward->get("http://$_:$up/", host => 'x')->status, 400,
    'refused: ' . escaped($_) for "\xFF", '127.0.0.%31';

# ---- directories named for hosts ---------------------------------------------

my $EUC = "\xC6\xFC\xCB\xDC";    # U+65E5 U+672C in EUC-JP
files("mass/$B/htdocs/index.html" => 'unicode',
    "mass/$B/htdocs/d/x.html" => 'x', "mass/$B/htdocs/h/x.html" => 'x',
    "mass/$B/htdocs/h/.htaccess" => "Require all denied\n",
    "mass/$B/htdocs/\xC3\xA9/index.html" => 'path',
    'mass/xn--strae-oqa.example/htdocs/index.html' => 'ascii',
    "mass/gr\xC3\xB6\xC3\x9Fe.example/htdocs/index.html" => 'both, unicode',
    'mass/xn--gre-6ka8i.example/htdocs/index.html' => 'both, ascii',
    "mass/e\xCC\x81cole.example/htdocs/index.html" => 'decomposed',
    "mass/$EUC.example/htdocs/index.html" => 'EUC-JP, undeclared',
    "euc/$EUC.example/htdocs/index.html" => 'EUC-JP',
    'euc/htdocs/index.html' => 'of no host',
    "euc/\xE6\x97\xA5\xE6\x9C\xAC.example/htdocs/index.html" => 'UTF-8',
    'mass/www.example/htdocs/index.html' => 'plain',
    "parts/example/b\xC3\xBCcher/www/index.html" => 'parts',
    'static/index.html' => 'static');
my $alt_site = httpd(modules => [qw(vhost_alias headers)], conf => <<"END"
IRIEngine On
IRIHost On
Header set X-Root "expr=%{DOCUMENT_ROOT}|%{CONTEXT_DOCUMENT_ROOT}"
<Directory "$tmp">
    AllowOverride All
    Require all granted
</Directory>
<Directory "$tmp/mass/$B/htdocs/d">
    Require all denied
</Directory>
<Directory "$tmp/mass/\xC3\xA9cole.example/htdocs/d">
    Require all denied
</Directory>
<Directory "$tmp/euc">
    IRIFilenameCharset EUC-JP
</Directory>
END
    . vhost('first.example *', undef, conf => <<"END")
    UseCanonicalName Off
    VirtualDocumentRoot "$tmp/mass/%0/htdocs"
    Alias "/static" "$tmp/static"
END
    . vhost('', "$tmp/mass/$BA/htdocs", port => 'static',
        conf => qq{Alias "/alias" "$tmp/mass/$BA/htdocs"})
    . vhost('', undef, port => 'euc', conf => <<"END")
    UseCanonicalName Off
    VirtualDocumentRoot "$tmp/euc/%0/htdocs"
END
    . vhost('report.example', undef, port => 'report',
        conf => 'IRIEngine Report')
    . join('', map { vhost('any.example *', undef, port => $_->[0],
        conf => <<"END") } ['off', 'IRIHost Off'], ['report', 'IRIEngine On'])
    $_->[1]
    UseCanonicalName Off
    VirtualDocumentRoot "$tmp/mass/%0/htdocs"
END
    . vhost('', undef, port => 'parts', conf => <<"END"));
    UseCanonicalName Off
    VirtualDocumentRoot "$tmp/parts/%-1/%-2/%1"
END
for my $host ($B, $BA, 'b%C3%BCcher.example', "$BA:80") {
    is site_of($alt_site->get('/', host => $host)), 'unicode', escaped($host);
    is $alt_site->get('/d/x.html', host => $host)->status, 403,
        '<Directory> of the real directory';
    is $alt_site->get('/h/x.html', host => $host)->status, 403, 'its .htaccess';
    is site_of($alt_site->get('/e%CC%81/', host => $host)), 'path',
        'a path below it';
    is $alt_site->get('/none', host => $host)->status, 404,
        'an absent file below it';
    is $alt_site->get('/h', host => $host)->status, 403,
        'nothing about a denied directory is disclosed';
    is site_of($alt_site->get('/static/', host => $host)), 'static', 'an alias';
}
is $alt_site->get('/', host => $B)->header('X-Root'),
    join('|', ("$tmp/mass/$B/htdocs") x 2), 'the document root';
is site_of($alt_site->get('/', host => "stra\xC3\x9Fe.example")), 'ascii',
    'a directory in A-labels';
is site_of($alt_site->get('/', host => "gr\xC3\xB6\xC3\x9Fe.example")),
    'both, ascii', 'directories in Unicode and in A-labels';
is site_of($alt_site->get('/', host => "\xC3\xA9cole.example")), 'decomposed',
    'a name in NFD on disk';
make_path("$tmp/mass/e\xCC\x81cole.example/htdocs/d");
spew("$tmp/mass/e\xCC\x81cole.example/htdocs/d/x.html", 'x');
is $alt_site->get('/d/x.html', host => "\xC3\xA9cole.example")->status, 403,
    '<Directory> of a name in NFD';
is site_of($alt_site->get('/', host => 'www.example')), 'plain', 'a plain host';
my $japan = "\xE6\x97\xA5\xE6\x9C\xAC.example";
is $alt_site->get('/', host => $japan)->status, 404,
    'not decodable in the charset of the tree';
is site_of($alt_site->get('/', host => $japan, port => $alt_site->port('euc'))),
    'EUC-JP', 'in the charset of the tree';
is $alt_site->get('/', host => "\xE0\xB9\x84\xE0\xB8\x97\xE0\xB8\xA2.example",
    port => $alt_site->port('euc'))->status, 404,
        'not encodable in the charset of the tree';
is $alt_site->get('/', host => $BA, port => $alt_site->port($_))->status, 404,
    "a directory in Unicode, where the first says $_" for qw(off report);
is site_of($alt_site->get('/', host => "www.$B",
    port => $alt_site->port('parts'))),
    'parts', 'labels of the host';
is $alt_site->get($_, host => $B, port => $alt_site->port('static'))->status,
    404,
    'a directory that is no host name' for '/', '/alias/';
is $alt_site->get('/', host => 'xn--a.example')->status, 404,
    'an invalid A-label';
is $alt_site->get('/', host => "none.$B")->status, 404, 'no directory';
done_testing;
