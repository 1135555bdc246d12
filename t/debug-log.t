# The trace of a request at nginx's level debug and at httpd's LogLevel
# iri:trace1: readings, lookups and answers, in the same words and number as
# `iri explain`; no trace at level info.
use IRI::Test;
use IRI::Octets qw(escaped);
use IRI::Server qw(build_dir capture);

my $iri = build_dir() . '/iri';
plan skip_all => 'build/iri is not built' if !-x $iri;

my ($root) = make_tree([qw(café.txt=coffee e\xCC\x81/\xE8\xA1\xA8.txt=nfd
    表.txt=table Docs/Readme.txt=read)]);
my @targets = ('/caf%C3%A9.txt', '/caf%E9.txt', '/%95%5c.txt', '/%C3%A9/%95%5c',
    '/%C3%A9/%E8%A1%A8.txt', '/nosuch%C3%A9', '/%FF', '/%C9%BD.txt',
    "/a\xE2\x80\xAE", '/%E8%A1%A8/%C3%A9');

# The steps of explain, without headings, the answer, and directories that are
# read, because servers cache those.
sub explained {
    my ($target) = @_;
    my ($code, $out) = capture('', $iri, 'explain', '--charset',
        'shift_jis,euc-jp', '--root', $root, $target);
    return grep { !/^query / } $out =~ /^  (\S.*)/mg;
}

sub kinds {
    return map { /^(reading|stat|alternative|a charset|stop) ?/ ? $_ : () } @_;
}

my %trace_lines = (
    nginx => sub { $_[0] =~ /\[debug\] [^\n]*? iri: ([^\n]+)/g },
    httpd => sub { $_[0] =~ /\[iri:trace1\] [^\n]*? iri: ([^\n]+)/g },
);
my %conf = (nginx => <<'END', httpd => <<'END');
iri on;
iri_charset Shift_JIS EUC-JP;
server { listen 127.0.0.1:%%PORT%%; root %%ROOT%%; }
END
IRIEngine On
IRICharset Shift_JIS EUC-JP
END
my %level = (nginx => ['debug', 'info'], httpd => ['iri:trace1', 'iri:info']);

for my $name (qw(nginx httpd)) {
    SKIP: {
        skip missing($name), 1 if missing($name);
        my $server = $name eq 'nginx'
            ? nginx(root => $root, conf => $conf{$name}, log_level => 'debug')
            : httpd(root => $root, conf => $conf{$name},
                log_level => 'iri:trace1');
        skip 'nginx is built without debug', 1
            if $name eq 'nginx' && (capture('', 'nginx', '-V'))[2]
            !~ /--with-debug/;
        for my $target (@targets) {
            my $from = length $server->settled_log;
            $server->get($target);
            my @lines =
                $trace_lines{$name}->(substr $server->settled_log, $from);
            my @traced  = kinds(@lines);
            my %traced  = map { $_ => 1 } @traced;
            my @missed = grep { !$traced{$_} } kinds(explained($target));
            is_deeply \@missed, [], "$name: as explain: " . escaped($target)
                or diag join "\n", @lines;
            is scalar(grep { /^Reading / } @lines) > 0, 1, 'readings';
            is scalar(grep { /^answer [a-z]+: / } @lines) > 0, 1,
                'the result';
        }
        like $server->settled_log, qr/iri: Lookup below \S*\Q$root\E/, 'where';
        like $server->log_text,
            qr{iri: Restart as /%E8%A1%A8\.txt}, 'a restart';
        $server->stop;
        my $quiet = $name eq 'nginx'
            ? nginx(root => $root, conf => $conf{$name}, log_level => 'info')
            : httpd(root => $root, conf => $conf{$name},
                log_level => 'iri:info');
        $quiet->get($_) for @targets;
        unlike $quiet->settled_log, qr/iri: (?:Reading|reading|stat|answer) /,
            "$name: no trace at info";
        $quiet->stop;
    }
}

done_testing;
