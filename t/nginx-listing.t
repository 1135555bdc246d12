# nginx, iri_listing: a page of the entries of a directory that the client may
# access, and no others.
use IRI::Test 'nginx';
use IRI::HTTP2;
use IRI::Rows 'names_of';
use IRI::TLS;
use JSON::PP ();
use Socket qw(SOL_SOCKET SO_RCVBUF);
use Time::HiRes 'sleep';

my $tmp = temp_dir();
spew("$tmp/users", "user:{PLAIN}word\n");
my @user = (headers => ['Authorization', 'Basic dXNlcjp3b3Jk']);

# ---- entries of the trees ---------------------------------------------------

my $root = temp_dir();
mkdir "$root/nfc" or die "$root/nfc: $!\n";
spew("$root/nfc/\xC3\xA9.txt",  'e');
spew("$root/nfc/\xFF\xFE.txt", 'undecodable');
spew("$root/nfc/\x01\x1B[31m", 'controls');

make_tree([qw(rules/free.txt=1 rules/deny.txt=1 rules/deny/x=1 rules/deny2/x=1
    rules/open/x=1 rules/auth.txt=1 rules/any.txt=1 rules/both.txt=1
    rules/inner.txt=1 rules/return.txt=1 rules/text.txt=1 rules/rewrite.txt=1
    rules/if.txt=1 rules/ask.txt=1 rules/ask-no.txt=1 rules/a.bak=1
    rules/server.txt=1 rules/map.txt=1 rules/proxied.txt=1 rules/moved/x=1
    rules/redirect=1 rules/root.txt=1 rules/only.txt=1 rules/.hidden=1
    ruled/a.txt=1 ruled/b.txt=1 ruled/c.txt=1 vary/a.txt=1 vary/b.txt=1
    vary/c.txt=1 last/one.txt=1 last/sub/x=1 nest/free.txt=1 nest/deny.txt=1
    nest/a.no=1 nest/b.no=1 nest/a.yes=1 nest/deep/x=1 tried/one.txt=1
    tried/one.txt.html=1 tried/two.txt=1 tried/sub/x=1 plain/one.txt=1
    plain/sub/x=1 strict/one.txt=1 strict/sub/x=1 other/else.txt=1
    elsewhere/x=1 elsewhere/rules/root.txt=1 place/one.txt=1 place/secret.txt=1
    inner/one.txt=1 links/file.txt=1 links/dir/x=1 owned/file.txt=1
    modes/open.txt=1 modes/shut.txt=1 modes/shut/x=1 modes/entered/x=1
    case/Docs/File.txt=1 index/index.html=index index/other.html=1 none/empty/
    404/one.txt=1),
    'page.shtml=<!--#include virtual="/plain/" -->|<!--#include virtual="/rules/" -->|<!--#include virtual="/inner/" -->'],
    $root);
symlink "$root/plain", "$root/links/to-dir"       or die "$!\n";
symlink "$root/plain/one.txt", "$root/links/to"   or die "$!\n";
symlink '/none', "$root/links/nowhere"            or die "$!\n";
symlink 'loop', "$root/links/loop"                or die "$!\n";
symlink "$root/links", "$root/linked"             or die "$!\n";
symlink "$root/plain/one.txt", "$root/owned/$_" or die "$!\n"
    for qw(mine other);
system('chown', '-h', 'nobody', "$root/owned/other") == 0 or die "chown\n"
    if !$>;
mkdir "$root/modes/fifos" or die "$!\n";
system('mkfifo', "$root/modes/fifos/pipe") == 0 or die "mkfifo\n";
chmod 0, "$root/modes/shut.txt", "$root/modes/shut" or die "$!\n";
chmod 0311, "$root/modes/entered" or die "$!\n";

my $big = 20_000;
mkdir "$root/big" or die "$!\n";
for my $i (map { sprintf '%05d', $_ } 1 .. $big) {
    open my $file, '>', "$root/big/a-rather-long-name-of-a-file-$i.txt"
        or die "$!\n";
}

# More than the socket buffers of a connection hold.
my $filler = 16 * 1024 * 1024;
spew("$root/filler.bin", 'x' x $filler);

# ---- the server --------------------------------------------------------------

my $built   = `@{[IRI::Nginx->binary]} -V 2>&1`;
my $has_tls = $built =~ /http_ssl_module/ && !IRI::TLS::missing()
    && !IRI::TLS::certificate($tmp);
my $tls = !$has_tls ? '' : <<'END';
server {
    listen 127.0.0.1:%%PORTtls%% ssl;
    ssl_certificate %%TMP%%/cert.pem;
    ssl_certificate_key %%TMP%%/key.pem;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    add_header X-Long LONG;
}
END
$tls =~ s/LONG/'x' x 2000/e;

my $server = nginx(root => $root, tmp => $tmp, log_level => 'info',
    conf => $tls . <<'END');
default_type text/plain;
types { text/html html; }
charset koi8-r;
source_charset koi8-r;
gzip on; gzip_min_length 1; gzip_types *;
map $uri $vary { default ""; ~b\.txt$ /elsewhere; }
map $request_uri $mapped { default ""; ~^/rules/map\.txt$ yes; }
server {
    listen 127.0.0.1:%%PORTauth%%;
    location / { if ($http_x_uri ~ no) { return 403; } return 204; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORTh2%% http2;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    log_subrequest on;

    location = /rules/deny.txt { deny all; }
    location /rules/deny/ { deny all; }
    location ^~ /rules/deny2/ { deny all; }
    location = /rules/auth.txt {
        auth_basic x; auth_basic_user_file %%TMP%%/users;
    }
    location = /rules/any.txt {
        satisfy any; deny all;
        auth_basic x; auth_basic_user_file %%TMP%%/users;
    }
    location = /rules/both.txt {
        allow all;
        auth_basic x; auth_basic_user_file %%TMP%%/users;
    }
    location = /rules/inner.txt { internal; }
    location = /rules/return.txt { return 301 /elsewhere; }
    location = /rules/text.txt { return 200 "text"; }
    location = /rules/rewrite.txt { rewrite ^ /rules/free.txt last; }
    location = /rules/if.txt { if ($uri ~ "^/rules/if") { return 404; } }
    location ~ ^/rules/ask { auth_request /asked; }
    location ~ \.bak$ { deny all; }
    location = /rules/map.txt { if ($mapped) { return 403; } }
    location = /rules/proxied.txt { proxy_pass http://127.0.0.1:%%PORTauth%%; }
    location /rules/moved/ { alias %%ROOT%%/elsewhere/; }
    location /rules/redirect/ { proxy_pass http://127.0.0.1:%%PORTauth%%; }
    location = /rules/root.txt { root %%ROOT%%/elsewhere; }
    location = /rules/only.txt { limit_except POST { deny all; } }
    location = /asked {
        internal;
        proxy_pass http://127.0.0.1:%%PORTauth%%;
        proxy_set_header X-Uri $request_uri;
    }

    location /ruled/ { if ($uri ~ b) { return 404; } }
    location /vary/ { root %%ROOT%%$vary; }
    location /nest/ {
        location = /nest/deny.txt { deny all; }
        location ~ \.no$ { deny all; }
        location ^~ /nest/deep/ {
            location ~ x { return 200 x; }
            deny all;
        }
    }
    location ~ \.yes$ { deny all; }

    location /tried/ { try_files $uri.html $uri $uri/ =404; }
    location /plain/ { try_files $uri $uri/ =404; }
    location /last/ { try_files $uri/ @up; }
    location @up { proxy_pass http://127.0.0.1:%%PORTauth%%; }
    location /strict/ { try_files $uri/ /other/else.txt; }
    location /short/ { alias %%ROOT%%/plain/; }
    location = /short/one.txt { deny all; }
    location ~ ^/captured/(.*)$ { alias %%ROOT%%/$1; }
    location /varied/ { root %%ROOT%%/$varied_; set $varied_ ""; }
    location /shown/ { rewrite ^/shown/(.*) /place/$1 last; }
    location = /shown/secret.txt { deny all; }
    location /broken/ { rewrite ^/broken/(.*) /place/$1 break; }
    location /inner/ { internal; }
    location /linked/ { disable_symlinks on; }
    location /links/ { }
    location /owner/ { alias %%ROOT%%/links/; disable_symlinks if_not_owner; }
    location /owned/ { disable_symlinks if_not_owner; }
    location /unlinked/ {
        alias %%ROOT%%/links/; disable_symlinks on from=$document_root;
    }
    location /case/ { iri_match normalization case; }
    location /404/ { error_page 404 /plain/; }
    location /403/ { error_page 403 /plain/; deny all; }
    location /accel/ { proxy_pass http://127.0.0.1:%%PORTaccel%%; }
    location = /page.shtml { ssi on; ssi_types *; }
    location /sub/ {
        alias %%ROOT%%/plain/; sub_filter 'one.txt' '[one]';
        sub_filter_types *; sub_filter_once off;
    }
    location /off/ { alias %%ROOT%%/plain/; iri_listing off; }
    location /auto/ { alias %%ROOT%%/plain/; iri_listing off; autoindex on; }
    location /both/ { alias %%ROOT%%/plain/; autoindex on; }
    location /limited/ { alias %%ROOT%%/big/; limit_rate 20m; }
    location /few/ { alias %%ROOT%%/big/;
        location ~ "file-(?!00007|19999)" { deny all; } }
    location /asks/ { alias %%ROOT%%/big/; auth_request /asked; }
}
server {
    listen 127.0.0.1:%%PORTaccel%%;
    location / { add_header X-Accel-Redirect $arg_to; return 200; }
}
server {
    listen 127.0.0.1:%%PORTserver%%;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    if ($uri = /rules/server.txt) { return 403; }
    if ($uri = /rules/free.txt) { return 301 /elsewhere; }
    if ($uri = /last/one.txt) { return 403; }
    location /last/ { }
    location = /rules/deny.txt { deny all; }
}
server {
    listen 127.0.0.1:%%PORTutf8%%;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    location ~ "(*UTF8)^/nfc/\x{E9}" { }
    location ~ "^/nfc/\x01" { deny all; }
}
server {
    listen 127.0.0.1:%%PORTnamed%%;
    server_name ~^(?<tree>\w+)\.example$;
    root %%ROOT%%/$tree;
    iri on;
    iri_listing on;
}
server {
    listen 127.0.0.1:%%PORTother%%;
    server_name local;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    location /plain/ { root %%ROOT%%/$server_port; }
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOT%%;
    iri report;
    iri_listing on;
}
server {
    listen 127.0.0.1:%%PORTfirst%%;
    root %%ROOT%%;
    iri on;
    location / { iri_listing on; auth_basic x;
        auth_basic_user_file %%TMP%%/users; }
}
END

# The listing of a directory, from JSON.
sub list {
    my ($target, %option) = @_;
    my $answer = $server->get("$target?format=json", %option);
    return { status => $answer->status, entries => [] }
        if $answer->status != 200;
    return { status => 200, %{ JSON::PP->new->utf8->decode($answer->body) } };
}

# Its names, or its status.
sub names {
    my ($target, %option) = @_;
    return names_of($server->get("$target?format=json", %option));
}

# ---- names -------------------------------------------------------------------

my $page = $server->get('/nfc/');
is $page->header('Content-Type'), 'text/html; charset=utf-8',
    'Content-Type, whatever charset says';
my @odd_names = grep { !defined $_->{name} && $_->{octets} =~ /\.txt/ }
    @{ list('/nfc/', port => $server->port('utf8'))->{entries} };
is_deeply [map { $_->{octets} } @odd_names], ['%FF%FE.txt'],
    'a name that no charset reads is listed with a (*UTF8) pattern';
unlike $server->get('/nfc/', port => $server->port('utf8'))->body,
    qr/controls|%01/, 'denied names are not';
like $server->get('/none/empty/')->body, qr/empty/,
    'its parent directory is linked';
rows_are($server, <<'END', user => \@user);
request  names  note
/none/  empty/  an empty directory
/rules/free.txt/  404  a file
/rules/  ask.txt free.txt open/ proxied.txt server.txt  entries without access rules
/rules/ +user  any.txt ask.txt auth.txt both.txt free.txt open/ proxied.txt server.txt  entries with the password
server:/rules/  a.bak any.txt ask-no.txt ask.txt auth.txt both.txt deny/ deny2/ if.txt inner.txt map.txt moved/ only.txt open/ proxied.txt redirect return.txt rewrite.txt root.txt text.txt  rules of the server
server:/last/  sub/  rules of the server in a location
first:/  401  access to none
/ruled/  a.txt c.txt  a rule that matches names
/vary/  a.txt c.txt  a root that depends on names
/nest/  free.txt  locations in locations, and patterns
/plain/  one.txt sub/  try_files $uri $uri/
/tried/  one.txt.html sub/ two.txt  another candidate first
/strict/  sub/  lists directories only
/last/  sub/  entries answered by the fallback only
/short/  sub/  alias
/captured/plain/  one.txt sub/  alias with captures
/varied/plain/  404  a root with a variable
/place/  one.txt secret.txt  a location with its path
/shown/  one.txt  by a rewrite: entries are checked by its target
/broken/  one.txt secret.txt  by rewrite ... break
/inner/  404  internal
/case/docs/  File.txt  found in another case
/links/  dir/ file.txt to to-dir/  links
/unlinked/  dir/ file.txt  disable_symlinks on
/linked/  404  disable_symlinks for the directory itself
/owner/  dir/ file.txt to to-dir/  if_not_owner
/modes/fifos/  ~^$  neither file nor directory
END

# ---- sorting -----------------------------------------------------------------

# The entries of all pages, from the first to the last.
sub pages {
    my ($path, $query, %option) = @_;
    my ($pages, @entries) = (0);
    for (my $target = "$path?format=json&$query"; $target; ) {
        my $answer = $server->get($target, %option);
        my $list   = JSON::PP->new->utf8->decode($answer->body);
        push @entries, @{ $list->{entries} };
        $target = $list->{next} ? $path . $list->{next} : undef;
        $pages++;
    }
    return ($pages, @entries);
}

my ($pages, @big) = pages('/big/', 'sort=name&order=desc');
is $pages, $big / 1000, 'pages of 1,000 names';
is @big, $big, 'all 20,000 entries';
is_deeply [map { $_->{href} } @big],
    [map { sprintf './a-rather-long-name-of-a-file-%05d.txt', $_ }
        reverse 1 .. $big], 'in the requested order';
my ($next) = $server->get('/big/')->body =~ /<a rel="next" href="(\?[^"]*)"/;
like $server->get('/big/' . $next =~ s/&amp;/&/gr)->body,
    qr{\./a-rather-long-name-of-a-file-01001\.txt}, 'the link to the next page';
for my $link ($page->body =~ /href="(\?[^"]*)"/g) {
    my $query = $link =~ s/&amp;/&/gr;
    is $server->get("/nfc/$query")->status, 200, "the link $query";
}

# ---- rules -------------------------------------------------------------------

my @log = grep { /"GET \/rules\// } split /\n/, $server->access_log;
cmp_ok scalar @log, '>', 0, 'log_subrequest';
unlike $server->get('/rules/')->body, qr/deny|inner|return|bak|rewrite/,
    'denied names are not in the page';
like names('/rules/', port => $server->port('first'), @user), qr/free/,
    'access with the password';

is $server->get('/strict/')->status, 200, 'try_files with directories alone';

is names('/', port => $server->port('named'),
    host => 'plain.example'),
    'one.txt sub/', 'a root with a variable of server_name';
is $server->get('/index/')->body, 'index', 'an index comes first';
is $server->get('/off/')->status, 403, 'iri_listing off';
like $server->get('/auto/')->body, qr/Index of \/auto/, 'autoindex';
like $server->get('/both/')->body, qr/Index of \/both/,
    'autoindex takes precedence';
is $server->get('/plain/', port => $server->port('report'))->status, 403,
    'iri report';

# ---- entries that can be opened ---------------------------------------------

SKIP: {
    skip 'who is not root has no links of others', 1 if $>;
    is names('/owned/'), 'file.txt mine', 'a link of another owner';
}
SKIP: {
    skip 'the worker may read all', 2 if !IRI::Server::worker_user() && !$>;
    is names('/modes/'), 'entered/ fifos/ open.txt', 'rights';
    is names('/modes/entered/'), '403', 'a directory that cannot be read';
}

# ---- from inside -------------------------------------------------------------

my $ssi = $server->get('/page.shtml')->body;
my @parts = split /\|/, $ssi;
is @parts, 3, 'SSI: three listings';
like $parts[0], qr{\./one\.txt}, 'the first';
like $parts[1], qr{\./free\.txt}, 'the second';
unlike $parts[1], qr/deny|auth/, 'without denied entries';
unlike $parts[2] // 'one.txt', qr/one\.txt/,
    'no listing that clients cannot get';
like $server->get('/404/none')->body, qr{\./one\.txt}, 'error_page';
is $server->get('/404/none')->status, 404, 'status';
is $server->get('/403/none')->status, 403, 'another';
like $server->get('/accel/?to=/plain/')->body, qr{\./one\.txt},
    'X-Accel-Redirect';
unlike $server->get('/accel/?to=/inner/')->body, qr{one\.txt},
    'X-Accel-Redirect to an internal location';

# ---- filters, protocols ------------------------------------------------------

is length $server->get('/big/', proto => 'h2', port => $server->port('h2'))
    ->body, length $server->get('/big/')->body, 'HTTP/2: a large listing';
is scalar(() = $server->get('/limited/')->body =~ m{href="\./}g), 1000,
    'limit_rate';
is $server->get('/plain/', version => '1.0')->status, 200, 'HTTP/1.0';
is $server->get('/nfc/', headers => ['If-Modified-Since',
    'Sun, 22 Nov 2065 11:00:00 GMT'])->status, 200,
        'conditional requests get 200';
like $server->get('/sub/')->body, qr{<bdi>\[one\]</bdi>}, 'sub_filter';

my $zipped = $server->get('/big/', headers => ['Accept-Encoding', 'gzip']);
is $zipped->header('Content-Encoding'), 'gzip', 'gzip';
SKIP: {
    eval { require Compress::Zlib } or skip 'no Compress::Zlib', 1;
    is Compress::Zlib::memGunzip($zipped->body), $server->get('/big/')->body,
        'gzip: content';
}

my $client  = $server->client;
my @answers = $client->pipeline('/plain/', '/plain/one.txt', '/rules/',
    '/plain/one.txt', '/big/', '/plain/?format=json');
is join(' ', map { $_->status } @answers), '200 200 200 200 200 200',
    'pipelined requests';
is $answers[1]->body . $answers[3]->body, '11', 'responses in order';
like $answers[5]->body, qr/"path":"\/plain\/"/, 'the last response';
$client->disconnect;

# ---- many --------------------------------------------------------------------

my $first_page = list('/asks/');
is scalar @{ $first_page->{entries} }, 1000,
    'access checks that wait for an upstream';
ok $first_page->{next}, 'a link to the next page';
ok !list('/plain/')->{next}, 'the last page has no such link';
is scalar @{ list('/few/')->{entries} }, 2, 'two of 20,000';
ok !list('/few/')->{next}, 'inaccessible entries cause no further page';
is list('/few/')->{entries}[1]{href},
    './a-rather-long-name-of-a-file-19999.txt',
    'the second accessible entry';

# The main process may log this late on a busy machine.
my ($worker) = $server->log_text =~ /start worker process (\d+)/;

sub memory {
    my ($kind) = @_;
    my ($kb) = slurp("/proc/$worker/status") =~ /^Vm$kind:\s+(\d+)/m;
    return $kb;
}

# Sends a request without reading the response; returns the socket.
sub stuck {
    my ($target, $size) = @_;
    my $socket = IO::Socket::INET->new(Proto => 'tcp') or die "$!\n";
    setsockopt $socket, SOL_SOCKET, SO_RCVBUF, $size // 4096;
    $socket->connect($server->port, Socket::inet_aton('127.0.0.1'))
        or die "$!\n";
    syswrite $socket, "GET $target HTTP/1.0\r\n\r\n";
    return $socket;
}

# While access to 20,000 names is checked one by one.
{
    my $long = stuck('/few/?format=json', 65536);
    my $set  = '';
    vec($set, fileno $long, 1) = 1;
    is $server->get('/plain/one.txt')->body, '1', 'other requests are answered';
    is scalar(select my $ready = $set, undef, undef, 0), 0, 'meanwhile';
    my $got = '';
    1 while sysread $long, $got, 65536, length $got;
    like $got, qr/19999/, 'then the listing is sent';
    $long = stuck('/few/?format=json');
    close $long;
    is $server->get('/plain/one.txt')->body, '1',
        'the client closed the connection';
}

SKIP: {
    skip 'no /proc', 2 if !-e '/proc/self/status';
    skip 'ASan keeps freed memory', 2 if $ENV{IRI_ASAN};
    my $peak = memory('HWM');
    is scalar @{ list('/few/')->{entries} }, 2, 'a second request';
    cmp_ok memory('HWM') - $peak, '<', 4096,
        'inaccessible names take no memory';
}

SKIP: {
    skip 'no /proc', 4 if !-e '/proc/self/status';
    my $body   = $server->get('/big/')->body;
    my $size   = length $body;
    my $before = memory('RSS');
    my @slow   = map { stuck('/big/') } 1 .. 4;
    is $server->get('/plain/')->status, 200,
        'other requests are answered meanwhile';
    $server->settle;
    my $grown = memory('RSS') - $before;
    cmp_ok $grown * 1024, '<', 4 * 250 * $big,
        'memory of slow clients is that of the names';
    note "4 slow clients of $size octets: $grown KB";

    my $got = '';
    while (sysread $slow[0], my $octets, 65536) {
        $got .= $octets;
    }
    is length($got) - index($got, "\r\n\r\n") - 4, $size,
        'a slow client gets the whole page';
    close $_ for @slow;
    my @gone = map { stuck('/asks/') } 1 .. 4;
    close $_ for @gone;
    is $server->get('/plain/')->status, 200,
        'some clients closed the connection';
}

# ---- headers that cannot be sent at once -------------------------------------

my $whole = $server->get('/big/?format=json')->body;

# HTTP/2: another stream has filled the connection, and the client does not
# read, so the header of the listing must wait.
for my $path ('/none/?format=json', '/big/?format=json') {
    my $h2 = $server->client(proto => 'h2', port => $server->port('h2'));
    $h2->connect;
    my @streams = $h2->open_stream({ target => '/filler.bin' });
    $server->settle;
    push @streams, $h2->open_stream({ target => $path });
    $server->settle;
    $h2->{streams} = { map { $_->{id} => $_ } @streams };
    while (grep { !$_->{done} } @streams) {
        my @frame = $h2->read_frame or last;
        $h2->take_frame(@frame);
    }
    is length $streams[0]{answer}->body, $filler, "$path behind a stream";
    is $streams[1]{answer}->status, 200, 'status';
    ok $streams[1]{answer}->body eq $server->get($path)->body, 'its body';
    $h2->disconnect;
}

# TLS: a header of more than postpone_output (1,460) octets waits for the body.
SKIP: {
    skip 'no TLS', 4 if !$has_tls;
    my %tls = (port => $server->port('tls'), tls => {});
    is $server->get('/none/?format=json', %tls)->body,
        $server->get('/none/?format=json')->body, 'TLS and a long header';
    ok $server->get('/big/?format=json', %tls)->body eq $whole,
        'a long body behind it';
    is $server->request('HEAD', '/none/', %tls)->status, 200, 'HEAD';

    my $slow = $server->client(%tls);
    $slow->connect;
    setsockopt $slow->{socket}, SOL_SOCKET, SO_RCVBUF, 65536;
    $slow->put("GET /big/?format=json HTTP/1.0\r\n\r\n");
    $server->settle;
    my $got = '';
    while ($slow->fill) {
        $got .= $slow->{buffer};
        $slow->{buffer} = '';
    }
    ok substr($got, index($got, "\r\n\r\n") + 4) eq $whole, 'a slow reader';
    $slow->disconnect;
}

# ---- another module has sent the header --------------------------------------

# echo sends a header before it redirects the request to a listing: then the
# connection ends, as with autoindex.
SKIP: {
    my $echo = IRI::Nginx::module_dir() . '/ngx_http_echo_module.so';
    skip 'no echo module', 4 if !-e $echo;
    my $other = nginx(root => $root, modules => [$echo], conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    location = /async { echo_location_async /plain/; echo_exec /big/; }
    location = /sub { echo_location /plain/; }
}
END
    is $other->get('/async')->status, 0, 'echo_exec to a listing'
        for 1 .. 2;
    like $other->get('/sub')->body, qr{\./one\.txt}, 'a listing in a page';
    $other->stop;
    unlike $other->log_text, qr/exited on signal/, 'no worker was killed';
}

# A worker that exits gracefully, as after a reload, finishes its listings
# first.
{
    my $long = stuck('/few/?format=json', 65536);
    is $server->get('/plain/one.txt')->body, '1', 'a listing was started';
    kill 'QUIT', $server->children;
    my $got = '';
    1 while sysread $long, $got, 65536, length $got;
    like $got, qr/19999/, 'the worker finishes it before it exits';
}

# ---- configuration -----------------------------------------------------------

sub check_conf {
    my ($conf) = @_;
    my ($code, $text) = nginx_t($conf, root => $root);
    return join ' ', $code, $text =~ /(iri: .*|iri_listing.*)/g;
}

is check_conf('server { iri on; iri_listing off; }'), '0', 'off';
is check_conf('iri_listing on; server { iri on; } server { iri off; }'), '0',
    'on in one of the servers';
is check_conf('server { iri report; iri_listing on; }'), '0', 'report';
like check_conf('server { location / { iri_listing on; } }'),
    qr/^0 iri: "iri_listing" in \S+:\d+ has no effect/,
        'a warning if iri is off';

# ---- a copy of a request, made by mirror -------------------------------------

my $mirrored = nginx(root => $root, conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    location /plain/ { mirror /vary/; }
}
END
is $mirrored->get('/plain/one.txt')->body, '1', 'the copy gets a directory';
like $mirrored->access_log, qr{GET /plain/one\.txt}, 'the request ends';

# ---- open_file_cache, and an index that a thread builds ----------------------

my $changing = temp_dir();
spew("$changing/name-$_.txt", '') for 1 .. 2_600;
spew("$changing/a\xCC\x82\xCC\xA3-$_.txt", '') for 1 .. 300;
my $threads = nginx(root => $changing, conf => <<'END');
iri_cache 4m threads=default;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    iri_listing on;
    open_file_cache max=100;
}
END
my $changer = fork // die "fork: $!\n";
while (!$changer) {
    spew("$changing/new.txt", '');
    sleep 0.002;
    unlink "$changing/new.txt";
    sleep 0.002;
}
is scalar(grep { $threads->get('/?format=json')->status == 200 } 1 .. 40), 40,
    'listings while threads read the directory';
kill KILL => $changer;
waitpid $changer, 0;

is_deeply [map({ $_->errors(ignore => qr{stat\(\)|opendir}) }
    $server, $threads)], [], 'log';

done_testing;
