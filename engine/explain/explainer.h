/* Inside explain/: one decision on its way to an explanation, and what rows of the tables use to say something. */
#ifndef ORR_EXPLAIN_EXPLAINER_H
#define ORR_EXPLAIN_EXPLAINER_H

#include "engine/explain/explain.h"
#include "engine/release/release.h"

struct orr_explainer {
    const struct orr_analysis *a;
    const struct orr_why *why;
    struct orr_arena *arena;
    const struct orr_part *part; /* that holds from and to, or part 0 */
    uint32_t from, to;           /* nodes of the part; of P2P also across parts: then of both */
    const struct orr_part *part_of_to;
    struct orr_explanation *out; /* NULL: only the verdict is wanted */
    bool starved;                /* memory ran out */
};

/* A row of the table of kinds. */
struct orr_kind_row {
    const char *name, *asks;
    unsigned needs; /* enum orr_why_need */
    unsigned bears; /* enum orr_bearing: settings that were given and bear on one of these are candidates */
    /* Finds the subject and refuses what is none. */
    enum orr_code (*find)(struct orr_explainer *e, struct orr_error *err);
    /* The decision in a few words: NULL is want of memory. */
    const char *(*verdict)(struct orr_explainer *e);
    /* Question, answer, rule and values. */
    enum orr_code (*explain)(struct orr_explainer *e, struct orr_error *err);
    const char *rests[4]; /* fields of the release's row that the rule goes by */
};
extern const struct orr_kind_row orr_kind_rows[ORR_WHY_COUNT];

/* Text in the arena, "" where memory ran out. */
const char *orr_tell(struct orr_explainer *e, const char *format, ...) ORR_PRINTF(2, 3);
void orr_compare_number(struct orr_explainer *e, const char *name, double number, const char *unit, const char *source);
void orr_compare_text(struct orr_explainer *e, const char *name, const char *text, const char *source);
/* Sets rule and sentence of the decisions' table. */
void orr_rule_of(struct orr_explainer *e, enum orr_rule rule);
/* "NET/0-2 (mlx5_2)", "rank 3 (GPU/0-1b000)". */
const char *orr_device_name(struct orr_explainer *e, const struct orr_part *part, uint32_t node);
/* The value of a setting in force, as text; and where a value that it gives comes from: "NCCL_X=1", "default of ...".
 */
const char *orr_setting_now(struct orr_explainer *e, enum orr_setting setting);
const char *orr_setting_source(struct orr_explainer *e, enum orr_setting setting);
/* The narrowest link of a path becomes the limit. */
void orr_limit_path(struct orr_explainer *e, const struct orr_path *path);
/* The link that the channels of a graph fill most becomes it. */
void orr_limit_graph(struct orr_explainer *e, const struct orr_graph *graph);

/* pairs.c: of a pair of devices. */
/* The direct routes of the part, before any rule diverts them; kept in the arena, NULL: want of memory. */
const struct orr_paths *orr_hardware(struct orr_explainer *e, struct orr_error *err);
enum orr_code orr_find_pair(struct orr_explainer *e, struct orr_error *err);
enum orr_code orr_find_ranks(struct orr_explainer *e, struct orr_error *err);
enum orr_code orr_find_gpu_and_net(struct orr_explainer *e, struct orr_error *err);
const char *orr_verdict_path(struct orr_explainer *e), *orr_verdict_p2p(struct orr_explainer *e),
    *orr_verdict_gdr(struct orr_explainer *e);
enum orr_code orr_explain_path(struct orr_explainer *e, struct orr_error *err),
    orr_explain_p2p(struct orr_explainer *e, struct orr_error *err),
    orr_explain_gdr(struct orr_explainer *e, struct orr_error *err);
/* Says what the hardware gives the pair and what rules made of it; both types are compared. */
enum orr_code orr_tell_distance(struct orr_explainer *e, struct orr_error *err);

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

/* link_loads.c: the link of the part that the channels of a graph fill most; ORR_NO_LINK: they load none.
 * *ret_used: GB/s taken from it. */
uint32_t orr_fullest_link(struct orr_explainer *e, const struct orr_part *part, const struct orr_graph *graph,
                          float *ret_used);

/* candidates.c: the candidates of the decision, each tried. */
enum orr_code orr_try_settings(struct orr_explainer *e, struct orr_effort most, struct orr_error *err);

#endif
