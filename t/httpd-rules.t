# httpd: its rules judge the canonical path of the file that is opened: each
# kind of section and mapping, over names that are in EUC-JP on disk, requested
# in every form.
use IRI::Test 'httpd';
use Encode ();
use File::Path 'make_path';
use IRI::Octets qw(in_charset percent);

# All forms of a path, by their names.
sub forms {
    my ($path) = @_;
    my $nfd = Encode::encode('UTF-8',
        Unicode::Normalize::NFD(Encode::decode('UTF-8', $path)));
    return (
        escaped   => percent($path),
        native    => $path,
        lower     => lc percent($path),
        nfd       => percent($nfd),
        euc       => percent(in_charset($path, 'euc-jp')),
        'raw euc' => in_charset($path, 'euc-jp'),
        sjis      => percent(in_charset($path, 'cp932')),
    );
}

require Unicode::Normalize;

my $names = join '', map { "$_\tfile\n" } map { escaped($_) } qw(
    場所/が.html 場所外.html 一致/秘密.html 一致/公開.html 目録/が.html
    目録外/が.html 棚/秘密.txt 棚/公開.txt 条件/が.html 設定/が.html
    本名/が.html home/太郎/が.html 新/が.html 書換/新.html 書換/基.html
    書換/表.html 書換/下/新.html 型/鍵.html 型/他.html index.html
);
my ($root) = make_tree("\@charset EUC-JP\n$names");

# A second tree, outside of the document root, and links.
my ($outside) = make_tree("\@charset EUC-JP\n"
    . escaped('外/が.html') . "\tfile\n");
symlink $outside, "$root/" . in_charset($_, 'euc-jp') for '環';
mkdir "$root/" . in_charset('断', 'euc-jp');
symlink "$outside/" . in_charset('外', 'euc-jp'),
    "$root/" . in_charset('断/外', 'euc-jp');

# The path of a name on disk.
sub on_disk { return "$root/" . in_charset($_[0], 'euc-jp') }

spew(on_disk('設定/.htaccess'), "Require all denied\n");
spew(on_disk('書換/.htaccess'), <<'END');
RewriteEngine On
RewriteRule ^old\.html$ index-new.html [L]
RewriteRule ^index-new\.html$ - [L,E=SEEN:1]
RewriteRule ^(.+)\.old$ $1.html [L]
RewriteRule ^下/(.+)\.fwd$ 下/$1.html [L]
RewriteCond %{ENV:IRI_PATH} ^/書換/旧\.html$
RewriteRule . 新.html [L]
END
spew(on_disk('書換/index-new.html'), "rewritten\n");
mkdir on_disk('書基');
spew(on_disk('書基/.htaccess'), <<'END');
RewriteEngine On
RewriteBase "/書基/"
RewriteRule ^old\.html$ index-new.html [L]
END
spew(on_disk('書基/index-new.html'), "with base\n");

my $tmp = temp_dir();
symlink $outside, "$tmp/outside";
my $server = httpd(
    root => $root, tmp => $tmp, modules => [qw(rewrite userdir env setenvif)],
    conf => <<'END' =~ s/\+(\w+);/pack 'H*', $1/ger);
IRIEngine On
IRICharset EUC-JP Shift_JIS
IRIFilenameCharset EUC-JP
<Location "/場所">
    Require all denied
</Location>
<LocationMatch "^/一致/秘.\.html|^/一致/秘密">
    Require all denied
</LocationMatch>
<Directory "%%ROOT%%/目録">
    Require all denied
</Directory>
<Directory "%%ROOT%%/設定">
    AllowOverride AuthConfig
</Directory>
<Directory "%%ROOT%%/書換">
    AllowOverride FileInfo
</Directory>
<Directory "%%ROOT%%/書基">
    AllowOverride FileInfo
</Directory>
<Files "秘密.txt">
    Require all denied
</Files>
<FilesMatch "^鍵\.">
    Require all denied
</FilesMatch>
<If "%{REQUEST_URI} =~ m#^/条件/#">
    Require all denied
</If>
Alias "/別名" "%%ROOT%%/本名"
Alias "/外名/" "%%ROOT%%/本名/"
Alias "/遠" "%%TMP%%/outside"
AliasMatch "^/正規/(.*)" "%%TMP%%/outside/$1"
<Directory "%%ROOT%%/断">
    Options None
</Directory>
UserDir "%%ROOT%%/home"
RewriteEngine On
RewriteRule "^/旧/(.*)$" "/新/$1" [PT]
RewriteRule "^/表/(.*)$" "/新/$1"
RewriteRule "^/絶対/(.*)$" "%%ROOT%%/新/$1"
RewriteRule "^/分解/" "/新/か+E38299;.html"
RewriteRule "^/古/" "/+BFB7;/+A4AC;.html"
RewriteRule "^/通過/" "/新/か+E38299;.html" [PT]
# Here octets on disk cannot be used in requests.
<VirtualHost 127.0.0.1:%%PORTplain%%>
    IRICharset none
</VirtualHost>
END

# path, status, body (a path on disk, or text), what is tested
my @cases = (
    ['/場所/が.html', 403, undef, '<Location>'],
    ['/場所外.html', 200, '場所外.html', '<Location> ends at a segment'],
    ['/一致/秘密.html', 403, undef, '<LocationMatch>'],
    ['/一致/公開.html', 200, '一致/公開.html', '<LocationMatch>, other'],
    ['/目録/が.html', 403, undef, '<Directory>'],
    ['/目録外/が.html', 200, '目録外/が.html', '<Directory>, other'],
    ['/棚/秘密.txt', 403, undef, '<Files>'],
    ['/棚/秘密.txt/公開.txt', 403, undef, '<Files>, with PATH_INFO'],
    ['/棚/公開.txt', 200, '棚/公開.txt', '<Files>, other'],
    ['/棚/公開.txt/秘密.txt', 404, undef, '<Files>, other, with PATH_INFO'],
    ['/型/鍵.html', 403, undef, '<FilesMatch>'],
    ['/型/他.html', 200, '型/他.html', '<FilesMatch>, other'],
    ['/条件/が.html', 403, undef, '<If>'],
    ['/設定/が.html', 403, undef, '.htaccess'],
    ['/別名/が.html', 200, '本名/が.html', 'Alias'],
    ['/外名/が.html', 200, '本名/が.html', 'Alias with a slash'],
    ['/遠/外/が.html', 200, '外/が.html', 'Alias to elsewhere'],
    ['/正規/外/が.html', 200, '外/が.html', 'AliasMatch to elsewhere'],
    ['/環/外/が.html', 200, '外/が.html', 'a symbolic link'],
    ['/断/外/が.html', 403, undef, 'a symbolic link, not followed'],
    ['/~太郎/が.html', 200, 'home/太郎/が.html', 'UserDir'],
    ['/旧/が.html', 200, '新/が.html', 'RewriteRule [PT]'],
    ['/表/が.html', 200, '新/が.html', 'RewriteRule to a URL'],
    ['/絶対/が.html', 200, '新/が.html', 'RewriteRule to a file'],
    ['/分解/', 404, undef, 'RewriteRule to NFD'],
    ['/古/', 404, undef, 'RewriteRule to EUC-JP'],
    ['/通過/', 404, undef, 'RewriteRule to NFD, [PT]'],
    ['/書換/old.html', 200, "rewritten\n", 'per-dir, no base'],
    ['/書換/旧.html', 200, '書換/新.html', 'per-dir, RewriteCond'],
    ['/書換/表.old', 200, '書換/表.html', 'per-dir, part of a name'],
    ['/書基/old.html', 200, "with base\n", 'per-dir, RewriteBase'],
);
for my $case (@cases) {
    my ($path, $status, $body, $test_name) = @$case;
    my %form = forms($path);
    for my $form (sort keys %form) {
        my $answer = $server->get($form{$form});
        my $ok = $answer->status == $status;
        $ok &&= $answer->body eq (
            $body =~ /\n/ ? $body : escaped(in_charset($body, 'euc-jp')))
            if defined $body;
        ok $ok, "$test_name, $form"
            or diag 'status ', $answer->status, ' ', $answer->body;
    }
}

# Without IRICharset octets on disk are no valid request, but a redirect that a
# RewriteRule makes of them is.
my $plain = $server->port('plain');
for my $case (grep { $_->[3] =~ /^per-dir/ } @cases) {
    my ($path, $status, $body, $test_name) = @$case;
    $body = escaped(in_charset($body, 'euc-jp')) if $body !~ /\n/;
    is $server->get(percent($path), port => $plain)->body, $body,
        "no IRICharset: $test_name";
}
# An entry cannot be requested by its octets on disk if they mean another name:
# EUC-JP C9BD (a kanji) is U+027D in UTF-8.
my ($identity) = make_tree('euc');
my $strict = httpd(root => $identity, conf => <<'END');
IRIEngine On
IRIFilenameCharset EUC-JP
<Location "/表.txt">
    Require all denied
</Location>
END
is $strict->get('/%E8%A1%A8.txt')->status, 403, 'the name is denied';
is $strict->get('/%C9%BD.txt')->status, 404,
    'its octets on disk are another name';
is $strict->get("/\xC9\xBD.txt")->status, 404, 'also raw';
# A RewriteRule of a directory is matched against octets on disk: its result
# for the rest of a path leads to the same names, also where no charset of
# IRICharset decodes them.
for my $disk ('EUC-JP', 'NFD') {
    my $write = sub {
        my ($name) = @_;
        return in_charset($name, 'euc-jp') if $disk eq 'EUC-JP';
        return Encode::encode('UTF-8',
            Unicode::Normalize::NFD(Encode::decode('UTF-8', $name)));
    };
    my $site = temp_dir();
    for my $name (map { my $top = $_; map { "$top/$_" } 'がく/が.txt',
        'がく/秘.txt', 'がく/index.html' } qw(into base to out away))
    {
        my $path = '';
        $path .= "/$_", mkdir "$site$path"
            for map { $write->($_) } ($name =~ m{([^/]+)(?=/)}g);
        spew("$site/" . $write->($name), $name);
    }
    spew("$site/.htaccess", <<'END');
RewriteEngine On
RewriteRule ^into/(.*)$ out/$1 [END]
RewriteRule ^base/(.*)$ /out/$1 [L]
RewriteRule ^to/(.*)$ /out/$1 [R=302,L]
RewriteRule ^away/(.*)$ http://other.example/out/$1 [R=302,NE,L]
END
    my $rules = httpd(root => $site, modules => ['rewrite'], conf => <<"END");
IRIEngine On
@{[$disk eq 'NFD' ? '' : "IRIFilenameCharset $disk"]}
<Directory "%%ROOT%%">
    AllowOverride FileInfo
</Directory>
<Location "/out/がく/秘.txt">
    Require all denied
</Location>
END
    for my $from (qw(into base)) {
        for my $form (percent("/$from/がく/が.txt"), "/$from/がく/が.txt",
            "/$from/" . percent(Encode::encode('UTF-8', Unicode::Normalize::NFD(
                Encode::decode('UTF-8', 'がく/が.txt')))))
        {
            my $answer = $rules->get($form);
            is $answer->status . $answer->body, '200out/がく/が.txt',
                "$disk, a rule with the rest of $form";
        }
        is $rules->get(percent "/$from/がく/秘.txt")->status, 403,
            "$disk, $from: it is judged";
        my $index = $rules->get(percent "/$from/がく/");
        is $index->status . $index->body, '200out/がく/index.html',
            "$disk, $from: a directory";
        is $rules->get(percent "/$from/がく/無.txt")->status, 404,
            "$disk, $from: absent";
    }
    like $rules->get(percent('/to/がく/が.txt') . '?q=1')->header('Location'),
        qr{^http://[^/]+\Q@{[percent('/out/がく/が.txt')]}\E\?q=1\z},
        "$disk, a redirect";
    like $rules->get(percent '/away/がく/が.txt')->header('Location'),
        qr{^http://other\.example/out/\Q@{[percent($write->('がく/が.txt'))]}},
        "$disk, a redirect to another host keeps its octets";
}

# SetEnvIf sees a path that a rule of a directory has made unescaped.
my $seen_site = temp_dir();
mkdir "$seen_site/$_" for 'out', 'out/表';
spew("$seen_site/out/表/a.txt", 'a');
spew("$seen_site/.htaccess", <<'END');
RewriteEngine On
RewriteCond %{REQUEST_URI} !^/out/
RewriteRule ^(.*)$ out/$1 [L]
END
for my $engine (qw(Off On)) {
    my $seen = httpd(root => $seen_site, modules => [qw(rewrite setenvif)],
        conf => <<"END");
IRIEngine $engine
IRICharset EUC-JP
SetEnvIf Request_URI "^/out/表/" blocked
<Directory "%%ROOT%%">
    AllowOverride FileInfo
</Directory>
<Directory "%%ROOT%%/out">
    <RequireAll>
        Require all granted
        Require not env blocked
    </RequireAll>
</Directory>
END
    is $seen->get($_)->status, 403, "SetEnvIf behind a rule, $engine: $_"
        for percent('/表/a.txt'), '/表/a.txt', $engine eq 'On'
            ? percent(in_charset('/表/a.txt', 'euc-jp')) : ();
    is_deeply [grep { !/AH01630/ } $seen->errors(
        ignore => qr/has no effect/)], [], "SetEnvIf, $engine: log";
}

# httpd decodes the result of a rule of a directory once more. Rules have
# judged it before that, so it is read as httpd itself would find it.
my $twice_site = temp_dir();
mkdir "$twice_site/$_" for 'store', 'store/表';
spew("$twice_site/store/表/a.txt", 'a');
spew("$twice_site/.htaccess", <<'END');
RewriteEngine On
RewriteCond %{REQUEST_URI} !^/store/
RewriteRule ^(.*)$ /store/$1 [L]
END
my $twice = httpd(root => $twice_site, modules => ['rewrite'], conf => <<'END');
IRIEngine On
IRICharset EUC-JP Shift_JIS
<Directory "%%ROOT%%">
    AllowOverride FileInfo
</Directory>
<Location "/表">
    Require all denied
</Location>
END
is $twice->get($_)->status, 403, "denied: $_"
    for percent('/表/a.txt'), percent(in_charset('/表/a.txt', 'euc-jp')),
    percent(in_charset('/表/a.txt', 'cp932'));
is $twice->get(percent('/') . percent(in_charset('表', $_)) =~ s/%/%25/gr
        . '/a.txt')->status, 404, "decoded twice: $_"
    for 'euc-jp', 'cp932';

# A name that the tree cannot encode is absent: a RewriteRule of its directory
# may rewrite it like any other.
my ($front) = make_tree("rw/abc.txt\tfile\nfb.html\tfile\tFB\n");
spew("$front/rw/.htaccess", <<'END');
RewriteEngine On
RewriteRule ^(.*)$ /fb.html?p=$1 [L]
END
my $unwritable = httpd(root => $front, modules => ['rewrite'],
    conf => <<'END');
IRIEngine On
IRIFilenameCharset windows-1252
<Directory "%%ROOT%%">
    AllowOverride All
</Directory>
END
is $unwritable->get("/rw/$_")->body, 'FB', "/rw/$_"
    for '%E8%A1%A8', '%E8%A1%A8/', '%E8%A1%A8/x', 'abc', '%C3%A9';
is $unwritable->get('/%E8%A1%A8')->status, 404, 'otherwise 404';

# A file outside the document root that a RewriteRule names is opened by its
# octets, and its name is never a URL of the site.
my $top = temp_dir();
my ($www, $beside, $files) = map { "$top/$_" } qw(www www2 files);
make_path($www, $beside, "$files/d", "$www$files/d");
my ($nfd, $jis, $vendor) = ("e\xCC\x81", "\xE3\x80\x9C", "\xEF\xBD\x9E");
spew("$www/\xFF.html",            'undecodable');
spew("$beside/$nfd.html",         'beside');
spew("$files/d/$vendor.html",     'file');
spew("$www$files/d/$vendor.html", 'below the root');
my $literal = httpd(root => $www, modules => ['rewrite'], conf => <<"END");
IRIEngine On
IRICharset EUC-JP
<Directory $top>
    Require all granted
</Directory>
RewriteEngine On
RewriteRule ^/beside\$ $beside/$nfd.html
RewriteRule ^/undecodable\$ /\xFF.html
RewriteRule ^/variant\$ $files/d/$jis.html
END
my $beside_it = $literal->get('/beside');
is $beside_it->status . $beside_it->body, '200beside',
    'a file beside the root is opened literally';
is $literal->get('/undecodable')->status, 404,
    'a rewritten path that is valid in no charset';
my $variant = $literal->get('/variant');
is $variant->status, 404, 'a rewritten path whose file has another name';
unlike $variant->body, qr/below the root/, 'the file name is not used as a URL';

is_deeply [$_->errors], [], 'log' for $server, $strict, $unwritable,
    $literal;

done_testing;
