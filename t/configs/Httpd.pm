# Configurations of httpd: one <VirtualHost> each, from common patterns. A
# directive is a string, a section a list that begins with its opening line
# without "<" and ">"; ".htaccess DIR" begins the content of such a file.
#
# %{RAW} is THE_REQUEST, as the client sent it. The oracle, which receives the
# canonical name, gets it in a header field instead, so that a rule on it sees
# the same.
package Httpd;
use strict;
use warnings;
use utf8;
use Digest::SHA 'sha1_base64';
use IRI::Httpd;
use IRI::Server qw(free_port slurp spew);
use Site qw(of_config one some text_of utf8 maybe @TREES);

my @MODULES = qw(rewrite setenvif env include auth_basic authn_file authz_user
    negotiation proxy proxy_http headers cache cache_disk autoindex filter
    dav dav_fs expires access_compat cgi);

sub common {
    my ($port, $tmp) = @_;
    return <<"END";
Listen 127.0.0.1:$port
MaxKeepAliveRequests 0
KeepAliveTimeout 300
AddType text/html .php
AddOutputFilter INCLUDES .php
AddDefaultCharset Off
FileETag MTime Size
UseCanonicalName Off
DavLockDB "$tmp/dav"
ServerSignature Off
<Directory "/">
    Options FollowSymLinks Includes
    AllowOverride None
    Require all granted
    AcceptPathInfo On
</Directory>
<VirtualHost 127.0.0.1:$port>
    ServerName 127.0.0.1
    DocumentRoot "$tmp"
    SetEnvIf Request_URI "(.*)" UP_PATH=\$1
    AliasMatch "^/" "$tmp/up.php"
</VirtualHost>
END
}

# ---- settings of the module --------------------------------------------------

my @CHARSETS = ('EUC-JP Shift_JIS', 'Shift_JIS EUC-JP', 'windows-1252',
    'windows-1251', 'GBK', 'EUC-KR', 'Shift_JIS EUC-JP windows-1252',
    'windows-1251 KOI8-R', 'EUC-KR windows-1252', 'GBK Big5');
my @MATCH = ('normalization variants',
    'variants:arabic variants:romanian variants:joiners',
    qw(width punctuation case accents accents:latin spelling));

sub settings {
    my ($g) = @_;
    return (
        'IRIEngine On',
        maybe(0.6, 'IRICharset ' . one(@CHARSETS)),
        maybe(0.05, 'SetEnvIf Request_URI "^/" "iri-charset='
            . one(@CHARSETS) . '"'),
        maybe(0.15, 'IRIInvalid ' . one(400, 'pass')),
        ($g->{tree} eq 'nfd' ? maybe(0.5, 'IRIFilenameForm nfd')
            : $g->{tree} eq 'nfc' ? maybe(0.15, 'IRIFilenameForm nfc')
            : $g->{tree} eq 'percent' ? 'IRIFilenameCharset percent UTF-8'
            : "IRIFilenameCharset UTF-8 $g->{tree}"),
        maybe(0.08, 'IRIQueryCharset windows-1252 nfc'),
        place_settings(0.5),
    );
}

sub place_settings {
    my ($p) = @_;
    return (
        maybe($p, 'IRIMatch ' . join ' ', some(1 + rand 3, @MATCH)),
        maybe($p * 0.08, 'IRIMatch exact'),
        maybe($p * 0.5, 'IRIRepair ' . join ' ', some(1 + rand 2,
            qw(double-encoding mojibake %u invisible trailing
        plus))),
        maybe($p * 0.3, 'IRIRedirect ' . one(301, 302, 303, 307, 308, 'link')),
        maybe($p * 0.2, 'IRIAmbiguous 300'),
    );
}

# ---- words -------------------------------------------------------------------

sub dir  { return one(@{ $_[0]{site}{dirs} }) }
sub file { return one(@{ $_[0]{site}{files} }) }
sub top  { return one('public', 'public', 'store', 'app/web') }

sub place {
    my ($g) = @_;
    my $dir = dir($g);
    return rand() < 0.7 ? "/$dir" : one("/$dir/", '/' . top() . "/$dir",
        "/$dir/sub", "/$dir/" . dir($g));
}

sub prefix {
    my ($g, $prefix, $top) = @_;
    push @{ $g->{prefixes} }, ["$prefix/", $top];
    return $prefix;
}

my @AUTH = ('AuthType Basic', 'AuthName closed', 'AuthUserFile "%%TMP%%/users"',
    'Require valid-user');

# ---- refusals ----------------------------------------------------------------

# Directives of a section that deny access.
sub refusal {
    my ($g) = @_;
    return @{ one(['Require all denied'], ['Require all denied'], [@AUTH],
        ['Require env ok'], ['Require ip 192.0.2.1'],
        ["Require expr \"%{REQUEST_URI} !~ m#^/" . dir($g) . '/#"'],
        ["Require expr \"%{QUERY_STRING} =~ /key=1/\""],
        [['RequireAll', 'Require all granted', 'Require not env blocked']],
        ['Require method POST'],
    ) };
}

sub guard {
    my ($g) = @_;
    my $place = place($g);
    my $dir   = dir($g);
    my $file  = file($g);
    my $top   = one('', '', '/public', '/store');
    my @refusal = (refusal($g), maybe(0.1, 'ErrorDocument 403 /login.php'));
    return one(
        ["Location \"$place\"", @refusal], ["Location \"$place/\"", @refusal],
        ["Location \"/$dir\"", @refusal],
        ["LocationMatch \"^/$dir/\"", @refusal],
        ["LocationMatch \"(?i)^/(?:public/)?$dir/.*\\.(txt|html|php)\$\"",
            @refusal],
        ["Directory \"%%ROOT%%$top/$dir\"", @refusal],
        ["Directory \"%%ROOT%%$top/$dir\"", @refusal],
        # a pattern is compared with octets on disk
        ["DirectoryMatch \"^.*/" . ($g->{tree} eq 'nfc' ? $dir : 'download')
            . '/"', @refusal],
        ["Files \"$file\"", @refusal],
        ['FilesMatch "\.(bak|conf|txt)$"', @refusal],
        ["If \"%{REQUEST_URI} =~ m#^/$dir/#\"", @refusal],
        ["Directory \"%%ROOT%%\"", ["Files \"$file\"", @refusal]],
        "Redirect " . one(403, 404, 410) . " \"/$dir/\"",
        "SetEnvIf Request_URI \"^/$dir/\" blocked",
    );
}

# ---- rewriting ---------------------------------------------------------------

# Conditions and rules of a server; each list is one rule with its conditions.
sub server_rules {
    my ($g) = @_;
    my ($dir, $other, $top) = (dir($g), dir($g), top());
    my $inner = "RewriteCond %{REQUEST_URI} !^/$top/";
    return @{ one(
        [$inner, "RewriteRule \"^/(.*)\$\" \"/$top/\$1\" [PT]"],
        [$inner, "RewriteRule \"^/(.*)\$\" \"%{DOCUMENT_ROOT}/$top/\$1\" [L]"],
        ["RewriteRule \"^/($dir|$other)/\" - [F]"],
        ["RewriteRule \"^/$dir/\" - [" . one('F', 'G', 'R=404', 'F,L') . ']',
            $inner, "RewriteRule \"^/(.*)\$\" \"/$top/\$1\" [PT]"],
        ["RewriteCond %{RAW} \"\\s/$top/\"", 'RewriteRule "^" - [F]', $inner,
            "RewriteRule \"^/(.*)\$\" \"/$top/\$1\" [PT]"],
        ["RewriteRule \"^/$dir/(.*)\$\" \"/$other/\$1\" [" . one('PT', 'L',
            'PT,QSA', 'END', 'R=302,L', 'PT,E=ok:1') . ']'],
        ['RewriteRule "^/p/(\d+)/(.*)$" "/$2?id=$1" [PT' . one('', ',QSA')
            . ']'],
        ["RewriteCond %{REQUEST_URI} ^/$dir/",
            'RewriteCond %{QUERY_STRING} "!(^|&)member=1(&|$)"',
            'RewriteRule "^" - [F,L]', "RewriteCond %{REQUEST_URI} !^/$dir/",
            'RewriteRule "^(.*)$" "$1?member=1" [QSA,L]'],
        ["RewriteRule \"^/$dir/\" - [E=ok:1]"],
        ["RewriteRule \"^/(?!$dir/)\" - [E=ok:1]"],
        [$g->{tree} eq 'nfc'
            ? 'RewriteCond "%{DOCUMENT_ROOT}%{REQUEST_URI}" !-f'
            : 'RewriteCond %{REQUEST_URI} "!\.(txt|html)$"',
            'RewriteRule "^/(.*)$" "/index.php?q=$1" [PT,QSA]'],
        ["RewriteRule \"^/$dir/(.*)\$\" \"http://127.0.0.1:%%PORT_OF%%/\$1\" [P]"],
        ['RewriteMap lower int:tolower', "RewriteRule \"^/$dir/(.*)\$\" "
            . "\"/$other/\${lower:\$1}\" [PT]"],
        ['RewriteMap names "txt:%%TMP%%/map.txt"',
            'RewriteCond "${names:$1|none}" "!=none"',
            'RewriteRule "^/([^/]+)/" - [F]'],
        ["RewriteRule \"^/wiki/(.*)\$\" \"/index.php?title=\$1\" [PT,QSA]"],
        ["RewriteRule \"^(.*)\\.txt\$\" \"\$1.html\" [" . one('PT', 'R', 'L')
            . ']'],
        ["RewriteRule \"^/$dir/\" - [H=" . one('server-status', 'none') . ']'],
    ) };
}

# The same for a directory or a .htaccess file: patterns without names if these
# have other octets on disk.
sub directory_rules {
    my ($g) = @_;
    my $plain = $g->{tree} eq 'nfc';
    my ($dir, $other) = map { $plain ? $_ : 'download' } dir($g), dir($g);
    my $top  = top();
    my @no_file = ('RewriteCond %{REQUEST_FILENAME} !-f',
        maybe(0.7, 'RewriteCond %{REQUEST_FILENAME} !-d'));
    # an argument made from a file's path contains its octets on disk, which a
    # condition would compare with those of REQUEST_URI
    return @{ one(grep { $plain || "@$_" !~ /=\$1|=%\{|::\$0/ }
        # all requests into a directory that is itself closed
        ['RewriteCond %{ENV:REDIRECT_STATUS} ^$', "RewriteRule ^$top/ - [F]",
            "RewriteCond %{REQUEST_URI} !^/$top/",
            "RewriteRule ^(.*)\$ $top/\$1 [L]"],
        ["RewriteCond %{REQUEST_URI} !^/$top/",
            "RewriteRule ^(.*)\$ /$top/\$1 [" . one('L', 'L,QSA', 'END') . ']'],
        # front controllers
        ['RewriteBase /', 'RewriteRule ^index\.php$ - [L]', @no_file,
            'RewriteRule . /index.php [L]'],
        [@no_file, 'RewriteRule ^(.*)$ index.php?q=$1 [L,QSA]'],
        [@no_file, 'RewriteRule ^ index.php [L]'],
        ['RewriteCond %{REQUEST_FILENAME} !-d',
            'RewriteCond %{REQUEST_URI} (.+)/$',
            'RewriteRule ^ %1 [L,R=301]', @no_file,
            'RewriteRule ^ index.php [L]'],
        ['RewriteCond %{REQUEST_URI}::$0 "^(/.+)/(.*)::\2$"',
            'RewriteRule .* - [E=BASE:%1]',
            'RewriteCond %{HTTP:Authorization} .+',
            'RewriteRule ^ - [E=HTTP_AUTHORIZATION:%0]',
            'RewriteCond %{ENV:REDIRECT_STATUS} ="" ',
            'RewriteRule "^index\.php(?:/(.*)|$)" "%{ENV:BASE}/$1" [R=301,L]',
            'RewriteCond %{REQUEST_FILENAME} -f', 'RewriteRule ^ - [L]',
            'RewriteRule ^ %{ENV:BASE}/index.php [L]'],
        # private directories of a cloud and a wiki
        ["RewriteRule \"^(?:$dir|config|lib)/.*\" - [R=404,L]",
            'RewriteRule "^(?:\.|autotest|console).*" - [R=404,L]'],
        ['RewriteRule "^_media/(.*)" "index.php?media=$1" [QSA,L]', @no_file,
            'RewriteRule "(.*)" "index.php?id=$1" [QSA,L]'],
        ['RewriteRule "^/?wiki(/.*)?$" "%{DOCUMENT_ROOT}/index.php" [L]'],
        # names without their suffix; cache busting; dot files
        ['RewriteCond %{REQUEST_FILENAME}.html -f',
            'RewriteRule ^(.*)$ $1.html [L]'],
        [@no_file, 'RewriteRule "^(.+)\.(\w+)\.(css|png|html)$" "$1.$3" [L]'],
        ['RewriteCond %{SCRIPT_FILENAME} -d [OR]',
            'RewriteCond %{SCRIPT_FILENAME} -f', 'RewriteRule "(^|/)\." - [F]'],
        ["RewriteRule \"^$dir/\" - [" . one('F', 'G', 'F,L', 'R=404') . ']'],
        ["RewriteRule \"^$dir/(.*)\$\" \"$other/\$1\" [" . one('L', 'END',
            'R=302', 'L,QSA', 'PT') . ']'],
        ["RewriteRule \"^$dir/(.*)\$\" \"/$other/\$1\" [" . one('L', 'END',
            'R=302', 'L,E=ok:1') . ']'],
        ['RewriteRule "^p/(\d+)/(.*)$" "$2?id=$1" [L,QSA]'],
        ["RewriteRule \"^$dir/\" - [E=ok:1]"],
        ['RewriteRule ^ - [E=seen:%{REQUEST_URI}]'],
    ) };
}

# ---- proxies, environment, headers, authorization ----------------------------

sub extra {
    my ($g) = @_;
    my ($dir, $other, $top) = (dir($g), dir($g), top());
    return @{ one(
        ['Alias "' . prefix($g, one('/media', '/メディア'), $top)
            . "\" \"%%ROOT%%/$top\""],
        ['AliasMatch "^' . prefix($g, one('/files', '/棚'), $top)
            . "/(.*)\$\" \"%%ROOT%%/$top/\$1\""],
        ["Alias \"/$dir\" \"%%ROOT%%/$top/$other\""],
        ["ErrorDocument " . one(404, 403, 401) . ' ' . one('/404.html',
            '/index.php', '/login.php', '"sorry"')],
        ["Directory \"%%ROOT%%\"", 'Options +MultiViews'],
        ['RequestHeader '
        . one('append X-App front early', 'append X-App front',
            'set X-App %{REQUEST_SCHEME}e', 'unset Accept',
            'edit* User-Agent a b')],
        ['Header ' . one('set X-Rule "expr=%{REQUEST_URI}"',
            'append X-Rule one', 'always set X-Rule "%{ok}e"',
            'always append X-Rule all env=ok')],
        ["SetEnvIf Request_URI \"^/($dir)/\" part=\$1"],
        ["SetEnvIfExpr \"%{REQUEST_URI} =~ m#^/($dir)/#\" ok=1"],
        ["Location \"/$dir\"",
        one('SetEnv place 1', 'SetHandler default-handler',
            'Header set X-Place here', 'ForceType text/plain')],
        ["If \"%{REQUEST_URI} =~ m#/$dir/#\"", 'Header append X-If yes'],
        ["ProxyPass \"/$dir/\" \"http://127.0.0.1:%%PORT_OF%%/up/\""],
        ["ProxyPassMatch \"^/$dir/(.*)\$\" \"http://127.0.0.1:%%PORT_OF%%/\$1\""],
        ["Location \"/$dir\"", 'ProxyPass "http://127.0.0.1:%%PORT_OF%%/in"'],
        ["Redirect " . one('', 'permanent ') . "\"/$dir\" \"/$other\""],
        ["RedirectMatch \"^/$dir/(.*)\\.bak\$\" \"/$other/\$1\""],
        ['CacheEnable disk /', 'CacheRoot "%%TMP%%/cache/%%NAME%%"',
            'CacheIgnoreNoLastMod On', one('CacheDefaultExpire 3600',
            'CacheStoreExpired On'), maybe(0.6,
            'Header set Cache-Control "max-age=' . one(0, 60) . '"'),
            maybe(0.3, 'CacheQuickHandler Off')],
        ['DirectoryIndex index.php index.html'],
        ['DirectoryIndex disabled'],
        ["Directory \"%%ROOT%%\"", ["IfModule mod_dir.c",
            'FallbackResource /index.php']],
        ["Directory \"%%ROOT%%/$dir\"", maybe($g->{tree} eq 'nfc',
            'Options +Indexes'), 'IndexOptions Charset=UTF-8'],
        ['ScriptAlias "' . prefix($g, one('/cgi', '/実行'), $top)
            . "\" \"%%ROOT%%/$top\""],
        ['ScriptAliasMatch "^' . prefix($g, '/run', $top)
            . "/(.*)\$\" \"%%ROOT%%/$top/\$1\""],
        ["Directory \"%%ROOT%%\"", 'Dav On'],
        ["Location \"/$dir\"", 'Dav On', maybe(0.3,
            ['LimitExcept GET PROPFIND', 'Require all denied'])],
    ) };
}

# A configuration of a virtual host for a site.
sub generate {
    my ($class, $site) = @_;
    my $g = { site => $site, prefixes => [],
        tree => rand() < 0.75 ? 'nfc' : one(@TREES) };
    my @nodes = (settings($g));
    push @nodes, 'DocumentRoot "%%ROOT%%/' . top() . '"' if rand() < 0.1;
    push @nodes, guard($g) for 1 .. rand 4;
    for (1 .. rand 3) {
        my @extra = extra($g);
        push @nodes, $extra[0] =~ /^(?:Directory|Location|If) / ? [@extra]
            : @extra;
    }
    push @nodes, ['Rules', 'RewriteEngine On',
        (map { server_rules($g) } 1 .. 1 + rand 2)] if rand() < 0.5;
    push @nodes, ['Directory "%%ROOT%%"', 'RewriteEngine On',
        directory_rules($g)] if rand() < 0.2;
    if (rand() < 0.6) {
        push @nodes, ['Directory "%%ROOT%%"', 'AllowOverride All'];
        push @nodes, htaccess($g, one('', '', '', 'public/')) if rand() < 0.8;
        push @nodes, htaccess($g, dir($g) . '/') if rand() < 0.5;
    }
    push @nodes, ["Directory \"%%ROOT%%/" . dir($g) . '"', place_settings(0.4)]
        if rand() < 0.15;
    # "exact" requires names on disk in NFC, unless the form is declared
    splice @nodes, 1, 0, 'IRIFilenameForm nfd' if $g->{tree} eq 'nfd'
        && $class->text(\@nodes, 0) =~ /IRIMatch exact/
        && !grep { /^IRIFilenameForm/ } @nodes;
    # [END] with FallbackResource is a loop that crashes httpd itself
    without_end(\@nodes) if $class->text(\@nodes, 1) =~ /FallbackResource/;
    push @nodes, maybe(0.2, 'IRIRequestURI On')
        if Httpd->text(\@nodes, 1) !~ /%\{RAW\}/;
    return { server => 'httpd', site => $site, tree => $g->{tree},
        prefixes => $g->{prefixes}, nodes => \@nodes };
}

sub without_end {
    my ($nodes) = @_;
    for my $node (@$nodes) {
        ref $node ? without_end($node) : $node =~ s/\[END\]\z/[L]/;
    }
    return;
}

sub htaccess {
    my ($g, $dir) = @_;
    return [".htaccess $dir", rand() < 0.7 ? ('RewriteEngine On',
        (map { directory_rules($g) } 1 .. 1 + rand 2)) : (), maybe(0.3,
        refusal($g)), maybe(0.2, ['FilesMatch "\.(txt|bak)$"', refusal($g)]),
        maybe(0.15, 'ErrorDocument 404 /index.php'),
        maybe(0.1, 'Options +MultiViews'), maybe(0.1, 'IRIRedirect 301')];
}

# ---- text --------------------------------------------------------------------

# Directives and sections as text; for the oracle without the module's. Files
# .htaccess are included in the text, and written by servers().
sub text {
    my ($class, $nodes, $oracle) = @_;
    my $text = '';
    for my $node (@$nodes) {
        if (ref $node) {
            my ($head, @inside) = @$node;
            my $body = $class->text(\@inside, $oracle);
            my ($word) = split ' ', $head;
            $text .= $word eq 'Rules' ? $body
                : $word eq '.htaccess' ? "# $head\n" . $body =~ s/^/#   /gmr
                : "<$head>\n" . $body =~ s/^/    /gmr . "</$word>\n";
        }
        else {
            $text .= "$node\n" unless $oracle && $node =~ /^IRI/;
        }
    }
    return $text;
}

sub servers {
    my ($class, $config, $name, $port, $tmp) = @_;
    my $both = '';
    for my $oracle (0, 1) {
        my $root = $config->{site}->root($oracle ? 'nfc' : $config->{tree});
        my $tree = $oracle ? 'nfc' : $config->{tree};
        my $host = ($oracle ? 'o' : 'c') . $name;
        my $expand = sub {
            my ($text) = @_;
            my $raw = $oracle ? '%{HTTP:X-Raw}' : '%{THE_REQUEST}';
            $text =~ s/%%ROOT%%/$root/g;
            $text =~ s/%%TMP%%/$tmp/g;
            $text =~ s/%%NAME%%/$host/g;
            $text =~ s/%%PORT_OF%%/$port/g;
            $text =~ s/%\{RAW\}/$raw/g;
            return utf8($text);
        };
        my @htaccess = grep { ref && $_->[0] =~ /^\.htaccess/ }
            @{ $config->{nodes} };
        my @rest = grep { !ref || $_->[0] !~ /^\.htaccess/ }
            @{ $config->{nodes} };
        my $file = ".ht$host";
        for my $node (@htaccess) {
            my ($head, @inside) = @$node;
            my $dir = $head =~ s/^\.htaccess //r;
            my $disk = join '/', $root, map { Site::on_disk($_, $tree) }
                split m{/}, $dir;
            next if !-d $disk;
            spew("$disk/$file", $expand->($class->text(\@inside, $oracle)));
            push @{ $config->{files} }, "$disk/$file";
        }
        my $text = $expand->($class->text(\@rest, $oracle));
        my $own = $text =~ /^DocumentRoot /m ? '' : "DocumentRoot \"$root\"\n";
        $both .= "<VirtualHost 127.0.0.1:$port>\nServerName $host\n"
            . "AccessFileName $file\n$own$text</VirtualHost>\n";
    }
    return $both;
}

sub settings_of {
    my ($class, $config) = @_;
    return of_config($config, 'settings',
        sub { read_settings($class, $config) });
}

sub read_settings {
    my ($class, $config) = @_;
    my %set = (charsets => [], matches => [''], repair => '',
        redirect => {});
    my $text = text_of($class, $config, 0);
    while ($text =~ /^[# ]*IRI(\w+) (.*)$/mg) {
        my ($name, $value) = (lc $1, $2);
        if    ($name eq 'charset')  { $set{charsets} = [split ' ', $value] }
        elsif ($name eq 'match')    { push @{ $set{matches} }, $value }
        elsif ($name eq 'repair')   { $set{repair} .= " $value" }
        elsif ($name eq 'redirect') { $set{redirect}{$value} = 1 }
        elsif ($name eq 'filenamecharset') { $set{disk} = $value }
        else                        { $set{$name} = $value }
    }
    $set{cached} = $text =~ /^CacheEnable/m;
    if ($text =~ /iri-charset=([^"]*)/) {
        $set{by_client} = 1;
        # the first reading still uses the configuration's list
        $set{charsets} = [split ' ', $1];
    }
    push @{ $set{matches} }, 'variants'
        if "@{ $set{charsets} } " . ($set{disk} // '') =~ /JIS|EUC-JP/;
    $set{match} = join ' ', @{ $set{matches} };
    $set{redirect}{302} = 1 if $set{repair} =~ /invisible|trailing|plus/;
    return \%set;
}

sub uses_raw { return text_of(@_[0, 1], 1) =~ /%\{RAW\}/ }

sub sees_escapes {
    return text_of(@_[0, 1], 1) =~ /SetEnvIf Request_URI/;
}

sub raw_line { return "$_[1] $_[2] HTTP/1.1" }

# Does a rule answer 404 for existing names, so that its answer does not show a
# denial?
sub hides { return 0 }

# No configuration includes the name in its denial.
sub shows_name { return 0 }

sub denies_with_name { return 0 }

# May a section of a directory grant access that a .htaccess above it denies?
# It applies only if the directory exists.
sub lifts_denial {
    return text_of(@_[0, 1], 1)
        =~ /^<(?:Directory(?:Match)?|If) [^\n]*\n(?: [^\n]*\n)*? +Require /m;
}

# Does a rule redirect existing files to a login? Not here.
sub asks_disk { return 0 }

sub has_application {
    return text_of(@_[0, 1], 1)
        =~ /ProxyPass|ScriptAlias|\[P\]|\[H=|index\.php/;
}

# A report without the client's own data, the module's own variables, and names
# of files if these have other octets on disk.
sub body_of {
    my ($class, $body, $other, $caches) = @_;
    # PROPFIND: the module writes escapes in upper case; times are dropped
    return $body =~ s{<lp\d:(?:creationdate|getlastmodified|getetag)>.*\n}{}gr
        =~ s/(%[0-9a-f]{2})/uc $1/gier if $body =~ /^<\?xml /;
    return $body if $body !~ /^(?:ENV|UP) /m;
    # a page to which rules redirect is kept as the first request got it
    $body =~ s/^(?:REDIRECT_|SCRIPT_UR[IL]=).*\n?//mg if $caches;
    # headers that mod_cache adds to revalidate depend on earlier requests
    my $cached = $body =~ /^cache-status=/m;
    my @lines = grep {
        !($cached && /^(?:HTTP_IF_\w+|cache-\w+)=/) &&
        !/^(?:REDIRECT_)*IRI(?:_\w+)?=/i
        && !/^(?:REQUEST_URI|HTTP_X_RAW|REMOTE_PORT|UNIQUE_ID|PATH|SERVER_\w+
            |USER_NAME|GATEWAY_INTERFACE|REMOTE_ADDR|DATE_\w+)=/x
        && (!$other || !/^(?:\w*FILENAME|PWD|DOCUMENT_NAME|\w*TRANSLATED|LAST_MODIFIED|CONTEXT_DOCUMENT_ROOT)=/)
    } split /\n/, $body;
    return join "\n", sort @lines;
}

# The module's own variables in a report, also those of the request before a
# redirect.
sub own_of {
    my ($class, $body) = @_;
    return sort $body =~ /^((?:REDIRECT_)*IRI(?:_\w+)?=.*)$/mg;
}

# ---- a server ----------------------------------------------------------------

sub start {
    my ($class, $tmp, @configs) = @_;
    my $port = free_port();
    spew("$tmp/users", 'user:{SHA}' . sha1_base64('pass') . "=\n");
    spew("$tmp/up.php", "UP \n<!--#printenv -->");
    spew("$tmp/map.txt", "private 1\nadmin 1\n");
    mkdir "$tmp/cache";
    chmod 0777, "$tmp/cache";
    my $conf = common($port, $tmp);
    for my $config (@configs) {
        my $name = "$config->[0].test";
        mkdir "$tmp/cache/$_$name" and chmod 0777, "$tmp/cache/$_$name"
            for qw(c o);
        $conf .= "# config $config->[0]\n"
            . $class->servers($config->[1], $name, $port, $tmp);
    }
    my $server = IRI::Httpd->new(tmp => $tmp, root => $tmp,
        log_level => 'crit', modules => \@MODULES, conf => $conf);
    return { port => $port, server => $server, text => slurp("$tmp/httpd.conf"),
        files => [map { @{ delete $_->[1]{files} // [] } } @configs] };
}

# The line of the configuration that an error message names.
sub error_line {
    return $_[1] =~ /on line (\d+) of/ ? $1 : undef;
}

1;
