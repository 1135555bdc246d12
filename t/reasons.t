# One log line a request, with a code for each reason, as in doc/reasons.md, for
# performed and for reported actions, on both servers.
use IRI::Test;

for (['nginx', \&on_nginx], ['httpd', \&on_httpd]) {
    my ($name, $run) = @$_;
    subtest $name => sub {
        plan skip_all => missing($name) if missing($name);
        $run->();
    };
}
done_testing;

sub on_nginx {
    my ($root) = make_tree([qw(index.html=index plain.txt=plain café.txt=coffee
        e\xCC\x81.txt=nfd Docs/Readme.txt=one Docs/README.txt=two
        Docs/Guide.txt=guide 表.txt=table \xE3\x80\x9C.txt=wave euc/ɽ.txt=euc
        euc/ɽ/ɽ.txt=below)]);

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
        form => qr/^\S+\ \S+\ \[(?:info|error)\]\ \d+\#\d+:\ \*\d+\ iri:
            \ [ -~]+,\ reason=([-a-z0-9]+(?:,[-a-z0-9]+)*),\ client:\ /x,
        after => 'client',
        host => \&IRI::Nginx::sent_host,
        paths => [
            [listing  => '/list/'],
            [function => '/convert', headers => ['X', "\xFF"]],
            [charsets => '/caf%C3%A9?c=klingon',
                port => $server->port('client')],
            [location => '/to/x'],
        ],
        mapped => 'found,host-mapped,query-read',
        absent => [qw(indexes decoded rule restart multistatus)]);
    return;
}

sub on_httpd {
    my ($root) = make_tree([qw(index.html=index plain.txt=plain convert=convert
        café.txt=coffee 表.txt=table \xE3\x80\x9C.txt=wave fold/plain.txt=plain
        fold/Docs/Readme.txt=one fold/Docs/README.txt=two noindex/a.txt=a
        nfc/café.txt=coffee euc/ɽ.txt=euc euc/ɽ/ɽ.txt=below)]);

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
    return;
}

# Tests the log lines of a server that has the trees and settings of
# on_nginx() or on_httpd(). Options:
#
#   ours      a pattern of our lines in the log
#   form      a pattern of the whole line, with the codes as $1
#   after     the word after the codes
#   host      a function that encodes a host for the server
#   paths     further cases: [codes, target, options of the request]
#   mapped    codes of a mapped host with a path and a query (report)
#   absent    codes that only the other server logs
sub reason_cases {
    my ($server, %arg) = @_;
    my %seen;

    # The lines of a request, without those of the server itself.
    my $lines = sub {
        my ($target, %option) = @_;
        my $before = length $server->settled_log;
        my $method = delete $option{method} // 'GET';
        $option{host} = $arg{host}->($option{host}) if $option{host};
        $server->request($method, $target, %option);
        return grep { $_ =~ $arg{ours} } split /\n/,
            substr $server->settled_log, $before;
    };
    my $line_is = sub {
        my ($reasons, $target, %option) = @_;
        my @lines = $lines->($target, %option);
        my $name = "$reasons: " . escaped($target);
        is @lines, 1, "one line: $name" or diag join "\n", @lines;
        my ($got) = ($lines[0] // '') =~ $arg{form};
        is $got, $reasons, $name or diag $lines[0] // '';
        $seen{$_} = 1 for split /,/, $got // '';
        return $lines[0] // '';
    };

    my @report = (port => $server->port('report'));
    is_deeply [$lines->('/plain.txt')],          [], 'no line for ASCII';
    is_deeply [$lines->('/caf%C3%A9.txt')],      [], 'nor for a canonical path';
    is_deeply [$lines->('/plain.txt', @report)], [], 'report: no line either';

    # paths

    $line_is->(folded      => '/fold/PLAIN.TXT');
    $line_is->(ambiguous   => '/fold/docs/readme.TXT');
    $line_is->(ambiguous   => '/fold/Docs/readme.txt');
    $line_is->(spelling    => '/fold/plan.txt');
    $line_is->(further     => '/euc/%C9%BD/%C9%BD.txt');
    $line_is->(unwritable  => '/euc/%E2%82%AC.txt');
    $line_is->(unreadable  => '/%FF');
    $line_is->(bidi        => "/a\xE2\x80\xAE");
    $line_is->(limit       => '/%E8%A1%A8' x 200);
    $line_is->(found       => '/caf%C3%A9.txt', @report);
    $line_is->(found       => '/%95%5c.txt', @report);
    $line_is->(absent      => '/%C3%A9', @report);
    $line_is->(variant     => '/%EF%BD%9E.txt', @report);
    $line_is->(folded      => '/fold/PLAIN.TXT', @report);
    $line_is->(spelling    => '/fold/plan.txt', @report);
    $line_is->(ambiguous   => '/fold/docs/readme.TXT', @report);
    $line_is->(unwritable  => '/euc/%E2%82%AC.txt', @report);
    $line_is->(declared    => '/nfc/caf%C3%A9.txt', @report);
    $line_is->(unreadable  => '/%FF', @report);
    $line_is->(bidi        => "/a\xE2\x80\xAE", @report);
    $line_is->(limit       => '/%E8%A1%A8' x 200, @report);

    # hosts

    my %host = ('host-octets' => "b\xFC.example", 'host-escape' => 'b%zz',
        'host-character' => 'a%C3%BC%2Fb', 'host-hyphen' => "-\xC3\xBC-",
        'host-mark' => "\xCC\x81a", 'host-bidi' => "\xD7\x90a\xD7\x90.1a",
        'host-joiner' => "a\xE2\x80\x8Db", 'host-alabel' => "xn--\xC3\xBC",
        'host-address' => '127.0.0.%31', 'host-limit' => "\xC3\xBC" x 300);
    for my $code (sort keys %host) {
        my @lines = $lines->('/plain.txt', host => $host{$code});
        is @lines, 1, "one line: $code";
        like $lines[0] // '', qr/, reason=host-[a-z0-9]+, $arg{after}/, $code;
        my ($got) = ($lines[0] // '') =~ $arg{form};
        $seen{ $got // '' } = 1;
    }
    $line_is->('host-mapped' => '/plain.txt', @report,
        host => "b\xC3\xBC.example");
    $line_is->('host-idna2008' => '/plain.txt', host => "\xE2\x98\x95.example",
        port => $server->port('strict'));
    $line_is->($arg{mapped} => '/caf%C3%A9.txt?q=%95%5c', @report,
        host => "b\xC3\xBC.example");

    # queries

    $line_is->('query-read'       => '/plain.txt?q=%95%5c', @report);
    $line_is->('query-unreadable' => '/plain.txt?q=%95%ff', @report);
    $line_is->('query-normalized' => '/plain.txt?q=e%CC%81', @report);
    $line_is->('query-limit'      => '/plain.txt?q=' . '%83%5C' x 911, @report);
    my $line = $line_is->('found,query-read' => '/caf%C3%A9.txt?q=%95%5c',
        @report);
    like $line,
        qr/report: would serve .*; would convert the query "q=%E8%A1%A8": /,
        'path and query in one';

    $line_is->(@$_) for @{ $arg{paths} };

    # hostile

    for my $target ('/%0A%0D%1B[31m%C3%A9"\\', '/%22,%20reason=found%C3%A9',
        '/' . "\xC3\xA9" x 480, '/fold/PLAIN.TXT' . '%FF' x 100,
        '/%95%5c?' . "\"\\\x7F\xFF" x 100)
    {
        my @lines = $lines->($target, @report);
        cmp_ok scalar(@lines), '<=', 1,
            'one line: ' . escaped(substr $target, 0, 40);
        like $_, $arg{form}, 'in form' for @lines;
    }
    # Each code that can occur here has occurred; the others are listed.
    my %other = map { $_ => 1 }
        # codes of requests that are served unchanged, without a line
        qw(none ascii canonical read), qw(host-ascii host-literal query-ascii),
        'query-utf8',
        # codes that need a setting or a failure, in other tests
        qw(mixed repaired below twin other-tree unnamed other-name forbidden
        budget error cache destination certificate host-empty host-wildcard),
        @{ $arg{absent} };
    my $doc = slurp("$FindBin::Bin/../doc/reasons.md");
    my @codes = $doc =~ /^\| `([-a-z0-9]+)` \|/mg;
    cmp_ok scalar(@codes), '>', 50, 'codes in doc/reasons.md';
    is_deeply [grep { !$seen{$_} && !$other{$_} } @codes], [],
        'each code that can occur has occurred';
    return;
}
