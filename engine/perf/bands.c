/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/perf/bands.h"

#include <string.h>

#include "engine/base/words.h"

ORR_WORD_LIST(orr_perf_link_name, enum orr_perf_link, ORR_PERF_LINK_MAP(ORR_SECOND_OF))

int orr_perf_range(uint64_t size)
{
    int range = -1;
    while (range + 1 < ORR_PERF_RANGES && size >> ORR_PERF_LEAST_SHIFT >> (2 * (range + 1)))
        range++;
    return range;
}

/* How much results of one kind may differ if few are known: 15 % with one source, 4 % with three and more. Among
 * results of the same kind, the upward margin is twice that, because the fastest machines are seldom published. */
static double margin_of(uint32_t sources)
{
    static const double margins[] = {0, 0.15, 0.08, 0.04};
    return margins[sources < 3 ? sources : 3];
}

/* The parts of the key that a row must share, the nearest relation first, and how much wider the band is then. */
static const struct relation {
    bool generation, algorithm, protocol;
    double margin;
    const char *based_on;
} relations[] = {
    {true, true, true, 0, "published results of the same kind"},
    {true, true, false, 0.05, "published results with another protocol"},
    {false, true, true, 0.1, "published results of other GPU generations"},
    {true, false, false, 0.1, "published results with other algorithms"},
    {false, false, false, 0.15, "published results with other GPUs and algorithms"},
};

/* If no results of the kind are known, only results that are far off are called low or high, and only from 16 MiB
 * on. */
static const struct {
    double low, high;
} widest[ORR_PERF_RANGES] = {[2] = {0.15, 2}, [3] = {0.15, 2}, [4] = {0.5, 1.6}, [5] = {0.5, 1.6}};

static bool related(const struct relation *relation, const struct orr_band_row *row, const struct orr_band_key *key)
{
    return row->link == key->link && row->range == key->range &&
           (!relation->generation || row->generation == key->generation) &&
           (!relation->algorithm || !strcmp(row->algorithm, key->algorithm)) &&
           (!relation->protocol || !strcmp(row->protocol, key->protocol));
}

struct orr_band orr_band_find(const struct orr_band_row *rows, size_t count, const struct orr_band_key *key)
{
    struct orr_band band = {.wide = true, .based_on = "no published results of this kind"};
    for (size_t r = 0; r < sizeof relations / sizeof relations[0] && key->range >= 0; r++) {
        double low = 0, high = 0;
        uint32_t sources = 0;
        for (size_t i = 0; i < count; i++) {
            if (!related(&relations[r], &rows[i], key))
                continue;
            low = !band.results || rows[i].low < low ? rows[i].low : low;
            high = !band.results || rows[i].high > high ? rows[i].high : high;
            band.results += rows[i].results;
            sources = rows[i].sources > sources ? rows[i].sources : sources;
        }
        if (sources < (r ? 2 : 1)) { /* a single source of another kind shows little */
            band.results = 0;
            continue;
        }
        double margin = margin_of(sources) + relations[r].margin;
        band.low = low * (1 - margin);
        band.high = high * (1 + margin + (r ? 0 : margin_of(sources)));
        band.sources = sources;
        band.wide = r > 0 || sources < 2;
        band.based_on = relations[r].based_on;
        return band;
    }
    if (key->range >= 0) {
        band.low = widest[key->range].low;
        band.high = widest[key->range].high;
    }
    return band;
}
