# nginx: Location of a response. A value set by a configuration, a capture, a
# directory, WebDAV or an upstream becomes a URI-reference of visible ASCII;
# with iri off it is nginx's own. And the Link field of iri_redirect link.
use IRI::Test 'nginx';
use utf8;
use IRI::Both qw(link_cases location_cases whole_response);

binmode Test::More->builder->$_, ':utf8' for qw(output failure_output);

# The UTF-8 octets of a text.
sub utf8 { my ($text) = @_; utf8::encode($text); return $text }

# The same in EUC-JP octets, and raw octets that are neither.
my %octets = ('<EUC>' => "\xC6\xFC\xCB\xDC", '<BAD>' => "\xFF\xFE");

my ($root) = make_tree(utf8(<<'END'));
\xD0\xB4\xD0\xB8\xD1\x80/x.txt	file	in a directory
\xD0\xB4\xD0\xB8\xD1\x80/index.html	file	its index
caf\xC3\xA9.txt	file	coffee
e\xCC\x81.txt	file	decomposed
plain.txt	file	plain
dav/x.txt	file	written
quote"d/x.txt	file	quoted
a:b/x.txt	file	colon
END
chmod 0777, "$root/dav" or die;
mkdir "$root/dav/\xC3\xA9";
chmod 0777, "$root/dav/\xC3\xA9" or die;

# One server of many redirects; options: its first lines.
sub conf {
    my ($first) = @_;
    my $text = utf8(<<"END");
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    $first
    root %%ROOT%%;
    location = /raw { return 301 /кино; }
    location = /nfd { return 302 "/cafe\x{301}.txt"; }
    location = /lower { return 301 /%d0%ba%2f%41; }
    location = /query { return 301 "/é?q=é&r=%c3%a9#é"; }
    location = /unsafe { return 301 "/é? <\\"\\\\|"; }
    location = /euc { return 301 /<EUC>; }
    location = /euc-escaped { return 301 /%c6%fc%cb%dc; }
    location = /bad { return 301 /<BAD>; }
    location = /other { return 301 "http://other.example/%e9/e\x{301}?é"; }
    location = /host { return 301 http://bücher.example:81/é; }
    location = /nohost { return 301 http://-ü-.example/é; }
    location = /own { return 301 "http://\$host:\$server_port/e\x{301}"; }
    location = /network { return 301 //other.example/é; }
    location = /mail { return 301 mailto:é\@example.org; }
    location = /made { return 201; }
    location ~ (?s)^/decoded/(.*) { return 301 /to/\$1; }
    location /path/ { return 301 /to\$uri; }
    location /arg/ { return 301 /to?\$arg_x; }
    location /rewrite/ { rewrite ^/rewrite/(.*) /é/\$1 permanent; }
    location /temporary/ { rewrite ^/temporary/(.*) http://other.example/é/\$1
        redirect; }
    location /gone/ { error_page 404 http://other.example/é; }
    location /gone-here/ { error_page 404 =302 \@gone; }
    location \@gone { return 302 /нет; }
    location /dav/ { dav_methods PUT MKCOL COPY MOVE; create_full_put_path on; }
    location /up/ { proxy_pass http://127.0.0.1:%%PORTup%%/; }
    location /up-changed/ {
        proxy_pass http://127.0.0.1:%%PORTup%%/;
        proxy_redirect / /é/;
    }
}
server {
    listen 127.0.0.1:%%PORTup%%;
    absolute_redirect off;
    location = /relative { return 302 "/é/e\x{301}?é"; }
    location = /absolute { return 302 "http://x.example/é/%e9"; }
    location = /content { add_header Content-Location "/é%c3%a9"; return 200 x; }
    location = /slashes { return 302 //other.example/é; }
}
END
    $text =~ s/(<\w+>)/$octets{$1} \/\/ $1/ge;
    return $text;
}

my $server = nginx(root => $root, conf => conf(
    'iri on; iri_charset EUC-JP; port_in_redirect off;'
));
my $here = 'http://localhost';

sub location_is {
    return IRI::Both::location_is($server, $server->port('h2'), @_);
}

location_is($_->[0], $_->[1] =~ s/^HERE/$here/r, $_->[2])
    for location_cases();
location_is('/unsafe', "$here/%C3%A9?%20%3C%22\\|",
    'characters that are not allowed');
location_is('/euc-escaped', "$here/%E6%97%A5%E6%9C%AC", 'escaped in one');
like $server->settled_log, qr/iri: .*"-%C3%BC-\.example".*reason=location/,
    'the log line';
my $own = 'http://localhost:' . $server->port;
is $server->get('/own')->header('Location'), "$own/%C3%A9",
    'an address of this host';
location_is('/network', "$here//other.example/%C3%A9",
    '"//" of a configuration is a path');
location_is('/mail', 'mailto:%C3%A9@example.org', 'another scheme');

# ---- out of requests --------------------------------------------------------

location_is('/decoded/a%0d%0aX-Inj:%201', "$here/to/a%0D%0AX-Inj:%201",
    'CR LF out of a capture');
location_is('/decoded/%2F%2Fother.example/%C3%A9',
    "$here/to/other.example/%C3%A9", 'slashes out of a capture');
location_is('/path/%22%3Ca%3E%20%7F%5C', "$here/to/path/%22%3Ca%3E%20%7F%5C",
    'characters of HTML and JSON');
location_is('/path/100%25', "$here/to/path/100%25",
    '"%" that nginx has unescaped');
location_is('/arg/?x=%0d%0aX-Inj:1', "$here/to?%0d%0aX-Inj:1",
    'a query as it came');
location_is("/arg/?x=\xC3\xA9", "$here/to?%C3%A9", 'a raw query');
location_is("/temporary/\xC3\xA9", 'http://other.example/%C3%A9/%C3%A9',
    'rewrite redirect');
location_is('/gone-here/x', "$here/%D0%BD%D0%B5%D1%82",
    'error_page that redirects');

# ---- directories, WebDAV ----------------------------------------------------

location_is('/quote%22d', "$here/quote%22d/",
    'a quotation mark in a directory');
for my $case (["\xC3\xA9/a.txt", '%C3%A9/a.txt'], ['e%cc%81/b.txt',
        '%C3%A9/b.txt']) {
    my $answer = $server->request('PUT', "/dav/$case->[0]", body => 'x');
    is $answer->status, 201, "PUT $case->[1]";
    is $answer->header('Location'), "$here/dav/$case->[1]",
        'Location after PUT';
}

# ---- upstreams --------------------------------------------------------------

location_is('/up/slashes', '//other.example/%C3%A9',
    'a network-path reference of an upstream');
location_is('/up-changed/relative', "$here/%C3%A9/%C3%A9/e%CC%81?%C3%A9",
    'after proxy_redirect');
is $server->get('/up/content')->header('Content-Location'),
    '/%C3%A9%c3%a9', 'Content-Location of an upstream';

# ---- hosts that are not valid in a URI --------------------------------------

for my $host ("ev\xC3\xADl.example", 'a%20b', '"x"', '<x>', 'x\\y') {
    my $answer = $server->get('/raw', host => IRI::Nginx::sent_host($host));
    is $answer->header('Location'), '/%D0%BA%D0%B8%D0%BD%D0%BE',
        'no host in front: ' . escaped($host);
}

# ---- "//" -------------------------------------------------------------------

my $slashes = nginx(root => $root, conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    merge_slashes off;
    iri on;
    location /to/ { return 301 $arg_x; }
    location /off/ { absolute_redirect off; return 301 $arg_x; }
}
END
mkdir "$root/h.example";
mkdir "$root/h.example/\xC3\xA9";
my $at = 'http://localhost:' . $slashes->port;
for my $case (
    ['//h.example/%c3%a9', "$at//h.example/%C3%A9/"],
    ["/to/?x=//h.example/\xC3\xA9", "$at//h.example/%C3%A9"],
    ["/off/?x=//h.example/\xC3\xA9", '//h.example/%C3%A9'],
    ["/off/?x=/\xC3\xA9", '/%C3%A9'],
    ["/off/?x=\xC3\xA9:x/y:z", './%C3%A9:x/y:z'],
    ["/off/?x=/\\h.example", '/%5Ch.example'],
    # Raw controls are refused by nginx itself from 1.21.1 on.
    ["/off/?x=/\t/h.example",
        IRI::Nginx::version() < 1.021_001 ? '/%09/h.example' : undef],
) {
    my $answer = $slashes->get($case->[0]);
    is $answer->header('Location'), $case->[1], escaped($case->[0]);
}
is $slashes->get('//h.example/%c3%a9',
    host => IRI::Nginx::sent_host("\xC3\xA9"))
    ->header('Location'), '/.//h.example/%C3%A9/',
    'a path, not an authority, without a host in front';

# ---- a Location that nginx does not process ---------------------------------
# perl, like lua and njs, adds a field and does not set
# r->headers_out.location.
SKIP: {
    my $perl = IRI::Nginx::module_dir() . '/ngx_http_perl_module.so';
    skip 'no perl module', 7 if !-e $perl;
    my $perl_server = nginx(root => $root, modules => [$perl], conf => octets(<<'END'));
perl_set $none 'sub { "" }';
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP;
    location / {
        perl 'sub {
            my $r = shift;
            my ($status, $location) = split /:/, $r->args, 2;
            $location =~ s/!([0-9a-f]{2})/chr hex $1/ge;
            $r->status($status);
            $r->header_out("Location", $location);
            $r->send_http_header;
            return OK;
        }';
    }
}
END
    for (['302:/!c3!a9', '302 /%C3%A9', 'a path of this server'],
        ['201:/e!cc!81', '201 /%C3%A9', '201, in NFD'],
        ['308:/!c6!fc', '308 /%E6%97%A5', 'in another charset'],
        ['301:http//other.example/!e9', '301 http//other.example/%E9',
            'a relative path'],
        ['302:/a!0d!0aX:b', '302 /a%0D%0AX:b', 'a line feed'],
        ['200:/!c3!a9', "200 /\xC3\xA9", 'a 200 is unchanged'])
    {
        my ($args, $want, $test_name) = @$_;
        my $answer = $perl_server->get("/x?$args");
        is join(' ', $answer->status, $answer->header('Location')), $want,
            "another module: $test_name";
    }
}

# ---- canonical links --------------------------------------------------------

my $links = nginx(root => $root, conf => octets(<<'END'));
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    root %%ROOT%%;
    iri on;
    iri_charset windows-1252;
    iri_redirect link;
    add_header Link "</style.css>; rel=preload";
    error_page 404 =200 /plain.txt;
    location /off/ { alias %%ROOT%%/; iri_redirect off; }
    location /match/ { alias %%ROOT%%/; iri_match case; }
    location /up/ { proxy_pass http://127.0.0.1:%%PORTup%%/; }
    location /inner/ { rewrite ^/inner/(.*) /$1 last; }
}
server {
    listen 127.0.0.1:%%PORTup%%;
    location / { add_header Link "</a>; rel=next"; return 200 up; }
    location /404 { return 404; }
}
END

# The Link fields of a response, except that of the configuration.
sub links {
    my ($target, %option) = @_;
    my $method = delete $option{method} // 'GET';
    my $answer = $links->request($method, $target, %option);
    return join ' + ', $answer->status,
        grep { !/preload/ } $answer->header('Link');
}
my $coffee = '</caf%C3%A9.txt>; rel="canonical"';
for my $case (
    link_cases(),
    ["/\xC3\xA9-not-there", '200', 'an error page with status 200'],
    ['/match/CAF%c3%a9.txt',
        '200 + </match/caf%C3%A9.txt>; rel="canonical"', 'another name'],
    ['/match/PLAIN.txt', '200 + </match/plain.txt>; rel="canonical"',
        'another name in ASCII'],
    ['/match/NOT-THERE.txt', '200', 'another name, absent'],
    ["/up/\xC3\xA9",
        '200 + </a>; rel=next + </up/%C3%A9>; rel="canonical"',
        'beside that of an upstream'],
    ["/inner/caf\xC3\xA9.txt",
        '200 + </inner/caf%C3%A9.txt>; rel="canonical"',
        'a page behind a rewrite has the path that was asked for'],
) {
    my ($target, $want, $test_name) = @$case;
    is links($target), $want, "link: $test_name";
}
is links("/caf\xC3\xA9.txt", method => 'HEAD'), "200 + $coffee", 'HEAD';
unlike links("/caf\xC3\xA9.txt", method => 'POST'), qr/canonical/, 'POST';
is links("/caf\xC3\xA9.txt", proto => 'h2', port => $links->port('h2')),
    "200 + $coffee", 'HTTP/2';
is links("/caf\xC3\xA9.txt", headers => [Range => 'bytes=0-1']),
    "206 + $coffee", 'a part of a file';
my $page = $links->get("/caf\xC3\xA9.txt");
is links("/caf\xC3\xA9.txt",
    headers => ['If-None-Match' => $page->header('ETag')]),
    "304 + $coffee", '304 has the Link of the 200';

# ---- off --------------------------------------------------------------------

my @targets = (qw(/raw /nfd /lower /query /euc /bad /other /host /own /network
    /mail /rewrite/%c3%a9 /temporary/x /gone/x /gone-here/x /up/relative
    /up/absolute /up/content /arg/?x=%c3%a9 /plain.txt),
    "/\xD0\xB4\xD0\xB8\xD1\x80", '/path/a%0aX:%20y');
my $stock = nginx(root => $root, stock => 1, conf => conf(''));
my $off = nginx(root => $root, conf => conf('iri off;'));
my $report = nginx(root => $root, conf => conf('iri report;'));
for my $target (@targets) {
    my $want = whole_response($stock, $target);
    is whole_response($off, $target), $want, 'off: ' . escaped($target);
    is whole_response($report, $target), $want, 'report: ' . escaped($target);
}
is_deeply [$off->errors, $report->errors], [], 'log';

done_testing;
