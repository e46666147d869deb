/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's half of an upload: sends a dump to a service again and again until the service accepts it or the time is
 * up. */
#ifndef ORR_CLI_POST_H
#define ORR_CLI_POST_H

#include "cli/options.h"

/* Posts XML to options->post with its labels, name and token. Prints the address of the stored dump. Reports errors
 * itself; returns an exit status. */
int orr_post_dump(const struct orr_options *options, const char *xml, size_t length);

/* Posts bytes once to options->server and a path, with the parameters of requests that the options gave and the name of
 * the node, and takes the answer. IO if the service cannot be reached within this many seconds; UNSUPPORTED if it
 * answers with an error. */
enum orr_code orr_post_question(const struct orr_options *options, const char *path, const char *bytes, size_t length,
                                unsigned seconds, const char *node, struct orr_text *answer,
                                struct orr_error *err) ORR_NO_DISCARD;

/* Seconds to wait before a further try: doubled each time from 1 to 60, at random between half of it and all, and at
 * least what the service asked for (at most two minutes). random: any number. */
double orr_post_delay(unsigned failures, unsigned random, long retry_after);

#endif
