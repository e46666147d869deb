/* Parallel groups on a cluster as JSON; shared with the command line. */
#ifndef ORR_API_GROUPS_JSON_H
#define ORR_API_GROUPS_JSON_H

#include "api/json.h"
#include "engine/cluster/groups.h"

/* Analyses the groups of a layout and gives the document. SETTING for a layout that does not fit. */
enum orr_code orr_groups_json(struct orr_json *json, const struct orr_cluster *cluster, const char *layout,
                              json_t **ret_object, struct orr_error *err) ORR_NO_DISCARD;

#endif
