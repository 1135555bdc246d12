/*
 * iri_choices.c - the body of a response 300 Multiple Choices
 *
 * The body lists the candidates of an ambiguous request as HTML or JSON, which
 * the Accept field selects (RFC 9110, 12.5.1).
 */

#include "path/iri_path.h"
#include "output/iri_output.h"


/*
 * The URI of a candidate, with the query of the request if it has one.  "//"
 * at its start would begin an authority (RFC 3986, 4.2).
 */
static iri_status_t
iri_choice_uri(const iri_env_t *env, const iri_choices_t *choices,
               iri_str_t path, iri_str_t *uri)
{
    iri_buf_t    whole = IRI_BUF_EMPTY;
    iri_status_t status = iri_path_to_uri(env, path, uri);

    while (status == IRI_OK && uri->len > 1 && uri->data[0] == '/'
           && uri->data[1] == '/')
    {
        *uri = iri_str_from(*uri, 1);
    }

    if (status != IRI_OK || !choices->has_query) {
        return status;
    }

    status = iri_buf_put(env, &whole, uri->data, uri->len);

    if (status == IRI_OK) {
        status = iri_put_query(env, choices->query, &whole);
    }

    *uri = iri_buf_str(&whole);

    return status;
}


/* Write one candidate. */
static void
iri_choice_put(iri_page_part_t *part, const iri_listing_t *listing, size_t i)
{
    iri_str_t path = listing->paths[i], uri = { 0, NULL };

    if (part->status == IRI_OK) {
        part->status = iri_choice_uri(part->env, &listing->choices, path,
                                      &uri);
    }

    if (listing->query.json) {
        iri_page_put(part, i != 0 ? ",{\"path\":" : "{\"path\":");
        iri_page_put_by(iri_json_put, part, path);
        iri_page_put(part, ",\"uri\":");
        iri_page_put_by(iri_json_put, part, uri);
        iri_page_put(part, "}");

    } else {
        iri_page_put(part, "<li><a href=\"");
        iri_page_put_by(iri_html_put_uri, part, uri);
        iri_page_put(part, "\">");
        iri_page_put_by(iri_html_name, part, path);
        iri_page_put(part, "</a></li>\n");
    }
}


/* Write the page before the list.  asked: the path; empty: unknown. */
static void
iri_choices_head(iri_page_part_t *part, iri_str_t asked)
{
    static const iri_str_t title = IRI_STR("300 Multiple Choices");

    iri_page_head(part, title, "");
    iri_page_put(part, "<h1>Multiple Choices</h1>\n</header>\n<main>\n"
                       "<p>Several names match ");

    if (asked.len != 0) {
        iri_page_put_by(iri_html_name, part, asked);
    } else {
        iri_page_put(part, "the requested one");
    }

    iri_page_put(part, ". Select one.</p>\n<ul lang=\"\" xml:lang=\"\">\n");
}


/* No cache may store the page: it depends on the client's access. */
iri_status_t
iri_choices_write(const iri_listing_t *listing, iri_page_t *out)
{
    iri_page_part_t part = { listing->env, IRI_BUF_EMPTY, IRI_OK };
    int             json = listing->query.json, more = listing->choices.more;
    size_t          i;

    if (json) {
        iri_page_put(&part, "{\"choices\":[");
    } else {
        iri_choices_head(&part, listing->choices.asked);
    }

    for (i = 0; i < listing->shown; i++) {
        iri_choice_put(&part, listing, i);
    }

    if (json) {
        iri_page_put(&part, more ? "],\"more\":true}\n" : "]}\n");
    } else {
        iri_page_put(&part, "</ul>\n");
        iri_page_put(
            &part, more ? "<p>More names match than are listed.</p>\n" : "");
        iri_page_put(&part, "</main>\n" IRI_PAGE_FOOT);
    }

    out->status = listing->shown != 0 ? 300 : 404;
    out->cache_control = "no-store";
    out->vary = "Accept";

    return iri_page_finish(&part, json, out);
}


/* ---- HTML or JSON (RFC 9110, 12.5.1) ------------------------------------- */

/* Remove the next item, up to a separator outside of quotes, from *s. */
static iri_str_t
iri_take_item(iri_str_t *s, unsigned char separator)
{
    iri_str_t item = *s;
    int       quoted = 0;
    size_t    i;

    for (i = 0; i < s->len; i++) {
        if (s->data[i] == '"') {
            quoted = !quoted;
        } else if (quoted && s->data[i] == '\\') {
            i++;
        } else if (!quoted && s->data[i] == separator) {
            item.len = i;
            *s = iri_str_from(*s, i + 1);
            return iri_str_trim(item);
        }
    }

    s->len = 0;
    return iri_str_trim(item);
}


/* "0.5" -> 500; an invalid number -> 1000, the default. */
static int
iri_quality(iri_str_t value)
{
    int    quality, unit = 100;
    size_t i;

    if (value.len == 0 || (value.data[0] != '0' && value.data[0] != '1')) {
        return 1000;
    }

    quality = value.data[0] == '1' ? 1000 : 0;

    for (i = 2; i < value.len && i < 5 && value.data[1] == '.'; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') {
            break;
        }
        quality += (value.data[i] - '0') * unit;
        unit /= 10;
    }

    return quality > 1000 ? 1000 : quality;
}


/*
 * Returns: the weight of a media range for a type: its quality, and 2,000 for
 * each step of specificity; 0: it does not match.
 */
static int
iri_range_weight(iri_str_t range, int quality, const char *type,
                 const char *types)
{
    return iri_str_equal_nocase(range, type)    ? quality + 6000
           : iri_str_equal_nocase(range, types) ? quality + 4000
           : iri_str_equal_nocase(range, "*/*") ? quality + 2000
                                                : 0;
}


int
iri_prefers_json(iri_str_t accept)
{
    iri_str_t element, range, parameter;
    int       quality, weight, html = 0, json = 0;

    while (accept.len > 0) {
        element = iri_take_item(&accept, ',');
        range = iri_take_item(&element, ';');
        quality = 1000;

        while (element.len > 0) {
            parameter = iri_take_item(&element, ';');

            if (parameter.len > 1 && (parameter.data[0] | 0x20) == 'q'
                && parameter.data[1] == '=')
            {
                quality = iri_quality(iri_str_from(parameter, 2));
            }
        }

        weight = iri_range_weight(range, quality, "text/html", "text/*");
        html = weight > html ? weight : html;
        weight = iri_range_weight(range, quality, "application/json",
                                  "application/*");
        json = weight > json ? weight : json;
    }

    return json % 2000 > html % 2000;
}
