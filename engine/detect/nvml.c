/* SPDX-License-Identifier: Apache-2.0 */
/* NVML, loaded while it is asked: libnvidia-ml.so.1 comes with the driver, so nothing may link it. Only functions and
 * layouts that NVIDIA documents are used; whatever fails leaves its fact unknown. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/detect/facts.h"

typedef struct nvml_device *nvml_handle;

/* Layouts of nvml.h, by NVIDIA's documentation. */
struct pci_info { /* nvmlPciInfo_t; for the far end of an NVLink only the first five members are set */
    char legacy_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
    char room[60]; /* spare room, in case a driver writes more */
};
struct field_value { /* nvmlFieldValue_t */
    unsigned field, scope;
    long long timestamp, latency;
    unsigned type;
    int result;
    union {
        unsigned number;
        unsigned long long wide;
    } value;
};
struct fabric_info { /* nvmlGpuFabricInfo_v2_t */
    unsigned version;
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
    unsigned health;
    char room[64];
};
_Static_assert(sizeof(struct pci_info) == 128, "as long as the newest form");
_Static_assert(sizeof(struct field_value) == 40, "as NVML has it");

enum {
    FIELD_NVLINK_STATE = 165,
    FIELD_C2C_COUNT = 170,
    FIELD_C2C_STATE = 171,
    FIELD_C2C_BW = 172,
    CAPABILITY_P2P = 0,
    FABRIC_V2 = 0x02000024,
    MOST_C2C = 64,
};

struct nvml {
    int (*init)(void);
    int (*end)(void);
    int (*driver)(char *, unsigned);
    int (*count)(unsigned *);
    int (*by_index)(unsigned, nvml_handle *);
    int (*by_bus_id)(const char *, nvml_handle *);
    int (*pci)(nvml_handle, struct pci_info *);
    int (*old_pci)(nvml_handle, struct pci_info *); /* in the first form */
    int (*name)(nvml_handle, char *, unsigned);
    int (*capability)(nvml_handle, int *, int *);
    int (*generation)(nvml_handle, unsigned *);
    int (*full_generation)(nvml_handle, unsigned *);
    int (*width)(nvml_handle, unsigned *);
    int (*link_capability)(nvml_handle, unsigned, int, unsigned *);
    int (*link_state)(nvml_handle, unsigned, int *);
    int (*link_far)(nvml_handle, unsigned, struct pci_info *);
    int (*fields)(nvml_handle, int, struct field_value *);
    int (*fabric)(nvml_handle, struct fabric_info *);
    const char *(*error)(int);
};

/* One row for each function: its name, an alternative if that is missing, and whether Orrery needs it at all. */
static const struct symbol {
    size_t at;
    const char *name, *other;
    bool needed;
} symbols[] = {
#define ORR_AT(member) offsetof(struct nvml, member)
    {ORR_AT(init), "nvmlInit_v2", "nvmlInit", true},
    {ORR_AT(end), "nvmlShutdown", NULL, true},
    {ORR_AT(driver), "nvmlSystemGetDriverVersion", NULL, false},
    {ORR_AT(count), "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", true},
    {ORR_AT(by_index), "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex", true},
    {ORR_AT(by_bus_id), "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId", false},
    {ORR_AT(pci), "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", false},
    {ORR_AT(old_pci), "nvmlDeviceGetPciInfo", NULL, false},
    {ORR_AT(name), "nvmlDeviceGetName", NULL, false},
    {ORR_AT(capability), "nvmlDeviceGetCudaComputeCapability", NULL, false},
    {ORR_AT(generation), "nvmlDeviceGetCurrPcieLinkGeneration", NULL, false},
    {ORR_AT(full_generation), "nvmlDeviceGetMaxPcieLinkGeneration", NULL, false},
    {ORR_AT(width), "nvmlDeviceGetCurrPcieLinkWidth", NULL, false},
    {ORR_AT(link_capability), "nvmlDeviceGetNvLinkCapability", NULL, false},
    {ORR_AT(link_state), "nvmlDeviceGetNvLinkState", NULL, false},
    {ORR_AT(link_far), "nvmlDeviceGetNvLinkRemotePciInfo", "nvmlDeviceGetNvLinkRemotePciInfo_v2", false},
    {ORR_AT(fields), "nvmlDeviceGetFieldValues", NULL, false},
    {ORR_AT(fabric), "nvmlDeviceGetGpuFabricInfoV", NULL, false},
    {ORR_AT(error), "nvmlErrorString", NULL, false},
#undef ORR_AT
};

/* A file of a PCI function, by either of its paths in /sys. */
static void function_value(const struct orr_root *root, const char *bus_id, const char *name, char *value, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%.24s/%s", bus_id, name);
    if (orr_root_read(root, path, value, size) >= 0)
        return;
    snprintf(path, sizeof path, "/sys/class/pci_bus/%.7s/../../%.24s/%s", bus_id, bus_id, name);
    orr_root_read(root, path, value, size);
}

/* Whether a function of a root is a GPU of NVIDIA's. */
static bool is_nvidia_gpu(const struct orr_root *root, const char *bus_id)
{
    char vendor[16], class[16];
    function_value(root, bus_id, "vendor", vendor, sizeof vendor);
    function_value(root, bus_id, "class", class, sizeof class);
    return !strncmp(vendor, "0x10de", 6) && !strncmp(class, "0x03", 4);
}

/* "9, Driver Not Loaded" */
static void problem(struct orr_host_facts *facts, const struct nvml *nvml, const char *call, int result)
{
    const char *text = nvml->error ? nvml->error(result) : NULL;
    snprintf(facts->nvml_problem, sizeof facts->nvml_problem, "%s gives error %d%s%.80s", call, result,
             text ? ", " : "", text ? text : "");
}

static bool load(struct nvml *nvml, void *library, struct orr_host_facts *facts)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol && symbols[i].other)
            symbol = dlsym(library, symbols[i].other);
        if (!symbol && symbols[i].needed) {
            snprintf(facts->nvml_problem, sizeof facts->nvml_problem, "the library has no %s", symbols[i].name);
            return false;
        }
        memcpy((char *)nvml + symbols[i].at, &symbol, sizeof symbol);
    }
    return true;
}

static bool field(const struct nvml *nvml, nvml_handle handle, unsigned id, unsigned scope, unsigned *ret_value)
{
    struct field_value value = {.field = id, .scope = scope};
    if (!nvml->fields || nvml->fields(handle, 1, &value) || value.result)
        return false;
    *ret_value = value.value.number;
    return true;
}

static void ask_link(const struct nvml *nvml, nvml_handle handle, unsigned i, struct orr_gpu_fact *gpu)
{
    struct orr_nvlink_fact *link = &gpu->links[i];
    struct pci_info far = {0};
    unsigned capable = 0, value = 0;
    int state = 0;
    link->p2p = nvml->link_capability && !nvml->link_capability(handle, i, CAPABILITY_P2P, &capable) && capable;
    if (!link->p2p)
        return;
    if (gpu->major >= 9)
        link->up = field(nvml, handle, FIELD_NVLINK_STATE, i, &value) && value == 1;
    else
        link->up = nvml->link_state && !nvml->link_state(handle, i, &state) && state == 1;
    if (!link->up || !nvml->link_far || nvml->link_far(handle, i, &far))
        return;
    link->far_known = true;
    if (!far.legacy_bus_id[0] && far.bus_id[0]) { /* the far end's bus id comes only in the newer form, with eight
                                                   * digits of domain */
        char text[sizeof far.bus_id + 1] = "";
        memcpy(text, far.bus_id, sizeof far.bus_id);
        orr_bus_id_tidy(text, link->far);
    } else {
        snprintf(link->far, sizeof link->far, "%.*s", (int)sizeof far.legacy_bus_id - 1, far.legacy_bus_id);
    }
}

static void ask_c2c(const struct nvml *nvml, nvml_handle handle, struct orr_gpu_fact *gpu)
{
    unsigned count = 0;
    if (!field(nvml, handle, FIELD_C2C_COUNT, 0, &count))
        return;
    for (unsigned i = 0; i < count && i < MOST_C2C; i++) {
        struct field_value values[2] = {{.field = FIELD_C2C_STATE, .scope = i}, {.field = FIELD_C2C_BW, .scope = i}};
        if (nvml->fields(handle, 2, values) || values[0].result || values[1].result || values[0].value.number != 1)
            continue;
        gpu->c2c_count++;
        gpu->c2c_bw = values[1].value.number;
    }
}

/* Finds the function in /sys that belongs to a handle, for libraries that find GPUs by bus id but do not report it. */
static void search_bus_id(const struct nvml *nvml, nvml_handle handle, const struct orr_root *root,
                          struct orr_gpu_fact *gpu)
{
    enum { MEMORY = 8 << 20 };
    ORR_LOCAL_ARENA(arena, MEMORY);
    struct orr_root_names names;
    nvml_handle found;
    if (nvml->by_bus_id && arena && orr_root_list(root, "/sys/bus/pci/devices", arena, &names))
        for (uint32_t i = 0; i < names.count && !gpu->bus_id[0]; i++)
            if (is_nvidia_gpu(root, names.names[i]) && !nvml->by_bus_id(names.names[i], &found) && found == handle)
                snprintf(gpu->bus_id, sizeof gpu->bus_id, "%s", names.names[i]);
}

static void ask_place(const struct nvml *nvml, nvml_handle handle, const struct orr_root *root,
                      struct orr_gpu_fact *gpu)
{
    struct pci_info pci = {0};
    unsigned domain, bus, device, function;
    if ((!nvml->pci || nvml->pci(handle, &pci)) && (!nvml->old_pci || nvml->old_pci(handle, &pci))) {
        search_bus_id(nvml, handle, root, gpu);
        return;
    }
    char text[sizeof pci.bus_id + 1] = "";
    if (pci.bus_id[0])
        memcpy(text, pci.bus_id, sizeof pci.bus_id);
    else
        memcpy(text, pci.legacy_bus_id, sizeof pci.legacy_bus_id);
    if (sscanf(text, "%8x:%2x:%2x.%1x", &domain, &bus, &device, &function) == 4)
        snprintf(gpu->bus_id, sizeof gpu->bus_id, "%04x:%02x:%02x.%x", domain, bus, device, function);
    else
        snprintf(gpu->bus_id, sizeof gpu->bus_id, "%04x:%02x:%02x.0", pci.domain, pci.bus & 0xffu, pci.device & 0xffu);
    gpu->device = pci.device_id;
    gpu->subsystem = pci.subsystem_id;
}

static void ask_gpu(const struct nvml *nvml, nvml_handle handle, const struct orr_root *root, struct orr_gpu_fact *gpu)
{
    struct fabric_info fabric = {.version = FABRIC_V2};
    ask_place(nvml, handle, root, gpu);
    if (!nvml->name || nvml->name(handle, gpu->name, sizeof gpu->name))
        gpu->name[0] = 0;
    if (!nvml->capability || nvml->capability(handle, &gpu->major, &gpu->minor))
        gpu->major = gpu->minor = 0;
    if (!nvml->generation || nvml->generation(handle, &gpu->generation))
        gpu->generation = 0;
    if (!nvml->full_generation || nvml->full_generation(handle, &gpu->full_generation))
        gpu->full_generation = 0;
    if (!nvml->width || nvml->width(handle, &gpu->width))
        gpu->width = 0;
    for (unsigned i = 0; i < ORR_FACT_NVLINKS; i++)
        ask_link(nvml, handle, i, gpu);
    ask_c2c(nvml, handle, gpu);
    if (nvml->fabric && !nvml->fabric(handle, &fabric) && fabric.state) {
        gpu->fabric = true;
        memcpy(gpu->fabric_id, fabric.cluster, sizeof gpu->fabric_id);
        gpu->clique = fabric.clique;
        gpu->fabric_state = fabric.state;
    }
}

static void ask_all(const struct nvml *nvml, struct orr_host_facts *facts, const struct orr_root *root)
{
    unsigned count = 0;
    int result = nvml->count(&count);
    if (result) {
        problem(facts, nvml, "nvmlDeviceGetCount", result);
        return;
    }
    if (!nvml->driver || nvml->driver(facts->driver, sizeof facts->driver))
        facts->driver[0] = 0;
    for (unsigned i = 0; i < count && facts->gpu_count < ORR_FACT_GPUS; i++) {
        nvml_handle handle;
        struct orr_gpu_fact *gpu = &facts->gpus[facts->gpu_count];
        result = nvml->by_index(i, &handle);
        if (result) {
            problem(facts, nvml, "nvmlDeviceGetHandleByIndex", result);
            continue;
        }
        *gpu = (struct orr_gpu_fact){.gdr = ORR_UNKNOWN, .dma_buf = ORR_UNKNOWN};
        ask_gpu(nvml, handle, root, gpu);
        facts->gpu_count++;
    }
    facts->nvml = true;
}

void orr_host_facts_ask_nvml(struct orr_host_facts *facts, const char *path, const struct orr_root *root)
{
    struct nvml nvml = {0};
    void *library = dlopen(path ? path : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(facts->nvml_problem, sizeof facts->nvml_problem, "%.150s", why ? why : "cannot be loaded");
        return;
    }
    if (load(&nvml, library, facts)) {
        int result = nvml.init();
        if (result) {
            problem(facts, &nvml, "nvmlInit", result);
        } else {
            ask_all(&nvml, facts, root);
            nvml.end();
        }
    }
    dlclose(library);
}

/* Whether most of the GPUs found are functions of the root. */
static bool are_of(const struct orr_host_facts *facts, const struct orr_root *root)
{
    uint32_t there = 0;
    for (uint32_t i = 0; i < facts->gpu_count; i++)
        there += is_nvidia_gpu(root, facts->gpus[i].bus_id);
    return there > facts->gpu_count / 2;
}

/* Asks a library that may belong to another machine; its answers are used only if its GPUs are in the root. */
static void ask_beside(struct orr_host_facts *facts, const char *path, const struct orr_root *root)
{
    orr_host_facts_ask_nvml(facts, path, root);
    if (!facts->nvml || are_of(facts, root))
        return;
    facts->nvml = false;
    facts->gpu_count = 0;
    snprintf(facts->nvml_problem, sizeof facts->nvml_problem,
             "%.90s, which the environment names, lists other GPUs than the copy has", path);
}

void orr_host_facts_ask_nvml_beside(struct orr_host_facts *facts, const struct orr_root *root)
{
    static const char name[] = "libnvidia-ml.so.1";
    char path[ORR_PATH_SIZE];
    void *preloaded = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (preloaded) {
        ask_beside(facts, name, root);
        dlclose(preloaded);
        return;
    }
    for (const char *folder = getenv("LD_LIBRARY_PATH"); folder && *folder; folder += *folder == ':') {
        size_t length = strcspn(folder, ":");
        if (length && snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name) < (int)sizeof path &&
            !access(path, R_OK)) {
            ask_beside(facts, path, root);
            return;
        }
        folder += length;
    }
}
