# A name that is known to have moved: the request begins with the name that was
# found, once no other module can lead it elsewhere. Asked for again it gets
# the same answer, line and variables as at first, and what changes on disk or
# in .htaccess, or leads elsewhere in another server, counts at once.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;
use Time::HiRes 'sleep';

my $missing = missing('httpd');
plan skip_all => $missing if $missing;

my ($root) = make_tree(<<'END');
docs/	dir
docs/Page.txt	file	page
docs/Shut.txt	file	shut
docs/Told.txt	file	told
docs/Kept.txt	file	kept
docs/Ruled.txt	file	ruled
\xE8\xA1\xA8/	dir
\xE8\xA1\xA8/\xE6\x9C\x88.txt	file	moon
page/	dir
page/x.txt	file	by its name
other/	dir
other/x.txt	file	by an alias
other/PAGE/	dir
other/PAGE/x.txt	file	by its host
x.txt	file	by ServerPath
exact/	dir
exact/Name.txt	file	name
END
chmod 0777, "$root/docs";

# What memory says counts only of directories that have been quiet.
my $QUIET = 2.5;

sub is_always {
    my ($server, $target, $status, $body, $what, %option) = @_;
    for my $time (1 .. 4) {
        my $answer = $server->get($target, %option);
        is $answer->status, $status, "$what, $time";
        is $answer->body, $body, "$what, $time: its body" if defined $body;
    }
    return;
}

my $conf = <<'END';
IRIEngine On
IRICharset Shift_JIS EUC-JP
IRIMatch case
<Directory "%%ROOT%%">
    AllowOverride All
</Directory>
<Location "/docs/Shut.txt">
    Require all denied
</Location>
<Location "/docs/shut.txt">
    Require all granted
</Location>
<Location "/docs/Told.txt">
    IRIRedirect 301
</Location>
<Directory "%%ROOT%%/exact">
    IRIMatch exact
</Directory>
END

# ---- the same answers --------------------------------------------------------

my $server = httpd(root => $root, log_level => 'warn iri:info',
    modules => ['headers'], conf => $conf
        . "Header set Saw \"expr=%{IRI_PATH} %{IRI_MATCH} %{IRI_FORM}\"\n");
sleep $QUIET;
is_always($server, '/docs/page.txt', 200, 'page', 'another case');
is_always($server, '/Docs/PAGE.txt?q=1', 200, 'page', 'a folder, too');
is_always($server, '/%C9%BD/%B7%EE.txt', 200, 'moon', 'another charset');
is_always($server, '/docs/shut.txt', 403, undef, 'rules of the real name');
is_always($server, '/docs/page.html', 404, undef, 'absent');
is_always($server, '/EXACT/name.txt', 404, undef, 'other settings there');
is_always($server, '/EXACT/Name.txt', 200, 'name', 'and by them');
for my $case (['/docs/page.txt', '/docs/Page.txt case ascii'],
    ['/%C9%BD/%B7%EE.txt', "/\xE8\xA1\xA8/\xE6\x9C\x88.txt charset legacy"])
{
    my ($target, $saw) = @$case;
    is $server->get($target)->header('Saw'), $saw, "variables, $_"
        for 1 .. 3;
}
for my $time (1 .. 3) {
    my $answer = $server->get('/docs/told.txt?q=1');
    is $answer->status, 301, "redirected, $time";
    like $answer->header('Location'), qr{/docs/Told\.txt\?q=1\z},
        "to its name, $time";
    is $server->request('HEAD', '/docs/page.txt')->status, 200,
        "HEAD, $time";
}
ok $server->wait_for(sub {
    4 == (() = $server->log_text =~ m{"/Docs/PAGE\.txt" is "/docs/Page\.txt"}g)
}), 'each request has its line';

# ---- what changes counts at once ---------------------------------------------

spew("$root/docs/page.txt", 'new');
is $server->get('/docs/page.txt')->body, 'new', 'the name is there now';
unlink "$root/docs/page.txt";
is $server->get('/docs/page.txt')->body, 'page', 'and is not any more';
sleep $QUIET;
is_always($server, '/docs/page.txt', 200, 'page', 'known again');
rename "$root/docs/Page.txt", "$root/docs/PAGE.txt";
is $server->get('/docs/page.txt')->header('Saw'),
    '/docs/PAGE.txt case ascii', 'it has another name now';
unlink "$root/docs/PAGE.txt";
is $server->get('/docs/page.txt')->status, 404, 'it is gone';
spew("$root/docs/page.html", 'late');
is $server->get('/docs/page.html')->body, 'late', 'what was absent is there';

sleep $QUIET;
is_always($server, '/docs/ruled.txt', 200, 'ruled', 'before there are rules');
spew("$root/docs/.htaccess",
    "<Files \"Ruled.txt\">\nRequire all denied\n</Files>\n");
is_always($server, '/docs/ruled.txt', 403, undef, 'once there are');
spew("$root/docs/.htaccess", "IRIRedirect 302\n");
is_always($server, '/docs/ruled.txt', 302, undef, 'others');
unlink "$root/docs/.htaccess";
is_always($server, '/docs/ruled.txt', 200, 'ruled', 'and none');
is_deeply [$server->errors], [], 'log';

# ---- what leads elsewhere ----------------------------------------------------

# Both servers have one root: what is known of one is of the other.
for (['Alias', [], 'Alias /PAGE "%%ROOT%%/other"'],
    ['AliasMatch', [], 'AliasMatch ^/PAGE/(.*) "%%ROOT%%/other/$1"'],
    ['Alias of a folder', [], 'Alias /PAGE/x.txt "%%ROOT%%/other/x.txt"'],
    ['RewriteRule', ['rewrite'],
        "RewriteEngine On\nRewriteRule ^/PAGE/(.*) /other/\$1"],
    ['ServerPath', [], 'ServerPath /PAGE', 'by ServerPath'],
    ['VirtualDocumentRoot', ['vhost_alias'],
        'VirtualDocumentRoot "%%ROOT%%/other"', 'by its host'],
    )
{
    my ($what, $modules, $line, $body) = @$_;
    my $two = httpd(root => $root, modules => $modules, conf => $conf . <<"END");
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName plain.example
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName other.example
    $line
</VirtualHost>
END
    is_always($two, '/PAGE/x.txt', 200, 'by its name', "$what elsewhere",
        host => 'plain.example');
    is_always($two, '/PAGE/x.txt', 200, $body // 'by an alias', $what,
        host => 'other.example');
    is_deeply [$two->errors], [], "$what: log";
}

# ---- what is told of the client ----------------------------------------------

my $behind = httpd(root => $root, modules => ['headers', 'remoteip'],
    conf => $conf . <<'END');
RemoteIPHeader X-Forwarded-For
RemoteIPTrustedProxy 127.0.0.0/8
Header set By "expr=%{REMOTE_ADDR} by %{note:remoteip-proxy-ip-list}"
END
for my $target ('/docs/Kept.txt', '/docs/kept.txt', '/%C9%BD/%B7%EE.txt') {
    is $behind->get($target,
        headers => ['X-Forwarded-For', '192.0.2.9, 198.51.100.8'])
        ->header('By'), '198.51.100.8 by 127.0.0.1', "$target, proxies, $_"
        for 1 .. 3;
}
is_deeply [$behind->errors], [], 'proxies: log';

# ---- what writes is not led there --------------------------------------------

my $dav = httpd(root => $root, modules => ['dav', 'dav_fs'], conf => $conf
    . "DavLockDB \"%%TMP%%/locks\"\n"
    . "<Directory \"%%ROOT%%/docs\">\nDav On\n</Directory>\n");
chmod 0777, $dav->tmp;
is_always($dav, '/docs/kept.txt', 200, 'kept', 'read by another case');
is $dav->request('DELETE', '/docs/kept.txt')->status, 404, 'not deleted';
ok -e "$root/docs/Kept.txt", 'it is still there';
done_testing;
