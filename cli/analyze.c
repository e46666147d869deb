/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that answer once: analyze, groups, render. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "engine/cluster/again.h"
#include "engine/diagram/diagram_worker.h"
#include "engine/report/answers_text.h"

/* The document about what changes with --against. */
static enum orr_code write_changes(const struct orr_options *options, bool plan, const struct orr_question *question,
                                   struct orr_text *text, struct orr_error *err)
{
    struct orr_query other;
    ORR_LOCAL_AGAIN(against);
    struct orr_changes changes;
    struct orr_json json = {0};
    ORR_TRY(orr_against_read(&options->params.query, &options->params.against, &other, err));
    other.plan = plan;
    ORR_LOCAL_ARENA(arena, 0);
    ORR_NEED(arena, err);
    ORR_TRY(orr_analyze_again(question->analysis, &other, &against, err));
    ORR_TRY(
        orr_changes_find(question->analysis, against, orr_changes_effort(question->analysis), arena, &changes, err));
    return orr_json_write(&json, orr_diff_json(&json, &changes, orr_base_name(question->name)), options->pretty, text,
                          err);
}

int orr_command_analyze(const struct orr_options *options)
{
    const char *section = options->params.section;
    ORR_LOCAL_STRUCT(orr_question, question);
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    unsigned place;
    if (section && !orr_word_find(orr_section_name, section, &place)) {
        orr_words_write(orr_section_name, "and", &text);
        fprintf(stderr, "orrery: an analysis has no section \"%s\"; its sections are: %s\n", section, text.data);
        return ORR_EXIT_USAGE;
    }
    bool plan = options->cluster && section && strcmp(section, "channels") != 0;
    ORR_EXIT_TRY(orr_question_read(options, plan, &question));
    if (!section && orr_is_for_people(options))
        return orr_show(options, &question, plan, "`orrery analyze --json` prints the whole analysis as JSON.");
    enum orr_code code =
        options->params.against.count
            ? write_changes(options, plan, &question, &text, &err)
            : orr_analysis_json(question.analysis, orr_base_name(question.name), section, options->pretty, &text, &err);
    return orr_print_text(question.name, code, &text, &err);
}

static int print_groups(const struct orr_options *options, const struct orr_cluster *cluster)
{
    struct orr_error err = {0};
    struct orr_layout layout;
    ORR_LOCAL(orr_groups, groups);
    struct orr_text text;
    struct orr_page page;
    if (orr_layout_read(options->params.layout, cluster->rank_count, &layout, &err) != ORR_OK ||
        orr_groups_analyze(cluster, &layout, &groups, &err) != ORR_OK)
        return orr_report(NULL, &err);
    ORR_LOCAL_ARENA(arena, 0);
    orr_terminal_page(options, &text, &page);
    if (arena)
        orr_groups_write(&page, cluster, groups, arena);
    return orr_terminal_print(&text);
}

int orr_command_groups(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    struct orr_error err = {0};
    struct orr_json json = {0};
    ORR_LOCAL(orr_cluster, made);
    const struct orr_cluster *cluster;
    json_t *object = NULL;
    if (!options->params.layout) {
        fprintf(stderr, "orrery groups: --layout is needed, such as --layout tp=8,pp=4\n");
        return ORR_EXIT_USAGE;
    }
    ORR_EXIT_TRY(orr_question_read(options, true, &question));
    if (orr_question_cluster(options, &question, &made, &cluster, &err) != ORR_OK)
        return orr_report(NULL, &err);
    if (orr_is_for_people(options))
        return print_groups(options, cluster);
    if (orr_groups_json(&json, cluster, options->params.layout, &object, &err) != ORR_OK)
        return orr_report(NULL, &err);
    return orr_print_json(&json, object, options->pretty);
}

int orr_command_render(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    struct orr_error err = {0};
    struct orr_diagram_request request = {0};
    ORR_LOCAL(orr_renderer, renderer);
    ORR_LOCAL_TEXT(dot, ORR_MAX_ANSWER);
    const enum orr_format format = (enum orr_format)options->params.format;
    char *bytes = NULL;
    size_t length = 0;
    bool garbled = (format == ORR_FORMAT_PNG || format == ORR_FORMAT_PDF) && !options->output && isatty(STDOUT_FILENO);
    if (orr_params_drawing(&options->params, &request, &err) == ORR_OK && garbled)
        (void)orr_fail(&err, ORR_SETTING, "a picture would garble the terminal: give --output FILE");
    if (err.code != ORR_OK)
        return orr_report(NULL, &err);
    ORR_EXIT_TRY(orr_question_read(options, false, &question));
    enum orr_code code = orr_diagram_dot(question.analysis, &request, &dot, &err);
    if (code == ORR_OK && orr_text_failed(&dot))
        code = orr_fail_nomem(&err);
    if (code == ORR_OK && format == ORR_FORMAT_DOT) {
        bytes = orr_text_take(&dot, &length);
        code = bytes ? ORR_OK : orr_fail_nomem(&err);
    } else if (code == ORR_OK) {
        code = orr_renderer_new(NULL, NULL, &renderer, &err);
        if (code == ORR_OK)
            code = orr_renderer_draw(renderer, orr_text_data(&dot), dot.length, format, &bytes, &length, &err);
    }
    int status = code == ORR_OK ? orr_write_out(options->output, bytes, length) : orr_report(question.name, &err);
    free(bytes);
    return status;
}

int orr_command_show(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    const bool plan = options->cluster || options->params.query.hosts > ORR_MAX_HOSTS;
    if (options->json && options->params.host_list.count > 1) {
        fprintf(stderr,
                "orrery show: --json has one number of hosts; `orrery scaling --json --hosts 1,2,4` has several\n");
        return ORR_EXIT_USAGE;
    }
    if (options->json)
        return orr_command_analyze(options);
    if (options->tree + options->matrix + options->findings > 1) {
        fprintf(stderr, "orrery show: --tree, --matrix and --findings exclude each other\n");
        return ORR_EXIT_USAGE;
    }
    ORR_EXIT_TRY(orr_question_read(options, plan, &question));
    return orr_show(options, &question, plan, NULL);
}
