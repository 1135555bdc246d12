# nginx, iri_listing, with random rules: a name is shown if and only if a GET
# of it gets the entry. IRI_SEED repeats a run, IRI_ROUNDS is the number of
# rounds.
use IRI::Test 'nginx';
use JSON::PP ();

my $seed = seed($ENV{IRI_ROUNDS});
srand $seed;
note "IRI_SEED=$seed";

my $SERVERS = 12;
my @names   = map { octets($_) } qw(a ab b ba a.x b.x \xE8\xA1\xA8 caf\xC3\xA9);

# The content of each directory: files, and directories with files.
my $root = temp_dir();
my (%is_dir, %content);
fill_dir("$root/one", '/one', 2);
fill_dir("$root/two", '/two', 2);

sub fill_dir {
    my ($dir, $path, $depth) = @_;
    mkdir $dir or die "$dir: $!\n";
    $is_dir{$path} = [];
    for my $name (@names) {
        push @{ $is_dir{$path} }, $name;
        if ($depth > 1 && $name =~ /^(?:a|ba|caf.*)$/) {
            fill_dir("$dir/$name", "$path/$name", $depth - 1);
            next;
        }
        $content{"$path/$name"} = 'file ' . escaped("$path/$name");
        spew("$dir/$name", $content{"$path/$name"});
    }
    return;
}

sub one_of { return $_[int rand @_] }

# A path, or the beginning of one.
sub place {
    my @segments = ('', one_of(qw(one two)));
    push @segments, one_of(@names) for 1 .. int rand 3;
    my $path = join '/', @segments;
    $path .= '/' if rand() < 0.4;
    chop $path if rand() < 0.15 && $path !~ /[\x80-\xFF].?\z/s;
    return $path;
}

# Random directives of a location.
sub rules {
    my $target = place();
    my @rules = (
        '', '', '', '', 'deny all;', 'deny all;', 'allow all;', 'internal;',
        'return 403;', 'return 301 /elsewhere;', 'return 200 text;',
        'if ($uri ~ "b$") { return 404; }', 'if ($uri ~ "a") { return 403; }',
        'set $some 1;', "rewrite \"a\$\" \"$target\" last;",
        "rewrite \"b\$\" \"$target\" break;",
        'auth_basic x; auth_basic_user_file %%TMP%%/users;',
        'satisfy any; deny all; auth_basic x; '
            . 'auth_basic_user_file %%TMP%%/users;',
        'auth_basic x; auth_basic_user_file %%TMP%%/none;',
        'try_files $uri $uri/ =404;', 'try_files $uri/ =404;',
        'try_files $uri =404;', "try_files $target \$uri \$uri/ =404;",
        'try_files $uri $uri/ @named;', 'try_files $uri/ @named;',
        'root %%ROOT%%/two;', 'root %%ROOT%%$empty;', 'root %%ROOT%%/$host;',
        'limit_except POST { deny all; }', 'limit_except GET { deny all; }',
        'auth_request /asked;', 'iri_match normalization case;',
        'proxy_pass http://127.0.0.1:%%PORTup%%;',
    );
    return one_of(@rules);
}

# The text of a server; nginx -t decides whether it is valid.
sub server_text {
    my ($i) = @_;
    my %seen;
    my $text = "server {\n    listen 127.0.0.1:%%PORTs$i%%;\n"
        . "    root %%ROOT%%;\n    iri on;\n    iri_listing on;\n";
    $text .= '    ' . one_of('if ($uri ~ "x$") { return 403; }',
        'if ($uri = "/one/ab") { return 301 /; }',
        'rewrite "^/one/b$" /one/ab;', 'set $server 1;') . "\n"
        if rand() < 0.25;
    for (1 .. 2 + int rand 7) {
        my $name = name(\%seen);
        $text .= "    location $name->[0] { " . rules() . "\n        "
            . nested($name, \%seen) . "}\n";
    }
    return $text . "    location \@named { return 200 named; }\n"
        . "    location = /asked { internal;\n"
        . "        proxy_pass http://127.0.0.1:%%PORTup%%;\n"
        . "        proxy_set_header X-Uri \$request_uri; }\n}\n";
}

# The name of a location, used once; and its path if it is a prefix.
sub name {
    my ($seen, $below) = @_;
    for (1 .. 50) {
        my $path = place();
        next if defined $below && index($path, $below) != 0;
        my $kind = one_of('', '', '', '^~ ', '= ', '~ ');
        my $text = $path;
        $text = one_of('b$', '^/one/a', '\.x$', '/a/', "\xE8\xA1\xA8", 'a',
            '/$', '^/two/(a|b)') if $kind eq '~ ';
        my $key = $kind eq '= ' || $kind eq '~ ' ? "$kind$text" : $text;
        next if $seen->{$key}++;
        return ["$kind\"$text\"", $kind =~ /^(?:\^~ )?$/ ? $path : undef];
    }
    return ['= "/none' . rand() . '"'];
}

sub nested {
    my ($name, $seen) = @_;
    return '' if !defined $name->[1] || rand() > 0.7;
    my $inner = name($seen, $name->[1]);
    return '' if $inner->[0] =~ /none/;
    return "location $inner->[0] { " . rules() . " }\n    ";
}

my $common = <<'END';
default_type text/plain;
map $host $empty { default ""; }
server {
    listen 127.0.0.1:%%PORTup%%;
    location / { if ($http_x_uri ~ "ab") { return 403; } return 204; }
}
END

# Compares the response to a GET of each entry with the listing of its
# directory.
sub compare {
    my ($server, $i, $text) = @_;
    my $port   = $server->port("s$i");
    my $client = $server->client(port => $port);
    my (@wrong, $shown, $hidden);
    for my $path (sort keys %is_dir) {
        my $list = $client->request({
            target => encoded("$path/") . '?format=json' });
        next if $list->status != 200
            || ($list->header('Content-Type') // '') ne 'application/json';
        my $listing = JSON::PP->new->utf8->decode($list->body);
        next if $listing->{path} ne decoded("$path/");
        my %listed = map { ($_->{href} // '') => 1 } @{ $listing->{entries} };
        for my $name (@{ $is_dir{$path} }) {
            my $entry = "$path/$name";
            my $slash = $is_dir{$entry} ? '/' : '';
            my $href  = './' . encoded($name) . $slash;
            my $got   =
                $client->request({ target => encoded($entry) . $slash });
            my $open  = $slash
                ? $got->status == 200 && $got->body =~ /Index of/
                : $got->status == 200 && $got->body eq $content{$entry};
            # an upstream answers any path
            $open = $listed{$href} ? 1 : 0 if $got->status == 204;
            $shown++ if $listed{$href};
            $hidden++ if !$listed{$href};
            push @wrong, "$entry$slash: GET " . $got->status . ', '
                . ($listed{$href} ? 'shown' : 'not shown')
                if !!$open ne !!$listed{$href};
        }
    }
    $client->disconnect;
    ok !@wrong, "server $i" or diag join "\n", @wrong, $text;
    return ($shown // 0, $hidden // 0);
}

sub encoded { return $_[0] =~ s{([^\w./-])}{sprintf '%%%02X', ord $1}ger }
sub decoded { my $text = $_[0]; utf8::decode($text); return $text }

my ($shown, $hidden) = (0, 0);
for my $round (1 .. $ENV{IRI_ROUNDS} // 1) {
    my @texts;
    while (@texts < $SERVERS) {
        my $text = server_text(scalar @texts);
        my ($code, $listing) = nginx_t($common . $text, root => $root);
        push @texts, $text if $code == 0;
    }
    my $server = nginx(root => $root, conf => join('', $common, @texts));
    spew($server->tmp . '/users', "user:{PLAIN}word\n");
    for my $i (0 .. $#texts) {
        my ($more, $less) = compare($server, $i, $texts[$i]);
        $shown  += $more;
        $hidden += $less;
    }
    $server->stop;
}
note "$shown shown, $hidden not";
cmp_ok $shown,  '>', 0, 'some are shown';
cmp_ok $hidden, '>', 0, 'some are not';
done_testing;
