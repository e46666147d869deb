/* SPDX-License-Identifier: Apache-2.0 */
#include "api/handlers/drift.h"

#include "engine/report/answers_text.h"

enum { MOST_CHANGES = 20, MOST_TEXT = 1 << 16 };

void orr_drift_query(struct orr_query *query)
{
    orr_settings_init(&query->settings, orr_release_default());
    query->hosts = ORR_DRIFT_HOSTS;
    query->plan = true;
}

/* AllReduce at 1 GiB on two hosts, before and after; false if either is not known. */
static bool find_cost(const struct orr_outcomes outcomes[2], double *ret_before, double *ret_after)
{
    for (uint32_t h = 0; h < outcomes[0].host_count && h < outcomes[1].host_count; h++) {
        *ret_before = outcomes[0].bus_bw[h][0][1];
        *ret_after = outcomes[1].bus_bw[h][0][1];
        if (outcomes[0].hosts[h] == ORR_DRIFT_HOSTS && outcomes[1].hosts[h] == ORR_DRIFT_HOSTS && *ret_before > 0 &&
            *ret_after > 0)
            return true;
    }
    return false;
}

static json_t *cost_json(struct orr_json *json, const struct orr_outcomes outcomes[2])
{
    double before, after;
    if (!find_cost(outcomes, &before, &after))
        return json_null();
    return ORR_OBJECT(json, ORR_STRING("collective", orr_test_programs[orr_outcome_tests[0]].name),
                      ORR_INT("size", (int64_t)orr_outcome_sizes[1]), ORR_INT("hosts", ORR_DRIFT_HOSTS),
                      ORR_NUMBER("before", before), ORR_NUMBER("after", after),
                      ORR_NUMBER("change", orr_outcome_change(before, after)));
}

enum orr_fleet_verdict orr_drift_verdict(const struct orr_comparison *comparison)
{
    const double least = 0.01;
    double before, after;
    if (!comparison || !find_cost(comparison->changes.outcomes, &before, &after))
        return ORR_FLEET_UNKNOWN;
    const double change = orr_outcome_change(before, after);
    return change <= -least ? ORR_FLEET_SLOWER : change >= least ? ORR_FLEET_FASTER : ORR_FLEET_ALIKE;
}

json_t *orr_drift_json(struct orr_json *json, const struct orr_comparison *c, bool over_time)
{
    if (!c)
        return ORR_OBJECT(json, ORR_VALUE("changes", json_null()), ORR_INT("left_out", 0), ORR_INT("renumbered", 0),
                          ORR_VALUE("cost", json_null()));
    const uint32_t count = c->unlikes.count - c->unlikes.numbering;
    json_t *changes = orr_json_array(json);
    for (uint32_t i = 0; i < count && i < MOST_CHANGES; i++) {
        ORR_LOCAL_TEXT(text, MOST_TEXT);
        orr_report_unlike(c, &c->unlikes.rows[i], over_time, &text);
        orr_json_add(json, changes, orr_json_text_of(json, &text));
    }
    return ORR_OBJECT(
        json, ORR_VALUE("changes", changes), ORR_INT("left_out", count > MOST_CHANGES ? count - MOST_CHANGES : 0),
        ORR_INT("renumbered", c->unlikes.numbering), ORR_VALUE("cost", cost_json(json, c->changes.outcomes)));
}
