/* Reserving bandwidth hop by hop, with NCCL's rounding. */
#include <math.h>
#include <stdlib.h>

#include "engine/release/release.h"
#include "engine/search/search_state.h"

/* Rounds to thousandths, halves away from zero, in binary32: roundf(x * 1000) / 1000 without the call. */
static inline float round_thousandth(float x)
{
    float scaled = x * 1000.0f;
    if (fabsf(scaled) >= 4194304.0f)
        return roundf(scaled) / 1000.0f;
    float whole = (float)(int32_t)scaled;
    float rest = scaled - whole;
    if (rest >= 0.5f)
        whole += 1.0f;
    else if (rest <= -0.5f)
        whole -= 1.0f;
    return whole / 1000.0f;
}

struct charge {
    float plain, pci; /* taken from a link, from a PCI link */
    bool from_gpu;
};

/* What a hop takes from the reverse link. */
static inline float reverse_charge(uint8_t flags, float taken, bool from_gpu)
{
    if (flags & ORR_HOP_TO_POWER_CPU)
        return taken;
    return (flags & ORR_HOP_TO_OLD_GPU) && !from_gpu ? taken / 8 : 0;
}

/* Walks up to `count` links; returns how many were taken. */
static uint32_t walk(struct orr_search_state *s, const uint32_t *links, uint32_t count, struct charge charge)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = links[i];
        uint8_t flags = s->hop_flags[link];
        float taken = flags & ORR_HOP_PCI ? charge.pci : charge.plain;
        float back = reverse_charge(flags, taken, charge.from_gpu);
        uint32_t reverse = back != 0 ? s->system->links[link].reverse : ORR_NO_LINK;
        if (s->capacity[link] < taken || (reverse != ORR_NO_LINK && s->capacity[reverse] < back))
            return i;
        s->capacity[link] = round_thousandth(s->capacity[link] - taken);
        if (reverse != ORR_NO_LINK)
            s->capacity[reverse] = round_thousandth(s->capacity[reverse] - back);
    }
    return count;
}

static bool is_tree(enum orr_pattern pattern)
{
    return pattern == ORR_PATTERN_BALANCED_TREE || pattern == ORR_PATTERN_TREE || pattern == ORR_PATTERN_SPLIT_TREE;
}

static struct charge charge_of(const struct orr_search_state *s, uint32_t from, uint32_t to,
                               const struct orr_path *path, float rate)
{
    const struct orr_paths *paths = s->paths;
    struct charge charge = {.plain = rate, .pci = rate, .from_gpu = s->system->nodes[from].type == ORR_GPU};
    if (path->type == ORR_PATH_PHB && charge.from_gpu &&
        s->crosses_intel[(size_t)paths->base_of[from] * paths->base_count + paths->base_of[to]])
        charge.pci = rate * s->intel_up / s->intel_down;
    return charge;
}

bool orr_search_move(struct orr_search_state *s, uint32_t from, uint32_t to, float factor, bool half)
{
    struct orr_trial *t = &s->t;
    const struct orr_path *path = orr_path(s->paths, from, to);
    enum orr_node_type a = s->system->nodes[from].type, b = s->system->nodes[to].type;
    bool intra = (a == ORR_GPU || a == ORR_NVS) && (b == ORR_GPU || b == ORR_NVS);
    int32_t limit = intra ? t->type_intra : t->type_inter;
    float rate = intra ? t->bw_intra : half ? t->bw_inter / 2 : t->bw_inter;
    const struct orr_release *release = s->system->release;
    if (release->empty_paths_are_free && !path->hops)
        return true;
    if (release->checks_unreachable && path->type >= ORR_PATH_DIS)
        return false;
    if (factor == 1) {
        if (s->number_of[path->type] > limit)
            return false;
        if (release->checks_way_back && is_tree(t->pattern) && s->number_of[orr_path(s->paths, to, from)->type] > limit)
            return false;
    }
    const uint32_t *links = s->paths->links + path->first;
    uint32_t taken = walk(s, links, path->hops, charge_of(s, from, to, path, rate * factor));
    if (taken < path->hops) {
        walk(s, links, taken, charge_of(s, from, to, path, rate * -factor));
        return false;
    }
    t->hops = (int32_t)((float)t->hops + factor * (float)path->hops);
    return true;
}
