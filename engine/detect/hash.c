/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's two hashes of a text, for host_hash: docs/nccl/detection.md, "CPUs". */

#include "engine/detect/facts.h"

uint64_t orr_hash_wide(const char *text, size_t length)
{
    uint64_t a = 1 ^ (uint64_t)length, b = 1;
    for (size_t at = 0; at < length; at += 8) {
        uint64_t chunk = 0;
        for (size_t i = 0; i < 8 && at + i < length; i++)
            chunk |= (uint64_t)(unsigned char)text[at + i] << (8 * i);
        a += b;
        b ^= a;
        a ^= a >> 31;
        a *= 0x9de62bbc8cef3ce3u;
        b ^= b >> 32;
        b *= 0x485cd6311b599e79u;
        a += chunk;
    }
    uint64_t h = a ^ (a >> 31);
    h *= 0xbac3bd562846de6bu;
    h += b;
    h ^= h >> 32;
    return h * 0x995a187a14e7b445u;
}

uint64_t orr_hash_bytewise(const char *text, size_t length)
{
    uint64_t value = 5381;
    for (size_t i = 0; i < length; i++)
        value = (value * 33) ^ (uint64_t)(int64_t)(signed char)text[i];
    return value;
}
