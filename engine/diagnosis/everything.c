/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/everything.h"

#include <string.h>

#include "engine/base/text.h"

static bool is_chosen(const struct orr_diagnosis *d, struct orr_chosen chosen, uint32_t row)
{
    const bool skipped = chosen.skip != UINT32_MAX && (row == chosen.skip || d->rows[row].follows == chosen.skip);
    return d->rows[row].repairs && row < chosen.count && !skipped &&
           !(orr_repair_find(d->rows[row].finding->row->id)->kind & chosen.but);
}

/* Applies the chosen rows up to a stage. Earlier stages are repeated, because the repairs made since then may have
 * shown more that they can repair. */
static void apply(const struct orr_diagnosis *d, struct orr_chosen chosen, uint32_t stage, struct orr_variant *variant)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (is_chosen(d, chosen, i) && d->rows[i].stage <= stage)
            orr_repair_find(d->rows[i].finding->row->id)->apply(variant);
}

enum orr_code orr_repair_chosen(const struct orr_patient *patient, const struct orr_diagnosis *diagnosis,
                                struct orr_chosen chosen, struct orr_arena *arena, struct orr_variant *ret_variant,
                                struct orr_error *err)
{
    struct orr_patient *now = ORR_NEW(arena, struct orr_patient, 1);
    ORR_NEED(now, err);
    *now = *patient;
    for (uint32_t stage = 0; stage <= diagnosis->stages; stage++) {
        const struct orr_query query = stage ? ret_variant->query : patient->analysis->query;
        if (stage) {
            const struct orr_dump *dump;
            ORR_TRY(orr_variant_dump(ret_variant, &dump, err));
            now = ORR_NEW(arena, struct orr_patient, 1);
            ORR_NEED(now, err);
            now->analysis = patient->analysis;
            ORR_TRY(orr_patient_read_again(now, dump, arena, err));
        }
        ORR_TRY(orr_patient_copy(now, arena, ret_variant, err));
        ret_variant->query = query;
        apply(diagnosis, chosen, stage, ret_variant);
        ORR_NEED(!orr_arena_starved(arena), err);
    }
    return ORR_OK;
}

/* Whether the repair of a finding changes the machine any further. */
static enum orr_code changes(const struct orr_repair *repair, const struct orr_analysis *repaired, bool *ret_changes,
                             struct orr_error *err)
{
    struct orr_patient patient;
    struct orr_variant variant;
    ORR_LOCAL_ARENA(scratch, 0);
    ORR_NEED(scratch, err);
    ORR_TRY(orr_patient_read(&patient, repaired, scratch, err));
    ORR_TRY(orr_patient_copy(&patient, scratch, &variant, err));
    repair->apply(&variant);
    ORR_NEED(!orr_arena_starved(scratch), err);
    *ret_changes = variant.changed;
    return ORR_OK;
}

/* Rewrites the finding for the machine as it is, because its places are those of another file. */
static enum orr_code append(struct orr_diagnosis *d, const struct orr_finding *finding, const struct orr_repair *repair,
                            struct orr_arena *arena, struct orr_error *err)
{
    ORR_LOCAL_TEXT(detail, 2048);
    struct orr_finding *shown = ORR_NEW(arena, struct orr_finding, 1);
    ORR_NEED(shown, err);
    *shown = *finding;
    orr_text_printf(&detail, "shows once the other findings are repaired: %s", finding->detail);
    shown->detail = orr_text_copy(&detail, arena);
    ORR_NEED(shown->detail, err);
    for (uint32_t i = 0; i < shown->place_count; i++) {
        shown->places[i].element = ORR_NO_ELEMENT;
        shown->places[i].line = shown->places[i].column = 0;
    }
    d->rows[d->count++] = (struct orr_diagnosed){.finding = shown,
                                                 .severity = shown->row->severity,
                                                 .repair = repair->what,
                                                 .repairs = true,
                                                 .stage = d->stages + 1,
                                                 .follows = UINT32_MAX};
    return ORR_OK;
}

/* Whether a finding has no row yet and there is room for one. */
static bool is_new(const struct orr_diagnosis *d, const struct orr_finding *finding)
{
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        hidden += d->rows[i].stage > 0;
        if (d->rows[i].finding->row == finding->row)
            return false;
    }
    return hidden < ORR_MOST_HIDDEN;
}

/* *ret_more says whether some repair changes the repaired machine further. */
static enum orr_code examine(struct orr_diagnosis *d, const struct orr_analysis *repaired, struct orr_arena *arena,
                             bool *ret_more, struct orr_error *err)
{
    struct orr_findings found;
    ORR_TRY(orr_find(repaired->dump, repaired, arena, &found, err));
    for (uint32_t i = 0; i < found.count; i++) {
        const struct orr_repair *repair = orr_repair_find(found.rows[i].row->id);
        bool more = false;
        if (!repair ||
            repair->kind & (ORR_REPAIR_OF_FILE | ORR_REPAIR_SUPPOSES | ORR_REPAIR_REPLACES | ORR_REPAIR_ASKS))
            continue;
        ORR_TRY(changes(repair, repaired, &more, err));
        if (more && is_new(d, &found.rows[i]))
            ORR_TRY(append(d, &found.rows[i], repair, arena, err));
        *ret_more |= more;
    }
    return ORR_OK;
}

enum orr_code orr_find_hidden(const struct orr_patient *patient, struct orr_diagnosis *diagnosis,
                              struct orr_trials *trials, struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_chosen same_devices = {UINT32_MAX, UINT32_MAX, ORR_REPAIR_REPLACES};
    bool more = false;
    for (uint32_t i = 0; i < diagnosis->count; i++)
        more |= is_chosen(diagnosis, same_devices, i);
    while (more && diagnosis->stages < ORR_MOST_STAGES && orr_trials_may_go_on(trials)) {
        struct orr_variant variant;
        struct orr_analysis *answer;
        struct orr_error refused;
        ORR_LOCAL_ARENA(scratch, 0);
        ORR_NEED(scratch, err);
        more = false;
        ORR_TRY(orr_repair_chosen(patient, diagnosis, same_devices, scratch, &variant, err));
        ORR_TRY(orr_variant_analyze(trials, &variant, &answer, &refused, err));
        if (!answer)
            return ORR_OK;
        enum orr_code code = examine(diagnosis, answer, arena, &more, err);
        orr_analysis_free(answer);
        ORR_TRY(code);
        diagnosis->stages += more;
    }
    return ORR_OK;
}
