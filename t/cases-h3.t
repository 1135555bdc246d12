# Tables of t/cases, and hosts, over HTTP/3, in an nginx that is built with it
# (IRI_NGINX; `make versions`).
use IRI::Test 'nginx';
use IRI::Cases;
use IRI::HTTP3;
use IRI::TLS;

plan skip_all => 'nginx is built without HTTP/3'
    if `@{[ IRI::Nginx->binary ]} -V 2>&1` !~ /http_v3_module/;
my $folder = temp_dir();
my $lack   = IRI::HTTP3::missing() // IRI::TLS::certificate($folder);
plan skip_all => $lack if $lack;

# Targets that the client sends unchanged: no raw octets (see IRI::HTTP3).
my @all = IRI::Cases::load(map { "$FindBin::Bin/cases/$_.tsv" }
    qw(forms identity redirect refuse));
my @cases = grep { $_->{target} =~ m{^/[^#\\ ]*$} && $_->{method} ne 'PUT' }
    @all;
SKIP: {
    skip @all - @cases . ' of ' . @all . ' cases have raw octets, which the'
        . ' client does not send', 1;
}
subtest cases => sub {
    IRI::Cases::run_nginx(\@cases, proto => 'h3', certificate => $folder);
};

my ($root) = make_tree("a/index.html\tfile\ta\nb/index.html\tfile\tb\n");
my $server = nginx(root => $root, conf => <<"END");
ssl_certificate $folder/cert.pem;
ssl_certificate_key $folder/key.pem;
iri on;
iri_host on;
server {
    listen 127.0.0.1:%%PORT%%;
    listen 127.0.0.1:%%PORT%% quic default_server;
    root %%ROOT%%/a;
}
server {
    listen 127.0.0.1:%%PORT%% quic;
    server_name xn--bcher-kva.example;
    root %%ROOT%%/b;
}
END
# The client accepts hosts in ASCII only.
is $server->get('/', host => 'localhost', proto => 'h3')->body, 'a', 'default';
is $server->get('/', host => 'xn--bcher-kva.example', proto => 'h3')->body,
    'b', 'A-labels';
done_testing;
