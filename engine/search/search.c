/* SPDX-License-Identifier: Apache-2.0 */
/* Searches one graph after the other: limits and start values, the outer loop of relaxations, and the result.
 *
 * An example: two GPUs, one link of 30 GB/s in each direction, one host. The table begins 40, 30, 20; 40 is above the
 * maximum, so 30 is tried first. One channel fits and carries all that a GPU can send, so the ring is done after one
 * attempt. The tree asks for as many channels as the ring has, and begins with the same capacities. */
#include "engine/search/search.h"

#include <string.h>

#include "engine/base/budget.h"
#include "engine/release/release.h"
#include "engine/search/bounds.h"
#include "engine/search/given.h"
#include "engine/search/memo_state.h"
#include "engine/search/relaxing.h"
#include "engine/search/seen.h"
#include "engine/search/steps.h"

/* Is the best trial as good as it can get? left: steps left over from the last attempt. */
static bool is_done(const struct orr_search_state *s, int32_t left)
{
    const struct orr_trial *b = &s->best;
    if (s->input.system->release->finishes_at_full_rate)
        return b->channels == b->max_channels && b->bw_inter == s->input.system->max_bw;
    return left == -1 || (float)b->channels * b->bw_inter >= s->input.system->total_bw;
}

/* NCCL's number of steps for an attempt with the trial's limits. */
static int32_t steps_of(const struct orr_search_state *s)
{
    const struct orr_release *release = s->input.system->release;
    return s->trial.same_channels                 ? release->steps_same
           : s->trial.pattern == ORR_PATTERN_TREE ? release->steps_tree
                                                  : release->steps_other;
}

/* NCCL's result if no channel was found: all GPUs in order, at a rate too low to be chosen. docs/nccl/search.md, "If
 * nothing is found". */
static void simple_order(struct orr_search_state *s, const struct orr_limits *limits)
{
    struct orr_trial *b = &s->best;
    for (uint32_t g = 0; g < s->input.n; g++)
        b->gpus[g] = (uint16_t)g;
    b->nets[0][0] = b->nets[0][1] = -1;
    b->bw_intra = b->bw_inter = 0.1f;
    b->type_intra = b->type_inter = limits->sys;
    b->channels = 1;
    if (!s->input.system->release->simple_order_by_preference)
        return;
    bool has_nets = s->input.net_count > 0;
    b->nets[0][0] = has_nets ? s->facts.exit_nets[0].nets[0] : -1;
    b->nets[0][1] = has_nets ? s->facts.exit_nets[s->input.n - 1].nets[0] : -1;
    if (!has_nets) {
        b->bw_inter = 0;
        b->type_inter = limits->dis;
    }
}

/* Records the requirements of the first attempt. */
static void begin_story(const struct orr_search_state *s, const struct orr_limits *limits,
                        struct orr_graph_story *story)
{
    const struct orr_release *release = s->input.system->release;
    *story = (struct orr_graph_story){
        .asked_pattern = (uint8_t)limits->start.pattern,
        .first_intra = (uint8_t)orr_path_type_of_number(release, limits->start.type_intra),
        .first_inter = (uint8_t)orr_path_type_of_number(release, limits->start.type_inter),
        .first_rate = s->trial.bw_intra,
        .most_channels = limits->start.max_channels,
    };
}

/* The relaxations by which the best trial differs from the first attempt, before channels are doubled and rates
 * raised. */
static unsigned relaxed_in(const struct orr_trial *b, const struct orr_limits *limits, float first_rate)
{
    const struct orr_trial *start = &limits->start;
    return (b->same_channels < start->same_channels ? ORR_RELAXED_SAME : 0u) |
           (b->pattern != start->pattern ? ORR_RELAXED_PATTERN : 0u) |
           (b->type_intra > start->type_intra ? ORR_RELAXED_INTRA : 0u) |
           (b->type_inter > start->type_inter ? ORR_RELAXED_INTER : 0u) |
           (b->cross_nic && !start->cross_nic ? ORR_RELAXED_CROSS_NIC : 0u) |
           (b->bw_inter < first_rate ? ORR_RELAXED_RATE : 0u);
}

static enum orr_search_end end_of(const struct orr_search_state *s, bool enough)
{
    if (enough)
        return s->best.channels == s->best.max_channels ? ORR_END_ALL_CHANNELS : ORR_END_ALL_RATE;
    return s->budget.steps_spent ? ORR_END_STEPS : ORR_END_NOTHING_LEFT;
}

/* Makes attempts with ever looser limits until one is good enough or none can be better. */
static void relax(struct orr_search_state *s, const struct orr_limits *limits, uint32_t rate,
                  struct orr_graph_story *story)
{
    bool enough = false;
    uint32_t known_rate = UINT32_MAX, known_best = 0; /* the last rate and best trial for which something better could
                                                       * follow */
    int32_t steps, left;
    orr_steps_begin(s);
    do {
        if (known_rate != rate || known_best != s->found) {
            if (orr_search_nothing_better(s, limits, rate))
                break;
            known_rate = rate;
            known_best = s->found;
        }
        steps = steps_of(s);
        left = ORR_LEFT_UNKNOWN;
        if (!orr_search_is_hopeless(s)) {
            if (!orr_steps_sufficed(s)) {
                s->budget.steps_spent = true;
                break;
            }
            left = orr_search_attempt(s, steps);
        }
        orr_steps_take(s, steps);
        story->attempts++;
        enough = is_done(s, left) || orr_budget_spent(s->input.n);
    } while (!enough && orr_search_relax(s, limits, steps, left, &rate));
    story->end = (uint8_t)end_of(s, enough);
}

/* Would an attempt that was cut short have left steps over? */
static bool left_steps(struct orr_search_state *s, const struct orr_trial *trial, int32_t steps)
{
    struct orr_trial now = s->trial;
    s->trial = *trial;
    int32_t left = orr_search_count(s, steps);
    s->trial = now;
    return left != 0;
}

/* Makes attempts with ever higher rates for the channels that were found. */
static void raise_rates(struct orr_search_state *s, const struct orr_limits *limits)
{
    uint32_t rate = 0;
    orr_trial_copy(&s->trial, &s->best, s->input.n);
    while (rate + 1 < limits->rate_count && limits->rates[rate] > s->best.bw_inter)
        rate++;
    s->trial.bw_intra = s->trial.bw_inter = limits->rates[rate];
    s->trial.min_channels = s->best.channels;
    s->attempts.count = 0; /* duplication changed the best trial */
    struct orr_trial last = s->trial;
    for (int32_t left = 1, steps = 0; left != 0 && orr_search_raise(s, limits, &rate); last = s->trial) {
        /* Channels that do not fit now do not fit at a higher rate either. */
        if (orr_search_is_hopeless(s) && s->attempt.bound.channels < s->trial.min_channels)
            break;
        if (left == ORR_LEFT_UNKNOWN && !left_steps(s, &last, steps))
            break;
        steps = steps_of(s);
        left = orr_search_attempt(s, steps);
    }
}

static void search_graph(struct orr_search_state *s, const struct orr_limits *limits, struct orr_graph_story *story)
{
    const struct orr_release *release = s->input.system->release;
    uint32_t rate = orr_search_first_rate(s, limits);
    struct orr_trial t = s->trial, b = s->best;
    s->trial = s->best = limits->start;
    s->trial.gpus = t.gpus;
    s->trial.nets = t.nets;
    s->best.gpus = b.gpus;
    s->best.nets = b.nets;
    s->trial.bw_intra = s->trial.bw_inter = limits->rates[rate];
    s->attempts.count = 0;
    s->budget.steps_spent = false;
    begin_story(s, limits, story);
    relax(s, limits, rate, story);
    if (s->best.channels) {
        unsigned relaxed = relaxed_in(&s->best, limits, story->first_rate);
        if (release->duplicates_early)
            relaxed |= orr_search_duplicate(s);
        float found_intra = s->best.bw_intra, found_inter = s->best.bw_inter;
        raise_rates(s, limits);
        relaxed |= s->best.bw_intra > found_intra || s->best.bw_inter > found_inter ? ORR_RELAXED_RAISED : 0u;
        if (!release->duplicates_early)
            relaxed |= orr_search_duplicate(s);
        story->relaxed = (uint16_t)relaxed;
    } else if (!limits->start.collnet && limits->start.pattern != ORR_PATTERN_NVLS) {
        simple_order(s, limits);
        story->relaxed = ORR_RELAXED_ORDER;
    }
}

/* Copies the best trial out: GPUs as host ranks, NICs as ids. */
static enum orr_code deliver(const struct orr_search_state *s, enum orr_graph_kind kind, struct orr_arena *arena,
                             struct orr_graph *ret_graph, struct orr_error *err)
{
    const struct orr_trial *b = &s->best;
    const struct orr_release *release = s->input.system->release;
    size_t channels = (size_t)b->channels;
    int32_t *gpus = ORR_NEW(arena, int32_t, channels * s->input.n);
    int64_t(*nets)[2] = orr_arena_alloc(arena, channels, sizeof *nets);
    if (!gpus || !nets)
        return orr_fail_nomem(err);
    uint32_t row = b->pattern == ORR_PATTERN_NVLS ? 1 : s->input.n;
    for (size_t c = 0; c < channels; c++) {
        for (uint32_t i = 0; i < row; i++)
            gpus[c * s->input.n + i] = s->input.system->nodes[orr_gpu_node(s, b->gpus[c * s->input.n + i])].gpu.rank;
        for (int end = 0; end < 2 && s->input.inter; end++)
            nets[c][end] =
                b->nets[c][end] < 0 ? 0 : s->input.system->nodes[orr_net_node(s, (uint32_t)b->nets[c][end])].id;
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
        .gpu_count = s->input.n,
        .row_count = row,
        .gpus = gpus,
        .nets = s->input.inter ? (const int64_t(*)[2])nets : NULL,
    };
    return ORR_OK;
}

/* found: receives the result for a memo, by the numbers of the key; may be NULL. */
static enum orr_code run(struct orr_search_state *s, const struct orr_graph_request *request,
                         const struct orr_search_key *key, struct orr_arena *arena,
                         struct orr_graph graphs[ORR_GRAPH_COUNT], struct orr_found_graphs *found,
                         struct orr_error *err)
{
    struct orr_limits limits;
    struct orr_graph_story story;
    uint64_t before = s->budget.steps;
    orr_search_limits(s, request, &limits);
    const struct orr_file_graph *given = orr_search_given(s, &limits, request->id);
    if (given) {
        ORR_TRY(orr_search_take(s, request->kind, given, arena, &graphs[request->kind], err));
        if (graphs[request->kind].channels > 0)
            return ORR_OK;
    }
    if (limits.start.pattern == ORR_PATTERN_NONE)
        return ORR_OK; /* leave_empty() fills it */
    search_graph(s, &limits, &story);
    ORR_TRY(orr_budget_check(err));
    if (s->budget.overrun) {
        (void)orr_fail(err, ORR_UNSUPPORTED,
                       "NCCL %s overruns its tables here: with %u GPUs, NVLS gets more than %d channels",
                       s->input.system->release->name, s->input.n, s->input.system->release->max_channels);
        orr_error_advice(err, "set NCCL_NVLS_ENABLE=0, or choose a later release");
        return ORR_UNSUPPORTED;
    }
    ORR_TRY(deliver(s, request->kind, arena, &graphs[request->kind], err));
    graphs[request->kind].steps = s->budget.steps - before;
    graphs[request->kind].story = story;
    return found ? orr_search_note_found(s, key, &graphs[request->kind], arena, &found->graphs[request->kind], err)
                 : ORR_OK;
}

/* Searches every graph that is needed. found: receives the results for a memo; may be NULL. */
static enum orr_code search_all(struct orr_search_state *s, const struct orr_search_request *request,
                                const struct orr_search_key *key, struct orr_arena *arena,
                                struct orr_graph graphs[ORR_GRAPH_COUNT], struct orr_found_graphs *found,
                                struct orr_error *err)
{
    const struct orr_release *release = s->input.system->release;
    struct orr_graph_request ring = {ORR_GRAPH_RING, ORR_PATTERN_RING, 1, release->ring_max_channels, false, 0};
    ORR_TRY(run(s, &ring, key, arena, graphs, found, err));
    int32_t k = graphs[ORR_GRAPH_RING].channels;
    const struct {
        struct orr_graph_request request;
        bool wanted;
    } others[] = {
        {{ORR_GRAPH_TREE, orr_tree_pattern_asked(release, request->hosts), release->tree_keeps_ring_channels ? k : 1, k,
          false, 1},
         true},
        {{ORR_GRAPH_COLLNET_CHAIN, ORR_PATTERN_TREE, k, k, true, 2}, request->collnet || release->collnet_always},
        {{ORR_GRAPH_COLLNET_DIRECT, ORR_PATTERN_COLLNET_DIRECT, 1, release->max_channels, true, 4},
         request->collnet && release->collnet_direct},
        {{ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 1, release->nvls_max_channels, false, 3},
         request->nvls && release->nvls_max_channels > 0},
    };
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].wanted)
            ORR_TRY(run(s, &others[i].request, key, arena, graphs, found, err));
    return ORR_OK;
}

/* Delivers the graphs that a memo has. */
static enum orr_code deliver_found(struct orr_search_state *s, const struct orr_found_graphs *found,
                                   struct orr_arena *arena, struct orr_graph graphs[ORR_GRAPH_COUNT],
                                   struct orr_error *err)
{
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
        if (!found->graphs[kind].found)
            continue;
        s->best = found->graphs[kind].best;
        ORR_TRY(deliver(s, (enum orr_graph_kind)kind, arena, &graphs[kind], err));
        graphs[kind].steps = found->graphs[kind].steps;
        graphs[kind].story = found->graphs[kind].story;
    }
    return ORR_OK;
}

/* The same with a memo: takes the graphs that it has, and adds new ones. */
static enum orr_code search_or_remember(struct orr_search_state *s, const struct orr_search_request *request,
                                        struct orr_arena *arena, struct orr_graph graphs[ORR_GRAPH_COUNT],
                                        struct orr_error *err)
{
    struct orr_search_key key;
    struct orr_found_graphs found = {0};
    ORR_TRY(orr_search_key_make(s, request, arena, &key, err));
    if (orr_search_memo_find(request->memo, &key, s->input.n, arena, &found))
        return deliver_found(s, &found, arena, graphs, err);
    memset(&found, 0, sizeof found);
    ORR_TRY(search_all(s, request, &key, arena, graphs, &found, err));
    orr_search_memo_keep(request->memo, &key, s->input.n, &found);
    return ORR_OK;
}

/* An NVLS graph that is requested although the system has no NVSwitch, or has a GPU below capability 90: NCCL searches
 * nothing, but keeps the types with which a search would begin. */
static void leave_empty(struct orr_search_state *s, const struct orr_search_request *request,
                        struct orr_graph graphs[ORR_GRAPH_COUNT])
{
    const struct orr_release *release = s->input.system->release;
    const struct orr_graph_request nvls = {ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 1, release->nvls_max_channels, false, 3};
    struct orr_graph *graph = &graphs[ORR_GRAPH_NVLS];
    struct orr_limits limits;
    if (!request->nvls || release->nvls_max_channels <= 0 || graph->pattern != ORR_PATTERN_NONE)
        return;
    orr_search_limits(s, &nvls, &limits);
    graph->kind = ORR_GRAPH_NVLS;
    graph->pattern = ORR_PATTERN_NVLS;
    graph->gpu_count = s->input.n;
    graph->row_count = 1;
    graph->type_intra = orr_path_type_of_number(release, limits.start.type_intra);
    graph->type_inter = orr_path_type_of_number(release, limits.start.type_inter);
}

enum orr_code orr_search(const struct orr_paths *paths, const struct orr_settings *settings,
                         const struct orr_search_request *request, struct orr_arena *arena,
                         struct orr_graph ret_graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    struct orr_attempt attempts[ORR_MOST_ATTEMPTS];
    struct orr_uncounted uncounted[ORR_MOST_UNCOUNTED];
    struct orr_search_state s = {.attempts = {.list = attempts},
                                 .steps_left = {.uncounted = uncounted},
                                 .input = {
                                     .system = system,
                                     .paths = paths,
                                     .settings = settings,
                                     .file = request->file,
                                     .n = orr_system_count(system, ORR_GPU),
                                     .net_count = orr_system_count(system, ORR_NET),
                                     .parts = request->collnet && system->release->collnet_direct,
                                     .cc_min = INT32_MAX,
                                 }};
    struct orr_graph graphs[ORR_GRAPH_COUNT] = {{0}};
    for (uint32_t g = 0; g < s.input.n; g++) {
        int32_t sm = system->nodes[system->first[ORR_GPU] + g].gpu.sm;
        s.input.cc_min = sm < s.input.cc_min ? sm : s.input.cc_min;
    }
    for (uint32_t d = system->first[ORR_DEV]; d < system->first[ORR_DEV + 1]; d++)
        s.input.cc_min = system->nodes[d].gpu.sm < s.input.cc_min ? system->nodes[d].gpu.sm : s.input.cc_min;
    s.input.inter = (s.input.net_count > 0 || system->release->keeps_nets) && system->leaves_host;
    ORR_TRY(orr_search_prepare(&s, arena, err));

    const bool remembers = request->memo && !request->file;
    enum orr_code code = remembers ? search_or_remember(&s, request, arena, graphs, err)
                                   : search_all(&s, request, NULL, arena, graphs, NULL, err);
    if (code == ORR_OK)
        leave_empty(&s, request, graphs);
    orr_seen_free(&s);
    ORR_TRY(code);
    memcpy(ret_graphs, graphs, sizeof graphs);
    return ORR_OK;
}
