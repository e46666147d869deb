/* A printed tree written as topology XML. What the tree does not hold is supplied, each by a stated rule: PCI speed and
 * width that print as the same rate, NVLinks by the rate of one at the GPU's capability, capability by the device's
 * name or by what rate fits. The links between CPUs follow from the CPU models. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hex.h"
#include "engine/base/text.h"
#include "engine/hardware/gpu_models.h"
#include "engine/log_reading/tree.h"
#include "engine/release/cpu.h"
#include "engine/release/release.h"
#include "engine/release/release_names.h"
#include "engine/topology/pci.h"

enum { XML_MOST = 4 << 20, NESTED_MOST = 32, NIC_MOST = 512 };

struct making {
    const struct orr_log *log;
    const struct orr_release *release;
    const struct orr_log_links *links;
    uint32_t session;
    int32_t sm;
    struct orr_text xml;
    const char *open[NESTED_MOST]; /* elements to close, outermost first; one a depth */
    uint32_t depth;
    const char *nic_names; /* the line that lists them, NULL: none */
};

/* Whether a printed rate is that of so many links; some whole number of them. */
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

/* Whether GPUs of the capability, with at most so many NVLinks each, could have all printed rates of NVLinks. *ret_any:
 * some are printed. */
static bool fits_all(const struct making *m, int32_t sm, int most, bool *ret_any)
{
    bool all = true;
    *ret_any = false;
    for (uint32_t k = 0; k < m->links->count && all; k++) {
        const struct orr_log_link *link = &m->links->rows[k];
        if (link->session != m->session || strcmp(link->type, "NVL") != 0 || link->bw == 0)
            continue; /* a rate of 0.0 is that of no link of any generation */
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
    while (m->depth > depth)
        orr_text_puts(&m->xml, m->open[--m->depth]);
}

static void open_element(struct making *m, uint32_t depth, const char *closing)
{
    close_to_depth(m, depth);
    while (m->depth < depth && m->depth < NESTED_MOST)
        m->open[m->depth++] = "";
    if (m->depth < NESTED_MOST)
        m->open[m->depth++] = closing;
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

/* link_speed and link_width that make the printed rate, as attributes. */
static void write_pci_link(struct making *m, double bw)
{
    static const int32_t widths[] = {16, 8, 4, 2, 1, 32};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (const struct orr_speed *speed = m->release->speeds; speed->prefix; speed++)
            if (fabs((double)orr_pci_bw(m->release, widths[w], speed->prefix) - bw) < 0.051) {
                orr_text_printf(&m->xml, " link_speed=\"%s\" link_width=\"%d\"", speed->prefix, widths[w]);
                return;
            }
    orr_text_puts(&m->xml, " link_speed=\"\" link_width=\"0\"");
}

static void write_cpu(struct making *m, const struct orr_log_link *link)
{
    static const int32_t intel_models[] = {
        [ORR_INTEL_BDW] = 79, [ORR_INTEL_SKL] = 85, [ORR_INTEL_SRP] = 143, [ORR_INTEL_ERP] = 207};
    static const char *const arches[] = {
        [ORR_ARCH_X86] = "x86_64", [ORR_ARCH_POWER] = "ppc64", [ORR_ARCH_ARM] = "arm64"};
    static const char *const vendors[] = {
        [ORR_VENDOR_INTEL] = "GenuineIntel", [ORR_VENDOR_AMD] = "AuthenticAMD", [ORR_VENDOR_ZHAOXIN] = "  Shanghai  "};
    int arch = (int)link->cpu[0], vendor = (int)link->cpu[1], model = (int)link->cpu[2];
    open_element(m, 1, "</cpu>\n");
    orr_text_printf(&m->xml, "<cpu numaid=\"%llu\" affinity=\"ffffffff\" arch=\"%s\"",
                    (unsigned long long)local_of(link->to),
                    arch >= 1 && arch <= ORR_ARCH_ARM ? arches[arch] : "x86_64");
    if (strncmp(link->to, "CPU/0-", 6))
        orr_text_printf(&m->xml, " host_hash=\"0x%lx\"", strtoul(link->to + 4, NULL, 16) + 1);
    if (vendor >= ORR_VENDOR_INTEL && vendor <= ORR_VENDOR_ZHAOXIN)
        orr_text_printf(&m->xml, " vendor=\"%s\"", vendors[vendor]);
    else if (arch == ORR_ARCH_X86 || arch < 1)
        orr_text_puts(&m->xml, " vendor=\"GenuineIntel\"");
    if (vendor == ORR_VENDOR_INTEL)
        orr_text_printf(&m->xml, " familyid=\"6\" modelid=\"%d\"",
                        model >= ORR_INTEL_BDW && model <= ORR_INTEL_ERP ? intel_models[model]
                                                                         : intel_models[ORR_INTEL_SKL]);
    else if (vendor == ORR_VENDOR_ZHAOXIN)
        orr_text_printf(&m->xml, " familyid=\"7\" modelid=\"%d\"", model == ORR_ZHAOXIN_YONGFENG ? 91 : 27);
    else
        orr_text_puts(&m->xml, " familyid=\"23\" modelid=\"49\"");
    orr_text_puts(&m->xml, ">\n");
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

/* The name of NIC dev in "[0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE"; "netN" where it is not listed. */
static void write_nic_name(struct making *m, int dev)
{
    char mark[16];
    snprintf(mark, sizeof mark, "[%d]", dev);
    const char *at = m->nic_names ? strstr(m->nic_names, mark) : NULL;
    if (at) {
        at += strlen(mark);
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+");
        orr_text_add(&m->xml, at, length < NIC_MOST ? length : NIC_MOST);
    } else {
        orr_text_printf(&m->xml, "net%d", dev);
    }
}

static void write_net(struct making *m, const struct orr_log_link *link)
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
    orr_text_puts(&m->xml, "<net name=\"");
    write_nic_name(m, dev);
    orr_text_printf(
        &m->xml,
        "\" dev=\"%d\" speed=\"%.0f\" port=\"%d\" guid=\"0x%s\" latency=\"0\" maxconn=\"131072\" gdr=\"%d\"/>\n", dev,
        rate > 0 && rate < 1e5 ? rate * 8000 : 0, port, asic, !gdr_denied(m, dev));
}

static void write_identity(struct making *m, const char *detail)
{
    static const char *const names[] = {"vendor", "device", "subsystem_vendor", "subsystem_device"};
    if (strlen(detail) != 16 || orr_hex_span(detail, 16) != 16)
        return;
    for (int i = 0; i < 4; i++)
        orr_text_printf(&m->xml, " %s=\"0x%.4s\"", names[i], detail + 4 * i);
}

static void write_nvlink(struct making *m, const struct orr_log_link *link)
{
    char bus_id[ORR_BUS_ID_SIZE];
    double one = (double)orr_nvlink_bw_of(m->release->nvlink_bw, m->sm);
    int count = (int)floor(link->bw / one + 0.5);
    bool to_switch = !strncmp(link->to, "NVS", 3), to_cpu = !strncmp(link->to, "CPU", 3);
    orr_text_printf(&m->xml, "<nvlink target=\"%s\" count=\"%d\" tclass=\"%s\"/>\n",
                    to_switch ? "fffffff:ffff:ff" : bus_id_of(link->to, bus_id), link->bw > 0 && count < 1 ? 1 : count,
                    to_switch ? "0x068000"
                    : to_cpu  ? "0x068001"
                              : "0x030200");
}

/* The rank of a GPU's own line; of a physical GPU (DEV) that of the GPU printed below it. */
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

static void write_pci(struct making *m, const struct orr_log_link *link, uint32_t depth)
{
    char bus_id[ORR_BUS_ID_SIZE];
    bool gpu = is_gpu(link->to), nic = !strncmp(link->to, "NIC", 3);
    int rank = gpu ? rank_of(m, link) : -1;
    if (nic && link->bw >= (double)ORR_LOC_BW) { /* no PCI device: a virtual NIC on the CPU */
        open_element(m, depth, "</nic>\n");
        orr_text_puts(&m->xml, "<nic>\n");
        return;
    }
    open_element(m, depth, gpu ? "</gpu></pci>\n" : nic ? "</nic></pci>\n" : "</pci>\n");
    orr_text_printf(&m->xml, "<pci busid=\"%s\" class=\"%s\"", bus_id_of(link->to, bus_id),
                    gpu   ? "0x030200"
                    : nic ? "0x020700"
                          : "0x060400");
    write_pci_link(m, link->bw);
    if (!gpu && !nic)
        write_identity(m, link->detail);
    orr_text_puts(&m->xml, ">\n");
    if (gpu && rank >= 0)
        orr_text_printf(&m->xml, "<gpu dev=\"%d\" sm=\"%d\" rank=\"%d\" gdr=\"1\">\n", rank, m->sm, rank);
    else if (gpu)
        orr_text_printf(&m->xml, "<gpu dev=\"0\" sm=\"%d\" gdr=\"1\">\n", m->sm);
    else if (nic)
        orr_text_puts(&m->xml, "<nic>\n");
}

static void write_row(struct making *m, const struct orr_log_link *link)
{
    uint32_t depth = link->depth + 1; /* inside <system> */
    if (!link->type[0]) {
        write_cpu(m, link);
    } else if (!strcmp(link->type, "PCI") && strncmp(link->to, "CPU", 3)) {
        write_pci(m, link, depth);
    } else if (!strcmp(link->type, "NET") && !strncmp(link->to, "NET", 3)) {
        close_to_depth(m, depth);
        write_net(m, link);
    } else if (!strcmp(link->type, "NVL") && is_gpu(link->from)) {
        close_to_depth(m, depth);
        write_nvlink(m, link);
    } else if (!strcmp(link->type, "C2C") && is_gpu(link->from)) {
        close_to_depth(m, depth);
        orr_text_printf(&m->xml, "<c2c bw=\"%.0f\" count=\"1\"/>\n", link->bw * 1000);
    }
}

static enum orr_code write_tree(struct making *m, struct orr_arena *arena, const char **ret_xml, struct orr_error *err)
{
    orr_text_puts(&m->xml, "<system version=\"1\">\n<!-- Rebuilt by Orrery from the tree that an NCCL log prints. GPU "
                           "Direct RDMA is taken as possible unless the log denies it. -->\n");
    m->open[m->depth++] = "</system>\n";
    for (uint32_t i = 0; i < m->links->count; i++)
        if (m->links->rows[i].session == m->session && m->links->rows[i].tree == 0)
            write_row(m, &m->links->rows[i]);
    close_to_depth(m, 0);
    enum orr_code code = ORR_OK;
    if (m->xml.starved)
        code = orr_fail_nomem(err);
    else if (orr_text_failed(&m->xml))
        code = orr_fail(err, ORR_LIMIT, "the printed tree is too large");
    else if (!(*ret_xml = orr_arena_strndup(arena, m->xml.data, m->xml.length)))
        code = orr_fail_nomem(err);
    return code;
}

enum orr_code orr_log_tree_xml(const struct orr_log *log, int32_t likely, struct orr_arena *arena, const char **ret_xml,
                               const char **ret_why, struct orr_error *err)
{
    struct orr_log_links links;
    bool exact;
    struct making m = {.log = log, .links = &links, .session = UINT32_MAX};
    m.release = orr_release_nearest(orr_log_version(log, NULL), &exact);
    *ret_xml = NULL;
    *ret_why = "the log does not hold the printed tree of a system (NCCL_DEBUG_SUBSYS=GRAPH prints it)";
    ORR_TRY(orr_log_links_of(log, arena, &links, err));
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
    orr_text_init(&m.xml, XML_MOST);
    enum orr_code code = write_tree(&m, arena, ret_xml, err);
    orr_text_release(&m.xml);
    return code;
}
