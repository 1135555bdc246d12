/*
 * iri_collate.c - keys by which names are sorted as people do
 *
 * The order of the Unicode Collation Algorithm (UTS #10) for no language in
 * particular, numbers by their value, as ICU's root collation has it.  A key
 * is made once for each name, and compared octet by octet.
 *
 * ICU takes some 200 instructions for each character of a key.  Nearly all
 * names are ASCII, each character of which has weights of its own there, so
 * that keys can be put together out of a table.  The table is asked of ICU,
 * and is used only if what comes out of it for some names is, octet by octet,
 * what ICU gives: so keys of both kinds can be compared.
 */

#include <unicode/ucol.h>
#include <unicode/ustring.h>

#include "unicode/iri_unicode.h"

/*
 * How ICU writes weights: a level ends with 01, the key with 00; a run of the
 * common weight is one octet that says how long it is.
 */
#define IRI_LEVEL_END    0x01
#define IRI_COMMON       0x05
#define IRI_SECOND_RUN   0x21 /* the most of the second level in one octet */
#define IRI_THIRD_RUN    0x61
#define IRI_THIRD_HIGHER 0xc5 /* a run before a higher weight, of one */

/* Names with more octets than this are ICU's, which parts longer numbers. */
#define IRI_QUICK 254


/* ---- ICU ----------------------------------------------------------------- */

/* name is UTF-8; *len is that of the key without its end, size at most. */
static iri_status_t
iri_collate_slow(const iri_collator_t *collator, iri_str_t name,
                 unsigned char *key, size_t size, size_t *len)
{
    UErrorCode error = U_ZERO_ERROR;
    UChar      text[IRI_MAX_SEGMENT];
    int32_t    units = 0, n;

    u_strFromUTF8(text, IRI_MAX_SEGMENT, &units, (const char *) name.data,
                  (int32_t) name.len, &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    n = ucol_getSortKey(collator->icu, text, units, key, (int32_t) size);
    if (n <= 0) {
        return IRI_ICU_FAILED;
    }

    *len = (size_t) n <= size ? (size_t) n - 1 : size;

    return IRI_OK;
}


/* ---- numbers (UTS #35, 5, numeric ordering, as ICU has it) --------------- */

/* A key being put together. */
typedef struct {
    const iri_collator_t *collator;
    unsigned char        *out;      /* first level */
    size_t                elements; /* in it */
    size_t                done;     /* of them in third */
    size_t                thirds;
    unsigned char         third[2 * IRI_QUICK];
} iri_quick_t;


static unsigned char *
iri_put_prefix(iri_quick_t *quick, unsigned char *out)
{
    quick->elements++;
    *out++ = quick->collator->number;

    return out;
}


/*
 * The weight of a long number: how many pairs of digits it has, then each
 * pair; trailing pairs of zeros are left out, and the last pair is less by 1.
 */
static unsigned char *
iri_put_pairs(iri_quick_t *quick, const unsigned char *digit, size_t n,
              unsigned char *out)
{
    size_t   at = 0, put = 2;
    unsigned pair;

    out = iri_put_prefix(quick, out);
    *out++ = (unsigned char) (128 + (n + 1) / 2);

    while (digit[n - 1] == '0' && digit[n - 2] == '0') {
        n -= 2;
    }

    while (at < n) {
        pair = at == 0 && n % 2 != 0 ? 0
                                     : 10 * (digit[at++] - (unsigned) '0');
        pair = 11 + 2 * (pair + digit[at++] - '0');

        /* An element has room for four octets. */
        if (put == 4) {
            out = iri_put_prefix(quick, out);
            put = 1;
        }

        *out++ = (unsigned char) (at < n ? pair : pair - 1);
        put++;
    }

    return out;
}


/* Two octets to 73, three to 10233, or four. */
static unsigned char *
iri_put_value(iri_quick_t *quick, unsigned value, unsigned char *out)
{
    out = iri_put_prefix(quick, out);

    if (value < 74) {
        *out++ = (unsigned char) (2 + value);
        return out;
    }

    value -= 74;

    if (value < 40 * 254) {
        *out++ = (unsigned char) (76 + value / 254);
    } else {
        value -= 40 * 254;
        *out++ = (unsigned char) (116 + value / (254 * 254));
        *out++ = (unsigned char) (2 + value / 254 % 254);
    }

    *out++ = (unsigned char) (2 + value % 254);

    return out;
}


/* The weight of a run of digits. */
static unsigned char *
iri_put_number(iri_quick_t *quick, const unsigned char *digit, size_t n,
               unsigned char *out)
{
    const unsigned char *p, *end = digit + n;
    unsigned             value = 0;

    while (n > 1 && *digit == '0') {
        digit++;
        n--;
    }

    if (n <= 7) {
        for (p = digit; p < end; p++) {
            value = 10 * value + *p - '0';
        }
    }

    return n > 7 || value >= 74 + 40 * 254 + 16 * 254 * 254
               ? iri_put_pairs(quick, digit, n, out)
               : iri_put_value(quick, value, out);
}


/* ---- out of the table ---------------------------------------------------- */

/* A run of common weights, less the octets that are full; at least one. */
static unsigned char *
iri_put_full(size_t *run, size_t most, unsigned char *out)
{
    for (--*run; *run >= most; *run -= most) {
        *out++ = (unsigned char) (IRI_COMMON + most - 1);
    }

    return out;
}


/* The third level of the last element, which is not the common one. */
static void
iri_put_third(iri_quick_t *quick, unsigned char third)
{
    unsigned char *out = quick->third + quick->thirds;
    size_t         run = quick->elements - quick->done - 1;

    if (run != 0) {
        out = iri_put_full(&run, IRI_THIRD_RUN, out);
        *out++ = (unsigned char) (IRI_THIRD_HIGHER - run);
    }

    *out++ = third;
    quick->thirds = (size_t) (out - quick->third);
    quick->done = quick->elements;
}


/* The other levels. */
static unsigned char *
iri_put_levels(iri_quick_t *quick, unsigned char *out)
{
    size_t run = quick->elements;

    *out++ = IRI_LEVEL_END;
    out = iri_put_full(&run, IRI_SECOND_RUN, out);
    *out++ = (unsigned char) (IRI_COMMON + run);

    *out++ = IRI_LEVEL_END;
    memcpy(out, quick->third, quick->thirds);
    out += quick->thirds;
    run = quick->elements - quick->done;

    if (run != 0) {
        out = iri_put_full(&run, IRI_THIRD_RUN, out);
        *out++ = (unsigned char) (IRI_COMMON + run);
    }

    return out;
}


/* Digits from p on, as a number; what comes behind them. */
static const unsigned char *
iri_put_digits(iri_quick_t *quick, const unsigned char *p,
               const unsigned char *end)
{
    const unsigned char *from = p;

    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }

    quick->out = iri_put_number(quick, from, (size_t) (p - from), quick->out);

    return p;
}


/* The key of at most IRI_QUICK octets of printable ASCII; its length. */
static size_t
iri_collate_quick(const iri_collator_t *collator, iri_str_t name,
                  unsigned char *key)
{
    const unsigned char *p = name.data, *end = name.data + name.len, *from;
    const iri_weight_t  *weight;
    unsigned char       *out = key;
    iri_quick_t          quick;

    quick.collator = collator;
    quick.elements = 0;
    quick.done = 0;
    quick.thirds = 0;

    while (p < end) {
        /* One element each, of what is no digit. */
        from = p;
        do {
            weight = &collator->weight[*p];
            memcpy(out, weight->first, 2);
            out += weight->len;

            if (weight->third != IRI_COMMON) {
                break;
            }
        } while (++p < end);

        quick.elements += (size_t) (p - from);

        if (p < end && weight->len != 0) {
            quick.elements++;
            iri_put_third(&quick, weight->third);
            p++;

        } else if (p < end) {
            quick.out = out;
            p = iri_put_digits(&quick, p, end);
            out = quick.out;
        }
    }

    return (size_t) (iri_put_levels(&quick, out) - key);
}


/* ---- the table ----------------------------------------------------------- */

/* Out of the key of one character: its weights, but for the common ones. */
static int
iri_weight_learn(iri_collator_t *collator, unsigned char c)
{
    iri_weight_t *weight = &collator->weight[c];
    iri_str_t     name = { 1, &c };
    unsigned char key[32];
    size_t        len, n = 0;

    if (iri_collate_slow(collator, name, key, sizeof(key), &len) != IRI_OK) {
        return 0;
    }

    while (n < len && key[n] != IRI_LEVEL_END) {
        n++;
    }

    if (n == 0 || n > sizeof(weight->first) || len != n + 4
        || key[n + 1] != IRI_COMMON || key[n + 2] != IRI_LEVEL_END)
    {
        return 0;
    }

    memcpy(weight->first, key, n);
    weight->third = key[n + 3];
    weight->len = (unsigned char) n;

    return 1;
}


/* Is the quick key the same as the slow one? */
static int
iri_collate_agrees(const iri_collator_t *collator, iri_str_t name)
{
    unsigned char quick[IRI_MAX_KEY], slow[IRI_MAX_KEY];
    size_t        len;

    return iri_collate_slow(collator, name, slow, sizeof(slow), &len)
               == IRI_OK
           && iri_collate_quick(collator, name, quick) == len
           && memcmp(quick, slow, len) == 0;
}


/* Names in which each character stands beside others, and numbers. */
static int
iri_collate_is_known(const iri_collator_t *collator)
{
    static const char *const numbers[] = {
        "0a00b1c9d10e73f74g99h327i328j010k10233l10234m1042489n1042490",
        "a9999999b10000000c12345678d20261122e1000000000f123456789012345678",
    };
    unsigned char up[95], down[95], run[IRI_QUICK];
    iri_str_t     name = { sizeof(up), up };
    size_t        i;
    int           agrees;

    for (i = 0; i < sizeof(up); i++) {
        up[i] = (unsigned char) (0x20 + i);
        down[i] = (unsigned char) (0x7e - i);
    }

    agrees = iri_collate_agrees(collator, name);
    name.data = down;
    agrees = agrees && iri_collate_agrees(collator, name);

    memset(run, 'a', sizeof(run));
    memcpy(run + sizeof(run) - 8, "AAaAaaAA", 8);
    name.data = run;
    name.len = sizeof(run);
    agrees = agrees && iri_collate_agrees(collator, name);

    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        name.data = (const unsigned char *) numbers[i];
        name.len = strlen(numbers[i]);
        agrees = agrees && iri_collate_agrees(collator, name);
    }

    return agrees;
}


static void
iri_collate_learn(iri_collator_t *collator)
{
    unsigned c;
    int      known = 1;

    for (c = 0x20; known && c < 0x7f; c++) {
        known = iri_weight_learn(collator, (unsigned char) c);
    }

    collator->number = collator->weight['0'].first[0];

    /* A digit has no weight of its own. */
    for (c = '0'; c <= '9'; c++) {
        collator->weight[c].len = 0;
        collator->weight[c].third = 0;
    }

    collator->quick = known && iri_collate_is_known(collator);
}


/* ---- for others ---------------------------------------------------------- */

iri_status_t
iri_collator_open(iri_collator_t *collator, int many)
{
    UErrorCode error = U_ZERO_ERROR;

    memset(collator, 0, sizeof(*collator));

    collator->icu = ucol_open("", &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    ucol_setAttribute(collator->icu, UCOL_NUMERIC_COLLATION, UCOL_ON, &error);
    if (U_FAILURE(error)) {
        iri_collator_close(collator);
        return IRI_ICU_FAILED;
    }

    if (many) {
        iri_collate_learn(collator);
    }

    return IRI_OK;
}


void
iri_collator_close(iri_collator_t *collator)
{
    ucol_close(collator->icu);
}


int
iri_collate_ready(void)
{
    iri_collator_t collator;

    if (iri_collator_open(&collator, 0) != IRI_OK) {
        return 0;
    }

    iri_collator_close(&collator);

    return 1;
}


iri_status_t
iri_collate(const iri_collator_t *collator, iri_str_t name, int ascii,
            unsigned char key[IRI_MAX_KEY], size_t *len)
{
    if (!collator->quick || !ascii || name.len > IRI_QUICK) {
        return iri_collate_slow(collator, name, key, IRI_MAX_KEY, len);
    }

    *len = iri_collate_quick(collator, name, key);

    return IRI_OK;
}
