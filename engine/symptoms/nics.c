/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about which NICs the ranks use, for people who expect others: names that fit more NICs than they mean, NICs of
 * other GPUs (PXN), and NICs that several GPUs share. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

/* Words of a person who asks about NICs. */
#define ASKS_OF_NICS                                                                                                   \
    " nic | nics |mlx5|hca|counter| rail|net ib| ip pair| port&?|why | how | only |expect|pattern|never|ignored|"      \
    "although|still|not its|wrong"

/* Whether a list "a,b:1" has a name; exact: the whole of it, and not its beginning. */
static bool is_named(const char *list, const char *name, bool exact)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        const size_t length = strcspn(at, ",:");
        if (length && !strncmp(at, name, length) && (!exact || !name[length]))
            return true;
    }
    return false;
}

/* NCCL_IB_HCA names the beginnings of names: mlx5_1 is mlx5_10, too. */
static void named_by_prefix(struct orr_symptom_finder *f)
{
    uint32_t line = 0;
    const char *set = orr_symptom_setting(f->log, "NCCL_IB_HCA", &line);
    const struct orr_log_record *list = orr_symptom_nic_list(f->log, "IB");
    struct orr_log_nic nics[ORR_LOG_NICS];
    const uint32_t count = set && list && set[0] != '=' && set[0] != '^' ? orr_log_read_nics(list->words[1], nics) : 0;
    const char *more = "";
    for (uint32_t i = 0; i < count; i++)
        if (is_named(set, nics[i].name, false) && !is_named(set, nics[i].name, true) && strpbrk(set, "0123456789"))
            more = orr_symptom_text(f, "%s%s%.40s", more, *more ? "," : "", nics[i].name); /* as NCCL wants it */
    if (!*more || !strchr(set, '_') || !orr_symptom_said(f->log, ASKS_OF_NICS, false))
        return;
    ORR_SYMPTOM(f, "hca-prefix", ORR_SYMPTOM_CAUSE, line,
                .cause =
                    orr_symptom_text(f,
                                     "NCCL_IB_HCA (line %u) names NICs by the beginning of their names, so it also "
                                     "selects %s, which \"NET/IB : Using\" lists (line %u).",
                                     line, more, list->line),
                .check = "Check: that line lists exactly the NICs that NCCL uses.",
                .cure = orr_symptom_text(f,
                                         "Write an equals sign first, for exact names: NCCL_IB_HCA==%.200s; or leave "
                                         "NICs out with NCCL_IB_HCA=^%.100s.",
                                         set, more));
}

/* The NICs by which a rank sends. */
struct sender {
    int32_t rank, nics[2]; /* the second is -1 if there is only one */
    uint32_t lines[2];
};

/* Keeps the NIC of a connection, the first two of each rank. */
static void take(struct sender *senders, uint32_t most, uint32_t *count, const struct orr_log_connection *connection,
                 uint32_t line)
{
    uint32_t at = 0;
    while (at < *count && senders[at].rank != connection->from)
        at++;
    if (at == most)
        return;
    if (at == *count)
        senders[(*count)++] = (struct sender){connection->from, {connection->nic, -1}, {line, 0}};
    else if (senders[at].nics[1] < 0 && senders[at].nics[0] != connection->nic) {
        senders[at].nics[1] = connection->nic;
        senders[at].lines[1] = line;
    }
}

static bool share(const struct sender *a, const struct sender *b)
{
    return a->nics[1] >= 0 && b->nics[1] >= 0 &&
           ((a->nics[0] == b->nics[0] && a->nics[1] == b->nics[1]) ||
            (a->nics[0] == b->nics[1] && a->nics[1] == b->nics[0]));
}

/* Ranks that send by several NICs of their own, which another rank uses as well. */
static void shared_nics(struct orr_symptom_finder *f)
{
    enum { RANKS = 16 };
    const struct orr_log *log = f->log;
    struct sender senders[RANKS];
    const struct sender *one = NULL, *other = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->record_count && !orr_budget_spent(i % 64 == 0); i++) {
        struct orr_log_connection c;
        if (orr_log_connection_of(&log->records[i], &c) && c.transport == ORR_TRANSPORT_NET && c.sends && c.nic >= 0 &&
            c.proxy < 0)
            take(senders, RANKS, &count, &c, log->records[i].line);
    }
    for (uint32_t i = 0; i < count && !other; i++)
        for (uint32_t k = 0; k < i && !other; k++)
            if (share(&senders[i], &senders[k])) {
                one = &senders[k];
                other = &senders[i];
            }
    if (!other)
        return;
    ORR_SYMPTOM(
        f, "shared-nics", ORR_SYMPTOM_CAUSE, one->lines[0],
        .cause = orr_symptom_text(f,
                                  "A NIC does not belong to one GPU: ranks %d and %d both send by NICs %d and "
                                  "%d, by peer or channel (lines %u, %u, %u and %u). These NICs are equally near "
                                  "to both GPUs, so a NIC's counter is not the traffic of one rank.",
                                  one->rank, other->rank, one->nics[0], one->nics[1], one->lines[0], one->lines[1],
                                  other->lines[0], other->lines[1]),
        .check = "Check: the number after NET/IB/ in the \"[send]\" lines of one rank changes with the peer; add "
                 "the counters of these NICs up.",
        .cure = "Nothing is wrong, and no rank is left out. For fixed pairs give each process its own "
                "NCCL_IB_HCA (by local rank), or NCCL a topology file in which each pair has its own switch.");
}

/* A rank reaches the NIC of another GPU over NVLink (PXN), because the peer is on that rail. */
static bool other_gpus_nic(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    for (uint32_t i = 0; i < log->record_count && !orr_budget_spent(i % 64 == 0); i++) {
        struct orr_log_connection c;
        if (!orr_log_connection_of(&log->records[i], &c) || c.transport != ORR_TRANSPORT_NET || c.proxy < 0 ||
            c.proxy == c.from)
            continue;
        ORR_SYMPTOM(f, "pxn", ORR_SYMPTOM_CAUSE, log->records[i].line,
                    .cause = orr_symptom_text(f,
                                              "Rank %d reaches rank %d by NIC %d through the GPU of rank %d, which is "
                                              "beside that NIC (PXN; line %u has it in parentheses). The peer's NIC is "
                                              "on the same rail, so no traffic crosses rails, and the way to that GPU "
                                              "is NVLink.",
                                              c.from, c.to, c.nic, c.proxy, log->records[i].line),
                    .check = "Check: lines without a number in parentheses use the rank's own NIC; with "
                             "NCCL_PXN_DISABLE=1 all do.",
                    .cure = "Nothing is wrong. NCCL_PXN_DISABLE=1 keeps each rank to its nearest NICs, and can make "
                            "Alltoall slower.");
        return true;
    }
    return false;
}

void orr_symptoms_of_nics(struct orr_symptom_finder *f)
{
    named_by_prefix(f);
    if (orr_symptom_said(f->log, ASKS_OF_NICS, false) && !orr_symptom_failed(f->log) &&
        !orr_symptom_said(f->log, " slow| hang| low | stuck", false) && !other_gpus_nic(f))
        shared_nics(f);
}
