/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/search/small_machine.h"

enum { MOST_GPUS = 6, MOST_CPUS = 2, MOST_NICS = 6 };
enum join { JOIN_NOT, JOIN_SOME, JOIN_ALL, JOIN_SWITCH, JOIN_SWITCH_MIXED, JOIN_CPU };

struct gpu {
    uint32_t bus, links_to[MOST_GPUS]; /* NVLinks */
    uint32_t links_to_switch;
};

struct machine {
    struct chance *c, rails; /* rails: choices of their own, so that the others stay what they are for a seed */
    struct orr_text *xml;
    uint32_t gpus, nics, cpus;
    struct gpu gpu[MOST_GPUS];
    uint32_t gpus_done, nics_done, nets_done, next_bus;
    int32_t sm, generation, speed;
    bool odd_links, mixed_sm, one_card, no_gdr, coll, no_pci, to_cpu, few_connections, railed, two_hosts;
};

static const struct {
    const char *arch, *vendor;
    int32_t family, model;
} cpus[] = {{"x86_64", "GenuineIntel", 6, 143},
            {"x86_64", "GenuineIntel", 6, 79},
            {"x86_64", "AuthenticAMD", 175, 1},
            {"arm64", NULL, 0, 0},
            {"ppc64le", NULL, 0, 0},
            {"x86_64", "  Shanghai  ", 7, 0x5b},
            {"x86_64", "Other", 1, 1}};

static void open_pci(struct machine *m, uint32_t bus, const char *class)
{
    static const char *const speeds[] = {
        "2.5 GT/s PCIe", "5.0 GT/s PCIe", "8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe", "64.0 GT/s PCIe", "",
        "5 GT/s"};
    static const uint8_t widths[] = {16, 16, 16, 8, 4, 2, 1, 32};
    const bool odd = m->odd_links && chance_percent(m->c, 40);
    orr_text_printf(m->xml, "<pci busid=\"0000:%02x:00.0\" class=\"%s\" link_speed=\"%s\" link_width=\"%u\">\n", bus,
                    class, odd ? CHANCE_OF(m->c, speeds) : speeds[m->generation],
                    odd ? (unsigned)CHANCE_OF(m->c, widths) : 16U);
}

static void join(struct machine *m)
{
    static const enum join ways[] = {JOIN_NOT,    JOIN_NOT,    JOIN_SOME,         JOIN_SOME,   JOIN_SOME, JOIN_ALL,
                                     JOIN_SWITCH, JOIN_SWITCH, JOIN_SWITCH_MIXED, JOIN_SWITCH, JOIN_CPU};
    const enum join way = CHANCE_OF(m->c, ways);
    const uint32_t most = 1 + chance_below(m->c, 6), to_switch = 1 + chance_below(m->c, 18);
    m->to_cpu = way == JOIN_CPU;
    for (uint32_t a = 0; a < m->gpus; a++) {
        for (uint32_t b = a + 1; b < m->gpus; b++)
            if (way == JOIN_ALL || ((way == JOIN_SOME || way == JOIN_CPU) && chance_percent(m->c, 60)))
                m->gpu[a].links_to[b] = m->gpu[b].links_to[a] = 1 + chance_below(m->c, most);
        if (way == JOIN_SWITCH || (way == JOIN_SWITCH_MIXED && chance_percent(m->c, 85)))
            m->gpu[a].links_to_switch = way == JOIN_SWITCH ? to_switch : 1 + chance_below(m->c, 18);
    }
}

static void write_gpu(struct machine *m)
{
    static const uint8_t capabilities[] = {60, 70, 75, 80, 86, 90, 90, 100, 120};
    const uint32_t number = m->gpus_done++;
    const struct gpu *gpu = &m->gpu[number];
    open_pci(m, gpu->bus, "0x030200");
    orr_text_printf(m->xml, "<gpu dev=\"%u\" sm=\"%d\" rank=\"%u\" gdr=\"%d\">\n", number,
                    m->mixed_sm ? CHANCE_OF(m->c, capabilities) : m->sm, number,
                    !(m->no_gdr && chance_percent(m->c, 50)));
    for (uint32_t other = 0; other < m->gpus; other++)
        if (gpu->links_to[other])
            orr_text_printf(m->xml, "<nvlink target=\"0000:%02x:00.0\" count=\"%u\" tclass=\"0x030200\"/>\n",
                            m->gpu[other].bus, gpu->links_to[other]);
    if (gpu->links_to_switch)
        orr_text_printf(m->xml, "<nvlink target=\"fffffff:ffff:ff\" count=\"%u\" tclass=\"0x068000\"/>\n",
                        gpu->links_to_switch);
    if (m->to_cpu && chance_percent(m->c, 70))
        orr_text_puts(m->xml, "<nvlink target=\"0000:00:00.0\" count=\"2\" tclass=\"0x068001\"/>\n");
    orr_text_puts(m->xml, "</gpu>\n</pci>\n");
}

static void write_nic(struct machine *m, bool with_pci)
{
    static const int32_t speeds[] = {400000, 200000, 100000, 50000, 40000, 25000, 10000, 1000, 123456, 7};
    const uint32_t number = m->nics_done++, ports = chance_percent(m->c, 20) ? 2 : 1;
    if (with_pci)
        open_pci(m, m->next_bus++, "0x020000");
    orr_text_puts(m->xml, "<nic>\n");
    for (uint32_t port = 0; port < ports; port++) {
        const uint32_t dev = m->nets_done++;
        const bool alone = ports == 1 || chance_percent(m->c, 50);
        orr_text_printf(m->xml,
                        "<net name=\"n%u\" dev=\"%u\" speed=\"%d\" port=\"%u\" guid=\"0x%x\" latency=\"%s\" "
                        "maxconn=\"%u\" gdr=\"%d\" coll=\"%d\"",
                        dev, dev, m->speed < 0 ? CHANCE_OF(m->c, speeds) : m->speed, alone ? port + 1 : 1,
                        m->one_card ? 7 : 100 + number, chance_percent(m->c, 10) ? "1.3" : "0",
                        m->few_connections ? 1 + chance_below(m->c, 3) : 131072,
                        !(m->no_gdr && chance_percent(m->c, 50)), m->coll && chance_percent(m->c, 90));
        if (m->railed && chance_percent(&m->rails, 80))
            orr_text_printf(m->xml, " rail=\"%u\"", chance_below(&m->rails, 3));
        if (m->railed && chance_percent(&m->rails, 60))
            orr_text_printf(m->xml, " plane=\"%u\"", chance_below(&m->rails, 2));
        orr_text_puts(m->xml, "/>\n");
    }
    orr_text_puts(m->xml, with_pci ? "</nic>\n</pci>\n" : "</nic>\n");
}

/* Devices of one place: the next GPUs and NICs, some of them below a switch of their own. */
static void write_devices(struct machine *m, uint32_t gpus, uint32_t nics, uint32_t depth)
{
    while (gpus + nics > 0) {
        const uint32_t below = depth < 3 && chance_percent(m->c, 50) ? 1 + chance_below(m->c, gpus + nics) : 0;
        if (below) {
            const uint32_t least = below > nics ? below - nics : 0, most = below < gpus ? below : gpus;
            const uint32_t g = least + chance_below(m->c, most - least + 1);
            open_pci(m, m->next_bus++, "0x060400");
            write_devices(m, g, below - g, depth + 1);
            orr_text_puts(m->xml, "</pci>\n");
            gpus -= g;
            nics -= below - g;
        } else if (chance_below(m->c, gpus + nics) < gpus) {
            write_gpu(m);
            gpus--;
        } else {
            write_nic(m, !(depth == 0 && m->no_pci));
            nics--;
        }
    }
}

void small_machine_write(struct chance *c, uint32_t most, struct orr_text *xml)
{
    static const uint8_t capabilities[] = {60, 70, 75, 80, 80, 86, 90, 90, 90, 100, 120};
    static const int32_t speeds[] = {400000, 400000, 200000, 100000, 40000, 25000, 10000, -1, -1};
    static const uint8_t gpu_counts[] = {1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 6};
    static const uint8_t nic_counts[] = {0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6};
    struct machine m = {.c = c, .xml = xml, .gpus = CHANCE_OF(c, gpu_counts), .nics = CHANCE_OF(c, nic_counts)};
    m.gpus = m.gpus < most ? m.gpus : most;
    m.nics = m.nics < most ? m.nics : most;
    m.cpus = 1 + chance_below(c, MOST_CPUS);
    m.next_bus = 0x40;
    m.sm = CHANCE_OF(c, capabilities);
    m.generation = chance_between(c, 1, 5);
    m.speed = CHANCE_OF(c, speeds);
    m.odd_links = chance_percent(c, 40);
    m.mixed_sm = chance_percent(c, 10);
    m.one_card = chance_percent(c, 15);
    m.no_gdr = chance_percent(c, 25);
    m.coll = chance_percent(c, 50);
    m.no_pci = chance_percent(c, 15);
    m.few_connections = chance_percent(c, 10);
    m.rails.state = ~c->state;
    m.railed = chance_percent(&m.rails, 50);
    m.two_hosts = chance_percent(&m.rails, 30);
    for (uint32_t g = 0; g < m.gpus; g++)
        m.gpu[g].bus = 0x10 + g;
    join(&m);
    const uint32_t kind = chance_below(c, (uint32_t)(sizeof cpus / sizeof cpus[0]));
    uint32_t gpus = m.gpus, nics = m.nics;
    orr_text_puts(xml, "<system version=\"1\">\n");
    for (uint32_t cpu = 0; cpu < m.cpus; cpu++) {
        const bool last = cpu + 1 == m.cpus;
        const uint32_t g = last ? gpus : chance_below(c, gpus + 1), n = last ? nics : chance_below(c, nics + 1);
        orr_text_printf(xml, "<cpu numaid=\"%u\" affinity=\"ffff\" arch=\"%s\"", cpu, cpus[kind].arch);
        if (cpus[kind].vendor)
            orr_text_printf(xml, " vendor=\"%s\" familyid=\"%d\" modelid=\"%d\"", cpus[kind].vendor, cpus[kind].family,
                            cpus[kind].model);
        if (m.two_hosts) { /* NICs of the same bus ids */
            orr_text_printf(xml, " host_hash=\"0x%x\"", 0xa0 + cpu);
            m.next_bus = 0x40;
        }
        orr_text_puts(xml, ">\n");
        write_devices(&m, g, n, 0);
        orr_text_puts(xml, "</cpu>\n");
        gpus -= g;
        nics -= n;
    }
    orr_text_puts(xml, "</system>\n");
}
