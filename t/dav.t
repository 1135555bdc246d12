# WebDAV on both servers: every method, Destination and If, in every spelling,
# leads to the one entry with the name; no entry is destroyed under another form
# of its own name; names in responses are canonical. nginx with its own module
# and Debian's dav-ext, httpd with mod_dav.
use IRI::Test;
use IRI::Octets qw(euc in_charset nfd percent);
use XML::LibXML;

my ($kind, $server, $root, $unwritable);
my @EXT = IRI::Nginx::dav_ext();
my $GA  = 'がぎ';
my $IN  = "新$GA";

# What the servers answer differently: the status of a COPY or MOVE that makes
# an entry or replaces one, the methods with a Location, and whether a
# Destination in another width is the entry that exists, or refused.
my %DIFFERS = (
    nginx => { made => 204, collection => 201, replaced => 204, width => 0,
        location => { MKCOL => 1 } },
    httpd => { made => 201, collection => 201, replaced => 204, width => 1,
        location => { PUT => 1, COPY => 1 } },
);

# The directories: e in EUC-JP, u in UTF-8, n in NFD; k with similar names.
my %START = (
    nginx => sub {
        diag 'no dav-ext here: PROPFIND and locks are not tried' if !@EXT;
        my $ext = @EXT ? 'dav_ext_methods PROPFIND OPTIONS LOCK UNLOCK; '
            . 'dav_ext_lock zone=locks;' : '';
        return nginx(root => $root, modules => \@EXT, log_level => 'info',
            conf => <<"END") },
@{[@EXT ? 'dav_ext_lock_zone zone=locks:1m;' : '']}
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP Shift_JIS;
    create_full_put_path on;
    dav_methods PUT DELETE MKCOL COPY MOVE;
    $ext
    location /e/ { iri_filename_charset EUC-JP; }
    location /u/ { }
    location /n/ { iri_filename_form nfd; }
    location /k/ { iri_match normalization width case accents spelling; }
    location /p/ { iri_match normalization case;
        error_page 409 /page.txt; }
    location /e/禁/ { deny all; }
    location = /u/ɽ.txt { deny all; }
    location = /page.txt { }
}
END
    httpd => sub {
        my $httpd = httpd(root => $root, modules => [qw(dav dav_fs dav_lock)],
            conf => <<'END');
IRIEngine On
IRICharset EUC-JP Shift_JIS
DavLockDB "%%TMP%%/run/lock"
DAVMinTimeout 600
<Directory "%%ROOT%%">
    Dav On
    Options +Indexes
</Directory>
<Directory "%%ROOT%%/e">
    IRIFilenameCharset EUC-JP
</Directory>
<Directory "%%ROOT%%/n">
    IRIFilenameForm nfd
</Directory>
<Directory "%%ROOT%%/k">
    IRIMatch normalization width case accents spelling
</Directory>
<Location "/e/禁">
    Require all denied
</Location>
<VirtualHost 127.0.0.1:%%PORTnone%%>
    IRICharset none
</VirtualHost>
END
        chmod 0777, $httpd->tmp . '/run';
        return $httpd;
    },
);

for my $name (qw(nginx httpd)) {
    subtest $name => sub {
        plan skip_all => missing($name) if missing($name);
        $kind = $name;
        ($root) = make_tree("e/a.txt\tfile\nu/a.txt\tfile\n");
        mkdir "$root/$_" for 'n', 'k', 'p', 'e/' . euc('禁');
        spew("$root/page.txt", 'own page');
        give();
        $server = $START{$kind}->();
        every_method($_) for qw(e u n);
        links();
        not_encodable();
        similar_names();
        collections();
        $kind eq 'nginx' ? nginx_only() : httpd_only();
        any_names() if $kind eq 'httpd' || @EXT;
    };
}
done_testing;

# ---- the tree, requests ------------------------------------------------------

sub give { system 'chown', '-R', '-h', 'www-data', $root if $> == 0 }

# The spellings of a path in a directory, by name.
sub spellings {
    my ($dir) = @_;
    return (
        utf8 => sub { percent($_[0]) },
        raw  => sub { $_[0] =~ s/ /%20/gr },
        nfd  => sub { percent(nfd($_[0])) },
        low  => sub { percent(nfd($_[0])) =~ s/(%\w\w)/lc $1/ger },
        $dir ne 'e' ? () : (euc => sub { percent(euc($_[0])) },
            sjis => sub { percent(in_charset($_[0], 'cp932')) }),
    );
}

# A name as its directory encodes it.
sub disk {
    my ($dir, $name) = @_;
    return $dir eq 'e' ? euc($name) : $dir eq 'n' ? nfd($name) : $name;
}

sub on_disk { return "$root/$_[0]/" . disk(@_) }

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
        grep { !/^\.\.?$|^\.DAV$/ && $_ ne euc('禁') } readdir $handle;
}

sub listed { return join ' ', sort map { escaped($_) } @_ }

# Sends one request and tests its status, and a Location.
sub request_is {
    my ($method, $target, $status, $what, %option) = @_;
    my $answer = $server->request($method, $target, %option);
    is $answer->status, $status, $what;
    return $answer;
}

sub destination {
    my ($path, @more) = @_;
    return (headers => [Destination => "http://localhost$path", @more]);
}

# httpd writes some hex digits in lower case.
sub location_is {
    my ($answer, $method, $path, $what) = @_;
    my $got = $answer->header('Location') // return ok
        !$DIFFERS{$kind}{location}{$method}, "$what: no Location";
    is $got =~ s{^http://localhost(?::\d+)?}{}r =~ s/(%\w\w)/uc $1/ger,
        percent($path), "$what: Location";
    return;
}

# ---- every method, from every spelling to every other ------------------------

sub every_method {
    my ($dir) = @_;
    my %of = spellings($dir);
    my %to = %{ $DIFFERS{$kind} };
    for my $name (sort keys %of) {
        my $from = sub { $of{$name}->("/$dir/$_[0]") };
        my $w    = "$dir, $name";
        clean($dir);
        location_is(request_is('MKCOL', $from->("$IN/"), 201, "$w: MKCOL"),
            'MKCOL', "/$dir/$IN/", "$w: MKCOL");
        is entries($dir), listed(disk($dir, $IN)), "$w: as the tree writes";
        request_is('MKCOL', $from->("$IN/"), 405, "$w: MKCOL again");
        location_is(request_is('PUT', $from->("$IN/$GA.txt"), 201, "$w: PUT",
            body => 'one'), 'PUT', "/$dir/$IN/$GA.txt", "$w: PUT");
        request_is('PUT', $from->("$IN/$GA.txt"), 204, "$w: PUT again",
            body => 'two');
        is entries("$dir/" . disk($dir, $IN)), listed(disk($dir, "$GA.txt")),
            "$w: one entry";
        for my $other (sort keys %of) {
            my $into = sub { $of{$other}->("/$dir/$_[0]") };
            is $server->get($into->("$IN/$GA.txt"))->body, 'two',
                "$w: GET in $other";
            request_is('PUT', $into->("$IN/$GA.txt"), 204, "$w: PUT in $other",
                body => 'two');
            location_is(request_is('COPY', $from->("$IN/$GA.txt"), $to{made},
                "$w: COPY to $other", destination($into->("$IN/ぐ.txt"))),
                'COPY', "/$dir/$IN/ぐ.txt", "$w: COPY to $other");
            request_is('COPY', $from->("$IN/$GA.txt"), 412,
                "$w: COPY to $other, Overwrite: F",
                destination($into->("$IN/ぐ.txt"), Overwrite => 'F'));
            request_is('MOVE', $from->("$IN/ぐ.txt"), $to{made},
                "$w: MOVE to $other", destination($into->("$IN/げ.txt")));
            is entries("$dir/" . disk($dir, $IN)),
                listed(map { disk($dir, $_) } "$GA.txt", 'げ.txt'),
                "$w: two entries";
            request_is('DELETE', $into->("$IN/げ.txt"), 204,
                "$w: DELETE in $other");
            same_resource($dir, $w, $from, $into, $other);
        }
        request_is('DELETE', $from->("$IN/"), 204,
            "$w: DELETE of a collection");
        is entries($dir), '', "$w: is gone";
    }
    return;
}

# To itself, into itself, over its parent, by another form of the name.
sub same_resource {
    my ($dir, $w, $from, $into, $other) = @_;
    request_is('MKCOL', $from->("$IN/ざ/"), 201, "$w: MKCOL");
    for my $method (qw(COPY MOVE)) {
        request_is($method, $from->("$IN/$_->[0]"), 403,
            "$w: $method $_->[0] to $_->[1] in $other",
            destination($into->("$IN/$_->[1]"), Overwrite => 'T'))
            for ["$GA.txt", "$GA.txt"], ['', ''], ['', 'ざ/ご/'], ['ざ/', ''];
        is slurp(on_disk($dir, "$IN/$GA.txt")), 'two',
            "$w: $method in $other has destroyed nothing";
    }
    request_is('DELETE', $from->("$IN/ざ/"), 204, "$w: DELETE");
    return;
}

# ---- links, and plain names --------------------------------------------------

sub links {
    clean('u');
    mkdir "$root/u/$_" for qw(d d/sub);
    spew("$root/u/d/$_", 'keep') for qw(f.txt sub/g.txt);
    symlink 'd',       "$root/u/link";
    symlink 'd/sub',   "$root/u/deep";
    symlink 'd/f.txt', "$root/u/f";
    link "$root/u/d/f.txt", "$root/u/hard.txt";
    give();
    for my $method (qw(COPY MOVE)) {
        for (['d/f.txt', 'd/f.txt'], ['f', 'd/f.txt'], ['d/f.txt', 'f'],
            ['hard.txt', 'd/f.txt'], ['d/f.txt', 'link/f.txt'], ['d/', 'd/'],
            ['d/', 'd/a/b/'], ['d/sub/', 'd/'], ['d/', 'link/new/'],
            ['d/', 'deep/new/'], ['d/sub/', 'link/'], ['link/', 'd/new/'])
        {
            my ($from, $into) = @$_;
            request_is($method, "/u/$from", 403, "$method $from to $into",
                destination("/u/$into", Overwrite => 'T'));
        }
        is slurp("$root/u/$_"), 'keep', "$method: $_ is as it was"
            for qw(d/f.txt d/sub/g.txt hard.txt);
        is entries('u/d'), 'f.txt sub', 'no entry was created';
    }
    request_is('MOVE', '/u/d/', 201, 'another collection',
        destination('/u/dd/'));
    return;
}

# ---- names that cannot be created --------------------------------------------

sub not_encodable {
    my $why = qr/charset of file names does not contain it/;
    clean('e');
    spew("$root/e/a.txt", 'a');
    give();
    my $euro = '/e/%E2%82%AC';
    my $put  = request_is('PUT', "$euro.txt", 409, 'PUT of a euro sign',
        body => 'x');
    $unwritable = $put->body;
    like $unwritable, $why, 'the message gives the reason';
    like $put->header('Content-Type'), qr{^text/html}, 'a page';
    request_is('PUT', '/e/neu/%E2%82%AC.txt', 409, 'below a directory',
        body => 'x');
    request_is('MKCOL', "$euro/", 409, 'MKCOL of it');
    for my $method (qw(COPY MOVE)) {
        like request_is($method, '/e/a.txt', 409, "$method to it",
            destination("$euro.txt"))->body, $why,
            'the message gives the reason';
    }
    request_is('DELETE', "$euro.txt", 404, 'DELETE of it');
    request_is('GET',    "$euro.txt", 404, 'GET of it');
    request_is('PUT', percent('/e/禁/') . '%E2%82%AC.txt', 403,
        'in a denied directory', body => 'x');
    request_is('COPY', '/e/a.txt', 403, 'to a denied directory',
        destination(percent('/e/禁/写.txt')));
    is entries('e'), 'a.txt', 'no entry was created';
    is entries('e/' . euc('禁')), '', 'not there either';
    return;
}

# Names that differ in ignored ways.
sub similar_names {
    my $to = $DIFFERS{$kind};
    spew("$root/k/Résumé.txt", 'one');
    mkdir "$root/k/Docs";
    give();
    for (['PUT', 'résumé.txt', 409], ['PUT', 'RESUME.TXT', 409],
        ['PUT', 'Resume.txt', 409], ['PUT', 'Résumé.txt', 204],
        ['PUT', nfd('Résumé.txt'), 204], ['MKCOL', 'DOCS/', 409],
        ['PUT', 'docs', 409], ['PUT', 'docs/new.txt', 409],
        ['PUT', 'Docs/new.txt', 201], ['PUT', 'Docs/NEW.txt', 409],
        ['PUT', 'Résumé2.txt', 201], ['LOCK', 'RÉSUMÉ.txt', 409],
        ['DELETE', 'RÉSUMÉ.TXT', 404], ['DELETE', 'DOCS/', 404])
    {
        my ($method, $name, $status) = @$_;
        next if $method eq 'LOCK' && $kind eq 'nginx';
        my $answer = request_is($method, '/k/' . percent($name), $status,
            "$method " . escaped($name), $method eq 'PUT' ? (body => 'x')
            : $method eq 'LOCK' ? (body => lockinfo(),
                headers => ['Content-Type' => 'text/xml']) : ());
        isnt $answer->body, $unwritable, 'the page gives another reason'
            if $status == 409;
    }
    my ($one, $other) = map { '/k/' . percent($_) } 'Résumé.txt', 'résumé.txt';
    for my $method (qw(COPY MOVE)) {
        request_is($method, $one, 409, "$method, similar to another",
            destination('/k/Docs/NEW.txt'));
        request_is($method, '/k/Docs/new.txt', 409,
            "$method, similar to another",
            destination('/k/' . percent('RÉSUMÉ.txt')));
    }
    request_is('COPY', $one, 409, 'COPY, equivalent name', destination($other));
    is entries('k'), listed('Docs', 'Résumé.txt', 'Résumé2.txt'),
        'no entry was created';
    request_is('MOVE', $one, $to->{made}, 'MOVE, equivalent name',
        destination($other));
    request_is('MOVE', '/k/Docs/new.txt', 409,
        'not beside an entry of another case', destination('/k/DOCS/NEW.txt'));
    request_is('MOVE', '/k/Docs/', $to->{collection},
        'the same of a collection', destination('/k/docs/'));
    is entries('k'), listed('docs', 'résumé.txt', 'Résumé2.txt'),
        'MOVE to another form changes the name';
    similar_widths('/k/' . percent('résumé.txt'));
    return;
}

# Writing ignores width alone: t/cases/fold/write.tsv, and by Destination.
sub similar_widths {
    my ($one) = @_;
    my $to = $DIFFERS{$kind};
    spew("$root/k/$_", 'width') for 'pａr.txt', 'paｒ.txt', 'ＣＤ.txt';
    give();
    request_is('PUT', '/k/par.txt', 409, 'PUT of several widths', body => 'x');
    request_is('COPY', $one, 409, 'COPY to one of several widths',
        destination('/k/par.txt'));
    request_is('COPY', $one, $to->{width} ? $to->{replaced} : 409,
        'COPY to another width', destination('/k/CD.txt'));
    request_is('COPY', '/k/' . percent('RÉSUMÉ.txt'), 404,
        'COPY of another case', destination('/k/copy.txt'));
    request_is('MOVE', '/k/docs/', 409, 'MOVE to a directory of another case',
        destination('/k/DOCS/sub/'));
    my $docs = '/k/' . percent('ｄocs');
    location_is(request_is('MKCOL', "$docs/new/", 201, 'MKCOL, another width'),
        'MKCOL', '/k/docs/new/', 'MKCOL, another width');
    my $copy = request_is('COPY', $one, $to->{width} ? $to->{made} : 409,
        'COPY into another width', destination("$docs/copy.txt"));
    location_is($copy, 'COPY', '/k/docs/copy.txt', 'COPY into another width');
    is entries('k/docs'), ($to->{width} ? 'copy.txt ' : '') . 'new new.txt',
        'the directory that exists';
    return if $kind eq 'nginx' && !@EXT;
    like request_is('PROPFIND', '/k/DOCS/', 207, 'PROPFIND, another case',
        headers => [Depth => 1])->body, qr{<D:href>/k/docs/new\.txt</D:href>},
        'names on disk';
    return;
}

# A collection is copied with the octets of all its members.
sub collections {
    clean($_) for qw(e u);
    mkdir "$root/$_" for 'e/D', 'u/sub';
    spew("$root/e/D/" . euc('表.txt'), 'hyou');
    spew("$root/u/sub/a", 'a');
    give();
    for my $method (qw(COPY MOVE)) {
        like request_is($method, '/e/D/', 409,
            "$method of a collection to another tree", destination('/u/D/'))
            ->body, qr/another charset or form/, 'the message gives the reason';
        ok !-e "$root/u/D", 'no entry was created';
    }
    if ($kind eq 'nginx') {    # which copies members with Depth 0, too
        request_is('COPY', '/e/D/', 409, 'COPY of a collection with Depth 0',
            destination('/u/D/', Depth => 0));
        ok !-e "$root/u/D", 'no entry was created';
    }
    else {
        request_is('COPY', percent('/e/D/表.txt'), 201,
            'a file has its name there', destination(percent('/u/表.txt')));
        is slurp("$root/u/表.txt"), 'hyou', 'in the charset of the tree';
    }
    request_is('COPY', '/e/D/', 201, 'COPY within the EUC-JP tree',
        destination(percent('/e/冊/')));
    is slurp("$root/e/" . euc('冊/表.txt')), 'hyou', 'with its members';
    request_is('COPY', '/u/sub/', 201, 'in UTF-8', destination('/u/sub2/'));
    return;
}

# Names of any octets in one collection: the answer is XML, and its hrefs lead
# to the entries.
sub any_names {
    clean('e');
    mkdir "$root/e/$_" for 'l', 'l/' . euc('棚');
    my %name = map { $_ => 1 } euc('表.txt'), 'a[1]<b>"\'&.txt', "\xFF\xFE",
        "\x01\x1B\n", '100%.txt', ']]>', euc('日 本&amp;');
    spew("$root/e/l/$_", escaped($_)) for keys %name;
    give();
    my $answer = request_is('PROPFIND', '/e/l/', 207, 'PROPFIND',
        headers => [Depth => 1]);
    my $xml = eval { XML::LibXML->load_xml(string => $answer->body) };
    ok $xml, 'is XML' or diag($@), return;
    my $x = XML::LibXML::XPathContext->new($xml);
    $x->registerNs(D => 'DAV:');
    my @hrefs = map { $_->textContent }
        $x->findnodes('/D:multistatus/D:response/D:href');
    is_deeply [grep { /[^!-~]/ } @hrefs], [], 'percent-encoded';
    is scalar(grep { s/(%\w\w)/uc $1/ger eq percent('/e/l/棚/') } @hrefs), 1,
        'a collection';
    my %said = map { $server->get($_)->body => 1 } grep { !m{/$} } @hrefs;
    is listed(grep { !$said{ escaped($_) } } keys %name), listed("\xFF\xFE"),
        'lead to their entries, except where no charset decodes them';
    return;
}

sub lockinfo {
    return '<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope>'
        . '<D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>'
        . '<D:owner><D:href>http://me/%c9%bd</D:href></D:owner></D:lockinfo>';
}

# ---- nginx -------------------------------------------------------------------

# A Destination in a location with another charset: the octets that would be
# written have another name there.
sub nginx_only {
    clean($_) for qw(e u n k);
    my $hyou = '表';
    spew("$root/$_", 'keep')
        for 'e/a.txt', 'u/a.txt', 'u/' . euc($hyou) . '.txt',
        'k/Über.txt', 'u/' . 'が.txt';
    give();
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
    is entries('u'), listed('a.txt', euc($hyou) . '.txt', 'が.txt'),
        'no entry was created';
    is entries($_->[0]), escaped($_->[1]), "$_->[0]: nothing was made"
        for ['n', ''], ['k', 'Über.txt'];
    request_is('COPY', '/e/a.txt', 404, 'an unreadable Destination',
        destination('/e/%FF'));
    like $server->settled_log, qr{iri: Destination "\S*/e/%FF" refused},
        'is logged as sent';
    request_is('COPY', '/e/a.txt', 204, 'a name that both write so',
        destination('/u/b.txt'));
    request_is('COPY', '/u/a.txt', 204, 'COPY to a non-ASCII name',
        destination(percent("/k/$hyou.txt")));

    spew("$root/p/a.txt", 'x');
    is request_is('PUT', '/p/A.txt', 409, 'error_page', body => 'x')->body,
        'own page',
        'is what is sent';
    locks($_) for @EXT ? qw(e u n) : ();
    return;
}

# A lock applies to every spelling, its root is canonical, and a token counts
# with a tag in every spelling.
sub locks {
    my ($dir) = @_;
    my %of = spellings($dir);
    clean($dir);
    for my $name (sort keys %of) {
        my $from = sub { $of{$name}->("/$dir/$_[0]") };
        my $w    = "$dir, $name";
        request_is('PUT', $from->("$GA a.txt"), 201, "$w: PUT", body => 'one');
        my $lock = request_is('LOCK', $from->("$GA a.txt"), 200, "$w: LOCK",
            headers => [Depth => 0]);
        my $token = $lock->header('Lock-Token') // '<none>';
        is href($lock, 'lockroot'), percent("/$dir/$GA a.txt"),
            "$w: lockroot";
        for my $other (sort keys %of) {
            my $into = sub { $of{$other}->("/$dir/$_[0]") };
            my $tag = sub { (If => "<http://localhost$_[0]> ($token)") };
            request_is('PUT', $into->("$GA a.txt"), 423, "$w: holds for $other",
                body => 'no');
            request_is('PUT', $into->("$GA a.txt"), 204,
                "$w: the token, $other",
                body => 'one', headers => [If => "($token)"]);
            request_is('PUT', $from->("$GA a.txt"), 204, "$w: tagged in $other",
                body => 'one', headers => [$tag->($into->("$GA a.txt"))]);
            request_is('PUT', $from->("$GA a.txt"), 423,
                "$w: another's tag in $other", body => 'no',
                headers => [$tag->($into->("$GA b.txt"))]);
            request_is('PUT', $from->("$GA a.txt"), 204, "$w: two tags, $other",
                body => 'one', headers => [If => '<' . $into->("$GA b.txt")
                    . "> (<urn:deadbeef>) <" . $into->("$GA a.txt")
                    . "> ([\"x)y\"] $token)"]);
            request_is('PUT', $from->("$GA a.txt"), 423,
                "$w: too many tags to look all of them up", body => 'no',
                headers => [If => join ' ', (map { '<' . $into->("$GA b$_")
                    . '> (<u:x>)' } 1 .. 12), ($tag->($into->("$GA a.txt")))[1]
                ]) if $other eq 'low';
            request_is('LOCK', $from->("$GA a.txt"), 200,
                "$w: refresh, tagged in $other",
                headers => [$tag->($into->("$GA a.txt")), Depth => 0]);
            request_is('PUT', $from->("$GA b.txt"), 201, "$w: PUT",
                body => 'b');
            request_is('COPY', $from->("$GA b.txt"), 423,
                "$w: the Destination is locked, $other",
                destination($into->("$GA a.txt")));
            request_is('COPY', $from->("$GA b.txt"), 204,
                "$w: the Destination with its tag, $other",
                destination($into->("$GA a.txt"),
                $tag->($into->("$GA a.txt"))));
            request_is('DELETE', $into->("$GA b.txt"), 204, "$w: DELETE");
        }
        my $props =
            request_is('PROPFIND', $from->("$GA a.txt"), 207, "$w: PROPFIND",
            headers => [Depth => 0]);
        is href($props, 'response'), percent("/$dir/$GA a.txt"), "$w: href";
        is href($props, 'lockroot'), percent("/$dir/$GA a.txt"),
            "$w: lockroot in PROPFIND";
        like $props->body, qr{<D:displayname>\Q$GA a.txt\E</D:displayname>},
            "$w: displayname";
        request_is('UNLOCK', $from->("$GA a.txt"), 204, "$w: UNLOCK",
            headers => ['Lock-Token' => $token]);
        request_is('DELETE', $from->("$GA a.txt"), 204, "$w: DELETE");
        my $new =
            request_is('LOCK', $from->("$GA n.txt"), 201, "$w: LOCK of none",
            headers => [Depth => 0]);
        is entries($dir), listed(disk($dir, "$GA n.txt")),
            "$w: as the tree writes";
        request_is('DELETE', $from->("$GA n.txt"), 204, "$w: DELETE of it",
            headers => [If => '(' . $new->header('Lock-Token') . ')']);
    }
    return;
}

# The first href in an element.
sub href {
    my ($answer, $in) = @_;
    return $answer->body =~ m{<D:$in>\s*<D:href>(.*?)</D:href>} ? $1 : 'none';
}

# ---- httpd -------------------------------------------------------------------

sub httpd_only {
    members_of_any_tree();
    tags($_) for qw(e n);
    multistatus();
    return;
}

# Listed entries can be requested, in a tree where requests cannot use octets
# on disk, and where these are UTF-8 for other names.
sub members_of_any_tree {
    clean('e');
    mkdir "$root/e/$_" for 'l', map { "l/" . euc($_) } '棚', '空&き';
    spew("$root/e/l/" . euc($_), $_)
        for '表.txt', '日 本&.txt', '棚/表.txt', 'plain.txt';
    spew("$root/e/l/\xFF\xFE.txt", 'unnamed');
    for my $port ($server->port, $server->port('none')) {
        my $list = $server->request('PROPFIND', '/e/l/',
            headers => [Depth => 1], port => $port);
        my @hrefs = $list->body =~ m{<D:href>(.*?)</D:href>}g;
        is_deeply [sort map { s/(%\w\w)/uc $1/ger } @hrefs],
            [sort '/e/l/', '/e/l/%FF%FE.txt', '/e/l/plain.txt',
                percent('/e/l/棚/'), percent('/e/l/空') . '&amp;' . percent('き/'),
                percent('/e/l/表.txt'),
                percent('/e/l/日') . '%20' . percent('本') . '&amp;.txt'],
            'PROPFIND: canonical hrefs';
        is scalar(() = $list->body =~ m{<D:getcontenttype>text/plain<}g), 3,
            'PROPFIND: content types of what has a name';
        is $server->get(percent('/e/l/表.txt'), port => $port)->body, '表.txt',
            'the href opens the entry';
        my $below = $server->request('PROPFIND', percent('/e/l/棚/'),
            headers => [Depth => 1], port => $port);
        my $href = percent('/e/l/棚/表.txt');
        like $below->body, qr{(?i)<D:href>\Q$href\E</D:href>},
            'PROPFIND of a directory with such a name';
    }
    return;
}

sub lock_it {
    my ($target, $test_name) = @_;
    my $lock = request_is('LOCK', $target, 200, $test_name, body => lockinfo(),
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
    clean($dir);
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
            ok -e on_disk($dir, "がぎ/ぐ.txt"), "$w: the entry exists";
        }
        request_is('DELETE', $from->('がぎ/'), 204, "$w: with its token",
            headers => [If => '<' . $from->("がぎ/ぐ.txt") . "> ($token)"]);
        request_is('DELETE', $from->('ば.txt'), 204, "$w: DELETE");
    }
    return;
}

# Names in a 207 response: of failed members in DELETE and COPY; and stored
# properties of clients, which do not change.
sub multistatus {
    clean('e');
    request_is('MKCOL', percent('/e/新/'), 201, 'MKCOL');
    request_is('MKCOL', percent('/e/在/'), 201, 'MKCOL');
    request_is('PUT', percent('/e/在/有.txt'), 201, 'PUT', body => 'x');
    request_is('PROPFIND', percent('/e/無/'), 404, 'PROPFIND of none',
        headers => [Depth => 0]);
    request_is('MKCOL', percent('/e/新/外/'), 201, 'MKCOL');
    request_is('PUT', percent('/e/新/外/中.txt'), 201, 'PUT', body => 'x');
    my $token = lock_it(percent('/e/新/外/中.txt'), 'LOCK');
    my $answer = request_is('DELETE', percent('/e/新/外/'), 424, 'DELETE');
    like $answer->body, qr{<D:href>\Q@{[percent('/e/新/外/中.txt')]}\E</D:href>
        \s*<D:status>HTTP/1.1\ 423}x, 'the response names the locked member';
    $answer = request_is('COPY', percent('/e/在/'), 424, 'COPY over it',
        destination(percent('/e/新/外/'), Overwrite => 'T'));
    like $answer->body, qr{<D:href>\Q@{[percent('/e/新/外/中.txt')]}\E</D:href>},
        'the response names the locked member';
    my $mine = '<D:href>/新/%c9%bd</D:href>';
    request_is('PROPPATCH', percent('/e/新/外/'), 207, 'PROPPATCH', body =>
        '<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:"><D:set>'
        . "<D:prop><x xmlns='u:u'>$mine</x><D:displayname>&lt;\xC3\xA9 %FF"
        . '</D:displayname></D:prop></D:set></D:propertyupdate>',
        headers => ['Content-Type' => 'text/xml']);
    $answer = request_is('PROPFIND', percent('/e/新/外/'), 207, 'PROPFIND',
        headers => [Depth => 0]);
    like $answer->body, qr{href>\Q/新/%c9%bd\E</},
        'an href stored by a client is unchanged';
    like $answer->body, qr{displayname>&lt;\xC3\xA9 %FF</},
        'a displayname stored by a client is unchanged';
    like $answer->body, qr{<D:href>\Q@{[percent('/e/新/外/')]}\E</D:href>},
        'the href of the response';
    request_is('DELETE', percent('/e/新/'), 204, 'DELETE',
        headers => [If => '<' . percent('/e/新/外/中.txt') . "> ($token)"]);
    return;
}
