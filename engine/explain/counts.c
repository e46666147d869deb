/* SPDX-License-Identifier: Apache-2.0 */
/* Explains what the communicator decides from the graphs: the number of channels, and whether NVLink SHARP is on. */
#include "engine/device/device.h"
#include "engine/explain/explainer.h"

const char *orr_verdict_channels(struct orr_explainer *e)
{
    return orr_count_words(e, e->a->communicator.channel_count, "channel");
}

static const enum orr_setting limits[] = {ORR_SET_MIN_NCHANNELS, ORR_SET_MAX_NCHANNELS, ORR_SET_MIN_CTAS,
                                          ORR_SET_MAX_CTAS,      ORR_SET_MIN_NRINGS,    ORR_SET_MAX_NRINGS};
enum { LIMIT_COUNT = sizeof limits / sizeof limits[0] };

/* The given settings that limit the number of channels from above or below, "NCCL_MAX_NCHANNELS=2"; "" if there are
 * none. */
static const char *bounds_given(struct orr_explainer *e, bool above)
{
    const char *names = "";
    for (int i = above; i < LIMIT_COUNT; i += 2)
        if (e->a->query.settings.values[limits[i]].given)
            names = orr_tell(e, "%s%s%s", names, *names ? " and " : "", orr_setting_source(e, limits[i]));
    return names;
}

/* The step of counting that determined the final number. */
static void set_channel_rule(struct orr_explainer *e, int32_t doubled)
{
    struct orr_explanation *out = e->out;
    const struct orr_communicator *c = &e->a->communicator;
    const char *above = bounds_given(e, true), *below = bounds_given(e, false);
    if (c->channel_count > c->coll_channels) {
        out->rule_id = "CHANNELS_OF_NVLS";
        out->rule = "NCCL then copies channels until there are as many as NVLink SHARP needs.";
    } else if (c->coll_channels < doubled) {
        out->rule_id = "CHANNELS_LIMITED";
        out->rule = orr_tell(e, "NCCL then limits their number (%s).",
                             *above ? above : orr_setting_source(e, ORR_SET_WORK_ARGS_BYTES));
    } else if (c->coll_channels > doubled) {
        out->rule_id = "CHANNELS_COPIED";
        out->rule = orr_tell(e, "NCCL then copies channels (%s).",
                             *below       ? below
                             : c->collnet ? "for CollNet, or for several hosts with a fast ring"
                                          : "for several hosts with a fast ring");
    } else {
        out->rule_id = "CHANNELS_TWICE";
        out->rule = "NCCL sets up each of them twice, once for each of the two trees.";
    }
}

enum orr_code orr_explain_channels(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_communicator *c = &e->a->communicator;
    const struct orr_contribution *own = &e->part->contribution;
    const struct orr_release *release = e->a->query.settings.release;
    int32_t base = c->aligned[ORR_GRAPH_RING].channels, doubled = 2 * base;
    (void)err;
    if (doubled > release->max_channels)
        doubled = release->max_channels;
    out->question = orr_tell(e, "Why does the communicator have %s?", out->verdict);
    set_channel_rule(e, doubled);
    bool plain = c->channel_count == doubled;
    const char *most = doubled < 2 * base ? orr_tell(e, ", and %d are the most of the release", doubled) : "";
    out->answer =
        orr_tell(e, "The communicator has %s. The ring and the tree graph both have %s%s%s. %s", out->verdict,
                 orr_count_words(e, base, "channel"), plain ? "" : ", which NCCL sets up twice", most, out->rule);
    orr_compare_number(e, "channels of the ring graph here", own->graphs[ORR_GRAPH_RING].channels, NULL, ORR_COMPUTED);
    orr_compare_number(e, "channels of the tree graph here", own->graphs[ORR_GRAPH_TREE].channels, NULL, ORR_COMPUTED);
    orr_compare_number(e, "channels that every system has for both", base, NULL, ORR_COMPUTED);
    orr_compare_number(e, "channels after setting each up twice", doubled, NULL, ORR_COMPUTED);
    orr_compare_number(e, "channels for collectives, after copies and limits", c->coll_channels, NULL, ORR_COMPUTED);
    orr_compare_number(e, "channels for NVLink SHARP", c->nvls ? c->nvls_channels : 0, NULL, ORR_COMPUTED);
    orr_compare_number(e, "channel limit of the release", release->max_channels, NULL, orr_from_release(e));
    for (int i = 0; i < LIMIT_COUNT; i++) {
        bool old_name = limits[i] == ORR_SET_MIN_NRINGS || limits[i] == ORR_SET_MAX_NRINGS;
        if (orr_setting_in(limits[i], release) && (!old_name || e->a->query.settings.values[limits[i]].given))
            orr_compare_text(e, orr_setting_name(limits[i]), orr_setting_now(e, limits[i]),
                             orr_from_setting(e, limits[i]));
    }
    orr_limit_graph(e, &own->graphs[ORR_GRAPH_RING]);
    return ORR_OK;
}

const char *orr_verdict_nvls(struct orr_explainer *e)
{
    const struct orr_communicator *c = &e->a->communicator;
    return c->nvls ? orr_tell(e, "on, %s, %s", orr_count_words(e, c->nvls_channels, "channel"),
                              orr_count_words(e, c->nvls_head_count, "head"))
                   : "off";
}

enum orr_code orr_explain_nvls(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_release *release = e->a->query.settings.release;
    const struct orr_contribution *own = &e->part->contribution;
    const struct orr_graph *graph = &own->graphs[ORR_GRAPH_NVLS];
    (void)err;
    out->question = "Is NVLink SHARP (NVLS) on?";
    orr_rule_of(e, orr_device_nvls_rule(e->a));
    const char *machine = orr_tell(
        e, "The system has %s, %s and a lowest compute capability of %s.", orr_count_words(e, own->rank_count, "GPU"),
        own->has_nvswitch ? "NVSwitches" : "no NVSwitch", orr_capability_words(e, own->sm_min));
    const struct orr_communicator *c = &e->a->communicator;
    out->answer =
        c->nvls
            ? orr_tell(e, "NVLink SHARP (NVLS) is on, with %s and %s; its graph has %.6g GB/s a channel. %s %s",
                       orr_count_words(e, c->nvls_channels, "channel"), orr_count_words(e, c->nvls_head_count, "head"),
                       (double)graph->bw_intra, out->rule, machine)
            : orr_tell(e, "NVLink SHARP (NVLS) is off, so collectives use rings and trees. %s %s", out->rule, machine);
    orr_compare_text(e, "NCCL_NVLS_ENABLE", orr_setting_now(e, ORR_SET_NVLS_ENABLE),
                     orr_from_setting(e, ORR_SET_NVLS_ENABLE));
    orr_compare_number(e, "GPUs of the system", own->rank_count, NULL, orr_from_attr(e, ORR_ELEMENT_GPU, ORR_ATTR_DEV));
    orr_compare_number(e, "GPUs needed", release->nvls_least_gpus, NULL, orr_from_release(e));
    orr_compare_text(e, "lowest compute capability", orr_capability_words(e, own->sm_min),
                     orr_from_attr(e, ORR_ELEMENT_GPU, ORR_ATTR_SM));
    orr_compare_text(e, "compute capability needed", "9.0", orr_from_release(e));
    orr_compare_text(e, "NVSwitches found", own->has_nvswitch ? "yes" : "no", orr_from_nvlinks(e));
    orr_compare_number(e, "channels that the search found", graph->channels, NULL, ORR_COMPUTED);
    if (graph->pattern != ORR_PATTERN_NONE)
        orr_limit_graph(e, graph);
    return ORR_OK;
}
