# Links of all documents, without network access: a relative link leads to a
# file of the tree, its anchor to a heading; an address of another site is
# well-formed; a file of the tree that the text names exists; a picture has a
# text alternative; and each document of doc/ is reachable from README.md.
use IRI::Test;
use Cwd 'abs_path';
use Encode 'decode';
use File::Basename 'dirname';

my $top = abs_path("$FindBin::Bin/..");
chdir $top or die "$top: $!\n";

my @documents = (glob('*.md'), glob('doc/*.md'), glob('doc/*/*.md'),
    glob('t/*/*.md'));

# The text without code.
sub prose {
    my ($document) = @_;
    my $text = slurp($document);
    $text =~ s/^ *```.*?^ *```$//msg;
    return $text;
}

# The anchors of a document, as GitHub derives them from headings: lower-case
# letters, digits, "-" and "_", spaces as "-"; a repeated heading gets a
# number.
my %anchors;
sub anchors {
    my ($document) = @_;
    return $anchors{$document} //= do {
        my (%seen, %anchor);
        for my $heading (prose($document) =~ /^#+ +(.*?) *$/mg) {
            my $text = decode('UTF-8', $heading);
            $text =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
            $text = lc $text;
            $text =~ s/[^\w\- ]//g;
            $text =~ s/ /-/g;
            my $count = $seen{$text}++;
            $anchor{ $count ? "$text-$count" : $text } = 1;
        }
        \%anchor;
    };
}

# [text](target) and ![text](target), except those in back-quotes.
sub links {
    my ($document) = @_;
    my $text = prose($document);
    $text =~ s/`[^`\n]*`/`/g;
    return $text =~ /\]\(([^()\s]+)\)/g;
}

my (%reached, $links);
for my $document (@documents) {
    my @wrong;
    for my $link (links($document)) {
        $links++;
        if ($link =~ /^[a-z]+:/) {
            push @wrong, $link
                if $link !~ m{^https?://[a-z0-9.-]+\.[a-z]+(?:/[!-~]*)?$}i;
            next;
        }
        my ($path, $anchor) = $link =~ /^([^#]*)(?:#(.*))?$/;
        my $file = $path eq '' ? $document
            : abs_path(dirname($document) . "/$path");
        $file =~ s{^\Q$top\E/}{} if defined $file;
        if (!defined $file || !-e $file || $file =~ m{^/}) {
            push @wrong, "$link: no such file";
            next;
        }
        push @{ $reached{$document} }, $file;
        push @wrong, "$link: no such heading"
            if defined $anchor && !anchors($file)->{ decode('UTF-8', $anchor) };
    }
    is join("\n", @wrong), '', "links of $document";

    is join(' ', prose($document) =~ /!\[.{0,12}\]\(([^)]*)\)/g), '',
        "each picture of $document has a text";

    # `doc/x.md`, `t/x.t`, `common/iri.h`: words that look like a file of the
    # tree.
    my @missing = grep { !(/\*/ ? () = glob
        : -e) } grep { !/[<>{]|\.\.\./ } prose($document)
        =~ /`((?:doc|common|cli|mod_iri|ngx_iri|t)\/[\w.*\/-]+)`/g;
    is "@missing", '', "files that $document names";
}
cmp_ok $links, '>', 100, 'there are links';

# The programs that a Makefile runs, and the folders that t/README.md lists.
for my $makefile (qw(Makefile install.mk t/long.mk)) {
    my @named = grep { !/NAME/ } map { s/\.\z//r } slurp("$top/$makefile")
        =~ m{(?<![\w/.)%-])(t/[\w/.-]++)(?![*\$%])}g;
    is join(' ', grep { !-e "$top/$_" } @named), '',
        "files of t/ that $makefile names";
}
is join(' ', grep { !-d "$top/t/$_" }
    slurp("$top/t/README.md") =~ m{^\| `(\w+)/`}mg), '',
    'folders that t/README.md lists';

my %there = ('README.md' => 1);
my @next  = ('README.md');
while (defined(my $document = shift @next)) {
    push @next, grep { !$there{$_}++ } @{ $reached{$document} // [] };
}
my @lost = grep { /^doc/ && !$there{$_} } @documents, glob('doc/pictures/*');
is "@lost", '', 'README.md leads to each document and picture';

done_testing;
