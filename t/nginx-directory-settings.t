# nginx: each name is read and written by the settings of the directory that
# contains it: the settings of a location apply to the names after its prefix,
# and the names in the prefix have those of the enclosing level.
use IRI::Test 'nginx';
use Encode ();
use File::Path 'make_path';
use IRI::Octets qw(euc nfd percent sjis);

sub text { return Encode::decode('UTF-8', $_[0]) }
sub cp1251 { return Encode::encode('cp1251', text($_[0])) }

my ($root) = make_tree("index.html\tfile\n");
for my $path (
    '日本/old/' . euc('表/漢.txt'), '日本/表.txt', 'Отчёт/' . cp1251('Отчёт.txt'),
    'é/' . nfd('é/é.txt'), 'plain/' . euc('表.txt'), 'Fold/日本/Name.txt',
    'Exact/Name.txt', 'Exact/Fold/Name.txt', 'broken/日本/表.txt',
    'match/' . euc('日本') . '/表/' . sjis('表.txt'), '日記', 'one/表', 'two/表',
    '別/' . euc('表.txt'),
    'other/' . euc('表/表.txt'), 'alias/' . euc('表.txt'), 'php/表/' . euc('表.php'),
    'if/表/' . euc('表.txt'), 'three/表/é/' . euc('表.txt'), 'COV/Name.txt')
{
    my ($dir) = "$root/$path" =~ m{^(.*)/};
    make_path($dir);
    spew("$root/$path", "$path\n");
}
chmod 0777, $root, glob "$root/*";

my $server = nginx(root => $root, log_level => 'info', conf => <<'END');
iri on;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;

    location /日本/old/ {
        iri_filename_charset EUC-JP;
        iri_listing on;
    }
    location /Отчёт/ { iri_filename_charset windows-1251; }
    location /é/ {
        iri_filename_form nfd;
        dav_methods PUT MKCOL DELETE;
        create_full_put_path on;
    }
    location /plain/ { iri_filename_charset EUC-JP; }
    location /Fold/日本/ { iri_match case; }
    location /Exact/ {
        iri_match exact;
        location /Exact/Fold/ { iri_match case; }
    }
    location /broken/日本/ { iri_repair double-encoding; }

    # each of these encloses the next
    location /match/ { iri_filename_charset EUC-JP; }
    location /match/日本/ { iri_filename_charset UTF-8; }
    location ^~ /match/日本/表/ {
        iri_filename_charset Shift_JIS;
        add_header X-Location deep;
    }

    # a prefix that ends within a name
    location /日記 { iri_filename_charset EUC-JP; }

    # an exact location applies to the whole name
    location = /one/表 { iri_filename_charset EUC-JP; }
    location = /two/表 {
        iri_filename_charset EUC-JP;
        add_header X-Location exact;
    }

    # and encloses nothing
    location = /three/表 { iri_filename_charset windows-1251; }
    location /three/表/é/ { iri_filename_charset EUC-JP; }

    # with a root of its own a location has no level above it
    location /表/ {
        root %%ROOT%%/other;
        iri_filename_charset EUC-JP;
    }
    location /別名/ {
        alias %%ROOT%%/alias/;
        iri_filename_charset EUC-JP;
    }

    # a location without a prefix belongs to the level that contains it
    location /php/表/ {
        location ~ \.php$ { iri_filename_charset EUC-JP; }
    }
    location ~ ^/別/ { iri_filename_charset EUC-JP; }
    location /if/表/ {
        iri_filename_charset EUC-JP;
        if ($request_method = GET) {
            add_header X-Location if;
        }
    }
}
server {
    listen 127.0.0.1:%%PORTfold%%;
    root %%ROOT%%;
    iri_match case;
    location /Cov/ { iri_match exact; }
    location /COV/ { iri_match exact; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOT%%;
    iri report;
    location /日本/old/ { iri_filename_charset EUC-JP; }
}
END

sub body_is {
    my ($path, $want, $test_name) = @_;
    my $answer = $server->get(percent($path));
    is $answer->body, "$want\n", $test_name;
    return $answer;
}

sub absent {
    my ($path, $test_name) = @_;
    is $server->get(percent($path))->status, 404, $test_name;
    return;
}

body_is('/日本/old/表/漢.txt', '日本/old/' . euc('表/漢.txt'),
    'an archive in EUC-JP below a name in UTF-8');
body_is('/日本/表.txt', '日本/表.txt', 'a file beside it');
body_is('/Отчёт/Отчёт.txt', 'Отчёт/' . cp1251('Отчёт.txt'),
    "a location's own name is not in its charset");
body_is('/é/é/é.txt', 'é/' . nfd('é/é.txt'), 'nor in its form');
body_is(nfd('/é/é/é.txt'), 'é/' . nfd('é/é.txt'), 'requested in NFD');
body_is('/plain/表.txt', 'plain/' . euc('表.txt'), 'below an ASCII name');
absent('/日本/old/無/表.txt', 'absent');

body_is('/Fold/日本/NAME.TXT', 'Fold/日本/Name.txt', 'names below it are folded');
absent('/FOLD/日本/Name.txt', 'names above it are not folded');
absent('/EXACT/Name.txt',      'also in ASCII');
absent('/Exact/NAME.TXT',      'exact');
absent('/Exact/FOLD/NAME.TXT', 'the exact name');
body_is('/Exact/Fold/NAME.TXT', 'Exact/Fold/Name.txt', 'ASCII names below it');
is $server->get('/broken/%E6%97%A5%E6%9C%AC/%25E8%25A1%25A8.txt')->status, 200,
    'names below it are repaired';
is $server->get('/broken/%25E6%2597%25A5%25E6%259C%25AC/%E8%A1%A8.txt')->status,
    404, 'the name itself is not folded';

my $deep = body_is('/match/日本/表/表.txt',
    'match/' . euc('日本') . '/表/' . sjis('表.txt'), 'three charsets');
is $deep->header('X-Location'), 'deep', 'settings of its location';
body_is('/日記', '日記', 'a prefix that covers the whole name');
body_is('/one/表', 'one/表', 'an exact location covers all');
is body_is('/two/表', 'two/表', 'another exact location')->header('X-Location'),
    'exact',
    'settings of its location';
body_is('/three/表/é/表.txt', 'three/表/é/' . euc('表.txt'),
    'an exact location is no level of a longer prefix');
is $server->get('/Cov/Name.txt', port => $server->port('fold'))->status, 200,
    'the name that a prefix covers is folded by the server';
is $server->get('/COV/NAME.txt', port => $server->port('fold'))->status, 404,
    'names below it are not';
body_is('/表/表.txt', 'other/' . euc('表/表.txt'), 'another root');
body_is('/別名/表.txt', 'alias/' . euc('表.txt'), 'alias');
body_is('/php/表/表.php', 'php/表/' . euc('表.php'), 'a regular expression in it');
is $server->get(percent '/別/表.txt')->status, 404,
    'in the server it applies to all names';
is body_is('/if/表/表.txt', 'if/表/' . euc('表.txt'), 'if')->header('X-Location'),
    'if', 'settings of its location';

like $server->get(percent '/日本/old/')->body, qr/>表</, 'a listing';
is $server->request('PUT', percent('/é/ü.txt'), body => 'x')->status, 201,
    'a new name';
ok -e "$root/é/" . nfd('ü.txt'), 'in the form of its directory';
is $server->request('MKCOL', percent('/é/ö/'))->status, 201, 'a directory';
is $server->request('PUT', percent('/é/ö/ä.txt'), body => 'x')->status, 201,
    'a directory in that form';
ok -e "$root/é/" . nfd('ö/ä.txt'), 'likewise';

$server->get(percent('/日本/old/表/漢.txt'), port => $server->port('report'));
like $server->settled_log, qr/iri: report: .*reason=/, 'report';

done_testing;
