# httpd: checks of the module that no other test covers, found by weakening each
# (make mutants-servers).
use strict;
use warnings;
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Server qw(spew);
use IRI::Test;
use Test::More;

my $missing = missing('httpd');
plan skip_all => $missing if $missing;

# A document root, one beside it whose name starts with its name, and another.
my $top = temp_dir();
my ($root, $beside, $files) = map { "$top/$_" } qw(www www2 files);
make_path($root, $beside, "$files/d", "$root$files/d");
my ($nfd, $jis, $vendor) = ("e\xCC\x81", "\xE3\x80\x9C", "\xEF\xBD\x9E");
spew("$root/index.html",          'index');
spew("$root/\xFF.html",           'no name');
spew("$beside/$nfd.html",         'beside');
spew("$files/d/$vendor.html",     'file');
spew("$root$files/d/$vendor.html", 'below the root');

my $server = httpd(root => $root, modules => ['rewrite'], conf => <<"END");
IRIEngine On
IRICharset EUC-JP
<Directory $top>
    Require all granted
</Directory>
RewriteEngine On
RewriteRule ^/beside\$ $beside/$nfd.html
RewriteRule ^/no-name\$ /\xFF.html
RewriteRule ^/variant\$ $files/d/$jis.html
END

is $server->get('/')->body, 'index', 'it serves';

my $beside_it = $server->get('/beside');
is $beside_it->status . $beside_it->body, '200beside',
    'a file beside the root is none below it: it is taken literally';

is $server->get('/no-name')->status, 404,
    'no charset reads a path that a rule made';

my $variant = $server->get('/variant');
is $variant->status, 404, 'a file of another name, that a rule made';
unlike $variant->body, qr/below the root/, 'is no path to ask for';

is_deeply [$server->errors], [], 'nothing unexpected in the log';

# ---- a cache that looks before the path is normalized ------------------------

SKIP: {
    my $folder = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
    skip 'no mod_cache_disk', 3 if !-e "$folder/mod_cache_disk.so";
    my $tmp = temp_dir();
    mkdir "$tmp/cache";
    chmod 0777, "$tmp/cache";
    my ($cached) = make_tree("\\xC3\\xA9a.html\tfile\n");
    my $cache = httpd(root => $cached, tmp => $tmp,
        modules => [qw(cache cache_disk)], conf => <<'END');
IRIEngine On
CacheRoot "%%TMP%%/cache"
CacheEnable disk "/"
CacheHeader on
CacheMinExpire 600
END
    is $cache->get('/%C3%A9a.html')->status, 200, 'kept';
    $cache->wait_for(sub { `find $tmp/cache -name '*.header'` });
    like $cache->get("/$_")->header('X-Cache') // '', qr/^HIT/,
        "the same to a cache: $_"
        for qw(%C3%A9%61.html %2E/%C3%A9a.html);
}

# ---- a listing of names that requests may not be read in ---------------------

my ($tree) = make_tree("\\xA4\\xA2.html\tfile\n");
my $lister = httpd(root => $tree, modules => ['autoindex'], conf => <<'END');
IRIEngine On
<Directory %%ROOT%%>
    Options +Indexes
    IRIFilenameCharset EUC-JP
</Directory>
END
like $lister->get('/')->body, qr/href="%a4%a2\.html"/i, 'an entry is listed';
is $lister->get('/%E3%81%82.html')->status, 200, 'it has a name';
is_deeply [$lister->errors], [], 'nothing unexpected in the log';
done_testing;
