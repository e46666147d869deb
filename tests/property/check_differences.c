/* SPDX-License-Identifier: Apache-2.0 */
/* What changes against the next release in the table: releases that never were, made of the rules of both, are analysed
 * on the way, and must be answered or refused like any other. */
#include "api/documents/json.h"
#include "api/questions/questions.h"
#include "tests/property/checks.h"

enum { MOST_ANALYSES = 12, MOST_STEPS = 300000 };

static bool check_changes(const struct orr_changes *changes, struct tally *tally, struct orr_error *err)
{
    size_t places = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const struct orr_change *change = &changes->changes[i];
        places += change->count;
        tally->differences += change->count;
        if (!change->count || !change->because_count)
            return WRONG(err, "change %zu is about %zu facts for %u reasons", i, change->count, change->because_count);
        for (uint32_t k = 0; k < change->because_count; k++)
            if (change->because[k] >= changes->way.count || !changes->step_changed[change->because[k]])
                return WRONG(err, "change %zu has reason %u of %u", i, change->because[k], changes->way.count);
        if (change->a == change->b && orr_fact_info(change->kind)->unit != ORR_UNIT_ORDER)
            return WRONG(err, "change %zu of kind %d changes nothing", i, (int)change->kind);
        if (!change->certain && changes->complete)
            return WRONG(err, "change %zu is uncertain, though all reasons were found", i);
    }
    return places == changes->changed ? true : WRONG(err, "%zu facts told, %zu changed", places, changes->changed);
}

static bool check_diff_document(const struct orr_changes *changes, struct orr_error *err)
{
    enum { LARGEST = 64 << 20 };
    struct orr_json json = {0};
    ORR_LOCAL_TEXT(text, LARGEST);
    enum orr_code code = orr_json_write(&json, orr_diff_json(&json, changes, "machine"), false, &text, err);
    json_t *parsed = code == ORR_OK ? json_loadb(text.data, text.length, 0, NULL) : NULL;
    bool good = json_is_object(parsed);
    json_decref(parsed);
    return good ? true : WRONG(err, "the document of the differences is not JSON");
}

bool check_differences(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err)
{
    uint32_t count;
    const struct orr_release *rows = orr_releases(&count);
    uint32_t own = (uint32_t)(orr_release_find(analysis->query.settings.release->name) - rows);
    const struct orr_texts against = {{rows[(own + 1) % count].name}, 1};
    struct orr_query other;
    ORR_LOCAL(orr_analysis, answer);
    struct orr_changes changes;
    struct orr_error refused = {0};
    if (orr_against_read(&analysis->query, &against, &other, &refused) != ORR_OK ||
        orr_analyze(analysis->dump, &other, NULL, &answer, &refused) != ORR_OK)
        return true; /* the other release has its reasons, which its own turn looks at */
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code =
        orr_changes_find(analysis, answer, (struct orr_effort){MOST_ANALYSES, MOST_STEPS}, arena, &changes, err);
    bool good = code == ORR_OK && check_changes(&changes, tally, err) && check_diff_document(&changes, err);
    return good;
}
