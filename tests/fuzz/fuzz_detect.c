/* SPDX-License-Identifier: Apache-2.0 */
/* Detection from hostile bytes: a tar as it comes, or the text of orrery/facts in a tar that is made around it. The
 * first byte chooses the release, whether NICs are merged, and which of the two. */
#include "engine/detect/detect.h"
#include "engine/dump/dump.h"
#include "tests/fuzz/fuzz.h"

enum { BLOCK = 512, MOST_FACTS = 65536 };

/* A tar of one file, whose bytes are given. */
static size_t wrap(const uint8_t *data, size_t size, char *tar)
{
    unsigned sum = 0;
    memset(tar, 0, BLOCK);
    snprintf(tar, 100, "orrery/facts");
    memcpy(tar + 100, "0000644", 7);
    snprintf(tar + 124, 12, "%011zo", size);
    snprintf(tar + 136, 12, "%011o", 0);
    memset(tar + 148, ' ', 8);
    tar[156] = '0';
    memcpy(tar + 257,
           "ustar\0"
           "00",
           8);
    for (int i = 0; i < BLOCK; i++)
        sum += (unsigned char)tar[i];
    snprintf(tar + 148, 8, "%06o", sum);
    memcpy(tar + BLOCK, data, size);
    return BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK + 2 * (size_t)BLOCK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    struct orr_error err = {0};
    struct orr_detection detection;
    struct orr_dump *dump;
    char *tar = NULL;
    if (size < 2)
        return -1;
    const struct orr_detect_options options = {.release = &releases[(data[0] >> 2) % count], .running = data[0] & 2};
    const char *bytes = (const char *)data + 1;
    size_t length = size - 1;
    if (data[0] & 1) {
        if (length > MOST_FACTS || !(tar = calloc(1, length + 4 * (size_t)BLOCK)))
            return -1;
        length = wrap(data + 1, length, tar);
        bytes = tar;
    }
    enum orr_code code = orr_detect_from_tar(bytes, length, &options, &detection, &err);
    free(tar);
    if (code != ORR_OK) {
        FUZZ_REQUIRE(code != ORR_INTERNAL && err.text[0], "%s: %s", orr_code_name(code), err.text);
        return 0;
    }
    code = orr_dump_read(detection.xml, detection.length, NULL, &dump, &err);
    FUZZ_REQUIRE(code == ORR_OK || code == ORR_LIMIT, "%s: %s at %u:%u", orr_code_name(code), err.text, err.line,
                 err.column);
    if (code == ORR_OK)
        orr_dump_free(dump);
    orr_detection_release(&detection);
    return 0;
}
