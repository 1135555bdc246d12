# httpd: a restarted request is an initial request: modules that judge only
# initial requests judge it, access is checked, and it is logged once, with its
# own status.
use IRI::Test 'httpd';
use Digest::MD5 'md5_hex';

my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
plan skip_all => 'no mod_lua' if !-e "$folder/mod_lua.so";

# EUC-JP C9BD is a kanji, and in UTF-8 U+027D. In Shift_JIS 955C is it.
my @spelled = ('/%E8%A1%A8', '/%C9%BD', '/%95%5C');
my ($root) = make_tree([qw(表/first.txt 表/open.txt 表/ip.txt 表/key.txt 表/uniq.txt
    表.txt)]);
spew("$root/表/run.cgi", <<'END');
#!/bin/sh
printf 'Content-Type: text/plain\n\n'
env | grep -E '^(REDIRECT_|REQUEST_URI|SCRIPT_NAME)' | sort
cat
END
chmod 0755, "$root/表/run.cgi";
my $tmp = temp_dir();
chmod 0777, $tmp;
spew("$tmp/digest", 'u:here:' . md5_hex('u:here:p') . "\n");
spew("$tmp/hooks.lua", <<'END');
function first(r)
    if r.is_initial_req and r.uri:match("first") then
        return 403
    end
    return apache2.DECLINED
end
function deny(r)
    if r.uri:match("^/\232\161\168%.txt") then
        return 403
    end
    return apache2.DECLINED
end
END

my $server = httpd(
    root => $root, tmp => $tmp, h2 => 1, log_level => 'info',
    modules => [qw(lua cgid remoteip auth_digest authn_file
        authz_user)],
    conf => <<'END');
IRIEngine On
IRICharset EUC-JP Shift_JIS
LuaHookFixups %%TMP%%/hooks.lua first
AddHandler cgi-script .cgi
<Directory "%%ROOT%%">
    Options +ExecCGI
</Directory>
RemoteIPHeader X-Forwarded-For
RemoteIPInternalProxy 127.0.0.1
<Location "/表/ip.txt">
    Require ip 192.0.2.1
</Location>
<Location "/表/key.txt">
    AuthType Digest
    AuthName here
    AuthDigestProvider file
    AuthUserFile "%%TMP%%/digest"
    Require valid-user
</Location>
CustomLog "%%TMP%%/lines" "%U %s %>s %{Referer}i"
END

for my $proto ('http/1.1', 'h2') {
    my @how = $proto eq 'h2' ? (proto => 'h2') : ();
    for my $dir (@spelled) {
        my $name = "$dir, $proto";
        is $server->get("$dir/first.txt", @how)->status, 403,
            "first requests are judged: $name";
        is $server->get("$dir/open.txt", @how)->body, escaped('表/open.txt'),
            "served: $name";
        is $server->get("$dir/open.txt", @how,
            headers => [Range => 'bytes=0-2'])->body, '\\xE', "part: $name";
        is $server->request('HEAD', "$dir/open.txt", @how)->status, 200,
            "HEAD: $name";
        is $server->request('POST', "$dir/run.cgi?x=1", body => 'whole', @how)
            ->body, "REQUEST_URI=$dir/run.cgi?x=1\n"
            . "SCRIPT_NAME=/表/run.cgi\nwhole", "environment: $name";
        my %ip = ('10.0.0.1, 192.0.2.1' => 200, '192.0.2.1, 10.0.0.1' => 403);
        for (sort keys %ip) {
            is $server->get("$dir/ip.txt", @how,
                headers => ['X-Forwarded-For' => $_])->status, $ip{$_},
                "mod_remoteip: $_: $name";
        }
    }
}

for my $dir (@spelled) {
    my $uri   = "$dir/key.txt";
    my $challenge = $server->get($uri);
    is $challenge->status, 401, "Digest asks: $dir";
    my ($nonce) = $challenge->header('WWW-Authenticate') =~ /nonce="([^"]+)"/;
    my $proof = join ':', md5_hex('u:here:p'), $nonce, '00000001', 'c', 'auth',
        md5_hex("GET:$uri");
    is $server->get($uri, headers => [Authorization => qq{Digest username="u"}
            . qq{, realm="here", nonce="$nonce", uri="$uri", nc=00000001, }
            . 'cnonce="c", qop=auth, response="' . md5_hex($proof) . '"'])
        ->status, 200, "Digest lets in: $dir";
}

# ---- the log ----------------------------------------------------------------
$server->get("$_/first.txt", headers => [Referer => "log$_"]) for @spelled;
$server->settle;
for my $dir (@spelled) {
    is_deeply [grep { /log\Q$dir\E$/ } split /\n/, slurp("$tmp/lines")],
        ["/\\xe8\\xa1\\xa8/first.txt 403 403 log$dir"], "one line: $dir";
}

# ---- no section at all ------------------------------------------------------
# Then the settings are the same before and after a restart, which httpd takes
# to mean that access was checked.
my $bare = IRI::Httpd->new(root => $root, modules => ['lua'],
    conf => <<"END");
IRIEngine On
IRICharset EUC-JP Shift_JIS
LuaHookAccessChecker $tmp/hooks.lua deny early
END
my $conf = slurp("$bare->{tmp}/httpd.conf");
$conf =~ s{<Directory "/">.*?</Directory>\n}{}s or die 'no section';
spew("$bare->{tmp}/httpd.conf", $conf);
$bare->start;
is $bare->get("$_.txt")->status, 403, "access is checked: $_" for @spelled;

is_deeply [$_->errors], [], 'error log' for $server, $bare;
done_testing;
