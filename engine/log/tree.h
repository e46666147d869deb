/* Inside engine/log: the printed trees as links between nodes, and dumps with changes. */
#ifndef ORR_LOG_TREE_H
#define ORR_LOG_TREE_H

#include "engine/log/log.h"
#include "engine/topology/system.h"

/* A line of a printed tree, with the node that it is below. */
struct orr_log_link {
    uint32_t session, line, tree; /* tree: number of the printed tree in its session, from 0 */
    uint32_t depth;               /* 0: a CPU; 1: what hangs on it ... */
    const char *from, *to;        /* node ids as users see them, "GPU/0-1b000" */
    const char *type;             /* "PCI"; "" for a CPU's own line */
    const char *detail;           /* the text in parentheses, "" where there is none */
    double bw;
    double cpu[3]; /* arch, vendor, model of a CPU's own line; -2: not printed */
};
struct orr_log_links {
    struct orr_log_link *rows;
    uint32_t count;
    const uint8_t *complete; /* [session]: its first tree is there from its head to its end */
};
/* The links of all printed trees, in the log's order. */
enum orr_code orr_log_links_of(const struct orr_log *log, struct orr_arena *arena, struct orr_log_links *ret_links,
                               struct orr_error *err) ORR_NO_DISCARD;

/* Writes a node id as a log prints it ("GPU/F000", "NET/0-c") as users see it. Returns buffer. */
char *orr_log_node_id(const char *text, char buffer[ORR_NODE_ID_SIZE]);

/* The compute capability by the GPU's name, where a line names the GPU; 0: none does. */
int32_t orr_log_capability(const struct orr_log *log);

/* Changes to a dump. Arrays have a row for each element of the dump; NULL: as they are. */
struct orr_dump_edit {
    const int32_t *ranks;    /* of GPUs, -1: takes no part */
    const uint64_t *bus_ids; /* new ones of GPUs, 0: as it is */
    const int32_t *net_devs; /* new numbers of NICs, -1: takes no part */
    int32_t sm;              /* of every GPU, 0: as it is */
    bool drop_nets;          /* no NIC takes part */
    bool collnet;            /* every NIC can reduce in the network */
    const bool *no_gdr;      /* [ORR_LOG_NICS]: the NICs of these numbers cannot GPUDirect RDMA */
};
/* A copy with changes: orr_dump_free(). Its notes are borrowed from the dump. */
enum orr_code orr_log_edit_dump(const struct orr_dump *dump, const struct orr_dump_edit *edit,
                                struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;

#endif
