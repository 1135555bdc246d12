# Runs the examples of documents: configurations, requests and commands, read
# from Markdown by a convention that readers need not notice. An item applies
# to the items below it.
#
#   | on disk | written in | holds |      the tree from here on: absolute paths;
#                                         a charset, NFD, or both; its text.
#                                         "written in" may be left out
#   ```nginx  ```apache                   a configuration, or in a list a link
#   - nginx: [x](x/nginx.conf)            to one. Those between two tables of
#                                         requests are one text
#   | request | written in | answer |     asked of each server above. In the
#                                         place of "answer" may be "nginx" and
#                                         "httpd"; a row without a written form
#                                         is sent in raw octets, and a GET to
#                                         servers that read Shift_JIS in all
#                                         forms
#   ```console                            "$ " commands and what they print; a
#                                         line "..." is any number of lines,
#                                         "..." at the end of one any rest
#   ```sh                                 commands whose output is not shown
#   ```text                               nothing to run
#
# A request is `METHOD /path` (default GET) and `Field: value`; non-ASCII
# characters of the path are percent-encoded in each of the charsets, "raw" is
# UTF-8 as it is. An answer is a status, then `text` of the body or the path of
# Location, and `Field: value`, "-" for an absent field.
#
# /srv, /etc and /var are directories of the test. A configuration without
# server{} and <VirtualHost> belongs to a site in /srv/www where the tree has
# that, else in /var/www/html, as on Debian. Port 80 and http://localhost are
# the server. Unless 127.0.0.1:8080 is a server of the example, it answers with
# the requested host and target, and at 127.0.0.1:9000 a program answers with
# its parameters. /etc/....users contains "you", whose password is "secret",
# who asks again if the answer is an unexpected 401.
package IRI::Guide;
use strict;
use warnings;
use Digest::SHA 'sha1_base64';
use Exporter 'import';
use File::Basename 'dirname';
use File::Path 'make_path';
use IRI::Server qw(build_dir capture free_port slurp spew temp_dir);
use IRI::Test qw(httpd missing nginx);
use IRI::Tree 'encode_name';
use MIME::Base64 'encode_base64';
use Test::More;

our @EXPORT_OK = qw(check_answer command_output parse run_guide
    send_request written);

# Commands that are not run here: their first words, and the reason.
my @NOT_HERE = (
    [qr/(?:service|systemctl|apachectl|nginx) /,
        'services of the machine stay as they are'],
    [qr/a2en\w+ /, 'the private httpd has its own list of modules and sites'],
    [qr/(?:apt-get|make)\b/, 'packages: make first-use runs README.md'],
    [qr/htpasswd |printf .*openssl passwd/, 'asks for a password'],
);

# Modules of httpd by the directives that need them.
my @NEEDS = (
    [qr/Rewrite(?:Engine|Rule)/, 'rewrite'], [qr/(?:Request)?Header /, 'headers'],
    [qr/Proxy\w+ /, 'proxy', 'proxy_http'], [qr/AddCharset|AddType/, 'mime'],
    [qr/BrowserMatch|SetEnvIf/, 'setenvif'], [qr/Dav /, 'dav', 'dav_fs'],
    [qr/AuthType/, 'auth_basic', 'authn_file', 'authz_user'],
    [qr/Cache(?:Enable|Root)/, 'cache', 'cache_disk'],
    [qr/VirtualDocumentRoot/, 'vhost_alias'], [qr/CheckSpelling/, 'speling'],
    [qr/Options .*ExecCGI|ScriptAlias/, 'cgid'], [qr/SetEnv /, 'env'],
    [qr/XSendFile /, 'xsendfile'], [qr/RemoteIPHeader/, 'remoteip'], [qr/ExpiresActive/, 'expires'],
    [qr/SetHandler "proxy:fcgi:/, 'proxy', 'proxy_fcgi', 'rewrite'],
    [qr/ProxyPass .*"uwsgi:/, 'proxy', 'proxy_uwsgi'],
    [qr/<Proxy "balancer/, 'proxy_balancer', 'lbmethod_byrequests',
        'slotmem_shm'],
);

# Error log lines about refused requests that are allowed.
my $QUIET = qr/No such file|forbidden|denied|is not found/;

# ---- reading a document ------------------------------------------------------

# The cells of a row.
sub cells {
    my ($line) = @_;
    $line =~ s/^\||\|$//g;
    return map { s/^\s+|\s+$//gr } split /(?<!\\)\|/, $line;
}

# The items of a document, in order: { kind, line } and
#   heading: text; fence: language, text; table: head, rows (lists of cells);
#   indented: text (a block of code without a language).
sub parse {
    my ($text) = @_;
    my @lines = split /\n/, $text;
    my (@items, $list);
    for (my $i = 0; $i < @lines; $i++) {
        my $start = $i + 1;
        if ($lines[$i] =~ /^ *```(\w*)/) {
            my ($language, @block) = ($1);
            push @block, $lines[$i] while ++$i < @lines
                && $lines[$i] !~ /^ *```$/;
            push @items, { kind => 'fence', language => $language,
                line => $start, text => join '', map { "$_\n" } @block };
        }
        elsif ($lines[$i]
            =~ m{^- \w+: \[.*\]\(([\w/]*(nginx|httpd)\.conf)\)$}) {
            push @items, { kind => 'conf', line => $start, path => $1,
                language => $2 eq 'nginx' ? 'nginx' : 'apache' };
        }
        elsif ($lines[$i] =~ /^#+ +(.*)/) {
            push @items, { kind => 'heading', line => $start, text => $1 };
            $list = 0;
        }
        elsif ($lines[$i] =~ /^\|/ && ($lines[$i + 1] // '') =~ /^\|[ :|-]+$/) {
            my @head = cells($lines[$i++]);
            my @rows;
            push @rows, [cells($lines[$i])]
                while $i + 1 < @lines && $lines[++$i] =~ /^\|/;
            push @items, { kind => 'table', line => $start, head => \@head,
                rows => \@rows };
        }
        elsif ($lines[$i] =~ /^ {4}\S/ && !$list
            && ($i == 0 || $lines[$i - 1] eq '')) {
            push @items, { kind => 'indented', line => $start,
                text => $lines[$i] };
        }
        $list = 1 if $lines[$i] =~ /^ *(?:[-*]|\d+\.) /;
        $list = 0 if $lines[$i] =~ /^\w/;
    }
    return @items;
}

# The text between back-quotes.
sub spans { return $_[0] =~ /`([^`]*)`/g }

# ---- requests and responses -------------------------------------------------

sub percent { return $_[0] =~ s/([^!-~])/sprintf '%%%02X', ord $1/ger }

# A text in UTF-8 as a client writes it: raw, UTF-8, NFD, a charset.
sub written {
    my ($text, $how) = @_;
    return $text if $how eq 'raw';
    return percent($text) if $how eq 'UTF-8';
    return percent(encode_name($text, 'UTF-8', 'NFD')) if $how eq 'NFD';
    return percent(encode_name($text, $how));
}

my %BODY = (
    PUT      => 'some text',
    PROPFIND => '<?xml version="1.0"?><D:propfind xmlns:D="DAV:"><D:prop>'
        . '<D:resourcetype/></D:prop></D:propfind>',
    LOCK => '<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope>'
        . '<D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>'
        . '</D:lockinfo>',
);

# Sends the request of a cell, with further fields.
sub send_request {
    my ($server, $cell, $how, @more) = @_;
    my ($line, @fields) = spans($cell);
    my ($method, $target) = $line =~ m{^(?:([A-Z]+) )?(.*)$};
    $method //= 'GET';
    my %option = (body => $BODY{$method} // '', headers => \@more);
    for (@fields) {
        my ($name, $value) = /^([\w-]+): (.*)$/ or die "no field: $_\n";
        $value = percent($value) if $name eq 'Destination';
        if ($name eq 'Host') { $option{host} = $value }
        else { push @{ $option{headers} }, $name, $value }
    }
    push @{ $option{headers} }, 'Content-Type', 'text/xml'
        if $option{body} =~ /^</;
    return $server->request($method, written($target, $how), %option);
}

sub local_path { return $_[0]
    =~ s{^http://(?:localhost|127\.0\.0\.1)[:\d]*}{}r }

# Tests an answer against a cell; $base is the directory of the test's files.
sub check_answer {
    my ($answer, $cell, $test_name, $base) = @_;
    my ($status) = $cell =~ /^(\d{3})/ or die "$test_name: no status: $cell\n";
    my @spans  = spans($cell);
    my @fields = grep { /^[\w-]+: / } @spans;
    my ($text) = grep { !/^[\w-]+: / } @spans;
    my @got  = $answer->status;
    my @want = $status;
    if (defined $text && $status =~ /^30[1-8]/) {
        push @got, local_path($answer->header('Location') // '');
        push @want, $text =~ s/([^!-~])/sprintf '%%%02X', ord $1/ger;
    }
    elsif (defined $text) {
        my $body = $answer->body =~ s/\s+\z//r;
        $body =~ s/\Q$base\E//g if defined $base;
        $body =~ s/127\.0\.0\.1:\d+/127.0.0.1:8080/g;
        my $page = $body =~ /^\s*[<{\[]|\n/;
        $body =~ s/([^\n -~])/sprintf '%%%02X', ord $1/ge
            if $body !~ /^</ && $text =~ /%[89A-F]/;
        push @got, $page && index($body, $text) >= 0 ? $text
            : substr $body, 0, 2000;
        push @want, $text;
    }
    for (@fields) {
        my ($name, $value) = /^([\w-]+): (.*)$/;
        push @got, "$name: " . local_path($answer->header($name) // '-');
        push @want, "$name: $value";
    }
    return is join(' ', @got), join(' ', @want), $test_name;
}

# ---- servers -----------------------------------------------------------------

# Makes the tree of a table below $base.
sub plant {
    my ($base, @rows) = @_;
    make_path("$base/srv/www", "$base/etc", "$base/var/www/html");
    for (@rows) {
        my ($path, $how, $holds) = @$_;
        my ($name) = spans($path);
        my ($form) = ($how // '') =~ /\b(NF[CD])\b/;
        my ($charset) = ($how // '') =~ /^(?!NF[CD])([\w-]+)/;
        my ($text) = spans($holds // '');
        my $disk = $base . encode_name($name, $charset // 'UTF-8', $form);
        if ($disk =~ m{/$}) { make_path($disk); next }
        make_path(dirname($disk));
        spew($disk, $text // '');
    }
    return;
}

# The directory of the tree, for a server or ('') for none; it is used until
# there is another tree.
sub base {
    my ($state, $kind) = @_;
    return $state->{base}{$kind} //= do {
        my $base = temp_dir();
        plant($base, @{ $state->{disk} });
        $base;
    };
}

# Workers that are not root must be able to write where an example allows it.
sub give {
    my ($base) = @_;
    system 'chown', '-R', 'www-data', $base if $> == 0;
    chmod 0755, $base;
    return;
}

sub in_base { return $_[1] =~ s{(?<![\w.\$])/(?=(?:srv|etc|var)\b)}{$_[0]/}gr }

# Directories that a configuration writes to.
sub folders {
    my ($base, $conf) = @_;
    make_path(map { "$base$_" } $conf =~ m{(?:root|Root) +"?(/srv/\w+)}g);
    for my $path ($conf =~ m{(?<![\w.])(/(?:etc|var)/[\w./-]+)}g) {
        make_path($path =~ m{\.\w+$|log$|lock$} ? dirname("$base$path")
            : "$base$path");
        spew("$base$path", 'you:{SHA}' . sha1_base64('secret') . "=\n")
            if $path =~ /\.users$/;
    }
    return;
}

# A server that answers with the requested host and target.
sub backend {
    my ($port) = @_;
    return nginx(stock => 1, conf => <<"END") if !missing('nginx', stock => 1);
# %%PORT%%
add_header Cache-Control max-age=600;
server { listen 127.0.0.1:%%PORT%%; location / {
    return 200 "\$http_host \$request_uri \$http_x_form"; } }
END
    return;
}

sub start {
    my ($state, $kind) = @_;
    my $base = base($state, $kind);
    my ($conf, @files) = split /^(?=# \S+\.htaccess$)/m,
        $state->{conf}{$kind};
    folders($base, $conf);
    /^# (\S+)/ && spew("$base$1", $_) for @files;
    if ($conf =~ /127\.0\.0\.1:9000/) {
        require IRI::Gateway;
        my $gateway = $state->{gateway} //= IRI::Gateway->new('fastcgi');
        $conf =~ s/127\.0\.0\.1:9000/'127.0.0.1:' . $gateway->port/ge;
    }
    if ($conf =~ /127\.0\.0\.1:8080/) {
        my $own = $conf =~ /(?:listen +|VirtualHost )127\.0\.0\.1:8080/;
        my $port = $own ? '%%PORTback%%'
            : ($state->{back} //= backend())->port;
        $conf =~ s/127\.0\.0\.1:8080/127.0.0.1:$port/g;
    }
    $conf = in_base($base, $conf);
    give($base);
    my $root = $base . ((grep { $_->[0] =~ m{/srv/www/} } @{ $state->{disk} })
        ? '/srv/www' : '/var/www/html');
    my $server = $kind eq 'nginx' ? start_nginx($root, $conf)
        : start_httpd($root, $conf);
    return $state->{server}{$kind} = $server;
}

sub start_nginx {
    my ($root, $conf, %option) = @_;
    $conf =~ s/^\s*load_module .*\n//mg;
    $conf = "server {\nlisten 80;\nroot $root;\n$conf}\n"
        if $conf !~ /^\s*server\s*\{/m;
    $conf =~ s/listen\s+80\b/listen 127.0.0.1:%%PORT%%/g;
    return nginx(root => $root, %option,
        modules => [$conf =~ /dav_ext/ ? IRI::Nginx::dav_ext() : ()],
        conf => "types { text/html html; text/plain txt; }\n$conf");
}

# As on Debian, access is denied unless it is granted, except in excerpts, which
# grant none.
sub start_httpd {
    my ($root, $conf, %option) = @_;
    $conf =~ s/^\s*LoadModule .*\n//mg;
    $conf =~ s/^Listen 80\n//mg;
    my $sites = $conf =~ s/\*:80>/127.0.0.1:%%PORT%%>/g;
    my %module;
    for (@NEEDS) {
        my ($directive, @names) = @$_;
        $module{$_} = 1 for $conf =~ /^\s*$directive/m ? @names : ();
    }
    @module{qw(proxy proxy_http)} = (1, 1) if $conf =~ /\[(?:[^\]]*,)?P\b/;
    my $deny = $sites && $conf =~ /Require all granted/
        ? "<Directory \"/\">\nRequire all denied\n</Directory>\n" : '';
    return httpd(root => $root, %option, modules => [sort keys %module],
        conf => $deny . $conf);
}

# ---- running a document ------------------------------------------------------

# Runs all examples of a document; returns the items that were not run, each as
# "LINE: what". Languages that another test runs are skipped, and so are
# requests if nginx is one of them.
sub run_guide {
    my ($name, $text, @elsewhere) = @_;
    my %elsewhere = map { $_ => 1 } @elsewhere;
    my $state = { name => $name, disk => [], conf => {}, server => {},
        pending => [], not_run => [] };
    for my $item (parse($text)) {
        my $kind = $item->{kind};
        next if $elsewhere{ $item->{language} // '' };
        next if $kind eq 'table' && $elsewhere{nginx};
        if ($kind eq 'conf') {
            $item->{text} = slurp(dirname($name) . "/$item->{path}");
            configured($state, $item);
        }
        elsif ($kind eq 'fence') {
            my $do = { nginx => \&configured, apache => \&configured,
                console => \&commands, sh => \&commands }->{$item->{language}};
            $do ? $do->($state, $item) : unknown($state, $item);
        }
        elsif ($kind eq 'table' && $item->{head}[0] eq 'on disk') {
            forget($state) if $state->{asked};
            $state->{disk} = $item->{head}[1] eq 'holds'
                ? [map { [$_->[0], '', $_->[1]] } @{ $item->{rows} }]
                : $item->{rows};
            $state->{base} = {};
        }
        elsif ($kind eq 'table' && $item->{head}[0] eq 'request') {
            requests($state, $item);
        }
        elsif ($kind eq 'indented') {
            not_run($state, $item, 'a block without ``` and a language');
        }
    }
    forget($state);
    end($state);
    return @{ $state->{not_run} };
}

sub not_run {
    my ($state, $item, $why) = @_;
    push @{ $state->{not_run} }, "$item->{line}: $why";
    return;
}

# A block in another language is only text.
sub unknown {
    my ($state, $item) = @_;
    return if $item->{language} =~ /^(?:text|json)$/
        && $item->{text} !~ /^\$ |^\s*(?:iri \w+;|IRIEngine)/m;
    not_run($state, $item, "```$item->{language}");
    return;
}

# Ends the current configurations, but not their servers; configurations
# without a request are reported.
sub forget {
    my ($state) = @_;
    not_run($state, $_, "```$_->{language} that nothing is asked of")
        for @{ $state->{pending} };
    push @{ $state->{old} }, map { [$_, $state->{server}{$_}] }
        sort keys %{ $state->{server} };
    $state->{$_} = {} for qw(conf server);
    $state->{pending} = [];
    $state->{asked} = 0;
    return;
}

# Stops all servers of a document in parallel, because httpd takes long to
# stop.
sub end {
    my ($state) = @_;
    my @old = @{ $state->{old} // [] };
    kill $_->[1]->stop_signal, $_->[1]->pid for grep { $_->[1]->alive } @old;
    for (@old) {
        my ($kind, $server) = @$_;
        $server->stop;
        is_deeply [grep { !/$QUIET|ended with status 0/ }
            $server->errors(level => 'warn')], [],
            "$state->{name}: $kind: nothing in the log";
    }
    return;
}

sub configured {
    my ($state, $item) = @_;
    my $kind = $item->{language} eq 'nginx' ? 'nginx' : 'httpd';
    forget($state) if $state->{asked};
    $state->{conf}{$kind} .= $item->{text};
    push @{ $state->{pending} }, $item
        if $item->{text} !~ /\A(?:load_module|LoadModule) .*\n\z/;
    return;
}

# The server or dav-ext if a configuration needs it and it is missing; '' if
# nothing is missing.
sub lacks {
    my ($kind, $conf) = @_;
    my $missing = missing($kind);
    $missing ||= 'no dav-ext (libnginx-mod-http-dav-ext)'
        if $kind eq 'nginx' && $conf =~ /dav_ext/ && !IRI::Nginx::dav_ext();
    my $modules = $ENV{IRI_HTTPD_MODULES} // '/usr/lib/apache2/modules';
    $missing ||= 'no mod_xsendfile (libapache2-mod-xsendfile)'
        if $kind eq 'httpd' && $conf =~ /XSendFile /
        && !-e "$modules/mod_xsendfile.so";
    diag "$kind is left out: $missing" if $missing;
    return $missing;
}

# Starts the servers of the configurations above.
sub servers {
    my ($state) = @_;
    $state->{pending} = [];
    $state->{asked}   = 1;
    my @kinds = grep { !lacks($_, $state->{conf}{$_}) }
        sort keys %{ $state->{conf} };
    $state->{server}{$_} || start($state, $_) for @kinds;
    return @kinds;
}

sub requests {
    my ($state, $item) = @_;
    my %column;
    @column{ @{ $item->{head} } } = 0 .. $#{ $item->{head} };
    for my $kind (servers($state)) {
        my $column = $column{$kind} // $column{answer} // next;
        for my $row (@{ $item->{rows} }) {
            my $how = $column{'written in'} ? $row->[$column{'written in'}]
                : $row->[0] =~ m{^`/[^%]*[^\0-\x7F][^%]*`$}
                && $state->{conf}{$kind} =~ /harset\s+Shift_JIS/i
                ? 'raw, UTF-8, NFD, Shift_JIS' : 'raw';
            for (split /, */, $how) {
                # earlier entries count too
                $state->{server}{$kind}->settle if $row->[0] =~ /status/;
                my @request = ($state->{server}{$kind}, $row->[0], $_);
                my $answer  = send_request(@request);
                $answer = send_request(@request, Authorization =>
                    'Basic ' . encode_base64('you:secret', ''))
                    if $answer->status == 401 && $row->[$column] !~ /^401/;
                check_answer($answer, $row->[$column],
                    "$state->{name}:$item->{line}: $kind: $row->[0], $_",
                    $state->{base}{$kind});
            }
        }
    }
    not_run($state, $item, 'requests to no server') if !%{ $state->{conf} };
    return;
}

# Commands of a block, each with its expected output.
sub commands {
    my ($state, $item) = @_;
    my $text = $item->{text};
    $text =~ s/^(?!#|$)/\$ /mg if $item->{language} eq 'sh';
    my @left = $text =~ /^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/mg;
    my @kinds = $text =~ m{http://localhost|/srv/|/var/|/etc/}
        ? servers($state) : ();
    while (my ($command, $expected) = splice @left, 0, 2) {
        next if grep { $command =~ /^$_->[0]/ } @NOT_HERE;
        for my $kind (@kinds ? @kinds : '') {
            my $base = base($state, $kind);
            my $test_name = "$state->{name}:$item->{line}: "
                . ($kind ? "$kind: " : '') . $command;
            $state->{server}{$kind}->settle if $kind;    # logs are read
            my ($code, $got) = command_output($base, $command,
                $kind ? $state->{server}{$kind} : undef);
            $item->{language} eq 'sh' ? is $code, 0, $test_name
                : like $got, pattern($expected), $test_name;
        }
    }
    return;
}

# The output of a command, with the test's paths replaced by those of the
# document.
sub command_output {
    my ($base, $command, $server) = @_;
    my $run  = in_base($base, $command);
    my $port = $server ? $server->port : 0;
    $run =~ s{http://localhost(?=[/\s]|$)}{http://localhost:$port}g;
    local $ENV{PATH} = build_dir() . ":$ENV{PATH}:/usr/sbin:/sbin";
    local $ENV{LC_ALL} = 'C.UTF-8';
    my ($code, $out, $err) = capture('', 'sh', '-c', "cd $base; $run");
    $out .= $err;
    $out =~ s/\Q$base\E//g;
    $out =~ s/\r//g;
    $out =~ s{http://localhost:$port}{http://localhost}g if $port;
    return ($code, $out);
}

sub pattern {
    my ($expected) = @_;
    my $pattern = join '', map { /^\.\.\.$/ ? '(?:.*\n)*'
        : /^(.*)\.\.\.$/ ? quotemeta($1) . '.*\n' : quotemeta($_) . '\n' }
        split /\n/, $expected;
    return qr/\A$pattern\z/;
}

1;
