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
line_of(const iri_report_t *report, iri_str_t *line)
{
    iri_notes_t  notes;
    iri_status_t status;

    memset(&notes, 0, sizeof(notes));
    status = iri_note_report(&core.env, &notes, report);

    if (status == IRI_OK) {
        *line = iri_notes_format_line(&notes, NULL, &room);
    }

    return status;
}


/*
 * The report of a path, with all calls of the core that a server makes for it.
 */
static iri_status_t
report_of(iri_tree_conf_t *tree, const char *path, iri_str_t *line)
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

    status = iri_find(&core.env, &search, &found);
    if (status == IRI_OK && found.verdict == IRI_RESTART) {
        search.path = found.path;
        status = iri_find(&core.env, &search, &again);
        report.again = &again;
    }

    return status == IRI_OK ? line_of(&report, line) : status;
}


static void
fill(void)
{
    core_init(&core);
    core_put(&core, S("/srv/Images/a.gif"));
    core_put(&core, S("/srv/Docs/Readme.txt"));
    core_put(&core, S("/srv/Docs/README.txt"));
    core_put(&core, S("/srv/caf\xC3\xA9"));
}


/* A line contains in this order the path, its fields and the code. */
static void
assert_reports(iri_str_t line, const char *path, const char *fields,
               iri_why_t why, const char *file)
{
    char text[600];
    int  len = snprintf(text, sizeof(text), "\"%s\": %s, %s, file \"%s\", ",
                        path, fields, iri_why_text(why), file);

    assert_memory_equal(line.data, "iri: report: ", 13);
    assert_true(len > 0 && (size_t) len < sizeof(text));
    assert_non_null(memmem(line.data, line.len, text, (size_t) len));
}


TEST(test_line)
{
    static const struct {
        const char *target, *path, *fields;
        iri_why_t   why;
        const char *file, *code;
    } rows[] = {
        { "/caf\xC3\xA9", "/caf%C3%A9",
          "form ascii, charset \"\", match exact", IRI_WHY_FOUND,
          "/srv/caf%C3%A9", "found" },
        { "/images/A.GIF", "/Images/a.gif",
          "form ascii, charset \"\", match case", IRI_WHY_FOLDED,
          "/srv/Images/a.gif", "folded" },
        { "/images/A.GIF/more", "/Images/a.gif/more",
          "form ascii, charset \"\", match case", IRI_WHY_FOLDED,
          "/srv/Images/a.gif/more", "folded" },
        { "/images/nosuch\n\"", "/Images/nosuch%0A%22",
          "form ascii, charset \"\", match none", IRI_WHY_ABSENT,
          "/srv/Images/nosuch%0A%22", "absent" },
        { "/Images/nosuch", "/Images/nosuch",
          "form ascii, charset \"\", match none", IRI_WHY_ABSENT,
          "/srv/Images/nosuch", "absent" },
        { "/docs/readme.txt", "/Docs/readme.txt",
          "form ascii, charset \"\", match case", IRI_WHY_AMBIGUOUS,
          "/srv/Docs/", "ambiguous" },
        { "/images/../a", "/images/../a",
          "form ascii, charset \"\", match none", IRI_WHY_FORBIDDEN,
          "/srv/images/../a", "forbidden" },
    };
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY, MATCH);
    iri_str_t       line;
    char            code[40];
    size_t          i, len;

    fill();

    for (i = 0; i < COUNT(rows); i++) {
        assert_ok(report_of(&tree, rows[i].target, &line));
        assert_reports(line, rows[i].path, rows[i].fields, rows[i].why,
                       rows[i].file);
        snprintf(code, sizeof(code), ", reason=%s", rows[i].code);
        len = strlen(code);
        assert_true(line.len > len);
        assert_memory_equal(line.data + line.len - len, code, len);
    }

    /* ASCII paths are not looked up */
    tree.match = IRI_FOLD_NORMALIZATION;
    assert_ok(report_of(&tree, "/images", &line));
    assert_reports(line, "/images", "form ascii, charset \"\", match none",
                   IRI_WHY_ASCII, "/srv/images");

    tree.match = MATCH;
    tree.ambiguous = IRI_AMBIGUOUS_300;
    assert_ok(report_of(&tree, "/docs/readme.txt", &line));
    assert_reports(line, "/Docs/readme.txt",
                   "form ascii, charset \"\", match case", IRI_WHY_AMBIGUOUS,
                   "/srv/Docs/");
}


/* A path that was not looked up, and one without a reading. */
TEST(test_unlooked)
{
    iri_reading_t reading;
    iri_report_t  report = { &reading, NULL, NULL, NULL };
    iri_str_t     line;

    memset(&reading, 0, sizeof(reading));
    reading.verdict = IRI_SERVE;
    reading.form = IRI_FORM_LEGACY;
    reading.charset = S("EUC-JP");
    reading.why = IRI_WHY_READ;
    reading.path = S("/\xE8\xA1\xA8");
    assert_ok(line_of(&report, &line));
    assert_reports(line, "/%E8%A1%A8",
                   "form legacy, charset \"EUC-JP\", match none",
                   IRI_WHY_READ, "-");

    reading.verdict = IRI_REFUSE;
    reading.form = IRI_FORM_INVALID;
    reading.charset = S("");
    reading.why = IRI_WHY_UNREADABLE;
    reading.path = S("");
    assert_ok(line_of(&report, &line));
    assert_reports(line, "-", "form invalid, charset \"\", match none",
                   IRI_WHY_UNREADABLE, "-");
}


TEST(test_memory)
{
    iri_tree_conf_t tree = core_tree("", IRI_FILENAME_ANY, MATCH);
    iri_str_t       line;
    iri_status_t    status = IRI_NO_MEMORY;
    size_t          n;

    for (n = 1; status == IRI_NO_MEMORY; n++) {
        fill();
        core.fail_at = n;
        status = report_of(&tree, "/images/nosuch", &line);
    }

    assert_int_equal(status, IRI_OK);
    assert_true(n > 4);
}
