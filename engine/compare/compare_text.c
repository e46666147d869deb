/* Comparisons as text for people. */
#include <string.h>

#include "engine/compare/compare.h"
#include "engine/compare/majority.h"
#include "engine/topology/machine.h"
#include "engine/whatif/shown.h"

enum { ROWS_SHOWN = 60, CHANGES_SHOWN = 12, DEVIANTS_SHOWN = 12 };

void orr_comparison_summary(const struct orr_comparison *c, struct orr_text *text)
{
    const struct orr_changes *changes = &c->changes;
    uint32_t hardware = c->unlikes.count - c->unlikes.numbering;
    if (hardware)
        orr_text_printf(text, "The hardware differs in %u respect%s", hardware, hardware == 1 ? "" : "s");
    else
        orr_text_printf(text, "The same machine%s",
                        c->unlikes.numbering ? ", whose devices have other names or numbers" : "");
    if (!changes->changed) {
        orr_text_puts(text, ". NCCL decides the same for both.");
        return;
    }
    orr_text_printf(text, ". NCCL decides otherwise in %zu of %zu facts%s:", changes->changed, changes->facts,
                    hardware ? "" : ", as its search follows the order of the devices");
    orr_changed_sections(changes, text);
}

static void put_unlike(const struct orr_comparison *c, const struct orr_unlike *row, struct orr_text *text)
{
    char a[ORR_DEVICE_NAME_SIZE] = "", b[ORR_DEVICE_NAME_SIZE] = "", peers[2][ORR_DEVICE_NAME_SIZE];
    if (row->a != ORR_NO_DEVICE)
        orr_device_text(&c->devices_a, row->a, a);
    if (row->b != ORR_NO_DEVICE)
        orr_device_text(&c->devices_b, row->b, b);
    orr_text_printf(text, "  %s", *a ? a : b);
    if (row->kind > ORR_UNLIKE_ADDED && *a && *b && strcmp(a, b) != 0)
        orr_text_printf(text, " (%s in B)", b);
    switch (row->kind) {
    case ORR_UNLIKE_MISSING:
    case ORR_UNLIKE_ADDED:
        orr_text_printf(text, " %s", *a ? "is missing in B" : "is in B only");
        if (row->gpus + row->nets > 1)
            orr_text_printf(text, ", with %u GPU%s and %u port%s", row->gpus, row->gpus == 1 ? "" : "s", row->nets,
                            row->nets == 1 ? "" : "s");
        break;
    case ORR_UNLIKE_MOVED:
        orr_text_printf(text, ": below %s in A, below %s in B", orr_device_text(&c->devices_a, row->peer_a, peers[0]),
                        orr_device_text(&c->devices_b, row->peer_b, peers[1]));
        break;
    case ORR_UNLIKE_NVLINKS:
        orr_text_printf(text, ": NVLinks to %s: %s -> %s", orr_device_text(&c->devices_a, row->peer_a, peers[0]),
                        row->value_a, row->value_b);
        break;
    default:
        orr_text_printf(text, ": %s: %s -> %s", orr_unlike_text(row), row->value_a, row->value_b);
    }
    orr_text_puts(text, "\n");
}

/* Rows from..to-1. */
static void put_unlikes(const struct orr_comparison *c, uint32_t from, uint32_t to, const char *title,
                        struct orr_text *text)
{
    if (from == to)
        return;
    orr_text_printf(text, "\n%s (%u)\n", title, to - from);
    for (uint32_t i = from; i < to && i < from + ROWS_SHOWN; i++)
        put_unlike(c, &c->unlikes.rows[i], text);
    if (to - from > ROWS_SHOWN)
        orr_text_printf(text, "  ... and %u more (--json lists all)\n", to - from - ROWS_SHOWN);
}

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

void orr_comparison_write(const struct orr_comparison *c, const char *name_a, const char *name_b, struct orr_text *text)
{
    const struct orr_dump *dumps[2] = {c->a->dump, c->b->dump};
    const uint32_t hardware = c->unlikes.count - c->unlikes.numbering;
    for (int side = 0; side < 2; side++) {
        struct orr_machine_summary machine;
        orr_machine_summarise(dumps[side], &machine);
        orr_text_printf(text, "%c  %s: ", "AB"[side], side ? name_b : name_a);
        orr_machine_sentence(&machine, text);
        orr_text_puts(text, "\n");
    }
    orr_text_puts(text, "\n");
    orr_comparison_summary(c, text);
    orr_text_puts(text, "\n");
    put_unlikes(c, 0, hardware, "Hardware", text);
    put_unlikes(c, hardware, c->unlikes.count, "Only named or numbered otherwise", text);
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        put_section(&c->changes, (enum orr_fact_section)s, text);
}

void orr_majority_summary(const struct orr_majority *m, struct orr_text *text)
{
    uint32_t unlike = 0;
    for (uint32_t s = 0; s < m->specimens; s++)
        unlike += m->deviates[s][0] > 0;
    if (!m->count)
        orr_text_printf(text, "All %u dumps are the same, device by device.", m->hosts);
    else if (!unlike)
        orr_text_printf(text, "All %u dumps have the same hardware; NICs have other names or numbers on some.",
                        m->hosts);
    else
        orr_text_printf(text,
                        "%u of %u different dumps have hardware that most have not; there %s %u kind%s of machine.",
                        unlike, m->specimens, m->shapes == 1 ? "is" : "are", m->shapes, m->shapes == 1 ? "" : "s");
}

static void put_deviation(const struct orr_majority *m, const struct orr_deviation *row,
                          const struct orr_called *called, struct orr_text *text)
{
    const struct orr_unlike *unlike = &row->unlike;
    char name[ORR_DEVICE_NAME_SIZE];
    bool of_reference = unlike->a != ORR_NO_DEVICE;
    orr_text_printf(text, "\n  %s: %s",
                    orr_device_text(&m->devices[of_reference ? m->reference : row->example],
                                    of_reference ? unlike->a : unlike->b, name),
                    orr_deviation_text(row));
    if (unlike->kind == ORR_UNLIKE_NVLINKS)
        orr_text_printf(text, ", %s", orr_device_text(&m->devices[m->reference], unlike->peer_a, name));
    if (row->decided)
        orr_text_printf(text, ": %s on %u\n", row->majority, row->majority_hosts);
    else
        orr_text_puts(text, ": no majority\n");
    for (uint32_t i = 0; i < row->deviant_count && i < DEVIANTS_SHOWN; i++)
        orr_text_printf(text, "    %s  %s\n", row->values[i], called[row->deviants[i]].topology);
    if (row->deviant_count > DEVIANTS_SHOWN)
        orr_text_printf(text, "    ... and %u more\n", row->deviant_count - DEVIANTS_SHOWN);
}

void orr_majority_write(const struct orr_majority *m, const struct orr_set_finding *findings, uint32_t finding_count,
                        const struct orr_called *called, struct orr_text *text)
{
    orr_text_printf(text, "%u dumps, %u different; the others are compared with %s\n\n", m->hosts, m->specimens,
                    called[m->reference].topology);
    orr_majority_summary(m, text);
    orr_text_puts(text, "\n");
    for (uint32_t i = 0; i < finding_count; i++) {
        const struct orr_finding_row *row = &findings[i].row;
        orr_text_printf(text, "\n%s %s: %s\n  %s\n  %s\n", orr_severity_name(row->severity), row->catalogue, row->title,
                        findings[i].detail, row->advice);
    }
    for (uint32_t i = 0; i < m->count; i++)
        put_deviation(m, &m->rows[i], called, text);
}
