/*
 * host.c - `iri host`: the canonical name of a host, in ASCII or Unicode
 *
 * Reads a host as the servers do, and decodes escapes.  Unlike the servers it
 * also maps a host in ASCII, to check whether it is a valid name.  With --name
 * it reads a name of a configuration; a name in ASCII is then not changed,
 * since the servers compare with it as it is written.
 */

#include <string.h>

#include <apr_strings.h>

#include "base/iri_string.h"

#include "cli.h"

typedef struct {
    cli_common_t    common;
    iri_host_conf_t host;
    int             is_name;    /* 1: a name of a configuration (--name) */
    int             to_unicode; /* 1: the answer is in Unicode, else ASCII */
} host_conf_t;

/* The cause of a refusal in a host. */
typedef struct {
    size_t  offset;    /* octets of the host before the cause; 0 if it is not
                            known */
    int32_t character; /* the cause; negative: not a single character */
} host_location_t;

static const char *const host_forms[] = { "ascii", "unicode", NULL };
static const char *const host_mappings[] = { "uts46", "compatible", NULL };

static const cli_option_t host_options[] = {
    { "name", "HOST is a server_name, ServerName or ServerAlias", NULL,
      offsetof(host_conf_t, is_name), NULL },
    { "to", "ascii (A-labels; default), unicode (U-labels)", cli_option_word,
      offsetof(host_conf_t, to_unicode), host_forms },
    { "strict", "iri_host strict: check IDNA2008, too", NULL,
      offsetof(host_conf_t, host.strict), NULL },
    { "mapping", "uts46 (default), compatible (the older draft)",
      cli_option_word, offsetof(host_conf_t, host.mapping), host_mappings },
    CLI_OPTIONS_FOR_ALL
};

static const char host_help[] =
    "HOST is the part between userinfo and port, in UTF-8, percent-encoded or\n"
    "both. An IP literal (\"[::1]\") is not changed. With --name it is a name\n"
    "of a configuration: \"%\" is not an escape; \"*\" and \"?\", a dot at either\n"
    "end, and a name in ASCII are not changed. With --mapping compatible names\n"
    "must conform to IDNA2008 even without --strict. Write -- before a HOST\n"
    "that begins with \"-\".\n\n"
    "JSON field: value. On failure: error, offset and, if a single character\n"
    "is the cause, character, for example \"U+002F\".\n\n"
    "Examples:\n"
    "  iri host B%C3%BCcher.example\n"
    "  iri host --to unicode xn--bcher-kva.example\n"
    "  iri host --name '*.b\xC3\xBC"
    "cher.example'\n";


static void
host_create(void *data)
{
    ((host_conf_t *) data)->host.idna = cli_or_exit(iri_idna_create());
}


/* ---- the cause of a refusal ---------------------------------------------- */

/*
 * The core reports why a host is refused, but not where.  So the core is called
 * again for the host without its last character, without its last two, and so
 * on, until a prefix is accepted: the next character is the cause.  The search
 * goes from the end, since a short prefix of a valid host may be refused for
 * lack of context ("l", a middle dot, "l"; a consonant, a joiner, a vowel).
 */

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

/*
 * Read a host as conf specifies.  Verdict PASS: an IP literal, or with --name a
 * name in ASCII.
 */
static iri_status_t
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
    static const iri_str_t rtl_label = IRI_STR(".\xD7\x90");
    static const iri_str_t bracket = IRI_STR("]");
    /* A prefix in ASCII would not be checked, so a label is appended. */
    static const iri_str_t idn_label = IRI_STR(".\xC3\xBC");
    host_probe_t           probe = { conf, why, { 0, NULL }, 0 };

    if (host_is_literal(conf, host)) {
        probe.suffix = bracket;
        probe.first = 1;
    } else if (why == IRI_HOST_BIDI) {
        probe.suffix = rtl_label;
    } else if (conf->is_name
               && (why == IRI_HOST_CHARACTER || why == IRI_HOST_HYPHEN
                   || why == IRI_HOST_ALABEL))
    {
        probe.suffix = idn_label;
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


/* Of the bits 1u << reason: reasons that concern a label as a whole, and those
   that concern a single character. */
#define HOST_WHY_LABEL                                                       \
    (1u << IRI_HOST_ALABEL | 1u << IRI_HOST_LIMIT | 1u << IRI_HOST_ADDRESS)
#define HOST_WHY_CHARACTER                                                   \
    (1u << IRI_HOST_CHARACTER | 1u << IRI_HOST_MARK | 1u << IRI_HOST_BIDI    \
     | 1u << IRI_HOST_JOINER | 1u << IRI_HOST_IDNA2008                       \
     | 1u << IRI_HOST_WILDCARD)


static host_location_t
host_position(const host_text_t *text, size_t at, iri_host_why_t why)
{
    host_location_t where = { 0, -1 };
    size_t          start;

    if (at == text->count) {
        return where;
    }
    start = host_label_start(text, at);
    if ((1u << why & HOST_WHY_LABEL) != 0 || host_is_encoded(text, start, at))
    {
        where.offset = text->from[start];
        return where;
    }
    where.offset = text->from[at];
    if (1u << why & HOST_WHY_CHARACTER) {
        where.character = text->character[at];
    }
    return where;
}


/* Locate the cause in a host that was refused for a reason. */
static host_location_t
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


/* ---- answering ----------------------------------------------------------- */

/* A hint for frequent mistakes; "": none. */
static const char *
host_hint(const host_conf_t *conf, int32_t character)
{
    if (character > 0 && character < 0x80 && strchr(":/@#", character)) {
        return "; give only the host, without scheme, user, port and path";
    }
    if (!conf->is_name && (character == '*' || character == '?')) {
        return "; wildcards need --name";
    }
    if (conf->is_name && character == '%') {
        return "; escapes are not decoded with --name";
    }
    if (conf->is_name && character == '~') {
        return "; patterns are not converted";
    }
    return "";
}


/* Set the error of a host that was refused. */
static int
host_reject(const host_conf_t *conf, cli_call_t *call, iri_host_why_t why)
{
    host_location_t where = host_locate(call->pool, conf, call->operand[0],
                                        why);
    const char     *which = NULL;

    if (where.character >= 0) {
        call->character = cli_code(call->pool, where.character);
        which = cli_character(call->pool, where.character);
    }
    return cli_reject(call, 0,
                      apr_pstrcat(call->pool, iri_host_why_text(why),
                                  which ? ": " : "", which ? which : "",
                                  host_hint(conf, where.character), NULL),
                      where.offset);
}


/* Convert each label by itself, since a name with a wildcard may contain
   A-labels. */
static iri_status_t
host_display_labels(const iri_env_t *env, const host_conf_t *conf,
                    iri_str_t *name)
{
    iri_buf_t    out = IRI_BUF_EMPTY;
    iri_str_t    label;
    iri_status_t status = IRI_OK;
    size_t       from, end;

    for (from = 0; status == IRI_OK && from <= name->len; from = end + 1) {
        end = iri_label_end(*name, from);
        label = (iri_str_t){ end - from, name->data + from };
        status = iri_host_display(env, &conf->host, label, &label);
        if (status == IRI_OK) {
            status = iri_buf_put(env, &out, label.data, label.len);
        }
        if (status == IRI_OK && end < name->len) {
            status = iri_buf_putc(env, &out, '.');
        }
    }
    *name = iri_buf_str(&out);
    return status;
}


static int
host_answer(const void *data, cli_call_t *call)
{
    const host_conf_t *conf = data;
    iri_host_t         host;
    iri_str_t          value;
    iri_status_t       status;

    status = host_read(&call->apr.env, conf, call->operand[0], &host);
    if (status == IRI_OK && host.verdict == IRI_REFUSE) {
        return host_reject(conf, call, host.why);
    }
    value = conf->to_unicode ? host.unicode : host.ascii;
    if (status == IRI_OK && conf->to_unicode && conf->is_name) {
        status = host_display_labels(&call->apr.env, conf, &value);
    }
    return cli_set_value(call, status, value);
}


const cli_command_t cli_host = {
    .name = "host",
    .operands = "HOST",
    .count = 1,
    .about = "show the canonical name of a host, in ASCII or Unicode",
    .help = host_help,
    .options = host_options,
    .size = sizeof(host_conf_t),
    .create = host_create,
    .answer = host_answer,
};
