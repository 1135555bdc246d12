/*
 * iri_lint_seen.c - names that are not what they are seen as
 *
 * UTF-8 that was encoded twice; what draft-duerst-iri-03 says of direction
 * (4.1, 4.2) and of characters that are mistaken for others (5.1, 6.5), with
 * UTS #39 for the latter.  Those functions judge IRIs, so a name is made a
 * path of them first.
 */

#include <stdlib.h>

#include <unicode/uchar.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "charset/iri_charset.h"
#include "iriref/iri_iriref.h"
#include "iriref/iri_lint.h"

/* What is told of one name, once a kind. */
typedef struct {
    iri_lint_t            *lint;
    const iri_lint_item_t *item;
    int                    told;
} iri_seer_t;


/* ---- UTF-8 that was encoded twice ---------------------------------------- */

/* It has controls then, too, so that it may have no name. */
iri_status_t
iri_lint_mojibake(iri_lint_t *lint, const iri_lint_item_t *item)
{
    const iri_charset_t *charset;
    iri_finding_t        finding;
    iri_status_t         status;

    charset = lint->conf->tree->charsets.at[item->charset];

    if (!iri_lint_wants(lint, IRI_LINT_MOJIBAKE)
        || !iri_charset_is_utf8(charset)
        || iri_charset_span(charset, item->octets) != item->octets.len)
    {
        return IRI_OK;
    }

    lint->used = 0;
    iri_lint_begin(&finding, IRI_LINT_MOJIBAKE, item);
    status = iri_repair(&lint->scratch, IRI_REPAIR_MOJIBAKE,
                        item->name.len != 0 ? item->name : item->octets,
                        &finding.meant);

    return status == IRI_OK && finding.meant.len != 0
               ? iri_lint_give(lint, &finding)
               : status;
}


/* ---- direction and characters -------------------------------------------- */

/*
 * "./" and the name.  What divides an IRI is another character of the same
 * direction; where words count, it and all else between them is "/".
 */
static iri_status_t
iri_lint_path(iri_lint_t *lint, iri_str_t name, int words, iri_str_t *out)
{
    unsigned char *path, *p;
    size_t         i;

    path = lint->scratch.alloc(lint->scratch.ctx, name.len + 2);
    if (path == NULL) {
        return IRI_NO_MEMORY;
    }

    p = path;
    *p++ = '.';
    *p++ = '/';

    for (i = 0; i < name.len; i++, p++) {
        unsigned char c = name.data[i];

        *p = c;

        if (words && c < 0x80 && !iri_octet_is(c, IRI_O_ALPHA | IRI_O_DIGIT))
        {
            *p = '/';
        } else if (c == '?') {
            *p = '!';
        } else if (c == '#' || c == '%') {
            *p = '$';
        }
    }

    out->data = path;
    out->len = name.len + 2;

    return IRI_OK;
}


static iri_status_t
iri_seer_tell(iri_seer_t *seer, iri_lint_kind_t kind, const char *why)
{
    iri_finding_t finding;

    if (seer->told) {
        return IRI_OK;
    }

    seer->told = 1;
    iri_lint_begin(&finding, kind, seer->item);
    finding.why = why;

    return iri_lint_give(seer->lint, &finding);
}


static iri_status_t
iri_seer_bidi(void *arg, const iri_warning_t *warning)
{
    return iri_seer_tell(arg, IRI_LINT_BIDI, iri_warning_text(warning->kind));
}


/* The rest are kinds of their own, or are told of the name as a whole. */
static iri_status_t
iri_seer_character(void *arg, const iri_warning_t *warning)
{
    switch (warning->kind) {
    case IRI_WARN_INVISIBLE:
        if (iri_char_is_bidi_control(warning->character)) {
            return IRI_OK;
        }
        break;

    case IRI_WARN_LOOKS_LIKE:
    case IRI_WARN_TAG:
    case IRI_WARN_MIXED_SCRIPTS:
        break;

    default:
        return IRI_OK;
    }

    return iri_seer_tell(arg, IRI_LINT_LOOK_ALIKE,
                         iri_warning_text(warning->kind));
}


static int
iri_lint_has_control(iri_str_t name)
{
    const unsigned char *p = name.data, *end = p + name.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0 || iri_char_is_bidi_control(c)) {
            return n != 0;
        }
    }

    return 0;
}


static iri_status_t
iri_lint_bidi(iri_lint_t *lint, const iri_lint_item_t *item)
{
    iri_seer_t   seer = { lint, item, 0 };
    iri_str_t    path;
    iri_status_t status;

    if (!iri_lint_wants(lint, IRI_LINT_BIDI)) {
        return IRI_OK;
    }

    if (iri_lint_has_control(item->name)) {
        return iri_seer_tell(&seer, IRI_LINT_BIDI,
                             "a bidi formatting character");
    }

    status = iri_lint_path(lint, item->name, 0, &path);

    return status == IRI_OK ? iri_bidi_check(path, iri_seer_bidi, &seer)
                            : status;
}


/* ---- what looks like ASCII ----------------------------------------------- */

/* Dashes and quotes look so, too, and nobody is misled by them alone. */
static int
iri_lint_has_letter(iri_str_t name)
{
    const unsigned char *p = name.data, *end = p + name.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0 || (c >= 0x80 && u_isalpha((UChar32) c))) {
            return n != 0;
        }
    }

    return 0;
}


/* What is not NFKC is told so. */
static iri_status_t
iri_lint_looks_ascii(iri_seer_t *seer)
{
    const iri_lint_item_t *item = seer->item;
    iri_finding_t          finding;
    iri_status_t           status;
    int                    nfkc;

    if (seer->told || !iri_str_is_ascii(item->skeleton)
        || !iri_lint_has_letter(item->name))
    {
        return IRI_OK;
    }

    status = iri_lint_is_nfkc(item->name, &nfkc);
    if (status != IRI_OK || !nfkc) {
        return status;
    }

    iri_lint_begin(&finding, IRI_LINT_LOOK_ALIKE, item);
    finding.meant = item->skeleton;
    finding.why = iri_warning_text(IRI_WARN_LOOK_ALIKE);

    return iri_lint_give(seer->lint, &finding);
}


static iri_status_t
iri_lint_skeleton(iri_lint_t *lint, iri_lint_item_t *item)
{
    iri_str_t    skeleton;
    iri_status_t status;

    status = iri_skeleton(&lint->scratch, lint->conf->look, item->name,
                          &skeleton);
    if (status != IRI_OK || iri_str_equal(skeleton, item->name)) {
        item->skeleton = item->name;
        return status;
    }

    return iri_lint_copy(lint, skeleton, &item->skeleton);
}


/* More combining marks in a row than ICU can be asked to sort. */
static int
iri_lint_is_heaped(iri_str_t name)
{
    const unsigned char *p = name.data, *end = p + name.len;
    uint32_t             c;
    size_t               n, marks = 0;

    for (/* void */; p < end && marks <= IRI_MAX_MARKS; p += n) {
        n = iri_utf8_next(p, end, &c);
        marks = n != 0 && iri_char_is_mark(c) ? marks + 1 : 0;
        n += n == 0;
    }

    return marks > IRI_MAX_MARKS;
}


static iri_status_t
iri_lint_looks(iri_lint_t *lint, iri_lint_item_t *item)
{
    iri_seer_t   seer = { lint, item, 0 };
    iri_str_t    path;
    iri_status_t status = IRI_OK;
    int          low = iri_str_is_ascii(item->name);

    if (!iri_lint_wants(lint, IRI_LINT_LOOK_ALIKE)) {
        return IRI_OK;
    }

    if (!low) {
        status = iri_lint_path(lint, item->name, 1, &path);
        if (status == IRI_OK) {
            status = iri_characters_but(&lint->scratch, lint->conf->look,
                                        1u << IRI_WARN_NOT_NFC
                                            | 1u << IRI_WARN_LOOK_ALIKE,
                                        path, iri_seer_character, &seer);
        }
    }

    if (status != IRI_OK || lint->conf->look == NULL
        || iri_lint_is_heaped(item->name))
    {
        return status;
    }

    status = iri_lint_skeleton(lint, item);

    return status == IRI_OK && !low ? iri_lint_looks_ascii(&seer) : status;
}


iri_status_t
iri_lint_seen(iri_lint_t *lint, iri_lint_item_t *item)
{
    iri_status_t status = IRI_OK;

    lint->used = 0;

    if (!iri_str_is_ascii(item->name)) {
        status = iri_lint_mojibake(lint, item);
        if (status == IRI_OK) {
            status = iri_lint_bidi(lint, item);
        }
    }

    return status == IRI_OK ? iri_lint_looks(lint, item) : status;
}


/* ---- two that look alike ------------------------------------------------- */

static int
iri_lint_by_skeleton(const void *a, const void *b)
{
    const iri_lint_item_t *const *one = a, *const *two = b;
    int                           order;

    order = iri_str_compare((*one)->skeleton, (*two)->skeleton);

    return order != 0 ? order : iri_lint_by_name(a, b);
}


/* Was it told as a twin, or as a collision? */
static int
iri_lint_is_told(const iri_lint_t *lint, const iri_lint_item_t *a,
                 const iri_lint_item_t *b)
{
    return iri_str_equal(a->name, b->name)
           || (iri_lint_wants(lint, IRI_LINT_COLLISION) && a->key.len != 0
               && iri_str_equal(a->key, b->key));
}


/* One of those that look like it, which all stand before it. */
static iri_status_t
iri_lint_alike_one(const iri_lint_t *lint, size_t from, size_t at)
{
    iri_lint_item_t *const *sorted = lint->sorted;
    static const iri_str_t  none = { 0, NULL };
    size_t                  i;

    if (at - from > IRI_LINT_NEAR) {
        from = at - IRI_LINT_NEAR;
    }

    for (i = from; i < at; i++) {
        if (!iri_lint_is_told(lint, sorted[i], sorted[at])) {
            return iri_lint_tell(lint, IRI_LINT_LOOK_ALIKE, sorted[at],
                                 sorted[i], IRI_MATCH_NONE, none);
        }
    }

    return IRI_OK;
}


iri_status_t
iri_lint_alike(iri_lint_t *lint)
{
    iri_lint_item_t **at = lint->sorted;
    iri_status_t      status = IRI_OK;
    size_t            i, from = 0;

    if (!iri_lint_wants(lint, IRI_LINT_LOOK_ALIKE)
        || lint->conf->look == NULL) {
        return IRI_OK;
    }

    qsort(at, lint->named, sizeof(at[0]), iri_lint_by_skeleton);

    for (i = 1; status == IRI_OK && i < lint->named; i++) {
        if (at[i]->skeleton.len == 0
            || !iri_str_equal(at[i]->skeleton, at[i - 1]->skeleton))
        {
            from = i;
            continue;
        }

        status = iri_lint_alike_one(lint, from, i);
    }

    return status;
}
