/*
 * iri_destination.c - the Destination of COPY and MOVE (RFC 4918, 9.8 and 9.9)
 *
 * Both methods delete an existing Destination first, which must not delete the
 * source.  Servers copy the octets of member names, so both trees must decode
 * the octets to the same names.  A collection must not be copied into itself.
 */

#include "tree/iri_tree.h"
#include "request/iri_state.h"


static int
iri_transfer_refuse(const iri_env_t *env, const iri_transfer_t *transfer,
                    int status, const char *why)
{
    iri_shown_t shown;

    iri_logf(env, IRI_LOG_INFO,
             "Destination \"%s\" refused: %s" IRI_LOG_REASON "%s",
             iri_show(&shown, transfer->path), why,
             iri_reason_code(IRI_REASON_DESTINATION));

    return status;
}


int
iri_request_transfer(const iri_env_t *env, const iri_transfer_t *transfer)
{
    iri_relation_t relation;
    iri_status_t   status;

    status = iri_path_relation(env, transfer->source, transfer->destination,
                               &relation);

    if (status != IRI_OK) {
        return iri_transfer_refuse(env, transfer, 500,
                                   iri_status_text(status));
    }

    if (relation == IRI_RELATION_SAME) {
        return iri_transfer_refuse(env, transfer, 403, "it is the source");
    }

    if (relation == IRI_RELATION_PARENT) {
        return iri_transfer_refuse(env, transfer, 403,
                                   "it contains the source");
    }

    /* Each copied member would be copied again, until the disk is full. */
    if (relation == IRI_RELATION_INSIDE && transfer->members) {
        return iri_transfer_refuse(env, transfer, 403,
                                   "it is inside the source");
    }

    if (transfer->members
        && !iri_tree_preserves_names(transfer->from, transfer->to))
    {
        return iri_transfer_refuse(env, transfer, 409,
                                   iri_why_text(IRI_WHY_OTHER_TREE));
    }

    return 0;
}
