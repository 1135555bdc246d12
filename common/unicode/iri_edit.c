/*
 * iri_edit.c - names that differ by one edit ("spelling")
 *
 * An edit adds, removes or replaces one grapheme cluster (UAX #29), or
 * exchanges two neighbours.  Keys are compared, so other ignored differences do
 * not count. Never edited: a digit, because doc43 is not doc34; an extension,
 * because a server shows the source of x.php~ but runs x.php; a name that is
 * short or begins with a dot.
 */

#include <unicode/ubrk.h>
#include <unicode/uchar.h>

#include "unicode/iri_unicode.h"


void
iri_edit_init(iri_edit_t *edit)
{
    edit->iterator = NULL;
    edit->count = 0;
}


void
iri_edit_free(iri_edit_t *edit)
{
    if (edit->iterator != NULL) {
        ubrk_close(edit->iterator);
        edit->iterator = NULL;
    }
}


/* ---- clusters of a key --------------------------------------------------- */

/* Does a cluster contain a digit?  A number sign may precede it (U+0600). */
static int
iri_edit_has_digit(iri_str_t character)
{
    const unsigned char *p = character.data, *end = p + character.len;
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
iri_edit_put(iri_edit_t *edit, iri_str_t key, size_t at, size_t end)
{
    iri_str_t character = { end - at, key.data + at };

    edit->at[edit->count] = (uint16_t) at;
    edit->digit[edit->count++] = (unsigned char) iri_edit_has_digit(
        character);
    edit->at[edit->count] = (uint16_t) end;
}


static iri_status_t
iri_edit_divide_text(iri_edit_t *edit, iri_str_t key)
{
    UErrorCode error = U_ZERO_ERROR;
    UText      text = UTEXT_INITIALIZER;
    int32_t    at, end;

    if (edit->iterator == NULL) {
        edit->iterator = ubrk_open(UBRK_CHARACTER, "", NULL, 0, &error);
    }

    utext_openUTF8(&text, (const char *) key.data, (int64_t) key.len, &error);
    if (U_SUCCESS(error)) {
        ubrk_setUText(edit->iterator, &text, &error);
    }

    if (U_SUCCESS(error)) {
        at = ubrk_first(edit->iterator);

        for (end = ubrk_next(edit->iterator); end != UBRK_DONE;
             end = ubrk_next(edit->iterator))
        {
            iri_edit_put(edit, key, (size_t) at, (size_t) end);
            at = end;
        }
    }

    utext_close(&text);

    return U_SUCCESS(error) ? IRI_OK : IRI_ICU_FAILED;
}


/* Number of clusters before the last "."; all if there is none. */
static size_t
iri_edit_stem(const iri_edit_t *edit, iri_str_t key)
{
    size_t i;

    for (i = edit->count; i > 0; i--) {
        if (key.data[edit->at[i - 1]] == '.') {
            return i - 1;
        }
    }

    return edit->count;
}


iri_status_t
iri_edit_divide(iri_edit_t *edit, iri_str_t key, int *fit)
{
    iri_status_t status = IRI_OK;
    size_t       i;

    edit->count = 0;
    edit->stem = 0;
    *fit = 0;

    if (key.len < IRI_MIN_SPELLING || key.len > IRI_MAX_SEGMENT
        || key.data[0] == '.')
    {
        return IRI_OK;
    }

    if (iri_path_is_ascii(key, 0)) {
        for (i = 0; i < key.len; i++) {
            edit->at[i] = (uint16_t) i;
            edit->digit[i] = key.data[i] >= '0' && key.data[i] <= '9';
        }

        edit->at[i] = (uint16_t) i;
        edit->count = i;

    } else {
        status = iri_edit_divide_text(edit, key);
    }

    if (status == IRI_OK) {
        edit->stem = iri_edit_stem(edit, key);
    }

    *fit = edit->stem >= IRI_MIN_SPELLING;

    return status;
}


iri_status_t
iri_edit_put_without(const iri_env_t *env, const iri_edit_t *edit,
                     iri_str_t key, size_t i, iri_buf_t *out, int *left_out)
{
    iri_status_t status;

    *left_out = i < edit->stem && !edit->digit[i];

    if (!*left_out) {
        return IRI_OK;
    }

    status = iri_buf_put(env, out, key.data, edit->at[i]);

    return status == IRI_OK
               ? iri_buf_put(env, out, key.data + edit->at[i + 1],
                             key.len - edit->at[i + 1])
               : status;
}


/* ---- one edit ------------------------------------------------------------ */

/* A key and its clusters. */
typedef struct {
    iri_str_t  key;
    iri_edit_t edit;
} iri_edited_t;


static int
iri_edit_equal(const iri_edited_t *a, size_t i, const iri_edited_t *b,
               size_t k)
{
    size_t len = (size_t) (a->edit.at[i + 1] - a->edit.at[i]);

    return len == (size_t) (b->edit.at[k + 1] - b->edit.at[k])
           && memcmp(a->key.data + a->edit.at[i], b->key.data + b->edit.at[k],
                     len)
                  == 0;
}


/* Are the keys equal from a[i] and b[k] on? */
static int
iri_edit_equal_tail(const iri_edited_t *a, size_t i, const iri_edited_t *b,
                    size_t k)
{
    iri_str_t rest_a = iri_str_from(a->key, a->edit.at[i]);
    iri_str_t rest_b = iri_str_from(b->key, b->edit.at[k]);

    return iri_str_equal(rest_a, rest_b);
}


/* May cluster i be edited? */
static int
iri_edit_is_editable(const iri_edited_t *edited, size_t i)
{
    return i < edited->edit.stem && !edited->edit.digit[i];
}


/* Keys with as many clusters: one is replaced, or two neighbours exchanged. */
static int
iri_edit_is_replaced(const iri_edited_t *a, const iri_edited_t *b, size_t i)
{
    if (!iri_edit_is_editable(a, i) || !iri_edit_is_editable(b, i)) {
        return 0;
    }

    if (iri_edit_equal_tail(a, i + 1, b, i + 1)) {
        return 1;
    }

    return iri_edit_is_editable(a, i + 1) && iri_edit_is_editable(b, i + 1)
           && iri_edit_equal(a, i, b, i + 1) && iri_edit_equal(a, i + 1, b, i)
           && iri_edit_equal_tail(a, i + 2, b, i + 2);
}


static int
iri_edit_compare(const iri_edited_t *a, const iri_edited_t *b)
{
    size_t i = 0;

    while (i < a->edit.count && i < b->edit.count
           && iri_edit_equal(a, i, b, i)) {
        i++;
    }

    if (a->edit.count == b->edit.count) {
        return i < a->edit.count && iri_edit_is_replaced(a, b, i);
    }

    if (a->edit.count == b->edit.count + 1) {
        return iri_edit_is_editable(a, i)
               && iri_edit_equal_tail(a, i + 1, b, i);
    }

    return b->edit.count == a->edit.count + 1 && iri_edit_is_editable(b, i)
           && iri_edit_equal_tail(a, i, b, i + 1);
}


iri_status_t
iri_edit_differ_by_one(const iri_env_t *env, iri_str_t a, iri_str_t b,
                       int *one)
{
    iri_edited_t *keys;
    iri_status_t  status;
    int           fit_a = 0, fit_b = 0;

    *one = 0;

    keys = env->alloc(env->ctx, 2 * sizeof(*keys));
    if (keys == NULL) {
        return IRI_NO_MEMORY;
    }

    keys[0].key = a;
    keys[1].key = b;
    iri_edit_init(&keys[0].edit);
    iri_edit_init(&keys[1].edit);

    status = iri_edit_divide(&keys[0].edit, a, &fit_a);

    if (status == IRI_OK && fit_a) {
        status = iri_edit_divide(&keys[1].edit, b, &fit_b);
    }

    if (status == IRI_OK && fit_a && fit_b) {
        *one = iri_edit_compare(&keys[0], &keys[1]);
    }

    iri_edit_free(&keys[0].edit);
    iri_edit_free(&keys[1].edit);

    return status;
}
