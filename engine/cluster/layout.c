/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/layout.h"

#include <ctype.h>
#include <string.h>

static const char *const names[ORR_GROUP_KIND_COUNT] = {"tp", "cp", "dp", "pp", "ep", "edp"};

const char *orr_group_kind_name(enum orr_group_kind kind)
{
    return names[kind];
}

const char *orr_dimension_name(enum orr_dimension dimension)
{
    return names[dimension];
}

static enum orr_code wrong(struct orr_error *err, const char *what, const char *which, size_t length)
{
    return orr_fail_with(
        err, ORR_SETTING, "layout",
        "write tp=8,pp=4,dp=16 with any of tp, cp, dp, pp and ep, and order=tp-cp-dp-pp if the order differs",
        "%s \"%.*s\"", what, (int)(length > 60 ? 60 : length), which);
}

static int find_name(const char *text, size_t length)
{
    for (int i = 0; i <= ORR_GROUP_EP; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], text, length))
            return i;
    return -1;
}

/* "tp-pp-dp": axes that are not named come last, in the usual order. */
static enum orr_code read_order(const char *text, size_t length, struct orr_layout *layout, struct orr_error *err)
{
    bool seen[ORR_DIMENSION_COUNT] = {false};
    uint32_t count = 0;
    for (size_t at = 0; at < length;) {
        size_t name = 0;
        while (at + name < length && text[at + name] != '-')
            name++;
        int found = find_name(text + at, name);
        if (found < 0 || found >= ORR_DIMENSION_COUNT || seen[found])
            return wrong(err, "the order must name each dimension once, not", text, length);
        seen[found] = true;
        layout->order[count++] = (enum orr_dimension)found;
        at += name + 1;
    }
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
        if (!seen[d])
            layout->order[count++] = (enum orr_dimension)d;
    return ORR_OK;
}

/* One "name=value". A size that is "*" stays 0. */
static enum orr_code read_part(const char *text, size_t length, struct orr_layout *layout, uint32_t *seen,
                               struct orr_error *err)
{
    enum { ORDER_NAME = 5, MOST_DIGITS = 7 };
    const char *equals = memchr(text, '=', length);
    if (!equals)
        return wrong(err, "a size must be NAME=NUMBER, not", text, length);
    size_t name = (size_t)(equals - text), value = length - name - 1;
    if (name == ORDER_NAME && !strncmp(text, "order", name))
        return read_order(equals + 1, value, layout, err);
    int found = find_name(text, name);
    if (found < 0)
        return wrong(err, "there is no dimension", text, name);
    if (*seen >> found & 1)
        return wrong(err, "named twice:", text, name);
    *seen |= 1u << found;
    uint32_t number = 0;
    bool rest = value == 1 && equals[1] == '*' && found != ORR_GROUP_EP;
    for (size_t i = 0; i < value && !rest; i++) {
        if (!isdigit((unsigned char)equals[1 + i]) || value > MOST_DIGITS)
            return wrong(err, "a size must be a number from 1, not", equals + 1, value);
        number = 10 * number + (uint32_t)(equals[1 + i] - '0');
    }
    if (!number && !rest)
        return wrong(err, "a size must be a number from 1, not", equals + 1, value);
    if (found == ORR_GROUP_EP)
        layout->expert = number;
    else
        layout->size[found] = number;
    return ORR_OK;
}

/* Fills the size that is "*", or dp if it is not named, and checks that all fit. */
static enum orr_code fit(struct orr_layout *layout, struct orr_error *err)
{
    int open = -1;
    uint64_t product = 1;
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++) {
        if (layout->size[d]) {
            product *= layout->size[d];
            continue;
        }
        if (open >= 0)
            return wrong(err, "only one size can be the rest, not also", names[d], 2);
        open = d;
    }
    if (product > layout->rank_count || layout->rank_count % product || (open < 0 && product != layout->rank_count))
        return orr_fail_with(err, ORR_SETTING, "layout", NULL,
                             "the sizes multiply to %llu, which does not fit %u ranks", (unsigned long long)product,
                             layout->rank_count);
    if (open >= 0)
        layout->size[open] = layout->rank_count / (uint32_t)product;
    if (layout->size[ORR_DP] % layout->expert)
        return orr_fail_with(err, ORR_SETTING, "layout", NULL, "ep=%u does not divide dp=%u", layout->expert,
                             layout->size[ORR_DP]);
    uint32_t stride = 1;
    for (int i = 0; i < ORR_DIMENSION_COUNT; i++) {
        layout->stride[layout->order[i]] = stride;
        stride *= layout->size[layout->order[i]];
    }
    return ORR_OK;
}

enum orr_code orr_layout_read(const char *text, uint32_t rank_count, struct orr_layout *ret_layout,
                              struct orr_error *err)
{
    struct orr_layout layout = {.expert = 1, .rank_count = rank_count};
    uint32_t seen = 0;
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++) {
        layout.order[d] = (enum orr_dimension)d;
        layout.size[d] = d == ORR_DP ? 0 : 1;
    }
    if (!*text)
        return wrong(err, "a layout must name sizes, not", text, 0);
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ",");
        ORR_TRY(read_part(at, length, &layout, &seen, err));
        at += length + (at[length] == ',');
    }
    if (!(seen >> ORR_DP & 1)) /* another size is the rest, so there is no data parallelism */
        for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
            if (d != ORR_DP && !layout.size[d])
                layout.size[ORR_DP] = 1;
    ORR_TRY(fit(&layout, err));
    *ret_layout = layout;
    return ORR_OK;
}

/* The dimension that a kind of group runs along, the number of steps that a group has in it, and the distance between
 * them. */
static enum orr_dimension walk(const struct orr_layout *layout, enum orr_group_kind kind, uint32_t *ret_size,
                               uint32_t *ret_step)
{
    enum orr_dimension along = kind == ORR_GROUP_EP || kind == ORR_GROUP_EDP ? ORR_DP : (enum orr_dimension)kind;
    *ret_size = layout->size[along];
    *ret_step = layout->stride[along];
    if (kind == ORR_GROUP_EP)
        *ret_size = layout->expert;
    if (kind == ORR_GROUP_EDP) {
        *ret_size = layout->size[ORR_DP] / layout->expert;
        *ret_step *= layout->expert;
    }
    return along;
}

uint32_t orr_group_size(const struct orr_layout *layout, enum orr_group_kind kind)
{
    uint32_t size, step;
    walk(layout, kind, &size, &step);
    return size;
}

uint32_t orr_group_count(const struct orr_layout *layout, enum orr_group_kind kind)
{
    bool of_experts = kind == ORR_GROUP_EP || kind == ORR_GROUP_EDP;
    uint32_t size = orr_group_size(layout, kind);
    return size < 2 || (of_experts && layout->expert == 1) ? 0 : layout->rank_count / size;
}

/* Groups are numbered by their lowest ranks, whose place along the walk is 0. */
void orr_group_ranks(const struct orr_layout *layout, enum orr_group_kind kind, uint32_t i, uint32_t *ranks)
{
    uint32_t size, step;
    walk(layout, kind, &size, &step);
    uint32_t first = i / step * step * size + i % step;
    for (uint32_t g = 0; g < size; g++)
        ranks[g] = first + g * step;
}
