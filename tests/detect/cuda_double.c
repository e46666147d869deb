/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 of our own: every GPU that it is asked of exists and knows both attributes, unless ORR_FAKE_CUDA says
 * "fail" (cuInit gives 100) or "old" (a driver without the attributes). For real.py it has two GPUs, and memory. */
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static const char *mode(void)
{
    const char *text = getenv("ORR_FAKE_CUDA");
    return text ? text : "";
}

EXPORT int cuInit(unsigned flags);
EXPORT int cuInit(unsigned flags)
{
    return flags ? 1 : !strcmp(mode(), "fail") ? 100 : 0;
}
EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuDriverGetVersion(int *version)
{
    *version = !strcmp(mode(), "old") ? 11020 : 12080;
    return 0;
}
EXPORT int cuDeviceGetByPCIBusId(int *device, const char *bus_id);
EXPORT int cuDeviceGetByPCIBusId(int *device, const char *bus_id)
{
    *device = (int)strtol(bus_id + 5, NULL, 16);
    return strlen(bus_id) == 12 ? 0 : 101;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device);
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = device >= 0 && (attribute == 116 || attribute == 124);
    return 0;
}
EXPORT int cuDeviceGetCount(int *count);
EXPORT int cuDeviceGetCount(int *count)
{
    *count = 2;
    return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = context;
    return device > 1;
}
EXPORT int cuCtxSetCurrent(void *context);
EXPORT int cuCtxSetCurrent(void *context)
{
    return !context;
}
EXPORT int cuMemAlloc_v2(unsigned long long *address, size_t size);
EXPORT int cuMemAlloc_v2(unsigned long long *address, size_t size)
{
    *address = 0x700000000000;
    return size == 0;
}
EXPORT int cuCtxSynchronize(void);
EXPORT int cuCtxSynchronize(void)
{
    return 0;
}
