/* SPDX-License-Identifier: Apache-2.0 */
/* Places that an attempt has seen.
 *
 * Channels of different orders often load the same links, so an attempt returns again and again to the same place: the
 * same number of channels, the same capacities left, and the same NIC to start from. Then the steps of that place are
 * taken from the budget at once, and nothing is tried.
 *
 * Proof. The tries from a place, and the number of their steps, depend on the place alone: on the number of channels,
 * on the capacities left on links and NICs, on the NIC, and for odd channels on the entry NIC of the channel before.
 * (The first try repeats the channel before, whose order may differ; so a place begins after that try.) The sets of
 * channels found from there have the same bandwidth each time, and add the same number of hops. If there are at least
 * as many hops at the place as the first time, none of these sets is better than one that was already compared.
 *
 * An example: two GPUs and two NICs that both GPUs reach alike. Channel 0 enters by NIC 0 at GPU 0 and leaves at GPU 1,
 * or the other way round; if both load the same links, channel 1 finds the same capacities, and is tried once.
 *
 * Places are compared whole; the table has the most recent ones. Only long attempts use it, and with NICs only those of
 * early releases: in an attempt of 16384 steps it costs as much as it saves. */
#include "engine/search/seen.h"

#include <string.h>

#include "engine/base/budget.h"

enum {
    TABLE_BYTES = 512 * 1024,
    MOST_PLACES = 4096,
    FEWEST_PLACES = 64,
    SHORT_ATTEMPT = 1000,
    SHORT_WITH_NICS = 16384,
    FEWEST_STEPS = 8
};

#define ORR_SEEN_FACTOR 0x9E3779B97F4A7C15u /* multiplier of hashes */

struct place {
    uint64_t hash;
    uint32_t attempt; /* number of the attempt; 0 if the entry is free */
    int32_t channels, hops;
    int32_t steps; /* steps to try everything from here */
    float latency; /* of the last NIC tried */
    int16_t net, back;
    int32_t left[]; /* what links and NICs have left: state_words */
};

static struct place *entry_of(const struct orr_search_state *s, struct orr_place_in_attempt place)
{
    uint64_t mixed = place.hash + (uint64_t)(uint16_t)place.net * ORR_SEEN_FACTOR;
    mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u;
    size_t index = (size_t)(mixed >> 40) & (s->seen.places - 1);
    return (struct place *)(void *)(s->seen.table + index * s->seen.stride);
}

/* Writes the remaining capacities in the table's order: links that legs load, then NICs. */
static void copy_left(const struct orr_search_state *s, int32_t *words)
{
    for (uint32_t i = 0; i < s->seen.link_count; i++)
        words[i] = s->left.thousandths[s->seen.links[i]];
    memcpy(words + s->seen.link_count, s->left.net_bw, s->input.net_count * sizeof *s->left.net_bw);
    memcpy(words + s->seen.link_count + s->input.net_count, s->left.net_connections,
           s->input.net_count * sizeof *s->left.net_connections);
}

static bool is_left(const struct orr_search_state *s, const int32_t *words)
{
    for (uint32_t i = 0; i < s->seen.link_count; i++)
        if (words[i] != s->left.thousandths[s->seen.links[i]])
            return false;
    return memcmp(words + s->seen.link_count, s->left.net_bw, s->input.net_count * sizeof *s->left.net_bw) == 0 &&
           memcmp(words + s->seen.link_count + s->input.net_count, s->left.net_connections,
                  s->input.net_count * sizeof *s->left.net_connections) == 0;
}

/* Allocates the table; false if memory ran out, or places would be too large. */
static bool make_table(struct orr_search_state *s)
{
    const uint32_t links = s->input.system->link_count;
    s->seen.tried = true;
    uint32_t used = 0;
    for (uint32_t l = 0; l < links; l++)
        used += s->facts.shares_of[l] != 0;
    size_t words = used + 2 * (size_t)s->input.net_count;
    s->seen.stride = (sizeof(struct place) + words * sizeof(int32_t) + 7) / 8 * 8;
    for (s->seen.places = MOST_PLACES; s->seen.places * s->seen.stride > TABLE_BYTES;)
        s->seen.places /= 2;
    if (s->seen.places < FEWEST_PLACES)
        return false;
    s->seen.bytes = s->seen.places * s->seen.stride + used * sizeof *s->seen.links;
    s->seen.table = orr_budget_malloc(s->seen.bytes);
    if (!s->seen.table)
        return false;
    s->seen.links = (uint32_t *)(void *)(s->seen.table + s->seen.places * s->seen.stride);
    for (uint32_t l = 0; l < links; l++)
        if (s->facts.shares_of[l])
            s->seen.links[s->seen.link_count++] = l;
    for (size_t i = 0; i < s->seen.places; i++)
        ((struct place *)(void *)(s->seen.table + i * s->seen.stride))->attempt = 0;
    return true;
}

static bool may_remember(struct orr_search_state *s)
{
    return s->left.exact && s->facts.nets_come_back && !s->attempt.star &&
           s->budget.steps - s->attempt.first_step >= SHORT_ATTEMPT &&
           (!s->input.inter || s->attempt.steps > SHORT_WITH_NICS) &&
           (s->seen.table || (!s->seen.tried && make_table(s)));
}

uint64_t orr_seen_hash(struct orr_search_state *s)
{
    if (!s->trial.channels || !may_remember(s))
        return 0;
    uint64_t hash = (uint64_t)s->trial.channels;
    const int32_t *left = s->left.thousandths;
    for (const uint32_t *link = s->seen.links, *end = link + s->seen.link_count; link < end; link++)
        hash = (hash ^ (uint32_t)left[*link]) * ORR_SEEN_FACTOR;
    return (hash ^ hash >> 32) | 1;
}

bool orr_seen_before(struct orr_search_state *s, struct orr_place_in_attempt place, int32_t *budget)
{
    if (!place.hash || *budget < 0)
        return false;
    const struct place *past = entry_of(s, place);
    if (past->attempt != s->attempt.number || past->hash != place.hash || past->channels != s->trial.channels ||
        past->net != place.net || past->back != place.back || (past->hops > s->trial.hops && !s->attempt.counting) ||
        !is_left(s, past->left))
        return false;
    s->trial.latency_inter = past->latency;
    int32_t beyond = past->steps - *budget;
    *budget = beyond > 0 ? 0 : -beyond;
    if (beyond > 0 && budget == s->budget.sliced)
        s->budget.later = beyond < s->budget.later ? s->budget.later - beyond : 0;
    return true;
}

void orr_seen_note(struct orr_search_state *s, struct orr_place_in_attempt place, int64_t before, const int32_t *budget)
{
    int64_t left = orr_seen_steps(s, budget);
    if (!place.hash || left <= 0 || s->attempt.ended || before - left < FEWEST_STEPS)
        return;
    struct place *entry = entry_of(s, place);
    *entry = (struct place){.hash = place.hash,
                            .attempt = s->attempt.number,
                            .channels = s->trial.channels,
                            .hops = s->trial.hops,
                            .steps = (int32_t)(before - left),
                            .latency = s->trial.latency_inter,
                            .net = place.net,
                            .back = place.back};
    copy_left(s, entry->left);
}

void orr_seen_free(struct orr_search_state *s)
{
    if (s->seen.table)
        orr_budget_free(s->seen.table, s->seen.bytes);
}
