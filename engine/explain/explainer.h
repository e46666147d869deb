/* SPDX-License-Identifier: Apache-2.0 */
/* Inside explain/: the state of one explanation, and the functions with which the rows of the tables write it. */
#ifndef ORR_EXPLAIN_EXPLAINER_H
#define ORR_EXPLAIN_EXPLAINER_H

#include "engine/explain/explain.h"
#include "engine/release/release.h"

struct orr_explainer {
    const struct orr_analysis *a;
    const struct orr_why *why;
    const struct orr_kind_row *row; /* row of the decision's kind */
    struct orr_arena *arena;
    const struct orr_part *part; /* part that contains from and to, or part 0 */
    uint32_t from, to;           /* nodes of the part; for P2P, `to` may be a node of part_of_to */
    const struct orr_part *part_of_to;
    const char *because;         /* why the path is not the direct route, as the end of a sentence; NULL if it is */
    struct orr_explanation *out; /* NULL if only the verdict is needed */
};

/* A row of the table of kinds. */
struct orr_kind_row {
    const char *name, *asks;
    unsigned needs; /* enum orr_why_need */
    unsigned bears; /* bits of enum orr_bearing: given settings that affect one of these are candidates */
    /* Finds the subject; an error if there is none. */
    enum orr_code (*find)(struct orr_explainer *e, struct orr_error *err);
    /* The decision in a few words; NULL if memory ran out. */
    const char *(*verdict)(struct orr_explainer *e);
    /* Question, answer, rule and values. */
    enum orr_code (*explain)(struct orr_explainer *e, struct orr_error *err);
    const char *rests[4]; /* fields of the release's row that the rule reads */
    unsigned touched;     /* bits of enum orr_touch: the answer rests on assumptions about the input that affect one of
                           * these */
    enum orr_aim { ORR_AIM_NOTHING, ORR_AIM_YES, ORR_AIM_BANDWIDTH } aim; /* what an advised setting must improve */
};
extern const struct orr_kind_row orr_kind_rows[ORR_WHY_COUNT];

#define orr_tell(explainer, ...) orr_arena_text((explainer)->arena, __VA_ARGS__)
void orr_compare_number(struct orr_explainer *e, const char *name, double number, const char *unit,
                        struct orr_from from);
void orr_compare_text(struct orr_explainer *e, const char *name, const char *text, struct orr_from from);
/* The rows from `first` on are for maintainers. */
void orr_compared_internal(struct orr_explainer *e, uint32_t first);

/* origins.c: where a value comes from. */
#define ORR_COMPUTED ((struct orr_from){.origin = ORR_FROM_COMPUTED})
/* An attribute of the dump. */
struct orr_from orr_from_attr(struct orr_explainer *e, enum orr_element_kind kind, enum orr_attr attr);
/* Where NVLinks lead; if the dump has none, whether the input lists none or the reader assumed none. */
struct orr_from orr_from_nvlinks(struct orr_explainer *e);
/* What the hardware gives: links, their bandwidth and the types of paths. */
struct orr_from orr_from_hardware(struct orr_explainer *e);
struct orr_from orr_from_setting(struct orr_explainer *e, enum orr_setting setting);
struct orr_from orr_from_release(struct orr_explainer *e);
/* Notes which assumptions about the input the answer rests on; the sentence about them for the answer, "" if there
 * is none. */
const char *orr_note_inputs(struct orr_explainer *e, unsigned touched);

/* words.c: parts of sentences. */
/* "PHB (through the CPU's PCIe host bridge)". */
const char *orr_type_words(struct orr_explainer *e, enum orr_path_type type);
/* "PXB (default of NCCL_P2P_LEVEL in NCCL 2.30.7)": the level of a decision. */
const char *orr_level_words(struct orr_explainer *e, const struct orr_decision *decision);
/* "1 channel", "12 channels". */
const char *orr_count_words(struct orr_explainer *e, int64_t count, const char *one);
/* "64 MiB", "1000 bytes". */
const char *orr_size_words(struct orr_explainer *e, uint64_t bytes);
/* "9.0" of 90. */
const char *orr_capability_words(struct orr_explainer *e, int32_t sm);
/* Sets rule and sentence of the decisions' table. */
void orr_rule_of(struct orr_explainer *e, enum orr_rule rule);
/* "NET/0-2 (mlx5_2)", "rank 3 (GPU/0-1b000)". */
const char *orr_device_name(struct orr_explainer *e, const struct orr_part *part, uint32_t node);
/* consequences.c: puts the main figures among all changes into a row, in arena; false if memory ran out. */
bool orr_pick_consequences(const struct orr_changes *changes, struct orr_arena *arena, struct orr_what_if *row);
/* The value of a setting in force, as text: the given one, or else the default. The second function says where it comes
 * from: "NCCL_X=1", "default of ...". */
const char *orr_setting_now(struct orr_explainer *e, enum orr_setting setting);
const char *orr_setting_source(struct orr_explainer *e, enum orr_setting setting);
/* The narrowest link of a path becomes the limit. */
void orr_limit_path(struct orr_explainer *e, const struct orr_path *path);
/* The link that the channels of a graph fill most becomes the limit. */
void orr_limit_graph(struct orr_explainer *e, const struct orr_graph *graph);

/* pairs.c, access.c: of a pair of devices. */
/* The direct routes of the part, before any rule diverts them; kept in the arena, NULL if memory runs out. */
const struct orr_paths *orr_hardware(struct orr_explainer *e, struct orr_error *err);
enum orr_code orr_find_pair(struct orr_explainer *e, struct orr_error *err);
enum orr_code orr_find_ranks(struct orr_explainer *e, struct orr_error *err);
enum orr_code orr_find_gpu_and_net(struct orr_explainer *e, struct orr_error *err);
const char *orr_verdict_path(struct orr_explainer *e), *orr_verdict_p2p(struct orr_explainer *e),
    *orr_verdict_gdr(struct orr_explainer *e);
enum orr_code orr_explain_path(struct orr_explainer *e, struct orr_error *err),
    orr_explain_p2p(struct orr_explainer *e, struct orr_error *err),
    orr_explain_gdr(struct orr_explainer *e, struct orr_error *err);
/* Finds the pair's path by hardware and in effect, and why the two differ (because). */
enum orr_code orr_find_distance(struct orr_explainer *e, struct orr_error *err);
/* The path of the pair in effect. */
const struct orr_path *orr_path_of(const struct orr_explainer *e);
static inline enum orr_node_type orr_type_of(const struct orr_part *part, uint32_t node)
{
    return part->system.nodes[node].type;
}

/* nics.c */
enum orr_code orr_find_gpu_of_nic(struct orr_explainer *e, struct orr_error *err);
const char *orr_verdict_nic(struct orr_explainer *e), *orr_verdict_pxn(struct orr_explainer *e);
enum orr_code orr_explain_nic(struct orr_explainer *e, struct orr_error *err),
    orr_explain_pxn(struct orr_explainer *e, struct orr_error *err);

/* graphs.c, counts.c */
enum orr_code orr_find_graph(struct orr_explainer *e, struct orr_error *err),
    orr_find_nothing(struct orr_explainer *e, struct orr_error *err);
const char *orr_verdict_graph(struct orr_explainer *e), *orr_verdict_tree(struct orr_explainer *e),
    *orr_verdict_channels(struct orr_explainer *e), *orr_verdict_nvls(struct orr_explainer *e);
enum orr_code orr_explain_graph(struct orr_explainer *e, struct orr_error *err),
    orr_explain_tree(struct orr_explainer *e, struct orr_error *err),
    orr_explain_channels(struct orr_explainer *e, struct orr_error *err),
    orr_explain_nvls(struct orr_explainer *e, struct orr_error *err);

/* choices.c */
enum orr_code orr_find_choice(struct orr_explainer *e, struct orr_error *err);
const char *orr_verdict_choice(struct orr_explainer *e);
enum orr_code orr_explain_choice(struct orr_explainer *e, struct orr_error *err);

/* device.c */
const char *orr_verdict_symmetric(struct orr_explainer *e), *orr_verdict_lsa(struct orr_explainer *e),
    *orr_verdict_multimem(struct orr_explainer *e), *orr_verdict_gin(struct orr_explainer *e),
    *orr_verdict_ce(struct orr_explainer *e), *orr_verdict_registration(struct orr_explainer *e);
enum orr_code orr_explain_symmetric(struct orr_explainer *e, struct orr_error *err),
    orr_explain_lsa(struct orr_explainer *e, struct orr_error *err),
    orr_explain_multimem(struct orr_explainer *e, struct orr_error *err),
    orr_explain_gin(struct orr_explainer *e, struct orr_error *err),
    orr_explain_ce(struct orr_explainer *e, struct orr_error *err),
    orr_explain_registration(struct orr_explainer *e, struct orr_error *err);

/* link_loads.c: the link of the part that the channels of a graph fill most; ORR_NO_LINK if they load none.
 * *ret_used: GB/s taken from it. */
uint32_t orr_fullest_link(struct orr_explainer *e, const struct orr_part *part, const struct orr_graph *graph,
                          float *ret_used);

/* candidates.c: the setting of row `index` of the table of candidates, and its values for the decision, of which there
 * may be none. False if the table has no such row. */
enum { ORR_CANDIDATE_VALUES = 3 };
bool orr_candidate(struct orr_explainer *e, unsigned index, enum orr_setting *ret_setting,
                   const char *values[ORR_CANDIDATE_VALUES], unsigned *ret_count);
/* what_ifs.c: tries the candidates of the decision. */
enum orr_code orr_try_settings(struct orr_explainer *e, struct orr_effort most, struct orr_error *err);

/* advice.c: a sentence about the setting, of those tried, that improves the decision and does not lower the ring's
 * bandwidth, or that none does; NULL if the kind advises no setting, or nothing was tried. */
const char *orr_advise(struct orr_explainer *e);

#endif
