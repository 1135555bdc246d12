/*
 * mod_iri_probe.h - subrequests that test what the client may get
 */

#ifndef MOD_IRI_PROBE_H
#define MOD_IRI_PROBE_H

#include "mod_iri.h"

#include "iri_listing.h"

#pragma GCC visibility push(hidden)

/*
 * Probes: subrequests that test what the client of r would get for other
 * paths.  Rules judge them as requests of the client.
 */
typedef struct mod_iri_probe_s {
    request_rec      *r;
    ap_conf_vector_t *per_dir;      /* r->per_dir_config */
    ap_conf_vector_t *per_dir_copy; /* a copy at another address */
    int               unnamed; /* 1: no charset decodes the last probe's path,
                                  which is judged as it is */
    int               authenticated; /* 1: r->user was authenticated */
    int               directory_match; /* 1: there is a <DirectoryMatch> */
    void             *walk_cache;   /* httpd's directory walk cache of r while
                                       it is removed from r; else NULL */

    /* the file to which rules have mapped the last probe; in its pool */
    const char *filename;      /* NULL: none */
    const char *path_info;     /* NULL: none */
    apr_finfo_t finfo;
} mod_iri_probe_t;

void mod_iri_probe_init(mod_iri_probe_t *probe, request_rec *r);

/* Returns: whether the client gets the name for which rr is the probe. */
typedef iri_name_result_t (*mod_iri_probe_result_t)(
    void *data, const iri_listing_entry_t *entry, request_rec *rr);

/*
 * Judge the names of a page by a probe for each path.
 * query: of the probes; NULL: none.  pool: cleared after each probe.
 */
iri_status_t mod_iri_probe_names(mod_iri_probe_t *probe,
                                 iri_listing_t *listing, const char *query,
                                 apr_pool_t            *pool,
                                 mod_iri_probe_result_t result, void *data);

/*
 * Run a subrequest for the path of an entry in the directory r->filename.
 * entry->name: octets on disk.  Returns: the subrequest; the caller destroys it
 * with ap_destroy_sub_req().
 */
request_rec *mod_iri_probe_entry(mod_iri_probe_t   *probe,
                                 const apr_finfo_t *entry);

/*
 * Returns: 1 if the server could read the file or directory to which a
 * subrequest was mapped, or if another handler serves the file.
 */
int mod_iri_is_readable(request_rec *rr);

#pragma GCC visibility pop

#endif /* MOD_IRI_PROBE_H */
