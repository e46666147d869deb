/* An analysis as the JSON document of the contract, whole or one section of it. */
#ifndef ORR_API_ANALYSIS_JSON_H
#define ORR_API_ANALYSIS_JSON_H

#include "api/json.h"
#include "engine/analysis/analysis.h"

/* The sections in the order of the document; NULL beyond the last. */
const char *orr_section_name(size_t i);
bool orr_section_exists(const char *name);

/* Appends the document to text; section NULL: all of it, otherwise the value of that key. topology is the name that
 * the document gives to what was analysed. NOT_FOUND for an unknown section. */
enum orr_code orr_analysis_json(const struct orr_analysis *analysis, const char *topology, const char *section,
                                bool pretty, struct orr_text *text, struct orr_error *err) ORR_NO_DISCARD;

/* The same as a value, for answers that hold several: NULL with json->failed on failure. */
json_t *orr_section_json(struct orr_json *json, const struct orr_analysis *analysis, const char *topology,
                         const char *section);

#endif
