/* SPDX-License-Identifier: Apache-2.0 */
/* A service in process with one topology, asked as a fuzz target likes, and what holds for each of its answers. */
#ifndef ORR_FUZZ_APP_H
#define ORR_FUZZ_APP_H

#include "api/http/api.h"

enum { FUZZ_MAX_HEADERS = 8, FUZZ_ID_SIZE = 64 };

struct fuzz_app {
    struct orr_app *app;
    char id[FUZZ_ID_SIZE]; /* of the topology */
};

struct fuzz_message {
    const char *method, *target; /* @ in target: the id */
    struct {
        const char *name, *value;
    } headers[FUZZ_MAX_HEADERS];
    unsigned header_count;
    const char *body;
    size_t length;
};

void fuzz_app_open(struct fuzz_app *fuzz);
void fuzz_app_close(struct fuzz_app *fuzz);
/* Asks, checks the answer, gives its status. */
unsigned fuzz_app_ask(struct fuzz_app *fuzz, const struct fuzz_message *message);

#endif
