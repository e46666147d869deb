/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons as text for people. */
#include <string.h>

#include "engine/compare/compare.h"
#include "engine/compare/majority.h"
#include "engine/topology/machine.h"
#include "engine/whatif/shown.h"

enum { ROWS_SHOWN = 60, DEVIANTS_SHOWN = 12, FIGURES = 64 };

void orr_comparison_summary(const struct orr_comparison *c, struct orr_text *text)
{
    const struct orr_changes *changes = &c->changes;
    uint32_t hardware = c->unlikes.count - c->unlikes.numbering;
    if (hardware)
        orr_text_printf(text, "The hardware differs in %u respect%s", hardware, orr_plural(hardware));
    else
        orr_text_printf(text, "The same machine%s",
                        c->unlikes.numbering ? ", whose devices have other names or numbers" : "");
    if (!changes->changed) {
        orr_text_puts(text, ". NCCL decides the same for both.");
        return;
    }
    orr_text_printf(text, ". NCCL decides %zu of %zu facts differently%s:", changes->changed, changes->facts,
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
            orr_text_printf(text, ", with %u GPU%s and %u port%s", row->gpus, orr_plural(row->gpus), row->nets,
                            orr_plural(row->nets));
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

static void put_hardware(const struct orr_comparison *c, struct orr_text *text)
{
    const uint32_t count = c->unlikes.count - c->unlikes.numbering;
    if (count)
        orr_text_printf(text, "\nHardware (%u)\n", count);
    for (uint32_t i = 0; i < count && i < ROWS_SHOWN; i++)
        put_unlike(c, &c->unlikes.rows[i], text);
    if (count > ROWS_SHOWN)
        orr_text_printf(text, "  ... and %u more (--json lists all)\n", count - ROWS_SHOWN);
}

/* Other names and numbers: alike ones are a line with the first as the example. */
static void put_numbering(const struct orr_comparison *c, struct orr_text *text)
{
    static const char *const kinds[ORR_DEVICE_KIND_COUNT] = {"dumps", "hosts", "CPUs", "bridges", "GPUs",
                                                             "NICs",  "GPUs",  "NICs", "ports"};
    const uint32_t from = c->unlikes.count - c->unlikes.numbering;
    uint32_t counts[ORR_DEVICE_KIND_COUNT][FIGURES] = {0};
    if (c->unlikes.numbering)
        orr_text_printf(text, "\nThe same device with another name or number (%u)\n", c->unlikes.numbering);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = from; i < c->unlikes.count; i++) {
            const struct orr_unlike *row = &c->unlikes.rows[i];
            const bool in_a = row->a != ORR_NO_DEVICE;
            const enum orr_device_kind kind = in_a ? c->devices_a.rows[row->a].kind : c->devices_b.rows[row->b].kind;
            uint32_t *count = &counts[kind][row->kind == ORR_UNLIKE_FIGURE && row->figure < FIGURES ? row->figure : 0];
            if (!pass)
                ++*count;
            else if (*count == 1)
                put_unlike(c, row, text);
            else if (*count)
                orr_text_printf(text, "  %u %s: %s: %s -> %s, and so on\n", *count, kinds[kind], orr_unlike_text(row),
                                row->value_a, row->value_b);
            if (pass)
                *count = 0;
        }
}

void orr_comparison_write(const struct orr_comparison *c, const char *name_a, const char *name_b, struct orr_text *text)
{
    const struct orr_dump *dumps[2] = {c->a->dump, c->b->dump};
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
    put_hardware(c, text);
    put_numbering(c, text);
    orr_changes_write(&c->changes, text);
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
        orr_text_printf(
            text,
            "%u of %u different dumps have hardware that most of them do not have. There %s %u kind%s of machine.",
            unlike, m->specimens, m->shapes == 1 ? "is" : "are", m->shapes, orr_plural(m->shapes));
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
