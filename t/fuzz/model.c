/*
 * model.c - finding, slowly: see model.h
 *
 * Where the documents leave something open, a comment names the sentence that
 * the model follows, or says that it follows the core.
 */

#include <string.h>

#include "model.h"

static const model_list_t none;


/* ---- names of entries --------------------------------------------------- */

typedef struct {
    int          named;
    size_t       charset; /* index in the tree's list */
    model_list_t chars;   /* as they are on disk */
    model_list_t name;    /* in NFC */
} model_name_t;


static model_name_t
model_name(const model_tree_conf_t *conf, model_list_t octets)
{
    model_name_t           out;
    const model_charset_t *charset;
    model_list_t           back;

    memset(&out, 0, sizeof(out));
    if (octets.len == 0 || octets.len > IRI_MAX_SEGMENT) {
        return out;
    }

    for (/* void */; out.charset < conf->charsets.count; out.charset++) {
        charset = conf->charsets.at[out.charset];
        if (model_decode(charset, octets, &out.chars, NULL)
            && model_allowed(out.chars, !model_is_utf8(charset))
            && model_encode(charset, out.chars, &back)
            && model_same(back, octets))
        {
            out.name = model_nfc(out.chars);
            if (model_utf8(out.name).len <= IRI_MAX_SEGMENT) {
                out.named = 1;
                return out;
            }
        }
    }

    return out;
}


model_list_t
model_entry_name(const model_tree_conf_t *conf, model_list_t octets)
{
    model_name_t name = model_name(conf, octets);

    return name.named ? model_utf8(name.name) : none;
}


/* ---- settings ----------------------------------------------------------- */

static int
model_has_japanese(const model_charsets_t *charsets)
{
    size_t i;

    for (i = 0; i < charsets->count; i++) {
        if (model_is_japanese(charsets->at[i])) {
            return 1;
        }
    }

    return 0;
}


void
model_finish(const model_reading_conf_t *reading, model_tree_conf_t *tree)
{
    if (tree->charsets.count == 0) {
        tree->charsets.at[tree->charsets.count++] = model_charset_at(0);
    }

    if ((model_has_japanese(&reading->charsets)
         || model_has_japanese(&tree->charsets))
        && (tree->match & IRI_FOLD_EXACT_ONLY) == 0)
    {
        tree->match |= IRI_FOLD_VARIANTS;
    }
}


/* ---- one entry ---------------------------------------------------------- */

typedef enum { FORM_NFC, FORM_NFD, FORM_OTHER, FORM_NONE } model_diskform_t;

typedef struct {
    model_node_t    *node;
    model_name_t     name;
    model_diskform_t form;
    int variant; /* found under another name than the requested one */
} model_hit_t;


static model_diskform_t
model_diskform(const model_tree_conf_t *conf, const model_name_t *name)
{
    const model_charset_t *charset = conf->charsets.at[name->charset];

    if (conf->names != IRI_FILENAME_NFD
        && model_same(name->chars, model_composed_for(charset, name->name)))
    {
        return FORM_NFC;
    }

    if (model_same(name->chars, model_nfd(name->name))) {
        return FORM_NFD;
    }

    return FORM_OTHER;
}


/*
 * May a name be in this form here? doc/directives.md, iri_match. In a directory
 * that cannot be listed only the exact octets of the request are found (iri.h,
 * iri_dir_t).
 */
static int
model_form_allowed(const model_tree_conf_t *conf, const model_node_t *dir,
                   model_diskform_t form, int as_asked)
{
    if (conf->names == IRI_FILENAME_NFC) {
        return form == FORM_NFC;
    }

    if (conf->names == IRI_FILENAME_NFD) {
        return form == FORM_NFD;
    }

    if ((conf->match & IRI_FOLD_NORMALIZATION) == 0) {
        return form == FORM_NFC;
    }

    return form != FORM_OTHER || as_asked || !dir->unlisted;
}


/*
 * The order of lookups: the name in NFC or NFD, then its variants in these
 * forms, then the cached entries of the directory (iri.h, iri_find).
 */
static int
model_lookup_order(const model_hit_t *hit)
{
    return hit->variant ? 1 : hit->form == FORM_OTHER ? 2 : 0;
}


/*
 * Which of two entries is found? README, Limits: several entries with one name.
 */
static int
model_better(const model_hit_t *a, const model_hit_t *b)
{
    if (b->node == NULL || model_lookup_order(a) != model_lookup_order(b)) {
        return b->node == NULL
               || model_lookup_order(a) < model_lookup_order(b);
    }

    if (a->variant != b->variant) {
        return a->variant < b->variant;
    }

    if (a->name.charset != b->name.charset) {
        return a->name.charset < b->name.charset;
    }

    if (a->form != b->form) {
        return a->form < b->form;
    }

    return model_order(a->node->name, b->node->name) < 0;
}


/* Is name the vendors' (1), or the JIS (2) form of chars? In NFC. */
static int
model_is_variant(model_list_t chars, model_list_t name)
{
    return model_same(model_nfc(model_fold_variants(chars, 1)), name)   ? 1
           : model_same(model_nfc(model_fold_variants(chars, 0)), name) ? 2
                                                                        : 0;
}


/* Compare the name of every entry. */
static model_hit_t
model_search_directory(const model_tree_conf_t *conf, model_node_t *dir,
                       model_list_t chars, model_list_t octets)
{
    model_hit_t best, hit;
    size_t      i;

    memset(&best, 0, sizeof(best));
    for (i = 0; i < dir->count; i++) {
        memset(&hit, 0, sizeof(hit));
        hit.node = dir->child[i];
        hit.name = model_name(conf, hit.node->name);
        if (!hit.name.named) {
            continue;
        }

        if (!model_same(hit.name.name, chars)) {
            hit.variant = (conf->match & IRI_FOLD_VARIANTS) == 0
                              ? 0
                              : model_is_variant(chars, hit.name.name);
            if (!hit.variant) {
                continue;
            }
        }

        /* An entry found in the index counts by its exact name only. */
        hit.form = model_diskform(conf, &hit.name);
        if (model_form_allowed(conf, dir, hit.form,
                               model_same(hit.node->name, octets))
            && (hit.form != FORM_OTHER || !hit.variant)
            && model_better(&hit, &best))
        {
            best = hit;
        }
    }

    return best;
}


/* ---- a walk ------------------------------------------------------------- */

typedef struct {
    int          error;
    int          unsure;     /* whether the core would meet an error */
    int          unwritable; /* a later name cannot be encoded */
    int          other_name; /* octets of the request are another name here */
    size_t       segments;
    size_t       found;   /* segments that are entries */
    size_t       deepest; /* characters of filename, up to the last entry */
    int          below_file; /* the rest is below a file */
    int          info;       /* and a part of it is not ASCII */
    int          variant;
    int          normalized; /* an entry in another form than NFC */
    int          legacy;     /* an entry in another charset than UTF-8 */
    model_list_t path; /* names that were found, and the rest as requested */
    model_list_t filename;
} model_walk_t;


/* Encode a new name in the tree's first charset and form: 1 or 0. */
static int
model_new_name(const model_tree_conf_t *conf, model_list_t chars,
               model_list_t *octets)
{
    const model_charset_t *charset = conf->charsets.at[0];
    model_list_t           form;

    form = conf->names == IRI_FILENAME_NFD
               ? model_nfd(chars)
               : model_composed_for(charset, chars);

    return model_encode(charset, form, octets)
           && model_same(model_entry_name(conf, *octets), model_utf8(chars));
}


/* A segment of a path, and its name. */
typedef struct {
    model_list_t octets;
    int          named; /* 0: it contains what no name may contain: octets */
    int          canonical; /* and it is in NFC */
    model_list_t received;  /* the octets of the request in its place */
    model_list_t chars;     /* in NFC */
} model_requested_t;


static model_requested_t
model_requested(model_list_t octets)
{
    model_requested_t requested;
    model_list_t      chars;

    memset(&requested, 0, sizeof(requested));
    requested.octets = octets;
    requested.named = model_decode(model_charset_at(0), octets, &chars, NULL)
                      && model_allowed(chars, 0);
    if (requested.named) {
        requested.chars = model_nfc(chars);
        requested.canonical = model_same(requested.chars, chars);
    }

    return requested;
}


/* An entry by its octets, which are no name in this tree (design 5.8). */
static model_node_t *
model_step_octets(const model_tree_conf_t *conf, model_walk_t *walk,
                  model_node_t *dir, const model_requested_t *requested)
{
    model_node_t *node = NULL;

    if (model_entry_name(conf, requested->octets).len == 0) {
        node = model_child(dir, requested->octets);
    }

    if (node != NULL) {
        model_cat(&walk->path, requested->octets);
    }

    return node;
}


static model_node_t *
model_step_name(const model_tree_conf_t *conf, model_walk_t *walk,
                model_node_t *dir, const model_requested_t *requested)
{
    model_hit_t hit = model_search_directory(conf, dir, requested->chars,
                                             requested->received);

    if (hit.node == NULL) {
        return NULL;
    }

    walk->variant |= hit.variant != 0;
    walk->normalized |= !model_same(hit.name.chars, hit.name.name);
    walk->legacy |= !model_is_ascii(hit.node->name)
                    && !model_is_utf8(conf->charsets.at[hit.name.charset]);
    model_cat(&walk->path, model_utf8(hit.name.name));

    return hit.node;
}


/*
 * The part after the deepest entry: a new name, or PATH_INFO. Its octets must
 * not be a name in this tree, also not of an entry that could be created.
 */
static void
model_rest(const model_tree_conf_t *conf, model_walk_t *walk,
           const model_requested_t *requested)
{
    model_list_t octets = requested->octets;

    if (walk->below_file) {
        /* unchanged */
    } else if (!requested->canonical) {
        walk->other_name |= model_entry_name(conf, octets).len != 0;
    } else {
        walk->unwritable |= !model_new_name(conf, requested->chars, &octets);
    }

    model_cat(&walk->path, requested->octets);
    model_cat(&walk->filename, octets);
}


/* One more segment; dir is NULL if nothing can follow. */
static model_node_t *
model_step(const model_tree_conf_t *conf, model_walk_t *walk,
           model_node_t *dir, const model_requested_t *requested)
{
    model_node_t *node = NULL;
    model_list_t  octets;

    if (dir != NULL && !dir->is_dir) {
        walk->below_file = 1;
        dir = NULL;
    }

    /* Octets directly after a file are not PATH_INFO. */
    if (walk->below_file && !walk->info && !requested->named
        && !model_is_ascii(requested->octets))
    {
        walk->other_name |= model_entry_name(conf, requested->octets).len
                            != 0;
    }
    walk->info |= walk->below_file && !model_is_ascii(requested->octets);

    /* Without a lookup there is no error. */
    if (dir != NULL && dir->locked) {
        walk->error = 1;
        walk->unsure |= !model_new_name(conf, requested->chars, &octets);
        dir = NULL;
    }

    if (dir != NULL) {
        node = requested->named
                   ? model_step_name(conf, walk, dir, requested)
                   : model_step_octets(conf, walk, dir, requested);
    }

    if (node == NULL) {
        model_rest(conf, walk, requested);
        return NULL;
    }

    walk->found++;
    model_cat(&walk->filename, node->name);
    walk->deepest = walk->filename.len;

    return node;
}


/*
 * Does an entry exist at root and these octets, as the kernel resolves them?
 * -1: an error.
 */
static int
model_exists(model_node_t *root, model_list_t octets)
{
    model_node_t *dir = root;
    model_list_t  name;
    size_t        i;

    for (i = 0; i < model_split_count(octets); i++) {
        if (!dir->is_dir) {
            return 0;
        }

        name = model_segment(octets, i);
        if (name.len == 0) {
            continue;
        }

        if (dir->locked) {
            return -1;
        }

        dir = model_child(dir, name);
        if (dir == NULL) {
            return 0;
        }
    }

    return 1;
}


/* An ASCII name is not looked up, so the server uses the entry of that name. */
static void
model_trust(model_walk_t *walk, model_node_t *dir, model_list_t rest,
            size_t from)
{
    model_list_t more = model_part(rest, from, rest.len);
    size_t       i;

    walk->unsure = model_exists(dir, model_part(rest, from - 1, rest.len))
                   < 0;

    for (i = 0; i < more.len; i++) {
        walk->segments += more.at[i] != '/'
                          && (i == 0 || more.at[i - 1] == '/');
    }

    walk->found = walk->segments;
    model_cat(&walk->path, more);
    model_cat(&walk->filename, more);
    walk->deepest = walk->filename.len;
}


/*
 * Walk along a path, name by name. trust: ASCII names at the end are not looked
 * up, because they have one meaning.
 */
static model_walk_t
model_walk_path(const model_tree_conf_t *conf, model_node_t *root,
                model_list_t root_path, model_list_t path, size_t prefix,
                model_list_t received, int trust)
{
    model_walk_t      walk;
    model_node_t     *dir = root;
    model_list_t      rest = model_part(path, prefix, path.len);
    model_requested_t requested;
    size_t            i = 0, k, slashes;

    memset(&walk, 0, sizeof(walk));
    walk.path = model_part(path, 0, prefix);
    slashes = model_split_count(walk.path);
    walk.filename = model_part(root_path, 0, root_path.len);

    while (i < rest.len) {
        if (rest.at[i] == '/') {
            model_put(&walk.path, '/');
            model_put(&walk.filename, '/');
            slashes++;
            i++;
            continue;
        }

        for (k = i; k < rest.len && rest.at[k] != '/'; k++) {
            /* void */
        }

        if (trust && dir != NULL && walk.segments != 0
            && model_is_ascii(model_part(rest, i, rest.len)))
        {
            model_trust(&walk, dir, rest, i);
            break;
        }

        requested = model_requested(model_part(rest, i, k));
        requested.received = model_segment(received, slashes - 1);
        dir = model_step(conf, &walk, dir, &requested);
        walk.segments++;
        i = k;
    }

    /* A slash after a file is PATH_INFO, too. */
    if (dir != NULL && i == rest.len && !dir->is_dir
        && rest.at[rest.len - 1] == '/')
    {
        walk.below_file = 1;
    }

    return walk;
}


/* ---- finding ------------------------------------------------------------ */

/* In the part that root does not replace. */
static int
model_is_forbidden(model_list_t path)
{
    size_t i, from = 0;

    for (i = 0; i <= path.len; i++) {
        if (i < path.len && path.at[i] == 0) {
            return 1;
        }

        if (i == path.len || path.at[i] == '/') {
            if ((i == from + 1 || i == from + 2) && path.at[from] == '.'
                && path.at[i - 1] == '.')
            {
                return 1;
            }
            from = i + 1;
        }
    }

    return 0;
}


/* No entry can have that name. */
static int
model_is_refused(const model_walk_t *walk)
{
    return walk->unwritable || walk->other_name;
}


static iri_why_t
model_refusal(const model_walk_t *walk)
{
    return walk->other_name ? IRI_WHY_OTHER_NAME : IRI_WHY_UNWRITABLE;
}


static int
model_is_complete(const model_walk_t *walk)
{
    return walk->below_file
           || (walk->found == walk->segments && !walk->error);
}


/*
 * The differences that were ignored to find the entries. legacy: the request
 * was in another charset; other: in another form.
 */
static iri_match_t
model_match(const model_walk_t *walk, int legacy, int other)
{
    return walk->found == 0            ? IRI_MATCH_NONE
           : walk->variant             ? IRI_MATCH_VARIANTS
           : walk->legacy || legacy    ? IRI_MATCH_CHARSET
           : walk->normalized || other ? IRI_MATCH_NORMALIZATION
                                       : IRI_MATCH_EXACT;
}


typedef struct {
    const model_tree_conf_t *conf;
    model_node_t            *root;
    model_list_t             root_path;
    model_list_t             path;
    size_t                   prefix;
    const model_reading_t   *reading;
} model_search_t;


static void
model_found(const model_search_t *search, const model_walk_t *walk,
            model_found_t *out, iri_verdict_t answer, iri_why_t why)
{
    const model_reading_t *reading = search->reading;

    out->path = search->path;
    out->charset = reading != NULL ? reading->charset : none;
    out->match = IRI_MATCH_NONE;

    out->verdict = answer;
    out->why = why;
    out->filename = walk->filename;
    if (answer == IRI_RESTART) {
        out->path = walk->path;
    }

    if (answer == IRI_SERVE || answer == IRI_RESTART) {
        out->match = model_match(
            walk, reading != NULL && reading->form == IRI_FORM_LEGACY,
            reading != NULL && !model_same(reading->octets, search->path));
    }
}


/* The part that root replaces, without a slash at its end. */
static model_list_t
model_replaced_part(const model_search_t *search)
{
    size_t len = search->prefix;

    if (len != 0 && search->path.at[len - 1] == '/') {
        len--;
    }

    return model_part(search->path, 0, len);
}


/* The part of a list that starts where octets are followed by that many "/". */
static model_list_t
model_after_slashes(model_list_t octets, size_t slashes, model_list_t list)
{
    size_t i;

    for (i = 0; i < octets.len; i++) {
        if (octets.at[i] == '/' && slashes-- == 0) {
            break;
        }
    }

    return model_part(list, i, list.len);
}


/*
 * The octets after the part that root replaces, or all: those that alternative
 * readings decode.
 */
static model_received_t
model_alternative_octets(const model_search_t *search, int all)
{
    const model_reading_t *reading = search->reading;
    size_t before = all ? 0 : model_split_count(model_replaced_part(search));
    model_received_t received;
    model_list_t     sent = none, escaped = none;

    received = model_received(
        reading->conf,
        model_after_slashes(reading->octets, before, reading->octets));
    model_unescape(reading->target, &sent, &escaped);
    received.sent = model_after_slashes(sent, before, sent);
    received.sent_escaped = model_after_slashes(sent, before, escaped);

    return received;
}


static void
model_moved(const model_search_t *search, const model_walk_t *walk,
            model_found_t *out, iri_why_t why, const char *charset,
            int legacy)
{
    model_found(search, walk, out, IRI_RESTART, why);
    out->match = model_match(walk, legacy, 0);
    out->charset = model_text(charset);
}


/*
 * A charset for each segment: the first in which it is found, and for segments
 * that are not found the first that is valid. legacy: for each segment that is
 * not empty, 1 if its charset is not UTF-8.
 */
static model_list_t
model_mixed_path(const model_search_t   *search,
                 const model_received_t *received, model_list_t *legacy)
{
    model_list_t path = model_replaced_part(search), best, tried, name, uri;
    model_walk_t walk;
    size_t       i, k, in, mark, before = 0;
    int          deeper = 1;

    for (i = 0; i < model_split_count(received->octets); i++) {
        model_put(&path, '/');
        if (model_segment(received->octets, i).len == 0) {
            continue;
        }

        best = none;
        in = received->tries;

        for (k = 0; k < received->tries; k++) {
            if (!model_read_segment(received->try[k], received, i, &name,
                                    &uri)
                || model_raw_bidi(received->try[k], received, i))
            {
                continue;
            }

            if (in == received->tries) {
                best = name;
                in = k;
            }

            if (!deeper) {
                break;
            }

            mark = model_mark();
            tried = model_part(path, 0, path.len);
            model_cat(&tried, name);
            walk = model_walk_path(search->conf, search->root,
                                   search->root_path, tried, search->prefix,
                                   search->reading->octets, 0);
            model_release(mark);
            if (name.len == 0 || walk.error || walk.below_file
                || walk.found > before) {
                best = name;
                in = k;
                before = walk.found;
                break;
            }
        }

        deeper = deeper && k < received->tries;
        model_cat(&path, best);
        model_put(legacy, in != 0);
    }

    return path;
}


/*
 * Does a walk lead deeper than the best one so far? Where readings differ, the
 * first with an entry gets the request (iri_find); of two that end in one
 * directory, the one that has a name there. first: best is the walk of the
 * first reading.
 */
static int
model_leads_deeper(const model_walk_t *walk, const model_walk_t *best,
                   int first)
{
    if (walk->other_name) {
        return 0;
    }

    if (best->found != 0
        && (walk->deepest < best->deepest
            || !model_same(model_part(walk->filename, 0, best->deepest),
                           model_part(best->filename, 0, best->deepest))))
    {
        return 0;
    }

    return walk->found > best->found
           || (!first && walk->found == best->found && best->unwritable
               && !walk->unwritable);
}


/* Walk along another reading; -1: the file system failed. */
static int
model_walk_alternative(const model_search_t *search, model_list_t path,
                       const model_walk_t *best, int first,
                       model_walk_t *walk, model_found_t *out)
{
    if (model_same(path, search->path)) {
        return 0;
    }

    *walk = model_walk_path(search->conf, search->root, search->root_path,
                            path, search->prefix, search->reading->octets, 0);
    out->unsure |= walk->unsure;

    return walk->error ? -1 : model_leads_deeper(walk, best, first);
}


/* Was the part that root replaces in another charset than UTF-8? */
static int
model_prefix_legacy(const model_search_t *search, const model_received_t *all)
{
    model_list_t name, uri;
    size_t       i;

    for (i = 0; i < model_split_count(model_replaced_part(search)); i++) {
        if (!model_read_segment(all->try[0], all, i, &name, &uri)) {
            return 1;
        }
    }

    return 0;
}


/*
 * The readings in their order, then the mixed one: the first that exists, or
 * the last that leads deeper than those before it. 1: found; 0: not; -1: the
 * file system failed.
 */
static int
model_find_alternative(const model_search_t *search,
                       const model_walk_t *first, model_found_t *out)
{
    model_received_t received = model_alternative_octets(search, 0);
    model_received_t all = model_alternative_octets(search, 1);
    model_walk_t     walk, best = *first;
    model_one_t      one;
    model_list_t     in = none, path;
    size_t           i, k;
    int              leads, legacy = 0, found = 0;

    for (i = 0; i <= received.tries; i++) {
        if (i < received.tries) {
            one = model_read_whole(&received, i);
            if (!one.read || (i == 0 && !model_read_whole(&all, i).read)) {
                continue;
            }
            path = model_replaced_part(search);
            model_cat(&path, one.path);
        } else {
            path = model_mixed_path(search, &received, &in);
        }

        leads = model_walk_alternative(search, path, &best, !found, &walk,
                                       out);
        if (leads < 0) {
            return leads;
        }

        if (!leads) {
            continue;
        }

        if (i == received.tries) {
            legacy = model_is_complete(&walk)
                         ? model_prefix_legacy(search, &all)
                         : 0;
            for (k = 0; k < (model_is_complete(&walk) ? in.len : walk.found);
                 k++) {
                legacy |= (int) in.at[k];
            }
        }

        model_moved(search, &walk, out,
                    i < received.tries ? IRI_WHY_ALTERNATIVE : IRI_WHY_MIXED,
                    i < received.tries ? model_charset_name(received.try[i])
                                       : "mixed",
                    i < received.tries ? i != 0 : legacy);
        if (model_is_complete(&walk)) {
            return 1;
        }

        best = walk;
        found = 1;
    }

    return found;
}


/* Can each segment be a name, and is it the canonical one? */
static int
model_is_named(const model_search_t *search)
{
    size_t i = model_split_count(model_replaced_part(search));

    for (/* void */; i < model_split_count(search->path); i++) {
        if (!model_requested(model_segment(search->path, i)).canonical) {
            return 0;
        }
    }

    return 1;
}


/* Does exactly one charset decode each segment? */
static int
model_has_one_reading(const model_search_t *search)
{
    model_received_t received = model_alternative_octets(search, 0);
    model_list_t     name, uri;
    size_t           i, k, count;

    for (i = 0; i < model_split_count(received.octets); i++) {
        if (model_is_ascii(model_segment(received.octets, i))) {
            continue;
        }

        for (k = 0, count = 0; k < received.tries; k++) {
            if (model_read_segment(received.try[k], &received, i, &name, &uri)
                && !model_raw_bidi(received.try[k], &received, i))
            {
                count += name.len <= IRI_MAX_SEGMENT;
            }
        }

        if (count != 1) {
            return 0;
        }
    }

    return 1;
}


/*
 * Declared UTF-8 in NFC: "nothing is looked for at all but the file itself"
 * (doc/directives.md), for a path in UTF-8, or with one reading.
 */
static int
model_is_declared(const model_search_t *search)
{
    const model_tree_conf_t *conf = search->conf;

    return conf->charsets.count == 1 && model_is_utf8(conf->charsets.at[0])
           && conf->names == IRI_FILENAME_NFC && model_is_named(search)
           && (search->reading == NULL
               || search->reading->form != IRI_FORM_LEGACY
               || model_has_one_reading(search));
}


/* The first reading, or the part of it that exists under another name. */
static void
model_found_first(const model_search_t *search, const model_walk_t *walk,
                  model_found_t *out)
{
    model_found(search, walk, out,
                model_same(walk->path, search->path) ? IRI_SERVE
                                                     : IRI_RESTART,
                model_is_refused(walk) ? model_refusal(walk)
                : walk->variant        ? IRI_WHY_VARIANT
                                       : IRI_WHY_FOUND);
    out->any_why = !model_is_named(search);
}


static void
model_find_names(const model_search_t *search, model_found_t *out)
{
    const model_reading_t *reading = search->reading;
    model_walk_t           walk;
    int                    moved, further = 0;

    walk = model_walk_path(
        search->conf, search->root, search->root_path, search->path,
        search->prefix,
        reading == NULL                     ? search->path
        : reading->form == IRI_FORM_INVALID ? none
                                            : reading->octets,
        reading == NULL || reading->form == IRI_FORM_INVALID
            || model_has_one_reading(search));
    moved = !model_same(walk.path, search->path);
    out->unsure |= walk.unsure;

    if (!walk.error && !model_is_refused(&walk) && model_is_complete(&walk)) {
        model_found_first(search, &walk, out);
        return;
    }

    if (!walk.error && reading != NULL && reading->form != IRI_FORM_INVALID) {
        further = model_find_alternative(search, &walk, out);
        if (further > 0) {
            return;
        }
    }

    if (!walk.error && !walk.other_name && moved) {
        /*
         * A name that cannot be encoded is refused below that directory, by its
         * rules.
         */
        model_found_first(search, &walk, out);
        return;
    }

    if (model_is_refused(&walk)) {
        model_found(search, &walk, out, IRI_REFUSE, model_refusal(&walk));
        out->or_why = walk.unwritable ? IRI_WHY_UNWRITABLE : out->why;
    } else {
        /* The server must not use an entry of another name. */
        model_found(
            search, &walk, out, walk.error && moved ? IRI_REFUSE : IRI_PASS,
            walk.error || further < 0 ? IRI_WHY_ERROR : IRI_WHY_ABSENT);
        /* Without a lookup there is no error. */
        out->or_why = IRI_WHY_ABSENT;
    }
}


/* No lookup is needed: the canonical path below root. */
static void
model_find_nothing(const model_search_t *search, model_found_t *out,
                   iri_why_t why)
{
    out->verdict = IRI_PASS;
    out->why = why;
    out->match = IRI_MATCH_NONE;
    out->filename = model_part(search->root_path, 0, search->root_path.len);
    model_cat(&out->filename,
              model_part(search->path, search->prefix, search->path.len));
}


model_found_t
model_find(const model_tree_conf_t *conf, model_node_t *root,
           model_list_t root_path, model_list_t path, size_t prefix,
           const model_reading_t *reading)
{
    model_search_t search = { conf, root, root_path, path, prefix, reading };
    model_found_t  out;

    memset(&out, 0, sizeof(out));
    out.path = path;
    out.unsure_bidi = reading != NULL && reading->unsure;
    out.charset = reading != NULL ? reading->charset : none;

    if (model_is_forbidden(model_part(path, prefix, path.len))) {
        out.verdict = IRI_REFUSE;
        out.why = IRI_WHY_FORBIDDEN;
    } else if (model_is_ascii(model_part(path, prefix, path.len))) {
        model_find_nothing(&search, &out, IRI_WHY_ASCII);
    } else if (model_is_declared(&search)) {
        model_find_nothing(&search, &out, IRI_WHY_DECLARED);
    } else {
        model_find_names(&search, &out);
    }

    return out;
}


/* ---- dividing ----------------------------------------------------------- */

/*
 * Both are shortened by the same number of "/", from the end, until an entry
 * exists.
 */
int
model_divide(model_node_t *root, model_list_t root_path,
             const model_found_t *found, model_list_t *filename,
             model_list_t *path_info)
{
    size_t at = found->filename.len, rest = found->path.len;
    size_t root_len = root_path.len;
    int    there = 0;

    /* Root may end with the slash that path_info starts with. */
    root_len -= root_path.at[root_len - 1] == '/';
    while (at > root_path.len) {
        there = model_exists(root, model_part(found->filename, root_len, at));
        if (there != 0) {
            break;
        }

        do {
            at--;
        } while (found->filename.at[at] != '/');

        do {
            rest--;
        } while (found->path.at[rest] != '/');
    }

    *filename = model_part(found->filename, 0,
                           at < root_path.len ? root_path.len : at);
    *path_info = model_part(found->path, rest, found->path.len);

    return there >= 0;
}
