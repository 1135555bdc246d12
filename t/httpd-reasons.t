# httpd: one log line a request, with a code for each reason, as in
# doc/reasons.md, for performed and for reported actions.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Reasons 'reason_cases';
use IRI::Test;
use IRI::Octets qw(escaped);
use Test::More;

plan skip_all => missing("httpd") if missing("httpd");

my ($root) = make_tree(<<'END');
index.html	file	index
plain.txt	file	plain
convert	file	convert
caf\xC3\xA9.txt	file	coffee
\xE8\xA1\xA8.txt	file	table
\xE3\x80\x9C.txt	file	wave
fold/plain.txt	file	plain
fold/Docs/Readme.txt	file	one
fold/Docs/README.txt	file	two
noindex/a.txt	file	a
nfc/caf\xC3\xA9.txt	file	coffee
euc/\xC9\xBD.txt	file	euc
euc/\xC9\xBD/\xC9\xBD.txt	file	below
END

mkdir "$root/closed", 0755;
chmod 0311, "$root/closed";

my $server = httpd(root => $root, log_level => 'warn iri:info',
    modules => ['rewrite', 'setenvif', 'autoindex', 'headers'],
    conf => <<'END' =~ s/%%U%%/\xC3\xBC/r);
IRIEngine On
IRIHost On
IRICharset Shift_JIS EUC-JP
IRIQueryCharset Shift_JIS nfc
RewriteEngine On
RewriteMap nfc int:iri.nfc
RewriteCond "${nfc:%{HTTP:X}}" .
RewriteRule "^/convert$" "-" [E=x:1]
RewriteRule "^/to/" "http://-%%U%%-.example/" [R=302,NE,L]
SetEnvIf X "klingon" iri-charset=klingon
ErrorDocument 404 /index.html
<Directory "%%ROOT%%/fold">
    IRIMatch normalization case spelling
</Directory>
<Directory "%%ROOT%%/euc">
    IRIFilenameCharset EUC-JP
</Directory>
<Directory "%%ROOT%%/nfc">
    IRIFilenameForm nfc
</Directory>
<Directory "%%ROOT%%/closed">
    Options +Indexes
    IRIListing On
</Directory>
<Directory "%%ROOT%%/noindex">
    IRIListing On
</Directory>
<VirtualHost 127.0.0.1:%%PORT%%>
    RewriteEngine On
    RewriteOptions Inherit
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine Report
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTstrict%%>
    IRIHost Strict
</VirtualHost>
END

reason_cases($server,
    ours => qr/\[iri:\w+\].*iri: /,
    form => qr/^\[.*?\]\ \[iri:(?:info|error)\]\ .*?\ iri:\ [ -~]+,
        \ reason=([-a-z0-9]+(?:,[-a-z0-9]+)*),\ request\ "[!-~]+"$/x,
    after => 'request',
    host => sub { $_[0] },
    paths => [
        [listing  => '/closed/'],
        [indexes  => '/noindex/'],
        [function => '/convert', headers => ['X', "\xFF"]],
        [charsets => '/caf%C3%A9', headers => ['X', 'klingon']],
        [location => '/to/x'],
    ],
    mapped => 'host-mapped',
    absent => [qw(decoded rule multistatus)]);

done_testing;
