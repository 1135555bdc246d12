# nginx: the configuration of iri_host: values, inheritance, the server whose
# setting counts, non-ASCII server names, and its warnings.
use IRI::Test 'nginx';

# A server that answers with its name and the host; text: further directives.
sub server {
    my ($site, $text) = @_;
    $text = "listen 127.0.0.1:%%PORT%%; $text" if $text !~ /listen/;
    $text .= " server_name $site;" if $text !~ /server_name/;
    return <<"END";
server {
    $text
    location / { return 200 "$site \$host"; }
}
END
}

# All warnings and errors of `nginx -t`, without prefix and position.
sub messages {
    my ($code, $responses) = nginx_t(join '', @_);
    return map { s/^nginx: //r } map { s{ in \S+/nginx\.conf:(\d+)}{ at $1}gr }
        grep { /\[(?:warn|emerg)\]/ } split /\n/, $responses;
}

# The responses of a server to hosts, separated by spaces.
sub responses_to {
    my ($conf, @hosts) = @_;
    my $nginx = nginx(log_level => 'info', conf => $conf);
    my @responses = map {
        my ($host, $port) = ref $_ ? @$_ : ($_, '');
        my $answer = $nginx->get('/', host => $host,
            port => $nginx->port($port));
        $answer->status == 200 ? $answer->body : $answer->status;
    } @hosts;
    is_deeply [$nginx->errors(ignore => qr/"iri_host" in \S+ has no effect/)],
        [], 'log';
    return ($nginx, @responses);
}

my $UE    = 'xn--tda.example';
my $ue    = '%C3%9C.example';      # escaped, for all versions of nginx
my $LOWER = '%c3%9c.example';      # as nginx normalizes it
my $name  = "server_name \xC3\xBC.example;";

# ---- values ------------------------------------------------------------------

is_deeply [messages("iri ON; iri_host On;\n", server('x', "iri_host STRICT;"))],
    [], 'letter case does not matter';

# ---- which setting applies --------------------------------------------------

for my $case (
    # http{}, default server, other server, the response
    ['iri on;',               '',              '',       "default $LOWER"],
    ['iri on; iri_host on;',  '',              '',             "site $UE"],
    ['iri on; iri_host off;', 'iri_host on;',  '',             "site $UE"],
    ['iri on; iri_host on;',  'iri_host off;', '',       "default $LOWER"],
    ['iri on;',               '',   'iri_host on;',      "default $LOWER"],
    ['iri on; iri_host on;',  '',   'iri_host off;',           "site $UE"],
    ['iri_host on;',          '',              '',       "default $LOWER"],
    ['iri_host on;',          'iri on;',       '',             "site $UE"],
    ['iri_host on;',          '',              'iri on;', "default $LOWER"],
    ['iri on; iri_host on;',  'iri off;',      '',       "default $LOWER"],
    ['iri on; iri_host on;',  'iri report;',   '',       "default $LOWER"],
    ['iri on; iri_host on;',  '',              'iri off;',     "site $UE"],
    ['iri on; iri_host on;',  '',              'iri report;',  "site $UE"],
) {
    my ($http, $default, $other, $wanted) = @$case;
    my ($nginx, $responses) =
        responses_to("$http\n" . server('default', $default)
        . server('site', "server_name xn--tda.example; $other"), $ue);
    is $responses, $wanted, "$http { $default } { $other }";
}

# The default server of each address decides, however the raw host was matched.
my ($nginx, @responses) = responses_to("iri on;\n"
    . server('one', 'listen 127.0.0.1:%%PORT%%; listen 127.0.0.1:%%PORTb%%;
        server_name one.example;')
    . server('two', 'listen 127.0.0.1:%%PORT%%;
        listen 127.0.0.1:%%PORTb%% default_server; iri_host on;
        server_name xn--tda.example ~%;'),
    $ue, 'b%FC', [$ue, 'b'], ['b%FC', 'b'], ['%6Fne.example', 'b']);
is_deeply \@responses, ["two $LOWER", 'two b%fc', "two $UE", 400,
    'one one.example'], 'the default server of the requested address';

# ---- report ------------------------------------------------------------------

($nginx, @responses) = responses_to("iri report; iri_host on;\n"
    . server('default', '') . server('site', $name), $ue, 'b%FC', 'plain', $UE);
is_deeply \@responses, ["default $LOWER", 'default b%fc', 'default plain',
    "default $UE"], 'report: no change';
my $log = $nginx->settled_log;
like $log, qr/iri: report: .*"%c3%9c\.example".*"\Q$UE\E".*=host-mapped/,
    'report logs hosts that would be accepted';
like $log, qr/iri: report: .*"b%fc".*reason=host-octets/,
    'report logs hosts that would be refused';
unlike $log, qr/iri: report: .*plain/, 'report: no line for ASCII';

# ---- variables where it is off -----------------------------------------------

my $none = IRI::Nginx::refuses_raw_host() ? 400 : '  ';
($nginx, @responses) =
    responses_to(<<'END', $ue, 'b%FC', 'XN--tda.example', 'xn--a', '[::1]',
server {
    listen 127.0.0.1:%%PORT%%;
    iri on;
    location / { return 200 "$iri_host $iri_host_ascii $iri"; }
}
END
    'a@evil.example', 'a"<>b', "[\xC3\xBC\"]");
is_deeply \@responses, [
    "\xC3\xBC.example $UE http://\xC3\xBC.example/",
    '  ',
    "\xC3\xBC.example $UE http://\xC3\xBC.example/",
    'xn--a xn--a http://xn--a/',
    '[::1] [::1] http://[::1]/', ($none) x 3,
], 'variables of a host, empty for an invalid one';

# ---- names of servers --------------------------------------------------------

my @forms = ("\xC3\xBC.example", "\xC3\x9C.Example", "u\xCC\x88.example",
    "\xC3\xBC\xE3\x80\x82example", "u\xCC\x88\xEF\xBC\x8Eexample");
for my $form (@forms) {
    ($nginx, @responses) =
        responses_to("iri on; iri_host on;\n" . server('default', '')
        . server('site', "server_name $form;"), $UE, $ue);
    is_deeply \@responses, ["site $UE", "site $UE"],
        'server_name ' . escaped($form);
}

# The setting of the default servers of its addresses decides whether a
# server's names are mapped; otherwise they stay as they are.
for my $case (
    ['iri on;', '', '', 'default'], ['iri on; iri_host on;', '', '', 'site'],
    ['iri_host on;', '', '', 'default'],
    ['iri_host on;', '', 'iri on;', 'default'],
    ['iri on;', '', 'iri_host on;', 'default'],
    ['iri on; iri_host on;', '', 'iri off;', 'site'],
    ['iri on; iri_host on;', '', 'iri_host off;', 'site'],
    ['iri on; iri_host on;', 'iri_host off;', '', 'default'],
    ['iri on; iri_host on;', 'iri off;', '', 'default'],
    ['iri on; iri_host on;', 'iri report;', '', 'default'],
) {
    my ($http, $default, $other, $site) = @$case;
    ($nginx, @responses) = responses_to("$http\n" . server('default', $default)
        . server('site', "$name $other"), $UE);
    is $responses[0], "$site $UE", "name: $http { $default } { $other }";
}

# One of several addresses is enough; $server_name changes, too.
for my $case (['off', 'off', "\xC3\xBC.example"], ['on', 'off', $UE],
    ['off', 'on', $UE], ['on', 'on', $UE]) {
    my ($one, $two, $wanted) = @$case;
    ($nginx, @responses) = responses_to("iri on;\n"
        . server('one', "listen 127.0.0.1:%%PORT%%; iri_host $one;")
        . server('two', "listen 127.0.0.1:%%PORTb%%; iri_host $two;")
        . server('$server_name', "listen 127.0.0.1:%%PORT%%;
            listen 127.0.0.1:%%PORTb%%; iri_host on;
            server_name \xC3\xBC.example plain.example;"), 'plain.example');
    is $responses[0], "$wanted plain.example", "addresses: $one, $two";
}

# A symbol is allowed in a name if one of the deciding servers is not strict.
for my $case (['strict', 'strict', 'strict', 'default'],
    ['strict', 'strict', 'on', 'default'], ['strict', 'on', 'strict', 'site'],
    ['on', 'strict', 'strict', 'site'], ['on', 'on', 'strict', 'site'],
    ['strict', 'off', 'on', 'default']) {
    my ($one, $two, $own, $site) = @$case;
    ($nginx, @responses) = responses_to("iri on;\n"
        . server('default', "iri_host $one;")
        . server('two', "listen 127.0.0.1:%%PORTb%%; iri_host $two;")
        . server('site', "listen 127.0.0.1:%%PORT%%;
            listen 127.0.0.1:%%PORTb%%; iri_host $own;
            server_name i\xE2\x99\xA5.example;"),
        'xn--i-n3p.example');
    is $responses[0], "$site xn--i-n3p.example",
        "symbol: $one, $two, own: $own";
}

# A name that is configured explicitly belongs to that server; one server may
# have it twice.
my $both = "iri on; iri_host on;\n" . server('default', '')
    . server('unicode', $name)
    . server('ascii', 'server_name XN--TDA.example;');
($nginx, @responses) = responses_to($both, $UE, $ue);
is_deeply \@responses, ["ascii $UE", "ascii $UE"], 'A-labels in server_name';
like((messages($both))[0], qr/^\[warn\] iri: .*"$UE".* at \d+.* at \d+/,
    'a warning');
is_deeply [messages("iri on; iri_host on;\n", server('default', ''),
    server('twice', "server_name \xC3\xBC.example $UE \xC3\x9C.example;"))],
    [], 'A-labels beside their Unicode';
for my $twice ("\xC3\xBC.example u\xCC\x88.example",
    ".\xC3\xBC.example \xC3\x9C.example *.u\xCC\x88.example") {
    ($nginx, @responses) =
        responses_to("iri on; iri_host on;\n" . server('default', '')
        . server('twice', "server_name $twice;"), $UE);
    is_deeply \@responses, ["twice $UE"],
        'a name in two forms: ' . escaped($twice);
    is_deeply [$nginx->settled_log =~ /\[warn\].*/g], [],
        'no warning';
}
is_deeply [messages("iri on; iri_host on;\n",
    server('http',  "listen 127.0.0.1:%%PORT%%; $name"),
    server('https', "listen 127.0.0.1:%%PORTs%%; server_name $UE;"))],
    [], 'a name of another address';
my $halves = "iri on; iri_host on;\n" . server('default', '')
    . server('unicode', "server_name *.\xC3\xBC.example \xC3\xBC.example;")
    . server('ascii', 'server_name .xn--tda.example;');
($nginx, @responses) = responses_to($halves, $UE, "a.$UE", $ue, "a.$ue");
is_deeply \@responses, ["ascii $UE", "ascii a.$UE", "ascii $UE", "ascii a.$UE"],
    'both names of a name with a leading dot are configured';
is scalar(messages($halves)), 2, 'a warning';
($nginx, @responses) =
    responses_to("iri on; iri_host on;\n" . server('default', '')
    . server('unicode', "server_name .\xC3\xBC.example;")
    . server('ascii', "server_name $UE;"), $UE, "a.$ue");
is_deeply \@responses, ["ascii $UE", "unicode a.$UE"], 'one of the two names';
is_deeply [messages("iri on; iri_host on;\n",
    server('own', "server_name .\xC3\xBC.example $UE;"))], [],
        'both names in one server';
($nginx, @responses) =
    responses_to("iri on; iri_host on;\n" . server('default', '')
    . server('unicode', $name) . server('pattern', "server_name ~$UE;"), $UE);
is $responses[0], "unicode $UE", 'a pattern is not a configured name';

is_deeply [map { /(conflicting server name "[^"]*")/ }
    messages("iri on; iri_host on;\n", server('default', ''),
        server('one', "server_name \xC3\xBC.example;"),
        server('two', "server_name \xC3\x9C.example;"))],
    ["conflicting server name \"$UE\""],
        "a duplicate name: nginx's own warning";

# ---- warnings ----------------------------------------------------------------

for my $bad ("a\xC3\xBC_b.example", "a\xC3\xBC*.example", "\xFC.example",
    "a\xD7\x90.example", "\xEF\xBC\x91.0.0.1", "\xC3\xBC" x 64) {
    my $text = server('default', "server_name $bad;");
    my @messages = messages("iri on; iri_host on;\n", $text);
    my $shown = $bad =~ s/([\x80-\xFF])/sprintf '%%%02X', ord $1/ger;
    like $messages[0] // '', qr/^\[warn\] iri: .*"\Q$shown\E".* at \d+/,
        'a name without A-labels: ' . escaped $bad;
    is @messages, 1, 'one warning';
    is_deeply [messages("iri on;\n", $text)], [], 'none without iri_host';
}
is_deeply [messages("iri on; iri_host on;\n", server('x',
    "server_name \"\" .a.example *.b.example c.* ~u_ _ \$hostname;"))],
    [],
    'ASCII names and patterns are not checked';

# iri_host that has no effect: its position, the server, the right place. Lines
# count from that of http{}, which is 0: the default server is at 1 and its
# text at 3, the other at 6 and at 8.
my ($base) = (messages("iri maybe;\n"))[0] =~ / at (\d+)/;
my %PLACES = (other => '"iri_host" LINE%d LINE1 "iri on;"',
    off => '"iri_host" LINE%d "iri on;"');
for my $case (
    # http, default server, other server, the warning, the line that it names
    ['iri on;',                '', 'iri_host on;',                'other', 8],
    ['iri on; iri_host on;',   '', 'iri_host off;',               'none'],
    ['iri on; iri_host on;',   '', 'iri_host strict;',            'other', 8],
    ['',                       '', 'iri on; iri_host on;',        'other', 8],
    ['',                       '', 'iri_host on;',                'off', 8],
    ['iri on; iri_host on;',   '', 'iri_host on;',                'none'],
    ['iri on; iri_host on;',   '', 'iri off; iri_host on;',       'off', 8],
    ['iri on;',   'iri_host on;', '',                             'none'],
    ['iri on;',   'iri_host on;', 'iri_host on;',                 'none'],
    ['iri on;', '', 'listen 127.0.0.1:%%PORTb%%; iri_host on;',   'none'],
    ['iri on;', '', 'listen 127.0.0.1:%%PORT%%;
        listen 127.0.0.1:%%PORTb%%; iri_host on;',                'other', 9],
    # iri is off in the deciding server: one warning, and only if it can matter
    ['iri_host on;',         '', '',                              'off', 0],
    ['iri_host strict;',     '', '',                              'off', 0],
    ['iri_host on;',         '', 'iri on;',                       'other', 0],
    ['iri_host on;',         '', 'iri report;',                   'other', 0],
    ['iri_host on;',         '', 'listen 127.0.0.1:%%PORTb%%;',   'off', 0],
    ['iri_host on;', '', 'listen 127.0.0.1:%%PORTb%%; iri on;',   'none'],
    ['iri_host on;',         'iri on;', '',                       'none'],
    ['iri report; iri_host on;', '', '',                          'none'],
    ['iri on; iri_host on;', 'iri off;', '',                      'other', 0],
    ['iri on; iri_host on;', 'iri off;',
        'listen 127.0.0.1:%%PORTb%%;',                            'none'],
    ['iri on;', 'iri off; iri_host on;',
        'listen 127.0.0.1:%%PORTb%%;',                            'off', 3],
    ['',                     'iri_host on;', '',                  'off', 3],
    ['',                     'iri_host on;', 'iri_host on;',      'off', 3, 8],
    ['iri_host on;',         'iri_host off;', '',                 'off', 0],
    ['',                     'iri_host off;', '',                 'none'],
    ['',                     '', '',                              'none'],
) {
    my ($http, $default, $other, $where, @lines) = @$case;
    my @messages = map { quoted(s/ at (\d+)/' LINE' . ($1 - $base)/ger) }
        messages("$http\n", server('default', "\n$default"),
            server('site', "\n$other"));
    is_deeply \@messages,
        [map { sprintf $PLACES{$where}, $_ } @lines],
        "warnings: $http { $default } { $other }: $where";
}

# ---- reload ------------------------------------------------------------------

$nginx = nginx(conf => "iri on;\n" . server('default', '')
    . server('site', "server_name $UE;"));
is $nginx->get('/', host => $ue)->body, "default $LOWER", 'before';
for my $on (1 .. 3) {
    ok $nginx->reload("iri on; iri_host on;\n" . server('default', '')
        . server("new$on", $name)), 'reload';
    is $nginx->get('/', host => $ue)->body, "new$on $UE", 'after';
}

done_testing;
