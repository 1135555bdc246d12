# Octets as the tables write them: printable ASCII stands for itself, any
# other octet is \xHH. A backslash that does not begin \xHH is a backslash. And
# texts in UTF-8 as clients write them.
package IRI::Octets;
use strict;
use warnings;
use Encode ();
use Exporter 'import';
use Unicode::Normalize 'NFD';

our @EXPORT_OK = qw(escaped euc in_charset nfd octets percent raw sjis visible);

# The octets of a table cell: octets('/caf\xC3\xA9') is "/caf\303\251".
sub octets {
    my ($text) = @_;
    utf8::encode($text) if utf8::is_utf8($text);
    $text =~ s/\\x([0-9A-Fa-f]{2})/chr hex $1/ge;
    return $text;
}

# Octets as a table cell; octets(escaped($x)) is always $x. Spaces and
# backslashes are escaped too, so that the result is valid in any table.
sub escaped {
    my ($octets) = @_;
    $octets =~ s/([^\x21-\x5B\x5D-\x7E])/sprintf '\\x%02X', ord $1/ge;
    return $octets;
}

# The same for people: without \x5C and \x20.
sub visible {
    my ($octets) = @_;
    $octets =~ s/([^ -~])/sprintf '\\x%02X', ord $1/ge;
    return $octets;
}

# Percent-encodes what a request line cannot have, and "%".
sub percent {
    my ($path) = @_;
    return $path =~ s/([^\x21-\x24\x26-\x7E])/sprintf '%%%02X', ord $1/ger;
}

# The octets of percent-encoded text: a path in raw form.
sub raw { return $_[0] =~ s/%(..)/chr hex $1/ger }

# A text in UTF-8 in another charset, or in NFD.
sub in_charset {
    return Encode::encode($_[1], Encode::decode('UTF-8', $_[0]));
}

sub euc  { return in_charset($_[0], 'euc-jp') }
sub sjis { return in_charset($_[0], 'cp932') }

sub nfd {
    return Encode::encode('UTF-8', NFD(Encode::decode('UTF-8', $_[0])));
}

1;
