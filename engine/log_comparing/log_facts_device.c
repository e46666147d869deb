/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the device side: which flags a log prints, and which kernels ran. docs/nccl/device-side.md, "What a log
 * shows". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device/kernels.h"
#include "engine/log_comparing/log_facts.h"

/* The verdict for the kind of node on which a record's writer runs. */
static const struct orr_device_verdict *verdict_at(const struct orr_log_facts *f, const struct orr_device_side *device,
                                                   const struct orr_log_record *record, enum orr_device_fact fact)
{
    const struct orr_part *part = orr_log_facts_part(f, record->session);
    uint32_t k = 0;
    while (k < device->kind_count && device->kinds[k].part != part)
        k++;
    return &device->kinds[k < device->kind_count ? k : 0].verdicts[fact];
}

static void compare(struct orr_log_facts *f, const struct orr_device_side *device, const struct orr_log_record *record,
                    enum orr_device_fact which, double logged)
{
    const struct orr_device_verdict *verdict = verdict_at(f, device, record, which);
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_DEVICE_SIDE, record->line, orr_log_count(logged), "%s",
                                                 orr_device_fact_name(device->analysis->query.settings.release, which));
    if (!fact)
        return;
    if (verdict->value < 0)
        orr_log_fact_without(f, fact, "the emulated release has no such flag");
    else
        orr_log_fact_compare(f, fact, orr_log_count(verdict->value));
}

/* intraNodeP2pSupport or isAllDirectP2p, directMode, and later isAllCudaP2p. */
static void add_p2p_type(struct orr_log_facts *f, const struct orr_device_side *device,
                         const struct orr_log_record *record)
{
    enum { DIRECT, MODE, CUDA };
    compare(f, device, record, ORR_DEVICE_DIRECT_P2P, record->values[DIRECT]);
    if (record->value_count > CUDA)
        compare(f, device, record, ORR_DEVICE_CUDA_P2P, record->values[CUDA]);
    if (record->values[MODE] > 0) { /* ranks that share a process, which no input shows */
        struct orr_log_fact *fact =
            orr_log_fact_new(f, ORR_TOPIC_DEVICE_SIDE, record->line, orr_log_count(1), "directMode");
        if (fact)
            orr_log_fact_without(f, fact, "the prediction assumes that every rank is a process of its own");
    }
}

static void add_no_symmetric(struct orr_log_facts *f, const struct orr_device_side *device,
                             const struct orr_log_record *record)
{
    compare(f, device, record, ORR_DEVICE_SYMMETRIC, 0);
    if (record->value_count > 1)
        compare(f, device, record, ORR_DEVICE_GIN, record->values[1]);
}

/* The kernel and the blocks of an AllReduce. A line shows neither the data type nor the windows: Orrery assumes
 * float32, and the windows with which the model chooses the kernel that ran, or else both windows. It is not known
 * whether lines of other collectives count the bytes of one rank or of all, so these are not compared. */
static void compare_kernel(struct orr_log_facts *f, const struct orr_device_side *device,
                           const struct orr_log_record *record)
{
    enum { FUNCTION, BYTES, KERNEL };
    static const enum orr_windows windows[] = {ORR_WINDOWS_RECV, ORR_WINDOWS_SEND, ORR_WINDOWS_NONE, ORR_WINDOWS_BOTH};
    const int32_t blocks = (int32_t)record->values[0];
    struct orr_device_choice choice = {0};
    char logged[ORR_LOG_FACT_TEXT], predicted[ORR_LOG_FACT_TEXT];
    if (strcmp(record->words[FUNCTION], "AllReduce") != 0)
        return;
    for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
        const struct orr_device_call call = {.function = ORR_ALLREDUCE,
                                             .type = ORR_TYPE_FLOAT32,
                                             .bytes = strtoull(record->words[BYTES], NULL, 10),
                                             .windows = windows[w]};
        orr_device_choose(device, &call, &choice, NULL, NULL);
        if (choice.kernel && !strcmp(choice.kernel, record->words[KERNEL]) && choice.blocks == blocks)
            break;
    }
    snprintf(logged, sizeof logged, "%.80s, %d block%s", record->words[KERNEL], blocks, blocks == 1 ? "" : "s");
    snprintf(predicted, sizeof predicted, "%.80s, %d block%s", choice.kernel ? choice.kernel : "a classic kernel",
             choice.blocks, choice.blocks == 1 ? "" : "s");
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_DEVICE_SIDE, record->line, orr_log_words(logged),
                                                 "kernel of AllReduce, %.20s bytes", record->words[BYTES]);
    if (fact)
        orr_log_fact_compare(f, fact, orr_log_words(predicted));
}

static void add_kernel(struct orr_log_facts *f, const struct orr_device_side *device,
                       const struct orr_log_record *record)
{
    const struct orr_device_verdict *verdict = verdict_at(f, device, record, ORR_DEVICE_KERNELS);
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_DEVICE_SIDE, record->line, orr_log_words("run"), "symmetric kernels");
    if (fact && verdict->value > 0)
        orr_log_fact_compare(f, fact, orr_log_words("run"));
    else if (fact)
        orr_log_fact_lacking(f, fact, "do not run: %s", verdict->sentence);
    if (verdict->value > 0)
        compare_kernel(f, device, record);
}

/* A window's address range shows that symmetric memory is used. Its size is the memory of the largest GPU of all
 * hosts. */
static void add_space(struct orr_log_facts *f, const struct orr_device_side *device,
                      const struct orr_log_record *record)
{
    compare(f, device, record, ORR_DEVICE_SYMMETRIC, 1);
}

static void add_skipped(struct orr_log_facts *f, const struct orr_device_side *device,
                        const struct orr_log_record *record)
{
    enum { KERNEL, DRIVER };
    char logged[ORR_LOG_FACT_TEXT];
    (void)device;
    const int32_t driver = (int32_t)record->values[DRIVER];
    snprintf(logged, sizeof logged, "number %d is left out: it needs driver %d.%d", (int32_t)record->values[KERNEL],
             driver / 1000, driver % 1000 / 10);
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_DEVICE_SIDE, record->line, orr_log_words(logged), "a symmetric kernel");
    if (fact)
        orr_log_fact_without(f, fact, "the prediction assumes a driver that loads all kernels");
}

static void add_connections(struct orr_log_facts *f, const struct orr_device_side *device,
                            const struct orr_log_record *record)
{
    enum { CONNECTIONS = 1 };
    const uint32_t predicted = orr_device_gin_connections(device);
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_DEVICE_SIDE, record->line,
                                                 orr_log_count(record->values[CONNECTIONS]), "GIN connections");
    if (fact && predicted)
        orr_log_fact_compare(f, fact, orr_log_count(predicted));
    else if (fact)
        orr_log_fact_without(f, fact, "the prediction has no GIN");
}

static void add_domain(struct orr_log_facts *f, const struct orr_device_side *device,
                       const struct orr_log_record *record)
{
    compare(f, device, record, ORR_DEVICE_LSA, record->values[0]);
}

/* Ranks of the NVLink clique, where NCCL says that it uses it. */
static void add_clique(struct orr_log_facts *f, const struct orr_device_side *device,
                       const struct orr_log_record *record)
{
    enum { ON, SIZE };
    const struct orr_part *part = orr_log_facts_part(f, record->session);
    if (record->values[ON] <= 0)
        return;
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_DEVICE_SIDE, record->line,
                                                 orr_log_count(record->values[SIZE]), "ranks of the NVLink clique");
    if (fact && device->fused)
        orr_log_fact_compare(f, fact, orr_log_count(part->contribution.rank_count));
    else if (fact && f->seats)
        orr_log_fact_lacking(f, fact, "none: %s", orr_mnnvl_rule_text(f->analysis->cluster->fabrics.rule));
    else if (fact)
        orr_log_fact_without(f, fact, "neither the input nor the log says which hosts share an NVLink domain");
}

/* A GPU's report about its fabric, which no dump contains: the prediction takes it from the log (domains.c). NCCL looks
 * at state, UUID and clique, never at the health. */
static void add_fabric(struct orr_log_facts *f, const struct orr_device_side *device,
                       const struct orr_log_record *record)
{
    static const char *const states[] = {"not supported", "not started", "in progress", "completed"};
    enum { UUID = 1, UUID_LOW, CLIQUE, HEALTH };
    char logged[ORR_LOG_FACT_TEXT];
    const double state = record->values[0];
    (void)device;
    snprintf(logged, sizeof logged, "UUID %.32s.%.32s, clique %.16s, %s, health %.16s", record->words[UUID],
             record->words[UUID_LOW], record->words[CLIQUE], state >= 0 && state < 4 ? states[(int)state] : "?",
             record->words[HEALTH]);
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_DEVICE_SIDE, record->line, orr_log_words(logged), "NVLink fabric");
    if (fact)
        orr_log_fact_without(f, fact,
                             f->seats ? "the prediction takes it from the log"
                                      : "a dump does not contain it; a cluster file may");
}

static void add_gin(struct orr_log_facts *f, const struct orr_device_side *device, const struct orr_log_record *record)
{
    const struct orr_part *part = orr_log_facts_part(f, record->session);
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_DEVICE_SIDE, record->line,
                         orr_log_words(orr_gin_type_name((enum orr_gin_type)record->values[0])), "type of GIN");
    for (uint32_t k = 0; fact && k < device->kind_count; k++)
        if (device->kinds[k].part == part) {
            orr_log_fact_compare(f, fact, orr_log_words(orr_gin_type_name(device->kinds[k].gin_type)));
            return;
        }
    if (fact)
        orr_log_fact_without(f, fact, "the prediction has no such host");
}

enum orr_code orr_log_facts_of_device(struct orr_log_facts *f, struct orr_error *err)
{
    static const struct {
        enum orr_log_kind kind;
        uint32_t values, words;
        void (*add)(struct orr_log_facts *f, const struct orr_device_side *device, const struct orr_log_record *record);
    } rows[] = {
        {ORR_LOG_P2P_TYPE, 2, 0, add_p2p_type},
        {ORR_LOG_NO_SYMMETRIC, 0, 0, add_no_symmetric},
        {ORR_LOG_SYMMETRIC, 2, 3, add_kernel},
        {ORR_LOG_NVLINK_DOMAIN, 1, 0, add_domain},
        {ORR_LOG_MNNVL, 2, 0, add_clique},
        {ORR_LOG_FABRIC, 1, 5, add_fabric},
        {ORR_LOG_GIN, 1, 0, add_gin},
        {ORR_LOG_SYMMETRIC_SPACE, 1, 0, add_space},
        {ORR_LOG_KERNEL_SKIPPED, 2, 0, add_skipped},
        {ORR_LOG_GIN_CONNECTIONS, 2, 0, add_connections},
    };
    struct orr_device_side device;
    bool decided = false;
    const struct orr_log_own own = orr_log_records_of(f->log, f->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &f->log->records[own.at[i]];
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            if (rows[r].kind != record->kind || record->value_count < rows[r].values ||
                record->word_count < rows[r].words)
                continue;
            if (!decided)
                ORR_TRY(orr_device_decide(f->analysis, f->arena, &device, err));
            decided = true;
            rows[r].add(f, &device, record);
        }
    }
    return ORR_OK;
}
