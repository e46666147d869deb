/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: compares two sets of channels. */
#ifndef ORR_SEARCH_BETTER_H
#define ORR_SEARCH_BETTER_H

#include "engine/release/release.h"
#include "engine/search/search_state.h"

/* Is the trial, with this many channels and hops, better than the best? docs/nccl/search.md, "When a result is better".
 */
static inline bool orr_search_is_better(const struct orr_search_state *s, int32_t channels, int32_t hops)
{
    const struct orr_trial *t = &s->trial, *b = &s->best;
    if (channels < t->min_channels)
        return false;
    float k = (float)channels, best = (float)b->channels;
    const struct orr_release *release = s->input.system->release;
    enum orr_nvls_better nvls = release->nvls_better;
    if (nvls != ORR_NVLS_BETTER_AS_OTHERS && t->pattern == ORR_PATTERN_NVLS)
        return (channels > b->channels && channels <= (int32_t)s->input.n) ||
               (nvls == ORR_NVLS_BETTER_BY_RATE && k * t->bw_inter > best * b->bw_inter);
    if (release->weighs_crossing) {
        int32_t crossing = (int32_t)((uint32_t)b->cross_nic - (uint32_t)t->cross_nic); /* wraps around, like NCCL's */
        float needed = best * b->bw_intra * (float)(1 - .15 * crossing);
        if (k * t->bw_intra != needed)
            return k * t->bw_intra > needed;
        return t->pattern == b->pattern && t->cross_nic == b->cross_nic && hops < b->hops;
    }
    if (k * t->bw_intra != best * b->bw_intra)
        return k * t->bw_intra > best * b->bw_intra;
    bool comparable = t->pattern == b->pattern || !release->compares_patterns;
    return comparable && t->cross_nic == b->cross_nic && hops < b->hops;
}

#endif
