/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises the environment in which detection runs. Containers, WSL and Jetson boards each hide devices in their own
 * way. Notes say so, lest anybody conclude that hidden devices are missing. Everything is read through the root, so it
 * works on a copy, too. */
#include <stdio.h>
#include <string.h>

#include "engine/base/hex.h"
#include "engine/detect/detecting.h"

static bool is_there(const struct orr_detector *d, const char *path)
{
    return orr_root_find(d->root, path, NULL) != ORR_ROOT_NONE;
}

/* WSL: the kernel is Microsoft's, and GPUs are behind /dev/dxg. */
static void look_for_wsl(struct orr_detector *d)
{
    char kernel[ORR_SYS_VALUE];
    orr_root_read(d->root, "/proc/sys/kernel/osrelease", kernel, sizeof kernel);
    if (!strstr(kernel, "microsoft") && !strstr(kernel, "WSL"))
        return;
    d->off_bus = true;
    orr_note(d, ORR_NOTE_WSL,
             "this is WSL (kernel %.60s). Windows provides the GPUs through /dev/dxg, and they have no place in the "
             "PCI tree. So NCCL knows neither their switches nor their CPUs; NICs are virtual%s",
             kernel, d->facts.nvml ? "" : ", and NVML lies in /usr/lib/wsl/lib");
}

static void look_for_jetson(struct orr_detector *d)
{
    char model[ORR_SYS_VALUE];
    orr_root_read(d->root, "/sys/firmware/devicetree/base/model", model, sizeof model);
    bool named =
        strstr(model, "Jetson") || strstr(model, "Tegra") || (strstr(model, "NVIDIA") && strstr(model, "Thor"));
    if (!named && !is_there(d, "/etc/nv_tegra_release"))
        return;
    d->off_bus = true;
    orr_note(d, ORR_NOTE_JETSON, "this is %s%.60s: its GPU is part of the processor, not a PCI device%s",
             named ? "" : "a Jetson board", named ? model : "",
             d->facts.nvml ? "" : ", and without NVML nothing shows it; NCCL itself would not start");
}

/* The driver's kernel module is loaded, but its libraries are missing: usually a container that was given no GPUs. */
static void look_for_half_a_driver(struct orr_detector *d)
{
    bool asked = d->facts.nvml_problem[0] && strcmp(d->facts.nvml_problem, ORR_NOT_ASKED) != 0;
    if (!d->facts.nvml && asked && is_there(d, "/sys/module/nvidia/version"))
        orr_note(d, ORR_NOTE_HALF_A_DRIVER,
                 "the kernel has NVIDIA's driver loaded, but its library does not answer here: either this container "
                 "was started without GPUs, or the driver is only partly installed");
}

static void look_for_hidden_rdma(struct orr_detector *d)
{
    if (orr_root_find(d->root, "/dev/infiniband", NULL) == ORR_ROOT_FOLDER && !is_there(d, "/sys/class/infiniband"))
        orr_note(d, ORR_NOTE_HIDDEN_RDMA,
                 "/dev/infiniband exists, but /sys/class/infiniband does not, so Orrery cannot list the RDMA devices");
}

void orr_surroundings_look(struct orr_detector *d)
{
    look_for_wsl(d);
    look_for_jetson(d);
    look_for_half_a_driver(d);
    look_for_hidden_rdma(d);
}

bool orr_is_gpu_function(const struct orr_detector *d, const char *bus_id)
{
    char path[ORR_PATH_SIZE], value[ORR_SYS_VALUE];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%.16s", bus_id);
    orr_sys_value(d, path, "vendor", value);
    if (strcmp(value, "0x10de"))
        return false;
    orr_sys_value(d, path, "class", value);
    size_t used = strlen(path);
    snprintf(path + used, sizeof path - used, "/physfn"); /* a virtual function is not a GPU of this host */
    return !strncmp(value, "0x03", 4) && orr_root_look(d->root, path, NULL) == ORR_ROOT_NONE;
}

/* Notes a GPU bound to another driver: passed to a virtual machine, or waiting for NVIDIA's driver. */
static void check_driver(struct orr_detector *d, const char *bus_id)
{
    char path[ORR_PATH_SIZE], target[ORR_PATH_SIZE];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%.16s", bus_id);
    if (orr_root_find(d->root, path, target) == ORR_ROOT_NONE)
        return;
    size_t used = strlen(target);
    snprintf(path, sizeof path, "%.*s/driver", (int)(used < 900 ? used : 900), target);
    if (orr_root_look(d->root, path, target) != ORR_ROOT_LINK)
        return;
    const char *slash = strrchr(target, '/'), *driver = slash ? slash + 1 : target;
    if (strcmp(driver, "nvidia"))
        orr_note(d, ORR_NOTE_OTHER_DRIVER, "GPU %.16s belongs to the driver %.40s, so NVIDIA's does not list it",
                 bus_id, driver);
}

void orr_surroundings_check(struct orr_detector *d)
{
    struct orr_root_names names;
    uint32_t there = 0, listed = 0;
    if (!orr_detector_list(d, "/sys/bus/pci/devices", &names))
        return;
    for (uint32_t i = 0; i < names.count; i++) {
        if (!orr_looks_like_bus_id(names.names[i], strlen(names.names[i])) || !orr_is_gpu_function(d, names.names[i]))
            continue;
        bool known = d->facts.nvml && orr_host_facts_gpu(&d->facts, names.names[i]);
        there++;
        listed += known;
        if (!known)
            check_driver(d, names.names[i]);
    }
    if (d->facts.nvml && listed < there)
        orr_note(d, ORR_NOTE_GPUS_WITHHELD,
                 "the PCI tree has %u NVIDIA GPUs, of which NVML lists %u: the others are not given to this container, "
                 "or belong to another driver",
                 there, listed);
}

/* Whether two masks as /sys and /proc write them, words of 32 bits in hex, highest first, have a CPU in common. */
static bool share_a_cpu(const char *a, const char *b)
{
    const char *at = a + strlen(a), *other = b + strlen(b);
    while (at > a && other > b) {
        at--;
        other--;
        if (*at == ',' || *other == ',') { /* all words but the first are complete, so the commas must be at the same
                                            * places */
            if (*at != *other)
                return true; /* the masks have different forms: say nothing */
            continue;
        }
        int one = orr_hex_digit(*at), two = orr_hex_digit(*other);
        if (one < 0 || two < 0 || (one & two))
            return true;
    }
    return false;
}

void orr_surroundings_cpu(struct orr_detector *d, const char *numa, const char *mask)
{
    enum { WHOLE = 253 }; /* a longer mask may be cut off */
    const char *allowed = d->facts.cpus_allowed;
    bool any = mask[strspn(mask, "0,")] != 0, whole = strlen(mask) < WHOLE && strlen(allowed) < WHOLE;
    if (allowed[0] && any && whole && !share_a_cpu(allowed, mask))
        orr_note(d, ORR_NOTE_CPUS_WITHHELD,
                 "this process may run on no CPU of NUMA node %.6s (cgroup or affinity): NCCL's threads for the GPUs "
                 "there would run on another node",
                 numa);
}
