# mod_dav over a tree that is EUC-JP on disk: every method, and Destination,
# in every spelling, leads to the one entry with the name.
use strict;
use warnings;
use Encode ();
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my $missing = missing('httpd');
plan skip_all => $missing if $missing;

sub in_charset {
    return Encode::encode($_[1], Encode::decode('UTF-8', $_[0]));
}

sub euc { return in_charset($_[0], 'euc-jp') }

sub percent {
    my ($path) = @_;
    $path =~ s/([^\x21-\x24\x26-\x7E])/sprintf '%%%02X', ord $1/ge;
    return $path;
}

my %spelling = (
    utf8 => sub { percent($_[0]) },
    raw  => sub { $_[0] },
    euc  => sub { percent(euc($_[0])) },
    sjis => sub { percent(in_charset($_[0], 'cp932')) },
);

my ($root) = make_tree("\@charset EUC-JP\n"
    . escaped('/在/有.txt') . "\tfile\n" . escaped('/禁/有.txt')
    . "\tfile\n");
system 'chown', '-R', 'www-data', $root if $> == 0;

my $server = httpd(
    root => $root, modules => [qw(dav dav_fs dav_lock)], conf => <<'END');
IRIEngine On
IRICharset EUC-JP Shift_JIS
IRIFilenameCharset EUC-JP
DavLockDB "%%TMP%%/run/lock"
DAVMinTimeout 600
<Directory "%%ROOT%%">
    Dav On
    Options +Indexes
</Directory>
<Location "/禁">
    Require all denied
</Location>
<VirtualHost 127.0.0.1:%%PORTnone%%>
    IRICharset none
</VirtualHost>
END
chmod 0777, $server->tmp . '/run';

# What lies in a directory, by octets on disk.
sub entries {
    opendir my $dir, "$root/" . euc($_[0]) or return 'none';
    return join ' ', sort map { escaped($_) } grep { !/^\.\.?$/ && $_ ne '.DAV' }
        readdir $dir;
}

# One request; the status and what it was must be right.
sub does {
    my ($method, $target, $status, $what, %option) = @_;
    my $answer = $server->request($method, $target, %option);
    is $answer->status, $status, $what;
    return $answer;
}

# The path of a Location; httpd writes some hexadecimal digits small.
sub location {
    my ($answer) = @_;
    return ($answer->header('Location') // 'none')
        =~ s{^http://localhost(?::\d+)?}{}r =~ s/(%\w\w)/uc $1/ger;
}

for my $name (sort keys %spelling) {
    my $of = $spelling{$name};
    does('MKCOL', $of->('/新/'), 201, "$name: MKCOL");
    ok -d "$root/" . euc('新'), "$name: is EUC-JP on disk";
    does('MKCOL', $of->('/新/'), 405, "$name: MKCOL again");
    my $made = does('PUT', $of->('/新/子.txt'), 201, "$name: PUT",
        body => 'one');
    is location($made), percent('/新/子.txt'), "$name: Location";
    does('PUT', $of->('/新/子.txt'), 204, "$name: PUT again", body => 'two');
    is entries('新'), escaped(euc('子.txt')), "$name: one entry";
    is $server->get($of->('/新/子.txt'))->body, 'two', "$name: GET";

    for my $other (sort keys %spelling) {
        my $to = $spelling{$other};
        $made = does('COPY', $of->('/新/子.txt'), 201,
            "$name: COPY to $other", headers => [
                Destination => 'http://localhost' . $to->('/新/写.txt')]);
        is location($made), percent('/新/写.txt'),
            "$name: Location of a COPY to $other";
        does('MOVE', $of->('/新/写.txt'), 201, "$name: MOVE to $other",
            headers => [
                Destination => 'http://localhost' . $to->('/新/移.txt')]);
        is entries('新'),
            join(' ', sort map { escaped(euc($_)) } '子.txt', '移.txt'),
            "$name: two entries";
        does('DELETE', $to->('/新/移.txt'), 204, "$name: DELETE in $other");
    }
    does('COPY', $of->('/新/子.txt'), 403,
        "$name: Destination denied by <Location>",
        headers => [Destination => 'http://localhost' . $of->('/禁/写.txt')]);
    is entries('禁'), escaped(euc('有.txt')), "$name: nothing was written";

    does('PROPFIND', $of->('/新/'), 207, "$name: PROPFIND",
        headers => [Depth => 0]);
    does('PROPFIND', $of->('/無/'), 404, "$name: PROPFIND of none",
        headers => [Depth => 0]);
    does('PROPPATCH', $of->('/新/子.txt'), 207, "$name: PROPPATCH",
        headers => ['Content-Type' => 'text/xml'], body =>
            '<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:"><D:set>'
            . '<D:prop><x xmlns="u:u">1</x></D:prop></D:set>'
            . '</D:propertyupdate>');

    my $lock = does('LOCK', $of->('/新/子.txt'), 200, "$name: LOCK",
        headers => ['Content-Type' => 'text/xml'], body =>
            '<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope>'
            . '<D:exclusive/></D:lockscope><D:locktype><D:write/>'
            . '</D:locktype></D:lockinfo>');
    my $token = $lock->header('Lock-Token') // '<none>';
    for my $other (sort keys %spelling) {
        does('PUT', $spelling{$other}->('/新/子.txt'), 423,
            "$name: the lock holds for $other", body => 'no');
    }
    does('UNLOCK', $of->('/新/子.txt'), 204, "$name: UNLOCK",
        headers => ['Lock-Token' => $token]);
    does('DELETE', $of->('/新/'), 204, "$name: DELETE");
    ok !-e "$root/" . euc('新'), "$name: is gone";
}

# What is listed can be asked for, in a tree that requests cannot name by its
# octets, and where those are UTF-8 for other names.
mkdir "$root/$_" for 'l', map { "l/" . euc($_) } '棚', '空&き';
spew("$root/l/" . euc($_), $_)
    for '表.txt', '日 本&.txt', '棚/表.txt', 'plain.txt';
spew("$root/l/\xFF\xFE.txt", 'unnamed');
for my $port ($server->port, $server->port('none')) {
    my $list = $server->request('PROPFIND', '/l/', headers => [Depth => 1],
        port => $port);
    my @hrefs = $list->body =~ m{<D:href>(.*?)</D:href>}g;
    is_deeply [sort map { s/(%\w\w)/uc $1/ger } @hrefs],
        [sort '/l/', '/l/%FF%FE.txt', '/l/plain.txt',
            percent('/l/棚/'), percent('/l/空') . '&amp;' . percent('き/'),
            percent('/l/表.txt'),
            percent('/l/日') . '%20' . percent('本') . '&amp;.txt'],
        'PROPFIND: canonical hrefs';
    is scalar(() = $list->body =~ m{<D:getcontenttype>text/plain<}g), 3,
        'PROPFIND: content types of what has a name';
    is $server->get(percent('/l/表.txt'), port => $port)->body, '表.txt',
        'leads to the entry';
    my $below = $server->request('PROPFIND', percent('/l/棚/'),
        headers => [Depth => 1], port => $port);
    like $below->body, qr{(?i)<D:href>\Q@{[percent('/l/棚/表.txt')]}\E</D:href>},
        'PROPFIND of a directory with such a name';
}
system 'rm', '-r', "$root/l";

# Names that the tree cannot hold are not made in another charset.
my $refused = does('PUT', '/%E2%82%AC.txt', 409, 'PUT of a euro sign',
    body => 'x');
like $refused->body, qr/charset without it/, 'says why';
is entries(''), join(' ', sort map { escaped(euc($_)) } '在', '禁'),
    'nothing was made';

is_deeply [$server->errors], [], 'log';
done_testing;
