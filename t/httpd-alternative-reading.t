# httpd: a path whose first reading is not on disk, but an alternative reading
# is: the request restarts with the canonical path of the entry found, so that
# all rules judge that. EUC-JP C9BD is a kanji, and in UTF-8 U+027D.
use IRI::Test 'httpd';
use Digest::SHA 'sha1_base64';
use IRI::Octets 'euc';

my ($root) = make_tree([qw(開/表.txt 拒/表.txt 鍵/表.txt 書/表.txt 写/表.txt 写/二.txt
    仮/表.txt 蔵/表.txt 表/内.txt 表/index.html 表.txt 表示.txt html.txt)],
    undef, charset => 'EUC-JP');
spew("$root/" . euc('開/表.cgi'), <<'END');
#!/bin/sh
printf 'Content-Type: text/plain\n\n%s %s ' "$REQUEST_METHOD" "$QUERY_STRING"
cat
printf ' %s %s %s %s' "$IRI_FORM" "$IRI_CHARSET" "$IRI_MATCH" "$IRI_PATH"
END
chmod 0755, "$root/" . euc('開/表.cgi');
spew("$root/virtual.shtml", '[<!--#include virtual="/%C9%BD.txt" -->]');
spew("$root/denied.shtml",
    '[<!--#include virtual="/%E6%8B%92/%C9%BD.txt" -->]');
spew("$root/vars.shtml",
    '<!--#include virtual="/%E9%96%8B/%C9%BD.cgi?x" -->');
spew("$root/own.shtml",
    '[<!--#include virtual="/%E8%A1%A8.txt" -->]');
utime time - 864000, time - 864000, "$root/" . euc('蔵/表.txt');
spew("$root/users", 'u:{SHA}' . sha1_base64('p') . "=\n");
# A type map names its files by their octets.
spew("$root/" . euc('図表.html') . ".$_", $_) for qw(en ja);
spew("$root/map.var", join "\n", map {
        ('URI: ' . euc('図表.html') . ".$_", 'Content-Type: text/html',
            "Content-Language: $_", '')
    } qw(en ja));
my $tmp = temp_dir();
mkdir "$tmp/cache";
chmod 0777, "$tmp/cache";
system 'chown', '-R', 'www-data', $root if $> == 0;

# Octets of a path, percent-encoded.
sub percent { return join '',
    map { s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ger }
        @_ }

my $server = httpd(
    root => $root, tmp => $tmp, h2 => 1, log_level => 'info',
    modules => [qw(rewrite cgid include cache cache_disk auth_basic
        authn_file authz_user proxy proxy_http dav dav_fs headers
        negotiation)],
    conf => <<'END');
IRIEngine On
IRICharset EUC-JP
IRIFilenameCharset EUC-JP
AddHandler cgi-script .cgi
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
AddHandler type-map .var
AddLanguage en .en
AddLanguage ja .ja
<Directory "%%ROOT%%">
    Options +ExecCGI +Includes
</Directory>
DavLockDB "%%TMP%%/run/lock"
<Directory "%%ROOT%%/写">
    Dav On
</Directory>
<Location "/拒/表.txt">
    Require all denied
</Location>
<Location "/鍵/表.txt">
    AuthType Basic
    AuthName here
    AuthBasicProvider file
    AuthUserFile "%%ROOT%%/users"
    Require valid-user
</Location>
RewriteEngine On
RewriteRule "^/書/表\.txt$" "/html.txt" [PT]
ProxyPass "/仮/表.txt" "http://127.0.0.1:%%PORT%%/html.txt"
<Location "/仮/ɽ.txt">
    Header set X-First seen
</Location>
CacheRoot "%%TMP%%/cache"
CacheEnable disk "/%E8%94%B5"
CacheHeader On
<VirtualHost 127.0.0.1:%%PORTsjis%%>
    IRICharset Shift_JIS EUC-JP
</VirtualHost>
END

is $server->get('/%C9%BD.txt')->body, '\xC9\xBD.txt', 'found';
like $server->settled_log,
    qr{iri: "/%C9%BD\.txt" found as "/%E8%A1%A8\.txt": charset, reason=further},
    'one log line';
is $server->get("$_%C9%BD.txt")->body, '\xC9\xBD.txt', "found: $_"
    for '//', '/./', '/x/../';
# in Shift_JIS these octets are half-width kana
is $server->get($_ . percent(euc '表示.txt'),
    port => $server->port('sjis'))->body,
    escaped(euc '表示.txt'), "found: $_, legacy octets"
    for '/', '//', '/x/../';
is $server->request('HEAD', '/%C9%BD.txt')->status, 200, 'HEAD';
is $server->get('/%C9%BD/')->body, escaped(euc '表/index.html'),
    'a directory with its index';
is $server->get('/%C9%BD')->header('Location') =~ s{^http://[^/]+}{}r,
    '/%E8%A1%A8/', 'slash redirect to the canonical path';

chmod 0777, "$tmp/run";    # DavLockDB

# An ambiguous last segment below a directory in UTF-8: the first reading is
# UTF-8 as a whole, the found one has a charset for each segment.
sub mixed {
    my ($dir, $leaf) = @_;
    return percent("/$dir/", euc($leaf));
}
is $server->get(mixed('開', '表.txt'))->body, escaped(euc '開/表.txt'),
    'a charset for each segment';
is $server->get(mixed('拒', '表.txt'))->status, 403,
    '<Location> of the found name denies';
is $server->get(mixed('鍵', '表.txt'))->status, 401, 'Require: 401';
is $server->get(mixed('鍵', '表.txt'),
    headers => [Authorization => 'Basic dTpw'])->status, 200,
    'Require: with the password';
is $server->get(mixed('書', '表.txt'))->body, 'html.txt',
    'RewriteRule of the found name';
my $answer = $server->get(mixed('仮', '表.txt'));
is $answer->body, 'html.txt', 'ProxyPass of the found name';
is $answer->header('X-First'), undef, 'effects of the first reading are undone';

# Method, query and body are kept.
is $server->get(mixed('開', '表.cgi') . '?a=%C9%BD')->body,
    'GET a=%C9%BD  legacy mixed charset /開/表.cgi', 'query and variables';
is $server->request('POST', mixed('開', '表.cgi'), body => 'b' x 70000)
    ->body, 'POST  ' . 'b' x 70000 . ' legacy mixed charset /開/表.cgi',
    'POST';
$answer = $server->request('POST', mixed('開', '表.cgi'), body => 'b',
    headers => [Expect => '100-continue']);
like $answer->body, qr/^POST  b /, 'POST with Expect';
my $client = $server->client;
like $client->request({ method => 'POST', target => mixed('開', '表.cgi'),
    body => 'one' })->body, qr/one/, 'POST, connection kept';
ok $client->{persistent}, 'the connection is kept';
is $client->request('/html.txt')->body, 'html.txt', 'next request on it';
is $server->get('/%C9%BD.txt', proto => 'h2')->body, '\xC9\xBD.txt', 'h2';
is $server->request('POST', mixed('開', '表.cgi'), body => 'two',
    proto => 'h2')->body, 'POST  two legacy mixed charset /開/表.cgi',
    'POST, h2';

is $server->request('PUT', mixed('写', '表.txt'), body => 'new')->status, 204,
    'PUT';
is slurp("$root/" . euc('写/表.txt')), 'new', 'PUT replaced the entry';
is $server->request('COPY', percent('/写/二.txt'), headers => [
        Destination => 'http://localhost' . mixed('写', '表.txt')])->status,
    204, 'Destination';
is slurp("$root/" . euc('写/表.txt')), escaped(euc '写/二.txt'),
    'Destination is the entry';
is $server->request('COPY', percent('/写/二.txt'), headers => [
        Destination => 'http://localhost' . mixed('拒', '表.txt')])->status,
    403, 'Destination denied by its found name';

# mod_cache stores it under one key.
$server->get(mixed('蔵', '表.txt'));
$server->wait_for(sub { `find $tmp/cache -name '*.header'` });
for my $target (percent('/蔵/表.txt'), percent(euc '/蔵/表.txt'),
    mixed('蔵', '表.txt')) {
    like $server->get($target)->header('X-Cache') // '', qr/^HIT/,
        "cache: $target";
}
is scalar(split ' ', `find $tmp/cache -name '*.header'`), 1,
    'cache: one entry';

# A subrequest restarts, too.
is $server->get('/virtual.shtml')->body, '[\xC9\xBD.txt]', 'subrequest';
is $server->get('/own.shtml')->body, '[\xC9\xBD.txt]',
    'subrequest in canonical form';
unlike $server->get('/denied.shtml')->body, qr/xC9/,
    'subrequest denied by the found name';
is $server->get('/vars.shtml')->body, 'GET x  legacy mixed charset /開/表.cgi',
    'subrequest to a program';

# Fields set by an internal redirect stay.
my $chosen = $server->get('/map.var', headers => ['Accept-Language', 'ja']);
is $chosen->body, 'ja', 'a type map selects its file';
is $chosen->header('Vary'), 'negotiate,accept-language', 'Vary unchanged';
is $chosen->header('TCN'),  'choice',                    'TCN unchanged';
like $chosen->header('Content-Location') // '', qr/\.html\.ja\z/,
    'Content-Location unchanged';

done_testing;
