# The server for one conf of t/attacks/conf.tsv: a private nginx or httpd whose
# rules are generated from the fixture, with or without our module. The kinds
# of the fixture are rules for both servers:
#
#   denied     everything below its first segment; names that begin with a dot
#              and scripts always are
#   internal   for requests that the server itself makes
#   auth       only with a password
#   named      a file of this name is denied wherever it lies
#   hidden     it begins with a dot
#   guarded    by a .htaccess within it; nginx has a location instead
#
# Additional virtual hosts are for the lines with that host: %HOSTS.
package IRI::AttackServer;
use strict;
use warnings;
use IRI::Cases qw(nginx_settings httpd_settings);
use IRI::Httpd;
use IRI::Nginx;
use IRI::Octets 'octets';
use IRI::Server qw(slurp spew);

my @HTTPD_MODULES = qw(autoindex auth_basic authn_file authz_user dav dav_fs
    env headers rewrite setenvif);

# Prefixes that are aliases of one directory, and a denied directory in it.
my @ALIASES = ('/al/', "/\xE5\x88\xA5\xE5\x90\x8D/", '/prefix/deep/');
my $SECRET  = "\xE7\xA7\x98";

# Hosts of a conf: the text in a server block of nginx and in a virtual host of
# httpd, in addition to the settings and instead of the rules' root.
my %HOSTS = (
    idn => [
        ['xn--r8jz45g.xn--zckzah', 'tatoe'],
        ['xn--fa-hia.example', 'fasz'],
        ['admin.internal', 'admin'],
    ],
    over => [
        ['named.test', {
            nginx => 'location / { error_page 418 = @app; return 418; }
                location @app { }',
            httpd => 'ErrorDocument 404 /index.html',
        }],
        ['tried.test', {
            nginx => 'location / { try_files /none$uri @app; }
                location @app { }',
            httpd => 'FallbackResource /index.html',
        }],
        ['lost.test', {
            nginx => 'location / { root %%BASE%%/empty;
                error_page 404 = @app; } location @app { }',
            httpd => 'RewriteRule "^/(?!index)(.*)$" "/$1?x=1" [PT]',
        }],
        ['broken.test', {
            nginx => 'location / { rewrite ^(.*)$ $1?x=1 break; }',
            httpd => 'RewriteRule "^/built$" "/%{QUERY_STRING}" [PT]',
        }],
        ['last.test', {
            nginx => 'location / {
                if ($args = "") { rewrite ^(.*)$ $1?x=1 last; } }',
            httpd => 'RewriteRule "^/file$" "%%ROOT%%/%{QUERY_STRING}"',
        }],
        ['tested.test', {
            nginx => 'location /pub/ {
                if (-f $request_filename) { return 403; } }',
            httpd => 'RewriteCond "%{LA-U:REQUEST_FILENAME}" -f
                RewriteRule "^/pub/" - [F]',
        }],
        ['env.test', {
            nginx => 'if ($uri ~ "^/\xE7\xA7\x98\xE5\xAF\x86/")
                { return 403; }',
            httpd => 'SetEnvIf Request_URI "^/%E7%A7%98%E5%AF%86/" HIDE
                <Directory "%%ROOT%%">
                    <RequireAll>
                        Require all granted
                        Require not env HIDE
                    </RequireAll>
                </Directory>',
            bare => 1,
        }],
        ['page.test', {
            nginx => 'error_page 404 = @page; location @page {
                add_header X-If yes; if ($arg_if) { add_header X-If no; } }',
            httpd => 'ErrorDocument 404 /index.html',
        }],
        ['slash.test', {
            nginx => 'merge_slashes on;', httpd => 'AllowEncodedSlashes On',
        }],
        ['keep.test', {
            nginx => 'merge_slashes on;',
            httpd => 'AllowEncodedSlashes NoDecode',
        }],
        ['link.test', {
            nginx => 'disable_symlinks on from=$document_root;',
            httpd => '<Directory "%%ROOT%%">
                Options -FollowSymLinks
                </Directory>',
        }],
    ],
);

# Options: kind (nginx, httpd), conf (row of conf.tsv), tree, stock.
sub new {
    my ($class, %option) = @_;
    my $self = bless {%option}, $class;
    $self->{nginx} = $self->{kind} eq 'nginx';
    my $text   = $self->{nginx} ? $self->nginx_text : $self->httpd_text;
    my $base   = $self->{tree}->base;
    my $root   = $self->{tree}->root;
    $text =~ s/%%BASE%%/$base/g;
    my @common = (root => $root, conf => $text, stock => $self->{stock},
        log_level => 'info');
    my $server = $self->{server} = $self->{nginx}
        ? IRI::Nginx->new(@common)
        : IRI::Httpd->new(@common, modules => \@HTTPD_MODULES);
    # a user whose password is unknown
    spew($server->tmp . '/users', "u:*\n");
    mkdir $server->tmp . '/locks';
    chmod 0777, $server->tmp . '/locks';
    spew($server->tmp . '/attacks.log', '');
    $server->start;
    $server->wait_for(sub { scalar(() = $self->workers) })
        or die "$self->{kind}: no workers\n";
    return $self;
}

sub server { $_[0]{server} }

# Stops the server. No client is connected any more, so httpd need not wait.
sub stop { $_[0]{server}->stop('TERM') }

# The module's settings as directives of one server; nothing for stock.
sub settings {
    my ($self, %change) = @_;
    return '' if $self->{stock};
    my $text = $self->{conf}{settings};
    $text =~ s/\bredirect=\S+//g if $change{no_redirect};
    return $self->{nginx} ? nginx_settings($text) : httpd_settings($text);
}

# The rules for lines of the fixture: [rule, first segment, leaf]
sub rules {
    my ($self) = @_;
    my (%seen, @rules);
    for my $entry ($self->{tree}->entries) {
        my ($first) = $entry->{path} =~ m{^/([^/.][^/]*)/};
        my ($leaf)  = $entry->{path} =~ m{([^/]+)$};
        next if $entry->{rule} !~ /^(?!hidden)./ || !defined $first;
        next if $seen{"$entry->{rule} $first"}++;
        push @rules, [$entry->{rule}, $first, $leaf];
    }
    return @rules;
}

# ---- nginx -------------------------------------------------------------------

sub nginx_text {
    my ($self) = @_;
    my @servers = $self->nginx_server('localhost', '%%PORT%%', {});
    push @servers, $self->nginx_server('localhost', '%%PORTtwin%%',
        { no_redirect => 1 }) if $self->{conf}{settings} =~ /redirect=|trailing/;
    for my $host (@{ $HOSTS{ $self->{conf}{conf} } // [] }) {
        push @servers, $self->nginx_server($host->[0], '%%PORT%%',
            ref $host->[1] ? $host->[1] : { dir => $host->[1] });
    }
    return "log_format attacks '\$http_x_row \$status \"\$args\"';\n"
        . "access_log %%TMP%%/attacks.log attacks;\n"
        . "default_type text/plain;\n" . join '', @servers;
}

# One server block.
sub nginx_server {
    my ($self, $name, $port, $how) = @_;
    my $root = $how->{dir} ? "%%BASE%%/vhost/$how->{dir}" : '%%ROOT%%';
    my $own  = $how->{nginx} // '';
    my $settings = $self->settings(%$how);
    my $deny  = ($how->{dir} // '') eq 'admin' ? 'deny all;' : '';
    my $rules = $how->{bare} ? '' : join '',
        map { $self->nginx_rule(@$_) } $self->rules;
    my $other = $how->{dir} ? '' : $self->nginx_places($how);
    return octets(<<"END");
server {
    listen 127.0.0.1:$port;
    server_name $name;
    root $root;
    $settings
    $deny
    location ~ "/\\." { deny all; }
    location ~ "\\.(?:php|cgi)(?:/|\$)" { deny all; }
    $rules
    $other
    $own
}
END
}

# A rule of the fixture as a location.
sub nginx_rule {
    my ($self, $rule, $first, $leaf) = @_;
    return "location ~ \"/\Q$leaf\E\$\" { deny all; }\n" if $rule eq 'named';
    my $text = $rule eq 'internal' ? 'internal;'
        : $rule eq 'auth'
        ? 'auth_basic here; auth_basic_user_file %%TMP%%/users;'
        : 'deny all;';
    return "location \"/$first/\" { $text }\n";
}

# Directives of a conf other than rules.
sub nginx_places {
    my ($self) = @_;
    my $conf = $self->{conf};
    my $dav  = 'dav_methods PUT DELETE MKCOL COPY MOVE; '
        . 'dav_access user:rw group:rw all:rw;';
    my $text = '';
    $text .= ($self->{stock} ? "autoindex on;\n" : "iri_listing on;\n")
        if $conf->{listing} eq 'on';
    $text .= "location /up/ { $dav }\n" if $conf->{dav} eq 'on';
    if ($conf->{conf} =~ /alias/) {
        my $more = $conf->{dav} eq 'on' ? $dav : '';
        $text .= "location \"$_\" { alias %%BASE%%/aliased/; $more }\n"
            . "location \"$_$SECRET/\" { deny all; }\n" for @ALIASES;
        $text .= 'location ~ "^/re/(.*)$" { alias %%BASE%%/aliased/$1; }';
    }
    return $text;
}

# ---- httpd -------------------------------------------------------------------

sub httpd_text {
    my ($self) = @_;
    my $conf  = $self->{conf};
    my @hosts = $self->httpd_host('localhost', '%%PORT%%', {});
    push @hosts, $self->httpd_host('localhost', '%%PORTtwin%%',
        { no_redirect => 1 }) if $conf->{settings} =~ /redirect=|trailing/;
    for my $host (@{ $HOSTS{ $conf->{conf} } // [] }) {
        push @hosts, $self->httpd_host($host->[0], '%%PORT%%',
            ref $host->[1] ? $host->[1] : { dir => $host->[1] });
    }
    my $unsafe = $conf->{conf} =~ /^(?:idn|movedredir)$/
        ? 'HttpProtocolOptions Unsafe' : '';
    my $hosts  = join '', @hosts;
    return <<"END";
LogFormat "%{X-Row}i %>s \\"%q\\"" attacks
CustomLog "%%TMP%%/attacks.log" attacks
DavLockDB "%%TMP%%/locks/lock"
$unsafe
<Directory "%%BASE%%">
    AllowOverride AuthConfig
</Directory>
<FilesMatch "^\\.">
    Require all denied
</FilesMatch>
<LocationMatch "/\\.">
    Require all denied
</LocationMatch>
<FilesMatch "\\.(?:php|cgi)\$">
    Require all denied
</FilesMatch>
$hosts
END
}

# One virtual host.
sub httpd_host {
    my ($self, $name, $port, $how) = @_;
    my $root = $how->{dir} ? "%%BASE%%/vhost/$how->{dir}" : '%%ROOT%%';
    my $own  = $how->{httpd} // '';
    my $settings = $self->settings(%$how);
    my $deny = ($how->{dir} // '') eq 'admin'
        ? "<Location \"/\">\nRequire all denied\n</Location>" : '';
    my $rules = $how->{bare} ? '' : join '',
        map { $self->httpd_rule(@$_) } $self->rules;
    my $other = $how->{dir} ? '' : $self->httpd_places;
    # Only where it is used, because without it a cached request may be
    # answered.
    my $rewrites = $rules =~ /^RewriteRule/m ? 'RewriteEngine On' : '';
    return octets(<<"END");
<VirtualHost 127.0.0.1:$port>
ServerName $name
DocumentRoot "$root"
$settings
$rewrites
$rules
$deny
$other
$own
</VirtualHost>
END
}

# A rule of the fixture as a section or, for internal, as a rewrite rule.
sub httpd_rule {
    my ($self, $rule, $first, $leaf) = @_;
    return <<"END" if $rule eq 'internal';
RewriteCond %{ENV:REDIRECT_STATUS} ^\$
RewriteRule "^/$first/" - [F]
END
    return '' if $rule eq 'guarded';
    my $section = $rule eq 'named' ? 'Files' : 'Location';
    my $denied_path    = $rule eq 'named' ? $leaf : "/$first";
    my $text    = $rule eq 'auth' ? <<'END' : 'Require all denied';
AuthType Basic
    AuthName here
    AuthBasicProvider file
    AuthUserFile "%%TMP%%/users"
    Require valid-user
END
    return "<$section \"$denied_path\">\n    $text\n</$section>\n";
}

sub httpd_places {
    my ($self) = @_;
    my $conf = $self->{conf};
    my $text = '';
    my $listing = $self->{stock} ? '' : 'IRIListing On';
    $text .= <<"END" if $conf->{listing} eq 'on';
<Directory "%%ROOT%%">
    Options +Indexes
    $listing
</Directory>
END
    my @dav = $conf->{dav} eq 'on' ? '%%ROOT%%/up' : ();
    if ($conf->{conf} =~ /alias/) {
        push @dav, '%%BASE%%/aliased' if @dav;
        $text .= "Alias \"$_\" \"%%BASE%%/aliased/\"\n"
            . "<Location \"$_$SECRET\">\nRequire all denied\n</Location>\n"
            for @ALIASES;
        $text .= "AliasMatch \"^/re/(.*)\$\" \"%%BASE%%/aliased/\$1\"\n";
    }
    $text .= "<Directory \"$_\">\n    Dav On\n</Directory>\n" for @dav;
    return $text;
}

# ---- processes and logs ------------------------------------------------------

# The process ids of the processes that answer.
sub workers {
    my ($self) = @_;
    my $main = $self->{server}->pid // return;
    my @workers;
    opendir my $proc, '/proc' or return;
    for my $pid (grep { /^\d+$/ } readdir $proc) {
        my ($state, $parent) =
            slurp("/proc/$pid/stat") =~ /^.*\) (\S) (\d+)/s or next;
        push @workers, $pid if $parent == $main && $state ne 'Z';
    }
    return sort { $a <=> $b } @workers;
}

# CPU time in nanoseconds used by these processes, with all their threads.
sub cpu {
    my (@pids) = @_;
    my $sum = 0;
    for my $file (map { glob "/proc/$_/task/*/schedstat" } @pids) {
        $sum += $1 if slurp($file) =~ /^(\d+)/;
    }
    return $sum;
}

# Peak memory of these processes in octets; with reset, the peak is measured
# from now on. undef where the system does not report it.
sub peak {
    my ($reset, @pids) = @_;
    my $sum = 0;
    for my $pid (@pids) {
        if ($reset) {
            open my $file, '>', "/proc/$pid/clear_refs" or return;
            syswrite $file, "5\n" or return;
        }
        my $status = slurp("/proc/$pid/status");
        my ($peak) = $status =~ /^VmHWM:\s+(\d+)/m or return;
        # Memory shared by all workers is allocated once, before any request.
        my ($shared) = $status =~ /^RssShmem:\s+(\d+)/m;
        $sum += ($peak - ($shared // 0)) * 1024;
    }
    return $sum;
}

# Makes the server read its configuration again; true once the old processes
# have ended.
sub reload {
    my ($self) = @_;
    my %old = map { $_ => 1 } $self->workers;
    return $self->{server}->reload && $self->{server}->wait_for(sub {
        my @now = $self->workers;
        return @now && !grep { $old{$_} } @now;
    });
}

# Lines of the access log from an offset on, as [row, status, query].
sub log_lines {
    my ($self, $offset) = @_;
    my $text = substr slurp($self->{server}->tmp . '/attacks.log'), $offset;
    return map { /^(\S+) (\S+) "(.*)"$/s ? [$1, $2, $3, $_] : ['?', 0, '', $_] }
        split /\n/, $text;
}

sub log_size { return -s $_[0]{server}->tmp . '/attacks.log' }

# The error log from an offset on: the new offset, and the lines.
sub error_log {
    my ($self, $offset) = @_;
    my $file = $self->{server}->tmp . '/error.log';
    my $end  = -s $file;
    return $end if $end == $offset;
    open my $log, '<:raw', $file or return $end;
    seek $log, $offset, 0;
    read $log, my $text, $end - $offset;
    return ($end, split /\n/, $text);
}

# The lines of an error log that report errors.
sub errors_in {
    my ($self, @lines) = @_;
    my $levels = $self->{server}->error_pattern('emerg|alert|crit|error');
    return grep { /$levels/ } @lines;
}

1;
