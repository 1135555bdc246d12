# Other software that answers a part of the same requests, configured as usual
# with Debian's packages: columns of IRI::Bench::Request. In nginx a map of
# 1,000 pages and their other names, and Lua that calls ICU and iconv and uses
# the first valid charset, without looking at the disk; in httpd mod_speling,
# mod_rewrite with the same map, and mod_encoding.
package IRI::Bench::Others;
use strict;
use warnings;
use Encode qw(decode encode);
use FindBin;
use IRI::Bench::Trees 'name_of';
use IRI::Nginx;
use IRI::Server qw(capture slurp spew temp_dir);
use Unicode::Normalize 'NFD';

my $PAGES = 1000;
my $LUA   = 'ngx_http_lua_module.so';

# Columns: a name, options of new_server(), and the rows that it supports.
sub of {
    my ($class, $server_kind, $size) = @_;
    return $server_kind eq 'nginx' ? nginx($size) : httpd($size);
}

sub nginx {
    my ($size) = @_;
    my $folder = temp_dir();
    my $text   = '';
    my ($from, $to) = pages($size);
    $text .= quoted($from->[$_]) . ' ' . quoted($to->[$_]) . ";\n"
        for 0 .. $#$from;
    spew("$folder/map", $text);
    my @columns = [map => { stock => 1, conf => <<"END",
map_hash_max_size 65536;
map_hash_bucket_size 256;
map \$uri \$named { default ''; include $folder/map; }
END
        places => 'location / { try_files $uri $named =404; }' },
        qr/nfd|sjis|euc|1251|case/];
    my $modules = IRI::Nginx::module_dir();
    my ($release) = icu() or return @columns;
    spew("$folder/names.lua", slurp("$FindBin::Bin/names.lua"));
    return @columns if !-e "$modules/$LUA";
    return (@columns, [lua => { stock => 1,
        modules => [grep { -e "$modules/$_" } 'ndk_http_module.so', $LUA],
        conf => "lua_package_path '$folder/?.lua;/usr/share/lua/5.1/?.lua;;';\n"
            . "init_by_lua_block { names = require('names').of($release) }",
        places => 'rewrite_by_lua_block { names() }' },
        qr/nfd|sjis/]);
}

sub httpd {
    my ($size) = @_;
    my $folder = temp_dir();
    my ($from, $to) = pages($size);
    spew("$folder/map",
        join '', map { "$from->[$_] $to->[$_]\n" } 0 .. $#$from);
    my @columns = (
        [speling => { stock => 1, modules => ['speling'], conf => <<'END' },
<Directory "%%ROOT%%">
    CheckSpelling On
    CheckCaseOnly On
</Directory>
END
            qr/case/],
        [rewrite => { stock => 1, modules => ['rewrite'], conf => <<"END" },
RewriteEngine On
RewriteMap named txt:$folder/map
RewriteCond \${named:%{REQUEST_URI}} ^(.+)
RewriteRule ^ %1 [PT]
END
            qr/nfd|sjis|euc|1251/],
    );
    my $modules = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
    return @columns if !-e "$modules/mod_encoding.so";
    return (@columns, [encoding => {
        stock => 1, modules => ['encoding'], conf => <<'END' }, qr/sjis/]);
EncodingEngine On
SetServerEncoding UTF-8
DefaultClientEncoding JA-AUTO-SJIS-MS
END
}

# The requested paths of pages, and their real paths.
sub pages {
    my ($size) = @_;
    my %charsets = (ja => ['cp932', 'euc-jp'], ru => ['cp1251']);
    my (@from, @to);
    for my $kind (qw(ja fr ko vi ru)) {
        for my $number (0 .. $PAGES - 1) {
            my $name  = name_of($kind, $number);
            my $chars = decode('UTF-8', my $copy = $name);
            my @names = encode('UTF-8', NFD($chars));
            push @names, map { encode($_, my $again = $chars) }
                @{ $charsets{$kind} // [] };
            for my $other (grep { $_ ne $name } @names) {
                push @from, "/$kind$size/$other";
                push @to,   "/$kind$size/$name";
            }
        }
    }
    # nginx compares the keys of a map without case.
    push @from, map { "/d$size/" . uc name_of('d', $_) } 0 .. $PAGES - 1;
    push @to,   map { "/d$size/" . name_of('d', $_) } 0 .. $PAGES - 1;
    return (\@from, \@to);
}

# Quotes a word for nginx's configuration.
sub quoted {
    my ($octets) = @_;
    return '"' . $octets =~ s/(["\\])/\\$1/gr . '"';
}

# The version of ICU, which is a suffix of its functions' names.
sub icu {
    my ($code, $out) = capture('', 'pkg-config', '--modversion', 'icu-uc');
    return $code ? () : $out =~ /^(\d+)/;
}

1;
