# nginx: near matches (which they are: t/cases/fold) are found below root, for
# every directive with which nginx opens files; the rules of the found name
# decide. Methods that write: t/dav.t, t/cases/fold/write.tsv.
use IRI::Test 'nginx';
use IRI::Gateway;

my ($root) = make_tree(<<'END');
Plain.txt	file	plain
Caf\xC3\xA9.txt	file	coffee
Dir/Sub/File.txt	file	deep
Dir/index.html	file	index
Dir/Page.html	file	page
hidden/.Secret	file	dot
wide/\xEF\xBC\xA1\xEF\xBC\xA2.txt	file	full width
wide/abc.txt	file	half width
closed/secret.txt	file	secret
closed/Readme	file	one
closed/README	file	two
auth/Key.txt	file	key
asked/index.html	file	asked
inner/Thing.txt	file	thing
Ask	file	not asked
Missing	file	not the page
Within	file	not asked
handed/Name	file	not asked
Shut.txt	file	shut
app.php	file	script
INFO.PHP	file	SCRIPT
two/Name.txt	file	1
two/NAME.txt	file	2
Outside/File.txt	file	by alias
var/Site/File.txt	file	by variable
var/other/Name.txt	file	other
pages/Gone.html	file	gone
zipped.css	file	css
zipped.css.gz	file	zipped
dav/Name.txt	file	dav
ssi/Page.shtml	file	<!--#include virtual="/DIR/SUB/FILE.TXT" -->
ssi/shut.shtml	file	<!--#include virtual="/INNER/THING.TXT" -->
END
my $tmp = temp_dir();
symlink "$root/closed", "$root/linked" or die "$!\n";
chmod 0, "$root/Shut.txt" or die "$!\n";
spew("$tmp/users", "user:{PLAIN}word\n");

my $conf = <<'END';
default_type text/plain;
map $uri $kind { default other; /Plain.txt plain; }
server { listen 127.0.0.1:%%PORTshut%%; location / { return 403; } }
server { listen 127.0.0.1:%%PORTup%%;
    location / { return 200 "up $request_uri"; }
    location /accel/ { add_header X-Accel-Redirect $arg_to; return 200; }
    location ~ ^/accel/at(/.*) { add_header X-Accel-Redirect $1; return 200; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    root %%ROOT%%;
    iri on;
    iri_match normalization width case accents spelling;
    iri_cache 256k;
    add_header X-Iri "$iri_match $iri_uri $uri $iri_form" always;
    add_header X-Kind $kind always;
    add_header X-File $iri_filename always;
    index index.html;

    location /closed/ { deny all; }
    location /auth/ { auth_basic x; auth_basic_user_file %%TMP%%/users; }
    location /inner/ { internal; }
    location = /_asked { internal; if ($arg_no = "") { return 204; } }
    location = /Askd { if ($arg_no = "") { set $x y; } }
    location = /Askt { try_files $uri @named; }
    location /request/ { auth_request /_asked; alias %%ROOT%%/; }
    location /ask { proxy_pass http://127.0.0.1:%%PORTshut%%; }
    location /within { internal; if ($arg_no = "") { return 403; } }
    location /asked2/ { auth_request /within; alias %%ROOT%%/; }
    location /handed/ { root %%TMP%%; try_files $uri @up; }
    location @up { root %%ROOT%%; proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /missing { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /asked/ { auth_request /ask; alias %%ROOT%%/; }
    location /missed/ { error_page 404 = /missing; }
    location /rewritten/ { rewrite ^/rewritten(/.*) $1 last; }
    location ~ \.php$ {
        fastcgi_pass 127.0.0.1:%%FCGI%%;
        fastcgi_param SCRIPT_FILENAME $request_filename;
        fastcgi_param SCRIPT_NAME $fastcgi_script_name;
    }
    location ~ \.css$ { gzip_static on; }
    location /redirect/ { iri_redirect 302; alias %%ROOT%%/; }
    location /linked/ { iri_redirect 302; disable_symlinks on; }
    location /Redirect2/ {
        iri_redirect 301; alias %%ROOT%%/closed/; deny all;
    }
    location /alias/ { alias %%ROOT%%/Outside/; }
    location ~ ^/capture/(.*)$ { alias %%ROOT%%/$1; }
    location /variable/ {
        set $site var; rewrite ^/variable(/.*) $1 break;
        root %%ROOT%%/$site;
    }
    location /Site/ { set $site var; root %%ROOT%%/$site; }
    location /try/ { alias %%ROOT%%/; try_files $uri $uri/ @named; }
    location @named { return 200 "named $uri"; }
    location /break/ { rewrite ^/break(/.*) $1 break; }
    location /last/ { rewrite ^/last(/.*) $1 last; }
    location /if/ {
        alias %%ROOT%%/;
        if (-f $request_filename) { return 200 "is a file"; }
        return 200 "is none";
    }
    location /accel/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /ssi/ { ssi on; ssi_types *; }
    location /error/ { error_page 404 /PAGES/gone.HTML; }
    location /fallback/ {
        error_page 404 = @fallback; root %%TMP%%; try_files $uri =404;
    }
    location /other/ { root %%ROOT%%/dav; try_files $uri @other; }
    location @other { root %%ROOT%%/var; }
    location @fallback { root %%ROOT%%; rewrite ^/fallback(/.*) $1 break; }
}
server {
    listen 127.0.0.1:%%PORTrules%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    if ($uri = /Plain.txt) { return 403; }
    location / {
        if (!-e $request_filename) { return 200 "asked $uri"; }
    }
    location /rules/ { return 200 "asked $uri"; }
    location /Dir/ { }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOT%%;
    iri report;
    iri_match case;
}
END
my $fcgi = IRI::Gateway->new('fastcgi');
$conf =~ s/%%FCGI%%/@{[$fcgi->port]}/;
my $server = nginx(root => $root, tmp => $tmp, log_level => 'info',
    conf => $conf);
my $here = 'http://localhost:' . $server->port;

# Status and body of one response; error pages have none.
sub answer {
    my ($target, %option) = @_;
    my $answer = $server->get($target, %option);
    my $body   = $answer->body =~ /<center>/ ? '' : $answer->body;
    return $answer->status . ($body ne '' ? " $body" : '');
}

# ---- levels ----------------------------------------------------------------

for (['/Plain.txt', 'exact', 'plain'], ['/dir/sub/FILE.txt', 'case', 'deep'],
    ['/cafe.txt', 'accents', 'coffee'], ['/Dir/Sub/Fiel.txt', 'spelling', 'deep'],
    ['/wide/AB.txt', 'width', 'full width'], ['/hidden/secret', 'none', undef])
{
    my ($target, $match, $body) = @$_;
    my $answer = $server->get($target);
    is $answer->status, defined $body ? 200 : 404, "$target: status";
    is $answer->body, $body, "$target: body" if defined $body;
    like $answer->header('X-Iri'), qr/^$match /, "$target: \$iri_match";
}
my $found = $server->get('/PLAIN.TXT');
is $found->header('X-Iri'), 'case /Plain.txt /Plain.txt ascii',
    '$iri_uri, $uri and $iri_form';
is $found->header('X-Kind'), 'plain', 'maps use the found name';
is $found->header('X-File'), "$root/Plain.txt", '$iri_filename';
like $server->settled_log, qr{iri: "/PLAIN\.TXT" found as "/Plain\.txt": case,},
    'log: ignored differences';
like $server->settled_log, qr{iri: "/cafe\.txt" found as "/Caf%C3%A9\.txt": accents,},
    'log: another level';
unlike $server->settled_log, qr{iri: "/Plain\.txt" is},
    'log: nothing about exact names';

# ---- modules that open files ------------------------------------------------

is answer('/DIR/'), '200 index', 'index';
my $slash = $server->get('/DIR?a=b');
is $slash->status . ' ' . $slash->header('Location'), "301 $here/Dir/?a=b",
    'a directory without "/": one redirect, to the found name';
is answer('/alias/file.TXT'), '200 by alias', 'alias';
is answer('/ALIAS/File.txt'), '404', 'the prefix of a location is not folded';
is answer('/capture/PLAIN.TXT'), '404', 'alias with captures: not folded';
is answer('/capture/Plain.txt'), '200 plain', 'alias with captures: exact';
is answer('/variable/Site/File.txt'), '200 by variable',
    'root with variables';
is answer('/variable/SITE/file.TXT'), '200 by variable',
    'root with variables, folded';
is answer('/try/PLAIN.TXT'), '200 plain', 'try_files';
is answer('/try/Dir/SUB/file.txt'), '200 deep', 'try_files, several segments';
is answer('/try/NOTHING'), '200 named /try/NOTHING',
    'try_files, named location';
is answer('/break/PLAIN.TXT'), '200 plain', 'rewrite break';
is answer('/last/PLAIN.TXT'), '200 plain', 'rewrite last';
is answer('/last/CLOSED/secret.txt'), '403', 'rewrite last, denied';
is answer('/break/CLOSED/secret.txt'), answer('/break/closed/secret.txt'),
    'rewrite break: rules of the found name';
is answer('/if/PLAIN.TXT'), '200 is a file', 'if (-f $request_filename)';
is answer('/if/NOTHING'), '200 is none', 'if (-f), absent';
is answer('/accel/?to=/PLAIN.TXT'), '404',
    'X-Accel-Redirect to a path that the client did not send';
is answer('/accel/?to=/Plain.txt'), '200 plain', 'X-Accel-Redirect: exact';
is answer('/accel/at/PLAIN.TXT'), '200 plain', 'X-Accel-Redirect';
is answer('/accel/at/INNER/Thing.TXT'), '200 thing',
    'X-Accel-Redirect to an internal location';
is answer('/ssi/PAGE.shtml'), '200 deep', 'SSI';
is answer('/ssi/shut.shtml'), '200 thing', 'SSI of an internal location';
is answer('/error/nothing'), '404 gone', 'error_page';
is answer('/fallback/PLAIN.TXT'), '200 plain', 'a named location with a root';
is answer('/other/Name.txt'), '200 other', 'a path under two roots';
is answer('/other/NAME.txt'), '200 other', 'by another name';
is answer('/ZIPPED.CSS', headers => ['Accept-Encoding', 'gzip']),
    '200 zipped', 'gzip_static';
is answer('/PLAIN.TXT', proto => 'h2', port => $server->port('h2')),
    '200 plain', 'HTTP/2';
is answer('/CLOSED/secret.txt', proto => 'h2', port => $server->port('h2')),
    '403', 'HTTP/2, denied';
is $server->request('HEAD', '/PLAIN.TXT')->status, 200, 'HEAD';
is $server->request('POST', '/PLAIN.TXT', body => 'x')->status, 405, 'POST';

# ---- rules of the real name ------------------------------------------------

for my $name ('/CLOSED/secret.txt', '/closed/SECRET.TXT', '/Closed/secert.txt',
    '/CLOSED/nothing', '/clsoed/Secret.txt', '/CLOSED/', '/closd/x',
    '/%EF%BC%A3losed/secret.txt', '/cl%C3%B3sed/secret.txt', '/CLOSED/readme',
    '/closed/readme', '//CLOSED/./secret.txt', '/Dir/../CLOSED/secret.txt')
{
    is answer($name), '403', "denied: $name";
}
is answer('/AUTH/key.txt'), '401', 'auth_basic';
is answer('/AUTH/key.txt', headers => ['Authorization', 'Basic dXNlcjp3b3Jk']),
    '200 key', 'auth_basic, with the password';
is answer('/INNER/thing.txt'), '404', 'internal';
is answer('/request/PLAIN.txt'), '200 plain',
    'paths in the configuration are not folded: file';
is answer('/Askd'), '404', 'paths in the configuration are not folded: 404';
is answer('/Askt'), '200 named /Askt',
    'paths in the configuration are not folded: try_files';
is answer('/asked/Plain.txt'), '403', 'auth_request URI is not folded';
is answer('/asked/PLAIN.TXT'), '403', 'also under another name';
is answer('/asked2/Plain.txt'), '403', 'auth_request to an upstream';
is answer('/handed/name'), '200 up /handed/name',
    'a named location passes the path unchanged';
is answer('/missed/nothing'), '200 up /missing',
    'error_page of a proxied location';
is answer('/rewritten/missing'), '200 not the page',
    'a rewritten path of a client is folded';
is answer('/missing'), '200 not the page', 'and a path that was not rewritten';
like answer('/APP.PHP'), qr{^200\ SCRIPT_FILENAME=\Q$root\E/app\.php\n
    SCRIPT_NAME=/app\.php\n}x, 'a script is executed, not sent';
is answer('/info.php'), '200 SCRIPT',
    'a file outside script locations';
is answer('/plain.txt', port => $server->port('rules')), '403',
    'a rule of the server';
is answer('/nothing.txt', port => $server->port('rules')),
    '200 asked /nothing.txt', 'an absent name is forwarded as sent';
is answer('/dir/page.HTML', port => $server->port('rules')), '200 page',
    'the location of the found name';
is answer('/rules/page.HTML', port => $server->port('rules')),
    '200 asked /rules/page.HTML', 'a rule without a lookup answers';

# ---- iri_redirect ----------------------------------------------------------

sub location {
    my ($target, %option) = @_;
    my $answer = $server->get($target, %option);
    return $answer->status . ' ' . ($answer->header('Location') // '-');
}
my $to = "302 $here/redirect";
is location('/redirect/PLAIN.TXT?q=%41'), "$to/Plain.txt?q=%41", 'redirect';
is location('/redirect/DIR/SUB/FILE.txt'), "$to/Dir/Sub/File.txt",
    'one redirect for the whole path';
is location('/redirect/DIR'), "$to/Dir/",
    'the redirect adds "/" to a directory';
is location('/redirect/DIR/'), "$to/Dir/", 'a directory requested with "/"';
is location('/redirect/cafe.txt'), "$to/Caf%C3%A9.txt", 'percent-encoded';
is location('/redirect/Plain.txt'), '200 -',
    'the canonical name is not redirected';
is location('/redirect/DIR/none'), '404 -', 'no redirect to an absent name';
is location('/redirect/SHUT.txt'), '403 -', 'no redirect to an unreadable file';
is location('/linked/SECRET.txt'), location('/linked/none'),
    'no redirect below a disabled symbolic link';
is location('/redirect/two/name.txt'), '404 -',
    'no redirect to one of several names';
is location('/Redirect2/SECRET.txt'), '403 -', 'no redirect to a denied name';
is $server->request('HEAD', '/redirect/PLAIN.TXT')->status, 302, 'HEAD';

# ---- report ----------------------------------------------------------------

is answer($_, port => $server->port('report')), '404', "report: $_"
    for '/PLAIN.TXT', '/INNER/nosuch', '/TWO/name.txt';
for (
    ['folded', '/Plain.txt', 'case'],
    ['absent', '/inner/nosuch', 'none'],
    ['ambiguous', '/two/name.txt', 'case'],
) {
    my ($code, $path, $match) = @$_;
    ok $server->wait_for(sub { $server->settled_log =~ m{
        iri:\ report:\ .*\Q"$path"\E:\ form\ ascii,\ charset\ "",
        \ match\ $match,\ .*,\ file\ "/.*reason=$code\b}x }), "$code $path";
}
is answer('/Plain.txt', port => $server->port('report')), '200 plain',
    'report: an exact name';
unlike $server->settled_log, qr{report: .*"/Plain\.txt": .*match exact},
    'report: no line for an exact name';

done_testing;
