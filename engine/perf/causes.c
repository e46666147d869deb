/* Tries configurations by analysing the changed machine again, and keeps those whose prediction fits the measured
 * curve. README.md says how fit is computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/cluster/again.h"
#include "engine/perf/perfing.h"
#include "engine/trials/hypotheses.h"

enum { MOST_TRIED = 64 };
static const double LEAST_FIT = 0.7, LEAST_GAIN = 0.1, SAME_CURVE = 0.03;

struct trial {
    const struct orr_perf_cause *cause;
    char what[96];
    uint32_t kept, nets; /* NICs that stay, of so many; 0: all do */
    double fit;
    double *curve; /* [row] */
    bool proven;
};

/* Rows that show a cause. */
static bool shows(const struct orr_perf_table *table, uint32_t i)
{
    return table->rows[i].known && table->rows[i].bus_bw > 0 && orr_perf_range(table->rows[i].size) >= 0;
}

/* A row as a cause predicts it. */
struct point {
    double measured, bus_bw, time, usual; /* usual: what such runs reach of a prediction */
};

/* The root mean square of the distances between the measured and the predicted curve, as logarithms, with so many
 * microseconds of overhead for each launch. What a cause leaves open shifts the whole curve. */
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

/* exp(-distance): 1 where both curves are the same. The overhead of launching is not known, so that which fits best is
 * taken; and runs may reach the prediction or what is usual for such runs. */
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

/* What nccl-tests should print with the cause; *ret_analysis: of the changed machine, NULL where it is the same. */
static enum orr_code expect_with(const struct orr_perf_work *work, const struct orr_perf_table *table,
                                 const struct orr_perf_copy *copy, const struct orr_dump *dump,
                                 struct orr_analysis **ret_analysis, struct orr_expectation **ret_expectation,
                                 struct orr_error *err)
{
    if (copy->acs)
        return orr_expectation_with_acs(table->analysis, table->test, ret_expectation, err);
    ORR_TRY(orr_perf_again(table->analysis, dump, &copy->settings, ret_analysis, err));
    uint64_t steps = orr_analysis_steps(*ret_analysis);
    work->left->steps = work->left->steps > steps ? work->left->steps - steps : 0;
    return orr_expectation_new(*ret_analysis, table->test, ret_expectation, err);
}

/* A machine that cannot be analysed with the change explains nothing: *trial has no curve then. */
static enum orr_code try_cause(const struct orr_perf_work *work, const struct orr_perf_table *table,
                               const struct orr_perf_cause *cause, int amount, struct trial *trial,
                               struct point *points, struct orr_error *err)
{
    struct orr_perf_copy copy;
    struct orr_analysis *analysis = NULL;
    struct orr_expectation *expectation = NULL;
    struct orr_error own = {0};
    *trial = (struct trial){.cause = cause};
    ORR_LOCAL_ARENA(arena, 0);
    ORR_NEED(orr_perf_copy_init(&copy, table->analysis, arena), err);
    enum orr_code code = ORR_OK;
    cause->apply(&copy, amount);
    const struct orr_dump *dump = copy.changed ? orr_doc_to_dump(&copy.doc, table->analysis->given) : NULL;
    if (dump)
        work->left->trials--;
    if (dump && expect_with(work, table, &copy, dump, &analysis, &expectation, &own) == ORR_OK) {
        trial->curve = ORR_NEW(work->arena, double, table->row_count);
        code = trial->curve ? ORR_OK : orr_fail_nomem(err);
        if (trial->curve)
            trial->fit = fit_of(table, analysis ? analysis : table->analysis, expectation, cause->tolerance,
                                trial->curve, points);
        trial->kept = copy.kept;
        trial->nets = copy.nets;
        snprintf(trial->what, sizeof trial->what, "%s", copy.what);
    }
    if (code == ORR_OK)
        code = orr_budget_check(err);
    orr_expectation_free(expectation);
    orr_analysis_free(analysis);
    return code;
}

/* Measured rows scatter by about 5 %, so that over a dozen rows such a mean distance is the least that shows. */
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

/* The log's own lines about the network: they prove a cause, or refute it. */
static bool log_names(const struct orr_log *log, const char *word)
{
    for (uint32_t i = 0; log && i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_NETWORK && log->records[i].word_count &&
            strstr(log->records[i].words[0], word))
            return true;
    return false;
}

static int by_fit(const void *left, const void *right)
{
    const struct trial *a = left, *b = right;
    if (a->proven != b->proven)
        return b->proven - a->proven;
    return ORR_ORDER(b->fit, a->fit);
}

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

static const char *words_of(const struct trial *trial)
{
    return trial->what[0] ? trial->what : trial->cause->what;
}

/* Trials that predict the same: the results cannot distinguish them. */
struct group {
    const struct trial *all[MOST_TRIED];
    uint32_t count;
};

/* "4 of 8 NICs are used", "4 to 6 of 8 NICs are used": the other trials of the cause count too. */
static const char *words_in(const struct orr_perf_work *work, const struct group *group, const struct trial *trial)
{
    uint32_t least = trial->kept, most = trial->kept;
    for (uint32_t i = 0; i < group->count && trial->kept; i++)
        if (group->all[i]->cause == trial->cause) {
            least = group->all[i]->kept < least ? group->all[i]->kept : least;
            most = group->all[i]->kept > most ? group->all[i]->kept : most;
        }
    if (!trial->kept)
        return words_of(trial);
    if (least < most)
        return orr_perf_text(work->arena, "%u to %u of %u NICs are used", least, most, trial->nets);
    return orr_perf_text(work->arena, "%u of %u NICs %s used", least, trial->nets, least == 1 ? "is" : "are");
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
        const struct orr_perf_cause *cause = group->all[i]->cause;
        if (is_among(ids, id_count, cause->id))
            continue;
        ids[id_count++] = cause->id;
        if (id_count > NAMED)
            continue;
        what = orr_perf_text(work->arena, "%s%s%s", what, i ? ", or " : "", words_in(work, group, group->all[i]));
        if (!strstr(confirm, cause->confirm))
            confirm = orr_perf_text(work->arena, "%s%s%s", confirm, i ? " " : "", cause->confirm);
    }
    if (id_count > NAMED)
        what = orr_perf_text(work->arena, "%s, or %u other cause%s that predict%s the same", what, id_count - NAMED,
                             id_count == NAMED + 1 ? "" : "s", id_count == NAMED + 1 ? "s" : "");
    orr_size_text(main->size, size);
    table->explanations[table->explanation_count++] =
        (struct orr_perf_explanation){.ids = ids,
                                      .id_count = id_count,
                                      .what = orr_perf_text(work->arena, "%s: predicted %.3g GB/s at %s, measured %.3g",
                                                            what, best->curve[table->main], size, main->bus_bw),
                                      .confirm = confirm,
                                      .fit = best->fit,
                                      .curve = best->curve,
                                      .evidence = best->proven ? "the log in the same text names this network" : ""};
    return ORR_OK;
}

/* A trial and the later ones that predict the same, which are used with it. What a log proves goes alone. */
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

/* Tries the causes in the order of their rows, with each of their amounts. */
static enum orr_code try_all(const struct orr_perf_work *work, struct orr_perf_table *table, struct trial *trials,
                             uint32_t *ret_count, struct point *points, struct orr_error *err)
{
    uint32_t count = 0;
    table->all_tried = true;
    for (size_t i = 0; i < orr_perf_cause_count; i++) {
        const struct orr_perf_cause *cause = &orr_perf_causes[i];
        if (cause->network && table->analysis->communicator.node_count < 2)
            continue;
        bool proven = cause->network_line && log_names(work->results->log, cause->network_line);
        for (int amount = cause->amount; amount == cause->amount || amount <= cause->most; amount++) {
            if (!work->left->trials || !work->left->steps || count == MOST_TRIED) {
                table->all_tried = false;
                *ret_count = count;
                return ORR_OK;
            }
            ORR_TRY(try_cause(work, table, cause, amount, &trials[count], points, err));
            trials[count].proven = proven;
            count += trials[count].curve != NULL;
        }
    }
    *ret_count = count;
    return ORR_OK;
}

enum orr_code orr_perf_explain(const struct orr_perf_work *work, struct orr_perf_table *table, struct orr_error *err)
{
    struct trial trials[MOST_TRIED];
    struct group group;
    bool used[MOST_TRIED] = {false};
    uint32_t count;
    struct orr_expectation *expectation = NULL;
    struct point *points = ORR_NEW(work->arena, struct point, (size_t)table->row_count + 1);
    double *curve = ORR_NEW(work->arena, double, (size_t)table->row_count + 1);
    ORR_NEED(points && curve, err);
    ORR_TRY(orr_expectation_new(table->analysis, table->test, &expectation, err));
    double present = fit_of(table, table->analysis, expectation, 1, curve, points);
    orr_expectation_free(expectation);
    ORR_TRY(try_all(work, table, trials, &count, points, err));
    qsort(trials, count, sizeof *trials, by_fit);
    for (uint32_t i = 0; i < count && table->explanation_count < ORR_PERF_EXPLANATIONS; i++) {
        bool fits = trials[i].proven || (trials[i].fit >= LEAST_FIT && trials[i].fit >= present + LEAST_GAIN);
        if (used[i] || !fits || is_kept(table, trials[i].cause->id))
            continue;
        gather(table, trials, count, i, used, &group);
        ORR_TRY(keep(work, table, &group, err));
    }
    return ORR_OK;
}
