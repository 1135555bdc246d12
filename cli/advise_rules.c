/*
 * advise_rules.c - rules of a server's configuration that would no longer match
 *
 * With the module rules are compared with the canonical path.  A rule in a
 * legacy charset, in NFD or percent-encoded matches now, and would match
 * nothing.  The servers have many kinds of rules, so each line with such text is
 * reported, except comments.
 */

#include <glob.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include "advise.h"

#define RULES_MAX_FILES 1000
#define RULES_MAX_DEPTH 16                 /* files that include each other */
#define RULES_MAX_FILE  (16 * 1024 * 1024) /* octets */

typedef struct {
    apr_pool_t      *pool;
    const char      *base; /* directory of the first file, or ServerRoot */
    advise_config_t *config;
    size_t           files;
    size_t           depth;
    size_t           lines;
    size_t           of_nginx; /* lines that end with ";", "{" or "}" */
    const char      *wrong;    /* NULL: no error */
} rules_t;

static void rules_read(rules_t *rules, const char *name);


/* ---- the text of a line -------------------------------------------------- */

/* Why a rule with this text would match no canonical path; NULL: it may. */
static const char *
rules_why(rules_t *rules, iri_str_t text)
{
    iri_env_apr_t   env;
    iri_converted_t nfc;

    if (memchr(text.data, '\0', text.len) != NULL || !cli_is_utf8(text)) {
        return "is not UTF-8";
    }
    if (cli_has_high_escape(text)) {
        return "is percent-encoded";
    }
    if (iri_str_is_ascii(text)) {
        return NULL;
    }
    iri_env_apr_init(&env, rules->pool, NULL, NULL);
    return iri_unicode_form(&env.env, IRI_FORM_NFC, text, &nfc) != IRI_OK
                   || nfc.why != NULL || !iri_str_equal(nfc.value, text)
               ? "is not in NFC"
               : NULL;
}


/* The next word of a line, without quotes.  Returns: 0 at its end; 2 if the word
   begins a directive of nginx. */
static int
rules_word(rules_t *rules, const char **p, const char *end, const char **word)
{
    static const char between[] = " \t\r;{}<>\"'";
    const char       *start;
    int               begins = 0;

    for (; *p < end && strchr(between, **p) != NULL; (*p)++) {
        begins |= **p == ';' || **p == '{' || **p == '}';
    }
    start = *p;
    while (*p < end && strchr(between, **p) == NULL) {
        (*p)++;
    }
    *word = apr_pstrmemdup(rules->pool, start, (apr_size_t) (*p - start));
    return *p > start ? 1 + begins : 0;
}


static void
rules_include(rules_t *rules, const char *pattern, int optional)
{
    const char *path = pattern;
    apr_finfo_t info;
    glob_t      found;
    size_t      i;

    if (path[0] != '/') {
        path = apr_pstrcat(rules->pool, rules->base, path, NULL);
    }
    /* httpd reads all files of a directory. */
    if (apr_stat(&info, path, APR_FINFO_TYPE, rules->pool) == APR_SUCCESS
        && info.filetype == APR_DIR)
    {
        path = apr_pstrcat(rules->pool, path, "/*", NULL);
    }
    if (glob(path, 0, NULL, &found) != 0) {
        if (!optional && strpbrk(path, "*?[") == NULL) {
            rules->wrong = apr_psprintf(
                rules->pool, "cannot find the included file \"%s\"", path);
        }
        return;
    }
    for (i = 0; rules->wrong == NULL && i < found.gl_pathc; i++) {
        rules_read(rules, apr_pstrdup(rules->pool, found.gl_pathv[i]));
    }
    globfree(&found);
}


static void
rules_host(rules_t *rules, const char *word)
{
    iri_str_t name = { strlen(word), (const unsigned char *) word };

    if (rules->config->host == NULL
        && (!iri_str_is_ascii(name) || strstr(word, "xn--") != NULL))
    {
        rules->config->host = word;
    }
}


/* What else is used of a line: included files, the root, names of servers. */
static void
rules_use(rules_t *rules, const char *p, const char *end)
{
    const char *word, *value;
    int         host = 0, read;

    while (rules->wrong == NULL && (read = rules_word(rules, &p, end, &word)))
    {
        host = host && read == 1;
        if (host) {
            rules_host(rules, word);
        } else if (strcasecmp(word, "include") == 0
                   || strcasecmp(word, "includeoptional") == 0)
        {
            if (rules_word(rules, &p, end, &value)) {
                rules_include(rules, value, word[7] != '\0');
            }
        } else if (strcmp(word, "root") == 0
                   || strcasecmp(word, "DocumentRoot") == 0) {
            if (rules_word(rules, &p, end, &value)
                && rules->config->root == NULL) {
                rules->config->root = value;
            }
        } else if (strcasecmp(word, "ServerRoot") == 0) {
            if (rules_word(rules, &p, end, &value)) {
                rules->base = apr_pstrcat(rules->pool, value, "/", NULL);
            }
        } else if (strcmp(word, "location") == 0) {
            rules->config->locations = 1;
        } else {
            host = strcmp(word, "server_name") == 0
                   || strcasecmp(word, "ServerName") == 0
                   || strcasecmp(word, "ServerAlias") == 0;
        }
    }
}


static void
rules_line(rules_t *rules, const char *name, size_t number, const char *p,
           const char *end)
{
    iri_str_t   text;
    const char *why;

    while (p < end && strchr(" \t\r", *p) != NULL && *p != '\0') {
        p++;
    }
    while (p < end && strchr(" \t\r", end[-1]) != NULL && end[-1] != '\0') {
        end--;
    }
    if (p == end || *p == '#') {
        return;
    }
    rules->lines++;
    rules->of_nginx += end[-1] == ';' || end[-1] == '{' || end[-1] == '}';
    text.data = (const unsigned char *) p;
    text.len = (size_t) (end - p);
    why = rules_why(rules, text);
    if (why != NULL) {
        text.len = text.len < 100 ? text.len : 100;
        APR_ARRAY_PUSH(rules->config->rules, const char *) = apr_psprintf(
            rules->pool, "%s:%" APR_SIZE_T_FMT ": \"%s\" %s", name, number,
            cli_printable(rules->pool, text), why);
    }
    rules_use(rules, p, end);
}


/* ---- files --------------------------------------------------------------- */

static const char *
rules_load(rules_t *rules, const char *name, apr_size_t *len)
{
    apr_file_t  *file;
    apr_finfo_t  info;
    apr_status_t rv;
    const char  *wrong = NULL;
    char        *text = NULL, why[128];

    rv = apr_file_open(&file, name, APR_READ, APR_OS_DEFAULT, rules->pool);
    if (rv == APR_SUCCESS) {
        rv = apr_file_info_get(&info, APR_FINFO_SIZE | APR_FINFO_TYPE, file);
        if (rv == APR_SUCCESS && info.filetype == APR_DIR) {
            wrong = "it is a directory; give the main file of the "
                    "configuration";
        } else if (rv == APR_SUCCESS && info.size > RULES_MAX_FILE) {
            wrong = "it is larger than 16 MiB";
        } else if (rv == APR_SUCCESS) {
            *len = (apr_size_t) info.size;
            text = apr_pcalloc(rules->pool, *len + 1);
            rv = *len != 0 ? apr_file_read_full(file, text, *len, len) : rv;
        }
        apr_file_close(file);
    }
    if (rv != APR_SUCCESS) {
        wrong = apr_strerror(rv, why, sizeof(why));
    }
    if (wrong != NULL) {
        rules->wrong = apr_psprintf(rules->pool, "cannot read \"%s\": %s",
                                    name, wrong);
        return NULL;
    }
    return text;
}


static void
rules_read(rules_t *rules, const char *name)
{
    apr_size_t  len = 0;
    const char *p, *line, *end;
    size_t      number = 1;

    if (rules->depth == RULES_MAX_DEPTH) {
        rules->wrong = apr_psprintf(
            rules->pool,
            "\"%s\" is included by itself, or at more than %d levels", name,
            RULES_MAX_DEPTH);
        return;
    }
    if (rules->files == RULES_MAX_FILES) {
        rules->wrong = apr_psprintf(
            rules->pool, "the configuration includes more than %d files",
            RULES_MAX_FILES);
        return;
    }
    p = rules_load(rules, name, &len);
    if (p == NULL) {
        return;
    }
    rules->files++;
    rules->depth++;
    for (end = p + len; rules->wrong == NULL && p < end; p = line + 1) {
        line = memchr(p, '\n', (size_t) (end - p));
        line = line != NULL ? line : end;
        rules_line(rules, cli_printable(rules->pool, cli_str(name)), number++,
                   p, line);
    }
    rules->depth--;
}


const char *
advise_config_read(apr_pool_t *pool, const char *file,
                   advise_config_t *config)
{
    rules_t     rules;
    const char *slash = strrchr(file, '/');

    memset(&rules, 0, sizeof(rules));
    rules.pool = pool;
    rules.config = config;
    rules.base = slash == NULL
                     ? ""
                     : apr_pstrmemdup(pool, file,
                                      (apr_size_t) (slash + 1 - file));
    rules_read(&rules, file);
    if (config->server == 0) {
        config->server = rules.of_nginx * 2 > rules.lines ? 'n' : 'h';
    }
    return rules.wrong;
}
