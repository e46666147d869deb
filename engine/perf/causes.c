/* Tries configurations by analysing the changed machine again, and keeps those whose prediction fits the measured
 * curve. README.md says how fit is computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/perf/causes.h"

enum { MOST_TRIED = 64 };
static const double LEAST_FIT = 0.7, LEAST_GAIN = 0.1, SAME_CURVE = 0.03;

struct trial {
    const struct orr_perf_cause *cause;
    char what[96];
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

static enum orr_code try_cause(const struct orr_perf_work *work, const struct orr_perf_table *table,
                               const struct orr_perf_cause *cause, struct trial *trial, struct point *points,
                               struct orr_error *err)
{
    struct orr_perf_copy copy;
    struct orr_analysis *analysis = NULL;
    struct orr_expectation *expectation = NULL;
    struct orr_error own = {0};
    *trial = (struct trial){.cause = cause};
    struct orr_arena *arena = orr_arena_new(0);
    enum orr_code code = arena && orr_perf_copy_init(&copy, table->analysis, arena) ? ORR_OK : orr_fail_nomem(err);
    if (code == ORR_OK)
        cause->apply(&copy, cause->amount);
    const struct orr_dump *dump =
        code == ORR_OK && copy.changed ? orr_doc_to_dump(&copy.doc, table->analysis->given) : NULL;
    if (dump && orr_perf_again(table->analysis, dump, &copy.settings, &analysis, &own) == ORR_OK &&
        orr_expectation_new(analysis, table->test, &expectation, &own) == ORR_OK) {
        uint64_t steps = orr_analysis_steps(analysis);
        work->left->steps = work->left->steps > steps ? work->left->steps - steps : 0;
        trial->curve = ORR_NEW(work->arena, double, table->row_count);
        code = trial->curve ? ORR_OK : orr_fail_nomem(err);
        if (trial->curve)
            trial->fit = fit_of(table, analysis, expectation, cause->tolerance, trial->curve, points);
        snprintf(trial->what, sizeof trial->what, "%s", copy.what);
    }
    if (code == ORR_OK)
        code = orr_budget_check(err);
    orr_expectation_free(expectation);
    if (analysis)
        orr_analysis_free(analysis);
    orr_arena_free(arena);
    return code;
}

static bool same_curve(const struct orr_perf_table *table, const double *a, const double *b)
{
    for (uint32_t i = 0; i < table->row_count; i++)
        if (shows(table, i) && fabs(a[i] - b[i]) > SAME_CURVE * fmax(a[i], b[i]))
            return false;
    return true;
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
    return (b->fit > a->fit) - (b->fit < a->fit);
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

/* Keeps a trial, with others that predict the same: the results cannot distinguish them. */
static enum orr_code keep(const struct orr_perf_work *work, struct orr_perf_table *table, const struct trial *trials,
                          uint32_t count, uint32_t at, bool *used, struct orr_error *err)
{
    const struct orr_perf_row *main = &table->rows[table->main];
    enum { NAMED = 3 };
    const char *what = words_of(&trials[at]), **ids = ORR_NEW(work->arena, const char *, count);
    uint32_t id_count = 0;
    char size[24];
    if (!ids)
        return orr_fail_nomem(err);
    ids[id_count++] = trials[at].cause->id;
    for (uint32_t i = at + 1; i < count && !trials[at].proven; i++)
        if (!used[i] && trials[i].curve && same_curve(table, trials[at].curve, trials[i].curve)) {
            used[i] = true;
            if (is_among(ids, id_count, trials[i].cause->id))
                continue;
            if (id_count < NAMED)
                what = orr_perf_text(work->arena, "%s, or %s", what, words_of(&trials[i]));
            ids[id_count++] = trials[i].cause->id;
        }
    if (id_count > NAMED)
        what = orr_perf_text(work->arena, "%s, or %u other cause%s that predict%s the same", what, id_count - NAMED,
                             id_count == NAMED + 1 ? "" : "s", id_count == NAMED + 1 ? "s" : "");
    orr_perf_size_text(main->size, size);
    table->explanations[table->explanation_count++] = (struct orr_perf_explanation){
        .ids = ids,
        .id_count = id_count,
        .what = orr_perf_text(work->arena, "%s: predicted %.3g GB/s at %s, measured %.3g", what,
                              trials[at].curve[table->main], size, main->bus_bw),
        .confirm = trials[at].cause->confirm,
        .fit = trials[at].fit,
        .curve = trials[at].curve,
        .evidence = trials[at].proven ? "the log in the same text names this network" : ""};
    return ORR_OK;
}

enum orr_code orr_perf_explain(const struct orr_perf_work *work, struct orr_perf_table *table, struct orr_error *err)
{
    struct trial trials[MOST_TRIED];
    bool used[MOST_TRIED] = {false};
    uint32_t count = 0;
    double present = 0;
    struct orr_expectation *expectation = NULL;
    struct point *points = ORR_NEW(work->arena, struct point, (size_t)table->row_count + 1);
    double *curve = ORR_NEW(work->arena, double, (size_t)table->row_count + 1);
    if (!points || !curve)
        return orr_fail_nomem(err);
    table->all_tried = true;
    ORR_TRY(orr_expectation_new(table->analysis, table->test, &expectation, err));
    present = fit_of(table, table->analysis, expectation, 1, curve, points);
    orr_expectation_free(expectation);
    for (size_t i = 0; i < orr_perf_cause_count && count < MOST_TRIED; i++) {
        const struct orr_perf_cause *cause = &orr_perf_causes[i];
        if (cause->network && table->analysis->communicator.node_count < 2)
            continue;
        if (!work->left->trials || !work->left->steps) {
            table->all_tried = false;
            break;
        }
        work->left->trials--;
        ORR_TRY(try_cause(work, table, cause, &trials[count], points, err));
        trials[count].proven =
            cause->network_line && trials[count].curve && log_names(work->results->log, cause->network_line);
        count += trials[count].curve != NULL;
    }
    qsort(trials, count, sizeof *trials, by_fit);
    for (uint32_t i = 0; i < count && table->explanation_count < ORR_PERF_EXPLANATIONS; i++)
        if (!used[i] && !is_kept(table, trials[i].cause->id) &&
            (trials[i].proven || (trials[i].fit >= LEAST_FIT && trials[i].fit >= present + LEAST_GAIN)))
            ORR_TRY(keep(work, table, trials, count, i, used, err));
    return ORR_OK;
}
