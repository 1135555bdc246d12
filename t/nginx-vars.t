# nginx: $iri, $iri_uri, $iri_query, $iri_form and $iri_charset describe the
# client's request, whatever rules and internal redirects have made of its
# path; and no variable reveals a name that was found before access to it was
# granted.
use IRI::Test 'nginx';
use IRI::Gateway;
use IRI::Octets qw(euc percent);

my ($root) = make_tree(join '',
    map { my $name = escaped($_); "$name\tfile\t$name\n" }
    qw(front/index.php front/Hidden.txt sub/dir/index.html 花/静.html shut/File.txt
    shut/ｲﾖ.txt open/ｲﾖ.txt open/File.txt page.html ssi/own.html));
spew("$root/ssi/$_->[0]", qq{<!--#include virtual="$_->[1]?s=1" -->|}
    . '<!--#echo var="iri_uri" encoding="none" -->')
    for ['ascii.html', '/in/a%20b'], ['utf8.html', '/in/%E8%8A%B1'],
    ['raw.html', '/in/花'];
spew("$root/shut/users", "user:{PLAIN}word\n");

my $gateway = IRI::Gateway->new('fastcgi');
my $conf    = <<'END';
default_type text/plain;
limit_req_zone $uri zone=limit:1m rate=1r/m;
log_format vars '$uri $iri_uri $iri_match';
log_format all '$iri $iri_query';
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP;
    iri_query_charset EUC-JP;
    error_page 405 = /show;
    add_header X-Vars
        "$iri_uri $iri_query $iri_form $iri_charset $iri_path" always;
    location / { try_files $uri /show?p=$uri; }
    location /show { return 200 "$iri|$args"; }
    location /last/ { rewrite ^ /show?p=1 last; }
    location /break/ { rewrite ^ /page.html break; }
    location /args/ { set $args "$args&more=1"; return 200 "$iri_query $args"; }
    location /jump/ { error_page 418 = @named; return 418; }
    location @named { rewrite ^ /show last; }
    location /error/ { error_page 404 /show?p=2; return 404; }
    location /twice/ { rewrite ^/twice(/.*) /last$1 last; }
    location /accel/ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /sub/ { }
    location /ssi/ { ssi on; default_type text/html; }
    location /in/ { rewrite ^ /show/$iri_form last; }
    location /php/ {
        try_files $uri /front/index.php;
    }
    location ~ \.php$ {
        fastcgi_pass %%GATEWAY%%;
        fastcgi_param SCRIPT_FILENAME $request_filename;
        fastcgi_param REQUEST_URI $iri_uri;
    }
}
server {
    listen 127.0.0.1:%%PORTup%%;
    location / { add_header X-Accel-Redirect /show?p=3; return 200; }
}
server { listen 127.0.0.1:%%PORTgone%%; location / { return 404; } }
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOT%%;
    iri report;
    iri_charset EUC-JP;
    iri_query_charset EUC-JP;
    add_header X-Vars
        "$iri_uri $iri_query $iri_form $iri_charset $iri_path" always;
    location / { rewrite ^ /page.html break; }
}
server {
    listen 127.0.0.1:%%PORTfold%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    add_header X-Vars
        "$iri_uri $iri_query $iri_form $iri_charset $iri_path" always;
    location /lost/ { error_page 404 /PAGE.HTML; return 404; }
    location / { try_files $uri /show?p=$uri; }
    location /show { return 200 "$iri|$args"; }
}
# Access to the found entry is denied.
server {
    listen 127.0.0.1:%%PORTshut%%;
    root %%ROOT%%;
    iri on;
    iri_charset EUC-JP Shift_JIS;
    iri_match case;
    access_log %%TMP%%/vars vars;
    add_header X-Path "$uri $document_uri $iri_path $iri_uri $iri" always;
    add_header X-Vars "$iri_form $iri_charset $iri_match" always;
    add_header X-File "$request_filename $iri_filename" always;
    location /shut/ { deny all; }
    location /basic/ {
        alias %%ROOT%%/shut/;
        auth_basic x; auth_basic_user_file %%ROOT%%/shut/users;
    }
    location /text/ {
        alias %%ROOT%%/shut/;
        deny all; error_page 403 /login?next=$uri&iri=$iri_uri;
    }
    location /equal/ {
        alias %%ROOT%%/shut/;
        deny all; error_page 403 = /login?next=$uri&iri=$iri_uri;
    }
    location /away/ {
        alias %%ROOT%%/shut/;
        deny all; error_page 403 http://example.com$document_uri;
    }
    location /named/ {
        alias %%ROOT%%/shut/;
        deny all; error_page 403 = @login;
    }
    location /limit/ {
        alias %%ROOT%%/shut/; limit_req zone=limit;
    }
    location /rewritten/ {
        rewrite ^/rewritten/(.*) /shut/$1 break; deny all;
    }
    location /asked/ {
        alias %%ROOT%%/shut/;
        if (-e $request_filename) { return 403; }
        return 403;
    }
    location /after/ {
        alias %%ROOT%%/open/; error_page 405 = /login?next=$uri&iri=$iri_uri;
    }
    location /front/ {
        iri_match exact;
        proxy_pass http://127.0.0.1:%%PORTgone%%;
        proxy_intercept_errors on; error_page 404 = @static;
    }
    location @static { root %%ROOT%%; }
    location = /front/Hidden.txt { deny all; }
    location /jump/ { error_page 418 = @jump; return 418; }
    location @jump { rewrite ^/jump/(.*)$ /open/$1 break; }
    location = /login { return 200 "$args $uri"; }
    location @login { return 200 "next=$uri&iri=$iri_uri $iri_form"; }
}
END
utf8::upgrade($conf);
$conf =~ s/%%GATEWAY%%/'127.0.0.1:' . $gateway->port/ge;
my $server = nginx(root => $root, conf => $conf, log_level => 'info');

# ---- through rules and redirects ---------------------------------------------

my $q = '%B2%D6';                  # U+82B1 in EUC-JP
my $u = percent('花');
for (['/show', '/show'], ['/last/花', '/show'], ['/break/花', '/page.html'],
    ['/jump/花', '/show'], ['/error/花', '/show'], ['/twice/花', '/show'],
    ['/accel/花', '/show'], ['/花/無', '/show'], ['/last/a b', '/show'],
    ['/花/静.html', '/花/静.html'], ['/none/a//b/../c', '/show', '/none/a/c'])
{
    my ($path, $rules, $canonical) = (@$_, $_->[0]);
    my $want = percent($canonical) . " q=$u";
    my $is_ascii = $path !~ /[^ -~]/;
    for my $code (sub { $_[0] }, \&euc) {
        my $form = $is_ascii ? 'ascii '
            : $code->('花') eq '花' ? 'escaped UTF-8' : 'legacy EUC-JP';
        my $target = percent($code->($path)) . "?q=$q";
        my $answer = $server->get($target);
        is $answer->header('X-Vars'), "$want $form $rules", $target;
        next if $rules ne '/show';
        is((split /\|/, $answer->body)[0],
            "http://localhost" . ($canonical =~ s/ /%20/r) . "?q=$u",
            "and \$iri: $target");
    }
}
is $server->get('/last/a?')->header('X-Vars'), '/last/a  ascii  /show',
    'no query';
is $server->get("/args/?q=$q")->body, "q=$u q=$u&more=1", 'set $args';
is $server->request('POST', '/page.html?a', body => 'x')->header('X-Vars'),
    '/page.html a ascii  /show', 'an error page';
is $server->get('/sub/dir/?a')->header('X-Vars'),
    '/sub/dir/ a ascii  /sub/dir/index.html', 'index';
is $server->get('http://localhost?a')->header('X-Vars'), '/ a ascii  /show',
    'a request-target without a path';
is $server->get('/%zz')->header('X-Vars'), 'ascii', 'a bad escape';

# The parameters of the front controller.
for my $path ('/php/花', '/php/a/b', '/php/') {
    for my $code (sub { $_[0] }, \&euc) {
        my %given = map { $_->[0] => $_->[1] }
            map { [split /=/, $_, 2] } split /\n/,
            $server->get(percent($code->($path)))->body;
        is $given{REQUEST_URI}, percent($path), "REQUEST_URI: $path";
    }
}

# Each subrequest has its own variables.
is $server->get('/ssi/ascii.html')->body,
    'http://localhost/in/a%20b?s=1|s=1|/ssi/ascii.html', 'SSI, ASCII';
is $server->get("/ssi/$_.html")->body,
    "http://localhost/in/花?s=1|s=1|/ssi/$_.html", "SSI, $_" for qw(utf8 raw);

is $server->get(percent(euc('/花')) . "?q=$q",
    port => $server->port('report'))->header('X-Vars'),
    "/$u q=$u legacy EUC-JP /page.html", 'report';
my $fold = $server->get('/OPEN/none?a', port => $server->port('fold'));
is $fold->header('X-Vars'), '/open/none a ascii  /show', 'a directory is found';
is $fold->body, 'http://localhost/open/none?a|p=/open/none',
    'a directory is found and passed on';
is $server->get('/lost/x?a', port => $server->port('fold'))->header('X-Vars'),
    '/lost/x a ascii  /page.html', 'an error page is found';

# ---- access is denied --------------------------------------------------------

# Status, body and the variables of one response, with NAME for the requested
# name.
sub denied_response {
    my ($where, $name, %option) = @_;
    my $answer = $server->request($option{method} // 'GET',
        "/$where/$name", port => $server->port('shut'), %option);
    my $variables = join ' ', $answer->status, grep { defined && !/</ }
        $answer->body, map { $answer->header($_) }
        qw(X-Path X-Vars X-File Location);
    return $variables =~ s/(?:\Q$name\E)/NAME/gr;
}

for my $where (qw(shut basic text equal away named rewritten asked)) {
    my $none = denied_response($where, 'NONE.TXT');
    is denied_response($where, 'FILE.TXT'), $none,
        "$where: the name that is there";
    like $none, qr/NAME/, "$where: but what was asked for";
}
denied_response('limit', 'NONE.TXT');
denied_response('limit', 'File.txt');
is denied_response('limit', 'FILE.TXT'), denied_response('limit', 'NONE.TXT'),
    'limits';
like denied_response('after', 'FILE.TXT', method => 'POST', body => 'x'),
    qr{^200 next=/after/File.txt&iri=/after/File.txt }, 'access was granted';
is $server->get('/jump/FILE.TXT', port => $server->port('shut'))->body,
    'open/File.txt', 'a rule that changes the location gets the found name';

like denied_response('front', 'HIDDEN.TXT'), qr{^403 /front/NAME /front/NAME },
    'access to the found name was denied';

# The existing one of two readings: U+82B1 in EUC-JP, U+FF72 U+FF96 in
# Shift_JIS.
for my $name ('%B2%D6', '%B2%D7') {
    like denied_response('shut', "$name.txt"), qr/ legacy EUC-JP none /,
        "$name.txt: the first reading";
}
like $server->get('/open/%B2%D6.txt', port => $server->port('shut'))
    ->header('X-Vars'), qr/^legacy Shift_JIS charset$/, 'access was granted';

# The log contains the found name.
$server->wait_for(sub { slurp($server->tmp . '/vars') =~ m{^/shut/File}m });
like slurp($server->tmp . '/vars'), qr{^/shut/File.txt /shut/File.txt case$}m,
    'the log';

# A denied name that is found under another one below a directory beyond ASCII:
# its last segment is ASCII, and would be opened without a lookup.
{
    my ($root) = make_tree("\\xC3\\xA9/Secret.txt\tfile\n");
    my $server = nginx(root => $root, conf => <<'END');
iri on;
iri_match case;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    location /é/ { deny all; add_header X-Match $iri_match always; }
}
END
    for my $name ('SECRET.txt', 'ABSENT.txt') {
        my $answer = $server->get("/%C3%A9/$name");
        is $answer->status . ' ' . $answer->header('X-Match'), '403 none',
            "denied: $name";
    }
}
done_testing;
