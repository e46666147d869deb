/* SPDX-License-Identifier: Apache-2.0 */
/* Clauses about findings and costs, and the headline of a machine that loses something: what each repair adds. */
#include <ctype.h>

#include "engine/base/text.h"
#include "engine/diagnosis/verdict.h"

/* A title within a sentence: "A GPU has" becomes "a GPU has"; "NVLink connects" and "GPUDirect" stay as they are. */
void orr_verdict_clause(const struct orr_finding *finding, struct orr_text *text)
{
    const char *title = finding->title;
    bool name = isupper((unsigned char)title[0]) && isupper((unsigned char)title[1]);
    orr_text_printf(text, "%c%s", name ? title[0] : tolower((unsigned char)title[0]), title + 1);
}

void orr_finding_clause(const struct orr_finding *finding, struct orr_text *text)
{
    orr_verdict_clause(finding, text);
    orr_text_printf(text, ": %s", finding->detail);
}

void orr_cost_clause(const struct orr_cost *cost, struct orr_text *text)
{
    char values[64];
    const uint32_t hosts = cost->hosts * cost->fused;
    const char *plural = orr_plural(hosts);
    orr_cost_text(cost, values);
    switch (cost->figure) {
    case ORR_COST_BUS_BW:
        orr_text_printf(text, "AllReduce gets %s on %u host%s", values, hosts, plural);
        break;
    case ORR_COST_LATENCY:
        orr_text_printf(text, "A small AllReduce takes %s on %u host%s", values, hosts, plural);
        break;
    case ORR_COST_P2P_PAIRS:
        orr_text_printf(text, "P2P works between %s of GPUs", values);
        break;
    case ORR_COST_GDR:
        orr_text_printf(text, "GPUDirect RDMA works for %s on each host", values);
        break;
    case ORR_COST_CHANNELS:
        orr_text_printf(text, "NCCL uses %s on %u host%s", values, hosts, plural);
        break;
    default:
        orr_text_printf(text, "The machine has %s", values);
    }
}

void orr_finding_devices(const struct orr_finding *finding, struct orr_text *text)
{
    const struct orr_finding_place *place = finding->places;
    const uint32_t more = finding->place_count + finding->more_places - 1;
    if (!finding->place_count || !(place->name[0] || place->node[0]))
        return;
    orr_text_puts(text, place->name[0] ? place->name : place->node);
    if (more)
        orr_text_printf(text, " and %u more", more);
}

/* A row that is part of the gains: it adds something, or a later row adds something only together with it. */
static bool has_turn(const struct orr_diagnosed *row)
{
    return row->cost.has_gain || (row->cost.together && row->follows == UINT32_MAX);
}

/* "342 of 455 GB/s", and what each repair adds in turn, so that the figures add up to the reference. Repairs that gain
 * nothing on their own share the gain of the next one that does. */
static void write_gains(const struct orr_diagnosis *d, const struct orr_diagnosed *cause, struct orr_text *text)
{
    enum { NAMED = 3 };
    uint32_t count = 0, open = 0;
    bool another = false;
    orr_cost_clause(&d->all, text);
    orr_text_puts(text, ".");
    for (uint32_t i = 0; i < d->count; i++) {
        const struct orr_diagnosed *row = &d->rows[i];
        if (!has_turn(row) || count++ >= NAMED)
            continue;
        const bool last = row->cost.has_gain;
        ORR_LOCAL_TEXT(devices, 256);
        ORR_LOCAL_TEXT(gain, 64);
        orr_finding_devices(row->finding, &devices);
        orr_text_printf(&gain, another ? " adds another %.3g" : " adds %.3g GB/s", row->cost.gain);
        orr_text_printf(text, "%s%s%s (",
                        open         ? " and "
                        : count == 1 ? " Repairing "
                                     : "; repairing ",
                        devices.length ? orr_text_data(&devices) : "this", last && !open ? orr_text_data(&gain) : "");
        orr_verdict_clause(row->finding, text);
        orr_text_printf(text, ")%s%s", last && open ? orr_text_data(&gain) : "", last && open ? " together" : "");
        another |= last;
        open = last ? 0 : open + 1;
    }
    if (count > NAMED)
        orr_text_printf(text, "; %u further finding%s the rest", count - NAMED,
                        count == NAMED + 1 ? " costs" : "s cost");
    orr_text_puts(text, ".");
    if (has_turn(cause) || cause->cost.hosts == d->all.hosts)
        return;
    orr_text_puts(text, " Also, ");
    orr_cost_clause(&cause->cost, text);
    orr_text_puts(text, ", because ");
    orr_verdict_clause(cause->finding, text);
    orr_text_puts(text, ".");
}

void orr_verdict_costs(const struct orr_diagnosis *d, uint32_t cause, struct orr_text *text)
{
    const struct orr_diagnosed *row = &d->rows[cause];
    uint32_t gains = 0;
    for (uint32_t i = 0; i < d->count; i++)
        gains += has_turn(&d->rows[i]);
    if (row->cost.figure == ORR_COST_BUS_BW && gains && (gains > 1 || !has_turn(row))) {
        write_gains(d, row, text);
        return;
    }
    orr_cost_clause(&row->cost, text);
    if (row->cost.figure == ORR_COST_GPUS)
        orr_text_printf(text, ": %s.", row->finding->detail);
    else {
        orr_text_puts(text, ", because ");
        orr_finding_clause(row->finding, text);
        orr_text_puts(text, ".");
    }
}
