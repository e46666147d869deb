/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster as users describe it, in a file or as the body of POST /v1/clusters:
 *
 *      {"name": TEXT, "hosts": [{"topology": PATH or ID, or "machine": TYPE, "count": N, "gpus": [0, "0000:1b:00.0",
 * ...], "domain": TEXT, "fabric": {"uuid": UUID, "clique": N, "state": "completed" | ...}, "names": [TEXT, ...],
 * "switch": TEXT, "nics": [{"name": TEXT, "rail": TEXT, "leaf": TEXT, "subnet": TEXT}, ...]}, ...], "ranks": "block" |
 * "cyclic" | "name" | "switch" | "domain" | [host of rank 0, host of rank 1, ...], "rails": "joined" | "isolated"}
 *
 * Only "hosts" is required, and in each entry a topology or a machine type.
 */
#ifndef ORR_API_CLUSTER_FILE_H
#define ORR_API_CLUSTER_FILE_H

#include "api/documents/documents.h"
#include "engine/cluster/cluster.h"
#include "engine/exports/exports.h"
#include "engine/machines/machine_types.h"

struct orr_cluster_gpu {
    const char *bus_id; /* NULL means its number */
    uint32_t number;
};

struct orr_cluster_file_host {
    uint32_t topology; /* index of its name */
    uint32_t count;
    struct orr_cluster_gpu *gpus; /* NULL means all */
    uint32_t gpu_count;
    const char *domain;           /* NULL if there is none */
    struct orr_fabric *fabric;    /* NULL if the description does not mention it */
    const char **names;           /* [count]: names of the hosts as launchers know them; NULL if not given */
    const char *leaf;             /* the leaf switch of their NICs; NULL if not given */
    struct orr_cluster_nic *nics; /* the networks of their NICs */
    uint32_t nic_count;
};

struct orr_cluster_file {
    const char *name; /* "" if none is given */
    struct orr_cluster_file_host *hosts;
    uint32_t host_count;
    const char **topologies;                  /* each name once: a path, an id or the name of a machine type */
    const struct orr_machine_type **machines; /* [topology]: the type, NULL means a path or an id */
    uint32_t topology_count;
    enum orr_rank_order order;
    uint32_t *host_of_rank; /* with ORR_ORDER_LIST */
    uint32_t listed_ranks;
    bool isolated;           /* NICs of different rails cannot reach one another */
    struct orr_arena *arena; /* owns all of it */
};

/* Reads the text of a description. The caller releases it with orr_cluster_file_release(). INVALID with line and
 * column, or with the place in the description. */
enum orr_code orr_cluster_file_read(const char *text, size_t length, struct orr_cluster_file *ret_file,
                                    struct orr_error *err) ORR_NO_DISCARD;
void orr_cluster_file_release(struct orr_cluster_file *file);

/* Names of all hosts, and the leaf switch and NVLink domain of each line. Topologies supply what the file does not
 * say. */
struct orr_cluster_names {
    const char **hosts;   /* [host]: unique names */
    const char **leaves;  /* [line]: leaf switch, NULL if unknown; NULL if all are unknown */
    const char **domains; /* [line]: NVLink domain, from the fabric if there is no name; NULL if unknown */
    uint32_t made_up;     /* number of hosts without a name, which are called "host-0" and so on */
};
enum orr_topology_fact { ORR_TOPOLOGY_NAME, ORR_TOPOLOGY_LEAF, ORR_TOPOLOGY_DOMAIN };
/* Looks up a fact about a topology, such as its label `host`; NULL if there is none. The text must outlive the
 * names. */
typedef const char *orr_topology_gives(void *context, const char *topology, enum orr_topology_fact fact);
/* gives: called only for lines of one host; may be NULL. Memory comes from arena. NOMEM. */
enum orr_code orr_cluster_file_names(const struct orr_cluster_file *file, orr_topology_gives *gives, void *context,
                                     struct orr_arena *arena, struct orr_cluster_names *ret_names,
                                     struct orr_error *err) ORR_NO_DISCARD;
/* Fills request with the hosts, for an export of facts about them. INVALID if a host has no name. */
enum orr_code orr_cluster_file_facts(const struct orr_cluster_file *file, orr_topology_gives *gives, void *context,
                                     struct orr_arena *arena, struct orr_export_request *request,
                                     struct orr_error *err) ORR_NO_DISCARD;
/* The path of a topology; a relative path starts at the folder of the cluster file; NULL if memory runs out. */
char *orr_cluster_path(struct orr_arena *arena, const char *cluster_file, const char *topology);
/* Makes the question to the engine, with the dump of every topology and, unless names is NULL, the names of the hosts
 * (orr_cluster_file_names(), without made-up names). rank_order: 0 for the order in the file, or 1 + enum
 * orr_rank_order. Borrows from all three and allocates from the arena. */
enum orr_code orr_cluster_file_request(const struct orr_cluster_file *file, struct orr_dump *const *dumps,
                                       const struct orr_cluster_names *names, unsigned rank_order,
                                       const struct orr_settings *settings, struct orr_arena *arena,
                                       struct orr_cluster_request *ret_request, struct orr_error *err) ORR_NO_DISCARD;
/* The description in canonical form, without its name: equal clusters have equal text, from which their id is computed.
 */
json_t *orr_cluster_file_json(struct orr_json *json, const struct orr_cluster_file *file);

#endif
