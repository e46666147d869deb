/* SPDX-License-Identifier: Apache-2.0 */
/* A libnvidia-ml.so.1 of our own: it serves the machine that the text in ORR_FAKE_NVML describes, in the words of
 * orrery/facts (engine/detect/facts_text.c). Layouts are those that NVIDIA documents, written down here once more so
 * that a slip in nvml.c does not repeat itself. `error N` makes nvmlInit fail with N, `hide FUNCTION` gives 999 for
 * one. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { OK = 0, UNINITIALISED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, UNKNOWN = 999, MOST = 64, LINKS = 18 };

struct device {
    char bus_id[32], name[96];
    int major, minor;
    unsigned ids[2], generation, width, full_generation;
    char links[LINKS][32]; /* far end; "" none */
    int state[LINKS];      /* 1 up, 0 down, -1 not there */
    unsigned c2c_count, c2c_bw;
    unsigned char cluster[16];
    unsigned clique, fabric_state;
};

static struct device devices[MOST];
static unsigned count;
static int started, failure;
static char hidden[8][64];
static unsigned hidden_count;

static void read_line(const char *line)
{
    struct device *device = count ? &devices[count - 1] : NULL;
    char word[32], rest[160] = "", state[8], far[32] = "";
    unsigned link;
    if (sscanf(line, " %31s %159[^\n]", word, rest) < 1 || word[0] == '#')
        return;
    if (!strcmp(word, "error")) {
        failure = atoi(rest);
    } else if (!strcmp(word, "hide") && hidden_count < 8) {
        snprintf(hidden[hidden_count++], sizeof hidden[0], "%.63s", rest);
    } else if (!strcmp(word, "gpu") && count < MOST) {
        device = &devices[count++];
        snprintf(device->bus_id, sizeof device->bus_id, "%.31s", rest);
        for (int i = 0; i < LINKS; i++)
            device->state[i] = -1;
    } else if (!device) {
        return;
    } else if (!strcmp(word, "name")) {
        snprintf(device->name, sizeof device->name, "%.95s", rest);
    } else if (!strcmp(word, "capability")) {
        sscanf(rest, "%d.%d", &device->major, &device->minor);
    } else if (!strcmp(word, "ids")) {
        sscanf(rest, "%x %x", &device->ids[0], &device->ids[1]);
    } else if (!strcmp(word, "pcie")) {
        sscanf(rest, "%u %u %u", &device->generation, &device->width, &device->full_generation);
    } else if (!strcmp(word, "nvlink") && sscanf(rest, "%u %7s %31s", &link, state, far) >= 2 && link < LINKS) {
        device->state[link] = !strcmp(state, "up");
        for (int i = 0; (device->links[link][i] = (char)toupper((unsigned char)far[i])); i++)
            continue;
    } else if (!strcmp(word, "c2c")) {
        sscanf(rest, "%u %u", &device->c2c_count, &device->c2c_bw);
    } else if (!strcmp(word, "fabric")) {
        for (int i = 0; i < 16; i++) {
            unsigned byte = 0;
            sscanf(rest + 2 * i, "%2x", &byte);
            device->cluster[i] = (unsigned char)byte;
        }
        sscanf(rest + 32, "%u %u", &device->clique, &device->fabric_state);
    }
}

static int is_hidden(const char *function)
{
    for (unsigned i = 0; i < hidden_count; i++)
        if (!strcmp(hidden[i], function))
            return 1;
    return 0;
}

#define EXPORT __attribute__((visibility("default")))
#define CHECK(device)                                                                                                  \
    do {                                                                                                               \
        if (!started)                                                                                                  \
            return UNINITIALISED;                                                                                      \
        if (!(device))                                                                                                 \
            return INVALID;                                                                                            \
        if (is_hidden(__func__))                                                                                       \
            return UNKNOWN;                                                                                            \
    } while (0)

EXPORT int nvmlInit_v2(void);
EXPORT int nvmlInit_v2(void)
{
    const char *path = getenv("ORR_FAKE_NVML");
    char line[256];
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file)
        return 9;
    count = hidden_count = 0;
    failure = 0;
    memset(devices, 0, sizeof devices);
    while (fgets(line, sizeof line, file))
        read_line(line);
    fclose(file);
    started = !failure;
    return failure;
}

EXPORT int nvmlShutdown(void);
EXPORT int nvmlShutdown(void)
{
    started = 0;
    return OK;
}

EXPORT const char *nvmlErrorString(int result);
EXPORT const char *nvmlErrorString(int result)
{
    return result == 9 ? "Driver Not Loaded" : result == 18 ? "Driver/library version mismatch" : "Unknown Error";
}

EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned length);
EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    snprintf(version, length, "570.124.06");
    return OK;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *ret_count);
EXPORT int nvmlDeviceGetCount_v2(unsigned *ret_count)
{
    CHECK(ret_count);
    *ret_count = count;
    return OK;
}

EXPORT int nvmlDeviceGetHandleByIndex(unsigned index, struct device **ret_device);
EXPORT int nvmlDeviceGetHandleByIndex(unsigned index, struct device **ret_device)
{
    CHECK(ret_device);
    if (index >= count)
        return INVALID;
    *ret_device = &devices[index];
    return OK;
}

EXPORT int nvmlDeviceGetHandleByPciBusId(const char *bus_id, struct device **ret_device);
EXPORT int nvmlDeviceGetHandleByPciBusId(const char *bus_id, struct device **ret_device)
{
    CHECK(ret_device);
    for (unsigned i = 0; i < count; i++)
        if (!strcasecmp(devices[i].bus_id, bus_id)) {
            *ret_device = &devices[i];
            return OK;
        }
    return NOT_FOUND;
}

EXPORT int nvmlDeviceGetPciInfo_v3(struct device *device, unsigned char *info);
EXPORT int nvmlDeviceGetPciInfo_v3(struct device *device, unsigned char *info)
{
    unsigned place[3];
    CHECK(device);
    sscanf(device->bus_id, "%x:%x:%x", &place[0], &place[1], &place[2]);
    memset(info, 0, 68);
    snprintf((char *)info, 16, "%04X:%02X:%02X.0", place[0], place[1], place[2]);
    memcpy(info + 16, place, sizeof place);
    memcpy(info + 28, device->ids, sizeof device->ids);
    snprintf((char *)info + 36, 32, "%08X:%02X:%02X.0", place[0], place[1], place[2]);
    return OK;
}

EXPORT int nvmlDeviceGetName(struct device *device, char *name, unsigned length);
EXPORT int nvmlDeviceGetName(struct device *device, char *name, unsigned length)
{
    CHECK(device);
    snprintf(name, length, "%s", device->name);
    return OK;
}

EXPORT int nvmlDeviceGetCudaComputeCapability(struct device *device, int *major, int *minor);
EXPORT int nvmlDeviceGetCudaComputeCapability(struct device *device, int *major, int *minor)
{
    CHECK(device);
    *major = device->major;
    *minor = device->minor;
    return OK;
}

static int number(unsigned from, unsigned *to)
{
    *to = from;
    return from ? OK : NOT_SUPPORTED;
}

EXPORT int nvmlDeviceGetCurrPcieLinkGeneration(struct device *device, unsigned *value);
EXPORT int nvmlDeviceGetCurrPcieLinkGeneration(struct device *device, unsigned *value)
{
    CHECK(device);
    return number(device->generation, value);
}
EXPORT int nvmlDeviceGetMaxPcieLinkGeneration(struct device *device, unsigned *value);
EXPORT int nvmlDeviceGetMaxPcieLinkGeneration(struct device *device, unsigned *value)
{
    CHECK(device);
    return number(device->full_generation, value);
}
EXPORT int nvmlDeviceGetCurrPcieLinkWidth(struct device *device, unsigned *value);
EXPORT int nvmlDeviceGetCurrPcieLinkWidth(struct device *device, unsigned *value)
{
    CHECK(device);
    return number(device->width, value);
}

EXPORT int nvmlDeviceGetNvLinkCapability(struct device *device, unsigned link, int capability, unsigned *value);
EXPORT int nvmlDeviceGetNvLinkCapability(struct device *device, unsigned link, int capability, unsigned *value)
{
    CHECK(device);
    if (link >= LINKS || device->state[link] < 0)
        return NOT_SUPPORTED;
    *value = capability == 0;
    return OK;
}

EXPORT int nvmlDeviceGetNvLinkState(struct device *device, unsigned link, int *state);
EXPORT int nvmlDeviceGetNvLinkState(struct device *device, unsigned link, int *state)
{
    CHECK(device);
    if (link >= LINKS || device->state[link] < 0)
        return NOT_SUPPORTED;
    *state = device->state[link];
    return OK;
}

EXPORT int nvmlDeviceGetNvLinkRemotePciInfo(struct device *device, unsigned link, unsigned char *info);
EXPORT int nvmlDeviceGetNvLinkRemotePciInfo(struct device *device, unsigned link, unsigned char *info)
{
    CHECK(device);
    if (link >= LINKS || device->state[link] != 1 || !device->links[link][0])
        return NOT_SUPPORTED;
    memset(info, 0, 52);
    if (strcmp(device->links[link], "-") != 0) /* a far end without a name */
        snprintf((char *)info, 16, "%s", device->links[link]);
    return OK;
}

EXPORT int nvmlDeviceGetFieldValues(struct device *device, int values, unsigned char *bytes);
EXPORT int nvmlDeviceGetFieldValues(struct device *device, int values, unsigned char *bytes)
{
    CHECK(device);
    for (int i = 0; i < values; i++, bytes += 40) {
        unsigned field, scope, value = 0;
        int result = NOT_SUPPORTED;
        memcpy(&field, bytes, 4);
        memcpy(&scope, bytes + 4, 4);
        if (field == 165 && scope < LINKS && device->state[scope] >= 0) {
            value = (unsigned)device->state[scope];
            result = OK;
        } else if (device->c2c_count && field >= 170 && field <= 172) {
            value = field == 170 ? device->c2c_count : field == 171 ? 1 : device->c2c_bw;
            result = field == 170 || scope < device->c2c_count ? OK : INVALID;
        }
        memcpy(bytes + 28, &result, 4);
        memcpy(bytes + 32, &value, 4);
    }
    return OK;
}

EXPORT int nvmlDeviceGetGpuFabricInfoV(struct device *device, unsigned char *info);
EXPORT int nvmlDeviceGetGpuFabricInfoV(struct device *device, unsigned char *info)
{
    unsigned version;
    CHECK(device);
    memcpy(&version, info, 4);
    if (version != 0x02000024)
        return INVALID;
    memcpy(info + 4, device->cluster, 16);
    memcpy(info + 24, &device->clique, 4);
    info[28] = (unsigned char)device->fabric_state;
    return OK;
}
