/* SPDX-License-Identifier: Apache-2.0 */
#include "api/documents/documents.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "api/documents/json_stream.h"
#include "api/questions/questions.h"
#include "engine/base/shared.h"
#include "engine/cluster/groups.h"
#include "engine/cluster/transfers.h"

enum part { HEAD, WORLD, WORLD_END, RANK, ROUND, RANK_END, END };

struct p2p_stream {
    struct orr_json_stream json; /* first */
    struct orr_p2p_window window;
    struct orr_shared *owner;
    bool lines;
    enum part part;
    uint32_t rank, round, at; /* next ones to write */
    const struct orr_p2p_round *schedule;
    uint32_t count; /* rounds of the present rank */
};

static bool is_outside(uint32_t at, struct orr_range range)
{
    return at < range.first || at > range.last;
}

static void end_object(struct p2p_stream *s)
{
    orr_stream_end(&s->json, '}');
    if (s->lines)
        orr_stream_line(&s->json);
}

static void put_range(struct p2p_stream *s, const char *name, struct orr_range range)
{
    orr_stream_begin(&s->json, name, '[');
    orr_stream_int(&s->json, (int32_t)range.first);
    orr_stream_int(&s->json, (int32_t)range.last);
    orr_stream_end(&s->json, ']');
}

static void put_head(struct p2p_stream *s)
{
    const struct orr_communicator *c = &s->window.analysis->communicator;
    orr_stream_begin(&s->json, NULL, '{');
    ORR_STREAM_SET(&s->json, ORR_STRING("nccl", s->window.analysis->query.settings.release->name),
                   ORR_INT("hosts", s->window.analysis->query.hosts), ORR_INT("ranks", c->rank_count),
                   ORR_INT("nodes", c->node_count), ORR_INT("p2p_channels", c->p2p_channels),
                   ORR_INT("p2p_channels_per_peer", c->p2p_channels_per_peer));
    orr_stream_begin(&s->json, "window", '{');
    put_range(s, "ranks", s->window.ranks);
    put_range(s, "rounds", s->window.rounds);
    orr_stream_end(&s->json, '}');
    s->part = WORLD_END;
    if (!s->window.groups) {
        orr_stream_null(&s->json, "group");
        return;
    }
    const struct orr_groups_of_kind *of_kind = &s->window.groups->kinds[0];
    orr_stream_begin(&s->json, "group", '{');
    ORR_STREAM_SET(&s->json, ORR_STRING("kind", orr_group_kind_name(of_kind->kind)),
                   ORR_INT("number", of_kind->shapes[0].first), ORR_INT("of", of_kind->count));
    orr_stream_begin(&s->json, "world", '[');
    s->part = WORLD;
}

/* The rank in the whole cluster of each rank of the group. */
static void put_world(struct p2p_stream *s)
{
    const struct orr_groups_of_kind *of_kind = &s->window.groups->kinds[0];
    while (s->at < of_kind->size && !orr_stream_full(&s->json))
        orr_stream_int(&s->json, (int32_t)of_kind->shapes[0].ranks[s->at++]);
    if (s->at < of_kind->size)
        return;
    orr_stream_end(&s->json, ']');
    orr_stream_end(&s->json, '}');
    s->part = WORLD_END;
}

static void begin_schedule(struct p2p_stream *s)
{
    if (s->lines)
        end_object(s);
    else
        orr_stream_begin(&s->json, "schedule", '[');
    s->part = RANK;
}

static void begin_rank(struct p2p_stream *s)
{
    if (s->rank > s->window.ranks.last) {
        s->part = END;
        return;
    }
    s->schedule = orr_transfers_turn(s->window.transfers, (int32_t)s->rank, &s->count);
    orr_stream_begin(&s->json, NULL, '{');
    ORR_STREAM_SET(&s->json, ORR_INT("rank", s->rank),
                   ORR_INT("node", s->window.analysis->communicator.node_of_rank[s->rank]), ORR_INT("count", s->count),
                   ORR_WHEN(s->lines, ORR_INT("done", s->rank - s->window.ranks.first + 1)),
                   ORR_WHEN(s->lines, ORR_INT("of", s->window.ranks.last - s->window.ranks.first + 1)));
    if (s->lines)
        end_object(s);
    else
        orr_stream_begin(&s->json, "rounds", '[');
    s->round = s->window.rounds.first;
    s->part = ROUND;
}

static void end_rank(struct p2p_stream *s)
{
    if (!s->lines) {
        orr_stream_end(&s->json, ']');
        orr_stream_end(&s->json, '}');
    }
    s->rank++;
    s->part = RANK;
}

/* One for all channels, or one for each if they differ. */
static void put_nics(struct p2p_stream *s, const struct orr_p2p_round *round, int32_t peer, bool sending)
{
    const struct orr_communicator *c = &s->window.analysis->communicator;
    int32_t parts = round->channel < 0 ? 1 : c->p2p_channels_per_peer;
    struct orr_transfer_nic nics[ORR_MAX_CHANNELS];
    bool found[ORR_MAX_CHANNELS] = {false}, differ = false;
    for (int32_t u = 0; u < parts; u++) {
        found[u] =
            orr_transfer_nic(s->window.transfers, peer, sending, orr_p2p_channel(c, round->channel, u), &nics[u]);
        differ = differ || found[u] != found[0] || (found[u] && !orr_same_nic(&nics[u], &nics[0]));
    }
    orr_stream_begin(&s->json, "nics", '[');
    for (int32_t u = 0; u < (differ ? parts : 1); u++) {
        char id[ORR_NODE_ID_SIZE];
        if (!found[u]) {
            orr_stream_null(&s->json, NULL);
            continue;
        }
        orr_stream_begin(&s->json, NULL, '{');
        ORR_STREAM_SET(
            &s->json, ORR_STRING("net", orr_node_id_format(ORR_NET, nics[u].net, id)), ORR_INT("proxy", nics[u].proxy),
            ORR_STRING("path", orr_path_type_name((enum orr_path_type)nics[u].path)), ORR_INT("gdr", nics[u].gdr));
        orr_stream_end(&s->json, '}');
    }
    orr_stream_end(&s->json, ']');
}

static void put_way(struct p2p_stream *s, const struct orr_p2p_round *round, bool sending)
{
    int32_t peer = sending ? round->send : round->receive;
    const char *key = sending ? "send" : "receive";
    if (peer < 0) {
        orr_stream_null(&s->json, key);
        return;
    }
    struct orr_transfer_way way = orr_transfer_way(s->window.transfers, peer, sending);
    bool p2p = way.transport == ORR_OVER_P2P;
    orr_stream_begin(&s->json, key, '{');
    ORR_STREAM_SET(&s->json, ORR_INT("rank", peer), ORR_STRING("transport", orr_transport_name(way.transport)),
                   ORR_STRING("path", orr_path_type_name((enum orr_path_type)way.path)),
                   ORR_WHEN(p2p, ORR_BOOL("read", way.read)), ORR_WHEN(p2p, ORR_INT("via", way.via)));
    if (way.transport == ORR_OVER_NET)
        put_nics(s, round, peer, sending);
    orr_stream_end(&s->json, '}');
}

static void put_channels(struct p2p_stream *s, int32_t first)
{
    const struct orr_communicator *c = &s->window.analysis->communicator;
    if (first < 0) {
        orr_stream_null(&s->json, "channels");
        return;
    }
    orr_stream_begin(&s->json, "channels", '[');
    for (int32_t u = 0; u < c->p2p_channels_per_peer; u++)
        orr_stream_int(&s->json, orr_p2p_channel(c, first, u));
    orr_stream_end(&s->json, ']');
}

static void put_round(struct p2p_stream *s)
{
    if (s->round >= s->count || is_outside(s->round, s->window.rounds)) {
        s->part = RANK_END;
        return;
    }
    const struct orr_p2p_round *round = &s->schedule[s->round];
    orr_stream_begin(&s->json, NULL, '{');
    ORR_STREAM_SET(&s->json, ORR_INT("round", s->round++));
    put_channels(s, round->channel);
    put_way(s, round, true);
    put_way(s, round, false);
    end_object(s);
}

static void put_end(struct p2p_stream *s)
{
    if (s->lines) {
        orr_stream_begin(&s->json, NULL, '{');
        ORR_STREAM_SET(&s->json, ORR_BOOL("end", true));
    } else {
        orr_stream_end(&s->json, ']');
    }
    orr_stream_end(&s->json, '}');
    orr_stream_line(&s->json);
}

static enum orr_stream_step step(struct orr_json_stream *json)
{
    static void (*const parts[])(struct p2p_stream *) = {
        [HEAD] = put_head,   [WORLD] = put_world, [WORLD_END] = begin_schedule,
        [RANK] = begin_rank, [ROUND] = put_round, [RANK_END] = end_rank,
        [END] = put_end};
    struct p2p_stream *s = (struct p2p_stream *)json;
    enum part part = s->part;
    parts[part](s);
    return part == END ? ORR_STEP_END : ORR_STEP_MORE;
}

static void free_p2p(struct orr_stream *stream)
{
    struct p2p_stream *s = (struct p2p_stream *)stream;
    orr_p2p_window_close(&s->window);
    orr_shared_give(s->owner);
    free(s);
}

static enum orr_code bad_wish(const char *name, const char *value, const char *what, struct orr_error *err)
{
    return orr_fail_with(err, ORR_SETTING, name, NULL, "%s must be %s, not \"%.40s\"", name, what, value);
}

static const char *read_digits(const char *text, uint32_t *ret_number)
{
    char *end;
    unsigned long value = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : UINT32_MAX;
    if (value > INT32_MAX)
        return NULL;
    *ret_number = (uint32_t)value;
    return end;
}

/* Reads "3" or "0-7", only numbers below `most`; NULL means all. */
static enum orr_code read_range(const char *name, const char *text, uint32_t most, struct orr_range *ret_range,
                                struct orr_error *err)
{
    *ret_range = (struct orr_range){0, most - 1};
    if (!text)
        return ORR_OK;
    const char *end = read_digits(text, &ret_range->first);
    ret_range->last = ret_range->first;
    if (end && *end == '-')
        end = read_digits(end + 1, &ret_range->last);
    if (!end || *end || ret_range->last < ret_range->first)
        return bad_wish(name, text, "a number or a range such as 0-7", err);
    if (ret_range->first >= most)
        return orr_fail_with(err, ORR_SETTING, name, NULL, "%s begins with %u, but the last one is %u", name,
                             ret_range->first, most - 1);
    ret_range->last = ret_range->last < most ? ret_range->last : most - 1;
    return ORR_OK;
}

/* "ep:3" of a layout. */
static enum orr_code choose_group(struct orr_p2p_window *window, const struct orr_cluster *cluster,
                                  const struct orr_params *wish, struct orr_error *err)
{
    struct orr_layout layout;
    uint32_t number = 0, kind = 0;
    const char *colon = wish->group ? strchr(wish->group, ':') : NULL;
    if (!wish->layout && !wish->group)
        return ORR_OK;
    if (!cluster)
        return bad_wish("group", wish->group, "left out, because only clusters have groups", err);
    if (!wish->layout)
        return bad_wish("layout", "", "given together with a group, such as tp=8,dp=4", err);
    if (!colon)
        return bad_wish("group", wish->group ? wish->group : "", "a kind and a number, such as ep:0", err);
    ORR_TRY(orr_layout_read(wish->layout, cluster->rank_count, &layout, err));
    const char *end = read_digits(colon + 1, &number);
    size_t length = (size_t)(colon - wish->group);
    while (kind < ORR_GROUP_KIND_COUNT &&
           (strlen(orr_group_kind_name((enum orr_group_kind)kind)) != length ||
            strncmp(orr_group_kind_name((enum orr_group_kind)kind), wish->group, length) != 0))
        kind++;
    if (kind == ORR_GROUP_KIND_COUNT || !end || *end)
        return bad_wish("group", wish->group, "tp, cp, dp, pp, ep or edp with a number, such as ep:0", err);
    enum orr_code code = orr_group_analyze(cluster, &layout, (enum orr_group_kind)kind, number, &window->groups, err);
    if (code == ORR_SETTING)
        orr_error_where(err, "group");
    ORR_TRY(code);
    window->analysis = window->groups->kinds[0].shapes[0].cluster->analysis;
    return ORR_OK;
}

static enum orr_code open_window(struct orr_p2p_window *window, const struct orr_cluster *cluster,
                                 const struct orr_params *wish, bool brief, struct orr_error *err)
{
    ORR_TRY(choose_group(window, cluster, wish, err));
    ORR_TRY(read_range("ranks", wish->ranks, window->analysis->communicator.rank_count, &window->ranks, err));
    if (brief && !wish->ranks)
        window->ranks.last = 0;
    ORR_TRY(orr_transfers_new(window->analysis, &window->transfers, err));
    uint32_t rounds = (uint32_t)orr_transfers_rounds(window->transfers), most = ORR_MAX_P2P_ANSWER / rounds;
    uint32_t wanted = window->ranks.last - window->ranks.first + 1;
    if (wanted > most) {
        orr_fail(err, ORR_LIMIT, "%u ranks of %u rounds are too many for one answer", wanted, rounds);
        orr_error_where(err, "ranks");
        orr_error_advice(err, "ask for %u or fewer at a time, such as ranks 0-%u", most, most - 1);
        return ORR_LIMIT;
    }
    return read_range("rounds", wish->rounds, rounds, &window->rounds, err);
}

enum orr_code orr_p2p_window_open(const struct orr_analysis *analysis, const struct orr_cluster *cluster,
                                  const struct orr_params *wish, bool brief, struct orr_p2p_window *ret_window,
                                  struct orr_error *err)
{
    *ret_window = (struct orr_p2p_window){.analysis = analysis};
    enum orr_code code = open_window(ret_window, cluster, wish, brief, err);
    if (code != ORR_OK)
        orr_p2p_window_close(ret_window);
    return code;
}

void orr_p2p_window_close(struct orr_p2p_window *window)
{
    orr_transfers_free(window->transfers);
    orr_groups_free(window->groups);
    *window = (struct orr_p2p_window){0};
}

enum orr_code orr_p2p_stream(const struct orr_analysis *analysis, const struct orr_cluster *cluster,
                             const struct orr_params *wish, bool lines, struct orr_shared *owner,
                             struct orr_stream **ret_stream, struct orr_error *err)
{
    struct p2p_stream *s = calloc(1, sizeof *s);
    if (!s) {
        orr_shared_give(owner);
        return orr_fail_nomem(err);
    }
    orr_json_stream_init(&s->json, step, free_p2p);
    s->owner = owner;
    s->lines = lines;
    enum orr_code code = orr_p2p_window_open(analysis, cluster, wish, false, &s->window, err);
    s->rank = s->window.ranks.first;
    if (code != ORR_OK) {
        free_p2p(&s->json.stream);
        return code;
    }
    *ret_stream = &s->json.stream;
    return ORR_OK;
}
