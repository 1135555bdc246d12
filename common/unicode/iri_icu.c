/*
 * iri_icu.c - loads ICU when a configuration is read
 *
 * A server loads ICU's data in its parent process, so that its child processes
 * share them.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <unicode/uclean.h>

#include "unicode/iri_unicode.h"

#define IRI_MAX_LIBRARIES 8 /* ICU has data, uc and i18n */

/* File names of loaded libraries; owned by the dynamic loader. */
typedef struct {
    const char *name[IRI_MAX_LIBRARIES];
    size_t      count;
} iri_libraries_t;


static int
iri_icu_collect(struct dl_phdr_info *info, size_t size, void *data)
{
    iri_libraries_t *libraries = data;

    (void) size;

    if (libraries->count < IRI_MAX_LIBRARIES
        && strstr(info->dlpi_name, "/libicu") != NULL)
    {
        libraries->name[libraries->count++] = info->dlpi_name;
    }

    return 0;
}


/*
 * Keep the shared libraries of ICU loaded until the process ends.  httpd
 * unloads its modules and their libraries whenever it reads its configuration
 * again, and the memory that ICU has allocated would leak each time.  dladdr()
 * would find the libraries too, but searches all their symbols.
 */
static void
iri_icu_keep_loaded(void)
{
    iri_libraries_t libraries = { { NULL }, 0 };
    size_t          i;

    dl_iterate_phdr(iri_icu_collect, &libraries);

    for (i = 0; i < libraries.count; i++) {
        (void) dlopen(libraries.name[i],
                      RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}


int
iri_icu_load(void)
{
    UErrorCode error = U_ZERO_ERROR;

    iri_icu_keep_loaded();
    u_init(&error);

    return U_SUCCESS(error) && iri_norm_ready() && iri_collate_ready();
}
