#!/usr/bin/perl
# doc/conformance.md: it has each section of the four source documents, each
# MUST, SHOULD and MAY; each named test exists and has the case, each row of
# t/documents belongs to a section of the page by its id or is named there, and
# a row without a test has a reason. The page is compared
# with the documents themselves if they are available (../shared/seeds).
use IRI::Cases;
use IRI::Test;

my $top = "$FindBin::Bin/..";
my $seeds = ($ENV{IRI_SHARED} // "$top/../shared") . '/seeds';

# By the heading of its table: the file of the document, its table of cases and
# with what their ids begin,
# its sections, and the total numbers of MUST, SHOULD and MAY in a section
# (MUST NOT counts as MUST).
my %DOCUMENT = (
    'draft-duerst-iri-03' => {
        seed => '000_*.txt', table => 'iri.tsv', id => 'iri',
        sections => '1 1.1 1.2 1.3 1.4 2 2.1 2.2 2.3 3 3.1 3.2 3.2.1 4 4.1 4.2'
            . ' 4.3 4.4 5 5.1 5.2 5.3 5.4 6 6.1 6.2 6.3 6.4 6.5 6.6 6.7 6.8 7'
            . ' 8 9 9.1 9.2 9.3 10',
        words => '2.1:1 2.3:10 3.1:3 3.2:1 4.1:5 4.2:3 4.3:1 5.2:3 5.3:4',
    },
    'draft-masinter-url-i18n-05' => {
        seed => '003_*.txt', table => 'iuri.tsv', id => 'iuri',
        sections => '1 1.1 1.2 1.3 2 2.1 2.2 2.3 2.4 2.5 3 3.1 3.2 3.3 3.4 3.5'
            . ' 3.6 3.7 4 4.1 4.2 4.2.1 5 6 7 8 9 10 11',
        words => '2.1:1 2.2:2 2.3:5 11:2',
    },
    'draft-duerst-idn-uri-00' => {
        seed => '004_*.txt', table => 'idn-uri.tsv', id => 'idnuri',
        sections => '1 1.1 1.2 2 3 4', words => '1.2:2 3:2',
    },
    'Unicode IDNA Compatible Preprocessing' => {
        seed => '002_*.txt', table => 'idna.tsv', id => 'idna',
        sections => '1 1.1 2 3 4 4.1 4.2 5 5.1 5.2 5.3 5.4 6 6.1 6.2 6.3 6.4',
        words => '',
    },
);
my $WORD = qr/\b(?:MUST|SHOULD|MAY)\b/;

# ---- the page ---------------------------------------------------------------

my $text = slurp("$top/doc/conformance.md");
my %part = map { /\A(.+)\n/ ? ($1 => $_) : () } split /^## /m, $text;

# The rows below a heading: section (or several, of which none has a MUST), it
# says, here, shown by.
sub rows {
    my ($name) = @_;
    return map { [map { s/^ | $//gr } split /\|/, $_] }
        grep { /^ [\d.]+(?:, [\d.]+)* \|/ } map { s/^\|//r } split /\n/,
            $part{$name} // '';
}

# ---- the tests that it names ------------------------------------------------

my %content;

sub has_case {
    my ($file, $case) = @_;
    my $all = $content{$file} //= $file =~ m{^t/cases/}
        ? join('', map { "$_->{id}\t\n" } IRI::Cases::load("$top/$file"))
        : slurp("$top/$file");
    if ($file =~ /\.tsv$/) {
        (my $like = quotemeta $case) =~ s/\\\*/[^\\t]*/g;
        return $all =~ /^$like\t/m;
    }
    return $all =~ /^(?:TEST\()?\Q$case\E[()]/m if $file =~ /\.c$/ && $case =~ /^\w+$/;
    return index($all, $case) >= 0;
}

my %named;    # {table}: patterns of rows
sub judge_shown {
    my ($section, $shown, $document) = @_;
    my @own = map { "$document->{id}-$_-*" } split /, /, $section =~ s/: .*//r;
    my @has = grep { has_case("t/documents/$document->{table}", $_) } @own;
    push @{ $named{ $document->{table} } }, @has;
    return is "@has", "@own", "$section: rows of $document->{table}"
        if $shown eq '-';
    if ($shown =~ /^none: (.*)/) {
        cmp_ok length $1, '>', 6, "$section: a reason for no test";
        return;
    }
    for my $one (split /; (?=`)/, $shown) {
        my ($file, $cases) = $one =~ /^`([\w.\/-]+)`(?: \((.+)\))?$/;
        if (!defined $file || !-f "$top/$file") {
            fail "$section: $one is no test";
            next;
        }
        next if !defined $cases;
        my @cases = map { /^`(.+)`$/ ? $1 : $_ } split /, /, $cases;
        ok has_case($file, $_), "$section: $file has $_" for @cases;
        push @{ $named{$1} }, @cases if $file =~ m{^t/documents/(.+)};
    }
    return;
}

# ---- the documents ----------------------------------------------------------

# Numbers of the headings of a document in their order, and the text of each
# section. The table of contents precedes them, so its entries are overwritten.
sub sections_of {
    my ($document, $sections) = @_;
    my ($at, %text) = ('', '' => '');
    for my $line (split /\n/, $document) {
        $line =~ s/\A<\|[^|]*\|>//;
        $at = '' if $line =~ /^(?:(?:Non-)?[Nn]ormative )?References\s*$/
            || $line =~ /^Authors?' ?s? Address/;
        if ($line =~ /^(\d\d?(?:\.\d+)*)\.? +[A-Z\[]/
            && $line !~ m{\. *\d+$|://})
        {
            $at = $1;
            $text{$at} = '';
            next;
        }
        $text{$at} .= "$line\n";
    }
    delete $text{''};
    return \%text;
}

sub judge_document {
    my ($name) = @_;
    my $document = $DOCUMENT{$name};
    my ($file) = glob "$seeds/$document->{seed}";
    return note "without the text of $name" if !defined $file;
    my $text = sections_of(slurp($file));
    is_deeply [sort keys %$text], [sort split / /, $document->{sections}],
        'list of sections';
    my @words = map { my $n = () = $text->{$_} =~ /$WORD/g; $n ? "$_:$n" : () }
        split / /, $document->{sections};
    is "@words", $document->{words}, 'numbers of MUST, SHOULD and MAY';
    return;
}

# ---- row by row -------------------------------------------------------------

for my $name (sort keys %DOCUMENT) {
    subtest $name => sub {
        my $document = $DOCUMENT{$name};
        my @rows     = rows($name);
        my (%seen, %words);
        for my $row (@rows) {
            my ($section, $message, $here, $shown) = @$row;
            is scalar @$row, 4, "$section: four columns";
            $seen{$_}++ for split /, /, $section;
            $words{$section} += () = $message =~ /\*\*$WORD(?: NOT)?\*\*/g;
            judge_shown("$section: $message", $shown, $document);
        }
        is_deeply [sort keys %seen], [sort split / /, $document->{sections}],
            'each section is there';
        is join(' ', map { $words{$_} ? "$_:$words{$_}" : () }
            split / /, $document->{sections}), $document->{words},
            'each MUST, SHOULD and MAY is there';
        judge_document($name);

        my @lost = grep { my $id = $_; !grep { $id =~ $_ } map {
            my $like = quotemeta; $like =~ s/\\\*/.*/g; qr/\A$like\z/ }
            @{ $named{ $document->{table} } } }
            slurp("$top/t/documents/$document->{table}")
            =~ /^((?!id\t)[^#\t\n]+)\t/mg;
        is "@lost", '', "each row of t/documents/$document->{table} is named";
    };
}

# Each difference is in the list at the top, and each entry of the list is a
# difference.
subtest 'documented differences' => sub {
    my %short = ('draft-duerst-iri-03' => 'draft',
        'draft-masinter-url-i18n-05' => 'IURI',
        'draft-duerst-idn-uri-00' => 'IDN in URIs',
        'Unicode IDNA Compatible Preprocessing' => 'IDNA Compatible');
    my %listed = map { s/^\| //r => 1 }
        $part{'Where we differ'} =~ /^(\| [^|]+?) \|/mg;
    for my $name (sort keys %short) {
        my %differ = map { $_->[0] => 1 }
            grep { $_->[2] =~ /\*\*differs:\*\*/ } rows($name);
        ok $listed{"$short{$name} $_"}, "$name, $_ is in the list"
            for sort keys %differ;
    }
};

# The example of the page.
subtest 'the example' => sub {
    plan skip_all => missing('core') if missing('core');
    my ($command, $message) = $text =~ /^ *\$ iri (.+)\n *(.+)$/m;
    my (undef, $out) = capture('', 'sh', '-c', build_dir() . "/iri $command");
    is $out, "$message\n", "iri $command";
};

done_testing;
