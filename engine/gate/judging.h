/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gate/: the two sides, and functions shared by the files of this room. */
#ifndef ORR_GATE_JUDGING_H
#define ORR_GATE_JUDGING_H

#include "engine/expect/expect.h"
#include "engine/gate/gate.h"

struct orr_gate_side {
    const struct orr_dump *dump;
    struct orr_hardware_facts hw;
    struct orr_analysis *one, *many; /* jobs on one host and on query.hosts; `many` is NULL if NCCL cannot use the
                                      * machine on several */
};

/* Reads one side. *own becomes the reason if NCCL cannot use the machine. The caller frees the side, also after an
 * error. (judging.c) */
enum orr_code orr_gate_read(const struct orr_dump *dump, const struct orr_query *query, struct orr_arena *arena,
                            struct orr_gate_side *side, struct orr_error *own, struct orr_error *err) ORR_NO_DISCARD;
void orr_gate_side_release(struct orr_gate_side *side);
/* Judges two sides with the values of their inputs. *ret_why: a clause if the state is "not comparable".
 * *ret_limits: kinds of links that limit a node whose bandwidth is not compared, bits by enum orr_link_kind.
 * (judging.c) */
enum orr_code orr_gate_judge_as_is(const struct orr_gate_request *request, const struct orr_gate_side *node,
                                   const struct orr_gate_side *expected, struct orr_arena *arena, struct orr_gate *gate,
                                   unsigned *ret_limits, const char **ret_why, struct orr_error *err) ORR_NO_DISCARD;
/* A clause: why the two are different kinds of machine; NULL if they are not. (comparing.c) */
const char *orr_gate_other_kind(const struct orr_gate_request *request, const struct orr_gate_side *node,
                                const struct orr_gate_side *expected, struct orr_arena *arena);
/* Fills differences, and reasons for what is missing at reasons[*count]. (comparing.c) */
enum orr_code orr_gate_compare(const struct orr_gate_request *request, const struct orr_gate_side *node,
                               const struct orr_gate_side *expected, struct orr_arena *arena, struct orr_gate *gate,
                               struct orr_error *err) ORR_NO_DISCARD;
/* Withdraws the verdict if it rests on an assumed figure: fills depends, and sets *ret_why to the question, a clause.
 * (depends.c) */
enum orr_code orr_gate_depend(const struct orr_gate_request *request, const struct orr_gate_side *node,
                              const struct orr_gate_side *expected, unsigned limits, struct orr_arena *arena,
                              struct orr_gate *gate, const char **ret_why, struct orr_error *err) ORR_NO_DISCARD;
/* Writes gate->sentence. (sentence.c) */
enum orr_code orr_gate_say(const struct orr_gate_request *request, const char *why, struct orr_arena *arena,
                           struct orr_gate *gate, struct orr_error *err) ORR_NO_DISCARD;

#endif
