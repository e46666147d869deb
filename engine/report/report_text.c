/* The report as text: one function a section. */
#include "engine/report/report.h"

#include <stdio.h>
#include <string.h>

#include "engine/cluster/cluster.h"
#include "engine/release/release_names.h"

enum {
    RINGS_SHOWN = 4,  /* different orders of ranks */
    RANKS_SHOWN = 32, /* of one order */
    VIAS_SHOWN = 4,   /* GPUs through which PXN leads */
    GPUS_SHOWN = 16   /* in the table of NICs, of one host */
};

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void write_name(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_settings *settings = &report->analysis->query.settings;
    char version[ORR_VERSION_SIZE];
    struct orr_text text;
    orr_text_init(&text, 8192);
    orr_text_printf(&text, "%s, analysed for NCCL %s", report->name, settings->release->name);
    if (orr_settings_nearest(settings))
        orr_text_printf(&text, ", the nearest release to %s", orr_version_format(settings->asked, version));
    orr_page_heading(page, text.data ? text.data : "");
    orr_text_release(&text);
}

static void write_machine(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_analysis *analysis = report->analysis;
    const struct orr_cluster *cluster = analysis->cluster;
    const struct orr_dump_notes *notes = analysis->given->notes;
    const struct orr_machine_type *type = report->machine.type;
    struct orr_text text;
    orr_text_init(&text, 4096);
    orr_text_printf(&text, "%s.", report->sentence);
    if (notes && notes->assumed_count && !notes->machine_type)
        orr_text_printf(&text, " Input: %s (%s).", notes->title, notes->recognised);
    if (notes && notes->machine_type)
        orr_text_printf(&text, " What the input does not show comes from the machine type %s.", notes->machine_type);
    else if (type && report->machine.fitting == 1)
        orr_text_printf(&text, " It fits the machine type %s (%s).", type->name, type->title);
    else if (type)
        orr_text_printf(&text, " It fits %u machine types, such as %s (%s).", report->machine.fitting, type->name,
                        type->title);
    if (cluster)
        orr_text_printf(&text, " The cluster has %u host%s of %u kind%s and %u ranks; this is the host of rank 0.",
                        cluster->host_count, plural(cluster->host_count), cluster->kind_count,
                        plural(cluster->kind_count), analysis->ranks);
    orr_page_say(page, ORR_STYLE_PLAIN, "", text.data ? text.data : "");
    orr_text_release(&text);
}

static void write_settings(struct orr_page *page, const struct orr_settings *settings)
{
    struct orr_text text;
    orr_text_init(&text, 4096);
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        struct orr_setting_info info;
        const char *value = orr_setting_text(settings, (enum orr_setting)i);
        if (!value)
            continue;
        orr_setting_info((enum orr_setting)i, &info);
        orr_text_printf(&text, "%s%s=%s", text.length ? ", " : "", info.name, value);
    }
    if (text.data)
        orr_page_printf(page, ORR_STYLE_PLAIN, "", "Settings: %s.", text.data);
    orr_text_release(&text);
}

static void write_verdict(struct orr_page *page, const struct orr_diagnosis *diagnosis)
{
    static const enum orr_style styles[] = {[ORR_VERDICT_HEALTHY] = ORR_STYLE_GOOD,
                                            [ORR_VERDICT_DEGRADED] = ORR_STYLE_BAD,
                                            [ORR_VERDICT_CANNOT_TELL] = ORR_STYLE_CAREFUL};
    orr_page_heading(page, "Verdict");
    orr_page_say(page, styles[diagnosis->state], "  ", diagnosis->sentence);
}

/* What the first column of a table says of a job. */
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
    struct orr_text text;
    orr_text_init(&text, 1024);
    orr_text_printf(&text, "On %s, %u rank%s %d channel%s; %d for point-to-point transfers, %d of them per peer.",
                    orr_report_extent(analysis, extent), c->rank_count, c->rank_count == 1 ? " uses" : "s use",
                    c->channel_count, plural((uint32_t)c->channel_count), c->p2p_channels, c->p2p_channels_per_peer);
    if (c->nvls)
        orr_text_printf(&text, " NVLink SHARP (NVLS) uses %d channel%s.", c->nvls_channels,
                        plural((uint32_t)c->nvls_channels));
    if (analysis->part_count > 1)
        orr_text_printf(&text, " NCCL splits each host into %u systems, which reach each other through the network.",
                        analysis->part_count);
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", text.data ? text.data : "");
    orr_text_release(&text);
}

/* Why NVLS is not used, where NVSwitches suggest it. */
static void write_no_nvls(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_contribution *own = &report->analysis->parts[0].contribution;
    if (!report->analysis->communicator.nvls && own->has_nvswitch)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "NVLink SHARP (NVLS) is not used. %s",
                        orr_rule_text(own->nvls_on ? ORR_RULE_NVLS_NOT_EVERYWHERE : (enum orr_rule)own->nvls_rule));
}

/* Whether the rings of two channels are the same, wherever they begin. */
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
    struct orr_text text;
    orr_text_init(&text, 4096);
    orr_text_printf(&text, "Ring order of the search's channel%s ", plural(count));
    orr_report_numbers(channels, count, &text);
    orr_text_puts(&text, ":");
    for (uint32_t i = 1; i < ring->gpu_count; i++)
        lowest = row[i] < row[lowest] ? i : lowest;
    for (uint32_t i = 0; i < ring->gpu_count && i < RANKS_SHOWN; i++)
        orr_text_printf(&text, " %d", row[(lowest + i) % ring->gpu_count]);
    if (ring->gpu_count > RANKS_SHOWN)
        orr_text_printf(&text, " ... (%u ranks)", ring->gpu_count);
    orr_page_say(page, ORR_STYLE_PLAIN, "  ", text.data ? text.data : "");
    orr_text_release(&text);
}

/* The orders of ranks in the rings of one host, each with its channels and from its lowest rank. */
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
                        orders - RINGS_SHOWN, plural(orders - RINGS_SHOWN));
}

static void write_decisions(struct orr_page *page, const struct orr_report *report)
{
    orr_page_heading(page, "What NCCL does");
    write_graphs(page, report);
    orr_page_blank(page);
    for (uint32_t j = 0; j < report->job_count; j++)
        write_counts(page, &report->jobs[j]);
    write_no_nvls(page, report);
    write_rings(page, report);
}

static void write_expected(struct orr_page *page, const struct orr_report *report)
{
    static const char *const sizes[ORR_REPORT_SIZES] = {"1 MiB", "64 MiB", "1 GiB"};
    char extent[ORR_REPORT_EXTENT_SIZE];
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
    for (uint32_t j = 0; j < report->job_count; j++)
        if (report->jobs[j].predicted)
            orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "On %s, large messages are limited by %s.",
                            orr_report_extent(report->jobs[j].analysis, extent), report->jobs[j].limit.text);
}

/* What the table says of a GPU's NICs, without the GPU's own number. */
struct nics_row {
    char names[128], path[64], gdr[24], pxn[64];
    enum orr_style style;
};

/* "PIX, 48 GB/s": from the GPU to the first of its NICs. */
static void write_path(const struct orr_report_nics *nics, char *text, size_t size)
{
    const struct orr_paths *paths = &nics->part->paths;
    const struct orr_system *system = &nics->part->system;
    const struct orr_path *path = orr_path(paths, nics->gpu, nics->nets[0]);
    const uint32_t at = (nics->gpu - system->first[ORR_GPU]) * orr_system_count(system, ORR_NET) + nics->nets[0] -
                        system->first[ORR_NET];
    const uint32_t relay = path->origin == ORR_ROUTE_PXN && paths->pxn ? paths->pxn[at].relay : ORR_NO_NODE;
    char through[32] = "";
    if (relay != ORR_NO_NODE)
        snprintf(through, sizeof through, " (GPU %d)", system->nodes[relay].gpu.rank);
    snprintf(text, size, "%s%s, %.4g GB/s", orr_path_type_name((enum orr_path_type)path->type), through,
             (double)path->bw);
}

static void read_nics(const struct orr_report_nics *nics, struct nics_row *row, const struct orr_decision **ret_refused)
{
    const struct orr_part *part = nics->part;
    const struct orr_system *system = &part->system;
    const uint32_t all = orr_system_count(system, ORR_NET), at = (nics->gpu - system->first[ORR_GPU]) * all;
    uint32_t send = 0, receive = 0;
    char name[ORR_NIC_NAME_SIZE], second[ORR_NIC_NAME_SIZE];
    *row = (struct nics_row){.path = "-", .gdr = "-", .pxn = "-"};
    *ret_refused = NULL;
    for (uint32_t i = 0; i < nics->net_count; i++) {
        const struct orr_gdr *gdr = &part->gdr[at + nics->nets[i] - system->first[ORR_NET]];
        send += gdr->send.verdict != 0;
        receive += gdr->recv.verdict != 0;
        if (!*ret_refused && (!gdr->send.verdict || !gdr->recv.verdict))
            *ret_refused = gdr->recv.verdict ? &gdr->send : &gdr->recv;
    }
    if (!nics->net_count)
        return;
    orr_report_nic_name(system, nics->nets[0], name);
    orr_report_nic_name(system, nics->nets[nics->net_count > 1], second);
    if (nics->net_count > 2)
        snprintf(row->names, sizeof row->names, "%s and %u more", name, nics->net_count - 1);
    else
        snprintf(row->names, sizeof row->names, "%s%s%s", name, nics->net_count > 1 ? ", " : "",
                 nics->net_count > 1 ? second : "");
    write_path(nics, row->path, sizeof row->path);
    row->style = *ret_refused ? ORR_STYLE_CAREFUL : ORR_STYLE_PLAIN;
    if (send == nics->net_count && receive == nics->net_count)
        snprintf(row->gdr, sizeof row->gdr, "yes");
    else if (!send && !receive)
        snprintf(row->gdr, sizeof row->gdr, "no");
    else if (!send)
        snprintf(row->gdr, sizeof row->gdr, "receive only");
    else if (!receive)
        snprintf(row->gdr, sizeof row->gdr, "send only");
    else
        snprintf(row->gdr, sizeof row->gdr, "some");
    struct orr_text text;
    orr_text_init(&text, 48);
    orr_report_numbers(nics->vias, nics->via_count, &text);
    if (nics->pxn && nics->via_count > VIAS_SHOWN)
        snprintf(row->pxn, sizeof row->pxn, "%u through %u GPUs", nics->pxn, nics->via_count);
    else if (nics->pxn)
        snprintf(row->pxn, sizeof row->pxn, "%u NIC%s through GPU%s %s", nics->pxn, plural(nics->pxn),
                 plural(nics->via_count), text.data && !orr_text_failed(&text) ? text.data : "...");
    orr_text_release(&text);
}

/* Hosts of a fused dump whose GPUs have the same paths, GPUDirect RDMA and number of PXN routes as those of the first.
 */
static bool is_like_first(const struct orr_report *report, uint32_t host)
{
    const uint32_t count = report->analysis->local_ranks;
    for (uint32_t a = 0, b = 0;; a++, b++) {
        struct nics_row rows[2];
        const struct orr_decision *refused;
        while (a < count && report->nics[a].host)
            a++;
        while (b < count && report->nics[b].host != host)
            b++;
        if (a == count || b == count)
            return a == count && b == count;
        read_nics(&report->nics[a], &rows[0], &refused);
        read_nics(&report->nics[b], &rows[1], &refused);
        if (strcmp(rows[0].path, rows[1].path) != 0 || strcmp(rows[0].gdr, rows[1].gdr) != 0 ||
            report->nics[a].net_count != report->nics[b].net_count || report->nics[a].pxn != report->nics[b].pxn)
            return false;
    }
}

static void write_nics(struct orr_page *page, const struct orr_report *report)
{
    static const char *const heads[] = {"GPU", "NIC", "Path", "GDR", "NICs by PXN"};
    const struct orr_decision *reasons[ORR_RULE_COUNT] = {0}, *refused;
    uint32_t counts[ORR_RULE_COUNT] = {0}, shown = 0, hosts = report->analysis->built.host_count, alike = 0;
    bool any_pxn = false;
    struct orr_table table;
    if (!report->nics)
        return;
    orr_page_heading(page, "NIC of each GPU");
    orr_table_init(&table, report->arena, 5);
    table.right = 1;
    for (int i = 0; i < 5; i++)
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", heads[i]);
    for (uint32_t rank = 0; rank < report->analysis->local_ranks; rank++) {
        struct nics_row row;
        read_nics(&report->nics[rank], &row, &refused);
        any_pxn = any_pxn || report->nics[rank].pxn;
        if (refused) {
            reasons[refused->rule] = refused;
            counts[refused->rule]++;
        }
        if ((report->nics[rank].host && is_like_first(report, report->nics[rank].host)) || shown++ >= 2 * GPUS_SHOWN)
            continue;
        orr_table_add(&table, ORR_STYLE_PLAIN, "%u", rank);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", row.names);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", row.path);
        orr_table_add(&table, row.style, "%s", row.gdr);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", row.pxn);
    }
    orr_table_write(page, &table, "  ");
    if (any_pxn)
        orr_page_say(page, ORR_STYLE_PLAIN, "  ",
                     "NICs by PXN: further NICs that the GPU reaches over NVLink through other GPUs.");
    for (uint32_t host = 1; host < hosts; host++)
        alike += is_like_first(report, host);
    if (hosts > 1)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "This is the first of %u hosts. %u of the %u others %s like it.",
                        hosts, alike, hosts - 1, alike == 1 ? "is" : "are");
    for (int rule = 0; rule < ORR_RULE_COUNT; rule++)
        if (reasons[rule])
            orr_page_printf(page, ORR_STYLE_CAREFUL, "  ", "GPUDirect RDMA is off for %u GPU%s. %s", counts[rule],
                            plural(counts[rule]), orr_rule_text((enum orr_rule)rule));
}

static void write_assumed(struct orr_page *page, const struct orr_report *report)
{
    const struct orr_dump_notes *notes = report->analysis->given->notes;
    struct orr_text text;
    orr_page_heading(page, "What is assumed");
    for (uint32_t i = 0; notes && i < notes->assumed_count; i++)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  - ", "About the input: %s.", notes->assumed[i].what);
    orr_text_init(&text, 4096);
    for (uint32_t i = 0; i < report->assumed_count; i++)
        orr_text_printf(&text, "%s%s", i ? " " : "", report->assumed[i]);
    orr_page_say(page, ORR_STYLE_PLAIN, "  - ", text.data ? text.data : "");
    orr_text_release(&text);
}

void orr_report_write(struct orr_page *page, const struct orr_report *report, const struct orr_report_asked *asked)
{
    write_name(page, report);
    write_machine(page, report);
    write_settings(page, &report->analysis->query.settings);
    write_verdict(page, &report->diagnosis);
    orr_report_findings(page, &report->diagnosis);
    write_decisions(page, report);
    write_expected(page, report);
    orr_matrix_write(page, report, true);
    write_nics(page, report);
    write_assumed(page, report);
    orr_report_next(page, report, asked);
}
