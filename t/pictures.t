#!/usr/bin/perl
# The pictures of doc/pictures: each is in a document, with a text alternative;
# those of a terminal show the current output of `iri`, load no other file, and
# are readable in light and dark. `make pictures` creates all of them,
# t/pictures/terminal those of a terminal.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Encode ();
use IRI::Terminal qw(pieces svg width);
use IRI::Test;
use Test::More;

my $top = "$FindBin::Bin/..";

subtest 'in the documents' => sub {
    my %shown;
    for my $file ("$top/README.md", glob "$top/doc/*.md") {
        my $text = slurp($file);
        my ($name) = $file =~ m{([^/]+)\z};
        for ($text =~ /(!?\[[^\]]*\]\([^)]*pictures\/[^)]+\))/g) {
            my ($image, $alt, $picture)
                = /^(!?)\[([^\]]*)\]\((?:doc\/)?pictures\/([^)]+)\)/;
            ok -f "$top/doc/pictures/$picture", "$name: $picture is there";
            cmp_ok length $alt, '>', $image ? 12 : 3, "$name: a text for it";
            $shown{$picture} = 1;
        }
        $shown{$1} = 1 while $text =~ /srcset="(?:doc\/)?pictures\/([^"]+)"/g;
    }
    for (glob "$top/doc/pictures/*") {
        my ($picture) = m{([^/]+)\z};
        ok $shown{$picture}, "$picture is shown somewhere";
    }
};

subtest 'what a terminal shows' => sub {
    my @lines = pieces("a \e[1mb\e[0m\r\n[#..] 1\e[K\r\e[Kc\xC3\xA9\r\n");
    is_deeply \@lines, [[['plain', 'a '], ['bold', 'b']], [['plain', 'cé']]],
        'bold, and what is drawn over';
    is_deeply [pieces("\e[1;33mx\e[0my")],
        [[['bold yellow', 'x'], ['plain', 'y']]], 'two at once';
    ok !eval { pieces("\e]0;title\a"); 1 }, 'no other sequences';
    is join(' ', map { width($_) } 'a', 'é', '日', "\x{301}", 'ﬁ', '。'),
        '1 1 2 0 1 2', 'columns';
};

subtest 'a picture of one' => sub {
    my $svg = svg(title => 'a & b', about => '<c>', columns => 4,
        lines => [[['bold', 'ab cd'], ['plain', "e\x{301}日"]]]);
    my @texts = map { Encode::decode('UTF-8', $_) }
        $svg =~ /<text([^>]*>[^<]*)/g;
    is scalar @texts, 4, 'runs';
    like $texts[0], qr/ class="bold" x="16" .* textLength="33.6" .*>ab c\z/,
        'as many as go into a line';
    like $texts[1], qr/ x="16" .* textLength="8.4" .*>d\z/, 'then the next';
    like $texts[2], qr/ x="24.4" y="47">e\x{301}\z/,
        'a mark takes no room';
    like $texts[3], qr/ x="32.8" y="47">日\z/, 'and the next is behind it';
    like $svg, qr/<title id="title">a &amp; b</, 'a title, escaped';
};

# WCAG 2, contrast: 7 is required by its highest level.
sub contrast {
    my ($light, $dark) = sort { $b <=> $a } map {
        my @rgb = map { hex() / 255 } /([0-9a-f]{2})/g;
        @rgb = map { $_ <= 0.04045 ? $_ / 12.92 : (($_ + 0.055) / 1.055)**2.4 }
            @rgb;
        0.2126 * $rgb[0] + 0.7152 * $rgb[1] + 0.0722 * $rgb[2];
    } @_;
    return ($light + 0.05) / ($dark + 0.05);
}

subtest 'light and dark' => sub {
    my %colour = %IRI::Terminal::COLOUR;
    my $back   = delete $colour{back};
    for my $name (sort keys %colour) {
        cmp_ok contrast($colour{$name}[$_], $back->[$_]), '>=', 7,
            "$name, " . ('light', 'dark')[$_] for 0, 1;
    }
};

my @svg = glob "$top/doc/pictures/*.svg";
subtest 'by themselves' => sub {
    plan skip_all => 'no XML::LibXML' if !eval { require XML::LibXML };
    for my $file (@svg) {
        my ($name) = $file =~ m{([^/]+)\z};
        my $text = slurp($file);
        ok eval { XML::LibXML->new->parse_string($text) }, "$name is XML";
        unlike $text, qr/<script|<image|href=|url\(http|\@import|\@font-face/,
            "$name loads nothing";
        like $text, qr/<title\b|aria-label="/, "$name has a title";
    }
};

# Texts and their styles; the names of a directory are in the order of the file
# system.
sub words {
    return join "\n", sort map { s/ x=.*>/: /r } $_[0] =~ /<text([^<]*)/g;
}

subtest 'what iri writes' => sub {
    plan skip_all => missing('core') if missing('core');
    plan skip_all => 'script (bsdutils) is not here'
        if (capture('', 'sh', '-c', 'command -v script'))[0];
    my $new = temp_dir();
    my ($code, $out, $err) = capture('', "$top/t/pictures/terminal", $new);
    is "$code$out$err", '0', 'drawn';
    for my $file (glob "$new/*.svg") {
        my ($name) = $file =~ m{([^/]+)\z};
        is words(slurp("$top/doc/pictures/$name")), words(slurp($file)),
            "$name is that of today" or diag 't/pictures/terminal draws it';
    }
};

done_testing;
