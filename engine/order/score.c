/* SPDX-License-Identifier: Apache-2.0 */
/* Scores an order: analyses the cluster in that order, as a plan. */
#include <string.h>

#include "engine/cluster/again.h"
#include "engine/order/ordering.h"

/* Kinds of groups by traffic in frameworks, most first: tensor and context groups exchange data in every layer, expert
 * groups in some, data parallel groups once a step; pipeline groups exchange the least. */
static const enum orr_group_kind by_traffic[] = {ORR_GROUP_TP,  ORR_GROUP_CP, ORR_GROUP_EP,
                                                 ORR_GROUP_EDP, ORR_GROUP_DP, ORR_GROUP_PP};

static int compare_numbers(double a, double b)
{
    const double share = 1e-9, scale = a > b ? a : b;
    return a > b + share * scale ? 1 : b > a + share * scale ? -1 : 0;
}

static double time_of(const struct orr_order_load *load)
{
    return load->bw > 0 ? load->rings / load->bw : load->rings;
}

int orr_order_compare(const struct orr_order_figures *a, const struct orr_order_figures *b)
{
    int result = compare_numbers(a->bus_bw, b->bus_bw);
    for (uint32_t k = 0; k < a->load_count && k < b->load_count && !result; k++)
        result = compare_numbers(time_of(&b->loads[k]), time_of(&a->loads[k]));
    return result;
}

int orr_order_compare_all(const struct orr_order_figures *a, const struct orr_order_figures *b)
{
    int result = orr_order_compare(a, b);
    if (!result && a->leaf_changes != b->leaf_changes)
        result = a->leaf_changes < b->leaf_changes ? 1 : -1;
    if (!result && a->domain_changes != b->domain_changes)
        result = a->domain_changes < b->domain_changes ? 1 : -1;
    return result;
}

/* Counts differing neighbours in the ring of hosts, because NCCL's rings visit hosts in this order. */
static void count_changes(const struct orr_ordering *o, const uint32_t *hosts, struct orr_order_figures *figures)
{
    for (uint32_t i = 0; i < o->host_count; i++) {
        const struct orr_host_class *a = &o->classes[o->class_of_host[hosts[i]]];
        const struct orr_host_class *b = &o->classes[o->class_of_host[hosts[(i + 1) % o->host_count]]];
        figures->leaf_changes += a->leaf != b->leaf && a->leaf != ORR_NO_NUMBER && b->leaf != ORR_NO_NUMBER;
        figures->domain_changes += a->domain != b->domain;
    }
}

/* The lines of an order: neighbours from the same line share a line. */
static enum orr_code make_lines(const struct orr_ordering *o, const struct orr_trial *trial, struct orr_arena *arena,
                                struct orr_cluster_request *request, struct orr_error *err)
{
    const struct orr_cluster *c = o->present;
    struct orr_cluster_line *lines = ORR_NEW(arena, struct orr_cluster_line, o->host_count);
    uint32_t **gpus = ORR_NEW(arena, uint32_t *, c->line_count);
    ORR_NEED(lines && gpus, err);
    for (uint32_t i = 0; i < o->host_count; i++) {
        const uint32_t line = o->line_of_host[trial->hosts[i]];
        if (i && o->line_of_host[trial->hosts[i - 1]] == line) {
            lines[request->line_count - 1].count++;
            continue;
        }
        struct orr_cluster_line *out = &lines[request->line_count++];
        *out = c->lines[line];
        out->count = 1;
        out->names = NULL; /* they are those of the present order */
        if (!trial->gpus || c->hosts[trial->hosts[i]].rank_count != o->gpu_count)
            continue;
        if (!gpus[line] && !(gpus[line] = ORR_NEW(arena, uint32_t, o->gpu_count)))
            return orr_fail_nomem(err);
        for (uint32_t g = 0; g < o->gpu_count; g++)
            gpus[line][g] = out->gpus ? out->gpus[trial->gpus[g]] : trial->gpus[g];
        out->gpus = gpus[line];
        out->gpu_count = o->gpu_count;
    }
    request->lines = lines;
    return ORR_OK;
}

static enum orr_code score_bandwidth(struct orr_ordering *o, const struct orr_cluster *cluster,
                                     struct orr_order_figures *figures, struct orr_error *err)
{
    struct orr_expectation *expectation;
    struct orr_expected expected;
    ORR_TRY(orr_expectation_new(cluster->analysis, o->question->test, &expectation, err));
    if (orr_expect(expectation, o->question->size, &expected))
        figures->bus_bw = expected.bus_bw;
    orr_expectation_free(expectation);
    return ORR_OK;
}

static void take_load(const struct orr_cluster *cluster, const struct orr_groups_of_kind *kind,
                      struct orr_order_figures *figures)
{
    struct orr_order_load *worst = &figures->loads[figures->load_count++];
    *worst = (struct orr_order_load){.kind = kind->kind};
    for (uint32_t i = 0; i < kind->load_count; i++) {
        const struct orr_system *built = &cluster->kinds[kind->loads[i].kind].analysis->built;
        const struct orr_order_load load = {.kind = kind->kind,
                                            .rings = kind->loads[i].most,
                                            .bw = (double)orr_system_node(built, ORR_NET, kind->loads[i].net)->net.bw};
        if (time_of(&load) > time_of(worst))
            *worst = load;
    }
}

static enum orr_code score_groups(struct orr_ordering *o, const struct orr_cluster *cluster, const char *text,
                                  struct orr_order_figures *figures, struct orr_error *err)
{
    struct orr_layout layout;
    struct orr_groups *groups;
    ORR_TRY(orr_layout_read(text, cluster->rank_count, &layout, err));
    ORR_TRY(orr_groups_analyze(cluster, &layout, &groups, err));
    for (size_t i = 0; i < sizeof by_traffic / sizeof by_traffic[0]; i++)
        for (uint32_t k = 0; k < groups->kind_count; k++)
            if (groups->kinds[k].kind == by_traffic[i])
                take_load(cluster, &groups->kinds[k], figures);
    for (uint32_t k = 0; k < groups->kind_count; k++)
        for (uint32_t s = 0; s < groups->kinds[k].shape_count; s++)
            o->cost += orr_analysis_steps(groups->kinds[k].shapes[s].cluster->analysis);
    orr_groups_free(groups);
    return ORR_OK;
}

static enum orr_code score(struct orr_ordering *o, const struct orr_cluster *cluster, const struct orr_trial *trial,
                           struct orr_order_figures *figures, struct orr_error *err)
{
    enum { STEPS_OF_A_RANK = 100 };
    o->cost = orr_analysis_steps(cluster->analysis) + (uint64_t)STEPS_OF_A_RANK * cluster->rank_count;
    enum orr_code code = trial->layout ? score_groups(o, cluster, trial->layout, figures, err)
                                       : score_bandwidth(o, cluster, figures, err);
    o->most_cost = o->cost > o->most_cost ? o->cost : o->most_cost;
    return code;
}

/* The hosts of the present order, by their lowest ranks. */
static enum orr_code present_hosts(const struct orr_cluster *c, struct orr_arena *arena, uint32_t **ret_hosts,
                                   struct orr_error *err)
{
    uint32_t *hosts = ORR_NEW(arena, uint32_t, c->host_count), *host_at = ORR_NEW(arena, uint32_t, c->rank_count);
    ORR_NEED(hosts && host_at, err);
    memset(host_at, 0xff, c->rank_count * sizeof *host_at);
    for (uint32_t h = 0; h < c->host_count; h++) {
        int32_t lowest = c->hosts[h].ranks[0];
        for (uint32_t g = 1; g < c->hosts[h].rank_count; g++)
            lowest = c->hosts[h].ranks[g] < lowest ? c->hosts[h].ranks[g] : lowest;
        host_at[lowest] = h;
    }
    for (uint32_t r = 0, i = 0; r < c->rank_count; r++)
        if (host_at[r] != ORR_NO_NUMBER)
            hosts[i++] = host_at[r];
    *ret_hosts = hosts;
    return ORR_OK;
}

enum orr_code orr_ordering_score(struct orr_ordering *o, const struct orr_trial *trial, bool *ret_valid,
                                 struct orr_order_figures *ret_figures, struct orr_error *err)
{
    struct orr_error found = {0};
    struct orr_cluster_request request = {.order = ORR_ORDER_BLOCK, .settings = o->present->settings, .plan = true};
    struct orr_cluster *cluster = NULL;
    struct orr_arena *arena = orr_arena_new(0);
    uint32_t *hosts = trial->hosts;
    *ret_figures = (struct orr_order_figures){0};
    enum orr_code code = arena ? ORR_OK : orr_fail_nomem(&found);
    if (code == ORR_OK && hosts)
        code = make_lines(o, trial, arena, &request, &found);
    else if (code == ORR_OK)
        code = present_hosts(o->present, arena, &hosts, &found);
    if (code == ORR_OK && trial->hosts)
        code = orr_cluster_analyze(&request, &cluster, &found);
    if (code == ORR_OK)
        code = score(o, cluster ? cluster : o->present, trial, ret_figures, &found);
    if (code == ORR_OK)
        count_changes(o, hosts, ret_figures);
    orr_cluster_free(cluster);
    orr_arena_free(arena);
    *ret_valid = code == ORR_OK;
    const bool fatal = !trial->hosts || code == ORR_NOMEM || code == ORR_SPENT;
    if (code != ORR_OK && fatal)
        *err = found;
    return fatal ? code : ORR_OK;
}
