/* SPDX-License-Identifier: Apache-2.0 */
/* The network: bonds, ports in two halves, interfaces for sockets. */
#include <stdlib.h>
#include <string.h>

#include "engine/hardware/gpu_models.h"
#include "engine/symptoms/finding.h"

static const struct orr_log_record *network_list(const struct orr_log *log, const char *of)
{
    for (uint32_t i = 0; i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_NIC_LIST && log->records[i].word_count > 1 &&
            !strncmp(log->records[i].words[0], of, strlen(of)))
            return &log->records[i];
    return NULL;
}

/* A bond is one device to NCCL. */
static void bonds(struct orr_symptom_finder *f)
{
    const struct orr_log_record *list = network_list(f->log, "IB");
    const char *bond = list ? strstr(list->words[1], "bond") : NULL;
    const char *pairs = orr_symptom_setting(f->log, "NCCL_IB_QPS_PER_CONNECTION", NULL);
    const bool many = pairs && strtol(pairs, NULL, 10) > 1;
    if (!bond)
        return;
    while (bond > list->words[1] && bond[-1] != ']' && bond[-1] != ' ')
        bond--;
    const char *name = orr_symptom_text(f, "%.*s", (int)strcspn(bond, ":/ "), bond);
    orr_symptom_add(
        f,
        &(struct orr_symptom){
            .id = "bond",
            .weight = ORR_SYMPTOM_CAUSE,
            .cause = orr_symptom_text(
                f,
                "%.60s is a bond (line %u). NCCL sees one device, and %s, so a transfer often uses one of its ports: "
                "half of the bandwidth.",
                name, list->line,
                many ? "even several queue pairs can be hashed to the same port" : "one queue pair a connection"),
            .check = many ? "Check: compare the port counters (ethtool -S or /sys/class/infiniband/*/ports/1/"
                            "hw_counters) of both ports during a run."
                          : "Check: run with NCCL_IB_QPS_PER_CONNECTION=4 and compare; `ib_write_bw -q 8` shows what "
                            "the bond can carry.",
            .cure = many ? "Best: give NCCL the two ports unbonded. Else also set NCCL_IB_SPLIT_DATA_ON_QPS=1, and let "
                           "the bond hash by layer 3+4."
                         : "Set NCCL_IB_QPS_PER_CONNECTION=4 (or 2); best, give NCCL the two ports unbonded.",
            .line = list->line});
}

/* The port of a DGX Spark is two NICs, each with half of its 200 Gb/s. */
static void half_port(struct orr_symptom_finder *f)
{
    const char *hca = orr_symptom_setting(f->log, "NCCL_IB_HCA", NULL);
    const struct orr_log_record *first = NULL, *list = network_list(f->log, "IB");
    bool hosts = false;
    for (uint32_t i = 0; i < f->log->record_count; i++) {
        const struct orr_log_record *record = &f->log->records[i];
        if (record->kind != ORR_LOG_DEVICE || record->word_count < 3)
            continue;
        const struct orr_gpu_model *model = orr_gpu_model_of_name(record->words[2]);
        if (!model || !orr_gpu_model_is(model, "GB10"))
            return;
        hosts |= first && strcmp(first->words[0], record->words[0]) != 0;
        first = first ? first : record;
    }
    if (!hosts || (hca && strchr(hca, ',')) || (list && strstr(list->words[1], "[1]")))
        return; /* both halves are in use */
    orr_symptom_add(
        f,
        &(struct orr_symptom){
            .id = "half-port",
            .weight = ORR_SYMPTOM_NOTE,
            .cause =
                "The QSFP port of a DGX Spark is two NICs, each with half of its 200 Gb/s, and NCCL must use both: "
                "NCCL_IB_HCA=rocep1s0f0,roceP2p1s0f0. `ibdev2netdev` lists their names.",
            .check =
                "Check: with NCCL_DEBUG=INFO the line \"NET/IB : Using\" must list both NICs with /RoCE; `ip link` "
                "must show mtu 9000 on both interfaces.",
            .cure = "Give both interfaces an address and MTU 9000, name both NICs in NCCL_IB_HCA, and use a release of "
                    "NCCL that supports this machine.",
            .line = first->line});
}

/* Sockets over an interface for management. */
static void management_port(struct orr_symptom_finder *f)
{
    static const char *const slow[] = {"eno", "enp0s3", "docker", "virbr", "br-", "lo", "em1"};
    uint32_t line = 0;
    const char *name = orr_symptom_setting(f->log, "NCCL_SOCKET_IFNAME", &line);
    bool sockets = false;
    for (uint32_t i = 0; i < f->log->record_count; i++)
        sockets |= f->log->records[i].kind == ORR_LOG_NETWORK && f->log->records[i].word_count &&
                   !strncmp(f->log->records[i].words[0], "Socket", 6);
    for (size_t i = 0; name && sockets && i < sizeof slow / sizeof slow[0]; i++) {
        if (strncmp(name + (*name == '='), slow[i], strlen(slow[i])) != 0)
            continue;
        orr_symptom_add(
            f, &(struct orr_symptom){
                   .id = "management-port",
                   .weight = ORR_SYMPTOM_CAUSE,
                   .cause = orr_symptom_text(f,
                                             "All traffic between hosts goes over TCP through %.60s "
                                             "(NCCL_SOCKET_IFNAME, line %u), which is usually a port for management.",
                                             name, line),
                   .check = orr_symptom_text(f, "Check: `ethtool %.60s | grep Speed`.", name),
                   .cure = "Name the fastest interface that all hosts share in NCCL_SOCKET_IFNAME, and give NCCL its "
                           "InfiniBand or RoCE NICs if the hosts have them.",
                   .line = line});
        return;
    }
}

void orr_symptoms_of_network(struct orr_symptom_finder *f)
{
    bonds(f);
    half_port(f);
    management_port(f);
}
