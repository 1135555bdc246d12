/*
 * iri_resolve.c - resolution of references, and the reverse
 *
 * A base and a reference -> the target (RFC 3986, 5.2 and 5.3).  A base and a
 * target -> a short reference.  By draft 5.4 the algorithm is the same for
 * IRIs; characters above U+007F are treated as unreserved.  The target is
 * written from left to right into a single block of memory.
 */

#include "iri_ref.h"
#include "base/iri_string.h"
#include "iriref/iri_iriref.h"


/* ---- dot-segments -------------------------------------------------------- */

/*
 * The output path, which is written over the input path.  It is never longer
 * than the input that was read: before "./" is added, at least two octets were
 * removed.
 */
typedef struct {
    unsigned char *begin;
    size_t         len;
    int            absolute; /* 1: begins with "/" */
    int            guarded;  /* 1: begins with an added "./" */
    int            relative; /* 1: a relative reference, which must not become
                                absolute */
} iri_path_output_t;


/*
 * Remove the last segment and the "/" before it.  The "/" after the first
 * segment stays (RFC 3986, 5.2.4, 2C), so that "a/../b" becomes "/b".
 */
static void
iri_path_output_pop(iri_path_output_t *out)
{
    if (out->guarded && out->len == 2) {
        out->guarded = 0;
        out->len = 0;
        return;
    }

    if (out->len == 0) {
        return;
    }

    while (out->len != 0 && out->begin[--out->len] != '/') { /* void */
    }

    if (out->len == 0 && !out->relative) {
        out->absolute = 1;
    }
}


/*
 * Append a segment; last: 1 if it is the last one.  In a relative reference
 * "a/..//b" must not become "/b": if the first segment of a path that does not
 * begin with "/" is empty, "./" is written before it.
 */
static void
iri_path_output_put(iri_path_output_t *out, const unsigned char *segment,
                    size_t len, int last)
{
    if (out->len != 0 || out->absolute) {
        out->begin[out->len++] = '/';

    } else if (last && len == 0) {
        return;

    } else if (len == 0 && !out->relative) {
        out->absolute = 1;
        return;

    } else if (len == 0) {
        out->begin[out->len++] = '.';
        out->begin[out->len++] = '/';
        out->guarded = 1;
    }

    memmove(out->begin + out->len, segment, len);
    out->len += len;
}


size_t
iri_remove_dot_segments(unsigned char *path, size_t len, int relative)
{
    const unsigned char *p = path, *end = path + len, *segment;
    iri_path_output_t    out = { path, 0, 0, 0, relative };
    size_t               n;
    int                  last = 0;

    if (len != 0 && *p == '/') {
        out.absolute = 1;
        p++;
    }

    for (/* void */; !last && len != 0; p = last ? end : segment + n + 1) {
        segment = p;
        p = memchr(segment, '/', (size_t) (end - segment));
        last = p == NULL;
        n = (size_t) ((last ? end : p) - segment);

        if (n == 0 || n > 2 || segment[0] != '.' || segment[n - 1] != '.') {
            iri_path_output_put(&out, segment, n, last);
            continue;
        }

        if (n == 2) {
            iri_path_output_pop(&out);
        }

        /* A final "." or ".." leaves a path that ends with "/". */
        if (last && (out.len != 0 || out.absolute)) {
            out.begin[out.len++] = '/';
        }
    }

    return out.len;
}


/* ---- to a target --------------------------------------------------------- */

typedef struct {
    unsigned char *data;
    size_t         len;
} iri_target_t;


static void
iri_target_put(iri_target_t *target, iri_str_t text)
{
    if (text.len != 0) {
        memcpy(target->data + target->len, text.data, text.len);
        target->len += text.len;
    }
}


/* Write a delimiter and a part, if the part is present. */
static void
iri_target_put_part(iri_target_t *target, char delimiter, iri_str_t part)
{
    if (iri_is_present(part)) {
        target->data[target->len++] = (unsigned char) delimiter;
        iri_target_put(target, part);
    }
}


/* The path of the base up to its last "/" (RFC 3986, 5.2.3). */
static iri_str_t
iri_base_directory(const iri_parts_t *base)
{
    static const unsigned char slash[] = "/";
    iri_str_t                  path = base->path;

    if (path.len == 0 && iri_is_present(base->authority)) {
        return iri_str_between(slash, slash + 1);
    }

    while (path.len != 0 && path.data[path.len - 1] != '/') {
        path.len--;
    }

    return path;
}


/*
 * 1 if the path of a target without authority would be parsed as an authority
 * ("//a") or, without a scheme, as a scheme ("a:b").
 */
static int
iri_path_is_ambiguous(const iri_target_t *target, size_t from, int has_scheme)
{
    const unsigned char *path = target->data + from;
    size_t               len = target->len - from;
    const unsigned char *slash, *colon;

    if (len >= 2 && path[0] == '/' && path[1] == '/') {
        return 1;
    }

    if (has_scheme || len == 0) {
        return 0;
    }

    colon = memchr(path, ':', len);
    slash = memchr(path, '/', len);

    return colon != NULL && (slash == NULL || colon < slash);
}


/* Insert "/." before "//a", "./" before "a:b" (RFC 3986, 4.2 and 5.2.4). */
static void
iri_target_guard_path(iri_target_t *target, size_t from, int has_scheme)
{
    unsigned char *path = target->data + from;
    int            absolute;

    if (!iri_path_is_ambiguous(target, from, has_scheme)) {
        return;
    }

    absolute = path[0] == '/';
    memmove(path + 2, path, target->len - from);
    path[0] = absolute ? '/' : '.';
    path[1] = absolute ? '.' : '/';
    target->len += 2;
}


/* Write the path of the target behind its scheme and authority. */
static void
iri_target_put_path(iri_target_t *target, const iri_parts_t *base,
                    const iri_parts_t *reference)
{
    size_t from = target->len;
    int    authority = iri_is_present(reference->scheme)
                            || iri_is_present(reference->authority)
                           ? iri_is_present(reference->authority)
                           : iri_is_present(base->authority);
    int    scheme = iri_is_present(reference->scheme)
                 || iri_is_present(base->scheme);

    /* The path of the base is copied unchanged (RFC 3986, 5.2.2). */
    if (!iri_is_present(reference->scheme)
        && !iri_is_present(reference->authority) && reference->path.len == 0)
    {
        iri_target_put(target, base->path);
        return;
    }

    if (!iri_is_present(reference->scheme)
        && !iri_is_present(reference->authority)
        && reference->path.data[0] != '/')
    {
        iri_target_put(target, iri_base_directory(base));
    }

    iri_target_put(target, reference->path);

    target->len = from
                  + iri_remove_dot_segments(target->data + from,
                                            target->len - from,
                                            !scheme && !authority);

    if (!authority) {
        iri_target_guard_path(target, from, scheme);
    }
}


static void
iri_target_build(iri_target_t *target, const iri_parts_t *base,
                 const iri_parts_t *reference)
{
    const iri_parts_t *scheme_of = iri_is_present(reference->scheme)
                                       ? reference
                                       : base;
    const iri_parts_t *authority_of = iri_is_present(reference->scheme)
                                              || iri_is_present(
                                                  reference->authority)
                                          ? reference
                                          : base;
    int own_query = authority_of == reference || reference->path.len != 0
                    || iri_is_present(reference->query);

    if (iri_is_present(scheme_of->scheme)) {
        iri_target_put(target, scheme_of->scheme);
        target->data[target->len++] = ':';
    }

    if (iri_is_present(authority_of->authority)) {
        target->data[target->len++] = '/';
        target->data[target->len++] = '/';
        iri_target_put(target, authority_of->authority);
    }

    iri_target_put_path(target, base, reference);
    iri_target_put_part(target, '?',
                        own_query ? reference->query : base->query);
    iri_target_put_part(target, '#', reference->fragment);
}


iri_status_t
iri_resolve(const iri_env_t *env, iri_str_t base, iri_str_t reference,
            iri_str_t *out)
{
    iri_parts_t  of_base, of_reference;
    iri_target_t target;

    if (base.len > IRI_MAX_IRI || reference.len > IRI_MAX_IRI) {
        return IRI_IRI_TOO_LONG;
    }

    iri_split(base, &of_base);
    iri_split(reference, &of_reference);

    /* 8 octets for delimiters, the "/" of an empty directory and a guard. */
    target.len = 0;
    target.data = env->alloc(env->ctx, base.len + reference.len + 8);
    if (target.data == NULL) {
        return IRI_NO_MEMORY;
    }

    iri_target_build(&target, &of_base, &of_reference);
    *out = iri_str_between(target.data, target.data + target.len);

    return IRI_OK;
}


/* ---- the reverse --------------------------------------------------------- */

static int
iri_same_part(iri_str_t a, iri_str_t b)
{
    return iri_is_present(a) == iri_is_present(b) && iri_str_equal(a, b);
}


/* The length of the common beginning of two paths that ends with "/". */
static size_t
iri_common_directory(iri_str_t a, iri_str_t b)
{
    size_t i, common = 0;

    for (i = 0; i < a.len && i < b.len && a.data[i] == b.data[i]; i++) {
        if (a.data[i] == '/') {
            common = i + 1;
        }
    }

    return common;
}


/* Write "../../c", or "/x/c" if the paths have no directory in common. */
static iri_status_t
iri_put_relative_path(const iri_env_t *env, const iri_parts_t *base,
                      const iri_parts_t *target, iri_buf_t *out)
{
    iri_str_t    directory = iri_base_directory(base);
    size_t       common = iri_common_directory(directory, target->path);
    iri_str_t    rest = iri_str_from(target->path, common);
    size_t       up = iri_str_count(iri_str_from(directory, common), '/');
    iri_status_t status = IRI_OK;

    if (common <= 1 && (up != 0 || common == 0) && target->path.len != 0
        && target->path.data[0] == '/'
        && (target->path.len == 1 || target->path.data[1] != '/'))
    {
        return iri_buf_put(env, out, target->path.data, target->path.len);
    }

    /* Without "./" the rest would be empty, or parsed as a scheme or an
       authority. */
    if (up == 0
        && (rest.len == 0 || rest.data[0] == '/'
            || memchr(rest.data, ':', iri_segment_end(rest, 0)) != NULL))
    {
        status = iri_buf_put_text(env, out, "./");
    }

    for (/* void */; status == IRI_OK && up != 0; up--) {
        status = iri_buf_put_text(env, out, "../");
    }

    return status == IRI_OK ? iri_buf_put(env, out, rest.data, rest.len)
                            : status;
}


/* Write a delimiter and a part, if the part is present. */
static iri_status_t
iri_put_part(const iri_env_t *env, iri_buf_t *out, unsigned char delimiter,
             iri_str_t part)
{
    iri_status_t status;

    if (!iri_is_present(part)) {
        return IRI_OK;
    }

    status = iri_buf_putc(env, out, delimiter);

    return status == IRI_OK ? iri_buf_put(env, out, part.data, part.len)
                            : status;
}


static iri_status_t
iri_put_reference(const iri_env_t *env, const iri_parts_t *base,
                  const iri_parts_t *target, iri_buf_t *out)
{
    /* A target with an authority and an empty path can only be written with
       its authority, unless the path of the base is empty, too. */
    int same = iri_same_part(base->authority, target->authority)
               && !(iri_is_present(target->authority) && target->path.len == 0
                    && base->path.len != 0);
    int          here = same && iri_same_part(base->path, target->path);
    iri_status_t status = IRI_OK;

    if (!same) {
        status = iri_buf_put_text(env, out, "//");
        status = status == IRI_OK ? iri_buf_put(
                     env, out, target->authority.data, target->authority.len)
                                  : status;
        status = status == IRI_OK ? iri_buf_put(env, out, target->path.data,
                                                target->path.len)
                                  : status;

    } else if (!here
               || (iri_is_present(base->query)
                   && !iri_is_present(target->query)))
    {
        status = iri_put_relative_path(env, base, target, out);
        here = 0;
    }

    /* An empty path without a query inherits the query of the base. */
    if (status == IRI_OK
        && !(here && iri_same_part(base->query, target->query))) {
        status = iri_put_part(env, out, '?', target->query);
    }

    return status == IRI_OK ? iri_put_part(env, out, '#', target->fragment)
                            : status;
}


iri_status_t
iri_relativize(const iri_env_t *env, iri_str_t base, iri_str_t target,
               iri_str_t *out)
{
    iri_parts_t  of_base, of_target;
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_str_t    reference, back = { 0, NULL };
    iri_status_t status;

    if (base.len > IRI_MAX_IRI || target.len > IRI_MAX_IRI) {
        return IRI_IRI_TOO_LONG;
    }

    iri_split(base, &of_base);
    iri_split(target, &of_target);

    if (!iri_same_part(of_base.scheme, of_target.scheme)
        || (iri_is_present(of_base.authority)
            && !iri_is_present(of_target.authority)))
    {
        *out = target;
        return IRI_OK;
    }

    /* Enough for most references, to avoid growing the buffer. */
    status = iri_buf_reserve(env, &buf, target.len + 64);
    if (status == IRI_OK) {
        status = iri_put_reference(env, &of_base, &of_target, &buf);
    }

    /* Verify the reference: it must resolve to the target. */
    reference = iri_buf_str(&buf);
    if (status == IRI_OK && reference.len <= target.len) {
        status = iri_resolve(env, base, reference, &back);
    }

    if (status == IRI_OK) {
        *out = reference.len <= target.len && iri_str_equal(back, target)
                   ? reference
                   : target;
    }

    return status;
}
