# iri_request_uri, IRIRequestURI: what an application gets as REQUEST_URI and
# IRI_REQUEST_URI; that rules judge the former, and logs have the latter.
use IRI::Test;
use IRI::Gateway;

my ($root, $tmp) = make_tree([qw(app.php Doc/App.php deny/secret.txt)]);

# request-target; the canonical one
my @ROWS = (
    ['/w/abc?x=1&y',             '/w/abc?x=1&y'],
    ['/w/%41%2f%7E',             '/w/%41%2f%7E'],
    ['/w/%93%fa%96%7b',          '/w/%E6%97%A5%E6%9C%AC'],
    ['/w/%e6%97%a5%e6%9c%ac',    '/w/%E6%97%A5%E6%9C%AC'],
    ["/w/\xE6\x97\xA5",          '/w/%E6%97%A5'],
    ['/w/cafe%cc%81?p=%e9&q=+',  '/w/caf%C3%A9?p=%e9&q=+'],
    ['/w/%93%fa%26%3F%25?',      '/w/%E6%97%A5%26%3F%25?'],
    ['/w/./a/../%93%fa',         '/w/%E6%97%A5'],
    ['/w/abc?k=%93%fa',          '/w/abc?k=%E6%97%A5'],
    ['/doc/APP.php/%93%fa',      '/Doc/App.php/%E6%97%A5'],
    ['/w/%ff%fe',                '/w/%ff%fe'],
    ['/err/%93%fa',              '/err/%E6%97%A5'],
    ['/Deny/SECRET.txt',         '/Deny/SECRET.txt'],
);

# Tests rows; get: from a request-target to NAME=value lines.
sub test_rows {
    my ($get) = @_;
    for (@ROWS) {
        my ($sent, $want) = @$_;
        my %given = map { /\A(\w+)=(.*)\z/s ? ($1, $2) : () }
            split /\n/, $get->($sent);
        is $given{REQUEST_URI}, $want, 'REQUEST_URI of ' . escaped($sent);
        is $given{IRI_REQUEST_URI}, $sent, '... IRI_REQUEST_URI';
    }
    return;
}

# Tests a rule for the request-target /no/%E6%97%A5; status: from a target.
sub test_rule {
    my ($status) = @_;
    is $status->($_), 403, 'a rule for the request-target: ' . escaped($_)
        for '/no/%E6%97%A5', '/no/%e6%97%a5', '/no/%93%fa', "/no/\xE6\x97\xA5",
        '/%6e%6f/%93%fa', '/x/../no/%93%fa?y';
    return;
}

# Tests an access log of request-targets.
sub test_log {
    my ($log) = @_;
    my @lines = map { s/^GET | HTTP\S+$//gr =~ s/\\x(..)/\\x\L$1/gr } split /\n/, slurp($log);
    is_deeply [sort @lines], [sort map { s/([\x80-\xFF])/sprintf '\\x%02x', ord $1/erg }
        map { $_->[0] } @ROWS], 'the log has the request-targets as sent';
    return;
}

subtest nginx => sub {
    plan skip_all => missing('nginx') if missing('nginx');
    my %gateway = map { $_ => IRI::Gateway->new($_) } qw(fastcgi scgi uwsgi);
    my $conf = <<'END';
log_format target '$request';
access_log %%TMP%%/target.log target;
iri on;
iri_charset Shift_JIS;
iri_query_charset Shift_JIS;
iri_invalid pass;
iri_match case;
iri_request_uri on;
server {
    listen 127.0.0.1:%%PORTup%%;
    iri off;
    merge_slashes off;
    location / { return 200 "REQUEST_URI=$request_uri\n"; }
}
server {
    listen 127.0.0.1:%%PORTask%%;
    iri off;
    if ($http_x_original_uri = /auth/%E6%97%A5) { return 403; }
    location / { return 204; }
}
END
    for my $protocol (sort keys %gateway) {
        my $port = $gateway{$protocol}->port;
        $conf .= <<"END";
server {
    listen 127.0.0.1:%%PORT$protocol%%;
    root %%ROOT%%;
    if (\$request_uri ~ ^/no/%E6%97%A5) { return 403; }
    location / {
        try_files \$uri /app.php?\$args;
        error_page 403 404 /app.php;
    }
    location /deny/ { deny all; error_page 403 /app.php; }
    location /err/ { error_page 404 = /app.php; }
    location ~ ^/(app|Doc/App)\\.php {
        ${protocol}_param REQUEST_URI \$request_uri;
        ${protocol}_param IRI_REQUEST_URI \$iri_request_uri;
        ${protocol}_pass 127.0.0.1:$port;
    }
    location /proxy/ {
        proxy_pass http://127.0.0.1:%%PORTup%%\$request_uri;
    }
    location /auth/ {
        auth_request /ask;
        proxy_pass http://127.0.0.1:%%PORTup%%;
    }
    location = /ask {
        proxy_pass http://127.0.0.1:%%PORTask%%/;
        proxy_set_header X-Original-URI \$request_uri;
    }
    location /intercept/ {
        proxy_pass http://127.0.0.1:9;
        error_page 502 = /page/;
    }
    location /page/ { return 200 "REQUEST_URI=\$request_uri\\n"; }
}
END
    }
    my $server = nginx(root => $root, conf => $conf);
    my $get = sub {
        my ($target, $port) = @_;
        return $server->get($target, port => $server->port($port))->body;
    };
    for my $protocol (sort keys %gateway) {
        subtest $protocol => sub {
            my $log = "$server->{tmp}/target.log";
            spew($log, '');
            test_rows(sub { return $get->($_[0], $protocol) });
            $server->settled_log;
            test_log($log) if $protocol eq 'fastcgi';
        };
    }
    for (
        ['/proxy/%93%fa%2Fa%26?b',    '/proxy/%E6%97%A5%2Fa%26?b'],
        ['/proxy/%e6%97%a5',          '/proxy/%E6%97%A5'],
        ['/proxy/%41%2fb',            '/proxy/%41%2fb'],
        ['/proxy/%93%fa?k=%93%fa',    '/proxy/%E6%97%A5?k=%E6%97%A5'],
        ['/proxy//a/../%93%fa%2f',    '/proxy/%E6%97%A5/'],
        ['/intercept/%93%fa',         '/intercept/%E6%97%A5'],
        )
    {
        my ($sent, $want) = @$_;
        is $get->($sent, 'fastcgi'), "REQUEST_URI=$want\n", "proxy: $sent";
    }
    my $status = sub {
        return $server->get($_[0], port => $server->port('fastcgi'))->status;
    };
    test_rule($status);
    is $status->($_), 403, "auth_request: $_"
        for '/auth/%E6%97%A5', '/auth/%93%fa', '/auth/%e6%97%a5';
};

subtest httpd => sub {
    plan skip_all => missing('httpd') if missing('httpd');
    my %gateway = map {
        $_ => IRI::Gateway->new($_ eq 'fcgi' ? 'fastcgi' : $_)
    } qw(fcgi scgi uwsgi);
    my $conf = <<'END';
LogFormat "%r" target
CustomLog %%TMP%%/target.log target
IRIEngine On
IRICharset Shift_JIS
IRIQueryCharset Shift_JIS
IRIInvalid pass
IRIMatch case
IRIRequestURI On
END
    for my $protocol (sort keys %gateway) {
        my $port = $gateway{$protocol}->port;
        $conf .= <<"END";
<VirtualHost 127.0.0.1:%%PORT$protocol%%>
    DocumentRoot "%%ROOT%%"
    AllowEncodedSlashes NoDecode
    RewriteEngine On
    RewriteCond %{THE_REQUEST} " /no/%E6%97%A5"
    RewriteRule ^ - [F]
    <Location "/">
        FallbackResource /app.php
    </Location>
    <LocationMatch "\\.php\$">
        SetHandler "proxy:$protocol://127.0.0.1:$port"
    </LocationMatch>
    <FilesMatch "\\.php\$">
        SetHandler "proxy:$protocol://127.0.0.1:$port"
    </FilesMatch>
    <Location "/deny/">
        Require all denied
        ErrorDocument 403 /app.php
    </Location>
    <Location "/err/">
        FallbackResource disabled
        ErrorDocument 404 /app.php
    </Location>
</VirtualHost>
END
    }
    my $server = httpd(root => $root, conf => $conf, modules =>
        [qw(rewrite proxy), map { "proxy_$_" } sort keys %gateway]);
    for my $protocol (sort keys %gateway) {
        subtest $protocol => sub {
            my $log = "$server->{tmp}/target.log";
            spew($log, '');
            test_rows(sub {
                return $server->get($_[0], port => $server->port($protocol))
                    ->body;
            });
            $server->settled_log;
            test_log($log) if $protocol eq 'fcgi';
        };
    }
    test_rule(sub {
        return $server->get($_[0], port => $server->port('fcgi'))->status;
    });
};
done_testing;
