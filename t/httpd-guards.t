# Rules that look at how a request came to be: a request that starts over
# under the name that was found is the client's own, not a redirect, and
# nothing of the file system or of a rewritten query is told.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my $missing = missing('httpd');
plan skip_all => $missing if $missing;

my ($root) = make_tree(join '', map { escaped($_) . "\tfile\n" }
        qw(表/s.txt 開/表.txt 環/表.txt 式/表.txt 〜.txt app.txt café.txt));
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

# ---- REDIRECT_STATUS tells a redirect, and this is none ---------------------
for ([rule => '/%E8%A1%A8/s.txt', '/%C9%BD/s.txt', '/%95%5C/s.txt'],
    ['.htaccess' => '/%E9%96%8B/%E8%A1%A8.txt', '/%E9%96%8B/%C9%BD.txt'],
    ['Require env' => '/%E7%92%B0/%E8%A1%A8.txt', '/%E7%92%B0/%C9%BD.txt'],
    [If => '/%E5%BC%8F/%E8%A1%A8.txt', '/%E5%BC%8F/%C9%BD.txt'])
{
    my ($what, @targets) = @$_;
    is $server->get($_)->status, 403, "$what judges $_" for @targets;
}

# ---- a path of files is no path to ask for ----------------------------------
is $server->get('/api/%E3%80%9Cx.txt')->status, 200, 'a file behind a rule';
my $variant = $server->get('/api/%EF%BD%9Ex.txt');
is $variant->status, 404, 'a variant of it cannot start over';
is $variant->header('Location'), undef, 'and no folder of the disk is told';
is $server->get('/%EF%BD%9E.txt')->status, 200, 'a variant of a URI can';

# ---- the query of a redirect is the one that came ---------------------------
for (['?mine=1', '?mine=1'], ['', ''], ['?', '?']) {
    my $answer = $server->get("/caf%E9.txt$_->[0]");
    is $answer->status, 301, "redirected with \"$_->[0]\"";
    like $answer->header('Location'), qr{/caf%C3%A9\.txt\Q$_->[1]\E\z},
        'with the query as it came';
}

is_deeply [$server->errors], [], 'nothing unexpected in the log';
done_testing;
