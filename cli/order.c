/* SPDX-License-Identifier: Apache-2.0 */
/* orrery order: the order of hosts and ranks for which the prediction is best. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "engine/report/answers_text.h"

/* Without a cluster file: this many equal hosts, as a file of one line. */
static enum orr_code read_names(const struct orr_question *question, uint32_t hosts, struct orr_arena *arena,
                                struct orr_cluster_names *ret_names, struct orr_error *err)
{
    const char *none = "";
    struct orr_cluster_file_host line = {.count = hosts};
    const struct orr_cluster_file made = {.hosts = &line, .host_count = 1, .topologies = &none, .topology_count = 1};
    if (question->cluster)
        return orr_cluster_file_names(&question->cluster_file, orr_name_of_file, arena, arena, ret_names, err);
    return orr_cluster_file_names(&made, NULL, NULL, arena, ret_names, err);
}

static enum orr_code answer(const struct orr_options *options, const struct orr_question *question,
                            struct orr_order_question *asked, struct orr_arena *arena, int *ret_status,
                            struct orr_error *err)
{
    const struct orr_params *params = &options->params;
    const bool chosen = orr_given(params, ORR_ASK_FORMAT) || options->json;
    const unsigned format = chosen                  ? params->order_format
                            : isatty(STDOUT_FILENO) ? (unsigned)ORR_ORDER_TEXT
                                                    : (unsigned)ORR_ORDER_JSON;
    struct orr_cluster_names names;
    ORR_LOCAL(orr_order, order);
    struct orr_json json = {0};
    struct orr_text text;
    struct orr_page page;
    ORR_TRY(read_names(question, params->query.hosts, arena, &names, err));
    asked->leaves = names.leaves;
    ORR_TRY(orr_order_find(asked, &order, err));
    enum orr_code code = ORR_OK;
    if (format == ORR_ORDER_JSON) {
        *ret_status = orr_print_json(&json, orr_order_json(&json, asked, order, names.hosts, names.made_up), true);
    } else {
        orr_terminal_lines(options, &text, &page);
        code = format == ORR_ORDER_TEXT ? orr_report_order(&page, order, names.hosts, names.leaves, err)
                                        : orr_order_write(order, format, names.hosts, names.leaves, &text, err);
        if (code == ORR_OK)
            *ret_status = orr_terminal_print(&text);
        else
            orr_text_release(&text);
        if (code == ORR_OK && names.made_up)
            fprintf(stderr,
                    "orrery: names are missing for %u of the hosts, so host-0, host-1, ... stand for their numbers in "
                    "the cluster\n"
                    "  give \"names\" in the cluster file\n",
                    names.made_up);
    }
    return code;
}

int orr_command_order(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    struct orr_order_question asked;
    ORR_LOCAL(orr_cluster, made);
    struct orr_error err = {0};
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code = arena ? orr_params_order(&options->params, &asked, &err) : orr_fail_nomem(&err);
    int status = code == ORR_OK ? orr_question_read(options, true, &question) : orr_report(NULL, &err);
    if (!status)
        code = orr_question_cluster(options, &question, &made, &asked.present, &err);
    if (!status && code == ORR_OK)
        code = answer(options, &question, &asked, arena, &status, &err);
    if (!status && code != ORR_OK)
        status = orr_report(code == ORR_SETTING ? NULL : question.name, &err);
    return status;
}
