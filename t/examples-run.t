#!/usr/bin/perl
# `make run`, and with it the example configurations of both servers: the
# sample site must get all expected answers.
use IRI::Test;

plan skip_all => $_ for grep { $_ } map { missing($_) } qw(nginx httpd);

my ($code, $out, $err) = capture('', $^X, "$FindBin::Bin/run/run");
is $code, 0, 'all responses are as expected';
is $err, '', 'standard error is empty';
unlike $out, qr/\(!\)/, 'no response with the module is marked as wrong';
like $out, qr/^file +requested in +stock nginx +nginx\+iri +httpd\+iri$/m,
    'heads of columns';
my @row_counts = map { my $is = $_; scalar(() = $out =~ /^  \S+ +\Q$is\E$/mg) }
    './%E8%A1%A8.html, shown as 表.html', '301 to /moved/Stra%C3%9Fe.html',
    '201 204, then there is 1 file', '201 201, then there are 2 files';
is_deeply \@row_counts, [2, 2, 2, 0],
    'a listing, a redirect, one name uploaded twice';
like $out, qr/^  stock nginx  201 201, then there are 2 files$/m,
    'a stock server creates two files';
my ($all, @counts) = $out
    =~ /^as expected +\d+ of (\d+) +(\d+) of (\d+) +(\d+) of (\d+)$/m;
ok $all && $all > 50, 'length of the table';
is_deeply \@counts, [($all // 0) x 4],
    'all responses with the module are right';
is scalar(() = $out =~ m{^  \S.* http://127\.0\.0\.1:\d+/$}mg), 3,
    'addresses';
# Another test may use this port by now.
for my $port ($out =~ m{http://127\.0\.0\.1:(\d+)/$}mg) {
    my $page = eval { IRI::HTTP1->new(port => $port, timeout => 10)
        ->request('/')->body };
    unlike $page // '', qr/Sample site/, 'server is stopped';
}
diag $out if $code;

done_testing;
