/* SPDX-License-Identifier: Apache-2.0 */
/* Gives NIC ports whose speed and GPUDirect RDMA are not in the input the values that the question assumes, and notes
 * them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "engine/input/draft.h"

/* mbps 0 keeps the values that the reader or the machine type assumed. */
static const struct {
    const char *word;
    uint32_t mbps;
    bool no_gdr;
} rows[] = {
    {"default", 0, false},        {"10", 10000, false},         {"25", 25000, false},
    {"50", 50000, false},         {"100", 100000, false},       {"200", 200000, false},
    {"400", 400000, false},       {"800", 800000, false},       {"default-no-gdr", 0, true},
    {"10-no-gdr", 10000, true},   {"25-no-gdr", 25000, true},   {"50-no-gdr", 50000, true},
    {"100-no-gdr", 100000, true}, {"200-no-gdr", 200000, true}, {"400-no-gdr", 400000, true},
    {"800-no-gdr", 800000, true},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const char *orr_assumed_nics_word(size_t row)
{
    return row < ROW_COUNT ? rows[row].word : NULL;
}

static bool is_assumed(const struct orr_doc_node *net, enum orr_attr attr)
{
    const struct orr_attribute *there = orr_doc_attribute(net, attr);
    return there && there->origin == ORR_VALUE_ASSUMED;
}

static bool has_gpu(const struct orr_doc_node *top)
{
    for (const struct orr_doc_node *node = top; node; node = orr_doc_next(node, top))
        if (node->kind == ORR_ELEMENT_GPU)
            return true;
    return false;
}

/* Whether a port is below a PCIe switch of a GPU. */
static bool is_near(const struct orr_doc_node *net)
{
    const struct orr_doc_node *pci = net;
    while (pci && pci->kind != ORR_ELEMENT_PCI)
        pci = pci->parent;
    return pci && pci->parent && pci->parent->kind == ORR_ELEMENT_PCI && has_gpu(pci->parent);
}

/* Counts the ports of assumed speed that may serve the GPUs: those below the GPUs' switches or, if there are none,
 * all. */
static uint32_t count_ports(const struct orr_doc_node *system, bool near_only)
{
    uint32_t count = 0;
    for (const struct orr_doc_node *net = system; net; net = orr_doc_next(net, system))
        count += net->kind == ORR_ELEMENT_NET && is_assumed(net, ORR_ATTR_SPEED) &&
                 atoi(orr_doc_word(net, ORR_ATTR_GDR)) != 0 && (!near_only || is_near(net));
    return count;
}

/* Servers have a network that matches the generation of their GPUs: if there are one or two NICs for each GPU, these
 * carry this much together. */
static void follow_gpus(struct orr_draft *draft)
{
    static const struct {
        int sm;
        uint32_t mbps; /* sum of a GPU's NICs */
    } generations[] = {{90, 400000}, {80, 200000}, {0, 100000}};
    const struct orr_doc_node *system = draft->doc.system;
    uint32_t gpus = 0, near = count_ports(system, true);
    int sm = INT_MAX;
    size_t g = 0;
    for (const struct orr_doc_node *node = system; node; node = orr_doc_next(node, system)) {
        const int own = node->kind == ORR_ELEMENT_GPU ? atoi(orr_doc_word(node, ORR_ATTR_SM)) : INT_MAX;
        gpus += node->kind == ORR_ELEMENT_GPU;
        sm = own < sm ? own : sm;
    }
    const uint32_t ports = near ? near : count_ports(system, false);
    if (!gpus || ports < gpus || ports % gpus)
        return;
    while (generations[g].sm > sm)
        g++;
    const uint32_t mbps = generations[g].mbps / (ports / gpus);
    for (struct orr_doc_node *net = draft->doc.system; mbps > 100000 && net; net = orr_doc_next(net, system))
        if (net->kind == ORR_ELEMENT_NET && is_assumed(net, ORR_ATTR_SPEED) &&
            atoi(orr_doc_word(net, ORR_ATTR_GDR)) != 0 && (!near || is_near(net)))
            orr_doc_suppose(&draft->doc, net, ORR_ATTR_SPEED, "%u", mbps);
}

/* Ports without GPUDirect RDMA are not RDMA ports, and keep their assumed speed. */
static void fill_nic(struct orr_draft *draft, struct orr_doc_node *net, unsigned row, uint32_t mbps)
{
    const bool rdma = atoi(orr_doc_word(net, ORR_ATTR_GDR)) != 0;
    if (mbps && (rdma || rows[row].no_gdr) && is_assumed(net, ORR_ATTR_SPEED))
        orr_doc_suppose(&draft->doc, net, ORR_ATTR_SPEED, "%u", mbps);
    if (rows[row].no_gdr && is_assumed(net, ORR_ATTR_GDR))
        orr_doc_suppose(&draft->doc, net, ORR_ATTR_GDR, "0");
}

/* Whether two ports have the same assumed values: notes name only the first of equal ports. */
static bool alike(const struct orr_doc_node *net, const struct orr_doc_node *other)
{
    return is_assumed(other, ORR_ATTR_SPEED) &&
           !strcmp(orr_doc_word(net, ORR_ATTR_SPEED), orr_doc_word(other, ORR_ATTR_SPEED)) &&
           !strcmp(orr_doc_word(net, ORR_ATTR_GDR), orr_doc_word(other, ORR_ATTR_GDR));
}

void orr_draft_assume_nics(struct orr_draft *draft, unsigned row)
{
    const struct orr_doc_node *said[4], *system = draft->doc.system;
    uint32_t groups = 0;
    const uint32_t mbps = rows[row].mbps ? rows[row].mbps : draft->nic_mbps;
    draft->notes.nics_given = mbps != 0;
    if (!draft->notes.nics_given && !draft->notes.machine_type)
        follow_gpus(draft);
    for (struct orr_doc_node *net = draft->doc.system; net; net = orr_doc_next(net, system))
        if (net->kind == ORR_ELEMENT_NET)
            fill_nic(draft, net, row, mbps);
    for (const struct orr_doc_node *net = system; net && groups < 4; net = orr_doc_next(net, system)) {
        bool before = false;
        uint32_t ports = 0;
        if (net->kind != ORR_ELEMENT_NET || !is_assumed(net, ORR_ATTR_SPEED))
            continue;
        for (uint32_t k = 0; k < groups; k++)
            before |= alike(net, said[k]);
        for (const struct orr_doc_node *k = net; k && !before; k = orr_doc_next(k, system))
            ports += k->kind == ORR_ELEMENT_NET && alike(net, k);
        if (before)
            continue;
        said[groups++] = net;
        const uint32_t speed = (uint32_t)atoi(orr_doc_word(net, ORR_ATTR_SPEED));
        const bool from_text = !rows[row].mbps && mbps && speed == mbps;
        orr_note_assumed(draft, ORR_TOUCHES_BANDWIDTH | ORR_TOUCHES_GDR,
                         "%u NIC port%s %s %g Gb/s%s, %s GPUDirect RDMA", ports, orr_plural(ports),
                         ports == 1 ? "has" : "have", speed / 1000.0,
                         from_text ? orr_draft_format(draft, " (line %u of the text says so)", draft->nic_line) : "",
                         atoi(orr_doc_word(net, ORR_ATTR_GDR)) ? "with" : "without");
        draft->notes.assumed_nics += ports;
    }
}
