/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict is never better than its inputs: if a file does not show a figure, each value that it may have is tried.
 * If the node is fit with one and degraded with another, there is no verdict but a question. */
#include <limits.h>

#include "engine/base/text.h"
#include "engine/gate/judging.h"
#include "engine/machines/recognise.h"
#include "engine/trials/joining.h"
#include "engine/trials/variant.h"

struct judging {
    const struct orr_gate_request *request;
    const struct orr_gate_side *sides[2]; /* the node's side, and the expectation's */
    bool of_expected;                     /* the assumed figure is the expectation's, not the node's */
    uint32_t joined;                      /* hosts that NVLink may join */
    const struct orr_gate *apart;         /* the answer if it does not */
};

/* Judges again, findings included: with another speed the same fault may cost nothing. The hosts of both sides are
 * joined by NVLink, or those of neither. */
static enum orr_code judge_with(void *judging, const struct orr_suppositions *of, uint32_t row,
                                struct orr_depends *ret_depends, bool *ret_judged, struct orr_error *err)
{
    const struct judging *j = judging;
    const bool joining = of == &orr_joining;
    struct orr_gate_request request = *j->request;
    const struct orr_gate_side *sides[2] = {j->sides[0], j->sides[1]};
    struct orr_gate_side read[2] = {{0}};
    struct orr_gate gate = {.state = ORR_GATE_NOT_COMPARABLE};
    struct orr_variant variant;
    struct orr_error own = {0};
    enum orr_code code = ORR_OK;
    bool usable = true;
    const char *why;
    unsigned limits;
    ORR_LOCAL_ARENA(scratch, 0);
    ORR_NEED(scratch, err);
    const struct orr_dump **dumps[] = {&request.node, &request.expected};
    if (joining && row == ORR_APART) {
        *ret_depends =
            (struct orr_depends){of->rows[row].assuming, (int)j->apart->state, j->apart->bus_bw, j->apart->expected};
        *ret_judged = true;
        return ORR_OK;
    }
    if (joining) {
        request.query.domain = j->joined;
    } else {
        orr_variant_init(&variant, sides[j->of_expected]->one, sides[j->of_expected]->dump, NULL, scratch);
        orr_suppose(&variant, of, row);
        ORR_TRY(orr_variant_dump(&variant, dumps[j->of_expected], err));
    }
    for (int i = 0; i < 2 && code == ORR_OK; i++) {
        if (!joining && i != j->of_expected)
            continue;
        sides[i] = &read[i];
        code = orr_gate_read(*dumps[i], &request.query, scratch, &read[i], &own, err);
        usable &= joining ? read[i].many != NULL : read[i].one != NULL;
    }
    if (code == ORR_OK && usable)
        code = orr_gate_judge_as_is(&request, sides[0], sides[1], scratch, &gate, &limits, &why, err);
    orr_gate_side_release(&read[0]);
    orr_gate_side_release(&read[1]);
    *ret_depends = (struct orr_depends){of->rows[row].assuming, (int)gate.state, gate.bus_bw, gate.expected};
    *ret_judged = gate.state != ORR_GATE_NOT_COMPARABLE;
    return code;
}

static void write_row(const struct orr_gate *gate, const struct orr_depends *row, struct orr_text *text)
{
    orr_text_printf(text, "%s if %s (%.3g of %.3g GB/s on %u host%s)",
                    orr_gate_state_name((enum orr_gate_state)row->verdict), row->assuming, row->bus_bw, row->expected,
                    gate->hosts, orr_plural(gate->hosts));
}

/* The two values between which the answer changes. */
static enum orr_code ask(const struct orr_gate_request *request, struct orr_gate *gate, bool of_expected,
                         const struct orr_suppositions *of, struct orr_arena *arena, const char **ret_why,
                         struct orr_error *err)
{
    ORR_LOCAL_TEXT(text, 1024);
    const struct orr_depends *rows = gate->depends.rows;
    uint32_t i = 1;
    while (i < gate->depends.count && rows[i].verdict == rows[i - 1].verdict)
        i++;
    orr_text_printf(&text, "the input of %.200s does not show %s: ", of_expected ? request->expected_name : "this node",
                    of->what);
    if (i < gate->depends.count) {
        const bool fit = rows[i].verdict == ORR_GATE_FIT;
        write_row(gate, &rows[fit ? i : i - 1], &text);
        orr_text_puts(&text, ", ");
        write_row(gate, &rows[fit ? i - 1 : i], &text);
    } else {
        write_row(gate, &rows[0], &text);
    }
    orr_text_printf(&text, ". Which is it? `%s` shows it", of->confirm);
    gate->state = ORR_GATE_NOT_COMPARABLE;
    gate->confirm = of->confirm;
    *ret_why = orr_text_copy(&text, arena);
    return *ret_why ? ORR_OK : orr_fail_nomem(err);
}

static uint32_t may_be_joined(const struct orr_gate_side *side)
{
    struct orr_machine machine;
    orr_machine_recognise(&side->hw, &machine);
    return side->many ? orr_may_be_joined(side->many, machine.board) : 0;
}

/* Whether devices are missing or NCCL refuses the machine, which does not depend on any figure. */
static bool is_certain(const struct orr_gate *gate)
{
    for (uint32_t i = 0; i < gate->counted; i++)
        if (!gate->reasons[i].cost || gate->reasons[i].cost->figure == ORR_COST_GPUS)
            return true;
    return false;
}

static bool has_nvlinks(const struct orr_dump *dump)
{
    for (uint32_t e = 0; e < dump->element_count; e++)
        if (dump->elements[e].kind == ORR_ELEMENT_NVLINK)
            return true;
    return false;
}

/* Whether a side may have NVLinks that its input does not show and that matter for the comparison. */
static bool hides_nvlinks(const struct orr_dump *dump, const struct orr_dump *other)
{
    const struct orr_dump_notes *notes = dump->notes;
    return notes && notes->nvlink_hidden != ORR_NO && !has_nvlinks(dump) &&
           (has_nvlinks(other) || (other->notes && other->notes->nvlink_hidden == ORR_YES));
}

static const char *ask_for_nvlinks(const struct orr_gate_request *request, const struct orr_gate *gate,
                                   struct orr_arena *arena)
{
    const bool of_node = hides_nvlinks(request->node, request->expected);
    if (!of_node && !hides_nvlinks(request->expected, request->node))
        return NULL;
    return orr_arena_printf(
        arena,
        "the input of %.200s shows no NVLink, as `nvidia-smi topo -mp` never does: %s if it has none (%.3g of %.3g "
        "GB/s on %u host%s), unknown if it has some. Which is it? `nvidia-smi topo -m` shows it",
        of_node ? "this node" : request->expected_name, orr_gate_state_name(gate->state), gate->bus_bw, gate->expected,
        gate->hosts, orr_plural(gate->hosts));
}

/* Nothing shows that the node is slow, but nothing shows that it is fast either: the input lacks the figure that limits
 * it, and the expectation has no bandwidth to compare with. */
static enum orr_code ask_what_limits(const struct orr_gate_request *request, const struct orr_gate_side *node,
                                     unsigned limits, struct orr_arena *arena, struct orr_gate *gate,
                                     const char **ret_why, struct orr_error *err)
{
    size_t at = 0;
    const struct orr_suppositions *of = orr_supposed(node->dump, limits, false, &at);
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

/* The assumption of a state that is the same with every value: the value with which its bandwidth was computed. */
static const char *assumed_now(const struct orr_gate *gate, const struct orr_dump *dump,
                               const struct orr_suppositions *of)
{
    for (uint32_t row = 0; gate->depends.count > 1 && row < ORR_MOST_SUPPOSITIONS && of->rows[row].assuming; row++)
        if (orr_supposes_now(dump, of, row))
            return of->rows[row].assuming;
    return NULL;
}

enum orr_code orr_gate_depend(const struct orr_gate_request *request, const struct orr_gate_side *node,
                              const struct orr_gate_side *expected, unsigned limits, struct orr_arena *arena,
                              struct orr_gate *gate, const char **ret_why, struct orr_error *err)
{
    struct judging judging = {.request = request, .sides = {node, expected}, .apart = gate};
    const struct orr_suppositions *of;
    if (is_certain(gate))
        return ORR_OK;
    *ret_why = ask_for_nvlinks(request, gate, arena);
    if (*ret_why) {
        gate->state = ORR_GATE_NOT_COMPARABLE;
        gate->confirm = "nvidia-smi topo -m";
        return ORR_OK;
    }
    for (int i = 0; i < 2; i++) {
        const struct orr_dump *dump = judging.sides[i]->dump;
        size_t at = 0;
        judging.of_expected = i;
        judging.joined = judging.joined ? judging.joined : may_be_joined(judging.sides[i]);
        while ((of = orr_supposed(dump, UINT_MAX, false, &at))) {
            ORR_TRY(orr_depends_find(of, judge_with, &judging, &gate->depends, err));
            if (!orr_depends_differ(&gate->depends, (int)gate->state)) {
                gate->assuming = gate->assuming ? gate->assuming : assumed_now(gate, dump, of);
                continue;
            }
            return ask(request, gate, i, of, arena, ret_why, err);
        }
    }
    gate->depends.count = 0;
    if (judging.joined)
        ORR_TRY(orr_depends_find(&orr_joining, judge_with, &judging, &gate->depends, err));
    if (gate->depends.count > 1)
        gate->confirm = orr_joining.confirm;
    if (orr_depends_differ(&gate->depends, (int)gate->state))
        return ask(request, gate, false, &orr_joining, arena, ret_why, err);
    return ask_what_limits(request, node, limits, arena, gate, ret_why, err);
}
