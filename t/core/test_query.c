/*
 * test_query.c - converting a query to UTF-8
 *
 * Covers: each parameter that is not UTF-8, and no other, is decoded in one
 * charset and written percent-encoded; ASCII is not changed; every sequence of
 * every charset gives the same as ICU alone, for any escaping; no sequence
 * contains a delimiter; random queries agree with a second, plain
 * implementation; NFC, and the parts that are not normalized; limits;
 * settings; failed allocations.  All sequences in `make sweep`.
 */

#include "sweep.h"

#define E_ACUTE "%C3%A9"

static iri_query_conf_t
conf_of(const char *labels, int nfc)
{
    iri_query_conf_t conf = { core_charsets(labels), nfc };

    return conf;
}


/* ---- single queries ----------------------------------------------------- */

static const struct {
    const char     *labels;
    int             nfc;
    const char     *query;
    const char     *want; /* NULL: unchanged */
    const char     *charset;
    iri_query_why_t why;
} cases[] = {
    /* nothing to convert */
    { "sjis", 0, "", NULL, "", IRI_QUERY_ASCII },
    { "sjis", 0, "a=b&c=%0A%26%25&+", NULL, "", IRI_QUERY_ASCII },
    { "sjis", 0, "a=%7f&%", NULL, "", IRI_QUERY_ASCII },
    { "sjis", 0, "a=%c3%a9&b=%E3%82%bd", NULL, "", IRI_QUERY_UTF8 },
    { "sjis", 0, "a=\xc3\xa9", NULL, "", IRI_QUERY_UTF8 },
    { "", 0, "a=%E9", NULL, "", IRI_QUERY_UNREADABLE },

    /* Shift_JIS, with trail octets in ASCII */
    { "sjis", 0, "q=%83%5C", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=%83%5c", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=%83\\", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=\x83\\", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=\x83%5C", "q=%E3%82%BD", "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "q=%83|%83@%83%41a", "q=%E3%83%9D%E3%82%A1%E3%82%A2a",
      "Shift_JIS", IRI_QUERY_READ },
    { "sjis", 0, "a[%83[]=%5b%83%5D%5d", "a[%E3%82%BC]=%5b%E3%82%BE%5d",
      "Shift_JIS", IRI_QUERY_READ },

    /* a delimiter is never part of a character */
    { "sjis", 0, "q=%83&x=1", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83%26x=1", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "%83=1", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83+%5C", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83%", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83%5", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "q=%83%5G", NULL, "", IRI_QUERY_UNREADABLE },

    /* each parameter separately: names, values, and parts in UTF-8 */
    { "windows-1252", 0, "a%E9=%e9&%c3%a9=%E9&b=\xc3\xa9&&=&c==%E9=",
      "a" E_ACUTE "=" E_ACUTE "&%c3%a9=" E_ACUTE "&b=\xc3\xa9&&=&c==" E_ACUTE
      "=",
      "windows-1252", IRI_QUERY_READ },
    { "windows-1252", 0, "%E9;b=%C3%A9", E_ACUTE ";b=%C3%A9", "windows-1252",
      IRI_QUERY_READ },
    { "windows-1252", 0, "a=%C3%A9;b=%E9", "a=%C3%83%C2%A9;b=" E_ACUTE,
      "windows-1252", IRI_QUERY_READ },
    { "windows-1252", 0, "a=+%2b%20 %0d%0A%00%u3042%e9%zz%",
      "a=+%2b%20 %0d%0A%00%u3042" E_ACUTE "%zz%", "windows-1252",
      IRI_QUERY_READ },
    { "windows-1252", 0, "%3d%26%3B%E9%41", "%3d%26%3B" E_ACUTE "%41",
      "windows-1252", IRI_QUERY_READ },

    /* one charset for all: the first that is valid for all of them */
    { "sjis euc-jp", 0, "a=%95%5C&b=%C9%BD%95%5C",
      "a=%E8%A1%A8&b=%EF%BE%89%EF%BD%BD%E8%A1%A8", "Shift_JIS",
      IRI_QUERY_READ },
    { "sjis euc-jp", 0, "a=%A4%A2&b=%FE%A1", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis euc-jp", 0, "a=%A4%A2&b=%B0%FD", "a=%E3%81%82&b=%E8%83%A4",
      "EUC-JP", IRI_QUERY_READ },
    { "sjis windows-1252", 0, "a=%95%5C&b=%A0%E9",
      "a=%E2%80%A2%5C&b=%C2%A0" E_ACUTE, "windows-1252", IRI_QUERY_READ },
    { "sjis", 0, "a=%95%5C&b=%A0", NULL, "", IRI_QUERY_UNREADABLE },
    { "big5", 0, "%C9%BD=%A4@", "%C9%BD=%E4%B8%80", "Big5", IRI_QUERY_READ },

    /* controls and invalid octets are refused */
    { "windows-1252", 0, "a=%81", NULL, "", IRI_QUERY_UNREADABLE },
    { "iso-8859-2", 0, "a=%85", NULL, "", IRI_QUERY_UNREADABLE },
    { "sjis", 0, "a=%C0%AF", "a=%EF%BE%80%EF%BD%AF", "Shift_JIS",
      IRI_QUERY_READ },
    { "gb18030", 0, "a=%810%811&b=%84%31%A4%37", NULL, "",
      IRI_QUERY_UNREADABLE },
    { "gb18030", 0, "a=%810%812", NULL, "", IRI_QUERY_UNREADABLE },
    { "gb18030", 0, "a=%810%8400&b=0", NULL, "", IRI_QUERY_UNREADABLE },
    { "gb18030", 0, "a=%949%DA3&b=%819%ef0", "a=%F0%9F%92%A9&b=%E3%90%81",
      "gb18030", IRI_QUERY_READ },

    /* NFC */
    { "", 1, "a=%C3%A9", NULL, "", IRI_QUERY_UTF8 },
    { "", 1, "a=e%cc%81&b=%c3%a9", "a=" E_ACUTE "&b=%c3%a9", "",
      IRI_QUERY_NORMALIZED },
    { "", 1, "a=%65%cc%81", "a=" E_ACUTE, "", IRI_QUERY_NORMALIZED },
    { "", 1, "%65%cc%8a=e%cc%81", "%65%cc%8a=" E_ACUTE, "",
      IRI_QUERY_NORMALIZED },
    { "", 1, "%65%cc%8ae%cc%81", "%65%CC%8A" E_ACUTE, "",
      IRI_QUERY_NORMALIZED },
    { "", 1, "e%cc%8ae%cc%81", "e%CC%8A" E_ACUTE, "", IRI_QUERY_NORMALIZED },
    { "", 1, "a==%CC%B8&%3D%CC%B8&%3c%CC%B8", NULL, "", IRI_QUERY_UTF8 },
    { "", 1, "=%CC%B8", NULL, "", IRI_QUERY_UTF8 },
    { "", 1, "%CD%BE=%E1%BF%AF&%E2%84%AA%CC%A7", NULL, "", IRI_QUERY_UTF8 },
    { "", 1, "%EF%A9%90", "%E7%A5%96", "", IRI_QUERY_NORMALIZED },
    { "", 1, "%E3%81%8B%E3%82%99+x", "%E3%81%8C+x", "",
      IRI_QUERY_NORMALIZED },
    { "", 1, "%E1%84%92%E1%85%A1%E1%86%AB", "%ED%95%9C", "",
      IRI_QUERY_NORMALIZED },
    { "windows-1258", 1, "a=A%CC&b=%81", NULL, "", IRI_QUERY_UNREADABLE },
    { "windows-1258", 1, "a=A%D2&b=%E9&c=e%cc%81&A",
      "a=%E1%BA%A2&b=" E_ACUTE "&c=" E_ACUTE "&A", "windows-1258",
      IRI_QUERY_READ },
    { "windows-1258", 0, "a=A%D2", "a=A%CC%89", "windows-1258",
      IRI_QUERY_READ },
    { "", 1, "a=%E9&b=e%CC%81", NULL, "", IRI_QUERY_UNREADABLE },
};


static void
test_cases(void **state)
{
    core_t           core;
    iri_query_conf_t conf;
    iri_query_t      got;
    iri_str_t        query;
    size_t           i;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        core_init(&core);
        conf = conf_of(cases[i].labels, cases[i].nfc);
        query = core_str(cases[i].query);

        assert_int_equal(iri_query_read(&core.env, &conf, query, &got),
                         IRI_OK);

        if (got.why != cases[i].why) {
            print_message("# %s: %s\n", cases[i].query,
                          iri_query_why_text(got.why));
        }

        assert_int_equal(got.why, cases[i].why);
        assert_text(got.charset, cases[i].charset);

        if (got.why == IRI_QUERY_READ || got.why == IRI_QUERY_NORMALIZED) {
            assert_text(got.query, cases[i].want);
        } else {
            assert_ptr_equal(got.query.data, query.data);
            assert_int_equal(got.query.len, query.len);
        }

        core_free(&core);
    }
}


/* ---- a second reading ----------------------------------------------------- */

typedef struct {
    const core_supported_t *row[3];
    size_t                  rows;
    iri_query_conf_t        conf;
} model_t;

static size_t
model_put(unsigned char *out, const char *format, unsigned octet)
{
    return (size_t) sprintf((char *) out, format, octet);
}


static int
model_hex(iri_str_t s, size_t i)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char       *high, *low;

    if (s.data[i] != '%' || i + 2 >= s.len) {
        return -1;
    }

    high = memchr(digits, s.data[i + 1], 32);
    low = memchr(digits, s.data[i + 2], 32);

    return high == NULL || low == NULL
               ? -1
               : (int) ((high - digits) % 16 * 16 + (low - digits) % 16);
}


/* ICU's result, except that controls are refused. */
static long
model_decode(const core_supported_t *row, iri_str_t octets, uint32_t *c)
{
    size_t    from, to;
    long      n, count = 0;
    iri_str_t part;

    for (from = 0; from < octets.len; from = to) {
        for (to = from; to < octets.len && octets.data[to] >= 0x20
                        && octets.data[to] != 0x7f;
             to++)
        { /* void */
        }

        if (to == from) {
            c[count++] = octets.data[to++];
            continue;
        }

        part = (iri_str_t){ to - from, octets.data + from };
        n = sweep_decode(row, part, c + count);

        if (n < 0) {
            return -1;
        }

        count += n;
    }

    return count;
}


static int
model_is_utf8(iri_str_t octets)
{
    int32_t i = 0, c;

    while ((size_t) i < octets.len) {
        U8_NEXT(octets.data, i, (int32_t) octets.len, c);

        if (c < 0) {
            return 0;
        }
    }

    return 1;
}


/*
 * A name or value in the charset of row (NULL: UTF-8), appended to out.
 * Returns: 0 if it is invalid.
 */
static int
model_part(const core_supported_t *row, iri_str_t part, iri_str_t *to,
           unsigned char *out)
{
    static unsigned char octets[3 * IRI_MAX_QUERY];
    static uint32_t      c[3 * IRI_MAX_QUERY];
    static size_t        at[3 * IRI_MAX_QUERY];
    unsigned char        utf8[4];
    iri_str_t            s = { 0, octets };
    size_t               i, k, n, len;
    long                 count, j;

    for (i = 0; i < part.len; i += model_hex(part, i) < 0 ? 1 : 3) {
        at[s.len] = i;
        octets[s.len++] = (unsigned char) (model_hex(part, i) < 0
                                               ? part.data[i]
                                               : model_hex(part, i));
    }

    at[s.len] = part.len;

    if (model_is_utf8(s)) {
        memcpy(out + to->len, part.data, part.len);
        to->len += part.len;
        return 1;
    }

    count = row != NULL ? model_decode(row, s, c) : -1;

    if (count < 0) {
        return 0;
    }

    /* The octets of each character: the shortest prefix that decodes to it. */
    for (j = 0, k = 0; j < count; j++, k += n) {
        static uint32_t d[8];

        for (n = 1; model_decode(row, (iri_str_t){ n, octets + k }, d) != 1
                    || d[0] != c[j];
             n++)
        {
            assert_true(n < 4);
        }

        if (c[j] < 0x80) {
            memcpy(out + to->len, part.data + at[k], at[k + n] - at[k]);
            to->len += at[k + n] - at[k];
            continue;
        }

        len = iri_utf8_put(c[j], utf8);

        for (i = 0; i < len; i++) {
            to->len += model_put(out + to->len, "%%%02X", utf8[i]);
        }
    }

    return 1;
}


static int
model_query(const core_supported_t *row, iri_str_t query, iri_str_t *to,
            unsigned char *out)
{
    const unsigned char *p = query.data, *end = p + query.len, *amp, *equal;

    *to = (iri_str_t){ 0, out };

    for (;; p = amp + 1) {
        amp = p == end ? NULL : memchr(p, '&', (size_t) (end - p));
        amp = amp == NULL ? end : amp;
        equal = p == amp ? NULL : memchr(p, '=', (size_t) (amp - p));

        if (equal != NULL) {
            if (!model_part(row, (iri_str_t){ (size_t) (equal - p), p }, to,
                            out)) {
                return 0;
            }

            out[to->len++] = '=';
            p = equal + 1;
        }

        if (!model_part(row, (iri_str_t){ (size_t) (amp - p), p }, to, out)) {
            return 0;
        }

        if (amp == end) {
            return 1;
        }

        out[to->len++] = '&';
    }
}


/* The expected result without NFC; data NULL: unchanged. */
static iri_str_t
model_read(const model_t *plain, iri_str_t query, unsigned char *out)
{
    iri_str_t none = { 0, NULL }, s;
    size_t    i;

    if (model_query(NULL, query, &s, out)) {
        return none;
    }

    for (i = 0; i < plain->rows; i++) {
        if (model_query(plain->row[i], query, &s, out)) {
            return s;
        }
    }

    return none;
}


/* ---- invariants of every query ------------------------------------------ */

static size_t
count_of(iri_str_t s, unsigned char c)
{
    size_t i, n = 0;

    for (i = 0; i < s.len; i++) {
        n += s.data[i] == c;
    }

    return n;
}


static int
is_printed(iri_str_t now, iri_str_t was)
{
    size_t i;

    for (i = 0; i < now.len; i++) {
        if ((now.data[i] < 0x21 || now.data[i] > 0x7e)
            && memchr(was.data, now.data[i], was.len) == NULL)
        {
            return 0;
        }
    }

    return 1;
}


static void
check_query(sweep_t *s, const model_t *plain, iri_str_t query)
{
    static const char    delimiters[] = "&=;+#?/:,'\"<>() ";
    static unsigned char want[40 * IRI_MAX_QUERY];
    iri_query_t          got, again;
    iri_query_conf_t     nfc = plain->conf;
    iri_str_t            right;
    size_t               i;

    assert_int_equal(iri_query_read(&s->core.env, &plain->conf, query, &got),
                     IRI_OK);

    right = model_read(plain, query, want);

    if (right.data == NULL) {
        sweep_check(s, got.query.data == query.data, "stays", query,
                    got.query);
    } else {
        sweep_check_str(s, got.query, right, "reads", query);
    }

    for (nfc.nfc = 0; nfc.nfc < 2; nfc.nfc++) {
        assert_int_equal(iri_query_read(&s->core.env, &nfc, query, &got),
                         IRI_OK);

        for (i = 0; i < sizeof(delimiters) - 1; i++) {
            sweep_check(s,
                        count_of(got.query, (unsigned char) delimiters[i])
                            == count_of(query, (unsigned char) delimiters[i]),
                        "delimiters", query, got.query);
        }

        assert_int_equal(
            iri_query_read(&s->core.env, &nfc, got.query, &again), IRI_OK);
        sweep_check_str(s, again.query, got.query, "again", query);
        sweep_check(s, got.query.len <= 9 * query.len, "length", query,
                    got.query);
        sweep_check(s, is_printed(got.query, query), "controls", query,
                    got.query);
    }

    sweep_forget(s);
}


/* ---- every sequence ------------------------------------------------------- */

/*
 * The same octets escaped in different ways; each position has one of four
 * ways.
 */
static void
check_sequence(sweep_t *s, const model_t *plain, const unsigned char *octets,
               size_t len, unsigned way)
{
    unsigned char space[64];
    iri_str_t     query = { 0, space };
    size_t        i;
    int           raw;

    query.len += model_put(space, "a=", 0);

    for (i = 0; i < len; i++) {
        raw = (way >> (2 * i) & 1)
              && (octets[i] >= 0x80
                  || (octets[i] > 0x20 && octets[i] != 0x7f
                      && strchr("%&=+#", octets[i]) == NULL));

        if (raw) {
            space[query.len++] = octets[i];
            continue;
        }

        query.len += model_put(space + query.len,
                               way >> (2 * i) & 2 ? "%%%02x" : "%%%02X",
                               octets[i]);
    }

    query.len += model_put(space + query.len, "%%2B+&b", 0);

    check_query(s, plain, query);
}


static model_t
model_of(size_t row)
{
    model_t plain;

    memset(&plain, 0, sizeof(plain));
    plain.row[0] = &core_supported[row];
    plain.rows = 1;
    plain.conf = conf_of(core_supported[row].name, 0);

    return plain;
}


static void
part_short(sweep_t *s)
{
    static const unsigned ways[] = { 0x0, 0x4, 0xa, 0x5, 0x9 };
    model_t               plain;
    unsigned char         p[2];
    size_t                row, code, way;

    for (row = 0; row < CORE_SUPPORTED; row++) {
        plain = model_of(row);

        for (code = 0x80; code < 0x100; code++) {
            p[0] = (unsigned char) code;

            if (sweep_next(s)) {
                check_sequence(s, &plain, p, 1, 0);
                check_sequence(s, &plain, p, 1, 1);
            }
        }

        for (code = 0x8000; code < 0x10000; code++) {
            p[0] = (unsigned char) (code >> 8);
            p[1] = (unsigned char) code;

            for (way = 0; way < COUNT(ways); way++) {
                if (sweep_next(s)) {
                    check_sequence(s, &plain, p, 2, ways[way]);
                }
            }
        }
    }
}


static void
test_short(void **state)
{
    (void) state;

    sweep_part("queries of 1 and 2 octets, 34 charsets, 5 ways", part_short,
               61, 1);
}


static void
part_long(sweep_t *s)
{
    model_t       plain;
    unsigned char p[4];
    size_t        row, code;

    for (row = 0; row < CORE_SUPPORTED; row++) {
        plain = model_of(row);

        for (code = 0x8080; core_supported[row].three && code < 0x10000;
             code++) {
            p[0] = 0x8f;
            p[1] = (unsigned char) (code >> 8);
            p[2] = (unsigned char) code;

            if (sweep_next(s)) {
                check_sequence(s, &plain, p, 3, (unsigned) code % 64);
            }
        }

        for (code = 0; core_supported[row].four && code < 126 * 12600; code++)
        {
            p[0] = (unsigned char) (0x81 + code / 12600);
            p[1] = (unsigned char) (0x30 + code / 1260 % 10);
            p[2] = (unsigned char) (0x81 + code / 10 % 126);
            p[3] = (unsigned char) (0x30 + code % 10);

            if (sweep_next(s)) {
                check_sequence(s, &plain, p, 4, (unsigned) code % 256);
            }
        }
    }
}


static void
test_long(void **state)
{
    (void) state;

    sweep_part("queries of 3 octets in EUC-JP, of 4 in GB 18030", part_long,
               53, 1);
}


/* So no delimiter can become part of a character or be the result of one. */
static void
test_no_delimiters(void **state)
{
    static const unsigned char marks[] = "&=;+#?%/\"'<> ";
    const iri_charset_t       *charset;
    unsigned char              p[4] = { 0, 0, 0x81, 0x30 };
    uint32_t                   c;
    size_t                     row, lead, i, n;

    (void) state;

    for (row = 0; row < CORE_SUPPORTED; row++) {
        charset = core_charset(core_supported[row].name);

        for (lead = 0x80; lead < 0x100; lead++) {
            for (i = 0; i < sizeof(marks) - 1; i++) {
                p[0] = (unsigned char) lead;
                p[1] = marks[i];
                n = iri_charset_next(charset, p, p + sizeof(p), &c);
                assert_true(n < 2);
            }
        }
    }
}


/* ---- random queries ------------------------------------------------------- */

static const char *const pieces[] = {
    "&",      "=",         "&",         "=",         "a",         "%",
    "+",      ";",         "%26",       "%3D",       "%2B",       "%00",
    "%0A",    "e",         "%65",       "\\",        "|",         "{",
    "@",      "%5C",       "%CC%81",    "%cc%b8",    "%C3%A9",    "%c3%a9",
    "%E9",    "\xe9",      "\xc3\xa9",  "%83\\",     "%95%5C",    "%83",
    "%C9%BD", "%A4",       "%A4%A2",    "%810%8130", "%D2",       "%81",
    "%A0",    "%E2%84%AA", "%EF%A9%90", "%E3%82%99", "%E3%81%8B",
};


static void
part_random(sweep_t *s)
{
    static const char *const lists[][3] = {
        { "Shift_JIS", "EUC-JP", "windows-1252" },
        { "EUC-JP", "Shift_JIS", NULL },
        { "gb18030", NULL, NULL },
        { "windows-1258", "Big5", "ISO-8859-2" },
    };
    model_t plain[COUNT(lists)];
    char    space[256], labels[64];
    size_t  i, k, row, n;

    for (i = 0; i < COUNT(lists); i++) {
        labels[0] = '\0';
        plain[i].rows = 0;

        for (k = 0; k < 3 && lists[i][k] != NULL; k++) {
            for (row = 0; strcmp(core_supported[row].name, lists[i][k]) != 0;
                 row++) { /* void */
            }

            plain[i].row[plain[i].rows++] = &core_supported[row];
            core_append(labels, k == 0 ? "" : " ");
            core_append(labels, lists[i][k]);
        }

        plain[i].conf = conf_of(labels, 0);
    }

    for (i = 0; i < 2000000; i++) {
        space[0] = '\0';

        for (n = core_random(10); n != 0; n--) {
            core_append(space, pieces[core_random(COUNT(pieces))]);
        }

        if (sweep_next(s)) {
            check_query(s, &plain[i % COUNT(lists)], core_str(space));
        }
    }
}


static void
test_random(void **state)
{
    (void) state;

    sweep_part("random queries, 4 lists of charsets", part_random, 37, 1);
}


/* ---- limits --------------------------------------------------------------- */

/* The limits of the query before and after conversion. */
static void
test_limits(void **state)
{
    static unsigned char space[IRI_MAX_QUERY + 2];
    iri_query_conf_t     conf = conf_of("windows-1252", 1);
    iri_query_t          got;
    iri_str_t            query = { 0, space };
    core_t               core;
    size_t               len, high;

    (void) state;

    for (len = IRI_MAX_QUERY - 1; len <= IRI_MAX_QUERY + 1; len++) {
        for (high = 0; high < 2; high++) {
            /* one octet becomes six */
            query.len = high ? len - 5 * (len / 6) : len;
            memset(space, 'a', sizeof(space));
            memset(space, 0xe9, high ? len / 6 : 0);

            core_init(&core);
            assert_int_equal(iri_query_read(&core.env, &conf, query, &got),
                             IRI_OK);

            if (len > IRI_MAX_QUERY) {
                assert_int_equal(got.why, IRI_QUERY_LIMIT);
                assert_ptr_equal(got.query.data, space);
                assert_int_equal(got.query.len, query.len);
            } else {
                assert_int_equal(got.why,
                                 high ? IRI_QUERY_READ : IRI_QUERY_ASCII);
                assert_int_equal(got.query.len, len);
            }

            core_free(&core);
        }
    }

    /* The longest possible result. */
    core_init(&core);
    memset(space, 0x80, sizeof(space));
    query.len = IRI_MAX_QUERY;
    assert_int_equal(iri_query_read(&core.env, &conf, query, &got), IRI_OK);
    assert_int_equal(got.why, IRI_QUERY_LIMIT);
    core_free(&core);
}


/* NFC would move the last of the marks in a row to the front. */
static void
test_marks(void **state)
{
    iri_query_conf_t conf = conf_of("", 1);
    iri_query_t      got;
    core_t           core;
    char             space[1024];
    size_t           marks, i;

    (void) state;

    for (marks = 2; marks < 40; marks++) {
        core_init(&core);
        snprintf(space, sizeof(space), "a=%%CC%%A7&b=x");

        for (i = 1; i < marks; i++) {
            core_append(space, "%CC%81");
        }

        core_append(space, "%CC%A7");

        assert_int_equal(
            iri_query_read(&core.env, &conf, core_str(space), &got), IRI_OK);
        assert_int_equal(got.why,
                         marks <= 30 ? IRI_QUERY_NORMALIZED : IRI_QUERY_UTF8);
        core_free(&core);
    }
}


/* ICU needs quadratic time for it in one piece: neither size does here. */
static void
test_hostile(void **state)
{
    static const char *const units[] = { "\xcc\x81\xcc\xa7", "\xe1\x85\xa1",
                                         "\xe1\x84\x80",     "e\xcc\x81",
                                         "\xf0\x9d\x85\x9e", "\xe3\x82\x99" };
    iri_query_conf_t         conf = conf_of("", 1);
    iri_query_t              got, again;
    core_t                   core;
    char                     space[IRI_MAX_QUERY];
    size_t                   i, len;

    (void) state;

    for (i = 0; i < COUNT(units); i++) {
        core_init(&core);

        for (len = 0; len + strlen(units[i]) < sizeof(space);
             len += strlen(units[i])) {
            memcpy(space + len, units[i], strlen(units[i]));
        }

        assert_int_equal(
            iri_query_read(&core.env, &conf,
                           (iri_str_t){ len, (unsigned char *) space }, &got),
            IRI_OK);
        assert_int_equal(iri_query_read(&core.env, &conf, got.query, &again),
                         IRI_OK);
        assert_true(again.why == IRI_QUERY_UTF8
                    || again.why == IRI_QUERY_LIMIT);
        core_free(&core);
    }
}


/* ---- no memory ------------------------------------------------------------ */

static void
test_no_memory(void **state)
{
    core_t           core;
    iri_query_conf_t conf;
    iri_query_t      got;
    iri_status_t     status;
    size_t           i, at;
    int              on;

    (void) state;

    for (i = 0; i < COUNT(cases); i++) {
        for (on = 0; on < 2; on++) {
            conf = conf_of(cases[i].labels, cases[i].nfc);

            for (at = 1, status = IRI_NO_MEMORY; status != IRI_OK; at++) {
                core_init(&core);
                core.fail_at = at;
                core.fail_on = on;
                got.query = S("not written");
                status = iri_query_read(&core.env, &conf,
                                        core_str(cases[i].query), &got);
                assert_true(status == IRI_OK || status == IRI_NO_MEMORY);

                if (status != IRI_OK) {
                    assert_text(got.query, "not written");
                } else {
                    assert_int_equal(got.why, cases[i].why);
                }

                core_free(&core);
            }
        }
    }
}


/* ---- settings, words ------------------------------------------------------ */

static const char *
parse(const char *text, iri_query_conf_t *out)
{
    char      space[128], *word;
    iri_str_t words[16];
    size_t    count = 0;

    snprintf(space, sizeof(space), "%s", text);

    for (word = strtok(space, " "); word != NULL; word = strtok(NULL, " ")) {
        words[count++] = core_str(word);
    }

    return iri_parse_query(core_registry(), words, count, out);
}


static void
test_parse(void **state)
{
    iri_query_conf_t conf = { { 0, { NULL } }, 7 };

    (void) state;

    assert_null(parse("none", &conf));
    assert_int_equal(conf.charsets.count, 0);
    assert_int_equal(conf.nfc, 0);

    assert_null(parse("sjis EUC-JP", &conf));
    assert_int_equal(conf.charsets.count, 2);
    assert_ptr_equal(conf.charsets.at[0], core_charset("Shift_JIS"));
    assert_int_equal(conf.nfc, 0);

    assert_null(parse("UTF-8 sjis NFC", &conf));
    assert_int_equal(conf.charsets.count, 1);
    assert_int_equal(conf.nfc, 1);

    assert_null(parse("nfc", &conf));
    assert_int_equal(conf.charsets.count, 0);
    assert_int_equal(conf.nfc, 1);

    assert_null(parse("none nfc", &conf));
    assert_int_equal(conf.nfc, 1);

    conf.nfc = 7;
    assert_string_equal(parse("nfc sjis", &conf),
                        "takes \"nfc\" once, after the charsets");
    assert_string_equal(parse("sjis nfc nfc", &conf),
                        "takes \"nfc\" once, after the charsets");
    assert_non_null(strstr(parse("none sjis", &conf), "combine \"none\""));
    assert_non_null(strstr(parse("klingon", &conf), "not a known charset"));
    assert_non_null(strstr(parse("iso-2022-jp nfc", &conf), "switches"));
    assert_int_equal(conf.nfc, 7);
}


static void
test_needs(void **state)
{
    iri_query_conf_t off = conf_of("", 0), on = conf_of("sjis", 0);
    iri_query_conf_t nfc = conf_of("", 1);

    (void) state;

    assert_int_equal(iri_query_needs_read(&off, S("%E9")), 0);
    assert_int_equal(iri_query_needs_read(&on, S("%E9")), 1);
    assert_int_equal(iri_query_needs_read(&nfc, S("\xc3\xa9")), 1);
    assert_int_equal(iri_query_needs_read(&on, S("")), 0);
    assert_int_equal(iri_query_needs_read(&on, S("a=%7f&%")), 0);
}


static void
test_report(void **state)
{
    static const struct {
        const char *labels, *query, *line;
    } lines[] = {
        { "sjis", "a=b", "" },
        { "sjis", "a=%C3%A9", "" },
        { "sjis", "q=%95\\",
          "iri: report: would make the query \"q=%E8%A1%A8\": charset"
          " \"Shift_JIS\", was read in another charset, reason=query-read" },
        { "sjis", "q=\xa0\"\n",
          "iri: report: would leave the query \"q=%A0%22%0A\": charset \"\","
          " has parameters that no single charset decodes,"
          " reason=query-unreadable" },
    };
    core_t           core;
    iri_query_conf_t conf;
    iri_query_t      got;
    iri_str_t        line;
    iri_notes_t      notes;
    iri_line_t       room;
    size_t           i;

    (void) state;

    for (i = 0; i < COUNT(lines); i++) {
        core_init(&core);
        conf = conf_of(lines[i].labels, 0);
        assert_int_equal(
            iri_query_read(&core.env, &conf, core_str(lines[i].query), &got),
            IRI_OK);
        memset(&notes, 0, sizeof(notes));
        iri_note_query(&notes, &got);
        line = iri_notes_format_line(&notes, NULL, &room);
        assert_int_equal(notes.count, lines[i].line[0] != '\0');

        if (notes.count != 0) {
            assert_text(line, lines[i].line);
        }

        core_free(&core);
    }
}


static void
test_words(void **state)
{
    int why;

    (void) state;

    for (why = 0; why < IRI_QUERY_WHYS; why++) {
        assert_string_not_equal(iri_query_why_text((iri_query_why_t) why),
                                "unknown");
    }

    assert_string_equal(iri_query_why_text(IRI_QUERY_WHYS), "unknown");
    assert_string_equal(iri_query_why_text((iri_query_why_t) -1), "unknown");
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_no_delimiters),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_needs),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
