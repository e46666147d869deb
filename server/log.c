#include "server/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"

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

static void add_key(struct orr_log_line *line, const char *key)
{
    bool json = line->format == ORR_LOG_JSON;
    if (line->length)
        add_text(line, json ? "," : " ");
    else if (json)
        add_text(line, "{");
    add_text(line, json ? "\"" : "");
    add_text(line, key);
    add_text(line, json ? "\":" : "=");
}

/* ASCII only: what is not printable becomes \u00xx in JSON, where a byte is a code point, and \xNN in logfmt. */
static void add_quoted(struct orr_log_line *line, const char *text)
{
    add_text(line, "\"");
    while (*text) {
        size_t plain = 0;
        while ((unsigned char)text[plain] >= 0x20 && (unsigned char)text[plain] < 0x7f && text[plain] != '"' &&
               text[plain] != '\\')
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

static bool is_bare(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= 0x20 || (unsigned char)*text >= 0x7f || strchr("\"\\=", *text))
            return false;
    return true;
}

void orr_log_text(struct orr_log_line *line, const char *key, const char *value)
{
    struct orr_log_line *at = line;
    size_t before = line->length;
    if (!value || !*value)
        return;
    add_key(at, key);
    if (line->format == ORR_LOG_LOGFMT && is_bare(value))
        add_text(line, value);
    else
        add_quoted(line, value);
    if (line->full)
        line->length = before;
}

static void add_bare(struct orr_log_line *line, const char *key, const char *value)
{
    size_t before = line->length;
    add_key(line, key);
    add_text(line, value);
    if (line->full)
        line->length = before;
}

void orr_log_number(struct orr_log_line *line, const char *key, unsigned long long value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", value);
    add_bare(line, key, text);
}

void orr_log_milliseconds(struct orr_log_line *line, const char *key, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.3f", value);
    add_bare(line, key, text);
}

void orr_log_begin(struct orr_log_line *line, enum orr_log_format format, const char *level, const char *message)
{
    int64_t now_ms = orr_wall_ms();
    time_t now = (time_t)(now_ms / 1000);
    struct tm tm;
    char time_text[40] = "", seconds[24] = "";
    line->format = format;
    line->length = 0;
    line->full = false;
    if (gmtime_r(&now, &tm))
        strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(time_text, sizeof time_text, "%s.%03dZ", seconds, (int)(now_ms % 1000));
    orr_log_text(line, "ts", time_text);
    orr_log_text(line, "level", level);
    orr_log_text(line, "msg", message);
}

void orr_log_end(struct orr_log_line *line)
{
    static const char *const tails[] = {[ORR_LOG_LOGFMT] = "\n", [ORR_LOG_JSON] = "}\n"};
    size_t size = strlen(tails[line->format]);
    memcpy(line->text + line->length, tails[line->format], size);
    ssize_t written = write(STDERR_FILENO, line->text, line->length + size);
    (void)written; /* nowhere to report it */
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
