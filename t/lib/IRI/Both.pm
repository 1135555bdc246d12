# Cases that both servers share, and an answer as one line of text.
package IRI::Both;
use strict;
use warnings;
use Exporter 'import';
use IRI::Octets 'visible';
use Test::More;

our @EXPORT_OK = qw(client_cases is_undisclosed
    link_cases location_cases location_is site_of vary visible
    whole_response);

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

# Tests the Location of an answer by HTTP/1.1 and, on that port, by HTTP/2, and
# that no octets of it became a field. Option: method.
sub location_is {
    my ($server, $h2, $target, $want, $name, %option) = @_;
    for my $proto ('h1', 'h2') {
        local $Test::Builder::Level = $Test::Builder::Level + 1;
        my $answer = $server->request($option{method} // 'GET', $target,
            proto => $proto, $proto eq 'h2' ? (port => $h2) : ());
        my @locations = $answer->header('Location');
        is "@locations", $want, "$proto: $name";
        my @strange = grep { $_->[0] !~ /^[\w-]+$/ || $_->[0] =~ /^x-/i }
            @{ $answer->headers };
        is scalar(@strange), 0, "$proto: $name: no other field";
    }
    return;
}

# Redirects that both configure: target, Location with HERE for the server's
# own scheme and host, description.
sub location_cases {
    my $dir = '%D0%B4%D0%B8%D1%80';
    return (
        ['/raw', 'HERE/%D0%BA%D0%B8%D0%BD%D0%BE', 'raw octets'],
        ['/nfd', 'HERE/caf%C3%A9.txt', 'another normalization form'],
        ['/lower', 'HERE/%D0%BA%2F%41', 'escapes are kept'],
        ['/query', 'HERE/%C3%A9?q=%C3%A9&r=%c3%a9#%C3%A9',
            'query and fragment'],
        ['/euc', 'HERE/%E6%97%A5%E6%9C%AC', 'raw in another charset'],
        ['/bad', 'HERE/%FF%FE', 'octets invalid in all charsets'],
        ['/other', 'http://other.example/%e9/e%CC%81?%C3%A9',
            'the path of another host is not read'],
        ['/host', 'http://xn--bcher-kva.example:81/%C3%A9', 'A-labels'],
        ['/nohost', 'http://-%C3%BC-.example/%C3%A9',
            'an invalid host name'],
        ["/rewrite/\xC3\xA9", 'HERE/%C3%A9/%C3%A9', 'a rule'],
        ['/rewrite/e%cc%81?q=%e9', 'HERE/%C3%A9/%C3%A9?q=%e9',
            'a rule, with a query'],
        ['/gone/x', 'http://other.example/%C3%A9',
            'an error page with an address'],
        ['/%d0%b4%d0%b8%d1%80', "HERE/$dir/", 'a directory'],
        ["/\xD0\xB4\xD0\xB8\xD1\x80?q=\xC3\xA9", "HERE/$dir/?q=%C3%A9",
            'a directory, natively'],
        ['/up/absolute', 'http://x.example/%C3%A9/%e9',
            'a Location of an upstream is escaped, not read'],
        ['/up/relative', '/%C3%A9/e%CC%81?%C3%A9', 'a path of an upstream'],
    );
}

# A whole response as text, except what differs from one server or time to
# another: Date, the port, and how the length is told.
sub whole_response {
    my ($server, $target) = @_;
    my $answer = $server->get($target);
    my $text = join "\n", $answer->status, map { "$_->[0]: $_->[1]" }
        grep { $_->[0] !~ /^(?:Date|Content-Length|Transfer-Encoding)$/ }
        @{ $answer->headers };
    $text .= "\n" . $answer->body;
    return $text =~ s/(?::| Port )\d{5}//gr;
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
