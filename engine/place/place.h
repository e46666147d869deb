/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the GPUs of a host for a job: ranks the sets of a size by predicted bus bandwidth, with the GPUs that stay
 * free and the cost of another choice, and finds disjoint sets for several jobs. README.md says what is exact and what
 * is assumed. */
#ifndef ORR_PLACE_PLACE_H
#define ORR_PLACE_PLACE_H

#include "engine/base/text.h"
#include "engine/place/scores.h"

enum { ORR_MOST_JOBS = 16, ORR_MOST_BEST = 200 };

/* The aim for several jobs. */
enum orr_pack { ORR_PACK_TOTAL, ORR_PACK_WORST };
/* "total", "worst": a list of words. */
const char *orr_pack_word(size_t i);

struct orr_place_request {
    uint32_t count;               /* GPUs that the job uses on each host; 0 with jobs */
    orr_bits free;                /* GPUs that may be taken */
    orr_bits compared;            /* another set of `count` free GPUs to score; 0 if there is none */
    uint32_t top;                 /* entries of `best`, 1.. */
    uint32_t jobs[ORR_MOST_JOBS]; /* GPUs of each job */
    uint32_t job_count;
    bool worst; /* for jobs: maximise the bandwidth of the worst job, not the total */
};

/* A set of `count` GPUs. */
struct orr_place_choice {
    struct orr_score score;
    uint64_t same;     /* sets with the same figures; this one is the first */
    orr_bits left;     /* free GPUs that stay free */
    double left_busbw; /* GB/s of all of these in one job; 0 if there is none */
    double left_next;  /* GB/s of the best further job of `count` GPUs; 0 if there is none */
};

struct orr_placing {
    struct orr_scores *scores;
    struct orr_place_request request;
    struct orr_place_choice *best; /* the best first */
    uint32_t best_count;
    struct orr_place_choice *compared; /* NULL if there is none */
    struct orr_score *packed;          /* [request.job_count], in the order of the jobs; NULL if there is none */
    double total, worst;               /* GB/s of the jobs that can be predicted; 0 if there is none */
    uint64_t sets, scored;             /* number of sets, and of analysed sets */
    bool exact;                        /* no choice is better */
    double bound; /* if not all sets were compared: GB/s that no set exceeds; 0 if unknown. For jobs: the most that
                   * `worst`'s figure can be for any choice in which equally many jobs can be predicted */
    char sentence[400];
};

/* Read "4,2,2" and "2", "1,2" or "1:3,16:1". SETTING. */
enum orr_code orr_place_jobs_read(const char *text, struct orr_place_request *request,
                                  struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_place_hosts_read(const char *text, struct orr_score_question *question,
                                   struct orr_error *err) ORR_NO_DISCARD;
/* The GPUs of a list of numbers or bus ids as bits; `what` is the name of the parameter. SETTING, LIMIT. */
enum orr_code orr_place_gpus_read(const struct orr_scores *scores, const char *what, const char *list,
                                  orr_bits *ret_gpus, struct orr_error *err) ORR_NO_DISCARD;

/* *ret_placing is in arena. SETTING if the request contradicts itself; INVALID if NCCL would fail on every compared
 * set; also the errors of orr_scores_of(). */
enum orr_code orr_place(struct orr_scores *scores, const struct orr_place_request *request, struct orr_arena *arena,
                        struct orr_placing **ret_placing, struct orr_error *err) ORR_NO_DISCARD;

/* Assumption i of the answer, a sentence; NULL beyond the last. A sentence with figures is written to text. */
const char *orr_place_assumed(const struct orr_placing *placing, uint32_t i, char text[400]);
/* sentences.c: "0, 1, 5". */
void orr_place_write_gpus(orr_bits gpus, struct orr_text *text);
/* sentences.c: "57.9 GB/s"; "57.9 GB/s on 2 hosts", for each number of hosts. */
void orr_place_write_busbw(double busbw, struct orr_text *text);
void orr_place_write_hosts(const struct orr_score_question *question, const struct orr_score *score,
                           struct orr_text *text);

#endif
