/* In which order the next GPU of a channel is tried. */
#include "engine/release/release.h"
#include "engine/search/search_state.h"

/* Is a better than b? */
static bool is_better(const struct orr_score *a, const struct orr_score *b)
{
    if (a->net_bw != b->net_bw)
        return a->net_bw > b->net_bw;
    if (a->net_pci_bw != b->net_pci_bw)
        return a->net_pci_bw > b->net_pci_bw;
    if (a->net_hops != b->net_hops)
        return a->net_hops < b->net_hops;
    if (a->intra_bw != b->intra_bw)
        return a->intra_bw > b->intra_bw;
    if (a->intra_hops != b->intra_hops)
        return a->intra_hops < b->intra_hops;
    return a->distance < b->distance;
}

int32_t orr_search_pci_bw_left(const struct orr_search_state *s, uint32_t gpu)
{
    if (s->pci_link[gpu] < 0)
        return -1;
    float out = s->capacity[s->pci_link[gpu]];
    float in = s->pci_back[gpu] < 0 ? out : s->capacity[s->pci_back[gpu]];
    return (int32_t)(in < out ? in : out);
}

static struct orr_score score_of(const struct orr_search_state *s, uint32_t x, uint32_t y, bool with_net)
{
    const struct orr_path *path = orr_path(s->paths, orr_gpu_node(s, x), orr_gpu_node(s, y));
    struct orr_score score = {
        .intra_bw = (int32_t)path->bw,
        .intra_hops = path->hops,
        .distance = (int32_t)((y + s->n - x) % s->n),
    };
    if (with_net) {
        const struct orr_path *net =
            orr_path(s->paths, orr_net_node(s, (uint32_t)s->t.nets[s->t.channels][0]), orr_gpu_node(s, y));
        score.net_bw = (int32_t)net->bw;
        score.net_hops = net->hops;
        score.net_pci_bw = orr_search_pci_bw_left(s, y);
    }
    return score;
}

/* With NVSwitches only neighbours by index are tried. */
static uint32_t switch_neighbours(struct orr_search_state *s, uint32_t x, uint16_t *list)
{
    uint32_t next = (x + 1) % s->n, previous = (x + s->n - 1) % s->n;
    uint32_t order[2] = {next, previous}, tries = 1, count = 0;
    switch (s->t.pattern) {
    case ORR_PATTERN_RING:
        order[0] = previous;
        order[1] = next;
        tries = 2;
        break;
    case ORR_PATTERN_BALANCED_TREE:
    case ORR_PATTERN_SPLIT_TREE:
        tries = 2;
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < tries; i++) {
        if (i == 1 && order[1] == order[0])
            break;
        if (!orr_used(s)[order[i]] && orr_path(s->paths, orr_gpu_node(s, x), orr_gpu_node(s, order[i]))->hops)
            list[count++] = (uint16_t)order[i];
    }
    return count;
}

static uint32_t scored(struct orr_search_state *s, uint32_t x, int z, uint16_t *list)
{
    const uint16_t *others = &s->by_distance[(size_t)x * s->n];
    uint32_t count = 0;
    if (z == 0) { /* no NIC counts: the fixed order holds */
        for (uint32_t i = 0; i < s->by_distance_count[x]; i++)
            if (!orr_used(s)[others[i]])
                list[count++] = others[i];
        return count;
    }
    bool alike = true; /* in what does not concern the NIC */
    struct orr_score *scores = s->scores;
    for (uint32_t i = 0; i < s->by_distance_count[x]; i++) {
        if (orr_used(s)[others[i]])
            continue;
        struct orr_score score = score_of(s, x, others[i], true);
        if (count && (score.intra_bw != scores[0].intra_bw || score.intra_hops != scores[0].intra_hops))
            alike = false;
        uint32_t at = count++;
        for (; at > 0 && is_better(&score, &scores[at - 1]); at--) {
            scores[at] = scores[at - 1];
            list[at] = list[at - 1];
        }
        scores[at] = score;
        list[at] = others[i];
    }
    if (z < 0 && alike)
        for (uint32_t i = 0; i < count / 2; i++) {
            uint16_t other = list[i];
            list[i] = list[count - 1 - i];
            list[count - 1 - i] = other;
        }
    return count;
}

uint32_t orr_search_candidates(struct orr_search_state *s, uint32_t x, int z, const uint16_t **ret_list)
{
    uint16_t *list = &s->candidates[s->candidate_top];
    bool neighbours = s->has_nvs && s->system->release->switch_neighbours;
    uint32_t count = neighbours ? switch_neighbours(s, x, list) : scored(s, x, z, list);
    s->candidate_top += count;
    *ret_list = list;
    return count;
}
