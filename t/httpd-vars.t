# httpd: readers of IRI_PATH and the other variables: programs, pages,
# .htaccess, logs and rules. Each reader is tested alone, in a server whose
# configuration names them nowhere else.
use IRI::Test 'httpd';
use IO::Socket::INET;
use IRI::Octets 'euc';
use POSIX ();

sub percent { return $_[0] =~ s/([^\x21-\x7E])/sprintf '%%%02X', ord $1/ger }

my ($root) = make_tree([qw(表/静.html 規/静.html 頁/環.shtml 頁/濾.txt 算/計.cgi
    算/index.cgi a.cgi a.html)]);
my @WORDS = qw(IRI IRI_HOST IRI_HOST_ASCII IRI_PATH IRI_URI IRI_FORM
    IRI_CHARSET IRI_MATCH IRI_FILENAME IRI_PATH_INFO);
for my $name ('算/計.cgi', '算/index.cgi', 'a.cgi') {
    spew("$root/$name", <<"END");
#!/bin/sh
printf 'Content-Type: text/plain\\n\\n'
for v in @WORDS
do eval "printf '%s=%s\\n' \$v \\"\\\$\$v\\""; done
END
    chmod 0755, "$root/$name";
}
spew("$root/頁/環.shtml", '<!--#echo var="IRI_URI" -->');
spew("$root/規/.htaccess", <<'END');
Header set X-Told "%{IRI_URI}e %{IRI_FORM}e %{IRI_MATCH}e %{IRI_FILENAME}e"
RewriteEngine On
RewriteCond %{ENV:IRI_FORM} =legacy
RewriteRule ^ - [E=SEEN:%{ENV:IRI_PATH}]
Header set X-Seen "%{SEEN}e"
END

# A server with these lines, whose tree has no program that reads variables.
sub server {
    my ($lines, @modules) = @_;
    return httpd(
        root    => $root,
        modules => [qw(cgid headers), @modules],
        conf    => <<"END");
IRIEngine On
IRICharset EUC-JP
AddHandler cgi-script .cgi
AddType text/html .shtml
DirectoryIndex index.cgi
<Directory "%%ROOT%%">
    Options +ExecCGI +Includes
</Directory>
$lines
END
}

sub program_variables { return { $_[0]->body =~ /^(\w+)=(.*)$/mg } }

my $server = server('');
for my $form (['utf8', sub { $_[0] }, 'escaped', 'UTF-8', 'exact'],
    ['euc', \&euc, 'legacy', 'EUC-JP', 'charset'])
{
    my ($name, $code, @expected) = @$form;
    my $variables =
        program_variables($server->get(percent($code->('/算/計.cgi/後'))
        . '?q=%E9'));
    my %want = (
        IRI            => 'http://localhost/算/計.cgi/後?q=%E9',
        IRI_HOST       => 'localhost',
        IRI_HOST_ASCII => 'localhost',
        IRI_PATH       => '/算/計.cgi/後',
        IRI_URI        => percent('/算/計.cgi/後'),
        IRI_FORM       => $expected[0],
        IRI_CHARSET    => $expected[1],
        IRI_MATCH      => $expected[2],
        IRI_FILENAME   => "$root/算/計.cgi",
        IRI_PATH_INFO  => '/後',
    );
    $variables->{IRI} =~ s{^(http://localhost):\d+}{$1};
    is_deeply $variables, \%want, "CGI, $name";

    $variables = program_variables($server->get(percent($code->('/算/'))));
    is $variables->{IRI_PATH}, '/算/', "index, $name: the path asked for";
    is "$variables->{IRI_FORM} $variables->{IRI_CHARSET}", "@expected[0, 1]",
        "index, $name: as the client wrote it";
}
my $variables = program_variables($server->get('/a.cgi/x'));
is "$variables->{IRI_PATH} $variables->{IRI_FORM} $variables->{IRI_PATH_INFO}",
    '/a.cgi/x ascii /x', 'CGI of a plain path';

# A .htaccess is found when directories are walked.
$server = server(<<'END', 'rewrite');
<Directory "%%ROOT%%">
    AllowOverride All
</Directory>
END
is $server->get(percent('/規/静.html'))->header('X-Told'),
    percent('/規/静.html') . " escaped exact $root/規/静.html", '.htaccess';
my $answer = $server->get(percent(euc '/規/静.html'));
is $answer->header('X-Told'),
    percent('/規/静.html') . " legacy charset $root/規/静.html",
    '.htaccess, legacy';
is $answer->header('X-Seen'), '/規/静.html', 'RewriteRule of .htaccess';
is $server->get(percent('/表/静.html'))->header('X-Told'), undef,
    'without .htaccess';

# A rule with an internal redirect: the variables describe the client's
# request, except IRI_PATH and those of the found entry; those of an error page
# are its own.
for my $lines ('', 'LogFormat "%{IRI_PATH}e" named') {
    my $front = server("$lines\n<Directory \"%%ROOT%%\">\n"
        . "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\n"
        . "RewriteRule ^ /a.cgi?x=1 [L]\n</Directory>\n"
        . "ErrorDocument 403 /a.cgi\n<Location /a.html>\n"
        . "Require all denied\n</Location>\n", 'rewrite');
    for (['/無/月', 'escaped', 'UTF-8', sub { $_[0] }],
        ['/無/月', 'legacy', 'EUC-JP', \&euc], ['/none', 'ascii', '', sub { $_[0] }])
    {
        my ($path, $form, $charset, $code) = @$_;
        my $variables =
            program_variables($front->get(percent($code->($path)) . '?q=%E9'));
        is "$variables->{IRI_PATH} $variables->{IRI_URI} $variables->{IRI_FORM} "
            . "$variables->{IRI_CHARSET} "
            . ($variables->{IRI} =~ s{^http://[^/]+}{}r),
            '/a.cgi ' . percent($path) . " $form $charset $path?q=%E9",
            "a rule of a directory, $form, \"$lines\"";
        is $variables->{IRI_FILENAME}, "$root/a.cgi",
            'the file that the rule led to';
    }
    my $variables = program_variables($front->get('/a.html'));
    is $variables->{IRI_PATH}, '/a.cgi', 'an error page';
}

$server = server(<<'END', 'rewrite');
Header set X-Told "%{IRI_PATH}e %{IRI_FORM}e"
<Directory "%%ROOT%%">
    RewriteEngine On
    RewriteCond %{REQUEST_FILENAME} !-f
    RewriteRule ^ /a.html [L]
</Directory>
END
is $server->get(percent(euc '/無/月'))->header('X-Told'), '/a.html legacy',
    'a rule of a directory leads to a plain file';

# FallbackResource: a program for an absent path.
$server = server('FallbackResource /a.cgi');
$variables = program_variables($server->get(percent(euc '/静/静')));
is "$variables->{IRI_PATH} $variables->{IRI_FORM}", '/静/静 legacy',
    'FallbackResource';
is "$variables->{IRI_FILENAME} $variables->{IRI_PATH_INFO}", "$root /静/静",
    'FallbackResource: the deepest entry of the requested path';

# The ignored differences, with folding of names.
$server = server(<<'END');
<Directory "%%ROOT%%">
    IRIMatch case
</Directory>
END
for my $case (['/a.cgi', 'exact'], ['/A.cgi', 'case'],
    [percent('/算/INDEX.cgi'), 'case'], [percent('/算/計.cgi'), 'exact'])
{
    my ($target, $match) = @$case;
    is program_variables($server->get($target))->{IRI_MATCH}, $match,
        "$target: $match";
}

# A proxied application. It responds with its parameters.
sub scgi {
    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5)
        or die "listen: $!\n";
    my $pid = fork // die "fork: $!\n";
    return ($listen->sockport, $pid) if $pid;
    while (my $client = $listen->accept) {
        my ($digit, $length) = ('', '');
        $length .= $digit while read($client, $digit, 1) && $digit ne ':';
        read($client, my $fields, $length);
        my %field = split /\0/, $fields;
        print {$client} "Status: 200\r\nContent-Type: text/plain\r\n\r\n",
            map { "$_=" . ($field{$_} // '') . "\n" } @WORDS;
        close $client;
    }
    POSIX::_exit(0);
}
my ($port, $scgi) = scgi();
$server = server(<<"END", 'proxy', 'proxy_scgi');
ProxyPass "/app/" "scgi://127.0.0.1:$port/"
END
$variables = program_variables($server->get(percent(euc '/app/静')));
is "$variables->{IRI_PATH} $variables->{IRI_FORM} $variables->{IRI_CHARSET}",
    '/app/静 legacy EUC-JP', 'a proxied application';
is program_variables($server->get('/app/a'))->{IRI_PATH}, '/app/a',
    'a proxied application, ASCII';
kill 'KILL', $scgi;
waitpid $scgi, 0;

# Readers in the configuration see the variables early.
my @LINES = (
    ['a header', 'Header set X-Told "%{IRI_PATH}e"', 'headers', '/表/静.html'],
    ['small letters', 'Header set X-Told "%{iri_path}e"', 'headers',
        '/表/静.html'],
    ['IRI alone', 'Header set X-Told "%{IRI}e"', 'headers',
        qr{^http://localhost(:\d+)?/表/静\.html$}],
    ['RewriteCond', <<'END', 'rewrite', '/表/静.html'],
RewriteEngine On
RewriteCond %{ENV:IRI_PATH} (.+)
RewriteRule ^ - [E=SEEN:%1]
Header set X-Told "%{SEEN}e"
END
    ['<If>', <<'END', 'headers', 'seen'],
<If "reqenv('IRI_FORM') == 'legacy'">
    Header set X-Told seen
</If>
END
    ['a macro', <<'END', 'macro', 'EUC-JP'],
<Macro Told $test_name>
    Header set X-Told "%{$test_name}e"
</Macro>
Use Told IRI_CHARSET
END
    ['a variable of the configuration', <<'END', 'headers', 'EUC-JP'],
Define NAME IRI_CHARSET
Header set X-Told "%{${NAME}}e"
END
);
for my $line (@LINES) {
    my ($test_name, $text, $module, $want) = @$line;
    $server = server($text, $module);
    my $got = $server->get(percent(euc '/表/静.html'))->header('X-Told');
    ref $want ? like($got, $want, $test_name) : is($got, $want, $test_name);
}

# Modules that pass on the whole environment.
$server = server('AddOutputFilter INCLUDES .shtml', 'include');
is $server->get(percent(euc '/頁/環.shtml'))->body, percent('/頁/環.shtml'),
    'a page with includes';
# The program reads all its input: httpd must not write to a program that has
# ended.
spew("$root/env.sh", "env\ncat >/dev/null\n");
$server = server(<<"END", 'ext_filter');
ExtFilterDefine env mode=output cmd="/bin/sh $root/env.sh"
AddOutputFilter env .txt
END
like $server->get(percent(euc '/頁/濾.txt'))->body,
    qr{^IRI_PATH=/頁/濾\.txt$}m, 'a program as a filter';

# Hooks are added by the directive, for each configuration again.
my $off = 'IRICharset EUC-JP';
my $on  = "IRIEngine On\n$off";
$server = httpd(root => $root, conf => $off);
my $target = percent(euc '/表/静.html');
is $server->get($target)->status, 404, 'off';
for my $round (1, 2) {
    $server->reload($on);
    is $server->get($target)->status, 200, "on, round $round";
    $server->reload("IRIEngine Off\n$off");
    is $server->get($target)->status, 404, "off, round $round";
}
is_deeply [$server->errors(ignore => qr/has no effect/)], [], 'log of reloads';
$server = httpd(root => $root, conf => vhost('other', $root, conf => $on,
        port => 'other'));
is $server->get($target)->status, 404, 'off beside a virtual host';
is $server->get($target, port => $server->port('other'))->status, 200,
    'on in a virtual host';

# ---- logs ---------------------------------------------------------------------

# A log format that names variables causes them to be set also for ASCII paths,
# before the log is written, and for the client's request.
$server = server(<<'END', 'rewrite');
LogFormat "%U %>s %{IRI_FORM}e %{iri_match}e %{IRI_URI}e" named
CustomLog "%%TMP%%/named" named
Header always set X-Match "expr=%{IRI_MATCH}"
ErrorDocument 404 /a.html
<Directory "%%ROOT%%/算">
    IRIMatch case
</Directory>
<Directory "%%ROOT%%">
    RewriteEngine On
    RewriteRule ^led/ a.html [L]
</Directory>
<Location "/denied">
    Require all denied
</Location>
END
my @logged;
for my $case (
    # target, status, form, match, canonical URI
    ['/a.html', 200, 'ascii', 'exact', '/a.html'],
    ['/a.html?q=%E9', 200, 'ascii', 'exact', '/a.html'],
    ['/%61.html', 200, 'ascii', 'exact', '/a.html'],
    ['/a.cgi/x', 200, 'ascii', 'exact', '/a.cgi/x'],
    ['/none.html', 404, 'ascii', 'none', '/none.html'],
    ['/led/x', 200, 'ascii', 'exact', '/led/x'],
    ['/denied', 403, 'ascii', 'none', '/denied'],
    ['/%zz', 400, 'ascii', 'none', '/%25zz'],
    [percent('/表/静.html'), 200, 'escaped', 'exact', percent('/表/静.html')],
    [percent(euc '/表/静.html'), 200, 'legacy', 'charset',
        percent('/表/静.html')],
    [percent(euc '/表/無.html'), 404, 'legacy', 'none',
        percent('/表/無.html')],
    [percent('/算/INDEX.cgi'), 200, 'escaped', 'case',
        percent('/算/index.cgi')],
) {
    my ($target, $status, @want) = @$case;
    my $answer = $server->get($target);
    push @logged, [$target, "$status @want"];
    is $answer->header('X-Match'), $want[1], "$target: in an expression"
        if $status != 400;
}
my $named = $server->tmp . '/named';
ok $server->wait_for(sub { @logged <= (() = slurp($named) =~ /\n/g) }),
    'a log';
# Threads write their lines after the responses.
is_deeply [sort map { s/^\S+ //r } split /\n/, slurp($named)],
    [sort map { $_->[1] } @logged], 'a log: its lines';

done_testing;
