/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a node with an expectation, and gives one answer on which a scheduler can act: is this node fit?
 *
 * The node is fit if three conditions hold. No finding with a cost makes it worse than the expectation, no GPU or NIC
 * of the expectation is missing, and AllReduce has at least a share of the expected bus bandwidth. The rules are in
 * README.md. */
#ifndef ORR_GATE_GATE_H
#define ORR_GATE_GATE_H

#include "engine/diagnosis/diagnosis.h"
#include "engine/hardware/hardware.h"
#include "engine/trials/outcomes.h"
#include "engine/trials/suppositions.h"

enum orr_gate_state {
    ORR_GATE_FIT,
    ORR_GATE_DEGRADED,
    ORR_GATE_NOT_COMPARABLE /* no answer: one of the two cannot be analysed, they are different kinds of machine, or an
                             * input lacks a deciding figure */
};

struct orr_gate_request {
    const char *node_name;                  /* "node-17" */
    const struct orr_dump *node, *expected; /* borrowed */
    const char *expected_name;              /* for people: "dgx-h100", "the majority of 12 hosts with label=rack=7" */
    bool of_type;               /* the expectation is made of a machine type: bus ids and switches are made up */
    struct orr_query query;     /* with the number of hosts of the job whose bandwidth is compared */
    double min_bus_bw;          /* share of the expectation's bus bandwidth that is enough, 0 to 1 */
    const char *const *allowed; /* [allowed_count]: ids of findings that are accepted */
    uint32_t allowed_count;
};

struct orr_gate_reason {
    const char *id;             /* id of a finding, or "gpu-missing", "nic-missing", "busbw-low" from the comparison */
    bool compared;              /* from the comparison with the expectation; false for a finding about the node */
    const char *text;           /* the cause, one clause */
    const char *const *devices; /* [device_count] */
    uint32_t device_count;
    const struct orr_cost *cost; /* NULL if none could be computed */
    const char *repair;          /* with a cost: the value after the repair */
    bool allowed;                /* the caller accepts it */
};

enum { ORR_GATE_DEVICES = 16, ORR_GATE_DIFFERENCES = 32 };

struct orr_gate {
    enum orr_gate_state state;
    const char *sentence;            /* one line, consequence first */
    struct orr_gate_reason *reasons; /* those that make the node degraded first, the costliest first */
    uint32_t count, counted;         /* counted: number of those that make it degraded */
    uint32_t hosts;                  /* number of hosts for the bandwidths; 0 if none could be predicted */
    double bus_bw, expected;         /* GB/s, AllReduce at 1 GiB */
    struct orr_outcomes outcomes[2]; /* of the expectation and of the node; without hosts if it cannot be judged */
    const char *const *differences;  /* [difference_count]: clauses about hardware that differs, even at no cost */
    uint32_t difference_count, more_differences;
    /* if an input lacks a deciding figure: enum orr_gate_state with each value */
    struct orr_depends_list depends;
    const char *assuming; /* an assumption on which a bandwidth of this node rests, but not the state; NULL if there is
                           * none */
    const char *confirm;  /* the command that shows the real value; NULL if nothing is asked */
    const char *const *assumed; /* [assumed_count]: clauses about assumptions of the answer */
    uint32_t assumed_count;
};

/* Judges the node. All of *ret_gate is in arena. "Cannot be judged" is an answer, too; errors are NOMEM and SPENT. */
enum orr_code orr_gate_judge(const struct orr_gate_request *request, struct orr_arena *arena, struct orr_gate *ret_gate,
                             struct orr_error *err) ORR_NO_DISCARD;
/* The answer if there is no node or no expectation. why: one clause. NOMEM. */
enum orr_code orr_gate_refuse(const char *node_name, const char *why, struct orr_arena *arena,
                              struct orr_gate *ret_gate, struct orr_error *err) ORR_NO_DISCARD;
/* The text below the verdict and the outcomes: all reasons if there are several, then hardware that differs. */
void orr_gate_write(const struct orr_gate *gate, struct orr_text *text);
/* "fit", "degraded", "not comparable". */
const char *orr_gate_state_name(enum orr_gate_state state);
/* Whether the id is one that a reason can have. */
bool orr_gate_knows(const char *id);

#endif
