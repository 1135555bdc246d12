/*
 * log.c - reader and parser for lines of access logs
 *
 * A line of a log in the common or combined format, as httpd and nginx write
 * it, or a JSON object -> method, target and status.  Octets that the server
 * escaped ("\xE6", "\"") are decoded.
 */

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "unicode/iri_unicode.h"

#include "cli.h"

size_t
cli_log_gets(gzFile file, char *line, size_t size)
{
    z_off_t from = gztell(file);

    /* gzgets() does not stop at a NUL. */
    return gzgets(file, line, (int) size) != NULL
               ? (size_t) (gztell(file) - from)
               : 0;
}


int
cli_log_escape(const char *p, size_t *taken)
{
    static const char names[] = "bnrtv", octets[] = "\b\n\r\t\v";
    const char       *name;

    *taken = 1;
    if (p[0] == 'x' && iri_hex((unsigned char) p[1]) >= 0
        && iri_hex((unsigned char) p[2]) >= 0)
    {
        *taken = 3;
        return iri_hex((unsigned char) p[1]) * 16
               + iri_hex((unsigned char) p[2]);
    }
    name = strchr(names, p[0]);
    return name != NULL ? octets[name - names] : p[0];
}


/* Unescape a quoted string in place.  Returns: the text after the closing
   quote; NULL: there is no closing quote. */
static char *
log_unquote(char *p, iri_str_t *text)
{
    char  *to = p;
    size_t taken;

    text->data = (unsigned char *) p;
    for (; *p != '"'; p++) {
        if (*p == '\0') {
            return NULL;
        }
        if (*p == '\\') {
            if (p[1] == '\0') {
                return NULL;
            }
            *to++ = (char) cli_log_escape(p + 1, &taken);
            p += taken;
        } else {
            *to++ = *p;
        }
    }
    text->len = (size_t) (to - (const char *) text->data);
    return p + 1;
}


/* Parse "GET /a b HTTP/1.1": the target is between the first and the last
   blank. */
static int
log_request(iri_str_t text, cli_request_t *request)
{
    const unsigned char *blank = memchr(text.data, ' ', text.len);
    size_t               end = text.len;

    if (blank == NULL) {
        return -1;
    }
    request->method.data = text.data;
    request->method.len = (size_t) (blank - text.data);
    while (end > 0 && text.data[end - 1] != ' ') {
        end--;
    }
    /* HTTP/0.9 has no version. */
    if (end <= request->method.len + 1) {
        end = text.len + 1;
    }
    request->target.data = blank + 1;
    request->target.len = end - 1 - (request->method.len + 1);
    return request->target.len != 0 ? 0 : -1;
}


/* The status, three digits at the beginning of text; 0: another word. */
static int
log_status(const char *text)
{
    char *end;
    long  status = strtol(text, &end, 10);

    return end == text + 3 && (*end == ' ' || *end == '\0') && status >= 100
                   && status <= 999
               ? (int) status
               : 0;
}


/* The first status in text that is not within quotes; 0: there is none. */
static int
log_find_status(const char *p)
{
    int status = 0;

    while (status == 0 && *p != '\0') {
        if (*p == '"') {
            for (p++; *p != '"' && *p != '\0'; p++) {
                p += *p == '\\' && p[1] != '\0';
            }
            p += *p == '"';
        } else {
            p += strspn(p, " ");
            status = log_status(p);
            p += strcspn(p, " \"");
        }
    }
    return status;
}


/*
 * A line in the common or combined format, or in one that has the same fields
 * in this order among others: "request", status, "Referer", "User-Agent".
 */
static int
log_common(char *line, cli_request_t *request)
{
    char     *p = line;
    iri_str_t text = IRI_STR("");
    int       found = 0;

    while ((p = strchr(p, '"')) != NULL) {
        p = log_unquote(p + 1, &text);
        if (p == NULL) {
            break;
        }
        if (!found) {
            if (log_request(text, request) == 0) {
                found = 1;
                request->status = log_find_status(p);
            }
        } else if (request->referer.data == NULL) {
            request->referer = text;
        } else {
            request->agent = text;
            break;
        }
    }
    return request->status != 0 ? 0 : -1;
}


/* The first field of an object whose name is in a list, or NULL. */
static const json_t *
log_field(const json_t *object, const char *const *names)
{
    const json_t *value = NULL;

    while (*names != NULL && value == NULL) {
        value = json_object_get(object, *names++);
    }
    return value;
}


static iri_str_t
log_string(apr_pool_t *pool, const json_t *value)
{
    iri_str_t text = { 0, NULL };

    if (json_is_string(value)) {
        text.len = json_string_length(value);
        text.data = apr_pmemdup(pool, json_string_value(value), text.len);
    }
    return text;
}


static int
log_object(apr_pool_t *pool, const json_t *object, cli_request_t *request)
{
    static const char *const lines[] = { "request", NULL };
    static const char *const targets[] = { "request_uri", "uri",  "url",
                                           "target",      "path", NULL };
    static const char *const methods[] = { "request_method", "method", NULL };
    static const char *const statuses[] = { "status", "status_code", NULL };
    static const char *const referers[] = { "http_referer", "referer",
                                            "referrer", NULL };
    static const char *const agents[] = { "http_user_agent", "user_agent",
                                          "agent", NULL };
    const json_t            *status = log_field(object, statuses);
    iri_str_t line = log_string(pool, log_field(object, lines));

    request->status = json_is_integer(status)
                          ? (int) json_integer_value(status)
                      : json_is_string(status)
                          ? log_status(json_string_value(status))
                          : 0;
    request->referer = log_string(pool, log_field(object, referers));
    request->agent = log_string(pool, log_field(object, agents));
    if (line.len == 0 || log_request(line, request) != 0) {
        request->target = log_string(pool, log_field(object, targets));
        request->method = log_string(pool, log_field(object, methods));
    }
    return request->target.len != 0 && request->status != 0 ? 0 : -1;
}


static int
log_json(apr_pool_t *pool, const char *line, cli_request_t *request)
{
    json_t *object = json_loads(line, 0, NULL);
    int     failed = object == NULL || log_object(pool, object, request);

    json_decref(object);
    return failed ? -1 : 0;
}


int
cli_log_parse(apr_pool_t *pool, char *line, size_t len,
              cli_request_t *request)
{
    static const iri_str_t get = IRI_STR("GET");
    int                    read;

    /* A line with a NUL is not a request. */
    if (memchr(line, '\0', len) != NULL) {
        return 0;
    }
    if (line[len - 1] == '\n') {
        line[len - 1] = '\0';
    }
    memset(request, 0, sizeof(*request));
    request->method = get;
    line += strspn(line, " \t\r\n\f\v");
    read = *line == '{' ? log_json(pool, line, request)
                        : log_common(line, request);
    return read == 0;
}
