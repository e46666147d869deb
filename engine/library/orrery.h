/* liborrery: how NCCL sees a machine, recomputed from a topology dump without a GPU.
 *
 * The one header of the library; installed as <orrery/orrery.h>. What a dump holds, a release and its settings decide
 * the plan: paths, verdicts, channels, rings, trees, tuning. The way is always the same (tests/library/example.c):
 *
 *     orr_machine_read()      bytes of NCCL_TOPO_DUMP_FILE -> machine
 *     orr_question_new()      a release of NCCL, one host; orr_question_hosts(), orr_question_set() change that
 *     orr_plan_make()         machine + question -> plan
 *     orr_plan_path() ...     look at the plan
 *     orr_plan_free(), orr_question_free(), orr_machine_free()
 *
 * A function that can fail returns false and fills a struct orr_report, which may be NULL; its outputs ret_x are then
 * unchanged. Machines and plans never change: any number of threads may read one. A question belongs to one thread
 * at a time. A plan borrows its machine: free the machine after the plan. The question may be freed before.
 *
 * Units: bandwidths are in GB/s (10^9 bytes per second) for one direction, times in microseconds, sizes in bytes.
 * Ranks are 0 to count-1 in the order of the dump's ranks; with several hosts, rank r of host h is
 * h * orr_plan_local_ranks() + r. Devices are named as the program names them, "GPU/0-1b000", by "rank:3", or by bus
 * id. Texts that are returned belong to the library unless the function says otherwise. Arguments must not be NULL
 * unless the function says otherwise.
 *
 * Structures that the caller allocates begin with their size: initialise them with their ORR_..._INIT before the first
 * call (in C++ before C++20: zero them and set size). The library fills as much as the caller's version of the
 * structure holds, so structures may gain members at their end. While the version is 0.x, the SONAME changes with each
 * minor version (liborrery.so.0.1).
 *
 * Errors: every function that takes a report may give "out-of-memory" and "internal"; those with a structure to fill
 * give "unsupported" where its size was not initialised. The comment of each function lists its other codes.
 */
#ifndef ORRERY_ORRERY_H
#define ORRERY_ORRERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ORR_LIBRARY_CALL __attribute__((visibility("default")))
#define ORR_LIBRARY_MUST __attribute__((visibility("default"), warn_unused_result))
#else
#define ORR_LIBRARY_CALL
#define ORR_LIBRARY_MUST
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct orr_machine;  /* a dump as it was read */
struct orr_question; /* release, settings, hosts */
struct orr_plan;     /* what that NCCL decides on that machine */

/* Room for the name of a device with its terminating zero, and children of a rank in a tree at most. */
enum { ORR_DEVICE_NAME_LENGTH = 40, ORR_TREE_CHILDREN = 3 };
/* Room for the texts of a report with their terminating zeros. */
enum { ORR_REPORT_WHERE_LENGTH = 96, ORR_REPORT_TEXT_LENGTH = 256, ORR_REPORT_ADVICE_LENGTH = 192 };

struct orr_report {
    size_t size;      /* sizeof(struct orr_report): ORR_REPORT_INIT */
    const char *code; /* stable: "malformed-xml", "invalid-topology", "no-ranks", "invalid-setting", "not-found" ... */
    uint32_t line;    /* in the dump, from 1; 0: the error has no place there */
    uint32_t column;  /* from 1; 0: not known */
    char where[ORR_REPORT_WHERE_LENGTH];   /* "system/cpu[0]/pci[2]", a setting, a device; may be empty */
    char text[ORR_REPORT_TEXT_LENGTH];     /* what is wrong, with the offending value */
    char advice[ORR_REPORT_ADVICE_LENGTH]; /* what to do about it; may be empty */
};
#define ORR_REPORT_INIT                                                                                                \
    {                                                                                                                  \
        .size = sizeof(struct orr_report)                                                                              \
    }

/* "0.1.0", of the library that runs. */
ORR_LIBRARY_CALL const char *orr_library_version(void);
/* Names of the releases that can be asked for, oldest first, and of the settings; NULL beyond the last. */
ORR_LIBRARY_CALL const char *orr_library_release(size_t i);
ORR_LIBRARY_CALL const char *orr_library_setting(size_t i);

/* Reads a dump of at most 16 MiB, or another input that the program accepts. The caller frees *ret_machine.
 * Errors: malformed-xml, unrecognised-input, invalid-topology, limit-exceeded, unsupported. */
ORR_LIBRARY_MUST bool orr_machine_read(const char *bytes, size_t length, struct orr_machine **ret_machine,
                                       struct orr_report *report);
ORR_LIBRARY_CALL void orr_machine_free(struct orr_machine *machine); /* NULL is allowed, here and below */
/* Would NCCL's own reader, which is not an XML parser, refuse this file? True: the report has the code refused-by-nccl
 * and the place. */
ORR_LIBRARY_CALL bool orr_machine_refused(const struct orr_machine *machine, struct orr_report *report);

/* release: "2.27.7"; NULL: the newest verified release. The question is about one host and default settings until they
 * are changed. The caller frees *ret_question. Errors: invalid-setting. */
ORR_LIBRARY_MUST bool orr_question_new(const char *release, struct orr_question **ret_question,
                                       struct orr_report *report);
ORR_LIBRARY_CALL void orr_question_free(struct orr_question *question);
/* The number of identical hosts in one communicator, 1 to 512. Errors: invalid-setting. */
ORR_LIBRARY_MUST bool orr_question_hosts(struct orr_question *question, uint32_t hosts, struct orr_report *report);
/* One NCCL_* setting, read as NCCL reads it; an empty value is its default. Errors: invalid-setting, for an unknown
 * name too. */
ORR_LIBRARY_MUST bool orr_question_set(struct orr_question *question, const char *name, const char *value,
                                       struct orr_report *report);

/* Predicts what NCCL decides. The caller frees *ret_plan before the machine.
 * Errors: invalid-topology, no-ranks, limit-exceeded, unsupported. */
ORR_LIBRARY_MUST bool orr_plan_make(const struct orr_machine *machine, const struct orr_question *question,
                                    struct orr_plan **ret_plan, struct orr_report *report);
ORR_LIBRARY_CALL void orr_plan_free(struct orr_plan *plan);

/* The number of ranks on all hosts, and on one host. */
ORR_LIBRARY_CALL uint32_t orr_plan_ranks(const struct orr_plan *plan);
ORR_LIBRARY_CALL uint32_t orr_plan_local_ranks(const struct orr_plan *plan);
/* The name of device i of a host; false beyond the last device. */
ORR_LIBRARY_CALL bool orr_plan_device(const struct orr_plan *plan, size_t i, char ret_name[ORR_DEVICE_NAME_LENGTH]);

struct orr_plan_path {
    size_t size;         /* ORR_PLAN_PATH_INIT */
    const char *type;    /* "NVL", "PIX", "PXB", "PHB", "SYS" ... */
    const char *meaning; /* "at most one PCIe bridge" */
    const char *origin;  /* how it came to be: "through the CPU, because P2P is not possible" */
    double bw;           /* GB/s: the lowest bandwidth of its links */
    uint32_t hops;
    int32_t narrowest; /* the hop with the lowest bandwidth; -1: the path has no hops */
};
#define ORR_PLAN_PATH_INIT                                                                                             \
    {                                                                                                                  \
        .size = sizeof(struct orr_plan_path)                                                                           \
    }
struct orr_plan_hop {
    size_t size; /* ORR_PLAN_HOP_INIT */
    char from[ORR_DEVICE_NAME_LENGTH], to[ORR_DEVICE_NAME_LENGTH];
    const char *link; /* "NVL", "PCI", "SYS" ... */
    double bw;        /* GB/s */
};
#define ORR_PLAN_HOP_INIT                                                                                              \
    {                                                                                                                  \
        .size = sizeof(struct orr_plan_hop)                                                                            \
    }
/* The path between two devices, and one hop of it, counted from 0.
 * Errors: not-found, for an unknown device, a pair without a path and a hop beyond the last. */
ORR_LIBRARY_MUST bool orr_plan_path(const struct orr_plan *plan, const char *from, const char *to,
                                    struct orr_plan_path *ret_path, struct orr_report *report);
ORR_LIBRARY_MUST bool orr_plan_hop(const struct orr_plan *plan, const char *from, const char *to, uint32_t hop,
                                   struct orr_plan_hop *ret_hop, struct orr_report *report);

struct orr_plan_verdict {
    size_t size;        /* ORR_PLAN_VERDICT_INIT */
    int32_t verdict;    /* 0: no, 1: yes; for GPUDirect RDMA also the release's number of a mode */
    const char *rule;   /* the rule that decided, as a sentence */
    const char *level;  /* the farthest path type that is allowed; "" where the rule compares no types */
    const char *actual; /* the path type between the two; "" likewise */
};
#define ORR_PLAN_VERDICT_INIT                                                                                          \
    {                                                                                                                  \
        .size = sizeof(struct orr_plan_verdict)                                                                        \
    }
/* May two ranks of one host use peer-to-peer access (P2P)? Errors: not-found. */
ORR_LIBRARY_MUST bool orr_plan_p2p(const struct orr_plan *plan, uint32_t a, uint32_t b,
                                   struct orr_plan_verdict *ret_verdict, struct orr_report *report);
/* May a rank of one host use GPUDirect RDMA with a NIC ("NET/0-1"), to send or to receive? Errors: not-found. */
ORR_LIBRARY_MUST bool orr_plan_gdr(const struct orr_plan *plan, uint32_t rank, const char *net, bool sends,
                                   struct orr_plan_verdict *ret_verdict, struct orr_report *report);

struct orr_plan_graph {
    size_t size;      /* ORR_PLAN_GRAPH_INIT */
    const char *name; /* "ring", "tree", "nvls", "collnet_chain", "collnet_direct", "collnet" */
    int32_t pattern;  /* NCCL's number */
    int32_t channels;
    double bw_intra, bw_inter;           /* GB/s of one channel: inside the host, to and from its NICs */
    const char *type_intra, *type_inter; /* the farthest path types that it uses there */
};
#define ORR_PLAN_GRAPH_INIT                                                                                            \
    {                                                                                                                  \
        .size = sizeof(struct orr_plan_graph)                                                                          \
    }
/* Graph i as rank 0 found it; false beyond the last graph. */
ORR_LIBRARY_CALL bool orr_plan_graph(const struct orr_plan *plan, size_t i, struct orr_plan_graph *ret_graph);

/* The number of channels of the communicator. */
ORR_LIBRARY_CALL uint32_t orr_plan_channels(const struct orr_plan *plan);
/* The ring of a channel: orr_plan_ranks() ranks in ring order, beginning with rank 0. NULL: there is no such channel.
 */
ORR_LIBRARY_CALL const int32_t *orr_plan_ring(const struct orr_plan *plan, uint32_t channel);
/* A rank's parent and children in the tree of a channel; -1: none. False: there is no such channel or rank, or no tree.
 */
ORR_LIBRARY_CALL bool orr_plan_tree(const struct orr_plan *plan, uint32_t channel, uint32_t rank, int32_t *ret_up,
                                    int32_t ret_down[ORR_TREE_CHILDREN]);

struct orr_plan_choice {
    size_t size;                      /* ORR_PLAN_CHOICE_INIT */
    const char *algorithm, *protocol; /* "Ring", "LL128" */
    double time;                      /* microseconds, predicted by NCCL's model */
    double alg_bw, bus_bw;            /* GB/s: algorithm and bus bandwidth as nccl-tests defines them */
    int32_t channels, threads;
};
#define ORR_PLAN_CHOICE_INIT                                                                                           \
    {                                                                                                                  \
        .size = sizeof(struct orr_plan_choice)                                                                         \
    }
/* The algorithm and protocol that NCCL picks for a sum of 32-bit floats. function: "AllReduce", "Broadcast", "Reduce",
 * "AllGather", "ReduceScatter"; bytes: size of the whole buffer. Errors: not-found. */
ORR_LIBRARY_MUST bool orr_plan_choose(const struct orr_plan *plan, const char *function, uint64_t bytes,
                                      struct orr_plan_choice *ret_choice, struct orr_report *report);

/* A drawing as DOT text for Graphviz (neato -n2). view: "system", "ring", "tree", "path" or "collnet_direct"; channel:
 * for rings and trees; from, to: the ends of a path, NULL otherwise. The caller frees *ret_text with
 * orr_library_free(). Errors: not-found, limit-exceeded, render-failed. */
ORR_LIBRARY_MUST bool orr_plan_dot(const struct orr_plan *plan, const char *view, uint32_t channel, const char *from,
                                   const char *to, char **ret_text, struct orr_report *report);
ORR_LIBRARY_CALL void orr_library_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
