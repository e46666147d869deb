/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the comparison of a log with the prediction for its machine: facts that agree and differ by topic, likely
 * causes, other communicators, and how much of the log was understood. */
#include "engine/report/answers_text.h"

#include <string.h>

#include "engine/log_comparing/survey.h"
#include "engine/release/release_names.h"
#include "engine/report/read_text.h"

enum { TEXT_MOST = 1 << 20 };

static void write_communicators(struct orr_page *page, const struct orr_log *log)
{
    enum { SHOWN = 8 };
    for (uint32_t i = 0; i < log->communicator_count && i < SHOWN; i++) {
        const struct orr_log_communicator *of = &log->communicators[i];
        orr_page_line(page, "  ", "communicator %u: %d rank%s, %u of them in the log, from line %u", i, of->rank_count,
                      orr_plural(of->rank_count), of->seen, of->first_line);
    }
    if (log->communicator_count > SHOWN)
        orr_page_line(page, "  ", "and %u more communicators (--json lists them)", log->communicator_count - SHOWN);
}

static void write_recovered(struct orr_page *page, const struct orr_log *log)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    orr_text_printf(&text, "What was read: %u lines, %u of NCCL's, %u understood", log->line_count, log->nccl_count,
                    log->record_count + log->left_out);
    if (log->rejoined || log->split)
        orr_text_printf(&text, "; %u wrapped and %u run together", log->rejoined, log->split);
    orr_page_heading(page, orr_text_data(&text));
    if (log->left_out)
        orr_page_line(page, "  ", "%u understood lines are not kept, because there are too many", log->left_out);
    write_communicators(page, log);
    text.length = 0;
    orr_text_puts(&text, "lines:");
    for (int kind = 0; kind < ORR_LOG_KIND_COUNT; kind++)
        if (log->kinds[kind])
            orr_text_printf(&text, " %s %u", orr_log_kind_name((enum orr_log_kind)kind), log->kinds[kind]);
    orr_page_line(page, "  ", "%s", orr_text_data(&text));
}

static bool is_one_of_several(const struct orr_log_check *check)
{
    return check->communicator < check->log->communicator_count && check->log->communicator_count > 1;
}

/* The compared communicator, and the assumptions. */
static void write_question(struct orr_page *page, const struct orr_log_check *check)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    const uint32_t ranks = check->analysis->ranks / check->query.hosts; /* of a host */
    orr_text_printf(&text, "The machine, compared with the prediction for NCCL %s",
                    check->query.settings.release->name);
    char version[ORR_VERSION_SIZE];
    if (orr_settings_nearest(&check->query.settings))
        orr_text_printf(&text, ", the nearest release to %s", orr_version_format(check->query.settings.asked, version));
    else if (!check->release_exact && !check->release_named)
        orr_text_puts(&text, " (the log names no release, and this one agrees best)");
    else if (!check->query.settings.release->compared)
        orr_text_puts(&text, ", a release not compared with NCCL's own results");
    orr_text_printf(&text, ", %u host%s of %u rank%s%s", check->query.hosts, orr_plural(check->query.hosts), ranks,
                    orr_plural(ranks), check->ranks_renumbered ? ", numbered as in the log" : "");
    orr_page_heading(page, orr_text_data(&text));
    if (is_one_of_several(check))
        orr_page_line(page, "", "These are the facts of communicator %u, one of %u.", check->communicator,
                      check->log->communicator_count);
    if (check->note[0])
        orr_page_line(page, "", "%s", check->note);
    for (uint32_t i = 0; i < check->assumed_count; i++)
        orr_page_line(page, "", "Assumed: %s.", check->assumed[i]);
    if (check->undecidable)
        orr_page_line(page, "", "%s", check->undecidable);
    for (uint32_t i = 0; i < check->ignored_count; i++)
        orr_page_line(page, "  ", "%s=%s %s", check->ignored[i].name, check->ignored[i].value, check->ignored[i].why);
}

/* The number of facts of each topic that agree and differ. */
static void write_counts(struct orr_page *page, const struct orr_log_check *check)
{
    orr_page_blank(page);
    orr_page_row(page, "  %-10s %8s %8s", "", "agree", "differ");
    for (int t = 0; t < ORR_LOG_TOPIC_COUNT; t++)
        if (check->topics[t].agree || check->topics[t].differ)
            orr_page_row(page, "  %-10s %8u %8u", orr_log_topic_name((enum orr_log_topic)t), check->topics[t].agree,
                         check->topics[t].differ);
}

/* Facts that the log does not contain, with the setting that makes NCCL print them. */
static void write_missing(struct orr_page *page, const struct orr_log_check *check)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    for (int t = 0; t < ORR_LOG_TOPIC_COUNT; t++)
        if (!check->topics[t].agree && !check->topics[t].differ && !check->topics[t].not_predicted)
            orr_text_printf(&text, "%s%s (%s)", text.length ? ", " : "", orr_log_topic_name((enum orr_log_topic)t),
                            orr_log_topic_subsystem((enum orr_log_topic)t));
    if (text.length)
        orr_page_printf(
            page, ORR_STYLE_PLAIN, "",
            "The log does not show %s; the words in parentheses are the values of NCCL_DEBUG_SUBSYS that print them.",
            orr_text_data(&text));
}

static void write_cause(struct orr_page *page, const struct orr_log_check *check, const struct orr_log_cause *cause)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    orr_text_printf(&text, "%s: %s", cause->what, cause->why);
    if (cause->tested)
        orr_text_printf(&text, " %u of %u differences would be left.", cause->left, check->differ);
    for (uint32_t l = 0; l < cause->line_count; l++)
        orr_text_printf(&text, l ? ", %u" : cause->line_count == 1 ? " See line %u" : " See lines %u", cause->lines[l]);
    if (cause->line_count)
        orr_text_puts(&text, ".");
    orr_page_line(page, "  ", "%s", orr_text_data(&text));
    orr_page_line(page, "    ", "%s", cause->advice);
}

static void write_differences(struct orr_page *page, const struct orr_log_check *check)
{
    enum { SHOWN = 20 };
    uint32_t shown = 0;
    orr_page_heading(page, "Differences:");
    for (uint32_t i = 0; i < check->fact_count && shown < SHOWN; i++) {
        const struct orr_log_fact *fact = &check->facts[i];
        if (fact->verdict != ORR_FACT_DIFFERS)
            continue;
        orr_page_line(page, "  ", "line %u: %s: %s, predicted %s", fact->line, fact->what, fact->logged.text,
                      fact->predicted.text);
        shown++;
    }
    if (check->differ > shown)
        orr_page_line(page, "  ", "and %u more (--json lists them)", check->differ - shown);
}

static void write_check(struct orr_page *page, const struct orr_log_check *check, bool verbose)
{
    write_question(page, check);
    if (verbose)
        write_counts(page, check);
    write_missing(page, check);
    if (!check->differ) {
        orr_page_blank(page);
        orr_page_line(page, "",
                      check->agree ? "All that the log says about %s agrees with the prediction."
                                   : "Nothing that the log says about %s can be compared.",
                      is_one_of_several(check) ? "this communicator" : "the machine");
        return;
    }
    const struct orr_log_fact *first = &check->facts[check->first];
    orr_page_blank(page);
    orr_page_line(page, "", "First difference, line %u: %s", first->line, first->what);
    orr_page_line(page, "  log:       ", "%s", first->logged.text);
    orr_page_line(page, "  predicted: ", "%s", first->predicted.text);
    orr_page_heading(page, check->cause_count
                               ? "Likely causes:"
                               : "The cause is not known: no single change explains most of the differences.");
    for (uint32_t i = 0; i < check->cause_count; i++)
        write_cause(page, check, &check->causes[i]);
    write_differences(page, check);
}

/* The equal communicators that the compared one represents, "8-55". */
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

static void write_survey_row(struct orr_page *page, const struct orr_log *log, const struct orr_log_survey *survey,
                             const struct orr_log_survey_row *row)
{
    const int32_t ranks = log->communicators[row->communicator].rank_count;
    uint32_t count;
    const char *names = alike(survey, row->like, log->arena, &count);
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    orr_text_printf(&text, "communicator%s %s, %d rank%s%s: ", orr_plural(count), names, ranks, orr_plural(ranks),
                    count > 1 ? " each" : "");
    if (row->why) {
        orr_page_line(page, "  ", "%snot compared: %s", orr_text_data(&text), row->why);
        return;
    }
    orr_page_line(page, "  ", "%s%u of %u facts differ, first in line %u: %s: %s, predicted %s", orr_text_data(&text),
                  row->differ, row->agree + row->differ, row->line, row->what, row->logged, row->predicted);
    if (row->cause)
        orr_page_line(page, "    ", "Likely cause: %s", row->cause);
    orr_page_line(page, "    ", "`--communicator %u` prints the details.", row->communicator);
}

static void write_survey(struct orr_page *page, const struct orr_log *log, const struct orr_log_survey *survey)
{
    enum { SHOWN = 8 };
    uint32_t count = 0;
    if (survey->row_count < 2)
        return;
    orr_page_blank(page);
    orr_page_line(page, "", "All communicators: %u of %u compared, %u facts agree and %u differ", survey->compared,
                  survey->row_count, survey->agree, survey->differ);
    for (uint32_t i = 0; i < survey->row_count; i++) {
        const struct orr_log_survey_row *row = &survey->rows[i];
        if (row->like == row->communicator && (row->differ || row->why) && count++ < SHOWN)
            write_survey_row(page, log, survey, row);
    }
    if (count > SHOWN)
        orr_page_line(page, "  ", "and %u more (--json lists them)", count - SHOWN);
}

void orr_report_log(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage,
                    const struct orr_log_check *check, const struct orr_dump *beside, const char *why, bool verbose)
{
    orr_report_triage(page, log, triage);
    orr_report_read(page, beside, log, NULL);
    if (check) {
        write_check(page, check, verbose);
        write_survey(page, log, check->survey);
    } else {
        orr_page_blank(page);
        if (log->nccl_count || log->rccl)
            orr_page_line(page, "", "The machine was not compared with a prediction: %s.%s", why,
                          log->rccl ? "" : " Give the machine with --topology FILE.");
        else
            orr_page_line(page, "",
                          "More can be said with what the job prints under NCCL_DEBUG=INFO "
                          "NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH, or with the machine: its dump or `nvidia-smi topo -m`.");
    }
    if (verbose)
        write_recovered(page, log);
}
