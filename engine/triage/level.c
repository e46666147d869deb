/* SPDX-License-Identifier: Apache-2.0 */
/* Why GPUs of a host exchange data through shared memory although nothing refuses P2P: the path between them is longer
 * than the level that NCCL allows by default. The prediction for the machine shows that, and the log agrees. */
#include <string.h>

#include "engine/log_reading/statements.h"
#include "engine/triage/building.h"

/* Words of somebody who asks about the way of the data. */
#define ABOUT " p2p | p2ps |peer to peer|peer access| shm |shared memory|via shm|host memory"

/* What the log's connections through P2P and shared memory join. */
struct ways {
    uint32_t shm;     /* line of the first connection through shared memory; 0 if there is none */
    uint32_t p2p;     /* the same of P2P */
    int32_t ranks[2]; /* that the first connection through shared memory joins */
    bool p2p_of_pair; /* all P2P connects ranks 0 and 1 */
    bool shm_of_pair; /* so does shared memory, in another run */
};

static struct ways ways_of(const struct orr_log *log)
{
    struct ways ways = {.p2p_of_pair = true};
    struct orr_log_connection connection;
    for (uint32_t i = 0; i < log->record_count; i++) {
        if (!orr_log_connection_of(&log->records[i], &connection))
            continue;
        const bool more = connection.from > 1 || connection.to > 1;
        if (connection.transport == ORR_TRANSPORT_SHM) {
            if (!ways.shm) {
                ways.shm = log->records[i].line;
                ways.ranks[0] = connection.from;
                ways.ranks[1] = connection.to;
            }
            ways.shm_of_pair |= !more;
        } else if (connection.transport == ORR_TRANSPORT_P2P) {
            ways.p2p = ways.p2p ? ways.p2p : log->records[i].line;
            ways.p2p_of_pair &= !more;
        }
    }
    return ways;
}

/* Whether somebody asks about P2P, or a tool shows that the driver offers it. */
static bool is_asked(const struct orr_log *log)
{
    return orr_symptom_said(log, ABOUT, false) ||
           orr_log_event_of(log, "p2p-matrix-ok|peer-access-yes|peer-access-can");
}

/* Whether lines give another reason. */
static bool is_refused(const struct orr_triaging *t)
{
    const struct orr_symptoms *symptoms = &t->triage->symptoms;
    if (orr_log_event_of(t->log, "p2p-refused|p2p-matrix-refused|peer-access-none|vllm-no-p2p"))
        return true;
    for (uint32_t i = 0; i < symptoms->count; i++)
        if ((symptoms->rows[i].weight == ORR_SYMPTOM_CAUSE && !symptoms->rows[i].by_words) ||
            !strncmp(symptoms->rows[i].id, "setting:NCCL_P2P_", strlen("setting:NCCL_P2P_")))
            return true;
    return false;
}

/* The decision about the ranks that shared memory joins, if it is that the default level ends before their path; NULL
 * otherwise. */
static const struct orr_decision *beyond_level(const struct orr_analysis *analysis, const int32_t ranks[2])
{
    const int32_t count = (int32_t)analysis->local_ranks;
    if (ranks[0] < 0 || ranks[1] < 0 || ranks[0] >= count || ranks[1] >= count)
        return NULL;
    const struct orr_decision *decision = &analysis->p2p[(size_t)ranks[0] * analysis->local_ranks + ranks[1]].decision;
    return !decision->verdict && decision->rule == ORR_RULE_P2P_BEYOND_LEVEL && !decision->by_user ? decision : NULL;
}

/* Whether P2P connects only pairs that may use it by the prediction. */
static bool p2p_as_predicted(const struct orr_log *log, const struct orr_analysis *analysis)
{
    struct orr_log_connection c;
    const int32_t ranks = (int32_t)analysis->local_ranks;
    for (uint32_t i = 0; i < log->record_count; i++)
        if (orr_log_connection_of(&log->records[i], &c) && c.transport == ORR_TRANSPORT_P2P &&
            (c.from < 0 || c.to < 0 || c.from >= ranks || c.to >= ranks ||
             !analysis->p2p[(size_t)c.from * analysis->local_ranks + (size_t)c.to].decision.verdict))
            return false;
    return true;
}

/* Whether all GPUs hang on CPUs without a PCIe switch between. */
static bool is_flat(const struct orr_analysis *analysis)
{
    for (uint32_t a = 0; a < analysis->local_ranks; a++)
        for (uint32_t b = 0; b < a; b++)
            if (orr_analysis_part(analysis, (int32_t)a) != orr_analysis_part(analysis, (int32_t)b) ||
                analysis->p2p[(size_t)a * analysis->local_ranks + b].decision.distance < ORR_PATH_PHB)
                return false;
    return true;
}

/* Whether NVLink joins a pair of the GPUs, and no NVLink another one. */
static bool has_bridges(const struct orr_analysis *analysis)
{
    bool joined = false, apart = false;
    for (uint32_t a = 0; a < analysis->local_ranks; a++)
        for (uint32_t b = 0; b < a; b++) {
            const bool nvlink = analysis->p2p[(size_t)a * analysis->local_ranks + b].decision.distance <= ORR_PATH_NVB;
            joined |= nvlink;
            apart |= !nvlink;
        }
    return joined && apart;
}

/* Puts a cause before the others, and drops answers to words, which know less. */
static void put_first(struct orr_symptoms *symptoms, const struct orr_symptom *cause)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < symptoms->count; i++)
        if (!symptoms->rows[i].by_words)
            symptoms->rows[kept++] = symptoms->rows[i];
    if (kept == ORR_SYMPTOMS_MOST)
        return;
    memmove(symptoms->rows + 1, symptoms->rows, kept * sizeof *symptoms->rows);
    symptoms->rows[0] = *cause;
    symptoms->count = kept + 1;
}

/* A ring of more GPUs than NVLink joins. */
static void leaves_nvlink(struct orr_triaging *t, const struct ways *ways)
{
    put_first(&t->triage->symptoms,
              &(struct orr_symptom){
                  .id = "ring-leaves-nvlink",
                  .weight = ORR_SYMPTOM_CAUSE,
                  .line = ways->shm,
                  .slows = true,
                  .cause = orr_triage_text(
                      t,
                      "NVLink joins only some of these GPUs with each other. The ring over all of them uses it there "
                      "(line %u), and crosses PCIe and host memory between the others (line %u): it is as fast as its "
                      "slowest link.",
                      ways->p2p, ways->shm),
                  .check = "Check: all_reduce_perf on one joined pair alone (CUDA_VISIBLE_DEVICES) shows the rate of "
                           "NVLink; `nvidia-smi topo -m` shows the pairs (NV#).",
                  .cure = "Nothing is broken. Give groups of two, such as tensor parallel ones, a joined pair: `orrery "
                          "place --count 2` names them."});
}

void orr_triage_level(struct orr_triaging *t)
{
    const struct orr_log *log = t->log;
    const struct orr_analysis *analysis = t->check ? t->check->analysis : NULL;
    const struct ways ways = ways_of(log);
    const bool pair_has = ways.p2p && ways.p2p_of_pair && ways.shm_of_pair;
    const char *release;
    if (!analysis || analysis->communicator.node_count > 1 || !ways.shm || is_refused(t))
        return;
    if (ways.p2p && has_bridges(analysis)) {
        leaves_nvlink(t, &ways);
        return;
    }
    const bool near = ways.p2p && p2p_as_predicted(log, analysis);
    if ((ways.p2p && !pair_has && !near) || !is_asked(log) || !orr_log_version(log, &release))
        return;
    const struct orr_decision *decision = beyond_level(analysis, ways.ranks);
    if (!decision)
        return;
    const char *path = orr_path_type_name((enum orr_path_type)decision->distance);
    const char *meaning = orr_path_type_meaning((enum orr_path_type)decision->distance);
    const char *level = orr_path_type_name((enum orr_path_type)decision->level);
    const bool guest = log->mentions[ORR_MENTION_VIRTUAL] && is_flat(analysis);
    put_first(
        &t->triage->symptoms,
        &(struct orr_symptom){
            .id = "p2p-level",
            .weight = ORR_SYMPTOM_CAUSE,
            .line = ways.shm,
            .slows = true,
            .cause = orr_triage_text(
                t,
                "NCCL uses shared memory between ranks %d and %d (line %u) because the path between their GPUs is %s "
                "(%s), and the default P2P level of NCCL %s ends at %s here%s.%s",
                ways.ranks[0], ways.ranks[1], ways.shm, path, meaning, release, level,
                near ? orr_triage_text(t, ", while nearer pairs have P2P (line %u)", ways.p2p)
                : pair_has
                    ? orr_triage_text(t, ", while two GPUs alone may use P2P through an AMD CPU (line %u)", ways.p2p)
                    : "",
                guest ? " In this virtual machine all GPUs seem to be directly at the CPU, whatever switches the host "
                        "has."
                      : ""),
            .check = orr_triage_text(t,
                                     "Check: run with NCCL_P2P_LEVEL=%s: if the log then says \"via P2P\", it is that; "
                                     "compare the speed, and use all_reduce_perf -c 1 for wrong data.",
                                     decision->distance > ORR_PATH_PHB ? "SYS" : path),
            .cure = guest ? "If the host has PCIe switches, give NCCL a topology file (NCCL_TOPO_FILE) with them above "
                            "the guest's bus ids, which `orrery vm-file host.xml` makes, or virtual switches in QEMU. "
                            "If ACS is on in those switches, P2P still goes through the CPU."
                          : "Keep that level only if it is faster with all GPUs at once, and stable: P2P through CPUs "
                            "can be slower than shared memory."});
}
