/* SPDX-License-Identifier: Apache-2.0 */
/* A document that is too large to be held: its JSON is made while it is read, a step at a time, from the same members
 * as other documents (json.h). The stream places commas; each step adds what follows what is there. */
#ifndef ORR_API_JSON_STREAM_H
#define ORR_API_JSON_STREAM_H

#include "api/documents/json.h"

enum {
    ORR_STREAM_CHUNK = 32768,
    ORR_STREAM_STEP = 16384 /* more than any step adds: a transfer over 64 channels, each by a NIC of its own */
};

enum orr_stream_step { ORR_STEP_MORE, ORR_STEP_END, ORR_STEP_NOMEM };

struct orr_json_stream {
    struct orr_stream stream; /* what the client reads: first, so that a stream is one of these */
    /* Adds something; called while less than a chunk waits to be read, and not again after END or NOMEM. */
    enum orr_stream_step (*step)(struct orr_json_stream *json);
    enum orr_stream_step state;
    bool follows; /* the next value is not the first of its level, so a comma comes before it */
    size_t length, taken;
    char chunk[ORR_STREAM_CHUNK + ORR_STREAM_STEP];
};

void orr_json_stream_init(struct orr_json_stream *json, enum orr_stream_step (*step)(struct orr_json_stream *),
                          void (*release)(struct orr_stream *));
/* Whether a step that adds piece after piece should stop here and go on next time. */
static inline bool orr_stream_full(const struct orr_json_stream *json)
{
    return json->length >= ORR_STREAM_CHUNK;
}

/* Begins an object ('{') or an array ('['); key NULL: as an element, or the whole. */
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
