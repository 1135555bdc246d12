/*
 * lint.c - `iri lint`: names in a tree that cause problems
 *
 * Reads a tree directory by directory; the core (iri_lint) checks the names of
 * each directory together.  Nothing is changed: --plan prints renames as lines
 * for a shell.
 */

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "base/iri_string.h"

#include "cli.h"

typedef struct {
    cli_settings_t  settings;
    iri_lint_conf_t lint;
    cli_plan_t      plan;
} lint_conf_t;

static const char *
lint_option_only(const cli_option_t *option, void *conf, const char *value);

static const char *const lint_plans[] = { "mv", "convmv", NULL };

static const cli_option_t lint_options[] = {
    CLI_OPTION_CHARSET,
    CLI_OPTION_FILENAME_CHARSET,
    CLI_OPTION_FILENAME_FORM,
    { "match", "report collisions at these levels of iri_match",
      cli_option_flags, offsetof(lint_conf_t, lint.match), &iri_match_words },
    { "only", "report only these findings", lint_option_only, 0, NULL },
    { "plan", "print renames to UTF-8 in NFC, with mv or convmv",
      cli_option_word, offsetof(lint_conf_t, plan), lint_plans },
    CLI_OPTIONS_FOR_ALL
};

static const char lint_help[] =
    "Findings, of which --only takes a list:\n"
    "  unreadable   no charset of the tree can decode the name\n"
    "  unreachable  has a control character, or is too long for any request\n"
    "  charset      decoded with another charset than it seems to be written "
    "in\n"
    "  mojibake     UTF-8 that was decoded as windows-1252 and encoded again\n"
    "  twin         two entries have the same name: the servers find only "
    "one\n"
    "  collision    two names are the same if iri_match ignores width, case, "
    "...;\n"
    "               or are one edit apart, if --match has spelling\n"
    "  form         a request for it in a legacy charset finds another entry\n"
    "  nfc, nfkc    not normalized\n"
    "  bidi         displayed in another order than written\n"
    "  look-alike   looks like another name or like ASCII; mixed scripts\n"
    "  reserved     contains ? # [ ] % or \\\n"
    "  long         over 255 octets in UTF-8\n"
    "  legacy       not written in UTF-8 (reported only with --only)\n\n"
    "Without --match, collisions at the levels width, case and accents are\n"
    "reported. Links to directories are not followed. Exit code 0: no "
    "findings;\n"
    "1: findings.\n"
    "A plan is for bash, ksh or zsh; read it before you run it. An entry that\n"
    "cannot be renamed gets a comment. Mojibake, which is a guess, is renamed\n"
    "only with --only mojibake, and, as percent, always with mv.\n"
    "With --batch each finding is an object: kind path name other match charset\n"
    "meant why; the last object of a line has ok directories names findings, and\n"
    "kinds (the number of findings by kind).\n\n"
    "Examples:\n"
    "  iri lint /srv/www\n"
    "  iri lint --filename-charset utf-8,euc-jp --match case /srv/old\n"
    "  iri lint --filename-charset euc-jp --plan mv /srv/old > plan.sh\n"
    "  iri lint --only mojibake --plan mv /srv/old > plan.sh\n";

/* The kinds that are reported without --only. */
#define LINT_DEFAULT ((1u << IRI_LINT_KINDS) - 1u - (1u << IRI_LINT_LEGACY))
#define LINT_RENAME                                                          \
    ((1u << IRI_LINT_NFC) | (1u << IRI_LINT_LEGACY)                          \
     | (1u << IRI_LINT_MOJIBAKE))
#define LINT_PLANNED                                                         \
    ((1u << IRI_LINT_NFC) | (1u << IRI_LINT_LEGACY)                          \
     | (1u << IRI_LINT_UNREADABLE))
#define LINT_OBSTACLES ((1u << IRI_LINT_TWIN) | (1u << IRI_LINT_LONG))

/* A rename in the current directory. */
typedef struct {
    iri_finding_t finding; /* its name is the new name */
    const char   *why_not; /* why the entry is not renamed; NULL: it is */
} lint_rename_t;

typedef struct {
    const lint_conf_t  *conf;
    cli_call_t         *call;
    const char         *root;
    apr_pool_t         *dir_pool;  /* cleared after each directory */
    const char         *path;      /* the current directory: "" or "a/b/" */
    const char         *dir_name;  /* path, decoded, to print it */
    apr_array_header_t *names;     /* of its entries, iri_str_t */
    apr_array_header_t *renames;   /* in it, lint_rename_t * */
    apr_hash_t         *rename_of; /* octets -> lint_rename_t */
    apr_array_header_t *plan;      /* text for each directory, char * */
    uint64_t            count[IRI_LINT_KINDS]; /* findings by kind */
    uint64_t            findings;
    uint64_t            all_names;
    uint64_t            directories;
    int                 incomplete; /* 1: a directory could not be read */
} lint_run_t;


/* ---- settings ------------------------------------------------------------ */

static void
lint_create(void *data)
{
    lint_conf_t *conf = data;

    cli_settings_create(conf);
    conf->lint.confusables = cli_or_exit(iri_confusables_create());
    conf->lint.detector = cli_or_exit(
        iri_detector_create(conf->settings.common.registry));
    conf->plan = CLI_PLAN_NONE;
    conf->lint.match = IRI_FOLD_WIDTH | IRI_FOLD_CASE | IRI_FOLD_ACCENTS;
}


static const char *
lint_option_only(const cli_option_t *option, void *data, const char *value)
{
    lint_conf_t     *conf = data;
    const iri_str_t *words;
    size_t           i, count;
    const char *wrong = cli_option_list(option, conf, value, &words, &count);
    iri_lint_kind_t kind;

    for (i = 0; wrong == NULL && i < count; i++) {
        kind = iri_lint_kind(words[i]);
        if (kind == IRI_LINT_KINDS) {
            return apr_psprintf(conf->settings.common.pool,
                                "has the unknown finding \"%.*s\"; for a "
                                "list see: iri help lint",
                                (int) words[i].len,
                                (const char *) words[i].data);
        }
        conf->lint.kinds |= 1u << kind;
    }
    return wrong;
}


/* Mojibake is detected by a guess, so it is renamed only with --only. */
static const char *
lint_ready_plan(lint_conf_t *conf)
{
    unsigned only = conf->lint.kinds;

    if (only != 0 && (only & LINT_RENAME) == 0) {
        return "--plan renames the findings nfc, legacy and mojibake; --only "
               "lists none of these";
    }
    conf->lint.kinds = (only != 0
                            ? only & (LINT_PLANNED | 1u << IRI_LINT_MOJIBAKE)
                            : LINT_PLANNED)
                       | LINT_OBSTACLES;
    return NULL;
}


static const char *
lint_ready(void *data)
{
    lint_conf_t *conf = data;
    const char  *wrong = cli_settings_ready(conf);

    conf->lint.match &= ~IRI_FOLD_EXACT_ONLY;
    conf->lint.requests = &conf->settings.reading.charsets;
    conf->lint.tree = &conf->settings.tree;
    if (wrong == NULL && conf->plan != CLI_PLAN_NONE) {
        return lint_ready_plan(conf);
    }
    if (conf->lint.kinds == 0) {
        conf->lint.kinds = LINT_DEFAULT;
    }
    return wrong;
}


/* ---- output of findings -------------------------------------------------- */

/* The path of an entry; octets empty: of the current directory. */
static iri_str_t
lint_path(const lint_run_t *run, iri_str_t octets)
{
    return cli_str(apr_psprintf(run->dir_pool, "./%s%.*s", run->path,
                                (int) octets.len,
                                (const char *) octets.data));
}


/* Set a field; null if the octets are empty. */
static void
lint_set(cli_call_t *line, const char *name, iri_str_t octets)
{
    if (octets.len == 0) {
        octets.data = NULL;
    }
    cli_set_optional(line, name, octets);
}


static int
lint_object(const lint_run_t *run, const iri_finding_t *finding)
{
    cli_call_t line;
    iri_str_t  none = { 0, NULL };
    int        failed;

    memset(&line, 0, sizeof(line));
    line.pool = run->dir_pool;
    line.object = json_object();
    cli_set_text(&line, "kind", iri_lint_text(finding->kind));
    cli_set_octets(&line, "path", lint_path(run, finding->octets));
    lint_set(&line, "name", finding->name);
    lint_set(&line, "other",
             finding->other.len != 0 ? lint_path(run, finding->other) : none);
    lint_set(&line, "match",
             finding->kind == IRI_LINT_COLLISION
                 ? cli_str(iri_match_text(finding->match))
                 : none);
    lint_set(&line, "charset", finding->charset);
    lint_set(&line, "meant", finding->meant);
    lint_set(&line, "why",
             finding->why != NULL ? cli_str(finding->why) : none);
    failed = json_dumpf(line.object, run->call->objects, JSON_COMPACT);
    putc('\n', run->call->objects);
    json_decref(line.object);
    return failed;
}


/*
 * Print the path of an entry.  If its octets are not the UTF-8 of its name, or
 * another name looks the same, print it escaped, and its name in quotes.
 */
static void
lint_show_path(const lint_run_t *run, iri_lint_kind_t kind, iri_str_t octets,
               iri_str_t name)
{
    iri_str_t path = lint_path(run, octets), shown;

    if (kind != IRI_LINT_TWIN && kind != IRI_LINT_LOOK_ALIKE
        && strcmp(run->dir_name, run->path) == 0
        && iri_str_equal(octets, name))
    {
        cli_print(stdout, path);
        return;
    }
    shown = cli_escaped(run->dir_pool, path);
    cli_print(stdout, shown);
    if (name.len != 0 && shown.len != path.len) {
        fputs("  \"", stdout);
        fputs(run->dir_name, stdout);
        cli_print(stdout, name);
        putchar('"');
    }
}


static void
lint_line(const lint_run_t *run, const iri_finding_t *finding)
{
    printf("%s%-11s%s  ", cli_bold(), iri_lint_text(finding->kind),
           cli_reset());
    lint_show_path(run, finding->kind, finding->octets, finding->name);
    if (finding->other.len != 0) {
        fputs("  and  ", stdout);
        lint_show_path(run, finding->kind, finding->other,
                       finding->other_name);
    }
    if (finding->kind == IRI_LINT_COLLISION) {
        printf("  (%s)", iri_match_text(finding->match));
    } else if (finding->why != NULL) {
        printf("  (%s)", finding->why);
    } else if (finding->charset.len != 0) {
        printf("  (%.*s)", (int) finding->charset.len,
               (const char *) finding->charset.data);
    }
    if (finding->meant.len != 0) {
        fputs("  \"", stdout);
        cli_print(stdout, finding->meant);
        putchar('"');
    }
    putchar('\n');
}


/* ---- the plan ------------------------------------------------------------ */

/* Add a rename.  An entry gets at most one; the next plan finds the others. */
static void
lint_plan_rename(lint_run_t *run, const iri_finding_t *finding)
{
    lint_rename_t *rename;

    if (cli_hash_get(run->rename_of, finding->octets) != NULL) {
        return;
    }
    rename = apr_pcalloc(run->dir_pool, sizeof(*rename));
    rename->finding = *finding;
    rename->finding.name = cli_copy(
        run->dir_pool,
        finding->kind == IRI_LINT_MOJIBAKE ? finding->meant : finding->name);
    if (finding->kind == IRI_LINT_UNREADABLE) {
        rename->why_not = "no charset of the tree can decode it";
    }
    APR_ARRAY_PUSH(run->renames, lint_rename_t *) = rename;
    cli_hash_set(run->rename_of, finding->octets, rename);
}


/* Mark the rename of an entry, if there is one, as not possible. */
static void
lint_plan_obstacle(lint_run_t *run, iri_str_t octets, const char *why_not)
{
    lint_rename_t *rename = cli_hash_get(run->rename_of, octets);

    if (rename != NULL) {
        rename->why_not = why_not;
    }
}


static void
lint_plan_finding(lint_run_t *run, const iri_finding_t *finding)
{
    const char *why_not = finding->kind == IRI_LINT_TWIN
                              ? "another entry has the same name"
                              : "it would be too long in UTF-8";

    if ((1u << finding->kind & LINT_OBSTACLES) == 0) {
        lint_plan_rename(run, finding);
        return;
    }
    lint_plan_obstacle(run, finding->octets, why_not);
    lint_plan_obstacle(run, finding->other, why_not);
}


/* Mark renames whose target exists; mv -n would silently skip them. */
static void
lint_plan_check(const lint_run_t *run)
{
    apr_hash_t    *taken = cli_hash_make(run->dir_pool);
    lint_rename_t *rename;
    iri_str_t      name;
    int            i;

    for (i = 0; i < run->names->nelts; i++) {
        name = APR_ARRAY_IDX(run->names, i, iri_str_t);
        cli_hash_set(taken, name, "");
    }
    for (i = 0; i < run->renames->nelts; i++) {
        rename = APR_ARRAY_IDX(run->renames, i, lint_rename_t *);
        name = rename->finding.name;
        if (name.len == 0) {
            continue; /* it is not decoded */
        }
        if (rename->why_not == NULL && cli_hash_get(taken, name) != NULL) {
            rename->why_not = "an entry with the new name exists, or is "
                              "planned";
        }
        cli_hash_set(taken, name, "");
    }
}


static void
lint_plan_line(const lint_run_t *run, const lint_rename_t *rename, FILE *out)
{
    const iri_finding_t *finding = &rename->finding;
    iri_str_t            path = lint_path(run, finding->octets);
    iri_str_t  from = finding->kind == IRI_LINT_LEGACY ? finding->charset
                                                       : cli_str("UTF-8");
    cli_plan_t plan = run->conf->plan;

    if (rename->why_not != NULL) {
        cli_rename_skipped(out, path, rename->why_not);
        return;
    }
    /* convmv can neither undo a double encoding nor decode escapes. */
    if (finding->kind == IRI_LINT_MOJIBAKE
        || iri_str_equal(from, cli_str("percent")))
    {
        plan = CLI_PLAN_MV;
    }
    cli_rename(out, plan, path, finding->name, from);
}


/* Write the plan of a directory to memory, since the plans are printed in
   reverse order: deeper entries must be renamed first. */
static int
lint_plan_directory(lint_run_t *run)
{
    char  *text = NULL;
    size_t size = 0;
    FILE  *out;
    int    i;

    if (run->renames->nelts == 0) {
        return 0;
    }
    out = open_memstream(&text, &size);
    if (out == NULL) {
        return -1;
    }
    lint_plan_check(run);
    for (i = 0; i < run->renames->nelts; i++) {
        lint_plan_line(run, APR_ARRAY_IDX(run->renames, i, lint_rename_t *),
                       out);
    }
    if (fclose(out) != 0) {
        free(text);
        return -1;
    }
    APR_ARRAY_PUSH(run->plan, char *) = text;
    return 0;
}


static void
lint_print_plan(lint_run_t *run)
{
    int i;

    printf(
        "# run with bash, ksh or zsh in the directory given to iri lint\n");
    for (i = run->plan->nelts; i-- > 0;) {
        char *text = APR_ARRAY_IDX(run->plan, i, char *);

        fputs(text, stdout);
        free(text);
    }
}


/* ---- walk ---------------------------------------------------------------- */

static iri_status_t
lint_on_finding(void *arg, const iri_finding_t *finding)
{
    lint_run_t *run = arg;

    run->count[finding->kind]++;
    run->findings++;
    if (run->conf->plan != CLI_PLAN_NONE) {
        lint_plan_finding(run, finding);
    } else if (run->call->objects != NULL) {
        return lint_object(run, finding) == 0 ? IRI_OK : IRI_NO_MEMORY;
    } else {
        lint_line(run, finding);
    }
    return IRI_OK;
}


/* The path of the current directory for a terminal, decoded by the first
   charset of the tree that can decode it, or with its octets escaped. */
static const char *
lint_dir_name(const lint_run_t *run, const iri_env_t *env)
{
    const iri_charsets_t *charsets = &run->conf->lint.tree->charsets;
    iri_converted_t       name = { { 0, NULL }, "", 0 };
    iri_str_t             path = cli_str(run->path);
    size_t                i;

    for (i = 0; i < charsets->count && name.why != NULL; i++) {
        if (iri_decode(env, charsets->at[i], path, &name) != IRI_OK) {
            return NULL;
        }
    }
    return cli_printable(run->dir_pool, name.why == NULL ? name.value : path);
}


static iri_status_t
lint_names(lint_run_t *run)
{
    iri_env_apr_t apr_env;
    iri_status_t  status;

    iri_env_apr_init(&apr_env, run->dir_pool, NULL, NULL);
    run->dir_name = lint_dir_name(run, &apr_env.env);
    if (run->dir_name == NULL) {
        return IRI_NO_MEMORY;
    }
    apr_env.env.fold_keys = run->conf->settings.fold_keys;
    run->renames = apr_array_make(run->dir_pool, 8, sizeof(lint_rename_t *));
    run->rename_of = cli_hash_make(run->dir_pool);
    status = iri_lint(&apr_env.env, &run->conf->lint,
                      (const iri_str_t *) (void *) run->names->elts,
                      (size_t) run->names->nelts, lint_on_finding, run);
    run->all_names += (uint64_t) run->names->nelts;
    if (status == IRI_OK && run->conf->plan != CLI_PLAN_NONE
        && lint_plan_directory(run) != 0)
    {
        return IRI_NO_MEMORY;
    }
    return status;
}


static void
lint_warn_unreadable(lint_run_t *run, apr_status_t rv)
{
    char      text[128];
    iri_str_t path = lint_path(run, cli_str(""));

    fprintf(stderr, "iri lint: cannot read \"%s\": %s\n",
            cli_printable(run->dir_pool, path),
            apr_strerror(rv, text, sizeof(text)));
    run->incomplete = 1;
}


/* Check the names of a directory. */
static iri_status_t
lint_visit(void *arg, cli_directory_t *directory)
{
    lint_run_t *run = arg;

    run->dir_pool = directory->pool;
    run->path = directory->path;
    run->names = directory->names;
    run->directories++;
    if (directory->error != APR_SUCCESS) {
        lint_warn_unreadable(run, directory->error);
    }
    return lint_names(run);
}


/* ---- the answer ---------------------------------------------------------- */

static const char *
lint_root(lint_run_t *run, cli_call_t *call)
{
    iri_str_t operand = call->operand[0];

    if (operand.len == 0 || memchr(operand.data, '\0', operand.len) != NULL) {
        return "the name of the directory is empty or has a NUL";
    }
    run->root = apr_pstrmemdup(call->pool, (const char *) operand.data,
                               operand.len);
    return cli_check_directory(call->pool, run->root);
}


static void
lint_fill(const lint_run_t *run)
{
    json_t *kinds = json_object();
    int     kind;

    for (kind = 0; kind < IRI_LINT_KINDS; kind++) {
        if (run->count[kind] != 0) {
            json_object_set_new(kinds, iri_lint_text((iri_lint_kind_t) kind),
                                cli_number(run->count[kind]));
        }
    }
    cli_set(run->call, "directories", cli_number(run->directories));
    cli_set(run->call, "names", cli_number(run->all_names));
    cli_set(run->call, "findings", cli_number(run->findings));
    cli_set(run->call, "kinds", kinds);
}


static int
lint_answer(const void *data, cli_call_t *call)
{
    lint_run_t   run;
    iri_status_t status;

    memset(&run, 0, sizeof(run));
    run.conf = data;
    run.call = call;
    call->no_offset = 1;
    call->error = call->objects != NULL && run.conf->plan != CLI_PLAN_NONE
                      ? "--plan and --batch cannot be combined"
                      : lint_root(&run, call);
    if (call->error != NULL) {
        return -1;
    }
    run.plan = apr_array_make(call->pool, 8, sizeof(char *));
    status = cli_walk(call->pool, run.root, 0, lint_visit, &run);
    if (status != IRI_OK) {
        return cli_fail(call, status);
    }
    lint_fill(&run);
    if (run.conf->plan != CLI_PLAN_NONE) {
        lint_print_plan(&run);
    }
    call->found = run.incomplete
                  || (run.findings != 0 && run.conf->plan == CLI_PLAN_NONE);
    return 0;
}


static void
lint_show(const void *data, cli_call_t *call)
{
    const lint_conf_t *conf = data;
    json_t            *kinds = json_object_get(call->object, "kinds");
    FILE              *out = conf->plan == CLI_PLAN_NONE ? stdout : stderr;
    const char        *name;
    json_t            *count;

    fputs(json_object_size(kinds) != 0 && out == stdout ? "\n" : "", out);
    cli_print_count(out, call->object, "names", "name");
    fputs(" in ", out);
    cli_print_count(out, call->object, "directories", "directory");
    fputs(", ", out);
    cli_print_count(out, call->object, "findings", "finding");
    fputc('\n', out);
    if (out == stderr) {
        return;
    }
    json_object_foreach(kinds, name, count)
    {
        printf("  %-11s %8lld  %s\n", name, json_integer_value(count),
               iri_lint_clause(iri_lint_kind(cli_str(name))));
    }
}


const cli_command_t cli_lint = {
    .name = "lint",
    .operands = "DIR",
    .count = 1,
    .about = "find names in a tree that cause problems",
    .help = lint_help,
    .options = lint_options,
    .size = sizeof(lint_conf_t),
    .create = lint_create,
    .ready = lint_ready,
    .answer = lint_answer,
    .show = lint_show,
};
