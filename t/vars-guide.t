# The examples of doc/variables.md, unchanged: each variable in a log, a
# header, a rule, and in the environment of an application.
use IRI::Test;
use Encode qw(decode encode);
use IRI::Gateway;
use IRI::Octets 'percent';

my %skip = map { $_ => scalar missing($_) } qw(nginx httpd);
plan skip_all => join ', ', values %skip if !grep { !$_ } values %skip;

my $guide = slurp("$FindBin::Bin/../doc/variables.md");

# The example for a server, in its tree.
sub example {
    my ($name, $root, $tmp) = @_;
    my ($section) = $guide =~ /^## Examples: \Q$name\E$(.*?)(?=^## |\z)/ms;
    my $conf = join "\n", $section =~ /^```\w+\n(.*?)^```$/msg;
    $conf =~ s{/srv/www}{$root}g;
    $conf =~ s{logs/}{$tmp/}g;
    return $conf;
}

sub sjis { return percent(encode('cp932', decode('UTF-8', $_[0]))) }

my ($root) = make_tree([qw(案内/ガイド.html 新/着.html 新着/着.html app/絵.cgi)]);
spew("$root/app/絵.cgi", <<'END');
#!/bin/sh
printf 'Content-Type: text/plain\n\n'
env | grep ^IRI
END
chmod 0755, "$root/app/絵.cgi";

my $HOST = 'xn--bcher-kva.example';
my $BOOK = "b\xC3\xBCcher.example";
my $NAME = '/案内/ガイド.html';
my %WANT = (
    iri => "http://$BOOK$NAME?q=" . percent('表'), host => $BOOK,
    ascii => $HOST, path => $NAME, uri => percent($NAME),
    query => 'q=' . percent('表'), form => 'legacy', charset => 'Shift_JIS',
    match => 'charset', file => "$root$NAME", info => '',
);

sub lines {
    my ($server, $name, $pattern) = @_;
    my $path = $server->tmp . "/$name";
    $server->wait_for(sub { slurp($path) =~ $pattern });
    return split /\n/, slurp($path);
}

SKIP: {
    skip $skip{nginx}, 1 if $skip{nginx};
    my $tmp     = temp_dir();
    my $gateway = IRI::Gateway->new('fastcgi');
    my $conf    = example('nginx', $root, $tmp);
    $conf =~ s/listen 80;/listen 127.0.0.1:%%PORT%%;/;
    $conf =~ s/127\.0\.0\.1:8080/127.0.0.1:%%PORTback%%/g;
    $conf =~ s/127\.0\.0\.1:9000/'127.0.0.1:' . $gateway->port/ge;
    my $server = nginx(root => $root, tmp => $tmp, conf => $conf);
    my $get = sub { $server->get($_[0], host => $BOOK) };

    my $answer = $get->(sjis($NAME) . '?q=' . sjis('表'));
    is $answer->header('X-URI'), percent($NAME), 'nginx: a header';
    is $answer->header('X-How'), 'in another charset', 'nginx: a map';
    $get->(percent($NAME));
    my @log = lines($server, 'iri.log', qr/(?:.*\n){2}/);
    my %got = $log[0] =~ /"(\w+)":"([^"]*)"/g;
    delete $got{status};
    $got{iri} =~ s{:\d+/}{/};
    is_deeply \%got, \%WANT, 'nginx: all of them in a log';
    like $log[1], qr/"form":"escaped".*"match":"exact"/, 'nginx: the next';
    is scalar(lines($server, 'old.log', qr/\n/)), 1,
        'nginx: a log of what is old';

    $answer = $get->(sjis('/新/着.html'));
    is $answer->status . ' '
        . $answer->header('Location') =~ s{^http://[^/]+}{}r,
        '301 ' . percent('/新/着.html'), 'nginx: if';
    is $get->(percent('/新/着.html'))->body, 'new', 'nginx: if, another form';

    my %given = $get->('/app/' . sjis('絵') . '.cgi/' . sjis('後') . '?a='
        . sjis('表'))->body =~ /^(\w+)=(.*)$/mg;
    is $given{SCRIPT_FILENAME}, "$root/app/絵.cgi", 'nginx: $iri_filename';
    is $given{PATH_INFO}, '/後', 'nginx: $iri_path_info';
    is $given{QUERY_STRING}, 'a=' . percent('表'), 'nginx: $iri_query';
    is $given{IRI} =~ s{:\d+/}{/}r,
        "http://$BOOK/app/絵.cgi/後?a=" . percent('表'), 'nginx: $iri';
    is "$given{IRI_PATH} $given{IRI_FORM} $given{IRI_HOST}",
        "/app/絵.cgi/後 legacy $BOOK", 'nginx: $iri_path, form, host';
    is $given{IRI_REQUEST_URI}, '/app/' . sjis('絵') . '.cgi/' . sjis('後')
        . '?a=' . sjis('表'), 'nginx: $iri_request_uri';
    is $get->('/backend/' . sjis('表') . '?b=' . sjis('表'))->body,
        "$HOST Shift_JIS " . percent('/backend/表') . '?b=' . percent('表'),
        'nginx: a proxy';
}

SKIP: {
    skip $skip{httpd}, 1 if $skip{httpd};
    my $tmp  = temp_dir();
    my $conf = example('httpd', $root, $tmp);
    $conf =~ s/\*:80>/127.0.0.1:%%PORT%%>/;
    $conf =~ s/127\.0\.0\.1:8080/127.0.0.1:%%PORTback%%/g;
    my $server = httpd(root => $root, tmp => $tmp,
        modules => [qw(rewrite headers proxy proxy_http cgid)],
        conf => <<"END");
<Directory "$root/app">
    Options +ExecCGI
</Directory>
<VirtualHost 127.0.0.1:%%PORTback%%>
    Header always set X-Got "expr=%{req:X-Charset} %{THE_REQUEST}"
</VirtualHost>
$conf
END
    my $get = sub { $server->get($_[0], host => $BOOK) };

    my $answer = $get->(sjis($NAME) . '?q=' . sjis('表'));
    is $answer->header('X-URI'), percent($NAME), 'httpd: a header';
    is $answer->header('X-Old'), "charset $HOST " . sjis($NAME) . '?q='
        . sjis('表'), 'httpd: <If>';
    lines($server, 'iri.log', qr/\n/);
    $answer = $get->(percent($NAME));
    is $answer->header('X-Old'), undef, 'httpd: <If>, another form';
    my @log = lines($server, 'iri.log', qr/(?:.*\n){2}/);
    my $first = $log[0] =~ s/\\x(..)/chr hex $1/ger;
    is $first =~ s{(http://[^/:]+):\d+/}{$1/}r,
        join(' ', @WANT{qw(iri host ascii path uri query form charset match
                file)}, '-'), 'httpd: all of them in a log';
    like $log[1], qr/ escaped UTF-8 exact /, 'httpd: the next';
    is scalar(lines($server, 'old.log', qr/\n/)), 1,
        'httpd: a log of what is old';

    $answer = $get->(sjis('/新/着.html'));
    is $answer->status . ' '
        . $answer->header('Location') =~ s{^http://[^/]+}{}r,
        '301 ' . percent('/新着/着.html'), 'httpd: RewriteCond';
    is $get->(percent('/新/着.html'))->status, 200,
        'httpd: RewriteCond, another form';

    my %given = $get->('/app/' . sjis('絵') . '.cgi/' . sjis('後') . '?a='
        . sjis('表'))->body =~ /^(\w+)=(.*)$/mg;
    $given{IRI} =~ s{:\d+/}{/};
    is_deeply \%given, {
        IRI           => "http://$BOOK/app/絵.cgi/後?a=" . percent('表'),
        IRI_HOST      => $BOOK, IRI_HOST_ASCII => $HOST,
        IRI_PATH      => '/app/絵.cgi/後',
        IRI_URI       => percent('/app/絵.cgi/後'),
        IRI_QUERY     => 'a=' . percent('表'), IRI_FORM => 'legacy',
        IRI_CHARSET   => 'Shift_JIS', IRI_MATCH => 'charset',
        IRI_FILENAME  => "$root/app/絵.cgi", IRI_PATH_INFO => '/後',
        IRI_REQUEST_URI => '/app/' . sjis('絵') . '.cgi/' . sjis('後') . '?a='
            . sjis('表'),
    }, 'httpd: the environment of a program';
    is $get->('/backend/' . sjis('表') . '?b=' . sjis('表'))->header('X-Got'),
        'Shift_JIS GET ' . percent('/表') . '?b=' . percent('表')
        . ' HTTP/1.1', 'httpd: a proxy';
}

# Each variable of the table is in both examples.
for my $row ($guide =~ /^\| `(\$iri\w*)` \| `(IRI\w*)` \|/mg) {
    my ($section) = $guide =~ ($row =~ /^\$/
        ? qr/^## Examples: nginx$(.*?)^## /ms : qr/^## Examples: httpd$(.*)/ms);
    like $section, qr/(?<!\w)\Q$row\E(?!\w)/, "$row has an example";
}

done_testing;
