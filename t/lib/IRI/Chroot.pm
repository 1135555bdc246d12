# A fresh Debian in a folder, made by debootstrap, to install packages in.
# Root only, and in name spaces of its own (t/deb/alone), so that nothing stays
# mounted and no process runs on.
#
#   my $debian = IRI::Chroot->new('deb-test');
#   my ($code, $output) = $debian->run('apt-get -y install nginx && nginx -t');
package IRI::Chroot;
use strict;
use warnings;
use Cwd 'realpath';
use Fcntl ':flock';
use File::Path qw(make_path remove_tree);
use IRI::Server qw(build_dir capture spew);
use Test::More ();

# Below build/chroot/: NAME is created again for each run; the base system and
# the downloaded packages stay. Commands and their output are appended to
# build/LOG.log.
sub new {
    my ($class, $name, $log) = @_;
    die "only root can make a Debian in a folder\n" if $> != 0;
    die "run this by t/deb/alone: what is mounted here would stay\n"
        if !$ENV{IRI_ALONE};
    make_path(build_dir() . '/chroot/archives/partial');
    my $cache = realpath(build_dir() . '/chroot');
    my $self  = bless { root => "$cache/$name", cache => $cache,
        log => realpath(build_dir()) . '/' . ($log // $name) . '.log' },
        $class;
    # Another run uses the downloaded packages until it ends.
    open $self->{lock}, '>', "$cache/lock" or die "$cache/lock: $!\n";
    flock $self->{lock}, LOCK_EX;
    $self->make_base if !-e "$cache/base.tar";
    remove_tree($self->{root});
    make_path($self->{root});
    $self->host('tar', '-xpf', "$cache/base.tar", '-C', $self->{root});
    $self->host('mount', '-t', 'proc', 'proc', "$self->{root}/proc");
    $self->host('mount', '--bind', "$cache/archives",
        "$self->{root}/var/cache/apt/archives");
    return $self;
}

sub root { $_[0]{root} }
sub log  { $_[0]{log} }

# A package that is in no release known here does not come from Debian.
sub sources {
    my (undef, $out) = capture('', 'apt-get', 'indextargets', '--format',
        '$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)',
        'Created-By: Packages');
    my @sources = map { [split] } $out =~ /^Debian (\S+ \S+ \S+)$/mg;
    @sources or die "apt knows no sources of Debian\n";
    return @sources;
}

# The suite of this machine, from its own package sources, with its updates.
sub make_base {
    my ($self) = @_;
    my @sources = sources();
    my ($first) = grep { $_->[1] !~ /-/ } @sources;
    my $folder  = "$self->{cache}/base";
    remove_tree($folder);
    $self->host('debootstrap', '--variant=minbase', $first->[1], $folder,
        $first->[0]);
    spew("$folder/etc/apt/sources.list",
        join '', map { "deb @$_\n" } @sources);
    # No package may start a service here, because ports are shared with the
    # host.
    spew("$folder/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n");
    chmod 0755, "$folder/usr/sbin/policy-rc.d";
    for my $file (qw(/etc/resolv.conf /etc/hosts)) {
        $self->host('cp', '-L', $file, "$folder$file") if -e $file;
    }
    $self->host('chroot', $folder, 'apt-get', '-q', 'update');
    $self->host('tar', '-cf', "$self->{cache}/base.tar.new", '-C', $folder,
        '.');
    rename "$self->{cache}/base.tar.new", "$self->{cache}/base.tar"
        or die "$self->{cache}/base.tar: $!\n";
    remove_tree($folder);
    return;
}

# Ends the processes that still run in it, and removes it.
sub remove {
    my ($self) = @_;
    $self->run('for pid in /run/*.pid /run/*/*.pid; do '
        . '[ ! -e $pid ] || kill $(cat $pid); done; sleep 1');
    $self->host('umount', "$self->{root}/proc",
        "$self->{root}/var/cache/apt/archives");
    remove_tree($self->{root});
    return;
}

# A command on the host, which must succeed.
sub host {
    my ($self, @command) = @_;
    my ($code, $output) = $self->logged("@command", @command);
    die "@command: exit code $code\n$output" if $code;
    return $output;
}

# A script for sh, in the chroot: its exit code and output.
sub run {
    my ($self, $script, @before) = @_;
    return $self->logged("# $script", @before, 'chroot', $self->{root},
        'env', '-i', 'PATH=/usr/local/sbin:/usr/local/bin:'
            . '/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8',
        'DEBIAN_FRONTEND=noninteractive', 'sh', '-ec', $script);
}

# As run(), and tests the exit code; returns the output.
sub must {
    my ($self, $script, $name) = @_;
    my ($code, $output) = $self->run($script);
    Test::More::is($code, 0, $name // $script) or Test::More::diag($output);
    return $output;
}

sub logged {
    my ($self, $title, @command) = @_;
    my ($code, $out) = capture('', 'sh', '-c', 'exec "$@" 2>&1', 'sh',
        @command);
    open my $log, '>>:raw', $self->{log} or die "$self->{log}: $!\n";
    print {$log} "$title\n$out", $code ? "(exit code $code)\n" : '', "\n";
    return ($code, $out);
}

1;
