/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the log's ranks in the dump: which GPUs they use, in which order, and on how many hosts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/log_comparing/dump_edit.h"
#include "engine/log_comparing/trial.h"
#include "engine/nics/combine.h"
#include "engine/topology/pci.h"

enum { NONE = UINT32_MAX };

enum { GPUS_MOST = 256 };

struct matching {
    struct orr_log_check *check;
    const struct orr_dump *dump;
    struct orr_log_local_rank ranks[GPUS_MOST]; /* ranks of the first host */
    uint32_t local;                             /* number of these ranks; 0 if unknown */
    uint32_t with_bus_id;                       /* this many of the first ones have a bus id */
    uint32_t gpus[GPUS_MOST];                   /* elements: GPUs with a rank, by rank; if none has one, all in order */
    uint32_t gpu_count;
    bool ranked, fused;        /* GPUs have ranks; the dump holds several hosts */
    int32_t chosen[GPUS_MOST]; /* [local rank]: place in gpus, -1 if there is none */
};

/* Bus ids of one host's ranks are all different: the first one that comes again belongs to the next host. */
static uint32_t until_repeated(const struct matching *m, uint32_t ranks)
{
    for (uint32_t r = 1; r < ranks && r < GPUS_MOST; r++)
        if (m->ranks[r].bus_id == m->ranks[0].bus_id)
            return r;
    return ranks;
}

static const char *bus_id_of(const struct orr_dump *dump, uint32_t element)
{
    const char *bus_id = NULL;
    for (; element != ORR_NO_ELEMENT && !bus_id; element = dump->elements[element].parent)
        bus_id = orr_element_text(dump, element, ORR_ATTR_BUSID);
    return bus_id;
}

static uint64_t bus_number_of(const struct orr_dump *dump, uint32_t element)
{
    const char *text = bus_id_of(dump, element);
    return text ? orr_bus_id_parse(text) : 0;
}

static void read_gpus(struct matching *m)
{
    const struct orr_dump *dump = m->dump;
    const char *host = NULL;
    for (uint32_t e = 0; e < dump->element_count; e++)
        m->ranked |= dump->elements[e].kind == ORR_ELEMENT_GPU && orr_element_text(dump, e, ORR_ATTR_RANK);
    for (uint32_t e = 0; e < dump->element_count; e++) {
        if (dump->elements[e].kind == ORR_ELEMENT_CPU) {
            const char *hash = orr_element_text(dump, e, ORR_ATTR_HOST_HASH);
            m->fused |= hash && host && strcmp(hash, host) != 0;
            host = hash ? hash : host;
        }
        if (dump->elements[e].kind != ORR_ELEMENT_GPU || m->gpu_count == GPUS_MOST ||
            (m->ranked && !orr_element_text(dump, e, ORR_ATTR_RANK)))
            continue;
        int32_t rank = orr_element_int(dump, e, ORR_ATTR_RANK, 0);
        uint32_t at = m->gpu_count++;
        for (; m->ranked && at > 0 && orr_element_int(dump, m->gpus[at - 1], ORR_ATTR_RANK, 0) > rank; at--)
            m->gpus[at] = m->gpus[at - 1];
        m->gpus[at] = e;
    }
}

/* Matches GPUs by bus ids; returns how many were found. */
static uint32_t choose_by_bus_id(struct matching *m)
{
    uint32_t found = 0;
    for (uint32_t r = 0; r < m->local; r++) {
        m->chosen[r] = -1;
        for (uint32_t g = 0; g < m->gpu_count && m->chosen[r] < 0; g++)
            if (bus_number_of(m->dump, m->gpus[g]) == m->ranks[r].bus_id)
                m->chosen[r] = (int32_t)g;
        found += m->chosen[r] >= 0;
    }
    return found;
}

/* Matches GPUs by nvidia-smi's numbers; false if some are not in the log, or not in the dump. */
static bool choose_by_number(struct matching *m)
{
    for (uint32_t r = 0; r < m->local; r++) {
        m->chosen[r] = -1;
        for (uint32_t g = 0; g < m->gpu_count; g++)
            if (m->ranks[r].number >= 0 && orr_element_int(m->dump, m->gpus[g], ORR_ATTR_DEV, -1) == m->ranks[r].number)
                m->chosen[r] = (int32_t)g;
        for (uint32_t before = 0; before < r; before++)
            if (m->chosen[before] == m->chosen[r])
                m->chosen[r] = -1;
        if (m->chosen[r] < 0)
            return false;
    }
    return true;
}

/* The GPU at the same place in the order of bus ids if the log names all of them, or else the next one. */
static void choose_by_order(struct matching *m)
{
    for (uint32_t r = 0; r < m->local; r++) {
        uint32_t place = 0, here = 0;
        for (uint32_t other = 0; m->with_bus_id >= m->local && other < m->local; other++)
            place += m->ranks[other].bus_id < m->ranks[r].bus_id;
        place = m->with_bus_id >= m->local ? place : r;
        m->chosen[r] = (int32_t)r;
        for (uint32_t g = 0; m->with_bus_id >= m->local && m->gpu_count == m->local && g < m->gpu_count;
             g++, here = 0) {
            for (uint32_t other = 0; other < m->gpu_count; other++)
                here += bus_number_of(m->dump, m->gpus[other]) < bus_number_of(m->dump, m->gpus[g]);
            if (here == place)
                m->chosen[r] = (int32_t)g;
        }
    }
}

/* NCCL refuses a communicator with two ranks on one GPU, so nothing is predicted for it. */
static enum orr_code refuse_shared_gpus(const struct matching *m, struct orr_error *err)
{
    for (uint32_t r = 0; r < m->local && r < m->with_bus_id; r++)
        for (uint32_t other = r + 1; other < m->local && other < m->with_bus_id; other++)
            if (m->ranks[r].bus_id == m->ranks[other].bus_id)
                return orr_fail(err, ORR_NOT_FOUND,
                                "several ranks of a host use the GPU at bus id %" PRIx64
                                " in the log, which NCCL refuses",
                                m->ranks[r].bus_id);
    return ORR_OK;
}

static enum orr_code too_few(struct matching *m, struct orr_error *err)
{
    return orr_fail_with(err, ORR_NOT_FOUND, NULL, "use a dump of all GPUs: set NCCL_TOPO_DUMP_FILE in the job itself",
                         "the dump has %u GPU%s, and a host of the log runs %u ranks", m->gpu_count,
                         orr_plural(m->gpu_count), m->local);
}

/* Finds the GPU of each rank of the host. *ret_rename: the dump's bus ids are made up, and become the log's. */
static enum orr_code choose(struct matching *m, bool *ret_rename, struct orr_error *err)
{
    struct orr_log_check *check = m->check;
    bool made_up = check->made_up;
    uint32_t found = m->with_bus_id >= m->local ? choose_by_bus_id(m) : 0;
    *ret_rename = false;
    if (found == m->local)
        return ORR_OK;
    if (m->gpu_count < m->local && m->gpu_count)
        return too_few(m, err);
    if (!m->ranked)
        return orr_fail_with(err, ORR_NO_RANKS, NULL,
                             "files of cloud providers leave GPUs to detection: use a dump that NCCL_TOPO_DUMP_FILE "
                             "wrote on that machine",
                             "%u of the log's %u GPUs are not in the dump, which has no ranks of its own either",
                             m->local - found, m->local);
    if (m->with_bus_id >= m->local && !made_up) {
        check->note = found ? orr_arena_printf(check->arena, "%u of the log's %u GPUs %s not in the dump",
                                               m->local - found, m->local, m->local - found == 1 ? "is" : "are")
                            : orr_arena_printf(check->arena, "none of the log's %u GPUs is in the dump", m->local);
        ORR_NEED(check->note, err);
    }
    /* Bus ids of all GPUs give their order, as the driver numbers GPUs; CUDA_VISIBLE_DEVICES changes cudaDev. */
    bool ordered = m->with_bus_id >= m->local && m->local == m->gpu_count;
    bool numbered = !ordered && (m->local < m->gpu_count || made_up) && choose_by_number(m);
    if (!numbered)
        choose_by_order(m);
    *ret_rename = m->with_bus_id >= m->local;
    if (!ordered && (made_up || m->local < m->gpu_count)) {
        if (numbered)
            orr_log_assume(check,
                           "The ranks of a host use the GPUs whose numbers the log prints as nvmlDev or cudaDev");
        else
            orr_log_assume(check, "The ranks of a host use the first %u GPUs of the machine, in order", m->local);
    } else if (m->with_bus_id >= m->local)
        orr_log_assume(check,
                       "The log's GPUs have other bus ids than the dump's: they are matched in order of bus ids");
    return ORR_OK;
}

/* Whether the dump can be used unchanged. */
static bool changes_nothing(const struct matching *m)
{
    for (uint32_t r = 0; r < m->local; r++)
        if (m->chosen[r] != (int32_t)r)
            return false;
    return m->ranked && m->local == m->gpu_count;
}

static const int32_t *ranks_chosen(const struct matching *m)
{
    int32_t *ranks = ORR_NEW(m->check->arena, int32_t, m->dump->element_count);
    for (uint32_t e = 0; ranks && e < m->dump->element_count; e++)
        ranks[e] = -1;
    for (uint32_t r = 0; ranks && r < m->local; r++)
        ranks[m->gpus[m->chosen[r]]] = (int32_t)r;
    return ranks;
}

static const uint64_t *bus_ids_renamed(const struct matching *m)
{
    uint64_t *bus_ids = ORR_NEW(m->check->arena, uint64_t, m->dump->element_count);
    for (uint32_t r = 0; bus_ids && r < m->local; r++)
        bus_ids[m->gpus[m->chosen[r]]] = m->ranks[r].bus_id;
    return bus_ids;
}

/* Makes the dump that the job's ranks see: only their GPUs, and the branches that these use. */
static enum orr_code cut(struct matching *m, const struct orr_release *release, struct orr_error *err)
{
    struct orr_log_check *check = m->check;
    int32_t ranks[GPUS_MOST];
    for (uint32_t r = 0; r < m->local; r++)
        ranks[r] = (int32_t)r;
    const struct orr_dump_piece piece = {.dump = check->edited, .ranks = ranks, .count = m->local};
    ORR_TRY(orr_dump_combine(&piece, 1, release, check->arena, &check->dump, err));
    check->dump->notes = check->edited->notes;
    check->dump->graphs = check->edited->graphs;
    return ORR_OK;
}

static bool is_made_up(const struct orr_dump *dump)
{
    return dump->notes && (!strcmp(dump->notes->kind, "nvidia-smi-topo") || !strcmp(dump->notes->kind, "machine-type"));
}

static enum orr_code make_dump(struct matching *m, bool given_gpus, bool given_nics, const struct orr_release *release,
                               struct orr_error *err)
{
    struct orr_log_check *check = m->check;
    struct orr_dump_edit edit = {0};
    struct orr_log_nics nics = {0};
    bool rename = false, chosen = m->local && !given_gpus;
    if (chosen) {
        ORR_TRY(refuse_shared_gpus(m, err));
        ORR_TRY(choose(m, &rename, err));
        chosen = !changes_nothing(m);
        if (chosen && !(edit.ranks = ranks_chosen(m)))
            return orr_fail_nomem(err);
        if (rename && !(edit.bus_ids = bus_ids_renamed(m)))
            return orr_fail_nomem(err);
    }
    if (!given_nics)
        ORR_TRY(orr_log_match_nics(check, m->dump, check->made_up, &nics, err));
    edit.collnet = orr_log_adds_collnet(check, m->dump);
    edit.net_devs = nics.devs;
    edit.sm = check->made_up ? orr_log_capability(check->log) : 0;
    if (edit.sm && m->gpu_count && orr_element_int(m->dump, m->gpus[0], ORR_ATTR_SM, edit.sm) != edit.sm)
        orr_log_assume(check,
                       "The log's GPUs have compute capability %d.%d, and those of the given machine %d.%d: Orrery "
                       "uses the log's, but the machine is probably another one",
                       edit.sm / 10, edit.sm % 10, orr_element_int(m->dump, m->gpus[0], ORR_ATTR_SM, 0) / 10,
                       orr_element_int(m->dump, m->gpus[0], ORR_ATTR_SM, 0) % 10);
    if (!edit.ranks && !edit.bus_ids && !edit.net_devs && !edit.sm && !edit.collnet)
        return ORR_OK;
    check->ranks_renumbered = chosen;
    ORR_TRY(orr_log_edit_dump(m->dump, &edit, check->arena, &check->edited, err));
    return chosen ? cut(m, release, err) : ORR_OK;
}

/* If only connections name ranks, some may be missing: rounds the number up to whole hosts. */
static int32_t whole_hosts(struct matching *m, int32_t ranks, uint32_t given_hosts)
{
    const int32_t local = (int32_t)m->gpu_count;
    if (!local || m->fused || given_hosts)
        return -1;
    if (ranks > local)
        orr_log_assume(m->check,
                       "The log's connections name ranks up to %d, so the job is assumed to have %d hosts of %d ranks",
                       ranks - 1, (ranks + local - 1) / local, local);
    return (ranks + local - 1) / local * local;
}

enum orr_code orr_log_match_hosts(struct orr_log_check *check, const struct orr_dump *dump,
                                  const struct orr_log_question *question, const struct orr_release *release,
                                  struct orr_error *err)
{
    struct matching *m = ORR_NEW(check->arena, struct matching, 1);
    bool least;
    int32_t ranks = orr_log_rank_count(check, &least);
    ORR_NEED(m, err);
    m->check = check;
    m->dump = dump;
    check->made_up = is_made_up(dump);
    ORR_TRY(orr_log_place_ranks(check, err));
    read_gpus(m);
    if (least)
        ranks = whole_hosts(m, ranks, question->hosts);
    m->local = orr_log_local_ranks(check, ranks, m->ranks, GPUS_MOST, &m->with_bus_id);
    check->query.hosts = 1;
    if (!m->local && m->with_bus_id && m->with_bus_id == (uint32_t)ranks)
        m->local = until_repeated(m, (uint32_t)ranks);
    if (!m->local && ranks > 0 && (uint32_t)ranks < m->gpu_count)
        m->local = (uint32_t)ranks;
    if (m->local > GPUS_MOST)
        m->local = 0;
    bool given_gpus = question->given && question->given->gpus, given_nics = question->given && question->given->nics;
    if (!m->fused && !question->hosts)
        ORR_TRY(make_dump(m, given_gpus, given_nics, release, err));
    else if (!m->fused && m->local && !given_gpus && choose_by_bus_id(m) == m->local)
        ORR_TRY(make_dump(m, given_gpus, given_nics, release, err));
    uint32_t local = check->dump || (m->local && !m->fused && !given_gpus) ? m->local : m->gpu_count;
    if (question->hosts)
        check->query.hosts = question->hosts;
    else if (ranks > 0 && local && ranks % (int32_t)local == 0 && !given_gpus)
        check->query.hosts = (uint32_t)ranks / local;
    else if (ranks > 0 && m->local && given_gpus && ranks % (int32_t)m->local == 0)
        check->query.hosts = (uint32_t)ranks / m->local;
    if (check->query.hosts > ORR_MAX_HOSTS)
        return orr_fail(err, ORR_LIMIT, "%u hosts, more than the %d that are computed", check->query.hosts,
                        (int)ORR_MAX_HOSTS);
    return m->fused || given_gpus ? ORR_OK : orr_log_match_domains(check, local, err);
}
