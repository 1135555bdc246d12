/*
 * log_show.c - `iri log`: a log with its request-targets in Unicode
 *
 * Each word of a line that is a path or a URL is read as the servers read it,
 * and written as an IRI (draft 3.2), so that blanks and controls stay escaped.
 * No octet of a log reaches the terminal as a control.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>
#include <apr_time.h>

#include "base/iri_string.h"

#include "cli.h"

#define LOG_WAIT apr_time_from_msec(200)

typedef struct {
    cli_settings_t        settings;
    iri_host_conf_t       host;
    const iri_function_t *to_iri;
    const iri_function_t *url_unicode;
    int                   follow;
} log_conf_t;

static const cli_option_t log_options[] = {
    CLI_OPTION_CHARSET,
    { "follow", "wait for more lines, also after rotation", NULL,
      offsetof(log_conf_t, follow), NULL },
    CLI_OPTIONS_FOR_ALL
};

static const char log_help[] =
    "LOG has lines in any format, plain or gzip. Paths and URLs between\n"
    "blanks and quotes are shown in Unicode, read in the first charset that\n"
    "decodes them, hosts in U-labels. Escapes of reserved characters, blanks\n"
    "and controls stay; what a terminal would interpret is escaped.\n\n"
    "JSON field: lines, their number; before it an object for each, with the\n"
    "field line.\n\n"
    "Examples:\n"
    "  iri log --charset shift_jis /var/log/nginx/access.log\n"
    "  iri log --follow /var/log/apache2/access.log\n";

typedef struct {
    const log_conf_t *conf;
    cli_call_t       *call;
    apr_pool_t       *pool; /* cleared after each line */
    iri_env_apr_t     env;  /* memory from pool */
    const char       *name;
    int               fd;
    gzFile            file;
    size_t            len; /* octets of line */
    uint64_t          lines;
    char line[CLI_LOG_LINE]; /* a longer line is shown in pieces */
} log_run_t;


static void
log_create(void *data)
{
    log_conf_t *conf = data;

    conf->host.idna = cli_or_exit(iri_idna_create());
    conf->to_iri = iri_function_find(cli_str("to_iri"));
    conf->url_unicode = iri_function_find(cli_str("url_unicode"));
}


/* ---- words --------------------------------------------------------------- */

/*
 * Append a word without the escapes of the server: "\xE9" becomes an octet, and
 * an ASCII octet that a URI must not contain is percent-encoded.
 * Returns: 1 if the word has an octet to convert, "%" or above 7F; 0 if not, or
 * if it has an escape of JSON, "\u00e9".
 */
static int
log_unescape(const iri_env_t *env, iri_str_t word, iri_buf_t *out)
{
    const char   *p = (const char *) word.data, *end = p + word.len;
    unsigned char octet;
    size_t        taken;
    int           high = 0, quoted;

    for (; p < end; p += taken) {
        quoted = *p == '\\' && end - p > 1;
        if (quoted && p[1] == 'u') {
            return 0;
        }
        octet = (unsigned char) *p;
        taken = 1;
        if (quoted) {
            octet = (unsigned char) cli_log_escape(p + 1, &taken);
            taken++;
        }
        high |= octet == '%' || octet >= 0x80;
        if (quoted && octet < 0x80 && !iri_is_uri_char(octet)) {
            iri_buf_put_escape(env, out, octet);
        } else {
            iri_buf_putc(env, out, octet);
        }
    }
    return high;
}


/* Convert a part of a word.  Returns: text itself if it has no value. */
static iri_str_t
log_convert(const log_run_t *run, const iri_function_t *function,
            iri_str_t text)
{
    iri_function_conf_t conf = { NULL, &run->conf->host, NULL };
    iri_converted_t     out;

    return iri_convert(&run->env.env, &conf, function, text, &out) == IRI_OK
                   && out.why == NULL
               ? out.value
               : text;
}


/* Append a path and a query in Unicode, as the servers read them. */
static void
log_put_target(const log_run_t *run, iri_str_t target, iri_buf_t *out)
{
    const iri_reading_conf_t *reading = &run->conf->settings.reading;
    const iri_env_t          *env = &run->env.env;
    const iri_query_conf_t    query_conf = { reading->charsets, 0 };
    iri_buf_t                 uri = IRI_BUF_EMPTY;
    iri_received_path_t       request = { target, 1, { 0, NULL } };
    iri_reading_t             read;
    iri_query_t               query;
    const unsigned char      *question;
    iri_str_t                 path;

    question = memchr(target.data, '?', target.len);
    if (question != NULL) {
        request.path.len = (size_t) (question - target.data);
    }
    path = request.path;
    if (iri_read(env, reading, &request, &read) == IRI_OK
        && read.verdict != IRI_REFUSE)
    {
        path = read.uri;
    }
    iri_buf_put(env, &uri, path.data, path.len);
    if (question != NULL
        && iri_query_read(env, &query_conf,
                          iri_str_from(target, request.path.len + 1), &query)
               == IRI_OK)
    {
        iri_buf_putc(env, &uri, '?');
        iri_buf_put(env, &uri, query.query.data, query.query.len);
    }
    path = log_convert(run, run->conf->to_iri, iri_buf_str(&uri));
    iri_buf_put(env, out, path.data, path.len);
}


/* Returns: a word as it is shown, from the pool of the line. */
static iri_str_t
log_word(const log_run_t *run, iri_str_t word)
{
    const iri_env_t *env = &run->env.env;
    iri_buf_t        octets = IRI_BUF_EMPTY, out = IRI_BUF_EMPTY;
    iri_str_t        target, head = { 0, NULL };
    iri_parts_t      parts;

    if (!log_unescape(env, word, &octets)) {
        return word;
    }
    target = iri_buf_str(&octets);
    iri_split(target, &parts);
    if (target.data[0] != '/') {
        if (parts.scheme.len == 0 || parts.authority.data == NULL) {
            return word;
        }
        head.data = target.data;
        head.len = (size_t) (parts.path.data - target.data);
        target = iri_str_from(target, head.len);
        head = log_convert(run, run->conf->url_unicode, head);
        iri_buf_put(env, &out, head.data, head.len);
    }
    if (target.len != 0 && target.data[0] == '/') {
        log_put_target(run, target, &out);
    } else {
        iri_buf_put(env, &out, target.data, target.len);
    }
    return iri_buf_str(&out);
}


/* ---- lines --------------------------------------------------------------- */

static int
log_is_delimiter(unsigned char octet)
{
    return octet == ' ' || octet == '\t' || octet == '"';
}


/* Show the line or piece of a line that was read, and empty the buffer. */
static void
log_show_line(log_run_t *run)
{
    const unsigned char *p = (const unsigned char *) run->line, *end, *word;
    int                  ends = run->len != 0 && p[run->len - 1] == '\n';
    iri_buf_t            out = IRI_BUF_EMPTY;
    const char          *shown;
    json_t              *object;

    end = p + run->len - ends;
    while (p < end) {
        for (word = p; p < end && !log_is_delimiter(*p); p++) {
            p += *p == '\\' && end - p > 1;
        }
        shown = cli_printable(
            run->pool,
            log_word(run, (iri_str_t){ (size_t) (p - word), word }));
        iri_buf_put_text(&run->env.env, &out, shown);
        for (word = p; p < end && log_is_delimiter(*p); p++) {
        }
        iri_buf_put(&run->env.env, &out, word, (size_t) (p - word));
    }
    if (run->call->objects != NULL) {
        object = json_pack("{s:s%}", "line",
                           out.len != 0 ? (const char *) out.data : "",
                           out.len);
        json_dumpf(object, run->call->objects, JSON_COMPACT);
        json_decref(object);
        putc('\n', run->call->objects);
    } else {
        if (out.len != 0) {
            fwrite(out.data, 1, out.len, stdout);
        }
        if (ends) {
            putchar('\n');
        }
    }
    run->lines += (uint64_t) ends;
    run->len = 0;
    apr_pool_clear(run->pool);
}


/* Show all lines up to the end of the file; an incomplete one stays in line. */
static void
log_show_lines(log_run_t *run)
{
    size_t len;

    while ((len = cli_log_gets(run->file, run->line + run->len,
                               sizeof(run->line) - run->len))
           != 0)
    {
        run->len += len;
        if (run->len == sizeof(run->line) - 1
            || run->line[run->len - 1] == '\n') {
            log_show_line(run);
        }
    }
}


/* ---- files --------------------------------------------------------------- */

static const char *
log_error(log_run_t *run)
{
    run->call->no_offset = 1;
    return apr_psprintf(run->call->pool, "cannot read \"%s\": %s",
                        cli_printable(run->call->pool, cli_str(run->name)),
                        errno != 0 ? strerror(errno) : "it is corrupt");
}


static int
log_open(log_run_t *run)
{
    errno = 0;
    run->fd = open(run->name, O_RDONLY | O_CLOEXEC);
    run->file = run->fd >= 0 ? gzdopen(run->fd, "rb") : NULL;
    return run->file != NULL ? 0 : -1;
}


/* 1 if the name is that of another file now, or the file was truncated. */
static int
log_is_rotated(const log_run_t *run)
{
    struct stat now, open;

    return stat(run->name, &now) == 0 && fstat(run->fd, &open) == 0
           && (now.st_dev != open.st_dev || now.st_ino != open.st_ino
               || now.st_size < lseek(run->fd, 0, SEEK_CUR));
}


/* Show the lines that are written to the log, until output fails. */
static const char *
log_follow(log_run_t *run)
{
    while (fflush(stdout) == 0) {
        if (!log_is_rotated(run)) {
            apr_sleep(LOG_WAIT);
            gzclearerr(run->file);
            log_show_lines(run);
            continue;
        }
        /* The old file may have lines that were not read yet. */
        gzclearerr(run->file);
        log_show_lines(run);
        log_show_line(run);
        gzclose_r(run->file);
        if (log_open(run) != 0) {
            return log_error(run);
        }
        log_show_lines(run);
    }
    return NULL;
}


static const char *
log_show_file(log_run_t *run)
{
    const char *wrong = NULL;
    int         error;

    if (log_open(run) != 0) {
        return log_error(run);
    }
    log_show_lines(run);
    gzerror(run->file, &error);
    if (error < 0) {
        wrong = log_error(run);
    } else if (run->conf->follow) {
        wrong = log_follow(run);
    } else if (run->len != 0) {
        log_show_line(run);
        run->lines++;
    }
    gzclose_r(run->file);
    return wrong;
}


static int
log_answer(const void *data, cli_call_t *call)
{
    log_run_t *run = apr_pcalloc(call->pool, sizeof(*run));

    run->conf = data;
    run->call = call;
    run->name = apr_pstrmemdup(call->pool,
                               (const char *) call->operand[0].data,
                               call->operand[0].len);
    apr_pool_create(&run->pool, call->pool);
    iri_env_apr_init(&run->env, run->pool, NULL, NULL);
    call->error = log_show_file(run);
    cli_set(call, "lines", cli_number(run->lines));
    return call->error != NULL ? -1 : 0;
}


/* log_answer() has shown the lines. */
static void
log_show(const void *data, cli_call_t *call)
{
    (void) data;
    (void) call;
}


const cli_command_t cli_log = {
    .name = "log",
    .operands = "LOG",
    .count = 1,
    .about = "show a log with its request-targets in Unicode",
    .help = log_help,
    .options = log_options,
    .size = sizeof(log_conf_t),
    .create = log_create,
    .answer = log_answer,
    .show = log_show,
};
