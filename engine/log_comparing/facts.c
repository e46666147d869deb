#include "engine/log_comparing/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/hash.h"

int32_t orr_log_facts_place(const struct orr_log_facts *f, int32_t rank)
{
    if (rank < 0 || (uint32_t)rank >= f->analysis->ranks)
        return -1;
    return f->place_of ? f->place_of[rank] : rank;
}

int32_t orr_log_facts_local(const struct orr_log_facts *f, int32_t rank)
{
    const int32_t place = orr_log_facts_place(f, rank);
    return place < 0 ? -1 : place % (int32_t)f->analysis->local_ranks;
}

int32_t orr_log_facts_rank(const struct orr_log_facts *f, int32_t place)
{
    return f->rank_at && place >= 0 && (uint32_t)place < f->analysis->ranks ? f->rank_at[place] : place;
}

const struct orr_part *orr_log_facts_part(const struct orr_log_facts *f, uint32_t session)
{
    int32_t local = orr_log_facts_local(f, f->log->sessions[session].rank);
    return local < 0 ? &f->analysis->parts[0] : orr_analysis_part(f->analysis, local);
}

static uint64_t hash_of(enum orr_log_topic topic, const char *what, const char *logged)
{
    uint64_t hash = orr_hash_text(orr_hash_number(ORR_HASH_START, topic), what);
    hash = orr_hash_text(orr_hash_number(hash, 1), logged);
    return hash ^ (hash >> 31);
}

static bool make_slots(struct orr_log_facts *f)
{
    if (f->count * 2 < f->slot_count)
        return true;
    uint32_t count = f->slot_count ? f->slot_count * 2 : 1024;
    uint32_t *slots = ORR_NEW(f->arena, uint32_t, count);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t at = (uint32_t)hash_of(f->rows[i].topic, f->rows[i].what, f->rows[i].logged.text) & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = i + 1;
    }
    f->slots = slots;
    f->slot_count = count;
    return true;
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
    if (!make_slots(f) || !ORR_RESERVE(f->arena, f->rows, f->count, f->capacity))
        return NULL;
    uint32_t at = (uint32_t)hash_of(topic, what, words) & (f->slot_count - 1);
    for (; f->slots[at]; at = (at + 1) & (f->slot_count - 1)) {
        struct orr_log_fact *there = &f->rows[f->slots[at] - 1];
        if (there->topic == topic && !strcmp(there->what, what) && !strcmp(there->logged.text, words)) {
            there->times++;
            return NULL;
        }
    }
    if (f->count == ORR_LOG_FACTS_MOST) {
        f->full = true;
        return NULL;
    }
    struct orr_log_fact *fact = &f->rows[f->count];
    *fact = (struct orr_log_fact){
        .topic = topic, .line = line, .times = 1, .logged = logged, .predicted = orr_log_words(""), .gpu_nic = -1};
    fact->what = orr_arena_strndup(f->arena, what, strlen(what));
    fact->logged.text = orr_arena_strndup(f->arena, words, strlen(words));
    if (!fact->what || !fact->logged.text)
        return NULL;
    f->slots[at] = ++f->count;
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
