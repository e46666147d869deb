/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict is never better than its inputs: each value that an assumed figure may have is tried. What is slower than
 * the results is refuted by them. If another value gives another verdict, or the figure is the one that limits, the
 * verdict is a question; results that are low with every value are low. */
#include <limits.h>

#include "engine/base/budget.h"
#include "engine/perf/perfing.h"
#include "engine/search/memo.h"
#include "engine/trials/suppositions.h"

/* The table judged by the machine with one value. *ret_judged false: that question has no answer. */
static enum orr_code judge_with(const struct orr_perf_work *work, const struct orr_suppositions *of, uint32_t row,
                                struct orr_perf_table *table, bool *ret_judged, struct orr_error *err)
{
    struct orr_trials trials = {.left = {.analyses = 1, .steps = ORR_PERF_OTHER_STEPS}};
    struct orr_variant variant;
    struct orr_analysis *analysis;
    struct orr_expectation *expectation = NULL;
    struct orr_error refused = {0};
    ORR_LOCAL_ARENA(scratch, 0);
    *ret_judged = false;
    ORR_NEED(scratch, err);
    orr_variant_init(&variant, table->analysis, NULL, NULL, scratch);
    variant.query.plan = true;
    orr_suppose(&variant, of, row);
    ORR_TRY(orr_variant_analyze(&trials, &variant, &analysis, &refused, err));
    if (!analysis)
        return ORR_OK;
    table->rows = ORR_NEW(work->arena, struct orr_perf_row, (size_t)table->row_count + 1);
    table->analysis = analysis; /* the copy of the table does not outlive it */
    enum orr_code code = table->rows ? ORR_OK : orr_fail_nomem(err);
    if (code == ORR_OK && orr_expectation_new(analysis, table->test, &expectation, &refused) == ORR_OK) {
        orr_perf_judge_rows(expectation, NULL, table);
        table->verdict = orr_perf_verdict_of(table->rows, table->row_count, &table->main);
        *ret_judged = table->main != UINT32_MAX;
    }
    orr_expectation_free(expectation);
    orr_analysis_free(analysis);
    return code == ORR_OK ? orr_budget_check(err) : code;
}

/* The type that the names of GPUs, or a log, imply: its network is that of one of several types. */
static bool is_guessed(const struct orr_perf_work *work, const struct orr_perf_machine *machine)
{
    return machine->type || (!work->question->dump && machine->compared.check && machine->compared.machine.type);
}

/* Whether a further row says something: another verdict, or clearly more bandwidth. */
static bool is_new(const struct orr_perf_table *table, const struct orr_perf_depends *row)
{
    const struct orr_perf_depends *last = table->depends_count ? &table->depends[table->depends_count - 1] : NULL;
    return !last || last->verdict != row->verdict || row->expected > 1.02 * last->expected;
}

/* Tries the values of one figure. What is low with each, stays low. *ret_asks: the verdict becomes a question. */
static enum orr_code try_values(const struct orr_perf_work *work, const struct orr_suppositions *of,
                                struct orr_perf_table *table, bool *ret_asks, struct orr_error *err)
{
    bool all_low = true, differs = false;
    table->depends_count = 0;
    for (uint32_t row = 0; row < ORR_MOST_SUPPOSITIONS && of->rows[row].assuming; row++) {
        struct orr_perf_table other = *table;
        bool judged;
        ORR_TRY(judge_with(work, of, row, &other, &judged, err));
        if (!judged || other.verdict == ORR_PERF_HIGH) /* refuted: such a machine could not give these results */
            continue;
        const struct orr_perf_row *main = &other.rows[other.main];
        const struct orr_perf_depends depends = {.assuming = of->rows[row].assuming,
                                                 .verdict = other.verdict,
                                                 .bus_bw = main->bus_bw,
                                                 .expected = main->expected.bus_bw};
        if (table->depends_count < ORR_PERF_DEPENDS && is_new(table, &depends))
            table->depends[table->depends_count++] = depends;
        all_low &= other.verdict == ORR_PERF_LOW;
        differs |= other.verdict != table->verdict;
    }
    table->confirm = of->confirm;
    *ret_asks = differs || (table->limit.kinds >> of->kind & 1 && !(table->depends_count && all_low));
    return ORR_OK;
}

enum orr_code orr_perf_depend(const struct orr_perf_work *work, const struct orr_perf_machine *machine,
                              struct orr_perf_table *table, struct orr_error *err)
{
    const struct orr_suppositions *of;
    size_t at = 0;
    bool asks = false;
    while (table->main != UINT32_MAX && !asks &&
           (of = orr_supposed(table->analysis->given, UINT_MAX, is_guessed(work, machine), &at)))
        if (of->kind != ORR_LINKS_NICS || table->analysis->communicator.node_count > 1)
            ORR_TRY(try_values(work, of, table, &asks, err));
    if (asks)
        table->verdict = ORR_PERF_CANNOT_JUDGE;
    else
        table->depends_count = 0;
    return ORR_OK;
}
