/*
 * iri_resolve.c - a reference and its base to a target, and back
 *
 * RFC 3986, 5.2 and 5.3, of which draft 5.4 says that they are those of IRIs:
 * characters above 7F are as good as unreserved.  One piece of memory is asked
 * for, in which the target grows from left to right.
 */

#include "iri_ref.h"
#include "base/iri_base.h"
#include "iriref/iri_iriref.h"


/* ---- dot-segments -------------------------------------------------------- */

/*
 * The path that is written, in place: what is read is never before it, but
 * for the two octets that a guard may take.
 */
typedef struct {
    unsigned char *begin;
    size_t         len;
    int            absolute; /* begins with "/" */
    int            guarded;  /* begins with "./", behind which there is an
                                empty segment */
    int            relative; /* of a relative reference: never absolute */
} iri_dots_t;


/*
 * Takes the last segment away again, with the "/" before it.  The "/" behind
 * the first segment stays (RFC 3986, 5.2.4, 2C), so that "a/../b" becomes "/b".
 */
static void
iri_dots_pop(iri_dots_t *dots)
{
    if (dots->guarded && dots->len == 2) {
        dots->guarded = 0;
        dots->len = 0;
        return;
    }

    if (dots->len == 0) {
        return;
    }

    while (dots->len != 0 && dots->begin[--dots->len] != '/') { /* void */
    }

    if (dots->len == 0 && !dots->relative) {
        dots->absolute = 1;
    }
}


/*
 * In a relative reference "a/..//b" is not "/b": what comes to be the first
 * segment of a path that does not begin with "/" must not be empty.
 */
static void
iri_dots_put(iri_dots_t *dots, const unsigned char *segment, size_t len,
             int last)
{
    if (dots->len != 0 || dots->absolute) {
        dots->begin[dots->len++] = '/';

    } else if (last && len == 0) {
        return;

    } else if (len == 0 && !dots->relative) {
        dots->absolute = 1;
        return;

    } else if (len == 0) {
        dots->begin[dots->len++] = '.';
        dots->begin[dots->len++] = '/';
        dots->guarded = 1;
    }

    memmove(dots->begin + dots->len, segment, len);
    dots->len += len;
}


size_t
iri_remove_dots(unsigned char *path, size_t len, int relative)
{
    const unsigned char *p = path, *end = path + len, *segment;
    iri_dots_t           dots = { path, 0, 0, 0, relative };
    size_t               n;
    int                  last = 0;

    if (len != 0 && *p == '/') {
        dots.absolute = 1;
        p++;
    }

    for (/* void */; !last && len != 0; p = last ? end : segment + n + 1) {
        segment = p;
        p = memchr(segment, '/', (size_t) (end - segment));
        last = p == NULL;
        n = (size_t) ((last ? end : p) - segment);

        if (n == 0 || n > 2 || segment[0] != '.' || segment[n - 1] != '.') {
            iri_dots_put(&dots, segment, n, last);
            continue;
        }

        if (n == 2) {
            iri_dots_pop(&dots);
        }

        /* What is left is a directory. */
        if (last && (dots.len != 0 || dots.absolute)) {
            dots.begin[dots.len++] = '/';
        }
    }

    return dots.len;
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


/* A part that may be absent, behind its delimiter. */
static void
iri_target_put_part(iri_target_t *target, char delimiter, iri_str_t part)
{
    if (iri_has(part)) {
        target->data[target->len++] = (unsigned char) delimiter;
        iri_target_put(target, part);
    }
}


/* RFC 3986, 5.2.3: up to the last "/" of the base. */
static iri_str_t
iri_directory(const iri_parts_t *base)
{
    static const unsigned char slash[] = "/";
    iri_str_t                  path = base->path;

    if (path.len == 0 && iri_has(base->authority)) {
        return iri_span(slash, slash + 1);
    }

    while (path.len != 0 && path.data[path.len - 1] != '/') {
        path.len--;
    }

    return path;
}


/* No part before the path: would it be read as one? */
static int
iri_needs_dot(const iri_target_t *target, size_t from, int has_scheme)
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


/* "/." before "//a", "./" before "a:b" (RFC 3986, 4.2 and 5.2.4). */
static void
iri_target_guard(iri_target_t *target, size_t from, int has_scheme)
{
    unsigned char *path = target->data + from;
    int            absolute;

    if (!iri_needs_dot(target, from, has_scheme)) {
        return;
    }

    absolute = path[0] == '/';
    memmove(path + 2, path, target->len - from);
    path[0] = absolute ? '/' : '.';
    path[1] = absolute ? '.' : '/';
    target->len += 2;
}


/* The path of the target, of which what stands before it is there. */
static void
iri_target_put_path(iri_target_t *target, const iri_parts_t *base,
                    const iri_parts_t *reference)
{
    size_t from = target->len;
    int    authority = iri_has(reference->scheme)
                            || iri_has(reference->authority)
                           ? iri_has(reference->authority)
                           : iri_has(base->authority);
    int    scheme = iri_has(reference->scheme) || iri_has(base->scheme);

    /* Of the base itself dots are not removed. */
    if (!iri_has(reference->scheme) && !iri_has(reference->authority)
        && reference->path.len == 0)
    {
        iri_target_put(target, base->path);
        return;
    }

    if (!iri_has(reference->scheme) && !iri_has(reference->authority)
        && reference->path.data[0] != '/')
    {
        iri_target_put(target, iri_directory(base));
    }

    iri_target_put(target, reference->path);

    target->len = from
                  + iri_remove_dots(target->data + from, target->len - from,
                                    !scheme && !authority);

    if (!authority) {
        iri_target_guard(target, from, scheme);
    }
}


static void
iri_target_build(iri_target_t *target, const iri_parts_t *base,
                 const iri_parts_t *reference)
{
    const iri_parts_t *above = iri_has(reference->scheme) ? reference : base;
    const iri_parts_t *owner = iri_has(reference->scheme)
                                       || iri_has(reference->authority)
                                   ? reference
                                   : base;
    int own_query = owner == reference || reference->path.len != 0
                    || iri_has(reference->query);

    if (iri_has(above->scheme)) {
        iri_target_put(target, above->scheme);
        target->data[target->len++] = ':';
    }

    if (iri_has(owner->authority)) {
        target->data[target->len++] = '/';
        target->data[target->len++] = '/';
        iri_target_put(target, owner->authority);
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
        return IRI_PATH_TOO_LONG;
    }

    iri_split(base, &of_base);
    iri_split(reference, &of_reference);

    /* Delimiters, the "/" of an empty directory, and a guard. */
    target.len = 0;
    target.data = env->alloc(env->ctx, base.len + reference.len + 8);
    if (target.data == NULL) {
        return IRI_NO_MEMORY;
    }

    iri_target_build(&target, &of_base, &of_reference);
    *out = iri_span(target.data, target.data + target.len);

    return IRI_OK;
}


/* ---- and back ------------------------------------------------------------ */

static int
iri_same_part(iri_str_t a, iri_str_t b)
{
    return iri_has(a) == iri_has(b) && iri_str_equal(a, b);
}


/* Octets of both that are the same, up to and with a "/". */
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


/* "../../c", or "/x/c" where nothing is shared. */
static iri_status_t
iri_put_relative_path(const iri_env_t *env, const iri_parts_t *base,
                      const iri_parts_t *target, iri_buf_t *out)
{
    iri_str_t    directory = iri_directory(base);
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

    /* What would be a scheme, an authority, or no path at all. */
    if (up == 0
        && (rest.len == 0 || rest.data[0] == '/'
            || memchr(rest.data, ':', iri_segment_end(rest, 0)) != NULL))
    {
        status = iri_put_text(env, out, "./");
    }

    for (/* void */; status == IRI_OK && up != 0; up--) {
        status = iri_put_text(env, out, "../");
    }

    return status == IRI_OK ? iri_buf_put(env, out, rest.data, rest.len)
                            : status;
}


/* A part that may be absent, behind its delimiter. */
static iri_status_t
iri_put_part(const iri_env_t *env, iri_buf_t *out, unsigned char delimiter,
             iri_str_t part)
{
    iri_status_t status;

    if (!iri_has(part)) {
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
    /* To no path at all only an authority leads, but from none. */
    int same = iri_same_part(base->authority, target->authority)
               && !(iri_has(target->authority) && target->path.len == 0
                    && base->path.len != 0);
    int          here = same && iri_same_part(base->path, target->path);
    iri_status_t status = IRI_OK;

    if (!same) {
        status = iri_put_text(env, out, "//");
        status = status == IRI_OK ? iri_buf_put(
                     env, out, target->authority.data, target->authority.len)
                                  : status;
        status = status == IRI_OK ? iri_buf_put(env, out, target->path.data,
                                                target->path.len)
                                  : status;

    } else if (!here || (iri_has(base->query) && !iri_has(target->query))) {
        status = iri_put_relative_path(env, base, target, out);
        here = 0;
    }

    /* The base's own query is taken from it. */
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
        return IRI_PATH_TOO_LONG;
    }

    iri_split(base, &of_base);
    iri_split(target, &of_target);

    if (!iri_same_part(of_base.scheme, of_target.scheme)
        || (iri_has(of_base.authority) && !iri_has(of_target.authority)))
    {
        *out = target;
        return IRI_OK;
    }

    /* Room for most of them at once. */
    status = iri_buf_reserve(env, &buf, target.len + 64);
    if (status == IRI_OK) {
        status = iri_put_reference(env, &of_base, &of_target, &buf);
    }

    /* Whatever was overlooked: what does not lead back is no reference. */
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
