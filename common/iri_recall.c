/*
 * iri_recall.c - readings remembered by the path as it came
 *
 * From a path as it came, percent-encoded, to all that iri_read() said of it:
 * neither unescaping nor reading is done again.  It lies in the table of
 * iri_memo.c, where readings of unescaped octets lie, too; IRI_CAME_AS_URI
 * tells it from these.
 */

#include <string.h>

#include "iri_memo.h"

#define IRI_CAME_AS_URI 4u /* beside the bits of iri_memo_reading_t.came */

/* Before the text: the path, the URI and, if they are not the path, octets. */
typedef struct {
    const iri_reading_conf_t *conf;
    iri_str_t                 charset; /* static */
    uint16_t                  path;
    uint16_t                  uri;
    uint16_t                  octets; /* 0: as path */
    uint8_t                   answer;
    uint8_t                   why;
    uint8_t                   form;
    uint8_t                   raw;
    uint8_t                   high;
} iri_recall_t;

static const iri_charsets_t iri_recall_any = { 0, { NULL } };


static iri_memo_reading_t
iri_recall_asked(iri_str_t came)
{
    iri_memo_reading_t memo = {
        &iri_recall_any, came, IRI_CAME_AS_URI, 0, { 0, NULL }
    };

    return memo;
}


iri_status_t
iri_reading_recall(const iri_env_t *env, iri_cache_t *cache,
                   const iri_reading_conf_t *conf, iri_str_t came,
                   iri_reading_t *out, int *held)
{
    iri_memo_reading_t   memo = iri_recall_asked(came);
    iri_recall_t         head;
    const unsigned char *text;
    iri_status_t         status;

    status = iri_memo_reading_find(env, cache, &memo, held);

    if (status != IRI_OK || !*held) {
        return status;
    }

    memcpy(&head, memo.path.data, sizeof(head));
    *held = head.conf == conf;

    text = memo.path.data + sizeof(head);
    out->answer = (iri_answer_t) head.answer;
    out->status = 0;
    out->why = (iri_why_t) head.why;
    out->form = (iri_form_t) head.form;
    out->charset = head.charset;
    out->path.data = text;
    out->path.len = head.path;
    out->uri.data = text + head.path + 1;
    out->uri.len = head.uri;
    out->octets = out->path;
    out->raw = head.raw;
    out->high = head.high;
    out->conf = conf;

    if (head.octets != 0) {
        out->octets.data = out->uri.data + head.uri + 1;
        out->octets.len = head.octets;
    }

    return IRI_OK;
}


static unsigned char *
iri_recall_put(unsigned char *to, iri_str_t s)
{
    memcpy(to, s.data, s.len);
    to[s.len] = '\0';

    return to + s.len + 1;
}


void
iri_reading_keep(iri_cache_t *cache, iri_str_t came,
                 const iri_reading_t *reading)
{
    iri_memo_reading_t memo = iri_recall_asked(came);
    unsigned char      text[IRI_MEMO_READ_TEXT], *p;
    iri_recall_t       head;

    if (reading->answer == IRI_REFUSE || reading->form == IRI_FORM_ASCII
        || reading->form == IRI_FORM_INVALID
        || sizeof(head) + reading->path.len + reading->uri.len
                   + reading->octets.len + 3
               > sizeof(text))
    {
        return;
    }

    memset(&head, 0, sizeof(head));
    head.conf = reading->conf;
    head.charset = reading->charset;
    head.path = (uint16_t) reading->path.len;
    head.uri = (uint16_t) reading->uri.len;
    head.answer = (uint8_t) reading->answer;
    head.why = (uint8_t) reading->why;
    head.form = (uint8_t) reading->form;
    head.raw = reading->raw != 0;
    head.high = (uint8_t) iri_is_high_escaped(reading->uri);

    if (!iri_str_equal(reading->octets, reading->path)) {
        head.octets = (uint16_t) reading->octets.len;
    }

    memcpy(text, &head, sizeof(head));
    p = iri_recall_put(text + sizeof(head), reading->path);
    p = iri_recall_put(p, reading->uri);

    if (head.octets != 0) {
        p = iri_recall_put(p, reading->octets);
    }

    memo.path.data = text;
    memo.path.len = (size_t) (p - text);
    iri_memo_reading_keep(cache, &memo);
}
