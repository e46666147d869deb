/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over files and folders of inputs, without a fuzzer: for ctest, with any compiler and sanitizer. */
#include <dirent.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static unsigned done;

static void replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size ? size : 1); /* exact, so that a sanitizer sees the first byte after it */
    FUZZ_REQUIRE(file && bytes && fread(bytes, 1, size, file) == size, "%s cannot be read", path);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* before it: the last line shows a crash */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    done++;
}

static void replay(const char *path)
{
    struct stat about;
    struct dirent **entries;
    FUZZ_REQUIRE(!stat(path, &about), "there is no %s", path);
    if (!S_ISDIR(about.st_mode)) {
        replay_file(path, (size_t)about.st_size);
        return;
    }
    int count = scandir(path, &entries, NULL, alphasort);
    FUZZ_REQUIRE(count >= 0, "%s cannot be listed", path);
    for (int i = 0; i < count; i++) {
        char below[4096];
        snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            replay(below);
        free(entries[i]);
    }
    free(entries);
}

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++)
        replay(paths[i]);
    printf("%u inputs\n", done);
    return done ? 0 : 1;
}
