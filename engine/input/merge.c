/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/input/merge.h"

#include <string.h>

enum { MOST_MERGED = 4096 }; /* elements of all pieces together, since siblings are compared one by one */

static bool same_element(const struct orr_dump *a, uint32_t i, const struct orr_dump *b, uint32_t j)
{
    const struct orr_element *x = &a->elements[i], *y = &b->elements[j];
    if (x->kind != y->kind || x->parent != y->parent || x->attribute_count != y->attribute_count)
        return false;
    for (uint32_t k = 0; k < x->attribute_count; k++) {
        const struct orr_attribute *p = &a->attributes[x->first_attribute + k];
        const struct orr_attribute *q = &b->attributes[y->first_attribute + k];
        if (p->id != q->id || strcmp(p->value, q->value) || (p->id == ORR_ATTR_OTHER && strcmp(p->name, q->name)))
            return false;
    }
    return true;
}

static bool same_dumps(const struct orr_dump *a, const struct orr_dump *b)
{
    bool equal = a->element_count == b->element_count;
    for (uint32_t i = 0; equal && i < a->element_count; i++)
        equal = same_element(a, i, b, i);
    return equal;
}

/* The attributes that identify an element of a kind among its siblings. */
static const enum orr_attr keys[ORR_ELEMENT_COUNT][2] = {
    [ORR_ELEMENT_SYSTEM] = {ORR_ATTR_OTHER, ORR_ATTR_OTHER},
    [ORR_ELEMENT_CPU] = {ORR_ATTR_HOST_HASH, ORR_ATTR_NUMAID},
    [ORR_ELEMENT_PCI] = {ORR_ATTR_BUSID, ORR_ATTR_OTHER},
    [ORR_ELEMENT_GPU] = {ORR_ATTR_DEV, ORR_ATTR_MLOPART},
    [ORR_ELEMENT_NVLINK] = {ORR_ATTR_TARGET, ORR_ATTR_OTHER},
    [ORR_ELEMENT_C2C] = {ORR_ATTR_OTHER, ORR_ATTR_OTHER},
    [ORR_ELEMENT_NIC] = {ORR_ATTR_OTHER, ORR_ATTR_OTHER},
    [ORR_ELEMENT_NET] = {ORR_ATTR_NAME, ORR_ATTR_PORT},
    [ORR_ELEMENT_PCILINK] = {ORR_ATTR_TARGET, ORR_ATTR_OTHER},
};

static const char *text_of(const struct orr_dump *dump, uint32_t element, enum orr_attr attr)
{
    const char *text = attr == ORR_ATTR_OTHER ? NULL : orr_element_text(dump, element, attr);
    return text ? text : "";
}

static struct orr_doc_node *find_same(const struct orr_doc_node *parent, const struct orr_dump *dump, uint32_t element)
{
    enum orr_element_kind kind = dump->elements[element].kind;
    for (struct orr_doc_node *node = parent->first; node; node = node->after) {
        bool equal = node->kind == kind;
        for (int k = 0; equal && k < 2; k++)
            equal = keys[kind][k] == ORR_ATTR_OTHER ||
                    !strcmp(orr_doc_word(node, keys[kind][k]), text_of(dump, element, keys[kind][k]));
        if (equal)
            return node;
    }
    return NULL;
}

/* Adds missing elements to the document, and missing attributes to elements that both have, such as the rank of a GPU,
 * which only its own process knows. */
static void merge_into(struct orr_doc *doc, const struct orr_dump *dump, struct orr_doc_node **node_of)
{
    node_of[0] = doc->system;
    for (uint32_t i = 1; i < dump->element_count && !orr_arena_starved(doc->arena) && !doc->too_many; i++) {
        const struct orr_element *element = &dump->elements[i];
        struct orr_doc_node *parent = node_of[element->parent], *node = find_same(parent, dump, i);
        if (!node) {
            node = orr_doc_add(doc, parent, element->kind, NULL);
            node->line = element->line;
            node->column = element->column;
        }
        node_of[i] = node;
        for (uint32_t a = 0; a < element->attribute_count; a++) {
            const struct orr_attribute *attribute = &dump->attributes[element->first_attribute + a];
            if (attribute->id < ORR_ATTR_OTHER)
                orr_doc_set_once(doc, node, attribute->id, "%s", attribute->value);
        }
    }
}

static const char *host_of(const struct orr_dump *dump)
{
    for (uint32_t i = 1; i < dump->element_count; i++)
        if (dump->elements[i].kind == ORR_ELEMENT_CPU)
            return text_of(dump, i, ORR_ATTR_HOST_HASH);
    return "";
}

/* Whether the dumps give the same rank to different GPUs. */
static bool shares_rank(const struct orr_dump *a, const struct orr_dump *b)
{
    for (uint32_t i = 0; i < a->element_count; i++) {
        const char *rank = a->elements[i].kind == ORR_ELEMENT_GPU ? orr_element_text(a, i, ORR_ATTR_RANK) : NULL;
        for (uint32_t j = 0; rank && j < b->element_count; j++)
            if (b->elements[j].kind == ORR_ELEMENT_GPU && !strcmp(rank, text_of(b, j, ORR_ATTR_RANK)) &&
                strcmp(text_of(a, a->elements[i].parent, ORR_ATTR_BUSID),
                       text_of(b, b->elements[j].parent, ORR_ATTR_BUSID)) != 0)
                return true;
    }
    return false;
}

/* Which of the dumps after the first are copies of it, and which are other ranks of its host. */
struct sorting {
    uint32_t copies, of_host, others, elements;
    bool joins[ORR_MOST_PIECES];
};

static void sort_dumps(struct orr_dump *const *dumps, uint32_t count, struct sorting *sorting)
{
    for (uint32_t i = 0; i < count; i++)
        sorting->elements += dumps[i]->element_count;
    for (uint32_t i = 1; i < count; i++) {
        if (same_dumps(dumps[0], dumps[i])) {
            sorting->copies++;
            continue;
        }
        bool joins = sorting->elements <= MOST_MERGED && !strcmp(host_of(dumps[0]), host_of(dumps[i])) &&
                     !shares_rank(dumps[0], dumps[i]);
        sorting->joins[i] = joins;
        sorting->of_host += joins;
        sorting->others += !joins;
    }
}

enum orr_code orr_merge(const struct orr_input *input, const struct orr_input_kind *kind, struct orr_dump *const *dumps,
                        uint32_t count, struct orr_dump **ret_dump, struct orr_error *err)
{
    struct orr_draft draft;
    struct sorting sorting = {0};
    sort_dumps(dumps, count, &sorting);
    orr_draft_take(&draft, input, dumps[0]);
    struct orr_doc_node **node_of = ORR_NEW(draft.doc.arena, struct orr_doc_node *, sorting.elements);
    for (uint32_t i = 1; i < count && node_of; i++)
        if (sorting.joins[i])
            merge_into(&draft.doc, dumps[i], node_of);
    orr_note_recognised(
        &draft, "%u dumps after one another: %u cop%s of the first, %u of other ranks of its host, %u of others", count,
        sorting.copies, sorting.copies == 1 ? "y" : "ies", sorting.of_host, sorting.others);
    if (sorting.of_host)
        orr_note_assumed(&draft, ORR_TOUCHES_ALL, "the dumps of %u ranks are joined into one host by bus id",
                         sorting.of_host + 1);
    if (sorting.others) {
        orr_note_assumed(&draft, ORR_TOUCHES_ALL, "only the first host of the file is analysed");
        orr_note_missing(&draft, "orrery analyze --cluster hosts.json, with a file for each host",
                         "%u further dump%s in the file: other hosts, or the same ranks with other devices",
                         sorting.others, orr_plural(sorting.others));
    }
    return orr_draft_finish(&draft, input, kind, ret_dump, err);
}

/* Counts elements, and devices that lack something. */
struct counts {
    uint32_t gpus, ranked, nets, gpu_places, nic_places, open_places, amd;
};

static void count_elements(const struct orr_dump *dump, struct counts *counts)
{
    for (uint32_t i = 0; i < dump->element_count; i++) {
        const struct orr_element *element = &dump->elements[i];
        const char *class = text_of(dump, i, ORR_ATTR_CLASS);
        counts->gpus += element->kind == ORR_ELEMENT_GPU;
        counts->ranked += element->kind == ORR_ELEMENT_GPU && orr_element_text(dump, i, ORR_ATTR_RANK);
        counts->nets += element->kind == ORR_ELEMENT_NET;
        if (element->kind != ORR_ELEMENT_PCI || element->first_child != ORR_NO_ELEMENT)
            continue;
        counts->gpu_places += !strncmp(class, "0x03", 4);
        counts->nic_places += !strncmp(class, "0x02", 4);
        counts->open_places += !*class;
    }
}

void orr_note_dump(struct orr_draft *draft, const struct orr_dump *dump)
{
    struct counts c = {0};
    count_elements(dump, &c);
    bool rccl = orr_element_int(dump, 0, ORR_ATTR_VERSION, 1) == 2;
    bool open = !c.gpus && !c.gpu_places && c.open_places;
    if (open)
        orr_note_recognised(draft,
                            "a topology file for NCCL_TOPO_FILE, as cloud providers ship them: %u PCI devices whose "
                            "kinds NCCL finds on the machine",
                            c.open_places);
    else if (c.gpus || !c.gpu_places)
        orr_note_recognised(draft, "%u GPU%s, %u with a rank, and %u NIC port%s%s", c.gpus, orr_plural(c.gpus),
                            c.ranked, c.nets, orr_plural(c.nets), rccl ? "; version 2, as RCCL writes" : "");
    else
        orr_note_recognised(draft,
                            "a topology file for NCCL_TOPO_FILE, as cloud providers ship them: places for %u GPU%s and "
                            "%u NIC%s, which NCCL fills in on the machine",
                            c.gpu_places, orr_plural(c.gpu_places), c.nic_places, orr_plural(c.nic_places));
    if (rccl)
        orr_note_assumed(draft, ORR_TOUCHES_ALL,
                         "a dump of RCCL is read as NCCL would: xgmi links between AMD GPUs, which NCCL does not know, "
                         "have no effect");
    if (!c.ranked) {
        orr_note_missing(
            draft,
            orr_draft_format(draft, "NCCL_TOPO_FILE=this.xml NCCL_TOPO_DUMP_FILE=full.xml ./all_reduce_perf -g %u",
                             c.gpu_places ? c.gpu_places : 8),
            "GPUs with a rank: let NCCL fill the file in on the machine");
        if ((c.gpu_places || open) && !draft->notes.machine_type)
            orr_note_missing(draft, "orrery analyze --assume TYPE this.xml",
                             "or take them from the type of the machine, if `orrery machines` lists it");
    }
}
