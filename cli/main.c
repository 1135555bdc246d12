/*
 * main.c - the command iri: table of commands, options, help
 *
 *     iri COMMAND [options] [operands]
 */

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "cli.h"

/* To add a command, write a file with a cli_command_t, and add a row here. */
static const cli_command_t *const cli_commands[] = {
    &cli_advise,    &cli_explain, &cli_host,   &cli_check,   &cli_split,
    &cli_to_uri,    &cli_to_iri,  &cli_equal,  &cli_resolve, &cli_relativize,
    &cli_normalize, &cli_decode,  &cli_encode, &cli_bidi,    &cli_lint,
    &cli_replay,    &cli_log,
};

#define CLI_COMMANDS (sizeof(cli_commands) / sizeof(cli_commands[0]))

/* A parsed command line. */
typedef struct {
    apr_pool_t          *pool;
    const cli_command_t *command;
    cli_common_t        *conf;
    const char          *wrong; /* the error of apr_getopt; NULL: none */
} cli_line_t;


static void
cli_usage(FILE *out)
{
    size_t i;

    fputs(
        "Usage: iri COMMAND [options] [operands]\n\n"
        "Shows how the modules mod_iri (httpd) and ngx_iri (nginx) interpret "
        "the paths\nand hosts of requests; checks, converts and compares "
        "IRIs.\n\nCommands:\n",
        out);
    for (i = 0; i < CLI_COMMANDS; i++) {
        fprintf(out, "  %-10s %s\n", cli_commands[i]->name,
                cli_commands[i]->about);
    }
    fputs(
        "  help       show the help of a command: iri help COMMAND\n\n"
        "Options:\n"
        "  --help     show this text, also -h\n"
        "  --version  show the version, also -V\n\n"
        "Exit codes: 0 success; 1 failure, finding, warning or \"false\"; 2 "
        "wrong usage.\n"
        "\"Draft\" is draft-duerst-iri-03, a draft of RFC 3987.\n",
        out);
}


static void
cli_help(const cli_command_t *command)
{
    const cli_option_t *option;

    printf("Usage: iri %s [options] %s\n       iri %s [options] --batch "
           "< LINES\n\n%c%s.\n\nOptions:\n",
           command->name, command->operands, command->name,
           command->about[0] - 'a' + 'A', command->about + 1);
    for (option = command->options; option->name != NULL; option++) {
        const char *value = option->set != NULL ? " VALUE" : "";

        printf("  --%s%s%*s%s\n", option->name, value,
               (int) (26 - strlen(option->name) - strlen(value)), "",
               option->about);
    }
    printf("\n%s", command->help);
}


/* Called by APR where memory is exhausted, so that no caller tests for it. */
static int
cli_no_memory(int status)
{
    (void) status;
    fputs("iri: out of memory\n", stderr);
    exit(CLI_FAILED);
}


/* The same for jansson. */
static void *
cli_malloc(size_t size)
{
    void *p = malloc(size);

    if (p == NULL) {
        cli_no_memory(APR_ENOMEM);
    }
    return p;
}


static const cli_command_t *
cli_find(const char *name)
{
    size_t i;

    for (i = 0; i < CLI_COMMANDS; i++) {
        if (strcmp(cli_commands[i]->name, name) == 0) {
            return cli_commands[i];
        }
    }
    return NULL;
}


/* A hint for a word that is not a command. */
static const char *
cli_command_hint(const char *word)
{
    if (word[0] == '-') {
        return "Write the command before its options; see: iri help";
    }
    return strchr(word, '/') ? "For a path or a URL: iri explain TARGET"
                             : "See: iri help";
}


static int
cli_unknown_command(apr_pool_t *pool, const char *word)
{
    size_t i;

    fprintf(stderr, "iri: \"%s\" is not a command; commands are:",
            cli_printable(pool, cli_str(word)));
    for (i = 0; i < CLI_COMMANDS; i++) {
        fprintf(stderr, " %s,", cli_commands[i]->name);
    }
    fprintf(stderr, " help\n%s\n", cli_command_hint(word));
    return CLI_USAGE;
}


static int
cli_usage_error(const cli_line_t *line, const char *wrong)
{
    const cli_option_t *option = line->command->options;

    fprintf(stderr, "%siri %s:%s ", cli_color(stderr, CLI_RED),
            line->command->name, cli_color(stderr, CLI_RESET));
    /* The message may contain the value of an option. */
    cli_print(stderr, cli_str(wrong));
    fputc('\n', stderr);
    /* List the options only if an option was unknown. */
    if (line->wrong != NULL) {
        fputs("Options are:", stderr);
        for (; option->name != NULL; option++) {
            fprintf(stderr, " --%s", option->name);
        }
        fputs("\nWrite -- before an operand that begins with \"-\"\n",
              stderr);
    }
    fprintf(stderr, "See: iri help %s\n", line->command->name);
    return CLI_USAGE;
}


/* Store the message of apr_getopt, "NAME: text\n", for cli_usage_error. */
static void
cli_getopt_error(void *arg, const char *format, ...)
{
    cli_line_t *line = arg;
    va_list     args;
    char       *text, *end;

    va_start(args, format);
    text = apr_pvsprintf(line->pool, format, args);
    va_end(args);
    end = strchr(text, '\n');
    if (end != NULL) {
        *end = '\0';
    }
    text = strchr(text, ':');
    line->wrong = text ? text + 2 : "wrong option";
}


/* The options of a command for apr_getopt_long(): the codes are "h" for help,
   which is the last one, and 256 + index for the others. */
static const apr_getopt_option_t *
cli_getopt_table(const cli_line_t *line, int *count)
{
    const cli_option_t  *option = line->command->options;
    apr_getopt_option_t *table;
    int                  i;

    for (*count = 0; option[*count].name != NULL; (*count)++) {
    }
    table = apr_pcalloc(line->pool, ((size_t) *count + 1) * sizeof(table[0]));
    for (i = 0; i < *count; i++) {
        table[i].name = option[i].name;
        table[i].optch = i == *count - 1 ? 'h' : 256 + i;
        table[i].has_arg = option[i].set != NULL;
    }
    return table;
}


/* Read the options.  Returns: NULL, or the error. */
static const char *
cli_read_options(cli_line_t *line, apr_getopt_t *os)
{
    const cli_command_t       *command = line->command;
    const cli_option_t        *option;
    const apr_getopt_option_t *table;
    const char                *value, *wrong;
    apr_status_t               rv;
    int                        code, count;

    table = cli_getopt_table(line, &count);
    while ((rv = apr_getopt_long(os, table, &code, &value)) == APR_SUCCESS) {
        option = command->options + (code == 'h' ? count - 1 : code - 256);
        wrong = cli_option_set(option, line->conf, value);
        if (wrong != NULL) {
            return apr_psprintf(line->pool, "--%s %s", option->name, wrong);
        }
    }
    if (rv != APR_EOF) {
        return line->wrong;
    }
    return line->conf->help || command->ready == NULL
               ? NULL
               : command->ready(line->conf);
}


/* Answer the operands of the command line as text. */
static int
cli_answer_operands(cli_line_t *line, apr_getopt_t *os)
{
    const cli_command_t *command = line->command;
    cli_call_t           call;
    size_t               i;
    int                  code = CLI_OK;

    memset(&call, 0, sizeof(call));
    call.pool = line->pool;
    call.trace = stdout;
    for (i = 0; i < command->count; i++) {
        call.operand[i] = cli_str(os->argv[os->ind + (int) i]);
    }
    call.extra = os->argv + os->ind + command->count;
    call.extra_count = (size_t) (os->argc - os->ind) - command->count;
    call.object = json_object();
    if (cli_answer(command, line->conf, &call) != 0) {
        fprintf(stderr, "%siri %s:%s %s", cli_color(stderr, CLI_RED),
                command->name, cli_color(stderr, CLI_RESET), call.error);
        if (!call.no_offset) {
            fprintf(stderr, " (offset %lu)", (unsigned long) call.offset);
        }
        fputc('\n', stderr);
        code = CLI_FAILED;
    } else {
        if (command->show != NULL) {
            command->show(line->conf, &call);
        } else {
            cli_show_value(&call);
        }
        code = call.found ? CLI_FAILED : CLI_OK;
    }
    json_decref(call.object);
    return code;
}


/* Check the number of operands.  Returns: NULL, or the error. */
static const char *
cli_check_operands(const cli_line_t *line, const char *const *given,
                   size_t count)
{
    const cli_command_t *command = line->command;

    if (line->conf->batch) {
        return count == 0 ? NULL
                          : "--batch reads operands from standard input, "
                            "not from the command line";
    }
    if (count < command->count) {
        return apr_psprintf(line->pool,
                            count == 0 ? "missing operand: %s"
                                       : "an operand is missing: %s",
                            command->operands);
    }
    if (count == command->count || strstr(command->operands, "...") != NULL) {
        return NULL;
    }
    return apr_psprintf(
        line->pool,
        "takes only %s; unexpected operand \"%s\" (quote "
        "operands with blanks; for many use --batch)",
        command->operands,
        cli_printable(line->pool, cli_str(given[command->count])));
}


static int
cli_run(cli_line_t *line, int argc, const char *const *argv)
{
    apr_getopt_t *os;
    const char   *wrong;

    line->conf = cli_conf_create(line->command, line->pool);
    apr_getopt_init(&os, line->pool, argc, argv);
    os->interleave = 1;
    os->errfn = cli_getopt_error;
    os->errarg = line;
    wrong = cli_read_options(line, os);
    if (wrong != NULL) {
        return cli_usage_error(line, wrong);
    }
    if (line->conf->help) {
        cli_help(line->command);
        return CLI_OK;
    }
    wrong = cli_check_operands(line, os->argv + os->ind,
                               (size_t) (os->argc - os->ind));
    if (wrong != NULL) {
        return cli_usage_error(line, wrong);
    }
    if (line->conf->batch) {
        return cli_batch(line->command, line->conf, line->pool, stdin,
                         stdout);
    }
    return cli_answer_operands(line, os);
}


static int
cli_is_option(const char *word, const char *name, const char *letter)
{
    return strcmp(word, name) == 0 || strcmp(word, letter) == 0;
}


/* `iri help`, `iri help COMMAND` and the equivalent options. */
static int
cli_run_help(apr_pool_t *pool, const char *name)
{
    const cli_command_t *command;

    if (name == NULL || strcmp(name, "help") == 0
        || cli_is_option(name, "--help", "-h"))
    {
        cli_usage(stdout);
        return CLI_OK;
    }
    command = cli_find(name);
    if (command == NULL) {
        return cli_unknown_command(pool, name);
    }
    cli_help(command);
    return CLI_OK;
}


static int
cli_main(apr_pool_t *pool, int argc, const char *const *argv)
{
    cli_line_t line;

    if (argc < 2) {
        cli_usage(stderr);
        return CLI_USAGE;
    }
    if (cli_is_option(argv[1], "--version", "-V")) {
        puts("iri " IRI_VERSION);
        return CLI_OK;
    }
    if (cli_is_option(argv[1], "--help", "-h")
        || strcmp(argv[1], "help") == 0) {
        return cli_run_help(pool, argc > 2 ? argv[2] : NULL);
    }
    memset(&line, 0, sizeof(line));
    line.pool = pool;
    line.command = cli_find(argv[1]);
    return line.command ? cli_run(&line, argc - 1, argv + 1)
                        : cli_unknown_command(pool, argv[1]);
}


int
main(int argc, const char *const *argv)
{
    apr_pool_t *pool;
    int         code;

    if (apr_initialize() != APR_SUCCESS) {
        return CLI_FAILED;
    }
    atexit(apr_terminate);
    json_set_alloc_funcs(cli_malloc, free);
    if (apr_pool_create_ex(&pool, NULL, cli_no_memory, NULL) != APR_SUCCESS) {
        return CLI_FAILED;
    }
    code = cli_main(pool, argc, argv);
    apr_pool_destroy(pool);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("iri");
        return CLI_FAILED;
    }
    return code;
}
