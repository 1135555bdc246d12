/*
 * fuzz_model.c - the core against the model, by a fuzzer's octets or by seeds
 *
 * As a fuzz target it draws a case from the input. With MODEL_MAIN this is a
 * program of its own:
 *
 *     model [-k] [COUNT [SEED]]    COUNT cases, one for each seed from SEED on
 *     model [-k] -t                every sequence of every charset
 *
 * -k continues after a difference. Exit code 1: there was a difference.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#ifdef MODEL_MAIN

/* splitmix64: cases of neighbouring seeds must differ. */
static uint64_t
model_spread(uint64_t n)
{
    n *= UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);

    return (n ^ n >> 31) | 1;
}


static void
model_cases(uint64_t count, uint64_t seed)
{
    model_source_t source;

    for (/* void */; count != 0; count--, seed++) {
        memset(&source, 0, sizeof(source));
        source.random = model_spread(seed + 1);
        model_seed = seed;
        model_case(&source);
    }
}


int
main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "-k") == 0) {
        model_keep_going = 1;
        argc--;
        argv++;
    }

    model_start();
    if (argc > 1 && strcmp(argv[1], "-t") == 0) {
        model_tables();
    } else {
        model_cases(argc > 1 ? strtoull(argv[1], NULL, 0) : 1000,
                    argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
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
