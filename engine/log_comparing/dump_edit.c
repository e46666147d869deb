/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a dump with the changes that a log requires. */
#include "engine/log_comparing/dump_edit.h"

#include "engine/dump/edit.h"
#include "engine/topology/pci.h"

struct changing {
    const struct orr_dump_edit *edit;
    struct orr_doc doc;
    struct orr_doc_node **nodes; /* [element of the dump] */
    uint32_t count;
};

/* The bus id of the element or of the nearest one around it that has one; NULL if none has. */
static const char *bus_id_around(const struct orr_doc_node *node)
{
    const char *bus_id = NULL;
    for (; node && !bus_id; node = node->parent)
        bus_id = orr_doc_get(node, ORR_ATTR_BUSID);
    return bus_id;
}

/* Gives GPUs their new bus ids, in every attribute that names them. */
static void rename_gpus(struct changing *c, const uint64_t *old)
{
    static const enum orr_attr names[] = {ORR_ATTR_BUSID, ORR_ATTR_TARGET};
    char bus_id[ORR_BUS_ID_SIZE];
    for (uint32_t e = 0; e < c->count; e++)
        for (int i = 0; i < 2; i++) {
            const char *text = orr_doc_get(c->nodes[e], names[i]);
            const uint64_t named = text ? orr_bus_id_parse(text) : 0;
            uint32_t gpu = 0;
            while (text && gpu < c->count && !(c->edit->bus_ids[gpu] && old[gpu] == named))
                gpu++;
            if (text && gpu < c->count)
                orr_doc_set(&c->doc, c->nodes[e], names[i], "%s", orr_bus_id_format(c->edit->bus_ids[gpu], bus_id));
        }
}

static void change_gpu(struct changing *c, uint32_t gpu)
{
    const struct orr_dump_edit *edit = c->edit;
    if (edit->sm)
        orr_doc_set(&c->doc, c->nodes[gpu], ORR_ATTR_SM, "%d", edit->sm);
    if (edit->ranks)
        orr_doc_drop(&c->doc, c->nodes[gpu], ORR_ATTR_RANK);
    if (edit->ranks && edit->ranks[gpu] >= 0)
        orr_doc_set(&c->doc, c->nodes[gpu], ORR_ATTR_RANK, "%d", edit->ranks[gpu]);
}

static void change_net(struct changing *c, uint32_t net)
{
    const struct orr_dump_edit *edit = c->edit;
    if (edit->collnet)
        orr_doc_set(&c->doc, c->nodes[net], ORR_ATTR_COLL, "1");
    if (edit->net_devs && edit->net_devs[net] < 0)
        orr_doc_remove(c->nodes[net]);
    else if (edit->net_devs)
        orr_doc_set(&c->doc, c->nodes[net], ORR_ATTR_DEV, "%d", edit->net_devs[net]);
}

enum orr_code orr_log_edit_dump(const struct orr_dump *dump, const struct orr_dump_edit *edit, struct orr_arena *arena,
                                struct orr_dump **ret_dump, struct orr_error *err)
{
    struct changing c = {.edit = edit, .nodes = ORR_NEW(arena, struct orr_doc_node *, dump->element_count)};
    uint64_t *old = ORR_NEW(arena, uint64_t, dump->element_count);
    orr_doc_open(&c.doc, dump, arena);
    ORR_NEED(c.nodes && old && !orr_arena_starved(arena), err);
    for (struct orr_doc_node *node = c.doc.system; node; node = orr_doc_next(node, c.doc.system)) {
        const char *bus_id = bus_id_around(node);
        old[c.count] = bus_id ? orr_bus_id_parse(bus_id) : 0;
        c.nodes[c.count++] = node;
    }
    if (edit->bus_ids)
        rename_gpus(&c, old);
    for (uint32_t e = 0; e < c.count; e++)
        if (dump->elements[e].kind == ORR_ELEMENT_GPU)
            change_gpu(&c, e);
        else if (dump->elements[e].kind == ORR_ELEMENT_NET)
            change_net(&c, e);
    *ret_dump = orr_doc_to_dump(&c.doc, dump);
    return *ret_dump ? ORR_OK : orr_fail_nomem(err);
}
