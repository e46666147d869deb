/* SPDX-License-Identifier: Apache-2.0 */
/* Two attributes of a GPU that only the CUDA driver knows: whether NICs may reach its memory. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "engine/detect/facts.h"

enum {
    ATTRIBUTE_GDR = 116,
    ATTRIBUTE_DMA_BUF = 124,
    TELLS_GDR = 11030, /* driver versions from which the attributes exist */
    TELLS_DMA_BUF = 11070,
};

struct cuda {
    int (*init)(unsigned);
    int (*version)(int *);
    int (*by_bus_id)(int *, const char *);
    int (*attribute)(int *, int, int);
};

static bool load(struct cuda *cuda, void *library)
{
    static const char *const names[] = {"cuInit", "cuDriverGetVersion", "cuDeviceGetByPCIBusId",
                                        "cuDeviceGetAttribute"};
    void *symbols[4];
    _Static_assert(sizeof symbols == sizeof *cuda, "one pointer a name, in this order");
    for (int i = 0; i < 4; i++)
        if (!(symbols[i] = dlsym(library, names[i])))
            return false;
    memcpy(cuda, symbols, sizeof symbols);
    return true;
}

static enum orr_known ask(const struct cuda *cuda, int device, int attribute)
{
    int value;
    return cuda->attribute(&value, attribute, device) ? ORR_UNKNOWN : value ? ORR_YES : ORR_NO;
}

void orr_host_facts_ask_cuda(struct orr_host_facts *facts)
{
    struct cuda cuda;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int result;
    if (!library) {
        const char *why = dlerror();
        snprintf(facts->cuda_problem, sizeof facts->cuda_problem, "%.150s", why ? why : "cannot be loaded");
        return;
    }
    if (!load(&cuda, library)) {
        snprintf(facts->cuda_problem, sizeof facts->cuda_problem, "libcuda.so.1 lacks a function");
    } else if ((result = cuda.init(0)) || (result = cuda.version(&facts->cuda_version))) {
        snprintf(facts->cuda_problem, sizeof facts->cuda_problem, "cuInit gives error %d", result);
    } else {
        facts->cuda = true;
        for (uint32_t i = 0; i < facts->gpu_count; i++) {
            struct orr_gpu_fact *gpu = &facts->gpus[i];
            int device;
            if (cuda.by_bus_id(&device, gpu->bus_id))
                continue;
            if (facts->cuda_version >= TELLS_GDR)
                gpu->gdr = ask(&cuda, device, ATTRIBUTE_GDR);
            gpu->dma_buf = facts->cuda_version >= TELLS_DMA_BUF ? ask(&cuda, device, ATTRIBUTE_DMA_BUF) : ORR_NO;
        }
    }
    /* Once started, the driver keeps threads of its own, so the library must stay loaded. */
    if (!facts->cuda)
        dlclose(library);
}
