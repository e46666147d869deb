/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/repaired.h"

#include "engine/trials/repair.h"

const char *orr_repairable(size_t i)
{
    return orr_repair_id(i);
}

static enum orr_code apply(struct orr_variant *variant, const char *finding, struct orr_error *err)
{
    const struct orr_repair *repair = orr_repair_find(finding);
    if (!repair)
        return orr_fail(err, ORR_SETTING, "repair: Orrery knows no repair of the finding \"%.40s\"", finding);
    variant->changed = false;
    repair->apply(variant);
    ORR_NEED(!orr_arena_starved(variant->arena), err);
    if (!variant->changed)
        return orr_fail(err, ORR_SETTING, "repair: the repair of \"%.40s\" changes nothing here: %s", finding,
                        variant->refused ? variant->refused : "the file does not show what the device should have");
    return ORR_OK;
}

static enum orr_code repair_all(const struct orr_analysis *analysis, const char *const *findings, uint32_t count,
                                struct orr_arena *arena, const struct orr_dump **ret_dump, struct orr_query *ret_query,
                                struct orr_error *err)
{
    struct orr_patient patient;
    struct orr_variant variant;
    ORR_TRY(orr_patient_read(&patient, analysis, arena, err));
    ORR_TRY(orr_patient_copy(&patient, arena, &variant, err));
    for (uint32_t i = 0; i < count; i++)
        ORR_TRY(apply(&variant, findings[i], err));
    *ret_query = variant.query;
    return orr_variant_dump(&variant, ret_dump, err);
}

enum orr_code orr_repaired(const struct orr_dump *dump, const struct orr_query *query, const char *const *findings,
                           uint32_t count, struct orr_arena *arena, const struct orr_dump **ret_dump,
                           struct orr_query *ret_query, struct orr_error *err)
{
    struct orr_analysis *analysis = NULL;
    ORR_NEED(arena, err);
    ORR_TRY(orr_analyze(dump, query, NULL, &analysis, err));
    enum orr_code code = repair_all(analysis, findings, count, arena, ret_dump, ret_query, err);
    orr_analysis_free(analysis);
    return code;
}
