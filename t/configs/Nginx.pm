# Configurations of nginx: one server{} each, from common patterns. A directive
# is a string, a block a list that begins with its header.
#
# $raw is $request_uri, as the client sent it. The oracle, which receives the
# canonical name, gets it in a header field instead, so that a rule on it sees
# the same.
package Nginx;
use strict;
use warnings;
use utf8;
use IRI::Gateway;
use IRI::Nginx;
use IRI::Server qw(free_port slurp spew);
use Site qw(of_config one some text_of utf8 maybe @TREES);

# Lists of charsets by a variable; all requests have the default value.
my %LIST = (
    '$list_jp' => 'EUC-JP Shift_JIS', '$list_we' => 'windows-1252',
);

sub common {
    my ($port, $fcgi, $tmp) = @_;
    my $maps = join '', map { "map \$http_user_agent $_ "
        . "{ default '$LIST{$_}'; ~none none; }\n" } sort keys %LIST;
    return <<"END";
access_log off;
server_names_hash_max_size 8192;
server_names_hash_bucket_size 128;
variables_hash_max_size 4096;
keepalive_requests 1000000;
keepalive_timeout 600;
types_hash_max_size 2048;
map \$http_x_raw \$raw { default \$http_x_raw; '' \$request_uri; }
map \$uri \$by_map { default ''; ~^/private/ denied; ~/secret denied; }
$maps
upstream program { server 127.0.0.1:$fcgi; }
upstream app { server 127.0.0.1:$port; }
types { text/html html; text/plain txt; text/css css; image/png png; }
default_type application/octet-stream;
fastcgi_param REQUEST_METHOD \$request_method;
fastcgi_param QUERY_STRING \$query_string;
fastcgi_param SCRIPT_NAME \$fastcgi_script_name;
fastcgi_param DOCUMENT_URI \$document_uri;
fastcgi_param DOCUMENT_ROOT \$document_root;
server {
    listen 127.0.0.1:$port;
    server_name app;
    set \$n "";
    set \$path_info "";
    location / {
        return 200 "APP \$request_method \$uri ? \$args x=\$http_x_found\\n";
    }
}
server {
    listen 127.0.0.1:$port default_server;
    server_name _;
    return 444;
}
END
}

# ---- settings of the module --------------------------------------------------

my @CHARSETS = ('EUC-JP Shift_JIS', 'Shift_JIS EUC-JP', 'windows-1252',
    'windows-1251', 'GBK', 'EUC-KR', 'Shift_JIS EUC-JP windows-1252',
    'windows-1251 KOI8-R', 'EUC-KR windows-1252', 'GBK Big5');
my @MATCH = ('normalization variants',
    'variants:arabic variants:romanian variants:joiners',
    qw(width punctuation case accents accents:latin spelling));

sub match_words { return join ' ', some(1 + rand 3, @MATCH) }

sub repairs { return join ' ',
    some(1 + rand 2, qw(double-encoding mojibake %u invisible trailing
        plus)) }

# Settings of a server; those of a location may differ.
sub settings {
    my ($g) = @_;
    return (
        'iri on',
        maybe(0.6, 'iri_charset '
            . (rand() < 0.12 ? one(sort keys %LIST) : one(@CHARSETS))),
        maybe(0.15, 'iri_invalid ' . one(400, 'pass')),
        ($g->{tree} eq 'nfd' ? maybe(0.5, 'iri_filename_form nfd')
            : $g->{tree} eq 'nfc' ? maybe(0.15, 'iri_filename_form nfc')
            : $g->{tree} eq 'percent' ? 'iri_filename_charset percent UTF-8'
            : "iri_filename_charset UTF-8 $g->{tree}"),
        maybe(0.08, 'iri_query_charset windows-1252 nfc'),
        # mostly different sizes, so that each server has a zone of its own
        maybe(0.5, 'iri_cache ' . one('off', map { (300 + int rand 300) . 'k' }
            1 .. 4)),
        place_settings(0.5),
    );
}

sub place_settings {
    my ($p) = @_;
    return (
        maybe($p, 'iri_match ' . match_words()),
        maybe($p * 0.08, 'iri_match exact'),
        maybe($p * 0.5, 'iri_repair ' . repairs()),
        maybe($p * 0.3, 'iri_redirect ' . one(301, 302, 303, 307, 308, 'link')),
        maybe($p * 0.2, 'iri_ambiguous 300'),
        maybe($p * 0.1, 'iri_listing on'),
    );
}

# ---- words -------------------------------------------------------------------

sub dir  { return one(@{ $_[0]{site}{dirs} }) }
sub file { return one(@{ $_[0]{site}{files} }) }
sub top  { return one('public', 'public', 'store', 'app/web') }

sub place {
    my ($g) = @_;
    my $dir = dir($g);
    return rand() < 0.1 ? '/archive/' : rand() < 0.8 ? "/$dir/"
        : one("/$dir", '/' . top() . "/$dir/",
        "/$dir/sub/", "/$dir/" . dir($g) . '/');
}

sub prefix {
    my ($g, $prefix, $top) = @_;
    push @{ $g->{prefixes} }, [$prefix, $top];
    return $prefix;
}

# Headers by which a response shows the location.
sub report {
    my ($g) = @_;
    return "$g->{count} u=\$uri a=\$args m=\$request_method"
        . one('', '', ' r=$document_root', ' f=$request_filename',
            ' n=$n e=$is_args') . '\n';
}

sub mark {
    my ($g) = @_;
    $g->{count}++;
    return maybe(0.6, "add_header X-Place \"$g->{count}"
        . one('', ' $uri', ' $n', ' $n $uri', ' $args') . '" '
        . one('always', 'always', ''));
}

# ---- directives of a location -----------------------------------------------

# Denials of every kind.
sub guard {
    my ($g) = @_;
    my $dir = dir($g);
    return one(
        ['deny all'], ['deny all'], ['deny all'],
        ['return 403'], ['return 404 hidden'], ['internal'], ['internal'],
        ['auth_basic closed', 'auth_basic_user_file %%TMP%%/users'],
        ['auth_basic closed', 'auth_basic_user_file %%TMP%%/users',
            'satisfy ' . one('any', 'all'), 'deny all'],
        ['auth_request /auth'],
        [['limit_except GET', 'deny all']],
        [['if ($raw ~ "^/(public|store)/")', 'return 403']],
        [["if (\$uri ~ \"^/$dir/\")", 'return 403']],
        [['if ($by_map)', 'return 403']],
        [['if ($arg_key != "1")', 'return 403']],
        [['if ($request_filename ~ "(secret|private)")', 'return 403']],
        ['deny all', 'error_page 403 ' . one('= @login', '@login',
            '=200 /login.php?next=$uri', '/login.php', '= /index.php',
            '=404 /404.html')],
        ['auth_basic closed', 'auth_basic_user_file %%TMP%%/users',
            'error_page 401 = ' . one('@login', '/login.php')],
        ['allow 127.0.0.1', 'deny all'],
    );
}

sub rewriting {
    my ($g, $place) = @_;
    my ($dir, $other) = (dir($g), dir($g));
    my $top  = top();
    my $from = $place // place($g);
    $from .= '/' if $from !~ m{/\z};
    my $flag = one('last', 'last', 'break', 'break', '', '', 'redirect');
    return one(
        "rewrite \"^$from(.*)\$\" \"/\$1\" $flag",
        "rewrite \"^$from(.*)\$\" \"/$other/\$1\" $flag",
        "rewrite \"^$from(.*)\$\" \"$from" . one($other, 'sub')
        . "/\$1\" $flag",
        "rewrite \"^$from(.*)\$\" \"/$top$from\$1\" $flag",
        "rewrite \"^$from(.*)\\.txt\$\" \"$from\$1.html\" $flag",
        "rewrite \"^$from(.+)\$\" \"/index.php?q=\$1\" " . one('last', 'break'),
        # pages that were moved to a large directory
        "rewrite \"^$from(.*)\$\" \"/archive/\$1\" $flag",
        "rewrite \"^/p/(\\d+)/(.*)\$\" \"/$other/\$2?id=\$1\" "
        . one('last', 'break'),
        "rewrite \"^/(.*)\$\" \"/$top/\$1\" "
        . one('break', 'redirect', 'last'),
        "rewrite ^ /index.php " . one('last', 'break'),
        "rewrite \"^(.*)/(v\\d+)/(.*)\$\" \"\$1/\$3\" $flag",
        "rewrite \"^$from([^/]+)/([^/]+)\$\" \"$from\$2\" $flag",
    );
}

sub condition {
    my ($g) = @_;
    my @then = one(['rewrite ^ /index.php last'], ['return 404'],
        ['set $n "$n-if"'], ['rewrite "^/(.*)$" "/index.php?q=$1" last'],
        ['rewrite "^(.*)$" "$1.html" ' . one('last', 'break')],
        ['return 302 /login.php?next=$uri'], ['break']);
    # if names have other octets on disk, $document_root$uri is no file
    my @root = $g->{tree} eq 'nfc' ? ('-f $document_root$uri',
        '-f "$document_root/public$uri"') : ();
    my $test = one(@root, '!-e $request_filename', '!-e $request_filename',
        '-f $request_filename', '!-f $request_filename',
        '-d $request_filename',
        '$uri ~ "\.(txt|html)$"', '$uri ~* "^/(' . dir($g) . ')/"',
        '$raw ~ "^/(index|public)"', '$args ~ "id="', '$request_method = HEAD',
        '$raw ~* "%(E9|C3)"');
    return ["if ($test)", @{ $then[0] }];
}

sub handler {
    my ($g, $place) = @_;
    return one(
        [], [], [], [], ['try_files $uri =404'],
        ['try_files $uri $uri/ /index.php?$args'],
        ['try_files $uri $uri/ /index.php?q=$uri&$args'],
        ['try_files $uri /index.php$is_args$args'],
        ['try_files $uri $uri/ @front'],
        ['try_files "/' . top() . '$uri" $uri @front'],
        ['return 200 "' . report($g) . '"'],
        ['return 302 "/' . dir($g) . '/?u=$uri"'],
        ['proxy_pass http://app', maybe(0.5,
            'proxy_set_header X-Found "$uri"')],
        ['proxy_pass http://app/up/'],
        ['fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name',
            'fastcgi_pass program'],
        ['fastcgi_param SCRIPT_FILENAME $request_filename',
            maybe(0.5, 'fastcgi_index index.php'), 'fastcgi_pass program'],
        ['error_page 404 ' . one('= @front', '/404.html',
            '/index.php?p=$uri', '=200 /index.php')],
    );
}

# Parts of a location's body in random order.
sub body {
    my ($g, $place) = @_;
    return (
        mark($g),
        maybe(0.25, 'set $n "$n+"'),
        maybe(0.35, rewriting($g, $place)), maybe(0.1, rewriting($g, $place)),
        maybe(0.2, condition($g)),
        (map { @$_ } maybe(0.45, guard($g))),
        @{ handler($g, $place) },
        place_settings(0.15),
    );
}

# ---- locations ---------------------------------------------------------------

my $PHP = '\.php$';

sub location {
    my ($g) = @_;
    my $place = place($g);
    my $dir   = dir($g);
    my $file  = file($g);
    my $top   = top();
    my $slashed = $place =~ m{/\z} ? $place : "$place/";
    my ($stem, $suffix) = $file =~ /^(.*?)(\.\w+)?\z/;
    my $kind  = int rand 14;
    return
        $kind < 3 ? ["location \"$place\"", body($g, $place)]
        : $kind == 3 ? ["location ^~ \"$place\"", body($g, $place)]
        : $kind == 4 ? ["location = \"$slashed$file\"", body($g)]
        : $kind == 5 ? ["location ~ \"^$slashed\"", body($g, $place)]
        : $kind == 6 ? ["location ~* \"^/$dir/.*\\.(txt|html|php)\$\"",
            body($g)]
        : $kind == 7 ? ['location ~* "\.(bak|conf|txt)$"', body($g)]
        : $kind == 8 ? ["location \"$slashed\"", body($g, $place),
            ["location " . one('', '~ ') . "\"$slashed" . one($file,
                dir($g) . '/', 'sub/') . '"', body($g)]]
        : $kind == 9 ? ["location " . prefix($g, one('/media/', '/メディア/',
            '/s/'), $top), "alias %%ROOT%%/$top/",
            maybe(0.4, @{ guard($g) }), maybe(0.3, place_settings(0.4))]
        : $kind == 10 ? ["location ~ \"^" . prefix($g, one('/files/', '/棚/'),
            $top) . "(.*)\$\"", "alias \"%%ROOT%%/$top/\$1\"",
            maybe(0.4, @{ guard($g) })]
        : $kind == 11 ? ["location \"$place\"", "root %%ROOT%%" . one('',
            "/$top"), body($g, $place)]
        : $kind == 12 ? ["location ~ \"^/(?<part>$dir|img)/(?<rest>.*)\$\"",
            one(['return 200 "part=$part rest=$rest\n"'],
                ['try_files "/$part/$rest" /public/$part/$rest =404'],
                ['rewrite ^ "/' . $top . '/$part/$rest" break'],
                ['set $n "$part:$rest"', 'add_header X-Part "$n" always'])->@*,
            maybe(0.4, @{ guard($g) })]
        : ['location /p/', 'rewrite "^/p/(\d+)/(.*)$" "/$2?id=$1" '
            . one('last', 'break'), maybe(0.3, @{ guard($g) })];
}

# The usual configurations of whole sites.
sub recipe {
    my ($g) = @_;
    my $dir = dir($g);
    my $top = top();
    my @php = (['location ~ ' . one($PHP, '\.php(/|$)'),
        maybe(0.4, 'try_files $fastcgi_script_name =404'),
        'fastcgi_split_path_info "^(.+?\.php)(/.*)$"',
        'fastcgi_param PATH_INFO $fastcgi_path_info',
        'fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name',
        'fastcgi_pass program']);
    return one(
        # a blog: a path that is no file goes to the front controller
        [['location /', 'try_files $uri $uri/ /index.php?$args'],
            ["location ~* \"^/(?:$dir|uploads)/.*\\.php\$\"", 'deny all'],
            ['location ~ /\.', 'deny all'], @php],
        # a wiki with short paths
        [['location /', 'try_files $uri $uri/ @wiki'],
            ['location @wiki',
                'rewrite "^/(.*)$" "/index.php?title=$1&$args" last'], @php,
            ["location ^~ \"/$dir/\"", one('deny all', 'internal')]],
        [['location /wiki/', 'rewrite "^/wiki/(?<page>.*)$" '
            . '"/index.php?title=$page" last'], @php],
        # a cms: private directories, front controller without arguments
        [['location /', 'try_files $uri /index.php?$query_string'],
            ["location ~ \"^/(app|store)/.*/$dir/\"", 'return 403'],
            ["location ~ \"(^|/)$dir/.*\\.txt\$\"", 'deny all'],
            ['location @rewrite', 'rewrite ^ /index.php'], @php],
        # a cloud: its own directories are not accessible
        [["location ~ \"^/(?:$dir|config|lib)(?:\$|/)\"", 'return 404 hidden'],
            ['location ~ "^/(?:\.|autotest|console)"', 'return 404'],
            ['location ~ "\.php(?:$|/)"',
                'rewrite "^/(?!index|login|public)" "/index.php$raw"',
                'fastcgi_split_path_info "^(.+?\.php)(/.*)$"',
                'set $path_info $fastcgi_path_info',
                'try_files $fastcgi_script_name =404',
                'fastcgi_param PATH_INFO $path_info',
                'fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name',
                'fastcgi_pass program'],
            ['location ~ "\.(?:css|js|png|html)$"',
                'try_files $uri "/index.php$raw"'],
            ['location /', 'try_files $uri $uri/ "/index.php$raw"']],
        # a framework: only the front controller is a program
        [['location /', 'try_files $uri /index.php$is_args$args'],
            ['location ~ "^/index\.php(/|$)"', 'internal',
                'fastcgi_split_path_info "^(.+\.php)(/.*)$"',
                'fastcgi_param PATH_INFO $fastcgi_path_info',
                'fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name',
                'fastcgi_pass program'],
            ['location ~ \.php$', 'return 404']],
        [['location /', 'try_files $uri $uri/ /index.php?$query_string'],
            'error_page 404 /index.php', @php],
        # a wiki of files: its data are denied, media have short paths
        [['location /', 'try_files $uri $uri/ @doku'],
            ['location @doku',
                "rewrite \"^/_media/(.*)\" \"/$dir/index.php?media=\$1\" last",
                'rewrite "^/(.*)" "/index.php?id=$1&$args" last'],
            ["location ~ \"/($dir|conf|bin)/\"", 'deny all'], @php],
        # common collections: backups, dot files, cache busting
        [['location ~* "/\.(?!well-known\/)"', 'deny all'],
            ['location ~* "(?:#.*#|\.(?:bak|conf|log|sql)|~)$"', 'deny all'],
            ['location ~* "(.+)\.(?:\w+)\.(css|png|html)$"',
                'try_files $uri $1.$2'], 'error_page 404 /404.html'],
        # everything below another directory
        [['location /', mark($g), maybe(0.5, 'set $n "$n+"'),
            "rewrite \"^/(.*)\$\" \"/$top/\$1\" " . one('last', 'break')],
            ["location /$top/", guard($g)->@*, body($g, "/$top/")],
            ["location \"/$dir/\"", guard($g)->@*]],
        ['root %%ROOT%%/' . $top, ["location \"/$dir/\"", body($g)]],
        # an application that sends files by X-Accel-Redirect
        [["location \"/$dir/\"", 'proxy_pass http://app',
            maybe(0.5, 'proxy_intercept_errors on')],
            ["location /protected/", 'internal', "alias \"%%ROOT%%/$dir/\""]],
        [["location \"/$dir/\"", 'index index.php index.html',
            maybe($g->{tree} eq 'nfc' ? 0.5 : 0, 'autoindex on')]],
        # a denied location beside an application for absent files
        [["location ~ \"^/$dir/\"", guard($g)->@*, one(
            "rewrite \"^/$dir/(.*)\$\" \"/\$1\" break",
            'try_files $uri /index.php?u=$uri', 'try_files $uri @front'),
            # root contains octets on disk
            maybe($g->{tree} eq 'nfc' || $dir !~ /[^\0-\x7F]/ ? 0.5 : 0,
                "root \"%%ROOT%%/$dir\"")],
            ['location /', ['if (!-e $request_filename)',
                'rewrite ^ /index.php last']]],
        [],
    );
}

# A configuration of a server for a site.
sub generate {
    my ($class, $site) = @_;
    my $g = { site => $site, count => 0, prefixes => [],
        tree => rand() < 0.7 ? 'nfc' : one(@TREES) };
    my @nodes = (
        settings($g),
        'set $n ""',
        maybe(0.4, 'add_header X-Count "$n" always'),
        @{ recipe($g) },
    );
    push @nodes,
        maybe(0.1, condition($g)),
        maybe(0.15, rewriting($g)),
        maybe(0.12, 'error_page ' . one('404 = @front', '404 /404.html',
            '403 404 /index.php?p=$uri', '403 = @login', '401 /login.php')),
        maybe(0.1, 'index index.php index.html');
    push @nodes, location($g) for 1 .. 1 + rand 5;
    my $text = Nginx->text(\@nodes, 0);
    # named locations must exist
    push @nodes, ['location @front', one('return 200 "front u=$uri a=$args\n"',
        'rewrite ^ /index.php?q=$uri last', 'fastcgi_pass program',
        'proxy_pass http://app',
        'rewrite "^/(.*)$" "/index.php?u=$1&$args" last')]
        if $text =~ /\@front/;
    push @nodes, ['location @login', one('return 302 /login?next=$uri',
        'return 302 /login.php', 'rewrite ^ /login.php?next=$uri last')]
        if $text =~ /\@login/;
    push @nodes, ['location = /auth', 'internal', one(
        'proxy_pass http://app/auth', 'return 403',
        ['if ($raw ~ "secret|private")', 'return 403'])]
        if $text =~ m{/auth\b};
    push @nodes, maybe(0.2, 'iri_request_uri on')
        if Nginx->text(\@nodes, 1) !~ /\$raw\b/;
    return { server => 'nginx', site => $site, tree => $g->{tree},
        prefixes => $g->{prefixes}, nodes => unique(\@nodes) };
}

# Two locations of one name, or a directive twice, are an error.
my %ONCE = map { $_ => 1 } qw(root alias internal satisfy auth_basic try_files
    auth_basic_user_file auth_request proxy_pass fastcgi_pass fastcgi_index
    fastcgi_split_path_info autoindex index iri_match iri_repair iri_redirect
    iri_ambiguous iri_listing iri_charset proxy_intercept_errors);

sub unique {
    my ($nodes, $above) = @_;
    my (%seen, @kept);
    for my $node (@$nodes) {
        if (ref $node) {
            my ($head, @inside) = @$node;
            next if $head =~ /^location/
                && $seen{ $head =~ s/"//gr }++;
            push @kept, [$head, @{ unique(\@inside, $head) }];
            next;
        }
        my ($word) = $node =~ /^(\w+)/;
        next if $ONCE{$word} && $seen{$word}++;
        # one content handler, and no try_files beside an alias with captures
        next if $word =~ /^(?:proxy_pass|fastcgi_pass)$/ && $seen{content}++;
        $node =~ s{^(proxy_pass http://app)/up/}{$1}
            if ($above // '') =~ /^location [~@]/;
        push @kept, $node;
    }
    return \@kept;
}

# ---- text --------------------------------------------------------------------

# A configuration's nodes as text; for the oracle without the module's. Where
# the module lists a directory, autoindex does: its 200 shows that access is
# granted.
sub text {
    my ($class, $nodes, $oracle) = @_;
    my $text = '';
    my $lists = grep { !ref && $_ eq 'autoindex on' } @$nodes;
    for my $node (@$nodes) {
        if (ref $node) {
            my ($head, @inside) = @$node;
            $text .= "$head {\n"
                . $class->text(\@inside, $oracle) =~ s/^/    /gmr
                . "}\n";
        }
        else {
            next if $oracle && $node =~ /^iri/
                && ($node ne 'iri_listing on' || $lists);
            $text .= $oracle && $node eq 'iri_listing on'
                ? "autoindex on;\n" : "$node;\n";
        }
    }
    return $text;
}

# Two servers of a configuration.
sub servers {
    my ($class, $config, $name, $port, $tmp) = @_;
    my $both = '';
    for my $oracle (0, 1) {
        my $root = $config->{site}->root($oracle ? 'nfc' : $config->{tree});
        my $text = text_of($class, $config, $oracle);
        $text =~ s/%%ROOT%%/$root/g;
        $text =~ s/%%TMP%%/$tmp/g;
        my $host = ($oracle ? 'o' : 'c') . $name;
        my $own = $text =~ /^root /m ? '' : "root $root;\n";
        $both .= "server {\nlisten 127.0.0.1:$port;\nserver_name $host;\n"
            . "$own$text}\n";
    }
    return utf8($both);
}

# The settings of a configuration, of all its locations.
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
    while ($text =~ /^ *iri_(\w+) (.*);$/mg) {
        my ($name, $value) = ($1, $2);
        if ($name eq 'charset') {
            $set{by_client} = $value =~ /^\$/;
            $set{charsets} = [split ' ', $LIST{$value} // $value];
        }
        elsif ($name eq 'match')  { push @{ $set{matches} }, $value }
        elsif ($name eq 'repair') { $set{repair} .= " $value" }
        elsif ($name eq 'redirect') { $set{redirect}{$value} = 1 }
        elsif ($name eq 'filename_charset') { $set{disk} = $value }
        else { $set{$name} = $value }
    }
    push @{ $set{matches} }, 'variants'
        if "@{ $set{charsets} } " . ($set{disk} // '') =~ /JIS|EUC-JP/;
    $set{match} = join ' ', @{ $set{matches} };
    $set{redirect}{302} = 1 if $set{repair} =~ /invisible|trailing|plus/;
    return \%set;
}

# Does a rule use the request line as sent?
sub uses_raw { return text_of(@_[0, 1], 1) =~ /\$raw\b/ }

sub raw_line { return $_[2] }

# Is the path in an internal location, which answers 404 for existing files?
# ("return 404 hidden" does so itself.)
sub hides {
    my ($class, $config, $path) = @_;
    return in_internal($path, @{ $config->{nodes} });
}

sub in_internal {
    my ($path, @nodes) = @_;
    for my $node (grep { ref } @nodes) {
        my ($head, @inside) = @$node;
        my ($way, $name) = $head =~ /^location (\S* )?"?(.*?)"?\z/ or next;
        $way = ($way // '') =~ s/ //r;
        next if $name =~ /^\@/;
        next if !($way =~ /~\*/ ? $path =~ /$name/i : $way eq '~'
            ? $path =~ /$name/ : $way eq '=' ? $path eq $name
            : index($path, $name) == 0);
        return 1 if grep { $_ eq 'internal' } @inside;
        return 1 if in_internal($path, @inside);
    }
    return 0;
}

# Does a denial contain $uri, or a value that a rule made of it ("set" of a
# capture), which is the name that was found? (See SECURITY.md.)
sub shows_name {
    my $text = text_of(@_[0, 1], 1);
    return $text
        =~ /^ *(?:add_header|error_page|return 302 \S*login)[^;]*\$uri|^ *set [^;]*\$rest/m
        || $text =~ /^ *rewrite [^;]*\$1/m && denies_with_name(@_);
}

# Is the denial a redirect to the login, with $uri? It has the names as sent
# (doc/nginx.md, Restarts).
sub denies_with_name {
    my $text = text_of(@_[0, 1], 1);
    return $text =~ /^ *error_page (?:\d+ )*40[13] [^;]*\@login/m
        && $text =~ /^location \@login \{\n *return 302 [^;]*\$uri/m;
}

# Does a rule redirect to the login depending on whether a file exists? It
# discloses that itself, and denies the target of try_files after access to the
# requested path has been granted.
sub asks_disk {
    return text_of(@_[0, 1], 1)
        =~ /^ *if \(!?-[fde] [^\n]*\n *return 302 \/login/m;
}

# May a rule that tests for files deny only absent ones?
sub lifts_denial {
    return text_of(@_[0, 1], 1) =~ /^ *if \(!?-[fde] [^\n]*\n *rewrite/m;
}

sub has_application { return text_of(@_[0, 1], 1) =~ /_pass |return/ }

# A body without what differs; without names of files if these have other octets
# on disk.
sub body_of {
    my ($class, $body, $other) = @_;
    # parameters that only the oracle gets, or that differ
    $body =~ s/^(?:HTTP_X_RAW|REQUEST_URI|REMOTE_PORT)=.*\n//mg;
    return $body if !$other;
    $body =~ s/^SCRIPT_FILENAME=.*\n//mg;
    $body =~ s/ f=[^\n]*//g;
    return $body;
}

# No page contains the module's variables.
sub own_of { return () }

# ---- a server ----------------------------------------------------------------

# The program, which reports its parameters until this process ends. Its process
# copies all memory, so it is started once.
my ($program, $owner) = (undef, 0);

sub program {
    ($program, $owner) = (IRI::Gateway->new('fastcgi'), $$) if $owner != $$;
    return $program->port;
}

# Starts one server with many configurations, each as [number, config].
sub start {
    my ($class, $tmp, @configs) = @_;
    my ($port, $fcgi) = (free_port(), program());
    spew("$tmp/users", "user:{PLAIN}pass\n");
    my $conf = common($port, $fcgi, $tmp);
    for my $config (@configs) {
        $conf .= "# config $config->[0]\n" . $class->servers($config->[1],
            "$config->[0].test", $port, $tmp);
    }
    my $server = IRI::Nginx->new(tmp => $tmp, root => $tmp,
        log_level => 'crit', conf => $conf,
        main => 'thread_pool default threads=2;');
    $server->{ports} = { '' => $port };
    return { port => $port, server => $server,
        text => slurp("$tmp/nginx.conf") };
}

# The line of the configuration that an error message names.
sub error_line { return $_[1] =~ /nginx\.conf:(\d+)\s*$/m ? $1 : undef }

1;
