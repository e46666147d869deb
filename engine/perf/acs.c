/* SPDX-License-Identifier: Apache-2.0 */
/* PCIe ACS and the IOMMU. A line of the text that speaks for them is a lead; without one they are advice, which people
 * read after the causes that were tried and fit. */
#include <stdio.h>
#include <string.h>

#include "engine/perf/perfing.h"

bool orr_perf_uses_gdr(const struct orr_analysis *analysis)
{
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_part *part = &analysis->parts[p];
        const uint32_t pairs = orr_system_count(&part->system, ORR_GPU) * orr_system_count(&part->system, ORR_NET);
        for (uint32_t i = 0; part->gdr && i < pairs; i++)
            if (part->gdr[i].send.verdict)
                return true;
    }
    return false;
}

/* Whether a cause with evidence already names ACS. */
static bool is_named(const struct orr_perf_table *table)
{
    for (uint32_t i = 0; i < table->lead_count; i++)
        if (strstr(table->leads[i], "acsctl"))
            return true;
    for (uint32_t i = 0; i < table->explanation_count; i++)
        for (uint32_t k = 0; k < table->explanations[i].id_count; k++)
            if (!strcmp(table->explanations[i].ids[k], "acs"))
                return true;
    return false;
}

/* Whether a setting of the text turns RDMA or GPUDirect RDMA off. */
static bool is_without_gdr(const struct orr_perf_check *check)
{
    static const char *const settings[][2] = {
        {"NCCL_IB_DISABLE", "1"}, {"NCCL_NET", "Socket"}, {"NCCL_NET_GDR_LEVEL", "LOC"}, {"NCCL_NET_GDR_LEVEL", "0"}};
    for (uint32_t i = 0; i < check->setting_count; i++)
        for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++)
            if (!strcmp(check->settings[i].name, settings[k][0]) && !strcmp(check->settings[i].value, settings[k][1]))
                return true;
    return false;
}

/* Data between GPUs and NICs of several hosts goes over PCIe alone, which ACS and the IOMMU slow down. The trial of ACS
 * (causes.c) knows only what the detour by the root port costs. */
const char *orr_perf_advise_acs(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    static const double HALF = 0.7;
    const struct orr_perf_row *row = &table->rows[table->main];
    const struct orr_log *log = work->results->log;
    const struct orr_log_event *off = log ? orr_log_event_of(log, "acs-off") : NULL;
    const struct orr_log_said *virtual = log ? log->mentions[ORR_MENTION_VIRTUAL] : NULL;
    if (table->analysis->communicator.node_count < 2 || !orr_perf_uses_gdr(table->analysis))
        return "";
    if (virtual)
        return orr_arena_text(work->arena,
                              "%s ATS: in a virtual machine (line %u) PCIe ACS stays on, and data between GPUs and "
                              "NICs goes through the CPU unless the NICs have ATS. On the host, `sudo mlxconfig -d "
                              "DEVICE query | grep ATS` must say True; in the virtual machine, set "
                              "NCCL_IB_PCI_RELAXED_ORDERING=1.",
                              table->lead_count ? "Then check" : "Check", virtual->line);
    if (row->bus_bw > HALF * row->expected.bus_bw || is_named(table) || is_without_gdr(work->check))
        return "";
    if (off && !orr_log_event_of(log, "acs-on"))
        table->advice = orr_arena_text(
            work->arena,
            "PCIe ACS is off (line %u). Compare the NICs' PCIe settings with those of a faster host: MaxReadReq in "
            "`lspci -vv`, and MAX_ACC_OUT_READ and PCI_WR_ORDERING in `mlxconfig -d DEVICE query`.",
            off->line);
    else
        table->advice =
            "Neither a trial nor a line of the input shows it, but PCIe ACS and the IOMMU slow GPUDirect RDMA down, "
            "too: `sudo lspci -vvv | grep -i acsctl` (SrcValid+ or ReqRedir+ at a bridge: ACS is on) and `cat "
            "/proc/cmdline`. The lines \"via NET/IB\" of NCCL_DEBUG=INFO must end in GDRDMA.";
    return "";
}
