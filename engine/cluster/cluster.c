/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/cluster/dump_shape.h"
#include "engine/cluster/placing.h"
#include "engine/nics/combine.h"
#include "engine/nics/gpus.h"

/* The order in which a system's hosts have their ranks. Two systems are alike if their machines and this order are. */
static int32_t rank_in_system(const struct orr_cluster_system *system, int32_t rank)
{
    uint32_t low = 0, high = system->rank_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (system->ranks[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return (int32_t)low;
}

static bool same_machine(const struct orr_cluster *c, const struct orr_dump_shape *shapes, uint32_t line,
                         uint32_t other)
{
    const struct orr_cluster_line *a = &c->lines[line], *b = &c->lines[other];
    if (a == b)
        return true;
    if (!a->gpus != !b->gpus || !orr_dumps_alike(&shapes[line], &shapes[other]))
        return false;
    return !a->gpus || (a->gpu_count == b->gpu_count && !memcmp(a->gpus, b->gpus, a->gpu_count * sizeof *a->gpus));
}

static bool alike(const struct orr_cluster *c, const struct orr_dump_shape *shapes, const struct orr_cluster_system *a,
                  const struct orr_cluster_system *b)
{
    if (a->host_count != b->host_count || a->rank_count != b->rank_count)
        return false;
    for (uint32_t i = 0; i < a->host_count; i++) {
        const struct orr_cluster_host *x = &c->hosts[a->hosts[i]], *y = &c->hosts[b->hosts[i]];
        if (!same_machine(c, shapes, x->line, y->line))
            return false;
        for (uint32_t g = 0; a->host_count > 1 && g < x->rank_count; g++)
            if (rank_in_system(a, x->ranks[g]) != rank_in_system(b, y->ranks[g]))
                return false;
    }
    return true;
}

/* An assumption about one host holds for all if the hosts are the same. */
static void keep_notes(const struct orr_cluster *c, const struct orr_cluster_system *system, struct orr_dump *made)
{
    const struct orr_dump *first = c->lines[c->hosts[system->hosts[0]].line].dump;
    for (uint32_t i = 1; i < system->host_count; i++)
        if (c->lines[c->hosts[system->hosts[i]].line].dump != first)
            return;
    made->notes = first->notes;
}

/* The dump of a system: its host's own dump, or one made of its hosts and the GPUs that take part. */
static enum orr_code make_dump(struct orr_cluster *c, const struct orr_cluster_system *system,
                               struct orr_cluster_kind *kind, const struct orr_dump **ret_dump, struct orr_error *err)
{
    const struct orr_cluster_line *line = &c->lines[kind->line];
    if (system->host_count == 1 && !line->gpus) {
        *ret_dump = line->dump;
        return ORR_OK;
    }
    struct orr_dump_piece *pieces = ORR_NEW(c->arena, struct orr_dump_piece, system->host_count);
    int32_t *ranks = ORR_NEW(c->arena, int32_t, system->rank_count);
    ORR_NEED(pieces && ranks, err);
    for (uint32_t i = 0; i < system->host_count; i++) {
        const struct orr_cluster_host *host = &c->hosts[system->hosts[i]];
        pieces[i] = (struct orr_dump_piece){.dump = c->lines[host->line].dump,
                                            .ranks = ranks,
                                            .gpus = c->lines[host->line].gpus,
                                            .count = host->rank_count};
        for (uint32_t g = 0; g < host->rank_count; g++)
            *ranks++ = rank_in_system(system, host->ranks[g]);
    }
    enum orr_code code = orr_dump_combine(pieces, system->host_count, c->settings.release, NULL, &kind->made, err);
    if (code == ORR_INVALID)
        orr_error_where(err, "hosts[%u].gpus", kind->line);
    if (code == ORR_OK)
        keep_notes(c, system, kind->made);
    *ret_dump = kind->made;
    return code;
}

/* Places in a fused dump are not in any file of the user. */
static enum orr_code name_host(enum orr_code code, const struct orr_cluster_system *system,
                               const struct orr_cluster_kind *kind, struct orr_error *err)
{
    if (code == ORR_OK || code == ORR_NOMEM || !err)
        return code;
    if (system->host_count > 1 && strncmp(err->where, "hosts[", 6) != 0) {
        err->line = err->column = 0;
        snprintf(err->where, sizeof err->where, "hosts[%u], fused with the other %u hosts of its clique", kind->line,
                 system->host_count - 1);
        orr_error_advice(err, "give the hosts domains of their own, or set NCCL_MNNVL_ENABLE=0");
    }
    orr_error_host(err, kind->line);
    return code;
}

static enum orr_code analyse_kind(struct orr_cluster *c, const struct orr_cluster_system *system,
                                  struct orr_cluster_kind *kind, struct orr_error *err)
{
    const struct orr_dump *dump = NULL;
    const struct orr_query query = {.settings = c->settings, .hosts = c->system_count, .plan = c->plan};
    ORR_TRY(name_host(make_dump(c, system, kind, &dump, err), system, kind, err));
    ORR_TRY(name_host(orr_analyze_host(dump, &query, c->rank_count, &kind->analysis, err), system, kind, err));
    if (kind->analysis->local_ranks != system->rank_count)
        return orr_fail(err, ORR_INVALID, "hosts[%u]: NCCL %s sees %u of the %u GPUs that should take part", kind->line,
                        c->settings.release->name, kind->analysis->local_ranks, system->rank_count);
    return ORR_OK;
}

/* Finds the kind of each system; equal systems are mostly adjacent. */
static enum orr_code analyse_kinds(struct orr_cluster *c, struct orr_error *err)
{
    uint32_t *example = ORR_NEW(c->arena, uint32_t, c->system_count);
    c->kinds = ORR_NEW(c->arena, struct orr_cluster_kind, c->system_count);
    struct orr_dump_shape *shapes = ORR_NEW(c->arena, struct orr_dump_shape, c->line_count);
    ORR_NEED(example && c->kinds && shapes, err);
    for (uint32_t l = 0; l < c->line_count; l++) {
        uint32_t same = 0;
        while (c->lines[same].dump != c->lines[l].dump)
            same++;
        if (same < l)
            shapes[l] = shapes[same];
        else
            ORR_TRY(orr_dump_shape(c->lines[l].dump, c->arena, &shapes[l], err));
    }
    for (uint32_t s = 0; s < c->system_count; s++) {
        struct orr_cluster_system *system = &c->systems[s];
        uint32_t k = 0;
        if (orr_budget_spent(64 + c->kind_count))
            return orr_budget_check(err);
        while (k < c->kind_count && !alike(c, shapes, &c->systems[example[k]], system))
            k++;
        system->kind = k;
        if (k == ORR_MAX_CLUSTER_KINDS)
            return orr_fail(err, ORR_LIMIT, "more than %d kinds of hosts", (int)ORR_MAX_CLUSTER_KINDS);
        if (k == c->kind_count) {
            example[c->kind_count++] = s;
            c->kinds[k].line = c->hosts[system->hosts[0]].line;
            ORR_TRY(analyse_kind(c, system, &c->kinds[k], err));
        }
        c->kinds[k].system_count++;
        c->kinds[k].host_count += system->host_count;
    }
    return ORR_OK;
}

struct ordered_member {
    int32_t rank;
    uint32_t system, part;
};

ORR_COMPARATOR(compare_members, struct ordered_member, ORR_ORDER(a->rank, b->rank))

/* Orders the members, which are parts of systems, by their lowest ranks. */
static enum orr_code list_members(struct orr_cluster *c, struct orr_error *err)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->kind_count; k++)
        count += c->kinds[k].system_count * c->kinds[k].analysis->part_count;
    struct orr_member *members = ORR_NEW(c->arena, struct orr_member, count);
    struct ordered_member *order = ORR_NEW(c->arena, struct ordered_member, count);
    ORR_NEED(members && order, err);
    for (uint32_t s = 0; s < c->system_count; s++) {
        const struct orr_analysis *analysis = c->kinds[c->systems[s].kind].analysis;
        for (uint32_t p = 0; p < analysis->part_count; p++)
            order[c->member_count++] = (struct ordered_member){
                .rank = c->systems[s].ranks[analysis->parts[p].contribution.ranks[0]], .system = s, .part = p};
    }
    qsort(order, count, sizeof *order, compare_members);
    for (uint32_t m = 0; m < count; m++) {
        const struct orr_cluster_system *system = &c->systems[order[m].system];
        members[m] = (struct orr_member){
            .contribution = &c->kinds[system->kind].analysis->parts[order[m].part].contribution,
            .rank_base = system->ranks[0],
            .rank_map = c->order == ORR_ORDER_BLOCK && system->host_count == 1 ? NULL : system->ranks,
            .host = order[m].system};
    }
    c->members = members;
    return ORR_OK;
}

/* A list of all GPUs in the dump's own order leaves the dump unchanged. */
static bool names_all(const struct orr_cluster_line *line)
{
    if (line->gpu_count != orr_gpus_ranked(line->dump))
        return false;
    for (uint32_t i = 0; i < line->gpu_count; i++)
        if (line->gpus[i] != i)
            return false;
    return true;
}

static enum orr_code analyse(struct orr_cluster *c, const struct orr_cluster_request *request, struct orr_error *err)
{
    struct orr_cluster_line *lines = ORR_NEW(c->arena, struct orr_cluster_line, request->line_count);
    ORR_NEED(lines, err);
    orr_budget_stage("places of the ranks");
    ORR_TRY(orr_settings_keep(&c->settings, c->arena, err)); /* for orr_groups_analyze() and orr_analyze_again() */
    memcpy(lines, request->lines, request->line_count * sizeof *lines);
    for (uint32_t l = 0; l < request->line_count; l++) {
        if (!lines[l].gpus && request->settings.gpus) {
            ORR_TRY(orr_gpus_listed(lines[l].dump, "gpus", request->settings.gpus, c->arena, &lines[l].gpus,
                                    &lines[l].gpu_count, err));
        }
        if (lines[l].gpus && names_all(&lines[l])) {
            lines[l].gpus = NULL;
            lines[l].gpu_count = 0;
        }
    }
    c->lines = lines;
    ORR_TRY(orr_place_ranks(c, request, err));
    if (!c->plan && c->host_count > ORR_MAX_HOSTS)
        return orr_fail_with(
            err, ORR_LIMIT, NULL,
            "ask for a section other than channels; `orrery channels` and .../channels stream rings and trees",
            "%u hosts are too many for one document: the limit is %d", c->host_count, (int)ORR_MAX_HOSTS);
    ORR_TRY(orr_fabrics_decide(c, err));
    ORR_TRY(orr_place_systems(c, err));
    ORR_TRY(analyse_kinds(c, err));
    ORR_TRY(list_members(c, err));
    c->analysis = c->kinds[0].analysis;
    c->analysis->cluster = c;
    return orr_analysis_join(c->analysis, c->members, c->member_count, err);
}

enum orr_code orr_cluster_analyze(const struct orr_cluster_request *request, struct orr_cluster **ret_cluster,
                                  struct orr_error *err)
{
    struct orr_arena *arena = request->arena ? request->arena : orr_arena_new(0);
    struct orr_cluster *c = ORR_NEW(arena, struct orr_cluster, 1);
    if (!c) {
        orr_arena_free(arena);
        return orr_fail_nomem(err);
    }
    c->arena = arena;
    c->settings = request->settings;
    c->settings.gpus = NULL; /* the lines have them instead */
    c->plan = request->plan;
    c->by_kind = request->by_kind;
    c->line_count = request->line_count;
    c->order = request->order;
    enum orr_code code = analyse(c, request, err);
    if (code != ORR_OK) {
        orr_cluster_free(c);
        return code;
    }
    *ret_cluster = c;
    return ORR_OK;
}

void orr_cluster_free(struct orr_cluster *cluster)
{
    if (!cluster)
        return;
    for (uint32_t k = 0; k < cluster->kind_count; k++) {
        orr_analysis_free(cluster->kinds[k].analysis);
        orr_dump_free(cluster->kinds[k].made);
    }
    orr_arena_free(cluster->arena);
}

size_t orr_cluster_bytes(const struct orr_cluster *cluster)
{
    size_t bytes = orr_arena_bytes(cluster->arena);
    for (uint32_t k = 0; k < cluster->kind_count; k++) {
        bytes += orr_arena_bytes(cluster->kinds[k].analysis->arena);
        bytes += cluster->kinds[k].made ? orr_arena_bytes(cluster->kinds[k].made->arena) : 0;
    }
    return bytes;
}
