/*
 * advise_rules.c - rules of a server's configuration that would stop denying
 *
 * With the module rules see the canonical path.  A rule that is written in
 * another form (in a legacy charset, in NFD, percent-encoded) denies today, and
 * would deny nothing.  The core knows which text no canonical path matches
 * (iri_config_check); this file only finds the rules: locations of nginx and
 * sections of httpd with a directive that denies or restricts access.
 */

#include <errno.h>
#include <glob.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include "advise.h"

#define RULES_MAX_DEPTH 32                 /* blocks, and included files */
#define RULES_MAX_FILE  (16 * 1024 * 1024) /* octets */
#define RULES_MAX_WORDS 16 /* of a directive that are stored */

/* A block of nginx or a section of httpd. */
typedef struct {
    iri_directive_t rule;   /* name.len 0: not a rule for paths */
    int             denies; /* 1: it has a directive that restricts access */
} rules_block_t;

typedef struct {
    apr_pool_t         *pool;
    const char         *base; /* directory of the first file: "/etc/nginx/" */
    int                 httpd;
    apr_array_header_t *list; /* iri_directive_t */
    advise_config_t    *config;
    rules_block_t       block[RULES_MAX_DEPTH];
    size_t              depth;
    size_t              files; /* that are being read */
    const char         *wrong; /* NULL: no error */
} rules_t;

/* One file. */
typedef struct {
    const char *name;
    const char *p, *end;
    size_t      line;
    /* The words of the current directive. */
    iri_str_t word[RULES_MAX_WORDS];
    size_t    words;
    size_t    at; /* its line */
} rules_file_t;

static void rules_read(rules_t *rules, const char *name);


/* ---- words --------------------------------------------------------------- */

static int
rules_is(iri_str_t word, const char *text)
{
    return word.len == strlen(text)
           && strncasecmp((const char *) word.data, text, word.len) == 0;
}


static int
rules_is_one_of(iri_str_t word, const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        if (rules_is(word, *texts)) {
            return 1;
        }
    }
    return 0;
}


static void
rules_skip_space(rules_file_t *file, const char *blanks)
{
    while (file->p < file->end && strchr(blanks, *file->p) != NULL
           && *file->p != '\0')
    {
        file->line += *file->p == '\n';
        file->p++;
    }
}


/* Read a word in quotes, without its backslashes before a quote. */
static iri_str_t
rules_quoted(rules_t *rules, rules_file_t *file)
{
    char      quote = *file->p++, *to;
    iri_str_t word;

    to = apr_palloc(rules->pool, (apr_size_t) (file->end - file->p) + 1);
    word.data = (unsigned char *) to;
    for (; file->p < file->end && *file->p != quote; file->p++) {
        if (*file->p == '\\' && file->p + 1 < file->end
            && (file->p[1] == quote || file->p[1] == '\\'))
        {
            file->p++;
        }
        file->line += *file->p == '\n';
        *to++ = *file->p;
    }
    file->p += file->p < file->end;
    word.len = (size_t) (to - (const char *) word.data);
    return word;
}


/* Read a word that ends before one of the octets. */
static iri_str_t
rules_word(rules_t *rules, rules_file_t *file, const char *ends)
{
    iri_str_t word;

    if (*file->p == '"' || *file->p == '\'') {
        return rules_quoted(rules, file);
    }
    word.data = (const unsigned char *) file->p;
    while (file->p < file->end
           && (*file->p == '\0' || strchr(ends, *file->p) == NULL))
    {
        file->p += *file->p == '\\' && file->p + 1 < file->end;
        file->p++;
    }
    word.len = (size_t) ((const unsigned char *) file->p - word.data);
    return word;
}


static void
rules_add_word(rules_file_t *file, iri_str_t word)
{
    if (file->words == 0) {
        file->at = file->line;
    }
    if (file->words < RULES_MAX_WORDS) {
        file->word[file->words++] = word;
    }
}


/* ---- blocks -------------------------------------------------------------- */

static void
rules_open(rules_t *rules, const rules_file_t *file, iri_check_t check,
           const char *name, iri_str_t value)
{
    rules_block_t *block;

    if (rules->depth == RULES_MAX_DEPTH) {
        rules->wrong = apr_psprintf(
            rules->pool, "%s:%" APR_SIZE_T_FMT ": more than %d nested blocks",
            file->name, file->line, RULES_MAX_DEPTH);
        return;
    }
    block = &rules->block[rules->depth++];
    memset(block, 0, sizeof(*block));
    if (name != NULL) {
        block->rule.check = check;
        block->rule.name.data = (const unsigned char *) name;
        block->rule.name.len = strlen(name);
        block->rule.at.file.data = (const unsigned char *) file->name;
        block->rule.at.file.len = strlen(file->name);
        block->rule.at.line = file->at;
        block->rule.engine = IRI_ENGINE_ON;
        block->rule.value = value;
    }
}


static void
rules_close(rules_t *rules)
{
    const rules_block_t *block;

    if (rules->depth == 0) {
        return;
    }
    block = &rules->block[--rules->depth];
    if (block->denies && block->rule.name.len != 0) {
        APR_ARRAY_PUSH(rules->list, iri_directive_t) = block->rule;
    }
}


/* A directive restricts access to the blocks around it. */
static void
rules_deny(rules_t *rules)
{
    size_t i;

    for (i = 0; i < rules->depth; i++) {
        rules->block[i].denies = 1;
    }
}


static void
rules_include(rules_t *rules, iri_str_t pattern)
{
    const char *path = apr_pstrmemdup(
        rules->pool, (const char *) pattern.data, pattern.len);
    glob_t found;
    size_t i;

    if (path[0] != '/') {
        path = apr_pstrcat(rules->pool, rules->base, path, NULL);
    }
    if (glob(path, 0, NULL, &found) != 0) {
        return; /* the server reports it */
    }
    for (i = 0; rules->wrong == NULL && i < found.gl_pathc; i++) {
        rules_read(rules, apr_pstrdup(rules->pool, found.gl_pathv[i]));
    }
    globfree(&found);
}


static const char *
rules_text(rules_t *rules, iri_str_t word)
{
    return apr_pstrmemdup(rules->pool, (const char *) word.data, word.len);
}


/* Remember the document root, and a server name that is an IDN. */
static void
rules_notice(rules_t *rules, const rules_file_t *file)
{
    static const char *const hosts[] = { "server_name", "ServerName",
                                         "ServerAlias", NULL };
    const iri_str_t         *word = file->word;
    size_t                   i;

    if (rules->config->root == NULL && file->words > 1
        && (rules_is(word[0], "root") || rules_is(word[0], "DocumentRoot")))
    {
        rules->config->root = rules_text(rules, word[1]);
    }
    for (i = 1; i < file->words && rules_is_one_of(word[0], hosts); i++) {
        if (rules->config->host == NULL
            && (!iri_str_is_ascii(word[i])
                || strstr(rules_text(rules, word[i]), "xn--") != NULL))
        {
            rules->config->host = rules_text(rules, word[i]);
        }
    }
}


/* ---- nginx --------------------------------------------------------------- */

static void
rules_nginx_open(rules_t *rules, const rules_file_t *file)
{
    static const iri_str_t none = { 0, NULL };
    iri_check_t            check = IRI_CHECK_PATH;
    size_t                 value = file->words - 1;

    if (file->words < 2 || !rules_is(file->word[0], "location")) {
        rules_open(rules, file, check, NULL, none);
        return;
    }
    if (file->words > 2
        && (rules_is(file->word[1], "~") || rules_is(file->word[1], "~*")))
    {
        check = IRI_CHECK_REGEX;
    }
    if (file->word[value].len != 0 && file->word[value].data[0] == '@') {
        rules_open(rules, file, check, NULL, none);
        return;
    }
    rules_open(rules, file, check, "location", file->word[value]);
}


static void
rules_nginx_directive(rules_t *rules, const rules_file_t *file)
{
    static const char *const denies[] = { "deny",         "internal",
                                          "auth_basic",   "auth_request",
                                          "auth_jwt",     "ssl_verify_client",
                                          "limit_except", NULL };
    iri_str_t name = file->words ? file->word[0] : (iri_str_t){ 0, NULL };

    rules_notice(rules, file);
    if (rules_is(name, "include") && file->words > 1) {
        rules_include(rules, file->word[1]);
    } else if (rules_is_one_of(name, denies)
               || (rules_is(name, "return") && file->words > 1
                   && file->word[1].data[0] == '4'))
    {
        rules_deny(rules);
    }
}


static void
rules_nginx(rules_t *rules, rules_file_t *file)
{
    while (rules->wrong == NULL) {
        rules_skip_space(file, " \t\r\n");
        if (file->p == file->end) {
            break;
        }
        switch (*file->p) {
        case '#':
            while (file->p < file->end && *file->p != '\n') {
                file->p++;
            }
            continue;
        case ';':
            rules_nginx_directive(rules, file);
            break;
        case '{':
            if (file->words != 0 && rules_is(file->word[0], "limit_except")) {
                rules_deny(rules);
            }
            rules_nginx_open(rules, file);
            break;
        case '}':
            rules_close(rules);
            break;
        default:
            rules_add_word(file, rules_word(rules, file, " \t\r\n;{"));
            continue;
        }
        file->p++;
        file->words = 0;
    }
}


/* ---- httpd --------------------------------------------------------------- */

static void
rules_httpd_open(rules_t *rules, const rules_file_t *file)
{
    static const struct {
        const char *name;
        iri_check_t check;
    } sections[] = { { "<Location", IRI_CHECK_PATH },
                     { "<LocationMatch", IRI_CHECK_REGEX },
                     { "<Files", IRI_CHECK_PATH },
                     { "<FilesMatch", IRI_CHECK_REGEX },
                     { "<DirectoryMatch", IRI_CHECK_DISK } };
    iri_str_t value = { 0, NULL };
    size_t    i, last = file->words - 1;

    value = file->words > 1 ? file->word[last] : value;
    for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        if (rules_is(file->word[0], sections[i].name)) {
            rules_open(rules, file,
                       file->words > 2 && sections[i].check == IRI_CHECK_PATH
                           ? IRI_CHECK_REGEX
                           : sections[i].check,
                       sections[i].name, value);
            return;
        }
    }
    rules_open(rules, file, IRI_CHECK_PATH, NULL, value);
}


static void
rules_httpd_directive(rules_t *rules, rules_file_t *file)
{
    static const char *const denies[] = { "Deny", "Require", "AuthType",
                                          NULL };
    iri_str_t                name = file->word[0];

    rules_notice(rules, file);
    if (name.data[0] == '<' && name.len > 1 && name.data[1] == '/') {
        rules_close(rules);
    } else if (name.data[0] == '<') {
        rules_httpd_open(rules, file);
    } else if ((rules_is(name, "Include")
                || rules_is(name, "IncludeOptional"))
               && file->words > 1)
    {
        rules_include(rules, file->word[1]);
    } else if (rules_is(name, "ServerRoot") && file->words > 1) {
        rules->base = apr_psprintf(rules->pool, "%.*s/",
                                   (int) file->word[1].len,
                                   (const char *) file->word[1].data);
    } else if (rules_is_one_of(name, denies)
               && !(file->words > 2 && rules_is(file->word[2], "granted")))
    {
        rules_deny(rules);
    }
}


static void
rules_httpd(rules_t *rules, rules_file_t *file)
{
    while (rules->wrong == NULL && file->p < file->end) {
        rules_skip_space(file, " \t\r");
        if (file->p < file->end && *file->p == '#' && file->words == 0) {
            while (file->p < file->end && *file->p != '\n') {
                file->p++;
            }
        }
        if (file->p < file->end && *file->p == '\\' && file->p + 1 < file->end
            && file->p[1] == '\n')
        {
            file->p += 2;
            file->line++;
            continue;
        }
        if (file->p == file->end || *file->p == '\n') {
            if (file->words != 0 && file->word[0].len != 0) {
                rules_httpd_directive(rules, file);
            }
            file->words = 0;
            file->line++;
            file->p += file->p < file->end;
            continue;
        }
        rules_add_word(
            file, rules_word(rules, file,
                             file->words != 0 && file->word[0].data[0] == '<'
                                 ? " \t\r\n>"
                                 : " \t\r\n"));
        file->p += file->p < file->end && *file->p == '>';
    }
}


/* ---- files --------------------------------------------------------------- */

static const char *
rules_load(rules_t *rules, const char *name, apr_size_t *len)
{
    apr_file_t  *file;
    apr_finfo_t  info;
    apr_status_t rv;
    char        *text = NULL, why[128];

    rv = apr_file_open(&file, name, APR_READ, APR_OS_DEFAULT, rules->pool);
    if (rv == APR_SUCCESS) {
        rv = apr_file_info_get(&info, APR_FINFO_SIZE, file);
    }
    if (rv == APR_SUCCESS && info.size > RULES_MAX_FILE) {
        rules->wrong = apr_psprintf(rules->pool,
                                    "\"%s\" is longer than %d octets", name,
                                    RULES_MAX_FILE);
        return NULL;
    }
    if (rv == APR_SUCCESS) {
        *len = (apr_size_t) info.size;
        text = apr_palloc(rules->pool, *len + 1);
        rv = *len != 0 ? apr_file_read_full(file, text, *len, len)
                       : APR_SUCCESS;
        apr_file_close(file);
    }
    if (rv != APR_SUCCESS) {
        rules->wrong = apr_psprintf(rules->pool, "cannot read \"%s\": %s",
                                    name, apr_strerror(rv, why, sizeof(why)));
        return NULL;
    }
    text[*len] = '\0';
    return text;
}


static void
rules_read(rules_t *rules, const char *name)
{
    rules_file_t file;
    apr_size_t   len = 0;

    if (rules->files == RULES_MAX_DEPTH) {
        rules->wrong = apr_psprintf(
            rules->pool,
            "\"%s\" is included by itself, or by more "
            "than %d files",
            name, RULES_MAX_DEPTH);
        return;
    }
    memset(&file, 0, sizeof(file));
    file.name = name;
    file.line = 1;
    file.p = rules_load(rules, name, &len);
    if (file.p == NULL) {
        return;
    }
    file.end = file.p + len;
    rules->files++;
    if (rules->httpd) {
        rules_httpd(rules, &file);
    } else {
        rules_nginx(rules, &file);
    }
    rules->files--;
}


/* The first directive of a configuration of nginx ends with ";" or "{". */
static int
rules_is_httpd(rules_t *rules, const char *name)
{
    apr_size_t  len = 0;
    const char *p = rules_load(rules, name, &len);

    while (p != NULL) {
        p += strspn(p, " \t\r\n");
        if (*p != '#') {
            break;
        }
        p = strchr(p, '\n');
    }
    for (; p != NULL && *p != '\0' && *p != '\n'; p++) {
        if ((*p == '$' || *p == '%') && p[1] == '{') {
            p++; /* a variable of httpd */
        } else if (*p == ';' || *p == '{') {
            return 0;
        }
    }
    return p != NULL && *p != '\0';
}


static void
rules_warning(void *arg, iri_log_level_t level, iri_str_t line)
{
    apr_array_header_t *found = arg;
    advise_rule_t      *rule;

    if (level == IRI_LOG_WARN) {
        rule = apr_array_push(found);
        rule->text = apr_pstrmemdup(found->pool, (const char *) line.data,
                                    line.len);
    }
}


const char *
advise_config_read(apr_pool_t *pool, const char *file,
                   const cli_settings_t *settings, advise_config_t *config)
{
    static const iri_str_t on = IRI_STR("iri on;");
    iri_env_apr_t          env;
    iri_status_t           status;
    rules_t                rules;
    const char            *slash = strrchr(file, '/');
    int                    i;

    memset(&rules, 0, sizeof(rules));
    rules.pool = pool;
    rules.config = config;
    rules.list = apr_array_make(pool, 16, sizeof(iri_directive_t));
    rules.base = slash == NULL
                     ? ""
                     : apr_pstrmemdup(pool, file,
                                      (apr_size_t) (slash + 1 - file));
    rules.httpd = config->server != 0 ? config->server == 'h'
                                      : rules_is_httpd(&rules, file);
    config->server = rules.httpd ? 'h' : 'n';
    if (rules.wrong == NULL) {
        rules_read(&rules, file);
    }
    if (rules.wrong != NULL) {
        return rules.wrong;
    }
    for (i = 0; i < rules.list->nelts; i++) {
        APR_ARRAY_IDX(rules.list, i, iri_directive_t)
            .invalid = settings->reading.invalid;
    }
    iri_env_apr_init(&env, pool, rules_warning, config->rules);
    status = iri_config_check(&env.env, on, (void *) rules.list->elts,
                              (size_t) rules.list->nelts);
    return status == IRI_OK ? NULL : iri_status_text(status);
}
