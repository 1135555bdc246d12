/*
 * iri_characters.c - characters that an IRI had better not have
 *
 * Draft 2.3 (NFC), 5.1 (what is likely to be mistaken in transcription) and
 * 6.5 (NFKC, look-alikes, one script a component): all of it advice, so all of
 * it warnings.  UTS #39, which ICU knows, says what looks alike and which
 * scripts go together.
 */

#include <stdlib.h>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "iriref/iri_iriref.h"

/* The skeleton of one character of ASCII. */
typedef struct {
    unsigned char len; /* 0: it does not fit */
    char          octets[7];
} iri_bone_t;

struct iri_confusables_s {
    USpoofChecker *scripts;
    iri_bone_t     ascii[0x80];
};

static const char *const iri_warning_texts[IRI_WARNINGS] = {
    "letters of both directions",
    "does not begin and end with a right-to-left letter",
    "ASCII that no URI may hold",
    "a look-alike of space or of a delimiter",
    "a full width or half width form",
    "a character that is not seen",
    "a tag character",
    "a character for private use",
    "not in NFC",
    "not in NFKC",
    "scripts that no language mixes",
    "looks like a word in ASCII"
};


const char *
iri_warning_text(iri_warning_kind_t kind)
{
    return kind < IRI_WARNINGS ? iri_warning_texts[kind] : "unknown";
}


/* ---- ICU's rules --------------------------------------------------------- */

/* The skeleton of ASCII is that of its characters, one by one. */
static void
iri_look_ascii(iri_confusables_t *look, UErrorCode *error)
{
    char    c;
    int32_t len;
    size_t  i;

    for (i = 0x20; i < 0x7f && U_SUCCESS(*error); i++) {
        iri_bone_t *bone = &look->ascii[i];

        c = (char) i;
        len = uspoof_getSkeletonUTF8(look->scripts, 0, &c, 1, bone->octets,
                                     sizeof(bone->octets), error);

        if (*error == U_BUFFER_OVERFLOW_ERROR) {
            *error = U_ZERO_ERROR;
            len = 0;
        }

        bone->len = (unsigned char) len;
    }
}


iri_confusables_t *
iri_confusables_create(void)
{
    UErrorCode         error = U_ZERO_ERROR;
    iri_confusables_t *look = malloc(sizeof(*look));

    if (look == NULL) {
        return NULL;
    }

    memset(look, 0, sizeof(*look));
    look->scripts = uspoof_open(&error);

    if (U_SUCCESS(error)) {
        uspoof_setChecks(look->scripts,
                         USPOOF_RESTRICTION_LEVEL | USPOOF_MIXED_NUMBERS,
                         &error);
        /* Latin goes with the scripts of Japanese, Chinese, Korean. */
        uspoof_setRestrictionLevel(look->scripts, USPOOF_HIGHLY_RESTRICTIVE);
        iri_look_ascii(look, &error);
    }

    if (U_FAILURE(error)) {
        iri_confusables_destroy(look);
        return NULL;
    }

    return look;
}


void
iri_confusables_destroy(iri_confusables_t *look)
{
    if (look != NULL) {
        if (look->scripts != NULL) {
            uspoof_close(look->scripts);
        }
        free(look);
    }
}


/* ---- one character ------------------------------------------------------- */

/* All that is known of a piece while its characters go by. */
typedef struct {
    const iri_env_t *env;
    iri_str_t        text;
    iri_warn_t       warn;
    void            *arg;
    iri_warning_t    warning;
    unsigned         never;  /* kinds that nobody wants to know, bits */
    unsigned         told;   /* kinds that were told of this piece, bits */
    uint32_t         before; /* the character before; 0: none */
    iri_buf_t        plain;  /* the piece, escapes of characters undone */
    int              other;  /* it has characters above 7F */
    size_t           marks;  /* combining marks in a row, up to here */
    int              heaped; /* there were too many */
} iri_judge_t;


static iri_status_t
iri_judge_tell(iri_judge_t *judge, iri_warning_kind_t kind, size_t offset,
               uint32_t c)
{
    if (judge->told & 1u << kind) {
        return IRI_OK;
    }

    judge->told |= 1u << kind;
    judge->warning.kind = kind;
    judge->warning.offset = offset;
    judge->warning.character = c;

    return judge->warn(judge->arg, &judge->warning);
}


/*
 * Letters and marks that a joiner may follow: of Arabic and its like, whose
 * letters join (the marks below U+0590 are those of Latin, Greek, Cyrillic),
 * and of the scripts of India and beyond, whose syllables do.
 */
static int
iri_takes_joiner(uint32_t c)
{
    return u_getIntPropertyValue((UChar32) c, UCHAR_INDIC_SYLLABIC_CATEGORY)
               != U_INSC_OTHER
           || (c >= 0x0590
               && u_getIntPropertyValue((UChar32) c, UCHAR_JOINING_TYPE)
                      != U_JT_NON_JOINING);
}


/* Between such letters joiners are spelling; behind a symbol a selector is. */
static int
iri_is_spelling(uint32_t c, uint32_t before)
{
    uint32_t mask = before != 0 ? U_GET_GC_MASK((UChar32) before) : 0;

    if (c == 0x200c || c == 0x200d) {
        return (mask & (U_GC_L_MASK | U_GC_M_MASK)) != 0
               && iri_takes_joiner(before);
    }

    return c >= 0xfe00 && c <= 0xfe0f
           && (mask & (U_GC_S_MASK | U_GC_LO_MASK)) != 0;
}


/* What a character alone is to be told of; IRI_WARNINGS: nothing. */
static iri_warning_kind_t
iri_warning_of(uint32_t c, uint32_t before)
{
    if (c >= 0xe0000 && c <= 0xe007f) {
        return IRI_WARN_TAG;
    }

    if (iri_char_is_private(c)) {
        return IRI_WARN_PRIVATE;
    }

    if (c >= 0xff01 && c <= 0xffee) {
        return IRI_WARN_WIDTH;
    }

    if (u_hasBinaryProperty((UChar32) c, UCHAR_WHITE_SPACE)) {
        return IRI_WARN_LOOKS_LIKE;
    }

    if (u_hasBinaryProperty((UChar32) c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT)
        || iri_char_is_bidi_control(c))
    {
        return iri_is_spelling(c, before) ? IRI_WARNINGS : IRI_WARN_INVISIBLE;
    }

    return iri_char_is_advised_against(c) ? IRI_WARN_LOOKS_LIKE
                                          : IRI_WARNINGS;
}


static iri_status_t
iri_judge_character(iri_judge_t *judge, uint32_t c, size_t offset)
{
    iri_warning_kind_t kind = iri_warning_of(c, judge->before);
    iri_status_t       status = IRI_OK;

    judge->before = c;
    judge->other = 1;
    judge->marks = iri_char_is_mark(c) ? judge->marks + 1 : 0;
    judge->heaped |= judge->marks > IRI_MAX_MARKS;

    if (kind != IRI_WARNINGS) {
        return iri_judge_tell(judge, kind, offset, c);
    }

    if (u_getIntPropertyValue((UChar32) c, UCHAR_NFC_QUICK_CHECK) == UNORM_NO)
    {
        status = iri_judge_tell(judge, IRI_WARN_NOT_NFC, offset, c);

    } else if (u_getIntPropertyValue((UChar32) c, UCHAR_NFKC_QUICK_CHECK)
               == UNORM_NO)
    {
        status = iri_judge_tell(judge, IRI_WARN_COMPATIBILITY, offset, c);
    }

    return status;
}


static iri_status_t
iri_judge_ascii(iri_judge_t *judge, unsigned char c, size_t offset)
{
    judge->before = c;
    judge->marks = 0;

    return iri_octet_is(c, IRI_O_ADDITIONAL)
               ? iri_judge_tell(judge, IRI_WARN_EXCLUDED, offset, c)
               : IRI_OK;
}


/* The characters of a piece, one after the other, and into plain. */
static iri_status_t
iri_judge_piece(iri_judge_t *judge, iri_str_t piece)
{
    const unsigned char *p = piece.data, *end = p + piece.len;
    iri_status_t         status = IRI_OK;
    unsigned char        octets[4];
    uint32_t             c;
    size_t               n, len, offset;

    while (status == IRI_OK && p < end) {
        offset = (size_t) (p - judge->text.data);
        n = iri_character_at(p, end, &c, octets, &len);

        if (n != 0) {
            status = iri_buf_put(judge->env, &judge->plain, octets, len);
            if (status == IRI_OK) {
                status = iri_judge_character(judge, c, offset);
            }
            p += n;
            continue;
        }

        if (*p < 0x80) {
            status = iri_buf_putc(judge->env, &judge->plain, *p);
            if (status == IRI_OK) {
                status = iri_judge_ascii(judge, *p, offset);
            }
        }

        p++;
    }

    return status;
}


/* ---- a piece as a whole -------------------------------------------------- */

/* Characters that are well one by one, and not beside each other. */
static iri_status_t
iri_judge_nfc(iri_judge_t *judge, size_t offset)
{
    iri_buf_t    nfc = IRI_BUF_EMPTY;
    iri_str_t    plain = iri_buf_str(&judge->plain);
    iri_status_t status;

    if (judge->told & 1u << IRI_WARN_NOT_NFC) {
        return IRI_OK;
    }

    status = iri_nfc_text(judge->env, plain, &nfc);

    if (status != IRI_OK || iri_str_equal(iri_buf_str(&nfc), plain)) {
        return status;
    }

    return iri_judge_tell(judge, IRI_WARN_NOT_NFC, offset, 0);
}


/* Octets of the skeleton of what is ASCII; 0: ICU has to be asked. */
static size_t
iri_skeleton_ascii_len(const iri_confusables_t *look, iri_str_t text)
{
    size_t i, len = 0;

    for (i = 0; i < text.len; i++) {
        if (text.data[i] >= 0x80 || look->ascii[text.data[i]].len == 0) {
            return 0;
        }

        len += look->ascii[text.data[i]].len;
    }

    return len;
}


static iri_status_t
iri_skeleton_ascii(const iri_env_t *env, const iri_confusables_t *look,
                   iri_str_t text, size_t len, iri_str_t *out)
{
    unsigned char *skeleton = env->alloc(env->ctx, len), *p = skeleton;
    size_t         i;

    if (skeleton == NULL) {
        return IRI_NO_MEMORY;
    }

    for (i = 0; i < text.len; i++) {
        const iri_bone_t *bone = &look->ascii[text.data[i]];

        memcpy(p, bone->octets, bone->len);
        p += bone->len;
    }

    out->data = skeleton;
    out->len = len;

    return IRI_OK;
}


iri_status_t
iri_skeleton(const iri_env_t *env, const iri_confusables_t *look,
             iri_str_t text, iri_str_t *out)
{
    UErrorCode  error = U_ZERO_ERROR;
    const char *octets = (const char *) text.data;
    char       *skeleton;
    int32_t     len = (int32_t) text.len, count;
    size_t      ascii = iri_skeleton_ascii_len(look, text);

    if (ascii != 0) {
        return iri_skeleton_ascii(env, look, text, ascii, out);
    }

    /* Most are not much longer. */
    count = len + len / 2 + 16;
    skeleton = env->alloc(env->ctx, (size_t) count);
    if (skeleton == NULL) {
        return IRI_NO_MEMORY;
    }

    len = uspoof_getSkeletonUTF8(look->scripts, 0, octets, len, skeleton,
                                 count, &error);

    if (error == U_BUFFER_OVERFLOW_ERROR) {
        error = U_ZERO_ERROR;
        skeleton = env->alloc(env->ctx, (size_t) len + 1);
        if (skeleton == NULL) {
            return IRI_NO_MEMORY;
        }

        len = uspoof_getSkeletonUTF8(look->scripts, 0, octets,
                                     (int32_t) text.len, skeleton, len + 1,
                                     &error);
    }

    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    out->data = (const unsigned char *) skeleton;
    out->len = (size_t) len;

    return IRI_OK;
}


/* As it looks, in ASCII: a skeleton has "rn" for "m", too. */
static iri_status_t
iri_judge_tell_like(iri_judge_t *judge, const iri_confusables_t *look,
                    size_t offset)
{
    const unsigned char *p = judge->plain.data, *end = p + judge->plain.len;
    iri_buf_t            like = IRI_BUF_EMPTY;
    iri_str_t            one;
    iri_status_t         status = IRI_OK;
    uint32_t             c;

    for (/* void */; status == IRI_OK && p < end; p += one.len) {
        one.data = p;
        one.len = iri_utf8_next(p, end, &c);

        if (c < 0x80) {
            status = iri_buf_putc(judge->env, &like, *p);
        } else {
            iri_str_t skeleton;

            status = iri_skeleton(judge->env, look, one, &skeleton);
            if (status == IRI_OK) {
                status = iri_buf_put(judge->env, &like, skeleton.data,
                                     skeleton.len);
            }
        }
    }

    if (status == IRI_OK) {
        judge->warning.like = iri_buf_str(&like);
        status = iri_judge_tell(judge, IRI_WARN_LOOK_ALIKE, offset, 0);
        judge->warning.like.len = 0;
    }

    return status;
}


static iri_status_t
iri_judge_scripts(iri_judge_t *judge, const iri_confusables_t *look,
                  size_t offset)
{
    UErrorCode   error = U_ZERO_ERROR;
    iri_str_t    plain = iri_buf_str(&judge->plain), skeleton;
    iri_status_t status = IRI_OK;
    int32_t      found;

    /* These are of no script at all. */
    if (judge->told & (1u << IRI_WARN_PRIVATE | 1u << IRI_WARN_TAG)) {
        return IRI_OK;
    }

    found = uspoof_checkUTF8(look->scripts, (const char *) plain.data,
                             (int32_t) plain.len, NULL, &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    if (found & (USPOOF_RESTRICTION_LEVEL | USPOOF_MIXED_NUMBERS)) {
        status = iri_judge_tell(judge, IRI_WARN_MIXED_SCRIPTS, offset, 0);
    }

    /* A character that was told of is enough of a reason. */
    if (status != IRI_OK
        || (judge->told
            & (1u << IRI_WARN_LOOKS_LIKE | 1u << IRI_WARN_WIDTH
               | 1u << IRI_WARN_INVISIBLE | 1u << IRI_WARN_COMPATIBILITY
               | 1u << IRI_WARN_LOOK_ALIKE)))
    {
        return status;
    }

    status = iri_skeleton(judge->env, look, plain, &skeleton);

    return status == IRI_OK && skeleton.len != 0 && iri_is_graphic(skeleton)
               ? iri_judge_tell_like(judge, look, offset)
               : status;
}


static iri_status_t
iri_judge_all(iri_judge_t *judge, const iri_confusables_t *look,
              iri_word_t *piece)
{
    size_t       offset = (size_t) (piece->text.data - judge->text.data);
    iri_status_t status;

    judge->warning.component = piece->component;
    judge->warning.piece = piece->text;
    judge->told = judge->never;
    judge->before = 0;
    judge->other = 0;
    judge->marks = 0;
    judge->heaped = 0;
    judge->plain.len = 0;

    status = iri_judge_piece(judge, piece->text);

    if (status == IRI_OK && judge->other) {
        status = iri_judge_nfc(judge, offset);

        /* ICU sorts marks by insertion. */
        if (status == IRI_OK && look != NULL && !judge->heaped) {
            status = iri_judge_scripts(judge, look, offset);
        }
    }

    return status;
}


iri_status_t
iri_characters_check(const iri_env_t *env, const iri_confusables_t *look,
                     iri_str_t text, iri_warn_t warn, void *arg)
{
    return iri_characters_but(env, look, 0, text, warn, arg);
}


iri_status_t
iri_characters_but(const iri_env_t *env, const iri_confusables_t *look,
                   unsigned never, iri_str_t text, iri_warn_t warn, void *arg)
{
    iri_judge_t  judge;
    iri_words_t  pieces;
    iri_word_t   piece;
    iri_status_t status = IRI_OK;

    if (text.len > IRI_MAX_TEXT) {
        return IRI_OK;
    }

    text = iri_solid(text);
    memset(&judge, 0, sizeof(judge));
    judge.env = env;
    judge.never = never;
    judge.text = text;
    judge.warn = warn;
    judge.arg = arg;

    iri_words(text, &pieces);

    while (status == IRI_OK && iri_words_next(&pieces, &piece)) {
        status = iri_judge_all(&judge, look, &piece);
    }

    return status;
}
