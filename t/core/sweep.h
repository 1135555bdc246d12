/*
 * sweep.h - exhaustive runs with counters
 *
 * A part of a sweep is divided among processes; each counts the items that it
 * examined, its checks and the violations.  IRI_SWEEP=all examines every item,
 * otherwise a part takes every n-th item.
 */

#ifndef SWEEP_H
#define SWEEP_H

#include "core.h"

typedef struct {
    size_t items;    /* characters, sequences, pairs */
    size_t checks;
    size_t wrong;
} sweep_tally_t;

typedef struct {
    core_t        core;      /* first: it is the ctx of its env */
    iri_str_t     entry[8];  /* of the one directory, /srv */
    size_t        entries;
    size_t        wait;      /* items of other processes before ours */
    size_t        stride;    /* distance between two of our items */
    sweep_tally_t tally;

    /* conf of the last reading that was checked twice */
    const iri_reading_conf_t *settled_by;
    size_t                    settled_len;
    unsigned char             settled[2048];
    size_t                    used;
    unsigned char             space[1024 * 1024];
} sweep_t;

int sweep_all(void);

/*
 * Run a part in several processes, print its figures and fail the test on a
 * violation.  Every sample-th item, or with IRI_SWEEP=all every all-th.
 */
void sweep_part(const char *name, void (*part)(sweep_t *s), size_t sample,
                size_t all);

/* Is the next item for this process? */
int sweep_next(sweep_t *s);

/* The number of items to skip, of that many. */
size_t sweep_skip(sweep_t *s, size_t most);

/* Free the memory of the last item. */
void sweep_forget(sweep_t *s);

/* Count a check; the first violations are printed. */
int sweep_check(sweep_t *s, int right, const char *label, iri_str_t of,
                iri_str_t got);
int sweep_check_str(sweep_t *s, iri_str_t got, iri_str_t want,
                    const char *label, iri_str_t of);

/* How the octets of a path are sent */
typedef enum {
    SWEEP_RAW,          /* to a server that unescapes (nginx) */
    SWEEP_ESCAPED,
    SWEEP_KEPT_RAW,     /* to a server that hands the path over as sent */
    SWEEP_KEPT_ESCAPED,
    SWEEP_WAYS
} sweep_way_t;

/* "/" and octets, into out, which must have room. */
iri_str_t sweep_raw(iri_str_t octets, unsigned char *out);

/*
 * A path as it is sent: octets above 7F raw or "%HH", ASCII escaped where a
 * path must not contain it.
 */
iri_str_t sweep_sent(iri_str_t path, sweep_way_t way, unsigned char *out);

/*
 * Read a path, "/..." unescaped, and check the invariants of any reading:
 * nothing forbidden appears, and reading the result again gives the result.  1
 * if it was read, 0 if not or if it is ASCII.
 */
int sweep_read(sweep_t *s, const char *label, const iri_reading_conf_t *conf,
               iri_str_t path, sweep_way_t way, iri_reading_t *out);

/* The same with the expected canonical path; data NULL: none. */
void sweep_read_as(sweep_t *s, const char *label,
                   const iri_reading_conf_t *conf, iri_str_t path,
                   sweep_way_t way, iri_str_t want);

/* Find a path below /srv, which has the entries of s. */
int sweep_find(sweep_t *s, const iri_tree_conf_t *tree,
               const iri_reading_t *reading, iri_str_t path,
               iri_found_t *found);

/*
 * A reading by ICU alone: the canonical path, or data NULL for none.  rows: of
 * core_supported; raw: its high octets were sent raw.
 */
iri_str_t sweep_model(const core_supported_t *const *rows, size_t count,
                      iri_str_t path, int raw, unsigned char *out);

/* Decode octets by ICU alone, -1 if they are invalid; no controls. */
long sweep_decode(const core_supported_t *row, iri_str_t octets,
                  uint32_t *out);

#endif /* SWEEP_H */
