/* Lines on standard error, logfmt or JSON. */
#ifndef ORR_SERVER_LOG_H
#define ORR_SERVER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "server/config.h"

enum { ORR_LOG_TAIL = 4 /* room for what ends a line */ };

struct orr_log_line {
    enum orr_log_format format;
    size_t length;
    bool full;    /* something did not fit: the line ends where it still did */
    bool at_once; /* true after orr_log_begin(); where false the line may wait (log_lines.h) */
    char text[4096];
};

/* Begins a line: time, level ("info", "warn", "error"), message; the latter two are literals. */
void orr_log_begin(struct orr_log_line *line, enum orr_log_format format, const char *level, const char *message);
/* A field with a text, quoted and escaped as the format wants it; NULL and "" are left out. */
void orr_log_text(struct orr_log_line *line, const char *key, const char *value);

/* What follows is inline, since each request writes some ten fields and their keys are literals. */

/* Writes a field's key, if a value of length bytes fits behind it. Returns where the value begins, NULL: no room. */
static inline char *orr_log_key(struct orr_log_line *line, const char *key, size_t length)
{
    enum { SIGNS = 5 }; /* a separator or an opening brace; quotes around the key; a colon or an equals sign */
    size_t key_length = strlen(key);
    if (line->full || line->length + SIGNS + key_length + length + ORR_LOG_TAIL > sizeof line->text) {
        line->full = true;
        return NULL;
    }
    char *at = line->text + line->length;
    if (line->format == ORR_LOG_LOGFMT) {
        if (line->length)
            *at++ = ' ';
        at = mempcpy(at, key, key_length);
        *at++ = '=';
    } else {
        *at++ = line->length ? ',' : '{';
        *at++ = '"';
        at = mempcpy(at, key, key_length);
        *at++ = '"';
        *at++ = ':';
    }
    line->length = (size_t)(at - line->text);
    return at;
}

/* A field whose value is written as it is, between quotes or not. */
static inline void orr_log_field(struct orr_log_line *line, const char *key, const char *value, size_t length,
                                 bool quoted)
{
    char *at = orr_log_key(line, key, length + 2);
    if (!at)
        return;
    if (quoted)
        *at++ = '"';
    at = mempcpy(at, value, length);
    if (quoted)
        *at++ = '"';
    line->length = (size_t)(at - line->text);
}

/* A text that is known to need neither quotes nor escapes in logfmt: letters, digits and some signs. */
static inline void orr_log_word(struct orr_log_line *line, const char *key, const char *word)
{
    if (word && *word)
        orr_log_field(line, key, word, strlen(word), line->format == ORR_LOG_JSON);
}

/* The digits of a number, at least as many as asked for, in front of end. printf takes ten times as long. Returns where
 * they begin. */
static inline char *orr_log_digits(char *end, unsigned long long value, int least)
{
    for (; value || least > 0; value /= 10, least--)
        *--end = (char)('0' + value % 10);
    return end;
}

static inline void orr_log_number(struct orr_log_line *line, const char *key, unsigned long long value)
{
    char text[24], *end = text + sizeof text, *start = orr_log_digits(end, value, 1);
    orr_log_field(line, key, start, (size_t)(end - start), false);
}

/* A duration, written as milliseconds with three decimals. */
static inline void orr_log_milliseconds(struct orr_log_line *line, const char *key, uint64_t nanoseconds)
{
    uint64_t microseconds = (nanoseconds + 500) / 1000;
    char text[32], *end = text + sizeof text, *start = orr_log_digits(end, microseconds % 1000, 3);
    *--start = '.';
    start = orr_log_digits(start, microseconds / 1000, 1);
    orr_log_field(line, key, start, (size_t)(end - start), false);
}

void orr_log_end(struct orr_log_line *line);

/* A whole line with pairs of key and text, ended by NULL. */
void orr_log(enum orr_log_format format, const char *level, const char *message, ...) __attribute__((sentinel));

#endif
