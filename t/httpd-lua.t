# httpd: other modules beside ours, written in Lua: one sets a path that is not
# canonical, one checks the path before it is decoded, one derives the client
# from the spelling of the path, one logs target and user.
use IRI::Test 'httpd';

my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
plan skip_all => 'no mod_lua' if !-e "$folder/mod_lua.so";

my ($root) = make_tree("\\xC3\\xA9.html\tfile\nplain.html\tfile\n"
    . "\\xE8\\xA1\\xA8.html\tfile\n\\xE8\\xAA\\x9E.html\tfile\n");
my $tmp = temp_dir();
chmod 0777, $tmp;
spew("$tmp/hooks.lua", <<"END");
function change(r)
    if r.uri == "/nfd" then
        r.uri = "/e\\204\\129.html"
    elseif r.uri == "/nfc" then
        r.uri = "/\\195\\169.html"
    end
    return apache2.DECLINED
end
function deny(r)
    if r.uri == "/%E8%AA%9E.html" then
        return 403
    end
    return apache2.DECLINED
end
function user(r)
    if r.uri == "/\\201\\189.html" then
        r.user = "somebody"
    end
    return apache2.DECLINED
end
function log(r)
    local file = io.open("$tmp/users", "a")
    file:write(tostring(r.user), "\\n")
    file:close()
    file = io.open("$tmp/targets", "a")
    file:write(r.unparsed_uri, "\\n")
    file:close()
    return apache2.OK
end
END

my $server = httpd(root => $root, tmp => $tmp, modules => ['lua'],
    conf => <<'END');
IRIEngine On
IRICharset windows-1252 EUC-JP
LuaHookPreTranslateName %%TMP%%/hooks.lua change
LuaHookPreTranslateName %%TMP%%/hooks.lua deny
LuaHookTranslateName %%TMP%%/hooks.lua user
LuaHookLog %%TMP%%/hooks.lua log
END

is $server->get('/nfc')->status, 200, 'a canonical path by another module';
is $server->get('/nfd')->status, 404, 'a path that is not canonical';
is $server->get('/%E9.html')->status, 200, 'legacy';
ok $server->wait_for(sub { slurp("$tmp/targets") =~ m{^/%}m }), 'logged';
like slurp("$tmp/targets"), qr{^/%E9\.html$}m, 'the target as it was sent';
is $server->get('/%C9%BD.html')->status, 200, 'found under another name';
ok $server->wait_for(sub { slurp("$tmp/targets") =~ m{^/%C9}m }), 'logged';
unlike slurp("$tmp/users"), qr/somebody/,
    'authorization by the other name does not count';
is $server->get($_)->status, 403, "judged before it is decoded: $_"
    for '/%E8%AA%9E.html', '/%e8%aa%9e.html', '/%B8%EC.html';
done_testing;
