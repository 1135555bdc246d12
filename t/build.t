#!/usr/bin/perl
# The build and its documentation: exports of the modules, independence of the
# core from servers, make's targets, and each directive, variable and option is
# documented.
use strict;
use warnings;
use Cwd 'getcwd';
use File::Spec::Functions 'abs2rel';
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;

my $top = "$FindBin::Bin/..";
chdir $top or die "$top: $!\n";

my $reference = slurp('doc/directives.md');

# Symbols that a shared object exports, except those that the linker and
# sanitizers add.
sub exports {
    my ($file) = @_;
    my ($code, $out) = capture('', 'nm', '-D', '--defined-only', $file);
    is $code, 0, "nm $file";
    return grep { !/^(?:_|__asan|__odr)/ } $out =~ / (\w+)$/mg;
}

sub source { return join '', map { slurp($_) } @_ }

subtest 'exports' => sub {
    my $build = build_dir();
    my @core = grep { /^iri_(?!module$)/ }
        map { exports($_) } grep { -e } "$build/mod_iri.so",
        "$build/ngx_http_iri_module.so";
    is "@core", '', 'no exported function of the core';
    ok grep({ $_ eq 'iri_module' } exports("$build/mod_iri.so")),
        'the module record of mod_iri';
    ok grep({ $_ eq 'ngx_http_iri_module' }
            exports("$build/ngx_http_iri_module.so")),
        'the module record of ngx_iri';
};

# The files that nginx's configure writes contain absolute paths: in a copy of
# a built tree nginx must be configured again, or the old module would be used.
subtest 'a copy of a built tree' => sub {
    my $build = build_dir();
    plan skip_all => 'nginx was not configured here'
        if !-e "$build/nginx/Makefile";
    my $copy = temp_dir() . '/copy';
    mkdir $copy or die "$copy: $!\n";
    is +(capture('', 'cp', '-a', glob('*.mk'), qw(Makefile config common
        ngx_iri), $copy))[0], 0, 'the sources';
    mkdir "$copy/$_" or die for qw(build t);
    is +(capture('', 'cp', 't/long.mk', "$copy/t"))[0], 0,
        'copies of the files of make';
    mkdir "$copy/build/nginx" or die;
    is +(capture('', 'cp', '-a', $build . '/nginx.files', "$build/flags",
        "$build/flags.nginx", "$copy/build"))[0], 0, 'the notes of make';
    is +(capture('', 'cp', '-a', "$build/nginx/Makefile",
        "$copy/build/nginx"))[0], 0, 'the output of configure';
    # the variables given to make are in the environment, too
    my @given = qw(MAKEFLAGS MAKELEVEL IRI_BUILD BUILD);
    local @ENV{@given};
    delete @ENV{@given};
    my ($code, $out) = capture('', 'make', '-C', $copy, 'V=1',
        'build/nginx.files');
    is $code, 0, 'make';
    ok -M "$copy/build/nginx.files" < -M "$copy/build/nginx/Makefile",
        'nginx will be configured again';
    like slurp("$copy/build/nginx.files"), qr/\Q$copy\E/, 'for this tree';
};

subtest 'core' => sub {
    for my $file (glob 'common/*.h common/*/*.[ch]') {
        my @servers = slurp($file)
            =~ /#\s*include\s*[<"]((?:httpd|http_|ap_|ngx_|nginx)\S*)[>"]/g;
        my @apr = slurp($file) =~ /#\s*include\s*[<"](apr\S*)[>"]/g;
        @apr = () if $file =~ /_apr\.[ch]$/;
        is "@servers @apr", ' ', "$file knows no server";
    }
};

subtest 'directives' => sub {
    my $adapters = source(glob('ngx_iri/*.c'));
    # httpd has functions without a directive for them.
    my @nginx = grep { $_ ne 'iri_convert' }
        $adapters =~ /ngx_string\("(iri\w*)"\),\s*NGX_HTTP_MAIN/g;
    my @httpd = source(glob 'mod_iri/*.c')
        =~ /AP_INIT_\w+\(\s*"(IRI\w+)"/g;
    cmp_ok scalar @nginx, '>', 6, 'nginx has directives';
    is scalar @nginx, scalar @httpd, 'httpd has as many directives';
    for my $name (@nginx) {
        like $reference, qr/^## \Q$name\E, IRI\w+$/m, "reference of $name";
        like $reference, qr/^Syntax:   \Q$name\E /m, "syntax of $name";
        like $reference, qr/^\| \[`\Q$name\E`\]\(#/m, "$name in the table";
    }
    for my $name (@httpd) {
        like $reference, qr/^## iri\w*, \Q$name\E$/m, "reference of $name";
        like $reference, qr/^\| \[.*\) \| `\Q$name\E` \|/m,
            "$name in the table";
    }
    my %known = map { $_ => 1 } @nginx, @httpd;
    my @unknown = grep { !$known{$_} }
        $reference =~ /^## (\w+), (\w+)$/mg;
    is "@unknown", '', 'no reference of a missing directive';
};

subtest 'variables' => sub {
    my @names = source(glob('ngx_iri/*.c'))
        =~ /ngx_string\("(iri(?:_\w+)?)"\)(?!,\s*NGX_HTTP_\w+CONF)/g;
    my $text = slurp('doc/variables.md');
    my %seen;
    for my $name (grep { !$seen{$_}++ } @names) {
        my $httpd = uc $name;
        like $text, qr/^\| `\$\Q$name\E` \| `\Q$httpd\E` \|/m,
            "\$$name and $httpd";
    }
    cmp_ok scalar keys %seen, '>=', 8, 'nginx has directives';
};

subtest 'limits' => sub {
    my $text = slurp('doc/limits.md');
    my %value = join('', map { slurp($_) } glob 'common/*.h')
        =~ /^#define (IRI_M(?:AX|IN)_\w+) +(?:UINT64_C\()?(\d+)/mg;
    my %documented = map { /^\| (\d+) .*?\| `(\w+)` \|/ ? ($2 => $1) : () }
        split /\n/, $text;
    cmp_ok scalar keys %documented, '>', 20, 'there are entries';
    is $documented{$_}, $value{$_}, $_ for sort keys %documented;
    # Constants that are no limit of a server, or are described in the text.
    my %not_of_servers = map { $_ => 1 } qw(IRI_MAX_CACHE IRI_MAX_LOG_TEXT
        IRI_MAX_IRI);
    is join(' ', grep { !$documented{$_} && !$not_of_servers{$_} } sort keys %value),
        '', 'no other entries';
};

subtest 'command' => sub {
    my ($version) = (capture('', build_dir() . '/iri', '--version'))[1]
        =~ /^iri (\S+)$/;
    like slurp('CHANGES.md'), qr/^Changes with iri \Q$version\E$/m,
        'CHANGES.md';
};

subtest 'make' => sub {
    my ($code, $out) = capture('', 'make', '--no-print-directory', 'help');
    is $code, 0, 'make help';
    for my $target (qw(all deps run test names asan install uninstall format
        check-format clean help)) {
        like $out, qr/^  $target +\S/m, "tells of $target";
    }
    ($code) = capture('', 'make', '-n', $_), is $code, 0, "make -n $_"
        for qw(format check-format clean);
};

subtest 'missing packages' => sub {
    local $ENV{APXS}      = '/nonexistent/apxs';
    local $ENV{NGINX_SRC} = '/nonexistent';
    my ($code, $out) = capture('', '.ci/deps', 'build');
    is $code, 1, 'exit code';
    like $out, qr/^Missing packages: nginx-dev apache2-dev$/m, 'names';
    like $out, qr/make deps/, 'the command that installs missing packages';
    like $out, qr/apt-get install \S+ nginx-dev apache2-dev$/m,
        'the command for a manual installation';
    ($code, $out) = capture('', '.ci/deps', 'run');
    is "$code$out", '0', 'packages are checked by group';
    ($code, $out) = capture('', '.ci/deps', 'nginx');
    like $out, qr/^Missing packages: nginx-dev$/m, 'one server alone';
    like $out, qr{^Install them by: \.ci/deps --install nginx$}m,
        'the command for one server';
};

# A server that is too old is refused, with a message, before anything is
# compiled.
subtest 'old servers' => sub {
    my $tree = temp_dir();
    mkdir "$tree/$_" for qw(src src/core auto);
    spew("$tree/auto/module", 'echo "module: $ngx_module_type"');
    my $configure = sub {
        my ($version, $link, $path) = @_;
        spew("$tree/src/core/nginx.h", "#define nginx_version      $version\n");
        return capture('', 'env', "ngx_addon_dir=$ENV{PWD}",
            "ngx_module_link=$link", 'sh', '-c', "cd $tree && $path . \"\$0\"",
            "$ENV{PWD}/config");
    };
    local $ENV{PWD} = getcwd();
    my ($code, $out) = $configure->(1018000, 'DYNAMIC', '');
    is "$code $out", "0 module: HTTP\n", 'nginx 1.18.0';
    ($code, $out) = $configure->(1031004, 'ADDON', '');
    is "$code $out", "0 module: HTTP_AUX_FILTER\n", 'nginx 1.31.4, static';
    ($code, $out) = $configure->(1017010, 'DYNAMIC', '');
    is $code, 1, 'nginx 1.17.10';
    like $out, qr/error: the IRI module needs nginx 1\.18\.0 or newer/, 'why';
    ($code, $out) = $configure->(1018000, 'DYNAMIC',
        'PKG_CONFIG_LIBDIR=/nonexistent PKG_CONFIG_PATH= && export '
            . 'PKG_CONFIG_LIBDIR PKG_CONFIG_PATH &&');
    is $code, 1, 'without ICU';
    like $out, qr/needs ICU .*libidn2.*apt-get install libicu-dev/s, 'why';

    my ($apxs) = grep { defined } $ENV{APXS}, 'apxs';
    my @folders = map { my $folder = `$apxs -q $_`; chomp $folder;
        "-I$folder" } qw(INCLUDEDIR APR_INCLUDEDIR);
    for my $case (['', 0], [108, 1], [109, 0]) {
        my ($minor, $wanted) = @$case;
        my $older = $minor && "#undef MODULE_MAGIC_NUMBER_MINOR\n"
            . "#define MODULE_MAGIC_NUMBER_MINOR $minor\n";
        ($code, $out, my $err) = capture(
            "#include <httpd.h>\n$older#include \"mod_iri.h\"\n",
            $ENV{CC} || 'gcc', qw(-std=gnu99 -fsyntax-only -D_GNU_SOURCE
            -Icommon -Imod_iri), @folders, qw(-x c -));
        is $code, $wanted, 'httpd of MMN 20120211.' . ($minor || 'here');
        unlike $err, qr/./, 'nothing to say' if !$wanted;
        like $err, qr/error "mod_iri needs httpd 2\.4\.49 or newer/, 'why'
            if $wanted;
    }
};

subtest 'left behind' => sub {
    plan skip_all => 'no git' if !-e '.git';
    my ($code, $out) = capture('', 'git', 'status', '--porcelain',
        '--ignored');
    plan skip_all => 'git does not answer here' if $code;
    my $build = abs2rel(build_dir()) =~ s{/.*}{}r;
    my @left = grep { !m{^!! \Q$build\E/$|^!! build/$} }
        grep { /^!!/ } split /\n/, $out;
    is "@left", '', 'no ignored files outside build/';
};

subtest 'clang' => sub {
    my ($code) = capture('', 'sh', '-c', 'command -v clang');
    plan skip_all => 'no clang' if $code;
    my $build = temp_dir();
    local $ENV{MAKEFLAGS} = '';
    # nginx built with clang: the core is then compiled by clang, too.
    my ($made, $out, $err) = capture('', 'make', 'CC=clang', "BUILD=$build",
        'CFLAGS=-Wpointer-arith -Wconditional-uninitialized', 'lib', 'cli',
        'httpd');
    is $made, 0, 'core, command and mod_iri without a warning'
        or diag $err;
};

done_testing;
