# The subject of torture tests: a tree with an entry beside each name that
# could be opened by mistake, the configurations of both servers, and requests
# with their responses without failures. SECRET is in files that rules deny,
# DECOY in files that no request is for.
package Setting;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use File::Basename 'dirname';
use File::Path qw(make_path remove_tree);
use IRI::Octets 'escaped';
use IRI::Server qw(slurp spew temp_dir);

our @EXPORT_OK = qw(make_root put_late nginx_conf nginx_modules httpd_conf
    cases);

sub euc {
    return Encode::encode('euc-jp', Encode::decode('UTF-8', $_[0]));
}

# Octets of a path, percent-encoded.
sub at {
    return join '', map { s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ger } @_;
}

# ---- the tree ----------------------------------------------------------------

# U+01DF partly composed, which no lookup finds; composed and decomposed it is
# \xC7\x9F and a\xCC\x88\xCC\x84.
my $PARTLY = "\xC3\xA4\xCC\x84";

my %FILES = (
    'plain.txt'          => 'plain',
    'hosts/default.example/plain.txt' => 'DECOY default',
    'hosts/bücher.example/plain.txt'  => 'hosted',
    'hosts/bücher.example/no.txt'     => 'SECRET hosted',
    'index.html'         => 'root',
    'page.html'          => 'page',
    'é.txt'              => 'acute',
    "nfd/e\xCC\x81.txt"  => 'decomposed',
    "odd/$PARTLY.txt"    => 'partly',
    "odd/secret-$PARTLY.txt" => 'SECRET odd',
    'twin/é.txt'         => 'composed',
    "twin/e\xCC\x81.txt" => 'decomposed twin',
    'two/ɽ.txt'          => 'tailed',
    'two/表.txt'         => 'SECRET two',
    "list/\xC8\xA7\xCC\x84.txt" => 'first',
    'list/如.txt'        => 'further',
    'redir/é.txt'        => 'led',
    "files/e\xCC\x81.html" => 'SECRET file',
    "views/e\xCC\x81.html" => 'view',
    'info/é.txt'         => 'info',
    "late/.keep"         => '',
    'secret/straße.txt'  => 'SECRET road',
    'e.html'             => 'error page',
    'linked/é.txt'       => 'linked',

    (map { (euc("show/$_->[0]") => $_->[1]) }
        ['日.txt', 'day'], ['表.txt', 'table'], ['夜/月.txt', 'moon'],
        ['秘.txt', 'SECRET shown'], ['鍵.txt', 'SECRET asked'],
        ['密/月.txt', 'SECRET below']),
    'show/ascii.txt'     => 'ascii',
    'jis/a〜b.txt'       => 'wave',

    'euc/ascii.txt'      => 'ascii',

    (map { (euc("euc/$_->[0]") => $_->[1]) }
        ['日.txt', 'day'], ['日/index.html', 'index'],
        ['日/月.txt', 'moon'], ['表.txt', 'table'],
        ['拒/秘.txt', 'SECRET'],
        ['拒/表.txt', 'SECRET table'], ['書/b.txt', 'written'],
        ['書/日.txt', 'written day'],
        ['開/日.txt', 'open'], ['開/表.txt', 'open table'],
        ['鍵/表.txt', 'SECRET leaf'], ['拒.txt', 'SECRET denied'],
        ['道.txt', 'SECRET road'], ['試.html', 'tried']),
    'euc/日.txt'                        => 'DECOY day',
    'euc/日/月.txt'                     => 'DECOY moon',
    euc('euc/日/') . '月.txt'           => 'DECOY below',
    euc('euc/開/') . '日.txt'           => 'DECOY open',
    "euc/\x93\xFA.txt"                  => 'DECOY sjis',
    'euc/拒/秘.txt'                     => 'DECOY denied',
    'euc/試.html'                       => 'DECOY tried',
);

my %DAV = (euc('日.txt') => 'day', euc('表.txt') => 'table', 'ascii' => 'a');

sub make_root {
    my $root = temp_dir();
    for my $path (keys %FILES) {
        make_path(dirname("$root/$path"));
        spew("$root/$path", $FILES{$path});
    }
    symlink euc('日'), "$root/" . euc('euc/鏈') or die "symlink: $!\n";
    make_path("$root/dav");
    renew_dav($root);
    spew("$root/" . euc('euc/書/.htaccess'),
        qq{RewriteEngine On\nRewriteRule "^a\\.txt\$" "b.txt"\n}
        . 'RewriteRule "^c\.txt$" "' . euc('日.txt') . qq{"\n});
    spew("$root/in.shtml", '[<!--#include virtual="/euc/%E6%97%A5.txt" -->]');
    spew("$root/denied.shtml",
        '[<!--#include virtual="/euc/%E6%8B%92/%C9%BD.txt" -->]');
    spew("$root/file.shtml", '[<!--#include file="é.txt" -->]');
    my $time = time - 864_000;
    utime $time, $time, "$root/$_" for keys %FILES;
    return $root;
}

# A directory that a section of httpd must deny, with octets that the section
# cannot predict: created only after the start.
sub put_late {
    my ($root, $there) = @_;
    my $late = "$root/late/$PARTLY";
    remove_tree($late);
    return if !$there;
    make_path($late);
    spew("$late/s.txt", 'SECRET late');
    return;
}

# Restores a directory that is written to.
sub renew_dav {
    my ($root) = @_;
    remove_tree("$root/dav", { keep_root => 1 });
    chmod 0777, "$root/dav";
    for my $name (keys %DAV) {
        spew("$root/dav/$name", $DAV{$name});
        chmod 0666, "$root/dav/$name";
    }
    return;
}

# The content of the directory.
sub dav_state {
    my ($root) = @_;
    my @found;
    my @todo = ("$root/dav");
    while (my $dir = shift @todo) {
        opendir my $handle, $dir or next;
        for my $name (sort grep { !/^\.(?:\.?$|DAV)/ } readdir $handle) {
            my $path = "$dir/$name";
            my $shown = escaped(substr $path, length "$root/dav/");
            push @found, -d $path ? "$shown/" : "$shown=" . slurp($path);
            push @todo, $path if -d $path;
        }
    }
    return join ' ', sort @found;
}

# ---- nginx -------------------------------------------------------------------

sub nginx_conf {
    my $text = <<'END';
log_format iri '$iri $iri_path $iri_uri $iri_form $iri_charset $iri_match '
    '$iri_filename $iri_path_info';
access_log %%TMP%%/iri.log iri;
default_type text/plain;
server_tokens off;
lingering_close off;
index index.html;
iri_charset EUC-JP Shift_JIS;
iri_host on;
iri_query_charset EUC-JP;
iri_request_uri on;
iri_convert $folded fold $iri_path;
map $folded $refused { default 0; "" 1; /map/secret 1; }
add_header X-Query $args always;
add_header X-Target "$request_uri $iri_request_uri" always;
add_header X-Uri $iri_uri always;
add_header X-Iri $iri always;
add_header X-Form "$iri_form $iri_charset" always;
add_header X-Match $iri_match always;
add_header X-File $iri_filename always;
add_header X-Info $iri_path_info always;

server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    root %%ROOT%%;
    iri on;
    error_page 404 = @absent;
    location @absent { return 404 "absent"; }
    location ~ \.shtml$ { ssi on; default_type text/html; }
    location = /two/表.txt { deny all; }
    location /odd/secret-ǟ.txt { deny all; }
    location = /files/é.html { deny all; }
    location = /hidden/é.txt { internal; root %%ROOT%%/redir; }
    location /redir/ { iri_redirect 301; }
    location /linked/ { iri_redirect link; }
    location = /to { return 302 /é.txt?q=é; }
    location /map/ { if ($refused) { return 403; } return 200 "mapped"; }
    location = /rest { return 403; }
    location /show/ {
        iri_filename_charset EUC-JP;
        iri_listing on;
        location = /show/秘.txt { deny all; }
        location = /show/鍵.txt { auth_request /rest; }
        location /show/密/ { deny all; }
    }
    location /form/ { if ($iri_form = legacy) { return 403; } return 204; }
    location /rw/ { rewrite ^/rw(/.*)$ /euc$1 last; }
    location /brk/ {
        iri_filename_charset EUC-JP;
        rewrite ^/brk(/.*)$ /euc$1 break;
    }
    location /name/ {
        iri_filename_charset EUC-JP;
        rewrite ^/name(/.*)$ /euc$1 break;
        add_header X-Name $request_filename always;
        add_header X-Root "$document_root $realpath_root" always;
    }
    location /euc/ {
        iri_filename_charset EUC-JP;
        location /euc/拒/ { deny all; }
        location = /euc/拒.txt { deny all; }
        location = /euc/道.txt { deny all; }
        location = /euc/鍵/表.txt { deny all; }
        location ~ ^/euc/try/ {
            rewrite ^/euc/try/(.*)$ /euc/$1 break;
            try_files $uri $uri.html =404;
        }
    }
    location /try/ {
        alias %%ROOT%%/euc/;
        iri_filename_charset EUC-JP;
        try_files $uri $uri.html @named;
    }
    location @named { return 403 "named"; }
    location /ali/ { alias %%ROOT%%/euc/; iri_filename_charset EUC-JP; }
    location ~ ^/cap/(.*)$ {
        alias %%ROOT%%/euc/$1;
        iri_filename_charset EUC-JP;
    }
    location /var/ {
        set $dir euc;
        root %%ROOT%%/$dir;
        iri_filename_charset EUC-JP;
        rewrite ^/var(/.*)$ $1 break;
    }
    location /dav/ {
        iri_filename_charset EUC-JP;
        dav_methods PUT DELETE MKCOL COPY MOVE;
        %%DAV_EXT%%
        client_body_temp_path %%TMP%%/body;
    }
    location /cond/ {
        alias %%ROOT%%/euc/;
        iri_filename_charset EUC-JP;
        if (!-f $request_filename) { return 404 "none"; }
    }
}
server {
    listen 127.0.0.1:%%PORTpages%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    recursive_error_pages on;
    error_page 403 /e.html;
    error_page 500 @again;
    location /secret/ { deny all; }
    location @again { return 403; }
}
server {
    listen 127.0.0.1:%%PORTcap%%;
    server_name ~^(local)host$;
    root %%ROOT%%/euc;
    iri on;
    iri_filename_charset EUC-JP;
    location = /鍵/表.txt { deny all; }
}
server {
    listen 127.0.0.1:%%PORThost%%;
    iri on;
    iri_host strict;
    location / { return 200 "DECOY default"; }
}
server {
    listen 127.0.0.1:%%PORThost%%;
    server_name bücher.example *.bücher.example;
    root %%ROOT%%/euc;
    iri on;
    iri_filename_charset EUC-JP;
    location = /拒.txt { deny all; }
}
server {
    listen 127.0.0.1:%%PORThost%%;
    server_name ~^(?<label>xn--.*|.*%.*)\.pattern\.example$;
    iri on;
    location / { return 200 "$1 $label $host"; }
}
server {
    listen 127.0.0.1:%%PORThost%%;
    server_name admin.internal;
    root %%ROOT%%;
    iri on;
    deny all;
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOT%%;
    iri report;
}
END
    my $ext = nginx_modules() ? 'dav_ext_methods PROPFIND;' : '';
    return $text =~ s/%%DAV_EXT%%/$ext/r;
}

# Debian's module for PROPFIND, if it is there.
sub nginx_modules {
    return grep { -e } IRI::Nginx::module_dir() . '/ngx_http_dav_ext_module.so';
}

# ---- httpd -------------------------------------------------------------------

sub httpd_conf {
    return <<'END' . 'Alias "/別" "%%ROOT%%/' . euc('euc/日') . "\"\n";
ServerTokens Prod
IRIEngine On
IRIHost On
IRICharset EUC-JP Shift_JIS
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
SSIErrorMsg failed
DavLockDB "%%TMP%%/run/lock"
LogFormat "%{IRI}e %{IRI_PATH}e %{IRI_FILENAME}e" iri
CustomLog "%%TMP%%/iri.log" iri
ErrorDocument 404 "absent"
IRIQueryCharset EUC-JP
IRIRequestURI On
Header always set X-Query "expr=%{QUERY_STRING}"
Header always set X-Uri "expr=%{IRI_URI}"
Header always set X-Iri "expr=%{IRI}"
Header always set X-Form "expr=%{IRI_FORM} %{IRI_CHARSET}"
Header always set X-Match "expr=%{IRI_MATCH}"
Header always set X-File "expr=%{IRI_FILENAME}"
Header always set X-Info "expr=%{IRI_PATH_INFO}"
<Directory "%%ROOT%%">
    Options +Includes +MultiViews
    AcceptPathInfo On
    ModMimeUsePathInfo Off
</Directory>
<Directory "%%ROOT%%/euc">
    IRIFilenameCharset EUC-JP
    Options -MultiViews
    AllowOverride FileInfo
</Directory>
<Directory "%%ROOT%%/euc/拒">
    Require all denied
</Directory>
<Directory "%%ROOT%%/late/ǟ">
    Require all denied
</Directory>
<Directory "%%ROOT%%/files">
    Options -MultiViews
    <Files "é.html">
        Require all denied
    </Files>
</Directory>
<Directory "%%ROOT%%/dav">
    IRIFilenameCharset EUC-JP
    Options -MultiViews
    Dav On
</Directory>
<Directory "%%ROOT%%/show">
    IRIFilenameCharset EUC-JP
    IRIListing On
    Options +Indexes -MultiViews
    DirectoryIndex disabled
</Directory>
<LocationMatch "^/show/(?:秘\.txt|鍵\.txt|密/)">
    Require all denied
</LocationMatch>
<Location "/linked">
    IRIRedirect link
</Location>
<Location "/euc/拒.txt">
    Require all denied
</Location>
<Location "/euc/道.txt">
    Require all denied
</Location>
<Location "/euc/鍵/表.txt">
    Require all denied
</Location>
<Location "/two/表.txt">
    Require all denied
</Location>
<Location "/odd/secret-ǟ.txt">
    Require all denied
</Location>
<Location "/redir">
    IRIRedirect 301
</Location>
<LocationMatch "^/form/">
    <If "%{IRI_FORM} == 'legacy'">
        Require all denied
    </If>
</LocationMatch>
Alias "/ali" "%%ROOT%%/euc"
RewriteEngine On
RewriteRule "^/rw/(.*)$" "/euc/$1" [PT]
RewriteMap fold int:iri.fold
RewriteCond "${fold:%{REQUEST_URI}|/map/secret}" "^/map/secret$"
RewriteRule "^/map/" "-" [F]
RewriteRule "^/map/" "/plain.txt" [PT]
RewriteRule "^/to$" "/é.txt?q=é" [R=302,NE,QSD]
RewriteRule "^/brk/(.*)$" "%%ROOT%%/euc/$1" [L]
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine Report
</VirtualHost>
<Directory "%%ROOT%%/hosts/bücher.example">
    <Files "no.txt">
        Require all denied
    </Files>
</Directory>
<VirtualHost 127.0.0.1:%%PORThost%%>
    ServerName default.example
    DocumentRoot "%%ROOT%%/hosts/default.example"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORThost%%>
    ServerName bücher.example
    ServerAlias *.bücher.example
    UseCanonicalName On
    VirtualDocumentRoot "%%ROOT%%/hosts/%0"
    <Location "/denied.txt">
        Require all denied
    </Location>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTunsafe%%>
    HttpProtocolOptions Unsafe
</VirtualHost>
END
}

# ---- requests ----------------------------------------------------------------

# name, target, status, body of the response without failures; then further
# properties, see Judge::run.
sub get {
    my ($name, $target, $status, $like, %more) = @_;
    return { name => $name, method => 'GET', target => $target,
        status => $status, like => $like, %more };
}

# Names in the listing, and no others.
my $SHOWN = do {
    my @seen = map { "(?=.*\Q$_\E)" } qw(日.txt 表.txt 夜 ascii);
    my @not  = map { "(?!.*$_)" } '秘', '鍵', '密', 'E7%A7%98', 'E9%8D%B5',
        'E5%AF%86', 'SECRET';
    qr/^@{[join '', @seen, @not]}./s;
};

# Requests that both servers answer in the same way.
sub common {
    my ($root) = @_;
    my $odd = [ listed => ["$root/odd"] ];
    return (
        get('ASCII', '/plain.txt', 200, qr/^plain$/),
        get('absent ASCII', '/nothing', 404, qr/^absent$/),
        get('raw', '/é.txt', 200, qr/^acute$/),
        get('escaped', '/%C3%A9.txt', 200, qr/^acute$/),
        get('NFD in the request', '/e%CC%81.txt', 200, qr/^acute$/),
        get('NFD on disk', '/nfd/%C3%A9.txt', 200, qr/^decomposed$/),
        get('partly composed', '/odd/%C7%9F.txt', 200, qr/^partly$/, @$odd),
        get('partly composed, kept', '/odd/%C7%9F.txt', 200, qr/^partly$/),
        get('partly composed, denied', '/odd/secret-%C7%9F.txt', 403,
            qr/Forbidden/, @$odd),
        get('twins', '/twin/%C3%A9.txt', 200, qr/^composed$/,
            lax => qr/^200 decomposed twin$/),
        get('EUC tree', '/euc/%E6%97%A5.txt', 200, qr/^day$/,
            lax => qr/^200 DECOY day$/),
        get('EUC tree, EUC', at('/', euc('euc/日.txt')), 200, qr/^day$/,
            lax => qr/^200 DECOY day$/),
        get('EUC tree, Shift_JIS', '/euc/%93%FA.txt', 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('EUC tree, query', '/euc/%E6%97%A5.txt?a=%E6', 200, qr/^day$/,
            lax => qr/^200 DECOY day$/),
        get('through a link', at('/euc/鏈/月.txt'), 200, qr/^moon$/,
            lax => qr/^200 DECOY/),
        get('two levels', at('/euc/日/月.txt'), 200, qr/^moon$/,
            lax => qr/^200 DECOY/),
        get('directory', at('/euc/日'), 301, qr/./),
        get('index', at('/euc/日/'), 200, qr/^index$/),
        get('mixed', at('/euc/開/', euc('表.txt')), 200, qr/^open table$/),
        get('alternative reading', '/euc/%C9%BD.txt', 200, qr/^table$/),
        get('alternative reading denied', at('/euc/拒/', euc('表.txt')), 403,
            qr/Forbidden/),
        get('alternative reading, leaf denied', '/euc/%C6%BB.txt', 403,
            qr/Forbidden/),
        get('mixed, leaf denied', at('/euc/鍵/', euc('表.txt')), 403,
            qr/Forbidden/),
        get('first reading kept', '/two/%C9%BD.txt', 200, qr/^tailed$/),
        get('first reading in a list', '/list/%C7%A1.txt', 200, qr/^first$/,
            listed => ["$root/list"], lax => qr/^200 further$/),
        get('denied', at('/euc/拒/秘.txt'), 403, qr/Forbidden/),
        get('denied, EUC', at('/', euc('euc/拒/秘.txt')), 403,
            qr/Forbidden/),
        get('denied, exact', at('/euc/拒.txt'), 403, qr/Forbidden/),
        get('denied, NFD', '/files/%C3%A9.html', 403, qr/Forbidden/),
        get('denied, raw NFD', "/files/e\xCC\x81.html", 403, qr/Forbidden/),
        get('denied by form', at('/form/', euc('日')), 403, qr/Forbidden/),
        get('variants', '/jis/a%EF%BD%9Eb.txt', 200, qr/^wave$/),
        get('alias', at('/ali/日.txt'), 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('rewrite', at('/rw/日.txt'), 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('rewrite, further', '/rw/%C9%BD.txt', 404, qr/^absent$/),
        get('redirect, raw', '/redir/é.txt?q=1', 301, qr/./),
        get('redirect, NFD', '/redir/e%CC%81.txt', 301, qr/./),
        get('redirect, raw Location', '/to', 302, qr/./),
        get('link', '/linked/e%CC%81.txt', 200, qr/^linked$/),
        get('query', '/plain.txt?a=%C6%FC&b=%E6%97%A5', 200, qr/^plain$/),
        get('map', '/map/a', 200, qr/^(?:mapped|plain)$/,
            also => qr/^403 /),
        get('map, denied', '/map/%EF%BC%B3ECRET', 403, qr/Forbidden/),
        get('listing', '/show/', 200, $SHOWN, less => 1,
            closes => 1, listed => ["$root/show"]),
        get('listing, JSON', '/show/?format=json', 200, $SHOWN, less => 1,
            closes => 1, listed => ["$root/show"]),
        get('redirect, canonical', '/redir/%C3%A9.txt', 200, qr/^led$/),
        get('PATH_INFO', at('/info/é.txt/più'), 200, qr/^info$/),
        get('absent', at('/euc/無.txt'), 404, qr/^absent$/),
        get('unwritable', at('/euc/€.txt'), 404, qr/^absent$/),
        get('invalid', '/%FF.txt', 404, qr/^absent$/),
        get('NUL', '/%C3%A9%01.txt', 404, qr/^absent$/),
        get('SSI', '/in.shtml', 200, qr/^\[day\]$/,
            also => qr/^200 \[(?!.*DECOY)[^\]]*\]$/s,
            lax => qr/^200 \[DECOY day\]/),
        get('SSI, denied', '/denied.shtml', 200, qr/^\[[^\]]*\]$/s,
            also => qr/^200 \[(?!.*(?:DECOY|SECRET))[^\]]*\]$/s),
        get('HTTP/2', '/euc/%E6%97%A5.txt', 200, qr/^day$/, proto => 'h2',
            lax => qr/^200 DECOY/),
        get('HTTP/2, further', '/euc/%C9%BD.txt', 200, qr/^table$/,
            proto => 'h2'),
        get('HTTP/2, denied', at('/euc/拒/', euc('表.txt')), 403,
            qr/Forbidden/, proto => 'h2'),
        get('report', '/%C3%A9.txt', 200, qr/^acute$/, port => 'report',
            same => 1),
        get('report, other form', '/nfd/%C3%A9.txt', 404, qr/./,
            port => 'report', same => 1),
        dav($root),
        propfind($root, 'PROPFIND', '/dav/', 1),
        propfind($root, 'PROPFIND, EUC', at('/dav/', euc('日.txt')), 0),
    );
}

# The names that a collection lists. Once a part was sent the response may end
# early.
sub propfind {
    my ($root, $name, $target, $depth) = @_;
    return { name => $name, method => 'PROPFIND', target => $target,
        headers => [Depth => $depth], status => 207, closes => 1,
        like => qr/%E6%97%A5/, renew => sub { renew_dav($root) },
        body => <<'END' };
<?xml version="1.0"?>
<D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/></D:prop></D:propfind>
END
}

# Requests that write. A name that is reported as absent is new.
sub dav {
    my ($root) = @_;
    my %state = (
        renew => sub { renew_dav($root) },
        state => sub { dav_state($root) },
    );
    my $write = sub {
        my ($name, $method, $target, $status, %more) = @_;
        return { name => $name, method => $method, target => $target,
            status => $status, like => qr/./s, %state, %more };
    };
    my $to = sub {
        return headers => [Destination => "http://localhost$_[0]"];
    };
    return (
        $write->('PUT', 'PUT', at('/dav/新.txt'), 201, body => 'new',
            like => qr//),
        $write->('PUT over', 'PUT', '/dav/%93%FA.txt', 204, body => 'new',
            like => qr//),
        $write->('MKCOL', 'MKCOL', at('/dav/', euc('新'), '/'), 201,
            like => qr//),
        $write->('DELETE', 'DELETE', at('/dav/日.txt'), 204, like => qr//),
        $write->('COPY', 'COPY', at('/dav/日.txt'), 204, like => qr//,
            $to->(at('/dav/', euc('新.txt')))),
        $write->('MOVE', 'MOVE', at('/dav/日.txt'), 204, like => qr//,
            $to->(at('/dav/新.txt'))),
    );
}

# Requests that are similar to others: not in a sample.
my %LIKE_ANOTHER = map { $_ => 1 } 'raw', 'NFD in the request',
    'EUC tree, EUC', 'EUC tree, query', 'two levels', 'directory',
    'alternative reading', 'denied, EUC', 'denied, raw NFD', 'redirect, NFD',
    'redirect, canonical', 'NUL', 'HTTP/2', 'HTTP/2, further', 'MKCOL',
    'report, other form', 'try_files, second', 'rewrite break', 'captures',
    'internal', 'if not -f', 'alias', 'rewrite', 'host, wildcard',
    'host, denied name', 'host, raw', 'listing, JSON', 'map';

sub cases {
    my ($server, $root, $all) = @_;
    my @cases = grep { $all || !$LIKE_ANOTHER{ $_->{name} } }
        common($root), $server eq 'nginx' ? of_nginx($root) : of_httpd($root);
    @cases = grep { $_->{name} !~ /^PROPFIND/ } @cases
        if $server eq 'nginx' && !nginx_modules();
    my %differ = differ($server);
    @$_{ keys %{ $differ{ $_->{name} } } } = values %{ $differ{ $_->{name} } }
        for grep { $differ{ $_->{name} } } @cases;
    return @cases;
}

# Differences between the servers.
sub differ {
    my ($server) = @_;
    my %nginx = (
        'PATH_INFO'     => { status => 404, like => qr/^absent$/ },
        'HTTP/2'        => { port => 'h2' },
        'HTTP/2, further' => { port => 'h2' },
        'HTTP/2, denied' => { port => 'h2' },
    );
    my %httpd = (
        'COPY' => { status => 201 },
        'MOVE' => { status => 201 },
    );
    return $server eq 'nginx' ? %nginx : %httpd;
}

sub of_nginx {
    my ($root) = @_;
    return (
        get('try_files', at('/try/日.txt'), 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('try_files, second', at('/try/試'), 200, qr/^tried$/,
            lax => qr/^200 DECOY/),
        get('try_files, named', at('/try/無'), 403, qr/^named$/),
        get('try_files, nested', at('/euc/try/試'), 200, qr/^tried$/,
            lax => qr/^200 DECOY/),
        get('alias with captures', at('/cap/日.txt'), 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('root with variables', at('/var/日.txt'), 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('rewrite break', at('/brk/日.txt'), 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('$request_filename', at('/name/日.txt'), 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('$request_filename, ASCII', '/name/ascii.txt', 200, qr/^ascii$/),
        get('captures', '/%C9%BD.txt', 200, qr/^table$/, port => 'cap'),
        get('captures, denied', at('/鍵/', euc('表.txt')), 403,
            qr/Forbidden/, port => 'cap'),
        get('if -f', at('/cond/日.txt'), 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('if not -f', at('/cond/無'), 404, qr/^none$/),
        get('denied, error pages', '/secret/STRA%C3%9FE.txt', 403,
            qr/^error page$/, port => 'pages'),
        get('internal', '/hidden/%C3%A9.txt', 404, qr/^absent$/),
        get('internal, NFD', '/hidden/e%CC%81.txt', 404, qr/^absent$/),
        get('host', at('/日.txt'), 200, qr/^day$/, port => 'host',
            host => 'B%C3%BCcher.example'),
        get('host, wildcard', at('/日.txt'), 200, qr/^day$/, port => 'host',
            host => 'www%E3%80%82bu%CC%88cher.example'),
        get('host, denied name', at('/拒.txt'), 403, qr/Forbidden/,
            port => 'host', host => 'B%C3%BCcher.example'),
        get('host, pattern', '/', 200,
            qr/^xn--tda xn--tda xn--tda\.pattern\.example$/,
            port => 'host', host => '%C3%BC.pattern.example'),
        get('host, denied', '/plain.txt', 403, qr/Forbidden/,
            port => 'host', host => '%EF%BD%81dmin.internal'),
        get('host, refused', '/plain.txt', 400, qr/Bad Request/,
            port => 'host', host => '%FC.example'),
        get('report, host', '/plain.txt', 200, qr/^plain$/, same => 1,
            port => 'report', host => '%C3%BC.example'),
        { name => 'COPY, host', method => 'COPY', target => at('/dav/日.txt'),
            status => 204, like => qr//, host => '%C3%BC.example',
            headers => [Destination =>
                'http://%C3%9C.example' . at('/dav/', euc('新.txt'))],
            renew => sub { renew_dav($root) },
            state => sub { dav_state($root) } },
    );
}

sub of_httpd {
    my ($root) = @_;
    return (
        get('host', '/plain.txt', 200, qr/^hosted$/, port => 'host',
            host => 'B%C3%BCcher.example'),
        get('host, raw', '/plain.txt', 200, qr/^hosted$/, port => 'host',
            host => "www\xE3\x80\x82bu\xCC\x88cher.example"),
        get('host, absolute', 'http://B%C3%BCcher.example/plain.txt', 200,
            qr/^hosted$/, port => 'host', host => 'default.example'),
        get('host, HTTP/2', '/plain.txt', 200, qr/^hosted$/, port => 'host',
            host => 'B%C3%BCcher.example', proto => 'h2'),
        get('host, denied', '/denied.txt', 403, qr/Forbidden/,
            port => 'host', host => 'B%C3%BCcher.example'),
        get('host, denied file', '/no.txt', 403, qr/Forbidden/,
            port => 'host', host => 'B%C3%BCcher.example'),
        get('host, refused', '/plain.txt', 400, qr/Bad Request/,
            port => 'host', host => '%FC.example'),
        get('host, Unsafe', '/plain.txt', 400, qr/Bad Request/,
            port => 'unsafe', host => '%FC.example'),
        get('report, host', '/plain.txt', 400, qr/Bad Request/, same => 1,
            port => 'report', host => '%C3%BC.example'),
        get('MultiViews', '/views/%C3%A9', 200, qr/^view$/),
        get('rule of a directory', at('/euc/書/a.txt'), 200,
            qr/^written$/),
        get('rule of a directory, octets', at('/euc/書/c.txt'), 200,
            qr/^written day$/),
        get('alias, octets', at('/別/月.txt'), 200, qr/^moon$/,
            lax => qr/^200 DECOY/),
        get('rule to a file', at('/brk/日.txt'), 200, qr/^day$/,
            lax => qr/^200 DECOY/),
        get('SSI, a file', '/file.shtml', 200, qr/^\[acute\]$/,
            also => qr/^200 \[(?!.*(?:DECOY|SECRET))[^\]]*\]$/s),
        get('directory made later', at("/late/ǟ/s.txt"), 403,
            qr/Forbidden/),
    );
}

1;
