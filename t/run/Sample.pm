# The sample site of `make run`: a tree with names in many languages, forms and
# charsets, and the requests for them.
package Sample;
use strict;
use warnings;
use utf8;
use Encode ();
use Exporter 'import';
use File::Basename 'dirname';
use File::Path 'make_path';
use IRI::Server 'spew';
use IRI::Tree 'encode_name';
use Unicode::Normalize qw(NFC NFD);

our @EXPORT_OK = qw(make_site requests percent utf8);

# A file: its language, its name, and the legacy charset of old pages and
# clients. The rest is derived from these lines.
my @FILES = (
    ['Japanese',   '/日本語/表示.html',           'Shift_JIS', 'EUC-JP'],
    ['Chinese',    '/中文/简体字.html',           'GB18030'],
    ['Chinese',    '/漢字/繁體中文.html',         'Big5'],
    ['Korean',     '/한국어/안녕하세요.html',     'EUC-KR'],
    ['Russian',    '/Русский/музей.html',         'windows-1251'],
    ['German',     '/Deutsch/Käsespätzle.html',   'windows-1252'],
    ['French',     '/Français/déjà vu.html',      'windows-1252'],
    ['Greek',      '/Ελληνικά/ιστορία.html',      'windows-1253'],
    ['Arabic',     '/العربية/أهلا.html'],
    ['Hebrew',     '/עברית/שלום.html'],
    ['Thai',       '/ไทย/สวัสดี.html'],
    ['Vietnamese', '/Tiếng Việt/phở.html'],
);

# Subtrees whose names are encoded otherwise, as in the example configurations:
# [prefix, label on disk, form on disk, note, files].
my @TREES = (
    ['/nfd', 'UTF-8', 'NFD', 'names on disk: NFD',
        ['/Αθήνα.html'], ['/がぎぐげご.html', 'EUC-JP']],
    ['/euc', 'EUC-JP', undef, 'names on disk: EUC-JP',
        ['/日本語/表.html', 'Shift_JIS', 'EUC-JP']],
    ['/cp1251', 'windows-1251', undef, 'names on disk: windows-1251',
        ['/кино/фильм.html', 'windows-1251']],
);

# All files: { path (characters), disk (octets), note, charsets }.
sub files {
    my @files = map {
        my ($language, $path, @charsets) = @$_;
        { path => $path, disk => utf8($path), note => $language,
            charsets => \@charsets }
    } @FILES;
    for my $tree (@TREES) {
        my ($prefix, $charset, $form, $note, @names) = @$tree;
        for my $name (@names) {
            my ($path, @charsets) = @$name;
            push @files, {
                path => "$prefix$path", note => $note,
                disk => $prefix . encode_name(utf8($path), $charset, $form),
                charsets => \@charsets
            };
        }
    }
    return @files;
}

# Files that are requested in one form only.
my @FURTHER =
    ('/1〜9.html', '/秘密/鍵.html', '/moved/Straße.html', '/plain.html',
    '/any/Straße.html', '/any/Résumé.html', '/any/Readme.html',
    '/any/README.html');

sub utf8    { return Encode::encode('UTF-8', $_[0]) }
sub percent { return $_[0]
    =~ s{([^A-Za-z0-9/._~-])}{sprintf '%%%02X', ord $1}ger }

# Percent-encoded octets of a path in a charset and form.
sub written {
    my ($path, $charset, $form) = @_;
    return percent(encode_name(utf8($path), $charset, $form));
}

# Makes the site in $root; returns the content of each file by its canonical
# path in UTF-8.
sub make_site {
    my ($root) = @_;
    my %content;
    for my $file (files(), map { { path => $_, disk => utf8($_) } } @FURTHER) {
        make_path($root . dirname($file->{disk}));
        $content{ utf8($file->{path}) } = page($file);
        spew($root . $file->{disk}, page($file));
    }
    spew("$root/index.html", index_page());
    return \%content;
}

sub page {
    my ($file) = @_;
    my $path = $file->{path} =~ s/&/&amp;/gr;
    my $note = $file->{note} ? "<p>$file->{note}</p>\n" : '';
    my $disk = percent($file->{disk});
    return html($path, <<"END");
<h1><bdi>$path</bdi></h1>
$note<p>Octets on disk: <code>$disk</code></p>
<p><a href="/">All forms</a></p>
END
}

# Old pages link in the form of their author's system: each file with a link in
# each form.
sub index_page {
    my $rows = '';
    for my $file (files()) {
        my @links = map { link_of(@$_) } forms($file);
        $rows .= "<tr><td><bdi>$file->{path}</bdi><td>$file->{note}<td>"
            . join(", \n", @links) . "\n";
    }
    return html('Sample site', <<"END");
<h1>Sample site</h1>
<p>Each link of a line is another way to write the same address. All are
answered with the one file, whatever its name on disk is.</p>
<table>
<tr><th>File<th>What it is<th>Links
$rows</table>
END
}

sub link_of {
    my ($label, $target) = @_;
    return qq{<a href="$target">$label</a>} if $target !~ /[\x80-\xFF]/;
    my $href = Encode::decode('UTF-8', $target, Encode::LEAVE_SRC);
    return qq{<a href="$href">$label</a>};
}

sub html {
    my ($title, $body) = @_;
    return utf8(<<"END");
<!DOCTYPE html>
<meta charset="utf-8">
<title>$title</title>
<style>body { font: 1em/1.5 sans-serif } td, th { padding-right: 2em;
text-align: left }</style>
$body
END
}

# The forms of a file's path: [label, target], each target once.
sub forms {
    my ($file) = @_;
    my $path = $file->{path};
    my @forms = (
        ['UTF-8', written($path, 'UTF-8', 'NFC')],
        ['UTF-8 raw', utf8($path) =~ s/ /%20/gr],
        ['UTF-8 NFD', written($path, 'UTF-8', 'NFD')],
        map { [$_, written($path, $_)] } @{ $file->{charsets} }
    );
    my %seen;
    return grep { !$seen{ $_->[1] }++ } @forms;
}

# The requests as groups: { path, note, requests }, a request being { form,
# target, status, file (canonical UTF-8; undef: none), location (undef: none)
# }.
sub requests {
    return (map { group_of($_) } files()), further();
}

sub group_of {
    my ($file) = @_;
    my @requests = map {
        { form => $_->[0], target => $_->[1], status => 200,
            file => utf8($file->{path}) }
    } forms($file);
    return { %$file, requests => \@requests };
}

# Rules, redirects, the vendor variant, and requests that must work as before.
sub further {
    my $key   = '/秘密/鍵.html';
    my $moved = '/moved/Straße.html';
    my @denied = map {
        { form => $_, target => written($key, $_), status => 403 }
    } qw(UTF-8 Shift_JIS EUC-JP);
    my $mixed = written('/Русский', 'UTF-8')
        . written('/музей.html', 'windows-1251');
    my $canonical = written($moved, 'UTF-8');
    return (
        { path => '/Русский/музей.html', note => 'two charsets in one path',
            requests => [{ form => 'UTF-8, 1251',
                target => $mixed, status => 200,
                file => utf8('/Русский/музей.html') }] },
        { path => '/1〜9.html', note => 'disk U+301C, asked U+FF5E',
            requests => [{ form => 'UTF-8',
                target => written("/1\x{FF5E}9.html", 'UTF-8'),
                status => 200, file => utf8('/1〜9.html') }] },
        { path => $key, note => 'denied in every form',
            requests => \@denied },
        { path => $moved, note => 'iri_redirect 301',
            requests => [
                { form => 'windows-1252', status => 301,
                    target => written($moved, 'windows-1252'),
                    location => $canonical },
                { form => 'UTF-8', status => 200,
                    target => $canonical, file => utf8($moved) }] },
        { path => '/any/Straße.html', note => 'iri_match width case',
            requests => [map {
                { form => $_->[0], status => 200,
                    target => written("/any/$_->[1]", 'UTF-8'),
                    file => utf8('/any/Straße.html') }
            } ['capitals', 'STRASSE.HTML'], ['full width', 'ｓｔｒａßｅ.html']] },
        { path => '/any/Résumé.html', note => 'accents',
            requests => [{ form => 'ASCII', target => '/any/resume.html',
                status => 200, file => utf8('/any/Résumé.html') }] },
        { path => '/any/readme.html', note => 'README or Readme',
            requests => [{ form => 'ASCII', target => '/any/readme.html',
                status => 300 }] },
        { path => '/plain.html', note => 'ASCII is left alone',
            requests => [{ form => 'ASCII', target => '/plain.html',
                status => 200, file => '/plain.html' }] },
        { path => '/Wörter.html', note => 'no such file',
            requests => [{ form => 'UTF-8', status => 404,
                target => written('/Wörter.html', 'UTF-8') }] },
    );
}

1;
