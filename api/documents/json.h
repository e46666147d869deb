/* SPDX-License-Identifier: Apache-2.0 */
/* JSON on top of jansson; struct orr_json is declared in documents.h. */
#ifndef ORR_API_JSON_H
#define ORR_API_JSON_H

#include <jansson.h>

#include "api/documents/documents.h"
#include "engine/topology/system.h"

json_t *orr_json_object(struct orr_json *json);
json_t *orr_json_array(struct orr_json *json);
/* Add a member or an element and take ownership of it, even on failure. key and value may be NULL because an earlier
 * step failed. */
void orr_json_set(struct orr_json *json, json_t *object, const char *key, json_t *value);
void orr_json_add(struct orr_json *json, json_t *array, json_t *value);
/* text NULL: null. */
void orr_json_set_text(struct orr_json *json, json_t *object, const char *key, const char *text);
void orr_json_set_int(struct orr_json *json, json_t *object, const char *key, int64_t value);
/* Members of an object, written as a list: ORR_OBJECT(json, ORR_STRING("name", name), ORR_WHEN(line > 0,
 * ORR_INT("line", line))) is a new object, and ORR_SET() adds members to one. A member that ORR_WHEN() leaves out is
 * not evaluated; the order of evaluation of the others is unspecified. ORR_STRING: NULL becomes null. ORR_VALUE gives
 * its value to the object, even on failure. */
struct orr_json_row {
    enum { ORR_ROW_NONE, ORR_ROW_TEXT, ORR_ROW_INT, ORR_ROW_NUMBER, ORR_ROW_BOOL, ORR_ROW_VALUE, ORR_ROW_END } kind;
    const char *key;
    union {
        const char *text;
        int64_t whole;
        double number;
        bool truth;
        json_t *value;
    };
};
#define ORR_STRING(name, of)        ((struct orr_json_row){.kind = ORR_ROW_TEXT, .key = (name), .text = (of)})
#define ORR_INT(name, of)           ((struct orr_json_row){.kind = ORR_ROW_INT, .key = (name), .whole = (of)})
#define ORR_NUMBER(name, of)        ((struct orr_json_row){.kind = ORR_ROW_NUMBER, .key = (name), .number = (of)})
#define ORR_BOOL(name, of)          ((struct orr_json_row){.kind = ORR_ROW_BOOL, .key = (name), .truth = (of)})
#define ORR_VALUE(name, of)         ((struct orr_json_row){.kind = ORR_ROW_VALUE, .key = (name), .value = (of)})
#define ORR_WHEN(condition, member) ((condition) ? (member) : (struct orr_json_row){.kind = ORR_ROW_NONE})
#define ORR_MEMBERS(...)            ((const struct orr_json_row[]){__VA_ARGS__, {.kind = ORR_ROW_END}})
#define ORR_OBJECT(json, ...)       orr_json_object_of(json, ORR_MEMBERS(__VA_ARGS__))
#define ORR_SET(json, object, ...)  orr_json_set_members(json, object, ORR_MEMBERS(__VA_ARGS__))
json_t *orr_json_object_of(struct orr_json *json, const struct orr_json_row *members);
void orr_json_set_members(struct orr_json *json, json_t *object, const struct orr_json_row *members);
/* The value of a member as a new reference; for ORR_VALUE, the reference that it was given. */
json_t *orr_json_row_value(struct orr_json *json, const struct orr_json_row *member);
/* Flags with which documents are written: numbers have nine significant digits. */
#define ORR_JSON_WRITTEN (JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY)
#define ORR_JSON_COMPACT (ORR_JSON_WRITTEN | JSON_COMPACT)
/* Takes another reference to a shared value; the caller keeps its own. */
json_t *orr_json_again(json_t *value);

/* Text; bytes that are not UTF-8 become U+FFFD. NULL gives null. */
json_t *orr_json_text(struct orr_json *json, const char *text);
/* The same for a text that may have run out of room (it is then cut) or of memory (NULL then). */
json_t *orr_json_text_of(struct orr_json *json, const struct orr_text *text);
json_t *orr_json_format(struct orr_json *json, const char *format, ...) ORR_PRINTF(2, 3);
/* An array of up to `count` texts, which a NULL ends early. */
json_t *orr_json_texts(struct orr_json *json, const char *const *texts, uint32_t count);
json_t *orr_json_int(struct orr_json *json, int64_t value);
json_t *orr_json_bool(struct orr_json *json, bool value);
/* A number: whole values without a fraction; written with nine significant digits. */
json_t *orr_json_number(struct orr_json *json, double value);
/* The id of a node in the form that users see. */
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
