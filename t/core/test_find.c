/*
 * test_find.c - finding the entry with the requested name
 *
 * Covers, on trees in memory: each encoding of a name on disk, the ignored
 * differences, alternative readings, names that are not found; the number of
 * lookups; an error ends the search.  Any tree and path:
 * t/fuzz/fuzz_find.c.
 */

#include <stdlib.h>

#include "core.h"

#define N IRI_FOLD_NORMALIZATION
#define V IRI_FOLD_VARIANTS
#define X IRI_FOLD_EXACT_ONLY

typedef struct {
    const char         *entries;  /* below /srv, separated by "|" */
    const char         *target;   /* as it was sent */
    const char         *charsets; /* iri_charset; iri_invalid is pass */
    const char         *tree;     /* iri_filename_charset; "" is UTF-8 */
    iri_filename_form_t names;
    unsigned            ignore;
    iri_verdict_t       verdict;
    iri_why_t           why;
    iri_match_t         match;
    const char         *filename; /* below /srv */
    const char         *path;     /* NULL: that of the reading */
    const char         *charset;  /* NULL: that of the reading */
} case_t;

#define ANY          IRI_FILENAME_ANY
#define FOUND(match) IRI_SERVE, IRI_WHY_FOUND, match
#define EXACT        FOUND(IRI_MATCH_EXACT)
#define NORMALIZED   FOUND(IRI_MATCH_NORMALIZATION)
#define CHARSET      FOUND(IRI_MATCH_CHARSET)
#define ABSENT       IRI_PASS, IRI_WHY_ABSENT, IRI_MATCH_NONE
#define DECLARED     IRI_PASS, IRI_WHY_DECLARED, IRI_MATCH_NONE
#define MIXED        IRI_RESTART, IRI_WHY_MIXED, IRI_MATCH_CHARSET
#define VARIANT      IRI_RESTART, IRI_WHY_VARIANT, IRI_MATCH_VARIANTS
#define ALTERNATIVE  IRI_RESTART, IRI_WHY_ALTERNATIVE, IRI_MATCH_CHARSET
#define UNWRITABLE   IRI_REFUSE, IRI_WHY_UNWRITABLE, IRI_MATCH_NONE

#define FORBIDDEN IRI_REFUSE, IRI_WHY_FORBIDDEN, IRI_MATCH_NONE, "/"

#define E_ACUTE "\xc3\xa9"
#define E_NFD   "e\xcc\x81"
#define HYO     "\xe8\xa1\xa8" /* U+8868; EUC-JP C9 BD, Shift_JIS 95 5C */
#define KAN     "\xe6\xbc\xa2" /* U+6F22; EUC-JP B4 C1, Shift_JIS 8A BF */
#define TILDE   "\xef\xbd\x9e" /* U+FF5E, the vendors' wave dash */
#define WAVE    "\xe3\x80\x9c" /* U+301C, the wave dash of JIS */

static const case_t cases[] = {
    /* UTF-8 */
    { "/" E_ACUTE, "/%C3%A9", "", "", ANY, N, EXACT, "/" E_ACUTE },
    { "/" E_ACUTE, "/" E_ACUTE, "", "", ANY, N, EXACT, "/" E_ACUTE },
    { "/" E_ACUTE, "/e%CC%81", "", "", ANY, N, NORMALIZED, "/" E_ACUTE },
    { "/" E_NFD, "/%C3%A9", "", "", ANY, N, NORMALIZED, "/" E_NFD },
    { "/" E_NFD, "/e%CC%81", "", "", ANY, N, NORMALIZED, "/" E_NFD },
    { "/" E_NFD "|/" E_ACUTE, "/%C3%A9", "", "", ANY, N, EXACT, "/" E_ACUTE },
    { "/a", "/%C3%A9", "", "", ANY, N, ABSENT, "/" E_ACUTE },
    { "/" E_ACUTE "/", "/%C3%A9/", "", "", ANY, N, EXACT, "/" E_ACUTE "/" },
    { "/" E_ACUTE "/", "/%C3%A9", "", "", ANY, N, EXACT, "/" E_ACUTE },
    { "/" E_NFD "/b/" E_ACUTE, "/%C3%A9/b/%C3%A9", "", "", ANY, N, NORMALIZED,
      "/" E_NFD "/b/" E_ACUTE },
    { "/" E_NFD "/index.html", "/%C3%A9/index.html", "", "", ANY, N,
      NORMALIZED, "/" E_NFD "/index.html" },
    { "/" E_NFD "/", "//%C3%A9//x", "", "", ANY, N, NORMALIZED,
      "//" E_NFD "//x" },

    /*
     * neither NFC nor NFD: partly composed, marks not in canonical order,
     * singletons
     */
    { "/\xc3\xa2\xcc\xa3", "/%E1%BA%AD", "", "", ANY, N, NORMALIZED,
      "/\xc3\xa2\xcc\xa3" },
    { "/a\xcc\x82\xcc\xa3", "/%E1%BA%AD", "", "", ANY, N, NORMALIZED,
      "/a\xcc\x82\xcc\xa3" },
    { "/\xe2\x84\xab", "/%C3%85", "", "", ANY, N, NORMALIZED,
      "/\xe2\x84\xab" },
    { "/\xe2\x84\xab|/A\xcc\x8a", "/%C3%85", "", "", ANY, N, NORMALIZED,
      "/A\xcc\x8a" },
    { "/a\xcc\x82\xcc\xa3|/\xc3\xa2\xcc\xa3", "/%E1%BA%AD", "", "", ANY, N,
      NORMALIZED, "/a\xcc\x82\xcc\xa3" }, /* by the octets of the request */
    { "/K|/\xe2\x84\xaa", "/%E2%84%AA", "", "", ANY, N, EXACT,
      "/\xe2\x84\xaa" },
    { "/K", "/%E2%84%AA", "", "", ANY, N, ABSENT, "/\xe2\x84\xaa" },

    /* ignored differences, and the form of names */
    { "/" E_NFD, "/%C3%A9", "", "", ANY, X, ABSENT, "/" E_ACUTE },
    { "/" E_ACUTE, "/e%CC%81", "", "", ANY, X, NORMALIZED, "/" E_ACUTE },
    { "/\xc3\xa2\xcc\xa3", "/%E1%BA%AD", "", "", ANY, X, ABSENT,
      "/\xe1\xba\xad" },
    { "/" E_NFD, "/%C3%A9", "", "", IRI_FILENAME_NFD, N, NORMALIZED,
      "/" E_NFD },
    { "/" E_NFD, "/%C3%A9", "", "", IRI_FILENAME_NFD, X, NORMALIZED,
      "/" E_NFD },
    { "/" E_ACUTE, "/%C3%A9", "", "", IRI_FILENAME_NFD, N, ABSENT,
      "/" E_NFD },
    { "/" E_NFD, "/%C3%A9", "", "", IRI_FILENAME_NFC, N, DECLARED,
      "/" E_ACUTE },
    { "/\xb4\xc1", "/%E6%BC%A2", "", "euc-jp", IRI_FILENAME_NFC, N, CHARSET,
      "/\xb4\xc1" },

    /*
     * a tree in a legacy charset; another meaning of the octets does not count
     */
    { "/\xc9\xbd", "/%E8%A1%A8", "", "euc-jp", ANY, N, CHARSET, "/\xc9\xbd" },
    { "/\xc9\xbd", "/%C9%BD", "", "euc-jp", ANY, N, UNWRITABLE, "/" },
    { "/\xc9\xbd", "/%E8%A1%A8", "", "", ANY, N, ABSENT, "/" HYO },
    { "/\x95\\", "/%E8%A1%A8", "", "sjis", ANY, N, CHARSET, "/\x95\\" },
    { "/\x95\\", "/%95%5C", "sjis", "sjis", ANY, N, CHARSET, "/\x95\\" },
    { "/caf\xe9", "/caf%C3%A9", "", "windows-1252", ANY, N, CHARSET,
      "/caf\xe9" },
    { "/caf" E_ACUTE, "/caf%E9", "windows-1252", "", ANY, N, CHARSET,
      "/caf" E_ACUTE },

    /* duplicate encodings: any of them in a request, one of them on disk */
    { "/\x81\xca", "/%FAT", "sjis", "sjis", ANY, N, CHARSET, "/\x81\xca" },
    { "/\xfaT", "/%EF%BF%A2", "", "sjis", ANY, N, ABSENT, "/\x81\xca" },
    { "/\xfaT", "/%FAT", "sjis", "sjis", ANY, N, ABSENT, "/\x81\xca" },

    /* windows-1258 encodes letters and tone marks separately */
    { "/\xe2\xec", "/%E1%BA%A5", "", "windows-1258", ANY, N, CHARSET,
      "/\xe2\xec" },
    { "/\xe2\xec", "/%E1%BA%A5", "", "windows-1258", ANY, X, CHARSET,
      "/\xe2\xec" },

    /* and marks in another order are found only by reading the directory */
    { "/a\xec\xf2", "/%E1%BA%A1%CC%81", "", "windows-1258", ANY, N, CHARSET,
      "/a\xec\xf2" },
    { "/a\xec\xf2", "/%E1%BA%A1%CC%81", "", "windows-1258", ANY, X, ABSENT,
      "/a\xf2\xec" },

    /* several charsets, in the order of the list */
    { "/\xb4\xc1|/" KAN, "/%E6%BC%A2", "", "utf-8 euc-jp", ANY, N, EXACT,
      "/" KAN },
    { "/\xb4\xc1|/" KAN, "/%E6%BC%A2", "", "euc-jp utf-8", ANY, N, CHARSET,
      "/\xb4\xc1" },
    { "/" KAN, "/%E6%BC%A2", "", "euc-jp utf-8", ANY, N, EXACT, "/" KAN },
    { "/\xc9\xbd", "/%C9%BD", "", "utf-8 euc-jp", ANY, N, EXACT,
      "/\xc9\xbd" },
    { "/\xc9\xbd", "/%E8%A1%A8", "", "utf-8 euc-jp", ANY, N, ABSENT,
      "/" HYO }, /* there its name is U+027D */
    { "/\xc9\xbd", "/%C9%BD", "", "euc-jp utf-8", ANY, N, UNWRITABLE, "/" },
    { "/\x8a\xbf", "/%E6%BC%A2", "", "utf-8 euc-jp sjis", ANY, N, CHARSET,
      "/\x8a\xbf" },

    /* vendor variants */
    { "/" WAVE, "/%81%60", "sjis", "", ANY, N, VARIANT, "/" WAVE, "/" WAVE },
    { "/" TILDE, "/%E3%80%9C", "", "", ANY, N | V, VARIANT, "/" TILDE,
      "/" TILDE },
    { "/" TILDE, "/%E3%80%9C", "", "", ANY, N, ABSENT, "/" WAVE },
    { "/\xa1\xc1", "/%E3%80%9C", "", "euc-jp", ANY, N, VARIANT, "/\xa1\xc1",
      "/" TILDE },
    { "/\xa1\xc1", "/%E3%80%9C", "", "euc-jp", ANY, X, UNWRITABLE, "/" },
    { "/" WAVE "|/" TILDE, "/%EF%BD%9E", "", "", ANY, N | V, EXACT,
      "/" TILDE },
    { "/" WAVE "/" TILDE, "/%EF%BD%9E/%EF%BD%9E", "", "", ANY, N | V, VARIANT,
      "/" WAVE "/" TILDE, "/" WAVE "/" TILDE },
    /* Variants are compared in NFC only: U+2225 U+0338 composes to U+2226. */
    { "/\xe2\x88\xa5\xcc\xb8", "/%E2%80%96%CC%B8", "", "", ANY, V, ABSENT,
      "/\xe2\x80\x96\xcc\xb8" },
    { "/\xe2\x88\xa6", "/%E2%80%96%CC%B8", "", "", ANY, N | V, VARIANT,
      "/\xe2\x88\xa6", "/\xe2\x88\xa6" },

    /* alternative readings */
    { "/" HYO, "/%C9%BD", "euc-jp", "", ANY, N, ALTERNATIVE, "/" HYO, "/" HYO,
      "EUC-JP" },
    { "/\xc9\xbd", "/%C9%BD", "euc-jp", "euc-jp", ANY, N, ALTERNATIVE,
      "/\xc9\xbd", "/" HYO, "EUC-JP" },
    { "/\xc9\xbd|/" HYO, "/%C9%BD", "euc-jp", "", ANY, N, EXACT,
      "/\xc9\xbd" },
    { "/\xd0\xb9", "/%E9", "windows-1252 windows-1251", "", ANY, N,
      ALTERNATIVE, "/\xd0\xb9", "/\xd0\xb9", "windows-1251" },
    { "/" HYO "/a", "/%C9%BD/a", "euc-jp", "", ANY, N, ALTERNATIVE,
      "/" HYO "/a", "/" HYO "/a", "EUC-JP" },
    { "/" HYO "/b", "/%C9%BD/a", "euc-jp", "", ANY, N, ALTERNATIVE,
      "/" HYO "/a", "/" HYO "/a", "EUC-JP" },
    { "/\xc9\xbd/b|/" HYO "/b", "/%C9%BD/a", "euc-jp", "", ANY, N, ABSENT,
      "/\xc9\xbd/a" },
    { "/" E_ACUTE "/b", "/%C3%A9/%E9", "windows-1252", "", ANY, N,
      IRI_RESTART, IRI_WHY_MIXED, IRI_MATCH_EXACT, "/" E_ACUTE "/" E_ACUTE,
      "/" E_ACUTE "/" E_ACUTE, "mixed" },
    /* A name below an entry need not be encodable. */
    { "/\xc5ng/q", "/%C3%85ng/q/%A4%A2", "sjis windows-1252", "windows-1252",
      ANY, N, MIXED, "/\xc5ng/q/\xef\xbd\xa4\xef\xbd\xa2",
      "/\xc3\x85ng/q/\xef\xbd\xa4\xef\xbd\xa2", "mixed" },
    { "/\xc5ng/q", "/%C3%85ng/v/%A4%A2", "sjis windows-1252", "windows-1252",
      ANY, N, MIXED, "/\xc5ng/v/", "/\xc3\x85ng/v/\xef\xbd\xa4\xef\xbd\xa2",
      "mixed" },

    /* An entry of one directory does not confirm a reading for another. */
    { "/\xc9\xbd/b|/" HYO "/a", "/%C9%BD/a", "euc-jp", "", ANY, N, ABSENT,
      "/\xc9\xbd/a" },
    { "/\xc9\xbd/b|/" HYO "/" HYO, "/%C9%BD/%C9%BD", "euc-jp", "", ANY, N,
      ABSENT, "/\xc9\xbd/\xc9\xbd" },
    { "/\xc9\xbd/" HYO "|/" HYO "/" HYO, "/%C9%BD/%C9%BD", "euc-jp", "", ANY,
      N, MIXED, "/\xc9\xbd/" HYO, "/\xc9\xbd/" HYO, "mixed" },
    { "/\xc9\xbd/b|/\xc9\xbd\x61/" HYO, "/%C9%BD/%C9%BD", "euc-jp", "", ANY,
      N, ABSENT, "/\xc9\xbd/\xc9\xbd" },
    { "/" HYO, "/%C9%BD", "euc-jp", "", IRI_FILENAME_NFC, N, DECLARED,
      "/\xc9\xbd" },

    /* a charset for each segment */
    { "/\xe3\x81\x82/" HYO, "/%A4%A2/%95%5C", "euc-jp sjis", "", ANY, N,
      MIXED, "/\xe3\x81\x82/" HYO, "/\xe3\x81\x82/" HYO, "mixed" },
    { "/\xe3\x81\x82/a/" HYO, "/%A4%A2/a/%95%5C", "euc-jp sjis", "euc-jp",
      ANY, N, ABSENT, "/\x8e\xa4\x8e\xa2/a/\xc9\xbd" },
    { "/\xa4\xa2/a/\xc9\xbd", "/%A4%A2/a/%95%5C", "euc-jp sjis", "euc-jp",
      ANY, N, MIXED, "/\xa4\xa2/a/\xc9\xbd", "/\xe3\x81\x82/a/" HYO,
      "mixed" },
    { "/" E_ACUTE, "/%C3%A9/%E9", "windows-1252", "", ANY, N, MIXED,
      "/" E_ACUTE "/" E_ACUTE, "/" E_ACUTE "/" E_ACUTE,
      "mixed" }, /* PATH_INFO, read as well */

    /* a raw bidi control is refused in every reading */
    { "/\xe2\x80\x8e", "/\xfd", "windows-1251 windows-1256", "", ANY, N,
      ABSENT, "/\xd1\x8d" },
    { "/\xe2\x80\x8e", "/%FD", "windows-1251 windows-1256", "", ANY, N,
      ALTERNATIVE, "/\xe2\x80\x8e", "/\xe2\x80\x8e", "windows-1256" },
    { "/" E_ACUTE "/\xe2\x80\x8e", "/\xe9/\xe2\x80\x8e", "windows-1252", "",
      ANY, N, ABSENT, "/" E_ACUTE "/\xc3\xa2\xe2\x82\xac\xc5\xbd" },

    /* PATH_INFO is canonical in any tree */
    { "/" E_ACUTE, "/%C3%A9/%E8%A1%A8", "", "", ANY, N, EXACT,
      "/" E_ACUTE "/" HYO },
    { "/a.php", "/a.php/%E8%A1%A8/x", "", "", ANY, N, EXACT,
      "/a.php/" HYO "/x" },
    { "/\xc9\xbd", "/%E8%A1%A8/%E6%BC%A2", "", "euc-jp", ANY, N, CHARSET,
      "/\xc9\xbd/" KAN },
    { "/" E_NFD, "/%C3%A9/%C3%A9", "", "", ANY, N, NORMALIZED,
      "/" E_NFD "/" E_ACUTE },
    { "/a.php", "/a.php/%F0%9F%98%80", "", "euc-jp", ANY, N, EXACT,
      "/a.php/\xf0\x9f\x98\x80" },

    /* names of new entries, in the encoding of the tree */
    { "/\xc9\xbd/", "/%E8%A1%A8/%E6%BC%A2", "", "euc-jp", ANY, N, ABSENT,
      "/\xc9\xbd/\xb4\xc1" },
    { "/" E_NFD "/", "/%C3%A9/%C3%A9", "", "", ANY, N, ABSENT,
      "/" E_NFD "/" E_ACUTE },
    { "/" E_NFD "/", "/%C3%A9/%C3%A9", "", "", IRI_FILENAME_NFD, N, ABSENT,
      "/" E_NFD "/" E_NFD },
    { "/a/", "/a/%E6%BC%A2/b", "", "euc-jp utf-8", ANY, N, ABSENT,
      "/a/\xb4\xc1/b" },
    { "/a/", "/a/%F0%9F%98%80", "", "euc-jp", ANY, N, UNWRITABLE, "/a/" },

    /* octets without a reading: looked up as they are, if they are no name */
    { "/\xff", "/%FF", "", "", ANY, N, IRI_SERVE, IRI_WHY_UNNAMED,
      IRI_MATCH_EXACT, "/\xff" },
    { "/a/\xff/b", "/a/%FF/b", "", "", ANY, N, IRI_SERVE, IRI_WHY_UNNAMED,
      IRI_MATCH_EXACT, "/a/\xff/b" },
    { "/\xb4\xc1", "/%B4%C1", "", "euc-jp", ANY, N, IRI_REFUSE,
      IRI_WHY_OTHER_NAME, IRI_MATCH_NONE, "/" },
    { "/\xb4\xc1", "/%B4%C1", "", "utf-8 euc-jp", ANY, N, IRI_REFUSE,
      IRI_WHY_OTHER_NAME, IRI_MATCH_NONE, "/" },
    { "/\xb4\xc1", "/%B4%C1", "", "", ANY, N, IRI_SERVE, IRI_WHY_UNNAMED,
      IRI_MATCH_EXACT, "/\xb4\xc1" },
    { "/a", "/%FF", "", "", ANY, N, ABSENT, "/\xff" },
    { "/a", "/%FF", "", "euc-jp", ANY, N, ABSENT, "/\xff" },
    { "/a", "/%E8%A1%A8/%FF", "", "euc-jp", ANY, N, ABSENT,
      "/\xc9\xbd/\xff" },
    { "/a", "/%F0%9F%98%80/%FF", "", "euc-jp", ANY, N, UNWRITABLE, "/" },
    { "/\xb4\xc1", "/%E8%A1%A8/%B4%C1", "", "euc-jp", ANY, N, IRI_REFUSE,
      IRI_WHY_OTHER_NAME, IRI_MATCH_NONE, "/" },

    /* a reading that changes the segments of the path is never looked up */
    { "/a", "/../%C3%A9", "", "", ANY, N, FORBIDDEN },
    { "/a", "/%C3%A9/.", "", "", ANY, N, FORBIDDEN },
    { "/a", "/%C3%A9%00", "", "", ANY, N, FORBIDDEN },
    { "/" E_ACUTE, "/.../%C3%A9", "", "", ANY, N, ABSENT, "/.../" E_ACUTE },

    /* absent, below a directory that was found under another name */
    { "/" WAVE "/", "/%EF%BD%9E/%E8%A1%A8", "", "", ANY, N | V, VARIANT,
      "/" WAVE "/" HYO, "/" WAVE "/" HYO },
    { "/\xfaT", "/%FAT", "", "sjis", ANY, N, IRI_SERVE, IRI_WHY_UNNAMED,
      IRI_MATCH_EXACT,
      "/\xfaT" }, /* a duplicate encoding on disk has no name */

    /*
     * Some octets came raw, so the bidi control may have: this excludes a
     * reading where others are tried.
     */
    { "/\xc3\x83\xc2\xa9\xc3\xa2\xe2\x82\xac\xc5\xbd",
      "/" E_ACUTE "%E2%80%8E", "windows-1252", "", ANY, N, ABSENT,
      "/" E_ACUTE "\u200e" },
    /* A raw bidi control beside an escaped one: no other reading is tried. */
    { "", "/" E_ACUTE "/%E2%80%8E", "euc-jp", "", ANY, N, ABSENT,
      "/" E_ACUTE "/\u200e" },
    { "/\u8fbf/", "/" E_ACUTE "/%E2%80%8E", "euc-jp", "", ANY, N, ABSENT,
      "/" E_ACUTE "/\u200e" },

    /*
     * A directory has the octets of the request in each reading, or starts
     * with them: the content of the second one is not used.
     */
    { "/\xce\xb1/\xce\xb1", "/%CE%B1/%CE%B1", "euc-jp", "euc-jp", ANY, N,
      ALTERNATIVE, "/\xce\xb1/\xce\xb1", "/\u7559/\u7559", "EUC-JP" },
    { "/\xce\xb1/\xce\xb1|/\xa6\xc1/", "/%CE%B1/%CE%B1", "euc-jp", "euc-jp",
      ANY, N, ABSENT, "/\xa6\xc1/\xa6\xc1" },
    { "/\u0420\u00a0/\u0420\u00a0", "/%D0%A0/%D0%A0", "windows-1251", "", ANY,
      N, ALTERNATIVE, "/\u0420\u00a0/\u0420\u00a0",
      "/\u0420\u00a0/\u0420\u00a0", "windows-1251" },
    { "/\u0420\u00a0/\u0420\u00a0|/\u0420/", "/%D0%A0/%D0%A0", "windows-1251",
      "", ANY, N, ABSENT, "/\u0420/\u0420" },

    /* In windows-1251 A5 is U+0490, which EUC-JP cannot write. */
    { "", "/%D0%B0/%C3%A5", "windows-1251", "euc-jp", ANY, N, ABSENT,
      "/\xa7\xd1/\x8f\xab\xa9" },
    { "/\xa7\xb2\xa1\xeb/", "/%D0%B0/%C3%A5", "windows-1251", "euc-jp", ANY,
      N, MIXED, "/\xa7\xb2\xa1\xeb/\x8f\xab\xa9", "/\u0420\u00b0/\u00e5",
      "mixed" },

    /* Two readings have an entry: the charset listed first. */
    { "/" HYO "|/\u0419\u0405", "/%C9%BD", "euc-jp windows-1251", "", ANY, N,
      ALTERNATIVE, "/" HYO, "/" HYO, "EUC-JP" },
    { "/" HYO "|/\u0419\u0405", "/%C9%BD", "windows-1251 euc-jp", "", ANY, N,
      ALTERNATIVE, "/\u0419\u0405", "/\u0419\u0405", "windows-1251" },

    /* In a declared form one reading has one encoding, and no lookups. */
    { "/\u3042", "/%A4%A2", "euc-jp", "", IRI_FILENAME_NFC, N, DECLARED,
      "/\u3042" },
    { "/\u3042", "/%A4%A2", "windows-1251 euc-jp", "", IRI_FILENAME_NFC, N,
      ALTERNATIVE, "/\u3042", "/\u3042", "EUC-JP" },

    /* Only the listing finds them: by octets, and by the order of charsets. */
    { "/\xc3\xa2\xcc\xa3|/a\xcc\x82\xcc\xa3", "/%E1%BA%AD", "", "", ANY, N,
      NORMALIZED, "/a\xcc\x82\xcc\xa3" },
    /* ED A1 is no name in Shift_JIS; in EUC-KR U+F9F7, which NFC changes. */
    { "/\xed\xa1", "/%E7%AB%8B", "", "sjis euc-kr", ANY, N, CHARSET,
      "/\xed\xa1" },
    { "/\xed\xa1", "/%E7%AB%8B", "", "utf-8 euc-kr", ANY, N, CHARSET,
      "/\xed\xa1" },
    { "/\xed\xa1|/\uf9f7", "/%E7%AB%8B", "", "utf-8 euc-kr", ANY, N,
      NORMALIZED, "/\uf9f7" },
    /* A control in UTF-8, so no name; in EUC-KR U+D61A U+F905 */
    { "/\xc2\x85\xce\xad", "/%ED%98%9A%E4%B8%B2", "", "utf-8 euc-kr", ANY, N,
      CHARSET, "/\xc2\x85\xce\xad" },
};


/* ---- one search --------------------------------------------------------- */

static core_find_t find;


/*
 * iri_find of a path that was already read gives the same result as with its
 * reading, if the entry exists.
 */
static void
check_without_reading(void)
{
    const iri_search_t *search = &find.search;
    char                path[16384];
    iri_str_t           filename;
    iri_found_t         got;
    iri_node_t          node;

    if (search->reading == NULL || find.reading.form == IRI_FORM_ASCII
        || search->path.data != find.reading.path.data)
    {
        return;
    }

    filename.data = (const unsigned char *) path;
    filename.len = (size_t) snprintf(
        path, sizeof(path), "%.*s%.*s", (int) search->root.len,
        (const char *) search->root.data,
        (int) (search->path.len - search->prefix),
        (const char *) search->path.data + search->prefix);

    if (filename.len >= sizeof(path)
        || !iri_find_if_exists(&core.env, search, filename, &got))
    {
        return;
    }

    assert_int_not_equal(find.found.why, IRI_WHY_FORBIDDEN);
    assert_ok(core.env.dir->stat(core.env.ctx, path, &node));
    core.stats--;

    if (node.kind != IRI_NODE_DIR && node.kind != IRI_NODE_OTHER
        && got.verdict != IRI_PASS)
    {
        return;
    }

    assert_int_equal(got.verdict, find.found.verdict);
    assert_int_equal(got.why, find.found.why);
    assert_int_equal(got.match, find.found.match);
    assert_str(got.path, find.found.path);
    assert_str(got.filename, find.found.filename);
    assert_str(got.charset, find.found.charset);
}


static iri_status_t
find_go(void)
{
    iri_status_t status;

    core.stats = core.lists = 0;
    memset(&find.found, 0x5a, sizeof(find.found));

    status = iri_find(&core.env, &find.search, &find.found);

    if (status != IRI_OK) {
        print_error("%s: %s\n", core_show(find.search.path),
                    iri_status_text(status));

    } else if (core.io_fail_at == 0) {
        check_without_reading();
    }

    return status;
}


static void
find_case(const case_t *one)
{
    core_find_init(&find, one->charsets, one->tree, one->names, one->ignore);
    core_put_all(&core, one->entries);
    core_find_read(&find, core_str(one->target));
}


static int
differs(const char *target, const char *what, iri_str_t got, iri_str_t want)
{
    if (iri_str_equal(got, want)) {
        return 0;
    }

    print_error("%s: %s \"%s\", not \"%s\"\n", target, what, core_show(got),
                core_show(want));

    return 1;
}


/* The number of errors of one case. */
static int
check_case(const case_t *one)
{
    char      filename[1024];
    iri_str_t path, charset;
    int       wrong = 0;

    find_case(one);
    assert_ok(find_go());

    if (find.found.verdict != one->verdict || find.found.why != one->why
        || find.found.match != one->match)
    {
        print_error("%s in %s: %s, %s, %s; not %s, %s, %s\n", one->target,
                    core_show(core_str(one->entries)),
                    iri_verdict_text(find.found.verdict),
                    iri_match_text(find.found.match),
                    iri_why_text(find.found.why),
                    iri_verdict_text(one->verdict),
                    iri_match_text(one->match), iri_why_text(one->why));
        wrong++;
    }

    /* A refused path is never opened: its filename is not used. */
    if (one->verdict != IRI_REFUSE) {
        snprintf(filename, sizeof(filename), "/srv%s", one->filename);
        wrong += differs(one->target, "filename", find.found.filename,
                         core_str(filename));
        assert_int_equal(find.found.filename.data[find.found.filename.len],
                         0);
    }

    path = one->path != NULL ? core_str(one->path) : find.reading.path;
    charset = one->charset != NULL ? core_str(one->charset)
                                   : find.reading.charset;
    wrong += differs(one->target, "path", find.found.path, path);
    wrong += differs(one->target, "charset", find.found.charset, charset);

    assert_true(core.stats + core.lists <= IRI_MAX_FS_CALLS);
    assert_true(core.absolute);

    return wrong;
}


TEST(test_cases)
{
    size_t i;
    int    wrong = 0;

    for (i = 0; i < COUNT(cases); i++) {
        wrong += check_case(&cases[i]);
    }

    assert_int_equal(wrong, 0);
}


/* Tracing writes log lines and changes no result. */
TEST(test_cases_traced)
{
    iri_found_t found;
    size_t      i;

    for (i = 0; i < COUNT(cases); i++) {
        find_case(&cases[i]);
        assert_ok(find_go());
        found = find.found;
        core.env.trace = 1;
        assert_ok(find_go());

        assert_int_equal(found.verdict, find.found.verdict);
        assert_int_equal(found.why, find.found.why);
        assert_int_equal(found.match, find.found.match);
        assert_str(found.filename, find.found.filename);
        assert_str(found.path, find.found.path);
    }
}


/* ---- number of system calls --------------------------------------------- */

TEST(test_costs)
{
    static const struct {
        const char         *entries, *target, *charsets, *tree;
        iri_filename_form_t names;
        size_t              stats, lists;
    } cost[] = {
        { "/a", "/a", "", "", ANY, 0, 0 },
        { "/a", "/a", "euc-jp", "euc-jp", ANY, 0, 0 },
        { "/a", "/%C3%A9", "", "", IRI_FILENAME_NFC, 0, 0 },
        { "/\u3042", "/%A4%A2", "euc-jp", "", IRI_FILENAME_NFC, 0, 0 },
        { "/" E_ACUTE, "/%C3%A9", "", "", ANY, 1, 0 },
        { "/" E_ACUTE "/a/" E_ACUTE "/b", "/%C3%A9/a/%C3%A9/b", "", "", ANY,
          1, 0 },
        { "/" E_ACUTE, "/%C3%A9", "windows-1252 sjis", "", ANY, 1, 0 },
        /* absent in NFC, which is looked up once */
        { "/" E_NFD, "/%C3%A9", "", "", ANY, 2, 0 },
        /* NFC, NFD, and the directory, which is listed */
        { "/a", "/%C3%A9", "", "", ANY, 3, 1 },
        /* the same in a directory that does not exist, in each reading */
        { "/a", "/no/%C3%A9", "sjis euc-jp", "", ANY, 3, 0 },
        { "/a", "/no/%C3%A9", "sjis euc-jp", "utf-8 euc-jp sjis gbk big5",
          ANY, 3, 0 },
        { "/a", "/no/%E8%A1%A8/%E8%A1%A8", "", "utf-8 euc-jp sjis gbk big5",
          ANY, 4, 0 },
    };
    size_t i;

    for (i = 0; i < COUNT(cost); i++) {
        core_find_init(&find, cost[i].charsets, cost[i].tree, cost[i].names,
                       N);
        core_put_all(&core, cost[i].entries);
        core_find_read(&find, core_str(cost[i].target));
        assert_ok(find_go());
        assert_int_equal(core.stats, cost[i].stats);
        assert_int_equal(core.lists, cost[i].lists);
    }
}


/* The most expensive request: many segments, charsets and encodings. */
static void
check_budget(const char *charsets, const char *tree, const char *segment,
             const char *entry, size_t depth)
{
    char   target[2048] = "", path[2048] = "/srv";
    size_t i;

    core_find_init(&find, charsets, tree, ANY, N | V);

    for (i = 0; i < depth; i++) {
        core_append(target, segment);
        core_append(path, entry);
        core_append(path, "/");
    }

    core_put(&core, core_str(path));
    core_append(target, segment);
    core_find_read(&find, core_str(target));
    assert_int_not_equal(find.reading.why, IRI_WHY_LIMIT);
    assert_ok(find_go());

    if (core.stats + core.lists > IRI_MAX_FS_CALLS) {
        fail_msg("%s %s: %d stats, %d lists", charsets, tree,
                 (int) core.stats, (int) core.lists);
    }

    assert_true(core.lists <= IRI_MAX_DIRECTORIES_READ);

    if (find.found.why == IRI_WHY_BUDGET) {
        assert_true(find.found.verdict == IRI_PASS
                    || find.found.verdict == IRI_REFUSE);
        assert_int_equal(find.found.match, IRI_MATCH_NONE);
    }
}


TEST(test_budgets)
{
    static const char all[] = "windows-1252 windows-1251 koi8-r ibm866"
                              " windows-1250 windows-1253 iso-8859-2"
                              " macintosh";
    size_t            depth;

    for (depth = 1; depth < 120; depth += 7) {
        check_budget("", "", "/%C3%A9", "/" E_NFD, depth);
        check_budget(all, "", "/%C3%A9", "/" E_NFD, depth);
        check_budget(all, "euc-jp", "/%E9", "/a", depth);
        check_budget(all, "euc-jp sjis gbk", "/%D0", "/a", depth);
        check_budget(all, "", "/%E2%80%96", "/\xe2\x88\xa5", depth);
        check_budget("", "utf-8 euc-jp sjis", "/%E8%A1%A8", "/\x95\\", depth);
        check_budget(all, "", "/%C3%A9%E2%80%96", "/\xc3\xa2\xcc\xa3", depth);
        check_budget(all, all, "/%CB%CB", "/\xcb\xcb", depth);
    }
}


/* Two lookups a segment, NFC and NFD: 64 lookups are enough for 32. */
TEST(test_candidates_limit)
{
    char   target[512] = "", path[512] = "/srv";
    size_t depth;

    for (depth = 1; depth <= IRI_MAX_REQUEST_CANDIDATES / 2; depth++) {
        core_append(target, "/%C3%A9");
        core_append(path, "/" E_NFD);
    }

    /* A lookup of the whole path in one reading would find the last segment. */
    core_append(target, "/%C3%A9");
    core_append(path, "/" E_ACUTE);

    core_find_init(&find, "", "", ANY, N);
    core_put(&core, core_str(path));

    for (depth = IRI_MAX_REQUEST_CANDIDATES / 2 - 1;
         depth <= IRI_MAX_REQUEST_CANDIDATES / 2 + 1; depth++)
    {
        core_find_read(&find,
                       (iri_str_t){ 7 * depth, (unsigned char *) target });
        assert_ok(find_go());

        if (depth <= IRI_MAX_REQUEST_CANDIDATES / 2) {
            assert_int_equal(find.found.verdict, IRI_SERVE);

        } else {
            assert_int_equal(find.found.verdict, IRI_PASS);
            assert_int_equal(find.found.why, IRI_WHY_BUDGET);
        }
    }
}


/*
 * A charset for each segment; six of them decode characters that KOI8-R cannot
 * encode, which costs calls without candidates.
 */
TEST(test_calls_limit)
{
    char   target[512] = "/%98", path[512] = "/srv/\xfb";
    size_t i;

    for (i = 0; i < 40; i++) {
        core_append(target, "/%E9");
        core_append(path, "/\xca");
    }

    core_find_init(&find,
                   "windows-1252 windows-1250 windows-1254 iso-8859-2"
                   " iso-8859-15 macintosh ibm866 windows-1251",
                   "koi8-r", ANY, N);
    core_put(&core, core_str(path));

    /* At the limit: found, and moved. */
    core_find_read(&find, (iri_str_t){ 4 * 6, (unsigned char *) target });
    assert_ok(find_go());
    assert_int_equal(find.found.why, IRI_WHY_MIXED);
    assert_true(core.stats + core.lists < IRI_MAX_FS_CALLS);

    core_find_read(&find, core_str(target));
    assert_ok(find_go());
    assert_true(find.found.verdict == IRI_PASS
                || find.found.verdict == IRI_REFUSE);
    assert_int_equal(core.stats + core.lists, IRI_MAX_FS_CALLS);
}


/* ---- vendor pairs ------------------------------------------------------- */

/* Each pair of JIS and vendor characters, requested in either form. */
TEST(test_vendor_pairs)
{
    static const uint32_t pairs[][2] = {
        { 0x301c, 0xff5e }, { 0x2016, 0x2225 }, { 0x2212, 0xff0d },
        { 0xa2, 0xffe0 },   { 0xa3, 0xffe1 },   { 0xac, 0xffe2 },
        { 0x2014, 0x2015 }, { 0xa6, 0xffe4 }
    };
    unsigned char path[16] = "/srv/", asked[16] = "/", sent[32];
    iri_str_t     file, name;
    size_t        i, way, len;

    for (i = 0; i < 2 * COUNT(pairs); i++) {
        way = i % 2;
        core_find_init(&find, "", "", ANY, N | V);
        len = iri_utf8_put(pairs[i / 2][way], path + 5);
        file = (iri_str_t){ 5 + len, path };
        core_put(&core, file);

        len = iri_utf8_put(pairs[i / 2][1 - way], asked + 1);
        name = (iri_str_t){ 1 + len, asked };
        memcpy(sent, asked, name.len);
        core_find_read(&find, (iri_str_t){ name.len, sent });
        assert_ok(find_go());
        assert_int_equal(find.found.verdict, IRI_RESTART);
        assert_int_equal(find.found.match, IRI_MATCH_VARIANTS);
        assert_str(find.found.filename, file);
        assert_str(find.found.path, iri_str_from(file, 4));
    }
}


/* ---- errors ------------------------------------------------------------- */

/*
 * The k-th call fails: the search ends with an error and finds no less exact
 * entry.
 */
static void
check_errors(const case_t *one, int on)
{
    size_t k;

    for (k = 1; k < 100; k++) {
        find_case(one);
        core.io_fail_at = k;
        core.io_fail_on = on;
        assert_ok(find_go());

        if (core.stats + core.lists < k) {
            assert_int_equal(find.found.verdict, one->verdict);
            return;
        }

        assert_int_equal(core.stats + core.lists, k);
        assert_true(find.found.verdict == IRI_PASS
                    || find.found.verdict == IRI_REFUSE);
        assert_int_equal(find.found.match, IRI_MATCH_NONE);

        if (find.found.verdict == IRI_PASS) {
            assert_int_equal(find.found.why, IRI_WHY_ERROR);
        }

        assert_str(find.found.path, find.reading.path);
    }

    fail();
}


TEST(test_errors)
{
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        check_errors(&cases[i], 0);
        check_errors(&cases[i], 1);
    }
}


/* A path below which every lookup finds no directory. */
static const char *replaced_path;


static iri_status_t
torn_stat(void *ctx, const char *path, iri_node_t *node)
{
    if (strcmp(path, replaced_path) != 0) {
        return core_dir.stat(ctx, path, node);
    }

    memset(node, 0, sizeof(*node));
    node->kind = IRI_NODE_NOT_DIR;

    return IRI_OK;
}


/*
 * A directory is replaced by a file and then by a directory: the rest of the
 * path is not PATH_INFO, and its octets may be the name of another entry.
 */
TEST(test_replaced_by_file)
{
    static const struct {
        const char *tree, *path, *replaced_path;
    } cases[] = {
        { "/d/\xc9\xbd", "/d/%C9%BD", "/srv/d/\xbe\xf2" },
        { "/d/\xc9\xbd", "/d/%F0%9F%98%80/%C9%BD", "/srv/d/" },
        { "/d/\xc9\xbd", "/d/%E6%9D%A1/%C9%BD", "/srv/d/\xbe\xf2" },
    };
    size_t i;

    for (i = 0; i < COUNT(cases); i++) {
        core_find_init(&find, "", "euc-jp", ANY, N);
        core_put(&core, S("/srv/d/\xc9\xbd"));
        core_find_read(&find, core_str(cases[i].path));
        core.dir.stat = torn_stat;
        replaced_path = cases[i].replaced_path;
        assert_ok(find_go());

        if (find.found.verdict != IRI_REFUSE) {
            assert_int_equal(find.found.match, IRI_MATCH_NONE);
            assert_false(
                iri_str_equal(find.found.filename, S("/srv/d/\xc9\xbd")));
        }
    }
}


/* ---- root, prefix, separators ------------------------------------------- */

static void
check_prefix(const char *root, const char *path, size_t prefix,
             const char *entry, const char *filename, const char *found_path,
             iri_verdict_t answer)
{
    core_find_init(&find, "euc-jp", "", ANY, N);
    core_put(&core, core_str(entry));
    core_find_read(&find, core_str(path));
    find.search.root = core_str(root);
    find.search.prefix = prefix;
    assert_ok(find_go());
    assert_int_equal(find.found.verdict, answer);
    assert_text(find.found.filename, filename);
    assert_text(find.found.path, found_path);
}


TEST(test_prefix)
{
    /* alias /pre/ -> /data/ */
    check_prefix("/data/", "/pre/%C3%A9", 5, "/data/" E_NFD, "/data/" E_NFD,
                 "/pre/" E_ACUTE, IRI_SERVE);
    /* alias /pre -> /data */
    check_prefix("/data", "/pre/%C3%A9", 4, "/data/" E_NFD, "/data/" E_NFD,
                 "/pre/" E_ACUTE, IRI_SERVE);
    /* The prefix is not looked up and may have any octets. */
    check_prefix("/data/", "/%C3%A9/%C3%A9", 4, "/data/" E_NFD,
                 "/data/" E_NFD, "/" E_ACUTE "/" E_ACUTE, IRI_SERVE);
    check_prefix("/data/", "/pre/a", 5, "/data/a", "/data/a", "/pre/a",
                 IRI_PASS);
    check_prefix("/data/", "/%C3%A9/a", 4, "/data/a", "/data/a",
                 "/" E_ACUTE "/a", IRI_PASS);
    /* The root is literal: it is never decoded. */
    check_prefix("/\xff\xc9\xbd", "/%C3%A9", 0, "/\xff\xc9\xbd/" E_NFD,
                 "/\xff\xc9\xbd/" E_NFD, "/" E_ACUTE, IRI_SERVE);
    /* Alternative readings of the part below the root. */
    check_prefix("/data", "/%C9%BD/%C9%BD", 3, "/data/" HYO, "/data/" HYO,
                 "/\xc9\xbd/" HYO, IRI_RESTART);
    check_prefix("/data/", "/%C9%BD/%C9%BD", 4, "/data/" HYO, "/data/" HYO,
                 "/\xc9\xbd/" HYO, IRI_RESTART);
    check_prefix("/data/", "/pre/%C9%BD/%C9%BD", 5, "/data/" HYO "/" HYO,
                 "/data/" HYO "/" HYO, "/pre/" HYO "/" HYO, IRI_RESTART);
    /* This part is UTF-8, the part before it is not. */
    check_prefix("/data/", "/%B0%A1/%C9%BD", 5, "/data/\xc9\xbd",
                 "/data/\xc9\xbd", "/\xe4\xba\x9c/\xc9\xbd", IRI_RESTART);
    /* An alias that ends within a segment: no alternative readings. */
    check_prefix("/data/x", "/pr%C3%A9", 3, "/data/x" E_ACUTE,
                 "/data/x" E_ACUTE, "/pr" E_ACUTE, IRI_SERVE);
}


static void
check_split(const char *root, const char *path, size_t prefix,
            const char *entry, const char *filename, const char *path_info)
{
    iri_str_t file, info;

    core_find_init(&find, "", "", ANY, N);
    core_put(&core, core_str(entry));
    core_find_read(&find, core_str(path));
    find.search.root = core_str(root);
    find.search.prefix = prefix;
    assert_ok(find_go());
    assert_ok(
        iri_found_split(&core.env, &find.search, &find.found, &file, &info));
    assert_text(file, filename);
    assert_text(info, path_info);
    assert_true(core.absolute);
}


TEST(test_split)
{
    check_split("/srv", "/%C3%A9/x", 0, "/srv/" E_ACUTE, "/srv/" E_ACUTE,
                "/x");
    check_split("/srv", "/%C3%A9/x/y", 0, "/srv/" E_NFD, "/srv/" E_NFD,
                "/x/y");
    check_split("/srv", "/%C3%A9", 0, "/srv/" E_NFD, "/srv/" E_NFD, "");
    check_split("/srv", "/%C3%A9/", 0, "/srv/" E_NFD "/", "/srv/" E_NFD "/",
                "");
    check_split("/srv", "/%C3%A9/", 0, "/srv/" E_NFD, "/srv/" E_NFD, "/");
    check_split("/srv", "/%C3%A9/%C3%A9", 0, "/srv/" E_NFD "/", "/srv/" E_NFD,
                "/" E_ACUTE);
    check_split("/srv", "/%C3%A9/%C3%A9/x", 0, "/srv/", "/srv",
                "/" E_ACUTE "/" E_ACUTE "/x");
    check_split("/srv", "/a/b", 0, "/srv/a", "/srv/a", "/b");
    check_split("/srv/d/", "/pre/%C3%A9", 5, "/srv/d/", "/srv/d/",
                "/" E_ACUTE);
    check_split("/srv/d/", "/pre/%C3%A9/x", 5, "/srv/d/", "/srv/d/",
                "/" E_ACUTE "/x");
    check_split("/srv/d/", "/pre/%C3%A9/x", 5, "/srv/d/" E_NFD,
                "/srv/d/" E_NFD, "/x");
    /* An empty root stands for "/". */
    check_split("", "/%C3%A9", 0, "/srv", "/", "/" E_ACUTE);
    check_split("", "/%C3%A9/x", 0, "/" E_NFD, "/" E_NFD, "/x");
}


/* ---- names -------------------------------------------------------------- */

TEST(test_entry_name)
{
    static const struct {
        const char *tree, *octets, *name;
    } names[] = {
        { "", "a", "a" },
        { "", E_ACUTE, E_ACUTE },
        { "", E_NFD, E_ACUTE },
        { "", "\xff", "" },
        { "", "a\n", "" },
        { "", "\xe2\x84\xaa", "\xe2\x84\xaa" },
        { "", "\xe2\x80\x8e", "\xe2\x80\x8e" },
        { "euc-jp", "\xc9\xbd", HYO },
        { "euc-jp", "\xc9", "" },
        { "euc-jp", HYO, "" },
        { "utf-8 euc-jp", "\xc9\xbd", "\xc9\xbd" },
        { "utf-8 euc-jp", "\xb4\xc1", KAN },
        { "euc-jp utf-8", HYO, HYO },
        { "sjis", "\xfaT", "" },
        { "sjis", "\x81\xca", "\xef\xbf\xa2" },
        { "windows-1258", "\xe2\xec", "\xe1\xba\xa5" },
        { "iso-8859-2", "\x85", "" },
    };
    iri_tree_conf_t tree;
    iri_str_t       name;
    unsigned char   octets[IRI_MAX_SEGMENT + 1];
    size_t          i;

    for (i = 0; i < COUNT(names); i++) {
        tree = core_tree(names[i].tree, ANY, N);
        assert_ok(iri_entry_name(&core.env, &tree, core_str(names[i].octets),
                                 &name));
        assert_text(name, names[i].name);
    }

    memset(octets, 'a', sizeof(octets));
    tree = core_tree("", ANY, N);

    for (i = IRI_MAX_SEGMENT - 1; i <= IRI_MAX_SEGMENT + 1; i++) {
        assert_ok(iri_entry_name(&core.env, &tree, (iri_str_t){ i, octets },
                                 &name));
        assert_int_equal(name.len, i > IRI_MAX_SEGMENT ? 0 : i);
    }
}


/*
 * In the charset percent each character above U+007F that another charset may
 * decode, and "%", has two encodings, and no other escape has a meaning.
 */
TEST(test_percent)
{
    const iri_tree_conf_t tree = core_tree("percent", ANY, N);
    iri_str_t             octets[2], name, text;
    unsigned char         utf8[4], escape[3] = { '%', 0, 0 };
    char                  sequence[16];
    uint32_t              c;
    size_t                k;

    for (c = 1; c < 0x110000; c = c == 0xd7ff ? 0xe000 : c + 1) {
        text.data = utf8;
        text.len = iri_utf8_put(c, utf8);

        for (k = 0; k < 2; k++) {
            assert_ok(iri_name_octets(&core.env, &tree, text, k, &octets[k]));

            if (octets[k].len != 0) {
                assert_int_equal(octets[k].len,
                                 c == '%' || c > 0x7f ? 3 * text.len : 1);
                assert_ok(iri_entry_name(&core.env, &tree, octets[k], &name));
                assert_true(iri_str_equal(name, text));
                assert_true(iri_str_is_ascii(octets[k]));
            }
        }

        assert_true(octets[0].len != 0 || !iri_char_allowed(c, 1) || c == '/'
                    || c == '.' || !iri_char_is_inert(c));
        core_forget(&core);
    }

    /* Each pair of digits alone, then with the case of its letters mixed. */
    for (c = 0; c < 256; c++) {
        escape[1] = (unsigned char) "0123456789abcdef"[c >> 4];
        escape[2] = (unsigned char) "0123456789ABCDEF"[c & 15];
        text.data = escape;
        text.len = 3;
        assert_ok(iri_entry_name(&core.env, &tree, text, &name));
        assert_int_equal(name.len, c == '%' ? 1 : 0);

        (void) snprintf(sequence, sizeof(sequence), "%%c3%%%02X", c);
        assert_ok(
            iri_entry_name(&core.env, &tree, core_str(sequence), &name));
        assert_int_equal(name.len,
                         c >> 4 >= 8 && c >> 4 < 10 && (c & 15) < 10 ? 2 : 0);
    }
}


/* Long names in eight charsets: there is enough memory for them. */
TEST(test_long_names)
{
    static const char all[] = "utf-8 euc-jp sjis gbk big5 euc-kr windows-1252"
                              " windows-1258";
    char              path[300] = "/srv/";
    size_t            i;

    core_find_init(&find, "", all, ANY, N);
    core_put(&core, S("/srv/a\xcc\x82\xcc\xa3"));

    /* Segments of 255 octets that are long in every encoding. */
    for (i = 0; i < 127; i++) {
        core_append(path, i % 2 == 0 ? "\xe2\xec" : "\xf4\xec");
    }

    core_put(&core, core_str(path));
    path[5] = '\0';

    for (i = 0; i < 85; i++) {
        core_append(path, i % 2 == 0 ? HYO : "\xe3\x81\x8c");
    }

    core_put(&core, core_str(path));
    path[5] = '\0';

    for (i = 0; i < 51; i++) {
        core_append(path, "\u00e2\u0323b");
    }

    core_put(&core, core_str(path));

    core_find_read(&find, S("/%E1%BA%AD"));
    assert_ok(find_go());
    assert_int_equal(find.found.verdict, IRI_SERVE);
    assert_text(find.found.filename, "/srv/a\xcc\x82\xcc\xa3");
}


/* ---- results that depend on the list of charsets ------------------------ */

TEST(test_depends)
{
    static const struct {
        iri_form_t    form;
        int           looked;
        iri_verdict_t verdict;
        iri_why_t     why;
        int           want;
    } cases[] = {
        { IRI_FORM_ASCII, 0, IRI_PASS, IRI_WHY_NONE, 0 },
        { IRI_FORM_ASCII, 1, IRI_RESTART, IRI_WHY_FOLDED, 0 },
        { IRI_FORM_ESCAPED, 0, IRI_PASS, IRI_WHY_NONE, 0 },
        { IRI_FORM_NATIVE, 1, IRI_SERVE, IRI_WHY_FOUND, 0 },
        { IRI_FORM_MIXED, 1, IRI_SERVE, IRI_WHY_FOUND, 0 },
        { IRI_FORM_ESCAPED, 1, IRI_PASS, IRI_WHY_DECLARED, 0 },
        { IRI_FORM_ESCAPED, 1, IRI_PASS, IRI_WHY_ABSENT, 1 },
        { IRI_FORM_ESCAPED, 1, IRI_RESTART, IRI_WHY_ALTERNATIVE, 1 },
        { IRI_FORM_ESCAPED, 1, IRI_RESTART, IRI_WHY_MIXED, 1 },
        { IRI_FORM_ESCAPED, 1, IRI_SERVE, IRI_WHY_READ, 1 },
        { IRI_FORM_LEGACY, 0, IRI_PASS, IRI_WHY_NONE, 1 },
        { IRI_FORM_LEGACY, 1, IRI_SERVE, IRI_WHY_FOUND, 1 },
        { IRI_FORM_INVALID, 0, IRI_PASS, IRI_WHY_NONE, 1 },
    };
    iri_reading_t reading;
    iri_found_t   found;
    size_t        i;

    memset(&reading, 0, sizeof(reading));
    memset(&found, 0, sizeof(found));

    assert_int_equal(iri_depends_on_charsets(NULL, NULL, 0), 0);
    assert_int_equal(iri_depends_on_charsets(NULL, NULL, 1), 0);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reading.form = cases[i].form;
        found.verdict = cases[i].verdict;
        found.why = cases[i].why;

        if (iri_depends_on_charsets(&reading, cases[i].looked ? &found : NULL,
                                    1)
            != cases[i].want)
        {
            fail_msg("case %zu is not %d", i, cases[i].want);
        }

        /*
         * Before access is granted the result does not depend on the file
         * system.
         */
        assert_int_equal(iri_depends_on_charsets(
                             &reading, cases[i].looked ? &found : NULL, 0),
                         cases[i].form != IRI_FORM_ASCII);
    }

    /* Too long for any charset. */
    reading.form = IRI_FORM_INVALID;
    reading.why = IRI_WHY_LIMIT;
    assert_int_equal(iri_depends_on_charsets(&reading, NULL, 0), 0);
    assert_int_equal(iri_depends_on_charsets(&reading, NULL, 1), 0);
}


/* A segment that is too long, as sent or in canonical form, by one octet. */
TEST(test_long_segments)
{
    static const struct {
        const char *charset;
        const char *end; /* preceded by as many "a" as make it len octets */
        size_t      len;
        int         read;
    } cases[] = {
        { "utf-8", E_NFD, IRI_MAX_SEGMENT, 1 },
        { "utf-8", E_NFD, IRI_MAX_SEGMENT + 1, 0 }, /* canonical: 1024 */
        { "windows-1252", "\xe9", IRI_MAX_SEGMENT - 1, 1 },
        { "windows-1252", "\xe9", IRI_MAX_SEGMENT, 0 }, /* canonical: 1025 */
    };
    static unsigned char octets[IRI_MAX_SEGMENT + 1];
    iri_tree_conf_t      tree;
    iri_str_t            name;
    size_t               i, end;

    for (i = 0; i < COUNT(cases); i++) {
        core_init(&core);
        tree = core_tree(cases[i].charset, IRI_FILENAME_ANY, N);
        end = strlen(cases[i].end);
        memset(octets, 'a', sizeof(octets));
        memcpy(octets + cases[i].len - end, cases[i].end, end);
        assert_ok(iri_entry_name(&core.env, &tree,
                                 (iri_str_t){ cases[i].len, octets }, &name));
        assert_int_equal(name.len != 0, cases[i].read);
    }
}


/* ---- names in another charset -------------------------------------------- */

/*
 * One lookup finds the path as the tree writes it. If that fails, no other
 * entry is opened: UTF-8 is another name in EUC-JP.
 */
TEST(test_written_path)
{
    static const unsigned matches[] = { 0, IRI_FOLD_CASE };
    iri_str_t             file = S("/srv/\xC6\xFC\xCB\xDC/\xC9\xBD");
    size_t                i;

    for (i = 0; i < COUNT(matches); i++) {
        core_find_init(&find, "", "EUC-JP", IRI_FILENAME_ANY, matches[i]);
        (void) core_put(&core, file);
        core_find_read(&find, S("/%E6%97%A5%E6%9C%AC/%E8%A1%A8"));
        core.stats = core.lists = core.io_fail_at = 0;
        core_find(&find);
        assert_int_equal(find.found.verdict, IRI_SERVE);
        assert_int_equal(find.found.match, IRI_MATCH_CHARSET);
        assert_str(find.found.filename, file);
        assert_int_equal(core.stats, 1);

        core.stats = 0;
        core.io_fail_at = 1;
        core_find(&find);
        assert_int_equal(find.found.verdict, IRI_PASS);
        assert_int_equal(find.found.why, IRI_WHY_ERROR);
        assert_str(find.found.filename, file);
    }
}


/* A path that is shorter than its prefix is refused. */
TEST(test_long_prefix)
{
    core_find_init(&find, "", "UTF-8", IRI_FILENAME_ANY, 0);
    core_find_read(&find, S("/%E8%A1%A8"));
    find.search.prefix = find.search.path.len + 1;
    core_find(&find);
    assert_int_equal(find.found.verdict, IRI_REFUSE);
    assert_int_equal(core.stats, 0);
}
