/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nics/combine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/dump/edit.h"
#include "engine/topology/pci.h"

bool orr_card_is_port_number(const struct orr_dump *dump, uint32_t port)
{
    const char *guid = orr_element_text(dump, port, ORR_ATTR_GUID);
    char *end = NULL;
    unsigned long long card = guid ? strtoull(guid, &end, 16) : 0;
    return guid && end != guid && !*end && card == (unsigned long long)orr_element_int(dump, port, ORR_ATTR_DEV, -1);
}

int32_t orr_dump_gpu_number(const struct orr_dump *dump, const char *bus_id)
{
    uint64_t wanted = orr_bus_id_parse(bus_id);
    uint32_t found = ORR_NO_ELEMENT;
    int32_t rank = 0, number = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t e = 0; e < dump->element_count; e++) {
            uint32_t parent = dump->elements[e].parent;
            if (dump->elements[e].kind != ORR_ELEMENT_GPU || !orr_element_text(dump, e, ORR_ATTR_RANK))
                continue;
            int32_t own = orr_element_int(dump, e, ORR_ATTR_RANK, 0);
            const char *text = orr_element_text(dump, parent, ORR_ATTR_BUSID);
            if (pass == 0 && found == ORR_NO_ELEMENT && text && orr_bus_id_parse(text) == wanted) {
                found = e;
                rank = own;
            }
            number += pass && (own < rank || (own == rank && e < found));
        }
    return found == ORR_NO_ELEMENT ? -1 : number;
}

enum {
    UNUSED = INT32_MAX, /* `seen` of an element that no rank sees */
    GUID_SHIFT = 48     /* the bits that distinguish copies of a card */
};

struct gpu_element {
    uint32_t element;
    int32_t rank; /* in the old dump */
};

/* An old element with the lowest new rank that sees it, which decides its position in the new dump. */
struct place {
    uint32_t piece, element;
    int32_t seen;
};

/* A piece while it is combined. */
struct part {
    const struct orr_dump *from;
    uint32_t *repeats; /* [element of a port]: number of earlier pieces with the same card */
    int32_t *seen;     /* [element]: lowest new rank that sees it, or UNUSED */
    int32_t *new_rank; /* [element of a GPU that takes part], -1 elsewhere */
};

/* A port, by the guid of its card. */
struct port {
    const char *guid;
    uint32_t piece, element;
};

struct combining {
    const struct orr_release *release;
    struct orr_arena *scratch;
    struct orr_doc doc; /* the new dump */
    struct part *parts;
    uint32_t part_count;
};

ORR_COMPARATOR(compare_ports, struct port, strcmp(a->guid, b->guid), ORR_ORDER(a->piece, b->piece),
               ORR_ORDER(a->element, b->element))

ORR_COMPARATOR(compare_gpus, struct gpu_element, ORR_ORDER(a->rank, b->rank), ORR_ORDER(a->element, b->element))

ORR_COMPARATOR(compare_places, struct place, ORR_ORDER(a->seen, b->seen), ORR_ORDER(a->piece, b->piece),
               ORR_ORDER(a->element, b->element))

/* Lists the GPUs of a dump that have a rank, in order of rank. */
static enum orr_code list_gpus(struct combining *c, const struct orr_dump *from, struct gpu_element **ret_gpus,
                               uint32_t *ret_count, struct orr_error *err)
{
    struct gpu_element *gpus = ORR_NEW(c->scratch, struct gpu_element, from->element_count);
    uint32_t count = 0;
    ORR_NEED(gpus, err);
    for (uint32_t e = 0; e < from->element_count; e++)
        if (from->elements[e].kind == ORR_ELEMENT_GPU && orr_element_text(from, e, ORR_ATTR_RANK))
            gpus[count++] = (struct gpu_element){.element = e, .rank = orr_element_int(from, e, ORR_ATTR_RANK, 0)};
    qsort(gpus, count, sizeof *gpus, compare_gpus);
    *ret_gpus = gpus;
    *ret_count = count;
    return ORR_OK;
}

/* Finds the first rank that sees each element: for a GPU its own rank (or the first rank of its host, if the release
 * fuses whole hosts), for a port the first rank of its host, for anything else the first rank that sees something in
 * it. */
static enum orr_code mark(struct combining *c, struct part *part, const struct orr_dump_piece *piece,
                          struct orr_error *err)
{
    const struct orr_dump *from = piece->dump;
    struct gpu_element *gpus = NULL;
    uint32_t count = 0;
    int32_t first = UNUSED;
    part->from = from;
    part->repeats = ORR_NEW(c->scratch, uint32_t, from->element_count);
    part->seen = ORR_NEW(c->scratch, int32_t, from->element_count);
    part->new_rank = ORR_NEW(c->scratch, int32_t, from->element_count);
    ORR_NEED(part->repeats && part->seen && part->new_rank, err);
    ORR_TRY(list_gpus(c, from, &gpus, &count, err));
    for (uint32_t i = 0; i < piece->count; i++)
        first = piece->ranks[i] < first ? piece->ranks[i] : first;
    for (uint32_t e = 0; e < from->element_count; e++) {
        bool port = from->elements[e].kind == ORR_ELEMENT_NET && orr_element_text(from, e, ORR_ATTR_DEV);
        part->seen[e] = port ? first : UNUSED;
        part->new_rank[e] = -1;
    }
    for (uint32_t i = 0; i < piece->count; i++) {
        uint32_t number = piece->gpus ? piece->gpus[i] : i;
        if (number >= count)
            return orr_fail(err, ORR_INVALID, "GPU %u does not exist: the topology has %u with a rank", number, count);
        uint32_t element = gpus[number].element;
        if (part->new_rank[element] >= 0)
            return orr_fail(err, ORR_INVALID, "GPU %u is named twice", number);
        part->new_rank[element] = piece->ranks[i];
        part->seen[element] = c->release->fusion == ORR_FUSE_RANKS ? piece->ranks[i] : first;
    }
    for (uint32_t e = from->element_count; e-- > 1;) { /* children come after their parents */
        uint32_t parent = from->elements[e].parent;
        if (parent != ORR_NO_ELEMENT && part->seen[e] < part->seen[parent])
            part->seen[parent] = part->seen[e];
    }
    return ORR_OK;
}

/* Hosts with equal dumps still have different cards: counts how many earlier pieces have each card. */
static enum orr_code count_repeats(struct combining *c, size_t elements, struct orr_error *err)
{
    struct port *ports = ORR_NEW(c->scratch, struct port, elements);
    uint32_t count = 0, before = 0;
    ORR_NEED(ports, err);
    for (uint32_t p = 0; p < c->part_count; p++) {
        const struct orr_dump *from = c->parts[p].from;
        for (uint32_t e = 0; e < from->element_count; e++) {
            const char *guid =
                from->elements[e].kind == ORR_ELEMENT_NET ? orr_element_text(from, e, ORR_ATTR_GUID) : NULL;
            if (guid && !orr_card_is_port_number(from, e))
                ports[count++] = (struct port){.guid = guid, .piece = p, .element = e};
        }
    }
    qsort(ports, count, sizeof *ports, compare_ports);
    for (uint32_t i = 0; i < count; i++) {
        bool known = i && !strcmp(ports[i].guid, ports[i - 1].guid);
        before = known ? before + (ports[i].piece != ports[i - 1].piece) : 0;
        c->parts[ports[i].piece].repeats[ports[i].element] = before;
    }
    return ORR_OK;
}

static struct orr_doc_node *copy_element(struct combining *c, uint32_t piece, uint32_t old, struct orr_doc_node *parent)
{
    const struct part *part = &c->parts[piece];
    struct orr_doc_node *node = orr_doc_add(&c->doc, parent, part->from->elements[old].kind, NULL);
    orr_doc_share(node, part->from, old);
    if (node->kind == ORR_ELEMENT_CPU && c->part_count > 1) { /* every piece is a different host */
        const char *hash = orr_doc_get(node, ORR_ATTR_HOST_HASH);
        orr_doc_set(&c->doc, node, ORR_ATTR_HOST_HASH, "%u.%.40s", piece, hash ? hash : "0");
    }
    const char *guid = node->kind == ORR_ELEMENT_NET && part->repeats[old] ? orr_doc_get(node, ORR_ATTR_GUID) : NULL;
    if (guid) { /* each host has its own cards */
        unsigned long long own = strtoull(guid, NULL, 16) ^ (unsigned long long)part->repeats[old] << GUID_SHIFT;
        orr_doc_set(&c->doc, node, ORR_ATTR_GUID, "%s%llx", strncmp(guid, "0x", 2) ? "" : "0x", own);
    }
    if (part->new_rank[old] >= 0)
        orr_doc_set(&c->doc, node, ORR_ATTR_RANK, "%d", part->new_rank[old]);
    return node;
}

/* Whether NCCL drops elements of a kind if nothing in them is used; all others are dropped only with their parent. */
static bool may_be_dropped(enum orr_element_kind kind)
{
    return kind == ORR_ELEMENT_CPU || kind == ORR_ELEMENT_PCI || kind == ORR_ELEMENT_NIC || kind == ORR_ELEMENT_NET ||
           kind == ORR_ELEMENT_GPU;
}

/* Lists the children of an old element that stay. */
static uint32_t list_children(const struct combining *c, uint32_t piece, uint32_t old, struct place *places)
{
    const struct part *part = &c->parts[piece];
    uint32_t count = 0;
    for (uint32_t e = part->from->elements[old].first_child; e != ORR_NO_ELEMENT;
         e = part->from->elements[e].next_sibling) {
        if (part->seen[e] == UNUSED && may_be_dropped(part->from->elements[e].kind))
            continue;
        int32_t seen = part->seen[e] == UNUSED ? part->seen[old] : part->seen[e];
        places[count++] = (struct place){.piece = piece, .element = e, .seen = seen};
    }
    return count;
}

/* Copies elements, with everything below them that stays, as children of a new one, in the order in which ranks first
 * see them. `places` has room after its entries for all further ones; the reader's limit bounds the depth. */
static enum orr_code copy_places(struct combining *c, struct place *places,
                                 uint32_t count, /* NOLINT(misc-no-recursion) */
                                 struct orr_doc_node *parent, struct orr_error *err)
{
    if (c->part_count > 1 && count > c->release->max_children)
        return orr_fail(err, ORR_LIMIT,
                        "the fused document of %u hosts has an element with %u children, and NCCL %s has room for %u",
                        c->part_count, count, c->release->name, c->release->max_children);
    qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        struct orr_doc_node *child = copy_element(c, places[i].piece, places[i].element, parent);
        uint32_t below = list_children(c, places[i].piece, places[i].element, places + count);
        ORR_TRY(copy_places(c, places + count, below, child, err));
    }
    return ORR_OK;
}

static enum orr_code combine(struct combining *c, const struct orr_dump_piece *pieces, struct orr_error *err)
{
    size_t elements = 1;
    uint32_t count = 0;
    for (uint32_t p = 0; p < c->part_count; p++)
        elements += pieces[p].dump->element_count;
    c->parts = ORR_NEW(c->scratch, struct part, c->part_count);
    struct place *places = ORR_NEW(c->scratch, struct place, elements);
    ORR_NEED(c->parts && places, err);
    for (uint32_t p = 0; p < c->part_count; p++) {
        ORR_TRY(mark(c, &c->parts[p], &pieces[p], err));
        count += list_children(c, p, 0, places + count);
    }
    ORR_TRY(count_repeats(c, elements, err));
    c->doc.system = copy_element(c, 0, 0, NULL);
    return copy_places(c, places, count, c->doc.system, err);
}

enum orr_code orr_dump_combine(const struct orr_dump_piece *pieces, uint32_t count, const struct orr_release *release,
                               struct orr_arena *arena, struct orr_dump **ret_dump, struct orr_error *err)
{
    ORR_LOCAL_ARENA(own, 0);
    ORR_LOCAL_ARENA(scratch, 0);
    struct combining c = {.release = release, .scratch = scratch, .part_count = count};
    struct orr_dump from = {.refusal = pieces[0].dump->refusal};
    c.doc = (struct orr_doc){.arena = arena ? arena : own, .origin = ORR_VALUE_EDITED};
    for (uint32_t p = 0; p < count; p++)
        for (int kind = 0; kind < ORR_ELEMENT_COUNT; kind++)
            from.assumed[kind] |= pieces[p].dump->assumed[kind];
    ORR_TRY(combine(&c, pieces, err));
    struct orr_dump *made = orr_doc_to_dump(&c.doc, &from);
    ORR_NEED(made, err);
    made->arena = arena ? NULL : orr_arena_take(&own);
    *ret_dump = made;
    return ORR_OK;
}
