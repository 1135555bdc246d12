/*
 * mod_iri.h - what the files of mod_iri share
 *
 *   mod_iri.c          directives, merging, the table of hooks
 *   mod_iri_uses.c     what a configuration makes use of
 *   mod_iri_notes.c    the line that a request gets in the log
 *   mod_iri_config.c   what is made of the settings once they are all read:
 *                      trees of <Directory>, the cache of a child
 *   mod_iri_directory.c <Directory> for each way to write its name
 *   mod_iri_read.c     request path -> canonical r->uri
 *   mod_iri_early.c    who sees a path before names are looked for
 *   mod_iri_native.c   octets of the disk in redirects -> canonical path
 *   mod_iri_disk.c     canonical r->uri -> r->filename as it is on disk
 *   mod_iri_place.c    the settings of each directory
 *   mod_iri_ask.c      what a client would get that asked for a path
 *   mod_iri_choice.c   several names that a request may mean
 *   mod_iri_listing.c  listings of directories
 *   mod_iri_walk.c     <Files> and MultiViews on canonical names
 *   mod_iri_restart.c  a request restarts with the names that were found
 *   mod_iri_check.c    what a configuration says in vain
 *   mod_iri_advertise.c what answers to OPTIONS say of IRIs
 *   mod_iri_answer.c   redirects, headers of answers
 *   mod_iri_location.c Location, Content-Location, Alternates, Link
 *   mod_iri_client.c   iri-charset in the environment: a list for each client
 *   mod_iri_dav.c      what mod_dav says and compares
 *   mod_iri_status.c   iri-status: what was read, counted and told
 *   mod_iri_query.c    the parameters of a query -> UTF-8
 *   mod_iri_function.c functions for rules
 *   mod_iri_vars.c     IRI_PATH and its kin
 *   mod_iri_host.c     host of a request -> A-labels
 *   mod_iri_line.c     the host in the lines of a request
 *   mod_iri_vhost.c    which IRIHost counts
 *   mod_iri_names.c    names of virtual hosts
 *   mod_iri_root.c     directories that are named for hosts
 *
 * Everything that is decided is decided in common/; see iri.h.
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

#include "iri_dav.h"
#include "iri_listing.h"
#include "iri_stats.h"
#include "base/iri_env_apr.h"

#if !AP_MODULE_MAGIC_AT_LEAST(20120211, 109)
#error "mod_iri needs httpd 2.4.49 or newer (MMN 20120211.109)"
#endif

extern module AP_MODULE_DECLARE_DATA iri_module;

APLOG_USE_MODULE(iri);

#pragma GCC visibility push(hidden)

#define MOD_IRI_UNSET      (-1)
#define MOD_IRI_CACHE_SIZE ((size_t) 16 * 1024 * 1024) /* octets a child */

/* ---- configuration ------------------------------------------------------ */

/* Who may read IRI_PATH and its kin in the environment of a request. */
typedef enum {
    MOD_IRI_READ_BY_HANDLERS, /* CGI and its like */
    MOD_IRI_READ_BY_PLACES,   /* .htaccess, too */
    MOD_IRI_READ_BY_ANYBODY   /* logs, rules, modules that are not known */
} mod_iri_readers_t;

/* Settings of a server or virtual host. */
typedef struct {
    int                engine;       /* iri_engine_t or MOD_IRI_UNSET */
    unsigned           has_charsets; /* 1: IRICharset was said */
    unsigned           has_invalid;  /* 1: IRIInvalid was said */
    unsigned           has_query;    /* 1: IRIQueryCharset was said */
    iri_reading_conf_t reading;
    iri_query_conf_t   query;
    int                hosts;        /* iri_host_mode_t or MOD_IRI_UNSET */
    int                says_hosts;   /* 1: IRIHost was said right here */
    size_t             cache_size;   /* of the main server; 0: off */
    int                advertise;    /* 0, 1 or MOD_IRI_UNSET */
    int                says_advertise; /* 1: IRIAdvertise was said right
                                          here */

    /* made by post_config and child_init, read by requests */
    iri_registry_t     *registry;
    const char         *vary;        /* fields that iri-charset is set by;
                                        NULL: it is set nowhere */
    iri_tree_conf_t     tree;        /* of files outside all sections */
    const struct mod_iri_dir_s *base; /* what was said outside them; NULL:
                                        nothing */
    apr_array_header_t *sections;    /* mod_iri_section_t, in httpd's order */
    apr_array_header_t *directories; /* mod_iri_directory_t */
    int                 folds;       /* 1: names are folded in some tree */
    int                 moves;       /* 1: what is found may have another
                                        canonical path than was asked for */
    int                 maps_ascii;  /* 1: map_to_storage has something to do
                                        for plain names */
    int                 unseen;      /* 1: nobody looks at a path that is
                                        still encoded */
    iri_index_cache_t        *cache;       /* of this child; NULL: none */
    iri_stats_t        *stats;       /* likewise; NULL: nothing is counted */
    mod_iri_readers_t   readers;     /* of variables */
    unsigned            logged;      /* bits 1 << mod_iri_var_t: those that a
                                        log names */
    iri_host_conf_t     host;        /* where the engine is not off */
    int                 maps_hosts;  /* 1: IRIHost is on, the engine is not
                                        off */
} mod_iri_server_t;

/* Bits of mod_iri_dir_t.has: what was said here */
#define MOD_IRI_HAS_CHARSETS 0x1u
#define MOD_IRI_HAS_NAMES    0x2u
#define MOD_IRI_HAS_MATCH    0x4u
#define MOD_IRI_HAS_CHOICES  0x8u
#define MOD_IRI_HAS_REPAIR   0x10u

/* Settings of a place. */
typedef struct mod_iri_dir_s {
    iri_tree_conf_t tree;
    unsigned        has;
    int             redirect; /* 0: off, HTTP status, IRI_REDIRECT_LINK, or
                                 MOD_IRI_UNSET */
    int             listing;  /* 0: off, 1: on, or MOD_IRI_UNSET */
} mod_iri_dir_t;

/* A <Directory> that says something about names on disk. */
typedef struct {
    const char          *name; /* canonical, ends with "/"; or pattern */
    unsigned             components; /* as httpd counts them */
    int                  is_pattern; /* 1: fnmatch */
    ap_regex_t          *regex;      /* NULL: none */
    const mod_iri_dir_t *dir;
    iri_tree_conf_t      tree; /* what holds where no other section does */
} mod_iri_section_t;

/* A <Directory> whose name is not ASCII, no pattern. */
typedef struct {
    const char         *path;   /* as it was written, ends with "/" */
    const char         *name;   /* canonical, ends with "/" */
    apr_array_header_t *octets; /* const char *: how sections say it */
} mod_iri_directory_t;

static inline mod_iri_server_t *
mod_iri_server(const server_rec *s)
{
    return ap_get_module_config(s->module_config, &iri_module);
}

/* ---- the request -------------------------------------------------------- */

/*
 * What is known of a request; in its request_config.  Most requests have
 * none: a plain ASCII path costs no memory.
 */
typedef struct {
    int           has_reading;
    iri_reading_t reading; /* how the client wrote the path */
    char         *sent;    /* that, percent-encoded; NULL: it was not read */
    const char   *uri;     /* percent-encoded canonical path, as it was
                                  put into r->uri; NULL: nothing was put */
    const char   *path;    /* canonical path, for variables */
    const char   *decoded; /* r->uri where that was put into it, decoded,
                                  before httpd did so; else NULL */
    iri_str_t     charset; /* for variables; empty for none */
    iri_form_t    form;
    int           refused;  /* HTTP status to answer, or 0 */
    const char   *unparsed; /* r->unparsed_uri while another is in its
                                  place; else NULL */

    const char            *root; /* that mod_iri_map_root() has found; else
                                    NULL */
    const char            *place; /* r->filename in canonical names, for
                                     settings; NULL: not looked for */
    int                    has_found;
    iri_search_t           search;
    iri_found_t            found;
    int                    is_mapped; /* 1: what was found is in place */
    int                    is_named;  /* 1: and its octets below search.root
                                         are what it is called */

    int                traced;       /* 1: each look is told in the log */
    int                restarted;    /* 1: with the path of what was found */
    int                plain;        /* 1: that and what was asked are ASCII */
    int                depends;      /* 1: another client may get another
                                        answer, once access is granted */
    const char        *varies;       /* Vary as it was set for that before
                                        access is granted; NULL: it was not */
    const char        *varied;       /* and before it was set; NULL: unset */
    struct mod_iri_asker_s *asker;   /* NULL: a subrequest is not to ask */
    int                has_vars;     /* 1: the environment is kept right, for
                                        somebody may read it */
    iri_match_t        moved_by;     /* what was ignored to restart */
    iri_why_t          moved_why;    /* why it restarted */
} mod_iri_request_t;

/*
 * What stands in the request_config of a request of which so little is known
 * that it needs no memory; never written.
 */
typedef enum {
    MOD_IRI_PLAIN,          /* its path is plain ASCII */
    MOD_IRI_PLAIN_EXACT,    /* it is, and is on disk as it was asked for */
    MOD_IRI_UNITS,          /* it is, but "%uXXXX" was sent */
    MOD_IRI_URI_SUBREQUEST, /* a subrequest for a URI, not for a file */
    MOD_IRI_MARKS
} mod_iri_mark_t;

extern const mod_iri_request_t mod_iri_marks[MOD_IRI_MARKS];

static inline int
mod_iri_is_marked(const request_rec *r, mod_iri_mark_t mark)
{
    return ap_get_module_config(r->request_config, &iri_module)
           == &mod_iri_marks[mark];
}

/* Is the path of a request plain ASCII, of which no more is known? */
static inline int
mod_iri_is_plain(const request_rec *r)
{
    return mod_iri_is_marked(r, MOD_IRI_PLAIN);
}

/* What is known; NULL: nothing. */
static inline mod_iri_request_t *
mod_iri_request(const request_rec *r)
{
    mod_iri_request_t *ctx = ap_get_module_config(r->request_config,
                                                  &iri_module);

    return ctx >= mod_iri_marks && ctx < mod_iri_marks + MOD_IRI_MARKS ? NULL
                                                                       : ctx;
}

/* It gets a mark, if nothing is known. */
void mod_iri_request_mark(request_rec *r, mod_iri_mark_t mark);

/* What is known, made if there is nothing; never NULL. */
mod_iri_request_t *mod_iri_request_make(request_rec *r);

/* What is known of a request whose path is plain; path lives as long as it. */
void mod_iri_set_plain(const request_rec *r, mod_iri_request_t *ctx,
                       const char *path);

/* Read a path, unescaped, that httpd or a rule has made: nothing came raw. */
iri_status_t mod_iri_read_made(const server_rec *s, const iri_env_t *env,
                               iri_str_t path, iri_reading_t *out);

/*
 * Put the canonical path of a request in place of what came: percent-encoded,
 * or decoded where nobody sees it before httpd would decode it.
 */
void mod_iri_put_path(request_rec *r, mod_iri_request_t *ctx);

/* An env for the core in the pool and the log of a request. */
void mod_iri_env(iri_env_apr_t *env, request_rec *r);

/* A subrequest that names a file on disk, not a URI. */
int mod_iri_is_file_subrequest(const request_rec *r);

static inline iri_str_t
mod_iri_str(const char *text)
{
    iri_str_t str = { strlen(text), (const unsigned char *) text };

    return str;
}

static inline char *
mod_iri_dup(apr_pool_t *pool, iri_str_t str)
{
    return apr_pstrmemdup(pool, str.len ? (const char *) str.data : "",
                          str.len);
}

static inline int
mod_iri_is_same(iri_str_t a, iri_str_t b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline int
mod_iri_equal(iri_str_t str, const char *text)
{
    return str.len == strlen(text) && memcmp(str.data, text, str.len) == 0;
}

/* ---- mod_iri_check.c ---------------------------------------------------- */

/*
 * httpd reads its configuration twice at a start.  1: this is the first time,
 * and what is warned of will be so again.
 */
int mod_iri_is_trial(void);

/* At a start, what is wrong and goes on all the same. */
#define mod_iri_warn_once(s, ...)                                            \
    do {                                                                     \
        if (!mod_iri_is_trial()) {                                           \
            ap_log_error(APLOG_MARK, APLOG_WARNING, 0, (s), __VA_ARGS__);    \
        }                                                                    \
    } while (0)

/* Warn of all that does nothing. */
void mod_iri_check_config(apr_pool_t *pool, server_rec *main_server);

/* ---- mod_iri_status.c --------------------------------------------------- */

/* While directives are run: is the handler iri-status said in one? */
int mod_iri_uses_status(void);

void mod_iri_status_hooks(void);
int  mod_iri_status_register(apr_pool_t *pconf, apr_pool_t *plog,
                             apr_pool_t *ptemp);

/* With the pool of a request: what its counting needs. */
extern const char mod_iri_counted_key[];

/* What is not known any more when a request is logged. */
void mod_iri_status_host(request_rec *r, const iri_host_t *host);
void mod_iri_status_redirected(request_rec *r, int status);
void mod_iri_status_would(request_rec *r, const iri_report_t *report);

/* ---- mod_iri_notes.c ---------------------------------------------------- */

/* With the pool of a request: its notes. */
extern const char mod_iri_notes_key[];

/*
 * Note something for the one line that the log gets of a request: format as
 * of printf; what is not the program's own is shown by iri_show().
 */
void mod_iri_note(request_rec *r, iri_log_level_t level, const char *code,
                  const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void mod_iri_note_error(request_rec *r, const char *what,
                        iri_status_t status);

/* The same for what the core notes; NULL: nobody wants to know. */
iri_notes_t *mod_iri_notes(request_rec *r, iri_log_level_t level);

/* iri_env_t.log; arg: a request */
void mod_iri_log(void *arg, iri_log_level_t level, iri_str_t line);

/* ---- mod_iri_uses.c ----------------------------------------------------- */

/* While directives are run: may a request be redirected, or be in conflict? */
int mod_iri_uses_redirects(void);

/* May one be for choices, or for a listing? */
int mod_iri_uses_asking(void);

/* When all have been. */
mod_iri_readers_t mod_iri_uses_vars(void);

/* The tree of directives: the next one in the order of the file, or NULL. */
const ap_directive_t *mod_iri_next_directive(const ap_directive_t *at);
int mod_iri_is_directive(const ap_directive_t *at, const char *name);

/* Is it one of names, which end with NULL? */
int mod_iri_is_one_of(const ap_directive_t *at, const char *const *names);

/* ---- mod_iri_read.c ----------------------------------------------------- */

/* How paths of a request are read. */
const iri_reading_conf_t *mod_iri_reading_conf(request_rec            *r,
                                               const mod_iri_server_t *conf);

/* ---- mod_iri_early.c ---------------------------------------------------- */

/*
 * When all hooks are known: does nobody look at the path of a request before
 * httpd has decoded it?
 */
int mod_iri_is_unseen(void);

/*
 * While directives are run: has httpd alone hooks of map_to_storage, and has no
 * other module one of fixups as early as APR_HOOK_FIRST?
 */
int mod_iri_is_only_mapper(void);
int mod_iri_is_first_fixup(void);

/* ---- mod_iri_config.c --------------------------------------------------- */

/* The registry of charsets of a configuration, in its pool; NULL: no ICU. */
iri_registry_t *mod_iri_registry(apr_pool_t *pconf);

int  mod_iri_post_config(apr_pool_t *pconf, apr_pool_t *plog,
                         apr_pool_t *ptemp, server_rec *main_server);
void mod_iri_child_init(apr_pool_t *pchild, server_rec *main_server);

/* ---- mod_iri_directory.c ------------------------------------------------ */

/* The path of a <Directory> as a canonical path; itself if it has none. */
const char *
mod_iri_canonical(const server_rec *s, const char *path, iri_env_apr_t *env);

/* Give each <Directory> of a server the octets that its name has on disk. */
void mod_iri_add_directories(server_rec *s, iri_env_apr_t *env);

/* Is r->filename in a <Directory> that no section's octets stand for? */
int mod_iri_is_unguarded(request_rec *r);

/* ---- mod_iri_native.c --------------------------------------------------- */

/*
 * The path of an internal redirect, percent-encoded or raw, without the octets
 * of the disk that stand for names of the request before.
 */
const char *mod_iri_without_native(request_rec *r, mod_iri_server_t *conf,
                                   const char *path);

/* A Location that a rule made of the path of r, if it leads to this server. */
const char *mod_iri_location_in_names(request_rec *r, const char *value);

/*
 * Names of entries for octets of the disk, with "/"; NULL: one has none.
 * directory: that they begin in, in canonical names.
 */
const char *mod_iri_names(request_rec *r, iri_env_apr_t *env,
                          const char *directory, const char *octets);

/* ---- mod_iri_place.c ---------------------------------------------------- */

/*
 * The settings by which the names in a directory are read and written: those
 * of the <Directory> sections that hold it.  directory: its path in the file
 * system in canonical names, with or without "/" at its end.  The result lives
 * as long as pool.
 */
const iri_tree_conf_t *mod_iri_tree_of(const mod_iri_server_t *conf,
                                       const char             *directory,
                                       apr_pool_t             *pool);

/* Of the directory that r->filename is, or that it is in if it is a file. */
const iri_tree_conf_t *mod_iri_tree_within(request_rec *r);

/* Of the directory that the last segment of r->filename is a name in. */
const iri_tree_conf_t *mod_iri_tree_above(request_rec *r);

/* r->filename in canonical names, as far as they are known. */
const char *mod_iri_place_of(request_rec *r);

/*
 * Fill in the settings of a search whose root and path are known, for an env
 * of mod_iri_env().
 */
void mod_iri_search_places(request_rec *r, iri_search_t *search);

/* The same for the start, when no request may be led to another name. */
void mod_iri_search_unfolded(const mod_iri_server_t *conf,
                             iri_search_t           *search);

/* *to gets what add says. */
void mod_iri_tree_add(iri_tree_conf_t *to, const mod_iri_dir_t *add);

/* What was said outside all sections, before mod_iri_tree_finish(). */
void mod_iri_tree_base(const mod_iri_server_t *conf, iri_tree_conf_t *tree);
void mod_iri_tree_finish(const mod_iri_server_t *conf, iri_tree_conf_t *tree);

/* ---- mod_iri_ask.c ------------------------------------------------------ */

/* Who asks, on behalf of the client of a request. */
typedef struct mod_iri_asker_s {
    request_rec      *r;
    ap_conf_vector_t *own;     /* settings of r */
    ap_conf_vector_t *other;   /* the same, elsewhere */
    int               knows_user; /* 1: r->user was asked who he is */
    int               patterns; /* 1: <DirectoryMatch> tells names apart */
    void             *walk;     /* what httpd keeps of r, while that is away */
    int               unnamed; /* 1: what is asked for are octets that no
                                  charset reads, and they pass */
    const char       *path;    /* canonical, of uri, which is ASCII: both as
                                  reading would give them; NULL: unknown */
    const char       *uri;

    /* What the rules have led the last subrequest to; in its pool. */
    const char *filename; /* NULL: to nothing */
    const char *path_info;
    apr_finfo_t finfo;
} mod_iri_asker_t;

void mod_iri_ask_begin(mod_iri_asker_t *asker, request_rec *r);

/*
 * A subrequest for a path, percent-encoded, perhaps with a query; what was
 * answered is to be destroyed with ap_destroy_sub_req().
 */
request_rec *mod_iri_ask(mod_iri_asker_t *asker, const char *uri);

/* One for an entry of the directory of r, by its octets. */
request_rec *mod_iri_ask_entry(mod_iri_asker_t   *asker,
                               const apr_finfo_t *entry);

/* Who asks for r; NULL: nobody. */
mod_iri_asker_t *mod_iri_asker(const request_rec *r);

/* Of what is asked for: before all, after walks, before mod_dir; and before
   and after mod_rewrite. */
int  mod_iri_judge_anew(request_rec *r);
int  mod_iri_judge_headers(request_rec *r);
void mod_iri_ask_keep(request_rec *r);
int  mod_iri_ask_user(request_rec *r);
int  mod_iri_ask_alone(request_rec *r);
int  mod_iri_ask_together(request_rec *r);

/* %{IS_SUBREQ} of expressions; of what is asked for it is "false". */
int mod_iri_ask_expr_lookup(ap_expr_lookup_parms *parms);

/* Could the server read what a subrequest has found? */
int mod_iri_is_readable(request_rec *rr);

/* Of a page that tells names: the policy of its own, unless it has one. */
void mod_iri_protect(request_rec *r, const char *policy);

/* ---- mod_iri_choice.c --------------------------------------------------- */

/*
 * In fixups, where found.verdict is CHOOSE: tell the client of what it could
 * get.  DECLINED: nothing is to be told, and the name is absent.  What would
 * be written is refused.
 */
int mod_iri_choose(request_rec *r, mod_iri_request_t *ctx);

/* ---- mod_iri_restart.c -------------------------------------------------- */

typedef struct mod_iri_snapshot_s mod_iri_snapshot_t;

/* Keep the state of a request that was just read, if it may restart. */
void mod_iri_snapshot_take(request_rec *r);

/* Is an internal redirect, whose r->prev is set, the page of an error? */
int mod_iri_is_error_page(const request_rec *r);

/* In translate_name: this is the path that its rules judge. */
void mod_iri_snapshot_url(request_rec *r);

/* That of the request that was read; NULL: it cannot restart. */
mod_iri_snapshot_t *mod_iri_snapshot(const request_rec *r);

/* Did it restart, or the request from which rules redirected to it? */
int mod_iri_is_restarted(const request_rec *r);

/*
 * Restart with the names that were found, moved->found; the status is what
 * map_to_storage shall return.  DECLINED: it cannot restart, and is as it was.
 */
int mod_iri_restart(request_rec *r, const mod_iri_request_t *moved);

/* ---- mod_iri_answer.c --------------------------------------------------- */

/*
 * Has a RewriteRule of a directory set another path for r?  mod_rewrite's
 * handler redirects to it; only there is it known what answers.
 */
int mod_iri_is_led_on(const request_rec *r);

/* ---- mod_iri_location.c ------------------------------------------------- */

/* In fixups: names of variants that mod_negotiation took from the disk. */
void mod_iri_negotiated(request_rec *r);

/* In fixups: the page gets a Link to what iri_redirect_location() gave. */
int mod_iri_add_link(request_rec *r, iri_str_t location);

/* ---- mod_iri_dav.c ------------------------------------------------------ */

/* Is this where COPY or MOVE writes, a subrequest of mod_dav? */
int mod_iri_dav_is_destination(const request_rec *r);

/*
 * 409 for what cannot be made, also as a Destination, with a page that says
 * why, unless ErrorDocument has another.
 */
int mod_iri_dav_conflict(request_rec *r, iri_why_t why);

/* ---- mod_iri_advertise.c ------------------------------------------------ */

int  mod_iri_advertise(request_rec *r);   /* in post_read_request */
void mod_iri_advertise_insert(request_rec *r);
void mod_iri_advertise_register(void);

/* ---- mod_iri_client.c --------------------------------------------------- */

/* While directives are run: does one set iri-charset? */
int mod_iri_uses_client(apr_pool_t *pool);

/* In post_config: OK, or a status. */
int mod_iri_client_prepare(server_rec *main_server, apr_pool_t *pconf,
                           apr_pool_t *ptemp, iri_registry_t *registry);

/* The value of iri-charset; NULL: it is not set. */
const char *mod_iri_client_says(const request_rec      *r,
                                const mod_iri_server_t *conf);

/* How a request is read for which it has this value. */
const iri_reading_conf_t *mod_iri_client_conf(request_rec            *r,
                                              const mod_iri_server_t *conf,
                                              const char             *value);

/* A path was read, and perhaps looked for: the answer may need Vary. */
void mod_iri_client_depends(request_rec *r, mod_iri_request_t *ctx);

/* Behind all that may deny, in fixups: says it only where it does. */
int mod_iri_client_passed(request_rec *r);

/* ---- mod_iri_host.c ----------------------------------------------------- */

/*
 * Put A-labels in the place of host, a part of text.  0: it stays; out is
 * written only if it does not.
 */
int mod_iri_host_replace(request_rec *r, iri_str_t text, iri_str_t host,
                         iri_str_t *out);

/* Map the host of a stream of HTTP/2, in the header fields that came. */
void mod_iri_host_of_stream(request_rec *r, apr_table_t *headers);

/* ---- mod_iri_vhost.c ---------------------------------------------------- */

/* Who is at which address; while the configuration is read. */
typedef struct mod_iri_vhosts_s mod_iri_vhosts_t;

/* Make the settings of hosts, and names known; says what to tell httpd. */
int mod_iri_prepare_hosts(apr_pool_t *pconf, apr_pool_t *plog,
                          apr_pool_t *ptemp, server_rec *main_server);

/*
 * By which rules hosts are mapped that may select this server: those of the
 * first virtual host of each of its addresses.  NULL: by none.
 */
const iri_host_conf_t *mod_iri_rules(const mod_iri_vhosts_t *vhosts,
                                     const server_rec       *s);

/* Have they an address in common? */
int mod_iri_share_address(const server_rec *a, const server_rec *b);

/* Where a server is configured: "file:line". */
const char *mod_iri_place(apr_pool_t *pool, const server_rec *s);

/* ---- mod_iri_names.c ---------------------------------------------------- */

/* Give names that are not ASCII their A-labels; warn of those without. */
iri_status_t mod_iri_add_names(const mod_iri_vhosts_t *vhosts,
                               server_rec *main_server, apr_pool_t *pconf,
                               apr_pool_t *ptemp);

/* ---- mod_iri_root.c ----------------------------------------------------- */

/* A directory that mod_vhost_alias named by A-labels may bear U-labels. */
void mod_iri_map_root(request_rec *r);

/* ---- mod_iri_query.c ---------------------------------------------------- */

/* Put r->args into UTF-8.  DECLINED: go on; else a status. */
int mod_iri_read_query(request_rec *r);

/* What that is for variables; NULL: there is no query. */
const char *mod_iri_query(request_rec *r);

/* The query as the client sent it; NULL: none. */
const char *mod_iri_query_sent(const request_rec *r);

/* The path as it was sent, percent-encoded or raw; empty: it is not known. */
iri_str_t mod_iri_path_sent(const request_rec *r);

/* r->unparsed_uri with r->args in it; NULL: it has them. */
const char *mod_iri_query_lent(const request_rec *r);

/* ---- hooks -------------------------------------------------------------- */

void mod_iri_line_register(void); /* mod_iri_line.c */
void mod_iri_pre_read(request_rec *r, conn_rec *c);
void mod_iri_pre_read_stream(request_rec *r, conn_rec *c);

int mod_iri_check_host(request_rec *r); /* mod_iri_host.c */

int mod_iri_post_read(request_rec *r); /* mod_iri_read.c */
int mod_iri_post_read_origin(request_rec *r);
int mod_iri_post_read_absolute(request_rec *r);
int mod_iri_post_read_client(request_rec *r);
int mod_iri_pre_translate(request_rec *r);
int mod_iri_decode(request_rec *r);
int mod_iri_check(request_rec *r);
int mod_iri_restore(request_rec *r);

int mod_iri_map(request_rec *r); /* mod_iri_disk.c */
int mod_iri_absent(request_rec *r);

int mod_iri_walk(request_rec *r); /* mod_iri_walk.c */

int mod_iri_fixups(request_rec *r); /* mod_iri_answer.c */
int mod_iri_redirect(request_rec *r);
int mod_iri_redirect_directory(request_rec *r);

int mod_iri_list(request_rec *r); /* mod_iri_listing.c */
int mod_iri_list_user(request_rec *r);

void mod_iri_location_register(void); /* mod_iri_location.c */
void mod_iri_location_insert(request_rec *r);
void mod_iri_location_insert_error(request_rec *r);

void mod_iri_dav_register(void); /* mod_iri_dav.c */
int  mod_iri_dav_fixups(request_rec *r);
void mod_iri_dav_insert(request_rec *r);

/* ---- mod_iri_function.c ------------------------------------------------- */

int mod_iri_register_maps(apr_pool_t *pconf, apr_pool_t *plog,
                          apr_pool_t *ptemp);
int mod_iri_expr_lookup_function(ap_expr_lookup_parms *parms);

/* ---- mod_iri_vars.c ----------------------------------------------------- */

void mod_iri_vars_reading(request_rec *r, const mod_iri_request_t *ctx);
void mod_iri_vars_redirected(request_rec *r);
void mod_iri_vars_match(request_rec *r, const mod_iri_request_t *ctx);
void mod_iri_vars_exact(request_rec *r, const mod_iri_request_t *ctx);
void mod_iri_vars_last(request_rec *r, const mod_iri_request_t *ctx);
void mod_iri_vars_of_place(request_rec *r, mod_iri_request_t *ctx);
void mod_iri_vars_error_page(request_rec *r);
int  mod_iri_expr_lookup(ap_expr_lookup_parms *parms);

/* While directives are run, and later: which ones does a log name? */
unsigned mod_iri_vars_logged(void);

int mod_iri_vars_log(request_rec *r);

#pragma GCC visibility pop

#endif /* MOD_IRI_H */
