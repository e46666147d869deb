/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/triage: the state of a triage while it is made, and the functions of its parts. */
#ifndef ORR_TRIAGE_BUILDING_H
#define ORR_TRIAGE_BUILDING_H

#include "engine/triage/triage.h"

struct orr_triaging {
    const struct orr_log *log;
    const struct orr_log_check *check; /* NULL if there is none */
    struct orr_arena *arena;
    struct orr_triage *triage;
};

/* triage_words.c: the weight of an event for the job; an event without a row is a warning. */
enum orr_log_weight orr_triage_weight(const struct orr_log_event *event);
/* triage_words.c: whether a person left lines out, asks, or names a bandwidth, and no words are about a job that stands
 * still or fails: then the end of the lines is only where the person cut them. */
bool orr_triage_is_part(const struct orr_log *log);
#define orr_triage_text(triaging, ...) orr_arena_text((triaging)->arena, __VA_ARGS__)
/* Sorts ranks and names them, with the reason; does nothing if count is 0. */
void orr_triage_missing(struct orr_triaging *t, int32_t *ranks, uint32_t count, const char *why);
/* timeouts.c: names the ranks that called less or something else when PyTorch's time limit ended; false if there is
 * none. */
bool orr_triage_timeouts(struct orr_triaging *t);
/* collectives.c: names the ranks whose last collective is not that of the others; false if there is none. */
bool orr_triage_collectives(struct orr_triaging *t);
/* level.c: shared memory because of the default P2P level, as a cause. */
void orr_triage_level(struct orr_triaging *t);
/* ran.c, choices.c, sentences.c */
void orr_triage_ran(struct orr_triaging *t);
enum orr_code orr_triage_choices(struct orr_triaging *t, struct orr_error *err) ORR_NO_DISCARD;
void orr_triage_sentences(struct orr_triaging *t);

#endif
