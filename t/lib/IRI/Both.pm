# Cases that both servers share, and an answer as one line of text.
package IRI::Both;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(function_values inturi link_cases vary visible);

# Octets above 7F as \xHH.
sub visible {
    my ($octets) = @_;
    $octets =~ s/([^ -~])/sprintf '\\x%02X', ord $1/ge;
    return $octets;
}

# Status and "inturi" fields.
sub inturi {
    my ($server, $method, $target, %option) = @_;
    my $answer = $server->request($method, $target, %option);
    my @values = $answer->header('inturi');
    return join ' ', $answer->status, grep { defined } @values;
}

# The answer to a client: status, body if 200, Vary. Options: port (by its
# name), method, headers.
sub vary {
    my ($server, $target, $agent, %option) = @_;
    my $port   = delete $option{port};
    my $method = delete $option{method} // 'GET';
    $option{headers} = ['User-Agent', $agent // 'x',
        @{ $option{headers} // [] }];
    $option{port} = $server->port($port) if $port;
    my $answer = $server->request($method, $target, %option);
    my @vary = map { split /\s*,\s*/ } grep { defined } $answer->header('Vary');
    return join ' ', $answer->status,
        $answer->status == 200 ? $answer->body : (),
        @vary ? join(', ', sort @vary) : ();
}

# Functions for rules: name, text, value.
sub function_values {
    my $nihyo = "\xE8\xA1\xA8";    # U+8868, 95 5C in Shift_JIS
    return (
        ['to_uri', "/$nihyo a%zz%41", '/%E8%A1%A8%20a%25zz%41'],
        ['to_uri', "/\x95\\", ''],
        ['to_iri', '/%E8%A1%A8%20%41%E2%80%8E', "/$nihyo%20A%E2%80%8E"],
        ['to_iri', "/%95\\\x95", '/%95%5C%95'],
        ['nfc', "e\xCC\x81", "\xC3\xA9"],
        ['nfc', "\xE9", ''],
        ['fold', "STRA\xC3\x9FE \xEF\xBC\xA1", 'strasse a'],
        ['utf8', "\x95\\", $nihyo],
        ['utf8', "caf\xE9", "caf\xC3\xA9"],
        ['utf8', $nihyo, $nihyo],
        ['utf8', "\x81", ''],
        ['host_ascii', "B\xC3\xBCcher.example", 'xn--bcher-kva.example'],
        ['host_ascii', "b\xC3\xBC:80", ''],
        ['host_unicode', 'xn--bcher-kva.example', "b\xC3\xBCcher.example"],
        ['host_unicode', "a/b", ''],
    );
}

# iri_redirect link: target, status and Link fields, description.
sub link_cases {
    my $coffee = '</caf%C3%A9.txt>; rel="canonical"';
    return (
        ['/caf%C3%A9.txt', '200', 'canonical'],
        ['/plain.txt', '200', 'ASCII'],
        ["/caf\xC3\xA9.txt", "200 + $coffee", 'native'],
        ['/cafe%CC%81.txt', "200 + $coffee", 'another normalization form'],
        ['/caf%E9.txt', "200 + $coffee", 'another charset'],
        ['/caf%c3%a9.txt', "200 + $coffee", 'digits in lower case'],
        ['/%63af%C3%A9.txt', "200 + $coffee", 'a needless escape'],
        ['/pl%61in.txt', '200 + </plain.txt>; rel="canonical"',
            'a needless escape in ASCII'],
        ['/caf%E9.txt?a=<x>"&b=%e9',
            '200 + </caf%C3%A9.txt?a=%3Cx%3E%22&b=%e9>; rel="canonical"',
            'with a query'],
        ["/\xD0\xB4\xD0\xB8\xD1\x80/",
            '200 + </%D0%B4%D0%B8%D1%80/>; rel="canonical"',
            'a directory with an index'],
        ["/\xD0\xB4\xD0\xB8\xD1\x80", '301', 'a directory without its slash'],
        ["/off/caf\xC3\xA9.txt", '200', 'off in a place'],
    );
}

1;
