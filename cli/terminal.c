/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/words.h"

enum { WIDEST = 120 }; /* longer lines are hard to read, however wide the terminal is */

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

ORR_WORD_LIST(orr_color_word, size_t, "auto", "always", "never")

bool orr_is_for_people(const struct orr_options *options)
{
    return options->text || (!options->json && !options->pretty && isatty(STDOUT_FILENO));
}

static bool has_color(const struct orr_options *options)
{
    const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
    unsigned choice = COLOR_AUTO;
    if (options->color)
        (void)orr_word_find(orr_color_word, options->color, &choice);
    if (choice != COLOR_AUTO)
        return choice == COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(refused && *refused) && kind && strcmp(kind, "dumb") != 0;
}

/* A number of columns or lines in the environment; 0 if there is none. */
static unsigned number_of(const char *variable)
{
    const char *text = getenv(variable);
    char *end;
    unsigned long value = text ? strtoul(text, &end, 10) : 0;
    return text && *text >= '0' && *text <= '9' && !*end && value <= 10000 ? (unsigned)value : 0;
}

static struct winsize size_of_terminal(void)
{
    struct winsize size = {0};
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        size = (struct winsize){0};
    return size;
}

static bool has_unicode(void)
{
    locale_t locale = isatty(STDOUT_FILENO) ? newlocale(LC_CTYPE_MASK, "", (locale_t)0) : (locale_t)0;
    bool unicode = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
    if (locale)
        freelocale(locale);
    return unicode;
}

void orr_terminal_page(const struct orr_options *options, struct orr_text *text, struct orr_page *ret_page)
{
    static const char *const styles[ORR_STYLE_COUNT] = {[ORR_STYLE_PLAIN] = "\033[0m",
                                                        [ORR_STYLE_HEADING] = "\033[1m",
                                                        [ORR_STYLE_GOOD] = "\033[32m",
                                                        [ORR_STYLE_CAREFUL] = "\033[33m",
                                                        [ORR_STYLE_BAD] = "\033[31m"};
    unsigned width = number_of("COLUMNS");
    if (!width)
        width = size_of_terminal().ws_col;
    if (!width)
        width = ORR_PAGE_USUAL;
    orr_text_init(text, ORR_MAX_ANSWER);
    *ret_page = (struct orr_page){.text = text,
                                  .width = width < ORR_PAGE_LEAST ? ORR_PAGE_LEAST
                                           : width > WIDEST       ? WIDEST
                                                                  : width,
                                  .unicode = has_unicode(),
                                  .styles = has_color(options) ? styles : NULL};
}

void orr_terminal_lines(const struct orr_options *options, struct orr_text *text, struct orr_page *ret_page)
{
    enum { PARAGRAPHS = 110 };
    orr_terminal_page(options, text, ret_page);
    if (isatty(STDOUT_FILENO) || number_of("COLUMNS"))
        return;
    ret_page->width = PARAGRAPHS;
    ret_page->line = ORR_PAGE_WHOLE;
    ret_page->unicode = true;
}

/* Whether the pager took the text; false if there is no such program, so the text is still to be printed. */
static bool print_paged(const char *pager, const struct orr_text *text)
{
    enum { NOT_FOUND = 127, NOT_RUN = 126 }; /* the shell's own statuses */
    setenv("LESS", "FRX", 0);                /* colours; ends by itself if the text fits */
    FILE *pipe = popen(pager, "w");          // NOLINT(cert-env33-c): PAGER is the user's own command
    if (!pipe)
        return false;
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN); /* keys belong to the pager, which may also end early */
    void (*broken)(int) = signal(SIGPIPE, SIG_IGN);
    (void)!fwrite(text->data, 1, text->length, pipe);
    int status = pclose(pipe);
    signal(SIGINT, interrupt);
    signal(SIGPIPE, broken);
    return !WIFEXITED(status) || (WEXITSTATUS(status) != NOT_FOUND && WEXITSTATUS(status) != NOT_RUN);
}

static bool is_long(const struct orr_text *text)
{
    unsigned lines = 0, most = number_of("LINES");
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    if (!most)
        most = size_of_terminal().ws_row;
    return most && lines >= most;
}

int orr_terminal_print(struct orr_text *text)
{
    const char *pager = getenv("PAGER");
    struct orr_error err = {0};
    int status = ORR_EXIT_OK;
    if (!pager)
        pager = "command -v less > /dev/null || exit 127; exec less";
    orr_progress_end();
    if (isatty(STDOUT_FILENO) && !orr_text_failed(text) && text->data) {
        struct orr_text clean;
        orr_text_init(&clean, SIZE_MAX);
        orr_clean(&clean, text->data, text->length, "\n\t\033");
        orr_text_release(text);
        *text = clean;
    }
    if (orr_text_failed(text) || !text->data)
        status = orr_report(NULL, (orr_fail_nomem(&err), &err));
    else if (!isatty(STDOUT_FILENO) || !*pager || !strcmp(pager, "cat") || !is_long(text) || !print_paged(pager, text))
        status = orr_write_out(NULL, text->data, text->length);
    orr_text_release(text);
    return status;
}

int orr_print_page(enum orr_code code, struct orr_text *text, const struct orr_error *err)
{
    if (code == ORR_OK)
        return orr_terminal_print(text);
    orr_text_release(text);
    return orr_report(NULL, err);
}

int orr_terminal_print_lines(const struct orr_options *options, struct orr_text *lines)
{
    struct orr_text text;
    struct orr_page page;
    orr_terminal_lines(options, &text, &page);
    if (page.line == ORR_PAGE_WHOLE)
        orr_text_add(&text, orr_text_data(lines), lines->length);
    else
        orr_page_lines(&page, orr_text_data(lines));
    text.failed = text.failed || orr_text_failed(lines);
    orr_text_release(lines);
    return orr_terminal_print(&text);
}
