/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of a prediction that real runs reach: one row for each kind of network, GPU generation, algorithm,
 * protocol and range of sizes, calibrated on published results (bands_table.c). */
#ifndef ORR_PERF_BANDS_H
#define ORR_PERF_BANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of links between GPUs. X(symbol, name) */
#define ORR_PERF_LINK_MAP(X)                                                                                           \
    X(NVLINK, "nvlink")                                                                                                \
    X(PCIE, "pcie")                                                                                                    \
    X(NVLINK_DOMAIN, "nvlink-domain")                                                                                  \
    X(RDMA, "rdma")                                                                                                    \
    X(EFA, "efa")                                                                                                      \
    X(SLINGSHOT, "slingshot")                                                                                          \
    X(GPUDIRECT_TCP, "gpudirect-tcp")                                                                                  \
    X(ETHERNET, "ethernet")                                                                                            \
    X(UNKNOWN, "unknown")
enum orr_perf_link {
#define X(symbol, name) ORR_PERF_LINK_##symbol,
    ORR_PERF_LINK_MAP(X)
#undef X
        ORR_PERF_LINK_COUNT
};
const char *orr_perf_link_name(enum orr_perf_link link);

/* Sizes from 1 MiB, from 4 MiB ... from 1 GiB: range r starts at 1 MiB << 2r. Below 1 MiB nothing is judged, because
 * launching kernels takes most of the time. */
enum { ORR_PERF_RANGES = 6, ORR_PERF_LEAST_SHIFT = 20 };
/* The range of a size; -1 if it is below all. */
int orr_perf_range(uint64_t size);

struct orr_band_key {
    enum orr_perf_link link;
    int32_t generation;               /* generation of the slowest GPU: compute capability / 10, such as 9 */
    const char *algorithm, *protocol; /* names as in struct orr_expected */
    int range;
};

struct orr_band_row {
    enum orr_perf_link link;
    int32_t generation;
    const char *algorithm, *protocol;
    int range;
    double low, high;          /* measured / predicted: the least and the greatest of the results */
    uint32_t results, sources; /* number of results that the row rests on; sources: number of their publications */
};
extern const struct orr_band_row orr_band_rows[];
extern const size_t orr_band_row_count;

struct orr_band {
    double low, high; /* shares of the prediction; 0 if nothing is known, so nothing is judged */
    uint32_t results, sources;
    bool wide;            /* there is no result of exactly this kind, so this is the widened band of similar ones */
    const char *based_on; /* a clause: "12 results of Hopper, ..."; static */
};
/* Finds the band for a key in a table of rows. */
struct orr_band orr_band_find(const struct orr_band_row *rows, size_t count, const struct orr_band_key *key);

#endif
