/*
 * iri_lint_report.c - helpers of iri_lint(): report findings, copy and compare
 * names
 */

#include "iri_lint.h"
#include "iriref/iri_iriref.h"
#include "unicode/iri_unicode.h"


/* ---- findings ------------------------------------------------------------ */

int
iri_lint_wants(const iri_lint_t *lint, iri_lint_kind_t kind)
{
    return (lint->conf->kinds >> kind & 1) != 0;
}


iri_status_t
iri_lint_report(const iri_lint_t *lint, const iri_lint_entry_t *entry,
                const iri_lint_entry_t *other, iri_finding_t finding)
{
    if (!iri_lint_wants(lint, finding.kind)) {
        return IRI_OK;
    }

    if (entry != NULL) {
        finding.octets = entry->octets;
        finding.name = entry->name;
    }

    if (other != NULL) {
        finding.other = other->octets;
        finding.other_name = other->name;
    }

    return lint->each(lint->arg, &finding);
}


/* ---- names --------------------------------------------------------------- */

iri_status_t
iri_lint_copy(const iri_lint_t *lint, iri_str_t text, iri_str_t *out)
{
    unsigned char *data;

    out->len = 0;

    if (text.len == 0) {
        return IRI_OK;
    }

    data = lint->env->alloc(lint->env->ctx, text.len);
    if (data == NULL) {
        return IRI_NO_MEMORY;
    }

    memcpy(data, text.data, text.len);
    out->data = data;
    out->len = text.len;

    return IRI_OK;
}


int
iri_lint_has(iri_str_t name, int (*test)(uint32_t c))
{
    const unsigned char *p = name.data, *end = p + name.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0 || test(c)) {
            return n != 0;
        }
    }

    return 0;
}


int
iri_lint_by_name(const void *a, const void *b)
{
    const iri_lint_entry_t *const *one = a, *const *two = b;
    int                            order;

    order = iri_str_compare((*one)->name, (*two)->name);

    return order != 0 ? order
                      : iri_str_compare((*one)->octets, (*two)->octets);
}
