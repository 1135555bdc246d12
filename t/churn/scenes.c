/*
 * scenes.c - the changes to the tree while servers read it
 *
 * Each scene is changed by one thread. Before a change it records which bodies
 * can appear from now on, after it which can no longer appear: so the times
 * that judge.c compares are outer bounds, however slow the machine is.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "churn.h"

#define THREADS    5
#define MAX_SCENES 128
#define MERGED     (50 * MILLI) /* shorter absences are not recorded */

/* The threads; the last two do not pause in a storm. */
enum { BY_FIRST, BY_SECOND, BY_BIG, BY_FAST, BY_LINKS };

scene_t *scene_list[MAX_SCENES];
size_t   scenes;

static pthread_t thread[THREADS];
static int       stopping;


/* ---- acts ---------------------------------------------------------------- */

static void
scene_begin(scene_t *scene)
{
    pthread_mutex_lock(&scene->lock);
    scene->changing = 1;
    pthread_mutex_unlock(&scene->lock);
}


static void
scene_end(scene_t *scene)
{
    pthread_mutex_lock(&scene->lock);
    scene->changing = 0;
    scene->changed = now();
    pthread_mutex_unlock(&scene->lock);
    count_add(COUNT_CHANGES, 1);
}


/* From now on the resource can have this body. */
static void
generation_begin(resource_t *resource, uint32_t serial)
{
    generation_t *t;
    int64_t       when = now();
    unsigned      i;

    pthread_mutex_lock(&resource->scene->lock);

    for (i = 0; i < 4; i++) {
        t = &resource->generation[(resource->last - i) % GENERATIONS];
        if (t->serial == serial && t->died > when - MERGED) {
            break;
        }
    }

    if (i == 4) {
        t = &resource->generation[++resource->last % GENERATIONS];
        t->serial = serial;
        t->born = when;
    }

    t->died = INT64_MAX;
    pthread_mutex_unlock(&resource->scene->lock);
}


/* From now on the resource no longer has this body. */
static void
generation_end(resource_t *resource, uint32_t serial)
{
    generation_t *t;

    pthread_mutex_lock(&resource->scene->lock);

    for (unsigned i = 0; i < GENERATIONS; i++) {
        t = &resource->generation[(resource->last - i) % GENERATIONS];
        if (t->serial == serial) {
            t->died = now();
            break;
        }
    }

    pthread_mutex_unlock(&resource->scene->lock);
}


static void
resource_expect(resource_t *resource, uint32_t serial)
{
    pthread_mutex_lock(&resource->scene->lock);
    resource->want = serial;
    pthread_mutex_unlock(&resource->scene->lock);
}


static int
in_milli(scene_t *scene, unsigned least, unsigned most)
{
    scene->until = now() + (least + random_below(most - least)) * MILLI;

    return 1;
}


/* A storm and a calm in turn. */
static int
next_phase_plain(scene_t *scene)
{
    return scene->phase % 2 ? in_milli(scene, 80, 400)
                            : !in_milli(scene, 300, 700);
}


/*
 * A short storm of changes within one tick of the file system's clock, then
 * calm.
 */
static int
next_phase_fast(scene_t *scene)
{
    return scene->phase % 2 ? in_milli(scene, 2, 20)
                            : !in_milli(scene, 250, 600);
}


static void
scene_add(scene_t *scene, int by, void (*change)(scene_t *scene),
          int (*next_phase)(scene_t *scene))
{
    if (scenes == MAX_SCENES) {
        errno = E2BIG;
        fatal("scene", scene->resource[0]->label);
    }

    pthread_mutex_init(&scene->lock, NULL);
    scene->change = change;
    scene->next_phase = next_phase;
    scene->thread = by;
    scene->changed = now();
    scene_list[scenes++] = scene;
}


static void
scene_add_resource(scene_t *scene, resource_t *resource, size_t size,
                   const char *format, const char *a, const char *b)
{
    resource->scene = scene;
    resource->size = size;
    path_print(resource->label, format, a, b);
    scene->resource[scene->resources++] = resource;
}


static void *
make(size_t size)
{
    void *p = calloc(1, size);

    if (p == NULL) {
        fatal("calloc", "");
    }

    return p;
}


/* ---- things: one name, in one or several forms -------------------------- */

typedef struct {
    scene_t       scene;
    resource_t    resource;
    const name_t *name;
    char          dir[MAX_PATH];  /* "/s/", below the root */
    char          tail[MAX_PATH]; /* ASCII after the name */
    char          kind;
    int           is_dir;    /* a directory with f.txt and index.html */
    char     away[MAX_PATH]; /* where it is moved to while it is absent */
    uint32_t serial[FORMS];
} thing_t;


static int
thing_has_form(const thing_t *thing, form_t form)
{
    return name_octets(thing->name, form, thing->dir[1]) != NULL;
}


static void
thing_path(const thing_t *thing, form_t form, char out[MAX_PATH])
{
    path_print(out, "%s%s%s%s", options.root, thing->dir,
               name_octets(thing->name, form, thing->dir[1]), thing->tail);
}


/* Create a new generation outside the root; path: where it is. */
static uint32_t
thing_new(const thing_t *thing, char path[MAX_PATH])
{
    uint32_t serial = new_serial();
    char     inner[MAX_PATH];

    stage_path(path);

    if (!thing->is_dir) {
        make_file(path, thing->kind, serial, thing->resource.size);
        return serial;
    }

    make_dir(path);
    path_print(inner, "%s/f.txt", path);
    make_file(inner, thing->kind, serial, thing->resource.size);
    path_print(inner, "%s/index.html", path);
    make_file(inner, thing->kind, serial, thing->resource.size);

    if (thing->kind == KIND_HTACCESS) {
        path_print(inner, "%s/.htaccess", path);
        make_text(inner, "Require all denied\n");
    }

    return serial;
}


static void
thing_add(thing_t *thing, form_t form)
{
    char     from[MAX_PATH], to[MAX_PATH];
    uint32_t serial = thing_new(thing, from);

    thing_path(thing, form, to);
    generation_begin(&thing->resource, serial);
    move(from, to);
    thing->serial[form] = serial;
    count_add(COUNT_TWINS, 1);
}


static void
thing_remove(thing_t *thing, form_t form)
{
    char from[MAX_PATH], to[MAX_PATH];

    thing_path(thing, form, from);
    stage_path(to);
    move(from, to);
    generation_end(&thing->resource, thing->serial[form]);
    thing->serial[form] = 0;
    remove_all(to);
}


static void
thing_replace(thing_t *thing, form_t form)
{
    char     from[MAX_PATH], to[MAX_PATH];
    uint32_t serial = thing_new(thing, from);

    thing_path(thing, form, to);
    generation_begin(&thing->resource, serial);

    if (thing->is_dir) {
        exchange(from, to);
        remove_all(from);
    } else {
        move(from, to);
    }

    generation_end(&thing->resource, thing->serial[form]);
    thing->serial[form] = serial;
    count_add(COUNT_REPLACED, 1);
}


/* Rename the same body to another form of its name. */
static void
thing_move(thing_t *thing, form_t from, form_t to)
{
    char     a[MAX_PATH], b[MAX_PATH];
    uint32_t serial = thing->serial[to];

    thing_path(thing, from, a);
    thing_path(thing, to, b);

    if (serial != 0) {
        exchange(a, b);
    } else {
        move(a, b);
    }

    thing->serial[to] = thing->serial[from];
    thing->serial[from] = serial;
    count_add(COUNT_RENAMES, 1);
}


/* Of several forms the first one counts. */
static void
thing_settle(thing_t *thing)
{
    uint32_t want = 0;

    for (form_t form = FORMS; form-- > 0; /* void */) {
        want = thing->serial[form] != 0 ? thing->serial[form] : want;
    }

    resource_expect(&thing->resource, want);
}


static form_t
thing_form(const thing_t *thing, int present)
{
    form_t form;

    do {
        form = (form_t) random_below(FORMS);
    } while (!thing_has_form(thing, form)
             || (present && thing->serial[form] == 0));

    return form;
}


static unsigned
thing_count(const thing_t *thing)
{
    unsigned n = 0;

    for (form_t form = 0; form < FORMS; form++) {
        n += thing->serial[form] != 0;
    }

    return n;
}


static void
change_thing(scene_t *scene)
{
    thing_t *thing = (thing_t *) scene;
    unsigned present = thing_count(thing);
    unsigned dice = random_below(8);
    form_t   from, to = thing_form(thing, 0);

    scene_begin(scene);

    if (present == 0) {
        thing_add(thing, to);

    } else {
        from = thing_form(thing, 1);

        if (dice < 4 && from != to) {
            thing_move(thing, from, to);
        } else if (dice == 5 && thing->serial[to] == 0) {
            thing_add(thing, to);
        } else if (dice == 6 && (present > 1 || random_below(4) == 0)) {
            thing_remove(thing, from);
        } else {
            thing_replace(thing, from);
        }
    }

    thing_settle(thing);
    scene_end(scene);
}


/* Only replaced, in the form that it has: never absent. */
static void
change_steady(scene_t *scene)
{
    thing_t *thing = (thing_t *) scene;

    scene_begin(scene);
    thing_replace(thing, thing_form(thing, 1));
    thing_settle(thing);
    scene_end(scene);
}


/*
 * One file that is created, removed and renamed to another form as fast as
 * possible: an index of its directory is out of date within a tick of the
 * clock.
 */
static void
change_grain(scene_t *scene)
{
    thing_t *thing = (thing_t *) scene;
    unsigned present = thing_count(thing);
    form_t   from, to = random_below(2) ? FORM_ODD : thing_form(thing, 0);

    scene_begin(scene);

    if (present == 0) {
        thing_add(thing, to);
    } else {
        from = thing_form(thing, 1);
        if (random_below(8) == 0) {
            thing_remove(thing, from);
        } else if (from != to) {
            thing_move(thing, from, to);
        }
    }

    thing_settle(thing);
    scene_end(scene);
}


/*
 * The same for a file that the first reading of no request names: its existence
 * decides which rules apply.
 */
static void
change_flicker(scene_t *scene)
{
    thing_t *thing = (thing_t *) scene;
    char     path[MAX_PATH];
    form_t   form;

    scene_begin(scene);

    if (thing_count(thing) == 0) {
        form = thing_form(thing, 0);
        thing_path(thing, form, path);
        move(thing->away, path);
        thing->serial[form] = 1;
    } else {
        form = thing_form(thing, 1);
        thing_path(thing, form, path);
        move(path, thing->away);
        thing->serial[form] = 0;
    }

    scene_end(scene);
    count_add(COUNT_RENAMES, 1);
}


static thing_t *
thing_make(const char *dir, const name_t *name, const char *tail, char kind)
{
    thing_t *thing = make(sizeof(*thing));

    thing->name = name;
    thing->kind = kind;
    path_print(thing->dir, "%s", dir);
    path_print(thing->tail, "%s", tail);
    scene_add_resource(&thing->scene, &thing->resource, SMALL, "%sNAME%s",
                       dir, tail);
    thing->resource.denied = kind == KIND_PUBLIC ? 0 : kind;

    return thing;
}


static void
thing_file(const char *dir, const name_t *name, const char *tail, char kind)
{
    thing_t *thing = thing_make(dir, name, tail, kind);

    resource_add_spellings(&thing->resource, dir, name, tail);
    scene_add(&thing->scene, scenes % 2 ? BY_FIRST : BY_SECOND, change_thing,
              next_phase_plain);
}


/* requested: the name as clients request it. */
static void
thing_dir(const char *dir, const name_t *name, const name_t *asked,
          const char *tail, char kind)
{
    thing_t *thing = thing_make(dir, name, tail, kind);
    char     inner[MAX_PATH];

    thing->is_dir = 1;
    path_print(inner, "%s/f.txt", tail);
    resource_add_spellings(&thing->resource, dir, asked, inner);
    path_print(inner, "%s/", tail);
    resource_add_spellings(&thing->resource, dir, asked, inner);
    scene_add(&thing->scene, scenes % 2 ? BY_FIRST : BY_SECOND, change_thing,
              next_phase_plain);
}


/*
 * In one form; large enough that slow clients are still reading during changes.
 */
static void
thing_steady(const char *dir, const name_t *name, form_t form, size_t size)
{
    static const char *const tails[] = { "-nfc.bin", "-nfd.bin", "-old.bin",
                                         "-odd.bin" };
    thing_t *thing = thing_make(dir, name, tails[form], KIND_PUBLIC);

    if (!thing_has_form(thing, form)) {
        free(thing);
        return;
    }

    thing->resource.size = size;
    thing->resource.steady = 1;
    resource_add_spellings(&thing->resource, dir, name, tails[form]);
    scene_add(&thing->scene, BY_FIRST, change_steady, next_phase_plain);
    thing_add(thing, form);
    thing_settle(thing);
}


static void
thing_grain(unsigned n)
{
    char     dir[MAX_PATH], path[MAX_PATH];
    thing_t *thing;

    path_print(dir, "/g/%u/", n);
    path_print(path, "%s%s", options.root, dir);
    make_dir(path);

    thing = thing_make(dir, &name_ke, ".txt", KIND_PUBLIC);
    resource_add_spellings(&thing->resource, dir, &name_ke, ".txt");
    scene_add(&thing->scene, BY_FAST, change_grain, next_phase_fast);
}


/* Denied, and requested in octets whose first reading is another name. */
static void
thing_flicker(const char *dir, const name_t *name, const char *octets,
              const char *tail, int is_dir)
{
    thing_t *thing = thing_make(dir, name, tail, KIND_DENIED);
    char     whole[MAX_PATH];

    thing->is_dir = is_dir;
    path_print(whole, "%s%s%s%s", dir, octets, tail, is_dir ? "/f.txt" : "");
    resource_add_target(&thing->resource, whole);
    thing_new(thing, thing->away);
    scene_add(&thing->scene, BY_FAST, change_flicker, next_phase_plain);
}


/* ---- a public and a denied directory are exchanged ---------------------- */

typedef struct {
    scene_t    scene;
    resource_t open, denied;
    char       path[2][MAX_PATH];
    uint32_t   serial[2];
} pair_t;


static void
change_pair(scene_t *scene)
{
    pair_t  *pair = (pair_t *) scene;
    uint32_t serial = pair->serial[0];

    scene_begin(scene);
    generation_begin(&pair->open, pair->serial[1]);
    exchange(pair->path[0], pair->path[1]);
    generation_end(&pair->open, serial);
    pair->serial[0] = pair->serial[1];
    pair->serial[1] = serial;
    resource_expect(&pair->open, pair->serial[0]);
    scene_end(scene);
    count_add(COUNT_SWAPS, 1);
}


static void
pair_make(form_t open, form_t denied)
{
    pair_t       *pair = make(sizeof(*pair));
    const name_t *name[2] = { &name_hyo, &name_hi };
    form_t        form[2] = { open, denied };
    char          tail[MAX_PATH], inner[MAX_PATH];

    path_print(tail, "-x%d%d", open, denied);

    for (int i = 0; i < 2; i++) {
        path_print(pair->path[i], "%s/e/%s%s", options.root,
                   name_octets(name[i], form[i], 'e'), tail);
        make_dir(pair->path[i]);
        pair->serial[i] = new_serial();
        path_print(inner, "%s/f.txt", pair->path[i]);
        make_file(inner, KIND_PUBLIC, pair->serial[i], SMALL);
    }

    scene_add_resource(&pair->scene, &pair->open, SMALL, "%sOPEN%s", "/e/",
                       tail);
    scene_add_resource(&pair->scene, &pair->denied, SMALL, "%sDENIED%s",
                       "/e/", tail);
    pair->denied.denied = KIND_DENIED;
    path_print(inner, "%s/f.txt", tail);
    resource_add_spellings(&pair->open, "/e/", name[0], inner);
    resource_add_spellings(&pair->denied, "/e/", name[1], inner);
    scene_add(&pair->scene, BY_FIRST, change_pair, next_phase_plain);
    generation_begin(&pair->open, pair->serial[0]);
    pair->open.want = pair->serial[0];
}


/* ---- a served and an unserved file are exchanged ------------------------ */

typedef struct {
    scene_t    scene;
    resource_t resource;
    char       path[MAX_PATH];  /* in the root */
    char       other[MAX_PATH]; /* outside the root, not served */
    uint32_t   serial;
} swap_t;


static void
change_swap(scene_t *scene)
{
    swap_t *swap = (swap_t *) scene;
    int     served = swap->resource.want == 0;

    scene_begin(scene);

    if (served) {
        generation_begin(&swap->resource, swap->serial);
    }

    exchange(swap->path, swap->other);

    if (!served) {
        generation_end(&swap->resource, swap->serial);
    }

    resource_expect(&swap->resource, served ? swap->serial : 0);
    scene_end(scene);
    count_add(COUNT_SWAPS, 1);
}


/* A file, or a directory with f.txt; the caller makes swap->other. */
static swap_t *
swap_make(const char *dir, const name_t *name, form_t form, const char *tail,
          int is_dir)
{
    swap_t *swap = make(sizeof(*swap));
    char    inner[MAX_PATH];

    path_print(swap->path, "%s%s%s%s", options.root, dir, name->form[form],
               tail);
    path_print(inner, "%s%s", swap->path, is_dir ? "/f.txt" : "");
    stage_path(swap->other);
    swap->serial = new_serial();

    if (is_dir) {
        make_dir(swap->path);
    }

    make_file(inner, KIND_PUBLIC, swap->serial, SMALL);
    scene_add_resource(&swap->scene, &swap->resource, SMALL, "%sNAME%s", dir,
                       tail);
    path_print(inner, "%s%s", tail, is_dir ? "/f.txt" : "");
    resource_add_spellings(&swap->resource, dir, name, inner);
    scene_add(&swap->scene, BY_SECOND, change_swap, next_phase_plain);
    generation_begin(&swap->resource, swap->serial);
    swap->resource.want = swap->serial;

    return swap;
}


/* Links to files outside the root, which these locations must not follow. */
static void
outside_make(const char *dir, form_t form)
{
    static const char *const tails[] = { "-nfc", "-nfd", "-old", "-odd" };
    char                     path[MAX_PATH], tail[MAX_PATH];
    swap_t                  *swap;

    path_print(path, "%s/outside", options.beside);
    swap = swap_make(dir, &name_ke, form, tails[form], 1);
    make_link(swap->other, path);

    path_print(path, "%s/outside/f.txt", options.beside);
    path_print(tail, "%s.txt", tails[form]);
    swap = swap_make(dir, &name_ke, form, tail, 0);
    make_link(swap->other, path);
}


/* ---- a link, or a directory above, leads here or there ------------------- */

typedef enum { LINK_ABOVE, LINK_ITSELF, MOVED_ABOVE, LINKS } links_way_t;

typedef struct {
    scene_t     scene;
    resource_t  resource[MAX_RESOURCES];
    links_way_t way;
    char        base[MAX_PATH];
    uint32_t serial[MAX_RESOURCES][2]; /* 0: no such file in that version */
    int      version;                  /* the current one */
} links_t;


static void
links_switch(links_t *links, int version)
{
    char current[MAX_PATH], other[MAX_PATH], to[MAX_PATH];

    path_print(current, "%s/cur", links->base);

    if (links->way == MOVED_ABOVE) {
        path_print(other, "%s/other", links->base);
        exchange(current, other);
        return;
    }

    path_print(to, "v%d%s", version, links->way == LINK_ABOVE ? "" : "/d0");
    stage_path(other);
    make_link(other, to);
    move(other, current);
}


/*
 * No directory that contains files changes, so that no cached index is out of
 * date: only the links on the path change.
 */
static void
change_links(scene_t *scene)
{
    links_t *links = (links_t *) scene;
    int      version = !links->version;

    scene_begin(scene);

    for (int i = 0; i < MAX_RESOURCES; i++) {
        if (links->serial[i][version] != 0) {
            generation_begin(&links->resource[i], links->serial[i][version]);
        }
    }

    links_switch(links, version);

    for (int i = 0; i < MAX_RESOURCES; i++) {
        if (links->serial[i][!version] != 0) {
            generation_end(&links->resource[i], links->serial[i][!version]);
        }

        resource_expect(&links->resource[i], links->serial[i][version]);
    }

    links->version = version;
    scene_end(scene);
    count_add(COUNT_SWAPS, 1);
}


/* The current path of the n-th directory of a version. */
static void
links_dir(const links_t *links, int version, int n, char out[MAX_PATH])
{
    n = links->way == LINK_ITSELF ? 0 : n;

    if (links->way == MOVED_ABOVE) {
        path_print(out, "%s/%s/d%d", links->base,
                   version == links->version ? "cur" : "other", n);
    } else {
        path_print(out, "%s/v%d/d%d", links->base, version, n);
    }
}


/* Set new times on all of them, so that they are read again. */
static void
links_touch(links_t *links)
{
    char dir[MAX_PATH], path[MAX_PATH];

    scene_begin(&links->scene);

    for (int i = 0; i < 2 * MAX_RESOURCES; i++) {
        links_dir(links, i % 2, i / 2, dir);
        path_print(path, "%s/touched", dir);
        make_text(path, "");
        remove_all(path);
    }

    scene_end(&links->scene);
}


/*
 * A storm, a calm, and a calm of two seconds after the directories got new
 * times: then the next storm happens while they are read for indexes that are
 * cached permanently.
 */
static int
next_phase_links(scene_t *scene)
{
    switch (scene->phase % 3) {
    case 1:
        return in_milli(scene, 100, 200);
    case 2:
        return !in_milli(scene, 500, 700);
    default:
        links_touch((links_t *) scene);
        return !in_milli(scene, 1940, 1990);
    }
}


/*
 * Each resource has its directory in both versions; its file, found only by
 * listing, is in one of them, or in the other in a form found by lookup.
 */
static void
links_fill(links_t *links, int n)
{
    char dir[MAX_PATH], path[MAX_PATH];

    for (int version = 0; version < 2; version++) {
        links_dir(links, version, n, dir);
        path_print(path, "%.*s", (int) (strrchr(dir, '/') - dir), dir);
        make_dir(path);
        make_dir(dir);

        if (n % 2 == version && n % 8 != 7) {
            continue;
        }

        path_print(path, "%s/%s-%d.txt", dir,
                   name_ke.form[n % 2 == version ? FORM_NFC : FORM_ODD], n);
        links->serial[n][version] = new_serial();
        make_file(path, KIND_PUBLIC, links->serial[n][version], SMALL);
    }
}


static void
links_make(unsigned n)
{
    links_t    *links = make(sizeof(*links));
    resource_t *resource;
    char        dir[MAX_PATH], tail[MAX_PATH], path[MAX_PATH];

    links->way = n % LINKS;
    links->scene.phase = 2; /* the next phase is the long calm */
    path_print(links->base, "%s/l/%u", options.root, n);
    make_dir(links->base);

    for (int i = 0; i < MAX_RESOURCES; i++) {
        resource = &links->resource[i];
        links_fill(links, i);
        path_print(dir, "/l/%u/cur/", n);
        path_print(tail, "-%d.txt", i);

        if (links->way != LINK_ITSELF) {
            path_print(dir, "/l/%u/cur/d%d/", n, i);
        }

        scene_add_resource(&links->scene, resource, SMALL, "%sNAME%s", dir,
                           tail);
        resource_add_spellings(resource, dir, &name_ke, tail);
    }

    scene_add(&links->scene, BY_LINKS, change_links, next_phase_links);

    if (links->way != MOVED_ABOVE) {
        path_print(path, "%s/cur", links->base);
        make_link(path, "v0");
        links_switch(links, 0);
    }

    for (int i = 0; i < MAX_RESOURCES; i++) {
        if (links->serial[i][0] != 0) {
            generation_begin(&links->resource[i], links->serial[i][0]);
            links->resource[i].want = links->serial[i][0];
        }
    }
}


/* ---- a new directory, if possible with the same inode number ------------ */

typedef struct {
    scene_t    scene;
    resource_t resource;
    char       dir[MAX_PATH];
    char       file[MAX_PATH];
    uint32_t   serial; /* 0: no file */
} inode_t;


static void
inode_empty(inode_t *inode)
{
    if (inode->serial != 0) {
        if (unlink(inode->file) != 0) {
            fatal("unlink", inode->file);
        }

        generation_end(&inode->resource, inode->serial);
        inode->serial = 0;
    }
}


static void
inode_fill(inode_t *inode)
{
    char stage[MAX_PATH];

    if (random_below(3) == 0) {
        return;
    }

    inode->serial = new_serial();
    path_print(inode->file, "%s/%s.txt", inode->dir,
               name_ke.form[random_below(4) == 0 ? FORM_NFD : FORM_ODD]);
    stage_path(stage);
    make_file(stage, KIND_PUBLIC, inode->serial, SMALL);
    generation_begin(&inode->resource, inode->serial);
    move(stage, inode->file);
}


static void
change_inode(scene_t *scene)
{
    inode_t    *inode = (inode_t *) scene;
    struct stat before, after;

    scene_begin(scene);
    inode_empty(inode);

    if (stat(inode->dir, &before) != 0 || rmdir(inode->dir) != 0) {
        fatal("rmdir", inode->dir);
    }

    make_dir(inode->dir);

    if (stat(inode->dir, &after) != 0) {
        fatal("stat", inode->dir);
    }

    count_add(COUNT_SAME_INODE, before.st_ino == after.st_ino);
    inode_fill(inode);
    resource_expect(&inode->resource, inode->serial);
    scene_end(scene);
}


static void
inode_make(unsigned n)
{
    inode_t *inode = make(sizeof(*inode));
    char     dir[MAX_PATH];

    path_print(inode->dir, "%s/i/%u", options.root, n);
    make_dir(inode->dir);
    path_print(dir, "/i/%u/", n);
    scene_add_resource(&inode->scene, &inode->resource, SMALL, "%sNAME%s",
                       dir, ".txt");
    resource_add_spellings(&inode->resource, dir, &name_ke, ".txt");
    scene_add(&inode->scene, BY_FAST, change_inode, next_phase_fast);
}


/* ---- a directory of ten thousand entries --------------------------------- */

#define BIG_LOOSE 90 /* additional files that come and go */

typedef struct {
    scene_t    scene;
    resource_t guessed, odd; /* one found by lookup, one found by listing */
    char       path[MAX_PATH];
    uint32_t   serial[2];
    unsigned   loose; /* how many of them exist */
} big_t;


static void
big_loose(const big_t *big, unsigned n, char out[MAX_PATH])
{
    path_print(out, "%s/loose-%s-%u", big->path,
               name_ke.form[n % 2 ? FORM_NFC : FORM_NFD], n);
}


/* Create a whole new directory at path with these serials. */
static void
big_write(const char *path, const uint32_t serial[2])
{
    char file[MAX_PATH];

    make_dir(path);

    for (unsigned n = 0; n < options.deep; n++) {
        path_print(file, "%s/entry-%u", path, n);
        make_text(file, "");
    }

    path_print(file, "%s/%s.txt", path, name_ke.form[FORM_NFC]);
    make_file(file, KIND_PUBLIC, serial[0], SMALL);
    path_print(file, "%s/%s-odd.txt", path, name_ke.form[FORM_ODD]);
    make_file(file, KIND_PUBLIC, serial[1], SMALL);
}


static void
big_replace(big_t *big)
{
    uint32_t serial[2] = { new_serial(), new_serial() };
    char     path[MAX_PATH];

    stage_path(path);
    big_write(path, serial);
    generation_begin(&big->guessed, serial[0]);
    generation_begin(&big->odd, serial[1]);
    exchange(path, big->path);
    generation_end(&big->guessed, big->serial[0]);
    generation_end(&big->odd, big->serial[1]);
    memcpy(big->serial, serial, sizeof(serial));
    big->loose = 0;
    resource_expect(&big->guessed, serial[0]);
    resource_expect(&big->odd, serial[1]);
    remove_all(path);
    count_add(COUNT_REWRITTEN, 1);
}


static void
change_big(scene_t *scene)
{
    big_t *big = (big_t *) scene;
    char   file[MAX_PATH];

    scene_begin(scene);

    if (random_below(2000) == 0) {
        big_replace(big);

    } else if (big->loose < BIG_LOOSE && random_below(2)) {
        big_loose(big, big->loose++, file);
        make_text(file, "");

    } else if (big->loose > 0) {
        big_loose(big, --big->loose, file);
        remove_all(file);
    }

    scene_end(scene);
}


static void
big_make(void)
{
    big_t *big = make(sizeof(*big));

    path_print(big->path, "%s/b/big", options.root);
    big->serial[0] = new_serial();
    big->serial[1] = new_serial();
    big_write(big->path, big->serial);

    scene_add_resource(&big->scene, &big->guessed, SMALL, "%sNAME%s",
                       "/b/big/", ".txt");
    scene_add_resource(&big->scene, &big->odd, SMALL, "%sNAME%s", "/b/big/",
                       "-odd.txt");
    resource_add_spellings(&big->guessed, "/b/big/", &name_ke, ".txt");
    resource_add_spellings(&big->odd, "/b/big/", &name_ke, "-odd.txt");
    big->guessed.steady = 1;
    big->odd.steady = 1;
    scene_add(&big->scene, BY_BIG, change_big, next_phase_plain);
    generation_begin(&big->guessed, big->serial[0]);
    generation_begin(&big->odd, big->serial[1]);
    big->guessed.want = big->serial[0];
    big->odd.want = big->serial[1];
}


/* ---- entries that are neither file nor directory ------------------------ */

static void
make_node(const char *path, mode_t mode, dev_t dev)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int                fd;

    if (!S_ISSOCK(mode)) {
        if (mknod(path, mode | 0644, dev) != 0) {
            fatal("mknod", path);
        }

        return;
    }

    if (strlen(path) >= sizeof(address.sun_path)) {
        return; /* 404 is as right as 403 */
    }

    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0
        || bind(fd, (struct sockaddr *) &address, sizeof(address)) != 0) {
        fatal("bind", path);
    }

    close(fd);
}


static void
change_nothing(scene_t *scene)
{
    (void) scene;
}


/* Special files in each form, which must block no worker and give no body. */
static void
nodes_make(void)
{
    static const struct {
        const char *tail;
        mode_t      mode;
        unsigned    minor;
    } node[] = { { "-fifo", S_IFIFO, 0 },
                 { "-socket", S_IFSOCK, 0 },
                 { "-null", S_IFCHR, 3 },
                 { "-zero", S_IFCHR, 5 } };
    thing_t *thing;
    char     path[MAX_PATH];

    for (size_t i = 0; i < COUNT(node); i++) {
        if (S_ISCHR(node[i].mode) && geteuid() != 0) {
            continue;
        }

        thing = thing_make("/k/", &name_ke, node[i].tail, KIND_PUBLIC);
        thing_path(thing, i % 2 ? FORM_ODD : FORM_NFC, path);
        make_node(path, node[i].mode, makedev(1, node[i].minor));
        thing->resource.socket = S_ISSOCK(node[i].mode);
        resource_add_spellings(&thing->resource, "/k/", &name_ke,
                               node[i].tail);
        scene_add(&thing->scene, BY_SECOND, change_nothing, next_phase_plain);
    }
}


/* A directory becomes a FIFO before it is opened for listing. */
static void
fifo_list_make(unsigned n)
{
    swap_t *swap = make(sizeof(*swap));
    char    path[MAX_PATH], dir[MAX_PATH];

    path_print(dir, "/k/list%u/", n);
    path_print(swap->path, "%s/k/list%u", options.root, n);
    make_dir(swap->path);
    path_print(path, "%s/%s.txt", swap->path, name_ke.form[FORM_ODD]);
    swap->serial = new_serial();
    make_file(path, KIND_PUBLIC, swap->serial, SMALL);
    stage_path(swap->other);
    make_node(swap->other, S_IFIFO, 0);
    scene_add_resource(&swap->scene, &swap->resource, SMALL, "%sNAME%s", dir,
                       ".txt");
    resource_add_spellings(&swap->resource, dir, &name_ke, ".txt");
    scene_add(&swap->scene, BY_LINKS, change_swap, next_phase_plain);
    generation_begin(&swap->resource, swap->serial);
    swap->resource.want = swap->serial;
}


static void
fifos_make(void)
{
    swap_t *swap;

    for (form_t form = FORM_NFC; form < FORMS; form += FORM_ODD) {
        swap = swap_make("/k/", &name_ke, form, form ? "-d1" : "-d0", 1);
        make_node(swap->other, S_IFIFO, 0);

        if (options.fifos) {
            swap = swap_make("/k/", &name_ke, form, form ? "-f1" : "-f0", 0);
            make_node(swap->other, S_IFIFO, 0);
        }
    }
}


/* ---- the tree ------------------------------------------------------------ */

static void
tree_make(void)
{
    static const char *const dirs[] = { "s", "e", "w", "u", "n", "m",
                                        "l", "g", "i", "b", "k" };
    char                     path[MAX_PATH];

    path_print(path, "%s/stage", options.beside);
    remove_all(path);
    make_dir(path);

    for (size_t i = 0; i < COUNT(dirs); i++) {
        path_print(path, "%s/%s", options.root, dirs[i]);
        remove_all(path);
        make_dir(path);
    }

    path_print(path, "%s/outside", options.beside);
    remove_all(path);
    make_dir(path);
    path_print(path, "%s/outside/f.txt", options.beside);
    make_file(path, KIND_OUTSIDE, new_serial(), SMALL);
    /* So that "if the owner matches" fails. */
    if (geteuid() == 0
        && (chown(path, 65534, 65534) != 0
            || (*strrchr(path, '/') = '\0', chown(path, 65534, 65534) != 0)))
    {
        fatal("chown", path);
    }
}


static void
things_make(void)
{
    static const struct {
        const char   *dir;
        const name_t *name;
    } tree[] = { { "/s/", &name_hyo },
                 { "/e/", &name_hyo },
                 { "/w/", &name_cafe },
                 { "/u/", &name_ke } };
    const char   *dir;
    const name_t *name;

    for (size_t i = 0; i < COUNT(tree); i++) {
        dir = tree[i].dir;
        name = tree[i].name;

        thing_file(dir, name, "-0.txt", KIND_PUBLIC);
        thing_file(dir, name, "-1.txt", KIND_PUBLIC);
        thing_dir(dir, name, name, "-0", KIND_PUBLIC);
        thing_dir(dir, name, name, "-1", KIND_PUBLIC);
        thing_steady(dir, name, FORM_NFC, LARGE);
        thing_steady(dir, name, FORM_LEGACY, LARGE);
        thing_steady(dir, name, FORM_ODD, SMALL);
    }
}


/* All names that rules of the servers deny; see t/churn.t. */
static void
denied_make(void)
{
    static name_t hyo_but_euc;

    hyo_but_euc = name_hyo;
    hyo_but_euc.euc = NULL;

    thing_dir("/e/", &name_hi, &name_hi, "-d", KIND_DENIED);
    thing_dir("/s/", &name_hi, &name_hi, "-d", KIND_DENIED);
    thing_file("/w/", &name_cafe, "-d.txt", KIND_DENIED);
    thing_dir("/u/", &name_ke, &name_ke, "-h", KIND_HTACCESS);
    /* The octets of one name in EUC-JP are the other name in Shift_JIS. */
    thing_dir("/e/", &name_hyo, &hyo_but_euc, "-d", KIND_DENIED);
    thing_dir("/e/", &name_half, &name_half, "-d", KIND_PUBLIC);
    thing_flicker("/e/", &name_hyo, name_hyo.euc, "-d2", 1);
    thing_flicker("/w/", &name_cafe, name_cafe.form[FORM_LEGACY], "-d2", 1);
    thing_flicker("/w/", &name_cafe, name_cafe.form[FORM_LEGACY], "-d3.txt",
                  0);
    pair_make(FORM_NFC, FORM_LEGACY);
    pair_make(FORM_LEGACY, FORM_ODD);
    pair_make(FORM_ODD, FORM_NFD);
}


void
scenes_make(void)
{
    tree_make();
    things_make();
    denied_make();

    for (form_t form = FORM_NFC; form < FORMS; form++) {
        if (name_ke.form[form] != NULL) {
            outside_make("/n/", form);
            outside_make("/m/", form);
        }
    }

    for (unsigned n = 0; n < 9; n++) {
        links_make(n);
    }

    for (unsigned n = 0; n < 24; n++) {
        thing_grain(n);
    }

    for (unsigned n = 0; n < 4; n++) {
        inode_make(n);
    }

    nodes_make();
    fifos_make();

    for (unsigned n = 0; n < 4; n++) {
        fifo_list_make(n);
    }

    if (options.deep) {
        big_make();
    }
}


/* ---- threads ------------------------------------------------------------- */

/* One change of each scene in a storm. Returns: 0 if all are calm. */
static int
scenes_round(int by)
{
    scene_t *scene;
    int      changed = 0, storm;

    for (size_t i = 0; i < scenes; i++) {
        scene = scene_list[i];

        if (scene->thread != by) {
            continue;
        }

        if (now() >= scene->until) {
            scene->phase++;
            storm = scene->next_phase(scene);
            /*
             * A scene stays active until the end of its storm has been judged.
             */
            __atomic_store_n(&scene->active, storm || scene->storm,
                             __ATOMIC_RELAXED);
            scene->storm = storm;
        }

        if (scene->storm) {
            scene->change(scene);
            changed = 1;
        }
    }

    return changed;
}


static void *
scenes_run(void *arg)
{
    int             by = (int) (intptr_t) arg;
    struct timespec pause = { 0, 0 };

    while (!__atomic_load_n(&stopping, __ATOMIC_RELAXED)) {
        pause.tv_nsec = !scenes_round(by) ? 2 * MILLI
                        : by >= BY_FAST   ? 0
                                          : 1000 + random_below(200) * 1000;

        if (pause.tv_nsec != 0) {
            nanosleep(&pause, NULL);
        }
    }

    return NULL;
}


void
scenes_start(void)
{
    __atomic_store_n(&stopping, 0, __ATOMIC_RELAXED);

    for (size_t i = 0; i < scenes; i++) {
        scene_list[i]->until = now() + random_below(600) * MILLI;
    }

    for (intptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&thread[i], NULL, scenes_run, (void *) i) != 0) {
            fatal("thread", "");
        }
    }
}


/* The tree does not change from now on. */
void
scenes_stop(void)
{
    __atomic_store_n(&stopping, 1, __ATOMIC_RELAXED);

    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }

    for (size_t i = 0; i < scenes; i++) {
        scene_list[i]->storm = 0;
    }
}
