# A denial after an internal redirect, or with an error page, does not disclose
# what was found: neither in variables nor in Vary.
use IRI::Test;

my $missing = missing('nginx') // missing('httpd');
plan skip_all => $missing if $missing;

my ($root) = make_tree([qw(deny/Geheim.txt=secret deny/Ärger.txt=secret
    err/é.html=page ht/f=f open/表.txt=open shut/Geheim.txt=secret),
    'err/page.html=the page']);
spew("$root/ht/.htaccess",
    "RewriteEngine On\nRewriteRule ^g/(.*)\$ /deny/\$1 [L]\n"
    . "RewriteRule ^o/(.*)\$ /open/\$1 [L]\n");

my $nginx = nginx(root => $root, conf => <<"END");
map \$http_x_cs \$cs { default ""; e EUC-JP; }
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    error_page 403 /login?next=\$uri;
    location ~ ^/t/(?<n>.*)\$ { try_files /none /deny/\$n; }
    location ~ ^/x/(?<n>.*)\$ { proxy_pass http://127.0.0.1:%%PORTup%%; }
    location /deny/ { deny all; }
    location /login { return 403 "\$args"; }
}
server {
    listen 127.0.0.1:%%PORTvary%%;
    root %%ROOT%%;
    iri on;
    iri_charset \$cs;
    iri_match case;
    location /deny/ { deny all; error_page 403 /err/\xC3\xA9.html; }
}
server {
    listen 127.0.0.1:%%PORTpage%%;
    root %%ROOT%%;
    iri on;
    iri_match case;
    recursive_error_pages on;
    location /deny/ { deny all; error_page 403 /Err/Page.html; }
    location ~ ^/absent/(?<n>.*)\$ { error_page 404 = /shut/\$n; }
    location /shut/ { error_page 403 =403 /said; deny all; }
    location /said { return 200 "\$uri"; }
    error_page 403 /login?next=\$uri;
    location /login { return 403 "\$args"; }
}
server {
    listen 127.0.0.1:%%PORTup%%;
    location ~ ^/x/(?<n>.*)\$ {
        add_header X-Accel-Redirect /deny/\$n;
        return 200;
    }
}
END
for my $from (qw(deny t x)) {
    is $nginx->get("/$from/GEHEIM.txt")->body, 'next=/deny/GEHEIM.txt',
        "nginx: the name as sent, after /$from/";
}
for my $name (qw(GEHEIM Geheim ABSENT)) {
    is $nginx->get("/deny/$name.txt", port => $nginx->port('vary'))
        ->header('Vary'), 'X-Cs', "nginx: Vary of a page, for $name";
}

# An error page restarts, too, even if the client's path has restarted.
for my $name (qw(GEHEIM Geheim ABSENT)) {
    my $answer = $nginx->get("/deny/$name.txt", port => $nginx->port('page'));
    is $answer->status . ' ' . $answer->body, '403 the page',
        "nginx: a page with another name, for $name";
}
is $nginx->get("/absent/$_.txt", port => $nginx->port('page'))->body,
    $nginx->get('/absent/NOTHING.txt', port => $nginx->port('page'))->body,
    "nginx: a denied page, for $_" for qw(GEHEIM Geheim);

my $httpd = httpd(root => $root, modules => [qw(rewrite setenvif)],
    conf => <<'END');
IRIEngine On
IRIMatch case accents
SetEnvIf X-Cs e iri-charset=EUC-JP
<Directory "%%ROOT%%">
    AllowOverride All
</Directory>
<Location "/deny">
    Require all denied
</Location>
END
is $httpd->get("/$_.txt")->header('Vary'), undef, "httpd: no Vary for $_"
    for qw(deny/Arger deny/Absent ht/g/Arger ht/g/Absent);
my $granted = $httpd->get('/ht/o/%C9%BD.txt', headers => ['X-Cs', 'e']);
is $granted->status . ' ' . $granted->header('Vary'), '200 X-Cs',
    'httpd: Vary of a granted target of a redirect';
is_deeply [$nginx->errors, $httpd->errors], [], 'logs';
done_testing;
