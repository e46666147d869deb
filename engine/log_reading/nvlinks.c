/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of `nvidia-smi topo -m`, whose first cells are about GPUs, and the NVLinks of a printed tree:
 *
 *     GPU1   NV4    X    PHB  SYS          + PCI[24.0] - GPU/44000 (1)
 *                                                        + NVL[60.0] - GPU/84000 */
#include "engine/log_reading/nvlinks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/building.h"

/* A cell of the matrix: its NVLinks, or how PCIe joins the two; false if it is something else. */
static bool read_cell(const char *word, double *ret_links, const char **ret_cell)
{
    static const char *const cells[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC"};
    *ret_links = 0;
    *ret_cell = NULL;
    if (word[0] == 'N' && word[1] == 'V' && orr_is_digit(word[2])) {
        *ret_links = strtod(word + 2, NULL);
        return true;
    }
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        if (!strcmp(word, cells[i])) {
            *ret_cell = cells[i];
            return true;
        }
    return false;
}

void orr_log_take_nvlinks(struct orr_log_building *b, const char *line, uint32_t number)
{
    struct orr_log_nvlinks *links = b->log->nvlinks;
    const char *at = line + strspn(line, " \t>`|");
    unsigned gpu;
    int used = 0;
    char word[8];
    if (strncmp(at, "GPU", 3) != 0 || sscanf(at, "GPU%2u%n", &gpu, &used) != 1 || gpu >= ORR_NVLINK_GPUS)
        return;
    at += used;
    if (sscanf(at, " %7s%n", word, &used) != 1 || !read_cell(word, &(double){0}, &(const char *){NULL}))
        return; /* the names of the columns */
    if (!links && !(links = b->log->nvlinks = ORR_NEW(b->log->arena, struct orr_log_nvlinks, 1)))
        return;
    if (links->lines[gpu])
        return; /* of another host */
    links->counts = true;
    links->line = links->line ? links->line : number;
    links->lines[gpu] = number;
    links->gpus = gpu >= links->gpus ? gpu + 1 : links->gpus;
    for (uint32_t to = 0; to < ORR_NVLINK_GPUS && sscanf(at, " %7s%n", word, &used) == 1; to++, at += used)
        if (!read_cell(word, &links->between[gpu][to], &links->cells[gpu][to]))
            break;
}

/* The number of a tree's GPU; ORR_NVLINK_GPUS if there are too many. */
static uint32_t gpu_of(struct orr_log_nvlinks *links, const char *name)
{
    uint32_t at = 0;
    while (at < links->gpus && strcmp(links->names[at], name) != 0)
        at++;
    if (at == links->gpus && at < ORR_NVLINK_GPUS)
        links->names[links->gpus++] = name;
    return at;
}

static void read_tree(const struct orr_log *log, struct orr_log_nvlinks *links)
{
    const char *above = NULL;
    uint32_t session = UINT32_MAX;
    for (uint32_t i = 0; i < log->record_count && log->kinds[ORR_LOG_TREE_LINK]; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind == ORR_LOG_TREE_END && session == record->session)
            break;
        if (record->kind != ORR_LOG_TREE_LINK || record->word_count < 2 || record->value_count < 2 ||
            (session != UINT32_MAX && session != record->session))
            continue;
        session = record->session;
        const bool gpu = !strncmp(record->words[1], "GPU/", 4), nvlink = !strcmp(record->words[0], "NVL");
        if (!nvlink)
            above = gpu ? record->words[1] : NULL;
        if (!nvlink || !gpu || !above)
            continue;
        const uint32_t from = gpu_of(links, above), to = gpu_of(links, record->words[1]);
        if (from < ORR_NVLINK_GPUS && to < ORR_NVLINK_GPUS)
            links->between[from][to] = record->values[1];
        links->line = links->line ? links->line : record->line;
    }
}

bool orr_log_nvlinks_of(const struct orr_log *log, struct orr_log_nvlinks *ret_links)
{
    static const char *const names[ORR_NVLINK_GPUS] = {"GPU0",  "GPU1",  "GPU2",  "GPU3", "GPU4",  "GPU5",
                                                       "GPU6",  "GPU7",  "GPU8",  "GPU9", "GPU10", "GPU11",
                                                       "GPU12", "GPU13", "GPU14", "GPU15"};
    *ret_links = log->nvlinks ? *log->nvlinks : (struct orr_log_nvlinks){.gpus = 0};
    if (!log->nvlinks)
        read_tree(log, ret_links);
    for (uint32_t i = 0; i < ret_links->gpus && log->nvlinks; i++) {
        if (!ret_links->lines[i])
            return false; /* a row is missing */
        ret_links->names[i] = names[i];
    }
    return ret_links->gpus > 1;
}
