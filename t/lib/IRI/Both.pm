# Cases that both servers share, and an answer as one line of text.
package IRI::Both;
use strict;
use warnings;
use Exporter 'import';
use IRI::Octets 'visible';
use Test::More;

our @EXPORT_OK = qw(client_cases function_values is_undisclosed site_of vary visible);

# The body of a 200, by which a site says its name, or another status.
sub site_of {
    my ($answer) = @_;
    return $answer->status == 200 ? $answer->body : $answer->status;
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

# Charsets that depend on the client: target, User-Agent, response as vary()
# returns it, description.
sub client_cases {
    my $either = '/%E9t%E9.txt';
    my @again  = (
        [$either, undef, '200 french User-Agent', 'the default list'],
        [$either, 'Russia', '200 russian User-Agent', "the client's own list"],
        ['/%C9%BD.txt', 'Asia', '200 table User-Agent',
            'UTF-8, the entry has another reading'],
        ['/%C9%BD.txt', undef, '404 User-Agent',
            'not found for other clients'],
    );
    return (
        (@again) x 3,
        ["/\xE9t\xE9.txt", 'Russia', '200 russian User-Agent', 'raw octets'],
        [$either, 'None', '404 User-Agent', 'no charset for this client'],
        [$either, 'Bad', '404 User-Agent', 'an invalid list'],
        ['/index.html', 'Russia', '200 index', 'ASCII has no Vary'],
        ['/nothing', 'Russia', '404', 'ASCII, an absent name'],
        ['/%C3%A9t%C3%A9.txt', 'Russia', '200 french',
            'UTF-8 that is found has no Vary'],
        ['/%D0%B9t%D0%B9.txt', 'None', '200 russian', 'for any client'],
        ["/\xC3\xA9t\xC3\xA9.txt", undef, '200 french', 'raw'],
        ['/e%CC%81te%CC%81.txt', 'Russia', '200 french', 'in NFD'],
        ['/%C3%A9t%C3%A9', 'None', '404 User-Agent',
            'an absent name has Vary'],
        ['/page/%E9', undef, '404 User-Agent', 'an error page'],
        ["/own$either", undef, '200 french Origin, User-Agent',
            'with a Vary of the configuration'],
    );
}

# Tests that below a directory an existing name, an absent one, and one that
# exists in another reading have equal responses, with Vary.
sub is_undisclosed {
    my ($server, $directory, $status) = @_;
    my %responses;
    for my $name ('%C3%A9t%C3%A9.txt', '%C3%B1.txt', '%C9%BD.txt') {
        my $answer = $server->get("/$directory/$name",
            headers => ['User-Agent', 'Asia']);
        my @fields = sort map { "$_->[0]: $_->[1]" }
            grep { $_->[0] !~ /^(?:Date|Content-Length|X-Charset)$/ }
            @{ $answer->headers };
        is $answer->status, $status, "/$directory/$name";
        $responses{ join "\n", @fields }++;
        is $answer->header('Vary'), 'User-Agent', 'Vary';
    }
    is scalar keys %responses, 1, "all responses are equal: $directory"
        or diag join "\n\n", %responses;
    return;
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
        ['nfd', "\xC3\xA9", "e\xCC\x81"],
        ['url_ascii', "https://b\xC3\xBCcher.example/$nihyo",
            'https://xn--bcher-kva.example/%E8%A1%A8'],
        ['url_ascii', 'https://a.example\\@b.example/', ''],
        ['url_unicode', 'https://xn--bcher-kva.example',
            "https://b\xC3\xBCcher.example"],
        ['disposition', "/a/$nihyo \".pdf",
            'filename="_ _.pdf"; filename*=UTF-8\'\'%E8%A1%A8%20%22.pdf'],
        ['disposition', '/a/', ''],
        ['encode', "/$nihyo%E8%A1%A8 %2F", '/%95%5C%95%5C%20%2F'],
        ['encode', "/\xC3\xA9", ''],
    );
}

1;
