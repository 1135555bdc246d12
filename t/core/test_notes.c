/*
 * test_notes.c - the log line of a request
 *
 * Covers: it is one line of printable ASCII for any notes, with each code
 * once, at its end, for any number of notes; doc/reasons.md has a row for each
 * code.
 */

#include <stdio.h>
#include <stdlib.h>

#include "core.h"

#define DOCUMENT "doc/reasons.md"


/* ---- octets -------------------------------------------------------------- */

TEST(test_show)
{
    static unsigned char long_path[2000];
    iri_shown_t          shown;
    iri_str_t            path = { 0, long_path };
    size_t               len;

    assert_string_equal(iri_show(&shown, S("")), "");
    assert_string_equal(iri_show(&shown, S("/caf\xC3\xA9%\"\n\\")),
                        "/caf%C3%A9%25%22%0A%5C");
    assert_string_equal(
        iri_show_sent(&shown, S("/caf\xC3\xA9%41\"\n\\ \x7f")),
        "/caf%C3%A9%41%22%0A%5C%20%7F");

    memset(long_path, 0xff, sizeof(long_path));

    for (path.len = 100; path.len < 200; path.len++) {
        iri_show(&shown, path);
        len = strlen(shown.text);
        assert_true(len < sizeof(shown.text));
        assert_int_equal(strcmp(shown.text + len - 3, "...") == 0,
                         path.len > 133);
    }

    memset(long_path, 'a', sizeof(long_path));

    for (path.len = 390; path.len < 410; path.len++) {
        iri_show(&shown, path);
        assert_true(strlen(shown.text) < sizeof(shown.text));
    }
}


/* ---- lines --------------------------------------------------------------- */

TEST(test_line)
{
    iri_notes_t notes;
    iri_line_t  line;
    iri_str_t   told;

    memset(&notes, 0, sizeof(notes));
    iri_note(&notes, IRI_LOG_INFO, "folded", "\"%s\" found as \"%s\"", "/A",
             "/a");
    told = iri_notes_format_line(&notes, NULL, &line);
    assert_text(told, "iri: \"/A\" found as \"/a\", reason=folded");
    assert_int_equal(notes.level, IRI_LOG_INFO);

    /* another note, followed by a more severe one and by a repeated code */
    iri_note(&notes, IRI_LOG_ERROR, "limit", "\"%s\" is long", "/a\n\xff");
    iri_note(&notes, IRI_LOG_INFO, "folded", "again");
    told = iri_notes_format_line(&notes, "/A?\"\n", &line);
    assert_text(told, "iri: \"/A\" found as \"/a\"; \"/a?"
                      "?\" is long; again, "
                      "reason=folded,limit, request \"/A?%22%0A\"");
    assert_int_equal(notes.level, IRI_LOG_ERROR);
    assert_int_equal(line.text[told.len], '\0');

    iri_note(&notes, IRI_LOG_INFO, "absent", "four");
    iri_note(&notes, IRI_LOG_INFO, "bidi", "five");
    iri_note(&notes, IRI_LOG_INFO, "cache", "six");
    told = iri_notes_format_line(&notes, NULL, &line);
    assert_text(told, "iri: \"/A\" found as \"/a\"; \"/a?"
                      "?\" is long; again; "
                      "four; and 2 more, reason=folded,limit,absent,bidi");
}


/*
 * The path of a report precedes the notes about the host, and so does its code.
 */
TEST(test_line_of_report)
{
    iri_notes_t notes;
    iri_line_t  line;

    memset(&notes, 0, sizeof(notes));
    iri_note_would(&notes, "host", 0, "a host");
    iri_note_would(&notes, "charset", 1, "a path");
    assert_text(iri_notes_format_line(&notes, NULL, &line),
                "iri: report: a path; a host, reason=charset,host");
}


/* A line of the core brings its code. */
TEST(test_line_of_core)
{
    iri_notes_t notes;
    iri_line_t  line;

    memset(&notes, 0, sizeof(notes));
    iri_note_line(&notes, IRI_LOG_INFO, S("a, reason=b, reason=cache"));
    assert_text(iri_notes_format_line(&notes, NULL, &line),
                "iri: a, reason=b, reason=cache");
    memset(&notes, 0, sizeof(notes));
    iri_note_line(&notes, IRI_LOG_INFO, S("without one"));
    iri_note_line(&notes, IRI_LOG_INFO, S(""));
    assert_text(iri_notes_format_line(&notes, NULL, &line),
                "iri: without one; , reason=error");
}


/* The codes are present after a text of any length. */
TEST(test_long)
{
    iri_notes_t notes;
    iri_line_t  line;
    iri_str_t   told;
    char       *text = malloc(5000);
    size_t      i, n;

    assert_non_null(text);
    memset(text, 'x', 5000);

    for (n = 1000; n < 5000; n += 1) {
        text[n - 1] = '\0';
        memset(&notes, 0, sizeof(notes));
        for (i = 0; i < 6; i++) {
            iri_note(&notes, IRI_LOG_INFO, i % 2 ? "absent" : "limit", "%s",
                     text);
        }
        told = iri_notes_format_line(&notes, text, &line);
        assert_true(told.len < sizeof(line.text));
        assert_int_equal(strlen(line.text), told.len);
        assert_non_null(strstr(line.text,
                               "...; and 2 more, "
                               "reason=limit,absent, request \"x"));
        text[n - 1] = 'x';
    }

    free(text);
}


/* ---- the document -------------------------------------------------------- */

static char *
document(void)
{
    FILE *file = fopen(DOCUMENT, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);

    return text;
}


/* "| `code` | meaning, and what to do |", once */
static void
check_row(const char *text, const char *code)
{
    char        start[64];
    const char *row, *end;
    size_t      i, bars = 0;

    snprintf(start, sizeof(start), "\n| `%s` | ", code);
    row = strstr(text, start);
    if (row == NULL) {
        print_error("doc/reasons.md has no row for %s\n", code);
    }
    assert_non_null(row);
    assert_null(strstr(row + 1, start));

    end = strchr(row + 1, '\n');
    for (i = 1; row + i < end; i++) {
        bars += row[i] == '|';
    }
    assert_int_equal(bars, 3);
}


TEST(test_document)
{
    char *text = document();
    int   i;

    for (i = 0; i < IRI_WHYS; i++) {
        check_row(text, iri_why_code((iri_why_t) i));
    }
    for (i = 0; i < IRI_HOST_WHYS; i++) {
        check_row(text, iri_host_why_code((iri_host_why_t) i));
    }
    for (i = 0; i < IRI_QUERY_WHYS; i++) {
        check_row(text, iri_query_why_code((iri_query_why_t) i));
    }
    for (i = 0; i < IRI_REASONS; i++) {
        check_row(text, iri_reason_code((iri_reason_t) i));
    }
    assert_string_equal(iri_reason_code(IRI_REASONS), "unknown");
    assert_string_equal(iri_why_code(IRI_WHYS), "unknown");
    free(text);
}
