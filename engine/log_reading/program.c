/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a collective in Python code that only rank 0 calls:
 *
 *     if accelerator.is_main_process:
 *         accelerator.wait_for_everyone()
 *
 * A call of the other ranks, under the opposite condition or `else`, may be its counterpart.
 */
#include <string.h>

#include "engine/log_reading/building.h"

enum { KEPT_MOST = 60, TAB = 8 };

static bool has_any(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (memmem(text, length, *words, strlen(*words)))
            return true;
    return false;
}

static bool begins(const char *text, size_t length, const char *word)
{
    return length >= strlen(word) && !memcmp(text, word, strlen(word));
}

/* Which ranks a condition chooses. */
static enum orr_log_branch branch_of(const char *text, size_t length)
{
    static const char *const first[] = {"is_main_process", "is_global_zero", "is_world_process_zero", "rank == 0",
                                        "rank==0",         "rank() == 0",    "rank in [-1, 0]",       NULL};
    static const char *const others[] = {"rank != 0",           "rank!=0", "rank() != 0", "rank > 0",
                                         "rank not in [-1, 0]", NULL};
    static const char *const unclear[] = {" or ", "(not ", NULL};
    if (has_any(text, length, unclear))
        return ORR_BRANCH_NONE;
    if (has_any(text, length, others))
        return ORR_BRANCH_OTHERS;
    if (!has_any(text, length, first))
        return ORR_BRANCH_NONE;
    return memmem(text, length, " not ", strlen(" not ")) ? ORR_BRANCH_OTHERS : ORR_BRANCH_FIRST;
}

static bool calls_collective(const char *text, size_t length)
{
    static const char *const calls[] = {
        "wait_for_everyone(", "dist.barrier(",          "distributed.barrier(",   "all_reduce(",
        "all_gather(",        "all_gather_object(",     "gather_for_metrics(",    "accelerator.gather(",
        "dist.broadcast(",    "broadcast_object_list(", "reduce_scatter_tensor(", NULL};
    return has_any(text, length, calls);
}

void orr_log_take_program(struct orr_log_building *b, const char *line, size_t length, uint32_t number)
{
    struct orr_log_guarded *guarded = &b->log->guarded;
    struct orr_log_block *block = &b->block;
    const char *text = line;
    size_t indent = 0;
    for (; length && orr_log_is_blank(*text); text++, length--)
        indent += *text == '\t' ? TAB : 1;
    while (length && (orr_log_is_blank(text[length - 1]) || text[length - 1] == '\r'))
        length--;
    if (!length || *text == '#')
        return;
    if (!guarded->async_line && memmem(text, length, "async_op=True", strlen("async_op=True")))
        guarded->async_line = number;
    guarded->waits |= memmem(text, length, "wait(", strlen("wait(")) ||
                      memmem(text, length, ".wait", strlen(".wait")) ||
                      memmem(text, length, "synchronize(", strlen("synchronize("));
    const bool is_if = begins(text, length, "if "), is_else = begins(text, length, "else:");
    if (!block->branch && !is_if)
        return;
    if (block->branch && indent <= block->indent) {
        const bool other = is_else && indent == block->indent;
        block->branch = !other                              ? ORR_BRANCH_NONE
                        : block->branch == ORR_BRANCH_FIRST ? ORR_BRANCH_OTHERS
                                                            : ORR_BRANCH_FIRST;
    }
    const enum orr_log_branch chosen = is_if ? branch_of(text, length) : ORR_BRANCH_NONE;
    if (chosen && !block->branch) {
        *block = (struct orr_log_block){.branch = chosen, .indent = indent, .line = number};
        block->length = length < sizeof block->condition ? length : sizeof block->condition;
        memcpy(block->condition, text, block->length);
    }
    if (!block->branch || !calls_collective(text, length))
        return;
    if (block->branch == ORR_BRANCH_OTHERS)
        guarded->others = true;
    else if (!guarded->call_line && block->line != number)
        *guarded = (struct orr_log_guarded){.async_line = guarded->async_line,
                                            .waits = guarded->waits,
                                            .line = block->line,
                                            .call_line = number,
                                            .condition = orr_log_keep_text(b, block->condition, block->length),
                                            .call = orr_log_keep_text(b, text, length < KEPT_MOST ? length : KEPT_MOST),
                                            .others = guarded->others};
}
