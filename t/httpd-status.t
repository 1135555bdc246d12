# httpd: SetHandler iri-status. Each request is counted once, by its form and
# its result, by all children of each MPM, over restarts and after a kill; and
# no text from clients breaks the page, JSON or Prometheus text.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Status qw(counted_for report_cases request_cases
    test_hostile_clients test_page test_reload watch_killed_workers);
use IRI::Test;
use Test::More;

plan skip_all => missing('httpd') if missing('httpd');

my ($root) = make_tree(<<'END');
index.html	file	index
a.txt	file	a
caf\xC3\xA9.txt	file	coffee
Docs/Readme.txt	file	read
moved/\xE8\xA1\xA8.txt	file	table
broken/caf\xC3\xA9.txt	file	coffee
fold/Docs/Readme.txt	file	read
fold301/Docs/Readme.txt	file	read
go/a.txt	file	a
many/Docs/Readme.txt	file	one
many/Docs/README.txt	file	two
list/\xC3\xA9.txt	file	e
list/b.txt	file	b
\xE8\xA1\xA8.txt	file	table
END

my $STATUS = <<'END';
<Location "/status">
    SetHandler iri-status
</Location>
<Location "/denied">
    SetHandler iri-status
    Require all denied
</Location>
END
my $conf = <<'END';
IRIEngine On
IRICharset Shift_JIS EUC-JP windows-1252
IRIQueryCharset Shift_JIS
IRIHost On
ErrorDocument 404 /index.html
<Directory "%%ROOT%%/moved">
    IRIRedirect 301
</Directory>
<Directory "%%ROOT%%/fold">
    IRIMatch case
</Directory>
<Directory "%%ROOT%%/fold301">
    IRIMatch case
    IRIRedirect 308
</Directory>
<Directory "%%ROOT%%/go">
    IRIMatch case
    IRIRedirect 301
    RewriteEngine On
    RewriteRule "^(.*)$" "/fold/Docs/$1"
</Directory>
<Directory "%%ROOT%%/broken">
    IRIRepair double-encoding mojibake
</Directory>
<Directory "%%ROOT%%/many">
    IRIMatch case
    IRIAmbiguous 300
</Directory>
<Directory "%%ROOT%%/list">
    Options +Indexes
    IRIListing On
</Directory>
<VirtualHost 127.0.0.1:%%PORT%%>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTreport%%>
    IRIEngine Report
    <Directory "%%ROOT%%/fold">
        IRIRedirect 301
    </Directory>
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORToff%%>
    IRIEngine Off
</VirtualHost>
END

for my $mpm (qw(event prefork)) {
    subtest $mpm => sub {
        my $server = httpd(root => $root, conf => $conf . $STATUS,
            mpm => $mpm, modules => ['autoindex', 'rewrite']);
        request_cases($server, sub { $_[0] });
        like counted_for($server, '/many/docs/readme.TXT'),
            qr/^answers\.choose=1 forms\.ascii=1/,
            'subrequests of candidates are not counted';
        is counted_for($server, '/go/README.TXT'),
            'answers.moved=1 forms.ascii=1 matches.case=1 redirects.301=1',
            'a plain path that a rule of a directory changes';
        report_cases($server);
        test_page($server);
        test_hostile_clients($server);
        my $requests = test_reload($server);
        watch_killed_workers($server, $requests, 8, 0.3);
        is_deeply [$server->errors(ignore => qr/exit signal Killed/)], [],
            'log';
        $server->stop;
    };
}

# ---- off ----------------------------------------------------------------------

my $server = httpd(root => $root, conf => $conf, log_level => 'info',
    modules => ['rewrite']);
is $server->get('/%95%5c.txt')->status, 200,
    'without the handler requests are served';
is $server->get('/status')->status, 404, 'there is no page';
$server->stop;

done_testing;
