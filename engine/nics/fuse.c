/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nics/fuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values of NCCL_NET_MERGE_LEVEL by increasing distance. */
enum level { LOC, PORT, PIX, PXB, P2C, PXN, PHB, SYS, APART, LEVEL_COUNT };
enum { MEMBERS = 4 };
static const char *const level_names[] = {"LOC", "PORT", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"};

struct merging {
    const struct orr_nic_fusion *f;
    uint8_t distance[ORR_MAX_NETS][ORR_MAX_NETS];
    bool placed[ORR_MAX_NETS];
    uint32_t made, fused; /* count of numbers for virtual devices; count of fused NICs, including those that NCCL does
                           * not find again */
};

struct group {
    uint32_t members[MEMBERS], count;
};

static int depth_of(const struct orr_doc_node *node)
{
    int depth = 0;
    while ((node = node->parent))
        depth++;
    return depth;
}

/* The nearest element around both, and its child towards each. */
static struct orr_doc_node *common(struct orr_doc_node *a, struct orr_doc_node *b, struct orr_doc_node **ret_a,
                                   struct orr_doc_node **ret_b)
{
    int depth_a = depth_of(a), depth_b = depth_of(b);
    *ret_a = a;
    *ret_b = b;
    while (a != b) {
        bool up_a = depth_a >= depth_b, up_b = depth_b >= depth_a;
        if (up_a) {
            *ret_a = a;
            a = a->parent;
            depth_a--;
        }
        if (up_b) {
            *ret_b = b;
            b = b->parent;
            depth_b--;
        }
    }
    return a;
}

static bool functions_of_one_card(const struct orr_doc_node *a, const struct orr_doc_node *b)
{
    const char *one = orr_doc_get(a, ORR_ATTR_BUSID), *other = orr_doc_get(b, ORR_ATTR_BUSID);
    size_t length = one ? strlen(one) : 0;
    return length && other && strlen(other) == length && !strncmp(one, other, length - 1);
}

static enum level distance_of(struct orr_doc_node *a, struct orr_doc_node *b)
{
    struct orr_doc_node *in_a, *in_b, *at = common(a, b, &in_a, &in_b);
    if (a == b || at->kind == ORR_ELEMENT_NIC || functions_of_one_card(in_a, in_b))
        return PORT;
    if (at->kind == ORR_ELEMENT_PCI) /* from <net> over <nic> to <pci>, the card itself */
        return in_a == a->parent->parent && in_b == b->parent->parent ? PIX : PXB;
    return at->kind == ORR_ELEMENT_CPU ? PHB : SYS;
}

static struct orr_doc_node *net_of(const struct merging *m, const struct group *group, uint32_t member)
{
    return m->f->nics[group->members[member]].net;
}

/* The nearest element around all members; two ports of one device share their <net>. */
static struct orr_doc_node *place_of(const struct merging *m, const struct group *group)
{
    struct orr_doc_node *at = net_of(m, group, 0)->parent, *in_a, *in_b;
    for (uint32_t i = 1; i < group->count; i++)
        at = common(at, net_of(m, group, i), &in_a, &in_b);
    return at;
}

/* Whether the members are neither ports nor functions of one card, so that they use several slots. */
static bool has_slots(const struct merging *m, const struct group *group, const struct orr_doc_node *place)
{
    const struct orr_doc_node *first = NULL;
    bool several = false;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct orr_doc_node *branch = net_of(m, group, i);
        while (branch->parent != place)
            branch = branch->parent;
        first = first ? first : branch;
        several = several || !functions_of_one_card(first, branch);
    }
    return several && (place->kind == ORR_ELEMENT_PCI || place->kind == ORR_ELEMENT_CPU);
}

static bool is_around(const struct merging *m, const struct group *group, const struct orr_doc_node *node)
{
    for (uint32_t i = 0; i < group->count; i++)
        for (const struct orr_doc_node *at = net_of(m, group, i); at; at = at->parent)
            if (at == node)
                return true;
    return false;
}

/* PCIe lanes from the members up to a place: the sum over its branches, each no wider than its own link. */
static long lanes_into(const struct merging *m, const struct group *group, const struct orr_doc_node *place)
{
    long sum = 0;
    for (const struct orr_doc_node *branch = place->first; branch; branch = branch->after) {
        const char *text = orr_doc_get(branch, ORR_ATTR_LINK_WIDTH);
        if (branch->kind != ORR_ELEMENT_PCI || !is_around(m, group, branch))
            continue;
        long own = text ? strtol(text, NULL, 0) : 0, below = lanes_into(m, group, branch);
        sum += below > 0 && (own <= 0 || below < own) ? below : own;
    }
    return sum;
}

/* A new <pci> with the attributes of the first member's and the next bus id that is free. */
static struct orr_doc_node *add_card(struct merging *m, const struct group *group, struct orr_doc_node *parent)
{
    struct orr_doc *tree = m->f->tree;
    const struct orr_doc_node *first = net_of(m, group, 0)->parent->parent;
    const char *bus_id = first->kind == ORR_ELEMENT_PCI ? orr_doc_get(first, ORR_ATTR_BUSID) : NULL;
    unsigned domain, bus, device, function;
    char made[32];
    if (!bus_id || sscanf(bus_id, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
        return parent;
    uint64_t id = (uint64_t)domain << 20 | (bus & 255u) << 12 | (device & 31u) << 4 | (function & 15u);
    do {
        id++;
        snprintf(made, sizeof made, "%04x:%02x:%02x.%x", (unsigned)(id >> 20), (unsigned)(id >> 12 & 255),
                 (unsigned)(id >> 4 & 255), (unsigned)(id & 15));
    } while (orr_doc_find(tree->system, ORR_ELEMENT_PCI, ORR_ATTR_BUSID, made));
    struct orr_doc_node *pci = orr_doc_add(tree, parent, ORR_ELEMENT_PCI, NULL);
    orr_doc_set_all(tree, pci, first);
    orr_doc_set(tree, pci, ORR_ATTR_BUSID, "%s", made);
    return pci;
}

static void set_lanes(struct merging *m, struct orr_doc_node *node, long lanes)
{
    if (node->kind == ORR_ELEMENT_PCI && lanes > 0)
        orr_doc_set(m->f->tree, node, ORR_ATTR_LINK_WIDTH, "%ld", lanes);
}

/* Gives the element that the members share the sum of the widths of their slots. */
static void widen(struct merging *m, const struct group *group, struct orr_doc_node *place, struct orr_doc_node *card)
{
    long lanes = lanes_into(m, group, place);
    if (m->f->rules.merge < ORR_MERGE_VIRTUAL_WIDE || !has_slots(m, group, place))
        return;
    for (uint32_t i = 0; i < group->count && m->f->rules.merge == ORR_MERGE_VIRTUAL_WIDE; i++)
        for (struct orr_doc_node *at = net_of(m, group, i)->parent; at != place; at = at->parent)
            set_lanes(m, at, lanes);
    set_lanes(m, place, lanes);
    set_lanes(m, card, lanes);
}

/* The element that holds the new <net>. */
static struct orr_doc_node *nic_for(struct merging *m, const struct group *group, struct orr_doc_node *place)
{
    const char *class = orr_doc_get(place, ORR_ATTR_CLASS);
    bool any_switch = m->f->rules.merge < ORR_MERGE_VIRTUAL; /* whatever its class is */
    bool to_bridge = place->kind == ORR_ELEMENT_PCI && (any_switch || (class && !strcmp(class, "0x060400")));
    bool to_cpu = place->kind == ORR_ELEMENT_CPU && m->f->rules.merge >= ORR_MERGE_VIRTUAL_WIDE;
    struct orr_doc_node *holder = to_bridge || to_cpu ? add_card(m, group, place) : place;
    widen(m, group, place, holder);
    if (holder->kind == ORR_ELEMENT_NIC)
        return holder;
    struct orr_doc_node *nic = orr_doc_child(holder, ORR_ELEMENT_NIC);
    return nic ? nic : orr_doc_add(m->f->tree, holder, ORR_ELEMENT_NIC, NULL);
}

static void refuse(const struct merging *m, const char *why)
{
    if (m->f->refused)
        m->f->refused(m->f->context, why);
}

static bool used_otherwise(const struct merging *m, const struct orr_doc_node *net)
{
    const char *gin = orr_doc_get(net, ORR_ATTR_GIN), *rma = orr_doc_get(net, ORR_ATTR_RMA);
    return m->f->rules.merge >= ORR_MERGE_VIRTUAL_SLOT && ((gin && atoi(gin) == 1) || (rma && atoi(rma) == 1));
}

/* Puts the new NIC into the tree, except up to 2.26.6 if its members are ports of one <nic>: NCCL does not look into a
 * <nic> of a <nic>, so the ports themselves stay. */
static void place_merged(struct merging *m, const struct group *group, uint32_t dev, const char *name, int32_t speed)
{
    struct orr_doc_node *place = place_of(m, group);
    if (place == m->f->tree->system && m->f->rules.merge >= ORR_MERGE_VIRTUAL_SLOT) {
        refuse(m, "NCCL does not fuse NICs of different CPUs");
        return;
    }
    if (place->kind == ORR_ELEMENT_NIC && m->f->rules.merge < ORR_MERGE_VIRTUAL)
        return;
    m->fused++;
    struct orr_doc_node *nic = nic_for(m, group, place);
    for (uint32_t i = 0; i < group->count; i++) {
        struct orr_doc_node *net = net_of(m, group, i);
        net->claimed = used_otherwise(m, net);
        if (net->claimed)
            orr_doc_set(m->f->tree, net, ORR_ATTR_NET_, "0");
    }
    struct orr_doc_node *net = orr_doc_add(m->f->tree, nic, ORR_ELEMENT_NET, NULL);
    orr_doc_set(m->f->tree, net, ORR_ATTR_NAME, "%s", name);
    m->f->describe(m->f->context, net, group->members, group->count, dev, name, speed);
    net->claimed = true;
}

/* Fuses members; false if the plugin refuses. */
static bool merge(struct merging *m, const struct group *group)
{
    const struct orr_nic_fusion *f = m->f;
    const struct orr_fusable *first = &f->nics[group->members[0]];
    char name[ORR_FUSED_NAME_SIZE];
    int64_t speed = 0;
    size_t used = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct orr_fusable *member = &f->nics[group->members[i]];
        if (member->infiniband != first->infiniband || used + strlen(member->name) + 2 > sizeof name)
            return false;
        used += (size_t)snprintf(name + used, sizeof name - used, "%s%s", i ? "+" : "", member->name);
        speed += member->speed;
    }
    if (!f->rules.enabled)
        return false;
    place_merged(m, group, f->count + m->made++, name, (int32_t)speed);
    return true;
}

/* Up to 2.26.6, a NIC that is fused with none becomes a virtual device of its own, with the next number. NCCL then
 * removes the virtual device only if CollNet does not have it, so a NIC with coll="1" is lost. */
static void keep_alone(struct merging *m, uint32_t nic)
{
    struct orr_doc_node *net = m->f->nics[nic].net;
    const char *coll = orr_doc_get(net, ORR_ATTR_COLL);
    if (m->f->rules.merge >= ORR_MERGE_VIRTUAL)
        return;
    orr_doc_set(m->f->tree, net, ORR_ATTR_DEV, "%u", m->f->count + m->made++);
    net->claimed = !coll || strcmp(coll, "1") != 0;
}

/* Whether one entry "name[:port]" of a group means this NIC. */
static bool is_meant(const struct orr_fusable *net, const char *entry, size_t length)
{
    size_t word = strcspn(entry, ":,;");
    bool same = strlen(net->name) == word && !strncmp(net->name, entry, word);
    return same && (word >= length || strtol(entry + word + 1, NULL, 10) == net->port);
}

/* Whether one of the entries of a group, "name[:port]" each, means this NIC. */
static bool is_listed(const struct orr_fusable *net, const char *list, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t entry = strcspn(list + at, ",;");
        if (entry && is_meant(net, list + at, entry))
            return true;
        at += entry + 1;
    }
    return false;
}

static uint32_t count_entries(const char *list, size_t length)
{
    uint32_t count = 0;
    for (size_t at = 0; at < length;) {
        size_t entry = strcspn(list + at, ",;");
        count += entry > 0;
        at += entry + 1;
    }
    return count;
}

/* Members are in the order of the devices, regardless of the order of the list. */
static void merge_forced(struct merging *m, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ";");
        struct group group = {.count = 0};
        uint32_t listed = count_entries(list, length);
        for (uint32_t i = 0; i < m->f->count && listed; i++)
            if (!m->placed[i] && group.count < MEMBERS && is_listed(&m->f->nics[i], list, length)) {
                group.members[group.count++] = i;
                m->placed[i] = true;
            }
        if (group.count != listed)
            refuse(m, "a group of NCCL_NET_FORCE_MERGE does not name its NICs exactly");
        else if (listed > 1 && !merge(m, &group))
            refuse(m, "the network plugin does not fuse a group of NCCL_NET_FORCE_MERGE");
        else if (listed == 1)
            keep_alone(m, group.members[0]);
        list += length + (list[length] == ';');
    }
}

static void merge_near(struct merging *m, enum level level)
{
    for (uint32_t i = 0; i < m->f->count; i++) {
        struct group group = {.members = {i}, .count = 1};
        if (m->placed[i])
            continue;
        m->placed[i] = true;
        for (uint32_t j = 0; j < m->f->count && group.count < MEMBERS; j++)
            if (!m->placed[j] && m->distance[i][j] <= level) {
                group.members[group.count++] = j;
                m->placed[j] = true;
            }
        if (group.count == 1)
            keep_alone(m, i);
        if (group.count == 1 || merge(m, &group))
            continue;
        if (m->f->rules.merge == ORR_MERGE_VIRTUAL_ONCE) {
            refuse(m, "the network plugin does not fuse NICs that are near each other; NCCL_NET_MERGE_LEVEL=LOC leaves "
                      "them apart");
            return;
        }
        for (uint32_t k = 0; k < group.count; k++) {
            m->placed[group.members[k]] = false;
            m->distance[i][group.members[k]] = m->distance[group.members[k]][i] = APART;
        }
        i = 0; /* goes on with 1, like NCCL */
    }
}

/* Whether both NICs are on one rail, if the release only fuses NICs of one rail. */
static bool may_meet(const struct orr_nic_fusion *f, uint32_t i, uint32_t j)
{
    return !f->rules.by_rail || (f->nics[i].rail >= 0 && f->nics[i].rail == f->nics[j].rail);
}

static enum level wanted_level(const char *text)
{
    if (!text)
        return PORT;
    for (int level = LOC; level <= SYS; level++)
        if (!strncmp(text, level_names[level], strlen(level_names[level])))
            return (enum level)level;
    return LOC;
}

uint32_t orr_nics_fuse(const struct orr_nic_fusion *fusion)
{
    struct merging *m = ORR_NEW(fusion->tree->arena, struct merging, 1);
    if (!m || orr_arena_starved(fusion->tree->arena))
        return 0;
    m->f = fusion;
    for (uint32_t i = 0; i < fusion->count; i++)
        for (uint32_t j = 0; j < fusion->count; j++)
            m->distance[i][j] =
                (uint8_t)(i == j                    ? LOC
                          : !may_meet(fusion, i, j) ? APART
                                                    : distance_of(fusion->nics[i].net, fusion->nics[j].net));
    if (fusion->rules.forced && *fusion->rules.forced)
        merge_forced(m, fusion->rules.forced);
    merge_near(m, wanted_level(fusion->rules.level));
    return m->fused;
}

/* Whether two NICs are the ports of one card. */
static bool same_card(const struct orr_fusable *a, const struct orr_fusable *b)
{
    const char *one = orr_doc_get(a->net, ORR_ATTR_GUID), *other = orr_doc_get(b->net, ORR_ATTR_GUID);
    return a->infiniband == b->infiniband && one && other && !strcmp(one, other) && distance_of(a->net, b->net) == PORT;
}

uint32_t orr_nics_fuse_ports(const struct orr_nic_fusion *fusion)
{
    bool taken[ORR_MAX_NETS] = {false};
    uint32_t made = 0, dev = 0;
    for (uint32_t i = 0; i < fusion->count && fusion->rules.enabled; i++) {
        const struct orr_fusable *nic = &fusion->nics[i];
        uint32_t other = i + 1;
        if (taken[i])
            continue;
        while (other < fusion->count && (taken[other] || !same_card(nic, &fusion->nics[other])))
            other++;
        if (other == fusion->count) {
            orr_doc_set(fusion->tree, nic->net, ORR_ATTR_DEV, "%u", dev++);
            continue;
        }
        char name[ORR_FUSED_NAME_SIZE];
        taken[other] = true;
        snprintf(name, sizeof name, "%s+%s", nic->name, fusion->nics[other].name);
        orr_doc_set(fusion->tree, nic->net, ORR_ATTR_DEV, "%u", dev++);
        orr_doc_set(fusion->tree, nic->net, ORR_ATTR_NAME, "%s", name);
        orr_doc_set(fusion->tree, nic->net, ORR_ATTR_SPEED, "%d",
                    (int32_t)((int64_t)nic->speed + fusion->nics[other].speed));
        fusion->nics[other].net->claimed = false;
        made++;
    }
    return made;
}
