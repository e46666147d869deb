/* SPDX-License-Identifier: Apache-2.0 */
/* Tries configurations by analysing the changed machine again, and keeps those whose prediction fits the measured
 * curve. README.md says how fit is computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/log_comparing/check.h"
#include "engine/perf/perfing.h"
#include "engine/search/memo.h"
#include "engine/trials/hypotheses.h"

enum { MOST_TRIED = 64 };
static const double LEAST_FIT = 0.7, LEAST_GAIN = 0.1, SAME_CURVE = 0.03;
static const double OTHER_GAIN = 0.05; /* by which a cause that rarely explains results must fit better than all usual
                                        * ones */

struct trial {
    const struct orr_hypothesis *cause;
    const char *what;
    uint32_t kept, nets; /* `kept` of `nets` NICs stay; 0 if all do */
    double fit;
    double *curve; /* [row] */
    bool proven;
};

/* The state shared by all trials of one table. */
struct trying {
    const struct orr_perf_work *work;
    struct orr_perf_table *table;
    struct orr_observed observed;
    struct point *points; /* [row] */
    struct trial trials[MOST_TRIED];
    uint32_t count;
};

/* Whether a row can show a cause. */
static bool shows(const struct orr_perf_table *table, uint32_t i)
{
    return table->rows[i].known && table->rows[i].bus_bw > 0 && orr_perf_range(table->rows[i].size) >= 0;
}

/* A measured row with a cause's prediction. */
struct point {
    double measured, bus_bw, time, usual; /* usual: share of a prediction that such runs reach */
};

/* The root mean square of the distances between the measured and the predicted curve, as logarithms, with this many
 * microseconds of overhead for each launch. `tolerance` allows to shift the whole curve, for an effect that a cause
 * does not determine. */
static double distance_of(const struct point *points, uint32_t count, double overhead, bool usual, double tolerance)
{
    double sum = 0, shift = 0;
    for (int turn = 0; turn < 2; turn++) {
        double mean = 0;
        sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            const struct point *point = &points[i];
            double predicted = point->bus_bw * point->time / (point->time + overhead) * (usual ? point->usual : 1);
            double distance = log(point->measured / predicted) - shift;
            mean += distance / count;
            sum += distance * distance / count;
        }
        shift = fmax(-log(tolerance), fmin(log(tolerance), mean));
    }
    return sqrt(sum);
}

/* exp(-distance): 1 if both curves are the same. The overhead of launching is not known, so the best-fitting one is
 * used; and runs may reach either the prediction or the usual share of it. */
static double fit_of(const struct orr_perf_table *table, const struct orr_analysis *analysis,
                     const struct orr_expectation *expectation, double tolerance, double *curve, struct point *points)
{
    enum { OVERHEAD_STEP = 5, OVERHEAD_MOST = 40 };
    uint32_t count = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < table->row_count; i++) {
        struct orr_expected expected;
        curve[i] = orr_expect(expectation, table->rows[i].size, &expected) ? expected.bus_bw : 0;
        if (!shows(table, i) || curve[i] <= 0 || expected.time <= 0)
            continue;
        struct orr_band band = orr_perf_band(analysis, &expected, table->rows[i].size);
        double usual = band.low > 0 && !band.wide ? sqrt(band.low * band.high) : 1;
        points[count++] = (struct point){table->rows[i].bus_bw, curve[i], expected.time, usual};
    }
    for (int overhead = 0; overhead <= OVERHEAD_MOST && count; overhead += OVERHEAD_STEP)
        for (int usual = 0; usual < 2; usual++)
            least = fmin(least, distance_of(points, count, overhead, usual, tolerance));
    return count ? exp(-least) * (tolerance > 1 ? 0.98 : 1) : 0;
}

/* The expected output of nccl-tests with the cause. *ret_analysis: the changed machine, NULL if it is the same.
 * *ret_expectation is NULL if the changed question has no answer. */
static enum orr_code expect_with(struct orr_trials *trials, enum orr_test test, struct orr_variant *variant,
                                 struct orr_analysis **ret_analysis, struct orr_expectation **ret_expectation,
                                 struct orr_error *err)
{
    struct orr_error refused = {0};
    if (variant->changed)
        ORR_TRY(orr_variant_analyze(trials, variant, ret_analysis, &refused, err));
    else
        trials->left.analyses--;
    const struct orr_analysis *analysis = variant->changed ? *ret_analysis : variant->analysis;
    if (!analysis)
        return ORR_OK;
    enum orr_code code = variant->acs ? orr_expectation_with_acs(analysis, test, ret_expectation, &refused)
                                      : orr_expectation_new(analysis, test, ret_expectation, &refused);
    return code == ORR_NOMEM ? orr_fail_nomem(err) : orr_budget_check(err);
}

/* Tries a row. If it does not apply, or the question has no answer, it explains nothing and is not counted as a
 * trial. */
static enum orr_code try_cause(struct trying *t, struct orr_trials *trials, const struct orr_hypothesis *cause,
                               int amount, struct orr_error *err)
{
    struct orr_arena *kept = t->work->arena;
    struct orr_variant variant;
    struct orr_analysis *analysis = NULL;
    struct orr_expectation *expectation = NULL;
    struct trial *row = &t->trials[t->count];
    ORR_LOCAL_ARENA(arena, 0);
    orr_variant_init(&variant, t->table->analysis, NULL, &t->observed, arena);
    variant.query.plan = true;
    if (!orr_hypothesis_apply(cause, amount, &variant) || !(variant.changed || variant.acs))
        return ORR_OK;
    enum orr_code code = expect_with(trials, t->table->test, &variant, &analysis, &expectation, err);
    if (code == ORR_OK && expectation) {
        *row = (struct trial){.cause = cause,
                              .what = variant.what[0] ? orr_arena_text(kept, "%s", variant.what) : cause->what,
                              .kept = variant.kept,
                              .nets = variant.nets,
                              .curve = ORR_NEW(kept, double, t->table->row_count),
                              .proven = t->observed.shown >> cause->proven_by & 1};
        if (row->curve)
            row->fit = fit_of(t->table, analysis ? analysis : t->table->analysis, expectation,
                              fmax(1, cause->tolerance), row->curve, t->points);
        code = row->curve ? ORR_OK : orr_fail_nomem(err);
        t->count += code == ORR_OK;
    }
    orr_expectation_free(expectation);
    orr_analysis_free(analysis);
    return code;
}

/* Measured rows scatter by about 5 %, so over a dozen rows this is the least mean distance that shows anything. */
static bool same_curve(const struct orr_perf_table *table, const double *a, const double *b)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->row_count; i++)
        if (shows(table, i) && a[i] > 0 && b[i] > 0) {
            sum += log(a[i] / b[i]) * log(a[i] / b[i]);
            count++;
        }
    return count && sqrt(sum / count) <= SAME_CURVE;
}

ORR_COMPARATOR(by_fit, struct trial, ORR_ORDER(b->proven, a->proven), ORR_ORDER(b->fit, a->fit))

static bool is_among(const char *const *ids, uint32_t count, const char *id)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(ids[i], id))
            return true;
    return false;
}

/* TCP is tried at several speeds: the best one is enough. */
static bool is_kept(const struct orr_perf_table *table, const char *id)
{
    for (uint32_t i = 0; i < table->explanation_count; i++)
        if (is_among(table->explanations[i].ids, table->explanations[i].id_count, id))
            return true;
    return false;
}

/* Whether the results have more bandwidth than the cause allows: other effects may lower a curve but never raise it. */
static bool needs_more(const struct orr_perf_table *table, const struct trial *trial)
{
    static const double allowed = 1.1;
    const double most = trial->curve[table->main];
    return most > 0 && table->rows[table->main].bus_bw > allowed * most;
}

/* Whether trials predict the same, so that the results cannot distinguish them. */
struct group {
    const struct trial *all[MOST_TRIED];
    uint32_t count;
};

/* "4 of 8 NICs are used" or, with other trials of the cause, "4 to 6 of 8 NICs are used". */
static const char *words_in(const struct orr_perf_work *work, const struct group *group, const struct trial *trial)
{
    uint32_t least = trial->kept, most = trial->kept;
    for (uint32_t i = 0; i < group->count && trial->kept; i++)
        if (group->all[i]->cause == trial->cause) {
            least = group->all[i]->kept < least ? group->all[i]->kept : least;
            most = group->all[i]->kept > most ? group->all[i]->kept : most;
        }
    if (!trial->kept)
        return trial->what;
    if (least < most)
        return orr_arena_text(work->arena, "%u to %u of %u NICs are used", least, most, trial->nets);
    return orr_arena_text(work->arena, "%u of %u NICs %s used", least, trial->nets, least == 1 ? "is" : "are");
}

/* Keeps the trials of a group as one explanation. */
static enum orr_code keep(const struct orr_perf_work *work, struct orr_perf_table *table, const struct group *group,
                          struct orr_error *err)
{
    enum { NAMED = 4 };
    const struct trial *best = group->all[0];
    const struct orr_perf_row *main = &table->rows[table->main];
    const char *what = "", *confirm = "", **ids = ORR_NEW(work->arena, const char *, group->count);
    uint32_t id_count = 0;
    char size[24];
    ORR_NEED(ids, err);
    for (uint32_t i = 0; i < group->count; i++) {
        const struct orr_hypothesis *cause = group->all[i]->cause;
        if (is_among(ids, id_count, cause->id))
            continue;
        ids[id_count++] = cause->id;
        if (id_count > NAMED)
            continue;
        what = orr_arena_text(work->arena, "%s%s%s", what, i ? ", or " : "", words_in(work, group, group->all[i]));
        if (!strstr(confirm, cause->confirm))
            confirm = orr_arena_text(work->arena, "%s%s%s", confirm, i ? " " : "", cause->confirm);
    }
    if (id_count > NAMED)
        what = orr_arena_text(work->arena, "%s, or %u other cause%s that predict%s the same", what, id_count - NAMED,
                              id_count == NAMED + 1 ? "" : "s", id_count == NAMED + 1 ? "s" : "");
    orr_size_text(main->size, size);
    table->explanations[table->explanation_count++] = (struct orr_perf_explanation){
        .ids = ids,
        .id_count = id_count,
        .what = orr_arena_text(work->arena, "%s: predicted %.3g GB/s at %s, measured %.3g", what,
                               best->curve[table->main], size, main->bus_bw),
        .confirm = confirm,
        .fit = best->fit,
        .curve = best->curve,
        .evidence = best->proven ? "the log in the same text shows it" : ""};
    return ORR_OK;
}

/* Groups a trial with the later ones that predict the same, and marks them as used. A cause that a log proves stays
 * alone. */
static void gather(const struct orr_perf_table *table, const struct trial *trials, uint32_t count, uint32_t at,
                   bool *used, struct group *group)
{
    group->count = 0;
    for (uint32_t i = at; i < count; i++)
        if (i == at || (!trials[at].proven && !used[i] && same_curve(table, trials[at].curve, trials[i].curve))) {
            group->all[group->count++] = &trials[i];
            used[i] = true;
        }
}

/* Tries causes with each of their amounts: those with a turn, in order, or those without. *ret_all is false if the
 * allowance was spent. */
static enum orr_code try_all(struct trying *t, struct orr_trials *trials, bool others, bool *ret_all,
                             struct orr_error *err)
{
    bool one_host = t->table->analysis->communicator.node_count < 2;
    const struct orr_hypothesis *cause = NULL;
    *ret_all = true;
    while ((cause = orr_hypothesis_next(ORR_ASKED_RESULTS, cause))) {
        if ((cause->network && one_host) || others != !cause->turn[ORR_ASKED_RESULTS])
            continue;
        for (int amount = cause->amount; amount == cause->amount || amount <= cause->most; amount++) {
            if (!orr_trials_may_go_on(trials) || t->count == MOST_TRIED) {
                *ret_all = false;
                return ORR_OK;
            }
            ORR_TRY(try_cause(t, trials, cause, amount, err));
        }
    }
    return ORR_OK;
}

/* If no usual cause fits well, tries causes that rarely explain results; these must fit clearly better. */
static enum orr_code try_others(struct trying *t, struct orr_trials *trials, double present, struct orr_error *err)
{
    double best = present;
    uint32_t usual = t->count, kept = usual;
    bool all;
    for (uint32_t i = 0; i < usual; i++)
        best = t->trials[i].proven ? 1 : fmax(best, t->trials[i].fit);
    if (best + OTHER_GAIN > 1)
        return ORR_OK;
    ORR_TRY(try_all(t, trials, true, &all, err));
    for (uint32_t i = usual; i < t->count; i++)
        if (t->trials[i].fit >= best + OTHER_GAIN)
            t->trials[kept++] = t->trials[i];
    t->count = kept;
    return ORR_OK;
}

/* Facts that lines of the log in the same text show. */
static void observe(struct trying *t)
{
    const struct orr_log *log = t->work->results->log;
    t->observed.shown = 1u << ORR_SHOWS_RELEASE | 1u << ORR_SHOWS_HOSTS;
    if (log)
        t->observed.shown |= orr_log_shown(log, orr_log_largest(log));
}

static enum orr_code explain(struct trying *t, struct orr_trials *trials, struct orr_error *err)
{
    struct orr_trials others = {.left = {ORR_PERF_OTHER_TRIALS, ORR_PERF_OTHER_STEPS}, .memo = trials->memo};
    struct orr_perf_table *table = t->table;
    struct group group;
    bool used[MOST_TRIED] = {false};
    struct orr_expectation *expectation = NULL;
    double *curve = ORR_NEW(t->work->arena, double, (size_t)table->row_count + 1);
    ORR_NEED(curve && t->points, err);
    ORR_TRY(orr_expectation_new(table->analysis, table->test, &expectation, err));
    double present = fit_of(table, table->analysis, expectation, 1, curve, t->points);
    orr_expectation_free(expectation);
    ORR_TRY(try_all(t, trials, false, &table->all_tried, err));
    ORR_TRY(try_others(t, &others, present, err));
    qsort(t->trials, t->count, sizeof *t->trials, by_fit);
    for (uint32_t i = 0; i < t->count && table->explanation_count < ORR_PERF_EXPLANATIONS; i++) {
        const struct trial *trial = &t->trials[i];
        bool fits = (trial->proven && !same_curve(table, curve, trial->curve)) ||
                    (!needs_more(table, trial) && trial->fit >= LEAST_FIT && trial->fit >= present + LEAST_GAIN);
        if (used[i] || !fits || is_kept(table, trial->cause->id))
            continue;
        gather(table, t->trials, t->count, i, used, &group);
        ORR_TRY(keep(t->work, table, &group, err));
    }
    return ORR_OK;
}

enum orr_code orr_perf_explain(const struct orr_perf_work *work, struct orr_perf_table *table, struct orr_error *err)
{
    enum { MEMO_BYTES = 8 << 20 };
    struct trying *t = ORR_NEW(work->arena, struct trying, 1);
    ORR_NEED(t, err);
    t->work = work;
    t->table = table;
    t->points = ORR_NEW(work->arena, struct point, (size_t)table->row_count + 1);
    observe(t);
    work->trials->memo = orr_search_memo_new(MEMO_BYTES);
    enum orr_code code = explain(t, work->trials, err);
    orr_search_memo_free(work->trials->memo);
    work->trials->memo = NULL;
    return code;
}
