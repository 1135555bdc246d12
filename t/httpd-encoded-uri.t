# httpd: a path is decoded early unless a directive or module reads it encoded;
# these readers still see it encoded: SetEnvIf rules, early header fields,
# modules with hooks of their own.
use IRI::Test 'httpd';

my ($root) = make_tree("\\xE8\\xA1\\xA8/\tdir\n"
    . "\\xE8\\xA1\\xA8/caf\\xC3\\xA9.txt\tfile\n"
    . "\\xE8\\xA1\\xA8/%41.txt\tfile\n");
my $target  = '/%E8%A1%A8/cafe%CC%81.txt';
my $encoded = '/%E8%A1%A8/caf%C3%A9.txt';
my $tmp     = temp_dir();
mkdir "$tmp/cache";
chmod 0777, $tmp, "$tmp/cache";
my $in_log  = 'LogLevel warn log_debug:info';

# The reader: other modules, the configuration, whether it is logged.
for ([SetEnvIf => [], "SetEnvIf Request_URI ^\Q$encoded\E\$ SAW"],
    [SetEnvIfNoCase => [],
        "SetEnvIfNoCase Request_URI ^\Q$encoded\E\$ SAW"],
    [SetEnvIfExpr => [],
        "SetEnvIfExpr \"%{REQUEST_URI} == '$encoded'\" SAW"],
    ['RequestHeader early' => [],
        "RequestHeader set Saw expr=%{REQUEST_URI} early\n"
            . "Header set Saw yes \"expr=%{req:Saw} == '$encoded'\""],
    ['named groups' => [],
        "<LocationMatch \"^/(?<part>%E8)\">\n</LocationMatch>\n"
            . "Header set Saw yes \"expr=-n reqenv('MATCH_PART')\""],
    ['named groups of <Location ~>' => [],
        "<Location ~ \"^/(?P<part>%E8)\">\n</Location>\n"
            . "Header set Saw yes \"expr=-n reqenv('MATCH_PART')\""],
    [CacheEnable => ['cache', 'cache_disk'],
        "CacheRoot \"$tmp/cache\"\nCacheEnable disk $encoded\n"
            . "CacheHeader On\nCacheDefaultExpire 600\n"
            . "Header set Saw yes"],
    ['a quick handler' => ['log_debug'],
        "$in_log\nLogMessage \"saw %{REQUEST_URI}\" hook=quick_handler", 1],
    ['pre_translate_name' => ['log_debug'],
        "$in_log\nLogMessage \"saw %{REQUEST_URI}\" hook=pre_translate_name",
        1],
    )
{
    my ($who, $modules, $conf, $logged) = @$_;
    my $server = httpd(root => $root, expect => qr/matches no path/,
        modules => ['setenvif', 'headers', @$modules],
        conf    => "IRIEngine On\nHeader set Saw yes env=SAW\n$conf\n");
    for my $time (1 .. 3) {
        my $answer = $server->get($target);
        is $answer->status, 200, "$who, $time";
        is $answer->header('Saw'), 'yes', "$who, $time: encoded"
            if !$logged;
        like $answer->header('X-Cache'), $time > 1 ? qr/^(?!MISS)/ : qr/^MISS/,
            "$who, $time: by its key" if $who eq 'CacheEnable';
    }
    next if !$logged;
    ok $server->wait_for(sub {
        3 == (() = $server->log_text =~ /saw \Q$encoded\E/g)
    }), "$who: encoded";
}

# ---- escaped octets are unescaped once --------------------------------------

my $plain = httpd(root => $root, conf => "IRIEngine On\n");
for my $time (1 .. 3) {
    is $plain->get('/%E8%A1%A8/%2541.txt')->status, 200, "\"%41\", $time";
    is $plain->get('/%E8%A1%A8/%41.txt')->status, 404, "\"A\", $time";
    is $plain->get('/%E8%A1%A8%2Fcaf%C3%A9.txt')->status, 404,
        "an escaped slash ends no segment, $time";
}
done_testing;
