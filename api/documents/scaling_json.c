/* SPDX-License-Identifier: Apache-2.0 */
/* The bandwidths on 1, 2, 4 ... hosts, as JSON. */
#include "api/documents/scaling.h"

#include "api/documents/sections.h"
#include "engine/cluster/cluster.h"

enum orr_code orr_scaling_find(const struct orr_analysis *analysis, const struct orr_params *params,
                               struct orr_scaling *ret_scaling, struct orr_error *err)
{
    const struct orr_texts *against = &params->against;
    const struct orr_host_list *list = &params->host_list;
    struct orr_query other;
    *ret_scaling = (struct orr_scaling){.against = against};
    if (list->count > 1 ||
        (analysis->cluster && orr_given(params, ORR_ASK_HOSTS) && list->hosts[0] < analysis->cluster->host_count))
        orr_outcomes_choose(analysis, list->hosts, list->count, &ret_scaling->before);
    else
        orr_outcomes_scale(analysis, &ret_scaling->before);
    ret_scaling->after = ret_scaling->before;
    if (against->count)
        ORR_TRY(orr_against_read(&params->query, against, &other, err));
    ORR_TRY(orr_outcomes_find(NULL, analysis, NULL, NULL, &ret_scaling->before, err));
    if (!against->count)
        return ORR_OK;
    return orr_outcomes_find(NULL, analysis, NULL, &other.settings, &ret_scaling->after, err);
}

void orr_scaling_say(const struct orr_scaling *scaling, struct orr_text *text)
{
    if (scaling->against->count)
        orr_outcomes_say(&scaling->before, &scaling->after, text);
    else
        orr_outcomes_say_scaling(&scaling->before, text);
}

json_t *orr_scaling_json(struct orr_json *json, const struct orr_scaling *scaling, const struct orr_analysis *analysis,
                         const char *topology)
{
    const struct orr_texts *against = scaling->against;
    const bool both = against->count > 0;
    ORR_LOCAL_TEXT(sentence, 1024);
    orr_scaling_say(scaling, &sentence);
    json_t *outcomes =
        orr_outcomes_json(json, both ? &scaling->before : NULL, both ? &scaling->after : &scaling->before);
    return ORR_OBJECT(json, ORR_STRING("topology", topology),
                      ORR_STRING("nccl", analysis->query.settings.release->name),
                      ORR_STRING("order", analysis->cluster ? orr_rank_order_name(analysis->cluster->order) : NULL),
                      ORR_VALUE("against", orr_json_texts(json, against->items, against->count)),
                      ORR_STRING("sentence", orr_text_data(&sentence)), ORR_VALUE("outcomes", outcomes));
}
