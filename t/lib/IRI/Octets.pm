# Octets as the tables write them: printable ASCII stands for itself, any
# other octet is \xHH. A backslash that does not begin \xHH is a backslash.
package IRI::Octets;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(octets escaped);

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

1;
