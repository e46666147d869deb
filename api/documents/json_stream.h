/* SPDX-License-Identifier: Apache-2.0 */
/* A document that is too large for memory: its JSON is generated step by step while it is read, from the same members
 * as other documents (json.h). The stream places the commas; each step appends to the text so far. */
#ifndef ORR_API_JSON_STREAM_H
#define ORR_API_JSON_STREAM_H

#include "api/documents/json.h"

enum {
    ORR_STREAM_CHUNK = 32768,
    ORR_STREAM_STEP = 16384 /* more bytes than any step adds: a transfer over 64 channels, each with its own NIC */
};

enum orr_stream_step { ORR_STEP_MORE, ORR_STEP_END, ORR_STEP_NOMEM };

struct orr_json_stream {
    struct orr_stream stream; /* what the client reads; first, so that its address is that of this structure */
    /* Appends the next piece. Called as long as less than a chunk is waiting to be read, and never again after END or
     * NOMEM. */
    enum orr_stream_step (*step)(struct orr_json_stream *json);
    enum orr_stream_step state;
    bool follows; /* the next value is not the first of its level, so a comma comes before it */
    size_t length, taken;
    char chunk[ORR_STREAM_CHUNK + ORR_STREAM_STEP];
};

void orr_json_stream_init(struct orr_json_stream *json, enum orr_stream_step (*step)(struct orr_json_stream *),
                          void (*release)(struct orr_stream *));
/* Whether a step that appends many pieces should stop here and continue in the next call. */
static inline bool orr_stream_full(const struct orr_json_stream *json)
{
    return json->length >= ORR_STREAM_CHUNK;
}

/* Begins an object ('{') or an array ('['); key NULL means as an element, or the whole. */
void orr_stream_begin(struct orr_json_stream *json, const char *key, char bracket);
/* Ends it, with '}' or ']'. */
void orr_stream_end(struct orr_json_stream *json, char bracket);
void orr_stream_int(struct orr_json_stream *json, int32_t value);
void orr_stream_null(struct orr_json_stream *json, const char *key);
/* Ends a line, and with it a document of one line. */
void orr_stream_line(struct orr_json_stream *json);
#define ORR_STREAM_SET(json, ...) orr_stream_members(json, ORR_MEMBERS(__VA_ARGS__))
void orr_stream_members(struct orr_json_stream *json, const struct orr_json_row *members);

#endif
