/*
 * fuzz_read.c - target: from the octets of a path to its reading
 *
 * Fields: settings (three), request (two or three), and one of words: the
 * allocation that fails (an octet). Checked: the reading's grammar; that its
 * canonical URI and path are read as themselves; that a trace, and a failed
 * allocation, change no result.
 */

#include "fuzz.h"


/* The canonical form, sent by a client, is read as itself. */
static void
judge_canonical(const iri_reading_conf_t *conf, const iri_reading_t *reading,
                int escaped)
{
    iri_str_t           uri = reading->uri;
    iri_received_path_t request;
    iri_reading_t       again;

    /* The URI of an escaped path keeps "%2F". */
    if (!escaped) {
        uri = fuzz_uri(reading->path);
    }

    request = fuzz_redirected_request(reading->path, uri, escaped);

    fuzz_assert(fuzz_read(conf, &request, &again) == IRI_OK);
    fuzz_judge_reading(conf, &request, &again);

    /* Unescaped, "%2F" starts another segment. */
    if (again.why == IRI_WHY_LIMIT
        && iri_str_count(reading->uri, '/')
               != iri_str_count(reading->path, '/'))
    {
        return;
    }

    fuzz_assert(again.verdict == IRI_PASS);
    fuzz_assert(again.form == IRI_FORM_ESCAPED);
    fuzz_assert(fuzz_equal(again.path, reading->path));
    fuzz_assert(fuzz_equal(again.uri, uri));
}


/* Properties that do not depend on tracing and memory. */
static void
judge_same(const iri_reading_conf_t *conf, const iri_received_path_t *request,
           iri_status_t status, const iri_reading_t *reading,
           unsigned refused)
{
    iri_reading_t other;
    size_t        allocs = fuzz.allocs;

    fuzz.env.trace = 1;
    fuzz_assert(fuzz_read(conf, request, &other) == status);
    fuzz_assert(status != IRI_OK || fuzz_same_reading(&other, reading));
    fuzz.env.trace = 0;

    if (refused == 0 || allocs == 0) {
        return;
    }

    fuzz.fail_at = 1 + refused % allocs;
    fuzz.fail_on = refused >= 128;

    if (fuzz_read(conf, request, &other) == IRI_OK) {
        fuzz_assert(status == IRI_OK && fuzz_same_reading(&other, reading));
    }

    fuzz.fail_at = 0;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t        input = fuzz_input(data, size);
    fuzz_conf_t         conf;
    iri_received_path_t request;
    iri_reading_t       reading;
    iri_str_t           words;
    iri_status_t        status;

    fuzz_begin();
    fuzz_conf(&input, &conf);
    fuzz_request(&input, &request);
    fuzz_field(&input, &words);

    status = fuzz_read(&conf.reading, &request, &reading);

    judge_same(&conf.reading, &request, status, &reading,
               fuzz_octet(words, 0));

    if (status == IRI_OK) {
        fuzz.reading = &reading;
        fuzz_judge_reading(&conf.reading, &request, &reading);

        if (reading.form != IRI_FORM_INVALID
            && reading.form != IRI_FORM_ASCII) {
            judge_canonical(&conf.reading, &reading, request.escaped);
            judge_canonical(&conf.reading, &reading, !request.escaped);
        }
    }

    fuzz_end();

    return 0;
}
