#!/usr/bin/perl
# `make first-use`: the installation by README.md, literally, in a fresh Debian
# with the packages that it requires and a clone of the sources, once for each
# server, down to the removal of the package with its settings in place, and
# once from the sources as in doc/nginx.md and doc/httpd.md. Blocks of "sh" are
# executed, a file named in backticks gets the content of the block below, and
# "console" blocks have commands and their output. Commands and output are in
# build/first-use.log.
use IRI::Test;
use IRI::Chroot;

my $top = "$FindBin::Bin/../..";
my $SOURCES = '/srv/iri';    # in the fresh Debian
my ($install) = slurp("$top/README.md") =~ /^## Install(.*?)^## /ms
    or BAIL_OUT('README.md has no section about installation');
my ($before, @sections) = split /^### /m, $install;
my ($needed) = $before =~ /with ([\w, ]+) installed/;
my @packages = split / and |, /, $needed // '';
is "@packages", 'git make curl', 'packages that have to be there';

# A network namespace in which port 80 is free, for all commands except those
# that download or build: a prefix for these commands.
my $network = temp_dir() . '/net';
spew($network, '');
system('unshare', "--net=$network", $^X, '-MSocket', '-e', <<'END') == 0
    # lo, up and running
    socket my $any, AF_INET, SOCK_DGRAM, 0 or die $!;
    my $flags = pack 'a16 s x16', 'lo', 0x41;
    ioctl $any, 0x8914, $flags or die $!;
END
    or BAIL_OUT('no separate network');

sub in_network {
    my ($script) = @_;
    return $script =~ /^(?:make|apt-get|git)\b/m
        ? () : ('nsenter', "--net=$network");
}

# A block, and the text before it, are executed.
sub follow {
    my ($debian, $text, $language, $block) = @_;
    if ($language eq 'sh') {
        # a server must run in the network, and packages come from outside
        for my $command (split /(?<!\\)\n/, $block) {
            my ($code, $output) = $debian->run("cd $SOURCES\n$command",
                in_network($command));
            is $code, 0, $command or diag $output;
        }
    }
    elsif ($language eq 'console') {
        for my $part (split /^\$ /m, $block) {
            my ($command, $wanted) = $part =~ /\A([^\n]+)\n(.*)/s or next;
            my ($code, $output) = $debian->run("cd $SOURCES\n$command",
                in_network($command));
            is $output, $wanted, $command;
        }
    }
    elsif ($text =~ /`(\/[^`]+)`[^`\n]*\n+\z/) {
        spew($debian->root . $1, $block);
        pass "written: $1";
    }
    return;
}

# Creates a fresh Debian with these packages and the sources.
sub fresh {
    my ($name, @there) = @_;
    my $debian = IRI::Chroot->new($name, 'first-use');
    $debian->must('apt-get -qy --no-install-recommends install '
        . "ca-certificates @packages @there", 'the packages');
    $debian->host('git', 'clone', '-q', $top, $debian->root . $SOURCES);
    return $debian;
}

unlink build_dir() . '/first-use.log';
my %parts;
my $followed = 0;
for my $section (@sections) {
    my ($title, $rest) = $section =~ /^(.*?)\n(.*)/s;
    my @parts = split /^```(\w+)\n(.*?)^```\n/ms, $rest;
    next if !grep { $_ eq 'sh' } @parts;
    $followed++;
    $parts{ lc $title =~ s/Apache //r } = [@parts];
    subtest $title => sub {
        my $debian = fresh("first-use-$followed");
        while (my ($text, $language, $block) = splice @parts, 0, 3) {
            follow($debian, $text, $language, $block)
                if defined $language;
        }
        my $server = $title =~ /httpd/ ? 'apache2' : 'nginx';
        my ($code, $output) = $debian->run("curl -s -o /dev/null"
            . " -w '%{http_code}' http://localhost/%93%FA%96%7B%8C%EA.html",
            in_network(''));
        is $output, 404, 'without the module the server runs';
        ($code, $output) = $debian->run('find /etc/systemd/system'
            . " -name $server.service");
        like $output, qr{/\Q$server\E\.service$}m, 'and starts at boot';
        $debian->remove;
    };
}
is $followed, 2, 'both servers';

# The servers are installed. The steps after the packages are those of
# README.md.
subtest 'from the sources' => sub {
    my $debian = fresh('first-use-sources', 'nginx', 'apache2');
    $debian->must("cd $SOURCES; make deps", 'what a build needs');
    for (['nginx', '/run/nginx.pid'], ['httpd', '/run/apache2/apache2.pid']) {
        my ($server, $pid) = @$_;
        my ($guide) = slurp("$top/doc/$server.md")
            =~ /^## Install\n(.*?)^## /ms;
        my ($make, $line) = $guide =~ /^```\w+\n(.*?)^```\n/msg;
        my ($file) = $guide =~ m{on Debian into a file `(/etc/[^`]+)`};
        my @enable = $guide =~ /then `(a2enmod iri)`/;
        follow($debian, '', 'sh', $make);
        spew($debian->root . $file, $line);
        $debian->must($_, $_) for @enable;
        my @parts = @{ $parts{$server} };
        splice @parts, 0, 3;
        splice @parts, -4;    # the removal of the package
        while (my ($text, $language, $block) = splice @parts, 0, 3) {
            follow($debian, $text, $language, $block)
                if defined $language;
        }
        my ($code, $output) = $debian->run(<<"END", in_network(''));
kill \$(cat $pid)
for second in 1 2 3 4 5 6 7 8 9; do
    curl -s http://localhost/ > /tmp/page || break
    sleep 1
done
curl -s http://localhost/ && exit 1
rm /var/www/html/*.html
END
        is $code, 0, "$server has ended" or diag $output;
    }
    $debian->must("cd $SOURCES; make uninstall", 'make uninstall');
    my ($code, $output) = $debian->run('find /usr -regextype egrep -regex '
        . '".*/([^/]*[-_])?(lib)?iri([-_.][^/]*)?"');
    is $output, '', 'leaves nothing';
    $debian->remove;
};
system 'umount', $network;

done_testing;
