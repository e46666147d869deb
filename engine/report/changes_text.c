/* SPDX-License-Identifier: Apache-2.0 */
/* Writes changes as text for people. */
#include <string.h>

#include "engine/report/answers_text.h"
#include "engine/whatif/shown.h"

enum { CHANGES_SHOWN = 4, CHANGES_MOST = 12, REASONS_SHOWN = 12 };

static void put_shown(const struct orr_shown *shown, bool flag, struct orr_text *text)
{
    if (shown->kind == ORR_SHOWN_INT && flag)
        orr_text_puts(text, shown->integer ? "yes" : "no");
    else if (shown->kind == ORR_SHOWN_INT)
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
    const bool flag = orr_fact_info(change->kind)->unit == ORR_UNIT_FLAG;
    orr_change_value(changes, change, side_b, &value);
    for (uint32_t i = 0; i < value.count; i++) {
        if (i)
            orr_text_puts(text, " ");
        put_shown(&value.items[i], flag, text);
    }
}

/* The first place; ids of nodes are shown with --verbose only. */
static uint32_t shown_place(const struct orr_changes *changes, const struct orr_change *change, bool verbose,
                            struct orr_place_member members[ORR_PLACE_MEMBERS])
{
    const uint32_t count = change->count ? orr_change_place(changes, &change->places[0], members) : 0;
    for (uint32_t i = 0; i < count && !verbose; i++)
        if (members[i].value.kind == ORR_SHOWN_TEXT && strchr(members[i].value.text, '/'))
            return 0;
    return count;
}

/* "types of paths: PXN -> SYS"; without --verbose, ids are written as "routes: other ones". */
static void put_values(const struct orr_changes *changes, const struct orr_change *change, bool verbose,
                       struct orr_text *text)
{
    text->length = 0;
    orr_text_printf(text, "%s: ", orr_fact_info(change->kind)->text);
    const size_t start = text->length;
    put_value(changes, change, false, text);
    orr_text_puts(text, " -> ");
    put_value(changes, change, true, text);
    if (!verbose && strchr(orr_text_data(text) + start, '/')) {
        text->length = start;
        orr_text_puts(text, "other ones");
    }
}

static void put_places(const struct orr_changes *changes, const struct orr_change *change, size_t places, bool verbose,
                       struct orr_text *text)
{
    struct orr_place_member members[ORR_PLACE_MEMBERS];
    const uint32_t count = shown_place(changes, change, verbose, members);
    if (places > 1)
        orr_text_printf(text, " in %zu places%s", places, count ? " such as" : "");
    else if (count)
        orr_text_puts(text, ",");
    for (uint32_t i = 0; i < count; i++) {
        orr_text_printf(text, " %s ", members[i].name);
        put_shown(&members[i].value, false, text);
    }
}

/* Without ids, changes with the same words share one line. */
static void put_section(struct orr_page *page, const struct orr_changes *changes, enum orr_fact_section section,
                        bool verbose)
{
    const size_t most = verbose ? CHANGES_MOST : CHANGES_SHOWN;
    size_t shown = 0;
    ORR_LOCAL_TEXT(text, 1 << 16);
    ORR_LOCAL_TEXT(next, 1 << 16);
    if (!changes->section_changed[section])
        return;
    orr_text_printf(&text, "%s (%zu of %zu facts)", orr_fact_section_name(section), changes->section_changed[section],
                    changes->section_facts[section]);
    orr_page_heading(page, orr_text_data(&text));
    for (size_t i = 0, same; i < changes->count; i = same) {
        const struct orr_change *change = &changes->changes[i];
        size_t places = change->count;
        same = i + 1;
        if (orr_fact_info(change->kind)->section != section)
            continue;
        put_values(changes, change, verbose, &text);
        for (; !verbose && same < changes->count; same++) {
            put_values(changes, &changes->changes[same], verbose, &next);
            if (strcmp(orr_text_data(&text), orr_text_data(&next)) != 0)
                break;
            places += changes->changes[same].count;
        }
        if (shown++ >= most)
            continue;
        put_places(changes, change, places, verbose, &text);
        orr_page_line(page, "  ", "%s", orr_text_data(&text));
    }
    if (shown > most)
        orr_page_line(page, "  ", "and %zu more kinds of change (%s)", shown - most,
                      shown > CHANGES_MOST ? "--json lists them" : "--verbose");
}

void orr_report_changes(struct orr_page *page, const struct orr_changes *changes, bool verbose)
{
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        put_section(page, changes, (enum orr_fact_section)s, verbose);
}

void orr_report_reasons(struct orr_page *page, const struct orr_changes *changes)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < changes->way.count; i++) {
        const struct orr_step *step = &changes->way.steps[i];
        if (!changes->step_changed[i] || found++ >= REASONS_SHOWN)
            continue;
        if (found == 1)
            orr_page_heading(page, "What changes them");
        orr_page_line(page, "  ", "%s: %s -> %s changes %zu fact%s", step->behaviour.sentence,
                      changes->way.reversed ? step->to : step->from, changes->way.reversed ? step->from : step->to,
                      changes->step_changed[i], orr_plural((int64_t)changes->step_changed[i]));
    }
    if (found > REASONS_SHOWN)
        orr_page_line(page, "  ", "and %u more (--json lists them)", found - REASONS_SHOWN);
}
