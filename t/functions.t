# Functions for rules, for any text: in nginx variables by iri_convert, in httpd
# RewriteMap int:iri.NAME and functions of expressions.
use IRI::Test;

my @FUNCTIONS = qw(to_uri to_iri nfc fold utf8 host_ascii host_unicode nfd
    url_ascii url_unicode disposition);    # and encode, of a charset
my ($root) = make_tree("index.html\tfile\tindex\n");

for (['nginx', \&on_nginx], ['httpd', \&on_httpd]) {
    my ($name, $run) = @$_;
    subtest $name => sub {
        plan skip_all => missing($name) if missing($name);
        $run->();
    };
}
done_testing;

# ---- both --------------------------------------------------------------------

# Functions for rules: name, text, value.
sub values_of {
    my $nihyo = "\xE8\xA1\xA8";    # U+8868, 95 5C in Shift_JIS
    return (
        ['to_uri', "/$nihyo a%zz%41", '/%E8%A1%A8%20a%25zz%41'],
        ['to_uri', "/\x95\\", ''],
        ['to_iri', '/%E8%A1%A8%20%41%E2%80%8E', "/$nihyo%20A%E2%80%8E"],
        ['to_iri', "/%95\\\x95", '/%95%5C%95'],
        ['nfc', "e\xCC\x81", "\xC3\xA9"],
        ['nfc', "\xE9", ''],
        ['fold', "STRA\xC3\x9FE \xEF\xBC\xA1", 'strasse a'],
        ['utf8', "\x95\\", $nihyo],
        ['utf8', "caf\xE9", "caf\xC3\xA9"],
        ['utf8', $nihyo, $nihyo],
        ['utf8', "\x81", ''],
        ['host_ascii', "B\xC3\xBCcher.example", 'xn--bcher-kva.example'],
        ['host_ascii', "b\xC3\xBC:80", ''],
        ['host_unicode', 'xn--bcher-kva.example', "b\xC3\xBCcher.example"],
        ['host_unicode', "a/b", ''],
        ['nfd', "\xC3\xA9", "e\xCC\x81"],
        ['url_ascii', "https://b\xC3\xBCcher.example/$nihyo",
            'https://xn--bcher-kva.example/%E8%A1%A8'],
        ['url_ascii', 'https://a.example\\@b.example/', ''],
        ['url_unicode', 'https://xn--bcher-kva.example',
            "https://b\xC3\xBCcher.example"],
        ['disposition', "/a/$nihyo \".pdf",
            'filename="_ _.pdf"; filename*=UTF-8\'\'%E8%A1%A8%20%22.pdf'],
        ['disposition', '/a/', ''],
        ['encode', "/$nihyo%E8%A1%A8 %2F", '/%95%5C%95%5C%20%2F'],
        ['encode', "/\xC3\xA9", ''],
    );
}

# What holds on both servers; convert: a function of server, function, text and
# options that returns the value.
sub shared {
    my ($server, $convert, @functions) = @_;
    my $value = sub { return octets($convert->($server, @_)) };
    my %has = map { $_ => 1 } @functions;
    for (grep { $has{ $_->[0] } } values_of()) {
        my ($function, $text, $want) = @$_;
        is $value->($function, $text), octets($want),
            $function . ' of ' . escaped($text);
    }
    is $value->('nfc', ''), '', 'an empty text';
    like +($server->settled_log =~ /(iri: nfc .*)/)[0] // '',
        qr/"%E9".*reason=function/, 'a log line with the text';

    for my $text ("\xC3" x 7000, 'a' x 7000, "%E8%A1%A8" x 700,
        "\xCC\x81\xCC\xA7" x 1700, "\xFF\x01\x7F", '%00%0A', "\xE2\x80\x8E",
        "\xE0\xA4\x95" x 2000, '"; filename*=UTF-8\'\'x; a="\\"%22',
        "\xE2\x80\xAEgpj.exe\x7F\xC2\x85", 'http://a\\@b"<>/')
    {
        for my $function (@functions) {
            my $got = eval { $convert->($server, $function, $text) } // '';
            my $name = "$function: " . substr escaped($text), 0, 20;
            unlike $got, $function =~ /^(?:to|url)_|^encode/
                ? qr/[\x00-\x20"<>]/ : qr/\n/, $name;
            like $got, qr/\A(?:filename="[^"\\%\x00-\x1F\x7F-\xFF]+"
                (?:;\ filename\*=UTF-8''[\w!#\$&+.^`|~%-]+)?)?\z/x,
                "$name: only these parameters" if $function eq 'disposition';
        }
    }
    my $before = length $server->settled_log;
    is $value->('to_uri', 'a' x 65537), '', 'too long';
    is $value->('fold', "\xC3\x9F" x 50000), '', '100,000 octets';
    is scalar(() = substr($server->settled_log, $before)
            =~ /iri: \w+ of "\S{200,600}" \.\.\..*reason=function/g), 2,
        'a short log line for each';

    is $value->('nfc', "e\xCC\x81", port => $server->port('off')), '',
        'no value with the module off';
    is $value->('nfc', "e\xCC\x81", port => $server->port('report')),
        octets("\xC3\xA9"), 'report: the value';
    return;
}

# ---- nginx -------------------------------------------------------------------

sub on_nginx {
    my $server = nginx(root => $root, log_level => 'info',
        conf => octets(<<'END'));
large_client_header_buffers 4 200k;
iri on;
iri_host on;
iri_charset Shift_JIS windows-1252;
iri_convert $as_uri     to_uri       $http_x;
iri_convert $as_iri     to_iri       $http_x;
iri_convert $as_nfc     nfc          $http_x;
iri_convert $as_fold    fold         $http_x;
iri_convert $as_utf8    utf8         $http_x;
iri_convert $as_ascii   host_ascii   $http_x;
iri_convert $as_unicode host_unicode $http_x;
iri_convert $as_nfd     nfd          $http_x;
iri_convert $as_url     url_ascii    $http_x;
iri_convert $as_url_u   url_unicode  $http_x;
iri_convert $as_name    disposition  $http_x;
iri_convert $as_sjis    encode:Shift_JIS $http_x;
iri_convert $key        fold         $iri_path;
iri_convert $new_uri    to_uri      "https://new.example$iri_path?\xE8\xA1\xA8";
iri_convert $fixed      to_uri       "/\xE8\xA1\xA8 1";
iri_convert $path       fold         $uri;
iri_convert $circle     nfc          $circle;
iri_convert $twice      to_iri       $as_uri;
map $key $by_key { default other; "/stra\xC3\x9Fe" never; /strasse found; }
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    location /to_uri { return 200 "$as_uri"; }
    location /to_iri { return 200 "$as_iri"; }
    location /nfc { return 200 "$as_nfc"; }
    location /fold { return 200 "$as_fold"; }
    location /utf8 { return 200 "$as_utf8"; }
    location /host_ascii { return 200 "$as_ascii"; }
    location /host_unicode { return 200 "$as_unicode"; }
    location /nfd { return 200 "$as_nfd"; }
    location /url_ascii { return 200 "$as_url"; }
    location /url_unicode { return 200 "$as_url_u"; }
    location /disposition { return 200 "$as_name"; }
    location /encode { return 200 "$as_sjis"; }
    location /twice { return 200 "$twice"; }
    location /fixed { return 200 "$fixed"; }
    location /circle { return 200 "[$circle]"; }
    location /old { return 301 $new_uri; }
    location /if { if ($as_fold = strasse) { return 200 yes; } return 200 no; }
    location /CHANGES {
        set $before $path;
        rewrite ^ /LATER last;
    }
    location /LATER { return 200 "$before $path"; }
    location / { add_header X-Key "$by_key" always; }
    location = /index.html { add_header X-Fixed $fixed; }
}
server {
    listen 127.0.0.1:%%PORToff%%;
    iri off;
    location / { return 200 "[$as_nfc][$fixed]"; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    iri report;
    location / { return 200 "[$as_nfc]"; }
}
END

    # In the body of a page.
    shared($server, sub {
        my (undef, $function, $text, @option) = @_;
        return $server->get("/$function", headers => ['X', $text], @option)
            ->body =~ s/^\[(.*?)\].*/$1/sr;
    }, @FUNCTIONS, 'encode');
    is $server->get('/twice', headers => ['X', "/\xE8\xA1\xA8"])->body,
        "/\xE8\xA1\xA8", 'a function of a function';
    is $server->get('/fixed')->body, '/%E8%A1%A8%201',
        'a text without variables';
    is $server->get('/nfc')->body, '', 'an absent header';
    is length $server->get('/to_uri', headers => ['X', 'a' x 65536])->body,
        65536, 'the maximal length';

    is $server->get($_)->header('X-Key'), 'found', "map: $_"
        for '/STRASSE', '/stra%C3%9Fe', '/%ef%bd%93TRASSE';
    is $server->get('/other')->header('X-Key'), 'other', 'map: another';
    is $server->get('/index.html')->header('X-Fixed'), '/%E8%A1%A8%201',
        'a header';
    is $server->get("/old$_->[0]")->header('Location'),
        "https://new.example/old$_->[1]?%E8%A1%A8", "a redirect: $_->[0]"
        for ['/%95%5C', '/%E8%A1%A8'], ['%0D%0AX:%20y', '%0D%0AX:%20y'];
    is $server->get('/if', headers => [X => $_->[0]])->body, $_->[1],
        'if: ' . escaped($_->[0]) for ["Stra\xC3\x9Fe", 'yes'], ['x', 'no'];
    is $server->get('/CHANGES')->body, '/changes /later',
        'evaluated again after the path changed';
    is $server->get('/circle')->body, '[]',
        'a variable that depends on itself';
    like $server->settled_log, qr/cycle while evaluating variable "circle"/,
        'is a configuration error';
    return;
}

# ---- httpd -------------------------------------------------------------------

sub on_httpd {
    my $load = "LoadModule rewrite_module "
        . ($ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules')
        . "/mod_rewrite.so\n";
    for my $name (@FUNCTIONS, 'nfkd') {
        my ($code, $output) = httpd_t("${load}RewriteMap m int:iri.$name\n"
            . "<If \"%{iri_$name:x} == 'x'\">\n</If>\n");
        is $code == 0 ? 'taken' : 'refused',
            $name eq 'nfkd' ? 'refused' : 'taken',
            "int:iri.$name" or diag $output;
        like $output, qr/iri\.nfkd/, 'and which' if $name eq 'nfkd';
    }
    for my $name (@FUNCTIONS, 'nfkd') {
        my ($code, $output) =
            httpd_t("<If \"iri_$name('x') == 'x'\">\n</If>\n");
        is $code == 0 ? 'taken' : 'refused',
            $name eq 'nfkd' ? 'refused' : 'taken',
            "iri_$name(), without mod_rewrite" or diag $output;
    }
    for (['Shift_JIS', 'taken'], ['windows-1258', 'taken'],
        ['UTF-8', 'refused'], ['ISO-2022-JP', 'refused'],
        ['klingon', 'refused'])
    {
        my ($charset, $taken) = @$_;
        my ($code) = httpd_t("${load}RewriteMap m int:iri.encode.$charset\n");
        is $code == 0 ? 'taken' : 'refused', $taken, "int:iri.encode.$charset";
    }

    my $maps = join '', "RewriteMap encode int:iri.encode.Shift_JIS\n",
        map { "RewriteMap $_ int:iri.$_\n" } @FUNCTIONS;
    my $locations = join '', map { <<"END" } @FUNCTIONS;
<Location "/$_">
    Header always set X-Value "expr=[%{iri_$_:%{HTTP:X}}]"
</Location>
END
    my $each = join '', $locations, map { <<"END" } @FUNCTIONS, 'encode';
RewriteCond %{HTTP:X} (.*)
RewriteRule "^/map/$_\$" "/index.html" [E=VALUE:\${$_:%1|none}]
END

    my $server = httpd(root => $root, log_level => 'warn iri:info',
        modules => [qw(rewrite headers env)], conf => <<"END");
LimitRequestFieldSize 200000
LimitRequestLine 100000
IRIEngine On
IRIHost On
IRICharset Shift_JIS windows-1252
IRIMatch exact
<VirtualHost 127.0.0.1:%%PORT%%>
    $maps
    RewriteEngine On
    RewriteOptions AllowAnyURI
    RewriteRule "^/old/(.*)\$" "https://new.example/\${to_uri:\$1}" [R=301,NE,L]
    RewriteCond \${fold:\$1} ^strasse\$
    RewriteRule "^/by/(.*)\$" "/index.html" [E=VALUE:key]
    $each
    Header always set X-Map "%{VALUE}e" env=VALUE
    <Location "/if">
        <If "%{iri_fold:%{HTTP:X}} == 'strasse'">
            Header always set X-If yes
        </If>
        <If "iri_nfc(req('X')) == unbase64('w6k=')">
            Header always set X-If nfc
        </If>
    </Location>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
    $maps
    RewriteEngine On
    $each
    Header always set X-Map "%{VALUE}e" env=VALUE
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine Report
    $each
</VirtualHost>
END

    # In an expression.
    shared($server, sub {
        my (undef, $function, $text, @option) = @_;
        return ($server->get("/$function", headers => ['X', $text], @option)
            ->header('X-Value') // '') =~ s/^\[(.*)\]$/$1/sr;
    }, @FUNCTIONS);

    # By a map: "none" if there is no value.
    my $mapped = sub {
        my ($function, $text, @option) = @_;
        return $server->get("/map/$function", headers => ['X', $text],
            @option)->header('X-Map');
    };
    for (values_of()) {
        my ($function, $text, $want) = @$_;
        is escaped($mapped->($function, $text)),
            escaped($want eq '' ? 'none' : $want),
            "map: $function of " . escaped($text);
    }
    is $mapped->('nfc', "e\xCC\x81", port => $server->port('off')), 'none',
        'no value of a map';

    is $server->get("/by/$_")->header('X-Map'), 'key', "RewriteCond: $_"
        for 'STRASSE', 'stra%C3%9Fe', '%ef%bd%93TRASSE';
    isnt $server->get('/by/other')->header('X-Map') // '', 'key',
        'RewriteCond, another';
    is $server->get("/old/$_->[0]")->header('Location'),
        "https://new.example/$_->[1]", "a redirect: $_->[0]"
        for ['%95%5C', '%E8%A1%A8'], ['a%20b%22', 'a%20b%22'];
    is $server->get('/if', headers => [X => $_->[0]])->header('X-If') // 'no',
        $_->[1], '<If>: ' . escaped($_->[0])
        for ["Stra\xC3\x9Fe", 'yes'], ["e\xCC\x81", 'nfc'], ['x', 'no'];
    return;
}
