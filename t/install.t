#!/usr/bin/perl
# `make install` and `make uninstall` into a directory of their own: both
# modules are loaded and the command is run from there, other files in it stay,
# and an installation for one server does not require the other.
use IRI::Test;
use Cwd 'realpath';
use File::Find 'find';
use File::Spec::Functions 'abs2rel';

my $top = "$FindBin::Bin/..";
chdir $top or die "$top: $!\n";
plan skip_all => $_ for grep { $_ } map { missing($_) } qw(core nginx httpd);
plan skip_all => 'what is instrumented is not installed' if $ENV{IRI_ASAN};

my $build = abs2rel(realpath(build_dir()), realpath('.'));
my $dest  = temp_dir() . '/de st';

# The settings of the build are kept, options are not.
local $ENV{MAKEFLAGS} =
    ($ENV{MAKEFLAGS} // '') =~ /( -- .*)/s ? $1 : '';
my ($prefix) = split ' ', slurp("$build/prefix");

sub make {
    my @arguments = @_;
    return capture('', 'make', '--no-print-directory', "BUILD=$build",
        "PREFIX=$prefix", "DESTDIR=$dest", @arguments);
}

# All files below a directory, relative to it.
sub there {
    my @found;
    find({ no_chdir => 1, wanted => sub { push @found, $_ if !-d } }, $dest);
    return sort map { substr $_, length $dest } @found;
}

# A name in Unicode requested in Shift_JIS.
sub answers {
    my ($server) = @_;
    my ($answer) = map { $server->get($_) } '/%93%FA%96%7B%8C%EA.html';
    is $answer->status . $answer->body, '200here', 'answers in Shift_JIS';
    return;
}

my $root = temp_dir();
spew("$root/\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E.html", 'here');

my ($code, $out, $err) = make('install');
is "$code$err", '0', 'make install';
my ($mod_iri, $load) = $out =~ m{LoadModule (iri_module (/.*/mod_iri\.so))$}m
    ? ($2, $1) : ();
my ($ngx_iri) = $out =~ m{load_module (/.*/ngx_http_iri_module\.so);$}m;
BAIL_OUT('install prints no modules') if !$mod_iri || !$ngx_iri;
my @installed = there();
is_deeply [grep { !m{^$prefix/share/(?:doc/iri|man/man3)/} } @installed],
    [sort $mod_iri, $ngx_iri, map { "$prefix/$_" } (map {
    s{^common/}{include/}r } glob 'common/*.h'), qw(bin/iri lib/libiri.a
    lib/pkgconfig/libiri.pc share/man/man1/iri.1
    share/bash-completion/completions/iri
    share/zsh/site-functions/_iri)], 'installed files';
my @documents = map { "$prefix/share/doc/iri/$_" } 'README.md', 'LICENSE',
    'mod_iri/example.conf', 'ngx_iri/example.conf', 'doc/api.md',
    glob 'doc/*.md';
my %is = map { $_ => 1 } @installed;
push @documents, map { "$prefix/share/man/man3/$_.3" } qw(libiri iri_find);
is_deeply [grep { !$is{$_} } @documents], [], 'installed documents';

subtest 'nginx' => sub {
    answers(nginx(stock => 1, root => $root,
        main => "load_module \"$dest$ngx_iri\";\n", conf => <<'END'));
server {
    listen 127.0.0.1:%%PORT%%;
    root   %%ROOT%%;
    iri    on;
    iri_charset Shift_JIS;
}
END
};

subtest 'httpd' => sub {
    answers(httpd(stock => 1, root => $root, conf => <<"END"));
LoadModule iri_module "$dest$mod_iri"
IRIEngine  On
IRICharset Shift_JIS
END
};

subtest 'command' => sub {
    my ($code, $out) = capture('', "$dest$prefix/bin/iri", 'explain', '--root',
        $root, '--charset', 'shift_jis', '/%93%FA%96%7B%8C%EA.html');
    is $code, 0, 'iri explain';
    like $out, qr/\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E\.html/, 'finds it';
};

# The guide contains the commands, and the line that the last of them prints
# here.
my %where = (httpd => $mod_iri, nginx => $ngx_iri);
for my $server (sort keys %where) {
    my ($guide) = slurp("doc/$server.md") =~ /^## Install\n(.*?)^## /ms;
    my ($block) = $guide =~ /^```sh\n(.*?)^```/ms;
    my ($code, $output) = (1, '');
    for my $step ($block =~ /^make(.*)$/mg) {
        ($code, $output) = make('DOCS=', split ' ', $step);
        is $code, 0, "doc/$server.md: make$step";
    }
    my ($line) = $guide =~ /^```(?:nginx|apache)\n(.*\n)```/m;
    my ($last) = $output =~ /^To load it.*?: (.*\n)\z/m;
    SKIP: {
        skip "$server is not Debian's", 1 if $where{$server} !~ m{^/usr/lib/};
        is $line, $last, "doc/$server.md: what that prints";
    }
}

# A running server has mapped the file.
my $before = (stat "$dest$mod_iri")[1];
is +(make('DOCS=', 'install-httpd'))[0], 0, 'once more';
isnt +(stat "$dest$mod_iri")[1], $before,
    'a module is replaced, not overwritten';

subtest 'uninstall' => sub {
    my @others = ("$prefix/share/doc/iri/doc/notes.txt", "$ngx_iri.old");
    spew("$dest$_", '') for @others;
    my ($code, undef, $err) = make('uninstall');
    is "$code$err", '0', 'make uninstall';
    is_deeply [there()], [sort @others], "what is others' stays";
    unlink map { "$dest$_" } @others;
    is +(make('uninstall'))[0], 0, 'uninstalling twice is no error';
    ok !-e "$dest$prefix/share/doc/iri",
        'its directory of documents is removed';
};

# Sources and program of the other server do not exist, and documents do not
# matter.
my @no_nginx = ('DOCS=', 'NGINX_SRC=/nonexistent', 'NGINX=/nonexistent');
my @no_httpd = ('DOCS=', 'APXS=/nonexistent/apxs');
subtest 'one server' => sub {
    is +(make(@no_nginx, 'install-httpd'))[0], 0, 'httpd without nginx';
    is_deeply [grep { /\.so$/ } there()], [$mod_iri], 'only this module';
    is +(make('uninstall'))[0], 0, 'away';
    is +(make(@no_httpd, 'install-nginx'))[0], 0, 'nginx without httpd';
    is_deeply [grep { /\.so$/ } there()], [$ngx_iri], 'only this module';
    is +(make(@no_httpd, @no_nginx, 'install-cli', 'install-lib'))[0], 0,
        'neither';
    is +(make('uninstall'))[0], 0, 'away';
    is_deeply [there()], [], 'no files are left';

    my ($code, undef, $err) = make('NGINX=/nonexistent', 'NGINX_MODULES=',
        'DOCS=', 'install-nginx');
    isnt $code, 0, 'a folder that is not known';
    like $err, qr/Say NGINX=program or NGINX_MODULES=directory/,
        'the message names the variable';
    is +(make('DOCS=', 'NGINX_MODULES=/opt/modules',
        'install-nginx'))[0], 0, 'with NGINX_MODULES';
    ok -e "$dest/opt/modules/ngx_http_iri_module.so", 'the installed module';
};

# Words of a list: "/a b/bin/iri" would be "/a" and, in the current directory,
# "b/bin/iri".
subtest 'blanks' => sub {
    for my $make_target ('install-cli', 'uninstall') {
        my ($code, $out, $err) = make("PREFIX=$dest/a b", '-n', $make_target);
        isnt $code, 0, $make_target;
        like $err, qr/PREFIX.*: no blanks may be in it/, 'a message';
        unlike $out, qr/^set -e; for|^for one/m, 'and nothing is done';
    }
};

# The packages themselves are tested by `make deb-test`.
subtest 'packages' => sub {
    my ($version) = (capture('', "$build/iri", '--version'))[1]
        =~ /^iri (\S+)$/;
    like slurp('debian/changelog'), qr/^iri \(\Q$version\E\) /,
        'debian/changelog is of this version';
    my $settings = join "\n",
        slurp('debian/iri.conf') =~ /^#([^ \n].*|    .*)$/mg;
    like $settings, qr/^IRICharset .*^<Directory /ms, 'there are entries';
    my ($code, $output) = httpd_t("$settings\n");
    is $code, 0, 'the commented settings of debian/iri.conf' or diag $output;
};

# The directory of modules by `nginx -V`.
subtest 'folder of modules' => sub {
    my %output = (
        '--prefix=/a --modules-path=/b/m --with-compat' => '/b/m',
        '--prefix=/a --modules-path=m' => '/a/m',
        '--prefix=/a'                  => '/a/modules',
        '--with-compat'                => '/usr/local/nginx/modules',
    );
    my $nginx = temp_dir() . '/nginx';
    for my $output (sort keys %output) {
        spew($nginx, "#!/bin/sh\necho 'configure arguments: $output' >&2\n");
        chmod 0755, $nginx;
        my ($code, $out) = make("NGINX=$nginx", '-n', 'install-nginx');
        like $out, qr{load_module \Q$output{$output}\E/ngx_http}, $output;
    }
};

done_testing;
