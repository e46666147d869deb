/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/compare/majority.h"

#include "engine/base/budget.h"
#include "engine/base/sorting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One difference of one specimen from the reference; sorted by subject. */
struct entry {
    struct orr_unlike unlike;
    uint64_t about; /* for ADDED: the device and its place */
    uint32_t specimen;
};

struct counter {
    const struct orr_specimen *specimens;
    struct orr_majority *result;
    struct orr_arena *arena;
    struct entry *entries;
    uint32_t count;
    unsigned capacity;
    struct orr_deviation *rows;
    unsigned row_capacity;
    uint32_t (*deviates)[2];
};

struct kind { /* of machine */
    uint64_t fingerprint;
    uint32_t specimen;
};

ORR_COMPARATOR(compare_kinds, struct kind, ORR_ORDER(a->fingerprint, b->fingerprint),
               ORR_ORDER(a->specimen, b->specimen))

/* Finds the kind of most hosts (of equally frequent kinds, the first); its first specimen is the reference. */
static void choose_reference(struct counter *c, struct kind *kinds)
{
    struct orr_majority *m = c->result;
    uint32_t most = 0;
    qsort(kinds, m->specimens, sizeof *kinds, compare_kinds);
    for (uint32_t from = 0, to; from < m->specimens; from = to, m->shapes++) {
        uint32_t hosts = 0;
        for (to = from; to < m->specimens && kinds[to].fingerprint == kinds[from].fingerprint; to++)
            hosts += c->specimens[kinds[to].specimen].hosts;
        if (hosts > most || (hosts == most && kinds[from].specimen < m->reference)) {
            most = hosts;
            m->reference = kinds[from].specimen;
        }
    }
}

/* Bus ids and NUMA numbers of equal hosts may differ with no effect; ranks follow from the launcher. */
static bool is_told(const struct orr_unlike *row)
{
    if (row->kind != ORR_UNLIKE_FIGURE || !orr_figure(row->figure)->numbering)
        return true;
    return !strncmp(orr_figure(row->figure)->name, "net_", 4);
}

static enum orr_code collect(struct counter *c, uint32_t specimen, const struct orr_match *match, struct orr_error *err)
{
    struct orr_unlikes unlikes;
    ORR_TRY(orr_unlikes_find(match, c->arena, &unlikes, err));
    for (uint32_t i = 0; i < unlikes.count; i++) {
        const struct orr_unlike *row = &unlikes.rows[i];
        if (!is_told(row))
            continue;
        ORR_NEED(ORR_RESERVE(c->arena, c->entries, c->count, c->capacity), err);
        struct entry *entry = &c->entries[c->count++];
        *entry = (struct entry){.unlike = *row, .specimen = specimen};
        if (row->kind == ORR_UNLIKE_ADDED) {
            const struct orr_device *device = &match->b->rows[row->b];
            entry->about = orr_mix(device->hardware_below, match->to_a[device->parent]);
        }
        if (row->kind < ORR_UNLIKE_NVLINKS) {
            static const char *const values[][2] = {{"there", "missing"}, {"none", "there"}, {"there", "elsewhere"}};
            snprintf(entry->unlike.value_a, ORR_FIGURE_SIZE, "%s", values[row->kind][0]);
            snprintf(entry->unlike.value_b, ORR_FIGURE_SIZE, "%s", values[row->kind][1]);
        }
    }
    return ORR_OK;
}

/* Orders entries by subject, then by specimen. */
static int compare_about(const struct entry *a, const struct entry *b)
{
    const struct orr_unlike *x = &a->unlike, *y = &b->unlike;
    ORR_BY(ORR_ORDER(x->kind, y->kind));
    ORR_BY(ORR_ORDER(x->figure, y->figure));
    ORR_BY(ORR_ORDER(x->a, y->a));
    if (x->kind == ORR_UNLIKE_NVLINKS)
        ORR_BY(ORR_ORDER(x->peer_a, y->peer_a));
    return ORR_ORDER(a->about, b->about);
}

ORR_COMPARATOR(compare_entries, struct entry, compare_about(a, b), ORR_ORDER(a->specimen, b->specimen))

/* The value of a specimen for the subject of entries from..to-1: that of its own entry, or the reference's. */
static const char *value_of(const struct counter *c, uint32_t from, uint32_t to, uint32_t specimen)
{
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (c->entries[middle].specimen == specimen)
            return c->entries[middle].unlike.value_b;
        if (c->entries[middle].specimen < specimen)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

ORR_COMPARATOR(compare_values, struct entry *const, strcmp((*a)->unlike.value_b, (*b)->unlike.value_b))

/* The most frequent value among entries from..to-1 and the specimens that have none of them. */
static enum orr_code vote(struct counter *c, uint32_t from, uint32_t to, struct orr_deviation *row,
                          struct orr_error *err)
{
    const struct entry **sorted = ORR_NEW(c->arena, const struct entry *, to - from);
    uint32_t differing = 0;
    ORR_NEED(sorted, err);
    for (uint32_t i = from; i < to; i++) {
        sorted[i - from] = &c->entries[i];
        if (i == from || c->entries[i].specimen != c->entries[i - 1].specimen)
            differing += c->specimens[c->entries[i].specimen].hosts;
    }
    snprintf(row->majority, sizeof row->majority, "%s", c->entries[from].unlike.value_a);
    row->majority_hosts = c->result->hosts - differing;
    qsort(sorted, to - from, sizeof *sorted, compare_values);
    for (uint32_t i = 0, end; i < to - from; i = end) {
        uint32_t hosts = 0;
        for (end = i; end < to - from && !strcmp(sorted[end]->unlike.value_b, sorted[i]->unlike.value_b); end++)
            hosts += c->specimens[sorted[end]->specimen].hosts;
        if (hosts > row->majority_hosts) {
            row->majority_hosts = hosts;
            memcpy(row->majority, sorted[i]->unlike.value_b, ORR_FIGURE_SIZE);
        }
    }
    row->decided = 2 * row->majority_hosts > c->result->hosts;
    return ORR_OK;
}

/* The value of a specimen if it differs from the majority's, otherwise NULL. */
static const char *deviates(const struct counter *c, uint32_t from, uint32_t to, uint32_t specimen,
                            const struct orr_deviation *row)
{
    const char *own = value_of(c, from, to, specimen);
    own = own ? own : row->unlike.value_a;
    return strcmp(own, row->majority) != 0 ? own : NULL;
}

static enum orr_code judge(struct counter *c, uint32_t from, uint32_t to, struct orr_error *err)
{
    struct orr_majority *m = c->result;
    ORR_NEED(ORR_RESERVE(c->arena, c->rows, m->count, c->row_capacity), err);
    struct orr_deviation *row = &c->rows[m->count++];
    const struct orr_unlike *unlike = &c->entries[from].unlike;
    *row = (struct orr_deviation){.unlike = *unlike, .example = c->entries[from].specimen};
    row->numbering = unlike->kind == ORR_UNLIKE_FIGURE && orr_figure(unlike->figure)->numbering;
    ORR_TRY(vote(c, from, to, row, err));
    uint32_t deviants = 0;
    for (uint32_t i = 0; i < m->specimens; i++)
        deviants += deviates(c, from, to, i, row) != NULL;
    uint32_t *who = ORR_NEW(c->arena, uint32_t, deviants);
    char(*values)[ORR_FIGURE_SIZE] = orr_arena_alloc(c->arena, deviants, ORR_FIGURE_SIZE);
    ORR_NEED(who && values, err);
    for (uint32_t i = 0; i < m->specimens; i++) {
        const char *own = deviates(c, from, to, i, row);
        if (!own)
            continue;
        memcpy(values[row->deviant_count], own, ORR_FIGURE_SIZE);
        who[row->deviant_count++] = i;
        row->deviant_hosts += c->specimens[i].hosts;
        c->deviates[i][row->numbering] += row->decided;
    }
    row->deviants = who;
    row->values = (const char(*)[ORR_FIGURE_SIZE])values;
    return ORR_OK;
}

enum orr_code orr_majority_find(const struct orr_specimen *specimens, uint32_t count, struct orr_arena *arena,
                                struct orr_majority *ret_majority, struct orr_error *err)
{
    struct orr_majority m = {.specimens = count};
    struct counter c = {.specimens = specimens, .result = &m, .arena = arena};
    struct orr_devices *devices = ORR_NEW(arena, struct orr_devices, count);
    struct orr_match *matches = ORR_NEW(arena, struct orr_match, count);
    struct kind *kinds = ORR_NEW(arena, struct kind, count);
    c.deviates = orr_arena_alloc(arena, count, sizeof *c.deviates);
    ORR_NEED(devices && matches && kinds && c.deviates, err);
    orr_budget_stage("comparison with the majority");
    for (uint32_t i = 0; i < count; i++) {
        m.hosts += specimens[i].hosts;
        kinds[i].specimen = i;
        ORR_TRY(orr_devices_read(specimens[i].dump, arena, &devices[i], err));
        ORR_TRY(orr_devices_fingerprint(&devices[i], arena, &kinds[i].fingerprint, err));
    }
    choose_reference(&c, kinds);
    for (uint32_t i = 0; i < count; i++) {
        ORR_TRY(orr_match_find(&devices[m.reference], &devices[i], arena, &matches[i], err));
        if (i != m.reference)
            ORR_TRY(collect(&c, i, &matches[i], err));
    }
    if (c.count)
        qsort(c.entries, c.count, sizeof *c.entries, compare_entries);
    for (int numbering = 0; numbering < 2; numbering++)
        for (uint32_t from = 0, to; from < c.count; from = to) {
            const struct orr_unlike *row = &c.entries[from].unlike;
            for (to = from; to < c.count && !compare_about(&c.entries[from], &c.entries[to]); to++)
                ;
            if ((row->kind == ORR_UNLIKE_FIGURE && orr_figure(row->figure)->numbering) != numbering)
                continue;
            if (m.count == ORR_MOST_DEVIATIONS)
                m.left_out++;
            else
                ORR_TRY(judge(&c, from, to, err));
        }
    m.devices = devices;
    m.rows = c.rows;
    m.deviates = (const uint32_t(*)[2])c.deviates;
    *ret_majority = m;
    return ORR_OK;
}

uint32_t orr_majority_normal(const struct orr_majority *majority)
{
    uint32_t best = majority->reference;
    for (uint32_t i = 0; i < majority->specimens; i++)
        if (majority->deviates[i][0] < majority->deviates[best][0])
            best = i;
    return best;
}

const char *orr_deviation_text(const struct orr_deviation *row)
{
    switch (row->unlike.kind) {
    case ORR_UNLIKE_MISSING:
    case ORR_UNLIKE_ADDED:
        return "presence";
    case ORR_UNLIKE_MOVED:
        return "place";
    default:
        return orr_unlike_text(&row->unlike);
    }
}

bool orr_deviation_is_odd(const struct orr_majority *majority, const struct orr_deviation *row)
{
    return row->decided && 4 * row->deviant_hosts <= majority->hosts;
}

static const struct orr_finding_row texts[ORR_SET_FINDINGS] = {
    {ORR_FINDING("host-differs", "L90", WARNING, DUMP, NULL), .title = "Hosts are not built like most of the others",
     .why = "The slowest host limits a job, and NCCL uses the smallest number of channels that any host has.",
     .advice = "Check the devices that the rows name on these hosts, and repair or replace what is slower or missing.",
     .commands = {"nvidia-smi topo -m", "lspci -tv", "ibstat"},
     .references = {"NVIDIA/nccl#856", "NVIDIA/nccl-tests#106"}},
    {ORR_FINDING("nics-otherwise", "L91", WARNING, DUMP, NULL),
     .title = "NICs have other names or numbers than on most hosts",
     .why = "A list such as NCCL_IB_HCA=mlx5_0,mlx5_3 then selects different NICs on this host, and traffic crosses "
            "rails.",
     .advice = "Give NICs the same names on all hosts (udev rules), or set NCCL_IB_HCA for each host.",
     .commands = {"ibdev2netdev -v", "ls -l /sys/class/infiniband"},
     .references = {"NVIDIA/nccl#1277", "NVIDIA/nccl#1363"}},
};

const struct orr_finding_row *orr_set_finding_row(size_t i)
{
    return i < ORR_SET_FINDINGS ? &texts[i] : NULL;
}

/* "NIC mlx5_3: PCIe lanes 8, most have 16". */
static void write_first(const struct orr_deviation *row, const char *device, char *text, size_t size)
{
    switch (row->unlike.kind) {
    case ORR_UNLIKE_MISSING:
        snprintf(text, size, "%s is missing", device);
        break;
    case ORR_UNLIKE_ADDED:
        snprintf(text, size, "%s is extra: most dumps lack it", device);
        break;
    case ORR_UNLIKE_MOVED:
        snprintf(text, size, "%s is in another place than on most", device);
        break;
    default:
        snprintf(text, size, "%s: %s %s, most have %s", device, orr_deviation_text(row),
                 row->deviant_count ? row->values[0] : "unknown", row->majority);
    }
}

enum orr_code orr_majority_findings(const struct orr_majority *majority, struct orr_arena *arena,
                                    struct orr_set_finding *findings, uint32_t *ret_count, struct orr_error *err)
{
    *ret_count = 0;
    for (int i = 0; i < ORR_SET_FINDINGS; i++) {
        const struct orr_deviation *first = NULL;
        uint32_t rows = 0, count = 0, *specimens = ORR_NEW(arena, uint32_t, majority->specimens);
        char text[320], value[200], name[ORR_DEVICE_NAME_SIZE];
        ORR_NEED(specimens, err);
        for (uint32_t s = 0; s < majority->specimens; s++)
            if (majority->deviates[s][i])
                specimens[count++] = s;
        for (uint32_t r = 0; r < majority->count; r++)
            if (majority->rows[r].decided && majority->rows[r].numbering == (i == 1)) {
                first = first ? first : &majority->rows[r];
                rows++;
            }
        if (!count || !first)
            continue;
        orr_device_text(&majority->devices[first->unlike.a != ORR_NO_DEVICE ? majority->reference : first->example],
                        first->unlike.a != ORR_NO_DEVICE ? first->unlike.a : first->unlike.b, name);
        write_first(first, name, value, sizeof value);
        size_t length =
            (size_t)snprintf(text, sizeof text, "%u of %u distinct dumps: %s", count, majority->specimens, value);
        if (rows > 1)
            snprintf(text + length, sizeof text - length, "; %u more difference%s", rows - 1, rows == 2 ? "" : "s");
        struct orr_set_finding *finding = &findings[(*ret_count)++];
        *finding = (struct orr_set_finding){.row = texts[i], .specimens = specimens, .specimen_count = count};
        finding->detail = orr_arena_strndup(arena, text, strlen(text));
        ORR_NEED(finding->detail, err);
    }
    return ORR_OK;
}
