/* SPDX-License-Identifier: Apache-2.0 */
/* How many channels there are: base channels twice (one for each tree), then copies up to what users or hardware ask
 * for, within limits. A copy is only a number in `source`: rings and trees are built once for each distinct channel.
 * docs/nccl/connect.md, "Number of channels". */
#include "engine/connect/connecting.h"

void orr_cta_limits(struct orr_connecting *c)
{
    int32_t value;
    c->min_ctas = 1;
    c->max_ctas = c->max_channels;
    if (orr_setting_as_int(c->settings, ORR_SET_MIN_CTAS, &value) && value > 0)
        c->min_ctas = orr_clamp(value, 1, c->max_channels);
    if (orr_setting_as_int(c->settings, ORR_SET_MAX_CTAS, &value) && value > 0)
        c->max_ctas = orr_clamp(value, 1, c->max_channels);
    if (c->min_ctas > c->max_ctas)
        c->min_ctas = c->max_ctas;
    c->out->min_ctas = c->min_ctas;
    c->out->max_ctas = c->max_ctas;
}

int32_t orr_args_limit(const struct orr_connecting *c)
{
    enum { HEADER_BYTES = 32, CHANNEL_BYTES = 16 };
    int64_t bytes;
    if (!orr_setting_given(c->settings, ORR_SET_WORK_ARGS_BYTES, &bytes) || bytes < HEADER_BYTES)
        return c->max_channels;
    return orr_clamp((bytes - HEADER_BYTES) / CHANNEL_BYTES, 1, c->max_channels);
}

/* The value of a limit, by its new name or its old one. */
static int32_t channel_limit(const struct orr_connecting *c, enum orr_setting setting, enum orr_setting old_setting,
                             int32_t low, int32_t otherwise)
{
    int32_t value;
    if (!orr_setting_as_int(c->settings, setting, &value) && !orr_setting_as_int(c->settings, old_setting, &value))
        return otherwise;
    return orr_clamp(value, low, c->max_channels);
}

static int32_t copy_to(int32_t *source, int32_t count, int32_t wanted)
{
    for (int32_t c = count; c < wanted; c++)
        source[c] = source[c - count];
    return wanted > count ? wanted : count;
}

enum orr_code orr_count_channels(struct orr_connecting *c, struct orr_error *err)
{
    struct orr_communicator *out = c->out;
    const struct orr_graph *chain = &out->aligned[ORR_GRAPH_COLLNET_CHAIN];
    int32_t *source = ORR_NEW(c->arena, int32_t, (size_t)c->max_channels);
    ORR_NEED(source, err);
    int32_t count = orr_clamp(2 * (int64_t)c->out->base_channels, 1, c->max_channels);
    for (int32_t i = 0; i < count; i++)
        source[i] = i;

    if (out->collnet && c->rules->collnet_copies_channels && chain->bw_intra > chain->bw_inter &&
        out->rank_count > out->node_count)
        count = copy_to(source, count, orr_clamp(count + count / 2, 1, c->max_channels));
    if (out->sm_min >= c->rules->double_sm_min && out->sm_min <= c->rules->double_sm_max && out->node_count > 1 &&
        out->aligned[ORR_GRAPH_RING].bw_intra > 45 && count <= c->rules->double_most)
        count = copy_to(source, count, orr_clamp(2 * (int64_t)count, 1, c->max_channels));

    int32_t args = orr_args_limit(c);
    int32_t most = channel_limit(c, ORR_SET_MAX_NCHANNELS, ORR_SET_MAX_NRINGS, 1, c->max_channels);
    int32_t least = channel_limit(c, ORR_SET_MIN_NCHANNELS, ORR_SET_MIN_NRINGS, 0, 0);
    most = most < args ? most : args;
    most = most < c->max_ctas ? most : c->max_ctas;
    count = count < most ? count : most;
    count = copy_to(source, count, least > c->min_ctas ? least : c->min_ctas);
    out->coll_channels = count;
    bool alone = c->rules->nvls_channels_stay && c->members[0].contribution->nvls_on &&
                 c->members[0].contribution->graphs[ORR_GRAPH_NVLS].channels > 0;
    if (c->rules->nvls_copies_channels && (out->nvls || alone))
        count = copy_to(source, count, c->nvls_channels);

    out->channel_count = count;
    out->uneven_from = out->nvls ? count : out->coll_channels;
    out->source = source;
    for (int32_t i = 0; i < count; i++)
        if (source[i] >= out->distinct_count)
            out->distinct_count = source[i] + 1;
    return ORR_OK;
}
