/*
 * sweep.h - going through all there is, and counting
 *
 * A part of a sweep is divided among processes; each counts what it looked
 * at, the checks it made and what was wrong.  IRI_SWEEP=all goes through
 * everything, otherwise a part takes every n-th item.
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
    size_t        wait;      /* items of others before ours */
    size_t        stride;    /* from one of ours to the next */
    sweep_tally_t tally;

    const iri_reading_conf_t *settled_by;   /* what was last read twice */
    size_t                    settled_len;
    unsigned char             settled[2048];
    size_t                    used;
    unsigned char             space[1024 * 1024];
} sweep_t;

int sweep_all(void);

/*
 * Go through a part in several processes, print its figures and fail the
 * test if anything was wrong.  Every sample-th item, or with IRI_SWEEP=all
 * every all-th.
 */
void sweep_part(const char *name, void (*part)(sweep_t *s), size_t sample,
                size_t all);

/* Is the next item ours? */
int sweep_next(sweep_t *s);

/* How many of the next items, of that many, are not. */
size_t sweep_skip(sweep_t *s, size_t most);

/* Forget what the last item needed. */
void sweep_forget(sweep_t *s);

/* Count a check; the first that fail are told. */
int sweep_check(sweep_t *s, int right, const char *what, iri_str_t of,
                iri_str_t got);
int sweep_check_str(sweep_t *s, iri_str_t got, iri_str_t want,
                    const char *what, iri_str_t of);

/* How octets of a path are sent */
typedef enum {
    SWEEP_RAW,          /* to a server that unescapes (nginx) */
    SWEEP_ESCAPED,
    SWEEP_KEPT_RAW,     /* to one that hands the path over as it came */
    SWEEP_KEPT_ESCAPED,
    SWEEP_WAYS
} sweep_way_t;

/* "/" and octets, into out, which has room. */
iri_str_t sweep_raw(iri_str_t octets, unsigned char *out);

/*
 * A path as it is sent: octets above 7F raw or "%HH", ASCII escaped where a
 * path may not hold it.
 */
iri_str_t sweep_sent(iri_str_t path, sweep_way_t way, unsigned char *out);

/*
 * Read a path, "/..." unescaped, and check what must hold of any reading:
 * nothing forbidden is born, it is read again as itself.  1 if it was read,
 * 0 if not, or it is ASCII.
 */
int sweep_read(sweep_t *s, const char *what, const iri_reading_conf_t *conf,
               iri_str_t path, sweep_way_t way, iri_reading_t *out);

/* The same, and what it should be: the canonical path; data NULL: none. */
void sweep_read_as(sweep_t *s, const char *what,
                   const iri_reading_conf_t *conf, iri_str_t path,
                   sweep_way_t way, iri_str_t want);

/* Look for a path below /srv, which has the entries of s. */
int sweep_find(sweep_t *s, const iri_tree_conf_t *tree,
               const iri_reading_t *reading, iri_str_t path,
               iri_found_t *found);

/*
 * A reading by ICU alone: the canonical path, or data NULL for none.  rows:
 * of core_supported; raw: its high octets came raw.
 */
iri_str_t sweep_model(const core_supported_t *const *rows, size_t count,
                      iri_str_t path, int raw, unsigned char *out);

/*
 * The characters of octets by ICU alone, -1 if there are none; no controls.
 */
long sweep_decode(const core_supported_t *row, iri_str_t octets,
                  uint32_t *out);

#endif /* SWEEP_H */
