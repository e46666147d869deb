/* SPDX-License-Identifier: Apache-2.0 */
/* What is released where its block ends, however the block is left; arena.h and text.h have the same for arenas
 * and texts. Within a block, the last declared is released first, so a result is declared after what it refers
 * to. */
#ifndef ORR_BASE_LOCAL_H
#define ORR_BASE_LOCAL_H

#include <stddef.h>

/* Says how a struct that pointers own is freed, for ORR_LOCAL(): ORR_FREED_BY(orr_dump, orr_dump_free). */
#define ORR_FREED_BY(type, release)                                                                                    \
    static inline void type##_end(struct type **made)                                                                  \
    {                                                                                                                  \
        if (*made)                                                                                                     \
            release(*made);                                                                                            \
    }
/* Begins the declaration of a pointer to such a struct: ORR_OWNED(orr_dump) *dump = made(); */
#define ORR_OWNED(type) __attribute__((cleanup(type##_end))) struct type
/* The same of one that is NULL at first: ORR_LOCAL(orr_dump, dump); */
#define ORR_LOCAL(type, name) ORR_OWNED(type) *name = NULL
/* Declares an empty struct that its own function ..._release() releases. */
#define ORR_LOCAL_STRUCT(type, name) __attribute__((cleanup(type##_release))) struct type name = {0}

#endif
