/*
 * iri_lint_report.c - helpers of iri_lint(): report findings, copy and compare
 * names
 */

#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include "iri_lint.h"
#include "iriref/iri_iriref.h"
#include "unicode/iri_unicode.h"


/* ---- findings ------------------------------------------------------------ */

int
iri_lint_wants(const iri_lint_t *lint, iri_lint_kind_t kind)
{
    return (lint->conf->kinds >> kind & 1) != 0;
}


void
iri_finding_init(iri_finding_t *finding, iri_lint_kind_t kind,
                 const iri_lint_entry_t *entry)
{
    memset(finding, 0, sizeof(*finding));
    finding->kind = kind;

    if (entry != NULL) {
        finding->octets = entry->octets;
        finding->name = entry->name;
    }
}


iri_status_t
iri_lint_report_finding(const iri_lint_t *lint, const iri_finding_t *finding)
{
    return iri_lint_wants(lint, finding->kind)
               ? lint->each(lint->arg, finding)
               : IRI_OK;
}


iri_status_t
iri_lint_report(const iri_lint_t *lint, iri_lint_kind_t kind,
                const iri_lint_entry_t *entry, const iri_lint_entry_t *other,
                iri_match_t match, iri_str_t charset)
{
    iri_finding_t finding;

    iri_finding_init(&finding, kind, entry);
    finding.match = match;
    finding.charset = charset;

    if (other != NULL) {
        finding.other = other->octets;
        finding.other_name = other->name;
    }

    return iri_lint_report_finding(lint, &finding);
}


iri_status_t
iri_lint_report_meant(const iri_lint_t *lint, iri_lint_kind_t kind,
                      const iri_lint_entry_t *entry, iri_str_t meant,
                      iri_str_t charset)
{
    iri_finding_t finding;

    iri_finding_init(&finding, kind, entry);
    finding.meant = meant;
    finding.charset = charset;

    return iri_lint_report_finding(lint, &finding);
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


/* name is in NFC, so it is in NFKC unless NFKC replaces a character of it. */
int
iri_lint_is_nfkc(iri_str_t name)
{
    const unsigned char *p = name.data, *end = p + name.len;
    uint32_t             c;
    size_t               n;

    for (/* void */; p < end; p += n) {
        n = iri_utf8_next(p, end, &c);

        if (n == 0) {
            break;
        }

        if (iri_char_is_compatibility(c)) {
            return 0;
        }
    }

    return 1;
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
