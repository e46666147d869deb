/* SPDX-License-Identifier: Apache-2.0 */
/* Applies a job's NIC fusion to a dump, host by host. */
#include "engine/nics/fuse_hosts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/budget.h"
#include "engine/nics/efa.h"

/* The <cpu> around an element says which host it belongs to. */
const char *orr_doc_host_of(const struct orr_doc_node *node)
{
    while (node && node->kind != ORR_ELEMENT_CPU)
        node = node->parent;
    const char *hash = node ? orr_doc_get(node, ORR_ATTR_HOST_HASH) : NULL;
    return hash ? hash : "";
}

long orr_doc_number_of(const struct orr_doc_node *node, enum orr_attr attr, long fallback)
{
    const char *text = orr_doc_get(node, attr);
    return text && *text ? strtol(text, NULL, 0) : fallback;
}

/* NET/Socket gives its interfaces port 0 and their own number as guid. */
bool orr_doc_is_interface(const struct orr_doc_node *net)
{
    const char *guid = orr_doc_get(net, ORR_ATTR_GUID);
    char *end = NULL;
    unsigned long long card = guid ? strtoull(guid, &end, 16) : 0;
    return orr_doc_number_of(net, ORR_ATTR_PORT, 1) == 0 && guid && end != guid && !*end &&
           card == (unsigned long long)orr_doc_number_of(net, ORR_ATTR_DEV, -1);
}

/* Copies an attribute that the first member has; a latency goes through an int. */
static void copy_attribute(struct orr_doc *tree, struct orr_doc_node *net, const struct orr_doc_node *first,
                           enum orr_attr attr)
{
    const char *text = orr_doc_get(first, attr);
    if (text && attr == ORR_ATTR_LATENCY)
        orr_doc_set(tree, net, attr, "%d", (int)strtod(text, NULL));
    else if (text)
        orr_doc_set(tree, net, attr, "%s", text);
}

/* The rail that all members share, and the planes of all, as bits. */
static void describe_place(const struct orr_nic_fusion *fusion, struct orr_doc_node *net, const uint32_t *members,
                           uint32_t member_count)
{
    enum { PLANES_AS_BITS = 0x4000 };
    long rail = orr_doc_number_of(fusion->nics[members[0]].net, ORR_ATTR_RAIL, -1), planes = PLANES_AS_BITS;
    for (uint32_t i = 0; i < member_count; i++) {
        const struct orr_doc_node *member = fusion->nics[members[i]].net;
        long plane = orr_doc_number_of(member, ORR_ATTR_PLANE, -1);
        rail = orr_doc_number_of(member, ORR_ATTR_RAIL, -1) == rail ? rail : -1;
        planes |= plane >= 0 && plane < 14 ? 1L << plane : 0;
    }
    if (rail >= 0)
        orr_doc_set(fusion->tree, net, ORR_ATTR_RAIL, "%ld", rail);
    orr_doc_set(fusion->tree, net, ORR_ATTR_PLANE, "%ld", planes);
    orr_doc_set(fusion->tree, net, ORR_ATTR_NET_, "1");
}

struct fusing {
    struct orr_host_fusion *host;
    const struct orr_nic_fusion *fusion;
};

/* Writes NCCL's attributes of a fused NIC, which omit that its members have CollNet, GIN or RMA. */
static void describe(void *context, struct orr_doc_node *net, const uint32_t *members, uint32_t member_count,
                     uint32_t dev, const char *name, int32_t speed)
{
    static const enum orr_attr copied[] = {ORR_ATTR_LATENCY, ORR_ATTR_PORT, ORR_ATTR_GUID, ORR_ATTR_MAXCONN,
                                           ORR_ATTR_GDR};
    const struct fusing *f = context;
    const struct orr_nic_fusion *fusion = f->fusion;
    const struct orr_doc_node *first = fusion->nics[members[0]].net;
    net->line = first->line;
    net->column = first->column;
    orr_doc_set(fusion->tree, net, ORR_ATTR_NAME, "%s", name);
    orr_doc_set(fusion->tree, net, ORR_ATTR_DEV, "%u", dev);
    orr_doc_set(fusion->tree, net, ORR_ATTR_SPEED, "%d", speed);
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        copy_attribute(fusion->tree, net, first, copied[i]);
    if (fusion->rules.merge >= ORR_MERGE_VIRTUAL_SLOT)
        describe_place(fusion, net, members, member_count);
}

static void note_refusal(void *context, const char *why)
{
    struct fusing *f = context;
    f->host->refusal = f->host->refusal ? f->host->refusal : why;
}

/* The lowest rank whose own document has an element. NICs are in the documents of all ranks of the host. */
static int32_t first_seen(const struct orr_doc_node *node, int32_t host_rank)
{
    int32_t seen = INT32_MAX;
    if (node->kind == ORR_ELEMENT_NET)
        return node->claimed ? host_rank : INT32_MAX;
    if (node->kind == ORR_ELEMENT_GPU)
        return (int32_t)orr_doc_number_of(node, ORR_ATTR_RANK, INT32_MAX);
    for (const struct orr_doc_node *child = node->first; child; child = child->after) {
        int32_t own = first_seen(child, host_rank);
        seen = own < seen ? own : seen;
    }
    return seen;
}

static int32_t lowest_rank(const struct orr_doc *tree, const char *host)
{
    int32_t lowest = INT32_MAX;
    for (const struct orr_doc_node *node = tree->system->first; node; node = orr_doc_next(node, tree->system))
        if (node->kind == ORR_ELEMENT_GPU && !strcmp(orr_doc_host_of(node), host)) {
            int32_t rank = (int32_t)orr_doc_number_of(node, ORR_ATTR_RANK, INT32_MAX);
            lowest = rank < lowest ? rank : lowest;
        }
    return lowest;
}

/* Sorts children by insertion, within the budget. host_rank: the lowest rank of the host; -1 for the children of
 * <system>, which may belong to several hosts. */
static void sort_children(const struct orr_doc *tree, struct orr_doc_node *parent, int32_t host_rank)
{
    for (struct orr_doc_node *child = parent->first, *next; child && !orr_budget_spent(1); child = next) {
        bool place = child->kind == ORR_ELEMENT_PCI || child->kind == ORR_ELEMENT_CPU;
        next = child->after;
        int32_t rank = host_rank < 0 ? lowest_rank(tree, orr_doc_host_of(child)) : host_rank;
        child->seen = first_seen(child, rank);
        bool lost = child->kind == ORR_ELEMENT_NIC && parent == tree->system; /* NCCL's graph does not look there */
        if (lost || (place && child->seen == INT32_MAX)) {
            orr_doc_remove(child); /* no rank has it */
            continue;
        }
        struct orr_doc_node *at = child->before;
        while (at && at->seen > child->seen && !orr_budget_spent(1))
            at = at->before;
        if (at != child->before)
            orr_doc_move(child, parent, at ? at->after : parent->first);
        if (place)
            sort_children(tree, child, rank);
    }
}

void orr_order_by_rank(struct orr_doc *tree)
{
    sort_children(tree, tree->system, -1);
}

void orr_fuse_host(struct orr_host_fusion *host, const struct orr_fusable *nics, uint32_t count)
{
    struct orr_fusable own[ORR_MAX_NETS]; /* NCCL's own plugin drives no EFA NICs, and NET/Socket cannot fuse */
    const char *policy = orr_setting_in(ORR_SET_NET_MERGE_POLICY, host->settings->release)
                             ? orr_setting_text(host->settings, ORR_SET_NET_MERGE_POLICY)
                             : NULL;
    struct orr_nic_fusion fusion = {.tree = host->tree,
                                    .nics = own,
                                    .rules = {.merge = host->merge,
                                              .enabled = orr_setting_int(host->settings, ORR_SET_IB_MERGE_NICS) != 0,
                                              .by_rail = policy && !strcasecmp(policy, "RAIL"),
                                              .level = orr_setting_text(host->settings, ORR_SET_NET_MERGE_LEVEL),
                                              .forced = orr_setting_text(host->settings, ORR_SET_NET_FORCE_MERGE)},
                                    .describe = describe,
                                    .refused = note_refusal};
    struct fusing context = {.host = host, .fusion = &fusion};
    fusion.context = &context;
    for (uint32_t i = 0; i < count; i++)
        if (!orr_net_is_efa(nics[i].net) && !orr_doc_is_interface(nics[i].net)) /* NET/Socket cannot fuse */
            own[fusion.count++] = nics[i];
    if (!fusion.count)
        return;
    if (host->merge == ORR_MERGE_IN_PLUGIN)
        host->fused += orr_nics_fuse_ports(&fusion);
    else if (host->merge >= ORR_MERGE_VIRTUAL_ONCE)
        host->fused += orr_nics_fuse(&fusion);
    host->renumbered =
        host->renumbered || (fusion.count && host->merge > ORR_MERGE_IN_PLUGIN && host->merge < ORR_MERGE_VIRTUAL);
}
