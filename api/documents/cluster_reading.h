/* SPDX-License-Identifier: Apache-2.0 */
/* Inside api/documents: shared by the readers of a cluster's description. */
#ifndef ORR_API_CLUSTER_READING_H
#define ORR_API_CLUSTER_READING_H

#include "api/documents/cluster_file.h"
#include "api/documents/json.h"

/* Reports INVALID at a place of the description, with advice that shows its whole form. */
enum orr_code orr_cluster_wrong(struct orr_error *err, const char *where, const char *what) ORR_NO_DISCARD;
/* INVALID if an object has a member that is not one of the known ones; NULL ends them. */
enum orr_code orr_cluster_check_keys(json_t *object, const char *const *known, const char *where,
                                     struct orr_error *err) ORR_NO_DISCARD;
/* Reads a text member of 1 to `most` bytes into the file's memory; NULL if it is absent. */
enum orr_code orr_cluster_read_text(struct orr_cluster_file *file, json_t *object, const char *key, size_t most,
                                    const char *where, const char **ret_text, struct orr_error *err) ORR_NO_DISCARD;

/* cluster_nics.c: reads the networks of a host's NICs and whether rails are isolated, and checks that a dump has the
 * NICs. */
enum orr_code orr_cluster_read_nics(struct orr_cluster_file *file, json_t *nics, struct orr_cluster_file_host *host,
                                    const char *where, struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_cluster_read_rails(struct orr_cluster_file *file, json_t *rails,
                                     struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_cluster_check_nics(const struct orr_cluster_file *file, const struct orr_cluster_file_host *host,
                                     const struct orr_dump *dump, struct orr_error *err) ORR_NO_DISCARD;

#endif
