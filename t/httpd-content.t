# httpd: content handlers with a found file: index, negotiation, programs,
# includes, error documents and listings, over names that are EUC-JP on disk.
use IRI::Test 'httpd';
use IRI::Octets qw(euc percent);

# The forms in which every case is requested.
sub forms { return (utf8 => percent($_[0]), euc => percent(euc($_[0]))) }

my ($root) = make_tree("\@charset EUC-JP\n" . join '',
    map { "$_\tfile\n" } map { escaped($_) } qw(
        索引/索引.html 交渉/案内.html.en 交渉/案内.html.ja 交渉/版.1.html 混/案内.html
        誤り/無.html 一覧/見える.txt 一覧/隠す.txt 含/部品.txt
    ));

# A file with its own octets as content, by its name in UTF-8.
sub put {
    my ($name, $octets, $mode) = @_;
    spew("$root/" . euc($name), $octets);
    chmod $mode // 0644, "$root/" . euc($name);
    return;
}

put('含/外.shtml', '<!--#include file="部品.txt" -->');
put('含/仮.shtml', '<!--#include virtual="/含/部品.txt" -->');
put('含/環.shtml', '<!--#echo var="IRI_PATH" -->');
put('含/寸.shtml', '<!--#fsize file="部品.txt" -->');
put('含/古.shtml', '<!--#include virtual="' . euc('/含/部品.txt') . '" -->');
put('含/拒.shtml', '<!--#include virtual="/誤り/秘.txt" -->');
put('誤り/秘.txt', "secret\n");
put('含/別.shtml', '<!--#include virtual="/a.cgi" -->');
mkdir "$root/" . euc('算');
put('算/計.cgi', <<'END', 0755);
#!/bin/sh
printf 'Content-Type: text/plain\n\n'
for v in SCRIPT_NAME PATH_INFO PATH_TRANSLATED SCRIPT_FILENAME REQUEST_URI \
    IRI IRI_PATH IRI_URI IRI_FORM IRI_CHARSET IRI_MATCH IRI_FILENAME \
    IRI_PATH_INFO
do eval "printf '%s=%s\n' $v \"\$$v\""; done
END
put('算/a.cgi', slurp("$root/" . euc('算/計.cgi')), 0755);
spew("$root/a.cgi", slurp("$root/" . euc('算/計.cgi')));
chmod 0755, "$root/a.cgi";

my $server = httpd(
    root    => $root,
    modules => [qw(negotiation include cgid autoindex env)],
    conf    => <<'END');
IRIEngine On
IRICharset EUC-JP
IRIFilenameCharset EUC-JP
AddLanguage en .en
AddLanguage ja .ja
ErrorDocument 404 /誤り/無.html
DirectoryIndex 索引.html
AddHandler cgi-script .cgi
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
<Directory "%%ROOT%%">
    Options +MultiViews +ExecCGI +Includes +Indexes
</Directory>
<Directory "%%ROOT%%/混">
    IRIFilenameCharset UTF-8 EUC-JP
</Directory>
<Location "/誤り/秘.txt">
    Require all denied
</Location>
<Location "/一覧/隠す.txt">
    Require all denied
</Location>
END

# Sends requests in all forms; the body must equal a string of octets or match
# a pattern.
sub request_all_forms {
    my ($path, $status, $body, $test_name, %option) = @_;
    my %form = forms($path);
    my $last;
    for my $form (sort keys %form) {
        $last = $server->get($form{$form}, %option);
        is $last->status, $status, "$test_name, $form: status";
        ref $body
            ? like($last->body, $body, "$test_name, $form")
            : is($last->body, $body, "$test_name, $form")
            if defined $body;
    }
    return $last;
}

request_all_forms('/索引/', 200, escaped(euc '索引/索引.html'), 'DirectoryIndex');
my $answer = request_all_forms('/索引', 301, undef, 'slash redirect');
like $answer->header('Location'), qr{^http://[^/]+/%e7%b4%a2%e5%bc%95/$}i,
    'slash redirect is canonical';

$answer = request_all_forms('/交渉/案内', 200, escaped(euc '交渉/案内.html.ja'),
    'MultiViews', headers => ['Accept-Language' => 'ja']);
is $answer->header('Content-Location'), percent('案内.html.ja'),
    'Content-Location is canonical';
request_all_forms('/交渉/案内.html', 200, escaped(euc '交渉/案内.html.en'),
    'MultiViews with a suffix', headers => ['Accept-Language' => 'en']);
request_all_forms('/交渉/版.1', 200, escaped(euc '交渉/版.1.html'),
    'MultiViews with a dot');

request_all_forms('/混/案内', 200, escaped(euc '混/案内.html'),
    'MultiViews in the second charset of the tree');

# CGI: the variables of the program.
sub program_variables { return { $_[0]->body =~ /^(\w+)=(.*)$/mg } }
for my $form (['utf8', sub { $_[0] }], ['euc', \&euc]) {
    my ($name, $code) = @$form;
    my $target = percent($code->('/算/計.cgi/後/ろ')) . '?q=%E9';
    my $variables   = program_variables($server->get($target));
    is $variables->{SCRIPT_NAME}, '/算/計.cgi', "CGI, $name: SCRIPT_NAME";
    is $variables->{PATH_INFO}, '/後/ろ', "CGI, $name: PATH_INFO";
    is $variables->{SCRIPT_FILENAME}, "$root/" . euc('算/計.cgi'),
        "CGI, $name: SCRIPT_FILENAME is on disk";
    is $variables->{REQUEST_URI}, $target, "CGI, $name: REQUEST_URI as sent";
    is $variables->{IRI_PATH}, '/算/計.cgi/後/ろ', "CGI, $name: IRI_PATH";
    is $variables->{IRI_URI}, percent('/算/計.cgi/後/ろ'), "CGI, $name: IRI_URI";
    is $variables->{IRI}, 'http://localhost/算/計.cgi/後/ろ?q=%E9',
        "CGI, $name: IRI";
    is $variables->{IRI_FORM}, $name eq 'euc' ? 'legacy' : 'escaped',
        "CGI, $name: IRI_FORM";
    is $variables->{IRI_CHARSET}, $name eq 'euc' ? 'EUC-JP' : 'UTF-8',
        "CGI, $name: IRI_CHARSET";
    is $variables->{IRI_MATCH}, 'charset', "CGI, $name: IRI_MATCH";
    is $variables->{IRI_FILENAME}, "$root/" . euc('算/計.cgi'),
        "CGI, $name: IRI_FILENAME";
    is $variables->{IRI_PATH_INFO}, '/後/ろ', "CGI, $name: IRI_PATH_INFO";
    $variables = program_variables($server->get(percent($code->('/算/a.cgi/交渉/版.1.html'))));
    is $variables->{PATH_TRANSLATED}, "$root/" . euc('交渉/版.1.html'),
        "CGI, $name: PATH_TRANSLATED is on disk";
}
my $variables = program_variables($server->get('/a.cgi/x'));
is $variables->{IRI_FORM}, 'ascii', 'CGI, ASCII: IRI_FORM';
is $variables->{IRI_PATH}, '/a.cgi/x', 'CGI, ASCII: IRI_PATH';
is $variables->{IRI_CHARSET}, '', 'CGI, ASCII: no IRI_CHARSET';
is $variables->{IRI_PATH_INFO}, '/x', 'CGI, ASCII: IRI_PATH_INFO';

# SSI: names in a page, for any charset of the page.
my $part = escaped(euc '含/部品.txt');
request_all_forms('/含/外.shtml', 200, $part, 'SSI file');
request_all_forms('/含/仮.shtml', 200, $part, 'SSI virtual');
request_all_forms('/含/古.shtml', 200, $part, 'SSI virtual in EUC-JP');
request_all_forms('/含/環.shtml', 200, '/含/環.shtml', 'SSI echo');
my $size = length $part;
request_all_forms('/含/寸.shtml', 200, qr/^ *$size *$/, 'SSI fsize');
request_all_forms('/含/別.shtml', 200, qr{^IRI_PATH=/a\.cgi$}m, 'SSI');
request_all_forms('/含/拒.shtml', 200, qr/error/, 'SSI: denied by <Location>');

# Error documents, and refusals that do not loop.
my $none = escaped(euc '誤り/無.html');
request_all_forms('/無い', 404, $none, 'ErrorDocument');
is $server->get('/%FF')->body, $none, 'ErrorDocument of a refused path';
my $client = $server->client;
is $client->request({ target => '/%FF' })->status, 404, 'refused';
ok $client->{persistent}, 'the connection is kept after a refusal';

# A denied name is not listed, even if it was requested by its octets.
my $list = $server->get(percent('/一覧/'))->body;
my ($seen, $hidden) = map { lc percent(euc $_) } '見える.txt', '隠す.txt';
like lc $list,   qr/\Q$seen\E/,   'a listing shows accessible entries';
unlike lc $list, qr/\Q$hidden\E/, 'a listing hides what <Location> denies';

done_testing;
