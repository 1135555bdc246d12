# Modules of others that Debian has, in a server with ours: a page is found in
# each form, a rule of the module denies a name in each form, and the module
# does its work. A module that is not installed is skipped; `make third-party`
# installs all of them, and sets IRI_THIRD_PARTY=all, so that none is skipped.
#
#    prove -It/lib t/third-party.t :: lua perl
use IRI::Test;
use Encode 'encode';
use Unicode::Normalize 'NFD';
use utf8;

binmode Test::More->builder->$_, ':utf8'
    for qw(output failure_output);
my %wanted = map { $_ => 1 } @ARGV;
my $tmp    = temp_dir();

# The page, a script of that name, and a name that a rule denies.
my $PAGE   = '日本語/表示が';
my $DENIED = '/秘密/鍵が.html';
my %FORM   = (
    NFC         => sub { return encode('UTF-8', $_[0]) },
    NFD         => sub { return encode('UTF-8', NFD($_[0])) },
    'Shift_JIS' => sub { return encode('cp932', $_[0]) },
    'EUC-JP'    => sub { return encode('euc-jp', $_[0]) },
);

my %file = (
    "$PAGE.html"    => 'a page',
    "$PAGE.html.br" => 'compressed',
    "$PAGE.php"     => '<?php echo $_SERVER["SCRIPT_FILENAME"], " ",'
        . ' $_SERVER["PATH_INFO"] ?? ""; ?>',
    "$PAGE.fcgi" => <<'END',
#!/usr/bin/perl
use FCGI;
my $request = FCGI::Request();
while ($request->Accept >= 0) {
    print "Content-Type: text/plain\r\n\r\n$ENV{SCRIPT_FILENAME}";
}
END
    "$PAGE.wsgi" => <<'END',
def application(env, start):
    start('200 OK', [('Content-Type', 'text/plain')])
    return [env['SCRIPT_FILENAME'].encode('latin-1'),
            env['PATH_INFO'].encode('latin-1')]
END
    '日本語/が.txt' => 'text',
    '秘密/鍵が.html'  => 'secret',
);
my ($root) = make_tree(join '',
    map { escaped(encode('UTF-8', $_)) . "\tfile\n" } keys %file);
for my $name (keys %file) {
    my $path = "$root/" . encode('UTF-8', $name);
    spew($path, $file{$name});
    chmod 0755, $path;
}
spew("$tmp/names.js", encode('UTF-8', <<'END'));
function denied(r) { return r.uri.indexOf('秘密') >= 0 ? '1' : ''; }
export default { denied };
END
mkdir "$tmp/sockets";
chmod 0777, "$tmp/sockets";
if (!system 'command -v svnmucc >/dev/null') {
    my $name = encode('UTF-8', '日本.txt') =~ s/([^!-~])/sprintf '%%%02X', ord $1/ger;
    system "svnadmin create $tmp/svn && chmod -R a+rwX $tmp/svn"
        . " && svnmucc -m x -U file://$tmp/svn put $tmp/names.js $name"
        . ' >/dev/null';
}

# Rows: the module; its files, in Debian; the configuration, in nginx the one of
# the server; requests, each a path, the pattern of its response (status, header
# fields and body, in UTF-8) or a function that returns it for a form, and
# header fields. Each path is requested in each form.
my $page   = ["/$PAGE.html", qr/^200 .*a page$/s];
my $denied = [$DENIED, qr/^403 /];
# ModSecurity in nginx judges the URL as sent (doc/nginx.md): what it does not
# deny is redirected to the canonical form. Its rule matches the denied directory
# in NFD, too, which is that in NFC.
sub redirected {
    my ($row, @unchanged) = @_;
    my ($path, $pattern) = @$row;
    my $uri = uri_of(encode('UTF-8', $path));
    return [$path, sub {
        my ($form) = @_;
        return $pattern if grep { $_ eq $form } @unchanged;
        return qr{^301 .*^location: http://[^/\n]+\Q$uri\E$}smi;
    }];
}
my @NGINX  = (
    ['brotli', ['brotli_filter', 'brotli_static'],
        'brotli on; brotli_min_length 1; brotli_static on;',
        ["/$PAGE.html", qr/^200 .*content-encoding: br.*compressed$/si,
            'Accept-Encoding', 'br'],
        ['/日本語/が.txt', qr/^200 .*\n\ntext$/s, 'Accept-Encoding', 'br']],
    ['lua', ['lua'], <<'END', $page, $denied],
access_by_lua_block {
    if ngx.var.uri:find("秘密", 1, true) then ngx.exit(403) end
}
header_filter_by_lua_block { ngx.header["X-Uri"] = ngx.var.uri }
END
    ['js', ['js'], 'if ($denied) { return 403; }', $page, $denied],
    ['headers-more', ['headers_more_filter'],
        'more_set_headers "X-Uri: $uri";',
        ["/$PAGE.html", qr{^200 .*X-Uri: /$PAGE\.html\n.*a page$}s]],
    ['dav-ext', ['dav_ext'], <<'END',
dav_methods PUT DELETE MKCOL COPY MOVE;
dav_ext_methods PROPFIND OPTIONS;
location /秘密/ { deny all; }
END
        $page, $denied],
    ['fancyindex', ['fancyindex'],
        "fancyindex on; location /秘密/ { deny all; }",
        ['/日本語/', qr/^200 .*表示が\.html/s], $denied, ['/秘密/', qr/^403 /]],
    ['subs-filter', ['subs_filter'],
        'subs_filter_types text/plain; subs_filter "a page" "one page";',
        ["/$PAGE.html", qr/^200 .*one page$/s]],
    ['modsecurity', ['modsecurity'], <<'END', redirected($page, 'NFC'),
iri_redirect 301;
modsecurity on;
modsecurity_rules '
    SecRuleEngine On
    SecRule REQUEST_FILENAME "@contains 秘密" "id:1,phase:1,deny,status:403"
';
END
        redirected($denied, 'NFC', 'NFD')],
);
my $script = qr{^200 .*\Q$root\E/$PAGE}s;
my @HTTPD  = (
    ['security2', ['unique_id', 'security2'], <<'END', $page, $denied],
SecRuleEngine On
SecRule REQUEST_FILENAME "@contains 秘密" "id:1,phase:2,deny,status:403"
END
    ['rules of security2', ['unique_id', 'security2'], <<'END', $page],
SecDataDir %%TMP%%
SecRuleEngine On
Include /etc/modsecurity/crs/crs-setup.conf
Include /usr/share/modsecurity-crs/rules/*.conf
END
    ['php', ['mime', 'php'], "AddHandler application/x-httpd-php .php\n"
            . "<Location /秘密>\nRequire all denied\n</Location>",
        ["/$PAGE.php/が", qr{^200 .*\Q$root\E/$PAGE\.php /が$}s], $denied],
    ['wsgi', ['wsgi'], <<"END",
WSGIScriptAlias /app %%ROOT%%/$PAGE.wsgi
<Location /app/秘密>
    Require all denied
</Location>
END
        ['/app/日本', qr{^200 .*$PAGE\.wsgi/日本$}s], ['/app/秘密', qr/^403 /],
        $page],
    ['perl', ['perl'], <<'END', $page, $denied],
PerlAccessHandler "sub { $_[0]->uri =~ /\xE7\xA7\x98\xE5\xAF\x86/ ? 403 : 0 }"
<Perl>
    use Apache2::RequestRec ();
</Perl>
END
    ['fcgid', ['fcgid'], "FcgidIPCDir $tmp/sockets\n"
            . "FcgidProcessTableFile $tmp/sockets/table\n"
            . "AddHandler fcgid-script .fcgi\n<Directory \"%%ROOT%%\">\n"
            . "Options +ExecCGI\n</Directory>",
        ["/$PAGE.fcgi", $script]],
    ['dav_svn', ['dav', 'dav_svn'], <<'END',
<Location /svn>
    DAV svn
    SVNPath %%REPOSITORY%%
</Location>
END
        ['/svn/日本.txt', qr/^200 .*function/s], $page],
    ['auth_openidc', ['authz_user', 'auth_openidc'], <<'END',
OIDCProviderIssuer https://login.example
OIDCProviderAuthorizationEndpoint https://login.example/authorize
OIDCProviderTokenEndpoint https://login.example/token
OIDCProviderJwksUri https://login.example/keys
OIDCClientID client
OIDCClientSecret secret
OIDCRedirectURI /redirect
OIDCCryptoPassphrase passphrase
<Location /秘密>
    AuthType openid-connect
    Require valid-user
</Location>
END
        [$DENIED, qr{^302 .*location: https://login\.example/authorize}si,
            'Accept', 'text/html'],
        $page],
);

sub uri_of {
    my ($octets) = @_;
    return $octets =~ s/([^!-~]|[%\\])/sprintf '%%%02X', ord $1/ger;
}

sub check {
    my ($server, @requests) = @_;
    for my $request (@requests) {
        my ($path, $pattern, @headers) = @$request;
        for my $form (sort keys %FORM) {
            my $answer = $server->get(uri_of($FORM{$form}->($path)),
                headers => [@headers]);
            my $text = join "\n", $answer->status . ' ',
                (map { "$_->[0]: $_->[1]" } @{ $answer->{headers} }), '',
                $answer->body;
            like Encode::decode('UTF-8', $text),
                ref $pattern eq 'CODE' ? $pattern->($form) : $pattern,
                "$path, $form";
        }
    }
    return;
}

sub run {
    my ($kind, $row, $files, $start) = @_;
    my ($name, undef, undef, @requests) = @$row;
    return if %wanted && !$wanted{$name};
    subtest "$kind, $name" => sub {
        my $lack = missing($kind);
        ($lack) = map { "no $_" } grep { !-e } @$files if !$lack;
        plan skip_all => $lack
            if $lack && ($ENV{IRI_THIRD_PARTY} // '') ne 'all';
        return fail($lack) if $lack;
        my $server = $start->();
        check($server, @requests);
        is_deeply [$server->errors], [], 'error log';
        $server->stop;
    };
    return;
}

for my $row (@NGINX) {
    my @files = map { IRI::Nginx->module_dir . "/ngx_http_${_}_module.so" }
        @{ $row->[1] };
    unshift @files, IRI::Nginx->module_dir . '/ndk_http_module.so'
        if $row->[0] eq 'lua';
    run('nginx', $row, \@files, sub {
        my $http = $row->[0] eq 'js'
            ? "js_path $tmp; js_import names.js; js_set \$denied names.denied;"
            : '';
        return nginx(root => $root, modules => \@files,
            conf => encode('UTF-8', <<"END"));
types { text/html html; text/plain txt; }
iri on;
iri_charset Shift_JIS EUC-JP;
$http
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
$row->[2]
}
END
    });
}
for my $row (@HTTPD) {
    my @names = @{ $row->[1] };
    my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
    my ($php) = glob "$folder/libphp*.so";
    # without php's opcache, which a sanitizer does not let it load
    local $ENV{PHP_INI_SCAN_DIR} = '' if $ENV{IRI_ASAN};
    my @files = map { $_ eq 'php' ? $php // "$folder/libphp.so"
        : "$folder/mod_$_.so" } @names;
    run('httpd', $row, \@files, sub {
        my $conf = $row->[2] =~ s/%%REPOSITORY%%/$tmp\/svn/r;
        $conf = "LoadModule php_module $php\n$conf" if $row->[0] eq 'php';
        return httpd(root => $root, mpm => 'prefork',
            modules => [grep { $_ ne 'php' } @names],
            conf => encode('UTF-8', "IRIEngine On\n"
                . "IRICharset Shift_JIS EUC-JP\n$conf\n"));
    });
}

done_testing;
