# httpd, IRIListing: no entry is shown that the client may not get, and what
# other modules do with a listing. Names and fields: t/listing-names.t.
use IRI::Test 'httpd';
use Digest::SHA 'sha1_base64';
use IO::Socket::INET;
use IRI::Rows 'names_of';
use POSIX ();
use Time::HiRes 'sleep';

my ($server, $port);
my @login = (headers => [Authorization => 'Basic dTpw']);

# The names of a listing.
sub names {
    my ($target, %option) = @_;
    return names_of($server->get("$target?format=json", port => $port,
        %option));
}

sub give_to_worker { system 'chown', '-R', 'www-data', $_[0] if $> == 0 }

# ---- entries that rules deny ------------------------------------------------
my $rules = temp_dir();
my @ways = qw(location locationmatch files filesmatch dir htfiles htdir user
    host expr ifdeny env f404 fserver gserver ns rserver fht r404ht goneht
    elsewhere elsewhereht redirect redirectht red404 proxy proxyht ifmatch
    local mode method ip iripath dirmatch
    inside envonly envdir pathinfo sub ifsub subrw);
make_tree(join('', map { ("all/$_/a\tfile\n", "all/$_.txt\tfile\n",
        escaped("all/表-$_.txt") . "\tfile\n") } @ways)
    . join('', map { escaped($_) . "\tfile\n" } qw(
        all/.hidden all/.htpasswd all/ok.txt all/ok/a other/x.txt
        links/file.txt links/é.txt links/own/file.txt index/with/index.html index/none/a
        index/global/a index/denied/index.html noindex/sub/a noindex/in/a
        ht/a.txt ht/off/a.txt ht/off/on/a.txt ht/never/a.txt ht/denied/a.txt
        auth/in/a auth/other/a auth/a auth/for-v.txt none/a slash/in/a case/Docs/A.txt
        twins/é.txt page/a.txt page/b.txt mail/a twice/x/a fall/sub/a
        views/p.html.en views/p.html.de denied/a rewritten/a user/a)),
    $rules);
spew("$rules/twins/e\xCC\x81.txt", 'decomposed');
symlink '/etc/passwd',         "$rules/links/passwd";
symlink '/etc/passwd',         "$rules/links/e\xCC\x81.txt";
symlink "$rules/all/ok.txt",   "$rules/links/mine";
symlink "$rules/all/ok",       "$rules/links/dir";
symlink 'nowhere',             "$rules/links/dangling";
symlink 'loop',                "$rules/links/loop";
# entries without a name: no charset decodes them, or they have controls
mkdir "$rules/raw";
for my $end (qw(txt fserver red403 locationmatch)) {
    spew("$rules/raw/$_.$end", 'x') for "\xFF", "\xC3\xA9\n", "\xFF\x7F";
}
mkdir "$rules/kinds";
spew("$rules/kinds/file", 'x');
system 'mkfifo', "$rules/kinds/fifo";
my $socket = IO::Socket::UNIX->new(Local => "$rules/kinds/socket", Listen => 1)
    if eval { require IO::Socket::UNIX };
spew("$rules/all/.htaccess", <<'END');
<Files "htfiles.txt">
    Require all denied
</Files>
RewriteEngine On
RewriteRule "fht\.txt$" "-" [F]
RewriteRule "r404ht\.txt$" "-" [R=404]
RewriteRule "goneht\.txt$" "-" [G]
RewriteRule "elsewhereht\.txt$" "/other/x.txt"
RewriteRule "redirectht\.txt$" "http://other.example/" [R]
RewriteCond "%{ENV:IRI_PATH}" "/表-iripath"
RewriteRule "^" "-" [F]
RewriteRule "proxyht\.txt$" "http://127.0.0.1:9/" [P]
RewriteCond "%{IS_SUBREQ}" "false"
RewriteRule "(^|-)subrw\.txt$" "-" [F]
END
spew("$rules/all/htdir/.htaccess", "Require all denied\n");
spew("$rules/all/user/.htaccess", "AuthType Basic\nAuthName here\n"
    . "AuthBasicProvider file\nAuthUserFile \"$rules/users\"\n"
    . "Require valid-user\n");
spew("$rules/ht/.htaccess",          "IRIListing On\n");
spew("$rules/ht/off/.htaccess",      "IRIListing Off\n");
spew("$rules/ht/off/on/.htaccess",   "IRIListing On\n");
spew("$rules/ht/never/.htaccess",    "Options -Indexes\n");
spew("$rules/ht/denied/.htaccess",   "Require all denied\n");
spew("$rules/users", join '', map { "$_:{SHA}" . sha1_base64('p') . "=\n" }
    qw(u v));
spew("$rules/others", 'u:{SHA}' . sha1_base64('q') . "=\n");
spew("$rules/page/list.shtml", '[<!--#include virtual="/all/" -->]');
spew("$rules/page/bare.shtml", '[<!--#include virtual="/all" -->]');
give_to_worker($rules);
system 'chown', '-h', 'root', "$rules/links/mine" if $> == 0;
chmod 0, "$rules/all/mode.txt";
chmod 0, "$rules/all/mode";

# Each kind of denial has a name, with ".txt", with a prefix, and a directory.
my $deny = '';
my %deny = (
    location      => "<Location \"%s\">\nRequire all denied\n</Location>",
    user          => "<Location \"%s\">\nAuthType Basic\nAuthName here\n"
        . "AuthBasicProvider file\nAuthUserFile \"$rules/users\"\n"
        . "Require valid-user\n</Location>",
    host          => "<Location \"%s\">\nRequire host nowhere\n</Location>",
    ip            => "<Location \"%s\">\nRequire ip 192.0.2.1\n</Location>",
    method        => "<Location \"%s\">\n<Limit GET>\nRequire all denied\n"
        . "</Limit>\n</Location>",
    local         => "<Location \"%s\">\nRequire not local\n"
        . "Require all granted\n</Location>",
    fserver       => "RewriteRule \"^%s\" - [F]",
    gserver       => "RewriteRule \"^%s\" - [G]",
    ns            => "RewriteRule \"^%s\" - [F,NS]",
    rserver       => "RewriteRule \"^%s\" http://other.example/ [R]",
    f404          => "RewriteRule \"^%s\" - [R=404]",
    pathinfo      => "RewriteRule \"^(%s)\$\" \"\$1/more\" [PT]",
    inside        => "RewriteRule \"^%s\" /all/ok.txt [PT]",
    elsewhere     => "RewriteRule \"^%s\" /other/x.txt",
    redirect      => "Redirect \"%s\" http://other.example/",
    red404        => "Redirect 404 \"%s\"",
    proxy         => "ProxyPass \"%s\" http://127.0.0.1:9/",
);
$deny{local} = "<Location \"%s\">\n<RequireAll>\nRequire all granted\n"
    . "Require not local\n</RequireAll>\n</Location>";
for my $way (sort keys %deny) {
    $deny .= sprintf "$deny{$way}\n", "/all/$_$way" for '', '表-';
    $deny .= sprintf "$deny{$way}\n", "/all/$_$way.txt" for '', '表-';
}

my $conf = <<"END";
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
AllowEncodedSlashes NoDecode
IRIEngine On
DavLockDB "%%TMP%%/run/lock"
<Directory "$rules">
    Options +Indexes +Includes
    AllowOverride All
    IRIListing On
</Directory>
<VirtualHost 127.0.0.1:%%PORT%%>
    RewriteEngine On
    $deny
    <LocationMatch "/all/.*locationmatch">
        Require all denied
    </LocationMatch>
    <DirectoryMatch "/all/(表-)?dirmatch">
        Require all denied
    </DirectoryMatch>
    <FilesMatch "filesmatch">
        Require all denied
    </FilesMatch>
    <Files "表-files.txt">
        Require all denied
    </Files>
    <Files "files.txt">
        Require all denied
    </Files>
    <Directory "$rules/all/dir">
        Require all denied
    </Directory>
    <Directory "$rules/all">
        <RequireAll>
            Require all granted
            Require expr "%{REQUEST_URI} !~ m#/(表-)?expr#"
            Require not env SHUT
            Require not env IRI_SHUT
            Require expr "%{REQUEST_URI} !~ m#/(表-)?sub[./]# || %{IS_SUBREQ} == 'true'"
        </RequireAll>
        SetEnvIf Request_URI "/(%E8%A1%A8-)?envdir" SHUT
        <If "%{REQUEST_URI} =~ m#ifdeny|/表-ifmatch#">
            Require all denied
        </If>
        <If "%{is_subreq} == 'false' && %{REQUEST_URI} =~ m#ifsub#">
            Require all denied
        </If>
    </Directory>
    SetEnvIf Request_URI "/(%E8%A1%A8-)?env" SHUT
    SetEnvIf Request_URI "^/all/\$" LISTED
    <Files "envonly.txt">
        Require env LISTED
    </Files>
    <Directory "$rules/links">
        Options -FollowSymLinks
    </Directory>
    <Directory "$rules/index">
        DirectoryIndex index.html
    </Directory>
    <Directory "$rules/index/global">
        DirectoryIndex /other/x.txt
    </Directory>
    <Directory "$rules/index/denied">
        <Files "index.html">
            Require all denied
        </Files>
    </Directory>
    <Directory "$rules/noindex">
        Options -Indexes
    </Directory>
    <Directory "$rules/noindex/in">
        Options +Indexes
    </Directory>
    <Directory "$rules/ht">
        IRIListing Off
    </Directory>
    <Directory "$rules/auth">
        AuthType Basic
        AuthName here
        AuthBasicProvider file
        AuthUserFile "$rules/users"
        Require valid-user
        <Files "for-v.txt">
            Require user v
        </Files>
    </Directory>
    <Directory "$rules/auth/other">
        AuthUserFile "$rules/others"
    </Directory>
    <Directory "$rules/slash">
        DirectorySlash Off
    </Directory>
    <Directory "$rules/case">
        IRIMatch case
    </Directory>
    <Directory "$rules/fall">
        FallbackResource /other/x.txt
    </Directory>
    <Location "/denied">
        Require all denied
        ErrorDocument 403 /ok/
    </Location>
    Alias "/ok/" "$rules/all/ok/"
    Alias "/twice" "$rules/twice"
    RewriteRule "^/raw/.*\.fserver" - [F]
    RedirectMatch 403 "^/raw/.*\.red403"
    <LocationMatch "^/raw/.*\.locationmatch">
        Require all denied
    </LocationMatch>
    RewriteRule "^/rewritten/\$" "$rules/other/" [L]
    RewriteRule "^/pretty/(.*)" "/other/\$1" [PT,QSA]
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTlinks%%>
    <Directory "$rules/links">
        Options -FollowSymLinks +SymLinksIfOwnerMatch
    </Directory>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTinvalid%%>
    IRIInvalid 400
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine report
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTfilter%%>
    SetOutputFilter DEFLATE
    AddDefaultCharset ISO-8859-2
    <Location "/all">
        Header set Cache-Control "max-age=60"
        Header set Content-Security-Policy "default-src 'self'"
    </Location>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTcache%%>
    CacheRoot "%%TMP%%/cache"
    CacheEnable disk /
    CacheIgnoreNoLastMod On
    CacheDefaultExpire 60
</VirtualHost>
END
my @modules = qw(rewrite include auth_basic authn_file authz_user headers
    setenvif proxy proxy_http filter deflate cache cache_disk negotiation dav
    dav_fs);
$server = httpd(root => $rules, modules => \@modules, log_level => 'info',
    conf => $conf);
$port = $server->port;
mkdir "$server->{tmp}/cache";
give_to_worker("$server->{tmp}/cache");

my $shown = names('/all/');
unlike $shown, qr/hidden|htpasswd|htaccess/, 'hidden names';
for my $entry (map { ("$_/", "$_.txt", "表-$_.txt") } @ways, 'ok') {
    next if $entry eq '表-ok.txt';
    my $uri = $entry =~ s/([^!-~])/sprintf '%%%02X', ord $1/ger;
    my $answer = $server->get("/all/$uri");
    my $own    = $entry =~ m{/$} ? $answer->body =~ /Index of/
        : $answer->body eq escaped("all/$entry");
    is " $shown " =~ / \Q$entry\E / ? 1 : 0,
        $answer->status == 200 && $own ? 1 : 0,
            "listed if and only if accessible: $entry";
}
rows_are($server, <<'END', user => \@login);
request  names  note
/links/  file.txt own/ é.txt  links are neither followed nor listed as conflicts
/kinds/  file  only files and directories
/raw/  %C3%A9%0A.txt! %FF%7F.txt! %FF.txt!  rules judge entries without a name
/index/  global/ none/ with/  directories with an index, except a denied one
/index/none/  a  no index
/noindex/  403  Options -Indexes
/noindex/sub/  403  Options -Indexes, below
/noindex/in/  a  Options +Indexes
/ht/  a.txt never/ off/  .htaccess: on
/ht/off/  404  .htaccess: off
/ht/off/on/  a.txt  .htaccess: on again
/ht/never/  403  Options of .htaccess
/ht/denied/  403  Require of .htaccess
/none-there/  404  no directory
/rewritten/  ~^$  a rewritten path
/pretty/  x.txt  a path whose entries are rewritten
/case/docs/  A.txt  a directory found by a similar name
/case/  Docs/  the name in its parent directory
/slash/in/  a  the listing with right links
/slash/  in/  the link from the parent directory
off:/index/none/  404  engine off
report:/index/none/  404  report
/auth/  401  a password
/auth/ +user  a in/  with the password, without entries of others
/auth/in/ +user  a  a deeper path
END
is names('/links/', port => $server->port('links')),
    $> == 0 ? 'dir/ file.txt own/ é.txt' : 'dir/ file.txt mine own/ é.txt',
    'SymLinksIfOwnerMatch';
like names('/links/', port => $server->port('filter')),
    qr{^dir/ file.txt mine own/ passwd é.txt é.txt!$}, 'links are followed';
unlike $server->settled_log, qr/unreadable/, 'whose paths are not refused';
like names('/raw/', port => $server->port('invalid')),
    qr/^%C3%A9%0A\.fserver! .* %FF\.txt!$/, 'nor with IRIInvalid 400';
is names('/twins/'), "\xC3\xA9.txt \xC3\xA9.txt!", 'one name, two entries';

# ---- which directories ------------------------------------------------------
is $server->get('/index/with/')->body, 'index/with/index.html', 'an index';
like $server->settled_log, qr/iri: .*reason=indexes/, 'logged';
is $server->get('/fall/sub/')->body, 'other/x.txt', 'FallbackResource';
is $server->get('/denied/')->status, 403, 'denied';
like $server->get('/denied/')->body, qr/Index of/, 'ErrorDocument is a listing';
my $answer = $server->get('/slash/in');
is $answer->status, 301, 'DirectorySlash Off';
like $answer->header('Location'), qr{^http://localhost:\d+/slash/in/$},
    'redirect to the path with a slash';

# ---- passwords --------------------------------------------------------------
is names('/auth/', headers => [Authorization => 'Basic dTpx']), 401, 'wrong';
like names('/all/', @login), qr{ user/ .*user\.txt},
    'an entry that requires a password';
unlike names('/all/', headers => [Authorization => 'Basic dTpx']), qr/user/,
    'a wrong password';

# ---- other modules ----------------------------------------------------------
$answer = $server->get('/page/list.shtml');
like $answer->body, qr/^\[<!DOCTYPE.*ok\.txt.*\]$/s, 'in a page (SSI)';
unlike $answer->body, qr/fserver|\.hidden/, 'SSI: the same rules';
like $server->get('/page/bare.shtml')->body, qr/^\[\[an error/,
    'SSI, no slash';
like $server->get('/all/?sort=size&order=desc')->body,
    qr{<th[^>]*aria-sort="descending"><a[^>]*>Size}, 'sorted';
my $filter = $server->port('filter');
$answer = $server->get('/index/none/', port => $filter,
    headers => ['Accept-Encoding' => 'gzip']);
is $answer->header('Content-Encoding'), 'gzip', 'mod_deflate';
is $answer->header('Content-Type'), 'text/html; charset=utf-8',
    'AddDefaultCharset';
if (eval { require IO::Uncompress::Gunzip }) {
    my $packed = $answer->body;
    IO::Uncompress::Gunzip::gunzip(\$packed, \my $page);
    is $page, $server->get('/index/none/', port => $filter)->body, 'whole';
}
$answer = $server->get('/all/', port => $filter);
is $answer->header('Cache-Control'), 'max-age=60', 'mod_headers is the last';
is $answer->header('Content-Security-Policy'), "default-src 'self'",
    'mod_headers: policy';
my $cache = $server->port('cache');
is names('/mail/', port => $cache), 'a', 'mod_cache';
spew("$rules/mail/b", 'b');
is names('/mail/', port => $cache), 'a b', 'the listing is not cached';

is_deeply [$server->errors(ignore => qr/AH00529: .*mode/)], [], 'log: rules';

# ---- a large directory ------------------------------------------------------
my $large = temp_dir();
mkdir "$large/$_" for 'all', 'few', 'login';
my $word = '&' x 100;    # each octet of the name takes ten octets of the page
for my $n (1 .. 20_000) {
    open my $file, '>', "$large/all/$word$n" or die "$word$n: $!\n";
}
spew("$large/few/a", 'a');
spew("$large/login/$_", $_) for 1 .. 40;
# a password hash that takes at least a tenth of a second
my $hash = crypt 'p', '$6$rounds=200000$saltsalt$';
spew("$large/users", "u:$hash\n");
$server = httpd(root => $large, mpm => 'prefork',
    modules => [qw(auth_basic authn_file authz_user)], conf => <<'END');
# %%PORT%%
IRIEngine On
IRIListing On
StartServers 1
MinSpareServers 1
MaxSpareServers 1
MaxRequestWorkers 1
<Directory "%%ROOT%%">
    Options +Indexes
</Directory>
<Directory "%%ROOT%%/login">
    AuthType Basic
    AuthName here
    AuthBasicProvider file
    AuthUserFile "%%ROOT%%/users"
    Require valid-user
</Directory>
END
$port = $server->port;

# The only child process, in /proc.
sub child {
    my ($child) = grep {
        slurp("$_/status") =~ /^PPid:\s*@{[$server->pid]}$/m
    } glob '/proc/[0-9]*';
    return $child // die "no child\n";
}

# The peak memory of the child in octets, and its CPU seconds.
sub peak { return slurp(child() . '/status') =~ /^VmHWM:\s*(\d+) kB/m
    ? 1024 * $1 : 0 }

sub cpu {
    my @fields = split ' ', slurp(child() . '/stat') =~ s/.*\) //sr;
    return ($fields[11] + $fields[12]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# A client that reads a part of a listing and then waits, or closes the
# connection.
sub client_of {
    my ($take) = @_;
    my $client = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $port, Proto => 'tcp') or die "connect: $@\n";
    print {$client} "GET /all/ HTTP/1.1\r\nHost: localhost\r\n\r\n";
    $client->flush;
    my $got = '';
    while (length $got < $take) {
        sysread $client, $got, $take - length $got, length $got or last;
    }
    return $client;
}

is names('/few/'), 'a', 'a small one';
SKIP: {
    skip 'no SHA-512 in crypt', 2 if ($hash // '') !~ /^\$6\$rounds=/;
    my $used = cpu();
    is names('/login/', headers => [Authorization => 'Basic dTpw']),
        join(' ', sort 1 .. 40), 'behind a password';
    # checking each of 40 would take about 0.1 s
    cmp_ok cpu() - $used, '<', 1.5, 'the password is checked once';
}
my $before = peak();
my $slow   = client_of(1 << 16);
$server->settle;
my $rest = '';
while (sysread $slow, $rest, 1 << 16, length $rest) {
    last if $rest =~ /\r\n0\r\n\r\n\z/;
}
close $slow;
cmp_ok length $rest, '>', 1e6, 'a page of more than a megabyte';
cmp_ok peak() - $before, '<', 14e6, 'peak memory of a large page'
    if !$ENV{IRI_ASAN};
note peak() - $before, ' octets';
close client_of(1 << 16);
is names('/few/'), 'a', 'a closed connection ends the listing';
my ($pages, %all) = (0);
for (my $query = '?format=json'; defined $query; $pages++) {
    my $body = $server->get("/all/$query")->body;
    $all{$_}++ for $body =~ /"href":"([^"]*)"/g;
    ($query) = $body =~ /"next":"([^"]*)"/;
}
is $pages, 20, 'pages of 1,000 names';
is keys %all, 20_000, 'all of them';
is_deeply [grep { $_ != 1 } values %all], [], 'each once';
like $server->access_log, qr{"GET /all/ HTTP/1.1" 200},
    'all requests are logged';

# ---- names in a charset that is not accepted in requests --------------------
my ($tree) = make_tree("\\xA4\\xA2.html\tfile\n");
my $lister = httpd(root => $tree, modules => ['autoindex'], conf => <<'END');
IRIEngine On
<Directory %%ROOT%%>
    Options +Indexes
    IRIFilenameCharset EUC-JP
</Directory>
END
like $lister->get('/')->body, qr/href="%a4%a2\.html"/i, 'the entry is listed';
is $lister->get('/%E3%81%82.html')->status, 200, 'the entry has a name';

# ---- settings ---------------------------------------------------------------
for (['', 1], ["IRIEngine report\n", 0], ["IRIEngine On\n", 0]) {
    my ($engine, $warned) = @$_;
    my $idle = httpd(expect => qr/has no effect/,
        conf => "# %%PORT%%\n${engine}IRIListing On\n");
    $idle->wait_for(sub { $idle->log_text =~ /resuming normal operations/ });
    is $idle->log_text =~ /"IRIListing" in \S+ has no effect/ ? 1 : 0, $warned,
        'no effect: ' . ($engine || 'without IRIEngine');
}

done_testing;
