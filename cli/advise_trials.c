/*
 * advise_trials.c - how targets would be answered with other charsets of
 * requests
 *
 * Each target that is not answered is tried with each charset by itself.  Then
 * charsets are chosen one by one, each time the one with which most further
 * requests are answered, but never two that find different entries for one
 * target.
 */

#include <string.h>

#include "advise.h"

/* The entry that each charset finds for one target. */
typedef struct {
    uint64_t  requests;
    uint32_t  finds;                /* 1u << charset */
    iri_str_t path[IRI_DETECTABLE]; /* canonical; empty: none */
} trial_t;

void
advise_trials_init(advise_trials_t *trials, apr_pool_t *pool,
                   const cli_settings_t *settings,
                   const iri_detector_t *detector)
{
    const iri_charsets_t *chosen = &settings->reading.charsets;
    const iri_charset_t  *charset;
    size_t                i, k;

    memset(trials, 0, sizeof(*trials));
    trials->pool = pool;
    trials->settings = settings;
    trials->rows = apr_array_make(pool, 64, sizeof(trial_t));
    for (i = 0; i < IRI_DETECTABLE; i++) {
        charset = iri_detector_charset(detector, i);
        if (charset == NULL) {
            continue;
        }
        for (k = 0; k < chosen->count; k++) {
            trials->chosen |= (uint32_t) (chosen->at[k] == charset)
                              << trials->charsets;
        }
        trials->charset[trials->charsets++] = charset;
    }
}


void
advise_trials_add(advise_trials_t *trials, apr_pool_t *scratch,
                  const cli_target_row_t *target)
{
    cli_settings_t settings = *trials->settings;
    cli_verdict_t  x;
    trial_t        trial;
    size_t         i, k;

    if (target->form == IRI_FORM_ASCII) {
        return;
    }
    memset(&trial, 0, sizeof(trial));
    trial.requests = target->requests;
    settings.reading.charsets.count = 1;
    for (i = 0; i < trials->charsets; i++) {
        settings.reading.charsets.at[0] = trials->charset[i];
        if (cli_outcome_answers(
                cli_trial(&settings, scratch, target->octets, &x))
            && x.form == IRI_FORM_LEGACY)
        {
            for (k = 0; k < i && !iri_str_equal(trial.path[k], x.path); k++) {
            }
            trial.finds |= 1u << i;
            trial.path[i] = k < i ? trial.path[k]
                                  : cli_copy(trials->pool, x.path);
        }
    }
    apr_pool_clear(scratch);
    if (trial.finds != 0) {
        APR_ARRAY_PUSH(trials->rows, trial_t) = trial;
    }
}


/* Return 1 if a charset in `among` finds another entry than charset i. */
static int
trial_is_undecided(const trial_t *trial, size_t i, uint32_t among)
{
    size_t k;

    for (k = 0; k < IRI_DETECTABLE; k++) {
        if ((among & trial->finds & 1u << k)
            && !iri_str_equal(trial->path[k], trial->path[i]))
        {
            return 1;
        }
    }
    return 0;
}


/* Return the number of requests that charset i answers in addition to the
   chosen charsets; 0 if it finds another entry than one of them. */
static uint64_t
trials_gain(const advise_trials_t *trials, size_t i)
{
    const trial_t *trial = (const trial_t *) (void *) trials->rows->elts;
    uint64_t       gain = 0;
    int            n;

    for (n = 0; n < trials->rows->nelts; n++, trial++) {
        if ((trial->finds & 1u << i) == 0) {
            continue;
        }
        if (trial_is_undecided(trial, i, trials->chosen)) {
            return 0;
        }
        if ((trial->finds & trials->chosen) == 0) {
            gain += trial->requests;
        }
    }
    return gain;
}


void
advise_trials_choose(advise_trials_t *trials)
{
    size_t   i, best, count = 0;
    uint64_t gain, most;

    for (i = 0; i < trials->charsets; i++) {
        count += trials->chosen >> i & 1;
    }
    for (; count < IRI_MAX_CHARSETS; count++) {
        for (i = 0, best = 0, most = 0; i < trials->charsets; i++) {
            gain = trials_gain(trials, i);
            if (gain > most) {
                best = i;
                most = gain;
            }
        }
        if (most == 0) {
            break;
        }
        trials->chosen |= 1u << best;
        trials->gain += most;
    }
}


iri_charsets_t
advise_trials_charsets(const advise_trials_t *trials)
{
    iri_charsets_t list;
    size_t         i;

    list.count = 0;

    for (i = 0; i < trials->charsets; i++) {
        if (trials->chosen & 1u << i) {
            list.at[list.count++] = trials->charset[i];
        }
    }
    iri_charsets_sort(&list);
    return list;
}
