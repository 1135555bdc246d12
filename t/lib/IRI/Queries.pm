# Queries that both servers convert alike, with the servers of t/nginx-query.t
# and t/httpd-query.t: Shift_JIS and windows-1252 by default, and the ports nfc,
# none, off and report.
package IRI::Queries;
use strict;
use warnings;
use Exporter 'import';
use IRI::Both 'visible';
use Test::More;

our @EXPORT_OK = qw($so answer query_cases said);

# U+30BD, whose second octet in Shift_JIS is "\".
our $so = '%E3%82%BD';

my @FORMS = ('%83%5C', '%83%5c', '%83\\', "\x83\\", $so);

# The body of an answer.
sub answer {
    my ($server, $target, %option) = @_;
    $option{port} = $server->port($option{port}) if $option{port};
    return visible($server->get($target, %option)->body);
}

# The query, iri_query and the request's own URI, with which a page begins.
sub said {
    return join '|', (split /\|/, answer(@_), -1)[0 .. 2];
}

# Options: say, the path of a page as of said(); up, paths that are forwarded
# to a server that answers with the URI it gets, and what it gets before the
# query.
sub query_cases {
    my ($server, %arg) = @_;
    my $say = $arg{say};
    for my $form (@FORMS) {
        my $shown = visible($form);
        is said($server, "$say?q=$form&r=%26a+"),
            "q=$so&r=%26a+|q=$so&r=%26a+|$say?q=$shown&r=%26a+",
            "one form: $shown";
        is $server->get("/index.html?q=$form")->header('X-Seen'), 'so',
            "in rules: $shown";
        for my $path (sort keys %{ $arg{up} }) {
            like answer($server, "$path?q=$form"),
                qr/(?:^|\|)\Q$arg{up}{$path}\E\?q=$so(?:\||$)/,
                "upstream $path: $shown";
        }
    }
    is $server->get('/index.html?q=' . $_)->status, 403,
        'rules of the server: ' . visible($_)
        for '%94%E9%96%A7', '%E7%A7%98%E5%AF%86', "\x94\xE9\x96\xA7",
        '%94%e9%96%a7';

    my $mixed = 'a=%C3%A9&b=%C3%A9=%C3%A9&%C3%A9&&%2b';
    for (['a=%C3%A9&b=%E9=%e9&%E9&&%2b', $mixed,
            'UTF-8 is unchanged, other parameters are converted'],
        ['a=%83&b=%81', 'a=%83&b=%81',
            'octets invalid in all charsets stay'],
        ['', '', 'an empty query'], ['a', 'a', 'an ASCII query'])
    {
        my ($query, $got, $name) = @$_;
        is said($server, "$say?$query"), "$got|$got|$say?$query", $name;
    }
    is said($server, $say), "||$say", 'no query';

    my $moved = $server->get('/moved/%95%5C.txt?q=%83%5C&r=%2B');
    is $moved->status . ' ' . $moved->header('Location'),
        '301 http://localhost:' . $server->port
        . '/moved/%E8%A1%A8.txt?q=%83%5C&r=%2B', 'our redirect: unchanged';
    is $server->get('/dir?q=%83%5C')->header('Location'),
        'http://localhost:' . $server->port . "/dir/?q=$so",
        "the server's own redirect";

    # other servers

    for ([nfc => 'a=e%CC%81&b=%c3%a9&c==%CC%B8', 'a=%C3%A9&b=%c3%a9&c==%CC%B8'],
        [nfc => 'a=%83%5C&b=e%CC%81', 'a=%83%5C&b=e%CC%81'],
        [none => 'q=%83%5C', 'q=%83%5C'], [off => 'q=%83%5C', 'q=%83%5C', ''],
        [report => 'q=%83%5C', 'q=%83%5C', $arg{reported}],
        [report => 'q=%83&r=%81', 'q=%83&r=%81', undef],
        [report => 'q=%E3%82%BD', 'q=%E3%82%BD', undef])
    {
        my ($port, $query, $got, $value) = @$_;
        my @both = split /\|/,
            said($server, "$say?$query", port => $port), -1;
        is $both[0], $got, "$port: $query";
        is $both[1], $value // $got, "$port: iri_query"
            if defined $value || $port ne 'report';
    }
    # Two threads may write the lines in the other order.
    my @lines = sort $server->settled_log
        =~ /(iri: report: .*query.*?), (?:client|request)/g;
    is_deeply \@lines, [
        "iri: report: would convert the query \"q=$so\": charset \"Shift_JIS\","
            . ' was read in another charset, reason=query-read',
        'iri: report: would not convert the query "q=%83&r=%81": charset "", has'
            . ' parameters that no single charset decodes,'
            . ' reason=query-unreadable',
    ], 'report: the log line';

    # hostile

    for my $count (909, 911) {
        my ($all) = split /\|/, answer($server, "$say?q=" . '%83%5C' x $count);
        is $all, 'q=' . ($count < 910 ? $so : '%83%5C') x $count,
            "$count characters: " . ($count < 910 ? 'read' : 'too long');
    }
    for my $query ('%00%0A%0D=%83%5C%0A', '%', '%8', '&&&==%E9', "\xFF" x 100,
        '%u3042=%E9')
    {
        my $answer = $server->get("$say?$query");
        is $answer->status, 200, 'answered: ' . visible($query);
        my ($before) = split /\|/, $answer->body, 2;
        is $before =~ tr/&//, $query =~ tr/&//,
            'the number of parameters is the same';
        unlike $before, qr/[\x00-\x20]/, 'no controls';
    }
    is_deeply [$server->errors], [], 'error log';
    return;
}

1;
