/*
 * mod_iri_answer.h - answers: errors, choices, redirects, header fields
 */

#ifndef MOD_IRI_ANSWER_H
#define MOD_IRI_ANSWER_H

#include "mod_iri_request.h"

#pragma GCC visibility push(hidden)

/* ---- mod_iri_disk.c ----------------------------------------------------- */

/*
 * In fixups: answer 404 for a name that no entry can have, or 409 if the
 * request would create it.  Returns: DECLINED, or an HTTP status.
 */
int mod_iri_refuse_absent(request_rec *r);

/* ---- mod_iri_choice.c --------------------------------------------------- */

/*
 * In fixups, if the verdict of the lookup is IRI_CHOOSE: send the list of the
 * choices that the client may get.  Returns: DONE: it was sent; DECLINED: the
 * client may get none, and the name counts as absent; 409 for a method that
 * writes; 500.
 */
int mod_iri_offer_choices(request_rec *r, mod_iri_request_t *ctx);

/* ---- mod_iri_answer.c --------------------------------------------------- */

/*
 * Send a page of the core with its header fields, but with the policy that the
 * configuration may have set.  Returns: OK.
 */
int mod_iri_send_page(request_rec *r, const iri_page_t *page);

/* ---- mod_iri_dav.c ------------------------------------------------------ */

/* Returns: 1 for mod_dav's subrequest for the Destination of COPY or MOVE. */
int mod_iri_dav_is_destination(const request_rec *r);

/*
 * Answer 409, for a Destination too, with a page that states the reason.  An
 * ErrorDocument replaces that page.  Returns: HTTP_CONFLICT.
 */
int mod_iri_refuse_conflict(request_rec *r, iri_why_t why);

#pragma GCC visibility pop

#endif /* MOD_IRI_ANSWER_H */
