/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the node with the expectation: whether they are of one kind, what is missing, and what else differs. */
#include <string.h>

#include "engine/base/text.h"
#include "engine/compare/unlike.h"
#include "engine/gate/judging.h"
#include "engine/machines/recognise.h"

static const char *arch_of(const struct orr_gate_side *side)
{
    return side->hw.cpu_count ? orr_element_word(side->dump, side->hw.cpus[0], ORR_ATTR_ARCH) : "";
}

/* Amazon's NICs have names of their own; those of other makers may be renamed. */
static bool has_efa(const struct orr_gate_side *side)
{
    for (uint32_t i = 0; i < side->hw.net_count; i++)
        if (!strncmp(orr_element_word(side->dump, side->hw.nets[i], ORR_ATTR_NAME), "rdmap", 5))
            return true;
    return false;
}

const char *orr_gate_other_kind(const struct orr_gate_request *request, const struct orr_gate_side *node,
                                const struct orr_gate_side *expected, struct orr_arena *arena)
{
    const struct orr_communicator *n = &node->one->communicator, *e = &expected->one->communicator;
    struct orr_machine here, there;
    ORR_LOCAL_TEXT(text, 512);
    orr_machine_recognise(&node->hw, &here);
    orr_machine_recognise(&expected->hw, &there);
    if (here.board && there.board && here.proven_board && there.proven_board &&
        strcmp(here.board->gpu, there.board->gpu) != 0)
        orr_text_printf(&text, "it has %s GPUs, and %s has %s", here.board->gpu, request->expected_name,
                        there.board->gpu);
    else if (n->sm_min != e->sm_min || n->sm_max != e->sm_max)
        orr_text_printf(&text, "its GPUs have compute capability %d.%d, those of %s %d.%d", n->sm_max / 10,
                        n->sm_max % 10, request->expected_name, e->sm_max / 10, e->sm_max % 10);
    else if (node->one->local_ranks > expected->one->local_ranks)
        orr_text_printf(&text, "it has %u GPUs, and %s has %u", node->one->local_ranks, request->expected_name,
                        expected->one->local_ranks);
    else if (strcmp(arch_of(node), arch_of(expected)) != 0)
        orr_text_printf(&text, "its CPUs are %s, those of %s %s", arch_of(node), request->expected_name,
                        arch_of(expected));
    else if (node->hw.net_count && expected->hw.net_count && has_efa(node) != has_efa(expected))
        orr_text_printf(&text, "its NICs are %s EFA, those of %s are%s", has_efa(node) ? "Amazon's" : "not Amazon's",
                        request->expected_name, has_efa(expected) ? "" : " not");
    if (!text.length && !text.failed)
        return NULL;
    const char *why = orr_text_copy(&text, arena);
    return why ? why : "";
}

static bool has_reason(const struct orr_gate *gate, const char *id)
{
    for (uint32_t i = 0; i < gate->count; i++)
        if (!strcmp(gate->reasons[i].id, id))
            return true;
    return false;
}

/* "3 of 8 GPUs are missing: GPU 3 at 0000:1b:00.0, ...". devices: names by the expectation. */
static enum orr_code add_missing(struct orr_gate *gate, const char *id, const char *what, uint32_t missing, uint32_t of,
                                 const char *const *devices, uint32_t device_count, struct orr_arena *arena,
                                 struct orr_error *err)
{
    ORR_LOCAL_TEXT(text, 4096);
    if (has_reason(gate, id))
        return ORR_OK;
    orr_text_printf(&text, "%u of %u %ss %s missing", missing, of, what, missing == 1 ? "is" : "are");
    for (uint32_t i = 0; i < device_count; i++)
        orr_text_printf(&text, "%s%s", i ? ", " : ": ", devices[i]);
    struct orr_gate_reason *reason = &gate->reasons[gate->count++];
    *reason = (struct orr_gate_reason){.id = id,
                                       .compared = true,
                                       .devices = devices,
                                       .device_count = device_count,
                                       .text = orr_text_copy(&text, arena)};
    return reason->text ? ORR_OK : orr_fail_nomem(err);
}

struct differing {
    struct orr_devices a, b; /* devices of the expectation, and of the node */
    struct orr_match match;
    struct orr_unlikes unlikes;
};

/* The first devices of a kind that only the expectation has. */
static enum orr_code name_missing(const struct differing *d, enum orr_device_kind kind, uint32_t most,
                                  struct orr_arena *arena, const char ***ret_names, uint32_t *ret_count,
                                  struct orr_error *err)
{
    const char **names = ORR_NEW(arena, const char *, ORR_GATE_DEVICES);
    ORR_NEED(names, err);
    for (uint32_t i = 0; d && i < d->a.count && *ret_count < most && *ret_count < ORR_GATE_DEVICES; i++) {
        char name[ORR_DEVICE_NAME_SIZE];
        if (d->a.rows[i].kind != kind || d->match.to_b[i] != ORR_NO_DEVICE)
            continue;
        orr_device_text(&d->a, i, name);
        ORR_NEED((names[*ret_count] = orr_arena_strndup(arena, name, strlen(name))), err);
        ++*ret_count;
    }
    *ret_names = names;
    return ORR_OK;
}

static enum orr_code take_missing(const struct orr_gate_side *node, const struct orr_gate_side *expected,
                                  const struct differing *d, struct orr_arena *arena, struct orr_gate *gate,
                                  struct orr_error *err)
{
    uint32_t gpus = expected->one->local_ranks, nets = expected->hw.net_count, count = 0;
    const char **names;
    if (node->one->local_ranks < gpus) {
        uint32_t missing = gpus - node->one->local_ranks;
        ORR_TRY(name_missing(d, ORR_DEVICE_GPU, missing, arena, &names, &count, err));
        ORR_TRY(add_missing(gate, "gpu-missing", "GPU", missing, gpus, names, count, arena, err));
    }
    count = 0;
    if (node->hw.net_count < nets) {
        uint32_t missing = nets - node->hw.net_count;
        ORR_TRY(name_missing(d, ORR_DEVICE_NET, missing, arena, &names, &count, err));
        ORR_TRY(add_missing(gate, "nic-missing", "NIC port", missing, nets, names, count, arena, err));
    }
    return ORR_OK;
}

static const char *difference_text(const struct differing *d, const struct orr_unlike *row, struct orr_arena *arena)
{
    char name[ORR_DEVICE_NAME_SIZE];
    ORR_LOCAL_TEXT(text, 512);
    bool of_node = row->b != ORR_NO_DEVICE;
    orr_text_puts(&text, orr_device_text(of_node ? &d->b : &d->a, of_node ? row->b : row->a, name));
    if (row->kind == ORR_UNLIKE_FIGURE || row->kind == ORR_UNLIKE_NVLINKS)
        orr_text_printf(&text, ": %s %s instead of %s", orr_unlike_text(row), *row->value_b ? row->value_b : "none",
                        *row->value_a ? row->value_a : "none");
    else
        orr_text_printf(&text, " %s", orr_unlike_text(row));
    return orr_text_copy(&text, arena);
}

static enum orr_code take_differences(const struct differing *d, struct orr_arena *arena, struct orr_gate *gate,
                                      struct orr_error *err)
{
    uint32_t hardware = d->unlikes.count - d->unlikes.numbering;
    const char **differences = ORR_NEW(arena, const char *, ORR_GATE_DIFFERENCES);
    ORR_NEED(differences, err);
    for (uint32_t i = 0; i < hardware && i < ORR_GATE_DIFFERENCES; i++)
        ORR_NEED((differences[gate->difference_count++] = difference_text(d, &d->unlikes.rows[i], arena)), err);
    gate->differences = differences;
    gate->more_differences = hardware - gate->difference_count;
    return ORR_OK;
}

enum orr_code orr_gate_compare(const struct orr_gate_request *request, const struct orr_gate_side *node,
                               const struct orr_gate_side *expected, struct orr_arena *arena, struct orr_gate *gate,
                               struct orr_error *err)
{
    struct differing *d = NULL;
    if (!request->of_type) {
        d = ORR_NEW(arena, struct differing, 1);
        ORR_NEED(d, err);
        ORR_TRY(orr_devices_read(expected->one->dump, arena, &d->a, err));
        ORR_TRY(orr_devices_read(node->one->dump, arena, &d->b, err));
        ORR_TRY(orr_match_find(&d->a, &d->b, arena, &d->match, err));
        ORR_TRY(orr_unlikes_find(&d->match, arena, &d->unlikes, err));
        ORR_TRY(take_differences(d, arena, gate, err));
    }
    return take_missing(node, expected, d, arena, gate, err);
}
