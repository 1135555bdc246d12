/*
 * iri_characters.c - warnings about characters that an IRI should not have
 *
 * An IRI -> warnings by draft 2.3 (NFC), 5.1 (errors in transcription) and 6.5
 * (NFKC, look-alikes, mixed scripts).  The draft only advises against these
 * characters, so the IRI stays valid.  ICU implements UTS #39, which defines
 * look-alikes and the scripts that may be mixed.
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>

#include "iri_ref.h"
#include "unicode/iri_unicode.h"
#include "iriref/iri_iriref.h"

static const char *const iri_warning_texts[IRI_WARNINGS] = {
    "letters of both directions",
    "does not begin and end with a right-to-left letter",
    "ASCII that a URI must not contain",
    "a look-alike of space or of a delimiter",
    "a full-width or half-width form",
    "an invisible character",
    "a tag character",
    "a private-use character",
    "not in NFC",
    "not in NFKC",
    "a mixture of scripts that no language uses",
    "looks like a word in ASCII"
};


const char *
iri_warning_text(iri_warning_kind_t kind)
{
    return kind < IRI_WARNINGS ? iri_warning_texts[kind] : "unknown";
}


/* ---- the rules of ICU ---------------------------------------------------- */

iri_confusables_t *
iri_confusables_create(void)
{
    UErrorCode     error = U_ZERO_ERROR;
    USpoofChecker *confusables = uspoof_open(&error);

    if (U_FAILURE(error)) {
        return NULL;
    }

    uspoof_setChecks(confusables,
                     USPOOF_RESTRICTION_LEVEL | USPOOF_MIXED_NUMBERS, &error);
    /* This level allows Latin together with the scripts of Japanese, Chinese
       or Korean. */
    uspoof_setRestrictionLevel(confusables, USPOOF_HIGHLY_RESTRICTIVE);

    if (U_FAILURE(error)) {
        uspoof_close(confusables);
        return NULL;
    }

    return confusables;
}


void
iri_confusables_destroy(iri_confusables_t *confusables)
{
    if (confusables != NULL) {
        uspoof_close(confusables);
    }
}


/* ---- one character ------------------------------------------------------- */

/* The state of the check of one text, piece by piece. */
typedef struct {
    const iri_env_t *env;
    iri_str_t        text;
    iri_warn_t       warn;
    void            *arg;
    iri_warning_t    warning;
    unsigned         reported; /* kinds not to report again for this piece */
    uint32_t         previous; /* the preceding character; 0: none */
    iri_buf_t        decoded;  /* the piece with escapes of UTF-8 decoded */
    int    has_non_ascii;      /* the piece has a character above U+007F */
    size_t marks;              /* combining marks in a row up to here */
    int    too_many_marks;     /* marks exceeded IRI_MAX_MARKS */
} iri_checker_t;


static iri_status_t
iri_checker_warn(iri_checker_t *checker, iri_warning_kind_t kind,
                 size_t offset, uint32_t c)
{
    if (checker->reported & 1u << kind) {
        return IRI_OK;
    }

    checker->reported |= 1u << kind;
    checker->warning.kind = kind;
    checker->warning.offset = offset;
    checker->warning.character = c;

    return checker->warn(checker->arg, &checker->warning);
}


/* Letters of ordinary words; UTS #31, 5.1.4 lists those of Thai and Lao. */
static int
iri_char_is_compatibility_letter(uint32_t c)
{
    return c == 0x0587                    /* Armenian ECH YIWN */
           || c == 0x0e33                 /* Thai SARA AM */
           || c == 0x0eb3                 /* Lao AM */
           || c == 0x0edc || c == 0x0edd; /* Lao HO NO, HO MO */
}


int
iri_char_is_compatibility(uint32_t c)
{
    return u_getIntPropertyValue((UChar32) c, UCHAR_NFKC_QUICK_CHECK)
               == UNORM_NO
           && !iri_char_is_compatibility_letter(c);
}


int
iri_has_dotless_i(iri_str_t text)
{
    size_t i;

    for (i = 1; i < text.len; i++) {
        if (text.data[i - 1] == 0xc4 && text.data[i] == 0xb1) {
            return 1;
        }
    }

    return 0;
}


/* The warning for a character by itself; IRI_WARNINGS: none. */
static iri_warning_kind_t
iri_character_warning(uint32_t before, uint32_t c, uint32_t after)
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
        return iri_is_orthographic(before, c, after) ? IRI_WARNINGS
                                                     : IRI_WARN_INVISIBLE;
    }

    return iri_char_is_discouraged(c) ? IRI_WARN_LOOKS_LIKE : IRI_WARNINGS;
}


static iri_status_t
iri_checker_character(iri_checker_t *checker, uint32_t c, uint32_t after,
                      size_t offset)
{
    iri_warning_kind_t kind;
    iri_status_t       status = IRI_OK;

    kind = iri_character_warning(checker->previous, c, after);

    checker->previous = c;
    checker->has_non_ascii = 1;
    checker->marks = iri_char_is_mark(c) ? checker->marks + 1 : 0;
    checker->too_many_marks |= checker->marks > IRI_MAX_MARKS;

    if (kind != IRI_WARNINGS) {
        return iri_checker_warn(checker, kind, offset, c);
    }

    if (u_getIntPropertyValue((UChar32) c, UCHAR_NFC_QUICK_CHECK) == UNORM_NO)
    {
        status = iri_checker_warn(checker, IRI_WARN_NOT_NFC, offset, c);

    } else if (iri_char_is_compatibility(c)) {
        status = iri_checker_warn(checker, IRI_WARN_COMPATIBILITY, offset, c);
    }

    return status;
}


static iri_status_t
iri_checker_ascii(iri_checker_t *checker, unsigned char c, size_t offset)
{
    checker->previous = c;
    checker->marks = 0;

    return iri_octet_is(c, IRI_OCTET_IADDITIONAL)
               ? iri_checker_warn(checker, IRI_WARN_EXCLUDED, offset, c)
               : IRI_OK;
}


/* The character at p, raw or escaped; 0: ASCII, not UTF-8, or the end. */
static uint32_t
iri_character_after(const unsigned char *p, const unsigned char *end)
{
    unsigned char octets[4];
    uint32_t      c;
    size_t        len;

    return p < end && iri_character_at(p, end, &c, octets, &len) != 0 ? c : 0;
}


/* Check each character of a piece, and collect them in checker->decoded. */
static iri_status_t
iri_checker_characters(iri_checker_t *checker, iri_str_t piece)
{
    const unsigned char *p = piece.data, *end = p + piece.len;
    iri_status_t         status = IRI_OK;
    unsigned char        octets[4];
    uint32_t             c;
    size_t               n, len, offset;

    while (status == IRI_OK && p < end) {
        offset = (size_t) (p - checker->text.data);
        n = iri_character_at(p, end, &c, octets, &len);

        if (n != 0) {
            status = iri_buf_put(checker->env, &checker->decoded, octets,
                                 len);
            if (status == IRI_OK) {
                status = iri_checker_character(
                    checker, c, iri_character_after(p + n, end), offset);
            }
            p += n;
            continue;
        }

        if (*p < 0x80) {
            status = iri_buf_putc(checker->env, &checker->decoded, *p);
            if (status == IRI_OK) {
                status = iri_checker_ascii(checker, *p, offset);
            }
        }

        p++;
    }

    return status;
}


/* ---- a piece as a whole -------------------------------------------------- */

/* A sequence may be not in NFC although each of its characters is. */
static iri_status_t
iri_checker_nfc(iri_checker_t *checker, size_t offset)
{
    iri_buf_t    nfc = IRI_BUF_EMPTY;
    iri_str_t    decoded = iri_buf_str(&checker->decoded);
    iri_status_t status;

    if (checker->reported & 1u << IRI_WARN_NOT_NFC) {
        return IRI_OK;
    }

    status = iri_nfc_put_text(checker->env, decoded, &nfc);

    if (status != IRI_OK || iri_str_equal(iri_buf_str(&nfc), decoded)) {
        return status;
    }

    return iri_checker_warn(checker, IRI_WARN_NOT_NFC, offset, 0);
}


iri_status_t
iri_skeleton(const iri_env_t *env, const iri_confusables_t *confusables,
             iri_str_t text, iri_str_t *out)
{
    UErrorCode error;
    char      *skeleton;
    int32_t    len = (int32_t) text.len, size, count;

    /* Most skeletons are not much longer than the text. */
    for (size = len + len / 2 + 16;; size = count + 1) {
        error = U_ZERO_ERROR;
        skeleton = env->alloc(env->ctx, (size_t) size);
        if (skeleton == NULL) {
            return IRI_NO_MEMORY;
        }

        count = uspoof_getSkeletonUTF8(confusables, 0,
                                       (const char *) text.data, len,
                                       skeleton, size, &error);
        if (error != U_BUFFER_OVERFLOW_ERROR) {
            break;
        }
    }

    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    out->data = (const unsigned char *) skeleton;
    out->len = (size_t) count;

    return IRI_OK;
}


/*
 * Warn that a piece looks like an ASCII word.  Only characters above U+007F
 * are replaced, since the skeleton of "m" is "rn".
 */
static iri_status_t
iri_checker_warn_look_alike(iri_checker_t           *checker,
                            const iri_confusables_t *confusables,
                            size_t                   offset)
{
    const unsigned char *p = checker->decoded.data,
                        *end = p + checker->decoded.len;
    iri_buf_t    like = IRI_BUF_EMPTY;
    iri_str_t    one;
    iri_status_t status = IRI_OK;
    uint32_t     c;

    for (/* void */; status == IRI_OK && p < end; p += one.len) {
        one.data = p;
        one.len = iri_utf8_next(p, end, &c);

        if (c < 0x80) {
            status = iri_buf_putc(checker->env, &like, *p);
        } else {
            iri_str_t skeleton;

            status = iri_skeleton(checker->env, confusables, one, &skeleton);
            if (status == IRI_OK) {
                status = iri_buf_put(checker->env, &like, skeleton.data,
                                     skeleton.len);
            }
        }
    }

    if (status == IRI_OK) {
        checker->warning.like = iri_buf_str(&like);
        status = iri_checker_warn(checker, IRI_WARN_LOOK_ALIKE, offset, 0);
        checker->warning.like.len = 0;
    }

    return status;
}


static iri_status_t
iri_checker_scripts(iri_checker_t           *checker,
                    const iri_confusables_t *confusables, size_t offset)
{
    UErrorCode   error = U_ZERO_ERROR;
    iri_str_t    decoded = iri_buf_str(&checker->decoded), skeleton;
    iri_status_t status = IRI_OK;
    int32_t      found;

    /* Private use and tag characters have no script. */
    if (checker->reported & (1u << IRI_WARN_PRIVATE | 1u << IRI_WARN_TAG)) {
        return IRI_OK;
    }

    found = uspoof_checkUTF8(confusables, (const char *) decoded.data,
                             (int32_t) decoded.len, NULL, &error);
    if (U_FAILURE(error)) {
        return IRI_ICU_FAILED;
    }

    if (found & (USPOOF_RESTRICTION_LEVEL | USPOOF_MIXED_NUMBERS)) {
        status = iri_checker_warn(checker, IRI_WARN_MIXED_SCRIPTS, offset, 0);
    }

    /* Skip the check of the piece if one of its characters was reported. */
    if (status != IRI_OK || iri_has_dotless_i(decoded)
        || (checker->reported
            & (1u << IRI_WARN_LOOKS_LIKE | 1u << IRI_WARN_WIDTH
               | 1u << IRI_WARN_INVISIBLE | 1u << IRI_WARN_COMPATIBILITY
               | 1u << IRI_WARN_LOOK_ALIKE)))
    {
        return status;
    }

    status = iri_skeleton(checker->env, confusables, decoded, &skeleton);

    return status == IRI_OK && skeleton.len != 0 && iri_is_graphic(skeleton)
               ? iri_checker_warn_look_alike(checker, confusables, offset)
               : status;
}


static iri_status_t
iri_checker_piece(iri_checker_t           *checker,
                  const iri_confusables_t *confusables, iri_piece_t *piece)
{
    size_t       offset = (size_t) (piece->text.data - checker->text.data);
    iri_status_t status;

    checker->warning.component = piece->component;
    checker->warning.piece = piece->text;
    checker->reported = 0;
    checker->previous = 0;
    checker->has_non_ascii = 0;
    checker->marks = 0;
    checker->too_many_marks = 0;
    checker->decoded.len = 0;

    status = iri_checker_characters(checker, piece->text);

    if (status == IRI_OK && checker->has_non_ascii) {
        status = iri_checker_nfc(checker, offset);

        /* ICU sorts marks by insertion, in quadratic time. */
        if (status == IRI_OK && confusables != NULL
            && !checker->too_many_marks) {
            status = iri_checker_scripts(checker, confusables, offset);
        }
    }

    return status;
}


iri_status_t
iri_characters_check(const iri_env_t         *env,
                     const iri_confusables_t *confusables, iri_str_t text,
                     iri_warn_t warn, void *arg)
{
    iri_checker_t checker;
    iri_pieces_t  pieces;
    iri_piece_t   piece;
    iri_status_t  status = IRI_OK;

    if (text.len > IRI_MAX_TEXT) {
        return IRI_OK;
    }

    text = iri_str_non_null(text);
    memset(&checker, 0, sizeof(checker));
    checker.env = env;
    checker.text = text;
    checker.warn = warn;
    checker.arg = arg;

    iri_pieces_init(text, &pieces);

    while (status == IRI_OK && iri_pieces_next(&pieces, &piece)) {
        status = iri_checker_piece(&checker, confusables, &piece);
    }

    return status;
}
