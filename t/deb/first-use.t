#!/usr/bin/perl
# `make first-use`: what README.md says of the installation, by its letter, in a
# fresh Debian with the packages that it asks for and a clone of the sources,
# once for each server. Blocks of "sh" are run, what a line names in backticks
# gets the block below it, and "console" has commands and what they say. All of
# it, with all that was said, is in build/first-use.log.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IRI::Chroot;
use IRI::Test;
use Test::More;

my $top = "$FindBin::Bin/../..";
my ($install) = slurp("$top/README.md") =~ /^## Install(.*?)^## /ms
    or BAIL_OUT('README.md says nothing of installation');
my ($before, @sections) = split /^### /m, $install;
my ($needed) = $before =~ /with ([\w, ]+) installed/;
my @packages = split / and |, /, $needed // '';
is "@packages", 'git make curl', 'packages that have to be there';

# A network of its own, where port 80 is free, for all but what fetches or
# builds: commands of which it is before.
my $network = temp_dir() . '/net';
spew($network, '');
system('unshare', "--net=$network", $^X, '-MSocket', '-e', <<'END') == 0
    # lo, up and running
    socket my $any, AF_INET, SOCK_DGRAM, 0 or die $!;
    my $flags = pack 'a16 s x16', 'lo', 0x41;
    ioctl $any, 0x8914, $flags or die $!;
END
    or BAIL_OUT('no network of its own');

sub in_network {
    my ($script) = @_;
    return $script =~ /^(?:make|apt-get|git)\b/m
        ? () : ('nsenter', "--net=$network");
}

# A block, and the text before it.
sub follow {
    my ($debian, $text, $language, $block) = @_;
    if ($language eq 'sh') {
        my ($code, $said) = $debian->run("cd /root/iri\n$block",
            in_network($block));
        is $code, 0, $block =~ s/\n(?=.)/; /gr =~ s/\n//gr or diag $said;
    }
    elsif ($language eq 'console') {
        for my $part (split /^\$ /m, $block) {
            my ($command, $wanted) = $part =~ /\A([^\n]+)\n(.*)/s or next;
            my ($code, $said) = $debian->run("cd /root/iri\n$command",
                in_network($command));
            is $said, $wanted, $command;
        }
    }
    elsif ($text =~ /`(\/[^`]+)`[^`\n]*\n+\z/) {
        spew($debian->root . $1, $block);
        pass "written: $1";
    }
    return;
}

unlink build_dir() . '/first-use.log';
my $followed = 0;
for my $section (@sections) {
    my ($title, $rest) = $section =~ /^(.*?)\n(.*)/s;
    my @parts = split /^```(\w+)\n(.*?)^```\n/ms, $rest;
    next if !grep { $_ eq 'sh' } @parts;
    $followed++;
    subtest $title => sub {
        my $debian = IRI::Chroot->new("first-use-$followed", 'first-use');
        $debian->must('apt-get -qy --no-install-recommends install '
            . "ca-certificates @packages", 'the packages');
        $debian->host('git', 'clone', '-q', $top, $debian->root . '/root/iri');
        while (my ($text, $language, $block) = splice @parts, 0, 3) {
            follow($debian, $text, $language, $block)
                if defined $language;
        }
        $debian->remove;
    };
}
is $followed, 2, 'both servers';
system 'umount', $network;

done_testing;
