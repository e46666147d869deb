/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/trials/outcomes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/text.h"
#include "engine/cluster/again.h"
#include "engine/cluster/cluster.h"
#include "engine/trials/joining.h"
#include "engine/trials/suppositions.h"

const enum orr_test orr_outcome_tests[ORR_OUTCOME_TESTS] = {ORR_TEST_ALL_REDUCE, ORR_TEST_ALL_GATHER,
                                                            ORR_TEST_REDUCE_SCATTER, ORR_TEST_ALLTOALL};
const uint64_t orr_outcome_sizes[ORR_OUTCOME_SIZES] = {UINT64_C(1) << 20, UINT64_C(1) << 30};
static const char *const test_names[ORR_OUTCOME_TESTS] = {"AllReduce", "AllGather", "ReduceScatter", "AlltoAll"};
static const char *const size_names[ORR_OUTCOME_SIZES] = {"1 MiB", "1 GiB"};
static const double least = 0.02; /* a smaller change does not matter */

const char *orr_outcome_test_name(int test)
{
    return test_names[test];
}

const char *orr_outcome_size_name(int size)
{
    return size_names[size];
}

static void note_assumed(const struct orr_analysis *analysis, struct orr_outcomes *outcomes)
{
    bool network = false;
    for (uint32_t h = 0; h < outcomes->host_count; h++)
        network |= outcomes->hosts[h] > 1;
    ORR_LOCAL_TEXT(text, sizeof outcomes->not_shown - 1);
    orr_supposed_of(analysis, network, &text);
    snprintf(outcomes->not_shown, sizeof outcomes->not_shown, "%s", orr_text_data(&text));
}

void orr_outcomes_say_assumed(const struct orr_outcomes *before, const struct orr_outcomes *after,
                              struct orr_text *text)
{
    const struct orr_outcomes *was = before && before->joined > 0 ? before : NULL;
    const struct orr_outcomes *is = was && after->joined <= 0 ? was : after;
    const uint32_t last = is->host_count ? is->host_count - 1 : 0;
    if (after->not_shown[0])
        orr_text_printf(text, " " ORR_RESTS_ON, after->not_shown);
    if (is->joined > 0)
        orr_joining_say((double[]){was ? was->joined : 0, is->joined},
                        (double[]){was ? was->bus_bw[last][0][1] : 0, is->bus_bw[last][0][1]}, is->hosts[last], text);
}

static void add_hosts(struct orr_outcomes *outcomes, uint32_t hosts)
{
    uint32_t at = 0;
    while (at < outcomes->host_count && outcomes->hosts[at] < hosts)
        at++;
    if (!hosts || outcomes->host_count == ORR_MOST_OUTCOME_HOSTS ||
        (at < outcomes->host_count && outcomes->hosts[at] == hosts))
        return;
    for (uint32_t i = outcomes->host_count++; i > at; i--)
        outcomes->hosts[i] = outcomes->hosts[i - 1];
    outcomes->hosts[at] = hosts;
}

static void choose(const struct orr_analysis *analysis, const uint32_t *list, uint32_t count,
                   struct orr_outcomes *ret_outcomes)
{
    *ret_outcomes = (struct orr_outcomes){.fused = analysis->built.host_count > 1 ? analysis->built.host_count : 1};
    if (analysis->cluster) {
        add_hosts(ret_outcomes, analysis->cluster->host_count);
        for (uint32_t i = 0; i < count; i++)
            if (list[i] < analysis->cluster->host_count)
                add_hosts(ret_outcomes, list[i]);
        ret_outcomes->fused = 1;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        add_hosts(ret_outcomes, list[i]);
    if (count)
        return;
    add_hosts(ret_outcomes, 1);
    add_hosts(ret_outcomes, 2);
    add_hosts(ret_outcomes, analysis->query.hosts);
}

void orr_outcomes_choose(const struct orr_analysis *analysis, const uint32_t *list, uint32_t count,
                         struct orr_outcomes *ret_outcomes)
{
    choose(analysis, list, count, ret_outcomes);
    note_assumed(analysis, ret_outcomes);
}

void orr_outcomes_scale(const struct orr_analysis *analysis, struct orr_outcomes *ret_outcomes)
{
    const uint32_t most = analysis->cluster ? analysis->cluster->host_count : analysis->query.hosts;
    uint32_t list[ORR_MOST_OUTCOME_HOSTS], count = 0;
    for (uint32_t hosts = 1; hosts < most && count < ORR_MOST_OUTCOME_HOSTS - 1; hosts *= 2)
        list[count++] = hosts;
    list[count++] = most;
    orr_outcomes_choose(analysis, list, count, ret_outcomes);
}

static enum orr_code predict(const struct orr_analysis *analysis, double bus_bw[ORR_OUTCOME_TESTS][ORR_OUTCOME_SIZES],
                             struct orr_error *err)
{
    for (int t = 0; t < ORR_OUTCOME_TESTS; t++) {
        struct orr_expectation *expectation;
        struct orr_expected expected;
        struct orr_error own = {0};
        const enum orr_code code = orr_expectation_new(analysis, orr_outcome_tests[t], &expectation, &own);
        for (int s = 0; code == ORR_OK && s < ORR_OUTCOME_SIZES; s++)
            bus_bw[t][s] = orr_expect(expectation, orr_outcome_sizes[s], &expected) ? expected.bus_bw : 0;
        if (code == ORR_OK)
            orr_expectation_free(expectation);
        if (code == ORR_NOMEM)
            return orr_fail_nomem(err);
        ORR_TRY(orr_budget_check(err));
    }
    return ORR_OK;
}

static enum orr_code join(const struct orr_analysis *analysis, struct orr_outcomes *outcomes, struct orr_error *err)
{
    double bus_bw[ORR_OUTCOME_TESTS][ORR_OUTCOME_SIZES] = {0};
    ORR_LOCAL_AGAIN(joined);
    uint32_t domain;
    ORR_TRY(orr_joined_analyze(analysis, &domain, &joined, err));
    if (joined)
        ORR_TRY(predict(joined, bus_bw, err));
    outcomes->joined = bus_bw[0][1];
    return ORR_OK;
}

enum orr_code orr_outcomes_find(struct orr_trials *trials, const struct orr_analysis *analysis,
                                const struct orr_dump *dump, const struct orr_settings *settings,
                                struct orr_outcomes *outcomes, struct orr_error *err)
{
    struct orr_trials own = {.left = {.analyses = ORR_MOST_OUTCOME_HOSTS, .steps = 40000000}};
    trials = trials ? trials : &own;
    for (uint32_t h = 0; h < outcomes->host_count; h++) {
        struct orr_query query = analysis->query;
        ORR_LOCAL_AGAIN(answer);
        struct orr_error refused = {0};
        const uint32_t whole = analysis->cluster ? analysis->cluster->host_count : analysis->query.hosts;
        const bool same = !dump && !settings && outcomes->hosts[h] == whole;
        query.hosts = analysis->cluster ? analysis->query.hosts : outcomes->hosts[h];
        query.first_hosts = analysis->cluster ? outcomes->hosts[h] : 0;
        query.plan = true;
        if (settings)
            query.settings = *settings;
        if (!same && !orr_trials_may_go_on(trials))
            continue;
        if (!same)
            ORR_TRY(orr_trials_analyze(trials, analysis, dump, &query, &answer, &refused, err));
        if (same || answer)
            ORR_TRY(predict(same ? analysis : answer, outcomes->bus_bw[h], err));
    }
    const bool as_asked = !dump && !settings && outcomes->host_count &&
                          outcomes->hosts[outcomes->host_count - 1] == analysis->query.hosts;
    return as_asked ? join(analysis, outcomes, err) : ORR_OK;
}

enum orr_code orr_outcomes_compare(const struct orr_analysis *before, const struct orr_analysis *after,
                                   struct orr_outcomes ret_outcomes[2], struct orr_error *err)
{
    const struct orr_analysis *const sides[] = {before, after};
    const char *task = orr_budget_task("bandwidths before and after");
    for (int i = 0; i < 2; i++) {
        orr_outcomes_choose(sides[i], NULL, 0, &ret_outcomes[i]);
        memcpy(ret_outcomes[i].hosts, ret_outcomes[0].hosts, sizeof ret_outcomes[0].hosts);
        ret_outcomes[i].host_count = ret_outcomes[0].host_count;
        ORR_TRY(orr_outcomes_find(NULL, sides[i], NULL, NULL, &ret_outcomes[i], err));
    }
    orr_budget_task(task);
    return ORR_OK;
}

double orr_outcome_change(double before, double after)
{
    return before > 0 && after > 0 ? (after - before) / before : 0;
}

/* "464, 494 and 310 GB/s on 1, 2 and 64 hosts": AllReduce at 1 GiB. */
static void write_series(const struct orr_outcomes *outcomes, struct orr_text *text)
{
    uint32_t known = 0, said = 0, last = 0;
    for (uint32_t h = 0; h < outcomes->host_count; h++)
        if (outcomes->bus_bw[h][0][1] > 0)
            known++, last = outcomes->hosts[h];
    for (int hosts = 0; hosts < 2; hosts++, said = 0) {
        orr_text_puts(text, hosts ? " GB/s on " : "");
        for (uint32_t h = 0; h < outcomes->host_count; h++) {
            if (outcomes->bus_bw[h][0][1] <= 0)
                continue;
            orr_text_puts(text, !said ? "" : said + 1 < known ? ", " : " and ");
            said++;
            if (hosts)
                orr_text_printf(text, "%u", outcomes->hosts[h] * outcomes->fused);
            else
                orr_text_printf(text, "%.3g", outcomes->bus_bw[h][0][1]);
        }
    }
    orr_text_printf(text, " host%s", last * outcomes->fused == 1 ? "" : "s");
}

void orr_outcomes_say_scaling(const struct orr_outcomes *outcomes, struct orr_text *text)
{
    bool known = false;
    for (uint32_t h = 0; h < outcomes->host_count; h++)
        known |= outcomes->bus_bw[h][0][1] > 0;
    if (!known) {
        orr_text_puts(text, "No bandwidth can be predicted.");
        return;
    }
    orr_text_puts(text, "AllReduce at 1 GiB gets ");
    write_series(outcomes, text);
    orr_text_puts(text, ".");
    orr_outcomes_say_assumed(NULL, outcomes, text);
}

/* The operation and number of hosts with the largest change, for large messages or for all. */
struct largest {
    uint32_t h;
    int t, s;
    double change;
};

static struct largest largest_change(const struct orr_outcomes *before, const struct orr_outcomes *after, int from_size)
{
    struct largest most = {0};
    for (uint32_t h = 0; h < after->host_count; h++)
        for (int t = 0; t < ORR_OUTCOME_TESTS; t++)
            for (int s = from_size; s < ORR_OUTCOME_SIZES; s++) {
                const double change = fabs(orr_outcome_change(before->bus_bw[h][t][s], after->bus_bw[h][t][s]));
                if (change > most.change)
                    most = (struct largest){h, t, s, change};
            }
    return most;
}

double orr_outcomes_most(const struct orr_outcomes *before, const struct orr_outcomes *after)
{
    const double change = largest_change(before, after, 0).change;
    return change < least ? 0 : change;
}

void orr_outcomes_say(const struct orr_outcomes *before, const struct orr_outcomes *after, struct orr_text *text)
{
    const struct largest most = largest_change(before, after, 0);
    const bool large_same = largest_change(before, after, 1).change < least;
    bool known = false;
    for (uint32_t h = 0; h < after->host_count; h++)
        known |= after->bus_bw[h][0][1] > 0;
    if (!known) {
        orr_text_puts(text, "No bandwidth can be predicted for either.");
        return;
    }
    if (large_same) {
        orr_text_puts(text, "No change at 1 GiB: AllReduce gets ");
        write_series(after, text);
        orr_text_puts(text, ".");
    }
    if (most.change >= least) {
        const double was = before->bus_bw[most.h][most.t][most.s], is = after->bus_bw[most.h][most.t][most.s];
        const uint32_t hosts = after->hosts[most.h] * after->fused;
        orr_text_printf(text, "%s%s at %s on %u host%s changes most: %.3g GB/s before, %.3g after (%+.0f %%).",
                        large_same ? " " : "", test_names[most.t], size_names[most.s], hosts, orr_plural(hosts), was,
                        is, 100 * orr_outcome_change(was, is));
    }
    orr_outcomes_say_assumed(before, after, text);
}

static void write_cell(const struct orr_outcomes *before, const struct orr_outcomes *after, uint32_t h, int t, int s,
                       struct orr_text *text)
{
    char cell[48];
    const double is = after->bus_bw[h][t][s], was = before ? before->bus_bw[h][t][s] : is;
    const double change = orr_outcome_change(was, is);
    if (is <= 0 && was <= 0)
        snprintf(cell, sizeof cell, "-");
    else if (!before || fabs(change) < 0.005)
        snprintf(cell, sizeof cell, "%.3g%s", is, before ? " (same)" : "");
    else
        snprintf(cell, sizeof cell, "%.3g > %.3g (%+.0f %%)", was, is, 100 * change);
    orr_text_printf(text, before ? "  %-24s" : "  %-8s", cell);
}

void orr_outcomes_write(const struct orr_outcomes *before, const struct orr_outcomes *after, const char *sides,
                        struct orr_text *text)
{
    orr_text_printf(text, "%-5s  %-13s  %-6s", "Hosts", "Operation", "Size");
    orr_text_printf(text, "  GB/s%s%s\n", before ? " " : "", before ? sides : "");
    for (uint32_t h = 0; h < after->host_count; h++)
        for (int t = 0; t < ORR_OUTCOME_TESTS; t++)
            for (int s = 0; s < ORR_OUTCOME_SIZES; s++) {
                if (after->bus_bw[h][t][s] <= 0 && (!before || before->bus_bw[h][t][s] <= 0))
                    continue;
                orr_text_printf(text, "%5u  %-13s  %-6s", after->hosts[h] * after->fused, test_names[t], size_names[s]);
                write_cell(before, after, h, t, s, text);
                while (text->length && text->data[text->length - 1] == ' ')
                    text->data[--text->length] = 0;
                orr_text_puts(text, "\n");
            }
}
