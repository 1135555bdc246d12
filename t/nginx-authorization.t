# nginx: paths that are authorized on behalf of another request, in a listing
# or as the Destination of COPY, are authorized as if the client had requested
# them: with its own address and request line, and without counting for limits.
use IRI::Test 'nginx';
use JSON::PP ();

my $tmp = temp_dir();
spew("$tmp/users", "user:{PLAIN}word\n");

my $root = temp_dir();
make_tree(join('', map { "$_\tfile\tx\n" }
    (map { ("rip/$_", "rip/secret$_", "all/$_", "all/secret$_") } 1 .. 8),
    (map { "mine/$_" } qw(a trusted secret)), 'idx/d/a', 'idx/d/secret',
    (map { ("req/$_", "lim/$_") } qw(a secret z)), 'pass/a', 'pass/free',
    'pass/secret', 'pass/same/x', (map { "guess/$_" } 1 .. 3, qw(a secret)),
    (map { "two/$_" } qw(a secret)), 'dav/a', 'dav/closed/a',
    'dav/open/a', 'dav/line/x'), $root);
system 'chown', '-R', 'www-data', $root if $> == 0;

my $server = nginx(root => $root, tmp => $tmp, conf => <<'END');
limit_req_zone $server_port zone=one:1m rate=1r/m;
limit_req_zone $server_port zone=three:1m rate=10r/s;
limit_conn_zone $server_port zone=two:1m;
limit_req_zone $http_x_key zone=four:1m rate=1r/m;
limit_req_zone $http_x_key zone=five:1m rate=1r/m;
limit_req_log_level info;
map $request $by_line { default 0; "~^GET /req/secret HTTP/[12]" 1; }
map $request $by_copy { default 0; "~ /dav/line/secret HTTP/" 1; }
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    # Trusted addresses can set the client's address, in some locations only.
    location ~ ^/rip/\d$ { set_real_ip_from 127.0.0.1;
        real_ip_header X-Forwarded-For; }
    location ~ ^/rip/secret[1-4] { allow 10.0.0.1; deny all; }
    location ~ ^/rip/secret { if ($remote_addr != 10.0.0.1) { return 403; } }
    location /all/ { set_real_ip_from 127.0.0.1;
        real_ip_header X-Forwarded-For;
        location ~ secret { allow 10.0.0.1; deny all; } }
    location ^~ /mine/ { set_real_ip_from 127.0.0.1;
        real_ip_header X-Forwarded-For; }
    location = /mine/secret { allow 10.0.0.1; deny all; }
    location = /mine/trusted { set_real_ip_from 127.0.0.1;
        real_ip_header X-Forwarded-For; allow 10.0.0.1; deny all; }
    location ^~ /idx/ { set_real_ip_from 127.0.0.1;
        real_ip_header X-Forwarded-For; try_files /none /idx/d/?format=json; }
    location ^~ /idx/d/ { }
    location = /idx/d/secret { allow 10.0.0.1; deny all; }
    location /req/ { if ($by_line) { return 403; } }
    location ~ ^/lim/[sz] { limit_req zone=one burst=1;
        limit_conn two 1; }
    # The rate at which a password can be tried.
    location = /pass/secret { limit_req zone=one nodelay;
        auth_basic x; auth_basic_user_file %%TMP%%/users; }
    location = /pass/free { auth_basic x;
        auth_basic_user_file %%TMP%%/users; }
    location /pass/same/ { limit_req zone=three burst=9;
        location ~ x { auth_basic x;
            auth_basic_user_file %%TMP%%/users; } }
    location = /guess/secret { limit_req zone=four; auth_basic x;
        auth_basic_user_file %%TMP%%/users; }
    location ~ ^/guess/[1-3] { limit_req zone=five; satisfy any; deny all;
        auth_basic x; auth_basic_user_file %%TMP%%/users; }
    dav_methods COPY MOVE;
    location /dav/ { set_real_ip_from 127.0.0.1;
        real_ip_header X-Forwarded-For; }
    location /dav/line/ { if ($by_copy) { return 403; } }
    location /dav/closed/ { allow 10.0.0.1; deny all; }
    location /dav/open/ { set_real_ip_from 127.0.0.1;
        real_ip_header X-Forwarded-For; allow 10.0.0.1; deny all; }
}
server {
    listen 127.0.0.1:%%PORTh2%% http2;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    location /req/ { if ($by_line) { return 403; } }
}
server {
    listen 127.0.0.1:%%PORTall%%;
    root %%ROOT%%;
    iri on;
    iri_listing on;
    set_real_ip_from 127.0.0.1;
    real_ip_header X-Forwarded-For;
    location ~ secret { allow 10.0.0.1; deny all; }
    location = /two/secret { set_real_ip_from 10.0.0.2;
        real_ip_recursive on; allow 10.0.0.1; deny all; }
}
END

sub names {
    my ($path, %option) = @_;
    my $answer = $server->get("$path?format=json", %option);
    return $answer->status if $answer->status != 200;
    return join ' ', map { $_->{name} // '-' }
        @{JSON::PP->new->utf8->decode($answer->body)->{entries}};
}

# Of these names those that the client gets, each in a request of its own.
sub accessible {
    my ($path, $names, %option) = @_;
    return join ' ', grep {
        $server->get("$path$_", %option)->status == 200
    } split / /, $names;
}

# ---- the address -------------------------------------------------------------

my $numbers = join ' ', 1 .. 8;
my $secrets = join ' ', map { "secret$_" } 1 .. 8;
for my $address (undef, '10.0.0.1', '10.0.0.2') {
    my @as = $address ? (headers => ['X-Forwarded-For', $address]) : ();
    my $as = $address // 'nobody';
    my $me = ($address // '') eq '10.0.0.1';
    is names('/rip/', @as), $numbers,
        "as $as: trusted addresses set the client";
    is accessible('/rip/', "$numbers $secrets", @as), $numbers,
        'the same as single requests';
    is names('/all/', @as), $me ? "$numbers $secrets" : $numbers,
        "as $as: all addresses are trusted";
    is names('/rip/', @as, port => $server->port('all')),
        $me ? "$numbers $secrets" : $numbers,
            "as $as: trusted in the whole server";
    is names('/mine/', @as), $me ? 'a trusted' : 'a',
        "as $as: trusted in the location of the listing";
    is accessible('/mine/', 'a secret trusted', @as), $me ? 'a trusted' : 'a',
        'the same as single requests';
    is names('/idx/none', @as), 'a',
        "as $as: trusted in the location before a redirect";
}
my @through = (headers => ['X-Forwarded-For', '10.0.0.1, 10.0.0.2'],
    port => $server->port('all'));
is accessible('/two/', 'a secret', @through), 'a', 'the address is set once';
is names('/two/', @through), 'a', 'the address is set once for entries, too';

my @me = (headers => ['X-Forwarded-For', '10.0.0.1']);
my $log = $server->access_log;
ok $log =~ qr{^10\.0\.0\.1\b.*"GET /mine/\?}m,
    'logged with the address of the client';
ok $log !~ qr{^10\.0\.0\.1\b.*"GET /mine/secret}m,
    'in the log of each location';

# The source's location lets the client set its address, the Destination's does
# not.
sub copy {
    my ($method, $from, $into, @header) = @_;
    return $server->request($method, $from, headers =>
        [Destination => "http://localhost$into", @header])->status;
}
for my $method (qw(COPY MOVE)) {
    is copy($method, '/dav/a', '/dav/closed/a', @{$me[1]}), 403,
        "$method to where only another address may";
    is copy($method, '/dav/a', '/dav/open/a'), 403, "$method, without";
    is copy($method, '/dav/open/a', '/dav/b', @{$me[1]}), 204,
        "$method from where the address may";
    is copy($method, '/dav/b', '/dav/open/a', @{$me[1]}), 204,
        "$method to where it may";
    unlink "$root/dav/b";
}

# ---- the line of the request ---------------------------------------------------

is names('/req/'), 'a z', 'a rule by $request';
is names('/req/', proto => 'h2', port => $server->port('h2')), 'a z',
    'HTTP/2';

is copy('COPY', '/dav/a', "/dav/line/$_->[0]"), $_->[1],
    "COPY to $_->[0] by \$request" for ['a', 204], ['secret', 403];
is copy('COPY', '/dav/line/a', '/dav/line/secret'), 403,
    'COPY from a location with such a rule';
is copy('COPY', '/dav/line/a', '/dav/c'), 204, 'COPY to an allowed name';
$log = $server->access_log;
ok $log =~ m{"COPY /dav/line/a HTTP/1\.1" 403},
    'the request line is logged as sent';
ok $log !~ m{"COPY /dav/line/secret }, 'no other line is logged';

# ---- limits --------------------------------------------------------------------

is $server->get('/lim/a')->status, 200, 'no limit';
is $server->get('/lim/secret')->status, 200, 'the first';
for my $again (1 .. 4) {
    is names('/lim/', timeout => 30), 'a secret z', 'limits do not count';
}

my @user = (headers => ['Authorization', 'Basic dXNlcjp3b3Jk']);
is names('/pass/'), 'same a', 'passwords';
is names('/pass/', @user), 'same a free',
    'not a password with limited attempts';
is names('/pass/same/'), '', 'the listing counts as an attempt';
is names('/pass/same/', @user), 'x', 'the password is accepted';

# A password that is tried in a listing counts as one request of its location.
for my $guess ('3b3Jk', 'ndWVzcw==', undef) {
    my @key = ('X-Key', $guess // 'none');
    my @try = (headers => [@key, $guess
        ? (Authorization => "Basic dXNlcjp" . $guess) : ()]);
    my @right = (headers => [@key, @{$user[1]}]);
    my $is = $guess && $guess eq '3b3Jk' ? 'the right' : 'no right';
    is names('/guess/', @try), $is eq 'the right' ? '1 2 3 a secret' : 'a',
        "$is password";
    is names('/guess/', @right), 'a', 'no further attempt';
    is $server->get("/guess/$_", @right)->status, 503, "nor of $_ itself"
        for qw(1 secret);
}

# Access that auth_request has granted to the source is not granted to the
# Destination.
my ($granted_root) = make_tree("open/a.txt\tfile\tA\nsub/yes\tfile\tB\n");
chmod 0777, "$granted_root/$_" or die for qw(open sub);
my $granted = nginx(root => $granted_root, conf => <<'END');
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    dav_methods COPY;
    location / { }
    location /from/ { rewrite ^/from/(.*)$ /open/$1 last; }
    location /sub/ { set $wanted $uri; auth_request /verdict; }
    location = /verdict {
        internal;
        if ($wanted = /sub/yes) { return 204; }
        return 403;
    }
}
END
sub granted_copy {
    my ($source, $destination) = @_;
    return $granted->request('COPY', $source,
        headers => [Destination => $destination])->status;
}
SKIP: {
    skip 'no auth_request', 3 if $granted->get('/sub/yes')->status != 200;
    is $granted->get('/sub/no')->status, 403, 'denied by a subrequest';
    is granted_copy('/sub/yes', '/sub/no'), 403, 'COPY to a denied name';
    is granted_copy('/sub/yes', '/open/b.txt'), 204, 'COPY to an allowed name';
}
is granted_copy('/from/a.txt', '/open/c.txt'), 204,
    'COPY of a rewritten source';

is_deeply [$server->errors, $granted->errors], [], 'log';
done_testing;
