/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of sets of a host's GPUs: the bus bandwidth that engine/expect predicts for an analysis with only these GPUs,
 * like `orrery predict --gpus`. A set is analysed once and its score kept, so requests about one machine share the
 * work. Callable from any number of threads.
 *
 * Bandwidths are GB/s. GPUs are counted among those of the dump that have a rank, in the order of `rank`, from 0. */
#ifndef ORR_PLACE_SCORES_H
#define ORR_PLACE_SCORES_H

#include "engine/analysis/analysis.h"
#include "engine/expect/expect.h"

/* Bit i: GPU i, or NIC i of orr_scores_nic(). */
__extension__ typedef unsigned __int128 orr_bits;

enum {
    ORR_MOST_PLACE_GPUS = 128, /* bits of orr_bits */
    ORR_MOST_PLACE_NICS = 128,
    ORR_MOST_PLACE_HOSTS = 8, /* host counts of one question */
    ORR_EXACT_GPUS = 16,      /* up to this many GPUs every set can be kept */
    ORR_ORDERED_GPUS = 4      /* up to this many GPUs, every order of ranks can be tried */
};

struct orr_place_hosts {
    uint32_t hosts; /* 1.. */
    double weight;  /* > 0 */
};

/* The question on which scores depend. */
struct orr_score_question {
    struct orr_settings settings; /* without gpus; borrows its texts */
    enum orr_test test;
    uint64_t size;      /* bytes */
    bool orders;        /* score the best order of ranks, not the order of the GPUs' numbers */
    uint32_t nic_count; /* NICs that the job gets; 0 means all that the settings leave */
    struct orr_place_hosts hosts[ORR_MOST_PLACE_HOSTS];
    uint32_t host_counts; /* 1.. */
};

/* One set on one number of hosts. */
struct orr_set_prediction {
    double busbw;                     /* 0 if it cannot be predicted */
    const char *algorithm, *protocol; /* of the engine's tables */
    const char *limit;                /* "2 NICs of 24 GB/s" */
    const char *limited_by;           /* orr_bottleneck_name() */
};

struct orr_score {
    orr_bits gpus;
    orr_bits nics;                      /* NICs that the job uses between hosts; with nic_count, the NICs to give it */
    double busbw;                       /* mean over all host counts; 0 if none can be predicted */
    uint32_t missing;                   /* host counts with two ranks or more that cannot be predicted */
    uint64_t work;                      /* cost of its analyses in search steps; kept scores have it, too */
    uint32_t count;                     /* GPUs */
    uint8_t order[ORR_MOST_PLACE_GPUS]; /* the GPUs by rank */
    struct orr_set_prediction by_hosts[ORR_MOST_PLACE_HOSTS];
};

/* Whether a is better than b: it has fewer host counts that cannot be predicted, or equally many and a higher
 * bandwidth. */
bool orr_score_better(const struct orr_score *a, const struct orr_score *b);

struct orr_scores;

/* The subject of scores. */
struct orr_scored {
    const struct orr_dump *dump;
    struct orr_score_question question;
    uint32_t gpu_count, port_count; /* port_count: number of the dump's NICs, which come first in orr_scores_nic() */
};

/* dump must outlive the scores; borrowed texts of the question are copied. The caller frees *ret_scores. LIMIT if there
 * are more GPUs or NICs than bits, NO_RANKS without a GPU. */
enum orr_code orr_scores_new(const struct orr_dump *dump, const struct orr_score_question *question,
                             struct orr_scores **ret_scores, struct orr_error *err) ORR_NO_DISCARD;
void orr_scores_free(struct orr_scores *scores);
/* The most bytes that the scores can occupy. */
size_t orr_scores_bytes(const struct orr_scores *scores);
const struct orr_scored *orr_scores_about(const struct orr_scores *scores);
/* Why NCCL would fail on a set, for the first such set so far; ORR_OK if there is none. */
enum orr_code orr_scores_refused(struct orr_scores *scores, struct orr_error *err) ORR_NO_DISCARD;
/* Name of a NIC, as the analysis has it; NULL beyond the last. Fused NICs are added while sets are analysed. */
const char *orr_scores_nic(struct orr_scores *scores, uint32_t nic);

/* The score of a set, which must not be empty: a kept one, or a new one. A set that cannot be predicted (one rank, no
 * NIC), or on which NCCL would fail (orr_scores_refused()), is not an error. Other errors of orr_analyze() and
 * orr_expectation_new().
 */
enum orr_code orr_scores_of(struct orr_scores *scores, orr_bits gpus, struct orr_score *ret_score,
                            struct orr_error *err) ORR_NO_DISCARD;

#endif
