#!/usr/bin/perl
# libiri.a for other programs: the example of doc/examples is built and works,
# the functions declared in iri_ref.h exist, and no module contains code that
# no server needs.
use IRI::Test;
use File::Basename;

my $top   = "$FindBin::Bin/..";
my @headers = glob "$top/common/*.h";
my $build = build_dir();
my $cc    = $ENV{CC} // 'gcc';
plan skip_all => 'libiri.a is not built' if !-e "$build/libiri.a";
plan skip_all => 'libiri.a is instrumented' if $ENV{IRI_ASAN};

my (undef, $libs) = capture('', 'pkg-config', '--libs', 'icu-i18n',
    'icu-uc', 'libidn2');

for my $source (glob "$top/doc/examples/*.c") {
    my ($name) = $source =~ m{([^/]+)\.c$};
    my $program = temp_dir() . "/$name";
    my ($code, $out, $err) = capture('', $cc, qw(-std=gnu99 -Wall -Wextra
        -Werror), "-I$top/common", '-o', $program, $source,
        "$build/libiri.a", split ' ', $libs);
    is "$code$err", '0', "$name.c is built";
    if ($name eq 'resolve') {
        ($code, $out) = capture('', $program, 'http://bücher.example/a/b',
            '../%C3%A9', 'a b');
        is "$code $out", <<'END', 'the example resolves a reference';
0 ../%C3%A9
  IRI: http://bücher.example/é
  URI: http://xn--bcher-kva.example/%C3%A9
a b
  expected a character of a path, "?", "#" or the end at 1
END
    }
}

# Built against an installation in a directory of its own.
subtest 'pkg-config' => sub {
    plan skip_all => 'libiri.pc is not built' if !-e "$build/libiri.pc";
    my ($version) = (capture('', "$build/iri", '--version'))[1]
        =~ /^iri ([\d.]+)$/;
    ok $version, 'version of the command';
    is slurp("$build/libiri.pc") =~ /^Version: (.*)$/m && $1, $version,
        'version in libiri.pc';

    my $prefix = temp_dir() . '/usr';
    my ($code, $out, $err) = capture('', 'make', '-s', '-C', $top,
        "PREFIX=$prefix", "BUILD=$prefix/lib", "$prefix/lib/libiri.pc");
    is "$code$err", '0', 'make libiri.pc for another prefix';
    mkdir "$prefix/include";
    symlink "$build/libiri.a", "$prefix/lib/libiri.a";
    symlink $_, "$prefix/include/" . basename($_) for @headers;
    local $ENV{PKG_CONFIG_PATH} = "$prefix/lib";
    (undef, my $flags) = capture('', 'pkg-config', '--cflags', '--libs',
        'libiri');
    like $flags, qr{-I\Q$prefix\E/include .*-L\Q$prefix\E/lib -liri },
        'the folders';
    ($code, $out, $err) = capture('', $cc, '-o', "$prefix/resolve",
        "$top/doc/examples/resolve.c", split ' ', $flags);
    is "$code$err", '0', 'an example is built by it';
    (undef, $out) = capture('', "$prefix/resolve", 'http://a/b', 'c');
    like $out, qr{^  URI: http://a/c$}m, 'the example runs';
};

# The reference is generated from the comments of the public headers.
subtest 'the reference' => sub {
    my $dir = temp_dir();
    my ($code, undef, $err) = capture('', 'perl', "$top/doc/make-api",
        $dir, @headers);
    is "$code$err", '0', 'is made';
    my $code_of = join('', map { slurp($_) } @headers) =~ s{/\*.*?\*/}{}gsr;
    my @declared = $code_of
        =~ /^(?!return)[a-z][\w *]*?\b(iri_\w+)\(/mg;
    cmp_ok scalar @declared, '>', 100, 'functions are declared';
    my (%about, %code);
    for (split /^### /m, slurp("$dir/api.md") =~ s/^## .*\n//mgr) {
        my ($names, $about, $text) =
            /\A([^\n]*)\n\n(.*?)```c\n(.*?)```/s or next;
        @about{ $names =~ /`(\w+)`/g } = ($about) x 99;
        @code{ $names =~ /`(\w+)`/g } = ($text) x 99;
    }
    for my $name (@declared) {
        like $about{$name} // '', qr/\w/, "$name is described";
        next if ($code{$name} // '') !~ /^iri_status_t \Q$name\E\b/m;
        like $about{$name}, qr/
            NO\\_MEMORY|ICU\\_FAILED|IO\\_FAILED|[Aa]s\s`iri|[Nn]o\smemory
            |Statuses\s+as/x, "$name can fail, and says how";
    }
    my @pages = glob "$dir/man/man3/*.3";
    is join(' ', grep { !-e "$dir/man/man3/$_.3" } @declared), '',
        'a page each';
    my @wrong = (capture('', 'sh', '-c', 'command -v groff'))[0] ? ()
        : capture('', 'groff', '-man', '-ww', '-z',
            grep { slurp($_) !~ /^\.so/ } @pages);
    is $wrong[2] // '', '', 'form of the manuals';
};

subtest 'declared functions' => sub {
    my @names = slurp("$top/common/iri_ref.h")
        =~ /^[a-z][\w *]*?\b(iri_\w+)\(/mg;
    my (undef, $out) = capture('', 'nm', "$build/libiri.a");
    my %defined = map { $_ => 1 } $out =~ / T (\w+)$/mg;
    cmp_ok scalar @names, '>', 20, 'functions are declared';
    ok $defined{$_}, $_ for @names;
    my $doc = slurp("$top/doc/library.md");
    ok $doc =~ /`\Q$_\E`/, "$_ in doc/library.md"
        for grep { !/_text$|^iri_lint/ } @names;
};

subtest 'not in the modules' => sub {
    for my $module (grep { -e } map { "$build/$_" }
        'mod_iri.so', 'ngx_http_iri_module.so')
    {
        my (undef, $out) = capture('', 'nm', '-D', '--undefined-only',
            $module);
        my @wrong = $out =~ /\b((?:ubidi|uspoof)_\w+)/g;
        is "@wrong", '', "$module asks nothing of uspoof and ubidi";
    }
};

# Completion uses the output of the command, so it is up to date.
subtest 'completion' => sub {
    my ($none) = capture('', 'sh', '-c', 'command -v bash');
    plan skip_all => 'no bash' if $none;
    my $complete = sub {
        my @words = @_;
        my ($code, $out, $err) = capture('', 'bash', '-c',
            'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));'
            . ' _iri; echo "${COMPREPLY[*]}"', 'bash',
            "$top/cli/completion/iri.bash", "$build/iri", @words);
        is "$code$err", '0', "completes iri @words";
        chomp $out;
        return $out;
    };
    like $complete->(''), qr/^advise explain host check split .*\bhelp$/,
        'commands';
    is $complete->('to-u'), 'to-uri', 'completion of a command';
    is $complete->('help', 'bid'), 'bidi', 'completion after help';
    is $complete->('equal', '--l'), '--level', 'an option';
    is $complete->('equal', '--level', 'sy'), 'syntax', 'completion of a value';
    is $complete->('lint', '--plan', 'c'), 'convmv', 'completion for lint';
    is $complete->('--v'), '--version', 'an option of iri itself';
    is $complete->('explain', '--charset', 'Sh'), 'Shift_JIS', 'a charset';
    is $complete->('explain', '--charset', 'EUC-JP,Sh'), 'EUC-JP,Shift_JIS',
        'the second of a list';
    is $complete->('lint', '--match', 'variants', ':', 'ar'), 'arabic',
        'a word that bash splits';
    is $complete->('lint', '--match', 'width,case', ':'), 'tr az',
        'the second of a list';
    is $complete->('replay', '--filename-charset', 'pe'), 'percent',
        'a charset of names only';
    for my $option ('--match', '--repair') {
        my @words = split / /, $complete->('explain', $option, '');
        my ($help) = (capture('', "$build/iri", 'help', 'explain'))[1]
            =~ /^Words of $option: (.*?)[.]$/ms;
        is_deeply [sort grep { !/^(?:exact|off)$/ } @words],
            [sort split /[,()\s]+/, $help], "all words of $option";
    }
    my @charsets = split / /, $complete->('decode', '--charset', '');
    cmp_ok scalar @charsets, '>=', 34, 'charsets';
    is_deeply [grep { (capture('', "$build/iri", 'decode', '--charset', $_,
        'a'))[0] } @charsets], [], 'each completed charset is known';
    is $complete->('lint', "$top/cli/comp"), "$top/cli/completion",
        'a folder';
    my ($output) = (capture('', "$build/iri", 'help', 'lint'))[1]
        =~ /^Findings[^\n]*\n(.*?)\n\n/ms;
    is $complete->('lint', '--only', ''), join(' ', map { split /, / }
        $output =~ /^  ((?:[a-z-]+, )*[a-z-]+)\b/mg), 'all kinds of findings';
};

# Runs a shell at a terminal; the completion of a line is written to a file.
my $ZSH = <<'END';
zmodload zsh/zpty
dir=$1 out=$2 iri=$3; shift 3
zpty shell zsh -f -i
zpty -w shell "PS1='> ' fpath=($dir \$fpath) path=(${iri:h} \$path)
autoload -U compinit; compinit -D -u
show() { print -r -- \$BUFFER >> $out; BUFFER= }
zle -N show; bindkey '^X' show
touch $out"
wait_for() {
    local i
    for i in {1..100}; do
        [[ -e $out && $(wc -l < $out) -ge $1 ]] && return
        sleep 0.1
    done
}
wait_for 0
for line; do
    zpty -w -n shell "$line"$'\t'
    sleep 0.2
    zpty -w -n shell $'\x18'
    wait_for $((++n))
done
zpty -d shell
END

subtest 'completion in zsh' => sub {
    plan skip_all => 'zsh is not here'
        if (capture('', 'sh', '-c', 'command -v zsh'))[0];
    my @lines = (
        ['iri to-u',                'iri to-uri '],
        ['iri help bid',            'iri help bidi '],
        ['iri equal --lev',         'iri equal --level '],
        ['iri equal --level sy',    'iri equal --level syntax '],
        ['iri lint --plan c',       'iri lint --plan convmv '],
        ["iri lint $top/cli/comp",  "iri lint $top/cli/completion/"],
        ['iri split x',             'iri split x'],
    );
    my $out = temp_dir() . '/lines';
    capture('', 'zsh', '-f', '-c', $ZSH, 'zsh', "$top/cli/completion", $out,
        "$build/iri", map { $_->[0] } @lines);
    my @got = -e $out ? split /\n/, slurp($out) : ();
    is $got[$_], $lines[$_][1], $lines[$_][0] for 0 .. $#lines;
};

done_testing;
