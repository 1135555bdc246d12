/*
 * ngx_http_iri_check.c - warnings of settings and locations without effect
 *
 * The position of each directive is recorded while the configuration is read.
 * When the whole configuration is known, one warning is logged for each
 * directive of this module where iri is off, and for each location whose text
 * no canonical path can contain.  The core checks such a text
 * (iri_rule_check).
 */

#include "ngx_http_iri.h"


/* The text of a location, without its modifier. */
typedef struct {
    ngx_http_iri_directive_t *place;
    iri_rule_t                rule;
    ngx_str_t                 text;
} ngx_http_iri_location_text_t;


/* ---- recording the positions -------------------------------------------- */

ngx_int_t
ngx_http_iri_check_create(ngx_conf_t *cf, ngx_http_iri_main_conf_t *imcf)
{
    return ngx_array_init(&imcf->directives, cf->pool, 4,
                          sizeof(ngx_http_iri_directive_t *))
                       == NGX_OK
                   && ngx_array_init(&imcf->texts, cf->pool, 4,
                                     sizeof(ngx_http_iri_location_text_t))
                          == NGX_OK
               ? NGX_OK
               : NGX_ERROR;
}


ngx_http_iri_directive_t *
ngx_http_iri_conf_directive(ngx_conf_t *cf)
{
    ngx_http_iri_directive_t *place;

    place = ngx_pcalloc(cf->pool, sizeof(ngx_http_iri_directive_t));
    if (place == NULL) {
        return NULL;
    }

    place->name = *(ngx_str_t *) cf->args->elts;
    place->file = cf->conf_file->file.name;
    place->line = cf->conf_file->line;

    if (cf->cmd_type != NGX_HTTP_MAIN_CONF) {
        place->server = ngx_http_conf_get_module_srv_conf(
            cf, ngx_http_iri_module);
    }

    return place;
}


/* A directive that disables something never produces a warning. */
static ngx_uint_t
ngx_http_iri_conf_is_off(ngx_conf_t *cf)
{
    ngx_str_t *value = cf->args->elts;

    return cf->args->nelts == 2
           && (ngx_strcasecmp(value[1].data, (u_char *) "off") == 0
               || ngx_strcasecmp(value[1].data, (u_char *) "none") == 0);
}


ngx_http_iri_directive_t *
ngx_http_iri_conf_directive_checked(ngx_conf_t *cf)
{
    ngx_http_iri_directive_t *place, **slot;
    ngx_http_iri_main_conf_t *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    place = ngx_http_iri_conf_directive(cf);
    if (place == NULL || ngx_http_iri_conf_is_off(cf)) {
        return place;
    }

    slot = ngx_array_push(&imcf->directives);
    if (slot == NULL) {
        return NULL;
    }

    *slot = place;

    return place;
}


char *
ngx_http_iri_conf_wrong(ngx_conf_t *cf, const char *error, ngx_uint_t word)
{
    u_char    *p, *last;
    size_t     len;
    ngx_str_t *value = cf->args->elts;

    if (word >= cf->args->nelts) {
        return (char *) error;
    }

    len = ngx_strlen(error) + sizeof(", not \"\"") + value[word].len;

    p = ngx_pnalloc(cf->pool, len);
    if (p == NULL) {
        return (char *) error;
    }

    last = ngx_snprintf(p, len - 1, "%s, not \"%V\"", error, &value[word]);
    *last = '\0';

    return (char *) p;
}


/*
 * Split a modifier from the text of a location: "~^/a" → "^/a".  The result is
 * empty if name is a modifier alone.  *rule: text or regular expression.
 */
static ngx_str_t
ngx_http_iri_location_text(ngx_str_t name, iri_rule_t *rule)
{
    size_t n = 0;

    *rule = name.len != 0 && name.data[0] == '~' ? IRI_RULE_REGEX
                                                 : IRI_RULE_TEXT;

    if (*rule == IRI_RULE_REGEX) {
        n = name.len > 1 && name.data[1] == '*' ? 2 : 1;

    } else if (name.len != 0 && name.data[0] == '=') {
        n = 1;

    } else if (name.len > 1 && name.data[0] == '^' && name.data[1] == '~') {
        n = 2;
    }

    name.data += n;
    name.len -= n;

    return name;
}


/*
 * Called by create_loc_conf, while cf->args still is the "location" directive:
 * nginx itself stores neither file nor line of a location.
 */
ngx_int_t
ngx_http_iri_check_location(ngx_conf_t *cf, ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_str_t                    *value, text;
    iri_rule_t                    rule;
    ngx_http_iri_location_text_t *t;
    ngx_http_iri_main_conf_t     *imcf;

    if (cf->args == NULL || cf->args->nelts < 2) {
        return NGX_OK;
    }

    value = cf->args->elts;

    if (ngx_strcmp(value[0].data, "location") != 0) {
        return NGX_OK;
    }

    ilcf->place = ngx_http_iri_conf_directive(cf);
    if (ilcf->place == NULL) {
        return NGX_ERROR;
    }

    text = ngx_http_iri_location_text(value[1], &rule);

    if (cf->args->nelts == 3) {
        text = value[2];
    }

    if (text.len == 0 || text.data[0] == '@') {
        return NGX_OK;
    }

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);

    t = ngx_array_push(&imcf->texts);
    if (t == NULL) {
        return NGX_ERROR;
    }

    t->text = text;
    t->rule = rule;
    t->place = ilcf->place;

    return NGX_OK;
}


/* ---- settings without effect -------------------------------------------- */

/*
 * Is iri on in the server of the directive, or for a directive in http in any
 * server?  The settings of all servers have been merged.
 */
static unsigned
ngx_http_iri_is_used(const ngx_http_iri_main_conf_t *imcf,
                     const ngx_http_iri_directive_t *place)
{
    return place->server != NULL ? place->server->engine != IRI_ENGINE_OFF
                                 : imcf->switched_on;
}


/*
 * Several servers may include the same file.  A directive in it is used if one
 * of them uses it, and produces one warning at most.
 */
static void
ngx_http_iri_join_duplicates(ngx_http_iri_main_conf_t *imcf,
                             ngx_http_iri_directive_t *place)
{
    ngx_uint_t                 i;
    ngx_http_iri_directive_t **other = imcf->directives.elts;

    for (i = 0; i < imcf->directives.nelts; i++) {
        if (other[i]->line == place->line
            && ngx_http_iri_same(other[i]->file, place->file)
            && ngx_http_iri_same(other[i]->name, place->name))
        {
            place->used |= ngx_http_iri_is_used(imcf, other[i]);
            place->folds |= other[i]->folds;
            other[i]->checked = 1;
        }
    }
}


void
ngx_http_iri_check_folds(ngx_conf_t *cf, const ngx_http_iri_srv_conf_t *iscf,
                         const ngx_http_iri_loc_conf_t *ilcf)
{
    ngx_http_iri_directive_t *place = iscf->cache_directive;

    if (ilcf->ambiguous_directive != NULL) {
        ilcf->ambiguous_directive->folds = 1;
    }

    /* "used" prevents a second warning of the same directive. */
    if (iscf->cache_size == 0 && !place->used) {
        place->used = 1;
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "iri: with \"iri_cache off\" in %V:%ui \"iri_match\" "
                      "finds exact names only in directories of more than "
                      "%d: set a size, for example \"16m\"",
                      &place->file, place->line, IRI_MAX_ENTRIES_INLINE);
    }
}


/* Warnings of a directive in a server where iri is on. */
static void
ngx_http_iri_check_used(ngx_conf_t *cf, ngx_http_iri_directive_t *place)
{
    if (place->warning != NULL) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0, "iri: \"%V\" in %V:%ui %s",
                      &place->name, &place->file, place->line,
                      place->warning);
    }

    if (place->needs_folds && !place->folds) {
        ngx_log_error(
            NGX_LOG_WARN, cf->log, 0,
            "iri: \"%V\" in %V:%ui does nothing, since no names "
            "are folded there: write \"iri_match case;\", for example",
            &place->name, &place->file, place->line);
    }
}


static void
ngx_http_iri_check_setting(ngx_conf_t *cf, ngx_http_iri_main_conf_t *imcf,
                           ngx_http_iri_directive_t *place)
{
    if (place->checked) {
        return;
    }

    ngx_http_iri_join_duplicates(imcf, place);

    if (place->used) {
        ngx_http_iri_check_used(cf, place);
        return;
    }

    ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                  "iri: \"%V\" in %V:%ui does nothing, since \"iri\" is off "
                  "there: write \"iri on;\" in the server",
                  &place->name, &place->file, place->line);
}


/* ---- locations that match nothing --------------------------------------- */

/* Warn of the text of a rule that no canonical path matches. */
static ngx_int_t
ngx_http_iri_check_rule(ngx_conf_t *cf, const ngx_http_iri_srv_conf_t *iscf,
                        iri_rule_t rule, ngx_str_t text, const char *name,
                        const ngx_http_iri_directive_t *place)
{
    iri_env_t    env;
    iri_str_t    problem;
    ngx_str_t    out;
    iri_status_t status;

    ngx_memzero(&env, sizeof(iri_env_t));
    env.ctx = cf->pool;
    env.alloc = ngx_http_iri_conf_alloc;

    status = iri_rule_check(&env, &iscf->reading, rule,
                            ngx_http_iri_str(text), &problem);
    if (status != IRI_OK) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "iri: %s in %V:%ui could not be read: %s", name,
                      &place->file, place->line, iri_status_text(status));
        return NGX_ERROR;
    }

    if (problem.len != 0) {
        out = ngx_http_iri_ngx_str(problem);
        ngx_log_error(NGX_LOG_WARN, cf->log, 0, "iri: %s in %V:%ui: %V", name,
                      &place->file, place->line, &out);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_iri_check_location_text(ngx_conf_t                         *cf,
                                 const ngx_http_iri_location_text_t *t)
{
    return t->place->server->engine == IRI_ENGINE_ON
               ? ngx_http_iri_check_rule(cf, t->place->server, t->rule,
                                         t->text, "\"location\"", t->place)
               : NGX_OK;
}


/* Called when the settings of all servers have been merged. */
ngx_int_t
ngx_http_iri_check(ngx_conf_t *cf)
{
    ngx_uint_t                    i;
    ngx_http_iri_location_text_t *text;
    ngx_http_iri_directive_t    **place;
    ngx_http_iri_main_conf_t     *imcf;

    imcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_iri_module);
    place = imcf->directives.elts;

    for (i = 0; i < imcf->directives.nelts; i++) {
        ngx_http_iri_check_setting(cf, imcf, place[i]);
    }

    text = imcf->texts.elts;

    for (i = 0; i < imcf->texts.nelts; i++) {
        if (ngx_http_iri_check_location_text(cf, &text[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
