/*
 * iri_edit.c - names that differ by one edit ("spelling")
 *
 * An edit adds, removes or replaces one grapheme cluster (UAX #29), or
 * exchanges two neighbours.  Folding keys are compared, so that a difference
 * which iri_match ignores is not an edit.  These are never edited: a digit,
 * because doc43 is another document than doc34; an extension, because a server
 * runs x.php but shows the source in x.php~; a name that is short or begins
 * with a dot.
 */

#include <unicode/ubrk.h>
#include <unicode/uchar.h>

#include "unicode/iri_unicode.h"


void
iri_graphemes_init(iri_graphemes_t *graphemes)
{
    graphemes->iterator = NULL;
    graphemes->count = 0;
}


void
iri_graphemes_free(iri_graphemes_t *graphemes)
{
    if (graphemes->iterator != NULL) {
        ubrk_close(graphemes->iterator);
        graphemes->iterator = NULL;
    }
}


/* ---- clusters of a key --------------------------------------------------- */

/* Does a cluster contain a digit?  A number sign may precede it (U+0600). */
static int
iri_grapheme_has_digit(iri_str_t cluster)
{
    const unsigned char *p = cluster.data, *end = p + cluster.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);
        if (n == 0 || u_isdigit((UChar32) c)) {
            return 1;
        }
    }

    return 0;
}


/* Add the cluster from at up to end. */
static void
iri_graphemes_add(iri_graphemes_t *graphemes, iri_str_t key, size_t at,
                  size_t end)
{
    iri_str_t cluster = { end - at, key.data + at };

    graphemes->at[graphemes->count] = (uint16_t) at;
    graphemes->digit[graphemes->count++] = (unsigned char)
        iri_grapheme_has_digit(cluster);
    graphemes->at[graphemes->count] = (uint16_t) end;
}


static iri_status_t
iri_graphemes_split_text(iri_graphemes_t *graphemes, iri_str_t key)
{
    UErrorCode error = U_ZERO_ERROR;
    UText      text = UTEXT_INITIALIZER;
    int32_t    at, end;

    if (graphemes->iterator == NULL) {
        graphemes->iterator = ubrk_open(UBRK_CHARACTER, "", NULL, 0, &error);
    }

    utext_openUTF8(&text, (const char *) key.data, (int64_t) key.len, &error);
    if (U_SUCCESS(error)) {
        ubrk_setUText(graphemes->iterator, &text, &error);
    }

    if (U_SUCCESS(error)) {
        at = ubrk_first(graphemes->iterator);

        for (end = ubrk_next(graphemes->iterator); end != UBRK_DONE;
             end = ubrk_next(graphemes->iterator))
        {
            iri_graphemes_add(graphemes, key, (size_t) at, (size_t) end);
            at = end;
        }
    }

    utext_close(&text);

    return U_SUCCESS(error) ? IRI_OK : IRI_ICU_FAILED;
}


/* Number of clusters before the last "."; all if there is none. */
static size_t
iri_graphemes_stem(const iri_graphemes_t *graphemes, iri_str_t key)
{
    size_t i;

    for (i = graphemes->count; i > 0; i--) {
        if (key.data[graphemes->at[i - 1]] == '.') {
            return i - 1;
        }
    }

    return graphemes->count;
}


iri_status_t
iri_graphemes_split(iri_graphemes_t *graphemes, iri_str_t key, int *applies)
{
    iri_status_t status = IRI_OK;
    size_t       i;

    graphemes->count = 0;
    graphemes->stem = 0;
    *applies = 0;

    if (key.len < IRI_MIN_SPELLING || key.len > IRI_MAX_SEGMENT
        || key.data[0] == '.')
    {
        return IRI_OK;
    }

    if (iri_path_is_ascii(key, 0)) {
        for (i = 0; i < key.len; i++) {
            graphemes->at[i] = (uint16_t) i;
            graphemes->digit[i] = key.data[i] >= '0' && key.data[i] <= '9';
        }

        graphemes->at[i] = (uint16_t) i;
        graphemes->count = i;

    } else {
        status = iri_graphemes_split_text(graphemes, key);
    }

    if (status == IRI_OK) {
        graphemes->stem = iri_graphemes_stem(graphemes, key);
    }

    *applies = graphemes->stem >= IRI_MIN_SPELLING;

    return status;
}


/* May cluster i be edited? */
static int
iri_grapheme_is_editable(const iri_graphemes_t *graphemes, size_t i)
{
    return i < graphemes->stem && !graphemes->digit[i];
}


iri_status_t
iri_graphemes_put_without(const iri_env_t       *env,
                          const iri_graphemes_t *graphemes, iri_str_t key,
                          size_t i, iri_buf_t *out, int *left_out)
{
    iri_status_t status;

    *left_out = iri_grapheme_is_editable(graphemes, i);

    if (!*left_out) {
        return IRI_OK;
    }

    status = iri_buf_put(env, out, key.data, graphemes->at[i]);

    return status == IRI_OK
               ? iri_buf_put(env, out, key.data + graphemes->at[i + 1],
                             key.len - graphemes->at[i + 1])
               : status;
}


/* ---- one edit ------------------------------------------------------------ */

/* A key and its clusters. */
typedef struct {
    iri_str_t       key;
    iri_graphemes_t graphemes;
} iri_edit_key_t;


static int
iri_edit_equal(const iri_edit_key_t *a, size_t i, const iri_edit_key_t *b,
               size_t k)
{
    size_t len = (size_t) (a->graphemes.at[i + 1] - a->graphemes.at[i]);

    return len == (size_t) (b->graphemes.at[k + 1] - b->graphemes.at[k])
           && memcmp(a->key.data + a->graphemes.at[i],
                     b->key.data + b->graphemes.at[k], len)
                  == 0;
}


/* Are the keys equal from a[i] and b[k] on? */
static int
iri_edit_equal_tail(const iri_edit_key_t *a, size_t i,
                    const iri_edit_key_t *b, size_t k)
{
    iri_str_t rest_a = iri_str_from(a->key, a->graphemes.at[i]);
    iri_str_t rest_b = iri_str_from(b->key, b->graphemes.at[k]);

    return iri_str_equal(rest_a, rest_b);
}


/*
 * For keys with the same number of clusters that first differ in cluster i: do
 * they differ in this cluster only, or are i and i + 1 exchanged?
 */
static int
iri_edit_is_replaced(const iri_edit_key_t *a, const iri_edit_key_t *b,
                     size_t i)
{
    if (!iri_grapheme_is_editable(&a->graphemes, i)
        || !iri_grapheme_is_editable(&b->graphemes, i))
    {
        return 0;
    }

    if (iri_edit_equal_tail(a, i + 1, b, i + 1)) {
        return 1;
    }

    return iri_grapheme_is_editable(&a->graphemes, i + 1)
           && iri_grapheme_is_editable(&b->graphemes, i + 1)
           && iri_edit_equal(a, i, b, i + 1) && iri_edit_equal(a, i + 1, b, i)
           && iri_edit_equal_tail(a, i + 2, b, i + 2);
}


/* Do the keys differ by exactly one edit? */
static int
iri_edit_is_one(const iri_edit_key_t *a, const iri_edit_key_t *b)
{
    size_t i = 0;

    while (i < a->graphemes.count && i < b->graphemes.count
           && iri_edit_equal(a, i, b, i))
    {
        i++;
    }

    if (a->graphemes.count == b->graphemes.count) {
        return i < a->graphemes.count && iri_edit_is_replaced(a, b, i);
    }

    if (a->graphemes.count == b->graphemes.count + 1) {
        return iri_grapheme_is_editable(&a->graphemes, i)
               && iri_edit_equal_tail(a, i + 1, b, i);
    }

    return b->graphemes.count == a->graphemes.count + 1
           && iri_grapheme_is_editable(&b->graphemes, i)
           && iri_edit_equal_tail(a, i, b, i + 1);
}


iri_status_t
iri_edit_differ_by_one(const iri_env_t *env, iri_str_t a, iri_str_t b,
                       int *one)
{
    iri_edit_key_t *keys;
    iri_status_t    status;
    int             applies_a = 0, applies_b = 0;

    *one = 0;

    keys = env->alloc(env->ctx, 2 * sizeof(*keys));
    if (keys == NULL) {
        return IRI_NO_MEMORY;
    }

    keys[0].key = a;
    keys[1].key = b;
    iri_graphemes_init(&keys[0].graphemes);
    iri_graphemes_init(&keys[1].graphemes);

    status = iri_graphemes_split(&keys[0].graphemes, a, &applies_a);

    if (status == IRI_OK && applies_a) {
        status = iri_graphemes_split(&keys[1].graphemes, b, &applies_b);
    }

    if (status == IRI_OK && applies_a && applies_b) {
        *one = iri_edit_is_one(&keys[0], &keys[1]);
    }

    iri_graphemes_free(&keys[0].graphemes);
    iri_graphemes_free(&keys[1].graphemes);

    return status;
}
