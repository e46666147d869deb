/* SPDX-License-Identifier: Apache-2.0 */
/* The printed trees of a log as links between nodes. */
#ifndef ORR_LOG_TREE_H
#define ORR_LOG_TREE_H

#include "engine/log_reading/log.h"
#include "engine/topology/system.h"

/* A line of a printed tree, with the node that it is below. */
struct orr_log_link {
    uint32_t session, line, tree; /* tree: number of the printed tree in its session, from 0 */
    uint32_t depth;               /* 0 for a CPU, 1 for its children ... */
    const char *from, *to;        /* node ids as users see them, "GPU/0-1b000" */
    const char *type;             /* "PCI"; "" for a CPU's own line */
    const char *detail;           /* the text in parentheses, "" if there is none */
    double bw;
    double cpu[3]; /* arch, vendor, model of a CPU's own line; -2 if not printed */
};
struct orr_log_links {
    struct orr_log_link *rows;
    uint32_t count;
    const uint8_t *complete; /* [session]: its first tree is complete, from its head to its end */
};
/* The links of all printed trees, in the log's order. */
enum orr_code orr_log_links_of(const struct orr_log *log, struct orr_arena *arena, struct orr_log_links *ret_links,
                               struct orr_error *err) ORR_NO_DISCARD;

/* Writes a node id as a log prints it ("GPU/F000", "NET/0-c") as users see it. Returns buffer. */
char *orr_log_node_id(const char *text, char buffer[ORR_NODE_ID_SIZE]);

/* The compute capability from the GPU's name, if a line names the GPU; 0 if none does. */
int32_t orr_log_capability(const struct orr_log *log);

#endif
