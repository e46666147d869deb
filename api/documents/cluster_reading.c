/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a cluster's description, and the error for a wrong one. */
#include <stdio.h>
#include <string.h>

#include "api/documents/cluster_reading.h"

enum orr_code orr_cluster_wrong(struct orr_error *err, const char *where, const char *what)
{
    return orr_fail_with(err, ORR_INVALID, where,
                         "write {\"hosts\": [{\"topology\": NAME}, {\"machine\": TYPE}, ...], \"ranks\": ORDER}; a "
                         "host may have count, gpus, domain, fabric, names, switch and nics",
                         "%s", what);
}

/* Settings that people look for here, but that apply to the whole communicator. */
static enum orr_code for_all(struct orr_error *err, const char *where, const char *what)
{
    return orr_fail_with(err, ORR_INVALID, where,
                         "all ranks of a communicator use one release and the same settings: give them with --release "
                         "and --set, or release= and NCCL_...=",
                         "%s", what);
}

enum orr_code orr_cluster_check_keys(json_t *object, const char *const *known, const char *where, struct orr_error *err)
{
    const char *key;
    json_t *value;
    char text[120];
    json_object_foreach (object, key, value) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key))
            i++;
        if (known[i])
            continue;
        snprintf(text, sizeof text, "there is no member \"%.60s\" here", key);
        if (!strcmp(key, "release") || !strcmp(key, "settings") || !strcmp(key, "nccl"))
            return for_all(err, where, text);
        return orr_cluster_wrong(err, where, text);
    }
    return ORR_OK;
}

/* A text member, kept; NULL if it is absent. */
enum orr_code orr_cluster_read_text(struct orr_cluster_file *file, json_t *object, const char *key, size_t most,
                                    const char *where, const char **ret_text, struct orr_error *err)
{
    json_t *value = json_object_get(object, key);
    *ret_text = NULL;
    if (!value)
        return ORR_OK;
    if (!json_is_string(value) || !json_string_length(value) || json_string_length(value) > most ||
        strlen(json_string_value(value)) != json_string_length(value)) {
        char text[80];
        snprintf(text, sizeof text, "%s must be a text of 1 to %zu bytes", key, most);
        return orr_cluster_wrong(err, where, text);
    }
    *ret_text = orr_arena_strndup(file->arena, json_string_value(value), json_string_length(value));
    return *ret_text ? ORR_OK : orr_fail_nomem(err);
}
