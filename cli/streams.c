/* The commands that write while they compute: channels, p2p. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "engine/base/budget.h"

/* Frees the stream; NULL: out of memory. */
static int write_stream(struct orr_stream *stream)
{
    enum { BLOCK = 1 << 18 };
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

int orr_command_channels(const struct orr_options *options)
{
    struct orr_question question = {0};
    int status = orr_question_read(options, true, &question);
    if (status)
        return status;
    status = write_stream(orr_channels_stream(question.analysis, options->lines, NULL));
    orr_question_release(&question);
    return status;
}

int orr_command_p2p(const struct orr_options *options)
{
    const struct orr_params *asked = &options->params;
    struct orr_question question = {0};
    struct orr_error err = {0};
    struct orr_cluster *made = NULL;
    const struct orr_cluster *cluster = NULL;
    struct orr_stream *stream = NULL;
    int status = orr_question_read(options, true, &question);
    if (status)
        return status;
    enum orr_code code = ORR_OK;
    if (asked->layout || asked->group)
        code = orr_question_cluster(options, &question, &made, &cluster, &err);
    if (code == ORR_OK)
        code = orr_p2p_stream(question.analysis, cluster, asked, options->lines, NULL, &stream, &err);
    status = code == ORR_OK ? write_stream(stream) : orr_report(NULL, &err);
    orr_cluster_free(made);
    orr_question_release(&question);
    return status;
}
