/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about processes that do not fit together: ways in which they share memory, ports that a firewall refuses, a
 * thread that disturbs the capture of a graph, messages of a pair that swap. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

/* The first connections by P2P that share memory in a way ("CUMEM", "IPC"), and their lines. */
enum { WAYS_MOST = 64 };
static uint32_t connections_by(const struct orr_log *log, const char *way, struct orr_log_connection *ret_rows,
                               uint32_t *ret_lines)
{
    enum { WAY = 2 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->record_count && count < WAYS_MOST && !orr_budget_spent(i % 64 == 0); i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_CONNECT_P2P || record->word_count <= WAY ||
            strncmp(record->words[WAY], way, strlen(way)) != 0 || !orr_log_connection_of(record, &ret_rows[count]))
            continue;
        ret_lines[count++] = record->line;
    }
    return count;
}

/* P2P between processes of a host shares memory by handles of cuMem, or else by CUDA IPC, and both sides must do the
 * same. Connections that meet in a rank and its GPU are of one communicator: there, ranks differ in their settings. */
static void mixed_handles(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *error = orr_symptom_unspecific(log);
    struct orr_log_connection handles[WAYS_MOST], ipcs[WAYS_MOST];
    uint32_t handle_lines[WAYS_MOST], ipc_lines[WAYS_MOST], line = 0, a = 0, b = 0;
    const uint32_t handle_count = error ? connections_by(log, "CUMEM", handles, handle_lines) : 0;
    const uint32_t ipc_count = handle_count ? connections_by(log, "IPC", ipcs, ipc_lines) : 0;
    bool meet = false;
    for (uint32_t i = 0; i < handle_count && !meet; i++)
        for (uint32_t k = 0; k < ipc_count && !meet; k++) {
            meet = (handles[i].to == ipcs[k].from && handles[i].bus_ids[1] == ipcs[k].bus_ids[0]) ||
                   (handles[i].from == ipcs[k].to && handles[i].bus_ids[0] == ipcs[k].bus_ids[1]);
            a = i, b = k;
        }
    if (!meet)
        return;
    const char *value = orr_symptom_setting(log, "NCCL_CUMEM_ENABLE", &line);
    ORR_SYMPTOM(f, "mixed-handles", ORR_SYMPTOM_CAUSE, ipc_lines[b],
                .cause = orr_symptom_text(f,
                                          "Rank %d shares memory by cuMem (P2P/CUMEM, line %u) and rank %d of the same "
                                          "communicator by CUDA IPC (line %u)%s: neither opens the other's handles.",
                                          handles[a].from, handle_lines[a], ipcs[b].from, ipc_lines[b],
                                          value ? orr_symptom_text(f,
                                                                   ", because NCCL_CUMEM_ENABLE=%.4s (line %u) "
                                                                   "reaches only some processes",
                                                                   value, line)
                                                : ""),
                .check = "Check: \"NCCL_CUMEM_ENABLE set by environment\" appears for some ranks only; `tr '\\0' '\\n' "
                         "</proc/PID/environ | grep NCCL_` of each process.",
                .cure = "Give all processes of the communicator the same NCCL settings: NCCL_CUMEM_ENABLE=0 for the "
                        "others, too, or for none (vLLM up to 0.10 sets it to 0 in its own workers).",
                .explains = error->message->id);
}

/* A connection to a port that the kernel picked, between hosts with a firewall that opens a few. */
static void picked_port(struct orr_symptom_finder *f)
{
    static const char walls[] = "firewall|ufw |iptables|security group|security list|network polic|networkpolic|port "
                                "range|nccl_port|opened tcp|open tcp|opened port|ports are open&!firewall off|firewall "
                                "is off|firewall disabled|firewall is disabled|no firewall|inactive|not a firewall";
    static const char range_words[] = " ip_local_port_range ";
    const struct orr_log_event *event = orr_log_event_of(
        f->log, "socket-no-route|socket-refused|socket-timed-out|socket-connect|socket-abort|socket-retries|"
                "socket-retry");
    const char *at = event ? strchr(event->text, '<') : NULL;
    const unsigned long port = at ? strtoul(at + 1, NULL, 10) : 0;
    const uint32_t wall = port ? orr_symptom_said(f->log, walls, true) : 0;
    const char *range = "";
    if (!wall)
        return;
    const bool policy = orr_symptom_said(f->log, "networkpolic|network polic", true) != 0;
    for (uint32_t i = 0; i < f->log->said_count; i++) {
        const char *words = strstr(f->log->said[i].words, range_words);
        char *second = NULL;
        const unsigned long from = words ? strtoul(words + strlen(range_words), &second, 10) : 0;
        const unsigned long to = from ? strtoul(second, NULL, 10) : 0;
        if (from && from <= port && port <= to)
            range = orr_symptom_text(f, " (%lu to %lu, line %u)", from, to, f->log->said[i].line);
    }
    ORR_SYMPTOM(
        f, "picked-port", ORR_SYMPTOM_CAUSE, event->line,
        .cause = orr_symptom_text(f,
                                  "The system picked port %lu (line %u): NCCL listens at free ports of "
                                  "net.ipv4.ip_local_port_range%s, which no setting of NCCL narrows; MASTER_PORT "
                                  "is PyTorch's. A %s (line %u) that opens only other ports refuses it.",
                                  port, event->line, range, policy ? "NetworkPolicy" : "firewall", wall),
        .check = orr_symptom_text(f,
                                  "Check: `nc -l %lu` on one host and `nc ADDRESS %lu` on the other fail while "
                                  "the %s is on, and work without it.",
                                  port, port, policy ? "policy" : "firewall"),
        .cure = policy ? "Add a policy for the pods of the job that allows them each other without `ports` "
                         "(ingress, and egress if it is limited)."
                       : "Allow all TCP between the job's hosts (firewalld: their addresses as sources of the zone "
                         "trusted), or set net.ipv4.ip_local_port_range on all hosts to a range that is open and has "
                         "hundreds of ports.",
        .explains = event->message->id);
}

/* PyTorch's watchdog asks a CUDA event whether earlier work has ended, while another thread captures a graph. */
static void captured_beside_watchdog(struct orr_symptom_finder *f)
{
    const struct orr_log_event *forbidden = orr_log_event_of(f->log, "capture-forbidden");
    const struct orr_log_event *frame = orr_log_event_of(f->log, "watchdog-frame");
    if (!forbidden || !frame)
        return;
    ORR_SYMPTOM(f, "captured-beside-watchdog", ORR_SYMPTOM_CAUSE, frame->line,
                .cause = orr_symptom_text(f,
                                          "PyTorch's NCCL watchdog thread (line %u) asked a CUDA event about earlier "
                                          "work while another thread captured a graph, which that capture forbids: a "
                                          "race, and not NCCL's kernels.",
                                          frame->line),
                .check = "Check: the crash is rare, and a pause of some seconds before the capture, in which the "
                         "watchdog finishes with earlier work, makes it go away.",
                .cure = "Use PyTorch 2.1 or newer, which waits for that work before a capture, or capture with "
                        "torch.cuda.graph(g, capture_error_mode=\"thread_local\").",
                .explains = forbidden->message->id);
}

/* Two programs, such as a trainer and its inference server, that join one communicator with one GPU. */
static void one_gpu_twice(struct orr_symptom_finder *f)
{
    static const char same[] =
        " same gpu| same device| same cuda device|both on gpu|share one gpu|shares the gpu|on one gpu&vllm|trl|server|"
        "trainer|sglang|learner|actor&!not the same|different gpu|separate gpu|own gpu|not on the same";
    const struct orr_log_event *usage = orr_log_event_of(f->log, "invalid-usage|duplicate-gpu");
    const uint32_t line = usage ? orr_symptom_said(f->log, same, false) : 0;
    if (!line)
        return;
    ORR_SYMPTOM(f, "one-gpu-twice", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(f,
                                          "Two processes on the same GPU (line %u) join one communicator, "
                                          "which NCCL refuses (line %u).",
                                          line, usage->line),
                .check = "Check: with NCCL_DEBUG=WARN, NCCL says \"Duplicate GPU detected\". `nvidia-smi` lists both "
                         "processes for that GPU.",
                .cure = "If both are there, give the server and the trainer different GPUs (CUDA_VISIBLE_DEVICES), "
                        "or let them share one without NCCL between them (trl: vllm_mode=\"colocate\"; CUDA IPC).",
                .explains = usage->message->id);
}

/* Two messages of a pair in one group have no tags. */
static void swapped_messages(struct orr_symptom_finder *f)
{
    static const char wrong[] = " nan |wrong result|wrong value|wrong data|incorrect|garbage|corrupt|swapped|mixed "
                                "up|mismatch|explode|diverge|differ from|not equal|wrong order";
    const struct orr_log *log = f->log;
    const uint32_t said = orr_symptom_said(log, wrong, false);
    for (uint32_t i = 0; said && i < log->call_count && !orr_symptom_failed(log); i++) {
        const struct orr_log_call *call = &log->calls[i];
        if (!call->sent_twice || !call->received_twice)
            continue;
        ORR_SYMPTOM(f, "swapped-messages", ORR_SYMPTOM_CAUSE, call->line,
                    .cause = orr_symptom_text(
                        f,
                        "A rank sends twice to the same peer and receives twice from it in one group (line %u). NCCL "
                        "has no tags: it matches the two by the order of the calls, so receives in another order than "
                        "the peer's sends swap the data.",
                        call->line),
                    .check = "Check: exchange the two receives, or send a different constant in each message.",
                    .cure = "Call the receives in the order in which the peer sends (for neighbours that are one rank: "
                            "first what it sends the other way), or pack both messages into one.");
        return;
    }
}

void orr_symptoms_of_processes(struct orr_symptom_finder *f)
{
    mixed_handles(f);
    picked_port(f);
    captured_beside_watchdog(f);
    swapped_messages(f);
    one_gpu_twice(f);
}
