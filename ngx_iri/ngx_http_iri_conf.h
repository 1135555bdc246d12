/*
 * ngx_http_iri_conf.h - functions while nginx reads its configuration
 *
 * Setters, warnings, and the initialization that ngx_http_iri_module.c calls.
 * If nothing else is said, arguments must not be NULL, and results are in
 * cf->pool
 */

#ifndef NGX_HTTP_IRI_CONF_H
#define NGX_HTTP_IRI_CONF_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_conf.c ------------------------------------------------ */

/* Set *env to an environment that has the memory of the configuration. */
void ngx_http_iri_conf_env(ngx_conf_t *cf, iri_env_t *env);

/*
 * The charsets of http{}, created when they are first needed: with iri off
 * ICU's data are not read.  Returns: NULL if these cannot be loaded.
 */
iri_registry_t *ngx_http_iri_registry(ngx_conf_t *cf);

/*
 * All arguments of the directive that is being read.
 * Returns: NULL if memory is exhausted.
 */
iri_str_t *ngx_http_iri_arguments(ngx_conf_t *cf);

/*
 * Setters of directives that take
 *
 *   ngx_http_iri_set_engine   on, off or report
 *   ngx_http_iri_set_word     one of the words at cmd->post
 *   ngx_http_iri_set_words    any of the words at cmd->post
 *
 * The last two warn if iri is off.
 */
char *ngx_http_iri_set_engine(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_iri_set_word(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_iri_set_words(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Make the error message of a setter.  error: the sentence of the core, e.g.
 * "must be ...".  word: index of the wrong word, 1 is the first after the name
 * of the directive; cf->args->nelts: no single word is wrong.
 * Returns: the message; error alone if memory is exhausted.
 */
char *ngx_http_iri_conf_wrong(ngx_conf_t *cf, const char *error,
    ngx_uint_t word);

typedef enum {
    NGX_HTTP_IRI_AT_START,
    NGX_HTTP_IRI_AT_END
} ngx_http_iri_position_t;

/* A handler at one end of the array of a phase */
typedef struct {
    ngx_uint_t phase;
    ngx_http_iri_position_t end;    /* AT_END: runs first; in the LOG phase
                                   last */
    ngx_http_handler_pt handler;
} ngx_http_iri_handler_t;

/*
 * Register the n handlers of a table, one after the other.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_register(ngx_conf_t *cf,
    const ngx_http_iri_handler_t *table, ngx_uint_t n);


/* ---- ngx_http_iri_check.c ----------------------------------------------- */

/* Initialize imcf->directives.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_check_create(ngx_conf_t *cf,
    ngx_http_iri_main_conf_t *imcf);

/* Where nginx reads the configuration now. */
iri_position_t ngx_http_iri_conf_position(ngx_conf_t *cf);

/*
 * Add the directive that is being read to those that are checked.  charsets:
 * its list; NULL: none.
 * Returns: NGX_CONF_OK; NGX_CONF_ERROR if memory is exhausted.
 */
char *ngx_http_iri_check_setting(ngx_conf_t *cf,
    const iri_charsets_t *charsets);

/* Add the location that is being merged.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_check_location(ngx_conf_t *cf,
    ngx_http_iri_srv_conf_t *iscf, const ngx_http_iri_loc_conf_t *ilcf);

/*
 * Add the iri_host of a server at an address.  first: the default server of
 * the address.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_check_host(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, ngx_http_core_srv_conf_t *first);

/*
 * Log a warning if a name of a server does not select it; the arguments are
 * those of iri_config_check_name().  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_check_name(ngx_conf_t *cf, ngx_str_t name,
    ngx_http_core_srv_conf_t *cscf, const iri_host_t *host,
    ngx_http_core_srv_conf_t *owner);

/* Log the warnings of all that was added.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_check(ngx_conf_t *cf);


/* ---- ngx_http_iri_levels.c ---------------------------------------------- */

/* Initialize imcf->levels.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_levels_create(ngx_conf_t *cf,
    ngx_http_iri_main_conf_t *imcf);

/*
 * Add a location, or a server, whose settings are merged.  parent: the level
 * that contains it.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_levels_add(ngx_conf_t *cf,
    ngx_http_iri_loc_conf_t *parent, ngx_http_iri_loc_conf_t *conf);

/*
 * Link the levels, when all are known and before root is replaced.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_levels_init(ngx_conf_t *cf);


/* ---- ngx_http_iri_root.c ------------------------------------------------ */

/*
 * Replace root and alias in the locations of imcf->hooks by the script.
 * Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_root_init(ngx_conf_t *cf);

/*
 * Find an HTTP module by its name, e.g. "ngx_http_realip_module": a module that
 * may be missing cannot be linked to.  Returns: NULL if nginx does not have it.
 */
ngx_module_t *ngx_http_iri_module_named(ngx_conf_t *cf, const char *name);


/* ---- ngx_http_iri_try_files.c ------------------------------------------- */

/* Before nginx reads the directives.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_try_files_begin(ngx_conf_t *cf);

/* When it has read them, or has failed; a cleanup handler.  data: not used. */
void ngx_http_iri_try_files_end(void *data);

/* After ngx_http_iri_root_init().  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_try_files_init(ngx_conf_t *cf);


/* ---- ngx_http_iri_client.c ---------------------------------------------- */

/*
 * Set iri_charset to the variable that it names.
 * Returns: NGX_CONF_OK, or the error message.
 */
char *ngx_http_iri_client_set(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf,
    iri_registry_t *registry);


/* ---- ngx_http_iri_variables.c ------------------------------------------- */

/* Before the configuration is read: add $iri_*.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_variables_add(ngx_conf_t *cf);

/* Replace the getters of nginx's variables.  Returns: NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_iri_variables_wrap(ngx_conf_t *cf);


/* ---- ngx_http_iri_phases.c ---------------------------------------------- */

/*
 * Register the handlers of all phases.  To be called last of all
 * initialization.  Returns: NGX_OK, NGX_ERROR.
 */
ngx_int_t ngx_http_iri_phases_init(ngx_conf_t *cf);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_CONF_H */
