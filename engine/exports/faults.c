/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the hosts of a cluster that are at fault, for people and programs that take them out of service. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/cluster/standing.h"
#include "engine/diagnosis/cluster_faults.h"
#include "engine/exports/exports.h"

ORR_COMPARATOR(compare_numbers, uint32_t, ORR_ORDER(*a, *b))

/* The faults, and all hosts in the order in which people list them. */
static enum orr_code find_faults(const struct orr_cluster *cluster, struct orr_arena *arena,
                                 struct orr_cluster_faults *ret_faults, uint32_t **ret_hosts, struct orr_error *err)
{
    uint32_t *hosts = *ret_hosts = ORR_NEW(arena, uint32_t, cluster->host_count);
    ORR_NEED(hosts, err);
    for (uint32_t h = 0; h < cluster->host_count; h++)
        hosts[h] = h;
    ORR_NEED(orr_hosts_sort(cluster, hosts, cluster->host_count, hosts), err);
    return orr_cluster_faults_find(cluster, arena, ret_faults, err);
}

/* A host without a name cannot be named to other programs. */
static enum orr_code named(const struct orr_export_request *request, uint32_t host, const char **ret_name,
                           struct orr_error *err)
{
    *ret_name = orr_host_name(request->cluster, host);
    if (*ret_name)
        return ORR_OK;
    return orr_fail_with(err, ORR_INVALID, NULL, "give \"names\" in the description of the cluster",
                         "host %u, which is at fault, has no name", host);
}

/* Writes a field of CSV (RFC 4180). An apostrophe goes before text that a spreadsheet would read as a formula. */
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
    uint32_t *hosts;
    ORR_TRY(find_faults(request->cluster, arena, &faults, &hosts, err));
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

/* Whether a shell reads the name as a single word without special characters. */
static bool is_plain(const char *host)
{
    for (const char *at = host; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(".-_", *at))
            return false;
    return *host && *host != '-';
}

/* For double quotes in a shell: keeps only letters, digits and harmless signs. */
static void write_harmless(const char *words, struct orr_text *text)
{
    for (const char *at = words; *at; at++)
        if (isalnum((unsigned char)*at) || strchr(" .,:;/()=%+-_", *at))
            orr_text_printf(text, "%c", *at);
}

static bool has_fault(const struct orr_cluster_fault *row, uint32_t host)
{
    return bsearch(&host, row->hosts, row->host_count, sizeof host, compare_numbers) != NULL;
}

/* Writes the command for a host at fault, with the faults as the reason. A host whose name could mean something else to
 * a shell is left out, with a comment. Writes nothing for a host without a fault. */
static enum orr_code write_command(const struct orr_export_request *request, const struct orr_cluster_faults *faults,
                                   uint32_t host, const char *command, struct orr_text *text, struct orr_error *err)
{
    uint32_t count = 0;
    const char *name = NULL;
    for (uint32_t i = 0; i < faults->count; i++) {
        if (!has_fault(&faults->rows[i], host))
            continue;
        ORR_TRY(named(request, host, &name, err));
        if (!is_plain(name)) {
            orr_text_puts(text, "# a host whose name is not a plain word is left out\n");
            return ORR_OK;
        }
        for (const char *c = command; !count && *c; c++)
            orr_text_printf(text, *c == '@' ? "%s" : "%.1s", *c == '@' ? name : c);
        orr_text_puts(text, count++ ? "; " : "\"Orrery: ");
        write_harmless(faults->rows[i].what, text);
    }
    orr_text_puts(text, count ? "\"\n" : "");
    return ORR_OK;
}

static enum orr_code write_commands(const struct orr_export_request *request, const char *command,
                                    struct orr_text *text, struct orr_error *err)
{
    struct orr_cluster_faults faults;
    uint32_t *hosts;
    ORR_LOCAL_ARENA(arena, 0);
    ORR_TRY(find_faults(request->cluster, arena, &faults, &hosts, err));
    for (uint32_t h = 0; h < request->cluster->host_count; h++)
        ORR_TRY(write_command(request, &faults, hosts[h], command, text, err));
    return ORR_OK;
}

static const char drain[] = "scontrol update nodename=@ state=drain reason=";

enum orr_code orr_export_slurm_drain(const struct orr_export_request *request, struct orr_text *text,
                                     struct orr_error *err)
{
    return write_commands(request, drain, text, err);
}

enum orr_code orr_export_kubernetes_cordon(const struct orr_export_request *request, struct orr_text *text,
                                           struct orr_error *err)
{
    return write_commands(request, "kubectl cordon @ && kubectl annotate --overwrite node @ orrery/fault=", text, err);
}

/* Words in Markdown: escapes characters with a special meaning. */
static void write_words(const char *words, struct orr_text *text)
{
    for (const char *at = words; *at; at++)
        orr_text_printf(text, strchr("\\`*_[]<>|~&", *at) ? "\\%c" : "%c", iscntrl((unsigned char)*at) ? ' ' : *at);
}

static void write_gain(bool known, double figure, double now, struct orr_text *text)
{
    if (known)
        orr_text_printf(text, " %.0f (%+.0f) |", figure, figure - now);
    else
        orr_text_puts(text, " - |");
}

static void write_faults(const struct orr_export_request *request, const struct orr_cluster_faults *faults,
                         struct orr_text *text)
{
    orr_text_printf(
        text,
        "\n## Faults\n\nAllReduce at 1 GiB gets %.0f GB/s now, and %.0f GB/s if everything is repaired. The columns "
        "say what the whole cluster gets if this fault alone is repaired, or if its hosts alone are drained "
        "(\"with others\": only together with other repairs).\n\n"
        "| Hosts | Device | Fault | Repaired | Drained | What to do |\n|---|---|---|--:|--:|---|\n",
        faults->now, faults->repaired);
    for (uint32_t i = 0; i < faults->count; i++) {
        const struct orr_cluster_fault *row = &faults->rows[i];
        char hosts[ORR_HOSTS_TEXT];
        orr_host_list_text(request->cluster, row->hosts, row->host_count, hosts);
        const char *const cells[] = {hosts, row->device[0] ? row->device : "-", row->what};
        for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++) {
            orr_text_puts(text, "| ");
            write_words(cells[c], text);
            orr_text_puts(text, " ");
        }
        orr_text_puts(text, "|");
        if (row->together)
            orr_text_puts(text, " with others |");
        else
            write_gain(row->has_fixed, row->fixed, faults->now, text);
        write_gain(row->has_drained, row->drained, faults->now, text);
        orr_text_puts(text, " ");
        write_words(row->remedy, text);
        orr_text_puts(text, " |\n");
    }
    if (faults->left_out)
        orr_text_printf(text, "\nOrrery did not try the repairs of %u further faults.\n", faults->left_out);
}

/* Writes at most a page of commands with the hosts' names, or none if a host at fault has no name. */
static enum orr_code write_drains(const struct orr_export_request *request, const struct orr_cluster_faults *faults,
                                  const uint32_t *hosts, struct orr_text *text, struct orr_error *err)
{
    enum { MOST = 24 };
    const struct orr_cluster *cluster = request->cluster;
    uint32_t count = 0;
    orr_text_puts(text, "\n## Take the hosts out of service\n\n");
    for (uint32_t i = 0; i < faults->count; i++)
        for (uint32_t h = 0; h < faults->rows[i].host_count; h++)
            if (!orr_host_name(cluster, faults->rows[i].hosts[h])) {
                orr_text_puts(text, "The hosts have no names. Describe the cluster with \"names\" to get commands.\n");
                return ORR_OK;
            }
    orr_text_puts(text, "```sh\n");
    for (uint32_t h = 0; h < cluster->host_count && count < MOST; h++) {
        const size_t length = text->length;
        ORR_TRY(write_command(request, faults, hosts[h], drain, text, err));
        count += text->length > length;
    }
    orr_text_puts(text, "```\n");
    if (count < faults->hosts_at_fault)
        orr_text_printf(text, "\nThese are %u of %u hosts; the format `slurm-drain` has all of them.\n", count,
                        faults->hosts_at_fault);
    return ORR_OK;
}

enum orr_code orr_export_report(const struct orr_export_request *request, struct orr_text *text, struct orr_error *err)
{
    struct orr_cluster_faults faults;
    const struct orr_cluster *cluster = request->cluster;
    uint32_t *hosts;
    ORR_LOCAL_ARENA(arena, 0);
    ORR_TRY(find_faults(cluster, arena, &faults, &hosts, err));
    orr_text_puts(text, "# ");
    write_words(request->title && *request->title ? request->title : "Cluster", text);
    orr_text_printf(text, "\n\n**%s**\n\n", faults.sentence);
    orr_text_printf(text, "%u hosts with %u ranks, NCCL %s. %s\n", cluster->host_count, cluster->rank_count,
                    cluster->settings.release->name, orr_rank_order_text(cluster->order));
    if (faults.count) {
        write_faults(request, &faults, text);
        ORR_TRY(write_drains(request, &faults, hosts, text, err));
    }
    if (request->id)
        orr_text_printf(text,
                        "\nThe service that wrote this report shows the cluster at `/#place=clusters&cluster=%s`, and "
                        "answers `GET /v1/clusters/%s/verdict`.\n",
                        request->id, request->id);
    return ORR_OK;
}
