/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the line: consequence first, then the cause. */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/base/words.h"
#include "engine/gate/judging.h"
#include "engine/trials/joining.h"

static void write_cost(const struct orr_gate *gate, const struct orr_cost *cost, struct orr_text *text)
{
    orr_cost_clause(cost, text);
    if (cost->figure == ORR_COST_BUS_BW && cost->all_repaired > 0)
        orr_text_printf(text, " (%.0f %% less)", floor(100 * (1 - cost->now / cost->all_repaired) + 0.5));
    if (cost->figure == ORR_COST_BUS_BW && cost->hosts == gate->hosts && gate->assuming)
        orr_text_printf(text, " if %s, which is assumed", gate->assuming);
}

/* The reason that the bandwidth is low, unless it is the first: others explain it, so it is not counted. NULL if there
 * is none. */
static const struct orr_gate_reason *consequence(const struct orr_gate *gate)
{
    for (uint32_t i = 1; i < gate->counted; i++)
        if (!strcmp(gate->reasons[i].id, "busbw-low"))
            return &gate->reasons[i];
    return NULL;
}

/* The first reason, with its explanation. */
static void write_degraded(const struct orr_gate *gate, struct orr_text *text)
{
    const struct orr_gate_reason *first = &gate->reasons[0], *low = consequence(gate);
    uint32_t others = gate->counted - 1 - (low != NULL);
    const size_t at = text->length;
    const bool counts = first->cost && first->cost->figure == ORR_COST_GPUS; /* the text says how many */
    if (first->cost && !counts)
        write_cost(gate, first->cost, text);
    else if (low && low->cost && !counts)
        write_cost(gate, low->cost, text);
    else if (!first->compared && !counts)
        orr_text_puts(text, "NCCL cannot work with this node");
    if (text->length > at)
        orr_text_puts(text, ": ");
    orr_text_puts(text, first->text);
    if (!strcmp(first->id, "busbw-low") && gate->difference_count)
        orr_text_printf(text, "; what differs: %s%s", gate->differences[0],
                        gate->difference_count > 1 ? " and more" : "");
    if (others)
        orr_text_printf(text, "; %u further reason%s", others, orr_plural(others));
}

static void write_fit(const struct orr_gate_request *request, const struct orr_gate *gate, struct orr_text *text)
{
    uint32_t allowed = gate->count - gate->counted;
    orr_text_puts(text, "fit");
    if (gate->hosts)
        orr_text_printf(text, ": AllReduce gets %.3g GB/s on %u host%s, %.0f %% of %s", gate->bus_bw, gate->hosts,
                        orr_plural(gate->hosts), floor(100 * gate->bus_bw / gate->expected + 0.5),
                        request->expected_name);
    else
        orr_text_printf(text, " as %s", request->expected_name);
    for (uint32_t i = 0; i < allowed; i++)
        orr_text_printf(text, "%s%s", i ? ", " : "; allowed: ", gate->reasons[gate->counted + i].id);
}

enum orr_code orr_gate_say(const struct orr_gate_request *request, const char *why, struct orr_arena *arena,
                           struct orr_gate *gate, struct orr_error *err)
{
    ORR_LOCAL_TEXT(text, 8192);
    orr_text_printf(&text, "%s: ", request->node_name);
    if (why)
        orr_text_printf(&text, "cannot be judged: %s", why);
    else if (gate->state == ORR_GATE_DEGRADED)
        write_degraded(gate, &text);
    else
        write_fit(request, gate, &text);
    if (!why && gate->depends.count > 1) { /* the same state with each */
        const struct orr_depends *apart = &gate->depends.rows[0], *joined = &gate->depends.rows[1];
        orr_text_puts(&text, ".");
        orr_joining_say((double[]){0, joined->bus_bw}, (double[]){0, apart->bus_bw}, gate->hosts, &text);
    }
    char *sentence = orr_text_copy(&text, arena);
    ORR_NEED(sentence, err);
    for (char *at = sentence; *at; at++) /* names come from files and requests */
        if ((unsigned char)*at < ' ')
            *at = ' ';
    gate->sentence = sentence;
    return ORR_OK;
}

void orr_gate_write(const struct orr_gate *gate, struct orr_text *text)
{
    if (gate->count > 1)
        orr_text_puts(text, "\nReasons\n");
    for (uint32_t i = 0; gate->count > 1 && i < gate->count; i++) {
        const struct orr_gate_reason *reason = &gate->reasons[i];
        orr_text_printf(text, "  %s", reason->allowed ? "allowed: " : "");
        if (reason->cost && reason->cost->figure != ORR_COST_GPUS) {
            write_cost(gate, reason->cost, text);
            orr_text_puts(text, ": ");
        }
        orr_text_printf(text, "%s\n", reason->text);
    }
    if (gate->difference_count)
        orr_text_puts(text, "\nHardware that differs\n");
    for (uint32_t i = 0; i < gate->difference_count; i++)
        orr_text_printf(text, "  %s\n", gate->differences[i]);
    if (gate->more_differences)
        orr_text_printf(text, "  and %u more (--json lists them)\n", gate->more_differences);
}

ORR_WORD_LIST(orr_gate_state_name, enum orr_gate_state, "fit", "degraded", "not comparable")
