/* Two answers about one dump, told apart: what changes, where, and the rule or setting that changes it. */
#ifndef ORR_API_DIFF_JSON_H
#define ORR_API_DIFF_JSON_H

#include "api/json.h"
#include "engine/whatif/changes.h"

/* What is told in full; the rest is counted. */
enum { ORR_DIFF_PLACES = 64, ORR_DIFF_CHANGES = 100 };

/* The other side of a comparison: the same question with what `against` says, each a release ("2.21.5") or a setting
 * ("NCCL_CROSS_NIC=1"; "NCCL_CROSS_NIC=" takes its default). Shared by the API and the command line. */
enum orr_code orr_against_read(const struct orr_query *question, const char *const *against, uint32_t count,
                               struct orr_query *ret_other, struct orr_error *err) ORR_NO_DISCARD;

/* The document about the changes; name is that of the topology. */
json_t *orr_diff_json(struct orr_json *json, const struct orr_changes *changes, const char *name);
/* Its sections alone: for each of them what changes. */
json_t *orr_changes_json(struct orr_json *json, const struct orr_changes *changes);
/* How many facts change in which section, as the end of a sentence: " 3 in rings, 1 in tuning.". */
void orr_add_changed_sections(struct orr_text *text, const struct orr_changes *changes);

#endif
