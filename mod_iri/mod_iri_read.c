/*
 * mod_iri_read.c - the path of a request becomes canonical
 *
 * httpd works on r->parsed_uri.path, percent-encoded, of which r->uri is
 * another name: it normalizes it, decodes it once, and matches it.  So the
 * canonical path is put there percent-encoded, and AllowEncodedSlashes,
 * MergeSlashes and dot-segments stay httpd's own.  r->unparsed_uri and
 * r->the_request keep what was sent.
 *
 * A path that is refused is refused in pre_translate_name, not earlier: an
 * answer out of post_read_request would cost the client its connection.
 */

#include "mod_iri.h"

const mod_iri_request_t mod_iri_marks[MOD_IRI_MARKS];

void
mod_iri_request_mark(request_rec *r, mod_iri_mark_t mark)
{
    if (mod_iri_request(r) == NULL) {
        ap_set_module_config(r->request_config, &iri_module,
                             (void *) &mod_iri_marks[mark]);
    }
}

mod_iri_request_t *
mod_iri_request_make(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx == NULL) {
        ctx = apr_pcalloc(r->pool, sizeof(*ctx));
        ap_set_module_config(r->request_config, &iri_module, ctx);
    }
    return ctx;
}

int
mod_iri_is_file_subrequest(const request_rec *r)
{
    return r->main != NULL
           && ap_get_module_config(r->request_config, &iri_module) == NULL;
}

void
mod_iri_env(iri_env_apr_t *env, request_rec *r)
{
    iri_env_apr_init(env, r->pool, mod_iri_log, r);
    env->env.trace = APLOGrtrace1(r) ? 1 : 0;
}

/* ---- what httpd does to a path before it is decoded --------------------- */

/* The value of a hexadecimal digit, or -1 */
static inline int
mod_iri_hex(char c)
{
    unsigned digit = (unsigned char) c - '0';
    unsigned letter = ((unsigned char) c | 0x20) - 'a';

    return digit < 10 ? (int) digit : letter < 6 ? (int) letter + 10 : -1;
}

/*
 * The octets of a path, as nearly all come: each escape is of an octet above
 * 7F, and there is no "//" and no "/.", so httpd would change nothing in it
 * before it is unescaped.  NULL: it is another.
 */
static char *
mod_iri_octets(apr_pool_t *pool, const char *path)
{
    char       *octets = apr_palloc(pool, strlen(path) + 1), *to = octets;
    const char *at;
    int         high, low;

    for (at = path; *at != '\0'; at++) {
        if (*at == '/' && (at[1] == '/' || at[1] == '.')) {
            return NULL;
        }
        if (*at != '%') {
            *to++ = *at;
            continue;
        }
        high = mod_iri_hex(at[1]);
        low = high < 8 ? -1 : mod_iri_hex(at[2]);
        if (low < 0) {
            return NULL;
        }
        *to++ = (char) (high << 4 | low);
        at += 2;
    }
    *to = '\0';
    return octets;
}

/*
 * The path as ap_process_request_internal() will normalize it, so that all
 * spellings have one form before mod_cache looks and so that the octets kept
 * for further readings have the same segments as r->uri.  NULL: httpd will
 * refuse it, for a bad escape or for leaving the root.
 */
static char *
mod_iri_normalized(request_rec *r, const char *path)
{
    core_server_config *core = ap_get_core_module_config(
        r->server->module_config);
    unsigned flags = AP_NORMALIZE_NOT_ABOVE_ROOT
                     | AP_NORMALIZE_DECODE_UNRESERVED;
    char *copy = apr_pstrdup(r->pool, path);

    if (core->merge_slashes != AP_CORE_CONFIG_OFF) {
        flags |= AP_NORMALIZE_MERGE_SLASHES;
    }
    return ap_normalize_path(copy, flags) ? copy : NULL;
}

/* ---- reading ------------------------------------------------------------ */

/*
 * Where only octets above 7F are escaped it is known what httpd will make of
 * the canonical path.  0: it is not.
 */
static int
mod_iri_put_decoded(request_rec *r, mod_iri_request_t *ctx)
{
    if (!iri_is_high_escaped(mod_iri_str(ctx->uri))) {
        return 0;
    }
    r->parsed_uri.path = apr_pstrdup(r->pool, ctx->path);
    r->uri = r->parsed_uri.path;
    ctx->decoded = r->uri;
    return 1;
}

/* A rule of a directory has led here, by a path that is not escaped. */
static int
mod_iri_is_made_raw(const request_rec *r, const mod_iri_request_t *ctx)
{
    return r->prev != NULL && !ctx->restarted && ctx->sent != NULL
           && strchr(ctx->sent, '%') == NULL;
}

void
mod_iri_put_path(request_rec *r, mod_iri_request_t *ctx)
{
    /* SetEnvIf sees what a rule has made as it sees it without us */
    if ((mod_iri_server(r->server)->unseen || mod_iri_is_made_raw(r, ctx))
        && mod_iri_put_decoded(r, ctx))
    {
        return;
    }
    if (r->uri != r->parsed_uri.path || strcmp(r->uri, ctx->uri) != 0) {
        r->parsed_uri.path = apr_pstrdup(r->pool, ctx->uri);
        r->uri = r->parsed_uri.path;
    }
}

/* Keep what iri_read() said and do it. */
static void
mod_iri_apply(request_rec *r, mod_iri_request_t *ctx, int report)
{
    const iri_reading_t *reading = &ctx->reading;

    ctx->has_reading = 1;
    ctx->form = reading->form;
    ctx->charset = reading->charset;
    ctx->path = mod_iri_dup(r->pool, reading->path);
    if (report) {
        return;
    }
    if (reading->verdict == IRI_REFUSE) {
        ctx->refused = reading->status;
    } else if (reading->form != IRI_FORM_INVALID) {
        ctx->uri = mod_iri_dup(r->pool, reading->uri);
        mod_iri_put_path(r, ctx);
    }
    mod_iri_vars_reading(r, ctx);
}

void
mod_iri_set_plain(const request_rec *r, mod_iri_request_t *ctx,
                  const char *path)
{
    ctx->path = path;
    ctx->form = IRI_FORM_ASCII;
    ctx->has_reading = 1;
    memset(&ctx->reading, 0, sizeof(ctx->reading));
    ctx->reading.form = IRI_FORM_ASCII;
    ctx->reading.path = mod_iri_str(path);
    ctx->reading.octets = ctx->reading.path;
    ctx->reading.conf = &mod_iri_server(r->server)->reading;
}

/* What is canonical is not read: that would give the same again. */
static mod_iri_request_t *
mod_iri_take_as_read(request_rec *r, const mod_iri_server_t *conf,
                     const char *path, const char *uri)
{
    mod_iri_request_t *ctx = mod_iri_request_make(r);
    iri_reading_t     *reading = &ctx->reading;

    memset(reading, 0, sizeof(*reading));
    reading->verdict = IRI_PASS;
    reading->why = IRI_WHY_CANONICAL;
    reading->form = IRI_FORM_ESCAPED;
    reading->charset = mod_iri_str("UTF-8");
    reading->path = mod_iri_str(path);
    reading->uri = mod_iri_str(uri);
    reading->octets = reading->path;
    reading->conf = &conf->reading;
    ctx->has_reading = 1;
    ctx->form = IRI_FORM_ESCAPED;
    ctx->charset = reading->charset;
    ctx->path = path;
    ctx->uri = uri;
    mod_iri_vars_reading(r, ctx);
    return ctx;
}

/* The path of an entry that a listing asks for was made of its name. */
static int
mod_iri_read_asked(request_rec *r, const mod_iri_server_t *conf)
{
    const mod_iri_asker_t *asker = mod_iri_asker(r);

    if (asker == NULL || asker->path == NULL
        || strcmp(asker->uri, r->parsed_uri.path) != 0)
    {
        return 0;
    }
    mod_iri_take_as_read(r, conf, asker->path, asker->uri);
    return 1;
}

/*
 * The index of a directory, which mod_dir asks for by a plain name: what
 * stands before that was read for the main request.
 */
static int
mod_iri_read_index(request_rec *r, const mod_iri_server_t *conf)
{
    const mod_iri_request_t *main = r->main ? mod_iri_request(r->main) : NULL;
    const char              *name = strrchr(r->parsed_uri.path, '/') + 1;
    char                    *path;
    size_t                   len;

    if (main == NULL || !main->has_reading || main->uri == NULL
        || !iri_is_high_escaped(mod_iri_str(main->uri)) || *name == '.'
        || name[strspn(name, "abcdefghijklmnopqrstuvwxyz.")] != '\0')
    {
        return 0;
    }
    path = apr_pstrdup(r->pool, r->parsed_uri.path);
    len = strlen(main->path);
    if (ap_unescape_url(path) != OK || strncmp(path, main->path, len) != 0
        || path[len - 1] != '/' || strcmp(path + len, name) != 0)
    {
        return 0;
    }
    mod_iri_put_path(
        r, mod_iri_take_as_read(r, conf, path,
                                apr_pstrcat(r->pool, main->uri, name, NULL)));
    return 1;
}

/*
 * httpd decodes a path again that a rule of a directory has made of a decoded
 * one.  Rules have judged "%A6" that was sent as "%25A6" as these three
 * characters: what is left of them is read as httpd itself would look for it.
 */
static int
mod_iri_is_decoded_again(const request_rec *r)
{
    const char *at;

    if (r->prev == NULL || mod_iri_is_error_page(r)) {
        return 0;
    }
    for (at = strchr(r->prev->uri, '%'); at != NULL; at = strchr(at + 1, '%'))
    {
        if (mod_iri_hex(at[1]) >= 8 && mod_iri_hex(at[2]) >= 0) {
            return 1;
        }
    }
    return 0;
}

static const iri_reading_conf_t *
mod_iri_utf8_conf(request_rec *r, const mod_iri_server_t *conf)
{
    iri_reading_conf_t *utf8 = apr_pmemdup(r->pool, &conf->reading,
                                           sizeof(*utf8));

    utf8->charsets.count = 0;
    return utf8;
}

/* How entries without a name are asked for; else as all requests are read. */
const iri_reading_conf_t *
mod_iri_reading_conf(request_rec *r, const mod_iri_server_t *conf)
{
    static const iri_reading_conf_t pass = { { 0, { NULL } },
                                             IRI_INVALID_PASS,
                                             0 };
    const mod_iri_asker_t          *asker = mod_iri_asker(r);

    const char *says;

    if (asker != NULL && asker->unnamed) {
        return &pass;
    }
    if (mod_iri_is_decoded_again(r)) {
        return mod_iri_utf8_conf(r, conf);
    }
    says = mod_iri_client_says(r, conf);
    return says != NULL ? mod_iri_client_conf(r, conf, says) : &conf->reading;
}

/* Is the canonical path in place? */
static int
mod_iri_is_in_place(const request_rec *r, const mod_iri_request_t *ctx)
{
    return ctx != NULL && ctx->has_reading && ctx->uri != NULL
           && (ctx->decoded != NULL
                   ? r->uri == ctx->decoded && r->uri == r->parsed_uri.path
                   : strcmp(ctx->uri, r->parsed_uri.path) == 0);
}

/*
 * Where no escape is of ASCII the octets are all that there is to read, which
 * the core does faster, and the URI follows from the path.
 */
static iri_status_t
mod_iri_read_octets(const iri_env_t *env, const iri_reading_conf_t *conf,
                    iri_request_t *request, const char *octets,
                    iri_reading_t *reading)
{
    iri_str_t    came = request->path;
    iri_status_t status;

    request->path = mod_iri_str(octets);
    request->escaped = 0;
    status = iri_read_path(env, conf, request, reading);
    if (status != IRI_OK || reading->verdict == IRI_REFUSE
        || reading->form == IRI_FORM_INVALID)
    {
        return status;
    }
    status = iri_path_to_uri(env, reading->path, &reading->uri);
    if (reading->verdict == IRI_PASS && !mod_iri_is_same(reading->uri, came))
    {
        /* it was written otherwise, in lower case say */
        reading->verdict = IRI_SERVE;
        reading->why = IRI_WHY_READ;
    }
    return status;
}

/* Read a path, percent-encoded; 0: httpd refuses it. */
static int
mod_iri_read_new(request_rec *r, const iri_env_t *env,
                 const iri_reading_conf_t *how, const char *path,
                 iri_reading_t *reading, iri_status_t *status)
{
    char         *octets = env->trace ? NULL : mod_iri_octets(r->pool, path);
    iri_request_t request;

    if (octets == NULL) {
        path = mod_iri_normalized(r, path);
        if (path == NULL) {
            return 0;
        }
    }
    memset(&request, 0, sizeof(request));
    request.path = mod_iri_str(path);
    request.escaped = 1;
    request.target = mod_iri_str(r->parsed_uri.path);
    *status = octets != NULL
                  ? mod_iri_read_octets(env, how, &request, octets, reading)
                  : iri_read(env, how, &request, reading);
    return *status != IRI_BAD_ESCAPE;
}

static void
mod_iri_read_path(request_rec *r, mod_iri_server_t *conf)
{
    mod_iri_request_t *ctx = mod_iri_request(r);
    const char        *path;
    iri_status_t       status = IRI_OK;
    iri_env_apr_t      env;

    if (ctx != NULL && ctx->has_reading && ctx->uri == NULL) {
        return; /* and there is none */
    }
    if (mod_iri_read_asked(r, conf) || mod_iri_read_index(r, conf)) {
        return;
    }
    path = mod_iri_without_native(r, conf, r->parsed_uri.path);
    ctx = mod_iri_request_make(r);
    ctx->sent = r->parsed_uri.path;
    mod_iri_env(&env, r);
    ctx->traced = env.env.trace;
    if (!mod_iri_read_new(r, &env.env, mod_iri_reading_conf(r, conf), path,
                          &ctx->reading, &status))
    {
        return;
    }
    if (status == IRI_OK) {
        mod_iri_apply(r, ctx, conf->engine == IRI_ENGINE_REPORT);
    } else {
        mod_iri_note_error(r, "the path could not be read", status);
        ctx->refused = HTTP_NOT_FOUND;
    }
}

/* Is there a path for us to read? */
static int
mod_iri_concerns(const request_rec *r, const mod_iri_server_t *conf)
{
    return conf->engine != IRI_ENGINE_OFF && !r->proxyreq
           && r->parsed_uri.path != NULL && r->parsed_uri.path[0] == '/'
           && r->method_number != M_CONNECT;
}

/*
 * "%uXXXX" is no escape, so httpd would refuse it as soon as it decodes the
 * path: let it come through as it is, where some place puts it right.  Was
 * there any?  A rule may have redirected inside the server with what the client
 * has sent.
 */
static int
mod_iri_let_units_in(request_rec *r, const mod_iri_server_t *conf)
{
    iri_str_t     path = mod_iri_str(r->parsed_uri.path), units;
    iri_env_apr_t env;

    if (conf->engine != IRI_ENGINE_ON || r->main != NULL
        || iri_method_writes(mod_iri_str(r->method))
        || (r->prev != NULL && ap_strcasestr(r->the_request, "%u") == NULL))
    {
        return 0;
    }
    mod_iri_env(&env, r);
    if (iri_repair_units(&env.env, path, &units) != IRI_OK
        || units.data == path.data)
    {
        return 0;
    }
    r->parsed_uri.path = mod_iri_dup(r->pool, units);
    r->uri = r->parsed_uri.path;
    return 1;
}

static int
mod_iri_read_first(request_rec *r)
{
    mod_iri_server_t *conf = mod_iri_server(r->server);
    const char       *args = r->args;
    int               status, ascii, units = 0;

    if (!mod_iri_concerns(r, conf)) {
        return DECLINED;
    }
    status = args != NULL ? mod_iri_read_query(r) : DECLINED;
    ascii = iri_path_is_ascii(mod_iri_str(r->parsed_uri.path), 1);
    if (!ascii && (conf->reading.repair & IRI_REPAIR_U)
        && mod_iri_let_units_in(r, conf))
    {
        units = 1;
        ascii = iri_path_is_ascii(mod_iri_str(r->parsed_uri.path), 1);
    }
    if (!ascii) {
        if (!mod_iri_is_in_place(r, mod_iri_request(r))) {
            mod_iri_read_path(r, conf);
        }
    } else if (units) {
        mod_iri_request_mark(r, MOD_IRI_UNITS);
    } else if (r->args == args && mod_iri_request(r) == NULL) {
        mod_iri_request_mark(r, MOD_IRI_PLAIN);
        if (r->prev != NULL) {
            mod_iri_vars_redirected(r);
        }
    }
    return status;
}

int
mod_iri_post_read(request_rec *r)
{
    mod_iri_snapshot_take(r);
    return mod_iri_read_first(r);
}

/* Where there is mod_proxy it says first whether a request is for elsewhere. */
int
mod_iri_post_read_origin(request_rec *r)
{
    mod_iri_snapshot_take(r);
    return r->parsed_uri.scheme == NULL ? mod_iri_read_first(r) : DECLINED;
}

int
mod_iri_post_read_absolute(request_rec *r)
{
    return r->parsed_uri.scheme != NULL ? mod_iri_read_first(r) : DECLINED;
}

/*
 * Behind mod_setenvif, which may have said what this client writes: from the
 * start, and a path that had no reading may have one.
 */
int
mod_iri_post_read_client(request_rec *r)
{
    mod_iri_server_t  *conf = mod_iri_server(r->server);
    mod_iri_request_t *ctx = mod_iri_request(r);
    char              *sent;

    if (ctx == NULL || ctx->sent == NULL || !mod_iri_concerns(r, conf)) {
        return DECLINED;
    }
    if (mod_iri_client_says(r, conf) != NULL) {
        sent = ctx->sent;
        memset(ctx, 0, sizeof(*ctx));
        r->parsed_uri.path = sent;
        r->uri = r->parsed_uri.path;
        mod_iri_read_path(r, conf);
    }
    mod_iri_client_depends(r, ctx);
    return DECLINED;
}

/* ---- r->unparsed_uri ---------------------------------------------------- */

/* Did it come as the canonical path and this query? */
static int
mod_iri_is_sent(const char *unparsed, const char *uri, const char *args)
{
    size_t len = strlen(uri);

    return strncmp(unparsed, uri, len) == 0
           && (args == NULL ? unparsed[len] == '\0'
                            : unparsed[len] == '?'
                                  && strcmp(unparsed + len + 1, args) == 0);
}

/* As it is now: httpd will decode the path in its place. */
static char *
mod_iri_target(request_rec *r, const char *path)
{
    return r->args ? apr_pstrcat(r->pool, path, "?", r->args, NULL)
                   : apr_pstrdup(r->pool, path);
}

/*
 * With nocanon mod_proxy sends r->unparsed_uri, and mod_dav makes a Location
 * of it: let it be canonical while the request is served.  Not before, for
 * Digest authentication keeps it in post_read_request to compare it with
 * what the client signed; and not when the request is logged.
 */
static void
mod_iri_lend_unparsed(request_rec *r, mod_iri_request_t *ctx)
{
    if (ctx->uri == NULL || ctx->unparsed != NULL
        || mod_iri_is_sent(r->unparsed_uri, ctx->uri, r->args))
    {
        return;
    }
    ctx->unparsed = r->unparsed_uri;
    r->unparsed_uri = mod_iri_target(r, ctx->uri);
}

int
mod_iri_restore(request_rec *r)
{
    for (; r != NULL; r = r->next) {
        mod_iri_request_t *ctx = mod_iri_request(r);

        if (ctx != NULL && ctx->unparsed != NULL) {
            r->unparsed_uri = (char *) ctx->unparsed;
            ctx->unparsed = NULL;
        }
    }
    return DECLINED;
}

/* ---- pre_translate_name ------------------------------------------------- */

static int
mod_iri_refuse(request_rec *r, const mod_iri_request_t *ctx)
{
    const iri_reading_t *reading = &ctx->reading;
    iri_shown_t          shown;

    /* what could not be read has been told */
    if (ctx->has_reading) {
        mod_iri_note(
            r, reading->why == IRI_WHY_LIMIT ? IRI_LOG_ERROR : IRI_LOG_INFO,
            iri_why_code(reading->why), "path \"%s\" refused: %s",
            iri_show(&shown, reading->octets), iri_why_text(reading->why));
    }
    return ctx->refused;
}

/*
 * The same for a plain path, of which only the query has changed; or "%uXXXX",
 * which is no escape, and which nobody behind us is to take for one.
 */
static void
mod_iri_lend_query(request_rec *r)
{
    const char        *target = mod_iri_is_marked(r, MOD_IRI_UNITS)
                                    ? mod_iri_target(r, r->parsed_uri.path)
                                    : mod_iri_query_lent(r);
    mod_iri_request_t *ctx;

    if (target != NULL) {
        ctx = mod_iri_request_make(r);
        ctx->plain = 1;
        ctx->unparsed = r->unparsed_uri;
        r->unparsed_uri = (char *) target;
    }
}

/* A plain path: what a subrequest inherits of its main request is not its. */
static int
mod_iri_plain(request_rec *r, const mod_iri_server_t *conf)
{
    mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx != NULL && ctx->restarted
        && strcmp(ctx->uri, r->parsed_uri.path) == 0)
    {
        mod_iri_lend_unparsed(r, ctx);
    } else if (ctx != NULL) {
        memset(ctx, 0, sizeof(*ctx));
    } else if (r->main != NULL) {
        mod_iri_request_mark(r, MOD_IRI_URI_SUBREQUEST);
        if (mod_iri_request(r->main) != NULL && mod_iri_asker(r) == NULL) {
            mod_iri_vars_reading(r, NULL);
        }
    }
    if (r->main == NULL && conf->engine == IRI_ENGINE_ON
        && (ctx == NULL || ctx->unparsed == NULL))
    {
        mod_iri_lend_query(r);
    }
    return DECLINED;
}

int
mod_iri_pre_translate(request_rec *r)
{
    mod_iri_server_t  *conf = mod_iri_server(r->server);
    mod_iri_request_t *ctx;
    int                status;

    if (r->main != NULL && r->prev == NULL) {
        mod_iri_snapshot_take(r);
    }
    status = mod_iri_judge_anew(r);
    if (status != DECLINED || !mod_iri_concerns(r, conf)) {
        return status;
    }
    status = r->main != NULL && r->args != NULL ? mod_iri_read_query(r)
                                                : DECLINED;
    if (status != DECLINED) {
        return status;
    }
    ctx = mod_iri_request(r);
    if (!mod_iri_is_in_place(r, ctx)) {
        if (iri_path_is_ascii(mod_iri_str(r->parsed_uri.path), 1)) {
            return mod_iri_plain(r, conf);
        }
        mod_iri_read_path(r, conf);
        ctx = mod_iri_request_make(r);
    }
    if (conf->engine == IRI_ENGINE_REPORT) {
        return DECLINED;
    }
    if (ctx->refused) {
        return mod_iri_refuse(r, ctx);
    }
    mod_iri_lend_unparsed(r, ctx);
    return DECLINED;
}

/* httpd would now decode what was encoded for the modules before it. */
int
mod_iri_decode(request_rec *r)
{
    mod_iri_request_t *ctx = mod_iri_request(r);

    if (ctx != NULL && ctx->uri != NULL && !ctx->plain && ctx->decoded == NULL
        && r->uri == r->parsed_uri.path && strcmp(ctx->uri, r->uri) == 0)
    {
        mod_iri_put_decoded(r, ctx);
    }
    return DECLINED;
}

iri_status_t
mod_iri_read_made(const server_rec *s, const iri_env_t *env, iri_str_t path,
                  iri_reading_t *out)
{
    iri_reading_conf_t conf = mod_iri_server(s)->reading;
    iri_request_t      request;
    iri_status_t       status;

    /* only what a client has sent */
    conf.repair = 0;
    memset(&request, 0, sizeof(request));
    request.path = path;
    status = iri_read(env, &conf, &request, out);
    if (status == IRI_OK) {
        out->conf = &mod_iri_server(s)->reading;
    }
    return status;
}

/* ---- translate_name ----------------------------------------------------- */

/*
 * Decoded, the path must still be canonical: nothing that was escaped may
 * have become part of another spelling.
 */
int
mod_iri_check(request_rec *r)
{
    mod_iri_server_t  *conf = mod_iri_server(r->server);
    mod_iri_request_t *ctx = mod_iri_request(r);
    iri_reading_t      reading;
    iri_shown_t        shown;
    iri_env_apr_t      env;

    if ((ctx != NULL && ctx->path != NULL && strcmp(ctx->path, r->uri) == 0)
        || !mod_iri_concerns(r, conf) || conf->engine == IRI_ENGINE_REPORT
        || iri_path_is_ascii(mod_iri_str(r->uri), 0))
    {
        return DECLINED;
    }
    mod_iri_env(&env, r);
    if (mod_iri_read_made(r->server, &env.env, mod_iri_str(r->uri), &reading)
            != IRI_OK
        || reading.verdict != IRI_PASS)
    {
        mod_iri_note(r, IRI_LOG_INFO, iri_reason_code(IRI_REASON_DECODED),
                     "\"%s\" not served: it is not canonical once decoded",
                     iri_show(&shown, mod_iri_str(r->uri)));
        return HTTP_NOT_FOUND;
    }
    /* AllowEncodedSlashes: httpd's segments count, not those of the octets */
    if (ctx != NULL) {
        ctx->path = apr_pstrdup(r->pool, r->uri);
        mod_iri_vars_reading(r, ctx);
    }
    return DECLINED;
}
