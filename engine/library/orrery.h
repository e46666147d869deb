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
 * as they were. Machines and plans never change: any number of threads may read one. A question belongs to one thread
 * at a time. A plan borrows its machine, which must live as long; the question may go.
 *
 * Bandwidths are GB/s (10^9 bytes a second) in one direction, times microseconds. Ranks are 0 .. count-1 in order of
 * the dump's; with N hosts, rank r of host h is h * local ranks + r. Devices are named as the program names them,
 * "GPU/0-1b000", or by "rank:3" or by bus id. Texts that are returned belong to the library unless said otherwise.
 *
 * Arguments are not NULL where nothing else is said. Structures are only filled by the library and may grow at their
 * end: a new SONAME will then say so.
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

struct orr_report {
    const char *code; /* stable: "malformed-xml", "invalid-topology", "no-ranks", "invalid-setting", "not-found" ... */
    uint32_t line;    /* in the dump, from 1; 0: the error has no place there */
    uint32_t column;  /* from 1; 0: not known */
    char where[96];   /* element path such as "system/cpu[0]/pci[2]", setting, device; may be empty */
    char text[256];   /* what is wrong, with the offending value */
    char advice[192]; /* what to do about it; may be empty */
};

/* "0.1.0", of the library that runs. */
ORR_LIBRARY_CALL const char *orr_library_version(void);
/* Names of the releases that can be asked for, oldest first, and of the settings; NULL beyond the last. */
ORR_LIBRARY_CALL const char *orr_library_release(size_t i);
ORR_LIBRARY_CALL const char *orr_library_setting(size_t i);

/* Reads a dump of at most 16 MiB. */
ORR_LIBRARY_MUST bool orr_machine_read(const char *bytes, size_t length, struct orr_machine **ret_machine,
                                       struct orr_report *report);
ORR_LIBRARY_CALL void orr_machine_free(struct orr_machine *machine); /* NULL is allowed, here and below */
/* Would NCCL's own reader, which is no XML parser, stop in this file? True with the place in report. */
ORR_LIBRARY_CALL bool orr_machine_refused(const struct orr_machine *machine, struct orr_report *report);

/* release: "2.27.7", NULL: the newest that is verified. */
ORR_LIBRARY_MUST bool orr_question_new(const char *release, struct orr_question **ret_question,
                                       struct orr_report *report);
ORR_LIBRARY_CALL void orr_question_free(struct orr_question *question);
/* So many identical hosts in one communicator, 1 to 512. */
ORR_LIBRARY_MUST bool orr_question_hosts(struct orr_question *question, uint32_t hosts, struct orr_report *report);
/* One NCCL_* setting, read as NCCL reads it; an empty value is its default. Unknown names are errors. */
ORR_LIBRARY_MUST bool orr_question_set(struct orr_question *question, const char *name, const char *value,
                                       struct orr_report *report);

ORR_LIBRARY_MUST bool orr_plan_make(const struct orr_machine *machine, const struct orr_question *question,
                                    struct orr_plan **ret_plan, struct orr_report *report);
ORR_LIBRARY_CALL void orr_plan_free(struct orr_plan *plan);

/* Ranks of all hosts, and of one. */
ORR_LIBRARY_CALL uint32_t orr_plan_ranks(const struct orr_plan *plan);
ORR_LIBRARY_CALL uint32_t orr_plan_local_ranks(const struct orr_plan *plan);
/* Device i of a host as NCCL keeps it: its name into name[40]; false beyond the last. */
ORR_LIBRARY_CALL bool orr_plan_device(const struct orr_plan *plan, size_t i, char name[40]);

struct orr_plan_path {
    const char *type;    /* "NVL", "PIX", "PXB", "PHB", "SYS" ... */
    const char *meaning; /* "at most one PCIe bridge" */
    const char *origin;  /* how it came to be: "through the CPU, because P2P is not possible" */
    double bw;           /* the least of its links */
    uint32_t hops;
    int32_t narrowest; /* the hop with the least bandwidth, -1: no hops */
};
struct orr_plan_hop {
    char from[40], to[40];
    const char *link; /* "NVL", "PCI", "SYS" ... */
    double bw;
};
/* The path between two devices; "not-found" where NCCL keeps none. */
ORR_LIBRARY_MUST bool orr_plan_path(const struct orr_plan *plan, const char *from, const char *to,
                                    struct orr_plan_path *ret_path, struct orr_report *report);
ORR_LIBRARY_MUST bool orr_plan_hop(const struct orr_plan *plan, const char *from, const char *to, uint32_t hop,
                                   struct orr_plan_hop *ret_hop, struct orr_report *report);

struct orr_plan_verdict {
    int32_t verdict;    /* 0 no, 1 yes; GPU Direct RDMA may have the release's number of a mode */
    const char *rule;   /* the rule that decided, as a sentence */
    const char *level;  /* the path type that was compared with, "" where none was */
    const char *actual; /* the path type that was compared, "" likewise */
};
/* May two local ranks use P2P? */
ORR_LIBRARY_MUST bool orr_plan_p2p(const struct orr_plan *plan, uint32_t a, uint32_t b,
                                   struct orr_plan_verdict *ret_verdict, struct orr_report *report);
/* May a local rank use GPU Direct RDMA with a NET ("NET/0-1"), to send or to receive? */
ORR_LIBRARY_MUST bool orr_plan_gdr(const struct orr_plan *plan, uint32_t rank, const char *net, bool sends,
                                   struct orr_plan_verdict *ret_verdict, struct orr_report *report);

struct orr_plan_graph {
    const char *name; /* "ring", "tree", "nvls", "collnet_chain", "collnet_direct", "collnet" */
    int32_t pattern;  /* NCCL's number */
    int32_t channels;
    double bw_intra, bw_inter; /* of one channel: inside the host, to and from its NICs */
    const char *type_intra, *type_inter;
};
/* Graph i that the search was asked for, as rank 0 found it; false beyond the last. */
ORR_LIBRARY_CALL bool orr_plan_graph(const struct orr_plan *plan, size_t i, struct orr_plan_graph *ret_graph);

/* Channels of the communicator. */
ORR_LIBRARY_CALL uint32_t orr_plan_channels(const struct orr_plan *plan);
/* The ring of a channel: as many ranks as orr_plan_ranks() says, from rank 0 on. NULL: no such channel. */
ORR_LIBRARY_CALL const int32_t *orr_plan_ring(const struct orr_plan *plan, uint32_t channel);
/* A rank's place in the tree of a channel: its parent and up to three children, -1: none. False: no such thing. */
ORR_LIBRARY_CALL bool orr_plan_tree(const struct orr_plan *plan, uint32_t channel, uint32_t rank, int32_t *ret_up,
                                    int32_t ret_down[3]);

struct orr_plan_choice {
    const char *algorithm, *protocol; /* "Ring", "LL128" */
    double time;                      /* predicted */
    double alg_bw, bus_bw;            /* bytes / time, and as nccl-tests reports it */
    int32_t channels, threads;
};
/* What NCCL picks for a sum of 32-bit floats. function: "AllReduce", "Broadcast", "Reduce", "AllGather",
 * "ReduceScatter"; bytes: of the whole buffer. */
ORR_LIBRARY_MUST bool orr_plan_choose(const struct orr_plan *plan, const char *function, uint64_t bytes,
                                      struct orr_plan_choice *ret_choice, struct orr_report *report);

/* A drawing for Graphviz (neato -n2): view "system", "ring", "tree", "path" or "collnet_direct"; channel of ring and
 * tree; from and to of a path, else NULL. The text is the caller's: orr_library_free(). */
ORR_LIBRARY_MUST bool orr_plan_dot(const struct orr_plan *plan, const char *view, uint32_t channel, const char *from,
                                   const char *to, char **ret_text, struct orr_report *report);
ORR_LIBRARY_CALL void orr_library_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
