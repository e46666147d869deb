/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster as users describe it, in a file or as the body of POST /v1/clusters:
 *
 *      {"name": TEXT, "hosts": [{"topology": PATH or ID, or "machine": TYPE, "count": N, "gpus": [0, "0000:1b:00.0",
 * ...], "domain": TEXT, "fabric": {"uuid": UUID, "clique": N, "state": "completed" | ...}, "names": [TEXT, ...],
 * "switch": TEXT, "nics": [{"name": TEXT, "rail": TEXT, "leaf": TEXT, "subnet": TEXT}, ...]}, ...], "ranks": "block" |
 * "cyclic" | "name" | "switch" | "domain" | [host of rank 0, host of rank 1, ...], "rails": "joined" | "isolated"}
 *
 * Only hosts must be there, and of each host a topology or a machine type.
 */
#ifndef ORR_API_CLUSTER_FILE_H
#define ORR_API_CLUSTER_FILE_H

#include "api/documents/documents.h"
#include "engine/cluster/cluster.h"
#include "engine/exports/exports.h"
#include "engine/machines/machine_types.h"

struct orr_cluster_gpu {
    const char *bus_id; /* NULL: by number */
    uint32_t number;
};

struct orr_cluster_file_host {
    uint32_t topology; /* index of its name */
    uint32_t count;
    struct orr_cluster_gpu *gpus; /* NULL: all */
    uint32_t gpu_count;
    const char *domain;           /* NULL: none */
    struct orr_fabric *fabric;    /* NULL: nothing is said of it */
    const char **names;           /* [count]: of the hosts, as launchers know them; NULL: not given */
    const char *leaf;             /* the leaf switch of their NICs; NULL: not given */
    struct orr_cluster_nic *nics; /* in which networks their NICs are */
    uint32_t nic_count;
};

struct orr_cluster_file {
    const char *name; /* "" if none is given */
    struct orr_cluster_file_host *hosts;
    uint32_t host_count;
    const char **topologies;                  /* each name once: a path, an id, or a machine type's */
    const struct orr_machine_type **machines; /* [topology]: the type, NULL: a path or an id */
    uint32_t topology_count;
    enum orr_rank_order order;
    uint32_t *host_of_rank; /* with ORR_ORDER_LIST */
    uint32_t listed_ranks;
    bool isolated;           /* NICs of different rails cannot reach one another */
    struct orr_arena *arena; /* owns all of it */
};

/* Reads the text of a description. orr_cluster_file_release() it. INVALID with line and column, or with the place. */
enum orr_code orr_cluster_file_read(const char *text, size_t length, struct orr_cluster_file *ret_file,
                                    struct orr_error *err) ORR_NO_DISCARD;
void orr_cluster_file_release(struct orr_cluster_file *file);

/* Names of all hosts, and what is known of each line, with what the topologies give where the file says nothing. */
struct orr_cluster_names {
    const char **hosts;   /* [host]: all differ */
    const char **leaves;  /* [line]: leaf switch, NULL: not known; NULL: of none */
    const char **domains; /* [line]: NVLink domain, from the fabric if there is no name; NULL: not known */
    uint32_t made_up;     /* hosts that nothing names: "host-0" by their number */
};
enum orr_topology_fact { ORR_TOPOLOGY_NAME, ORR_TOPOLOGY_LEAF, ORR_TOPOLOGY_DOMAIN };
/* What a topology gives, such as its label `host`; NULL: nothing. Lives as long as the names. */
typedef const char *orr_topology_gives(void *context, const char *topology, enum orr_topology_fact fact);
/* gives: asked only about lines of one host; NULL: nobody. Memory comes from arena. NOMEM. */
enum orr_code orr_cluster_file_names(const struct orr_cluster_file *file, orr_topology_gives *gives, void *context,
                                     struct orr_arena *arena, struct orr_cluster_names *ret_names,
                                     struct orr_error *err) ORR_NO_DISCARD;
/* The hosts for facts about a fleet, into request; INVALID if a host has no name. */
enum orr_code orr_cluster_file_facts(const struct orr_cluster_file *file, orr_topology_gives *gives, void *context,
                                     struct orr_arena *arena, struct orr_export_request *request,
                                     struct orr_error *err) ORR_NO_DISCARD;
/* A topology's path, which is taken from the folder of the cluster file if it is relative. NULL: no memory. */
char *orr_cluster_path(struct orr_arena *arena, const char *cluster_file, const char *topology);
/* The question to the engine, with the dump of every topology and, unless names is NULL, what the hosts are called
 * (orr_cluster_file_names(); made-up names are left out). rank_order: 0 as the file says, else an order and one.
 * Borrows from all three and allocates from the arena. */
enum orr_code orr_cluster_file_request(const struct orr_cluster_file *file, struct orr_dump *const *dumps,
                                       const struct orr_cluster_names *names, unsigned rank_order,
                                       const struct orr_settings *settings, struct orr_arena *arena,
                                       struct orr_cluster_request *ret_request, struct orr_error *err) ORR_NO_DISCARD;
/* The description in one form for all that mean the same, without the name: what the id of a stored cluster is made of.
 */
json_t *orr_cluster_file_json(struct orr_json *json, const struct orr_cluster_file *file);

#endif
