/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an explanation for people: first the answer, which can be pasted into a ticket, then the evidence. */
#include <string.h>

#include "engine/explain/assumptions.h"
#include "engine/release/release_names.h"
#include "engine/report/answers_text.h"

enum { TEXT_MOST = 1 << 16 };

static void write_compared(struct orr_page *page, const struct orr_explanation *explanation, bool verbose)
{
    bool any = false;
    for (uint32_t i = 0; i < explanation->compared_count; i++) {
        const struct orr_compared *row = &explanation->compared[i];
        ORR_LOCAL_TEXT(text, TEXT_MOST);
        if (row->internal && !verbose)
            continue;
        if (!any)
            orr_page_heading(page, "Values compared:");
        any = true;
        if (row->text)
            orr_text_puts(&text, row->text);
        else
            orr_text_printf(&text, "%.6g%s%s", row->number, row->unit ? " " : "", row->unit ? row->unit : "");
        if (row->from.text)
            orr_text_printf(&text, "  (%s)", row->from.text);
        orr_page_line(page, "  ", "%s: %s", row->name, orr_text_data(&text));
    }
}

/* Shows this many figures, those of the communicator and of the ring first. */
enum { BRIEF_MOST = 4 };

static bool is_brief(const struct orr_consequence *row)
{
    return !row->of || !strcmp(row->of, "ring");
}

/* The number of facts that the setting changes, by section. */
static void write_changed(struct orr_page *page, const struct orr_what_if *what_if)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    orr_text_printf(&text, "%zu fact%s in total", what_if->changed, what_if->changed == 1 ? " changes" : "s change");
    const char *separator = ": ";
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        if (what_if->section_changed[s]) {
            orr_text_printf(&text, "%s%s %zu", separator, orr_fact_section_name((enum orr_fact_section)s),
                            what_if->section_changed[s]);
            separator = ", ";
        }
    orr_page_line(page, "      ", "%s", orr_text_data(&text));
}

static void write_consequences(struct orr_page *page, const struct orr_what_if *what_if, bool verbose)
{
    uint32_t shown = 0;
    bool few = what_if->consequence_count <= BRIEF_MOST;
    for (uint32_t i = 0; i < what_if->consequence_count; i++) {
        const struct orr_consequence *row = &what_if->consequences[i];
        if (!verbose && !few && (!is_brief(row) || shown == BRIEF_MOST))
            continue;
        shown++;
        orr_page_line(page, "      ", "%s%s%s: %s -> %s", row->of ? row->of : "", row->of ? ": " : "", row->text,
                      row->before, row->after);
    }
    if (what_if->consequence_count > shown)
        orr_page_line(page, "      ", "and %u more figure%s (--verbose)", what_if->consequence_count - shown,
                      orr_plural(what_if->consequence_count - shown));
    if (verbose)
        write_changed(page, what_if);
}

static void write_what_ifs(struct orr_page *page, const struct orr_explanation *explanation, bool verbose)
{
    ORR_LOCAL_TEXT(same, TEXT_MOST);
    for (uint32_t i = 0; i < explanation->what_if_count; i++) {
        const struct orr_what_if *row = &explanation->what_ifs[i];
        if (!row->changes) {
            orr_text_printf(&same, "%s%s=%s%s", same.length ? ", " : "", row->name, row->value,
                            row->changed ? " (changes other things)" : "");
            continue;
        }
        if (!i)
            orr_page_heading(page, "Settings that change it, each tried in an analysis of its own:");
        orr_page_line(page, "  ", "%s=%s  instead of %s: %s", row->name, row->value, row->was, row->then);
        if (!row->refused)
            write_consequences(page, row, verbose);
    }
    if (same.length) {
        orr_page_heading(page, "Settings that were tried and do not change it:");
        orr_page_say(page, ORR_STYLE_PLAIN, "  ", orr_text_data(&same));
    }
    if (!explanation->what_if_count)
        orr_page_heading(page, "Orrery knows no setting that affects this.");
    if (explanation->not_tried)
        orr_page_line(page, "  ", "%u more were not tried, because the time for this request was used up",
                      explanation->not_tried);
}

static void write_assumed(struct orr_page *page, const struct orr_explanation *explanation)
{
    const struct orr_assumption *assumption;
    if (explanation->assumes || explanation->rests_on_count)
        orr_page_heading(page, "Assumed:");
    for (uint32_t i = 0; i < explanation->rests_on_count; i++)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "About the input: %s.",
                        explanation->inputs[explanation->rests_on_inputs[i]].what);
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++)
        if (explanation->assumes >> i & 1)
            orr_page_say(page, ORR_STYLE_PLAIN, "  ", assumption->text);
}

/* The behaviours of the release on which the rule depends. */
static void write_rests(struct orr_page *page, const struct orr_explanation *explanation)
{
    for (uint32_t i = 0; i < explanation->rests_count; i++) {
        if (!i) {
            orr_page_blank(page);
            orr_page_printf(page, ORR_STYLE_HEADING, "",
                            "Behaviours of NCCL %s on which the rule depends:", explanation->release->name);
        }
        orr_page_line(page, "  ", "%s: %s (%s; the same since NCCL %s)", explanation->rests[i].name,
                      explanation->rests[i].value, explanation->rests[i].sentence, explanation->rests[i].since);
    }
}

void orr_report_explanation(struct orr_page *page, const struct orr_explanation *explanation, bool verbose)
{
    orr_page_heading(page, explanation->question);
    orr_page_blank(page);
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", explanation->answer);
    if (explanation->advice)
        orr_page_say(page, ORR_STYLE_PLAIN, "  ", explanation->advice);
    orr_page_blank(page);
    char version[ORR_VERSION_SIZE];
    orr_page_printf(page, ORR_STYLE_HEADING, "", "Rule %s of NCCL %s%s%s:", explanation->rule_id,
                    explanation->release->name,
                    explanation->nearest_to           ? ", the nearest release to "
                    : !explanation->release->compared ? ", a release not compared with NCCL's own results"
                                                      : "",
                    explanation->nearest_to ? orr_version_format(explanation->nearest_to, version) : "");
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", explanation->rule);
    write_compared(page, explanation, verbose);
    if (explanation->limit.from[0]) {
        orr_page_blank(page);
        orr_page_printf(page, ORR_STYLE_HEADING, "", "Limiting link: %s -> %s", explanation->limit.from_words,
                        explanation->limit.to_words);
        orr_page_say(page, ORR_STYLE_PLAIN, "  ", explanation->limit.text);
    }
    write_what_ifs(page, explanation, verbose);
    write_assumed(page, explanation);
    if (verbose)
        write_rests(page, explanation);
}
