/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/trials/joining.h"

#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/machines/recognise.h"

const struct orr_suppositions orr_joining = {
    .what = "whether NVLink joins the hosts",
    .confirm = "nvidia-smi -q | grep -E 'ClusterUUID|CliqueId'",
    .rows = {{"only the network joins the hosts", {NULL}}, {"NVLink joins the hosts of a rack", {NULL}}},
};

uint32_t orr_may_be_joined(const struct orr_analysis *analysis, const struct orr_gpu_board *board)
{
    const uint32_t joined = board ? orr_board_joined(board) : 1;
    if (analysis->cluster || analysis->query.hosts < 2 || analysis->query.domain || analysis->built.host_count > 1)
        return 0;
    return joined > 1 ? joined : 0;
}

static const struct orr_gpu_board *board_of(const struct orr_dump *dump, struct orr_arena *arena)
{
    struct orr_hardware_facts *hardware = ORR_NEW(arena, struct orr_hardware_facts, 1);
    struct orr_machine machine;
    if (!hardware || !orr_hardware_read(dump, arena, hardware))
        return NULL;
    orr_machine_recognise(hardware, &machine);
    return machine.board;
}

enum orr_code orr_joined_analyze(const struct orr_analysis *analysis, uint32_t *ret_joined,
                                 struct orr_analysis **ret_answer, struct orr_error *err)
{
    struct orr_query query = analysis->query;
    struct orr_error refused = {0};
    ORR_LOCAL_ARENA(arena, 0);
    ORR_NEED(arena, err);
    *ret_answer = NULL;
    query.domain = *ret_joined = orr_may_be_joined(analysis, board_of(analysis->given, arena));
    query.plan = true;
    if (!query.domain)
        return ORR_OK;
    const enum orr_code code = orr_analyze_hosts(analysis->given, &query, NULL, ret_answer, &refused);
    return code == ORR_NOMEM ? orr_fail_nomem(err) : orr_budget_check(err);
}

enum orr_code orr_find_joined(struct orr_expect_table *table, struct orr_error *err)
{
    ORR_LOCAL_AGAIN(joined);
    struct orr_expect_table *other;
    struct orr_error refused = {0};
    ORR_LOCAL_ARENA(arena, 0);
    ORR_NEED(arena && (other = ORR_NEW(arena, struct orr_expect_table, 1)), err);
    enum orr_code code = orr_joined_analyze(table->analysis, &table->joined, &joined, err);
    if (code == ORR_OK && joined &&
        orr_expect_table_make(joined, table->test, &table->sizes, other, &refused) == ORR_OK)
        table->joined_best = orr_expect_table_best(other);
    else
        table->joined = 0; /* this release joins no hosts, or the program has no prediction */
    return refused.code == ORR_NOMEM ? orr_fail_nomem(err) : code;
}

static void write_change(const double before_after[2], const char *unit, struct orr_text *text)
{
    const double was = before_after[0], is = before_after[1];
    if (was > 0 && (was > 1.02 * is || is > 1.02 * was))
        orr_text_printf(text, "%.3g%s before and %.3g after", was, unit, is);
    else
        orr_text_printf(text, "%.3g%s", is, unit);
}

void orr_joining_say(const double joined[2], const double apart[2], uint32_t hosts, struct orr_text *text)
{
    orr_text_printf(text, " The input does not show %s, as in a rack: if so, AllReduce gets about ", orr_joining.what);
    write_change(joined, " GB/s", text);
    orr_text_printf(text, " on %u hosts, otherwise about ", hosts);
    write_change(apart, "", text);
    orr_text_printf(text, ". `%s` shows it.", orr_joining.confirm);
}
