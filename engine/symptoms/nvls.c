/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about NVLink SHARP (NVLS) that works otherwise than a person expects: over several hosts, or with registered
 * buffers. */
#include <string.h>

#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

#define ASKS "?|why | how | what | missing|expect|no difference|no effect|nothing"

static bool has_multicast(const struct orr_log *log)
{
    bool available = false;
    struct orr_log_counts counts;
    for (uint32_t i = 0; i < log->record_count; i++)
        if ((orr_log_nvls_of(&log->records[i], &available) && available) ||
            (orr_log_counts_of(&log->records[i], &counts) && counts.nvls > 0))
            return true;
    return false;
}

/* NVLS over several hosts needs CollNet; without it NVLSTree runs, which some take for a fault. */
static void across_hosts(struct orr_symptom_finder *f)
{
    static const char asks[] = " nvls |nvlink sharp&2 nodes|two nodes|nodes|2 hosts|two hosts|hosts|inter node|multi "
                               "node|servers&" ASKS "|0 0|not use";
    const struct orr_log *log = f->log;
    const uint32_t largest = orr_log_largest(log), line = orr_symptom_said(log, asks, false);
    const char *collnet = orr_symptom_setting(log, "NCCL_COLLNET_ENABLE", NULL);
    if (!line || largest == UINT32_MAX || log->communicators[largest].node_count < 2 || !has_multicast(log) ||
        log->kinds[ORR_LOG_CONNECT_COLLNET] || orr_symptom_failed(log) || (collnet && !strcmp(collnet, "1")))
        return;
    ORR_SYMPTOM(
        f, "nvls-across-hosts", ORR_SYMPTOM_CAUSE, line,
        .cause = orr_symptom_text(
            f,
            "Over %d nodes NVLS needs CollNet, that is SHARP in the InfiniBand switches, and nothing in the text turns "
            "it on, so NCCL leaves NVLS out. NVLSTree, which has NVLink SHARP inside each node and trees between "
            "them, runs in its place and uses the NVLS channels.",
            log->communicators[largest].node_count),
        .check =
            "Check: NCCL_ALGO=NVLSTree gives the same bandwidth; the table of NCCL_DEBUG_SUBSYS=TUNING has one for "
            "NVLSTree, and 0.0 for NVLS and CollNet.",
        .cure = "Nothing is broken. For NVLS itself: the SHARP plugin (HPC-X, nccl-rdma-sharp-plugins), SHARP's "
                "aggregation manager in the fabric, and NCCL_COLLNET_ENABLE=1.");
}

/* The first two ranks of a communicator that one process has: *ret_line; 0 if there are none. */
static uint32_t shared_process(const struct orr_log *log, long long *ret_pid)
{
    const struct orr_log_record *before = NULL;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_DEVICE || record->value_count < 3 || record->word_count < 3)
            continue;
        const uint32_t pid = record->value_count - 2; /* rank, group if there is one, process, device */
        *ret_pid = (long long)record->values[pid];
        if (before && before->value_count == record->value_count && before->values[pid] == record->values[pid] &&
            !strcmp(before->words[0], record->words[0]))
            return record->line;
        before = record;
    }
    for (uint32_t i = 0; i < log->session_count; i++)
        for (uint32_t k = 0; k < i && i < ORR_SYMPTOMS_MOST; k++) {
            const struct orr_log_session *a = &log->sessions[i], *b = &log->sessions[k];
            if (a->writer == UINT32_MAX || b->writer == UINT32_MAX || a->rank < 0 || b->rank < 0 ||
                a->rank == b->rank || !a->comm_id || !b->comm_id || strcmp(a->comm_id, b->comm_id) != 0 ||
                log->writers[a->writer].pid != log->writers[b->writer].pid ||
                strcmp(log->writers[a->writer].host, log->writers[b->writer].host) != 0)
                continue;
            *ret_pid = (long long)log->writers[a->writer].pid;
            return log->communicators[a->communicator].first_line;
        }
    return 0;
}

/* NVLS does not take registered buffers if two ranks are in one process. */
static void registered_in_one(struct orr_symptom_finder *f)
{
    static const char about[] =
        "regist|user buffer|zero copy|_perf& nvls|ncclcommregister|ncclmemalloc| r 1 |registration";
    const struct orr_log *log = f->log;
    const char *allowed = orr_symptom_setting(log, "NCCL_SINGLE_PROC_MEM_REG_ENABLE", NULL);
    long long pid = 0;
    const uint32_t asked = orr_symptom_said(log, about, true), line = asked ? shared_process(log, &pid) : 0;
    if (!line || !has_multicast(log) || orr_symptom_failed(log) || (allowed && !strcmp(allowed, "1")))
        return;
    ORR_SYMPTOM(
        f, "nvls-registration", ORR_SYMPTOM_CAUSE, line,
        .cause = orr_symptom_text(f,
                                  "One process (%lld, line %u) has several ranks of the communicator, and then "
                                  "NCCL does not use registered buffers for NVLS: ncclCommRegister() succeeds, "
                                  "and nothing changes.",
                                  pid, line),
        .check = "Check: the same test with a process for each GPU (`mpirun -np 8 ./all_reduce_perf -g 1 -R 1`) "
                 "has fewer blocks and is faster at medium sizes.",
        .cure = "Use one process for each GPU. From 2.28.3 on, NCCL_SINGLE_PROC_MEM_REG_ENABLE=1 also allows it.");
}

void orr_symptoms_of_nvls(struct orr_symptom_finder *f)
{
    registered_in_one(f);
    across_hosts(f);
}
