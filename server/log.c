#include "server/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "server/log_lines.h"

enum { TAIL = 4 }; /* room for what ends a line */

/* All or nothing: half a field would make half an escape. */
static void add(struct orr_log_line *line, const char *text, size_t length)
{
    if (line->full || line->length + length + TAIL > sizeof line->text) {
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

/* Writes a field's key, if a value of length bytes fits behind it. */
static bool add_key(struct orr_log_line *line, const char *key, size_t length)
{
    enum { SIGNS = 5 }; /* a separator or an opening brace; quotes around the key; a colon or an equals sign */
    size_t key_length = strlen(key);
    bool json = line->format == ORR_LOG_JSON;
    if (line->full || line->length + SIGNS + key_length + length + TAIL > sizeof line->text) {
        line->full = true;
        return false;
    }
    char *at = line->text + line->length;
    if (line->length)
        *at++ = json ? ',' : ' ';
    else if (json)
        *at++ = '{';
    if (json)
        *at++ = '"';
    at = mempcpy(at, key, key_length);
    if (json)
        *at++ = '"';
    *at++ = json ? ':' : '=';
    line->length = (size_t)(at - line->text);
    return true;
}

/* What a byte demands: nothing, quotes in logfmt, or an escape between quotes. Every request asks it of some hundred
 * bytes. */
enum { PLAIN, QUOTED, ESCAPED };

static const unsigned char demands[256] = {
    [0 ... 0x1f] = ESCAPED, [' '] = QUOTED,   ['='] = QUOTED,
    ['"'] = ESCAPED,        ['\\'] = ESCAPED, [0x7f ... 0xff] = ESCAPED,
};

/* ASCII only: what is not printable becomes \u00xx in JSON, where a byte is a code point, and \xNN in logfmt. */
static void add_quoted(struct orr_log_line *line, const char *text)
{
    add_text(line, "\"");
    while (*text) {
        size_t plain = 0;
        while (demands[(unsigned char)text[plain]] != ESCAPED)
            plain++;
        add(line, text, plain);
        text += plain;
        if (*text) {
            char escape[8];
            unsigned char c = (unsigned char)*text++;
            if (c == '"' || c == '\\')
                snprintf(escape, sizeof escape, "\\%c", c);
            else
                snprintf(escape, sizeof escape, line->format == ORR_LOG_JSON ? "\\u%04x" : "\\x%02x", c);
            add_text(line, escape);
        }
    }
    add_text(line, "\"");
}

/* Length of a text that logfmt needs no quotes for, 0: it needs them. */
static size_t bare_length(const char *text)
{
    size_t length = 0;
    while (demands[(unsigned char)text[length]] == PLAIN)
        length++;
    return text[length] ? 0 : length;
}

static void add_bare(struct orr_log_line *line, const char *key, const char *value, size_t length)
{
    if (add_key(line, key, length)) {
        memcpy(line->text + line->length, value, length);
        line->length += length;
    }
}

void orr_log_text(struct orr_log_line *line, const char *key, const char *value)
{
    size_t before = line->length;
    if (!value || !*value)
        return;
    size_t bare = line->format == ORR_LOG_LOGFMT ? bare_length(value) : 0;
    if (bare) {
        add_bare(line, key, value, bare);
    } else if (add_key(line, key, 0)) {
        add_quoted(line, value);
        if (line->full)
            line->length = before;
    }
}

void orr_log_word(struct orr_log_line *line, const char *key, const char *word)
{
    size_t length = word ? strlen(word) : 0;
    if (!length || !add_key(line, key, length + 2))
        return;
    bool json = line->format == ORR_LOG_JSON;
    char *at = line->text + line->length;
    if (json)
        *at++ = '"';
    at = mempcpy(at, word, length);
    if (json)
        *at++ = '"';
    line->length = (size_t)(at - line->text);
}

/* The digits of a number, at least as many as asked for, in front of end. Every request pays for some numbers, and
 * printf takes ten times as long. Returns where they begin. */
static char *digits_before(char *end, unsigned long long value, int least)
{
    for (; value || least > 0; value /= 10, least--)
        *--end = (char)('0' + value % 10);
    return end;
}

void orr_log_number(struct orr_log_line *line, const char *key, unsigned long long value)
{
    char text[24], *end = text + sizeof text, *start = digits_before(end, value, 1);
    add_bare(line, key, start, (size_t)(end - start));
}

void orr_log_milliseconds(struct orr_log_line *line, const char *key, uint64_t nanoseconds)
{
    uint64_t microseconds = (nanoseconds + 500) / 1000;
    char text[32], *end = text + sizeof text, *start = digits_before(end, microseconds % 1000, 3);
    *--start = '.';
    start = digits_before(start, microseconds / 1000, 1);
    add_bare(line, key, start, (size_t)(end - start));
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
    int64_t now_ms = orr_wall_ms();
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
    digits_before(line->text + to_milliseconds[format] + 3, (unsigned long long)(now_ms % 1000), 3);
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
