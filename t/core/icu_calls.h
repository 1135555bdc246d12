/*
 * icu_calls.h - the functions of ICU that report an error
 *
 * Included where they are replaced by functions that fail: fault.c, and
 * t/torture/fail.c. There these macros are defined:
 *
 *     FAILS(type, failed, name, parameters, arguments)
 *     OPENS(type, counter, heap, name, parameters, arguments)
 *     CLOSES(type, counter, name)
 */

FAILS(void, (void) 0, u_init, (UErrorCode *error), (error))

/* charsets */
OPENS(UConverter, converters, 1, ucnv_open,
      (const char *name, UErrorCode *error), (name, error))
CLOSES(UConverter, converters, ucnv_close)
FAILS(void, (void) 0, ucnv_setToUCallBack,
      (UConverter *converter, UConverterToUCallback action, const void *ctx,
       UConverterToUCallback *old, const void **old_ctx, UErrorCode *error),
      (converter, action, ctx, old, old_ctx, error))
FAILS(void, (void) 0, ucnv_toUnicode,
      (UConverter *converter, UChar **to, const UChar *to_end,
       const char **from, const char *from_end, int32_t *offsets, UBool flush,
       UErrorCode *error),
      (converter, to, to_end, from, from_end, offsets, flush, error))

/* characters */
FAILS(const UNormalizer2 *, NULL, unorm2_getNFCInstance,
      (UErrorCode *error), (error))
FAILS(const UNormalizer2 *, NULL, unorm2_getNFDInstance,
      (UErrorCode *error), (error))
FAILS(const UNormalizer2 *, NULL, unorm2_getNFKCInstance,
      (UErrorCode *error), (error))
FAILS(int32_t, 0, unorm2_normalize,
      (const UNormalizer2 *normalizer, const UChar *from, int32_t len,
       UChar *to, int32_t size, UErrorCode *error),
      (normalizer, from, len, to, size, error))
FAILS(int32_t, 0, unorm2_getRawDecomposition,
      (const UNormalizer2 *normalizer, UChar32 c, UChar *to, int32_t size,
       UErrorCode *error),
      (normalizer, c, to, size, error))
FAILS(int32_t, 0, unorm2_spanQuickCheckYes,
      (const UNormalizer2 *normalizer, const UChar *from, int32_t len,
       UErrorCode *error),
      (normalizer, from, len, error))
FAILS(UChar *, NULL, u_strFromUTF8,
      (UChar *to, int32_t size, int32_t *len, const char *from,
       int32_t from_len, UErrorCode *error),
      (to, size, len, from, from_len, error))
FAILS(char *, NULL, u_strToUTF8,
      (char *to, int32_t size, int32_t *len, const UChar *from,
       int32_t from_len, UErrorCode *error),
      (to, size, len, from, from_len, error))
FAILS(int32_t, 0, u_strFoldCase,
      (UChar *to, int32_t size, const UChar *from, int32_t len,
       uint32_t options, UErrorCode *error),
      (to, size, from, len, options, error))
FAILS(UScriptCode, USCRIPT_INVALID_CODE, uscript_getScript,
      (UChar32 c, UErrorCode *error), (c, error))
OPENS(UBreakIterator, blocks, 1, ubrk_open,
      (UBreakIteratorType type, const char *locale, const UChar *text,
       int32_t len, UErrorCode *error),
      (type, locale, text, len, error))
CLOSES(UBreakIterator, blocks, ubrk_close)
FAILS(void, (void) 0, ubrk_setUText,
      (UBreakIterator *iterator, UText *text, UErrorCode *error),
      (iterator, text, error))
FAILS(UText *, text, utext_openUTF8,
      (UText *text, const char *from, int64_t len, UErrorCode *error),
      (text, from, len, error))

/* the order of names: see ucol_open */
CLOSES(UCollator, collators, ucol_close)
FAILS(void, (void) 0, ucol_setAttribute,
      (UCollator *collator, UColAttribute attribute, UColAttributeValue value,
       UErrorCode *error),
      (collator, attribute, value, error))

/* alphabets */
OPENS(ULocaleData, alphabets, 0, ulocdata_open,
      (const char *name, UErrorCode *error), (name, error))
CLOSES(ULocaleData, alphabets, ulocdata_close)
OPENS(USet, alphabets, 0, ulocdata_getExemplarSet,
      (ULocaleData *data, USet *fill, uint32_t options,
       ULocaleDataExemplarSetType type, UErrorCode *error),
      (data, fill, options, type, error))
CLOSES(USet, alphabets, uset_close)

/* look-alikes, direction */
OPENS(USpoofChecker, checkers, 0, uspoof_open, (UErrorCode *error), (error))
CLOSES(USpoofChecker, checkers, uspoof_close)
FAILS(void, (void) 0, uspoof_setChecks,
      (USpoofChecker *checker, int32_t checks, UErrorCode *error),
      (checker, checks, error))
FAILS(int32_t, 0, uspoof_checkUTF8,
      (const USpoofChecker *checker, const char *text, int32_t len,
       int32_t *at, UErrorCode *error),
      (checker, text, len, at, error))
FAILS(int32_t, 0, uspoof_getSkeletonUTF8,
      (const USpoofChecker *checker, uint32_t type, const char *text,
       int32_t len, char *to, int32_t size, UErrorCode *error),
      (checker, type, text, len, to, size, error))
FAILS(void, (void) 0, ubidi_setPara,
      (UBiDi *bidi, const UChar *text, int32_t len, UBiDiLevel level,
       UBiDiLevel *levels, UErrorCode *error),
      (bidi, text, len, level, levels, error))
FAILS(int32_t, 0, ubidi_writeReordered,
      (UBiDi *bidi, UChar *to, int32_t size, uint16_t options,
       UErrorCode *error),
      (bidi, to, size, options, error))

/* names of hosts */
OPENS(UIDNA, rules, 1, uidna_openUTS46,
      (uint32_t options, UErrorCode *error), (options, error))
CLOSES(UIDNA, rules, uidna_close)
FAILS(int32_t, 0, uidna_nameToASCII_UTF8,
      (const UIDNA *rules, const char *from, int32_t len, char *to,
       int32_t size, UIDNAInfo *info, UErrorCode *error),
      (rules, from, len, to, size, info, error))
FAILS(int32_t, 0, uidna_nameToUnicodeUTF8,
      (const UIDNA *rules, const char *from, int32_t len, char *to,
       int32_t size, UIDNAInfo *info, UErrorCode *error),
      (rules, from, len, to, size, info, error))
