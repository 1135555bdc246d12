/*
 * test_host_all.c - every row of IdnaTestV2.txt and every character as a host
 *
 * Covers: ToUnicode and ToASCII of IdnaTestV2.txt, row by row; for every
 * scalar value alone, after a letter and between dots: the mappings, and
 * libidn2's own UTS #46, have no two names for it, and strict is never looser.
 * Properties of any result: t/fuzz/fuzz_host.c.
 *
 * A sample of the characters in `make test`, all of them in `make sweep`.
 */

#include <stdlib.h>

#include <idn2.h>
#include <unicode/uchar.h>
#include <unicode/uversion.h>

#include "core.h"

enum { UTS46, STRICT, OLDER, CONFS };

static iri_host_conf_t conf[CONFS];


void
core_set_up(void)
{
    conf[UTS46] = conf[STRICT] = conf[OLDER] = *core_hosts();
    conf[STRICT].strict = 1;
    conf[OLDER].mapping = IRI_MAPPING_COMPATIBLE;
}


/* ---- IdnaTestV2.txt ------------------------------------------------------ */

typedef struct {
    /* in UTF-8; a lone surrogate as the octets that would encode it */
    char   text[4096];
    int    given;
    size_t len;
} column_t;

static uint32_t
column_escape(const char **p)
{
    char    *end;
    char     digits[8] = "";
    uint32_t c;

    if ((*p)[2] == '{') {
        c = (uint32_t) strtoul(*p + 3, &end, 16);
        *p = end + 1;
    } else {
        memcpy(digits, *p + 2, 4);
        c = (uint32_t) strtoul(digits, NULL, 16);
        *p += 6;
    }

    return c;
}


/*
 * Read one column without its blanks, unescaped. Returns: the text after its
 * ";".
 */
static const char *
column_read(const char *p, column_t *out)
{
    unsigned char *to = (unsigned char *) out->text;
    const char    *end = strchr(p, ';');

    if (end == NULL) {
        end = p + strcspn(p, "#\n");
    }

    while (*p == ' ' || *p == '\t') {
        p++;
    }

    while (p < end) {
        if (*p == '\\' && (p[1] == 'u' || p[1] == 'x')) {
            to += iri_utf8_put(column_escape(&p), to);
        } else {
            *to++ = (unsigned char) *p++;
        }
    }

    while (to > (unsigned char *) out->text && (to[-1] == ' ')) {
        to--;
    }

    *to = '\0';
    out->len = (size_t) (to - (unsigned char *) out->text);
    out->given = out->len != 0;

    return *end == ';' ? end + 1 : end;
}


/* Is the status an error? A blank column repeats the column before. */
static int
column_fails(const column_t *status, int before)
{
    return status->given ? strcmp(status->text, "[]") != 0 : before;
}


static void
row_judge(const char *what, int line, int fails, const char *want,
          iri_verdict_t answer, iri_str_t got, size_t *wrong)
{
    if (answer != (fails ? IRI_REFUSE : IRI_SERVE)
        || (!fails && !iri_str_equal(got, core_str(want))))
    {
        if (++*wrong <= 10) {
            print_message("# line %d, %s: %s %s, not %s %s\n", line, what,
                          iri_verdict_text(answer), core_show(got),
                          fails ? "refuse" : "serve",
                          core_show(core_str(want)));
        }
    }
}


/* Is the last label, which a dot may follow, a decimal number? */
static int
ends_in_number(const char *host)
{
    size_t len = strlen(host), digits = 0;

    len -= len != 0 && host[len - 1] == '.';

    while (digits < len && host[len - digits - 1] >= '0'
           && host[len - digits - 1] <= '9')
    {
        digits++;
    }

    return digits != 0 && (digits == len || host[len - digits - 1] == '.');
}


/*
 * UTS #46 maps a name that ends in a number; here such a host is an IPv4
 * address or refused.
 */
static void
row_check(const char *text, int line, size_t *wrong, size_t *numbers)
{
    static column_t in, unicode, unicode_status, ascii, ascii_status;
    const char     *want;
    iri_host_t      got;
    iri_str_t       host;
    int             fails;

    text = column_read(text, &in);
    text = column_read(text, &unicode);
    text = column_read(text, &unicode_status);
    text = column_read(text, &ascii);
    column_read(text, &ascii_status);

    host.data = (const unsigned char *) in.text;
    host.len = in.len;
    want = unicode.given ? unicode.text : in.text;
    fails = column_fails(&unicode_status, 0);

    assert_ok(iri_host_to_unicode(&core.env, &conf[UTS46], host, &got));
    row_judge("ToUnicode", line, fails, want, got.verdict, got.unicode,
              wrong);

    want = ascii.given ? ascii.text : want;
    fails = column_fails(&ascii_status, fails);

    assert_ok(iri_host_map(&core.env, &conf[UTS46], host, &got));

    if (!fails && got.why == IRI_HOST_ADDRESS && ends_in_number(want)) {
        ++*numbers;
        return;
    }

    row_judge("ToASCII", line, fails, want, got.verdict, got.ascii, wrong);
}


TEST(test_file)
{
    FILE  *file = core_data("idna-test-14.0/IdnaTestV2.txt");
    char   text[8192];
    size_t rows = 0, wrong = 0, numbers = 0;
    int    line = 0;

    if (file == NULL) {
        return;
    }

    while (fgets(text, sizeof(text), file) != NULL) {
        line++;

        if (text[0] != '#' && text[0] != '\n' && text[0] != '\r') {
            row_check(text, line, &wrong, &numbers);
            rows++;
            core_forget(&core);
        }
    }

    fclose(file);
    print_message("# IdnaTestV2.txt: %lu rows, %lu differences, %lu hosts "
                  "that end in a number\n",
                  (unsigned long) rows, (unsigned long) wrong,
                  (unsigned long) numbers);
    assert_true(rows > 6000);
    assert_int_equal(wrong, 0);
    assert_int_equal(numbers, 19);
}


/* ---- every character ----------------------------------------------------- */

static const struct {
    const char *before, *after;
} places[] = { { "", "" }, { "a", "" }, { "a.", ".b" } };

/*
 * libidn2 has its own UTS #46, of Unicode 14. It accepts some hosts that it
 * should refuse, so this is not compared; where both accept a host the results
 * must be equal.
 */
static int
is_other_by_libidn2(iri_str_t host, const iri_host_t *name)
{
    char  text[32];
    char *ascii = NULL;
    int   other;

    snprintf(text, sizeof(text), "%.*s", (int) host.len,
             (const char *) host.data);

    if (idn2_to_ascii_8z(text, &ascii,
                         IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL
                             | IDN2_USE_STD3_ASCII_RULES)
        != IDN2_OK)
    {
        return 0;
    }

    other = !iri_str_equal(name->ascii, core_str(ascii));
    idn2_free(ascii);

    return other;
}


/* Each mapping gives the same name or none. */
static void
check_host(iri_str_t host, int assigned)
{
    iri_host_t name[CONFS];
    int        k, wrong = 0;

    for (k = 0; k < CONFS; k++) {
        assert_ok(iri_host_map(&core.env, &conf[k], host, &name[k]));

        if (name[k].verdict == IRI_SERVE) {
            wrong |= !assigned
                     || (k != UTS46 && name[UTS46].verdict == IRI_SERVE
                         && !iri_str_equal(name[k].ascii, name[UTS46].ascii));
        } else {
            wrong |= name[k].verdict != IRI_REFUSE
                     || !iri_str_equal(name[k].ascii, host);
        }
    }

    wrong |= name[STRICT].verdict == IRI_SERVE
             && name[UTS46].verdict != IRI_SERVE;
    wrong |= name[UTS46].verdict == IRI_SERVE
             && is_other_by_libidn2(host, &name[UTS46]);

    if (wrong) {
        fail_msg("%s: %s, %s, %s", core_show(host),
                 core_show(name[UTS46].ascii), core_show(name[STRICT].ascii),
                 core_show(name[OLDER].ascii));
    }
}


static iri_str_t
host_of(uint32_t c, size_t place, unsigned char out[16])
{
    iri_str_t host = { 0, out };

    host.len = strlen(places[place].before);
    memcpy(out, places[place].before, host.len);
    host.len += iri_utf8_put(c, out + host.len);
    memcpy(out + host.len, places[place].after, strlen(places[place].after));
    host.len += strlen(places[place].after);

    return host;
}


TEST(test_scalars)
{
    unsigned char space[16];
    uint32_t      c, step = core_sweeps() ? 1 : 97;
    size_t        i;

    for (c = 0; c <= 0x10ffff; c += step) {
        for (i = 0; i < COUNT(places) && (c < 0xd800 || c > 0xdfff); i++) {
            check_host(host_of(c, i, space),
                       u_charType((UChar32) c) != U_UNASSIGNED
                           && u_charType((UChar32) c) != U_PRIVATE_USE_CHAR);
            core_forget(&core);
        }
    }
}
