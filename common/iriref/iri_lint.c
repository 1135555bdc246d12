/*
 * iri_lint.c - what may be the matter with the names of a directory
 *
 * Each name is looked at by itself, then all of them together: which two are
 * one name, which two become one where iri_match forgives something, and
 * which take each other's requests in a legacy charset.  What is near is
 * found by sorting keys, so that a million names are no matter.
 */

#include <stdlib.h>

#include <unicode/ucsdet.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "path/iri_path.h"
#include "index/iri_index.h"
#include "iriref/iri_lint.h"

/* Octets of a name on disk: what nearly all file systems have. */
#define IRI_LINT_NAME_MAX 255

/* Octets that are enough, and necessary, to guess a charset by. */
#define IRI_GUESS_MOST  (32 * 1024)
#define IRI_GUESS_LEAST 12

/* ICU's confidence, of 100, from which on a guess is told. */
#define IRI_GUESS_SURE 40


static const struct {
    const char *text;
    const char *about;
} iri_lint_kinds[IRI_LINT_KINDS] = {
    { "unreadable",
      "no charset of the tree reads it: it has no name, and is asked for by "
      "its octets" },
    { "unreachable",
      "it has a control character, or is longer than names that are looked "
      "for: no request can name it" },
    { "charset",
      "it seems to be written in another charset than it is read in" },
    { "mojibake",
      "it seems to be UTF-8 that was taken for windows-1252 or ISO-8859-1, "
      "and encoded again" },
    { "twin",
      "another entry has the same name: the servers know only one of them" },
    { "collision",
      "another entry has that name, too, where iri_match forgives this" },
    { "form",
      "asked for in this charset, another entry is found that comes before" },
    { "nfc", "it is not written in NFC" },
    { "nfkc", "it has characters that look like others (not NFKC)" },
    { "bidi",
      "it is not seen in the order in which it is written: a part of it runs "
      "from right to left" },
    { "look-alike", "it is seen as another name, or as another entry's" },
    { "reserved",
      "it has characters that mean something in a URI: a link must have them "
      "percent-encoded" },
    { "long", "written in UTF-8 it has more octets than names may have" },
    { "legacy", "it is not written in UTF-8" },
};


const char *
iri_lint_text(iri_lint_kind_t kind)
{
    return iri_lint_kinds[kind].text;
}


const char *
iri_lint_about(iri_lint_kind_t kind)
{
    return iri_lint_kinds[kind].about;
}


iri_lint_kind_t
iri_lint_kind(iri_str_t word)
{
    size_t kind = 0;

    while (kind < IRI_LINT_KINDS
           && !iri_str_equal_nocase(word, iri_lint_kinds[kind].text))
    {
        kind++;
    }

    return (iri_lint_kind_t) kind;
}


static iri_status_t
iri_lint_tell_one(iri_lint_t *lint, iri_lint_kind_t kind,
                  const iri_lint_item_t *item)
{
    static const iri_str_t none = { 0, NULL };

    return iri_lint_tell(lint, kind, item, NULL, IRI_MATCH_NONE, none);
}


/* ---- memory for one name at a time --------------------------------------- */

/* The arena must not pay for a directory. */
#define IRI_LINT_SCRATCH ((size_t) 256 * 1024)

static void *
iri_lint_alloc(void *ctx, size_t size)
{
    iri_lint_t    *lint = ctx;
    unsigned char *p;

    size = (size + 15) & ~(size_t) 15;

    if (size > IRI_LINT_SCRATCH - lint->used) {
        return NULL;
    }

    p = lint->memory + lint->used;
    lint->used += size;

    return p;
}


static iri_status_t
iri_lint_lend(iri_lint_t *lint)
{
    lint->scratch.ctx = lint;
    lint->scratch.alloc = iri_lint_alloc;
    lint->memory = lint->env->alloc(lint->env->ctx, IRI_LINT_SCRATCH);

    return lint->memory != NULL ? IRI_OK : IRI_NO_MEMORY;
}


/* ---- a guess ------------------------------------------------------------- */

/* Names of which no charset is sure are put together, a line each. */
static iri_status_t
iri_lint_sample(iri_lint_t *lint, iri_str_t octets)
{
    iri_status_t status;
    size_t       i;

    if (lint->sample.len + octets.len >= IRI_GUESS_MOST) {
        return IRI_OK;
    }

    for (i = 0; i < octets.len; i++) {
        lint->high += octets.data[i] >= 0x80;
    }

    status = iri_buf_put(lint->env, &lint->sample, octets.data, octets.len);

    return status == IRI_OK ? iri_buf_putc(lint->env, &lint->sample, '\n')
                            : status;
}


static iri_status_t
iri_lint_detect(iri_lint_t *lint, UCharsetDetector *detector)
{
    UErrorCode            error = U_ZERO_ERROR;
    const UCharsetMatch  *match;
    const char           *label = NULL;
    iri_str_t             name;
    const iri_encoding_t *encoding;

    ucsdet_setText(detector, (const char *) lint->sample.data,
                   (int32_t) lint->sample.len, &error);
    match = ucsdet_detect(detector, &error);

    if (U_SUCCESS(error) && match != NULL
        && ucsdet_getConfidence(match, &error) >= IRI_GUESS_SURE)
    {
        label = ucsdet_getName(match, &error);
    }
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }
    if (label == NULL) {
        return IRI_OK;
    }

    name.data = (const unsigned char *) label;
    name.len = strlen(label);
    encoding = iri_encoding_find(name);

    if (encoding != NULL && encoding->converter != NULL
        && encoding->refused == NULL)
    {
        lint->guess.data = (const unsigned char *) encoding->name;
        lint->guess.len = strlen(encoding->name);
    }

    return IRI_OK;
}


static iri_status_t
iri_lint_guess(iri_lint_t *lint)
{
    UErrorCode        error = U_ZERO_ERROR;
    UCharsetDetector *detector;
    iri_status_t      status;

    if (lint->high < IRI_GUESS_LEAST) {
        return IRI_OK;
    }

    /* Without memory it may be nothing, and no error either. */
    detector = ucsdet_open(&error);
    if (U_FAILURE(error) || detector == NULL) {
        return IRI_ICU_FAILED;
    }

    status = iri_lint_detect(lint, detector);
    ucsdet_close(detector);

    return status;
}


/* ---- one name ------------------------------------------------------------ */

static int
iri_lint_is_utf8(iri_str_t octets)
{
    return iri_charset_span(&iri_charset_utf8, octets) == octets.len;
}


/* Does a charset of the tree read it, whatever characters that gives? */
static int
iri_lint_has_text(const iri_lint_t *lint, iri_str_t octets)
{
    const iri_charsets_t *charsets = &lint->conf->tree->charsets;
    size_t                i;

    for (i = 0; i < charsets->count; i++) {
        if (iri_charset_span(charsets->at[i], octets) == octets.len) {
            return 1;
        }
    }

    return 0;
}


static iri_status_t
iri_lint_read(iri_lint_t *lint, iri_lint_item_t *item)
{
    iri_status_t status;

    if (iri_is_graphic(item->octets) && item->octets.len <= IRI_MAX_SEGMENT) {
        item->name = item->octets;
        return IRI_OK;
    }

    status = iri_entry_read(lint->env, lint->conf->tree, item->octets,
                            &lint->buf, &item->charset);
    if (status == IRI_OK) {
        status = iri_lint_copy(lint, iri_buf_str(&lint->buf), &item->name);
    }
    if (status != IRI_OK || iri_str_is_ascii(item->octets)) {
        return status;
    }

    if (item->name.len != 0) {
        lint->read[item->charset]++;
    }

    return iri_lint_is_utf8(item->octets)
               ? IRI_OK
               : iri_lint_sample(lint, item->octets);
}


/* RFC 3986, 2.2: what would end a segment, or the path; and "%". */
static int
iri_lint_is_reserved(iri_str_t octets)
{
    size_t i;

    for (i = 0; i < octets.len; i++) {
        if (octets.data[i] != '\0'
            && strchr("?#[]%\\", octets.data[i]) != NULL) {
            return 1;
        }
    }

    return 0;
}


/* Of a name that is not ASCII alone. */
static iri_status_t
iri_lint_forms(iri_lint_t *lint, const iri_lint_item_t *item)
{
    const iri_tree_conf_t *tree = lint->conf->tree;
    const iri_charset_t   *charset = tree->charsets.at[item->charset];
    iri_status_t           status = IRI_OK;
    int                    utf8 = iri_charset_is_utf8(charset), nfkc;

    if (utf8 && tree->names != IRI_FILENAME_NFD
        && !iri_str_equal(item->name, item->octets))
    {
        status = iri_lint_tell_one(lint, IRI_LINT_NFC, item);
    }

    if (status == IRI_OK && !utf8 && iri_lint_is_utf8(item->octets)) {
        status = iri_lint_tell(lint, IRI_LINT_CHARSET, item, NULL,
                               IRI_MATCH_NONE,
                               iri_charset_name(&iri_charset_utf8));
    }

    if (status == IRI_OK && !utf8) {
        status = iri_lint_tell(lint, IRI_LINT_LEGACY, item, NULL,
                               IRI_MATCH_NONE, iri_charset_name(charset));
    }

    if (status == IRI_OK && item->name.len > IRI_LINT_NAME_MAX) {
        status = iri_lint_tell_one(lint, IRI_LINT_LONG, item);
    }

    if (status == IRI_OK && iri_lint_wants(lint, IRI_LINT_NFKC)) {
        status = iri_lint_is_nfkc(item->name, &nfkc);
        if (status == IRI_OK && !nfkc) {
            status = iri_lint_tell_one(lint, IRI_LINT_NFKC, item);
        }
    }

    return status;
}


static iri_status_t
iri_lint_one(iri_lint_t *lint, iri_lint_item_t *item)
{
    iri_status_t status = IRI_OK;

    if (item->name.len == 0) {
        if (!iri_lint_has_text(lint, item->octets)) {
            return iri_lint_tell(lint, IRI_LINT_UNREADABLE, item, NULL,
                                 IRI_MATCH_NONE, lint->guess);
        }

        status = iri_lint_tell_one(lint, IRI_LINT_UNREACHABLE, item);

        return status == IRI_OK ? iri_lint_mojibake(lint, item) : status;
    }

    if (!iri_str_is_ascii(item->octets)) {
        status = iri_lint_forms(lint, item);
    }
    if (status == IRI_OK) {
        status = iri_lint_seen(lint, item);
    }

    return status == IRI_OK && iri_lint_is_reserved(item->name)
               ? iri_lint_tell_one(lint, IRI_LINT_RESERVED, item)
               : status;
}


/* All of a directory seems to be written in another charset. */
static iri_status_t
iri_lint_directory(iri_lint_t *lint)
{
    const iri_charsets_t *charsets = &lint->conf->tree->charsets;
    size_t                i, most = 0;

    for (i = 1; i < charsets->count; i++) {
        if (lint->read[i] > lint->read[most]) {
            most = i;
        }
    }

    if (lint->guess.len == 0 || lint->read[most] == 0
        || iri_charset_is_utf8(charsets->at[most])
        || iri_str_equal(lint->guess, iri_charset_name(charsets->at[most])))
    {
        return IRI_OK;
    }

    return iri_lint_tell(lint, IRI_LINT_CHARSET, NULL, NULL, IRI_MATCH_NONE,
                         lint->guess);
}


/* ---- two names ----------------------------------------------------------- */

static int
iri_lint_by_key(const void *a, const void *b)
{
    const iri_lint_item_t *const *one = a, *const *two = b;
    int                           order;

    order = iri_str_compare((*one)->key, (*two)->key);

    return order != 0 ? order : iri_lint_by_name(a, b);
}


static iri_status_t
iri_lint_twins(iri_lint_t *lint)
{
    iri_lint_item_t **at = lint->sorted;
    iri_status_t      status = IRI_OK;
    iri_str_t         none = { 0, NULL };
    size_t            i;

    for (i = 1; status == IRI_OK && i < lint->named; i++) {
        if (iri_str_equal(at[i]->name, at[i - 1]->name)) {
            status = iri_lint_tell(lint, IRI_LINT_TWIN, at[i], at[i - 1],
                                   IRI_MATCH_NORMALIZATION, none);
        }
    }

    return status;
}


/* The first entry that has that name; NULL: there is none. */
static const iri_lint_item_t *
iri_lint_find(const iri_lint_t *lint, iri_str_t name)
{
    size_t from = 0, to = lint->named, middle;

    while (from < to) {
        middle = from + (to - from) / 2;

        if (iri_str_compare(lint->sorted[middle]->name, name) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }

    return from < lint->named && iri_str_equal(lint->sorted[from]->name, name)
               ? lint->sorted[from]
               : NULL;
}


/* Who else gets a request with these octets, UTF-8 or before charset k? */
static iri_status_t
iri_lint_taken(iri_lint_t *lint, const iri_lint_item_t *item,
               iri_str_t octets, size_t k, const iri_lint_item_t **by)
{
    const iri_charsets_t *requests = lint->conf->requests;
    iri_source_t          source = { octets, NULL, 1, 0 };
    iri_buf_t            *read = &lint->other;
    iri_status_t          status;
    iri_why_t             why;
    size_t                i;

    *by = NULL;

    for (i = 0; i <= k; i++) {
        read->len = 0;
        status = iri_segment_read(
            lint->env, i == 0 ? &iri_charset_utf8 : requests->at[i - 1],
            &source, 0, octets.len, read, NULL, &why);
        if (status != IRI_OK) {
            return status;
        }

        if (why != IRI_WHY_READ
            || iri_str_equal(iri_buf_str(read), item->name)) {
            continue;
        }

        *by = iri_lint_find(lint, iri_buf_str(read));
        if (*by != NULL) {
            return IRI_OK;
        }
    }

    return IRI_OK;
}


/* A tree that writes names in one charset, composed. */
static iri_status_t
iri_lint_write(iri_lint_t *lint, iri_str_t name, const iri_charset_t *charset,
               int *written)
{
    iri_tree_conf_t tree;

    memset(&tree, 0, sizeof(tree));
    tree.charsets.count = 1;
    tree.charsets.at[0] = charset;
    lint->buf.len = 0;

    return iri_name_write(lint->env, &tree, name, 0, &lint->buf, written);
}


static iri_status_t
iri_lint_requests(iri_lint_t *lint, const iri_lint_item_t *item)
{
    const iri_charsets_t  *requests = lint->conf->requests;
    const iri_lint_item_t *by;
    iri_status_t           status = IRI_OK;
    size_t                 k;
    int                    written;

    for (k = 0; status == IRI_OK && k < requests->count; k++) {
        status = iri_lint_write(lint, item->name, requests->at[k], &written);
        if (status != IRI_OK || !written) {
            continue;
        }

        status = iri_lint_taken(lint, item, iri_buf_str(&lint->buf), k, &by);
        if (status == IRI_OK && by != NULL) {
            status = iri_lint_tell(lint, IRI_LINT_FORM, item, by,
                                   IRI_MATCH_NONE,
                                   iri_charset_name(requests->at[k]));
        }
    }

    return status;
}


/*
 * Of those with its key, which all stand before it, the one that needs least
 * to be forgiven.  Twins were told before.
 */
static iri_status_t
iri_lint_collide(iri_lint_t *lint, size_t from, size_t at)
{
    iri_lint_item_t *const *sorted = lint->sorted;
    const iri_lint_item_t  *nearest = NULL;
    iri_match_t             match, least = IRI_MATCH_NONE;
    iri_status_t            status;
    iri_str_t               none = { 0, NULL };
    size_t                  i;

    if (at - from > IRI_LINT_NEAR) {
        from = at - IRI_LINT_NEAR;
    }

    for (i = from; i < at; i++) {
        if (iri_str_equal(sorted[i]->name, sorted[at]->name)) {
            return IRI_OK;
        }

        status = iri_fold_level(lint->env, lint->conf->match, sorted[i]->name,
                                sorted[at]->name, &match);
        if (status != IRI_OK) {
            return status;
        }

        if (match != IRI_MATCH_NONE && (nearest == NULL || match < least)) {
            nearest = sorted[i];
            least = match;
        }
    }

    return nearest != NULL ? iri_lint_tell(lint, IRI_LINT_COLLISION,
                                           sorted[at], nearest, least, none)
                           : IRI_OK;
}


static iri_status_t
iri_lint_collisions(iri_lint_t *lint)
{
    iri_lint_item_t **at = lint->sorted;
    iri_status_t      status = IRI_OK;
    size_t            i, from = 0;

    for (i = 0; i < lint->named; i++) {
        lint->buf.len = 0;
        status = iri_fold(lint->env, lint->conf->match, at[i]->name,
                          &lint->buf);
        if (status == IRI_OK) {
            status = iri_lint_copy(lint, iri_buf_str(&lint->buf),
                                   &at[i]->key);
        }
        if (status != IRI_OK) {
            return status;
        }
    }

    qsort(at, lint->named, sizeof(at[0]), iri_lint_by_key);

    for (i = 1; status == IRI_OK && i < lint->named; i++) {
        if (!iri_str_equal(at[i]->key, at[i - 1]->key)) {
            from = i;
            continue;
        }

        status = iri_lint_collide(lint, from, i);
    }

    return status == IRI_OK && (lint->conf->match & IRI_FOLD_SPELLING)
               ? iri_lint_spellings(lint)
               : status;
}


/* ---- a directory --------------------------------------------------------- */

static iri_status_t
iri_lint_names(iri_lint_t *lint, const iri_str_t *names)
{
    const iri_env_t *env = lint->env;
    iri_status_t     status = IRI_OK;
    size_t           i;

    if (lint->count > SIZE_MAX / sizeof(lint->item[0])) {
        return IRI_NO_MEMORY;
    }

    lint->item = env->alloc(env->ctx, lint->count * sizeof(lint->item[0]));
    lint->sorted = env->alloc(env->ctx,
                              lint->count * sizeof(lint->sorted[0]));
    if (lint->item == NULL || lint->sorted == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(lint->item, 0, lint->count * sizeof(lint->item[0]));

    for (i = 0; status == IRI_OK && i < lint->count; i++) {
        lint->item[i].octets = names[i];
        status = iri_lint_read(lint, &lint->item[i]);

        if (lint->item[i].name.len != 0) {
            lint->sorted[lint->named++] = &lint->item[i];
        }
    }

    return status;
}


static iri_status_t
iri_lint_pairs(iri_lint_t *lint)
{
    iri_status_t status;
    size_t       i;

    if (lint->named == 0) {
        return IRI_OK;
    }

    qsort(lint->sorted, lint->named, sizeof(lint->sorted[0]),
          iri_lint_by_name);

    status = iri_lint_twins(lint);

    for (i = 0; status == IRI_OK && i < lint->named
                && iri_lint_wants(lint, IRI_LINT_FORM);
         i++)
    {
        if (!iri_str_is_ascii(lint->sorted[i]->name)) {
            status = iri_lint_requests(lint, lint->sorted[i]);
        }
    }

    if (status == IRI_OK && lint->conf->match != 0
        && iri_lint_wants(lint, IRI_LINT_COLLISION))
    {
        status = iri_lint_collisions(lint);
    }

    return status == IRI_OK ? iri_lint_alike(lint) : status;
}


iri_status_t
iri_lint(const iri_env_t *env, const iri_lint_conf_t *conf,
         const iri_str_t *names, size_t count, iri_lint_each_t each,
         void *arg)
{
    iri_lint_t   lint;
    iri_status_t status;
    size_t       i;

    if (count == 0) {
        return IRI_OK;
    }

    memset(&lint, 0, sizeof(lint));
    lint.env = env;
    lint.conf = conf;
    lint.each = each;
    lint.arg = arg;
    lint.count = count;

    status = iri_lint_lend(&lint);
    if (status == IRI_OK) {
        status = iri_lint_names(&lint, names);
    }
    if (status == IRI_OK) {
        status = iri_lint_guess(&lint);
    }
    if (status == IRI_OK) {
        status = iri_lint_directory(&lint);
    }

    for (i = 0; status == IRI_OK && i < count; i++) {
        status = iri_lint_one(&lint, &lint.item[i]);
    }

    return status == IRI_OK ? iri_lint_pairs(&lint) : status;
}
