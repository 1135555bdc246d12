# nginx: checks of the module that no other test covers, found by weakening each
# (make mutants-servers).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

plan skip_all => missing('nginx') if missing('nginx');

# U+00E9, and U+8868 as EUC-JP writes it.
my ($root) = make_tree(<<'END');
\xC3\xA9/x.txt	file	denied
open/a.txt	file	A
sub/yes	file	B
\xC9\xBD	file	C
END
chmod 0777, "$root/$_" or die for qw(open sub);

my $server = nginx(root => $root, conf => <<"END");
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    dav_methods COPY;
    rewrite ^/nfd\$ "/e\xCC\x81/x.txt";
    location / { }
    location /\xC3\xA9/ { deny all; }
    location /from/ { rewrite ^/from/(.*)\$ /open/\$1 last; }
    location /sub/ { set \$wanted \$uri; auth_request /verdict; }
    location = /verdict {
        internal;
        if (\$wanted = /sub/yes) { return 204; }
        return 403;
    }
}
server {
    listen 127.0.0.1:%%PORTcircle%%;
    root %%ROOT%%;
    iri on;
    iri_filename_charset EUC-JP;
    location / {
        add_header X-Path \$uri always;
        try_files /none /\xE8\xA1\xA8;
    }
}
END

# ---- the location of a path that a rule of the server made -------------------

is $server->get('/%C3%A9/x.txt')->status, 403, 'denied';
is $server->get('/nfd')->status, 403,
    'a rewrite of the server to another form of a denied path';

# ---- COPY: what was granted to the source is not to the Destination ----------

sub copy {
    my ($source, $destination) = @_;
    return $server->request('COPY', $source,
        headers => [Destination => $destination])->status;
}

SKIP: {
    skip 'no auth_request', 3 if $server->get('/sub/yes')->status != 200;
    is $server->get('/sub/no')->status, 403, 'denied by a subrequest';
    is copy('/sub/yes', '/sub/no'), 403, 'so for a Destination';
    is copy('/sub/yes', '/open/b.txt'), 204, 'not for another one';
}
is copy('/from/a.txt', '/open/c.txt'), 204, 'a source that a rewrite made';

# ---- try_files that goes round in a circle -----------------------------------

my $circle = $server->get('/%E8%A1%A8', port => $server->port('circle'));
is $circle->status, 500, 'round in a circle';
is $circle->header('X-Path'), "/\xE8\xA1\xA8", 'headers see no name on disk';

my @errors = $server->errors;
is_deeply \@errors, [], 'nothing unexpected in the log';
done_testing;
