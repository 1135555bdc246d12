# httpd: the names of virtual hosts with IRIHost: a Unicode name is known by
# its A-labels, for which hosts, by which mapping, and the log messages.
use IRI::Test 'httpd';
use File::Path qw(make_path);
use IRI::Both 'site_of';

my $tmp = temp_dir();
for my $site (qw(first b p)) {
    make_path("$tmp/$site/d");
    spew("$tmp/$site/index.html", $site);
}
my ($B, $BA) = ("b\xC3\xBCcher.example", 'xn--bcher-kva.example');
my $GROESSE = "gr\xC3\xB6\xC3\x9Fe.example";
my $ON = "IRIEngine On\nIRIHost On\n";
# the position of a virtual host in a log line
my $PLACE = qr/\S+httpd\.conf:\d+/;

# The number of warnings of an IRIHost that has no effect.
sub warnings_of {
    my ($httpd) = @_;
    $httpd->{expect} = qr/has no effect/;
    return scalar(() = $httpd->settled_log
        =~ /\[iri:warn\].*iri: "IRIHost" in $PLACE has no effect/g);
}

# ---- strict, report, off -----------------------------------------------------

sub request_with {
    my ($setting, $host) = @_;
    my $httpd = httpd(log_level => 'info', modules => ['headers'],
        conf => "$setting\nHeader always set X-Host expr=%{IRI_HOST}\n"
            . vhost('first.example', "$tmp/first") . vhost($host, "$tmp/b"));
    return ($httpd, $httpd->get('/', host => $host));
}
my $SYMBOL_HOST = "i\xE2\x99\xA5u.example";
my ($httpd, $site) = request_with($ON, $SYMBOL_HOST);
is site_of($site), 'b', 'On: UTS #46 allows a symbol';
($httpd, $site) = request_with("IRIEngine On\nIRIHost Strict", $SYMBOL_HOST);
is $site->status, 400, 'Strict: IDNA2008 does not';
like $httpd->settled_log,
    qr/\[iri:warn\].*iri: .*"i%E2%99%A5u\.example".* $PLACE/,
    'a name that cannot be mapped is logged';
($httpd, $site) = request_with("IRIEngine On\nIRIHost Strict", $B);
is site_of($site), 'b', 'strict, a name of IDNA2008';
($httpd, $site) = request_with("IRIEngine Report\nIRIHost On", $B);
is $site->status, 400, 'report: no change';
like $httpd->settled_log,
    qr/iri: report: .*"b%C3%BCcher\.example".*"\Q$BA\E".*=host-mapped/,
    'report: the log line';
is $httpd->get('/', host => "b\xFF")->status, 400, 'an invalid host';
like $httpd->settled_log,
    qr/iri: report: .*"b%FF".*reason=host-octets/, 'the log line';
is site_of($httpd->get('/', host => $BA)), 'first', 'report adds no names';
($httpd, $site) = request_with(
    "HttpProtocolOptions Unsafe\nIRIEngine Report\nIRIHost On", 'b%C3%BC,u@x');
is site_of($site), 'b', 'report refuses no host';
($httpd, $site) = request_with('IRIHost On', $B);
is $site->status, 400, 'IRIHost without IRIEngine does nothing';
is warnings_of($httpd), 1, 'a warning';
($httpd, $site) = request_with('IRIEngine On', $B);
is $site->status, 400, 'off is the default';
is site_of($httpd->get('/', host => $BA)), 'first', 'without names';
is $httpd->get('/', host => $BA)->header('X-Host'), $B, 'with variables';

($httpd) = request_with("HttpProtocolOptions Unsafe\nIRIEngine On", $B);
is $httpd->get('/', host => $_)->header('X-Host') // '', '',
    'without one of ' . escaped($_)
    for 'a,b', 'u@' . $BA, "b\xFF.example", '%3Cb%3E';

# ---- which virtual host's setting counts -------------------------------------

my @two = (port => 'two');
my $placed = httpd(log_level => 'info',
    conf => "IRIEngine On\nIRIHost Off\n"
        . vhost('first.example', undef, conf => 'IRIHost On')
        . vhost($B, "$tmp/b", conf => 'IRIInvalid 400')
        . vhost('silent.example')
        . vhost('off.example', undef, conf => 'IRIHost Off')
        . vhost('same.example', undef, conf => 'IRIHost On')
        . vhost('second.example', "$tmp/first", @two)
        . vhost("on.example $B", "$tmp/b", @two, conf => 'IRIHost On'));
is site_of($placed->get('/', host => $B)), 'b',
    'the setting of the first virtual host';
@two = (port => $placed->port('two'));
is $placed->get('/', host => $B, @two)->status, 400,
    'not the setting of another one';
is site_of($placed->get('/', host => $BA, @two)), 'first',
    'its names are not added';
is warnings_of($placed), 1, 'a warning of on.example, and of no other';

# Of two virtual hosts for two addresses the less strict one counts, in either
# order.
my $HEART_A = 'xn--iu-t0x.example';
for my $order (['', 'on'], ['on', '']) {
    my $either = httpd(conf => "IRIEngine On\n"
        . vhost('first.example', "$tmp/first", conf => 'IRIHost Strict')
        . vhost('on.example', "$tmp/first", port => 'on', conf => 'IRIHost On')
        . vhost($SYMBOL_HOST, "$tmp/b", port => $order));
    is site_of($either->get('/', host => $HEART_A)), 'b',
        'the less strict setting';
}

# Addresses are logged as by httpd: by IP and port, or "*".
my $addressed = httpd(conf => "IRIEngine On\n" . <<"END"
<VirtualHost 127.0.0.2:%%PORT%%>
    ServerName elsewhere.example
    IRIHost Off
</VirtualHost>
<VirtualHost 0.0.0.0:%%PORTall%%>
    ServerName all.example
    DocumentRoot "$tmp/first"
    IRIHost On
</VirtualHost>
<VirtualHost [::]:%%PORTall%%>
    ServerName $B
    DocumentRoot "$tmp/b"
</VirtualHost>
<VirtualHost *:%%PORTmapped%%>
    ServerName first.example
    DocumentRoot "$tmp/first"
    IRIHost On
</VirtualHost>
<VirtualHost *:%%PORTmapped%%>
    ServerName $B
    DocumentRoot "$tmp/b"
</VirtualHost>
<VirtualHost [::ffff:0.0.0.0]:%%PORTmapped%%>
    ServerName $BA
    DocumentRoot "$tmp/p"
</VirtualHost>
<VirtualHost 127.0.0.1:%%PORTsame%%>
    ServerName first.example
    DocumentRoot "$tmp/first"
    IRIHost On
</VirtualHost>
<VirtualHost [::ffff:127.0.0.1]:%%PORTsame%%>
    ServerName $B
    DocumentRoot "$tmp/b"
</VirtualHost>
END
    . vhost('first.example', "$tmp/first", conf => 'IRIHost On')
    . vhost($B, "$tmp/b"));
is site_of($addressed->get('/', host => $B)), 'b',
    'the first of this IP address';
is site_of($addressed->get('/', host => $B, port => $addressed->port('all'))),
    'b', '"*" covers IPv4 and IPv6';
is site_of($addressed->get('/', host => $_,
    port => $addressed->port('mapped'))),
    'b', 'no wildcard: [::ffff:0.0.0.0], ' . escaped($_) for $B, $BA;
is site_of($addressed->get('/', host => $_,
    port => $addressed->port('same'))),
    'b', 'one address: [::ffff:127.0.0.1], ' . escaped($_) for $B, $BA;

# The setting of the first host of an address counts, whatever a later one has.
my $later = httpd(log_level => 'info',
    conf => "IRIEngine On\nIRIHost Off\n"
        . vhost('first.example', "$tmp/first", conf => 'IRIHost Strict')
        . vhost($B, "$tmp/b", conf => 'IRIHost Off')
        . vhost("i\xE2\x99\xA5u.example", "$tmp/b", conf => 'IRIHost On')
        . vhost('engine.example', undef, port => 'off',
            conf => "IRIEngine Off\nIRIHost On")
        . vhost($GROESSE, undef, port => 'off', conf => 'IRIHost On')
        . vhost('off.example', undef, port => 'off',
            conf => "IRIEngine Off\nIRIHost Off"));
is site_of($later->get('/', host => $B)), 'b',
    'names are mapped by its setting';
is site_of($later->get('/', host => 'xn--iu-t0x.example')), 'first', 'alone';
is warnings_of($later), 3, 'warnings of another IRIHost than that of the '
    . 'first, and of a host with the engine off';

# ---- names of other hosts ---------------------------------------------------

# A name that is configured explicitly belongs to that host, wherever it is;
# otherwise the first host with an equivalent name gets it.
my $W = 'xn--gre-6ka8i.example';
my $owned = httpd(log_level => 'info', conf => $ON
    . vhost("early.example xn--caf-dma.example", "$tmp/p")
    . vhost("$B www.$B *.$GROESSE WW*.$GROESSE *.caf\xC3\xA9.example caf\xC3\xA9.example",
        "$tmp/b", port => ['', 'two'])
    . vhost("B\xC3\x9CCHER.example WWW.B\xC3\x9CCHER.example", "$tmp/first")
    . vhost("own.example \xC3\xA9t\xC3\xA9.example xn--t-9fab.example"
        . " other.own.example", "$tmp/first")
    . vhost("XN--BCHER-KVA.Example *.$W ww*.$W www.xn--caf-dma.example",
    "$tmp/p"));
is site_of($owned->get('/', host => $_)), 'p', escaped($_) . ' stays'
    for $BA, $B, "a.$W", "a.$GROESSE", 'xn--caf-dma.example',
    "caf\xC3\xA9.example";
is site_of($owned->get('/', host => $_)), 'b', escaped($_) . ' becomes known'
    for "www.$BA", "www.$B", "a.caf\xC3\xA9.example",
    'www.xn--caf-dma.example';
is site_of($owned->get('/', host => $_)), 'first', escaped($_) . ' is its own'
    for "\xC3\xA9t\xC3\xA9.example", 'xn--t-9fab.example', 'own.example';
my $warned = $owned->settled_log;
like $warned, qr/\[iri:warn\].*"\Q$_\E".* $PLACE.* $PLACE/, "a warning of $_"
    for $BA, "*.$W", "ww*.$W", 'xn--caf-dma.example';
unlike $warned, qr/"(?:www|xn--t-)/, 'no name of another host';

# If the owner has no such address another host may get the name; the main
# server never does.
my $apart = httpd(conf => "${ON}ServerName $BA\n"
    . vhost('first.example', "$tmp/first")
    . vhost($B, "$tmp/b")
    . vhost("two.example $BA", "$tmp/p", port => 'two'));
is site_of($apart->get('/', host => $BA)), 'b', 'an owner at another address';
is site_of($apart->get('/', host => $B, port => $apart->port('two'))), 'p',
    'has the name there';
unlike $apart->settled_log, qr/\[iri:warn\]/, 'no warnings';

# A host named in Unicode keeps requests with these octets: for example on
# another address.
my $named = httpd(conf => "HttpProtocolOptions Unsafe\nIRIEngine On\n"
        . vhost('first.example', "$tmp/first")
        . vhost($B, "$tmp/b", port => ['', 'on'], conf => 'IRIHost On')
        . vhost("other.example $GROESSE", "$tmp/first", port => 'on'));
is site_of($named->get('/', host => $_)), 'b', 'a name in Unicode stays'
    for $B, $BA;
my @on = (port => $named->port('on'));
is site_of($named->get('/', host => 'b%C3%BCcher.example', @on)), 'b',
    'at the address where hosts are mapped';
is site_of($named->get('/', host => 'gr%C3%B6%C3%9Fe.example', @on)), 'first',
    'names of other hosts at this address';

# IRIHost with the engine off: a warning where it would apply.
my $asleep = httpd(conf => "IRIHost On\n"
        . vhost('default.example', "$tmp/first", port => ['', 'on', 'two'])
        . vhost($B, "$tmp/b", conf => 'IRIEngine On')
        . vhost('awake.example', undef, port => 'on', conf => 'IRIEngine On')
        . vhost('own.example', undef, port => 'own', conf => 'IRIHost Strict')
        . vhost('silent.example', undef, port => 'silent')
        . vhost('off.example', undef, port => 'off', conf => 'IRIHost Off'));
is $asleep->get('/', host => $B)->status, 400,
    'the first host has the engine off';
is warnings_of($asleep), 2,
    'a warning of the first of the address, and of own.example';

# ---- StrictHostCheck ---------------------------------------------------------

my $checked = httpd(conf => "${ON}StrictHostCheck On\n"
        . vhost("first.example *.katze-$GROESSE", "$tmp/first")
        . vhost($B, "$tmp/b"));
is site_of($checked->get('/', host => $B)), 'b', 'StrictHostCheck: a name';
is site_of($checked->get('/', host => "a.katze-$GROESSE")), 'first',
    'StrictHostCheck: a wildcard';
is $checked->get('/', host => "\xC3\xA9t\xC3\xA9.example")->status, 400,
    'StrictHostCheck: another name';

# Without virtual hosts.
my $main = httpd(root => "$tmp/b",
    conf => "${ON}StrictHostCheck On\nServerName $B\n");
is site_of($main->get('/', host => $_)), 'b', 'the main server'
    for $B, $BA, 'b%C3%BCcher.example:80';
is $main->get('/', host => "\xC3\xA9t\xC3\xA9.example")->status, 400,
    'StrictHostCheck: another name';
is $main->request('GET', '/d', host => undef, version => '1.0')
    ->header('Location'), "http://$BA/d/",
    'a redirect without a host';
done_testing;
