/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/exports/exports.h"

static const struct orr_export_format formats[] = {
    {"nfd", "labels for Kubernetes, as a feature file of Node Feature Discovery", "text/plain", false, false,
     orr_export_nfd},
    {"topograph", "the NICs closest to each GPU on each rail, as topograph's record of a node", "application/json",
     false, false, orr_export_topograph},
    {"slurm-tree", "leaf switches, as Slurm's topology.conf for topology/tree", "text/plain", true, true,
     orr_export_slurm_tree},
    {"slurm-block", "NVLink domains, as Slurm's topology.conf for topology/block (23.11 and later)", "text/plain", true,
     true, orr_export_slurm_block},
    {"slurm-yaml", "both, as Slurm's topology.yaml (25.05 and later)", "application/yaml", true, true,
     orr_export_slurm_yaml},
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
    if (request->count != 1 && !formats[format].several)
        return orr_fail(err, ORR_INVALID, "the format %s describes one host; these are %u", formats[format].name,
                        request->count);
    ORR_TRY(formats[format].write(request, text, err));
    return orr_text_failed(text) ? orr_fail_nomem(err) : ORR_OK;
}
