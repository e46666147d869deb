/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/verdict.h"

#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/base/words.h"
#include "engine/cluster/again.h"
#include "engine/cluster/cluster.h"
#include "engine/diagnosis/measure.h"
#include "engine/machines/recognise.h"
#include "engine/nics/ports.h"
#include "engine/trials/joining.h"

ORR_WORD_LIST(orr_verdict_state_name, enum orr_verdict_state, "healthy", "degraded", "cannot tell")

static void write_title(const struct orr_finding *finding, struct orr_text *text)
{
    orr_finding_clause(finding, text);
    orr_text_puts(text, ".");
}

bool orr_supposed_clause(const struct orr_diagnosed *row, struct orr_text *text)
{
    const struct orr_cost *supposed = &row->supposed;
    if (!supposed->hosts || supposed->none || supposed->figure != ORR_COST_BUS_BW)
        return false;
    orr_text_printf(text, "If so, AllReduce gets about %.3g GB/s, else %.3g.", supposed->now, supposed->repaired);
    return true;
}

/* The row of depends with the state that is next to one with the other. */
static const struct orr_depends *next_to_other(const struct orr_depends_list *list, int state)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->rows[i].verdict == state &&
            ((i && list->rows[i - 1].verdict != state) || (i + 1 < list->count && list->rows[i + 1].verdict != state)))
            return &list->rows[i];
    return NULL;
}

/* A cost that rests on a figure which the input does not show: with one value it is there, with another it is not. */
static void write_question(const struct orr_diagnosis *d, uint32_t cause, struct orr_text *text)
{
    const struct orr_depends *costs = next_to_other(&d->depends, ORR_VERDICT_DEGRADED);
    const struct orr_depends *nothing = next_to_other(&d->depends, ORR_VERDICT_HEALTHY);
    struct orr_cost cost = d->all;
    orr_text_printf(text, "The input does not show %s. ", d->rests_on->what);
    if (costs) {
        cost.now = costs->bus_bw;
        cost.all_repaired = costs->expected;
        orr_text_printf(text, "If %s, ", costs->assuming);
        orr_cost_clause(&cost, text);
        orr_text_puts(text, ", because ");
        orr_finding_clause(d->rows[cause].finding, text);
        orr_text_puts(text, "; ");
    } else {
        orr_verdict_clause(d->rows[cause].finding, text);
        orr_text_puts(text, "; ");
    }
    orr_text_printf(text, "if %s, that costs nothing", (nothing ? nothing : d->depends.rows)->assuming);
    if (nothing && d->rests_on == &orr_joining)
        orr_text_printf(text, " and AllReduce gets about %.3g GB/s", nothing->bus_bw);
    orr_text_printf(text, ". Which is it? `%s` shows it.", d->rests_on->confirm);
}

/* It costs something with every value: how much is that of the value by which it was computed. */
static void write_assuming(const struct orr_diagnosis *d, const struct orr_dump *dump, struct orr_text *text)
{
    for (uint32_t row = 0; row < ORR_MOST_SUPPOSITIONS && d->rests_on->rows[row].assuming; row++)
        if (orr_supposes_now(dump, d->rests_on, row)) {
            orr_text_printf(text, " That is if %s, which is assumed.", d->rests_on->rows[row].assuming);
            return;
        }
}

/* The first row that a test accepts; UINT32_MAX: none. */
static uint32_t first_row(const struct orr_diagnosis *d, bool (*test)(const struct orr_diagnosed *row))
{
    for (uint32_t i = 0; i < d->count; i++)
        if (d->rows[i].follows == UINT32_MAX && test(&d->rows[i]))
            return i;
    return UINT32_MAX;
}

static bool is_error(const struct orr_diagnosed *row)
{
    return row->severity == ORR_SEVERITY_ERROR;
}
static bool is_costly(const struct orr_diagnosed *row)
{
    return row->has_cost && !row->cost.none && !row->of_file && !row->asks;
}
static bool is_asking(const struct orr_diagnosed *row)
{
    return row->has_cost && !row->cost.none && row->asks;
}
/* Bandwidths are not those of the machine if NVLinks are missing from them. */
static bool hides_nvlinks(const struct orr_diagnosed *row)
{
    return !strcmp(row->finding->row->id, "nvlink-hidden");
}
static bool lacks_gpus(const struct orr_diagnosed *row)
{
    return is_costly(row) && row->cost.figure == ORR_COST_GPUS;
}
static bool is_of_file(const struct orr_diagnosed *row)
{
    return row->has_cost && !row->cost.none && row->of_file;
}
/* That NCCL's reader would refuse the file says nothing of the machine. */
static bool is_refusal(const struct orr_diagnosed *row)
{
    return !strcmp(row->finding->row->id, "nccl-refuses-file");
}

static bool is_open(const struct orr_diagnosed *row)
{
    return !row->has_cost && row->severity == ORR_SEVERITY_WARNING && !is_refusal(row);
}

/* What NCCL would make of RCCL's file says nothing. */
static bool is_of_rccl(const struct orr_diagnosed *row)
{
    return !strcmp(row->finding->row->id, "rccl-file");
}

/* An assumption of the input that bandwidths rest on; NULL if there is none. */
static const struct orr_assumed *shaky(const struct orr_analysis *analysis)
{
    const struct orr_dump_notes *notes = analysis->given->notes;
    for (uint32_t i = 0; notes && i < notes->assumed_count; i++)
        if (notes->assumed[i].touches & (ORR_TOUCHES_LINKS | ORR_TOUCHES_TUNING))
            return &notes->assumed[i];
    return NULL;
}

/* What the assumption means for figures: the values that the input does not show, the most important first. */
static void write_assumed(const struct orr_analysis *analysis, const struct orr_assumed *assumed, struct orr_text *text)
{
    enum { MOST = 3 };
    static const struct {
        enum orr_element_kind kind;
        enum orr_attr attr;
        bool network; /* matters to several hosts only */
        const char *what;
    } rows[] = {
        {ORR_ELEMENT_NET, ORR_ATTR_SPEED, true, "the speeds of the NICs"},
        {ORR_ELEMENT_NVLINK, ORR_ATTR_COUNT_, false, "the numbers of NVLinks"},
        {ORR_ELEMENT_NVLINK, ORR_ATTR_TCLASS, false, "whether NVLinks lead to NVSwitches"},
        {ORR_ELEMENT_PCI, ORR_ATTR_LINK_SPEED, false, "the speeds of PCIe links"},
        {ORR_ELEMENT_GPU, ORR_ATTR_SM, false, "the compute capability of the GPUs"},
        {ORR_ELEMENT_CPU, ORR_ATTR_VENDOR, false, "the CPU model"},
    };
    const char *what[MOST], *type = analysis->given->notes->machine_type;
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && count < MOST; i++)
        if (orr_dump_assumed(analysis->given, rows[i].kind, rows[i].attr) &&
            (!rows[i].network || analysis->query.hosts > 1) &&
            !(rows[i].kind == ORR_ELEMENT_CPU && analysis->given->notes->cpu_given))
            what[count++] = rows[i].what;
    if (!strcmp(analysis->given->notes->kind, "nccl-log"))
        orr_text_puts(text, "Nothing wrong was found in the tree of the log; `orrery check-log` compares it with the "
                            "log's other lines. The tree does not show ");
    else
        orr_text_puts(text, "Nothing wrong was found, but the input does not show ");
    if (!count)
        orr_text_printf(text, "everything: %.400s.", assumed->what);
    for (uint32_t i = 0; i < count; i++)
        orr_text_printf(text, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", what[i]);
    if (count)
        orr_text_printf(text, ". Bandwidths rest on %s that %s assumed%s%s.", count == 1 ? "a value" : "values",
                        count == 1 ? "is" : "are", type ? " from the machine type " : "", type ? type : "");
    struct orr_performance figures;
    orr_measure(analysis, &figures);
    if (count && figures.value[ORR_COST_BUS_BW] > 0)
        orr_text_printf(text, " With %s, AllReduce gets %.3g GB/s on %u host%s.", count == 1 ? "it" : "them",
                        figures.value[ORR_COST_BUS_BW], analysis->query.hosts, orr_plural(analysis->query.hosts));
}

/* NCCL's own XML that lists EFA NICs one by one is used unchanged; in a job, Amazon's plugin groups them. */
static void write_grouped(const struct orr_analysis *analysis, double apart, struct orr_text *text)
{
    struct orr_query query = analysis->query;
    struct orr_performance figures;
    struct orr_error refused = {0};
    ORR_LOCAL(orr_analysis, grouped);
    if (query.settings.fuse_nics != ORR_FUSE_AUTO || analysis->cluster || !orr_efa_are_apart(analysis->dump))
        return;
    query.settings.fuse_nics = ORR_FUSE_ALWAYS;
    query.plan = true;
    if (orr_analyze(analysis->given, &query, NULL, &grouped, &refused) != ORR_OK)
        return;
    orr_measure(grouped, &figures);
    if (fabs(figures.value[ORR_COST_BUS_BW] - apart) > 0.01 * apart)
        orr_text_printf(text,
                        " With Amazon's plugin, which shows NCCL a group of EFA NICs for each GPU, it gets %.3g "
                        "GB/s (--fuse-nics always).",
                        figures.value[ORR_COST_BUS_BW]);
}

/* A machine of no known type may lack what all of its equal devices lack. */
static void write_healthy(const struct orr_analysis *analysis, const struct orr_machine *machine, struct orr_text *text)
{
    const uint32_t fused = analysis->built.host_count > 1 ? analysis->built.host_count : 1;
    const uint32_t hosts = analysis->cluster ? analysis->cluster->host_count : analysis->query.hosts * fused;
    struct orr_performance figures;
    orr_measure(analysis, &figures);
    orr_text_printf(text, "%s: nothing was found that lowers what NCCL %s gets from this machine.",
                    machine->type ? "Healthy" : "No fault inside this dump", analysis->query.settings.release->name);
    if (figures.value[ORR_COST_BUS_BW] > 0)
        orr_text_printf(text, " AllReduce gets up to %.3g GB/s on %u host%s.", figures.value[ORR_COST_BUS_BW], hosts,
                        orr_plural(hosts));
    write_grouped(analysis, figures.value[ORR_COST_BUS_BW], text);
    if (!machine->type)
        orr_text_puts(text, " Orrery did not recognise the machine type, so it only compared equal devices with each "
                            "other.");
}

/* The machine is right as it is, but it may be a better one that is not. */
static void write_other_type(const struct orr_diagnosis *d, struct orr_text *text)
{
    bool first = true;
    for (uint32_t i = 0; i < d->count; i++) {
        if (!is_asking(&d->rows[i]))
            continue;
        orr_text_printf(text, " %s%s. If this is one, ", first ? "But " : "Also, ", d->rows[i].finding->detail);
        orr_cost_clause(&d->rows[i].cost, text);
        orr_text_puts(text, ".");
        first = false;
    }
}

/* The same hosts without the NVLinks between them; 0: not known. */
static double unjoined(const struct orr_cluster *cluster)
{
    const struct orr_query query = {.settings = cluster->settings, .hosts = cluster->host_count, .plan = true};
    struct orr_performance figures;
    struct orr_error refused = {0};
    ORR_LOCAL(orr_analysis, analysis);
    if (orr_analyze(cluster->lines[0].dump, &query, NULL, &analysis, &refused) != ORR_OK)
        return 0;
    orr_measure(analysis, &figures);
    return figures.value[ORR_COST_BUS_BW];
}

/* Whether NVLink joins the hosts, which their number does not show, and what they get otherwise. */
static void write_joined(const struct orr_analysis *analysis, struct orr_text *text)
{
    const struct orr_cluster *cluster = analysis->cluster;
    const uint32_t trays = analysis->given->notes->joined;
    if (!cluster && trays)
        orr_text_printf(text, " Here NVLink does not join the hosts, because `domain` is 1; in a rack it joins %u.",
                        trays);
    else if (cluster && cluster->fabrics.rule != ORR_MNNVL_RULE_ON)
        orr_text_printf(text, " NVLink does not join the hosts: %s", orr_mnnvl_rule_text(cluster->fabrics.rule));
    else if (cluster) {
        const double apart = unjoined(cluster);
        orr_text_puts(text, cluster->by_kind ? " Assumed: " : " ");
        orr_joined_clause(cluster, text);
        if (apart > 0)
            orr_text_printf(text, "; otherwise they get about %.3g GB/s", apart);
        orr_text_puts(text, cluster->system_count > 1 ? ". Only traffic between the domains leaves NVLink."
                                                      : ". No traffic leaves NVLink.");
    }
}

/* What the hosts get if NVLink joins them, and otherwise. */
static void write_joining(const struct orr_diagnosis *d, uint32_t hosts, struct orr_text *text)
{
    const struct orr_depends *apart = &d->depends.rows[0], *joined = &d->depends.rows[d->depends.count - 1];
    orr_joining_say((double[]){0, joined->bus_bw}, (double[]){0, apart->bus_bw}, hosts, text);
}

/* What a machine type gets: it is sound by definition. */
static void write_type(const struct orr_analysis *analysis, struct orr_text *text)
{
    const uint32_t fused = !analysis->cluster && analysis->built.host_count > 1 ? analysis->built.host_count : 1;
    const uint32_t hosts = analysis->cluster ? analysis->cluster->host_count : analysis->query.hosts;
    struct orr_performance figures;
    orr_measure(analysis, &figures);
    orr_text_puts(text, analysis->given->notes->recognised);
    if (figures.value[ORR_COST_BUS_BW] <= 0)
        orr_text_puts(text, ": no bandwidth can be predicted for this job.");
    else if (fused > 1)
        orr_text_printf(text, ": AllReduce gets about %.3g GB/s on %u GPUs, in %u NVLink domain%s of %u trays. %s.",
                        figures.value[ORR_COST_BUS_BW], analysis->ranks, hosts, orr_plural(hosts), fused,
                        hosts > 1 ? "Only traffic between the domains leaves NVLink" : "No traffic leaves NVLink");
    else
        orr_text_printf(text, ": AllReduce gets about %.3g GB/s on %u host%s.", figures.value[ORR_COST_BUS_BW], hosts,
                        orr_plural(hosts));
    if (hosts > 1)
        write_joined(analysis, text);
}

/* A machine type, on any number of hosts; a cluster if the question or its file says which of them NVLink joins. */
static bool is_type(const struct orr_analysis *analysis)
{
    const struct orr_dump_notes *notes = analysis->given->notes;
    const struct orr_cluster *cluster = analysis->cluster;
    for (uint32_t l = 0; cluster && l < cluster->line_count; l++)
        if (cluster->lines[l].dump != cluster->lines[0].dump || !cluster->lines[l].domain)
            return false;
    return notes && !strcmp(notes->kind, "machine-type");
}

enum orr_code orr_verdict_write(struct orr_diagnosis *d, const struct orr_analysis *analysis,
                                const struct orr_machine *machine, struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_assumed *assumed = shaky(analysis);
    const bool hidden = first_row(d, hides_nvlinks) != UINT32_MAX;
    ORR_LOCAL_TEXT(text, 4096);
    uint32_t row;
    d->state = ORR_VERDICT_CANNOT_TELL;
    if ((row = first_row(d, is_of_rccl)) != UINT32_MAX) {
        orr_text_puts(&text, "Cannot tell, because ");
        write_title(d->rows[row].finding, &text);
    } else if ((row = first_row(d, is_error)) != UINT32_MAX) {
        d->state = ORR_VERDICT_DEGRADED;
        orr_text_puts(&text, "NCCL cannot work with this machine as the file describes it, because ");
        write_title(d->rows[row].finding, &text);
    } else if ((row = first_row(d, hidden ? lacks_gpus : is_costly)) != UINT32_MAX) {
        const bool asks = d->rests_on && orr_depends_differ(&d->depends, ORR_VERDICT_DEGRADED);
        d->state = asks ? ORR_VERDICT_CANNOT_TELL : ORR_VERDICT_DEGRADED;
        (asks ? write_question : orr_verdict_costs)(d, row, &text);
        if (d->rests_on && !asks)
            write_assuming(d, analysis->given, &text);
    } else if ((row = first_row(d, is_of_file)) != UINT32_MAX) {
        orr_text_puts(&text, "Cannot tell from this file, because ");
        write_title(d->rows[row].finding, &text);
        orr_text_puts(&text, " As it is, ");
        ORR_LOCAL_TEXT(loss, 512);
        orr_cost_clause(&d->rows[row].cost, &loss);
        if (!orr_text_failed(&loss) && loss.length)
            orr_text_printf(&text, "%.512s.", loss.data);
    } else if ((row = first_row(d, is_open)) != UINT32_MAX) {
        orr_text_printf(&text, "%s: %s. ", d->rows[row].finding->title, d->rows[row].finding->detail);
        if (!orr_supposed_clause(&d->rows[row], &text))
            orr_text_puts(&text, "Orrery cannot compute what this costs.");
        write_other_type(d, &text);
    } else if (is_type(analysis)) {
        d->state = ORR_VERDICT_HEALTHY;
        write_type(analysis, &text);
    } else if (assumed) {
        write_assumed(analysis, assumed, &text);
    } else {
        d->state = ORR_VERDICT_HEALTHY;
        write_healthy(analysis, machine, &text);
        write_other_type(d, &text);
        if (first_row(d, is_refusal) != UINT32_MAX)
            orr_text_puts(&text, " But NCCL could not read this file as NCCL_TOPO_FILE.");
    }
    if (d->rests_on == &orr_joining && !orr_depends_differ(&d->depends, d->depends.rows[0].verdict))
        write_joining(d, analysis->query.hosts, &text);
    d->cause = row;
    d->advice = row == UINT32_MAX ? "" : d->rows[row].finding->advice;
    d->sentence = orr_text_copy(&text, arena);
    return d->sentence ? ORR_OK : orr_fail_nomem(err);
}
