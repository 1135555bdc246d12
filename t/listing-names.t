# Listings on both servers: each link opens its own file, in trees of several
# charsets and forms; names are escaped, as a strict parser reads them; the
# fields of the response. Names of random octets: t/fuzz/fuzz_listing.c.
use IRI::Test;
use Digest::SHA 'sha256_base64';
use IRI::Rows 'names_of';
use XML::LibXML;

# ---- trees -------------------------------------------------------------------

my $base = temp_dir();
my %tree;
my @words = qw(عربي Straße Ελλάδα été עברית हिन्दी 表ソ能 한국어 żółć Ёлка ไทย
    ışık їжак Việt 中文 繁體);
my $shared = $ENV{IRI_SHARED} // "$FindBin::Bin/../../shared";
for my $list (sort glob "$shared/data/names/*.txt") {
    my @lines = split /\n/, slurp($list);
    push @words, @lines[0 .. 9];
}
my %seen;
@words = grep { !$seen{$_}++ } @words;
(undef, $tree{scripts}) = make_tree(join('', map {
        my $word = escaped($words[$_]);
        ("$word.txt\tfile\n", $_ % 7 ? () : "d-$word/$word\tfile\n")
    } 0 .. $#words), "$base/scripts");
(undef, $tree{$_}) = make_tree($_, "$base/$_") for qw(euc sjis cp1251 nfd);

# Names that a page must escape.
my @odd = ('<script>alert(1)<', '"onclick="x', "a'b", '&amp;', '#1', 'a?b=c',
    '100%', '%41', '%2F', 'a:b', 'javascript:x', ' blank ', 'a+b', '?x', '~',
    '\\', '|', '[1]', '{}', "`", '^', 'a;b', '!', "\xC2\xA0", "e\xCC\x81",
    "l\xE2\x80\xAEx", "\xE2\x81\xA6y", "\xE2\x80\x8Bz", "\xEF\xBB\xBFb",
    "\xF0\x9F\x98\x80", '-', '--', 'a--b', ']]>', '<!--', 'con',
    join('', map { "\xE8\xA1\xA8" } 1 .. 80));
(undef, $tree{odd}) =
    make_tree(join('', map { escaped($_) . "\tfile\n" } @odd), "$base/odd");
my @unreadable = ("\xFF", "bad\xE8\xA1", "\xC0\xAF", "\xED\xA0\x80");
make_tree(join('', map { escaped($_) . "\tfile\n" } (map { "bad/$_" }
            @unreadable, 'good'),
        (map { "control/$_" } "\x01", "a\nb", "\x1B[31m", "\x7F"),
        'twins/é.txt', "twins/e\xCC\x81.txt", 'twins/.hidden'), $base);
system 'chown', '-R', 'www-data', $base if $> == 0;

# ---- servers -----------------------------------------------------------------

my %charset = (euc => 'EUC-JP', sjis => 'Shift_JIS', cp1251 => 'windows-1251');

sub start_nginx {
    my $places = join "\n", map {
        "location /$_/ { iri_filename_charset $charset{$_}; }"
    } sort keys %charset;
    return nginx(root => $base, conf => <<"END");
default_type text/plain;
index none;
iri on;
iri_listing on;
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    root %%ROOT%%;
    $places
    location "/別名/" { alias %%ROOT%%/euc/; iri_filename_charset EUC-JP; }
}
server {
    listen 127.0.0.1:%%PORTpass%%;
    root %%ROOT%%;
    iri_invalid pass;
    location ~ "^/bad/bad\\xE8" { deny all; }
}
END
}

sub start_httpd {
    my ($mpm) = @_;
    my $places = join "\n", map {
        "<Directory \"$base/$_\">\nIRIFilenameCharset $charset{$_}\n"
            . '</Directory>'
    } sort keys %charset;
    return httpd(root => $base, mpm => $mpm, h2 => $mpm eq 'event',
        conf => <<"END");
IRIEngine On
DirectoryIndex disabled
<Directory "$base">
    Options +Indexes
    IRIListing On
</Directory>
$places
<VirtualHost 127.0.0.1:%%PORT%%>
    Alias "/別名" "$base/euc"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTpass%%>
    IRIInvalid pass
    <LocationMatch "/bad\xE8">
        Require all denied
    </LocationMatch>
</VirtualHost>
END
}

# Server, how it is started, the status of a POST, the port for HTTP/2.
my @SERVERS = (
    ['nginx',          \&start_nginx,                  403, 'h2'],
    ['httpd, prefork', sub { start_httpd('prefork') }, 404],
    ['httpd, event',   sub { start_httpd('event') },   404, ''],
);

my ($server, $port);

# The names of a listing.
sub names {
    return names_of($server->get("$_[0]?format=json", port => $port));
}

# The links of a page to its entries.
sub links {
    my ($body) = @_;
    return map { s/&amp;/&/g; s/&#39;/'/g; s/&quot;/"/g; $_ }
        $body =~ /<a href="\.\/([^"]*)"/g;
}

# Every file below a target, found by following links: contents, by their URI.
sub walk {
    my ($target) = @_;
    my $answer = $server->get($target, port => $port);
    return { $target => $answer->status } if $answer->status != 200;
    return { $target => $answer->body } if $target !~ m{/$};
    my %found = map { %{ walk("$target$_") } } links($answer->body);
    return \%found;
}

# Each file has one link, which opens it.
sub is_whole {
    my ($target, $content, $name) = @_;
    my $found = walk($target);
    is_deeply [sort values %$found], [sort values %$content], $name;
    is_deeply [grep { /[^\x21-\x7E]|"/ } keys %$found], [], "$name: URIs";
    return;
}

# ---- tests -------------------------------------------------------------------

sub the_response {
    my ($post, $h2) = @_;
    my $page = $server->get('/euc/');
    is $page->status, 200, 'a listing';
    is $page->header('Content-Type'), 'text/html; charset=utf-8', 'charset';
    is $page->header('X-Content-Type-Options'), 'nosniff',
        'X-Content-Type-Options';
    like $page->header('Content-Security-Policy'), qr/^default-src 'none'/,
        'Content-Security-Policy';
    is $page->header('Cache-Control'), 'private', 'Cache-Control';
    is $page->header($_), undef, "no $_" for 'ETag', 'Last-Modified';
    ok utf8::decode(my $copy = $page->body), 'UTF-8';

    my $head = $server->request('HEAD', '/euc/');
    is $head->status . $head->body, '200', 'HEAD';
    is $head->header('Content-Type'), 'text/html; charset=utf-8',
        'HEAD: Content-Type';
    is $server->get('/euc/?format=json')->header('Content-Type'),
        'application/json', 'JSON';
    is $server->request('POST', '/euc/', body => 'x')->status, $post, 'POST';
    is $server->get('/euc')->status, 301, 'a directory without its slash';
    is $server->get('/nothing/')->status, 404, 'an absent directory';
    my $client = $server->client;
    $client->request('/euc/');
    is $client->request('/euc/index.html')->status, 200,
        'the connection is kept';
    is $server->get('/euc/', proto => 'h2', port => $server->port($h2))->body,
        $page->body, 'HTTP/2' if defined $h2;
    return;
}

# A page is XML in which each row shows the name of its link, and its style is
# the one that its policy permits.
sub is_well_formed {
    my ($target) = @_;
    my $page = $server->get($target, port => $port);
    my $dom  = eval { XML::LibXML->load_xml(string => $page->body) };
    ok $dom, "$target is well-formed" or diag($@), return;
    my $xpath = XML::LibXML::XPathContext->new($dom);
    $xpath->registerNs(h => 'http://www.w3.org/1999/xhtml');
    my ($rows, @wrong) = (0);
    for my $row ($xpath->findnodes('//h:tbody/h:tr')) {
        $rows++;
        my ($link) = $xpath->findnodes('h:td/h:a', $row) or next;
        my $href = $link->getAttribute('href') =~ s{^\./|/\z}{}gr;
        my ($name) = $xpath->findnodes('.//h:bdi', $link);
        utf8::encode(my $text = $name->textContent);
        s/%([0-9A-F]{2})/chr hex $1/eg for $href, $text;
        push @wrong, escaped($text) if $text ne $href;
    }
    cmp_ok $rows, '>', 1, "$target: rows";
    is "@wrong", '', "$target: the text of each link is its name";
    my ($style) = $page->body =~ m{<style>(.*?)</style>}s;
    like $page->header('Content-Security-Policy'),
        qr/'sha256-\Q${\ sha256_base64($style)}\E='/, 'the hash of the style';
    unlike $page->body, qr/<(?:script|link|img|iframe)|\bon\w+=\w|url\(/i,
        "$target: nothing to load";
    return;
}

sub the_names {
    is_well_formed("/$_/") for sort(keys %tree), qw(bad control twins);
    is_whole("/$_/", $tree{$_}, $_) for sort keys %tree;
    is_whole('/%E5%88%A5%E5%90%8D/', $tree{euc}, 'alias');
    my $page = $server->get('/odd/')->body;
    unlike $page, qr/<script|onclick="x/, 'no markup';
    unlike $page, qr/\xE2\x80\xAE|\xE2\x81\xA6/, 'no bidi controls';
    unlike $server->get('/control/')->body, qr/[\x00-\x09\x0B-\x1F\x7F]/,
        'no controls';
    is names('/'), 'bad/ control/ cp1251/ euc/ nfd/ odd/ scripts/ sjis/ twins/',
        'directories';
    is names('/twins/'), "\xC3\xA9.txt \xC3\xA9.txt!",
        'one name, two entries; nothing hidden';
    is names('/bad/'), join(' ', sort 'good', map { s/([^!-~])/
        sprintf '%%%02X', ord $1/ger . '!' } @unreadable), 'no name';
    is_deeply [links($server->get('/bad/')->body)], ['good'], 'no link';

    $port = $server->port('pass');
    is names('/bad/'), '%C0%AF %ED%A0%80 %FF good',
        'rules apply to names that no charset reads';
    is_deeply walk('/bad/'), { '/bad/good' => 'bad/good',
        map { ("/bad/$_" => 'bad/' . s/%/\\x/gr) }
            '%FF', '%C0%AF', '%ED%A0%80' },
        'invalid pass: they are linked';
    return;
}

for my $row (@SERVERS) {
    my ($name, $start, @expected) = @$row;
    my $missing = missing($name =~ s/,.*//r);
    subtest $name => sub {
        plan skip_all => $missing if $missing;
        $server = $start->();
        $port   = $server->port;
        the_response(@expected);
        the_names();
    };
}
done_testing;
