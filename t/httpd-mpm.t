# httpd: processes and protocols: the three MPMs with many clients at once,
# HTTP/2, graceful restarts, and a large cache of indexes shared by threads.
use strict;
use warnings;
use Encode ();
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my $missing = missing('httpd');
plan skip_all => $missing if $missing;

sub in_charset {
    return Encode::encode($_[1], Encode::decode('UTF-8', $_[0]));
}

sub percent {
    my ($path) = @_;
    $path =~ s/([^\x21-\x24\x26-\x7E])/sprintf '%%%02X', ord $1/ge;
    return $path;
}

# Names in EUC-JP, and partly composed ones that only a listing finds: U+1EBF
# as U+00EA U+0301 is neither NFC nor NFD.
my @euc   = map { "日本/語$_.txt" } 1 .. 8;
my @mixed = map { "vi/k\xC3\xAA\xCC\x81$_.txt" } 1 .. 8;
my ($root) = make_tree(join '', map { escaped($_) . "\tfile\n" }
    map({ 'e/' . in_charset($_, 'euc-jp') } @euc), @mixed);

my $conf = <<'END';
IRIEngine On
IRICharset EUC-JP Shift_JIS
IRIRedirect off
<Directory "%%ROOT%%/e">
    IRIFilenameCharset EUC-JP
</Directory>
<Location "/e/日本/語8.txt">
    Require all denied
</Location>
# %%PORT%%
END

# Targets with the expected status and body.
my @expected;
for my $name (@euc) {
    my $body = $name =~ /8/ ? undef : escaped('e/'
        . in_charset($name, 'euc-jp'));
    push @expected, map { [$_, $body ? 200 : 403, $body] }
        percent("/e/$name"), map { percent(in_charset("/e/$name", $_)) }
        qw(euc-jp cp932);
}
for my $name (@mixed) {
    my $nfc = $name =~ s/\xC3\xAA\xCC\x81/\xE1\xBA\xBF/r;
    push @expected, [percent("/$nfc"), 200, escaped($name)];
}

# The errors in the responses.
sub wrong {
    my ($client) = @_;
    my @answers = $client->pipeline(map { $_->[0] } @expected);
    my @wrong;
    for my $i (0 .. $#expected) {
        my ($target, $status, $body) = @{ $expected[$i] };
        push @wrong, "$target: " . $answers[$i]->status
            if $answers[$i]->status != $status
            || defined $body && $answers[$i]->body ne $body;
    }
    return @wrong;
}

# Several clients at once, each in its own process; true if none had an error.
sub crowd {
    my ($server, $rounds, %option) = @_;
    my @children;
    for (1 .. 6) {
        my $pid = fork // die "fork: $!\n";
        if (!$pid) {
            my $client = $server->client(%option);
            my @wrong  = map { wrong($client) } 1 .. $rounds;
            print STDERR "# $_\n" for @wrong;
            require POSIX;
            POSIX::_exit(@wrong ? 1 : 0);
        }
        push @children, $pid;
    }
    my $ok = 1;
    for my $pid (@children) {
        waitpid $pid, 0;
        $ok = 0 if $?;
    }
    return $ok;
}

for my $mpm (qw(event worker prefork)) {
    my $server = httpd(root => $root, mpm => $mpm, conf => $conf);
    ok crowd($server, 5), "$mpm: clients at once";
    is_deeply [$server->errors], [], "$mpm: log";
}

my $server = httpd(root => $root, h2 => 1, conf => $conf);
is_deeply [wrong($server->client(proto => 'h2'))], [], 'h2';
ok crowd($server, 3, proto => 'h2'), 'h2: clients at once';

# Graceful restarts, with other settings, while requests run.
for my $round (1 .. 5) {
    my $changed = $conf =~ s/IRIRedirect off/IRIRedirect @{[
        $round % 2 ? 308 : 'off']}/r;
    ok $server->reload($changed), "restart $round";
    my $answer = $server->get($expected[1][0]);
    is $answer->status, $round % 2 ? 308 : 200, 'the new settings apply';
}
ok $server->reload($conf), 'restart';
is_deeply [wrong($server->client)], [], 'requests after the restarts';
is_deeply [$server->errors], [], 'log';

done_testing;
