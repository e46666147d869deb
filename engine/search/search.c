/* One graph after the other: limits and start values, the outer loop of relaxations, duplication, raising of rates. */
#include "engine/search/search.h"

#include <string.h>

#include "engine/release/release.h"
#include "engine/search/search_state.h"

/* What a request fixes for the whole search of one graph. */
struct limits {
    const float *rates;
    uint32_t rate_count;
    int32_t min_intra, max_intra, min_inter, max_inter; /* path type numbers */
    int32_t dis;                                        /* number of "not connected" */
    int32_t always_inter, sys;
    struct orr_trial start; /* the request itself */
};

static const struct orr_search_rates *rates_for(const struct orr_release *release, int32_t sm)
{
    const struct orr_search_rates *row = release->search_rates;
    while (sm < row->sm_min)
        row++;
    return row;
}

/* Least and largest type of paths from GPUs to nodes of a type (a GPU to itself left out). */
static void type_range(const struct orr_search_state *s, enum orr_node_type to, int32_t sys, int32_t *ret_min,
                       int32_t *ret_max)
{
    const struct orr_system *system = s->system;
    int32_t least = sys, largest = 0;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
        for (uint32_t other = system->first[to]; other < system->first[to + 1]; other++) {
            if (other == g)
                continue;
            int32_t type = s->number_of[orr_path(s->paths, g, other)->type];
            least = type < least ? type : least;
            largest = type > largest ? type : largest;
        }
    *ret_min = least;
    *ret_max = largest;
}

/* Exactly two groups of several GPUs joined by NVLink? */
static bool is_split_nvlink(const struct orr_search_state *s)
{
    uint16_t *group = s->candidates; /* free before a search */
    uint16_t *size = group + s->n;
    uint32_t groups = 0;
    for (uint32_t g = 0; g < s->n; g++)
        group[g] = (uint16_t)g;
    for (uint32_t g = 0; g < s->n; g++)
        for (uint32_t p = g + 1; p < s->n; p++)
            if (orr_path(s->paths, orr_gpu_node(s, g), orr_gpu_node(s, p))->type == ORR_PATH_NVL)
                group[p] = group[g];
    memset(size, 0, s->n * sizeof *size);
    for (uint32_t g = 0; g < s->n; g++)
        groups += ++size[group[g]] == 2;
    return groups == 2;
}

static void set_limits(const struct orr_search_state *s, struct limits *limits)
{
    const struct orr_release *release = s->system->release;
    const struct orr_search_rates *row = rates_for(release, s->cc_min);
    limits->rates = s->inter ? row->table.inter : row->table.intra;
    limits->rate_count = s->inter ? row->table.inter_count : row->table.intra_count;
    limits->sys = s->number_of[ORR_PATH_SYS];
    limits->always_inter = s->number_of[release->type_inter_always];
    limits->dis = orr_path_type_number(release, ORR_PATH_DIS) < 0 ? INT32_MAX : s->number_of[ORR_PATH_DIS];
    limits->min_intra = s->number_of[s->n == 1 ? ORR_PATH_LOC : ORR_PATH_NVL];
    limits->max_intra = limits->sys;
    limits->min_inter = s->number_of[ORR_PATH_PIX];
    limits->max_inter = limits->sys;
    if (!release->types_from_system)
        return;
    if (s->n > 1)
        type_range(s, ORR_GPU, limits->sys, &limits->min_intra, &limits->max_intra);
    if (s->inter) {
        type_range(s, ORR_NET, limits->sys, &limits->min_inter, &limits->max_inter);
        limits->max_intra = limits->max_inter;
        if (release->any_inter_before_sm90 && s->cc_min < 90)
            limits->max_inter = limits->sys;
    }
}

/* A row of the table of graphs that a rank asks for. */
struct request {
    enum orr_graph_kind kind;
    enum orr_pattern pattern;
    int32_t min_channels, max_channels;
    bool collnet;
};

/* Fills the start values; false where the graph stays empty. */
static bool start_values(struct orr_search_state *s, const struct request *request, struct limits *limits)
{
    struct orr_trial *start = &limits->start;
    int32_t n = (int32_t)s->n;
    bool crosses = request->pattern == ORR_PATTERN_RING || request->pattern == ORR_PATTERN_BALANCED_TREE ||
                   request->pattern == ORR_PATTERN_SPLIT_TREE;
    const struct orr_release *release = s->system->release;
    int32_t cross_nic = (int32_t)orr_setting_int(s->settings, ORR_SET_CROSS_NIC);
    if (release->cross_nic_for_all)
        s->cross_nic_input = s->net_count > 1 && cross_nic != 0;
    else
        s->cross_nic_input = crosses && s->net_count > 1 ? cross_nic : 0;
    set_limits(s, limits);
    *start = (struct orr_trial){
        .pattern = request->pattern,
        .min_channels = request->min_channels,
        .max_channels = request->max_channels,
        .cross_nic = release->cross_nic_for_all ? (cross_nic == 2 ? 0 : cross_nic) : s->cross_nic_input == 1,
        .same_channels = request->pattern != ORR_PATTERN_NVLS,
        .collnet = request->collnet,
        .type_intra = limits->min_intra,
        .type_inter = limits->min_inter,
    };
    if (request->pattern == ORR_PATTERN_NVLS) {
        if (!s->has_nvs || s->cc_min < 90)
            return false;
        start->max_channels = n < 32 || release->nvls_fixed_channels ? n : 32;
    }
    if (request->pattern == ORR_PATTERN_COLLNET_DIRECT)
        start->max_channels = n < 8 ? n : 8;
    if (n == 1 && start->pattern != ORR_PATTERN_RING)
        start->pattern = ORR_PATTERN_TREE;
    if (request->pattern == ORR_PATTERN_NVLS && !s->inter)
        start->min_channels = start->max_channels;
    if (release->splits_nvlink && request->pattern == ORR_PATTERN_RING && start->max_channels >= 2 &&
        start->min_channels == 1 && is_split_nvlink(s))
        start->min_channels = 2;
    return true;
}

static uint32_t first_rate(const struct orr_search_state *s, const struct limits *limits)
{
    const struct orr_trial *start = &limits->start;
    float total = s->system->total_bw;
    uint32_t rate = 0;
    uint32_t n = s->system->release->has_devs ? orr_system_count(s->system, ORR_DEV) : s->n;
    if (start->pattern != ORR_PATTERN_RING && n > 1)
        total = (float)((double)total * (n * 1.0 / (n - 1)));
    while (rate + 1 < limits->rate_count &&
           (limits->rates[rate] > s->system->max_bw ||
            (s->system->release->rates_by_total && limits->rates[rate] * (float)start->min_channels > total)))
        rate++;
    return rate;
}

/* Tries with the trial's limits. true: this will do. *left is what remains of the budget. */
static bool attempt(struct orr_search_state *s, int32_t *left, int32_t *all_left)
{
    const struct orr_release *release = s->system->release;
    *left = s->t.same_channels                 ? release->steps_same
            : s->t.pattern == ORR_PATTERN_TREE ? release->steps_tree
                                               : release->steps_other;
    *all_left -= *left;
    s->t.channels = 0;
    s->candidate_top = 0;
    orr_search_channels(s, left);
    if (release->finishes_at_full_rate)
        return s->b.channels == s->b.max_channels && s->b.bw_inter == s->system->max_bw;
    return *left == -1 || (float)s->b.channels * s->b.bw_inter >= s->system->total_bw;
}

static bool is_amd(const struct orr_search_state *s)
{
    const struct orr_node *cpu = orr_system_node(s->system, ORR_CPU, 0);
    return cpu->cpu.arch == ORR_ARCH_X86 && cpu->cpu.vendor == ORR_VENDOR_AMD;
}

/* Lets the trial cross NICs where it did not; true: worth an attempt. */
static bool relax_crossing(struct orr_search_state *s)
{
    struct orr_trial *t = &s->t;
    const struct orr_trial *b = &s->b;
    const struct orr_release *release = s->system->release;
    bool pairs_rings = release->nic_pairs == ORR_PAIRS_RINGS;
    bool fits = !pairs_rings || b->pattern == ORR_PATTERN_RING || b->pattern == ORR_PATTERN_BALANCED_TREE;
    bool wanted = release->cross_nic_for_all ? s->cross_nic_input != 0 : s->cross_nic_input == 2;
    if (wanted && t->cross_nic == 0 && fits) {
        t->cross_nic = release->cross_nic_try;
        return true;
    }
    t->cross_nic = !release->cross_nic_for_all && s->cross_nic_input == 1;
    return false;
}

static bool relax_split_tree(struct orr_trial *t, const struct orr_trial *b)
{
    if (t->pattern == ORR_PATTERN_SPLIT_TREE) {
        t->pattern = ORR_PATTERN_TREE;
        return true;
    }
    t->pattern = b->pattern;
    return false;
}

/* Changes the trial to the next thing worth trying: same channels, pattern, types, crossing NICs, rate; the first is
 * the innermost loop. false: nothing is left. */
static bool relax(struct orr_search_state *s, const struct limits *limits, int32_t left, int32_t *all_left,
                  uint32_t *rate)
{
    struct orr_trial *t = &s->t;
    const struct orr_trial *b = &s->b;
    bool found = b->channels > 0;
    const struct orr_release *release = s->system->release;
    if (t->same_channels && !(release->amd_keeps_same_channels && is_amd(s) && t->type_intra == limits->sys)) {
        t->same_channels = 0;
        return true;
    }
    t->same_channels = limits->start.same_channels;
    if (release->finishes_at_full_rate && left == -1)
        *all_left = release->steps_all;
    else
        *all_left += left;
    if (*all_left < 0 && (found || release->finishes_at_full_rate))
        return false;
    if (release->tree_for_sm90 && s->cc_min >= 90 && t->pattern == ORR_PATTERN_BALANCED_TREE) {
        t->pattern = ORR_PATTERN_TREE;
        return true;
    }
    if (!release->relaxes_split_tree)
        t->pattern = b->pattern;
    int32_t top = s->inter ? t->type_inter : limits->max_intra;
    if (t->type_intra < top && (!found || t->type_intra < b->type_intra) && ++t->type_intra < limits->dis)
        return true;
    t->type_intra = limits->min_intra;
    if (s->inter && t->type_inter < limits->max_inter &&
        (!found || t->type_inter < b->type_inter || t->type_inter < limits->always_inter) &&
        ++t->type_inter < limits->dis)
        return true;
    t->type_inter = limits->min_inter;
    if (release->relaxes_split_tree && release->relaxes_pattern_first && relax_split_tree(t, b))
        return true;
    if (relax_crossing(s))
        return true;
    if (release->relaxes_split_tree && !release->relaxes_pattern_first && relax_split_tree(t, b))
        return true;
    if (*rate + 1 < limits->rate_count && (!found || limits->rates[*rate + 1] / b->bw_inter > .49)) {
        t->bw_intra = t->bw_inter = limits->rates[++*rate];
        return true;
    }
    return false;
}

/* Twice the channels at half the rate, where the rate allows it. */
static void duplicate(struct orr_search_state *s)
{
    struct orr_trial *b = &s->b;
    bool by_capability = s->system->release->duplicates_early;
    if (!b->channels || b->pattern == ORR_PATTERN_NVLS || b->bw_intra < 25 ||
        (by_capability && s->cc_min > 80 && b->bw_intra < 50 && b->channels > 4))
        return;
    int32_t doubled = b->channels * 2 < b->max_channels ? b->channels * 2 : b->max_channels;
    int32_t copied = doubled - b->channels, parts = (doubled + b->channels - 1) / b->channels;
    memcpy(b->gpus + (size_t)b->channels * s->n, b->gpus, (size_t)copied * s->n * sizeof *b->gpus);
    memcpy(b->nets + b->channels, b->nets, (size_t)copied * sizeof *b->nets);
    b->bw_intra /= (float)parts;
    b->bw_inter /= (float)parts;
    b->channels = doubled;
}

/* Chooses a higher rate to try; false: none. */
static bool raise_rate(struct orr_search_state *s, const struct limits *limits, uint32_t *rate)
{
    struct orr_trial *t = &s->t;
    const struct orr_trial *b = &s->b;
    if (*rate == 0)
        return false;
    if (b->pattern == ORR_PATTERN_RING) {
        if (!s->system->release->raises_rings)
            return false;
        t->bw_intra = t->bw_inter = limits->rates[--*rate];
        return true;
    }
    if (b->pattern == ORR_PATTERN_NVLS && t->bw_inter == b->bw_inter && t->bw_inter < t->bw_intra * 2) {
        t->min_channels = t->max_channels = b->channels;
        t->bw_inter = limits->rates[--*rate];
        return true;
    }
    if (t->bw_intra == b->bw_intra && t->bw_intra < t->bw_inter * 2) {
        t->bw_intra = limits->rates[--*rate];
        return true;
    }
    return false;
}

/* No way was found: all GPUs in order, at a rate that no plan would choose. */
static void simple_order(struct orr_search_state *s, const struct limits *limits)
{
    struct orr_trial *b = &s->b;
    for (uint32_t g = 0; g < s->n; g++)
        b->gpus[g] = (uint16_t)g;
    b->nets[0][0] = b->nets[0][1] = -1;
    b->bw_intra = b->bw_inter = 0.1f;
    b->type_intra = b->type_inter = limits->sys;
    b->channels = 1;
    if (!s->system->release->simple_order_by_preference)
        return;
    bool has_nets = s->net_count > 0;
    b->nets[0][0] = has_nets ? s->exit_nets[0].nets[0] : -1;
    b->nets[0][1] = has_nets ? s->exit_nets[s->n - 1].nets[0] : -1;
    if (!has_nets) {
        b->bw_inter = 0;
        b->type_inter = limits->dis;
    }
}

static void search_graph(struct orr_search_state *s, const struct limits *limits)
{
    const struct orr_release *release = s->system->release;
    int32_t all_left = release->steps_all, left = 0;
    uint32_t rate = first_rate(s, limits);
    struct orr_trial t = s->t, b = s->b;
    s->t = s->b = limits->start;
    s->t.gpus = t.gpus;
    s->t.nets = t.nets;
    s->b.gpus = b.gpus;
    s->b.nets = b.nets;
    s->t.bw_intra = s->t.bw_inter = limits->rates[rate];

    while (!attempt(s, &left, &all_left) && relax(s, limits, left, &all_left, &rate))
        ;
    if (s->b.channels) {
        if (release->duplicates_early)
            duplicate(s);
        orr_trial_copy(&s->t, &s->b, s->n);
        rate = 0;
        while (rate + 1 < limits->rate_count && limits->rates[rate] > s->b.bw_inter)
            rate++;
        s->t.bw_intra = s->t.bw_inter = limits->rates[rate];
        s->t.min_channels = s->b.channels;
        left = 1;
        while (left != 0 && raise_rate(s, limits, &rate))
            attempt(s, &left, &all_left);
        if (!release->duplicates_early)
            duplicate(s);
    } else if (!limits->start.collnet && limits->start.pattern != ORR_PATTERN_NVLS) {
        simple_order(s, limits);
    }
}

/* Copies the best trial out: GPUs as host ranks, NICs as ids. */
static enum orr_code deliver(const struct orr_search_state *s, enum orr_graph_kind kind, struct orr_arena *arena,
                             struct orr_graph *ret_graph, struct orr_error *err)
{
    const struct orr_trial *b = &s->b;
    const struct orr_release *release = s->system->release;
    size_t channels = (size_t)b->channels;
    int32_t *gpus = ORR_NEW(arena, int32_t, channels * s->n);
    int64_t(*nets)[2] = orr_arena_alloc(arena, channels, sizeof *nets);
    if (!gpus || !nets)
        return orr_fail_nomem(err);
    uint32_t row = b->pattern == ORR_PATTERN_NVLS ? 1 : s->n;
    for (size_t c = 0; c < channels; c++) {
        for (uint32_t i = 0; i < row; i++)
            gpus[c * s->n + i] = s->system->nodes[orr_gpu_node(s, b->gpus[c * s->n + i])].gpu.rank;
        for (int end = 0; end < 2 && s->inter; end++)
            nets[c][end] = b->nets[c][end] < 0 ? 0 : s->system->nodes[orr_net_node(s, (uint32_t)b->nets[c][end])].id;
    }
    *ret_graph = (struct orr_graph){
        .kind = kind,
        .pattern = b->pattern,
        .channels = b->channels,
        .bw_intra = b->bw_intra,
        .bw_inter = b->bw_inter,
        .latency_inter = b->latency_inter,
        .type_intra = orr_path_type_of_number(release, b->type_intra),
        .type_inter = orr_path_type_of_number(release, b->type_inter),
        .cross_nic = b->cross_nic,
        .same_channels = b->same_channels,
        .hops = b->hops,
        .gpu_count = s->n,
        .row_count = row,
        .gpus = gpus,
        .nets = s->inter ? (const int64_t(*)[2])nets : NULL,
    };
    return ORR_OK;
}

static enum orr_code run(struct orr_search_state *s, const struct request *request, struct orr_arena *arena,
                         struct orr_graph graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    struct limits limits;
    if (!start_values(s, request, &limits))
        return ORR_OK; /* stays as one that was not asked for */
    search_graph(s, &limits);
    return deliver(s, request->kind, arena, &graphs[request->kind], err);
}

enum orr_code orr_search(const struct orr_paths *paths, const struct orr_settings *settings,
                         const struct orr_search_request *request, struct orr_arena *arena,
                         struct orr_graph ret_graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    struct orr_search_state s = {
        .system = system,
        .paths = paths,
        .settings = settings,
        .n = orr_system_count(system, ORR_GPU),
        .net_count = orr_system_count(system, ORR_NET),
        .cc_min = INT32_MAX,
    };
    struct orr_graph graphs[ORR_GRAPH_COUNT] = {{0}};
    for (uint32_t g = 0; g < s.n; g++) {
        int32_t sm = system->nodes[system->first[ORR_GPU] + g].gpu.sm;
        s.cc_min = sm < s.cc_min ? sm : s.cc_min;
    }
    for (uint32_t d = system->first[ORR_DEV]; d < system->first[ORR_DEV + 1]; d++)
        s.cc_min = system->nodes[d].gpu.sm < s.cc_min ? system->nodes[d].gpu.sm : s.cc_min;
    s.inter = s.net_count > 0 && system->leaves_host;
    ORR_TRY(orr_search_prepare(&s, arena, err));

    struct request ring = {ORR_GRAPH_RING, ORR_PATTERN_RING, 1, system->release->ring_max_channels, false};
    ORR_TRY(run(&s, &ring, arena, graphs, err));
    int32_t k = graphs[ORR_GRAPH_RING].channels;
    const struct orr_release *release = system->release;
    const struct {
        struct request request;
        bool wanted;
    } others[] = {
        {{ORR_GRAPH_TREE, (enum orr_pattern)release->tree_pattern, release->tree_keeps_ring_channels ? k : 1, k, false},
         true},
        {{ORR_GRAPH_COLLNET_CHAIN, ORR_PATTERN_TREE, k, k, true}, request->collnet || release->collnet_always},
        {{ORR_GRAPH_COLLNET_DIRECT, ORR_PATTERN_COLLNET_DIRECT, 1, release->max_channels, true},
         request->collnet && release->collnet_direct},
        {{ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 1, release->nvls_max_channels, false}, request->nvls},
    };
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].wanted)
            ORR_TRY(run(&s, &others[i].request, arena, graphs, err));
    memcpy(ret_graphs, graphs, sizeof graphs);
    return ORR_OK;
}
