# Cases that both servers share, and an answer as one line of text.
package IRI::Both;
use strict;
use warnings;
use Exporter 'import';
use IRI::Octets 'visible';
use Test::More;

our @EXPORT_OK = qw(client_cases is_undisclosed site_of vary visible);

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

1;
