/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in a draft from a machine type: GPUs and NICs in the places that a provider's file has for them, and every
 * value that a reader assumed. Values from the input are kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/input/names.h"
#include "engine/machines/machine_types.h"

struct filler {
    struct orr_draft *draft;
    const struct orr_machine_type *type;
    struct orr_doc_node **gpus, **nics; /* pci nodes by bus id, as NVML and the kernel number them */
    uint32_t gpu_count, nic_count, new_gpus, new_nets, new_links, replaced;
    bool had_links;
};

/* Sets a value that the input does not contain. */
static void fill_attribute(struct filler *f, struct orr_doc_node *node, enum orr_attr attr, const char *value)
{
    const struct orr_attribute *there = orr_doc_attribute(node, attr);
    if (there && there->origin != ORR_VALUE_ASSUMED && *there->value)
        return;
    f->replaced += !there || strcmp(there->value, value) != 0;
    orr_doc_suppose(&f->draft->doc, node, attr, "%s", value);
}

static void fill_number(struct filler *f, struct orr_doc_node *node, enum orr_attr attr, int32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    fill_attribute(f, node, attr, text);
}

/* Inserts by bus id; slow, but a host has tens of devices, and an input with more than MOST is not a host. */
static void insert(struct orr_doc_node **list, uint32_t *count, struct orr_doc_node *node)
{
    enum { MOST = 1024 };
    const char *bus = orr_doc_word(node, ORR_ATTR_BUSID);
    uint32_t at = *count;
    if (at == MOST)
        return;
    for (; at > 0 && strcmp(orr_doc_word(list[at - 1], ORR_ATTR_BUSID), bus) > 0; at--)
        list[at] = list[at - 1];
    list[at] = node;
    ++*count;
}

static void collect(struct filler *f)
{
    const struct orr_draft *draft = f->draft;
    for (struct orr_doc_node *node = draft->doc.system; node; node = orr_doc_next(node, draft->doc.system)) {
        if (node->kind != ORR_ELEMENT_PCI)
            continue;
        const char *class = orr_doc_word(node, ORR_ATTR_CLASS);
        if (orr_doc_child(node, ORR_ELEMENT_GPU) || !strncmp(class, "0x03", 4))
            insert(f->gpus, &f->gpu_count, node);
        else if (orr_doc_child(node, ORR_ELEMENT_NIC) || !strncmp(class, "0x02", 4))
            insert(f->nics, &f->nic_count, node);
    }
    for (struct orr_doc_node *node = draft->doc.system; node; node = orr_doc_next(node, draft->doc.system))
        f->had_links |= node->kind == ORR_ELEMENT_NVLINK;
}

static struct orr_doc_node *child_of(struct filler *f, struct orr_doc_node *parent, enum orr_element_kind kind,
                                     bool *ret_new)
{
    struct orr_doc_node *child = orr_doc_child(parent, kind);
    *ret_new = !child;
    if (*ret_new) {
        child = orr_doc_add(&f->draft->doc, parent, kind, NULL);
        child->line = parent->line;
        child->column = parent->column;
    }
    return child;
}

static void fill_link(struct filler *f, struct orr_doc_node *pci)
{
    fill_attribute(f, pci, ORR_ATTR_LINK_SPEED, f->type->board->link_speed);
    fill_attribute(f, pci, ORR_ATTR_LINK_WIDTH, "16");
}

static void fill_gpu(struct filler *f, uint32_t index)
{
    bool added;
    struct orr_doc_node *pci = f->gpus[index], *gpu = child_of(f, pci, ORR_ELEMENT_GPU, &added);
    f->new_gpus += added;
    fill_link(f, pci);
    fill_number(f, gpu, ORR_ATTR_DEV, (int32_t)index);
    fill_number(f, gpu, ORR_ATTR_SM, orr_board_model(f->type->board)->sm);
    fill_number(f, gpu, ORR_ATTR_RANK, (int32_t)index);
    fill_number(f, gpu, ORR_ATTR_GDR, 1);
}

static void add_link(struct filler *f, struct orr_doc_node *gpu, const char *target, uint32_t count, const char *class)
{
    struct orr_doc_node *link = orr_doc_add(&f->draft->doc, gpu, ORR_ELEMENT_NVLINK, NULL);
    link->line = gpu->line;
    link->column = gpu->column;
    orr_doc_suppose(&f->draft->doc, link, ORR_ATTR_TARGET, "%s", target);
    orr_doc_suppose(&f->draft->doc, link, ORR_ATTR_COUNT_, "%u", count);
    orr_doc_suppose(&f->draft->doc, link, ORR_ATTR_TCLASS, "%s", class);
    f->new_links++;
}

/* Adds the board's NVLinks if the input has none at all; the same for C2C. */
static void join_gpu(struct filler *f, uint32_t index)
{
    const struct orr_gpu_board *board = f->type->board;
    struct orr_draft *draft = f->draft;
    struct orr_doc_node *gpu = orr_doc_child(f->gpus[index], ORR_ELEMENT_GPU);
    if (!gpu)
        return;
    if (!f->had_links && board->fabric == ORR_FABRIC_SWITCH)
        add_link(f, gpu, "fffffff:ffff:ff", (uint32_t)board->nvlinks, "0x068000");
    for (uint32_t peer = 0; !f->had_links && peer < f->gpu_count && peer < f->type->gpus; peer++) {
        uint32_t count = 0;
        if (peer == index || index >= f->type->gpus)
            continue;
        if (board->fabric == ORR_FABRIC_MESH)
            count = (uint32_t)(board->mesh[index][peer] - '0');
        else if (board->fabric == ORR_FABRIC_PAIRS && (index ^ 1u) == peer)
            count = (uint32_t)board->nvlinks;
        if (count)
            add_link(f, gpu, orr_doc_word(f->gpus[peer], ORR_ATTR_BUSID), count, "0x030200");
    }
    if (board->c2c_links && !orr_doc_child(gpu, ORR_ELEMENT_C2C)) {
        struct orr_doc_node *c2c = orr_doc_add(&draft->doc, gpu, ORR_ELEMENT_C2C, NULL);
        orr_doc_suppose(&draft->doc, c2c, ORR_ATTR_BW, "%d", board->c2c_mbps);
        orr_doc_suppose(&draft->doc, c2c, ORR_ATTR_COUNT_, "%d", board->c2c_links);
    }
}

static void fill_nic(struct filler *f, uint32_t index)
{
    bool added, new_net;
    const struct orr_machine_type *type = f->type;
    struct orr_doc_node *pci = f->nics[index], *nic = child_of(f, pci, ORR_ELEMENT_NIC, &added);
    struct orr_doc_node *net = child_of(f, nic, ORR_ELEMENT_NET, &new_net);
    char name[48], guid[16];
    f->new_nets += new_net;
    fill_link(f, pci);
    int before = (int)strcspn(type->net_name, "#");
    snprintf(name, sizeof name, "%.*s%u%s", before, type->net_name, index, type->net_name + before + 1);
    fill_attribute(f, net, ORR_ATTR_NAME, name);
    fill_number(f, net, ORR_ATTR_DEV, (int32_t)index);
    fill_attribute(f, net, ORR_ATTR_LATENCY, "0");
    fill_number(f, net, ORR_ATTR_SPEED, (int32_t)type->net_mbps);
    fill_attribute(f, net, ORR_ATTR_PORT, "1");
    snprintf(guid, sizeof guid, "0x%x", index + 1); /* without 0x, releases before 2.30 read all NICs as one card */
    fill_attribute(f, net, ORR_ATTR_GUID, guid);
    fill_attribute(f, net, ORR_ATTR_MAXCONN, "131072");
    fill_number(f, net, ORR_ATTR_GDR, type->net_gdr);
}

static void fill_cpu(struct filler *f, struct orr_doc_node *cpu)
{
    const struct orr_machine_type *type = f->type;
    const struct orr_attribute *arch = orr_doc_attribute(cpu, ORR_ATTR_ARCH);
    fill_attribute(f, cpu, ORR_ATTR_ARCH, type->arch);
    if (arch && strcmp(arch->value, type->arch) != 0)
        return; /* the machine is not of this type, so the type's CPU does not apply */
    static const enum orr_attr of_x86[] = {ORR_ATTR_VENDOR, ORR_ATTR_FAMILYID, ORR_ATTR_MODELID};
    for (size_t i = 0; !*type->cpu_vendor && i < sizeof of_x86 / sizeof of_x86[0]; i++)
        orr_doc_drop(&f->draft->doc, cpu, of_x86[i]);
    if (*type->cpu_vendor) {
        fill_attribute(f, cpu, ORR_ATTR_VENDOR, type->cpu_vendor);
        fill_number(f, cpu, ORR_ATTR_FAMILYID, type->cpu_family);
        fill_number(f, cpu, ORR_ATTR_MODELID, type->cpu_model);
    }
}

static void say(const struct filler *f)
{
    const struct orr_machine_type *type = f->type;
    struct orr_draft *draft = f->draft;
    orr_note_assumed(
        draft, ORR_TOUCHES_ALL,
        "the machine is assumed to be %s: %u GPU%s (sm %d), %u NIC port%s and %u NVLink element%s were filled in",
        type->title, f->new_gpus, orr_plural(f->new_gpus), orr_board_model(type->board)->sm, f->new_nets,
        orr_plural(f->new_nets), f->new_links, orr_plural(f->new_links));
    if (*type->unsure)
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "these facts about %s are not certain: %s", type->title, type->unsure);
    if (f->gpu_count != type->gpus)
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "%s has %u GPUs, the input has places for %u", type->title, type->gpus,
                         f->gpu_count);
    if (f->nic_count != type->nets)
        orr_note_assumed(draft, ORR_TOUCHES_GRAPHS | ORR_TOUCHES_CHANNELS,
                         "%s has %u NIC ports that collectives use, the input has places for %u NICs", type->title,
                         type->nets, f->nic_count);
}

void orr_draft_assume_type(struct orr_draft *draft, const struct orr_machine_type *type)
{
    struct filler f = {.draft = draft, .type = type};
    f.gpus = ORR_NEW(draft->doc.arena, struct orr_doc_node *, 1024);
    f.nics = ORR_NEW(draft->doc.arena, struct orr_doc_node *, 1024);
    if (orr_arena_starved(draft->doc.arena))
        return;
    orr_draft_find_places(draft, type);
    collect(&f);
    for (uint32_t i = 0; i < f.gpu_count; i++)
        fill_gpu(&f, i);
    for (uint32_t i = 0; i < f.gpu_count; i++)
        join_gpu(&f, i);
    for (uint32_t i = 0; i < f.nic_count; i++)
        fill_nic(&f, i);
    for (struct orr_doc_node *i = draft->doc.system; i; i = orr_doc_next(i, draft->doc.system))
        if (i->kind == ORR_ELEMENT_CPU)
            fill_cpu(&f, i);
    draft->notes.machine_type = type->name;
    say(&f);
}
