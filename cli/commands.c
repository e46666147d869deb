/* The commands that answer once: analyze, render, settings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/analysis_json.h"
#include "api/call.h"
#include "api/diff_json.h"
#include "api/groups_json.h"
#include "cli/options.h"
#include "engine/base/budget.h"
#include "engine/cluster/again.h"

/* All or nothing as far as a stream can: the whole document is there before the first byte goes out. */
int orr_write_out(const char *file, const char *bytes, size_t length)
{
    struct orr_error err = {0};
    if (orr_budget_check(&err) != ORR_OK) /* what was made under a spent budget may lack something */
        return orr_report(NULL, &err);
    FILE *stream = file ? fopen(file, "wb") : stdout;
    bool done = stream && fwrite(bytes, 1, length, stream) == length && !fflush(stream);
    int problem = errno;
    if (file && stream)
        done = !fclose(stream) && done;
    if (done)
        return ORR_EXIT_OK;
    fprintf(stderr, "%s: cannot be written: %s\n", file ? file : "<standard output>", strerror(problem));
    return ORR_EXIT_INPUT;
}

const char *orr_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The document about what changes with --against. */
static enum orr_code write_changes(const struct orr_options *options, const struct orr_question *question,
                                   const struct orr_analysis *analysis, struct orr_text *text, struct orr_error *err)
{
    struct orr_query other;
    struct orr_analysis *against = NULL;
    struct orr_changes changes;
    struct orr_json json = {0};
    ORR_TRY(orr_against_read(&question->query, options->against, (uint32_t)options->against_count, &other, err));
    struct orr_arena *arena = orr_arena_new(0);
    enum orr_code code = arena ? orr_analyze_again(analysis, &other, &against, err) : orr_fail_nomem(err);
    if (code == ORR_OK)
        code = orr_changes_find(analysis, against, orr_changes_effort(analysis), arena, &changes, err);
    if (code == ORR_OK)
        code = orr_json_write(&json, orr_diff_json(&json, &changes, orr_base_name(question->name)), options->pretty,
                              text, err);
    orr_analysis_again_free(against);
    orr_arena_free(arena);
    return code;
}

int orr_command_analyze(const struct orr_options *options)
{
    struct orr_question question = {0};
    struct orr_error err = {0};
    struct orr_text text;
    if (options->section && !orr_section_exists(options->section)) {
        fprintf(stderr, "orrery: an analysis has no section \"%s\"; there are:", options->section);
        for (size_t i = 0; orr_section_name(i); i++)
            fprintf(stderr, " %s", orr_section_name(i));
        fprintf(stderr, "\n");
        return ORR_EXIT_USAGE;
    }
    question.query.plan = options->cluster && options->section && strcmp(options->section, "channels") != 0;
    int status = orr_question_read(options, &question);
    if (status)
        return status;
    orr_text_init(&text, ORR_MAX_ANSWER);
    enum orr_code code = options->against_count ? write_changes(options, &question, question.analysis, &text, &err)
                                                : orr_analysis_json(question.analysis, orr_base_name(question.name),
                                                                    options->section, options->pretty, &text, &err);
    if (code == ORR_OK) {
        orr_text_puts(&text, "\n");
        status = orr_text_failed(&text) ? ORR_EXIT_INPUT : orr_write_out(NULL, text.data, text.length);
    } else {
        status = orr_report(question.name, &err);
    }
    orr_text_release(&text);
    orr_question_release(&question);
    return status;
}

int orr_command_groups(const struct orr_options *options)
{
    struct orr_question question = {.query.plan = true};
    struct orr_error err = {0};
    struct orr_json json = {0};
    struct orr_cluster *made = NULL;
    struct orr_text text;
    json_t *object = NULL;
    if (!options->layout) {
        fprintf(stderr, "orrery groups: --layout is needed, such as --layout tp=8,pp=4\n");
        return ORR_EXIT_USAGE;
    }
    int status = orr_question_read(options, &question);
    if (status)
        return status;
    orr_text_init(&text, ORR_MAX_ANSWER);
    enum orr_code code = question.cluster ? ORR_OK : orr_question_cluster(&question, &made, &err);
    if (code == ORR_OK)
        code = orr_groups_json(&json, made ? made : question.cluster, options->layout, &object, &err);
    if (code == ORR_OK)
        code = orr_json_write(&json, object, options->pretty, &text, &err);
    orr_text_puts(&text, "\n");
    status = code != ORR_OK           ? orr_report(NULL, &err)
             : orr_text_failed(&text) ? ORR_EXIT_INPUT
                                      : orr_write_out(NULL, text.data, text.length);
    orr_text_release(&text);
    orr_cluster_free(made);
    orr_question_release(&question);
    return status;
}

static enum orr_code read_drawing(const struct orr_options *options, struct orr_diagram_request *request,
                                  enum orr_format *format, struct orr_error *err)
{
    uint32_t channel = 0;
    *format = ORR_FORMAT_SVG;
    if (options->view && !orr_view_parse(options->view, &request->view))
        return orr_fail(err, ORR_SETTING, "--view must be system, ring, tree, path or collnet_direct, not \"%.40s\"",
                        options->view);
    if (options->theme && !orr_theme_parse(options->theme, &request->theme))
        return orr_fail(err, ORR_SETTING, "--theme must be light or dark, not \"%.40s\"", options->theme);
    if (options->format && !orr_format_parse(options->format, format))
        return orr_fail(err, ORR_SETTING, "--format must be svg, png, pdf or dot, not \"%.40s\"", options->format);
    if (options->channel)
        ORR_TRY(orr_read_number("channel", options->channel, 0, ORR_MAX_CHANNELS - 1, &channel, err));
    request->channel = (int32_t)channel;
    request->from = options->from;
    request->to = options->to;
    if (request->view == ORR_VIEW_PATH && (!request->from || !request->to))
        return orr_fail(err, ORR_SETTING, "--view path needs --from and --to");
    if (!options->output && (*format == ORR_FORMAT_PNG || *format == ORR_FORMAT_PDF) && isatty(STDOUT_FILENO))
        return orr_fail(err, ORR_SETTING, "a picture would garble the terminal: give --output FILE");
    return ORR_OK;
}

int orr_command_render(const struct orr_options *options)
{
    struct orr_question question = {0};
    struct orr_error err = {0};
    struct orr_diagram_request request = {0};
    struct orr_renderer *renderer = NULL;
    struct orr_text dot;
    enum orr_format format;
    char *bytes = NULL;
    size_t length = 0;
    if (read_drawing(options, &request, &format, &err) != ORR_OK)
        return orr_report(NULL, &err);
    int status = orr_question_read(options, &question);
    if (status)
        return status;
    orr_text_init(&dot, ORR_MAX_ANSWER);
    enum orr_code code = orr_diagram_dot(question.analysis, &request, &dot, &err);
    if (code == ORR_OK && orr_text_failed(&dot))
        code = orr_fail_nomem(&err);
    if (code == ORR_OK && format == ORR_FORMAT_DOT) {
        bytes = orr_text_take(&dot, &length);
        code = bytes ? ORR_OK : orr_fail_nomem(&err);
    } else if (code == ORR_OK) {
        code = orr_renderer_new(NULL, NULL, &renderer, &err);
        if (code == ORR_OK)
            code = orr_renderer_draw(renderer, dot.data ? dot.data : "", dot.length, format, &bytes, &length, &err);
    }
    status = code == ORR_OK ? orr_write_out(options->output, bytes, length) : orr_report(question.name, &err);
    free(bytes);
    orr_text_release(&dot);
    if (renderer)
        orr_renderer_free(renderer);
    orr_question_release(&question);
    return status;
}

int orr_print_json(struct orr_json *json, json_t *root)
{
    struct orr_error err = {0};
    struct orr_text text;
    orr_text_init(&text, ORR_MAX_ANSWER);
    int status = orr_json_write(json, root, true, &text, &err) == ORR_OK ? ORR_EXIT_OK : orr_report(NULL, &err);
    orr_text_puts(&text, "\n");
    if (!status)
        status = orr_text_failed(&text) ? ORR_EXIT_INPUT : orr_write_out(NULL, text.data, text.length);
    orr_text_release(&text);
    return status;
}

int orr_command_settings(const struct orr_options *options)
{
    struct orr_json json = {0};
    struct orr_error err = {0};
    const struct orr_release *release = orr_release_default();
    if (options->release && orr_read_release(options->release, &release, &err) != ORR_OK)
        return orr_report(NULL, &err);
    if (options->json)
        return orr_print_json(&json, orr_settings_json(&json, release));
    printf("Settings that change what Orrery computes for NCCL %s%s:\n\n", release->name,
           release->verified ? "" : " (not verified against references)");
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        struct orr_setting_info info;
        char number[24] = "";
        if (!orr_setting_in((enum orr_setting)i, release))
            continue;
        orr_setting_info((enum orr_setting)i, &info);
        int64_t value = orr_setting_default((enum orr_setting)i, release);
        if (info.kind == ORR_SETTING_INT && value != ORR_SETTING_UNSET)
            snprintf(number, sizeof number, "%lld", (long long)value);
        printf("%s\n    %s\n    values: %s; default: %s\n", info.name, info.meaning, info.values,
               info.default_text ? info.default_text : number);
    }
    return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
}
