/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about NVLinks. */
#include "engine/base/sorting.h"
#include "engine/findings/finder.h"
#include "engine/hardware/gpu_models.h"

struct linked { /* sorted by capability, then by number of NVSwitches */
    int32_t sm, switches;
    uint32_t gpu;
};

ORR_COMPARATOR(compare_linked, struct linked, ORR_ORDER(a->sm, b->sm), ORR_ORDER(a->switches, b->switches),
               ORR_ORDER(a->gpu, b->gpu))

static bool to_switch(const struct orr_finder *f, uint32_t link)
{
    return orr_pci_class_parse(orr_attr_of(f, link, ORR_ATTR_TCLASS)) == ORR_CLASS_NVS;
}

/* The value that more than half of the equals from..to-1 have; -1 if there is none, and then none is reported. */
static int32_t mode_of(const struct linked *gpus, uint32_t from, uint32_t to)
{
    const struct linked *middle = &gpus[from + (to - from) / 2]; /* if more than half have one value, it is in the
                                                                  * middle */
    uint32_t same = 0;
    for (uint32_t i = from; i < to; i++)
        same += gpus[i].switches == middle->switches;
    return 2 * same > to - from ? middle->switches : -1;
}

/* GPUs that list another number of switches than most GPUs of their capability. */
static void find_odd(struct orr_finder *f)
{
    struct linked *gpus = ORR_NEW(f->arena, struct linked, f->hw.gpu_count);
    if (!gpus || !f->hw.gpu_count)
        return;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++) {
        struct linked *gpu = &gpus[i];
        *gpu = (struct linked){.sm = orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_SM, 0), .gpu = f->hw.gpus[i]};
        for (uint32_t link = f->dump->elements[gpu->gpu].first_child; link != ORR_NO_ELEMENT;
             link = f->dump->elements[link].next_sibling)
            gpu->switches += f->dump->elements[link].kind == ORR_ELEMENT_NVLINK && to_switch(f, link);
    }
    qsort(gpus, f->hw.gpu_count, sizeof *gpus, compare_linked);
    for (uint32_t from = 0, to; from < f->hw.gpu_count; from = to) {
        for (to = from; to < f->hw.gpu_count && gpus[to].sm == gpus[from].sm; to++)
            ;
        int32_t mode = mode_of(gpus, from, to);
        for (uint32_t i = from; i < to; i++) {
            /* A GPU without any NVLink is nvlink-count's. */
            if (mode < 0 || gpus[i].switches == mode || !orr_gpu_nvlinks(f->dump, gpus[i].gpu))
                continue;
            char name[ORR_FOUND_NAME_SIZE];
            orr_name_device(f, gpus[i].gpu, name);
            if (!f->at->detail)
                orr_say(f, "%s has %d NVSwitches; most of its %u equals have %d", name, gpus[i].switches, to - from,
                        mode);
            orr_point(f, gpus[i].gpu);
        }
    }
}

static void nvlink_count(struct orr_finder *f)
{
    orr_say_slower(f, ORR_SLOWER_NVLINK);
}

struct reached { /* an NVSwitch that a GPU lists; sorted by host, capability, switch */
    const char *host;
    int32_t sm;
    uint64_t target;
    uint32_t gpu;
};

ORR_COMPARATOR(compare_reached, struct reached, strcmp(a->host, b->host), ORR_ORDER(a->sm, b->sm),
               ORR_ORDER(a->target, b->target), ORR_ORDER(a->gpu, b->gpu))

static uint32_t equals_of(const struct orr_finder *f, const struct reached *one)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        count += orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_SM, 0) == one->sm &&
                 !strcmp(orr_host_of(f, f->hw.gpus[i]), one->host);
    return count;
}

/* Some files call GPUs switches. */
static bool is_gpu(const struct orr_finder *f, uint64_t bus_id)
{
    for (uint32_t i = 0; i < f->hw.gpu_count; i++) {
        uint32_t card = f->hw.card_of[f->hw.gpus[i]];
        if (card != ORR_NO_CARD &&
            orr_bus_id_parse(orr_attr_of(f, f->hw.cards[card].element, ORR_ATTR_BUSID)) == bus_id)
            return true;
    }
    return false;
}

/* GPUs that list as many switches as their equals, but not one that most of these list. */
static void find_unreached(struct orr_finder *f)
{
    enum { MOST_GPUS = 1024 }; /* larger numbers in a file do not describe a machine */
    struct reached *list = ORR_NEW(f->arena, struct reached, f->dump->element_count);
    uint32_t count = 0;
    for (uint32_t i = 0; list && i < f->hw.gpu_count && f->hw.gpu_count <= MOST_GPUS; i++)
        for (uint32_t l = f->dump->elements[f->hw.gpus[i]].first_child; l != ORR_NO_ELEMENT;
             l = f->dump->elements[l].next_sibling)
            if (f->dump->elements[l].kind == ORR_ELEMENT_NVLINK && to_switch(f, l))
                list[count++] = (struct reached){orr_host_of(f, f->hw.gpus[i]),
                                                 orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_SM, 0),
                                                 orr_bus_id_parse(orr_attr_of(f, l, ORR_ATTR_TARGET)), f->hw.gpus[i]};
    if (!count)
        return;
    qsort(list, count, sizeof *list, compare_reached);
    uint32_t equals = 0;
    for (uint32_t from = 0, to; from < count && !f->at->detail; from = to) {
        uint32_t gpus = 0;
        if (!from || list[from].sm != list[from - 1].sm || strcmp(list[from].host, list[from - 1].host) != 0)
            equals = equals_of(f, &list[from]);
        for (to = from; to < count && list[to].target == list[from].target && list[to].sm == list[from].sm &&
                        !strcmp(list[to].host, list[from].host);
             to++)
            gpus += to == from || list[to].gpu != list[to - 1].gpu;
        if (2 * gpus <= equals || gpus == equals || is_gpu(f, list[from].target))
            continue;
        for (uint32_t i = 0; i < f->hw.gpu_count; i++) {
            const struct reached key = {list[from].host, list[from].sm, list[from].target, f->hw.gpus[i]};
            if (orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_SM, 0) != key.sm ||
                strcmp(orr_host_of(f, f->hw.gpus[i]), key.host) != 0 || !orr_gpu_nvlinks(f->dump, key.gpu) ||
                bsearch(&key, list + from, to - from, sizeof *list, compare_reached))
                continue;
            char bus[ORR_BUS_ID_SIZE], name[ORR_FOUND_NAME_SIZE];
            orr_name_device(f, f->hw.gpus[i], name);
            if (!f->at->detail)
                orr_say(f, "%s does not reach the NVSwitch %s, which %u of its %u equals reach", name,
                        orr_bus_id_format(key.target, bus), gpus, equals);
            orr_point(f, f->hw.gpus[i]);
        }
    }
}

static void nvlink_targets(struct orr_finder *f)
{
    find_odd(f);
    if (!f->at->detail)
        find_unreached(f);
}

static void target_hidden(struct orr_finder *f)
{
    for (uint32_t i = 0; i < f->dump->element_count; i++) {
        if (f->dump->elements[i].kind != ORR_ELEMENT_NVLINK ||
            orr_dump_assumed(f->dump, ORR_ELEMENT_NVLINK, ORR_ATTR_TARGET)) /* Orrery made it up */
            continue;
        const char *target = orr_attr_of(f, i, ORR_ATTR_TARGET);
        if (strncmp(target, "fffffff", 7) != 0 && strcmp(target, "-1") != 0)
            continue;
        if (!f->at->detail)
            orr_say(f, "target=\"%.40s\"", target);
        orr_point(f, i);
    }
}

static void no_links(struct orr_finder *f)
{
    for (uint32_t i = 0; i < f->dump->element_count; i++) {
        if (f->dump->elements[i].kind != ORR_ELEMENT_NVLINK || orr_element_int(f->dump, i, ORR_ATTR_COUNT_, 1) != 0)
            continue;
        if (!f->at->detail)
            orr_say(f, "count=\"0\" towards %.40s", orr_attr_of(f, i, ORR_ATTR_TARGET));
        orr_point(f, i);
    }
}

static void fewer_than_model(struct orr_finder *f)
{
    int32_t links = f->hw.gpu_count ? orr_gpu_nvlinks(f->dump, f->hw.gpus[0]) : 0;
    int32_t sm = f->hw.gpu_count ? orr_element_int(f->dump, f->hw.gpus[0], ORR_ATTR_SM, 0) : 0;
    for (uint32_t i = 1; i < f->hw.gpu_count; i++)
        if (orr_gpu_nvlinks(f->dump, f->hw.gpus[i]) != links ||
            orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_SM, 0) != sm)
            return;
    if (f->machine.proven_board && f->machine.nvlinks > 0)
        return; /* nvlinks-below-board knows how many this machine has */
    const int32_t full = orr_gpu_most_nvlinks(sm);
    if (links > 0 && links < full && f->hw.gpu_count > 1)
        orr_say(f, "%d NVLink%s on every GPU; the full model of compute capability %d.%d has %d", links,
                orr_plural(links), sm / 10, sm % 10, full);
}

const struct orr_finding_row orr_findings_nvlink[] = {
    {ORR_FINDING("nvlink-count", "L30", WARNING, NCCL, nvlink_count),
     .title = "A GPU has fewer NVLinks than its equals",
     .why = "All channels run at the bandwidth of the GPU with the fewest NVLinks. With NVSwitches, a link is usually "
            "down; among cards that bridges join, one may have no bridge.",
     .advice = "Find the links that are down with `nvidia-smi nvlink -s`. Resetting the GPU or restarting the fabric "
               "manager may bring them up. A card without a bridge has none: leave it out of jobs that need NVLink.",
     .commands = {"nvidia-smi nvlink -s", "nvidia-smi nvlink -e", "dmesg | grep -i nvlink"},
     .references = {"NVIDIA/nccl#1182", "NVIDIA/nccl#557"}},
    {ORR_FINDING("nvlink-targets", "L31", WARNING, NCCL, nvlink_targets),
     .title = "A GPU reaches other NVSwitches than the other GPUs",
     .why = "No GPU can use a switch for collectives that one GPU does not reach.",
     .advice = "Check the fabric manager and the NVLinks of that GPU.",
     .commands = {"systemctl status nvidia-fabricmanager", "nvidia-smi nvlink -R"}, .references = {"NVIDIA/nccl#1182"},
     .follows_from = {"nvlink-count", "nvlink-zero"}},
    {ORR_FINDING("nvlink-target-hidden", "L32", INFO, NCCL, target_hidden), .title = "The NVLinks' targets are unknown",
     .why = "NCCL assumes that these links lead to NVSwitches. Virtual machines and newer drivers hide NVSwitches.",
     .advice = "This is normal if all GPUs are affected.", .references = {"NVIDIA/nccl#1182"}},
    {ORR_FINDING("nvlink-zero", "L34", WARNING, NCCL, no_links),
     .title = "The dump lists an NVLink connection with 0 links",
     .why = "NCCL treats it as an NVLink path of 0 GB/s and does not look for another path between these devices.",
     .advice =
         "Check the NVLinks of that GPU, then write the dump again. In a file written by hand, remove the element.",
     .commands = {"nvidia-smi nvlink -s"}, .follows_from = {"nvlink-count"}},
    {ORR_FINDING("nvlink-model", "L35", INFO, NCCL, fewer_than_model),
     .title = "All GPUs have fewer NVLinks than the full model has",
     .why =
         "Either this model has fewer links (such as H800 or A800), bridges connect only some of the links or are not "
         "plugged in fully, or links are down on all GPUs.",
     .advice = "Compare with the data sheet of the model, and check `nvidia-smi nvlink -s`. Press bridges in.",
     .commands = {"nvidia-smi -L", "nvidia-smi nvlink -s"}},
    {0},
};
