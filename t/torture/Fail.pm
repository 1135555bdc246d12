# The file that tells the modules of a torture build which of their calls fail,
# and that counts the calls; its layout is fail_t of fail.h. Only one request
# may be in flight while calls fail.
package Fail;
use strict;
use warnings;
use Errno ();
use Exporter 'import';
use Fcntl qw(SEEK_SET);
use IRI::Server ();

our @EXPORT_OK = qw(MEMORY FILES ICU POOL @KINDS %KIND_NAME %ERRNO is_absence);

use constant { MEMORY => 1, FILES => 2, ICU => 4, POOL => 8 };
use constant { HEAD => 64, CALL => 48, CALLS => 100_000 };

our @KINDS = (MEMORY, FILES, ICU);
our %KIND_NAME =
    (MEMORY, 'memory', FILES, 'files', ICU, 'ICU', POOL, 'pool');

# The errnos of file system calls, by name.
our %ERRNO = map { $_ => Errno->can($_)->() }
    qw(EACCES EIO ELOOP ENAMETOOLONG EMFILE ENFILE ENOMEM EINTR ESTALE ENOENT
       ENOTDIR);

# Does that errno of a function mean that the entry is absent? Then the module
# may treat it as such, and a directory that cannot be listed likewise: only
# exact names are found in it.
sub is_absence {
    my ($error, $function) = @_;
    return $error =~ /^(?:ENOENT|ENOTDIR|ELOOP|ENAMETOOLONG)$/
        || $error eq 'EACCES' && $function eq 'opendir';
}

# Creates the file and exports its name to servers that are started from now
# on.
sub new {
    my ($class, $path) = @_;
    IRI::Server::spew($path, '');
    truncate $path, HEAD + CALL * CALLS or die "$path: $!\n";
    chmod 0666, $path;
    open my $file, '+<:raw', $path or die "$path: $!\n";
    $ENV{IRI_FAIL} = $path;
    return bless { file => $file }, $class;
}

# Counts calls of some kinds and lets call number $at fail, with $on 1 also all
# later ones; 0: none.
sub arm {
    my ($self, $kinds, $at, $on, $errno) = @_;
    $self->put(0, pack 'LLLlLL', 0, $at // 0, $on // 0, $errno // 0, 0, 0);
    $self->put(0, pack 'L', $kinds);
    return;
}

# Nothing fails any more. Returns the number of calls that were counted and of
# those that failed.
sub off {
    my ($self) = @_;
    $self->put(0, pack 'L', 0);
    return @{ $self->state }{qw(count failed)};
}

sub put {
    my ($self, $offset, $octets) = @_;
    sysseek $self->{file}, $offset, SEEK_SET or die "seek: $!\n";
    syswrite $self->{file}, $octets or die "write: $!\n";
    return;
}

sub take {
    my ($self, $offset, $length) = @_;
    sysseek $self->{file}, $offset, SEEK_SET or die "seek: $!\n";
    sysread $self->{file}, my $octets, $length or die "read: $!\n";
    return $octets;
}

sub state {
    my ($self) = @_;
    my %state;
    @state{qw(kinds at on error count failed blocks dirs no_abort)} =
        unpack 'LLLlLLllL', $self->take(0, HEAD);
    return \%state;
}

# The counted calls, [function, caller, its caller, ...], in order.
sub calls {
    my ($self, $count) = @_;
    return if !$count;
    $count = CALLS if $count > CALLS;
    my $octets = $self->take(HEAD, CALL * $count);
    return map { [unpack '(Z28 L5)', substr $octets, CALL * $_, CALL] }
        0 .. $count - 1;
}

1;
