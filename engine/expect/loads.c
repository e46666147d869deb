/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/expect/loads.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/base/words.h"
#include "engine/cluster/cluster.h"

ORR_WORD_LIST(orr_bottleneck_name, size_t, "nics", "nvlink", "nvls", "pcie", "cpu", "channels")

enum orr_code orr_loads_make(const struct orr_part *part, enum orr_peer_traffic peers, struct orr_arena *arena,
                             struct orr_loads *ret_loads, struct orr_error *err)
{
    double *links = ORR_NEW(arena, double, part->system.link_count);
    ORR_NEED(links, err);
    *ret_loads = (struct orr_loads){.part = part, .peers = peers, .links = links};
    return ORR_OK;
}

static void add_path(struct orr_loads *loads, const struct orr_path *path, double load)
{
    for (uint32_t i = 0; i < path->hops; i++)
        loads->links[loads->part->paths.links[path->first + i]] += load;
}

/* Whether a path goes only through PCIe switches, with no GPU between its ends. */
static bool is_redirected(const struct orr_loads *loads, const struct orr_path *path)
{
    const struct orr_system *system = &loads->part->system;
    if (loads->peers == ORR_PEERS_BY_SWITCH || (path->type != ORR_PATH_PIX && path->type != ORR_PATH_PXB))
        return false;
    for (uint32_t i = 0; i + 1 < path->hops; i++) {
        enum orr_node_type type = system->nodes[orr_path_node(&loads->part->paths, path, i)].type;
        if (type == ORR_GPU || type == ORR_CPU || type == ORR_NVS)
            return false;
    }
    return true;
}

/* The CPU that is nearest to a node; ORR_NO_NODE if none is reached. */
static uint32_t nearest_cpu(const struct orr_loads *loads, uint32_t node)
{
    const struct orr_system *system = &loads->part->system;
    uint32_t best = ORR_NO_NODE, least = UINT32_MAX;
    for (uint32_t cpu = system->first[ORR_CPU]; cpu < system->first[ORR_CPU + 1]; cpu++) {
        const struct orr_path *path = orr_path(&loads->part->paths, node, cpu);
        if (path->hops && path->hops < least)
            best = cpu, least = path->hops;
    }
    return best;
}

void orr_loads_add(struct orr_loads *loads, uint32_t from, uint32_t to, double load)
{
    const struct orr_paths *paths = &loads->part->paths;
    if (from == ORR_NO_NODE || to == ORR_NO_NODE || !orr_paths_has(paths, from) || !orr_paths_has(paths, to))
        return;
    const struct orr_path *path = orr_path(paths, from, to);
    uint32_t cpu = is_redirected(loads, path) ? nearest_cpu(loads, from) : ORR_NO_NODE;
    if (cpu == ORR_NO_NODE) {
        add_path(loads, path, load);
        return;
    }
    add_path(loads, orr_path(paths, from, cpu), load);
    add_path(loads, orr_path(paths, cpu, to), load);
}

const struct orr_part *orr_member_part(const struct orr_analysis *analysis, const struct orr_member *member)
{
    const struct orr_cluster *cluster = analysis->cluster;
    if (cluster)
        analysis = cluster->kinds[cluster->systems[member->host].kind].analysis;
    const struct orr_part *part = analysis->parts;
    while (&part->contribution != member->contribution)
        part++;
    return part;
}

static bool leads_to(const struct orr_system *system, const struct orr_link *link, enum orr_node_type type)
{
    return system->nodes[link->from].type == type || system->nodes[link->to].type == type;
}

static enum orr_link_kind kind_of(const struct orr_system *system, uint32_t link)
{
    const struct orr_link *l = &system->links[link];
    return orr_link_kind(l->type, system->nodes[l->from].type, system->nodes[l->to].type);
}

/* The kind of limit that a full link causes. */
static enum orr_bottleneck link_kind(const struct orr_system *system, uint32_t link)
{
    static const enum orr_bottleneck bounds[ORR_LINK_KIND_COUNT] = {
        [ORR_LINKS_NICS] = ORR_BOUND_NICS,
        [ORR_LINKS_NVLINK] = ORR_BOUND_NVLINK,
        [ORR_LINKS_PCIE] = ORR_BOUND_PCIE,
        [ORR_LINKS_CPU] = ORR_BOUND_CPU,
    };
    return bounds[kind_of(system, link)];
}

static double use_of(const struct orr_loads *loads, uint32_t link)
{
    const struct orr_link *l = &loads->part->system.links[link];
    return l->bw > 0 && l->type != ORR_LINK_LOC ? loads->links[link] / (double)l->bw : 0; /* LOC: no limit */
}

double orr_loads_pcie(const struct orr_loads *loads)
{
    const struct orr_system *system = &loads->part->system;
    double most = 0;
    for (uint32_t l = 0; l < system->link_count; l++)
        if (system->links[l].type == ORR_LINK_PCI && use_of(loads, l) > most)
            most = use_of(loads, l);
    return most;
}

struct orr_fullest orr_loads_fullest(const struct orr_loads *loads)
{
    static const double nearly = 0.9;
    const struct orr_system *system = &loads->part->system;
    struct orr_fullest best = {.link = ORR_NO_LINK}, nic = {.link = ORR_NO_LINK};
    for (uint32_t l = 0; l < system->link_count; l++) {
        if (loads->only && !(loads->only >> kind_of(system, l) & 1))
            continue;
        const struct orr_fullest own = {.use = use_of(loads, l), .link = l, .what = link_kind(system, l)};
        if (own.use > best.use)
            best = own;
        if (own.use > nic.use && own.what == ORR_BOUND_NICS)
            nic = own;
    }
    if (nic.use < nearly * best.use || nic.link == ORR_NO_LINK)
        return best;
    nic.use = best.use;
    return nic;
}

/* Links between nodes of the same two types that carry at least half as much. */
static uint32_t alike(const struct orr_loads *loads, const struct orr_fullest *fullest)
{
    const struct orr_system *system = &loads->part->system;
    const struct orr_link *like = &system->links[fullest->link];
    uint32_t count = 0;
    for (uint32_t l = 0; l < system->link_count; l++) {
        const struct orr_link *link = &system->links[l];
        count += link->type == like->type && system->nodes[link->from].type == system->nodes[like->from].type &&
                 system->nodes[link->to].type == system->nodes[like->to].type &&
                 loads->links[l] >= loads->links[fullest->link] / 2;
    }
    return count;
}

/* The links that would also have to be wider: "8 NICs of 48 GB/s and the PCIe links to them". */
static void add_partners(enum orr_bottleneck named, struct orr_expect_limit *limit)
{
    static const struct {
        enum orr_link_kind kind;
        enum orr_bottleneck named; /* left out if the text already names it */
        const char *what;
    } rows[] = {
        {ORR_LINKS_NVLINK, ORR_BOUND_NVLINK, "the NVLinks"},
        {ORR_LINKS_NICS, ORR_BOUND_NICS, "the NICs"},
        {ORR_LINKS_PCIE, ORR_BOUND_PCIE, "the PCIe links"},
        {ORR_LINKS_CPU, ORR_BOUND_CPU, "the links of the CPUs"},
    };
    uint32_t left = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        left += limit->kinds >> rows[i].kind & 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool same = rows[i].named == named || (named == ORR_BOUND_NVLS && rows[i].kind == ORR_LINKS_NVLINK);
        const size_t at = strlen(limit->text);
        if (limit->kinds >> rows[i].kind & 1 && !same)
            snprintf(limit->text + at, sizeof limit->text - at, "%s %s", --left > 1 ? "," : " and", rows[i].what);
    }
}

void orr_limit_of(const struct orr_loads *loads, const struct orr_fullest *fullest, struct orr_expect_limit *limit)
{
    const struct orr_system *system = &loads->part->system;
    const struct orr_link *link = &system->links[fullest->link];
    bool gpu = leads_to(system, link, ORR_GPU) || leads_to(system, link, ORR_DEV);
    bool pair = system->nodes[link->from].type == system->nodes[link->to].type;
    *limit = (struct orr_expect_limit){
        .what = fullest->what, .kinds = loads->only, .count = alike(loads, fullest), .bw = (double)link->bw};
    const char *s = orr_plural(limit->count);
    switch (fullest->what) {
    case ORR_BOUND_NICS:
        snprintf(limit->text, sizeof limit->text, "%u NIC%s of %.4g GB/s", limit->count, s, limit->bw);
        break;
    case ORR_BOUND_NVLINK:
    case ORR_BOUND_NVLS:
        snprintf(limit->text, sizeof limit->text,
                 pair ? "the NVLinks between two GPUs (%.4g GB/s%s)" : "the NVLinks of each GPU (%.4g GB/s%s)",
                 limit->bw, fullest->what == ORR_BOUND_NVLS ? " with NVLink SHARP" : "");
        break;
    case ORR_BOUND_CPU:
        if (link->type == ORR_LINK_C2C)
            snprintf(limit->text, sizeof limit->text, "%u C2C link%s of %.4g GB/s", limit->count, s, limit->bw);
        else
            snprintf(limit->text, sizeof limit->text, "the link between CPU sockets (%.4g GB/s)", limit->bw);
        break;
    default:
        snprintf(limit->text, sizeof limit->text, "%u PCIe link%s%s of %.4g GB/s", limit->count, s,
                 gpu ? " to GPUs" : "", limit->bw);
    }
    add_partners(fullest->what, limit);
}

void orr_limit_by_channels(int32_t channels, double bw, struct orr_expect_limit *limit)
{
    *limit = (struct orr_expect_limit){
        .what = ORR_BOUND_CHANNELS, .count = (uint32_t)(channels > 0 ? channels : 0), .bw = bw};
    snprintf(limit->text, sizeof limit->text, "%u channel%s of %.4g GB/s", limit->count, orr_plural(limit->count), bw);
}
