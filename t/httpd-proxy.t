# httpd: forwarded and cached requests: mod_proxy with and without nocanon
# sends the canonical path, mod_cache has one entry for all forms, and Digest
# authentication sees the target as the client signed it.
use IRI::Test 'httpd';
use Digest::MD5 'md5_hex';
use IRI::Octets qw(in_charset percent);

sub forms {
    my ($path) = @_;
    return (
        escaped => percent($path),
        native  => $path,
        lower   => lc percent($path),
        euc     => percent(in_charset($path, 'euc-jp')),
        sjis    => percent(in_charset($path, 'cp932')),
    );
}

my ($root) = make_tree("\@charset EUC-JP\n" . join '',
    map { escaped($_) . "\tfile\n" } '蔵/有.txt', '鍵/有.txt');
mkdir "$root/in";
spew("$root/in/echo.cgi", <<'END');
#!/bin/sh
printf 'Content-Type: text/plain\nCache-Control: max-age=600\n\n%s\n' \
    "$REQUEST_URI"
END
chmod 0755, "$root/in/echo.cgi";

my $user = md5_hex('u:here:p');
my $tmp  = temp_dir();
spew("$tmp/users", "u:here:$user\n");
for my $folder ("$tmp/cache", "$tmp/cache2") {
    mkdir $folder;
    chmod 0777, $folder;
}

my $server = httpd(
    root => $root, tmp => $tmp,
    modules => [qw(proxy proxy_http rewrite cgid cache cache_disk setenvif
        headers auth_digest authn_file authz_user)],
    conf => <<'END');
<VirtualHost 127.0.0.1:%%PORT%%>
    IRIEngine On
    IRICharset EUC-JP Shift_JIS
    IRIFilenameCharset EUC-JP
    LogFormat "%r|%{unsafe}e" target
    CustomLog "%%TMP%%/target.log" target
    ProxyPass "/代" "http://127.0.0.1:%%PORTback%%/代"
    ProxyPass "/raw" "http://127.0.0.1:%%PORTback%%/raw" nocanon
    ProxyPass "/%E8%A8%98" "http://127.0.0.1:%%PORTback%%/%E8%A8%98" mapping=encoded
    <Directory "%%ROOT%%/in">
        IRIRepair %u
    </Directory>
    <Location "/拒">
        Require all denied
    </Location>
    ProxyPass "/拒" "http://127.0.0.1:%%PORTback%%/"
    RewriteEngine On
    RewriteRule "^/書/(.*)$" "http://127.0.0.1:%%PORTback%%/書/$1" [P]
    CacheRoot "%%TMP%%/cache"
    CacheEnable disk "/蔵"
    CacheEnable disk "/%E8%94%B5"
    CacheDefaultExpire 600
    CacheIgnoreNoLastMod On
    CacheHeader On
    <Location "/鍵">
        AuthType Digest
        AuthName here
        AuthDigestProvider file
        AuthUserFile "%%TMP%%/users"
        Require valid-user
    </Location>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTforward%%>
    IRIEngine On
    IRICharset EUC-JP
    ProxyRequests On
    CacheRoot "%%TMP%%/cache2"
    CacheEnable disk "http://127.0.0.1:%%PORTback%%/"
    CacheIgnoreNoLastMod On
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTback%%>
    ScriptAlias "/" "%%ROOT%%/in/echo.cgi/"
</VirtualHost>
END

for my $prefix ('/代/', '/raw/', '/書/', '/記/') {
    my %form = forms($prefix . '代/有.txt');
    for my $form (sort keys %form) {
        my $answer = $server->get("$form{$form}?q=%C9%BD");
        is uc $answer->body,
            uc percent($prefix . '代/有.txt') . "?q=%C9%BD\n",
            "proxy $prefix, $form: canonical, the query as it came";
    }
}
for my $prefix ('/raw', '/代') {
    is uc $server->get("$prefix/$_")->body,
        uc(percent("$prefix/") . s{^[^?]*}{$& =~ s/%(?=u)/%25/gr}er) . "\n",
        "proxy $prefix: what is no escape is not sent as one: $_"
        for '%u65E5', 'x%u0073', '%u65E5?a=%u65E5';
}
my %denied = forms('/拒/x');
is $server->get($denied{$_})->status, 403, "proxy, denied, $_"
    for sort keys %denied;
is $server->get('/raw/%FF')->status, 404,
    'nocanon: a path without a reading is not forwarded';
is $server->get('/raw/a%2Fb%E8%A1%A8')->status, 404,
    'nocanon: %2F is refused';

# mod_cache derives the freshness of a file from its age.
utime time - 864000, time - 864000,
    "$root/" . in_charset('蔵/有.txt', 'euc-jp');

# mod_cache: a page stored for one form is a hit for all others.
my %form = forms('/蔵/有.txt');
my $first = 1;
for my $form (qw(sjis escaped native lower euc sjis)) {
    my $answer = $server->get($form{$form});
    is $answer->status, 200, "cache, $form: status";
    like $answer->header('X-Cache') // '', $first ? qr/^MISS/ : qr/^HIT/,
        "cache, $form: " . ($first ? 'stored' : 'one entry');
    $server->wait_for(sub { `find $tmp/cache -name '*.header'` }) if $first;
    $first = 0;
}
my @entries = split ' ', `find $tmp/cache -name '*.header'`;
is scalar @entries, 1, 'cache: one entry on disk';

# A forward proxy sends requests to other hosts, for which each form is a
# different name.
for my $round (1, 2) {
    my $there = 'http://127.0.0.1:' . $server->port('back');
    for my $target (percent('/代/x'), percent(in_charset('/代/x', 'euc-jp')))
    {
        my $answer = $server->get("$there$target",
            port => $server->port('forward'),
            host => '127.0.0.1:' . $server->port('back'));
        is $answer->body, "$target\n", "forward proxy, $target, $round";
    }
    $server->wait_for(sub { `find $tmp/cache2 -name '*.header'` });
}

# Digest: the signed uri is compared with the target as received.
sub digest {
    my ($uri, $challenge) = @_;
    my ($nonce) = $challenge =~ /nonce="([^"]+)"/;
    my $ha2 = md5_hex("GET:$uri");
    my $response = md5_hex("$user:$nonce:00000001:abc:auth:$ha2");
    return qq{Digest username="u", realm="here", nonce="$nonce", }
        . qq{uri="$uri", qop=auth, nc=00000001, cnonce="abc", }
        . qq{algorithm=MD5, response="$response"};
}
%form = forms('/鍵/有.txt');
for my $form (sort keys %form) {
    my $challenge = $server->get($form{$form});
    is $challenge->status, 401, "Digest, $form: 401";
    my $answer = $server->get($form{$form}, headers => [Authorization =>
            digest($form{$form}, $challenge->header('WWW-Authenticate'))]);
    is $answer->status, 200, "Digest, $form: 200";
}

# mod_cache looks a URL up before httpd normalizes its path.
make_tree("quick/\\xC3\\xA9a.html\tfile\n", $root);
my $quick_tmp = temp_dir();
mkdir "$quick_tmp/cache";
chmod 0777, "$quick_tmp/cache";
my $quick = httpd(root => "$root/quick", tmp => $quick_tmp,
    modules => [qw(cache cache_disk)], conf => <<'END');
IRIEngine On
CacheRoot "%%TMP%%/cache"
CacheEnable disk "/"
CacheHeader on
CacheMinExpire 600
END
is $quick->get('/%C3%A9a.html')->status, 200, 'cache: stored';
$quick->wait_for(sub { `find $quick_tmp/cache -name '*.header'` });
like $quick->get("/$_")->header('X-Cache') // '', qr/^HIT/, "cache: $_"
    for qw(%C3%A9%61.html %2E/%C3%A9a.html);

done_testing;
