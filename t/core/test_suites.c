/*
 * test_suites.c - whole IRIs against the tables of RFCs and other projects
 *
 * Covers: syntax, components, resolution, mapping, equivalence, normalization
 * and bidi order agree with RFC 3986, RFC 3987, Apache Jena and the W3C's RDF
 * tests, except for the rows of t/core/deviations.tsv, each with its reason.
 */

#include <stdlib.h>

#include "suite.h"
#include "iriref/iri_iriref.h"


static int
same(iri_str_t a, iri_str_t b)
{
    return iri_is_present(a) == iri_is_present(b) && iri_str_equal(a, b);
}


static int
is_ok(iri_str_t text, iri_as_t as)
{
    return iri_check(text, as, IRI_GRAMMAR_RFC3987, NULL, NULL)
           == IRI_EXPECT_NOTHING;
}


static int
are_equal(core_t *core, iri_level_t level, iri_str_t a, iri_str_t b)
{
    int equal = -1, back = -1;

    assert_ok(iri_equal(&core->env, level, core_hosts(), a, b, &equal));
    assert_ok(iri_equal(&core->env, level, core_hosts(), b, a, &back));
    assert_int_equal(equal, back);

    return equal;
}


/* "valid", "equivalent-syntax", "different-string" */
static int
judge_relation(core_t *core, const suite_row_t *row)
{
    static const struct {
        const char *word;
        iri_level_t level;
    } levels[] = { { "string", IRI_LEVEL_STRING },
                   { "syntax", IRI_LEVEL_SYNTAX },
                   { "scheme", IRI_LEVEL_SCHEME },
                   { "idn", IRI_LEVEL_IDN } };
    char   word[64];
    size_t i;

    if (suite_is(row->field[0], "valid")) {
        return is_ok(row->field[1], IRI_AS_URI);
    }

    for (i = 0; i < COUNT(levels); i++) {
        snprintf(word, sizeof(word), "equivalent-%s", levels[i].word);
        if (suite_is(row->field[0], word)) {
            return are_equal(core, levels[i].level, row->field[1],
                             row->field[2]);
        }

        snprintf(word, sizeof(word), "different-%s", levels[i].word);
        if (suite_is(row->field[0], word)) {
            return !are_equal(core, levels[i].level, row->field[1],
                              row->field[2]);
        }
    }

    return 0;
}


static int
judge_dots(core_t *core, const suite_row_t *row)
{
    unsigned char path[256];
    iri_str_t     got;

    (void) core;
    memcpy(path, row->field[0].data, row->field[0].len);
    got.data = path;
    got.len = iri_remove_dot_segments(path, row->field[0].len, 0);

    return iri_str_equal(got, row->field[1]);
}


static int
resolves(core_t *core, iri_str_t base, iri_str_t reference, iri_str_t want)
{
    iri_str_t got;

    assert_ok(iri_resolve(&core->env, base, reference, &got));

    return iri_str_equal(got, want);
}


static int
judge_resolve(core_t *core, const suite_row_t *row)
{
    return resolves(core, row->field[0], row->field[1], row->field[2]);
}


static int
judge_resolve_named(core_t *core, const suite_row_t *row)
{
    return resolves(core, row->field[1], row->field[2], row->field[3]);
}


/* May the character be in a path, or in a query? */
static unsigned
is_allowed(uint32_t c)
{
    unsigned char text[16] = "a:";
    iri_str_t     iri = { 2, text };
    unsigned      bits;

    iri.len += iri_utf8_put(c, text + 2);
    bits = is_ok(iri, IRI_AS_IRI) ? 1u : 0u;

    text[2] = '?';
    iri.len = 3 + iri_utf8_put(c, text + 3);

    return bits | (is_ok(iri, IRI_AS_IRI) ? 2u : 0u);
}


/* Every character of the range, except bidi formatting characters. */
static int
judge_range(core_t *core, const suite_row_t *row)
{
    uint32_t c,
        first = (uint32_t) strtoul((const char *) row->field[1].data, NULL,
                                   16),
        last = (uint32_t) strtoul((const char *) row->field[2].data, NULL,
                                  16);
    unsigned want = suite_is(row->field[0], "ucschar") ? 3 : 2;

    (void) core;

    for (c = first; c <= last; c++) {
        if (is_allowed(c) != (iri_char_is_bidi_control(c) ? 0 : want)) {
            return 0;
        }
    }

    /* No two ranges are adjacent, except around surrogates and private use. */
    return (first - 1 < 0xe000 && first - 1 >= 0xd800)
           || is_allowed(first - 1) != want;
}


static int
maps(core_t *core, int idn, iri_str_t iri, iri_str_t uri)
{
    iri_to_uri_conf_t conf = { NULL, 0, idn ? core_hosts() : NULL };
    iri_converted_t   got;

    assert_ok(iri_to_uri(&core->env, &conf, iri, &got));

    return got.why == NULL && iri_str_equal(got.value, uri);
}


static int
judge_to_uri(core_t *core, const suite_row_t *row)
{
    return maps(core, suite_is(row->field[0], "idna"), row->field[1],
                row->field[2]);
}


static int
judge_to_iri(core_t *core, const suite_row_t *row)
{
    iri_to_iri_conf_t conf = { IRI_GRAMMAR_RFC3987, NULL, NULL, 0 };
    iri_converted_t   got;

    conf.host = suite_is(row->field[0], "tounicode") ? core_hosts() : NULL;
    assert_ok(iri_to_iri(&core->env, &conf, row->field[1], &got));

    return got.why == NULL && iri_str_equal(got.value, row->field[2]);
}


static iri_status_t
count_warnings(void *arg, const iri_warning_t *warning)
{
    ++*(int *) arg;
    return IRI_OK;
}


/* columns: example, logical, visual, logical_hebrew, visual_hebrew, verdict */
static int
judge_bidi(core_t *core, const suite_row_t *row)
{
    iri_converted_t got;
    int             warnings = 0;

    assert_ok(
        iri_visual_order(&core->env, IRI_VISUAL_UAX9, row->field[3], &got));
    assert_ok(iri_bidi_check(row->field[3], count_warnings, &warnings));

    return got.why == NULL && iri_str_equal(got.value, row->field[4])
           && (warnings != 0) == suite_is(row->field[5], "violates");
}


/* columns: verdict, input, scheme, userinfo, host, port, path, query, ... */
static int
judge_components(core_t *core, const suite_row_t *row)
{
    iri_parts_t      parts, split;
    iri_expect_t     expected;
    iri_str_t        joined;
    const iri_str_t *want = row->field + 2;

    expected = iri_check(row->field[1], IRI_AS_IRI_REFERENCE,
                         IRI_GRAMMAR_RFC3987, &parts, NULL);
    iri_split(row->field[1], &split);
    assert_ok(iri_join(&core->env, &split, &joined));
    assert_str(joined, row->field[1]);

    return suite_is(row->field[0], "ok") == (expected == IRI_EXPECT_NOTHING)
           && memcmp(&parts, &split, sizeof(parts)) == 0
           && same(parts.scheme, want[0]) && same(parts.userinfo, want[1])
           && same(parts.host, want[2]) && same(parts.port, want[3])
           && same(parts.path, want[4]) && same(parts.query, want[5])
           && same(parts.fragment, want[6]);
}


static int
judge_production(core_t *core, const suite_row_t *row)
{
    int want = suite_is(row->field[1], "ok");

    (void) core;

    if (suite_is(row->field[0], "ipv4")) {
        return iri_is_ipv4(row->field[2]) == want;
    }

    if (suite_is(row->field[0], "ip-literal")) {
        return iri_is_ip_literal(row->field[2]) == want;
    }

    return is_ok(row->field[2], IRI_AS_IRI_REFERENCE) == want;
}


static int
judge_verdict(core_t *core, const suite_row_t *row)
{
    (void) core;

    return is_ok(row->field[1], IRI_AS_IRI) == suite_is(row->field[0], "ok");
}


static int
judge_different(core_t *core, const suite_row_t *row)
{
    return !are_equal(core, IRI_LEVEL_STRING, row->field[0], row->field[1]);
}


static int
judge_normalize(core_t *core, const suite_row_t *row)
{
    iri_converted_t got;

    assert_ok(iri_normalize_syntax(
        &core->env, IRI_NORMALIZE_SYNTAX | IRI_NORMALIZE_SCHEME,
        row->field[0], &got));

    return got.why == NULL && iri_str_equal(got.value, row->field[1]);
}


/* ---- suites -------------------------------------------------------------- */

TEST(test_rfc3986)
{
    suite_run("rfc-tables/rfc3986-1.1.2-and-6.2.tsv", judge_relation, 10);
    suite_run("rfc-tables/rfc3986-5.2.4-remove-dots.tsv", judge_dots, 2);
    suite_run("rfc-tables/rfc3986-5.4-resolve.tsv", judge_resolve_named, 42);
}


TEST(test_rfc3987)
{
    suite_run("rfc-tables/rfc3987-2.2-ucschar.tsv", judge_range, 20);
    suite_run("rfc-tables/rfc3987-iri-to-uri.tsv", judge_to_uri, 6);
    suite_run("rfc-tables/rfc3987-uri-to-iri.tsv", judge_to_iri, 6);
    suite_run("rfc-tables/rfc3987-equivalence.tsv", judge_relation, 16);
    suite_run("rfc-tables/rfc3987-4.4-bidi.tsv", judge_bidi, 10);
}


TEST(test_jena)
{
    suite_run("iri-jena/components.tsv", judge_components, 68);
    suite_run("iri-jena/verdicts.tsv", judge_production, 122);
    suite_run("iri-jena/normalize.tsv", judge_normalize, 22);
    suite_run("iri-jena/resolve.tsv", judge_resolve, 69);
    suite_run("iri-jena/resolve-policy.tsv", judge_resolve, 1);
}


TEST(test_rdf)
{
    suite_run("iri-rdf-tests/verdicts.tsv", judge_verdict, 430);
    suite_run("iri-rdf-tests/resolve.tsv", judge_resolve_named, 136);
    suite_run("iri-rdf-tests/different.tsv", judge_different, 1);
}
