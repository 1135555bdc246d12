# Location and Content-Location of a response, on both servers. A value set by a
# configuration, a rule, a capture, a directory, a script, WebDAV, an upstream
# or the names of variants on disk becomes a URI-reference of visible ASCII;
# with the module off it is the server's own. And the Link of iri_redirect link.
use IRI::Test;
use utf8;

binmode Test::More->builder->$_, ':utf8' for qw(output failure_output);

my ($root) = make_tree(utf8(<<'END'));
\xD0\xB4\xD0\xB8\xD1\x80/x.txt	file	in a directory
\xD0\xB4\xD0\xB8\xD1\x80/index.html	file	its index
caf\xC3\xA9.txt	file	coffee
e\xCC\x81.txt	file	decomposed
plain.txt	file	plain
dav/x.txt	file	written
dav/\xC3\xA9/	dir
gone/x.txt	file	gone
quote"d/x.txt	file	quoted
a:b/x.txt	file	colon
END
chmod 0777, "$root/dav", "$root/dav/\xC3\xA9" or die;

# The same in EUC-JP octets, and raw octets that are neither.
my %OCTETS  = ('<EUC>' => "\xC6\xFC\xCB\xDC", '<BAD>' => "\xFF\xFE");
my @MODULES = qw(rewrite cgid env headers negotiation proxy proxy_http dav
    dav_fs setenvif);

for (['nginx', \&on_nginx], ['httpd', \&on_httpd]) {
    my ($name, $run) = @$_;
    subtest $name => sub {
        plan skip_all => missing($name) if missing($name);
        $run->();
    };
}
done_testing;

# The UTF-8 octets of a text.
sub utf8 { my ($text) = @_; utf8::encode($text); return $text }

# ---- both --------------------------------------------------------------------

# Tests the Location of an answer by HTTP/1.1 and, on that port, by HTTP/2, and
# that no octets of it became a field. Option: method.
sub location_is {
    my ($server, $h2, $target, $want, $name, %option) = @_;
    for my $proto ('h1', 'h2') {
        local $Test::Builder::Level = $Test::Builder::Level + 1;
        my $answer = $server->request($option{method} // 'GET', $target,
            proto => $proto, $proto eq 'h2' ? (port => $h2) : ());
        my @locations = $answer->header('Location');
        is "@locations", $want, "$proto: $name";
        my @strange = grep { $_->[0] !~ /^[\w-]+$/ || $_->[0] =~ /^x-/i }
            @{ $answer->headers };
        is scalar(@strange), 0, "$proto: $name: no other field";
    }
    return;
}

# Redirects that both configure: target, Location with HERE for the server's
# own scheme and host, description.
sub location_cases {
    my $dir = '%D0%B4%D0%B8%D1%80';
    return (
        ['/raw', 'HERE/%D0%BA%D0%B8%D0%BD%D0%BE', 'raw octets'],
        ['/nfd', 'HERE/caf%C3%A9.txt', 'another normalization form'],
        ['/lower', 'HERE/%D0%BA%2F%41', 'escapes are kept'],
        ['/query', 'HERE/%C3%A9?q=%C3%A9&r=%c3%a9#%C3%A9',
            'query and fragment'],
        ['/euc', 'HERE/%E6%97%A5%E6%9C%AC', 'raw in another charset'],
        ['/bad', 'HERE/%FF%FE', 'octets invalid in all charsets'],
        ['/other', 'http://other.example/%e9/e%CC%81?%C3%A9',
            'the path of another host is not read'],
        ['/host', 'http://xn--bcher-kva.example:81/%C3%A9', 'A-labels'],
        ['/nohost', 'http://-%C3%BC-.example/%C3%A9',
            'an invalid host name'],
        ["/rewrite/\xC3\xA9", 'HERE/%C3%A9/%C3%A9', 'a rule'],
        ['/rewrite/e%cc%81?q=%e9', 'HERE/%C3%A9/%C3%A9?q=%e9',
            'a rule, with a query'],
        ['/gone/x', 'http://other.example/%C3%A9',
            'an error page with an address'],
        ['/%d0%b4%d0%b8%d1%80', "HERE/$dir/", 'a directory'],
        ["/\xD0\xB4\xD0\xB8\xD1\x80?q=\xC3\xA9", "HERE/$dir/?q=%C3%A9",
            'a directory, natively'],
        ['/up/absolute', 'http://x.example/%C3%A9/%e9',
            'a Location of an upstream is escaped, not read'],
        ['/up/relative', '/%C3%A9/e%CC%81?%C3%A9', 'a path of an upstream'],
    );
}

# A whole response as text, except what differs from one server or time to
# another: Date, the port, and how the length is told.
sub whole_response {
    my ($server, $target) = @_;
    my $answer = $server->get($target);
    my $text = join "\n", $answer->status, map { "$_->[0]: $_->[1]" }
        grep { $_->[0] !~ /^(?:Date|Content-Length|Transfer-Encoding)$/ }
        @{ $answer->headers };
    $text .= "\n" . $answer->body;
    return $text =~ s/(?::| Port )\d{5}//gr;
}

# iri_redirect link: target, status and Link fields, description.
sub link_cases {
    my $coffee = '</caf%C3%A9.txt>; rel="canonical"';
    return (
        ['/caf%C3%A9.txt', '200', 'canonical'],
        ['/plain.txt', '200', 'ASCII'],
        ["/caf\xC3\xA9.txt", "200 + $coffee", 'native'],
        ['/cafe%CC%81.txt', "200 + $coffee", 'another normalization form'],
        ['/caf%E9.txt', "200 + $coffee", 'another charset'],
        ['/caf%c3%a9.txt', "200 + $coffee", 'digits in lower case'],
        ['/%63af%C3%A9.txt', "200 + $coffee", 'a needless escape'],
        ['/pl%61in.txt', '200 + </plain.txt>; rel="canonical"',
            'a needless escape in ASCII'],
        ['/caf%E9.txt?a=<x>"&b=%e9',
            '200 + </caf%C3%A9.txt?a=%3Cx%3E%22&b=%e9>; rel="canonical"',
            'with a query'],
        ["/\xD0\xB4\xD0\xB8\xD1\x80/",
            '200 + </%D0%B4%D0%B8%D1%80/>; rel="canonical"',
            'a directory with an index'],
        ["/\xD0\xB4\xD0\xB8\xD1\x80", '301', 'a directory without its slash'],
        ["/off/caf\xC3\xA9.txt", '200', 'off in a place'],
    );
}

# Tests the Link fields of a server with a link to a style sheet; more: further
# cases.
sub links {
    my ($server, $h2, @more) = @_;
    my $links = sub {
        my ($target, %option) = @_;
        my $answer = $server->request(delete $option{method} // 'GET', $target,
            %option);
        return join ' + ', $answer->status, grep { !/preload/ }
            map { split /,\s*(?=<)/ } $answer->header('Link');
    };
    is $links->($_->[0]), $_->[1], "link: $_->[2]" for link_cases(), @more;
    my ($coffee, $path) = ('</caf%C3%A9.txt>; rel="canonical"',
        "/caf\xC3\xA9.txt");
    is $links->($path, method => 'HEAD'), "200 + $coffee", 'HEAD';
    is $links->($path, proto => 'h2', port => $h2), "200 + $coffee", 'HTTP/2';
    is $links->($path, headers => [Range => 'bytes=0-1']), "206 + $coffee",
        'a part of a file';
    is $links->($path, headers => ['If-None-Match' =>
        $server->get($path)->header('ETag')]),
        $server->isa('IRI::Nginx') ? "304 + $coffee" : '304',
        '304: httpd sends no Link';
    return $links;
}

# Off and report answer as the stock server does.
sub unchanged {
    my ($stock, $off, $report, @targets) = @_;
    for my $target (@targets) {
        my $want = whole_response($stock, $target);
        is whole_response($off, $target), $want, 'off: ' . escaped($target);
        is whole_response($report, $target), $want,
            'report: ' . escaped($target);
    }
    return;
}

# ---- nginx -------------------------------------------------------------------

# One server of many redirects, with its first lines.
sub nginx_conf {
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
    location = /content {
        add_header Content-Location "/é%c3%a9"; return 200 x;
    }
    location = /slashes { return 302 //other.example/é; }
}
END
    $text =~ s/(<\w+>)/$OCTETS{$1} \/\/ $1/ge;
    return $text;
}

sub on_nginx {
    my $server = nginx(root => $root, conf => nginx_conf(
        'iri on; iri_charset EUC-JP; port_in_redirect off;'));
    my $here        = 'http://localhost';
    my $location_is = sub { location_is($server, $server->port('h2'), @_) };
    $location_is->($_->[0], $_->[1] =~ s/^HERE/$here/r, $_->[2])
        for location_cases();
    $location_is->('/unsafe', "$here/%C3%A9?%20%3C%22\\|",
        'characters that are not allowed');
    $location_is->('/euc-escaped', "$here/%E6%97%A5%E6%9C%AC",
        'escaped in one');
    like $server->settled_log, qr/iri: .*"-%C3%BC-\.example".*reason=location/,
        'the log line';
    my $own = 'http://localhost:' . $server->port;
    is $server->get('/own')->header('Location'), "$own/%C3%A9",
        'an address of this host';
    $location_is->('/network', "$here//other.example/%C3%A9",
        '"//" of a configuration is a path');
    $location_is->('/mail', 'mailto:%C3%A9@example.org', 'another scheme');

    # ---- out of requests

    $location_is->('/decoded/a%0d%0aX-Inj:%201', "$here/to/a%0D%0AX-Inj:%201",
        'CR LF out of a capture');
    $location_is->('/decoded/%2F%2Fother.example/%C3%A9',
        "$here/to/other.example/%C3%A9", 'slashes out of a capture');
    $location_is->('/path/%22%3Ca%3E%20%7F%5C',
        "$here/to/path/%22%3Ca%3E%20%7F%5C",
        'characters of HTML and JSON');
    $location_is->('/path/100%25', "$here/to/path/100%25",
        '"%" that nginx has unescaped');
    $location_is->('/arg/?x=%0d%0aX-Inj:1', "$here/to?%0d%0aX-Inj:1",
        'a query as it came');
    $location_is->("/arg/?x=\xC3\xA9", "$here/to?%C3%A9", 'a raw query');
    $location_is->("/temporary/\xC3\xA9", 'http://other.example/%C3%A9/%C3%A9',
        'rewrite redirect');
    $location_is->('/gone-here/x', "$here/%D0%BD%D0%B5%D1%82",
        'error_page that redirects');

    # ---- directories, WebDAV

    $location_is->('/quote%22d', "$here/quote%22d/",
        'a quotation mark in a directory');
    for my $case (["\xC3\xA9/a.txt", '%C3%A9/a.txt'], ['e%cc%81/b.txt',
            '%C3%A9/b.txt']) {
        my $answer = $server->request('PUT', "/dav/$case->[0]", body => 'x');
        is $answer->status, 201, "PUT $case->[1]";
        is $answer->header('Location'), "$here/dav/$case->[1]",
            'Location after PUT';
    }

    # ---- upstreams

    $location_is->('/up/slashes', '//other.example/%C3%A9',
        'a network-path reference of an upstream');
    $location_is->('/up-changed/relative', "$here/%C3%A9/%C3%A9/e%CC%81?%C3%A9",
        'after proxy_redirect');
    is $server->get('/up/content')->header('Content-Location'),
        '/%C3%A9%c3%a9', 'Content-Location of an upstream';

    # ---- hosts that are not valid in a URI

    for my $host ("ev\xC3\xADl.example", 'a%20b', '"x"', '<x>', 'x\\y') {
        my $answer = $server->get('/raw', host => IRI::Nginx::sent_host($host));
        is $answer->header('Location'), '/%D0%BA%D0%B8%D0%BD%D0%BE',
            'no host in front: ' . escaped($host);
    }

    # ---- "//"

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

    # ---- a Location that nginx does not process
    # perl, like lua and njs, adds a field and does not set
    # r->headers_out.location.
    SKIP: {
        my $perl = IRI::Nginx::module_dir() . '/ngx_http_perl_module.so';
        skip 'no perl module', 7 if !-e $perl;
        my $perl_server = nginx(root => $root, modules => [$perl],
            conf => octets(<<'END'));
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

    # ---- canonical links

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
    my $of = links($links, $links->port('h2'),
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
    );
    unlike $of->("/caf\xC3\xA9.txt", method => 'POST'), qr/canonical/, 'POST';

    my @targets = (qw(/raw /nfd /lower /query /euc /bad /other /host /own
        /network /mail /rewrite/%c3%a9 /temporary/x /gone/x /gone-here/x
        /up/relative
        /up/absolute /up/content /arg/?x=%c3%a9 /plain.txt),
        "/\xD0\xB4\xD0\xB8\xD1\x80", '/path/a%0aX:%20y');
    unchanged(nginx(root => $root, stock => 1, conf => nginx_conf('')),
        (map { nginx(root => $root, conf => nginx_conf($_)) } 'iri off;',
            'iri report;'), @targets);
    return;
}

# ---- httpd -------------------------------------------------------------------

sub httpd_conf {
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
    $text =~ s/(<[A-Z]+>)/$OCTETS{$1} \/\/ $1/ge;
    return $text;
}

sub on_httpd {
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
    my $server = httpd(root => $root, modules => \@MODULES, h2 => 1,
        conf => httpd_conf("IRIEngine On\nIRICharset EUC-JP"));
    chmod 0777, $server->tmp . '/run';
    my $here        = 'http://localhost:' . $server->port;
    my $location_is = sub {
        my ($target, $want, $name) = @_;
        location_is($server, $server->port, $target, $want, $name);
        return if $target =~ /up/
            || $server->get($target)->body !~ /href="([^"]*)"/;
        my $href = $1;
        is $href =~ s/&amp;/&/gr, $want, "$name: the page says the same";
        unlike $href, qr/&(?!amp;)/, "$name: as text of HTML";
        return;
    };
    $location_is->($_->[0], $_->[1] =~ s/^HERE/$here/r, $_->[2])
        for location_cases();
    like $server->settled_log, qr/iri: .*"-%C3%BC-\.example".*reason=location/,
        'the log line';
    $location_is->('/match/%c3%a9?x=%e9', "$here/%D0%BA/%C3%A9?x=%e9",
        'RedirectMatch');
    $location_is->("/ne/\xC3\xA9", "$here/%C3%A9/%C3%A9", 'RewriteRule [R,NE]');
    $location_is->('/ne/a%20b%22%3C%3E%5C', "$here/%C3%A9/a%20b%22%3C%3E%5C",
        'characters of HTML and JSON');
    $location_is->("/away/\xC3\xA9%20x",
        'http://other.example/%C3%A9/%C3%A9%20x',
        'RewriteRule to another host');
    $location_is->('/cgi/to.cgi?other', 'http://other.example/%C3%A9/%e9',
        'a script to another host');
    $location_is->('/cgi/to.cgi?own', "$here/%C3%A9", 'a script to this host');
    $location_is->('/cgi/to.cgi?status', '/%C3%A9', 'a script with a status');
    $location_is->('/cgi/to.cgi?made', '/%C3%A9', '201');
    is $server->get('/cgi/to.cgi?path')->body, 'coffee',
        'a path without a status: no redirect';
    $location_is->('/up/back', "$here/up/%C3%A9/%e9", 'after ProxyPassReverse');
    is $server->get('/up/plain.txt')->header('Content-Location'), '/%C3%A9',
        'Content-Location of an origin';
    my $number = 0;
    for my $name ("\xC3\xA9", 'e%cc%81', '%a4%a2') {
        my $want = $name eq '%a4%a2' ? '%E3%81%82' : '%C3%A9';
        my $put = $server->request('PUT', "/dav/$name" . $number++,
            body => 'x');
        is $put->status, 201, "PUT $want";
        is $put->header('Location') =~ s/\d$//r, "$here/dav/$want",
            'Location after PUT';
    }
    is $server->get('/set')->header('Location'), '/%C3%A9', 'Header set';

    # A response of an origin from the cache has the same Location.
    my $cache = httpd(root => $root,
        modules => [@MODULES, qw(cache cache_disk)],
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
    variants();

    # ---- canonical links

    my $links = httpd(root => $root, modules => \@MODULES, h2 => 1,
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
    my $of = links($links, $links->port,
        ["/\xC3\xA9-not-there", '404', 'an error'],
        ["/\xC3\xA9.cgi", '200 + </%C3%A9.cgi>; rel="canonical"', 'a script'],
        ["/\xC3\xA9.cgi?gone", '404', 'an error of a script'],
        ["/up/caf\xC3\xA9.txt",
            '200 + </a>; rel=next + </up/caf%C3%A9.txt>; rel="canonical"',
            'beside that of an origin'],
    );
    unlike $of->("/\xC3\xA9.cgi", method => 'POST'), qr/canonical/, 'POST';

    my @targets = (qw(/raw /nfd /lower /query /euc /bad /other /host
        /match/%c3%a9 /rewrite/%c3%a9 /ne/%c3%a9%20 /away/x /gone/x
        /%d0%b4%d0%b8%d1%80
        /cgi/to.cgi?other /cgi/to.cgi?status /up/absolute /up/back
        /up/plain.txt /plain.txt), "/\xD0\xB4\xD0\xB8\xD1\x80");
    my $text = httpd_conf('');
    unchanged(httpd(root => $root, modules => \@MODULES, stock => 1,
        conf => $text =~ s/^.*IRIEngine.*\n//mr),
        (map { httpd(root => $root, modules => \@MODULES, conf => $_) } $text,
            httpd_conf('IRIEngine report')), @targets);
    return;
}

# Names of variants on disk.
sub variants {
    my ($euc) = make_tree([qw(漢.txt=text 漢.html=html)],
        undef, charset => 'EUC-JP');
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
        is $answer->header('Content-Location'), "$han.txt",
            "$test_name: its name";

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
            my $variant = $variants->get("/$name");
            is $variant->status, 200, "$test_name: $name is there";
            is $variant->body, $name =~ /html/ ? 'html' : 'text',
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
    return;
}
