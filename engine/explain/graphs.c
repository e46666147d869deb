/* What the search made of the system: channels and bandwidth of a graph, the pattern of trees. */
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
    orr_fail(err, ORR_NOT_FOUND, "NCCL %s asks for no %s graph here", e->a->query.settings.release->name,
             orr_graph_name(e->a->query.settings.release, e->why->graph));
    orr_error_advice(err, e->why->graph == ORR_GRAPH_NVLS ? "ask for nvls: it says why it is off"
                                                          : "CollNet is asked for with NCCL_COLLNET_ENABLE=1");
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
    return leaves_host(graph) ? orr_tell(e, "%d channels of %.6g GB/s inside, %.6g GB/s to NICs; %s inside, %s to NICs",
                                         graph->channels, (double)graph->bw_intra, (double)graph->bw_inter,
                                         orr_path_type_name(graph->type_intra), orr_path_type_name(graph->type_inter))
                              : orr_tell(e, "%d channels of %.6g GB/s; %s", graph->channels, (double)graph->bw_intra,
                                         orr_path_type_name(graph->type_intra));
}

/* The steps of relaxation, in the order in which the search takes them. */
static const struct {
    unsigned bit;
    const char *text;
} relaxations[] = {
    {ORR_RELAXED_SAME, "channels may differ from one another"},
    {ORR_RELAXED_PATTERN, "another pattern"},
    {ORR_RELAXED_INTRA, "farther paths between GPUs"},
    {ORR_RELAXED_INTER, "farther paths to NICs"},
    {ORR_RELAXED_CROSS_NIC, "crossing from one NIC to another"},
    {ORR_RELAXED_RATE, "a lower rate"},
    {ORR_RELAXED_RAISED, "then a higher rate for the same channels"},
    {ORR_RELAXED_DOUBLED, "then two channels of a half for each"},
    {ORR_RELAXED_ORDER, "no way was left: all GPUs in order"},
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
        [ORR_END_ALL_CHANNELS] = {"GRAPH_ALL_CHANNELS",
                                  "The search ends once it has as many channels as it may have at this rate."},
        [ORR_END_ALL_RATE] = {"GRAPH_ALL_RATE", "The search ends once its channels carry together what the best joined "
                                                "GPU has in links."},
        [ORR_END_STEPS] = {"GRAPH_STEPS", "The budget of steps ran out: the best that was found until then is taken."},
        [ORR_END_NOTHING_LEFT] = {"GRAPH_BEST", "Nothing was left to relax, and no attempt found more total rate: the "
                                                "links do not carry another channel."},
        [ORR_END_FILE] = {"GRAPH_FILE", "NCCL_GRAPH_FILE gives this graph, so NCCL does not search for one."},
    };
    bool fallback = graph->story.relaxed & ORR_RELAXED_ORDER;
    out->rule_id = fallback ? "GRAPH_ORDER" : !graph->channels ? "GRAPH_NONE" : ends[graph->story.end].id;
    out->rule = fallback           ? "No channel was found under any limit: all GPUs stand in order, at a rate that no "
                                     "plan would choose."
                : !graph->channels ? "No channel was found under any limit."
                                   : ends[graph->story.end].text;
}

enum orr_code orr_explain_graph(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_graph *graph = graph_of(e, e->why->graph);
    const struct orr_system *system = &e->part->system;
    const struct orr_release *release = system->release;
    const struct orr_graph_story *story = &graph->story;
    (void)err;
    out->question = orr_tell(e, "Why has the %s graph %s?", orr_graph_name(release, graph->kind), out->verdict);
    set_graph_rule(out, graph);
    out->answer = orr_tell(e, "%d channels times %.6g GB/s make %.6g GB/s. %s", graph->channels,
                           (double)graph->bw_inter, (double)(graph->bw_inter * (float)graph->channels), out->rule);
    orr_compare_number(e, "total rate of the channels", (double)(graph->bw_inter * (float)graph->channels), "GB/s",
                       NULL);
    orr_compare_number(e, "what the best joined GPU has in links", (double)system->total_bw, "GB/s", "the dump");
    orr_compare_number(e, "fastest path", (double)system->max_bw, "GB/s", "the dump");
    orr_compare_number(e, "channels at most, before they are doubled", story->most_channels, NULL, NULL);
    orr_compare_number(e, "first rate tried", (double)story->first_rate, "GB/s", NULL);
    orr_compare_number(e, "rate inside", (double)graph->bw_intra, "GB/s", NULL);
    if (leaves_host(graph))
        orr_compare_number(e, "rate to NICs", (double)graph->bw_inter, "GB/s", NULL);
    orr_compare_text(e, "paths between GPUs, first tried and taken",
                     orr_tell(e, "%s, %s", orr_path_type_name((enum orr_path_type)story->first_intra),
                              orr_path_type_name(graph->type_intra)),
                     NULL);
    if (leaves_host(graph)) {
        orr_compare_text(e, "paths to NICs, first tried and taken",
                         orr_tell(e, "%s, %s", orr_path_type_name((enum orr_path_type)story->first_inter),
                                  orr_path_type_name(graph->type_inter)),
                         NULL);
        orr_compare_number(e, "crosses NICs", graph->cross_nic, NULL, orr_setting_source(e, ORR_SET_CROSS_NIC));
    }
    orr_compare_text(e, "relaxed on the way", relaxations_text(e, story->relaxed), NULL);
    orr_compare_number(e, "attempts", story->attempts, NULL, NULL);
    orr_compare_number(e, "steps taken", (double)graph->steps, NULL, NULL);
    orr_compare_number(e, "steps allowed in all", release->steps_all, NULL, orr_tell(e, "NCCL %s", release->name));
    orr_limit_graph(e, graph);
    return ORR_OK;
}

const char *orr_verdict_tree(struct orr_explainer *e)
{
    return orr_pattern_name(graph_of(e, ORR_GRAPH_TREE)->pattern);
}

enum orr_code orr_explain_tree(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_graph *graph = graph_of(e, ORR_GRAPH_TREE);
    const struct orr_graph_story *story = &graph->story;
    enum orr_pattern asked = (enum orr_pattern)story->asked_pattern;
    (void)err;
    out->question = "Why have trees that pattern?";
    bool alone = orr_system_count(&e->part->system, ORR_GPU) == 1;
    if (alone) {
        out->rule_id = "TREE_ONE_GPU";
        out->rule = "A system of one GPU has nothing to split or balance: its trees are plain.";
    } else if (graph->pattern == asked) {
        out->rule_id = "TREE_AS_ASKED";
        out->rule = "The release asks for this pattern first, and no other one found more.";
    } else {
        out->rule_id = "TREE_RELAXED";
        out->rule = "The release asks for another pattern first; a plain tree, which leaves by one GPU, was as good or "
                    "better.";
    }
    out->answer = orr_tell(e, "%s. %s", out->verdict, out->rule);
    orr_compare_text(e, "pattern that the release asks for", orr_pattern_name(asked),
                     orr_tell(e, "NCCL %s", e->a->query.settings.release->name));
    orr_compare_text(e, "pattern that the search began with", orr_pattern_name((enum orr_pattern)story->asked_pattern),
                     NULL);
    orr_compare_text(e, "pattern taken", orr_pattern_name(graph->pattern), NULL);
    orr_compare_number(e, "least compute capability", e->part->contribution.sm_min, NULL, "the dump");
    orr_compare_text(e, "relaxed on the way", relaxations_text(e, story->relaxed), NULL);
    orr_limit_graph(e, graph);
    return ORR_OK;
}
