/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/trials/joining.h"

#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/machines/recognise.h"

uint32_t orr_may_be_joined(const struct orr_analysis *analysis, const struct orr_gpu_board *board)
{
    const struct orr_dump_notes *notes = analysis->given->notes;
    const uint32_t joined = board ? orr_board_joined(board) : 1;
    if (analysis->cluster || analysis->query.hosts < 2 || analysis->query.domain || (notes && notes->joined) ||
        analysis->built.host_count > 1)
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

enum orr_code orr_find_joined(struct orr_expect_table *table, struct orr_error *err)
{
    struct orr_query query = table->analysis->query;
    struct orr_analysis *joined = NULL;
    struct orr_expect_table *other;
    struct orr_error refused = {0};
    ORR_LOCAL_ARENA(arena, 0);
    ORR_NEED(arena && (other = ORR_NEW(arena, struct orr_expect_table, 1)), err);
    table->joined = orr_may_be_joined(table->analysis, board_of(table->analysis->given, arena));
    if (!table->joined)
        return ORR_OK;
    query.domain = table->joined;
    query.plan = true;
    enum orr_code code = orr_analyze_hosts(table->analysis->given, &query, NULL, &joined, &refused);
    if (code == ORR_OK)
        code = orr_expect_table_make(joined, table->test, &table->sizes, other, &refused);
    if (code == ORR_OK)
        table->joined_best = orr_expect_table_best(other);
    else
        table->joined = 0; /* this release joins no hosts, or the program has no prediction */
    orr_analysis_again_free(joined);
    return code == ORR_NOMEM ? orr_fail_nomem(err) : orr_budget_check(err);
}
