/*
 * iri_destination.c - the Destination of COPY and MOVE (RFC 4918, 9.8, 9.9)
 *
 * Reads the field (10.3) and decides whether the methods may write the path in
 * it.  Both delete an existing Destination first, which must not delete the
 * source.  Servers copy the octets of member names, so both trees must decode
 * the octets to the same names.  A collection must not be copied into itself.
 */

#include "iri_host.h"
#include "tree/iri_tree.h"
#include "request/iri_state.h"


/* ---- the field ----------------------------------------------------------- */

/* As for nginx, "#" is part of the path. */
iri_str_t
iri_destination_path(iri_str_t value)
{
    iri_str_t authority, path;

    iri_uri_split(value, "?", &authority, &path);

    return path;
}


iri_str_t
iri_destination_host(iri_str_t value)
{
    iri_str_t authority, path;

    iri_uri_split(value, "?", &authority, &path);

    return iri_authority_host(authority);
}


/* The octets between two parts of a value. */
static iri_str_t
iri_destination_between(const unsigned char *from, const unsigned char *to)
{
    iri_str_t s = { (size_t) (to - from), from };

    return s;
}


/* Set *value to count parts, and a NUL that is not counted. */
static iri_status_t
iri_destination_join(const iri_env_t *env, const iri_str_t *parts,
                     size_t count, iri_str_t *value)
{
    iri_buf_t    buf = IRI_BUF_EMPTY;
    iri_status_t status = iri_buf_put_all(env, &buf, parts, count);

    if (status == IRI_OK) {
        status = iri_buf_putc(env, &buf, '\0');
    }

    if (status == IRI_OK) {
        buf.len--;
        *value = iri_buf_str(&buf);
    }

    return status;
}


/* Log the refusal; as an error if a function has failed. */
static int
iri_destination_refuse(const iri_env_t *env, iri_str_t path, int status,
                       const char *why)
{
    iri_shown_t shown;

    iri_logf(env, status == 500 ? IRI_LOG_ERROR : IRI_LOG_INFO,
             "Destination \"%s\" refused: %s" IRI_LOG_REASON "%s",
             iri_show(&shown, path), why,
             iri_reason_code(IRI_REASON_DESTINATION));

    return status;
}


int
iri_destination_read(const iri_env_t *env, const iri_reading_conf_t *conf,
                     iri_str_t host, iri_str_t *value, iri_reading_t *reading)
{
    iri_str_t           old = iri_destination_host(*value), parts[5];
    iri_str_t           path = iri_destination_path(*value), uri = path;
    iri_received_path_t received;
    iri_status_t        status;
    iri_shown_t         shown;

    memset(reading, 0, sizeof(*reading));

    if (!iri_path_is_ascii(path, 1)) {
        received.path = received.target = path;
        received.escaped = 1;
        status = iri_read(env, conf, &received, reading);

        if (status != IRI_OK) {
            return status == IRI_BAD_ESCAPE ? 400 : 500;
        }

        if (reading->verdict == IRI_REFUSE) {
            iri_logf(env, IRI_LOG_INFO,
                     "Destination \"%s\" refused: %s" IRI_LOG_REASON "%s",
                     iri_show(&shown, reading->octets),
                     iri_why_text(reading->why), iri_why_code(reading->why));
            return reading->status;
        }

        uri = reading->uri;
    }

    parts[0] = iri_destination_between(value->data, old.data);
    parts[1] = host.len != 0 ? host : old;
    parts[2] = iri_destination_between(old.data + old.len, path.data);
    parts[3] = uri;
    parts[4] = iri_destination_between(path.data + path.len,
                                       value->data + value->len);

    return iri_destination_join(env, parts, 5, value) == IRI_OK ? 0 : 500;
}


iri_status_t
iri_destination_unescape(const iri_env_t *env, iri_str_t path,
                         iri_str_t *value)
{
    iri_str_t parts[2];

    if (memchr(path.data, '%', path.len) != NULL
        || memchr(path.data, '?', path.len) != NULL
        || memchr(path.data, '#', path.len) != NULL
        || (value->data[value->len - 1] == '/')
               != (path.data[path.len - 1] == '/'))
    {
        return IRI_OK;
    }

    parts[0] = iri_destination_between(value->data,
                                       iri_destination_path(*value).data);
    parts[1] = path;

    return iri_destination_join(env, parts, 2, value);
}


int
iri_destination_check(const iri_env_t *env, iri_str_t source, iri_str_t path,
                      size_t prefix)
{
    if (!iri_is_new_path(path) || path.len < prefix || source.len < prefix
        || memcmp(path.data, source.data, prefix) != 0)
    {
        return iri_destination_refuse(
            env, path, 400,
            "its path is invalid, or outside of the alias of the source");
    }

    if ((path.data[path.len - 1] == '/')
        != (source.len != 0 && source.data[source.len - 1] == '/'))
    {
        return iri_destination_refuse(
            env, path, 409, "both paths must end with \"/\", or neither");
    }

    return 0;
}


/* ---- source and Destination on disk -------------------------------------- */

/* The functions of this section return an HTTP status and set *why, or 0. */

/*
 * Refuse a Destination that is another name of an existing entry, which may be
 * the source, and a new name that conflicts with an existing entry.
 */
static int
iri_transfer_check_entry(const iri_env_t *env, iri_transfer_t *transfer,
                         const iri_lookup_t *lookup, const char **why)
{
    iri_str_t    source = { 0, NULL };
    iri_found_t  found;
    iri_status_t status;

    if (lookup == NULL) {
        return 0;
    }

    if (transfer->moves) {
        source = transfer->source;
    }

    found = lookup->found;
    status = iri_find_conflict(env, &lookup->search, source, &found);

    if (status != IRI_OK) {
        *why = iri_status_text(status);
        return 500;
    }

    if (found.verdict == IRI_RESTART) {
        *why = "it is another name of an existing entry";
        return 409;
    }

    if (iri_is_conflict(&found)) {
        transfer->why = found.why;
        *why = iri_why_text(found.why);
        return 409;
    }

    return 0;
}


/* The part of the file name below root or alias. */
static iri_str_t
iri_stored_name(const iri_lookup_t *lookup)
{
    iri_str_t octets = lookup->found.filename;
    size_t    root = lookup->search.root.len;

    return iri_str_from(octets, root < octets.len ? root : octets.len);
}


/*
 * 1 if both lookups store the name with the same octets.  An alias removes the
 * beginning of the path, so the shorter name is compared with the end of the
 * longer one.
 */
static int
iri_is_same_name(const iri_lookup_t *written, const iri_lookup_t *judged)
{
    iri_str_t a, b;
    size_t    len;

    if (written == NULL || judged == NULL) {
        return 1;
    }

    if (!iri_may_open(&judged->found)) {
        return 0;
    }

    a = iri_stored_name(written);
    b = iri_stored_name(judged);
    len = a.len < b.len ? a.len : b.len;

    return len == 0
               ? a.len == b.len
               : memcmp(a.data + a.len - len, b.data + b.len - len, len) == 0;
}


static int
iri_transfer_check_names(const iri_env_t *env, iri_transfer_t *transfer,
                         const char **why)
{
    int status;

    status = iri_transfer_check_entry(env, transfer, transfer->written, why);

    if (status == 0) {
        status = iri_transfer_check_entry(env, transfer, transfer->judged,
                                          why);
    }

    if (status == 0 && !iri_is_same_name(transfer->written, transfer->judged))
    {
        *why = "the location of the source stores it under another name";
        status = 409;
    }

    return status;
}


/* Refuse a transfer that would destroy entries or change their names. */
static int
iri_transfer_check_disk(const iri_env_t *env, iri_transfer_t *transfer,
                        const char **why)
{
    iri_relation_t relation;
    iri_status_t   status;

    status = iri_path_relation(env, transfer->source, transfer->destination,
                               &relation);

    if (status != IRI_OK) {
        *why = iri_status_text(status);
        return 500;
    }

    /* Each copied member would be copied again, until the disk is full. */
    *why = relation == IRI_RELATION_SAME     ? "it is the source"
           : relation == IRI_RELATION_PARENT ? "it contains the source"
           : relation == IRI_RELATION_INSIDE && transfer->members
               ? "it is inside the source"
               : NULL;

    if (*why != NULL) {
        return 403;
    }

    if (transfer->members
        && !iri_tree_preserves_names(transfer->from, transfer->to))
    {
        transfer->why = IRI_WHY_OTHER_TREE;
        *why = iri_why_text(transfer->why);
        return 409;
    }

    return 0;
}


int
iri_request_transfer(const iri_env_t *env, iri_transfer_t *transfer)
{
    const char *why;
    int         status;

    transfer->why = IRI_WHY_NONE;
    status = iri_transfer_check_names(env, transfer, &why);

    if (status == 0) {
        status = iri_transfer_check_disk(env, transfer, &why);
    }

    return status != 0
               ? iri_destination_refuse(env, transfer->path, status, why)
               : 0;
}
