/* SPDX-License-Identifier: Apache-2.0 */
/* liborrery: recomputes how NCCL sees a machine, from a topology dump and without a GPU.
 *
 * The one header of the library; installed as <orrery/orrery.h>. It has two sets of functions, and one program may use
 * both. examples/c has a program for each of five tasks.
 *
 * 1. Documents. orr_ask() answers every question that the service answers, by the same code: analysis, explanation,
 *    findings with their cost, comparison, prediction, placement, logs, results of nccl-tests, drawings, detection. The
 *    answer is JSON (or a picture). docs/reference/rest.md lists questions and parameters; share/orrery/schemas holds
 *    the JSON schemas.
 *
 *        orr_session_new()       keeps inputs and answers in memory
 *        orr_ask()               "analyze", "release=2.27.7&hosts=2", the bytes of a dump -> document
 *        orr_document_bytes()    its text
 *        orr_document_free(), orr_session_free()
 *
 * 2. Plans. A plan is an analysis with typed getters, for programs that ask for many paths or try many settings.
 *
 *        orr_machine_load()      bytes of NCCL_TOPO_DUMP_FILE, or of another input -> machine
 *        orr_plan_ask()          machine + "release=2.27.7&hosts=2" -> plan
 *        orr_plan_path() ...     look at the plan
 *        orr_plan_free(), orr_machine_free()
 *
 * A function that can fail returns false and fills a struct orr_report, which may be NULL; its outputs ret_x are then
 * unchanged.
 *
 * Threads: the library has no global state that a caller can notice. Any number of threads may use a session, a
 * machine, a plan or a document at once; free it when no call uses it. Only one call at a time may use a set of limits,
 * except for orr_limits_stop(). A plan borrows its machine: free the machine after the plan. After fork(), only exec()
 * is safe in the child of a process that has a session.
 *
 * Processes: only drawings (formats svg, png, pdf) and detection start processes: the program `orrery`, which a
 * session's options name.
 *
 * Units: bandwidths are in GB/s (10^9 bytes per second) for one direction, times in microseconds, sizes in bytes.
 * Ranks are 0 to count-1 in the order of the dump's ranks; with several hosts, rank r of host h is
 * h * orr_plan_local_ranks() + r. Devices are named as the program names them, "GPU/0-1b000", by "rank:3", or by bus
 * id. Texts that are returned belong to the object that gave them unless the function says otherwise. Arguments must
 * not be NULL unless the function says otherwise.
 *
 * Structures that the caller allocates begin with their size: initialise them with their ORR_..._INIT before the first
 * call (in C++ before C++20: zero them and set size). The library fills as much as the caller's version of the
 * structure holds, so structures may gain members at their end. While the version is 0.x, the SONAME changes with each
 * minor version (liborrery.so.0.2).
 *
 * Errors: every function that takes a report may give "out-of-memory" and "internal"; those with a structure to fill
 * give "unsupported" where its size was not initialised. The comment of each function lists its other codes. GET
 * /problems/CODE of the service explains each code.
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
struct orr_plan;     /* what one NCCL release decides on a machine */
struct orr_session;  /* kept inputs, and a cache of answers */
struct orr_document; /* an answer: bytes that never change */
struct orr_limits;   /* time and memory that a call may use, and its stop flag */

/* Size of a buffer for a device name with its terminating zero; most children of a rank in a tree. */
enum { ORR_DEVICE_NAME_LENGTH = 40, ORR_TREE_CHILDREN = 3 };
/* Size of a buffer for the id of a kept input with its terminating zero. */
enum { ORR_INPUT_ID_LENGTH = 33 };
/* Sizes of the texts of a report with their terminating zeros. */
enum { ORR_REPORT_WHERE_LENGTH = 96, ORR_REPORT_TEXT_LENGTH = 256, ORR_REPORT_ADVICE_LENGTH = 192 };

/* What went wrong, for a switch. Each has the name of the code beside it in the report: "malformed-xml" is
 * ORR_ERROR_MALFORMED_XML. ORR_ERROR_OTHER: a code newer than this header. */
enum orr_error_code {
    ORR_ERROR_OTHER,
    ORR_ERROR_OUT_OF_MEMORY,
    ORR_ERROR_MALFORMED_XML,
    ORR_ERROR_REFUSED_BY_NCCL,
    ORR_ERROR_UNRECOGNISED_INPUT,
    ORR_ERROR_INVALID_TOPOLOGY,
    ORR_ERROR_NO_RANKS,
    ORR_ERROR_LIMIT_EXCEEDED,
    ORR_ERROR_INVALID_SETTING,
    ORR_ERROR_NOT_FOUND,
    ORR_ERROR_UNSUPPORTED,
    ORR_ERROR_TOO_COMPLEX,
    ORR_ERROR_UNPACKED_TOO_LARGE,
    ORR_ERROR_STOPPED,
    ORR_ERROR_RENDER_FAILED,
    ORR_ERROR_STORE_FAILED,
    ORR_ERROR_IO_FAILED,
    ORR_ERROR_INTERNAL,
    ORR_ERROR_METHOD_NOT_ALLOWED,
    ORR_ERROR_INVALID_PARAMETER,
    ORR_ERROR_EMPTY_BODY,
    ORR_ERROR_BODY_TOO_LARGE,
    ORR_ERROR_INVALID_JSON,
    ORR_ERROR_MALFORMED_TARGET,
    ORR_ERROR_TARGET_TOO_LONG,
    ORR_ERROR_NOT_ACCEPTABLE,
    ORR_ERROR_PRECONDITION_FAILED,
    ORR_ERROR_OVERLOADED
};

struct orr_report {
    size_t size;      /* sizeof(struct orr_report): ORR_REPORT_INIT */
    const char *code; /* stable: "malformed-xml", "invalid-topology", "no-ranks", "invalid-setting", "not-found" ... */
    uint32_t line;    /* 1-based line of the dump; 0 if the error is not about a line */
    uint32_t column;  /* from 1; 0 if unknown */
    enum orr_error_code error;             /* the code as a number */
    char where[ORR_REPORT_WHERE_LENGTH];   /* "system/cpu[0]/pci[2]", a setting, a device; may be empty */
    char text[ORR_REPORT_TEXT_LENGTH];     /* what is wrong, with the offending value */
    char advice[ORR_REPORT_ADVICE_LENGTH]; /* what to do about it; may be empty */
};
#define ORR_REPORT_INIT                                                                                                \
    {                                                                                                                  \
        .size = sizeof(struct orr_report)                                                                              \
    }

/* The version of the library in use, such as "0.2.0". */
ORR_LIBRARY_CALL const char *orr_library_version(void);
/* Name of release i, oldest first, and of setting i; NULL beyond the last. */
ORR_LIBRARY_CALL const char *orr_library_release(size_t i);
ORR_LIBRARY_CALL const char *orr_library_setting(size_t i);

/* Limits of a call. Without limits (NULL) a call may use any amount. Each call starts with the full allowance. */
ORR_LIBRARY_MUST bool orr_limits_new(struct orr_limits **ret_limits, struct orr_report *report);
ORR_LIBRARY_CALL void orr_limits_free(struct orr_limits *limits); /* NULL is allowed */
/* Nothing is limited until it is set; 0 removes a limit. unpacked: bytes unpacked from an archive; entries: files in
 * it. */
ORR_LIBRARY_CALL void orr_limits_time(struct orr_limits *limits, uint64_t milliseconds);
ORR_LIBRARY_CALL void orr_limits_memory(struct orr_limits *limits, uint64_t bytes);
ORR_LIBRARY_CALL void orr_limits_unpacked(struct orr_limits *limits, uint64_t bytes);
ORR_LIBRARY_CALL void orr_limits_entries(struct orr_limits *limits, uint64_t count);
/* Ends the call that uses the limits, and every later one until orr_limits_resume(). Any thread and any signal handler
 * may call it. The call fails with "stopped" within milliseconds. */
ORR_LIBRARY_CALL void orr_limits_stop(struct orr_limits *limits);
ORR_LIBRARY_CALL void orr_limits_resume(struct orr_limits *limits);

struct orr_session_options {
    size_t size;         /* ORR_SESSION_OPTIONS_INIT */
    const char *program; /* the program `orrery`, a path or a name in PATH; NULL means "orrery" */
    uint64_t cache;      /* bytes of the cache of answers and analyses; 0 means 256 MiB */
    uint64_t largest;    /* largest input in bytes; 0 means 16 MiB */
};
#define ORR_SESSION_OPTIONS_INIT                                                                                       \
    {                                                                                                                  \
        .size = sizeof(struct orr_session_options)                                                                     \
    }
/* options: NULL takes the defaults. The caller frees *ret_session. */
ORR_LIBRARY_MUST bool orr_session_new(const struct orr_session_options *options, struct orr_session **ret_session,
                                      struct orr_report *report);
ORR_LIBRARY_CALL void orr_session_free(struct orr_session *session); /* NULL is allowed */
/* Keeps an input, so that questions can name it: in a comparison, in a cluster, or together with a log or results.
 * The same bytes have the same id. name: for people, may be NULL. Errors: those of orr_machine_load(), and empty-body.
 */
ORR_LIBRARY_MUST bool orr_session_keep(struct orr_session *session, const void *bytes, size_t length, const char *name,
                                       const struct orr_limits *limits, char ret_id[ORR_INPUT_ID_LENGTH],
                                       struct orr_report *report);

/* Asks a question. The caller frees *ret_document.
 * question: a word, such as "analyze", "explain", "findings", "diff", "predict", "place", "path", "channels", "p2p",
 *   "render", "convert", "gate", "check-log", "check-perf", "compare", "releases" or "machines": the route /v1/WORD. Or
 *   a route with its method, such as "GET /v1/topologies/ID/findings" (ID is from orr_session_keep()) or
 *   "POST /v1/clusters".
 * parameters: "release=2.27.7&hosts=2&NCCL_CROSS_NIC=1", values percent-encoded as in a query string; NULL if there is
 * none. input, length: the dump, the log, the results or the JSON that the question is about; NULL and 0 if it has
 * none. Errors: the types of problem that docs/reference/rest.md lists for the route, such as "invalid-parameter",
 * "invalid-setting", "malformed-xml", "not-found"; "too-complex" and "stopped" by the limits. */
ORR_LIBRARY_MUST bool orr_ask(struct orr_session *session, const char *question, const char *parameters,
                              const void *input, size_t length, const struct orr_limits *limits,
                              struct orr_document **ret_document, struct orr_report *report);
/* The bytes, with a zero after the last one; ret_length may be NULL. */
ORR_LIBRARY_CALL const char *orr_document_bytes(const struct orr_document *document, size_t *ret_length);
/* "application/json", "image/svg+xml" ... */
ORR_LIBRARY_CALL const char *orr_document_type(const struct orr_document *document);
ORR_LIBRARY_CALL void orr_document_free(struct orr_document *document); /* NULL is allowed */

/* Reads a machine. The caller frees *ret_machine. parameters: "assume=hgx-h100", "assume_nics=400", "strict=1",
 * "release=2.27.7" (the release whose rules turn a gathered archive into a dump), or "machine=hgx-h100" in place of
 * bytes; NULL if there is none. Errors: malformed-xml, unrecognised-input, invalid-topology, refused-by-nccl,
 * limit-exceeded, unsupported, invalid-parameter, too-complex, stopped. */
ORR_LIBRARY_MUST bool orr_machine_load(const void *bytes, size_t length, const char *parameters,
                                       const struct orr_limits *limits, struct orr_machine **ret_machine,
                                       struct orr_report *report);
ORR_LIBRARY_CALL void orr_machine_free(struct orr_machine *machine); /* NULL is allowed, here and below */
/* The id that the service and documents give to the input: the beginning of its SHA-256. */
ORR_LIBRARY_CALL const char *orr_machine_id(const struct orr_machine *machine);
/* Would NCCL's own reader, which is not an XML parser, refuse this file? True: the report has the code refused-by-nccl
 * and the place. */
ORR_LIBRARY_CALL bool orr_machine_refused(const struct orr_machine *machine, struct orr_report *report);

/* Predicts what NCCL decides. parameters: those of /v1/analyze except assume and assume_nics, such as
 * "release=2.27.7&hosts=2&NCCL_CROSS_NIC=1&gpus=0,1"; NULL if there is none. The caller frees *ret_plan before the
 * machine. Errors: invalid-parameter, invalid-setting, invalid-topology, no-ranks, limit-exceeded, unsupported,
 * too-complex, stopped. */
ORR_LIBRARY_MUST bool orr_plan_ask(const struct orr_machine *machine, const char *parameters,
                                   const struct orr_limits *limits, struct orr_plan **ret_plan,
                                   struct orr_report *report);
ORR_LIBRARY_CALL void orr_plan_free(struct orr_plan *plan);
/* The plan as the JSON document of /v1/analyze. section: one of its members, such as "paths"; NULL means all. topology:
 * the name that the document gives to the machine; NULL means its id. The caller frees *ret_document. Errors:
 * not-found. */
ORR_LIBRARY_MUST bool orr_plan_document(const struct orr_plan *plan, const char *section, const char *topology,
                                        const struct orr_limits *limits, struct orr_document **ret_document,
                                        struct orr_report *report);

/* The number of ranks on all hosts, and on one host. */
ORR_LIBRARY_CALL uint32_t orr_plan_ranks(const struct orr_plan *plan);
ORR_LIBRARY_CALL uint32_t orr_plan_local_ranks(const struct orr_plan *plan);
/* The name of device i of a host; false beyond the last device. */
ORR_LIBRARY_CALL bool orr_plan_device(const struct orr_plan *plan, size_t i, char ret_name[ORR_DEVICE_NAME_LENGTH]);

struct orr_plan_path {
    size_t size;         /* ORR_PLAN_PATH_INIT */
    const char *type;    /* "NVL", "PIX", "PXB", "PHB", "SYS" ... */
    const char *meaning; /* "at most one PCIe bridge" */
    const char *origin;  /* why it has this type: "through the CPU, because P2P is not possible" */
    double bw;           /* GB/s: the lowest bandwidth of its links */
    uint32_t hops;
    int32_t narrowest; /* the hop with the lowest bandwidth; -1 if the path has no hops */
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
    int32_t verdict;    /* 0 means no, 1 means yes; for GPUDirect RDMA possibly a mode number of the release */
    const char *rule;   /* the rule that decided, as a sentence */
    const char *level;  /* the farthest path type that NCCL allows; "" if the rule compares no path types */
    const char *actual; /* the path type between the two; "" if the rule compares no path types */
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

struct orr_plan_nic {
    size_t size; /* ORR_PLAN_NIC_INIT */
    char net[ORR_DEVICE_NAME_LENGTH];
    int32_t proxy_rank; /* host rank whose proxy drives the NIC; with PXN, not the rank of the question */
};
#define ORR_PLAN_NIC_INIT                                                                                              \
    {                                                                                                                  \
        .size = sizeof(struct orr_plan_nic)                                                                            \
    }
/* The NIC by which a rank of one host reaches other hosts, for a channel of the ring graph, counted from 0.
 * Errors: not-found, also if the plan has only one host. */
ORR_LIBRARY_MUST bool orr_plan_nic(const struct orr_plan *plan, uint32_t rank, uint32_t channel,
                                   struct orr_plan_nic *ret_nic, struct orr_report *report);

struct orr_plan_graph {
    size_t size;      /* ORR_PLAN_GRAPH_INIT */
    const char *name; /* "ring", "tree", "nvls", "collnet_chain", "collnet_direct", "collnet" */
    int32_t pattern;  /* NCCL's number of the pattern */
    int32_t channels;
    double bw_intra, bw_inter;           /* GB/s of one channel: inside the host, to and from its NICs */
    const char *type_intra, *type_inter; /* the farthest path types that it uses inside and to NICs */
};
#define ORR_PLAN_GRAPH_INIT                                                                                            \
    {                                                                                                                  \
        .size = sizeof(struct orr_plan_graph)                                                                          \
    }
/* Graph i as rank 0 found it; false beyond the last graph. */
ORR_LIBRARY_CALL bool orr_plan_graph(const struct orr_plan *plan, size_t i, struct orr_plan_graph *ret_graph);

/* The number of channels of the communicator. */
ORR_LIBRARY_CALL uint32_t orr_plan_channels(const struct orr_plan *plan);
/* The ring of a channel: orr_plan_ranks() ranks in ring order, starting with rank 0; NULL if there is no such channel.
 */
ORR_LIBRARY_CALL const int32_t *orr_plan_ring(const struct orr_plan *plan, uint32_t channel);
/* The parent and children of a rank in the tree of a channel; -1 if there is none. False if there is no such channel,
 * rank or tree. */
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

/* Bandwidth (GB/s, 0 if not available) and latency (microseconds) in NCCL's tuning model of an algorithm ("Ring") with
 * a protocol ("LL128"). Errors: not-found. */
ORR_LIBRARY_MUST bool orr_plan_cost(const struct orr_plan *plan, const char *function, const char *algorithm,
                                    const char *protocol, double *ret_bw, double *ret_latency,
                                    struct orr_report *report);

#ifdef __cplusplus
}
#endif

#endif
