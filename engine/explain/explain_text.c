/* An explanation for a person to read: the answer first, which can go into a ticket, then the evidence. */
#include <string.h>

#include "engine/explain/assumptions.h"
#include "engine/explain/explain.h"

enum { LINE_MOST = 112 };

/* A paragraph, wrapped at blanks and indented by two. */
static void write_paragraph(const char *words, struct orr_text *text)
{
    while (*words) {
        size_t length = strlen(words), end = length;
        if (length > LINE_MOST) {
            end = LINE_MOST;
            while (end && words[end] != ' ')
                end--;
            end = end ? end : length;
        }
        orr_text_puts(text, "  ");
        orr_text_add(text, words, end);
        orr_text_puts(text, "\n");
        words += end + (words[end] == ' ');
    }
}

static void write_compared(const struct orr_explanation *explanation, bool verbose, struct orr_text *text)
{
    const char *heading = "\nValues compared:\n";
    for (uint32_t i = 0; i < explanation->compared_count; i++) {
        const struct orr_compared *row = &explanation->compared[i];
        if (row->internal && !verbose)
            continue;
        orr_text_puts(text, heading);
        heading = "";
        if (row->text)
            orr_text_printf(text, "  %s: %s", row->name, row->text);
        else
            orr_text_printf(text, "  %s: %.6g%s%s", row->name, row->number, row->unit ? " " : "",
                            row->unit ? row->unit : "");
        if (row->from.text)
            orr_text_printf(text, "  (%s)", row->from.text);
        orr_text_puts(text, "\n");
    }
}

/* Figures of the communicator and of the ring first: with fewer than these nothing is left out. */
enum { BRIEF_MOST = 4 };

static bool is_brief(const struct orr_consequence *row)
{
    return !row->of || !strcmp(row->of, "ring");
}

static void write_consequences(const struct orr_what_if *what_if, bool verbose, struct orr_text *text)
{
    uint32_t shown = 0;
    bool few = what_if->consequence_count <= BRIEF_MOST;
    for (uint32_t i = 0; i < what_if->consequence_count; i++) {
        const struct orr_consequence *row = &what_if->consequences[i];
        if (!verbose && !few && (!is_brief(row) || shown == BRIEF_MOST))
            continue;
        shown++;
        orr_text_printf(text, "      %s%s%s: %s -> %s\n", row->of ? row->of : "", row->of ? ": " : "", row->text,
                        row->before, row->after);
    }
    if (what_if->consequence_count > shown)
        orr_text_printf(text, "      and %u further figure%s (--verbose)\n", what_if->consequence_count - shown,
                        orr_plural(what_if->consequence_count - shown));
    if (!verbose)
        return;
    orr_text_printf(text, "      %zu fact%s in total", what_if->changed,
                    what_if->changed == 1 ? " changes" : "s change");
    const char *separator = ": ";
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        if (what_if->section_changed[s]) {
            orr_text_printf(text, "%s%s %zu", separator, orr_fact_section_name((enum orr_fact_section)s),
                            what_if->section_changed[s]);
            separator = ", ";
        }
    orr_text_puts(text, "\n");
}

static void write_what_ifs(const struct orr_explanation *explanation, bool verbose, struct orr_text *text)
{
    uint32_t changing = 0;
    while (changing < explanation->what_if_count && explanation->what_ifs[changing].changes)
        changing++;
    if (changing)
        orr_text_puts(text, "\nSettings that change it (each tried by a further analysis):\n");
    for (uint32_t i = 0; i < explanation->what_if_count; i++) {
        const struct orr_what_if *row = &explanation->what_ifs[i];
        if (i == changing)
            orr_text_puts(text, "\nSettings that were tried and do not change it:\n");
        if (!row->changes) {
            orr_text_printf(text, "  %s=%s%s\n", row->name, row->value, row->changed ? "  (other things change)" : "");
            continue;
        }
        orr_text_printf(text, "  %s=%s  (now %s): %s\n", row->name, row->value, row->was, row->then);
        if (!row->refused)
            write_consequences(row, verbose, text);
    }
    if (!explanation->what_if_count)
        orr_text_puts(text, "\nOrrery knows no setting that affects this.\n");
    if (explanation->not_tried)
        orr_text_printf(text, "  %u more were not tried, because the time for this request was used up\n",
                        explanation->not_tried);
}

static void write_assumed(const struct orr_explanation *explanation, struct orr_text *text)
{
    const struct orr_assumption *assumption;
    if (explanation->assumes || explanation->rests_on_count)
        orr_text_puts(text, "\nAssumed:\n");
    for (uint32_t i = 0; i < explanation->rests_on_count; i++)
        orr_text_printf(text, "  About the input: %s.\n", explanation->inputs[explanation->rests_on_inputs[i]].what);
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++)
        if (explanation->assumes >> i & 1)
            orr_text_printf(text, "  %s\n", assumption->text);
}

/* The behaviours of the release that the rule goes by. */
static void write_rests(const struct orr_explanation *explanation, struct orr_text *text)
{
    if (explanation->rests_count)
        orr_text_printf(text, "\nBehaviours of NCCL %s that the rule goes by:\n", explanation->release->name);
    for (uint32_t i = 0; i < explanation->rests_count; i++)
        orr_text_printf(text, "  %s: %s (%s; the same since NCCL %s)\n", explanation->rests[i].name,
                        explanation->rests[i].value, explanation->rests[i].sentence, explanation->rests[i].since);
}

void orr_explanation_write(const struct orr_explanation *explanation, bool verbose, struct orr_text *text)
{
    orr_text_printf(text, "%s\n\n", explanation->question);
    write_paragraph(explanation->answer, text);
    if (explanation->advice)
        write_paragraph(explanation->advice, text);
    orr_text_printf(text, "\nRule %s of NCCL %s%s:\n", explanation->rule_id, explanation->release->name,
                    explanation->nearest ? ", the nearest release to the one that was asked for" : "");
    write_paragraph(explanation->rule, text);
    write_compared(explanation, verbose, text);
    if (explanation->limit.from[0])
        orr_text_printf(text, "\nLimiting link: %s -> %s\n  %s\n", explanation->limit.from, explanation->limit.to,
                        explanation->limit.text);
    write_what_ifs(explanation, verbose, text);
    write_assumed(explanation, text);
    if (verbose)
        write_rests(explanation, text);
}
