/* SPDX-License-Identifier: Apache-2.0 */
/* The headline of a cluster. */
#include <limits.h>
#include <string.h>

#include "engine/diagnosis/verdict.h"
#include "engine/trials/suppositions.h"

enum { MOST_LINES = 32 }; /* whose dumps are looked at */

/* What each kind of host does not show. Without NVLink between hosts, the NICs count from two hosts on. */
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

enum orr_code orr_verdict_of_cluster(const struct orr_cluster *cluster, uint32_t unexamined, struct orr_arena *arena,
                                     struct orr_cluster_faults *faults, struct orr_error *err)
{
    const uint32_t hosts = cluster->host_count, bad = faults->hosts_that_cost;
    ORR_LOCAL_TEXT(text, 1024);
    if (bad && faults->repaired >= faults->now * 1.005) {
        orr_text_printf(&text, "%u host%s: AllReduce %.0f of %.0f GB/s, because of ", hosts, orr_plural(hosts),
                        faults->now, faults->repaired);
        orr_text_printf(&text, bad == hosts ? "faults that every host has." : "%u host%s.", bad, orr_plural(bad));
    } else if (!unexamined && !faults->left_out)
        orr_text_printf(&text, "%u host%s: AllReduce %.0f GB/s. No repair of a host would raise it.", hosts,
                        orr_plural(hosts), faults->now);
    else
        orr_text_printf(&text, "%u host%s: AllReduce %.0f GB/s. Orrery did not try repairs for %u of them.", hosts,
                        orr_plural(hosts), faults->now, unexamined ? unexamined : hosts);
    ORR_TRY(list_assumed(cluster, arena, faults, err));
    if (faults->assumed_count)
        orr_text_printf(&text, " The inputs do not show %s, so the figures rest on assumed values.",
                        faults->assumed[0]);
    return (faults->sentence = orr_text_copy(&text, arena)) ? ORR_OK : orr_fail_nomem(err);
}
