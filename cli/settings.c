/*
 * settings.c - options that correspond to directives of the servers
 */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "cli.h"

/* The default of --cache, in octets; all lines of --batch share the cache. */
#define SETTINGS_CACHE_SIZE (16 * 1024 * 1024)


void *
cli_settings_create(apr_pool_t *pool)
{
    static const iri_str_t get = IRI_STR("GET");
    cli_settings_t        *conf = apr_pcalloc(pool, sizeof(*conf));
    int                    i;

    conf->pool = pool;
    conf->registry = cli_open_registry(pool);
    conf->fold_keys = cli_open_fold_keys(pool);
    conf->reading.invalid = IRI_INVALID_404;
    conf->tree.names = IRI_FILENAME_ANY;
    conf->tree.match = IRI_FOLD_NORMALIZATION;
    conf->tree.ambiguous = IRI_AMBIGUOUS_300;
    conf->ambiguous = IRI_AMBIGUOUS_404;
    conf->method = get;
    for (i = 0; i < CLI_SET_LISTS; i++) {
        conf->words[i] = apr_array_make(pool, 8, sizeof(iri_str_t));
    }
    return conf;
}


/* Set the root: an absolute path without "/" at the end. */
static const char *
settings_root(cli_settings_t *conf, const char *value)
{
    const char *wrong = NULL;
    struct stat st;
    char       *path;

    if (value[0] == '\0') {
        return "is empty; write \".\" for the current directory";
    }
    if (apr_filepath_merge(&path, NULL, value, APR_FILEPATH_NATIVE,
                           conf->pool)
        != APR_SUCCESS)
    {
        wrong = "it is not a path";
    } else if (stat(path, &st) != 0) {
        wrong = strerror(errno);
    } else if (!S_ISDIR(st.st_mode)) {
        wrong = "it is a file";
    }
    if (wrong != NULL) {
        return apr_psprintf(conf->pool, "\"%s\" is not a directory: %s",
                            value, wrong);
    }
    conf->has_root = 1;
    conf->root.data = (unsigned char *) path;
    conf->root.len = strlen(path);
    while (conf->root.len > 0 && path[conf->root.len - 1] == '/') {
        conf->root.len--;
    }
    return NULL;
}


/* A token (RFC 9110, 9.1), in upper case like all methods that servers know. */
static const char *
settings_method(cli_settings_t *conf, iri_str_t word)
{
    size_t i;

    for (i = 0; i < word.len; i++) {
        if ((word.data[i] < 'A' || word.data[i] > 'Z') && word.data[i] != '-')
        {
            break;
        }
    }
    if (word.len == 0 || i < word.len) {
        return "must be a method in upper case; for example \"GET\"";
    }
    conf->method = word;
    return NULL;
}


const char *
cli_settings_option(void *data, int option, const char *value)
{
    cli_settings_t *conf = data;
    iri_str_t       word = cli_str(value ? value : "");
    unsigned        number = 0;
    const char     *wrong;

    if (option < CLI_SET_LIST + CLI_SET_LISTS) {
        return cli_add_words(conf->words[option - CLI_SET_LIST], value);
    }
    switch (option) {
    case CLI_SET_ROOT:
        return settings_root(conf, value);
    case CLI_SET_INVALID:
        wrong = iri_parse_word(&iri_invalid_words, word, &number);
        conf->reading.invalid = (iri_invalid_t) number;
        return wrong;
    case CLI_SET_FILENAME_FORM:
        wrong = iri_parse_word(&iri_filename_form_words, word, &number);
        conf->tree.names = (iri_filename_form_t) number;
        return wrong;
    case CLI_SET_AMBIGUOUS:
        wrong = iri_parse_word(&iri_ambiguous_words, word, &number);
        conf->ambiguous = (iri_ambiguous_t) number;
        return wrong;
    case CLI_SET_METHOD:
        return settings_method(conf, word);
    default:
        conf->escaped = 1;
        return NULL;
    }
}


/* The words of an option, and their number. */
static const iri_str_t *
settings_words(const cli_settings_t *conf, int option, size_t *count)
{
    const apr_array_header_t *words = conf->words[option - CLI_SET_LIST];

    *count = (size_t) words->nelts;
    return (const iri_str_t *) (const void *) words->elts;
}


/* Parse the words of a list; without words *out stays as it is. */
static const char *
settings_charsets(cli_settings_t *conf, int option, int none_allowed,
                  iri_charsets_t *out)
{
    size_t           count;
    const iri_str_t *words = settings_words(conf, option, &count);

    return count == 0 ? NULL
                      : iri_parse_charsets(conf->registry, words, count,
                                           none_allowed, out);
}


static const char *
settings_flags(const cli_settings_t *conf, int option,
               const iri_words_t *known, unsigned *out)
{
    size_t           count, unknown;
    const iri_str_t *words = settings_words(conf, option, &count);

    return count == 0 ? NULL
                      : iri_parse_words(known, words, count, out, &unknown);
}


/* Open the cache.  Returns: NULL, or the error, to print behind --cache. */
static const char *
settings_open_cache(cli_settings_t *conf)
{
    size_t           count, size = SETTINGS_CACHE_SIZE;
    const iri_str_t *words = settings_words(conf, CLI_SET_CACHE, &count);
    const char      *wrong = NULL;

    if (count > 0) {
        wrong = iri_parse_cache(words, count, &size, NULL);
    }
    if (wrong != NULL || size == 0) {
        return wrong;
    }
    conf->cache = iri_index_cache_apr_create(conf->pool, size);
    return conf->cache ? NULL : "is larger than the available memory";
}


/* Parse the lists, which may be given by several options. */
const char *
cli_settings_ready(void *data)
{
    cli_settings_t  *conf = data;
    const char      *option = "--charset";
    const char      *wrong = settings_charsets(conf, CLI_SET_CHARSET, 1,
                                               &conf->reading.charsets);
    const iri_str_t *words;
    size_t           count;

    if (wrong == NULL) {
        option = "--filename-charset";
        wrong = settings_charsets(conf, CLI_SET_FILENAME_CHARSET, 0,
                                  &conf->tree.charsets);
    }
    if (wrong == NULL) {
        option = "--match";
        wrong = settings_flags(conf, CLI_SET_MATCH, &iri_match_words,
                               &conf->tree.match);
    }
    if (wrong == NULL) {
        option = "--repair";
        wrong = settings_flags(conf, CLI_SET_REPAIR, &iri_repair_words,
                               &conf->tree.repair);
    }
    words = settings_words(conf, CLI_SET_QUERY_CHARSET, &count);
    if (wrong == NULL && count > 0) {
        option = "--query-charset";
        wrong = iri_parse_query(conf->registry, words, count, &conf->query);
        conf->has_query = 1;
    }
    if (wrong == NULL) {
        option = "--cache";
        wrong = settings_open_cache(conf);
    }
    if (wrong != NULL) {
        return apr_psprintf(conf->pool, "%s %s", option, wrong);
    }
    conf->reading.repair = conf->tree.repair;
    iri_tree_conf_finish(&conf->reading, &conf->tree);
    return NULL;
}
