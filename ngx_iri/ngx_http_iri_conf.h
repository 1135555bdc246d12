/*
 * ngx_http_iri_conf.h - functions while nginx reads its configuration
 *
 * Setters, warnings, and initialization.  If nothing else is said, arguments
 * must not be NULL, results are in cf->pool, and a function returns NGX_OK or
 * NGX_ERROR, or a pointer that is NULL if memory is exhausted.  Setters and
 * functions that end a setter return NGX_CONF_OK, or the error message.
 */

#ifndef NGX_HTTP_IRI_CONF_H
#define NGX_HTTP_IRI_CONF_H

#include "ngx_http_iri.h"

#pragma GCC visibility push(hidden)

/* ---- ngx_http_iri_conf.c ------------------------------------------------ */

/* Set *env to an environment that allocates from cf->pool and logs warnings. */
void ngx_http_iri_conf_env(ngx_conf_t *cf, iri_env_t *env);

/*
 * The registry of charsets, created at the first call: where iri is off ICU's
 * data are not loaded.  Returns: NULL if they cannot be loaded.
 */
iri_registry_t *ngx_http_iri_registry(ngx_conf_t *cf);

/* The arguments of the directive that is being read, in cf->temp_pool */
iri_str_t *ngx_http_iri_arguments(ngx_conf_t *cf);

/* Setters of directives that take a flag, or words at cmd->post */
char *ngx_http_iri_set_flag(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_iri_set_words(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Setter of directives that take charsets.  cmd->post:
 *
 *   NULL                       of names on disk; sets an iri_charsets_t *
 *   ngx_http_iri_of_paths      the same; "none" is valid, too
 *   ngx_http_iri_of_queries    sets an iri_query_conf_t *; "none" and "nfc" are
 *                              valid, too
 */
char *ngx_http_iri_set_charsets(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
extern const char ngx_http_iri_of_paths[];
extern const char ngx_http_iri_of_queries[];

/* Compile a text with variables. */
ngx_int_t ngx_http_iri_compile(ngx_conf_t *cf, ngx_str_t *text,
    ngx_http_complex_value_t *value);

/*
 * Append the invalid argument to the error message of a setter: "must be a
 * number" → "must be a number, not \"x\"".  word: index of the argument in
 * cf->args; cf->args->nelts if no single argument is invalid.
 * Returns: the message; error alone if memory is exhausted.
 */
char *ngx_http_iri_conf_error(ngx_conf_t *cf, const char *error,
    ngx_uint_t word);

/* The configuration of a feature that has one flag, off by default */
typedef struct {
    ngx_flag_t enabled;
} ngx_http_iri_flag_conf_t;

/* Its create_srv_conf or create_loc_conf, and its merge */
void *ngx_http_iri_flag_create(ngx_conf_t *cf);
char *ngx_http_iri_flag_merge(ngx_conf_t *cf, void *parent, void *child);

/*
 * The value of an ngx_module_t; its members that are not set are NULL.
 *
 *   ctx        address of the ngx_http_module_t
 *   commands   the directives; NULL: none
 *   init       init_process, called when a worker starts; NULL: none
 */
#define NGX_HTTP_IRI_MODULE(ctx, commands, init)                             \
    { NGX_MODULE_V1, ctx, commands, NGX_HTTP_MODULE, NULL, NULL, init, NULL, \
      NULL, NULL, NULL, NGX_MODULE_V1_PADDING }

/* Returns: 1 for a location with a regular expression. */
static inline ngx_uint_t
ngx_http_iri_is_regex(const ngx_http_core_loc_conf_t *clcf)
{
#if (NGX_PCRE)
    return clcf->regex != NULL;
#else
    return 0;
#endif
}

/* Returns: the file and line that nginx is reading. */
iri_position_t ngx_http_iri_conf_position(ngx_conf_t *cf);

/*
 * Add the directive that is being read to those that ngx_http_iri_check()
 * checks, as the end of a setter.  charsets: the list in its arguments; NULL:
 * none.
 */
char *ngx_http_iri_check_setting(ngx_conf_t *cf,
    const iri_charsets_t *charsets);

/*
 * Add the iri_host of a server for one of its listening addresses.  first: the
 * default server of that address.
 */
ngx_int_t ngx_http_iri_check_host(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, ngx_http_core_srv_conf_t *first);

/*
 * Log a warning if a name of a server does not select that server.  For the
 * arguments see iri_config_check_name().
 */
ngx_int_t ngx_http_iri_check_name(ngx_conf_t *cf, ngx_str_t name,
    ngx_http_core_srv_conf_t *cscf, const iri_host_t *host,
    ngx_http_core_srv_conf_t *owner);

/* Log warnings about the directives that were added, and all locations. */
ngx_int_t ngx_http_iri_check(ngx_conf_t *cf);


/* ---- ngx_http_iri_settings.c -------------------------------------------- */

/* Set enclosing and prefix of all locations, before root is replaced. */
void ngx_http_iri_settings_init(const ngx_array_t *locations);


/* ---- ngx_http_iri_root.c ------------------------------------------------ */

/* Replace root and alias by the script where iri is on. */
ngx_int_t ngx_http_iri_root_init(ngx_conf_t *cf);

/*
 * Find a directive of an HTTP module by its name, for example "flv" of
 * "ngx_http_flv_module", and set *module: nginx may be built without the module,
 * so its symbol cannot be used.  Returns: NULL if nginx does not have it.
 */
ngx_command_t *ngx_http_iri_command_named(ngx_conf_t *cf, const char *name,
    const char *directive, ngx_module_t **module);


/* ---- ngx_http_iri_try_files.c ------------------------------------------- */

/* In preconfiguration: wrap the setter. */
ngx_int_t ngx_http_iri_try_files_begin(ngx_conf_t *cf);

/*
 * In postconfiguration, and as a pool cleanup handler if nginx fails before:
 * restore the setter.  data: not used.
 */
void ngx_http_iri_try_files_end(void *data);

/* Disable nginx's own handler, after ngx_http_iri_root_init(). */
ngx_int_t ngx_http_iri_try_files_init(ngx_conf_t *cf);


/* ---- one feature each ---------------------------------------------------- */

/*
 * ngx_http_iri_read.c: the end of the setter of iri_charset, if its argument is
 * a variable: set iscf->charset_variable
 */
char *ngx_http_iri_client_set(ngx_conf_t *cf, ngx_http_iri_srv_conf_t *iscf);

/*
 * ngx_http_iri_names.c: add the A-labels of each name of a server to the names
 * of that server, and set $server_name to the A-labels of its first name.  To
 * be called before ngx_http_iri_check().
 */
ngx_int_t ngx_http_iri_names_init(ngx_conf_t *cf);

/* ngx_http_iri_variables.c, in preconfiguration: add $iri_... */
ngx_int_t ngx_http_iri_variables_add(ngx_conf_t *cf);

/* In postconfiguration: replace the getters of some variables of nginx. */
ngx_int_t ngx_http_iri_variables_wrap(ngx_conf_t *cf);

/*
 * ngx_http_iri_phases.c: register the phase handlers, at the end of
 * postconfiguration.
 */
ngx_int_t ngx_http_iri_phases_init(ngx_conf_t *cf);

#pragma GCC visibility pop

#endif /* NGX_HTTP_IRI_CONF_H */
