/*
 * fuzz_repair.c - target: a segment that was damaged in transit
 *
 * Fields: the repairs, the kinds of damage (octets that select them), then
 * octets. The octets are used as a received segment: its repair has no ASCII,
 * no control and no bidi formatting character that it did not have, is not
 * repaired twice, and is canonical, so that it is read as itself. And they are
 * used as a name that is damaged here: the repair restores it, and does not if
 * it was damaged twice.
 */

#include "fuzz.h"

static const unsigned repair_ways[] = { IRI_REPAIR_DOUBLE,
                                        IRI_REPAIR_MOJIBAKE, IRI_REPAIR_U };

enum { BREAK_DOUBLE, BREAK_LATIN1, BREAK_1252, BREAK_U, BREAKS };

static const unsigned repair_of[BREAKS] = {
    IRI_REPAIR_DOUBLE, IRI_REPAIR_MOJIBAKE, IRI_REPAIR_MOJIBAKE, IRI_REPAIR_U
};

/* 80 to 9F of windows-1252, by the Encoding Standard. */
static const uint16_t repair_1252[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
    0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178
};


static iri_str_t
repaired(unsigned how, iri_str_t segment)
{
    iri_str_t out = { 77, NULL };

    fuzz_assert(iri_repair(&fuzz.env, how, segment, &out) == IRI_OK);

    return out;
}


/* ---- output ------------------------------------------------------------- */

/* Counts of characters that a repair must not create. */
typedef struct {
    size_t ascii[128];
    size_t controls; /* C1 controls */
    size_t bidi;
    size_t others; /* octets that are not UTF-8 */
    size_t never;  /* U+FFFD, noncharacters: allowed, but not created */
} counts_t;


static void
count(iri_str_t s, counts_t *out)
{
    const unsigned char *p = s.data, *end = p + s.len;
    uint32_t             c;
    size_t               n;

    memset(out, 0, sizeof(*out));

    for (/* void */; p < end; p += n) {
        n = fuzz_utf8(p, end, &c);

        if (n == 0) {
            out->others++;
            n = 1;
        } else if (c < 0x80) {
            out->ascii[c]++;
        } else if (c < 0xa0) {
            out->controls++;
        } else {
            out->bidi += fuzz_is_bidi(c) != 0;
            out->never += fuzz_is_never(c) != 0;
        }
    }
}


static void
judge_counts(iri_str_t segment, iri_str_t out)
{
    counts_t before, after;
    size_t   c;

    count(segment, &before);
    count(out, &after);

    for (c = 0; c < 128; c++) {
        if (after.ascii[c] > before.ascii[c]) {
            fuzz_die("made of nothing: %02X", (unsigned) c);
        }
    }

    fuzz_assert(after.controls <= before.controls);
    fuzz_assert(after.bidi <= before.bidi);
    fuzz_assert(after.never <= before.never);
    fuzz_assert(after.others == 0);
}


/* As a segment of a path it is read as itself. */
static void
judge_canonical(iri_str_t out)
{
    iri_reading_conf_t  conf;
    iri_reading_t       reading;
    iri_received_path_t request;
    iri_str_t           path;
    unsigned char      *text = fuzz_memory(out.len + 1);

    fuzz_assert(fuzz_is_nfc(out));

    memset(&conf, 0, sizeof(conf));
    text[0] = '/';
    memcpy(text + 1, out.data, out.len);
    path = fuzz_given_raw(text, out.len + 1);

    request = fuzz_redirected_request(path, fuzz_uri(path), 1);
    fuzz_assert(fuzz_read(&conf, &request, &reading) == IRI_OK);
    fuzz_assert(fuzz_equal(reading.path, path));
}


/* Once, for the whole segment: the characters of the escapes, in NFC. */
static void
judge_double(iri_str_t segment, iri_str_t out)
{
    iri_buf_t octets = IRI_BUF_EMPTY, nfc = IRI_BUF_EMPTY;
    iri_str_t one;
    size_t    i;

    for (i = 0; i < segment.len; i += one.len) {
        one.data = segment.data + i;
        one.len = segment.len - i < 3 ? segment.len - i : 3;

        if (fuzz_unescape(one).len != 1 || fuzz_unescape(one).data[0] < 0x80)
        {
            one.len = 1;
        }

        fuzz_assert(
            iri_buf_putc(&fuzz.env, &octets, fuzz_unescape(one).data[0])
            == IRI_OK);
    }

    fuzz_assert(iri_nfc_put_text(&fuzz.env, iri_buf_str(&octets), &nfc)
                == IRI_OK);
    fuzz_assert(fuzz_equal(iri_buf_str(&nfc), out));
}


/* After a failed allocation there is no result, or the same. */
static void
judge_memory(unsigned how, iri_str_t segment, iri_str_t out, unsigned octet)
{
    iri_str_t    again = { 77, NULL };
    iri_status_t status;
    size_t       before = fuzz.allocs;

    fuzz.fail_at = before + 1 + octet % 8;
    status = iri_repair(&fuzz.env, how, segment, &again);
    fuzz.fail_at = 0;

    if (status == IRI_OK) {
        fuzz_assert(fuzz_equal(again, out));
    } else {
        fuzz_assert(status == IRI_NO_MEMORY && again.len == 77);
    }
}


static void
judge_any(unsigned how, iri_str_t segment, unsigned octet)
{
    iri_str_t out = repaired(how, segment), units;

    fuzz_assert(out.len == 0 || segment.len <= FUZZ_SEGMENT);

    if (out.len != 0) {
        fuzz_assert(!fuzz_is_ascii(out));
        fuzz_assert(!fuzz_equal(out, segment));
        judge_counts(segment, out);
        judge_canonical(out);
    }

    if (out.len != 0 && how == IRI_REPAIR_DOUBLE) {
        judge_double(segment, out);
    }

    judge_memory(how, segment, out, octet);

    fuzz_assert(iri_repair_units(&fuzz.env, segment, &units) == IRI_OK);
    fuzz_assert(fuzz_equal(fuzz_unescape(units), fuzz_unescape(segment)));
}


/* ---- damaged input ------------------------------------------------------ */

static void
put_octet(iri_buf_t *out, unsigned octet)
{
    fuzz_assert(iri_buf_putc(&fuzz.env, out, (unsigned char) octet)
                == IRI_OK);
}


static void
put_hex(iri_buf_t *out, const char *before, unsigned value, int digits)
{
    char text[16];

    (void) snprintf(text, sizeof(text), "%s%0*X", before, digits, value);
    fuzz_assert(iri_buf_put_text(&fuzz.env, out, text) == IRI_OK);
}


static void
put_char(iri_buf_t *out, uint32_t c)
{
    unsigned char utf8[4];

    fuzz_assert(iri_buf_put(&fuzz.env, out, utf8, iri_utf8_put(c, utf8))
                == IRI_OK);
}


static void
put_broken(iri_buf_t *out, int how, unsigned octet)
{
    if (octet < 0x80) {
        put_octet(out, octet);
    } else if (how == BREAK_DOUBLE) {
        put_hex(out, "%", octet, 2);
    } else {
        put_char(out, how == BREAK_1252 && octet < 0xa0
                          ? repair_1252[octet - 0x80]
                          : octet);
    }
}


static iri_str_t
broken(int how, iri_str_t name)
{
    const unsigned char *p = name.data, *end = p + name.len;
    iri_buf_t            out = IRI_BUF_EMPTY;
    uint32_t             c = 0;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = how == BREAK_U ? fuzz_utf8(p, end, &c) : 1;
        fuzz_assert(n != 0);

        if (how != BREAK_U) {
            put_broken(&out, how, *p);
        } else if (c < 0x80) {
            put_octet(&out, c);
        } else if (c < 0x10000) {
            put_hex(&out, "%u", c, 4);
        } else {
            put_hex(&out, "%u", 0xd7c0 + (c >> 10), 4);
            put_hex(&out, "%u", 0xdc00 + (c & 0x3ff), 4);
        }
    }

    return iri_buf_str(&out);
}


/*
 * Names that a repair may restore: no "%" that may be an escape, no C1, no
 * bidi.
 */
static int
is_plain(iri_str_t name)
{
    counts_t counts;

    count(name, &counts);

    return counts.ascii['%'] == 0 && counts.controls == 0 && counts.bidi == 0
           && counts.others == 0 && counts.never == 0 && !fuzz_is_ascii(name);
}


static void
judge_broken(int how, iri_str_t octets)
{
    iri_reading_conf_t reading;
    iri_tree_conf_t    tree;
    iri_str_t          name, once, twice, out;

    memset(&reading, 0, sizeof(reading));
    memset(&tree, 0, sizeof(tree));
    iri_tree_conf_finish(&reading, &tree);
    name = fuzz_entry_name(&tree, octets);

    if (name.len == 0 || !is_plain(name)) {
        return;
    }

    once = broken(how, name);

    if (once.len <= FUZZ_SEGMENT) {
        fuzz_assert(fuzz_equal(repaired(repair_of[how], once), name));
    }

    twice = broken(how, once);

    if (!fuzz_equal(twice, once) && twice.len <= FUZZ_SEGMENT) {
        out = repaired(repair_of[how], twice);
        fuzz_assert(!fuzz_equal(out, name));
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_input(data, size);
    iri_str_t    words, octets;

    fuzz_begin();
    fuzz_field(&input, &words);
    fuzz_field(&input, &octets);

    if (octets.len != 0 && memchr(octets.data, '/', octets.len) == NULL
        && memchr(octets.data, '\0', octets.len) == NULL)
    {
        octets = fuzz_given(octets);
        judge_any(repair_ways[fuzz_choice(words, 0, COUNT(repair_ways))],
                  octets, fuzz_octet(words, 2));
        judge_broken((int) fuzz_choice(words, 1, BREAKS), octets);
    }

    fuzz_end();

    return 0;
}
