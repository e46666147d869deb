/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a in 64 bits, for hash tables and digests inside one process.
 *
 * Begin with ORR_HASH_START and feed values one after another; the order matters. Somebody who chooses the input can
 * make collisions, whatever the start is, so tables of keys from outside use orr_hash_key() instead (index.h).
 */
#ifndef ORR_BASE_HASH_H
#define ORR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define ORR_HASH_START UINT64_C(0xcbf29ce484222325)

/* One step of FNV-1a with a whole number instead of a byte. */
static inline uint64_t orr_hash_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x100000001b3);
}

/* Mixes a number, so that each of its bits changes about half of the bits of the result. Sums of such numbers are
 * hashes that do not depend on order. */
static inline uint64_t orr_hash_scatter(uint64_t number)
{
    number = (number + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 29) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 32;
}

static inline uint64_t orr_hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    for (const unsigned char *at = bytes; length; at++, length--)
        hash = orr_hash_number(hash, *at);
    return hash;
}

/* The text without its terminating zero. */
static inline uint64_t orr_hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = orr_hash_number(hash, (unsigned char)*text);
    return hash;
}

#endif
