/* SPDX-License-Identifier: Apache-2.0 */
/* Inside root: the operations of a folder and of a tar for the walk of root.c. A place is a file descriptor or an
 * entry. */
#ifndef ORR_DETECT_ROOT_SOURCE_H
#define ORR_DETECT_ROOT_SOURCE_H

#include "engine/detect/root.h"

typedef bool orr_name_taker(void *taker, const char *name); /* false if no more are needed */

struct orr_root_source {
    /* A new place for the top; -1 if there is none. */
    int (*top)(void *state);
    /* The place of a name in a folder, never through a link; -1 if there is none. target: the text of a link. */
    int (*enter)(void *state, int folder, const char *name, enum orr_root_kind *ret_kind, char target[ORR_PATH_SIZE]);
    void (*leave)(void *state, int place);
    /* Of a file. */
    ssize_t (*read)(void *state, int place, char *buffer, size_t size);
    /* Of a folder. */
    bool (*list)(void *state, int place, orr_name_taker *take, void *taker);
    void (*end)(void *state);
};

struct orr_root {
    const struct orr_root_source *source;
    void *state;
    char prefix[ORR_PATH_SIZE]; /* of every path: the folder that a tar wraps all in; "" */
};

#endif
