# README.md: each row of the table of differences, with requests to the stock
# servers and to ours. Its configurations and commands are run by t/guides.t,
# and by "make first-use" as a newcomer would.
use IRI::Test;
use IRI::Guide qw(check_answer parse send_request);

my $text = slurp("$FindBin::Bin/../README.md");
my ($table) = grep { $_->{kind} eq 'table' && $_->{head}[1] eq 'request' }
    parse($text);
ok $table && @{ $table->{rows} } >= 10, 'there is a table';
cmp_ok scalar(split /\n/, $text), '<', 200, 'short enough to be read';

# The names above the table; old/ is in EUC-JP.
my $TREE = <<'END';
\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E.html	file
r\xC3\xA9sum\xC3\xA9.txt	file
Logo.gif	file
index.html	file	another site
old/\xC9\xBD.html	file
\xE7\xA7\x98\xE5\xAF\x86/\xE9\x8D\xB5.html	file
\xD0\xBA\xD0\xB8\xD0\xBD\xD0\xBE/index.html	file
book/index.html	file	B\xC3\xBCcher
END

my %NGINX = (
    stock => ['', 'autoindex on;'],
    iri   => [<<'END', 'iri_filename_charset EUC-JP; iri_listing on;'],
iri on; iri_host on; iri_charset EUC-JP Shift_JIS windows-1252; iri_match case;
END
);
my %HTTPD = (
    stock => ['', ''],
    iri   => [<<'END', "IRIFilenameCharset EUC-JP\nIRIListing On"],
IRIEngine On
IRIHost On
IRICharset EUC-JP Shift_JIS windows-1252
IRIMatch case
END
);

sub nginx_of {
    my ($kind, $root) = @_;
    my ($first, $old) = @{ $NGINX{$kind} };
    return nginx(root => $root, stock => $kind eq 'stock', conf => <<"END");
$first
types { text/html html; }
server {
    listen 127.0.0.1:%%PORT%% default_server;
    root $root;
    location / { dav_methods PUT; }
    location /old/ { $old }
    location /秘密/ { deny all; }
}
server {
    listen 127.0.0.1:%%PORT%%;
    server_name bücher.example;
    root $root/book;
}
END
}

sub httpd_of {
    my ($kind, $root) = @_;
    my ($first, $old) = @{ $HTTPD{$kind} };
    my $server = httpd(root => $root, stock => $kind eq 'stock',
        modules => [qw(dav dav_fs autoindex)], conf => <<"END");
$first
DavLockDB "%%TMP%%/run/lock"
<VirtualHost 127.0.0.1:%%PORT%%>
    DocumentRoot "$root"
    <Directory "$root">
        Dav On
        Require all granted
    </Directory>
    <Directory "$root/old">
        Options Indexes
        $old
    </Directory>
    <Location /秘密/>
        Require all denied
    </Location>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORT%%>
    ServerName bücher.example
    DocumentRoot "$root/book"
</VirtualHost>
END
    chmod 0777, $server->tmp . '/run';
    return $server;
}

for (['stock nginx', \&nginx_of, 'stock', 'stock nginx'],
    ['stock httpd', \&httpd_of, 'stock', 'stock httpd'],
    ['nginx', \&nginx_of, 'iri', 'with iri'],
    ['httpd', \&httpd_of, 'iri', 'with iri'])
{
    my ($name, $start, $kind, $head) = @$_;
    my $lack = missing($name =~ s/.* //r, stock => $kind eq 'stock');
    if ($lack) { diag $lack; next }
    my ($root) = make_tree($TREE);
    system 'chown', '-R', 'www-data', $root if $> == 0;
    my $server   = $start->($kind, $root);
    my ($column) = grep { $table->{head}[$_] eq $head }
        0 .. $#{ $table->{head} };
    for my $row (@{ $table->{rows} }) {
        check_answer(send_request($server, $row->[1], 'raw'), $row->[$column],
            "$name: $row->[0]");
    }
    opendir my $dir, $root or die "$root: $!\n";
    is scalar(grep { /^r.*sum/ } readdir $dir), $kind eq 'stock' ? 2 : 1,
        "$name: files of one name after two uploads";
}

# The output of "iri advise", for the log of the GET requests to stock nginx.
my ($advice) = $text =~ /^\$ iri advise [^\n]*\n(.*?)^```$/ms;
my ($root) = make_tree($TREE);
my $log = temp_dir() . '/access.log';
spew($log, join '', map {
    my ($target) = $_->[1] =~ /^`GET (\S+?)[`,]/;
    my ($status) = $_->[2] =~ /^(\d+)/;
    defined $target ? qq{192.0.2.1 - - [28/Nov/2026:00:00:00 +0000] "GET $target HTTP/1.1" $status 1 "-" "-"\n} : ();
} @{ $table->{rows} });
is +(capture('', build_dir() . '/iri', 'advise', '--root', $root, $log))[1], $advice, 'iri advise';

done_testing;
