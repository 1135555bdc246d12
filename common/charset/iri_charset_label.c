/*
 * iri_charset_label.c - from a label in a configuration to an ICU converter
 *
 * Maps the labels of the WHATWG Encoding Standard, and some other common names,
 * to the ICU converter whose table is that of the standard or nearest to it
 * (iri_charset_amended.c has the differences).  ucnv_open is never called with
 * a label: ICU's "cp949" is not the standard's, and decodes 82 to a backslash.
 */

#include "charset/iri_charset.h"


/* *INDENT-OFF* */
/* clang-format off */

enum {
    IRI_UTF_8,
    IRI_IBM866,
    IRI_ISO_8859_2,
    IRI_ISO_8859_3,
    IRI_ISO_8859_4,
    IRI_ISO_8859_5,
    IRI_ISO_8859_6,
    IRI_ISO_8859_7,
    IRI_ISO_8859_8,
    IRI_ISO_8859_8_I,
    IRI_ISO_8859_10,
    IRI_ISO_8859_13,
    IRI_ISO_8859_14,
    IRI_ISO_8859_15,
    IRI_ISO_8859_16,
    IRI_KOI8_R,
    IRI_KOI8_U,
    IRI_MACINTOSH,
    IRI_WINDOWS_874,
    IRI_WINDOWS_1250,
    IRI_WINDOWS_1251,
    IRI_WINDOWS_1252,
    IRI_WINDOWS_1253,
    IRI_WINDOWS_1254,
    IRI_WINDOWS_1255,
    IRI_WINDOWS_1256,
    IRI_WINDOWS_1257,
    IRI_WINDOWS_1258,
    IRI_X_MAC_CYRILLIC,
    IRI_GBK,
    IRI_GB18030,
    IRI_BIG5,
    IRI_EUC_JP,
    IRI_ISO_2022_JP,
    IRI_SHIFT_JIS,
    IRI_EUC_KR,
    IRI_REPLACEMENT,
    IRI_UTF_16BE,
    IRI_UTF_16LE,
    IRI_X_USER_DEFINED,
    IRI_UTF_7,
    IRI_UTF_32
};


static const char iri_refused_stateful[] =
    "has states, so that a segment cannot be decoded by itself";
static const char iri_refused_wide[] =
    "encodes an ASCII character in more than one octet";

/* The standard encodes the euro sign as A2 E3, in GBK as 80. */
static const iri_sequence_range_t iri_secondary_gb18030[] = {
    { 0x80, 0x80 }, { 0, 0 }
};

/*
 * The standard's encoder uses no sequence of HKSCS with a lead below A1, and
 * for six characters the second of their sequences.  Characters that only HKSCS
 * has are encoded here, because a name on disk is found only if it can be
 * encoded.
 */
static const iri_sequence_range_t iri_secondary_big5[] = {
    { 0x8740, 0xa0fe }, { 0xa2a4, 0xa2a7 }, { 0xa2cc, 0xa2cc },
    { 0xa2ce, 0xa2ce }, { 0, 0 }
};

/* JIS X 0212, which the standard only decodes. */
static const iri_sequence_range_t iri_secondary_euc_jp[] = {
    { 0x8fa1a1, 0x8ffefe }, { 0, 0 }
};

/* NEC's copy of IBM's characters, pointers 8272 to 8835. */
static const iri_sequence_range_t iri_secondary_shift_jis[] = {
    { 0xed40, 0xeefc }, { 0, 0 }
};

static const iri_sequences_t iri_sequences_gbk = {
    0x40, 0xfe, 0, IRI_GB18030_FOUR_DECODED, NULL };
static const iri_sequences_t iri_sequences_gb18030 = {
    0x40, 0xfe, 0, IRI_GB18030_FOUR_ENCODED, iri_secondary_gb18030 };
static const iri_sequences_t iri_sequences_big5 = {
    0x40, 0xfe, 0, IRI_GB18030_FOUR_NONE, iri_secondary_big5 };
static const iri_sequences_t iri_sequences_euc_jp = {
    0xa1, 0xfe, 0x8f, IRI_GB18030_FOUR_NONE, iri_secondary_euc_jp };
static const iri_sequences_t iri_sequences_shift_jis = {
    0x40, 0xfc, 0, IRI_GB18030_FOUR_NONE, iri_secondary_shift_jis };
static const iri_sequences_t iri_sequences_euc_kr = {
    0x41, 0xfe, 0, IRI_GB18030_FOUR_NONE, NULL };

static const iri_encoding_t iri_encodings[] = {
    { "UTF-8", NULL, NULL, 0, 0, NULL, NULL },
    { "IBM866", "ibm-866_P100-1995", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-2", "ibm-912_P100-1995", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-3", "ibm-913_P100-2000", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-4", "ibm-914_P100-1995", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-5", "ibm-915_P100-1995", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-6", "ibm-1089_P100-1995", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-7", "ibm-9005_X110-2007", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-8", "ibm-5012_P100-1999", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-8-I", "ibm-5012_P100-1999", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-10", "iso-8859_10-1998", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-13", "ibm-921_P100-1995", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-14", "iso-8859_14-1998", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-15", "ibm-923_P100-1998", NULL, 0, 0, NULL, NULL },
    { "ISO-8859-16", "ibm-912_P100-1995", NULL, 0, 0,
      iri_amended_iso_8859_16, NULL },
    { "KOI8-R", "ibm-878_P100-1996", NULL, 0, 0, NULL, NULL },
    { "KOI8-U", "ibm-1168_P100-2002", NULL, 0, 0, iri_amended_koi8_u, NULL },
    { "macintosh", "macos-0_2-10.2", NULL, 0, 0,
      iri_amended_macintosh, NULL },
    { "windows-874", "windows-874-2000", NULL, 0, 0, NULL, NULL },
    { "windows-1250", "ibm-5346_P100-1998", NULL, 0, 0, NULL, NULL },
    { "windows-1251", "ibm-5347_P100-1998", NULL, 0, 0, NULL, NULL },
    { "windows-1252", "ibm-5348_P100-1997", NULL, 0, 0, NULL, NULL },
    { "windows-1253", "ibm-5349_P100-1998", NULL, 0, 0,
      iri_amended_windows_1253, NULL },
    { "windows-1254", "ibm-5350_P100-1998", NULL, 0, 0, NULL, NULL },
    { "windows-1255", "ibm-9447_P100-2002", NULL, 0, 0,
      iri_amended_windows_1255, NULL },
    { "windows-1256", "ibm-9448_X100-2005", NULL, 0, 0, NULL, NULL },
    { "windows-1257", "ibm-9449_P100-2002", NULL, 0, 0, NULL, NULL },
    { "windows-1258", "ibm-5354_P100-1998", NULL, 0, 0, NULL, NULL },
    { "x-mac-cyrillic", "macos-7_3-10.2", NULL, 0, 0, NULL, NULL },
    { "GBK", "gb18030", NULL, 0, 1, iri_amended_gb18030, &iri_sequences_gbk },
    { "gb18030", "gb18030", NULL, 0, 1,
      iri_amended_gb18030, &iri_sequences_gb18030 },
    { "Big5", "ibm-1375_P100-2008", NULL, 0, 0,
      iri_amended_big5, &iri_sequences_big5 },
    { "EUC-JP", "euc-jp-2007", NULL, 1, 0,
      iri_amended_euc_jp, &iri_sequences_euc_jp },
    { "ISO-2022-JP", NULL, iri_refused_stateful, 0, 0, NULL, NULL },
    { "Shift_JIS", "ibm-943_P15A-2003", NULL, 1, 1,
      NULL, &iri_sequences_shift_jis },
    { "EUC-KR", "windows-949-2000", NULL, 0, 0,
      NULL, &iri_sequences_euc_kr },
    { "replacement", NULL, iri_refused_stateful, 0, 0, NULL, NULL },
    { "UTF-16BE", NULL, iri_refused_wide, 0, 0, NULL, NULL },
    { "UTF-16LE", NULL, iri_refused_wide, 0, 0, NULL, NULL },
    { "x-user-defined", NULL, "decodes to private-use characters only", 0, 0,
      NULL, NULL },
    { "UTF-7", NULL, "encodes \"/\" in several ways", 0, 0,
      NULL, NULL },
    { "UTF-32", NULL, iri_refused_wide, 0, 0, NULL, NULL },
};


static const struct {
    const char *label;
    int         encoding;
} iri_labels[] = {
    { "unicode-1-1-utf-8", IRI_UTF_8 },
    { "unicode11utf8", IRI_UTF_8 },
    { "unicode20utf8", IRI_UTF_8 },
    { "utf-8", IRI_UTF_8 },
    { "utf8", IRI_UTF_8 },
    { "x-unicode20utf8", IRI_UTF_8 },
    { "866", IRI_IBM866 },
    { "cp866", IRI_IBM866 },
    { "csibm866", IRI_IBM866 },
    { "ibm866", IRI_IBM866 },
    { "csisolatin2", IRI_ISO_8859_2 },
    { "iso-8859-2", IRI_ISO_8859_2 },
    { "iso-ir-101", IRI_ISO_8859_2 },
    { "iso8859-2", IRI_ISO_8859_2 },
    { "iso88592", IRI_ISO_8859_2 },
    { "iso_8859-2", IRI_ISO_8859_2 },
    { "iso_8859-2:1987", IRI_ISO_8859_2 },
    { "l2", IRI_ISO_8859_2 },
    { "latin2", IRI_ISO_8859_2 },
    { "csisolatin3", IRI_ISO_8859_3 },
    { "iso-8859-3", IRI_ISO_8859_3 },
    { "iso-ir-109", IRI_ISO_8859_3 },
    { "iso8859-3", IRI_ISO_8859_3 },
    { "iso88593", IRI_ISO_8859_3 },
    { "iso_8859-3", IRI_ISO_8859_3 },
    { "iso_8859-3:1988", IRI_ISO_8859_3 },
    { "l3", IRI_ISO_8859_3 },
    { "latin3", IRI_ISO_8859_3 },
    { "csisolatin4", IRI_ISO_8859_4 },
    { "iso-8859-4", IRI_ISO_8859_4 },
    { "iso-ir-110", IRI_ISO_8859_4 },
    { "iso8859-4", IRI_ISO_8859_4 },
    { "iso88594", IRI_ISO_8859_4 },
    { "iso_8859-4", IRI_ISO_8859_4 },
    { "iso_8859-4:1988", IRI_ISO_8859_4 },
    { "l4", IRI_ISO_8859_4 },
    { "latin4", IRI_ISO_8859_4 },
    { "csisolatincyrillic", IRI_ISO_8859_5 },
    { "cyrillic", IRI_ISO_8859_5 },
    { "iso-8859-5", IRI_ISO_8859_5 },
    { "iso-ir-144", IRI_ISO_8859_5 },
    { "iso8859-5", IRI_ISO_8859_5 },
    { "iso88595", IRI_ISO_8859_5 },
    { "iso_8859-5", IRI_ISO_8859_5 },
    { "iso_8859-5:1988", IRI_ISO_8859_5 },
    { "arabic", IRI_ISO_8859_6 },
    { "asmo-708", IRI_ISO_8859_6 },
    { "csiso88596e", IRI_ISO_8859_6 },
    { "csiso88596i", IRI_ISO_8859_6 },
    { "csisolatinarabic", IRI_ISO_8859_6 },
    { "ecma-114", IRI_ISO_8859_6 },
    { "iso-8859-6", IRI_ISO_8859_6 },
    { "iso-8859-6-e", IRI_ISO_8859_6 },
    { "iso-8859-6-i", IRI_ISO_8859_6 },
    { "iso-ir-127", IRI_ISO_8859_6 },
    { "iso8859-6", IRI_ISO_8859_6 },
    { "iso88596", IRI_ISO_8859_6 },
    { "iso_8859-6", IRI_ISO_8859_6 },
    { "iso_8859-6:1987", IRI_ISO_8859_6 },
    { "csisolatingreek", IRI_ISO_8859_7 },
    { "ecma-118", IRI_ISO_8859_7 },
    { "elot_928", IRI_ISO_8859_7 },
    { "greek", IRI_ISO_8859_7 },
    { "greek8", IRI_ISO_8859_7 },
    { "iso-8859-7", IRI_ISO_8859_7 },
    { "iso-ir-126", IRI_ISO_8859_7 },
    { "iso8859-7", IRI_ISO_8859_7 },
    { "iso88597", IRI_ISO_8859_7 },
    { "iso_8859-7", IRI_ISO_8859_7 },
    { "iso_8859-7:1987", IRI_ISO_8859_7 },
    { "sun_eu_greek", IRI_ISO_8859_7 },
    { "csiso88598e", IRI_ISO_8859_8 },
    { "csisolatinhebrew", IRI_ISO_8859_8 },
    { "hebrew", IRI_ISO_8859_8 },
    { "iso-8859-8", IRI_ISO_8859_8 },
    { "iso-8859-8-e", IRI_ISO_8859_8 },
    { "iso-ir-138", IRI_ISO_8859_8 },
    { "iso8859-8", IRI_ISO_8859_8 },
    { "iso88598", IRI_ISO_8859_8 },
    { "iso_8859-8", IRI_ISO_8859_8 },
    { "iso_8859-8:1988", IRI_ISO_8859_8 },
    { "visual", IRI_ISO_8859_8 },
    { "csiso88598i", IRI_ISO_8859_8_I },
    { "iso-8859-8-i", IRI_ISO_8859_8_I },
    { "logical", IRI_ISO_8859_8_I },
    { "csisolatin6", IRI_ISO_8859_10 },
    { "iso-8859-10", IRI_ISO_8859_10 },
    { "iso-ir-157", IRI_ISO_8859_10 },
    { "iso8859-10", IRI_ISO_8859_10 },
    { "iso885910", IRI_ISO_8859_10 },
    { "l6", IRI_ISO_8859_10 },
    { "latin6", IRI_ISO_8859_10 },
    { "iso-8859-13", IRI_ISO_8859_13 },
    { "iso8859-13", IRI_ISO_8859_13 },
    { "iso885913", IRI_ISO_8859_13 },
    { "iso-8859-14", IRI_ISO_8859_14 },
    { "iso8859-14", IRI_ISO_8859_14 },
    { "iso885914", IRI_ISO_8859_14 },
    { "csisolatin9", IRI_ISO_8859_15 },
    { "iso-8859-15", IRI_ISO_8859_15 },
    { "iso8859-15", IRI_ISO_8859_15 },
    { "iso885915", IRI_ISO_8859_15 },
    { "iso_8859-15", IRI_ISO_8859_15 },
    { "l9", IRI_ISO_8859_15 },
    { "iso-8859-16", IRI_ISO_8859_16 },
    { "cskoi8r", IRI_KOI8_R },
    { "koi", IRI_KOI8_R },
    { "koi8", IRI_KOI8_R },
    { "koi8-r", IRI_KOI8_R },
    { "koi8_r", IRI_KOI8_R },
    { "koi8-ru", IRI_KOI8_U },
    { "koi8-u", IRI_KOI8_U },
    { "csmacintosh", IRI_MACINTOSH },
    { "mac", IRI_MACINTOSH },
    { "macintosh", IRI_MACINTOSH },
    { "x-mac-roman", IRI_MACINTOSH },
    { "dos-874", IRI_WINDOWS_874 },
    { "iso-8859-11", IRI_WINDOWS_874 },
    { "iso8859-11", IRI_WINDOWS_874 },
    { "iso885911", IRI_WINDOWS_874 },
    { "tis-620", IRI_WINDOWS_874 },
    { "windows-874", IRI_WINDOWS_874 },
    { "cp874", IRI_WINDOWS_874 },
    { "cp1250", IRI_WINDOWS_1250 },
    { "windows-1250", IRI_WINDOWS_1250 },
    { "x-cp1250", IRI_WINDOWS_1250 },
    { "cp1251", IRI_WINDOWS_1251 },
    { "windows-1251", IRI_WINDOWS_1251 },
    { "x-cp1251", IRI_WINDOWS_1251 },
    { "ansi_x3.4-1968", IRI_WINDOWS_1252 },
    { "ascii", IRI_WINDOWS_1252 },
    { "cp1252", IRI_WINDOWS_1252 },
    { "cp819", IRI_WINDOWS_1252 },
    { "csisolatin1", IRI_WINDOWS_1252 },
    { "ibm819", IRI_WINDOWS_1252 },
    { "iso-8859-1", IRI_WINDOWS_1252 },
    { "iso-ir-100", IRI_WINDOWS_1252 },
    { "iso8859-1", IRI_WINDOWS_1252 },
    { "iso88591", IRI_WINDOWS_1252 },
    { "iso_8859-1", IRI_WINDOWS_1252 },
    { "iso_8859-1:1987", IRI_WINDOWS_1252 },
    { "l1", IRI_WINDOWS_1252 },
    { "latin1", IRI_WINDOWS_1252 },
    { "us-ascii", IRI_WINDOWS_1252 },
    { "windows-1252", IRI_WINDOWS_1252 },
    { "x-cp1252", IRI_WINDOWS_1252 },
    { "cp1253", IRI_WINDOWS_1253 },
    { "windows-1253", IRI_WINDOWS_1253 },
    { "x-cp1253", IRI_WINDOWS_1253 },
    { "cp1254", IRI_WINDOWS_1254 },
    { "csisolatin5", IRI_WINDOWS_1254 },
    { "iso-8859-9", IRI_WINDOWS_1254 },
    { "iso-ir-148", IRI_WINDOWS_1254 },
    { "iso8859-9", IRI_WINDOWS_1254 },
    { "iso88599", IRI_WINDOWS_1254 },
    { "iso_8859-9", IRI_WINDOWS_1254 },
    { "iso_8859-9:1989", IRI_WINDOWS_1254 },
    { "l5", IRI_WINDOWS_1254 },
    { "latin5", IRI_WINDOWS_1254 },
    { "windows-1254", IRI_WINDOWS_1254 },
    { "x-cp1254", IRI_WINDOWS_1254 },
    { "cp1255", IRI_WINDOWS_1255 },
    { "windows-1255", IRI_WINDOWS_1255 },
    { "x-cp1255", IRI_WINDOWS_1255 },
    { "cp1256", IRI_WINDOWS_1256 },
    { "windows-1256", IRI_WINDOWS_1256 },
    { "x-cp1256", IRI_WINDOWS_1256 },
    { "cp1257", IRI_WINDOWS_1257 },
    { "windows-1257", IRI_WINDOWS_1257 },
    { "x-cp1257", IRI_WINDOWS_1257 },
    { "cp1258", IRI_WINDOWS_1258 },
    { "windows-1258", IRI_WINDOWS_1258 },
    { "x-cp1258", IRI_WINDOWS_1258 },
    { "x-mac-cyrillic", IRI_X_MAC_CYRILLIC },
    { "x-mac-ukrainian", IRI_X_MAC_CYRILLIC },
    { "chinese", IRI_GBK },
    { "csgb2312", IRI_GBK },
    { "csiso58gb231280", IRI_GBK },
    { "gb2312", IRI_GBK },
    { "gb_2312", IRI_GBK },
    { "gb_2312-80", IRI_GBK },
    { "gbk", IRI_GBK },
    { "iso-ir-58", IRI_GBK },
    { "x-gbk", IRI_GBK },
    { "cp936", IRI_GBK },
    { "windows-936", IRI_GBK },
    { "euc-cn", IRI_GBK },
    { "gb18030", IRI_GB18030 },
    { "big5", IRI_BIG5 },
    { "cn-big5", IRI_BIG5 },
    { "csbig5", IRI_BIG5 },
    { "x-x-big5", IRI_BIG5 },
    { "cp950", IRI_BIG5 },
    { "windows-950", IRI_BIG5 },
    { "big5-hkscs", IRI_BIG5 },
    { "big5hkscs", IRI_BIG5 },
    { "cseucpkdfmtjapanese", IRI_EUC_JP },
    { "euc-jp", IRI_EUC_JP },
    { "x-euc-jp", IRI_EUC_JP },
    { "eucjp", IRI_EUC_JP },
    { "ujis", IRI_EUC_JP },
    { "csiso2022jp", IRI_ISO_2022_JP },
    { "iso-2022-jp", IRI_ISO_2022_JP },
    { "csshiftjis", IRI_SHIFT_JIS },
    { "ms932", IRI_SHIFT_JIS },
    { "ms_kanji", IRI_SHIFT_JIS },
    { "shift-jis", IRI_SHIFT_JIS },
    { "shift_jis", IRI_SHIFT_JIS },
    { "sjis", IRI_SHIFT_JIS },
    { "windows-31j", IRI_SHIFT_JIS },
    { "x-sjis", IRI_SHIFT_JIS },
    { "cp932", IRI_SHIFT_JIS },
    { "cp943", IRI_SHIFT_JIS },
    { "ms-932", IRI_SHIFT_JIS },
    { "cseuckr", IRI_EUC_KR },
    { "csksc56011987", IRI_EUC_KR },
    { "euc-kr", IRI_EUC_KR },
    { "iso-ir-149", IRI_EUC_KR },
    { "korean", IRI_EUC_KR },
    { "ks_c_5601-1987", IRI_EUC_KR },
    { "ks_c_5601-1989", IRI_EUC_KR },
    { "ksc5601", IRI_EUC_KR },
    { "ksc_5601", IRI_EUC_KR },
    { "windows-949", IRI_EUC_KR },
    { "cp949", IRI_EUC_KR },
    { "uhc", IRI_EUC_KR },
    { "csiso2022kr", IRI_REPLACEMENT },
    { "hz-gb-2312", IRI_REPLACEMENT },
    { "iso-2022-cn", IRI_REPLACEMENT },
    { "iso-2022-cn-ext", IRI_REPLACEMENT },
    { "iso-2022-kr", IRI_REPLACEMENT },
    { "replacement", IRI_REPLACEMENT },
    { "hz", IRI_REPLACEMENT },
    { "iso-2022-jp-1", IRI_REPLACEMENT },
    { "iso-2022-jp-2", IRI_REPLACEMENT },
    { "unicodefffe", IRI_UTF_16BE },
    { "utf-16be", IRI_UTF_16BE },
    { "csunicode", IRI_UTF_16LE },
    { "iso-10646-ucs-2", IRI_UTF_16LE },
    { "ucs-2", IRI_UTF_16LE },
    { "unicode", IRI_UTF_16LE },
    { "unicodefeff", IRI_UTF_16LE },
    { "utf-16", IRI_UTF_16LE },
    { "utf-16le", IRI_UTF_16LE },
    { "x-user-defined", IRI_X_USER_DEFINED },
    { "utf-7", IRI_UTF_7 },
    { "unicode-1-1-utf-7", IRI_UTF_7 },
    { "imap-mailbox-name", IRI_UTF_7 },
    { "x-imap4-modified-utf7", IRI_UTF_7 },
    { "utf-32", IRI_UTF_32 },
    { "utf-32be", IRI_UTF_32 },
    { "utf-32le", IRI_UTF_32 },
    { "ucs-4", IRI_UTF_32 },
};

/* clang-format on */
/* *INDENT-ON* */


const iri_encoding_t *
iri_encoding_find(iri_str_t label)
{
    size_t i;

    for (i = 0; i < sizeof(iri_labels) / sizeof(iri_labels[0]); i++) {
        if (iri_str_equal_nocase(label, iri_labels[i].label)) {
            return &iri_encodings[iri_labels[i].encoding];
        }
    }

    return NULL;
}


const iri_encoding_t *
iri_encoding_at(size_t i)
{
    return i < sizeof(iri_encodings) / sizeof(iri_encodings[0])
               ? &iri_encodings[i]
               : NULL;
}


const char *
iri_charset_at(size_t i)
{
    const iri_encoding_t *encoding;
    size_t                k;

    for (k = 0; (encoding = iri_encoding_at(k)) != NULL; k++) {
        if (encoding->converter != NULL && i-- == 0) {
            return encoding->name;
        }
    }

    return NULL;
}
