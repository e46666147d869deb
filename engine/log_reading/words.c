/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what a person writes about a job, in lines that no program printed, as plain words, and the first line that
 * mentions one of a few subjects. */
#include <string.h>

#include "engine/log_reading/building.h"

enum {
    LINES_MOST = 64,      /* a question is at the start; what follows is output */
    LENGTH_MOST = 800,    /* bytes of a line that are kept */
    SEARCHED_MOST = 4096, /* bytes of a line in which subjects are looked for */
    MENTIONS_MOST = 10000 /* lines in which they are looked for: other programs print without end */
};

/* Whether "--name" is in the line; a dash between words is "--" too. */
static bool has_option(const char *text, size_t length)
{
    for (size_t i = 0; i + 3 < length; i++)
        if (!memcmp(text + i, " --", 3) && orr_is_letter(text[i + 3]))
            return true;
    return false;
}

#define HANGS                                                                                                          \
    " hang| hung |stuck| freez| stall|deadlock| forever|never return|no progress|not finish|"                          \
    "never finish|not come up|nothing happens|stays here|stays there|not terminate|never ends"

static const char *const mentions[ORR_MENTION_COUNT] = {
    [ORR_MENTION_NCCL] =
        "nccl| imex |process_group| symmetric memory| nvl| mnnvl| gids | busbw | bus bandwidth | allreduce| "
        "all_reduce| alltoall| all2all | allgather| all_gather| reducescatter| reduce_scatter| collectives "
        "|gdrdma|gpudirect| rdma | infiniband | ib | topo mp |invalid device ordinal|vendor "
        "err|vendor_err|computedomain|compute domain|healthmask|health mask|cliqueid| gb10 |dgx spark|show_gids| ll128 "
        "; rail|topology file& gpu| nic| node| hca| rank| h100| h200| a100| b200; nic | nics & gpu|collective; iommu "
        "|p2p | acs |peer to peer& gpu| rtx |nvidia ; gdaki | tuner plugin| tuning plugin; all gather| all reduce| "
        "reduce scatter& rank| ring |fsdp| gpu; sharp & roce;tensor parallel|tensor_parallel; sendrecv ;collective "
        "communication|communicator& gpu|channels| "
        "ranks;in_place&out_of_place|coll;can_device_access_peer|ggml_cuda_p2p|peer "
        "access;gibberish|nonsense|garbled|mangled|garbage output|all zero|zeros&two gpu|gpu split|gpu_split|both "
        "gpu|to cuda 1|multiple gpus|second gpu|other gpu|row split|split mode|destination "
        "gpu;torchrun|c10d|rdzv|master_addr",
    [ORR_MENTION_HANG] = HANGS,
    [ORR_MENTION_P2P_OFF] = "nccl_p2p_disable&_disable 1 | to 1 | is 1 ",
    [ORR_MENTION_VIRTUAL] = "virtual machine|virtualized| kvm|qemu",
    [ORR_MENTION_EFA] = " efa ",
    [ORR_MENTION_GEFORCE] = " rtx &4090|4080|4070|4060|5090|5080|5070|5060",
};

bool orr_log_has_word(const char *text, size_t length, const char *words)
{
    for (size_t count; count = strcspn(words, "|&+;"), !memmem(text, length, words, count); words += count + 1)
        if (words[count] != '|')
            return false;
    return true;
}

/* As orr_log_says(), for words that end at ';'. */
static bool has_all(const struct orr_log_said *said, uint32_t count, uint32_t line, const char *words)
{
    for (bool anywhere = false;; words++) {
        bool any = false;
        const bool unwanted = *words == '!';
        words += unwanted;
        for (uint32_t i = anywhere ? 0 : line; i < (anywhere ? count : line + 1) && !any; i++)
            any = orr_log_has_word(said[i].words, strlen(said[i].words), words);
        words += strcspn(words, "&+;");
        if (any == unwanted || *words == ';' || !*words)
            return any != unwanted;
        anywhere = *words == '+';
    }
}

bool orr_log_says(const struct orr_log_said *said, uint32_t count, uint32_t line, const char *words)
{
    for (; words; words = strchr(words, ';'))
        if (has_all(said, count, line, words += *words == ';'))
            return true;
    return false;
}

/* Writes the words of a text and returns their bytes. Digits, '_' and '?' stay, '?' as a word of its own; everything
 * else that is not a letter becomes one blank. */
static size_t plain(const char *text, size_t length, char words[2 * SEARCHED_MOST + 3])
{
    size_t count = 1;
    words[0] = ' ';
    for (size_t i = 0; i < length && i < SEARCHED_MOST; i++) {
        const bool asks = i + 2 < length && !memcmp(text + i, "\xef\xbc\x9f", 3); /* the full-width question mark */
        const char lower = orr_is_letter(text[i]) ? (char)(text[i] | 0x20) : asks ? '?' : text[i];
        const bool kept = orr_is_letter(lower) || orr_is_digit(lower) || lower == '_' || lower == '?';
        if ((!kept || lower == '?' || words[count - 1] == '?') && words[count - 1] != ' ')
            words[count++] = ' ';
        if (kept)
            words[count++] = lower;
    }
    if (words[count - 1] != ' ')
        words[count++] = ' ';
    words[count] = '\0';
    return count;
}

bool orr_log_is_quoted(const struct orr_log_building *b, const char *line, size_t length, const char *at, bool first,
                       bool *ret_tried)
{
    char words[2 * SEARCHED_MOST + 3];
    const struct orr_log_said said = {.words = words};
    const size_t before = (size_t)(at - line);
    plain(line, length, words);
    *ret_tried = b->attempts || orr_log_says(&said, 1, 0, " tried | latter ");
    if (first && (line[0] == '#' || orr_log_has_word(line, length, "[Bug]|Title:|Subject:")))
        return true;
    if (before > 2 && strchr("\"`", at[-1]) && at[-2] == ' ' && (orr_is_letter(at[-3]) || at[-3] == ','))
        return true;
    return orr_log_says(&said, 1, 0, " i | i m | i ve | my | our | why | latter ");
}

/* benchmark: the line may be a header of results, which does not ask about NCCL. */
static void take_mentions(struct orr_log_building *b, const char *words, size_t count, uint32_t number, bool benchmark)
{
    const struct orr_log_said said = {.words = words, .line = number};
    for (size_t i = benchmark ? ORR_MENTION_NCCL + 1 : 0; i < ORR_MENTION_COUNT; i++) {
        if (b->log->mentions[i] || !orr_log_says(&said, 1, 0, mentions[i]))
            continue;
        struct orr_log_said *kept = ORR_NEW(b->log->arena, struct orr_log_said, 1);
        if (kept)
            *kept = (struct orr_log_said){orr_log_keep_text(b, words, count), number, false};
        b->log->mentions[i] = kept;
    }
}

/* Whether the words are the name of a configuration and its number, which rows of engine/symptoms compare. */
static bool is_number_of(const char *words)
{
    static const char names[] =
        " gpus_per_node | nproc_per_node | num_gpus | ddp_timeout | distributed_timeout_minutes ";
    const size_t name = strcspn(words + 1, " ") + 2;
    return orr_is_digit(words[name]) && orr_log_has_word(words, name, names);
}

void orr_log_take_words(struct orr_log_building *b, const char *text, size_t length, uint32_t number, bool printed)
{
    enum { BLANKS_LEAST = 4 }; /* around three words */
    struct orr_log *log = b->log;
    char words[2 * SEARCHED_MOST + 3];
    size_t blanks = 0;
    if (log->said_count == LINES_MOST && (printed || b->unprinted >= MENTIONS_MOST))
        return;
    size_t count = plain(text, length, words);
    if (!printed && b->unprinted++ < MENTIONS_MOST)
        take_mentions(b, words, count, number, text[0] == '#');
    count = count < LENGTH_MOST ? count : LENGTH_MOST;
    words[count] = '\0';
    for (size_t i = 0; i < count; i++)
        blanks += words[i] == ' ';
    if ((blanks < BLANKS_LEAST && !is_number_of(words)) || log->said_count == LINES_MOST ||
        (!log->said && !(log->said = ORR_NEW(log->arena, struct orr_log_said, LINES_MOST))))
        return;
    struct orr_log_said *said = &log->said[log->said_count];
    *said = (struct orr_log_said){.words = orr_log_keep_text(b, words, count), .line = number};
    /* With words or marks of a sentence, a line with options is what a person writes about them. */
    said->command = (memmem(text, length, " -x ", 4) || has_option(text, length)) && !memmem(text, length, ". ", 2) &&
                    !orr_log_says(said, 1, 0, "?| the | is | does | not | we | my | uses | fails ");
    log->said_count++;
}
