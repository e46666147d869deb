/* SPDX-License-Identifier: Apache-2.0 */
/* A libibverbs.so.1 of our own. ORR_FAKE_VERBS lists devices, separated by blanks, as NAME:MAX_QP:WHAT, where WHAT is
 * "dmabuf", "plain" (no DMA-BUF) or "closed" (it cannot be opened); "fail" gives no list at all. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct device { /* context and domain as well */
    char name[32], what[16];
    int max_qp;
};
enum { MOST = 16, MAX_QP_AT = 64 + 4 * 8 + 3 * 4 }; /* after fw_ver, four long members and three short ones */
static struct device devices[MOST];
static int open_count;

EXPORT struct device **ibv_get_device_list(int *count);
EXPORT struct device **ibv_get_device_list(int *count)
{
    const char *text = getenv("ORR_FAKE_VERBS");
    struct device **list = calloc(MOST + 1, sizeof *list);
    int taken;
    *count = 0;
    if (!list || (text && !strcmp(text, "fail"))) {
        free(list);
        errno = ENOSYS;
        return NULL;
    }
    for (; text && *count < MOST; text += taken) {
        struct device *device = &devices[*count];
        if (sscanf(text, " %31[^: ]:%d:%15s%n", device->name, &device->max_qp, device->what, &taken) != 3)
            break;
        list[(*count)++] = device;
    }
    return list;
}
EXPORT void ibv_free_device_list(struct device **list);
EXPORT void ibv_free_device_list(struct device **list)
{
    if (open_count)
        abort(); /* each device that was opened is closed */
    free(list);
}
EXPORT const char *ibv_get_device_name(struct device *device);
EXPORT const char *ibv_get_device_name(struct device *device)
{
    return device->name;
}
EXPORT struct device *ibv_open_device(struct device *device);
EXPORT struct device *ibv_open_device(struct device *device)
{
    bool closed = !strcmp(device->what, "closed");
    open_count += !closed;
    return closed ? NULL : device;
}
EXPORT int ibv_close_device(struct device *context);
EXPORT int ibv_close_device(struct device *context)
{
    open_count--;
    return context ? 0 : EINVAL;
}
EXPORT int ibv_query_device(struct device *context, char *attributes);
EXPORT int ibv_query_device(struct device *context, char *attributes)
{
    memset(attributes, 0x5a, 232);
    memcpy(attributes + MAX_QP_AT, &context->max_qp, sizeof context->max_qp);
    return 0;
}
EXPORT struct device *ibv_alloc_pd(struct device *context);
EXPORT struct device *ibv_alloc_pd(struct device *context)
{
    open_count++;
    return context;
}
EXPORT int ibv_dealloc_pd(struct device *domain);
EXPORT int ibv_dealloc_pd(struct device *domain)
{
    open_count--;
    return domain ? 0 : EINVAL;
}
EXPORT void *ibv_reg_dmabuf_mr(struct device *domain, uint64_t offset, size_t length, uint64_t iova, int fd,
                               int access);
EXPORT void *ibv_reg_dmabuf_mr(struct device *domain, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
    bool asked = !offset && !length && !iova && fd == -1 && !access;
    errno = !asked ? EINVAL : strcmp(domain->what, "dmabuf") ? EOPNOTSUPP : EBADF;
    return NULL;
}
