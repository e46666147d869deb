/* SPDX-License-Identifier: Apache-2.0 */
/* Inside root: the operations that the walk of root.c needs from a folder or a tar. A place is a file descriptor or an
 * index of an entry. */
#ifndef ORR_DETECT_ROOT_SOURCE_H
#define ORR_DETECT_ROOT_SOURCE_H

#include "engine/detect/root.h"

typedef bool orr_name_taker(void *taker, const char *name); /* returns false if it needs no more names */

struct orr_root_source {
    /* A new place for the top; -1 if there is none. */
    int (*top)(void *state);
    /* The place of a name in a folder, never through a link; -1 if there is none. target: the text of a link. */
    int (*enter)(void *state, int folder, const char *name, enum orr_root_kind *ret_kind, char target[ORR_PATH_SIZE]);
    void (*leave)(void *state, int place);
    /* Reads a file. */
    ssize_t (*read)(void *state, int place, char *buffer, size_t size);
    /* Lists a folder. */
    bool (*list)(void *state, int place, orr_name_taker *take, void *taker);
    void (*end)(void *state);
};

struct orr_root {
    const struct orr_root_source *source;
    void *state;
    char prefix[ORR_PATH_SIZE]; /* folder that a tar wraps everything in; "" if there is none */
};

#endif
