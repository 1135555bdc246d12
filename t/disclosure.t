# Denied names disclose nothing: below a denied directory an absent name gets
# the same answer as an existing one, in every form of the path, and a new name
# is created in the intended directory, if that is allowed.
use strict;
use warnings;
use Encode ();
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my $missing = missing('nginx') // missing('httpd');
plan skip_all => $missing if $missing;

# The UTF-8 text in a charset, percent-encoded.
sub in_charset {
    my ($charset, $text) = @_;
    my $octets = Encode::encode($charset, Encode::decode('UTF-8', $text));
    return $octets =~ s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ger;
}

sub tree {
    my ($root) = make_tree("\@charset EUC-JP\n" . join '',
        map { escaped($_) . "\tfile\n" } qw(/い/x.txt /上/x.txt));
    system 'chown', '-R', 'www-data', $root if $> == 0;
    return $root;
}

my %server = (
    nginx => nginx(root => tree(), conf => <<'END'),
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_charset Shift_JIS EUC-JP;
    iri_filename_charset EUC-JP;
    dav_methods PUT;
    location "/い/" { deny all; }
}
END
    httpd => httpd(root => tree(), modules => [qw(dav dav_fs)],
        conf => <<'END'));
IRIEngine On
IRICharset Shift_JIS EUC-JP
IRIFilenameCharset EUC-JP
DavLockDB "%%TMP%%/run/lock"
<Directory "%%ROOT%%">
    Dav On
</Directory>
<Location "/い">
    Require all denied
</Location>
END

chmod 0777, $server{httpd}->tmp . '/run';   # for the locks of mod_dav_fs

for my $name (sort keys %server) {
    my $server = $server{$name};
    for my $charset (qw(UTF-8 cp932 euc-jp)) {
        for my $leaf (qw(x.txt none.txt 無.txt none/none.txt)) {
            my $target = in_charset($charset, "/い/$leaf");
            is $server->get($target)->status, 403, "$name: GET $target";
        }
        # The tree cannot encode this name, but after a file that is not
        # necessary.
        for my $leaf (qw(x.txt none.txt 無.txt none/none.txt), '') {
            next if $charset ne 'UTF-8';
            my $target = in_charset($charset, "/い/$leaf/한");
            is $server->get($target)->status, 403, "$name: GET $target";
            $target = in_charset($charset, "/上/$leaf/한");
            is $server->get($target)->status, 404, "$name: GET $target";
        }
        my $target = in_charset($charset, "/上/$charset.txt");
        is $server->request('PUT', $target, body => 'new')->status, 201,
            "$name: PUT $target";
        is $server->get(in_charset('UTF-8', "/上/$charset.txt"))->body, 'new',
            "$name: the file exists";
        is $server->request('PUT', in_charset($charset, '/い/n.txt'),
            body => 'n')
            ->status, 403, "$name: no file in a denied directory ($charset)";
    }
    is_deeply [$server->errors], [], "$name: error log";
}

done_testing;
