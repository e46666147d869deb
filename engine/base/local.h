/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that are released at the end of their block, however the block is left; arena.h and text.h have the same
 * for arenas and texts. The last declared is released first, so declare a result after the variables to which it
 * refers. */
#ifndef ORR_BASE_LOCAL_H
#define ORR_BASE_LOCAL_H

#include <stddef.h>

/* Names the function that frees a struct, for ORR_LOCAL(): ORR_FREED_BY(orr_dump, orr_dump_free). */
#define ORR_FREED_BY(type, release)                                                                                    \
    static inline void type##_end(struct type **made)                                                                  \
    {                                                                                                                  \
        if (*made)                                                                                                     \
            release(*made);                                                                                            \
    }
/* Begins the declaration of a pointer to such a struct: ORR_OWNED(orr_dump) *dump = made(); */
#define ORR_OWNED(type) __attribute__((cleanup(type##_end))) struct type
/* The same for a pointer that starts as NULL: ORR_LOCAL(orr_dump, dump); */
#define ORR_LOCAL(type, name) ORR_OWNED(type) *name = NULL
/* Declares an empty struct that is released with its ..._release() function. */
#define ORR_LOCAL_STRUCT(type, name) __attribute__((cleanup(type##_release))) struct type name = {0}

#endif
