/*
 * lint.c - `iri lint`: names of a tree that clients will have trouble with
 *
 * Reads directory by directory, and lets the core look at the names of each
 * together.  Nothing is changed: --plan prints what would mend the names.
 */

#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include "cli.h"

enum { LINT_MATCH = CLI_OPT_OWN, LINT_ONLY, LINT_PLAN };

static const apr_getopt_option_t lint_options[] = {
    { "charset", CLI_SET_CHARSET, 1, "iri_charset: charsets of requests" },
    { "filename-charset", CLI_SET_FILENAME_CHARSET, 1,
      "iri_filename_charset: charsets of names on disk" },
    { "filename-form", CLI_SET_FILENAME_FORM, 1,
      "iri_filename_form: any, nfc, nfd" },
    { "match", LINT_MATCH, 1,
      "tell collisions of these levels of iri_match" },
    { "only", LINT_ONLY, 1, "tell these findings only" },
    { "plan", LINT_PLAN, 1,
      "print renames to UTF-8 in NFC, by mv or by convmv" },
    CLI_OPTIONS_FOR_ALL,
    { NULL, 0, 0, NULL }
};

static const char lint_help[] =
    "Findings, of which --only takes a list:\n"
    "  unreadable   no charset of the tree reads the octets\n"
    "  unreachable  a control character, or too long: no request can name it\n"
    "  charset      seems to be written in another charset than it is read in\n"
    "  mojibake     UTF-8 that was taken for windows-1252 and encoded again\n"
    "  twin         two entries have one name: the servers know only one\n"
    "  collision    two names are one where iri_match forgives width, case, "
    "...;\n"
    "               or one edit apart, where --match has spelling\n"
    "  form         in a legacy charset, its requests reach another entry\n"
    "  nfc, nfkc    not normalized\n"
    "  bidi         not seen in its order: letters of both directions, ...\n"
    "  look-alike   seen as another name, or as ASCII; mixed scripts\n"
    "  reserved     ? # [ ] % or \\ in it\n"
    "  long         over 255 octets, once it is UTF-8\n"
    "  legacy       not written in UTF-8 (only told if --only asks for it)\n\n"
    "Without --match collisions of width, case and accents are told. Links "
    "to\n"
    "directories are not followed. Exit code 0: nothing was found; 1: "
    "something was.\n"
    "A plan is for bash, ksh or zsh; read it before you run it. With --batch "
    "each\n"
    "finding is an object: kind path name other match charset meant why; the "
    "last\n"
    "one of a line has ok directories names findings.\n\n"
    "Examples:\n"
    "  iri lint /srv/www\n"
    "  iri lint --filename-charset utf-8,euc-jp --match case /srv/old\n"
    "  iri lint --filename-charset euc-jp --plan mv /srv/old > plan.sh\n"
    "  iri lint --only mojibake --plan mv /srv/old > plan.sh\n";

/* What is told unless --only says something else. */
#define LINT_USUAL ((1u << IRI_LINT_KINDS) - 1u - (1u << IRI_LINT_LEGACY))
#define LINT_RENAME                                                          \
    ((1u << IRI_LINT_NFC) | (1u << IRI_LINT_LEGACY)                          \
     | (1u << IRI_LINT_MOJIBAKE))
#define LINT_PLANNED                                                         \
    ((1u << IRI_LINT_NFC) | (1u << IRI_LINT_LEGACY)                          \
     | (1u << IRI_LINT_UNREADABLE))
#define LINT_AGAINST ((1u << IRI_LINT_TWIN) | (1u << IRI_LINT_LONG))

typedef struct {
    apr_pool_t         *pool;
    cli_settings_t     *settings;
    iri_confusables_t  *look;
    iri_lint_conf_t     lint;
    cli_plan_t          plan;
    apr_array_header_t *match_words;
} lint_conf_t;

/* A rename of the directory that is being looked at. */
typedef struct {
    iri_finding_t finding; /* NFC, LEGACY, MOJIBAKE: name is the new one */
    const char   *why_not; /* NULL: nothing is against it */
} lint_rename_t;

typedef struct {
    const lint_conf_t  *conf;
    cli_call_t         *call;
    const char         *root;
    apr_pool_t         *pool;  /* of the directories that wait */
    apr_array_header_t *wait;  /* their paths below root, char * */
    apr_pool_t         *each;  /* of one directory */
    const char         *path;  /* it, "" or "a/b/" */
    apr_array_header_t *names; /* of its entries, iri_str_t */
    apr_array_header_t *renames;
    apr_hash_t         *renamed; /* by octets: the place in renames, from 1 */
    apr_array_header_t *plan;    /* what is printed at the end, char * */
    cli_progress_t      progress;
    uint64_t            count[IRI_LINT_KINDS];
    uint64_t            findings;
    uint64_t            all_names;
    uint64_t            directories;
    int                 counting;   /* names, and nothing else yet */
    int                 incomplete; /* something could not be read */
} lint_run_t;


/* ---- settings ------------------------------------------------------------ */

static apr_status_t
lint_destroy(void *data)
{
    iri_confusables_destroy(data);
    return APR_SUCCESS;
}


static void *
lint_create(apr_pool_t *pool)
{
    lint_conf_t *conf = apr_pcalloc(pool, sizeof(*conf));

    if (conf == NULL) {
        return NULL;
    }
    conf->pool = pool;
    conf->settings = cli_settings_create(pool);
    conf->look = iri_confusables_create();
    if (conf->settings == NULL || conf->look == NULL) {
        iri_confusables_destroy(conf->look);
        return NULL;
    }
    apr_pool_cleanup_register(pool, conf->look, lint_destroy,
                              apr_pool_cleanup_null);
    conf->lint.look = conf->look;
    conf->lint.match = IRI_FOLD_WIDTH | IRI_FOLD_CASE | IRI_FOLD_ACCENTS;
    conf->match_words = apr_array_make(pool, 8, sizeof(iri_str_t));
    return conf;
}


static const char *
lint_only(lint_conf_t *conf, const char *value)
{
    apr_array_header_t *words = apr_array_make(conf->pool, 8,
                                               sizeof(iri_str_t));
    const char         *wrong = cli_add_words(words, value);
    iri_lint_kind_t     kind;
    int                 i;

    for (i = 0; wrong == NULL && i < words->nelts; i++) {
        iri_str_t word = APR_ARRAY_IDX(words, i, iri_str_t);

        kind = iri_lint_kind(word);
        if (kind == IRI_LINT_KINDS) {
            return apr_psprintf(conf->pool,
                                "knows no finding \"%.*s\"; iri help lint "
                                "lists them",
                                (int) word.len, (const char *) word.data);
        }
        conf->lint.kinds |= 1u << kind;
    }
    return wrong;
}


static const char *
lint_plan(lint_conf_t *conf, const char *value)
{
    if (strcmp(value, "mv") == 0) {
        conf->plan = CLI_PLAN_MV;
        return NULL;
    }
    if (strcmp(value, "convmv") == 0) {
        conf->plan = CLI_PLAN_CONVMV;
        return NULL;
    }
    return "must be \"mv\" or \"convmv\"";
}


static const char *
lint_option(void *data, int option, const char *value)
{
    lint_conf_t *conf = data;

    switch (option) {
    case LINT_MATCH:
        return cli_add_words(conf->match_words, value);
    case LINT_ONLY:
        return lint_only(conf, value);
    case LINT_PLAN:
        return lint_plan(conf, value);
    default:
        return cli_settings_option(conf->settings, option, value);
    }
}


/* A mojibake is a guess: it is renamed only where --only asks for it. */
static const char *
lint_ready_plan(lint_conf_t *conf)
{
    unsigned only = conf->lint.kinds;

    if (only != 0 && (only & LINT_RENAME) == 0) {
        return "--plan renames what is nfc, legacy or mojibake; --only has "
               "none of these";
    }
    conf->lint.kinds = (only != 0
                            ? only & (LINT_PLANNED | 1u << IRI_LINT_MOJIBAKE)
                            : LINT_PLANNED)
                       | LINT_AGAINST;
    return NULL;
}


static const char *
lint_ready(void *data)
{
    lint_conf_t        *conf = data;
    apr_array_header_t *words = conf->match_words;
    const char         *wrong = cli_settings_ready(conf->settings);

    if (wrong != NULL) {
        return wrong;
    }
    if (words->nelts > 0) {
        wrong = iri_parse_match((void *) words->elts, (size_t) words->nelts,
                                &conf->lint.match);
        conf->lint.match &= ~IRI_FOLD_EXACT_ONLY;
    }
    if (wrong != NULL) {
        return apr_psprintf(conf->pool, "--match %s", wrong);
    }
    conf->lint.requests = &conf->settings->reading.charsets;
    conf->lint.tree = &conf->settings->tree;
    if (conf->plan != CLI_PLAN_NONE) {
        return lint_ready_plan(conf);
    }
    if (conf->lint.kinds == 0) {
        conf->lint.kinds = LINT_USUAL;
    }
    return NULL;
}


/* ---- telling ------------------------------------------------------------- */

/* Of the directory: its path; of an entry: with its name. */
static iri_str_t
lint_path(const lint_run_t *run, iri_str_t octets)
{
    iri_str_t path;
    char *text = apr_palloc(run->each, strlen(run->path) + octets.len + 3);
    char *p = apr_cpystrn(text, "./", 3);

    p = apr_cpystrn(p, run->path, strlen(run->path) + 1);
    if (octets.len != 0) {
        memcpy(p, octets.data, octets.len);
    }
    path.data = (unsigned char *) text;
    path.len = (size_t) (p - text) + octets.len;
    return path;
}


static int
lint_set(cli_call_t *line, const char *name, iri_str_t octets)
{
    return octets.len == 0 ? cli_set_null(line, name)
                           : cli_set_octets(line, name, octets);
}


static int
lint_object(const lint_run_t *run, const iri_finding_t *finding)
{
    cli_call_t line;
    iri_str_t  match = { 0, NULL }, other = { 0, NULL };
    int        failed;

    memset(&line, 0, sizeof(line));
    line.pool = run->each;
    line.object = json_object();
    if (line.object == NULL) {
        return -1;
    }
    if (finding->kind == IRI_LINT_COLLISION) {
        match.data = (const unsigned char *) iri_match_text(finding->match);
        match.len = strlen((const char *) match.data);
    }
    if (finding->other.len != 0) {
        other = lint_path(run, finding->other);
    }
    failed = cli_set_text(&line, "kind", iri_lint_text(finding->kind)) != 0
             || lint_set(&line, "path", lint_path(run, finding->octets)) != 0
             || lint_set(&line, "name", finding->name) != 0
             || lint_set(&line, "other", other) != 0
             || lint_set(&line, "match", match) != 0
             || lint_set(&line, "charset", finding->charset) != 0
             || lint_set(&line, "meant", finding->meant) != 0
             || (finding->why != NULL
                     ? cli_set_text(&line, "why", finding->why)
                     : cli_set_null(&line, "why"))
                    != 0
             || json_dumpf(line.object, run->call->objects, JSON_COMPACT)
                    != 0;
    putc('\n', run->call->objects);
    json_decref(line.object);
    return failed ? -1 : 0;
}


/*
 * Octets, where they are not the name that they are read as; a twin, and
 * what looks like another, would be seen just like that.
 */
static void
lint_show_path(const lint_run_t *run, const iri_finding_t *finding,
               iri_str_t octets)
{
    iri_str_t path = lint_path(run, octets), name = finding->name;
    int       other = finding->kind == IRI_LINT_TWIN
                || finding->kind == IRI_LINT_LOOK_ALIKE
                || !cli_same(octets, name);

    if (other && finding->kind != IRI_LINT_COLLISION
        && finding->kind != IRI_LINT_FORM)
    {
        path.data = (const unsigned char *) cli_escaped(run->each, path,
                                                        &path.len);
    }
    if (path.data != NULL) {
        cli_print(stdout, path);
    }
}


static void
lint_line(const lint_run_t *run, const iri_finding_t *finding)
{
    iri_str_t name = finding->meant;

    printf("%s%-11s%s  ", cli_bold(), iri_lint_text(finding->kind),
           cli_plain());
    lint_show_path(run, finding, finding->octets);
    if (finding->other.len != 0) {
        fputs("  and  ", stdout);
        lint_show_path(run, finding, finding->other);
    }
    if (finding->kind == IRI_LINT_COLLISION) {
        printf("  (%s)", iri_match_text(finding->match));
    } else if (finding->why != NULL) {
        printf("  (%s)", finding->why);
    } else if (finding->charset.len != 0) {
        printf("  (%.*s)", (int) finding->charset.len,
               (const char *) finding->charset.data);
    }
    if (finding->kind == IRI_LINT_TWIN || finding->kind == IRI_LINT_NFC) {
        name = finding->name;
    }
    if (name.len != 0) {
        fputs("  \"", stdout);
        cli_print(stdout, name);
        putchar('"');
    }
    putchar('\n');
}


/* ---- the plan ------------------------------------------------------------ */

/* It has one at most, and what is first is found again by the next plan. */
static void
lint_plan_rename(lint_run_t *run, const iri_finding_t *finding)
{
    iri_str_t      name = finding->kind == IRI_LINT_MOJIBAKE ? finding->meant
                                                             : finding->name;
    lint_rename_t *rename;
    int            last = run->renames->nelts - 1;

    if (last >= 0) {
        rename = &APR_ARRAY_IDX(run->renames, last, lint_rename_t);
        if (finding->octets.data == rename->finding.octets.data) {
            return;
        }
    }
    rename = apr_array_push(run->renames);
    rename->finding = *finding;
    rename->finding.name.data = apr_pmemdup(run->each, name.data, name.len);
    rename->finding.name.len = name.len;
    apr_hash_set(run->renamed, finding->octets.data,
                 (apr_ssize_t) finding->octets.len,
                 (void *) (uintptr_t) run->renames->nelts);
    rename->why_not = finding->kind == IRI_LINT_UNREADABLE
                          ? "no charset of the tree reads it"
                          : NULL;
}


static void
lint_plan_against(lint_run_t *run, iri_str_t octets, const char *why_not)
{
    uintptr_t place = 0;

    if (octets.len != 0) {
        place = (uintptr_t) apr_hash_get(run->renamed, octets.data,
                                         (apr_ssize_t) octets.len);
    }
    if (place != 0) {
        APR_ARRAY_IDX(run->renames, place - 1, lint_rename_t)
            .why_not = why_not;
    }
}


static void
lint_plan_finding(lint_run_t *run, const iri_finding_t *finding)
{
    const char *why_not = finding->kind == IRI_LINT_TWIN
                              ? "another entry has the same name"
                              : "it would be too long in UTF-8";

    if ((1u << finding->kind & LINT_AGAINST) == 0) {
        lint_plan_rename(run, finding);
        return;
    }
    lint_plan_against(run, finding->octets, why_not);
    lint_plan_against(run, finding->other, why_not);
}


/* Another entry, which is read in another charset, may have these octets. */
static apr_hash_t *
lint_octets(lint_run_t *run)
{
    apr_hash_t *set = cli_hash_make(run->each);
    int         i;

    for (i = 0; i < run->names->nelts; i++) {
        iri_str_t *name = &APR_ARRAY_IDX(run->names, i, iri_str_t);

        apr_hash_set(set, name->data, (apr_ssize_t) name->len, name);
    }
    return set;
}


/* Nothing is written over: not by mv -n, but it would stay as it is. */
static void
lint_plan_check(apr_hash_t *octets, lint_rename_t *rename)
{
    iri_str_t name = rename->finding.name;

    if (name.len == 0) {
        return;
    }
    if (rename->why_not == NULL
        && apr_hash_get(octets, name.data, (apr_ssize_t) name.len) != NULL)
    {
        rename->why_not = "an entry has these octets already, or gets them";
    }
    apr_hash_set(octets, name.data, (apr_ssize_t) name.len, rename);
}


static void
lint_plan_line(const lint_run_t *run, const lint_rename_t *rename, FILE *out)
{
    const iri_finding_t *finding = &rename->finding;
    iri_str_t            path = lint_path(run, finding->octets);
    iri_str_t            from = IRI_STR("UTF-8");

    if (finding->kind == IRI_LINT_LEGACY) {
        from = finding->charset;
    }
    if (rename->why_not != NULL) {
        cli_rename_not(out, path, rename->why_not);
    } else {
        /* What mojibake was is no charset to convmv. */
        cli_rename(out,
                   finding->kind == IRI_LINT_MOJIBAKE ? CLI_PLAN_MV
                                                      : run->conf->plan,
                   path, finding->name, from);
    }
}


/* Written to memory: what is deepest has to be renamed first. */
static int
lint_plan_directory(lint_run_t *run)
{
    apr_hash_t *octets;
    char       *text = NULL;
    size_t      size = 0;
    FILE       *out;
    int         i;

    if (run->renames->nelts == 0) {
        return 0;
    }
    out = open_memstream(&text, &size);
    if (out == NULL) {
        return -1;
    }
    octets = lint_octets(run);
    for (i = 0; i < run->renames->nelts; i++) {
        lint_rename_t *rename = &APR_ARRAY_IDX(run->renames, i,
                                               lint_rename_t);

        lint_plan_check(octets, rename);
        lint_plan_line(run, rename, out);
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

    printf("# to be run by bash, ksh or zsh in the folder that was looked "
           "at\n");
    for (i = run->plan->nelts; i-- > 0;) {
        char *text = APR_ARRAY_IDX(run->plan, i, char *);

        fputs(text, stdout);
        free(text);
    }
}


/* ---- looking ------------------------------------------------------------- */

static iri_status_t
lint_take(void *arg, const iri_finding_t *finding)
{
    lint_run_t *run = arg;

    run->count[finding->kind]++;
    run->findings++;
    if (run->conf->plan != CLI_PLAN_NONE) {
        lint_plan_finding(run, finding);
    } else if (run->call->objects != NULL) {
        return lint_object(run, finding) == 0 ? IRI_OK : IRI_NO_MEMORY;
    } else {
        cli_progress_hide(&run->progress);
        lint_line(run, finding);
    }
    return IRI_OK;
}


static iri_status_t
lint_names(lint_run_t *run)
{
    iri_env_apr_t lent;
    iri_status_t  status;

    iri_env_apr_init(&lent, run->each, NULL, NULL);
    run->renames = apr_array_make(run->each, 8, sizeof(lint_rename_t));
    run->renamed = cli_hash_make(run->each);
    status = iri_lint(&lent.env, &run->conf->lint,
                      (const iri_str_t *) (void *) run->names->elts,
                      (size_t) run->names->nelts, lint_take, run);
    run->all_names += (uint64_t) run->names->nelts;
    cli_progress_add(&run->progress, (uint64_t) run->names->nelts);
    if (status == IRI_OK && run->conf->plan != CLI_PLAN_NONE
        && lint_plan_directory(run) != 0)
    {
        return IRI_NO_MEMORY;
    }
    return status;
}


/* Where the file system does not tell it with the name, it is asked. */
static int
lint_is_directory(const lint_run_t *run, const apr_finfo_t *entry)
{
    apr_finfo_t info;

    if (entry->filetype != APR_NOFILE && entry->filetype != APR_UNKFILE) {
        return entry->filetype == APR_DIR;
    }
    return apr_stat(&info,
                    apr_pstrcat(run->each, run->root, "/", run->path,
                                entry->name, NULL),
                    APR_FINFO_TYPE | APR_FINFO_LINK, run->each)
               == APR_SUCCESS
           && info.filetype == APR_DIR;
}


static void
lint_entry(lint_run_t *run, const apr_finfo_t *entry)
{
    iri_str_t *name;
    size_t     len = strlen(entry->name);

    if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0) {
        return;
    }
    name = apr_array_push(run->names);
    name->data = apr_pmemdup(run->each, entry->name, len + 1);
    name->len = len;
    if (lint_is_directory(run, entry)) {
        APR_ARRAY_PUSH(run->wait, char *) = apr_pstrcat(
            run->pool, run->path, entry->name, "/", NULL);
    }
}


static void
lint_unread(lint_run_t *run, apr_status_t rv)
{
    char        text[128];
    iri_str_t   none = { 0, NULL };
    iri_str_t   path = lint_path(run, none);
    const char *shown = cli_printable(run->each, path);

    if (run->counting) {
        return;
    }
    cli_progress_hide(&run->progress);
    fprintf(stderr, "iri lint: \"%s\" cannot be read: %s\n",
            shown ? shown : "", apr_strerror(rv, text, sizeof(text)));
    run->incomplete = 1;
}


/* Names of one directory; what it has inside waits. */
static void
lint_read(lint_run_t *run)
{
    apr_dir_t   *dir;
    apr_finfo_t  entry;
    apr_status_t rv;

    run->names = apr_array_make(run->each, 64, sizeof(iri_str_t));
    rv = apr_dir_open(&dir,
                      apr_pstrcat(run->each, run->root, "/", run->path, NULL),
                      run->each);
    if (rv != APR_SUCCESS) {
        lint_unread(run, rv);
        return;
    }
    for (;;) {
        rv = apr_dir_read(&entry, APR_FINFO_DIRENT | APR_FINFO_TYPE, dir);
        if (rv != APR_SUCCESS && rv != APR_INCOMPLETE) {
            break;
        }
        lint_entry(run, &entry);
    }
    if (!APR_STATUS_IS_ENOENT(rv)) {
        lint_unread(run, rv);
    }
    apr_dir_close(dir);
}


typedef iri_status_t (*lint_visit_t)(lint_run_t *run);

/* Each directory of the tree, those above before those below. */
static iri_status_t
lint_walk(lint_run_t *run, lint_visit_t visit)
{
    iri_status_t status = IRI_OK;

    run->directories = 0;
    APR_ARRAY_PUSH(run->wait, const char *) = "";
    while (status == IRI_OK && run->wait->nelts > 0) {
        run->path = *(char **) apr_array_pop(run->wait);
        run->directories++;
        lint_read(run);
        status = visit(run);
        apr_pool_clear(run->each);
        if (run->wait->nelts == 0) {
            apr_pool_clear(run->pool);
            run->wait = apr_array_make(run->pool, 64, sizeof(char *));
        }
    }
    return status;
}


static iri_status_t
lint_count(lint_run_t *run)
{
    run->all_names += (uint64_t) run->names->nelts;
    return IRI_OK;
}


/* Who waits wants to know how long: the names are counted first. */
static iri_status_t
lint_run(lint_run_t *run)
{
    iri_status_t status = IRI_OK;

    run->wait = apr_array_make(run->pool, 64, sizeof(char *));
    if (cli_progress_is_seen()) {
        run->counting = 1;
        status = lint_walk(run, lint_count);
    }
    cli_progress_begin(&run->progress, "names", run->all_names);
    run->counting = 0;
    run->all_names = 0;
    if (status == IRI_OK) {
        status = lint_walk(run, lint_names);
    }
    cli_progress_hide(&run->progress);
    return status;
}


/* ---- the answer ---------------------------------------------------------- */

static const char *
lint_root(lint_run_t *run, cli_call_t *call)
{
    apr_finfo_t  info;
    apr_status_t rv;
    char         text[128];
    iri_str_t    operand = call->operand[0];

    if (operand.len == 0 || memchr(operand.data, '\0', operand.len) != NULL) {
        return "there is no folder with that name";
    }
    run->root = apr_pstrmemdup(call->pool, (const char *) operand.data,
                               operand.len);
    rv = apr_stat(&info, run->root, APR_FINFO_TYPE, call->pool);
    if (rv != APR_SUCCESS && rv != APR_INCOMPLETE) {
        return apr_psprintf(call->pool, "\"%s\" is no folder: %s",
                            cli_printable(call->pool, operand),
                            apr_strerror(rv, text, sizeof(text)));
    }
    return info.filetype == APR_DIR
               ? NULL
               : apr_psprintf(call->pool, "\"%s\" is no folder",
                              cli_printable(call->pool, operand));
}


static int
lint_fill(const lint_run_t *run)
{
    json_t *object = run->call->object;
    json_t *kinds = json_object();
    int     kind;

    for (kind = 0; kind < IRI_LINT_KINDS; kind++) {
        if (run->count[kind] != 0) {
            json_object_set_new(kinds, iri_lint_text((iri_lint_kind_t) kind),
                                json_integer((json_int_t) run->count[kind]));
        }
    }
    return json_object_set_new(object, "directories",
                               json_integer((json_int_t) run->directories))
                       != 0
                   || json_object_set_new(
                          object, "names",
                          json_integer((json_int_t) run->all_names))
                          != 0
                   || json_object_set_new(
                          object, "findings",
                          json_integer((json_int_t) run->findings))
                          != 0
                   || json_object_set_new(object, "kinds", kinds) != 0
               ? -1
               : 0;
}


static int
lint_answer(const void *data, cli_call_t *call)
{
    lint_run_t   run;
    iri_status_t status;

    memset(&run, 0, sizeof(run));
    run.conf = data;
    run.call = call;
    call->whole = 1;
    call->error = call->objects != NULL && run.conf->plan != CLI_PLAN_NONE
                      ? "--plan is for a shell, --batch for a program"
                      : lint_root(&run, call);
    if (call->error != NULL) {
        return -1;
    }
    if (apr_pool_create(&run.pool, call->pool) != APR_SUCCESS
        || apr_pool_create(&run.each, call->pool) != APR_SUCCESS)
    {
        call->error = iri_status_text(IRI_NO_MEMORY);
        return -1;
    }
    run.plan = apr_array_make(call->pool, 8, sizeof(char *));
    status = lint_run(&run);
    if (status != IRI_OK || lint_fill(&run) != 0) {
        call->error = iri_status_text(status != IRI_OK ? status
                                                       : IRI_NO_MEMORY);
        return -1;
    }
    if (run.conf->plan != CLI_PLAN_NONE) {
        lint_print_plan(&run);
    }
    call->found = run.incomplete
                  || (run.findings != 0 && run.conf->plan == CLI_PLAN_NONE);
    return 0;
}


static long long
lint_get(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}


static void
lint_show(const void *data, cli_call_t *call)
{
    const lint_conf_t *conf = data;
    json_t            *kinds = json_object_get(call->object, "kinds");
    FILE              *out = conf->plan == CLI_PLAN_NONE ? stdout : stderr;
    json_t            *count;
    int                kind;

    fputs(json_object_size(kinds) != 0 && out == stdout ? "\n" : "", out);
    cli_print_count(out, lint_get(call->object, "names"), "name", "names");
    fputs(" in ", out);
    cli_print_count(out, lint_get(call->object, "directories"), "directory",
                    "directories");
    fputs(", ", out);
    cli_print_count(out, lint_get(call->object, "findings"), "finding",
                    "findings");
    fputc('\n', out);
    for (kind = 0; kind < IRI_LINT_KINDS; kind++) {
        count = json_object_get(kinds, iri_lint_text((iri_lint_kind_t) kind));
        if (count != NULL && out == stdout) {
            printf("  %-11s %8lld  %s\n",
                   iri_lint_text((iri_lint_kind_t) kind),
                   json_integer_value(count),
                   iri_lint_about((iri_lint_kind_t) kind));
        }
    }
}


const cli_command_t cli_lint = {
    "lint",      "DIR",
    1,           "tell which names of a tree make trouble",
    lint_help,   lint_options,
    lint_create, lint_option,
    lint_ready,  lint_answer,
    lint_show
};
