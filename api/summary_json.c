/* What machine a dump describes, and an analysis in figures. */
#include "api/sections.h"
#include "engine/hardware/hardware.h"
#include "engine/topology/machine.h"

json_t *orr_machine_json(struct orr_json *json, const struct orr_dump *dump)
{
    struct orr_machine_summary machine;
    struct orr_text text;
    orr_machine_summarise(dump, &machine);
    orr_text_init(&text, 1024);
    orr_machine_sentence(&machine, &text);
    json_t *object = orr_json_object(json), *capabilities = orr_json_array(json), *speeds = orr_json_array(json);
    orr_json_set(json, object, "sentence", orr_json_text_of(json, &text));
    orr_json_set(json, object, "gpus", orr_json_int(json, machine.gpus));
    orr_json_set(json, object, "ranks", orr_json_int(json, machine.ranked));
    orr_json_set(json, object, "hosts", orr_json_int(json, machine.hosts));
    orr_json_set(json, object, "numa_domains", orr_json_int(json, machine.cpus));
    orr_json_set(json, object, "pci_switches", orr_json_int(json, machine.switches));
    orr_json_set(json, object, "nics", orr_json_int(json, machine.nics));
    orr_json_set(json, object, "nets", orr_json_int(json, machine.nets));
    orr_json_set(json, object, "nvlink",
                 orr_json_text(json, machine.nvswitch  ? "switched"
                                     : machine.nvlinks ? "direct"
                                                       : "none"));
    for (int i = 0; i < machine.sm.kinds; i++)
        orr_json_add(json, capabilities, orr_json_int(json, machine.sm.values[i]));
    for (int i = 0; i < machine.speed.kinds; i++)
        orr_json_add(json, speeds, orr_json_number(json, (double)machine.speed.values[i] / 1000.0));
    orr_json_set(json, object, "capabilities", capabilities);
    orr_json_set(json, object, "net_gbps", speeds);
    orr_text_release(&text);
    return object;
}

/* What the dump calls each port of a NIC. */
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
    json_t *object = orr_json_object(json);
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
    orr_json_set(json, object, "verdict", orr_verdict_json(json, diagnosis));
    orr_json_set(json, object, "machine", orr_machine_json(json, analysis->dump));
    orr_json_set(json, object, "nodes", orr_json_int(json, communicator->node_count));
    orr_json_set(json, object, "systems_per_host", orr_json_int(json, analysis->part_count));
    orr_json_set(json, object, "channels", orr_json_int(json, communicator->channel_count));
    orr_json_set(json, object, "ring_bw", orr_json_number(json, (double)ring->bw_intra * ring->channels));
    orr_json_set(json, object, "gpu_path_types", types);
    orr_json_set(json, object, "net_names", net_names_json(json, analysis));
    orr_json_set(json, object, "p2p_pairs", orr_json_int(json, p2p));
    orr_json_set(json, object, "pairs",
                 orr_json_int(json, (int64_t)analysis->local_ranks * ((int64_t)analysis->local_ranks - 1)));
    orr_json_set(json, object, "nvls", orr_json_bool(json, communicator->nvls));
    orr_json_set(json, object, "collnet", orr_json_bool(json, communicator->collnet));
    return object;
}
