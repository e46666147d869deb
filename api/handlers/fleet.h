/* SPDX-License-Identifier: Apache-2.0 */
/* A set of stored topologies: named one by one, or all that have labels and match a search. */
#ifndef ORR_API_FLEET_H
#define ORR_API_FLEET_H

#include "api/handlers/handlers.h"
#include "engine/compare/majority.h"

struct orr_fleet {
    struct orr_arena *arena; /* of the caller */
    struct orr_called *called;
    struct orr_specimen *specimens;
    uint32_t count;
    size_t bytes;
};

/* Makes a topology the one that the call is about. parameter: which names it, for errors. NOT_FOUND, SETTING. */
enum orr_code orr_fleet_turn_to(struct orr_call *call, const char *parameter, const char *id,
                                struct orr_error *err) ORR_NO_DISCARD;
/* Reads what `asked` names (topologies, labels, search) into a fleet that has an arena. Each content is there once.
 * LIMIT beyond ORR_MAX_SET topologies or ORR_SET_BYTES bytes. */
enum orr_code orr_fleet_gather(struct orr_call *call, const struct orr_params *asked, struct orr_fleet *fleet,
                               struct orr_error *err) ORR_NO_DISCARD;
/* Counts for each content the hosts whose last upload it is, and drops what all its hosts have replaced. A content
 * without a host counts as one. */
enum orr_code orr_fleet_count_hosts(struct orr_call *call, struct orr_fleet *fleet,
                                    struct orr_error *err) ORR_NO_DISCARD;
/* Frees the dumps. */
void orr_fleet_release(struct orr_fleet *fleet);

#endif
