/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about small machines, alone or several in one communicator, put to a release, to the one before it, and to
 * mixtures of the two. Needs the whatif room and what is below it. */
#ifndef ORR_TEST_BOUNDARY_QUESTIONS_H
#define ORR_TEST_BOUNDARY_QUESTIONS_H

#include "engine/base/hash.h"
#include "engine/cluster/again.h"
#include "engine/cluster/cluster.h"
#include "engine/cluster/transfers.h"
#include "engine/topology/graph_file.h"
#include "engine/whatif/facts.h"
#include "engine/whatif/steps.h"
#include "tests/support/boundary_machines.h"
#include "tests/support/golden_text.h"

enum { MOST_PARTS = 4 };

/* A question about one machine, or about several in one communicator, without the release. */
struct question {
    struct orr_dump *dumps[MOST_PARTS];
    char domains[MOST_PARTS][16]; /* "" if in no NVLink domain */
    struct orr_fabric fabrics[MOST_PARTS];
    uint32_t parts;
    uint32_t hosts;       /* of each machine */
    const char *settings; /* "NAME=value NAME=value", or ""; --fuse-nics=always is one, too */
};

/* What a release, or a mixture of two, answers. */
struct answer {
    enum orr_code code;
    struct orr_analysis *analysis; /* NULL if refused */
    struct orr_arena *arena;
    struct orr_facts facts;
    uint64_t transfers; /* a digest */
};

/* One question with the two neighbours' answers, for many behaviours. */
struct sides {
    const struct question *question;
    struct orr_query query[2]; /* of the older release, of the newer */
    struct answer answer[2];
};

/* A dump with the graph file that follows it, if one does; NULL if NCCL's reader would refuse it. */
static inline struct orr_dump *read_with_graphs(const char *text)
{
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    const char *graphs = strstr(text, "<graphs");
    size_t length = graphs ? (size_t)(graphs - text) : strlen(text);
    if (orr_dump_read(text, length, NULL, &dump, &err) != ORR_OK)
        return NULL;
    if (graphs)
        assert_ok(orr_graph_file_read(graphs, strlen(graphs), 1, dump->arena, &dump->graphs, &err), &err);
    return dump;
}

/* The suffix of the name of machine i: "", "@DOMAIN" or "@DOMAIN/CLIQUE". */
static inline void set_domain(struct question *question, uint32_t i, const char *suffix)
{
    const char *clique = strchr(suffix, '/');
    if (*suffix != '@')
        return;
    int length = (int)strcspn(suffix + 1, "/");
    snprintf(question->domains[i], sizeof question->domains[i], "%.*s", length, suffix + 1);
    question->fabrics[i] = (struct orr_fabric){
        .state = ORR_FABRIC_COMPLETED,
        .has_uuid = true,
        .uuid = {orr_hash_text(ORR_HASH_START, question->domains[i]), 1},
        .clique = clique ? (uint32_t)atoi(clique + 1) : 0,
    };
}

/* One machine of a communicator with its domain: a small one, or a file. */
static inline void read_part(char *name, struct question *question)
{
    uint32_t i = question->parts++;
    char *domain = strchr(name, '@');
    assert_true(i < MOST_PARTS);
    set_domain(question, i, domain ? domain : "");
    if (domain)
        *domain = '\0';
    const char *made = small_machine(name);
    char *file = made ? NULL : golden_read(name);
    question->dumps[i] = read_with_graphs(made ? made : file);
    if (!question->dumps[i])
        fail_msg("the machine %s cannot be read", name);
    free(file);
}

/* Machines are joined by " + ". */
static inline struct question read_question(const char *machines)
{
    struct question question = {.hosts = 1, .settings = ""};
    char *text = strdup(machines), *next = text;
    while (next) {
        char *name = next, *end = strstr(next, " + ");
        next = end ? end + 3 : NULL;
        if (end)
            *end = '\0';
        read_part(name, &question);
    }
    free(text);
    return question;
}

static inline void forget_question(struct question *question)
{
    while (question->parts)
        orr_dump_free(question->dumps[--question->parts]);
}

/* The question as one release is asked it. */
static inline void give(struct orr_query *query, const struct question *question, const struct orr_release *release)
{
    struct orr_error err = {0};
    char text[512], *rest = text;
    *query = (struct orr_query){.hosts = question->hosts};
    orr_settings_init(&query->settings, release);
    snprintf(text, sizeof text, "%s", question->settings);
    for (char *pair; (pair = strtok_r(rest, " ", &rest));) {
        char *value = strchr(pair, '=');
        assert_non_null(value);
        *value++ = '\0';
        if (!strcmp(pair, "--fuse-nics"))
            query->settings.fuse_nics = ORR_FUSE_ALWAYS;
        else
            assert_ok(orr_settings_set(&query->settings, pair, value, &err), &err);
    }
}

/* The rounds of some ranks, what each transfer goes over, and by which NICs; facts go without. */
static inline uint64_t digest_transfers(const struct orr_analysis *analysis)
{
    enum { RANKS = 6 };
    struct orr_error err = {0};
    struct orr_transfers *transfers;
    uint64_t digest = ORR_HASH_START;
    assert_ok(orr_transfers_new(analysis, &transfers, &err), &err);
    for (uint32_t i = 0; i < RANKS && i < analysis->ranks; i++) {
        uint32_t count;
        const struct orr_p2p_round *rounds = orr_transfers_turn(transfers, (int32_t)i, &count);
        for (uint32_t r = 0; r < count; r++) {
            const int32_t peers[] = {rounds[r].send, rounds[r].receive};
            digest = orr_hash_number(digest, (uint64_t)rounds[r].channel);
            for (int side = 0; side < 2; side++) {
                struct orr_transfer_nic nic = {.proxy = -1};
                digest = orr_hash_number(digest, (uint64_t)peers[side]);
                if (peers[side] < 0)
                    continue;
                struct orr_transfer_way way = orr_transfer_way(transfers, peers[side], !side);
                digest = orr_hash_number(digest, (uint64_t)way.via * 256 + way.path);
                digest = orr_hash_number(digest, (uint64_t)way.transport * 2 + way.read);
                if (!orr_transfer_nic(transfers, peers[side], !side, 0, &nic))
                    continue;
                digest = orr_hash_number(digest, (uint64_t)nic.net);
                digest = orr_hash_number(digest, (uint64_t)nic.proxy * 256 + nic.path);
            }
        }
    }
    orr_transfers_free(transfers);
    return digest;
}

static inline enum orr_code analyse_together(const struct question *question, const struct orr_query *query,
                                             struct orr_analysis **ret_analysis, struct orr_error *err)
{
    struct orr_cluster_line lines[MOST_PARTS];
    struct orr_cluster *cluster = NULL;
    for (uint32_t i = 0; i < question->parts; i++) {
        bool in_domain = question->domains[i][0] != '\0';
        lines[i] = (struct orr_cluster_line){.dump = question->dumps[i],
                                             .count = question->hosts,
                                             .domain = in_domain ? question->domains[i] : NULL,
                                             .fabric = in_domain ? &question->fabrics[i] : NULL};
    }
    const struct orr_cluster_request request = {
        .lines = lines, .line_count = question->parts, .settings = query->settings};
    enum orr_code code = orr_cluster_analyze(&request, &cluster, err);
    *ret_analysis = code == ORR_OK ? cluster->analysis : NULL;
    return code;
}

static inline void ask(const struct question *question, const struct orr_query *query, struct answer *ret_answer)
{
    struct orr_error err = {0};
    bool alone = question->parts == 1 && !question->domains[0][0];
    *ret_answer = (struct answer){.arena = orr_arena_new(0)};
    assert_non_null(ret_answer->arena);
    ret_answer->code = alone ? orr_analyze(question->dumps[0], query, NULL, &ret_answer->analysis, &err)
                             : analyse_together(question, query, &ret_answer->analysis, &err);
    ret_answer->analysis = ret_answer->code == ORR_OK ? ret_answer->analysis : NULL;
    if (ret_answer->analysis) {
        assert_ok(orr_facts_of(ret_answer->analysis, ret_answer->arena, &ret_answer->facts, &err), &err);
        ret_answer->transfers = digest_transfers(ret_answer->analysis);
    }
}

static inline void forget_answer(struct answer *answer)
{
    orr_analysis_again_free(answer->analysis);
    orr_arena_free(answer->arena);
    *answer = (struct answer){.code = ORR_OK};
}

static inline void ask_both(const struct question *question, const struct orr_release *release, struct sides *sides)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    assert_true(release > all && release < all + count);
    sides->question = question;
    for (int side = 0; side < 2; side++) {
        give(&sides->query[side], question, side ? release : release - 1);
        ask(question, &sides->query[side], &sides->answer[side]);
    }
}

static inline void forget_sides(struct sides *sides)
{
    forget_answer(&sides->answer[0]);
    forget_answer(&sides->answer[1]);
}

static inline bool facts_differ(const struct orr_facts *a, const struct orr_facts *b)
{
    if (a->count != b->count)
        return true;
    for (size_t i = 0; i < a->count; i++)
        if (orr_fact_compare(&a->rows[i], &b->rows[i]) || a->rows[i].value != b->rows[i].value)
            return true;
    return false;
}

/* Ids of nodes, and links in their order, which facts go without. */
static inline bool hardware_differs(const struct orr_system *a, const struct orr_system *b)
{
    if (a->node_count != b->node_count || a->link_count != b->link_count)
        return true;
    for (uint32_t i = 0; i < a->node_count; i++)
        if (a->nodes[i].id != b->nodes[i].id || a->nodes[i].link_count != b->nodes[i].link_count)
            return true;
    for (uint32_t i = 0; i < a->link_count; i++)
        if (a->links[i].type != b->links[i].type || a->links[i].to != b->links[i].to ||
            orr_fact_of_float(a->links[i].bw) != orr_fact_of_float(b->links[i].bw))
            return true;
    return false;
}

/* Words that documents print of equal things: the names of graphs and of path types, why NVLS is on or off. */
static inline bool words_differ(const struct orr_analysis *a, const struct orr_analysis *b)
{
    const struct orr_release *own = a->query.settings.release, *other = b->query.settings.release;
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++)
        if (strcmp(orr_graph_name(own, (enum orr_graph_kind)kind), orr_graph_name(other, (enum orr_graph_kind)kind)))
            return true;
    const struct orr_part *x = a->parts, *y = b->parts;
    uint32_t gpus = orr_system_count(&x->system, ORR_GPU), first = x->system.first[ORR_GPU];
    if (gpus != orr_system_count(&y->system, ORR_GPU) || x->contribution.nvls_rule != y->contribution.nvls_rule)
        return true;
    for (uint32_t i = 0; i < gpus * gpus; i++) {
        uint32_t type = orr_path(&x->paths, first + i / gpus, first + i % gpus)->type;
        if (strcmp(orr_path_type_shown(own, type), orr_path_type_shown(other, type)) != 0)
            return true;
    }
    return false;
}

/* Threads and channels of the choices, and times, which facts go without. */
static inline bool choices_differ(const struct orr_analysis *a, const struct orr_analysis *b)
{
    if (memcmp(a->tuning.max_threads, b->tuning.max_threads, sizeof a->tuning.max_threads) != 0)
        return true;
    for (int f = 0; f < ORR_FUNCTION_COUNT; f++)
        for (int bits = 3; bits < 36; bits++) {
            struct orr_choice x = {0}, y = {0};
            uint64_t bytes = (uint64_t)1 << bits;
            orr_tuning_choose(&a->tuning, &a->communicator, &a->query.settings, (enum orr_function)f, bytes, &x);
            orr_tuning_choose(&b->tuning, &b->communicator, &b->query.settings, (enum orr_function)f, bytes, &y);
            if (x.algorithm != y.algorithm || x.protocol != y.protocol || x.channels != y.channels ||
                x.threads != y.threads || orr_fact_of_float(x.time) != orr_fact_of_float(y.time))
                return true;
        }
    return false;
}

/* A refusal counts only if the release that has the behaviour also refuses, or if the reason is a limit. */
static inline bool differs(const struct answer *own, const struct answer *mixed, const struct answer *other)
{
    if (!own->analysis || !mixed->analysis)
        return !own->analysis != !mixed->analysis && (mixed->code == other->code || mixed->code == ORR_LIMIT);
    return own->transfers != mixed->transfers || facts_differ(&own->facts, &mixed->facts) ||
           choices_differ(own->analysis, mixed->analysis) || words_differ(own->analysis, mixed->analysis) ||
           hardware_differs(&own->analysis->built, &mixed->analysis->built);
}

/* The row of a behaviour. A list takes its length along: the step of the length is that of its list. */
static inline bool find_behaviour(const char *name, struct orr_behaviour *ret_behaviour)
{
    if (!strcmp(name, "path_type_count"))
        name = "path_types";
    if (!strcmp(name, "tuning.algorithm_count"))
        name = "tuning.names";
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        orr_behaviour_get(i, ret_behaviour);
        if (!strcmp(ret_behaviour->name, name))
            return true;
    }
    return false;
}

/* The query of side `own` with one behaviour of the other side. A setting that the older release does not know is put
 * back by leaving it out. */
static inline void mix(const struct sides *sides, int own, const struct orr_behaviour *behaviour,
                       struct orr_mixture *ret_mixture)
{
    struct orr_step step = {.behaviour = *behaviour};
    struct orr_way way = {.from = &sides->query[own], .to = &sides->query[!own], .steps = &step, .count = 1};
    struct orr_error err = {0};
    orr_way_mix(&way, 1, ret_mixture);
    if (behaviour->kind == ORR_BEHAVIOUR_SETTING &&
        !orr_setting_in(behaviour->setting, sides->query[!own].settings.release))
        assert_ok(orr_settings_set(&ret_mixture->query.settings, behaviour->name, "", &err), &err);
}

/* Whether the behaviour of the other side changes what side `own` answers. */
static inline bool has_effect(const struct sides *sides, int own, const struct orr_behaviour *behaviour)
{
    static struct orr_mixture mixture;
    struct answer mixed;
    mix(sides, own, behaviour, &mixture);
    ask(sides->question, &mixture.query, &mixed);
    bool found = differs(&sides->answer[own], &mixed, &sides->answer[!own]);
    forget_answer(&mixed);
    return found;
}

#endif
