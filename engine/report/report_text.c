/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report, with one function for each section. */
#include "engine/report/report.h"

#include <string.h>

#include "engine/cluster/cluster.h"
#include "engine/release/release_names.h"
#include "engine/trials/repair.h"

enum {
    RINGS_SHOWN = 4, /* different orders of ranks */
    RANKS_SHOWN = 32 /* channels of one order */
};

static void write_name(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_settings *settings = &report->analysis->query.settings;
    const struct orr_cluster *cluster = report->analysis->cluster;
    char version[ORR_VERSION_SIZE];
    ORR_LOCAL_TEXT(text, 8192);
    orr_text_printf(&text, "%s, analysed for NCCL %s", report->name, settings->release->name);
    if (orr_settings_nearest(settings))
        orr_text_printf(&text, ", the nearest release to %s", orr_version_format(settings->asked, version));
    else if (!settings->release->compared)
        orr_text_puts(&text, ", a release not compared with NCCL's own results");
    if (cluster)
        orr_text_printf(&text, ": %u host%s", cluster->host_count, orr_plural(cluster->host_count));
    if (cluster && cluster->kind_count > 1)
        orr_text_printf(&text, " of %u kinds", cluster->kind_count);
    if (cluster)
        orr_text_printf(&text, ", %u ranks", report->analysis->ranks);
    orr_page_heading(page, orr_text_data(&text));
}

static void write_machine(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_analysis *analysis = report->analysis;
    const struct orr_cluster *cluster = analysis->cluster;
    const struct orr_dump_notes *notes = analysis->given->notes;
    const struct orr_machine_type *type = report->machine.type;
    ORR_LOCAL_TEXT(text, 4096);
    orr_text_printf(&text, "%s.", report->sentence);
    if (notes && notes->machine_type)
        orr_text_printf(&text, " The rest comes from the machine type %s.", notes->machine_type);
    else if (type && report->machine.fitting == 1)
        orr_text_printf(&text, " It fits the machine type %s (%s).", type->name, type->title);
    else if (type)
        orr_text_printf(&text, " It fits %u machine types, such as %s (%s).", report->machine.fitting, type->name,
                        type->title);
    if (cluster && cluster->system_count > 1)
        orr_text_puts(&text, analysis->built.host_count > 1 ? " This domain has rank 0." : " This host has rank 0.");
    if (cluster && cluster->order != ORR_ORDER_BLOCK)
        orr_text_printf(&text, " %s", orr_rank_order_text(cluster->order));
    orr_page_say(page, ORR_STYLE_PLAIN, "", orr_text_data(&text));
}

/* Writes what was found in the input, but only after the verdict: outcomes come first. */
static void write_read(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_dump_notes *notes = report->analysis->given->notes;
    if (!notes || !notes->assumed_count || notes->machine_type)
        return;
    orr_page_blank(page);
    orr_page_printf(page, ORR_STYLE_PLAIN, "", "Read: %s: %s.", notes->title, notes->recognised);
}

static void write_settings(struct orr_page *page, const struct orr_settings *settings)
{
    ORR_LOCAL_TEXT(text, 4096);
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        const char *value = orr_setting_text(settings, (enum orr_setting)i);
        if (value)
            orr_text_printf(&text, "%s%s=%s", text.length ? ", " : "", orr_setting_name((enum orr_setting)i), value);
    }
    if (text.data)
        orr_page_printf(page, ORR_STYLE_PLAIN, "", "Settings: %s.", text.data);
}

/* The cost of what the verdict on a cluster is about is known: every host with it was repaired, and nothing gained. */
static bool gains_nothing(const struct orr_report *report)
{
    const struct orr_diagnosis *d = &report->diagnosis;
    const struct orr_cluster_faults *faults = &report->faults;
    return faults->sentence && !faults->unexamined && !faults->left_out && d->cause != UINT32_MAX &&
           !d->rows[d->cause].has_cost && d->rows[d->cause].severity == ORR_SEVERITY_WARNING &&
           orr_repair_find(d->rows[d->cause].finding->row->id);
}

static void write_verdict(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_diagnosis *diagnosis = &report->diagnosis;
    static const enum orr_style styles[] = {[ORR_VERDICT_HEALTHY] = ORR_STYLE_GOOD,
                                            [ORR_VERDICT_DEGRADED] = ORR_STYLE_BAD,
                                            [ORR_VERDICT_CANNOT_TELL] = ORR_STYLE_CAREFUL};
    orr_page_heading(page, "Verdict");
    if (report->faults.count)
        orr_report_cluster_faults(page, report); /* the findings below name the other differences */
    else if (report->faults.question.what || gains_nothing(report))
        orr_page_say(page, styles[ORR_VERDICT_HEALTHY], "  ", report->faults.sentence);
    else
        orr_page_say(page, styles[diagnosis->state], "  ", diagnosis->sentence);
}

/* The first cell of a job's row. */
static uint32_t extent_number(const struct orr_analysis *analysis)
{
    return analysis->cluster ? analysis->cluster->host_count : analysis->query.hosts;
}
/* "12 x 30 = 360, NVL": channels, the bandwidth of each, and the farthest type of path. */
static void add_rate(struct orr_table *table, int32_t channels, float bandwidth, enum orr_path_type type)
{
    orr_table_add(table, ORR_STYLE_PLAIN, "%d x %.4g = %.4g, %s", channels, (double)bandwidth,
                  (double)bandwidth * channels, orr_path_type_name(type));
}

static void add_graph(struct orr_table *table, const struct orr_analysis *analysis, enum orr_graph_kind kind,
                      bool first)
{
    const struct orr_graph *graph = &analysis->parts[0].contribution.graphs[kind];
    orr_table_add(table, ORR_STYLE_PLAIN, first ? "%u" : "%.0u", first ? extent_number(analysis) : 0);
    orr_table_add(table, ORR_STYLE_PLAIN, "%s", orr_graph_name(analysis->query.settings.release, kind));
    add_rate(table, graph->channels, graph->bw_intra, graph->type_intra);
    if (graph->nets)
        add_rate(table, graph->channels, graph->bw_inter, graph->type_inter);
    else
        orr_table_add(table, ORR_STYLE_PLAIN, "-");
}

static void write_graphs(struct orr_page *page, const struct orr_report *report)
{
    const bool fused = !report->analysis->cluster && report->analysis->built.host_count > 1;
    const char *const heads[] = {fused ? "Domains" : "Hosts", "Graph", fused ? "Inside a domain" : "Inside a host",
                                 "To and from NICs"};
    struct orr_table table;
    orr_table_init(&table, report->arena, 4);
    table.right = 1;
    for (int i = 0; i < 4; i++)
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", heads[i]);
    for (uint32_t j = 0; j < report->job_count; j++) {
        bool first = true;
        for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
            const struct orr_graph *graph = &report->jobs[j].analysis->parts[0].contribution.graphs[kind];
            if (graph->pattern == ORR_PATTERN_NONE || !graph->channels)
                continue;
            add_graph(&table, report->jobs[j].analysis, (enum orr_graph_kind)kind, first);
            first = false;
        }
    }
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", "Graphs: channels x GB/s of each, and the farthest type of path:");
    orr_table_write(page, &table, "  ");
}

static void write_counts(struct orr_page *page, const struct orr_report_job *job)
{
    const struct orr_analysis *analysis = job->analysis;
    const struct orr_communicator *c = &analysis->communicator;
    char extent[ORR_REPORT_EXTENT_SIZE];
    ORR_LOCAL_TEXT(text, 1024);
    orr_text_printf(&text, "On %s: %d channel%s", orr_report_extent(analysis, extent), c->channel_count,
                    orr_plural((uint32_t)c->channel_count));
    if (c->nvls)
        orr_text_printf(&text, "; %d for NVLS", c->nvls_channels);
    orr_text_printf(&text, "; %d for Send and Recv (%d per peer).", c->p2p_channels, c->p2p_channels_per_peer);
    if (analysis->part_count > 1)
        orr_text_printf(&text, " NCCL splits each host into %u systems, which reach each other through the network.",
                        analysis->part_count);
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", orr_text_data(&text));
}

/* Why NVLS is not used although there are NVSwitches. */
static void write_no_nvls(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_contribution *own = &report->analysis->parts[0].contribution;
    if (!report->analysis->communicator.nvls && own->has_nvswitch)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "NVLink SHARP (NVLS) is not used. %s",
                        orr_rule_text(own->nvls_on ? ORR_RULE_NVLS_NOT_EVERYWHERE : (enum orr_rule)own->nvls_rule));
}

/* Whether two channels have the same ring, regardless of where it begins. */
static bool is_same_ring(const struct orr_graph *ring, int32_t a, int32_t b)
{
    const uint32_t count = ring->gpu_count;
    const int32_t *row_a = ring->gpus + (size_t)a * count, *row_b = ring->gpus + (size_t)b * count;
    uint32_t shift = 0, i = 0;
    while (shift < count && row_b[shift] != row_a[0])
        shift++;
    while (i < count && row_a[i] == row_b[(shift + i) % count])
        i++;
    return i == count;
}

static void write_ring(struct orr_page *page, const struct orr_graph *ring, const uint32_t *channels, uint32_t count)
{
    const int32_t *row = ring->gpus + (size_t)channels[0] * ring->gpu_count;
    uint32_t lowest = 0;
    ORR_LOCAL_TEXT(text, 4096);
    orr_text_printf(&text, "Ring order of the search's channel%s ", orr_plural(count));
    orr_report_numbers(channels, count, &text);
    orr_text_puts(&text, ":");
    for (uint32_t i = 1; i < ring->gpu_count; i++)
        lowest = row[i] < row[lowest] ? i : lowest;
    for (uint32_t i = 0; i < ring->gpu_count && i < RANKS_SHOWN; i++)
        orr_text_printf(&text, " %d", row[(lowest + i) % ring->gpu_count]);
    if (ring->gpu_count > RANKS_SHOWN)
        orr_text_printf(&text, " ... (%u ranks)", ring->gpu_count);
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", orr_text_data(&text));
}

/* Writes the orders of ranks in the rings of one host, each from its lowest rank and with its channels. */
static void write_rings(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_graph *ring = &report->analysis->parts[0].contribution.graphs[ORR_GRAPH_RING];
    uint32_t channels[ORR_MAX_CHANNELS], orders = 0;
    bool done[ORR_MAX_CHANNELS] = {0};
    if (ring->gpu_count < 2)
        return;
    for (int32_t c = 0; c < ring->channels && c < ORR_MAX_CHANNELS; c++) {
        uint32_t count = 0;
        for (int32_t k = c; k < ring->channels && k < ORR_MAX_CHANNELS && !done[c]; k++)
            if (k == c || (!done[k] && is_same_ring(ring, c, k)))
                channels[count++] = (uint32_t)k;
        for (uint32_t i = 0; i < count; i++)
            done[channels[i]] = true;
        if (count && orders++ < RINGS_SHOWN)
            write_ring(page, ring, channels, count);
    }
    if (orders > RINGS_SHOWN)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%u further order%s of ranks: `orrery channels` lists all.",
                        orders - RINGS_SHOWN, orr_plural(orders - RINGS_SHOWN));
}

static void write_decisions(struct orr_page *page, const struct orr_report *report)
{
    orr_page_heading(page, "What NCCL does");
    write_graphs(page, report);
    for (uint32_t j = 0; j < report->job_count; j++)
        write_counts(page, &report->jobs[j]);
    write_no_nvls(page, report);
    orr_report_device(page, report);
    write_rings(page, report);
}

static void write_limits(struct orr_page *page, const struct orr_report *report)
{
    const char *common = report->jobs[0].limit.text;
    char extent[ORR_REPORT_EXTENT_SIZE];
    ORR_LOCAL_TEXT(text, 1024);
    for (uint32_t j = 1; j < report->job_count && common; j++)
        common = !strcmp(common, report->jobs[j].limit.text) ? common : NULL;
    for (uint32_t j = 0; j < report->job_count && !common; j++)
        if (report->jobs[j].predicted)
            orr_text_printf(&text, "%son %s by %s", text.length ? ", and " : "",
                            orr_report_extent(report->jobs[j].analysis, extent), report->jobs[j].limit.text);
    orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "Large messages are limited %s%s.", common ? "by " : "",
                    common ? common : orr_text_data(&text));
}

static void write_expected(struct orr_page *page, const struct orr_report *report)
{
    static const char *const sizes[ORR_REPORT_SIZES] = {"1 MiB", "64 MiB", "1 GiB"};
    struct orr_table table;
    bool any = false;
    for (uint32_t j = 0; j < report->job_count; j++)
        any = any || report->jobs[j].predicted;
    orr_page_heading(page, "Expected bus bandwidth of AllReduce (predicted by NCCL's model, not measured)");
    if (!any) {
        orr_page_say(page, ORR_STYLE_PLAIN, "  ",
                     "One rank has no bus bandwidth. `orrery predict --hosts 2` predicts two hosts.");
        return;
    }
    orr_table_init(&table, report->arena, 6);
    table.right = 0x37;
    const bool fused = !report->analysis->cluster && report->analysis->built.host_count > 1;
    const char *const heads[] = {fused ? "Domains" : "Hosts", "Size", "GB/s", "Algorithm", "Channels", "Time, us"};
    for (int i = 0; i < 6; i++)
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", heads[i]);
    for (uint32_t j = 0; j < report->job_count; j++)
        for (int s = 0; s < ORR_REPORT_SIZES; s++) {
            const struct orr_report_job *job = &report->jobs[j];
            const struct orr_expected *row = &job->expected[s];
            if (!job->known[s])
                continue;
            orr_table_add(&table, ORR_STYLE_PLAIN, s ? "%.0u" : "%u", s ? 0 : extent_number(job->analysis));
            orr_table_add(&table, ORR_STYLE_PLAIN, "%s", sizes[s]);
            orr_table_add(&table, ORR_STYLE_PLAIN, "%.1f", row->bus_bw);
            orr_table_add(&table, ORR_STYLE_PLAIN, "%s, %s", row->algorithm_name, row->protocol_name);
            orr_table_add(&table, ORR_STYLE_PLAIN, "%d", row->channels);
            orr_table_add(&table, ORR_STYLE_PLAIN, "%.1f", row->time);
        }
    orr_table_write(page, &table, "  ");
    write_limits(page, report);
}

static void write_assumed(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_dump_notes *notes = report->analysis->given->notes;
    ORR_LOCAL_TEXT(text, 4096);
    orr_page_heading(page, "What is assumed");
    for (uint32_t i = 0; notes && i < notes->assumed_count; i++)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  - ", "About the input: %s.", notes->assumed[i].what);
    for (uint32_t i = 0; i < report->assumed_count; i++)
        orr_text_printf(&text, "%s%s", i ? " " : "", report->assumed[i]);
    orr_page_say(page, ORR_STYLE_PLAIN, "  - ", orr_text_data(&text));
}

static void write_start(struct orr_page *page, const struct orr_report *report, bool all_findings)
{
    write_name(page, report);
    write_machine(page, report);
    write_verdict(page, report);
    write_read(page, report);
    write_settings(page, &report->analysis->query.settings);
    orr_report_findings(page, &report->diagnosis, all_findings);
}

void orr_report_write_findings(struct orr_page *page, const struct orr_report *report)
{
    write_start(page, report, true);
}

void orr_report_write(struct orr_page *page, const struct orr_report *report, const struct orr_report_asked *asked)
{
    write_start(page, report, false);
    write_decisions(page, report);
    write_expected(page, report);
    orr_matrix_write(page, report, true);
    orr_report_nics(page, report);
    write_assumed(page, report);
    orr_report_next(page, report, asked);
}
