/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about a log, and about its agreement with a prediction. */
#include "engine/findings/finder.h"

static void point_at(struct orr_finder *f, const char *id)
{
    const struct orr_system *system = &f->analysis->built;
    uint32_t node = id[0] ? orr_system_find(system, id) : ORR_NO_NODE;
    if (node != ORR_NO_NODE)
        orr_point_node(f, system, node);
}

static bool predicts_p2p(const struct orr_log_value *value)
{
    return (value->shape == ORR_SHAPE_TRANSPORT && value->transport == ORR_TRANSPORT_P2P) ||
           (value->shape == ORR_SHAPE_P2P && value->p2p.possible);
}

/* A pair that is near enough for P2P, but that the driver refuses or that uses shared memory. */
static void p2p_refused(struct orr_finder *f)
{
    uint32_t pairs = 0;
    const struct orr_log_fact *first = NULL;
    for (uint32_t i = 0; f->check && i < f->check->fact_count; i++) {
        const struct orr_log_fact *fact = &f->check->facts[i];
        if (fact->topic != ORR_TOPIC_P2P || fact->verdict != ORR_FACT_DIFFERS || !predicts_p2p(&fact->predicted))
            continue;
        first = first ? first : fact;
        pairs++;
        point_at(f, fact->nodes[0]);
        point_at(f, fact->nodes[1]);
    }
    if (pairs)
        orr_say(f, "%u pairs, first in line %u: %s: %s, predicted %s", pairs, first->line, first->what,
                first->logged.text, first->predicted.text);
}

static void graph_lines_missing(struct orr_finder *f)
{
    const struct orr_log *log = f->log;
    if (!log->graph_file && !log->kinds[ORR_LOG_SYSTEM] && !log->kinds[ORR_LOG_PATTERN] && !log->kinds[ORR_LOG_PATHS])
        orr_say(f, "%u lines of NCCL, none about the system, its paths or its graphs", log->nccl_count);
}

static void other_release(struct orr_finder *f)
{
    if (f->check && f->check->release_named && !f->check->release_exact)
        orr_say(f, "the log comes from %s, the prediction is for %s", f->check->release_text,
                f->check->query.settings.release->name);
}

static void other_channels(struct orr_finder *f)
{
    if (!f->check || f->check->first >= f->check->fact_count)
        return;
    const struct orr_log_fact *fact = &f->check->facts[f->check->first];
    orr_say(f, "%u facts differ and %u agree; the first, in line %u: %.80s is %.60s, predicted %.60s", f->check->differ,
            f->check->agree, fact->line, fact->what, fact->logged.text, fact->predicted.text);
    point_at(f, fact->nodes[0]);
    point_at(f, fact->nodes[1]);
}

const struct orr_finding_row orr_findings_log[] = {
    {ORR_FINDING("p2p-refused", "L40", WARNING, LOG, p2p_refused),
     .title = "The job did not use P2P although the topology allows it",
     .why = "Data goes through host memory. The driver, IOMMU, ACS or a setting prevented P2P.",
     .advice = "Turn off ACS on the switches between the GPUs, and set the IOMMU to off or passthrough. Inside a "
               "virtual machine, ACS has to stay on.",
     .commands = {"nvidia-smi topo -p2p rw", "sudo lspci -vvv | grep -i ACSCtl", "cat /proc/cmdline"},
     .references = {"NVIDIA/nccl#606", "NVIDIA/nccl#667", "NVIDIA/nccl#631"}},
    {ORR_FINDING("log-without-graph", "L97", INFO, LOG, graph_lines_missing),
     .title = "The log lacks the lines of the GRAPH subsystem",
     .why = "Only rings, trees and connections can be compared, not the graphs that lead to them.",
     .advice = "Run the job once with NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH.",
     .commands = {"NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,TUNING,NET your-job"}},
    {ORR_FINDING("log-of-other-release", "L98", WARNING, LOG, other_release),
     .title = "The log comes from another release than the prediction",
     .why = "Differences may not be faults: releases differ in paths, search and tuning.",
     .advice = "Choose the log's release. If Orrery does not know it, compare with its neighbours.",
     .commands = {"orrery releases"}},
    {ORR_FINDING("log-differs", "L99", WARNING, LOG, other_channels), .title = "The log differs from the prediction",
     .why =
         "The job ran on another machine, in another state or with other settings, or a plugin changed NCCL's choices.",
     .advice = "Start with the first difference and its likely causes. Later differences often follow from it."},
    {0},
};
