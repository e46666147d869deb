/* SPDX-License-Identifier: Apache-2.0 */
/* Explains the results of the search: channels and bandwidth of a graph, the pattern of trees. */
#include "engine/explain/explainer.h"

enum orr_code orr_find_nothing(struct orr_explainer *e, struct orr_error *err)
{
    (void)err;
    e->part = &e->a->parts[0];
    return ORR_OK;
}

static const struct orr_graph *graph_of(const struct orr_explainer *e, enum orr_graph_kind kind)
{
    return &e->a->parts[0].contribution.graphs[kind];
}

enum orr_code orr_find_graph(struct orr_explainer *e, struct orr_error *err)
{
    e->part = &e->a->parts[0];
    if (graph_of(e, e->why->graph)->pattern != ORR_PATTERN_NONE)
        return ORR_OK;
    orr_fail(err, ORR_NOT_FOUND, "NCCL %s does not build the %s graph here", e->a->query.settings.release->name,
             orr_graph_name(e->a->query.settings.release, e->why->graph));
    orr_error_advice(err, e->why->graph == ORR_GRAPH_NVLS ? "ask for nvls, which explains why NVLS is off"
                                                          : "NCCL_COLLNET_ENABLE=1 turns CollNet on");
    return ORR_NOT_FOUND;
}

static bool leaves_host(const struct orr_graph *graph)
{
    return graph->nets != NULL;
}

const char *orr_verdict_graph(struct orr_explainer *e)
{
    const struct orr_graph *graph = graph_of(e, e->why->graph);
    if (!graph->channels)
        return "no channels";
    const char *channels = orr_count_words(e, graph->channels, "channel");
    return leaves_host(graph) ? orr_tell(e, "%s of %.6g GB/s inside the host (%s) and %.6g GB/s to NICs (%s)", channels,
                                         (double)graph->bw_intra, orr_path_type_name(graph->type_intra),
                                         (double)graph->bw_inter, orr_path_type_name(graph->type_inter))
                              : orr_tell(e, "%s of %.6g GB/s (%s)", channels, (double)graph->bw_intra,
                                         orr_path_type_name(graph->type_intra));
}

/* The steps of relaxation, in the order in which the search takes them. */
static const struct {
    unsigned bit;
    const char *text;
} relaxations[] = {
    {ORR_RELAXED_SAME, "channels may differ"},
    {ORR_RELAXED_PATTERN, "another pattern"},
    {ORR_RELAXED_INTRA, "longer paths between GPUs"},
    {ORR_RELAXED_INTER, "longer paths to NICs"},
    {ORR_RELAXED_CROSS_NIC, "channels may use two different NICs"},
    {ORR_RELAXED_RATE, "a lower bandwidth"},
    {ORR_RELAXED_RAISED, "then a higher bandwidth for the same channels"},
    {ORR_RELAXED_DOUBLED, "then two channels of half the bandwidth for each"},
    {ORR_RELAXED_ORDER, "nothing else was found: all GPUs in order"},
};

static const char *relaxations_text(struct orr_explainer *e, unsigned taken)
{
    const char *text = "";
    for (unsigned i = 0; i < sizeof relaxations / sizeof relaxations[0]; i++)
        if (taken & relaxations[i].bit)
            text = orr_tell(e, "%s%s%s", text, *text ? ", " : "", relaxations[i].text);
    return *text ? text : "none: the first attempt found it";
}

static void set_graph_rule(struct orr_explanation *out, const struct orr_graph *graph)
{
    static const struct {
        const char *id, *text;
    } ends[] = {
        [ORR_END_ALL_CHANNELS] =
            {"GRAPH_ALL_CHANNELS",
             "The search stopped because it had the maximum number of channels at this bandwidth."},
        [ORR_END_ALL_RATE] =
            {"GRAPH_ALL_RATE",
             "The search stopped because its channels together use the bandwidth of the best-connected GPU."},
        [ORR_END_STEPS] = {"GRAPH_STEPS", "The search reached its step limit and uses the best graph found so far."},
        [ORR_END_NOTHING_LEFT] =
            {"GRAPH_BEST",
             "The links carry no further channel: no other attempt of the search found more total bandwidth."},
        [ORR_END_FILE] = {"GRAPH_FILE", "NCCL_GRAPH_FILE gives this graph, so NCCL does not search for one."},
    };
    bool fallback = graph->story.relaxed & ORR_RELAXED_ORDER;
    out->rule_id = fallback ? "GRAPH_ORDER" : !graph->channels ? "GRAPH_NONE" : ends[graph->story.end].id;
    out->rule = fallback ? "The search found no channel under any condition, so NCCL puts all GPUs in rank order, at "
                           "the lowest bandwidth there is."
                : !graph->channels ? "The search found no channel under any condition."
                                   : ends[graph->story.end].text;
}

/* The link that the channels fill, as a further sentence. */
static const char *limit_words(struct orr_explainer *e)
{
    const struct orr_limit *limit = &e->out->limit;
    return *limit->from
               ? orr_tell(e, " The channels use %.6g of the %.6g GB/s of the link %s -> %s (%s).", (double)limit->used,
                          (double)limit->bw, limit->from_words, limit->to_words, limit->type)
               : "";
}

static const char *crossing_words(int32_t cross_nic)
{
    return cross_nic == 0 ? "no" : cross_nic == 2 ? "yes, in pairs of channels that swap two NICs" : "yes";
}

/* How the search arrived at the result. */
static void compare_search(struct orr_explainer *e, const struct orr_graph *graph)
{
    const struct orr_graph_story *story = &graph->story;
    uint32_t first = e->out->compared_count;
    orr_compare_number(e, "most channels before doubling", story->most_channels, NULL, ORR_COMPUTED);
    orr_compare_number(e, "first bandwidth tried", (double)story->first_rate, "GB/s", ORR_COMPUTED);
    orr_compare_text(e, "path type between GPUs, first tried and used",
                     orr_tell(e, "%s, %s", orr_path_type_name((enum orr_path_type)story->first_intra),
                              orr_path_type_name(graph->type_intra)),
                     ORR_COMPUTED);
    if (leaves_host(graph))
        orr_compare_text(e, "path type to NICs, first tried and used",
                         orr_tell(e, "%s, %s", orr_path_type_name((enum orr_path_type)story->first_inter),
                                  orr_path_type_name(graph->type_inter)),
                         ORR_COMPUTED);
    orr_compare_text(e, "relaxed", relaxations_text(e, story->relaxed), ORR_COMPUTED);
    orr_compare_number(e, "attempts", story->attempts, NULL, ORR_COMPUTED);
    orr_compare_number(e, "steps taken", (double)graph->steps, NULL, ORR_COMPUTED);
    orr_compare_number(e, "steps allowed in total", e->a->query.settings.release->steps_all, NULL, orr_from_release(e));
    orr_compared_internal(e, first);
}

enum orr_code orr_explain_graph(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_graph *graph = graph_of(e, e->why->graph);
    const struct orr_system *system = &e->part->system;
    const struct orr_release *release = system->release;
    (void)err;
    out->question = orr_tell(e, "Why does the %s graph have %s?", orr_graph_name(release, graph->kind), out->verdict);
    set_graph_rule(out, graph);
    float rate = leaves_host(graph) ? graph->bw_inter : graph->bw_intra, total = rate * (float)graph->channels;
    struct orr_from hardware = orr_from_hardware(e);
    orr_limit_graph(e, graph);
    out->answer = orr_tell(e, "The %s graph has %s, %.6g GB/s in total. %s%s", orr_graph_name(release, graph->kind),
                           out->verdict, (double)total, out->rule, limit_words(e));
    orr_compare_number(e, "total bandwidth of the channels", (double)total, "GB/s", ORR_COMPUTED);
    orr_compare_number(e, "link bandwidth of the best-connected GPU", (double)system->total_bw, "GB/s", hardware);
    orr_compare_number(e, "bandwidth of the fastest path", (double)system->max_bw, "GB/s", hardware);
    orr_compare_number(e, "bandwidth of a channel inside the host", (double)graph->bw_intra, "GB/s", ORR_COMPUTED);
    if (leaves_host(graph)) {
        orr_compare_number(e, "bandwidth of a channel to NICs", (double)graph->bw_inter, "GB/s", ORR_COMPUTED);
        orr_compare_text(e, "channels leave by another NIC than they enter", crossing_words(graph->cross_nic),
                         ORR_COMPUTED);
        orr_compare_text(e, "NCCL_CROSS_NIC", orr_setting_now(e, ORR_SET_CROSS_NIC),
                         orr_from_setting(e, ORR_SET_CROSS_NIC));
    }
    compare_search(e, graph);
    return ORR_OK;
}

const char *orr_verdict_tree(struct orr_explainer *e)
{
    return orr_pattern_name(graph_of(e, ORR_GRAPH_TREE)->pattern);
}

/* How the GPUs of a channel share its traffic to other hosts, as the end of a sentence. */
static const char *pattern_words(enum orr_pattern pattern)
{
    switch (pattern) {
    case ORR_PATTERN_BALANCED_TREE:
        return "two GPUs of each channel share its network traffic, and each has one child";
    case ORR_PATTERN_SPLIT_TREE:
        return "in each channel one GPU exchanges data with the parent and another with the children";
    default:
        return "one GPU of each channel carries all of its network traffic";
    }
}

enum orr_code orr_explain_tree(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_graph *graph = graph_of(e, ORR_GRAPH_TREE);
    const struct orr_graph_story *story = &graph->story;
    enum orr_pattern asked = (enum orr_pattern)story->asked_pattern;
    (void)err;
    out->question = "Why did NCCL choose this tree pattern?";
    bool alone = orr_system_count(&e->part->system, ORR_GPU) == 1;
    if (alone) {
        out->rule_id = "TREE_ONE_GPU";
        out->rule = "With one GPU there is nothing to share.";
    } else if (graph->pattern == asked) {
        out->rule_id = "TREE_AS_ASKED";
        out->rule = "The release tries this pattern first, and no other gave more bandwidth.";
    } else {
        out->rule_id = "TREE_RELAXED";
        out->rule = "The release tries another pattern first, but it gave no more bandwidth than this one.";
    }
    float rate = leaves_host(graph) ? graph->bw_inter : graph->bw_intra;
    out->answer = orr_tell(e, "The trees have the pattern \"%s\": %s. %s They have %s of %.6g GB/s.", out->verdict,
                           pattern_words(graph->pattern), out->rule, orr_count_words(e, graph->channels, "channel"),
                           (double)rate);
    orr_compare_text(e, "pattern that the release tries first", orr_pattern_name(asked), orr_from_release(e));
    orr_compare_text(e, "pattern used", orr_pattern_name(graph->pattern), ORR_COMPUTED);
    orr_compare_text(e, "lowest compute capability", orr_capability_words(e, e->part->contribution.sm_min),
                     orr_from_attr(e, ORR_ELEMENT_GPU, ORR_ATTR_SM));
    uint32_t first = out->compared_count;
    orr_compare_text(e, "relaxed", relaxations_text(e, story->relaxed), ORR_COMPUTED);
    orr_compared_internal(e, first);
    orr_limit_graph(e, graph);
    return ORR_OK;
}
