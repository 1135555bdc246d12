/*
 * iri_lint_appearance.c - names that are misread when they are displayed
 *
 * A name -> findings about UTF-8 that was encoded twice (mojibake), direction
 * (draft 4.1, 4.2) and characters that are mistaken for others (draft 5.1,
 * 6.5; UTS #39).  The checks of direction and characters take IRIs, so a name
 * is first converted to the path of one.
 */

#include <stdlib.h>

#include <unicode/uchar.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "charset/iri_charset.h"
#include "iriref/iri_iriref.h"
#include "iriref/iri_lint.h"

/* Reports at most one finding for a name. */
typedef struct {
    iri_lint_t             *lint;
    const iri_lint_entry_t *entry;
    int                     reported;
} iri_reporter_t;


/* ---- UTF-8 that was encoded twice ---------------------------------------- */

/* Mojibake contains C1 controls, so the entry may have no name. */
iri_status_t
iri_lint_mojibake(iri_lint_t *lint, const iri_lint_entry_t *entry)
{
    const iri_charset_t *charset;
    iri_finding_t        finding = { .kind = IRI_LINT_MOJIBAKE };
    iri_status_t         status;

    charset = lint->conf->tree->charsets.at[entry->charset];

    if (!iri_lint_wants(lint, IRI_LINT_MOJIBAKE)
        || !iri_charset_is_utf8(charset)
        || iri_charset_span(charset, entry->octets) != entry->octets.len)
    {
        return IRI_OK;
    }

    lint->scratch_used = 0;
    status = iri_repair(&lint->scratch, IRI_REPAIR_MOJIBAKE,
                        entry->name.len != 0 ? entry->name : entry->octets,
                        &finding.meant);

    return status == IRI_OK && finding.meant.len != 0
               ? iri_lint_report(lint, entry, NULL, finding)
               : status;
}


/* ---- direction and characters -------------------------------------------- */

/*
 * Convert a name to a path: "./" and the name, with the delimiters of an IRI
 * replaced by other neutral characters.  words: 1 replaces all ASCII except
 * letters and digits by "/", so that each word is checked by itself.
 */
static iri_status_t
iri_lint_iri_path(iri_lint_t *lint, iri_str_t name, int words, iri_str_t *out)
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

        if (words && c < 0x80
            && !iri_octet_is(c, IRI_OCTET_ALPHA | IRI_OCTET_DIGIT)) {
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
iri_reporter_report(iri_reporter_t *reporter, iri_lint_kind_t kind,
                    const char *why)
{
    if (reporter->reported) {
        return IRI_OK;
    }

    reporter->reported = 1;

    return iri_lint_report(reporter->lint, reporter->entry, NULL,
                           (iri_finding_t){ .kind = kind, .why = why });
}


static iri_status_t
iri_reporter_bidi(void *arg, const iri_warning_t *warning)
{
    return iri_reporter_report(arg, IRI_LINT_BIDI,
                               iri_warning_text(warning->kind));
}


/* Kinds without a case are other findings, or are checked for a whole name. */
static iri_status_t
iri_reporter_character(void *arg, const iri_warning_t *warning)
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

    return iri_reporter_report(arg, IRI_LINT_LOOK_ALIKE,
                               iri_warning_text(warning->kind));
}


static iri_status_t
iri_lint_bidi(iri_lint_t *lint, const iri_lint_entry_t *entry)
{
    iri_reporter_t reporter = { lint, entry, 0 };
    iri_str_t      path;
    iri_status_t   status;

    if (!iri_lint_wants(lint, IRI_LINT_BIDI)) {
        return IRI_OK;
    }

    if (iri_lint_has(entry->name, iri_char_is_bidi_control)) {
        return iri_reporter_report(&reporter, IRI_LINT_BIDI,
                                   "a bidi formatting character");
    }

    status = iri_lint_iri_path(lint, entry->name, 0, &path);

    return status == IRI_OK
               ? iri_bidi_check(path, iri_reporter_bidi, &reporter)
               : status;
}


/* ---- look-alikes of ASCII ------------------------------------------------ */

/* Dashes and quotes by themselves look like ASCII, too, but do not mislead. */
static int
iri_char_is_letter(uint32_t c)
{
    return c >= 0x80 && u_isalpha((UChar32) c);
}


/* A name that is not in NFKC was already reported as NFKC. */
static iri_status_t
iri_lint_check_ascii_look_alike(iri_reporter_t *reporter)
{
    const iri_lint_entry_t *entry = reporter->entry;

    if (reporter->reported || !iri_str_is_ascii(entry->skeleton)
        || !iri_lint_has(entry->name, iri_char_is_letter)
        || iri_has_dotless_i(entry->name)
        || iri_lint_has(entry->name, iri_char_is_compatibility))
    {
        return IRI_OK;
    }

    return iri_lint_report(
        reporter->lint, entry, NULL,
        (iri_finding_t){ .kind = IRI_LINT_LOOK_ALIKE,
                         .meant = entry->skeleton,
                         .why = iri_warning_text(IRI_WARN_LOOK_ALIKE) });
}


/* Copy a name without the characters that are not displayed: a step of UTS #39,
   4, that ICU does not do. */
static iri_status_t
iri_lint_put_displayed(const iri_env_t *env, iri_str_t name, iri_buf_t *out)
{
    const unsigned char *p = name.data, *end = p + name.len;
    iri_status_t         status = IRI_OK;
    uint32_t             c;
    size_t               n;

    for (/* void */; status == IRI_OK; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0) {
            break;
        }

        if (!u_hasBinaryProperty((UChar32) c,
                                 UCHAR_DEFAULT_IGNORABLE_CODE_POINT)) {
            status = iri_buf_put(env, out, p, n);
        }
    }

    return status;
}


static iri_status_t
iri_lint_skeleton(iri_lint_t *lint, iri_lint_entry_t *entry)
{
    iri_buf_t    name = IRI_BUF_EMPTY;
    iri_str_t    skeleton = { 0, NULL };
    iri_status_t status;

    status = iri_lint_put_displayed(&lint->scratch, entry->name, &name);
    if (status == IRI_OK) {
        status = iri_skeleton(&lint->scratch, lint->conf->confusables,
                              iri_buf_str(&name), &skeleton);
    }
    if (status != IRI_OK || iri_str_equal(skeleton, entry->name)) {
        entry->skeleton = entry->name;
        return status;
    }

    return iri_lint_copy(lint, skeleton, &entry->skeleton);
}


/* ICU sorts combining marks by insertion, in quadratic time. */
static int
iri_lint_has_too_many_marks(iri_str_t name)
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
iri_lint_check_look_alike(iri_lint_t *lint, iri_lint_entry_t *entry)
{
    iri_reporter_t reporter = { lint, entry, 0 };
    iri_str_t      path;
    iri_status_t   status = IRI_OK;
    int            is_ascii = iri_str_is_ascii(entry->name);

    if (!iri_lint_wants(lint, IRI_LINT_LOOK_ALIKE)) {
        return IRI_OK;
    }

    if (!is_ascii) {
        status = iri_lint_iri_path(lint, entry->name, 1, &path);
        if (status == IRI_OK) {
            status = iri_characters_check(&lint->scratch,
                                          lint->conf->confusables, path,
                                          iri_reporter_character, &reporter);
        }
    }

    if (status != IRI_OK || lint->conf->confusables == NULL
        || iri_lint_has_too_many_marks(entry->name))
    {
        return status;
    }

    status = iri_lint_skeleton(lint, entry);

    return status == IRI_OK && !is_ascii
               ? iri_lint_check_ascii_look_alike(&reporter)
               : status;
}


iri_status_t
iri_lint_appearance(iri_lint_t *lint, iri_lint_entry_t *entry)
{
    iri_status_t status = IRI_OK;

    lint->scratch_used = 0;

    if (!iri_str_is_ascii(entry->name)) {
        status = iri_lint_mojibake(lint, entry);
        if (status == IRI_OK) {
            status = iri_lint_bidi(lint, entry);
        }
    }

    return status == IRI_OK ? iri_lint_check_look_alike(lint, entry) : status;
}


/* ---- pairs that look alike ----------------------------------------------- */

static int
iri_lint_by_skeleton(const void *a, const void *b)
{
    const iri_lint_entry_t *const *one = a, *const *two = b;
    int                            order;

    order = iri_str_compare((*one)->skeleton, (*two)->skeleton);

    return order != 0 ? order : iri_lint_by_name(a, b);
}


/* 1 if the pair was reported as TWIN or COLLISION. */
static int
iri_lint_is_reported(const iri_lint_t *lint, const iri_lint_entry_t *a,
                     const iri_lint_entry_t *b)
{
    return iri_str_equal(a->name, b->name)
           || (iri_lint_wants(lint, IRI_LINT_COLLISION) && a->key.len != 0
               && iri_str_equal(a->key, b->key));
}


/* Report a preceding entry with the same skeleton, from `from` on. */
static iri_status_t
iri_lint_look_alike_of(const iri_lint_t *lint, size_t from, size_t at)
{
    iri_lint_entry_t *const *sorted = lint->sorted;
    size_t                   i;

    for (i = iri_lint_first(from, at); i < at; i++) {
        if (!iri_lint_is_reported(lint, sorted[i], sorted[at])) {
            return iri_lint_report(
                lint, sorted[at], sorted[i],
                (iri_finding_t){ .kind = IRI_LINT_LOOK_ALIKE });
        }
    }

    return IRI_OK;
}


iri_status_t
iri_lint_look_alikes(iri_lint_t *lint)
{
    iri_lint_entry_t **at = lint->sorted;
    iri_status_t       status = IRI_OK;
    size_t             i, from = 0;

    if (!iri_lint_wants(lint, IRI_LINT_LOOK_ALIKE)
        || lint->conf->confusables == NULL)
    {
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

        status = iri_lint_look_alike_of(lint, from, i);
    }

    return status;
}
