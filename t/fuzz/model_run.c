/*
 * model_run.c - the results of core and model for a case, and their comparison
 *
 * A difference is printed with the whole case; then the process aborts, as a
 * fuzzer expects, or continues.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "base/iri_index_cache_apr.h"
#include "model_case.h"

static const model_list_t none;

model_counts_t model_counts;
int            model_keep_going;
uint64_t       model_seed;


/* ---- the core's settings ------------------------------------------------ */

static model_tree_t         model_config; /* only its arena is used */
static const iri_charset_t *model_core_charset[MODEL_CHARSETS];


static const iri_charset_t *
model_core(const model_charset_t *charset)
{
    size_t i;

    for (i = 0; model_charset_at(i) != charset; i++) {
        /* void */
    }

    return model_core_charset[i];
}


static iri_charsets_t
model_core_charsets(const model_charsets_t *charsets)
{
    iri_charsets_t out;

    memset(&out, 0, sizeof(out));
    for (/* void */; out.count < charsets->count; out.count++) {
        out.at[out.count] = model_core(charsets->at[out.count]);
    }

    return out;
}


void
model_start(void)
{
    static int      started;
    iri_env_t       env = model_env(&model_config);
    iri_registry_t *registry;
    iri_charsets_t  one;
    iri_str_t       word;
    const char     *error;
    size_t          i;

    if (started++) {
        return;
    }

    registry = iri_registry_create(&env);
    for (i = 0; model_charset_at(i) != NULL; i++) {
        word.data = (const unsigned char *) model_charset_name(
            model_charset_at(i));
        word.len = strlen((const char *) word.data);
        error = iri_parse_charsets(registry, &word, 1, 0, &one);
        if (error != NULL
            || !model_same(model_octets(iri_charset_name(one.at[0])),
                           model_octets(word)))
        {
            fprintf(stderr, "model: %s: %s\n", (const char *) word.data,
                    error != NULL ? error : "has another name");
            abort();
        }
        model_core_charset[i] = one.at[0];
    }

    if (!model_case_start()) {
        fprintf(stderr, "# no data/names below $IRI_SHARED or ../shared\n");
    }
}


/* ---- printing ----------------------------------------------------------- */

static void
model_print(const char *label, model_list_t list)
{
    size_t i;

    fprintf(stderr, "%s\"", label);
    for (i = 0; i < list.len; i++) {
        if (list.at[i] > 0x20 && list.at[i] < 0x7f) {
            fputc((int) list.at[i], stderr);
        } else {
            fprintf(stderr, "\\x%02X", list.at[i]);
        }
    }
    fprintf(stderr, "\"");
}


static void
model_print_charsets(const char *label, const model_charsets_t *charsets)
{
    size_t i;

    fprintf(stderr, "%s", label);
    for (i = 0; i < charsets->count; i++) {
        fprintf(stderr, "%s%s", i == 0 ? "" : ",",
                model_charset_name(charsets->at[i]));
    }
}


static void
model_print_tree(const model_case_t *c, model_node_t *dir, int depth)
{
    model_node_t *node;
    size_t        i;

    for (i = 0; i < dir->count; i++) {
        node = dir->child[i];
        fprintf(stderr, "    %*s", depth * 2, "");
        model_print("", node->name);
        fprintf(stderr, "%s%s%s", node->is_dir ? "/" : "",
                node->unlisted ? " unlisted" : "",
                node->locked ? " locked" : "");
        model_print("   name ", model_entry_name(&c->tree_conf, node->name));
        fprintf(stderr, "\n");
        model_print_tree(c, node, depth + 1);
    }
}


static void
model_print_case(const model_case_t *c, const model_request_t *request)
{
    static const char *const names[] = { "any", "nfc", "nfd" };
    static const char *const invalid[] = { "404", "400", "pass" };

    model_print("  prefix: ", c->prefix);
    fprintf(stderr, "%s\n", c->slash ? " and the slash" : "");
    model_print_charsets("  settings: charset=", &c->reading.charsets);
    model_print_charsets(" filename_charset=", &c->tree_conf.charsets);
    fprintf(stderr, " filename_form=%s match=%s%s%s invalid=%s cache=%s\n",
            names[c->tree_conf.names],
            c->tree_conf.match & IRI_FOLD_NORMALIZATION ? "normalization,"
                                                        : "",
            c->tree_conf.match & IRI_FOLD_VARIANTS ? "variants" : "",
            c->tree_conf.match & IRI_FOLD_EXACT_ONLY ? "exact" : "",
            invalid[c->reading.invalid], c->cached ? "on" : "off");
    fprintf(stderr, "  tree:\n");
    model_print_tree(c, c->root, 0);

    if (request != NULL) {
        model_print("  request: path ", request->path);
        fprintf(stderr, " escaped=%d", request->escaped);
        model_print(" target ", request->target);
        fprintf(stderr, "\n");
    }
}


/* ---- comparing ---------------------------------------------------------- */

typedef struct {
    const model_case_t    *c;
    const model_request_t *request;
    const char            *label;
    model_list_t           about; /* the path or name of the current check */
    int                    differs;
} model_check_t;


static void
model_differ(model_check_t *check, const char *field)
{
    if (!check->differs++) {
        fprintf(stderr, "\nDIFFERENCE in %s\n", check->label);
        model_print_case(check->c, check->request);
        model_print("  of ", check->about);
        fprintf(stderr, "\n");
    }

    fprintf(stderr, "  %s:\n", field);
}


static void
model_same_text(model_check_t *check, const char *field, const char *core,
                const char *model)
{
    if (strcmp(core, model) != 0) {
        model_differ(check, field);
        fprintf(stderr, "    core  %s\n    model %s\n", core, model);
    }
}


static void
model_same_number(model_check_t *check, const char *field, int core,
                  int model)
{
    char c[16], m[16];

    snprintf(c, sizeof(c), "%d", core);
    snprintf(m, sizeof(m), "%d", model);
    model_same_text(check, field, c, m);
}


static void
model_same_str(model_check_t *check, const char *field, iri_str_t core,
               model_list_t model)
{
    if (!model_same(model_octets(core), model)) {
        model_differ(check, field);
        model_print("    core  ", model_octets(core));
        model_print("\n    model ", model);
        fprintf(stderr, "\n");
    }
}


static void
model_done(model_check_t *check)
{
    if (!check->differs) {
        return;
    }

    if (model_seed != 0) {
        fprintf(stderr, "  seed %llu\n", (unsigned long long) model_seed);
    }

    model_counts.differ++;
    if (!model_keep_going) {
        abort();
    }
}


/* ---- functions with one call -------------------------------------------- */

static void
model_run_escapes(model_case_t *c, model_list_t path)
{
    iri_env_t     env = model_env(&c->tree);
    model_check_t check = { c, NULL, "iri_path_to_uri", path, 0 };
    iri_str_t     s = model_core_string(&c->tree, path), out;

    model_same_number(&check, "status", iri_path_to_uri(&env, s, &out),
                      IRI_OK);
    model_same_str(&check, "uri", out, model_path_to_uri(path));
    model_done(&check);

    check.label = "iri_path_to_iri";
    model_same_number(&check, "status", iri_path_to_iri(&env, s, &out),
                      IRI_OK);
    model_same_str(&check, "iri", out, model_path_to_iri(path));
    model_done(&check);
}


static void
model_run_names(model_case_t *c, const iri_tree_conf_t *tree,
                model_node_t *dir)
{
    iri_env_t     env = model_env(&c->tree);
    model_check_t check = { c, NULL, "iri_entry_name", none, 0 };
    iri_str_t     name;
    size_t        i;

    for (i = 0; i < dir->count; i++) {
        check.about = dir->child[i]->name;
        model_same_number(
            &check, "status",
            iri_entry_name(&env, tree,
                           model_core_string(&c->tree, check.about), &name),
            IRI_OK);
        model_same_str(&check, "name", name,
                       model_entry_name(&c->tree_conf, check.about));
        model_done(&check);
        model_run_names(c, tree, dir->child[i]);
    }
}


static void
model_run_location(model_case_t *c, const model_request_t *request,
                   const iri_reading_t *core, const model_reading_t *model,
                   model_list_t path)
{
    iri_env_t      env = model_env(&c->tree);
    model_check_t  check = { c, request, "iri_redirect_location", path, 0 };
    model_list_t   query = request->query;
    iri_redirect_t redirect;
    iri_str_t      out;
    int            has = request->has_query;

    memset(&redirect, 0, sizeof(redirect));
    redirect.reading = core;
    redirect.path = model_core_string(&c->tree, path);
    redirect.has_query = has;
    redirect.query = model_core_string(&c->tree, query);
    model_same_number(&check, "status",
                      iri_redirect_location(&env, &redirect, &out), IRI_OK);
    model_same_str(&check, "location", out,
                   model_location(model, path, has, query));
    model_done(&check);
}


static void
model_run_split(model_case_t *c, const model_request_t *request,
                const iri_search_t *search, const iri_found_t *core,
                const model_found_t *model)
{
    iri_env_t     env = model_env(&c->tree);
    model_check_t check = { c, request, "iri_found_split", model->path, 0 };
    model_list_t  want_filename, want_rest;
    iri_str_t     filename, rest;
    iri_status_t  status, want;

    want = model_divide(c->root, model_octets(search->root), model,
                        &want_filename, &want_rest)
               ? IRI_OK
               : IRI_IO_FAILED;
    status = iri_found_split(&env, search, core, &filename, &rest);
    model_same_text(&check, "status", iri_status_text(status),
                    iri_status_text(want));

    if (status == IRI_OK && want == IRI_OK) {
        model_same_str(&check, "filename", filename, want_filename);
        model_same_str(&check, "path_info", rest, want_rest);
    }
    model_done(&check);
}


static void
model_count_found(const iri_found_t *found)
{
    model_counts.finds++;
    model_counts.find_answer[found->verdict]++;
    model_counts.find_why[found->why]++;
    model_counts.find_match[found->match]++;
}


/* 1: the core's result can be compared, and is filled in. */
static int
model_run_find(model_case_t *c, const model_request_t *request,
               const iri_search_t *search, const model_reading_t *reading,
               iri_found_t *core)
{
    iri_env_t     env = model_env(&c->tree);
    model_check_t check = { c, request, "iri_find", none, 0 };
    model_found_t model;

    c->tree.lists = 0;
    check.about = model_octets(search->path);
    model_same_number(&check, "status", iri_find(&env, search, core), IRI_OK);
    model_done(&check);
    model_count_found(core);

    if (core->why == IRI_WHY_BUDGET) {
        model_counts.budget++;
        model_same_text(&check, "answer", iri_verdict_text(core->verdict),
                        "pass");
        model_done(&check);
        return 0;
    }

    model = model_find(&c->tree_conf, c->root, model_octets(search->root),
                       check.about, search->prefix, reading);

    if (model.unsure_bidi && core->verdict != IRI_SERVE
        && (core->verdict != model.verdict || core->why != model.why
            || !model_same(model_octets(core->path), model.path))
        && (core->verdict != IRI_RESTART
            || !model_received_raw(reading, model_octets(core->path))))
    {
        model_counts.unsure++;
        return 0;
    }

    /*
     * Below a directory that may not be searched, or above the limit of
     * directories.
     */
    if ((model.unsure || c->tree.lists == IRI_MAX_DIRECTORIES_READ)
        && (core->verdict != model.verdict || core->why != model.why))
    {
        model_counts.unsure++;
        return 0;
    }

    model_same_text(&check, "answer", iri_verdict_text(core->verdict),
                    iri_verdict_text(model.verdict));
    if (!model.any_why
        && (model.or_why == IRI_WHY_NONE || core->why != model.or_why))
    {
        model_same_text(&check, "why", iri_why_text(core->why),
                        iri_why_text(model.why));
    }
    model_same_text(&check, "match", iri_match_text(core->match),
                    iri_match_text(model.match));
    model_same_str(&check, "path", core->path, model.path);
    model_same_str(&check, "charset", core->charset, model.charset);
    if (model.verdict == IRI_PASS || model.verdict == IRI_SERVE) {
        model_same_str(&check, "filename", core->filename, model.filename);
        if (core->filename.data[core->filename.len] != '\0') {
            model_differ(&check, "no NUL behind filename");
        }
    }
    model_done(&check);

    if (check.differs) {
        return 0;
    }

    if (model.verdict == IRI_SERVE
        || (model.verdict == IRI_PASS && model.why != IRI_WHY_ERROR))
    {
        model_run_split(c, request, search, core, &model);
    }

    return 1;
}


static int
model_run_read(model_case_t *c, const model_request_t *request,
               const iri_reading_conf_t *conf, iri_reading_t *core,
               model_reading_t *model)
{
    iri_env_t           env = model_env(&c->tree);
    model_check_t       check = { c, request, "iri_read", request->path, 0 };
    iri_received_path_t requested;
    iri_status_t        status;

    requested.path = model_core_string(&c->tree, request->path);
    requested.escaped = request->escaped;
    requested.target = model_core_string(&c->tree, request->target);

    status = iri_read(&env, conf, &requested, core);
    *model = model_read(&c->reading, request->path, request->escaped,
                        request->target);

    model_same_text(&check, "status", iri_status_text(status),
                    iri_status_text(model->status));
    model_done(&check);
    if (check.differs || status != IRI_OK) {
        return 0;
    }

    model_counts.read_form[core->form]++;
    if (model->unsure && core->why == IRI_WHY_BIDI
        && model->why != IRI_WHY_BIDI) {
        model_counts.unsure++;
        return 0;
    }

    model_same_text(&check, "answer", iri_verdict_text(core->verdict),
                    iri_verdict_text(model->verdict));
    model_same_number(&check, "http", core->status, model->http);
    model_same_text(&check, "why", iri_why_text(core->why),
                    iri_why_text(model->why));
    model_same_text(&check, "form", iri_form_text(core->form),
                    iri_form_text(model->form));
    model_same_str(&check, "charset", core->charset, model->charset);
    if (model->why != IRI_WHY_LIMIT) {
        /* Too long to be decoded: the path and URI are unspecified. */
        model_same_str(&check, "path", core->path, model->path);
        model_same_str(&check, "uri", core->uri, model->uri);
        model_same_str(&check, "octets", core->octets, model->octets);
        model_same_number(&check, "raw", core->raw, model->raw);
    }
    model_done(&check);

    return !check.differs;
}


/*
 * The root replaces the first segment of the path, and perhaps the slash after
 * it.
 */
static void
model_set_root(model_case_t *c, const model_reading_t *reading,
               iri_search_t *search)
{
    model_list_t root = model_text("/srv");

    if (c->prefix.len != 0) {
        search->prefix = 1 + model_segment(reading->path, 0).len;
        if (c->slash && search->prefix < reading->path.len) {
            search->prefix++;
            model_put(&root, '/');
        }
    }

    search->root = model_core_string(&c->tree, root);
}


/* ---- a case ------------------------------------------------------------- */

static void
model_run_request(model_case_t *c, model_source_t *source,
                  const iri_reading_conf_t *conf, const iri_tree_conf_t *tree,
                  iri_index_cache_t *cache)
{
    model_request_t request;
    model_reading_t model;
    iri_reading_t   core;
    iri_search_t    search;
    iri_found_t     found;

    model_counts.requests++;
    model_draw_request(source, c, &request);
    model_run_escapes(c, request.path);
    if (!model_run_read(c, &request, conf, &core, &model)) {
        return;
    }

    model_run_location(c, &request, &core, &model, model.path);
    if (core.verdict == IRI_REFUSE) {
        return;
    }

    memset(&search, 0, sizeof(search));
    search.tree = tree;
    search.cache = cache;
    search.path = core.path;
    search.reading = &core;
    model_set_root(c, &model, &search);

    if (!model_run_find(c, &request, &search, &model, &found)
        || found.verdict != IRI_RESTART)
    {
        return;
    }

    model_run_location(c, &request, &core, &model, model_octets(found.path));

    /* The restarted request */
    search.path = found.path;
    search.reading = NULL;
    if (model_run_find(c, &request, &search, NULL, &found)
        && found.verdict == IRI_RESTART)
    {
        model_check_t check = { c, &request, "moved twice", none, 0 };

        model_differ(&check, "answer");
        model_done(&check);
    }
}


static void
model_run_finish(model_case_t *c, const iri_reading_conf_t *conf,
                 iri_tree_conf_t *tree)
{
    model_check_t check = { c, NULL, "iri_tree_conf_finish", none, 0 };

    iri_tree_conf_finish(conf, tree);
    model_finish(&c->reading, &c->tree_conf);
    model_same_number(&check, "match", (int) tree->match,
                      (int) c->tree_conf.match);
    model_same_number(&check, "charsets", (int) tree->charsets.count,
                      (int) c->tree_conf.charsets.count);
    model_done(&check);
    tree->charsets = model_core_charsets(&c->tree_conf.charsets);
}


void
model_case(model_source_t *source)
{
    model_case_t       c;
    iri_reading_conf_t conf;
    iri_tree_conf_t    tree;
    iri_index_cache_t *cache;
    apr_pool_t        *pool;
    uint32_t           n;

    model_counts.cases++;
    model_draw_case(source, &c);

    memset(&conf, 0, sizeof(conf));
    conf.charsets = model_core_charsets(&c.reading.charsets);
    conf.invalid = c.reading.invalid;
    memset(&tree, 0, sizeof(tree));
    tree.charsets = model_core_charsets(&c.tree_conf.charsets);
    tree.names = c.tree_conf.names;
    tree.match = c.tree_conf.match;
    model_run_finish(&c, &conf, &tree);

    pool = NULL;
    cache = NULL;
    if (c.cached && apr_initialize() == APR_SUCCESS
        && apr_pool_create(&pool, NULL) == APR_SUCCESS)
    {
        cache = iri_index_cache_apr_create(pool, 1 << 16);
    }

    model_run_names(&c, &tree, c.root);

    /* A fuzzer needs few requests to mutate one of them. */
    n = 1 + model_draw(source, 3) + (source->data == NULL ? 2 : 0);
    for (/* void */; n != 0; n--) {
        model_run_request(&c, source, &conf, &tree, cache);
        if (model_draw(source, 6) == 5) {
            model_draw_change(source, &c);
        }
    }

    if (pool != NULL) {
        apr_pool_destroy(pool);
    }

    model_env_free(&c.tree);
    model_forget();
}


/* ---- all sequences ------------------------------------------------------ */

/* A sequence as the name of an entry, and as a path. */
static void
model_run_sequence(model_case_t *c, const iri_tree_conf_t *tree,
                   const iri_reading_conf_t *conf, model_list_t octets)
{
    iri_env_t       env = model_env(&c->tree);
    model_check_t   check = { c, NULL, "a sequence", octets, 0 };
    model_request_t request;
    model_reading_t model;
    iri_reading_t   core;
    iri_str_t       name;

    model_counts.requests++;
    iri_entry_name(&env, tree, model_core_string(&c->tree, octets), &name);
    model_same_str(&check, "name", name,
                   model_entry_name(&c->tree_conf, octets));
    model_done(&check);

    memset(&request, 0, sizeof(request));
    model_put(&request.path, '/');
    model_cat(&request.path, octets);
    model_run_read(c, &request, conf, &core, &model);
    model_env_free(&c->tree);
}


static void
model_run_charset(const model_charset_t *charset)
{
    model_case_t       c;
    iri_reading_conf_t conf;
    iri_tree_conf_t    tree;
    model_list_t       octets = none;
    uint32_t           i, n = 0x10000;
    size_t             mark;

    memset(&c, 0, sizeof(c));
    memset(&conf, 0, sizeof(conf));
    memset(&tree, 0, sizeof(tree));
    model_tree_init(&c.tree, 0);
    c.root = c.tree.top;
    c.tree_conf.charsets.at[c.tree_conf.charsets.count++] = charset;
    tree.charsets = model_core_charsets(&c.tree_conf.charsets);
    if (!model_is_utf8(charset)) {
        c.reading.charsets = c.tree_conf.charsets;
        conf.charsets = tree.charsets;
    }

    /* Two octets; three of EUC-JP; four of gb18030 and GBK. */
    n += strcmp(model_charset_name(charset), "EUC-JP") == 0    ? 0x10000
         : strcmp(model_charset_name(charset), "gb18030") == 0 ? 0x240000
         : strcmp(model_charset_name(charset), "GBK") == 0     ? 0x240000
                                                               : 0;
    for (i = 1; i < n; i++) {
        mark = model_mark();
        octets.len = 0;
        octets.room = 0;
        if (i >= 0x20000 || (n > 0x20000 && i >= 0x10000)) {
            model_put(&octets, 0x81 + (i >> 15) % 126);
            model_put(&octets, 0x30 + (i >> 11) % 10);
            model_put(&octets, 0x81 + (i >> 4) % 126);
            model_put(&octets, 0x30 + i % 16);
        } else {
            if (i >= 0x10000) {
                model_put(&octets, 0x8f);
            }
            if (i >= 0x100) {
                model_put(&octets, i >> 8 & 0xff);
            }
            model_put(&octets, i & 0xff);
        }

        if (octets.at[0] != 0 && octets.at[octets.len - 1] != '/'
            && octets.at[0] != '/')
        {
            model_run_sequence(&c, &tree, &conf, octets);
        }
        model_release(mark);
    }

    model_forget();
}


void
model_tables(void)
{
    size_t i;

    for (i = 0; model_charset_at(i) != NULL; i++) {
        model_run_charset(model_charset_at(i));
    }
}


/* ---- figures ------------------------------------------------------------ */

void
model_report(void)
{
    size_t i;

    printf("# cases %zu, requests %zu, searches %zu, "
           "of these over budget %zu, not judged %zu\n# forms:",
           model_counts.cases, model_counts.requests, model_counts.finds,
           model_counts.budget, model_counts.unsure);
    for (i = 0; i < IRI_FORMS; i++) {
        printf(" %s %zu", iri_form_text((iri_form_t) i),
               model_counts.read_form[i]);
    }

    printf("\n# answers:");
    for (i = 0; i < IRI_VERDICTS; i++) {
        printf(" %s %zu", iri_verdict_text((iri_verdict_t) i),
               model_counts.find_answer[i]);
    }

    printf("\n# matches:");
    for (i = 0; i < IRI_MATCHES; i++) {
        printf(" %s %zu", iri_match_text((iri_match_t) i),
               model_counts.find_match[i]);
    }

    printf("\n# reasons:\n");
    for (i = 0; i < IRI_WHYS; i++) {
        if (model_counts.find_why[i] != 0) {
            printf("#   %zu %s\n", model_counts.find_why[i],
                   iri_why_text((iri_why_t) i));
        }
    }

    printf("# differences %zu\n", model_counts.differ);
}
