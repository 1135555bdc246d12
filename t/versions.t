#!/usr/bin/perl
# An nginx other than Debian's, as in doc/versions.md: a source tree that has
# only auto/configure, the arguments of `nginx -V`, the signature of the build,
# and a source tree that stays unchanged.
use IRI::Test;

my $top = "$FindBin::Bin/..";
chdir $top or die "$top: $!\n";
my $source = '/usr/share/nginx/src';
plan skip_all => missing('nginx', stock => 1)
    if missing('nginx', stock => 1);
plan skip_all => 'no sources of Debian here' if !-e "$source/conf_flags";

my $tmp  = temp_dir();
my $tree = "$tmp/nginx";
system('cp', '-rL', $source, $tree) == 0 or die "cp: $?\n";
unlink "$tree/conf_flags";
rename "$tree/configure", "$tree/auto/configure" or die "configure: $!\n";
# As a build in the source tree leaves it.
spew("$tree/Makefile", "its own\n");

# Each file with its size and time.
sub listing {
    my @found = capture('', 'find', $tree, '-printf', '%p %s %T@ %y\n');
    return join "\n", sort split /\n/, $found[1];
}

# The command of doc/versions.md, executed unchanged, except for the names.
my ($shown) = slurp('doc/versions.md') =~ /^```sh\n(NGX=.*?)^```$/ms;
ok $shown, 'doc/versions.md shows it' or BAIL_OUT('nothing to run');
my $nginx = IRI::Nginx->binary;
s{\bnginx -V}{$nginx -V}, s{\bmake\b}{make "BUILD=$tmp/build"},
    s{/usr/local/src/nginx}{$tree}, s{ nginx$}{ $tmp/build/nginx/Makefile}m
    for $shown;

my $before = listing();
local $ENV{MAKEFLAGS} = '';
my ($code, $out, $err) = capture('', 'sh', '-ec', $shown);
is $code, 0, 'configured' or diag "$shown\n$out$err";
is listing(), $before, 'nothing is written into the tree of sources';
ok -e "$tmp/build/nginx/src/auto/configure", 'but into one of links';

# The values that nginx compares before it loads a module.
($code, $out, $err) = capture("#include <ngx_config.h>\n"
    . "#include <ngx_core.h>\nsignature: NGX_MODULE_SIGNATURE\n",
    $ENV{CC} || 'gcc', qw(-E -P -), "-I$tmp/build/nginx",
    map { "-I$tree/src/$_" } qw(core event os/unix event/modules));
is $code, 0, 'its headers' or diag $err;
my ($literals) = $out =~ /^signature: (.*)/ms;
my $signature = join '', ($literals // '') =~ /"([^"]*)"/g;
like $signature, qr/^\d,\d,\d,[01]{30,}$/, 'a signature';
like slurp($nginx), qr/\x00\Q$signature\E\x00/, 'is that of nginx';

done_testing;
