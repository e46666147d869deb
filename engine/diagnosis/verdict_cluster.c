/* SPDX-License-Identifier: Apache-2.0 */
/* The headline of a cluster. */
#include <limits.h>
#include <string.h>

#include "engine/diagnosis/verdict.h"
#include "engine/trials/suppositions.h"

enum { MOST_LINES = 32 }; /* number of lines of the cluster whose dumps are examined */

/* Lists what the dump of each kind of host does not show. Without NVLink between hosts, NICs matter from two hosts
 * on. */
static enum orr_code list_assumed(const struct orr_cluster *c, struct orr_arena *arena, struct orr_cluster_faults *out,
                                  struct orr_error *err)
{
    const unsigned kinds = c->host_count > 1 ? UINT_MAX : UINT_MAX & ~(1u << ORR_LINKS_NICS);
    const char **assumed = ORR_NEW(arena, const char *, c->line_count);
    ORR_NEED(assumed, err);
    for (uint32_t l = 0; l < c->line_count; l++) {
        ORR_LOCAL_TEXT(text, 512);
        bool known = false;
        for (uint32_t k = 0; k < l && !known && l < MOST_LINES; k++)
            known = c->lines[k].dump == c->lines[l].dump;
        if (known || l >= MOST_LINES || !orr_supposed_list(c->lines[l].dump, kinds, &text))
            continue;
        const char *what = orr_arena_strndup(arena, orr_text_data(&text), text.length);
        ORR_NEED(assumed[out->assumed_count++] = what, err);
    }
    out->assumed = assumed;
    return ORR_OK;
}

/* "every host", "3 hosts" */
static void write_hosts(const struct orr_cluster *cluster, uint32_t count, struct orr_text *text)
{
    if (count == cluster->host_count)
        orr_text_puts(text, "every host");
    else
        orr_text_printf(text, "%u host%s", count, orr_plural(count));
}

/* False if every host has as many GPUs as it should. */
static bool write_missing_gpus(const struct orr_cluster *cluster, const struct orr_cluster_faults *faults,
                               struct orr_text *text)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < faults->count; i++) {
        const struct orr_cluster_fault *row = &faults->rows[i];
        if (!row->of_gpus)
            continue;
        orr_text_puts(text, shown++ ? "; on " : " GPUs are missing on ");
        write_hosts(cluster, row->host_count, text);
        orr_text_printf(text, ": %s", row->finding->detail);
    }
    orr_text_puts(text, shown ? "." : "");
    return shown;
}

/* Asks whether the hosts are right as they are, or should be of a faster type. */
static void write_question(const struct orr_cluster *cluster, const struct orr_cluster_faults *faults,
                           struct orr_text *text)
{
    const struct orr_cluster_fault *asked = &faults->question;
    if (!asked->what || !asked->has_fixed || asked->fixed < faults->now * 1.01)
        return;
    orr_text_printf(text, " But %s. If ", asked->what);
    write_hosts(cluster, asked->host_count, text);
    orr_text_printf(text, " should be one, AllReduce gets %.0f of %.0f GB/s.", faults->now, asked->fixed);
}

enum orr_code orr_verdict_of_cluster(const struct orr_cluster *cluster, struct orr_arena *arena,
                                     struct orr_cluster_faults *faults, struct orr_error *err)
{
    const uint32_t hosts = cluster->host_count, bad = faults->hosts_that_cost, unexamined = faults->unexamined;
    ORR_LOCAL_TEXT(text, 4096);
    if (bad && faults->repaired >= faults->now * 1.005) {
        orr_text_printf(&text, "%u host%s: AllReduce %.0f of %.0f GB/s, because of ", hosts, orr_plural(hosts),
                        faults->now, faults->repaired);
        orr_text_printf(&text, bad == hosts ? "faults that every host has." : "%u host%s.", bad, orr_plural(bad));
        write_missing_gpus(cluster, faults, &text);
    } else {
        orr_text_printf(&text, "%u host%s: AllReduce %.0f GB/s.", hosts, orr_plural(hosts), faults->now);
        const bool missing = write_missing_gpus(cluster, faults, &text);
        if (unexamined || faults->left_out)
            orr_text_printf(&text, " Orrery did not try repairs for %u of them.", unexamined ? unexamined : hosts);
        else if (!missing)
            orr_text_puts(&text, " No repair of a host would raise it.");
        write_question(cluster, faults, &text);
    }
    ORR_TRY(list_assumed(cluster, arena, faults, err));
    if (faults->assumed_count)
        orr_text_printf(&text, " The inputs do not show %s, so the figures rest on assumed values.",
                        faults->assumed[0]);
    return (faults->sentence = orr_text_copy(&text, arena)) ? ORR_OK : orr_fail_nomem(err);
}
