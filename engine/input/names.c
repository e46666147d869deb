/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/input/names.h"

#include <stdio.h>
#include <string.h>

#include "engine/hardware/hardware.h"

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

void orr_draft_net(struct orr_draft *draft, struct orr_doc_node *net, const char *name, uint32_t dev)
{
    /* Names that no dump has: "ib0" of older systems, and "NIC0" of nvidia-smi, which lists RDMA devices only. */
    bool rdma = orr_name_is_rdma(name) || !strncmp(name, "ib", 2) || !strncmp(name, "NIC", 3);
    orr_doc_set(&draft->doc, net, ORR_ATTR_NAME, "%s", name);
    orr_doc_set(&draft->doc, net, ORR_ATTR_DEV, "%u", dev);
    orr_doc_suppose(&draft->doc, net, ORR_ATTR_LATENCY, "0");
    orr_doc_suppose(&draft->doc, net, ORR_ATTR_SPEED, "%d", rdma ? 100000 : 10000);
    orr_doc_suppose(&draft->doc, net, ORR_ATTR_PORT, "%d", rdma ? 1 : 0);
    orr_doc_suppose(&draft->doc, net, ORR_ATTR_GUID, "0x%x", dev + 1);
    orr_doc_suppose(&draft->doc, net, ORR_ATTR_MAXCONN, "%d", rdma ? 131072 : 65536);
    orr_doc_suppose(&draft->doc, net, ORR_ATTR_GDR, "%d", rdma ? 1 : 0);
}

void orr_draft_nvswitch(struct orr_draft *draft, struct orr_doc_node *nvlink, uint32_t count)
{
    orr_doc_suppose(&draft->doc, nvlink, ORR_ATTR_TARGET, "fffffff:ffff:ff");
    orr_doc_set(&draft->doc, nvlink, ORR_ATTR_COUNT_, "%u", count);
    orr_doc_suppose(&draft->doc, nvlink, ORR_ATTR_TCLASS, "0x068000");
}

void orr_draft_suppose_cpu(struct orr_draft *draft, struct orr_doc_node *cpu)
{
    static const struct {
        enum orr_attr attr;
        const char *value;
    } supposed[] = {{ORR_ATTR_ARCH, "x86_64"},
                    {ORR_ATTR_VENDOR, "GenuineIntel"},
                    {ORR_ATTR_FAMILYID, "6"},
                    {ORR_ATTR_MODELID, "143"}};
    const char *arch = orr_doc_get(cpu, ORR_ATTR_ARCH);
    const bool x86 = !arch || !strcmp(arch, "x86_64");
    for (size_t i = 0; i < sizeof supposed / sizeof supposed[0]; i++)
        if ((x86 || !i) && !orr_doc_attribute(cpu, supposed[i].attr))
            orr_doc_suppose(&draft->doc, cpu, supposed[i].attr, "%s", supposed[i].value);
}
