/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nics/used.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/dump/edit.h"
#include "engine/nics/combine.h"
#include "engine/nics/efa.h"
#include "engine/nics/fuse_hosts.h"
#include "engine/nics/name_list.h"
#include "engine/nics/notes.h"
#include "engine/nics/ports.h"
#include "engine/release/detect_rules.h"

/* Filters that leave NICs out. */
enum { ORR_FILTER_HCA, ORR_FILTER_INTERFACES, ORR_FILTER_NICS, ORR_FILTERS };
struct orr_nic_filter {
    const char *name, *list; /* list is NULL if not given */
    bool sockets, others;    /* whether it applies to interfaces of NET/Socket, and to all other NICs */
    uint32_t left_out;
};

struct view {
    const struct orr_dump *dump;
    const struct orr_settings *settings;
    struct orr_arena *arena;
    struct orr_doc tree;
    struct orr_nic_filter filters[ORR_FILTERS];
    bool filtered;             /* some filter applies to NICs of this dump */
    uint32_t listed, left_out; /* NICs of the dump; those that the filters leave out */
    uint32_t grouped;          /* NICs made by Amazon's plugin */
    struct orr_host_fusion fusion;
    const char *first; /* a fused NIC, for the note */
    struct orr_view_notes notes;
};

/* The NICs of one host in order of `dev`; a host with more than ORR_MAX_NETS gives 0. */
static uint32_t collect(struct view *v, const char *host, struct orr_fusable nics[ORR_MAX_NETS])
{
    uint32_t count = 0;
    for (struct orr_doc_node *node = v->tree.system->first; node; node = orr_doc_next(node, v->tree.system)) {
        if (node->kind != ORR_ELEMENT_NET || strcmp(orr_doc_host_of(node), host) != 0)
            continue;
        if (count == ORR_MAX_NETS)
            return 0;
        long dev = orr_doc_number_of(node, ORR_ATTR_DEV, 0);
        uint32_t at = count++;
        for (; at > 0 && orr_doc_number_of(nics[at - 1].net, ORR_ATTR_DEV, 0) > dev; at--)
            nics[at] = nics[at - 1];
        long speed = orr_doc_number_of(node, ORR_ATTR_SPEED, 0);
        const char *name = orr_doc_get(node, ORR_ATTR_NAME);
        nics[at] = (struct orr_fusable){.net = node,
                                        .name = name ? name : "",
                                        .speed = (int32_t)speed,
                                        .port = (int32_t)orr_doc_number_of(node, ORR_ATTR_PORT, 1),
                                        .rail = (int32_t)orr_doc_number_of(node, ORR_ATTR_RAIL, -1),
                                        .infiniband = true};
        node->claimed = true;
    }
    return count;
}

/* A dump gives each function of a card a port number of its own, while NCCL_IB_HCA counts the ports of a device: of a
 * name without a number it is port 1. */
static bool is_wanted(struct view *v, const struct orr_fusable *nics, uint32_t count, uint32_t nic)
{
    bool alone = true;
    for (uint32_t i = 0; i < count; i++)
        alone = alone && (i == nic || strcmp(nics[i].name, nics[nic].name) != 0);
    bool interface = orr_doc_is_interface(nics[nic].net);
    int32_t port = interface ? -1 : alone ? 1 : nics[nic].port;
    for (int f = 0; f < ORR_FILTERS; f++) {
        struct orr_nic_filter *filter = &v->filters[f];
        if (filter->list && (interface ? filter->sockets : filter->others) &&
            !orr_list_takes(filter->list, nics[nic].name, port, NULL)) {
            filter->left_out++;
            return false;
        }
    }
    return true;
}

/* Omits the NICs that the filters exclude and renumbers the rest, as the plugin does. */
static void filter(struct view *v, struct orr_fusable *nics, uint32_t *count)
{
    uint32_t kept = 0;
    bool wanted[ORR_MAX_NETS];
    for (uint32_t i = 0; i < *count; i++)
        wanted[i] = is_wanted(v, nics, *count, i);
    for (uint32_t i = 0; i < *count; i++) {
        nics[i].net->claimed = wanted[i];
        if (!wanted[i]) {
            orr_doc_prune(nics[i].net);
            continue;
        }
        orr_doc_set(&v->tree, nics[i].net, ORR_ATTR_DEV, "%u", kept);
        nics[kept++] = nics[i];
    }
    v->left_out += *count - kept;
    *count = kept;
}

static void fuse(struct view *v, const struct orr_fusable *nics, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strchr(nics[i].name, '+'))
            return; /* fused already */
    orr_fuse_host(&v->fusion, nics, count);
    v->grouped += orr_nics_group_efa(&v->tree, nics, count);
}

/* Up to 2.26.6 NCCL drops the PCI devices without a NIC in use, but not a <net> by itself. */
static bool stays_with_others(const struct view *v, const struct orr_doc_node *net)
{
    const struct orr_doc_node *card = net;
    while (card && card->kind != ORR_ELEMENT_PCI && card->kind != ORR_ELEMENT_CPU)
        card = card->parent;
    if (v->fusion.merge <= ORR_MERGE_IN_PLUGIN || v->fusion.merge >= ORR_MERGE_VIRTUAL || !card ||
        card->kind != ORR_ELEMENT_PCI)
        return false;
    for (const struct orr_doc_node *node = card->first; node; node = orr_doc_next(node, card))
        if (node->kind == ORR_ELEMENT_NET && node->claimed)
            return true;
    return false;
}

/* Removes unclaimed elements; keeps the name of a fused NIC for the note. */
static void prune(struct view *v)
{
    for (struct orr_doc_node *node = v->tree.system->first, *next; node; node = next) {
        next = orr_doc_next(node, v->tree.system);
        if (node->kind != ORR_ELEMENT_NET)
            continue;
        const char *name = orr_doc_get(node, ORR_ATTR_NAME);
        if (node->claimed && name && strchr(name, '+') && !v->first)
            v->first = name;
        if (!node->claimed && !stays_with_others(v, node))
            orr_doc_prune(node);
    }
}

/* Whether the dump is used unchanged: NCCL's own XML with nothing filled in, or the tree of a log, which a job printed
 * after fusing its NICs. */
static bool is_nccls(const struct orr_dump *dump)
{
    const struct orr_dump_notes *notes = dump->notes;
    return !notes || !strcmp(notes->kind, "nccl-log") ||
           (!strcmp(notes->kind, "nccl-topology") && !notes->machine_type);
}

static uint32_t count_nets(const struct orr_dump *dump)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < dump->element_count; i++)
        count += dump->elements[i].kind == ORR_ELEMENT_NET;
    return count;
}

/* Adds a note if a job would fuse NICs that the dump lists. */
static void say_unfused(struct view *v, bool by_default)
{
    uint32_t other,
        port = by_default && v->fusion.merge != ORR_MERGE_NONE && orr_setting_int(v->settings, ORR_SET_IB_MERGE_NICS)
                   ? orr_fusable_ports(v->dump, &other)
                   : ORR_NO_ELEMENT;
    if (by_default && orr_efa_are_apart(v->dump))
        orr_view_note(&v->notes, "NICs are kept as the dump lists them. Amazon's plugin (aws-ofi-nccl) shows NCCL a "
                                 "group of EFA NICs for each GPU; --fuse-nics always (fuse_nics=always) predicts that");
    if (port == ORR_NO_ELEMENT)
        return;
    orr_view_note(&v->notes,
                  "NICs are kept as the dump lists them. When a job runs, NCCL %s fuses ports of one card, such as %s "
                  "and %s; --fuse-nics always (fuse_nics=always) predicts that",
                  v->settings->release->name, orr_element_text(v->dump, port, ORR_ATTR_NAME),
                  orr_element_text(v->dump, other, ORR_ATTR_NAME));
}

/* The same dump with notes. */
static enum orr_code with_notes(struct view *v, const struct orr_dump **ret_dump, struct orr_error *err)
{
    struct orr_dump *copy = v->notes.count ? ORR_NEW(v->arena, struct orr_dump, 1) : NULL;
    *ret_dump = v->dump;
    if (!v->notes.count)
        return ORR_OK;
    ORR_NEED(copy, err);
    *copy = *v->dump;
    copy->arena = NULL;
    *ret_dump = copy;
    return orr_view_notes_add(&v->notes, v->dump, copy) ? ORR_OK : orr_fail_nomem(err);
}

static enum orr_code no_nic_left(const struct view *v, struct orr_error *err)
{
    char known[200] = "";
    const struct orr_nic_filter *filter = v->filters;
    for (uint32_t i = 0; i < v->dump->element_count; i++) {
        const char *name =
            v->dump->elements[i].kind == ORR_ELEMENT_NET ? orr_element_text(v->dump, i, ORR_ATTR_NAME) : NULL;
        size_t used = strlen(known);
        if (name && used + strlen(name) + 3 < sizeof known)
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", name);
    }
    while (!filter->list)
        filter++;
    orr_fail(err, ORR_SETTING, "%s=%.80s selects none of this machine's %u NICs", filter->name, filter->list,
             v->listed);
    orr_error_where(err, "%s", filter->name);
    orr_error_advice(err, "the NICs are named %s", known);
    return ORR_SETTING;
}

static void say(struct view *v, uint32_t left)
{
    const char *release = v->settings->release->name;
    for (int f = 0; f < ORR_FILTERS; f++)
        if (v->filters[f].left_out)
            orr_view_note(&v->notes, "%s=%.120s leaves out %u of %u NICs", v->filters[f].name, v->filters[f].list,
                          v->filters[f].left_out, v->listed);
    if (v->fusion.fused)
        orr_view_note(&v->notes,
                      "NICs are fused as NCCL %s fuses them when a job runs: %u NIC%s in place of %u, such as %.200s",
                      release, left, orr_plural(left), v->listed - v->left_out, v->first ? v->first : "");
    if (v->grouped)
        orr_view_note(&v->notes,
                      "EFA NICs are grouped as Amazon's plugin (aws-ofi-nccl) presents them to NCCL: %u NIC%s in place "
                      "of %u, each as fast as its members together",
                      left, orr_plural(left), v->listed - v->left_out);
}

/* One host after the other: each <cpu> whose host was not seen before. */
static enum orr_code change_hosts(struct view *v, bool fuses, struct orr_error *err)
{
    enum { MOST = 576 }; /* the most nodes of one kind in NCCL's largest graph */
    uint32_t cpus = 0;
    for (struct orr_doc_node *cpu = v->tree.system->first; cpu; cpu = cpu->after)
        cpus++;
    if (cpus > MOST)
        return orr_fail(err, ORR_LIMIT, "NICs of a dump with %u CPUs cannot be selected or fused: the limit is %d",
                        cpus, (int)MOST);
    orr_doc_count_gpus(&v->tree);
    for (struct orr_doc_node *cpu = v->tree.system->first; cpu && !orr_arena_starved(v->tree.arena); cpu = cpu->after) {
        struct orr_fusable nics[ORR_MAX_NETS];
        const struct orr_doc_node *earlier = v->tree.system->first;
        while (earlier != cpu && strcmp(orr_doc_host_of(earlier), orr_doc_host_of(cpu)) != 0)
            earlier = earlier->after;
        if (earlier != cpu)
            continue;
        uint32_t count = collect(v, orr_doc_host_of(cpu), nics);
        if (v->filtered)
            filter(v, nics, &count);
        if (fuses && count)
            fuse(v, nics, count);
    }
    return ORR_OK;
}

/* NCCL_NET names the network; which one a dump's NICs belong to was decided when the dump was written. */
static enum orr_code check_network(struct view *v, bool interfaces, bool others, struct orr_error *err)
{
    bool known = orr_setting_in(ORR_SET_NET, v->settings->release);
    const char *network = known ? orr_setting_text(v->settings, ORR_SET_NET) : NULL;
    bool socket = network && !strcasecmp(network, "Socket");
    if (!network || (!interfaces && !others))
        return ORR_OK;
    if ((socket && interfaces && !others) || (!socket && others && !interfaces)) {
        orr_view_note(&v->notes, "NCCL_NET=%.60s is assumed to be the network that the NICs of this machine belong to",
                      network);
        return ORR_OK;
    }
    orr_fail(err, ORR_SETTING, "NCCL_NET=%.60s needs %s, and this machine's list has %s", network,
             socket ? "interfaces of NET/Socket" : "NICs of that network",
             socket ? "NICs of another network" : "interfaces of NET/Socket");
    orr_error_where(err, "NCCL_NET");
    orr_error_advice(err, "take the dump (NCCL_TOPO_DUMP_FILE) in a job with NCCL_NET=%.60s", network);
    return ORR_SETTING;
}

enum orr_code orr_nics_used(const struct orr_dump *dump, const struct orr_settings *settings, struct orr_arena *arena,
                            const struct orr_dump **ret_dump, struct orr_error *err)
{
    struct view v = {.dump = dump,
                     .settings = settings,
                     .fusion = {.settings = settings, .merge = orr_nic_merge_of(settings->release)},
                     .arena = arena,
                     .notes = {.arena = arena},
                     .filters = {
                         [ORR_FILTER_HCA] = {"NCCL_IB_HCA", orr_setting_text(settings, ORR_SET_IB_HCA), .others = true},
                         [ORR_FILTER_INTERFACES] = {"NCCL_SOCKET_IFNAME",
                                                    orr_setting_text(settings, ORR_SET_SOCKET_IFNAME), .sockets = true},
                         [ORR_FILTER_NICS] = {"nics", settings->nics, .sockets = true, .others = true},
                     }};
    bool interfaces = false, others = false, of_network = false;
    bool automatic = settings->fuse_nics == ORR_FUSE_AUTO;
    bool fuses = settings->fuse_nics == ORR_FUSE_ALWAYS || (automatic && !is_nccls(dump));
    for (uint32_t i = 0; i < dump->element_count; i++)
        if (dump->elements[i].kind == ORR_ELEMENT_NET) {
            bool interface = orr_element_int(dump, i, ORR_ATTR_PORT, 1) == 0 && orr_card_is_port_number(dump, i);
            bool for_gin_alone = settings->release->has_gin && !orr_element_int(dump, i, ORR_ATTR_NET_, 1);
            interfaces |= interface;
            others |= !interface;
            of_network |= !interface && !for_gin_alone;
        }
    ORR_TRY(check_network(&v, interfaces, of_network, err));
    for (int f = 0; f < ORR_FILTERS; f++)
        v.filtered |= v.filters[f].list && ((interfaces && v.filters[f].sockets) || (others && v.filters[f].others));
    v.listed = v.filtered || fuses ? count_nets(dump) : 0;
    if (!v.listed) {
        say_unfused(&v, automatic && is_nccls(dump));
        return with_notes(&v, ret_dump, err);
    }
    orr_doc_open(&v.tree, dump, arena);
    v.fusion.tree = &v.tree;
    ORR_TRY(change_hosts(&v, fuses, err));
    if (v.left_out == v.listed)
        return no_nic_left(&v, err);
    prune(&v);
    if (v.fusion.fused && v.fusion.merge >= ORR_MERGE_VIRTUAL_ONCE)
        orr_order_by_rank(&v.tree);
    if (v.fusion.refusal)
        return orr_fail(err, ORR_SETTING, "NCCL %s would not start: %s", settings->release->name, v.fusion.refusal);
    if (!orr_arena_starved(v.tree.arena) && !v.left_out && !v.fusion.fused && !v.grouped && !v.fusion.renumbered)
        return with_notes(&v, ret_dump, err);
    struct orr_dump *changed = orr_doc_to_dump(&v.tree, dump);
    ORR_NEED(changed, err);
    say(&v, count_nets(changed));
    *ret_dump = changed;
    return !orr_arena_starved(v.tree.arena) && orr_view_notes_add(&v.notes, dump, changed) ? ORR_OK
                                                                                           : orr_fail_nomem(err);
}
