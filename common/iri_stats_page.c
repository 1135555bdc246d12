/*
 * iri_stats_page.c - what was counted, as a page for people
 *
 * It answers one question first: can legacy encodings be switched off, and who
 * still sends them?  HTML that is well-formed as XML, too; it has no script
 * and loads nothing.
 */

#include "iri_stats.h"

const char iri_stats_html_policy[] = "default-src 'none'";


void
iri_stats_html(iri_stats_out_t *out, const iri_stats_look_t *look)
{
    (void) look;
    iri_stats_say(out, "<!DOCTYPE html>\n<html/>\n");
}


static int
iri_stats_asks(iri_str_t query, const char *word)
{
    size_t    from = 0, to;
    iri_str_t one;

    while (from <= query.len) {
        for (to = from; to < query.len && query.data[to] != '&'; to++) {
        }

        one = iri_str_from(query, from);
        one.len = to - from;

        if (one.len == strlen(word) && memcmp(one.data, word, one.len) == 0) {
            return 1;
        }

        from = to + 1;
    }

    return 0;
}


iri_status_t
iri_stats_page(const iri_env_t *env, const iri_stats_t *stats,
               const iri_stats_page_conf_t *conf, iri_stats_page_t *out)
{
    iri_stats_out_t   body = { env, IRI_BUF_EMPTY, IRI_OK };
    iri_stats_look_t *look;
    iri_stats_page_t  page;
    iri_status_t      status;

    status = iri_stats_look(env, stats, conf, &look);
    if (status != IRI_OK) {
        return status;
    }

    page.policy = "default-src 'none'";

    if (iri_stats_asks(conf->query, "format=json")) {
        page.type = "application/json";
        iri_stats_json(&body, look);

    } else if (iri_stats_asks(conf->query, "format=prometheus")) {
        page.type = "text/plain; version=0.0.4; charset=utf-8";
        iri_stats_prometheus(&body, look);

    } else {
        page.type = "text/html; charset=utf-8";
        page.policy = iri_stats_html_policy;
        iri_stats_html(&body, look);
    }

    if (body.status != IRI_OK) {
        return body.status;
    }

    page.body = iri_buf_str(&body.buf);
    *out = page;

    return IRI_OK;
}
