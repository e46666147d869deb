/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict is never better than its inputs: where a file does not show a figure, each value that it may have is tried.
 * If the node is fit with one and degraded with another, there is no verdict but a question. */
#include <limits.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/gate/judging.h"
#include "engine/trials/suppositions.h"

static const struct orr_effort most_effort = {.analyses = 40, .steps = 20000000};

/* The bandwidths of one side with one value, on one host and on those of the job; 0: no answer. */
static enum orr_code bandwidths_with(struct orr_trials *trials, const struct orr_gate_side *side,
                                     const struct orr_suppositions *of, uint32_t row, double ret_bw[2],
                                     struct orr_error *err)
{
    const struct orr_analysis *const now[] = {side->one, side->many};
    for (int i = 0; i < 2; i++) {
        ORR_LOCAL_ARENA(scratch, 0);
        struct orr_variant variant;
        struct orr_analysis *answer;
        struct orr_error refused = {0};
        ret_bw[i] = 0;
        if (!now[i] || (i == 0 && of->kind == ORR_LINKS_NICS))
            continue;
        ORR_NEED(scratch, err);
        orr_variant_init(&variant, now[i], NULL, NULL, scratch);
        variant.query.plan = true;
        orr_suppose(&variant, of, row);
        ORR_TRY(orr_variant_analyze(trials, &variant, &answer, &refused, err));
        enum orr_code code = orr_gate_bus_bw(answer, &ret_bw[i], NULL, err);
        orr_analysis_free(answer);
        ORR_TRY(code);
    }
    return ORR_OK;
}

static bool is_enough(const struct orr_gate_request *request, const struct orr_gate_bandwidths *bw)
{
    for (int i = 0; i < 2; i++)
        if (bw->wants[i] > 0 && bw->has[i] < request->min_bus_bw * bw->wants[i])
            return false;
    return true;
}

/* Whether a further row says something: another state, or clearly more bandwidth. */
static bool is_new(const struct orr_gate *gate, const struct orr_gate_depends *row)
{
    const struct orr_gate_depends *last = gate->depends_count ? &gate->depends[gate->depends_count - 1] : NULL;
    return !last || last->state != row->state || row->bus_bw > 1.02 * last->bus_bw ||
           row->expected > 1.02 * last->expected;
}

static enum orr_code try_values(const struct orr_gate_request *request, struct orr_trials *trials,
                                const struct orr_gate_side *side, bool of_expected, const struct orr_suppositions *of,
                                const struct orr_gate_bandwidths *now, struct orr_gate *gate, bool *ret_asks,
                                struct orr_error *err)
{
    gate->depends_count = 0;
    *ret_asks = false;
    for (uint32_t row = 0; row < ORR_MOST_SUPPOSITIONS && of->rows[row].assuming; row++) {
        struct orr_gate_bandwidths bw = *now;
        double tried[2];
        if (!orr_trials_may_go_on(trials))
            break;
        ORR_TRY(bandwidths_with(trials, side, of, row, tried, err));
        for (int i = 0; i < 2; i++)
            if (tried[i] > 0 && now->wants[i] > 0)
                (of_expected ? bw.wants : bw.has)[i] = tried[i];
        const int shown = bw.wants[1] > 0;
        const struct orr_gate_depends depends = {.assuming = of->rows[row].assuming,
                                                 .state = is_enough(request, &bw) ? ORR_GATE_FIT : ORR_GATE_DEGRADED,
                                                 .bus_bw = bw.has[shown],
                                                 .expected = bw.wants[shown]};
        if (tried[0] <= 0 && tried[1] <= 0)
            continue;
        if (is_new(gate, &depends))
            gate->depends[gate->depends_count++] = depends;
        *ret_asks |= depends.state != gate->state;
    }
    return ORR_OK;
}

static void write_row(const struct orr_gate *gate, const struct orr_gate_depends *row, struct orr_text *text)
{
    orr_text_printf(text, "%s if %s (%.3g of %.3g GB/s on %u host%s)", orr_gate_state_name(row->state), row->assuming,
                    row->bus_bw, row->expected, gate->hosts, orr_plural(gate->hosts));
}

/* The two values between which the answer changes. */
static const char *question(const struct orr_gate_request *request, const struct orr_gate *gate, bool of_expected,
                            const struct orr_suppositions *of, struct orr_arena *arena)
{
    ORR_LOCAL_TEXT(text, 1024);
    uint32_t i = 1;
    while (i < gate->depends_count && gate->depends[i].state == gate->depends[i - 1].state)
        i++;
    orr_text_printf(&text, "the input of %.200s does not show %s: ", of_expected ? request->expected_name : "this node",
                    of->what);
    if (i < gate->depends_count) {
        const bool fit = gate->depends[i].state == ORR_GATE_FIT;
        write_row(gate, &gate->depends[fit ? i : i - 1], &text);
        orr_text_puts(&text, ", ");
        write_row(gate, &gate->depends[fit ? i - 1 : i], &text);
    } else {
        write_row(gate, &gate->depends[0], &text);
    }
    orr_text_printf(&text, ". Which is it? `%s` shows it", of->confirm);
    return orr_text_failed(&text) ? NULL : orr_text_copy(&text, arena);
}

/* Whether another bandwidth could change the state: no other reason makes the node degraded. */
static bool is_open(const struct orr_gate *gate)
{
    return gate->state == ORR_GATE_FIT || (gate->counted == 1 && !strcmp(gate->reasons[0].id, "busbw-low"));
}

/* Nothing says that the node is slow, but nothing says that it is fast either: the figure that limits it is not shown,
 * and the expectation has no bandwidth to compare it with. */
static enum orr_code ask_what_limits(const struct orr_gate_request *request, const struct orr_gate_side *node,
                                     const struct orr_gate_bandwidths *now, struct orr_arena *arena,
                                     struct orr_gate *gate, const char **ret_why, struct orr_error *err)
{
    size_t at = 0;
    const struct orr_suppositions *of = orr_supposed(node->dump, now->limits[0] | now->limits[1], false, &at);
    if (!of || gate->state != ORR_GATE_FIT)
        return ORR_OK;
    gate->state = ORR_GATE_NOT_COMPARABLE;
    gate->confirm = of->confirm;
    *ret_why = orr_arena_printf(arena,
                                "the input of this node does not show %s, which limits AllReduce, and the switches of "
                                "%.200s are made up, so no bandwidth can be compared. `%s` shows it",
                                of->what, request->expected_name, of->confirm);
    ORR_NEED(*ret_why, err);
    return ORR_OK;
}

enum orr_code orr_gate_depend(const struct orr_gate_request *request, const struct orr_gate_side *node,
                              const struct orr_gate_side *expected, const struct orr_gate_bandwidths *now,
                              struct orr_arena *arena, struct orr_gate *gate, const char **ret_why,
                              struct orr_error *err)
{
    struct orr_trials trials = {.left = most_effort};
    const struct orr_suppositions *of;
    for (int i = 0; i < 2 && is_open(gate); i++) {
        const struct orr_gate_side *side = i ? expected : node;
        size_t at = 0;
        while ((of = orr_supposed(side->dump, UINT_MAX, false, &at))) {
            bool asks;
            ORR_TRY(try_values(request, &trials, side, i, of, now, gate, &asks, err));
            if (!asks)
                continue;
            gate->state = ORR_GATE_NOT_COMPARABLE;
            gate->confirm = of->confirm;
            *ret_why = question(request, gate, i, of, arena);
            ORR_NEED(*ret_why, err);
            return ORR_OK;
        }
    }
    gate->depends_count = 0;
    return ask_what_limits(request, node, now, arena, gate, ret_why, err);
}
