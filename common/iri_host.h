/*
 * iri_host.h - host names: from octets to A-labels and U-labels
 */

#ifndef IRI_HOST_H
#define IRI_HOST_H

#include "iri_types.h"

#pragma GCC visibility push(hidden)


/* ---- host names: draft-duerst-idn-uri, UTS #46, RFC 5890 to 5893 ----------- */

typedef enum { IRI_HOST_MODE_OFF, IRI_HOST_MODE_ON, IRI_HOST_MODE_STRICT } iri_host_mode_t;

/* iri_host: "off", "on", "strict"; as the other iri_parse_... */
const char *iri_parse_host_mode(iri_str_t word, iri_host_mode_t *out);

/* How characters of a host are mapped. */
typedef enum {
    IRI_MAPPING_UTS46,      /* non-transitional, STD3, CheckBidi, ContextJ */
    IRI_MAPPING_COMPATIBLE  /* the older "IDNA Compatible Preprocessing":
                               table, NFC, labels, IDNA2008 */
} iri_mapping_t;

/* ICU's rules for host names, opened once; any number of threads use them. */
typedef struct iri_idna_s iri_idna_t;

/*
 * To be destroyed by who has made it; not before the last iri_host_conf_t with
 * it was used.  create: NULL where there is no memory, or no data of ICU;
 * destroy: of NULL it does nothing.
 */
iri_idna_t *iri_idna_create(void);
void iri_idna_destroy(iri_idna_t *idna);

typedef struct {
    const iri_idna_t *idna;
    iri_mapping_t     mapping;
    int               strict;   /* 1: IDNA2008 must take each label, too */
} iri_host_conf_t;

/* Why a host is what it is. */
typedef enum {
    IRI_HOST_ASCII,       /* ASCII without "%", or empty: not looked at */
    IRI_HOST_LITERAL,     /* an IP literal, "[::1]": not looked at */
    IRI_HOST_MAPPED,      /* a host name, with its A-labels */
    IRI_HOST_ESCAPE,      /* "%" without two hexadecimal digits */
    IRI_HOST_OCTETS,      /* not UTF-8 */
    IRI_HOST_LIMIT,       /* too many octets, labels, or too long a label */
    IRI_HOST_EMPTY,       /* a label is empty */
    IRI_HOST_CHARACTER,   /* a character that no host name may have */
    IRI_HOST_HYPHEN,      /* "-" at an end of a label, or third and fourth */
    IRI_HOST_MARK,        /* a label begins with a combining mark */
    IRI_HOST_BIDI,        /* breaks the bidi rule of RFC 5893 */
    IRI_HOST_JOINER,      /* a joiner where none may be: ContextJ */
    IRI_HOST_ALABEL,      /* "xn--" that is not the A-label of anything */
    IRI_HOST_IDNA2008,    /* strict, compatible: not a name of IDNA2008 */
    IRI_HOST_ADDRESS,     /* ends in a number, as an IPv4 address does */
    IRI_HOST_WILDCARD,    /* a wildcard beside other characters than ASCII */
    IRI_HOST_WHYS
} iri_host_why_t;

/* As the other iri_..._text: "breaks the bidi rule"; and "host-bidi" */
const char *iri_host_why_text(iri_host_why_t why);
const char *iri_host_why_code(iri_host_why_t why);

typedef struct {
    iri_verdict_t   verdict;   /* PASS: as it came; SERVE: ascii is its name;
                                REFUSE: it is no host name, to which a server
                                says what it says to such names, 400 */
    iri_host_why_t why;
    iri_str_t      ascii;    /* of SERVE: A-labels, a-z 0-9 "-" ".", with the
                                dot at the end if there was one; as it came
                                otherwise */
    iri_str_t      unicode;  /* of SERVE: U-labels, UTF-8; as it came
                                otherwise */
} iri_host_t;

/*
 * 1 if host is ASCII without "%": iri_host_read has nothing to say of it.
 * The one test that a plain host pays.
 */
int iri_host_is_ascii(iri_str_t host);

/*
 * Read the host of a request: from octets to A-labels.
 *
 * host: what stands between userinfo and port, as it was sent, raw, percent-
 * encoded or both; not NUL-terminated.  ASCII without "%" is PASS at once,
 * and so is an IP literal.  The rest is unescaped once and must be UTF-8; no
 * escape may stand for a delimiter, nor for anything but letters, digits,
 * "-" and "." where it stands for ASCII.  Then iri_host_map.  What comes out
 * must not be an IPv4 address: that has one spelling.  The name only ever
 * selects among names of the configuration (design 8).
 * IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * "B%C3%BCcher.example" -> SERVE, "xn--bcher-kva.example";
 * "www.w%33.org" -> SERVE, "www.w3.org"; "%2a.example.org" -> REFUSE
 */
iri_status_t iri_host_read(const iri_env_t *env, const iri_host_conf_t *conf,
                           iri_str_t host, iri_host_t *out);

/*
 * Map the characters of a host name, ASCII or not: SERVE or REFUSE.
 * host: UTF-8; "%" is no escape here.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "Bu\xCC\x88cher" -> SERVE, ascii "xn--bcher-kva", unicode "b\xC3\xBCcher"
 */
iri_status_t iri_host_map(const iri_env_t *env, const iri_host_conf_t *conf,
                          iri_str_t host, iri_host_t *out);

/*
 * The A-labels of a name in a configuration: UTF-8, no escapes.  Labels with
 * "*" or "?", and a dot at either end, are kept, and what stands between
 * them is mapped by itself.  ASCII is PASS.  IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "*.b\xC3\xBCcher.example" -> SERVE, "*.xn--bcher-kva.example"
 */
iri_status_t iri_host_name(const iri_env_t *env, const iri_host_conf_t *conf,
                           iri_str_t name, iri_host_t *out);

/*
 * U-labels alone (UTS #46, ToUnicode): SERVE or REFUSE, with unicode; ascii
 * is host.  Longer names than the DNS can hold are SERVE, too.  With the
 * compatible mapping it is iri_host_map, which knows no shorter way.
 * IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "xn--bcher-kva" -> SERVE, unicode "b\xC3\xBCcher"
 */
iri_status_t iri_host_to_unicode(const iri_env_t *env,
                                 const iri_host_conf_t *conf, iri_str_t host,
                                 iri_host_t *out);

/*
 * What to show for the host of a request: U-labels where there are A-labels
 * and all of them are good ones; host itself otherwise.  IRI_NO_MEMORY,
 * IRI_ICU_FAILED.
 * "xn--bcher-kva.example" -> "b\xC3\xBCcher.example"; "xn--a" -> "xn--a"
 */
iri_status_t iri_host_display(const iri_env_t *env,
                              const iri_host_conf_t *conf, iri_str_t host,
                              iri_str_t *out);

/*
 * Both forms of the host of a request, for variables: SERVE with ascii and
 * what is to be shown of it, also where it came in ASCII; REFUSE where it may
 * not stand in a URI, and then neither is to be handed on.  IRI_NO_MEMORY,
 * IRI_ICU_FAILED.
 * "XN--bcher-kva" -> SERVE, unicode "b\xC3\xBCcher"; "a@b" -> REFUSE
 */
iri_status_t iri_host_forms(const iri_env_t *env,
                            const iri_host_conf_t *conf, iri_str_t host,
                            iri_host_t *out);

/*
 * The host in an authority (RFC 3986, 3.2): behind userinfo and "@", before
 * ":" and the port.  Points into authority.
 * "u@[::1]:80" -> "[::1]"; "b\xC3\xBCcher:8080" -> "b\xC3\xBCcher"
 */
iri_str_t iri_authority_host(iri_str_t authority);

/*
 * 1 if host may stand in the URI of a redirect: letters, digits, "-", "." and
 * "_" only, or an IP-literal ("[::1]"; RFC 3986, 3.2.2).  Without a port.
 * What a client sends as Host can be anything that a server lets in: raw
 * octets, escapes, "a@b".  Empty is 1: the server fills it in.
 * "www.example" -> 1; "b\xC3\xBC.example" -> 0; "a@www.example" -> 0
 */
int iri_is_uri_host(iri_str_t host);


#pragma GCC visibility pop

#endif /* IRI_HOST_H */
