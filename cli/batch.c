/*
 * batch.c - operands as lines in, JSON objects as lines out
 *
 * A line holds the operands divided by TAB, in which "\\", "\t", "\n" and
 * "\xHH" stand for octets; each line gets one object, in order, so that
 * another program can keep one process for many questions.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <apr_strings.h>

#include "cli.h"


/* The octet for what follows a backslash, *taken octets; -1: nothing does. */
static int
cli_line_escape(const char *p, size_t left, size_t *taken)
{
    *taken = 1;
    switch (left > 0 ? p[0] : '\0') {
    case '\\':
        return '\\';
    case 't':
        return '\t';
    case 'n':
        return '\n';
    case 'x':
        if (left >= 3 && cli_hex(p[1]) >= 0 && cli_hex(p[2]) >= 0) {
            *taken = 3;
            return cli_hex(p[1]) * 16 + cli_hex(p[2]);
        }
    }
    return -1;
}


/* Divides a line, which is unescaped in place, into call->operand. */
static const char *
cli_line_split(char *line, size_t len, size_t count, cli_call_t *call)
{
    size_t from = 0, to = 0, start = 0, found = 0;

    while (from <= len) {
        size_t taken;
        int    octet;

        call->offset = from;
        if (from == len || line[from] == '\t') {
            if (found == count) {
                return "there are more operands than the command takes; "
                       "a TAB itself is \"\\t\"";
            }
            call->operand[found].data = (unsigned char *) line + start;
            call->operand[found++].len = to - start;
            start = to;
            from++;
            continue;
        }
        if (line[from] != '\\') {
            line[to++] = line[from++];
            continue;
        }
        octet = cli_line_escape(line + from + 1, len - from - 1, &taken);
        if (octet < 0) {
            return "after \"\\\" stands \"\\\", \"t\", \"n\" or \"xHH\"";
        }
        line[to++] = (char) octet;
        from += 1 + taken;
    }
    return found == count ? NULL : "an operand is missing";
}


/* {"ok":true} and the command's fields, or {"ok":false} and the error. */
static int
cli_fill(const cli_command_t *command, const void *conf, cli_call_t *call)
{
    json_object_set_new(call->object, "ok", json_true());
    if (call->error == NULL && command->answer(conf, call) == 0) {
        return call->found ? CLI_FAILED : CLI_OK;
    }
    json_object_clear(call->object);
    json_object_set_new(call->object, "ok", json_false());
    cli_set_text(call, "error", call->error);
    json_object_set_new(call->object, "offset",
                        json_integer((json_int_t) call->offset));
    if (call->character != NULL) {
        cli_set_text(call, "character", call->character);
    }
    return CLI_FAILED;
}


/* One line; CLI_FAILED also where it could not be answered, or found. */
static int
cli_answer_line(const cli_command_t *command, const void *conf,
                apr_pool_t *pool, char *line, size_t len, FILE *out)
{
    cli_call_t call;
    int        code;

    memset(&call, 0, sizeof(call));
    call.pool = pool;
    call.object = json_object();
    if (call.object == NULL) {
        return CLI_FAILED;
    }
    call.objects = out;
    call.error = cli_line_split(line, len, command->count, &call);
    code = cli_fill(command, conf, &call);
    if (json_dumpf(call.object, out, JSON_COMPACT) != 0) {
        code = CLI_FAILED;
    }
    putc('\n', out);
    json_decref(call.object);
    return code;
}


int
cli_batch(const cli_command_t *command, const void *conf, apr_pool_t *pool,
          FILE *in, FILE *out)
{
    apr_pool_t *each;
    char       *line = NULL;
    size_t      size = 0;
    ssize_t     len;
    int         code = CLI_OK;

    if (apr_pool_create(&each, pool) != APR_SUCCESS) {
        return CLI_FAILED;
    }
    while ((len = getline(&line, &size, in)) > 0) {
        if (line[len - 1] == '\n') {
            len--;
        }
        if (cli_answer_line(command, conf, each, line, (size_t) len, out)) {
            code = CLI_FAILED;
        }
        apr_pool_clear(each);
        /* Who keeps one process for many questions waits for each answer. */
        fflush(out);
    }
    free(line);
    return ferror(in) || ferror(out) ? CLI_FAILED : code;
}
