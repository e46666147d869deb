/* A cluster file: {"hosts": [{"topology": PATH, "count": N}, ...]}. */
#ifndef ORR_API_CLUSTER_FILE_H
#define ORR_API_CLUSTER_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

struct orr_cluster_host {
    char *path; /* relative paths are taken from the cluster file's folder */
    uint32_t count;
};

struct orr_cluster {
    struct orr_cluster_host *hosts;
    uint32_t count;
};

/* Reads the text of a cluster file that lies at `path`. orr_cluster_release() it. INVALID with line and column. */
enum orr_code orr_cluster_read(const char *text, size_t length, const char *path, struct orr_cluster *ret_cluster,
                               struct orr_error *err) ORR_NO_DISCARD;
void orr_cluster_release(struct orr_cluster *cluster);

#endif
