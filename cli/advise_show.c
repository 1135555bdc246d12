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

/* Set a field to octets; those that are not UTF-8 are escaped. */
static int
advise_set(json_t *object, apr_pool_t *pool, const char *name,
           iri_str_t octets)
{
    cli_call_t line;

    memset(&line, 0, sizeof(line));
    line.pool = pool;
    line.object = object;
    return cli_set_octets(&line, name, octets);
}


static int
advise_set_text(json_t *object, apr_pool_t *pool, const char *name,
                const char *text)
{
    return advise_set(object, pool, name, cli_str(text));
}


static int
advise_fill_settings(const advise_run_t *run, json_t *list)
{
    const advise_setting_t *setting;
    json_t                 *object;
    int                     i, failed = 0;

    for (i = 0; !failed && i < run->proposal->nelts; i++) {
        setting = &APR_ARRAY_IDX(run->proposal, i, advise_setting_t);
        object = json_pack("{s:s, s:s, s:o, s:s, s:b}", "directive",
                           run->conf->read.server == 'h' ? setting->httpd
                                                         : setting->nginx,
                           "value", setting->value, "requests",
                           cli_number(setting->requests), "why", setting->why,
                           "optional", setting->optional);
        failed = json_array_append_new(list, object) != 0;
    }
    return failed;
}


static const char *
advise_charset_name(const advise_run_t *run, int charset)
{
    return charset < 0 ? ""
                       : (const char *) iri_charset_name(
                             iri_detector_charset(run->tree.detector,
                                                  (size_t) charset))
                             .data;
}


/* 1 if a text can stand between double quotes in a configuration, and is
   printed as it is. */
static int
advise_is_quotable(apr_pool_t *pool, iri_str_t text, int httpd)
{
    const char *shown = cli_printable(pool, text);
    size_t      i;

    if (shown == NULL || strlen(shown) != text.len
        || text.len > ADVISE_SECTION) {
        return 0;
    }
    for (i = 0; i < text.len; i++) {
        if (text.data[i] < 0x20 || text.data[i] == 0x7F
            || strchr(httpd ? "\"\\*?[]$" : "\"\\", text.data[i]) != NULL)
        {
            return 0;
        }
    }
    return 1;
}


static int
advise_set_path(const advise_run_t *run, json_t *object,
                const advise_place_t *place)
{
    return advise_set_text(
        object, run->pool, "path",
        advise_root_path(run->pool, place->root, place->path));
}


/*
 * Set the argument of the section of a place, if it can be written.  The names
 * of directories are decoded: nginx compares the canonical path, and
 * <Directory> applies to all encodings of a name.
 */
static int
advise_set_section(const advise_run_t *run, json_t *object,
                   const advise_place_t *place)
{
    const advise_root_t *root = place->root;
    int                  httpd = run->conf->read.server == 'h';
    const char          *section;

    if (place->name.len == 0 && *place->path != '\0') {
        return 0; /* a name on the path is not decoded */
    }
    section = apr_pstrcat(run->pool, httpd ? root->directory : root->prefix,
                          "/", (const char *) place->name.data, NULL);
    return advise_is_quotable(run->pool, cli_str(section), httpd)
               ? advise_set_text(object, run->pool, "section", section)
               : 0;
}


/*
 * Append a place, unless there is one with the same section and charsets: two
 * encodings of a name.  With other charsets neither of them can be written.
 */
static int
advise_add_place(apr_hash_t *sections, json_t *list, json_t *object)
{
    iri_str_t section = cli_field_text(object, "section");
    json_t   *other = NULL;

    if (section.len != 0) {
        other = apr_hash_get(sections, section.data,
                             (apr_ssize_t) section.len);
    }
    if (other != NULL
        && json_equal(json_object_get(other, "charsets"),
                      json_object_get(object, "charsets")))
    {
        json_object_set_new(other, "names",
                            json_integer(cli_field(other, "names")
                                         + cli_field(object, "names")));
        json_decref(object);
        return 0;
    }
    if (other != NULL) {
        json_object_set_new(other, "twins", json_true());
        json_object_set_new(object, "twins", json_true());
    } else if (section.len != 0) {
        apr_hash_set(sections, section.data, (apr_ssize_t) section.len,
                     object);
    }
    return json_array_append_new(list, object);
}


/* Directories with charsets of their own, and those whose charset is not known. */
static int
advise_fill_places(const advise_run_t *run, json_t *places, json_t *unsure)
{
    const advise_place_t *place;
    apr_hash_t           *sections = cli_hash_make(run->pool);
    json_t               *object, *list;
    size_t                k;
    int                   i, failed = 0;

    for (i = 0; !failed && i < run->tree.places->nelts; i++) {
        place = APR_ARRAY_IDX(run->tree.places, i, advise_place_t *);
        if (place->unsure && place->legacy != NULL) {
            object = json_pack("{s:o, s:s, s:s}", "names",
                               cli_number(place->legacy->names), "charset",
                               advise_charset_name(run, place->likely), "or",
                               advise_charset_name(run, place->other));
            failed = advise_set_path(run, object, place)
                     || json_array_append_new(unsure, object) != 0;
        } else if (place->own && place->parent != NULL
                   && place->group_legacy != 0) {
            list = json_array();
            for (k = 0; k < place->tree.charsets.count; k++) {
                json_array_append_new(
                    list, json_string((const char *) iri_charset_name(
                                          place->tree.charsets.at[k])
                                          .data));
            }
            object = json_pack("{s:o, s:o}", "charsets", list, "names",
                               cli_number(place->group_legacy));
            failed = advise_set_path(run, object, place)
                     || advise_set_section(run, object, place)
                     || advise_add_place(sections, places, object) != 0;
        }
    }
    return failed;
}


/* The nearest name of a lost target. */
static iri_str_t
advise_nearest(const advise_run_t *run, iri_str_t target)
{
    cli_settings_t near = run->with;
    cli_outcome_t  outcome;
    cli_verdict_t  x;
    iri_str_t      none = { 0, NULL };

    near.tree.match |= IRI_FOLD_WIDTH | IRI_FOLD_CASE | IRI_FOLD_ACCENTS
                       | IRI_FOLD_SPELLING;
    iri_tree_conf_finish(&near.reading, &near.tree);
    advise_tree_apply((advise_tree_t *) &run->tree, &near);
    outcome = advise_try(&near, run->scratch, target, &x);
    if (!cli_outcome_answers(outcome) || outcome == CLI_CHOICE) {
        return none;
    }
    return cli_copy(run->pool, x.path);
}


static int
advise_fill_lost(const advise_run_t *run, json_t *list)
{
    const cli_target_row_t *row;
    json_t                 *object;
    int                     i, failed = 0;

    for (i = 0; !failed && i < run->targets.list->nelts
                && json_array_size(list) < run->conf->top;
         i++)
    {
        row = APR_ARRAY_IDX(run->targets.list, i, cli_target_row_t *);
        if (row->failed == 0 || cli_outcome_answers(row->outcome)) {
            continue;
        }
        object = json_pack("{s:o, s:s}", "requests", cli_number(row->failed),
                           "outcome", cli_outcome_text(row->outcome));
        failed = advise_set(object, run->pool, "target", row->octets) != 0
                 || advise_set(object, run->pool, "nearest",
                               advise_nearest(run, row->octets))
                        != 0
                 || json_array_append_new(list, object) != 0;
        apr_pool_clear(run->scratch);
    }
    advise_tree_apply((advise_tree_t *) &run->tree, &run->with);
    return failed;
}


/* Requests that get their file now, and would not get it with the proposal. */
static int
advise_fill_broken(const advise_run_t *run, json_t *list)
{
    const cli_target_row_t *row;
    json_t                 *object;
    int                     i, failed = 0;

    for (i = 0; !failed && i < run->broken->nelts; i++) {
        row = APR_ARRAY_IDX(run->broken, i, cli_target_row_t *);
        object = json_pack("{s:o, s:s}", "requests",
                           cli_number(row->requests - row->failed), "outcome",
                           cli_outcome_text(row->outcome));
        failed = advise_set(object, run->pool, "target", row->octets) != 0
                 || json_array_append_new(list, object) != 0;
    }
    return failed;
}


static int
advise_sender_order(const void *a, const void *b)
{
    const advise_sender_t *one = *(advise_sender_t *const *) a;
    const advise_sender_t *two = *(advise_sender_t *const *) b;

    return (one->requests < two->requests) - (one->requests > two->requests);
}


static int
advise_fill_senders(const advise_run_t *run, size_t which, json_t *list)
{
    apr_hash_index_t   *i;
    apr_array_header_t *senders = apr_array_make(run->pool, 16,
                                                 sizeof(advise_sender_t *));
    advise_sender_t    *sender;
    json_t             *object;
    int                 k, failed = 0;

    for (i = apr_hash_first(run->pool, run->senders[which]); i != NULL;
         i = apr_hash_next(i))
    {
        APR_ARRAY_PUSH(senders, advise_sender_t *) = apr_hash_this_val(i);
    }
    qsort(senders->elts, (size_t) senders->nelts, sizeof(advise_sender_t *),
          advise_sender_order);
    for (k = 0; !failed && k < senders->nelts && k < ADVISE_SHOWN; k++) {
        sender = APR_ARRAY_IDX(senders, k, advise_sender_t *);
        object = json_pack("{s:o}", "requests", cli_number(sender->requests));
        failed = advise_set(object, run->pool, "text", sender->text) != 0
                 || json_array_append_new(list, object) != 0;
    }
    return failed;
}


static int
advise_fill_trouble(const advise_run_t *run, json_t *list)
{
    const advise_trouble_t *trouble;
    json_t                 *examples;
    size_t                  i, k;

    for (i = 0; i < IRI_LINT_KINDS; i++) {
        trouble = &run->trouble[i];
        if (trouble->count == 0) {
            continue;
        }
        examples = json_array();
        for (k = 0; k < ADVISE_EXAMPLES && trouble->example[k] != NULL; k++) {
            json_array_append_new(examples, json_string(trouble->example[k]));
        }
        if (json_array_append_new(
                list, json_pack("{s:s, s:o, s:s, s:o}", "kind",
                                iri_lint_text((iri_lint_kind_t) i), "count",
                                cli_number(trouble->count), "why",
                                iri_lint_clause((iri_lint_kind_t) i),
                                "examples", examples))
            != 0)
        {
            return -1;
        }
    }
    return 0;
}


int
advise_fill(const advise_run_t *run)
{
    json_t *object = run->call->object, *rules = json_array();
    json_t *settings = json_array(), *places = json_array();
    json_t *unsure = json_array(), *lost = json_array();
    json_t *referers = json_array(), *agents = json_array();
    json_t *trouble = json_array(), *broken = json_array();
    int     i;

    for (i = 0; i < run->conf->read.rules->nelts; i++) {
        json_array_append_new(rules,
                              json_string(APR_ARRAY_IDX(run->conf->read.rules,
                                                        i, const char *)));
    }
    if (advise_fill_settings(run, settings)
        || advise_fill_places(run, places, unsure)
        || advise_fill_lost(run, lost) || advise_fill_broken(run, broken)
        || advise_fill_senders(run, 0, referers)
        || advise_fill_senders(run, 1, agents)
        || advise_fill_trouble(run, trouble)
        || advise_set(object, run->pool, "root", run->conf->settings->root))
    {
        return -1;
    }
    json_object_set_new(
        object, "server",
        json_string(run->conf->read.server == 'h' ? "httpd" : "nginx"));
    json_object_set_new(object, "root_of_config",
                        json_boolean(run->conf->root_of_config));
    json_object_set_new(object, "lines", cli_number(run->targets.lines));
    json_object_set_new(object, "requests",
                        cli_number(run->targets.requests));
    json_object_set_new(object, "failed", cli_number(run->failed));
    json_object_set_new(object, "answered", cli_number(run->answered));
    json_object_set_new(object, "dropped", cli_number(run->targets.dropped));
    json_object_set_new(object, "names", cli_number(run->tree.names));
    json_object_set_new(object, "directories",
                        cli_number((uint64_t) run->tree.places->nelts));
    json_object_set_new(object, "unread", cli_number(run->tree.unread));
    json_object_set_new(object, "links", cli_number(run->tree.links));
    json_object_set_new(object, "rules", rules);
    json_object_set_new(
        object, "locations",
        json_boolean(run->conf->config == NULL || run->conf->read.locations));
    json_object_set_new(object, "settings", settings);
    json_object_set_new(object, "places", places);
    json_object_set_new(object, "unsure", unsure);
    json_object_set_new(object, "lost", lost);
    json_object_set_new(object, "broken", broken);
    json_object_set_new(object, "referers", referers);
    json_object_set_new(object, "user_agents", agents);
    json_object_set_new(object, "trouble", trouble);
    if (run->conf->verify || run->changed != 0) {
        json_object_set_new(object, "kept", cli_number(run->kept));
        json_object_set_new(object, "changed", cli_number(run->changed));
    }
    return 0;
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
        octets.len = len;
        cli_print(stdout, octets);
        fputs("...", stdout);
        return;
    }
    cli_print(stdout, octets);
}


static int
advise_is_httpd(const json_t *object)
{
    return strcmp(json_string_value(json_object_get(object, "server")),
                  "httpd")
           == 0;
}


/* A setting, and its figure and reason as a comment: behind it in nginx, above
   it in httpd, which has no comments behind a directive. */
static void
advise_show_setting(const json_t *setting, int httpd, int commented)
{
    const char *off = commented
                              || json_is_true(
                                  json_object_get(setting, "optional"))
                          ? "# "
                          : "";
    char        line[256];

    snprintf(line, sizeof(line), "%s%s %s%s", off,
             json_string_value(json_object_get(setting, "directive")),
             json_string_value(json_object_get(setting, "value")),
             httpd ? "" : ";");
    if (!httpd) {
        printf("%-44s  ", line);
    }
    fputs("# ", stdout);
    if (cli_field(setting, "requests") != 0) {
        cli_print_count(stdout, cli_field(setting, "requests"), "request",
                        "requests");
        fputs(": ", stdout);
    }
    puts(json_string_value(json_object_get(setting, "why")));
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
    cli_print_count(stdout, cli_field(place, "names"), "name", "names");
    printf("\n%s    %s", off,
           httpd ? "IRIFilenameCharset" : "iri_filename_charset");
    for (i = 0; i < json_array_size(charsets); i++) {
        printf(" %s", json_string_value(json_array_get(charsets, i)));
    }
    printf("%s\n%s%s\n", httpd ? "" : ";", off, httpd ? "</Directory>" : "}");
}


static void
advise_show_head(const json_t *object)
{
    long long failed = cli_field(object, "failed");
    long long answered = cli_field(object, "answered");

    fputs("# iri advise: ", stdout);
    cli_print_count(stdout, cli_field(object, "names"), "name", "names");
    fputs(" in ", stdout);
    cli_print_count(stdout, cli_field(object, "directories"), "directory",
                    "directories");
    fputs(", ", stdout);
    cli_print_count(stdout, cli_field(object, "requests"), "request",
                    "requests");
    printf(
        " in the logs.\n# Failed (400, 404): %lld. Answered with the lines below: "
        "%lld. Lost: %lld.\n",
        failed, answered, failed - answered);
    if (json_is_true(json_object_get(object, "root_of_config"))) {
        fputs("# The document root is the first one of the configuration: ",
              stdout);
        advise_print(cli_field_text(object, "root"));
        putchar('\n');
    }
    if (cli_field(object, "dropped") != 0) {
        printf("# %lld requests were not counted: the logs have more than "
               "1,000,000 targets,\n# or 128 MiB of them.\n",
               cli_field(object, "dropped"));
    }
    if (cli_field(object, "unread") != 0) {
        printf("# Directories that could not be read: %lld.\n",
               cli_field(object, "unread"));
    }
    if (cli_field(object, "links") != 0) {
        printf("# Links to directories that have another path, too: %lld. A "
               "section applies to one path.\n",
               cli_field(object, "links"));
    }
    if (cli_field(object, "changed") != 0
        || json_object_get(object, "kept") != NULL)
    {
        printf(
            "# Other requests that are not ASCII: %lld get the same file, %lld "
            "would lose it.\n",
            cli_field(object, "kept"), cli_field(object, "changed"));
    }
}


static void
advise_show_rules(const json_t *rules)
{
    size_t i;

    puts(
        "#\n# The following lines are comments: rules with the text below would "
        "no longer match.\n# Write it in UTF-8 in NFC first:");
    for (i = 0; i < json_array_size(rules); i++) {
        fputs("#   ", stdout);
        advise_print(cli_str(json_string_value(json_array_get(rules, i))));
        putchar('\n');
    }
}


static void
advise_show_unsure(const json_t *unsure)
{
    size_t i;

    for (i = 0; i < json_array_size(unsure) && i < ADVISE_SHOWN; i++) {
        const json_t *place = json_array_get(unsure, i);
        const char   *other = json_string_value(json_object_get(place, "or"));

        fputs("#   /", stdout);
        advise_print(cli_field_text(place, "path"));
        fputs(": ", stdout);
        cli_print_count(stdout, cli_field(place, "names"), "name", "names");
        if (*other != '\0') {
            printf(" in %s or %s",
                   json_string_value(json_object_get(place, "charset")),
                   other);
        }
        putchar('\n');
    }
}


static void
advise_show_lost(const json_t *lost)
{
    size_t i;

    for (i = 0; i < json_array_size(lost); i++) {
        const json_t *row = json_array_get(lost, i);

        printf("# %8lld  ", cli_field(row, "requests"));
        advise_print(cli_field_text(row, "target"));
        if (json_string_length(json_object_get(row, "nearest")) != 0) {
            fputs("   nearest: ", stdout);
            advise_print(cli_field_text(row, "nearest"));
        }
        putchar('\n');
    }
}


static void
advise_show_senders(const json_t *senders)
{
    size_t i;

    for (i = 0; i < json_array_size(senders); i++) {
        printf("# %8lld  ",
               cli_field(json_array_get(senders, i), "requests"));
        advise_print(cli_field_text(json_array_get(senders, i), "text"));
        putchar('\n');
    }
}


static void
advise_show_trouble(const json_t *trouble)
{
    const json_t *examples;
    size_t        i, k;

    for (i = 0; i < json_array_size(trouble); i++) {
        const json_t *kind = json_array_get(trouble, i);

        fputs("#   ", stdout);
        cli_print_count(stdout, cli_field(kind, "count"), "name", "names");
        printf(": %s\n", json_string_value(json_object_get(kind, "why")));
        examples = json_object_get(kind, "examples");
        for (k = 0; k < json_array_size(examples); k++) {
            fputs("#     ", stdout);
            advise_print(
                cli_str(json_string_value(json_array_get(examples, k))));
            putchar('\n');
        }
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
    int                  httpd = advise_is_httpd(object);
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
        advise_show_rules(rules);
    } else if (broken) {
        puts(
            "#\n# The following lines are comments: files would no longer be "
            "found.");
    }
    advise_show_part(
        object, "broken",
        "Requests that would not get their file:", advise_show_lost);
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
        "The most frequent requests that are lost:", advise_show_lost);
    advise_show_part(object, "referers",
                     "Pages with links that are not UTF-8 (Referer):",
                     advise_show_senders);
    advise_show_part(
        object, "user_agents",
        "Clients that send them (User-Agent):", advise_show_senders);
    advise_show_part(object, "trouble",
                     "Names that cause trouble:", advise_show_trouble);
}
