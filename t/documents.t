#!/usr/bin/perl
# The examples and rules of the four source documents, executed with the
# command: the tables t/documents/*.tsv, a case on each row. doc/conformance.md
# names the rows for each section.
#
#  id        DOCUMENT-SECTION-WORD, never used twice
#  command   words for `iri`, separated by single spaces
#  code      its exit code
#  output    the whole standard output, "\
# " between lines; "~TEXT": TEXT is
#            part of a line, also of standard error; "=TEXT": the first line
#  note      why; "-": none
#
# In command and output \\xHH is an octet, \\u{HHHH} a character, and the word
# \\e is empty. Text after he: or ar: is in the Bidi Notation of
# draft-duerst-iri-03, 1.4: upper case stands for letters of Hebrew or Arabic.
use IRI::Test 'core';
use Encode ();

# Letters in the order of the Hebrew block; for Arabic the letters from U+0628
# on.
my %LETTERS = (he => [0x5D0 .. 0x5E9], ar => [0x628 .. 0x63A, 0x641 .. 0x647]);

sub plain {
    my ($word) = @_;
    return '' if $word eq '\e';
    if ($word =~ s/^(he|ar)://) {
        my $letters = $LETTERS{$1};
        $word =~ s/([A-Z])/chr $letters->[ord($1) - 65]/ge;
        return Encode::encode('UTF-8', $word);
    }
    $word =~ s/\\u\{([0-9A-F]+)\}/Encode::encode('UTF-8', chr hex $1)/ge;
    return octets($word);
}

sub rows {
    my ($file) = @_;
    my (@columns, @rows);
    for my $line (split /\n/, slurp($file)) {
        next if $line =~ /^#/;
        my @cells = split /\t/, $line, -1;
        if (!@columns) { @columns = @cells; next }
        my %row;
        @row{@columns} = @cells;
        die "$file: $line\n" if @cells != @columns || grep { $_ eq '' } @cells;
        push @rows, \%row;
    }
    return @rows;
}

sub judge {
    my ($row) = @_;
    my ($code, $out, $err) = capture('', build_dir() . '/iri',
        map { plain($_) } split / /, $row->{command});
    my ($how, $want) = $row->{output} =~ /^([~=]?)(.*)$/;
    my $test_name = "$row->{id}: iri $row->{command}";
    is $code, $row->{code}, "$test_name: exit code"
        or diag "$row->{note}\n$out$err";
    $want = join "\n", map { plain($_) } split /\\n/, $want;
    if ($how eq '~') {
        like "$out$err", qr/\Q$want\E/, $test_name;
    }
    elsif ($how eq '=') {
        is +(split /\n/, $out)[0], $want, $test_name;
    }
    else {
        is "$out$err", "$want\n", $test_name;
    }
    return;
}

my %seen;
for my $file (sort glob "$FindBin::Bin/documents/*.tsv") {
    my ($name) = $file =~ m{([^/]+)\z};
    subtest $name => sub {
        for my $row (rows($file)) {
            fail "$row->{id} is used twice" if $seen{ $row->{id} }++;
            judge($row);
        }
    };
}
cmp_ok scalar keys %seen, '>', 380, 'all tables are run';

done_testing;
