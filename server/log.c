#include "server/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "server/log_lines.h"

/* All or nothing: half a field would make half an escape. */
static void add(struct orr_log_line *line, const char *text, size_t length)
{
    if (line->full || line->length + length + ORR_LOG_TAIL > sizeof line->text) {
        line->full = true;
        return;
    }
    memcpy(line->text + line->length, text, length);
    line->length += length;
}

static void add_text(struct orr_log_line *line, const char *text)
{
    add(line, text, strlen(text));
}

static bool is_escaped(unsigned char c)
{
    return c < 0x20 || c > 0x7e || c == '"' || c == '\\';
}

/* Whether a text needs escapes, or in logfmt quotes. Every request asks it of some hundred bytes: a block at once. */
static void look_at(const char *text, size_t length, bool *ret_escapes, bool *ret_quotes)
{
    typedef unsigned char block __attribute__((vector_size(16)));
    block escaped = {0}, quoted = {0};
    for (bool last = false; !last; text += sizeof(block), length -= sizeof(block)) {
        block bytes = (block){0} + 'a';
        last = length <= sizeof bytes;
        if (last)
            memcpy(&bytes, text, length);
        else
            memcpy(&bytes, text, sizeof bytes);
        escaped |= (block)((bytes < 0x20) | (bytes > 0x7e) | (bytes == '"') | (bytes == '\\'));
        quoted |= (block)((bytes == ' ') | (bytes == '='));
    }
    uint64_t halves[2];
    memcpy(halves, &escaped, sizeof halves);
    *ret_escapes = halves[0] | halves[1];
    memcpy(halves, &quoted, sizeof halves);
    *ret_quotes = halves[0] | halves[1];
}

/* ASCII only: what is not printable becomes \u00xx in JSON, where a byte is a code point, and \xNN in logfmt. */
static void add_escaped(struct orr_log_line *line, const char *text)
{
    add_text(line, "\"");
    for (; *text; text++) {
        char escape[8];
        unsigned char c = (unsigned char)*text;
        if (!is_escaped(c)) {
            add(line, text, 1);
            continue;
        }
        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", c);
        else
            snprintf(escape, sizeof escape, line->format == ORR_LOG_JSON ? "\\u%04x" : "\\x%02x", c);
        add_text(line, escape);
    }
    add_text(line, "\"");
}

void orr_log_text(struct orr_log_line *line, const char *key, const char *value)
{
    size_t before = line->length, length = value ? strlen(value) : 0;
    bool escapes, quotes;
    if (!length)
        return;
    look_at(value, length, &escapes, &quotes);
    if (!escapes) {
        orr_log_field(line, key, value, length, quotes || line->format == ORR_LOG_JSON);
    } else if (orr_log_key(line, key, 0)) {
        add_escaped(line, value);
        if (line->full)
            line->length = before;
    }
}

/* Writes time, level and message. */
static void write_beginning(struct orr_log_line *line, time_t now, const char *level, const char *message)
{
    struct tm tm = {0};
    char text[40];
    (void)gmtime_r(&now, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.000Z", &tm);
    line->length = 0;
    line->full = false;
    line->at_once = true;
    orr_log_word(line, "ts", text);
    orr_log_word(line, "level", level);
    orr_log_text(line, "msg", message);
}

/* How most lines begin changes once a second: ts=2026-11-23T04:05:06.789Z level=info msg=request. */
void orr_log_begin(struct orr_log_line *line, enum orr_log_format format, const char *level, const char *message)
{
    static _Thread_local struct {
        time_t second;
        enum orr_log_format format;
        const char *level, *message;
        size_t length;
        char text[128];
    } last;
    static const size_t to_milliseconds[] = {[ORR_LOG_LOGFMT] = sizeof "ts=2026-11-23T04:05:06." - 1,
                                             [ORR_LOG_JSON] = sizeof "{\"ts\":\"2026-11-23T04:05:06." - 1};
    int64_t now_ms = orr_wall_coarse_ms();
    time_t now = (time_t)(now_ms / 1000);
    line->format = format;
    if (last.second == now && last.format == format && last.level == level && last.message == message) {
        line->length = last.length;
        line->full = false;
        line->at_once = true;
        memcpy(line->text, last.text, last.length);
    } else {
        write_beginning(line, now, level, message);
        if (line->length <= sizeof last.text) {
            last.second = now, last.format = format, last.level = level, last.message = message;
            last.length = line->length;
            memcpy(last.text, line->text, line->length);
        }
    }
    orr_log_digits(line->text + to_milliseconds[format] + 3, (unsigned long long)(now_ms % 1000), 3);
}

void orr_log_end(struct orr_log_line *line)
{
    static const char *const tails[] = {[ORR_LOG_LOGFMT] = "\n", [ORR_LOG_JSON] = "}\n"};
    size_t size = strlen(tails[line->format]);
    memcpy(line->text + line->length, tails[line->format], size);
    orr_log_lines_add(line->text, line->length + size, line->at_once);
}

void orr_log(enum orr_log_format format, const char *level, const char *message, ...)
{
    struct orr_log_line line;
    va_list pairs;
    orr_log_begin(&line, format, level, message);
    va_start(pairs, message);
    for (const char *key = va_arg(pairs, const char *); key; key = va_arg(pairs, const char *))
        orr_log_text(&line, key, va_arg(pairs, const char *));
    va_end(pairs);
    orr_log_end(&line);
}
