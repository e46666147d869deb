/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report's table of the NICs of each GPU. */
#include "engine/report/report.h"

#include <stdio.h>
#include <string.h>

enum { GPUS_SHOWN = 16 }; /* maximum number of GPUs of one host in the table */

/* A row of the table: the NICs of a GPU, or of equal neighbouring GPUs. */
struct nics_row {
    uint32_t first, last; /* GPUs */
    uint32_t nics;        /* of each GPU */
    bool counting;        /* the numbers in the NICs' names go up by one, within a GPU and from GPU to GPU */
    char first_nic[ORR_NIC_NAME_SIZE], last_nic[ORR_NIC_NAME_SIZE], names[128], path[64], gdr[24], pxn[16];
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
    *row = (struct nics_row){.path = "-", .gdr = "-", .pxn = "-", .nics = nics->net_count, .counting = true};
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
    snprintf(row->first_nic, sizeof row->first_nic, "%s", name);
    for (uint32_t i = 1; i < nics->net_count; i++) {
        orr_report_nic_name(system, nics->nets[i], second);
        row->counting = row->counting && orr_report_is_next_name(name, second);
        snprintf(name, sizeof name, "%s", second);
    }
    snprintf(row->last_nic, sizeof row->last_nic, "%s", name);
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
    if (nics->pxn)
        snprintf(row->pxn, sizeof row->pxn, "%u", nics->pxn);
}

/* Whether a host of a fused dump has the same paths, GPUDirect RDMA and number of PXN routes as the first host. */
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

/* Adds the next GPU to the row if its paths are equal and it has the same NICs or the following ones; false
 * otherwise. */
static bool join_rows(struct nics_row *row, const struct nics_row *next)
{
    const bool same = !strcmp(row->names, next->names) && row->nics <= 2 && (row->first == row->last || !row->counting);
    const bool counting = row->counting && next->counting && orr_report_is_next_name(row->last_nic, next->first_nic);
    if (next->first != row->last + 1 || row->nics != next->nics || strcmp(row->path, next->path) != 0 ||
        strcmp(row->gdr, next->gdr) != 0 || strcmp(row->pxn, next->pxn) != 0 || !(same || counting))
        return false;
    row->last = next->last;
    row->counting = counting;
    snprintf(row->last_nic, sizeof row->last_nic, "%s", next->last_nic);
    return true;
}

static void add_row(struct orr_table *table, const struct nics_row *row)
{
    const bool range = row->last > row->first;
    if (range)
        orr_table_add(table, ORR_STYLE_PLAIN, "%u-%u", row->first, row->last);
    else
        orr_table_add(table, ORR_STYLE_PLAIN, "%u", row->first);
    if (range && row->counting && row->nics > 1)
        orr_table_add(table, ORR_STYLE_PLAIN, "%s to %s, %u each", row->first_nic, row->last_nic, row->nics);
    else if (range && row->counting)
        orr_table_add(table, ORR_STYLE_PLAIN, "%s to %s", row->first_nic, row->last_nic);
    else
        orr_table_add(table, ORR_STYLE_PLAIN, "%s", row->names);
    orr_table_add(table, ORR_STYLE_PLAIN, "%s", row->path);
    orr_table_add(table, row->style, "%s", row->gdr);
    orr_table_add(table, ORR_STYLE_PLAIN, "%s", row->pxn);
}

void orr_report_nics(struct orr_page *page, const struct orr_report *report)
{
    static const char *const heads[] = {"GPU", "NIC", "Path", "GDR", "More by PXN"};
    const struct orr_decision *reasons[ORR_RULE_COUNT] = {0}, *refused;
    uint32_t counts[ORR_RULE_COUNT] = {0}, shown = 0, hosts = report->analysis->built.host_count, alike = 0;
    bool any_range = false;
    struct nics_row open = {0};
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
        if (refused) {
            reasons[refused->rule] = refused;
            counts[refused->rule]++;
        }
        row.first = row.last = rank;
        if ((report->nics[rank].host && is_like_first(report, report->nics[rank].host)) || shown++ >= 2 * GPUS_SHOWN)
            continue;
        if (shown > 1 && join_rows(&open, &row)) {
            any_range = any_range || open.counting;
            continue;
        }
        if (shown > 1)
            add_row(&table, &open);
        open = row;
    }
    add_row(&table, &open);
    orr_table_write(page, &table, "  ");
    if (any_range)
        orr_page_say(page, ORR_STYLE_PLAIN, "  ", "A range of NICs is divided among its GPUs in order.");
    for (uint32_t host = 1; host < hosts; host++)
        alike += is_like_first(report, host);
    if (hosts > 1 && alike == hosts - 1)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "This is the first of %u hosts. All others are like it.", hosts);
    else if (hosts > 1)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "This is the first of %u hosts. %u of the %u others %s like it.",
                        hosts, alike, hosts - 1, alike == 1 ? "is" : "are");
    for (int rule = 0; rule < ORR_RULE_COUNT; rule++)
        if (reasons[rule])
            orr_page_printf(page, ORR_STYLE_CAREFUL, "  ", "GPUDirect RDMA is off for %u GPU%s. %s", counts[rule],
                            orr_plural(counts[rule]), orr_rule_text((enum orr_rule)rule));
}
