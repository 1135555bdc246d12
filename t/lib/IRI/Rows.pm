# A table of requests and the answers that a server must give, in a text. Cells
# are separated by TAB or two spaces; the first line has the columns:
#
#   request   [METHOD ][PORT:]TARGET[ +WORD ...]; octets as \xHH. POST and PUT
#             have a body. A word adds options of the request by name
#   names     of a listing, sorted, by its JSON; a directory has a "/", an entry
#             without a link a "!"
#   status, body, location (without scheme and authority), links (of a page)
#             or a header field: "none" where there is none, "~" before a
#             pattern, "-": not compared
#   note      optional: what the row is about
#
# The description of a row is its request and its note.
package IRI::Rows;
use strict;
use warnings;
use Exporter 'import';
use IRI::Octets qw(octets visible);
use JSON::PP ();
use Test::More ();

our @EXPORT_OK = qw(names_of rows_are);

# Tests each row of a table. Options: words of requests, each with a list of
# options of IRI::Server::request; "all", for each request; "name", of the
# server, for descriptions.
sub rows_are {
    my ($server, $table, %option) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($columns, @rows) = map { [split /\t+|  +/] } grep { /\S/ }
        split /\n/, $table;
    for my $row (@rows) {
        die "too many cells: @$row\n" if @$row > @$columns;
        my %want;
        @want{@$columns} = @$row;
        my ($request, $note) = delete @want{qw(request note)};
        my $sent = $request;
        $sent =~ s/(?=\z| \+)/?format=json/ if defined $want{names};
        my $answer = answer_to($server, $sent, %option);
        my @compared = grep { ($want{$_} // '-') ne '-' } @$columns;
        die "nothing is compared: @$row\n" if !@compared;
        my @got = map { seen($answer, $_) } @compared;
        my @wanted = map { $want{$compared[$_]} =~ /^~(.*)/s
            && $got[$_] =~ /$1/s ? $got[$_] : $want{$compared[$_]} }
            0 .. $#got;
        Test::More::is("@got", "@wanted", join ' ', grep { defined }
            $option{name}, visible($request), $note);
    }
    return;
}

sub answer_to {
    my ($server, $request, %option) = @_;
    my ($method, $port, $target, $words) =
        $request =~ m{^(?:([A-Z]+) )?(?:(\w*):(?!//))?(\S+)((?: \+\w+)*)$}
        or die "no request: $request\n";
    return $server->request($method // 'GET', octets($target),
        defined $port ? (port => $server->port($port)) : (),
        ($method // '') =~ /^(?:POST|PUT)$/ ? (body => 'x') : (),
        map { @{ $option{$_} // ($_ eq 'all' ? [] : die "no +$_\n") } }
            'all', $words =~ /\w+/g);
}

# The names of a listing in JSON; the status if there is none.
sub names_of {
    my ($answer) = @_;
    return $answer->status if $answer->status != 200;
    return join ' ', sort map {
        my $name = $_->{name} // $_->{octets};
        utf8::encode($name);
        $name . ($_->{directory} ? '/' : '') . ($_->{href} ? '' : '!')
    } @{ JSON::PP->new->utf8->decode($answer->body)->{entries} };
}

# A part of an answer, as a cell.
sub seen {
    my ($answer, $column) = @_;
    return $answer->$column if $column =~ /^(?:status|body)$/;
    return names_of($answer) if $column eq 'names';
    my @links = $column eq 'links' ? $answer->body =~ /<a href="([^"]*)">/g
        : ();
    return "@links" if @links;
    my @values = $answer->header($column) or return 'none';
    return join ', ', map { lc $column ne 'location' ? $_
        : s{^https?://[^/]*}{}r } @values;
}

1;
