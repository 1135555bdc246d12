/*
 * explain.c - `iri explain`: what the servers would make of a target
 *
 * Reads a request target, looks for it below a root, and tells each reading,
 * each look, the reason and the answer.  It does what an adapter does, and
 * in the same order: iri_read, iri_find, once more where it has MOVED,
 * iri_found_split, iri_location.
 */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "cli.h"

enum {
    EXPLAIN_ROOT = CLI_OPT_OWN,
    EXPLAIN_CHARSET,
    EXPLAIN_INVALID,
    EXPLAIN_FILENAME_CHARSET,
    EXPLAIN_FILENAME_FORM,
    EXPLAIN_MATCH,
    EXPLAIN_AMBIGUOUS,
    EXPLAIN_REPAIR,
    EXPLAIN_QUERY_CHARSET,
    EXPLAIN_CACHE,
    EXPLAIN_METHOD,
    EXPLAIN_ESCAPED
};

/* Octets, where --cache does not say it: many lines, one cache. */
#define EXPLAIN_CACHE_SIZE (16 * 1024 * 1024)

static const apr_getopt_option_t explain_options[] = {
    { "root", EXPLAIN_ROOT, 1,
      "the folder to look below (root, DocumentRoot)" },
    { "charset", EXPLAIN_CHARSET, 1, "iri_charset: charsets of requests" },
    { "invalid", EXPLAIN_INVALID, 1, "iri_invalid: 404, 400, pass" },
    { "filename-charset", EXPLAIN_FILENAME_CHARSET, 1,
      "iri_filename_charset: charsets of names on disk" },
    { "filename-form", EXPLAIN_FILENAME_FORM, 1,
      "iri_filename_form: any, nfc, nfd" },
    { "match", EXPLAIN_MATCH, 1, "iri_match: exact, or the words below" },
    { "ambiguous", EXPLAIN_AMBIGUOUS, 1, "iri_ambiguous: 404, 300" },
    { "repair", EXPLAIN_REPAIR, 1,
      "iri_repair: off, or the words below" },
    { "query-charset", EXPLAIN_QUERY_CHARSET, 1,
      "iri_query_charset: charsets of the query, and nfc" },
    { "cache", EXPLAIN_CACHE, 1, "iri_cache: off, or a size such as 64m" },
    { "method", EXPLAIN_METHOD, 1, "that of the request; GET if not said" },
    { "escaped", EXPLAIN_ESCAPED, 0,
      "read the path percent-encoded, as mod_iri does" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char explain_help[] =
    "Lists are written with commas or blanks between their words. TARGET is\n"
    "what stands in the request line, percent-encoded or in raw octets; a\n"
    "whole http or https URL will do. Without --root it is only read.\n"
    "What --match may forgive: normalization, variants, width, case (case:tr,\n"
    "case:az), accents (accents:de), spelling.\n"
    "What --repair puts right: double-encoding, mojibake, %u.\n\n"
    "JSON fields: form charset path uri match filename path_info answer why\n"
    "status location, with --query-charset query query_charset query_why, and\n"
    "of the answer \"choose\" the list choices, and more (true) where there\n"
    "are others. A string that is not UTF-8 has %HH\n"
    "for \"%\" and for each octet above 7F, and its field is named in the list\n"
    "\"escaped\".\n\n"
    "Examples:\n"
    "  iri explain --charset shift_jis --root /srv/www /%93%FA%96%7B.html\n"
    "  iri explain --filename-charset euc-jp --root /srv/old /日本語.html\n"
    "  iri explain --match case,accents --root /srv/www /CAFE/Menu.html\n";

typedef struct {
    apr_pool_t         *pool;
    iri_registry_t     *registry;
    iri_reading_conf_t  reading;
    iri_tree_conf_t     tree; /* ambiguous is 300: choices are always told */
    iri_ambiguous_t     ambiguous;
    iri_query_conf_t    query;
    int                 has_query; /* 1: --query-charset was said */
    iri_cache_t        *cache;     /* NULL: off */
    iri_str_t           method;
    iri_str_t           root;
    int                 has_root;
    int                 escaped;
    apr_array_header_t *charset_words;
    apr_array_header_t *filename_charset_words;
    apr_array_header_t *match_words;
    apr_array_header_t *repair_words;
    apr_array_header_t *query_words;
    apr_array_header_t *cache_words;
} explain_conf_t;

/* All that is known of one target. */
typedef struct {
    iri_env_apr_t lent;
    iri_env_t    *env;
    cli_target_t  target;
    iri_reading_t reading;
    iri_found_t   found;       /* answer PASS, all else 0, without a root */
    int           led_nowhere; /* a name that is only near, without an end */
    iri_answer_t  answer;
    iri_why_t     why;
    iri_str_t     path; /* canonical, of what was found */
    iri_str_t     uri;
    iri_str_t     filename; /* data NULL: there is none */
    iri_str_t     path_info;
    iri_str_t     location; /* empty: none */
    iri_query_t   query;    /* with --query-charset */
} explain_t;


/* ---- settings ------------------------------------------------------------ */

static void *
explain_create(apr_pool_t *pool)
{
    static const iri_str_t get = IRI_STR("GET");
    explain_conf_t        *conf = apr_pcalloc(pool, sizeof(*conf));

    if (conf == NULL) {
        return NULL;
    }
    conf->pool = pool;
    conf->registry = cli_open_registry(pool);
    if (conf->registry == NULL) {
        return NULL;
    }
    conf->reading.invalid = IRI_INVALID_404;
    conf->tree.names = IRI_NAMES_ANY;
    conf->tree.match = IRI_FORGIVE_NORMALIZATION;
    conf->tree.ambiguous = IRI_AMBIGUOUS_300;
    conf->ambiguous = IRI_AMBIGUOUS_404;
    conf->method = get;
    conf->charset_words = apr_array_make(pool, 8, sizeof(iri_str_t));
    conf->filename_charset_words = apr_array_make(pool, 8, sizeof(iri_str_t));
    conf->match_words = apr_array_make(pool, 8, sizeof(iri_str_t));
    conf->repair_words = apr_array_make(pool, 3, sizeof(iri_str_t));
    conf->query_words = apr_array_make(pool, 8, sizeof(iri_str_t));
    conf->cache_words = apr_array_make(pool, 1, sizeof(iri_str_t));
    return conf;
}


/* The folder's octets, absolute, without "/" at the end. */
static const char *
explain_root(explain_conf_t *conf, const char *value)
{
    const char *wrong = NULL;
    struct stat st;
    char       *path;

    if (value[0] == '\0') {
        return "is empty; \".\" is the folder that you are in";
    }
    if (apr_filepath_merge(&path, NULL, value, APR_FILEPATH_NATIVE,
                           conf->pool)
        != APR_SUCCESS)
    {
        wrong = "it is no path";
    } else if (stat(path, &st) != 0) {
        wrong = strerror(errno);
    } else if (!S_ISDIR(st.st_mode)) {
        wrong = "it is a file";
    }
    if (wrong != NULL) {
        return apr_psprintf(conf->pool, "\"%s\" is no folder: %s", value,
                            wrong);
    }
    conf->has_root = 1;
    conf->root.data = (unsigned char *) path;
    conf->root.len = strlen(path);
    while (conf->root.len > 0 && path[conf->root.len - 1] == '/') {
        conf->root.len--;
    }
    return NULL;
}


/* A token (RFC 9110, 9.1), in capitals as all that servers know are. */
static const char *
explain_method(explain_conf_t *conf, iri_str_t word)
{
    size_t i;

    for (i = 0; i < word.len; i++) {
        if ((word.data[i] < 'A' || word.data[i] > 'Z') && word.data[i] != '-')
        {
            break;
        }
    }
    if (word.len == 0 || i < word.len) {
        return "must be a method in capitals, \"GET\" say";
    }
    conf->method = word;
    return NULL;
}


static const char *
explain_option(void *data, int option, const char *value)
{
    explain_conf_t *conf = data;
    iri_str_t       word = { 0, (const unsigned char *) value };

    word.len = value ? strlen(value) : 0;
    switch (option) {
    case EXPLAIN_ROOT:
        return explain_root(conf, value);
    case EXPLAIN_CHARSET:
        return cli_add_words(conf->charset_words, value);
    case EXPLAIN_INVALID:
        return iri_parse_invalid(word, &conf->reading.invalid);
    case EXPLAIN_FILENAME_CHARSET:
        return cli_add_words(conf->filename_charset_words, value);
    case EXPLAIN_FILENAME_FORM:
        return iri_parse_names(word, &conf->tree.names);
    case EXPLAIN_MATCH:
        return cli_add_words(conf->match_words, value);
    case EXPLAIN_AMBIGUOUS:
        return iri_parse_ambiguous(word, &conf->ambiguous);
    case EXPLAIN_REPAIR:
        return cli_add_words(conf->repair_words, value);
    case EXPLAIN_QUERY_CHARSET:
        return cli_add_words(conf->query_words, value);
    case EXPLAIN_CACHE:
        return cli_add_words(conf->cache_words, value);
    case EXPLAIN_METHOD:
        return explain_method(conf, word);
    default:
        conf->escaped = 1;
        return NULL;
    }
}


static const char *
explain_charsets(explain_conf_t *conf, apr_array_header_t *words,
                 int none_allowed, iri_charsets_t *out)
{
    if (words->nelts == 0) {
        return NULL;
    }
    return iri_parse_charsets(conf->registry, (void *) words->elts,
                              (size_t) words->nelts, none_allowed, out);
}


/* NULL, or what is wrong, to follow --cache. */
static const char *
explain_open_cache(explain_conf_t *conf)
{
    size_t      size = EXPLAIN_CACHE_SIZE;
    const char *wrong = NULL;

    if (conf->cache_words->nelts > 0) {
        wrong = iri_parse_cache((void *) conf->cache_words->elts,
                                (size_t) conf->cache_words->nelts, &size,
                                NULL);
    }
    if (wrong != NULL || size == 0) {
        return wrong;
    }
    conf->cache = cli_open_cache(conf->pool, size);
    return conf->cache ? NULL : "is more than there is memory for";
}


/* Lists are parsed when they are whole, for they may come in parts. */
static const char *
explain_ready(void *data)
{
    explain_conf_t *conf = data;
    const char     *option = "--charset";
    const char     *wrong = explain_charsets(conf, conf->charset_words, 1,
                                             &conf->reading.charsets);

    if (wrong == NULL) {
        option = "--filename-charset";
        wrong = explain_charsets(conf, conf->filename_charset_words, 0,
                                 &conf->tree.charsets);
    }
    if (wrong == NULL && conf->match_words->nelts > 0) {
        option = "--match";
        wrong = iri_parse_match((void *) conf->match_words->elts,
                                (size_t) conf->match_words->nelts,
                                &conf->tree.match);
    }
    if (wrong == NULL && conf->repair_words->nelts > 0) {
        option = "--repair";
        wrong = iri_parse_repair((void *) conf->repair_words->elts,
                                 (size_t) conf->repair_words->nelts,
                                 &conf->tree.repair);
    }
    if (wrong == NULL && conf->query_words->nelts > 0) {
        option = "--query-charset";
        wrong = iri_parse_query(conf->registry,
                                (void *) conf->query_words->elts,
                                (size_t) conf->query_words->nelts,
                                &conf->query);
        conf->has_query = 1;
    }
    if (wrong == NULL) {
        option = "--cache";
        wrong = explain_open_cache(conf);
    }
    if (wrong != NULL) {
        return apr_psprintf(conf->pool, "%s %s", option, wrong);
    }
    conf->reading.repair = conf->tree.repair;
    iri_tree_conf_finish(&conf->reading, &conf->tree);
    return NULL;
}


/* ---- answering ----------------------------------------------------------- */

static void
explain_trace(void *arg, iri_log_level_t level, iri_str_t line)
{
    cli_call_t *call = arg;

    /* steps are told here, in characters, and the answer at the end */
    if (level == IRI_LOG_STEP) {
        return;
    }
    fputs("  ", call->trace);
    cli_print(call->trace, line);
    putc('\n', call->trace);
}


/* Octets that are not UTF-8 are escaped all, as in the fields of the answer. */
static void
explain_heading(cli_call_t *call, iri_stage_t step, iri_str_t octets)
{
    iri_str_t shown = { 0, NULL };
    int       escaped;

    if (call->trace == NULL) {
        return;
    }
    shown.data = (const unsigned char *) cli_text(call->pool, octets,
                                                  &shown.len, &escaped);
    fputs(iri_step_text(step), call->trace);
    cli_print(call->trace, shown.data != NULL ? shown : octets);
    putc('\n', call->trace);
}


static int
explain_is_directory(const cli_call_t *call, iri_str_t filename)
{
    struct stat st;

    return filename.data != NULL
           && stat(apr_pstrmemdup(call->pool, (const char *) filename.data,
                                  filename.len),
                   &st)
                  == 0
           && S_ISDIR(st.st_mode);
}


/* Its looks are those of iri_find again: nothing to tell. */
static iri_status_t
explain_split(explain_t *x, const iri_search_t *search,
              const iri_found_t *found)
{
    int          trace = x->lent.env.trace;
    iri_status_t status;

    x->lent.env.trace = 0;
    status = iri_found_split(x->env, search, found, &x->filename,
                             &x->path_info);
    x->lent.env.trace = trace;
    return status;
}


/* Is it there, or a file that takes the rest as PATH_INFO? */
static int
explain_is_there(const cli_call_t *call, const explain_t *x)
{
    return x->path_info.len == 0 || !explain_is_directory(call, x->filename);
}


/*
 * The servers start over under the path that was found, and the second answer
 * is theirs.  Where that leads to the end it is MOVED; else it may be absent
 * below a directory that was found, or one of several.
 */
static iri_status_t
explain_start_over(cli_call_t *call, explain_t *x, iri_search_t *search)
{
    iri_found_t  again;
    iri_status_t status;

    search->path = x->found.path;
    search->reading = NULL;
    explain_heading(call, IRI_STEP_OVER, search->path);
    status = iri_find(x->env, search, &again);
    if (status != IRI_OK) {
        return status;
    }
    if (again.answer == IRI_MOVED) {
        /* they start over once */
        again.answer = IRI_PASS;
        again.why = IRI_WHY_ABSENT;
        again.path = search->path;
    }
    if (again.answer == IRI_PASS) {
        status = explain_split(x, search, &again);
    }
    if (status != IRI_OK || again.answer == IRI_SERVE
        || (again.answer == IRI_PASS && explain_is_there(call, x)))
    {
        return status;
    }
    x->led_nowhere = x->found.match >= IRI_MATCH_WIDTH;
    again.charset = x->found.charset;
    again.repaired = x->found.repaired;
    x->found = again;
    return IRI_OK;
}


/* Looks for the path that was read; without a root there is nothing to do. */
static iri_status_t
explain_find(const explain_conf_t *conf, cli_call_t *call, explain_t *x)
{
    static const iri_str_t slash = IRI_STR("/");
    iri_search_t           search;
    iri_status_t           status;

    if (!conf->has_root) {
        return IRI_OK;
    }
    memset(&search, 0, sizeof(search));
    search.tree = &conf->tree;
    search.cache = conf->cache;
    search.write = iri_is_write(conf->method);
    search.root = conf->root;
    search.path = x->reading.path;
    search.reading = &x->reading;
    explain_heading(call, IRI_STEP_LOOKING,
                    conf->root.len > 0 ? conf->root : slash);
    status = iri_find(x->env, &search, &x->found);
    if (status == IRI_OK && x->found.answer == IRI_MOVED) {
        status = explain_start_over(call, x, &search);
    }
    if (status != IRI_OK) {
        return status;
    }
    x->answer = x->found.answer;
    x->why = x->found.why;
    x->path = x->found.path;
    if (x->answer == IRI_REFUSE || x->answer == IRI_CHOOSE) {
        return IRI_OK;
    }
    return explain_split(x, &search, &x->found);
}


/* Of other methods the content would be lost. */
static int
explain_is_redirected(iri_str_t method)
{
    return (method.len == 3 && memcmp(method.data, "GET", 3) == 0)
           || (method.len == 4 && memcmp(method.data, "HEAD", 4) == 0);
}


static int
explain_same(iri_str_t a, iri_str_t b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}


/*
 * Where iri_redirect sends the client.  A directory in one redirect, with the
 * "/" that it lacks; nobody to a name that is only near and has no end.
 */
static iri_status_t
explain_locate(const cli_call_t *call, explain_t *x)
{
    iri_str_t    path = x->path;
    iri_status_t status;

    if (x->led_nowhere) {
        return IRI_OK;
    }
    status = iri_location(x->env, &x->reading, path, x->target.has_query,
                          x->target.query, &x->location);
    if (status != IRI_OK || x->location.len == 0 || path.len == 0
        || path.data[path.len - 1] == '/' || x->path_info.len > 0
        || !explain_is_directory(call, x->filename))
    {
        return status;
    }
    path.data = (unsigned char *) apr_pstrcat(
        call->pool,
        apr_pstrmemdup(call->pool, (const char *) path.data, path.len), "/",
        NULL);
    path.len++;
    return iri_location(x->env, &x->reading, path, x->target.has_query,
                        x->target.query, &x->location);
}


static iri_status_t
explain_target(const explain_conf_t *conf, cli_call_t *call, explain_t *x)
{
    iri_status_t status;

    explain_heading(call, IRI_STEP_READING, x->target.request.path);
    status = iri_read(x->env, &conf->reading, &x->target.request,
                      &x->reading);
    if (status != IRI_OK) {
        return status;
    }
    x->answer = x->reading.answer;
    x->why = x->reading.why;
    x->path = x->reading.path;
    x->uri = x->reading.uri;
    if (x->answer == IRI_REFUSE) {
        return IRI_OK;
    }
    status = explain_find(conf, call, x);
    if (status == IRI_OK && !explain_same(x->path, x->reading.path)) {
        status = iri_path_to_uri(x->env, x->path, &x->uri);
    }
    if (status != IRI_OK || x->answer == IRI_REFUSE
        || x->answer == IRI_CHOOSE) {
        return status;
    }
    /* With iri_invalid pass there may be no canonical URI. */
    if (x->reading.form == IRI_FORM_INVALID
        || !explain_is_redirected(conf->method))
    {
        return IRI_OK;
    }
    return explain_locate(call, x);
}


static int
explain_set_optional(cli_call_t *call, const char *name, iri_str_t octets)
{
    return octets.data ? cli_set_octets(call, name, octets)
                       : cli_set_null(call, name);
}


/* HTTP status: 0 if the answer has none. */
static int
explain_status(const explain_conf_t *conf, const explain_t *x)
{
    if (x->answer == IRI_CHOOSE) {
        return conf->ambiguous == IRI_AMBIGUOUS_300 ? 300 : 404;
    }
    if (x->answer != IRI_REFUSE) {
        return 0;
    }
    /* A name that no entry can have is not found. */
    return x->reading.answer == IRI_REFUSE ? x->reading.status : 404;
}


/* What rules and upstreams see of the query; null where there is none. */
static int
explain_fill_query(const explain_conf_t *conf, cli_call_t *call,
                   const explain_t *x)
{
    if (!conf->has_query) {
        return 0;
    }
    if (!x->target.has_query) {
        return cli_set_null(call, "query");
    }
    return cli_set_octets(call, "query", x->query.query) != 0
                   || cli_set_octets(call, "query_charset", x->query.charset)
                          != 0
                   || cli_set_text(call, "query_why",
                                   iri_query_why_text(x->query.why))
                          != 0
               ? -1
               : 0;
}


static int
explain_fill(const explain_conf_t *conf, cli_call_t *call, explain_t *x)
{
    iri_str_t charset = x->found.charset.data ? x->found.charset
                                              : x->reading.charset;
    iri_form_t form = x->found.repaired != IRI_FORM_ASCII ? x->found.repaired
                                                          : x->reading.form;
    int       code = explain_status(conf, x);
    json_t   *status = code ? json_integer(code) : json_null();

    if (x->location.len == 0) {
        x->location.data = NULL;
    }
    if (x->path_info.data == NULL && x->filename.data != NULL) {
        x->path_info.data = (const unsigned char *) "";
    }
    if (json_object_set_new(call->object, "form",
                            json_string(iri_form_text(form)))
            != 0
        || cli_set_octets(call, "charset", charset) != 0
        || cli_set_octets(call, "path", x->path) != 0
        || cli_set_octets(call, "uri", x->uri) != 0
        || cli_set_text(call, "match", iri_match_text(x->found.match)) != 0
        || explain_set_optional(call, "filename", x->filename) != 0
        || explain_set_optional(call, "path_info", x->path_info) != 0
        || cli_set_text(call, "answer", iri_answer_text(x->answer)) != 0
        || cli_set_text(call, "why", iri_why_text(x->why)) != 0
        || json_object_set_new(call->object, "status", status) != 0
        || explain_set_optional(call, "location", x->location) != 0
        || explain_fill_query(conf, call, x) != 0)
    {
        return -1;
    }
    if (x->answer == IRI_CHOOSE && x->found.more
        && json_object_set_new(call->object, "more", json_true()) != 0)
    {
        return -1;
    }
    return x->answer == IRI_CHOOSE ? cli_set_list(
               call, "choices", x->found.choices, x->found.count)
                                   : 0;
}


/* "%uXXXX" in the path, as mod_iri takes it. */
static iri_status_t
explain_units(const iri_env_t *env, iri_str_t *target)
{
    iri_str_t            path = *target, units;
    const unsigned char *query = memchr(path.data, '?', path.len);
    iri_status_t         status;
    unsigned char       *joined;

    if (query != NULL) {
        path.len = (size_t) (query - path.data);
    }
    status = iri_repair_units(env, path, &units);
    if (status != IRI_OK || units.data == path.data) {
        return status;
    }
    joined = env->alloc(env->ctx, units.len + target->len - path.len);
    if (joined == NULL) {
        return IRI_NO_MEMORY;
    }
    memcpy(joined, units.data, units.len);
    memcpy(joined + units.len, path.data + path.len, target->len - path.len);
    target->len += units.len - path.len;
    target->data = joined;
    return IRI_OK;
}


static int
explain_answer(const void *data, cli_call_t *call)
{
    const explain_conf_t *conf = data;
    iri_str_t             target = call->operand[0];
    iri_status_t          status = IRI_OK;
    explain_t             x;

    memset(&x, 0, sizeof(x));
    iri_env_apr_init(&x.lent, call->pool, call->trace ? explain_trace : NULL,
                     call);
    x.lent.env.trace = call->trace != NULL;
    x.env = &x.lent.env;
    if (conf->tree.repair & IRI_REPAIR_U) {
        status = explain_units(x.env, &target);
    }
    if (status == IRI_OK) {
        call->error = cli_target_read(call->pool, target, conf->escaped,
                                      &x.target, &call->offset);
        if (call->error != NULL) {
            return -1;
        }
        status = explain_target(conf, call, &x);
    }
    if (status == IRI_OK && conf->has_query && x.target.has_query) {
        explain_heading(call, IRI_STEP_QUERY, x.target.query);
        status = iri_query_read(x.env, &conf->query, x.target.query,
                                &x.query);
    }
    if (status == IRI_OK && explain_fill(conf, call, &x) != 0) {
        status = IRI_NO_MEMORY;
    }
    if (status != IRI_OK) {
        call->error = iri_status_text(status);
        return -1;
    }
    return 0;
}


/* ---- telling a person ---------------------------------------------------- */

static void
explain_line(const char *name, const json_t *value)
{
    iri_str_t text;

    if (!json_is_string(value) || json_string_length(value) == 0) {
        return;
    }
    text.data = (const unsigned char *) json_string_value(value);
    text.len = json_string_length(value);
    printf("%-10s ", name);
    cli_print(stdout, text);
    putchar('\n');
}


static void
explain_show(const void *conf, cli_call_t *call)
{
    static const char *const names[] = { "form",     "charset", "path",
                                         "uri",      "match",   "filename",
                                         "path_info" };
    json_t                  *status = json_object_get(call->object, "status");
    json_t *choices = json_object_get(call->object, "choices");
    size_t  i;

    (void) conf;
    putchar('\n');
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        explain_line(names[i], json_object_get(call->object, names[i]));
    }
    printf("%-10s %s", "answer",
           json_string_value(json_object_get(call->object, "answer")));
    if (json_is_integer(status)) {
        printf(" with %d", (int) json_integer_value(status));
    }
    printf(": %s\n", json_string_value(json_object_get(call->object, "why")));
    explain_line("location", json_object_get(call->object, "location"));
    explain_line("query", json_object_get(call->object, "query"));
    explain_line("", json_object_get(call->object, "query_charset"));
    explain_line("", json_object_get(call->object, "query_why"));
    for (i = 0; i < json_array_size(choices); i++) {
        explain_line("choice", json_array_get(choices, i));
    }
    if (json_object_get(call->object, "more") != NULL) {
        puts("           and others");
    }
}


const cli_command_t cli_explain = {
    "explain",
    "TARGET",
    1,
    "tell what the servers would make of a request target, and why",
    explain_help,
    explain_options,
    explain_create,
    explain_option,
    explain_ready,
    explain_answer,
    explain_show
};
