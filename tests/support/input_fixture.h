/* SPDX-License-Identifier: Apache-2.0 */
/* An input of any kind given as text, and questions about the dump that it became. */
#ifndef ORR_TEST_INPUT_FIXTURE_H
#define ORR_TEST_INPUT_FIXTURE_H

#include "engine/dump/notes.h"
#include "engine/input/input.h"
#include "engine/machines/machine_types.h"
#include "tests/support/dump_text.h"

static inline struct orr_dump *read_as(const char *text, const char *assume)
{
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    struct orr_input_options options = {.assumed = assume ? orr_machine_type_find(assume) : NULL};
    assert_true(!assume || options.assumed);
    assert_ok(orr_input_read(text, strlen(text), &options, &dump, &err), &err);
    assert_non_null(dump->notes);
    return dump;
}

static inline enum orr_code refuse(const char *text, struct orr_error *err)
{
    struct orr_dump *dump = NULL;
    *err = (struct orr_error){0};
    enum orr_code code = orr_input_read(text, strlen(text), NULL, &dump, err);
    orr_dump_free(dump);
    return code;
}

static inline uint32_t find(const struct orr_dump *dump, enum orr_element_kind kind, uint32_t which)
{
    for (uint32_t i = 0; i < dump->element_count; i++)
        if (dump->elements[i].kind == kind && !which--)
            return i;
    fail_msg("no such element");
    return 0;
}

static inline const char *attr(const struct orr_dump *dump, enum orr_element_kind kind, uint32_t which,
                               enum orr_attr name)
{
    return orr_element_text(dump, find(dump, kind, which), name);
}

static inline bool assumes(const struct orr_dump *dump, const char *words)
{
    for (uint32_t i = 0; i < dump->notes->assumed_count; i++)
        if (strstr(dump->notes->assumed[i].what, words))
            return dump->notes->assumed[i].touches != 0;
    return false;
}

static inline bool misses(const struct orr_dump *dump, const char *command)
{
    for (uint32_t i = 0; i < dump->notes->missing_count; i++)
        if (strstr(dump->notes->missing[i].command, command))
            return true;
    return false;
}

/* How many elements of a kind there are. */
static inline uint32_t count_of(const struct orr_dump *dump, enum orr_element_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < dump->element_count; i++)
        count += dump->elements[i].kind == kind;
    return count;
}

#endif
