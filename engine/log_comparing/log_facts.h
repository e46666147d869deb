/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/log_comparing: gathers the facts of one comparison. */
#ifndef ORR_LOG_FACTS_H
#define ORR_LOG_FACTS_H

#include "engine/base/index.h"
#include "engine/log_comparing/check.h"
#include "engine/log_reading/tree.h"

/* The place of a rank in the prediction. */
struct orr_log_seat {
    const struct orr_analysis *host; /* analysis of its host, or of all hosts of its NVLink clique */
    int32_t local;                   /* its rank there; -1 if the prediction has no such rank */
    uint32_t system;                 /* the number of that host or clique */
};

struct orr_log_facts {
    const struct orr_log *log;
    const struct orr_analysis *analysis;
    uint32_t communicator;
    bool made_up;                      /* bus ids of switches and NICs are made up */
    const int32_t *place_of, *rank_at; /* see struct orr_log_check */
    const struct orr_log_seat *seats;  /* [predicted rank]; NULL if hosts are equal */
    struct orr_arena *arena;
    struct orr_log_fact *rows;
    uint32_t count;
    unsigned capacity;
    struct orr_index index; /* index of rows, by topic, what and logged */
    bool full;
};
enum { ORR_LOG_FACTS_MOST = 200000 };

/* The part of the host whose view a session has. */
const struct orr_part *orr_log_facts_part(const struct orr_log_facts *f, uint32_t session);
/* The predicted rank of a rank of the log, -1 if the prediction has no such rank; and its seat. */
int32_t orr_log_facts_place(const struct orr_log_facts *f, int32_t rank);
struct orr_log_seat orr_log_facts_seat(const struct orr_log_facts *f, int32_t rank);
/* Fills f->seats. */
enum orr_code orr_log_facts_seats(struct orr_log_facts *f, struct orr_error *err) ORR_NO_DISCARD;
/* The log's number for a predicted rank; -1 (no rank) stays -1. */
int32_t orr_log_facts_rank(const struct orr_log_facts *f, int32_t place);

/* Make values of the shapes words, count and transport. */
static inline struct orr_log_value orr_log_words(const char *text)
{
    return (struct orr_log_value){.shape = ORR_SHAPE_WORDS, .text = text};
}
static inline struct orr_log_value orr_log_count(double count)
{
    return (struct orr_log_value){.shape = ORR_SHAPE_COUNT, .count = (int64_t)count};
}

/* Adds a fact: a value in a line, and its subject. The caller then adds the prediction. NULL if an earlier line said
 * the same (whose count then rises), or if there is no room. */
struct orr_log_fact *orr_log_fact_new(struct orr_log_facts *f, enum orr_log_topic topic, uint32_t line,
                                      struct orr_log_value logged, const char *format, ...) ORR_PRINTF(5, 6);
/* Adds the prediction for a fact, which agrees or differs. */
void orr_log_fact_compare(struct orr_log_facts *f, struct orr_log_fact *fact, struct orr_log_value predicted);
/* The prediction has no value for the fact, which is a difference: the words say why. */
void orr_log_fact_lacking(struct orr_log_facts *f, struct orr_log_fact *fact, const char *format, ...) ORR_PRINTF(3, 4);
/* Nothing is predicted for the fact, so it does not differ. */
void orr_log_fact_without(struct orr_log_facts *f, struct orr_log_fact *fact, const char *why);
/* Sets the nodes that the fact is about. */
void orr_log_fact_at(struct orr_log_fact *fact, const char *a, const char *b);

/* Gather the facts of a family: log_facts_system.c, log_facts_channels.c, log_facts_links.c, log_facts_tuning.c. */
enum orr_code orr_log_facts_of_system(struct orr_log_facts *f, struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_log_facts_of_graphs(struct orr_log_facts *f, struct orr_error *err) ORR_NO_DISCARD;
void orr_log_facts_of_channels(struct orr_log_facts *f);
void orr_log_facts_of_connections(struct orr_log_facts *f);
enum orr_code orr_log_facts_of_tuning(struct orr_log_facts *f, struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_log_facts_of_device(struct orr_log_facts *f, struct orr_error *err) ORR_NO_DISCARD;

#endif
