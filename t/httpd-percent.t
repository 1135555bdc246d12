# iri_filename_charset percent in httpd: file names that are ASCII, but have
# other names, in WebDAV, MultiViews, <Files> and <Directory>.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my $missing = missing('httpd');
plan skip_all => $missing if $missing;

my $tmp = temp_dir();
my ($root) = make_tree(join '', map { "$_\tfile\n" } 'd/%e4%bd%a0.html',
    'd/%E5%A5%BD/x.txt', 'd/plain.txt', 'd/%e5%af%86.txt',
    '%e7%a7%98/s.txt', '%E7%A7%98/t.txt', '100%25/s.txt', 'n/100%25/s.txt',
    '%e8%a1%a8/%e5%a5%bd.txt', '%e8%a1%a8/x.txt');
chmod 0777, $root, "$root/d";
my $server = httpd(tmp => $tmp, root => $root,
    modules => [qw(dav dav_fs negotiation)], conf => <<"END");
IRIEngine On
IRIFilenameCharset percent UTF-8
DavLockDB $tmp/lock
<Directory "$root">
    Dav     On
    Options +MultiViews
    Require all granted
</Directory>
<Directory "$root/\xE7\xA7\x98">
    Require all denied
</Directory>
<Files "\xE5\xAF\x86.txt">
    Require all denied
</Files>
<Directory "$root/100%">
    Require all denied
</Directory>
<Directory "$root/\xE8\xA1\xA8">
    IRIFilenameCharset UTF-8
    <FilesMatch "^[%]">
        Require all denied
    </FilesMatch>
</Directory>
END

sub status { return $server->get(@_)->status }

is status('/d/%E4%BD%A0.html'), 200, 'a file';
my $variant = $server->get('/d/%E4%BD%A0');
is $variant->status, 200, 'MultiViews';
is $variant->header('Content-Location'), '%E4%BD%A0.html', 'and its name';
is status($_), 403, "<Directory>: $_"
    for '/%E7%A7%98/s.txt', '/%e7%a7%98/s.txt', '/%E7%A7%98/none.txt';
is status($_), 404, "not by octets: $_"
    for '/%25e7%25a7%2598/s.txt', '/%25E7%25A7%2598/t.txt',
    '/d/%25e5%25af%2586.txt', '/d/%25e4%25bd%25a0.html';
is status('/d/%E5%AF%86.txt'), 403, '<Files>';
is status("/100%25/$_"), 403, "<Directory> with a percent sign: $_"
    for 's.txt', 'none.txt';
is status('/n/100%25/s.txt'), 200, 'not elsewhere';
is status('/%E8%A1%A8/%25e5%25a5%25bd.txt'), 403,
    '<Files> has the names of the directory, not of the one above';
is status('/%E8%A1%A8/x.txt'), 200, 'a file beside it';
my $members = $server->request('PROPFIND', '/d/',
    headers => [Depth => 1]);
is_deeply [sort $members->body =~ m{<D:href>(.*?)</D:href>}g],
    ['/d/', '/d/%E4%BD%A0.html', '/d/%E5%A5%BD/', '/d/%E5%AF%86.txt',
    '/d/plain.txt'], 'PROPFIND has the names';
$server->stop;
is_deeply [grep { !/denied/ } $server->errors], [], 'error log';
done_testing;
