/* SPDX-License-Identifier: Apache-2.0 */
/* The table of messages that NCCL, its plugins, PyTorch and launchers print when something is wrong: a row for each
 * message, in messages_*.c. The reader (engine/log_reading/events.c) tries the rows on every line; a later row is tried
 * only if no earlier one matches the line.
 */
#ifndef ORR_LOG_MESSAGES_H
#define ORR_LOG_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

/* On which lines a row is tried. */
enum {
    ORR_FROM_WARN = 1,                                    /* after "NCCL WARN" */
    ORR_FROM_INFO = 2,                                    /* after "NCCL INFO" and the other levels */
    ORR_FROM_OTHER = 4,                                   /* on lines that are not NCCL's own */
    ORR_FROM_WARN_OTHER = ORR_FROM_WARN | ORR_FROM_OTHER, /* PyTorch repeats NCCL's last warning */
    ORR_FROM_ALL = 7
};

/* The weight of a message. X(symbol, severity, whether it ends the job) */
#define ORR_LOG_WEIGHT_MAP(X)                                                                                          \
    X(NOTE, "note", "no")                                                                                              \
    X(WARNING, "warning", "no")                                                                                        \
    X(ERROR, "error", "maybe")                                                                                         \
    X(FATAL, "error", "yes")                                                                                           \
    X(AFTERMATH, "error", "yes") /* it follows from another error, maybe in another rank's log */                      \
    X(REPORT, "error", "yes")    /* it says that something ended, but not why: an NCCL result, a launcher */           \
    X(HANG, "error", "yes")      /* ranks waited for one another until a time limit */                                 \
    X(ABSENT, "error", "yes")    /* processes waited for others of the job that did not start */

enum orr_log_weight {
#define X(symbol, severity, ends) ORR_WEIGHT_##symbol,
    ORR_LOG_WEIGHT_MAP(X)
#undef X
};

/* Whether a message of this weight follows from another. */
static inline bool orr_log_follows(enum orr_log_weight weight)
{
    return weight == ORR_WEIGHT_AFTERMATH || weight == ORR_WEIGHT_REPORT;
}

struct orr_log_message {
    const char *id; /* stable word */
    uint32_t from;  /* ORR_FROM_... */
    enum orr_log_weight weight;
    const char *pattern; /* engine/log_reading/scan.h; found anywhere in the text. Its first four bytes are literal */
    /* Texts separated by '|', one of which must follow in the line; NULL if none must. "@nvls.cc|" in front of them
     * requires that this file of NCCL warns, which the line names before "NCCL WARN". */
    const char *also;
    const char *means;   /* one or two sentences */
    const char *advice;  /* what to do; "" for notes that need nothing */
    const char *example; /* a line's text, for tests */
};

/* The rows of Xids, errors that the GPU driver numbers, that show a fault of a GPU and not of a program. */
#define ORR_LOG_XIDS_OF_HARDWARE "xid-off-bus|xid-memory|xid-nvlink|xid-gsp"

/* What rows of two families say about sizes that differ between ranks. */
#define ORR_LOG_SAME_CALLS                                                                                             \
    "If ranks call different collectives or counts (NCCL_DEBUG_SUBSYS=COLL prints them), correct the program. If "     \
    "NCCL's version, NCCL_ALGO, NCCL_PROTO or NCCL_BUFFSIZE differ between hosts, make them the same."

/* The rows in their order; NULL beyond the last. */
const struct orr_log_message *orr_log_message(uint32_t index);

/* Inside engine/log_messages: the families, in the order in which they are tried. X(symbol) */
#define ORR_LOG_FAMILY_MAP(X) X(network) X(plugin) X(socket) X(gpu) X(transport) X(use) X(host) X(framework) X(job)
#define X(symbol)                                                                                                      \
    extern const struct orr_log_message orr_log_messages_##symbol[];                                                   \
    extern const uint32_t orr_log_count_##symbol;
ORR_LOG_FAMILY_MAP(X)
#undef X
#define ORR_LOG_FAMILY(symbol)                                                                                         \
    const uint32_t orr_log_count_##symbol = sizeof orr_log_messages_##symbol / sizeof orr_log_messages_##symbol[0]

#endif
