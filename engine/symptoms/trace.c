/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a failed call, innermost first: "NCCL INFO graph/topo.cc:493 -> 3". Its first line names the part of
 * NCCL that failed, which helps if the text has no NCCL WARN that says why. */
#include <string.h>

#include "engine/symptoms/finding.h"

static const struct part {
    const char *file;  /* how the name of NCCL's file begins */
    const char *does;  /* what NCCL does there */
    const char *check; /* what shows whether that is at fault */
    const char *cure;
} parts[] = {
    {"graph/", "it read the machine's topology",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,ENV names the file or device that it could not read.",
     "In containers and virtual machines, /sys must show the GPUs and their PCIe bridges, or a topology file for this "
     "machine type must describe them."},
    {"transport/nvls.cc", "it set up NVLink SHARP (NVLS)",
     "Check: run once with NCCL_NVLS_ENABLE=0; if that works, it is this.",
     "Fabric Manager must run with the driver's version: `nvidia-smi -q | grep -A6 Fabric` says Completed and Success. "
     "If not, restart it and reset the GPUs."},
    {"transport/shm.cc", "it shared host memory between ranks", "Check: `df -h /dev/shm` in the job's container.",
     "Give the container more of it (docker --shm-size=8g or --ipc=host; Kubernetes: an emptyDir with medium Memory)."},
    {"transport/p2p.cc", "it mapped the memory of another GPU",
     "Check: run once with NCCL_P2P_DISABLE=1; if that works, it is P2P.",
     "Let the ranks of a host share one container, or their IPC and PID namespaces, and see all of its GPUs."},
    {"bootstrap", "its ranks exchanged their addresses over TCP, before InfiniBand or RoCE is used",
     "Check: from another host, ping the address of \"Bootstrap : Using\", and connect to a port of it with nc: "
     "firewalls and IP over InfiniBand are the usual obstacles.",
     "Set NCCL_SOCKET_IFNAME to an interface by which all hosts reach each other, such as the Ethernet port. Data "
     "still goes through InfiniBand or RoCE."},
    {"transport/net", "it connected two hosts",
     "Check: run once with NCCL_NET=Socket; if that works, it is the RDMA network or its plugin.",
     "Test the same two NICs with ib_write_bw, and look at the log of the other host."},
};

/* A crash in the thread of RAS, by the crash report. */
static void ras_crash(struct orr_symptom_finder *f)
{
    const struct orr_log_event *crash = orr_log_event_of(f->log, "segfault"),
                               *frame = orr_log_event_of(f->log, "ras-frame");
    if (!crash || !frame)
        return;
    ORR_SYMPTOM(f, "ras-crash", ORR_SYMPTOM_CAUSE, frame->line,
                .cause = orr_symptom_text(f,
                                          "The process crashed in the thread of NCCL's RAS (line %u), which watches "
                                          "jobs and which the job itself does not need.",
                                          frame->line),
                .check = "Check: run once with NCCL_RAS_ENABLE=0, which turns RAS off.",
                .cure = "Leave it off, and do not ask RAS (ncclras) while communicators start, or use a newer release.",
                .explains = crash->message->id);
}

/* Whether the caller failed for the same reason. A healthy start has single frames too: NCCL_IB_DISABLE=1 leaves
 * "transport/net_ib.cc:852 -> 3", and NCCL goes on to sockets. */
static bool goes_up(const struct orr_log *log, uint32_t at)
{
    enum { CODE = 1 };
    const struct orr_log_record *frame = &log->records[at];
    for (uint32_t i = at + 1; i < log->record_count; i++)
        if (log->records[i].session == frame->session)
            return log->records[i].kind == ORR_LOG_FRAME && log->records[i].values[CODE] == frame->values[CODE];
    return false;
}

void orr_symptoms_of_trace(struct orr_symptom_finder *f)
{
    enum { REMOTE = 6 }; /* ncclRemoteError: another rank failed; 7: nothing failed */
    const struct orr_log *log = f->log;
    const struct orr_log_record *frame = NULL;
    const struct orr_log_message *report = NULL;
    const struct part *part = parts;
    ras_crash(f);
    for (uint32_t i = 0; i < log->event_count; i++) {
        const struct orr_log_message *message = log->events[i].message;
        if (!message || message->weight == ORR_WEIGHT_FATAL || message->weight == ORR_WEIGHT_HANG ||
            message->weight == ORR_WEIGHT_AFTERMATH || message->weight == ORR_WEIGHT_ABSENT)
            return; /* which says more */
        report = !report && message->weight == ORR_WEIGHT_REPORT ? message : report;
    }
    for (uint32_t i = 0; i < log->record_count && !frame; i++)
        if (log->records[i].kind == ORR_LOG_FRAME && log->records[i].values[1] < REMOTE && goes_up(log, i) &&
            strncmp(log->records[i].words[0], "misc/", strlen("misc/")) != 0) /* which serves all parts */
            frame = &log->records[i];
    while (frame && part < parts + sizeof parts / sizeof parts[0] &&
           strncmp(frame->words[0], part->file, strlen(part->file)) != 0)
        part++;
    if (!frame || part == parts + sizeof parts / sizeof parts[0])
        return;
    uint32_t line = 0;
    const char *file = part == parts ? orr_symptom_setting(log, "NCCL_TOPO_FILE", &line) : NULL;
    ORR_SYMPTOM(
        f, "trace", ORR_SYMPTOM_CAUSE, frame->line,
        .cause = file ? orr_symptom_text(f,
                                         "NCCL failed while it read the machine's topology (line %u: %.60s), which "
                                         "NCCL_TOPO_FILE=%.120s (line %u) describes: the file lacks something, often "
                                         "arch and vendor of a <cpu>, or does not fit this NCCL.",
                                         frame->line, frame->words[0], file, line)
                      : orr_symptom_text(f, "NCCL failed while %s (line %u: %.60s).", part->does, frame->line,
                                         frame->words[0]),
        .check = file ? "Check: run once without NCCL_TOPO_FILE; `orrery show FILE` says what is wrong with the file."
                      : part->check,
        .cure = file ? "Unset NCCL_TOPO_FILE; if a plugin or /etc/nccl.conf sets it, use a newer plugin or image."
                     : part->cure,
        .explains = report ? report->id : NULL);
}
