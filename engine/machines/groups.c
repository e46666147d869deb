/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/machines/groups.h"

enum { LEAST_GROUPS = 3, DEEPEST = 8 }; /* with fewer groups, none stands out as the exception */

struct group {
    uint32_t bridge, gpus, nics, nic; /* nic: card of the first NIC */
};

/* The model of the NICs that jobs use, which is that of the fastest port (others are for management); 0 if there is
 * none. */
static uint64_t fastest_model(const struct orr_hardware_facts *h)
{
    const struct orr_card *best = NULL;
    for (uint32_t i = 0; i < h->card_count; i++)
        if (h->cards[i].kind == ORR_CARD_NIC && h->cards[i].gbps_at > (best ? best->gbps_at : 0))
            best = &h->cards[i];
    return best ? best->model : 0;
}

static bool is_for_jobs(const struct orr_card *card, uint64_t model)
{
    return card->kind == ORR_CARD_NIC && model && card->model == model;
}

/* The card at a depth that contains this one, or is this one; ORR_NO_CARD if this card is not that deep. */
static uint32_t at_depth(const struct orr_hardware_facts *h, uint32_t card, uint32_t depth)
{
    while (card != ORR_NO_CARD && h->cards[card].depth > depth)
        card = h->cards[card].above;
    return card != ORR_NO_CARD && h->cards[card].depth == depth ? card : ORR_NO_CARD;
}

static uint32_t list_groups(const struct orr_hardware_facts *h, uint32_t depth, uint64_t model, struct group *groups,
                            uint32_t *group_of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->card_count; i++) {
        const struct orr_card *card = &h->cards[i];
        group_of[i] = UINT32_MAX;
        if (card->depth == depth && card->kind == ORR_CARD_BRIDGE && card->gpus) {
            groups[count] = (struct group){.bridge = i, .gpus = card->gpus, .nic = ORR_NO_CARD};
            group_of[i] = count++;
        }
    }
    for (uint32_t i = 0; i < h->card_count; i++) {
        uint32_t top = is_for_jobs(&h->cards[i], model) ? at_depth(h, i, depth) : ORR_NO_CARD;
        if (top == ORR_NO_CARD || group_of[top] == UINT32_MAX)
            continue;
        struct group *group = &groups[group_of[top]];
        group->nics++;
        group->nic = group->nic == ORR_NO_CARD ? i : group->nic;
    }
    return count;
}

/* The typical group: more than half of all groups have as many GPUs and NICs. NULL if there is none, or it has no
 * NICs. */
static const struct group *usual(const struct group *groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < count; k++)
            same += groups[k].gpus == groups[i].gpus && groups[k].nics == groups[i].nics;
        if (2 * same > count)
            return groups[i].nics ? &groups[i] : NULL;
    }
    return NULL;
}

/* The next NIC for jobs outside all groups, from card `from` on. */
static uint32_t next_stray(const struct orr_hardware_facts *h, const uint32_t *group_of, uint32_t depth, uint64_t model,
                           uint32_t from)
{
    for (uint32_t i = from; i < h->card_count; i++) {
        const struct orr_card *card = &h->cards[i];
        uint32_t top = at_depth(h, i, depth);
        if (is_for_jobs(card, model) && (top == ORR_NO_CARD || group_of[top] == UINT32_MAX))
            return i;
    }
    return ORR_NO_CARD;
}

bool orr_groups_find(const struct orr_hardware_facts *h, struct orr_arena *arena, struct orr_groups *ret_groups)
{
    struct group *groups = ORR_NEW(arena, struct group, h->card_count);
    uint32_t *group_of = ORR_NEW(arena, uint32_t, h->card_count), count = 0, depth = 0, stray = 0;
    struct orr_lack *lacks = ORR_NEW(arena, struct orr_lack, h->card_count);
    uint64_t model = fastest_model(h);
    *ret_groups = (struct orr_groups){.lacks = lacks};
    if (h->card_count && (!groups || !group_of || !lacks))
        return false;
    for (; depth < DEEPEST && (count = list_groups(h, depth, model, groups, group_of)) < LEAST_GROUPS; depth++)
        ;
    const struct group *most = count >= LEAST_GROUPS ? usual(groups, count) : NULL;
    ret_groups->group_count = count;
    for (uint32_t i = 0; most && i < count; i++) {
        if (groups[i].gpus != most->gpus || groups[i].nics >= most->nics)
            continue;
        stray = stray == ORR_NO_CARD ? stray : next_stray(h, group_of, depth, model, stray);
        lacks[ret_groups->lack_count++] =
            (struct orr_lack){groups[i].bridge, most->nic, stray, groups[i].nics, most->nics};
        stray += stray != ORR_NO_CARD;
    }
    return true;
}
