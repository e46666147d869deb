/* Findings about NVLinks. */
#include "engine/findings/finder.h"

struct linked { /* sorted by capability, then by number of NVSwitches */
    int32_t sm, switches;
    uint32_t gpu;
};

static int compare_linked(const void *left, const void *right)
{
    const struct linked *a = left, *b = right;
    if (a->sm != b->sm)
        return a->sm < b->sm ? -1 : 1;
    if (a->switches != b->switches)
        return a->switches < b->switches ? -1 : 1;
    return (a->gpu > b->gpu) - (a->gpu < b->gpu);
}

static bool to_switch(const struct orr_finder *f, uint32_t link)
{
    return orr_pci_class_parse(orr_attr_of(f, link, ORR_ATTR_TCLASS)) == ORR_CLASS_NVS;
}

/* The value of more than half of the equals from..to-1, -1: there is none, so that nobody is the odd one. */
static int32_t mode_of(const struct linked *gpus, uint32_t from, uint32_t to)
{
    const struct linked *middle = &gpus[from + (to - from) / 2]; /* a value that more than half have is there */
    uint32_t same = 0;
    for (uint32_t i = from; i < to; i++)
        same += gpus[i].switches == middle->switches;
    return 2 * same > to - from ? middle->switches : -1;
}

/* GPUs of one capability that list another number of switches than most of them. */
static void find_odd(struct orr_finder *f)
{
    struct linked *gpus = ORR_NEW(f->arena, struct linked, f->hw.gpu_count);
    f->starved |= !gpus;
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
            if (mode < 0 || gpus[i].switches == mode)
                continue;
            if (!f->at->detail)
                orr_say(f, "GPU %.20s has %d NVSwitches; most of its %u equals have %d",
                        orr_attr_of(f, gpus[i].gpu, ORR_ATTR_DEV), gpus[i].switches, to - from, mode);
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

static int compare_reached(const void *left, const void *right)
{
    const struct reached *a = left, *b = right;
    int by_host = strcmp(a->host, b->host);
    if (by_host)
        return by_host;
    if (a->sm != b->sm)
        return a->sm < b->sm ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return (a->gpu > b->gpu) - (a->gpu < b->gpu);
}

static uint32_t equals_of(const struct orr_finder *f, const struct reached *one)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        count += orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_SM, 0) == one->sm &&
                 !strcmp(orr_host_of(f, f->hw.gpus[i]), one->host);
    return count;
}

/* GPUs that do not list a switch that most of their equals list: as many switches, but others. */
static void find_unreached(struct orr_finder *f)
{
    enum { MOST_GPUS = 1024 }; /* what a file may hold besides is no machine */
    struct reached *list = ORR_NEW(f->arena, struct reached, f->dump->element_count);
    uint32_t count = 0;
    f->starved |= !list;
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
        if (2 * gpus <= equals || gpus == equals)
            continue;
        for (uint32_t i = 0; i < f->hw.gpu_count; i++) {
            const struct reached key = {list[from].host, list[from].sm, list[from].target, f->hw.gpus[i]};
            if (orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_SM, 0) != key.sm ||
                strcmp(orr_host_of(f, f->hw.gpus[i]), key.host) != 0 ||
                bsearch(&key, list + from, to - from, sizeof *list, compare_reached))
                continue;
            char bus[ORR_BUS_ID_SIZE];
            if (!f->at->detail)
                orr_say(f, "GPU %.20s does not reach the NVSwitch %s, which %u of its %u equals reach",
                        orr_attr_of(f, f->hw.gpus[i], ORR_ATTR_DEV), orr_bus_id_format(key.target, bus), gpus, equals);
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
        if (f->dump->elements[i].kind != ORR_ELEMENT_NVLINK)
            continue;
        const char *target = orr_attr_of(f, i, ORR_ATTR_TARGET);
        if (strncmp(target, "fffffff", 7) != 0 && strcmp(target, "-1") != 0)
            continue;
        if (!f->at->detail)
            orr_say(f, "target=\"%.40s\"", target);
        orr_point(f, i);
    }
}

struct lane { /* GPU a lists GPU b; sorted */
    const char *host;
    uint64_t from, to;
    int32_t count;
    uint32_t element;
};

static int compare_lanes(const void *left, const void *right)
{
    const struct lane *a = left, *b = right;
    int by_host = strcmp(a->host, b->host);
    if (by_host)
        return by_host;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Only between GPUs that are both in the dump and have NVLinks, as others are left out of a dump on purpose. */
static void one_sided(struct orr_finder *f)
{
    struct lane *lanes = ORR_NEW(f->arena, struct lane, f->dump->element_count);
    uint32_t count = 0;
    f->starved |= !lanes;
    for (uint32_t i = 0; lanes && i < f->dump->element_count; i++) {
        if (f->dump->elements[i].kind != ORR_ELEMENT_NVLINK || f->hw.card_of[i] == UINT32_MAX ||
            orr_pci_class_parse(orr_attr_of(f, i, ORR_ATTR_TCLASS)) != ORR_CLASS_GPU)
            continue;
        const char *bus_id = orr_attr_of(f, f->hw.cards[f->hw.card_of[i]].element, ORR_ATTR_BUSID);
        lanes[count++] = (struct lane){orr_host_of(f, i), orr_bus_id_parse(bus_id),
                                       orr_bus_id_parse(orr_attr_of(f, i, ORR_ATTR_TARGET)),
                                       orr_element_int(f->dump, i, ORR_ATTR_COUNT_, 0), i};
    }
    if (!count)
        return;
    qsort(lanes, count, sizeof *lanes, compare_lanes);
    for (uint32_t i = 0; i < count; i++) {
        struct lane back = {.host = lanes[i].host, .from = lanes[i].to, .to = lanes[i].from};
        const struct lane *found = bsearch(&back, lanes, count, sizeof *lanes, compare_lanes);
        if (found && found->count == lanes[i].count)
            continue;
        bool here = false;
        for (uint32_t c = 0; !found && c < f->hw.gpu_count && !here; c++) {
            uint32_t card = f->hw.card_of[f->hw.gpus[c]];
            here = card != UINT32_MAX &&
                   orr_bus_id_parse(orr_attr_of(f, f->hw.cards[card].element, ORR_ATTR_BUSID)) == lanes[i].to;
        }
        if (!found && !here)
            continue;
        if (!f->at->detail)
            orr_say(f, "%d NVLinks to %.30s, which reports %d back", lanes[i].count,
                    orr_attr_of(f, lanes[i].element, ORR_ATTR_TARGET), found ? found->count : 0);
        orr_point(f, lanes[i].element);
    }
}

static bool is_nvlink(const struct orr_path *path)
{
    return path->type == ORR_PATH_NVL || path->type == ORR_PATH_NVB;
}

/* The GPUs that NVLink joins with GPU 0 of the part, directly or over others. */
static void nvlink_islands(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t first = part->system.first[ORR_GPU], n = orr_system_count(&part->system, ORR_GPU), reached = 1, linked = 0;
    uint32_t *queue = ORR_NEW(f->arena, uint32_t, n + 1);
    unsigned char *seen = ORR_NEW(f->arena, unsigned char, n + 1);
    f->starved |= !queue || !seen;
    if (f->starved || n < 3 || orr_system_count(&part->system, ORR_NVS))
        return;
    seen[0] = 1;
    for (uint32_t at = 0; at < reached; at++)
        for (uint32_t g = 0; g < n; g++)
            if (!seen[g] && is_nvlink(orr_path(&part->paths, first + queue[at], first + g))) {
                seen[g] = 1;
                queue[reached++] = g;
            }
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            linked += a != b && is_nvlink(orr_path(&part->paths, first + a, first + b));
    if (!linked || reached == n)
        return;
    orr_say(f, "NVLink connects %u of %u pairs of GPUs, and GPU 0 with %u others", linked / 2, n * (n - 1) / 2,
            reached - 1);
    for (uint32_t g = 0; g < n; g++)
        if (!seen[g])
            orr_point_node(f, &part->system, first + g);
}

static void fewer_than_model(struct orr_finder *f)
{
    static const struct {
        int32_t sm, links;
    } models[] = {{70, 6}, {80, 12}, {90, 18}, {100, 18}};
    int32_t links = f->hw.gpu_count ? orr_gpu_nvlinks(f->dump, f->hw.gpus[0]) : 0;
    int32_t sm = f->hw.gpu_count ? orr_element_int(f->dump, f->hw.gpus[0], ORR_ATTR_SM, 0) : 0;
    for (uint32_t i = 1; i < f->hw.gpu_count; i++)
        if (orr_gpu_nvlinks(f->dump, f->hw.gpus[i]) != links ||
            orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_SM, 0) != sm)
            return;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (models[i].sm == sm && links > 0 && links < models[i].links && f->hw.gpu_count > 1)
            orr_say(f, "%d NVLinks on every GPU; the full model of compute capability %d.%d has %d", links, sm / 10,
                    sm % 10, models[i].links);
}

const struct orr_finding_row orr_findings_nvlink[] = {
    {
        .id = "nvlink-count",
        .catalogue = "L30",
        .severity = ORR_SEVERITY_WARNING,
        .find = nvlink_count,
        .title = "A GPU has fewer NVLinks than its equals",
        .why = "All channels run at the bandwidth of the GPU with the fewest NVLinks. Usually a link is down.",
        .advice = "Find the links that are down with `nvidia-smi nvlink -s`. Resetting the GPU or restarting the "
                  "fabric manager may bring them up.",
        .commands = {"nvidia-smi nvlink -s", "nvidia-smi nvlink -e", "dmesg | grep -i nvlink"},
        .references = {"NVIDIA/nccl#1182", "NVIDIA/nccl#557"},
    },
    {
        .id = "nvlink-targets",
        .catalogue = "L31",
        .severity = ORR_SEVERITY_WARNING,
        .find = nvlink_targets,
        .title = "A GPU reaches other NVSwitches than the other GPUs",
        .why = "No GPU can use a switch for collectives that one GPU does not reach.",
        .advice = "Check the fabric manager and the NVLinks of that GPU.",
        .commands = {"systemctl status nvidia-fabricmanager", "nvidia-smi nvlink -R"},
        .references = {"NVIDIA/nccl#1182"},
        .follows_from = {"nvlink-count"},
    },
    {
        .id = "nvlink-target-hidden",
        .catalogue = "L32",
        .severity = ORR_SEVERITY_INFO,
        .find = target_hidden,
        .title = "The NVLinks' targets are unknown",
        .why = "NCCL assumes that these links lead to NVSwitches. Virtual machines and newer drivers hide NVSwitches.",
        .advice = "This is normal if all GPUs are affected.",
        .references = {"NVIDIA/nccl#1182"},
    },
    {
        .id = "nvlink-one-sided",
        .catalogue = "L33",
        .severity = ORR_SEVERITY_WARNING,
        .find = one_sided,
        .title = "Two GPUs report different numbers of NVLinks to each other",
        .why = "Each link has two ends, so the numbers should be equal. Either a link is down on one side, or the file "
               "was edited.",
        .advice = "Write the dump again, then check the NVLinks of both GPUs.",
        .commands = {"nvidia-smi nvlink -s", "nvidia-smi topo -m"},
        .follows_from = {"nvlink-count"},
    },
    {
        .id = "nvlink-islands",
        .catalogue = "L34",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = nvlink_islands,
        .title = "NVLink connects only some of the GPUs",
        .why = "A ring over all GPUs crosses PCIe, which limits its bandwidth.",
        .advice = "Run small jobs on GPUs that NVLink connects (CUDA_VISIBLE_DEVICES).",
        .commands = {"nvidia-smi topo -m"},
        .references = {"NVIDIA/nccl-tests#178", "NVIDIA/nccl#1423"},
        .follows_from = {"nvlink-count", "nvlink-one-sided"},
    },
    {
        .id = "nvlink-model",
        .catalogue = "L35",
        .severity = ORR_SEVERITY_INFO,
        .find = fewer_than_model,
        .title = "All GPUs have fewer NVLinks than the full model has",
        .why = "Either this model has fewer links (such as H800 or A800), bridges connect only some of the links, or "
               "links are down on all GPUs.",
        .advice = "Compare with the data sheet of the model, and check `nvidia-smi nvlink -s`.",
        .commands = {"nvidia-smi -L", "nvidia-smi nvlink -s"},
    },
    {0},
};
