/* SPDX-License-Identifier: Apache-2.0 */
/* Findings by comparison with the recognised machine: its GPU model's NVLinks and PCIe generation, its type's GPUs and
 * NICs, and its other PCIe switches. */
#include <stdio.h>

#include "engine/findings/finder.h"
#include "engine/machines/groups.h"

static int32_t nvlinks_of(const struct orr_finder *f, uint32_t gpu)
{
    return orr_gpu_nvlinks(f->dump, f->hw.gpus[gpu]);
}

/* The number of NVLinks that every GPU has; -1 if they differ. */
static int32_t nvlinks_of_all(const struct orr_finder *f)
{
    for (uint32_t i = 1; i < f->hw.gpu_count; i++)
        if (nvlinks_of(f, i) != nvlinks_of(f, 0))
            return -1;
    return f->hw.gpu_count ? nvlinks_of(f, 0) : -1;
}

/* Whether the file has PCI ids, which NCCL writes for every device that it finds. */
static bool has_pci_ids(const struct orr_finder *f)
{
    for (uint32_t i = 0; i < f->hw.card_count; i++)
        if (f->hw.cards[i].identity)
            return true;
    return false;
}

static void point_at_gpus(struct orr_finder *f)
{
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        orr_point(f, f->hw.gpus[i]);
}

static void say_nvlinks(struct orr_finder *f)
{
    int32_t has = nvlinks_of_all(f);
    char count[16] = "no";
    if (has > 0)
        snprintf(count, sizeof count, "%d", has);
    orr_say(f, "all %u GPUs (%s) have %s NVLink%s; this model has %d", f->hw.gpu_count, f->machine.board->gpu, count,
            orr_plural(has), f->machine.nvlinks);
    point_at_gpus(f);
}

static bool nvlinks_are_known(const struct orr_finder *f)
{
    return f->machine.proven_board && f->machine.nvlinks > 0 && f->hw.gpu_count > 1;
}

/* Whether the file would list NVLinks if the GPUs had any. */
static bool would_list_nvlinks(const struct orr_finder *f)
{
    return has_pci_ids(f) && !orr_dump_assumed(f->dump, ORR_ELEMENT_NVLINK, ORR_ATTR_COUNT_);
}

static void nvlinks_missing(struct orr_finder *f)
{
    if (nvlinks_are_known(f) && would_list_nvlinks(f) && !nvlinks_of_all(f))
        say_nvlinks(f);
}

/* If a job uses only some GPUs of a mesh, direct NVLinks may lead to the others. */
static bool has_whole_board(const struct orr_finder *f)
{
    const struct orr_gpu_board *board = f->machine.board;
    return board->fabric == ORR_FABRIC_SWITCH ||
           (board->fabric == ORR_FABRIC_MESH && strlen(board->mesh[0]) == f->hw.gpu_count);
}

static void nvlinks_below_board(struct orr_finder *f)
{
    int32_t has = nvlinks_of_all(f);
    if (!nvlinks_are_known(f) || orr_slower_first(&f->hw, ORR_SLOWER_NVLINK))
        return; /* nvlink-count names those that have fewer than their equals */
    if (f->machine.board->fabric == ORR_FABRIC_MESH && !has_whole_board(f))
        return;
    if (has > 0 && has < f->machine.nvlinks) {
        say_nvlinks(f);
        return;
    }
    for (uint32_t i = 0; has < 0 && has_whole_board(f) && i < f->hw.gpu_count; i++) {
        if (nvlinks_of(f, i) >= f->machine.nvlinks)
            continue;
        char name[ORR_FOUND_NAME_SIZE];
        orr_name_device(f, f->hw.gpus[i], name);
        if (!f->at->detail)
            orr_say(f, "%s has %d NVLinks; this model (%s) has %d", name, nvlinks_of(f, i), f->machine.board->gpu,
                    f->machine.nvlinks);
        orr_point(f, f->hw.gpus[i]);
    }
}

static void nvlinks_not_in_file(struct orr_finder *f)
{
    if (nvlinks_are_known(f) && !would_list_nvlinks(f) && !nvlinks_of_all(f))
        say_nvlinks(f);
}

/* The fastest and the widest link of a GPU; returns its generation, or 0 if it says nothing about such GPUs. */
static int fastest_gpu_link(const struct orr_finder *f, float *ret_rate, int32_t *ret_lanes)
{
    *ret_rate = 0;
    *ret_lanes = 0;
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        if (card->gpus_at && (card->rate <= 0 || card->width <= 0))
            return 0; /* virtual machines may hide the link */
        if (card->gpus_at) {
            *ret_rate = card->rate > *ret_rate ? card->rate : *ret_rate;
            *ret_lanes = card->width > *ret_lanes ? card->width : *ret_lanes;
        }
    }
    const int generation = orr_pcie_generation(*ret_rate);
    const struct orr_gpu_board *board = f->machine.board;
    return board && f->machine.proven_board && !board->c2c_links && generation > 1 ? generation : 0;
}

/* Neither the CPU's model nor a faster link shows what the CPU can run at. */
static void pcie_below_gpu(struct orr_finder *f)
{
    float rate;
    int32_t lanes;
    const int generation = fastest_gpu_link(f, &rate, &lanes), best = f->machine.gpu_generation;
    if (!generation || !f->machine.shown_links || generation < f->machine.generation || generation >= best)
        return;
    orr_say(f,
            "with a CPU of PCIe generation %d (Orrery does not know this CPU), all %u GPUs (%s) can run at %g "
            "GT/s x16 (%.3g GB/s) instead of %g GT/s x%d (%.3g GB/s)",
            best, f->hw.gpu_count, f->machine.board->gpu, (double)orr_pcie_rate((unsigned)best),
            (double)orr_pcie_gbs(orr_pcie_rate((unsigned)best), 16), (double)rate, lanes,
            (double)orr_pcie_gbs(rate, lanes));
    point_at_gpus(f);
}

static void pcie_below_model(struct orr_finder *f)
{
    float most;
    int32_t widest;
    const int generation = fastest_gpu_link(f, &most, &widest);
    if (!generation || !f->machine.generation || (generation >= f->machine.generation && widest >= 16))
        return;
    orr_say(f, "all %u GPUs (%s) have %g GT/s x%d (%.3g GB/s); %s %g GT/s x16 (%.3g GB/s)", f->hw.gpu_count,
            f->machine.board->gpu, (double)most, widest, (double)orr_pcie_gbs(most, widest),
            f->machine.type_links    ? "machines of this type have"
            : f->machine.shown_links ? "the GPU and, as links of other devices show, the CPU can run at"
                                     : "GPU and CPU can run at",
            (double)orr_pcie_rate((unsigned)f->machine.generation),
            (double)orr_pcie_gbs(orr_pcie_rate((unsigned)f->machine.generation), 16));
    if (generation < f->machine.generation && f->machine.type_links)
        orr_say_remedy(f, "All GPUs have a slower PCIe link than machines of this type", NULL, NULL);
    if (generation >= f->machine.generation)
        orr_say_remedy(f, "All GPUs have fewer PCIe lanes than GPU and CPU support",
                       "Check the BIOS's bifurcation setting and the risers: the number of lanes does not depend on "
                       "the load. LnkCap shows what the GPU can do, LnkSta what it does.",
                       NULL);
    point_at_gpus(f);
}

/* "DGX H100": one name for machines that the dump cannot distinguish. */
static const char *type_title(const struct orr_finder *f)
{
    return f->machine.type->title;
}

static void read_groups(struct orr_finder *f, struct orr_groups *ret_groups)
{
    if (!orr_groups_find(&f->hw, f->arena, ret_groups))
        *ret_groups = (struct orr_groups){0};
}

/* The machine as it was given, with the NICs that a list such as NCCL_IB_HCA excludes, and those that are fused. */
struct whole {
    struct orr_hardware_facts hw;
    struct orr_groups groups;
    struct orr_machine machine;
};

static void read_whole(const struct orr_finder *f, struct whole *ret_whole)
{
    *ret_whole = (struct whole){.hw = f->hw, .machine = f->machine};
    if (f->analysis && f->analysis->given != f->dump) {
        if (!orr_hardware_read(f->analysis->given, f->arena, &ret_whole->hw))
            return;
        orr_machine_recognise(&ret_whole->hw, &ret_whole->machine);
    }
    if (!orr_groups_find(&ret_whole->hw, f->arena, &ret_whole->groups))
        ret_whole->groups = (struct orr_groups){0};
}

/* Whether a switch has too few NICs in the machine as it was given, too. */
static bool lacks_at_all(const struct orr_finder *f, const struct whole *whole, const char *bridge)
{
    const struct orr_dump *given = whole->hw.dump;
    for (uint32_t i = 0; i < whole->groups.lack_count; i++)
        if (!strcmp(orr_element_word(given, whole->hw.cards[whole->groups.lacks[i].bridge].element, ORR_ATTR_BUSID),
                    bridge))
            return true;
    return given == f->dump;
}

/* Points at missing (or only misplaced) NICs, by comparison with most PCIe switches. */
static void say_lacks(struct orr_finder *f, bool elsewhere)
{
    struct orr_groups groups;
    struct whole whole;
    read_groups(f, &groups);
    read_whole(f, &whole);
    for (uint32_t i = 0; i < groups.lack_count; i++) {
        const struct orr_lack *lack = &groups.lacks[i];
        uint32_t bridge = f->hw.cards[lack->bridge].element;
        if ((lack->stray != ORR_NO_CARD) != elsewhere ||
            !lacks_at_all(f, &whole, orr_attr_of(f, bridge, ORR_ATTR_BUSID)))
            continue;
        if (!f->at->detail && elsewhere)
            orr_say(f,
                    "NIC %.30s is outside the PCIe switch %.30s, which has %u NIC%s; most of the %u switches have %u",
                    orr_attr_of(f, f->hw.cards[lack->stray].element, ORR_ATTR_BUSID),
                    orr_attr_of(f, bridge, ORR_ATTR_BUSID), lack->has, orr_plural(lack->has), groups.group_count,
                    lack->others_have);
        else if (!f->at->detail)
            orr_say(f, "the GPUs below PCIe switch %.30s have %u NIC%s there; most of the %u switches have %u",
                    orr_attr_of(f, bridge, ORR_ATTR_BUSID), lack->has, orr_plural(lack->has), groups.group_count,
                    lack->others_have);
        orr_point(f, elsewhere ? f->hw.cards[lack->stray].element : bridge);
    }
}

/* Whether the CPUs of superchips, which are built alike, have different numbers of NICs for as many GPUs. */
static bool has_uneven_cpus(const struct orr_finder *f)
{
    const struct orr_hardware_facts *hw = &f->hw;
    uint32_t gpus[2] = {0}, nets[2] = {0}; /* the first CPU with a GPU, and the one at hand */
    for (uint32_t c = 0; f->machine.board && f->machine.board->c2c_links && c < hw->cpu_count; c++) {
        const int at = gpus[0] > 0;
        gpus[at] = nets[at] = 0;
        for (uint32_t i = 0; i < hw->card_count; i++)
            if (hw->cards[i].above == ORR_NO_CARD && hw->dump->elements[hw->cards[i].element].parent == hw->cpus[c]) {
                gpus[at] += hw->cards[i].gpus;
                nets[at] += hw->cards[i].nets;
            }
        if (at && gpus[1] == gpus[0] && nets[1] != nets[0])
            return true;
    }
    return false;
}

static void nic_missing(struct orr_finder *f)
{
    say_lacks(f, false);
    /* If no switches are visible, the machine type says how many there are. The maker of a server chooses those of
     * NVIDIA's boards, but no number that makes equal CPUs uneven. */
    struct whole whole;
    read_whole(f, &whole);
    const struct orr_machine *m = &f->machine;
    if (!f->at->detail && m->type && m->nics_here < m->nics && whole.machine.nics_here < m->nics &&
        (strcmp(m->type->family, "NVIDIA") != 0 || has_uneven_cpus(f)))
        orr_say(f, "%u NICs of %u Gb/s are in the dump; machines of this kind, such as %s, have %u", m->nics_here,
                m->type->net_mbps / 1000, type_title(f), m->nics);
    if (!f->at->detail && !m->type && m->nics_here < m->nics && whole.machine.nics_here < m->nics)
        orr_say(f, "%u NIC ports are in the dump of several hosts; if each had as many as most, there would be %u",
                m->nics_here, m->nics);
}

static void nic_misplaced(struct orr_finder *f)
{
    say_lacks(f, true);
}

const struct orr_finding_row orr_findings_machine[] = {
    {ORR_FINDING("nvlinks-missing", "L35", WARNING, NCCL, nvlinks_missing),
     .title = "No GPU has an NVLink, although this GPU model is built with NVLinks",
     .why = "GPUs exchange all data over PCIe or the network. Usually the fabric manager does not run, the driver does "
            "not match, or a virtual machine hides the NVLinks.",
     .advice = "Start the fabric manager, and compare its version with the driver's. Then check that `nvidia-smi "
               "nvlink -s` lists the links.",
     .commands = {"systemctl status nvidia-fabricmanager", "nvidia-smi nvlink -s", "nvidia-smi topo -m"},
     .references = {"NVIDIA/nccl#1182"}},
    {ORR_FINDING("nvlinks-below-board", "L35", WARNING, NCCL, nvlinks_below_board),
     .title = "GPUs have fewer NVLinks than this GPU model is built with",
     .why = "All traffic between GPUs shares the links that are left. When all GPUs lack the same links, usually one "
            "NVSwitch is down.",
     .advice = "Find the links that are down with `nvidia-smi nvlink -s`, and read the fabric manager's log.",
     .commands = {"nvidia-smi nvlink -s", "systemctl status nvidia-fabricmanager", "dmesg | grep -i nvswitch"}},
    {ORR_FINDING("nvlinks-not-in-file", "L35", INFO, NCCL, nvlinks_not_in_file),
     .title = "The file lists no NVLinks, and NCCL adds them when it runs",
     .why = "NCCL did not write this file. Cloud providers write files without PCI ids and NVLinks, and lstopo lists "
            "NVLinks only if it was built with NVML. Without NVLinks, the prediction is far too low.",
     .advice = "Analyse a dump of the running machine (NCCL_TOPO_DUMP_FILE), or name the machine type with --assume."},
    {ORR_FINDING("pcie-below-model", "L20", WARNING, NCCL, pcie_below_model),
     .title = "All GPUs have a slower PCIe link than GPU and CPU support",
     .why = "Traffic to NICs and to the CPU is limited by the slower links. Usually a BIOS setting, a riser or a "
            "retimer limits the generation or width.",
     .advice = "Check the PCIe settings of the BIOS. Compare the link's capability (LnkCap) with its state (LnkSta) "
               "while the GPUs are busy.",
     .commands = {"lspci -vv | grep -E 'LnkCap|LnkSta'", "nvidia-smi -q | grep -A8 'GPU Link Info'"}},
    {ORR_FINDING("pcie-below-gpu", "L20", INFO, NCCL, pcie_below_gpu),
     .title = "All GPUs have a slower PCIe link than they support, and the CPU is unknown",
     .why = "If the CPU supports faster links, traffic to NICs and between GPUs is slower than it has to be.",
     .advice =
         "Look up the PCIe generation of this CPU. If it is that of the GPUs, check the PCIe settings of the BIOS "
         "and the risers.",
     .commands = {"lscpu | grep 'Model name'", "lspci -vv | grep -E 'LnkCap|LnkSta'"}},
    {ORR_FINDING("nic-missing", NULL, WARNING, NCCL, nic_missing), .title = "A NIC is missing that the other GPUs have",
     .why = "Some GPUs have no NIC of their own and use one that is farther away, or share it.",
     .advice = "Check that the NIC is on the PCIe bus, its driver is loaded and its port is up.",
     .commands = {"ibdev2netdev", "lspci | grep -i -E 'mellanox|infiniband|ethernet'", "dmesg | grep -i mlx5"}},
    {ORR_FINDING("nic-misplaced", NULL, WARNING, NCCL, nic_misplaced),
     .title = "A NIC is not on the PCIe switch of its GPUs",
     .why = "Traffic between these GPUs and the NIC crosses the CPU, which is slower than the PCIe switch that the "
            "other GPUs share with their NICs.",
     .advice = "Move the NIC to a slot of that PCIe switch.", .commands = {"lspci -tv", "nvidia-smi topo -m"}},
    {0},
};
