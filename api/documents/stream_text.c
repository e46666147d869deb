#include "api/documents/stream_text.h"

#include <string.h>

void orr_put_text(struct orr_stream_text *text, const char *piece)
{
    size_t length = strlen(piece);
    memcpy(text->chunk + text->length, piece, length);
    text->length += length;
}

void orr_put_int(struct orr_stream_text *text, int32_t value)
{
    char digits[12];
    size_t at = sizeof digits;
    uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    do
        digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        digits[--at] = '-';
    memcpy(text->chunk + text->length, digits + at, sizeof digits - at);
    text->length += sizeof digits - at;
}

void orr_put_member(struct orr_stream_text *text, const char *name, int32_t value)
{
    orr_put_text(text, ",\"");
    orr_put_text(text, name);
    orr_put_text(text, "\":");
    orr_put_int(text, value);
}

static ptrdiff_t read_text(struct orr_stream *stream, char *buffer, size_t size)
{
    struct orr_stream_text *text = (struct orr_stream_text *)stream;
    size_t filled = 0;
    while (filled < size) {
        if (text->taken == text->length) {
            text->taken = text->length = 0;
            while (text->state == ORR_STEP_MORE && !orr_stream_full(text))
                text->state = text->step(text);
            if (text->state == ORR_STEP_NOMEM)
                return -1;
            if (!text->length)
                break;
        }
        size_t waiting = text->length - text->taken, some = waiting < size - filled ? waiting : size - filled;
        memcpy(buffer + filled, text->chunk + text->taken, some);
        text->taken += some;
        filled += some;
    }
    return (ptrdiff_t)filled;
}

void orr_stream_text_init(struct orr_stream_text *text, enum orr_stream_step (*step)(struct orr_stream_text *),
                          void (*release)(struct orr_stream *))
{
    text->stream = (struct orr_stream){.read = read_text, .free = release};
    text->step = step;
    text->state = ORR_STEP_MORE;
    text->length = text->taken = 0;
}
