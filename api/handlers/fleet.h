/* SPDX-License-Identifier: Apache-2.0 */
/* A set of stored topologies: listed by id, or all that have certain labels and match a search. */
#ifndef ORR_API_FLEET_H
#define ORR_API_FLEET_H

#include "api/documents/documents.h"
#include "api/handlers/handlers.h"
#include "engine/base/index.h"
#include "engine/compare/majority.h"

struct orr_fleet {
    struct orr_arena *arena;        /* of the caller */
    struct orr_called *called;      /* [count]: the first topology of each shape */
    struct orr_specimen *specimens; /* [count] */
    struct orr_alike *alike;        /* [count]: at most ORR_FLEET_ALSO ids each */
    const char **shapes;            /* [count] */
    uint32_t count;
    struct orr_index by_shape, by_id;
    const char **ids; /* [topologies]: all */
    uint32_t topologies;
    unsigned capacity;
    size_t bytes;
};
enum { ORR_FLEET_ALSO = 64 };

/* The unit of a majority: topologies, or hosts by their last upload. If hosts are counted, a topology that no host
 * uploaded counts as one host, and a topology that all its hosts have replaced is left out. */
enum orr_fleet_counting { ORR_FLEET_TOPOLOGIES, ORR_FLEET_HOSTS };

/* Makes a topology the subject of the call. parameter: the one that names it, for errors. NOT_FOUND, SETTING. */
enum orr_code orr_fleet_turn_to(struct orr_call *call, const char *parameter, const char *id,
                                struct orr_error *err) ORR_NO_DISCARD;
/* Makes a topology the subject of the call, and analyses it. */
enum orr_code orr_fleet_work(struct orr_call *call, const char *parameter, const char *id, struct orr_work **ret_work,
                             struct orr_error *err) ORR_NO_DISCARD;
/* Analyses a machine type in place of a stored topology. */
enum orr_code orr_fleet_work_of_type(struct orr_call *call, const struct orr_machine_type *type,
                                     struct orr_work **ret_work, struct orr_error *err) ORR_NO_DISCARD;
/* Finds the topology of the reference host, which is the first one, by name, of the largest group. ret_id is "" if
 * there are no hosts. The labels and the search of the call select the hosts. */
enum orr_code orr_fleet_reference(struct orr_call *call, char ret_id[ORR_ID_LENGTH + 1],
                                  struct orr_error *err) ORR_NO_DISCARD;
/* Whether labels, a JSON object as text, include those that the request asks for. */
bool orr_fleet_labels_fit(const struct orr_call *call, const char *labels);
/* Appends the cache key of an answer about many hosts, apart from its parameters. The key changes with every upload,
 * and with every change and deletion by this process; those by other processes show after five seconds. */
enum orr_code orr_fleet_key(struct orr_call *call, const char *name, struct orr_text *key,
                            struct orr_error *err) ORR_NO_DISCARD;
/* Answers about many hosts: from the cache while the key is the same, otherwise by calling `answer`. */
enum orr_code orr_fleet_cached(struct orr_call *call, const char *name,
                               enum orr_code (*answer)(struct orr_call *call, struct orr_answer **ret_answer,
                                                       struct orr_error *err),
                               struct orr_answer **ret_answer, struct orr_error *err) ORR_NO_DISCARD;
/* Reads the topologies that `asked` selects (by id, labels or search) into a fleet that has an arena. Each shape
 * occurs once, with the dump of its first topology. LIMIT beyond ORR_MAX_SET shapes, ORR_MAX_SET_HOSTS topologies, or
 * ORR_SET_BYTES bytes. */
enum orr_code orr_fleet_gather(struct orr_call *call, const struct orr_params *asked, enum orr_fleet_counting counting,
                               struct orr_fleet *fleet, struct orr_error *err) ORR_NO_DISCARD;
/* Frees the dumps. */
void orr_fleet_release(struct orr_fleet *fleet);

#endif
