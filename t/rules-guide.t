# The examples of doc/rewrite-rules.md, unchanged: each is loaded without a
# warning, and each request below it has its response in every form of the
# path; also where names on disk are in EUC-JP or NFD, except for rules that
# are compared with the disk.
use strict;
use warnings;
use Encode qw(decode encode);
use FindBin;
use lib "$FindBin::Bin/lib";
use IRI::Test;
use Test::More;
use Unicode::Normalize qw(NFD);

my %skip = map { $_ => scalar missing($_) } qw(nginx httpd);
plan skip_all => join ', ', values %skip if !grep { !$_ } values %skip;

my $guide = slurp("$FindBin::Bin/../doc/rewrite-rules.md");

# The files of the site.
my %site = $guide =~ m{^\| `(/[^`]+)` \| `(\w+)` \|$}mg;
is scalar keys %site, 4, 'the site of the examples';

sub percent { return $_[0] =~ s/([^!-\$&-~])/sprintf '%%%02X', ord $1/ger }

# All forms of a path, by their name.
sub forms {
    my ($path) = @_;
    my $text = decode('UTF-8', $path);
    my $nfd  = encode('UTF-8', NFD($text));
    my $sjis = encode('cp932', $text);
    return (
        escaped => percent($path), native => $path,
        lower   => percent($path) =~ s/(%..)/lc $1/ger,
        nfd     => percent($nfd), 'raw nfd' => $nfd,
        sjis    => percent($sjis), 'raw sjis' => $sjis,
    );
}

# The encoding of names on disk: the first line of the site's manifest, the
# encoded name, the server's setting.
my %TREE = (
    'UTF-8'  => ['', sub { $_[0] }, '', ''],
    'NFD'    => ['', sub { encode('UTF-8', NFD(decode('UTF-8', $_[0]))) },
        '', ''],
    'EUC-JP' => ["\@charset EUC-JP\n", sub { $_[0] },
        ' iri_filename_charset EUC-JP;', "\nIRIFilenameCharset EUC-JP"],
);
my $ON_DISK = qr/alias|in a directory/;

# A document root with the site in it.
sub site {
    my ($tree) = @_;
    my ($charset, $name) = @{ $TREE{$tree} };
    my %file = (%site, '/index.html' => 'index');
    my ($root) = make_tree(join '', $charset, map {
            escaped($name->(substr $_, 1)) . "\tfile\t$file{$_}\n" }
            sort keys %file);
    return $root;
}

# The server of an example.
my %START = (
    nginx => sub {
        my ($conf, $root) = @_;
        $conf =~ s/listen 80;/listen 127.0.0.1:%%PORT%%;/;
        $conf =~ s/127\.0\.0\.1:8080/127.0.0.1:%%PORTback%%/g;
        return nginx(root => $root, conf => $conf);
    },
    httpd => sub {
        my ($conf, $root) = @_;
        $conf =~ s/\*:80>/127.0.0.1:%%PORT%%>/;
        $conf =~ s/127\.0\.0\.1:8080/127.0.0.1:%%PORTback%%/g;
        my $back = $conf =~ /PORTback/ ? <<'END' : '';
<VirtualHost 127.0.0.1:%%PORTback%%>
    RewriteEngine On
    RewriteCond %{THE_REQUEST} "^GET (\S+)"
    RewriteRule ^ /index.html [E=GOT:%1]
    Header set X-Got "expr=%{reqenv:GOT}"
</VirtualHost>
END
        return httpd(root => $root, conf => $back . $conf,
            modules => [qw(rewrite headers proxy proxy_http)]);
    },
);

# The expected response: status, then text or address, and the value that rules
# have set in X-Rule.
sub answer {
    my ($server, $target) = @_;
    my $answer = $server->get($target);
    my $where  = $answer->header('Location');
    my $rules  = $answer->header('X-Rule');
    $where =~ s{^http://(?:localhost|127\.0\.0\.1)(?::\d+)?/}{/}
        if defined $where;
    my $body = $answer->body =~ /<html/i ? '' : $answer->body;
    $body = $answer->header('X-Got') // $body;
    return join ' ', $answer->status, grep { length } $where // $body,
        $rules // '';
}

sub expected {
    my ($text) = @_;
    my ($status, $quoted, $rules) = $text =~ /^(\d+)(?: `([^`]*)`)?(?: (.*))?$/
        or die "not understood: $text\n";
    $quoted =~ s/(%..)|([^!-~])/$1 \/\/ percent($2)/ge
        if defined $quoted && $status =~ /^3/;
    return join ' ', $status, grep { defined } $quoted, $rules;
}

my $examples = 0;
for my $section (split /^(?=## )/m, $guide) {
    my ($server_name, $title) = $section =~ /^## (nginx|httpd): (.*)$/m
        or next;
    next if $skip{$server_name};
    $examples++;
    run_example($server_name, $title, $section, $_)
        for grep { $_ eq 'UTF-8' || $title !~ $ON_DISK } sort keys %TREE;
}

sub run_example {
    my ($server_name, $title, $section, $tree) = @_;
    my $test_name = "$server_name: $title: $tree";
    my @blocks = $section =~ /^```\w+\n(.*?)^```$/msg;
    my $root = site($tree);
    s{/srv/www}{$root}g for @blocks;
    my ($conf, @files) = split /^(?=# \S+\.htaccess$)/m, join "\n", @blocks;
    for my $file (@files) {
        my ($path) = $file =~ /^# (\S+)/;
        spew($path, $file);
    }
    $conf =~ s/(\biri on;)/$1$TREE{$tree}[2]/;
    $conf =~ s/(\bIRIEngine On\b)/$1$TREE{$tree}[3]/;
    my $server = $START{$server_name}->($conf, $root);
    my @rows = $section =~ /^\| `([^`]+)` \| (\d.*?) \|$/mg;
    ok @rows > 3 * 2 - 1, "$test_name: requests";
    while (my ($path, $want) = splice @rows, 0, 2) {
        my %form = forms($path);
        is answer($server, $form{$_}), expected($want),
            "$test_name: $path, $_"
            for sort keys %form;
    }
    like $server->get($_)->status, qr/^40[34]$/,
        "$test_name: no name: " . escaped $_
        for '/%FF', "/\xFF", '/%ED%A0%80', "/\xF4\x90\x80\x80/x",
        '/%E7%A7%98%E5%AF%86/%FF';
    $server->wait_for(sub { $server->log_text =~ /resuming|start worker/ });
    # httpd logs this if all its threads are busy.
    is_deeply [grep { /iri: |warn\]|error\]/
            && !/denied|forbidden|No such file|AH00484:/ } split /\n/,
        $server->settled_log . slurp($server->tmp . '/stderr')], [],
        "$test_name: log";
    is_deeply [$server->errors], [], "$test_name: no error";
    return;
}
my $there = () = $guide =~ /^## (?:nginx|httpd): /mg;
is $examples, $there, 'all examples were run' if !grep { $_ } values %skip;

done_testing;
