/* SPDX-License-Identifier: Apache-2.0 */
/* orrery show: prints the report on a machine for people, which engine/report writes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "engine/cluster/again.h"
#include "engine/compare/compare.h"
#include "engine/input/input.h"
#include "engine/release/release_names.h"
#include "engine/report/answers_text.h"
#include "engine/report/report.h"
#include "engine/trials/settings_tried.h"
#include "engine/whatif/shown.h"

/* Quotes a word for a shell. */
static void add_word(struct orr_text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
    if (*word && word[strspn(word, plain)] == '\0') {
        orr_text_puts(text, word);
        return;
    }
    orr_text_puts(text, "'");
    for (; *word; word++)
        orr_text_printf(text, *word == '\'' ? "'\\''" : "%c", *word);
    orr_text_puts(text, "'");
}

static void add_option(struct orr_text *text, const char *option, const char *value)
{
    if (!value)
        return;
    orr_text_printf(text, "--%s ", option);
    add_word(text, value);
    orr_text_puts(text, " ");
}

/* The options that a further command about the same machine needs. */
static void add_options(const struct orr_options *options, struct orr_text *text)
{
    const struct orr_params *params = &options->params;
    const struct orr_settings *settings = &params->query.settings;
    char version[ORR_VERSION_SIZE];
    if (orr_given(params, ORR_ASK_RELEASE))
        add_option(text, "release",
                   orr_settings_nearest(settings) ? orr_version_format(settings->asked, version)
                                                  : settings->release->name);
    if (params->nearest)
        orr_text_puts(text, "--nearest ");
    if (params->assumed)
        add_option(text, "assume", params->assumed->name);
    if (orr_given(params, ORR_ASK_ASSUME_NICS))
        add_option(text, "assume-nics", orr_assumed_nics_word(params->assumed_nics));
    if (orr_given(params, ORR_ASK_ASSUME_CPU))
        add_option(text, "assume-cpu", orr_assumed_cpu_word(params->assumed_cpu));
    add_option(text, "gpus", settings->gpus);
    add_option(text, "nics", settings->nics);
    if (params->query.domain)
        orr_text_printf(text, "--domain %u ", params->query.domain);
    if (orr_given(params, ORR_ASK_RANK_ORDER))
        add_option(text, "rank-order", params->rank_order ? orr_rank_order_name(params->rank_order - 1) : "given");
    if (orr_given(params, ORR_ASK_FUSE_NICS))
        add_option(text, "fuse-nics", orr_fuse_word((size_t)settings->fuse_nics));
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        char pair[256];
        const char *value = orr_setting_text(settings, (enum orr_setting)i);
        if (!value)
            continue;
        snprintf(pair, sizeof pair, "%s=%s", orr_setting_name((enum orr_setting)i), value);
        add_option(text, "set", pair);
    }
    add_option(text, "graphs", options->graphs);
}

static void add_machine(const struct orr_options *options, struct orr_text *text)
{
    if (options->cluster) {
        orr_text_puts(text, "--cluster ");
        add_word(text, options->cluster);
    } else if (options->params.machine) {
        orr_text_printf(text, "--machine %s", options->params.machine->name);
    } else if (options->file && strcmp(options->file, "-") != 0) {
        add_word(text, options->file);
    }
}

/* The bandwidths on the numbers of hosts of a list, before the report on the largest number. */
static enum orr_code write_scaling(const struct orr_options *options, const struct orr_question *question,
                                   struct orr_page *page, struct orr_error *err)
{
    const struct orr_host_list *list = &options->params.host_list;
    ORR_LOCAL_TEXT(sentence, 4096);
    ORR_LOCAL_TEXT(table, ORR_MAX_ANSWER);
    struct orr_outcomes outcomes;
    orr_outcomes_choose(question->analysis, list->hosts, list->count, &outcomes);
    ORR_TRY(orr_outcomes_find(NULL, question->analysis, NULL, NULL, &outcomes, err));
    orr_outcomes_say_scaling(&outcomes, &sentence);
    orr_outcomes_write(NULL, &outcomes, NULL, &table);
    orr_page_verdict(page, ORR_STYLE_PLAIN, orr_text_data(&sentence));
    orr_page_blank(page);
    orr_page_lines(page, orr_text_data(&table));
    return ORR_OK;
}

/* The command `orrery settings --for` for the same question. */
static enum orr_code write_settings(const struct orr_question *question, struct orr_arena *arena, struct orr_page *page,
                                    struct orr_error *err)
{
    struct orr_settings_tried *tried = ORR_NEW(arena, struct orr_settings_tried, 1);
    struct orr_outcomes now;
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    ORR_NEED(tried, err);
    orr_outcomes_choose(question->analysis, NULL, 0, &now);
    ORR_TRY(orr_settings_try(question->analysis, &now, tried, err));
    orr_settings_tried_write(tried, &text);
    orr_page_heading(page, "Settings");
    orr_page_lines(page, orr_text_data(&text));
    return ORR_OK;
}

static enum orr_code write_report(const struct orr_options *options, const struct orr_question *question,
                                  struct orr_arena *arena, struct orr_page *page, struct orr_error *err)
{
    ORR_LOCAL_STRUCT(orr_report, report);
    struct orr_text asked_options, asked_machine;
    enum orr_code code = orr_report_make(question->analysis, orr_base_name(question->name), arena, &report, err);
    orr_text_init(&asked_options, 65536);
    orr_text_init(&asked_machine, 65536);
    add_options(options, &asked_options);
    add_machine(options, &asked_machine);
    const struct orr_report_asked asked = {.machine = asked_machine.data,
                                           .options = orr_text_data(&asked_options),
                                           .hosts = options->cluster ? 1 : options->params.query.hosts,
                                           .is_file = options->file && asked_machine.data};
    if (code == ORR_OK && options->matrix)
        orr_matrix_write(page, &report, false);
    else if (code == ORR_OK && options->findings)
        orr_report_write_findings(page, &report);
    else if (code == ORR_OK)
        orr_report_write(page, &report, &asked);
    orr_text_release(&asked_options);
    orr_text_release(&asked_machine);
    return code;
}

/* If the other side of --against is a release or settings. */
static enum orr_code write_changes(const struct orr_options *options, bool plan, const struct orr_question *question,
                                   const struct orr_texts *against, struct orr_arena *arena, struct orr_page *page,
                                   struct orr_error *err)
{
    ORR_LOCAL_TEXT(summary, 4096);
    struct orr_query other;
    ORR_LOCAL_AGAIN(made);
    struct orr_changes changes;
    ORR_TRY(orr_against_read(&options->params.query, against, &other, err));
    other.plan = plan;
    ORR_TRY(orr_analyze_again(question->analysis, &other, &made, err));
    ORR_TRY(orr_changes_find(question->analysis, made, orr_changes_effort(question->analysis), arena, &changes, err));
    orr_changes_summary(&changes, &summary);
    orr_page_say(page, ORR_STYLE_PLAIN, "", orr_text_data(&summary));
    orr_report_outcomes(page, &changes);
    orr_report_reasons(page, &changes);
    orr_report_changes(page, &changes, options->verbose);
    return ORR_OK;
}

/* If it is a machine type or a file: B of the comparison. */
static enum orr_code write_comparison(const struct orr_options *options, const struct orr_question *question,
                                      const char *other, struct orr_arena *arena, struct orr_page *page,
                                      struct orr_error *err)
{
    const struct orr_machine_type *type = orr_machine_type_find(other);
    const struct orr_input_options as = orr_params_input(&options->params);
    struct orr_comparison comparison;
    ORR_LOCAL(orr_dump, dump);
    struct orr_query query = question->analysis->query;
    ORR_LOCAL_AGAIN(analysis);
    char *bytes = NULL;
    size_t length = 0;
    if (!question->dump)
        return orr_fail(err, ORR_SETTING, "--against %.80s compares one machine, not a cluster", other);
    query.hosts = options->params.query.hosts;
    query.domain = options->params.query.domain || !question->analysis->cluster
                       ? options->params.query.domain
                       : question->dump->notes->joined; /* both are joined, or neither */
    query.apart = true;
    enum orr_code code = type ? orr_input_machine(type, &dump, err) : orr_read_input(other, &bytes, &length, err);
    if (code == ORR_OK && !type)
        code = orr_input_read(bytes, length, &as, &dump, err);
    if (code == ORR_OK)
        code = orr_analyze_hosts(dump, &query, NULL, &analysis, err);
    if (code != ORR_OK)
        orr_error_where(err, "--against %.80s", other);
    if (code == ORR_OK)
        code = orr_compare(question->analysis, analysis, arena, &comparison, err);
    if (code == ORR_OK)
        orr_report_comparison(page, &comparison, orr_base_name(question->name), orr_base_name(other), options->verbose);
    free(bytes);
    return code;
}

/* A release begins with a digit and is not a file; a setting has an equals sign. */
static bool is_question(const char *against)
{
    unsigned char first = (unsigned char)against[*against == 'v'];
    return strchr(against, '=') || (isdigit(first) && !strchr(against, '/') && !orr_machine_type_find(against) &&
                                    against[strspn(against, "v0123456789.-")] == '\0');
}

static enum orr_code write_against(const struct orr_options *options, bool plan, const struct orr_question *question,
                                   struct orr_arena *arena, struct orr_page *page, struct orr_error *err)
{
    const struct orr_texts *against = &options->params.against;
    struct orr_texts asked = {0};
    enum orr_code code = ORR_OK;
    for (uint32_t i = 0; i < against->count; i++)
        if (is_question(against->items[i]))
            asked.items[asked.count++] = against->items[i];
    if (asked.count) {
        orr_page_heading(page, "What changes with --against");
        code = write_changes(options, plan, question, &asked, arena, page, err);
    }
    for (uint32_t i = 0; i < against->count && code == ORR_OK; i++) {
        if (is_question(against->items[i]))
            continue;
        orr_page_heading(page, "What differs from --against");
        code = write_comparison(options, question, against->items[i], arena, page, err);
    }
    return code;
}

int orr_show(const struct orr_options *options, const struct orr_question *question, bool plan, const char *hint)
{
    struct orr_error err = {0};
    struct orr_text text;
    struct orr_page page;
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code = arena ? ORR_OK : orr_fail_nomem(&err);
    orr_terminal_page(options, &text, &page);
    if (code == ORR_OK && options->params.host_list.count > 1)
        code = write_scaling(options, question, &page, &err);
    if (code == ORR_OK && options->tree)
        code = orr_tree_write(&page, question->analysis, arena, &err);
    else if (code == ORR_OK)
        code = write_report(options, question, arena, &page, &err);
    if (code == ORR_OK && options->verbose && !options->tree && !options->matrix && !options->findings)
        code = write_settings(question, arena, &page, &err);
    if (code == ORR_OK && options->params.against.count)
        code = write_against(options, plan, question, arena, &page, &err);
    if (hint && code == ORR_OK) {
        orr_page_blank(&page);
        orr_page_say(&page, ORR_STYLE_PLAIN, "", hint);
    }
    if (code == ORR_OK)
        return orr_terminal_print(&text);
    orr_text_release(&text);
    return orr_report(question->name, &err);
}
