/* SPDX-License-Identifier: Apache-2.0 */
/* The table of repairs, and those of settings and GPUDirect RDMA. */
#include <string.h>

#include "engine/dump/notes.h"
#include "engine/trials/repair.h"

/* Whether the provider's plugin gives a port GPUDirect RDMA on such machines. */
static bool is_of_type(const struct orr_variant *variant, uint32_t net)
{
    const struct orr_machine_type *type = variant->machine->type;
    return type && type->net_gdr && orr_has_name_of(type, orr_element_word(variant->hw->dump, net, ORR_ATTR_NAME));
}

static void allow_gdr(struct orr_variant *variant)
{
    for (uint32_t i = 0; i < variant->hw->gpu_count; i++)
        if (!strcmp(orr_element_word(variant->hw->dump, variant->hw->gpus[i], ORR_ATTR_GDR), "0"))
            orr_variant_set(variant, variant->nodes[variant->hw->gpus[i]], ORR_ATTR_GDR, "1");
    for (uint32_t i = 0; i < variant->hw->net_count; i++)
        if (orr_name_is_rdma(orr_element_word(variant->hw->dump, variant->hw->nets[i], ORR_ATTR_NAME)) ||
            is_of_type(variant, variant->hw->nets[i]))
            orr_variant_set(variant, variant->nodes[variant->hw->nets[i]], ORR_ATTR_GDR, "1");
}

/* The level that lets every GPU use its nearest NIC. */
static void widen_gdr(struct orr_variant *variant)
{
    const struct orr_part *part = &variant->analysis->parts[0];
    enum orr_path_type farthest = ORR_PATH_LOC;
    for (uint32_t g = part->system.first[ORR_GPU]; g < part->system.first[ORR_GPU + 1]; g++) {
        enum orr_path_type nearest = ORR_PATH_DIS;
        for (uint32_t n = part->system.first[ORR_NET]; n < part->system.first[ORR_NET + 1]; n++)
            if (orr_path(&part->paths, g, n)->type < nearest)
                nearest = orr_path(&part->paths, g, n)->type;
        farthest = nearest != ORR_PATH_DIS && nearest > farthest ? nearest : farthest;
    }
    if (farthest > ORR_PATH_LOC && farthest <= ORR_PATH_SYS)
        orr_variant_setting(variant, ORR_SET_NET_GDR_LEVEL, orr_path_type_name(farthest));
}

static void reset_settings(struct orr_variant *variant)
{
    static const enum orr_setting settings[] = {ORR_SET_P2P_DISABLE, ORR_SET_P2P_LEVEL, ORR_SET_SHM_DISABLE};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        orr_variant_setting(variant, settings[i], "");
}

/* Settings in the input that make transfers slower. */
static void leave_out_pasted(struct orr_variant *variant)
{
    static const char prefix[] = "setting:";
    const struct orr_dump_notes *notes = variant->given->notes;
    enum orr_setting id;
    for (uint32_t i = 0; notes && i < notes->symptom_count; i++) {
        const struct orr_pasted_symptom *symptom = &notes->symptoms[i];
        if (symptom->is_setting && !strncmp(symptom->id, prefix, sizeof prefix - 1) &&
            orr_setting_find(symptom->id + sizeof prefix - 1, &id))
            orr_variant_setting(variant, id, "");
    }
}

/* Makes NCCL behave as if the driver offered no P2P. */
static void refuse_p2p(struct orr_variant *variant)
{
    orr_variant_setting(variant, ORR_SET_P2P_DISABLE, "1");
}

/* Without PXN, paths to NICs go over PCIe, whose type the search for trees may use. */
static void turn_pxn_off(struct orr_variant *variant)
{
    orr_variant_setting(variant, ORR_SET_PXN_DISABLE, "1");
}

static const struct orr_repair rows[] = {
    {"nvlinks-not-in-file", "the NVLinks of this GPU model in the file", orr_repair_board_nvlinks, ORR_REPAIR_OF_FILE},
    {"nvlinks-missing", "all NVLinks of this GPU model", orr_repair_board_nvlinks, 0},
    {"nvlinks-below-board", "all NVLinks of this GPU model", orr_repair_board_nvlinks, 0},
    {"nvlink-islands", "all NVLinks of this GPU model", orr_repair_board_nvlinks, 0},
    {"nvlink-count", "as many NVLinks as equal GPUs have", orr_repair_nvlinks, 0},
    {"nvlink-zero", "as many NVLinks as equal GPUs have", orr_repair_nvlinks, 0},
    {"nvlink-one-sided", "the larger number of NVLinks in both directions", orr_repair_one_sided, 0},
    {"nvlink-targets", "the same NVSwitches as the other GPUs", orr_repair_targets, 0},
    {"slow-link", "speed and width of equal devices", orr_repair_slow_links, 0},
    {"pcie-below-model", "the PCIe links that GPUs, NICs and CPU support", orr_repair_generation, 0},
    {"pcie-below-gpu", "the PCIe links that the GPUs support", orr_repair_to_gpus, ORR_REPAIR_ASKS},
    {"idle-gpus", "the PCIe link that GPU and CPU support", orr_repair_all_links, ORR_REPAIR_OF_FILE},
    {"link-missing", "the link of an equal device", orr_repair_unknown_links, ORR_REPAIR_OF_FILE},
    {"throttling-bridge", "the link of the fastest device below it", orr_repair_bridges, 0},
    {"slow-slot", "a slot as fast as the NIC", orr_repair_slots, ORR_REPAIR_NETWORK},
    {"port-slow", "the speed of equal ports", orr_repair_ports, ORR_REPAIR_NETWORK},
    {"ports-below-type", "the speed that ports of this machine type have", orr_repair_ports_of_type,
     ORR_REPAIR_NETWORK},
    {"nics-below-type", "the NICs that this machine type has", orr_repair_nics_of_type, ORR_REPAIR_NETWORK},
    {"ports-of-other-type", "the speed that ports of the other type have", orr_repair_ports_of_other_type,
     ORR_REPAIR_NETWORK | ORR_REPAIR_ASKS},
    {"nics-of-other-type", "the NICs that the other type has", orr_repair_nics_of_other_type,
     ORR_REPAIR_NETWORK | ORR_REPAIR_ASKS},
    {"nics-below-generation", "NICs as slow as any machine type has with such GPUs", orr_repair_nics_of_generation,
     ORR_REPAIR_NETWORK | ORR_REPAIR_REPLACES},
    {"nic-missing", "the NIC that the other GPUs have", orr_repair_missing_nics, ORR_REPAIR_NETWORK},
    {"nic-misplaced", "the NIC on the PCIe switch of its GPUs", orr_repair_strays, ORR_REPAIR_NETWORK},
    {"gdr-off", "GPUDirect RDMA on", allow_gdr, ORR_REPAIR_NETWORK},
    {"gdr-too-far", "NCCL_NET_GDR_LEVEL at the distance of the nearest NICs", widen_gdr, ORR_REPAIR_NETWORK},
    {"setting-hinders", "these settings at their defaults", reset_settings, 0},
    {"no-tree", "NCCL_PXN_DISABLE=1", turn_pxn_off, ORR_REPAIR_NETWORK},
    {"text-sets", "these settings at their defaults", leave_out_pasted, 0},
    {"p2p-by-model", "no P2P between the GPUs (NCCL_P2P_DISABLE=1)", refuse_p2p, ORR_REPAIR_SUPPOSES},
};

const char *orr_repair_id(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? rows[i].id : NULL;
}

const struct orr_repair *orr_repair_find(const char *id)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(rows[i].id, id))
            return &rows[i];
    return NULL;
}

enum orr_code orr_patient_read(struct orr_patient *patient, const struct orr_analysis *analysis,
                               struct orr_arena *arena, struct orr_error *err)
{
    patient->analysis = analysis;
    return orr_patient_read_again(patient, analysis->given, arena, err);
}

enum orr_code orr_patient_read_again(struct orr_patient *patient, const struct orr_dump *repaired,
                                     struct orr_arena *arena, struct orr_error *err)
{
    patient->given = repaired;
    ORR_NEED(orr_hardware_read(repaired, arena, &patient->hw) && orr_groups_find(&patient->hw, arena, &patient->groups),
             err);
    orr_machine_recognise(&patient->hw, &patient->machine);
    return ORR_OK;
}

enum orr_code orr_patient_copy(const struct orr_patient *patient, struct orr_arena *arena,
                               struct orr_variant *ret_variant, struct orr_error *err)
{
    orr_variant_init(ret_variant, patient->analysis, patient->given, NULL, arena);
    ret_variant->hw = &patient->hw;
    ret_variant->machine = &patient->machine;
    ret_variant->groups = &patient->groups;
    ORR_NEED(orr_variant_copy(ret_variant), err);
    return ORR_OK;
}
