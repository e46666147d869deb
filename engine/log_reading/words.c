/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what a person writes about a job, in lines that no program printed, as plain words. */
#include <string.h>

#include "engine/log_reading/building.h"

enum {
    LINES_MOST = 64,  /* a question is at the start; what follows is output */
    LENGTH_MOST = 800 /* bytes of a line */
};

/* Whether "--name" is in the line; a dash between words is "--" too. */
static bool has_option(const char *text, size_t length)
{
    for (size_t i = 0; i + 3 < length; i++)
        if (!memcmp(text + i, " --", 3) && orr_is_letter(text[i + 3]))
            return true;
    return false;
}

/* Digits, '_' and '?' stay, everything else that is not a letter becomes one blank. */
void orr_log_take_words(struct orr_log_building *b, const char *text, size_t length, uint32_t number)
{
    enum { WORDS_LEAST = 3 };
    static const char *const subjects[] = {
        "nccl",        " nvl",      " mnnvl",    " gids ",     " busbw ",     " bus bandwidth ", " allreduce",
        " all_reduce", " alltoall", " all2all ", " allgather", " all_gather", " reducescatter",  " reduce_scatter",
        "gdrdma",      "gpudirect", " rdma "};
    static const char *const about_gpus[] = {" iommu ", "p2p ", " acs ", "peer to peer"};
    struct orr_log *log = b->log;
    char words[LENGTH_MOST + 3] = " ";
    size_t count = 1, blanks = 1;
    if (log->said_count == LINES_MOST)
        return;
    for (size_t i = 0; i < length && i < LENGTH_MOST; i++) {
        const char lower = orr_is_letter(text[i]) ? (char)(text[i] | 0x20) : text[i];
        const bool kept = orr_is_letter(lower) || orr_is_digit(lower) || lower == '_' || lower == '?';
        if (!kept && words[count - 1] == ' ')
            continue;
        words[count++] = kept ? lower : ' ';
        blanks += !kept;
    }
    if (words[count - 1] != ' ')
        words[count++] = ' ';
    if (blanks < WORDS_LEAST || (!log->said && !(log->said = ORR_NEW(log->arena, struct orr_log_said, LINES_MOST))))
        return;
    log->said[log->said_count++] = (struct orr_log_said){
        .words = orr_log_keep_text(b, words, count),
        .line = number,
        .command = !memchr(words, '?', count) && (memmem(text, length, " -x ", 4) || has_option(text, length)),
    };
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
        log->mentions_nccl |= text[0] != '#' && strstr(words, subjects[i]); /* '#': a header of a benchmark */
    log->mentions_nccl |= strstr(words, " rails ") && (strstr(words, " gpu") || strstr(words, " nic"));
    for (size_t i = 0; i < sizeof about_gpus / sizeof about_gpus[0]; i++)
        log->mentions_nccl |= (strstr(words, " gpu") || strstr(words, " rtx ") || strstr(words, "nvidia ")) &&
                              strstr(words, about_gpus[i]);
}
