/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/log_comparing/log_facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/cluster/cluster.h"

int32_t orr_log_facts_place(const struct orr_log_facts *f, int32_t rank)
{
    if (rank < 0 || (uint32_t)rank >= f->analysis->ranks)
        return -1;
    return f->place_of ? f->place_of[rank] : rank;
}

struct orr_log_seat orr_log_facts_seat(const struct orr_log_facts *f, int32_t rank)
{
    const int32_t place = orr_log_facts_place(f, rank), local = (int32_t)f->analysis->local_ranks;
    if (place < 0)
        return (struct orr_log_seat){f->analysis, -1, UINT32_MAX};
    return f->seats ? f->seats[place] : (struct orr_log_seat){f->analysis, place % local, (uint32_t)(place / local)};
}

enum orr_code orr_log_facts_seats(struct orr_log_facts *f, struct orr_error *err)
{
    const struct orr_cluster *cluster = f->analysis->cluster;
    if (!cluster)
        return ORR_OK;
    struct orr_log_seat *seats = ORR_NEW(f->arena, struct orr_log_seat, cluster->rank_count);
    ORR_NEED(seats, err);
    for (uint32_t s = 0; s < cluster->system_count; s++)
        for (uint32_t r = 0; r < cluster->systems[s].rank_count; r++)
            seats[cluster->systems[s].ranks[r]] =
                (struct orr_log_seat){cluster->kinds[cluster->systems[s].kind].analysis, (int32_t)r, s};
    f->seats = seats;
    return ORR_OK;
}

int32_t orr_log_facts_rank(const struct orr_log_facts *f, int32_t place)
{
    return f->rank_at && place >= 0 && (uint32_t)place < f->analysis->ranks ? f->rank_at[place] : place;
}

const struct orr_part *orr_log_facts_part(const struct orr_log_facts *f, uint32_t session)
{
    const struct orr_log_seat seat = orr_log_facts_seat(f, f->log->sessions[session].rank);
    return seat.local < 0 ? &f->analysis->parts[0] : orr_analysis_part(seat.host, seat.local);
}

static uint64_t hash_of(enum orr_log_topic topic, const char *what, const char *logged)
{
    const uint64_t hash = orr_hash_key(orr_hash_key_number(orr_hash_seeded(), topic), what, strlen(what));
    return orr_hash_key(hash, logged, strlen(logged));
}

struct orr_log_fact *orr_log_fact_new(struct orr_log_facts *f, enum orr_log_topic topic, uint32_t line,
                                      struct orr_log_value logged, const char *format, ...)
{
    char what[ORR_LOG_FACT_TEXT], words[ORR_LOG_FACT_TEXT];
    orr_log_value_write(&logged, words);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (orr_arena_starved(f->arena) || f->full)
        return NULL;
    const uint64_t hash = hash_of(topic, what, words);
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&f->index, hash, &probe, &row);) {
        struct orr_log_fact *there = &f->rows[row];
        if (there->topic == topic && !strcmp(there->what, what) && !strcmp(there->logged.text, words)) {
            there->times++;
            return NULL;
        }
    }
    if (f->count == ORR_LOG_FACTS_MOST) {
        f->full = true;
        return NULL;
    }
    if (!ORR_RESERVE(f->arena, f->rows, f->count, f->capacity))
        return NULL;
    struct orr_log_fact *fact = &f->rows[f->count];
    *fact = (struct orr_log_fact){
        .topic = topic, .line = line, .times = 1, .logged = logged, .predicted = orr_log_words(""), .gpu_nic = -1};
    fact->what = orr_arena_strndup(f->arena, what, strlen(what));
    fact->logged.text = orr_arena_strndup(f->arena, words, strlen(words));
    if (!fact->what || !fact->logged.text || !orr_index_add(&f->index, hash, f->count))
        return NULL;
    f->count++;
    return fact;
}

void orr_log_fact_compare(struct orr_log_facts *f, struct orr_log_fact *fact, struct orr_log_value predicted)
{
    char words[ORR_LOG_FACT_TEXT];
    orr_log_value_write(&predicted, words);
    const char *kept = orr_arena_strndup(f->arena, words, strlen(words));
    fact->predicted = predicted;
    fact->predicted.text = kept ? kept : "";
    fact->verdict = orr_log_value_agrees(&fact->logged, &fact->predicted) ? ORR_FACT_AGREES : ORR_FACT_DIFFERS;
}

void orr_log_fact_lacking(struct orr_log_facts *f, struct orr_log_fact *fact, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *kept = orr_arena_vprintf(f->arena, ORR_LOG_FACT_TEXT, format, args);
    va_end(args);
    fact->predicted = orr_log_words(kept ? kept : "");
    fact->verdict = ORR_FACT_DIFFERS;
}

void orr_log_fact_without(struct orr_log_facts *f, struct orr_log_fact *fact, const char *why)
{
    orr_log_fact_lacking(f, fact, "%s", why);
    fact->verdict = ORR_FACT_NOT_PREDICTED;
}

void orr_log_fact_at(struct orr_log_fact *fact, const char *a, const char *b)
{
    snprintf(fact->nodes[0], sizeof fact->nodes[0], "%s", a ? a : "");
    snprintf(fact->nodes[1], sizeof fact->nodes[1], "%s", b ? b : "");
}
