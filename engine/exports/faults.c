/* SPDX-License-Identifier: Apache-2.0 */
/* Which hosts of a cluster are at fault, for people and programs that take them out of service. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/cluster/standing.h"
#include "engine/diagnosis/cluster_faults.h"
#include "engine/exports/exports.h"

static int compare_numbers(const void *a, const void *b)
{
    return ORR_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Hosts without a name have none that other programs know. */
static enum orr_code named(const struct orr_export_request *request, uint32_t host, const char **ret_name,
                           struct orr_error *err)
{
    *ret_name = orr_host_name(request->cluster, host);
    if (*ret_name)
        return ORR_OK;
    return orr_fail_with(err, ORR_INVALID, NULL, "give \"names\" in the description of the cluster",
                         "nothing names host %u, which is at fault", host);
}

/* A field of CSV (RFC 4180). What a spreadsheet would take for a formula begins with an apostrophe. */
static void write_field(const char *value, struct orr_text *text)
{
    orr_text_puts(text, strchr("=+-@", *value) && *value ? "\"'" : "\"");
    for (const char *at = value; *at; at++)
        orr_text_printf(text, *at == '"' ? "\"%c" : "%c", iscntrl((unsigned char)*at) ? ' ' : *at);
    orr_text_puts(text, "\"");
}

static void write_figure(bool known, double value, struct orr_text *text)
{
    orr_text_puts(text, ",");
    if (known)
        orr_text_printf(text, "%.1f", value);
}

static void write_row(const char *host, const struct orr_cluster_faults *faults, const struct orr_cluster_fault *row,
                      struct orr_text *text)
{
    write_field(host, text);
    orr_text_puts(text, ",");
    write_field(row->device, text);
    orr_text_puts(text, ",");
    write_field(row->what, text);
    write_figure(true, faults->now, text);
    write_figure(row->has_fixed, row->fixed, text);
    write_figure(row->has_drained, row->drained, text);
    write_figure(true, faults->repaired, text);
    orr_text_puts(text, ",");
    write_field(row->remedy, text);
    orr_text_puts(text, "\r\n");
}

enum orr_code orr_export_faults_csv(const struct orr_export_request *request, struct orr_text *text,
                                    struct orr_error *err)
{
    struct orr_cluster_faults faults;
    ORR_LOCAL_ARENA(arena, 0);
    ORR_TRY(orr_cluster_faults_find(request->cluster, arena, &faults, err));
    uint32_t *hosts = ORR_NEW(arena, uint32_t, request->cluster->host_count);
    ORR_NEED(hosts, err);
    orr_text_puts(text, "host,device,fault,busbw_now,busbw_fixed,busbw_drained,busbw_all_repaired,remedy\r\n");
    for (uint32_t i = 0; i < faults.count; i++) {
        const struct orr_cluster_fault *row = &faults.rows[i];
        ORR_NEED(orr_hosts_sort(request->cluster, row->hosts, row->host_count, hosts), err);
        for (uint32_t h = 0; h < row->host_count; h++) {
            const char *name;
            ORR_TRY(named(request, hosts[h], &name, err));
            write_row(name, &faults, row, text);
        }
    }
    return ORR_OK;
}

/* A name that a shell takes as one word. */
static bool is_plain(const char *host)
{
    for (const char *at = host; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(".-_", *at))
            return false;
    return *host && *host != '-';
}

/* Within double quotes of a shell: only letters, digits and harmless signs stay. */
static void write_harmless(const char *words, struct orr_text *text)
{
    for (const char *at = words; *at; at++)
        if (isalnum((unsigned char)*at) || strchr(" .,:;/()=%+-_", *at))
            orr_text_printf(text, "%c", *at);
}

/* One command for each host at fault, between its name and the end of the line the faults as the reason. Hosts whose
 * names a shell could read otherwise are left out, with a comment. */
static enum orr_code write_commands(const struct orr_export_request *request, const char *command,
                                    struct orr_text *text, struct orr_error *err)
{
    struct orr_cluster_faults faults;
    ORR_LOCAL_ARENA(arena, 0);
    ORR_TRY(orr_cluster_faults_find(request->cluster, arena, &faults, err));
    const uint32_t host_count = request->cluster->host_count;
    uint32_t *hosts = ORR_NEW(arena, uint32_t, host_count);
    ORR_NEED(hosts, err);
    for (uint32_t h = 0; h < host_count; h++)
        hosts[h] = h;
    ORR_NEED(orr_hosts_sort(request->cluster, hosts, host_count, hosts), err);
    for (uint32_t at = 0; at < host_count; at++) {
        const uint32_t h = hosts[at];
        uint32_t count = 0;
        for (uint32_t i = 0; i < faults.count; i++) {
            const struct orr_cluster_fault *row = &faults.rows[i];
            const char *name = NULL;
            if (!bsearch(&h, row->hosts, row->host_count, sizeof h, compare_numbers))
                continue;
            ORR_TRY(named(request, h, &name, err));
            if (!is_plain(name)) {
                orr_text_puts(text, "# a host whose name is not a plain word is left out\n");
                break;
            }
            for (const char *c = command; !count && *c; c++)
                orr_text_printf(text, *c == '@' ? "%s" : "%.1s", *c == '@' ? name : c);
            orr_text_puts(text, count++ ? "; " : "\"Orrery: ");
            write_harmless(row->what, text);
        }
        if (count)
            orr_text_puts(text, "\"\n");
    }
    return ORR_OK;
}

enum orr_code orr_export_slurm_drain(const struct orr_export_request *request, struct orr_text *text,
                                     struct orr_error *err)
{
    return write_commands(request, "scontrol update nodename=@ state=drain reason=", text, err);
}

enum orr_code orr_export_kubernetes_cordon(const struct orr_export_request *request, struct orr_text *text,
                                           struct orr_error *err)
{
    return write_commands(request, "kubectl cordon @ && kubectl annotate --overwrite node @ orrery/fault=", text, err);
}
