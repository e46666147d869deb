/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/gate/judging.h"

#include <string.h>

#include "engine/base/text.h"

static const char *const compared_ids[] = {"gpu-missing", "nic-missing", "busbw-low"};

bool orr_gate_knows(const char *id)
{
    const struct orr_finding_row *row;
    for (size_t i = 0; i < sizeof compared_ids / sizeof compared_ids[0]; i++)
        if (!strcmp(compared_ids[i], id))
            return true;
    for (size_t i = 0; (row = orr_finding_row(i)); i++)
        if (!strcmp(row->id, id))
            return true;
    return false;
}

/* The assumptions of the answer. */
static enum orr_code take_assumed(const struct orr_gate_request *request, struct orr_arena *arena,
                                  struct orr_gate *gate, struct orr_error *err)
{
    const struct orr_dump *const dumps[] = {request->node, request->expected};
    uint32_t most = 1;
    for (int i = 0; i < 2; i++)
        most += dumps[i]->notes ? dumps[i]->notes->assumed_count : 0;
    const char **assumed = ORR_NEW(arena, const char *, most);
    ORR_NEED(assumed, err);
    for (int i = 0; i < 2; i++) {
        const struct orr_dump_notes *notes = dumps[i]->notes;
        for (uint32_t k = 0; notes && k < notes->assumed_count; k++) {
            ORR_LOCAL_TEXT(text, 1024);
            orr_text_printf(&text, "%s: %s", i ? request->expected_name : request->node_name, notes->assumed[k].what);
            assumed[gate->assumed_count] = orr_text_copy(&text, arena);
            ORR_NEED(assumed[gate->assumed_count++], err);
        }
    }
    gate->assumed = assumed;
    return ORR_OK;
}

static enum orr_code judge(const struct orr_gate_request *request, const struct orr_gate_side *node,
                           const struct orr_gate_side *expected, struct orr_arena *arena, struct orr_gate *gate,
                           const char **ret_why, struct orr_error *err)
{
    unsigned limits;
    ORR_TRY(orr_gate_judge_as_is(request, node, expected, arena, gate, &limits, ret_why, err));
    if (gate->state != ORR_GATE_NOT_COMPARABLE)
        ORR_TRY(orr_gate_depend(request, node, expected, limits, arena, gate, ret_why, err));
    if (gate->state == ORR_GATE_NOT_COMPARABLE)
        return ORR_OK;
    return orr_outcomes_compare(expected->many ? expected->many : expected->one, node->many ? node->many : node->one,
                                gate->outcomes, err);
}

static const char *not_usable(const char *what, const struct orr_error *own, struct orr_arena *arena)
{
    return orr_arena_printf(arena, "NCCL cannot use %s: %s", what, own->text[0] ? own->text : "it cannot be analysed");
}

enum orr_code orr_gate_judge(const struct orr_gate_request *request, struct orr_arena *arena, struct orr_gate *ret_gate,
                             struct orr_error *err)
{
    ORR_LOCAL_STRUCT(orr_gate_side, node);
    ORR_LOCAL_STRUCT(orr_gate_side, expected);
    struct orr_error of_node = {0}, of_expected = {0};
    const char *why = NULL;
    *ret_gate = (struct orr_gate){.state = ORR_GATE_NOT_COMPARABLE};
    ORR_TRY(orr_gate_read(request->node, &request->query, arena, &node, &of_node, err));
    ORR_TRY(orr_gate_read(request->expected, &request->query, arena, &expected, &of_expected, err));
    ORR_TRY(take_assumed(request, arena, ret_gate, err));
    if (!node.one)
        why = not_usable("this node", &of_node, arena);
    else if (!expected.one)
        why = not_usable("what it should be", &of_expected, arena);
    else
        ORR_TRY(judge(request, &node, &expected, arena, ret_gate, &why, err));
    return orr_gate_say(request, why, arena, ret_gate, err);
}

enum orr_code orr_gate_refuse(const char *node_name, const char *why, struct orr_arena *arena,
                              struct orr_gate *ret_gate, struct orr_error *err)
{
    const struct orr_gate_request request = {.node_name = node_name};
    *ret_gate = (struct orr_gate){.state = ORR_GATE_NOT_COMPARABLE};
    return orr_gate_say(&request, why, arena, ret_gate, err);
}
