/* SPDX-License-Identifier: Apache-2.0 */
/* A question that is being changed: its query, and its machine, which is copied at the first change. Everything is in
 * one arena and freed with it. */
#ifndef ORR_TRIALS_VARIANT_H
#define ORR_TRIALS_VARIANT_H

#include "engine/dump/edit.h"
#include "engine/machines/groups.h"
#include "engine/machines/recognise.h"
#include "engine/trials/observed.h"
#include "engine/trials/trials.h"

struct orr_variant {
    const struct orr_analysis *analysis; /* the unchanged question */
    const struct orr_dump *given;        /* its machine */
    const struct orr_observed *observed; /* never NULL */
    struct orr_arena *arena;
    struct orr_query query;      /* with the changes */
    struct orr_doc doc;          /* the copy, if there is one */
    struct orr_doc_node **nodes; /* [element of given]; NULL if there is no copy yet */
    bool changed, machine_changed;
    bool acs;            /* PCIe ACS redirects traffic below the CPU; the machine is the same */
    bool of_paths;       /* the answer is about links and paths only */
    uint32_t nets, kept; /* number of NICs, and how many a change keeps; kept 0 means all */
    char what[96];       /* what was changed, if it is not what the row says; "" otherwise */
    const char *refused; /* why nothing was changed, a phrase; NULL if no reason is known */
    /* Facts about the given machine for repairs; NULL otherwise. */
    const struct orr_hardware_facts *hw;
    const struct orr_machine *machine;
    const struct orr_groups *groups;
};

/* given: NULL means the machine of the analysis. observed: NULL means that nothing was observed. Both are borrowed. */
void orr_variant_init(struct orr_variant *variant, const struct orr_analysis *analysis, const struct orr_dump *given,
                      const struct orr_observed *observed, struct orr_arena *arena);
/* The top element of the copy; the first call makes it; NULL if memory runs out, which orr_variant_dump() reports too.
 */
struct orr_doc_node *orr_variant_copy(struct orr_variant *variant);
/* The first element of a kind in the copy, the next one after `node`; NULL if there is none. */
struct orr_doc_node *orr_variant_next(struct orr_variant *variant, struct orr_doc_node *node,
                                      enum orr_element_kind kind);
/* Sets an attribute of an element of the copy; a value that it has already is not a change. */
void orr_variant_set(struct orr_variant *variant, struct orr_doc_node *node, enum orr_attr attr, const char *value);
void orr_variant_set_int(struct orr_variant *variant, struct orr_doc_node *node, enum orr_attr attr, long value);
/* Records a change of the copy that was made without the functions above. */
void orr_variant_touch(struct orr_variant *variant);
void orr_variant_remove(struct orr_variant *variant, struct orr_doc_node *node);
/* Turns GPUDirect RDMA off on the NICs that were observed without it. */
void orr_variant_observed_gdr(struct orr_variant *variant);
/* Sets a setting; "" means its default. A refused value, or the value that it already has, is not a change. */
void orr_variant_setting(struct orr_variant *variant, enum orr_setting setting, const char *value);
/* Applies "NCCL_P2P_LEVEL=PIX", unless the release lacks the setting or the question already gives it, because then
 * its value is known. */
void orr_variant_assume(struct orr_variant *variant, const char *setting);

/* The changed machine, in the arena of the trial; the given machine if nothing changed. */
enum orr_code orr_variant_dump(struct orr_variant *variant, const struct orr_dump **ret_dump,
                               struct orr_error *err) ORR_NO_DISCARD;
/* Analyses the changed question: orr_trials_analyze(). */
enum orr_code orr_variant_analyze(struct orr_trials *trials, struct orr_variant *variant,
                                  struct orr_analysis **ret_answer, struct orr_error *ret_refused,
                                  struct orr_error *err) ORR_NO_DISCARD;

#endif
