/*
 * mod_iri.h - module record and settings, which all files of mod_iri use
 *
 * The first line of each file says what it does.  The core (common/) makes all
 * decisions; see iri_request.h.  A canonical path is UTF-8 in NFC, as defined
 * in iri_types.h.  "Native" octets are the octets of names on disk.  (The form
 * "native" of iri_types.h means raw octets in a request.)  An "ASCII path" also
 * has no escape of an octet above 7F.
 *
 * Unless noted otherwise: strings end with NUL; pointers must not be NULL, and
 * are not as results; results live as long as r->pool; paths are unescaped;
 * mod_iri_is_... and mod_iri_has_... return 1 or 0; hooks and functions that
 * are parts of hooks return DECLINED to continue, or an HTTP status.
 */

#ifndef MOD_IRI_H
#define MOD_IRI_H

#include <httpd.h>
#include <http_config.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <apr_strings.h>

#include "iri_request.h"
#include "iri_stats.h"
#include "base/iri_env_apr.h"
#include "base/iri_string.h"
#include "index/iri_index_cache_apr.h"

/* Hooks and directives get more arguments than most of them need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* clang warns of APR's ring macros, which compute offsets from NULL. */
#ifdef __clang__
#if __has_warning("-Wnull-pointer-subtraction")
#pragma clang diagnostic ignored "-Wnull-pointer-subtraction"
#endif
#endif

#if !AP_MODULE_MAGIC_AT_LEAST(20120211, 109)
#error "mod_iri needs httpd 2.4.49 or newer (MMN 20120211.109)"
#endif

extern module AP_MODULE_DECLARE_DATA iri_module;

APLOG_USE_MODULE(iri);

#pragma GCC visibility push(hidden)

#define MOD_IRI_CACHE_SIZE ((size_t) 16 * 1024 * 1024) /* octets per child */

/* ---- settings ----------------------------------------------------------- */

/* The settings; each is a bit of the member has of its configuration. */
typedef enum {
    /* of a directory: names on disk */
    MOD_IRI_CONF_FILENAME_CHARSET,
    MOD_IRI_CONF_FILENAME_FORM,
    MOD_IRI_CONF_MATCH,
    MOD_IRI_CONF_AMBIGUOUS,
    MOD_IRI_CONF_REPAIR,
    /* of a directory: answers */
    MOD_IRI_CONF_REDIRECT,
    MOD_IRI_CONF_LISTING,
    /* of a server */
    MOD_IRI_CONF_ENGINE,
    MOD_IRI_CONF_CHARSET,
    MOD_IRI_CONF_INVALID,
    MOD_IRI_CONF_QUERY,
    MOD_IRI_CONF_HOST,
    MOD_IRI_CONF_ADVERTISE,
    MOD_IRI_CONF_REQUEST_URI,
    MOD_IRI_SETTINGS /* number of settings */
} mod_iri_setting_id_t;

/* ---- settings of a server or virtual host ------------------------------- */

typedef struct {
    unsigned              has; /* bits of the settings that are set */
    iri_engine_t          engine;
    iri_reading_conf_t    reading;
    iri_query_conf_t      query;
    iri_host_mode_t       host_mode;
    const ap_directive_t *host_directive; /* IRIHost; NULL: not set */
    size_t                cache_size; /* octets, of the main server; 0: off */
    int                   advertise;      /* 1: IRIAdvertise On */
    int                   request_uri;    /* 1: IRIRequestURI On */

    /* set by post_config and child_init, read by requests */
    iri_registry_t *registry; /* of charsets */
    const char     *vary;     /* fields on which iri-charset depends; NULL: it
                                 is never set */
    iri_tree_conf_t tree;     /* for files outside all <Directory> */
    const struct mod_iri_dir_conf_s *lookup_defaults; /* outside all sections;
                                        NULL: none */
    apr_array_header_t *sections; /* mod_iri_section_t, in httpd's order */
    apr_array_header_t *encoded_sections; /* mod_iri_encoded_section_t; NULL:
                                        the engine is not on */
    iri_fold_keys_t    *fold_keys;   /* of all servers; NULL: no tree folds */
    unsigned            match;       /* IRI_FOLD_... of all trees together */
    int                 may_restart; /* 1: a canonical path may lead to an
                                        entry with another one */
    iri_index_cache_t  *cache;       /* of this child; NULL: none */
    iri_stats_t        *stats;       /* of this child; NULL: none */
    iri_host_conf_t     host;        /* valid if the engine is not off */
    int                 maps_hosts;  /* 1: IRIHost is on or strict, and the
                                        engine is not off */
} mod_iri_server_conf_t;

static inline mod_iri_server_conf_t *
mod_iri_server_conf(const server_rec *s)
{
    return ap_get_module_config(s->module_config, &iri_module);
}

static inline mod_iri_server_conf_t *
mod_iri_conf(const request_rec *r)
{
    return mod_iri_server_conf(r->server);
}

static inline int
mod_iri_is_off(const server_rec *s)
{
    return mod_iri_server_conf(s)->engine == IRI_ENGINE_OFF;
}

static inline int
mod_iri_is_on(const request_rec *r)
{
    return mod_iri_conf(r)->engine == IRI_ENGINE_ON;
}

static inline int
mod_iri_is_report(const request_rec *r)
{
    return mod_iri_conf(r)->engine == IRI_ENGINE_REPORT;
}

/* ---- settings of a directory -------------------------------------------- */

/* Bits of mod_iri_dir_conf_t.has: the settings of names on disk */
#define MOD_IRI_HAS_TREE ((1u << MOD_IRI_CONF_REDIRECT) - 1)

/* The per-directory configuration. */
typedef struct mod_iri_dir_conf_s {
    unsigned        has;      /* bits of the settings that are set; 0: none */
    iri_tree_conf_t tree;     /* only the members whose bit is in has */
    int             redirect; /* 0: off, HTTP status or IRI_REDIRECT_LINK */
    int             listing;  /* 1: IRIListing On */
} mod_iri_dir_conf_t;

/*
 * Copy the settings that are set in *add to *conf.  Both have the same type:
 * mod_iri_dir_conf_t or mod_iri_server_conf_t.
 */
void mod_iri_add_settings(void *conf, const void *add);

/* Returns: NULL if no directive of this module applies to the request. */
static inline const mod_iri_dir_conf_t *
mod_iri_dir_conf(const request_rec *r)
{
    return ap_get_module_config(r->per_dir_config, &iri_module);
}

/* A <Directory> section with settings for names on disk. */
typedef struct {
    const char *name;       /* canonical, ends with "/"; or the pattern */
    unsigned    components; /* segments of name */
    int         is_pattern; /* 1: name is an fnmatch pattern */
    ap_regex_t *regex;      /* NULL: no regular expression */
    const mod_iri_dir_conf_t *dir;
} mod_iri_section_t;

/* A <Directory> section whose name is not ASCII and not a pattern. */
typedef struct {
    ap_conf_vector_t *section;
    const char       *path; /* as configured, ends with "/" */
    const char       *name; /* canonical, ends with "/" */
} mod_iri_encoded_section_t;

/* The pool of an env of mod_iri_env() or iri_env_apr_init(). */
static inline apr_pool_t *
mod_iri_pool(const iri_env_t *env)
{
    return ((const iri_env_apr_t *) env->ctx)->pool;
}

extern const int mod_iri_levels[]; /* of httpd, by iri_log_level_t */

/* ---- strings ------------------------------------------------------------ */

static inline iri_str_t
mod_iri_substr(const char *text, size_t len)
{
    iri_str_t str = { len, (const unsigned char *) text };

    return str;
}

static inline iri_str_t
mod_iri_str(const char *text)
{
    return mod_iri_substr(text, strlen(text));
}

static inline char *
mod_iri_dup(apr_pool_t *pool, iri_str_t str)
{
    return apr_pstrmemdup(pool, str.len ? (const char *) str.data : "",
                          str.len);
}

#pragma GCC visibility pop

#endif /* MOD_IRI_H */
