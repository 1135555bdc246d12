# httpd: Location and Content-Location of a response. A value set by a
# directive, a rule, a directory, a script, WebDAV, an origin or the names of
# variants on disk becomes a URI-reference of visible ASCII; with IRIEngine off
# it is httpd's own. And the Link field of IRIRedirect link.
use IRI::Test 'httpd';
use utf8;
use IRI::Both qw(link_cases location_cases whole_response);

sub utf8 { my ($text) = @_; utf8::encode($text); return $text }

my %octets = ('<EUC>' => "\xC6\xFC\xCB\xDC", '<BAD>' => "\xFF\xFE");

my ($root) = make_tree(<<'END');
\xD0\xB4\xD0\xB8\xD1\x80/x.txt	file	in a directory
\xD0\xB4\xD0\xB8\xD1\x80/index.html	file	its index
caf\xC3\xA9.txt	file	coffee
plain.txt	file	plain
dav/x.txt	file	written
gone/x.txt	file	gone
END
mkdir "$root/cgi";
spew("$root/cgi/to.cgi", utf8(<<'END'));
#!/usr/bin/perl
my %to = (
    own => "http://localhost:$ENV{SERVER_PORT}/e\xCC\x81",
    other => "http://other.example/\xC3\xA9/%e9", path => "/caf\xC3\xA9.txt",
    status => "/e\xCC\x81", made => "/\xC3\xA9",
);
my $to = $to{$ENV{QUERY_STRING}};
print "Status: 302 Found\n" if $ENV{QUERY_STRING} eq 'status';
print "Status: 201 Created\n" if $ENV{QUERY_STRING} eq 'made';
print "Status: 404 Not Found\n" if $ENV{QUERY_STRING} eq 'gone';
print "Location: $to\n" if $to;
print "Content-Type: text/plain\n\nbody\n";
END
chmod 0755, "$root/cgi/to.cgi";
chmod 0777, "$root/dav";
my @modules = qw(rewrite cgid env headers negotiation proxy proxy_http dav
    dav_fs setenvif);

sub conf {
    my ($first) = @_;
    my $text = utf8(<<"END");
$first
UseCanonicalName Off
<VirtualHost 127.0.0.1:%%PORT%%>
Redirect 301 /raw /кино
Redirect 302 /nfd "/cafe\x{301}.txt"
Redirect 301 /lower /%d0%ba%2f%41
Redirect 301 /query "/é?q=é&r=%c3%a9#é"
Redirect 301 /euc /<EUC>
Redirect 301 /bad /<BAD>
Redirect 301 /other "http://other.example/%e9/e\x{301}?é"
Redirect 301 /host http://bücher.example:81/é
Redirect 301 /nohost http://-ü-.example/é
RedirectMatch 301 "^/match/(.*)" "/к/\$1"
RewriteEngine On
RewriteRule "^/rewrite/(.*)" "/é/\$1" [R=301,L]
RewriteRule "^/ne/(.*)" "/é/\$1" [R=301,NE,L]
RewriteRule "^/away/(.*)" "http://other.example/é/\$1" [R,NE,L]
<Location "/gone">
    ErrorDocument 404 http://other.example/é
</Location>
<Directory "%%ROOT%%/dav">
    Dav On
</Directory>
DavLockDB "%%TMP%%/run/lock"
<Directory "%%ROOT%%/cgi">
    Options +ExecCGI
    SetHandler cgi-script
</Directory>
<Location "/set">
    Header always set Location "/é"
    Redirect 301 /x
</Location>
ProxyPass "/up/" "http://127.0.0.1:%%PORTup%%/"
ProxyPassReverse "/up/" "http://127.0.0.1:%%PORTup%%/"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTup%%>
    IRIEngine Off
    DocumentRoot "%%ROOT%%"
    RewriteEngine On
    RewriteRule "^/relative" "-" [E=to:1]
    Header always set Location "/é/e\x{301}?é" env=to
    RewriteRule "^/relative" "-" [R=302]
    Redirect 302 /absolute "http://x.example/é/%e9"
    RewriteRule "^/back" "http://127.0.0.1:%%PORTup%%/é/%e9" [R,NE]
    Header set Content-Location "/é" "expr=%{REQUEST_URI} == '/plain.txt'"
</VirtualHost>
END
    $text =~ s/(<[A-Z]+>)/$octets{$1} \/\/ $1/ge;
    return $text;
}

my $server = httpd(root => $root, modules => \@modules, h2 => 1,
    conf => conf("IRIEngine On\nIRICharset EUC-JP"));
chmod 0777, $server->tmp . '/run';
my $here = 'http://localhost:' . $server->port;

sub location_is {
    my ($target, $want, $name) = @_;
    IRI::Both::location_is($server, $server->port, $target, $want, $name);
    return if $target =~ /up/
        || $server->get($target)->body !~ /href="([^"]*)"/;
    my $href = $1;
    is $href =~ s/&amp;/&/gr, $want, "$name: the page says the same";
    unlike $href, qr/&(?!amp;)/, "$name: as text of HTML";
    return;
}

location_is($_->[0], $_->[1] =~ s/^HERE/$here/r, $_->[2])
    for location_cases();
like $server->settled_log, qr/iri: .*"-%C3%BC-\.example".*reason=location/,
    'the log line';
location_is('/match/%c3%a9?x=%e9', "$here/%D0%BA/%C3%A9?x=%e9",
    'RedirectMatch');
location_is("/ne/\xC3\xA9", "$here/%C3%A9/%C3%A9", 'RewriteRule [R,NE]');
location_is('/ne/a%20b%22%3C%3E%5C', "$here/%C3%A9/a%20b%22%3C%3E%5C",
    'characters of HTML and JSON');
location_is("/away/\xC3\xA9%20x", 'http://other.example/%C3%A9/%C3%A9%20x',
    'RewriteRule to another host');
location_is('/cgi/to.cgi?other', 'http://other.example/%C3%A9/%e9',
    'a script to another host');
location_is('/cgi/to.cgi?own', "$here/%C3%A9", 'a script to this host');
location_is('/cgi/to.cgi?status', '/%C3%A9', 'a script with a status');
location_is('/cgi/to.cgi?made', '/%C3%A9', '201');
is $server->get('/cgi/to.cgi?path')->body, 'coffee',
    'a path without a status: no redirect';
location_is('/up/back', "$here/up/%C3%A9/%e9", 'after ProxyPassReverse');
is $server->get('/up/plain.txt')->header('Content-Location'), '/%C3%A9',
    'Content-Location of an origin';
my $number = 0;
for my $name ("\xC3\xA9", 'e%cc%81', '%a4%a2') {
    my $want = $name eq '%a4%a2' ? '%E3%81%82' : '%C3%A9';
    my $put = $server->request('PUT', "/dav/$name" . $number++, body => 'x');
    is $put->status, 201, "PUT $want";
    is $put->header('Location') =~ s/\d$//r, "$here/dav/$want",
        'Location after PUT';
}
is $server->get('/set')->header('Location'), '/%C3%A9', 'Header set';

# A response of an origin from the cache has the same Location.
my $cache = httpd(root => $root, modules => [@modules, qw(cache cache_disk)],
    conf => octets(<<'END'));
IRIEngine On
<VirtualHost 127.0.0.1:%%PORT%%>
    CacheEnable disk "/"
    CacheRoot "%%TMP%%/run"
    CacheIgnoreNoLastMod On
    CacheDefaultExpire 600
    CacheHeader On
    ProxyPass "/up/" "http://127.0.0.1:%%PORTup%%/"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTup%%>
    IRIEngine Off
    DocumentRoot "%%ROOT%%"
    Header set Content-Location "/\xC3\xA9"
    Header set Cache-Control "max-age=600"
</VirtualHost>
END
chmod 0777, $cache->tmp . '/run';
for my $turn ('asked', 'kept') {
    my $answer = $cache->get('/up/plain.txt');
    is $answer->header('Content-Location'), '/%C3%A9', "a cache: $turn";
    like $answer->header('X-Cache'), $turn eq 'kept' ? qr/^HIT/ : qr/^MISS/,
        "a cache: $turn";
}
is_deeply [$server->errors, $cache->errors], [], 'log';

# ---- variants: names on disk ------------------------------------------------

my ($euc) = make_tree(<<'END');
@charset EUC-JP
\xE6\xBC\xA2.txt	file	text
\xE6\xBC\xA2.html	file	html
END
spew("$euc/map.var", "URI: \xB4\xC1.txt\nContent-Type: text/plain\n\n"
    . "URI: \xB4\xC1.html\nContent-Type: text/html\n");
my $variants = httpd(root => $euc, modules => ['negotiation'], h2 => 1,
    conf => <<'END');
IRIEngine On
IRICharset EUC-JP
IRIFilenameCharset EUC-JP
AddHandler type-map .var
<Directory "%%ROOT%%">
    Options +MultiViews
</Directory>
END
my $han = '%E6%BC%A2';
my @tcn = (Negotiate => 'trans');
for my $spelling ($han, '%b4%c1', "\xB4\xC1", "\xE6\xBC\xA2") {
    my $answer = $variants->get("/$spelling", headers => [
        Accept => 'text/plain']);
    my $test_name = escaped($spelling);
    is $answer->body, 'text', "$test_name: the variant";
    is $answer->header('Content-Location'), "$han.txt", "$test_name: its name";

    $answer = $variants->get("/$spelling",
        headers => [Accept => 'text/plain', @tcn]);
    my @names = ($answer->header('Alternates') // '') =~ /\{"([^"]*)"/g;
    is_deeply [sort @names], ["$han.html", "$han.txt"],
        "$test_name: Alternates";

    $answer = $variants->get("/$spelling",
        headers => [Accept => 'image/png']);
    is $answer->status, 406, "$test_name: none acceptable";
    my %link = $answer->body =~ m{<a href="([^"]*)"><bdi>(.*?)</bdi></a>}g;
    is_deeply \%link, { map { ("$han.$_" => "\xE6\xBC\xA2.$_") }
        qw(html txt) }, "$test_name: the page lists them";
    is $answer->header('Content-Type'), 'text/html; charset=utf-8',
        "$test_name: in UTF-8";
    for my $name (@names) {
        is $variants->get("/$name")->status, 200, "$test_name: $name is there";
        is $variants->get("/$name")->body, $name =~ /html/ ? 'html' : 'text',
            "$test_name: content of the variant";
    }
}
my $map = $variants->get('/map.var', headers => [Accept => 'text/html']);
is $map->body, 'html', 'a type map: the variant';
is $map->header('Content-Location'), "$han.html", 'its name';
$map = $variants->get('/map.var', headers => [@tcn]);
is $map->status, 300, 'a list out of a type map';
my @both = ("$han.html", "$han.txt");
is_deeply [sort +($map->header('Alternates') // '') =~ /\{"([^"]*)"/g],
    \@both, 'Alternates of the type map';
is_deeply [sort $map->body =~ /<a href="([^"]*)">/g], \@both,
    'links of the type map';
my $same = $variants->get("/$han", headers => [
    Accept => 'text/plain', 'If-None-Match' => '*']);
is $same->status, 304, 'not modified';
is $same->header('Content-Location'), "$han.txt", '304: Content-Location';

# ---- canonical links --------------------------------------------------------

my $links = httpd(root => $root, modules => \@modules, h2 => 1,
    conf => utf8(<<'END'));
IRIEngine On
IRICharset windows-1252
IRIRedirect link
Header add Link "</style.css>; rel=preload"
<VirtualHost 127.0.0.1:%%PORT%%>
    Alias /off/ "%%ROOT%%/"
    <Location "/off/">
        IRIRedirect off
    </Location>
    ProxyPass "/up/" "http://127.0.0.1:%%PORTup%%/"
    Alias "/é.cgi" "%%ROOT%%/cgi/to.cgi"
    <Directory "%%ROOT%%/cgi">
        Options +ExecCGI
        SetHandler cgi-script
    </Directory>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTup%%>
    IRIEngine Off
    DocumentRoot "%%ROOT%%"
    Header add Link "</a>; rel=next"
</VirtualHost>
END

sub links {
    my ($target, %option) = @_;
    my $method = delete $option{method} // 'GET';
    my $answer = $links->request($method, $target, %option);
    my @fields = grep { !/preload/ }
        map { split /,\s*(?=<)/ } $answer->header('Link');
    return join ' + ', $answer->status, @fields;
}
my $coffee = '</caf%C3%A9.txt>; rel="canonical"';
for my $case (
    link_cases(),
    ["/\xC3\xA9-not-there", '404', 'an error'],
    ["/\xC3\xA9.cgi", '200 + </%C3%A9.cgi>; rel="canonical"', 'a script'],
    ["/\xC3\xA9.cgi?gone", '404', 'an error of a script'],
    ["/up/caf\xC3\xA9.txt",
        '200 + </a>; rel=next + </up/caf%C3%A9.txt>; rel="canonical"',
        'beside that of an origin'],
) {
    my ($target, $want, $test_name) = @$case;
    is links($target), $want, "link: $test_name";
}
is links("/caf\xC3\xA9.txt", method => 'HEAD'), "200 + $coffee", 'HEAD';
unlike links("/\xC3\xA9.cgi", method => 'POST'), qr/canonical/, 'POST';
is links("/caf\xC3\xA9.txt", proto => 'h2'), "200 + $coffee", 'HTTP/2';
is links("/caf\xC3\xA9.txt", headers => [Range => 'bytes=0-1']),
    "206 + $coffee", 'a part of a file';
my $page = $links->get("/caf\xC3\xA9.txt");
is links("/caf\xC3\xA9.txt",
    headers => ['If-None-Match' => $page->header('ETag')]), '304',
    'httpd sends no Link in a 304';

# ---- off --------------------------------------------------------------------

my @targets = (qw(/raw /nfd /lower /query /euc /bad /other /host /match/%c3%a9
    /rewrite/%c3%a9 /ne/%c3%a9%20 /away/x /gone/x /%d0%b4%d0%b8%d1%80
    /cgi/to.cgi?other /cgi/to.cgi?status /up/absolute /up/back
    /up/plain.txt /plain.txt), "/\xD0\xB4\xD0\xB8\xD1\x80");
my $text = conf('');
my $stock = httpd(root => $root, modules => \@modules, stock => 1,
    conf => $text =~ s/^.*IRIEngine.*\n//mr);
my $off = httpd(root => $root, modules => \@modules, conf => $text);
my $report = httpd(root => $root, modules => \@modules,
    conf => conf('IRIEngine report'));
for my $target (@targets) {
    my $want = whole_response($stock, $target);
    is whole_response($off, $target), $want, 'off: ' . escaped($target);
    is whole_response($report, $target), $want, 'report: ' . escaped($target);
}
is_deeply [$off->errors, $report->errors], [], 'log';

done_testing;
