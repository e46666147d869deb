/* SPDX-License-Identifier: Apache-2.0 */
/* Results of one benchmark with two releases: what each gave, what Orrery computes for each, and whether what NCCL
 * decides explains the difference. */
#include <math.h>
#include <string.h>

#include "engine/base/words.h"
#include "engine/perf/perfing.h"

const struct orr_perf_row *orr_perf_common_row(const struct orr_perf_table *table, const struct orr_perf_table *other,
                                               const struct orr_perf_row **ret_other)
{
    const struct orr_perf_row *best = NULL;
    for (uint32_t i = 0, k = 0; i < table->row_count && k < other->row_count;) {
        const struct orr_perf_row *a = &table->rows[i], *b = &other->rows[k];
        if (a->size == b->size && a->bus_bw > 0 && b->bus_bw > 0 && (!best || a->size > best->size)) {
            best = a;
            *ret_other = b;
        }
        i += a->size <= b->size;
        k += b->size <= a->size;
    }
    return best;
}

/* Whether two tables are the same benchmark on the same ranks with another release. */
static bool are_compared(const struct orr_perf_table *table, const struct orr_perf_table *other)
{
    const struct orr_result_table *a = table->measured, *b = other->measured;
    return a->library && b->library && strcmp(a->library, b->library) != 0 && table->test == other->test &&
           table->test != ORR_TEST_COUNT && (a->ranks == b->ranks || !a->ranks || !b->ranks) &&
           (a->hosts == b->hosts || !a->hosts || !b->hosts);
}

static const char *way_of(const struct orr_perf_row *row)
{
    return row->expected.algorithm_name;
}

#define ORR_PEERS                                                                                                      \
    "Run once with NCCL_NCHANNELS_PER_NET_PEER=4: two GPUs of different hosts may use too few channels for a NIC. "

static const char *compare(const struct orr_perf_work *work, const struct orr_perf_table *table,
                           const struct orr_perf_table *other)
{
    static const double NOISE = 0.05, SAME = 0.02;
    const struct orr_perf_row *b = NULL, *a = orr_perf_common_row(table, other, &b);
    const char *first = table->measured->library, *second = other->measured->library;
    char size[24];
    if (!a)
        return NULL;
    orr_size_text(a->size, size);
    const double change = b->bus_bw / a->bus_bw - 1;
    const char *text = orr_arena_text(work->arena, "NCCL %s gave %.3g GB/s and %s %.3g at %s (%+.0f %%).", first,
                                      a->bus_bw, second, b->bus_bw, size, 100 * change);
    if (!a->known || !b->known)
        return orr_arena_text(work->arena,
                              "%s Name the machine, or paste what NCCL prints with NCCL_DEBUG=INFO "
                              "NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING, to see what each release decides there.",
                              text);
    const double computed = b->expected.bus_bw / a->expected.bus_bw - 1;
    const char *both = orr_arena_text(work->arena, "%s Orrery computes %.3g (%s) and %.3g (%s)", text,
                                      a->expected.bus_bw, way_of(a), b->expected.bus_bw, way_of(b));
    if (fabs(change) < NOISE)
        return orr_arena_text(work->arena, "%s.", both);
    if (fabs(computed) < SAME && !strcmp(way_of(a), way_of(b)))
        return orr_arena_text(work->arena,
                              "%s: the decisions of the two releases on this machine do not explain the difference. %s"
                              "Compare what NCCL_DEBUG=INFO prints with each: the network (\"Using network\", GDRDMA), "
                              "the channels, and settings.",
                              both, orr_perf_is_of_pairs(table) ? ORR_PEERS : "");
    if (change * computed > 0 && fabs(computed) > fabs(change) / 2)
        return orr_arena_text(work->arena, "%s: the decisions of the two releases explain the difference.", both);
    return orr_arena_text(
        work->arena,
        "%s: the releases decide differently, but not in the way that the results differ. Run once with "
        "each and NCCL_DEBUG=INFO, and compare the lines.",
        both);
}

/* nccl-tests was built for a newer NCCL than it loads. */
void orr_perf_say_library(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    const struct orr_results *results = work->results;
    const char *minor = results->headers ? strchr(results->headers, '.') : NULL;
    const size_t same = minor ? (size_t)(minor - results->headers) + strcspn(minor + 1, ".") + 2 : 0;
    if (!minor || !results->library || strverscmp(results->headers, results->library) <= 0 ||
        !strncmp(results->headers, results->library, same))
        return;
    orr_perf_lead(table,
                  orr_arena_text(work->arena,
                                 "nccl-tests was built for NCCL %s, and loads %s (line %u): another library comes "
                                 "first in LD_LIBRARY_PATH, and this result is that of the older one.",
                                 results->headers, results->library, results->headers_line));
    orr_perf_lead(table, "Check: `ldd build/all_reduce_perf | grep nccl` on each host, as the job's shell sees it.");
    orr_perf_lead(table, "Put the folder of the newer libnccl.so first into LD_LIBRARY_PATH, and pass it on "
                         "(mpirun -x LD_LIBRARY_PATH).");
}

void orr_perf_compare_releases(const struct orr_perf_work *work, struct orr_perf_check *check)
{
    enum { MOST = 8 };
    for (uint32_t i = 0; i + 1 < check->table_count && i < MOST; i++) {
        struct orr_perf_table *table = &check->tables[i];
        uint32_t other = i + 1;
        while (other < check->table_count && !are_compared(table, &check->tables[other]))
            other++;
        const char *sentence = other < check->table_count ? compare(work, table, &check->tables[other]) : NULL;
        if (!sentence)
            continue;
        orr_perf_lead_first(table, sentence);
    }
}
