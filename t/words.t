# Real words of 16 languages as names of directories and files: stored in NFC,
# in NFD and in each legacy charset of the language, requested in all these
# forms, on both servers. A sample of each list; IRI_ALL_NAMES=1: every word.
#
# The lists are in data/names below $IRI_SHARED; without them t/trees/words.txt
# is used.
use IRI::Test;
use Encode ();
use File::Path 'make_path';
use IRI::Spelling qw(key percent raw read_in write_in);
use Unicode::Normalize 'NFC';

my $SAMPLE  = 60;                                 # words of each language
my $ALL     = $ENV{IRI_ALL_NAMES};
my $FOLDER  = $ALL ? 50 : 10;                     # words in each directory
my $SHARED  = $ENV{IRI_SHARED} // "$FindBin::Bin/../../shared";
my @SERVERS = grep { !missing($_) } qw(nginx httpd);

# Charsets that sites of a language use besides UTF-8, in the order of the
# settings.
my @LANGUAGES = (
    [ja => qw(Shift_JIS EUC-JP)],
    ['zh-hans' => 'GBK'],
    ['zh-hant' => 'Big5'],
    [ko => 'EUC-KR'],
    [ru => qw(windows-1251 KOI8-R ISO-8859-5 IBM866)],
    [uk => qw(windows-1251 KOI8-U ISO-8859-5)],
    [de => 'windows-1252'],
    [fr => qw(windows-1252 macintosh)],
    [tr => 'windows-1254'],
    [pl => qw(ISO-8859-2 windows-1250)],
    [el => qw(windows-1253 ISO-8859-7)],
    [he => qw(windows-1255 ISO-8859-8)],
    [ar => qw(windows-1256 ISO-8859-6)],
    ['hi'],
    [th => 'windows-874'],
    [vi => 'windows-1258'],
    [shared => qw(windows-1251 KOI8-R)],    # see shared_words()
);

plan skip_all => 'no module is built' if !@SERVERS;

my @trees = map { trees_of(@$_) } @LANGUAGES;
my %count;    # "language server" => { asked, right, wrong, missing, shared }
for my $server (@SERVERS) {
    subtest $server => sub { run($server) };
}
show_table();
done_testing;

# ---- words and trees --------------------------------------------------------

# The words of a language, as characters in NFC.
sub words {
    my ($language) = @_;
    return shared_words() if $language eq 'shared';
    my $text = slurp("$SHARED/data/names/$language.txt");
    return own_words($language) if !length $text;
    my %seen;
    my @words = grep { !$seen{$_}++ }
        map { NFC(Encode::decode('UTF-8', $_)) } split /\n/, $text;
    return $ALL || @words <= $SAMPLE ? @words : @words[0 .. $SAMPLE - 1];
}

# The project's own words of a language.
sub own_words {
    my ($language) = @_;
    my ($text) = slurp("$FindBin::Bin/trees/words.txt")
        =~ /^\Q$language\E (.*)$/m;
    return map { NFC($_) } split ' ', Encode::decode('UTF-8', $text);
}

# Words that share octets, which is rare for real ones: each Russian word, and
# the text of its KOI8-R octets in windows-1251.
sub shared_words {
    my @words = map {
        my $octets = write_in($_, 'KOI8-R');
        ($_, Encode::decode('cp1251', $octets // ''));
    } own_words('ru');
    return grep { length && defined write_in($_, 'windows-1251') } @words;
}

# The trees of a language: the same words in NFC, NFD, and each charset.
# { language, charsets, disk, words: [folder, leaf], exists: {folder}{leaf} }
sub trees_of {
    my ($language, @charsets) = @_;
    my @words = words($language);
    my @trees;
    for my $disk (['UTF-8', 'NFC'], ['UTF-8', 'NFD'], map { [$_] } @charsets)
    {
        my @there = grep { defined write_in($_, @$disk) } @words;
        my @named;
        for my $number (0 .. $#there) {
            my $folder = $language eq 'shared' ? 'ascii'
                : $there[$number - $number % $FOLDER];
            push @named, [$folder, "$there[$number].txt"];
        }
        push @trees, {
            language => $language, charsets => \@charsets, disk => $disk,
            words => \@named, lacks => @words - @there
        };
    }
    return @trees;
}

# Makes the files of a tree in a directory. A file holds its path in NFC.
sub make_files {
    my ($tree, $root) = @_;
    my %made;
    for my $pair (@{ $tree->{words} }) {
        my ($folder, $leaf) = @$pair;
        my $above = "$root/" . write_in($folder, @{ $tree->{disk} });
        make_path($above) if !$made{$above}++;
        my $content = Encode::encode('UTF-8', "$folder/$leaf");
        spew("$above/" . write_in($leaf, @{ $tree->{disk} }), $content);
        $tree->{exists}{ key($folder) }{ key($leaf) } = $content;
    }
    return;
}

# ---- requests ---------------------------------------------------------------

# All requests for one name: [target, octets of the folder, of the leaf].
sub requests {
    my ($tree, $folder, $leaf) = @_;
    my %octets = (
        NFC => [map { write_in($_, 'UTF-8', 'NFC') } $folder, $leaf],
        NFD => [map { write_in($_, 'UTF-8', 'NFD') } $folder, $leaf],
    );
    delete $octets{NFD} if "@{ $octets{NFC} }" eq "@{ $octets{NFD} }";
    my @charsets;
    for my $charset (@{ $tree->{charsets} }) {
        my @there = map { write_in($_, $charset) } $folder, $leaf;
        next if grep { !defined } @there;
        $octets{$charset} = \@there;
        push @charsets, $charset;
    }
    my @forms;
    for my $form (grep { $octets{$_} } 'NFC', 'NFD', @charsets) {
        push @forms, [$form, \&percent, $form, \&percent],
            [$form, \&raw, $form, \&raw];
    }
    push @forms, ['NFC', \&percent, 'NFD', \&raw],
        ['NFD', \&percent, 'NFC', \&raw] if $octets{NFD};
    push @forms, ['NFC', \&raw, $charsets[0], \&percent],
        [$charsets[0], \&percent, 'NFC', \&raw] if @charsets;
    push @forms, [$charsets[0], \&raw, $charsets[1], \&percent]
        if @charsets > 1;
    push @forms, ['NFD', \&percent, $charsets[-1], \&percent]
        if $octets{NFD} && @charsets;
    return map {
        my ($form, $write, $leaf_form, $leaf_write) = @$_;
        my @there = ($octets{$form}[0], $octets{$leaf_form}[1]);
        ['/' . $write->($there[0]) . '/' . $leaf_write->($there[1]), @there];
    } @forms;
}

# ---- which name a request must give -----------------------------------------

# The text of octets by the rules of the servers; undef if they are invalid in
# the charset.
sub name_in {
    my ($octets, $charset) = @_;
    my $name = read_in($octets, $charset);
    return defined $name ? key($name) : undef;
}

# The content that the documented order selects for two segments: UTF-8 and the
# charsets in their order, each for the whole path; then one for each segment.
# Undef if no entry has such a name.
sub chosen {
    my ($tree, $folder, $leaf) = @_;
    my @charsets = ('UTF-8', @{ $tree->{charsets} });
    for my $charset (@charsets) {
        my ($above, $name) = map { name_in($_, $charset) } $folder, $leaf;
        next if !defined $above || !defined $name;
        my $content = ($tree->{exists}{$above} // {})->{$name};
        return $content if defined $content;
    }
    my ($above) = grep { defined && $tree->{exists}{$_} }
        map { name_in($folder, $_) } @charsets;
    return if !defined $above;
    my ($name) = grep { defined && defined $tree->{exists}{$above}{$_} }
        map { name_in($leaf, $_) } @charsets;
    return defined $name ? $tree->{exists}{$above}{$name} : undef;
}

# ---- running ----------------------------------------------------------------

sub run {
    my ($kind) = @_;
    my $dir  = temp_dir();
    my $conf = '';
    for my $number (0 .. $#trees) {
        my $tree = $trees[$number];
        mkdir "$dir/$number" or die "$dir/$number: $!\n";
        make_files($tree, "$dir/$number");
        $conf .= server_text($kind, $tree, $number, "$dir/$number");
    }
    my $server = $kind eq 'nginx' ? nginx(conf => $conf) : httpd(conf => $conf);
    for my $number (0 .. $#trees) {
        my $tree = $trees[$number];
        my @bad  = ask($server, $kind, $tree, $number);
        ok !@bad, "$tree->{language} in @{ $tree->{disk} }"
            . ($tree->{lacks} ? ", $tree->{lacks} words left out" : '')
            or diag join "\n", splice @bad, 0, 10;
    }
    $server->stop;
    cmp_ok $count{"shared $kind"}{shared}, '>', 0,
        'names that share octets: the order of readings decided';
    return;
}

# The part of the configuration for one tree.
sub server_text {
    my ($kind, $tree, $number, $root) = @_;
    my @charsets = @{ $tree->{charsets} };
    my $settings = join ' ', @charsets ? 'charset=' . join(',', @charsets) : (),
        "filename_charset=$tree->{disk}[0]";
    if ($kind eq 'nginx') {
        my $directives = IRI::Cases::nginx_settings($settings);
        return <<"END";
server {
    listen 127.0.0.1:%%PORT_$number%%;
    root $root;
    access_log off;
    keepalive_requests 1000000;
    $directives
}
END
    }
    my $directives = IRI::Cases::httpd_settings($settings);
    return <<"END";
<VirtualHost 127.0.0.1:%%PORT_$number%%>
    DocumentRoot "$root"
    $directives
</VirtualHost>
END
}

# Requests all names of a tree; returns a line for each wrong response, and
# counts all.
sub ask {
    my ($server, $kind, $tree, $number) = @_;
    my $count = $count{"$tree->{language} $kind"} //= {};
    my $client = $server->client(port => $server->port("_$number"));
    my @words  = @{ $tree->{words} };
    my @bad;
    while (my @some = splice @words, 0, 50) {
        my (@forms, @wanted);
        for my $pair (@some) {
            my $own = $tree->{exists}{ key($pair->[0]) }{ key($pair->[1]) };
            for my $request (requests($tree, @$pair)) {
                my $chosen = chosen($tree, @$request[1, 2]);
                $count->{shared}++ if ($chosen // '') ne $own;
                push @forms,  $request->[0];
                push @wanted, $chosen // $own;
            }
        }
        my @answers = $client->pipeline(@forms);
        for my $answer (@answers) {
            my ($target, $wanted) = (shift @forms, shift @wanted);
            my $outcome = $answer->status != 200 ? 'missing'
                : $answer->body ne $wanted ? 'wrong'
                :                            'right';
            $count->{asked}++;
            $count->{$outcome}++;
            push @bad, join ' ', $outcome, $answer->status, escaped($target),
                'wanted', escaped($wanted) if $outcome ne 'right';
        }
    }
    $client->disconnect;
    return @bad;
}

# ---- the table --------------------------------------------------------------

sub show_table {
    my $text = sprintf "%-8s %-6s %8s %8s %6s %8s %7s\n",
        qw(language server asked right wrong missing shared);
    my %total;
    for my $server (@SERVERS) {
        for my $language (map { $_->[0] } @LANGUAGES) {
            my $count = $count{"$language $server"};
            $text .= row($language, $server, $count);
            $total{$_} += $count->{$_} // 0 for keys %$count;
        }
    }
    $text .= row('all', '', \%total);
    diag $text . 'shared: octets that are another name of the tree too, '
        . "which the order of readings chooses\n";
    spew(build_dir() . '/names.txt', $text);
    return;
}

sub row {
    my ($language, $server, $count) = @_;
    return sprintf "%-8s %-6s %8d %8d %6d %8d %7d\n", $language, $server,
        map { $count->{$_} // 0 } qw(asked right wrong missing shared);
}
