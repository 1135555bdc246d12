# httpd: X-Sendfile of an application names a file in NFC; mod_xsendfile gets
# the octets on disk, in NFD or a legacy charset.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Octets 'percent';
use IRI::Test;
use Test::More;

plan skip_all => missing('httpd') if missing('httpd');
my $modules = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
plan skip_all => 'no mod_xsendfile (libapache2-mod-xsendfile)'
    if !-e "$modules/mod_xsendfile.so";

my ($root) = make_tree("app.cgi\tfile\n");
spew("$root/app.cgi", <<'END');
#!/usr/bin/perl
my $path = $ENV{QUERY_STRING} =~ s/%(..)/chr hex $1/ger;
print "Content-Type: text/plain\nX-Sendfile: $path\n\nno file";
END
chmod 0755, "$root/app.cgi";
my ($files) = make_tree([qw(plain.txt=plain café.txt=composed
    re\xCC\x81.txt=decomposed Two.txt=capital bothé=NFC bothe\xCC\x81=NFD
    100%é=percent 100%e\xCC\x81b=percent de\xCC\x81/x.txt=below sub/é/y.txt=y
    old/\x95\x5C.txt=legacy old/ascii.txt=ascii Éxact=capital
    nfc/é.txt=declared)]);
my ($other) = make_tree("e\\xCC\\x81.txt\tfile\tsecret\n");

my $server = httpd(root => $root, modules => [qw(cgid xsendfile)],
    log_level => 'crit', conf => <<"END");
IRIEngine On
IRIMatch case spelling
<Directory "$root">
    Options +ExecCGI
    AddHandler cgi-script .cgi
</Directory>
<Directory "$files/old">
    IRIFilenameCharset Shift_JIS
</Directory>
<Directory "$files/nfc">
    IRIMatch exact
    IRIFilenameForm nfc
</Directory>
XSendFilePath "$files"
<VirtualHost 127.0.0.1:%%PORT%%>
    XSendFile On
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
    XSendFile On
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTnone%%>
</VirtualHost>
END

sub sent {
    my ($path, @option) = @_;
    my $answer = $server->get('/app.cgi?' . percent($path), @option);
    return $answer->status == 200 ? $answer->body : $answer->status;
}

for (['plain.txt', 'plain'], ["caf\xC3\xA9.txt", 'composed'],
    ["cafe\xCC\x81.txt", 'composed', 'NFD'],
    ["r\xC3\xA9.txt", 'decomposed'], ["re\xCC\x81.txt", 'decomposed'],
    ["d\xC3\xA9/x.txt", 'below'], ["both\xC3\xA9", 'NFC'],
    ["bothe\xCC\x81", 'NFD'], ["old/\xE8\xA1\xA8.txt", 'legacy'],
    ["old/\x95\\.txt", 'legacy'], ['old/ascii.txt', 'ascii'],
    ["nfc/e\xCC\x81.txt", 'declared'], ["nfc/\xC3\xA9.txt", 'declared', 'NFC'],
    ["100%\xC3\xA9", 'percent'], ["100%\xC3\xA9b", 404, 'a percent sign'],
    ['two.txt', 404, 'case'], ["\xC3\xA9xact", 404, 'case'],
    ["caf\xC3\xA8.txt", 404, 'spelling'], ["ab\xC3\xA9.txt", 404, 'absent'],
    ["r\xC3\xA9.txt/", 404, 'no directory'],
    ["sub/../r\xC3\xA9.txt", 404, 'dot-segments'],
    ["//r\xC3\xA9.txt", 404, 'empty segments'],
    ["r\xE9.txt", 404, 'not UTF-8'])
{
    my ($name, $want, $about) = @$_;
    is sent("$files/$name"), $want, join ': ', escaped($name), $about // ();
}
is sent("$other/\xC3\xA9.txt"), 404, 'not below XSendFilePath';
is sent("$files/../" . ($other =~ s{.*/}{}r) . "/\xC3\xA9.txt"), 404,
    'not above it';
is sent("r\xC3\xA9.txt"), 404, 'a relative path stays';
is sent("$files/r\xC3\xA9.txt", port => $server->port('off')), 404,
    'IRIEngine Off';
is sent("$files/re\xCC\x81.txt", port => $server->port('off')), 'decomposed',
    'the octets with IRIEngine Off';
is sent("$files/r\xC3\xA9.txt", port => $server->port('none')), 'no file',
    'XSendFile Off';
is $server->get("/app.cgi?" . percent("$files/r\xC3\xA9.txt"))
    ->header('X-Sendfile'), undef, 'the field is not sent';

is_deeply [grep { !/xsendfile/ } $server->errors], [], 'error log';
done_testing;
