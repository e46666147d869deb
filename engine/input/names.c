#include "engine/input/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/hardware/hardware.h"

/* The first row whose word is in the name: longer words before shorter ones that they hold. */
static const struct {
    const char *word;
    int32_t sm;
} gpu_names[] = {
    {"GB300", 103},    {"GB200", 100},   {"GB10", 121},     {"GH200", 90},      {"B300", 103},     {"B200", 100},
    {"B100", 100},     {"H200", 90},     {"H100", 90},      {"H800", 90},       {"H20", 90},       {"A100", 80},
    {"A800", 80},      {"A30", 80},      {"A40", 86},       {"A10", 86},        {"A16", 86},       {"A2", 86},
    {"A6000 Ada", 89}, {"6000 Ada", 89}, {"5000 Ada", 89},  {"A6000", 86},      {"A5000", 86},     {"A4500", 86},
    {"A4000", 86},     {"L40", 89},      {"L20", 89},       {"L4", 89},         {"PRO 6000", 120}, {"V100", 70},
    {"TITAN V", 70},   {"T4", 75},       {"TITAN RTX", 75}, {"Quadro RTX", 75}, {"RTX 50", 120},   {"RTX 40", 89},
    {"RTX 30", 86},    {"RTX 20", 75},   {"P100", 60},      {"P40", 61},        {"P4", 61},        {"GTX 10", 61},
    {"TITAN X", 61},   {"M60", 52},      {"M40", 52},       {"K80", 37},
};

int32_t orr_sm_of_name(const char *name)
{
    for (size_t i = 0; i < sizeof gpu_names / sizeof gpu_names[0]; i++) {
        const char *at = strstr(name, gpu_names[i].word);
        size_t length = strlen(gpu_names[i].word);
        bool number_goes_on = at && isdigit((unsigned char)at[length]) && strncmp(gpu_names[i].word, "RTX", 3) != 0 &&
                              strncmp(gpu_names[i].word, "GTX", 3) != 0;
        if (at && !number_goes_on)
            return gpu_names[i].sm;
    }
    return 0;
}

/* PCI device ids, from the public PCI id list. */
static const struct {
    uint16_t first, last;
    int32_t sm;
} gpu_devices[] = {
    {0x102d, 0x102d, 37},  {0x15f7, 0x15f9, 60},  {0x1b38, 0x1b38, 61}, {0x1bb3, 0x1bb4, 61},  {0x1db1, 0x1db8, 70},
    {0x1df5, 0x1df6, 70},  {0x1e04, 0x1e07, 75},  {0x1e30, 0x1e3d, 75}, {0x1eb8, 0x1eb8, 75},  {0x20b0, 0x20bf, 80},
    {0x20f1, 0x20f6, 80},  {0x2204, 0x2208, 86},  {0x2230, 0x2238, 86}, {0x25b6, 0x25b6, 86},  {0x2684, 0x2685, 89},
    {0x26b1, 0x26ba, 89},  {0x27b8, 0x27b8, 89},  {0x2321, 0x2348, 90}, {0x2901, 0x2941, 100}, {0x2b85, 0x2bb9, 120},
    {0x2e12, 0x2e12, 121}, {0x3180, 0x31ff, 103},
};

int32_t orr_sm_of_device(uint32_t device)
{
    for (size_t i = 0; i < sizeof gpu_devices / sizeof gpu_devices[0]; i++)
        if (device >= gpu_devices[i].first && device <= gpu_devices[i].last)
            return gpu_devices[i].sm;
    return 0;
}

const char *orr_link_speed_of_sm(int32_t sm)
{
    return sm >= 90 ? ORR_PCIE_GEN5 : sm >= 80 ? ORR_PCIE_GEN4 : ORR_PCIE_GEN3;
}

bool orr_bus_id_short(const char *text, char ret_bus[ORR_BUS_ID_SIZE])
{
    unsigned domain, bus, device, function;
    int taken = 0;
    if (sscanf(text, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &taken) != 4 || text[taken])
        return false;
    snprintf(ret_bus, ORR_BUS_ID_SIZE, "%04x:%02x:%02x.%x", domain & 0xfffffffu, bus, device, function);
    return true;
}

void orr_draft_net(struct orr_draft *draft, uint32_t net, const char *name, uint32_t dev)
{
    /* Names that no dump has: "ib0" of older systems, and "NIC0" of nvidia-smi, which lists RDMA devices only. */
    bool rdma = orr_name_is_rdma(name) || !strncmp(name, "ib", 2) || !strncmp(name, "NIC", 3);
    orr_draft_set(draft, net, ORR_ATTR_NAME, "%s", name);
    orr_draft_set(draft, net, ORR_ATTR_DEV, "%u", dev);
    orr_draft_suppose(draft, net, ORR_ATTR_LATENCY, "0");
    orr_draft_suppose(draft, net, ORR_ATTR_SPEED, "%d", rdma ? 100000 : 10000);
    orr_draft_suppose(draft, net, ORR_ATTR_PORT, "%d", rdma ? 1 : 0);
    orr_draft_suppose(draft, net, ORR_ATTR_GUID, "0x%x", dev + 1);
    orr_draft_suppose(draft, net, ORR_ATTR_MAXCONN, "%d", rdma ? 131072 : 65536);
    orr_draft_suppose(draft, net, ORR_ATTR_GDR, "%d", rdma ? 1 : 0);
}

void orr_draft_nvswitch(struct orr_draft *draft, uint32_t nvlink, uint32_t count)
{
    orr_draft_suppose(draft, nvlink, ORR_ATTR_TARGET, "fffffff:ffff:ff");
    orr_draft_set(draft, nvlink, ORR_ATTR_COUNT_, "%u", count);
    orr_draft_suppose(draft, nvlink, ORR_ATTR_TCLASS, "0x068000");
}

void orr_draft_suppose_cpu(struct orr_draft *draft, uint32_t cpu)
{
    static const struct {
        enum orr_attr attr;
        const char *value;
    } supposed[] = {{ORR_ATTR_ARCH, "x86_64"},
                    {ORR_ATTR_VENDOR, "GenuineIntel"},
                    {ORR_ATTR_FAMILYID, "6"},
                    {ORR_ATTR_MODELID, "143"}};
    for (size_t i = 0; i < sizeof supposed / sizeof supposed[0]; i++)
        if (!orr_draft_attr(draft, cpu, supposed[i].attr))
            orr_draft_suppose(draft, cpu, supposed[i].attr, "%s", supposed[i].value);
}
