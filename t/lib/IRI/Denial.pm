# Data for t/denial.t: denied names, trees that hold them, settings, and the
# contexts of both servers in which rules deny them.
#
# Each world (a tree with settings) is served twice: by a guarded server with
# the rules of all contexts, and by an open one without these rules. The answer
# of the open server shows which file a spelling reaches, so the expected
# answer of the guarded one follows without a model.
package IRI::Denial;
use strict;
use warnings;
use utf8;
use Digest::SHA ();
use Encode ();
use Exporter 'import';
use File::Path 'make_path';
use IRI::Cases ();
use IRI::Server 'spew';
use IRI::Spelling qw(encode_label key percent read_in twin_characters
    write_in);
use Unicode::Normalize qw(NFC NFD);

our @EXPORT_OK = qw(entry_name has_context httpd_text make_trees marker
    nginx_text contexts users worlds);

my $STRICT = Encode::FB_CROAK() | Encode::LEAVE_SRC();

# Content that no answer may contain.
sub marker { return 'S3CR3T' }

# ---- names ------------------------------------------------------------------

my @NAMES = map { NFC($_) } (
    # Japanese, with octets 5C 7C 7B in Shift_JIS and 8E in EUC-JP
    '秘密', '表', 'ソース', 'が', 'ぱんだ', 'ｶﾀｶﾅ', '日本 語', '機能構予',
    '髙橋纊', '№Ⅳ㈱',
    # JIS and its vendors
    "\x{301C}波", "甲\x{FF5E}乙", "\x{2016}線", "負\x{2212}数", "\x{FF0D}x",
    "\x{FFE0}貨",
    # Chinese, Korean
    '机密', '臺灣', '保密文件', '비밀', '한글 문서', '갂',
    # Cyrillic, Greek
    'секрет', 'ёжик', 'Їжак', 'йод', 'μυστικό', 'ΐών', 'Ωμέγα',
    # Latin
    'café', 'Ångström', 'straße', "of\x{FB01}ce", 'Çırağan', 'naïve',
    'œuvre', 'Łódź', "q\x{323}\x{307}x",
    # Vietnamese, Hebrew, Arabic, Thai, Devanagari
    'Bí mật', 'Việt Nam', 'סוד', "\x{5E9}\x{5C1}\x{5DC}", 'سري', 'آخر',
    'ความลับ', "\x{915}\x{93C}ि",
    # letters that have variants, joiners
    'Știri', 'Constanţa', 'کتاب', "می\x{200C}خواهم", 'شخصي',
    "\x{DC1}\x{DCA}\x{200D}\x{DBB}\x{DD3}", "\x{915}\x{94D}\x{937}",
    # width, and letters whose case is special
    "\x{FF21}\x{FF44}\x{FF4D}", 'ADMIN-é', "\x{1F512}key",
    # characters with a special meaning in a path
    '100%é', 'a;b=é', 'c+é&d', '.é', '..é', 'é.', '...é', "'é'(1)",
    # ASCII, which only the server's own rules concern
    'secret', 'Private.d',
);

# All characters that Shift_JIS encodes in two ways, so many to a name.
my $TWINS = 48;
my @twins = twin_characters();
while (my @some = splice @twins, 0, $TWINS) {
    push @NAMES, join '', '双', @some;
}

# Public names, of the same kinds.
my @PUBLIC = map { NFC($_) } (
    '公開', '示す', 'フリー', 'ぶんがく', 'público', 'открыто', 'δημόσιο',
    '공개', 'ציבורי', 'công khai', 'สาธารณะ', 'دليل', 'öffentlich', 'plain',
);

# Names below a denied one, and for each a similar name that does not exist.
my @LEAVES = (
    ['葉', '枝'], ['лист', 'кора'], ['été', 'ôté'], ['잎', '꽃'],
    ['φύλλο', 'χώματ'], ['leaf', 'twig'],
);

# ---- trees and settings -----------------------------------------------------

# How the names of a tree are encoded, charset and form, one or several side by
# side; and the value of iri_filename_charset.
my %TREE = (
    nfc    => { ways => [['UTF-8', 'NFC']] },
    nfd    => { ways => [['UTF-8', 'NFD']] },
    euc    => { ways => [['EUC-JP']] },
    sjis   => { ways => [['Shift_JIS']] },
    w1252  => { ways => [['windows-1252']] },
    w1251  => { ways => [['windows-1251']] },
    w1258  => { ways => [['windows-1258']] },
    percent => { ways => [['percent'], ['percent', 'upper']] },
    escapes => {
        ways => [['UTF-8', 'NFC'], ['percent', 'upper']],
        read => ['percent', 'UTF-8']
    },
    twins  => { ways => [['UTF-8', 'NFC'], ['UTF-8', 'NFD']] },
    eucmix => {
        ways => [['UTF-8', 'NFC'], ['EUC-JP'], ['UTF-8', 'NFD']],
        read => ['EUC-JP', 'UTF-8']
    },
    mixed => {
        ways => [['UTF-8', 'NFD'], ['Shift_JIS'], ['EUC-JP'],
            ['windows-1252'], ['UTF-8', 'NFC']],
        read => ['UTF-8', 'EUC-JP', 'Shift_JIS', 'windows-1252']
    },
);
$TREE{$_}{read} //= [$TREE{$_}{ways}[0][0]] for sort keys %TREE;

# All words of match and repair.
our $WORDS = 'match=variants,variants:arabic,variants:romanian,'
    . 'variants:joiners,width,punctuation,case,accents:latin,spelling '
    . 'repair=double-encoding,mojibake,%u,invisible,trailing,plus';

# A line is a world: its tree and its settings, as in t/cases, except
# filename_charset, which the tree defines.
my @WORLDS = (
    [nfc => ''],
    [nfc => 'charset=Shift_JIS,EUC-JP,windows-1252'],
    [nfc => 'charset=windows-1252,EUC-JP,Shift_JIS redirect=301'],
    [nfc => 'charset=EUC-JP,Shift_JIS,GBK,Big5,EUC-KR,windows-1251,'
            . 'windows-1253,windows-1255 redirect=301'],
    [nfc => 'charset=EUC-JP,windows-1251 filename_form=nfc match=exact '
            . 'invalid=400'],
    [nfc => 'charset=Shift_JIS,KOI8-R invalid=pass'],
    [nfd => 'charset=Shift_JIS,EUC-JP,windows-1251,windows-1252 '
            . 'redirect=301'],
    [nfd => 'charset=EUC-KR,GBK,windows-1253 filename_form=nfd match=exact'],
    [euc => 'charset=Shift_JIS,EUC-JP'],
    [euc => 'charset=EUC-JP,Shift_JIS,windows-1252 redirect=301'],
    [euc => 'invalid=pass'],
    [sjis => 'charset=EUC-JP,Shift_JIS invalid=pass'],
    [sjis => 'charset=Shift_JIS redirect=308'],
    [w1252 => 'charset=Shift_JIS,windows-1252'],
    [w1251 => 'charset=KOI8-R,windows-1251,IBM866 invalid=400'],
    [w1258 => 'charset=windows-1258,windows-1252'],
    [percent => ''],
    [percent => 'charset=windows-1251,EUC-JP match=case,accents,spelling '
            . 'redirect=301'],
    [escapes => 'charset=Shift_JIS,windows-1252'],
    [escapes => 'match=width,case invalid=pass'],
    [twins => 'charset=windows-1252,windows-1251 redirect=301'],
    [twins => 'charset=EUC-JP,Shift_JIS match=normalization,variants'],
    [eucmix => 'charset=Shift_JIS,EUC-JP'],
    [mixed => 'charset=Shift_JIS,EUC-JP,windows-1252 redirect=301'],
    [mixed => 'charset=windows-1252,EUC-JP,Shift_JIS'],
    [nfc => 'match=normalization,width'],
    [nfc => 'match=normalization,case'],
    [nfc => 'match=normalization,accents'],
    [nfd => 'match=normalization,width,case,accents'],
    [nfc => 'match=normalization,width,case,accents,spelling redirect=301'],
    [nfc => 'match=punctuation,accents:latin'],
    [nfd => 'match=punctuation,case,accents:latin,spelling redirect=301'],
    [nfc => 'match=variants:arabic,variants:romanian,variants:joiners'],
    [nfc => 'repair=invisible,trailing,plus'],
    [nfd => 'charset=windows-1252 match=case repair=invisible,trailing,plus '
            . 'redirect=301'],
    [nfc => $WORDS],
    [nfd => "charset=windows-1252,Shift_JIS $WORDS redirect=301"],
    [escapes => "charset=EUC-JP,windows-1251 $WORDS"],
    [nfc => 'charset=Shift_JIS,EUC-JP match=width,case,accents,spelling'],
    [euc => 'charset=EUC-JP,windows-1252 match=normalization,width,case'],
    [eucmix => 'charset=EUC-JP,Shift_JIS match=normalization,variants,width'],
);

# The worlds, each { number, tree, settings, charsets, pass, redirect, repair }.
sub worlds {
    my $number = 0;
    return map {
        my ($tree, $settings) = @$_;
        my ($charsets) = $settings =~ /(?:^|\s)charset=(\S+)/;
        { number => $number++, tree => $tree, settings => $settings,
            charsets => [split /,/, $charsets // ''],
            pass     => $settings =~ /invalid=pass/ ? 1 : 0,
            redirect => $settings =~ /redirect=/ ? 1 : 0,
            repair   => $settings =~ /repair=(\S+)/ ? $1 : '' };
    } @WORLDS;
}

# Settings of a world's server: the open one never redirects, so that the file
# that it would serve is visible.
sub settings {
    my ($world, $guarded) = @_;
    my $read = join ',', @{ $TREE{ $world->{tree} }{read} };
    my $text = "$world->{settings} filename_charset=$read";
    $text =~ s/\bredirect=\d+// if !$guarded;
    return $text;
}

# ---- files ------------------------------------------------------------------

# The name of an entry: its octets in the first charset of the tree that
# decodes them and encodes them to the same octets, in NFC. Undef if there is
# none.
sub entry_name {
    my ($tree, $octets) = @_;
    for my $charset (@{ $TREE{$tree}{read} }) {
        if ($charset eq 'percent') {
            return read_in($octets, $charset) // next;
        }
        my $label = encode_label($charset);
        my $text  = eval { Encode::decode($label, $octets, $STRICT) };
        next if !defined $text || $text =~ /[\0-\x1F\x7F-\x9F\x{FFFD}]/;
        my $back = eval { Encode::encode($label, $text, $STRICT) };
        next if !defined $back || $back ne $octets;
        # Perl's table of EUC-JP has the characters of JIS, not the vendor's.
        if ($charset eq 'EUC-JP') {
            # it encodes these two differently from all other implementations
            return if $text =~ /[\xA6\x{2116}]/;
            $text =~ s/([\x{301C}\x{2016}\x{2212}\xA2\xA3\xAC])/vendor($1)/ge;
        }
        return NFC($text);
    }
    return;
}

sub vendor {
    my ($char) = @_;
    $char =~ tr/\x{301C}\x{2016}\x{2212}/\x{FF5E}\x{2225}\x{FF0D}/;
    $char =~ tr/\xA2\xA3\xAC/\x{FFE0}-\x{FFE2}/;
    return $char;
}

# Creates all trees that the worlds need below a directory. A tree is
#   { label, root, empty: its directories; aliased: a link to root;
#     denied: names of the rules; present, absent: existing and missing ones;
#     public: public names; leaf: [existing, missing] for each name }
sub make_trees {
    my ($dir, $worlds) = @_;
    my %trees;
    for my $label (map { $_->{tree} } @$worlds) {
        $trees{$label} //= make_tree($label, "$dir/$label");
    }
    return \%trees;
}

sub make_tree {
    my ($label, $dir) = @_;
    my $tree = {
        label => $label, root => "$dir/html", empty => "$dir/empty",
        aliased => "$dir/aliased", leaf => {}
    };
    make_path(@$tree{qw(root empty)});
    my (%denied, %present);
    for my $name (@NAMES) {
        my @read = grep { defined && key($_) eq key($name) }
            map { entry_name($label, $_) } octets_of($label, $name);
        @denied{ @read ? @read : $name } = ();
        @present{@read} = ();
    }
    $tree->{denied}  = [sort keys %denied];
    $tree->{present} = [sort keys %present];
    $tree->{absent}  = [grep { !exists $present{$_} } sort keys %denied];
    make_data($tree, $_, marker()) for @{ $tree->{present} };
    make_public($tree);
    make_contexts($tree);
    return $tree;
}

# The octets of a name in each encoding of a tree that has it.
sub octets_of {
    my ($label, $name) = @_;
    return grep { defined && length() < 230 }
        map { write_in($name, @$_) } @{ $TREE{$label}{ways} };
}

# The entries of a name: a directory and two files, in each encoding. The
# content of a file is its kind, path and encoding. Returns the number of
# names.
sub make_data {
    my ($tree, $name, $word) = @_;
    my ($label, $made) = ($tree->{label}, 0);
    my @paths = (["$name.txt"], [$name, 'f.txt'], ["$name-v.txt"]);
    if ($word eq marker()) {
        my ($leaf) = leaf_of($tree, $name);
        push @paths, [$name, 'q.txt'], [$name, "$leaf.txt"],
            [$name, $leaf, "$leaf.txt"];
    }
    for my $way (@{ $TREE{$label}{ways} }) {
        my $octets = write_in($name, @$way) // next;
        next if (entry_name($label, $octets) // '') ne $name
            || -e "$tree->{root}/$octets" || length $octets > 230;
        for my $path (@paths) {
            my @octets = map { write_in($_, @$way) } @$path;
            mkdir join '/', $tree->{root}, @octets[0 .. $_ - 1]
                for 1 .. $#octets;
            spew(join('/', $tree->{root}, @octets),
                join ' ', $word, percent_path(@$path), "@$way\n");
        }
        spew("$tree->{root}/$octets/.htaccess", "Require all denied\n")
            if $word eq marker();
        $made++;
    }
    return $made;
}

# The name below a name, and one that does not exist; all encodings of the tree
# have both.
sub leaf_of {
    my ($tree, $name) = @_;
    my $first = length($name) % @LEAVES;
    return @{
        $tree->{leaf}{$name} //= (grep { writable($tree, @$_) }
            @LEAVES[$first .. $#LEAVES, 0 .. $first - 1])[0]
    };
}

sub writable {
    my ($tree, @names) = @_;
    for my $way (@{ $TREE{ $tree->{label} }{ways} }) {
        for my $name (@names) {
            my $octets = write_in($name, @$way) // return 0;
            return 0 if (entry_name($tree->{label}, $octets) // '') ne $name;
        }
    }
    return 1;
}

# Names that are not denied: public ones, neighbours of denied ones (by case,
# width, accents), and the octets of denied names decoded in another charset.
# None may begin with a denied name, because prefix rules would deny it.
sub make_public {
    my ($tree) = @_;
    my $denied = join '|', map { quotemeta key($_) } @{ $tree->{denied} };
    my (%made, @names);
    for my $name (@PUBLIC, neighbours(@{ $tree->{present} }),
        octet_twins(@{ $tree->{present} }))
    {
        next if $made{$name}++ || key($name) =~ /^(?:$denied)/;
        push @names, $name if make_data($tree, $name, 'public');
    }
    $tree->{public} = \@names;
    return;
}

sub neighbours {
    my (@names) = @_;
    my $number = 0;
    return map { NFC($_) } map {
        my $name = $_;
        $number++ % 3 ? () : (uc $name, lc $name, NFD($name) =~ s/\p{Mn}//gr,
            $name =~ s/([a-z])/chr(ord($1) + 0xFEE0)/egr);
    } @names;
}

my $OCTET_TWINS = 60;    # out of all that exist

sub octet_twins {
    my (@names) = @_;
    my @charsets = qw(EUC-JP Shift_JIS UTF-8 windows-1252 windows-1251 GBK);
    my @twins;
    for my $name (@names) {
        for my $charset (@charsets) {
            my $octets = write_in($name, $charset) // next;
            next if $octets !~ /[^\0-\x7F]/;
            push @twins, grep { defined } map { read_in($octets, $_) }
                grep { $_ ne $charset } @charsets;
        }
    }
    @twins = grep { !m{[/%\x{E000}-\x{F8FF}]} && length() < 60 } @twins;
    my $step = 1 + int @twins / $OCTET_TWINS;
    return map { $twins[ $_ * $step ] } 0 .. $#twins / $step;
}

sub percent_path {
    return join '/', map { percent(Encode::encode('UTF-8', $_)) } @_;
}

# The directories of the contexts: links to the root itself, so that all
# contexts have all names. A .htaccess counts only where AllowOverride permits
# it.
sub make_contexts {
    my ($tree) = @_;
    my $root = $tree->{root};
    make_path("$root/tried", "$root/errored");
    symlink $root, "$root/$_" or die "$root/$_: $!\n"
        for (grep { $_ ne 'top' } all_contexts()),
        qw(tried/try errored/error inside rewritten srvrewritten acceled
        pted ../aliased);
    spew("$root/ssi.shtml", '<!--# include virtual="$args" -->');
    spew("$root/ssi-httpd.shtml", '<!--#include virtual="$QUERY_STRING" -->');
    spew("$root/errdoc.txt", "denied\n");
    my $re = regex($tree);
    spew("$root/.htaccess", qq{<FilesMatch "^(?:$re)(?:-v)?[.]txt\$">\n}
            . "Require all denied\n</FilesMatch>\n");
    return;
}

# The denied names as one regular expression alternation, in UTF-8.
sub regex {
    my ($tree) = @_;
    return $tree->{regex} //= join '|', map {
        Encode::encode('UTF-8', $_) =~ s/([.+()*?\[\]|^\$\\])/[$1]/gr
    } @{ $tree->{denied} };
}

# The same, percent-encoded.
sub uri_regex {
    my ($tree) = @_;
    return join '|', map { s/[.]/[.]/gr } map { percent_path($_) }
        @{ $tree->{denied} };
}

# A text repeated for each denied name, with "@" replaced by it.
sub each_name {
    my ($tree, $text) = @_;
    return join '', map {
        my $name = Encode::encode('UTF-8', $_);
        $text =~ s/@/$name/gr;
    } @{ $tree->{denied} };
}

# ---- contexts of nginx --------------------------------------------------------

# Requests below a name or beside it; see t/denial.t.
my @ALL  = qw(file leaf hidden index bare inner deep);
my @DIRS = qw(leaf hidden index bare inner deep);

# A context: status of a denied name; shapes of denied paths; common, guard,
# each, end: texts, in this order, guard and each (with "@" for each denied
# name) in the guarded server only, unless guard opens a block that end closes;
# RE: all names. at: the path that is looked up, if it differs from the
# context's own; query: the path is in its query; made: rules produce another
# path before a path is denied; other words are explained in denial.t.
my @NGINX = (
    { name => 'prefix', each => 'location "/prefix/@" { deny all; }' },
    { name => 'exact', made => 1, shapes => [qw(file leaf index)], each =>
            'location = "/exact/@.txt" { deny all; }'
            . ' location = "/exact/@/f.txt" { deny all; }' },
    { name => 'caret', each => 'location ^~ "/caret/@" { deny all; }' },
    { name => 'regex', guard => 'location ~ "^/regex/(?:RE)" { deny all; }' },
    { name => 'utf8', no_pass => 1,
        guard => 'location ~ "(*UTF8)^/utf8/(?:RE)" { deny all; }' },
    { name => 'nested', guard => 'location /nested/ {', each =>
            'location "/nested/@" { deny all; }', end => '}' },
    { name => 'internal', status => 404,
        each => 'location "/internal/@" { internal; }' },
    { name => 'auth', status => 401, each => 'location "/auth/@" {'
            . ' auth_basic x; auth_basic_user_file %%TMP%%/users; }' },
    { name => 'limit', status => 429, limited => 1,
        shapes => [qw(file leaf hidden inner deep)],
        each => 'location "/limit/@" {'
            . ' limit_req zone=place; limit_req_status 429; }' },
    { name => 'limit-uri', status => 429, limited => 1,
        shapes => [qw(file leaf hidden inner deep)],
        guard => 'location /limit-uri/ {'
            . ' limit_req zone=uri; limit_req_status 429; }' },
    { name => 'if', guard => 'location /if/ {'
            . ' if ($uri ~ "^/if/(?:RE)") { return 403; } }' },
    { name => 'server-if',
        guard => 'if ($uri ~ "^/server-if/(?:RE)") { return 403; }' },
    { name => 'map', http => 'map $uri $denied_NUMBER {'
            . ' default 0; "~^/map/(?:RE)" 1; }',
        guard => 'if ($denied_NUMBER) { return 403; }' },
    { name => 'iri-path', beyond => 1,
        guard => 'if ($iri_path ~ "^/iri-path/(?:RE)") { return 403; }' },
    { name => 'try', made => 1,
        each => 'location "/tried/try/@" { deny all; }',
        common => 'location /try/ { root EMPTY;'
            . ' try_files $uri /tried$uri; }' },
    { name => 'named', made => 1,
        each => 'location "/named/@" { deny all; }',
        common => 'location /named/ { root EMPTY; try_files $uri @fall; }'
            . ' location @fall { }' },
    { name => 'alias', common => 'location /alias/ { alias ROOT/;', each =>
            'location "/alias/@" { deny all; }', end => '}' },
    { name => 'regex-alias', made => 1,
        guard => 'location ~ "^/regex-alias/(?:RE)" { deny all; }',
        end => 'location ~ "^/regex-alias/(.*)$" { alias ROOT/$1; }' },
    { name => 'variable-root',
        common => 'set $context ROOT; location /variable-root/ {'
            . ' root $context;',
        each => 'location "/variable-root/@" { deny all; }', end => '}' },
    { name => 'rewrite', made => 1,
        each => 'location "/rewritten/@" { deny all; }',
        common => 'location /rewrite/ {'
            . ' rewrite ^/rewrite/(.*)$ /rewritten/$1 last; }' },
    { name => 'break', made => 1, common => 'location /break/ {',
        guard => 'if ($uri ~ "^/break/(?:RE)") { return 403; }',
        end => 'rewrite ^/break/(.*)$ /inside/$1 break; }' },
    { name => 'server-rewrite', made => 1,
        each => 'location "/srvrewritten/@" { deny all; }',
        common => 'rewrite ^/server-rewrite/(.*)$ /srvrewritten/$1;' },
    { name => 'error', made => 1,
        each => 'location "/errored/error/@" { deny all; }',
        common => 'location /error/ { root EMPTY;'
            . ' error_page 404 = /errored$uri; }' },
    { name => 'accel', made => 1, at => 'acceled', query => '/accel',
        each => 'location "/acceled/@" { deny all; }',
        common => 'location = /accel {'
            . ' proxy_pass http://127.0.0.1:%%PORTaccel%%; }' },
    { name => 'ssi', made => 1, status => 200, query => '/ssi.shtml',
        included => 1,
        # nginx skips its access phase for subrequests
        each => 'location "/ssi/@" { return 403; }',
        common => 'location = /ssi.shtml { ssi on;'
            . ' default_type text/html; }' },
    { name => 'auth-request', guard => 'location /auth-request/ {'
            . ' set $asked $uri; auth_request /_auth; }'
            . ' location = /_auth { internal;'
            . ' if ($asked ~ "^/auth-request/(?:RE)") { return 403; }'
            . ' return 204; }' },
    { name => 'proxy', made => 1, trees => [qw(nfc twins)],
        shapes => [qw(file leaf hidden inner deep)],
        each => 'location "/proxy/@" { deny all; }',
        common => 'location /proxy/ {'
            . ' proxy_pass http://127.0.0.1:%%PORTbackTREE%%; }' },
    { name => 'top', at => '', each => 'location "/@" { deny all; }' },
);

# ---- contexts of httpd --------------------------------------------------------

my $DENIED = "\nRequire all denied\n";
my @HTTPD = (
    { name => 'location', each => join("$DENIED</Location>\n",
            '<Location "/location/@">', '<Location "/location/@.txt">', '') },
    { name => 'match', guard =>
            qq{<LocationMatch "^/match/(?:RE)">$DENIED</LocationMatch>} },
    { name => 'directory', octets => 1, shapes => \@DIRS, each =>
            qq{<Directory "ROOT/directory/\@">$DENIED</Directory>} },
    { name => 'directory-match', shapes => \@DIRS, trees => ['nfc'], guard =>
            qq{<DirectoryMatch "^ROOT/directory-match/(?:RE)(?:/|\$)">$DENIED}
            . '</DirectoryMatch>' },
    { name => 'files', shapes => ['file'], guard =>
            '<Directory "ROOT/files">',
        each => qq{<Files "\@.txt">$DENIED</Files>}, end => '</Directory>' },
    { name => 'files-match', shapes => ['file'], guard =>
            qq{<Directory "ROOT/files-match">\n<FilesMatch "^(?:RE)[.]txt\$">}
            . "$DENIED</FilesMatch>\n</Directory>" },
    { name => 'htaccess', guard =>
            qq{<Directory "ROOT/htaccess">\nAllowOverride All\n</Directory>} },
    { name => 'if', guard =>
            qq{<If "%{REQUEST_URI} =~ m#^/if/(?:RE)#">$DENIED</If>} },
    { name => 'rewrite', guard => 'RewriteRule "^/rewrite/(?:RE)" - [F]' },
    { name => 'condition', beyond => 1, guard =>
            qq{RewriteCond %{ENV:IRI_PATH} "^/condition/(?:RE)"\n}
            . 'RewriteRule "^/condition/" - [F]' },
    { name => 'auth', status => 401, guard =>
            qq{<LocationMatch "^/auth/(?:RE)">\nAuthType Basic\nAuthName x\n}
            . qq{AuthUserFile "%%TMP%%/users"\nRequire valid-user\n}
            . '</LocationMatch>' },
    { name => 'alias', guard =>
            qq{<LocationMatch "^/alias/(?:RE)">$DENIED</LocationMatch>},
        common => 'Alias "/alias/" "ROOT/"' },
    { name => 'alias-dir', octets => 1, shapes => \@DIRS, each =>
            qq{<Directory "ALIASED/\@">$DENIED</Directory>},
        common => 'Alias "/alias-dir/" "ALIASED/"' },
    { name => 'pass', made => 1, guard =>
            qq{<LocationMatch "^/pted/(?:RE)">$DENIED</LocationMatch>},
        common => 'RewriteRule "^/pass/(.*)$" "/pted/$1" [PT]' },
    { name => 'to-file', made => 1, octets => 1, shapes => \@DIRS, each =>
            qq{<Directory "ROOT/to-file/\@">$DENIED</Directory>},
        common => 'RewriteRule "^/to-file/(.*)$" "ROOT/to-file/$1"' },
    # SetEnvIf sees the path percent-encoded, with sub-delims as sent
    { name => 'setenv', beyond => 1, unreserved => 1,
        guard => qq{SetEnvIf Request_URI "^/setenv/(?:URI)" D\n}
            . qq{<Location "/setenv">\n<RequireAll>\nRequire all granted\n}
            . "Require not env D\n</RequireAll>\n</Location>" },
    { name => 'errordoc', guard =>
            qq{<LocationMatch "^/errordoc/(?:RE)">$DENIED}
            . "ErrorDocument 403 /errdoc.txt\n</LocationMatch>" },
    { name => 'views', made => 1, status => 404, or => 403,
        shapes => ['view'], common =>
            qq{<Directory "ROOT/views">\nOptions +MultiViews\n</Directory>},
        guard => qq{<Directory "ROOT/views">\n<FilesMatch "^(?:RE)-v[.]txt\$">}
            . "$DENIED</FilesMatch>\n</Directory>" },
    { name => 'ssi', made => 1, status => 200, query => '/ssi-httpd.shtml',
        included => 1, guard =>
            qq{<LocationMatch "^/ssi/(?:RE)">$DENIED</LocationMatch>} },
    { name => 'proxy', made => 1, trees => [qw(nfc twins)],
        shapes => [qw(file leaf hidden inner deep)], guard =>
            qq{<LocationMatch "^/proxy/(?:RE)">$DENIED</LocationMatch>},
        common => 'ProxyPass "/proxy/"'
            . ' "http://127.0.0.1:%%PORTbackTREE%%/proxy/"' },
    { name => 'top', at => '', guard =>
            qq{<LocationMatch "^/(?:RE)">$DENIED</LocationMatch>} },
);

# All contexts of a server, completed.
sub contexts {
    my ($kind) = @_;
    return map {
        { status => 403, shapes => \@ALL, at => $_->{name}, %$_ }
    } $kind eq 'nginx' ? @NGINX : @HTTPD;
}

sub all_contexts {
    my %seen;
    return grep { !$seen{$_}++ } map { $_->{name} } @NGINX, @HTTPD;
}

# Does a world have a context?
sub has_context {
    my ($world, $context) = @_;
    return 0 if $context->{no_pass} && $world->{pass};
    return !$context->{trees}
        || scalar grep { $_ eq $world->{tree} } @{ $context->{trees} };
}

# ---- configurations ---------------------------------------------------------

# The text of all contexts in one server.
sub contexts_text {
    my ($world, $tree, $guarded, @contexts) = @_;
    my $text = '';
    for my $context (grep { has_context($world, $_) } @contexts) {
        my ($common, $guard, $each, $end) =
            map { defined ? "$_\n" : '' } @$context{qw(common guard each end)};
        my $opens = $guard =~ /\{$|^<Directory[^\n]*$/;
        $text .= filled($common . ($guarded || $opens ? $guard : '')
                . ($guarded ? each_name($tree, $each) : '') . $end,
            $world, $tree);
    }
    return $text;
}

# A text with its placeholders replaced by values of a tree.
sub filled {
    my ($text, $world, $tree) = @_;
    my $re = regex($tree);
    $text =~ s/\b(ROOT|EMPTY|ALIASED)\b/$tree->{lc $1}/g;
    $text =~ s/NUMBER/$world->{number}/g;
    $text =~ s/backTREE/back$tree->{label}/g;
    $text =~ s/\(\?:RE\)/(?:$re)/g;
    $text =~ s/\(\?:URI\)/'(?:' . uri_regex($tree) . ')'/e;
    return $text;
}

# nginx: the text of http{}. Ports: gN for the guarded server of world N, hN
# for the same with HTTP/2, oN for the open one.
sub nginx_text {
    my ($worlds, $trees) = @_;
    my @contexts = contexts('nginx');
    my $text = <<'END';
limit_req_zone $arg_k zone=place:32m rate=1r/m;
limit_req_zone $uri$arg_k zone=uri:32m rate=1r/m;
variables_hash_max_size 4096;
map_hash_bucket_size 256;
keepalive_requests 1000000;
access_log off;
default_type text/plain;
index f.txt;
server {
    listen 127.0.0.1:%%PORTaccel%%;
    location / { add_header X-Accel-Redirect $args; return 200; }
}
END
    $text .= "server { listen 127.0.0.1:%%PORTback$_->{label}%%;"
        . " root $_->{root}; }\n" for map { $trees->{$_} } sort keys %$trees;
    for my $world (@$worlds) {
        my $tree = $trees->{ $world->{tree} };
        $text .= filled("$_->{http}\n", $world, $tree)
            for grep { $_->{http} } @contexts;
        for my $guarded (0, 1) {
            my $listen = $guarded
                ? "listen 127.0.0.1:%%PORTg$world->{number}%%;\n"
                . "listen 127.0.0.1:%%PORTh$world->{number}%% http2;"
                : "listen 127.0.0.1:%%PORTo$world->{number}%%;";
            $text .= join "\n", "server {", $listen, "root $tree->{root};",
                IRI::Cases::nginx_settings(settings($world, $guarded)),
                contexts_text($world, $tree, $guarded, @contexts), "}\n";
        }
    }
    return $text;
}

# httpd: all virtual hosts, with ports as above; HTTP/2 is on those of gN.
sub httpd_text {
    my ($worlds, $trees) = @_;
    my @contexts = contexts('httpd');
    my $text = "DirectoryIndex f.txt\n";
    $text .= "<VirtualHost 127.0.0.1:%%PORTback$_->{label}%%>\n"
        . "DocumentRoot $_->{root}\n</VirtualHost>\n"
        for map { $trees->{$_} } sort keys %$trees;
    for my $world (@$worlds) {
        my $tree = $trees->{ $world->{tree} };
        for my $guarded (0, 1) {
            my $port = ($guarded ? 'g' : 'o') . $world->{number};
            $text .= join "\n", "<VirtualHost 127.0.0.1:%%PORT$port%%>",
                "DocumentRoot $tree->{root}", 'RewriteEngine On',
                IRI::Cases::httpd_settings(settings($world, $guarded)),
                "<Directory $tree->{root}>\nOptions +Includes\n</Directory>",
                qq{<Files "*.shtml">\nSetOutputFilter INCLUDES\n</Files>},
                contexts_text($world, $tree, $guarded, @contexts),
                "</VirtualHost>\n";
        }
    }
    return $text;
}

# A file of users for auth_basic and AuthUserFile: "user" with "right".
sub users {
    return 'user:{SHA}' . Digest::SHA::sha1_base64('right') . "=\n";
}

1;
