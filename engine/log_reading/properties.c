/* SPDX-License-Identifier: Apache-2.0 */
/* Answers questions about a log as a whole. */
#include <stdio.h>
#include <string.h>

#include "engine/log_reading/log.h"
#include "engine/release/release_names.h"

const struct orr_log_limits orr_log_default_limits = {
    .bytes = (size_t)64 << 20, .line = 1 << 16, .records = 2000000, .memory = (size_t)1 << 30};
const struct orr_log_limits orr_log_stream_limits = {
    .bytes = SIZE_MAX, .line = 1 << 16, .records = 2000000, .memory = (size_t)1 << 30};

void orr_log_free(struct orr_log *log)
{
    orr_arena_free(log->arena);
}

bool orr_log_is_one(const char *bytes, size_t length)
{
    static const char *const marks[] = {" NCCL INFO ", " NCCL WARN ", "NCCL version ", "RCCL version "};
    enum { LOOKED_AT = 1 << 20 };
    size_t start = 0, look = length < LOOKED_AT ? length : LOOKED_AT;
    while (start < look && strchr(" \t\r\n", bytes[start]) && bytes[start])
        start++;
    if (start < look && bytes[start] == '<') /* XML may contain such words in a comment */
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (memmem(bytes, look, marks[i], strlen(marks[i])))
            return true;
    return false;
}

uint32_t orr_log_largest(const struct orr_log *log)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < log->communicator_count; i++)
        if (best == UINT32_MAX || log->communicators[i].rank_count > log->communicators[best].rank_count)
            best = i;
    return best;
}

uint32_t orr_log_version(const struct orr_log *log, const char **ret_text)
{
    for (uint32_t i = 0; i < log->release_count && !log->rccl; i++) {
        char text[32];
        bool exact;
        snprintf(text, sizeof text, "%.*s", (int)strspn(log->releases[i], "0123456789."), log->releases[i]);
        uint32_t version = orr_release_version_of(text, &exact);
        if (!version)
            continue;
        if (ret_text)
            *ret_text = log->releases[i];
        return version;
    }
    return 0;
}
