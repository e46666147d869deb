/* An explanation for a person to read. */
#include "engine/explain/assumptions.h"
#include "engine/explain/explain.h"
#include "engine/release/release.h"

static void write_compared(const struct orr_explanation *explanation, struct orr_text *text)
{
    if (explanation->compared_count)
        orr_text_puts(text, "\nCompared:\n");
    for (uint32_t i = 0; i < explanation->compared_count; i++) {
        const struct orr_compared *row = &explanation->compared[i];
        if (row->text)
            orr_text_printf(text, "  %s: %s", row->name, row->text);
        else
            orr_text_printf(text, "  %s: %.6g%s%s", row->name, row->number, row->unit ? " " : "",
                            row->unit ? row->unit : "");
        if (row->source)
            orr_text_printf(text, "  (%s)", row->source);
        orr_text_puts(text, "\n");
    }
}

static void write_consequences(const struct orr_what_if *what_if, struct orr_text *text)
{
    for (uint32_t i = 0; i < what_if->consequence_count; i++) {
        const struct orr_consequence *row = &what_if->consequences[i];
        orr_text_printf(text, "      %s%s%s: %s -> %s\n", row->of ? row->of : "", row->of ? ": " : "", row->text,
                        row->before, row->after);
    }
    orr_text_printf(text, "      %zu facts change in total", what_if->changed);
    const char *separator = ": ";
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        if (what_if->section_changed[s]) {
            orr_text_printf(text, "%s%s %zu", separator, orr_fact_section_name((enum orr_fact_section)s),
                            what_if->section_changed[s]);
            separator = ", ";
        }
    orr_text_puts(text, "\n");
}

static void write_what_ifs(const struct orr_explanation *explanation, struct orr_text *text)
{
    uint32_t changing = 0;
    while (changing < explanation->what_if_count && explanation->what_ifs[changing].changes)
        changing++;
    if (changing)
        orr_text_puts(text, "\nWhat would change it (computed):\n");
    for (uint32_t i = 0; i < explanation->what_if_count; i++) {
        const struct orr_what_if *row = &explanation->what_ifs[i];
        if (i == changing)
            orr_text_puts(text, "\nTried, without effect:\n");
        if (!row->changes) {
            orr_text_printf(text, "  %s=%s%s\n", row->name, row->value, row->changed ? "  (other things change)" : "");
            continue;
        }
        orr_text_printf(text, "  %s=%s  (now %s): %s\n", row->name, row->value, row->was, row->then);
        if (!row->refused)
            write_consequences(row, text);
    }
    if (!explanation->what_if_count)
        orr_text_puts(text, "\nOrrery knows no setting that affects this.\n");
    if (explanation->not_tried)
        orr_text_printf(text, "  %u more were not tried, because the time for this request was used up\n",
                        explanation->not_tried);
}

void orr_explanation_write(const struct orr_explanation *explanation, struct orr_text *text)
{
    const struct orr_assumption *assumption;
    orr_text_printf(text, "%s\n\n  %s\n", explanation->question, explanation->answer);
    orr_text_printf(text, "\nRule %s of NCCL %s%s:\n  %s\n", explanation->rule_id, explanation->release->name,
                    explanation->nearest ? ", the nearest release to the one that was asked for" : "",
                    explanation->rule);
    for (uint32_t i = 0; i < explanation->rests_count; i++)
        orr_text_printf(text, "  %s: %s (%s; so since NCCL %s)\n", explanation->rests[i].name,
                        explanation->rests[i].value, explanation->rests[i].sentence, explanation->rests[i].since);
    write_compared(explanation, text);
    if (explanation->limit.from[0])
        orr_text_printf(text, "\nLimiting link: %s -> %s\n  %s\n", explanation->limit.from, explanation->limit.to,
                        explanation->limit.text);
    if (explanation->advice)
        orr_text_printf(text, "\n%s\n", explanation->advice);
    write_what_ifs(explanation, text);
    if (explanation->assumes)
        orr_text_puts(text, "\nAssumed:\n");
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++)
        if (explanation->assumes >> i & 1)
            orr_text_printf(text, "  %s\n", assumption->text);
}
