/* SPDX-License-Identifier: Apache-2.0 */
/* An analysis as a flat sorted list of facts, which can be compared with those of another analysis of the same dump. A
 * fact is about one or two subjects and has one value. Both sides use the same names for subjects, regardless of the
 * ids that releases give to nodes: a device is named by the element of the dump that made it, a GPU by its rank. */
#ifndef ORR_WHATIF_FACTS_H
#define ORR_WHATIF_FACTS_H

#include "engine/analysis/analysis.h"

/* ORDER: sections are together, in the order of the analysis document. */
enum orr_fact_kind {
    ORR_FACT_DEVICE,
    ORR_FACT_LINK,
    ORR_FACT_MAX_BW,
    ORR_FACT_TOTAL_BW,
    ORR_FACT_PATH_TYPE,
    ORR_FACT_PATH_BW,
    ORR_FACT_PATH_ROUTE,
    ORR_FACT_P2P,
    ORR_FACT_P2P_READ,
    ORR_FACT_P2P_VIA,
    ORR_FACT_GDR_SEND,
    ORR_FACT_GDR_RECV,
    ORR_FACT_NET_OF_RANK,
    ORR_FACT_PROXY,
    ORR_FACT_GRAPH_PATTERN,
    ORR_FACT_GRAPH_CHANNELS,
    ORR_FACT_GRAPH_BW_INTRA,
    ORR_FACT_GRAPH_BW_INTER,
    ORR_FACT_GRAPH_LATENCY,
    ORR_FACT_GRAPH_TYPE_INTRA,
    ORR_FACT_GRAPH_TYPE_INTER,
    ORR_FACT_GRAPH_CROSS_NIC,
    ORR_FACT_GRAPH_SAME,
    ORR_FACT_GRAPH_ORDER,
    ORR_FACT_GRAPH_NETS,
    ORR_FACT_CHANNELS,
    ORR_FACT_RING,
    ORR_FACT_TREE,
    ORR_FACT_NVLS_CHANNELS,
    ORR_FACT_NVLS_HEADS,
    ORR_FACT_NVLS_TREE,
    ORR_FACT_CHAIN,
    ORR_FACT_P2P_CHANNELS,
    ORR_FACT_P2P_PER_PEER,
    ORR_FACT_BANDWIDTH,
    ORR_FACT_LATENCY,
    ORR_FACT_THRESHOLD,
    ORR_FACT_CHOICE,
    ORR_FACT_KIND_COUNT
};

enum orr_fact_section {
    ORR_SECTION_SYSTEM,
    ORR_SECTION_PATHS,
    ORR_SECTION_P2P,
    ORR_SECTION_GDR,
    ORR_SECTION_NET_DEVS,
    ORR_SECTION_GRAPHS,
    ORR_SECTION_CHANNELS,
    ORR_SECTION_TUNING,
    ORR_SECTION_COUNT
};

enum orr_fact_unit {
    ORR_UNIT_FLAG,      /* 0 or 1 */
    ORR_UNIT_NUMBER,    /* a count, a mode, a rank, bytes */
    ORR_UNIT_FLOAT,     /* GB/s or microseconds: the bits of a float */
    ORR_UNIT_PATH_TYPE, /* enum orr_path_type */
    ORR_UNIT_DEVICE,    /* a subject */
    ORR_UNIT_PATTERN,   /* enum orr_pattern */
    ORR_UNIT_CHOICE,    /* algorithm * ORR_PROTOCOL_COUNT + protocol */
    ORR_UNIT_ORDER      /* a digest that identifies an arrangement; not a figure */
};

enum orr_fact_place { /* the meaning of detail, a and b of a fact */
                      ORR_PLACE_WHOLE,
                      ORR_PLACE_DEVICE,        /* a: device */
                      ORR_PLACE_LINK,          /* a, b: devices; detail: enum orr_link_type */
                      ORR_PLACE_PAIR,          /* a, b: devices, from and to */
                      ORR_PLACE_RANKS,         /* a, b: ranks */
                      ORR_PLACE_RANK_NET,      /* a: rank, b: device */
                      ORR_PLACE_RANK_CHANNEL,  /* a: rank, b: channel */
                      ORR_PLACE_GRAPH,         /* detail: enum orr_graph_kind */
                      ORR_PLACE_GRAPH_CHANNEL, /* detail: enum orr_graph_kind, a: channel */
                      ORR_PLACE_CHANNEL,       /* a: channel */
                      ORR_PLACE_COST,          /* detail: enum orr_function, a: algorithm, b: protocol */
                      ORR_PLACE_PROTOCOL,      /* a: algorithm, b: protocol */
                      ORR_PLACE_SIZE           /* detail: enum orr_function, a: binary logarithm of the bytes */
};

struct orr_fact_info {
    const char *name; /* name in the analysis document */
    enum orr_fact_section section;
    enum orr_fact_unit unit;
    enum orr_fact_place place;
    const char *text; /* what changes, for a sentence: "types of paths" */
};
const struct orr_fact_info *orr_fact_info(enum orr_fact_kind kind);
/* "system", "paths", ... */
const char *orr_fact_section_name(enum orr_fact_section section);

#define ORR_FACT_ABSENT INT64_MIN

struct orr_fact {
    uint8_t kind; /* enum orr_fact_kind */
    uint8_t rule; /* enum orr_rule that gave the value, 0 if there is none */
    uint16_t detail;
    uint32_t a, b;
    int64_t value;
};

struct orr_facts {
    struct orr_fact *rows; /* sorted by orr_fact_compare(), no two equal */
    size_t count;
    size_t devices; /* number of ORR_FACT_DEVICE, which come first */
};

/* The names in another dump for the devices of this one, so that facts about two dumps can be compared. Devices that
 * the other does not have get unused names. A NULL pointer instead means that both sides are the same dump. */
struct orr_fact_names {
    const uint32_t *element, *rank;         /* [element], [host rank] of this dump: the names */
    const uint32_t *own_element, *own_rank; /* [name]: the reverse; UINT32_MAX if this dump has no device with the
                                             * name */
    uint32_t elements, ranks;               /* number of names */
    uint32_t local_ranks, named_ranks;      /* ranks of a host in this dump, and in the other */
};
/* The name of a device, and the reverse; the reverse is UINT32_MAX if this dump has none. */
uint32_t orr_subject_named(const struct orr_fact_names *names, uint32_t subject);
uint32_t orr_subject_own(const struct orr_fact_names *names, uint32_t subject);

/* Order of facts by subject: kind, detail, a, b. */
int orr_fact_compare(const struct orr_fact *a, const struct orr_fact *b);

/* All facts of an analysis. Memory comes from arena. */
enum orr_code orr_facts_of(const struct orr_analysis *analysis, struct orr_arena *arena, struct orr_facts *ret_facts,
                           struct orr_error *err) ORR_NO_DISCARD;
/* The same with the names of another dump. */
enum orr_code orr_facts_named(const struct orr_analysis *analysis, const struct orr_fact_names *names,
                              struct orr_arena *arena, struct orr_facts *ret_facts,
                              struct orr_error *err) ORR_NO_DISCARD;

/* A subject: the type of a device with the element that made it, or with its rank. */
static inline uint32_t orr_subject(enum orr_node_type type, uint32_t which)
{
    return (uint32_t)type << 27 | (which & ((1u << 27) - 1));
}
/* The node of a subject, in the first part of the host that has it; false if this analysis has no such device. */
bool orr_subject_find(const struct orr_analysis *analysis, uint32_t subject, const struct orr_system **ret_system,
                      uint32_t *ret_node);

static inline int64_t orr_fact_of_float(float value)
{
    union {
        float value;
        uint32_t bits;
    } u = {.value = value};
    return u.bits;
}
static inline float orr_fact_float(int64_t value)
{
    union {
        uint32_t bits;
        float value;
    } u = {.bits = (uint32_t)value};
    return u.value;
}

/* For the collectors, facts_*.c. */
struct orr_fact_list {
    struct orr_arena *arena;
    struct orr_fact *rows;
    size_t count;
    unsigned capacity;
    const struct orr_fact_names *names;
};
/* The subject of a node, the name of a host rank and of a rank of the communicator (-1 stays). */
uint32_t orr_fact_subject(const struct orr_fact_list *list, const struct orr_system *system, uint32_t node);
uint32_t orr_fact_rank(const struct orr_fact_list *list, uint32_t host_rank);
int64_t orr_fact_member(const struct orr_fact_list *list, int32_t rank);
void orr_fact_add(struct orr_fact_list *list, enum orr_fact_kind kind, unsigned detail, uint32_t a, uint32_t b,
                  int64_t value);
void orr_facts_of_hardware(const struct orr_analysis *analysis, struct orr_fact_list *list);
void orr_facts_of_decisions(const struct orr_analysis *analysis, struct orr_fact_list *list);
void orr_facts_of_channels(const struct orr_analysis *analysis, struct orr_fact_list *list);
void orr_facts_of_tuning(const struct orr_analysis *analysis, struct orr_fact_list *list);

#endif
