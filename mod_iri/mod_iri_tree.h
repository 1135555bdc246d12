/*
 * mod_iri_tree.h - settings and canonical names of directories on disk
 */

#ifndef MOD_IRI_TREE_H
#define MOD_IRI_TREE_H

#include "mod_iri.h"

#pragma GCC visibility push(hidden)

/* ---- mod_iri_tree.c ----------------------------------------------------- */

/*
 * Returns: the settings for the names in a directory: those of the
 * <Directory> sections that contain it, merged; lives as long as pool.
 * directory: path in the file system with canonical names, with or without "/"
 * at its end.
 */
iri_tree_conf_t *mod_iri_tree_of(const mod_iri_server_conf_t *conf,
                                 const char *directory, apr_pool_t *pool);

/* The same for r->filename, or for its directory if it is a file. */
const iri_tree_conf_t *mod_iri_tree_of_filename(request_rec *r);

/* The same for the directory that contains the last segment of r->filename. */
const iri_tree_conf_t *mod_iri_tree_of_parent(request_rec *r);

/* Returns: the path of a search below its root. */
static inline iri_str_t
mod_iri_names_below_root(const iri_search_t *search)
{
    iri_str_t names = search->path;

    names.data += search->prefix;
    names.len -= search->prefix;
    return names;
}

/*
 * Returns: the canonical path in the file system.
 * names: the canonical path below root, the root of a search.
 */
const char *mod_iri_path_below_root(request_rec *r, iri_str_t root,
                                    iri_str_t names);

/*
 * Returns: r->filename with canonical names: ctx->settings_path, or those of
 * the path that was looked up, or by the settings of each directory.
 */
const char *mod_iri_settings_path(request_rec *r);

/* Set the settings of a search whose root is set, for its use with env. */
void mod_iri_search_set_trees(const server_rec *server, const iri_env_t *env,
                              iri_search_t *search);

/*
 * Returns: an absolute path without empty segments and dot-segments, as
 * ap_directory_walk() compares it with sections; path itself if it is relative.
 */
const char *mod_iri_merged_path(apr_pool_t *pool, const char *path);

/*
 * Returns: the canonical path of a directory, in the pool of env, without empty
 * segments and dot-segments.  Segments that no charset decodes keep their
 * octets.
 * path: as in <Directory> or DocumentRoot, or octets on disk.
 */
const char *mod_iri_canonical_path(const server_rec *s, const char *path,
                                   const iri_env_t *env);

/*
 * Returns: the canonical names for native octets of one or more segments,
 * separated by "/"; NULL: one of them cannot be decoded.
 * directory: the path of the directory that contains them, canonical.
 */
const char *mod_iri_entry_names(request_rec *r, const char *directory,
                                const char *octets);

/* ---- mod_iri_walk.c ----------------------------------------------------- */

/* In post_config: collect the <Directory> of a server that are not ASCII. */
void mod_iri_find_encoded_sections(server_rec *s, const iri_env_t *env);

/* ---- mod_iri_native.c --------------------------------------------------- */

/*
 * Replace native octets in the path of an internal redirect or of a PROPFIND
 * subrequest by canonical names.
 *
 * path: percent-encoded or raw.  Returns: the canonical path, percent-encoded;
 * path itself if it contains no native octets.
 * EUC-JP: "/%C9%BD/a.html" -> "/%e8%a1%a8/a.html"
 */
const char *
mod_iri_native_to_canonical(request_rec *r, mod_iri_server_conf_t *conf,
                            const char *path);

/*
 * The same for a Location field that a rule has made from the path of r.
 * value: URI or absolute path.  Returns: value itself if it leads to another
 * server or contains no native octets.
 */
const char *mod_iri_location_to_canonical(request_rec *r, const char *value);

#pragma GCC visibility pop

#endif /* MOD_IRI_TREE_H */
