/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps control sequences from inputs away from the terminal. All output to standard error is cleaned here, and
 * standard output if it is a terminal. In a message of one line, line breaks in names are cleaned as well. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "engine/base/budget.h"
#include "engine/base/utf8.h"

/* Bytes of one of our own styles, such as ESC [ 3 1 m. */
static size_t style_length(const char *text)
{
    if (text[0] != '\033' || text[1] != '[')
        return 0;
    const size_t digits = strspn(text + 2, "0123456789");
    return digits >= 1 && digits <= 2 && text[2 + digits] == 'm' ? digits + 3 : 0;
}

void orr_clean(struct orr_text *to, const char *text, size_t length, const char *kept)
{
    for (size_t at = 0; at < length;) {
        size_t size = orr_shown_length(text + at);
        if (!size && text[at])
            size =
                text[at] == '\033' && strchr(kept, '\033') ? style_length(text + at) : strchr(kept, text[at]) != NULL;
        if (size && at + size <= length) {
            orr_text_add(to, text + at, size);
        } else {
            orr_text_puts(to, "?");
            size = 1;
        }
        at += size;
    }
}

/* Messages need memory even if the budget is spent, because they report that. */
static struct orr_budget *without_budget(void)
{
    struct orr_budget *held = orr_budget_of_thread;
    orr_budget_of_thread = NULL;
    return held;
}

static void say(const char *format, va_list values)
{
    ORR_LOCAL_TEXT(line, ORR_MAX_ANSWER);
    ORR_LOCAL_TEXT(clean, ORR_MAX_ANSWER);
    orr_text_vprintf(&line, format, values);
    orr_clean(&clean, orr_text_data(&line), line.length, "\t");
    fprintf(stderr, "%s\n", orr_text_data(&clean));
}

void orr_message(const char *format, ...)
{
    struct orr_budget *held = without_budget();
    va_list values;
    va_start(values, format);
    say(format, values);
    va_end(values);
    orr_budget_of_thread = held;
}

static void write_cleaned(const char *bytes, size_t length)
{
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    ORR_LOCAL_TEXT(clean, ORR_MAX_ANSWER);
    orr_text_add(&text, bytes, length); /* which ends it with a zero */
    orr_clean(&clean, orr_text_data(&text), length, "\n\t");
    const char *at = orr_text_data(&clean);
    for (size_t left = clean.length; left;) {
        const ssize_t written = write(STDERR_FILENO, at, left);
        if (written <= 0)
            return;
        at += written;
        left -= (size_t)written;
    }
}

static ssize_t write_clean(void *context, const char *bytes, size_t length)
{
    struct orr_budget *held = without_budget();
    (void)context;
    write_cleaned(bytes, length);
    orr_budget_of_thread = held;
    return (ssize_t)length;
}

void orr_clean_errors(void)
{
    const cookie_io_functions_t functions = {.write = write_clean};
    FILE *clean = fopencookie(NULL, "w", functions);
    if (!clean)
        return;
    setvbuf(clean, NULL, _IOLBF, 0);
    stderr = clean; /* glibc allows it */
}
