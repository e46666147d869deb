/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the fuzz targets. A target is one function that takes bytes; it fails only by a crash, a sanitizer's report
 * or a broken promise. libFuzzer drives it (./dev fuzz); replay.c runs kept inputs without a fuzzer (./dev test). They
 * run from the repository root. */
#ifndef ORR_FUZZ_H
#define ORR_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise: stays on in every build. */
#define FUZZ_REQUIRE(condition, ...)                                                                                   \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n  ", __FILE__, __LINE__, #condition);                           \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
