/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs and their NVLinks. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hex.h"
#include "engine/detect/detecting.h"
#include "engine/hardware/gpu_models.h"

/* One NVIDIA function, without the driver's help. */
static void take_function(struct orr_detector *d, const char *bus_id)
{
    char path[ORR_PATH_SIZE], vendor[ORR_SYS_VALUE], class[ORR_SYS_VALUE], device[ORR_SYS_VALUE];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%.16s", bus_id);
    orr_sys_value(d, path, "vendor", vendor);
    if (strcmp(vendor, "0x10de"))
        return;
    orr_sys_value(d, path, "class", class);
    orr_sys_value(d, path, "device", device);
    if (!strncmp(class, "0x0680", 6)) {
        orr_note(d, ORR_NOTE_NO_NVLINK_DATA,
                 "the machine has NVSwitches (%s at %s), but without NVML Orrery does not know which NVLinks lead "
                 "there, so it writes the GPUs without NVLink",
                 device, bus_id);
        return;
    }
    if (!orr_is_gpu_function(d, bus_id) || d->facts.gpu_count == ORR_FACT_GPUS)
        return;
    struct orr_gpu_fact *gpu = &d->facts.gpus[d->facts.gpu_count++];
    int sm = orr_gpu_sm_of_device((uint32_t)strtoul(device, NULL, 0));
    if (!sm) {
        sm = d->options->sm;
        orr_note(d, ORR_NOTE_NO_CAPABILITY, "the compute capability of device 10de:%.6s at %s is not known%s",
                 device + (strncmp(device, "0x", 2) ? 0 : 2), bus_id,
                 sm ? ": it was given" : ": Orrery writes the GPU without one, so it takes no part");
    }
    *gpu = (struct orr_gpu_fact){.gdr = ORR_NO, .dma_buf = ORR_NO, .major = sm / 10, .minor = sm % 10};
    orr_bus_id_tidy(bus_id, gpu->bus_id);
}

void orr_gpus_find(struct orr_detector *d)
{
    enum { MOST = 32 };
    struct orr_root_names names;
    if (!d->facts.nvml) {
        d->facts.gpu_count = 0;
        orr_note(d, ORR_NOTE_NO_NVML,
                 "NVML cannot be asked: %s. GPUs were taken from the PCI tree in the order of their bus ids, without "
                 "NVLinks, with capability by device id and gdr 0; NCCL itself would not start",
                 d->facts.nvml_problem[0] ? d->facts.nvml_problem : "the copy has no answers from it");
        if (orr_detector_list(d, "/sys/bus/pci/devices", &names))
            for (uint32_t i = 0; i < names.count; i++)
                if (orr_looks_like_bus_id(names.names[i], strlen(names.names[i])))
                    take_function(d, names.names[i]);
    } else if (!d->facts.cuda && d->facts.gpu_count) {
        bool told = true;
        for (uint32_t i = 0; i < d->facts.gpu_count; i++)
            told = told && d->facts.gpus[i].gdr != ORR_UNKNOWN;
        if (!told)
            orr_note(d, ORR_NOTE_NO_CUDA, "the CUDA driver cannot be asked: %s",
                     d->facts.cuda_problem[0] ? d->facts.cuda_problem : "it was not tried");
    }
    if (d->facts.nvml && d->facts.nvml_problem[0])
        orr_note(d, ORR_NOTE_GPU_LOST, "a GPU that NVML counts does not answer: %s; NCCL itself would not start",
                 d->facts.nvml_problem);
    if (!d->facts.gpu_count)
        orr_note(d, ORR_NOTE_NO_GPUS, "%s", d->facts.nvml ? "NVML lists no GPU" : "no NVIDIA GPU is in the PCI tree");
    if (d->facts.gpu_count > MOST)
        orr_note(d, ORR_NOTE_MANY_GPUS, "there are %u GPUs", d->facts.gpu_count);
}

/* Whether NICs may reach the memory of a GPU; assumed from its name if the driver did not say. */
static int gdr_of(struct orr_detector *d, const struct orr_gpu_fact *gpu)
{
    if (gpu->gdr != ORR_UNKNOWN)
        return gpu->gdr;
    int gdr = !strstr(gpu->name, "GeForce");
    orr_note(d, ORR_NOTE_GDR_ASSUMED, "gdr of GPUs named \"%s\" is assumed to be %d", gpu->name, gdr);
    return gdr;
}

static void far_end(const struct orr_detector *d, const struct orr_nvlink_fact *link, char target[ORR_FACT_BUS])
{
    bool blank = !link->far[0];
    for (const char *c = link->far; *c; c++)
        blank = blank || !isprint((unsigned char)*c);
    if (blank && d->rules.blank_far_end_is_switch) {
        snprintf(target, ORR_FACT_BUS, "fffffff:ffff:ff");
        return;
    }
    size_t length = strlen(link->far);
    for (size_t i = 0; i <= length; i++)
        target[i] = (char)tolower((unsigned char)link->far[i]);
}

/* How many NVLinks NCCL asks for, from a compute capability on. */
static const struct {
    int sm;
    unsigned probes;
} nvlink_probes[] = {{60, 4}, {70, 6}, {80, 12}, {90, 18}};

static void add_nvlinks(struct orr_detector *d, struct orr_doc_node *element, const struct orr_gpu_fact *gpu, int sm)
{
    const size_t known = sizeof nvlink_probes / sizeof nvlink_probes[0] - !d->rules.probes_18_nvlinks;
    unsigned probes = 0;
    for (size_t i = 0; i < known && sm >= nvlink_probes[i].sm; i++)
        probes = nvlink_probes[i].probes;
    for (unsigned i = 0; i < probes; i++) {
        const struct orr_nvlink_fact *link = &gpu->links[i];
        char target[ORR_FACT_BUS];
        if (!link->p2p || !link->up || !link->far_known)
            continue;
        far_end(d, link, target);
        struct orr_doc_node *nvlink = orr_doc_child_with(element, ORR_ELEMENT_NVLINK, ORR_ATTR_TARGET, target);
        if (!nvlink) {
            nvlink = orr_doc_add(d->tree, element, ORR_ELEMENT_NVLINK, NULL);
            orr_doc_set(d->tree, nvlink, ORR_ATTR_TARGET, "%s", target);
        }
        const char *count = orr_doc_get(nvlink, ORR_ATTR_COUNT_);
        orr_doc_set(d->tree, nvlink, ORR_ATTR_COUNT_, "%d", count ? (int)strtol(count, NULL, 0) + 1 : 1);
    }
}

static void add_c2c(const struct orr_detector *d, struct orr_doc_node *element, const struct orr_gpu_fact *gpu, int sm)
{
    enum { HOPPER = 90 };
    if (!d->rules.c2c || sm < HOPPER || !gpu->c2c_count)
        return;
    struct orr_doc_node *c2c = orr_doc_add(d->tree, element, ORR_ELEMENT_C2C, NULL);
    orr_doc_set(d->tree, c2c, ORR_ATTR_BW, "%u", gpu->c2c_bw);
    orr_doc_set(d->tree, c2c, ORR_ATTR_COUNT_, "%u", gpu->c2c_count);
}

/* Sets the class of each NVLink's far end; a device that /sys does not show is assumed to be an NVSwitch. */
static void set_far_classes(struct orr_detector *d, struct orr_doc_node *element)
{
    for (struct orr_doc_node *nvlink = element->first; nvlink; nvlink = nvlink->after) {
        const char *target = orr_doc_get(nvlink, ORR_ATTR_TARGET);
        char class[ORR_SYS_VALUE];
        if (nvlink->kind != ORR_ELEMENT_NVLINK || orr_doc_get(nvlink, ORR_ATTR_TCLASS) || !target)
            continue;
        const char *path = strcmp(target, "fffffff:ffff:ff") ? orr_bus_path(d, target) : NULL;
        if (path)
            orr_sys_value(d, path, "class", class);
        if (!path)
            orr_doc_set(d->tree, nvlink, ORR_ATTR_TCLASS, "0x068000");
        else if (class[0])
            orr_doc_set(d->tree, nvlink, ORR_ATTR_TCLASS, "%s", class);
    }
}

/* The host's `fabric` for a cluster file. */
static void note_fabric(struct orr_detector *d, const struct orr_gpu_fact *gpu)
{
    static const char *const states[] = {"not-supported", "not-started", "in-progress", "completed"};
    char uuid[2 * sizeof gpu->fabric_id + 1];
    if (!gpu->fabric || gpu->fabric_state == 0 || gpu->fabric_state >= sizeof states / sizeof states[0])
        return;
    orr_hex_write(gpu->fabric_id, sizeof gpu->fabric_id, uuid);
    orr_note(d, ORR_NOTE_FABRIC,
             "the GPUs belong to an NVLink fabric that may reach other hosts: {\"uuid\": \"%s\", \"clique\": %u, "
             "\"state\": \"%s\"}",
             uuid, gpu->clique, states[gpu->fabric_state]);
}

void orr_gpu_add(struct orr_detector *d, uint32_t rank)
{
    const struct orr_gpu_fact *gpu = &d->facts.gpus[rank];
    struct orr_doc_node *pci = orr_bus_element(d, gpu->bus_id, "0x03");
    if (!orr_bus_path(d, gpu->bus_id) && !d->off_bus)
        orr_note(d, ORR_NOTE_GPU_HIDDEN, "GPU %s is not in /sys: its place in the PCI tree and its link are not known",
                 gpu->bus_id);
    orr_bus_complete(d, pci);
    orr_doc_set_once(d->tree, pci, ORR_ATTR_CLASS, "0x03");
    int sm = gpu->major * 10 + gpu->minor;
    if (sm <= 0) {
        pci->claimed = true;
        return; /* NCCL could not read a GPU without a capability */
    }
    struct orr_doc_node *element = orr_doc_child(pci, ORR_ELEMENT_GPU);
    if (!element)
        element = orr_doc_add(d->tree, pci, ORR_ELEMENT_GPU, NULL);
    orr_doc_set_once(d->tree, element, ORR_ATTR_DEV, "%u", rank);
    const char *dev = orr_doc_get(element, ORR_ATTR_DEV);
    if (dev && strtol(dev, NULL, 0) == -1)
        return; /* the topology file excludes this GPU with dev="-1" */
    orr_doc_set_once(d->tree, element, ORR_ATTR_SM, "%d", sm);
    const char *known = orr_doc_get(element, ORR_ATTR_SM);
    sm = known ? (int)strtol(known, NULL, 0) : sm;
    if (d->rules.adds_nvlinks_again || !orr_doc_child(element, ORR_ELEMENT_NVLINK))
        add_nvlinks(d, element, gpu, sm);
    if (!orr_doc_child(element, ORR_ELEMENT_C2C))
        add_c2c(d, element, gpu, sm);
    set_far_classes(d, element);
    orr_doc_set(d->tree, element, ORR_ATTR_RANK, "%u", rank);
    orr_doc_set_once(d->tree, element, ORR_ATTR_GDR, "%d", gdr_of(d, gpu));
    if (d->rules.mlopart)
        orr_doc_set(d->tree, element, ORR_ATTR_MLOPART, "-1");
    element->claimed = true;
    note_fabric(d, gpu);
}
