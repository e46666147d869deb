/* SPDX-License-Identifier: Apache-2.0 */
#include "server/log.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"

/* Adds all bytes or none, because a cut field could end inside an escape. */
static void add_bytes(struct orr_log_line *line, const char *text, size_t length)
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
    add_bytes(line, text, strlen(text));
}

static void add_key(struct orr_log_line *line, const char *key)
{
    bool json = line->format == ORR_LOG_JSON;
    if (json)
        add_text(line, line->length ? ",\"" : "{\"");
    else if (line->length)
        add_text(line, " ");
    add_text(line, key);
    add_text(line, json ? "\":" : "=");
}

static bool is_escaped(unsigned char c)
{
    return c < 0x20 || c > 0x7e || c == '"' || c == '\\';
}

static bool is_word(const char *text)
{
    while (*text && !is_escaped((unsigned char)*text) && *text != ' ' && *text != '=')
        text++;
    return !*text;
}

/* ASCII only: what is not printable becomes \u00xx in JSON, where a byte is a code point, and \xNN in logfmt. */
static void add_quoted(struct orr_log_line *line, const char *text)
{
    add_text(line, "\"");
    for (; *text; text++) {
        char escape[8];
        unsigned char c = (unsigned char)*text;
        if (!is_escaped(c)) {
            add_bytes(line, text, 1);
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

static void add_field(struct orr_log_line *line, const char *key, const char *value, bool quoted)
{
    size_t before = line->length;
    add_key(line, key);
    if (quoted)
        add_quoted(line, value);
    else
        add_text(line, value);
    if (line->full)
        line->length = before;
}

void orr_log_text(struct orr_log_line *line, const char *key, const char *value)
{
    if (value && *value)
        add_field(line, key, value, line->format == ORR_LOG_JSON || !is_word(value));
}

void orr_log_number(struct orr_log_line *line, const char *key, unsigned long long value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", value);
    add_field(line, key, text, false);
}

void orr_log_milliseconds(struct orr_log_line *line, const char *key, uint64_t nanoseconds)
{
    char text[32];
    unsigned long long microseconds = (nanoseconds + 500) / 1000;
    snprintf(text, sizeof text, "%llu.%03llu", microseconds / 1000, microseconds % 1000);
    add_field(line, key, text, false);
}

void orr_log_begin(struct orr_log_line *line, enum orr_log_format format, const char *level, const char *message)
{
    char seconds[24], text[40];
    struct tm tm = {0};
    int64_t now_ms = orr_wall_coarse_ms();
    time_t now = (time_t)(now_ms / 1000);
    (void)gmtime_r(&now, &tm);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text, sizeof text, "%s.%03dZ", seconds, (int)(now_ms % 1000));
    line->format = format;
    line->length = 0;
    line->full = false;
    orr_log_text(line, "ts", text);
    orr_log_text(line, "level", level);
    orr_log_text(line, "msg", message);
}

/* Writes a line in one call, so that lines of two threads do not mix: a pipe writes PIPE_BUF bytes atomically. */
_Static_assert(sizeof((struct orr_log_line *)0)->text <= PIPE_BUF, "a line is written whole");
static void write_whole(const char *text, size_t length)
{
    while (length) {
        ssize_t written = write(STDERR_FILENO, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* the failure cannot be reported anywhere */
        text += written;
        length -= (size_t)written;
    }
}

void orr_log_end(struct orr_log_line *line)
{
    const char *tail = line->format == ORR_LOG_JSON ? "}\n" : "\n";
    size_t size = strlen(tail); /* at most ORR_LOG_TAIL, which add_bytes() leaves free */
    memcpy(line->text + line->length, tail, size);
    write_whole(line->text, line->length + size);
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
