/*
 * advise_show.c - the proposal as JSON, and as a configuration with comments
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_strings.h>

#include "advise.h"

/* Longest text in a comment, and longest argument of a section, in octets: nginx
   reads lines of 4,096 octets. */
#define ADVISE_TEXT    500
#define ADVISE_SECTION 3000


/* ---- JSON ---------------------------------------------------------------- */

/* Add a list to an object. */
static json_t *
advise_add_list(json_t *object, const char *name)
{
    json_t *list = json_array();

    json_object_set_new(object, name, list);
    return list;
}


static void
advise_fill_settings(const advise_run_t *run, json_t *list)
{
    const advise_setting_t *setting;
    int                     i;

    for (i = 0; i < run->proposal->nelts; i++) {
        setting = &APR_ARRAY_IDX(run->proposal, i, advise_setting_t);
        json_array_append_new(
            list,
            json_pack("{s:s,s:s,s:I,s:s,s:b}", "directive",
                      run->conf->read.server == ADVISE_HTTPD ? setting->httpd
                                                             : setting->nginx,
                      "value", setting->value, "requests",
                      (json_int_t) setting->requests, "why", setting->why,
                      "optional", setting->optional));
    }
}


/* 1 if a text can stand between double quotes in a configuration, and is
   printed as it is. */
static int
advise_is_quotable(apr_pool_t *pool, const char *text, int httpd)
{
    return strcmp(cli_printable(pool, cli_str(text)), text) == 0
           && strlen(text) <= ADVISE_SECTION
           && strpbrk(text, httpd ? "\"\\*?[]$" : "\"\\") == NULL;
}


/*
 * The argument of the section of a place; NULL: it cannot be written.  The names
 * of directories are decoded: nginx compares the canonical path, and
 * <Directory> applies to all encodings of a name.
 */
static const char *
advise_section(const advise_run_t *run, const advise_place_t *place)
{
    const advise_root_t *root = place->root;
    int                  httpd = run->conf->read.server == ADVISE_HTTPD;
    const char          *section;

    if (place->name.len == 0 && *place->path != '\0') {
        return NULL; /* a name on the path is not decoded */
    }
    section = apr_pstrcat(run->pool, httpd ? root->directory : root->prefix,
                          "/", (const char *) place->name.data, NULL);
    return advise_is_quotable(run->pool, section, httpd) ? section : NULL;
}


/*
 * Return 1 if the place has the section and the charsets of another one: two
 * encodings of a name.  With other charsets neither of them can be written.
 */
static int
advise_has_twin(apr_hash_t *sections, const char *section, json_t *object)
{
    json_t *other = cli_hash_get(sections, cli_str(section));

    if (other == NULL) {
        cli_hash_set(sections, cli_str(section), object);
        return 0;
    }
    if (json_equal(json_object_get(other, "charsets"),
                   json_object_get(object, "charsets")))
    {
        json_object_set_new(other, "names",
                            json_integer(cli_field(other, "names")
                                         + cli_field(object, "names")));
        return 1;
    }
    json_object_set_new(other, "twins", json_true());
    json_object_set_new(object, "twins", json_true());
    return 0;
}


static void
advise_add_place(const advise_run_t *run, const advise_place_t *place,
                 json_t *list, cli_call_t *row)
{
    cli_add_row(run->call, list, row);
    cli_set_octets(
        row, "path",
        cli_str(advise_root_path(run->pool, place->root, place->path)));
}


/* The name of a charset of the detector; empty: there is none. */
static iri_str_t
advise_charset_name(const advise_run_t *run, int charset)
{
    return charset < 0 ? cli_str("")
                       : iri_charset_name(iri_detector_charset(
                           run->tree.detector, (size_t) charset));
}


/* Directories whose charset is not known. */
static void
advise_fill_unsure(const advise_run_t *run, json_t *list)
{
    const advise_place_t *place;
    cli_call_t            row;
    int                   i;

    for (i = 0; i < run->tree.places->nelts; i++) {
        place = APR_ARRAY_IDX(run->tree.places, i, advise_place_t *);
        if (place->unsure && place->legacy != NULL) {
            advise_add_place(run, place, list, &row);
            cli_set(&row, "names", cli_number(place->legacy->names));
            cli_set_octets(&row, "charset",
                           advise_charset_name(run, place->best));
            cli_set_octets(&row, "or",
                           advise_charset_name(run, place->rival));
        }
    }
}


/* Directories with charsets of their own. */
static void
advise_fill_places(const advise_run_t *run, json_t *list)
{
    const advise_place_t *place;
    apr_hash_t           *sections = cli_hash_make(run->pool);
    const char           *section;
    cli_call_t            row;
    iri_str_t             names[IRI_MAX_CHARSETS];
    size_t                k;
    int                   i;

    for (i = 0; i < run->tree.places->nelts; i++) {
        place = APR_ARRAY_IDX(run->tree.places, i, advise_place_t *);
        if (!place->own || place->parent == NULL || place->group_legacy == 0)
        {
            continue;
        }
        advise_add_place(run, place, list, &row);
        for (k = 0; k < place->tree.charsets.count; k++) {
            names[k] = iri_charset_name(place->tree.charsets.at[k]);
        }
        cli_set_list(&row, "charsets", names, k);
        cli_set(&row, "names", cli_number(place->group_legacy));
        section = advise_section(run, place);
        if (section != NULL) {
            cli_set_text(&row, "section", section);
            if (advise_has_twin(sections, section, row.object)) {
                json_array_remove(list, json_array_size(list) - 1);
            }
        }
    }
}


/* The nearest name of a lost target. */
static iri_str_t
advise_nearest(const advise_run_t *run, const cli_settings_t *near,
               iri_str_t target)
{
    cli_outcome_t outcome;
    cli_verdict_t x;

    outcome = cli_trial(near, run->scratch, target, &x);
    return cli_outcome_answers(outcome) && outcome != CLI_CHOICE
               ? cli_copy(run->pool, x.path)
               : cli_str("");
}


static void
advise_add_target(const advise_run_t *run, const cli_target_row_t *target,
                  uint64_t requests, json_t *list, cli_call_t *row)
{
    cli_add_row(run->call, list, row);
    cli_set(row, "requests", cli_number(requests));
    cli_set_text(row, "outcome", cli_outcome_text(target->outcome));
    cli_set_octets(row, "target", target->octets);
}


static void
advise_fill_lost(const advise_run_t *run, json_t *list)
{
    const cli_target_row_t *target;
    cli_settings_t          near = run->with;
    cli_call_t              row;
    int                     i;

    near.tree.match |= IRI_FOLD_INDEXED | IRI_FOLD_LATIN;
    iri_tree_conf_finish(&near.reading, &near.tree);
    advise_tree_apply((advise_tree_t *) &run->tree, &near);
    for (i = 0; i < run->targets.list->nelts
                && json_array_size(list) < (size_t) run->conf->top;
         i++)
    {
        target = APR_ARRAY_IDX(run->targets.list, i, cli_target_row_t *);
        if (target->failed == 0 || cli_outcome_answers(target->outcome)) {
            continue;
        }
        advise_add_target(run, target, target->failed, list, &row);
        cli_set_octets(&row, "nearest",
                       advise_nearest(run, &near, target->octets));
        apr_pool_clear(run->scratch);
    }
    advise_tree_apply((advise_tree_t *) &run->tree, &run->with);
}


/* Requests that get their file now, and would not get it with the proposal. */
static void
advise_fill_broken(const advise_run_t *run, json_t *list)
{
    const cli_target_row_t *target;
    cli_call_t              row;
    int                     i;

    for (i = 0; i < run->broken->nelts; i++) {
        target = APR_ARRAY_IDX(run->broken, i, cli_target_row_t *);
        advise_add_target(run, target, target->requests - target->failed,
                          list, &row);
    }
}


static int
advise_sender_order(const void *a, const void *b)
{
    const advise_sender_t *one = *(advise_sender_t *const *) a;
    const advise_sender_t *two = *(advise_sender_t *const *) b;

    if (one->requests != two->requests) {
        return one->requests > two->requests ? -1 : 1;
    }
    return iri_str_compare(one->text, two->text);
}


static void
advise_fill_senders(const advise_run_t *run, apr_hash_t *hash, json_t *list)
{
    apr_hash_index_t   *i;
    apr_array_header_t *senders = apr_array_make(run->pool, 16,
                                                 sizeof(advise_sender_t *));
    advise_sender_t    *sender;
    cli_call_t          row;
    int                 k;

    for (i = apr_hash_first(run->pool, hash); i != NULL; i = apr_hash_next(i))
    {
        APR_ARRAY_PUSH(senders, advise_sender_t *) = apr_hash_this_val(i);
    }
    qsort(senders->elts, (size_t) senders->nelts, sizeof(advise_sender_t *),
          advise_sender_order);
    for (k = 0; k < senders->nelts && k < ADVISE_SHOWN; k++) {
        sender = APR_ARRAY_IDX(senders, k, advise_sender_t *);
        cli_add_row(run->call, list, &row);
        cli_set(&row, "requests", cli_number(sender->requests));
        cli_set_octets(&row, "text", sender->text);
    }
}


static void
advise_fill_trouble(const advise_run_t *run, json_t *list)
{
    const advise_trouble_t *trouble;
    cli_call_t              row;
    iri_str_t               examples[ADVISE_EXAMPLES];
    size_t                  i, k;

    for (i = 0; i < IRI_LINT_KINDS; i++) {
        trouble = &run->trouble[i];
        if (trouble->count == 0) {
            continue;
        }
        for (k = 0; k < ADVISE_EXAMPLES && trouble->example[k] != NULL; k++) {
            examples[k] = cli_str(trouble->example[k]);
        }
        cli_add_row(run->call, list, &row);
        cli_set_text(&row, "kind", iri_lint_text((iri_lint_kind_t) i));
        cli_set(&row, "count", cli_number(trouble->count));
        cli_set_text(&row, "why", iri_lint_clause((iri_lint_kind_t) i));
        cli_set_list(&row, "examples", examples, k);
    }
}


void
advise_fill(const advise_run_t *run)
{
    const advise_config_t *read = &run->conf->read;
    cli_call_t            *call = run->call;
    json_t                *object = call->object, *rules;
    int                    i;

    cli_set_octets(call, "root", run->conf->settings.root);
    cli_set_text(call, "server",
                 read->server == ADVISE_HTTPD ? "httpd" : "nginx");
    cli_set(call, "root_of_config", json_boolean(run->conf->root_of_config));
    cli_set(call, "lines", cli_number(run->targets.lines));
    cli_set(call, "requests", cli_number(run->targets.requests));
    cli_set(call, "failed", cli_number(run->failed));
    cli_set(call, "answered", cli_number(run->answered));
    cli_set(call, "dropped", cli_number(run->targets.dropped));
    cli_set(call, "names", cli_number(run->tree.names));
    cli_set(call, "directories",
            cli_number((uint64_t) run->tree.places->nelts));
    cli_set(call, "unread", cli_number(run->tree.unread));
    cli_set(call, "links", cli_number(run->tree.links));
    rules = advise_add_list(object, "rules");
    for (i = 0; i < read->rules->nelts; i++) {
        json_array_append_new(
            rules, json_string(APR_ARRAY_IDX(read->rules, i, const char *)));
    }
    cli_set(call, "locations",
            json_boolean(run->conf->config == NULL || read->locations));
    advise_fill_settings(run, advise_add_list(object, "settings"));
    advise_fill_places(run, advise_add_list(object, "places"));
    advise_fill_unsure(run, advise_add_list(object, "unsure"));
    advise_fill_lost(run, advise_add_list(object, "lost"));
    advise_fill_broken(run, advise_add_list(object, "broken"));
    advise_fill_senders(run, run->senders[0],
                        advise_add_list(object, "referers"));
    advise_fill_senders(run, run->senders[1],
                        advise_add_list(object, "user_agents"));
    advise_fill_trouble(run, advise_add_list(object, "trouble"));
    if (run->conf->verify || run->changed != 0) {
        cli_set(call, "kept", cli_number(run->kept));
        cli_set(call, "changed", cli_number(run->changed));
    }
}


/* ---- text ---------------------------------------------------------------- */

/* Print octets in a comment, only their beginning if they are long. */
static void
advise_print(iri_str_t octets)
{
    size_t len = octets.len;

    if (len > ADVISE_TEXT) {
        for (len = ADVISE_TEXT; (octets.data[len] & 0xC0) == 0x80; len--) {
        }
    }
    cli_print(stdout, (iri_str_t){ len, octets.data });
    fputs(len < octets.len ? "..." : "", stdout);
}


/* A setting, and its figure and reason as a comment: behind it in nginx, above
   it in httpd, which has no comments behind a directive. */
static void
advise_show_setting(const json_t *setting, int httpd, int commented)
{
    char line[256];

    commented |= json_is_true(json_object_get(setting, "optional"));
    snprintf(line, sizeof(line), "%s%s %s%s", commented ? "# " : "",
             cli_field_string(setting, "directive"),
             cli_field_string(setting, "value"), httpd ? "" : ";");
    if (!httpd) {
        printf("%-44s  ", line);
    }
    fputs("# ", stdout);
    if (cli_field(setting, "requests") != 0) {
        cli_print_count(stdout, setting, "requests", "request");
        fputs(": ", stdout);
    }
    puts(cli_field_string(setting, "why"));
    if (httpd) {
        puts(line);
    }
}


/* A directory with a charset of its own. */
static void
advise_show_place(const json_t *object, const json_t *place, int httpd,
                  int commented)
{
    const json_t *charsets = json_object_get(place, "charsets");
    const char   *off = commented ? "# " : "";
    iri_str_t     section = cli_field_text(place, "section");
    size_t        i;

    if (json_object_get(place, "twins") != NULL) {
        off = "# ";
        fputs("\n# Two directories have this name, and names in different "
              "charsets.",
              stdout);
    } else if (section.len == 0) {
        off = "# ";
        fputs(
            "\n# The name of this directory cannot be quoted in a configuration.",
            stdout);
        section = cli_field_text(place, "path");
    } else if (!httpd && json_is_true(json_object_get(object, "locations"))) {
        off = "# ";
        fputs(
            "\n# Copy iri_filename_charset to the location that serves this "
            "directory, or copy the\n# directives of that location here: a new "
            "location does not inherit them, not even\n# access rules.",
            stdout);
    }
    printf("\n%s%s \"", off, httpd ? "<Directory" : "location");
    if (*off != '\0') {
        advise_print(section);
    } else {
        cli_print(stdout, section);
    }
    puts(httpd ? "\">" : "\" {");
    printf("%s    # ", off);
    cli_print_count(stdout, place, "names", "name");
    printf("\n%s    %s", off,
           httpd ? "IRIFilenameCharset" : "iri_filename_charset");
    for (i = 0; i < json_array_size(charsets); i++) {
        printf(" %s", json_string_value(json_array_get(charsets, i)));
    }
    printf("%s\n%s%s\n", httpd ? "" : ";", off, httpd ? "</Directory>" : "}");
}


/* Print a number of the object, if it is not 0. */
__attribute__((format(printf, 3, 0))) static void
advise_show_number(const json_t *object, const char *name, const char *format)
{
    long long number = cli_field(object, name);

    if (number != 0) {
        printf(format, number);
    }
}


static void
advise_show_head(const json_t *object)
{
    long long failed = cli_field(object, "failed");
    long long answered = cli_field(object, "answered");

    fputs("# iri advise: ", stdout);
    cli_print_count(stdout, object, "names", "name");
    fputs(" in ", stdout);
    cli_print_count(stdout, object, "directories", "directory");
    fputs(", ", stdout);
    cli_print_count(stdout, object, "requests", "request");
    printf(" in the logs.\n# Failed (400, 404): %lld. Answered with the "
           "lines below: %lld. Lost: %lld.\n",
           failed, answered, failed - answered);
    if (json_is_true(json_object_get(object, "root_of_config"))) {
        fputs("# The document root is the first one of the configuration: ",
              stdout);
        advise_print(cli_field_text(object, "root"));
        putchar('\n');
    }
    advise_show_number(object, "dropped",
                       "# %lld requests were not counted: the logs have more "
                       "than 1,000,000 targets,\n# or 128 MiB of them.\n");
    advise_show_number(object, "unread",
                       "# Directories that could not be read: %lld.\n");
    advise_show_number(object, "links",
                       "# Links to directories that have another path, too: "
                       "%lld. A section applies to one path.\n");
    if (json_object_get(object, "kept") != NULL) {
        printf("# Other requests that are not ASCII: %lld get the same file, "
               "%lld would lose it.\n",
               cli_field(object, "kept"), cli_field(object, "changed"));
    }
}


/* Texts in lines of comments. */
static void
advise_show_texts(const json_t *texts, const char *prefix)
{
    size_t i;

    for (i = 0; i < json_array_size(texts); i++) {
        fputs(prefix, stdout);
        advise_print(cli_str(json_string_value(json_array_get(texts, i))));
        putchar('\n');
    }
}


static void
advise_show_unsure(const json_t *unsure)
{
    size_t i;

    for (i = 0; i < json_array_size(unsure) && i < ADVISE_SHOWN; i++) {
        const json_t *place = json_array_get(unsure, i);

        fputs("#   /", stdout);
        advise_print(cli_field_text(place, "path"));
        fputs(": ", stdout);
        cli_print_count(stdout, place, "names", "name");
        if (cli_field_text(place, "or").len != 0) {
            printf(" in %s or %s", cli_field_string(place, "charset"),
                   cli_field_string(place, "or"));
        }
        putchar('\n');
    }
}


/* Targets, or senders. */
static void
advise_show_rows(const json_t *rows)
{
    size_t i;

    for (i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);

        printf("# %8lld  ", cli_field(row, "requests"));
        advise_print(cli_field_text(row, "target"));
        advise_print(cli_field_text(row, "text"));
        if (cli_field_text(row, "nearest").len != 0) {
            fputs("   nearest: ", stdout);
            advise_print(cli_field_text(row, "nearest"));
        }
        putchar('\n');
    }
}


static void
advise_show_trouble(const json_t *trouble)
{
    size_t i;

    for (i = 0; i < json_array_size(trouble); i++) {
        const json_t *kind = json_array_get(trouble, i);
        long long     count = cli_field(kind, "count");

        printf("#   %lld name%s: %s\n", count, count == 1 ? "" : "s",
               cli_field_string(kind, "why"));
        advise_show_texts(json_object_get(kind, "examples"), "#     ");
    }
}


/* A part of the report, if its list is not empty. */
static void
advise_show_part(const json_t *object, const char *name, const char *title,
                 void (*show)(const json_t *list))
{
    const json_t *list = json_object_get(object, name);

    if (json_array_size(list) != 0) {
        printf("\n# %s\n", title);
        show(list);
    }
}


void
advise_show(const void *data, cli_call_t *call)
{
    const advise_conf_t *conf = data;
    const json_t        *object = call->object;
    const json_t        *settings = json_object_get(object, "settings");
    const json_t        *places = json_object_get(object, "places");
    const json_t        *rules = json_object_get(object, "rules");
    int                  httpd = conf->read.server == ADVISE_HTTPD;
    int                  broken = cli_field(object, "changed") != 0;
    int                  commented = json_array_size(rules) != 0 || broken;
    size_t               i;

    if (conf->json) {
        json_dumpf(object, stdout, JSON_INDENT(2));
        putchar('\n');
        return;
    }
    advise_show_head(object);
    if (json_array_size(rules) != 0) {
        puts("#\n# The following lines are comments: rules with the text "
             "below would no longer match.\n# Write it in UTF-8 in NFC "
             "first:");
        advise_show_texts(rules, "#   ");
    } else if (broken) {
        puts(
            "#\n# The following lines are comments: files would no longer be "
            "found.");
    }
    advise_show_part(
        object, "broken",
        "Requests that would not get their file:", advise_show_rows);
    putchar('\n');
    for (i = 0; i < json_array_size(settings); i++) {
        advise_show_setting(json_array_get(settings, i), httpd, commented);
    }
    for (i = 0; i < json_array_size(places); i++) {
        advise_show_place(object, json_array_get(places, i), httpd,
                          commented);
    }
    puts(commented
             ? "\n# First correct what is named above."
             : "\n# First write \"report\" instead of \"on\" for some days: "
               "the log then shows what\n# would be done, and nothing "
               "changes.");
    advise_show_part(object, "unsure",
                     "Directories with too few names to tell their charset, "
                     "which stays as above:",
                     advise_show_unsure);
    advise_show_part(
        object, "lost",
        "The most frequent requests that are lost:", advise_show_rows);
    advise_show_part(
        object, "referers",
        "Pages with links that are not UTF-8 (Referer):", advise_show_rows);
    advise_show_part(
        object, "user_agents",
        "Clients that send them (User-Agent):", advise_show_rows);
    advise_show_part(object, "trouble",
                     "Names that cause trouble:", advise_show_trouble);
}
