/* orrery check-log: an NCCL log, or a dumped graph, against the prediction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/print_triage.h"
#include "cli/read_log.h"
#include "cli/terminal.h"
#include "engine/release/release_names.h"

#include "engine/findings/findings.h"
#include "engine/log_comparing/survey.h"
#include "engine/log_machine/compare_log.h"
#include "engine/machines/machine_types.h"

static void print_communicators(const struct orr_log *log)
{
    enum { SHOWN = 8 };
    for (uint32_t i = 0; i < log->communicator_count && i < SHOWN; i++) {
        const struct orr_log_communicator *of = &log->communicators[i];
        printf("  communicator %u: %d rank%s, %u of them in the log, from line %u\n", i, of->rank_count,
               of->rank_count == 1 ? "" : "s", of->seen, of->first_line);
    }
    if (log->communicator_count > SHOWN)
        printf("  and %u more communicators (--json lists them)\n", log->communicator_count - SHOWN);
}

static void print_recovered(const struct orr_log *log)
{
    printf("\nWhat was read: %u lines, %u of NCCL's, %u understood", log->line_count, log->nccl_count,
           log->record_count + log->left_out);
    if (log->rejoined || log->split)
        printf("; %u wrapped and %u run together", log->rejoined, log->split);
    printf("\n");
    if (log->left_out)
        printf("  %u understood lines are not kept, because there are too many\n", log->left_out);
    print_communicators(log);
    printf("  lines:");
    for (int kind = 0; kind < ORR_LOG_KIND_COUNT; kind++)
        if (log->kinds[kind])
            printf(" %s %u", orr_log_kind_name((enum orr_log_kind)kind), log->kinds[kind]);
    printf("\n");
}

static void print_check(const struct orr_log_check *check)
{
    printf("\nThe machine, compared with the prediction for NCCL %s%s, %u host%s of %u ranks%s\n",
           check->query.settings.release->name,
           check->release_exact   ? ""
           : check->release_named ? ", the nearest emulated release"
                                  : ", which agrees best, as the log does not name its release",
           check->query.hosts, check->query.hosts == 1 ? "" : "s", check->analysis->local_ranks,
           check->ranks_renumbered ? ", numbered as in the log" : "");
    const bool one_of_several =
        check->communicator < check->log->communicator_count && check->log->communicator_count > 1;
    if (one_of_several)
        printf("These are the facts of communicator %u, one of %u.\n", check->communicator,
               check->log->communicator_count);
    if (check->note[0])
        printf("%s\n", check->note);
    for (uint32_t i = 0; i < check->assumed_count; i++)
        printf("Assumed: %s.\n", check->assumed[i]);
    if (check->undecidable)
        printf("%s\n", check->undecidable);
    for (uint32_t i = 0; i < check->ignored_count; i++)
        printf("  %s=%s %s\n", check->ignored[i].name, check->ignored[i].value, check->ignored[i].why);
    printf("\n  %-10s %8s %8s\n", "", "agree", "differ");
    for (int t = 0; t < ORR_LOG_TOPIC_COUNT; t++) {
        if (check->topics[t].agree || check->topics[t].differ)
            printf("  %-10s %8u %8u\n", orr_log_topic_name((enum orr_log_topic)t), check->topics[t].agree,
                   check->topics[t].differ);
        else if (!check->topics[t].not_predicted)
            printf("  %-10s  not in the log; NCCL_DEBUG_SUBSYS=%s prints it\n",
                   orr_log_topic_name((enum orr_log_topic)t), orr_log_topic_subsystem((enum orr_log_topic)t));
    }
    if (!check->differ) {
        printf(check->agree ? "\nAll that the log says about %s agrees with the prediction.\n"
                            : "\nNothing that the log says about %s can be compared.\n",
               one_of_several ? "this communicator" : "the machine");
        return;
    }
    const struct orr_log_fact *first = &check->facts[check->first];
    printf("\nFirst difference, line %u: %s\n  log:       %s\n  predicted: %s\n", first->line, first->what,
           first->logged.text, first->predicted.text);
    printf(check->cause_count ? "\nLikely causes:\n"
                              : "\nThe cause is not known: no single change explains most of the differences.\n");
    for (uint32_t i = 0; i < check->cause_count; i++) {
        const struct orr_log_cause *cause = &check->causes[i];
        printf("  %s: %s", cause->what, cause->why);
        if (cause->tested)
            printf(" %u of %u differences would be left.", cause->left, check->differ);
        for (uint32_t l = 0; l < cause->line_count; l++)
            printf("%s%u", l ? ", " : cause->line_count == 1 ? " See line " : " See lines ", cause->lines[l]);
        if (cause->line_count)
            printf(".");
        printf("\n    %s\n", cause->advice);
    }
    enum { SHOWN = 20 };
    uint32_t shown = 0;
    printf("\nDifferences:\n");
    for (uint32_t i = 0; i < check->fact_count && shown < SHOWN; i++)
        if (check->facts[i].verdict == ORR_FACT_DIFFERS) {
            const struct orr_log_fact *fact = &check->facts[i];
            printf("  line %u: %s: %s, predicted %s\n", fact->line, fact->what, fact->logged.text,
                   fact->predicted.text);
            shown++;
        }
    if (check->differ > shown)
        printf("  and %u more (--json lists them)\n", check->differ - shown);
}

/* The communicators for which the first of them was compared, "8-55". */
static const char *alike(const struct orr_log_survey *survey, uint32_t like, struct orr_arena *arena,
                         uint32_t *ret_count)
{
    int32_t *list = ORR_NEW(arena, int32_t, survey->row_count);
    *ret_count = 0;
    for (uint32_t i = 0; list && i < survey->row_count; i++)
        if (survey->rows[i].like == like)
            list[(*ret_count)++] = (int32_t)survey->rows[i].communicator;
    const char *text = list ? orr_ranks_text(list, *ret_count, arena) : NULL;
    return text ? text : "";
}

static void print_survey(const struct orr_log *log, const struct orr_log_survey *survey)
{
    enum { SHOWN = 8 };
    uint32_t left_out = 0, shown = 0;
    if (survey->row_count < 2)
        return;
    printf("\nAll communicators: %u of %u compared, %u facts agree and %u differ\n", survey->compared,
           survey->row_count, survey->agree, survey->differ);
    for (uint32_t i = 0; i < survey->row_count; i++) {
        const struct orr_log_survey_row *row = &survey->rows[i];
        if (row->like != row->communicator || (!row->differ && !row->why))
            continue;
        if (shown++ == SHOWN) {
            left_out++;
            continue;
        }
        uint32_t count;
        const char *names = alike(survey, row->like, log->arena, &count);
        printf("  communicator%s %s, %d rank%s%s: ", count > 1 ? "s" : "", names,
               log->communicators[row->communicator].rank_count,
               log->communicators[row->communicator].rank_count == 1 ? "" : "s", count > 1 ? " each" : "");
        if (row->why) {
            printf("not compared: %s\n", row->why);
            continue;
        }
        printf("%u of %u facts differ, first in line %u: %s: %s, predicted %s\n", row->differ, row->agree + row->differ,
               row->line, row->what, row->logged, row->predicted);
        if (row->cause)
            printf("    Likely cause: %s\n", row->cause);
        printf("    `--communicator %u` prints the details.\n", row->communicator);
    }
    if (left_out)
        printf("  and %u more (--json lists them)\n", left_out);
}

/* The rebuilt topology, for --extract. */
static int print_topology(const struct orr_log *log, const char *file)
{
    const char *xml, *why;
    struct orr_error err = {0};
    if (orr_log_tree_xml(log, 0, log->arena, &xml, &why, &err) == ORR_OK && !xml)
        (void)orr_fail(&err, ORR_NOT_FOUND, "%s", why);
    if (err.code != ORR_OK)
        return orr_report(orr_input_name(file), &err);
    return fputs(xml, stdout) < 0 || fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
}

static int answer(const struct orr_options *options, const struct orr_log *log, const struct orr_dump *dump,
                  const struct orr_log_question *question)
{
    struct orr_error err = {0};
    ORR_LOCAL_STRUCT(orr_log_compared, compared);
    struct orr_triage triage;
    int status = ORR_EXIT_OK;
    if (orr_input_compare_log(log, dump, options->params.assumed, options->params.assumed_nics, question, &compared,
                              &err) != ORR_OK)
        return orr_report(dump ? options->topology : orr_input_name(options->file), &err);
    const struct orr_log_check *check = compared.check;
    if (orr_triage_make(log, check, log->arena, &triage, &err) != ORR_OK) {
        status = orr_report(orr_input_name(options->file), &err);
    } else if (options->json) {
        struct orr_json json = {0};
        status = orr_print_json(&json, orr_log_json(&json, log, &compared, &triage), true);
    } else {
        orr_progress_end();
        orr_print_triage(log, &triage);
        if (check) {
            print_check(check);
            print_survey(log, check->survey);
        } else
            printf("\nThe machine was not compared with a prediction: %s.%s\n", compared.why,
                   log->rccl ? "" : " Give the machine with --topology FILE.");
        print_recovered(log);
        status = fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
    }
    return status;
}

int orr_command_check_log(const struct orr_options *options)
{
    struct orr_error err = {0};
    const struct orr_log_question question = orr_params_log(&options->params);
    ORR_LOCAL(orr_log, log);
    ORR_LOCAL(orr_dump, dump);
    int status = ORR_EXIT_OK;
    if (orr_read_log_file(options->file, &log, &err) != ORR_OK)
        status = orr_report(orr_input_name(options->file), &err);
    if (log && (options->topology || options->params.machine)) {
        struct orr_options machine = *options;
        const uint32_t version = orr_log_version(log, NULL);
        bool exact;
        machine.file = options->topology;
        status = orr_read_dump(&machine, version ? orr_release_nearest(version, &exact) : NULL, &dump);
    }
    if (log && !status)
        status = options->extract ? print_topology(log, options->file) : answer(options, log, dump, &question);
    return status;
}
