# doc/webdav.md: its configurations, unchanged, on both servers, and each line
# of its examples.
use strict;
use warnings;
use Digest::SHA 'sha1_base64';
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use MIME::Base64 'encode_base64';
use Test::More;

my @servers = grep { !missing($_) } qw(nginx httpd);
plan skip_all => 'no module is built' if !@servers;
my @EXT = IRI::Nginx::dav_ext();
my $text = slurp("$FindBin::Bin/../doc/webdav.md");
my %conf = map { $_->[0] => $text =~ /^```$_->[1]\n(.*?)^```$/ms }
    ['nginx', 'nginx'], ['httpd', 'apache'];
my @tries = $text =~ /^\| `(\w+) (\S+)` \| (\d+) \|/mg;
cmp_ok scalar @tries, '>=', 36, 'there is something to try';

my @auth = (Authorization => 'Basic ' . encode_base64('you:secret', ''));
my %body = (
    PUT      => 'some text',
    PROPFIND => '<?xml version="1.0"?><D:propfind xmlns:D="DAV:"><D:prop>'
        . '<D:resourcetype/></D:prop></D:propfind>',
    LOCK => '<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope>'
        . '<D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>'
        . '</D:lockinfo>',
);

# Replaces the paths of the document by those of the test; each must occur.
sub placed {
    my ($kind, %to) = @_;
    my $conf = $conf{$kind};
    for my $from (sort { length $b <=> length $a } keys %to) {
        ok $conf =~ s/\Q$from\E(?![\w.])/$to{$from}/g, "$kind: $from";
    }
    return $conf;
}

sub start {
    my ($kind, $root, $users) = @_;
    if ($kind eq 'nginx') {
        my $conf = placed('nginx', '/srv/share' => $root,
            '/etc/nginx/files.users' => $users, 'listen 80' =>
            'listen 127.0.0.1:%%PORT%%');
        $conf =~ s/^.*dav_ext_.*\n//mg if !@EXT;
        return nginx(root => $root, modules => \@EXT,
            conf => $conf);
    }
    my $server = httpd(root => $root, modules => [qw(dav dav_fs auth_basic
        authn_file authz_user)], conf => placed('httpd',
        '/srv/share' => $root, '/etc/apache2/files.users' => $users,
        '/var/lib/dav/lock' => '%%TMP%%/run/lock', '*:80' =>
        '127.0.0.1:%%PORT%%'));
    chmod 0777, $server->tmp . '/run';
    return $server;
}

# The entries of a directory, in octets on disk.
sub entries {
    opendir my $dir, $_[0] or return 'none';
    return join ' ', sort map { escaped($_) } grep { !/^\./ } readdir $dir;
}

for my $kind (@servers) {
    my $base = temp_dir();
    my $root = "$base/share";
    mkdir $_ or die "$_: $!\n" for $root, "$root/old";
    spew("$base/users", 'you:{SHA}' . sha1_base64('secret') . "=\n");
    system 'chown', '-R', 'www-data', $root if $> == 0;
    chmod 0755, $base;
    my $server = start($kind, $root, "$base/users");
    my $lacks = $kind eq 'nginx' && !@EXT ? qr/^(?:PROPFIND|LOCK)$/ : qr/^$/;

    is $server->request('PUT', '/x.txt', body => 'x')->status, 401,
        "$kind: not without a password";
    my @left = @tries;
    while (my ($method, $target, $status) = splice @left, 0, 3) {
        if ($method =~ $lacks || $status == 423 && 'LOCK' =~ $lacks) {
            diag "$kind: no dav-ext: $method $target is not tried";
            next;
        }
        my $answer = $server->request($method, $target,
            headers => [@auth, Depth => $method eq 'LOCK' ? 0 : 1,
                'Content-Type' => 'text/xml'], body => $body{$method} // '');
        is $answer->status, $status, "$kind: $method $target";
        like $answer->body, qr/names here cannot have/,
            "$kind: and the page says why" if $status == 409;
        like $answer->body, qr{/old/%E8%A1%A8/<}, "$kind: names in UTF-8"
            if $method eq 'PROPFIND';
    }
    is entries($root), 'old ' . escaped("r\xC3\xA9sum\xC3\xA9.txt"),
        "$kind: one entry of one name";
    is entries("$root/old"), escaped("\xC9\xBD"), "$kind: in EUC-JP";
    is entries("$root/old/\xC9\xBD"), 'memo.txt', "$kind: and in it";
    like $server->get('/old/', headers => \@auth)->body,
        qr{<a href="\./%E8%A1%A8/">}, "$kind: a browser";
    is_deeply [$server->errors], [], "$kind: log";
}

# A pitfall: the response to LOCK if the lock file cannot be created.
SKIP: {
    skip 'no httpd', 3 if !grep { $_ eq 'httpd' } @servers;
    my $root = temp_dir();
    system 'chown', '-R', 'www-data', $root if $> == 0;
    my $server = httpd(root => $root, modules => [qw(dav dav_fs)],
        conf => "IRIEngine On\nDavLockDB /nonexistent/lock\n"
            . "<Directory $root>\nDav On\n</Directory>\n");
    my ($documented) = $text =~ /writing and locking get (\d+)/;
    for my $method (qw(PUT LOCK)) {
        is $server->request($method, '/a.txt', body => $body{$method},
            headers => ['Content-Type' => 'text/xml'])->status, $documented,
            "without a place for locks: $method";
    }
    like $server->settled_log, qr/Could not open the lock database/,
        'the reason';
}
done_testing;
