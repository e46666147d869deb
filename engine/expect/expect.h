/* SPDX-License-Identifier: Apache-2.0 */
/* The expected row of nccl-tests on a machine: time, algbw and busbw of a size, and the limit of large messages.
 *
 * Collective operations use NCCL's own tuning model (engine/tuning). alltoall, sendrecv and the other programs that are
 * made of Send and Recv use a model of the links that their transfers share: README.md. Times are microseconds,
 * bandwidths GB/s (10^9 bytes a second), sizes bytes as the first column of nccl-tests counts them. That is the whole
 * buffer of a rank, which for all_gather, reduce_scatter and alltoall has a part for every rank. */
#ifndef ORR_EXPECT_EXPECT_H
#define ORR_EXPECT_EXPECT_H

#include "engine/analysis/analysis.h"
#include "engine/nccltests/programs.h"

struct orr_expected {
    double time, alg_bw, bus_bw;
    int32_t channels;
    int algorithm;              /* enum orr_algorithm; -1 for point-to-point transfers, which have none */
    int protocol;               /* enum orr_protocol */
    const char *algorithm_name; /* "Ring"; "P2P" for point-to-point transfers */
    const char *protocol_name;  /* "Simple" */
};

/* The resource that a large message fills first. */
enum orr_bottleneck {
    ORR_BOUND_NICS,
    ORR_BOUND_NVLINK,
    ORR_BOUND_NVLS,     /* NVLinks that NVLink SHARP uses */
    ORR_BOUND_PCIE,     /* PCIe links other than those of NICs */
    ORR_BOUND_CPU,      /* links between sockets, and C2C links between CPUs and GPUs */
    ORR_BOUND_CHANNELS, /* NCCL's channels, if no link is full */
    ORR_BOUND_COUNT
};

struct orr_expect_limit {
    enum orr_bottleneck what;
    unsigned kinds; /* bits by enum orr_link_kind: the links that must carry more for more bandwidth; 0 if not tried, or
                     * if NCCL's channels limit */
    bool tried;     /* true if a trial widened them; false if the loads of the links decided */
    uint32_t count; /* number of such links on one host, or of channels */
    double bw;      /* GB/s of each */
    char text[160]; /* "8 NICs of 48 GB/s" */
};

struct orr_expectation; /* of one analysis and one program */

/* How devices below one PCIe switch exchange data: the switch forwards it, or PCIe ACS redirects it to the root port
 * and back. NCCL does not see the difference, so its choices are the same. */
enum orr_peer_traffic { ORR_PEERS_BY_SWITCH, ORR_PEERS_BY_ROOT };

/* An analysis with query.plan is enough; it must outlive the expectation. The caller frees *ret_expectation.
 * UNSUPPORTED if the program cannot run on the machine: on one rank, hypercube on a number of ranks that is not a power
 * of two, or transfers over the network without a NIC. LIMIT, SPENT. */
enum orr_code orr_expectation_new(const struct orr_analysis *analysis, enum orr_test test,
                                  struct orr_expectation **ret_expectation, struct orr_error *err) ORR_NO_DISCARD;
/* The same with PCIe ACS: NCCL's choice runs as slowly as the links with redirected traffic. */
enum orr_code orr_expectation_with_acs(const struct orr_analysis *analysis, enum orr_test test,
                                       struct orr_expectation **ret_expectation, struct orr_error *err) ORR_NO_DISCARD;
void orr_expectation_free(struct orr_expectation *expectation);

/* The row for a size, with NCCL's choice; false if no algorithm is available, or the size is 0. */
bool orr_expect(const struct orr_expectation *expectation, uint64_t size, struct orr_expected *ret_expected);
/* The row for a given algorithm and protocol, even if NCCL would not choose it; false if the model does not have it
 * there. */
bool orr_expect_way(const struct orr_expectation *expectation, int algorithm, int protocol, uint64_t size,
                    struct orr_expected *ret_expected);
/* The fullest of these kinds of links, which a trial has found to be the limit (orr_find_limit() in engine/trials).
 * Bits by enum orr_link_kind; 0 means NCCL's channels. */
enum orr_code orr_expect_limit_of(const struct orr_expectation *expectation, unsigned kinds,
                                  struct orr_expect_limit *ret_limit, struct orr_error *err) ORR_NO_DISCARD;
/* The limit of large messages according to the loads of links, for callers that cannot afford trials. */
void orr_expect_limit(const struct orr_expectation *expectation, struct orr_expect_limit *ret_limit);
/* The kinds of links that transfers of Send and Recv cross: bits by enum orr_crossing (shares.h); 0 for collective
 * operations. */
uint32_t orr_expect_crossings(const struct orr_expectation *expectation);
/* "nics", "nvlink" and so on: a list of words, NULL after the last. */
const char *orr_bottleneck_name(size_t what);

#endif
