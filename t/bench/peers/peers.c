/*
 * peers.c - the same operations by this library and others, to count
 * instructions
 *
 *     peers WORK WHO ROUNDS FILE
 *
 * WORK: split, to-uri, nfc (to-uri of a text that is normalized to NFC), idn
 * (to-uri with the host in A-labels), to-iri, resolve. WHO: iri, uriparser,
 * curl, icu (for nfc, which it normalizes, and idn, of which it maps the host).
 * FILE has an IRI on each line; all are processed ROUNDS times. The input is:
 * for split and to-iri the IRIs as URIs, since uriparser accepts ASCII only;
 * for to-uri the IRIs; for resolve the URIs as bases and a list of references
 * in turn. Each library uses its functions for strings in memory and frees what
 * it allocates; ours uses an arena that is reused.
 *
 * No other library does all that ours does: uriEscape and curl_easy_escape also
 * escape ":" and "/", and do not validate UTF-8; uriUnescapeInPlace and
 * curl_easy_unescape undo all escapes. For nfc ICU escapes nothing, and for idn
 * it maps the host only.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>
#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <uriparser/Uri.h>

#include "iri_ref.h"

#define LINES 256

static char  *iris[LINES], *uris[LINES];
static size_t iri_lens[LINES], uri_lens[LINES];
static size_t lines;

static const char *const references[] = { "../g", "a/b?c#d", "/x/y",
                                          "?q",   "//b/c",   "./././d/../e" };
static size_t done; /* octets of output, so that no work is optimized away */

typedef void (*work_t)(size_t i);


static void
die(const char *what)
{
    fprintf(stderr, "peers: %s\n", what);
    exit(1);
}


/* ---- this library -------------------------------------------------------- */

static unsigned char arena[1 << 20];
static size_t        arena_used;


static void *
arena_alloc(void *ctx, size_t size)
{
    unsigned char *p = arena + arena_used;

    (void) ctx;
    size = (size + 15) & ~(size_t) 15;
    if (size > sizeof(arena) - arena_used) {
        return NULL;
    }
    arena_used += size;
    return p;
}


static const iri_env_t env = { NULL, arena_alloc, NULL, NULL, 0 };


static iri_str_t
str(const char *text, size_t len)
{
    iri_str_t s = { len, (const unsigned char *) text };

    return s;
}


static void
iri_split_one(size_t i)
{
    iri_parts_t parts;

    if (iri_check(str(uris[i], uri_lens[i]), IRI_AS_IRI, IRI_GRAMMAR_RFC3987,
                  &parts, NULL)
        != IRI_EXPECT_NOTHING)
    {
        die(uris[i]);
    }
    done += parts.path.len;
}


static void
iri_to_uri_one(size_t i)
{
    static const iri_to_uri_conf_t conf;
    iri_converted_t                out;

    arena_used = 0;
    if (iri_to_uri(&env, &conf, str(iris[i], iri_lens[i]), &out) != IRI_OK
        || out.why != NULL)
    {
        die(iris[i]);
    }
    done += out.value.len;
}


static void
iri_to_iri_one(size_t i)
{
    static const iri_to_iri_conf_t conf;
    iri_converted_t                out;

    arena_used = 0;
    if (iri_to_iri(&env, &conf, str(uris[i], uri_lens[i]), &out) != IRI_OK
        || out.why != NULL)
    {
        die(uris[i]);
    }
    done += out.value.len;
}


static void
iri_nfc_one(size_t i)
{
    static const iri_to_uri_conf_t conf = { NULL, 1, NULL };
    iri_converted_t                out;

    arena_used = 0;
    if (iri_to_uri(&env, &conf, str(iris[i], iri_lens[i]), &out) != IRI_OK) {
        die(iris[i]);
    }
    done += out.value.len;
}


static iri_host_conf_t host_conf;


static void
iri_idn_one(size_t i)
{
    iri_to_uri_conf_t conf = { NULL, 0, &host_conf };
    iri_converted_t   out;

    arena_used = 0;
    if (iri_to_uri(&env, &conf, str(iris[i], iri_lens[i]), &out) != IRI_OK
        || out.why != NULL)
    {
        die(iris[i]);
    }
    done += out.value.len;
}


static const char *
reference_of(size_t i)
{
    return references[i % (sizeof(references) / sizeof(references[0]))];
}


static void
iri_resolve_one(size_t i)
{
    const char *reference = reference_of(i);
    iri_str_t   out;

    arena_used = 0;
    if (iri_resolve(&env, str(uris[i], uri_lens[i]),
                    str(reference, strlen(reference)), &out)
        != IRI_OK)
    {
        die(uris[i]);
    }
    done += out.len;
}


/* ---- uriparser ----------------------------------------------------------- */

static void
uriparser_parse(UriUriA *uri, const char *text, size_t len)
{
    const char *wrong;

    if (uriParseSingleUriExA(uri, text, text + len, &wrong) != URI_SUCCESS) {
        die(text);
    }
}


static void
uriparser_split_one(size_t i)
{
    UriUriA uri;

    uriparser_parse(&uri, uris[i], uri_lens[i]);
    done += (size_t) (uri.scheme.afterLast - uri.scheme.first);
    uriFreeUriMembersA(&uri);
}


static void
uriparser_to_uri_one(size_t i)
{
    static char out[65536];

    done += (size_t) (uriEscapeExA(iris[i], iris[i] + iri_lens[i], out,
                                   URI_FALSE, URI_FALSE)
                      - out);
}


/*
 * uriparser unescapes in place, so copying is part of its work: ours does not
 * change its input.
 */
static void
uriparser_to_iri_one(size_t i)
{
    static char out[65536];

    memcpy(out, uris[i], uri_lens[i] + 1);
    done += (size_t) (uriUnescapeInPlaceExA(out, URI_FALSE, URI_BR_DONT_TOUCH)
                      - out);
}


static void
uriparser_resolve_one(size_t i)
{
    const char *reference = reference_of(i);
    UriUriA     base, relative, target;
    char       *out;
    int         size, written;

    uriparser_parse(&base, uris[i], uri_lens[i]);
    uriparser_parse(&relative, reference, strlen(reference));
    if (uriAddBaseUriA(&target, &relative, &base) != URI_SUCCESS
        || uriToStringCharsRequiredA(&target, &size) != URI_SUCCESS
        || (out = malloc((size_t) size + 1)) == NULL
        || uriToStringA(out, &target, size + 1, &written) != URI_SUCCESS)
    {
        die(uris[i]);
    }
    done += (size_t) written;
    free(out);
    uriFreeUriMembersA(&target);
    uriFreeUriMembersA(&relative);
    uriFreeUriMembersA(&base);
}


/* ---- libcurl ------------------------------------------------------------- */

static CURLU *
curl_parse(const char *text)
{
    CURLU *url = curl_url();

    if (url == NULL
        || curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME)
               != CURLUE_OK)
    {
        die(text);
    }
    return url;
}


static void
curl_split_one(size_t i)
{
    curl_url_cleanup(curl_parse(uris[i]));
    done++;
}


static void
curl_to_uri_one(size_t i)
{
    char *out = curl_easy_escape(NULL, iris[i], (int) iri_lens[i]);

    if (out == NULL) {
        die(iris[i]);
    }
    done += strlen(out);
    curl_free(out);
}


static void
curl_to_iri_one(size_t i)
{
    int   len;
    char *out = curl_easy_unescape(NULL, uris[i], (int) uri_lens[i], &len);

    if (out == NULL) {
        die(uris[i]);
    }
    done += (size_t) len;
    curl_free(out);
}


static void
curl_resolve_one(size_t i)
{
    CURLU *url = curl_parse(uris[i]);
    char  *out;

    if (curl_url_set(url, CURLUPART_URL, reference_of(i),
                     CURLU_NON_SUPPORT_SCHEME)
            != CURLUE_OK
        || curl_url_get(url, CURLUPART_URL, &out, 0) != CURLUE_OK)
    {
        die(uris[i]);
    }
    done += strlen(out);
    curl_free(out);
    curl_url_cleanup(url);
}


/* ---- ICU ----------------------------------------------------------------- */

static UIDNA              *idna;
static const UNormalizer2 *nfc;


static void
icu_nfc_one(size_t i)
{
    static UChar from[65536], to[65536];
    static char  utf8[65536];
    UErrorCode   error = U_ZERO_ERROR;
    int32_t      len;

    u_strFromUTF8(from, 65536, &len, iris[i], (int32_t) iri_lens[i], &error);
    len = unorm2_normalize(nfc, from, len, to, 65536, &error);
    u_strToUTF8(utf8, 65536, &len, to, len, &error);
    if (U_FAILURE(error)) {
        die(iris[i]);
    }
    done += (size_t) len;
}


static void
icu_idn_one(size_t i)
{
    UIDNAInfo   info = UIDNA_INFO_INITIALIZER;
    UErrorCode  error = U_ZERO_ERROR;
    char        ascii[1024];
    const char *host = strstr(iris[i], "://") + 3;

    if (*host == '[') {
        return;
    }
    done += (size_t) uidna_nameToASCII_UTF8(
        idna, host, (int32_t) strcspn(host, ":/?#"), ascii, sizeof(ascii),
        &info, &error);
    if (U_FAILURE(error)) {
        die(iris[i]);
    }
}


/* ---- all of it ----------------------------------------------------------- */

static const struct {
    const char *work, *who;
    work_t      one;
} works[] = {
    { "split", "iri", iri_split_one },
    { "split", "uriparser", uriparser_split_one },
    { "split", "curl", curl_split_one },
    { "to-uri", "iri", iri_to_uri_one },
    { "to-uri", "uriparser", uriparser_to_uri_one },
    { "to-uri", "curl", curl_to_uri_one },
    { "nfc", "iri", iri_nfc_one },
    { "nfc", "icu", icu_nfc_one },
    { "idn", "iri", iri_idn_one },
    { "idn", "icu", icu_idn_one },
    { "to-iri", "iri", iri_to_iri_one },
    { "to-iri", "uriparser", uriparser_to_iri_one },
    { "to-iri", "curl", curl_to_iri_one },
    { "resolve", "iri", iri_resolve_one },
    { "resolve", "uriparser", uriparser_resolve_one },
    { "resolve", "curl", curl_resolve_one },
};


static char *
copy(const unsigned char *text, size_t len)
{
    char *out = malloc(len + 1);

    if (out == NULL) {
        die("out of memory");
    }
    memcpy(out, text, len);
    out[len] = '\0';
    return out;
}


/*
 * libcurl requires an authority: IRIs without one are skipped for all
 * libraries.
 */
static void
read_lines(const char *name)
{
    static const iri_to_uri_conf_t conf;
    FILE                          *file = fopen(name, "r");
    char                           line[4096];
    iri_converted_t                out;

    if (file == NULL) {
        die(name);
    }
    while (lines < LINES && fgets(line, sizeof(line), file) != NULL) {
        size_t len = strcspn(line, "\n");

        if (strstr(line, "://") == NULL) {
            continue;
        }
        arena_used = 0;
        if (iri_to_uri(&env, &conf, str(line, len), &out) != IRI_OK
            || out.why != NULL)
        {
            die(line);
        }
        iris[lines] = copy((unsigned char *) line, len);
        iri_lens[lines] = len;
        uris[lines] = copy(out.value.data, out.value.len);
        uri_lens[lines++] = out.value.len;
    }
    fclose(file);
}


int
main(int argc, char **argv)
{
    UErrorCode error = U_ZERO_ERROR;
    size_t     i, k, round;

    host_conf.idna = iri_idna_create();
    idna = uidna_openUTS46(UIDNA_DEFAULT, &error);
    nfc = unorm2_getNFCInstance(&error);
    if (host_conf.idna == NULL || U_FAILURE(error)) {
        die("no data of ICU");
    }
    if (argc != 5) {
        die("WORK WHO ROUNDS FILE");
    }
    read_lines(argv[4]);
    for (i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
        if (strcmp(works[i].work, argv[1]) == 0
            && strcmp(works[i].who, argv[2]) == 0) {
            for (round = (size_t) atol(argv[3]); round != 0; round--) {
                for (k = 0; k < lines; k++) {
                    works[i].one(k);
                }
            }
            printf("%lu IRIs, %lu octets\n", (unsigned long) lines,
                   (unsigned long) done);
            return 0;
        }
    }
    die("no such work");
}
