/* SPDX-License-Identifier: Apache-2.0 */
/* The release table: its rows are made once from the steps of releases_2_*.c, and found by name. */
#include <pthread.h>
#include <string.h>

#include "engine/release/device_rules.h"
#include "engine/release/release_steps.h"

enum { ROWS_MOST = 64 };

static struct {
    struct orr_release releases[ROWS_MOST];
    struct orr_connect_rules connect[ROWS_MOST];
    struct orr_tuning_model tuning[ROWS_MOST];
    struct orr_device_rules device[ROWS_MOST];
    uint32_t count;
} table; /* written by make_table() only */

static void add_row(const struct orr_release_step *step)
{
    uint32_t i = table.count++;
    if (i) {
        table.releases[i] = table.releases[i - 1];
        table.connect[i] = table.connect[i - 1];
        table.tuning[i] = table.tuning[i - 1];
        table.device[i] = table.device[i - 1];
    }
    struct orr_release *release = &table.releases[i];
    release->name = step->name;
    release->version = step->version;
    release->date = step->date;
    release->summary = step->summary;
    release->compared = step->compared;
    release->connect = &table.connect[i];
    release->tuning = &table.tuning[i];
    release->device = &table.device[i];
    step->change(release, &table.connect[i], &table.tuning[i]);
    orr_device_rules_step(step->version, &table.device[i]);
}

static void make_table(void)
{
    static const struct orr_release_step *const lists[] = {orr_steps_2_7_to_2_12, orr_steps_2_14_to_2_17,
                                                           orr_steps_2_18_to_2_21, orr_steps_2_22_to_2_26,
                                                           orr_steps_2_27_to_2_30};
    for (size_t i = 0; i < ORR_LENGTH(lists); i++)
        for (const struct orr_release_step *step = lists[i]; step->name && table.count < ROWS_MOST; step++)
            add_row(step);
}

const struct orr_release *orr_releases(uint32_t *ret_count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_table);
    *ret_count = table.count;
    return table.releases;
}

const struct orr_release *orr_release_default(void)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    while (count > 1 && !releases[count - 1].compared)
        count--;
    return &releases[count - 1];
}

bool orr_release_is_older(const struct orr_release *release, const struct orr_release *than)
{
    return release->version < than->version;
}

bool orr_release_same_minor(const struct orr_release *a, const struct orr_release *b)
{
    return a->version / 100 == b->version / 100;
}

const struct orr_release *orr_release_find(const char *name)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(releases[i].name, name))
            return &releases[i];
    return NULL;
}

int orr_path_type_number(const struct orr_release *release, enum orr_path_type type)
{
    for (uint32_t i = 0; i < release->path_type_count; i++)
        if (release->path_types[i] == type)
            return (int)i;
    return -1;
}

const char *orr_path_type_shown(const struct orr_release *release, enum orr_path_type type)
{
    return orr_path_type_name(type == ORR_PATH_NET && release->shows_net_as_dis ? ORR_PATH_DIS : type);
}

enum orr_path_type orr_path_type_of_number(const struct orr_release *release, int number)
{
    if (number < 0 || (uint32_t)number >= release->path_type_count)
        return ORR_PATH_DIS;
    return (enum orr_path_type)release->path_types[number];
}
