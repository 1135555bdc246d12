/*
 * host_locate.c - reading of a host, and the location of an error in it
 *
 * The core reports why a host is refused, but not where.  So the core is called
 * again for the host without its last character, without its last two, and so
 * on, until a prefix is accepted: the next character is the cause.  The search
 * goes from the end, since a short prefix of a valid host may be refused for
 * lack of context ("l", a middle dot, "l"; a consonant, a joiner, a vowel).
 */

#include <string.h>

#include "base/iri_string.h"

#include "host.h"

/* A longer host is refused before its characters are checked. */
#define HOST_CHARACTERS (IRI_MAX_HOST + 1)

typedef struct {
    size_t  count;
    int32_t character[HOST_CHARACTERS]; /* negative: not UTF-8 */
    size_t  from[HOST_CHARACTERS + 1];  /* octets of the host before a
                                           character */
} host_text_t;


/* ---- characters ---------------------------------------------------------- */

static void
host_divide(apr_pool_t *pool, iri_str_t host, int escaped, host_text_t *text)
{
    size_t   *at, i = 0;
    iri_str_t octets = cli_unescape(pool, host, escaped, &at);

    for (text->count = 0; i < octets.len && text->count < HOST_CHARACTERS;
         text->count++)
    {
        text->from[text->count] = at[i];
        text->character[text->count] = cli_next_character(octets, &i);
    }
    text->from[text->count] = at[i];
}


/* ---- search -------------------------------------------------------------- */

iri_status_t
host_read(const iri_env_t *env, const host_conf_t *conf, iri_str_t host,
          iri_host_t *out)
{
    iri_status_t status;

    if (conf->is_name) {
        return iri_host_name(env, &conf->host, host, out);
    }
    status = iri_host_read(env, &conf->host, host, out);
    if (status != IRI_OK || out->verdict != IRI_PASS
        || (out->why == IRI_HOST_LITERAL && iri_is_uri_host(host)))
    {
        return status;
    }
    return iri_host_map(env, &conf->host, host, out);
}


static int
host_is_literal(const host_conf_t *conf, iri_str_t host)
{
    return !conf->is_name && host.len > 1 && host.data[0] == '['
           && host.data[host.len - 1] == ']';
}


/* How a prefix of the host is completed and checked. */
typedef struct {
    const host_conf_t *conf;
    iri_host_why_t     why;
    iri_str_t          suffix; /* appended to the prefix */
    size_t             first;  /* the shortest prefix, in characters */
} host_probe_t;


static host_probe_t
host_probe(const host_conf_t *conf, iri_str_t host, iri_host_why_t why)
{
    /* The bidi rule applies to all labels if one is right-to-left. */
    static const iri_str_t left = IRI_STR(".\xD7\x90");
    static const iri_str_t bracket = IRI_STR("]");
    /* A prefix in ASCII would not be checked, so a label is appended. */
    static const iri_str_t other = IRI_STR(".\xC3\xBC");
    host_probe_t           probe = { conf, why, { 0, NULL }, 0 };

    if (host_is_literal(conf, host)) {
        probe.suffix = bracket;
        probe.first = 1;
    } else if (why == IRI_HOST_BIDI) {
        probe.suffix = left;
    } else if (conf->is_name
               && (why == IRI_HOST_CHARACTER || why == IRI_HOST_HYPHEN
                   || why == IRI_HOST_ALABEL))
    {
        probe.suffix = other;
    }
    return probe;
}


/* The verdict on a prefix, and the reason of REFUSE.  pool is cleared. */
static iri_verdict_t
host_read_prefix(apr_pool_t *pool, const host_conf_t *conf, iri_str_t host,
                 iri_host_why_t *why)
{
    iri_env_apr_t apr_env;
    iri_host_t    got;
    iri_status_t  status;

    iri_env_apr_init(&apr_env, pool, NULL, NULL);
    status = host_read(&apr_env.env, conf, host, &got);
    apr_pool_clear(pool);
    if (status != IRI_OK) {
        return IRI_PASS;
    }
    *why = got.why;
    return got.verdict;
}


/*
 * The number of characters before the cause; text->count: not known.  buffer
 * contains the host and has room for the suffix.
 */
static size_t
host_search(apr_pool_t *pool, const host_probe_t *probe,
            const host_text_t *text, unsigned char *buffer)
{
    size_t found = text->count, k;

    for (k = text->count; k > probe->first; k--) {
        size_t         len = text->from[k];
        iri_str_t      part = { len + probe->suffix.len, buffer };
        iri_host_why_t why;

        /* The suffix overwrites octets that were already checked. */
        if (probe->suffix.len > 0) {
            memcpy(buffer + len, probe->suffix.data, probe->suffix.len);
        }
        if (host_read_prefix(pool, probe->conf, part, &why) != IRI_REFUSE) {
            return found;
        }
        /* The cut can cause another reason, such as "-" at the end. */
        if (why == probe->why) {
            found = k - 1;
        }
    }
    return found;
}


/* ---- location ------------------------------------------------------------ */

static size_t
host_label_start(const host_text_t *text, size_t at)
{
    while (at > 0) {
        int32_t c = text->character[at - 1];

        if (c == '.' || c == 0x3002 || c == 0xFF0E || c == 0xFF61) {
            return at;
        }
        at--;
    }
    return 0;
}


/* 1 if the character is a letter of an A-label; the error is in its U-label. */
static int
host_is_encoded(const host_text_t *text, size_t start, size_t at)
{
    static const char prefix[] = "xn--";
    size_t            i;

    if (text->character[at] < 0 || text->character[at] >= 0x80
        || !iri_is_alphanumeric((unsigned char) text->character[at])
        || text->count - start < sizeof(prefix) - 1)
    {
        return 0;
    }
    for (i = 0; i < sizeof(prefix) - 1; i++) {
        if ((text->character[start + i] | 0x20) != prefix[i]) {
            return 0;
        }
    }
    return 1;
}


/* 1 if the reason concerns a label as a whole. */
static int
host_why_concerns_label(iri_host_why_t why)
{
    return why == IRI_HOST_ALABEL || why == IRI_HOST_LIMIT
           || why == IRI_HOST_ADDRESS;
}


/* 1 if the reason concerns a single character. */
static int
host_why_concerns_character(iri_host_why_t why)
{
    return why == IRI_HOST_CHARACTER || why == IRI_HOST_MARK
           || why == IRI_HOST_BIDI || why == IRI_HOST_JOINER
           || why == IRI_HOST_IDNA2008 || why == IRI_HOST_WILDCARD;
}


static host_location_t
host_position(const host_text_t *text, size_t at, iri_host_why_t why)
{
    host_location_t where = { 0, -1 };
    size_t          start;

    if (at == text->count) {
        return where;
    }
    start = host_label_start(text, at);
    if (host_why_concerns_label(why) || host_is_encoded(text, start, at)) {
        where.offset = text->from[start];
        return where;
    }
    where.offset = text->from[at];
    if (host_why_concerns_character(why)) {
        where.character = text->character[at];
    }
    return where;
}


host_location_t
host_locate(apr_pool_t *pool, const host_conf_t *conf, iri_str_t host,
            iri_host_why_t why)
{
    host_probe_t    probe = host_probe(conf, host, why);
    host_text_t    *text = apr_palloc(pool, sizeof(*text));
    host_location_t where = { 0, -1 };
    unsigned char  *buffer;
    apr_pool_t     *own;
    size_t          len;

    apr_pool_create(&own, pool);
    host_divide(pool, host, !conf->is_name, text);
    len = text->from[text->count];
    buffer = apr_palloc(pool, len + probe.suffix.len);
    if (len > 0) {
        memcpy(buffer, host.data, len);
        where = host_position(text, host_search(own, &probe, text, buffer),
                              why);
    }
    apr_pool_destroy(own);
    return where;
}
