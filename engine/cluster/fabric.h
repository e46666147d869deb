/* SPDX-License-Identifier: Apache-2.0 */
/* NVLink fabrics over hosts: the fabric that each host reports, the hosts of each clique, and whether the release
 * makes one system of a clique. README.md beside this file describes the rules. */
#ifndef ORR_CLUSTER_FABRIC_H
#define ORR_CLUSTER_FABRIC_H

#include "engine/base/arena.h"
#include "engine/base/error.h"

/* As the driver counts them (nvmlDeviceGetGpuFabricInfoV). */
enum orr_fabric_state {
    ORR_FABRIC_NOT_SUPPORTED,
    ORR_FABRIC_NOT_STARTED,
    ORR_FABRIC_IN_PROGRESS,
    ORR_FABRIC_COMPLETED,
    ORR_FABRIC_STATE_COUNT
};

/* What the GPUs of a host report of their fabric. */
struct orr_fabric {
    enum orr_fabric_state state;
    bool has_uuid;    /* if false, the value is that of the host's domain */
    uint64_t uuid[2]; /* of the cluster that the fabric forms; both 0 if there is none */
    uint32_t clique;
    uint32_t health; /* mask that NCCL prints; no release acts on it; 0 if not given */
};

/* Hosts whose fabrics report the same UUID and clique. */
struct orr_clique {
    struct orr_fabric fabric; /* after the settings that override it */
    uint32_t line;            /* the first in the description */
    uint32_t host_count, rank_count;
};

/* Why hosts of a clique are one system, or are not. */
#define ORR_MNNVL_MAP(X)                                                                                               \
    X(ON, "The hosts of a clique are one system.")                                                                     \
    X(NOT_STATED, "The input puts no host in an NVLink domain.")                                                       \
    X(UNKNOWN, "This release does not support NVLink domains over several hosts.")                                     \
    X(ONE_HOST, "There is one host.")                                                                                  \
    X(DISABLED, "NCCL_MNNVL_ENABLE is 0.")                                                                             \
    X(P2P_OFF, "P2P is off (NCCL_P2P_DISABLE or NCCL_P2P_LEVEL), and NCCL_MNNVL_ENABLE is not 1.")                     \
    X(CUMEM_OFF, "NCCL_CUMEM_ENABLE is 0.")                                                                            \
    X(NOT_COMPLETED, "The fabric of a host is not completed, and NCCL uses domains only if every host's fabric is.")   \
    X(NO_UUID, "The fabric of a host has no UUID, and NCCL uses domains only if every host's fabric has one.")         \
    X(APART, "No two hosts share a clique.")

enum orr_mnnvl_rule {
#define X(name, text) ORR_MNNVL_RULE_##name,
    ORR_MNNVL_MAP(X)
#undef X
        ORR_MNNVL_RULE_COUNT
};

struct orr_fabrics {
    enum orr_mnnvl_rule rule;
    uint32_t line;              /* with NOT_COMPLETED and NO_UUID: the line that causes it */
    bool crosses_cliques;       /* ranks with the same UUID and different cliques use P2P */
    struct orr_fabric *of_line; /* [line]: as stated, or derived from the domain's name */
    uint32_t *clique_of_line;   /* [line]; UINT32_MAX: its fabric is not completed */
    struct orr_clique *cliques; /* in the order of their first lines */
    uint32_t clique_count;
};

struct orr_cluster;

/* Fills cluster->fabrics, once its hosts are known. SETTING if NCCL ends with an error under a setting. */
enum orr_code orr_fabrics_decide(struct orr_cluster *cluster, struct orr_error *err) ORR_NO_DISCARD;
/* Whether ranks of two different systems use P2P. */
bool orr_systems_share_nvlink(const struct orr_cluster *cluster, uint32_t a, uint32_t b);
/* Writes "8f4c0000-0000-0000-0000-000000000001" into text[ORR_UUID_SIZE], also for a UUID derived from a domain's name.
 * Returns text. */
enum { ORR_UUID_SIZE = 37 };
char *orr_uuid_format(const uint64_t uuid[2], char *text);
/* Reads 32 hexadecimal digits, with hyphens or without. */
bool orr_uuid_parse(const char *text, uint64_t ret_uuid[2]);
/* The stable word of a rule, "NOT_COMPLETED", and its sentence; "not-supported", "completed" ... */
const char *orr_mnnvl_rule_name(enum orr_mnnvl_rule rule);
const char *orr_mnnvl_rule_text(enum orr_mnnvl_rule rule);
const char *orr_fabric_state_name(enum orr_fabric_state state);

#endif
