/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that a dump describes, and an analysis in figures. */
#include "api/documents/sections.h"
#include "engine/hardware/hardware.h"
#include "engine/topology/machine.h"

json_t *orr_machine_json(struct orr_json *json, const struct orr_dump *dump)
{
    struct orr_machine_summary machine;
    ORR_LOCAL_TEXT(text, 1024);
    orr_machine_summarise(dump, &machine);
    orr_machine_sentence(&machine, &text);
    json_t *object = orr_json_object(json), *capabilities = orr_json_array(json), *speeds = orr_json_array(json);
    ORR_SET(json, object, ORR_VALUE("sentence", orr_json_text_of(json, &text)), ORR_INT("gpus", machine.gpus),
            ORR_INT("ranks", machine.ranked), ORR_INT("hosts", machine.hosts), ORR_INT("numa_domains", machine.cpus),
            ORR_INT("pci_switches", machine.switches), ORR_INT("nics", machine.nics), ORR_INT("nets", machine.nets),
            ORR_STRING("nvlink", machine.nvswitch  ? "switched"
                                 : machine.nvlinks ? "direct"
                                                   : "none"));
    for (int i = 0; i < machine.sm.kinds; i++)
        orr_json_add(json, capabilities, orr_json_int(json, machine.sm.values[i]));
    for (int i = 0; i < machine.speed.kinds; i++)
        orr_json_add(json, speeds, orr_json_number(json, (double)machine.speed.values[i] / 1000.0));
    ORR_SET(json, object, ORR_VALUE("capabilities", capabilities), ORR_VALUE("net_gbps", speeds));
    return object;
}

/* The dump's names for the ports of a NIC. */
static json_t *net_names_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    const struct orr_system *system = &analysis->parts[0].system;
    json_t *object = orr_json_object(json);
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++) {
        const uint32_t element = system->nodes[n].element;
        char id[ORR_NODE_ID_SIZE];
        const char *name = element == ORR_NO_ELEMENT ? "" : orr_element_word(analysis->dump, element, ORR_ATTR_NAME);
        if (*name)
            orr_json_set(json, object, orr_system_node_id(system, n, id), orr_json_text(json, name));
    }
    return object;
}

json_t *orr_summary_json(struct orr_json *json, const struct orr_analysis *analysis,
                         const struct orr_diagnosis *diagnosis)
{
    const struct orr_communicator *communicator = &analysis->communicator;
    const struct orr_graph *ring = &analysis->parts[0].contribution.graphs[ORR_GRAPH_RING];
    json_t *types = orr_json_array(json);
    bool seen[ORR_PATH_TYPE_COUNT] = {0};
    const struct orr_part *part = &analysis->parts[0];
    for (uint32_t a = part->system.first[ORR_GPU]; a < part->system.first[ORR_GPU + 1]; a++)
        for (uint32_t b = part->system.first[ORR_GPU]; b < part->system.first[ORR_GPU + 1]; b++)
            if (a != b)
                seen[orr_path(&part->paths, a, b)->type] = true;
    for (int i = 0; i < ORR_PATH_TYPE_COUNT; i++)
        if (seen[i])
            orr_json_add(json, types, orr_json_text(json, orr_path_type_name((enum orr_path_type)i)));
    uint32_t p2p = 0;
    for (size_t i = 0; i < (size_t)analysis->local_ranks * analysis->local_ranks; i++)
        p2p += i / analysis->local_ranks != i % analysis->local_ranks && analysis->p2p[i].decision.verdict;
    return ORR_OBJECT(
        json, ORR_VALUE("verdict", orr_verdict_json(json, diagnosis)),
        ORR_VALUE("machine", orr_machine_json(json, analysis->dump)), ORR_INT("nodes", communicator->node_count),
        ORR_INT("systems_per_host", analysis->part_count), ORR_INT("channels", communicator->channel_count),
        ORR_NUMBER("ring_bw", (double)ring->bw_intra * ring->channels), ORR_VALUE("gpu_path_types", types),
        ORR_VALUE("net_names", net_names_json(json, analysis)), ORR_INT("p2p_pairs", p2p),
        ORR_INT("pairs", (int64_t)analysis->local_ranks * ((int64_t)analysis->local_ranks - 1)),
        ORR_BOOL("nvls", communicator->nvls), ORR_BOOL("collnet", communicator->collnet));
}
