/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that make transfers slower, often copied from a recipe for another machine. This file says what a setting
 * does; trials show its cost on a machine (engine/perf). */
#include <stdlib.h>
#include <string.h>

#include "engine/symptoms/finding.h"

/* People set these to work around a hang. */
#define WITHOUT_P2P                                                                                                    \
    "If the job then hangs or its results are wrong, P2P is broken: look at PCIe ACS (`sudo lspci -vvv | grep -i "     \
    "acsctl`) and the IOMMU (`cat /proc/cmdline`)."

/* Both together show that somebody chose the network. */
static const char TO_NETWORK[] = "and NCCL_SHM_DISABLE=1 make GPUs of one host exchange data over the network";

static const struct setting {
    const char *name;
    const char *values; /* "A|B" means one of these, NULL any value, "<512" a smaller number, ">512" a larger one,
                         * "%960" a number that is not a multiple */
    const char *does;   /* effect of the setting: a clause that begins with a verb */
    enum orr_symptom_weight weight;
    const char *refuted_by; /* another setting that makes it ineffective; NULL if there is none */
    const char *cure;       /* NULL if the cure is to remove the setting */
    bool forces_p2p;        /* struct orr_symptom */
} rows[] = {
    {"NCCL_P2P_DISABLE", "1", "turns P2P off, so GPUs exchange data through host memory", ORR_SYMPTOM_SETTING, NULL,
     WITHOUT_P2P, false},
    {"NCCL_P2P_LEVEL", "LOC|0",
     "turns P2P off, NVLink included, so GPUs exchange data through host memory (NCCL's log says that of "
     "NCCL_P2P_DISABLE=1, too)",
     ORR_SYMPTOM_SETTING, NULL, WITHOUT_P2P, false},
    {"NCCL_SHM_DISABLE", "1", "turns shared memory off, so GPUs without P2P use the network even on one host",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_IB_DISABLE", "1", "turns InfiniBand and RoCE off, so hosts exchange data over TCP sockets",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_NET", "Socket", "makes hosts exchange data over TCP sockets", ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_NET_GDR_LEVEL", "LOC|0", "turns GPUDirect RDMA off, so network traffic goes through host memory",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_NET_GDR_LEVEL", "PIX|1",
     "allows GPUDirect RDMA only if GPU and NIC share one PCIe switch; other traffic goes through host memory",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_NET_GDR_LEVEL", "PHB|NODE|SYS|3|4|5",
     "forces GPUDirect RDMA through the CPUs, which can be slower than host memory", ORR_SYMPTOM_SETTING, NULL, NULL,
     false},
    {"NCCL_P2P_LEVEL", "NVL", "allows P2P only over NVLink; GPUs joined by PCIe exchange data through host memory",
     ORR_SYMPTOM_SETTING, NULL, WITHOUT_P2P, false},
    {"NCCL_P2P_LEVEL", "PHB|NODE|SYS|3|4|5",
     "forces P2P between GPUs through the CPUs, which can be slower than shared memory", ORR_SYMPTOM_SETTING, NULL,
     NULL, true},
    {"NCCL_GRAPH_FILE", NULL, "forces the channels of a file, which fits one machine and one number of GPUs only",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_TOPO_FILE", NULL, "tells NCCL what the machine looks like, which fits one machine type only",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_NVLS_ENABLE", "0", "turns NVLink SHARP (NVLS) off", ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_CUMEM_ENABLE", "0", "turns off the memory that symmetric memory and NVLink between hosts (MNNVL) need",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_PXN_DISABLE", "1", "turns PXN off, so a GPU reaches NICs of other GPUs across the PCIe switches",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_NET_GDR_READ", "0", "makes GPUs copy what they send to host memory first", ORR_SYMPTOM_SETTING, NULL, NULL,
     false},
    {"NCCL_ALGO", NULL, "allows only some algorithms, for every size and operation", ORR_SYMPTOM_SETTING, NULL, NULL,
     false},
    {"NCCL_PROTO", NULL, "allows only some protocols; LL and LL128 are slow for large messages, Simple for small ones",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_MAX_NCHANNELS", "<8", "leaves NCCL too few channels to fill fast links", ORR_SYMPTOM_SETTING, NULL, NULL,
     false},
    {"NCCL_MAX_CTAS", "<8", "allows a communicator too few channels to fill fast links", ORR_SYMPTOM_SETTING, NULL,
     NULL, false},
    {"NCCL_NTHREADS", "<512", "gives each channel fewer threads, which slows large messages", ORR_SYMPTOM_SETTING, NULL,
     NULL, false},
    {"NCCL_BUFFSIZE", "<1048576", "makes the buffers too small for large messages", ORR_SYMPTOM_SETTING, NULL, NULL,
     false},
    {"NCCL_BUFFSIZE", ">67108864",
     "makes NCCL take and register a buffer of that size (4 MiB by default) for each connection of each channel, for "
     "which GPUs or NICs may lack memory",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    /* Each of the 8 steps of a buffer must hold whole lines of 120 bytes (nccl#1739: 122880 works, 123000 hangs). */
    {"NCCL_LL128_BUFFSIZE", "%960", "is not a multiple of 960 bytes, with which LL128 can hang or deliver wrong data",
     ORR_SYMPTOM_SETTING, NULL, NULL, false},
    {"NCCL_DEBUG", "TRACE", "prints every call, which slows the job", ORR_SYMPTOM_NOTE, NULL, NULL, false},
    {"NCCL_CHECKS_DISABLE", NULL, "has no effect since NCCL 2.2.12; use NCCL_CHECK_POINTERS", ORR_SYMPTOM_NOTE, NULL,
     NULL, false},
    {"NCCL_TREE_THRESHOLD", NULL, "has no effect since NCCL 2.5; use NCCL_ALGO", ORR_SYMPTOM_NOTE, NULL, NULL, false},
    {"NCCL_LL_THRESHOLD", NULL, "has no effect since NCCL 2.5; use NCCL_PROTO", ORR_SYMPTOM_NOTE, NULL, NULL, false},
    {"NCCL_IB_CUDA_SUPPORT", NULL, "has no effect since NCCL 2.4; use NCCL_NET_GDR_LEVEL", ORR_SYMPTOM_NOTE, NULL, NULL,
     false},
    {"NCCL_MAX_NRINGS", NULL, "is the old name of NCCL_MAX_NCHANNELS", ORR_SYMPTOM_NOTE, NULL, NULL, false},
    {"NCCL_MIN_NRINGS", NULL, "is the old name of NCCL_MIN_NCHANNELS", ORR_SYMPTOM_NOTE, NULL, NULL, false},
};

static bool has_value(const struct setting *row, const char *value)
{
    if (!row->values)
        return value[0] && value[0] != '^'; /* a list of exceptions keeps all others */
    if (!strchr("<>%", row->values[0]))
        return orr_symptom_is_one(value, row->values);
    char *end;
    const long number = strtol(value, &end, 10), limit = strtol(row->values + 1, NULL, 10);
    const bool has = row->values[0] == '<'   ? number < limit
                     : row->values[0] == '>' ? number > limit
                                             : number % limit != 0;
    return end > value && !*end && number > 0 && has;
}

/* Google's plugins need the settings of Google's guides, and TCPXO refuses to run without them. */
static bool plugin_demands_them(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_NETWORK && log->records[i].word_count &&
            (strstr(log->records[i].words[0], "FasTrak") || strstr(log->records[i].words[0], "TCPX")))
            return true;
    return orr_symptom_setting_of_google(log) != NULL;
}

/* Connections through shared memory, and none by P2P, show what a setting that turns P2P off did. */
static bool shows_effect(const struct setting *row, const struct orr_symptom_transports *seen)
{
    return !strncmp(row->name, "NCCL_P2P_", 9) && strstr(row->does, "turns P2P off") && seen->shm && !seen->p2p;
}

/* The error of memory that could not be had, which a setting that takes much of it explains. */
static const char *explained_by(const struct orr_log *log, const struct setting *row)
{
    const bool takes = row->values && row->values[0] == '>' && strstr(row->name, "BUFFSIZE");
    const struct orr_log_event *event = takes ? orr_log_event_of(log, "ib-register-memory|cuda-out-of-memory") : NULL;
    return event ? event->message->id : NULL;
}

/* Send and Recv move chunks through slots that are as large as NCCL_P2P_NET_CHUNKSIZE says (128 KiB between hosts), and
 * at most an eighth of NCCL_BUFFSIZE (4 MiB). NCCL does not check NCCL_CHUNK_SIZE against that. */
static void chunk_exceeds_slot(struct orr_symptom_finder *f)
{
    uint32_t line = 0;
    const char *chunk = orr_symptom_setting(f->log, "NCCL_CHUNK_SIZE", &line);
    const char *net = orr_symptom_setting(f->log, "NCCL_P2P_NET_CHUNKSIZE", NULL);
    const char *buffer = orr_symptom_setting(f->log, "NCCL_BUFFSIZE", NULL);
    const long size = chunk ? strtol(chunk, NULL, 10) : 0, eighth = (buffer ? strtol(buffer, NULL, 10) : 1 << 22) / 8;
    long slot = net ? strtol(net, NULL, 10) : orr_symptom_has_one_host(f->log) ? eighth : 1 << 17;
    slot = slot < eighth ? slot : eighth;
    if (slot <= 0 || size <= slot)
        return;
    ORR_SYMPTOM(f, "chunk-size", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(
                    f,
                    "NCCL_CHUNK_SIZE=%ld (line %u) is larger than the slots of %ld bytes through which Send and Recv "
                    "move data: they overwrite other slots, which gives wrong data, memory faults (Xid 31) or a hang.",
                    size, line, slot),
                .check = "Check: without NCCL_CHUNK_SIZE, nccl-tests must find no wrong value.",
                .cure = "Unset NCCL_CHUNK_SIZE. Larger chunks need NCCL_P2P_NET_CHUNKSIZE and, above 512 KiB, "
                        "NCCL_BUFFSIZE of 8 times the chunk.",
                .explains = "tests-wrong");
}

/* accelerate turns P2P off by the name of the GPUs, which have P2P if NVLink joins them, or if they are RTX 3090. */
static bool set_by_accelerate(struct orr_symptom_finder *f)
{
    const struct orr_log_event *off = orr_log_event_of(f->log, "accelerate-p2p-off");
    const struct orr_log_event *nvlink = orr_log_event_of(f->log, "matrix-nvlink");
    if (!off || !(nvlink || strstr(off->text, "3090")) || orr_symptom_transports(f->log).p2p)
        return false;
    ORR_SYMPTOM(
        f, "accelerate-p2p-off", orr_symptom_failed(f->log) ? ORR_SYMPTOM_SETTING : ORR_SYMPTOM_CAUSE, off->line,
        .slows = true,
        .cause = orr_symptom_text(f,
                                  "`accelerate launch` sets NCCL_P2P_DISABLE=1 and NCCL_IB_DISABLE=1 for its processes "
                                  "because of the GPUs' name (line %u). That turns P2P off%s, so GPUs exchange data "
                                  "through host memory.",
                                  off->line,
                                  nvlink ? orr_symptom_text(f, ", and with it the NVLinks (line %u)", nvlink->line)
                                         : " and NVLink with it"),
        .check = "Check: start the same script with torchrun, or with NCCL_P2P_DISABLE=0 in front of accelerate, which "
                 "keeps a value that is set: NCCL's log must then say \"via P2P\".",
        .cure = "Set NCCL_P2P_DISABLE=0, or update accelerate, which does this for RTX 40 cards only since 2024.");
    return true;
}

/* Trays of one rack exchange data over the network, because a setting turns off the memory that NVLink between them
 * needs. */
static void rack_without_cumem(struct orr_symptom_finder *f, const struct orr_symptom_transports *seen)
{
    uint32_t line = 0;
    const char *value = orr_symptom_setting(f->log, "NCCL_CUMEM_ENABLE", &line);
    const uint32_t rack = orr_symptom_said(f->log, "gb200|gb300|nvl72|mnnvl", true);
    if (!value || strcmp(value, "0") != 0 || !seen->net || !rack)
        return;
    ORR_SYMPTOM(f, "rack-without-cumem", ORR_SYMPTOM_CAUSE, line,
                .cause =
                    orr_symptom_text(f,
                                     "NCCL_CUMEM_ENABLE=0 (line %u) turns off the memory that NVLink between hosts "
                                     "(MNNVL) needs, so hosts of one rack (line %u) use the network.",
                                     line, rack),
                .check = "Check: run once without it: the lines must say \"MNNVL 1\" and \"via P2P/MNNVL\".",
                .cure = "Unset NCCL_CUMEM_ENABLE in the command, the framework's environment and nccl.conf.");
}

void orr_symptoms_of_settings(struct orr_symptom_finder *f)
{
    const struct orr_symptom_transports seen = orr_symptom_transports(f->log);
    const char *no_p2p = orr_symptom_setting(f->log, "NCCL_P2P_DISABLE", NULL);
    const char *no_shm = orr_symptom_setting(f->log, "NCCL_SHM_DISABLE", NULL);
    const bool forced = no_p2p && no_shm && !strcmp(no_p2p, "1") && !strcmp(no_shm, "1");
    chunk_exceeds_slot(f);
    rack_without_cumem(f, &seen);
    const bool by_accelerate = set_by_accelerate(f);
    if (plugin_demands_them(f->log))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct setting *row = &rows[i];
        uint32_t line = 0;
        const char *value = orr_symptom_setting(f->log, row->name, &line);
        if (!value || !has_value(row, value) || (row->refuted_by && orr_symptom_setting(f->log, row->refuted_by, NULL)))
            continue;
        if (by_accelerate && (strstr(row->name, "NCCL_P2P_") || !strcmp(row->name, "NCCL_IB_DISABLE")))
            continue;
        if (!strcmp(row->name, "NCCL_TOPO_FILE") && !orr_symptom_has_one_host(f->log))
            continue; /* virtual machines need it between hosts */
        const char *explains = explained_by(f->log, row);
        const char *does = forced && row->cure && row->values[0] == '1' ? TO_NETWORK : row->does;
        ORR_SYMPTOM(f, orr_symptom_text(f, "setting:%s", row->name),
                    explains || shows_effect(row, &seen) ? ORR_SYMPTOM_CAUSE : row->weight, line, .explains = explains,
                    .forces_p2p = row->forces_p2p,
                    .cause = orr_symptom_text(f, "%s=%.60s (line %u) %s.", row->name, value, line, does),
                    .check = "Run once without it and compare.",
                    .cure = does == TO_NETWORK ? "That is right for a test of the network. Otherwise remove both."
                            : row->cure        ? row->cure
                                        : "Remove it from the command line, the environment and nccl.conf unless a "
                                          "measurement on this machine shows that it helps.");
    }
}
