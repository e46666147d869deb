/* Dumps compared, as JSON and as text for people. */
#ifndef ORR_API_COMPARE_JSON_H
#define ORR_API_COMPARE_JSON_H

#include "api/json.h"
#include "engine/compare/compare.h"
#include "engine/compare/majority.h"

/* What is told in full; the rest is counted. */
enum { ORR_COMPARE_ROWS = 200, ORR_COMPARE_TEXT = 4 << 20 };
/* Dumps of one set. */
enum { ORR_MAX_SET = 512 };

/* What a dump is called: its id or file, and a name that may be empty. */
struct orr_called {
    const char *topology, *name;
};

json_t *orr_compare_json(struct orr_json *json, const struct orr_comparison *comparison, const struct orr_called *a,
                         const struct orr_called *b);
/* called: of each specimen. changes: of each specimen against the reference, what NCCL decides otherwise; NULL where it
 * was not asked. */
json_t *orr_majority_json(struct orr_json *json, const struct orr_majority *majority,
                          const struct orr_set_finding *findings, uint32_t finding_count,
                          const struct orr_called *called, const struct orr_changes *const *changes);

/* The same documents as text for people, made from the JSON. */
void orr_comparison_text(json_t *document, struct orr_text *text);
void orr_majority_text(json_t *document, struct orr_text *text);

#endif
