/* SPDX-License-Identifier: Apache-2.0 */
/* Asks libibverbs, which is loaded only meanwhile, for facts about RDMA devices that /sys does not show: the number of
 * queue pairs, the order in which NCCL meets the devices, and whether a device supports DMA-BUF. Speed, state and GUID
 * of a port are the same in /sys. Layouts and names are those of libibverbs' documentation. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/detect/facts.h"

typedef struct verbs_device *device_handle;
typedef struct verbs_context *context_handle;
typedef struct verbs_domain *domain_handle;

struct device_attributes { /* ibv_device_attr */
    char firmware[64];
    uint64_t node_guid, image_guid, max_region, page_sizes;
    uint32_t vendor, part, hardware;
    int max_qp;
    char room[512]; /* the members that follow, and spare room in case a library writes more */
};

struct verbs {
    device_handle *(*list)(int *);
    void (*free_list)(device_handle *);
    const char *(*name)(device_handle);
    context_handle (*open)(device_handle);
    int (*close)(context_handle);
    int (*query)(context_handle, struct device_attributes *);
    domain_handle (*domain)(context_handle);
    int (*free_domain)(domain_handle);
    void *(*register_dma_buf)(domain_handle, uint64_t, size_t, uint64_t, int, int);
};

static bool load(struct verbs *verbs, void *library, struct orr_host_facts *facts)
{
    static const char *const names[] = {
        "ibv_get_device_list", "ibv_free_device_list", "ibv_get_device_name", "ibv_open_device",   "ibv_close_device",
        "ibv_query_device",    "ibv_alloc_pd",         "ibv_dealloc_pd",      "ibv_reg_dmabuf_mr",
    };
    enum {
        COUNT = sizeof names / sizeof names[0],
        NEEDED = COUNT - 1
    }; /* older libraries lack the last one, for
        * DMA-BUF */
    void *symbols[COUNT];
    _Static_assert(sizeof symbols == sizeof *verbs, "one pointer a name, in this order");
    for (int i = 0; i < COUNT; i++)
        if (!(symbols[i] = dlsym(library, names[i])) && i < NEEDED) {
            snprintf(facts->ibverbs_problem, sizeof facts->ibverbs_problem, "the library has no %s", names[i]);
            return false;
        }
    memcpy(verbs, symbols, sizeof symbols);
    return true;
}

/* Asks like NCCL, by a registration that cannot succeed: its error differs if DMA-BUF is supported. */
static enum orr_known knows_dma_buf(const struct verbs *verbs, context_handle context)
{
    enum { NO_FILE = -1 };
    domain_handle domain = verbs->register_dma_buf ? verbs->domain(context) : NULL;
    if (!domain)
        return verbs->register_dma_buf ? ORR_UNKNOWN : ORR_NO;
    errno = 0;
    (void)verbs->register_dma_buf(domain, 0, 0, 0, NO_FILE, 0);
    bool unknown = errno == EOPNOTSUPP || errno == EPROTONOSUPPORT;
    (void)verbs->free_domain(domain);
    return unknown ? ORR_NO : ORR_YES;
}

static void take(const struct verbs *verbs, device_handle device, struct orr_host_facts *facts)
{
    struct device_attributes attributes = {.max_qp = 0};
    const char *name = verbs->name(device);
    context_handle context = name ? verbs->open(device) : NULL;
    if (!context)
        return; /* NCCL skips it, too */
    if (!verbs->query(context, &attributes)) {
        struct orr_verbs_fact *fact = &facts->devices[facts->device_count++];
        snprintf(fact->name, sizeof fact->name, "%s", name);
        fact->max_qp = attributes.max_qp > 0 ? (uint32_t)attributes.max_qp : 0;
        fact->dma_buf = knows_dma_buf(verbs, context);
    }
    (void)verbs->close(context);
}

void orr_host_facts_ask_verbs(struct orr_host_facts *facts)
{
    struct verbs verbs;
    void *library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(facts->ibverbs_problem, sizeof facts->ibverbs_problem, "%.150s", why ? why : "cannot be loaded");
        return;
    }
    if (load(&verbs, library, facts)) {
        int count = 0;
        errno = 0;
        device_handle *list = verbs.list(&count);
        facts->ibverbs = list != NULL;
        if (!list)
            snprintf(facts->ibverbs_problem, sizeof facts->ibverbs_problem, "ibv_get_device_list gives \"%s\"",
                     strerror(errno));
        for (int i = 0; list && i < count && facts->device_count < ORR_FACT_INTERFACES; i++)
            take(&verbs, list[i], facts);
        if (list)
            verbs.free_list(list);
    }
    dlclose(library);
}
