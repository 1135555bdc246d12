/*
 * batch.c - --batch: lines of operands -> lines of JSON objects
 *
 * A line contains the operands, separated by TAB; the escapes "\\", "\t", "\n"
 * and "\xHH" represent octets.  One object answers each line, in the same
 * order, so that a program can use one process for many requests.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <apr_strings.h>

#include "cli.h"


/* Decode the escape after a backslash, of *taken octets; -1: not an escape.
   The line ends with an octet that is in no escape. */
static int
cli_line_escape(const char *p, size_t *taken)
{
    int octet = cli_log_escape(p, taken);

    return p[0] == '\0' || strchr("\\tnx", p[0]) == NULL
                   || (p[0] == 'x' && *taken == 1)
               ? -1
               : octet;
}


/* Split a line into call->operand; it is unescaped in place. */
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
                return "too many operands; write a TAB that belongs to an "
                       "operand as \"\\t\"";
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
        octet = cli_line_escape(line + from + 1, &taken);
        if (octet < 0) {
            return "\"\\\" must be followed by \"\\\", \"t\", \"n\" or "
                   "\"xHH\"";
        }
        line[to++] = (char) octet;
        from += 1 + taken;
    }
    return found == count ? NULL : "an operand is missing";
}


int
cli_answer(const cli_command_t *command, const void *conf, cli_call_t *call)
{
    iri_env_apr_init(&call->apr, call->pool, NULL, NULL);
    return command->answer(conf, call);
}


/* {"ok":true} and the command's fields, or {"ok":false} and the error. */
static int
cli_fill(const cli_command_t *command, const void *conf, cli_call_t *call)
{
    cli_set(call, "ok", json_true());
    if (call->error == NULL && cli_answer(command, conf, call) == 0) {
        return call->found ? CLI_FAILED : CLI_OK;
    }
    json_object_clear(call->object);
    cli_set(call, "ok", json_false());
    cli_set_text(call, "error", call->error);
    cli_set(call, "offset", cli_number(call->offset));
    if (call->character != NULL) {
        cli_set_text(call, "character", call->character);
    }
    return CLI_FAILED;
}


/* Answer one line.  Returns: CLI_OK or CLI_FAILED. */
static int
cli_answer_line(const cli_command_t *command, const void *conf,
                apr_pool_t *pool, char *line, size_t len, FILE *out)
{
    cli_call_t call;
    int        code;

    memset(&call, 0, sizeof(call));
    call.pool = pool;
    call.object = json_object();
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

    apr_pool_create(&each, pool);
    while ((len = getline(&line, &size, in)) > 0) {
        if (line[len - 1] == '\n') {
            len--;
        }
        if (cli_answer_line(command, conf, each, line, (size_t) len, out)) {
            code = CLI_FAILED;
        }
        apr_pool_clear(each);
        /* The other program may wait for each answer. */
        fflush(out);
    }
    free(line);
    return ferror(in) || ferror(out) ? CLI_FAILED : code;
}
