/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lines that people paste together with a table of nvidia-smi: lscpu, the command line, the legend, `topo
 * -p2p`. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/hardware/nic_words.h"
#include "engine/input/matrix.h"

enum { LONGEST = 200 };

/* The value of "Key:   value" in lscpu's output, without blanks at its end; false if the line has another key. */
static bool value_of(const char *line, const char *key, char value[LONGEST])
{
    const size_t length = strlen(key);
    while (isspace((unsigned char)*line) || *line == '>')
        line++; /* ">" quotes */
    if (strncmp(line, key, length) != 0)
        return false;
    line += length;
    while (isspace((unsigned char)*line))
        line++;
    snprintf(value, LONGEST, "%s", line);
    for (size_t end = strlen(value); end && isspace((unsigned char)value[end - 1]);)
        value[--end] = '\0';
    return value[0] != '\0';
}

static void take_cpu(struct orr_beside *beside, const char *line, struct orr_arena *arena)
{
    const struct {
        const char *key;
        const char **field;
    } keys[] = {{"Vendor ID:", &beside->vendor},
                {"CPU family:", &beside->family},
                {"Model:", &beside->model},
                {"Architecture:", &beside->arch},
                {"Model name:", &beside->cpu_name}};
    char value[LONGEST];
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!*keys[i].field && value_of(line, keys[i].key, value))
            *keys[i].field = orr_arena_strndup(arena, value, strlen(value));
}

/* The vendor by other lines: names of CPUs, in lscpu's "Model name:" or a sentence, and the kernel's messages about the
 * IOMMU. If a text names two vendors, neither is used. */
static void take_vendor(struct orr_beside *beside, const char *line)
{
    static const struct {
        const char *word, *vendor;
    } marks[] = {
        {"EPYC", "AuthenticAMD"},       {"Ryzen", "AuthenticAMD"}, {"Threadripper", "AuthenticAMD"},
        {"AMD-Vi:", "AuthenticAMD"},    {"Xeon", "GenuineIntel"},  {"Intel(R) Core", "GenuineIntel"},
        {"Intel Core", "GenuineIntel"}, {"DMAR:", "GenuineIntel"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strstr(line, marks[i].word)) {
            beside->vendors_differ |= beside->said_vendor && strcmp(beside->said_vendor, marks[i].vendor) != 0;
            beside->said_vendor = marks[i].vendor;
        }
}

/* A row of `nvidia-smi topo -p2p r`: " GPU0  X  OK  CNS". Its cells say whether the driver offers P2P. */
static void take_p2p(struct orr_beside *beside, const char *line)
{
    static const char *const refusals[] = {"CNS", "GNS", "TNS", "NS", "U"};
    unsigned gpu, cells = 0, refused = 0;
    int at = 0;
    char word[16];
    if (sscanf(line, " GPU%u%n", &gpu, &at) != 1)
        return;
    for (int used = 0; sscanf(line + at, " %15s%n", word, &used) == 1; at += used) {
        bool refusal = false;
        for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
            refusal |= !strcmp(word, refusals[i]);
        if (!refusal && strcmp(word, "OK") != 0 && strcmp(word, "X") != 0)
            return;
        cells += refusal || !strcmp(word, "OK");
        refused += refusal;
    }
    beside->p2p_pairs += cells;
    beside->p2p_refused += refused;
}

/* If lines name different speeds of NICs, none is used. */
static void take_rate(struct orr_beside *beside, const char *line, uint32_t number)
{
    struct orr_nic_words said;
    if (!orr_nic_words_read(line, strlen(line), &said) || !said.mbps)
        return;
    beside->nics_differ |= said.differ || (beside->nic_mbps && beside->nic_mbps != said.mbps);
    beside->nic_line = beside->nic_mbps ? beside->nic_line : number;
    beside->nic_mbps = said.mbps;
}

enum orr_code orr_beside_read(const char *bytes, size_t length, struct orr_arena *arena, struct orr_beside *ret_beside,
                              struct orr_error *err)
{
    uint32_t number = 0;
    bool legend = false;
    *ret_beside = (struct orr_beside){0};
    for (size_t at = 0; at < length;) {
        const char *end = memchr(bytes + at, '\n', length - at);
        const size_t line = end ? (size_t)(end - bytes) - at : length - at;
        char text[LONGEST];
        if (orr_budget_spent(8))
            return orr_budget_check(err);
        snprintf(text, sizeof text, "%.*s", (int)(line < sizeof text ? line : sizeof text - 1), bytes + at);
        at += line + 1;
        ret_beside->pcie_only |= strstr(text, "topo -mp") != NULL;
        ret_beside->whole |= strstr(text, "topo -m") != NULL && !strstr(text, "topo -mp");
        legend |= strstr(text, "NV#") != NULL;
        take_cpu(ret_beside, text, arena);
        take_vendor(ret_beside, text);
        take_p2p(ret_beside, text);
        take_rate(ret_beside, text, ++number);
    }
    ret_beside->whole |= legend && !ret_beside->pcie_only; /* the command says more than a legend */
    if (ret_beside->nics_differ)
        ret_beside->nic_mbps = 0;
    if (!ret_beside->vendor && !ret_beside->arch && !ret_beside->vendors_differ)
        ret_beside->vendor = ret_beside->said_vendor;
    return ORR_OK;
}
