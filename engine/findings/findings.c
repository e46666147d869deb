/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a dump once, then tries the rows in turn. */
#include "engine/findings/findings.h"

#include "engine/base/budget.h"
#include "engine/base/words.h"
#include "engine/findings/finder.h"

static const struct orr_finding_row *const families[] = {
    orr_findings_ranks, orr_findings_input,   orr_findings_machine, orr_findings_type,   orr_findings_pci,
    orr_findings_slots, orr_findings_nvlink,  orr_findings_groups,  orr_findings_p2p,    orr_findings_gdr,
    orr_findings_net,   orr_findings_graph,   orr_findings_routes,  orr_findings_cpu,    orr_findings_log,
    orr_findings_hosts, orr_findings_cluster, orr_findings_rails,   orr_findings_fabric,
};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

const struct orr_finding_row *orr_finding_row(size_t i)
{
    for (size_t family = 0; family < FAMILY_COUNT; family++)
        for (const struct orr_finding_row *row = families[family]; row->id; row++)
            if (!i--)
                return row;
    return NULL;
}

const struct orr_undecided *orr_undecided(size_t i)
{
    for (const struct orr_undecided *row = orr_undecided_rows; row->catalogue; row++)
        if (!i--)
            return row;
    return NULL;
}

ORR_WORD_LIST(orr_severity_name, enum orr_severity, "error", "warning", "info")

/* Signs of RCCL: GPUs of AMD and Hygon, and attributes that only RCCL writes. */
static const char *sign_of_rccl(const struct orr_finder *f)
{
    static const struct {
        uint16_t vendor;
        const char *text;
    } makers[] = {{0x1002, "GPUs of AMD (vendor 0x1002)"}, {0x1d94, "GPUs of Hygon (vendor 0x1d94)"}};
    if (!strcmp(f->dump->ignored_name, "xgmi"))
        return "<xgmi> elements";
    for (uint32_t i = 0; i < f->hw.card_count; i++)
        for (size_t m = 0; m < sizeof makers / sizeof makers[0]; m++)
            if (f->hw.cards[i].gpus_at && f->hw.cards[i].identity >> 48 == makers[m].vendor)
                return makers[m].text;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++) {
        const struct orr_element *gpu = &f->dump->elements[f->hw.gpus[i]];
        for (uint32_t a = gpu->first_attribute; a < gpu->first_attribute + gpu->attribute_count; a++)
            if (f->dump->attributes[a].id == ORR_ATTR_OTHER && !strcmp(f->dump->attributes[a].name, "gcn"))
                return "gpu elements with the attribute gcn";
    }
    return NULL;
}

static enum orr_code find_rows(struct orr_finder *f, struct orr_findings *ret_findings, struct orr_error *err)
{
    size_t row_count = 0;
    uint32_t count = 0;
    orr_budget_stage("findings");
    while (orr_finding_row(row_count))
        row_count++;
    struct orr_finding *found = ORR_NEW(f->arena, struct orr_finding, row_count);
    if (!found || (f->dump && !orr_hardware_read(f->dump, f->arena, &f->hw)))
        return orr_fail_nomem(err);
    if (f->dump)
        orr_machine_recognise(&f->hw, &f->machine);
    if (f->dump && f->analysis && !(f->node_of = orr_hardware_nodes(&f->hw, &f->analysis->built, f->arena)))
        return orr_fail_nomem(err);
    f->rccl = f->dump ? sign_of_rccl(f) : NULL;
    for (int severity = 0; severity < ORR_SEVERITY_COUNT; severity++)
        for (size_t family = 0; family < FAMILY_COUNT; family++)
            for (const struct orr_finding_row *row = families[family]; row->id; row++) {
                if ((int)row->severity != severity || (row->of == ORR_OF_LOG) != (f->log != NULL) ||
                    (row->of == ORR_OF_ANALYSIS && !f->analysis) ||
                    (f->rccl && (row->of == ORR_OF_NCCL || row->of == ORR_OF_ANALYSIS)))
                    continue;
                f->at = &found[count];
                *f->at = (struct orr_finding){
                    .row = row, .title = row->title, .advice = row->advice, .commands = row->commands};
                row->find(f);
                ORR_TRY(orr_budget_check(err));
                if (orr_arena_starved(f->arena))
                    return orr_fail_nomem(err);
                count += f->at->detail != NULL;
            }
    *ret_findings = (struct orr_findings){.rows = found, .count = count};
    return ORR_OK;
}

enum orr_code orr_find(const struct orr_dump *dump, const struct orr_analysis *analysis, struct orr_arena *arena,
                       struct orr_findings *ret_findings, struct orr_error *err)
{
    struct orr_finder f = {.dump = dump, .analysis = analysis, .arena = arena};
    return find_rows(&f, ret_findings, err);
}

enum orr_code orr_find_in_log(const struct orr_log *log, const struct orr_log_check *check, struct orr_arena *arena,
                              struct orr_findings *ret_findings, struct orr_error *err)
{
    struct orr_finder f = {.log = log, .check = check, .arena = arena};
    if (check) {
        f.analysis = check->analysis;
        f.dump = check->analysis->dump;
    }
    return find_rows(&f, ret_findings, err);
}
