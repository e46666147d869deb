/* SPDX-License-Identifier: Apache-2.0 */
/* Compares all facts of a communicator with one prediction. */
#include "engine/cluster/again.h"
#include "engine/log_comparing/trial.h"

uint32_t orr_log_differences(const struct orr_log_facts *facts, enum orr_log_topic first, enum orr_log_topic last)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->count; i++)
        count +=
            facts->rows[i].verdict == ORR_FACT_DIFFERS && facts->rows[i].topic >= first && facts->rows[i].topic <= last;
    return count;
}

enum orr_code orr_log_compare_facts(const struct orr_log_check *check, const struct orr_analysis *analysis,
                                    struct orr_arena *arena, struct orr_log_facts *ret_facts, struct orr_error *err)
{
    struct orr_log_facts facts = {.log = check->log,
                                  .analysis = analysis,
                                  .communicator = check->communicator,
                                  .made_up = check->made_up,
                                  .arena = arena,
                                  .index = {.arena = arena}};
    if (analysis->query.hosts == check->placed_hosts) {
        facts.place_of = check->place_of;
        facts.rank_at = check->rank_at;
    }
    ORR_TRY(orr_log_facts_seats(&facts, err));
    ORR_TRY(orr_log_facts_of_system(&facts, err));
    ORR_TRY(orr_log_facts_of_graphs(&facts, err));
    orr_log_facts_of_channels(&facts);
    orr_log_facts_of_connections(&facts);
    ORR_TRY(orr_log_facts_of_tuning(&facts, err));
    ORR_TRY(orr_log_facts_of_device(&facts, err));
    ORR_NEED(!orr_arena_starved(arena), err);
    *ret_facts = facts;
    return ORR_OK;
}

enum orr_code orr_log_try(const struct orr_log_check *check, const struct orr_dump *dump, const struct orr_query *query,
                          struct orr_arena *arena, struct orr_log_facts *ret_facts, struct orr_analysis **ret_analysis,
                          struct orr_error *err)
{
    struct orr_analysis *analysis;
    ORR_TRY(orr_log_predict(check, dump, query, &analysis, err));
    enum orr_code code = orr_log_compare_facts(check, analysis, arena, ret_facts, err);
    if (code == ORR_OK)
        *ret_analysis = analysis;
    else
        orr_analysis_again_free(analysis);
    return code;
}
