/*
 * iri_pieces.c - the pieces of an IRI that are checked one by one
 *
 * An IRI -> the pieces of its components.  Draft 4.2 allows to divide a
 * component: a host into labels, a query into names and values, a path into
 * segments, parameters and an extension.  Smaller pieces give fewer warnings,
 * and warnings that are more precise.
 */

#include "iri_ref.h"
#include "iriref/iri_iriref.h"

static const char *const iri_component_texts[IRI_COMPONENTS] = {
    "scheme", "user",        "host label", "port",
    "path",   "opaque part", "query",      "fragment"
};

/* The delimiters of the pieces of each component, in the order of the enum. */
static const char *const iri_piece_delimiters[IRI_COMPONENTS] = {
    "", ":", ".", "", "/;=,", "/;=,:@", "&;=", ""
};


const char *
iri_component_text(iri_component_t component)
{
    return component < IRI_COMPONENTS ? iri_component_texts[component]
                                      : "unknown";
}


/* The offset of the "." of the extension in the last segment; path.len if
   there is none. */
static size_t
iri_extension(iri_str_t path)
{
    size_t i;

    for (i = path.len; i != 0 && path.data[i - 1] != '/'; i--) {
        /* ".profile" has no extension. */
        if (path.data[i - 1] == '.' && i > 1 && path.data[i - 2] != '/') {
            return i - 1;
        }
    }

    return path.len;
}


void
iri_pieces_init(iri_str_t text, iri_pieces_t *pieces)
{
    iri_split(text, &pieces->parts);
    pieces->component = IRI_COMPONENT_SCHEME;
    pieces->open = 0;
    pieces->extension = 0;
}


/* The text of the current component; data NULL: the IRI has none. */
static iri_str_t
iri_pieces_component(iri_pieces_t *pieces)
{
    const iri_parts_t     *parts = &pieces->parts;
    static const iri_str_t none = { 0, NULL };
    int                    opaque = iri_is_present(parts->scheme)
                 && !iri_is_present(parts->authority) && parts->path.len != 0
                 && parts->path.data[0] != '/';

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
        pieces->extension = iri_extension(parts->path);
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
iri_is_piece_delimiter(const iri_pieces_t *pieces, const unsigned char *p)
{
    if (pieces->component == IRI_COMPONENT_PATH && *p == '.') {
        return (size_t) (p - pieces->parts.path.data) == pieces->extension;
    }

    return *p != '\0'
           && strchr(iri_piece_delimiters[pieces->component], *p) != NULL;
}


int
iri_pieces_next(iri_pieces_t *pieces, iri_piece_t *piece)
{
    const unsigned char *p, *end;

    while (!pieces->open) {
        if (pieces->component == IRI_COMPONENTS) {
            return 0;
        }

        pieces->rest = iri_pieces_component(pieces);
        pieces->open = iri_is_present(pieces->rest);
        pieces->component += !pieces->open;
    }

    p = pieces->rest.data;
    end = p + pieces->rest.len;

    while (p < end && !iri_is_piece_delimiter(pieces, p)) {
        p++;
    }

    piece->component = pieces->component;
    piece->text = iri_str_between(pieces->rest.data, p);

    if (p == end) {
        pieces->open = 0;
        pieces->component++;
    } else {
        pieces->rest = iri_str_between(p + 1, end);
    }

    return 1;
}
