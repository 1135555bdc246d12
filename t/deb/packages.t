#!/usr/bin/perl
# `make deb-test`: Debian's packages in a fresh Debian. They are installed with
# their dependencies, both servers respond with the modules, the command and
# the library are used, a later build is installed over them; removed and
# purged, they leave no files.
use IRI::Test;
use IRI::Chroot;
use IRI::HTTP1;

my @OURS = qw(libapache2-mod-iri libnginx-mod-http-iri iri-tools libiri-dev);
my %PORT = (httpd => free_port(), nginx => free_port());

my @debs = map { glob build_dir() . "/deb/${_}_*.deb" } @OURS;
is scalar @debs, scalar @OURS, 'the packages are built' or BAIL_OUT('no debs');
unlink build_dir() . '/deb-test.log';
my $debian = IRI::Chroot->new('deb-test');
my $root   = $debian->root;
my $pages  = "$root/var/www/html";

# /日本語.html and /が.html, each in the forms of the requests.
my $name = "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E.html";
my @FORMS = (
    ['raw UTF-8',           "/$name"],
    ['escaped UTF-8',       '/%E6%97%A5%E6%9C%AC%E8%AA%9E.html'],
    ['Shift_JIS',           '/%93%FA%96%7B%8C%EA.html'],
    ['raw Shift_JIS',       "/\x93\xFA\x96\x7B\x8C\xEA.html"],
    ['EUC-JP',              '/%C6%FC%CB%DC%B8%EC.html'],
    ['NFC',                 '/%E3%81%8C.html', 'ga'],
    ['NFD',                 '/%E3%81%8B%E3%82%99.html', 'ga'],
    ['another name',        '/%93%FA%96%7B.html', ''],
);

sub get {
    my ($port, $target) = @_;
    my $client = IRI::HTTP1->new(port => $port);
    my $answer = $client->request({ method => 'GET', target => $target });
    $client->disconnect;
    return $answer;
}

# All forms, on both servers.
sub answers {
    my ($when) = @_;
    for my $server (sort keys %PORT) {
        for my $form (@FORMS) {
            my ($form_name, $target, $body) = @$form;
            $body //= 'nihongo';
            my $answer = get($PORT{$server}, $target);
            my $wanted = $body eq '' ? '404' : "200 $body";
            my $got    = $answer->status;
            $got .= ' ' . $answer->body if $got eq '200';
            is $got, $wanted, "$server: $form_name, $when";
        }
    }
    return;
}

my $START = 'nginx; apachectl start; sleep 2';
my $STOP  = 'nginx -s quit; apachectl stop; sleep 2';

$debian->host('mkdir', "$root/debs", "$root/later");
$debian->host('cp', @debs, "$root/debs");
$debian->must('apt-get -qy install /debs/*.deb',
    'installed, with both servers');
my @files = $debian->must("dpkg -L @OURS", 'their files') =~ m{^(/\S+)$}mg;

subtest 'httpd' => sub {
    like $debian->must('a2query -m iri'), qr/^iri \(enabled/, 'enabled';
    $debian->must('a2dismod iri', 'switched off');
    $debian->must('a2enmod iri',  'a2enmod iri');
    like $debian->must('apachectl configtest', 'configtest'), qr/^Syntax OK$/m,
        'clean';
};

subtest 'nginx' => sub {
    is readlink "$root/etc/nginx/modules-enabled/50-mod-http-iri.conf",
        '/usr/share/nginx/modules-available/mod-http-iri.conf',
            'LoadModule line';
    unlike $debian->must('nginx -t'), qr/warn|emerg/, 'nginx -t';
};

# The default sites of Debian's packages, on other ports.
spew("$pages/$name", 'nihongo');
spew("$pages/\xE3\x81\x8C.html", 'ga');
$debian->must("sed -i 's/^Listen 80\$/Listen 127.0.0.1:$PORT{httpd}/' "
    . '/etc/apache2/ports.conf', 'port of httpd');
$debian->must("sed -i 's/<VirtualHost .*/<VirtualHost *:$PORT{httpd}>/' "
    . '/etc/apache2/sites-available/000-default.conf', 'of its site');
$debian->must("sed -i -e 's/listen 80 /listen 127.0.0.1:$PORT{nginx} /' "
    . "-e '/listen .::.:80/d' /etc/nginx/sites-available/default",
    'port of nginx');
$debian->must('sed -i s/^#IRI/IRI/ /etc/apache2/mods-available/iri.conf',
    'what iri.conf has in comments');
spew("$root/etc/nginx/conf.d/iri.conf",
    "iri on;\niri_charset Shift_JIS EUC-JP windows-1252;\n");
$debian->must($START, 'started');
answers('installed');

subtest 'iri' => sub {
    my $look = '--root /var/www/html --charset shift_jis';
    like $debian->must("iri explain $look /%93%FA%96%7B%8C%EA.html"),
        qr/\Q$name\E/, 'explain finds it';
    my ($code) = $debian->run('iri lint /var/www/html');
    is $code, 0, 'lint finds nothing wrong';
    $debian->must('test -e /usr/share/man/man1/iri.1.gz', 'manual');
    $debian->must('test -e /usr/share/bash-completion/completions/iri',
        'completion');
    $debian->must('test -e /usr/share/doc/iri-tools/doc/directives.md',
        'documents');
};

subtest 'libiri' => sub {
    $debian->must('apt-get -qy --no-install-recommends install '
        . 'gcc libc6-dev pkg-config', 'a compiler');
    $debian->must('cc -o /tmp/resolve /usr/share/doc/libiri-dev/examples/'
        . 'resolve.c $(pkg-config --cflags --libs libiri)', 'an example');
    like $debian->must('/tmp/resolve http://a/b c'), qr{URI: http://a/c$}m,
        'which runs';
};

subtest 'a later build' => sub {
    $debian->must(<<'END', 'made');
for deb in /debs/*.deb; do
    rm -rf /tmp/deb
    dpkg-deb -R "$deb" /tmp/deb
    sed -i 's/^Version: .*/&+later/' /tmp/deb/DEBIAN/control
    dpkg-deb --root-owner-group -b /tmp/deb /later
done
rm -rf /tmp/deb
END
    $debian->must('rm /etc/nginx/modules-enabled/50-mod-http-iri.conf; '
        . 'a2dismod iri', 'switched off by hand');
    $debian->must('apt-get -qy install /later/*.deb', 'installed over them');
    my @versions = $debian->must("dpkg-query -W -f '\${Version}\\n' @OURS")
        =~ /\+later$/mg;
    is scalar @versions, scalar @OURS, 'it is the later one';
    ok !-l "$root/etc/nginx/modules-enabled/50-mod-http-iri.conf",
        'a module disabled in nginx is still disabled';
    my ($code) = $debian->run('a2query -q -m iri');
    isnt $code, 0, 'in httpd, too';
    $debian->must('ln -s /usr/share/nginx/modules-available/mod-http-iri.conf '
        . '/etc/nginx/modules-enabled/50-mod-http-iri.conf; a2enmod iri; '
        . 'grep -q ^IRIEngine /etc/apache2/mods-available/iri.conf',
        'and settings are kept');
    $debian->must("$STOP; $START", 'started again');
};
answers('after it');

subtest 'removed' => sub {
    $debian->must($STOP, 'stopped');
    $debian->must("apt-get -qy remove @OURS", 'removed');
    ok -e "$root/etc/nginx/conf.d/iri.conf.removed",
        'the settings of nginx are set aside';
    like $debian->must('apachectl configtest'), qr/^Syntax OK$/m, 'httpd runs';
    $debian->must('nginx -t', 'nginx runs');
    $debian->must($START, 'started');
    is get($PORT{$_}, '/%93%FA%96%7B%8C%EA.html')->status, 404,
        "$_ is as it was" for sort keys %PORT;
    $debian->must($STOP, 'stopped');
};

subtest 'purged' => sub {
    $debian->must("dpkg --purge @OURS", 'purged');
    my @left = grep { !-d && (-e || -l) } map { "$root$_" } @files;
    is "@left", '', 'no file of theirs';
    my ($code, $output) = $debian->run('find /etc /usr /var -regextype egrep '
        . '-regex ".*/([^/]*[-_])?(lib)?iri([-_.][^/]*)?"');
    is $output, '', 'no name of theirs';
    ($code, $output) = $debian->run("dpkg-query -W -f '\${Version}' @OURS "
        . '2>/dev/null');
    is $output, '', 'dpkg has forgotten them';
    ($code, $output) = $debian->run('grep -rwiE "mod_iri|iri_module|'
        . 'http_iri|iri" /etc /var/lib/apache2 /var/lib/nginx');
    is $output, '', 'nothing speaks of them';
};

done_testing;
