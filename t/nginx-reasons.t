# nginx: one log line a request, with a code for each reason, as in
# doc/reasons.md, for performed and for reported actions.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Reasons 'reason_cases';
use IRI::Test;
use IRI::Octets qw(escaped);
use Test::More;

plan skip_all => missing('nginx') if missing('nginx');

my ($root) = make_tree(<<'END');
index.html	file	index
plain.txt	file	plain
caf\xC3\xA9.txt	file	coffee
e\xCC\x81.txt	file	nfd
Docs/Readme.txt	file	one
Docs/README.txt	file	two
Docs/Guide.txt	file	guide
\xE8\xA1\xA8.txt	file	table
\xE3\x80\x9C.txt	file	wave
euc/\xC9\xBD.txt	file	euc
euc/\xC9\xBD/\xC9\xBD.txt	file	below
END

mkdir "$root/closed", 0755;
chmod 0311, "$root/closed";

my $places = <<'END';
    error_page 404 /index.html;
    location /fold/ { alias %%ROOT%%/; iri_match normalization case spelling; }
    location /euc/ { iri_filename_charset EUC-JP; }
    location /ascii/ { alias %%ROOT%%/euc/; iri_filename_charset EUC-JP; }
    location /list/ { alias %%ROOT%%/closed/; iri_listing on; }
    location /nfc/ { alias %%ROOT%%/; iri_filename_form nfc; }
    location /to/ { return 302 http://-%%U%%-.example/; }
    location /convert { return 200 "$c"; }
END
$places =~ s/%%U%%/\xC3\xBC/;
my $server = nginx(root => $root, log_level => 'info', conf => <<"END");
iri_charset Shift_JIS EUC-JP;
iri_query_charset Shift_JIS nfc;
map \$arg_c \$list { default ""; ~. \$arg_c; }
iri_convert \$c nfc \$http_x;
server {
    listen 127.0.0.1:%%PORT%%;
    root %%ROOT%%;
    iri on;
    iri_host on;
$places
}
server {
    listen 127.0.0.1:%%PORTreport%%;
    root %%ROOT%%;
    iri report;
    iri_host on;
$places
}
server {
    listen 127.0.0.1:%%PORTstrict%%;
    root %%ROOT%%;
    iri on;
    iri_host strict;
}
server {
    listen 127.0.0.1:%%PORTpass%%;
    root %%ROOT%%;
    iri report;
    iri_invalid pass;
}
server {
    listen 127.0.0.1:%%PORTclient%%;
    root %%ROOT%%;
    iri on;
    iri_charset \$list;
}
END

reason_cases($server,
    ours => qr/\[(?:info|error|crit)\].*iri: /,
    form => qr/^\S+\ \S+\ \[(?:info|error)\]\ \d+\#\d+:\ \*\d+\ iri:\ [ -~]+,
        \ reason=([-a-z0-9]+(?:,[-a-z0-9]+)*),\ client:\ /x,
    after => 'client',
    host => \&IRI::Nginx::sent_host,
    paths => [
        [listing  => '/list/'],
        [function => '/convert', headers => ['X', "\xFF"]],
        [charsets => '/caf%C3%A9?c=klingon', port => $server->port('client')],
        [location => '/to/x'],
    ],
    mapped => 'found,host-mapped,query-read',
    absent => [qw(indexes decoded rule restart multistatus)]);

done_testing;
