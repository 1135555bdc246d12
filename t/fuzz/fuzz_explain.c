/*
 * fuzz_explain.c - target: `iri explain --batch`, lines in and JSON out
 *
 * The first octet selects the options, and the check of the last line; the rest
 * is the input. Checked: a line of JSON for each line, with the documented
 * fields; that escaped operands give the same result; that the result for the
 * canonical URI is the same.
 */

/* For fopencookie; APR's flags may define it too. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "cli.h"
#include "fuzz.h"

#define MAX_CONFS 5

static apr_pool_t *pool;
static void       *confs[MAX_CONFS];
static FILE       *in, *out;  /* opened once, because that is slow */
static iri_str_t   lines_in;  /* the rest of the input */
static iri_buf_t   lines_out; /* the output so far */

static ssize_t in_read(void *cookie, char *buffer, size_t size);
static ssize_t out_write(void *cookie, const char *buffer, size_t size);


/* ---- once ---------------------------------------------------------------- */

static void
forget(void *p)
{
    (void) p;
}


static const cli_option_t *
option_of(const char *name)
{
    const cli_option_t *option = cli_explain.options;

    while (strcmp(option->name, name) != 0) {
        option++;
    }

    return option;
}


void
fuzz_prepare(void)
{
    static const char *const options[MAX_CONFS][6] = {
        { NULL },
        { "escaped", NULL, NULL },
        { "charset", "shift_jis,euc-jp", "invalid", "pass", NULL },
        { "charset", "windows-1252", "escaped", NULL, NULL },
        { "charset", "gb18030 windows-1258", "invalid", "400", NULL }
    };
    size_t i, k;

    fuzz_assert(apr_initialize() == APR_SUCCESS);
    fuzz_assert(apr_pool_create(&pool, NULL) == APR_SUCCESS);

    for (i = 0; i < MAX_CONFS; i++) {
        confs[i] = cli_conf_create(&cli_explain, pool);

        for (k = 0; options[i][k] != NULL; k += 2) {
            fuzz_assert(cli_option_set(option_of(options[i][k]), confs[i],
                                       options[i][k + 1])
                        == NULL);
        }

        fuzz_assert(cli_explain.ready(confs[i]) == NULL);
    }

    in = fopencookie(NULL, "r", (cookie_io_functions_t){ .read = in_read });
    out = fopencookie(NULL, "w",
                      (cookie_io_functions_t){ .write = out_write });
    fuzz_assert(in != NULL && out != NULL);

    json_set_alloc_funcs(fuzz_memory, forget);
}


/* ---- lines in, lines out ------------------------------------------------- */

static ssize_t
in_read(void *cookie, char *buffer, size_t size)
{
    (void) cookie;

    size = size < lines_in.len ? size : lines_in.len;
    memcpy(buffer, lines_in.data, size);
    lines_in = iri_str_from(lines_in, size);

    return (ssize_t) size;
}


static ssize_t
out_write(void *cookie, const char *buffer, size_t size)
{
    (void) cookie;

    fuzz_assert(iri_buf_put(&fuzz.env, &lines_out,
                            (const unsigned char *) buffer, size)
                == IRI_OK);

    return (ssize_t) size;
}


/* The output of the command for these lines. */
static iri_str_t
batch(void *conf, iri_str_t lines)
{
    apr_pool_t *own;

    lines_in = lines;
    memset(&lines_out, 0, sizeof(lines_out));
    clearerr(in);

    fuzz_assert(apr_pool_create(&own, pool) == APR_SUCCESS);
    cli_batch(&cli_explain, conf, own, in, out);
    apr_pool_destroy(own);

    return iri_buf_str(&lines_out);
}


static size_t
count_lines(iri_str_t s)
{
    return iri_str_count(s, '\n') + (s.len != 0 && s.data[s.len - 1] != '\n');
}


/* The n-th line of a text. */
static iri_str_t
line_of(iri_str_t s, size_t n)
{
    fuzz_input_t input = fuzz_input(s.data, s.len);
    iri_str_t    line;

    do {
        fuzz_field(&input, &line);
    } while (n-- != 0);

    return line;
}


/* The line with each octet as "\xHH"; only for lines without options. */
static iri_str_t
escaped_line(iri_str_t line)
{
    char  *out = fuzz_memory(4 * line.len + 1);
    size_t i;

    for (i = 0; i < line.len; i++) {
        snprintf(out + 4 * i, 5, "\\x%02x", line.data[i]);
    }

    return (iri_str_t){ 4 * line.len, (unsigned char *) out };
}


/* ---- judgement ----------------------------------------------------------- */

static const char *
field_of(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);

    fuzz_assert(json_is_string(value));

    return json_string_value(value);
}


/* The fields of each result; those that may be null are NULL here. */
static void
judge_fields(json_t *object)
{
    static const char *const always[] = { "form",  "charset", "path", "uri",
                                          "match", "answer",  "why" };
    static const char *const perhaps[] = { "filename", "path_info", "status",
                                           "location" };
    json_t                  *value;
    size_t                   i;

    for (i = 0; i < COUNT(always); i++) {
        field_of(object, always[i]);
    }

    for (i = 0; i < COUNT(perhaps); i++) {
        value = json_object_get(object, perhaps[i]);
        fuzz_assert(value != NULL);
        fuzz_assert(json_is_null(value) || i >= 2);
    }

    value = json_object_get(object, "status");
    fuzz_assert(json_is_integer(value)
                == (strcmp(field_of(object, "answer"), "refuse") == 0));
}


/* A Location is visible ASCII and starts with exactly one "/". */
static void
judge_location(json_t *object)
{
    json_t     *value = json_object_get(object, "location");
    const char *p;

    if (!json_is_string(value)) {
        return;
    }

    p = json_string_value(value);
    fuzz_assert(p[0] == '/' && p[1] != '/');

    for (/* void */; *p != '\0'; p++) {
        fuzz_assert(*p > 0x20 && *p < 0x7f);
    }
}


/* The canonical URI is reported as canonical. */
static void
judge_canonical(void *conf, json_t *object)
{
    iri_str_t   uri = fuzz_text(field_of(object, "uri"));
    const char *form = field_of(object, "form");
    json_t     *again;
    iri_str_t   answer;

    if (strcmp(form, "ascii") == 0 || strcmp(form, "invalid") == 0) {
        return;
    }

    answer = batch(conf, uri);
    again = json_loadb((const char *) answer.data, answer.len,
                       JSON_REJECT_DUPLICATES, NULL);
    fuzz_assert(json_is_true(json_object_get(again, "ok")));
    fuzz_assert(strcmp(field_of(again, "answer"), "pass") == 0);
    fuzz_assert(strcmp(field_of(again, "path"), field_of(object, "path"))
                == 0);
    fuzz_assert(strcmp(field_of(again, "uri"), field_of(object, "uri")) == 0);
    fuzz_assert(json_is_null(json_object_get(again, "location")));
}


static void
judge_line(void *conf, iri_str_t line, iri_str_t answer, int again)
{
    json_t *object = json_loadb((const char *) answer.data, answer.len,
                                JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
                                NULL);
    json_t *offset;

    fuzz_assert(json_is_object(object));

    if (json_is_true(json_object_get(object, "ok"))) {
        judge_fields(object);
        judge_location(object);

        if (again) {
            judge_canonical(conf, object);
        }

    } else {
        fuzz_assert(json_is_false(json_object_get(object, "ok")));
        fuzz_assert(strlen(field_of(object, "error")) > 10);
        offset = json_object_get(object, "offset");
        fuzz_assert(json_is_integer(offset));
        fuzz_assert(json_integer_value(offset) >= 0
                    && (size_t) json_integer_value(offset) <= line.len);
    }
}


/* A line without special characters, escaped, has the same result. */
static void
judge_escapes(void *conf, iri_str_t line, iri_str_t answer)
{
    iri_str_t again;

    if (line.len == 0 || memchr(line.data, '\\', line.len) != NULL
        || memchr(line.data, '\t', line.len) != NULL)
    {
        return;
    }

    again = batch(conf, escaped_line(line));
    fuzz_assert(again.len == answer.len + 1
                && memcmp(again.data, answer.data, answer.len) == 0);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    iri_str_t lines = { size, data }, answers, answer, line;
    void     *conf;
    unsigned  what;

    fuzz_begin();

    if (size > 1) {
        what = fuzz_choice(lines, 0, 2 * MAX_CONFS);
        conf = confs[what % MAX_CONFS];
        lines = fuzz_given(iri_str_from(lines, 1));
        answers = batch(conf, lines);

        fuzz_assert(iri_str_count(answers, '\n') == count_lines(lines));

        line = line_of(lines, count_lines(lines) - 1);
        answer = line_of(answers, count_lines(lines) - 1);
        judge_line(conf, line, answer, what < MAX_CONFS);

        if (what >= MAX_CONFS) {
            judge_escapes(conf, line, answer);
        }
    }

    fuzz_end();

    return 0;
}
