/* One decision explained, as JSON; and the question read from texts, for the API and the command line. */
#ifndef ORR_API_WHY_JSON_H
#define ORR_API_WHY_JSON_H

#include "api/json.h"
#include "engine/explain/explain.h"

/* The question in words of users; NULL: not given. */
struct orr_why_texts {
    const char *decision, *from, *to, *graph, *collective, *bytes;
    int32_t channel;
};

/* Reads it for a release, which names the graphs. Texts stay borrowed. SETTING, with advice, for what is none. */
enum orr_code orr_why_read(const struct orr_why_texts *texts, const struct orr_release *release,
                           struct orr_why *ret_why, struct orr_error *err) ORR_NO_DISCARD;

/* The whole explanation. name: of the topology, NULL: none. */
json_t *orr_explanation_json(struct orr_json *json, const struct orr_explanation *explanation, const char *name);

/* One decision without trying settings, for the analysis document; null where the machine has no such decision. */
json_t *orr_decision_of(struct orr_json *json, const struct orr_analysis *analysis, const struct orr_why *why);

#endif
