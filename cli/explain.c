/* orrery explain: why one decision is what it is. */
#include <stdio.h>
#include <string.h>

#include "api/why_json.h"
#include "cli/options.h"

static enum orr_code read_why(const struct orr_options *options, const struct orr_release *release,
                              struct orr_why *ret_why, struct orr_error *err)
{
    uint32_t channel = 0;
    if (options->channel)
        ORR_TRY(orr_read_number("channel", options->channel, 0, ORR_MAX_CHANNELS - 1, &channel, err));
    const struct orr_why_texts texts = {.decision = options->why,
                                        .from = options->from,
                                        .to = options->to,
                                        .graph = options->graph,
                                        .collective = options->collective,
                                        .bytes = options->bytes,
                                        .channel = (int32_t)channel};
    return orr_why_read(&texts, release, ret_why, err);
}

static int print_text(const struct orr_explanation *explanation)
{
    struct orr_text text;
    orr_text_init(&text, ORR_MAX_ANSWER);
    orr_explanation_write(explanation, &text);
    bool done = !orr_text_failed(&text) && fwrite(text.data, 1, text.length, stdout) == text.length && !fflush(stdout);
    orr_text_release(&text);
    return done ? ORR_EXIT_OK : ORR_EXIT_INPUT;
}

static void list_decisions(void)
{
    fprintf(stderr, "orrery explain: say which decision: --why NAME, where NAME is\n");
    for (int kind = 0; kind < ORR_WHY_COUNT; kind++) {
        struct orr_why_info info;
        orr_why_info((enum orr_why_kind)kind, &info);
        fprintf(stderr, "  %-10s %s%s%s%s%s%s\n", info.name, info.asks, info.needs & ORR_NEEDS_FROM ? " --from" : "",
                info.needs & ORR_NEEDS_TO ? " --to" : "", info.needs & ORR_NEEDS_GRAPH ? " --graph" : "",
                info.needs & ORR_NEEDS_CHANNEL ? " --channel" : "",
                info.needs & ORR_NEEDS_COLLECTIVE ? " --collective --bytes" : "");
    }
}

int orr_command_explain(const struct orr_options *options)
{
    struct orr_question question = {.query.plan = options->cluster != NULL}; /* no ring is asked about */
    struct orr_error err = {0};
    struct orr_explanation *explanation = NULL;
    struct orr_json json = {0};
    struct orr_why why;
    if (!options->why) {
        list_decisions();
        return ORR_EXIT_USAGE;
    }
    int status = orr_question_read(options, &question);
    if (status)
        return status;
    enum orr_code code = read_why(options, question.query.settings.release, &why, &err);
    if (code == ORR_OK)
        code = orr_explain(question.analysis, &why, orr_explain_effort(question.analysis), &explanation, &err);
    if (code != ORR_OK)
        status = orr_report(question.name, &err);
    else if (options->json)
        status = orr_print_json(&json, orr_explanation_json(&json, explanation, orr_base_name(question.name)));
    else
        status = print_text(explanation);
    orr_explanation_free(explanation);
    orr_question_release(&question);
    return status;
}
