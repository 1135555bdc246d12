/*
 * host_where.c - what a host is, and where in it that is which it is refused
 * for
 *
 * The core says why a host is refused, not where.  So it is asked again
 * about the host without its last character, without its last two, and so
 * on, until one is taken: what came next is what is wrong.  One goes from
 * the end, for what begins well may first look bad ("l", a middle dot, "l";
 * a consonant, a joiner, a vowel).
 */

#include <string.h>

#include "host.h"

/* A host with more is refused before its characters are looked at. */
#define HOST_CHARACTERS (IRI_MAX_HOST + 1)

typedef struct {
    size_t  count;
    int32_t character[HOST_CHARACTERS]; /* negative: not UTF-8 */
    size_t  from[HOST_CHARACTERS + 1];  /* octets of the host before it */
} host_text_t;


/* ---- characters ---------------------------------------------------------- */

/* The first character, unescaped if this is wanted, and its octets. */
static size_t
host_next(iri_str_t host, int escaped, int32_t *character)
{
    unsigned char octet[4];
    size_t        end[4], at = 0, used = 0;
    iri_str_t     octets = { 0, octet };

    while (octets.len < sizeof(octet) && at < host.len) {
        int value = escaped ? cli_escape(host.data + at, host.data + host.len)
                            : -1;

        octet[octets.len] = value < 0 ? host.data[at] : (unsigned char) value;
        at += value < 0 ? 1 : 3;
        end[octets.len++] = at;
    }
    *character = cli_next(octets, &used);
    return end[used - 1];
}


static void
host_divide(iri_str_t host, int escaped, host_text_t *text)
{
    iri_str_t rest = host;

    text->count = 0;
    text->from[0] = 0;
    while (rest.len > 0 && text->count < HOST_CHARACTERS) {
        size_t n = host_next(rest, escaped, &text->character[text->count]);

        rest.data += n;
        rest.len -= n;
        text->from[++text->count] = host.len - rest.len;
    }
}


/* ---- asking -------------------------------------------------------------- */

iri_status_t
host_ask(const iri_env_t *env, const host_conf_t *conf, iri_str_t host,
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


/* What is asked about a beginning of the host. */
typedef struct {
    const host_conf_t *conf;
    iri_host_why_t     why;
    iri_str_t          suffix; /* stands behind it, to make a host of it */
    size_t             first;  /* characters that are not in question */
} host_question_t;


static host_question_t
host_question(const host_conf_t *conf, iri_str_t host, iri_host_why_t why)
{
    /* Where one label goes to the left, the bidi rule is for all of them. */
    static const iri_str_t left = IRI_STR(".\xD7\x90");
    static const iri_str_t bracket = IRI_STR("]");
    /* What is left of a name may be ASCII, which is not looked at. */
    static const iri_str_t other = IRI_STR(".\xC3\xBC");
    host_question_t        question = { conf, why, { 0, NULL }, 0 };

    if (host_is_literal(conf, host)) {
        question.suffix = bracket;
        question.first = 1;
    } else if (why == IRI_HOST_BIDI) {
        question.suffix = left;
    } else if (conf->is_name
               && (why == IRI_HOST_CHARACTER || why == IRI_HOST_HYPHEN
                   || why == IRI_HOST_ALABEL))
    {
        question.suffix = other;
    }
    return question;
}


/* REFUSE and the reason, or another answer.  pool is cleared. */
static iri_verdict_t
host_ask_again(apr_pool_t *pool, const host_conf_t *conf, iri_str_t host,
               iri_host_why_t *why)
{
    iri_env_apr_t lent;
    iri_host_t    got;
    iri_status_t  status;

    iri_env_apr_init(&lent, pool, NULL, NULL);
    status = host_ask(&lent.env, conf, host, &got);
    apr_pool_clear(pool);
    if (status != IRI_OK) {
        return IRI_PASS;
    }
    *why = got.why;
    return got.verdict;
}


/*
 * How many characters come before that which is wrong; text->count: that is
 * not known.  buffer holds the host and has room for the suffix.
 */
static size_t
host_search(apr_pool_t *pool, const host_question_t *question,
            const host_text_t *text, unsigned char *buffer)
{
    size_t found = text->count, k;

    for (k = text->count; k > question->first; k--) {
        size_t         len = text->from[k];
        iri_str_t      part = { len + question->suffix.len, buffer };
        iri_host_why_t why;

        /* What the suffix takes the place of has been asked about. */
        if (question->suffix.len > 0) {
            memcpy(buffer + len, question->suffix.data, question->suffix.len);
        }
        if (host_ask_again(pool, question->conf, part, &why) != IRI_REFUSE) {
            return found;
        }
        /* Another reason is one of the cut: "-" at the end, say. */
        if (why == question->why) {
            found = k - 1;
        }
    }
    return found;
}


/* ---- saying -------------------------------------------------------------- */

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


static int
host_is_alphanumeric(int32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
           || (c >= 'A' && c <= 'Z');
}


/* A letter of an A-label is not what is wrong, but what the label shows. */
static int
host_is_encoded(const host_text_t *text, size_t start, size_t at)
{
    static const char prefix[] = "xn--";
    size_t            i;

    if (!host_is_alphanumeric(text->character[at])
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


/* Of these reasons the whole label is it. */
static int
host_is_of_label(iri_host_why_t why)
{
    return why == IRI_HOST_ALABEL || why == IRI_HOST_LIMIT
           || why == IRI_HOST_ADDRESS;
}


/* Of these there is a character to name. */
static int
host_is_of_character(iri_host_why_t why)
{
    return why == IRI_HOST_CHARACTER || why == IRI_HOST_MARK
           || why == IRI_HOST_BIDI || why == IRI_HOST_JOINER
           || why == IRI_HOST_IDNA2008 || why == IRI_HOST_WILDCARD;
}


static host_where_t
host_say(const host_text_t *text, size_t at, iri_host_why_t why)
{
    host_where_t where = { 0, -1 };
    size_t       start;

    if (at == text->count) {
        return where;
    }
    start = host_label_start(text, at);
    if (host_is_of_label(why) || host_is_encoded(text, start, at)) {
        where.offset = text->from[start];
        return where;
    }
    where.offset = text->from[at];
    if (host_is_of_character(why)) {
        where.character = text->character[at];
    }
    return where;
}


host_where_t
host_where(apr_pool_t *pool, const host_conf_t *conf, iri_str_t host,
           iri_host_why_t why)
{
    host_question_t question = host_question(conf, host, why);
    host_text_t    *text = apr_palloc(pool, sizeof(*text));
    host_where_t    where = { 0, -1 };
    unsigned char  *buffer;
    apr_pool_t     *own;
    size_t          len;

    if (text == NULL || apr_pool_create(&own, pool) != APR_SUCCESS) {
        return where;
    }
    host_divide(host, !conf->is_name, text);
    len = text->from[text->count];
    buffer = apr_palloc(pool, len + question.suffix.len);
    if (buffer != NULL && len > 0) {
        memcpy(buffer, host.data, len);
        where = host_say(text, host_search(own, &question, text, buffer),
                         why);
    }
    apr_pool_destroy(own);
    return where;
}
