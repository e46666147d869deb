/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the size of BAR 1 of GPUs, through which the host and other GPUs reach their memory, and the size of that
 * memory.
 *
 *      BAR1 Memory Usage                                nvidia-smi -q, also FB Memory Usage
 *          Total                      : 256 MiB
 *      BAR 1: current size: 256MB, supported: 64MB 128MB 256MB           lspci -vv
 *      Memory at 28800000000 (64-bit, prefetchable) [size=32G]           lspci -v, below the GPU
 *      |  0%   31C    P8    6W / 600W |      2MiB /  32607MiB |          nvidia-smi
 *      NVIDIA GeForce RTX 4090, 24564 MiB                                nvidia-smi --query-gpu=name,memory.total
 *
 * The smallest and the largest BAR 1 are kept, and the largest of the others. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/building.h"

/* The text after a word of the line, which ends with a null byte; NULL if the line lacks the word. */
static const char *after(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    return at ? at + strlen(word) : NULL;
}

/* "256MB", "32 GiB", "32G": in MiB, 0 if it is something else. */
static double read_size(const char *text)
{
    enum { GIB = 1024, TIB = 1024 * 1024 };
    char *end;
    const double number = strtod(text, &end);
    if (end == text || number <= 0 || number > TIB)
        return 0;
    while (*end == ' ')
        end++;
    return *end == 'G' ? number * GIB : *end == 'M' ? number : *end == 'T' ? number * TIB : 0;
}

static void take_bar1(struct orr_log_building *b, double size, uint32_t number)
{
    struct orr_log_aperture *aperture = &b->log->aperture;
    if (size > aperture->largest) {
        aperture->largest = size;
        aperture->largest_line = number;
    }
    if (size <= 0 || (aperture->line && aperture->bar1 <= size))
        return;
    aperture->bar1 = size;
    aperture->line = number;
}

static void take_memory(struct orr_log_building *b, double size)
{
    if (size > b->log->aperture.memory)
        b->log->aperture.memory = size;
}

/* The largest size of a list such as "64MB 128MB 256MB". */
static double largest(const char *list)
{
    double most = 0;
    for (const char *at = list; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        const double size = read_size(at);
        most = size > most ? size : most;
    }
    return most;
}

/* "Total : 256 MiB" below the heading of its kind of memory. */
static bool take_total(struct orr_log_building *b, const char *line, uint32_t number)
{
    const char *total = after(line, "Total ");
    if (strstr(line, " Memory Usage")) {
        b->usage = strstr(line, "BAR1 ") ? ORR_LOG_USAGE_BAR1 : strstr(line, "FB ") ? ORR_LOG_USAGE_MEMORY : 0;
        return true;
    }
    if (!b->usage || !total || !(total = strchr(total, ':')))
        return false;
    const double size = read_size(total + 1);
    if (b->usage == ORR_LOG_USAGE_BAR1)
        take_bar1(b, size, number);
    else
        take_memory(b, size);
    b->usage = 0;
    return true;
}

bool orr_log_take_aperture(struct orr_log_building *b, const char *line, uint32_t number)
{
    const char *at = after(line, "BAR 1: current size: "), *supported = at ? after(at, "supported: ") : NULL;
    if (at) {
        take_bar1(b, read_size(at), number);
        const double most = supported ? largest(supported) : 0;
        if (most > b->log->aperture.most)
            b->log->aperture.most = most;
        return true;
    }
    if ((at = after(line, "(64-bit, prefetchable) [size="))) {
        if (b->pci.is_gpu) /* the first such region is BAR 1 */
            take_bar1(b, read_size(at), number);
        b->pci.is_gpu = false;
        return true;
    }
    if (!strstr(line, "MiB"))
        return take_total(b, line, number);
    if ((at = after(line, "MiB / ")) && strchr(line, '|')) {
        take_memory(b, read_size(at));
        return !strstr(line, "E. Process"); /* which has a message */
    }
    if (strstr(line, "NVIDIA ") && (at = strrchr(line, ',')) && read_size(at + 1) > 0) {
        take_memory(b, read_size(at + 1));
        return true;
    }
    return take_total(b, line, number);
}
