/* SPDX-License-Identifier: Apache-2.0 */
/* The bus bandwidths that people ask about, as JSON. */
#include "api/documents/sections.h"
#include "engine/trials/outcomes.h"

static json_t *bandwidth_json(struct orr_json *json, double bus_bw)
{
    return bus_bw > 0 ? orr_json_number(json, bus_bw) : json_null();
}

json_t *orr_outcomes_json(struct orr_json *json, const struct orr_outcomes *before, const struct orr_outcomes *after)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t h = 0; h < after->host_count; h++)
        for (int t = 0; t < ORR_OUTCOME_TESTS; t++)
            for (int s = 0; s < ORR_OUTCOME_SIZES; s++) {
                const double is = after->bus_bw[h][t][s], was = before ? before->bus_bw[h][t][s] : is;
                json_t *row =
                    ORR_OBJECT(json, ORR_STRING("collective", orr_test_programs[orr_outcome_tests[t]].name),
                               ORR_INT("size", (int64_t)orr_outcome_sizes[s]), ORR_INT("hosts", after->hosts[h]));
                if (before)
                    ORR_SET(json, row, ORR_VALUE("before", bandwidth_json(json, was)),
                            ORR_VALUE("after", bandwidth_json(json, is)),
                            ORR_VALUE("change", is > 0 && was > 0 ? orr_json_number(json, orr_outcome_change(was, is))
                                                                  : json_null()));
                else
                    orr_json_set(json, row, "busbw", bandwidth_json(json, is));
                orr_json_add(json, rows, row);
            }
    return rows;
}
