/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on standard error, logfmt or JSON. A line has been written when orr_log_end() returns. */
#ifndef ORR_SERVER_LOG_H
#define ORR_SERVER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/config.h"

enum { ORR_LOG_TAIL = 4 /* room for the end of a line */ };

struct orr_log_line {
    enum orr_log_format format;
    size_t length;
    bool full; /* something did not fit: the line ends after the last whole field */
    char text[4096];
};

/* Begins a line: time, level ("info", "warn", "error"), message. */
void orr_log_begin(struct orr_log_line *line, enum orr_log_format format, const char *level, const char *message);
/* Adds a text field, quoted and escaped for the format; NULL and "" are left out. */
void orr_log_text(struct orr_log_line *line, const char *key, const char *value);
void orr_log_number(struct orr_log_line *line, const char *key, unsigned long long value);
/* A duration, written as milliseconds with three decimals. */
void orr_log_milliseconds(struct orr_log_line *line, const char *key, uint64_t nanoseconds);
/* Ends the line and writes it. Callable from any thread: lines never mix. Blocks while standard error does not accept
 * data. */
void orr_log_end(struct orr_log_line *line);

/* A whole line with pairs of key and text, ended by NULL. */
void orr_log(enum orr_log_format format, const char *level, const char *message, ...) __attribute__((sentinel));

#endif
