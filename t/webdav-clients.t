# WebDAV clients on one tree: names in NFD, as macOS sends them, and in NFC, as
# others do, lead to the same entries, and no name exists twice. The result is
# judged on disk.
#
# By default it is a script with both kinds of names; IRI_DAV_CLIENTS=all adds
# litmus, cadaver, rclone and davfs2, if they are installed.
use IRI::Test;
use Encode ();
use Unicode::Normalize qw(NFC NFD);

my @servers = grep { !missing($_) } qw(nginx httpd);
plan skip_all => 'no module is built' if !@servers;
my @EXT = IRI::Nginx::dav_ext();
my $ALL = ($ENV{IRI_DAV_CLIENTS} // '') eq 'all';
my %WAYS = (nfc => \&NFC, nfd => \&NFD);
my @NAMES = map { Encode::decode('UTF-8', $_) } 'résumé.txt', 'がぎぐ.txt',
    'Việt Nam.txt', '한국.txt', 'ёжик.txt';

# The number of passed tests of each program, as without the module.
my %LITMUS = (
    httpd => 'basic 16/16 copymove 13/13 props 30/30 locks 41/41 http 4/4',
    nginx => 'basic 15/16 copymove 10/13 props 10/14 locks 2/3 http 4/4',
);

for my $kind (@servers) {
    for my $tree (qw(nfc nfd)) {
        subtest "$kind, $tree on disk" => sub { run($kind, $tree) };
    }
}
done_testing;

# ---- servers ----------------------------------------------------------------

sub start {
    my ($kind, $tree, $root) = @_;
    my $server;
    if ($kind eq 'nginx') {
        my $form = $tree eq 'nfd' ? 'iri_filename_form nfd;' : '';
        my $lines = @EXT ? 'dav_ext_methods PROPFIND OPTIONS LOCK UNLOCK; '
            . 'dav_ext_lock zone=locks;' : '';
        $server = nginx(root => $root, modules => \@EXT,
            log_level => 'crit', conf => <<"END");
@{[@EXT ? 'dav_ext_lock_zone zone=locks:1m;' : '']}
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    $form
    autoindex on;
    client_max_body_size 100m;
    create_full_put_path on;
    dav_methods PUT DELETE MKCOL COPY MOVE;
    $lines
}
END
    }
    else {
        my $form = $tree eq 'nfd' ? 'IRIFilenameForm nfd' : '';
        $server = httpd(root => $root, modules => [qw(dav dav_fs dav_lock)],
            log_level => 'crit', conf => <<"END");
IRIEngine On
$form
DavLockDB "%%TMP%%/run/lock"
<Directory "%%ROOT%%">
    Dav On
</Directory>
END
        chmod 0777, $server->tmp . '/run';
    }
    return $server;
}

sub run {
    my ($kind, $tree) = @_;
    my $root = temp_dir();
    chown((getpwnam 'www-data')[2, 3], $root) if $> == 0;
    my $server = start($kind, $tree, $root);
    scripts($server, $root, $tree);
    if ($ALL) {
        my $url = 'http://127.0.0.1:' . $server->port;
        litmus($kind, $url, $root) if $tree eq 'nfc';
        cadaver($url, $root, $tree);
        rclone($kind, $url, $root, $tree);
        davfs2($url, $root, $tree);
    }
    # nginx logs this for requests of litmus
    my $none = qr/open\(\) .* failed \(2: No such file/;
    is_deeply [$server->errors(ignore => $none)], [], 'log';
    $server->stop;
    return;
}

sub percent {
    my ($text) = @_;
    my $octets = Encode::encode('UTF-8', $text);
    $octets =~ s/([^\w.~\/-])/sprintf '%%%02X', ord $1/ge;
    return $octets;
}

# The entries of a directory; names must be in the form of the tree.
sub entries {
    my ($dir) = @_;
    opendir my $handle, $dir or return ('none');
    return sort grep { !/^\./ && $_ ne 'lost+found' } readdir $handle;
}

sub on_disk {
    my ($tree, @names) = @_;
    return sort map { Encode::encode('UTF-8', $WAYS{$tree}->($_)) } @names;
}

sub path_of {
    my ($root, $tree, $name) = @_;
    return "$root/" . Encode::encode('UTF-8', $WAYS{$tree}->($name));
}

sub tree_contains {
    my ($dir, $tree, $test_name, @names) = @_;
    is join(' ', map { escaped($_) } entries($dir)),
        join(' ', map { escaped($_) } on_disk($tree, @names)), $test_name;
    return;
}

# An operation of a client, which must succeed.
sub client {
    my ($test_name, $input, @command) = @_;
    my ($code, $out, $err) = capture($input, 'timeout', '300', @command);
    is $code, 0, $test_name or diag substr("$out$err", -600);
    return $out;
}

sub found {
    my ($program) = @_;
    my ($path) = grep { -x } map { "$_/$program" } split(/:/, $ENV{PATH}),
        '/usr/sbin', '/sbin';
    diag "no $program here" if !$path;
    return $path;
}

# ---- two clients as a script -------------------------------------------------

# One client creates, the other reads, writes, renames and removes; then in the
# other direction.
sub scripts {
    my ($server, $root, $tree) = @_;
    for my $first (qw(nfc nfd)) {
        my $second = $first eq 'nfc' ? 'nfd' : 'nfc';
        my $a = sub { percent($WAYS{$first}->($_[0])) };
        my $b = sub { percent($WAYS{$second}->($_[0])) };
        my $ask = sub {
            my ($status, $method, $path, %more) = @_;
            is $server->request($method, "/$path", %more)->status, $status,
                "$first first: $method";
        };
        my $to = sub { (headers => [Destination => "http://localhost/$_[0]",
                    Overwrite => 'T']) };
        my $dir = Encode::decode('UTF-8', 'Ordner é');
        $ask->(201, 'MKCOL', $a->($dir) . '/');
        $ask->(405, 'MKCOL', $b->($dir) . '/');
        $ask->(201, 'PUT', $a->("$dir/$_"), body => 'one') for @NAMES;
        $ask->(204, 'PUT', $b->("$dir/$_"), body => 'two') for @NAMES;
        tree_contains(path_of($root, $tree, $dir), $tree, 'no second name',
            @NAMES);
        is $server->get('/' . $a->("$dir/$_"))->body, 'two', 'the same file'
            for @NAMES;
        for my $name (@NAMES) {
            $server->request('MOVE', '/' . $b->("$dir/$name"),
                $to->($b->("$dir/x$name")));
            $server->request('MOVE', '/' . $a->("$dir/x$name"),
                $to->($a->("$dir/$name")));
            $ask->(403, 'MOVE', $b->("$dir/$name"), $to->($a->("$dir/$name")));
        }
        tree_contains(path_of($root, $tree, $dir), $tree, 'round trip',
            @NAMES);
        $ask->(204, 'DELETE', $b->("$dir/$_")) for @NAMES;
        tree_contains(path_of($root, $tree, $dir), $tree, 'all is gone');
        $ask->(204, 'DELETE', $b->($dir) . '/');
    }
    return;
}

# ---- litmus ------------------------------------------------------------------

sub litmus {
    my ($kind, $url, $root) = @_;
    found('litmus') or return;
    return if $kind eq 'nginx' && !@EXT;
    my $dir = temp_dir();
    my (undef, $out) = capture('', 'sh', '-c',
        "cd $dir && timeout 600 litmus -k $url/ 2>&1");
    my $counts = join ' ', map { "$_->[0] $_->[2]/$_->[1]" }
        map { [/summary for .(\w+).: of (\d+) tests run: (\d+) passed/] }
        grep { /summary for/ } split /\n/, $out;
    is $counts, $LITMUS{$kind}, 'litmus';
    diag "litmus: $counts";
    system 'rm', '-rf', "$root/litmus";
    return;
}

# ---- cadaver, rclone, davfs2 -------------------------------------------------

# Files with names in one form, to upload.
sub local_files {
    my ($form) = @_;
    my $dir = temp_dir();
    spew("$dir/" . Encode::encode('UTF-8', $WAYS{$form}->($_)), $form)
        for @NAMES;
    return $dir;
}

sub cadaver {
    my ($url, $root, $tree) = @_;
    found('cadaver') or return;
    local $ENV{LC_ALL} = 'C.UTF-8';
    for my $form (qw(nfc nfd)) {
        my $from = local_files($form);
        my @names = map { Encode::encode('UTF-8', $WAYS{$form}->($_)) } @NAMES;
        client("cadaver, $form", join('', "lcd $from\n",
            map({ qq{put "$_"\n} } @names), qq{ls\n}, "quit\n"),
            'cadaver', "$url/");
        tree_contains($root, $tree, "cadaver, $form: no second name", @NAMES);
    }
    is slurp(path_of($root, $tree, $NAMES[0])), 'nfd',
        'cadaver: the last one counts';
    my $other = Encode::encode('UTF-8', $WAYS{ $tree eq 'nfc' ? 'nfd' : 'nfc' }
            ->($NAMES[0]));
    client('cadaver: lock, move',
        qq{lock "$other"\nput /etc/hostname "$other"\n}
        . qq{unlock "$other"\nmove "$other" "x$other"\nmove "x$other" "$other"\n}
        . qq{quit\n}, 'cadaver', "$url/");
    tree_contains($root, $tree, 'cadaver: round trip', @NAMES);
    client('cadaver: delete', join('', map({ qq{delete "$_"\n} }
        map { Encode::encode('UTF-8', NFC($_)) } @NAMES), "quit\n"),
        'cadaver', "$url/");
    tree_contains($root, $tree, 'cadaver: all is gone');
    return;
}

sub rclone {
    my ($kind, $url, $root, $tree) = @_;
    return if $kind eq 'nginx' && !@EXT;
    found('rclone') or return;
    my @rclone = ('rclone', '--config', '/dev/null', '--webdav-url', "$url/",
        '--no-unicode-normalization');
    for my $form (qw(nfc nfd nfc)) {
        my $from = local_files($form);
        client("rclone copy, $form", '', @rclone, '--ignore-times', 'copy',
            $from, ':webdav:');
        tree_contains($root, $tree, "rclone, $form: no second name", @NAMES);
        my $back = temp_dir();
        client("rclone copy back, $form", '', @rclone, 'copy', ':webdav:',
            $back);
        is join(' ', map { escaped($_) } entries($back)),
            join(' ', map { escaped($_) } on_disk('nfc', @NAMES)),
            'canonical names';
    }
    my $list = client('rclone lsf', '', @rclone, 'lsf', ':webdav:');
    is join(' ', map { escaped($_) } sort split /\n/, $list),
        join(' ', map { escaped($_) } on_disk('nfc', @NAMES)), 'lists them';
    client("rclone deletefile, $_", '', @rclone, 'deletefile', ':webdav:'
        . Encode::encode('UTF-8', NFC($NAMES[$_]))) for 0 .. $#NAMES;
    tree_contains($root, $tree, 'rclone: all is gone');
    return;
}

# A file system: operations of programs on files.
sub davfs2 {
    my ($url, $root, $tree) = @_;
    my $mount = found('mount.davfs') or return;
    if ($> != 0 || !-w '/dev/fuse' || !open my $fuse, '+<', '/dev/fuse') {
        diag 'davfs2 is not tried: no root, or /dev/fuse is not to be opened';
        return;
    }
    my $dir = temp_dir();
    mkdir "$dir/mnt";
    spew("$dir/conf", "ask_auth 0\nuse_locks 1\ndelay_upload 0\n"
        . "cache_dir $dir/cache\n");
    mkdir "$dir/cache";
    chmod 0777, "$dir/cache";
    my ($code, $out, $err) = capture('', 'timeout', '300', $mount, '-o',
        "conf=$dir/conf,uid=0", "$url/", "$dir/mnt");
    if ($code != 0) {
        # dav_ext sends "DAV: 2" only, which davfs2 does not accept as WebDAV
        diag "davfs2 is not tried: it does not mount: $out$err";
        return;
    }
    for my $form (qw(nfc nfd)) {
        for my $name (@NAMES) {
            my $octets = Encode::encode('UTF-8', $WAYS{$form}->($name));
            ok eval { spew("$dir/mnt/$octets", $form); 1 },
                "davfs2 writes, $form" or diag $@;
        }
    }
    capture('', 'timeout', '300', 'umount', "$dir/mnt");
    tree_contains($root, $tree, 'davfs2: no second name', @NAMES);
    unlink map { "$root/$_" } entries($root);
    return;
}
