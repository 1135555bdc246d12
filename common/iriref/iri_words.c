/*
 * iri_words.c - the smallest parts of an IRI that are read as one
 *
 * Draft 4.2 names the components and lets them be divided further: labels of a
 * host, names and values of a query, an extension.  What is smaller is judged
 * more kindly, and said more exactly.
 */

#include "iri_ref.h"
#include "iriref/iri_iriref.h"

static const char *const iri_component_texts[IRI_COMPONENTS] = {
    "scheme", "user",        "host label", "port",
    "path",   "opaque part", "query",      "fragment"
};

/* What divides a component, in the order of the enum. */
static const char *const iri_component_dividers[IRI_COMPONENTS] = {
    "", ":", ".", "", "/;=,", "/;=,:@", "&;=", ""
};


const char *
iri_component_text(iri_component_t component)
{
    return component < IRI_COMPONENTS ? iri_component_texts[component]
                                      : "unknown";
}


/* Octets before the "." of an extension, in the last segment; len: none. */
static size_t
iri_extension(iri_str_t path)
{
    size_t i;

    for (i = path.len; i != 0 && path.data[i - 1] != '/'; i--) {
        /* The "." of ".profile" is no divider. */
        if (path.data[i - 1] == '.' && i > 1 && path.data[i - 2] != '/') {
            return i - 1;
        }
    }

    return path.len;
}


void
iri_words(iri_str_t text, iri_words_t *pieces)
{
    iri_split(text, &pieces->parts);
    pieces->component = IRI_COMPONENT_SCHEME;
    pieces->open = 0;
    pieces->dot = 0;
}


/* What a component stands in; absent where the text has none. */
static iri_str_t
iri_words_component(iri_words_t *pieces)
{
    const iri_parts_t     *parts = &pieces->parts;
    static const iri_str_t none = { 0, NULL };
    int opaque = iri_has(parts->scheme) && !iri_has(parts->authority)
                 && parts->path.len != 0 && parts->path.data[0] != '/';

    switch (pieces->component) {
    case IRI_COMPONENT_SCHEME:
        return parts->scheme;
    case IRI_COMPONENT_USERINFO:
        return parts->userinfo;
    case IRI_COMPONENT_HOST:
        return parts->host;
    case IRI_COMPONENT_PORT:
        return parts->port;
    case IRI_COMPONENT_PATH:
        pieces->dot = iri_extension(parts->path);
        return opaque ? none : parts->path;
    case IRI_COMPONENT_OPAQUE:
        return opaque ? parts->path : none;
    case IRI_COMPONENT_QUERY:
        return parts->query;
    default:
        return parts->fragment;
    }
}


static int
iri_is_divider(const iri_words_t *pieces, const unsigned char *p)
{
    if (pieces->component == IRI_COMPONENT_PATH && *p == '.') {
        return (size_t) (p - pieces->parts.path.data) == pieces->dot;
    }

    return *p != '\0'
           && strchr(iri_component_dividers[pieces->component], *p) != NULL;
}


int
iri_words_next(iri_words_t *pieces, iri_word_t *piece)
{
    const unsigned char *p, *end;

    while (!pieces->open) {
        if (pieces->component == IRI_COMPONENTS) {
            return 0;
        }

        pieces->rest = iri_words_component(pieces);
        pieces->open = iri_has(pieces->rest);
        pieces->component += !pieces->open;
    }

    p = pieces->rest.data;
    end = p + pieces->rest.len;

    while (p < end && !iri_is_divider(pieces, p)) {
        p++;
    }

    piece->component = pieces->component;
    piece->text = iri_span(pieces->rest.data, p);

    if (p == end) {
        pieces->open = 0;
        pieces->component++;
    } else {
        pieces->rest = iri_span(p + 1, end);
    }

    return 1;
}
