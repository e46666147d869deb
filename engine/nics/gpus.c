/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nics/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/nics/combine.h"

enum { ITEM_SIZE = 40, INDEX_DIGITS = 3 };

uint32_t orr_gpus_ranked(const struct orr_dump *dump)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < dump->element_count; e++)
        count += dump->elements[e].kind == ORR_ELEMENT_GPU && orr_element_text(dump, e, ORR_ATTR_RANK);
    return count;
}

static enum orr_code refuse(const char *what, const char *item, uint32_t count, const char *why, struct orr_error *err)
{
    orr_fail(err, ORR_SETTING, "%s: \"%s\" %s", what, item, why);
    orr_error_where(err, "%s", what);
    orr_error_advice(
        err,
        "give numbers from 0 to %u, or bus ids such as 0000:1b:00.0, separated by commas; the machine has %u GPU%s",
        count ? count - 1 : 0, count, orr_plural(count));
    return ORR_SETTING;
}

enum orr_code orr_gpus_listed(const struct orr_dump *dump, const char *what, const char *list, struct orr_arena *arena,
                              const uint32_t **ret_gpus, uint32_t *ret_count, struct orr_error *err)
{
    uint32_t most = orr_gpus_ranked(dump), count = 0;
    uint32_t *gpus = ORR_NEW(arena, uint32_t, (size_t)most + 1);
    ORR_NEED(gpus, err);
    for (const char *at = list;; at++) {
        char item[ITEM_SIZE];
        size_t length = strcspn(at, ",");
        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1), at);
        bool index = length && length <= INDEX_DIGITS && strspn(item, "0123456789") == length;
        bool bus_id =
            !index && length > INDEX_DIGITS && length < ITEM_SIZE && strspn(item, "0123456789abcdefABCDEF:.") == length;
        int32_t number = index ? atoi(item) : bus_id ? orr_dump_gpu_number(dump, item) : -1;
        if (number < 0 || (uint32_t)number >= most)
            return refuse(what, item, most,
                          bus_id || index ? "is not a GPU of this machine" : "is neither a number nor a bus id", err);
        for (uint32_t i = 0; i < count; i++)
            if (gpus[i] == (uint32_t)number)
                return refuse(what, item, most, "is named twice", err);
        gpus[count++] = (uint32_t)number;
        at += length;
        if (!*at)
            break;
    }
    *ret_gpus = gpus;
    *ret_count = count;
    return ORR_OK;
}

enum orr_code orr_gpus_used(const struct orr_dump *dump, const struct orr_settings *settings, struct orr_arena *arena,
                            const struct orr_dump **ret_dump, struct orr_error *err)
{
    struct orr_view_notes notes = {.arena = arena};
    const uint32_t *gpus;
    uint32_t count, most = orr_gpus_ranked(dump);
    struct orr_dump *made;
    *ret_dump = dump;
    if (!settings->gpus)
        return ORR_OK;
    ORR_TRY(orr_gpus_listed(dump, "gpus", settings->gpus, arena, &gpus, &count, err));
    int32_t *ranks = ORR_NEW(arena, int32_t, count);
    ORR_NEED(ranks, err);
    bool unchanged = count == most;
    for (uint32_t i = 0; i < count; i++) {
        ranks[i] = (int32_t)i;
        unchanged &= gpus[i] == i;
    }
    if (unchanged)
        return ORR_OK;
    const struct orr_dump_piece piece = {.dump = dump, .ranks = ranks, .gpus = gpus, .count = count};
    ORR_TRY(orr_dump_combine(&piece, 1, settings->release, arena, &made, err));
    made->graphs = dump->graphs;
    made->byte_count = dump->byte_count;
    orr_view_note(&notes, "%u of %u GPUs take part: %.200s", count, most, settings->gpus);
    ORR_NEED(orr_view_notes_add(&notes, dump, made), err);
    *ret_dump = made;
    return ORR_OK;
}
