# httpd: mod_dav over a tree that is in EUC-JP on disk: every method, and
# Destination, in every spelling, leads to the one entry with the name.
use IRI::Test 'httpd';
use IRI::Octets qw(euc in_charset nfd percent);
use XML::LibXML;

my %spelling = (
    utf8 => sub { percent($_[0]) },
    raw  => sub { $_[0] },
    euc  => sub { percent(euc($_[0])) },
    sjis => sub { percent(in_charset($_[0], 'cp932')) },
);

my ($root) = make_tree("\@charset EUC-JP\n"
    . escaped('/在/有.txt') . "\tfile\n" . escaped('/禁/有.txt')
    . "\tfile\n");
mkdir "$root/$_" for 'n', 'k';
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
<Directory "%%ROOT%%/n">
    IRIFilenameCharset UTF-8
    IRIFilenameForm nfd
</Directory>
<Directory "%%ROOT%%/k">
    IRIFilenameCharset UTF-8
    IRIMatch normalization case accents spelling
</Directory>
<Location "/禁">
    Require all denied
</Location>
<VirtualHost 127.0.0.1:%%PORTnone%%>
    IRICharset none
</VirtualHost>
END
chmod 0777, $server->tmp . '/run';

# The entries of a directory, in octets on disk.
sub entries {
    opendir my $dir, "$root/" . euc($_[0]) or return 'none';
    return join ' ',
        sort map { escaped($_) } grep { !/^\.\.?$/ && $_ ne '.DAV' }
        readdir $dir;
}

# Sends one request and tests its status.
sub request_is {
    my ($method, $target, $status, $test_name, %option) = @_;
    my $answer = $server->request($method, $target, %option);
    is $answer->status, $status, $test_name;
    return $answer;
}

# The path of a Location; httpd writes some hex digits in lower case.
sub location {
    my ($answer) = @_;
    return ($answer->header('Location') // 'none')
        =~ s{^http://localhost(?::\d+)?}{}r =~ s/(%\w\w)/uc $1/ger;
}

for my $name (sort keys %spelling) {
    my $of = $spelling{$name};
    request_is('MKCOL', $of->('/新/'), 201, "$name: MKCOL");
    ok -d "$root/" . euc('新'), "$name: EUC-JP on disk";
    request_is('MKCOL', $of->('/新/'), 405, "$name: MKCOL again");
    my $made = request_is('PUT', $of->('/新/子.txt'), 201, "$name: PUT",
        body => 'one');
    is location($made), percent('/新/子.txt'), "$name: Location";
    request_is('PUT', $of->('/新/子.txt'), 204, "$name: PUT again",
        body => 'two');
    is entries('新'), escaped(euc('子.txt')), "$name: one entry";
    is $server->get($of->('/新/子.txt'))->body, 'two', "$name: GET";

    for my $other (sort keys %spelling) {
        my $to = $spelling{$other};
        $made = request_is('COPY', $of->('/新/子.txt'), 201,
            "$name: COPY to $other", headers => [
                Destination => 'http://localhost' . $to->('/新/写.txt')]);
        is location($made), percent('/新/写.txt'),
            "$name: Location of a COPY to $other";
        request_is('MOVE', $of->('/新/写.txt'), 201, "$name: MOVE to $other",
            headers => [
                Destination => 'http://localhost' . $to->('/新/移.txt')]);
        is entries('新'),
            join(' ', sort map { escaped(euc($_)) } '子.txt', '移.txt'),
            "$name: two entries";
        request_is('DELETE', $to->('/新/移.txt'), 204, "$name: DELETE in $other");
    }
    request_is('COPY', $of->('/新/子.txt'), 403,
        "$name: Destination denied by <Location>",
        headers => [Destination => 'http://localhost' . $of->('/禁/写.txt')]);
    is entries('禁'), escaped(euc('有.txt')), "$name: no entry was changed";

    request_is('PROPFIND', $of->('/新/'), 207, "$name: PROPFIND",
        headers => [Depth => 0]);
    request_is('PROPFIND', $of->('/無/'), 404, "$name: PROPFIND of none",
        headers => [Depth => 0]);
    request_is('PROPPATCH', $of->('/新/子.txt'), 207, "$name: PROPPATCH",
        headers => ['Content-Type' => 'text/xml'], body =>
            '<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:"><D:set>'
            . '<D:prop><x xmlns="u:u">1</x></D:prop></D:set>'
            . '</D:propertyupdate>');

    my $lock = request_is('LOCK', $of->('/新/子.txt'), 200, "$name: LOCK",
        headers => ['Content-Type' => 'text/xml'], body =>
            '<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope>'
            . '<D:exclusive/></D:lockscope><D:locktype><D:write/>'
            . '</D:locktype></D:lockinfo>');
    my $token = $lock->header('Lock-Token') // '<none>';
    for my $other (sort keys %spelling) {
        request_is('PUT', $spelling{$other}->('/新/子.txt'), 423,
            "$name: the lock holds for $other", body => 'no');
    }
    request_is('UNLOCK', $of->('/新/子.txt'), 204, "$name: UNLOCK",
        headers => ['Lock-Token' => $token]);
    request_is('DELETE', $of->('/新/'), 204, "$name: DELETE");
    ok !-e "$root/" . euc('新'), "$name: the entry is removed";
}

# Listed entries can be requested, in a tree where requests cannot use octets
# on disk, and where these are UTF-8 for other names.
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
        'the href opens the entry';
    my $below = $server->request('PROPFIND', percent('/l/棚/'),
        headers => [Depth => 1], port => $port);
    like $below->body, qr{(?i)<D:href>\Q@{[percent('/l/棚/表.txt')]}\E</D:href>},
        'PROPFIND of a directory with such a name';
}
system 'rm', '-r', "$root/l";

# Names that the tree cannot encode are not created in another charset.
my $refused = request_is('PUT', '/%E2%82%AC.txt', 409, 'PUT of a euro sign',
    body => 'x');
like $refused->body, qr/charset of file names does not contain it/,
    'the message gives the reason';
is entries(''), join(' ', sort 'k', 'n', map { escaped(euc($_)) } '在', '禁'),
    'no entry was created';
request_is('MKCOL', '/%E2%82%AC/', 409, 'MKCOL of it');
for my $method (qw(COPY MOVE)) {
    $refused = request_is($method, percent('/在/有.txt'), 409, "$method to it",
        destination('/%E2%82%AC.txt'));
    like $refused->body, qr/charset of file names does not contain it/,
        'the message gives the reason';
}
request_is('PUT', percent('/禁/') . '%E2%82%AC.txt', 403,
    'in a denied directory',
    body => 'x');
request_is('DELETE', '/%E2%82%AC.txt', 404, 'DELETE of it');

test_same_resource($_) for qw(新 n);
by_links();
tags($_) for qw(新 n);
twins();
collections();
multistatus();
any_names();

done_testing;

sub destination {
    my ($path, @more) = @_;
    return (headers => [Destination => "http://localhost$path", @more]);
}

# A name as the tree encodes it, and its spellings in requests.
sub disk { return $_[0] =~ m{^/?n(?:/|\z)} ? nfd($_[0]) : euc($_[0]) }

sub spellings {
    my ($dir) = @_;
    my %of = (%spelling, nfd => sub { percent(nfd($_[0])) },
        low => sub { percent(nfd($_[0])) =~ s/(%\w\w)/lc $1/ger });
    delete @of{qw(euc sjis)} if $dir eq 'n';
    return %of;
}

# COPY and MOVE to the source itself, into it, and over its parent.
sub test_same_resource {
    my ($dir) = @_;
    my %of = spellings($dir);
    for my $name (sort keys %of) {
        my $from = sub { $of{$name}->("/$dir/$_[0]") };
        $server->request('MKCOL', percent("/$dir/"));
        request_is('MKCOL', $from->('がぎ/'), 201, "$dir, $name: MKCOL");
        request_is('MKCOL', $from->('がぎ/ざ/'), 201, "$dir, $name: MKCOL");
        request_is('PUT', $from->('がぎ/ぐ.txt'), 201, "$dir, $name: PUT",
            body => 'keep');
        for my $other (sort keys %of) {
            my $into = sub { $of{$other}->("/$dir/$_[0]") };
            for my $method (qw(COPY MOVE)) {
                request_is($method, $from->($_->[0]), 403,
                    "$dir, $name: $method $_->[0] to $_->[1] in $other",
                    destination($into->($_->[1]), Overwrite => 'T'))
                    for ['がぎ/ぐ.txt', 'がぎ/ぐ.txt'], ['がぎ/', 'がぎ/'],
                        ['がぎ/', 'がぎ/ざ/ご/'], ['がぎ/ざ/', 'がぎ/'];
            }
            is slurp("$root/" . disk("$dir/がぎ/ぐ.txt")), 'keep',
                "$dir, $name: no entry is lost";
            is request_is('PROPFIND', $into->('がぎ/'), 207,
                "$dir, $name: PROPFIND in $other", headers => [Depth => 1])
                ->body =~ s{.*<D:href>([^<]*%[^<]*txt)</D:href>.*}{$1}sr,
                percent("/$dir/がぎ/ぐ.txt"), "$dir, $name: href";
        }
        request_is('DELETE', $from->('がぎ/'), 204, "$dir, $name: DELETE");
    }
    return;
}

# The same through symbolic links.
sub by_links {
    mkdir "$root/n/$_" for qw(d d/sub);
    spew("$root/n/d/$_", 'keep') for qw(f.txt sub/g.txt);
    symlink 'd',     "$root/n/link";
    symlink 'd/sub', "$root/n/deep";
    system 'chown', '-R', '-h', 'www-data', "$root/n" if $> == 0;
    for my $method (qw(COPY MOVE)) {
        request_is($method, "/n/$_->[0]", 403, "$method $_->[0] to $_->[1]",
            destination("/n/$_->[1]", Overwrite => 'T'))
            for ['d/', 'link/new/'], ['d/', 'deep/new/'], ['d/sub/', 'link/'],
                ['d/f.txt', 'link/f.txt'], ['link/', 'd/new/'];
    }
    is entries('n/d'), 'f.txt sub', 'no entry was created';
    is slurp("$root/n/d/$_"), 'keep', "$_ is as it was"
        for qw(f.txt sub/g.txt);
    request_is('COPY', '/n/d/', 201, 'Depth: 0 takes nothing of what is in it',
        destination('/n/link/new/', Depth => 0));
    is entries('n/d'), 'f.txt new sub', 'except the source';
    unlink map { "$root/n/$_" } qw(link deep);
    request_is('DELETE', '/n/d/', 204, 'DELETE');
    return;
}

my $LOCKINFO;
sub lock_it {
    my ($target, $test_name) = @_;
    $LOCKINFO //= '<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:">'
        . '<D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/>'
        . '</D:locktype><D:owner><D:href>http://me/%c9%bd</D:href></D:owner>'
        . '</D:lockinfo>';
    my $lock = request_is('LOCK', $target, 200, $test_name, body => $LOCKINFO,
        headers => ['Content-Type' => 'text/xml', Depth => 0]);
    like $lock->body, qr{:href>http://me/%c9%bd</},
        "$test_name: the href in owner is unchanged";
    return $lock->header('Lock-Token') // '<none>';
}

# A resource tag of If means the same in every spelling: of the request, of
# members of a collection, and of a Destination.
sub tags {
    my ($dir) = @_;
    my %of = spellings($dir);
    $server->request('MKCOL', percent("/$dir/"));
    for my $name (sort keys %of) {
        my $from = sub { $of{$name}->("/$dir/$_[0]") };
        my $w = "$dir, $name";
        request_is('PUT', $from->("ば.txt"), 201, "$w: PUT", body => 'b');
        request_is('MKCOL', $from->('がぎ/'), 201, "$w: MKCOL");
        request_is('PUT', $from->("がぎ/ぐ.txt"), 201, "$w: PUT", body => 'one');
        my $token = lock_it($from->("がぎ/ぐ.txt"), "$w: LOCK");
        for my $other (sort keys %of) {
            my $into = sub { $of{$other}->("/$dir/$_[0]") };
            my $tag = sub { (If => "<http://localhost" . $into->($_[0])
                    . "> ($_[1])") };
            my $put = sub {
                my ($status, $test_name, @headers) = @_;
                request_is('PUT', $from->("がぎ/ぐ.txt"), $status,
                    "$w: $test_name, $other",
                    body => 'one', headers => \@headers);
            };
            $put->(423, 'no token');
            $put->(204, 'tagged', $tag->("がぎ/ぐ.txt", $token));
            # a tag that names the resource counts, one of another does not
            $put->(412, 'a wrong entity tag', $tag->("がぎ/ぐ.txt",
                "$token [\"wrong\"]"));
            $put->(204, "another's wrong entity tag", If => '<'
                . $into->('ば.txt') . '> (["wrong"]) <'
                . $into->("がぎ/ぐ.txt") . "> ($token)");
            # shown by a wrong entity tag that is ignored
            $put->(204, 'too many tags to look all of them up',
                If => join ' ', (map { '<' . $into->("ば$_") . '> (<u:x>)' }
                    1 .. 12), ($tag->("がぎ/ぐ.txt",
                    "$token [\"wrong\"]"))[1])
                if $other eq 'low';
            request_is('LOCK', $from->("がぎ/ぐ.txt"), 200, "$w: refresh, $other",
                headers => [$tag->("がぎ/ぐ.txt", $token), Depth => 0]);
            request_is('COPY', $from->('ば.txt'), 204,
                "$w: a locked Destination, $other",
                destination($into->("がぎ/ぐ.txt"), $tag->("がぎ/ぐ.txt", $token)));
            request_is('COPY', $from->('ば.txt'), 412,
                "$w: Destination with a wrong entity tag, $other",
                destination($into->("がぎ/ぐ.txt"), $tag->("がぎ/ぐ.txt",
                    "$token [\"wrong\"]")));
            # for members of a collection mod_dav uses octets on disk
            request_is('DELETE', $from->('がぎ/'), 424,
                "$w: a member's wrong entity tag, $other", headers => [
                    $tag->("がぎ/ぐ.txt", "$token [\"wrong\"]")]);
            request_is('DELETE', $from->('がぎ/'), 424,
                "$w: a member is locked, $other");
            ok -e "$root/" . disk("$dir/がぎ/ぐ.txt"), "$w: the entry exists";
        }
        request_is('DELETE', $from->('がぎ/'), 204, "$w: with its token",
            headers => [If => '<' . $from->("がぎ/ぐ.txt") . "> ($token)"]);
        request_is('DELETE', $from->('ば.txt'), 204, "$w: DELETE");
    }
    return;
}

# Names that differ in ignored ways.
sub twins {
    spew("$root/k/Résumé.txt", 'one');
    mkdir "$root/k/Docs";
    system 'chown', '-R', 'www-data', "$root/k" if $> == 0;
    for (['PUT', 'résumé.txt', 409], ['PUT', 'RESUME.TXT', 409],
        ['PUT', 'Résumé.txt', 204], ['PUT', nfd('Résumé.txt'), 204],
        ['MKCOL', 'DOCS/', 409], ['PUT', 'docs', 409],
        ['PUT', 'docs/new.txt', 409], ['PUT', 'Docs/new.txt', 201],
        ['PUT', 'Docs/NEW.txt', 409], ['PUT', 'Résumé2.txt', 201],
        ['LOCK', 'RÉSUMÉ.txt', 409], ['DELETE', 'RÉSUMÉ.TXT', 404])
    {
        my ($method, $name, $status) = @$_;
        my $answer = request_is($method, '/k/' . percent($name), $status,
            "$method " . escaped($name), $method eq 'PUT' ? (body => 'x')
            : $method eq 'LOCK' ? (body => $LOCKINFO, headers =>
                ['Content-Type' => 'text/xml']) : ());
        like $answer->body, qr/only in case or accents/,
            'the message gives the reason'
            if $status == 409;
    }
    request_is('COPY', '/k/Docs/new.txt', 409, 'COPY, similar to another',
        destination('/k/' . percent('RÉSUMÉ.txt')));
    request_is('COPY', '/k/' . percent('Résumé.txt'), 409,
        'COPY, equivalent name', destination('/k/' . percent('résumé.txt')));
    request_is('MOVE', '/k/' . percent('Résumé.txt'), 201,
        'MOVE, equivalent name', destination('/k/' . percent('résumé.txt')));
    request_is('MOVE', '/k/Docs/new.txt', 409,
        'not beside an entry of another case',
        destination('/k/DOCS/NEW.txt'));
    is entries('k'), join(' ', sort map { escaped($_) } 'Docs',
        'résumé.txt', 'Résumé2.txt'), 'MOVE to another form changes the name';
    return;
}

# A collection is copied with the octets of all its members.
sub collections {
    mkdir "$root/" . euc('巻');
    spew("$root/" . euc('巻/表.txt'), 'hyou');
    system 'chown', '-R', 'www-data', "$root/" . euc('巻') if $> == 0;
    for my $method (qw(COPY MOVE)) {
        my $answer = request_is($method, '/' . percent('巻/'), 409,
            "$method of a collection to a tree of another charset",
            destination('/n/' . percent('巻/')));
        like $answer->body, qr/another charset or form/,
            'the message gives the reason';
        ok !-e "$root/n/巻", 'no entry was created';
    }
    request_is('COPY', '/' . percent('巻/表.txt'), 201,
        'a file has its name there',
        destination('/n/' . percent('表.txt')));
    is slurp("$root/n/表.txt"), 'hyou', 'in the charset of the tree';
    request_is('COPY', '/' . percent('巻/'), 201, 'a collection in its tree',
        destination('/' . percent('冊/')));
    is slurp("$root/" . euc('冊/表.txt')), 'hyou', 'with its members';
    return;
}

# Names in a 207 response: of failed members in DELETE and COPY; and stored
# properties of clients, which do not change.
sub multistatus {
    $server->request('MKCOL', percent('/新/'));
    request_is('MKCOL', percent('/新/外/'), 201, 'MKCOL');
    request_is('PUT', percent('/新/外/中.txt'), 201, 'PUT', body => 'x');
    my $token = lock_it(percent('/新/外/中.txt'), 'LOCK');
    my $answer = request_is('DELETE', percent('/新/外/'), 424, 'DELETE');
    like $answer->body, qr{<D:href>\Q@{[percent('/新/外/中.txt')]}\E</D:href>
        \s*<D:status>HTTP/1.1\ 423}x, 'the response names the locked member';
    $answer = request_is('COPY', percent('/在/'), 424, 'COPY over it',
        destination(percent('/新/外/'), Overwrite => 'T'));
    like $answer->body, qr{<D:href>\Q@{[percent('/新/外/中.txt')]}\E</D:href>},
        'the response names the locked member';
    my $mine = '<D:href>/新/%c9%bd</D:href>';
    request_is('PROPPATCH', percent('/新/外/'), 207, 'PROPPATCH', body =>
        '<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:"><D:set>'
        . "<D:prop><x xmlns='u:u'>$mine</x><D:displayname>&lt;\xC3\xA9 %FF"
        . '</D:displayname></D:prop></D:set></D:propertyupdate>',
        headers => ['Content-Type' => 'text/xml']);
    $answer = request_is('PROPFIND', percent('/新/外/'), 207, 'PROPFIND',
        headers => [Depth => 0]);
    like $answer->body, qr{href>\Q/新/%c9%bd\E</},
        'an href stored by a client is unchanged';
    like $answer->body, qr{displayname>&lt;\xC3\xA9 %FF</},
        'a displayname stored by a client is unchanged';
    like $answer->body, qr{<D:href>\Q@{[percent('/新/外/')]}\E</D:href>},
        'the href of the response';
    request_is('DELETE', percent('/新/'), 204, 'DELETE',
        headers => [If => '<' . percent('/新/外/中.txt') . "> ($token)"]);
    return;
}

# Names of any octets: the answer is XML, and its hrefs lead to the entries.
sub any_names {
    mkdir "$root/l" or die "l: $!\n";
    my %name = map { $_ => 1 } euc('表.txt'), 'a[1]<b>"\'&.txt', "\xFF\xFE",
        "\x01\x1B\n", '100%.txt', "\xC3\xA9", ']]>', euc('日 本&amp;');
    spew("$root/l/$_", escaped($_)) for keys %name;
    system 'chown', '-R', 'www-data', "$root/l" if $> == 0;
    my $answer = request_is('PROPFIND', '/l/', 207, 'PROPFIND of any octets',
        headers => [Depth => 1]);
    my $xml = eval { XML::LibXML->load_xml(string => $answer->body) };
    ok $xml, 'is XML' or diag($@), return;
    my $x = XML::LibXML::XPathContext->new($xml);
    $x->registerNs(D => 'DAV:');
    my @hrefs = grep { $_ ne '/l/' } map { $_->textContent }
        $x->findnodes('/D:multistatus/D:response/D:href');
    is scalar @hrefs, scalar keys %name, 'all of them';
    is_deeply [grep { /[^!-~]/ } @hrefs], [], 'percent-encoded';
    my %said = map { $server->get($_)->body => 1 } @hrefs;
    is join(' ', sort grep { !$said{ escaped($_) } } keys %name), "\xFF\xFE",
        'lead to their entries, except where no charset decodes them';
    return;
}
