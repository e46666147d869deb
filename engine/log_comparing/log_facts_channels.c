/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the communicator's channels: rings, trees, NVLS heads, counts. */
#include <stdio.h>
#include <string.h>

#include "engine/log_comparing/log_facts.h"

static const struct orr_communicator *communicator(const struct orr_log_facts *f)
{
    return &f->analysis->communicator;
}

static void append_number(char *text, int value)
{
    size_t length = strlen(text);
    snprintf(text + length, ORR_LOG_FACT_TEXT - length, "%s%d", length ? " " : "", value);
}

static void add_count(struct orr_log_facts *f, const struct orr_log_record *record, const char *what, double logged,
                      int32_t predicted)
{
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_COUNTS, record->line, orr_log_count(logged), "%s", what);
    if (fact)
        orr_log_fact_compare(f, fact, orr_log_count(predicted));
}

static void add_ring(struct orr_log_facts *f, const struct orr_log_record *record)
{
    enum { CHANNEL, CHANNELS, FIRST, RING_CUT_LEAST = 20 };
    const struct orr_communicator *c = communicator(f);
    char logged[ORR_LOG_FACT_TEXT] = "", predicted[ORR_LOG_FACT_TEXT] = "";
    int channel = (int)record->values[CHANNEL];
    uint32_t shown = record->value_count - FIRST;
    add_count(f, record, "channels", record->values[CHANNELS], c->channel_count);
    for (uint32_t i = 0; i < shown; i++)
        append_number(logged, (int)record->values[FIRST + i]);
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_RINGS, record->line, orr_log_words(logged), "ring of channel %d", channel);
    if (!fact)
        return;
    if (channel < 0 || channel >= c->channel_count) {
        orr_log_fact_lacking(f, fact, "no such channel");
        return;
    }
    for (uint32_t i = 0; i < shown && i < c->rank_count; i++)
        append_number(predicted, orr_log_facts_rank(f, c->rings[c->source[channel]][i]));
    /* Whether a list is complete: NCCL never cuts lists shorter than this. */
    if (shown != c->rank_count && (shown < RING_CUT_LEAST || shown > c->rank_count))
        orr_log_fact_lacking(f, fact, "%s%s, %u ranks", predicted, shown < c->rank_count ? " ..." : "", c->rank_count);
    else
        orr_log_fact_compare(f, fact, orr_log_words(predicted));
}

static void add_neighbours(struct orr_log_facts *f, const struct orr_log_record *record)
{
    enum { CHANNEL, PREVIOUS, SELF, NEXT };
    const struct orr_communicator *c = communicator(f);
    const double *v = record->values;
    int channel = (int)v[CHANNEL], self = (int)v[SELF];
    char logged[48];
    snprintf(logged, sizeof logged, "%d -> %d -> %d", (int)v[PREVIOUS], self, (int)v[NEXT]);
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_RINGS, record->line, orr_log_words(logged),
                                                 "ring of channel %d around rank %d", channel, self);
    if (!fact)
        return;
    const int32_t place = orr_log_facts_place(f, self);
    if (channel < 0 || channel >= c->channel_count || place < 0) {
        orr_log_fact_lacking(f, fact, "no such channel or rank");
        return;
    }
    const int32_t *ring = c->rings[c->source[channel]];
    uint32_t at = 0;
    while (at < c->rank_count - 1 && ring[at] != place)
        at++;
    char predicted[48];
    snprintf(predicted, sizeof predicted, "%d -> %d -> %d",
             orr_log_facts_rank(f, ring[(at + c->rank_count - 1) % c->rank_count]), self,
             orr_log_facts_rank(f, ring[(at + 1) % c->rank_count]));
    orr_log_fact_compare(f, fact, orr_log_words(predicted));
}

/* One rank's place in the tree of a channel. The line "Tree N" is printed before NCCL limits the channels. */
static void add_place(struct orr_log_facts *f, const struct orr_log_record *record, int channel, bool second,
                      const int downs[3], int self, int up)
{
    const struct orr_communicator *c = communicator(f);
    char logged[64];
    snprintf(logged, sizeof logged, "%d/%d/%d->%d->%d", downs[0], downs[1], downs[2], self, up);
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_TREES, record->line, orr_log_words(logged), "%s of channel %d at rank %d",
                         second ? "second tree" : "tree", channel, self);
    if (!fact)
        return;
    const int32_t place = orr_log_facts_place(f, self);
    if (record->kind == ORR_LOG_TREE_ENDS && channel >= c->channel_count) {
        orr_log_fact_without(f, fact, "a channel that NCCL does not keep");
        return;
    }
    if (channel < 0 || channel >= c->channel_count || place < 0 || (second && !c->down_trees)) {
        orr_log_fact_lacking(f, fact, "no such channel or rank");
        return;
    }
    const struct orr_tree *tree = &(second ? c->down_trees : c->trees)[c->source[channel]];
    char predicted[64];
    snprintf(predicted, sizeof predicted, "%d/%d/%d->%d->%d", orr_log_facts_rank(f, tree->down[place][0]),
             orr_log_facts_rank(f, tree->down[place][1]), orr_log_facts_rank(f, tree->down[place][2]), self,
             orr_log_facts_rank(f, tree->up[place]));
    orr_log_fact_compare(f, fact, orr_log_words(predicted));
}

static void add_trees(struct orr_log_facts *f, const struct orr_log_record *record)
{
    enum { CHANNEL, SECOND, DOWN, SELF = 5, UP, EACH };
    for (uint32_t i = 0; i + EACH <= record->value_count; i += EACH) {
        const double *v = record->values + i;
        const int downs[3] = {(int)v[DOWN], (int)v[DOWN + 1], (int)v[DOWN + 2]};
        add_place(f, record, (int)v[CHANNEL], v[SECOND] != 0, downs, (int)v[SELF], (int)v[UP]);
    }
}

static void add_ends(struct orr_log_facts *f, const struct orr_log_record *record)
{
    enum { CHANNEL, UP, SELF, DOWN };
    const double *v = record->values;
    const int downs[3] = {(int)v[DOWN], (int)v[DOWN + 1], (int)v[DOWN + 2]};
    add_place(f, record, (int)v[CHANNEL], false, downs, (int)v[SELF], (int)v[UP]);
}

static void add_counts(struct orr_log_facts *f, const struct orr_log_record *record)
{
    const struct orr_communicator *c = communicator(f);
    struct orr_log_counts counts;
    if (!orr_log_counts_of(record, &counts))
        return;
    add_count(f, record, "channels", counts.collective, c->channel_count);
    if (counts.nvls >= 0)
        add_count(f, record, "NVLS channels", counts.nvls, c->nvls ? c->nvls_channels : 0);
    add_count(f, record, "point-to-point channels", counts.p2p, c->p2p_channels);
    add_count(f, record, "point-to-point channels per peer", counts.p2p_per_peer, c->p2p_channels_per_peer);
}

static void add_head(struct orr_log_facts *f, const struct orr_log_record *record)
{
    const struct orr_communicator *c = communicator(f);
    int head = (int)record->values[0];
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_NVLS, record->line,
                                                 orr_log_count(record->value_count > 1 ? record->values[1] : -1),
                                                 "head %d: rank of the first node", head);
    if (!fact)
        return;
    if (!c->nvls || head < 0 || head >= c->nvls_head_count)
        orr_log_fact_lacking(f, fact, "%s", c->nvls ? "no such head" : "NVLS is off");
    else
        orr_log_fact_compare(f, fact, orr_log_count(orr_log_facts_rank(f, c->nvls_heads[head])));
}

static void add_support(struct orr_log_facts *f, const struct orr_log_record *record)
{
    bool supported;
    if (!orr_log_nvls_of(record, &supported))
        return;
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_NVLS, record->line, orr_log_words(supported ? "available" : "not available"),
                         "NVLS multicast on the GPUs");
    /* A dump does not show whether the driver supports NVLS. So there is a difference only if the prediction uses NVLS
     * and the driver refuses it. */
    if (fact && !supported && communicator(f)->nvls)
        orr_log_fact_lacking(f, fact, "NVLS with %d channels", communicator(f)->nvls_channels);
    else if (fact)
        orr_log_fact_without(f, fact, "the driver decides it, and a dump does not contain that");
    if (supported && record->value_count > 1 && communicator(f)->nvls) /* "(NVLS_NCHANNELS 16)" */
        add_count(f, record, "NVLS channels", record->values[1], communicator(f)->nvls_channels);
}

static void add_nvls_tuning(struct orr_log_facts *f, const struct orr_log_record *record)
{
    if (record->value_count && communicator(f)->nvls)
        add_count(f, record, "NVLS channels", record->values[0], communicator(f)->nvls_channels);
}

void orr_log_facts_of_channels(struct orr_log_facts *f)
{
    static const struct {
        enum orr_log_kind kind;
        void (*add)(struct orr_log_facts *f, const struct orr_log_record *record);
    } rows[] = {
        {ORR_LOG_RING, add_ring},
        {ORR_LOG_RING_NEIGHBOURS, add_neighbours},
        {ORR_LOG_TREES, add_trees},
        {ORR_LOG_TREE_ENDS, add_ends},
        {ORR_LOG_COUNTS, add_counts},
        {ORR_LOG_NVLS_HEAD, add_head},
        {ORR_LOG_NVLS_SUPPORT, add_support},
        {ORR_LOG_NVLS_TUNING, add_nvls_tuning},
    };
    const struct orr_log_own own = orr_log_records_of(f->log, f->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &f->log->records[own.at[i]];
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
            if (rows[r].kind == record->kind)
                rows[r].add(f, record);
    }
}
