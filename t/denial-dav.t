# DAV: no spelling of a request and its Destination creates, changes, removes
# or copies anything in a denied location. The result is judged on disk.
#
# A sample; IRI_DENIAL=n: a tenth of n requests. IRI_SEED=n repeats a run.
use IRI::Test;
use utf8;
use Encode ();
use File::Path qw(make_path remove_tree);
use lib "$FindBin::Bin/lib", "$FindBin::Bin/configs";
use Forms ();
use IRI::Denial;
use IRI::Spelling qw(key read_in write_in);
use Unicode::Normalize 'NFC';

my $REQUESTS = int(($ENV{IRI_DENIAL} || 4000) / 10);
my $SEED     = seed($ENV{IRI_DENIAL});
my $MARKER   = 'S3CR3T';
my @SERVERS  = grep { !missing($_) } qw(nginx httpd);
my @DENIED   = map { NFC($_) } ('秘密', '表', 'ソース', 'が', "\x{FF5E}波",
    'café', 'Việt', 'ёжик', "q\x{323}\x{307}", '纊№', '100%é;', 'secret');
my @PUBLIC = map { NFC($_) } ('公開', 'ド', 'é', 'ядро', 'plain', "a\x{FF5E}");
my @METHODS = qw(PUT PUT DELETE DELETE MKCOL COPY COPY MOVE MOVE PROPFIND
    PROPPATCH LOCK GET);

# The encoding of names on disk (charset and form), and the settings.
my @WORLDS = (
    ['UTF-8', 'NFC', 'charset=Shift_JIS,EUC-JP,windows-1252'],
    ['UTF-8', 'NFC', 'charset=EUC-JP,Shift_JIS,windows-1251 redirect=301'],
    ['UTF-8', 'NFD', 'charset=windows-1252,Shift_JIS,EUC-JP'],
    ['EUC-JP', undef, 'charset=Shift_JIS,EUC-JP filename_charset=EUC-JP'],
    ['EUC-JP', undef, 'invalid=pass filename_charset=EUC-JP'],
    ['Shift_JIS', undef,
        'charset=EUC-JP,Shift_JIS invalid=pass filename_charset=Shift_JIS'],
    ['EUC-JP', undef, 'charset=Shift_JIS filename_charset=EUC-JP,UTF-8'],
    ['windows-1252', undef,
        'charset=windows-1252 filename_charset=windows-1252'],
    ['UTF-8', 'NFC', 'match=normalization,width,case,accents,spelling'],
    ['UTF-8', 'NFD', 'charset=Shift_JIS,EUC-JP match=normalization,width,case'],
    ['EUC-JP', undef, 'charset=Shift_JIS,EUC-JP filename_charset=EUC-JP '
            . 'match=width,case'],
    ['UTF-8', 'NFC', $IRI::Denial::WORDS],
    ['UTF-8', 'NFD', "charset=windows-1252 $IRI::Denial::WORDS redirect=301"],
    ['percent', 'upper', "charset=Shift_JIS $IRI::Denial::WORDS "
            . 'filename_charset=percent'],
);

plan skip_all => 'no module is built' if !@SERVERS;
diag "IRI_SEED=$SEED, $REQUESTS requests a server";
my %count;
for my $kind (@SERVERS) {
    srand $SEED;
    subtest $kind => sub { run($kind) };
}
diag join "\n", map { "$_: $count{$_}" } sort keys %count;
done_testing;

# ---- trees ------------------------------------------------------------------

# The worlds below a directory: { root, charset, form, charsets, settings,
# denied, public }, with the names that the tree can encode.
sub worlds {
    my ($dir) = @_;
    my @worlds;
    for my $line (@WORLDS) {
        my ($charset, $form, $settings) = @$line;
        my ($charsets) = $settings =~ /(?:^|\s)charset=(\S+)/;
        my %world = (
            number => scalar @worlds, root => "$dir/" . @worlds,
            charset => $charset, form => $form, settings => $settings,
            charsets => [split /,/, $charsets // ''],
        );
        $world{$_->[0]} = [grep { defined on_disk(\%world, $_) } @{ $_->[1] }]
            for [denied => \@DENIED], [public => \@PUBLIC];
        make_world(\%world);
        push @worlds, \%world;
    }
    return @worlds;
}

sub on_disk {
    my ($world, $name) = @_;
    return write_in($name, @$world{qw(charset form)});
}

# Denied names exist in the area that is open for DAV, and outside of it.
sub make_world {
    my ($world) = @_;
    my $root = $world->{root};
    make_path("$root/up");
    for my $name (@{ $world->{denied} }) {
        my $octets = on_disk($world, $name);
        for my $above ($root, "$root/up") {
            make_path("$above/$octets/sub");
            spew("$above/$octets/$_", "$MARKER $_") for 's.txt', 'sub/t.txt';
            spew("$above/$octets.txt", "$MARKER file");
        }
    }
    make_work($world);
    system 'chown', '-R', 'www-data', $root if $> == 0;
    $world->{before} = { denied_files($world) };
    return;
}

sub make_work {
    my ($world) = @_;
    my $up = "$world->{root}/up";
    make_path("$up/work");
    spew("$up/work/a.txt", 'a');
    spew("$up/open.txt", 'open');
    my @old = map { "$up/work/" . on_disk($world, "$_-old.txt") }
        @{ $world->{public} };
    spew($_, 'old') for @old;
    my @owner = $> == 0 ? (getpwnam 'www-data')[2, 3] : ();
    chown @owner, "$up/work", "$up/work/a.txt", "$up/open.txt", @old
        if @owner;
    return;
}

# Do rules deny this entry of up/ or of the root? Its octets are decoded in the
# charset of the tree as far as possible.
sub is_denied {
    my ($world, $entry) = @_;
    my $charset = $world->{charset};
    my $name = read_in($entry, $charset);
    $name = read_in($entry, 'UTF-8')
        if !defined $name && $world->{settings} =~ /,UTF-8$/;
    return 0 if !defined $name;
    $name =~ s/[.]txt\z//;
    return scalar grep { key($_) eq key($name) } @{ $world->{denied} };
}

# All files in denied directories: path => content.
sub denied_files {
    my ($world) = @_;
    my $root = $world->{root};
    my @todo = map { my $above = $_;
        map { "$above/$_" } grep { is_denied($world, $_) } entries($above)
    } $root, "$root/up";
    my %files;
    while (defined(my $path = shift @todo)) {
        my ($inode) = (stat $path)[1];
        $files{$path} = join ' ', $inode,
            -d $path ? 'directory' : slurp($path);
        push @todo, map { "$path/$_" } entries($path) if -d $path;
    }
    return %files;
}

sub entries {
    my ($dir) = @_;
    opendir my $handle, $dir or return;
    # the directory in which mod_dav_fs stores properties
    return grep { !/^\.\.?$/ && $_ ne '.DAV' } readdir $handle;
}

# ---- servers ----------------------------------------------------------------

sub conf {
    my ($kind, @worlds) = @_;
    return join '', map { $kind eq 'nginx' ? nginx_conf($_) : httpd_conf($_) }
        @worlds;
}

sub nginx_conf {
    my ($world) = @_;
    my $methods = 'dav_methods PUT DELETE MKCOL COPY MOVE;';
    my $deny = sub {
        my ($above) = @_;
        return join '', map {
            my $name = Encode::encode('UTF-8', $_);
            qq{location "$above/$name" { deny all; $methods }\n}
        } @DENIED;
    };
    return join "\n", 'server {',
        "listen 127.0.0.1:%%PORT$world->{number}%%;", 'access_log off;',
        "root $world->{root};",
        IRI::Cases::nginx_settings($world->{settings}),
        "location /up/ { alias $world->{root}/up/; $methods",
        'create_full_put_path on;', $deny->('/up'), '}', $deny->(''), "}\n";
}

sub httpd_conf {
    my ($world) = @_;
    my $denied = join '|', map { Encode::encode('UTF-8', $_) } @DENIED;
    return join "\n", "<VirtualHost 127.0.0.1:%%PORT$world->{number}%%>",
        "DocumentRoot $world->{root}",
        IRI::Cases::httpd_settings($world->{settings}),
        qq{<LocationMatch "^/up(?:/|\$)">}, 'Dav On', '</LocationMatch>',
        qq{<LocationMatch "^/(?:up/)?(?:$denied)">},
        'Dav On', 'Require all denied', '</LocationMatch>',
        "</VirtualHost>\n";
}

sub run {
    my ($kind) = @_;
    my $dir    = temp_dir();
    my @worlds = worlds($dir);
    my $server = $kind eq 'nginx'
        ? nginx(root => $dir, log_level => 'crit', conf => conf($kind, @worlds))
        : httpd(root => $dir, log_level => 'crit',
            modules => [qw(dav dav_fs dav_lock)], conf => join '',
            qq{DavLockDB "%%TMP%%/run/lock"\n}, conf($kind, @worlds));
    chmod 0777, $server->tmp . '/run';
    my (@bad, %done);
    for my $number (1 .. $REQUESTS) {
        my $world = $worlds[$number / 50 % @worlds];
        my $request = choose($world) // next;
        my $answer = ask($server, $world, $request);
        push @bad, judge($kind, $world, $request, $answer, \%done);
        my @changed = $number % 20 == 19 ? changed($world) : ();
        push @bad, map { "$_, by $number or one of 20 before" } @changed;
        clean($world) if @changed;
    }
    is scalar @bad, 0, "$kind: denied places are as they were"
        or diag join "\n", splice @bad, 0, 15;
    for my $outcome ('made', 'refused') {
        my @none =
            grep { !$done{"$_ $outcome"} } qw(PUT MKCOL COPY MOVE DELETE);
        is "@none", '', "$kind: allowed changes were $outcome";
    }
    $count{"$kind $_"} = $done{$_} for keys %done;
    $server->stop;
    # nginx logs this for paths below a file, and for directories
    my $below =
        qr/(?:open|rename|unlink|mkdir)\(\) .* failed \((?:2|2[01]|39):/;
    is_deeply [$server->errors(ignore => $below)], [], "$kind: error log";
    return;
}

# ---- requests ---------------------------------------------------------------

# A request: { method, target, destination, source, sink: which of the two
# are of a denied name, same: both are other forms of their names only }.
sub choose {
    my ($world) = @_;
    my $method = $METHODS[rand @METHODS];
    my %request = (method => $method, same => 1);
    my $moves = $method =~ /^(?:COPY|MOVE)$/;
    my $way = int rand 4;
    $request{source} = $way == 0 || $way == 1 && !$moves;
    $request{sink} = $moves && $way == 1;
    my @source = $request{source} ? denied_path($world)
        : $moves ? ('up', 'work', 'a.txt') : public_path($world, $method);
    $request{target} = spelled($world, \%request, @source) // return;
    $request{name} = $source[2];
    if ($moves) {
        my @sink = $request{sink} ? denied_path($world)
            : public_path($world, 'PUT');
        $request{destination} = spelled($world, \%request, @sink) // return;
        $request{name} = $sink[2];
    }
    return \%request;
}

sub denied_path {
    my ($world) = @_;
    my $name = $world->{denied}[rand @{ $world->{denied} }];
    my @below = (['s.txt'], ['sub', 't.txt'], ['new.txt'], ['new', ''],
        ['sub', ''], [''], [], ['sub', "$name.txt"]);
    return ((rand() < 0.7 ? 'up' : ()),
        rand() < 0.25 ? "$name.txt" : ($name, @{ $below[rand @below] }));
}

sub public_path {
    my ($world, $method) = @_;
    my $name = $world->{public}[rand @{ $world->{public} }];
    return ('up', 'work', $method eq 'MKCOL' ? ($name, '')
        : $method eq 'PUT' && rand() < 0.5 ? "$name.txt" : "$name-old.txt");
}

# A path in a spelling; undef if it stands for the whole area, which the client
# may remove with its content.
sub spelled {
    my ($world, $request, @segments) = @_;
    my ($repair) = $world->{settings} =~ /repair=(\S+)/;
    my $form = Forms::choose(\@segments, { charsets => $world->{charsets},
        match => $world->{settings}, repair => ($repair // '') =~ tr/,/ /r });
    # with invalid=pass such octets are no name: SECURITY.md says so
    return if $form->{charset} && $world->{settings} =~ /invalid=pass/
        && !grep { $_ eq $form->{charset} } @{ $world->{charsets} };
    my @written = @{ Forms::write_form($form, @segments) // return };
    $request->{same} &&= $form->{same};
    $written[-1] = ($form->{dots} // '') =~ s{^/}{}r . "/$written[-1]"
        if $form->{dots};
    my $path   = join '/', '', @written;
    my $octets = $path =~ s/%([0-9A-F]{2})/chr hex $1/gier;
    my @left;
    for my $segment (split m{[/\\]}, $octets) {
        next if $segment =~ /^\.?$/;
        $segment eq '..' ? pop @left : push @left, $segment;
    }
    return @left < 2 && $segments[0] eq 'up' || !@left ? undef : $path;
}

my $LOCK = '<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope>'
    . '<D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>'
    . '</D:lockinfo>';
my $PATCH = '<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:"><D:set>'
    . '<D:prop><x xmlns="u:u">1</x></D:prop></D:set></D:propertyupdate>';

sub ask {
    my ($server, $world, $request) = @_;
    my $port = $server->port($world->{number});
    my %more = %{ { PUT => { body => 'new' }, LOCK => { body => $LOCK },
            PROPPATCH => { body => $PATCH } }->{ $request->{method} } // {} };
    my @headers = $request->{method} eq 'PROPFIND' ? (Depth => 0) : ();
    push @headers, 'Content-Type' => 'text/xml' if ($more{body} // '') =~ /^</;
    if (defined $request->{destination}) {
        my $host = ('', 'http://localhost', 'http://LOCALHOST',
            'http://evil.example')[rand() < 0.05 ? 3 : rand 3];
        $request->{elsewhere} = $host =~ /evil/;
        push @headers, Destination => $host . $request->{destination};
        push @headers, Overwrite => 'F' if rand() < 0.3;
    }
    return $server->request($request->{method}, $request->{target}, %more,
        headers => \@headers, port => $port);
}

# ---- judging ----------------------------------------------------------------

# The errors, a list of texts; the tree is restored.
sub judge {
    my ($kind, $world, $request, $answer, $done) = @_;
    my $status = $answer->status;
    my $denied = $request->{source} || $request->{sink};
    my @wrong;
    push @wrong, 'marker' if $answer->body =~ /$MARKER/;
    push @wrong, 'not refused' if $denied && $request->{same} && $status < 400;
    push @wrong, 'not 403'
        if $request->{source} && !$request->{destination} && $request->{same}
        && $status != 403;
    $done->{requests}++;
    $done->{"$request->{method} refused"}++ if $denied && $status >= 400;
    push @wrong, changed($world) if $status < 400 || $status >= 500;
    if ($status < 300) {
        $done->{"$request->{method} made"}++ if !$denied;
        push @wrong, made($world, $request) if !$denied && $request->{same};
        push @wrong, carried($world), stored($world);
    }
    clean($world) if $status < 300 || @wrong;
    return map {
        join ' ', $_, $world->{settings}, $request->{method},
            escaped($request->{target}), escaped($request->{destination} // ''),
            $status
    } @wrong;
}

# The changes to denied directories.
sub changed {
    my ($world) = @_;
    my %now = denied_files($world);
    my $before = $world->{before};
    my @wrong = map { 'changed ' . escaped($_) }
        grep { ($now{$_} // '') ne $before->{$_} } sort keys %$before;
    push @wrong, map { 'new ' . escaped($_) }
        grep { !exists $before->{$_} } sort keys %now;
    return @wrong;
}

# Denied content that was copied to other places.
sub carried {
    my ($world) = @_;
    my @todo = map { "$world->{root}/up/$_" }
        grep { !is_denied($world, $_) } entries("$world->{root}/up");
    my @wrong;
    while (defined(my $path = shift @todo)) {
        push @todo, map { "$path/$_" } entries($path) if -d $path;
        push @wrong, 'carried ' . escaped($path)
            if -f $path && slurp($path) =~ /$MARKER/;
    }
    return @wrong;
}

# A created entry has the requested name, and no other entry has it.
sub made {
    my ($world, $request) = @_;
    my %seen;
    $seen{ key(read_in($_, $world->{charset}) // read_in($_, 'UTF-8') // $_) }++
        for entries("$world->{root}/up/work");
    my @wrong = map { 'twice: ' . escaped(Encode::encode('UTF-8', $_)) }
        grep { $seen{$_} > 1 } sort keys %seen;
    my $name = key($request->{name} // '');
    push @wrong, 'not made' if $request->{method} =~ /^(?:PUT|MKCOL|COPY|MOVE)$/
        && !$seen{$name};
    push @wrong, 'still there'
        if $request->{method} eq 'DELETE' && $seen{$name};
    return @wrong;
}

# Names that are not encoded as the tree encodes new names. With undecodable
# octets other names than the requested one may be stored; three characters
# have an NFC in ASCII and stay.
sub stored {
    my ($world) = @_;
    return if $world->{settings} =~ /invalid=pass/;
    my $up = "$world->{root}/up";
    return map { 'stored as ' . escaped($_) } grep {
        my $octets = $_;
        my $name   = read_in($octets, 'UTF-8') // '';
        my @ways   = map { write_in($name, @$_) // () }
            ['UTF-8', 'NFC'], [@$world{qw(charset form)}];
        my $utf8 = grep { $_ eq $octets } @ways;
        my $legacy = $world->{charset} ne 'UTF-8'
            && defined read_in($octets, $world->{charset});
        /[^\0-\x7F]/ && !/\xE2\x84\xAA|\xCD\xBE|\xE1\xBF\xAF/ && !$legacy
            && !($utf8 && $world->{settings} !~ /filename_charset=[^,]*$/);
    } map { entries($_) } "$up/work", $up;
}

# Restores the area as at the start.
sub clean {
    my ($world) = @_;
    my $up = "$world->{root}/up";
    remove_tree(map { "$up/$_" } grep { !is_denied($world, $_) } entries($up));
    if (changed($world)) {
        remove_tree($world->{root});
        make_world($world);
        return;
    }
    make_work($world);
    return;
}
