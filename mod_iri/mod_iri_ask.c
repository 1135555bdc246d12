/*
 * mod_iri_ask.c - what would a client get that asked for this path?
 *
 * A subrequest for the path, which is judged as the request of a client would
 * be: by all rules of the server and of its own path, for whoever is asking.
 * Choices and listings tell only of what the answer lets the client have.
 */

#include <unistd.h>

#include "mod_iri.h"

#include <ap_expr.h>

/* A note: the main request of one that is not to know of it. */
static const char mod_iri_main[] = "iri-main-request";

/* ---- asking ------------------------------------------------------------- */

/* The same settings; httpd takes them for others, for they are elsewhere. */
static ap_conf_vector_t *
mod_iri_other_config(request_rec *r)
{
    ap_conf_vector_t *copy = ap_create_request_config(r->pool);
    const module     *m;

    for (m = ap_top_module; m != NULL; m = m->next) {
        ap_set_module_config(copy, m,
                             ap_get_module_config(r->per_dir_config, m));
    }
    return copy;
}

/* Are there directories that a pattern chooses?  A file may be one, too. */
static int
mod_iri_has_patterns(const request_rec *r)
{
    core_server_config *core = ap_get_core_module_config(
        r->server->module_config);
    ap_conf_vector_t **section = (ap_conf_vector_t **) core->sec_dir->elts;
    core_dir_config   *dir;
    int                i;

    for (i = 0; i < core->sec_dir->nelts; i++) {
        dir = ap_get_core_module_config(section[i]);
        if (dir->r != NULL) {
            return 1;
        }
    }
    return 0;
}

void
mod_iri_ask_begin(mod_iri_asker_t *asker, request_rec *r)
{
    memset(asker, 0, sizeof(*asker));
    asker->r = r;
    asker->own = r->per_dir_config;
    asker->other = mod_iri_other_config(r);
    asker->patterns = mod_iri_has_patterns(r);
}

/*
 * httpd compares patterns of directories with the name of a file, too, but for
 * a subrequest in the directory of its main request it takes what that has
 * found, if it is there.
 */
static void
mod_iri_swap_walk(mod_iri_asker_t *asker)
{
    void **note, *walk;

    if (asker->patterns) {
        note = ap_get_request_note(asker->r, AP_NOTE_DIRECTORY_WALK);
        walk = *note;
        *note = asker->walk;
        asker->walk = walk;
    }
}

/*
 * httpd lets a subrequest in unasked where the settings are those of its main
 * request; but rules can tell the two by their URI.
 */
static void
mod_iri_ask_open(mod_iri_asker_t *asker)
{
    request_rec *r = asker->r;

    asker->filename = NULL;
    r->per_dir_config = asker->other;
    mod_iri_request_make(r)->asker = asker;
    mod_iri_swap_walk(asker);
}

static void
mod_iri_ask_close(mod_iri_asker_t *asker, request_rec *rr)
{
    request_rec *r = asker->r;

    mod_iri_swap_walk(asker);
    rr->main = r; /* a rule may have ended it while it was none */
    mod_iri_request_make(r)->asker = NULL;
    r->per_dir_config = asker->own;
}

request_rec *
mod_iri_ask(mod_iri_asker_t *asker, const char *uri)
{
    request_rec *rr;

    mod_iri_ask_open(asker);
    rr = ap_sub_req_lookup_uri(uri, asker->r, NULL);
    mod_iri_ask_close(asker, rr);
    return rr;
}

request_rec *
mod_iri_ask_entry(mod_iri_asker_t *asker, const apr_finfo_t *entry)
{
    request_rec *rr;

    mod_iri_ask_open(asker);
    rr = ap_sub_req_lookup_dirent(entry, asker->r, AP_SUBREQ_NO_ARGS, NULL);
    mod_iri_ask_close(asker, rr);
    return rr;
}

/* ---- being asked -------------------------------------------------------- */

mod_iri_asker_t *
mod_iri_asker(const request_rec *r)
{
    const mod_iri_request_t *ctx = r->main ? mod_iri_request(r->main) : NULL;

    return ctx != NULL ? ctx->asker : NULL;
}

/*
 * What is asked for becomes a request of its own: with no variable of its
 * main request, and with what SetEnvIf and its like make of a request that
 * was just read.  The status to answer, or DECLINED.
 */
int
mod_iri_judge_anew(request_rec *r)
{
    int status;

    if (mod_iri_asker(r) == NULL) {
        return DECLINED;
    }
    r->the_request = apr_pstrcat(r->pool, r->method, " ", r->unparsed_uri,
                                 " ", r->main->protocol, NULL);
    r->protocol = r->main->protocol;
    r->proto_num = r->main->proto_num;
    r->subprocess_env = apr_table_make(r->pool, 25);
    /* for those who would count it, log it, or add filters to it */
    r->prev = r->main;
    status = ap_run_post_read_request(r);
    r->prev = NULL;
    if (status == OK || status == DECLINED) {
        return DECLINED;
    }
    return ap_is_HTTP_ERROR(status) ? status : HTTP_NOT_FOUND;
}

/* httpd asks only for main requests: SetEnvIf in a directory, say. */
int
mod_iri_judge_headers(request_rec *r)
{
    return mod_iri_asker(r) != NULL ? ap_run_header_parser(r) : DECLINED;
}

/*
 * Who has shown who he is need not do so for each of many entries, where the
 * settings are the very same: a password may take long to check.  What he may
 * have is judged all the same.
 */
int
mod_iri_ask_user(request_rec *r)
{
    const mod_iri_asker_t *asker = mod_iri_asker(r);

    if (asker == NULL || !asker->knows_user
        || r->per_dir_config != asker->own) {
        return DECLINED;
    }
    r->user = asker->r->user;
    r->ap_auth_type = asker->r->ap_auth_type;
    return OK;
}

/*
 * Some rules of mod_rewrite are not for subrequests: those that redirect, or
 * answer with a status (R), and those that say so (NS).  For a client they
 * are, so this is no subrequest while mod_rewrite looks at it.
 */
int
mod_iri_ask_alone(request_rec *r)
{
    if (mod_iri_asker(r) != NULL) {
        apr_table_setn(r->notes, mod_iri_main, (const char *) r->main);
        r->main = NULL;
    }
    return DECLINED;
}

int
mod_iri_ask_together(request_rec *r)
{
    if (r->main == NULL) {
        r->main = (request_rec *) apr_table_get(r->notes, mod_iri_main);
    }
    return DECLINED;
}

/* The same for expressions, which can ask for it by its name. */
static const char *
mod_iri_is_subrequest(ap_expr_eval_ctx_t *eval, const void *data)
{
    const request_rec *r = eval->r;

    (void) data;
    if (r == NULL) {
        return "";
    }
    return r->main != NULL && mod_iri_asker(r) == NULL ? "true" : "false";
}

int
mod_iri_ask_expr_lookup(ap_expr_lookup_parms *parms)
{
    if (parms->type != AP_EXPR_FUNC_VAR
        || ap_cstr_casecmp(parms->name, "IS_SUBREQ") != 0)
    {
        return DECLINED;
    }
    *parms->func = mod_iri_is_subrequest;
    *parms->data = NULL;
    return OK;
}

/*
 * In fixups, before mod_dir may go on to the index of a directory: this is
 * what the rules have led to.
 */
void
mod_iri_ask_keep(request_rec *r)
{
    mod_iri_asker_t *asker = mod_iri_asker(r);

    if (asker != NULL) {
        asker->filename = r->filename;
        asker->path_info = r->path_info;
        asker->finfo = r->finfo;
    }
}

/* ---- what is told ------------------------------------------------------- */

void
mod_iri_protect(request_rec *r, const char *policy)
{
    static const char field[] = "Content-Security-Policy";

    apr_table_setn(r->headers_out, "X-Content-Type-Options", "nosniff");
    if (apr_table_get(r->headers_out, field) == NULL) {
        apr_table_setn(r->headers_out, field, policy);
    }
}

/* ---- what was found ----------------------------------------------------- */

/* Could the server read it, as far as it would be the one to do so? */
int
mod_iri_is_readable(request_rec *rr)
{
    if (rr->finfo.filetype == APR_DIR) {
        return access(rr->filename, R_OK) == 0;
    }
    /* another handler may start it, or leave it to another process */
    return rr->finfo.filetype == APR_REG
           && ((rr->handler != NULL
                && strcmp(rr->handler, "default-handler") != 0)
               || access(rr->filename, R_OK) == 0);
}
