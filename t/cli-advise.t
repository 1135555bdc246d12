# The command iri advise: from a tree and its logs to a configuration.
use IRI::Test;
use Encode ();
use JSON::PP ();
use POSIX ();
use Unicode::Normalize ();
use lib "$FindBin::Bin/lib", "$FindBin::Bin/advise";
use IRI::Octets 'percent';

our $iri = build_dir() . '/iri';
plan skip_all => 'iri is not built' if !-x $iri;
our $names = "$FindBin::Bin/../../shared/data/names";

my $dir = temp_dir();

# A text in UTF-8 in another charset, or in NFD.
sub in_charset {
    my ($charset, $text) = @_;
    $text = Encode::decode('UTF-8', $text);
    return $charset eq 'NFD' ? Encode::encode('UTF-8', Unicode::Normalize::NFD($text))
        : Encode::encode($charset, $text);
}

# A line of a log in the combined format.
sub line {
    my ($target, $status, $referer) = @_;
    return qq{192.0.2.1 - - [28/Nov/2026:00:00:00 +0000] "GET $target HTTP/1.1" $status 1 "}
        . ($referer // '-') . qq{" "a client"\n};
}

sub tree {
    my @paths = @_;
    my ($root) = make_tree(join '', map {
            s/([^\x21-\x5B\x5D-\x7E])/sprintf '\\x%02X', ord $1/ger . "\tfile\n" } @paths);
    return $root;
}

sub advise {
    my ($root, $log, @options) = @_;
    spew("$dir/log", $log);
    return capture('', $iri, 'advise', '--root', $root, @options, $log eq '' ? () : "$dir/log");
}

sub object {
    my ($code, $out, $err) = advise(@_, '--json');
    is $err, '', 'standard error is empty';
    diag " " if $out eq ""; my $object = JSON::PP::decode_json($out);
    $object->{exit} = $code;
    return $object;
}

# Directive -> value, without what is left to the administrator.
sub settings {
    return { map { $_->{optional} ? () : ($_->{directive} => $_->{value}) } @{ $_[0]{settings} } };
}

my @japanese = qw(日本語 案内 お知らせ 写真 掲示板 料理);
my @russian = qw(новости контакты фотографии отчёты книги);
my $site = tree(
    (map { 'old/' . in_charset('euc-jp', $_) . '.html' } @japanese),
    (map { 'ru/' . in_charset('cp1251', $_) . '.html' } @russian),
    'neu/été.html', 'neu/Größe.html', 'Logo.gif');
my $log = join '',
    (map { line('/old/' . percent(in_charset('euc-jp', $_)) . '.html', 200) } @japanese),
    (map { line('/old/' . percent(in_charset('cp932', $_)) . '.html', 404, 'http://a.example/p?q') } @japanese),
    (map { line('/old/' . percent($_) . '.html', 404) } @japanese),
    (map { line('/ru/' . percent(in_charset('koi8-r', $_)) . '.html', 404) } @russian),
    line('/neu/e%CC%81te%CC%81.html', 404), line('/none', 404), line('/neu/%C3%89t%C3%A9.htm', 404);

subtest 'a site' => sub {
    my $object = object($site, $log);
    is $object->{exit}, 0, 'exit code';
    is_deeply settings($object), { iri => 'on', iri_charset => 'EUC-JP Shift_JIS KOI8-R windows-1251',
            iri_filename_charset => 'UTF-8 EUC-JP' }, 'settings';
    is_deeply [sort map { "$_->{path} @{ $_->{charsets} } $_->{names}" } @{ $object->{places} }],
        ['ru/ UTF-8 windows-1251 5'], 'another charset in a directory';
    is_deeply [@$object{qw(requests failed answered)}], [26, 20, 18], 'counts';
    my ($charsets) = grep { $_->{directive} eq 'iri_charset' } @{ $object->{settings} };
    is_deeply [@$charsets{qw(requests why)}], [17, '6 EUC-JP, 6 Shift_JIS, 5 KOI8-R, 0 windows-1251'],
        'the figure of a setting';
    is_deeply [map { $_->{target} } @{ $object->{lost} }], ['/neu/%C3%89t%C3%A9.htm', '/none'],
        'lost requests';
    is_deeply $object->{referers}, [{ requests => 6, text => 'http://a.example/p' }], 'senders';
    is_deeply $object->{rules}, [], 'rules';
    $object = object($site, $log, '--verify');
    is_deeply [@$object{qw(kept changed)}], [6, 0], 'requests that did not fail';
};

subtest 'as text' => sub {
    my ($code, $out, $err) = advise($site, $log);
    is $code, 0, 'exit code';
    is $err, '', 'standard error is empty';
    like $out, qr/^iri on;  +# 1 request: /m, 'a setting with its figure';
    like $out, qr/^iri_charset EUC-JP Shift_JIS KOI8-R windows-1251; /m, 'charsets';
    like $out, qr/^# location "\/ru\/" \{\n#     # 5 names\n#     iri_filename_charset UTF-8 windows-1251;\n# \}/m,
        'a directory';
    unlike $out, qr/^[^#\n]*iri_(match|repair)/m, 'nothing that gains nothing';
    ($code, $out) = advise($site, $log, '--server', 'httpd');
    like $out, qr/^IRICharset EUC-JP Shift_JIS KOI8-R windows-1251$/m, 'httpd: charsets';
    like $out, qr{^<Directory "\Q$site\E/ru/">\n    # 5 names\n    IRIFilenameCharset UTF-8 windows-1251\n</D}m,
        'httpd: a directory';
};

# Sites that are set up by the output alone: files on disk, and the encodings in
# which each of them is requested.
my %sites = (
    'Japanese site of 1998' => [
        [map { 'hon/' . in_charset('cp932', "$_.html") } @japanese], 'cp932', 'euc-jp', 'UTF-8'],
    'Cyrillic forum' => [
        [(map { '2001/' . in_charset('koi8-r', "$_.html") } @russian),
            (map { '2009/' . in_charset('cp1251', "$_.html") } @russian),
            (map { "2026/$_.html" } @russian)], 'cp1251', 'koi8-r', 'UTF-8'],
    'NFD of Macs among NFC' => [
        [(map { 'mac/' . in_charset('NFD', "$_.html") } qw(été Größe über)),
            (map { "pc/$_.html" } qw(forêt naïve señor))], 'NFD', 'UTF-8'],
);

# What clients request for a file, in an encoding.
sub target {
    my ($path, $encoding) = @_;
    my ($folder, $octets) = $path =~ m{^(.*)/(.*)$};
    my $from = { hon => 'cp932', 2001 => 'koi8-r', 2009 => 'cp1251' }->{$folder} // 'UTF-8';
    my $name = Unicode::Normalize::NFC(Encode::decode($from, $octets));
    return "/$folder/" . percent(in_charset($encoding, Encode::encode('UTF-8', $name)));
}

sub run_server {
    my ($kind, $root, $conf) = @_;
    return $kind eq 'nginx'
        ? nginx(root => $root, conf => "server { listen 127.0.0.1:%%PORT%%; root %%ROOT%%;\n$conf }")
        : httpd(root => $root, conf => $conf);
}

for my $name (sort keys %sites) {
    my ($paths, @encodings) = @{ $sites{$name} };
    my $root = tree(@$paths);
    my %file;    # target -> file
    for my $path (@$paths) {
        $file{ target($path, $_) } = $path for @encodings;
    }
    for my $kind (qw(nginx httpd)) {
        subtest "$name: $kind" => sub {
            plan skip_all => missing($kind) if missing($kind);
            spew("$root/$_", "$_\n") for @$paths;
            # A log of the server without the module.
            my ($log, $before, $after, $wrong) = ('', 0, 0, 0);
            my $server = run_server($kind, $root, '');
            for my $target (sort keys %file) {
                my $status = $server->get($target)->{status};
                $before++ if $status == 200;
                $log .= line($target, $status);
            }
            $server->stop;
            spew("$dir/site.conf", "# no locations\n");
            my ($code, $conf) = advise($root, $log, '--server', $kind, '--config', "$dir/site.conf");
            is $code, 0, 'a proposal';
            $server = run_server($kind, $root, $conf);
            for my $target (sort keys %file) {
                my $response = $server->get($target);
                my $right = $response->{status} == 200 && $response->{body} eq "$file{$target}\n";
                $after++ if $right;
                $wrong++ if !$right && $response->{status} == 200;
                diag "$target: $response->{status}" if !$right;
            }
            $server->stop;
            note "$before of ", scalar keys %file, " requests answered before, $after after";
            cmp_ok $before, '<', $after, 'more requests are answered';
            is $after, scalar keys %file, 'all get their file';
            is $wrong, 0, 'no other file';
        };
    }
}

# Directories with names in a legacy charset, and other charsets in them.
subtest 'sections of legacy directory names: httpd' => sub {
    plan skip_all => missing('httpd') if missing('httpd');
    my $outer = in_charset('euc-jp', '案内');
    my $inner = in_charset('cp1251', 'архив');
    my %file = ((map { ("/$_.html" => in_charset('euc-jp', "$_.html")) } @japanese),
        (map { ("/案内/$_.html" => "$outer/" . in_charset('cp1251', "$_.html")) } @russian, 'страница', 'главная'),
        (map { ("/案内/архив/$_.html" => "$outer/$inner/" . in_charset('cp932', "$_.html")) } @japanese));
    my $root = tree(values %file);
    spew("$root/$_", "$_\n") for values %file;
    spew("$dir/site.conf", "# empty\n");
    my ($code, $conf) = advise($root, '', '--server', 'httpd', '--config', "$dir/site.conf");
    like $conf, qr{^<Directory "\Q$root\E/案内/">\n.*\n +IRIFilenameCharset UTF-8 windows-1251$}m, 'a decoded name';
    like $conf, qr{^<Directory "\Q$root\E/案内/архив/">\n.*\n +IRIFilenameCharset UTF-8 Shift_JIS$}m, 'two of them';
    my $server = run_server('httpd', $root, $conf);
    is $server->get(percent($_))->{body}, "$file{$_}\n", $_ for sort keys %file;
    $server->stop;
};

# A directory that is served below a prefix, in place of a part of the root.
for my $kind (qw(nginx httpd)) {
    subtest "an alias: $kind" => sub {
        plan skip_all => missing($kind) if missing($kind);
        my $root = tree(map { in_charset('euc-jp', "$_.html") } @japanese);
        my $docs = tree(map { in_charset('cp1251', "$_.html") } @russian);
        my $other = tree(map { in_charset('cp932', "$_.html") } @japanese);
        spew("$docs/" . in_charset('cp1251', "$_.html"), "$_\n") for @russian;
        my @targets = map { '/docs/' . percent("$_.html") } @russian;
        my $log = join '', map { line($_, 404) } @targets;
        spew("$dir/site.conf", $kind eq 'nginx'
            ? "http { server { root $other; location /docs { alias $other; } }\nserver { root $root;\n"
                . " location ^~ /docs/ { alias $docs/; } location ~ ^/x { alias $other; } } }\n"
            : "<VirtualHost *:80>\nDocumentRoot $other\nAlias /docs $other\n</VirtualHost>\n"
                . "<VirtualHost *:80>\nDocumentRoot \"$root\"\n<Location /docs>\nAlias \"$docs\"\n</Location>\n"
                . "Header edit Location /docs /\n</VirtualHost>\n");
        my $object = object($root, $log, '--config', "$dir/site.conf");
        is_deeply [@$object{qw(failed answered names)}], [5, 5, 11], 'requests and names';
        is_deeply [map { "$_->{path} @{ $_->{charsets} }" } @{ $object->{places} }],
            ['docs/ UTF-8 windows-1251'], 'the charset of the directory';
        $object = object($root, join('', map { line($_, 404) . line("/docs/" . percent(in_charset('cp1251',
                        substr($_, 6) =~ s/%(..)/chr hex $1/ger)), 200) } @targets), '--config', "$dir/site.conf", '--verify');
        is_deeply [@$object{qw(kept changed)}], [5, 0], 'files that are found today';
        my ($code, $conf) = advise($root, $log, '--config', "$dir/site.conf");
        if ($kind eq 'nginx') {
            like $conf, qr{^# location "/docs/" \{}m, 'a location with the prefix';
            $conf =~ s/^# (?=location|    iri|\})//mg;
            $conf =~ s{(location "/docs/" \{)}{$1 alias $docs/;};
        } else {
            like $conf, qr{^<Directory "\Q$docs\E/">}m, 'a section of the directory';
            $conf = "Alias /docs $docs\n<Directory $docs>\nRequire all granted\n</Directory>\n$conf";
        }
        my $server = run_server($kind, $root, $conf);
        is $server->get($targets[$_])->{body}, "$russian[$_]\n", "on the server: $russian[$_]" for 0 .. 4;
        $server->stop;
    };
}

subtest 'roots of a configuration' => sub {
    my ($root, $static) = (tree('a'), tree(map {
                'static/' . in_charset('cp1251', $_) } @russian));
    my $log = line('/static/' . percent($russian[0]), 404);
    for (["root $root;", 'of all servers'], ["server { root $root; }\nserver { root $static; }", 'of the first'])
    {
        my ($conf, $name) = @$_;
        spew("$dir/site.conf", "http { $conf }\n");
        my ($code, $out) = capture('', $iri, 'advise', '--json', '--config', "$dir/site.conf");
        is JSON::PP::decode_json($out)->{root}, $root, "a root $name";
    }
    spew("$dir/site.conf", "server { root $root; location /static/ { if (\$x) { return 403; }\nroot $static; } }\n");
    is object($root, $log, '--config', "$dir/site.conf")->{answered}, 1, 'a root of a location';
    spew("$dir/site.conf", "server { root $root; location = /static/ { root $static; } }\n");
    is object($root, $log, '--config', "$dir/site.conf")->{answered}, 0, 'not of an exact one';
    spew("$dir/site.conf", "Alias /static/ $root/none/\nDocumentRoot $root\n");
    my $object = object($root, $log, '--config', "$dir/site.conf");
    is_deeply [@$object{qw(answered unread)}], [0, 0], 'a directory that is absent';
    spew("$dir/site.conf", "Alias /s $dir/none/\nDocumentRoot $root\n");
    is object($root, $log, '--config', "$dir/site.conf")->{unread}, 1, 'one that is absent elsewhere';
};

subtest 'error pages' => sub {
    my $log = line('/neu/%C3%89t%C3%A9.html', 200) . line('/neu/%C3%A9t%C3%A9.html', 200)
        . line('/neu/Gr%C3%96%C3%9Fe.html', 302);
    for (['error_page 404 =200 /index.php;', 1], ['error_page 500 404 = /index.php;', 1],
        ['error_page 404 /404.html;', 0], ['error_page 500 =200 /e;', 0],
        ['error_page 404 http://a.example/;', 1], ["error_page 404 /a; error_page 404 =302 /b;", 1],
        ['ErrorDocument 404 http://a.example/', 1], ['ErrorDocument 404 /e', 0],
        ['ErrorDocument 404 "see http://a.example/"', 0])
    {
        my ($conf, $failed) = @$_;
        spew("$dir/site.conf", "$conf\n");
        is object($site, $log, '--config', "$dir/site.conf")->{failed}, $failed, $conf;
    }
};

subtest 'links' => sub {
    my $root = tree('a/b', map { in_charset('euc-jp', "$_.html") } @japanese);
    my $away = tree(map { in_charset('cp1251', "$_.html") } @russian);
    symlink $away, "$root/l";
    symlink "$root/..", "$root/a/up";
    symlink "$root/a", "$root/c";
    symlink 'none', "$root/d";
    my $object = object($root, line('/l/' . percent("$russian[0].html"), 404));
    is_deeply [@$object{qw(answered names directories links)}], [1, 17, 3, 2], 'each directory once';
    is_deeply [map { $_->{path} } @{ $object->{places} }], ['l/'], 'a directory behind a link';
};

subtest 'without a log' => sub {
    my $root = tree(map { in_charset('cp932', $_) . '.html' } @japanese);
    is_deeply settings(object($root, '')),
        { iri => 'on', iri_charset => 'Shift_JIS', iri_filename_charset => 'UTF-8 Shift_JIS' }, 'Shift_JIS';
    is_deeply settings(object(tree('a', 'b/c'), '')), { iri => 'on' }, 'only ASCII';
    like +(advise(tree('a'), ''))[1], qr/^iri on; +# harmless, /m, 'which says so';
    is_deeply settings(object(tree('é', 'b/ü'), '')), { iri => 'on', iri_filename_form => 'nfc' }, 'NFC';
    is_deeply settings(object(tree("e\xCC\x81", "b/u\xCC\x88"), '')),
        { iri => 'on', iri_filename_form => 'nfd' }, 'NFD';
    is_deeply settings(object(tree("e\xCC\x81", 'b/ü'), '')), { iri => 'on' }, 'both forms';
    is_deeply settings(object(tree("\xE9", "\xFF\x01"), '')), { iri => 'on', iri_invalid => 'pass' }, 'no charset decodes it';
};

subtest 'evidence of a log' => sub {
    # One word that windows-1252 and windows-1251 decode to letters.
    my $root = tree("\xE4\xF6");
    my $object = object($root, line('/%D0%B4%D1%86', 404));
    is settings($object)->{iri_filename_charset}, 'UTF-8 windows-1251', 'clients ask for this name';
    $object = object($root, line('/%C3%A4%C3%B6', 404));
    is settings($object)->{iri_filename_charset}, 'UTF-8 windows-1252', 'or for that one';
};

subtest 'differences and repairs' => sub {
    my $root = tree('été.html', 'Größe.html', 'ガイド.html', 'Readme', 'kitten.html', 'đường.html', 'a b');
    my %rows = (
        '/GR%C3%96SSE.html' => [iri_match => 'case'],
        '/%EF%BD%B6%EF%BE%9E%EF%BD%B2%EF%BE%84%EF%BE%9E.html' => [iri_match => 'width'],
        '/%25C3%25A9t%25C3%25A9.html' => [iri_repair => 'double-encoding'],
        '/%C3%83%C2%A9t%C3%83%C2%A9.html' => [iri_repair => 'mojibake'],
        '/%u00E9t%u00E9.html' => [iri_repair => '%u'],
        '/Readme%E2%80%8B' => [iri_repair => 'invisible'],
        '/Readme).' => [iri_repair => 'trailing'],
        '/a+b' => [iri_repair => 'plus'],
    );
    for my $target (sort keys %rows) {
        my ($directive, $value) = @{ $rows{$target} };
        is_deeply settings(object($root, line($target, 404))),
            { iri => 'on', iri_filename_form => 'nfc', $directive => $value }, "$directive $value";
    }
    is settings(object(tree('1－2.html', 'ü', "u\xCC\x88"), line('/1%E2%88%922.html', 404)))->{iri_match},
        'variants', 'iri_match variants, which form nfc excludes';
    my $variants = object(tree('ș.html', 'ک.html', "ی\xE2\x80\x8Cخ.html"),
        join '', map { line($_, 404) } '/%C5%9F.html', ('/%D9%83.html') x 2, ('/%DB%8C%D8%AE.html') x 3);
    my ($proposed) = grep { $_->{directive} eq 'iri_match' } @{ $variants->{settings} };
    is $proposed->{value}, 'variants:arabic variants:romanian variants:joiners', 'each group of variants';
    is_deeply [$proposed->{why} =~ /(\d+)/g], [2, 1, 3], 'with its requests';
    for (['/kiten.html', 'spelling'], ['/ete.html', 'accents'], ['/duong.html', 'accents:latin']) {
        my ($target, $word) = @$_;
        my $object = object($root, line($target, 404));
        is settings($object)->{iri_match}, undef, "$word is not set";
        is_deeply [map { $_->{value} } grep { $_->{directive} eq 'iri_match' } @{ $object->{settings} }],
            [$word], "$word alone is left to the administrator";
        my ($code, $out) = advise($root, line($target, 404));
        like $out, qr/^# iri_match $word; /m, 'as a comment';
        like Encode::encode('UTF-8', $object->{lost}[0]{nearest}), qr/^\/(kitten|été|đường)\.html$/, 'the nearest name';
    }
};

subtest 'trouble in the tree' => sub {
    my $object = object(tree("\xC3\xA9", "e\xCC\x81", 'a/A', 'a/a'), line('/A/a', 404));
    my %trouble = map { $_->{kind} => $_ } @{ $object->{trouble} };
    is_deeply [sort keys %trouble], ['collision', 'twin'], 'kinds';
    is $trouble{twin}{count}, 1, 'the number';
};

subtest 'access rules' => sub {
    my $euc = in_charset('euc-jp', '案内');
    my %rules = (
        nginx => { bad => "location /$euc/ { deny all; }", good => 'location /案内/ { deny all; }',
            open => "location /$euc/ { expires 1d; }", rewrite => "rewrite ^/$euc /e last;",
            if => "if (\$uri ~ ^/$euc)\n{ return 403; }", comment => "\n# $euc\n",
            octet => 'location ~ "^/\xB0" { deny all; }', octal => 'location ~ "^/\260" { deny all; }',
            set => 'location ~ "^/%[Bb]0" { deny all; }', group => 'location ~ "^/%(B0|b0)" { deny all; }',
            braces => 'location ~ "^/\x{e9}" { deny all; }', escape => 'location ~ "^/\o{351}" { deny all; }',
            mark => "location ~ e[\xCC\x81] { deny all; }", safe => 'location ~ "^/\d+\.html$" { deny all; }',
            joined => "# a \\\n location /$euc/ { deny all; }",
            nfd => "location /e\xCC\x81 { return 404; }", regex => "location ~ $euc { internal; }",
            nested => "location / { location /%E6%A1%88/ { auth_basic x; } }",
            quoted => qq{location "/$euc\\"" { deny all; }} },
        httpd => { bad => "<Location \"/$euc/\">\n Require all denied\n</Location>",
            good => "<Location \"/案内/\">\n Require all denied\n</Location>",
            open => "<Location /$euc/>\n Require all granted\n</Location>",
            rewrite => "RewriteRule ^/$euc - [F]", define => "Define N $euc", comment => "  # $euc",
            nfd => "<LocationMatch e\xCC\x81>\n Deny from all\n</LocationMatch>",
            regex => "<Location ~ $euc>\n AuthType Basic\n</Location>",
            nested => "<VirtualHost *:80>\n<If true>\n<Location \\\n\"/%E6%A1%88/\">\nRequire user a\n</Location>\n</If>\n</VirtualHost>",
            quoted => "<FilesMatch '$euc'>\n Require all denied\n</FilesMatch>",
            joined => "<Location /cafe\\\n\xCC\x81>\n Require all denied\n</Location>",
            crlf => "<Location /%\\\r\nE9>\r\n Require all denied\r\n</Location>\r" },
    );
    for my $server (sort keys %rules) {
        for my $name (sort keys %{ $rules{$server} }) {
            my $conf = $rules{$server}{$name};
            $conf = "Listen 80\n$conf\n" if $server eq 'httpd';
            $conf = "# }\nhttp { server { root /a; $conf\n } }\n" if $server eq 'nginx';
            spew("$dir/server.conf", $conf);
            my $safe = $name =~ /good|safe/;
            my ($code, $out) = advise($site, $log, '--config', "$dir/server.conf");
            is $code, $safe ? 0 : 1, "$server: $name: exit code";
            my $active = () = $out =~ /^\s*[^#\s]/mg;
            ok $safe ? $active : !$active, "$server: $name: "
                . ($safe ? 'a proposal' : 'all lines are comments');
            like $out, qr/server\.conf:\d+: "/, "$server: $name: file and line" if !$safe;
        }
    }
    for (['nginx', "http { server { server_name a.example xn--bcher-kva.example; root $site/old; } }\n", 'iri_host'],
        ['httpd', "DocumentRoot \"$site/old\"\nServerAlias bücher.example\n", 'IRIHost'])
    {
        my ($server, $conf, $directive) = @$_;
        spew("$dir/server.conf", $conf);
        my ($code, $out, $err) = capture('', $iri, 'advise', '--json', '--config', "$dir/server.conf");
        my $object = JSON::PP::decode_json($out);
        is $object->{root}, "$site/old", "$server: the document root";
        is $object->{server}, $server, "$server: the server";
        is_deeply [map { $_->{optional} } grep { $_->{directive} eq $directive } @{ $object->{settings} }],
            [JSON::PP::true], "$server: an IDN";
    }
    mkdir "$dir/sub";
    spew("$dir/server.conf", "http { include sub/*.conf; }\n");
    spew("$dir/sub/a.conf", "server { location /$euc { deny all; } }\n");
    my ($code, $out) = advise($site, $log, '--config', "$dir/server.conf");
    like $out, qr{sub/a\.conf:1: }, 'an included file';
    spew("$dir/sub/a.conf", "include sub/a.conf;\n");
    ($code, undef, my $err) = advise($site, $log, '--config', "$dir/server.conf");
    is $code, 2, 'a file that includes itself: exit code';
    like $err, qr/is included by itself/, 'the message';
    spew("$dir/sub/a.conf", "server { location /$euc { deny all; } }\n");
    mkdir "$dir/dot";
    spew("$dir/dot/.a.conf", "<Location /$euc>\n</Location>\n");
    for (['include sub/*.conf; # text', 'the same line'], ["user root; include sub/a.conf;", 'a second directive'],
        ["Incl\\\nude sub/a.conf", 'a joined line'], ["Include 'sub/a.conf'", 'quotes'],
        ["ServerRoot $dir/sub\nIncludeOptional a.conf", 'ServerRoot'], ["Include dot", 'a directory'])
    {
        my ($conf, $name) = @$_;
        spew("$dir/server.conf", "$conf\n");
        ($code, $out) = advise($site, $log, '--config', "$dir/server.conf");
        is $code, 1, "$name: exit code";
        like $out, qr{a\.conf:1: }, "$name: the included file";
    }
    mkdir "$dir/none";
    POSIX::mkfifo("$dir/fifo", 0600);
    for (['Include ${DIR}/a.conf', qr/server\.conf:1: "Include" cannot be followed/, 'a variable'],
        ["# text\ninclude\nsub/a.conf;", qr/server\.conf:2: "include" cannot be followed/, 'the next line'],
        ['Include "sub/a.conf', qr/cannot be followed/, 'no closing quote'],
        ['Include missing/*.conf', qr/cannot find or read ".*missing/, 'a missing directory'],
        ['Include sub/b.conf', qr/cannot find or read ".*b\.conf/, 'a missing file'],
        ["Include $dir/fifo", qr/it is not a regular file/, 'a FIFO'],
        ['IncludeOptional /dev/null', qr{cannot read "/dev/null": it is not a regular file}, 'a device'],
        ["ServerRoot /a\nServerRoot /b", qr{server\.conf:2: there is another ServerRoot, "/a/"}, 'ServerRoot'])
    {
        my ($conf, $message, $name) = @$_;
        spew("$dir/server.conf", "$conf\n");
        ($code, undef, $err) = advise($site, $log, '--config', "$dir/server.conf");
        is $code, 2, "$name: exit code";
        like $err, $message, "$name: the message";
    }
    for ('IncludeOptional sub/b.conf', 'Include none/*.conf') {
        spew("$dir/server.conf", "$_\n");
        is +(advise($site, $log, '--config', "$dir/server.conf"))[0], 0, "$_: no file is included";
    }
    ($code, undef, $err) = advise($site, $log, '--config', "$dir/none.conf");
    like $err, qr/cannot read .*none\.conf/, 'no file';
};

subtest 'requests that did not fail' => sub {
    my $object = object($site, line('http://a.example/neu/%C3%A9t%C3%A9.html', 200) . line('/Logo.gif%ZZ', 200)
            . line('/neu/%C3%A9t%C3%A9.html', 304) . line('/neu/none%C3%A9', 200), '--verify');
    is_deeply [@$object{qw(kept changed)}], [2, 0], 'the same file; one that is not there';
    is object($site, line('/' . '%E9' x 5000, 404))->{failed}, 0, 'a path that no server looks up';
};

# Its name is that of é in NFC, which the server finds instead.
subtest 'a file that would not be found' => sub {
    my $root = tree('é', "e\xCC\x81");
    my $log = line('/e%CC%81', 200) x 3;
    my $object = object($root, $log);
    is_deeply $object->{broken}, [{ requests => 3, outcome => 'found', target => '/e%CC%81' }], 'the request';
    my ($code, $out) = advise($root, $log);
    unlike $out, qr/^iri/m, 'all lines are comments';
};

subtest 'names in no known charset' => sub {
    my $root = tree(in_charset('cp1252', 'café.html'));
    my $object = object($root, line('/caf%E9.html', 200), '--verify');
    is settings($object)->{iri_invalid}, 'pass', 'are requested by their octets';
    is_deeply [@$object{qw(kept changed)}], [1, 0], 'as before';
};

# A log cannot choose the charset of names that are likely to be in another one.
subtest 'requests for names as another charset reads them' => sub {
    for (\@russian, [qw(отзови букинист)]) {
        my @names = map { in_charset('cp1251', $_) } @$_;
        my $log = join '', map {
            line('/' . percent(Encode::encode('UTF-8', Encode::decode('koi8-r', $_))), 404) x 9 } @names;
        is settings(object(tree(@names), $log))->{iri_filename_charset}, 'UTF-8 windows-1251',
            "do not count: @$_";
    }
};

subtest 'PATH_INFO is no answer' => sub {
    my $log = join '', map { line("/Logo.gif/$_", 404) } '%E9%E8', '%B0%C6', "e%CC%81";
    my $object = object($site, $log);
    is $object->{answered}, 0, 'no request';
    is settings($object)->{iri_charset}, 'EUC-JP windows-1251', 'no charset but those of names';
};

subtest 'existing names come first' => sub {
    # Requests in eight other charsets for names of the site.
    my @charsets = qw(cp932 gb18030 big5 euc-kr cp1252 koi8-r cp866 cp1250 iso-8859-2 cp1253);
    my $root = tree((map { in_charset('cp1251', "$_.html") } @russian), map { "$_.html" } qw(日 Ж é ж ł ω));
    my $log = join '', map { my $c = $_; map { my $o = eval { in_charset($c, "$_.html") } // '';
            $o =~ /\?/ || $o eq '' ? () : line('/' . percent($o), 404) x 20 } qw(日 Ж é ж ł ω) } @charsets;
    $log .= join '', map { line('/' . percent(in_charset('cp1251', "$_.html")), 200) } @russian;
    my $object = object($root, $log, '--verify');
    like settings($object)->{iri_charset}, qr/windows-1251/, 'their charset is in the list';
    is $object->{changed}, 0, 'no request is lost';
};

subtest 'two directories with one name' => sub {
    my @two = ("\xC3\xA9", "e\xCC\x81");
    my $root = tree((map { my $d = $_; map { "$d/" . in_charset('cp1251', "$_.html") } @russian } @two),
        map { in_charset('euc-jp', "$_.html") } @japanese);
    my $object = object($root, '');
    is_deeply [map { "@{ $_->{charsets} } $_->{names}" } @{ $object->{places} }], ['UTF-8 windows-1251 10'],
        'one section';
    $root = tree((map { "\xC3\xA9/" . in_charset('cp1251', "$_.html") } @russian),
        (map { "e\xCC\x81/" . in_charset('cp932', "$_.html") } @japanese),
        map { in_charset('euc-jp', "$_.html") } @japanese);
    my ($code, $out) = advise($root, '', '--server', 'httpd');
    unlike $out, qr/^<Directory/m, 'other charsets: comments';
};

subtest 'long lines' => sub {
    my ($code, $out) = advise($site, line('/' . 'a' x 8000, 404) . line('/' . '%E9' x 1300, 404, 'http://a/' . 'r' x 4000));
    is scalar(grep { length > 1500 } split /\n/, $out), 0, 'comments are cut';
    my $segments = join '', map { line('/d' x 1000 . "/$_%E9", 404) } 1 .. 20;
    my $cpu = cpu_of(sub { advise(tree('d/a'), $segments) });
    cmp_ok $cpu, '<', 5, 'a path of 1,000 segments';
};

subtest 'the order of charsets' => sub {
    my $root = tree(map { "$_.html" } @russian);
    for (['cp1251', 'koi8-r', 'windows-1251 KOI8-R'], ['koi8-r', 'cp1251', 'KOI8-R windows-1251']) {
        my ($more, $less, $value) = @$_;
        is settings(object($root, join '', map {
            line('/' . percent(in_charset($more, $_)) . '.html', 404) x 3
                . line('/' . percent(in_charset($less, $_)) . '.html', 404) } @russian))->{iri_charset},
            $value, "$more first, which has more requests";
    }
};

# B0 C5 is a name in two charsets, and both names exist.
subtest 'charsets that find different entries' => sub {
    my $root = tree("\xE6\x9A\x97", "\xEF\xBD\xB0\xEF\xBE\x85", '日本語');
    is settings(object($root, line('/%B0%C5', 404) . line('/%93%FA%96%7B%8C%EA', 404)))->{iri_charset},
        'Shift_JIS', 'one of them';
};

subtest 'names that cannot be quoted' => sub {
    for (['nginx', "a\xE2\x80\x8Bb"], ['nginx', 'a"b'], ['httpd', 'a*b'], ['httpd', 'a$b'], ['httpd', 'a"b']) {
        my ($server, $name) = @$_;
        my $root = tree((map { "$name/" . in_charset('cp1251', "$_.html") } @russian),
            (map { in_charset('euc-jp', "$_.html") } @japanese));
        spew("$dir/server.conf", "# empty\n");
        my ($code, $out) = advise($root, '', '--server', $server, '--config', "$dir/server.conf");
        like $out, qr/cannot be quoted/, "$server: a message";
        like $out, qr/^# +(IRIFilenameCharset|iri_filename_charset) UTF-8 windows-1251/m, "$server: a comment";
        unlike $out, qr/^(location|<Directory)/m, "$server: no section";
    }
};

subtest 'a location of nginx inherits nothing' => sub {
    spew("$dir/server.conf", "server\n{ root /a;\n location / { deny all; } }\n");
    my ($code, $out) = advise($site, $log, '--config', "$dir/server.conf");
    is $code, 0, 'exit code';
    like $out, qr/^iri on; /m, 'a proposal';
    unlike $out, qr/^location/m, 'without a location';
    like $out, qr/^# location "\/ru\/" \{/m, 'which is a comment';
};

subtest 'try_files is not inherited by a location' => sub {
    spew("$dir/server.conf", "server {\nroot /a;\ntry_files \$uri /index.php;\n}\n");
    my ($code, $out) = advise($site, $log, '--config', "$dir/server.conf");
    like $out, qr/^# location "\/ru\/" \{/m, 'which is a comment';
};

subtest 'a log cannot make UTF-8 names legacy' => sub {
    my $root = tree('intern/Löhne.html', 'intern/über.html');
    my $object = object($root, join '', map { line($_, 404) x 9 } '/intern/L%C3%83%C2%B6hne.html',
        '/intern/%C3%83%C2%BCber.html', '/intern/L%E6%97%A6hne.html');
    is_deeply $object->{places}, [], 'no charset for the directory';
    is settings($object)->{iri_filename_charset}, undef, 'and none for all';
};

subtest 'hostile names and lines' => sub {
    my ($root) = make_tree("a\\x1B[2J/\\xE9\\x0A\\xE8\tfile\nb\\x22;}\\xE9\\xE8/\\xE9t\\xE9\tfile\n");
    my ($code, $out, $err) = advise($root, line("/\x1B[31m%E9\x07", 404, "http://a/\x1B[2J")
        . "\0\0\n" . ('"' x 70000) . "\n" . line('/x' . '%E9' x 10000, 404));
    is $code, 0, 'exit code';
    unlike "$out$err", qr/[\x00-\x09\x0B-\x1F\x7F]/, 'no control characters';
    for my $server (qw(nginx httpd)) {
        ($code, $out) = advise($root, line('/%E9', 404), '--server', $server);
        unlike $out, qr/^[^#\n]*b"/m, "$server: a name with a quote is not written";
    }
};

subtest 'formats of logs' => sub {
    my $target = '/neu/e%CC%81te%CC%81.html';
    my %lines = (
        combined => line($target, 404),
        'with a host before and times behind' => 'a.example:80 ' . line($target, 404) =~ s/\n/ 0.001 "x"\n/r,
        'another field between' => qq{x "GET $target HTTP/2.0" "a.example" 404 1\n},
        json => qq({"request_uri":"$target","status":404,"http_referer":"http://r/"}\n),
    );
    for my $name (sort keys %lines) {
        is object($site, $lines{$name})->{answered}, 1, $name;
    }
    spew("$dir/one", line($target, 404));
    spew("$dir/two", line('/none', 404));
    my ($code, $out) = capture('', $iri, 'advise', '--json', '--root', $site, "$dir/one", "$dir/two");
    is JSON::PP::decode_json($out)->{failed}, 2, 'two logs';
};

subtest 'errors' => sub {
    my ($code, undef, $err) = capture('', $iri, 'advise', "$dir/one");
    is $code, 2, 'no root: exit code';
    like $err, qr/--root is required/, 'the message';
    ($code, undef, $err) = capture('', $iri, 'advise', '--root', $site, "$dir/missing");
    is $code, 1, 'no log: exit code';
    like $err, qr/cannot read ".*missing"/, 'the message';
    ($code, undef, $err) = capture('', $iri, 'advise', '--root', $site, '--server', 'iis');
    is $code, 2, 'another server: exit code';
    like $err, qr/--server must be "nginx" or "httpd"/, 'the message';
    spew("$dir/nolog", "no log\n");
    ($code) = capture('', $iri, 'advise', '--root', $site, "$dir/nolog");
    is $code, 1, 'a file that is no log';
};

subtest 'random sites' => sub {
    plan skip_all => "no words in $names" if !-d $names;
    my ($code, $out) = capture('', "$FindBin::Bin/advise/accuracy", '--sites=15', '--seed=7');
    is $code, 0, 'no wrong file';
    my ($right) = $out =~ /^findable .* ([\d.]+) % right$/m;
    cmp_ok $right, '>=', 99.5, 'requests that find their file';
    my ($wrong, $all) = $out =~ /^all +(\d+), +(\d+)/m;
    cmp_ok $all, '>=', 10, 'directories in a legacy charset';
    cmp_ok $wrong, '<=', $all / 50, 'their charsets';
};

# A name on disk, a target, and the word that answers it.
my @words = (
    ["\xE3\x80\x9C", "/\xEF\xBD\x9E", 'variants'],
    ["\xD9\x8A", "/\xDB\x8C", 'variants:arabic'],
    ["\xC8\x99", "/\xC5\x9F", 'variants:romanian'],
    ["\xD9\x85\xE2\x80\x8C\xD9\x86", "/\xD9\x85\xD9\x86", 'variants:joiners'],
    ['abc', "/\xEF\xBD\x81bc", 'width'],
    ['a-b', "/a\xE2\x80\x93b", 'punctuation'],
    ['abc', '/ABC', 'case'],
    ["\xC3\xA9", '/%25C3%25A9', 'double-encoding'],
    ["\xC3\xA9", '/%C3%83%C2%A9', 'mojibake'],
    ["\xC3\xA9", '/%25u00E9', '%u'],
    ['abc', "/a\xE2\x80\x8Bbc", 'invisible'],
    ['abc', '/abc).', 'trailing'],
    ['a b', '/a+b', 'plus'],
    ["\xC3\xA9", '/e', 'accents'],
    ["\xC5\x82", '/l', 'accents:latin'],
    ['abcd', '/abxd', 'spelling'],
);

subtest 'each word of iri_match and iri_repair' => sub {
    for (@words) {
        my ($name, $target, $word) = @$_;
        my $object = object(tree($name, "u\xCC\x88mlaut"), line($target, 404) x 2 . line('/none', 404));
        my @got = grep { $_->{directive} =~ /^iri_(?:match|repair)\z/ } @{ $object->{settings} };
        is_deeply [map { "$_->{value} $_->{requests}" } @got], ["$word 2"], $word;
    }
};

done_testing;
