#!/usr/bin/perl
# The build and its documentation: exports of the modules, independence of the
# core from servers, make's targets, and each directive, variable and option is
# documented.
use IRI::Test;
use Cwd 'getcwd';
use File::Spec::Functions 'abs2rel';

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

subtest 'exports' => sub {
    my $build = build_dir();
    my @core = grep { /^iri_(?!module$)/ }
        map { exports($_) } grep { -e } "$build/mod_iri.so",
        "$build/ngx_http_iri_module.so";
    is "@core", '', 'no module exports a function of the core';
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

# Whoever links libiri.a needs no server.
subtest 'core' => sub {
    my ($code, $out) = capture('', 'nm', '-u', build_dir() . '/libiri.a');
    is $code, 0, 'nm';
    my @other = $out =~ /^ +U ((?:apr|ap|ngx)_\w+)$/mg;
    is "@other", '', 'the core calls no server and no APR';
};

# The words of a module that may be directives or variables: the ends of its
# constants, because the linker stores a word within a longer one.
sub words_of {
    my ($file) = @_;
    my $constants = temp_dir() . '/constants';
    capture('', qw(objcopy -O binary -j .rodata), $file, $constants);
    my %seen;
    return grep { !$seen{$_}++ }
        slurp($constants) =~ /(iri(?:_[a-z]+)*)\0/g;
}

# The first line of `nginx -t`.
sub nginx_says { return (nginx_t(@_))[1] =~ s/\n.*//sr }

subtest 'directives' => sub {
    my @rows = $reference =~ /^\| \[`(iri\w*)`\]\(#.*\) \| `(\w+)/mg;
    my %httpd = @rows;
    for my $name (sort keys %httpd) {
        like $reference, qr/^## $name, $httpd{$name}/m, "reference of $name";
        like $reference, qr/^Syntax:   $name(?: |;)/m, "syntax of $name";
    }
    SKIP: {
        skip 'nginx', 1 if missing('nginx');
        my @known = grep { nginx_says("$_;") !~ /unknown directive/ }
            words_of(IRI::Nginx->module);
        # In httpd functions need no directive.
        is "@{[sort @known]}", "@{[sort keys %httpd, 'iri_convert']}",
            'nginx: documented, and no others';
    }
    SKIP: {
        skip 'httpd', 1 if missing('httpd');
        my $server = IRI::Httpd->new;
        local %ENV = (%ENV, IRI::Server::sanitizer_env($server->tmp));
        my ($code, $list) = capture('', $server->command, '-L');
        is "@{[sort $list =~ /^(IRI\w+) \(/mg]}",
            "@{[sort grep { /^IRI/ } values %httpd]}",
            'httpd: documented, and no others';
    }
};

subtest 'variables' => sub {
    my %httpd = slurp('doc/variables.md') =~ /^\| `\$(iri\w*)` \| `(\w+)` \|/mg;
    is $httpd{$_}, uc, "\$$_ has the same name in httpd" for sort keys %httpd;
    plan skip_all => 'nginx' if missing('nginx');
    my @known = grep { nginx_says("add_header X \$$_;") !~ /unknown "/ }
        words_of(IRI::Nginx->module);
    is "@{[sort @known]}", "@{[sort keys %httpd]}",
        'documented, and no others';
};

subtest 'limits' => sub {
    my %value = map { /^\| (\d+) .*?\| `(\w+)` \|/ ? ($2 => $1) : () }
        split /\n/, slurp('doc/limits.md');
    cmp_ok scalar keys %value, '>', 20, 'there are entries';
    my ($code, undef, $err) = capture(join("\n", '',
        (map { s{common/}{}r =~ s/.*/#include "$&"/r } glob 'common/*.h'),
        map {qq{_Static_assert($_ == $value{$_}, "$_");}} sort keys %value),
        $ENV{CC} || 'gcc', qw(-std=gnu11 -fsyntax-only -Icommon -x c -));
    is $code, 0, 'the documented values' or diag $err;
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
    for my $target (qw(all deps run test asan install uninstall format
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
    my ($source) = glob 'mod_iri/*.c';
    for my $case (['', 0], [108, 1], [109, 0]) {
        my ($minor, $wanted) = @$case;
        my $older = $minor && "#undef MODULE_MAGIC_NUMBER_MINOR\n"
            . "#define MODULE_MAGIC_NUMBER_MINOR $minor\n";
        ($code, $out, my $err) = capture(
            "#include <httpd.h>\n$older#include \"$source\"\n",
            $ENV{CC} || 'gcc', qw(-std=gnu99 -fsyntax-only -D_GNU_SOURCE
            -I. -Icommon), @folders, qw(-x c -));
        is $code, $wanted, 'httpd of MMN 20120211.' . ($minor || 'here');
        unlike $err, qr/./, 'nothing to say' if !$wanted;
        like $err, qr/error "mod_iri needs httpd 2\.4\.49 or newer/, 'why'
            if $wanted;
    }
};

subtest 'ignored files' => sub {
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
