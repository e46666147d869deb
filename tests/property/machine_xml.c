/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as topology XML, one element a line as NCCL writes it. */
#include <stdio.h>

#include "tests/property/machine.h"

static const struct {
    const char *arch, *vendor;
    int32_t family, model;
} cpu_kinds[16] = {
    {"x86_64", "GenuineIntel", 6, 79},
    {"x86_64", "GenuineIntel", 6, 85},
    {"x86_64", "GenuineIntel", 6, 106},
    {"x86_64", "GenuineIntel", 6, 143},
    {"x86_64", "GenuineIntel", 6, 207},
    {"x86_64", "AuthenticAMD", 143, 49},
    {"x86_64", "AuthenticAMD", 175, 1},
    {"x86_64", "AuthenticAMD", 143, 49},
    {"arm64", NULL, 0, 0},
    {"arm64", NULL, 0, 0},
    {"ppc64le", NULL, 0, 0},
    {"ppc64", NULL, 0, 0},
    {"x86_64", "CentaurHauls", 7, 0x5b},
    {"x86_64", "  Shanghai  ", 7, 0x3b},
    {"x86_64", "HygonGenuine", 24, 1},
    {"riscv64", NULL, 0, 0},
};

/* Vendor, device, subsystem vendor, subsystem device: an upper and a lower Broadcom switch of each generation. */
static const uint16_t identities[4][4] = {
    {0x1000, 0xc010, 0x1000, 0xa096},
    {0x1000, 0xc010, 0x1000, 0xa096},
    {0x1000, 0xc030, 0x1000, 0x0044},
    {0x1000, 0xc030, 0x1000, 0x1044},
};

struct writer {
    struct machine *m;
    struct orr_text *xml;
};

/* An attribute that must be there, which sloppy machines omit now and then. */
static void need(struct writer *w, const char *name, const char *format, ...) ORR_PRINTF(3, 4);
static void need(struct writer *w, const char *name, const char *format, ...)
{
    va_list args;
    if (w->m->sloppy && chance_below(w->m->chance, 600) == 0)
        return;
    va_start(args, format);
    orr_text_printf(w->xml, " %s=\"", name);
    orr_text_vprintf(w->xml, format, args);
    orr_text_puts(w->xml, "\"");
    va_end(args);
}

/* One with a default: missing at times, and odd at times on a sloppy machine. */
static void may(struct writer *w, const char *name, const char *format, ...) ORR_PRINTF(3, 4);
static void may(struct writer *w, const char *name, const char *format, ...)
{
    static const char *const odd[] = {"", "0", "-1", "0x7fffffff", "abc", "3.5", "99999999999", "010"};
    va_list args;
    if (chance_percent(w->m->chance, 3))
        return;
    if (w->m->sloppy && chance_percent(w->m->chance, 3)) {
        orr_text_printf(w->xml, " %s=\"%s\"", name, CHANCE_OF(w->m->chance, odd));
        return;
    }
    va_start(args, format);
    orr_text_printf(w->xml, " %s=\"", name);
    orr_text_vprintf(w->xml, format, args);
    orr_text_puts(w->xml, "\"");
    va_end(args);
}

/* Bus ids count up, so that no two devices of a machine have the same. */
static void bus_id(char buffer[32], uint32_t bus, uint32_t function)
{
    snprintf(buffer, 32, "%04x:%02x:00.%x", bus >> 8, bus & 0xff, function);
}

static void open_pci(struct writer *w, uint32_t bus, uint32_t function, const char *class, int32_t generation)
{
    static const char *const speeds[] = {"2.5 GT/s PCIe",  "5.0 GT/s PCIe",  "8.0 GT/s PCIe",
                                         "16.0 GT/s PCIe", "32.0 GT/s PCIe", "64.0 GT/s PCIe"};
    static const char *const other_speeds[] = {"2.5 GT/s", "5 GT/s", "8 GT/s", "16 GT/s", "Unknown", "", "64 GT/s"};
    static const uint8_t widths[] = {8, 4, 1, 0, 2, 32};
    struct chance *c = w->m->chance;
    char id[32];
    bus_id(id, bus, function);
    orr_text_puts(w->xml, "<pci");
    need(w, "busid", "%s", id);
    need(w, "class", "%s", class);
    need(w, "link_speed", "%s",
         chance_percent(c, 3) ? CHANCE_OF(c, other_speeds) : speeds[generation < 1 ? 0 : generation - 1]);
    need(w, "link_width", "%d", chance_percent(c, 4) ? CHANCE_OF(c, widths) : 16);
}

static void write_nvlinks(struct writer *w, const struct gpu_plan *gpu)
{
    char id[32];
    for (uint32_t i = 0; i < gpu->nvlink_count; i++) {
        const struct nvlink_plan *link = &gpu->nvlinks[i];
        if (link->to >= 0)
            bus_id(id, w->m->gpus[link->to].bus, 0);
        orr_text_puts(w->xml, "<nvlink");
        need(w, "target", "%s",
             link->to >= 0            ? id
             : link->to == TO_CPU     ? "0000:00:00.0"
             : link->to == TO_NOTHING ? "0fff:ff:00.0"
                                      : "fffffff:ffff:ff");
        need(w, "count", "%d", link->count);
        need(w, "tclass", "%s", link->to == TO_CPU ? "0x068001" : link->to == TO_SWITCH ? "0x068000" : "0x030200");
        orr_text_puts(w->xml, "/>\n");
    }
    if (gpu->c2c) {
        orr_text_puts(w->xml, "<c2c");
        need(w, "bw", "%d", 44712);
        need(w, "count", "%d", gpu->c2c);
        orr_text_puts(w->xml, "/>\n");
    }
}

static void write_rank(struct writer *w, const struct gpu_plan *gpu, int32_t rank, int32_t partition)
{
    orr_text_puts(w->xml, "<gpu");
    need(w, "dev", "%d", gpu->dev);
    need(w, "sm", "%d", gpu->sm);
    if (rank >= 0)
        orr_text_printf(w->xml, " rank=\"%d\"", rank);
    need(w, "gdr", "%d", gpu->gdr);
    if (partition >= 0)
        orr_text_printf(w->xml, " mlopart=\"%d\"", partition);
    orr_text_puts(w->xml, ">\n");
    if (rank >= 0 || (w->m->sloppy && chance_percent(w->m->chance, 10)))
        write_nvlinks(w, gpu);
    orr_text_puts(w->xml, "</gpu>\n");
}

static void write_gpu(struct writer *w, const struct gpu_plan *gpu)
{
    bool two = gpu->second_rank >= 0;
    open_pci(w, gpu->bus, 0, chance_percent(w->m->chance, 80) ? "0x030200" : "0x030000", w->m->pci_generation);
    orr_text_puts(w->xml, ">\n");
    write_rank(w, gpu, gpu->rank, two && gpu->partitioned ? 0 : -1);
    if (two)
        write_rank(w, gpu, gpu->second_rank, gpu->partitioned ? 1 : -1);
    orr_text_puts(w->xml, "</pci>\n");
}

static void write_net(struct writer *w, const struct nic_plan *nic, int32_t port)
{
    struct chance *c = w->m->chance;
    int32_t dev = nic->first_net + port;
    orr_text_puts(w->xml, "<net");
    may(w, "name", "mlx5_%d", dev);
    if (!chance_percent(c, 1)) /* the plugin does not show it */
        orr_text_printf(w->xml, " dev=\"%d\"", dev);
    if (nic->speed)
        may(w, "speed", "%d", nic->speed);
    may(w, "port", "%d", port + 1);
    may(w, "guid", "0x%x", nic->guid);
    may(w, "latency", "%s", chance_percent(c, 80) ? "0.000000" : "2.5");
    may(w, "maxconn", "%d", chance_percent(c, 90) ? 131072 : chance_between(c, 0, 4));
    may(w, "gdr", "%d", nic->gdr);
    if (nic->coll)
        may(w, "coll", "1");
    if (chance_percent(c, 3))
        orr_text_printf(w->xml, " net=\"%u\" gin=\"%u\" rma=\"%u\"", chance_percent(c, 80), chance_below(c, 2),
                        chance_below(c, 2));
    if (chance_percent(c, 4))
        orr_text_printf(w->xml, " rail=\"%d\" plane=\"%d\"", dev % 4, dev % 2);
    orr_text_puts(w->xml, "/>\n");
}

static void write_nic(struct writer *w, const struct nic_plan *nic)
{
    bool has_pci = nic->at != AT_CPU_WITHOUT_PCI;
    if (has_pci) {
        open_pci(w, nic->bus, nic->function, "0x020700", 1 + chance_between(w->m->chance, 2, 4));
        orr_text_puts(w->xml, ">\n");
    }
    orr_text_puts(w->xml, "<nic>\n");
    for (int32_t port = 0; port < nic->net_count; port++)
        write_net(w, nic, port);
    orr_text_puts(w->xml, "</nic>\n");
    if (has_pci)
        orr_text_puts(w->xml, "</pci>\n");
}

/* What hangs at a switch (its number), or at a CPU itself. */
static void write_devices(struct writer *w, int32_t cpu, int32_t at)
{
    const struct machine *m = w->m;
    for (uint32_t i = 0; i < m->gpu_count; i++)
        if (m->gpus[i].cpu == cpu && m->gpus[i].at == at)
            write_gpu(w, &m->gpus[i]);
    for (uint32_t i = 0; i < m->nic_count; i++)
        if (m->nics[i].cpu == cpu && m->nics[i].at == at)
            write_nic(w, &m->nics[i]);
}

static void write_switches(struct writer *w, int32_t cpu, int32_t parent)
{
    static const char *const names[] = {"vendor", "device", "subsystem_vendor", "subsystem_device"};
    char peer[32];
    for (uint32_t s = 0; s < w->m->switch_count; s++) {
        const struct switch_plan *plan = &w->m->switches[s];
        if (plan->cpu != cpu || plan->parent != parent)
            continue;
        open_pci(w, plan->bus, 0, "0x060400", w->m->pci_generation);
        for (int i = 0; i < 4 && plan->identity >= 0; i++)
            may(w, names[i], "0x%x", identities[plan->identity][i]);
        orr_text_puts(w->xml, ">\n");
        if (plan->peer >= 0) {
            bus_id(peer, w->m->switches[plan->peer].bus, 0);
            orr_text_printf(w->xml, "<pcilink target=\"%s\"/>\n", peer);
        }
        if (s % 2) { /* switches before devices, or after them */
            write_switches(w, cpu, (int32_t)s);
            write_devices(w, cpu, (int32_t)s);
        } else {
            write_devices(w, cpu, (int32_t)s);
            write_switches(w, cpu, (int32_t)s);
        }
        orr_text_puts(w->xml, "</pci>\n");
    }
}

static void write_cpu(struct writer *w, int32_t cpu)
{
    const struct cpu_plan *plan = &w->m->cpus[cpu];
    orr_text_puts(w->xml, "<cpu");
    if (plan->hash)
        orr_text_printf(w->xml, " host_hash=\"0x%x\"", plan->hash);
    need(w, "numaid", "%d", plan->numa);
    may(w, "affinity", "%s", "0000ffff,ffffffff");
    need(w, "arch", "%s", cpu_kinds[plan->kind].arch);
    if (cpu_kinds[plan->kind].vendor) {
        need(w, "vendor", "%s", cpu_kinds[plan->kind].vendor);
        need(w, "familyid", "%d", cpu_kinds[plan->kind].family);
        need(w, "modelid", "%d", cpu_kinds[plan->kind].model);
    }
    orr_text_puts(w->xml, ">\n");
    write_switches(w, cpu, AT_CPU);
    write_devices(w, cpu, AT_CPU);
    write_devices(w, cpu, AT_CPU_WITHOUT_PCI);
    orr_text_puts(w->xml, "</cpu>\n");
}

void machine_write(struct machine *m, struct orr_text *xml)
{
    struct writer w = {m, xml};
    orr_text_puts(xml, "<system version=\"1\">\n");
    for (uint32_t cpu = 0; cpu < m->cpu_count; cpu++)
        write_cpu(&w, (int32_t)cpu);
    orr_text_puts(xml, "</system>\n");
}
