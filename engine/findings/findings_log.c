/* Findings about a log, and about how a prediction agrees with it. */
#include "engine/findings/finder.h"

static void point_at(struct orr_finder *f, const char *id)
{
    const struct orr_system *system = &f->analysis->built;
    uint32_t node = id[0] ? orr_system_find(system, id) : ORR_NO_NODE;
    if (node != ORR_NO_NODE)
        orr_point_node(f, system, node);
}

/* A pair near enough by the topology that the driver refuses, or that goes through shared memory. */
static void p2p_refused(struct orr_finder *f)
{
    uint32_t pairs = 0;
    const struct orr_log_fact *first = NULL;
    for (uint32_t i = 0; f->check && i < f->check->fact_count; i++) {
        const struct orr_log_fact *fact = &f->check->facts[i];
        if (fact->topic != ORR_TOPIC_P2P || fact->verdict != ORR_FACT_DIFFERS ||
            (strcmp(fact->predicted, "P2P") != 0 && strncmp(fact->predicted, "possible", 8) != 0))
            continue;
        first = first ? first : fact;
        pairs++;
        point_at(f, fact->nodes[0]);
        point_at(f, fact->nodes[1]);
    }
    if (pairs)
        orr_say(f, "%u pairs, first in line %u: %s: %s, predicted %s", pairs, first->line, first->what, first->logged,
                first->predicted);
}

static void graph_lines_missing(struct orr_finder *f)
{
    const struct orr_log *log = f->log;
    if (!log->graph_file && !log->kinds[ORR_LOG_SYSTEM] && !log->kinds[ORR_LOG_PATTERN] && !log->kinds[ORR_LOG_PATHS])
        orr_say(f, "%u lines of NCCL's, none of the system, its paths or its graphs", log->nccl_count);
}

static void other_release(struct orr_finder *f)
{
    if (f->check && f->check->release_told && !f->check->release_exact)
        orr_say(f, "the log is of %s, the prediction for %s", f->check->release_text,
                f->check->query.settings.release->name);
}

static void other_channels(struct orr_finder *f)
{
    if (!f->check || f->check->first >= f->check->fact_count)
        return;
    const struct orr_log_fact *fact = &f->check->facts[f->check->first];
    orr_say(f, "%u facts differ and %u agree; the first, in line %u: %.80s is %.60s, predicted %.60s", f->check->differ,
            f->check->agree, fact->line, fact->what, fact->logged, fact->predicted);
    point_at(f, fact->nodes[0]);
    point_at(f, fact->nodes[1]);
}

const struct orr_finding_row orr_findings_log[] = {
    {
        .id = "p2p-refused",
        .catalogue = "L40",
        .severity = ORR_SEVERITY_WARNING,
        .of_log = true,
        .find = p2p_refused,
        .title = "P2P is near, but the job did not use it",
        .why = "The topology allows P2P; the driver, IOMMU or ACS forbids it, or a setting did, and data goes through "
               "host memory.",
        .advice = "Turn ACS off on the switches between the GPUs and the IOMMU off or to passthrough; inside a VM ACS "
                  "has to stay on.",
        .commands = {"nvidia-smi topo -p2p rw", "sudo lspci -vvv | grep -i ACSCtl", "cat /proc/cmdline"},
        .references = {"NVIDIA/nccl#606", "NVIDIA/nccl#667", "NVIDIA/nccl#631"},
    },
    {
        .id = "log-without-graph",
        .catalogue = "L97",
        .severity = ORR_SEVERITY_INFO,
        .of_log = true,
        .find = graph_lines_missing,
        .title = "The log lacks the lines of GRAPH",
        .why = "Without them only rings, trees and connections can be compared, not what they follow from.",
        .advice = "Run the job once with GRAPH in NCCL_DEBUG_SUBSYS.",
        .commands = {"NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,TUNING,NET your-job"},
    },
    {
        .id = "log-of-other-release",
        .catalogue = "L98",
        .severity = ORR_SEVERITY_WARNING,
        .of_log = true,
        .find = other_release,
        .title = "The log is of another release than the prediction",
        .why = "Releases differ in paths, searches and tuning: what differs may be no fault at all.",
        .advice = "Choose the log's release; where it is not emulated, compare with its neighbours.",
        .commands = {"orrery releases"},
    },
    {
        .id = "log-differs",
        .catalogue = "L99",
        .severity = ORR_SEVERITY_WARNING,
        .of_log = true,
        .find = other_channels,
        .title = "The log shows something else than predicted",
        .why = "The job did not run on this machine in this state with these settings, or a plugin took part.",
        .advice = "Look at the first difference and its likely causes: what follows from it differs too.",
    },
    {0},
};
