/* SPDX-License-Identifier: Apache-2.0 */
/* Names of machines and people: those that were learned, their substitutes, and names that are recognised by their
 * form. */
#ifndef ORR_INPUT_SHAPES_H
#define ORR_INPUT_SHAPES_H

#include <stdbool.h>

#include "engine/base/index.h"
#include "engine/input/anonymise.h"

/* X(kind, what replaces the Nth name of it) */
#define ORR_SECRET_MAP(X)                                                                                              \
    X(GUID, "0xaa%08x")                                                                                                \
    X(HASH, "0xbb%08x")                                                                                                \
    X(ASIC, "0xcc%08x")                                                                                                \
    X(WORD, "name-%u")                                                                                                 \
    X(HOST, "host-%u")                                                                                                 \
    X(USER, "user-%u")                                                                                                 \
    X(IPV4, NULL)                                                                                                      \
    X(IPV6, "2001:db8::%x")                                                                                            \
    X(MAC, NULL)                                                                                                       \
    X(EUI, NULL)                                                                                                       \
    X(UUID, "00000000-0000-0000-0000-%012x")

enum orr_secret {
#define X(name, text) ORR_SECRET_##name,
    ORR_SECRET_MAP(X)
#undef X
        ORR_SECRET_COUNT
};

enum { ORR_SHAPE_SIZE = 64 };

struct orr_secrets {
    struct orr_arena *arena;
    struct orr_replacements made;
    unsigned capacity;
    struct orr_index index; /* of made.rows, by the name */
    uint32_t counts[ORR_SECRET_COUNT];
};

void orr_secrets_init(struct orr_secrets *secrets, struct orr_arena *arena);
/* Learns a name. It ignores names that identify nobody (zero, short numbers, localhost) and words that dumps and logs
 * need. */
void orr_secret_learn(struct orr_secrets *secrets, enum orr_secret kind, const char *text, size_t length);
/* What replaces a word, NULL if it was not learned. */
const char *orr_secret_find(const struct orr_secrets *secrets, const char *text, size_t length);
/* An address or UUID that starts at a place: writes its substitute and returns its length in bytes; 0 if there is
 * none. */
size_t orr_shape_at(const char *bytes, size_t length, size_t at, struct orr_secrets *secrets,
                    char ret_text[ORR_SHAPE_SIZE]);

#endif
