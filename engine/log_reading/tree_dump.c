/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a printed tree into a dump. Each value that a tree does not contain comes from a rule: PCI speed and width are
 * those that print as the same rate, the number of NVLinks follows from the rate of one at the GPU's capability, and
 * the capability from the device's name or from the rates that fit. The links between CPUs follow from the CPU
 * models. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hex.h"
#include "engine/dump/edit.h"
#include "engine/hardware/gpu_models.h"
#include "engine/log_reading/tree.h"
#include "engine/release/cpu.h"
#include "engine/release/release.h"
#include "engine/release/release_names.h"
#include "engine/topology/pci.h"

enum { NESTED_MOST = 32, NIC_MOST = 512 };

struct making {
    const struct orr_log *log;
    const struct orr_release *release;
    const struct orr_log_links *links;
    uint32_t session;
    int32_t sm;
    struct orr_doc doc;
    struct orr_doc_node *open[NESTED_MOST]; /* elements that the next line may be in, outermost first: one for each
                                             * depth */
    uint32_t depth;
    bool too_deep;
    const char *nic_names; /* the line that lists them, NULL if there is none */
};

/* Whether a printed rate is that of a whole number of links. */
static bool fits(double bw, double one, int most)
{
    double count = floor(bw / one + 0.5);
    return count >= 1 && count <= most && fabs(count * one - bw) < 0.051;
}

int32_t orr_log_capability(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        int32_t sm = record->kind == ORR_LOG_DEVICE ? orr_gpu_sm_of_name(record->words[record->word_count - 1]) : 0;
        if (sm)
            return sm;
    }
    return 0;
}

/* Whether GPUs of the capability, with at most this many NVLinks each, could have all printed rates of NVLinks.
 * *ret_any: some are printed. */
static bool fits_all(const struct making *m, int32_t sm, int most, bool *ret_any)
{
    bool all = true;
    *ret_any = false;
    for (uint32_t k = 0; k < m->links->count && all; k++) {
        const struct orr_log_link *link = &m->links->rows[k];
        if (link->session != m->session || strcmp(link->type, "NVL") != 0 || link->bw == 0)
            continue; /* no link of any generation has a rate of 0.0 */
        *ret_any = true;
        all = fits(link->bw, (double)orr_nvlink_bw_of(m->release->nvlink_bw, sm), most);
    }
    return all;
}

static int32_t capability(const struct making *m, int32_t likely)
{
    static const int32_t by_rate[] = {100, 90, 80, 70, 60, 86};
    int32_t named = orr_log_capability(m->log);
    bool any;
    if (named)
        return named;
    for (size_t i = 0; i < sizeof by_rate / sizeof by_rate[0]; i++)
        if (by_rate[i] == likely && fits_all(m, likely, orr_gpu_most_nvlinks(likely), &any))
            return likely;
    for (size_t i = 0; i < sizeof by_rate / sizeof by_rate[0]; i++)
        if (fits_all(m, by_rate[i], orr_gpu_most_nvlinks(by_rate[i]), &any) && any)
            return by_rate[i];
    return 80;
}

static void close_to_depth(struct making *m, uint32_t depth)
{
    m->depth = m->depth > depth ? depth : m->depth;
}

/* An element in the innermost open one; outside the tree where NCCL would ignore it there. */
static struct orr_doc_node *add_element(struct making *m, enum orr_element_kind kind)
{
    struct orr_doc_node *parent = m->open[m->depth - 1];
    return orr_doc_add(&m->doc, orr_element_fits(parent->kind, kind) ? parent : NULL, kind, NULL);
}

/* Opens an element at a depth. If lines in between are missing, the enclosing element stays open for their depths. */
static struct orr_doc_node *open_element(struct making *m, uint32_t depth, enum orr_element_kind kind)
{
    close_to_depth(m, depth);
    m->too_deep |= depth >= NESTED_MOST;
    struct orr_doc_node *around = m->open[m->depth - 1];
    while (m->depth < depth && m->depth < NESTED_MOST)
        m->open[m->depth++] = around;
    struct orr_doc_node *node = add_element(m, kind);
    if (m->depth < NESTED_MOST)
        m->open[m->depth++] = node;
    return node;
}

/* Opens an element inside the one just opened, and in its place: the next line goes inside it. */
static struct orr_doc_node *open_inside(struct making *m, enum orr_element_kind kind)
{
    return m->open[m->depth - 1] = add_element(m, kind);
}

static uint64_t local_of(const char *id)
{
    const char *dash = strchr(id, '-');
    return dash ? strtoull(dash + 1, NULL, 16) & 0x00ffffffffffffffu : 0;
}

static const char *bus_id_of(const char *id, char buffer[ORR_BUS_ID_SIZE])
{
    return orr_bus_id_format(local_of(id), buffer);
}

/* link_speed and link_width that make the printed rate. */
static void set_pci_link(struct making *m, struct orr_doc_node *pci, double bw)
{
    static const int32_t widths[] = {16, 8, 4, 2, 1, 32};
    const struct orr_speed *speed = m->release->speeds;
    size_t w = 0, count = sizeof widths / sizeof widths[0];
    for (; w < count; w++) {
        for (speed = m->release->speeds; speed->prefix; speed++)
            if (fabs((double)orr_pci_bw(m->release, widths[w], speed->prefix) - bw) < 0.051)
                break;
        if (speed->prefix)
            break;
    }
    orr_doc_set(&m->doc, pci, ORR_ATTR_LINK_SPEED, "%s", w < count ? speed->prefix : "");
    orr_doc_set(&m->doc, pci, ORR_ATTR_LINK_WIDTH, "%d", w < count ? widths[w] : 0);
}

static void set_vendor(struct making *m, struct orr_doc_node *cpu, const char *vendor, int family, int model)
{
    if (vendor)
        orr_doc_set(&m->doc, cpu, ORR_ATTR_VENDOR, "%s", vendor);
    orr_doc_set(&m->doc, cpu, ORR_ATTR_FAMILYID, "%d", family);
    orr_doc_set(&m->doc, cpu, ORR_ATTR_MODELID, "%d", model);
}

static void add_cpu(struct making *m, const struct orr_log_link *link)
{
    static const int32_t intel_models[] = {
        [ORR_INTEL_BDW] = 79, [ORR_INTEL_SKL] = 85, [ORR_INTEL_SRP] = 143, [ORR_INTEL_ERP] = 207};
    static const char *const arches[] = {
        [ORR_ARCH_X86] = "x86_64", [ORR_ARCH_POWER] = "ppc64", [ORR_ARCH_ARM] = "arm64"};
    int arch = (int)link->cpu[0], vendor = (int)link->cpu[1], model = (int)link->cpu[2];
    struct orr_doc_node *cpu = open_element(m, 1, ORR_ELEMENT_CPU);
    orr_doc_set(&m->doc, cpu, ORR_ATTR_NUMAID, "%llu", (unsigned long long)local_of(link->to));
    orr_doc_set(&m->doc, cpu, ORR_ATTR_AFFINITY, "ffffffff");
    orr_doc_set(&m->doc, cpu, ORR_ATTR_ARCH, "%s", arch >= 1 && arch <= ORR_ARCH_ARM ? arches[arch] : "x86_64");
    if (strncmp(link->to, "CPU/0-", 6) != 0)
        orr_doc_set(&m->doc, cpu, ORR_ATTR_HOST_HASH, "0x%lx", strtoul(link->to + 4, NULL, 16) + 1);
    if (vendor == ORR_VENDOR_INTEL)
        set_vendor(m, cpu, "GenuineIntel", 6,
                   intel_models[model >= ORR_INTEL_BDW && model <= ORR_INTEL_ERP ? model : ORR_INTEL_SKL]);
    else if (vendor == ORR_VENDOR_ZHAOXIN)
        set_vendor(m, cpu, "  Shanghai  ", 7, model == ORR_ZHAOXIN_YONGFENG ? 91 : 27);
    else if (vendor == ORR_VENDOR_AMD)
        set_vendor(m, cpu, "AuthenticAMD", 23, 49);
    else
        set_vendor(m, cpu, arch == ORR_ARCH_X86 || arch < 1 ? "GenuineIntel" : NULL, 23, 49);
}

static bool gdr_denied(const struct making *m, int dev)
{
    for (uint32_t i = 0; i < m->log->record_count; i++) {
        const struct orr_log_record *record = &m->log->records[i];
        if (record->kind == ORR_LOG_GDR_NIC && (int)record->values[0] == dev)
            return !strcmp(record->words[1], "Disabled");
    }
    return false;
}

/* The name of NIC dev in "[0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE"; "netN" if it is not listed. */
static void set_nic_name(struct making *m, struct orr_doc_node *net, int dev)
{
    char mark[16];
    snprintf(mark, sizeof mark, "[%d]", dev);
    const char *at = m->nic_names ? strstr(m->nic_names, mark) : NULL;
    if (at) {
        at += strlen(mark);
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+");
        orr_doc_set(&m->doc, net, ORR_ATTR_NAME, "%.*s", (int)(length < NIC_MOST ? length : NIC_MOST), at);
    } else {
        orr_doc_set(&m->doc, net, ORR_ATTR_NAME, "net%d", dev);
    }
}

static void add_net(struct making *m, const struct orr_log_link *link)
{
    /* "(coll/asic/port/rate)", without coll before 2.27 */
    char asic[24] = "0";
    int dev = (int)local_of(link->to), port = 1;
    double rate = link->bw;
    const char *detail = link->detail, *parts[4] = {"", "", "", ""};
    int count = 0;
    for (const char *p = detail; p && *p && count < 4; p = strchr(p, '/'), p = p ? p + 1 : NULL)
        parts[count++] = p;
    if (count >= 3) {
        snprintf(asic, sizeof asic, "%.*s", (int)strcspn(parts[count - 3], "/"), parts[count - 3]);
        port = atoi(parts[count - 2]);
        rate = strtod(parts[count - 1], NULL);
    }
    if (asic[orr_hex_span(asic, sizeof asic)])
        snprintf(asic, sizeof asic, "0");
    struct orr_doc_node *net = add_element(m, ORR_ELEMENT_NET);
    set_nic_name(m, net, dev);
    orr_doc_set(&m->doc, net, ORR_ATTR_DEV, "%d", dev);
    orr_doc_set(&m->doc, net, ORR_ATTR_SPEED, "%.0f", rate > 0 && rate < 1e5 ? rate * 8000 : 0);
    orr_doc_set(&m->doc, net, ORR_ATTR_PORT, "%d", port);
    orr_doc_set(&m->doc, net, ORR_ATTR_GUID, "0x%s", asic);
    orr_doc_set(&m->doc, net, ORR_ATTR_LATENCY, "0");
    orr_doc_set(&m->doc, net, ORR_ATTR_MAXCONN, "131072");
    orr_doc_set(&m->doc, net, ORR_ATTR_GDR, "%d", !gdr_denied(m, dev));
}

static void set_identity(struct making *m, struct orr_doc_node *pci, const char *detail)
{
    static const enum orr_attr ids[] = {ORR_ATTR_VENDOR, ORR_ATTR_DEVICE, ORR_ATTR_SUBSYSTEM_VENDOR,
                                        ORR_ATTR_SUBSYSTEM_DEVICE};
    if (strlen(detail) != 16 || orr_hex_span(detail, 16) != 16)
        return;
    for (int i = 0; i < 4; i++)
        orr_doc_set(&m->doc, pci, ids[i], "0x%.4s", detail + 4 * i);
}

static void add_nvlink(struct making *m, const struct orr_log_link *link)
{
    char bus_id[ORR_BUS_ID_SIZE];
    double one = (double)orr_nvlink_bw_of(m->release->nvlink_bw, m->sm);
    int count = (int)floor(link->bw / one + 0.5);
    bool to_switch = !strncmp(link->to, "NVS", 3), to_cpu = !strncmp(link->to, "CPU", 3);
    struct orr_doc_node *nvlink = add_element(m, ORR_ELEMENT_NVLINK);
    orr_doc_set(&m->doc, nvlink, ORR_ATTR_TARGET, "%s", to_switch ? "fffffff:ffff:ff" : bus_id_of(link->to, bus_id));
    orr_doc_set(&m->doc, nvlink, ORR_ATTR_COUNT_, "%d", link->bw > 0 && count < 1 ? 1 : count);
    orr_doc_set(&m->doc, nvlink, ORR_ATTR_TCLASS, to_switch ? "0x068000" : to_cpu ? "0x068001" : "0x030200");
}

/* The rank of a GPU's own line; for a physical GPU (DEV), that of the GPU printed below it. */
static int rank_of(const struct making *m, const struct orr_log_link *link)
{
    const struct orr_log_link *end = m->links->rows + m->links->count;
    if (!strncmp(link->to, "GPU", 3))
        return atoi(link->detail);
    for (const struct orr_log_link *next = link + 1; next < end; next++) {
        if (next->session != m->session)
            continue;
        if (next->depth <= link->depth)
            break;
        if (!strcmp(next->type, "LOC") && !strncmp(next->to, "GPU", 3))
            return atoi(next->detail);
    }
    return -1;
}

static bool is_gpu(const char *id)
{
    return !strncmp(id, "GPU", 3) || !strncmp(id, "DEV", 3);
}

static void add_pci(struct making *m, const struct orr_log_link *link, uint32_t depth)
{
    char bus_id[ORR_BUS_ID_SIZE];
    bool gpu = is_gpu(link->to), nic = !strncmp(link->to, "NIC", 3);
    if (nic && link->bw >= (double)ORR_LOC_BW) { /* not a PCI device: a virtual NIC on the CPU */
        open_element(m, depth, ORR_ELEMENT_NIC);
        return;
    }
    struct orr_doc_node *pci = open_element(m, depth, ORR_ELEMENT_PCI);
    orr_doc_set(&m->doc, pci, ORR_ATTR_BUSID, "%s", bus_id_of(link->to, bus_id));
    orr_doc_set(&m->doc, pci, ORR_ATTR_CLASS, gpu ? "0x030200" : nic ? "0x020700" : "0x060400");
    set_pci_link(m, pci, link->bw);
    if (nic) {
        open_inside(m, ORR_ELEMENT_NIC);
    } else if (!gpu) {
        set_identity(m, pci, link->detail);
    } else {
        int rank = rank_of(m, link);
        struct orr_doc_node *node = open_inside(m, ORR_ELEMENT_GPU);
        orr_doc_set(&m->doc, node, ORR_ATTR_DEV, "%d", rank >= 0 ? rank : 0);
        orr_doc_set(&m->doc, node, ORR_ATTR_SM, "%d", m->sm);
        if (rank >= 0)
            orr_doc_set(&m->doc, node, ORR_ATTR_RANK, "%d", rank);
        orr_doc_set(&m->doc, node, ORR_ATTR_GDR, "1");
    }
}

static void add_row(struct making *m, const struct orr_log_link *link)
{
    uint32_t depth = link->depth + 1; /* inside <system> */
    if (!link->type[0]) {
        add_cpu(m, link);
    } else if (!strcmp(link->type, "PCI") && strncmp(link->to, "CPU", 3) != 0) {
        add_pci(m, link, depth);
    } else if (!strcmp(link->type, "NET") && !strncmp(link->to, "NET", 3)) {
        close_to_depth(m, depth);
        add_net(m, link);
    } else if (!strcmp(link->type, "NVL") && is_gpu(link->from)) {
        close_to_depth(m, depth);
        add_nvlink(m, link);
    } else if (!strcmp(link->type, "C2C") && is_gpu(link->from)) {
        close_to_depth(m, depth);
        struct orr_doc_node *c2c = add_element(m, ORR_ELEMENT_C2C);
        orr_doc_set(&m->doc, c2c, ORR_ATTR_BW, "%.0f", link->bw * 1000);
        orr_doc_set(&m->doc, c2c, ORR_ATTR_COUNT_, "1");
    }
}

static enum orr_code make_tree(struct making *m, struct orr_dump **ret_dump, struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, 0);
    orr_doc_init(&m->doc, arena);
    m->doc.limit = orr_dump_default_limits.elements;
    m->open[m->depth++] = m->doc.system;
    for (uint32_t i = 0; i < m->links->count; i++)
        if (m->links->rows[i].session == m->session && m->links->rows[i].tree == 0)
            add_row(m, &m->links->rows[i]);
    if (m->doc.too_many || m->too_deep)
        return orr_fail(err, ORR_LIMIT, "the printed tree is too %s", m->too_deep ? "deep" : "large");
    *ret_dump = orr_doc_to_dump(&m->doc, NULL);
    ORR_NEED(*ret_dump, err);
    (*ret_dump)->arena = orr_arena_take(&arena);
    return ORR_OK;
}

enum orr_code orr_log_tree_dump(const struct orr_log *log, int32_t likely, struct orr_dump **ret_dump,
                                const char **ret_why, struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_log_links links;
    bool exact;
    struct making m = {.log = log, .links = &links, .session = UINT32_MAX};
    m.release = orr_release_nearest(orr_log_version(log, NULL), &exact);
    *ret_dump = NULL;
    *ret_why = "the log does not contain the tree of a system (NCCL_DEBUG_SUBSYS=GRAPH prints it)";
    ORR_TRY(orr_log_links_of(log, scratch, &links, err));
    for (uint32_t s = 0; s < log->session_count && m.session == UINT32_MAX; s++)
        if (links.complete[s])
            m.session = s;
    if (m.session == UINT32_MAX) {
        if (log->kinds[ORR_LOG_TREE_LINK])
            *ret_why = "the printed tree is not whole: its head or its end is missing";
        return ORR_OK;
    }
    for (uint32_t i = 0; i < links.count; i++)
        if (links.rows[i].session == m.session && links.rows[i].tree == 0 && !strcmp(links.rows[i].type, "QPI")) {
            *ret_why = "the tree is of a release before 2.6, which prints too little of it";
            return ORR_OK;
        }
    for (uint32_t i = 0; i < log->record_count && !m.nic_names; i++)
        if (log->records[i].kind == ORR_LOG_NIC_LIST)
            m.nic_names = log->records[i].words[1];
    m.sm = capability(&m, likely);
    *ret_why = NULL;
    return make_tree(&m, ret_dump, err);
}
