/* JSON text that is made while it is read: a step at a time into a chunk of fixed size. */
#ifndef ORR_API_STREAM_TEXT_H
#define ORR_API_STREAM_TEXT_H

#include "api/documents/documents.h"

enum {
    ORR_STREAM_CHUNK = 32768,
    ORR_STREAM_STEP = 16384 /* more than any step adds: a transfer over 64 channels, each by a NIC of its own */
};

enum orr_stream_step { ORR_STEP_MORE, ORR_STEP_END, ORR_STEP_NOMEM };

struct orr_stream_text {
    struct orr_stream stream; /* what the client reads: first, so that a stream is one of these */
    /* Adds something; called while less than a chunk waits to be read, and not again after END or NOMEM. */
    enum orr_stream_step (*step)(struct orr_stream_text *text);
    enum orr_stream_step state;
    size_t length, taken;
    char chunk[ORR_STREAM_CHUNK + ORR_STREAM_STEP];
};

void orr_stream_text_init(struct orr_stream_text *text, enum orr_stream_step (*step)(struct orr_stream_text *),
                          void (*release)(struct orr_stream *));
/* Whether a step that adds piece after piece should stop here and go on next time. */
static inline bool orr_stream_full(const struct orr_stream_text *text)
{
    return text->length >= ORR_STREAM_CHUNK;
}
static inline void orr_put_char(struct orr_stream_text *text, char c)
{
    text->chunk[text->length++] = c;
}
void orr_put_text(struct orr_stream_text *text, const char *piece);
void orr_put_int(struct orr_stream_text *text, int32_t value);
/* ,"name":value */
void orr_put_member(struct orr_stream_text *text, const char *name, int32_t value);

#endif
