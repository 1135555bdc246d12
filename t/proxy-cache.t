# A cache whose key is the canonical URI: all forms of a request have one entry,
# which a request in any form renews, also if the page is gone: the recipe of
# doc/examples/recipes.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my %skip = map { $_ => scalar missing($_) } qw(nginx httpd);
plan skip_all => join ', ', values %skip if !grep { !$_ } values %skip;

my @FORMS = ('/b/caf%E9', '/b/caf%C3%A9', '/b/cafe%CC%81', "/b/caf\xC3\xA9");
my $tmp   = temp_dir();
system 'chown', 'www-data', $tmp if $> == 0;
chmod 0755, $tmp;

# Asks for the page in all forms; in one form with the field that renews.
sub asked {
    my ($server, @renew) = @_;
    return join ' ', map { $_->status == 200 ? $_->body : $_->status }
        map { $server->get($_, headers => [@renew]) } @renew ? $FORMS[2]
        : @FORMS;
}

sub check {
    my ($kind, $server, $root, @renew) = @_;
    my $page = "$root/b/caf\xC3\xA9";
    is asked($server), 'one one one one', "$kind: the page";
    spew($page, 'two');
    is asked($server), 'one one one one', "$kind: one entry for all forms";
    is asked($server, @renew), 'two', "$kind: renewed";
    is asked($server), 'two two two two', "$kind: for all forms";
    unlink $page;
    is asked($server), 'two two two two', "$kind: the page is gone";
    is asked($server, @renew), '404', "$kind: renewed";
    is asked($server), '404 404 404 404', "$kind: for all forms";
    is_deeply [grep { !/No such file/ } $server->errors], [], "$kind: log";
    return;
}

SKIP: {
    skip $skip{nginx}, 1 if $skip{nginx};
    my ($root) = make_tree("b/caf\\xC3\\xA9\tfile\tone\n");
    my $server = nginx(root => $root, conf => <<"END");
proxy_cache_path $tmp/nginx keys_zone=pages:1m;
map "\$remote_addr \$http_x_refresh" \$refresh { "127.0.0.1 1" 1; }
server {
    listen 127.0.0.1:%%PORT%%;
    iri on;
    iri_charset windows-1252;
    iri_match exact;
    location / {
        proxy_pass http://127.0.0.1:%%PORTback%%\$iri_uri?\$iri_query;
        proxy_cache pages;
        proxy_cache_key \$host\$iri_uri?\$iri_query;
        proxy_cache_valid 200 10m;
        proxy_cache_valid 404 1s;
        proxy_cache_bypass \$refresh;
    }
}
server { listen 127.0.0.1:%%PORTback%%; root %%ROOT%%; }
END
    check('nginx', $server, $root, 'X-Refresh', 1);
}

SKIP: {
    skip $skip{httpd}, 1 if $skip{httpd};
    my ($root) = make_tree("b/caf\\xC3\\xA9\tfile\tone\n");
    my $server = httpd(root => $root, log_level => 'error',
        modules => [qw(proxy proxy_http cache cache_disk headers)],
        conf => <<"END");
<VirtualHost 127.0.0.1:%%PORT%%>
    IRIEngine On
    IRICharset windows-1252
    IRIMatch exact
    ProxyPass "/" "http://127.0.0.1:%%PORTback%%/"
    CacheQuickHandler Off
    CacheRoot "$tmp/httpd"
    CacheEnable disk "/"
    CacheDefaultExpire 600
    CacheIgnoreNoLastMod On
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTback%%>
    Header set Cache-Control max-age=600
</VirtualHost>
END
    mkdir "$tmp/httpd";
    chmod 0777, "$tmp/httpd";
    check('httpd', $server, $root, 'Cache-Control', 'max-age=0');
}

done_testing;
