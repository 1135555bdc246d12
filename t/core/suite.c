/* suite.c - the rows of ../shared/data, and our documented deviations */

#include <stdlib.h>

#include "suite.h"

#define DEVIATIONS "t/core/deviations.tsv"
#define LINE       65536

typedef struct {
    char suite[64];
    char line[1024];
    int  seen;
} deviation_t;

static deviation_t deviations[256];
static size_t      deviation_count;


/*
 * Read deviations.tsv: the reason, the suite, and the row itself, separated by
 * TAB.
 */
static void
read_deviations(void)
{
    FILE *file;
    char  text[2048], *suite, *line;

    if (deviation_count != 0) {
        return;
    }

    file = fopen(DEVIATIONS, "r");
    if (file == NULL) {
        fail_msg("no %s", DEVIATIONS);
        return;
    }

    while (fgets(text, sizeof(text), file) != NULL) {
        text[strcspn(text, "\n")] = '\0';
        suite = text[0] != '#' ? strchr(text, '\t') : NULL;
        line = suite != NULL ? strchr(suite + 1, '\t') : NULL;

        if (line == NULL) {
            continue;
        }

        *line++ = '\0';
        assert_true(deviation_count < COUNT(deviations));
        snprintf(deviations[deviation_count].suite,
                 sizeof(deviations[0].suite), "%s", suite + 1);
        snprintf(deviations[deviation_count].line, sizeof(deviations[0].line),
                 "%s", line);
        deviation_count++;
    }

    fclose(file);
}


static deviation_t *
deviation_find(const char *suite, const char *line)
{
    size_t i;

    for (i = 0; i < deviation_count; i++) {
        if (strcmp(deviations[i].suite, suite) == 0
            && strcmp(deviations[i].line, line) == 0)
        {
            return &deviations[i];
        }
    }

    return NULL;
}


int
suite_is(iri_str_t field, const char *word)
{
    return iri_str_equal(field, core_str(word));
}


/* A field in place: "\xHH", "\\", "\N". */
static iri_str_t
field_read(char *text)
{
    static const iri_str_t absent = { 0, NULL };
    char                  *to = text, *p;
    iri_str_t              field;

    if (strcmp(text, "\\N") == 0) {
        return absent;
    }

    for (p = text; *p != '\0'; p++) {
        if (*p == '\\' && p[1] == 'x' && iri_hex((unsigned char) p[2]) >= 0) {
            *to++ = (char) (iri_hex((unsigned char) p[2]) << 4
                            | iri_hex((unsigned char) p[3]));
            p += 3;
        } else {
            p += *p == '\\' && p[1] == '\\';
            *to++ = *p;
        }
    }

    field.data = (const unsigned char *) text;
    field.len = (size_t) (to - text);

    return field;
}


static void
row_read(char *text, suite_row_t *row)
{
    char *tab;

    row->count = 0;

    do {
        tab = strchr(text, '\t');
        if (tab != NULL) {
            *tab = '\0';
        }

        assert_true(row->count < SUITE_FIELDS);
        row->field[row->count++] = field_read(text);
        text = tab + 1;
    } while (tab != NULL);
}


/* Returns: 1 if the result is as expected. */
static int
row_judge(core_t *core, suite_judge_t judge, suite_row_t *row, size_t *other)
{
    deviation_t *listed = deviation_find(row->suite, row->line);
    int          agrees = judge(core, row);

    core_forget(core);

    if (listed != NULL) {
        listed->seen = 1;
        ++*other;
    }

    if (agrees != (listed == NULL)) {
        print_message("# %s: %s: %s\n", row->suite,
                      agrees ? "is listed, and agreed with" : "differs",
                      row->line);
        return 0;
    }

    return 1;
}


/* The number of listed deviations whose row was not in the file. */
static size_t
unused_deviations(const char *name)
{
    size_t i, lost = 0;

    for (i = 0; i < deviation_count; i++) {
        if (strcmp(deviations[i].suite, name) == 0 && !deviations[i].seen) {
            print_message("# %s: listed, and not there: %s\n", name,
                          deviations[i].line);
            lost++;
        }
    }

    return lost;
}


void
suite_run(const char *name, suite_judge_t judge, size_t least)
{
    static char text[LINE], line[LINE];
    FILE       *file = core_data(name);
    size_t      rows = 0, other = 0, wrong = 0;
    suite_row_t row;
    core_t      core;

    if (file == NULL) {
        return;
    }

    read_deviations();
    core_init(&core);
    row.suite = name;
    row.line = line;

    while (fgets(text, sizeof(text), file) != NULL) {
        text[strcspn(text, "\n")] = '\0';

        if (text[0] == '#' && strchr(text, '\t') == NULL) {
            continue;
        }

        memcpy(line, text, strlen(text) + 1);
        row_read(text, &row);
        wrong += !row_judge(&core, judge, &row, &other);
        rows++;
    }

    fclose(file);
    core_free(&core);
    print_message("# %s: %lu rows, %lu deviations\n", name,
                  (unsigned long) rows, (unsigned long) other);
    assert_int_equal(wrong + unused_deviations(name), 0);
    assert_true(rows >= least);
}
