/* Lines on standard error, logfmt or JSON. */
#ifndef ORR_SERVER_LOG_H
#define ORR_SERVER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/config.h"

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
/* The same of a text that is known to need neither quotes nor escapes in logfmt: letters, digits and some signs. */
void orr_log_word(struct orr_log_line *line, const char *key, const char *word);
void orr_log_number(struct orr_log_line *line, const char *key, unsigned long long value);
/* A duration, written as milliseconds with three decimals. */
void orr_log_milliseconds(struct orr_log_line *line, const char *key, uint64_t nanoseconds);
void orr_log_end(struct orr_log_line *line);

/* A whole line with pairs of key and text, ended by NULL. */
void orr_log(enum orr_log_format format, const char *level, const char *message, ...) __attribute__((sentinel));

#endif
