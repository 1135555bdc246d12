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


void
cli_settings_create(void *data)
{
    cli_settings_t *conf = data;

    conf->fold_keys = cli_or_exit(iri_fold_keys_create(
        &iri_env_apr_create(conf->common.pool, NULL, NULL)->env));
    conf->tree.match = IRI_FOLD_NORMALIZATION;
    conf->tree.ambiguous = IRI_AMBIGUOUS_300;
    conf->cache_size = SETTINGS_CACHE_SIZE;
    conf->method = cli_str("GET");
}


const char *
cli_check_directory(apr_pool_t *pool, const char *path)
{
    struct stat st;
    int         absent = stat(path, &st) != 0;

    return !absent && S_ISDIR(st.st_mode)
               ? NULL
               : apr_psprintf(pool, "\"%s\" is not a directory%s%s",
                              cli_printable(pool, cli_str(path)),
                              absent ? ": " : "",
                              absent ? strerror(errno) : "");
}


/* Set the root: an absolute path without "/" at the end. */
const char *
cli_option_root(const cli_option_t *option, void *data, const char *value)
{
    cli_settings_t *conf = data;
    const char     *wrong = cli_check_directory(conf->common.pool, value);
    char           *path;

    (void) option;
    if (value[0] == '\0') {
        return "is empty; write \".\" for the current directory";
    }
    if (wrong != NULL) {
        return wrong;
    }
    if (apr_filepath_merge(&path, NULL, value, APR_FILEPATH_NATIVE,
                           conf->common.pool)
        != APR_SUCCESS)
    {
        return "is not a path";
    }
    conf->has_root = 1;
    conf->root = cli_str(path);
    while (conf->root.len > 0 && path[conf->root.len - 1] == '/') {
        conf->root.len--;
    }
    return NULL;
}


/* A token (RFC 9110, 9.1), in upper case like all methods that servers know. */
const char *
cli_option_method(const cli_option_t *option, void *conf, const char *value)
{
    (void) option;
    if (*value == '\0'
        || value[strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-")] != '\0')
    {
        return "must be a method in upper case; for example \"GET\"";
    }
    ((cli_settings_t *) conf)->method = cli_str(value);
    return NULL;
}


const char *
cli_option_charsets(const cli_option_t *option, void *conf, const char *value)
{
    const iri_str_t *words;
    size_t           count;
    const char *wrong = cli_option_list(option, conf, value, &words, &count);

    return wrong != NULL
               ? wrong
               : iri_parse_charsets(((cli_common_t *) conf)->registry, words,
                                    count, option->data != NULL,
                                    cli_member(option, conf));
}


const char *
cli_option_query(const cli_option_t *option, void *data, const char *value)
{
    cli_settings_t  *conf = data;
    const iri_str_t *words;
    size_t           count;
    const char *wrong = cli_option_list(option, data, value, &words, &count);

    conf->has_query = 1;
    return wrong != NULL ? wrong
                         : iri_parse_query(conf->common.registry, words,
                                           count, &conf->query);
}


const char *
cli_option_cache(const cli_option_t *option, void *conf, const char *value)
{
    const iri_str_t *words;
    size_t           count;
    const char *wrong = cli_option_list(option, conf, value, &words, &count);

    return wrong != NULL ? wrong
                         : iri_parse_cache(words, count,
                                           cli_member(option, conf), NULL);
}


const char *
cli_settings_ready(void *data)
{
    cli_settings_t *conf = data;

    if (conf->cache_size != 0) {
        conf->cache = iri_index_cache_apr_create(conf->common.pool,
                                                 conf->cache_size);
        if (conf->cache == NULL) {
            return "--cache is larger than the available memory";
        }
    }
    conf->reading.repair = conf->tree.repair;
    iri_tree_conf_finish(&conf->reading, &conf->tree);
    return NULL;
}
