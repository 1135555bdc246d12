/*
 * churn.h - a tree that changes all the time, and clients that judge responses
 *
 * Four parts: files and their names (tree.c), the changes while servers read
 * them (scenes.c), the clients (load.c) and the judgement of each response
 * (judge.c).
 *
 *   body        records of 64 octets, each with the kind, serial number and
 *               size of its file and its own number: any part of a body
 *               identifies the file and generation that it came from
 *   resource    a file or directory that clients request by one name, in any
 *               spelling
 *   generation  a body that a resource had for some time; each response must
 *               contain one that the resource had during the request
 *   scene       resources that change together; while it is calm, responses
 *               are judged strictly: one status, one body
 */

#ifndef CHURN_H
#define CHURN_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define RECORD      64      /* octets of a record */
#define SMALL       640     /* octets of most bodies */
#define LARGE       196608  /* octets of bodies that slow clients read */
#define MAX_PATH    1024
#define MAX_TARGETS 16
#define MAX_RESOURCES 12    /* of a scene */
#define GENERATIONS 4096    /* of a resource, the newest */
#define MILLI       INT64_C(1000000)

/*
 * How long after a change responses are judged strictly: the module may use an
 * index of a changing directory for a tenth of a second.
 */
#define SETTLED     (150 * MILLI)

/* The first letter of a body */
typedef enum {
    KIND_PUBLIC = 'P',
    KIND_DENIED = 'D',     /* below a name that a rule of the server denies */
    KIND_HTACCESS = 'H',   /* beside a .htaccess that denies it */
    KIND_OUTSIDE = 'O'     /* outside the root */
} kind_t;

/* The form of a name on disk, in the order of precedence among equal names. */
typedef enum {
    FORM_NFC,
    FORM_NFD,
    FORM_LEGACY,
    FORM_ODD,       /* partly composed: found only by listing */
    FORMS
} form_t;

#define FORM(form) (1u << (form))

typedef struct {
    const char *form[FORMS];    /* octets; LEGACY: windows-1252 */
    const char *sjis, *euc;     /* or NULL */
} name_t;

extern const name_t name_hyo, name_hi, name_cafe, name_ke, name_half;

/* The octets of a form below the directory of a tree, 'e' for EUC-JP. */
const char *name_octets(const name_t *name, form_t form, char tree);

typedef struct scene_s scene_t;

typedef struct {
    uint32_t serial;
    int64_t  born, died;     /* outer bounds; died INT64_MAX: exists */
} generation_t;

typedef struct {
    scene_t      *scene;
    char          label[MAX_PATH];      /* for messages */
    char         *target[MAX_TARGETS]; /* spellings for the request line */
    size_t        targets;
    size_t        size;                /* of each of its bodies */
    char          denied;              /* DENIED or HTACCESS: never a body */
    int           steady;              /* 1: never absent */
    int           socket;              /* 1: open() fails, so nginx answers
                                          500, as it does by itself */
    uint32_t      want;                /* the body in calm; 0: none */
    generation_t  generation[GENERATIONS];
    unsigned      last;                /* the newest, modulo GENERATIONS */
} resource_t;

struct scene_s {
    void          (*change)(scene_t *scene);       /* one change */
    int           (*next_phase)(scene_t *scene);   /* 1: a storm */
    pthread_mutex_t lock;              /* protects the following fields */
    int             changing;
    int64_t         changed;           /* end of the last change */
    int             storm;
    int64_t         until;             /* end of this phase */
    unsigned        phase;
    int             thread;            /* the thread that changes it */
    int             active;            /* in a storm, or just after one */
    resource_t     *resource[MAX_RESOURCES];
    size_t          resources;
};

/* Counters of the whole run; incremented with count_add(). */
typedef enum {
    COUNT_REQUESTS, COUNT_STRICT, COUNT_OK, COUNT_PARTS, COUNT_HEADS,
    COUNT_PIPELINED, COUNT_MISSED, COUNT_UNJUDGED, COUNT_CHANGES,
    COUNT_RENAMES, COUNT_SWAPS,
    COUNT_REPLACED, COUNT_TWINS, COUNT_REWRITTEN, COUNT_SAME_INODE,
    COUNT_CONNECTIONS, COUNT_BOUNDARY,
    COUNT_WRONG, COUNT_STATUS, COUNT_5XX, COUNT_OUTSIDE, COUNT_OUTSIDE_CALM,
    COUNT_DENIED, COUNT_HTACCESS, COUNT_HTACCESS_CALM, COUNT_CUT, COUNT_LOST,
    COUNT_STUCK, COUNT_SOCKET_500,
    COUNTS
} count_t;

void count_add(count_t counter, uint64_t n);
uint64_t count_get(count_t counter);
const char *count_text(count_t counter);

/* The options of this run */
typedef struct {
    const char *root;      /* of the server: absolute, empty or created by us */
    const char *beside;    /* outside the root, on the same file system */
    int         port;
    double      seconds;
    int         reloads;   /* 1: connections may end between requests */
    int         fifos;     /* 1: files become FIFOs (not for httpd, which
                              opens a FIFO as it opens a file) */
    unsigned    deep;      /* entries of a large directory; 0: none */
    unsigned    seed;
    unsigned    sweeps;    /* requests for each target at the end */
} options_t;

extern options_t options;

/* ---- tree.c -------------------------------------------------------------- */

int64_t now(void);
uint32_t random_below(uint32_t n);    /* each thread has its own generator */
void fatal(const char *label, const char *path) __attribute__((noreturn));
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

uint32_t new_serial(void);
void record_write(char out[RECORD], char kind, uint32_t serial, size_t size,
                  size_t number);

/* printf into a path; ends the program if it is too long. */
void path_print(char out[MAX_PATH], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An unused path outside the root, to stage what is then moved. */
void stage_path(char out[MAX_PATH]);
void make_dir(const char *path);
void make_file(const char *path, char kind, uint32_t serial, size_t size);
void make_text(const char *path, const char *text);
void make_link(const char *path, const char *to);
void move(const char *from, const char *to);
void exchange(const char *a, const char *b);
void remove_all(const char *path);    /* no error if it does not exist */

/* Add the spellings of dir, name and tail to the targets of a resource. */
void resource_add_spellings(resource_t *resource, const char *dir,
                            const name_t *name, const char *tail);
void resource_add_target(resource_t *resource, const char *octets);

/* ---- scenes.c ------------------------------------------------------------ */

extern scene_t *scene_list[];
extern size_t   scenes;

void scenes_make(void);
void scenes_start(void);
void scenes_stop(void);

/* ---- load.c -------------------------------------------------------------- */

void load_run(double seconds);   /* random requests */
void load_sweep(void);           /* each target of each place, in calm */

/* ---- judge.c ------------------------------------------------------------- */

typedef struct {
    resource_t    *resource;
    const char *target;
    int         head;          /* HEAD */
    size_t      from, to;      /* of a Range; to 0: no Range */
    int64_t     sent;
} request_t;

typedef struct {
    int         status;
    size_t      length;        /* Content-Length */
    const char *body;
    size_t      body_len;
    int         has_range;     /* Content-Range: from-to/size */
    size_t      from, to, size;
    int64_t     done;
} response_t;

void judge(const request_t *request, const response_t *response);

#endif /* CHURN_H */
