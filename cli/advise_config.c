/*
 * advise_config.c - roots, error pages and server names of a configuration, and
 * its rules that would no longer match
 *
 * With the module rules are compared with the canonical path.  A rule in a
 * legacy charset, in NFD or percent-encoded matches now, and would match
 * nothing.  The servers have many kinds of rules, so each line with such text
 * is reported.  A file that cannot be followed is an error.
 */

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <unicode/uchar.h>

#include "unicode/iri_unicode.h"

#include "advise.h"

#define RULES_MAX_FILES 1000
#define RULES_MAX_DEPTH 16                 /* files that include each other */
#define RULES_MAX_FILE  (16 * 1024 * 1024) /* octets */

/* A block of nginx, or a virtual host or <Location> of httpd. */
typedef struct {
    int         site;
    const char *prefix; /* of a location; NULL: not one prefix */
} rules_block_t;

/* A word of a line, or an octet between words that is one of ; { } < >. */
typedef struct {
    char        mark;  /* that octet; 0: a word */
    const char *text;  /* of a word, without quotes; NULL: a mark */
    int         known; /* 1: the text is the value: it has no variable and no
                          escape, and its quote is closed */
} rules_token_t;

typedef struct {
    apr_pool_t *pool;
    const char *base;     /* directory of the first file, or ServerRoot */
    int         has_base; /* 1: it is ServerRoot */
    const char *file;     /* the current one, printable */
    size_t      number;   /* of its current line */
    size_t      next;     /* number of the line after it */
    const rules_token_t *directive; /* the current one */
    int                  arguments; /* words that follow it on the line */
    advise_config_t     *config;
    apr_array_header_t  *blocks; /* rules_block_t, outermost first */
    rules_block_t        begins; /* the block that the next "{" begins */
    int                  sites;  /* servers and virtual hosts so far */
    size_t               files;
    size_t               depth;
    size_t               lines;
    size_t               of_nginx; /* lines that end with ";", "{" or "}" */
    const char          *wrong;    /* NULL: no error */
} rules_t;

static void rules_read(rules_t *rules, const char *name);


/* ---- the text of a line -------------------------------------------------- */

/* 1 if a text has an octet above 7F as an escape of a regular expression, or a
   percent sign before a set: "\\xB0", "\\260", "%[Bb]0". */
static int
rules_has_regex_escape(iri_str_t text)
{
    const char *p = (const char *) text.data, *end = p + text.len;

    for (; p + 2 < end; p++) {
        if ((*p == '%' && (p[1] == '[' || p[1] == '('))
            || (*p == '\\'
                && ((p[1] == 'x'
                     && (p[2] == '{' || iri_hex((unsigned char) p[2]) >= 8))
                    || (p[1] == 'o' && p[2] == '{')
                    || (p + 3 < end && (p[1] == '2' || p[1] == '3')
                        && p[2] >= '0' && p[2] <= '7' && p[3] >= '0'
                        && p[3] <= '7'))))
        {
            return 1;
        }
    }
    return 0;
}


/* 1 if a mark does not follow a letter or mark: in a regular expression it may
   belong to a letter before a quantifier or set. */
static int
rules_has_lone_mark(iri_str_t text)
{
    UChar32 c, before = ' ';
    size_t  i = 0;

    for (; i < text.len; before = c) {
        c = cli_next_character(text, &i);
        if ((U_GET_GC_MASK(c) & U_GC_M_MASK) != 0
            && (U_GET_GC_MASK(before) & (U_GC_L_MASK | U_GC_M_MASK)) == 0)
        {
            return 1;
        }
    }
    return 0;
}


/* Why a rule with this text might match no canonical path; NULL: it may. */
static const char *
rules_why(rules_t *rules, iri_str_t text)
{
    iri_env_apr_t   env;
    iri_converted_t nfc;

    if (memchr(text.data, '\0', text.len) != NULL || !cli_is_utf8(text)) {
        return "is not UTF-8";
    }
    if (iri_has_escaped_octet(text)) {
        return "is percent-encoded";
    }
    if (rules_has_regex_escape(text)) {
        return "has an octet as an escape";
    }
    if (iri_str_is_ascii(text)) {
        return NULL;
    }
    iri_env_apr_init(&env, rules->pool, NULL, NULL);
    return rules_has_lone_mark(text)
                   || iri_unicode_form(&env.env, IRI_FORM_NFC, text, &nfc)
                          != IRI_OK
                   || nfc.why != NULL || !iri_str_equal(nfc.value, text)
               ? "is not in NFC"
               : NULL;
}


/* ---- words --------------------------------------------------------------- */

static rules_block_t
rules_block(const rules_t *rules)
{
    return APR_ARRAY_IDX(rules->blocks, rules->blocks->nelts - 1,
                         rules_block_t);
}


static void
rules_push(rules_t *rules, int site, const char *prefix)
{
    rules_block_t *block = apr_array_push(rules->blocks);

    block->site = site;
    block->prefix = prefix;
}


static void
rules_pop(rules_t *rules)
{
    if (rules->blocks->nelts > 1) {
        apr_array_pop(rules->blocks);
    }
}


/* Split a line into rules_token_t. */
static apr_array_header_t *
rules_split(rules_t *rules, const char *p, const char *end)
{
    static const char   blanks[] = " \t\r\v\f", stops[] = " \t\r\v\f;{}<>";
    apr_array_header_t *tokens = apr_array_make(rules->pool, 16,
                                                sizeof(rules_token_t));
    rules_token_t      *token;
    const char         *start;
    char                quote;

    while (p < end) {
        if (strchr(blanks, *p) != NULL) {
            p++;
            continue;
        }
        token = apr_array_push(tokens);
        memset(token, 0, sizeof(*token));
        if (strchr(stops, *p) != NULL) {
            token->mark = *p++;
            continue;
        }
        quote = '\0';
        if (*p == '"' || *p == '\'') {
            quote = *p++;
        }
        for (start = p;
             p < end
             && (quote != '\0' ? *p != quote : strchr(stops, *p) == NULL);
             p++)
        {
        }
        token->text = apr_pstrmemdup(rules->pool, start,
                                     (apr_size_t) (p - start));
        token->known = *token->text != '\0'
                       && strpbrk(token->text, "$\\") == NULL
                       && (quote == '\0' || p < end);
        p += quote != '\0' && p < end;
    }
    return tokens;
}


/* The i-th argument of the directive; NULL: it is not on this line, or its
   value is not known. */
static const char *
rules_argument(const rules_t *rules, int i)
{
    return i < rules->arguments && rules->directive[i + 1].known
               ? rules->directive[i + 1].text
               : NULL;
}


/* The argument of a directive without which other files are not read. */
static const char *
rules_required(rules_t *rules)
{
    const char *value = rules_argument(rules, 0);

    if (value == NULL) {
        rules->wrong = apr_psprintf(
            rules->pool,
            "%s:%" APR_SIZE_T_FMT ": \"%s\" cannot be followed: its argument "
            "must be on the same line, without variables",
            rules->file, rules->number, rules->directive->text);
    }
    return value;
}


/* ---- directives ---------------------------------------------------------- */

/* Read the files that a pattern matches; of a directory all, dot files too. */
static void
rules_read_all(rules_t *rules, const char *path, int optional)
{
    apr_finfo_t info;
    glob_t      found;
    size_t      i;
    int         failed = glob(path, GLOB_ERR, NULL, &found);

    if (failed == GLOB_NOMATCH && (optional || strpbrk(path, "*?[") != NULL))
    {
        return;
    }
    if (failed != 0) {
        rules->wrong = apr_psprintf(rules->pool,
                                    "cannot find or read \"%s\", which %s "
                                    "includes",
                                    path, rules->file);
        return;
    }
    for (i = 0; rules->wrong == NULL && i < found.gl_pathc; i++) {
        path = apr_pstrdup(rules->pool, found.gl_pathv[i]);
        if (apr_stat(&info, path, APR_FINFO_TYPE, rules->pool) == APR_SUCCESS
            && info.filetype == APR_DIR)
        {
            rules_read_all(rules, apr_pstrcat(rules->pool, path, "/*", NULL),
                           0);
            rules_read_all(
                rules, apr_pstrcat(rules->pool, path, "/.[!.]*", NULL), 0);
        } else {
            rules_read(rules, path);
        }
    }
    globfree(&found);
}


static void
rules_include(rules_t *rules)
{
    const char *path = rules_required(rules);

    if (path != NULL) {
        rules_read_all(rules,
                       path[0] == '/' ? path
                                      : apr_pstrcat(rules->pool, rules->base,
                                                    path, NULL),
                       strcasecmp(rules->directive->text, "include") != 0);
    }
}


/* Where relative names of included files begin, in httpd. */
static void
rules_server_root(rules_t *rules)
{
    const char *value = rules_required(rules);
    const char *base;

    if (value == NULL) {
        return;
    }
    base = apr_pstrcat(rules->pool, value, "/", NULL);
    if (rules->has_base && strcmp(base, rules->base) != 0) {
        rules->wrong = apr_psprintf(rules->pool,
                                    "%s:%" APR_SIZE_T_FMT
                                    ": there is another ServerRoot, \"%s\"",
                                    rules->file, rules->number, rules->base);
    }
    rules->has_base = 1;
    rules->base = base;
}


static void
rules_host(rules_t *rules)
{
    const char *word;
    int         i;

    for (i = 1; rules->config->host == NULL && i <= rules->arguments; i++) {
        word = rules->directive[i].text;
        if (!iri_str_is_ascii(cli_str(word)) || strstr(word, "xn--") != NULL)
        {
            rules->config->host = word;
        }
    }
}


/* The length of a path without "/" at its end. */
static size_t
rules_length(const char *path)
{
    size_t len = strlen(path);

    while (len > 0 && path[len - 1] == '/') {
        len--;
    }
    return len;
}


/* A directory that is served below a prefix. */
static void
rules_add_root(rules_t *rules, const char *prefix, const char *directory)
{
    advise_root_t *root;

    if (prefix == NULL || directory == NULL || directory[0] != '/') {
        return;
    }
    root = apr_array_push(rules->config->roots);
    root->site = rules_block(rules).site;
    root->prefix = apr_pstrmemdup(rules->pool, prefix, rules_length(prefix));
    root->directory = apr_pstrmemdup(rules->pool, directory,
                                     rules_length(directory));
}


/* In a location of nginx the path is appended. */
static void
rules_root(rules_t *rules)
{
    const char *value = rules_argument(rules, 0);
    const char *prefix = rules_block(rules).prefix;

    if (value != NULL && prefix != NULL) {
        rules_add_root(rules, prefix,
                       apr_pstrcat(rules->pool, value, prefix, NULL));
    }
}


/* In a location the directory; else the prefix and it. */
static void
rules_alias(rules_t *rules)
{
    if (rules->arguments > 1) {
        rules_add_root(rules, rules_argument(rules, 0),
                       rules_argument(rules, 1));
    } else {
        rules_add_root(rules, rules_block(rules).prefix,
                       rules_argument(rules, 0));
    }
}


/* The status with which the page for 404 is sent, if it is another one. */
static void
rules_error_page(rules_t *rules)
{
    const char *value, *last = "";
    int         status = 0, absent = 0, i;

    for (i = 0; (value = rules_argument(rules, i)) != NULL; i++) {
        absent |= strcmp(value, "404") == 0;
        if (value[0] == '=') {
            status = value[1] != '\0' ? atoi(value + 1) : 200;
        }
        last = value;
    }
    if (status == 0
        && (strncmp(last, "http://", 7) == 0
            || strncmp(last, "https://", 8) == 0))
    {
        status = 302;
    }
    if (absent && status != 0 && status != 404) {
        APR_ARRAY_PUSH(rules->config->error_statuses, int) = status;
    }
}


/* The prefix of a location; NULL: a regular expression, or an exact path. */
static const char *
rules_prefix(const rules_t *rules)
{
    const char *value = rules_argument(rules, 0);

    if (value != NULL && strcmp(value, "^~") == 0) {
        value = rules_argument(rules, 1);
    }
    return value != NULL && value[0] == '/' ? value : NULL;
}


static void
rules_location(rules_t *rules)
{
    rules->begins.prefix = rules_prefix(rules);
}


static void
rules_server(rules_t *rules)
{
    rules->begins.site = ++rules->sites;
}


static void
rules_httpd_location(rules_t *rules)
{
    rules_push(rules, rules_block(rules).site, rules_prefix(rules));
}


static void
rules_virtual_host(rules_t *rules)
{
    rules_push(rules, ++rules->sites, rules_block(rules).prefix);
}


/* What is used of a configuration.  "<" begins the name of a section. */
static const struct {
    const char *name;
    void (*use)(rules_t *rules);
} rules_directives[] = {
    { "include", rules_include },
    { "IncludeOptional", rules_include },
    { "ServerRoot", rules_server_root },
    { "server_name", rules_host },
    { "ServerName", rules_host },
    { "ServerAlias", rules_host },
    { "root", rules_root },
    { "DocumentRoot", rules_root },
    { "alias", rules_alias },
    { "error_page", rules_error_page },
    { "ErrorDocument", rules_error_page },
    { "location", rules_location },
    { "server", rules_server },
    { "<Location", rules_httpd_location },
    { "</Location", rules_pop },
    { "<VirtualHost", rules_virtual_host },
    { "</VirtualHost", rules_pop },
};


/* ---- lines --------------------------------------------------------------- */

/* Use the directive that begins at a token; section: 1: "<" precedes it. */
static void
rules_use_directive(rules_t *rules, const rules_token_t *token,
                    const rules_token_t *end, int section)
{
    size_t      i;
    const char *name;

    rules->directive = token;
    rules->arguments = 0;
    while (++token < end && token->mark == '\0') {
        rules->arguments++;
    }
    for (i = 0; i < sizeof(rules_directives) / sizeof(rules_directives[0]);
         i++) {
        name = rules_directives[i].name;
        if ((name[0] == '<') == section
            && strcasecmp(name + section, rules->directive->text) == 0)
        {
            rules_directives[i].use(rules);
            return;
        }
    }
}


static void
rules_use(rules_t *rules, const char *p, const char *end)
{
    apr_array_header_t  *tokens = rules_split(rules, p, end);
    const rules_token_t *token = (rules_token_t *) (void *) tokens->elts;
    const rules_token_t *last = token + tokens->nelts;
    char                 begins = ';'; /* the mark before the word, or 0 */

    for (; rules->wrong == NULL && token < last; token++) {
        if (token->mark == '\0') {
            rules->config->locations |= strcmp(token->text, "location") == 0
                                        || strcmp(token->text, "try_files")
                                               == 0;
            if (begins != '\0') {
                rules_use_directive(rules, token, last, begins == '<');
            }
            begins = '\0';
        } else if (token->mark != '>') {
            if (token->mark == '{') {
                rules_push(rules, rules->begins.site, rules->begins.prefix);
            } else if (token->mark == '}') {
                rules_pop(rules);
            }
            if (token->mark != '<') {
                rules->begins = rules_block(rules);
            }
            begins = token->mark;
        }
    }
}


/* Comments are not left out: where one begins depends on the server, and on the
   lines before. */
static void
rules_line(rules_t *rules, const char *p, const char *end)
{
    iri_str_t   text;
    const char *why;

    while (p < end && strchr(" \t\r", *p) != NULL && *p != '\0') {
        p++;
    }
    while (p < end && strchr(" \t\r", end[-1]) != NULL && end[-1] != '\0') {
        end--;
    }
    if (p == end) {
        return;
    }
    text.data = (const unsigned char *) p;
    text.len = (size_t) (end - p);
    why = rules_why(rules, text);
    if (why != NULL) {
        text.len = text.len < 100 ? text.len : 100;
        APR_ARRAY_PUSH(rules->config->rules, const char *) = apr_psprintf(
            rules->pool, "%s:%" APR_SIZE_T_FMT ": \"%s\" %s", rules->file,
            rules->number, cli_printable(rules->pool, text), why);
    }
    if (*p != '#') {
        rules->lines++;
        rules->of_nginx += end[-1] == ';' || end[-1] == '{' || end[-1] == '}';
        rules_use(rules, p, end);
    }
}


/* ---- files --------------------------------------------------------------- */

/* The text of a regular file: opening a FIFO would wait for a writer. */
static char *
rules_load(rules_t *rules, const char *name, apr_size_t *len)
{
    apr_finfo_t  info;
    apr_file_t  *file = NULL;
    apr_status_t rv;
    const char  *wrong = NULL;
    char        *text = NULL, why[128];

    rv = apr_stat(&info, name, APR_FINFO_SIZE | APR_FINFO_TYPE, rules->pool);
    if (rv == APR_SUCCESS && info.filetype != APR_REG) {
        wrong = "it is not a regular file";
    } else if (rv == APR_SUCCESS && info.size > RULES_MAX_FILE) {
        wrong = "it is larger than 16 MiB";
    } else if (rv == APR_SUCCESS) {
        rv = apr_file_open(&file, name, APR_READ, APR_OS_DEFAULT,
                           rules->pool);
    }
    if (rv == APR_SUCCESS && wrong == NULL) {
        *len = (apr_size_t) info.size;
        text = apr_pcalloc(rules->pool, *len + 1);
        rv = *len != 0 ? apr_file_read_full(file, text, *len, len) : rv;
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


/*
 * Take the line at *p, which moves to the next one.  A line that ends with a
 * backslash is joined with the next one, as httpd does; but not a comment,
 * since nginx reads the next line.  Returns: the end of the line.
 */
static char *
rules_take_line(rules_t *rules, char **p, char *end)
{
    char *line = *p, *to = line, *from = line, *stop;
    int   joined;

    do {
        stop = memchr(from, '\n', (size_t) (end - from));
        stop = stop != NULL ? stop : end;
        memmove(to, from, (size_t) (stop - from));
        to += stop - from;
        to -= to > line && to[-1] == '\r';
        from = stop < end ? stop + 1 : end;
        rules->next++;
        joined = from < end && to > line && to[-1] == '\\'
                 && line[strspn(line, " \t")] != '#';
        to -= joined;
    } while (joined);
    *p = from;
    return to;
}


static void
rules_read(rules_t *rules, const char *name)
{
    const char *file = rules->file;
    size_t      number = rules->number, next = rules->next;
    apr_size_t  len = 0;
    char       *p, *end, *line;

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
    rules->file = cli_printable(rules->pool, cli_str(name));
    rules->next = 1;
    for (end = p + len; rules->wrong == NULL && p < end;) {
        rules->number = rules->next;
        line = p;
        rules_line(rules, line, rules_take_line(rules, &p, end));
    }
    rules->depth--;
    rules->file = file;
    rules->number = number;
    rules->next = next;
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
    rules.blocks = apr_array_make(pool, 8, sizeof(rules_block_t));
    rules_push(&rules, 0, "");
    rules.begins = rules_block(&rules);
    rules.base = slash == NULL
                     ? ""
                     : apr_pstrmemdup(pool, file,
                                      (apr_size_t) (slash + 1 - file));
    rules_read(&rules, file);
    if (config->server == ADVISE_UNKNOWN) {
        config->server = rules.of_nginx * 2 > rules.lines ? ADVISE_NGINX
                                                          : ADVISE_HTTPD;
    }
    return rules.wrong;
}
