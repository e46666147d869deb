/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict is never better than its inputs: each value that an assumed figure may have is tried. The results refute a
 * value whose prediction is slower than they are. If another value gives another verdict, or the figure is the one that
 * limits, the verdict is a question; results that are low with every value are low. The rows of a question are those of
 * the machine's own value, or of the first other value if the results refute it. */
#include <limits.h>
#include <stdlib.h>

#include "engine/base/budget.h"
#include "engine/hardware/gpu_models.h"
#include "engine/hardware/pcie.h"
#include "engine/perf/perfing.h"
#include "engine/trials/limit.h"
#include "engine/trials/variant.h"

struct judging {
    const struct orr_perf_work *work;
    const struct orr_perf_table *table;
    struct orr_perf_table first; /* as judged with the first value that is not refuted */
    const char *assuming;        /* that value; NULL if there is none yet */
};

/* The compute capability of the GPUs, by their names or by the machine's; 0 if it is not known. */
static int32_t capability(const struct orr_perf_work *work, const struct orr_dump *dump)
{
    const struct orr_log *log = work->results->log;
    int32_t sm = 0;
    for (uint32_t i = 0; log && i < log->record_count && !sm; i++)
        if (log->records[i].kind == ORR_LOG_DEVICE && log->records[i].word_count)
            sm = orr_gpu_sm_of_name(log->records[i].words[log->records[i].word_count - 1]);
    for (uint32_t e = 0; e < dump->element_count && !sm; e++)
        if (dump->elements[e].kind == ORR_ELEMENT_GPU)
            sm = orr_element_int(dump, e, ORR_ATTR_SM, 0);
    return sm;
}

static int generation_of(const struct orr_suppositions *of, uint32_t row)
{
    return orr_pcie_generation((float)strtod(of->rows[row].values[0], NULL));
}

/* Whether a value is a PCIe generation that GPUs of the model in the results do not have. */
static bool is_too_new(const struct orr_perf_work *work, const struct orr_dump *dump, const struct orr_suppositions *of,
                       uint32_t row)
{
    const int newest = of->kind == ORR_LINKS_PCIE ? orr_gpu_pcie_generation(capability(work, dump)) : 0;
    return newest && generation_of(of, row) > newest;
}

/* Whether the machine has the value that the words of a line name, which then is not asked for: "x16 Gen4". Words about
 * narrower links, or about several generations, decide nothing. */
static bool is_said(const struct orr_perf_work *work, const struct orr_suppositions *of, struct orr_perf_table *table)
{
    static const char *const words[] = {
        " gen3 | gen 3 |pcie 3| pcie3|8gt s|8 0 gt s", " gen4 | gen 4 |pcie 4| pcie4|16gt s|16 0 gt s",
        " gen5 | gen 5 |pcie 5| pcie5|32gt s|32 0 gt s", " gen6 | gen 6 |pcie 6| pcie6|64gt s|64 0 gt s"};
    static const char narrow[] = " x8 | x4 | x2 | x1 |width x8|width x4|width 8|width 4|riser|oculink|downgraded";
    enum { OLDEST = 3 };
    const struct orr_log *log = work->results->log;
    uint32_t line = 0, said = UINT32_MAX;
    for (uint32_t i = 0; of->kind == ORR_LINKS_PCIE && log && i < log->said_count; i++) {
        if (orr_log_says(&log->said[i], 1, 0, narrow))
            return false;
        for (uint32_t row = 0; row < sizeof words / sizeof words[0]; row++) {
            if (!orr_log_says(&log->said[i], 1, 0, words[row]))
                continue;
            if (said != UINT32_MAX && said != row)
                return false;
            said = row;
            line = line ? line : log->said[i].line;
        }
    }
    if (said == UINT32_MAX || generation_of(of, said) != (int)said + OLDEST ||
        !orr_supposes_now(table->analysis->given, of, said))
        return false;
    orr_perf_assume(table, orr_arena_text(work->arena, "%s, by the words of line %u", of->rows[said].assuming, line));
    return true;
}

/* Judges the table by the machine with one value. A machine that could not give these results is refuted. */
static enum orr_code judge_with(void *judging, const struct orr_suppositions *of, uint32_t row,
                                struct orr_depends *ret_depends, bool *ret_judged, struct orr_error *err)
{
    struct judging *j = judging;
    if (is_too_new(j->work, j->table->analysis->given, of, row))
        return ORR_OK;
    struct orr_trials trials = {.left = {.analyses = 1, .steps = ORR_PERF_OTHER_STEPS}};
    struct orr_perf_table table = *j->table;
    struct orr_variant variant;
    struct orr_analysis *analysis;
    struct orr_expectation *expectation = NULL;
    struct orr_error refused = {0};
    ORR_LOCAL_ARENA(scratch, 0);
    ORR_NEED(scratch, err);
    orr_variant_init(&variant, table.analysis, NULL, NULL, scratch);
    variant.query.plan = true;
    orr_suppose(&variant, of, row);
    ORR_TRY(orr_variant_analyze(&trials, &variant, &analysis, &refused, err));
    if (!analysis)
        return ORR_OK;
    table.rows = ORR_NEW(j->work->arena, struct orr_perf_row, (size_t)table.row_count + 1);
    table.analysis = analysis;
    enum orr_code code = table.rows ? ORR_OK : orr_fail_nomem(err);
    if (code == ORR_OK && orr_expectation_new(analysis, table.test, &expectation, &refused) == ORR_OK) {
        orr_perf_judge_rows(expectation, NULL, &table);
        const enum orr_perf_verdict verdict = orr_perf_verdict_of(table.rows, table.row_count, &table.main);
        if ((*ret_judged = table.main != UINT32_MAX && verdict != ORR_PERF_HIGH)) {
            ret_depends->verdict = verdict;
            ret_depends->bus_bw = table.rows[table.main].bus_bw;
            ret_depends->expected = table.rows[table.main].expected.bus_bw;
        }
        if (*ret_judged && !j->assuming && j->table->verdict == ORR_PERF_HIGH) {
            code = orr_find_limit(NULL, analysis, table.test, expectation, &table.limit, err);
            j->first = table;
            j->assuming = of->rows[row].assuming;
        }
    }
    orr_expectation_free(expectation);
    orr_analysis_free(analysis);
    return code == ORR_OK ? orr_budget_check(err) : code;
}

/* Whether the names of GPUs or a log imply the type, so that the network may be that of several types. */
static bool is_guessed(const struct orr_perf_work *work, const struct orr_perf_machine *machine)
{
    return (machine->type && !machine->nics_said) ||
           (!work->question->dump && machine->compared.check && machine->compared.machine.type);
}

/* A table that is low with each value stays low. */
static bool asks(const struct orr_perf_table *table, const struct orr_suppositions *of)
{
    return orr_depends_differ(&table->depends, (int)table->verdict) ||
           (table->limit.kinds >> of->kind & 1 &&
            (!table->depends.count || orr_depends_differ(&table->depends, ORR_PERF_LOW)));
}

/* Says with which value the rows are predicted. */
static void show_rows(const struct orr_perf_work *work, const struct judging *judging,
                      const struct orr_suppositions *of, struct orr_perf_table *table)
{
    const char *assuming = judging->assuming;
    if (assuming) {
        table->rows = judging->first.rows;
        table->main = judging->first.main;
        table->limit = judging->first.limit;
    }
    for (uint32_t row = 0; row < ORR_MOST_SUPPOSITIONS && of->rows[row].assuming && !assuming; row++)
        if (orr_supposes_now(table->analysis->given, of, row))
            assuming = of->rows[row].assuming;
    if (assuming)
        orr_perf_assume(table, orr_arena_text(work->arena, "%s, for the predictions of the table", assuming));
}

enum orr_code orr_perf_depend(const struct orr_perf_work *work, const struct orr_perf_machine *machine,
                              struct orr_perf_table *table, struct orr_error *err)
{
    struct judging judging = {.work = work, .table = table};
    const struct orr_suppositions *of;
    size_t at = 0;
    while (table->main != UINT32_MAX &&
           (of = orr_supposed(table->analysis->given, UINT_MAX, is_guessed(work, machine), &at))) {
        if ((of->kind == ORR_LINKS_NICS && table->analysis->communicator.node_count < 2) || is_said(work, of, table))
            continue;
        judging.assuming = NULL;
        ORR_TRY(orr_depends_find(of, judge_with, &judging, &table->depends, err));
        table->confirm = of->confirm;
        if (asks(table, of)) {
            show_rows(work, &judging, of, table);
            table->verdict = ORR_PERF_CANNOT_JUDGE;
            return ORR_OK;
        }
    }
    table->depends.count = 0;
    return ORR_OK;
}
