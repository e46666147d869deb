/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about PCIe: ACS and the IOMMU, GPUDirect RDMA that they break, links and bridges that are slower than their
 * devices. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/text.h"
#include "engine/log_reading/tree.h"
#include "engine/symptoms/finding.h"

/* RDMA fails although the link is up, because the NIC cannot reach a GPU's memory. A job without GPUDirect RDMA cannot
 * have failed for this reason. */
static void gdr_breaks(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_symptom_transports seen = orr_symptom_transports(log);
    const struct orr_log_event *event =
        orr_log_event_of(log, "ib-local-protection|ib-flushed|ib-remote-access|ib-retry-exceeded");
    const char *level = orr_symptom_setting(log, "NCCL_NET_GDR_LEVEL", NULL);
    const struct orr_log_event *late = orr_log_event_of(log, "ib-retry-exceeded");
    if (event && late && !strcmp(event->message->id, "ib-flushed") && late->line < event->line)
        event = late; /* a connection that failed flushes its other requests */
    const bool off = (seen.net && !seen.gdr) || (level && orr_symptom_is_one(level, "LOC|0")) ||
                     (!seen.gdr && orr_log_event_of(log, "peermem-missing"));
    if (!event || off || orr_symptom_acs_refuted(log) ||
        orr_log_event_of(log, "ib-async-port|killed-memory|killed-memory-step|killed-memory-kernel|"
                              "pod-memory|xid|" ORR_LOG_XIDS_OF_HARDWARE))
        return;
    const bool timed_out = !strcmp(event->message->id, "ib-retry-exceeded");
    const struct orr_log_event *acs = orr_log_event_of(log, "acs-on");
    ORR_SYMPTOM(
        f, "gdr-broken",
        !acs && (timed_out || orr_symptom_said(log, ORR_SAID_UPGRADED, false)) ? ORR_SYMPTOM_NOTE : ORR_SYMPTOM_CAUSE,
        event->line,
        .cause = orr_symptom_text(
            f, "%sRun once with NCCL_NET_GDR_LEVEL=LOC: if the job then works, GPUDirect RDMA is at fault%s.",
            acs ? orr_symptom_text(f, "PCIe ACS is on (line %u), which can break GPUDirect RDMA. ", acs->line) : "",
            timed_out ? "; a bad link, which ib_write_bw shows, explains this error as well" : ""),
        .check = ORR_ACS_CHECK, .cure = ORR_ACS_CURE);
}

/* The text shows ACS, but no error that ACS explains. */
static void acs_is_on(struct orr_symptom_finder *f)
{
    const struct orr_log_event *acs = orr_log_event_of(f->log, "acs-on");
    for (uint32_t i = 0; i < f->found->count; i++)
        if (!strcmp(f->found->rows[i].id, "gdr-broken") && f->found->rows[i].weight == ORR_SYMPTOM_CAUSE)
            return;
    if (!acs)
        return;
    ORR_SYMPTOM(
        f, "acs-on", ORR_SYMPTOM_CAUSE, acs->line,
        .cause = orr_symptom_text(f,
                                  "PCIe ACS is on (line %u): data between devices below one PCIe switch goes through "
                                  "the CPU, which halves its speed or more, and P2P or GPUDirect RDMA can hang.",
                                  acs->line),
        .check = "Check: afterwards `sudo lspci -vvv | grep -i acsctl` shows SrcValid- and ReqRedir- at every bridge.",
        .cure = "For direct transfers between devices, " ORR_ACS_OFF
                " `pci=noacs` works with some vendors' kernels only: if dmesg says \"Unknown option\", use "
                "`pci=disable_acs_redir=BRIDGE`. If this is a virtual machine, it needs ACS: ask its provider.");
}

static void iommu_translates(struct orr_symptom_finder *f)
{
    const struct orr_log_event *on = orr_log_event_of(f->log, "iommu-translated");
    if (!on || orr_log_event_of(f->log, "iommu-passthrough"))
        return;
    ORR_SYMPTOM(f, "iommu-on", ORR_SYMPTOM_CAUSE, on->line,
                .cause = orr_symptom_text(
                    f, "The IOMMU translates addresses (line %u), so P2P and GPUDirect RDMA can hang, fail or be slow.",
                    on->line),
                .check = "Check: afterwards `cat /proc/cmdline` shows iommu=pt, and `dmesg | grep -i iommu` does not "
                         "say Translated.",
                .cure = "Boot with iommu=pt, or turn the IOMMU off in the BIOS. " ORR_ACS_CURE);
}

/* The link of a session's tree that leads to a node; NULL if none does. */
static const struct orr_log_link *link_to(const struct orr_log_links *links, const struct orr_log_link *below)
{
    for (const struct orr_log_link *link = below; link-- > links->rows;)
        if (link->session == below->session && link->tree == below->tree && !strcmp(link->to, below->from))
            return link; /* a tree is printed from the top */
    return NULL;
}

#define REAL_LINKS                                                                                                     \
    "Give the bridges their real link in the topology file (link_speed=\"32.0 GT/s PCIe\" link_width=\"16\" for PCIe " \
    "5); `orrery vm-file` makes such a file from a dump of the host."

/* A line of a topology file. */
static void slow_bridge_of_file(struct orr_symptom_finder *f)
{
    const struct orr_log_event *bridge = orr_log_event_of(f->log, "bridge-slow");
    if (!bridge)
        return;
    ORR_SYMPTOM(f, "slow-bridges", ORR_SYMPTOM_CAUSE, bridge->line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "The topology file gives a PCIe bridge 2.5 GT/s x1, about 0.2 GB/s (line %u), and NCCL believes "
                    "it: it avoids every path through this bridge, or finds few and slow channels.",
                    bridge->line),
                .check = "Check: \"PCI[0.2]\" or \"PCI[0.1]\" in the tree of NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=GRAPH, "
                         "and link_speed and link_width of each bridge in the file (NCCL_TOPO_FILE).",
                .cure = REAL_LINKS);
}

/* A PCIe link that is much slower than the device below it: bridges of a virtual machine, or of a topology
 * file, that say 2.5 GT/s x1. */
static void slow_bridges(struct orr_symptom_finder *f)
{
    static const double SLOW = 0.25;
    enum { LINKS_MOST = 2000 };
    struct orr_log_links links;
    struct orr_error ignored;
    const struct orr_log_link *slow = NULL, *last = NULL;
    uint32_t count = 0;
    double below = 0;
    if (orr_log_links_of(f->log, f->arena, &links, &ignored) != ORR_OK)
        return;
    for (uint32_t i = 0; i < links.count && i < LINKS_MOST && !orr_budget_spent(i); i++) {
        const struct orr_log_link *link = &links.rows[i];
        if (strcmp(link->type, "PCI") != 0 || link->session != links.rows[0].session || link->tree ||
            (strncmp(link->to, "GPU/", 4) != 0 && strncmp(link->to, "NIC/", 4) != 0))
            continue;
        const struct orr_log_link *bridge = link_to(&links, link);
        if (!bridge || bridge == last || strncmp(bridge->to, "PCI/", 4) != 0 || bridge->bw <= 0 ||
            bridge->bw >= SLOW * link->bw)
            continue;
        last = bridge;
        slow = slow ? slow : bridge;
        below = slow == bridge ? link->bw : below;
        count++;
    }
    if (!slow) {
        slow_bridge_of_file(f);
        return;
    }
    const char *identity = strlen(slow->detail) >= 8 ? slow->detail : "";
    ORR_SYMPTOM(f, "slow-bridges", ORR_SYMPTOM_CAUSE, slow->line, .slows = true,
                .cause = orr_symptom_text(f,
                                          "NCCL takes %u PCIe bridge%s for %.3g GB/s (line %u: %s%s%.4s%s%.4s), and "
                                          "the devices below have %.3g GB/s. It avoids every path through %s.",
                                          count, orr_plural(count), slow->bw, slow->line, slow->to,
                                          identity[0] ? ", device " : "", identity, identity[0] ? ":" : "",
                                          identity[0] ? identity + 4 : "", below,
                                          count > 1 ? "these bridges" : "this bridge"),
                .check = "Check: link_speed and link_width of the bridges in the topology file (NCCL_TOPO_FILE), and "
                         "`lspci -vv`: virtual bridges say 2.5 GT/s x1.",
                .cure = REAL_LINKS);
}

/* Whether the text is about DGX Spark, whose NIC has two links of 4 lanes by design, which lspci calls downgraded. */
static bool is_spark(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_gpu_model *model = orr_symptom_model(&log->records[i]);
        if (model && orr_gpu_model_is(model, "GB10"))
            return true;
    }
    return orr_symptom_said(log, " gb10 |dgx spark| gx10 ", true);
}

#define SEAT                                                                                                           \
    "If LnkCap of the port above the device has all lanes, update BIOS and firmware, and reseat the card, cable or "   \
    "riser. If "                                                                                                       \
    "LnkCap of the port has fewer lanes, that slot has no more: use another one, or count with these lanes."

/* Two devices of one class that are capable of the same link do not have it. */
static bool unequal_links(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, "pcie-unequal");
    const char *status = event ? event->text + strlen("LnkSta: ") : "", *width = strstr(status, ": Width ");
    const char *unlike = width ? strstr(width, ", unlike ") : NULL, *other = unlike ? strstr(unlike, " of ") : NULL;
    if (!other)
        return false;
    const int own = (int)(unlike - width - 8), its = (int)(other - unlike - 9);
    ORR_SYMPTOM(f, "pcie-unequal", ORR_SYMPTOM_CAUSE, event->line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "The PCIe link of %.*s has fewer lanes (%.*s, line %u) than that of its equal %.40s (%.*s), so "
                    "traffic that is spread evenly over both waits for it.",
                    (int)(width - status), status, own, width + 8, event->line, other + 4, its, unlike + 9),
                .check = "Check: measure each of the two alone (NCCL_IB_HCA=NAME, or ib_write_bw), and compare LnkSta "
                         "with another host.",
                .cure = is_spark(f->log) ? "Update the firmware of both hosts (`sudo fwupdmgr update`), then turn them "
                                           "off and on: each of the two halves of the port needs x4."
                                         : SEAT);
    return true;
}

/* The width in LnkSta of lspci: unlike the speed of an idle GPU's link, missing lanes do not come back under load. */
static void narrow_link(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, "pcie-narrow");
    if (unequal_links(f) || !event || is_spark(f->log))
        return;
    const char *status = strstr(event->text, "LnkSta:");
    status = status ? status + strlen("LnkSta:") : "";
    status += strspn(status, " \t?");
    ORR_SYMPTOM(f, "pcie-narrow", ORR_SYMPTOM_CAUSE, event->line, .slows = true,
                .cause = orr_symptom_text(f,
                                          "A PCIe link runs with fewer lanes than the device has (line %u: %.120s%s), "
                                          "and so does all traffic of the GPUs and NICs below it.",
                                          event->line, status,
                                          event->count > 1 ? orr_symptom_text(f, "; %u links", event->count) : ""),
                .check = "Check: `sudo lspci -vvv -s ADDRESS | grep -e LnkCap: -e LnkSta:` of this device, of the port "
                         "above it (`lspci -tv`) and of its equals.",
                .cure = SEAT);
}

/* The speed of a NIC's or a switch's link. The reader leaves out GPUs, whose links slow down while they are idle. */
static void slow_link(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, "pcie-slow");
    if (!event)
        return;
    const char *status = event->text + strlen("LnkSta: ");
    const char *remark = strstr(status, " (slower");
    ORR_SYMPTOM(f, "pcie-slow", ORR_SYMPTOM_CAUSE, event->line, .slows = true,
                .cause = orr_symptom_text(
                    f, "A PCIe link is slower than its device (line %u: %.*s%s), and so is all traffic through it.",
                    event->line, (int)(remark ? (size_t)(remark - status) : strlen(status)), status,
                    event->count > 1 ? orr_symptom_text(f, "; %u links", event->count) : ""),
                .check = "Check: `sudo lspci -vvv -s ADDRESS | grep -e LnkCap: -e LnkSta:` during a run, also of the "
                         "port above it: a slot of an older generation limits the device.",
                .cure = "If LnkCap of the port above is as fast as the device, set the port's speed in the BIOS to "
                        "Auto, and replace a riser or cable that cannot carry it. If LnkCap of the port is slower, use "
                        "a slot of the device's generation.");
}

/* The speed of a GPU's link while nothing runs, about which somebody asks. */
static void idle_link(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, "pcie-idle");
    const char *speed = event ? strstr(event->text, "Speed ") : NULL;
    if (!speed ||
        !orr_symptom_said(f->log, "2 5 gt|2 5gt|gen 1|gen1|downgrad|riser|link speed|pcie speed&!width x|lnkcap|lnkctl",
                          false))
        return;
    speed += strlen("Speed ");
    ORR_SYMPTOM(f, "pcie-idle", ORR_SYMPTOM_CAUSE, event->line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "The link of the GPU has all its lanes and shows %.*s(line %u): a GPU lowers the speed of its link "
                    "while it is idle and raises it under load, so this shows no fault of riser, slot or BIOS.",
                    (int)strcspn(speed, "("), speed, event->line),
                .check = "Check while all_reduce_perf runs: LnkSta again, or `nvidia-smi "
                         "--query-gpu=pstate,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current "
                         "--format=csv`.",
                .cure = "Only if the speed stays low under load: reseat the card or riser, and set the slot's "
                        "generation in the BIOS. The speed of NCCL then has another cause.");
}

/* Whether a communicator of the log has a GPU with this bus id: "1a:00.0" in the text, "1a000" in the log. */
static bool is_gpu(const struct orr_log *log, const char *device, size_t length)
{
    char digits[16] = "";
    size_t count = 0;
    for (size_t i = 0; i < length && count + 1 < sizeof digits; i++)
        if (device[i] != ':' && device[i] != '.' && (count || device[i] != '0'))
            digits[count++] = device[i];
    for (uint32_t i = 0; i < log->session_count; i++)
        if (log->sessions[i].bus_id && !strcmp(log->sessions[i].bus_id, digits))
            return true;
    return false;
}

/* The kernel says that the IOMMU refused a device, which a line shows to be a GPU, or which iommu=pt did not help. */
static void iommu_refuses(struct orr_symptom_finder *f)
{
    const struct orr_log_event *fault = orr_log_event_of(f->log, "dmar-fault|iommu-fault");
    const struct orr_log_event *pt = orr_log_event_of(f->log, "iommu-passthrough");
    if (!fault)
        return;
    const char *device = strstr(fault->text, "device [");
    device = device ? device + strlen("device [") : "";
    const size_t length = strcspn(device, "]");
    const bool gpu = strstr(fault->text, "nvidia ") || (length && is_gpu(f->log, device, length));
    if (!gpu && !pt)
        return;
    ORR_SYMPTOM(
        f, "iommu-refuses", ORR_SYMPTOM_CAUSE, fault->line,
        .cause = orr_symptom_text(f,
                                  "The IOMMU refused accesses of %s%s%.*s (line %u)%s%s. Data that it sends to another "
                                  "GPU or a NIC (P2P, GPUDirect RDMA) does not arrive, and NCCL waits for it.",
                                  gpu ? "a GPU" : "a device", length ? ", " : "", (int)length, device, fault->line,
                                  pt ? orr_symptom_text(f, ", although line %u says iommu=pt", pt->line) : "",
                                  gpu ? "" : "; look with lspci whether it is a GPU or a NIC"),
        .check = "Check: run once with NCCL_P2P_DISABLE=1 NCCL_NET_GDR_LEVEL=LOC: if it works, it is this.",
        .cure = pt ? "Turn the IOMMU off: intel_iommu=off or amd_iommu=off in the kernel's command line, or VT-d or "
                     "AMD-Vi in the BIOS, which also leaves PCIe ACS off. A device that a virtual machine was given "
                     "needs the IOMMU: then leave NCCL_P2P_DISABLE=1 set."
                   : "Boot with iommu=pt or with the IOMMU off, and turn PCIe ACS off at the bridges between them.",
        .explains = fault->message->id);
}

/* A topology file names NICs that the host does not have. */
static void foreign_topology(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_record *file = NULL;
    const struct orr_log_event *event = NULL;
    for (uint32_t i = 0; i < log->record_count && !file; i++)
        file = log->records[i].kind == ORR_LOG_TOPO_FILE ? &log->records[i] : NULL;
    for (uint32_t i = 0; i < log->event_count && !event; i++)
        event = strstr(log->events[i].text, "Could not find NET with id") ? &log->events[i] : NULL;
    if (!file || !event || !file->word_count)
        return;
    ORR_SYMPTOM(
        f, "topology-foreign", ORR_SYMPTOM_CAUSE, file->line,
        .cause = orr_symptom_text(f, "NCCL read the machine from %.80s (line %u), and then missed a NIC (line %u).",
                                  file->words[0], file->line, event->line),
        .check = "Run once without NCCL_TOPO_FILE (and /var/run/nvidia-topologyd/virtualTopology.xml): if that works, "
                 "the file does not fit this machine.",
        .cure = "If bus ids or NICs of the file are not those of `lspci` and `ibdev2netdev`, leave NCCL_TOPO_FILE out, "
                "or write the file anew (NCCL_TOPO_DUMP_FILE, or `orrery vm-file` for a virtual machine).");
}

void orr_symptoms_of_pcie(struct orr_symptom_finder *f)
{
    foreign_topology(f);
    iommu_refuses(f);
    idle_link(f);
    slow_bridges(f);
    narrow_link(f);
    slow_link(f);
    gdr_breaks(f);
    acs_is_on(f);
    iommu_translates(f);
}
