/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/exports/exports.h"

static const struct orr_export_format formats[] = {
    {"nfd", "labels for Kubernetes, as a feature file of Node Feature Discovery", "text/plain", false, false,
     orr_export_nfd, false},
    {"topograph", "the NICs closest to each GPU on each rail, as topograph's record of a node", "application/json",
     false, false, orr_export_topograph, false},
    {"slurm-tree", "leaf switches, as Slurm's topology.conf for topology/tree", "text/plain", true, true,
     orr_export_slurm_tree, false},
    {"slurm-block", "NVLink domains, as Slurm's topology.conf for topology/block (23.11 and later)", "text/plain", true,
     true, orr_export_slurm_block, false},
    {"slurm-yaml", "both, as Slurm's topology.yaml (25.05 and later)", "application/yaml", true, true,
     orr_export_slurm_yaml, false},
    {"faults-csv", "the hosts at fault, the fault of each and what its repair gains, as CSV", "text/csv", true, false,
     orr_export_faults_csv, true},
    {"slurm-drain", "scontrol commands that drain the hosts at fault, with the reason", "text/plain", true, false,
     orr_export_slurm_drain, true},
    {"kubernetes-cordon", "kubectl commands that cordon the hosts at fault and annotate them with the reason",
     "text/plain", true, false, orr_export_kubernetes_cordon, true},
    {"report", "the verdict on a cluster, its faults and the commands that drain their hosts, on a page of Markdown",
     "text/markdown", true, false, orr_export_report, true},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const struct orr_export_format *orr_export_format(size_t i)
{
    return i < FORMAT_COUNT ? &formats[i] : NULL;
}

const char *orr_export_format_name(size_t i)
{
    return i < FORMAT_COUNT ? formats[i].name : NULL;
}

enum orr_code orr_export_write(size_t format, const struct orr_export_request *request, struct orr_text *text,
                               struct orr_error *err)
{
    if (formats[format].faults && !request->cluster)
        return orr_fail(err, ORR_INVALID, "the format %s describes a cluster", formats[format].name);
    if (request->count != 1 && !formats[format].several)
        return orr_fail(err, ORR_INVALID, "the format %s describes one host; these are %u", formats[format].name,
                        request->count);
    ORR_TRY(formats[format].write(request, text, err));
    return orr_text_failed(text) ? orr_fail_nomem(err) : ORR_OK;
}
