/* The report's table of the NICs of each GPU. */
#include "engine/report/report.h"

#include <stdio.h>
#include <string.h>

#include "engine/release/release_names.h"

enum {
    VIAS_SHOWN = 4, /* GPUs through which PXN leads */
    GPUS_SHOWN = 16 /* in the table, of one host */
};

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
        snprintf(row->pxn, sizeof row->pxn, "%u NIC%s through GPU%s %s", nics->pxn, orr_plural(nics->pxn),
                 orr_plural(nics->via_count), text.data && !orr_text_failed(&text) ? text.data : "...");
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

void orr_report_nics(struct orr_page *page, const struct orr_report *report)
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
                            orr_plural(counts[rule]), orr_rule_text((enum orr_rule)rule));
}
