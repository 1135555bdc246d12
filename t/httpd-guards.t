# httpd: rules that depend on the origin of a request: a request that restarts
# with the found name counts as the client's own, not as a redirect, and
# discloses nothing of the file system or of a rewritten query.
use IRI::Test 'httpd';

my ($root) = make_tree([qw(表/s.txt 開/表.txt 環/表.txt 式/表.txt 〜.txt app.txt
    café.txt)]);
my ($api) = make_tree(escaped('〜x.txt') . "\tfile\n");
spew("$root/開/.htaccess", <<'END');
RewriteEngine On
RewriteCond %{ENV:REDIRECT_STATUS} ^$
RewriteRule ^表\.txt$ - [F]
END

my $server = httpd(
    root => $root, log_level => 'info', modules => [qw(rewrite setenvif env)],
    conf => <<"END");
IRIEngine On
IRICharset EUC-JP Shift_JIS windows-1252
<Directory "%%ROOT%%">
    AllowOverride All
</Directory>
<Directory "$api">
    Require all granted
</Directory>
RewriteEngine On
RewriteCond %{ENV:REDIRECT_STATUS} ^\$
RewriteRule ^/表/ - [F]
RewriteRule "^/api/(.*)\$" "$api/\$1"
RewriteRule "^/caf(.*)\$" "/app.txt?token=SECRET&p=1" [PT]
<Location "/環">
    Require env REDIRECT_STATUS
</Location>
<Location "/式">
    <If "-n %{ENV:REDIRECT_STATUS}">
        Require all granted
    </If>
    <Else>
        Require all denied
    </Else>
</Location>
SetEnvIf Request_URI "^/%C9%BD" REDIRECT_STATUS=200 seen
<Location "/app.txt">
    IRIRedirect 301
</Location>
<Location "/api">
    IRIRedirect 301
</Location>
END

# ---- REDIRECT_STATUS is not set without a redirect --------------------------
for ([rule => '/%E8%A1%A8/s.txt', '/%C9%BD/s.txt', '/%95%5C/s.txt'],
    ['.htaccess' => '/%E9%96%8B/%E8%A1%A8.txt', '/%E9%96%8B/%C9%BD.txt'],
    ['Require env' => '/%E7%92%B0/%E8%A1%A8.txt', '/%E7%92%B0/%C9%BD.txt'],
    [If => '/%E5%BC%8F/%E8%A1%A8.txt', '/%E5%BC%8F/%C9%BD.txt'])
{
    my ($test_name, @targets) = @$_;
    is $server->get($_)->status, 403, "$test_name judges $_" for @targets;
}

# ---- a file system path is no URL -------------------------------------------
is $server->get('/api/%E3%80%9Cx.txt')->status, 200,
    'a file that a rule leads to';
my $variant = $server->get('/api/%EF%BD%9Ex.txt');
is $variant->status, 301, 'a variant of it restarts with its own URL';
like $variant->header('Location'), qr{/api/%E3%80%9Cx\.txt\z},
    'no directory is disclosed';
is $server->get('/%EF%BD%9E.txt')->status, 200, 'a variant in a URI restarts';

# ---- a redirect has the query of the request --------------------------------
for (['?mine=1', '?mine=1'], ['', ''], ['?', '?']) {
    my $answer = $server->get("/cafe%CC%81.txt$_->[0]");
    is $answer->status, 301, "redirected with \"$_->[0]\"";
    like $answer->header('Location'), qr{/caf%C3%A9\.txt\Q$_->[1]\E\z},
        'with the query unchanged';
}

# ---- a redirect discloses a name only after all rules have granted access ---
# For both orders of loading our module and mod_rewrite.
for my $dir (['F', '密', "RewriteRule . - [F]"],
    ['to', '移', "RewriteRule . /denied.txt"])
{
    my ($test_name, $name, $rule) = @$dir;
    mkdir "$root/$name";
    spew("$root/$name/$_", 'x') for '表.txt', 'café.txt';
    spew("$root/$name/.htaccess", "RewriteEngine On\n$rule\n");
}
for my $first (0, 1) {
    my $redirect = IRI::Httpd->new(root => $root, modules => ['rewrite'],
        conf => <<'END');
IRIEngine On
IRICharset EUC-JP Shift_JIS
IRIRedirect 301
<Directory "%%ROOT%%">
    AllowOverride FileInfo
</Directory>
<Location "/denied.txt">
    Require all denied
</Location>
END
    my $file = "$redirect->{tmp}/httpd.conf";
    my $conf = slurp($file);
    my ($load) = $conf =~ /^(LoadModule iri_module .*\n)/m;
    $conf =~ s/^(LoadModule rewrite_module)/$load$1/m if $first;
    $conf =~ s/^(.*)^\Q$load\E/$1/ms if $first;
    spew($file, $conf);
    $redirect->start;
    for my $dir ('%E5%AF%86', '%E7%A7%BB') {
        is $redirect->get("/$dir/$_.txt")->status, 403,
            "no name is told: $dir/$_, order $first"
            for '%E8%A1%A8', '%C9%BD', '%CC%B5';
    }
    is $redirect->get('/%E5%BC%8F/%C9%BD.txt')->status, 301,
        "redirect if access is granted, order $first";
    is $redirect->get('/%e7%a7%bb/%e6%9c%88.txt')->status, 403,
        "no redirect of a rewritten name, order $first";
    is $redirect->get('/%B0%DC/%B7%EE.txt')->status, 403,
        "no redirect of an unconfirmed reading, order $first";
}

# ---- the absolute form is matched like the origin form ----------------------
for my $modules ([], ['proxy', 'proxy_http']) {
    my $absolute = httpd(root => $root, modules => ['setenvif', @$modules],
        conf => <<'END');
IRIEngine On
IRICharset EUC-JP
SetEnvIf Request_URI "^/(?:%E7%92%B0|%E8%A1%A8)/" DENY
<Directory "%%ROOT%%">
    <RequireAll>
        Require all granted
        Require not env DENY
    </RequireAll>
</Directory>
END
    my $port = $absolute->port;
    for my $host ('', 'http://localhost', "http://localhost:$port",
        'http://elsewhere.example', 'http://127.0.0.1:1')
    {
        is $absolute->get("$host/$_.txt")->status, 403,
            "denied: $host/$_, @$modules"
            for '%E7%92%B0/%E8%A1%A8', '%B4%C4/%C9%BD', "\xB4\xC4/\xC9\xBD",
            '%C9%BD/s';
        is $absolute->get("$host/%E9%96%8B/%C9%BD.txt")->status, 200,
            "served: $host, @$modules";
    }
}

# ---- paths that a rule makes from the request -------------------------------
for my $charset ('UTF-8', 'EUC-JP') {
    my $manifest = "\@charset $charset\n" . join '',
        map { escaped($_) . "\tfile\n" } qw(秘/s.txt 開/s.txt);
    my ($tree)  = make_tree($manifest);
    my ($other) = make_tree($manifest);
    my $built =
        httpd(root => $tree, modules => [qw(rewrite setenvif env headers)],
        log_level => 'info', conf => <<"END");
IRIEngine On
IRICharset EUC-JP
IRIFilenameCharset $charset
IRIRedirect 301
RewriteEngine On
RewriteRule ^/pt\$ /%{QUERY_STRING} [PT,E=BUILT:1]
RewriteRule ^/url\$ /%{QUERY_STRING} [E=BUILT:1]
RewriteRule ^/file\$ $other/%{QUERY_STRING}
RewriteRule ^/blocked\$ /%{QUERY_STRING}
RewriteRule ^/秘/ - [F]
RewriteRule ^$other/秘/ - [F]
SetEnvIf Request_URI ^/blocked BLOCKED
<Directory "$tree">
    <RequireAll>
        Require all granted
        Require not env BLOCKED
    </RequireAll>
</Directory>
<Location "/開">
    Header set X-Built "%{BUILT}e"
</Location>
END
    for my $how (qw(/pt /url /file)) {
        my $name = "$how, $charset";
        isnt $built->get("$how?\xC8\xEB/s.txt")->status, 200,
            "denied in EUC-JP: $name";
        is $built->get("$how?" . '開/s.txt')->status, 200,
            "exact: $name";
        next if $how eq '/file';
        my $answer = $built->get("$how?\xB3\xAB/s.txt");
        is $answer->status, 404, "in EUC-JP: $name";
        is $answer->header('Location'), undef, "discloses nothing: $name";
    }
    is $built->get('/blocked?' . $_ . '/s.txt')->status, 403,
        "what was set for the first path stays, $charset"
        for '開', "\xB3\xAB";
}

# A rule may name a file by its octets on disk, as without the module.
my $nfd = "e\xCC\x81";
my ($plain) = make_tree(escaped("d$nfd/s.txt") . "\tfile\n");
my $literal = httpd(root => $root, modules => ['rewrite'], conf => <<"END");
IRIEngine On
AcceptPathInfo On
AliasMatch "^/alias/(.*)" "$plain/d$nfd/\$1"
RewriteEngine On
RewriteRule "^/rule/(.*)" "$plain/d$nfd/\$1"
RewriteRule "^/ask" "$plain/%{QUERY_STRING}"
END
is $literal->get("/$_/s.txt")->status, 200, "NFD on disk: $_"
    for qw(alias rule);
is $literal->get("/$_/s.txt/info")->status, 200, "with PATH_INFO: $_"
    for qw(alias rule);
is $literal->get("/ask?d\xC3\xA9/s.txt")->status, 200, 'NFC: found';
is $literal->get("/ask?d$nfd/no$nfd.txt")->status, 404, 'NFD: absent';

done_testing;
