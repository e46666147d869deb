#include "engine/compare/compare.h"

#include <stdio.h>
#include <string.h>

const char *orr_device_kind_name(enum orr_device_kind kind)
{
    static const char *const names[ORR_DEVICE_KIND_COUNT] = {
        [ORR_DEVICE_WHOLE] = "system",  [ORR_DEVICE_HOST] = "host",         [ORR_DEVICE_CPU] = "cpu",
        [ORR_DEVICE_BRIDGE] = "bridge", [ORR_DEVICE_GPU_CARD] = "gpu_card", [ORR_DEVICE_NIC_CARD] = "nic_card",
        [ORR_DEVICE_GPU] = "gpu",       [ORR_DEVICE_NIC] = "nic",           [ORR_DEVICE_NET] = "net",
    };
    return names[kind];
}

const char *orr_likeness_text(enum orr_likeness likeness)
{
    static const char *const texts[] = {[ORR_LIKE_RANKS] = "the same",
                                        [ORR_LIKE_HARDWARE] = "the same but for the order of ranks",
                                        [ORR_LIKE_SHAPE] = "the same devices in the same places, some unlike",
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

static const char *text_of(const struct orr_devices *devices, uint32_t device, enum orr_attr attr)
{
    uint32_t element = device == ORR_NO_DEVICE ? ORR_NO_ELEMENT : devices->rows[device].element;
    const char *text = element == ORR_NO_ELEMENT ? NULL : orr_element_text(devices->dump, element, attr);
    return text ? text : "?";
}

/* A card goes by what is in it. */
static uint32_t inside(const struct orr_devices *devices, uint32_t device, enum orr_device_kind kind)
{
    const struct orr_device *d = &devices->rows[device];
    for (uint32_t c = 0; c < d->child_count; c++)
        if (devices->rows[devices->children[d->first_child + c]].kind == kind)
            return devices->children[d->first_child + c];
    return ORR_NO_DEVICE;
}

char *orr_device_name(const struct orr_devices *devices, uint32_t device, char buffer[ORR_DEVICE_NAME_SIZE])
{
    const struct orr_device *d = &devices->rows[device];
    uint32_t gpu = d->kind == ORR_DEVICE_GPU_CARD ? inside(devices, device, ORR_DEVICE_GPU) : device;
    uint32_t nic = d->kind == ORR_DEVICE_NIC_CARD ? inside(devices, device, ORR_DEVICE_NIC) : device;
    uint32_t net = d->kind == ORR_DEVICE_NET || nic == ORR_NO_DEVICE ? device : inside(devices, nic, ORR_DEVICE_NET);
    switch (d->kind) {
    case ORR_DEVICE_GPU_CARD:
    case ORR_DEVICE_GPU:
        if (gpu != ORR_NO_DEVICE && devices->rows[gpu].rank >= 0)
            snprintf(buffer, ORR_DEVICE_NAME_SIZE, "GPU %d at %.24s", devices->rows[gpu].rank,
                     text_of(devices, devices->rows[gpu].parent, ORR_ATTR_BUSID));
        else
            snprintf(buffer, ORR_DEVICE_NAME_SIZE, "GPU without rank at %.24s",
                     text_of(devices, d->kind == ORR_DEVICE_GPU ? d->parent : device, ORR_ATTR_BUSID));
        break;
    case ORR_DEVICE_NIC_CARD:
    case ORR_DEVICE_NIC:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "NIC %.40s", text_of(devices, net, ORR_ATTR_NAME));
        break;
    case ORR_DEVICE_NET:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "port %.40s", text_of(devices, device, ORR_ATTR_NAME));
        break;
    case ORR_DEVICE_BRIDGE:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "bridge %.24s", text_of(devices, device, ORR_ATTR_BUSID));
        break;
    case ORR_DEVICE_CPU:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "CPU of NUMA node %.10s", text_of(devices, device, ORR_ATTR_NUMAID));
        break;
    default:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "%s", orr_device_kind_name(d->kind));
        break;
    }
    return buffer;
}

/* What the match says, as names: elements and ranks of b that a has not get numbers beyond a's. */
static enum orr_code make_names(struct orr_comparison *c, struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_devices *a = &c->devices_a, *b = &c->devices_b;
    uint32_t elements_a = a->dump->element_count, elements_b = b->dump->element_count;
    uint32_t elements = elements_a + elements_b, ranks = a->rank_count + b->rank_count;
    uint32_t *element = ORR_NEW(arena, uint32_t, elements_b), *own_element = ORR_NEW(arena, uint32_t, elements);
    uint32_t *rank = ORR_NEW(arena, uint32_t, b->rank_count), *own_rank = ORR_NEW(arena, uint32_t, ranks);
    if (!element || !own_element || !rank || !own_rank)
        return orr_fail_nomem(err);
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
    ORR_TRY(orr_devices_read(a->dump, arena, &c->devices_a, err));
    ORR_TRY(orr_devices_read(b->dump, arena, &c->devices_b, err));
    ORR_TRY(orr_match_find(&c->devices_a, &c->devices_b, arena, &c->match, err));
    ORR_TRY(orr_unlikes_find(&c->match, arena, &c->unlikes, err));
    ORR_TRY(make_names(c, arena, err));
    return orr_changes_between(a, b, &c->names, arena, &c->changes, err);
}
