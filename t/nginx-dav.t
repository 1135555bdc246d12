# nginx: WebDAV, by its own module and Debian's dav-ext: every method,
# Destination and If, in every spelling, leads to the one entry with the name;
# no entry is destroyed under another form of its own name; names in responses
# are canonical and well-formed.
use IRI::Test 'nginx';
use Encode ();
use IRI::Octets qw(euc in_charset nfd);

my @EXT = IRI::Nginx::dav_ext();
diag 'no dav-ext here: PROPFIND and locks are not tried' if !@EXT;

sub percent {
    my ($path) = @_;
    $path =~ s/([^\x21\x24\x26-\x3B\x3D\x40-\x5A\x5F\x61-\x7A\x7E])/sprintf '%%%02X', ord $1/ge;
    return $path;
}

# For the EUC-JP tree, and for the UTF-8 tree.
my %spelling = (
    e => {
        utf8 => sub { percent($_[0]) },
        raw  => sub { $_[0] =~ s/ /%20/gr },
        nfd  => sub { percent(nfd($_[0])) },
        low  => sub { percent($_[0]) =~ s/(%\w\w)/lc $1/ger },
        euc  => sub { percent(euc($_[0])) },
        sjis => sub { percent(in_charset($_[0], 'cp932')) },
    },
    u => {
        utf8 => sub { percent($_[0]) },
        raw  => sub { $_[0] =~ s/ /%20/gr },
        nfd  => sub { percent(nfd($_[0])) },
        low  => sub { percent(nfd($_[0])) =~ s/(%\w\w)/lc $1/ger },
    },
);

my ($root) = make_tree("\@charset UTF-8\n/e/a.txt\tfile\n/u/a.txt\tfile\n");
my $ext_lines = @EXT
    ? 'dav_ext_methods PROPFIND OPTIONS LOCK UNLOCK; dav_ext_lock zone=locks;'
    : '';
my $server = nginx(
    root => $root, modules => \@EXT, conf => <<"END");
@{[@EXT ? 'dav_ext_lock_zone zone=locks:1m;' : '']}
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP Shift_JIS;
    create_full_put_path on;
    dav_methods PUT DELETE MKCOL COPY MOVE;
    $ext_lines
    location /e/ { iri_filename_charset EUC-JP; }
    location /u/ { }
    location /n/ { iri_filename_form nfd; }
    location /k/ { iri_match normalization case accents spelling; }
    location /p/ { iri_match normalization case;
        error_page 409 /page.txt; }
    location /e/禁/ { deny all; }
    location = /u/ɽ.txt { deny all; }
    location = /page.txt { }
}
END
mkdir "$root/$_" for 'n', 'k', 'p', 'e/' . euc('禁');
spew("$root/page.txt", 'own page');
system 'chown', '-R', 'www-data', $root if $> == 0;

sub clean {
    my ($dir) = @_;
    opendir my $handle, "$root/$dir" or return;
    system 'rm', '-rf', map { "$root/$dir/$_" }
        grep { !/^\.\.?$/ && $_ ne euc('禁') } readdir $handle;
    return;
}

# The entries of a directory, in octets on disk.
sub entries {
    my ($dir) = @_;
    opendir my $handle, "$root/$dir" or return 'none';
    return join ' ', sort map { escaped($_) }
        grep { !/^\.\.?$/ && $_ ne euc('禁') } readdir $handle;
}

# Sends one request and tests its status.
sub request_is {
    my ($method, $target, $status, $test_name, %option) = @_;
    my $answer = $server->request($method, $target, %option);
    is $answer->status, $status, $test_name;
    return $answer;
}

sub destination {
    my ($path, @more) = @_;
    return (headers => [Destination => "http://localhost$path", @more]);
}

sub location {
    my ($answer) = @_;
    return ($answer->header('Location') // 'none')
        =~ s{^http://localhost(?::\d+)?}{}r;
}

# ---- every method, from every spelling to every other ------------------------

my %on_disk = (e => \&euc, u => sub { $_[0] }, n => \&nfd);
my $ga      = 'がぎ';
my $in      = "新$ga";
for my $dir (qw(e u n)) {
    my $of   = $spelling{$dir} // $spelling{u};
    my $disk = $on_disk{$dir};
    my $on   = sub { "$root/$dir/" . $disk->($_[0]) };
    for my $name (sort keys %$of) {
        my $from = sub { $of->{$name}->("/$dir/$_[0]") };
        my $w    = "$dir, $name";
        clean($dir);
        my $made = request_is('MKCOL', $from->("$in/"), 201, "$w: MKCOL");
        is entries($dir), escaped($disk->($in)), "$w: as the tree writes";
        is location($made), percent("/$dir/$in/"), "$w: Location";
        request_is('MKCOL', $from->("$in/"), 405, "$w: MKCOL again");
        request_is('PUT', $from->("$in/$ga.txt"), 201, "$w: PUT",
            body => 'one');
        request_is('PUT', $from->("$in/$ga.txt"), 204, "$w: PUT again",
            body => 'two');
        is entries("$dir/" . $disk->($in)), escaped($disk->("$ga.txt")),
            "$w: one entry";
        for my $other (sort keys %$of) {
            my $into = sub { $of->{$other}->("/$dir/$_[0]") };
            is $server->get($into->("$in/$ga.txt"))->body, 'two',
                "$w: GET in $other";
            request_is('PUT', $into->("$in/$ga.txt"), 204, "$w: PUT in $other",
                body => 'two');
            request_is('COPY', $from->("$in/$ga.txt"), 204,
                "$w: COPY to $other",
                destination($into->("$in/ぐ.txt")));
            request_is('COPY', $from->("$in/$ga.txt"), 412,
                "$w: COPY to $other, Overwrite: F",
                destination($into->("$in/ぐ.txt"), Overwrite => 'F'));
            request_is('MOVE', $from->("$in/ぐ.txt"), 204, "$w: MOVE to $other",
                destination($into->("$in/げ.txt")));
            is entries("$dir/" . $disk->($in)),
                join(' ', sort map { escaped($disk->($_)) } "$ga.txt",
                    'げ.txt'), "$w: two entries";
            request_is('DELETE', $into->("$in/げ.txt"), 204,
                "$w: DELETE in $other");
            for my $method (qw(COPY MOVE)) {
                test_same_resource($method, $w, $from, $into, $on, $other);
            }
        }
        request_is('DELETE', $from->("$in/"), 204,
            "$w: DELETE of a collection");
        is entries($dir), '', "$w: is gone";
    }
}

# To itself, into itself, over its parent, by another form of the name.
sub test_same_resource {
    my ($method, $w, $from, $into, $on, $other) = @_;
    request_is('MKCOL', $from->("$in/ざ/"), 201, "$w: MKCOL");
    request_is($method, $from->("$in/$ga.txt"), 403,
        "$w: $method to itself in $other", destination($into->("$in/$ga.txt")));
    request_is($method, $from->("$in/"), 403,
        "$w: $method of a collection to itself in $other",
        destination($into->("$in/"), Overwrite => 'T'));
    request_is($method, $from->("$in/"), 403,
        "$w: $method of a collection into itself in $other",
        destination($into->("$in/ご/")));
    request_is($method, $from->("$in/ざ/"), 403,
        "$w: $method of a collection over what it is in, $other",
        destination($into->("$in/"), Overwrite => 'T'));
    is slurp($on->("$in/$ga.txt")), 'two',
        "$w: $method in $other has destroyed nothing";
    request_is('DELETE', $from->("$in/ざ/"), 204, "$w: DELETE");
    return;
}

# ---- links, and plain names ---------------------------------------------------

clean('u');
mkdir "$root/u/$_" for qw(d d/sub);
spew("$root/u/d/$_", 'keep') for qw(f.txt sub/g.txt);
symlink 'd/sub', "$root/u/link";
symlink 'd/f.txt', "$root/u/f";
link "$root/u/d/f.txt", "$root/u/hard.txt";
system 'chown', '-R', '-h', 'www-data', "$root/u" if $> == 0;
for my $method (qw(COPY MOVE)) {
    for (['d/f.txt', 'd/f.txt'], ['f', 'd/f.txt'], ['d/f.txt', 'f'],
        ['hard.txt', 'd/f.txt'], ['d/', 'd/'], ['d/', 'link/x/'],
        ['d/', 'd/a/b/'], ['d/sub/', 'd/'])
    {
        my ($from, $into) = @$_;
        request_is($method, "/u/$from", 403, "$method $from to $into",
            destination("/u/$into", Overwrite => 'T'));
    }
    is slurp("$root/u/d/$_"), 'keep', "$method: $_ is as it was"
        for qw(f.txt sub/g.txt);
    is slurp("$root/u/hard.txt"), 'keep', "$method: link";
}
request_is('MOVE', '/u/d/', 201, 'another collection', destination('/u/dd/'));

# ---- names that cannot be created -------------------------------------------

clean('e');
my $answer = request_is('PUT', '/e/%E2%82%AC.txt', 409, 'PUT of a euro sign',
    body => 'x');
like $answer->body, qr/charset of file names does not contain it/,
    'the message gives the reason';
is $answer->header('Content-Type'), 'text/html', 'a page';
request_is('PUT', '/e/neu/%E2%82%AC.txt', 409, 'below a directory',
    body => 'x');
request_is('MKCOL', '/e/%E2%82%AC/', 409, 'MKCOL of it');
spew("$root/e/a.txt", 'a');
for my $method (qw(COPY MOVE)) {
    $answer = request_is($method, '/e/a.txt', 409, "$method to it",
        destination('/e/%E2%82%AC.txt'));
    like $answer->body, qr/charset of file names does not contain it/,
        'the message gives the reason';
}
request_is('DELETE', '/e/%E2%82%AC.txt', 404, 'DELETE of it');
request_is('GET', '/e/%E2%82%AC.txt', 404, 'GET of it');
request_is('PUT', '/e/%E7%A6%81/%E2%82%AC.txt', 403, 'in a denied directory',
    body => 'x');
is entries('e'), 'a.txt', 'no entry was created';

# Names that differ in ignored ways.
spew("$root/k/Résumé.txt", 'one');
mkdir "$root/k/Docs";
system 'chown', '-R', 'www-data', "$root/k" if $> == 0;
for (['PUT', 'résumé.txt', 409], ['PUT', 'RESUME.TXT', 409],
    ['PUT', 'Resume.txt', 409], ['PUT', 'Résumé.txt', 204],
    ['PUT', nfd('Résumé.txt'), 204], ['MKCOL', 'DOCS/', 409],
    ['PUT', 'docs', 409], ['PUT', 'docs/new.txt', 409],
    ['PUT', 'Docs/new.txt', 201], ['PUT', 'Docs/NEW.txt', 409],
    ['PUT', 'Résumé2.txt', 201], ['DELETE', 'RÉSUMÉ.TXT', 404],
    ['DELETE', 'DOCS/', 404])
{
    my ($method, $name, $status) = @$_;
    $answer = request_is($method, '/k/' . percent($name), $status,
        "$method " . escaped($name), $method eq 'PUT' ? (body => 'x') : ());
    like $answer->body, qr/only in case or accents/,
        'the message gives the reason'
        if $status == 409;
}
for my $method (qw(COPY MOVE)) {
    request_is($method, '/k/' . percent('Résumé.txt'), 409,
        "$method, similar to another", destination('/k/Docs/NEW.txt'));
    request_is($method, '/k/Docs/new.txt', 409, "$method, similar to another",
        destination('/k/' . percent('RÉSUMÉ.txt')));
}
request_is('COPY', '/k/' . percent('Résumé.txt'), 409,
    'COPY, equivalent name', destination('/k/' . percent('résumé.txt')));
is entries('k'), join(' ', sort map { escaped($_) } 'Docs', 'Résumé.txt',
    'Résumé2.txt'), 'no entry was created';
request_is('MOVE', '/k/' . percent('Résumé.txt'), 204,
    'MOVE, equivalent name', destination('/k/' . percent('résumé.txt')));
request_is('MOVE', '/k/Docs/new.txt', 409,
    'not beside an entry of another case',
    destination('/k/DOCS/NEW.txt'));
request_is('MOVE', '/k/Docs/', 201, 'the same of a collection',
    destination('/k/docs/'));
is entries('k'), join(' ', sort map { escaped($_) } 'docs', 'résumé.txt',
    'Résumé2.txt'), 'MOVE to another form changes the name';

# A Destination in a location with another charset: the octets that would be
# written have another name there.
clean($_) for qw(e u n k);
my $hyou = '表';
spew("$root/$_", 'keep') for 'e/a.txt', 'u/a.txt', 'u/' . euc($hyou) . '.txt',
    'k/Über.txt', 'u/' . 'が.txt';
system 'chown', '-R', 'www-data', map { "$root/$_" } qw(e u n k) if $> == 0;
request_is('GET', '/u/%C9%BD.txt', 403,
    'the EUC-JP name of these octets is denied');
for my $method (qw(COPY MOVE)) {
    request_is($method, '/e/a.txt', 409,
        "$method to where its octets are another",
        destination(percent("/u/$hyou.txt")));
    request_is($method, '/e/a.txt', 409, "$method to a new one",
        destination(percent("/u/$hyou$hyou.txt")));
    request_is($method, percent('/u/が.txt'), 409, "$method to another form",
        destination(percent('/n/が.txt')));
    request_is($method, '/u/a.txt', 409, "$method to a similar name",
        destination(percent('/k/über.txt')));
}
is slurp("$root/u/" . euc($hyou) . '.txt'), 'keep', 'is as it was';
is entries('u'), join(' ', sort map { escaped($_) } 'a.txt',
    euc($hyou) . '.txt', 'が.txt'), 'no entry was created';
is entries($_->[0]), escaped($_->[1]), "$_->[0]: nothing was made"
    for ['n', ''], ['k', 'Über.txt'];
request_is('COPY', '/e/a.txt', 204, 'a name that both write so',
    destination('/u/b.txt'));
request_is('COPY', '/u/a.txt', 204, 'COPY to a non-ASCII name',
    destination(percent("/k/$hyou.txt")));

spew("$root/p/a.txt", 'x');
is request_is('PUT', '/p/A.txt', 409, 'error_page', body => 'x')->body,
    'own page',
    'is what is sent';

# ---- locks, and properties of names (dav-ext) -------------------------------

locks($_) for @EXT ? qw(e u n) : ();
listing() if @EXT;

# ---- collections between trees ------------------------------------------------

# A collection is copied with the octets of all its members.
{
    my ($root) = make_tree("u/q\tfile\nu/sub/a\tfile\n"
        . "e/D/\\xC9\\xBD.txt\tfile\thyou\n");
    system 'chown', '-R', 'www-data', $root if $> == 0;
    my $trees = nginx(root => $root, conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    dav_methods PUT DELETE MKCOL COPY MOVE;
    location /e/ { iri_filename_charset EUC-JP; }
    location /u/ { }
}
END
    my $copy = sub {
        my ($method, $from, $to, @fields) = @_;
        return $trees->request($method, $from,
            headers => [Destination => $to, @fields]);
    };
    for my $method (qw(COPY MOVE)) {
        my $answer = $copy->($method, '/e/D/', '/u/D/');
        is $answer->status, 409, "$method of a collection to another tree";
        like $answer->body, qr/another charset or form/,
            'the message gives the reason';
        ok !-e "$root/u/D", 'no entry was created';
    }
    # nginx copies members with Depth 0, too
    is $copy->('COPY', '/e/D/', '/u/D/', Depth => 0)->status, 409,
        'COPY of a collection with Depth 0';
    ok !-e "$root/u/D", 'no entry was created';
    is $copy->('COPY', '/e/D/', '/e/E/')->status, 201,
        'COPY within the EUC-JP tree';
    is slurp("$root/e/E/\xC9\xBD.txt"), 'hyou', 'with its members';
    is $copy->('COPY', '/u/sub/', '/u/sub2/')->status, 201, 'in UTF-8';
}

done_testing;

# A lock applies to every spelling, its root is canonical, and a token counts
# with a tag in every spelling.
sub locks {
    my ($dir) = @_;
    my $of = $spelling{$dir} // $spelling{u};
    clean($dir);
    for my $name (sort keys %$of) {
        my $from = sub { $of->{$name}->("/$dir/$_[0]") };
        my $w    = "$dir, $name";
        request_is('PUT', $from->("$ga a.txt"), 201, "$w: PUT", body => 'one');
        my $lock = request_is('LOCK', $from->("$ga a.txt"), 200, "$w: LOCK",
            headers => [Depth => 0]);
        my $token = $lock->header('Lock-Token') // '<none>';
        is href($lock, 'lockroot'), percent("/$dir/$ga a.txt"),
            "$w: lockroot";
        for my $other (sort keys %$of) {
            my $into = sub { $of->{$other}->("/$dir/$_[0]") };
            my $tag = sub { (If => "<http://localhost$_[0]> ($token)") };
            request_is('PUT', $into->("$ga a.txt"), 423, "$w: holds for $other",
                body => 'no');
            request_is('PUT', $into->("$ga a.txt"), 204,
                "$w: the token, $other",
                body => 'one', headers => [If => "($token)"]);
            request_is('PUT', $from->("$ga a.txt"), 204, "$w: tagged in $other",
                body => 'one', headers => [$tag->($into->("$ga a.txt"))]);
            request_is('PUT', $from->("$ga a.txt"), 423,
                "$w: another's tag in $other", body => 'no',
                headers => [$tag->($into->("$ga b.txt"))]);
            request_is('PUT', $from->("$ga a.txt"), 204, "$w: two tags, $other",
                body => 'one', headers => [If => '<' . $into->("$ga b.txt")
                    . "> (<urn:deadbeef>) <" . $into->("$ga a.txt")
                    . "> ([\"x)y\"] $token)"]);
            request_is('PUT', $from->("$ga a.txt"), 423,
                "$w: too many tags to look all of them up", body => 'no',
                headers => [If => join ' ', (map { '<' . $into->("$ga b$_")
                    . '> (<u:x>)' } 1 .. 12), ($tag->($into->("$ga a.txt")))[1]
                ]) if $other eq 'low';
            request_is('LOCK', $from->("$ga a.txt"), 200,
                "$w: refresh, tagged in $other",
                headers => [$tag->($into->("$ga a.txt")), Depth => 0]);
            request_is('PUT', $from->("$ga b.txt"), 201, "$w: PUT",
                body => 'b');
            request_is('COPY', $from->("$ga b.txt"), 423,
                "$w: the Destination is locked, $other",
                destination($into->("$ga a.txt")));
            request_is('COPY', $from->("$ga b.txt"), 204,
                "$w: the Destination with its tag, $other",
                destination($into->("$ga a.txt"),
                $tag->($into->("$ga a.txt"))));
            request_is('DELETE', $into->("$ga b.txt"), 204, "$w: DELETE");
        }
        my $props =
            request_is('PROPFIND', $from->("$ga a.txt"), 207, "$w: PROPFIND",
            headers => [Depth => 0]);
        is href($props, 'response'), percent("/$dir/$ga a.txt"), "$w: href";
        is href($props, 'lockroot'), percent("/$dir/$ga a.txt"),
            "$w: lockroot in PROPFIND";
        like $props->body, qr{<D:displayname>\Q$ga a.txt\E</D:displayname>},
            "$w: displayname";
        request_is('UNLOCK', $from->("$ga a.txt"), 204, "$w: UNLOCK",
            headers => ['Lock-Token' => $token]);
        request_is('DELETE', $from->("$ga a.txt"), 204, "$w: DELETE");
        my $new =
            request_is('LOCK', $from->("$ga n.txt"), 201, "$w: LOCK of none",
            headers => [Depth => 0]);
        is entries($dir), escaped($on_disk{$dir}->("$ga n.txt")),
            "$w: as the tree writes";
        request_is('DELETE', $from->("$ga n.txt"), 204, "$w: DELETE of it",
            headers => [If => '(' . $new->header('Lock-Token') . ')']);
    }
    return;
}

# The first href in an element.
sub href {
    my ($answer, $in) = @_;
    return $answer->body =~ m{<D:$in>\s*<D:href>(.*?)</D:href>} ? $1 : 'none';
}

# Names of each kind in one collection.
sub listing {
    clean('e');
    mkdir "$root/e/$_" for 'l', 'l/' . euc('棚');
    my %names = (euc('表.txt') => '表.txt', euc('日 本&.txt') => '日 本&.txt',
        'a[1]<b>"\'.txt' => 'a[1]<b>"\'.txt', "\xFF\xFE.txt" => '%FF%FE.txt',
        "\x01.txt" => '%01.txt', '100%.txt' => '100%.txt');
    spew("$root/e/l/$_", 'x') for keys %names;
    my $list = request_is('PROPFIND', '/e/l/', 207, 'PROPFIND',
        headers => [Depth => 1]);
    ok !defined $list->header('Content-Length'), 'no Content-Length';
    is scalar(() = $list->body =~ /<D:response>/g), 8, 'all of them';
    ok eval { Encode::decode('UTF-8', my $copy = $list->body,
        Encode::FB_CROAK()); 1 }, 'is UTF-8';
    for my $octets (sort keys %names) {
        my $href = percent('/e/l/' . ($octets =~ /\xFF/ ? $octets
            : $octets =~ /\x01/ ? $octets : $names{$octets}));
        s/&/&amp;/g, s/</&lt;/g, s/>/&gt;/g for $href,
            my $shown = $names{$octets};
        like $list->body, qr{<D:href>\Q$href\E</D:href>},
            'href of ' . escaped($octets);
        like $list->body, qr{<D:displayname>\Q$shown\E</D:displayname>},
            'displayname of ' . escaped($octets);
    }
    like $list->body, qr{<D:href>\Q@{[percent('/e/l/棚/')]}\E</D:href>},
        'a collection';
    my $old = $server->request('PROPFIND', '/e/l/', version => '1.0',
        headers => [Depth => 0]);
    is $old->status, 207, 'HTTP/1.0';
    like $old->body, qr{</D:multistatus>\s*\z}, 'the whole answer';
    return;
}
