/*
 * iri_lint.c - checks of the names of a directory
 *
 * The names of a directory -> findings.  Each name is checked by itself; then
 * pairs are found that have the same name, that iri_match treats as the same
 * name, or of which one gets the requests for the other in a legacy charset.
 * Pairs are found by sorting keys, in O(n log n) for n names.
 */

#include <stdlib.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "path/iri_path.h"
#include "index/iri_index.h"
#include "iriref/iri_iriref.h"
#include "iriref/iri_lint.h"

/* The limit of a name in octets on nearly all file systems. */
#define IRI_LINT_NAME_MAX 255

/* Octets above 7F of which a charset is detected; its least score for each, and
   its least distance from that of the charset that decodes the names. */
#define IRI_GUESS_MIN    8
#define IRI_GUESS_SCORE  400
#define IRI_GUESS_MARGIN 300


static const struct {
    const char *text;
    const char *about;
} iri_lint_kinds[IRI_LINT_KINDS] = {
    { "unreadable",
      "no charset of the tree can decode it: it can be requested only by its "
      "octets" },
    { "unreachable",
      "it has a control character, or is too long: no request can name it" },
    { "charset",
      "it is decoded with a charset other than the one that it seems to be "
      "written in" },
    { "mojibake",
      "it seems to be UTF-8 that was decoded as windows-1252 or ISO-8859-1 "
      "and encoded again" },
    { "twin",
      "another entry has the same name: the servers find only one of them" },
    { "collision",
      "another entry has the same name if iri_match ignores this difference" },
    { "form",
      "a request in this charset finds another entry, which takes precedence" },
    { "nfc", "it is not written in NFC" },
    { "nfkc", "it has characters that look like others (not NFKC)" },
    { "bidi",
      "it is displayed in another order than it is written, since it has "
      "right-to-left characters" },
    { "look-alike", "it looks like another name, or like ASCII" },
    { "reserved", "it has characters that are reserved in a URI: a link must "
                  "percent-encode them" },
    { "long", "in UTF-8 it has more octets than a file name may have" },
    { "legacy", "it is not written in UTF-8" },
};


const char *
iri_lint_text(iri_lint_kind_t kind)
{
    return kind < IRI_LINT_KINDS ? iri_lint_kinds[kind].text : "unknown";
}


const char *
iri_lint_clause(iri_lint_kind_t kind)
{
    return kind < IRI_LINT_KINDS ? iri_lint_kinds[kind].about : "unknown";
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


/* ---- findings ------------------------------------------------------------ */

int
iri_lint_wants(const iri_lint_t *lint, iri_lint_kind_t kind)
{
    return (lint->conf->kinds >> kind & 1) != 0;
}


iri_status_t
iri_lint_report(const iri_lint_t *lint, const iri_lint_entry_t *entry,
                const iri_lint_entry_t *other, iri_finding_t finding)
{
    if (!iri_lint_wants(lint, finding.kind)) {
        return IRI_OK;
    }

    if (entry != NULL) {
        finding.octets = entry->octets;
        finding.name = entry->name;
    }

    if (other != NULL) {
        finding.other = other->octets;
        finding.other_name = other->name;
    }

    return lint->each(lint->arg, &finding);
}


/* Report a finding of a kind, about one entry. */
static iri_status_t
iri_lint_report_kind(const iri_lint_t *lint, iri_lint_kind_t kind,
                     const iri_lint_entry_t *entry)
{
    return iri_lint_report(lint, entry, NULL,
                           (iri_finding_t){ .kind = kind });
}


/* ---- names --------------------------------------------------------------- */

iri_status_t
iri_lint_copy(const iri_lint_t *lint, iri_str_t text, iri_str_t *out)
{
    unsigned char *data;

    out->len = 0;

    if (text.len == 0) {
        return IRI_OK;
    }

    data = lint->env->alloc(lint->env->ctx, text.len);
    if (data == NULL) {
        return IRI_NO_MEMORY;
    }

    memcpy(data, text.data, text.len);
    out->data = data;
    out->len = text.len;

    return IRI_OK;
}


int
iri_lint_has(iri_str_t name, int (*test)(uint32_t c))
{
    const unsigned char *p = name.data, *end = p + name.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0 || test(c)) {
            return n != 0;
        }
    }

    return 0;
}


int
iri_lint_by_name(const void *a, const void *b)
{
    const iri_lint_entry_t *const *one = a, *const *two = b;
    int                            order;

    order = iri_str_compare((*one)->name, (*two)->name);

    return order != 0 ? order
                      : iri_str_compare((*one)->octets, (*two)->octets);
}


/* ---- memory for one name at a time --------------------------------------- */

/* Temporary memory is reused, so that the caller's arena does not grow with
   each name. */
#define IRI_LINT_SCRATCH ((size_t) 256 * 1024)

static void *
iri_lint_scratch_alloc(void *ctx, size_t size)
{
    iri_lint_t    *lint = ctx;
    unsigned char *p;

    size = (size + 15) & ~(size_t) 15;

    if (size > IRI_LINT_SCRATCH - lint->scratch_used) {
        return NULL;
    }

    p = lint->scratch_memory + lint->scratch_used;
    lint->scratch_used += size;

    return p;
}


static iri_status_t
iri_lint_scratch_create(iri_lint_t *lint)
{
    lint->scratch.ctx = lint;
    lint->scratch.alloc = iri_lint_scratch_alloc;
    lint->scratch.fold_keys = lint->env->fold_keys;
    lint->scratch_memory = lint->env->alloc(lint->env->ctx, IRI_LINT_SCRATCH);

    return lint->scratch_memory != NULL ? IRI_OK : IRI_NO_MEMORY;
}


/* ---- detection of the charset -------------------------------------------- */

/* 1 if a charset gives the names in the sample another text than the guess, and
   one that is much less likely. */
static int
iri_lint_is_other(const iri_lint_t *lint, const iri_charset_t *charset,
                  const iri_detected_t *detected, size_t best, int64_t octets)
{
    const iri_charset_t *detectable;
    size_t               i;

    for (i = 0; i < IRI_DETECTABLE; i++) {
        detectable = iri_detector_charset(lint->conf->detector, i);

        if (detectable != NULL
            && iri_charset_id(detectable) == iri_charset_id(charset))
        {
            return detected[i].text != detected[best].text
                   && detected[best].score - detected[i].score
                          > IRI_GUESS_MARGIN * octets;
        }
    }

    return 1;
}


/* The legacy charset that decodes most names; NULL: none does. */
static const iri_charset_t *
iri_lint_used(const iri_lint_t *lint)
{
    const iri_charsets_t *charsets = &lint->conf->tree->charsets;
    size_t                i, most = 0;

    for (i = 1; i < charsets->count; i++) {
        if (lint->read_count[i] > lint->read_count[most]) {
            most = i;
        }
    }

    return lint->read_count[most] == 0
                   || iri_charset_is_utf8(charsets->at[most])
               ? NULL
               : charsets->at[most];
}


/* Detect the charset of names that are not UTF-8.  *other: 1 if it is not the
   one that decodes them. */
static iri_status_t
iri_lint_guess(iri_lint_t *lint, int *other)
{
    iri_detected_t       detected[IRI_DETECTABLE];
    iri_sample_t         sample = { NULL, 0, NULL, NULL };
    const iri_charset_t *used = iri_lint_used(lint);
    iri_status_t         status;
    int64_t              octets = 0;
    size_t               i, best;

    for (i = 0; i < lint->sampled; i++) {
        octets += (int64_t) iri_count_high(lint->sample[i]);
    }

    if (octets < IRI_GUESS_MIN || lint->conf->detector == NULL) {
        return IRI_OK;
    }

    sample.names = lint->sample;
    sample.count = lint->sampled;
    status = iri_detect(lint->env, lint->conf->detector, &sample, detected);
    if (status != IRI_OK) {
        return status;
    }

    best = iri_detected_best(detected);
    if (detected[best].score >= IRI_GUESS_SCORE * octets) {
        lint->guess = iri_detector_charset(lint->conf->detector, best);
        *other = used != NULL
                 && iri_lint_is_other(lint, used, detected, best, octets);
    }

    return IRI_OK;
}


/* ---- one name ------------------------------------------------------------ */

static int
iri_lint_is_utf8(iri_str_t octets)
{
    return iri_charset_span(&iri_charset_utf8, octets) == octets.len;
}


/* 1 if a charset of the tree can decode the octets, to any characters. */
static int
iri_lint_is_decodable(const iri_lint_t *lint, iri_str_t octets)
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
iri_lint_read(iri_lint_t *lint, iri_lint_entry_t *entry)
{
    iri_status_t status;

    if (iri_is_graphic(entry->octets) && entry->octets.len <= IRI_MAX_SEGMENT
        && iri_is_same_on_disk(lint->conf->tree->match, entry->octets))
    {
        entry->name = entry->octets;
        return IRI_OK;
    }

    status = iri_entry_read(lint->env, lint->conf->tree, entry->octets,
                            &lint->buf, &entry->charset);
    if (status == IRI_OK) {
        status = iri_lint_copy(lint, iri_buf_str(&lint->buf), &entry->name);
    }
    if (status != IRI_OK
        || iri_is_same_on_disk(lint->conf->tree->match, entry->octets))
    {
        return status;
    }

    if (entry->name.len != 0) {
        lint->read_count[entry->charset]++;
    }

    if (iri_lint_is_utf8(entry->octets)) {
        lint->utf8_count++;
        return IRI_OK;
    }

    lint->legacy_count++;

    if (lint->sampled < IRI_LINT_SAMPLE) {
        lint->sample[lint->sampled++] = entry->octets;
    }

    return IRI_OK;
}


/* 1 if a link must escape a character: a delimiter of RFC 3986, 2.2, "%", or
   "\", which browsers read as "/". */
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


/*
 * 1 if a name that a legacy charset decodes seems to be UTF-8.  Short names in
 * a multi-byte charset may be UTF-8 by chance: the other names then decide.
 */
static int
iri_lint_seems_utf8(const iri_lint_t *lint, const iri_charset_t *charset,
                    iri_str_t octets)
{
    return iri_lint_is_utf8(octets)
           && (iri_charset_is_single(charset)
               || lint->utf8_count >= lint->legacy_count);
}


/* Check the encoding and normalization of a name that is not ASCII. */
static iri_status_t
iri_lint_check_forms(iri_lint_t *lint, const iri_lint_entry_t *entry)
{
    const iri_tree_conf_t *tree = lint->conf->tree;
    const iri_charset_t   *charset = tree->charsets.at[entry->charset];
    iri_status_t           status = IRI_OK;
    int                    utf8 = iri_charset_is_utf8(charset);

    if (utf8 && tree->names != IRI_FILENAME_NFD
        && !iri_str_equal(entry->name, entry->octets))
    {
        status = iri_lint_report_kind(lint, IRI_LINT_NFC, entry);
    }

    if (status == IRI_OK && !utf8 && !iri_charset_is_percent(charset)
        && iri_lint_seems_utf8(lint, charset, entry->octets))
    {
        status = iri_lint_report(lint, entry, NULL,
                                 (iri_finding_t){ .kind = IRI_LINT_CHARSET,
                                                  .meant = entry->octets,
                                                  .charset = iri_charset_name(
                                                      &iri_charset_utf8) });
    }

    if (status == IRI_OK && !utf8) {
        status = iri_lint_report(
            lint, entry, NULL,
            (iri_finding_t){ .kind = IRI_LINT_LEGACY,
                             .charset = iri_charset_name(charset) });
    }

    if (status == IRI_OK && entry->name.len > IRI_LINT_NAME_MAX) {
        status = iri_lint_report_kind(lint, IRI_LINT_LONG, entry);
    }

    /* A name in NFC is in NFKC unless NFKC replaces a character of it. */
    return status == IRI_OK
                   && iri_lint_has(entry->name, iri_char_is_compatibility)
               ? iri_lint_report_kind(lint, IRI_LINT_NFKC, entry)
               : status;
}


/* Report UNREADABLE, with the name in the likely charset if it decodes it. */
static iri_status_t
iri_lint_unreadable(iri_lint_t *lint, const iri_lint_entry_t *entry)
{
    iri_converted_t likely = { { 0, NULL }, NULL, 0 };
    iri_finding_t   finding = { .kind = IRI_LINT_UNREADABLE };
    iri_status_t    status = IRI_OK;

    lint->scratch_used = 0;

    if (lint->guess != NULL) {
        finding.charset = iri_charset_name(lint->guess);
        status = iri_decode(&lint->scratch, lint->guess, entry->octets,
                            &likely);
    }

    finding.meant = likely.value;

    return status == IRI_OK ? iri_lint_report(lint, entry, NULL, finding)
                            : status;
}


static iri_status_t
iri_lint_check_entry(iri_lint_t *lint, iri_lint_entry_t *entry)
{
    iri_status_t status = IRI_OK;

    if (entry->name.len == 0) {
        if (!iri_lint_is_decodable(lint, entry->octets)) {
            return iri_lint_unreadable(lint, entry);
        }

        status = iri_lint_report_kind(lint, IRI_LINT_UNREACHABLE, entry);

        return status == IRI_OK ? iri_lint_mojibake(lint, entry) : status;
    }

    if (!iri_is_same_on_disk(lint->conf->tree->match, entry->octets)) {
        status = iri_lint_check_forms(lint, entry);
    }
    if (status == IRI_OK) {
        status = iri_lint_appearance(lint, entry);
    }

    return status == IRI_OK && iri_lint_is_reserved(entry->name)
               ? iri_lint_report_kind(lint, IRI_LINT_RESERVED, entry)
               : status;
}


/* ---- two names ----------------------------------------------------------- */

static int
iri_lint_by_key(const void *a, const void *b)
{
    const iri_lint_entry_t *const *one = a, *const *two = b;
    int                            order;

    order = iri_str_compare((*one)->key, (*two)->key);

    return order != 0 ? order : iri_lint_by_name(a, b);
}


static iri_status_t
iri_lint_twins(iri_lint_t *lint)
{
    iri_lint_entry_t **at = lint->sorted;
    iri_status_t       status = IRI_OK;
    size_t             i;

    for (i = 1; status == IRI_OK && i < lint->named; i++) {
        if (iri_str_equal(at[i]->name, at[i - 1]->name)) {
            status = iri_lint_report(
                lint, at[i], at[i - 1],
                (iri_finding_t){ .kind = IRI_LINT_TWIN,
                                 .match = IRI_MATCH_NORMALIZATION });
        }
    }

    return status;
}


/* The first entry with a name; NULL if there is none.  lint->sorted must be
   sorted by name. */
static const iri_lint_entry_t *
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


/*
 * Find another entry that a request with these octets finds first: in UTF-8,
 * or in one of the request charsets up to k.  *by: NULL if there is none.
 */
static iri_status_t
iri_lint_find_conflict(iri_lint_t *lint, const iri_lint_entry_t *entry,
                       iri_str_t octets, size_t k,
                       const iri_lint_entry_t **by)
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
            || iri_str_equal(iri_buf_str(read), entry->name)) {
            continue;
        }

        *by = iri_lint_find(lint, iri_buf_str(read));
        if (*by != NULL) {
            return IRI_OK;
        }
    }

    return IRI_OK;
}


/* Encode a name in a charset, in NFC, to lint->buf. */
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
iri_lint_check_requests(iri_lint_t *lint, const iri_lint_entry_t *entry)
{
    const iri_charsets_t   *requests = lint->conf->requests;
    const iri_lint_entry_t *by;
    iri_status_t            status = IRI_OK;
    size_t                  k;
    int                     written;

    for (k = 0; status == IRI_OK && k < requests->count; k++) {
        status = iri_lint_write(lint, entry->name, requests->at[k], &written);
        if (status != IRI_OK || !written) {
            continue;
        }

        status = iri_lint_find_conflict(lint, entry, iri_buf_str(&lint->buf),
                                        k, &by);
        if (status == IRI_OK && by != NULL) {
            status = iri_lint_report(
                lint, entry, by,
                (iri_finding_t){
                    .kind = IRI_LINT_FORM,
                    .charset = iri_charset_name(requests->at[k]) });
        }
    }

    return status;
}


/*
 * Compare entry `at` with the preceding entries of the same key, from `from`
 * on, and report the one at the lowest match level.  Entries with the same
 * name are skipped, since they were reported as twins.
 */
static iri_status_t
iri_lint_collide(iri_lint_t *lint, size_t from, size_t at)
{
    iri_lint_entry_t *const *sorted = lint->sorted;
    const iri_lint_entry_t  *nearest = NULL;
    iri_match_t              match, least = IRI_MATCH_NONE;
    iri_status_t             status;
    size_t                   i;

    for (i = iri_lint_first(from, at); i < at; i++) {
        if (iri_str_equal(sorted[i]->name, sorted[at]->name)) {
            return IRI_OK;
        }

        lint->scratch_used = 0;
        status = iri_fold_level(&lint->scratch, lint->conf->match,
                                sorted[i]->name, sorted[at]->name, &match);
        if (status != IRI_OK) {
            return status;
        }

        if (match != IRI_MATCH_NONE && (nearest == NULL || match < least)) {
            nearest = sorted[i];
            least = match;
        }
    }

    return nearest != NULL ? iri_lint_report(
               lint, sorted[at], nearest,
               (iri_finding_t){ .kind = IRI_LINT_COLLISION, .match = least })
                           : IRI_OK;
}


static iri_status_t
iri_lint_collisions(iri_lint_t *lint)
{
    iri_lint_entry_t **at = lint->sorted;
    iri_status_t       status = IRI_OK;
    size_t             i, from = 0;

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
iri_lint_read_names(iri_lint_t *lint, const iri_str_t *names)
{
    const iri_env_t *env = lint->env;
    iri_status_t     status = IRI_OK;
    size_t           i;

    if (lint->count > SIZE_MAX / sizeof(lint->entries[0])) {
        return IRI_NO_MEMORY;
    }

    lint->entries = env->alloc(env->ctx,
                               lint->count * sizeof(lint->entries[0]));
    lint->sorted = env->alloc(env->ctx,
                              lint->count * sizeof(lint->sorted[0]));
    if (lint->entries == NULL || lint->sorted == NULL) {
        return IRI_NO_MEMORY;
    }

    memset(lint->entries, 0, lint->count * sizeof(lint->entries[0]));

    for (i = 0; status == IRI_OK && i < lint->count; i++) {
        lint->entries[i].octets = names[i];
        status = iri_lint_read(lint, &lint->entries[i]);

        if (lint->entries[i].name.len != 0) {
            lint->sorted[lint->named++] = &lint->entries[i];
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
            status = iri_lint_check_requests(lint, lint->sorted[i]);
        }
    }

    if (status == IRI_OK && lint->conf->match != 0
        && iri_lint_wants(lint, IRI_LINT_COLLISION))
    {
        status = iri_lint_collisions(lint);
    }

    return status == IRI_OK ? iri_lint_look_alikes(lint) : status;
}


iri_status_t
iri_lint(const iri_env_t *env, const iri_lint_conf_t *conf,
         const iri_str_t *names, size_t count, iri_lint_each_t each,
         void *arg)
{
    iri_lint_t   lint;
    iri_status_t status;
    size_t       i;
    int          other = 0;

    if (count == 0) {
        return IRI_OK;
    }

    memset(&lint, 0, sizeof(lint));
    lint.env = env;
    lint.conf = conf;
    lint.each = each;
    lint.arg = arg;
    lint.count = count;

    status = iri_lint_scratch_create(&lint);
    if (status == IRI_OK) {
        status = iri_lint_read_names(&lint, names);
    }
    if (status == IRI_OK) {
        status = iri_lint_guess(&lint, &other);
    }
    if (status == IRI_OK && other) {
        status = iri_lint_report(
            &lint, NULL, NULL,
            (iri_finding_t){ .kind = IRI_LINT_CHARSET,
                             .charset = iri_charset_name(lint.guess) });
    }

    for (i = 0; status == IRI_OK && i < count; i++) {
        status = iri_lint_check_entry(&lint, &lint.entries[i]);
    }

    return status == IRI_OK ? iri_lint_pairs(&lint) : status;
}
