/* Virtual NICs: the devices that a running job uses as one, by how near they are in the tree of a rank. Members lose
 * their claim, so trimming drops them; the new device stands at the place that all share. docs/nccl/detection.md,
 * "Merged NICs". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/detect/detecting.h"

/* In increasing reach, as NCCL_NET_MERGE_LEVEL names them. */
enum level { LOC, PORT, PIX, PXB, P2C, PXN, PHB, SYS, APART, LEVEL_COUNT };
enum { MEMBERS = 4 };
static const char *const level_names[] = {"LOC", "PORT", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"};

struct merging {
    struct orr_detector *d;
    struct orr_doc_node *nets[ORR_MAX_NETS]; /* of the physical devices */
    uint8_t distance[ORR_MAX_NETS][ORR_MAX_NETS];
    bool placed[ORR_MAX_NETS];
    uint32_t count, made, rank;
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

/* What stands around both, and the elements right inside it on the way to each. */
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
    const char *one = orr_doc_get(a, "busid"), *other = orr_doc_get(b, "busid");
    size_t length = one ? strlen(one) : 0;
    return length && other && strlen(other) == length && !strncmp(one, other, length - 1);
}

static enum level distance_of(struct orr_doc_node *a, struct orr_doc_node *b)
{
    struct orr_doc_node *in_a, *in_b, *at = common(a, b, &in_a, &in_b);
    if (a == b || orr_doc_is(at, "nic") || functions_of_one_card(in_a, in_b))
        return PORT;
    if (orr_doc_is(at, "pci")) /* net, nic, pci: the card itself */
        return in_a == a->parent->parent && in_b == b->parent->parent ? PIX : PXB;
    return orr_doc_is(at, "cpu") ? PHB : SYS;
}

/* What stands around all members; two ports of one device share their <net>. */
static struct orr_doc_node *place_of(const struct merging *m, const struct group *group)
{
    struct orr_doc_node *at = m->nets[group->members[0]]->parent, *in_a, *in_b;
    for (uint32_t i = 1; i < group->count; i++)
        at = common(at, m->nets[group->members[i]], &in_a, &in_b);
    return at;
}

static bool is_around(const struct merging *m, const struct group *group, const struct orr_doc_node *node)
{
    for (uint32_t i = 0; i < group->count; i++)
        for (const struct orr_doc_node *at = m->nets[group->members[i]]; at; at = at->parent)
            if (at == node)
                return true;
    return false;
}

/* Lanes from the members up into a place: those of its branches together, each no wider than its own link. */
static long lanes_into(const struct merging *m, const struct group *group, const struct orr_doc_node *place)
{
    long sum = 0;
    for (const struct orr_doc_node *branch = place->first; branch; branch = branch->after) {
        const char *text = orr_doc_get(branch, "link_width");
        if (!orr_doc_is(branch, "pci") || !is_around(m, group, branch))
            continue;
        long own = text ? strtol(text, NULL, 0) : 0, below = lanes_into(m, group, branch);
        sum += below > 0 && (own <= 0 || below < own) ? below : own;
    }
    return sum;
}

/* A <pci> of its own with the attributes of the first member's and the next bus id that nobody has. */
static struct orr_doc_node *add_card(struct merging *m, const struct group *group, struct orr_doc_node *parent)
{
    long lanes = lanes_into(m, group, parent);
    struct orr_doc *tree = m->d->tree;
    const struct orr_doc_node *first = m->nets[group->members[0]]->parent->parent;
    const char *bus_id = orr_doc_is(first, "pci") ? orr_doc_get(first, "busid") : NULL;
    unsigned domain, bus, device, function;
    char made[ORR_FACT_BUS];
    if (!bus_id || sscanf(bus_id, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
        return parent;
    uint64_t id = (uint64_t)domain << 20 | (bus & 255u) << 12 | (device & 31u) << 4 | (function & 15u);
    do {
        id++;
        snprintf(made, sizeof made, "%04x:%02x:%02x.%x", (unsigned)(id >> 20), (unsigned)(id >> 12 & 255),
                 (unsigned)(id >> 4 & 255), (unsigned)(id & 15));
    } while (orr_doc_find(tree->system, "pci", "busid", made));
    struct orr_doc_node *pci = orr_doc_add(tree, parent, "pci", NULL);
    for (unsigned i = 0; i < first->attribute_count; i++)
        orr_doc_set(tree, pci, first->keys[i], "%s", strcmp(first->keys[i], "busid") ? first->values[i] : made);
    if (m->d->rules->merge == ORR_MERGE_VIRTUAL_WIDE && lanes)
        orr_doc_set(tree, pci, "link_width", "%ld", lanes);
    return pci;
}

/* False: the plugin refuses to merge them. */
static bool merge(struct merging *m, const struct group *group)
{
    struct orr_detector *d = m->d;
    struct orr_net_device made = d->nets[group->members[0]];
    size_t used = strlen(made.name);
    for (uint32_t i = 1; i < group->count; i++) {
        const struct orr_net_device *member = &d->nets[group->members[i]];
        if (member->infiniband != made.infiniband || used + strlen(member->name) + 2 > sizeof made.name)
            return false;
        used += (size_t)snprintf(made.name + used, sizeof made.name - used, "+%s", member->name);
        made.speed += member->speed;
    }
    if (!orr_detect_number_of(d, "NCCL_IB_MERGE_NICS", 1))
        return false;
    struct orr_doc_node *place = place_of(m, group);
    const char *class = orr_doc_get(place, "class");
    bool to_bridge = orr_doc_is(place, "pci") && class && !strcmp(class, "0x060400"),
         wide = d->rules->merge == ORR_MERGE_VIRTUAL_WIDE;
    if (wide && place == d->tree->system)
        return false;
    if (to_bridge || (wide && orr_doc_is(place, "cpu")))
        place = add_card(m, group, place);
    if (!orr_doc_is(place, "nic")) {
        struct orr_doc_node *nic = orr_doc_child(place, "nic", NULL, NULL);
        place = nic ? nic : orr_doc_add(d->tree, place, "nic", NULL);
    }
    for (uint32_t i = 0; i < group->count; i++)
        m->nets[group->members[i]]->claimed = false;
    struct orr_doc_node *net = orr_doc_add(d->tree, place, "net", NULL);
    orr_doc_set(d->tree, net, "name", "%s", made.name);
    orr_nic_describe(d, net, &made, m->count + m->made++, m->rank);
    return true;
}

/* Devices that one entry "name[:port]" of a group means. */
static bool is_meant(const struct orr_net_device *net, const char *entry, size_t length)
{
    size_t word = strcspn(entry, ":,;");
    bool same = strlen(net->name) == word && !strncmp(net->name, entry, word);
    return same && (word >= length || strtol(entry + word + 1, NULL, 10) == net->port);
}

static void merge_forced(struct merging *m, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ";");
        struct group group = {.count = 0};
        uint32_t listed = 0;
        for (size_t at = 0; at < length;) {
            size_t entry = strcspn(list + at, ",;");
            listed += entry > 0;
            for (uint32_t i = 0; i < m->count && entry; i++)
                if (!m->placed[i] && group.count < MEMBERS && is_meant(&m->d->nets[i], list + at, entry)) {
                    group.members[group.count++] = i;
                    m->placed[i] = true;
                }
            at += entry + 1;
        }
        bool whole = group.count == listed;
        if (!whole || (listed > 1 && !merge(m, &group)))
            orr_note(m->d, ORR_NOTE_NO_MERGE,
                     "NCCL_NET_FORCE_MERGE group \"%.*s\" cannot be merged: NCCL would not start",
                     (int)(length > 80 ? 80 : length), list);
        list += length + (list[length] == ';');
    }
}

static void merge_near(struct merging *m, enum level level)
{
    for (uint32_t i = 0; i < m->count; i++) {
        struct group group = {.members = {i}, .count = 1};
        if (m->placed[i])
            continue;
        m->placed[i] = true;
        for (uint32_t j = 0; j < m->count && group.count < MEMBERS; j++)
            if (!m->placed[j] && m->distance[i][j] <= level) {
                group.members[group.count++] = j;
                m->placed[j] = true;
            }
        if (group.count == 1 || merge(m, &group))
            continue;
        for (uint32_t k = 0; k < group.count; k++) {
            m->placed[group.members[k]] = false;
            m->distance[i][group.members[k]] = m->distance[group.members[k]][i] = APART;
        }
        i = 0; /* and goes on with 1, as NCCL does */
    }
}

/* Whether both are given one rail, where merging is to keep to rails. */
static bool may_meet(struct orr_detector *d, uint32_t i, uint32_t j)
{
    const char *policy = d->rules->rails ? orr_detect_setting_of(d, "NCCL_NET_MERGE_POLICY") : NULL;
    int32_t rail = d->nets[i].place.rail;
    return !policy || strcmp(policy, "RAIL") != 0 || (rail >= 0 && rail == d->nets[j].place.rail);
}

static enum level wanted_level(struct orr_detector *d)
{
    const char *text = orr_detect_setting_of(d, "NCCL_NET_MERGE_LEVEL");
    if (!text || !*text)
        return PORT;
    for (int level = LOC; level <= SYS; level++)
        if (!strncmp(text, level_names[level], strlen(level_names[level])))
            return (enum level)level;
    return LOC;
}

void orr_nics_merge(struct orr_detector *d, uint32_t rank)
{
    struct merging *m = ORR_NEW(d->arena, struct merging, 1);
    const char *forced = orr_detect_setting_of(d, "NCCL_NET_FORCE_MERGE");
    if (!m || d->tree->starved) {
        d->starved = true;
        return;
    }
    *m = (struct merging){.d = d, .rank = rank};
    for (; m->count < d->net_count && m->count < ORR_MAX_NETS; m->count++) {
        m->nets[m->count] = orr_doc_find(d->tree->system, "net", "name", d->nets[m->count].name);
        if (!m->nets[m->count])
            return;
    }
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t j = 0; j < m->count; j++)
            m->distance[i][j] = (uint8_t)(i == j               ? LOC
                                          : !may_meet(d, i, j) ? APART
                                                               : distance_of(m->nets[i], m->nets[j]));
    if (forced && *forced)
        merge_forced(m, forced);
    merge_near(m, wanted_level(d));
}
