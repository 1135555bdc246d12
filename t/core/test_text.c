/*
 * test_text.c - texts of enums, strings and buffers
 *
 * Covers: each value of each enum has a word of its own, and a value out of
 * range is "unknown", never read past the table; strings, buffers and log
 * lines keep their limits.
 */

#include <stdlib.h>

#include "core.h"
#include "iriref/iri_iriref.h"

#define WALK(enumeration, function)                                          \
    static const char *enumeration##_word(int value)                         \
    {                                                                        \
        return function((enumeration##_t) value);                            \
    }

WALK(iri_status, iri_status_text)
WALK(iri_form, iri_form_text)
WALK(iri_match, iri_match_text)
WALK(iri_verdict, iri_verdict_text)
WALK(iri_why, iri_why_text)
WALK(iri_host_why, iri_host_why_text)
WALK(iri_expect, iri_expect_text)
WALK(iri_warning_kind, iri_warning_text)
WALK(iri_as, iri_as_text)
WALK(iri_component, iri_component_text)
WALK(iri_level, iri_level_text)

static const struct {
    const char *(*word)(int value);
    int count;
} tables[] = {
    { iri_status_word, IRI_STATUSES },
    { iri_form_word, IRI_FORMS },
    { iri_match_word, IRI_MATCHES },
    { iri_verdict_word, IRI_VERDICTS },
    { iri_why_word, IRI_WHYS },
    { iri_host_why_word, IRI_HOST_WHYS },
    { iri_expect_word, IRI_EXPECTS },
    { iri_warning_kind_word, IRI_WARNINGS },
    { iri_as_word, IRI_KINDS },
    { iri_component_word, IRI_COMPONENTS },
    { iri_level_word, IRI_LEVELS },
};


TEST(test_each_has_a_word)
{
    const char *word;
    size_t      i;
    int         k, m;

    for (i = 0; i < COUNT(tables); i++) {
        for (k = 0; k < tables[i].count; k++) {
            word = tables[i].word(k);
            assert_non_null(word);
            assert_string_not_equal(word, "unknown");

            for (m = 0; m < k; m++) {
                assert_string_not_equal(word, tables[i].word(m));
            }
        }

        assert_string_equal(tables[i].word(tables[i].count), "unknown");
        assert_string_equal(tables[i].word(-1), "unknown");
        assert_string_equal(tables[i].word(1 << 20), "unknown");
    }
}


/* "The weakest first": the order is part of the contract. */
TEST(test_match_order)
{
    assert_true(IRI_MATCH_NONE < IRI_MATCH_EXACT);
    assert_true(IRI_MATCH_EXACT < IRI_MATCH_NORMALIZATION);
    assert_true(IRI_MATCH_NORMALIZATION < IRI_MATCH_CHARSET);
    assert_true(IRI_MATCH_CHARSET < IRI_MATCH_VARIANTS);
}


TEST(test_strings)
{
    assert_true(iri_str_equal(S("a\0b"), S("a\0b")));
    assert_false(iri_str_equal(S("a\0b"), S("a\0c")));
    assert_false(iri_str_equal(S("a"), S("ab")));
    assert_true(iri_str_equal((iri_str_t){ 0, NULL }, S("")));
    assert_true(iri_str_compare(S("a"), S("ab")) < 0);
    assert_true(iri_str_compare(S("b"), S("ab")) > 0);
    assert_true(iri_str_compare(S("\xff"), S("a")) > 0);
    assert_int_equal(iri_str_compare(S(""), (iri_str_t){ 0, NULL }), 0);
    assert_true(iri_str_equal_nocase(S("aZ-1"), "Az-1"));
    assert_false(iri_str_equal_nocase(S("a"), "ab"));
    assert_false(iri_str_equal_nocase(S("ab"), "a"));
    assert_false(iri_str_equal_nocase(S("@["), "`{"));
    assert_false(iri_str_equal_nocase(S("a\0"), "a"));
    assert_int_equal(iri_str_count(S("/a//"), '/'), 3);
    assert_int_equal(iri_segment_end(S("/ab/c"), 0), 0);
    assert_int_equal(iri_segment_end(S("/ab/c"), 1), 3);
    assert_int_equal(iri_segment_end(S("/ab/c"), 4), 5);
    assert_int_equal(iri_segment_end(S("/ab/c"), 5), 5);
}


TEST(test_buffer_grows_to_its_limit)
{
    unsigned char  *big = calloc(1, IRI_MAX_BUFFER);
    volatile size_t huge = (size_t) -1;
    iri_buf_t       buf = IRI_BUF_EMPTY;
    size_t          i;

    for (i = 0; i < 1000; i++) {
        assert_ok(iri_buf_putc(&core.env, &buf, (unsigned char) i));
    }

    assert_int_equal(buf.len, 1000);
    assert_true(core.allocs < 10);

    for (i = 0; i < 1000; i++) {
        assert_int_equal(buf.data[i], i & 0xff);
    }

    assert_int_equal(iri_buf_put(&core.env, &buf, big, IRI_MAX_BUFFER - 999),
                     IRI_NO_MEMORY);
    assert_int_equal(buf.len, 1000);
    assert_int_equal(iri_buf_put(&core.env, &buf, big, huge), IRI_NO_MEMORY);
    assert_ok(iri_buf_put(&core.env, &buf, big, IRI_MAX_BUFFER - 1000));
    assert_int_equal(buf.len, IRI_MAX_BUFFER);

    /* A failed allocation leaves the buffer unchanged. */
    core.fail_at = core.allocs + 1;
    memset(&buf, 0, sizeof(buf));
    assert_int_equal(iri_buf_putc(&core.env, &buf, 'a'), IRI_NO_MEMORY);
    assert_int_equal(buf.len, 0);

    free(big);
}


TEST(test_log_lines)
{
    static char long_text[4096];

    memset(long_text, 'x', sizeof(long_text) - 1);

    iri_logf(&core.env, IRI_LOG_INFO, "%s", "100% %s %n");
    assert_string_equal(core.log, "100% %s %n\n");

    /* Trace lines only if tracing is on; a long line is truncated. */
    core.log_len = 0;
    iri_logf(&core.env, IRI_LOG_TRACE, "%s", "trace");
    assert_int_equal(core.log_len, 0);
    core.env.trace = 1;
    iri_logf(&core.env, IRI_LOG_TRACE, "%s", "trace");
    assert_string_equal(core.log, "trace\n");

    core.log_len = 0;
    iri_logf(&core.env, IRI_LOG_ERROR, "%s", long_text);
    assert_int_equal(core.log_len, 1024);

    assert_string_equal(iri_printable(&core.env, S("a \n%\xc3\xa9\0")),
                        "a%20%0A%%C3%A9%00");

    core.env.log = NULL;
    iri_logf(&core.env, IRI_LOG_ERROR, "%s", "silent");
}
