/* What the communicator makes of the graphs: how many channels, and whether NVLink SHARP is on. */
#include "engine/explain/explainer.h"
#include "engine/release/connect_rules.h"

const char *orr_verdict_channels(struct orr_explainer *e)
{
    return orr_tell(e, "%d channels", e->a->communicator.channel_count);
}

/* Which step of counting had the last word. */
static void set_channel_rule(struct orr_explanation *out, const struct orr_communicator *c, int32_t doubled)
{
    if (c->channel_count > c->coll_channels) {
        out->rule_id = "CHANNELS_OF_NVLS";
        out->rule = "NCCL copies channels until there are as many as NVLink SHARP needs.";
    } else if (c->coll_channels < doubled) {
        out->rule_id = "CHANNELS_LIMITED";
        out->rule = "A setting limits the number of channels.";
    } else if (c->coll_channels > doubled) {
        out->rule_id = "CHANNELS_COPIED";
        out->rule = "NCCL copies channels, because a setting asks for more or because the ring is fast and leaves the "
                    "host.";
    } else {
        out->rule_id = "CHANNELS_TWICE";
        out->rule =
            "NCCL sets up each channel that both the ring and the tree graph have twice, once for each of the two "
            "trees.";
    }
}

enum orr_code orr_explain_channels(struct orr_explainer *e, struct orr_error *err)
{
    static const enum orr_setting limits[] = {ORR_SET_MIN_NCHANNELS, ORR_SET_MAX_NCHANNELS, ORR_SET_MIN_CTAS,
                                              ORR_SET_MAX_CTAS};
    struct orr_explanation *out = e->out;
    const struct orr_communicator *c = &e->a->communicator;
    const struct orr_contribution *own = &e->part->contribution;
    const struct orr_release *release = e->a->query.settings.release;
    int32_t base = c->aligned[ORR_GRAPH_RING].channels, doubled = 2 * base;
    (void)err;
    if (doubled > release->max_channels)
        doubled = release->max_channels;
    out->question = orr_tell(e, "Why does the communicator have %d channels?", c->channel_count);
    set_channel_rule(out, c, doubled);
    out->answer = orr_tell(e, "%s. %s", out->verdict, out->rule);
    orr_compare_number(e, "channels of the ring graph here", own->graphs[ORR_GRAPH_RING].channels, NULL, NULL);
    orr_compare_number(e, "channels of the tree graph here", own->graphs[ORR_GRAPH_TREE].channels, NULL, NULL);
    orr_compare_number(e, "channels that every system has for both", base, NULL, NULL);
    orr_compare_number(e, "set up twice", doubled, NULL, NULL);
    orr_compare_number(e, "for collectives, after copies and limits", c->coll_channels, NULL, NULL);
    orr_compare_number(e, "for NVLink SHARP", c->nvls ? c->nvls_channels : 0, NULL, NULL);
    orr_compare_number(e, "maximum of the release", release->max_channels, NULL, orr_tell(e, "NCCL %s", release->name));
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct orr_setting_info info;
        orr_setting_info(limits[i], &info);
        if (orr_setting_in(limits[i], release))
            orr_compare_text(e, info.name, orr_setting_now(e, limits[i]), orr_setting_source(e, limits[i]));
    }
    orr_limit_graph(e, &own->graphs[ORR_GRAPH_RING]);
    return ORR_OK;
}

/* The first reason in the order in which NCCL looks. */
static enum orr_rule nvls_rule(const struct orr_explainer *e)
{
    const struct orr_contribution *own = &e->part->contribution;
    const struct orr_release *release = e->a->query.settings.release;
    if (own->nvls_rule != ORR_RULE_NVLS_ON)
        return (enum orr_rule)own->nvls_rule;
    if (!release->connect->nvls_channels)
        return ORR_RULE_NVLS_UNKNOWN;
    if (!own->has_nvswitch)
        return ORR_RULE_NVLS_NO_SWITCH;
    if (own->sm_min < 90)
        return ORR_RULE_NVLS_OLD_GPUS;
    if (own->graphs[ORR_GRAPH_NVLS].channels <= 0)
        return ORR_RULE_NVLS_NO_CHANNEL;
    return e->a->communicator.nvls ? ORR_RULE_NVLS_ON : ORR_RULE_NVLS_NOT_EVERYWHERE;
}

const char *orr_verdict_nvls(struct orr_explainer *e)
{
    const struct orr_communicator *c = &e->a->communicator;
    return c->nvls ? orr_tell(e, "on, %d channels, %d heads", c->nvls_channels, c->nvls_head_count) : "off";
}

enum orr_code orr_explain_nvls(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_release *release = e->a->query.settings.release;
    const struct orr_contribution *own = &e->part->contribution;
    const struct orr_graph *graph = &own->graphs[ORR_GRAPH_NVLS];
    (void)err;
    out->question = "Is NVLink SHARP (NVLS) on?";
    orr_rule_of(e, nvls_rule(e));
    out->answer =
        orr_tell(e, "%s. %s", e->a->communicator.nvls ? orr_tell(e, "O%s", out->verdict + 1) : "Off", out->rule);
    orr_compare_text(e, "NCCL_NVLS_ENABLE", orr_setting_now(e, ORR_SET_NVLS_ENABLE),
                     orr_setting_source(e, ORR_SET_NVLS_ENABLE));
    orr_compare_number(e, "GPUs of the system", own->rank_count, NULL, "the dump");
    orr_compare_number(e, "GPUs needed", release->nvls_least_gpus, NULL, orr_tell(e, "NCCL %s", release->name));
    orr_compare_number(e, "lowest compute capability", own->sm_min, NULL, "the dump");
    orr_compare_number(e, "needed", 90, NULL, NULL);
    orr_compare_number(e, "NVSwitches found", own->has_nvswitch, NULL, "the dump");
    orr_compare_number(e, "channels that the search found", graph->channels, NULL, NULL);
    if (graph->pattern != ORR_PATTERN_NONE)
        orr_limit_graph(e, graph);
    return ORR_OK;
}
