/* SPDX-License-Identifier: Apache-2.0 */
/* What an attempt has seen.
 *
 * Channels of different orders often load the same links, so an attempt comes again and again to the same place: as
 * many channels, the same capacities left, and the same NIC to start from. What follows is the same each time, in the
 * same number of steps; and with no fewer hops before it, nothing of it is better than it was. So the steps are taken
 * at once.
 *
 * Within a channel, orders of the same GPUs often load the same links too, and where the last GPU cannot leave by a
 * NIC, each of them is a dead end. From the same GPU, with the same GPUs behind it and the same capacities, one is as
 * long as the other. (Ends that complete channels are not remembered: what follows may replay the order of the GPUs.)
 *
 * Places are compared whole; the table holds the last ones seen. Only long attempts use it. */
#include "engine/search/seen.h"

#include <string.h>

#include "engine/base/budget.h"

enum { TABLE_BYTES = 512 * 1024, MOST_PLACES = 4096, FEWEST_PLACES = 64, SHORT_ATTEMPT = 1000, FEWEST_STEPS = 8 };
/* Inside a channel: steps that are worth an entry; looks after which each must have saved a step. */
enum { FEWEST_STEPS_INSIDE = 4, MOST_GPUS = 64, LOOKS_INSIDE = 512 };
/* An attempt that has looked as often as a part of its budget, and saved less than a step each second time, looks no
 * more. */
enum { PATIENCE = 8, LOOKS_A_STEP = 2 };

#define ORR_SEEN_FACTOR 0x9E3779B97F4A7C15u /* of hashes */

struct place {
    uint64_t hash;
    uint32_t attempt; /* its number; 0: the entry is free */
    uint64_t used;    /* as of struct orr_place_in_attempt */
    int32_t channels, hops;
    int32_t steps; /* from here until all is tried */
    float latency; /* of the last NIC tried */
    int16_t net, back, at, first, exit;
    int32_t left[]; /* what links and NICs have left: state_words */
};

static struct place *entry_of(const struct orr_search_state *s, struct orr_place_in_attempt place)
{
    uint64_t mixed = place.hash + (uint64_t)(uint16_t)place.net * ORR_SEEN_FACTOR + place.used * 0xD6E8FEB86659FD93u +
                     (uint64_t)(uint16_t)place.at * 0xA0761D6478BD642Fu;
    mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u;
    size_t index = (size_t)(mixed >> 40) & (s->seen.places - 1);
    return (struct place *)(void *)(s->seen.table + index * s->seen.stride);
}

/* The words of what is left, in the order of the table: links that legs load, then NICs. */
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

/* Takes the memory; false: there is none, or places would be too large. */
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

void orr_seen_begin(struct orr_search_state *s, int32_t steps)
{
    s->seen.looks = s->seen.looks_inside = 0;
    s->seen.saved = s->seen.saved_inside = 0;
    s->seen.inside = s->input.n <= MOST_GPUS && s->left.exact && !s->attempt.star && !s->facts.neighbours_only &&
                     steps > SHORT_ATTEMPT;
    s->seen.patience = (uint32_t)steps / PATIENCE;
}

static bool may_remember(struct orr_search_state *s)
{
    return s->left.exact && s->facts.nets_come_back && !s->attempt.star &&
           s->budget.steps - s->attempt.first_step >= SHORT_ATTEMPT &&
           (s->seen.table || (!s->seen.tried && make_table(s)));
}

struct orr_place_in_attempt orr_seen_in_channel(struct orr_search_state *s, int32_t x, int32_t p,
                                                struct orr_shape shape)
{
    struct orr_place_in_attempt place = {.net = -1, .back = -1, .exit = -1};
    const int32_t k = s->trial.channels;
    if (s->seen.looks_inside > LOOKS_INSIDE && s->seen.saved_inside < s->seen.looks_inside)
        s->seen.inside = false;
    if (!s->seen.inside || !may_remember(s))
        return place;
    for (int32_t i = 0; i <= p; i++)
        place.used |= UINT64_C(1) << s->channel.row[i];
    place.at = (int16_t)x;
    place.first = (int16_t)s->channel.row[0];
    if (s->input.inter) {
        place.net = s->trial.nets[k][0];
        place.back = k & 1 ? s->trial.nets[k - 1][0] : (int16_t)-1;
        place.exit =
            s->trial.pattern == ORR_PATTERN_BALANCED_TREE && shape.to_net > p ? s->trial.nets[k][1] : (int16_t)-1;
    }
    place.hash = s->channel.loads | 1;
    return place;
}

uint64_t orr_seen_hash(struct orr_search_state *s)
{
    if (!s->trial.channels || !may_remember(s))
        return 0;
    if (s->seen.looks > s->seen.patience && s->seen.saved < s->seen.looks / LOOKS_A_STEP)
        return 0;
    /* Four sums at a time, which do not wait for each other. */
    const uint32_t *links = s->seen.links, count = s->seen.link_count;
    const int32_t *left = s->left.thousandths;
    uint64_t hash[4] = {(uint64_t)s->trial.channels, 1, 2, 3};
    for (uint32_t i = 0; i + 3 < count; i += 4)
        for (uint32_t j = 0; j < 4; j++)
            hash[j] = (hash[j] ^ (uint32_t)left[links[i + j]]) * ORR_SEEN_FACTOR;
    for (uint32_t i = count / 4 * 4; i < count; i++)
        hash[0] = (hash[0] ^ (uint32_t)left[links[i]]) * ORR_SEEN_FACTOR;
    for (uint32_t j = 1; j < 4; j++)
        hash[0] = (hash[0] ^ hash[j] >> 32 ^ hash[j]) * ORR_SEEN_FACTOR;
    return hash[0] | 1;
}

int64_t orr_seen_steps(const struct orr_search_state *s, const int32_t *budget)
{
    return *budget < 0 ? *budget : (int64_t)*budget + (budget == s->budget.sliced ? s->budget.later : 0);
}

bool orr_seen_before(struct orr_search_state *s, struct orr_place_in_attempt place, int32_t *budget)
{
    if (!place.hash || *budget < 0)
        return false;
    const bool inside = place.used != 0;
    const struct place *past = entry_of(s, place);
    ++*(inside ? &s->seen.looks_inside : &s->seen.looks);
    if (past->attempt != s->attempt.number || past->hash != place.hash || past->channels != s->trial.channels ||
        past->net != place.net || past->back != place.back || past->used != place.used || past->at != place.at ||
        past->first != place.first || past->exit != place.exit ||
        (past->hops > s->trial.hops && !s->attempt.counting) || !is_left(s, past->left))
        return false;
    *(inside ? &s->seen.saved_inside : &s->seen.saved) += (uint32_t)past->steps;
    s->trial.latency_inter = past->latency;
    int32_t beyond = past->steps - *budget;
    *budget = beyond > 0 ? 0 : -beyond;
    if (beyond > 0 && budget == s->budget.sliced)
        s->budget.later = beyond < s->budget.later ? s->budget.later - beyond : 0;
    return true;
}

void orr_seen_note(struct orr_search_state *s, struct orr_place_in_attempt place, int64_t before, const int32_t *budget,
                   bool completed)
{
    int64_t left = orr_seen_steps(s, budget);
    if (!place.hash || left <= 0 || s->attempt.ended ||
        before - left < (place.used ? FEWEST_STEPS_INSIDE : FEWEST_STEPS))
        return;
    struct place *entry = entry_of(s, place);
    *entry = (struct place){.hash = place.hash,
                            .attempt = s->attempt.number,
                            .used = place.used,
                            .channels = s->trial.channels,
                            .hops = completed ? s->trial.hops : INT32_MIN,
                            .steps = (int32_t)(before - left),
                            .latency = s->trial.latency_inter,
                            .net = place.net,
                            .back = place.back,
                            .at = place.at,
                            .first = place.first,
                            .exit = place.exit};
    copy_left(s, entry->left);
}

void orr_seen_free(struct orr_search_state *s)
{
    if (s->seen.table)
        orr_budget_free(s->seen.table, s->seen.bytes);
}
