/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/place/scores.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/hash.h"
#include "engine/base/sorting.h"
#include "engine/cluster/again.h"
#include "engine/nics/gpus.h"
#include "engine/place/bits.h"
#include "engine/search/memo.h"

enum {
    SLOTS_LOG = ORR_EXACT_GPUS, /* size of the table if a set is not its own index */
    MOST_LIMITS = 64,           /* most different limit texts that are kept */
    LIST_SIZE = 4 * ORR_MOST_PLACE_GPUS,
    NIC_NAME = 64,
    FEW_GPUS = 8,
    MEMO_BYTES = 2 << 20, /* for few GPUs */
    LARGE_MEMO_BYTES = 16 << 20
};

struct orr_scores {
    struct orr_scored about;
    struct orr_arena *arena;      /* of the question's texts */
    bool direct;                  /* a set is its own index in the table */
    size_t slot_count, slot_size; /* slot_size: bytes of a score with the question's host counts */
    struct orr_search_memo *memo;
    pthread_mutex_t lock; /* protects everything below */
    char *slots;
    size_t used;
    struct orr_error refused; /* error of the first set on which NCCL would fail; its code is ORR_OK if there is none */
    uint32_t nic_count, limit_count;
    char nics[ORR_MOST_PLACE_NICS][NIC_NAME];
    char limits[MOST_LIMITS][sizeof((struct orr_expect_limit){0}.text)];
};

/* The number of a name, which is added if it is new; ORR_MOST_PLACE_NICS if there is no room. */
static uint32_t nic_of(struct orr_scores *s, const char *name)
{
    for (uint32_t i = 0; i < s->nic_count; i++)
        if (!strncmp(s->nics[i], name, NIC_NAME - 1))
            return i;
    if (s->nic_count == ORR_MOST_PLACE_NICS)
        return ORR_MOST_PLACE_NICS;
    snprintf(s->nics[s->nic_count], NIC_NAME, "%s", name);
    return s->nic_count++;
}

/* Lists the ports that NCCL sees; two with one name are the same. */
static enum orr_code list_ports(struct orr_scores *s, struct orr_error *err)
{
    for (uint32_t e = 0; e < s->about.dump->element_count; e++) {
        bool port =
            s->about.dump->elements[e].kind == ORR_ELEMENT_NET && orr_element_text(s->about.dump, e, ORR_ATTR_DEV);
        const char *name = port ? orr_element_text(s->about.dump, e, ORR_ATTR_NAME) : NULL;
        if (name && nic_of(s, name) == ORR_MOST_PLACE_NICS && s->about.question.nic_count)
            return orr_fail(err, ORR_LIMIT, "place can choose among at most %d NICs, and the machine has more",
                            (int)ORR_MOST_PLACE_NICS);
    }
    s->about.port_count = s->nic_count;
    return ORR_OK;
}

static size_t memo_bytes(const struct orr_scores *s)
{
    return s->about.gpu_count <= FEW_GPUS ? MEMO_BYTES : LARGE_MEMO_BYTES;
}

static enum orr_code fill_scores(struct orr_scores *s, struct orr_error *err)
{
    ORR_TRY(orr_settings_keep(&s->about.question.settings, s->arena, err));
    s->about.gpu_count = orr_gpus_ranked(s->about.dump);
    if (!s->about.gpu_count)
        return orr_fail(err, ORR_NO_RANKS, "no GPU has a rank, so there is nothing to place");
    if (s->about.gpu_count > ORR_MOST_PLACE_GPUS)
        return orr_fail(err, ORR_LIMIT, "place can choose among at most %d GPUs of one host, and this one has %u",
                        (int)ORR_MOST_PLACE_GPUS, s->about.gpu_count);
    ORR_TRY(list_ports(s, err));
    s->direct = s->about.gpu_count <= ORR_EXACT_GPUS;
    s->slot_count = (size_t)1 << (s->direct ? s->about.gpu_count : SLOTS_LOG);
    s->slot_size =
        offsetof(struct orr_score, by_hosts) + s->about.question.host_counts * sizeof(struct orr_set_prediction);
    s->slot_size += (0 - s->slot_size) % _Alignof(struct orr_score);
    s->slots = calloc(s->slot_count, s->slot_size);
    s->memo = orr_search_memo_new(memo_bytes(s));
    return s->slots && s->memo ? ORR_OK : orr_fail_nomem(err);
}

/* It outlives the request that begins it, so only its texts are drawn from that request's budget. */
enum orr_code orr_scores_new(const struct orr_dump *dump, const struct orr_score_question *question,
                             struct orr_scores **ret_scores, struct orr_error *err)
{
    struct orr_scores *s = calloc(1, sizeof *s);
    ORR_NEED(s, err);
    s->about.dump = dump;
    s->about.question = *question;
    s->arena = orr_arena_new(0);
    pthread_mutex_init(&s->lock, NULL);
    enum orr_code code = s->arena ? fill_scores(s, err) : orr_fail_nomem(err);
    if (code != ORR_OK) {
        orr_scores_free(s);
        return code;
    }
    *ret_scores = s;
    return ORR_OK;
}

void orr_scores_free(struct orr_scores *scores)
{
    if (!scores)
        return;
    pthread_mutex_destroy(&scores->lock);
    orr_search_memo_free(scores->memo);
    orr_arena_free(scores->arena);
    free(scores->slots);
    free(scores);
}

size_t orr_scores_bytes(const struct orr_scores *scores)
{
    return sizeof *scores + memo_bytes(scores) + orr_arena_bytes(scores->arena) +
           scores->slot_count * scores->slot_size;
}

const struct orr_scored *orr_scores_about(const struct orr_scores *scores)
{
    return &scores->about;
}

enum orr_code orr_scores_refused(struct orr_scores *scores, struct orr_error *err)
{
    pthread_mutex_lock(&scores->lock);
    const struct orr_error refused = scores->refused;
    pthread_mutex_unlock(&scores->lock);
    if (err && refused.code != ORR_OK)
        *err = refused;
    return refused.code;
}

const char *orr_scores_nic(struct orr_scores *scores, uint32_t nic)
{
    pthread_mutex_lock(&scores->lock);
    const char *name = nic < scores->nic_count ? scores->nics[nic] : NULL;
    pthread_mutex_unlock(&scores->lock);
    return name;
}

static uint64_t hash_of(orr_bits gpus)
{
    return orr_hash_number(orr_hash_number(ORR_HASH_START, (uint64_t)gpus), (uint64_t)(gpus >> 64));
}

/* The slot of a set, or the slot where it would be; NULL if the table is full. */
static struct orr_score *find_slot(const struct orr_scores *s, orr_bits gpus)
{
    size_t at = s->direct ? (size_t)gpus : hash_of(gpus) >> (64 - SLOTS_LOG);
    for (size_t tried = 0; tried < s->slot_count; tried++, at++) {
        struct orr_score *slot = (void *)(s->slots + (at & (s->slot_count - 1)) * s->slot_size);
        if (slot->gpus == gpus || (!slot->gpus && (s->direct || s->used < s->slot_count / 2)))
            return slot;
        if (!slot->gpus)
            return NULL;
    }
    return NULL;
}

/* The NICs that the ranks use, of an analysis of several hosts. */
static void add_nics(struct orr_scores *s, const struct orr_analysis *analysis, orr_bits *nics)
{
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_part *part = &analysis->parts[p];
        const struct orr_system *system = &part->system;
        size_t count = (size_t)orr_system_count(system, ORR_GPU) * (size_t)part->net_dev_channels;
        for (size_t i = 0; part->net_devs && i < count; i++)
            for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++) {
                const char *name = system->nodes[n].id == part->net_devs[i].net
                                       ? orr_element_text(system->dump, system->nodes[n].element, ORR_ATTR_NAME)
                                       : NULL;
                uint32_t nic = name ? nic_of(s, name) : ORR_MOST_PLACE_NICS;
                *nics |= nic < ORR_MOST_PLACE_NICS ? orr_bit(nic) : 0;
            }
    }
}

static const char *keep_limit(struct orr_scores *s, const char *text)
{
    for (uint32_t i = 0; i < s->limit_count; i++)
        if (!strcmp(s->limits[i], text))
            return s->limits[i];
    if (s->limit_count == MOST_LIMITS)
        return NULL;
    char *kept = s->limits[s->limit_count++];
    snprintf(kept, sizeof s->limits[0], "%s", text);
    return kept;
}

static void note(struct orr_scores *s, const struct orr_expectation *expectation, const struct orr_analysis *analysis,
                 struct orr_set_prediction *prediction, orr_bits *nics)
{
    struct orr_expected expected;
    struct orr_expect_limit limit;
    if (!orr_expect(expectation, s->about.question.size, &expected))
        return;
    orr_expect_limit(expectation, &limit);
    pthread_mutex_lock(&s->lock);
    *prediction = (struct orr_set_prediction){.busbw = expected.bus_bw,
                                              .algorithm = expected.algorithm_name,
                                              .protocol = expected.protocol_name,
                                              .limit = keep_limit(s, limit.text),
                                              .limited_by = orr_bottleneck_name(limit.what)};
    if (analysis->query.hosts > 1)
        add_nics(s, analysis, nics);
    pthread_mutex_unlock(&s->lock);
}

/* Computes host count h of a score. Transfers that cannot be predicted, such as those without a NIC, have no bandwidth;
 * nor has a set on which NCCL would fail. */
static enum orr_code predict(struct orr_scores *s, const struct orr_query *query, uint32_t h, struct orr_score *score,
                             uint64_t *work, struct orr_error *err)
{
    enum { WORK_OF_ANALYSIS = 20000, WORK_OF_PAIR = 30 }; /* work besides the search: about a millisecond, and paths */
    const uint64_t gpus = score->count;
    struct orr_error own = {0};
    struct orr_analysis *analysis;
    struct orr_expectation *expectation;
    enum orr_code code = orr_analyze_hosts(s->about.dump, query, NULL, &analysis, &own);
    *work += WORK_OF_ANALYSIS + WORK_OF_PAIR * gpus * gpus;
    if (code == ORR_OK) {
        *work += orr_analysis_steps(analysis);
        code = orr_expectation_new(analysis, s->about.question.test, &expectation, &own);
        if (code == ORR_OK) {
            note(s, expectation, analysis, &score->by_hosts[h], &score->nics);
            orr_expectation_free(expectation);
        }
        orr_analysis_again_free(analysis);
    }
    if (code == ORR_INVALID) {
        pthread_mutex_lock(&s->lock);
        if (s->refused.code == ORR_OK)
            s->refused = own;
        pthread_mutex_unlock(&s->lock);
    }
    if (code == ORR_OK || code == ORR_UNSUPPORTED || code == ORR_INVALID)
        return ORR_OK;
    if (err && err->code == ORR_OK)
        *err = own;
    return code;
}

/* The weighted harmonic mean over the numbers of hosts that can be predicted: at this bandwidth a byte takes its mean
 * time. */
static void conclude(const struct orr_score_question *question, struct orr_score *score)
{
    double weights = 0, times = 0;
    for (uint32_t h = 0; h < question->host_counts; h++) {
        const struct orr_place_hosts *hosts = &question->hosts[h];
        const double busbw = score->by_hosts[h].busbw;
        if (busbw > 0) {
            score->busbw = weights > 0 ? 0 : busbw;
            weights += hosts->weight;
            times += hosts->weight / busbw;
        }
        score->missing += busbw <= 0 && (uint64_t)score->count * hosts->hosts > 1;
    }
    if (weights > 0 && score->busbw <= 0)
        score->busbw = weights / times;
}

/* The GPUs as `gpus` of the settings lists them. */
static void write_gpus(const uint8_t *order, uint32_t count, char list[LIST_SIZE])
{
    size_t length = 0;
    list[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        length += (size_t)snprintf(list + length, LIST_SIZE - length, "%s%u", i ? "," : "", order[i]);
}

static enum orr_code try_set(struct orr_scores *s, const char *nics, struct orr_score *score, uint64_t *work,
                             struct orr_error *err)
{
    char gpus[LIST_SIZE];
    struct orr_query query = {.settings = s->about.question.settings, .plan = true, .memo = s->memo};
    write_gpus(score->order, score->count, gpus);
    query.settings.gpus = gpus;
    if (nics)
        query.settings.nics = nics;
    for (uint32_t h = 0; h < s->about.question.host_counts; h++) {
        query.hosts = s->about.question.hosts[h].hosts;
        if ((uint64_t)query.hosts * score->count < 2)
            continue;
        ORR_TRY(orr_budget_check(err));
        ORR_TRY(predict(s, &query, h, score, work, err));
    }
    conclude(&s->about.question, score);
    return ORR_OK;
}

bool orr_score_better(const struct orr_score *a, const struct orr_score *b)
{
    return a->missing != b->missing ? a->missing < b->missing : a->busbw > b->busbw;
}

ORR_NEXT_ORDER(next_order, uint8_t)

/* Scores the set in the order of the GPUs' numbers, or the best of all orders (the first one of several). */
static enum orr_code try_orders(struct orr_scores *s, const char *nics, struct orr_score *best, uint64_t *work,
                                struct orr_error *err)
{
    struct orr_score bare = *best;
    ORR_TRY(try_set(s, nics, best, work, err));
    while (s->about.question.orders && bare.count <= ORR_ORDERED_GPUS && next_order(bare.order, bare.count)) {
        struct orr_score score = bare;
        ORR_TRY(try_set(s, nics, &score, work, err));
        if (orr_score_better(&score, best))
            *best = score;
    }
    return ORR_OK;
}

/* Tries every choice of this many NICs and keeps the best (the first one of several). */
static enum orr_code choose_nics(struct orr_scores *s, struct orr_score *best, uint64_t *work, struct orr_error *err)
{
    const struct orr_score bare = *best;
    char list[ORR_MOST_PLACE_NICS * (NIC_NAME + 1) + 2];
    bool first = true;
    for (orr_bits given = orr_first_subset(s->about.question.nic_count); given;
         given = orr_next_subset(given, s->about.port_count), first = false) {
        struct orr_score score = bare;
        size_t length = 0;
        for (uint32_t i = 0; i < s->about.port_count; i++)
            if (given >> i & 1)
                length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", length ? "," : "=", s->nics[i]);
        ORR_TRY(try_orders(s, list, &score, work, err));
        score.nics = given;
        if (first || orr_score_better(&score, best))
            *best = score;
    }
    return ORR_OK;
}

enum orr_code orr_scores_of(struct orr_scores *s, orr_bits gpus, struct orr_score *ret_score, struct orr_error *err)
{
    uint64_t work = 0;
    struct orr_score score = {.gpus = gpus};
    pthread_mutex_lock(&s->lock);
    const struct orr_score *kept = find_slot(s, gpus);
    bool known = kept && kept->gpus;
    if (known)
        memcpy(ret_score, kept, s->slot_size);
    pthread_mutex_unlock(&s->lock);
    if (known)
        return ORR_OK;
    for (uint32_t g = 0; g < s->about.gpu_count; g++)
        if (gpus >> g & 1)
            score.order[score.count++] = (uint8_t)g;
    const bool choose = s->about.question.nic_count && s->about.question.nic_count < s->about.port_count;
    enum orr_code code = choose ? choose_nics(s, &score, &work, err) : try_orders(s, NULL, &score, &work, err);
    ORR_TRY(code);
    score.work = work;
    pthread_mutex_lock(&s->lock);
    struct orr_score *slot = find_slot(s, gpus);
    if (slot && !slot->gpus) {
        memcpy(slot, &score, s->slot_size);
        s->used++;
    }
    pthread_mutex_unlock(&s->lock);
    *ret_score = score;
    return ORR_OK;
}
