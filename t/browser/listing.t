# A browser walks listings on both servers: each link opens its own file, with
# a click; what is shown is the name; light, dark, narrow, by keyboard.
# IRI_PICTURES is a directory for screenshots.
use IRI::Test;
use utf8;
use Encode ();
use IPC::Open2 'open2';
use IRI::Server 'build_dir';
use JSON::PP ();
use MIME::Base64 'decode_base64';
use Unicode::Normalize qw(NFC NFD);

my $modules = build_dir() . '/browser/node_modules';
my ($browser) = grep { -x } map { ("$_/chromium", "$_/chromium-browser") }
    split /:/, $ENV{PATH};
plan skip_all => 'no chromium' if !$browser;
plan skip_all => 'no playwright-core: make browser' if !-d $modules;

# ---- the trees ---------------------------------------------------------------

# Real words if the lists are available, one of each of 16 languages; else
# these.
my @words = qw(résumé Übersicht żółć việt Ιστορία история історія עברית عربى
    हिन्दी ไทย 日本語 かなカナ 한국어 中文 繁體);
my $shared = $ENV{IRI_SHARED} // "$FindBin::Bin/../../../shared";
for my $list (glob "$shared/data/names/*.txt") {
    my @all = split /\n/, Encode::decode('UTF-8', slurp($list));
    push @words, $all[@all / 3];
}
my @odd = ('<b>&amp;"\'.html', '</bdi><script>alert(1)</script>', 'a:b',
    '%41.txt', 'a?b#c', ' blank ', '+;=', 'javascript:alert(1)', '~', 'a\\b',
    "x\x{202E}txt.exe", "\x{2066}y", "a\x{AD}b", 'x' x 200, '10.txt', '9.txt');
my %trees = (
    nfc  => ['UTF-8',   'NFC', @words, grep { !m{/} } @odd],
    nfd  => ['UTF-8',   'NFD', @words],
    scripts => ['UTF-8', 'NFC', @words[0 .. 15]],
    euc  => ['euc-jp',  'NFC', qw(日本語 表.html かな カナ), 'ソ'],
    sjis => ['cp932',   'NFC', qw(日本語 表.html かな カナ), 'ソ'],
    cyrillic => ['cp1251', 'NFC', qw(история Привет.txt)],
);

my $root = temp_dir();
my %content;    # {tree}{name}: octets of the file
for my $tree (sort keys %trees) {
    my ($charset, $form, @names) = @{ $trees{$tree} };
    mkdir "$root/$tree" or die "$root/$tree: $!\n";
    for my $name (map { NFC($_) } @names) {
        my $octets = Encode::encode($charset,
            $form eq 'NFD' ? NFD($name) : $name, Encode::FB_CROAK
                | Encode::LEAVE_SRC);
        $content{$tree}{$name} = "$tree " . escaped($octets);
        spew("$root/$tree/$octets", $content{$tree}{$name});
    }
}
mkdir "$root/nfc/folder" or die "$!\n";
spew("$root/nfc/folder/inside", 'inside');
spew("$root/nfc/\xFF\xFE.txt",  'undecodable');
spew("$root/nfc/\x01\x1B[31m",  'controls');
spew("$root/nfc/.hidden",       'hidden');
system 'chown', '-R', 'www-data', $root if $> == 0;

# The name as displayed: invisible characters as octets, except joiners behind a
# virama, and "%" escaped where it could be mistaken for one of these.
sub shown {
    my ($name) = @_;
    $name =~ s{%(?=[0-9A-Fa-f]{2})}{%25}g;
    my $invisible =
        qr/[\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2069}\x{AD}]/;
    $name =~ s{(?!(?<=\p{Ccc=9})[\x{200C}\x{200D}])($invisible)}
        {join '', map { sprintf '%%%02X', ord } split //,
            Encode::encode('UTF-8', $1)}ge;
    return $name;
}

# ---- the servers -------------------------------------------------------------

my %charset =
    (euc => 'EUC-JP', sjis => 'Shift_JIS', cyrillic => 'windows-1251');
my %server;
$server{nginx} = nginx(root => $root, conf => <<'END') if !missing('nginx');
default_type text/plain;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    location /euc/ { iri_filename_charset EUC-JP; }
    location /sjis/ { iri_filename_charset Shift_JIS; }
    location /cyrillic/ { iri_filename_charset windows-1251; }
}
END
$server{httpd} = httpd(root => $root, conf => join "\n", 'IRIEngine On',
    "<Directory \"$root\">", 'Options +Indexes', 'IRIListing On',
    'ForceType text/plain', '</Directory>',
    map {qq(<Directory "$root/$_">\nIRIFilenameCharset $charset{$_}\n)
            . '</Directory>'} sort keys %charset) if !missing('httpd');

# ---- the walk ----------------------------------------------------------------

sub walk {
    my (@pages) = @_;
    local $ENV{NODE_PATH} = $modules;
    my $pid = open2(my $out, my $in, 'node', "$FindBin::Bin/walk.js");
    print {$in} JSON::PP::encode_json({ browser => $browser,
        pages => \@pages });
    close $in;
    my $answer = do { local $/; <$out> };
    waitpid $pid, 0;
    is $?, 0, 'the browser ran' or BAIL_OUT('no walk');
    return @{ JSON::PP::decode_json($answer) };
}

sub judge_rows {
    my ($page_name, $tree, $page) = @_;
    my %left = map { shown($_) => $_ } keys %{ $content{$tree} };
    for my $row (@{ $page->{rows} }) {
        my $name = delete $left{ $row->{text} };
        my $file = $row->{opened} // {};
        if (defined $name) {
            is $file->{status}, 200, "$page_name: a click on $row->{href}";
            is decode_base64($file->{body} // ''), $content{$tree}{$name},
                'opens its file';
            like $row->{href}, qr{\A\./[!-~]+\z}, 'link in ASCII';
        }
        elsif ($row->{text} eq 'folder') {
            like decode_base64($file->{body} // ''), qr/>inside</,
                "$page_name: a folder opens";
        }
        else {
            is $row->{href}, undef, "$page_name: no link to $row->{text}";
            like $row->{text}, qr/\A(?:%FF%FE\.txt|%01%1B\[31m)\z/,
                'an entry without a name has no link';
        }
    }
    is_deeply [sort keys %left], [], "$page_name: nothing is missing";
}

sub judge {
    my ($page_name, $tree, $page) = @_;
    judge_rows($page_name, $tree, $page);
    is $page->{charset}, 'UTF-8', "$page_name: UTF-8";
    is $page->{mode}, 'CSS1Compat', 'standards mode';
    is_deeply [@$page{qw(table headers navigation heading)}], [1, 3, 1, 1],
        'a table with three columns, navigation, a heading';
    is_deeply $page->{asked}, [$page->{url}], 'no other resource was loaded';
    is_deeply $page->{errors}, [], 'no script ran, nothing was blocked';
    is_deeply [map { $_->{href} } @{ $page->{tabs} }], $page->{focusable},
        'Tab moves from link to link';
    ok !(grep { !$_->{seen} } @{ $page->{tabs} }), 'focus is visible';
    for my $look (sort keys %{ $page->{looks} }) {
        my $seen = $page->{looks}{$look};
        cmp_ok $seen->{contrast}, '>=', 4.5, "$page_name: contrast, $look";
        cmp_ok $seen->{overflow}, '<=', 0, "$page_name: fits, $look";
        is_deeply $seen->{broken}, [], "$page_name: a row is one line, $look";
        my @crumbs = @{ $seen->{crumbs} };
        cmp_ok scalar @crumbs, '>', 0, "$page_name: a breadcrumb, $look";
        is_deeply [grep { $_->[0] < 44 || $_->[1] < 44 } @crumbs], [],
            "$page_name: the breadcrumb is large enough to tap"
            if $look eq 'narrow';
    }
    my $rows = @{ $page->{rows} };
    for my $sort (@{ $page->{sorts} }) {
        like $sort->{sorted} // '', qr/\A(?:as|des)cending\z/,
            "$page_name: sorted";
        is @{ $sort->{first} }, $rows, 'and complete';
    }
}

plan skip_all => 'no server' if !%server;
for my $name (sort keys %server) {
    my @pages = map { {
        url => "http://127.0.0.1:@{[$server{$name}->port]}/$_/",
            listing => JSON::PP::true,
        $ENV{IRI_PICTURES} && $_ eq 'scripts' && $name eq 'nginx'
        ? (shots => "$ENV{IRI_PICTURES}/listing") : (),
    } } sort keys %trees;
    my @walked = walk(@pages);
    judge("$name $_", $_, shift @walked) for sort keys %trees;
    is_deeply [$server{$name}->errors], [], "$name: log";
}
done_testing;
