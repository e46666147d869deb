/* JSON on top of jansson; struct orr_json is declared in documents.h. */
#ifndef ORR_API_JSON_H
#define ORR_API_JSON_H

#include <jansson.h>

#include "api/documents.h"
#include "engine/topology/system.h"

json_t *orr_json_object(struct orr_json *json);
json_t *orr_json_array(struct orr_json *json);
/* Add a member or an element and take its reference over, even on failure. key and value may be what failed before. */
void orr_json_set(struct orr_json *json, json_t *object, const char *key, json_t *value);
void orr_json_add(struct orr_json *json, json_t *array, json_t *value);
/* text NULL: null. */
void orr_json_set_text(struct orr_json *json, json_t *object, const char *key, const char *text);
void orr_json_set_int(struct orr_json *json, json_t *object, const char *key, int64_t value);
/* A shared value: takes a further reference and leaves the caller's. */
json_t *orr_json_again(json_t *value);

/* Text; bytes that are no UTF-8 become U+FFFD. NULL gives null. */
json_t *orr_json_text(struct orr_json *json, const char *text);
/* The same of a text that may have run out of room (then as far as it went) or of memory (then nothing). */
json_t *orr_json_text_of(struct orr_json *json, const struct orr_text *text);
json_t *orr_json_format(struct orr_json *json, const char *format, ...) ORR_PRINTF(2, 3);
json_t *orr_json_int(struct orr_json *json, int64_t value);
json_t *orr_json_bool(struct orr_json *json, bool value);
/* A number: whole values without a fraction; written with nine significant digits. */
json_t *orr_json_number(struct orr_json *json, double value);
/* A node id as users see it. */
json_t *orr_json_node(struct orr_json *json, enum orr_node_type type, int64_t id);
/* The id of a node of a system, as the release writes it. */
json_t *orr_json_node_of(struct orr_json *json, const struct orr_system *system, uint32_t node);
/* The id of every node of a system, to be shared between many places: free with orr_json_nodes_free(). */
json_t **orr_json_nodes(struct orr_json *json, const struct orr_system *system);
void orr_json_nodes_free(json_t **nodes, const struct orr_system *system);

/* Reads JSON without duplicate keys. NOMEM, or INVALID with line and column. */
enum orr_code orr_json_parse(const char *bytes, size_t length, json_t **ret_value,
                             struct orr_error *err) ORR_NO_DISCARD;

#endif
