/*
 * iri_resolve.c - resolution of references, and the reverse
 *
 * A base and a reference -> the target (RFC 3986, 5.2 and 5.3).  A base and a
 * target -> a short reference.  By draft 5.4 the algorithm is the same for
 * IRIs; characters above U+007F are treated as unreserved.
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
iri_path_is_ambiguous(iri_str_t path, int has_scheme)
{
    if (path.len >= 2 && path.data[0] == '/' && path.data[1] == '/') {
        return 1;
    }

    return !has_scheme
           && memchr(path.data, ':', iri_segment_end(path, 0)) != NULL;
}


/*
 * Set the path of the target: its own path behind a directory, without
 * dot-segments.  "/." is inserted before "//a", "./" before "a:b" (RFC 3986,
 * 4.2 and 5.2.4).
 */
static iri_status_t
iri_target_path(const iri_env_t *env, iri_str_t directory,
                iri_parts_t *target)
{
    int            scheme = iri_is_present(target->scheme);
    int            authority = iri_is_present(target->authority), absolute;
    iri_str_t      path;
    unsigned char *data;

    data = env->alloc(env->ctx, directory.len + target->path.len + 2);
    if (data == NULL) {
        return IRI_NO_MEMORY;
    }

    if (directory.len != 0) {
        memcpy(data, directory.data, directory.len);
    }
    memcpy(data + directory.len, target->path.data, target->path.len);

    path.data = data;
    path.len = iri_remove_dot_segments(data, directory.len + target->path.len,
                                       !scheme && !authority);

    if (!authority && iri_path_is_ambiguous(path, scheme)) {
        absolute = data[0] == '/';
        memmove(data + 2, data, path.len);
        data[0] = absolute ? '/' : '.';
        data[1] = absolute ? '.' : '/';
        path.len += 2;
    }

    target->path = path;

    return IRI_OK;
}


iri_status_t
iri_resolve(const iri_env_t *env, iri_str_t base, iri_str_t reference,
            iri_str_t *out)
{
    iri_parts_t  of_base, target;
    iri_str_t    directory = { 0, NULL };
    iri_status_t status;

    if (base.len > IRI_MAX_IRI || reference.len > IRI_MAX_IRI) {
        return IRI_IRI_TOO_LONG;
    }

    iri_split(base, &of_base);
    iri_split(reference, &target);

    if (!iri_is_present(target.scheme) && !iri_is_present(target.authority)) {
        target.authority = of_base.authority;

        if (target.path.len == 0) {
            /* The path of the base is copied unchanged (RFC 3986, 5.2.2). */
            of_base.fragment = target.fragment;
            if (iri_is_present(target.query)) {
                of_base.query = target.query;
            }

            return iri_join(env, &of_base, out);
        }

        if (target.path.data[0] != '/') {
            directory = iri_base_directory(&of_base);
        }
    }

    if (!iri_is_present(target.scheme)) {
        target.scheme = of_base.scheme;
    }

    status = iri_target_path(env, directory, &target);

    return status == IRI_OK ? iri_join(env, &target, out) : status;
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


/* Compute the parts of a short reference from base to target, which have the
   same scheme. */
static iri_status_t
iri_reference_parts(const iri_env_t *env, const iri_parts_t *base,
                    const iri_parts_t *target, iri_parts_t *reference)
{
    /* A target with an authority and an empty path can only be written with
       its authority, unless the path of the base is empty, too. */
    int same = iri_same_part(base->authority, target->authority)
               && !(iri_is_present(target->authority) && target->path.len == 0
                    && base->path.len != 0);
    iri_buf_t    path = IRI_BUF_EMPTY;
    iri_status_t status = IRI_OK;

    *reference = *target;
    reference->scheme.data = NULL;

    if (!same) {
        return IRI_OK;
    }

    reference->authority.data = NULL;

    /* An empty path without a query inherits the query of the base. */
    if (!iri_same_part(base->path, target->path)
        || (iri_is_present(base->query) && !iri_is_present(target->query)))
    {
        status = iri_put_relative_path(env, base, target, &path);

    } else if (iri_same_part(base->query, target->query)) {
        reference->query.data = NULL;
    }

    reference->path = iri_buf_str(&path);

    return status;
}


iri_status_t
iri_relativize(const iri_env_t *env, iri_str_t base, iri_str_t target,
               iri_str_t *out)
{
    iri_parts_t  of_base, of_target, parts;
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

    status = iri_reference_parts(env, &of_base, &of_target, &parts);
    if (status == IRI_OK) {
        status = iri_join(env, &parts, &reference);
    }

    /* Verify the reference: it must resolve to the target. */
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
