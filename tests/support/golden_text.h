/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that are generated from tables in the code. A test generates the text and compares it with the file in the
 * repository; ORR_UPDATE_GOLDEN=1 rewrites the file first. */
#ifndef ORR_TEST_GOLDEN_TEXT_H
#define ORR_TEST_GOLDEN_TEXT_H

#include <stdbool.h>
#include <stdlib.h>

#include "tests/support/orr_test.h"

enum { GOLDEN_MOST_BYTES = 1 << 20 };

static inline char *golden_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *content = calloc(1, GOLDEN_MOST_BYTES);
    assert_non_null(content);
    if (file) {
        size_t length = fread(content, 1, GOLDEN_MOST_BYTES - 1, file);
        content[length] = '\0';
        fclose(file);
    }
    return content;
}

static inline void golden_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* Fails with the first line in which the file at path differs from now. */
static inline void assert_golden(const char *path, const char *now)
{
    if (getenv("ORR_UPDATE_GOLDEN"))
        golden_write(path, now);
    char *kept = golden_read(path);
    size_t same = 0, line = 1;
    for (; kept[same] && kept[same] == now[same]; same++)
        line += kept[same] == '\n';
    bool equal = kept[same] == now[same];
    free(kept); /* before failing, which does not return */
    if (!equal)
        fail_msg("%s differs from the rows from line %zu on; ORR_UPDATE_GOLDEN=1 writes it anew", path, line);
}

#endif
