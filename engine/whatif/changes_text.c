/* Changes as text for people. */
#include "engine/whatif/shown.h"

enum { CHANGES_SHOWN = 12, REASONS_SHOWN = 12 };

static void put_shown(const struct orr_shown *shown, struct orr_text *text)
{
    if (shown->kind == ORR_SHOWN_INT)
        orr_text_printf(text, "%lld", (long long)shown->integer);
    else if (shown->kind == ORR_SHOWN_FLOAT)
        orr_text_printf(text, "%g", shown->number);
    else
        orr_text_puts(text, shown->kind == ORR_SHOWN_TEXT ? shown->text : "none");
}

static void put_value(const struct orr_changes *changes, const struct orr_change *change, bool side_b,
                      struct orr_text *text)
{
    struct orr_shown_value value;
    orr_change_value(changes, change, side_b, &value);
    for (uint32_t i = 0; i < value.count; i++) {
        if (i)
            orr_text_puts(text, " ");
        put_shown(&value.items[i], text);
    }
}

static void put_change(const struct orr_changes *changes, const struct orr_change *change, struct orr_text *text)
{
    struct orr_place_member members[ORR_PLACE_MEMBERS];
    uint32_t count = change->count ? orr_change_place(changes, &change->places[0], members) : 0;
    orr_text_printf(text, "  %s: ", orr_fact_info(change->kind)->text);
    put_value(changes, change, false, text);
    orr_text_puts(text, " -> ");
    put_value(changes, change, true, text);
    if (change->count > 1)
        orr_text_printf(text, ", %zu places, such as", change->count);
    else if (count)
        orr_text_puts(text, ",");
    for (uint32_t i = 0; i < count; i++) {
        orr_text_printf(text, " %s ", members[i].name);
        put_shown(&members[i].value, text);
    }
    orr_text_puts(text, "\n");
}

static void put_section(const struct orr_changes *changes, enum orr_fact_section section, struct orr_text *text)
{
    size_t shown = 0;
    if (!changes->section_changed[section])
        return;
    orr_text_printf(text, "\n%s (%zu of %zu facts)\n", orr_fact_section_name(section),
                    changes->section_changed[section], changes->section_facts[section]);
    for (size_t i = 0; i < changes->count; i++)
        if (orr_fact_info(changes->changes[i].kind)->section == section && shown++ < CHANGES_SHOWN)
            put_change(changes, &changes->changes[i], text);
    if (shown > CHANGES_SHOWN)
        orr_text_printf(text, "  ... and %zu more kinds of change (--json lists all)\n", shown - CHANGES_SHOWN);
}

void orr_changes_write(const struct orr_changes *changes, struct orr_text *text)
{
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        put_section(changes, (enum orr_fact_section)s, text);
}

void orr_reasons_write(const struct orr_changes *changes, struct orr_text *text)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < changes->way.count; i++) {
        const struct orr_step *step = &changes->way.steps[i];
        if (!changes->step_changed[i] || found++ >= REASONS_SHOWN)
            continue;
        if (found == 1)
            orr_text_puts(text, "\nWhat changes them\n");
        orr_text_printf(text, "  %s: %s -> %s changes %zu fact%s\n", step->behaviour.sentence,
                        changes->way.reversed ? step->to : step->from, changes->way.reversed ? step->from : step->to,
                        changes->step_changed[i], orr_plural((int64_t)changes->step_changed[i]));
    }
    if (found > REASONS_SHOWN)
        orr_text_printf(text, "  ... and %u more (--json lists all)\n", found - REASONS_SHOWN);
}
