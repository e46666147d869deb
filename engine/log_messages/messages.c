/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the families of messages into one table. */
#include "engine/log_messages/messages.h"

#include <stddef.h>

#define X(symbol) +1
enum { FAMILY_COUNT = 0 ORR_LOG_FAMILY_MAP(X) };
#undef X

const struct orr_log_message *orr_log_message(uint32_t index)
{
    const struct {
        const struct orr_log_message *rows;
        uint32_t count;
    } families[] = {
#define X(symbol) {orr_log_messages_##symbol, orr_log_count_##symbol},
        ORR_LOG_FAMILY_MAP(X)
#undef X
    };
    for (int i = 0; i < FAMILY_COUNT; index -= families[i++].count)
        if (index < families[i].count)
            return &families[i].rows[index];
    return NULL;
}
