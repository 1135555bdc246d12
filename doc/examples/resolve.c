/*
 * resolve.c - the links of a page, as a client would ask for them
 *
 *     resolve BASE REFERENCE...
 *
 * Each reference is resolved and told as an IRI, for a person, and as a URI
 * with the host in A-labels, for the wire.  Built by:
 *
 *     make lib
 *     cc -Icommon -o resolve doc/examples/resolve.c build/libiri.a \
 *         $(pkg-config --libs icu-i18n icu-uc libidn2)
 */

#include <stdio.h>
#include <stdlib.h>

#include "iri_ref.h"

/* The simplest arena: what is taken ends with the process. */
static void *
take(void *ctx, size_t size)
{
    (void) ctx;

    return malloc(size);
}


static iri_str_t
text_of(const char *text)
{
    iri_str_t s = { strlen(text), (const unsigned char *) text };

    return s;
}


static void
print(const char *what, const iri_converted_t *converted)
{
    if (converted->why != NULL) {
        printf("  %s: none, it %s\n", what, converted->why);
    } else {
        printf("  %s: %.*s\n", what, (int) converted->value.len,
               (const char *) converted->value.data);
    }
}


static iri_status_t
follow(const iri_env_t *env, const iri_host_conf_t *hosts, iri_str_t base,
       const char *reference)
{
    const iri_to_uri_conf_t for_wire = { NULL, 0, hosts };
    const iri_to_iri_conf_t for_eyes = { IRI_GRAMMAR_RFC3987, hosts, NULL,
                                         0 };
    iri_converted_t         out;
    iri_str_t               target;
    iri_status_t            status;
    iri_expect_t            expected;
    size_t                  offset;

    printf("%s\n", reference);

    expected = iri_check(text_of(reference), IRI_AS_IRI_REFERENCE,
                         IRI_GRAMMAR_RFC3987, NULL, &offset);
    if (expected != IRI_EXPECT_NOTHING) {
        printf("  expected %s at %lu\n", iri_expect_text(expected),
               (unsigned long) offset);
        return IRI_OK;
    }

    status = iri_resolve(env, base, text_of(reference), &target);
    if (status == IRI_OK) {
        status = iri_to_iri(env, &for_eyes, target, &out);
    }
    if (status != IRI_OK) {
        return status;
    }
    print("IRI", &out);

    status = iri_to_uri(env, &for_wire, target, &out);
    if (status == IRI_OK) {
        print("URI", &out);
    }

    return status;
}


int
main(int argc, char **argv)
{
    const iri_env_t env = { .alloc = take };
    iri_host_conf_t hosts = { iri_idna_create(), IRI_MAPPING_UTS46, 0 };
    iri_status_t    status = IRI_OK;
    int             i;

    if (argc < 3 || hosts.idna == NULL) {
        fprintf(stderr, "Usage: resolve BASE REFERENCE...\n");
        return 2;
    }

    for (i = 2; i < argc && status == IRI_OK; i++) {
        status = follow(&env, &hosts, text_of(argv[1]), argv[i]);
    }

    iri_idna_destroy((iri_idna_t *) hosts.idna);

    if (status != IRI_OK) {
        fprintf(stderr, "resolve: %s\n", iri_status_text(status));
        return 1;
    }

    return 0;
}
