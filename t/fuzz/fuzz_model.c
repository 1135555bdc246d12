/*
 * fuzz_model.c - the core against the model, by a fuzzer's octets or by seeds
 *
 * As a fuzz target the input is where a case is drawn from.  With MODEL_MAIN
 * this is a program of its own:
 *
 *     model [-k] [COUNT [SEED]]
 *
 * runs COUNT cases from SEED on, one seed each; -k goes on after a difference.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#ifdef MODEL_MAIN

static uint64_t
model_seed(uint64_t n)
{
    /* splitmix64: seeds beside each other must not be alike */
    n = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);

    return (n ^ n >> 31) | 1;
}


int
main(int argc, char **argv)
{
    model_source_t source;
    uint64_t       seed, count;
    size_t         before;

    if (argc > 1 && strcmp(argv[1], "-k") == 0) {
        model_keep_going = 1;
        argc--;
        argv++;
    }

    count = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    model_start();

    for (/* void */; count != 0; count--, seed++) {
        memset(&source, 0, sizeof(source));
        source.random = model_seed(seed);
        before = model_counts.differ;
        /* Said before the abort: with which seed it happens again. */
        if (getenv("MODEL_SAY_SEED") != NULL) {
            fprintf(stderr, "seed %llu\n", (unsigned long long) seed);
        }
        model_case(&source);
        if (model_counts.differ != before) {
            fprintf(stderr, "  seed %llu\n", (unsigned long long) seed);
        }
    }

    model_report();

    return model_counts.differ != 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    model_source_t source = { data, size, 0, 0 };

    model_start();
    model_case(&source);

    return 0;
}

#endif
