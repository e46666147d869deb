/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that print while they compute: channels, p2p. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "engine/base/budget.h"
#include "engine/report/answers_text.h"

/* Frees the stream; NULL if memory runs out. */
static int write_stream(struct orr_stream *stream)
{
    enum { BLOCK = 1 << 18 };
    orr_budget_stage("writing the answer");
    if (isatty(STDOUT_FILENO))
        orr_progress_end();
    int status = ORR_EXIT_OK;
    char *block = malloc(BLOCK);
    ptrdiff_t got = stream && block ? 1 : -1;
    while (got > 0 && !orr_budget_spent(BLOCK / 8)) {
        got = stream->read(stream, block, BLOCK);
        if (got > 0 && fwrite(block, 1, (size_t)got, stdout) != (size_t)got)
            break;
    }
    struct orr_error err = {0};
    if (orr_budget_check(&err) != ORR_OK) {
        status = orr_report(NULL, &err);
    } else if (got < 0) {
        fprintf(stderr, "orrery: out of memory\n");
        status = ORR_EXIT_INPUT;
    } else if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "<standard output>: cannot be written: %s\n", strerror(errno));
        status = ORR_EXIT_INPUT;
    }
    if (stream)
        stream->free(stream);
    free(block);
    return status;
}

/* --lines are for programs. */
static bool is_page(const struct orr_options *options)
{
    return !options->lines && orr_is_for_people(options);
}

static int print_channels(const struct orr_options *options, const struct orr_question *question)
{
    struct orr_error err = {0};
    struct orr_text text;
    struct orr_page page;
    ORR_LOCAL_ARENA(arena, 0);
    orr_terminal_page(options, &text, &page);
    enum orr_code code = arena ? orr_channels_write(&page, question->analysis, arena, &err) : orr_fail_nomem(&err);
    if (code == ORR_OK)
        return orr_terminal_print(&text);
    orr_text_release(&text);
    return orr_report(NULL, &err);
}

int orr_command_channels(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    ORR_EXIT_TRY(orr_question_read(options, true, &question));
    return is_page(options) ? print_channels(options, &question)
                            : write_stream(orr_channels_stream(question.analysis, options->lines, NULL));
}

/* At most this many ranks; without --ranks only the first. */
static int print_rounds(const struct orr_options *options, const struct orr_p2p_window *window)
{
    enum { RANKS_SHOWN = 16 };
    struct orr_error err = {0};
    struct orr_text text;
    struct orr_page page;
    ORR_LOCAL_ARENA(arena, 0);
    if (!arena)
        return orr_report(NULL, (orr_fail_nomem(&err), &err));
    orr_terminal_page(options, &text, &page);
    for (uint32_t i = 0; i < RANKS_SHOWN && i <= window->ranks.last - window->ranks.first; i++) {
        if (i)
            orr_page_blank(&page);
        orr_rounds_write(&page, window->analysis, window->transfers, window->ranks.first + i, window->rounds.first,
                         window->rounds.last, arena);
    }
    orr_page_blank(&page);
    orr_page_printf(&page, ORR_STYLE_PLAIN, "", "%u ranks in all: --ranks shows others, --json prints all as JSON.",
                    window->analysis->communicator.rank_count);
    return orr_terminal_print(&text);
}

int orr_command_p2p(const struct orr_options *options)
{
    const struct orr_params *asked = &options->params;
    ORR_LOCAL_STRUCT(orr_question, question);
    struct orr_error err = {0};
    ORR_LOCAL(orr_cluster, made);
    const struct orr_cluster *cluster = NULL;
    struct orr_stream *stream = NULL;
    struct orr_p2p_window window = {0};
    const bool page = is_page(options);
    ORR_EXIT_TRY(orr_question_read(options, true, &question));
    enum orr_code code = ORR_OK;
    if (asked->layout || asked->group)
        code = orr_question_cluster(options, &question, &made, &cluster, &err);
    if (code == ORR_OK && page)
        code = orr_p2p_window_open(question.analysis, cluster, asked, true, &window, &err);
    else if (code == ORR_OK)
        code = orr_p2p_stream(question.analysis, cluster, asked, options->lines, NULL, &stream, &err);
    int status = code != ORR_OK ? orr_report(NULL, &err) : page ? print_rounds(options, &window) : write_stream(stream);
    orr_p2p_window_close(&window);
    return status;
}
