/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the device side of a communicator, on hosts of a machine type or a cluster. */
#ifndef ORR_TESTS_DEVICE_CASE_H
#define ORR_TESTS_DEVICE_CASE_H

#include <math.h>

#include "engine/device/kernels.h"
#include "engine/input/input.h"
#include "engine/machines/machine_types.h"
#include "tests/support/fixture.h"

enum { MOST_FILE = 1 << 18 };
static struct orr_dump *dump;
static struct orr_analysis *analysis;
static struct orr_cluster *cluster;
static struct orr_arena *arena;
static struct orr_device_side device;
static struct orr_error err;
static enum orr_fuse_mode fuse_mode; /* of the next decision alone */

void after_each(void)
{
    orr_cluster_free(cluster);
    orr_analysis_free(analysis);
    orr_dump_free(dump);
    orr_arena_free(arena);
    analysis = NULL;
    cluster = NULL;
    dump = NULL;
    arena = NULL;
}

static inline void read_file(const char *path)
{
    char *text = calloc(1, MOST_FILE);
    FILE *file = fopen(path, "r");
    assert_true(text && file);
    size_t length = fread(text, 1, MOST_FILE - 1, file);
    fclose(file);
    assert_true(length > 0 && length < MOST_FILE - 1);
    for (char *at = text; (at = strstr(at, "AuthenticAMD"));)
        memcpy(at, "GenuineIntel", strlen("GenuineIntel")); /* whose sockets P2P does not cross */
    dump = read_text(text);
    free(text);
}

static inline void read_machine(const char *machine)
{
    if (machine[0] == '<')
        dump = read_text(machine);
    else if (strchr(machine, '/'))
        read_file(machine);
    else
        assert_ok(orr_input_machine(orr_machine_type_find(machine), &dump, &err), &err);
}

static inline void look(const struct orr_analysis *at)
{
    arena = orr_arena_new(0);
    assert_non_null(arena);
    assert_ok(orr_device_decide(at, arena, &device, &err), &err);
}

/* Equal hosts. gpus NULL means all. */
static inline void decide_some(const char *machine, const char *gpus, uint32_t hosts, const char *release,
                               const char *given)
{
    struct orr_query query = {.hosts = hosts};
    after_each();
    err = (struct orr_error){0};
    orr_settings_init(&query.settings, orr_release_find(release));
    query.settings.gpus = gpus;
    query.settings.fuse_nics = fuse_mode;
    fuse_mode = ORR_FUSE_AUTO;
    give(&query.settings, given);
    read_machine(machine);
    assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
    look(analysis);
}

static inline void decide(const char *machine, uint32_t hosts, const char *release, const char *given)
{
    decide_some(machine, NULL, hosts, release, given);
}

/* Lines of a cluster, whose dumps are set to that of the machine. */
static inline void decide_cluster(const char *machine, struct orr_cluster_line *lines, uint32_t count,
                                  enum orr_rank_order order, const char *release, const char *given)
{
    struct orr_cluster_request request = {.lines = lines, .line_count = count, .order = order};
    after_each();
    err = (struct orr_error){0};
    orr_settings_init(&request.settings, orr_release_find(release));
    give(&request.settings, given);
    read_machine(machine);
    for (uint32_t l = 0; l < count; l++)
        lines[l].dump = dump;
    assert_ok(orr_cluster_analyze(&request, &cluster, &err), &err);
    look(cluster->analysis);
}

static inline int32_t value(enum orr_device_fact fact)
{
    return orr_device_verdict(&device, fact)->value;
}
#define IS(fact, expected)                                                                                             \
    do {                                                                                                               \
        const struct orr_device_verdict *found = orr_device_verdict(&device, ORR_DEVICE_##fact);                       \
        if (found->value != (expected))                                                                                \
            fail_msg("%s %s: %s is %d by %s: %s", device.analysis->query.settings.release->name, __func__, #fact,      \
                     found->value, found->rule, found->sentence);                                                      \
    } while (0)

static inline struct orr_device_choice choose(enum orr_function function, enum orr_data_type type, uint64_t bytes,
                                              enum orr_windows windows)
{
    struct orr_device_choice choice;
    const struct orr_device_call call = {.function = function, .type = type, .bytes = bytes, .windows = windows};
    orr_device_choose(&device, &call, &choice, NULL, NULL);
    return choice;
}

/* kernel NULL means the classic choice; time 0 if not compared. */
static inline void assert_kernel(struct orr_device_choice choice, const char *kernel, int32_t blocks, double time)
{
    if (!kernel) {
        if (choice.by != ORR_BY_CLASSIC)
            fail_msg("not the classic way: %s", choice.kernel ? choice.kernel : "copy engine");
        return;
    }
    if (choice.by != ORR_BY_SYMMETRIC)
        fail_msg("no symmetric kernel: %s", choice.sentence);
    assert_string_equal(choice.kernel, kernel);
    assert_int_equal(choice.blocks, blocks);
    if (time > 0 && fabs((double)choice.time - time) > 1e-4 * time)
        fail_msg("%s takes %.6f us, not %.6f", kernel, (double)choice.time, time);
}

#endif
