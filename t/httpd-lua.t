# Other modules around ours, written in Lua: one puts a path that is not
# canonical into the request, one logs the target that it finds there.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my $missing = missing('httpd');
plan skip_all => $missing if $missing;
my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
plan skip_all => 'no mod_lua' if !-e "$folder/mod_lua.so";

my ($root) = make_tree("\\xC3\\xA9.html\tfile\nplain.html\tfile\n");
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
function log(r)
    local file = io.open("$tmp/targets", "a")
    file:write(r.unparsed_uri, "\\n")
    file:close()
    return apache2.OK
end
END

my $server = httpd(root => $root, tmp => $tmp, modules => ['lua'],
    conf => <<'END');
IRIEngine On
IRICharset windows-1252
LuaHookPreTranslateName %%TMP%%/hooks.lua change
LuaHookLog %%TMP%%/hooks.lua log
END

is $server->get('/nfc')->status, 200, 'a canonical path by another module';
is $server->get('/nfd')->status, 404, 'a path that is not canonical';
is $server->get('/%E9.html')->status, 200, 'legacy';
ok $server->wait_for(sub { slurp("$tmp/targets") =~ m{^/%}m }), 'logged';
like slurp("$tmp/targets"), qr{^/%E9\.html$}m, 'the target as it was sent';
is_deeply [$server->errors], [], 'log';
done_testing;
