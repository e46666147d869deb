/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a search depends on, as numbers: the facts that orr_search_prepare() computes, and the little that
 * the search reads from the system itself.
 *
 * Proof. A search reads nothing else, so two equal keys are two equal searches; keys are compared whole. NICs and links
 * are numbered in order of their first appearance. The result uses these numbers, too, so it can be translated to any
 * system with the same key.
 *
 * An example: of 8 GPUs on one NVSwitch, each with a NIC of its own, GPUs 0 and 1 with NICs 0 and 1 and GPUs 4 and 5
 * with NICs 4 and 5 have the same key, in which the NICs are 0 and 1. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/release/release.h"
#include "engine/search/memo_state.h"

struct writer {
    const struct orr_search_state *s;
    struct orr_search_key *key;
    uint32_t *link_number; /* [link]: from 1; 0 if not met yet */
    uint32_t links_met;
    size_t room;
};

static void put(struct writer *w, uint32_t word)
{
    if (w->key->count < w->room)
        w->key->words[w->key->count] = word;
    w->key->count++;
}

static void put_float(struct writer *w, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    put(w, word);
}

static void put_wide(struct writer *w, uint64_t value)
{
    put(w, (uint32_t)value);
    put(w, (uint32_t)(value >> 32));
}

/* Writes a link as its number, and at its first appearance also its capacity. */
static void put_link(struct writer *w, uint32_t link)
{
    const bool met = w->link_number[link] != 0;
    if (!met)
        w->link_number[link] = ++w->links_met;
    put(w, w->link_number[link]);
    if (!met)
        put_float(w, w->s->left.capacity[link]);
}

static void put_leg(struct writer *w, const struct orr_leg *leg)
{
    put(w, leg->charges);
    put(w, leg->hops);
    put(w, leg->type[0] | (uint32_t)leg->type[1] << 8 | (uint32_t)leg->state << 16);
    for (uint32_t i = leg->first; i < leg->first + leg->charges; i++) {
        put_link(w, w->s->facts.links[i]);
        put(w, w->s->facts.shares[i] | (uint32_t)w->s->facts.with_next[i] << 8);
    }
}

static void put_list(struct writer *w, const struct orr_net_list *list)
{
    for (uint32_t type = 0; type < ORR_PATH_TYPE_COUNT; type++)
        put(w, list->count_at[type]);
    for (uint32_t i = 0; i < list->count_at[ORR_PATH_TYPE_COUNT - 1]; i++)
        put(w, (uint32_t)w->key->net_number[list->nets[i]]);
}

static void meet_net(struct orr_search_key *key, int16_t net, int16_t *count)
{
    if (key->net_number[net] >= 0)
        return;
    key->net_at[*count] = net;
    key->net_number[net] = (*count)++;
}

/* Numbers NICs in the order in which channels start from them, then leave by them. For the release that mistakes a
 * NIC's number for a GPU's, NICs keep the numbers of the system. */
static void number_nets(const struct orr_search_state *s, struct orr_search_key *key)
{
    const uint32_t nets = s->input.net_count;
    int16_t count = 0;
    for (uint32_t net = 0; net < nets; net++)
        key->net_number[net] = -1;
    if (s->input.system->release->start_heads != ORR_HEADS_BY_NET_INDEX && nets) {
        for (uint32_t i = 0; i < s->facts.start_nets.count_at[ORR_PATH_TYPE_COUNT - 1]; i++)
            meet_net(key, s->facts.start_nets.nets[i], &count);
        for (uint32_t g = 0; g < s->input.n; g++)
            for (uint32_t i = 0; i < s->facts.exit_nets[g].count_at[ORR_PATH_TYPE_COUNT - 1]; i++)
                meet_net(key, s->facts.exit_nets[g].nets[i], &count);
    }
    for (uint32_t net = 0; net < nets; net++)
        meet_net(key, (int16_t)net, &count);
}

static void put_nets(struct writer *w)
{
    const struct orr_search_state *s = w->s;
    const struct orr_search_facts *f = &s->facts;
    const uint32_t nets = s->input.net_count, n = s->input.n;
    for (uint32_t i = 0; i < nets; i++) {
        const uint32_t net = (uint32_t)w->key->net_at[i];
        const struct orr_node *node = &s->input.system->nodes[orr_net_node(s, net)];
        const struct orr_near *near = &f->near_gpus[net];
        put(w, (uint32_t)w->key->net_number[f->net_of_id[net]]);
        put(w, (uint32_t)w->key->net_number[f->next_of_card[net]]);
        put_float(w, s->left.net_bw[net]);
        put(w, (uint32_t)s->left.net_connections[net]);
        put(w, (uint32_t)node->net.coll);
        put_float(w, node->net.latency);
        put(w, (uint32_t)s->input.paths->local_gpu[net]);
        put_float(w, near->bw);
        put(w, near->type | (uint32_t)near->hops << 8);
        put(w, near->count);
        for (uint32_t g = 0; g < near->count; g++)
            put(w, near->gpus[g]);
        for (uint32_t other = 0; other < nets; other++)
            put(w, f->net_pair[(size_t)net * nets + (size_t)w->key->net_at[other]]);
        for (uint32_t g = 0; g < n; g++) {
            put_wide(w, f->net_score[(size_t)net * n + g]);
            put_leg(w, &f->entries[(size_t)net * n + g]);
            put_leg(w, &f->exits[(size_t)net * n + g]);
        }
    }
    if (!nets)
        return;
    put_list(w, &f->start_nets);
    for (uint32_t g = 0; g < n; g++)
        put_list(w, &f->exit_nets[g]);
}

static void put_gpus(struct writer *w)
{
    const struct orr_search_state *s = w->s;
    const struct orr_search_facts *f = &s->facts;
    const uint32_t n = s->input.n;
    for (uint32_t x = 0; x < n; x++) {
        put(w, f->by_distance_count[x]);
        for (uint32_t i = 0; i < f->by_distance_count[x]; i++)
            put(w, f->by_distance[(size_t)x * n + i] | (uint32_t)f->distance_class[(size_t)x * n + i] << 16);
        for (uint32_t y = 0; y < n; y++) {
            put(w, orr_path(s->input.paths, orr_gpu_node(s, x), orr_gpu_node(s, y))->type);
            put_leg(w, &f->between[(size_t)x * n + y]);
        }
        put(w, f->spokes[0] != NULL);
        for (uint32_t way = 0; way < 2 && f->spokes[0]; way++)
            put_leg(w, &f->spokes[way][x]);
        put(w, f->pci_link[x] >= 0);
        if (f->pci_link[x] >= 0)
            put_link(w, (uint32_t)f->pci_link[x]);
        put(w, f->pci_back[x] >= 0);
        if (f->pci_back[x] >= 0)
            put_link(w, (uint32_t)f->pci_back[x]);
    }
}

ORR_COMPARATOR(compare_words, uint32_t, ORR_ORDER(*a, *b))

/* Links that no channel loads matter only by the set of their capacities (count_capacities() of reserve.c). */
static void put_other_links(struct writer *w)
{
    const size_t first = w->key->count;
    for (uint32_t link = 0; link < w->s->input.system->link_count; link++)
        if (!w->link_number[link] && !w->s->facts.left_out[link])
            put_float(w, w->s->left.capacity[link]);
    if (w->key->count > w->room)
        return;
    uint32_t *words = w->key->words + first;
    size_t count = w->key->count - first, kept = 0;
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 0; i < count; i++)
        if (!i || words[i] != words[kept - 1])
            words[kept++] = words[i];
    w->key->count = first + kept;
}

static void put_system(struct writer *w, const struct orr_search_request *request)
{
    const struct orr_search_input *in = &w->s->input;
    const struct orr_search_facts *f = &w->s->facts;
    const struct orr_system *system = in->system;
    const struct orr_node *cpu = orr_system_count(system, ORR_CPU) ? orr_system_node(system, ORR_CPU, 0) : NULL;
    put_wide(w, (uint64_t)(uintptr_t)system->release);
    put(w, in->n);
    put(w, in->net_count);
    put(w, in->inter | (uint32_t)f->has_nvs << 1 | (uint32_t)f->neighbours_only << 2 |
               (uint32_t)f->neighbours_first << 3 | (uint32_t)request->collnet << 5 | (uint32_t)request->nvls << 6);
    put(w, (uint32_t)orr_tree_pattern_asked(system->release, request->hosts));
    put(w, (uint32_t)in->cc_min);
    put(w, cpu ? (uint32_t)cpu->cpu.arch : UINT32_MAX);
    put(w, cpu ? (uint32_t)cpu->cpu.vendor : UINT32_MAX);
    put(w, orr_system_count(system, ORR_DEV));
    put_float(w, system->max_bw);
    put_float(w, system->total_bw);
    put(w, (uint32_t)orr_setting_int32(in->settings, ORR_SET_CROSS_NIC));
    for (int kind = 0; kind < ORR_RATE_COUNT; kind++)
        put(w, f->any_share[kind] | (uint32_t)f->wide_share[kind] << 8);
    put_wide(w, f->types_between[0]);
    put_wide(w, f->types_between[1]);
    put_wide(w, f->types_of_nets);
}

enum orr_code orr_search_key_make(const struct orr_search_state *s, const struct orr_search_request *request,
                                  struct orr_arena *arena, struct orr_search_key *ret_key, struct orr_error *err)
{
    const size_t links = s->input.system->link_count;
    struct orr_search_key key = {.net_number = ORR_NEW(arena, int16_t, s->input.net_count),
                                 .net_at = ORR_NEW(arena, int16_t, s->input.net_count)};
    struct writer w = {.s = s, .key = &key, .link_number = ORR_NEW(arena, uint32_t, links)};
    if (!key.net_number || !key.net_at || !w.link_number)
        return orr_fail_nomem(err);
    number_nets(s, &key);
    for (int pass = 0; pass < 2; pass++) { /* the array's length, then its words */
        key.count = w.links_met = 0;
        memset(w.link_number, 0, links * sizeof *w.link_number);
        put_system(&w, request);
        put_gpus(&w);
        put_nets(&w);
        put_other_links(&w);
        if (pass)
            break;
        w.room = key.count;
        if (!(key.words = ORR_NEW(arena, uint32_t, w.room)))
            return orr_fail_nomem(err);
    }
    *ret_key = key;
    return ORR_OK;
}
