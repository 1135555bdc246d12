/*
 * test_host_all.c - every row of IdnaTestV2.txt and every character as a host
 *
 * Covers: ToUnicode and ToASCII of IdnaTestV2.txt, row by row; for every
 * scalar value alone, after a letter and between dots: the result has only
 * letters, digits, "-" and ".", maps to itself, also by its U-labels, escapes
 * change nothing, strict is never looser, and libidn2's own UTS #46 has no
 * other name for it.  It counts how many characters the two mappings treat
 * differently.
 *
 * A sample of the characters in `make test`, all of them in `make sweep`.
 */

#include <stdlib.h>

#include <idn2.h>
#include <unicode/uchar.h>
#include <unicode/uversion.h>

#include "sweep.h"

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
row_check(core_t *core, const char *text, int line, size_t *wrong,
          size_t *numbers)
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

    assert_ok(iri_host_to_unicode(&core->env, &conf[UTS46], host, &got));
    row_judge("ToUnicode", line, fails, want, got.verdict, got.unicode,
              wrong);

    want = ascii.given ? ascii.text : want;
    fails = column_fails(&ascii_status, fails);

    assert_ok(iri_host_map(&core->env, &conf[UTS46], host, &got));

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
            row_check(&core, text, line, &wrong, &numbers);
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

static int
is_name(iri_str_t s, int unicode)
{
    size_t i;

    for (i = 0; i < s.len; i++) {
        unsigned char c = s.data[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-'
            && c != '.' && !(unicode && c >= 0x80))
        {
            return 0;
        }
    }

    return s.len != 0;
}


static iri_host_t
mapped(sweep_t *s, int k, iri_str_t host)
{
    iri_host_t out;

    memset(&out, 0, sizeof(out));
    sweep_check(s, iri_host_map(&s->core.env, &conf[k], host, &out) == IRI_OK,
                "status", host, host);

    return out;
}


static iri_host_t
read_host(sweep_t *s, int k, iri_str_t host)
{
    iri_host_t out;

    memset(&out, 0, sizeof(out));
    sweep_check(s,
                iri_host_read(&s->core.env, &conf[k], host, &out) == IRI_OK,
                "status", host, host);

    return out;
}


/* Properties of every result. */
static void
check_name(sweep_t *s, int k, iri_str_t host, const iri_host_t *name)
{
    iri_host_t again;

    sweep_check(s, is_name(name->ascii, 0), "ascii", host, name->ascii);
    sweep_check(s, is_name(name->unicode, 1), "unicode", host, name->unicode);

    again = read_host(s, k, name->ascii);
    sweep_check(s, again.verdict == IRI_PASS, "pass", host, again.ascii);

    again = mapped(s, k, name->ascii);
    sweep_check_str(s, again.ascii, name->ascii, "again", host);

    again = mapped(s, k, name->unicode);
    sweep_check(s, again.verdict == IRI_SERVE, "of unicode", host, host);
    sweep_check_str(s, again.ascii, name->ascii, "of unicode", host);
    sweep_check_str(s, again.unicode, name->unicode, "unicode again", host);
}


/* The same host escaped; an ASCII host is mapped only if it is escaped. */
static void
check_escaped(sweep_t *s, int k, iri_str_t host, const iri_host_t *name)
{
    char       escaped[64];
    iri_host_t got;
    size_t     i;

    for (i = 0; i < host.len; i++) {
        snprintf(escaped + 3 * i, 4, "%%%02x", host.data[i]);
    }

    got = read_host(s, k, core_str(escaped));

    if (got.why != IRI_HOST_ADDRESS) {
        sweep_check(s,
                    got.verdict == name->verdict
                        && (got.verdict != IRI_SERVE
                            || iri_str_equal(got.ascii, name->ascii)),
                    "escaped", host, got.ascii);
    }
}


/*
 * libidn2 has its own UTS #46, of Unicode 14. It accepts some hosts that it
 * should refuse, so this is not compared; where both accept a host the results
 * must be equal.
 */
static void
check_by_another(sweep_t *s, iri_str_t host, const iri_host_t *name)
{
    char  text[32];
    char *ascii = NULL;

    if (name->verdict != IRI_SERVE) {
        return;
    }

    snprintf(text, sizeof(text), "%.*s", (int) host.len,
             (const char *) host.data);

    if (idn2_to_ascii_8z(text, &ascii,
                         IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL
                             | IDN2_USE_STD3_ASCII_RULES)
        == IDN2_OK)
    {
        sweep_check_str(s, name->ascii, core_str(ascii), "by libidn2", host);
        idn2_free(ascii);
    }
}


static void
check_host(sweep_t *s, iri_str_t host, int assigned)
{
    iri_host_t name[CONFS];
    int        k;

    for (k = 0; k < CONFS; k++) {
        name[k] = mapped(s, k, host);
        sweep_check(
            s, name[k].verdict == IRI_SERVE || name[k].verdict == IRI_REFUSE,
            "answer", host, host);
        sweep_check(s, assigned || name[k].verdict == IRI_REFUSE,
                    "not assigned", host, name[k].ascii);

        if (name[k].verdict == IRI_SERVE) {
            check_name(s, k, host, &name[k]);
        } else {
            sweep_check_str(s, name[k].ascii, host, "refused", host);
        }

        check_escaped(s, k, host, &name[k]);
    }

    check_by_another(s, host, &name[UTS46]);
    sweep_check(s,
                name[OLDER].verdict == IRI_REFUSE
                    || name[UTS46].verdict == IRI_REFUSE
                    || iri_str_equal(name[OLDER].ascii, name[UTS46].ascii),
                "mappings differ", host, name[OLDER].ascii);
    sweep_check(
        s,
        name[STRICT].verdict == IRI_REFUSE
            || (name[UTS46].verdict == IRI_SERVE
                && iri_str_equal(name[STRICT].ascii, name[UTS46].ascii)),
        "strict is looser", host, name[STRICT].ascii);
    sweep_forget(s);
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


static void
part_scalars(sweep_t *s)
{
    unsigned char space[16];
    uint32_t      c;
    size_t        i;

    for (c = 0; c <= 0x10ffff; c++) {
        if ((c < 0xd800 || c > 0xdfff) && sweep_next(s)) {
            for (i = 0; i < COUNT(places); i++) {
                check_host(s, host_of(c, i, space),
                           u_charType((UChar32) c) != U_UNASSIGNED
                               && u_charType((UChar32) c)
                                      != U_PRIVATE_USE_CHAR);
            }
        }
    }
}


TEST(test_scalars)
{
    sweep_part("scalar values in a host, each in 3 places", part_scalars, 97,
               1);
}
