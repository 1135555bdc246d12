/*
 * options.c - the settings of commands, and setters for their options
 */

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <apr_strings.h>

#include "cli.h"


void *
cli_or_exit(void *object)
{
    if (object == NULL) {
        fputs("iri: out of memory, or the data of ICU are missing\n", stderr);
        exit(CLI_FAILED);
    }
    return object;
}


void *
cli_conf_create(const cli_command_t *command, apr_pool_t *pool)
{
    cli_common_t *conf = apr_pcalloc(pool, command->size);

    conf->pool = pool;
    conf->registry = cli_or_exit(
        iri_registry_create(&iri_env_apr_create(pool, NULL, NULL)->env));
    conf->words = apr_hash_make(pool);
    if (command->create != NULL) {
        command->create(conf);
    }
    return conf;
}


void *
cli_member(const cli_option_t *option, void *conf)
{
    return (char *) conf + option->offset;
}


const char *
cli_option_set(const cli_option_t *option, void *conf, const char *value)
{
    if (option->set != NULL) {
        return option->set(option, conf, value);
    }
    *(int *) cli_member(option, conf) = 1;
    return NULL;
}


const char *
cli_option_word(const cli_option_t *option, void *conf, const char *value)
{
    const char *const *words = option->data;
    const char        *error = "must be";
    int                i;

    for (i = 0; words[i] != NULL; i++) {
        if (strcasecmp(words[i], value) == 0) {
            *(int *) cli_member(option, conf) = i;
            return NULL;
        }
        error = apr_pstrcat(((cli_common_t *) conf)->pool, error,
                            i == 0                 ? " \""
                            : words[i + 1] == NULL ? " or \""
                                                   : ", \"",
                            words[i], "\"", NULL);
    }
    return error;
}


const char *
cli_option_directive(const cli_option_t *option, void *conf,
                     const char *value)
{
    return iri_parse_word(option->data, cli_str(value),
                          cli_member(option, conf));
}


const char *
cli_option_number(const cli_option_t *option, void *conf, const char *value)
{
    const cli_range_t *range = option->data;
    char              *end;
    long               number = strtol(value, &end, 10);

    if (*end != '\0' || end == value || number < range->least
        || number > range->most)
    {
        return range->error;
    }
    *(int *) cli_member(option, conf) = (int) number;
    return NULL;
}


const char *
cli_option_string(const cli_option_t *option, void *conf, const char *value)
{
    *(const char **) cli_member(option, conf) = value;
    return NULL;
}


const char *
cli_option_charset(const cli_option_t *option, void *conf, const char *value)
{
    return iri_parse_charset(((cli_common_t *) conf)->registry,
                             cli_str(value), cli_member(option, conf));
}


const char *
cli_option_list(const cli_option_t *option, void *conf, const char *value,
                const iri_str_t **words, size_t *count)
{
    static const char   blanks[] = " \t\n,";
    cli_common_t       *common = conf;
    apr_array_header_t *list = apr_hash_get(common->words, option->name,
                                            APR_HASH_KEY_STRING);
    size_t              len;

    if (list == NULL) {
        list = apr_array_make(common->pool, 8, sizeof(iri_str_t));
        apr_hash_set(common->words, option->name, APR_HASH_KEY_STRING, list);
    }
    value += strspn(value, blanks);
    if (*value == '\0') {
        return "needs at least one word";
    }
    for (; *value != '\0'; value += strspn(value, blanks)) {
        len = strcspn(value, blanks);
        APR_ARRAY_PUSH(list, iri_str_t) = (iri_str_t){
            len, (const unsigned char *) value
        };
        value += len;
    }
    *words = (const iri_str_t *) (void *) list->elts;
    *count = (size_t) list->nelts;
    return NULL;
}


const char *
cli_option_flags(const cli_option_t *option, void *conf, const char *value)
{
    const iri_str_t *words;
    size_t           count, unknown;
    const char *wrong = cli_option_list(option, conf, value, &words, &count);

    return wrong != NULL
               ? wrong
               : iri_parse_words(option->data, words, count,
                                 cli_member(option, conf), &unknown);
}
