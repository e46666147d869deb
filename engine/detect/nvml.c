/* NVML, loaded while it is asked: libnvidia-ml.so.1 comes with the driver, so nothing may link it. Only functions and
 * layouts that NVIDIA documents are used; whatever fails leaves its fact unknown. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/detect/facts.h"

typedef struct nvml_device *nvml_handle;

/* Layouts of nvml.h, by NVIDIA's documentation. */
struct pci_info { /* nvmlPciInfo_t; the far end of an NVLink has the first five members only */
    char legacy_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
    char room[60]; /* should a driver write more */
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
    int (*pci)(nvml_handle, struct pci_info *);
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

/* One row a function: its name, another name where the first is missing, and whether nothing works without it. */
static const struct symbol {
    size_t at;
    const char *name, *other;
    bool needed;
} symbols[] = {
#define AT(member) offsetof(struct nvml, member)
    {AT(init), "nvmlInit_v2", "nvmlInit", true},
    {AT(end), "nvmlShutdown", NULL, true},
    {AT(driver), "nvmlSystemGetDriverVersion", NULL, false},
    {AT(count), "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", true},
    {AT(by_index), "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex", true},
    {AT(pci), "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", true},
    {AT(name), "nvmlDeviceGetName", NULL, false},
    {AT(capability), "nvmlDeviceGetCudaComputeCapability", NULL, false},
    {AT(generation), "nvmlDeviceGetCurrPcieLinkGeneration", NULL, false},
    {AT(full_generation), "nvmlDeviceGetMaxPcieLinkGeneration", NULL, false},
    {AT(width), "nvmlDeviceGetCurrPcieLinkWidth", NULL, false},
    {AT(link_capability), "nvmlDeviceGetNvLinkCapability", NULL, false},
    {AT(link_state), "nvmlDeviceGetNvLinkState", NULL, false},
    {AT(link_far), "nvmlDeviceGetNvLinkRemotePciInfo", "nvmlDeviceGetNvLinkRemotePciInfo_v2", false},
    {AT(fields), "nvmlDeviceGetFieldValues", NULL, false},
    {AT(fabric), "nvmlDeviceGetGpuFabricInfoV", NULL, false},
    {AT(error), "nvmlErrorString", NULL, false},
#undef AT
};

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
    snprintf(link->far, sizeof link->far, "%.*s", (int)sizeof far.legacy_bus_id - 1, far.legacy_bus_id);
}

static void ask_c2c(const struct nvml *nvml, nvml_handle handle, struct orr_gpu_fact *gpu)
{
    unsigned count = 0;
    if (gpu->major < 9 || !field(nvml, handle, FIELD_C2C_COUNT, 0, &count))
        return;
    for (unsigned i = 0; i < count && i < MOST_C2C; i++) {
        struct field_value values[2] = {{.field = FIELD_C2C_STATE, .scope = i}, {.field = FIELD_C2C_BW, .scope = i}};
        if (nvml->fields(handle, 2, values) || values[0].result || values[1].result || values[0].value.number != 1)
            continue;
        gpu->c2c_count++;
        gpu->c2c_bw = values[1].value.number;
    }
}

static void ask_gpu(const struct nvml *nvml, nvml_handle handle, struct orr_gpu_fact *gpu)
{
    struct pci_info pci = {0};
    struct fabric_info fabric = {.version = FABRIC_V2};
    if (!nvml->pci(handle, &pci)) {
        snprintf(gpu->bus_id, sizeof gpu->bus_id, "%04x:%02x:%02x.0", pci.domain & 0xffffffu, pci.bus & 0xffu,
                 pci.device & 0xffu);
        gpu->device = pci.device_id;
        gpu->subsystem = pci.subsystem_id;
    }
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

static void ask_all(const struct nvml *nvml, struct orr_host_facts *facts)
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
        ask_gpu(nvml, handle, gpu);
        facts->gpu_count++;
    }
    facts->nvml = true;
}

void orr_host_facts_ask_nvml(struct orr_host_facts *facts, const char *path)
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
            ask_all(&nvml, facts);
            nvml.end();
        }
    }
    dlclose(library);
}
