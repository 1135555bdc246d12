# The rules of SECURITY.md for software that decodes paths, a subtest for each,
# on both servers: a short proof that each is enforced. The tests that cover
# each rule completely are named at the end.
use strict;
use warnings;
use Encode ();
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;
use Unicode::Normalize 'NFD';

my $missing = missing('nginx') // missing('httpd') // missing('core');
plan skip_all => $missing if $missing;

# ---- spellings ---------------------------------------------------------------

# A text of this file, which is in UTF-8, as octets of another charset or form.
sub in_form {
    my ($charset, $text) = @_;
    $text = Encode::decode('UTF-8', $text);
    return Encode::encode('UTF-8', NFD($text)) if $charset eq 'NFD';
    return Encode::encode($charset, $text);
}

# Percent-encodes octets except ASCII.
sub uri {
    return $_[0] =~ s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ger;
}

# A text in each form that a client may use: raw and escaped, also with
# lower-case hex digits.
sub forms {
    my ($text) = @_;
    my @uris = map { uri(in_form($_, $text)) } qw(UTF-8 NFD cp932 euc-jp);
    return ($text, @uris, lc $uris[0]);
}

# ---- two servers, the same tree ----------------------------------------------

my $OUTSIDE = temp_dir();
spew("$OUTSIDE/鍵.txt", 'OUTSIDE');

my @FILES = (
    ['日本語.html' => 'JA'], ['表/表.txt' => 'TABLE'], ['表.txt' => 'TOP'],
    ['公開/鍵.txt' => 'PUBLIC'], ['秘密/鍵.txt' => 'SECRET'],
    ['.表' => 'SECRET'], ['.htpasswd' => 'SECRET'], ['名.php' => 'SECRET'],
    ['ABC.txt' => 'ABC'], ['K.txt' => 'K'], ['a;b.txt' => 'SEMICOLON'],
    ['名`.txt' => 'GRAVE'], ['café.txt' => 'CAFE'],
    ['がぎ.txt' => 'NFC'], [in_form(NFD => 'がぎ.txt') => 'NFD'],
    ['が' . in_form(NFD => 'ぎ') . '.txt' => 'PARTLY'],
    ['list/一.txt' => 'ONE'], ['list/<b>&.txt' => 'TWO'],
    ['list/.htpasswd' => 'SECRET'], ['list/名.php' => 'SECRET'],
    ['up/あ' => 'OLD'], ['closed/あ.txt' => 'CLOSED'],
    ['euc/' . in_form('euc-jp', '表.txt') => 'EUC'], ['euc/?.txt' => '?'],
    ['nah/ABC.txt' => 'ABC'], ['nah/café.txt' => 'CAFE'],
    ['nah/a/b.txt' => 'BELOW'], ['nah/名.php' => 'SECRET'],
    ['nah/.htpasswd' => 'SECRET'],
);

sub root {
    my ($root) = make_tree(
        join '', map { escaped($_->[0]) . "\tfile\t$_->[1]\n" } @FILES);
    symlink $OUTSIDE, "$root/外" or die "link: $!\n";
    chmod 0777, "$root/up" or die "up: $!\n";
    chmod 0666, "$root/up/あ" or die "up: $!\n";
    chmod 0, "$root/closed" or die "closed: $!\n";
    return $root;
}

my %CONF;
$CONF{nginx} = <<'END';
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    %%IRI%%
    add_header X-Args $args always;
    dav_methods PUT MOVE;
    location "/秘密/" { deny all; }
    location ~ "/\." { deny all; }
    location ~ "\.php$" { deny all; }
    location "/外/" { disable_symlinks on; }
    location /list/ { %%LIST%% }
    location /euc/ { %%EUC%% }
    location /nah/ { %%FOLD%% }
    location "/表/" { %%REDIRECT%% }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name other.example;
    return 200 OTHER;
}
END
$CONF{httpd} = <<'END';
Mutex "file:%%TMP%%/run" default
DavLockDB "%%TMP%%/run/davlock"
%%IRI%%
Header always set X-Args "expr=%{QUERY_STRING}"
<Directory "%%ROOT%%/up">
    Dav On
</Directory>
<Directory "%%ROOT%%/list">
    Options Indexes FollowSymLinks
    %%LIST%%
</Directory>
<Directory "%%ROOT%%/euc">
    %%EUC%%
</Directory>
<Directory "%%ROOT%%/nah">
    %%FOLD%%
</Directory>
<Location "/秘密/">
    Require all denied
</Location>
<FilesMatch "^\.|\.php$">
    Require all denied
</FilesMatch>
<Directory "%%ROOT%%">
    Options None
</Directory>
<Location "/表">
    %%REDIRECT%%
</Location>
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName localhost
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName other.example
    RedirectMatch 410 .
</VirtualHost>
END

my %WORDS = (
    nginx => {
        IRI => "iri on; iri_charset Shift_JIS EUC-JP;",
        EUC => 'iri_filename_charset EUC-JP;', REDIRECT => 'iri_redirect 301;',
        FOLD => 'iri_match width case accents;', LIST => 'iri_listing on;',
    },
    httpd => {
        IRI => "IRIEngine On\nIRICharset Shift_JIS EUC-JP",
        EUC => 'IRIFilenameCharset EUC-JP', REDIRECT => 'IRIRedirect 301',
        FOLD => 'IRIMatch width case accents', LIST => 'IRIListing On',
    },
);

# A server of that name; without the module if stock is true.
sub server {
    my ($name, $stock) = @_;
    my $conf = $CONF{$name};
    $conf =~ s/%%(IRI|EUC|REDIRECT|FOLD|LIST)%%/$stock ? '' : $WORDS{$name}{$1}/ge;
    my %option = (root => root(), conf => $conf, stock => $stock,
        log_level => 'info');
    return nginx(%option) if $name eq 'nginx';
    my $httpd = httpd(%option,
        modules => [qw(dav dav_fs headers autoindex)]);
    chmod 0777, $httpd->tmp . '/run';    # for the locks of mod_dav_fs
    return $httpd;
}

my @NAMES  = qw(nginx httpd);
my %server = map { $_ => server($_) } @NAMES;
my %stock  = map { $_ => server($_, 1) } @NAMES;

# ---- assertions -------------------------------------------------------------

# Tests on both servers the status of a target and, if given, the served file.
sub both_answer {
    my ($target, $status, $body, $why) = @_;
    for my $name (@NAMES) {
        my $answer = $server{$name}->get($target);
        my $test_name   = "$name: " . escaped($target) . ($why ? ", $why" : '');
        is $answer->status, $status, $test_name;
        is $answer->body, $body, "$test_name: body" if defined $body;
    }
    return;
}

# The response is that of a server without the module.
sub as_stock {
    my ($target, %option) = @_;
    for my $name (@NAMES) {
        my ($mine, $its) = map { $_->{$name}->get($target, %option) }
            \(%server, %stock);
        is $mine->status . ' ' . $mine->body, $its->status . ' ' . $its->body,
            "$name: " . escaped($target) . ' is as without the module';
    }
    return;
}

sub rule {
    my ($number, $words, $test) = @_;
    subtest "rule $number: $words" => $test;
    return;
}

# ---- the rules ---------------------------------------------------------------

rule 1, 'an escaped separator is none by our doing' => sub {
    as_stock('/' . uri('公開') . "%$_" . uri('鍵.txt')) for qw(2F 5C);
    for my $name (@NAMES) {
        is $server{$name}->get($_)->status,
            $stock{$name}->get(uri('/公開') . '%2F' . uri('鍵.txt'))->status,
            "$name: $_" for uri(in_form('cp932', '/公開')) . '%2F'
            . uri(in_form('cp932', '鍵.txt'));
    }
    both_answer('/%95%5C/%95%5C.txt', 301, undef, 'a trail octet 5C');
    both_answer('/' . uri('表/表.txt'), 200, 'TABLE');
};

rule 2, 'limits of length first, one decoding, escapes are two digits' => sub {
    both_answer('/' . '%E3%81%82' x 342, 404, undef, '1,026 octets');
    both_answer('/' . '%25E6%2597%25A5%25E6%259C%25AC%25E8%25AA%259E.html', 404,
        undef, 'twice encoded');
    both_answer('/%E6%97%A5%zz', 400);
};

rule 3, 'strict UTF-8, then strict charsets, the disk decides the rest' => sub {
    both_answer("/$_.txt", 404)
        for '%C1%81BC', '%E0%81%81BC', '%ED%A0%80', '%FF',
        '%F4%90%80%80', '%E6%97', '%81';
    both_answer('/%C9%BD.txt', 200, 'TOP',
        'U+027D is absent, EUC-JP reads U+8868');
    both_answer('/%C9%BE.txt', 404, undef, 'absent in each reading');
};

rule 4, 'the same check after each mapping' => sub {
    both_answer("/$_", 404) for '%E2%84%AA.txt', 'a%CD%BEb.txt',
        uri('名') . '%E1%BF%AF.txt', uri('公開') . '%01/', '%C2%85.txt',
        '%7F' . uri('日本語.html'), '%1A' . uri(in_form('cp932', '日本語.html'));
    both_answer('/K.txt', 200, 'K');
    both_answer('/' . uri('名`.txt'), 200, 'GRAVE');
};

rule 5, 'what is folded is compared, never opened' => sub {
    both_answer(uri("/$_"), 404)
        for qw(ＡＢＣ.txt CAFÉ.txt cafè.txt cafe.txt 日本語．html);
    both_answer(uri("/nah/$_->[0]"), 200, $_->[1])
        for [qw(ＡＢＣ.ｔｘｔ ABC)], [qw(CAFÉ.TXT CAFE)], [qw(cafe.txt CAFE)],
        [qw(Ａ/B．txt BELOW)];
    both_answer(uri("/nah/$_"), 404) for qw(ａ／b.txt a％2Fb.txt ．．/ABC.txt
        ．htpasswd ABC.txt／ x/．．/ABC.txt);
    both_answer(uri("/nah/$_"), 403)
        for qw(名.PHP 名.ｐｈｐ 名．php .HTPASSWD .ｈtpasswd);
};

rule 6, 'a name is written strictly or not at all' => sub {
    both_answer('/euc/' . uri('表.txt'), 200, 'EUC');
    both_answer('/euc/' . uri("$_.txt"), 404, undef,
        'EUC-JP has no such character')
        for qw(한 ß̂ 𝒜);
    both_answer('/euc/%3F.txt', 200, '?');
};

rule 7, 'of twins always the same one answers' => sub {
    for (1 .. 3) {
        both_answer($_, 200, 'NFC') for forms('/がぎ.txt');
        both_answer('/' . uri('が' . in_form(NFD => 'ぎ') . '.txt'), 200, 'NFC');
    }
};

rule 8, 'ignorable characters are never dropped' => sub {
    both_answer(uri("/$_"), 404) for map { my $c = $_; (
        "${c}.表", "AB${c}C.txt", "${c}日本語.html", "秘${c}密/鍵.txt",
        "日本語.html${c}"
    ) } "\xE2\x80\x8B", "\xC2\xAD", "\xEF\xB8\x8F", "\xEF\xBB\xBF",
        "\xE2\x80\x8D", "\xF3\xA0\x81\x81";
};

rule 9, "the server's rules judge what was mapped" => sub {
    for my $path ('/秘密/鍵.txt', '/.表', '/名.php') {
        both_answer($_, 403) for forms($path);
    }
    both_answer($_, 403, undef, 'absent')
        for forms('/秘密/無.txt');
    both_answer($_, 200, 'PUBLIC', 'and this is open') for forms('/公開/鍵.txt');
};

rule 10, 'nothing outside the root' => sub {
    for my $target (forms('/外/鍵.txt')) {
        for my $name (@NAMES) {
            my $answer = $server{$name}->get($target);
            like $answer->status . $answer->body, qr/^40[34](?!.*OUTSIDE)/s,
                "$name: a link that may not be followed, " . escaped($target);
        }
    }
    for my $up ('..', '%2e%2e', '.%2E') {
        for my $name (@NAMES) {
            like $server{$name}->get(
                "/%93%FA/$up/$up/$up/$up/etc/passwd")->status,
                qr/^40[034]$/, "$name: $up";
        }
    }
};

rule 11, 'candidates are bounded for the whole request' => sub {
    my $target = '/' . join '/', ('%A4%A2') x 120;
    my ($code, $out) = capture('', build_dir() . '/iri', 'explain',
        '--root', $server{nginx}->root, '--filename-charset', 'EUC-JP',
        '--charset', 'Shift_JIS EUC-JP Big5 GBK EUC-KR windows-1252', $target);
    is $code, 0, 'explained';
    my $lookups = () = $out =~ /^\s*stat /mg;
    cmp_ok $lookups, '>', 0, 'lookups are made';
    cmp_ok $lookups, '<=', 200, 'and not too many';
    both_answer($target, 404);
};

rule 12, 'long runs of combining marks are not normalized' => sub {
    for ([30 => "\xC3\xA1" . "\xCC\x81" x 29], [31 => 'a' . "\xCC\x81" x 31]) {
        my ($marks, $path) = @$_;
        my ($code, $out) = capture("/a" . '%CC%81' x $marks . "\n",
            build_dir() . '/iri', 'explain', '--batch');
        my ($got) = $out =~ /"path":\s*"([^"]*)"/;
        is escaped($got), escaped("/$path"), "$marks marks";
    }
    as_stock('/a' . '%CC%81' x 500);
};

rule 13, 'Location is percent-encoded, from one "/", its query as it came' =>
    sub {
    for my $target (forms('/表/表.txt'), '//%95%5C/%95%5C.txt',
        uri('/表/') . './' . uri(in_form('euc-jp', '表.txt')))
    {
        next if uc $target eq uc uri('/表/表.txt');
        for my $name (@NAMES) {
            my $answer = $server{$name}->get("$target?q=%93%FA&%0d%0a=1");
            my $test_name   = "$name: " . escaped($target);
            is $answer->status, 301, $test_name;
            my ($location, @more) = $answer->header('Location');
            is $location =~ s{^http://localhost(:\d+)?/}{/}r,
                uri('/表/表.txt') . '?q=%93%FA&%0d%0a=1', "$test_name: Location";
            is scalar @more, 0, 'is there once';
        }
    }
    both_answer('/%0d%0aX-Injected:1/' . uri('表.txt'), 404);
};

rule 14, 'a listing escapes every name and tells none that is denied' => sub {
    for my $name (@NAMES) {
        my $body = $server{$name}->get('/list/')->body;
        my @links = $body =~ /<a href="(\.\/[^"]*)"/g;
        is "@links", './%3Cb%3E&amp;.txt ./' . uri('一.txt'),
            "$name: what there is, and nothing else";
        unlike $body, qr/<b>|htpasswd|php/, "$name: no markup of a name";
    }
    both_answer('/list/%3Cb%3E&.txt', 200, 'TWO');
};

# Two sites, the second of which has a name in Unicode.
my %SITES = (
    nginx => <<'END',
iri on;
iri_host on;
server {
    listen 127.0.0.1:%%PORT%% default_server;
    return 200 FIRST;
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name ñandú.example;
    return 200 SITE;
}
END
    httpd => <<'END',
IRIEngine On
IRIHost on
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName localhost
    FallbackResource /K.txt
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName ñandú.example
    FallbackResource /ABC.txt
</VirtualHost>
END
);

rule 15, 'a Host is mapped once and selects a configured name' => sub {
    my %site = (
        nginx => nginx(root => root(), conf => $SITES{nginx}),
        httpd => httpd(root => root(), conf => $SITES{httpd},
            modules => ['dir']),
    );
    my %answer = (nginx => [qw(FIRST SITE)], httpd => [qw(K ABC)]);
    my $answers = sub {
        my ($host, @wanted) = @_;
        for my $name (@NAMES) {
            my ($status, $index) = $name eq 'nginx'
                && IRI::Nginx::sent_host($host) ne $host ? 400 : @wanted;
            my $got = $site{$name}->get('/none', host => $host);
            my $test_name = "$name: host " . escaped($host);
            is $got->status, $status, $test_name;
            is $got->body, $answer{$name}[$index], "$test_name: the site"
                if defined $index;
            next if defined $index;
            my $text = join "\n", $got->body, map { @$_ } @{ $got->headers };
            unlike $text, qr/[^\x00-\x7F]|n?and[^\s]*exam/,
                "$test_name: is not repeated";
        }
    };

    my $name = 'ñandú.example';
    $answers->($_, 200, 1) for $name, uri($name), lc uri($name),
        in_form(NFD => $name), "\xC3\x91AND\xC3\x9A.Example",
        $name =~ s/\./\xE3\x80\x82/r, uri($name) . '.',
        'xn--and-6ma2c.example', '%78n--and-6ma2c.ex%61mple';
    $answers->($_, 200, 0) for qw(localhost other.example nandu.example),
        "\xC3\xB1.example", '127.0.0.1';
    $answers->($_, 400) for "\xF1and\xFA.example", '%F1and%FA.example',
        uri($name) . '%00', "$name%2F", '%2a.example', "%25C3%25B1$name",
        "\xE2\x84\x80.$name", "xn--a.$name", "${name}_", "-$name", "$name-",
        "\xEF\xBC\x91\xEF\xBC\x92\xEF\xBC\x97.0.0.1", "\xC3\xB1..example",
        "\xC0\xAE$name", '%C3%B1' x 400;

    # off: the host as sent
    for my $host ('other.example', 'OTHER.example', "\xC3\xB6ther.example",
        'o%74her.example', 'localhost')
    {
        as_stock('/K.txt', host => $host);
    }
};

rule 16,
    'charsets that can hide ASCII are refused by the configuration' => sub {
    for my $label (qw(ISO-2022-JP ISO-2022-KR HZ-GB-2312 UTF-7 UTF-16 UTF-32
        SCSU BOCU-1 ibm-037 IMAP-mailbox-name x-user-defined ibm-949 EUC-TW))
    {
        my ($code, $text) = nginx_t(
            "server { listen 127.0.0.1:%%PORT%%; iri_charset $label; }");
        isnt $code, 0, "nginx: $label";
        like $text, qr/"\Q$label\E"/i, 'the message names it';
        ($code, $text) = httpd_t("IRICharset $label\n");
        isnt $code, 0, "httpd: $label";
        like $text, qr/"\Q$label\E"/i, 'the message names it';
    }
};

rule 17, 'an error of the disk answers less, never another candidate' => sub {
    for my $target (forms('/closed/あ.txt')) {
        for my $name (@NAMES) {
            my $answer = $server{$name}->get($target);
            like $answer->status, qr/^40[34]$/,
                "$name: " . escaped($target);
        }
    }
};

rule 18, 'the query stays as it came' => sub {
    for my $target (forms('/日本語.html')) {
        for my $query ("q=%93%FA&x=%26;y%3D\xE6\x97", '%25', 'a=%u65e5') {
            for my $name (@NAMES) {
                is $server{$name}->get("$target?$query")->header('X-Args'),
                    $query, "$name: " . escaped("$target?$query");
            }
        }
    }
};

rule 19, 'a write reuses the entry of that name, or makes a canonical one' =>
    sub {
    for my $name (@NAMES) {
        my $server = $server{$name};
        my $names  = sub {
            return join ' ',
                sort map { s{.*/}{}r } glob $server->root . '/up/*';
        };
        is $server->request('PUT', $_, body => 'NEW')->status, 204,
            "$name: PUT " . escaped($_) for forms('/up/あ');
        is $names->(), 'あ', "$name: no second entry";
        is slurp($server->root . '/up/あ'), 'NEW', "$name: written";
        is $server->request('PUT', uri(in_form(NFD => '/up/が')), body => 'G')
            ->status, 201, "$name: a new name";
        is $names->(), 'あ が', "$name: is made canonical";
        # nginx would create a second entry, so this is a conflict; mod_dav
        # uses the existing entry
        is $server->request('MOVE', uri('/up/が'), headers => [Destination =>
            'http://localhost:' . $server->port
            . uri(in_form('euc-jp', '/up/あ')),
            Overwrite => 'T'])->status, $name eq 'nginx' ? 409 : 204,
            "$name: MOVE to what is there under that name";
        is $names->(), $name eq 'nginx' ? 'あ が' : 'あ',
            "$name: no second entry";
    }
};

rule 20, 'the identity of an answer is that of the entry' => sub {
    for my $name (@NAMES) {
        my @answers = map { $server{$name}->get($_) } forms('/日本語.html');
        for my $field (qw(ETag Last-Modified Content-Type)) {
            my %values = map { $_->header($field) // '-' => 1 } @answers;
            is scalar keys %values, 1, "$name: one $field";
            ok !$values{'-'}, "$name: which is there";
        }
    }
};

rule 21, 'a broken request leaves no state' => sub {
    for my $name (@NAMES) {
        my $client = $server{$name}->client;
        for my $broken (qw(/%93 /%93%FA%96 /%8F /%8F%B0 /%E6%97 /%80 /%1B$B)) {
            my @answers = $client->pipeline(
                $broken, uri(in_form('cp932', '/日本語.html')), $broken,
                uri(in_form('euc-jp', '/日本語.html')));
            is join(' ', map { $_->status } @answers), '404 200 404 200',
                "$name: $broken";
        }
    }
};

rule 22, 'one line of the log a request, its names escaped' => sub {
    for my $name (@NAMES) {
        my $server = $server{$name};
        my $before = () = $server->access_log =~ /\n/g;
        $server->get("/日%0a127.0.0.1 - forged%1b[31m%c2%9b$_" =~ s/ /%20/gr)
            for 1 .. 5;
        $server->get('/%93%FA%0d%0aforged');
        ok $server->wait_for(sub {
            (() = $server->access_log =~ /\n/g) >= $before + 6
        }), "$name: logged";
        is scalar(() = $server->access_log =~ /\n/g), $before + 6,
            "$name: a line each";
        my @odd = grep { /[^\x20-\x7E]|^127\.0\.0\.1 - forged|^forged/ }
            split /\n/, $server->access_log;
        is_deeply \@odd, [], "$name: no control, no forged line";
        @odd = grep { /[\x00-\x08\x0B-\x1F\x7F]|\xC2[\x80-\x9F]/ }
            grep { /\biri: / } split /\n/, $server->settled_log;
        is_deeply \@odd, [], "$name: nor in the module's own lines";
        like $server->settled_log, qr/\biri: .*%0A/i, "$name: which are there";
    }
};

# ---- SECURITY.md contains the rules -----------------------------------------

my $top = "$FindBin::Bin/..";

# The tests that try each rule at length.
my %THOROUGH = (
    1  => [qw(t/attacks.t t/core/test_sweep.c)],
    2  => [qw(t/core/test_read.c t/attacks.t)],
    3  => [qw(t/core/test_utf8.c t/core/test_charset.c t/core/test_read.c)],
    4  => [qw(t/core/test_sweep.c t/fuzz.t t/mutants/)],
    5  => [qw(t/cases-fold.t t/core/test_fold.c t/attacks.t)],
    6  => [qw(t/core/test_sweep.c t/core/test_charset.c)],
    7  => [qw(t/core/test_find.c t/core/test_match.c)],
    8  => [qw(t/denial.t t/attacks.t)],
    9  => [qw(t/denial.t t/nginx-guards.t t/httpd-guards.t t/disclosure.t)],
    10 => [qw(t/attacks.t t/churn.t)],
    11 => [qw(t/core/test_find.c t/attacks.t)],
    12 => [qw(t/core/test_norm.c)],
    13 => [qw(t/core/test_location.c t/fuzz.t)],
    14 => [qw(t/attacks.t t/nginx-listing-random.t)],
    15 => [qw(t/core/test_host.c t/nginx-host.t t/httpd-host.t t/attacks.t)],
    16 => [qw(t/core/test_charset.c t/nginx-config.t t/httpd-config.t)],
    17 => [qw(t/core/test_torture.c t/torture.t)],
    18 => [qw(t/core/test_query.c t/nginx-query.t t/httpd-query.t
        t/attacks.t)],
    19 => [qw(t/nginx-dav.t t/httpd-dav.t t/webdav-clients.t t/denial-dav.t
        t/core/test_write.c)],
    20 => [qw(t/httpd-content.t t/nginx-path.t t/attacks.t)],
    21 => [qw(t/fuzz.t t/attacks.t)],
    22 => [qw(t/attacks.t)],
);
my ($rules) = slurp("$top/SECURITY.md") =~ /^## The rules\n(.*?)^## /ms;
my @numbers = $rules =~ /^(\d+)\. /mg;
is_deeply \@numbers, [1 .. 22], 'SECURITY.md has each rule';
is_deeply [sort { $a <=> $b } keys %THOROUGH], \@numbers, 'each has tests';
ok -e "$top/$_", $_ for map { @$_ } @THOROUGH{@numbers};

chmod 0755, $_->root . '/closed' for values %server, values %stock;
is_deeply [$server{$_}->errors], [], "$_: nothing unexpected in the log"
    for @NAMES;
done_testing;
