/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out at every point of a detection: each ends in success or a clean error, and nothing leaks. The
 * linker sends our own allocations through the functions below. */
#include <stdarg.h>
#include <stdlib.h>

#include "engine/detect/detect.h"
#include "tests/support/orr_test.h"
#include "tests/support/small_root.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_orr_arena_alloc(struct orr_arena *arena, size_t count, size_t size);
char *__real_orr_arena_strndup(struct orr_arena *arena, const char *text, size_t length);
void *__real_orr_arena_grow(struct orr_arena *arena, const void *array, size_t count, unsigned *capacity, size_t size);
char *__real_orr_arena_vprintf(struct orr_arena *arena, size_t size, const char *format, va_list args);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_orr_arena_alloc(struct orr_arena *arena, size_t count, size_t size);
char *__wrap_orr_arena_strndup(struct orr_arena *arena, const char *text, size_t length);
void *__wrap_orr_arena_grow(struct orr_arena *arena, const void *array, size_t count, unsigned *capacity, size_t size);
char *__wrap_orr_arena_vprintf(struct orr_arena *arena, size_t size, const char *format, va_list args);

static bool counting;
static unsigned long made, failing; /* the one that fails; 0 if there is none */

static bool fails(void)
{
    return counting && ++made == failing;
}
void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

/* An arena takes memory in blocks: what is taken from it is refused by itself, and the arena remembers it. */
static bool starves(struct orr_arena *arena)
{
    bool refused = fails();
    if (refused)
        orr_arena_starve(arena);
    return refused;
}
void *__wrap_orr_arena_alloc(struct orr_arena *arena, size_t count, size_t size)
{
    return starves(arena) ? NULL : __real_orr_arena_alloc(arena, count, size);
}
char *__wrap_orr_arena_strndup(struct orr_arena *arena, const char *text, size_t length)
{
    return starves(arena) ? NULL : __real_orr_arena_strndup(arena, text, length);
}
void *__wrap_orr_arena_grow(struct orr_arena *arena, const void *array, size_t count, unsigned *capacity, size_t size)
{
    return starves(arena) ? NULL : __real_orr_arena_grow(arena, array, count, capacity, size);
}
char *__wrap_orr_arena_vprintf(struct orr_arena *arena, size_t size, const char *format, va_list args)
{
    return starves(arena) ? NULL : __real_orr_arena_vprintf(arena, size, format, args);
}

/* One detection, by gathering or not, with allocation `failing` refused. */
static enum orr_code detect_once(const struct orr_detect_options *options, bool gathers, size_t *ret_length)
{
    struct orr_detection detection;
    struct orr_error err = {0};
    struct orr_text tar = {0};
    enum orr_code code;
    made = 0;
    counting = true;
    if (gathers) {
        code = orr_gather(options, &tar, &err);
        if (code == ORR_OK)
            code = orr_detect_from_tar(tar.data, tar.length, options, &detection, &err);
        if (tar.data)
            orr_text_release(&tar);
    } else {
        code = orr_detect(options, &detection, &err);
    }
    counting = false;
    *ret_length = 0;
    if (code == ORR_OK) {
        *ret_length = detection.length;
        orr_detection_release(&detection);
    }
    return code;
}

static void refuse_each(bool gathers)
{
    char folder[] = "/tmp/orr-root-XXXXXX";
    const struct orr_detect_options options = {.root = folder, .running = true};
    size_t whole, length;
    small_root(folder);
    failing = 0;
    assert_int_equal(detect_once(&options, gathers, &whole), ORR_OK);
    unsigned long all = made;
    assert_true(all > 60 && whole > 500);
    for (failing = 1; failing <= all; failing++) {
        enum orr_code code = detect_once(&options, gathers, &length);
        if (code != ORR_NOMEM && (code != ORR_OK || length != whole))
            fail_msg("allocation %lu of %lu refused: %s, %zu bytes of %zu", failing, all, orr_code_name(code), length,
                     whole);
    }
    failing = 0;
    assert_int_equal(detect_once(&options, gathers, &length), ORR_OK);
    assert_int_equal(length, whole);
    small_root_remove(folder);
}

TEST(detection_survives_every_refusal)
{
    refuse_each(false);
}

TEST(gathering_survives_every_refusal)
{
    refuse_each(true);
}
