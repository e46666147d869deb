/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/compare/compare.h"

#include "engine/base/budget.h"

#include <string.h>

const char *orr_likeness_text(enum orr_likeness likeness)
{
    static const char *const texts[] = {[ORR_LIKE_RANKS] = "the same",
                                        [ORR_LIKE_HARDWARE] = "the same except for the order of ranks",
                                        [ORR_LIKE_SHAPE] = "the same devices in the same places, but some differ",
                                        [ORR_LIKE_PARTS] = "devices are missing, new or moved"};
    return texts[likeness];
}

uint32_t orr_device_node(const struct orr_devices *devices, uint32_t device, const struct orr_system *built)
{
    const struct orr_device *d = &devices->rows[device];
    uint32_t card = d->parent != ORR_NO_DEVICE ? devices->rows[d->parent].element : ORR_NO_ELEMENT;
    bool inside_card = d->kind == ORR_DEVICE_GPU || d->kind == ORR_DEVICE_NIC;
    uint32_t found = ORR_NO_NODE;
    if (d->element == ORR_NO_ELEMENT)
        return ORR_NO_NODE;
    for (uint32_t i = 0; i < built->node_count && found == ORR_NO_NODE; i++)
        if (built->nodes[i].type == ORR_GPU && d->kind == ORR_DEVICE_GPU ? built->nodes[i].gpu.rank == d->rank
                                                                         : built->nodes[i].element == d->element)
            found = i;
    for (uint32_t i = 0; i < built->node_count && found == ORR_NO_NODE && inside_card; i++)
        if (built->nodes[i].element == card && (d->kind == ORR_DEVICE_NIC) == (built->nodes[i].type == ORR_NIC))
            found = i;
    return found;
}

/* Turns the match into names: elements and ranks that only b has get numbers beyond a's. */
static enum orr_code make_names(struct orr_comparison *c, struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_devices *a = &c->devices_a, *b = &c->devices_b;
    uint32_t elements_a = a->dump->element_count, elements_b = b->dump->element_count;
    uint32_t elements = elements_a + elements_b, ranks = a->rank_count + b->rank_count;
    uint32_t *element = ORR_NEW(arena, uint32_t, elements_b), *own_element = ORR_NEW(arena, uint32_t, elements);
    uint32_t *rank = ORR_NEW(arena, uint32_t, b->rank_count), *own_rank = ORR_NEW(arena, uint32_t, ranks);
    ORR_NEED(element && own_element && rank && own_rank, err);
    memset(own_element, 0xff, elements * sizeof *own_element);
    memset(own_rank, 0xff, ranks * sizeof *own_rank);
    for (uint32_t i = 0; i < elements_b; i++) {
        uint32_t device = b->of_element[i], equal = device == ORR_NO_DEVICE ? device : c->match.to_a[device];
        element[i] = equal == ORR_NO_DEVICE || a->rows[equal].element == ORR_NO_ELEMENT ? elements_a + i
                                                                                        : a->rows[equal].element;
        own_element[element[i]] = i;
    }
    for (uint32_t i = 0; i < b->rank_count; i++) {
        uint32_t equal = c->match.to_a[b->gpu_of_rank[i]];
        rank[i] = equal == ORR_NO_DEVICE || a->rows[equal].rank < 0 ? a->rank_count + i : (uint32_t)a->rows[equal].rank;
        own_rank[rank[i]] = i;
    }
    c->names = (struct orr_fact_names){.element = element,
                                       .rank = rank,
                                       .own_element = own_element,
                                       .own_rank = own_rank,
                                       .elements = elements,
                                       .ranks = ranks,
                                       .local_ranks = b->rank_count,
                                       .named_ranks = a->rank_count};
    return ORR_OK;
}

enum orr_code orr_compare(const struct orr_analysis *a, const struct orr_analysis *b, struct orr_arena *arena,
                          struct orr_comparison *ret_comparison, struct orr_error *err)
{
    struct orr_comparison *c = ret_comparison;
    *c = (struct orr_comparison){.a = a, .b = b};
    orr_budget_stage("comparison of two machines");
    ORR_TRY(orr_devices_read(a->dump, arena, &c->devices_a, err));
    ORR_TRY(orr_devices_read(b->dump, arena, &c->devices_b, err));
    ORR_TRY(orr_match_find(&c->devices_a, &c->devices_b, arena, &c->match, err));
    ORR_TRY(orr_unlikes_find(&c->match, arena, &c->unlikes, err));
    ORR_TRY(make_names(c, arena, err));
    return orr_changes_between(a, b, &c->names, arena, &c->changes, err);
}
