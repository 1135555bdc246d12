# nginx: iri_charset $variable: the charsets for reading a path depend on the
# client, and answers that depend on it have Vary.
use IRI::Test 'nginx';
use IRI::Both qw(client_cases is_undisclosed vary);

# ---- one server --------------------------------------------------------------

my ($root) = make_tree([qw(index.html=index été.txt=french йtй.txt=russian
    表.txt=table dav/ named/été.txt=named named/表.txt=named),
    'ssi.html=<!--#include virtual="/%E9t%E9.txt" -->|<!--#include virtual="/%C3%A9t%C3%A9.txt" -->']
    );
chmod 0777, "$root/dav";

my $server = nginx(root => $root, log_level => 'info', conf => octets(<<'END'));
map $http_user_agent $by_agent {
    default windows-1252;
    ~Russia "windows-1251";
    ~Asia   " euc-jp,\tsjis";
    ~None   none;
    ~Empty  "";
    ~Bad    "sjis kling\xC3\xB6n";
}
map $http_accept_language $by_language {
    default windows-1252;
    ~^ru    windows-1251;
}
map $by_language$cookie_x$cookie_y $chained { default $by_language; }
map $uri $class { default open; "~*\x{D0}\x{B9}" secret; ~^/old/ old; }
map $class $by_prefix { default windows-1251; old windows-1252; }
iri on;
iri_charset $by_agent;
add_header X-Charset "$iri_charset" always;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    location /moved/ { alias %%ROOT%%/; iri_redirect 301; }
    location /up/ { proxy_pass http://127.0.0.1:%%PORTecho%%; }
    location /ssi.html { ssi on; }
    location /page/ { error_page 404 /index.html; }
    location /own/ { alias %%ROOT%%/; add_header Vary Origin; }
    location /deny/ { alias %%ROOT%%/; deny all; }
    location /return/ { alias %%ROOT%%/; return 403; }
    location /basic/ {
        alias %%ROOT%%/;
        auth_basic realm;
        auth_basic_user_file %%TMP%%/nobody;
    }
    location /any/ { alias %%ROOT%%/; satisfy any; deny all; auth_basic realm;
        auth_basic_user_file %%TMP%%/nobody; }
    location /asked/ { alias %%ROOT%%/; auth_request /no; }
    location = /no { return 403; }
    location /named/ { deny all; error_page 403 = @page; }
    location /paged/ { alias %%ROOT%%/; deny all; error_page 403 /index.html; }
    location /again/ {
        alias %%ROOT%%/;
        deny all;
        recursive_error_pages on;
        error_page 403 = /index.html;
    }
    location @page { proxy_pass http://127.0.0.1:%%PORTecho%%; }
    location /front/ { try_files $uri /index.html; }
    location /dav/ {
        dav_methods PUT MOVE DELETE;
        create_full_put_path on;
    }
}
server {
    listen 127.0.0.1:%%PORTlanguage%%;
    root %%ROOT%%;
    iri_charset $by_language;
}
server {
    listen 127.0.0.1:%%PORTchain%%;
    root %%ROOT%%;
    iri_charset $chained;
}
server {
    listen 127.0.0.1:%%PORTfield%%;
    root %%ROOT%%;
    iri_charset $http_x_charset;
}
server {
    listen 127.0.0.1:%%PORTprefix%%;
    root %%ROOT%%;
    iri_charset $by_prefix;
    if ($class = secret) { return 403; }
    location /old/ { alias %%ROOT%%/; }
}
server {
    listen 127.0.0.1:%%PORTfront%%;
    root %%ROOT%%;
    iri_charset $http_x_charset;
    if (!-e $request_filename) { rewrite ^ /index.html; }
}
server {
    listen 127.0.0.1:%%PORTfixed%%;
    root %%ROOT%%;
    iri_charset windows-1251;
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOT%%;
    iri report;
}
server {
    listen 127.0.0.1:%%PORTrepair%%;
    root %%ROOT%%;
    iri_repair double-encoding;
    if (-f $request_filename) { rewrite ^(.*)$ $1.html last; }
    location /named/ { deny all; }
}
server {
    listen 127.0.0.1:%%PORToff%%;
    root %%ROOT%%;
    iri off;
}
server {
    listen 127.0.0.1:%%PORTecho%%;
    iri off;
    location / { return 200 "$request_uri"; }
}
END

# The response: status, body if 200, Vary.
sub answer { return vary($server, @_) }

my $either = '/%E9t%E9.txt';
is answer(@$_[0, 1]), $_->[2], $_->[3] for client_cases();
is answer($either, 'Empty'), '404 User-Agent', 'an empty list';
is scalar(() = $server->settled_log =~
        /\[error\].*iri: .*"kling%C3%B6n" .*\$by_agent.*reason=charsets/g), 1,
    'logged once';

is answer('/up/%C3%A9', 'Russia'), '200 /up/%C3%A9 User-Agent',
    'upstream, since nothing on disk has that name';
is answer('/up/%E9', 'Russia'), '200 /up/%D0%B9 User-Agent', 'legacy upstream';
is answer('/up/%E9', 'None'), '404 User-Agent', 'refused';

my $moved = $server->get("/moved$either", headers => ['User-Agent', 'Russia']);
is $moved->header('Location') =~ s{^http://[^/]*}{}r,
    '/moved/%D0%B9t%D0%B9.txt', 'redirect to this reading';
is $moved->header('Vary'), 'User-Agent', 'redirect: Vary';
is $server->get($either, headers => ['User-Agent', 'Russia'])
    ->header('X-Charset'), 'windows-1251', '$iri_charset';
is $server->get($either)->header('X-Charset'), 'windows-1252',
    'no User-Agent';

# ---- before access is granted -----------------------------------------------
# A response does not disclose whether a name exists, not by Vary either; the
# response may depend on the client if its charsets lead to another location.
spew($server->tmp . '/nobody', '');
is_undisclosed($server, @$_) for ['deny', 403], ['return', 403],
    ['basic', 401], ['any', 401], ['asked', 403], ['named', 200],
    ['paged', 403], ['again', 200];
for my $name ('%25C3%25A9t%25C3%25A9.txt', '%25C3%25B1.txt') {
    is answer("/named/$name", undef, port => 'repair'), '403',
        "repaired or not: /named/$name";
}
is answer('/front/%C3%A9'), '200 index User-Agent', 'the fallback';
is answer('/front/a'), '200 index', 'the fallback, ASCII';

# ---- subrequests ---------------------------------------------------------

is answer('/ssi.html', 'Russia'), '200 russian|french', 'SSI: two parts';
is answer('/ssi.html'), '200 french|french', 'SSI: for another client';

# ---- Destination ---------------------------------------------------------

is answer('/dav/%E9', 'Russia', method => 'PUT', body => 'x',
    headers => ['Depth', 0]), '201 User-Agent', 'PUT';
ok -e "$root/dav/\xD0\xB9", 'created under the canonical name';
is answer('/dav/%E9', 'Russia', method => 'MOVE',
    headers => ['Destination', 'http://localhost/dav/%E9%E9']),
    '204 User-Agent', 'MOVE';
ok -e "$root/dav/\xD0\xB9\xD0\xB9", 'Destination is read like the path';

# ---- variables that set the charset -----------------------------------------

my @russian = ('Accept-Language', 'ru');
is answer($either, undef, port => 'language', headers => [@russian]),
    '200 russian Accept-Language', 'a map of Accept-Language';
is answer($either, 'Russia', port => 'language'),
    '200 french Accept-Language', 'Vary has only this field';
is answer($either, undef, port => 'chain', headers => [@russian]),
    '200 russian Accept-Language, Cookie', 'maps of maps, cookies once';
is answer($either, undef, port => 'field',
    headers => ['X-Charset', 'WINDOWS-1251']), '200 russian X-Charset',
    'the list is a header field';
is answer($either, undef, port => 'field'), '404 X-Charset',
    'without the field';
is answer($either, 'Russia', port => 'fixed'), '200 russian',
    'a constant list needs no Vary';
is answer("/old$either", undef, port => 'prefix'), '200 french',
    'a constant prefix needs no Vary';
is answer($either, undef, port => 'prefix'), '403',
    'rules judge the canonical path';
is answer('/%D0%B9t%D0%B9.txt', undef, port => 'prefix'), '403',
    'the same for the canonical URI';

# With EUC-JP it is a file; without, a rule answers, after a lookup of the
# file.
my $front = '/%C9%BD.txt';
is answer($front, undef, port => 'front', headers => ['X-Charset', 'EUC-JP']),
    '200 table X-Charset', 'a file with a charset';
is answer($front, undef, port => 'front'), '200 index X-Charset',
    'a front controller without';
is answer('/%C3%A9t%C3%A9.txt', undef, port => 'front'), '200 french',
    'a name in UTF-8';

# ---- report, off ---------------------------------------------------------

is answer($either, 'Russia', port => 'report'), '404', 'report: no change';
# written after the response
ok $server->wait_for(sub { $server->settled_log
    =~ /report: would serve "\S*%D0%B9t%D0%B9.txt".*windows-1251/ }),
    'report: the log line';
is answer($either, 'Russia', port => 'off'), '404', 'off';

done_testing;
