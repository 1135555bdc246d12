/*
 * iri_host.h - host names: from octets to A-labels and U-labels
 *
 * Maps the host of a request, or a name in a configuration, to the A-labels by
 * which a server selects a virtual host, and to the U-labels that it shows.
 * By draft-duerst-idn-uri, UTS #46 and RFC 5890 to 5893; with "strict" by
 * IDNA2008 too.  Ports and userinfo are left to the caller.
 */

#ifndef IRI_HOST_H
#define IRI_HOST_H

#include "iri_types.h"

#pragma GCC visibility push(hidden)


/* ---- settings ------------------------------------------------------------ */

/* Values of iri_host; parsed by iri_host_mode_words of iri_conf.h. */
typedef enum {
    IRI_HOST_MODE_OFF,     /* hosts are not mapped */
    IRI_HOST_MODE_ON,      /* by UTS #46 */
    IRI_HOST_MODE_STRICT   /* labels must be valid by IDNA2008 too */
} iri_host_mode_t;

/* How the characters of a host are mapped. */
typedef enum {
    IRI_MAPPING_UTS46,      /* UTS #46: non-transitional, STD3, CheckBidi,
                               ContextJ */
    IRI_MAPPING_COMPATIBLE  /* "IDNA Compatible Preprocessing": mapping table,
                               NFC, labels, IDNA2008 */
} iri_mapping_t;

/* The data of ICU for host names.  Read-only; any number of threads. */
typedef struct iri_idna_s iri_idna_t;

/*
 * Open and close the data of ICU.  Close it after the last use of each
 * iri_host_conf_t that points to it.
 *
 *   iri_idna_create    Returns: the data; NULL: no memory, or no data of ICU
 *   iri_idna_destroy   idna: NULL is allowed
 */
iri_idna_t *iri_idna_create(void);
void iri_idna_destroy(iri_idna_t *idna);

/* How hosts are mapped. */
typedef struct {
    const iri_idna_t *idna;     /* not NULL; COMPATIBLE does not use it */
    iri_mapping_t     mapping;
    int               strict;   /* 1: labels must be valid by IDNA2008 too;
                                   COMPATIBLE requires it always */
} iri_host_conf_t;


/* ---- results ------------------------------------------------------------- */

/* The reason for the verdict of a host. */
typedef enum {
    IRI_HOST_ASCII,       /* ASCII without "%", or empty: not mapped */
    IRI_HOST_LITERAL,     /* an IP literal, for example "[::1]": not mapped */
    IRI_HOST_MAPPED,      /* mapped to A-labels */
    IRI_HOST_ESCAPE,      /* "%" without two hexadecimal digits */
    IRI_HOST_OCTETS,      /* not UTF-8 */
    IRI_HOST_LIMIT,       /* too many octets or labels, or a label too long */
    IRI_HOST_EMPTY,       /* a label is empty */
    IRI_HOST_CHARACTER,   /* a character that host names must not contain */
    IRI_HOST_HYPHEN,      /* "-" at an end of a label, or as its third and
                             fourth character */
    IRI_HOST_MARK,        /* a label begins with a combining mark */
    IRI_HOST_BIDI,        /* the bidi rule of RFC 5893 is violated */
    IRI_HOST_JOINER,      /* a joiner that ContextJ does not allow */
    IRI_HOST_ALABEL,      /* a label with "xn--" that is not an A-label */
    IRI_HOST_IDNA2008,    /* strict, compatible: not valid by IDNA2008 */
    IRI_HOST_ADDRESS,     /* ends in a number, as an IPv4 address does */
    IRI_HOST_WILDCARD,    /* a wildcard in a label that is not ASCII */
    IRI_HOST_WHYS         /* number of values */
} iri_host_why_t;

/* The phrase for a reason: "breaks the bidi rule of RFC 5893". */
const char *iri_host_why_text(iri_host_why_t why);

/* The result of mapping a host. */
typedef struct {
    iri_verdict_t  verdict;  /* PASS: use host as received; SERVE: use ascii;
                                REFUSE: not a host name, answer with 400 */
    iri_host_why_t why;      /* the reason for verdict */
    iri_str_t      ascii;    /* SERVE: A-labels of a-z 0-9 "-" ".", with the
                                final dot of host; else host as received */
    iri_str_t      unicode;  /* SERVE: U-labels in UTF-8; else host as
                                received */
} iri_host_t;


/* ---- mapping ------------------------------------------------------------- */

/*
 * Does iri_host_read() return PASS without mapping?  Each request executes
 * this test.
 * Returns: 1 if host is ASCII without "%", else 0.
 * "www.example" -> 1; "www.w%33.org" -> 0
 */
int iri_host_is_ascii(iri_str_t host);

/*
 * Read the host of a request.
 *
 * ASCII without "%" and IP literals are PASS.  Any other host is
 * percent-decoded once and must be UTF-8 then.  An escape of an ASCII
 * character must encode a letter, a digit, "-" or ".".  Then the host is
 * mapped as by iri_host_map().  The result must not be an IPv4 address, which
 * has only one form.  The result only selects among the names of the
 * configuration (design 8).
 *
 * host: octets between userinfo and port, as sent: raw, percent-encoded or
 * both.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 *
 * "B%C3%BCcher.example" -> SERVE, "xn--bcher-kva.example"
 * "www.w%33.org" -> SERVE, "www.w3.org"
 * "%2a.example.org" -> REFUSE
 */
iri_status_t iri_host_read(const iri_env_t *env, const iri_host_conf_t *conf,
                           iri_str_t host, iri_host_t *out);

/*
 * Map the characters of a host name, ASCII or not, as conf says (UTS #46, 4;
 * RFC 5891, 5): SERVE or REFUSE.
 * host: UTF-8; "%" is not an escape.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "Bu\xCC\x88cher" -> SERVE, ascii "xn--bcher-kva", unicode "b\xC3\xBCcher"
 */
iri_status_t iri_host_map(const iri_env_t *env, const iri_host_conf_t *conf,
                          iri_str_t host, iri_host_t *out);

/*
 * Map a host name of a configuration to A-labels.  ASCII labels with "*" or "?"
 * and a dot at either end are kept; the labels between them are mapped.  A name
 * in ASCII is PASS.  A name that ends in a number is REFUSE.
 * name: UTF-8 without escapes.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "*.b\xC3\xBCcher.example" -> SERVE, "*.xn--bcher-kva.example"
 */
iri_status_t iri_host_name(const iri_env_t *env, const iri_host_conf_t *conf,
                           iri_str_t name, iri_host_t *out);

/*
 * Convert the host of a request to U-labels, for display.
 * *out: U-labels if host has A-labels and all of them are valid, else host.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "xn--bcher-kva.example" -> "b\xC3\xBCcher.example"; "xn--a" -> "xn--a"
 */
iri_status_t iri_host_display(const iri_env_t *env,
                              const iri_host_conf_t *conf, iri_str_t host,
                              iri_str_t *out);

/*
 * Compute both forms of the host of a request, for variables.  SERVE: ascii is
 * as from iri_host_read(), and unicode is the form to display, also for a host
 * in ASCII.  REFUSE: the host must not stand in a URI, and neither form may be
 * passed on.
 * Returns: IRI_OK; IRI_NO_MEMORY, IRI_ICU_FAILED.
 * "XN--bcher-kva" -> SERVE, unicode "b\xC3\xBCcher"; "a@b" -> REFUSE
 */
iri_status_t iri_host_forms(const iri_env_t *env,
                            const iri_host_conf_t *conf, iri_str_t host,
                            iri_host_t *out);


/* ---- hosts in URIs ------------------------------------------------------- */

/*
 * The host of an authority (RFC 3986, 3.2), without userinfo and port.
 * Returns: a part of authority.
 * "u@[::1]:80" -> "[::1]"; "b\xC3\xBCcher:8080" -> "b\xC3\xBCcher"
 */
iri_str_t iri_authority_host(iri_str_t authority);

/*
 * May this host stand in the URI of a redirect?  A server may accept a Host
 * field with raw octets, escapes or "a@b".
 * host: octets, without a port.
 * Returns: 1 for letters, digits, "-", "." and "_" only; for an IP-literal
 * ("[::1]"; RFC 3986, 3.2.2), of which only the characters are checked; and for
 * an empty host, which the server replaces; else 0.
 * "www.example" -> 1; "b\xC3\xBC.example" -> 0; "a@www.example" -> 0
 */
int iri_is_uri_host(iri_str_t host);


#pragma GCC visibility pop

#endif /* IRI_HOST_H */
