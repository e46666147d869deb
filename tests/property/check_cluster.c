/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster made of one machine: lines that take some of its GPUs in any order, ranks by block, turn or list, hosts
 * that share an NVLink domain. What holds of channels holds of its channels; each host has as many ranks as GPUs that
 * take part; what says who sets what is true; rings put on NICs what they take from them. */
#include <stdlib.h>
#include <string.h>

#include "api/documents/documents.h"
#include "engine/cluster/setters.h"
#include "engine/cluster/traffic.h"
#include "tests/property/chance.h"
#include "tests/property/checks.h"

enum { MOST_LINES = 4, MOST_COUNT = 3, MOST_GPUS = 128 };

struct made {
    struct orr_cluster_line lines[MOST_LINES];
    uint32_t gpus[MOST_LINES][MOST_GPUS];
    struct orr_fabric fabrics[MOST_LINES];
    uint32_t *host_of_rank;
    struct orr_cluster_request request;
};

static void shuffle(struct chance *chance, uint32_t *values, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = chance_below(chance, i), kept = values[i - 1];
        values[i - 1] = values[j];
        values[j] = kept;
    }
}

static bool make(struct chance *chance, const struct orr_analysis *a, struct made *made)
{
    uint32_t ranks = 0, hosts = 0, lines = 1 + chance_below(chance, MOST_LINES);
    bool in_fabric = chance_percent(chance, 40); /* one host without keeps all apart */
    for (uint32_t l = 0; l < lines; l++) {
        struct orr_cluster_line *line = &made->lines[l];
        *line = (struct orr_cluster_line){.dump = a->dump, .count = 1 + chance_below(chance, MOST_COUNT)};
        if (chance_percent(chance, in_fabric ? 90 : 30))
            line->domain = chance_percent(chance, 70) ? "a" : "b";
        if (chance_percent(chance, in_fabric ? 50 : 10)) {
            bool late = chance_percent(chance, 10);
            made->fabrics[l] = (struct orr_fabric){.state = late ? ORR_FABRIC_NOT_STARTED : ORR_FABRIC_COMPLETED,
                                                   .has_uuid = true,
                                                   .uuid = {chance_below(chance, 3), 0},
                                                   .clique = chance_below(chance, 2)};
            line->fabric = &made->fabrics[l];
        }
        line->gpu_count = a->local_ranks;
        if (chance_percent(chance, 60)) {
            for (uint32_t g = 0; g < a->local_ranks; g++)
                made->gpus[l][g] = g;
            shuffle(chance, made->gpus[l], a->local_ranks);
            line->gpus = made->gpus[l];
            line->gpu_count = 1 + chance_below(chance, a->local_ranks);
        }
        ranks += line->count * line->gpu_count;
        hosts += line->count;
    }
    made->host_of_rank = calloc(ranks + hosts, sizeof *made->host_of_rank);
    if (!made->host_of_rank)
        return false;
    uint32_t rank = 0, host = 0;
    for (uint32_t l = 0; l < lines; l++)
        for (uint32_t i = 0; i < made->lines[l].count; i++, host++)
            for (uint32_t g = 0; g < made->lines[l].gpu_count; g++)
                made->host_of_rank[rank++] = host;
    shuffle(chance, made->host_of_rank, ranks);
    made->request = (struct orr_cluster_request){.lines = made->lines,
                                                 .line_count = lines,
                                                 .order = (enum orr_rank_order)chance_below(chance, 3),
                                                 .host_of_rank = made->host_of_rank,
                                                 .listed_ranks = ranks,
                                                 .settings = a->query.settings};
    return true;
}

/* Every rank is on one host, ascending there; a list is kept to. */
static bool check_places(const struct orr_cluster *c, const struct made *made, struct orr_error *err)
{
    uint32_t total = 0;
    for (uint32_t h = 0; h < c->host_count; h++)
        for (uint32_t g = 0; g < c->hosts[h].rank_count; g++, total++) {
            int32_t rank = c->hosts[h].ranks[g];
            if (rank < 0 || (uint32_t)rank >= c->rank_count || (g && rank <= c->hosts[h].ranks[g - 1]))
                return WRONG(err, "GPU %u of host %u has rank %d", g, h, rank);
            if (c->order == ORR_ORDER_LIST && made->host_of_rank[rank] != h)
                return WRONG(err, "rank %d is on host %u, not %u", rank, h, made->host_of_rank[rank]);
        }
    return total == c->rank_count ? true : WRONG(err, "%u of %u ranks are on hosts", total, c->rank_count);
}

/* If all share a value, somebody brought it. Old releases let it differ, see engine/connect/README.md. */
static bool check_setters(const struct orr_cluster *c, struct orr_error *err)
{
    int32_t least = INT32_MAX;
    for (uint32_t k = 0; k < c->kind_count; k++) {
        int32_t own = orr_kind_channels(&c->kinds[k]);
        least = own < least ? own : least;
    }
    /* Each of ring and tree is the least of all by itself. */
    return c->analysis->communicator.base_channels <= least
               ? true
               : WRONG(err, "%d channels, though a host has %d", c->analysis->communicator.base_channels, least);
}

static bool check_traffic(const struct orr_cluster *c, struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_traffic traffic;
    bool good = arena && orr_ring_traffic(c, arena, &traffic, err) == ORR_OK;
    double in = 0, out = 0;
    for (uint32_t i = 0; good && i < traffic.nic_count; i++) {
        in += traffic.nics[i].in * c->kinds[traffic.nics[i].kind].system_count;
        out += traffic.nics[i].out * c->kinds[traffic.nics[i].kind].system_count;
    }
    const struct orr_communicator *comm = &c->analysis->communicator;
    double most = comm->node_count > 1 ? (double)comm->node_count * comm->base_channels : 0;
    if (good &&
        (in > most + 1e-6 || out > most + 1e-6 || traffic.hops > (uint64_t)most || traffic.crossing > traffic.hops))
        good = WRONG(err, "%g channels enter and %g leave by NICs, of %g; %llu hops", in, out, most,
                     (unsigned long long)traffic.hops);
    return good;
}

/* Hosts share a system if they are of one clique and nothing keeps them apart, and only there. */
static bool check_systems(const struct orr_cluster *c, struct orr_error *err)
{
    const struct orr_fabrics *f = &c->fabrics;
    for (uint32_t x = 0; x < c->host_count; x++)
        for (uint32_t y = 0; y < x; y++) {
            bool one_clique = f->clique_of_line[c->hosts[x].line] == f->clique_of_line[c->hosts[y].line];
            bool together = f->rule == ORR_MNNVL_RULE_ON && one_clique;
            if ((c->hosts[x].system == c->hosts[y].system) != together)
                return WRONG(err, "hosts %u and %u, rule %s: %s one system", y, x, orr_mnnvl_rule_name(f->rule),
                             together ? "not" : "but");
        }
    for (uint32_t l = 0; f->rule == ORR_MNNVL_RULE_ON && l < c->line_count; l++)
        if (f->of_line[l].state != ORR_FABRIC_COMPLETED)
            return WRONG(err, "hosts[%u] has no completed fabric", l);
    return true;
}

static bool check_section(const struct orr_cluster *c, struct orr_error *err)
{
    ORR_LOCAL_TEXT(text, 1 << 24);
    bool good = orr_analysis_json(c->analysis, "x", "cluster", false, &text, err) == ORR_OK &&
                orr_analysis_json(c->analysis, "x", "findings", false, &text, err) == ORR_OK;
    return good;
}

bool check_cluster(const struct orr_analysis *a, uint64_t seed, struct tally *tally, struct orr_error *err)
{
    struct chance chance = {.state = seed ^ 0x636c7573746572u};
    static struct made made;
    struct orr_error why = {0};
    struct orr_cluster *c = NULL;
    bool good = true;
    if (a->local_ranks > MOST_GPUS)
        return true;
    if (!make(&chance, a, &made))
        return WRONG(err, "out of memory");
    enum orr_code code = orr_cluster_analyze(&made.request, &c, &why);
    if (code == ORR_OK) {
        good = check_places(c, &made, err) && check_systems(c, err) && check_channels(c->analysis, tally, err) &&
               check_setters(c, err) && check_traffic(c, err) && check_transfers(c->analysis, tally, err) &&
               check_section(c, err) && (seed % 4 || check_order(c, tally, err));
        tally->clusters++;
        tally->fused += c->system_count < c->host_count;
        orr_cluster_free(c);
    } else if (code == ORR_INTERNAL || code == ORR_NOMEM) {
        good = WRONG(err, "cluster: %s", why.text);
    }
    free(made.host_of_rank);
    return good;
}
