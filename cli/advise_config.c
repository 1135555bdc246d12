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

typedef struct {
    apr_pool_t         *pool;
    const char         *base; /* directory of the first file, or ServerRoot */
    int                 has_base; /* 1: it is ServerRoot */
    const char         *file;     /* the current one, printable */
    size_t              number;   /* of its current line */
    size_t              next;     /* number of the line after it */
    advise_config_t    *config;
    apr_array_header_t *blocks; /* rules_block_t, outermost first */
    rules_block_t       begins; /* the block that the next "{" begins */
    int                 sites;  /* servers and virtual hosts so far */
    size_t              files;
    size_t              depth;
    size_t              lines;
    size_t              of_nginx; /* lines that end with ";", "{" or "}" */
    const char         *wrong;    /* NULL: no error */
} rules_t;

static void rules_read(rules_t *rules, const char *name);
static void rules_include(rules_t *rules, const char *pattern, int optional);


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
    if (cli_has_high_escape(text)) {
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


/* An octet between words: those of nginx begin and end blocks. */
static void
rules_between(rules_t *rules, char c)
{
    if (c == '{') {
        rules_push(rules, rules->begins.site, rules->begins.prefix);
    } else if (c == '}') {
        rules_pop(rules);
    }
    if (c == '{' || c == '}' || c == ';') {
        rules->begins = rules_block(rules);
    }
}


/* The next word of a line, without quotes.  Returns: 0 at its end; 2 if the
   word begins a directive of nginx; 3 if it begins or ends a block of httpd. */
static int
rules_word(rules_t *rules, const char **p, const char *end, const char **word)
{
    static const char between[] = " \t\r\v\f;{}<>\"'";
    const char       *start;
    int               read = 1;

    for (; *p < end && strchr(between, **p) != NULL; (*p)++) {
        read = strchr(";{}", **p) != NULL ? 2 : **p == '<' ? 3 : read;
        rules_between(rules, **p);
    }
    start = *p;
    while (*p < end && strchr(between, **p) == NULL) {
        (*p)++;
    }
    *word = apr_pstrmemdup(rules->pool, start, (apr_size_t) (*p - start));
    return *p > start ? read : 0;
}


/* The argument of a directive: a quoted string, or up to one of stops.
   Returns: NULL: it is not on this line, or is not the value itself. */
static const char *
rules_argument_until(rules_t *rules, const char *stops, const char **p,
                     const char *end)
{
    const char *start;
    char        quote[2] = "";
    const char *value;

    while (*p < end && strchr(" \t\v\f", **p) != NULL) {
        (*p)++;
    }
    if (*p < end && (**p == '"' || **p == '\'')) {
        quote[0] = *(*p)++;
        stops = quote;
    }
    start = *p;
    while (*p < end && strchr(stops, **p) == NULL) {
        (*p)++;
    }
    value = apr_pstrmemdup(rules->pool, start, (apr_size_t) (*p - start));
    if (*value == '\0' || strpbrk(value, "$\\") != NULL
        || (stops == quote && *p == end))
    {
        return NULL;
    }
    *p += stops == quote;
    return value;
}


static const char *
rules_argument(rules_t *rules, const char **p, const char *end)
{
    return rules_argument_until(rules, " \t\r\v\f;", p, end);
}


/* The argument of a directive without which other files are not read. */
static const char *
rules_required(rules_t *rules, const char *directive, const char **p,
               const char *end)
{
    const char *value = rules_argument(rules, p, end);

    if (value == NULL) {
        rules->wrong = apr_psprintf(
            rules->pool,
            "%s:%" APR_SIZE_T_FMT ": \"%s\" cannot be followed: its argument "
            "must be on the same line, without variables",
            rules->file, rules->number, directive);
    }
    return value;
}


/* Read the files of a directory, dot files too. */
static void
rules_read_directory(rules_t *rules, const char *path)
{
    apr_dir_t   *dir;
    apr_finfo_t  entry;
    apr_status_t rv;
    char         why[128];

    rv = apr_dir_open(&dir, path, rules->pool);
    while (rules->wrong == NULL && rv == APR_SUCCESS) {
        rv = apr_dir_read(&entry, APR_FINFO_DIRENT, dir);
        if (rv == APR_SUCCESS && strcmp(entry.name, ".") != 0
            && strcmp(entry.name, "..") != 0)
        {
            rules_include(
                rules, apr_pstrcat(rules->pool, path, "/", entry.name, NULL),
                0);
        }
    }
    if (rules->wrong == NULL && !APR_STATUS_IS_ENOENT(rv)) {
        rules->wrong = apr_psprintf(rules->pool, "cannot read \"%s\": %s",
                                    path, apr_strerror(rv, why, sizeof(why)));
    }
}


/* 1 if the directory in which a pattern has its first wildcard can be read. */
static int
rules_is_searchable(rules_t *rules, const char *pattern)
{
    const char *slash = pattern + strcspn(pattern, "*?[");
    apr_dir_t  *dir;

    while (slash > pattern && slash[-1] != '/') {
        slash--;
    }
    return apr_dir_open(&dir,
                        slash == pattern
                            ? "."
                            : apr_pstrmemdup(rules->pool, pattern,
                                             (apr_size_t) (slash - pattern)),
                        rules->pool)
               == APR_SUCCESS
           && apr_dir_close(dir) == APR_SUCCESS;
}


static void
rules_include(rules_t *rules, const char *pattern, int optional)
{
    const char *path = pattern;
    apr_finfo_t info;
    glob_t      found;
    size_t      i;
    int         failed, wild;

    if (path[0] != '/') {
        path = apr_pstrcat(rules->pool, rules->base, path, NULL);
    }
    if (apr_stat(&info, path, APR_FINFO_TYPE, rules->pool) == APR_SUCCESS
        && info.filetype == APR_DIR)
    {
        rules_read_directory(rules, path);
        return;
    }
    wild = strpbrk(path, "*?[") != NULL;
    failed = glob(path, GLOB_ERR, NULL, &found);
    if (failed == GLOB_NOMATCH
        && (wild ? rules_is_searchable(rules, path) : optional))
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


/* Where relative names of included files begin, in httpd. */
static void
rules_server_root(rules_t *rules, const char *value)
{
    const char *base = apr_pstrcat(rules->pool, value, "/", NULL);

    if (rules->has_base && strcmp(base, rules->base) != 0) {
        rules->wrong = apr_psprintf(rules->pool,
                                    "%s:%" APR_SIZE_T_FMT
                                    ": there is another ServerRoot, \"%s\"",
                                    rules->file, rules->number, rules->base);
    }
    rules->has_base = 1;
    rules->base = base;
}


/* ---- roots and error pages ----------------------------------------------- */

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


/* root, DocumentRoot: in a location of nginx the path is appended. */
static void
rules_root(rules_t *rules, const char **p, const char *end)
{
    const char *value = rules_argument(rules, p, end);
    const char *prefix = rules_block(rules).prefix;

    if (value != NULL && prefix != NULL) {
        rules_add_root(rules, prefix,
                       apr_pstrcat(rules->pool, value, prefix, NULL));
    }
}


/* alias, Alias: in a location the directory; else the prefix and it. */
static void
rules_alias(rules_t *rules, const char **p, const char *end)
{
    const char *one = rules_argument(rules, p, end);
    const char *two = one != NULL ? rules_argument(rules, p, end) : NULL;

    if (two != NULL) {
        rules_add_root(rules, one, two);
    } else {
        rules_add_root(rules, rules_block(rules).prefix, one);
    }
}


/* The prefix of a location; NULL: a regular expression, or an exact path. */
static const char *
rules_prefix(rules_t *rules, const char **p, const char *end)
{
    static const char stops[] = " \t\r\v\f;{>";
    const char       *value = rules_argument_until(rules, stops, p, end);

    if (value != NULL && strcmp(value, "^~") == 0) {
        value = rules_argument_until(rules, stops, p, end);
    }
    return value != NULL && value[0] == '/' ? value : NULL;
}


/* error_page, ErrorDocument: the status with which the page for 404 is sent, if
   it is another one. */
static void
rules_error_page(rules_t *rules, const char **p, const char *end)
{
    const char *value, *last = "";
    int         status = 0, absent = 0;

    while ((value = rules_argument(rules, p, end)) != NULL) {
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


/* ---- lines --------------------------------------------------------------- */

/* Set the block that "location" or "server" begins.  Returns: 1; 0: another
   word. */
static int
rules_use_nginx(rules_t *rules, const char *word, const char **p,
                const char *end)
{
    if (strcmp(word, "location") == 0) {
        rules->begins.prefix = rules_prefix(rules, p, end);
    } else if (strcmp(word, "server") == 0) {
        rules->begins.site = ++rules->sites;
    } else {
        return 0;
    }
    return 1;
}


/* A word that begins or ends a block of httpd. */
static void
rules_use_httpd(rules_t *rules, const char *word, const char **p,
                const char *end)
{
    rules_block_t block = rules_block(rules);

    if (strcasecmp(word, "VirtualHost") == 0) {
        rules_push(rules, ++rules->sites, block.prefix);
    } else if (strcasecmp(word, "Location") == 0) {
        rules_push(rules, block.site, rules_prefix(rules, p, end));
    } else if (strcasecmp(word, "/VirtualHost") == 0
               || strcasecmp(word, "/Location") == 0)
    {
        rules_pop(rules);
    }
}


/* 1 if a directive names other files, directories or error pages. */
static int
rules_use_directive(rules_t *rules, const char *word, const char **p,
                    const char *end)
{
    const char *value;

    if (strcasecmp(word, "include") == 0
        || strcasecmp(word, "includeoptional") == 0)
    {
        value = rules_required(rules, word, p, end);
        if (value != NULL) {
            rules_include(rules, value, word[7] != '\0');
        }
    } else if (strcasecmp(word, "ServerRoot") == 0) {
        value = rules_required(rules, word, p, end);
        if (value != NULL) {
            rules_server_root(rules, value);
        }
    } else if (strcmp(word, "root") == 0
               || strcasecmp(word, "DocumentRoot") == 0) {
        rules_root(rules, p, end);
    } else if (strcasecmp(word, "alias") == 0) {
        rules_alias(rules, p, end);
    } else if (strcmp(word, "error_page") == 0
               || strcasecmp(word, "ErrorDocument") == 0)
    {
        rules_error_page(rules, p, end);
    } else {
        return 0;
    }
    return 1;
}


/* What else is used of a line. */
static void
rules_use(rules_t *rules, const char *p, const char *end)
{
    const char *word;
    int         first = 1, host = 0, read;

    for (; rules->wrong == NULL && (read = rules_word(rules, &p, end, &word));
         first = 0)
    {
        first |= read != 1;
        host = host && !first;
        rules->config->locations |= strcmp(word, "location") == 0
                                    || strcmp(word, "try_files") == 0;
        if (host) {
            rules_host(rules, word);
        } else if (read == 3) {
            rules_use_httpd(rules, word, &p, end);
        } else if (!first
                   || (!rules_use_nginx(rules, word, &p, end)
                       && !rules_use_directive(rules, word, &p, end)))
        {
            host = first
                   && (strcmp(word, "server_name") == 0
                       || strcasecmp(word, "ServerName") == 0
                       || strcasecmp(word, "ServerAlias") == 0);
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

static apr_status_t
rules_read_file(rules_t *rules, const char *name, char **text,
                apr_size_t *len)
{
    apr_file_t  *file;
    apr_status_t rv;

    rv = apr_file_open(&file, name, APR_READ, APR_OS_DEFAULT, rules->pool);
    if (rv == APR_SUCCESS) {
        *text = apr_pcalloc(rules->pool, *len + 1);
        if (*len != 0) {
            rv = apr_file_read_full(file, *text, *len, len);
        }
        apr_file_close(file);
    }
    return rv;
}


/* The text of a regular file: opening a FIFO would wait for a writer. */
static char *
rules_load(rules_t *rules, const char *name, apr_size_t *len)
{
    apr_finfo_t  info;
    apr_status_t rv;
    const char  *wrong = NULL;
    char        *text = NULL, why[128];

    rv = apr_stat(&info, name, APR_FINFO_SIZE | APR_FINFO_TYPE, rules->pool);
    if (rv == APR_SUCCESS && info.filetype != APR_REG) {
        wrong = "it is not a regular file";
    } else if (rv == APR_SUCCESS && info.size > RULES_MAX_FILE) {
        wrong = "it is larger than 16 MiB";
    } else if (rv == APR_SUCCESS) {
        *len = (apr_size_t) info.size;
        rv = rules_read_file(rules, name, &text, len);
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
