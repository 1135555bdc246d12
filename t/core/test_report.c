/*
 * test_report.c - the log line of `iri report`
 *
 * Covers: the line describes the final result of a request, so that a path of
 * which only the directory was found does not count as found; nothing of a
 * path ends the line; without memory there is no line.
 */

#include "core.h"

#define MATCH (IRI_FOLD_NORMALIZATION | IRI_FOLD_CASE)


static iri_line_t room;


static iri_status_t
line_of(core_t *core, const iri_report_t *report, iri_str_t *line)
{
    iri_notes_t  notes;
    iri_status_t status;

    memset(&notes, 0, sizeof(notes));
    status = iri_note_report(&core->env, &notes, report);

    if (status == IRI_OK) {
        *line = iri_notes_format_line(&notes, NULL, &room);
    }

    return status;
}


/*
 * The report of a path, with all calls of the core that a server makes for it.
 */
static iri_status_t
report_of(core_t *core, iri_tree_conf_t *tree, const char *path,
          iri_str_t *line)
{
    iri_reading_t reading;
    iri_search_t  search;
    iri_found_t   found, again;
    iri_report_t  report = { &reading, &found, NULL, &search };
    iri_status_t  status;

    memset(&reading, 0, sizeof(reading));
    memset(&search, 0, sizeof(search));
    reading.path = core_str(path);
    search.tree = tree;
    search.root = S("/srv");
    search.path = reading.path;

    status = iri_find(&core->env, &search, &found);
    if (status == IRI_OK && found.verdict == IRI_RESTART) {
        search.path = found.path;
        status = iri_find(&core->env, &search, &again);
        report.again = &again;
    }

    return status == IRI_OK ? line_of(core, &report, line) : status;
}


static void
fill(core_t *core)
{
    core_init(core);
    core_put(core, S("/srv/Images/a.gif"));
    core_put(core, S("/srv/Docs/Readme.txt"));
    core_put(core, S("/srv/Docs/README.txt"));
    core_put(core, S("/srv/caf\xC3\xA9"));
}


static void
test_line(void **state)
{
    static const char *const lines[][2] = {
        { "/caf\xC3\xA9",
          "serve \"/caf%C3%A9\": form ascii, charset \"\", match exact, an "
          "entry has the requested name, file \"/srv/caf%C3%A9\", reason=found" },
        { "/images/A.GIF",
          "restart as \"/Images/a.gif\": form ascii, charset \"\", match "
          "case, found where width, case or accents differ, "
          "file \"/srv/Images/a.gif\", reason=folded" },
        { "/images/A.GIF/more",
          "restart as \"/Images/a.gif/more\": form ascii, charset \"\", "
          "match case, found where width, case or accents differ, "
          "file \"/srv/Images/a.gif/more\", reason=folded" },
        { "/images/nosuch\n\"",
          "find nothing as \"/Images/nosuch%0A%22\": form ascii, "
          "charset \"\", match none, no entry has that name, "
          "file \"/srv/Images/nosuch%0A%22\", reason=absent" },
        { "/Images/nosuch",
          "find nothing as \"/Images/nosuch\": form ascii, charset \"\", "
          "match none, no entry has that name, file \"/srv/Images/nosuch\", reason=absent" },
        { "/docs/readme.txt",
          "find several names for \"/Docs/readme.txt\": form ascii, "
          "charset \"\", match case, several names match equally "
          "well, file \"/srv/Docs/\", reason=ambiguous" },
        { "/images/../a",
          "refuse \"/images/../a\": form ascii, charset \"\", match none, "
          "contains a NUL or a dot-segment, file \"/srv/images/../a\", reason=forbidden" },
    };
    core_t          core;
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY, MATCH);
    iri_str_t       line;
    size_t          i, head = strlen("iri: report: would ");

    (void) state;
    fill(&core);

    for (i = 0; i < COUNT(lines); i++) {
        assert_int_equal(report_of(&core, &tree, lines[i][0], &line), IRI_OK);
        assert_memory_equal(line.data, "iri: report: would ", head);
        line.data += head;
        line.len -= head;
        assert_text(line, lines[i][1]);
    }

    /* ASCII paths are not looked up */
    tree.match = IRI_FOLD_NORMALIZATION;
    assert_int_equal(report_of(&core, &tree, "/Images", &line), IRI_OK);
    assert_memory_equal(line.data + head, "pass on \"/Images\"", 17);
    assert_int_equal(report_of(&core, &tree, "/images", &line), IRI_OK);
    assert_memory_equal(line.data + head, "find nothing as \"/images\"", 25);

    tree.match = MATCH;
    tree.ambiguous = IRI_AMBIGUOUS_300;
    assert_int_equal(report_of(&core, &tree, "/docs/readme.txt", &line),
                     IRI_OK);
    assert_memory_equal(line.data + head, "offer a choice for \"/Docs/", 26);
    core_free(&core);
}


/* A path that was not looked up, and one without a reading. */
static void
test_unlooked(void **state)
{
    core_t        core;
    iri_reading_t reading;
    iri_report_t  report = { &reading, NULL, NULL, NULL };
    iri_str_t     line;

    (void) state;
    core_init(&core);
    memset(&reading, 0, sizeof(reading));
    reading.verdict = IRI_SERVE;
    reading.form = IRI_FORM_LEGACY;
    reading.charset = S("EUC-JP");
    reading.why = IRI_WHY_READ;
    reading.path = S("/\xE8\xA1\xA8");
    assert_int_equal(line_of(&core, &report, &line), IRI_OK);
    assert_text(line, "iri: report: would pass on \"/%E8%A1%A8\": form legacy"
                      ", charset \"EUC-JP\", match none, sent in another "
                      "form, file \"-\", reason=read");

    reading.verdict = IRI_REFUSE;
    reading.form = IRI_FORM_INVALID;
    reading.charset = S("");
    reading.why = IRI_WHY_UNREADABLE;
    reading.path = S("");
    assert_int_equal(line_of(&core, &report, &line), IRI_OK);
    assert_text(line,
                "iri: report: would refuse \"-\": form invalid, "
                "charset \"\", match none, no charset decodes the path, "
                "file \"-\", reason=unreadable");
    core_free(&core);
}


static void
test_memory(void **state)
{
    core_t          core;
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY, MATCH);
    iri_str_t       line;
    iri_status_t    status = IRI_NO_MEMORY;
    size_t          n;

    (void) state;

    for (n = 1; status == IRI_NO_MEMORY; n++) {
        fill(&core);
        core.fail_at = n;
        status = report_of(&core, &tree, "/images/nosuch", &line);
        core_free(&core);
    }

    assert_int_equal(status, IRI_OK);
    assert_true(n > 4);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_unlooked),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
