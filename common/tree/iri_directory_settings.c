/*
 * iri_directory_settings.c - the settings of the directories on a path
 *
 * A name is read and written by the settings of the directory that contains
 * it. The settings of a directory apply to the names in it, not to its own
 * name. Usually one iri_tree_conf_t applies to all directories of a search.
 * Otherwise a walk calls iri_search_t.settings_of for each directory that it
 * enters, with the names found so far.
 *
 * Some facts are needed before the first lookup, for example whether any name
 * may be folded. iri_settings_survey() collects these from the settings of all
 * directories on the path.
 */

#include <string.h>

#include "tree/iri_tree.h"


int
iri_tree_is_declared(const iri_tree_conf_t *tree)
{
    return (tree->match & IRI_FOLD_INDEXED) == 0 && tree->repair == 0
           && tree->names == IRI_FILENAME_NFC && tree->charsets.count == 1
           && iri_charset_is_utf8(tree->charsets.at[0]);
}


/*
 * Return the settings by which a search compares names: those of tree. For
 * iri_find_conflict() spelling is not ignored; for iri_find_canonical() only
 * differences that do not change a name are ignored. These changed settings
 * are stored in *restricted.
 */
static const iri_tree_conf_t *
iri_tree_restrict(const iri_search_t *search, const iri_tree_conf_t *tree,
                  iri_tree_conf_t *restricted)
{
    if (!search->for_conflict && !search->canonical) {
        return tree;
    }

    *restricted = *tree;
    restricted->match &= search->canonical
                             ? IRI_FOLD_NORMALIZATION | IRI_FOLD_EXACT_ONLY
                                   | IRI_FOLD_PERCENT
                             : ~IRI_FOLD_SPELLING;
    restricted->ambiguous = IRI_AMBIGUOUS_404;
    restricted->repair = 0;

    return restricted;
}


void
iri_settings_apply(iri_finder_t *finder)
{
    finder->fold = finder->folding ? iri_index_fold(finder->tree) : 0;
    finder->repair = finder->repairing & finder->tree->repair;
}


/*
 * Set finder->tree to the settings of a directory. names: its path below the
 * root, which ends with "/"; empty: the root.
 */
static iri_status_t
iri_tree_select(iri_finder_t *finder, iri_str_t names)
{
    const iri_search_t    *search = finder->search;
    const iri_tree_conf_t *tree = search->tree;

    if (search->settings_of != NULL) {
        tree = search->settings_of(finder->env, search, names);
        if (tree == NULL) {
            return IRI_NO_MEMORY;
        }
    }

    finder->tree = iri_tree_restrict(search, tree, &finder->restricted);
    finder->match |= finder->tree->match;
    finder->repairs |= finder->tree->repair;

    return IRI_OK;
}


iri_status_t
iri_settings_enter(iri_finder_t *finder, iri_walk_t *walk)
{
    iri_status_t status = IRI_OK;

    if (finder->search->settings_of != NULL) {
        status = iri_tree_select(finder, iri_buf_str(&walk->names));
    }

    if (status == IRI_OK) {
        walk->tree = finder->tree;
        iri_settings_apply(finder);
    }

    return status;
}


/*
 * Return 1 if the settings of its directory declare that the octets of a
 * segment are its name on disk. If directories have settings of their own, this
 * is also true of an ASCII segment, unless names are folded or repaired.
 */
static int
iri_segment_is_declared(const iri_finder_t *finder, iri_str_t segment)
{
    const iri_tree_conf_t *tree = finder->tree;

    return iri_tree_is_declared(tree)
           || (finder->search->settings_of != NULL && tree->repair == 0
               && (tree->match & IRI_FOLD_INDEXED) == 0
               && iri_is_same_on_disk(tree->match, segment));
}


iri_status_t
iri_settings_survey(iri_finder_t *finder)
{
    iri_str_t    names = { 0, finder->part.data }, segment;
    iri_status_t status;
    size_t       to;

    finder->declared = finder->verbatim = 1;

    for (;; names.len = to + 1) {
        status = iri_tree_select(finder, names);
        if (status != IRI_OK) {
            return status;
        }

        to = finder->search->settings_of != NULL
                 ? iri_segment_end(finder->part, names.len)
                 : finder->part.len;
        segment = iri_str_from(finder->part, names.len);
        segment.len = to - names.len;

        finder->declared &= iri_segment_is_declared(finder, segment);

        if (!iri_tree_writes_names_verbatim(finder->tree)
            && !iri_is_same_on_disk(finder->tree->match, segment))
        {
            finder->verbatim = 0;
        }

        if (to == finder->part.len) {
            return IRI_OK;
        }
    }
}
